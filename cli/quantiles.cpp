// Quantiles: radix selection. Elements become unsigned keys in the order of numbers; a pass counts
// them by their next 16 bits, among those that agree with a wanted one so far, until so few are
// left that they can be sorted.
#include "quantiles.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <type_traits>

#include "tamis/tamis.h"

namespace tamis::cli {

namespace {

constexpr int kDigit = 16;
constexpr int64_t kFewElements = int64_t{1} << 20;

template <size_t Bytes>
using Unsigned = std::conditional_t<
    Bytes == 1, uint8_t,
    std::conditional_t<Bytes == 2, uint16_t, std::conditional_t<Bytes == 4, uint32_t, uint64_t>>>;

/// Keys compare as the numbers do; both zeros have the same. NaN is not asked for.
template <class T>
uint64_t key_of(T value) {
  using U = Unsigned<sizeof(T)>;
  constexpr U kTop = U{1} << (8 * sizeof(T) - 1);
  const auto bits = std::bit_cast<U>(value);
  if constexpr (std::is_integral_v<T>) {
    return std::is_signed_v<T> ? static_cast<U>(bits ^ kTop) : bits;
  } else {
    if (static_cast<U>(bits << 1) == 0) return kTop;
    return static_cast<U>(bits & kTop ? ~bits : bits ^ kTop);
  }
}

template <class T>
T value_of_key(uint64_t key) {
  using U = Unsigned<sizeof(T)>;
  constexpr U kTop = U{1} << (8 * sizeof(T) - 1);
  const auto k = static_cast<U>(key);
  if constexpr (std::is_integral_v<T>) {
    return std::bit_cast<T>(static_cast<U>(std::is_signed_v<T> ? k ^ kTop : k));
  } else {
    return std::bit_cast<T>(static_cast<U>(k & kTop ? k ^ kTop : ~k));
  }
}

/// Keys that agree in all but their last `free` bits, and how many elements have smaller ones.
struct Group {
  uint64_t prefix = 0;  // the key without its free bits
  int64_t before = 0;
  int64_t size = 0;

  bool holds(int64_t rank) const { return before <= rank && rank < before + size; }
};

template <class T>
class Selection {
 public:
  Selection(const Runner& runner, const Stream& stream, int64_t count)
      : runner_(runner), stream_(stream), groups_{{0, 0, count}} {}

  /// The elements of those ranks, which are in order and distinct.
  std::map<int64_t, T> find(const std::vector<int64_t>& ranks) {
    std::map<int64_t, T> found;
    while (free_ > 0 && left() > kFewElements) narrow(ranks);
    if (free_ > 0) sort_rest();
    for (int64_t rank : ranks) {
      for (size_t g = 0; g < groups_.size(); ++g) {
        if (!groups_[g].holds(rank)) continue;
        const uint64_t key = free_ == 0 ? groups_[g].prefix : rest_[g][rank - groups_[g].before];
        found[rank] = value_of_key<T>(key);
      }
    }
    return found;
  }

 private:
  int64_t left() const {
    int64_t sum = 0;
    for (const Group& g : groups_) sum += g.size;
    return sum;
  }

  /// Calls f(group, key, worker) for all elements of all groups.
  template <class F>
  void pass(F f) {
    runner_.run(
        "quantiles", stream_.shape, itemsize(stream_.dtype),
        [&](const Box& box, int worker) {
          const Tensor window = elements(stream_.window(box));
          for (size_t g = 0; g < groups_.size(); ++g) {
            const Tensor part = free_ == kBits ? window : within(window, groups_[g]);
            const T* data = part.template data<T>();
            for (int64_t i = 0, n = part.numel(); i < n; ++i) {
              const uint64_t key = key_of(data[i]);
              if (free_ == kBits || key >> free_ == groups_[g].prefix) f(g, key, worker);
            }
          }
          return 0;
        },
        [](std::span<const int>) {});
  }

  /// Contiguous, without NaN; bools as uint8.
  static Tensor elements(const Tensor& window) {
    if (window.dtype() == DType::boolean) return window.to_byte().contiguous();
    if (!is_floating_point(window.dtype())) return window.contiguous();
    return masked_select(window, ~isnan(window));
  }

  /// The elements that may be of the group; the kernels are faster at this than the loop above.
  static Tensor within(const Tensor& window, const Group& group, int free) {
    uint64_t low = group.prefix << free, high = low | ((uint64_t{1} << free) - 1);
    if constexpr (!std::is_integral_v<T>) {
      // The ends of the range may be NaNs, which compare with nothing.
      const double inf = std::numeric_limits<double>::infinity();
      low = std::max(low, key_of(static_cast<T>(static_cast<float>(-inf))));
      high = std::min(high, key_of(static_cast<T>(static_cast<float>(inf))));
    }
    return masked_select(window, masks::between(window, Tensor(Scalar(value_of_key<T>(low))),
                                                Tensor(Scalar(value_of_key<T>(high)))));
  }
  Tensor within(const Tensor& window, const Group& group) const {
    return within(window, group, free_);
  }

  /// Counts by the next digit and keeps the groups that hold a wanted rank.
  void narrow(const std::vector<int64_t>& ranks) {
    const int digit = std::min(free_, kDigit), shift = free_ - digit;
    const size_t buckets = size_t{1} << digit;
    using Counts = std::vector<std::vector<int64_t>>;  // by group and digit
    std::vector<Counts> counts(runner_.threads(),
                               Counts(groups_.size(), std::vector<int64_t>(buckets)));
    pass([&](size_t g, uint64_t key, int worker) {
      ++counts[worker][g][(key >> shift) & (buckets - 1)];
    });
    std::vector<Group> kept;
    for (size_t g = 0; g < groups_.size(); ++g) {
      int64_t before = groups_[g].before;
      for (size_t b = 0; b < buckets; ++b) {
        Group part{groups_[g].prefix << digit | b, before, 0};
        for (const Counts& c : counts) part.size += c[g][b];
        before += part.size;
        const auto wanted = std::lower_bound(ranks.begin(), ranks.end(), part.before);
        if (wanted != ranks.end() && part.holds(*wanted)) kept.push_back(part);
      }
    }
    groups_ = std::move(kept);
    free_ = shift;
  }

  void sort_rest() {
    using Keys = std::vector<std::vector<uint64_t>>;  // by group
    std::vector<Keys> keys(runner_.threads(), Keys(groups_.size()));
    pass([&](size_t g, uint64_t key, int worker) { keys[worker][g].push_back(key); });
    rest_.resize(groups_.size());
    for (size_t g = 0; g < groups_.size(); ++g) {
      for (const Keys& k : keys) rest_[g].insert(rest_[g].end(), k[g].begin(), k[g].end());
      std::sort(rest_[g].begin(), rest_[g].end());
    }
  }

  static constexpr int kBits = 8 * sizeof(T);
  const Runner& runner_;
  const Stream& stream_;
  std::vector<Group> groups_;
  int free_ = kBits;  // bits of the keys that the groups leave open
  std::vector<std::vector<uint64_t>> rest_;
};

/// Where a quantile lies: at an element, or between it and the next.
struct Position {
  int64_t rank = 0;
  double fraction = 0;

  Position(const Quantile& q, int64_t count) {
    if (q.lower) {
      rank = (count - 1) / 2;
      return;
    }
    const double at = q.p * static_cast<double>(count - 1);
    rank = static_cast<int64_t>(std::floor(at));
    fraction = at - std::floor(at);
  }
};

double between_two(double a, double b, double fraction) {
  if (a == b) return a;  // infinities too
  // From the nearer end, so that it is exact at both.
  return fraction < 0.5 ? a + (b - a) * fraction : b - (b - a) * (1 - fraction);
}

template <class T>
std::vector<Scalar> find_typed(const Runner& runner, const Stream& stream, int64_t count,
                               std::span<const Quantile> quantiles) {
  std::vector<int64_t> ranks;
  for (const Quantile& q : quantiles) {
    const Position at(q, count);
    ranks.push_back(at.rank);
    if (at.fraction > 0) ranks.push_back(at.rank + 1);
  }
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  std::map<int64_t, T> found = Selection<T>(runner, stream, count).find(ranks);
  std::vector<Scalar> results;
  for (const Quantile& q : quantiles) {
    const Position at(q, count);
    const Scalar low(found.at(at.rank));
    if (q.lower) {
      results.push_back(low);
    } else {
      const double next = at.fraction > 0 ? Scalar(found.at(at.rank + 1)).to_double() : 0;
      results.emplace_back(at.fraction > 0 ? between_two(low.to_double(), next, at.fraction)
                                           : low.to_double());
    }
  }
  return results;
}

}  // namespace

double quantile_of_sorted(std::span<const double> sorted, double p) {
  if (sorted.empty()) return std::numeric_limits<double>::quiet_NaN();
  const Position at({p, false}, static_cast<int64_t>(sorted.size()));
  const double low = sorted[at.rank];
  return at.fraction > 0 ? between_two(low, sorted[at.rank + 1], at.fraction) : low;
}

std::vector<Scalar> find_quantiles(const Runner& runner, const Stream& stream, int64_t count,
                                   std::span<const Quantile> quantiles) {
  if (quantiles.empty()) return {};
  if (count == 0) {
    return std::vector<Scalar>(quantiles.size(), Scalar(std::numeric_limits<double>::quiet_NaN()));
  }
  const DType dtype = stream.dtype == DType::boolean ? DType::uint8 : stream.dtype;
  return visit_real(dtype, [&]<class T>(T) {
    if constexpr (std::is_same_v<T, bool>) {
      return std::vector<Scalar>{};
    } else {
      return find_typed<T>(runner, stream, count, quantiles);
    }
  });
}

}  // namespace tamis::cli
