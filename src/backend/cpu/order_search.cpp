// Searching in sorted slices.
#include <algorithm>
#include <concepts>

#include "backend/cpu/order.h"
#include "backend/cpu/order_keys.h"

namespace tamis::cpu {

namespace {

/// What elements are compared as.
template <class T>
using Compared = std::conditional_t<std::is_arithmetic_v<T>, T, float>;

/// The comparisons and their order are PyTorch's, so that slices with NaN, or not sorted at all,
/// give the same answers too.
template <class T, bool kRight>
int64_t position(const T* slice, const int64_t* sorter, int64_t n, Compared<T> value) {
  int64_t start = 0, end = n;
  while (start < end) {
    const int64_t middle = start + (end - start) / 2;
    const auto at = static_cast<Compared<T>>(slice[sorter == nullptr ? middle : sorter[middle]]);
    const bool before = kRight ? !(at > value) : !(at >= value);
    start = before ? middle + 1 : start;
    end = before ? end : middle;
  }
  return start;
}

template <class T, bool kRight>
void search_slices(const Slices& x, const int64_t* sorter, const void* values, int64_t slices,
                   int64_t per_slice, int64_t* out) {
  constexpr int64_t kGrain = 1 << 12;
  const auto* const wanted = static_cast<const T*>(values);
  const bool one = x.count == 1;
  parallel_for(slices * per_slice, kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t from = one ? 0 : i / per_slice * x.size;
      out[i] = position<T, kRight>(address<const T>(x.buffer) + from,
                                   sorter == nullptr ? nullptr : sorter + from, x.size,
                                   static_cast<Compared<T>>(wanted[i]));
    }
  });
}

}  // namespace

void run_search(const Slices& x, const int64_t* sorter, const void* values, int64_t slices,
                int64_t per_slice, bool right, int64_t* out) {
  visit_ordered(x.dtype, [&](auto v) {
    using T = decltype(v);
    const auto run = right ? search_slices<T, true> : search_slices<T, false>;
    run(x, sorter, values, slices, per_slice, out);
  });
}

}  // namespace tamis::cpu
