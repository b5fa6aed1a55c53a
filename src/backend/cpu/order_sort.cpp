// Sorting slices, and their most frequent element.
#include <type_traits>

#include "backend/cpu/order.h"
#include "backend/cpu/order_radix.h"
#include "tamis/runtime.h"

namespace tamis::cpu {

int64_t threads_per_slice(const Slices& x) {
  const int64_t threads = get_num_threads();
  return x.size >= kLargeSlice && x.count < threads ? threads : 1;
}

void for_slices(const Slices& x, const std::function<void(int64_t, int64_t)>& body) {
  constexpr int64_t kGrain = 1 << 14;  // elements that are worth a thread
  if (threads_per_slice(x) > 1) {
    body(0, x.count);
  } else {
    parallel_for(x.count, std::max<int64_t>(1, kGrain / std::max<int64_t>(1, x.size)), body);
  }
}

namespace {

/// Sorts slices one after the other, in memory that is kept between them.
template <class T, class I>
class SliceSorter {
 public:
  using E = Keyed<typename Keys<T>::Key, I>;

  SliceSorter(int64_t n, int64_t threads) : parts_{n, threads}, a_(n), b_(n) {}

  const E* sort(const KeyedSlice<T, I>& slice) {
    each_part([&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) a_.data()[i] = slice(i);
    });
    return sort_keyed(parts_.n, parts_.parts, a_.data(), b_.data());
  }

  template <class F>
  void each_part(const F& f) const {
    parallel_for(parts_.parts, 1,
                 [&](int64_t first, int64_t last) { f(parts_.begin(first), parts_.begin(last)); });
  }

 private:
  Parts parts_;
  Scratch<E> a_, b_;
};

template <class T, class I>
void sort_slices(const Slices& x, bool descending, void* values, int64_t* indices) {
  for_slices(x, [&](int64_t first, int64_t last) {
    SliceSorter<T, I> sorter(x.size, threads_per_slice(x));
    for (int64_t s = first; s < last; ++s) {
      const auto slice = keyed_slice<T, I>(x, s, descending);
      const auto* const sorted = sorter.sort(slice);
      auto* const to = static_cast<typename Keys<T>::Element*>(values) + s * x.size;
      int64_t* const at = indices + s * x.size;
      sorter.each_part([&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          to[i] = slice.element(sorted[i]);
          at[i] = static_cast<int64_t>(sorted[i].index);
        }
      });
    }
  });
}

template <class T, class I>
void mode_of_slices(const Slices& x, void* values, int64_t* indices) {
  for_slices(x, [&](int64_t first, int64_t last) {
    SliceSorter<T, I> sorter(x.size, threads_per_slice(x));
    for (int64_t s = first; s < last; ++s) {
      const auto slice = keyed_slice<T, I>(x, s, false);
      const auto* const sorted = sorter.sort(slice);
      int64_t most = 0, start = 0, mode = 0;
      for (int64_t i = 0; i < x.size; ++i) {
        if (i == 0 || sorted[i].key != sorted[i - 1].key || Keys<T>::is_nan(sorted[i].key)) {
          start = i;
        }
        if (i - start + 1 > most) {
          most = i - start + 1;
          mode = start;
        }
      }
      static_cast<typename Keys<T>::Element*>(values)[s] = slice.x[sorted[mode].index];
      indices[s] = static_cast<int64_t>(sorted[mode].index);
    }
  });
}

}  // namespace

void run_sort(const Slices& x, bool descending, void* values, int64_t* indices) {
  visit_ordered(x.dtype, [&](auto v) {
    visit_index(x.size, [&](auto i) {
      sort_slices<decltype(v), decltype(i)>(x, descending, values, indices);
    });
  });
}

void run_mode(const Slices& x, void* values, int64_t* indices) {
  visit_ordered(x.dtype, [&](auto v) {
    visit_index(x.size,
                [&](auto i) { mode_of_slices<decltype(v), decltype(i)>(x, values, indices); });
  });
}

}  // namespace tamis::cpu
