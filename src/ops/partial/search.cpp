// Search: from counts to elements of wanted ranks.
#include <algorithm>
#include <cstring>
#include <limits>

#include "expr/expr.h"
#include "ops/partial/elements.h"
#include "ops/partial/histogram.h"
#include "ops/partial/part.h"
#include "ops/quantile_rank.h"

namespace tamis::partial {

namespace detail {

namespace {

/// The elements that are left are counted by value if they are this few.
constexpr int64_t kFew = int64_t{1} << 20;
/// Otherwise by so many more bits of their keys.
constexpr int kDigit = 20;

bool is_nan(const SearchData& search) {
  return search.count == 0 || (search.nans > 0 && !search.wanted.ignore_nan);
}

FractionalRank place_of(const SearchData& search, double q) {
  return rank_of(q, search.count - 1, search.dtype, interpolation_of(search.wanted.interpolation));
}

/// The first search is of all steps that have elements.
struct Step {
  Group keys;
  int64_t count;
};
std::vector<Step> steps_of(const SearchData& before, const std::vector<Group>& groups,
                           const std::vector<Bucket>& buckets) {
  std::vector<Step> steps;
  if (groups.empty()) {
    int64_t sum = 0;
    for (const Bucket& bucket : buckets) {
      Group keys = first_step(before.dtype, bucket.low);
      keys.before = sum;
      sum += keys.size = bucket.count;
      steps.push_back({keys, bucket.count});
    }
    return steps;
  }
  auto bucket = buckets.begin();
  for (const Group& group : groups) {
    int64_t sum = 0;
    for (; bucket != buckets.end() && group.holds(bucket->low); ++bucket) {
      steps.push_back(
          {{bucket->low, group.step, 0, group.before + sum, bucket->count}, bucket->count});
      sum += bucket->count;
    }
    check(sum == group.size, ErrorKind::value,
          "Histogram: a pass found {} elements where the one before it found {}", sum, group.size);
  }
  return steps;
}

/// How the groups are counted in the next pass.
void choose_steps(std::vector<Group>& groups) {
  int64_t left = 0;
  for (const Group& group : groups) {
    if (__builtin_add_overflow(left, group.size, &left)) left = std::numeric_limits<int64_t>::max();
  }
  for (Group& group : groups) group.step = left <= kFew ? 0 : std::max(0, group.bits - kDigit);
}

}  // namespace

std::vector<int64_t> ranks_of(const SearchData& search) {
  std::vector<int64_t> ranks;
  switch (search.wanted.form) {
    case Wanted::Form::ranks:
      ranks = search.wanted.ranks;
      break;
    case Wanted::Form::kthvalue:
      if (search.wanted.ranks[0] < search.count) ranks = search.wanted.ranks;
      break;
    case Wanted::Form::median:
      if (!is_nan(search)) ranks = {(search.count - 1) / 2};
      break;
    case Wanted::Form::quantile:
      for (double q : search.wanted.q) {
        if (is_nan(search)) break;
        const FractionalRank at = place_of(search, q);
        ranks.push_back(at.below);
        ranks.push_back(at.above);
      }
      break;
  }
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return ranks;
}

SearchData narrowed(const SearchData& before, const std::vector<Group>& groups,
                    const std::vector<Bucket>& buckets) {
  SearchData after = before;
  after.groups.clear();
  const bool first = groups.empty() && before.resolved.empty();
  if (!first && groups.empty()) return after;  // it is done
  const std::vector<Step> steps = steps_of(before, groups, buckets);
  for (int64_t rank : ranks_of(before)) {
    const auto next = std::partition_point(steps.begin(), steps.end(), [&](const Step& step) {
      return step.keys.before + step.count <= rank;
    });
    if (next == steps.end() || next->keys.before > rank) continue;  // resolved before
    if (next->keys.bits == 0) {
      after.resolved.push_back({rank, next->keys.low});
    } else if (after.groups.empty() || after.groups.back().low != next->keys.low) {
      after.groups.push_back(next->keys);
    }
  }
  std::sort(after.resolved.begin(), after.resolved.end(),
            [](const Resolved& a, const Resolved& b) { return a.rank < b.rank; });
  choose_steps(after.groups);
  return after;
}

namespace {

/// The bits of the element of a rank.
uint64_t bits_of_rank(const SearchData& search, int64_t rank) {
  const auto found =
      std::lower_bound(search.resolved.begin(), search.resolved.end(), rank,
                       [](const Resolved& r, int64_t value) { return r.rank < value; });
  check(found != search.resolved.end() && found->rank == rank, ErrorKind::value,
        "Search: rank {} was not found", rank);
  return visit_real(search.dtype, [&]<class T>(T) -> uint64_t {
    const auto key = static_cast<typename Keys<T>::Key>(found->key);
    if (!Keys<T>::is_exact(key)) return 0;  // a zero
    const auto element = Keys<T>::element(key);
    return bits_at(reinterpret_cast<const char*>(&element), sizeof(element));
  });
}

template <class T>
T element(const SearchData& search, int64_t rank) {
  const uint64_t bits = bits_of_rank(search, rank);
  T value;
  std::memcpy(&value, &bits, sizeof(T));
  return value;
}

template <class T>
Tensor quantiles(const SearchData& search, const Tensor& result) {
  T* to = result.mutable_data<T>();
  for (double q : search.wanted.q) {
    if (is_nan(search)) {
      *to++ = std::numeric_limits<T>::quiet_NaN();
      continue;
    }
    const FractionalRank at = place_of(search, q);
    *to++ = between(element<T>(search, at.below), element<T>(search, at.above),
                    static_cast<T>(at.weight));
  }
  return result;
}

}  // namespace

Tensor result_of(const SearchData& search) {
  const Wanted& wanted = search.wanted;
  if (wanted.form == Wanted::Form::quantile) {
    const Shape shape = wanted.is_list ? Shape{static_cast<int64_t>(wanted.q.size())} : Shape{};
    const Tensor result = allocate_on_host(shape, search.dtype);
    return search.dtype == DType::float32 ? quantiles<float>(search, result)
                                          : quantiles<double>(search, result);
  }
  const std::vector<int64_t> ranks =
      wanted.form == Wanted::Form::median ? ranks_of(search) : wanted.ranks;
  if (wanted.form != Wanted::Form::ranks && ranks_of(search).empty()) {
    return scalar_tensor(std::numeric_limits<double>::quiet_NaN(), search.dtype);
  }
  std::vector<uint64_t> bits;
  for (int64_t rank : ranks) bits.push_back(bits_of_rank(search, rank));
  const Shape shape = wanted.is_list ? Shape{static_cast<int64_t>(bits.size())} : Shape{};
  return from_bits(bits, search.dtype, shape);
}

Wanted quantile_wanted(const Tensor& q, DType dtype, const std::string& interpolation,
                       bool ignore_nan) {
  check(dtype == DType::float32 || dtype == DType::float64, ErrorKind::dtype,
        "quantile() input tensor must be either float or double dtype");
  interpolation_of(interpolation);
  Wanted wanted;
  wanted.form = Wanted::Form::quantile;
  wanted.q = probabilities(q, dtype);
  wanted.is_list = q.dim() == 1;
  wanted.interpolation = interpolation;
  wanted.ignore_nan = ignore_nan;
  return wanted;
}

// ---- bytes --------------------------------------------------------------------------------------

void write(ByteWriter& out, const SearchData& search) {
  out.dtype(search.dtype);
  out.number(static_cast<uint64_t>(search.count));
  out.number(static_cast<uint64_t>(search.nans));
  out.byte(static_cast<uint8_t>(search.wanted.form));
  out.byte(search.wanted.ignore_nan);
  out.byte(search.wanted.is_list);
  out.text(search.wanted.interpolation);
  out.number(search.wanted.q.size());
  for (double q : search.wanted.q) out.fixed(std::bit_cast<uint64_t>(q));
  out.number(search.wanted.ranks.size());
  for (int64_t rank : search.wanted.ranks) out.number(static_cast<uint64_t>(rank));
  out.number(search.resolved.size());
  for (const Resolved& r : search.resolved) {
    out.number(static_cast<uint64_t>(r.rank));
    out.number(r.key);
  }
  out.number(search.groups.size());
  for (const Group& g : search.groups) {
    out.number(g.low);
    out.byte(static_cast<uint8_t>(g.bits));
    out.number(static_cast<uint64_t>(g.before));
    out.number(static_cast<uint64_t>(g.size));
  }
}

namespace {

Wanted read_wanted(ByteReader& in, const SearchData& search) {
  Wanted wanted;
  const uint8_t form = in.byte();
  ByteReader::require(form <= static_cast<uint8_t>(Wanted::Form::kthvalue));
  wanted.form = static_cast<Wanted::Form>(form);
  wanted.ignore_nan = in.flag();
  wanted.is_list = in.flag();
  wanted.interpolation = in.text();
  for (int64_t n = in.length(8); n > 0; --n) {
    wanted.q.push_back(std::bit_cast<double>(in.fixed()));
    ByteReader::require(wanted.q.back() >= 0 && wanted.q.back() <= 1);
  }
  for (int64_t n = in.length(); n > 0; --n) wanted.ranks.push_back(in.size());
  const bool is_quantile = wanted.form == Wanted::Form::quantile;
  if (is_quantile) {
    constexpr const char* kNames[] = {"linear", "lower", "higher", "midpoint", "nearest"};
    ByteReader::require(std::count(std::begin(kNames), std::end(kNames), wanted.interpolation) ==
                        1);
    ByteReader::require(search.dtype == DType::float32 || search.dtype == DType::float64);
  }
  const bool one = wanted.form == Wanted::Form::kthvalue;
  const int64_t end = search.count + (one ? search.nans : 0);
  for (int64_t rank : wanted.ranks) ByteReader::require(rank < end);
  ByteReader::require(
      is_quantile == !wanted.interpolation.empty() && (is_quantile || wanted.q.empty()) &&
      (wanted.is_list || wanted.q.size() <= 1) &&
      (!is_quantile || wanted.is_list || wanted.q.size() == 1) &&
      (!one || wanted.ranks.size() == 1) &&
      (wanted.form == Wanted::Form::ranks || one || wanted.ranks.empty()) &&
      (is_floating_point(search.dtype) || search.count > 0 || wanted.form == Wanted::Form::ranks));
  return wanted;
}

}  // namespace

SearchData read_search(ByteReader& in) {
  SearchData search;
  search.dtype = in.dtype();
  ByteReader::require(!is_complex(search.dtype));
  search.count = in.count();
  search.nans = in.count();
  search.wanted = read_wanted(in, search);
  const std::vector<int64_t> ranks = ranks_of(search);
  int64_t last = -1;
  for (int64_t n = in.length(2); n > 0; --n) {
    const Resolved r{in.size(), in.number()};
    ByteReader::require(r.rank > last && bits_fit(search.dtype, r.key) &&
                        std::binary_search(ranks.begin(), ranks.end(), r.rank));
    last = r.rank;
    search.resolved.push_back(r);
  }
  size_t left = ranks.size() - search.resolved.size();
  uint64_t end = 0;
  for (int64_t n = in.length(4), i = 0; i < n; ++i) {
    Group g{in.number(), in.byte(), 0, 0, 0};
    g.before = in.count();
    g.size = in.count();
    const uint64_t most = itemsize(search.dtype) == 8
                              ? std::numeric_limits<uint64_t>::max()
                              : (uint64_t{1} << 8 * itemsize(search.dtype)) - 1;
    ByteReader::require(g.bits > 0 && g.bits < 64 && g.size > 0 && (i == 0 || g.low > end) &&
                        g.low <= most && (uint64_t{1} << g.bits) - 1 <= most - g.low);
    end = g.low + ((uint64_t{1} << g.bits) - 1);
    ByteReader::require(g.before + g.size <= search.count);
    const auto held = [&](int64_t rank) {
      const bool known = std::any_of(search.resolved.begin(), search.resolved.end(),
                                     [&](const Resolved& r) { return r.rank == rank; });
      return !known && g.before <= rank && rank < g.before + g.size;
    };
    const auto count = static_cast<size_t>(std::count_if(ranks.begin(), ranks.end(), held));
    ByteReader::require(count > 0 && count <= left);
    left -= count;
    search.groups.push_back(g);
  }
  // Every rank is known or looked for.
  ByteReader::require(left == 0);
  choose_steps(search.groups);
  return search;
}

}  // namespace detail

bool Search::done() const { return data_->groups.empty(); }

Tensor Search::finish() const {
  check(done(), ErrorKind::value,
        "Search: another pass is needed: Histogram(x, mask, search), merged, and its search()");
  return detail::result_of(*data_);
}

DType Search::dtype() const { return data_->dtype; }

std::string Search::to_bytes() const {
  ByteWriter out(Kind::search);
  detail::write(out, *data_);
  return std::move(out).finish();
}

Search Search::from_bytes(std::string_view bytes) {
  ByteReader in(bytes, Kind::search);
  Search search;
  search.data_ = std::make_shared<detail::SearchData>(detail::read_search(in));
  in.finish();
  return search;
}

}  // namespace tamis::partial
