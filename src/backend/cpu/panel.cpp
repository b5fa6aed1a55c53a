// Panels: transposing a few rows at a time into a buffer that stays in the cache.
#include "backend/cpu/panel.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "backend/cpu/address.h"
#include "backend/cpu/allocator.h"
#include "backend/cpu/kernels/kernels.h"

namespace tamis::cpu {

namespace {

constexpr int64_t kLine = 64;
constexpr int64_t kPanelBytes = int64_t{320} << 10;  // well within a usual second-level cache
constexpr int64_t kFewestRows = 4;

/// Bytes from row to row of a panel: an odd number of lines, since rows a power of two apart would
/// share a few sets of the cache.
int64_t pitch_of(int64_t cols, int64_t size) {
  return ((cols * size + kLine - 1) / kLine | 1) * kLine;
}

/// A power of two, or 0.
int64_t rows_of(int64_t cols, int64_t size) {
  const int64_t most = std::min(kLine / size, kPanelBytes / pitch_of(cols, size));
  return static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(most)));
}

/// 16 bytes of elements.
template <class T>
struct Vector {
  static constexpr int64_t kLanes = 16 / sizeof(T);
  typedef T __attribute__((vector_size(16))) type;
};

/// The elements of the lower, or upper, halves of a and b in turn.
template <bool upper, class V, size_t... i>
V interleave(V a, V b, std::index_sequence<i...>) {
  constexpr size_t n = sizeof...(i), first = upper ? n / 2 : 0;
  return __builtin_shufflevector(a, b, (i % 2 * n + first + i / 2)...);
}

/// A square of elements: as many runs as a vector has lanes.
template <class T>
void transpose_square(const char* from, int64_t step, char* out, int64_t pitch) {
  constexpr int64_t n = Vector<T>::kLanes;
  constexpr auto all = std::make_index_sequence<n>();
  typename Vector<T>::type a[n], b[n];
  for (int64_t i = 0; i < n; ++i) std::memcpy(&a[i], from + i * step, 16);
  for (int64_t done = 1; done < n; done *= 2) {
    for (int64_t i = 0; i < n / 2; ++i) {
      b[2 * i] = interleave<false>(a[i], a[i + n / 2], all);
      b[2 * i + 1] = interleave<true>(a[i], a[i + n / 2], all);
    }
    std::copy_n(b, n, a);
  }
  for (int64_t i = 0; i < n; ++i) std::memcpy(out + i * pitch, &a[i], 16);
}

/// out[r * pitch + c * sizeof(T)] = the r-th element of the run at from + c * step.
template <class T>
void transpose(const char* from, int64_t step, int64_t rows, int64_t cols, char* out,
               int64_t pitch) {
  constexpr int64_t kAhead = 16, n = Vector<T>::kLanes;
  const int64_t square_rows = rows / n * n, square_cols = cols / n * n;
  for (int64_t c = 0; c < cols; ++c) {
    // Into the second level, because lines that are a power of two apart would evict each other
    // from the first. Beyond the end it does nothing.
    const char* const run = from + c * step;
    __builtin_prefetch(run + kAhead * step, 0, 2);
    char* const to = out + c * static_cast<int64_t>(sizeof(T));
    for (int64_t r = c < square_cols ? square_rows : 0; r < rows; ++r) {
      std::memcpy(to + r * pitch, run + r * sizeof(T), sizeof(T));
    }
    if (c % n != 0 || c >= square_cols) continue;
    for (int64_t r = 0; r < square_rows; r += n) {
      transpose_square<T>(run + r * sizeof(T), step, to + r * pitch, pitch);
    }
  }
}

}  // namespace

Panel::~Panel() {
  if (memory_.free) memory_.free(memory_.data, memory_.bytes);
}

bool Panel::suits(const Shape& shape, const Leaf& leaf) {
  const size_t rank = shape.size();
  if (rank < 2 || leaf.intervals || leaf.strides[rank - 2] != 1) return false;
  const int64_t size = static_cast<int64_t>(itemsize(leaf.dtype));
  const int64_t cols = shape[rank - 1], step = leaf.strides[rank - 1];
  return step > 1 && cols >= 16 && std::min(shape[rank - 2], rows_of(cols, size)) >= kFewestRows;
}

void Panel::fill(const Shape& shape, const Leaf& leaf, int64_t row) {
  const size_t rank = shape.size();
  const int64_t size = static_cast<int64_t>(itemsize(leaf.dtype));
  const int64_t cols = shape[rank - 1], pitch = pitch_of(cols, size);
  if (!memory_.free) memory_ = allocate(rows_of(cols, size) * pitch);
  // From a multiple of a panel's rows on, so that the lines are read whole.
  const int64_t within = row % shape[rank - 2];
  const int64_t skipped = within % rows_of(cols, size);
  first_ = row - skipped;
  const int64_t rows = std::min(rows_of(cols, size), shape[rank - 2] - (within - skipped));
  last_ = first_ + rows;

  int64_t offset = 0, rest = first_;
  for (size_t d = rank - 1; d-- > 0;) {
    offset += rest % shape[d] * leaf.strides[d];
    rest /= shape[d];
  }
  const char* const from = address(leaf) + offset * size;
  const int64_t step = leaf.strides[rank - 1] * size;
  char* const out = static_cast<char*>(memory_.data);
  switch (size) {
    case 1:
      return transpose<uint8_t>(from, step, rows, cols, out, pitch);
    case 2:
      return transpose<uint16_t>(from, step, rows, cols, out, pitch);
    case 4:
      return transpose<uint32_t>(from, step, rows, cols, out, pitch);
    case 8:
      return transpose<uint64_t>(from, step, rows, cols, out, pitch);
    default:
      return transpose<unsigned __int128>(from, step, rows, cols, out, pitch);
  }
}

void Panel::read(const Shape& shape, const Leaf& leaf, int64_t start, int64_t n, void* out) {
  const int64_t size = static_cast<int64_t>(itemsize(leaf.dtype));
  const int64_t cols = shape.back(), pitch = pitch_of(cols, size);
  char* to = static_cast<char*>(out);
  int64_t row = start / cols, col = start % cols;
  for (; n > 0; ++row, col = 0) {
    if (row < first_ || row >= last_) fill(shape, leaf, row);
    const int64_t here = std::min(n, cols - col);
    const char* const from = static_cast<const char*>(memory_.data) + (row - first_) * pitch;
    std::memcpy(to, from + col * size, static_cast<size_t>(here * size));
    to += here * size;
    n -= here;
  }
}

}  // namespace tamis::cpu
