// The first k elements of slices in order. An element is looked at only if it is not beyond a bound
// that at least k elements reach, and the kernels find those.
#include <bit>
#include <optional>
#include <vector>

#include "backend/cpu/order.h"
#include "backend/cpu/order_bound.h"
#include "backend/cpu/order_radix.h"

namespace tamis::cpu {

namespace {

/// Keeps the k first of the keyed elements that it is given in the order of their positions.
template <class E>
class Best {
 public:
  explicit Best(int64_t k) : k_(static_cast<size_t>(k)), room_(std::max<size_t>(2 * k_, 64)) {
    kept_.reserve(room_);
  }
  void clear() {
    kept_.clear();
    full_ = false;
  }
  /// Then an element after all others is among the first only if its key is below the bound.
  bool is_full() const { return full_; }
  auto bound() const { return bound_; }
  /// Whether the bound has changed.
  bool add(const E& e) {
    kept_.push_back(e);
    if (kept_.size() < room_) return false;
    cut();
    return true;
  }
  const std::vector<E>& sorted() {
    cut();
    std::sort(kept_.begin(), kept_.end());
    return kept_;
  }

 private:
  void cut() {
    if (kept_.size() <= k_) return;
    const auto last = kept_.begin() + static_cast<int64_t>(k_ - 1);
    std::nth_element(kept_.begin(), last, kept_.end());
    bound_ = last->key;
    full_ = true;
    kept_.resize(k_);
  }

  size_t k_, room_;
  std::vector<E> kept_;
  decltype(E::key) bound_{};
  bool full_ = false;
};

/// Sets the bits of the other ones of n elements; calls f(i) for those that are set.
void complement(size_t n, uint64_t* words) {
  for (size_t w = 0; w < (n + 63) / 64; ++w) words[w] = ~words[w];
  if (n % 64 != 0) words[n / 64] &= (uint64_t{1} << (n % 64)) - 1;
}
template <class F>
void for_bits(size_t n, const uint64_t* words, const F& f) {
  for (size_t w = 0; w < (n + 63) / 64; ++w) {
    for (uint64_t word = words[w]; word != 0; word &= word - 1) {
      f(static_cast<int64_t>(64 * w) + std::countr_zero(word));
    }
  }
}

/// Finds the first k elements of slices, one after the other.
template <class T, class I>
class Top {
 public:
  using E = Keyed<Key<T>, I>;
  using Slice = KeyedSlice<T, I>;

  explicit Top(int64_t k) : k_(k), best_(k) {}

  /// The first k of the elements [begin, end) of a slice in order.
  const std::vector<E>& of(const Slice& slice, int64_t begin, int64_t end) {
    best_.clear();
    scan(slice, begin, end);
    return best_.sorted();
  }

  /// The same for a whole slice; each thread searches a part.
  const std::vector<E>& of_parts(const Slice& slice, const Parts& parts) {
    std::vector<std::vector<E>> found(static_cast<size_t>(parts.parts));
    parallel_for(parts.parts, 1, [&](int64_t first, int64_t last) {
      for (int64_t p = first; p < last; ++p) {
        found[static_cast<size_t>(p)] = Top(k_).of(slice, parts.begin(p), parts.begin(p + 1));
      }
    });
    best_.clear();
    for (const auto& part : found) {
      for (const E& e : part) best_.add(e);
    }
    return best_.sorted();
  }

 private:
  void scan(const Slice& slice, int64_t begin, int64_t end) {
    const bool descending = slice.flip != 0;
    const auto bound_of = [&](Key<T> key) {
      return Bound<T>(static_cast<Key<T>>(key ^ slice.flip), std::min(kStep, end - begin));
    };
    std::optional<Bound<T>> bound;
    if (end - begin >= 4 * k_) bound = bound_of(reached(slice, begin, end));
    for_steps<T>(slice.x, begin, end, [&](const Step<T>& step, int64_t from) {
      uint64_t words[kStepWords];
      fill_words(step.size(), words);
      // Elements equal to the bound count until there are k before them.
      if (bound && descending == best_.is_full()) bound->less_equal(step, words);
      if (bound && descending != best_.is_full()) bound->less(step, words);
      if (bound && descending) complement(step.size(), words);
      bool changed = false;
      for_bits(step.size(), words, [&](int64_t i) {
        const E e = slice(from + i);
        if (!best_.is_full() || e.key < best_.bound()) changed |= best_.add(e);
      });
      if (changed) bound = bound_of(best_.bound());
    });
  }

  /// A key that at least k elements reach, and few more: of the first elements, the better one of
  /// each two stays, until a few times k are left.
  Key<T> reached(const Slice& slice, int64_t begin, int64_t end) {
    const int64_t front = std::min(end - begin, std::max<int64_t>(4096, 32 * k_));
    const auto better = kernels().binary[binary_index(slice.flip ? Op::maximum : Op::minimum)]
                                        [static_cast<int>(dtype_of<Compared<T>>)];
    left_.resize(static_cast<size_t>(front));
    const Compared<T>* x = left_.data();
    if constexpr (std::same_as<Element<T>, Compared<T>>) {
      x = slice.x + begin;
    } else {
      const int from = static_cast<int>(dtype_of<T>), to = static_cast<int>(DType::float32);
      kernels().cast[from][to](slice.x + begin, left_.data(), left_.size());
    }
    auto n = static_cast<size_t>(front);
    for (; n >= static_cast<size_t>(4 * k_); n /= 2, x = left_.data()) {
      better(x, x + (n - n / 2), left_.data(), n / 2);
    }
    keys_.clear();
    for (size_t i = 0; i < n; ++i) {
      keys_.push_back(static_cast<Key<T>>(Keys<T>::of(static_cast<Element<T>>(x[i])) ^ slice.flip));
    }
    std::nth_element(keys_.begin(), keys_.begin() + (k_ - 1), keys_.end());
    return keys_[static_cast<size_t>(k_ - 1)];
  }

  int64_t k_;
  Best<E> best_;
  std::vector<Compared<T>> left_;
  std::vector<Key<T>> keys_;
};

template <class T, class I>
void top_of_slices(const Slices& x, int64_t k, bool descending, void* values, int64_t* indices) {
  const int64_t threads = threads_per_slice(x);
  for_slices(x, [&](int64_t first, int64_t last) {
    Top<T, I> top(k);
    for (int64_t s = first; s < last; ++s) {
      const auto slice = keyed_slice<T, I>(x, s, descending);
      auto* to = static_cast<Element<T>*>(values) + s * k;
      int64_t* at = indices + s * k;
      for (const auto& e :
           threads == 1 ? top.of(slice, 0, x.size) : top.of_parts(slice, {x.size, threads})) {
        *to++ = slice.element(e);
        *at++ = static_cast<int64_t>(e.index);
      }
    }
  });
}

}  // namespace

void run_top(const Slices& x, int64_t k, bool descending, void* values, int64_t* indices) {
  visit_ordered(x.dtype, [&](auto v) {
    if constexpr (!std::same_as<decltype(v), bool>) {  // refused above
      visit_index(x.size, [&](auto i) {
        top_of_slices<decltype(v), decltype(i)>(x, k, descending, values, indices);
      });
    }
  });
}

}  // namespace tamis::cpu
