// Building deferred tensors, settling them, and keeping in-place writes unobservable.
#include "expr/expr.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>

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

Tensor defer(Op op, DType operand, DType result, std::span<const TensorRef> inputs,
             std::shared_ptr<const IsinSet> set) {
  check(!is_complex(operand) || takes(op, operand), ErrorKind::dtype,
        "\"{}_cpu\" not implemented for '{}'", name(op), scalar_type_name(operand));
  Backend& backend = common_backend(inputs);
  require(backend, is_unary(op) || is_binary(op) ? Feature::arithmetic : Feature::copy, operand);
  Shape shape = inputs[0]->shape();
  for (const TensorRef& x : inputs.subspan(1)) shape = broadcast_shapes(shape, x->shape());

  auto* expr = new Expr(op, operand, result, std::move(shape));
  Ref<const Recipe> recipe(expr);
  expr->arity = static_cast<uint8_t>(inputs.size());
  expr->set = std::move(set);
  for (size_t i = 0; i < inputs.size(); ++i) {
    expr->inputs[i] = operand_of(inputs[i], expr->shape);
    expr->size += size_of(*storage_of(inputs[i]));
  }
  if (expr->size > kMaxSize) {
    expr->size = 1;
    for (int i = 0; i < expr->arity; ++i) settle(*expr->inputs[i].storage);
  }

  const int64_t bytes = storage_bytes(expr->shape, result);
  Tensor deferred = make_tensor(Ref<Storage>(new Storage(backend, bytes, std::move(recipe))),
                                result, expr->shape);
  Storage& storage = *storage_of(deferred);
  bool crowded = false;
  for (int i = 0; i < expr->arity; ++i) {
    if (!expr->inputs[i].storage->add_reader(&storage)) crowded = true;
  }
  if (crowded || eager_mode()) settle(storage);
  return deferred;
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

/// Allocates memory and computes a recipe into it.
Memory run_recipe(Storage& storage, const Recipe& recipe) {
  Backend& backend = storage.backend();
  if (storage.bytes() == 0) return backend.allocate(0);
  const Expr* const expr = as_expression(&recipe);
  const Shape shape = expr ? expr->shape : Shape{storage.bytes()};
  Target target{{}, DType::boolean, contiguous_strides(shape)};
  Compiler compiler(shape);
  // Compiled first, because that may settle inputs and throw.
  if (expr) {
    target.dtype = expr->result;
    compiler.result(*expr);
  } else {
    compiler.value(make_tensor(Ref<Storage>(&storage), DType::boolean, shape), DType::boolean);
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
