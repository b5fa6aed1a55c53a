// Backend: the waist. All that a device is: memory, and the sinks that programs run into.
#pragma once

#include <functional>

#include "backend/program.h"
#include "core/storage.h"

namespace tamis {

enum class Reduction : uint8_t { sum, mean, prod, amax, amin };
enum class Scan : uint8_t { sum, prod, logsumexp };

/// Memory that a sink writes to: strides (in elements) for each dimension of the program's shape.
struct Target {
  void* data = nullptr;
  DType dtype{};
  Shape strides;
};

/// Below this line nothing throws but allocation. All arguments have been checked and all storages
/// are ready.
class Backend {
 public:
  virtual ~Backend() = default;

  /// 64-byte aligned, with at least 64 bytes of padding behind it that may be read and overwritten.
  virtual Memory allocate(int64_t bytes) = 0;

  /// Writes the program's value; if it has a mask, only where that is true.
  virtual void store(const Program& program, const Target& target) = 0;
  /// Number of true elements of the program's mask.
  virtual int64_t count(const Program& program) = 0;
  /// Whether the mask has a true (false) element; stops at the first.
  virtual bool any(const Program& program) = 0;
  virtual bool all(const Program& program) = 0;
  /// Packs the values where the mask is true at the address that `allocate(count)` returns.
  virtual void compress(const Program& program, const std::function<void*(int64_t)>& allocate) = 0;
  /// Coordinates in `shape` (numel as the program's) of the true elements: out[d * count + k], out
  /// = allocate(count).
  virtual void coordinates(const Program& program, const Shape& shape,
                           const std::function<int64_t*(int64_t)>& allocate) = 0;
  /// Writes source[0], source[1], ... to the target where the mask is true, of the target's dtype.
  virtual void expand(const Program& program, const void* source, int64_t source_numel,
                      const Target& target) = 0;
  /// The program's elements are seen as [outer, reduced, inner]; writes [outer, inner] results of
  /// dtype `result`.
  virtual void reduce(const Program& program, Reduction reduction, int64_t outer, int64_t reduced,
                      int64_t inner, void* out, DType result) = 0;
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
};

Backend& cpu_backend();

/// A set of numbers that `isin` looks up; made by make_isin_set.
std::shared_ptr<const IsinSet> make_isin_set(const void* data, DType dtype, int64_t n,
                                             DType elements);

}  // namespace tamis
