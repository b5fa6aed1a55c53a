// Order: ops that depend on how elements compare with each other.
#include <algorithm>

#include "core/check.h"
#include "expr/expr.h"
#include "ops/pointwise.h"
#include "ops/row.h"

namespace tamis {

namespace {

/// What elements are compared as.
template <class T>
using Key = std::conditional_t<std::is_arithmetic_v<T>, T, float>;

/// Ascending, NaN last.
template <class K>
bool before(K a, K b) {
  return a < b || (b != b && a == a);
}

/// A contiguous tensor as [outer, n, inner], of which the slices along n are looked at.
struct Slices {
  int64_t outer = 1, n = 1, inner = 1;
};

Slices slices_of(const Tensor& x, int64_t dim) {
  Slices s;
  for (int64_t d = 0; d < x.dim(); ++d) {
    (d < dim ? s.outer : d == dim ? s.n : s.inner) *= x.shape()[d];
  }
  return s;
}

template <class T>
void kth_of_slices(const T* x, const Slices& s, int64_t k, T* values, int64_t* indices) {
  using K = Key<T>;
  std::vector<K> slice(static_cast<size_t>(s.n));
  for (int64_t o = 0; o < s.outer; ++o) {
    for (int64_t i = 0; i < s.inner; ++i) {
      const T* first = x + o * s.n * s.inner + i;
      for (int64_t j = 0; j < s.n; ++j) slice[j] = static_cast<K>(first[j * s.inner]);
      const auto kth = slice.begin() + (k - 1);
      std::nth_element(slice.begin(), kth, slice.end(), before<K>);
      const K value = *kth;
      int64_t index = 0;
      for (;; ++index) {
        const K at = static_cast<K>(first[index * s.inner]);
        if (!before(at, value) && !before(value, at)) break;
      }
      values[o * s.inner + i] = first[index * s.inner];
      indices[o * s.inner + i] = index;
    }
  }
}

}  // namespace

std::pair<Tensor, Tensor> kthvalue(const Tensor& x, int64_t k, int64_t dim, bool keepdim) {
  const int64_t d = wrap_dim(dim, x.dim());
  const int64_t n = x.dim() == 0 ? 1 : x.shape()[d];
  check(n > 0, ErrorKind::index, "kthvalue(): Expected reduction dim {} to have non-zero size.", d);
  check(k >= 1 && k <= n, ErrorKind::value,
        "kthvalue(): selected number k out of range for dimension {}", d);
  if (x.dim() == 0) return {x.clone(), zeros({}, DType::int64)};
  check_implemented(x.dtype() != DType::boolean, "kthvalue_cpu", x.dtype());

  Shape shape = x.shape();
  if (keepdim) {
    shape[d] = 1;
  } else {
    shape.erase(d);
  }
  const Tensor values = allocate(shape, x.dtype()), indices = allocate(shape, DType::int64);
  const Tensor from = x.contiguous();
  visit_dtype(x.dtype(), [&](auto type) {
    using T = decltype(type);
    if constexpr (!std::is_same_v<T, bool>) {
      kth_of_slices(from.data<T>(), slices_of(x, d), k, values.mutable_data<T>(),
                    indices.mutable_data<int64_t>());
    }
  });
  return {values, indices};
}

std::vector<Row> order_rows() {
  const Tensor x = tensor({{3.f, 1.f, 2.f}, {6.f, 5.f, 4.f}});
  const Tensor ints = tensor({30, 10, 20, 10});
  return {
      make_row("kthvalue(Tensor input, int k, int dim=-1, bool keepdim=False) -> (Tensor values, "
               "Tensor indices)",
               "The k-th smallest element along a dimension, counted from 1, and its index.",
               kthvalue,
               {{x, int64_t{2}, int64_t{-1}, false},
                {x, int64_t{1}, int64_t{0}, true},
                {ints, int64_t{2}, int64_t{0}, false}})
          .with_out(),
  };
}

}  // namespace tamis
