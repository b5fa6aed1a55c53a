// Kernels of complex numbers: arithmetic, comparison, conversion and reduction of pairs of floats.
#include "backend/cpu/kernels/isa_list.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/kernels/complex.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "backend/cpu/kernels/complex_math-inl.h"
#include "backend/cpu/kernels/isa_macros-inl.h"
#include "backend/cpu/kernels/kernel_parts-inl.h"
#include "backend/cpu/kernels/kernels.h"
#include "backend/cpu/kernels/loop_helpers.h"

HWY_BEFORE_NAMESPACE();
namespace tamis::cpu::HWY_NAMESPACE {
namespace {

// The operators of std::complex call functions that repair infinities; PyTorch has the plain
// formulas.
template <class R>
struct Pair {
  R re, im;
};

template <class R>
HWY_INLINE Pair<R> load(const R* x, size_t i) {
  return {x[2 * i], x[2 * i + 1]};
}

template <class R>
HWY_INLINE void store(R* y, size_t i, Pair<R> v) {
  y[2 * i] = v.re;
  y[2 * i + 1] = v.im;
}

template <class R>
std::complex<R> standard(Pair<R> x) {
  return {x.re, x.im};
}

template <class R>
Pair<R> own(std::complex<R> x) {
  return {x.real(), x.imag()};
}

// ---- two operands -------------------------------------------------------------------------------

template <class R>
struct Add {
  Pair<R> operator()(Pair<R> a, Pair<R> b) const { return {a.re + b.re, a.im + b.im}; }
};

template <class R>
struct Sub {
  Pair<R> operator()(Pair<R> a, Pair<R> b) const { return {a.re - b.re, a.im - b.im}; }
};

template <class R>
struct Mul {
  Pair<R> operator()(Pair<R> a, Pair<R> b) const {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }
};

// Divides by the larger part of b first, so that nothing overflows in between; the last steps are
// in double.
template <class R>
struct Div {
  Pair<R> operator()(Pair<R> a, Pair<R> b) const {
    const R abs_re = std::abs(b.re), abs_im = std::abs(b.im);
    if (abs_re >= abs_im) {
      if (abs_re == 0 && abs_im == 0) return {a.re / abs_re, a.im / abs_im};
      const R ratio = b.im / b.re;
      const double scale = 1.0 / (b.re + b.im * ratio);
      return {static_cast<R>((a.re + a.im * ratio) * scale),
              static_cast<R>((a.im - a.re * ratio) * scale)};
    }
    const R ratio = b.re / b.im;
    const double scale = 1.0 / (b.re * ratio + b.im);
    return {static_cast<R>((a.re * ratio + a.im) * scale),
            static_cast<R>((a.im * ratio - a.re) * scale)};
  }
};

template <class R>
struct Pow {
  Pair<R> operator()(Pair<R> a, Pair<R> b) const {
    if (b.re == 2 && b.im == 0) return Mul<R>()(a, a);
    return own(std::pow(standard(a), standard(b)));
  }
};

template <template <class> class F, class R>
void binary(Elements a, Elements b, void* out, size_t n) {
  const R* x = static_cast<const R*>(a.data);
  const R* y = static_cast<const R*>(b.data);
  R* z = static_cast<R*>(out);
  const F<R> f;
  for (size_t part; n > 0; n -= part, x += 2 * a.step, y += 2 * b.step, z += 2 * part) {
    part = std::min<size_t>(n, 64);
    TAMIS_INDEPENDENT
    for (size_t i = 0; i < part; ++i) store(z, i, f(load(x, i), load(y, i)));
  }
}

// ---- one operand --------------------------------------------------------------------------------

template <class R>
struct Neg {
  Pair<R> operator()(Pair<R> x) const { return {-x.re, -x.im}; }
};

template <class R>
struct Conj {
  Pair<R> operator()(Pair<R> x) const { return {x.re, -x.im}; }
};

template <class R>
struct Reciprocal {
  Pair<R> operator()(Pair<R> x) const { return Div<R>()({1, 0}, x); }
};

template <class R>
struct Rsqrt {
  Pair<R> operator()(Pair<R> x) const { return Reciprocal<R>()(own(std::sqrt(standard(x)))); }
};

template <class R>
struct Sigmoid {
  Pair<R> operator()(Pair<R> x) const {
    const Pair<R> e = own(std::exp(standard(Neg<R>()(x))));
    return Reciprocal<R>()({1 + e.re, e.im});
  }
};

template <class R>
struct Log2 {
  Pair<R> operator()(Pair<R> x) const {
    const std::complex<R> log = std::log(standard(x));
    return {log.real() / std::log(R{2}), log.imag() / std::log(R{2})};
  }
};

#define TAMIS_STD_FUNCTION(Name, function)                                          \
  template <class R>                                                                \
  struct Name {                                                                     \
    Pair<R> operator()(Pair<R> x) const { return own(std::function(standard(x))); } \
  };
TAMIS_STD_FUNCTION(Sqrt, sqrt)
TAMIS_STD_FUNCTION(Exp, exp)
TAMIS_STD_FUNCTION(Log, log)
TAMIS_STD_FUNCTION(Log10, log10)
TAMIS_STD_FUNCTION(Sin, sin)
TAMIS_STD_FUNCTION(Cos, cos)
TAMIS_STD_FUNCTION(Tan, tan)
TAMIS_STD_FUNCTION(Tanh, tanh)
TAMIS_STD_FUNCTION(Sinh, sinh)
TAMIS_STD_FUNCTION(Cosh, cosh)
#undef TAMIS_STD_FUNCTION

// In double: some C++ libraries lose half of the digits near branch points.
#define TAMIS_WIDE_FUNCTION(Name, function)                        \
  template <class R>                                               \
  struct Name {                                                    \
    Pair<R> operator()(Pair<R> x) const {                          \
      const auto y = function(std::complex<double>(x.re, x.im));   \
      return {static_cast<R>(y.real()), static_cast<R>(y.imag())}; \
    }                                                              \
  };
TAMIS_WIDE_FUNCTION(Asin, std::asin)
TAMIS_WIDE_FUNCTION(Acos, std::acos)
TAMIS_WIDE_FUNCTION(Atan, std::atan)
TAMIS_WIDE_FUNCTION(Asinh, std::asinh)
TAMIS_WIDE_FUNCTION(Acosh, std::acosh)
TAMIS_WIDE_FUNCTION(Atanh, std::atanh)
TAMIS_WIDE_FUNCTION(Expm1, math::expm1)
TAMIS_WIDE_FUNCTION(Log1p, math::log1p)
#undef TAMIS_WIDE_FUNCTION

template <template <class> class F, class R>
void unary(const void* a, void* out, size_t n) {
  const R* x = static_cast<const R*>(a);
  R* y = static_cast<R*>(out);
  const F<R> f;
  TAMIS_INDEPENDENT
  for (size_t i = 0; i < n; ++i) store(y, i, f(load(x, i)));
}

// To a real number.
template <class R>
struct Abs {
  R operator()(Pair<R> x) const { return std::hypot(x.re, x.im); }
};

template <class R>
struct Angle {
  R operator()(Pair<R> x) const { return std::atan2(x.im, x.re); }
};

template <class R>
struct Real {
  R operator()(Pair<R> x) const { return x.re; }
};

template <class R>
struct Imag {
  R operator()(Pair<R> x) const { return x.im; }
};

template <template <class> class F, class R>
void to_real(const void* a, void* out, size_t n) {
  const R* x = static_cast<const R*>(a);
  R* y = static_cast<R*>(out);
  const F<R> f;
  for (size_t i = 0; i < n; ++i) y[i] = f(load(x, i));
}

// The angle of a real number.
template <class R>
void real_angle(const void* a, void* out, size_t n) {
  const R* x = static_cast<const R*>(a);
  R* y = static_cast<R*>(out);
  TAMIS_INDEPENDENT
  for (size_t i = 0; i < n; ++i)
    y[i] = x[i] != x[i] ? x[i] : x[i] < 0 ? std::numbers::pi_v<R> : R{0};
}

// ---- conversion and masks -----------------------------------------------------------------------

template <class R>
void from_real(const void* a, void* out, size_t n) {
  const R* x = static_cast<const R*>(a);
  R* y = static_cast<R*>(out);
  for (size_t i = 0; i < n; ++i) store(y, i, {x[i], R{0}});
}

template <class From, class To>
void cast(const void* a, void* out, size_t n) {
  const From* x = static_cast<const From*>(a);
  To* y = static_cast<To*>(out);
  for (size_t i = 0; i < 2 * n; ++i) y[i] = static_cast<To>(x[i]);
}

template <class R>
void equal(Elements a, Elements b, uint64_t* out, size_t n) {
  const R* x = static_cast<const R*>(a.data);
  const R* y = static_cast<const R*>(b.data);
  for (size_t i = 0; i < n; i += 64, x += 2 * a.step, y += 2 * b.step) {
    uint64_t word = 0;
    for (size_t j = 0; j < std::min<size_t>(n - i, 64); ++j) {
      const bool same = (x[2 * j] == y[2 * j]) & (x[2 * j + 1] == y[2 * j + 1]);
      word |= uint64_t{same} << j;
    }
    *out++ = word;
  }
}

template <class R>
void to_mask(const void* a, uint64_t* out, size_t n) {
  const R* x = static_cast<const R*>(a);
  for (size_t i = 0; i < n; i += 64) {
    uint64_t word = 0;
    for (size_t j = i; j < std::min(n, i + 64); ++j) {
      const bool nonzero = (x[2 * j] != 0) | (x[2 * j + 1] != 0);
      word |= uint64_t{nonzero} << (j - i);
    }
    *out++ = word;
  }
}

template <class R>
void from_mask(const uint64_t* mask, void* out, size_t n) {
  R* y = static_cast<R*>(out);
  for (size_t i = 0; i < n; ++i) {
    store(y, i, {static_cast<R>(mask[i / 64] >> (i % 64) & 1), R{0}});
  }
}

// ---- reduction: lanes as in reduce.cpp, in double ---------------------------------------

constexpr size_t kLanes = 64;

template <template <class> class F, class R, Reduction reduction>
void reduce(const void* a, const uint64_t* mask, void* out, size_t n) {
  const R* x = static_cast<const R*>(a);
  const F<double> f;
  Pair<double> lanes[kLanes];
  const Pair<double> start{neutral_value<double>(row_of(reduction).neutral), 0};
  for (Pair<double>& lane : lanes) lane = start;
  for (size_t i = 0; i < n; i += kLanes) {
    const uint64_t word = mask ? mask[i / 64] : ~uint64_t{0};
    for (size_t j = 0; j < std::min(kLanes, n - i); ++j) {
      if (!(word >> j & 1)) continue;
      const Pair<R> v = load(x, i + j);
      lanes[j] = f(lanes[j], {static_cast<double>(v.re), static_cast<double>(v.im)});
    }
  }
  for (size_t half = kLanes / 2; half > 0; half /= 2) {
    for (size_t j = 0; j < half; ++j) lanes[j] = f(lanes[j], lanes[j + half]);
  }
  store(static_cast<double*>(out), 0, lanes[0]);
}

template <template <class> class F, class R>
void add_lines(const void* a, void* out, size_t lines, size_t width) {
  const R* x = static_cast<const R*>(a);
  double* const acc = static_cast<double*>(out);
  const F<double> f;
  for (size_t line = 0; line < lines; ++line, x += 2 * width) {
    for (size_t j = 0; j < width; ++j) {
      const Pair<R> v = load(x, j);
      store(acc, j, f(load(acc, j), {static_cast<double>(v.re), static_cast<double>(v.im)}));
    }
  }
}

// ---- the table ----------------------------------------------------------------------------------

template <class R>
void fill_arithmetic(Kernels& table) {
  constexpr int type = static_cast<int>(dtype_of<std::complex<R>>);
  const auto set_unary = [&](Op op, Kernels::Unary f) { table.unary[unary_index(op)][type] = f; };
  const auto set_binary = [&](Op op, Kernels::Binary f) {
    table.binary[binary_index(op)][type] = f;
  };
  set_unary(Op::neg, &unary<Neg, R>);
  set_unary(Op::conj, &unary<Conj, R>);
  set_unary(Op::reciprocal, &unary<Reciprocal, R>);
  set_unary(Op::sqrt, &unary<Sqrt, R>);
  set_unary(Op::rsqrt, &unary<Rsqrt, R>);
  set_unary(Op::exp, &unary<Exp, R>);
  set_unary(Op::log, &unary<Log, R>);
  set_unary(Op::log2, &unary<Log2, R>);
  set_unary(Op::log10, &unary<Log10, R>);
  set_unary(Op::log1p, &unary<Log1p, R>);
  set_unary(Op::expm1, &unary<Expm1, R>);
  set_unary(Op::sin, &unary<Sin, R>);
  set_unary(Op::cos, &unary<Cos, R>);
  set_unary(Op::tan, &unary<Tan, R>);
  set_unary(Op::tanh, &unary<Tanh, R>);
  set_unary(Op::sigmoid, &unary<Sigmoid, R>);
  set_unary(Op::asin, &unary<Asin, R>);
  set_unary(Op::acos, &unary<Acos, R>);
  set_unary(Op::atan, &unary<Atan, R>);
  set_unary(Op::sinh, &unary<Sinh, R>);
  set_unary(Op::cosh, &unary<Cosh, R>);
  set_unary(Op::asinh, &unary<Asinh, R>);
  set_unary(Op::acosh, &unary<Acosh, R>);
  set_unary(Op::atanh, &unary<Atanh, R>);
  set_unary(Op::abs, &to_real<Abs, R>);
  set_unary(Op::angle, &to_real<Angle, R>);
  set_unary(Op::imag, &to_real<Imag, R>);
  set_binary(Op::add, &binary<Add, R>);
  set_binary(Op::sub, &binary<Sub, R>);
  set_binary(Op::mul, &binary<Mul, R>);
  set_binary(Op::div, &binary<Div, R>);
  set_binary(Op::pow, &binary<Pow, R>);
}

template <Reduction reduction, template <class> class F, class R>
void set_reduction(Kernels& table) {
  constexpr int type = static_cast<int>(dtype_of<std::complex<R>>);
  table.reduce[reduction_index(reduction)][type] = &reduce<F, R, reduction>;
  table.reduce_lines[reduction_index(reduction)][type] = &add_lines<F, R>;
}

template <class R>
void fill_other(Kernels& table) {
  constexpr int type = static_cast<int>(dtype_of<std::complex<R>>);
  constexpr int part = static_cast<int>(dtype_of<R>);
  table.unary[unary_index(Op::angle)][part] = &real_angle<R>;
  table.compare[compare_index(Op::eq)][type] = &equal<R>;
  table.to_mask[type] = &to_mask<R>;
  table.from_mask[type] = &from_mask<R>;
  table.cast[type][part] = &to_real<Real, R>;
  table.cast[part][type] = &from_real<R>;
  table.cast[type][static_cast<int>(DType::complex64)] = &cast<R, float>;
  table.cast[type][static_cast<int>(DType::complex128)] = &cast<R, double>;
  set_reduction<Reduction::sum, Add, R>(table);
  set_reduction<Reduction::mean, Add, R>(table);
  set_reduction<Reduction::prod, Mul, R>(table);
}

}  // namespace

void fill_complex(Kernels& table) {
  fill_arithmetic<float>(table);
  fill_arithmetic<double>(table);
  fill_other<float>(table);
  fill_other<double>(table);
}

}  // namespace tamis::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
