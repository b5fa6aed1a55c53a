// Reductions of one block, with and without a mask, on every instruction set against plain loops.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "backend/cpu/kernels/kernels.h"
#include "support/kernels.h"

namespace tamis::testing {
namespace {

using cpu::Kernels;

template <class T>
class ReductionsOf : public ::testing::Test {};
using Numbers = ::testing::Types<uint8_t, uint16_t, uint32_t, uint64_t, int8_t, int16_t, int32_t,
                                 int64_t, float, double>;
TYPED_TEST_SUITE(ReductionsOf, Numbers);

template <class T>
Kernels::Reduce kernel(const Kernels& k, Reduction reduction) {
  return k.reduce[reduction_index(reduction)][index(dtype_of<T>)];
}

/// 64 interleaved lanes, then pairwise; integers wrap.
template <class T>
auto lane_sum(const std::vector<T>& x, const Mask& mask, bool product) {
  using Sum = std::conditional_t<std::is_integral_v<T>, uint64_t, double>;
  const auto combine = [&](Sum a, Sum b) { return product ? a * b : a + b; };
  Sum lanes[64];
  std::fill_n(lanes, 64, product ? Sum{1} : Sum{0});
  for (size_t i = 0; i < x.size(); ++i) {
    if (mask[i]) lanes[i % 64] = combine(lanes[i % 64], static_cast<Sum>(x[i]));
  }
  for (int half = 32; half > 0; half /= 2) {
    for (int j = 0; j < half; ++j) lanes[j] = combine(lanes[j], lanes[j + half]);
  }
  return static_cast<std::conditional_t<std::is_integral_v<T>, int64_t, double>>(lanes[0]);
}

/// Without a mask as well, where all is kept.
std::vector<const uint64_t*> forms_of(const Mask& mask) {
  std::vector<const uint64_t*> forms = {mask.words.data()};
  if (mask.name == "all") forms.push_back(nullptr);
  return forms;
}

TYPED_TEST(ReductionsOf, SumsAndProductsHaveTheSameBitsOnEveryInstructionSet) {
  using T = TypeParam;
  GuardedArena in(kCapacity);
  for (const Kernels* k : all_kernels()) {
    constexpr bool has_sum = std::is_floating_point_v<T> || sizeof(T) == 8;
    ASSERT_EQ(kernel<T>(*k, Reduction::sum) != nullptr, has_sum);
    ASSERT_EQ(kernel<T>(*k, Reduction::prod) != nullptr, has_sum);
    if constexpr (has_sum) {
      for (size_t n : lengths()) {
        if (n == 0) continue;
        std::vector<T> x = samples<T>(n, n);
        if (n % 2 == 0) {
          std::replace_if(
              x.begin(), x.end(), [](T v) { return !(std::fabs(v) < T(1e9)); }, T{3});
        }
        for (const Mask& mask : masks(n)) {
          const auto expected_sum = lane_sum(x, mask, false),
                     expected_prod = lane_sum(x, mask, true);
          for (const uint64_t* words : forms_of(mask)) {
            for (Edge edge : {Edge::front, Edge::back}) {
              const T* a = in.place(x, edge);
              auto sum = expected_sum, prod = expected_prod;
              kernel<T>(*k, Reduction::sum)(a, words, &sum, n);
              kernel<T>(*k, Reduction::prod)(a, words, &prod, n);
              ASSERT_TRUE(same(sum, expected_sum)) << k->isa << " n " << n << " " << mask.name;
              ASSERT_TRUE(same(prod, expected_prod)) << k->isa << " n " << n << " " << mask.name;
            }
          }
        }
      }
    }
  }
}

TYPED_TEST(ReductionsOf, ASumOfNegativeZerosIsPositive) {
  using T = TypeParam;
  if constexpr (std::is_floating_point_v<T>) {
    for (const Kernels* k : all_kernels()) {
      for (size_t n : lengths()) {
        if (n == 0) continue;
        const std::vector<T> x(n, T(-0.0));
        for (const Mask& mask : masks(n)) {
          double sum = 1;
          kernel<T>(*k, Reduction::sum)(x.data(), mask.words.data(), &sum, n);
          ASSERT_TRUE(same(sum, 0.0)) << k->isa << " n " << n << " " << mask.name;
        }
      }
    }
  }
}

TYPED_TEST(ReductionsOf, ASumOfNumbersIsThatOfZerosInPlaceOfNaN) {
  using T = TypeParam;
  if constexpr (std::is_floating_point_v<T>) {
    GuardedArena in(kCapacity);
    for (const Kernels* k : all_kernels()) {
      for (size_t n : lengths()) {
        if (n == 0) continue;
        // Half of the lengths without infinities, whose sum may be NaN, and is.
        std::vector<T> x = samples<T>(n, n + 7);
        if (n % 2 == 0) {
          std::replace_if(
              x.begin(), x.end(), [](T v) { return std::isinf(v); }, T{3});
        }
        std::vector<T> numbers = x;
        std::replace_if(
            numbers.begin(), numbers.end(), [](T v) { return v != v; }, T{0});
        for (const Mask& mask : masks(n)) {
          const double expected = lane_sum(numbers, mask, false);
          for (const uint64_t* words : forms_of(mask)) {
            double sum = 0;
            kernel<T>(*k, Reduction::nansum)(in.place(x, Edge::back), words, &sum, n);
            ASSERT_TRUE(same(sum, expected)) << k->isa << " n " << n << " " << mask.name;
          }
        }
      }
    }
  }
}

TYPED_TEST(ReductionsOf, ExtremesAreFoundAndNaNWins) {
  using T = TypeParam;
  using Limits = std::numeric_limits<T>;
  GuardedArena in(kCapacity);
  for (const Kernels* k : all_kernels()) {
    for (size_t n : lengths()) {
      if (n == 0) continue;
      std::vector<T> x = samples<T>(n, n + 3);
      for (T& v : x) {
        if (v != v && n % 2 == 0) v = T{0};  // half of the lengths without NaN
        if (v == 0) v = T{0};                // which zero is found does not matter
      }
      const T* a = in.place(x, Edge::back);
      for (const Mask& mask : masks(n)) {
        bool nan = false;
        T max = Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
        T min = Limits::has_infinity ? Limits::infinity() : Limits::max();
        for (size_t i = 0; i < n; ++i) {
          if (!mask[i]) continue;
          nan |= x[i] != x[i];
          max = std::max(max, x[i]);
          min = std::min(min, x[i]);
        }
        for (const uint64_t* words : forms_of(mask)) {
          T largest, smallest;
          kernel<T>(*k, Reduction::amax)(a, words, &largest, n);
          kernel<T>(*k, Reduction::amin)(a, words, &smallest, n);
          if (nan) {
            ASSERT_TRUE(largest != largest && smallest != smallest) << k->isa << " n " << n;
          } else {
            ASSERT_EQ(largest, max) << k->isa << " n " << n << " " << mask.name;
            ASSERT_EQ(smallest, min) << k->isa << " n " << n << " " << mask.name;
          }
        }
      }
    }
  }
}

// What would be read lies behind the end of the memory.
TYPED_TEST(ReductionsOf, WordsOfZerosAreNotRead) {
  using T = TypeParam;
  GuardedArena in(kCapacity);
  const T* a = in.place(std::vector<T>(64, T{1}), Edge::back);
  const std::vector<uint64_t> mask = {5, 0, 0};
  for (const Kernels* k : all_kernels()) {
    for (size_t n : {64, 65, 128, 192}) {
      if constexpr (std::is_floating_point_v<T> || sizeof(T) == 8) {
        std::conditional_t<std::is_integral_v<T>, int64_t, double> sum = 0, prod = 0;
        kernel<T>(*k, Reduction::sum)(a, mask.data(), &sum, n);
        kernel<T>(*k, Reduction::prod)(a, mask.data(), &prod, n);
        EXPECT_EQ(sum, 2);
        EXPECT_EQ(prod, 1);
      }
      T largest{};
      kernel<T>(*k, Reduction::amax)(a, mask.data(), &largest, n);
      EXPECT_EQ(largest, T{1});
    }
  }
}

TYPED_TEST(ReductionsOf, SquaresAreAddedAsTheElementsOfASumAre) {
  using T = TypeParam;
  if constexpr (std::is_floating_point_v<T>) {
    for (const Kernels* k : all_kernels()) {
      for (size_t n : {1, 63, 64, 65, 200, 4096}) {
        const std::vector<T> x = samples<T>(n, n);
        std::vector<double> squares(x.begin(), x.end());
        for (double& v : squares) v *= v;
        for (const Mask& mask : masks(n)) {
          const double expected = lane_sum(squares, mask, false);
          for (const uint64_t* words : forms_of(mask)) {
            double got = 0;
            kernel<T>(*k, Reduction::square_sum)(x.data(), words, &got, n);
            EXPECT_TRUE(same(got, expected)) << k->isa << " n " << n << ' ' << mask.name;
            kernel<T>(*k, Reduction::norm)(x.data(), words, &got, n);
            EXPECT_TRUE(same(got, expected)) << k->isa << " n " << n << ' ' << mask.name;
          }
        }
      }
    }
  }
}

TYPED_TEST(ReductionsOf, NaNWinsWhereverItIs) {
  using T = TypeParam;
  if constexpr (std::is_floating_point_v<T>) {
    for (const Kernels* k : all_kernels()) {
      for (size_t n : {1, 5, 64, 67, 130, 200}) {
        for (size_t at = 0; at < n; ++at) {
          std::vector<T> x(n, T{1});
          x[at] = std::numeric_limits<T>::quiet_NaN();
          for (Reduction reduction : {Reduction::amax, Reduction::amin}) {
            T got{};
            kernel<T>(*k, reduction)(x.data(), nullptr, &got, n);
            EXPECT_TRUE(got != got) << k->isa << " n " << n << " at " << at;
          }
        }
      }
    }
  }
}

/// Lines onto `start`, one element after the other.
template <class T, class Sum, class F>
std::vector<Sum> plain_lines(const std::vector<T>& x, size_t lines, std::vector<Sum> start, F f) {
  for (size_t line = 0; line < lines; ++line) {
    for (size_t j = 0; j < start.size(); ++j) {
      start[j] = f(start[j], static_cast<Sum>(x[line * start.size() + j]));
    }
  }
  return start;
}

template <class T, class Sum, class F>
void expect_lines(const Kernels& k, Kernels::Lines lines_kernel, F f) {
  GuardedArena in(kCapacity), out(kCapacity);
  for (size_t width : {1, 2, 3, 7, 8, 31, 32, 33, 63, 64, 65, 129, 500}) {
    for (size_t lines : {0, 1, 2, 5}) {
      std::vector<T> x = samples<T>(width * lines, width + lines);
      for (T& v : x) {
        if (v == 0) v = T{0};  // which zero is found does not matter
      }
      const std::vector<Sum> start(width, Sum{3});
      const std::vector<Sum> expected = plain_lines(x, lines, start, f);
      const T* a = in.place(x, Edge::back);
      Sum* acc = out.place(start, Edge::back);
      lines_kernel(a, acc, lines, width);
      for (size_t j = 0; j < width; ++j) {
        ASSERT_TRUE(same(acc[j], expected[j])) << k.isa << " width " << width << " lines " << lines;
      }
    }
  }
}

TYPED_TEST(ReductionsOf, LinesAreAddedInOrder) {
  using T = TypeParam;
  for (const Kernels* k : all_kernels()) {
    const int type = index(dtype_of<T>);
    if constexpr (std::is_floating_point_v<T> || sizeof(T) == 8) {
      using Sum = std::conditional_t<std::is_integral_v<T>, uint64_t, double>;
      expect_lines<T, Sum>(*k, k->reduce_lines[reduction_index(Reduction::sum)][type],
                           [](Sum a, Sum b) { return a + b; });
      expect_lines<T, Sum>(*k, k->reduce_lines[reduction_index(Reduction::prod)][type],
                           [](Sum a, Sum b) { return a * b; });
    }
    expect_lines<T, T>(*k, k->reduce_lines[reduction_index(Reduction::amax)][type],
                       [](T a, T b) { return a != a || a > b ? a : b; });
    expect_lines<T, T>(*k, k->reduce_lines[reduction_index(Reduction::amin)][type],
                       [](T a, T b) { return a != a || a < b ? a : b; });
  }
}

}  // namespace
}  // namespace tamis::testing
