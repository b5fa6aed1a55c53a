// Order keys: elements by their keys (core/keys.h), with their positions.
#pragma once

#include <limits>

#include "backend/cpu/address.h"
#include "backend/order.h"
#include "core/keys.h"

namespace tamis::cpu {

/// A key and the position of its element. Ascending keys of descending elements are their
/// complements.
template <class K, class I>
struct Keyed {
  K key;
  I index;
  friend bool operator<(const Keyed& a, const Keyed& b) {
    return a.key < b.key || (a.key == b.key && a.index < b.index);
  }
};

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
  return {address<const typename Keys<T>::Element>(x.buffer) + slice * x.size,
          descending ? Keys<T>::kLast : K{0}};
}

/// Calls f(T{}) for the type of an ordered dtype.
template <class F>
void visit_ordered(DType dtype, F&& f) {
  visit_dtype(dtype, [&](auto v) {
    if constexpr (kOrdered<decltype(v)>) f(v);
  });
}

}  // namespace tamis::cpu
