// Where extremes are, on every instruction set against plain loops.
#include <gtest/gtest.h>

#include <limits>
#include <type_traits>
#include <vector>

#include "backend/cpu/kernels/kernels.h"
#include "support/kernels.h"

namespace tamis::testing {
namespace {

using cpu::Kernels;

template <class T>
class ArgReductionsOf : public ::testing::Test {};
using Numbers = ::testing::Types<uint8_t, uint16_t, uint32_t, uint64_t, int8_t, int16_t, int32_t,
                                 int64_t, float, double>;
TYPED_TEST_SUITE(ArgReductionsOf, Numbers);

TYPED_TEST(ArgReductionsOf, FindGivesTheFirstEqualElementOrN) {
  using T = TypeParam;
  GuardedArena in(kCapacity);
  for (const Kernels* k : all_kernels()) {
    const auto find = k->find[index(dtype_of<T>)];
    for (size_t n : {1, 2, 63, 64, 65, 127, 128, 200, 513}) {
      for (size_t at : {size_t{0}, n / 2, n - 1, n}) {
        std::vector<T> x(n, T{3});
        for (size_t i = at; i < n; i += 5) x[i] = T{7};
        const T wanted{7};
        EXPECT_EQ(find(in.place(x, Edge::back), &wanted, n), at) << k->isa << " n " << n;
      }
    }
  }
}

TYPED_TEST(ArgReductionsOf, FindTellsNaNFromNumbersAndTakesZerosForEqual) {
  using T = TypeParam;
  if constexpr (std::is_floating_point_v<T>) {
    const T nan = std::numeric_limits<T>::quiet_NaN(), zero = 0;
    for (const Kernels* k : all_kernels()) {
      const auto find = k->find[index(dtype_of<T>)];
      for (size_t at : {3, 63, 64, 130}) {
        std::vector<T> x(150, T{1});
        x[at] = -nan;
        EXPECT_EQ(find(x.data(), &nan, x.size()), at) << k->isa;
        EXPECT_EQ(find(x.data(), &zero, x.size()), x.size()) << k->isa;
        x[at] = -zero;
        EXPECT_EQ(find(x.data(), &zero, x.size()), at) << k->isa;
        EXPECT_EQ(find(x.data(), &nan, x.size()), x.size()) << k->isa;
      }
    }
  }
}

/// The best of each column and its line, one element after the other.
template <class T>
void plain_lines(bool largest, const std::vector<T>& x, int64_t first, std::vector<T>& values,
                 std::vector<int64_t>& indices) {
  const size_t width = values.size();
  for (size_t i = 0; i < x.size(); ++i) {
    T& best = values[i % width];
    const bool better = largest ? x[i] > best : x[i] < best;
    if (best != best || !(better || x[i] != x[i])) continue;
    best = x[i];
    indices[i % width] = first + static_cast<int64_t>(i / width);
  }
}

TYPED_TEST(ArgReductionsOf, LinesGiveTheFirstOfEquallyGoodElements) {
  using T = TypeParam;
  GuardedArena in(kCapacity), out(kCapacity), numbers(kCapacity);
  for (const Kernels* k : all_kernels()) {
    for (bool largest : {false, true}) {
      for (size_t width : {1, 3, 8, 16, 31, 32, 33, 65, 129, 500}) {
        for (size_t lines : {0, 1, 2, 7}) {
          const std::vector<T> x = samples<T>(width * lines, width + lines);
          std::vector<T> values = samples<T>(width, 1);
          std::vector<int64_t> indices(width, -1);
          T* best = out.place(values, Edge::back);
          int64_t* at = numbers.place(indices, Edge::back);
          k->arg_lines[largest][index(dtype_of<T>)](in.place(x, Edge::back), 1000, best, at, lines,
                                                    width);
          plain_lines(largest, x, 1000, values, indices);
          for (size_t j = 0; j < width; ++j) {
            ASSERT_TRUE(same(best[j], values[j])) << k->isa << " width " << width;
            ASSERT_EQ(at[j], indices[j]) << k->isa << " width " << width << " lines " << lines;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace tamis::testing
