// Rows of the Python module's own: functions with options that only Python spells so, and methods
// that are no functions.
#include "core/check.h"
#include "core/convert.h"
#include "core/tensor_impl.h"
#include "functions.h"
#include "tamis/tamis.h"

namespace tamis::python {

namespace {

// ---- functions ----------------------------------------------------------------------------------

Value masked_select_op(const Tensor& x, const Tensor& mask, std::optional<Tensor> out) {
  return out ? masked_select_out(*out, x, mask) : masked_select(x, mask);
}

Value nonzero_op(const Tensor& x, bool as_tuple) {
  return as_tuple ? Value(nonzero_tuple(x)) : Value(nonzero(x));
}

Value where_op(const Tensor& condition, std::optional<Tensor> a, std::optional<Tensor> b) {
  if (!a && !b) return nonzero_tuple(condition);
  check(a && b, ErrorKind::value, "where(): expected both input and other, or neither");
  return where(condition, *a, *b);
}

Tensor isin_op(const Tensor& x, const Tensor& test_elements, bool /*assume_unique*/, bool invert) {
  return isin(x, test_elements, invert);
}

Tensor arange_op(std::optional<Scalar> start, std::optional<Scalar> end, Scalar step,
                 std::optional<DType> dtype) {
  check(start || end, ErrorKind::value, "arange(): expected an end");
  if (!end) std::swap(start, end);
  return arange(start.value_or(Scalar(0)), *end, step, dtype);
}

/// randint(high, size), randint(low, high, size), and both with keywords.
Tensor randint_op(std::optional<int64_t> low, std::optional<Shape> high, std::optional<Shape> size,
                  DType dtype, std::optional<Generator> generator) {
  if (!size) {  // (high, size)
    std::swap(size, high);
  }
  if (!high && low) {
    high = Shape{*low};
    low = 0;
  }
  check(size && high && high->size() == 1, ErrorKind::value,
        "randint(): expected (high, size) or (low, high, size)");
  return randint(low.value_or(0), (*high)[0], *size, dtype, std::move(generator));
}

/// alpha * other in the dtype of an operation on x and other.
Tensor scaled(const Tensor& x, const Tensor& other, Scalar alpha) {
  const DType common = result_type(x, other);
  check(alpha.dtype() != DType::boolean || common == DType::boolean, ErrorKind::dtype,
        "Boolean alpha only supported for Boolean results.");
  check(!alpha.is_complex() || is_complex(common), ErrorKind::dtype,
        "For non-complex input tensors, argument alpha must not be a complex number.");
  check(!alpha.is_floating_point() || !(is_integral(common) || common == DType::boolean),
        ErrorKind::dtype,
        "For integral input tensors, argument alpha must not be a floating point number.");
  check_fits(alpha, common);
  return alpha.to_complex() == 1.0 ? other : mul(other.to(common), Tensor(alpha).to(common));
}
Tensor add_op(const Tensor& x, const Tensor& other, Scalar alpha) {
  return add(x, scaled(x, other, alpha));
}
Tensor sub_op(const Tensor& x, const Tensor& other, Scalar alpha) {
  if (other.dtype() == DType::boolean) return sub(x, other);  // which refuses it
  return sub(x, scaled(x, other, alpha));
}
Tensor div_op(const Tensor& x, const Tensor& other, std::optional<std::string> rounding_mode) {
  return rounding_mode ? div(x, other, *rounding_mode) : div(x, other);
}
/// split(input, size) and split(input, sizes).
Value split_op(std::span<const Value> args) {
  const Tensor& x = std::get<Tensor>(args[0]);
  const int64_t dim = std::get<int64_t>(args[2]);
  if (const auto* size = std::get_if<int64_t>(&args[1])) return split(x, *size, dim);
  return split_with_sizes(x, std::get<Shape>(args[1]), dim);
}
[[noreturn]] void refuse_number(const char* op, const Tensor& number, std::optional<int64_t> dim) {
  const DType dtype = number.dtype();
  const char* type = dtype == DType::boolean    ? "bool"
                     : dtype == DType::int64    ? "int"
                     : is_floating_point(dtype) ? "float"
                                                : "complex";
  throw py::type_error(fmt::format(
      "{}() received an invalid combination of arguments - got (Tensor, {}{}), but expected one "
      "of: (Tensor input), (Tensor input, Tensor other), (Tensor input, int dim, bool keepdim)",
      op, type, dim ? ", dim=int" : ""));
}

/// max(input), max(input, other), and max(input, dim, keepdim), whose dim arrives as a number in
/// the place of other.
template <bool kLargest>
Value extreme_op(const Tensor& x, std::optional<Tensor> other, bool keepdim,
                 std::optional<int64_t> dim) {
  if (other && other->impl().is_number) {
    if (dim || other->dtype() != DType::int64) refuse_number(kLargest ? "max" : "min", *other, dim);
    dim = other->item<int64_t>();
    other.reset();
  }
  if (dim) return detail::to_value(kLargest ? max(x, *dim, keepdim) : min(x, *dim, keepdim));
  if (other) return kLargest ? maximum(x, *other) : minimum(x, *other);
  return kLargest ? max(x) : min(x);
}

// ---- methods ------------------------------------------------------------------------------------

Row method(std::string signature, std::string summary, Value (*f)(std::span<const Value>)) {
  return {std::move(signature), std::move(summary), f, {}};
}

const Tensor& self(std::span<const Value> args) { return std::get<Tensor>(args[0]); }
const Tensor& tensor_arg(std::span<const Value> args, size_t i) {
  return std::get<Tensor>(args[i]);
}
const Shape& shape_arg(std::span<const Value> args, size_t i) { return std::get<Shape>(args[i]); }

using Span = std::span<const Value>;

template <DType kTo>
Value convert_to(Span args) {
  return self(args).to(kTo);
}

void add_conversions(std::vector<Row>& rows) {
  const auto add = [&](const char* name, Value (*f)(Span), DType to) {
    rows.push_back(method(std::string(name) + "(Tensor input) -> Tensor",
                          std::string("The tensor converted to ") + tamis::name(to) + ".", f));
  };
  add("bool", convert_to<DType::boolean>, DType::boolean);
  add("byte", convert_to<DType::uint8>, DType::uint8);
  add("char", convert_to<DType::int8>, DType::int8);
  add("short", convert_to<DType::int16>, DType::int16);
  add("int", convert_to<DType::int32>, DType::int32);
  add("long", convert_to<DType::int64>, DType::int64);
  add("half", convert_to<DType::float16>, DType::float16);
  add("bfloat16", convert_to<DType::bfloat16>, DType::bfloat16);
  add("float", convert_to<DType::float32>, DType::float32);
  add("double", convert_to<DType::float64>, DType::float64);
  add("cfloat", convert_to<DType::complex64>, DType::complex64);
  add("cdouble", convert_to<DType::complex128>, DType::complex128);
}

void add_views(std::vector<Row>& rows) {
  rows.push_back(method("view(Tensor input, int[] shape) -> Tensor",
                        "A view in another shape; refused if the layout does not allow one.",
                        [](Span a) -> Value { return self(a).view(shape_arg(a, 1)); }));
  rows.push_back(method("view_as(Tensor input, Tensor other) -> Tensor",
                        "A view in the shape of other.",
                        [](Span a) -> Value { return self(a).view(tensor_arg(a, 1).shape()); }));
  rows.push_back(method("reshape_as(Tensor input, Tensor other) -> Tensor",
                        "The same elements in the shape of other.",
                        [](Span a) -> Value { return self(a).reshape(tensor_arg(a, 1).shape()); }));
  rows.push_back(method("expand(Tensor input, int[] size) -> Tensor",
                        "A view that repeats dimensions of size 1; -1 keeps a size.",
                        [](Span a) -> Value { return self(a).expand(shape_arg(a, 1)); }));
  rows.push_back(method("expand_as(Tensor input, Tensor other) -> Tensor",
                        "A view expanded to the shape of other.",
                        [](Span a) -> Value { return self(a).expand_as(tensor_arg(a, 1)); }));
  rows.push_back(method("repeat(Tensor input, int[] repeats) -> Tensor",
                        "A copy that holds the elements several times along each dimension.",
                        [](Span a) -> Value { return self(a).repeat(shape_arg(a, 1)); }));
  rows.push_back(method("contiguous(Tensor input) -> Tensor",
                        "The tensor itself if it is row-major, else a copy.",
                        [](Span a) -> Value { return self(a).contiguous(); }));
  rows.push_back(method("detach(Tensor input) -> Tensor", "The same memory in a new tensor.",
                        [](Span a) -> Value { return self(a).detach(); }));
  rows.push_back(method("type_as(Tensor input, Tensor other) -> Tensor",
                        "The tensor converted to the dtype of other.",
                        [](Span a) -> Value { return self(a).type_as(tensor_arg(a, 1)); }));
  rows.push_back(
      method("where(Tensor input, Tensor condition, Tensor other) -> Tensor",
             "The elements where condition is true, those of other elsewhere.",
             [](Span a) -> Value { return where(tensor_arg(a, 1), self(a), tensor_arg(a, 2)); }));
  rows.push_back(method(
      "isin(Tensor input, Tensor test_elements, *, bool invert=False) -> Tensor",
      "True where an element equals some test element, compared exactly.",
      [](Span a) -> Value { return isin(self(a), tensor_arg(a, 1), std::get<bool>(a[2])); }));
}

// ---- creation -----------------------------------------------------------------------------------

DType dtype_or_own(Span args, size_t i) {
  const auto* dtype = std::get_if<DType>(&args[i]);
  return dtype != nullptr ? *dtype : self(args).dtype();
}

void add_creation(std::vector<Row>& rows) {
  rows.push_back(
      leaf_row(method("new_empty(Tensor input, int[] size, dtype? dtype=None) -> Tensor",
                      "A tensor of unspecified values of the dtype of this one.",
                      [](Span a) -> Value { return empty(shape_arg(a, 1), dtype_or_own(a, 2)); })));
  rows.push_back(leaf_row(method("new_zeros(Tensor input, int[] size, dtype? dtype=None) -> Tensor",
                                 "Zeros of the dtype of this tensor.", [](Span a) -> Value {
                                   return zeros(shape_arg(a, 1), dtype_or_own(a, 2));
                                 })));
  rows.push_back(leaf_row(method("new_ones(Tensor input, int[] size, dtype? dtype=None) -> Tensor",
                                 "Ones of the dtype of this tensor.", [](Span a) -> Value {
                                   return ones(shape_arg(a, 1), dtype_or_own(a, 2));
                                 })));
  rows.push_back(leaf_row(
      method("new_full(Tensor input, int[] size, Scalar fill_value, dtype? dtype=None) -> Tensor",
             "One value in the dtype of this tensor.", [](Span a) -> Value {
               return full(shape_arg(a, 1), std::get<Scalar>(a[2]), dtype_or_own(a, 3));
             })));
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
  rows.push_back(method("fill_(Tensor input, Tensor value) -> Tensor",
                        "In place: one value everywhere.", [](Span a) -> Value {
                          Tensor x = self(a);
                          return x.fill_(tensor_arg(a, 1));
                        }));
  rows.push_back(method("fill_diagonal_(Tensor input, Tensor value) -> Tensor",
                        "In place: one value on the main diagonal.", fill_diagonal));
  rows.push_back(method("zero_(Tensor input) -> Tensor", "In place: zeros.", [](Span a) -> Value {
    Tensor x = self(a);
    return x.zero_();
  }));
  rows.push_back(method("copy_(Tensor input, Tensor src) -> Tensor",
                        "In place: the values of src, broadcast and converted.",
                        [](Span a) -> Value {
                          Tensor x = self(a);
                          return x.copy_(tensor_arg(a, 1));
                        }));
}

}  // namespace

std::vector<Row> replacement_rows() {
  return {
      make_row("masked_select(Tensor input, Tensor mask, *, Tensor? out=None) -> Tensor",
               "The elements of input where mask is true, 1-d, in row-major order; both broadcast.",
               masked_select_op, {}),
      make_row(
          "nonzero(Tensor input, *, bool as_tuple=False) -> Tensor",
          "The coordinates of the nonzero elements, one row each; or one tensor per dimension.",
          nonzero_op, {})
          .with_out(),
      make_row(
          "where(Tensor condition, Tensor? input=None, Tensor? other=None) -> Tensor",
          "input where condition is true, other elsewhere; all broadcast. With condition alone, "
          "nonzero(condition, as_tuple=True).",
          where_op, {})
          .with_out(),
      make_row("isin(Tensor elements, Tensor test_elements, *, bool assume_unique=False, bool "
               "invert=False) -> Tensor",
               "True where an element equals some test element, compared exactly.", isin_op, {})
          .with_out(),
      make_row(
          "arange(Scalar? start=None, Scalar? end=None, Scalar step=1, *, dtype? dtype=None) -> "
          "Tensor",
          "arange(end) or arange(start, end, step): start, start + step, ... below end; int64 if "
          "all three are integers, else float32.",
          arange_op, {})
          .with_out(),
      make_row(
          "randint(int? low=None, int[]? high=None, int[]? size=None, *, dtype dtype=int64, "
          "Generator? generator=None) -> Tensor",
          "randint(high, size) or randint(low, high, size): random integers from low (0) up to and "
          "without high.",
          randint_op, {})
          .with_out(),
      make_row("add(Tensor input, Tensor other, *, Scalar alpha=1) -> Tensor",
               "The sum of input and alpha * other; for bools, or.", add_op, {})
          .with_in_place()
          .with_out(),
      make_row("sub(Tensor input, Tensor other, *, Scalar alpha=1) -> Tensor",
               "The difference of input and alpha * other.", sub_op, {})
          .with_in_place()
          .with_out(),
      make_row("div(Tensor input, Tensor other, *, str? rounding_mode=None) -> Tensor",
               "The quotient, in floating point; rounded by 'floor' or 'trunc', of integers an "
               "integer.",
               div_op, {})
          .with_in_place()
          .with_out(),
      method("split(Tensor input, int[] split_size_or_sections, int dim=0) -> Tensor[]",
             "Views of one size, the last of which may be smaller, or of the given sizes.",
             split_op),
      make_row(
          "max(Tensor input, Tensor? other=None, bool keepdim=False, *, int? dim=None) -> "
          "(Tensor values, Tensor indices)",
          "The largest element; with other, the larger of each two; with dim, the largest elements "
          "along it and their indices. NaN wins.",
          extreme_op<true>, {})
          .with_out(),
      make_row("min(Tensor input, Tensor? other=None, bool keepdim=False, *, int? dim=None) -> "
               "(Tensor values, Tensor indices)",
               "The smallest element; with other, the smaller of each two; with dim, the smallest "
               "elements along it and their indices. NaN wins.",
               extreme_op<false>, {})
          .with_out(),
  };
}

std::vector<Row> method_rows() {
  std::vector<Row> rows;
  add_conversions(rows);
  add_views(rows);
  add_creation(rows);
  add_in_place(rows);
  return rows;
}

}  // namespace tamis::python
