// Backend: the waist. All that a device is: memory, and the sinks that programs run into.
#pragma once

#include <functional>
#include <utility>

#include "backend/order.h"
#include "backend/places.h"
#include "backend/program.h"
#include "backend/reduction.h"
#include "core/storage.h"

namespace tamis {

enum class Scan : uint8_t { sum, prod, logsumexp };

/// Memory that a sink writes to: strides (in elements) for each dimension of the program's shape.
struct Target {
  void* data = nullptr;
  DType dtype{};
  Shape strides;
};

/// Matrices of one shape; strides in elements. Of each matrix, either the rows or the columns are
/// contiguous and do not overlap.
struct MatrixBatch {
  const void* data = nullptr;
  int64_t batch_stride = 0, row_stride = 0, col_stride = 0;
};

/// Where a selection goes: room for `size` elements, or rows. What does not fit is left out.
struct Room {
  void* data = nullptr;
  int64_t size = 0;
};

/// Numbers that are a function of a seed and of counters, each of which holds 128 random bits
/// (core/philox.h): the run of them from `first` on. A float64 and an integer take 64 bits, the
/// other floating point dtypes 32.
struct Random {
  enum class Kind : uint8_t { uniform, normal, integers };  // uniform in [0, 1)
  Kind kind{};
  uint64_t seed = 0, first = 0;
  int64_t low = 0;     // of integers
  uint64_t range = 0;  // of integers, from low on; 0 stands for 2^64
};

/// Below this line nothing throws but allocation. All arguments have been checked and all storages
/// are ready.
class Backend {
 public:
  virtual ~Backend() = default;

  /// 64-byte aligned, with at least 64 bytes of padding behind it that may be read and overwritten.
  virtual Memory allocate(int64_t bytes) = 0;
  /// The same memory with its first `bytes` bytes left; the rest may be given back.
  virtual Memory shrink(Memory memory, int64_t bytes) = 0;

  /// Writes the program's value; if it has a mask, only where that is true.
  virtual void store(const Program& program, const Target& target) = 0;
  /// Number of true elements of the program's mask.
  virtual int64_t count(const Program& program) = 0;
  /// Whether the mask has a true (false) element; stops at the first.
  virtual bool any(const Program& program) = 0;
  virtual bool all(const Program& program) = 0;
  /// Packs the values where the mask is true into the room that `resize(count)` gives; the last
  /// call is with the number of all of them. A first call may be with an estimate: if the next
  /// count is not larger, the room stays where it is with all that was written.
  virtual void compress(const Program& program, const std::function<Room(int64_t)>& resize) = 0;
  /// What a program would cost is more than the work on so few elements.
  static constexpr int64_t kSmall = 4096;
  /// The same for n <= kSmall elements of `itemsize` bytes in a row and a mask of as many bytes.
  virtual void compress_small(const void* data, size_t itemsize, const void* mask, int64_t n,
                              const std::function<Room(int64_t)>& allocate) = 0;
  /// Writes a number where the mask is true, to as many elements in a row. The number is of dtype
  /// `from`, which is the target's, or neither is complex or bool.
  virtual void fill_small(void* data, DType dtype, const void* mask, int64_t n, const void* number,
                          DType from) = 0;
  /// Packs the values where the mask is true, and those where it is false, at the two addresses
  /// that `allocate(count of true)` returns.
  virtual void partition(const Program& program,
                         const std::function<std::pair<void*, void*>(int64_t)>& allocate) = 0;
  /// Coordinates in `shape` (numel as the program's) of the true elements, int64, into room =
  /// allocate(count): that along dimension d of the k-th one to room.data[d * room.size + k].
  virtual void coordinates(const Program& program, const Shape& shape,
                           const std::function<Room(int64_t)>& allocate) = 0;
  /// Writes source[0], source[1], ... to the target where the mask is true, all of the target's
  /// dtype; elsewhere the program's value, if it has one. Returns how many the mask asks for; if
  /// source has fewer, nothing is written.
  virtual int64_t expand(const Program& program, const void* source, int64_t source_numel,
                         const Target& target) = 0;
  /// The program's elements, or those that its mask keeps, are seen as [outer, reduced, inner];
  /// writes [outer, inner] results of dtype `result`. A mean is the sum over `reduced`, whatever is
  /// kept; an extreme of nothing is the least or greatest number of the dtype. A sum of a program
  /// that has a mask and no value counts the mask; then inner is 1 and `result` int64.
  virtual void reduce(const Program& program, Reduction reduction, int64_t outer, int64_t reduced,
                      int64_t inner, void* out, DType result) = 0;
  /// The program's elements (float32 or float64) are seen as [rows, length]: the exponentials of
  /// what the mask, if there is one, keeps of a row over their sum, or the logarithms of these, as
  /// [rows, length] of dtype `result`; 0, or -infinity, elsewhere.
  virtual void soft_max(const Program& program, bool logarithm, int64_t rows, int64_t length,
                        void* out, DType result) = 0;
  /// Products of [m, k] and [k, n] matrices, to out as contiguous [batches, m, n]. All sizes are
  /// positive and fit 31 bits, m excepted. Integers (they wrap), float32, float64 and complex.
  virtual void matmul(const MatrixBatch& a, const MatrixBatch& b, DType dtype, int64_t batches,
                      int64_t m, int64_t k, int64_t n, void* out) = 0;
  /// Whether the rows of both operands must be contiguous for that, because it rounds differently
  /// if they are not.
  virtual bool matmul_needs_rows(DType dtype, int64_t m, int64_t k, int64_t n) = 0;

  /// Runs work some time from now on a thread of the pool. It must not throw.
  virtual void spawn(std::function<void()> work) = 0;

  /// Sorting, selecting and searching.
  virtual OrderBackend& order() = 0;

  /// Of the same rows, the index of the largest (smallest) value where the mask, if there is one,
  /// is true: the first among equals; NaN wins; -1 if there is none. That value goes to `values`
  /// (of the program's dtype), unless it is null; it is unspecified beside a -1.
  virtual void arg_extreme(const Program& program, bool largest, int64_t outer, int64_t reduced,
                           int64_t inner, void* values, int64_t* indices) = 0;
  /// In place, of elements that lie in memory as [outer, n, inner]: running sums, products or
  /// log-sum-exps along n, or running extremes with the index of each (the last among equals; NaN
  /// wins).
  virtual void scan(Scan scan, void* data, DType dtype, int64_t outer, int64_t n,
                    int64_t inner) = 0;
  virtual void scan_extreme(bool largest, void* data, DType dtype, int64_t outer, int64_t n,
                            int64_t inner, int64_t* indices) = 0;

  /// Whether all integers are in [low, high).
  virtual bool within(const int64_t* indices, int64_t n, int64_t low, int64_t high) = 0;
  /// out[i] = the element at place i, row-major over the places' shape. The integers are in range,
  /// here and in put.
  virtual void take(const Places& places, const void* from, size_t itemsize, void* out) = 0;
  /// Combines place i of the target with source[i]. Where several i stand for one place, they come
  /// in row-major order. No two elements of the target share memory.
  virtual void put(const Places& places, void* to, const void* source, const Shape& source_strides,
                   DType dtype, Combine combine) = 0;

  /// n random numbers of a dtype that has them.
  virtual void random(const Random& random, DType dtype, int64_t n, void* out) = 0;
};

Backend& cpu_backend();

/// A set of numbers that `isin` looks up; made by make_isin_set.
std::shared_ptr<const IsinSet> make_isin_set(const void* data, DType dtype, int64_t n,
                                             DType elements);

}  // namespace tamis
