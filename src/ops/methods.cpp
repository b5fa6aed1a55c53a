// Methods that are not functions: conversions, views, new tensors of this one's dtype, and what
// writes into the tensor.
#include <utility>

#include "core/check.h"
#include "ops/row.h"
#include "tamis/tamis.h"

namespace tamis {

namespace {

using Span = std::span<const Value>;

const Tensor& self(Span args) { return std::get<Tensor>(args[0]); }
const Tensor& tensor_arg(Span args, size_t i) { return std::get<Tensor>(args[i]); }
const Shape& shape_arg(Span args, size_t i) { return std::get<Shape>(args[i]); }

Tensor grid() { return arange(6).reshape({2, 3}); }

void add(std::vector<Row>& rows, std::string_view signature, std::string summary,
         std::function<Value(Span)> call, Args sample) {
  rows.push_back(
      make_row(signature, std::move(summary), std::move(call), {std::move(sample)}).method_only());
}

void add_conversions(std::vector<Row>& rows) {
  constexpr std::pair<const char*, DType> kNames[] = {
      {"bool", DType::boolean},   {"byte", DType::uint8},        {"char", DType::int8},
      {"short", DType::int16},    {"int", DType::int32},         {"long", DType::int64},
      {"half", DType::float16},   {"bfloat16", DType::bfloat16}, {"float", DType::float32},
      {"double", DType::float64}, {"cfloat", DType::complex64},  {"cdouble", DType::complex128},
  };
  for (const auto& [method, to] : kNames) {
    add(rows, std::string(method) + "(Tensor input) -> Tensor",
        std::string("The tensor converted to ") + name(to) + ".",
        [dtype = to](Span a) -> Value { return self(a).to(dtype); }, {grid()});
  }
}

void add_views(std::vector<Row>& rows) {
  add(rows, "view(Tensor input, int[] shape) -> Tensor",
      "A view in another shape; refused if the layout does not allow one.",
      [](Span a) -> Value { return self(a).view(shape_arg(a, 1)); }, {grid(), Shape{3, 2}});
  add(rows, "view_as(Tensor input, Tensor other) -> Tensor", "A view in the shape of other.",
      [](Span a) -> Value { return self(a).view(tensor_arg(a, 1).shape()); },
      {grid(), zeros({3, 2})});
  add(rows, "reshape_as(Tensor input, Tensor other) -> Tensor",
      "The same elements in the shape of other.",
      [](Span a) -> Value { return self(a).reshape(tensor_arg(a, 1).shape()); },
      {grid().t(), zeros({2, 3})});
  add(rows, "expand(Tensor input, int[] size) -> Tensor",
      "A view that repeats dimensions of size 1; -1 keeps a size.",
      [](Span a) -> Value { return self(a).expand(shape_arg(a, 1)); }, {arange(3), Shape{2, -1}});
  add(rows, "expand_as(Tensor input, Tensor other) -> Tensor",
      "A view expanded to the shape of other.",
      [](Span a) -> Value { return self(a).expand_as(tensor_arg(a, 1)); }, {arange(3), grid()});
  add(rows, "repeat(Tensor input, int[] repeats) -> Tensor",
      "A copy that holds the elements several times along each dimension.",
      [](Span a) -> Value { return self(a).repeat(shape_arg(a, 1)); }, {grid(), Shape{2, 1}});
  add(rows, "contiguous(Tensor input) -> Tensor",
      "The tensor itself if it is row-major, else a copy.",
      [](Span a) -> Value { return self(a).contiguous(); }, {grid().t()});
  add(rows, "detach(Tensor input) -> Tensor", "The same memory in a new tensor.",
      [](Span a) -> Value { return self(a).detach(); }, {grid()});
  add(rows, "type_as(Tensor input, Tensor other) -> Tensor",
      "The tensor converted to the dtype of other.",
      [](Span a) -> Value { return self(a).type_as(tensor_arg(a, 1)); }, {grid(), zeros({1})});
}

// ---- creation -----------------------------------------------------------------------------------

/// What is not given is that of this tensor.
Options options_or_own(Span args, size_t i) {
  const Options given = detail::FromValue<Options>::get(args[i]);
  return {given.dtype.value_or(self(args).dtype()), given.device.value_or(self(args).device())};
}

void add_creation(std::vector<Row>& rows) {
  const size_t first = rows.size();
  add(rows, "new_empty(Tensor input, int[] size, *, dtype? dtype=None) -> Tensor",
      "A tensor of unspecified values of the dtype of this one.",
      [](Span a) -> Value { return empty(shape_arg(a, 1), options_or_own(a, 2)); },
      {grid(), Shape{0, 2}, {}});
  add(rows, "new_zeros(Tensor input, int[] size, *, dtype? dtype=None) -> Tensor",
      "Zeros of the dtype of this tensor.",
      [](Span a) -> Value { return zeros(shape_arg(a, 1), options_or_own(a, 2)); },
      {grid(), Shape{2}, {}});
  add(rows, "new_ones(Tensor input, int[] size, *, dtype? dtype=None) -> Tensor",
      "Ones of the dtype of this tensor.",
      [](Span a) -> Value { return ones(shape_arg(a, 1), options_or_own(a, 2)); },
      {grid(), Shape{2}, DType::float32});
  add(rows, "new_full(Tensor input, int[] size, Scalar fill_value, *, dtype? dtype=None) -> Tensor",
      "One value in the dtype of this tensor.",
      [](Span a) -> Value {
        return full(shape_arg(a, 1), std::get<Scalar>(a[2]), options_or_own(a, 3));
      },
      {grid(), Shape{2}, Scalar(7), {}});
  for (size_t i = first; i < rows.size(); ++i) rows[i].creates = true;
}

// ---- in place -----------------------------------------------------------------------------------

/// x[i, i, ...] = value for every i.
Value fill_diagonal(Span args) {
  Tensor x = self(args);
  check(x.dim() >= 2, ErrorKind::shape, "dimensions must larger than 1");
  check(x.dim() == 2 || Shape(x.shape().size(), x.shape()[0]) == x.shape(), ErrorKind::shape,
        "all dimensions of input must be of equal length");
  Tensor view = x.diagonal();
  while (view.dim() > 1) view = view.diagonal(0, 0, -1);
  view.fill_(tensor_arg(args, 1));
  return x;
}

void add_in_place(std::vector<Row>& rows) {
  add(rows, "fill_(Tensor input, Tensor|Scalar value) -> Tensor", "In place: one value everywhere.",
      [](Span a) -> Value {
        Tensor x = self(a);
        return x.fill_(tensor_arg(a, 1));
      },
      {grid(), Tensor(7)});
  add(rows, "fill_diagonal_(Tensor input, Tensor|Scalar value) -> Tensor",
      "In place: one value on the main diagonal.", fill_diagonal, {grid(), Tensor(7)});
  add(rows, "zero_(Tensor input) -> Tensor", "In place: zeros.",
      [](Span a) -> Value {
        Tensor x = self(a);
        return x.zero_();
      },
      {grid()});
  add(rows, "copy_(Tensor input, Tensor|Scalar src) -> Tensor",
      "In place: the values of src, broadcast and converted.",
      [](Span a) -> Value {
        Tensor x = self(a);
        return x.copy_(tensor_arg(a, 1));
      },
      {grid(), arange(3)});
}

}  // namespace

const std::vector<Row>& method_rows() {
  static const std::vector<Row> rows = [] {
    std::vector<Row> all;
    add_conversions(all);
    add_views(all);
    add_creation(all);
    add_in_place(all);
    return all;
  }();
  return rows;
}

}  // namespace tamis
