// Building deferred tensors, settling them, and keeping in-place writes unobservable.
#include "expr/expr.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <optional>
#include <string>

#include "core/check.h"
#include "core/convert.h"
#include "expr/compile.h"
#include "tamis/runtime.h"

namespace tamis {

namespace {

/// Past this many operations the inputs settle: programs stay short and the recursion shallow.
constexpr int32_t kMaxSize = 64;

std::atomic<bool>& eager_flag() {
  static std::atomic<bool> flag = [] {
    const char* value = std::getenv("TAMIS_EAGER");
    return value && *value && std::string(value) != "0";
  }();
  return flag;
}

/// Expanding takes no memory, so a result may be too large although its operands are not.
int64_t storage_bytes(const Shape& shape, DType dtype) {
  int64_t bytes = 0;
  check(!__builtin_mul_overflow(numel(shape), static_cast<int64_t>(itemsize(dtype)), &bytes),
        ErrorKind::shape, "Storage size calculation overflowed with sizes={}", shape);
  return bytes;
}

int32_t size_of(const Storage& storage) {
  const Ref<const Recipe> recipe = storage.recipe();
  const Expr* const expr = as_expression(recipe.get());
  return expr ? expr->size : 0;
}

}  // namespace

bool eager_mode() { return eager_flag().load(std::memory_order_relaxed); }
void set_eager_mode(bool on) { eager_flag().store(on, std::memory_order_relaxed); }

void Expr::detach(Storage& owner) const noexcept {
  for (int i = 0; i < arity; ++i) inputs[i].storage->remove_reader(&owner);
}

Backend& common_backend(std::span<const TensorRef> tensors) {
  Backend& first = backend_of(tensors[0]);
  const auto is_elsewhere = [&](const Tensor& x) { return &backend_of(x) != &first; };
  if (std::none_of(tensors.begin() + 1, tensors.end(), is_elsewhere)) return first;
  Backend& host = host_backend();
  Backend* common = &host;
  for (const Tensor& x : tensors) {
    if (&backend_of(x) != &host) common = &backend_of(x);
  }
  for (const Tensor& x : tensors) {
    Backend& backend = backend_of(x);
    if (&backend == common || (&backend == &host && x.dim() == 0)) continue;
    const std::string here = common->device().str(), there = backend.device().str();
    check(here != there, ErrorKind::device,
          "{}: the device was lost and has been opened again; tensors of the lost one are gone",
          here);
    raise(ErrorKind::value,
          fmt::format("Expected all tensors to be on the same device, but found at least two "
                      "devices, {} and {}!",
                      here, there));
  }
  return *common;
}

bool is_on_host(const Tensor& x) { return &backend_of(x) == &host_backend(); }

DType wide_dtype(const Tensor& x, DType result) {
  const bool has_wide = backend_of(x).supports(Feature::arithmetic, DType::float64);
  const bool needs_wide = x.dtype() == DType::float64 || result == DType::float64;
  return has_wide || needs_wide ? DType::float64 : DType::float32;
}

namespace {

/// The dimensions from the largest stride to the smallest, if the elements fill memory without gaps
/// in that order and it is not row-major; else empty.
Shape order_in_memory(const Layout& layout) {
  if (layout.sizes.size() < 2 || is_contiguous(layout)) return {};
  Shape order;
  for (size_t d = 0; d < layout.sizes.size(); ++d) order.push_back(static_cast<int64_t>(d));
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t a, int64_t b) { return layout.strides[a] > layout.strides[b]; });
  int64_t expected = 1;
  for (size_t i = order.size(); i-- > 0;) {
    if (layout.sizes[order[i]] < 2 || layout.strides[order[i]] != expected) return {};
    expected *= layout.sizes[order[i]];
  }
  return order;
}

/// The space that a pointwise operation goes through. If all operands but single numbers have the
/// same layout, which fills memory in another than row-major order, as transposed tensors do, it
/// goes in that order, and the result is laid out like them.
class Space {
 public:
  explicit Space(std::span<const TensorRef> inputs) : sizes_(&kNoSizes) {
    const Layout* common = nullptr;
    bool has_one_layout = true;
    for (const Tensor& x : inputs) {
      const Layout& layout = layout_of(x);
      if (layout.sizes.empty()) continue;
      if (!common) common = &layout;
      has_one_layout = has_one_layout && (common == &layout || (common->sizes == layout.sizes &&
                                                                common->strides == layout.strides));
    }
    if (!common) return;
    sizes_ = &common->sizes;
    if (has_one_layout && is_contiguous(*common)) return;
    seen_.emplace();
    for (const Tensor& x : inputs) seen_->shape = broadcast_shapes(seen_->shape, x.shape());
    if (has_one_layout) seen_->order = order_in_memory(*common);
    seen_->sizes = ordered(seen_->shape);
    if (!seen_->order.empty()) seen_->strides = common->strides;
    sizes_ = &seen_->sizes;
  }
  Space(const Space&) = delete;
  Space& operator=(const Space&) = delete;

  /// Whether every operand is a number or contiguous in the order of the operation.
  bool is_plain() const { return !seen_ || !seen_->order.empty(); }
  /// In the order of the operation.
  const Shape& sizes() const { return *sizes_; }
  int64_t numel() const { return tamis::numel(*sizes_); }
  /// The strides of x in the order of the operation.
  Shape strides_of(const Tensor& x) const {
    return ordered(broadcast_strides(layout_of(x), seen_ ? seen_->shape : *sizes_));
  }
  /// A tensor over storage, which has the elements in the order of the operation.
  Tensor result(Ref<Storage> storage, DType dtype) const {
    if (!seen_) return make_tensor(std::move(storage), dtype, *sizes_);
    if (seen_->order.empty()) return make_tensor(std::move(storage), dtype, seen_->shape);
    return make_tensor(std::move(storage), dtype, Layout{seen_->shape, seen_->strides, 0});
  }

 private:
  static const Shape kNoSizes;

  struct Seen {
    Shape shape;    // of the result
    Shape order;    // its dimensions in the order of the operation; empty: as they are
    Shape sizes;    // in that order
    Shape strides;  // of the result, if there is an order
  };

  Shape ordered(Shape values) const {
    if (!seen_ || seen_->order.empty()) return values;
    const Shape given = values;
    for (size_t i = 0; i < given.size(); ++i) values[i] = given[seen_->order[i]];
    return values;
  }

  const Shape* sizes_;
  std::optional<Seen> seen_;  // unless it is plain
};
const Shape Space::kNoSizes;

/// Whether operations on few elements are deferred, too: TAMIS_DEFER=all, for tests.
bool defers_few() {
  static const bool flag = [] {
    const char* value = std::getenv("TAMIS_DEFER");
    return value && std::string(value) == "all";
  }();
  return flag;
}

/// The operand as the backend takes it, without strides.
Applied applied_of(const Tensor& x) {
  const Storage& storage = *storage_of(x);
  storage.check_intact();
  return {{storage.data(), layout_of(x).offset}, x.dtype(), layout_of(x).sizes.empty()};
}

/// The result of an operation on few elements that are all there, computed now. Undefined if that
/// takes a program.
Tensor apply(Op op, DType operand, DType result, std::span<const TensorRef> inputs,
             const Space& space, Backend& backend) {
  const bool is_ready = std::all_of(inputs.begin(), inputs.end(),
                                    [](const Tensor& x) { return storage_of(x)->ready(); });
  if (!is_ready || space.numel() > Backend::kFew || (defers_few() && !eager_mode())) {
    return Tensor();
  }
  std::array<Applied, 3> applied;
  for (size_t i = 0; i < inputs.size(); ++i) applied[i] = applied_of(inputs[i]);
  const std::span<const Applied> operands(applied.data(), inputs.size());
  if (!backend.applies(op, operand, result, operands)) return Tensor();
  const Memory memory = backend.allocate(space.numel() * static_cast<int64_t>(itemsize(result)));
  Tensor y = space.result(Ref<Storage>(new Storage(backend, memory)), result);
  if (space.is_plain()) {
    backend.apply(op, operand, result, operands, space.sizes(), {memory.data, 0});
    return y;
  }
  std::array<Shape, 3> strides;
  for (size_t i = 0; i < inputs.size(); ++i) {
    strides[i] = space.strides_of(inputs[i]);
    applied[i].strides = &strides[i];
  }
  backend.apply(op, operand, result, operands, space.sizes(), {memory.data, 0});
  return y;
}

/// Whether the strides are contiguous_strides of the sizes, of which none is 0, or those of a
/// transposed matrix.
bool is_plainly_dense(const Layout& layout) {
  const int64_t *const sizes = layout.sizes.data(), *const strides = layout.strides.data();
  int64_t expected = 1;
  if (layout.sizes.size() == 2 && strides[0] == 1 && sizes[0] > 1 && sizes[1] > 1) {
    return strides[1] == sizes[0];
  }
  for (size_t i = layout.sizes.size(); i-- > 0; expected *= sizes[i]) {
    if (strides[i] != expected || sizes[i] == 0) return false;
  }
  return true;
}

/// The same for operands in the CPU's memory that are numbers or dense and of one layout, which is
/// that of the result, as most are. Undefined if they are not.
Tensor apply_plainly(Op op, DType operand, DType result, std::span<const TensorRef> inputs) {
  if (defers_few() && !eager_mode()) return Tensor();
  Backend& backend = host_backend();
  std::array<Applied, 3> applied;
  const TensorImpl* common = nullptr;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const TensorImpl& x = static_cast<const Tensor&>(inputs[i]).impl();
    const Storage& storage = *x.storage;
    const bool is_number = x.layout.sizes.empty();
    if (!storage.ready() || &storage.backend() != &backend) return Tensor();
    storage.check_intact();
    applied[i] = {{storage.data(), x.layout.offset}, x.dtype, is_number};
    if (is_number) continue;
    if (!common) {
      if (x.numel > Backend::kFew || !is_plainly_dense(x.layout)) return Tensor();
      common = &x;
    } else if (common != &x && (common->layout.sizes != x.layout.sizes ||
                                common->layout.strides != x.layout.strides)) {
      return Tensor();
    }
  }
  const std::span<const Applied> operands(applied.data(), inputs.size());
  if (!common || !backend.applies(op, operand, result, operands)) return Tensor();
  const Memory memory = backend.allocate(common->numel * static_cast<int64_t>(itemsize(result)));
  Ref<Storage> storage(new Storage(backend, memory));
  Tensor y(new TensorImpl(std::move(storage), result, *common));
  backend.apply(op, operand, result, operands, common->layout.sizes, {memory.data, 0});
  return y;
}

}  // namespace

Tensor defer(Op op, DType operand, DType result, std::span<const TensorRef> inputs,
             std::shared_ptr<const IsinSet> set) {
  if (Tensor now = apply_plainly(op, operand, result, inputs); now.defined()) return now;
  check(!is_complex(operand) || takes(op, operand), ErrorKind::dtype,
        "\"{}_cpu\" not implemented for '{}'", name(op), scalar_type_name(operand));
  Backend& backend = common_backend(inputs);
  require(backend, is_unary(op) || is_binary(op) ? Feature::arithmetic : Feature::copy, operand);
  const Space space(inputs);
  Tensor now = apply(op, operand, result, inputs, space, backend);
  if (now.defined()) return now;

  auto* expr = new Expr(op, operand, result, space.sizes());
  Ref<const Recipe> recipe(expr);
  expr->arity = static_cast<uint8_t>(inputs.size());
  expr->set = std::move(set);
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Tensor& x = inputs[i];
    expr->inputs[i] = {storage_of(x), x.dtype(), layout_of(x).offset, space.strides_of(x)};
    expr->size += size_of(*storage_of(x));
  }
  if (expr->size > kMaxSize) {
    expr->size = 1;
    for (int i = 0; i < expr->arity; ++i) settle(*expr->inputs[i].storage);
  }

  const int64_t bytes = storage_bytes(expr->shape, result);
  Tensor deferred =
      space.result(Ref<Storage>(new Storage(backend, bytes, std::move(recipe))), result);
  Storage& storage = *storage_of(deferred);
  bool crowded = false;
  for (int i = 0; i < expr->arity; ++i) {
    if (!expr->inputs[i].storage->add_reader(&storage)) crowded = true;
  }
  if (crowded || eager_mode()) settle(storage);
  return deferred;
}

Tensor counter(int64_t n) {
  struct Counter final : Recipe {
    Counter() : Recipe(Kind::counter) {}
  };
  const int64_t bytes = storage_bytes({n}, DType::int64);
  host_backend().check_memory(bytes);
  Ref<Storage> storage(new Storage(host_backend(), bytes, Ref<const Recipe>(new Counter)));
  storage->set_counts_up(true);
  if (eager_mode()) settle(*storage);
  return make_tensor(std::move(storage), DType::int64, Shape{n});
}

Tensor repeated(const Tensor& number, const Shape& shape, Backend& backend) {
  const DType dtype = number.dtype();
  backend.check_memory(storage_bytes(shape, dtype));
  auto* expr = new Expr(Op::cast, dtype, dtype, shape);
  Ref<const Recipe> recipe(expr);
  expr->arity = 1;
  expr->inputs[0] = operand_of(number, shape);
  Ref<Storage> storage(new Storage(backend, storage_bytes(shape, dtype), std::move(recipe)));
  if (!storage_of(number)->add_reader(storage.get()) || eager_mode()) settle(*storage);
  return make_tensor(std::move(storage), dtype, shape);
}

namespace {

/// The recipe of a reader that is not a tensor.
struct Pending final : Recipe {
  explicit Pending(std::function<void()> w) : Recipe(Kind::pending), wait(std::move(w)) {}
  void detach(Storage& owner) const noexcept override {
    for (const Ref<Storage>& storage : read) storage->remove_reader(&owner);
  }

  std::function<void()> wait;
  std::vector<Ref<Storage>> read;
};

/// Collects the storages that computing this one may read.
void collect_read(const Ref<Storage>& storage, std::vector<Ref<Storage>>& found) {
  if (std::find(found.begin(), found.end(), storage) != found.end()) return;
  found.push_back(storage);
  const Ref<const Recipe> recipe = storage->recipe();
  if (const KeptBits* kept = as_kept_bits(recipe.get())) collect_read(kept->bytes, found);
  const Expr* const expr = as_expression(recipe.get());
  if (!expr) return;
  for (int i = 0; i < expr->arity; ++i) collect_read(expr->inputs[i].storage, found);
}

}  // namespace

Ref<Storage> watch(std::span<const Tensor> inputs, std::function<void()> wait) {
  auto* pending = new Pending(std::move(wait));
  Ref<const Recipe> recipe(pending);
  for (const Tensor& x : inputs) collect_read(storage_of(x), pending->read);
  Ref<Storage> reader(new Storage(host_backend(), 0, std::move(recipe)));
  for (const Ref<Storage>& storage : pending->read) {
    if (!storage->add_reader(reader.get())) return nullptr;
  }
  return reader;
}

namespace {

/// Whether the expression is a repeated number all of whose bits are zero.
bool is_zero(const Expr& expr) {
  const Operand& number = expr.inputs[0];
  const Storage& storage = *number.storage;
  const bool is_number = expr.op == Op::cast && number.dtype == expr.result && number.offset == 0 &&
                         storage.ready() && &storage.backend() == &host_backend() &&
                         storage.bytes() == static_cast<int64_t>(itemsize(number.dtype));
  if (!is_number) return false;
  const auto* const bytes = static_cast<const char*>(storage.data());
  return std::all_of(bytes, bytes + storage.bytes(), [](char byte) { return byte == 0; });
}

/// Allocates memory and computes a recipe into it.
Memory run_recipe(Storage& storage, const Recipe& recipe) {
  Backend& backend = storage.backend();
  if (storage.bytes() == 0) return backend.allocate(0);
  const Expr* const expr = as_expression(&recipe);
  if (expr && is_zero(*expr)) {
    const Memory zeros = backend.allocate_zeros(storage.bytes());
    if (zeros.data) return zeros;
  }
  const DType dtype = expr                                   ? expr->result
                      : recipe.kind == Recipe::Kind::counter ? DType::int64
                                                             : DType::boolean;
  const Shape shape =
      expr ? expr->shape : Shape{storage.bytes() / static_cast<int64_t>(itemsize(dtype))};
  Target target{{}, dtype, contiguous_strides(shape)};
  Compiler compiler(shape);
  // Compiled first, because that may settle inputs and throw.
  if (expr) {
    compiler.result(*expr);
  } else {
    compiler.value(make_tensor(Ref<Storage>(&storage), dtype, shape), dtype);
  }
  const Program& program = compiler.finish(&target);
  const Memory memory = backend.allocate(storage.bytes());
  target.buffer.memory = memory.data;
  backend.store(program, target);
  return memory;
}

}  // namespace

void settle(Storage& storage) {
  if (storage.ready()) return storage.check_intact();
  const Ref<const Recipe> recipe = storage.recipe();
  if (!recipe) return;  // another thread was first
  if (recipe->kind == Recipe::Kind::pending) return static_cast<const Pending&>(*recipe).wait();
  storage.fulfil(run_recipe(storage, *recipe));
}

void keep_mask(Storage& storage) {
  const Ref<const Recipe> recipe = storage.recipe();
  const Expr* const expr = as_expression(recipe.get());
  if (!expr || storage.bytes() <= Backend::kFew) return settle(storage);
  Compiler compiler(expr->shape);
  compiler.mask_result(*expr);
  const Program& program = compiler.finish();
  Memory bits;
  std::vector<int64_t> begins;
  if (!storage.backend().keep_mask(program, bits, begins)) return settle(storage);
  Ref<Storage> bytes(new Storage(storage.backend(), bits));
  bytes->add_reader(&storage);
  storage.replace_recipe(
      Ref<const Recipe>(new KeptBits(std::move(bytes), storage.bytes(), std::move(begins))));
}

Tensor mask_over_bits(const Tensor& bits, int64_t n) {
  const Ref<Storage>& bytes = storage_of(bits);
  settle(*bytes);
  const int64_t first = 8 * layout_of(bits).offset;
  Ref<const Recipe> recipe(new KeptBits(bytes, first + n, {}));
  Ref<Storage> storage(new Storage(bytes->backend(), first + n, std::move(recipe)));
  if (!bytes->add_reader(storage.get()) || eager_mode()) settle(*storage);
  return make_tensor(std::move(storage), DType::boolean, Layout{{n}, {1}, first});
}

Tensor bits_of_mask(const Tensor& mask) {
  const int64_t n = mask.numel(), bytes = (n + 7) / 8;
  const Layout& layout = layout_of(mask);
  const Ref<const Recipe> recipe = storage_of(mask)->recipe();
  const KeptBits* const kept = as_kept_bits(recipe.get());
  // What is after the last bit of other memory is not known to be zero.
  if (kept && layout.strides[0] == 1 && layout.offset % 8 == 0 &&
      (n % 8 == 0 || (!kept->begins.empty() && layout.offset + n == kept->numel))) {
    return make_tensor(kept->bytes, DType::uint8, Layout{{bytes}, {1}, layout.offset / 8});
  }
  Compiler compiler(mask.shape());
  compiler.mask(mask);
  const Program& program = compiler.finish();
  Memory bits;
  std::vector<int64_t> begins;
  Backend& backend = backend_of(mask);
  if (!backend.keep_mask(program, bits, begins)) return Tensor();
  return make_tensor(Ref<Storage>(new Storage(backend, bits)), DType::uint8, Shape{bytes});
}

namespace {

/// Collects the deferred storages of an expression that only this expression refers to.
void collect_private(const Storage& storage, std::vector<const Storage*>& found) {
  if (storage.use_count() != 1) return;
  const Ref<const Recipe> recipe = storage.recipe();
  const Expr* const expr = as_expression(recipe.get());
  if (!expr) return;
  found.push_back(&storage);
  for (int i = 0; i < expr->arity; ++i) collect_private(*expr->inputs[i].storage, found);
}

/// Settles every deferred tensor that reads the storage, except for what only `consumed` can see.
void settle_readers(const Storage& storage, std::span<const Tensor* const> consumed) {
  if (!storage.has_readers()) return;
  std::vector<const Storage*> kept;
  for (const Tensor* x : consumed) {
    if (x->impl().use_count() == 1) collect_private(*storage_of(*x), kept);
  }
  for (const Ref<Storage>& reader : storage.readers()) {
    if (std::find(kept.begin(), kept.end(), reader.get()) == kept.end()) settle(*reader);
  }
}

}  // namespace

void prepare_write(const Tensor& target, std::span<const Tensor* const> consumed) {
  const Ref<Storage>& storage = storage_of(target);
  check(
      !storage->read_only(), ErrorKind::unsupported,
      "unsupported operation: the memory of the written-to tensor is read-only. Please clone() the "
      "tensor before performing the operation.");
  settle(*storage);
  storage->version.fetch_add(1, std::memory_order_relaxed);
  settle_readers(*storage, consumed);
}

void prepare_write(const Tensor& target) { prepare_write(target, {}); }

Buffer buffer_of(const Tensor& x) {
  Storage& storage = *storage_of(x);
  settle(storage);
  return {storage.data(), layout_of(x).offset};
}

Buffer writable_buffer(const Tensor& x) {
  prepare_write(x);
  return buffer_of(x);
}

namespace {

void check_on_host(const Tensor& x) {
  if (is_on_host(x)) return;
  raise(ErrorKind::unsupported,
        fmt::format("this tensor is on {}, where its memory has no address; call .cpu() first",
                    backend_of(x).device().str()));
}

}  // namespace

void* exposed_data(const Tensor& x) {
  check_on_host(x);
  Storage& storage = *storage_of(x);
  settle(storage);
  if (!storage.read_only()) {
    storage.set_counts_up(false);
    settle_readers(storage, {});
  }
  return const_cast<void*>(x.data_ptr());
}

bool Tensor::is_deferred() const { return !storage_of(*this)->ready(); }

const Tensor& Tensor::settle() const {
  tamis::settle(*storage_of(*this));
  return *this;
}

const void* Tensor::data_ptr() const {
  check_on_host(*this);
  settle();
  return static_cast<const char*>(storage_of(*this)->data()) +
         storage_offset() * static_cast<int64_t>(itemsize());
}

void* Tensor::mutable_data_ptr() const {
  check_on_host(*this);
  prepare_write(*this);
  return const_cast<void*>(data_ptr());
}

void* Tensor::shared_data_ptr() const {
  check(
      !storage_of(*this)->read_only(), ErrorKind::unsupported,
      "data_ptr: the memory of this tensor is read-only. Please clone() the tensor to write to it, "
      "or read it through data<T>().");
  return exposed_data(*this);
}

Tensor allocate(const Shape& shape, DType dtype, Backend& backend) {
  const Memory memory = backend.allocate(storage_bytes(shape, dtype));
  return make_tensor(Ref<Storage>(new Storage(backend, memory)), dtype, shape);
}

Tensor to_host(const Tensor& x) { return to_backend(x, host_backend()); }

Tensor to_backend(const Tensor& x, Backend& backend) {
  Backend& from = backend_of(x);
  if (&from == &backend) return x;
  const Tensor packed = x.contiguous();
  const Buffer elements = buffer_of(packed);
  Tensor result = allocate(x.shape(), x.dtype(), backend);
  const Buffer to = buffer_of(result);
  if (x.numel() == 0) return result;
  if (is_on_host(result)) {
    from.read(elements, x.itemsize(), x.numel(), to.memory);
  } else if (is_on_host(x)) {
    backend.write(packed.data_ptr(), x.itemsize(), x.numel(), to);
  } else {
    return to_backend(to_host(x), backend);
  }
  return result;
}

Tensor::Tensor(Scalar v) : Tensor(allocate_on_host({}, v.dtype())) {
  visit_dtype(v.dtype(), [&](auto type) {
    using T = decltype(type);
    *static_cast<T*>(storage_of(*this)->data()) = v.to<T>();
  });
  impl_->is_number = true;
}

}  // namespace tamis
