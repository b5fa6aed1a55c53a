// Histogram: elements counted by their keys, pass by pass in smaller steps around those that are
// wanted.
#include "ops/partial/histogram.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

#include "expr/expr.h"
#include "ops/partial/part.h"
#include "tamis/mask.h"
#include "tamis/order.h"

namespace tamis::partial {

namespace {

using detail::Bucket;
using detail::Group;
using detail::HistogramData;
using detail::SearchData;
using detail::Wanted;

/// The steps of the first pass, by number. Of floating point numbers a step is a number of leading
/// bits, so it is small near zero. Integers of 8 or 16 bits are counted one by one; of larger ones
/// the magnitude is cut after its first 13 bits, so small ones are counted one by one too.
template <class T>
struct FirstSteps {
  using K = typename Keys<T>::Key;
  static constexpr int kBits = 8 * sizeof(T);
  static constexpr bool kByMagnitude = std::is_integral_v<T> && kBits >= 32;
  static constexpr int kShift = kByMagnitude || kBits <= 16 ? 0 : kBits == 32 ? 16 : 40;
  static constexpr int kDigits = 12;
  static constexpr uint32_t kHalf = 1u << 18;  // the number of 0, if by magnitude
  static constexpr uint32_t kCount = kByMagnitude ? 2 * kHalf : 1u << (kBits - kShift);
  static constexpr uint64_t kZero = std::is_signed_v<T> ? uint64_t{1} << (kBits - 1) : 0;

  static uint32_t number(K key) {
    if constexpr (kByMagnitude) {
      const bool negative = key < kZero;
      const uint32_t n = cut(negative ? kZero - 1 - key : key - kZero);
      return negative ? kHalf - 1 - n : kHalf + n;
    } else {
      return static_cast<uint32_t>(key >> kShift);
    }
  }
  /// The keys of a step, as a group.
  static Group step(uint32_t number) {
    if constexpr (kByMagnitude) {
      const bool negative = number < kHalf;
      const uint32_t n = negative ? kHalf - 1 - number : number - kHalf;
      const int free = n < 2u << kDigits ? 0 : static_cast<int>(n >> kDigits) - 1;
      const uint64_t least = static_cast<uint64_t>(n - (static_cast<uint32_t>(free) << kDigits))
                             << free;
      return {negative ? kZero - least - (uint64_t{1} << free) : kZero + least, free, 0, 0, 0};
    } else {
      return {static_cast<uint64_t>(number) << kShift, kShift, 0, 0, 0};
    }
  }

 private:
  static uint32_t cut(uint64_t magnitude) {
    const int free = std::max(0, static_cast<int>(std::bit_width(magnitude)) - kDigits - 1);
    return (static_cast<uint32_t>(free) << kDigits) + static_cast<uint32_t>(magnitude >> free);
  }
};

Tensor elements_of(const Tensor& x, const Tensor& given) {
  check_host("Histogram", x);
  check_real("Histogram", x);
  const Tensor mask = mask_for("Histogram", x, given);
  if (mask.defined()) return masked_select(x.detach(), mask).settle();
  return x.detach().reshape({-1}).contiguous().settle();
}

template <class T>
void count_all(const Tensor& elements, HistogramData& data) {
  using Steps = FirstSteps<T>;
  const auto* x = static_cast<const typename Keys<T>::Element*>(elements.data_ptr());
  if (!data.pages) data.pages.emplace(Steps::kCount);
  detail::Pages& pages = *data.pages;
  for (int64_t i = 0, n = elements.numel(); i < n; ++i) pages.add(Steps::number(Keys<T>::of(x[i])));
}

/// The group that holds a key, or null. Groups are in order and do not overlap.
const Group* group_of(const std::vector<Group>& groups, uint64_t key) {
  if (groups.size() <= 4) {
    for (const Group& group : groups) {
      if (group.holds(key)) return &group;
    }
    return nullptr;
  }
  const auto after = std::upper_bound(groups.begin(), groups.end(), key,
                                      [](uint64_t k, const Group& g) { return k < g.low; });
  return after != groups.begin() && (after - 1)->holds(key) ? &*(after - 1) : nullptr;
}

std::vector<Bucket> joined(const std::vector<Bucket>& a, const std::vector<Bucket>& b) {
  std::vector<Bucket> all;
  all.reserve(a.size() + b.size());
  auto x = a.begin(), y = b.begin();
  while (x != a.end() || y != b.end()) {
    if (y == b.end() || (x != a.end() && x->low < y->low)) {
      all.push_back(*x++);
    } else if (x == a.end() || y->low < x->low) {
      all.push_back(*y++);
    } else {
      all.push_back({x->low, x->count + y->count});
      ++x, ++y;
    }
  }
  return all;
}

constexpr uint64_t kTop = uint64_t{1} << 63;
constexpr size_t kMostLows = size_t{1} << 20;

/// The lowest keys of steps, sorted and counted.
std::vector<Bucket> counted(const std::vector<int64_t>& lows) {
  std::vector<Bucket> buckets;
  const Tensor found = integers(lows, {static_cast<int64_t>(lows.size())});
  const Tensor sorted = sort(found).first.contiguous().settle();
  const auto* low = sorted.data<int64_t>();
  for (size_t i = 0; i < lows.size(); ++i) {
    const uint64_t key = static_cast<uint64_t>(low[i]) ^ kTop;
    if (buckets.empty() || buckets.back().low != key) buckets.push_back({key, 0});
    ++buckets.back().count;
  }
  return buckets;
}

/// Enters what was added into the buckets.
void settle(HistogramData& data) {
  if (data.pages) {
    std::vector<Bucket> buckets;
    visit_real(data.dtype, [&]<class T>(T) {
      using Steps = FirstSteps<T>;
      // No number has the last step, that of NaN.
      data.pages->for_each([&](uint32_t number, int64_t count) {
        if (Keys<T>::kIsFloat && number == Steps::kCount - 1) {
          data.nans += count;
        } else {
          data.count += count;
          buckets.push_back({Steps::step(number).low, count});
        }
      });
    });
    data.buckets = joined(data.buckets, buckets);
    data.pages.reset();
  }
  if (!data.lows.empty()) {
    data.buckets = joined(data.buckets, counted(data.lows));
    data.lows.clear();
  }
}

/// Which of the leading 16 bits of keys occur in groups: most elements are in none, and this tells
/// them fastest.
template <class T>
class Leading {
 public:
  explicit Leading(const std::vector<Group>& groups) : words_(1024, 0) {
    for (const Group& group : groups) {
      const uint64_t last = group.low + ((uint64_t{1} << group.bits) - 1);
      for (uint64_t i = group.low >> kShift; i <= last >> kShift; ++i) {
        words_[i / 64] |= uint64_t{1} << i % 64;
      }
    }
  }
  bool has(uint64_t key) const {
    const uint64_t i = key >> kShift;
    return (words_[i / 64] >> i % 64 & 1) != 0;
  }

 private:
  static constexpr int kShift = sizeof(T) > 2 ? 8 * static_cast<int>(sizeof(T)) - 16 : 0;
  std::vector<uint64_t> words_;
};

template <class T>
void count_groups(const Tensor& elements, HistogramData& data) {
  const auto* x = static_cast<const typename Keys<T>::Element*>(elements.data_ptr());
  const std::vector<Group>& groups = data.search->groups;
  const Leading<T> leading(groups);
  for (int64_t i = 0, n = elements.numel(); i < n; ++i) {
    const uint64_t key = Keys<T>::of(x[i]);
    if (!leading.has(key)) continue;
    const Group* const group = group_of(groups, key);
    if (group == nullptr || Keys<T>::is_nan(static_cast<typename Keys<T>::Key>(key))) continue;
    const uint64_t low = group->low + ((key - group->low) >> group->step << group->step);
    data.lows.push_back(static_cast<int64_t>(low ^ kTop));
    if (data.lows.size() >= kMostLows) settle(data);
  }
}

}  // namespace

void detail::Pages::make_page(uint32_t page) {
  pages_[page] = static_cast<uint32_t>(counts_.size() / kPage);
  counts_.resize(counts_.size() + kPage, 0);
}

Group detail::first_step(DType dtype, uint64_t key) {
  return visit_real(dtype, [&]<class T>(T) {
    using Steps = FirstSteps<T>;
    return Steps::step(Steps::number(static_cast<typename Keys<T>::Key>(key)));
  });
}

Histogram::Histogram(const Tensor& x, const Tensor& mask) {
  data_ = std::make_shared<HistogramData>();
  data_->dtype = x.dtype();
  add(x, mask);
  settle(*data_);
}

Histogram::Histogram(const Tensor& x, const Tensor& mask, const Search& search) {
  data_ = std::make_shared<HistogramData>();
  data_->dtype = search.data_->dtype;
  data_->search = search.data_;
  data_->count = search.data_->count;
  data_->nans = search.data_->nans;
  add(x, mask);
  settle(*data_);
}

Histogram& Histogram::add(const Tensor& x, const Tensor& mask) {
  check_same_dtype("Histogram", data_->dtype, x.dtype());
  if (data_->search && data_->search->groups.empty()) return *this;  // it is done
  const Tensor elements = elements_of(x, mask);
  HistogramData& data = own(data_);
  visit_real(data.dtype, [&]<class T>(T) {
    data.search ? count_groups<T>(elements, data) : count_all<T>(elements, data);
  });
  return *this;
}

Histogram& Histogram::merge(const Histogram& other) {
  settle(*other.data_);
  const auto from = other.data_;
  check_same_dtype("Histogram", data_->dtype, from->dtype);
  const bool later = data_->search != nullptr;
  check(later == (from->search != nullptr) && (!later || *data_->search == *from->search),
        ErrorKind::value, "Histogram: states that are merged must be of the same pass");
  HistogramData& to = own(data_);
  settle(to);
  if (!later) {
    to.count += from->count;
    to.nans += from->nans;
  }
  to.buckets = joined(to.buckets, from->buckets);
  return *this;
}

int64_t Histogram::count() const {
  settle(*data_);
  return data_->count;
}
int64_t Histogram::nans() const {
  settle(*data_);
  return data_->nans;
}
DType Histogram::dtype() const { return data_->dtype; }

int Histogram::passes(DType dtype) {
  check(!is_complex(dtype), ErrorKind::dtype, "Histogram: complex numbers have no order");
  return itemsize(dtype) <= 2 ? 1 : itemsize(dtype) == 4 ? 2 : 4;
}

Search Histogram::begin(Wanted wanted) const {
  check(data_->search == nullptr, ErrorKind::value,
        "Histogram: what is wanted is said after the first pass; later ones go on with search()");
  settle(*data_);
  SearchData start;
  start.dtype = data_->dtype;
  start.count = data_->count;
  start.nans = data_->nans;
  start.wanted = std::move(wanted);
  // All keys are one group before the first pass.
  Search search;
  search.data_ = std::make_shared<SearchData>(narrowed(start, {}, data_->buckets));
  return search;
}

Search Histogram::quantile(const Tensor& q, const std::string& interpolation,
                           bool ignore_nan) const {
  return begin(detail::quantile_wanted(q, data_->dtype, interpolation, ignore_nan));
}

Search Histogram::median(bool ignore_nan) const {
  check(data_->dtype != DType::boolean, ErrorKind::dtype, "\"median\" not implemented for 'Bool'");
  check(count() + nans() > 0 || is_floating_point(data_->dtype), ErrorKind::value,
        "the median of no elements is NaN, which {} cannot hold", name(data_->dtype));
  Wanted wanted;
  wanted.form = Wanted::Form::median;
  wanted.ignore_nan = ignore_nan;
  wanted.is_list = false;
  return begin(std::move(wanted));
}

Search Histogram::kthvalue(int64_t k) const {
  check(data_->dtype != DType::boolean, ErrorKind::dtype,
        "\"kthvalue\" not implemented for 'Bool'");
  check(k > 0 && k <= count() + nans(), ErrorKind::index,
        "kthvalue(): selected number k out of range for {} elements: {}", count() + nans(), k);
  Wanted wanted;
  wanted.form = Wanted::Form::kthvalue;
  wanted.is_list = false;
  wanted.ranks = {k - 1};
  return begin(std::move(wanted));
}

Search Histogram::ranks(std::span<const int64_t> ranks) const {
  Wanted wanted;
  wanted.ranks.assign(ranks.begin(), ranks.end());
  for (int64_t rank : ranks) {
    check(rank >= 0 && rank < count(), ErrorKind::index,
          "Histogram: rank {} is out of range for {} elements", rank, count());
  }
  return begin(std::move(wanted));
}

Search Histogram::search() const {
  check(data_->search != nullptr, ErrorKind::value,
        "Histogram: after the first pass say what is wanted: quantile, median, kthvalue or ranks");
  settle(*data_);
  Search next;
  next.data_ =
      std::make_shared<SearchData>(narrowed(*data_->search, data_->search->groups, data_->buckets));
  return next;
}

std::string Histogram::to_bytes() const {
  settle(*data_);
  ByteWriter out(Kind::histogram);
  out.dtype(data_->dtype);
  out.byte(data_->search != nullptr);
  if (data_->search) {
    write(out, *data_->search);
  } else {
    out.number(static_cast<uint64_t>(data_->nans));
  }
  out.number(data_->buckets.size());
  uint64_t last = 0;
  for (const Bucket& bucket : data_->buckets) {
    // Steps are powers of two, so the low bits of distances are zeros.
    const uint64_t distance = bucket.low - last;
    const int zeros = distance == 0 ? 0 : std::countr_zero(distance);
    out.byte(static_cast<uint8_t>(zeros));
    out.number(distance >> zeros);
    out.number(static_cast<uint64_t>(bucket.count));
    last = bucket.low;
  }
  return std::move(out).finish();
}

Histogram Histogram::from_bytes(std::string_view bytes) {
  ByteReader in(bytes, Kind::histogram);
  HistogramData data;
  data.dtype = in.dtype();
  ByteReader::require(!is_complex(data.dtype));
  if (in.flag()) {
    data.search = std::make_shared<SearchData>(detail::read_search(in));
    ByteReader::require(data.search->dtype == data.dtype);
    data.count = data.search->count;
    data.nans = data.search->nans;
  } else {
    data.nans = in.count();
    ByteReader::require(data.nans == 0 || is_floating_point(data.dtype));
  }
  uint64_t last = 0;
  for (int64_t n = in.length(3), i = 0; i < n; ++i) {
    const uint8_t zeros = in.byte();
    const uint64_t distance = in.number();
    ByteReader::require(zeros < 64 && distance << zeros >> zeros == distance &&
                        (distance % 2 == 1 || (distance == 0 && zeros == 0 && i == 0)));
    Bucket bucket{last + (distance << zeros), in.count()};
    ByteReader::require(bucket.count > 0 && bucket.low >= last &&
                        detail::is_step(data, bucket.low));
    if (data.search == nullptr) {
      ByteReader::require(!__builtin_add_overflow(data.count, bucket.count, &data.count));
    }
    data.buckets.push_back(bucket);
    last = bucket.low;
  }
  in.finish();
  Histogram state;
  state.data_ = std::make_shared<HistogramData>(std::move(data));
  return state;
}

bool detail::is_step(const HistogramData& data, uint64_t low) {
  const uint64_t last = visit_real(data.dtype, [&]<class T>(T) -> uint64_t {
    return std::is_same_v<T, bool> ? 1 : Keys<T>::kLast - (Keys<T>::kIsFloat ? 1 : 0);
  });
  if (low > last) return false;
  if (data.search == nullptr) return first_step(data.dtype, low).low == low;
  const Group* const group = group_of(data.search->groups, low);
  return group != nullptr && (low - group->low) % (uint64_t{1} << group->step) == 0;
}

}  // namespace tamis::partial
