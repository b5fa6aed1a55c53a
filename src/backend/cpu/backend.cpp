// The CPU as a backend.
#include "backend/backend.h"

#include "backend/cpu/allocator.h"
#include "backend/cpu/kernels.h"
#include "backend/cpu/places.h"
#include "backend/cpu/sinks.h"
#include "tamis/runtime.h"

namespace tamis {

namespace {

class CpuBackend final : public Backend {
 public:
  Memory allocate(int64_t bytes) override { return cpu::allocate(bytes); }
  void store(const Program& program, const Target& target) override {
    cpu::run_store(program, target);
  }
  int64_t count(const Program& program) override { return cpu::run_count(program); }
  bool any(const Program& program) override { return cpu::run_any(program); }
  bool all(const Program& program) override { return cpu::run_all(program); }
  void compress(const Program& program, const std::function<void*(int64_t)>& allocate) override {
    cpu::run_compress(program, allocate);
  }
  void coordinates(const Program& program, const Shape& shape,
                   const std::function<int64_t*(int64_t)>& allocate) override {
    cpu::run_coordinates(program, shape, allocate);
  }
  void expand(const Program& program, const void* source, int64_t source_numel,
              const Target& target) override {
    cpu::run_expand(program, source, source_numel, target);
  }
  void reduce(const Program& program, Reduction reduction, int64_t outer, int64_t reduced,
              int64_t inner, void* out, DType result) override {
    cpu::run_reduce(program, reduction, outer, reduced, inner, out, result);
  }
  bool within(const int64_t* indices, int64_t n, int64_t low, int64_t high) override {
    return cpu::run_within(indices, n, low, high);
  }
  void take(const Places& places, const void* from, size_t itemsize, void* out) override {
    cpu::run_take(places, from, itemsize, out);
  }
  void put(const Places& places, void* to, const void* source, const Shape& source_strides,
           DType dtype, Combine combine) override {
    cpu::run_put(places, to, source, source_strides, dtype, combine);
  }
};

}  // namespace

Backend& cpu_backend() {
  static CpuBackend backend;
  return backend;
}

std::string isa() { return cpu::kernels().isa; }

}  // namespace tamis
