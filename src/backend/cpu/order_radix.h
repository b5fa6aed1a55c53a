// Radix sort of keys with their positions: stable, digit by digit, on one thread or several.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <utility>
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

template <class K, class I>
Keyed<K, I>* sort_keyed(int64_t n, int64_t parts, Keyed<K, I>* a, Keyed<K, I>* b);

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
    const Range range = range_of_keys();
    least_ = range.least;
    const int end = std::bit_width(static_cast<K>(range.greatest - range.least));
    // A few more bits than it takes to number the elements: what they leave to sort is short runs.
    const int leading = std::bit_width(static_cast<uint64_t>(parts_.n)) + 6;
    const int passes = (leading + kBits - 1) / kBits, last = std::countr_zero(range.differing);
    const int begin = std::max(last, end - passes * kBits);
    for (int shift = begin; shift < end; shift += kBits) {
      pass(shift);
      std::swap(from_, to_);
    }
    if (begin > last) sort_runs(begin);
    return from_;
  }

 private:
  static constexpr size_t kBuckets = size_t{1} << kBits;
  using Counts = std::array<int64_t, kBuckets>;

  /// What is known of all keys: where they are, and the bits in which not all agree.
  struct Range {
    K least, greatest, differing;
  };

  /// The bits of a key from `shift` on, without what all keys have in common.
  static size_t digits(const Element& e, K least, int shift) {
    return static_cast<size_t>(static_cast<K>(e.key - least) >> shift);
  }

  Range range_of_keys() const {
    const K first = from_[0].key;
    std::vector<Range> ranges(static_cast<size_t>(parts_.parts), {first, first, 0});
    each_part([&](int64_t part) {
      Range range{first, first, 0};
      for (int64_t i = parts_.begin(part); i < parts_.begin(part + 1); ++i) {
        range.least = std::min(range.least, from_[i].key);
        range.greatest = std::max(range.greatest, from_[i].key);
        range.differing |= static_cast<K>(from_[i].key ^ first);
      }
      ranges[static_cast<size_t>(part)] = range;
    });
    Range all = ranges[0];
    for (const Range& r : ranges) {
      all = {std::min(all.least, r.least), std::max(all.greatest, r.greatest),
             static_cast<K>(all.differing | r.differing)};
    }
    return all;
  }

  void pass(int shift) {
    // Copies, since the compiler must assume that what is written may be the members.
    const K least = least_;
    const Element* const from = from_;
    Element* const to = to_;
    const auto digit = [=](const Element& e) { return digits(e, least, shift) & (kBuckets - 1); };
    each_part([&](int64_t part) {
      Counts& count = counts_[static_cast<size_t>(part)];
      count.fill(0);
      const int64_t end = parts_.begin(part + 1);
      for (int64_t i = parts_.begin(part); i < end; ++i) ++count[digit(from[i])];
    });
    // Digit by digit and, within one digit, part by part: so the order of equal keys is kept.
    int64_t at = 0;
    for (size_t d = 0; d < kBuckets; ++d) {
      for (Counts& count : counts_) at += std::exchange(count[d], at);
    }
    each_part([&](int64_t part) {
      Counts& next = counts_[static_cast<size_t>(part)];
      const int64_t end = parts_.begin(part + 1);
      for (int64_t i = parts_.begin(part); i < end; ++i) to[next[digit(from[i])]++] = from[i];
    });
  }

  /// Sorts each run of elements that agree in the bits from `shift` on.
  void sort_runs(int shift) {
    const auto begins = [&](int64_t i) {
      return digits(from_[i - 1], least_, shift) != digits(from_[i], least_, shift);
    };
    std::vector<int64_t> bounds = {0};  // of the parts, moved to where a run begins
    for (int64_t part = 1; part <= parts_.parts; ++part) {
      int64_t bound = std::max(bounds.back(), parts_.begin(part));
      while (bound < parts_.n && !begins(bound)) ++bound;
      bounds.push_back(bound);
    }
    each_part([&](int64_t part) {
      const int64_t stop = bounds[static_cast<size_t>(part) + 1];
      for (int64_t i = bounds[static_cast<size_t>(part)], end; i < stop; i = end) {
        end = i + 1;
        while (end < stop && !begins(end)) ++end;
        if (end - i > 1) sort_run(i, end);
      }
    });
  }

  void sort_run(int64_t begin, int64_t end) {
    constexpr int64_t kShort = 16;
    Element* const run = from_ + begin;
    if (end - begin <= kShort) return insert_in_order(run, from_ + end);
    const Element* const sorted = sort_keyed(end - begin, 1, run, to_ + begin);
    if (sorted != run) std::copy_n(sorted, end - begin, run);
  }

  static void insert_in_order(Element* begin, Element* end) {
    for (Element* next = begin + 1; next < end; ++next) {
      const Element moved = *next;
      Element* to = next;
      for (; to > begin && moved.key < to[-1].key; --to) *to = to[-1];
      *to = moved;
    }
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
  K least_ = 0;
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
