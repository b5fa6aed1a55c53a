// Scatter along a dimension: writes to the elements that an index tensor names.
#include "autograd/node.h"
#include "core/check.h"
#include "core/convert.h"
#include "expr/expr.h"
#include "ops/index/along.h"
#include "ops/index/gradients.h"
#include "ops/index/rows.h"
#include "ops/pointwise/pointwise.h"
#include "tamis/index.h"

namespace tamis {

namespace {

void check_src_dtype(const Tensor& x, const Tensor& src) {
  check(x.dtype() == src.dtype(), ErrorKind::dtype,
        "scatter(): Expected self.dtype to be equal to src.dtype");
}

/// src is undefined if a number was given instead.
void check_scatter_shape(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& src) {
  check(index.dim() == x.dim(), ErrorKind::shape,
        "Index tensor must have the same number of dimensions as self tensor");
  bool fits = true, covered = true;
  for (int64_t d = 0; d < x.dim(); ++d) {
    fits = fits && (d == dim || index.shape()[d] <= x.shape()[d]);
  }
  if (!src.defined()) {
    return check(fits, ErrorKind::shape,
                 "Expected index {} to be no larger than self {} apart from dimension {}",
                 index.shape(), x.shape(), dim);
  }
  check(index.dim() == src.dim(), ErrorKind::shape,
        "Index tensor must have the same number of dimensions as src tensor");
  for (int64_t d = 0; d < x.dim(); ++d) covered = covered && index.shape()[d] <= src.shape()[d];
  check(fits && covered, ErrorKind::shape,
        "Expected index {} to be no larger than self {} apart from dimension {} and to be no "
        "larger size than src {}",
        index.shape(), x.shape(), dim, src.shape());
}

/// The part of src that index covers.
Tensor covered_part(Tensor src, const Shape& shape) {
  for (size_t d = 0; d < shape.size(); ++d) {
    src = src.narrow(static_cast<int64_t>(d), 0, shape[d]);
  }
  return src;
}

/// A scatter whose arguments have been checked: what is written, and where.
struct Scatter {
  Tensor to, source;
  int64_t dim;
  Shape shape;
  Indices indices;

  Scatter(const Tensor& x, int64_t d, const Tensor& index, const Tensor& src)
      : to(at_least_1d(x)),
        dim(d),
        shape(at_least_1d(index).shape()),
        indices(at_least_1d(index), x) {
    const bool number = src.impl().is_number;
    const Tensor from = number ? Tensor() : at_least_1d(src);
    check_scatter_shape(to, dim, at_least_1d(index), from);
    check_element_indices(indices, dim, to.shape()[dim]);
    source = number ? src : covered_part(from, shape);
  }

  IndexedElements elements(const Tensor& x) const {
    return tamis::elements(x, dim, indices, shape);
  }
};

void check_scatter_index(const Tensor& index) {
  check(is_int64_or_int32(index), ErrorKind::dtype,
        "scatter(): Expected dtype int32/int64 for index");
}

void run_scatter(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& src,
                 Combine combine) {
  const int64_t d = wrap_dim(dim, x.dim());
  if (src.impl().is_number) {
    check_number_fits(src, x.dtype());
  } else {
    check_src_dtype(x, src);
  }
  if (index.numel() == 0) return;
  check_scatter_index(index);
  check_write(x, {&index, &src});
  const Scatter scatter(x, d, index, src);
  check_writable(x);
  const bool tracked = is_tracked(x) || is_tracked(src);
  const Tensor before = tracked && combine == Combine::mul ? x.clone() : Tensor();
  put_elements(scatter.to, scatter.elements(scatter.to), scatter.source, combine);
  if (before.defined()) {
    const Tensor factors = src.impl().is_number
                               ? to_backend(src.to(x.dtype()), backend_of(x)).expand(index.shape())
                               : src;
    record_scatter_reduce(x, before, d, index, factors, "prod", true);
  } else if (tracked) {
    record_scatter(x, d, index, src, combine == Combine::add);
  }
}

}  // namespace

Tensor& scatter_(Tensor& x, int64_t dim, const Tensor& index, const Tensor& src,
                 std::optional<std::string> reduce) {
  check(!reduce || *reduce == "add" || *reduce == "multiply", ErrorKind::value,
        "reduce argument must be either add or multiply.");
  run_scatter(x, dim, index, src,
              !reduce            ? Combine::assign
              : *reduce == "add" ? Combine::add
                                 : Combine::mul);
  return x;
}

Tensor& scatter_add_(Tensor& x, int64_t dim, const Tensor& index, const Tensor& src) {
  run_scatter(x, dim, index, src, Combine::add);
  return x;
}

Tensor& scatter_reduce_(Tensor& x, int64_t dim, const Tensor& index, const Tensor& src,
                        const std::string& reduce, bool include_self) {
  const int64_t d = wrap_dim(dim, x.dim());
  check(reduce == "sum" || reduce == "prod" || reduce == "mean" || reduce == "amax" ||
            reduce == "amin",
        ErrorKind::value, "reduce argument must be either sum, prod, mean, amax or amin.");
  check_src_dtype(x, src);
  check_reduction("scatter_gather_tensor_cpu_reduce", reduce, x.dtype());
  if (index.numel() == 0) return x;
  check_scatter_index(index);
  check_write(x, {&index, &src});
  const Scatter scatter(x, d, index, src);
  check_writable(x);
  const bool tracked = is_tracked(x) || is_tracked(src);
  const Tensor before = tracked ? x.clone() : Tensor();
  reduce_elements(
      scatter.to, [&](const Tensor& y) { return scatter.elements(y); }, scatter.source, reduce,
      include_self);
  if (tracked) record_scatter_reduce(x, before, d, index, src, reduce, include_self);
  return x;
}

Tensor scatter(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& src,
               std::optional<std::string> reduce) {
  Tensor result = x.clone();
  return scatter_(result, dim, index, src, std::move(reduce));
}
Tensor scatter_add(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& src) {
  Tensor result = x.clone();
  return scatter_add_(result, dim, index, src);
}
Tensor scatter_reduce(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& src,
                      const std::string& reduce, bool include_self) {
  Tensor result = x.clone();
  return scatter_reduce_(result, dim, index, src, reduce, include_self);
}

namespace {

/// src or value, whichever is given.
Tensor given(const std::optional<Tensor>& src, std::optional<Scalar> value) {
  check(src.has_value() != value.has_value(), ErrorKind::value,
        "scatter(): expected either src or value");
  return src ? *src : Tensor(*value);
}

Tensor scatter_op(const Tensor& x, int64_t dim, const Tensor& index, std::optional<Tensor> src,
                  std::optional<Scalar> value, std::optional<std::string> reduce) {
  return scatter(x, dim, index, given(src, value), std::move(reduce));
}
Tensor& scatter_in_place_op(Tensor& x, int64_t dim, const Tensor& index, std::optional<Tensor> src,
                            std::optional<Scalar> value, std::optional<std::string> reduce) {
  return scatter_(x, dim, index, given(src, value), std::move(reduce));
}

}  // namespace

std::vector<Row> scatter_along_rows() {
  const auto grid = [] { return arange(6).reshape({2, 3}); };
  const auto real = [] { return tensor({{1.5f, -2.f, 3.f}, {0.25f, 5.f, -6.5f}}); };
  const auto bits = [] { return tensor({{true, false, true}, {false, false, true}}); };
  const auto at = [] { return tensor({{0, 1, 1}, {1, 1, 0}}); };
  const auto n = [](int64_t v) { return Value(v); };
  const auto text = [](const char* v) { return Value(std::string(v)); };
  return {
      make_row("scatter(Tensor input, int dim, Tensor|int[] index, Tensor|Scalar? src=None, *, "
               "Scalar? value=None, str? reduce=None) -> Tensor",
               "input with the elements of src, or a number, at index along dim and at the same "
               "position along the others.",
               scatter_op,
               SAMPLES({grid(), n(0), at(), grid(), Value(), Value()},
                       {real(), n(1), at(), Tensor(7), Value(), Value()},
                       {real(), n(1), at(), Value(), Scalar(2), text("multiply")},
                       {grid(), n(-1), tensor({{2, 2}}), grid(), Value(), text("add")},
                       {bits(), n(0), tensor({{1}}), bits(), Value(), Value()}))
          .with_in_place(scatter_in_place_op)
          .with_out(),
      make_row(
          "scatter_add(Tensor input, int dim, Tensor|int[] index, Tensor|Scalar src) -> Tensor",
          "input with the elements of src added at index along dim and at the same position along "
          "the others.",
          scatter_add,
          SAMPLES({grid(), n(0), at(), grid()}, {real(), n(1), at(), real()},
                  {bits(), n(0), at(), bits()}))
          .with_in_place(scatter_add_)
          .with_out(),
      make_row("scatter_reduce(Tensor input, int dim, Tensor|int[] index, Tensor|Scalar src, str "
               "reduce, *, bool include_self=True) -> Tensor",
               "input combined with the elements of src by sum, prod, mean, amax or amin at index "
               "along dim.",
               scatter_reduce,
               SAMPLES({grid(), n(0), at(), grid(), text("sum"), true},
                       {real(), n(1), at(), real(), text("prod"), false},
                       {grid(), n(1), at(), grid(), text("mean"), true},
                       {real(), n(0), at(), real(), text("mean"), false},
                       {real(), n(1), at(), real(), text("amax"), true},
                       {real(), n(1), at(), real(), text("amin"), false}))
          .with_in_place(scatter_reduce_)
          .with_out(),
  };
}

}  // namespace tamis
