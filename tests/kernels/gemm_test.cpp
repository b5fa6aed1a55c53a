// The product of matrices for systems without a BLAS.
#include "backend/cpu/gemm.h"

#include <gtest/gtest.h>

#include <complex>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "backend/cpu/blas.h"

namespace tamis::testing {
namespace {

using cpu::Strided;

template <class T>
struct Gemm : ::testing::Test {};
using Types = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(Gemm, Types);

template <class T>
T make(double re, double im) {
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(re);
  } else {
    using Real = typename T::value_type;
    return {static_cast<Real>(re), static_cast<Real>(im)};
  }
}

/// Integers from -8 to 8, whose products and sums are exact, or real numbers.
template <class T>
std::vector<T> numbers(int64_t n, bool whole, uint32_t seed) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<int> digit(-8, 8);
  std::uniform_real_distribution<double> real(-1, 1);
  std::vector<T> all;
  for (int64_t i = 0; i < n; ++i) {
    all.push_back(whole ? make<T>(digit(random), digit(random))
                        : make<T>(real(random), real(random)));
  }
  return all;
}

/// By definition, in double precision.
template <class T>
std::complex<double> element(Strided<T> a, Strided<T> b, int64_t i, int64_t j, int64_t k) {
  std::complex<double> sum = 0;
  for (int64_t p = 0; p < k; ++p) {
    sum += std::complex<double>(a.data[i * a.row_stride + p * a.col_stride]) *
           std::complex<double>(b.data[p * b.row_stride + j * b.col_stride]);
  }
  return sum;
}

/// Around the sizes of tiles, of blocks of the factors, and rows and columns alone.
struct Size {
  int64_t m, n, k;
};
constexpr Size kSizes[] = {{1, 1, 1},   {1, 9, 7},    {2, 3, 300}, {3, 8, 4},     {4, 8, 256},
                           {5, 1, 257}, {7, 17, 3},   {9, 4, 0},   {63, 5, 2},    {65, 9, 257},
                           {1, 513, 8}, {130, 7, 10}, {6, 515, 5}, {70, 520, 260}};

TYPED_TEST(Gemm, IsExactForSmallIntegers) {
  using T = TypeParam;
  for (const auto& [m, n, k] : kSizes) {
    const std::vector<T> a = numbers<T>(m * k, true, 1), b = numbers<T>(k * n, true, 2);
    const Strided<T> x{a.data(), k, 1}, y{b.data(), n, 1};
    std::vector<T> c(static_cast<size_t>(m * n), make<T>(77, 77));
    cpu::multiply_blocked(x, y, m, n, k, c.data());
    for (int64_t i = 0; i < m; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        ASSERT_EQ(std::complex<double>(c[static_cast<size_t>(i * n + j)]), element(x, y, i, j, k))
            << m << " " << n << " " << k << " at " << i << ", " << j;
      }
    }
  }
}

TYPED_TEST(Gemm, AgreesWithTheBlas) {
  using T = TypeParam;
  const double tolerance = sizeof(decltype(std::abs(T{}))) == 4 ? 1e-6 : 1e-15;
  for (const auto& [m, n, k] : kSizes) {
    if (k == 0) continue;  // of which a BLAS may think as it likes
    const std::vector<T> a = numbers<T>(m * k, false, 3), b = numbers<T>(k * n, false, 4);
    std::vector<T> c(static_cast<size_t>(m * n)), wanted(c);
    cpu::multiply_blocked<T>({a.data(), k, 1}, {b.data(), n, 1}, m, n, k, c.data());
    cpu::gemm({false, k}, {false, n}, static_cast<int>(m), static_cast<int>(n), static_cast<int>(k),
              a.data(), b.data(), wanted.data());
    for (size_t i = 0; i < c.size(); ++i) {
      ASSERT_LE(std::abs(c[i] - wanted[i]), tolerance * static_cast<double>(k)) << m << " " << n;
    }
  }
}

TYPED_TEST(Gemm, HasTheSameBitsInEveryLayout) {
  using T = TypeParam;
  for (const auto& [m, n, k] : kSizes) {
    const std::vector<T> a = numbers<T>(m * k, false, 5), b = numbers<T>(k * n, false, 6);
    std::vector<T> at(a), bt(b);
    for (int64_t i = 0; i < m; ++i) {
      for (int64_t p = 0; p < k; ++p) at[p * m + i] = a[i * k + p];
    }
    for (int64_t p = 0; p < k; ++p) {
      for (int64_t j = 0; j < n; ++j) bt[j * k + p] = b[p * n + j];
    }
    std::vector<T> c(static_cast<size_t>(m * n)), transposed(c);
    cpu::multiply_blocked<T>({a.data(), k, 1}, {b.data(), n, 1}, m, n, k, c.data());
    cpu::multiply_blocked<T>({at.data(), 1, m}, {bt.data(), 1, k}, m, n, k, transposed.data());
    ASSERT_EQ(std::memcmp(c.data(), transposed.data(), c.size() * sizeof(T)), 0);
  }
}

TYPED_TEST(Gemm, RowsDoNotDependOnTheRowsBesideThem) {
  using T = TypeParam;
  const int64_t m = 70, n = 20, k = 300;
  const std::vector<T> a = numbers<T>(m * k, false, 7), b = numbers<T>(k * n, false, 8);
  std::vector<T> c(static_cast<size_t>(m * n)), row(static_cast<size_t>(n));
  cpu::multiply_blocked<T>({a.data(), k, 1}, {b.data(), n, 1}, m, n, k, c.data());
  for (const int64_t i : {0, 3, 65, 69}) {
    cpu::multiply_blocked<T>({a.data() + i * k, k, 1}, {b.data(), n, 1}, 1, n, k, row.data());
    ASSERT_EQ(std::memcmp(c.data() + i * n, row.data(), row.size() * sizeof(T)), 0) << i;
  }
}

}  // namespace
}  // namespace tamis::testing
