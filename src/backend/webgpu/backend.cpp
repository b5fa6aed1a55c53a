// The WebGPU backend: devices "webgpu:0", "webgpu:1", ..., each opened when it is first used.
#include <array>
#include <mutex>

#include "backend/device.h"
#include "backend/webgpu/open.h"
#include "backend/webgpu/sinks.h"
#include "core/check.h"

namespace tamis::webgpu {

namespace {

bool is_wide(DType dtype) { return dtype == DType::float64 || is_complex(dtype); }

class WebgpuOrder final : public OrderBackend {
 public:
  explicit WebgpuOrder(Queue& queue) : queue_(queue) {}

  void sort(const Slices& x, bool descending, const Buffer& values,
            const Buffer& indices) override {
    run_sort(queue_, x, descending, values, indices);
  }
  void top(const Slices& x, int64_t k, bool descending, const Buffer& values,
           const Buffer& indices) override {
    run_top(queue_, x, k, descending, values, indices);
  }
  void select(const Slices& x, std::span<const int64_t> ranks, int64_t per_slice,
              const Buffer& values, const Buffer& indices) override {
    run_select(queue_, x, ranks, per_slice, values, indices);
  }
  void mode(const Slices& x, const Buffer& values, const Buffer& indices) override {
    run_mode(queue_, x, values, indices);
  }
  void search(const Slices& x, const Buffer& sorter, const Buffer& values, int64_t slices,
              int64_t per_slice, bool right, const Buffer& out) override {
    run_search(queue_, x, sorter, values, slices, per_slice, right, out);
  }

 private:
  Queue& queue_;
};

void free_block(void* data, int64_t) {
  auto* const block = static_cast<Block*>(data);
  block->queue->free(block);
}

class WebgpuBackend final : public Backend {
 public:
  WebgpuBackend(std::unique_ptr<Gpu> gpu, int index)
      : queue_(std::move(gpu)), order_(queue_), device_("webgpu:" + std::to_string(index)) {}

  Queue& queue() { return queue_; }
  Device device() const override { return device_; }

  // float64 and complex numbers are moved, compared and ordered by their bits. The arithmetic of
  // shaders is float32 and integers.
  bool supports(Feature feature, DType dtype) const override {
    switch (feature) {
      case Feature::copy:
      case Feature::select:
      case Feature::index:
        return true;
      case Feature::order:
        return !is_complex(dtype);
      case Feature::arithmetic:
      case Feature::reduce:
      case Feature::softmax:
      case Feature::scan:
      case Feature::accumulate:
      case Feature::matmul:
        return !is_wide(dtype);
      case Feature::random:  // uniform numbers of float64 are made of bits, too
        return !is_complex(dtype);
    }
    __builtin_unreachable();
  }

  Memory allocate(int64_t bytes) override { return {queue_.allocate(bytes), bytes, free_block}; }
  Memory shrink(Memory memory, int64_t bytes) override {
    memory.bytes = bytes;
    return memory;
  }
  void read(const Buffer& from, size_t itemsize, int64_t n, void* host) override {
    const auto size = static_cast<int64_t>(itemsize);
    queue_.read(block_of(from), from.offset * size, host, n * size);
  }
  void write(const void* host, size_t itemsize, int64_t n, const Buffer& to) override {
    const auto size = static_cast<int64_t>(itemsize);
    queue_.write(block_of(to), to.offset * size, host, n * size);
  }

  void store(const Program& program, const Target& target) override {
    run_store(queue_, program, target);
  }
  int64_t count(const Program& program) override { return run_count(queue_, program); }
  bool any(const Program& program) override { return run_count(queue_, program) != 0; }
  bool all(const Program& program) override { return run_count(queue_, program) == program.numel; }
  void compress(const Program& program, const std::function<Output(int64_t)>& resize) override {
    run_compress(queue_, program, resize);
  }
  void compress_padded(const Program& program, const Output& out, const void* fill,
                       const Buffer& count) override {
    run_compress_padded(queue_, program, out, fill, count);
  }
  void partition(const Program& program,
                 const std::function<std::pair<Buffer, Buffer>(int64_t)>& allocate) override {
    run_partition(queue_, program, allocate);
  }
  void coordinates(const Program& program, const Shape& shape,
                   const std::function<Output(int64_t)>& allocate) override {
    run_coordinates(queue_, program, shape, allocate);
  }
  void coordinates_padded(const Program& program, const Shape& shape, const Output& out,
                          int64_t fill) override {
    run_coordinates_padded(queue_, program, shape, out, fill);
  }
  int64_t expand(const Program& program, const Buffer& source, int64_t source_numel,
                 const Target& target) override {
    return run_expand(queue_, program, source, source_numel, target);
  }
  void expand_padded(const Program& program, const Buffer& source, int64_t source_numel,
                     const Target& target) override {
    run_expand_padded(queue_, program, source, source_numel, target);
  }

  void reduce(const Program& program, Reduction reduction, const ReductionShape& shape,
              const Buffer& out, DType result) override {
    run_reduce(queue_, program, reduction, shape, out, result);
  }
  void arg_extreme(const Program& program, bool largest, const ReductionShape& shape,
                   const Buffer& values, const Buffer& indices) override {
    run_arg_extreme(queue_, program, largest, shape, values, indices);
  }
  void softmax(const Program& program, bool logarithm, int64_t rows, int64_t length,
               const Buffer& out, DType result) override {
    run_softmax(queue_, program, logarithm, rows, length, out, result);
  }
  void scan(Scan scan, const Buffer& x, DType dtype, const ReductionShape& shape) override {
    run_scan(queue_, scan, x, dtype, shape);
  }
  void scan_extreme(bool largest, const Buffer& x, DType dtype, const ReductionShape& shape,
                    const Buffer& indices) override {
    run_scan_extreme(queue_, largest, x, dtype, shape, indices);
  }

  void matmul(const MatrixBatch& a, const MatrixBatch& b, DType dtype, int64_t batches, int64_t m,
              int64_t k, int64_t n, const Buffer& out) override {
    run_matmul(queue_, a, b, dtype, batches, m, k, n, out);
  }
  bool matmul_needs_rows(DType, int64_t, int64_t, int64_t) override { return false; }

  bool within(const Buffer& indices, int64_t n, int64_t low, int64_t high) override {
    return run_within(queue_, indices, n, low, high);
  }
  void take(const IndexedElements& elements, const Buffer& from, size_t itemsize,
            const Buffer& out) override {
    run_take(queue_, elements, from, itemsize, out);
  }
  void put(const IndexedElements& elements, const Buffer& to, const Buffer& source,
           const Shape& source_strides, DType dtype, Combine combine) override {
    run_put(queue_, elements, to, source, source_strides, dtype, combine);
  }

  void random(const Random& random, DType dtype, int64_t n, const Buffer& out) override {
    run_random(queue_, random, dtype, n, out);
  }
  OrderBackend& order() override { return order_; }
  std::shared_ptr<const IsinSet> make_isin_set(const void* host, DType dtype, int64_t n,
                                               DType elements) override {
    return webgpu::make_isin_set(queue_, host, dtype, n, elements);
  }

 private:
  Queue queue_;
  WebgpuOrder order_;
  const Device device_;
};

std::mutex mutex;  // guards `opened`
// Never closed: tensors of static storage may outlive everything.
std::array<WebgpuBackend*, 16> opened{};

WebgpuBackend* open(int index) {
  index = std::max(index, 0);
  if (index >= static_cast<int>(opened.size())) return nullptr;
  const std::lock_guard guard(mutex);
  if (opened[index] == nullptr) {
    std::unique_ptr<Gpu> gpu = open_gpu(index);
    if (gpu == nullptr) return nullptr;
    opened[index] = new WebgpuBackend(std::move(gpu), index);
  }
  return opened[index];
}

}  // namespace

Backend* open_backend(int index) { return open(index); }

void reopen(int index) {
  const std::lock_guard guard(mutex);
  opened.at(static_cast<size_t>(index)) = nullptr;
}

Queue& queue_of(const Device& device) {
  check(device.type() == "webgpu", ErrorKind::value,
        "webgpu: expected a device of type webgpu, but got {}", device.str());
  WebgpuBackend* const backend = open(device.index());
  check(backend != nullptr, ErrorKind::value, "there is no device '{}'", device.str());
  return backend->queue();
}

void synchronize(const Device& device) { queue_of(device).synchronize(); }
Stats stats(const Device& device) { return queue_of(device).stats(); }
void reset_stats(const Device& device) { queue_of(device).reset_stats(); }

}  // namespace tamis::webgpu
