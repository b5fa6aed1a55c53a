// Arithmetic, swept: every op, dtype and layout against plain loops and the standard library.
#include "support/pointwise_cases.h"

namespace tamis {
namespace {

using namespace testing;

struct Binary {
  const char* name;
  Tensor (*op)(const Tensor&, const Tensor&);
  int64_t (*integer)(int64_t, int64_t);
  float (*single)(float, float);
  double (*twofold)(double, double);
  bool divides = false;
};

template <class T>
T ref_remainder(T a, T b) {
  T r = std::fmod(a, b);
  if (r != 0 && (b < 0) != (r < 0)) r += b;
  return r;
}
template <>
int64_t ref_remainder(int64_t a, int64_t b) {
  return ((a % b) + b) % b;
}

template <class T>
T ref_floor_divide(T a, T b) {
  if (b == 0) return a / b;
  const T mod = std::fmod(a, b);
  T div = (a - mod) / b;
  if (mod != 0 && (b < 0) != (mod < 0)) div -= 1;
  if (div == 0) return std::copysign(T(0), a / b);
  const T down = std::floor(div);
  return div - down > T(0.5) ? down + 1 : down;
}
template <>
int64_t ref_floor_divide(int64_t a, int64_t b) {
  return (a - ref_remainder(a, b)) / b;
}

template <class T>
T ref_fmod(T a, T b) {
  return std::fmod(a, b);
}
template <>
int64_t ref_fmod(int64_t a, int64_t b) {
  return a % b;
}

template <class T>
T ref_maximum(T a, T b) {
  return a != a || a > b ? a : b;
}
template <class T>
T ref_minimum(T a, T b) {
  return a != a || a < b ? a : b;
}
template <class T>
T ref_add(T a, T b) {
  return a + b;
}
template <class T>
T ref_sub(T a, T b) {
  return a - b;
}
template <class T>
T ref_mul(T a, T b) {
  return a * b;
}

const Binary kBinary[] = {
    {"add", add, ref_add, ref_add, ref_add},
    {"sub", sub, ref_sub, ref_sub, ref_sub},
    {"mul", mul, ref_mul, ref_mul, ref_mul},
    {"minimum", minimum, ref_minimum, ref_minimum, ref_minimum},
    {"maximum", maximum, ref_maximum, ref_maximum, ref_maximum},
    {"floor_divide", floor_divide, ref_floor_divide, ref_floor_divide, ref_floor_divide, true},
    {"remainder", remainder, ref_remainder, ref_remainder, ref_remainder, true},
    {"fmod", fmod, ref_fmod, ref_fmod, ref_fmod, true},
};

class ArithSweep : public ::testing::TestWithParam<DType> {};

TEST_P(ArithSweep, BinaryOpsMatchAPlainLoopInEveryLayout) {
  for (const Binary& op : kBinary) {
    for (const Pair& p : pairs(GetParam(), GetParam(), is_floating_point(GetParam()))) {
      SCOPED_TRACE(std::string(op.name) + ", " + p.layout);
      visit_real(GetParam(), [&](auto type) {
        using T = decltype(type);
        if constexpr (std::is_integral_v<T>) {
          expect_pointwise<T, T>(op.op(p.a, p.b), p.a, p.b, op.integer);
        } else if constexpr (std::is_same_v<T, double>) {
          expect_pointwise<T, T>(op.op(p.a, p.b), p.a, p.b, op.twofold);
        } else {
          expect_pointwise<T, T>(op.op(p.a, p.b), p.a, p.b, op.single);
        }
      });
    }
  }
}

TEST_P(ArithSweep, TrueDivisionIsInFloatingPoint) {
  for (const Pair& p : pairs(GetParam(), GetParam())) {
    SCOPED_TRACE(p.layout);
    visit_real(GetParam(), [&](auto type) {
      using T = decltype(type);
      if constexpr (std::is_integral_v<T>) {
        expect_pointwise<T, float>(p.a / p.b, p.a, p.b, [](int64_t a, int64_t b) {
          return static_cast<float>(a) / static_cast<float>(b);
        });
      } else {
        expect_pointwise<T, T>(p.a / p.b, p.a, p.b, [](auto a, auto b) { return a / b; });
      }
    });
  }
}

TEST_P(ArithSweep, InPlaceGivesTheSameInEveryLayout) {
  for (const Binary& op : kBinary) {
    const auto sources = pairs(GetParam(), GetParam(), is_floating_point(GetParam()));
    const auto targets = pairs(GetParam(), GetParam(), is_floating_point(GetParam()));
    for (size_t i = 0; i < sources.size(); ++i) {
      const Tensor& a = sources[i].a;
      const Tensor& b = sources[i].b;
      if (!(a.shape() == broadcast_shapes(a.shape(), b.shape()))) continue;
      if (std::string(sources[i].layout) == "expanded") continue;
      SCOPED_TRACE(std::string(op.name) + ", " + sources[i].layout);
      const Tensor want = op.op(a, b);
      Tensor target = targets[i].a;
      const std::string name = op.name;
      Tensor& returned = name == "add"            ? target.add_(b)
                         : name == "sub"          ? target.sub_(b)
                         : name == "mul"          ? target.mul_(b)
                         : name == "minimum"      ? target.minimum_(b)
                         : name == "maximum"      ? target.maximum_(b)
                         : name == "floor_divide" ? target.floor_divide_(b)
                         : name == "remainder"    ? target.remainder_(b)
                                                  : target.fmod_(b);
      EXPECT_EQ(&returned, &target);
      EXPECT_TRUE(allclose(target, want, 0, 0, true));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Numbers, ArithSweep,
                         ::testing::Values(uint8, uint16, int8, int16, int32, int64, float16,
                                           bfloat16, float32, float64),
                         dtype_name);

struct Unary {
  const char* name;
  Tensor (*op)(const Tensor&);
  double (*reference)(double);
  bool exact = false;  // correctly rounded
};

double ref_sign(double x) { return x > 0 ? 1 : x < 0 ? -1 : 0; }

const Unary kAnalytic[] = {
    {"sqrt", sqrt, std::sqrt, true},
    {"rsqrt", rsqrt, [](double x) { return 1 / std::sqrt(x); }},
    {"exp", exp, std::exp},
    {"log", log, std::log},
    {"log2", log2, std::log2},
    {"log10", log10, std::log10},
    {"log1p", log1p, std::log1p},
    {"expm1", expm1, std::expm1},
    {"sin", sin, std::sin},
    {"cos", cos, std::cos},
    {"tan", tan, std::tan},
    {"tanh", tanh, std::tanh},
    {"sigmoid", sigmoid, [](double x) { return 1 / (1 + std::exp(-x)); }},
    {"erf", erf, std::erf},
    {"reciprocal", reciprocal, [](double x) { return 1 / x; }, true},
};

const Unary kNumeric[] = {
    {"neg", neg, [](double x) { return -x; }, true},
    {"abs", abs, std::fabs, true},
    {"sign", sign, ref_sign, true},
    {"relu", relu, [](double x) { return x < 0 ? 0 : x; }, true},
    {"floor", floor, std::floor, true},
    {"ceil", ceil, std::ceil, true},
    {"round", round, std::nearbyint, true},
    {"trunc", trunc, std::trunc, true},
    {"square", square, [](double x) { return x * x; }, true},
};

/// Units in the last place that a function may be off: those of the dtype it computes in.
template <class R>
double tolerance(const Unary& op, double want) {
  if (op.exact) return 0;
  constexpr double kUnit = std::is_same_v<R, double>  ? 0x1p-53
                           : std::is_same_v<R, float> ? 0x1p-24
                           : std::is_same_v<R, Half>  ? 0x1p-11
                                                      : 0x1p-8;
  return 4 * kUnit * std::fabs(want) + std::numeric_limits<float>::denorm_min();
}

template <class T, class R>
void expect_unary(const Unary& op, const Tensor& x) {
  const Tensor result = op.op(x);
  ASSERT_EQ(result.dtype(), dtype_of<R>);
  ASSERT_EQ(result.shape(), x.shape());
  const std::vector<T> in = x.to_vector<T>();
  const std::vector<R> out = result.to_vector<R>();
  for (size_t i = 0; i < in.size(); ++i) {
    const double value = static_cast<double>(static_cast<Computed<T>>(in[i]));
    const double raw = op.reference(value);
    const auto got = static_cast<double>(static_cast<Computed<R>>(out[i]));
    double want = raw;
    if constexpr (std::is_integral_v<R>) {
      want = static_cast<double>(static_cast<R>(static_cast<int64_t>(raw)));
    } else if constexpr (!std::is_same_v<R, double>) {
      want = static_cast<double>(static_cast<float>(static_cast<R>(static_cast<float>(raw))));
    }
    ASSERT_TRUE(same(got, want) || std::fabs(got - want) <= tolerance<R>(op, want))
        << op.name << "(" << value << ") gave " << got << ", not " << want;
  }
}

class UnarySweep : public ::testing::TestWithParam<DType> {};

TEST_P(UnarySweep, MatchesTheStandardLibraryInEveryLayout) {
  visit_real(GetParam(), [&](auto type) {
    using T = decltype(type);
    using Real = std::conditional_t<std::is_integral_v<T>, float, T>;
    for (const Pair& p : singles(GetParam())) {
      SCOPED_TRACE(p.layout);
      for (const Unary& op : kAnalytic) expect_unary<T, Real>(op, p.a);
      if (GetParam() == boolean) continue;
      for (const Unary& op : kNumeric) expect_unary<T, T>(op, p.a);
    }
  });
}

INSTANTIATE_TEST_SUITE_P(AllDTypes, UnarySweep, ::testing::ValuesIn(kAllDTypes), dtype_name);

}  // namespace
}  // namespace tamis
