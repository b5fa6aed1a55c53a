// Comparing with numbers by value: every dtype around its limits, against exact arithmetic.
#include "ops/pointwise/by_value.h"

#include <cmath>
#include <limits>
#include <type_traits>

#include "support/mask_cases.h"

namespace tamis {
namespace {

using namespace mask_cases;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

static_assert(std::numeric_limits<long double>::digits >= 64, "holds int64 and double exactly");

constexpr std::pair<Comparison, const char*> kComparisons[] = {
    {Comparison::eq, "eq"}, {Comparison::ne, "ne"}, {Comparison::lt, "lt"},
    {Comparison::le, "le"}, {Comparison::gt, "gt"}, {Comparison::ge, "ge"}};

bool holds(Comparison how, long double a, long double b) {
  switch (how) {
    case Comparison::eq:
      return a == b;
    case Comparison::ne:
      return a != b;
    case Comparison::lt:
      return a < b;
    case Comparison::le:
      return a <= b;
    case Comparison::gt:
      return a > b;
    default:
      return a >= b;
  }
}

const std::vector<Scalar> kNumbers = {0,
                                      1,
                                      -1,
                                      3,
                                      255,
                                      256,
                                      300,
                                      -128,
                                      -129,
                                      2049,
                                      32768,
                                      65504,
                                      65505,
                                      65536,
                                      (int64_t{1} << 24) + 1,
                                      -(int64_t{1} << 24) - 1,
                                      (int64_t{1} << 53) + 1,
                                      INT64_MAX,
                                      INT64_MIN,
                                      uint64_t{1} << 63,
                                      (uint64_t{1} << 63) + 1025,
                                      UINT64_MAX,
                                      true,
                                      2.5,
                                      -0.5,
                                      0.1,
                                      -0.0,
                                      255.5,
                                      1e6,
                                      -1e6,
                                      0x1p63,
                                      -0x1p63,
                                      0x1p64,
                                      1e19,
                                      1e39,
                                      1e300,
                                      kInf,
                                      -kInf,
                                      kNaN};

template <class T>
std::vector<T> elements() {
  using Limits = std::numeric_limits<T>;
  if constexpr (std::is_same_v<T, int64_t> || std::is_same_v<T, int32_t>) {
    return {Limits::min(), Limits::min() + 1, -1,           0, 1, 2, 3,
            300,           Limits::max() - 1, Limits::max()};
  } else if constexpr (std::is_same_v<T, uint64_t> || std::is_same_v<T, uint32_t>) {
    return {0,
            1,
            2,
            3,
            300,
            Limits::max() / 2,
            Limits::max() / 2 + 1,
            Limits::max() - 1,
            Limits::max()};
  } else if constexpr (std::is_integral_v<T>) {
    std::vector<T> all;
    for (int v = Limits::min(); v <= Limits::max(); ++v) all.push_back(static_cast<T>(v));
    return all;
  } else {
    std::vector<T> some;
    for (double v :
         {0.0,    0.1,     1.0,    2.0,        2.5,    3.0,        255.0,  256.0, 300.0, 2048.0,
          2050.0, 65504.0, 0x1p24, 0x1p24 + 2, 0x1p53, 0x1p53 + 2, 0x1p63, 1e6,   3e38,  kInf}) {
      some.push_back(static_cast<T>(static_cast<float>(v)));
      some.push_back(static_cast<T>(static_cast<float>(-v)));
      if constexpr (std::is_same_v<T, double>) some.push_back(v);
    }
    some.push_back(static_cast<T>(static_cast<float>(kNaN)));
    return some;
  }
}

/// A number as it is meant among elements of type T.
template <class T>
long double meant(Scalar number) {
  if (number.is_beyond_int64()) return static_cast<long double>(number.to<uint64_t>());
  if (!number.is_floating_point()) return static_cast<long double>(number.to_int64());
  const double v = number.to_double();
  if constexpr (std::is_integral_v<T>) return v;
  const double most = std::is_same_v<T, Half>       ? 65504.0
                      : std::is_same_v<T, BFloat16> ? 0x1.fep127
                      : std::is_same_v<T, float>    ? std::numeric_limits<float>::max()
                                                    : std::numeric_limits<double>::max();
  if (!std::isfinite(v) || std::abs(v) > most) return v;
  if constexpr (std::is_same_v<T, double>) return v;
  return static_cast<double>(static_cast<T>(static_cast<float>(v)));
}

template <class T>
void check_type() {
  const std::vector<T> values = elements<T>();
  const Tensor x = tensor(values);
  for (Scalar number : kNumbers) {
    for (const auto& [how, name] : kComparisons) {
      const Tensor mask = compare_by_value(how, x, number);
      const std::vector<uint8_t> got = mask.to_vector<uint8_t>();
      for (size_t i = 0; i < values.size(); ++i) {
        const auto element = static_cast<long double>(static_cast<double>(values[i]));
        const long double exact =
            std::is_integral_v<T> ? static_cast<long double>(values[i]) : element;
        ASSERT_EQ(got[i] != 0, holds(how, exact, meant<T>(number)))
            << tamis::name(x.dtype()) << " " << static_cast<double>(exact) << " " << name << " "
            << number.to_double();
      }
    }
  }
}

TEST(ByValue, ComparesAsNumbersInEveryDType) {
  check_type<uint8_t>();
  check_type<uint32_t>();
  check_type<uint64_t>();
  check_type<int8_t>();
  check_type<int16_t>();
  check_type<int32_t>();
  check_type<int64_t>();
  check_type<Half>();
  check_type<BFloat16>();
  check_type<float>();
  check_type<double>();
}

TEST(ByValue, ComparesBoolsAsZeroAndOne) {
  const Tensor x = tensor({true, false});
  expect_same(compare_by_value(Comparison::lt, x, 2), tensor({true, true}));
  expect_same(compare_by_value(Comparison::ge, x, 0.5), tensor({true, false}));
  expect_same(compare_by_value(Comparison::eq, x, -1), tensor({false, false}));
}

TEST(ByValue, KeepsTheShapeWhereTheAnswerIsTheSameEverywhere) {
  for (const Shape& shape : {Shape{}, Shape{0, 3}, Shape{2, 3}}) {
    const Tensor x = zeros(shape, uint8);
    Tensor mask = compare_by_value(Comparison::lt, x, 300);
    expect_same(mask, full(shape, true));
    mask.fill_(false);
    expect_same(mask, full(shape, false));
  }
  const Tensor columns = arange(6).to(uint8).view({2, 3}).t();
  expect_same(compare_by_value(Comparison::gt, columns, 2.5),
              tensor({{false, true}, {false, true}, {false, true}}));
}

TEST(ByValue, ComplexNumbersHaveNoOrder) {
  const Tensor z = tensor({std::complex<float>(1, 0), std::complex<float>(0, 1)});
  expect_same(compare_by_value(Comparison::eq, z, 1), tensor({true, false}));
  expect_error(ErrorKind::dtype, "\"lt_cpu\" not implemented for 'ComplexFloat'",
               [&] { compare_by_value(Comparison::lt, z, 1); });
}

}  // namespace
}  // namespace tamis
