// The CPU as a backend.
#include "backend/backend.h"

#include <cstring>

#include "backend/cpu/address.h"
#include "backend/cpu/allocator.h"
#include "backend/cpu/indexed.h"
#include "backend/cpu/isin.h"
#include "backend/cpu/kernels/kernels.h"
#include "backend/cpu/matmul.h"
#include "backend/cpu/order.h"
#include "backend/cpu/sinks.h"
#include "backend/cpu/threads.h"
#include "tamis/runtime.h"

namespace tamis {

namespace {

using cpu::address;

int64_t* integers(const Buffer& buffer) { return address<int64_t>(buffer); }
/// Null for an output that is not wanted.
void* optional(const Buffer& buffer, DType dtype) {
  return buffer ? address(buffer, itemsize(dtype)) : nullptr;
}

class CpuOrder final : public OrderBackend {
 public:
  void sort(const Slices& x, bool descending, const Buffer& values,
            const Buffer& indices) override {
    cpu::run_sort(x, descending, address(values, itemsize(x.dtype)), integers(indices));
  }
  void top(const Slices& x, int64_t k, bool descending, const Buffer& values,
           const Buffer& indices) override {
    cpu::run_top(x, k, descending, address(values, itemsize(x.dtype)), integers(indices));
  }
  void select(const Slices& x, std::span<const int64_t> ranks, int64_t per_slice,
              const Buffer& values, const Buffer& indices) override {
    cpu::run_select(x, ranks.data(), per_slice, address(values, itemsize(x.dtype)),
                    indices ? integers(indices) : nullptr);
  }
  void mode(const Slices& x, const Buffer& values, const Buffer& indices) override {
    cpu::run_mode(x, address(values, itemsize(x.dtype)), integers(indices));
  }
  void search(const Slices& x, const Buffer& sorter, const Buffer& values, int64_t slices,
              int64_t per_slice, bool right, const Buffer& out) override {
    cpu::run_search(x, sorter ? integers(sorter) : nullptr, address(values, itemsize(x.dtype)),
                    slices, per_slice, right, integers(out));
  }
};

class CpuBackend final : public Backend {
 public:
  Device device() const override { return Device("cpu"); }
  bool supports(Feature, DType) const override { return true; }

  Memory allocate(int64_t bytes) override { return cpu::allocate(bytes); }
  void check_memory(int64_t bytes) const override { cpu::check_memory(bytes); }
  Memory allocate_zeros(int64_t bytes) override { return cpu::allocate_zeros(bytes); }
  Memory shrink(Memory memory, int64_t bytes) override { return cpu::shrink(memory, bytes); }
  void read(const Buffer& from, size_t itemsize, int64_t n, void* host) override {
    std::memcpy(host, address(from, itemsize), static_cast<size_t>(n) * itemsize);
  }
  void write(const void* host, size_t itemsize, int64_t n, const Buffer& to) override {
    std::memcpy(address(to, itemsize), host, static_cast<size_t>(n) * itemsize);
  }

  void store(const Program& program, const Target& target) override {
    cpu::run_store(program, target);
  }
  bool applies(Op op, DType operand, DType result, std::span<const Applied> inputs) const override {
    return cpu::is_one_kernel(op, operand, result, inputs);
  }
  void apply(Op op, DType operand, DType result, std::span<const Applied> inputs,
             const Shape& shape, const Buffer& out) override {
    cpu::run_apply(op, operand, result, inputs, shape, address(out, itemsize(result)));
  }
  int64_t count(const Program& program) override { return cpu::run_count(program); }
  bool keep_mask(const Program& program, Memory& bits, std::vector<int64_t>& begins) override {
    bits = cpu::run_keep_mask(program, begins);
    return true;
  }
  bool any(const Program& program) override { return cpu::run_any(program); }
  bool all(const Program& program) override { return cpu::run_all(program); }
  void compress(const Program& program, const std::function<Output(int64_t)>& resize) override {
    cpu::run_compress(program, resize);
  }
  bool compress_contiguous(const Buffer& x, size_t itemsize, const Buffer& mask, int64_t n,
                           const std::function<Output(int64_t)>& resize) override {
    return cpu::run_compress_small(address(x, itemsize), itemsize, address(mask, 1), n, resize);
  }
  bool fill_contiguous(const Buffer& to, DType dtype, const Buffer& mask, int64_t n,
                       const void* number, DType from) override {
    return cpu::run_fill_small(address(to, itemsize(dtype)), dtype, address(mask, 1), n, number,
                               from);
  }
  void compress_padded(const Program& program, const Output& out, const void* fill,
                       const Buffer& count) override {
    cpu::run_compress_padded(program, out, fill, integers(count));
  }
  void partition(const Program& program,
                 const std::function<std::pair<Buffer, Buffer>(int64_t)>& allocate) override {
    cpu::run_partition(program, allocate);
  }
  void coordinates(const Program& program, const Shape& shape,
                   const std::function<Output(int64_t)>& allocate) override {
    cpu::run_coordinates(program, shape, allocate);
  }
  void coordinates_padded(const Program& program, const Shape& shape, const Output& out,
                          int64_t fill) override {
    cpu::run_coordinates_padded(program, shape, out, fill);
  }
  int64_t expand(const Program& program, const Buffer& source, int64_t source_numel,
                 const Target& target) override {
    return cpu::run_expand(program, address(source, itemsize(target.dtype)), source_numel, target);
  }

  void expand_padded(const Program& program, const Buffer& source, int64_t source_numel,
                     const Target& target) override {
    cpu::run_expand_padded(program, address(source, itemsize(target.dtype)), source_numel, target);
  }

  void reduce(const Program& program, Reduction reduction, const ReductionShape& shape,
              const Buffer& out, DType result) override {
    cpu::run_reduce(program, reduction, shape, address(out, itemsize(result)), result);
  }
  void arg_extreme(const Program& program, bool largest, const ReductionShape& shape,
                   const Buffer& values, const Buffer& indices) override {
    cpu::run_arg_extreme(program, largest, shape, optional(values, program.dtype),
                         integers(indices));
  }
  void softmax(const Program& program, bool logarithm, int64_t rows, int64_t length,
               const Buffer& out, DType result) override {
    cpu::run_softmax(program, logarithm, rows, length, address(out, itemsize(result)), result);
  }
  void scan(Scan scan, const Buffer& x, DType dtype, const ReductionShape& shape) override {
    cpu::run_scan(scan, address(x, itemsize(dtype)), dtype, shape);
  }
  void scan_extreme(bool largest, const Buffer& x, DType dtype, const ReductionShape& shape,
                    const Buffer& indices) override {
    cpu::run_scan_extreme(largest, address(x, itemsize(dtype)), dtype, shape, integers(indices));
  }

  void matmul(const MatrixBatch& a, const MatrixBatch& b, DType dtype, int64_t batches, int64_t m,
              int64_t k, int64_t n, const Buffer& out) override {
    cpu::run_matmul(a, b, dtype, batches, m, k, n, address(out, itemsize(dtype)));
  }
  bool matmul_needs_rows(DType dtype, int64_t m, int64_t k, int64_t n) override {
    return cpu::matmul_needs_rows(dtype, m, k, n);
  }

  bool within(const Buffer& indices, int64_t n, int64_t low, int64_t high) override {
    return cpu::run_within(integers(indices), n, low, high);
  }
  void take(const IndexedElements& indexed, const Buffer& from, size_t itemsize,
            const Buffer& out) override {
    cpu::run_take(indexed, address(from, itemsize), itemsize, address(out, itemsize));
  }
  void put(const IndexedElements& indexed, const Buffer& to, const Buffer& source,
           const Shape& source_strides, DType dtype, Combine combine) override {
    cpu::run_put(indexed, address(to, itemsize(dtype)), address(source, itemsize(dtype)),
                 source_strides, dtype, combine);
  }

  void random(const Random& random, DType dtype, int64_t n, const Buffer& out) override {
    cpu::run_random(random, dtype, n, address(out, itemsize(dtype)));
  }
  OrderBackend& order() override { return order_; }
  std::shared_ptr<const IsinSet> make_isin_set(const void* host, DType dtype, int64_t n,
                                               DType elements) override {
    return cpu::make_isin_set(host, dtype, n, elements);
  }

 private:
  CpuOrder order_;
};

}  // namespace

Backend& cpu_backend() {
  static CpuBackend backend;
  return backend;
}

void run_on_pool(std::function<void()> work) { cpu::spawn(std::move(work)); }

std::string isa() { return cpu::kernels().isa; }

}  // namespace tamis
