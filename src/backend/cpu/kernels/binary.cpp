// Kernels of two operands: two values to a value, all of one dtype.
#include "backend/cpu/kernels/isa_list.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/kernels/binary.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

#include "backend/cpu/kernels/isa_macros-inl.h"
#include "backend/cpu/kernels/kernel_parts-inl.h"
#include "backend/cpu/kernels/kernels.h"
#include "backend/cpu/kernels/loop_helpers.h"

HWY_BEFORE_NAMESPACE();
namespace tamis::cpu::HWY_NAMESPACE {
namespace {

// At least as wide as int: uint16_t times uint16_t would overflow as int.
template <class T>
using Unsigned = std::make_unsigned_t<decltype(T{} + T{})>;

// Integers wrap, so they are computed as unsigned.
#define TAMIS_WRAPPING(Name, sign)                                                           \
  template <class T>                                                                         \
  struct Name {                                                                              \
    T operator()(T a, T b) const {                                                           \
      if constexpr (std::is_integral_v<T>) {                                                 \
        return static_cast<T>(static_cast<Unsigned<T>>(a) sign static_cast<Unsigned<T>>(b)); \
      } else {                                                                               \
        return a sign b;                                                                     \
      }                                                                                      \
    }                                                                                        \
  };
TAMIS_WRAPPING(Add, +)
TAMIS_WRAPPING(Sub, -)
TAMIS_WRAPPING(Mul, *)
#undef TAMIS_WRAPPING

#define TAMIS_BITWISE(Name, sign)                                     \
  template <class T>                                                  \
  struct Name {                                                       \
    T operator()(T a, T b) const { return static_cast<T>(a sign b); } \
  };
TAMIS_BITWISE(BitAnd, &)
TAMIS_BITWISE(BitOr, |)
TAMIS_BITWISE(BitXor, ^)
#undef TAMIS_BITWISE

template <class T>
struct Div {
  T operator()(T a, T b) const { return a / b; }
};

// If either is NaN so is the result.
template <class T>
struct Minimum {
  T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      return a < b ? a : b;
    } else {
      return ((a < b) | (a != a)) ? a : b;
    }
  }
};

template <class T>
struct Maximum {
  T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      return a > b ? a : b;
    } else {
      return ((a > b) | (a != a)) ? a : b;
    }
  }
};

// Division by zero and the smallest value by -1 trap on x86. The caller has refused zeros, but
// elements that a mask does not select may be anything.
template <class T>
struct Fmod {
  T operator()(T a, T b) const {
    if constexpr (std::is_floating_point_v<T>) {
      return std::fmod(a, b);
    } else if constexpr (std::is_signed_v<T>) {
      return b == 0 || b == -1 ? T{0} : static_cast<T>(a % b);
    } else {
      return b == 0 ? T{0} : static_cast<T>(a % b);
    }
  }
  static T of_fmod(T mod, T /*a*/, T /*b*/) { return mod; }
};

// The sign is the divisor's, as in Python.
template <class T>
struct Remainder {
  T operator()(T a, T b) const { return of_fmod(Fmod<T>()(a, b), a, b); }
  static T of_fmod(T mod, T /*a*/, T b) {
    return mod != 0 && (b < 0) != (mod < 0) ? static_cast<T>(mod + b) : mod;
  }
};

template <class T>
struct FloorDiv {
  T operator()(T a, T b) const {
    if constexpr (std::is_floating_point_v<T>) {
      return of_fmod(std::fmod(a, b), a, b);
    } else if constexpr (std::is_signed_v<T>) {
      if (b == 0) return T{0};
      if (b == -1) return Sub<T>()(T{0}, a);
      const T quotient = static_cast<T>(a / b);
      return (a < 0) != (b < 0) && a % b != 0 ? static_cast<T>(quotient - 1) : quotient;
    } else {
      return b == 0 ? T{0} : static_cast<T>(a / b);
    }
  }

  // PyTorch's (and CPython's) way: exact where a / b rounds up to an integer.
  static T of_fmod(T mod, T a, T b) {
    if (b == 0) return a / b;
    T quotient = (a - mod) / b;
    if (mod != 0 && (b < 0) != (mod < 0)) quotient -= 1;
    if (quotient == 0) return std::copysign(T{0}, a / b);
    const T floor = std::floor(quotient);
    return quotient - floor > T{0.5} ? floor + 1 : floor;
  }
};

// Of integers; floats are in math.cpp.
template <class T>
struct Pow {
  T operator()(T a, T b) const {
    if constexpr (std::is_signed_v<T>) {
      if (b < 0) return a == 1 ? T{1} : a == -1 ? (b % 2 == 0 ? T{1} : T{-1}) : T{0};
    }
    T power = 1;
    for (; b != 0; b = static_cast<T>(b / 2)) {
      if (b % 2 != 0) power = Mul<T>()(power, a);
      a = Mul<T>()(a, a);
    }
    return power;
  }
};

// Of integers. Counts that are negative or leave no bit are no shifts of C++.
template <class T>
struct ShiftLeft {
  T operator()(T a, T b) const {
    const auto count = static_cast<Unsigned<T>>(b);
    const auto moved = static_cast<Unsigned<T>>(a) << (count & (8 * sizeof(Unsigned<T>) - 1));
    return count < 8 * sizeof(T) ? static_cast<T>(moved) : T{0};
  }
};

template <class T>
struct ShiftRight {
  T operator()(T a, T b) const {
    constexpr auto kMost = static_cast<Unsigned<T>>(8 * sizeof(T) - 1);
    const auto count = static_cast<Unsigned<T>>(b);
    if constexpr (std::is_signed_v<T>) {
      return static_cast<T>(a >> (count < kMost ? count : kMost));  // at least the sign is left
    } else {
      return count <= kMost ? static_cast<T>(a >> count) : T{0};
    }
  }
};

// Not negative, but for the smallest value, which has no opposite.
template <class T>
struct Gcd {
  T operator()(T a, T b) const {
    auto x = static_cast<Unsigned<T>>(a), y = static_cast<Unsigned<T>>(b);
    if constexpr (std::is_signed_v<T>) {
      x = a < 0 ? Unsigned<T>{0} - x : x;
      y = b < 0 ? Unsigned<T>{0} - y : y;
    }
    while (y != 0) {
      const auto rest = x % y;
      x = y;
      y = rest;
    }
    return static_cast<T>(x);
  }
};

template <class T>
struct CopySign {
  T operator()(T a, T b) const { return std::copysign(a, b); }
};

// The bits of floating point numbers are in the order of their sizes.
template <class T>
struct NextAfter {
  T operator()(T a, T b) const {
    using Bits = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
    const auto bits = std::bit_cast<Bits>(a);
    const T next = std::bit_cast<T>((b > a) == (a > 0) ? bits + 1 : bits - 1);
    const T from_zero = std::copysign(std::numeric_limits<T>::denorm_min(), b);
    const T moved = a == 0 ? from_zero : next;
    const T number = a == b ? b : moved;
    return ((a != a) | (b != b)) ? std::numeric_limits<T>::quiet_NaN() : number;
  }
};

template <template <class> class F, class T>
void binary(Elements a, Elements b, void* out, size_t n) {
  const T* x = static_cast<const T*>(a.data);
  const T* y = static_cast<const T*>(b.data);
  T* z = static_cast<T*>(out);
  const F<T> f;
  for (; n >= 64; n -= 64, x += a.step, y += b.step, z += 64) {
    TAMIS_INDEPENDENT
    for (int i = 0; i < 64; ++i) z[i] = f(x[i], y[i]);
  }
  for (size_t i = 0; i < n; ++i) z[i] = f(x[i], y[i]);
}

// Minimum or Maximum: with a bound that is the same for all, and is a number, it takes fewer steps.
template <template <class> class F, class T>
void extreme(Elements a, Elements b, void* out, size_t n) {
  constexpr bool kIsMaximum = std::is_same_v<F<T>, Maximum<T>>;
  const T* x = static_cast<const T*>(a.data);
  const T* y = static_cast<const T*>(b.data);
  if (n == 0 || a.step == 0 || b.step != 0 || *y != *y) return binary<F, T>(a, b, out, n);
  T* z = static_cast<T*>(out);
  const T bound = *y;
  TAMIS_INDEPENDENT
  for (size_t i = 0; i < n; ++i) z[i] = (kIsMaximum ? x[i] <= bound : x[i] >= bound) ? bound : x[i];
}

// What follows from fmod of float32: a quotient below 2^29 times a float32 is exact in double, so
// everything else is too; larger ones go to libm.
template <template <class> class F>
void by_fmod(Elements a, Elements b, void* out, size_t n) {
  const float* x = static_cast<const float*>(a.data);
  const float* y = static_cast<const float*>(b.data);
  float* z = static_cast<float*>(out);
  for (size_t part; n > 0; n -= part, x += a.step, y += b.step, z += part) {
    part = std::min<size_t>(n, 64);
    float mods[64];
    uint32_t beyond = 0;
    TAMIS_INDEPENDENT
    for (size_t i = 0; i < part; ++i) {
      const double p = x[i], q = y[i], quotient = std::trunc(p / q);
      const double rest = p - quotient * q;
      // A quotient that was rounded up to an integer is one too large: the rest changes its sign.
      const double mod = rest * p < 0 ? rest + std::copysign(q, p) : rest;
      mods[i] = std::copysign(static_cast<float>(mod), x[i]);
      beyond |= std::abs(quotient) < 0x1p29 ? 0 : 1;
      beyond |= std::abs(y[i]) < HUGE_VALF ? 0 : 1;
    }
    for (size_t i = 0; beyond != 0 && i < part; ++i) mods[i] = std::fmod(x[i], y[i]);
    for (size_t i = 0; i < part; ++i) z[i] = F<float>::of_fmod(mods[i], x[i], y[i]);
  }
}

template <template <class> class F, class... Ts>
void set(Kernels& table, Op op) {
  ((table.binary[binary_index(op)][static_cast<int>(dtype_of<Ts>)] = &binary<F, Ts>), ...);
}

template <class T>
void set_extremes(Kernels& table) {
  constexpr int type = static_cast<int>(dtype_of<T>);
  table.binary[binary_index(Op::minimum)][type] = &extreme<Minimum, T>;
  table.binary[binary_index(Op::maximum)][type] = &extreme<Maximum, T>;
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
  table.binary[binary_index(op)][static_cast<int>(DType::constant)] = &binary<F, Signless<type>>;
  TAMIS_INTEGER_DTYPES(X)
#undef X
}

template <template <class> class F>
void set_all(Kernels& table, Op op) {
  set_integers<F>(table, op);
  set<F, float, double>(table, op);
}

template <template <class> class F>
void set_by_fmod(Kernels& table, Op op) {
  set_all<F>(table, op);
  table.binary[binary_index(op)][static_cast<int>(DType::float32)] = &by_fmod<F>;
}

}  // namespace

void fill_binary(Kernels& table) {
  set_signless<Add>(table, Op::add);
  set_signless<Sub>(table, Op::sub);
  set_signless<Mul>(table, Op::mul);
  set<Add, float, double>(table, Op::add);
  set<Sub, float, double>(table, Op::sub);
  set<Mul, float, double>(table, Op::mul);
  set_by_fmod<FloorDiv>(table, Op::floor_div);
  set_by_fmod<Remainder>(table, Op::remainder);
  set_by_fmod<Fmod>(table, Op::fmod);
  set_integers<Pow>(table, Op::pow);
#define X(constant, type, ...) set_extremes<type>(table);
  TAMIS_INTEGER_DTYPES(X)
#undef X
  set_extremes<float>(table);
  set_extremes<double>(table);
  set<Div, float, double>(table, Op::div);
  set_signless<BitAnd>(table, Op::bit_and);
  set_signless<BitOr>(table, Op::bit_or);
  set_signless<BitXor>(table, Op::bit_xor);
  set_signless<ShiftLeft>(table, Op::shift_left);
  set_integers<ShiftRight>(table, Op::shift_right);
  set_integers<Gcd>(table, Op::gcd);
  set<CopySign, float, double>(table, Op::copysign);
  set<NextAfter, float, double>(table, Op::nextafter);
}

}  // namespace tamis::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
