// Stacks: tensors side by side along dimensions that they may not have, and the combinations of
// their elements.
#include "core/check.h"
#include "ops/row.h"
#include "tamis/tamis.h"

namespace tamis {

namespace {

using Tensors = std::vector<Tensor>;

template <Tensor (*kView)(const Tensor&)>
Tensors each(const Tensors& tensors) {
  Tensors views;
  for (const Tensor& x : tensors) views.push_back(kView(x));
  return views;
}

/// Zeros of x's dtype, where x is.
Tensor zeros_beside(const Tensor& x, int64_t rows, int64_t columns) {
  return zeros({rows, columns}, {x.dtype(), x.device()});
}

/// Where r coordinates below n ascend: strictly, or with repetitions.
Tensor ascending(int64_t n, int64_t r, bool repeats, const Device& device) {
  Tensor mask = ones(Shape(static_cast<size_t>(r), n), {DType::boolean, device});
  const auto along = [&](int64_t dim) {
    Shape shape(static_cast<size_t>(r), 1);
    shape[dim] = n;
    return arange(n).to(device).view(shape);
  };
  for (int64_t d = 1; d < r; ++d) {
    mask = mask & (repeats ? along(d - 1) <= along(d) : along(d - 1) < along(d));
  }
  return mask;
}

}  // namespace

Tensor atleast_1d(const Tensor& x) { return x.dim() == 0 ? x.reshape({1}) : x; }

Tensor atleast_2d(const Tensor& x) {
  return x.dim() == 0 ? x.reshape({1, 1}) : x.dim() == 1 ? x.unsqueeze(0) : x;
}

Tensor atleast_3d(const Tensor& x) { return x.dim() < 3 ? atleast_2d(x).unsqueeze(-1) : x; }

std::vector<Tensor> atleast_1d(const Tensors& tensors) { return each<atleast_1d>(tensors); }
std::vector<Tensor> atleast_2d(const Tensors& tensors) { return each<atleast_2d>(tensors); }
std::vector<Tensor> atleast_3d(const Tensors& tensors) { return each<atleast_3d>(tensors); }

Tensor column_stack(const Tensors& tensors) {
  check(!tensors.empty(), ErrorKind::value, "column_stack expects a non-empty TensorList");
  Tensors columns;
  for (const Tensor& x : tensors) columns.push_back(x.dim() <= 1 ? x.reshape({x.numel(), 1}) : x);
  return cat(columns, 1);
}

Tensor dstack(const Tensors& tensors) {
  check(!tensors.empty(), ErrorKind::value, "dstack expects a non-empty TensorList");
  return cat(atleast_3d(tensors), 2);
}

Tensor block_diag(const Tensors& tensors) {
  if (tensors.empty()) return empty({1, 0});
  Tensors blocks;
  int64_t width = 0;
  for (size_t i = 0; i < tensors.size(); ++i) {
    check(tensors[i].dim() <= 2, ErrorKind::shape,
          "torch.block_diag: Input tensors must have 2 or fewer dimensions. Input {} has {} "
          "dimensions",
          i, tensors[i].dim());
    blocks.push_back(atleast_2d(tensors[i]));
    width += blocks.back().size(1);
  }
  Tensors rows;
  int64_t left = 0;
  for (const Tensor& x : blocks) {
    const int64_t height = x.size(0), right = width - left - x.size(1);
    rows.push_back(cat({zeros_beside(x, height, left), x, zeros_beside(x, height, right)}, 1));
    left += x.size(1);
  }
  return cat(rows, 0);
}

Tensor cartesian_prod(const Tensors& tensors) {
  check(!tensors.empty(), ErrorKind::value, "cartesian_prod expects a non-empty TensorList");
  for (const Tensor& x : tensors) {
    check(x.dim() == 1, ErrorKind::shape, "Expect a 1D vector, but got shape {}", x.shape());
    check(x.dtype() == tensors[0].dtype(), ErrorKind::dtype,
          "torch.meshgrid expects all tensors to have the same dtype");
  }
  if (tensors.size() == 1) return tensors[0];
  Tensors columns;
  for (const Tensor& grid : meshgrid(tensors)) columns.push_back(grid.flatten());
  return stack(columns, 1);
}

Tensor combinations(const Tensor& x, int64_t r, bool with_replacement) {
  check(x.dim() == 1, ErrorKind::shape, "Expect a 1D vector, but got shape {}", x.shape());
  check(r >= 0, ErrorKind::value, "Expect a non-negative number, but got {}", r);
  if (r == 0) return empty({0}, {x.dtype(), x.device()});
  const Tensor picked = nonzero(ascending(x.numel(), r, with_replacement, x.device()));
  return index_select(x, 0, picked.flatten()).view({picked.size(0), r});
}

Tensor diagflat(const Tensor& x, int64_t offset) { return diag_embed(x.reshape({-1}), offset); }

Tensor fill(const Tensor& x, const Tensor& value) {
  Tensor filled = empty_like(x);
  return filled.fill_(value);
}

namespace {

Tensor& fill_in_place(Tensor& x, const Tensor& value) { return x.fill_(value); }

template <Tensor (*kOne)(const Tensor&), Tensors (*kMany)(const Tensors&)>
void add_at_least(std::vector<Row>& rows, const std::string& name, const std::string& dims) {
  const Tensor cube = arange(8, DType::float32).view({2, 2, 2}), line = arange(3);
  rows.push_back(make_row(name + "(Tensor input) -> Tensor",
                          "A view with at least " + dims + ", new ones of size 1.", kOne,
                          SAMPLES({tensor(2.5)}, {line}, {cube[0]}, {cube}))
                     .function_only());
  rows.push_back(make_row(name + "(Tensor[] tensors) -> Tensor[]",
                          "Views of all tensors with at least " + dims + ", new ones of size 1.",
                          kMany, SAMPLES({Tensors{tensor(2.5), line, cube[0]}}))
                     .is_variadic());
}

}  // namespace

std::vector<Row> stack_rows() {
  const auto grid = [] { return arange(6).reshape({2, 3}); };
  const auto list = [](Tensors v) { return Value(std::move(v)); };
  const auto n = [](int64_t v) { return Value(v); };
  const Tensor line = SAMPLE(arange(3, DType::float32)),
               cube = SAMPLE(arange(12, DType::float32).view({2, 3, 2}));
  const Tensor bits = SAMPLE(tensor({true, false, true}));
  std::vector<Row> rows;
  add_at_least<atleast_1d, atleast_1d>(rows, "atleast_1d", "one dimension");
  add_at_least<atleast_2d, atleast_2d>(rows, "atleast_2d", "two dimensions");
  add_at_least<atleast_3d, atleast_3d>(rows, "atleast_3d", "three dimensions");
  rows.push_back(
      make_row("column_stack(Tensor[] tensors) -> Tensor",
               "Joins along dimension 1, where 0-d and 1-d tensors are columns.", column_stack,
               SAMPLES({list({line, line})}, {list({grid(), arange(2)})}, {list({bits})}))
          .with_out());
  rows.push_back(
      make_row("dstack(Tensor[] tensors) -> Tensor",
               "Joins along dimension 2, which is new for tensors that have none.", dstack,
               SAMPLES({list({line, line})}, {list({grid(), grid()})}, {list({cube, cube})}))
          .with_out());
  rows.push_back(make_row("block_diag(Tensor[] tensors) -> Tensor",
                          "A matrix of matrices along the diagonal, zeros elsewhere.", block_diag,
                          SAMPLES({list({grid(), line, tensor(2.5)})}, {list({bits, bits})}))
                     .is_variadic());
  rows.push_back(
      make_row(
          "cartesian_prod(Tensor[] tensors) -> Tensor",
          "All ways to take one element of each 1-d tensor, as rows.", cartesian_prod,
          SAMPLES({list({line, line})}, {list({arange(3), arange(2), arange(2)})}, {list({bits})}))
          .is_variadic());
  rows.push_back(
      make_row("combinations(Tensor input, int r=2, bool with_replacement=False) -> "
               "Tensor",
               "All ways to take r elements of a 1-d tensor in their order, as rows.", combinations,
               SAMPLES({line, n(2), false}, {arange(4), n(3), false}, {bits, n(2), true}))
          .function_only());
  rows.push_back(make_row("diagflat(Tensor input, int offset=0) -> Tensor",
                          "A matrix with all elements of input on a diagonal.", diagflat,
                          SAMPLES({line, n(0)}, {grid(), n(-1)}, {tensor(2.5), n(1)})));
  rows.push_back(make_row("fill(Tensor input, Tensor|Scalar value) -> Tensor",
                          "One value in the shape and dtype of input.", fill,
                          SAMPLES({cube, Tensor(2)}, {grid(), tensor(7)}, {line, tensor(0.5f)}))
                     .function_only()
                     .with_in_place(fill_in_place));
  return rows;
}

}  // namespace tamis
