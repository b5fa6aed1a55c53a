// Radix sort of keys with their positions: stable, digit by digit, on one thread or several.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "backend/cpu/allocator.h"
#include "backend/cpu/order_keys.h"
#include "backend/cpu/threads.h"

namespace tamis::cpu {

/// Uninitialised memory for n elements, given back at the end.
template <class T>
class Scratch {
 public:
  explicit Scratch(int64_t n)
      : memory_(allocate(std::max<int64_t>(n, 1) * static_cast<int64_t>(sizeof(T)))) {}
  ~Scratch() { memory_.free(memory_.data, memory_.bytes); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  T* data() const { return static_cast<T*>(memory_.data); }

 private:
  Memory memory_;
};

/// The elements [begin(c), begin(c + 1)) of n belong to part c of `parts`.
struct Parts {
  int64_t n, parts;
  int64_t begin(int64_t part) const { return n / parts * part + std::min(part, n % parts); }
};

/// Sorts keyed elements by key; equal keys keep their order.
template <int kBits, class K, class I>
class RadixSort {
 public:
  using Element = Keyed<K, I>;

  /// `parts` threads share the n elements at a; b is a buffer for as many.
  RadixSort(int64_t n, int64_t parts, Element* a, Element* b)
      : parts_{n, parts}, counts_(static_cast<size_t>(parts)), from_(a), to_(b) {}

  /// Returns where the sorted elements are, a or b.
  Element* run() {
    const K differing = differing_bits();
    for (int shift = 0; shift < static_cast<int>(8 * sizeof(K)); shift += kBits) {
      if (digit(differing, shift) == 0) continue;
      pass(shift);
      std::swap(from_, to_);
    }
    return from_;
  }

 private:
  static constexpr size_t kBuckets = size_t{1} << kBits;
  using Counts = std::array<int64_t, kBuckets>;

  static size_t digit(K key, int shift) {
    return static_cast<size_t>(key >> shift) & (kBuckets - 1);
  }

  /// The bits in which not all keys agree; digits without one need no pass.
  K differing_bits() const {
    std::vector<K> differing(static_cast<size_t>(parts_.parts), 0);
    each_part([&](int64_t part) {
      K bits = 0;
      for (int64_t i = parts_.begin(part); i < parts_.begin(part + 1); ++i) {
        bits |= static_cast<K>(from_[i].key ^ from_[0].key);
      }
      differing[static_cast<size_t>(part)] = bits;
    });
    K bits = 0;
    for (K d : differing) bits |= d;
    return bits;
  }

  void pass(int shift) {
    each_part([&](int64_t part) {
      Counts& count = counts_[static_cast<size_t>(part)];
      count.fill(0);
      for (int64_t i = parts_.begin(part); i < parts_.begin(part + 1); ++i) {
        ++count[digit(from_[i].key, shift)];
      }
    });
    // Digit by digit and, within one digit, part by part: so the order of equal keys is kept.
    int64_t at = 0;
    for (size_t d = 0; d < kBuckets; ++d) {
      for (Counts& count : counts_) at += std::exchange(count[d], at);
    }
    each_part([&](int64_t part) {
      Counts& next = counts_[static_cast<size_t>(part)];
      for (int64_t i = parts_.begin(part); i < parts_.begin(part + 1); ++i) {
        to_[next[digit(from_[i].key, shift)]++] = from_[i];
      }
    });
  }

  template <class F>
  void each_part(const F& f) const {
    parallel_for(parts_.parts, 1, [&](int64_t begin, int64_t end) {
      for (int64_t part = begin; part < end; ++part) f(part);
    });
  }

  Parts parts_;
  std::vector<Counts> counts_;
  Element *from_, *to_;
};

/// Sorts the n elements at a by the method that fits their number, on up to `parts` threads, and
/// returns where they are then: at a, or at b, a buffer for as many.
template <class K, class I>
Keyed<K, I>* sort_keyed(int64_t n, int64_t parts, Keyed<K, I>* a, Keyed<K, I>* b) {
  constexpr int64_t kFew = 64, kMany = 1 << 15;
  if (n <= kFew) {
    std::sort(a, a + n);
    return a;
  }
  if constexpr (sizeof(K) > 2) {
    if (n >= kMany) return RadixSort<11, K, I>(n, parts, a, b).run();
  }
  return RadixSort<8, K, I>(n, parts, a, b).run();
}

}  // namespace tamis::cpu
