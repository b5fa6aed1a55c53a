// Gradients of the pointwise operations.
#include <cmath>
#include <complex>
#include <numbers>

#include "core/check.h"
#include "ops/pointwise/pointwise.h"
#include "tamis/tamis.h"

namespace tamis {

namespace {

Tensor no_slope(const Tensor& g) {
  return zeros_on(backend_of(g), {}, g.dtype()).expand(g.shape());
}

/// g times the derivative of a function of one number, at x, or where the value is y: whichever the
/// op's row says is saved. An op whose row promises a gradient and that has none here does not
/// compile. The derivative of a complex result is conjugated by the caller, for all of them. A real
/// result of complex numbers, as that of abs, has no derivative: the slope gives the gradient.
template <Op>
Tensor slope(const Tensor& g, const Tensor& saved) = delete;

template <>
Tensor slope<Op::neg>(const Tensor& g, const Tensor&) {
  return -g;
}
template <>
Tensor slope<Op::abs>(const Tensor& g, const Tensor& x) {
  return g * sgn(x);
}
template <>
Tensor slope<Op::sign>(const Tensor& g, const Tensor&) {
  return no_slope(g);
}
template <>
Tensor slope<Op::sqrt>(const Tensor& g, const Tensor& y) {
  return g / (y * 2);
}
template <>
Tensor slope<Op::rsqrt>(const Tensor& g, const Tensor& y) {
  return g * y * y * y * -0.5;
}
template <>
Tensor slope<Op::exp>(const Tensor& g, const Tensor& y) {
  return g * y;
}
template <>
Tensor slope<Op::log>(const Tensor& g, const Tensor& x) {
  return g / x;
}
template <>
Tensor slope<Op::log2>(const Tensor& g, const Tensor& x) {
  return g / (x * std::numbers::ln2);
}
template <>
Tensor slope<Op::log10>(const Tensor& g, const Tensor& x) {
  return g / (x * std::numbers::ln10);
}
template <>
Tensor slope<Op::log1p>(const Tensor& g, const Tensor& x) {
  return g / (x + 1);
}
template <>
Tensor slope<Op::expm1>(const Tensor& g, const Tensor& y) {
  return g * (y + 1);
}
template <>
Tensor slope<Op::sin>(const Tensor& g, const Tensor& x) {
  return g * cos(x);
}
template <>
Tensor slope<Op::cos>(const Tensor& g, const Tensor& x) {
  return -(g * sin(x));
}
template <>
Tensor slope<Op::tan>(const Tensor& g, const Tensor& y) {
  return g * (y * y + 1);
}
template <>
Tensor slope<Op::tanh>(const Tensor& g, const Tensor& y) {
  return g * (1 - y * y);
}
template <>
Tensor slope<Op::sigmoid>(const Tensor& g, const Tensor& y) {
  return g * y * (1 - y);
}
template <>
Tensor slope<Op::erf>(const Tensor& g, const Tensor& x) {
  return g * exp(-(x * x)) * (2 * std::numbers::inv_sqrtpi);
}
template <>
Tensor slope<Op::erfc>(const Tensor& g, const Tensor& x) {
  return g * exp(-(x * x)) * (-2 * std::numbers::inv_sqrtpi);
}
template <>
Tensor slope<Op::erfinv>(const Tensor& g, const Tensor& y) {
  return g * exp(y * y) * (0.5 / std::numbers::inv_sqrtpi);
}
template <>
Tensor slope<Op::lgamma>(const Tensor& g, const Tensor& x) {
  return g * digamma(x);
}
template <>
Tensor slope<Op::digamma>(const Tensor& g, const Tensor& x) {
  return g * trigamma(x.to(g.dtype()));
}
Tensor bessel1(const Tensor& x) { return defer_recorded(Op::i1, x.dtype(), x.dtype(), {x}); }
template <>
Tensor slope<Op::i0>(const Tensor& g, const Tensor& x) {
  return g * bessel1(x.to(g.dtype()));
}
template <>
Tensor slope<Op::i1>(const Tensor& g, const Tensor& x) {
  return g * where(x == 0, scalar_tensor(0.5, g.dtype()), i0(x) - bessel1(x) / x);
}
template <>
Tensor slope<Op::relu>(const Tensor& g, const Tensor& y) {
  // NaN is not below zero. Where the zeros are y's sign, the result depends on y, as in PyTorch:
  // there is a second derivative, and it is zero.
  return where(y <= 0, is_tracked(y) ? sign(y) : scalar_tensor(0, g.dtype()), g);
}
template <>
Tensor slope<Op::floor>(const Tensor& g, const Tensor&) {
  return no_slope(g);
}
template <>
Tensor slope<Op::ceil>(const Tensor& g, const Tensor&) {
  return no_slope(g);
}
template <>
Tensor slope<Op::round>(const Tensor& g, const Tensor&) {
  return no_slope(g);
}
template <>
Tensor slope<Op::trunc>(const Tensor& g, const Tensor&) {
  return no_slope(g);
}
template <>
Tensor slope<Op::reciprocal>(const Tensor& g, const Tensor& y) {
  return -(g * y * y);
}
template <>
Tensor slope<Op::angle>(const Tensor& g, const Tensor& x) {
  // That of a real number is 0 or pi.
  if (!is_complex(x)) return no_slope(g);
  const Tensor size = abs(x), i = scalar_tensor(std::complex<double>(0, 1), x.dtype());
  return where(size == 0, scalar_tensor(0, x.dtype()), g * (x / size / size * i));
}

/// Half of g to each where they are equal. Where one is NaN neither loses, as in PyTorch.
Tensor share(const Tensor& g, const Tensor& loses, const Tensor& equal) {
  return where(equal, g / 2, where(loses, scalar_tensor(0, g.dtype()), g));
}

/// A number in the gradient's dtype: alone with other numbers it would count as float32.
Tensor precise(const Tensor& x, const Tensor& g) {
  return x.impl().is_number ? scalar_tensor(x.item(), g.dtype()) : x;
}

/// The gradients of a function of two numbers, each of which sees the operands that the op's row
/// says are saved for it.
template <Op>
struct Slopes;

template <>
struct Slopes<Op::add> {
  static Tensor first(const Tensor& g, const Tensor&, const Tensor&) { return g; }
  static Tensor second(const Tensor& g, const Tensor&, const Tensor&) { return g; }
};
template <>
struct Slopes<Op::sub> {
  static Tensor first(const Tensor& g, const Tensor&, const Tensor&) { return g; }
  static Tensor second(const Tensor& g, const Tensor&, const Tensor&) { return -g; }
};
template <>
struct Slopes<Op::mul> {
  static Tensor first(const Tensor& g, const Tensor&, const Tensor& b) { return g * b; }
  static Tensor second(const Tensor& g, const Tensor& a, const Tensor&) { return g * a; }
};
template <>
struct Slopes<Op::div> {
  static Tensor first(const Tensor& g, const Tensor&, const Tensor& b) { return g / b; }
  static Tensor second(const Tensor& g, const Tensor& a, const Tensor& b) {
    return -(g * (a / b / b));
  }
};
template <>
struct Slopes<Op::remainder> {
  static Tensor first(const Tensor& g, const Tensor&, const Tensor&) { return g; }
  static Tensor second(const Tensor& g, const Tensor& a, const Tensor& b) {
    return -(g * floor(a / b));
  }
};
template <>
struct Slopes<Op::fmod> {
  static Tensor first(const Tensor& g, const Tensor&, const Tensor&) { return g; }
  static Tensor second(const Tensor& g, const Tensor& a, const Tensor& b) {
    return -(g * trunc(a / b));
  }
};
/// Whether b is a real number and not negative: such powers of zero are smooth in the exponent.
Tensor is_not_negative(const Tensor& b) {
  return is_complex(b) ? isreal(b) & (b.to(real_dtype(b.dtype())) >= 0) : b >= 0;
}
template <>
struct Slopes<Op::pow> {
  static Tensor first(const Tensor& g, const Tensor& a, const Tensor& b) {
    // a to the power of zero is one, whatever a is.
    return where(b == 0, scalar_tensor(0, g.dtype()), g * b * pow(a, precise(b, g) - 1));
  }
  static Tensor second(const Tensor& g, const Tensor& a, const Tensor& b) {
    // The logarithm of a negative number is complex if the power is.
    return where((a == 0) & is_not_negative(b), scalar_tensor(0, g.dtype()),
                 g * pow(a, b) * log(precise(a, g).to(g.dtype())));
  }
};
template <>
struct Slopes<Op::atan2> {
  static Tensor first(const Tensor& g, const Tensor& a, const Tensor& b) {
    return g * (b / (a * a + b * b));
  }
  static Tensor second(const Tensor& g, const Tensor& a, const Tensor& b) {
    return -(g * (a / (a * a + b * b)));
  }
};
template <>
struct Slopes<Op::copysign> {
  static Tensor first(const Tensor& g, const Tensor& a, const Tensor& b) {
    return where(a == 0, scalar_tensor(0, g.dtype()), where(signbit(a) == signbit(b), g, -g));
  }
  static Tensor second(const Tensor& g, const Tensor&, const Tensor&) { return no_slope(g); }
};
template <>
struct Slopes<Op::minimum> {
  static Tensor first(const Tensor& g, const Tensor& a, const Tensor& b) {
    return share(g, a > b, a == b);
  }
  static Tensor second(const Tensor& g, const Tensor& a, const Tensor& b) {
    return share(g, b > a, a == b);
  }
};
template <>
struct Slopes<Op::maximum> {
  static Tensor first(const Tensor& g, const Tensor& a, const Tensor& b) {
    return share(g, a < b, a == b);
  }
  static Tensor second(const Tensor& g, const Tensor& a, const Tensor& b) {
    return share(g, b < a, a == b);
  }
};

using Slope = Tensor (*)(const Tensor& g, const Tensor& saved);
using Slope2 = Tensor (*)(const Tensor& g, const Tensor& a, const Tensor& b);
struct BinarySlopes {
  Slope2 first = nullptr, second = nullptr;
};

constexpr bool has_gradient(Op op) { return row_of(op).first != Saves::no_gradient; }

template <Op op>
constexpr Slope slope_of() {
  if constexpr (has_gradient(op)) return slope<op>;
  return nullptr;
}
template <Op op>
constexpr BinarySlopes slopes_of() {
  if constexpr (has_gradient(op)) return {Slopes<op>::first, Slopes<op>::second};
  return {};
}

constexpr Slope kSlopes[] = {
#define X(name, ...) slope_of<Op::name>(),
    TAMIS_UNARY_OPS(X)
#undef X
};
constexpr BinarySlopes kBinarySlopes[] = {
#define X(name, ...) slopes_of<Op::name>(),
    TAMIS_BINARY_OPS(X)
#undef X
};

void record_unary(Op op, const Tensor& y, const Tensor& x) {
  const Saves saves = row_of(op).first;
  const Tensor kept = saves == Saves::nothing ? Tensor() : saves == Saves::result ? y : x;
  record(y, name(op), Flow::pointwise, {x}, {kept},
         [slope = kSlopes[unary_index(op)]](const Tensor& g,
                                            std::span<const Tensor> saved) -> Gradients {
           if (!saved[0].defined()) return {slope(g, saved[0])};  // a constant times g
           return conjugated(g, [&](const Tensor& h) -> Gradients { return {slope(h, saved[0])}; });
         });
}

/// What the two gradients read; nothing is saved for a gradient that is not wanted.
std::vector<Tensor> save_operands(Op op, const Tensor& a, const Tensor& b) {
  const auto bits = [](bool wanted, Saves saves) {
    return wanted ? static_cast<unsigned>(saves) : 0u;
  };
  const unsigned kept =
      bits(is_tracked(a), row_of(op).first) | bits(is_tracked(b), row_of(op).second);
  if (kept == 0) return {};
  const auto has = [=](Saves operand) { return (kept & static_cast<unsigned>(operand)) != 0; };
  return {has(Saves::first) ? a : Tensor(), has(Saves::second) ? b : Tensor()};
}

void record_binary(Op op, const Tensor& y, const Tensor& a, const Tensor& b) {
  const bool want_a = is_tracked(a), want_b = is_tracked(b);
  record(y, name(op), Flow::pointwise, {a, b}, save_operands(op, a, b),
         [=, slopes = kBinarySlopes[binary_index(op)]](const Tensor& g,
                                                       std::span<const Tensor> saved) -> Gradients {
           const Tensor none, &x = saved.empty() ? none : saved[0],
                              &z = saved.empty() ? none : saved[1];
           const auto times = [&](const Tensor& h) {
             Gradients result(2);
             if (want_a) result[0] = slopes.first(h, x, z);
             if (want_b) result[1] = slopes.second(h, x, z);
             return result;
           };
           return saved.empty() ? times(g) : conjugated(g, times);
         });
}

}  // namespace

void record_pointwise(Op op, const Tensor& y, std::span<const Tensor> inputs) {
  if (is_unary(op) || is_binary(op)) {
    if (!has_gradient(op)) return;
    is_unary(op) ? record_unary(op, y, inputs[0]) : record_binary(op, y, inputs[0], inputs[1]);
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
