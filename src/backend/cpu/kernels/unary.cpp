// Kernels of one operand: value to value of the same dtype.
#include "backend/cpu/kernels/isa_list.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/kernels/unary.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include <cmath>
#include <initializer_list>
#include <type_traits>

#include "backend/cpu/kernels/isa_macros-inl.h"
#include "backend/cpu/kernels/kernel_parts-inl.h"
#include "backend/cpu/kernels/kernels.h"
#include "backend/cpu/kernels/loop_helpers.h"

HWY_BEFORE_NAMESPACE();
namespace tamis::cpu::HWY_NAMESPACE {
namespace {

// At least as wide as int, so that the arithmetic of small types is unsigned after promotion too.
template <class T>
using Unsigned = std::make_unsigned_t<decltype(T{} + T{})>;

// Functors rather than lambdas: the target region does not reach into lambdas with all compilers.
template <class T>
struct Neg {
  T operator()(T x) const {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(Unsigned<T>{0} - static_cast<Unsigned<T>>(x));
    } else {
      return -x;
    }
  }
};

template <class T>
struct Abs {
  T operator()(T x) const {
    if constexpr (std::is_floating_point_v<T>) {
      return std::abs(x);
    } else {
      return x < 0 ? Neg<T>()(x) : x;
    }
  }
};

template <class T>
struct Sign {
  T operator()(T x) const { return static_cast<T>((x > 0) - (x < 0)); }
};

template <class T>
struct Relu {
  T operator()(T x) const { return x < 0 ? T{0} : x; }
};

template <class T>
struct BitNot {
  T operator()(T x) const { return static_cast<T>(~x); }
};

template <class T>
struct Rsqrt {
  T operator()(T x) const { return T{1} / std::sqrt(x); }
};

template <class T>
struct Reciprocal {
  T operator()(T x) const { return T{1} / x; }
};

// In the default rounding mode: half to even.
template <class T>
struct Round {
  T operator()(T x) const { return std::nearbyint(x); }
};

template <class T>
struct Same {
  T operator()(T x) const { return x; }
};

#define TAMIS_STD_FUNCTION(Name, function)               \
  template <class T>                                     \
  struct Name {                                          \
    T operator()(T x) const { return std::function(x); } \
  };
TAMIS_STD_FUNCTION(Sqrt, sqrt)
TAMIS_STD_FUNCTION(Floor, floor)
TAMIS_STD_FUNCTION(Ceil, ceil)
TAMIS_STD_FUNCTION(Trunc, trunc)
#undef TAMIS_STD_FUNCTION

template <template <class> class F, class T>
void unary(const void* a, void* out, size_t n) {
  const T* x = static_cast<const T*>(a);
  T* y = static_cast<T*>(out);
  const F<T> f;
  TAMIS_INDEPENDENT
  for (size_t i = 0; i < n; ++i) y[i] = f(x[i]);
}

template <template <class> class F, class... Ts>
void set(Kernels& table, Op op) {
  ((table.unary[unary_index(op)][static_cast<int>(dtype_of<Ts>)] = &unary<F, Ts>), ...);
}

template <template <class> class F>
void set_integers(Kernels& table, Op op) {
#define X(constant, type, ...) set<F, type>(table, op);
  TAMIS_INTEGER_DTYPES(X)
#undef X
}

/// Of what does not depend on the sign.
template <template <class> class F>
void set_signless(Kernels& table, Op op) {
#define X(constant, type, ...) \
  table.unary[unary_index(op)][static_cast<int>(DType::constant)] = &unary<F, Signless<type>>;
  TAMIS_INTEGER_DTYPES(X)
#undef X
}

/// Of what leaves unsigned integers as they are.
template <template <class> class F>
void set_signed(Kernels& table, Op op) {
#define X(constant, type, ...)                                      \
  table.unary[unary_index(op)][static_cast<int>(DType::constant)] = \
      std::is_unsigned_v<type> ? &unary<Same, Signless<type>> : &unary<F, Signless<type>>;
  TAMIS_INTEGER_DTYPES(X)
#undef X
}

template <template <class> class F>
void set_floats(Kernels& table, Op op) {
  set<F, float, double>(table, op);
}

}  // namespace

void fill_unary(Kernels& table) {
  set_signless<Neg>(table, Op::neg);
  set_signed<Abs>(table, Op::abs);
  set_integers<Sign>(table, Op::sign);
  set_signed<Relu>(table, Op::relu);
  set_signless<BitNot>(table, Op::bit_not);
  for (Op op : {Op::floor, Op::ceil, Op::round, Op::trunc}) set_signless<Same>(table, op);

  set_floats<Neg>(table, Op::neg);
  set_floats<Abs>(table, Op::abs);
  set_floats<Sign>(table, Op::sign);
  set_floats<Relu>(table, Op::relu);
  set_floats<Sqrt>(table, Op::sqrt);
  set_floats<Rsqrt>(table, Op::rsqrt);
  set_floats<Reciprocal>(table, Op::reciprocal);
  set_floats<Floor>(table, Op::floor);
  set_floats<Ceil>(table, Op::ceil);
  set_floats<Round>(table, Op::round);
  set_floats<Trunc>(table, Op::trunc);
}

}  // namespace tamis::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
