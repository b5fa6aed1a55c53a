// Moves, mask words and casts of every instruction set against plain references.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <type_traits>
#include <vector>

#include "backend/cpu/kernels/kernels.h"
#include "support/kernels.h"

namespace tamis::testing {
namespace {

using cpu::Kernels;
using cpu::width_index;

/// 16 bytes with the alignment of 8, as complex128 has it.
struct Sixteen {
  uint64_t low = 0, high = 0;
  Sixteen() = default;
  explicit Sixteen(uint64_t v) : low(v), high(~v * 3) {}
  bool operator==(const Sixteen&) const = default;
};

template <class T>
class MovesOf : public ::testing::Test {};
using Widths = ::testing::Types<uint8_t, uint16_t, uint32_t, uint64_t, Sixteen>;
TYPED_TEST_SUITE(MovesOf, Widths);

template <class T>
std::vector<T> numbered(size_t n, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<T> values(n);
  for (T& value : values) value = static_cast<T>(random());
  return values;
}

TYPED_TEST(MovesOf, WhereTakesFromEitherSide) {
  using T = TypeParam;
  GuardedArena left(kCapacity), right(kCapacity), words(kCapacity), to(kCapacity);
  for (const Kernels* k : all_kernels()) {
    for (size_t n : lengths()) {
      const std::vector<T> x = numbered<T>(n, 1), y = numbered<T>(n, 2);
      for (const Mask& mask : masks(n)) {
        for (Edge edge : {Edge::front, Edge::back}) {
          T* a = left.place(x, edge);
          T* b = right.place(y, edge);
          const uint64_t* bits = words.place(mask.words, edge);
          T* out = to.place<T>(n, edge);
          const auto where = k->where[width_index(sizeof(T))];
          where(a, b, bits, out, n);
          std::vector<T> expected(n);
          for (size_t i = 0; i < n; ++i) expected[i] = mask[i] ? x[i] : y[i];
          ASSERT_EQ(std::vector<T>(out, out + n), expected) << k->isa << ' ' << mask.name << n;
          ASSERT_TRUE(to.surroundings_intact());
          where(a, b, bits, b, n);
          ASSERT_EQ(std::vector<T>(b, b + n), expected) << "in place of b " << k->isa << mask.name;
          right.place(y, edge);
          where(a, b, bits, a, n);
          ASSERT_EQ(std::vector<T>(a, a + n), expected) << "in place of a " << k->isa << mask.name;
        }
      }
    }
  }
}

TYPED_TEST(MovesOf, UniformOperandsStandForAllElements) {
  using T = TypeParam;
  constexpr int kWidth = width_index(sizeof(T));
  GuardedArena left(kCapacity), few(kCapacity), words(kCapacity), to(kCapacity);
  const T one = numbered<T>(1, 3)[0];
  for (const Kernels* k : all_kernels()) {
    for (size_t n : lengths()) {
      const std::vector<T> x = numbered<T>(n, 1);
      for (const Mask& mask : masks(n)) {
        const T* a = left.place(x, Edge::back);
        const T* b = few.place(std::vector<T>(std::min<size_t>(n, 64), one), Edge::back);
        const uint64_t* bits = words.place(mask.words, Edge::back);
        T* out = to.place<T>(n, Edge::back);
        std::vector<T> expected(n), reverse(n), expanded(n, one);
        for (size_t i = 0, j = 0; i < n; ++i) {
          expected[i] = mask[i] ? x[i] : one;
          reverse[i] = mask[i] ? one : x[i];
          if (mask[i]) expanded[i] = x[j++];
        }
        k->where[kWidth](a, {b, true}, bits, out, n);
        ASSERT_EQ(std::vector<T>(out, out + n), expected) << k->isa << ' ' << mask.name << ' ' << n;
        k->where[kWidth]({b, true}, a, bits, out, n);
        ASSERT_EQ(std::vector<T>(out, out + n), reverse) << k->isa << ' ' << mask.name << ' ' << n;
        k->expand[kWidth](a, a + n, {b, true}, bits, out, n);
        ASSERT_EQ(std::vector<T>(out, out + n), expanded) << k->isa << ' ' << mask.name << ' ' << n;
        ASSERT_TRUE(to.surroundings_intact()) << k->isa << ' ' << mask.name << ' ' << n;
      }
    }
  }
}

TYPED_TEST(MovesOf, CompressKeepsOrderAndStaysBelowTheLimit) {
  using T = TypeParam;
  GuardedArena in(kCapacity), words(kCapacity), to(kCapacity + 4096);
  for (const Kernels* k : all_kernels()) {
    for (size_t n : lengths()) {
      const std::vector<T> x = numbered<T>(n, 1);
      for (const Mask& mask : masks(n)) {
        std::vector<T> expected;
        for (size_t i = 0; i < n; ++i) {
          if (mask[i]) expected.push_back(x[i]);
        }
        // Extra elements after the packed ones, from none to more than a word's.
        for (size_t extra : {0, 1, 31, 64, 100}) {
          for (Edge edge : {Edge::front, Edge::back}) {
            const T* a = in.place(x, edge);
            const uint64_t* bits = words.place(mask.words, edge);
            T* out = to.place<T>(expected.size() + extra, edge);
            const T* limit = out + expected.size() + extra;
            const size_t count = k->compress[width_index(sizeof(T))](a, bits, out, limit, n);
            ASSERT_EQ(count, expected.size()) << k->isa << ' ' << mask.name << ' ' << n;
            ASSERT_EQ(std::vector<T>(out, out + count), expected)
                << k->isa << ' ' << mask.name << ' ' << n;
            ASSERT_TRUE(to.surroundings_intact()) << k->isa << ' ' << mask.name << ' ' << n;
          }
        }
      }
    }
  }
}

TYPED_TEST(MovesOf, ExpandTakesTheOtherElementsAndReadsBelowTheLimit) {
  using T = TypeParam;
  GuardedArena in(kCapacity + 4096), words(kCapacity), others(kCapacity), to(kCapacity);
  for (const Kernels* k : all_kernels()) {
    for (size_t n : lengths()) {
      const std::vector<T> old = numbered<T>(n, 2);
      for (const Mask& mask : masks(n)) {
        const auto selected = static_cast<size_t>(k->popcount(mask.words.data(), n));
        for (size_t extra : {0, 1, 31, 64, 100}) {
          const std::vector<T> x = numbered<T>(selected + extra, 1);
          std::vector<T> expected = old;
          for (size_t i = 0, j = 0; i < n; ++i) {
            if (mask[i]) expected[i] = x[j++];
          }
          for (Edge edge : {Edge::front, Edge::back}) {
            const T* a = in.place(x, edge);
            const uint64_t* bits = words.place(mask.words, edge);
            T* out = to.place(old, edge);
            const auto expand = k->expand[width_index(sizeof(T))];
            ASSERT_EQ(expand(a, a + x.size(), out, bits, out, n), selected)
                << k->isa << ' ' << mask.name << ' ' << n;
            ASSERT_EQ(std::vector<T>(out, out + n), expected)
                << k->isa << ' ' << mask.name << ' ' << n;
            out = to.place<T>(n, edge);
            ASSERT_EQ(expand(a, a + x.size(), others.place(old, edge), bits, out, n), selected);
            ASSERT_EQ(std::vector<T>(out, out + n), expected)
                << "from elsewhere " << k->isa << ' ' << mask.name << ' ' << n;
            ASSERT_TRUE(to.surroundings_intact()) << k->isa << ' ' << mask.name << ' ' << n;
          }
        }
      }
    }
  }
}

TYPED_TEST(MovesOf, StridedCopiesAndFills) {
  using T = TypeParam;
  const int index = width_index(sizeof(T));
  GuardedArena near(kCapacity), far(4 * kCapacity);
  for (const Kernels* k : all_kernels()) {
    for (size_t n : lengths()) {
      const std::vector<T> x = numbered<T>(n, 1);
      for (size_t stride : {0, 1, 2, 3}) {
        const size_t span = n == 0 ? 0 : (n - 1) * stride + 1;
        const std::vector<T> spread = numbered<T>(span, 2);
        T* strided = far.place(spread, Edge::back);
        T* packed = near.place<T>(n, Edge::back);
        k->gather[index](strided, static_cast<int64_t>(stride), packed, n);
        for (size_t i = 0; i < n; ++i) ASSERT_EQ(packed[i], spread[i * stride]) << k->isa;
        ASSERT_TRUE(near.surroundings_intact());

        near.place(x, Edge::back);
        k->scatter[index](packed, strided, static_cast<int64_t>(stride), n);
        std::vector<T> expected = spread;
        for (size_t i = 0; i < n; ++i) expected[i * stride] = x[i];
        ASSERT_EQ(std::vector<T>(strided, strided + span), expected) << k->isa << " n " << n;
        ASSERT_TRUE(far.surroundings_intact());
      }
      const T value = static_cast<T>(0x1122334455667788u);
      T* out = near.place<T>(n, Edge::back);
      k->fill[index](&value, out, n);
      ASSERT_EQ(std::vector<T>(out, out + n), std::vector<T>(n, value)) << k->isa << " n " << n;
      ASSERT_TRUE(near.surroundings_intact());
    }
  }
}

TEST(MaskKernels, PositionsAndCountsAreThoseOfTheSetBits) {
  GuardedArena words(kCapacity), to(kCapacity);
  for (const Kernels* k : all_kernels()) {
    for (size_t n : lengths()) {
      for (const Mask& mask : masks(n)) {
        std::vector<int64_t> expected;
        for (size_t i = 0; i < n; ++i) {
          if (mask[i]) expected.push_back(static_cast<int64_t>(i) + 1000);
        }
        const uint64_t* bits = words.place(mask.words, Edge::back);
        int64_t* out = to.place<int64_t>(expected.size(), Edge::back);
        ASSERT_EQ(k->popcount(bits, n), static_cast<int64_t>(expected.size())) << k->isa << n;
        ASSERT_EQ(k->positions(bits, 1000, out, n), expected.size()) << k->isa << n;
        ASSERT_EQ(std::vector<int64_t>(out, out + expected.size()), expected) << k->isa << n;
        ASSERT_TRUE(to.surroundings_intact());
      }
    }
  }
}

template <class T>
class MasksOf : public ::testing::Test {};
using AllTypes = ::testing::Types<bool, uint8_t, uint16_t, uint32_t, uint64_t, int8_t, int16_t,
                                  int32_t, int64_t, Half, BFloat16, float, double>;
TYPED_TEST_SUITE(MasksOf, AllTypes);

TYPED_TEST(MasksOf, NonzeroIsTrueAndTrueIsOne) {
  using T = TypeParam;
  // Any byte may be in a bool tensor; reading it as bool would be undefined.
  using Element = std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>;
  using Float = std::conditional_t<std::is_integral_v<Element>, Element, float>;
  const int dtype = index(dtype_of<T>);
  GuardedArena in(kCapacity), words(kCapacity), to(kCapacity);
  for (const Kernels* k : all_kernels()) {
    for (size_t n : lengths()) {
      std::vector<Element> x;
      for (Float v : samples<Float>(n, n)) x.push_back(static_cast<Element>(v));
      std::vector<uint64_t> expected((n + 63) / 64);
      for (size_t i = 0; i < n; ++i) {
        const bool nonzero = !(static_cast<double>(x[i]) == 0);
        expected[i / 64] |= uint64_t{nonzero} << (i % 64);
      }
      uint64_t* bits = words.place<uint64_t>(expected.size(), Edge::back);
      k->to_mask[dtype](in.place(x, Edge::back), bits, n);
      ASSERT_EQ(std::vector<uint64_t>(bits, bits + expected.size()), expected) << k->isa << n;
      ASSERT_TRUE(words.surroundings_intact());
      Element* out = to.place<Element>(n, Edge::back);
      k->from_mask[dtype](bits, out, n);
      for (size_t i = 0; i < n; ++i) {
        const double one = expected[i / 64] >> (i % 64) & 1 ? 1 : 0;
        ASSERT_EQ(static_cast<double>(out[i]), one) << k->isa << " n " << n;
      }
      ASSERT_TRUE(to.surroundings_intact());
    }
  }
}

// As torch 1.13 on x86: out of range becomes the smallest int32 (int64 for int64, uint8 and the
// wide unsigned ones), of which the small integers keep the low bits. uint64 has twice the range.
template <class To>
To float_to_integer(double x) {
  if (std::is_same_v<To, uint64_t> && x >= 0x1p63 && x < 0x1p64) {
    return static_cast<To>(static_cast<uint64_t>(x));
  }
  constexpr bool wide =
      sizeof(To) == 8 || std::is_same_v<To, uint8_t> || std::is_same_v<To, uint32_t>;
  const double end = std::ldexp(1.0, wide ? 63 : 31);
  const bool inside = x >= -end && x < end && std::trunc(x) != end;
  const int64_t lowest = wide ? std::numeric_limits<int64_t>::min() : int64_t{-2147483648};
  return static_cast<To>(inside ? static_cast<int64_t>(x) : lowest);
}

template <class From, class To>
To reference_cast(From x) {
  constexpr bool to_integer = std::is_integral_v<To>;
  if constexpr (std::is_integral_v<From> && to_integer) {
    return static_cast<To>(x);
  } else if constexpr (to_integer) {
    return float_to_integer<To>(static_cast<double>(x));
  } else if constexpr (std::is_same_v<From, double> && std::is_same_v<To, double>) {
    return x;
  } else if constexpr (std::is_same_v<To, double>) {
    return static_cast<double>(x);
  } else {
    return static_cast<To>(static_cast<float>(x));
  }
}

template <class From, class To>
void check_cast() {
  GuardedArena in(kCapacity), to(kCapacity);
  using Source = std::conditional_t<std::is_arithmetic_v<From>, From, float>;
  for (const Kernels* k : all_kernels()) {
    const Kernels::Unary kernel = k->cast[index(dtype_of<From>)][index(dtype_of<To>)];
    ASSERT_NE(kernel, nullptr);
    for (size_t n : {0, 1, 7, 8, 9, 31, 63, 64, 65, 130, 255, 256, 257, 4097}) {
      std::vector<From> x;
      for (Source v : samples<Source>(n, n)) x.push_back(static_cast<From>(v));
      for (Edge edge : {Edge::front, Edge::back}) {
        From* a = in.place(x, edge);
        To* out = to.place<To>(n, edge);
        kernel(a, out, n);
        ASSERT_TRUE(to.surroundings_intact()) << k->isa << ' ' << n;
        for (size_t i = 0; i < n; ++i) {
          const To expected = reference_cast<From, To>(x[i]);
          ASSERT_TRUE(same<To>(out[i], expected))
              << k->isa << ' ' << name(dtype_of<From>) << " to " << name(dtype_of<To>) << " of "
              << static_cast<double>(x[i]) << ": " << static_cast<double>(out[i]);
        }
        if constexpr (sizeof(From) == sizeof(To)) {
          kernel(a, a, n);
          ASSERT_EQ(std::memcmp(a, out, n * sizeof(To)), 0) << "in place " << k->isa;
        }
      }
    }
  }
}

template <class From, class... Tos>
void check_casts_from() {
  (check_cast<From, Tos>(), ...);
}

TYPED_TEST(MasksOf, CastsAgreeWithTheReference) {
  if constexpr (std::is_same_v<TypeParam, bool>) {
    for (const Kernels* k : all_kernels()) {
      for (int d = 0; d < kDTypeCount; ++d) {
        EXPECT_EQ(k->cast[index(boolean)][d], nullptr);
        EXPECT_EQ(k->cast[d][index(boolean)], nullptr);
      }
    }
  } else {
    check_casts_from<TypeParam, uint8_t, uint16_t, uint32_t, uint64_t, int8_t, int16_t, int32_t,
                     int64_t, Half, BFloat16, float, double>();
  }
}

// From torch 1.13.
TEST(CastKernels, FloatsOutOfRangeGiveTheIntegersOfPyTorch) {
  const float inf = std::numeric_limits<float>::infinity();
  const std::vector<float> x = {300, -1,   256.5f,  -1000.7f,      3e9f,  -3e9f, 1e20f,
                                inf, -inf, 70000.f, std::nanf(""), 128.f, -0.9f};
  const std::vector<int64_t> to_u8 = {44, 255, 0, 24, 0, 0, 0, 0, 0, 112, 0, 128, 0};
  const std::vector<int64_t> to_i8 = {44, -1, 0, 24, 0, 0, 0, 0, 0, 112, 0, -128, 0};
  const std::vector<int64_t> to_i16 = {300, -1, 256, -1000, 0, 0, 0, 0, 0, 4464, 0, 128, 0};
  for (const Kernels* k : all_kernels()) {
    std::vector<uint8_t> u8(x.size());
    std::vector<int8_t> i8(x.size());
    std::vector<int16_t> i16(x.size());
    k->cast[index(float32)][index(uint8)](x.data(), u8.data(), x.size());
    k->cast[index(float32)][index(int8)](x.data(), i8.data(), x.size());
    k->cast[index(float32)][index(int16)](x.data(), i16.data(), x.size());
    EXPECT_EQ(std::vector<int64_t>(u8.begin(), u8.end()), to_u8) << k->isa;
    EXPECT_EQ(std::vector<int64_t>(i8.begin(), i8.end()), to_i8) << k->isa;
    EXPECT_EQ(std::vector<int64_t>(i16.begin(), i16.end()), to_i16) << k->isa;
  }
}

TEST(KernelChoice, EveryCpuHasABaselineAndUnknownNamesHaveNone) {
  ASSERT_FALSE(all_kernels().empty());
  EXPECT_EQ(cpu::kernels_for("avx1024"), nullptr);
  for (const Kernels* k : all_kernels()) EXPECT_EQ(cpu::kernels_for(k->isa), k);
}

TEST(KernelChoice, TheBestOneIsTakenUnlessTheEnvironmentForbidsIt) {
  const char* wish = std::getenv("TAMIS_ISA");
  const Kernels* expected = all_kernels().back();
  // A wish that the CPU cannot fulfil falls to the next one below.
  bool allowed = false;
  for (const char* isa : {"avx512", "avx2", "sse4", "scalar"}) {
    allowed |= wish != nullptr && std::string(isa) == wish;
    if (allowed && cpu::kernels_for(isa) != nullptr) {
      expected = cpu::kernels_for(isa);
      break;
    }
  }
  EXPECT_STREQ(cpu::kernels().isa, expected->isa);
}

}  // namespace
}  // namespace tamis::testing
