// The CPU as a backend.
#include "backend/backend.h"

#include "backend/cpu/allocator.h"
#include "backend/cpu/kernels/kernels.h"
#include "backend/cpu/matmul.h"
#include "backend/cpu/order.h"
#include "backend/cpu/places.h"
#include "backend/cpu/sinks.h"
#include "backend/cpu/threads.h"
#include "tamis/runtime.h"

namespace tamis {

namespace {

class CpuOrder final : public OrderBackend {
 public:
  void sort(const Slices& x, bool descending, void* values, int64_t* indices) override {
    cpu::run_sort(x, descending, values, indices);
  }
  void top(const Slices& x, int64_t k, bool descending, void* values, int64_t* indices) override {
    cpu::run_top(x, k, descending, values, indices);
  }
  void select(const Slices& x, const int64_t* ranks, int64_t per_slice, void* values,
              int64_t* indices) override {
    cpu::run_select(x, ranks, per_slice, values, indices);
  }
  void mode(const Slices& x, void* values, int64_t* indices) override {
    cpu::run_mode(x, values, indices);
  }
  void search(const Slices& x, const int64_t* sorter, const void* values, int64_t slices,
              int64_t per_slice, bool right, int64_t* out) override {
    cpu::run_search(x, sorter, values, slices, per_slice, right, out);
  }
};

class CpuBackend final : public Backend {
 public:
  Memory allocate(int64_t bytes) override { return cpu::allocate(bytes); }
  Memory shrink(Memory memory, int64_t bytes) override { return cpu::shrink(memory, bytes); }
  void store(const Program& program, const Target& target) override {
    cpu::run_store(program, target);
  }
  int64_t count(const Program& program) override { return cpu::run_count(program); }
  bool any(const Program& program) override { return cpu::run_any(program); }
  bool all(const Program& program) override { return cpu::run_all(program); }
  void compress(const Program& program, const std::function<Room(int64_t)>& resize) override {
    cpu::run_compress(program, resize);
  }
  void compress_small(const void* data, size_t itemsize, const void* mask, int64_t n,
                      const std::function<Room(int64_t)>& allocate) override {
    cpu::run_compress_small(data, itemsize, mask, n, allocate);
  }
  void fill_small(void* data, DType dtype, const void* mask, int64_t n, const void* number,
                  DType from) override {
    cpu::run_fill_small(data, dtype, mask, n, number, from);
  }
  void partition(const Program& program,
                 const std::function<std::pair<void*, void*>(int64_t)>& allocate) override {
    cpu::run_partition(program, allocate);
  }
  void coordinates(const Program& program, const Shape& shape,
                   const std::function<Room(int64_t)>& allocate) override {
    cpu::run_coordinates(program, shape, allocate);
  }
  int64_t expand(const Program& program, const void* source, int64_t source_numel,
                 const Target& target) override {
    return cpu::run_expand(program, source, source_numel, target);
  }
  void reduce(const Program& program, Reduction reduction, int64_t outer, int64_t reduced,
              int64_t inner, void* out, DType result) override {
    cpu::run_reduce(program, reduction, outer, reduced, inner, out, result);
  }
  void soft_max(const Program& program, bool logarithm, int64_t rows, int64_t length, void* out,
                DType result) override {
    cpu::run_soft_max(program, logarithm, rows, length, out, result);
  }
  void matmul(const MatrixBatch& a, const MatrixBatch& b, DType dtype, int64_t batches, int64_t m,
              int64_t k, int64_t n, void* out) override {
    cpu::run_matmul(a, b, dtype, batches, m, k, n, out);
  }
  bool matmul_needs_rows(DType dtype, int64_t m, int64_t k, int64_t n) override {
    return cpu::matmul_needs_rows(dtype, m, k, n);
  }
  void spawn(std::function<void()> work) override { cpu::spawn(std::move(work)); }
  void arg_extreme(const Program& program, bool largest, int64_t outer, int64_t reduced,
                   int64_t inner, void* values, int64_t* indices) override {
    cpu::run_arg_extreme(program, largest, outer, reduced, inner, values, indices);
  }
  void scan(Scan scan, void* data, DType dtype, int64_t outer, int64_t n, int64_t inner) override {
    cpu::run_scan(scan, data, dtype, outer, n, inner);
  }
  void scan_extreme(bool largest, void* data, DType dtype, int64_t outer, int64_t n, int64_t inner,
                    int64_t* indices) override {
    cpu::run_scan_extreme(largest, data, dtype, outer, n, inner, indices);
  }
  void random(const Random& random, DType dtype, int64_t n, void* out) override {
    cpu::run_random(random, dtype, n, out);
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
  OrderBackend& order() override { return order_; }

 private:
  CpuOrder order_;
};

}  // namespace

Backend& cpu_backend() {
  static CpuBackend backend;
  return backend;
}

std::string isa() { return cpu::kernels().isa; }

}  // namespace tamis
