// IsinSet: every kind of set against a search through all values.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

#include "backend/backend.h"
#include "backend/cpu/isin.h"
#include "support/guard_pages.h"

namespace tamis::testing {
namespace {

template <class T>
std::vector<bool> probe(const cpu::ProbedSet& set, const std::vector<T>& x) {
  GuardedArena elements(x.size() * sizeof(T)), words(x.size() + 64);
  const T* at = elements.place(x, Edge::back);
  const size_t count = (x.size() + 63) / 64;
  uint64_t* mask = words.place<uint64_t>(count, Edge::back);
  set.probe(at, mask, x.size());
  EXPECT_TRUE(words.surroundings_intact());
  if (x.size() % 64 != 0) {
    EXPECT_EQ(mask[count - 1] >> (x.size() % 64), 0u);
  }
  std::vector<bool> found;
  for (size_t i = 0; i < x.size(); ++i) found.push_back(mask[i / 64] >> (i % 64) & 1);
  return found;
}

template <class T, class V>
std::vector<bool> isin(const std::vector<T>& x, const std::vector<V>& values) {
  const auto n = static_cast<int64_t>(values.size());
  return probe(*cpu::make_isin_set(values.data(), dtype_of<V>, n, dtype_of<T>), x);
}

// Exact for every pair of types here: long double holds all of int64 and double.
template <class T, class V>
std::vector<bool> searched(const std::vector<T>& x, const std::vector<V>& values) {
  std::vector<bool> found;
  for (T element : x) {
    bool any = false;
    for (V value : values) {
      any |= static_cast<long double>(element) == static_cast<long double>(value);
    }
    found.push_back(any);
  }
  return found;
}

template <class T>
T random_number(std::mt19937_64& random, int64_t range) {
  const auto number = static_cast<int64_t>(random() % static_cast<uint64_t>(range)) - range / 2;
  if constexpr (std::is_integral_v<T>) return static_cast<T>(number);
  return static_cast<T>(number) / 2;
}

/// Floats that an integer type cannot hold may not be cast to it directly.
template <class T, class V>
T wrapped(V value) {
  if constexpr (std::is_integral_v<T>) return static_cast<T>(static_cast<int64_t>(value));
  return static_cast<T>(value);
}

template <class T, class V>
void check_random() {
  std::mt19937_64 random(7);
  for (int64_t range : {10, 200, 5000, 100000000}) {
    for (size_t m : {0, 1, 2, 8, 9, 30, 500}) {
      std::vector<V> values(m);
      for (V& value : values) value = random_number<V>(random, range);
      for (size_t n : {0, 1, 63, 64, 65, 300}) {
        std::vector<T> x(n);
        for (T& element : x) {
          element = random_number<T>(random, range);
          if (m > 0 && random() % 2) element = wrapped<T>(values[random() % m]);
        }
        ASSERT_EQ(isin(x, values), searched(x, values))
            << name(dtype_of<T>) << " in " << m << ' ' << name(dtype_of<V>) << " range " << range;
      }
    }
  }
}

template <class T>
class IsinSetOf : public ::testing::Test {};
using Numbers = ::testing::Types<uint8_t, uint16_t, uint32_t, uint64_t, int8_t, int16_t, int32_t,
                                 int64_t, float, double>;
TYPED_TEST_SUITE(IsinSetOf, Numbers);

TYPED_TEST(IsinSetOf, FindsWhatASearchFinds) {
  check_random<TypeParam, uint8_t>();
  check_random<TypeParam, int8_t>();
  check_random<TypeParam, int16_t>();
  check_random<TypeParam, int32_t>();
  check_random<TypeParam, int64_t>();
  check_random<TypeParam, float>();
  check_random<TypeParam, double>();
}

TYPED_TEST(IsinSetOf, HoldsTheLimitsOfItsType) {
  using T = TypeParam;
  using Limits = std::numeric_limits<T>;
  // More than a few, so that it is a bitmap or a hash table; once without the zero.
  std::vector<T> values = {Limits::lowest(), Limits::max()};
  for (int i = 1; i <= 20; ++i) values.push_back(static_cast<T>(3 * i));
  const std::vector<T> x = {Limits::lowest(), static_cast<T>(Limits::lowest() / 2), 0, 1, 3, 60, 61,
                            Limits::max()};
  EXPECT_EQ(isin(x, values), searched(x, values));
  values.push_back(0);
  EXPECT_EQ(isin(x, values), searched(x, values));
}

constexpr int64_t kOdd = (int64_t{1} << 53) + 1;

TEST(IsinSet, ValuesThatTheElementsCannotHoldEqualNone) {
  const std::vector<double> x = {9007199254740992.0, 9007199254740994.0, 9223372036854775808.0};
  EXPECT_EQ(isin(x, std::vector<int64_t>{kOdd}), std::vector<bool>({false, false, false}));
  EXPECT_EQ(isin(x, std::vector<int64_t>{kOdd, kOdd - 1}), std::vector<bool>({true, false, false}));
  // The largest int64 rounds to 2^63 but is not equal to it.
  EXPECT_EQ(isin(x, std::vector<int64_t>{std::numeric_limits<int64_t>::max()}),
            std::vector<bool>({false, false, false}));
  const std::vector<int64_t> longs = {kOdd, std::numeric_limits<int64_t>::max(),
                                      std::numeric_limits<int64_t>::min(), 2};
  EXPECT_EQ(isin(longs, std::vector<double>{9007199254740992.0, 9223372036854775808.0,
                                            -9223372036854775808.0, 2.5}),
            std::vector<bool>({false, false, true, false}));
  EXPECT_EQ(isin(std::vector<float>{0.1f, 0.5f}, std::vector<double>{0.1, 0.5}),
            std::vector<bool>({false, true}));
  EXPECT_EQ(isin(std::vector<uint8_t>{44, 255}, std::vector<int32_t>{300, -1}),
            std::vector<bool>({false, false}));
}

template <class T>
class IsinSetOfFloats : public ::testing::Test {};
using Floats = ::testing::Types<float, double>;
TYPED_TEST_SUITE(IsinSetOfFloats, Floats);

TYPED_TEST(IsinSetOfFloats, NaNIsNowhereAndZerosAreEqual) {
  using T = TypeParam;
  const T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  const std::vector<T> x = {nan, -nan, T(0.0), T(-0.0), inf, -inf, 1};
  std::vector<T> values = {nan, T(-0.0), inf};
  const std::vector<bool> expected = {false, false, true, true, true, false, false};
  EXPECT_EQ(isin(x, values), expected);
  for (int i = 2; i < 40; ++i) values.push_back(static_cast<T>(i));  // a hash table
  EXPECT_EQ(isin(x, values), expected);
  EXPECT_EQ(isin(x, std::vector<T>{nan}), std::vector<bool>(x.size(), false));
}

TEST(IsinSet, HalvesAndBoolsAreValuesToo) {
  EXPECT_EQ(isin(std::vector<float>{0.5f, 1, 2}, std::vector<Half>{0.5f, 2.0f}),
            std::vector<bool>({true, false, true}));
  EXPECT_EQ(isin(std::vector<int32_t>{0, 1, 3}, std::vector<BFloat16>{3.0f, 0.5f}),
            std::vector<bool>({false, false, true}));
  const uint8_t bytes[] = {0, 7};  // any nonzero byte is true
  const auto set = cpu::make_isin_set(bytes, boolean, 2, int64);
  EXPECT_EQ(probe(*set, std::vector<int64_t>{0, 1, 7, -1}),
            std::vector<bool>({true, true, false, false}));
}

TEST(IsinSet, ManyRepeatedValuesAreFew) {
  const std::vector<int64_t> values(100000, 42);
  EXPECT_EQ(isin(std::vector<int64_t>{41, 42, 43}, values),
            std::vector<bool>({false, true, false}));
}

TEST(IsinSet, LargeSetsOfAWideRange) {
  std::mt19937_64 random(3);
  std::vector<int64_t> values(200000), absent;
  for (int64_t& value : values) value = static_cast<int64_t>(random() | 1);
  for (int i = 0; i < 1000; ++i) absent.push_back(static_cast<int64_t>(random() & ~uint64_t{1}));
  EXPECT_EQ(isin(values, values), std::vector<bool>(values.size(), true));
  EXPECT_EQ(isin(absent, values), std::vector<bool>(absent.size(), false));
}

// Keys made so that the set's hash puts all of them into its last bucket, from which they must go
// on at the beginning.
TEST(IsinSet, ValuesThatCollideAreAllFound) {
  constexpr uint64_t kMultiplier = 0x9E3779B97F4A7C15u;
  uint64_t inverse = kMultiplier;  // of an odd number, by Newton's method
  for (int i = 0; i < 5; ++i) inverse *= 2 - kMultiplier * inverse;
  ASSERT_EQ(inverse * kMultiplier, 1u);
  std::vector<int64_t> values, absent;
  for (uint64_t i = 1; i <= 40; ++i) {
    (i % 2 ? values : absent).push_back(static_cast<int64_t>(inverse * (uint64_t{0} - i)));
  }
  EXPECT_EQ(isin(values, values), std::vector<bool>(values.size(), true));
  EXPECT_EQ(isin(absent, values), std::vector<bool>(absent.size(), false));
}

}  // namespace
}  // namespace tamis::testing
