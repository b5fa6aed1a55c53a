// Backend: the waist. All that a device provides: memory, and the sinks that programs run into.
// Above it there are no addresses: what is read and written is a buffer.
#pragma once

#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "backend/buffer.h"
#include "backend/indexed.h"
#include "backend/order.h"
#include "backend/program.h"
#include "backend/reduction.h"
#include "core/storage.h"
#include "tamis/device.h"

namespace tamis {

enum class Scan : uint8_t { sum, prod, logsumexp };

/// Memory that a sink writes to: strides (in elements) for each dimension of the program's shape.
struct Target {
  Buffer buffer;
  DType dtype{};
  Shape strides;
};

/// An operand of an operation that is applied without a program.
struct Applied {
  Buffer buffer;
  DType dtype{};
  bool is_number = false;          // one element for all
  const Shape* strides = nullptr;  // in elements, per dimension of the shape; null: contiguous
};

/// Matrices of one shape; strides in elements. In each matrix, either the rows or the columns are
/// contiguous and do not overlap.
struct MatrixBatch {
  Buffer buffer;
  int64_t batch_stride = 0, row_stride = 0, col_stride = 0;
};

/// Where a selection goes: a buffer for `capacity` elements, or rows. What does not fit is left
/// out.
struct Output {
  Buffer buffer;
  int64_t capacity = 0;
};

/// How a reduction sees the elements of a program: as [outer, reduced, inner]. Its results are
/// [outer, inner].
struct ReductionShape {
  int64_t outer = 1, reduced = 1, inner = 1;
};

/// Numbers that are a function of a seed and of counters, each of which holds 128 random bits
/// (core/philox.h): the run of them from `first` on. A float64 and an integer take 64 bits, the
/// other floating point dtypes 32.
struct Random {
  enum class Kind : uint8_t { uniform, normal, integers };  // uniform in [0, 1)
  Kind kind{};
  uint64_t seed = 0, first = 0;
  int64_t low = 0;     // of integers
  uint64_t range = 0;  // of integers, from low on; 0 means 2^64
};

/// The groups of operations that a backend may support or not; `require` (backend/device.h) makes
/// the error.
enum class Feature : uint8_t {
  copy,        // store, casts, comparisons, where, isin
  arithmetic,  // functions of one number or two
  select,      // count, any, all, compress, partition, coordinates, expand
  reduce,      // reduce, arg_extreme
  softmax,
  scan,
  index,       // take, put that assigns
  accumulate,  // put that combines
  order,       // sort, top, select, mode, search
  matmul,
  random,
};

/// Nothing below this line throws except allocation. All arguments have been checked and all
/// storages are ready.
class Backend {
 public:
  virtual ~Backend() = default;

  virtual Device device() const = 0;
  /// Whether the operations of this group work on elements of this dtype.
  virtual bool supports(Feature feature, DType dtype) const = 0;

  /// 64-byte aligned, followed by at least 64 bytes of padding that may be read and overwritten.
  virtual Memory allocate(int64_t bytes) = 0;
  /// Throws as allocate does if there is not that much memory.
  virtual void check_memory(int64_t /*bytes*/) const {}
  /// The same, with all bytes zero. No data if the backend cannot do better than to write them.
  virtual Memory allocate_zeros(int64_t /*bytes*/) { return {}; }
  /// The same memory with only its first `bytes` bytes; the rest may be given back.
  virtual Memory shrink(Memory memory, int64_t bytes) = 0;
  /// Copies bytes between the backend's memory and the host's. A read waits for all work on it.
  virtual void read(const Buffer& from, size_t itemsize, int64_t n, void* host) = 0;
  virtual void write(const void* host, size_t itemsize, int64_t n, const Buffer& to) = 0;

  /// Writes the program's value; if it has a mask, only where that is true.
  virtual void store(const Program& program, const Target& target) = 0;
  /// Up to this many elements are few.
  static constexpr int64_t kFew = 4096;
  /// Whether one operation on few elements needs no program.
  virtual bool applies(Op /*op*/, DType /*operand*/, DType /*result*/,
                       std::span<const Applied> /*inputs*/) const {
    return false;
  }
  /// Such an operation, to contiguous elements of dtype `result`. Value operands are converted to
  /// `operand` before.
  virtual void apply(Op /*op*/, DType /*operand*/, DType /*result*/,
                     std::span<const Applied> /*inputs*/, const Shape& /*shape*/,
                     const Buffer& /*out*/) {}
  /// Number of true elements of the program's mask.
  virtual int64_t count(const Program& program) = 0;
  /// The bits of the program's mask (core/kept_bits.h) in memory that is allocated for them, and
  /// how many are set before each KeptBits::kCounted, and in all. False if the backend keeps bytes.
  virtual bool keep_mask(const Program& /*program*/, Memory& /*bits*/,
                         std::vector<int64_t>& /*begins*/) {
    return false;
  }
  /// Whether the mask has a true (false) element; stops at the first.
  virtual bool any(const Program& program) = 0;
  virtual bool all(const Program& program) = 0;
  /// Packs the values where the mask is true into the output that `resize(count)` gives; the last
  /// call is with the number of all of them. A first call may be with an estimate: if the next
  /// count is not larger, the buffer stays where it is with everything that was written.
  virtual void compress(const Program& program, const std::function<Output(int64_t)>& resize) = 0;
  /// The same for n contiguous elements and a mask of n contiguous bools, without a program. False
  /// if the backend prefers a program; then nothing has been done.
  virtual bool compress_contiguous(const Buffer& /*x*/, size_t /*itemsize*/, const Buffer& /*mask*/,
                                   int64_t /*n*/,
                                   const std::function<Output(int64_t)>& /*resize*/) {
    return false;
  }
  /// Writes a number of the host, of dtype `from`, where the mask is true, to contiguous elements,
  /// without a program. False as above.
  virtual bool fill_contiguous(const Buffer& /*to*/, DType /*dtype*/, const Buffer& /*mask*/,
                               int64_t /*n*/, const void* /*number*/, DType /*from*/) {
    return false;
  }
  /// The same into an output of a given capacity, which is filled up with `fill`, a number of the
  /// host of the program's dtype. The number of all that the mask keeps goes to `count` (int64).
  virtual void compress_padded(const Program& program, const Output& out, const void* fill,
                               const Buffer& count) = 0;
  /// Packs the values where the mask is true, and those where it is false, into the two buffers
  /// that `allocate(count of true)` returns.
  virtual void partition(const Program& program,
                         const std::function<std::pair<Buffer, Buffer>(int64_t)>& allocate) = 0;
  /// Coordinates in `shape` (numel as the program's) of the true elements, int64, into output =
  /// allocate(count): that along dimension d of the k-th one to element d * output.capacity + k.
  virtual void coordinates(const Program& program, const Shape& shape,
                           const std::function<Output(int64_t)>& allocate) = 0;
  /// The same into an output of a given capacity, filled up with `fill`.
  virtual void coordinates_padded(const Program& program, const Shape& shape, const Output& out,
                                  int64_t fill) = 0;
  /// Writes source[0], source[1], ... to the target where the mask is true, all of the target's
  /// dtype; elsewhere the program's value, if it has one. Returns how many the mask needs; if
  /// source has fewer, nothing is written.
  virtual int64_t expand(const Program& program, const Buffer& source, int64_t source_numel,
                         const Target& target) = 0;
  /// The same for a mask that may ask for more: what source lacks is the program's value.
  virtual void expand_padded(const Program& program, const Buffer& source, int64_t source_numel,
                             const Target& target) = 0;
  /// Reduces the program's elements, or those that its mask keeps, to results of dtype `result`. A
  /// mean is the sum over `reduced`, whatever is kept; an extreme of nothing is the least or
  /// greatest number of the dtype. A sum of a program that has a mask and no value counts the mask;
  /// then inner is 1 and `result` int64.
  virtual void reduce(const Program& program, Reduction reduction, const ReductionShape& shape,
                      const Buffer& out, DType result) = 0;
  /// The index along `reduced` of the largest (smallest) value where the mask, if there is one, is
  /// true: the first among equals; NaN wins; -1 if there is none. The value itself goes to `values`
  /// (of the program's dtype), unless that is null; it is unspecified beside a -1.
  virtual void arg_extreme(const Program& program, bool largest, const ReductionShape& shape,
                           const Buffer& values, const Buffer& indices) = 0;
  /// The program's elements (float32 or float64) are seen as [rows, length]: the exponentials of
  /// the elements of a row that the mask, if there is one, keeps, divided by their sum, or the
  /// logarithms of these, as [rows, length] of dtype `result`; 0, or -infinity, elsewhere.
  virtual void softmax(const Program& program, bool logarithm, int64_t rows, int64_t length,
                       const Buffer& out, DType result) = 0;
  /// In place, of contiguous elements seen as [outer, reduced, inner]: running sums, products or
  /// log-sum-exps along `reduced`, or running extremes with the index of each (the last among
  /// equals; NaN wins).
  virtual void scan(Scan scan, const Buffer& x, DType dtype, const ReductionShape& shape) = 0;
  virtual void scan_extreme(bool largest, const Buffer& x, DType dtype, const ReductionShape& shape,
                            const Buffer& indices) = 0;

  /// Products of [m, k] and [k, n] matrices, to out as contiguous [batches, m, n]. All sizes are
  /// positive and, except for m, fit 31 bits. Integers (they wrap), float32, float64 and complex.
  virtual void matmul(const MatrixBatch& a, const MatrixBatch& b, DType dtype, int64_t batches,
                      int64_t m, int64_t k, int64_t n, const Buffer& out) = 0;
  /// Whether the rows of both operands must be contiguous for that, because it rounds differently
  /// if they are not.
  virtual bool matmul_needs_rows(DType dtype, int64_t m, int64_t k, int64_t n) = 0;

  /// Whether all n int64 numbers are in [low, high).
  virtual bool within(const Buffer& indices, int64_t n, int64_t low, int64_t high) = 0;
  /// out[i] = indexed element i, row-major over its shape. The integers are in range, here and in
  /// put.
  virtual void take(const IndexedElements& indexed, const Buffer& from, size_t itemsize,
                    const Buffer& out) = 0;
  /// Combines indexed element i of the target with source[i]. Where several i name one element,
  /// they come in row-major order. No two elements of the target share memory.
  virtual void put(const IndexedElements& indexed, const Buffer& to, const Buffer& source,
                   const Shape& source_strides, DType dtype, Combine combine) = 0;

  /// n random numbers of a dtype that has them.
  virtual void random(const Random& random, DType dtype, int64_t n, const Buffer& out) = 0;

  /// Sorting, selecting and searching.
  virtual OrderBackend& order() = 0;

  /// A set of n numbers of the host, for `isin` of elements of dtype `elements`. For programs of
  /// this backend only.
  virtual std::shared_ptr<const IsinSet> make_isin_set(const void* host, DType dtype, int64_t n,
                                                       DType elements) = 0;
};

Backend& cpu_backend();

/// Runs work later on a thread of the pool. It must not throw.
void run_on_pool(std::function<void()> work);

}  // namespace tamis
