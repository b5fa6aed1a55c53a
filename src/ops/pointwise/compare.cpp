// Compare: comparisons, tests for NaN and infinity, and closeness.
#include <limits>

#include "core/check.h"
#include "core/convert.h"
#include "ops/mask_args.h"
#include "ops/pointwise/by_value.h"
#include "ops/pointwise/pointwise.h"
#include "ops/row.h"
#include "tamis/create.h"
#include "tamis/pointwise.h"

namespace tamis {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Tensor mask_of(Op op, std::initializer_list<TensorRef> inputs) {
  return defer(op, DType::boolean, DType::boolean, inputs);
}

/// What a test says of every integer.
Tensor constant_mask(const Tensor& x, bool value) {
  return full_on(backend_of(x), x.shape(), value, DType::boolean);
}

/// lt and le, which the others become, are refused where they are deferred.
void check_ordered(const char* kernel, const Tensor& a, const Tensor& b) {
  if (!is_complex(a.dtype()) && !is_complex(b.dtype())) return;
  check_implemented(false, kernel, result_type(a, b));
}

/// Whether integers are compared here without being rounded: `dtype` is what they promote to.
bool needs_values(DType dtype, const Tensor& a, const Tensor& b) {
  return dtype == DType::float64 && lack_common_integer(a.dtype(), b.dtype());
}

/// ~mask of a mask that was made for this. One that is in memory already, as those of few elements
/// are, no one else has seen.
Tensor negated(Tensor mask) {
  const Ref<Storage>& storage = storage_of(mask);
  const bool is_own = mask.impl().use_count() == 1 && storage->use_count() == 1;
  if (!is_own || !storage->ready() || storage->bytes() > Backend::kFew || !is_on_host(mask)) {
    return mask_of(Op::mask_not, {mask});
  }
  auto* const bytes = static_cast<uint8_t*>(storage->data());
  const int64_t n = storage->bytes();
  for (int64_t i = 0; i < n; ++i) bytes[i] ^= 1;
  return mask;
}

/// The real and imaginary parts, deferred.
std::pair<Tensor, Tensor> parts(const Tensor& z) {
  const DType dtype = real_dtype(z.dtype());
  return {z.to(dtype), defer_recorded(Op::imag, z.dtype(), dtype, {z})};
}

}  // namespace

Tensor eq(const Tensor& a, const Tensor& b) {
  const DType dtype = result_type(a, b);
  if (dtype == DType::boolean) return mask_of(Op::mask_not, {mask_of(Op::mask_xor, {a, b})});
  if (needs_values(dtype, a, b)) return equal_by_value(a, b);
  return defer_recorded(Op::eq, dtype, DType::boolean, {a, b});
}

Tensor ne(const Tensor& a, const Tensor& b) {
  if (result_type(a, b) == DType::boolean) return mask_of(Op::mask_xor, {a, b});
  return negated(eq(a, b));
}

Tensor lt(const Tensor& a, const Tensor& b) {
  const DType dtype = result_type(a, b);
  if (dtype == DType::boolean) return mask_of(Op::mask_and, {mask_of(Op::mask_not, {a}), b});
  if (is_integral(dtype)) {
    if (auto result = interval_mask(a, Limit::below, b)) return *result;
    if (auto result = interval_mask(b, Limit::above, a)) return *result;
  }
  if (needs_values(dtype, a, b)) return less_by_value(a, b);
  return defer_recorded(Op::lt, dtype, DType::boolean, {a, b});
}

Tensor le(const Tensor& a, const Tensor& b) {
  const DType dtype = result_type(a, b);
  if (dtype == DType::boolean) return mask_of(Op::mask_or, {mask_of(Op::mask_not, {a}), b});
  if (is_integral(dtype)) {
    if (auto result = interval_mask(a, Limit::up_to, b)) return *result;
    if (auto result = interval_mask(b, Limit::from, a)) return *result;
  }
  if (needs_values(dtype, a, b)) return mask_of(Op::mask_not, {less_by_value(b, a)});
  return defer_recorded(Op::le, dtype, DType::boolean, {a, b});
}

// Not the negation of le and lt, which would be true for NaN. Shapes are compared here because the
// error names the operands in the order given.
Tensor gt(const Tensor& a, const Tensor& b) {
  broadcast_shapes(a.shape(), b.shape());
  check_ordered("gt_cpu", a, b);
  return lt(b, a);
}

Tensor ge(const Tensor& a, const Tensor& b) {
  broadcast_shapes(a.shape(), b.shape());
  check_ordered("ge_cpu", a, b);
  return le(b, a);
}

Tensor isnan(const Tensor& x) {
  if (!is_floating_point(x.dtype()) && !is_complex(x.dtype())) return constant_mask(x, false);
  return ne(x, x);
}

Tensor isinf(const Tensor& x) {
  if (is_complex(x.dtype())) {
    const auto [re, im] = parts(x);
    return isinf(re) | isinf(im);
  }
  if (!is_floating_point(x.dtype())) return constant_mask(x, false);
  return defer_recorded(Op::abs_le, x.dtype(), DType::boolean, {Tensor(kInfinity), x});
}

Tensor isfinite(const Tensor& x) {
  if (is_complex(x.dtype())) {
    const auto [re, im] = parts(x);
    return isfinite(re) & isfinite(im);
  }
  if (!is_floating_point(x.dtype())) return constant_mask(x, true);
  return defer_recorded(Op::abs_lt, x.dtype(), DType::boolean, {x, Tensor(kInfinity)});
}

Tensor isclose(const Tensor& a, const Tensor& b, double rtol, double atol, bool equal_nan) {
  check(a.dtype() == b.dtype() || is_number(a) || is_number(b), ErrorKind::dtype,
        "{} did not match {}", scalar_type_name(a.dtype()), scalar_type_name(b.dtype()));
  check(rtol >= 0, ErrorKind::value, "rtol must be greater than or equal to zero, but got {}",
        rtol);
  check(atol >= 0, ErrorKind::value, "atol must be greater than or equal to zero, but got {}",
        atol);
  const DType dtype = float_type(result_type(a, b));
  Tensor close = eq(a, b);
  if (equal_nan) close = close | (isnan(a) & isnan(b));
  if (rtol == 0 && atol == 0) return close;
  const Tensor expected = b.to(dtype);
  const Tensor allowed = abs(expected * rtol) + atol;
  const Tensor error = abs(a.to(dtype) - expected);
  return close | (isfinite(error) & (error <= allowed));
}

bool allclose(const Tensor& a, const Tensor& b, double rtol, double atol, bool equal_nan) {
  return all_true(isclose(a, b, rtol, atol, equal_nan));
}

bool equal(const Tensor& a, const Tensor& b) {
  return a.shape() == b.shape() && all_true(eq(a, b));
}

std::vector<Row> compare_rows() {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  constexpr float kInf = std::numeric_limits<float>::infinity();
  const Tensor floats = SAMPLE(tensor({{1.5f, kNan, -kInf}, {0.0f, 2.0f, kInf}}));
  const Tensor row = SAMPLE(tensor({1.5f, 2.0f, kInf}));
  const Tensor ints = SAMPLE(tensor({{1, 2, 3}, {-4, 0, 6}}));
  const Tensor bools = SAMPLE(tensor({true, false, true}));
  const std::vector<Args> one = SAMPLES({floats}, {ints}, {bools});
  const std::vector<Args> two = SAMPLES({floats, row}, {ints, floats}, {ints, Tensor(2)},
                                        {bools, tensor({true, true, false})}, {ints, bools});
  const std::vector<Args> close =
      SAMPLES({floats, floats + 1e-7f, 1e-5, 1e-8, false}, {floats, row, 1e-5, 1e-8, true},
              {ints, ints + 1, 0.0, 1.0, false}, {ints, ints, 0.0, 0.0, false});
  return {
      make_row("eq(Tensor input, Tensor|Scalar other) -> Tensor",
               "True where the elements are equal.", eq, two)
          .is_pointwise()
          .with_symbol("==")
          .with_in_place()
          .with_out(),
      make_row("ne(Tensor input, Tensor|Scalar other) -> Tensor",
               "True where the elements differ; NaN differs from itself.", ne, two)
          .is_pointwise()
          .with_symbol("!=")
          .also({"not_equal"})
          .with_in_place()
          .with_out(),
      make_row("lt(Tensor input, Tensor|Scalar other) -> Tensor", "True where input < other.", lt,
               two)
          .is_pointwise()
          .with_symbol("<")
          .also({"less"})
          .with_in_place()
          .with_out(),
      make_row("le(Tensor input, Tensor|Scalar other) -> Tensor", "True where input <= other.", le,
               two)
          .is_pointwise()
          .with_symbol("<=")
          .also({"less_equal"})
          .with_in_place()
          .with_out(),
      make_row("gt(Tensor input, Tensor|Scalar other) -> Tensor", "True where input > other.", gt,
               two)
          .is_pointwise()
          .with_symbol(">")
          .also({"greater"})
          .with_in_place()
          .with_out(),
      make_row("ge(Tensor input, Tensor|Scalar other) -> Tensor", "True where input >= other.", ge,
               two)
          .is_pointwise()
          .with_symbol(">=")
          .also({"greater_equal"})
          .with_in_place()
          .with_out(),
      make_row("isnan(Tensor input) -> Tensor", "True where an element is NaN.", isnan, one)
          .is_pointwise(),
      make_row("isinf(Tensor input) -> Tensor",
               "True where an element is infinite, of either sign.", isinf, one)
          .is_pointwise(),
      make_row("isfinite(Tensor input) -> Tensor",
               "True where an element is neither infinite nor NaN.", isfinite, one)
          .is_pointwise(),
      make_row(
          "isclose(Tensor input, Tensor other, float rtol=1e-05, float atol=1e-08, bool "
          "equal_nan=False) -> Tensor",
          "True where |input - other| <= atol + rtol * |other|, or where the elements are equal.",
          isclose, close)
          .is_pointwise(),
      make_row("allclose(Tensor input, Tensor other, float rtol=1e-05, float atol=1e-08, bool "
               "equal_nan=False) -> bool",
               "Whether isclose is true everywhere.", allclose, close),
      make_row("equal(Tensor input, Tensor other) -> bool",
               "Whether the shapes and all elements are equal.", equal,
               SAMPLES({floats, floats}, {ints, ints}, {ints, bools})),
  };
}

}  // namespace tamis
