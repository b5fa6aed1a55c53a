// Backend: the waist. All that a device is: memory, and the sinks that programs run into.
#pragma once

#include <functional>

#include "backend/places.h"
#include "backend/program.h"
#include "core/storage.h"

namespace tamis {

enum class Reduction : uint8_t { sum, mean, prod, amax, amin };

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

  /// Whether all integers are in [low, high).
  virtual bool within(const int64_t* indices, int64_t n, int64_t low, int64_t high) = 0;
  /// out[i] = the element at place i, row-major over the places' shape. The integers are in range,
  /// here and in put.
  virtual void take(const Places& places, const void* from, size_t itemsize, void* out) = 0;
  /// Combines place i of the target with source[i]. Where several i stand for one place, they come
  /// in row-major order. No two elements of the target share memory.
  virtual void put(const Places& places, void* to, const void* source, const Shape& source_strides,
                   DType dtype, Combine combine) = 0;
};

Backend& cpu_backend();

/// A set of numbers that `isin` looks up; made by make_isin_set.
std::shared_ptr<const IsinSet> make_isin_set(const void* data, DType dtype, int64_t n,
                                             DType elements);

}  // namespace tamis
