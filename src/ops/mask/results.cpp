// Results: selections in other forms than one exact tensor: later, padded, row by row, in two
// parts.
#include <algorithm>

#include "core/check.h"
#include "core/convert.h"
#include "ops/jagged.h"
#include "ops/mask/select.h"
#include "ops/mask_args.h"
#include "ops/pointwise/pointwise.h"
#include "ops/row.h"
#include "tamis/tamis.h"

namespace tamis {

namespace {

void check_select_mask(const char* op, const Tensor& mask) {
  check_mask(mask, fmt::format("{}: expected BoolTensor for mask, but got", op));
}

void check_size(const char* op, int64_t size) {
  check(size >= 0, ErrorKind::value, "{}: 'size' must be an non-negative integer, but got {}", op,
        size);
}

}  // namespace

Future<Tensor> masked_select_async(const Tensor& x, const Tensor& mask) {
  check_select_mask("masked_select_async", mask);
  (void)broadcast_shapes(mask.shape(), x.shape());
  return run_async([](const Tensor& a, const Tensor& b) { return masked_select(a, b); }, x, mask);
}

Future<Tensor> masked_index_async(const Tensor& x, const Tensor& mask) {
  check_select_mask("masked_index_async", mask);
  (void)Masked(x, mask);  // checks the shape of the mask
  return run_async([](const Tensor& a, const Tensor& b) { return a[b].get(); }, x, mask);
}

Future<Tensor> nonzero_async(const Tensor& x) {
  return run_async([](const Tensor& a) { return nonzero(a); }, x);
}

std::pair<Tensor, Tensor> masked_select_padded(const Tensor& x, const Tensor& mask, int64_t size,
                                               Scalar fill) {
  check_select_mask("masked_select_padded", mask);
  check_size("masked_select_padded", size);
  const Shape shape = broadcast_shapes(mask.shape(), x.shape());
  return select_padded(x, mask, shape, size, fill);
}

std::pair<Tensor, Tensor> masked_index_padded(const Tensor& x, const Tensor& mask, int64_t size,
                                              Scalar fill) {
  check_select_mask("masked_index_padded", mask);
  (void)Masked(x, mask);  // checks the shape of the mask
  check_size("masked_index_padded", size);
  Shape shape{size};
  Tensor rows = mask;
  for (int64_t d = mask.dim(); d < x.dim(); ++d) {
    shape.push_back(x.shape()[d]);
    rows = rows.unsqueeze(-1);
  }
  const int64_t row = numel(shape) == 0 ? 0 : numel(shape) / size;
  if (row == 0) {
    check_fits(fill, x.dtype());
    Backend& backend = common_backend({x, mask});
    return {allocate(shape, x.dtype(), backend), sum(mask)};
  }
  const auto [values, count] = select_padded(x, rows, x.shape(), numel(shape), fill);
  return {values.view(shape), row == 1 ? count : floor_divide(count, row).settle()};
}

Tensor nonzero_static(const Tensor& x, int64_t size, int64_t fill_value) {
  check_size("nonzero_static", size);
  const Tensor columns = allocate({x.dim(), size}, DType::int64, backend_of(x));
  coordinates_padded(columns, x.to_bool(), fill_value);
  return make_view(columns, {{size, x.dim()}, {1, size}, 0});
}

Jagged masked_select_rows(const Tensor& x, const Tensor& mask, int64_t dim) {
  check_select_mask("masked_select_rows", mask);
  Shape shape = broadcast_shapes(mask.shape(), x.shape());
  if (shape.empty()) shape = {1};
  const auto rank = static_cast<int64_t>(shape.size());
  Shape order;
  for (int64_t d = 0; d < rank; ++d) order.push_back(d);
  dim = wrap_dim(dim, rank);
  order.erase(dim);
  order.push_back(dim);
  const Tensor rows = x.expand(shape).permute(order), keep = mask.expand(shape).permute(order);
  return {masked_select(rows, keep), offsets_of(keep)};
}

Tensor to_padded(const Tensor& values, const Tensor& offsets, std::optional<int64_t> size,
                 Scalar fill) {
  const std::vector<int64_t> lengths = lengths_of("to_padded", offsets);
  check_jagged("to_padded", values, lengths);
  const int64_t longest = longest_of(lengths);
  const int64_t columns = size.value_or(longest);
  check_size("to_padded", columns);
  Shape shape = values.shape();
  shape[0] = columns;
  shape.insert(0, static_cast<int64_t>(lengths.size()));
  check_fits(fill, values.dtype());
  const Tensor result = full_on(backend_of(values), shape, fill, values.dtype());
  if (result.numel() == 0 || values.numel() == 0) return result;
  Tensor mask = jagged_mask(offsets, columns);
  for (int64_t d = 1; d < values.dim(); ++d) mask = mask.unsqueeze(-1);
  const Tensor source = longest <= columns ? values : first_of_rows(values, lengths, columns);
  expand_into(result, mask, source.contiguous());
  if (is_tracked(source)) {
    record(result, "to_padded", Flow::moves, {source}, {mask},
           [shape = source.shape()](const Tensor& g, std::span<const Tensor> saved) -> Gradients {
             return {masked_select(g, saved[0]).view(shape)};
           });
  }
  return result;
}

Tensor jagged_mask(const Tensor& offsets, std::optional<int64_t> size) {
  std::vector<int64_t> lengths = lengths_of("jagged_mask", offsets);
  const int64_t columns = size.value_or(longest_of(lengths));
  check_size("jagged_mask", columns);
  for (int64_t& length : lengths) length = std::min(length, columns);
  return masks::from_lengths(to_backend(tensor(lengths), backend_of(offsets)), columns);
}

std::pair<Tensor, Tensor> partition(const Tensor& x, const Tensor& mask) {
  check_select_mask("partition", mask);
  const Shape shape = broadcast_shapes(mask.shape(), x.shape());
  const std::pair<Tensor, Tensor> parts = partition(x, mask, shape);
  if (is_tracked(x)) {
    record_selection(parts.first, "partition", x, mask, shape);
    record_selection(parts.second, "partition", x, ~mask, shape);
  }
  return parts;
}

std::vector<Row> result_rows() {
  const Tensor x = SAMPLE(tensor({{1.f, 2.f, 3.f}, {4.f, 5.f, 6.f}}));
  const Tensor ints = SAMPLE(tensor({{5, 0, -1}, {0, 7, 7}}));
  const Tensor mask = SAMPLE(tensor({{true, false, true}, {false, true, false}}));
  const Tensor row = SAMPLE(tensor({true, false, true}));
  const Tensor column = SAMPLE(tensor({{false}, {true}}));
  const Tensor offsets = SAMPLE(tensor({0, 2, 2, 5}));
  const Value none;
  return {
      make_row("masked_select_padded(Tensor input, Tensor|bool[] mask, int size, Scalar fill=0) -> "
               "(Tensor values, Tensor count)",
               "The first `size` elements of input where mask is true, filled up with `fill`, and "
               "the number of all of them.",
               masked_select_padded,
               SAMPLES({x, mask, int64_t{5}, Scalar(-1)}, {x, row, int64_t{2}, Scalar(0)},
                       {ints, column, int64_t{4}, Scalar(9)},
                       {x, Tensor(false), int64_t{0}, Scalar(0)})),
      make_row("masked_index_padded(Tensor input, Tensor|bool[] mask, int size, Scalar fill=0) -> "
               "(Tensor values, Tensor count)",
               "The first `size` elements or rows of input[mask], filled up with `fill`, and the "
               "number of all of them.",
               masked_index_padded,
               SAMPLES({x, mask, int64_t{5}, Scalar(-1)},
                       {x, tensor({false, true}), int64_t{3}, Scalar(0)},
                       {ints, tensor({true, true}), int64_t{1}, Scalar(9)})),
      make_row("nonzero_static(Tensor input, *, int size, int fill_value=-1) -> Tensor",
               "The coordinates of the first `size` nonzero elements, one row each, filled up with "
               "`fill_value`.",
               nonzero_static,
               SAMPLES({ints, int64_t{6}, int64_t{-1}}, {mask, int64_t{2}, int64_t{0}},
                       {tensor(3), int64_t{2}, int64_t{-1}})),
      make_row(
          "masked_select_rows(Tensor input, Tensor|bool[] mask, int dim=-1) -> (Tensor values, "
          "Tensor offsets)",
          "What mask keeps of each row along `dim`, one row after the other, and where each row "
          "begins.",
          +[](const Tensor& input, const Tensor& m, int64_t dim) {
            const Jagged rows = masked_select_rows(input, m, dim);
            return std::pair(rows.values, rows.offsets);
          },
          SAMPLES({x, mask, int64_t{-1}}, {x, mask, int64_t{0}}, {ints, column, int64_t{1}})),
      make_row(
          "to_padded(Tensor values, Tensor|int[] offsets, int? size=None, Scalar fill=0) -> Tensor",
          "Rows of different lengths one below the other, filled up with `fill` to `size`.",
          +[](const Tensor& values, const Tensor& at, std::optional<int64_t> size, Scalar fill) {
            return to_padded(values, at, size, fill);
          },
          SAMPLES({tensor({1.f, 2.f, 3.f, 4.f, 5.f}), offsets, none, Scalar(0)},
                  {tensor({1, 2, 3, 4, 5}), offsets, int64_t{2}, Scalar(-1)},
                  {arange(10).view({5, 2}), offsets, int64_t{4}, Scalar(7)})),
      make_row("jagged_mask(Tensor offsets, int? size=None) -> Tensor",
               "Where to_padded has values: true at the first positions of each row.", jagged_mask,
               SAMPLES({offsets, none}, {offsets, int64_t{2}}, {offsets, int64_t{5}})),
      make_row(
          "partition(Tensor input, Tensor|bool[] mask) -> (Tensor kept, Tensor rejected)",
          "The elements of input where mask is true, and those where it is false.",
          +[](const Tensor& input, const Tensor& m) { return partition(input, m); },
          SAMPLES({x, mask}, {x, row}, {ints, column}, {tensor({1, 2, 3}), mask})),
  };
}

}  // namespace tamis
