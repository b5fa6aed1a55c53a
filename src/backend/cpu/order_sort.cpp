// Sorting slices, their first k elements, and their most frequent one.
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

/// Calls f(I{}) with an index type that holds positions below n.
template <class F>
void visit_index(int64_t n, F&& f) {
  if (n <= std::numeric_limits<uint32_t>::max()) {
    f(uint32_t{});
  } else {
    f(uint64_t{});
  }
}

/// Elements of one slice by position, keyed so that the wanted order is ascending.
template <class T, class I>
struct KeyedSlice {
  using K = typename Keys<T>::Key;
  const typename Keys<T>::Element* x;
  K flip;  // all ones if descending
  Keyed<K, I> operator()(int64_t i) const {
    return {static_cast<K>(Keys<T>::of(x[i]) ^ flip), static_cast<I>(i)};
  }
  typename Keys<T>::Element element(const Keyed<K, I>& e) const {
    const K key = static_cast<K>(e.key ^ flip);
    return Keys<T>::is_exact(key) ? Keys<T>::element(key) : x[e.index];
  }
};

template <class T, class I>
KeyedSlice<T, I> keyed_slice(const Slices& x, int64_t slice, bool descending) {
  using K = typename Keys<T>::Key;
  return {static_cast<const typename Keys<T>::Element*>(x.data) + slice * x.size,
          descending ? Keys<T>::kLast : K{0}};
}

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
  /// Then an element behind all others is among the first only if its key is below the bound.
  bool is_full() const { return full_; }
  auto bound() const { return bound_; }
  void add(const E& e) {
    kept_.push_back(e);
    if (kept_.size() == room_) cut();
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

/// Gives best the elements [begin, end) of a slice.
template <class Source, class E>
void scan(const Source& source, int64_t begin, int64_t end, Best<E>& best) {
  constexpr int64_t kBlock = 64;
  int64_t i = begin;
  for (; i < end && !best.is_full(); ++i) best.add(source(i));
  while (i < end) {
    const int64_t stop = std::min(end, i + kBlock);
    const auto bound = best.bound();
    bool wanted = false;
    for (int64_t j = i; j < stop; ++j) wanted |= source(j).key < bound;
    for (; wanted && i < stop; ++i) {
      const E e = source(i);
      if (e.key < best.bound()) best.add(e);
    }
    i = stop;
  }
}

/// Gives best the elements of a slice; the threads find the best of a part each.
template <class Source, class E>
void scan_parts(const Source& source, const Parts& parts, int64_t k, Best<E>& best) {
  std::vector<std::vector<E>> found(static_cast<size_t>(parts.parts));
  parallel_for(parts.parts, 1, [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) {
      Best<E> of_part(k);
      scan(source, parts.begin(p), parts.begin(p + 1), of_part);
      found[static_cast<size_t>(p)] = of_part.sorted();
    }
  });
  for (const auto& part : found) {
    for (const E& e : part) best.add(e);
  }
}

template <class T, class I>
void top_of_slices(const Slices& x, int64_t k, bool descending, void* values, int64_t* indices) {
  using E = Keyed<typename Keys<T>::Key, I>;
  const int64_t threads = threads_per_slice(x);
  for_slices(x, [&](int64_t first, int64_t last) {
    Best<E> best(k);
    for (int64_t s = first; s < last; ++s) {
      const auto slice = keyed_slice<T, I>(x, s, descending);
      best.clear();
      if (threads == 1) {
        scan(slice, 0, x.size, best);
      } else {
        scan_parts(slice, {x.size, threads}, k, best);
      }
      auto* to = static_cast<typename Keys<T>::Element*>(values) + s * k;
      int64_t* at = indices + s * k;
      for (const E& e : best.sorted()) {
        *to++ = slice.element(e);
        *at++ = static_cast<int64_t>(e.index);
      }
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

void run_top(const Slices& x, int64_t k, bool descending, void* values, int64_t* indices) {
  visit_ordered(x.dtype, [&](auto v) {
    visit_index(x.size, [&](auto i) {
      top_of_slices<decltype(v), decltype(i)>(x, k, descending, values, indices);
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
