// Arithmetic, comparisons and casts of every instruction set against plain references.
#include "backend/cpu/kernels/kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <type_traits>
#include <vector>

#include "support/kernels.h"

namespace tamis::testing {
namespace {

using cpu::Kernels;

template <class T>
class KernelsOf : public ::testing::Test {};
using Numbers = ::testing::Types<uint8_t, uint16_t, uint32_t, uint64_t, int8_t, int16_t, int32_t,
                                 int64_t, float, double>;
TYPED_TEST_SUITE(KernelsOf, Numbers);

template <class T>
using Wrapping = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;

template <class T>
T reference_unary(Op op, T x) {
  if constexpr (std::is_integral_v<T>) {
    const T negated = static_cast<T>(Wrapping<T>{0} - static_cast<Wrapping<T>>(x));
    if (op == Op::neg) return negated;
    if (op == Op::abs) return std::is_signed_v<T> && x < 1 ? negated : x;
    if (op == Op::sign) return x == 0 ? T{0} : std::is_signed_v<T> && x < 1 ? T(-1) : T{1};
    if (op == Op::relu) return std::is_signed_v<T> && x < 1 ? T{0} : x;
    if (op == Op::bit_not) return static_cast<T>(~x);
    return x;  // floor, ceil, round, trunc
  } else {
    switch (op) {
      case Op::neg:
        return -x;
      case Op::abs:
        return std::fabs(x);
      case Op::sign:
        return x > 0 ? T{1} : x < 0 ? T{-1} : T{0};  // PyTorch: sign(nan) is 0
      case Op::sqrt:
        return std::sqrt(x);
      case Op::rsqrt:
        return 1 / std::sqrt(x);
      case Op::exp:
        return std::exp(x);
      case Op::log:
        return std::log(x);
      case Op::log2:
        return std::log2(x);
      case Op::log10:
        return std::log10(x);
      case Op::log1p:
        return std::log1p(x);
      case Op::expm1:
        return std::expm1(x);
      case Op::sin:
        return std::sin(x);
      case Op::cos:
        return std::cos(x);
      case Op::tan:
        return std::tan(x);
      case Op::tanh:
        return std::tanh(x);
      case Op::sigmoid:
        return 1 / (1 + std::exp(-x));
      case Op::erf:
        return std::erf(x);
      case Op::relu:
        return x < 0 ? T{0} : x;
      case Op::floor:
        return std::floor(x);
      case Op::ceil:
        return std::ceil(x);
      case Op::round:
        return std::isinf(x) ? x : std::copysign(x - std::remainder(x, T{1}), x);
      case Op::trunc:
        return std::trunc(x);
      case Op::angle:
        return std::isnan(x) ? x : x < 0 ? static_cast<T>(M_PI) : T{0};
      default:
        return 1 / x;  // reciprocal
    }
  }
}

constexpr Op kFloatOnly[] = {
    Op::sqrt,       Op::rsqrt, Op::exp,   Op::log,      Op::log2,     Op::log10,   Op::log1p,
    Op::expm1,      Op::sin,   Op::cos,   Op::tan,      Op::tanh,     Op::sigmoid, Op::erf,
    Op::reciprocal, Op::div,   Op::angle, Op::erfc,     Op::erfinv,   Op::lgamma,  Op::digamma,
    Op::i0,         Op::i1,    Op::atan2, Op::copysign, Op::nextafter};
constexpr Op kComplexOnly[] = {Op::conj, Op::imag, Op::asin,  Op::acos,  Op::atan,
                               Op::sinh, Op::cosh, Op::asinh, Op::acosh, Op::atanh};
constexpr Op kIntegerOnly[] = {Op::bit_not,    Op::bit_and,     Op::bit_or, Op::bit_xor,
                               Op::shift_left, Op::shift_right, Op::gcd};

// The standard library lacks them, or has them less exact: math_test.cpp has their values.
constexpr Op kSpecial[] = {Op::erfc, Op::erfinv, Op::lgamma, Op::digamma, Op::i0, Op::i1};

// Not rounded correctly: math_test.cpp has how far they may be off.
constexpr Op kElementary[] = {Op::exp,     Op::log, Op::log2, Op::log10, Op::log1p,
                              Op::expm1,   Op::sin, Op::cos,  Op::tan,   Op::tanh,
                              Op::sigmoid, Op::erf, Op::pow,  Op::atan2};

/// Whether an op's result is what it should be.
template <class T>
bool agrees(Op op, T result, T expected) {
  if (std::find(std::begin(kSpecial), std::end(kSpecial), op) != std::end(kSpecial)) return true;
  if constexpr (std::is_floating_point_v<T>) {
    if (std::find(std::begin(kElementary), std::end(kElementary), op) != std::end(kElementary)) {
      return ulps(result, expected) <= 2;
    }
  }
  return same(result, expected);
}

template <class T>
bool exists(Op op) {
  const auto in = [op](const auto& list) {
    return std::find(std::begin(list), std::end(list), op) != std::end(list);
  };
  return !in(kComplexOnly) && (std::is_integral_v<T> ? !in(kFloatOnly) : !in(kIntegerOnly));
}

TYPED_TEST(KernelsOf, UnaryOpsAgreeWithTheReference) {
  using T = TypeParam;
  GuardedArena in(kCapacity), to(kCapacity);
  for (const Kernels* k : all_kernels()) {
    for (int i = 0; i < kUnaryOps; ++i) {
      const Op op = static_cast<Op>(i);
      const Kernels::Unary kernel = k->unary[i][index(dtype_of<T>)];
      ASSERT_EQ(kernel != nullptr, exists<T>(op)) << k->isa << " op " << i;
      if (kernel == nullptr) continue;
      for (size_t n : lengths()) {
        const std::vector<T> x = samples<T>(n, n);
        for (Edge edge : {Edge::front, Edge::back}) {
          T* a = in.place(x, edge);
          T* out = to.place<T>(n, edge);
          kernel(a, out, n);
          kernel(a, a, n);
          ASSERT_TRUE(to.surroundings_intact() && in.surroundings_intact()) << k->isa << i;
          for (size_t j = 0; j < n; ++j) {
            const T expected = reference_unary(op, x[j]);
            ASSERT_PRED3(agrees<T>, op, out[j], expected)
                << k->isa << " op " << i << " of " << +x[j];
            ASSERT_PRED2(same<T>, a[j], out[j]) << "in place " << k->isa << " op " << i;
          }
        }
      }
    }
  }
}

// Integer division that rounds down, by way of 128 bits; zero divisors are anybody's guess.
template <class T>
T floor_quotient(T a, T b) {
  const __int128 x = a, y = b;
  const __int128 quotient = x / y - ((x % y != 0) && ((x < 0) != (y < 0)));
  return static_cast<T>(quotient);
}

template <class T>
T integer_power(T a, T b) {
  if (std::is_signed_v<T> && b < 0 + 0 * a) {
    if (a == 1) return 1;
    if (a == static_cast<T>(-1)) return b % 2 == 0 ? T{1} : static_cast<T>(-1);
    return 0;
  }
  Wrapping<T> base = static_cast<Wrapping<T>>(a), power = 1;
  for (auto e = static_cast<Wrapping<T>>(b); e != 0; e >>= 1, base *= base) {
    if (e & 1) power *= base;
  }
  return static_cast<T>(power);
}

// By subtraction of multiples, in 128 bits: the smallest value has an opposite there.
template <class T>
T common_divisor(T a, T b) {
  __int128 x = a, y = b;
  while (y != 0) {
    const __int128 rest = x % y;
    x = y;
    y = rest;
  }
  return static_cast<T>(x < 0 ? -x : x);
}

template <class T>
T reference_integer(Op op, T a, T b) {
  const auto x = static_cast<Wrapping<T>>(a), y = static_cast<Wrapping<T>>(b);
  switch (op) {
    case Op::add:
      return static_cast<T>(x + y);
    case Op::sub:
      return static_cast<T>(x - y);
    case Op::mul:
      return static_cast<T>(x * y);
    case Op::floor_div:
      return floor_quotient(a, b);
    case Op::remainder:
      return static_cast<T>(x - static_cast<Wrapping<T>>(floor_quotient(a, b)) * y);
    case Op::fmod:
      return static_cast<T>(static_cast<__int128>(a) % b);
    case Op::pow:
      return integer_power(a, b);
    case Op::minimum:
      return std::min(a, b);
    case Op::maximum:
      return std::max(a, b);
    case Op::bit_and:
      return static_cast<T>(a & b);
    case Op::bit_or:
      return static_cast<T>(a | b);
    case Op::bit_xor:
      return static_cast<T>(a ^ b);
    case Op::shift_left:
      return b < 0 + 0 * a || y >= 8 * sizeof(T) ? T{0} : static_cast<T>(x << y);
    case Op::shift_right:
      return b < 0 + 0 * a || y >= 8 * sizeof(T) ? static_cast<T>(a < 0 + 0 * b ? -1 : 0)
                                                 : static_cast<T>(a >> b);
    default:
      return common_divisor(a, b);
  }
}

template <class T>
T reference_float(Op op, T a, T b) {
  const T mod = std::fmod(a, b);
  const bool opposite = mod != 0 && std::signbit(mod) != std::signbit(b);
  switch (op) {
    case Op::add:
      return a + b;
    case Op::sub:
      return a - b;
    case Op::mul:
      return a * b;
    case Op::div:
      return a / b;
    case Op::remainder:
      return opposite ? mod + b : mod;
    case Op::fmod:
      return mod;
    case Op::pow:
      return b == 2 ? a * a : std::pow(a, b);
    case Op::atan2:
      return std::atan2(a, b);
    case Op::copysign:
      return std::copysign(a, b);
    case Op::nextafter:
      return std::nextafter(a, b);
    case Op::minimum:
      return std::isnan(a) || std::isnan(b) ? a + b : a < b ? a : b;
    case Op::maximum:
      return std::isnan(a) || std::isnan(b) ? a + b : a > b ? a : b;
    default:
      break;
  }
  if (b == 0) return a / b;  // floor_div from here on
  T quotient = (a - mod) / b;
  if (opposite) quotient -= 1;
  if (quotient == 0) return std::signbit(a / b) ? T(-0.0) : T(0);
  return std::floor(quotient) + (quotient - std::floor(quotient) > T(0.5));
}

TYPED_TEST(KernelsOf, BinaryOpsAgreeWithTheReference) {
  using T = TypeParam;
  GuardedArena left(kCapacity), right(kCapacity), to(kCapacity);
  for (const Kernels* k : all_kernels()) {
    for (int i = 0; i < kBinaryOps; ++i) {
      const Op op = static_cast<Op>(kUnaryOps + i);
      const Kernels::Binary kernel = k->binary[i][index(dtype_of<T>)];
      ASSERT_EQ(kernel != nullptr, exists<T>(op)) << k->isa << " op " << i;
      if (kernel == nullptr) continue;
      const bool divides = op == Op::floor_div || op == Op::remainder || op == Op::fmod;
      for (size_t n : lengths()) {
        const std::vector<T> x = samples<T>(n, n), y = samples<T>(n, n + 7000);
        for (Edge edge : {Edge::front, Edge::back}) {
          T* a = left.place(x, edge);
          T* b = right.place(y, edge);
          T* out = to.place<T>(n, edge);
          kernel(a, b, out, n);
          kernel(a, b, a, n);
          ASSERT_TRUE(to.surroundings_intact() && left.surroundings_intact()) << k->isa << i;
          for (size_t j = 0; j < n; ++j) {
            T expected;
            if constexpr (std::is_integral_v<T>) {
              if (divides && y[j] == 0) continue;
              expected = reference_integer(op, x[j], y[j]);
            } else {
              expected = reference_float(op, x[j], y[j]);
            }
            ASSERT_PRED3(agrees<T>, op, out[j], expected)
                << k->isa << " op " << i << " of " << +x[j] << " and " << +y[j];
            ASSERT_PRED2(same<T>, a[j], out[j]) << "in place " << k->isa << " op " << i;
          }
        }
      }
    }
  }
}

// From torch 1.13.
TEST(Kernels, FloatDivisionsGiveTheValuesOfPyTorch) {
  const double inf = std::numeric_limits<double>::infinity(), nan = std::nan("");
  struct Row {
    float a, b, floor_div, remainder, fmod;
  };
  const float tenth = 0.1f, f_inf = static_cast<float>(inf), f_nan = static_cast<float>(nan);
  const Row rows[] = {
      {-1, 2.5f, -1, 1.5f, -1},
      {2.5f, -1, -3, -0.5f, 0.5f},
      {-0.0f, 1, -0.0f, -0.0f, -0.0f},
      {0, -1, -0.0f, 0, 0},
      {1, -f_inf, -1, -f_inf, 1},
      {-1, f_inf, -1, f_inf, -1},
      {f_inf, 2, f_nan, f_nan, f_nan},
      {1, 0, f_inf, f_nan, f_nan},
      {1, -0.0f, -f_inf, f_nan, f_nan},
      {1, tenth, 9, 0.09999998658895493f, 0.09999998658895493f},
      {-1, tenth, -10, 1.4901161193847656e-08f, -0.09999998658895493f},
      {f_nan, 1, f_nan, f_nan, f_nan},
  };
  for (const Kernels* k : all_kernels()) {
    for (const Row& row : rows) {
      const auto result = [&](Op op) {
        float out;
        k->binary[binary_index(op)][index(float32)](&row.a, &row.b, &out, 1);
        return out;
      };
      EXPECT_PRED2(same<float>, result(Op::floor_div), row.floor_div) << row.a << ' ' << row.b;
      EXPECT_PRED2(same<float>, result(Op::remainder), row.remainder) << row.a << ' ' << row.b;
      EXPECT_PRED2(same<float>, result(Op::fmod), row.fmod) << row.a << ' ' << row.b;
    }
  }
}

TEST(Kernels, IntegerDivisionByZeroDoesNotTrap) {
  for (const Kernels* k : all_kernels()) {
    for (Op op : {Op::floor_div, Op::remainder, Op::fmod}) {
      for (DType dtype : {uint8, uint16, uint32, uint64, int8, int16, int32, int64}) {
        const int64_t values[4] = {0, 5, -1, std::numeric_limits<int64_t>::min()}, zeros[4] = {};
        int64_t out[4];
        k->binary[binary_index(op)][index(dtype)](values, zeros, out, 4);
      }
    }
  }
}

/// The comparison with that index in the table.
template <class T>
bool relation(int op, T a, T b) {
  const auto size = [](T v) { return v < 0 ? static_cast<T>(-v) : v; };
  if (op == compare_index(Op::eq)) return a == b;
  if (op == compare_index(Op::lt)) return a < b;
  if (op == compare_index(Op::le)) return a <= b;
  return op == compare_index(Op::abs_lt) ? size(a) < size(b) : size(a) <= size(b);
}

TYPED_TEST(KernelsOf, ComparisonsAgreeWithTheReference) {
  using T = TypeParam;
  GuardedArena left(kCapacity), right(kCapacity), others(kCapacity), to(kCapacity);
  for (const Kernels* k : all_kernels()) {
    for (size_t n : lengths()) {
      const std::vector<T> x = samples<T>(n, n), y = samples<T>(n, n + 7000);
      for (Edge edge : {Edge::front, Edge::back}) {
        const T* a = left.place(x, edge);
        const T* b = right.place(y, edge);
        for (int op = 0; op < kCompareOps; ++op) {
          if (k->compare[op][index(dtype_of<T>)] == nullptr) continue;  // as the table's tests say
          std::vector<uint64_t> expected((n + 63) / 64);
          for (size_t j = 0; j < n; ++j) {
            const bool bit = relation(op, x[j], y[j]);
            expected[j / 64] |= uint64_t{bit} << (j % 64);
          }
          uint64_t* out = to.place<uint64_t>(expected.size(), edge);
          k->compare[op][index(dtype_of<T>)](a, b, out, n);
          ASSERT_TRUE(to.surroundings_intact());
          ASSERT_EQ(std::vector<uint64_t>(out, out + expected.size()), expected)
              << k->isa << " op " << op << " n " << n;
          // One element that stands for all, on either side.
          const std::vector<T> same(n, n == 0 ? T{} : y[n / 2]);
          const T* one = right.place(
              std::vector<T>(same.begin(), same.begin() + std::min<size_t>(n, 64)), edge);
          const T* all = others.place(same, edge);
          std::vector<uint64_t> whole(expected.size());
          for (const bool first : {true, false}) {
            const auto compare = k->compare[op][index(dtype_of<T>)];
            compare(first ? all : a, first ? a : all, whole.data(), n);
            const cpu::Elements uniform(one, true);
            compare(first ? uniform : cpu::Elements(a), first ? cpu::Elements(a) : uniform, out, n);
            ASSERT_EQ(std::vector<uint64_t>(out, out + expected.size()), whole)
                << k->isa << " uniform, op " << op << " n " << n;
          }
          right.place(y, edge);
        }
      }
    }
  }
}

}  // namespace
}  // namespace tamis::testing
