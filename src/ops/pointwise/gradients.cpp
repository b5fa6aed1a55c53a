// Gradients of the pointwise operations.
#include <cmath>
#include <numbers>

#include "core/check.h"
#include "ops/pointwise/pointwise.h"
#include "tamis/tamis.h"

namespace tamis {

namespace {

const char* name_of(Op op) {
  constexpr const char* kNames[] = {
#define X(name) #name,
      TAMIS_UNARY_OPS(X) TAMIS_BINARY_OPS(X)
#undef X
  };
  return kNames[static_cast<int>(op)];
}

/// Whether the derivative of a function of one number is told by its value alone.
bool uses_result(Op op) {
  switch (op) {
    case Op::sqrt:
    case Op::rsqrt:
    case Op::exp:
    case Op::expm1:
    case Op::tan:
    case Op::tanh:
    case Op::sigmoid:
    case Op::relu:
    case Op::reciprocal:
      return true;
    default:
      return false;
  }
}

Tensor no_slope(const Tensor& g) {
  return zeros_on(backend_of(g), {}, g.dtype()).expand(g.shape());
}

/// Whether the derivative depends on nothing.
bool is_linear(Op op) {
  return op == Op::neg || op == Op::sign || op == Op::floor || op == Op::ceil || op == Op::round ||
         op == Op::trunc;
}

/// g times the derivative at x, or where the value is y (whichever was saved).
Tensor unary_gradient(Op op, const Tensor& g, const Tensor& x, const Tensor& y) {
  switch (op) {
    case Op::neg:
      return -g;
    case Op::abs:
      return g * sign(x);
    case Op::sqrt:
      return g / (y * 2);
    case Op::rsqrt:
      return g * y * y * y * -0.5;
    case Op::exp:
      return g * y;
    case Op::log:
      return g / x;
    case Op::log2:
      return g / (x * std::numbers::ln2);
    case Op::log10:
      return g / (x * std::numbers::ln10);
    case Op::log1p:
      return g / (x + 1);
    case Op::expm1:
      return g * (y + 1);
    case Op::sin:
      return g * cos(x);
    case Op::cos:
      return -(g * sin(x));
    case Op::tan:
      return g * (y * y + 1);
    case Op::tanh:
      return g * (1 - y * y);
    case Op::sigmoid:
      return g * y * (1 - y);
    case Op::relu:
      // NaN is not below zero. Where the zeros are y's sign, the result depends on y, as PyTorch
      // has it: a second derivative is there to ask for, and is zero.
      return where(y <= 0, is_tracked(y) ? sign(y) : scalar_tensor(0, g.dtype()), g);
    case Op::reciprocal:
      return -(g * y * y);
    default:  // sign and the roundings are flat
      return no_slope(g);
  }
}

/// Half of g to each where they are equal. Where one is NaN neither loses, as in PyTorch.
Tensor share(const Tensor& g, const Tensor& loses, const Tensor& equal) {
  return where(equal, g / 2, where(loses, scalar_tensor(0, g.dtype()), g));
}

/// A number in the gradient's dtype: alone with other numbers it would count as float32.
Tensor precise(const Tensor& x, const Tensor& g) {
  return x.impl().is_number ? scalar_tensor(x.item(), g.dtype()) : x;
}

Tensor first_gradient(Op op, const Tensor& g, const Tensor& a, const Tensor& b) {
  switch (op) {
    case Op::mul:
      return g * b;
    case Op::div:
      return g / b;
    case Op::pow:
      // a to the power of zero is one, whatever a is.
      return where(b == 0, scalar_tensor(0, g.dtype()), g * b * pow(a, precise(b, g) - 1));
    case Op::minimum:
      return share(g, a > b, a == b);
    case Op::maximum:
      return share(g, a < b, a == b);
    default:  // add, sub, remainder, fmod
      return g;
  }
}

Tensor second_gradient(Op op, const Tensor& g, const Tensor& a, const Tensor& b) {
  switch (op) {
    case Op::sub:
      return -g;
    case Op::mul:
      return g * a;
    case Op::div:
      return -(g * (a / b / b));
    case Op::remainder:
      return -(g * floor(a / b));
    case Op::fmod:
      return -(g * trunc(a / b));
    case Op::pow:
      return where((a == 0) & (b >= 0), scalar_tensor(0, g.dtype()),
                   g * pow(a, b) * log(precise(a, g)));
    case Op::minimum:
      return share(g, b > a, a == b);
    case Op::maximum:
      return share(g, b < a, a == b);
    default:  // add
      return g;
  }
}

/// What the two gradients read; nothing is kept for a gradient that nobody wants.
std::vector<Tensor> save_operands(Op op, const Tensor& a, const Tensor& b) {
  if (op == Op::add || op == Op::sub) return {};
  const bool want_b = is_tracked(b);
  if (op == Op::mul) return {want_b ? a : Tensor(), is_tracked(a) ? b : Tensor()};
  const bool linear = op == Op::div || op == Op::remainder || op == Op::fmod;
  const bool plain = op == Op::remainder || op == Op::fmod;  // the first gradient reads nothing
  return {want_b || !linear ? a : Tensor(), want_b || !plain ? b : Tensor()};
}

void record_binary(Op op, const Tensor& y, const Tensor& a, const Tensor& b) {
  const bool want_a = is_tracked(a), want_b = is_tracked(b);
  record(y, name_of(op), Flow::pointwise, {a, b}, save_operands(op, a, b),
         [=](const Tensor& g, std::span<const Tensor> saved) -> Gradients {
           const Tensor none, &x = saved.empty() ? none : saved[0],
                              &z = saved.empty() ? none : saved[1];
           Gradients result(2);
           if (want_a) result[0] = first_gradient(op, g, x, z);
           if (want_b) result[1] = second_gradient(op, g, x, z);
           return result;
         });
}

}  // namespace

void record_pointwise(Op op, const Tensor& y, std::span<const Tensor> inputs) {
  check(!is_complex(y.dtype()), ErrorKind::unsupported,
        "complex numbers carry no gradient: detach() a tensor that requires one before it becomes "
        "complex");
  if (is_unary(op)) {
    const Tensor kept = is_linear(op) ? Tensor() : uses_result(op) ? y : inputs[0];
    record(y, name_of(op), Flow::pointwise, {inputs[0]}, {kept},
           [op](const Tensor& g, std::span<const Tensor> saved) -> Gradients {
             return {unary_gradient(op, g, saved[0], saved[0])};
           });
  } else if (op == Op::floor_div) {
    return;  // a step function of both
  } else if (is_binary(op)) {
    record_binary(op, y, inputs[0], inputs[1]);
  } else if (op == Op::where) {
    record(y, "where", Flow::pointwise, {inputs[1], inputs[2]}, {inputs[0]},
           [](const Tensor& g, std::span<const Tensor> saved) -> Gradients {
             return {{g, saved[0]}, {g, ~saved[0]}};
           });
  } else if (op == Op::cast) {
    record(y, "to", Flow::pointwise, {inputs[0]}, {},
           [](const Tensor& g, std::span<const Tensor>) -> Gradients { return {g}; });
  }
}

}  // namespace tamis
