// Comparing many elements with one by the kernels, in the order of order_keys.h.
#pragma once

#include <algorithm>

#include "backend/cpu/kernels/kernels.h"
#include "backend/cpu/order_keys.h"

namespace tamis::cpu {

template <class T>
using Key = typename Keys<T>::Key;
template <class T>
using Element = typename Keys<T>::Element;

/// What elements are compared as.
template <class T>
using Compared = std::conditional_t<std::is_arithmetic_v<Element<T>>, Element<T>, float>;

inline constexpr int64_t kStep = 512;  // elements that are compared at a time
inline constexpr int64_t kStepWords = kStep / 64;

/// Sets the bits of n elements, and clears the others of the last word.
inline void fill_words(size_t n, uint64_t* words) {
  std::fill_n(words, (n + 63) / 64, ~uint64_t{0});
  if (n % 64 != 0) words[n / 64] = (uint64_t{1} << (n % 64)) - 1;
}

/// kStep elements or fewer, as the kernels take them.
template <class T>
class Step {
 public:
  void set(const Element<T>* x, int64_t n) {
    n_ = static_cast<size_t>(n);
    if constexpr (std::same_as<Element<T>, Compared<T>>) {
      x_ = x;
    } else {
      const int from = static_cast<int>(dtype_of<T>), to = static_cast<int>(DType::float32);
      kernels().cast[from][to](x, wide_, n_);
      x_ = wide_;
    }
  }
  size_t size() const { return n_; }
  /// Without another operand the elements are compared with themselves.
  void compare(Op op, const Compared<T>* with, uint64_t* words) const {
    const int dtype = static_cast<int>(dtype_of<Compared<T>>);
    kernels().compare[compare_index(op)][dtype](x_, with == nullptr ? x_ : with, words, n_);
  }

 private:
  size_t n_ = 0;
  const Compared<T>* x_ = nullptr;
  Compared<T> wide_[std::same_as<Element<T>, Compared<T>> ? 1 : kStep];
};

/// An element, NaN maybe, that others are compared with.
template <class T>
class Bound {
 public:
  /// For steps of up to `size` elements.
  explicit Bound(Key<T> key, int64_t size = kStep) : key_(key) {
    if (!Keys<T>::is_nan(key)) {
      std::fill_n(block_, size, static_cast<Compared<T>>(Keys<T>::element(key)));
    }
  }
  Key<T> key() const { return key_; }
  /// Sets the bits of the elements before the bound, and counts them.
  int64_t less(const Step<T>& step, uint64_t* words) const {
    // Before NaN are the elements that equal themselves.
    const bool is_nan = Keys<T>::is_nan(key_);
    step.compare(is_nan ? Op::eq : Op::lt, is_nan ? nullptr : block_, words);
    return kernels().popcount(words, step.size());
  }
  /// The same for those before it or equal to it.
  int64_t less_equal(const Step<T>& step, uint64_t* words) const {
    if (Keys<T>::is_nan(key_)) {
      fill_words(step.size(), words);
      return static_cast<int64_t>(step.size());
    }
    step.compare(Op::le, block_, words);
    return kernels().popcount(words, step.size());
  }

 private:
  Key<T> key_;
  Compared<T> block_[kStep];
};

/// Calls visit(step, begin) for steps of the elements [begin, end) of x.
template <class T, class Visit>
void for_steps(const Element<T>* x, int64_t begin, int64_t end, const Visit& visit) {
  Step<T> step;
  for (; begin < end; begin += kStep) {
    step.set(x + begin, std::min(kStep, end - begin));
    visit(step, begin);
  }
}

}  // namespace tamis::cpu
