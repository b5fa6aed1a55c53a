// Products of matrices by tiles: pieces of both factors are copied into the order in which they are
// read, and a tile of the result stays in registers while they are multiplied.
#include "backend/cpu/gemm.h"

#include <algorithm>
#include <complex>
#include <cstring>
#include <type_traits>
#include <vector>

namespace tamis::cpu {

namespace {

template <class T>
struct RealOf {
  using type = T;
};
template <class T>
struct RealOf<std::complex<T>> {
  using type = T;
};

/// What a tile of the result holds: kRows rows of two vectors of real numbers. For complex numbers
/// these are the real and the imaginary parts, apart.
template <class T>
struct Tile {
  using Real = typename RealOf<T>::type;
  using Vector [[gnu::vector_size(16)]] = Real;
  static constexpr bool kIsComplex = !std::is_same_v<T, Real>;
  static constexpr int kLanes = 16 / sizeof(Real);
  static constexpr int kRows = 4;
  static constexpr int kWidth = 2 * kLanes;  // of a row, in real numbers
  static constexpr int kCols = kIsComplex ? kLanes : kWidth;
};

// Blocks of the factors: what is copied of each stays in the caches while it is used.
constexpr int64_t kDepth = 256;
constexpr int64_t kBlockRows = 64;
constexpr int64_t kBlockCols = 512;

/// Copies `count` lines of `depth` elements so that the same elements of `width` lines follow each
/// other, with zeros for lines that are not there; of complex numbers, the real parts come first.
template <class T, class Real = typename RealOf<T>::type>
void pack(const T* from, int64_t line_stride, int64_t stride, int64_t count, int64_t depth,
          int width, Real* to) {
  constexpr int kParts = std::is_same_v<T, Real> ? 1 : 2;
  for (int64_t first = 0; first < count; first += width) {
    const auto lines = static_cast<int>(std::min<int64_t>(width, count - first));
    for (int64_t p = 0; p < depth; ++p) {
      const T* x = from + first * line_stride + p * stride;
      for (int i = 0; i < width; ++i) {
        const T value = i < lines ? x[i * line_stride] : T{0};
        if constexpr (kParts == 1) {
          to[i] = value;
        } else {
          to[i] = value.real();
          to[width + i] = value.imag();
        }
      }
      to += kParts * width;
    }
  }
}

/// The product of kRows packed lines of a and the packed lines of b that make a tile.
template <class T, int kRows, class Real = typename Tile<T>::Real>
void multiply_tile(const Real* a, const Real* b, int64_t depth, Real* to) {
  using Vector = typename Tile<T>::Vector;
  Vector sums[kRows][2] = {};
  for (int64_t p = 0; p < depth; ++p) {
    Vector y[2];
    std::memcpy(y, b, sizeof y);
    b += Tile<T>::kWidth;
    for (int i = 0; i < kRows; ++i) {
      if constexpr (Tile<T>::kIsComplex) {
        const Real re = a[i], im = a[kRows + i];
        sums[i][0] += re * y[0] - im * y[1];
        sums[i][1] += re * y[1] + im * y[0];
      } else {
        sums[i][0] += a[i] * y[0];
        sums[i][1] += a[i] * y[1];
      }
    }
    a += Tile<T>::kIsComplex ? 2 * kRows : kRows;
  }
  std::memcpy(to, sums, sizeof sums);
}

/// Writes a tile to c, or adds it.
template <class T, class Real = typename Tile<T>::Real>
void store_tile(const Real* tile, int64_t rows, int64_t cols, bool add, T* c, int64_t row_stride) {
  for (int64_t i = 0; i < rows; ++i) {
    const Real* from = tile + i * Tile<T>::kWidth;
    T* row = c + i * row_stride;
    for (int64_t j = 0; j < cols; ++j) {
      T sum;
      if constexpr (Tile<T>::kIsComplex) {
        sum = {from[j], from[Tile<T>::kLanes + j]};
      } else {
        sum = from[j];
      }
      row[j] = add ? row[j] + sum : sum;
    }
  }
}

/// Adds the products of `depth` packed elements to a block of c.
template <class T, int kRows, class Real = typename Tile<T>::Real>
void multiply_block(const Real* a, const Real* b, int64_t rows, int64_t cols, int64_t depth,
                    bool add, T* c, int64_t row_stride) {
  constexpr int kCols = Tile<T>::kCols;
  const int64_t a_step = depth * kRows * (Tile<T>::kIsComplex ? 2 : 1);
  const int64_t b_step = depth * Tile<T>::kWidth;
  for (int64_t j = 0; j < cols; j += kCols) {
    for (int64_t i = 0; i < rows; i += kRows) {
      Real tile[kRows * Tile<T>::kWidth];
      multiply_tile<T, kRows>(a + i / kRows * a_step, b + j / kCols * b_step, depth, tile);
      store_tile<T>(tile, std::min<int64_t>(kRows, rows - i), std::min<int64_t>(kCols, cols - j),
                    add, c + i * row_stride + j, row_stride);
    }
  }
}

template <class T, int kRows>
void multiply_rows(Strided<T> a, Strided<T> b, int64_t m, int64_t n, int64_t k, T* c) {
  using Real = typename Tile<T>::Real;
  constexpr int64_t kParts = Tile<T>::kIsComplex ? 2 : 1;
  constexpr int kCols = Tile<T>::kCols;
  const int64_t depth = std::min(k, kDepth);
  const auto padded = [](int64_t count, int64_t width) {
    return (count + width - 1) / width * width;
  };
  std::vector<Real> x(static_cast<size_t>(padded(std::min(m, kBlockRows), kRows) * depth * kParts));
  std::vector<Real> y(static_cast<size_t>(padded(std::min(n, kBlockCols), kCols) * depth * kParts));
  for (int64_t j = 0; j < n; j += kBlockCols) {
    const int64_t cols = std::min(kBlockCols, n - j);
    for (int64_t p = 0; p < k; p += kDepth) {
      const int64_t deep = std::min(kDepth, k - p);
      pack(b.data + p * b.row_stride + j * b.col_stride, b.col_stride, b.row_stride, cols, deep,
           kCols, y.data());
      for (int64_t i = 0; i < m; i += kBlockRows) {
        const int64_t rows = std::min(kBlockRows, m - i);
        pack(a.data + i * a.row_stride + p * a.col_stride, a.row_stride, a.col_stride, rows, deep,
             kRows, x.data());
        multiply_block<T, kRows>(x.data(), y.data(), rows, cols, deep, p > 0, c + i * n + j, n);
      }
    }
  }
}

}  // namespace

template <class T>
void multiply_blocked(Strided<T> a, Strided<T> b, int64_t m, int64_t n, int64_t k, T* c) {
  if (k == 0) {
    std::fill_n(c, m * n, T{0});
  } else if (n == 1 && m > 1) {
    // A column is computed as a row, which wastes less of the tiles.
    multiply_blocked<T>({b.data, b.col_stride, b.row_stride}, {a.data, a.col_stride, a.row_stride},
                        1, m, k, c);
  } else if (m < Tile<T>::kRows) {
    multiply_rows<T, 1>(a, b, m, n, k, c);
  } else {
    multiply_rows<T, Tile<T>::kRows>(a, b, m, n, k, c);
  }
}

template void multiply_blocked(Strided<float>, Strided<float>, int64_t, int64_t, int64_t, float*);
template void multiply_blocked(Strided<double>, Strided<double>, int64_t, int64_t, int64_t,
                               double*);
template void multiply_blocked(Strided<std::complex<float>>, Strided<std::complex<float>>, int64_t,
                               int64_t, int64_t, std::complex<float>*);
template void multiply_blocked(Strided<std::complex<double>>, Strided<std::complex<double>>,
                               int64_t, int64_t, int64_t, std::complex<double>*);

}  // namespace tamis::cpu
