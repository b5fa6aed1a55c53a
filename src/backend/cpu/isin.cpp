// The kinds of ProbedSet: nothing, a few values, one byte, a bitmap, a hash table; and the choice
// among them.
#include "backend/cpu/isin.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "backend/isin_values.h"

namespace tamis {
namespace {

/// Up to this many values, comparing with each is fastest. A bitmap, which only integers have, is
/// faster than a hash table.
template <class T>
constexpr size_t kTiny = sizeof(T) == 8 ? 1 : 8;
template <>
constexpr size_t kTiny<float> = 32;
template <>
constexpr size_t kTiny<double> = 16;

constexpr uint64_t kSmallRange = uint64_t{1} << 23;  // bits: 1 MiB

/// 64 bytes of 0 or 1 to a word.
uint64_t bits_from_bytes(const uint8_t* bytes) {
  static_assert(std::endian::native == std::endian::little);
  uint64_t word = 0;
  for (int i = 0; i < 8; ++i) {
    uint64_t eight;
    std::memcpy(&eight, bytes + 8 * i, 8);
    word |= (eight * 0x0102040810204080u >> 56) << (8 * i);
  }
  return word;
}

/// Calls contains(x[i]) for every element.
template <class T, class Set>
void probe_each(const Set& set, const void* x, uint64_t* mask, size_t n) {
  const T* element = static_cast<const T*>(x);
  for (size_t i = 0; i < n; i += 64) {
    const size_t count = std::min<size_t>(n - i, 64);
    uint64_t word = 0;
    for (size_t j = 0; j < count; ++j) word |= uint64_t{set.contains(element[i + j])} << j;
    mask[i / 64] = word;
  }
}

/// Calls probe_word(64 elements) for each word of the mask.
template <class T, class F>
void probe_words(const T* element, uint64_t* mask, size_t n, F probe_word) {
  for (; n >= 64; n -= 64, element += 64) *mask++ = probe_word(element);
  if (n == 0) return;
  T padded[64] = {};
  std::copy_n(element, n, padded);
  *mask = probe_word(padded) & ((uint64_t{1} << n) - 1);
}

using cpu::ProbedSet;

class EmptySet final : public ProbedSet {
 public:
  void probe(const void*, uint64_t* mask, size_t n) const override {
    std::fill_n(mask, (n + 63) / 64, uint64_t{0});
  }
};

/// Compares with every value.
template <class T>
class TinySet final : public ProbedSet {
 public:
  explicit TinySet(std::vector<T> values) : values_(std::move(values)) {}

  void probe(const void* x, uint64_t* mask, size_t n) const override {
    probe_words(static_cast<const T*>(x), mask, n, [&](const T* e) { return probe_word(e); });
  }

 private:
  /// Some vectors at a time, which stay in registers.
  uint64_t probe_word(const T* element) const {
    typedef T __attribute__((vector_size(16))) Vector;
    using Found = decltype(Vector{} == Vector{});
    constexpr size_t kVectors = 4, kElements = kVectors * sizeof(Vector) / sizeof(T);
    uint8_t bytes[64];
    for (size_t i = 0; i < 64; i += kElements) {
      Vector elements[kVectors];
      std::memcpy(elements, element + i, sizeof(elements));
      Found found[kVectors] = {};
      for (const T value : values_) {
        for (size_t k = 0; k < kVectors; ++k) found[k] |= elements[k] == value;
      }
      for (size_t k = 0; k < kElements; ++k) {
        bytes[i + k] = found[k * kVectors / kElements][k % (kElements / kVectors)] & 1;
      }
    }
    return bits_from_bytes(bytes);
  }

  std::vector<T> values_;
};

/// One bit for every integer from the smallest value to the largest.
template <class T>
class BitmapSet final : public ProbedSet {
 public:
  BitmapSet(const std::vector<T>& values, T low, T high)
      : low_(to_unsigned(low)), range_(to_unsigned(high) - low_), bits_(range_ / 64 + 2) {
    for (const T value : values) {
      const uint64_t at = to_unsigned(value) - low_;
      bits_[at / 64] |= uint64_t{1} << (at % 64);
    }
  }

  void probe(const void* x, uint64_t* mask, size_t n) const override {
    probe_each<T>(*this, x, mask, n);
  }

  bool contains(T x) const {
    // Elements outside of the range look at the first bit after it, which is never set.
    const uint64_t at = std::min(to_unsigned(x) - low_, range_ + 1);
    return bits_[at / 64] >> (at % 64) & 1;
  }

 private:
  static uint64_t to_unsigned(T x) { return static_cast<uint64_t>(x); }

  uint64_t low_;
  uint64_t range_;
  std::vector<uint64_t> bits_;
};

/// For every byte, whether it is in the set.
template <class T>
class ByteSet final : public ProbedSet {
 public:
  explicit ByteSet(const std::vector<T>& values) {
    for (const T value : values) contains_[static_cast<uint8_t>(value)] = 1;
  }

  void probe(const void* x, uint64_t* mask, size_t n) const override {
    const uint8_t* element = static_cast<const uint8_t*>(x);
    for (size_t i = 0; i < n; i += 64) {
      const size_t count = std::min<size_t>(n - i, 64);
      uint8_t found[64] = {};
      for (size_t j = 0; j < count; ++j) found[j] = contains_[element[i + j]];
      mask[i / 64] = bits_from_bytes(found);
    }
  }

 private:
  uint8_t contains_[256] = {};
};

/// Buckets of four keys, at most half full, behind a filter of one bit per hash value: few elements
/// that are not in the set get past it, and it is small enough for the nearest caches. A full
/// bucket continues in the next one.
template <class T>
class HashSet final : public ProbedSet {
 public:
  explicit HashSet(const std::vector<T>& values)
      : filler_(key_of(values[0])),
        filter_(filter_bits(values.size()) / 64),
        slots_(std::max<size_t>(std::bit_ceil(2 * values.size()), 2 * kBucket), filler_),
        filter_shift_(64 - std::countr_zero(64 * filter_.size())),
        bucket_shift_(64 - std::countr_zero(slots_.size() / kBucket)) {
    for (const T value : values) insert(key_of(value));
  }

  void probe(const void* x, uint64_t* mask, size_t n) const override {
    probe_words(static_cast<const T*>(x), mask, n, [&](const T* e) { return probe_word(e); });
  }

 private:
  using Key = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
  static constexpr size_t kBucket = 4;

  // Few values may have many bits each: the filter is still in the first-level cache.
  static size_t filter_bits(size_t n) { return std::bit_ceil(n <= 4096 ? 64 * n : 8 * n); }

  // Adding zero turns -0 into +0. No value is NaN, so an element that is equals none of them.
  static Key key_of(T x) {
    if constexpr (std::is_floating_point_v<T>) {
      return std::bit_cast<Key>(x + T{0});
    } else {
      return static_cast<Key>(x);
    }
  }
  static uint64_t hash(Key key) { return uint64_t{key} * 0x9E3779B97F4A7C15u; }

  uint64_t probe_word(const T* element) const {
    uint64_t word = 0;
    for (int i = 0; i < 64; ++i) word |= uint64_t{may_contain(key_of(element[i]))} << i;
    for (uint64_t left = word; left != 0; left &= left - 1) {
      const int i = std::countr_zero(left);
      word ^= uint64_t{!contains(key_of(element[i]))} << i;
    }
    return word;
  }

  bool may_contain(Key key) const {
    const uint64_t at = hash(key) >> filter_shift_;
    return filter_[at / 64] >> (at % 64) & 1;
  }

  bool contains(Key key) const {
    for (size_t at = hash(key) >> bucket_shift_;; at = next(at)) {
      const Key* const slot = slots_.data() + at * kBucket;
      const bool found = (slot[0] == key) | (slot[1] == key) | (slot[2] == key) | (slot[3] == key);
      if (found | (slot[3] == filler_)) return found;
    }
  }

  void insert(Key key) {
    const uint64_t bit = hash(key) >> filter_shift_;
    filter_[bit / 64] |= uint64_t{1} << (bit % 64);
    if (contains(key)) return;
    size_t at = hash(key) >> bucket_shift_;
    while (slots_[at * kBucket + 3] != filler_) at = next(at);
    *std::find(slots_.begin() + static_cast<int64_t>(at * kBucket), slots_.end(), filler_) = key;
  }

  size_t next(size_t bucket) const { return (bucket + 1) & (slots_.size() / kBucket - 1); }

  Key filler_;  // one of the values, in all free slots: so no number has to be reserved for them
  std::vector<uint64_t> filter_;
  std::vector<Key> slots_;
  int filter_shift_, bucket_shift_;
};

/// The distinct values, or nothing if they are more than kTiny.
template <class T>
std::optional<std::vector<T>> few(const std::vector<T>& values) {
  std::vector<T> distinct;
  for (const T value : values) {
    if (std::find(distinct.begin(), distinct.end(), value) != distinct.end()) continue;
    if (distinct.size() == kTiny<T>) return std::nullopt;
    distinct.push_back(value);
  }
  return distinct;
}

template <class T>
std::shared_ptr<const ProbedSet> make(const std::vector<T>& values) {
  if (values.empty()) return std::make_shared<EmptySet>();
  if (auto distinct = few(values)) return std::make_shared<TinySet<T>>(std::move(*distinct));
  if constexpr (sizeof(T) == 1) {
    return std::make_shared<ByteSet<T>>(values);
  } else if constexpr (std::is_integral_v<T>) {
    // Of 16-bit integers the range is always small.
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    const uint64_t range = static_cast<uint64_t>(*high) - static_cast<uint64_t>(*low);
    if (range < std::max<uint64_t>(kSmallRange, 32 * values.size())) {
      return std::make_shared<BitmapSet<T>>(values, *low, *high);
    }
  }
  return std::make_shared<HashSet<T>>(values);
}

}  // namespace

std::shared_ptr<const ProbedSet> cpu::make_isin_set(const void* data, DType dtype, int64_t n,
                                                    DType elements) {
  return visit_isin_values(data, dtype, n, elements, []<class T>(const std::vector<T>& values) {
    if constexpr (std::is_unsigned_v<T>) {
      // Equal elements have equal bits, so the sets of signed integers do for all.
      return make(std::vector<std::make_signed_t<T>>(values.begin(), values.end()));
    } else {
      return make(values);
    }
  });
}

}  // namespace tamis
