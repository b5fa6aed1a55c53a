// The guarded device: every call is the CPU's, on programs and buffers whose handles have been
// turned back into addresses.
#include "support/guarded_device.h"

#include <atomic>
#include <cstdlib>

#include "backend/device.h"
#include "tamis/runtime.h"

namespace tamis::testing {

namespace {

/// With this bit flipped an address is none that the hardware accepts, on x86-64 and on ARM. In
/// WebAssembly it is beyond the memory, of which tests use less than half.
constexpr uintptr_t kMark = uintptr_t{1} << (sizeof(uintptr_t) == 8 ? 62 : 31);

void* flipped(void* data) {
  return reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(data) ^ kMark);
}

Buffer real(const Buffer& buffer) {
  return buffer ? Buffer{flipped(buffer.memory), buffer.offset} : buffer;
}
Target real(const Target& target) { return {real(target.buffer), target.dtype, target.strides}; }
Output real(const Output& output) { return {real(output.buffer), output.capacity}; }
MatrixBatch real(MatrixBatch matrices) {
  matrices.buffer = real(matrices.buffer);
  return matrices;
}
Slices real(Slices slices) {
  slices.buffer = real(slices.buffer);
  return slices;
}
IndexedElements real(IndexedElements indexed) {
  for (IndexColumn& column : indexed.columns) column.numbers = real(column.numbers);
  return indexed;
}

/// A program over the same memory, as the CPU sees it.
class RealProgram {
 public:
  explicit RealProgram(const Program& given) : program_(std::pmr::get_default_resource()) {
    program_.shape = given.shape;
    program_.numel = given.numel;
    program_.leaves = given.leaves;
    program_.setup = given.setup;
    program_.code = given.code;
    program_.sets = given.sets;
    program_.registers = given.registers;
    program_.mask = given.mask;
    program_.value = given.value;
    program_.mask_end = given.mask_end;
    program_.dtype = given.dtype;
    for (Leaf& leaf : program_.leaves) {
      if (leaf.intervals || &leaf.storage->backend() != &guarded_backend()) continue;
      void* const address = flipped(leaf.storage->data());
      const int64_t bytes = leaf.storage->bytes();
      leaf.storage = Ref<Storage>(new Storage(cpu_backend(), address, bytes, nullptr));
    }
  }
  operator const Program&() const { return program_; }

 private:
  Program program_;
};

std::function<Output(int64_t)> real(const std::function<Output(int64_t)>& resize) {
  return [&resize](int64_t count) { return real(resize(count)); };
}

void (*real_free)(void*, int64_t) = nullptr;
void free_guarded(void* data, int64_t bytes) { real_free(flipped(data), bytes); }

std::atomic<int> missing{-1};

class GuardedOrder final : public OrderBackend {
 public:
  void sort(const Slices& x, bool descending, const Buffer& values,
            const Buffer& indices) override {
    cpu().sort(real(x), descending, real(values), real(indices));
  }
  void top(const Slices& x, int64_t k, bool descending, const Buffer& values,
           const Buffer& indices) override {
    cpu().top(real(x), k, descending, real(values), real(indices));
  }
  void select(const Slices& x, std::span<const int64_t> ranks, int64_t per_slice,
              const Buffer& values, const Buffer& indices) override {
    cpu().select(real(x), ranks, per_slice, real(values), real(indices));
  }
  void mode(const Slices& x, const Buffer& values, const Buffer& indices) override {
    cpu().mode(real(x), real(values), real(indices));
  }
  void search(const Slices& x, const Buffer& sorter, const Buffer& values, int64_t slices,
              int64_t per_slice, bool right, const Buffer& out) override {
    cpu().search(real(x), real(sorter), real(values), slices, per_slice, right, real(out));
  }

 private:
  static OrderBackend& cpu() { return cpu_backend().order(); }
};

class GuardedBackend final : public Backend {
 public:
  Device device() const override { return Device("guarded:0"); }
  bool supports(Feature feature, DType) const override {
    return missing.load() != static_cast<int>(feature);
  }

  Memory allocate(int64_t bytes) override {
    const Memory memory = cpu_backend().allocate(bytes);
    real_free = memory.free;
    return {flipped(memory.data), memory.bytes, free_guarded};
  }
  Memory shrink(Memory memory, int64_t bytes) override {
    const Memory smaller =
        cpu_backend().shrink({flipped(memory.data), memory.bytes, real_free}, bytes);
    return {flipped(smaller.data), smaller.bytes, free_guarded};
  }
  void read(const Buffer& from, size_t itemsize, int64_t n, void* host) override {
    cpu_backend().read(real(from), itemsize, n, host);
  }
  void write(const void* host, size_t itemsize, int64_t n, const Buffer& to) override {
    cpu_backend().write(host, itemsize, n, real(to));
  }

  void store(const Program& program, const Target& target) override {
    cpu_backend().store(RealProgram(program), real(target));
  }
  int64_t count(const Program& program) override {
    return cpu_backend().count(RealProgram(program));
  }
  bool any(const Program& program) override { return cpu_backend().any(RealProgram(program)); }
  bool all(const Program& program) override { return cpu_backend().all(RealProgram(program)); }
  void compress(const Program& program, const std::function<Output(int64_t)>& resize) override {
    cpu_backend().compress(RealProgram(program), real(resize));
  }
  void compress_padded(const Program& program, const Output& out, const void* fill,
                       const Buffer& count) override {
    cpu_backend().compress_padded(RealProgram(program), real(out), fill, real(count));
  }
  void partition(const Program& program,
                 const std::function<std::pair<Buffer, Buffer>(int64_t)>& allocate) override {
    cpu_backend().partition(RealProgram(program), [&](int64_t count) {
      const auto [kept, rejected] = allocate(count);
      return std::pair(real(kept), real(rejected));
    });
  }
  void coordinates(const Program& program, const Shape& shape,
                   const std::function<Output(int64_t)>& allocate) override {
    cpu_backend().coordinates(RealProgram(program), shape, real(allocate));
  }
  void coordinates_padded(const Program& program, const Shape& shape, const Output& out,
                          int64_t fill) override {
    cpu_backend().coordinates_padded(RealProgram(program), shape, real(out), fill);
  }
  int64_t expand(const Program& program, const Buffer& source, int64_t source_numel,
                 const Target& target) override {
    return cpu_backend().expand(RealProgram(program), real(source), source_numel, real(target));
  }

  void expand_padded(const Program& program, const Buffer& source, int64_t source_numel,
                     const Target& target) override {
    cpu_backend().expand_padded(RealProgram(program), real(source), source_numel, real(target));
  }

  void reduce(const Program& program, Reduction reduction, const ReductionShape& shape,
              const Buffer& out, DType result) override {
    cpu_backend().reduce(RealProgram(program), reduction, shape, real(out), result);
  }
  void arg_extreme(const Program& program, bool largest, const ReductionShape& shape,
                   const Buffer& values, const Buffer& indices) override {
    cpu_backend().arg_extreme(RealProgram(program), largest, shape, real(values), real(indices));
  }
  void softmax(const Program& program, bool logarithm, int64_t rows, int64_t length,
               const Buffer& out, DType result) override {
    cpu_backend().softmax(RealProgram(program), logarithm, rows, length, real(out), result);
  }
  void scan(Scan scan, const Buffer& x, DType dtype, const ReductionShape& shape) override {
    cpu_backend().scan(scan, real(x), dtype, shape);
  }
  void scan_extreme(bool largest, const Buffer& x, DType dtype, const ReductionShape& shape,
                    const Buffer& indices) override {
    cpu_backend().scan_extreme(largest, real(x), dtype, shape, real(indices));
  }

  void matmul(const MatrixBatch& a, const MatrixBatch& b, DType dtype, int64_t batches, int64_t m,
              int64_t k, int64_t n, const Buffer& out) override {
    cpu_backend().matmul(real(a), real(b), dtype, batches, m, k, n, real(out));
  }
  bool matmul_needs_rows(DType dtype, int64_t m, int64_t k, int64_t n) override {
    return cpu_backend().matmul_needs_rows(dtype, m, k, n);
  }

  bool within(const Buffer& indices, int64_t n, int64_t low, int64_t high) override {
    return cpu_backend().within(real(indices), n, low, high);
  }
  void take(const IndexedElements& indexed, const Buffer& from, size_t itemsize,
            const Buffer& out) override {
    cpu_backend().take(real(indexed), real(from), itemsize, real(out));
  }
  void put(const IndexedElements& indexed, const Buffer& to, const Buffer& source,
           const Shape& source_strides, DType dtype, Combine combine) override {
    cpu_backend().put(real(indexed), real(to), real(source), source_strides, dtype, combine);
  }

  void random(const Random& random, DType dtype, int64_t n, const Buffer& out) override {
    cpu_backend().random(random, dtype, n, real(out));
  }
  OrderBackend& order() override { return order_; }
  std::shared_ptr<const IsinSet> make_isin_set(const void* host, DType dtype, int64_t n,
                                               DType elements) override {
    return cpu_backend().make_isin_set(host, dtype, n, elements);
  }

 private:
  GuardedOrder order_;
};

Backend* open_guarded(int index) { return index <= 0 ? &guarded_backend() : nullptr; }

}  // namespace

Backend& guarded_backend() {
  static GuardedBackend backend;
  return backend;
}

void add_guarded_device() {
  static const bool added = (add_device_type("guarded", open_guarded), true);
  (void)added;
}

WithoutFeature::WithoutFeature(Feature feature) { missing = static_cast<int>(feature); }
WithoutFeature::~WithoutFeature() { missing = -1; }

namespace {

Device& chosen_device() {
  static Device chosen = [] {
    add_guarded_device();
    const char* const text = std::getenv("TAMIS_TEST_DEVICE");
    return text == nullptr ? Device() : Device(text);
  }();
  return chosen;
}

}  // namespace

const Device& device() { return chosen_device(); }

UseDevice::UseDevice(const Device& device) : before_(chosen_device()) { chosen_device() = device; }
UseDevice::~UseDevice() { chosen_device() = before_; }

OnTestDevice::OnTestDevice() : before_(default_device()) { set_default_device(device()); }
OnTestDevice::~OnTestDevice() { set_default_device(before_); }

}  // namespace tamis::testing
