// Expr: deferred pointwise operations, how to build them, and the functions that run them into
// sinks.
#pragma once

#include <array>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "backend/device.h"
#include "backend/op.h"
#include "core/tensor_impl.h"

namespace tamis {

/// A tensor in a list of operands that lives as long as a call: copying the handle would cost a
/// count.
class TensorRef {
 public:
  TensorRef(const Tensor& x) : x_(&x) {}
  operator const Tensor&() const { return *x_; }
  const Tensor* operator->() const { return x_; }

 private:
  const Tensor* x_;
};

/// A tensor as seen from a shape that it broadcasts to.
struct Operand {
  Ref<Storage> storage;
  DType dtype{};
  int64_t offset = 0;
  Shape strides;  // per dimension of the shape
};
inline Operand operand_of(const Tensor& x, const Shape& shape) {
  const Layout& layout = layout_of(x);
  return {storage_of(x), x.dtype(), layout.offset, broadcast_strides(layout, shape)};
}

/// The recipe of a deferred tensor: one operation on tensors, which may be deferred themselves.
/// The storage it belongs to is row-major over `shape`.
struct Expr final : Recipe, Pooled<Expr> {
  Expr(Op op_, DType operand_, DType result_, Shape shape_)
      : Recipe(Kind::expression),
        op(op_),
        operand(operand_),
        result(result_),
        shape(std::move(shape_)) {}
  void detach(Storage& owner) const noexcept override;

  Op op;
  DType operand;  // value inputs are converted to it before the operation
  DType result;
  uint8_t arity = 0;
  Shape shape;
  std::array<Operand, 3> inputs;  // as seen from shape
  std::shared_ptr<const IsinSet> set;
  int32_t size = 1;  // operations in this expression, with those of its inputs
};
/// The same recipe, null unless it is an expression. The caller keeps the recipe alive.
inline const Expr* as_expression(const Recipe* recipe) {
  const bool is_one = recipe && recipe->kind == Recipe::Kind::expression;
  return is_one ? static_cast<const Expr*>(recipe) : nullptr;
}

/// The backend that an operation on these tensors runs on. They must be on one device (throws kind
/// value if not); 0-d tensors on the CPU, numbers included, go with any.
Backend& common_backend(std::span<const TensorRef> tensors);
inline Backend& common_backend(std::initializer_list<TensorRef> tensors) {
  return common_backend(std::span(tensors.begin(), tensors.size()));
}
inline Backend& backend_of(const Tensor& x) { return storage_of(x)->backend(); }
/// Whether x is in memory that C++ code can read.
bool is_on_host(const Tensor& x);
/// The dtype that sums of x's elements are computed in on the way to a result of dtype `result`:
/// float64, or float32 on a device that has no float64, unless one of these is float64 itself.
DType wide_dtype(const Tensor& x, DType result);
inline DType wide_dtype(const Tensor& x) { return wide_dtype(x, x.dtype()); }

/// The deferred result of op on inputs: shapes broadcast (throws kind shape if they do not), value
/// inputs are converted to `operand`, the result to `result` (bool for comparisons and masks). Mask
/// ops take any dtype, of which 0 is false; the first operand of `where` must be bool. If the
/// elements are few, or in eager mode, or if the expression would grow past its bound, the result
/// is computed at once. If the operands have one layout that fills memory in another than row-major
/// order, the result has it, too.
Tensor defer(Op op, DType operand, DType result, std::span<const TensorRef> inputs,
             std::shared_ptr<const IsinSet> set = nullptr);

/// 0, 1, ... n - 1 as int64 on the CPU. No memory is needed until someone asks for it; what there
/// could never be memory for is refused at once.
Tensor counter(int64_t n);
/// A number (0-d, on the CPU) for every element of the shape, in the same way.
Tensor repeated(const Tensor& number, const Shape& shape, Backend& backend);

/// Fills the storage's memory by its recipe, if it has none yet. A pending reader has no memory:
/// waits for its work.
void settle(Storage& storage);
/// Computes a mask and keeps its bits, of which the storage's memory can be made later; if the mask
/// is small, or the backend keeps no bits, that memory.
void keep_mask(Storage& storage);
/// The mask whose first n elements are the bits of these bytes (uint8, contiguous, on the CPU;
/// core/kept_bits.h), over their memory.
Tensor mask_over_bits(const Tensor& bits, int64_t n);
/// The bits of a mask (1-d, not empty) as bytes (uint8): those that are kept, if it has them from
/// its first element on, else new ones. Undefined if the backend keeps no bits.
Tensor bits_of_mask(const Tensor& mask);
/// A reader of all that the inputs are computed from, for work on another thread: until the result
/// is dropped, a write to any of it calls `wait` first. Null if a storage has too many readers.
Ref<Storage> watch(std::span<const Tensor> inputs, std::function<void()> wait);
/// What every write to a storage calls first: settles it and every deferred tensor that reads it.
void prepare_write(const Tensor& target);
/// The same for a write that runs the given expressions itself: those that no one else can see are
/// left deferred.
void prepare_write(const Tensor& target, std::span<const Tensor* const> consumed);
/// x's elements for its backend to read, or to write if no one has seen x yet: settles x.
Buffer buffer_of(const Tensor& x);
/// The same for any other write: calls prepare_write.
Buffer writable_buffer(const Tensor& x);
/// The address of x's first element for someone outside, who may write through it later: settles
/// what a write would. No write is counted, since most only read, and gradients that have saved x
/// stay valid.
void* exposed_data(const Tensor& x);

// ---- sinks: each runs the expressions of its arguments in one fused pass ------------------------

/// target[i] = value[i], value broadcast to target's shape (the caller has checked that it fits)
/// and cast to its dtype. Move in what is not needed any more: an expression over the target itself
/// is then computed in place, without a copy.
void store(const Tensor& target, Tensor value);
/// The same only where mask (bool, broadcast to target's shape) is true. Nothing else of target is
/// changed.
void store_where(const Tensor& target, Tensor mask, Tensor value);
/// The elements of x where mask is true; both broadcast to `shape`. 1-d.
Tensor compress(const Tensor& x, const Tensor& mask, const Shape& shape);
/// The first of them into target (1-d, contiguous, x's dtype), as many as fit;
/// returns the number of all of them. Either no one has seen target yet, or the caller has called
/// prepare_write and checked that target does not overlap x and mask.
int64_t compress_into(const Tensor& target, const Tensor& x, const Tensor& mask,
                      const Shape& shape);
/// The first of them into target (1-d, contiguous, x's dtype, not seen by anyone yet), which is
/// filled up with `fill`; returns the number of all of them, 0-d int64. Waits for nothing.
Tensor compress_padded(const Tensor& target, const Tensor& x, const Tensor& mask,
                       const Shape& shape, Scalar fill);
/// The elements where mask is true and those where it is false, in one pass over x; each 1-d.
std::pair<Tensor, Tensor> partition(const Tensor& x, const Tensor& mask, const Shape& shape);
/// Number of true elements.
int64_t count_true(const Tensor& mask);
/// Coordinates of the true elements, int64 [count, mask.dim()], stored column by column.
Tensor coordinates(const Tensor& mask);
/// The first of them into columns (int64 [mask.dim(), size], contiguous, not seen by anyone yet),
/// which are filled up with `fill`. Waits for nothing.
void coordinates_padded(const Tensor& columns, const Tensor& mask, int64_t fill);
/// Writes the elements of source (contiguous, target's dtype), in order, where mask (broadcast to
/// target) is true. Returns how many that takes; if there are fewer, nothing is written.
int64_t expand_into(const Tensor& target, Tensor mask, const Tensor& source);
/// The same into a target that no one has seen yet, and x (broadcast to it, cast to its dtype)
/// where mask is false.
int64_t expand_over(const Tensor& target, const Tensor& x, const Tensor& mask,
                    const Tensor& source);
/// The same for a mask that may ask for more: what source lacks is x. Waits for nothing.
void expand_padded(const Tensor& target, const Tensor& x, const Tensor& mask, const Tensor& source);
/// x reduced over dims (sorted, not negative), which become size 1. x is first cast to `operand`;
/// the result has dtype `result`: sum, mean and prod accumulate in int64 or double. Contiguous.
Tensor reduce(Reduction reduction, const Tensor& x, const Shape& dims, DType operand, DType result);
/// softmax of x along its last dimension, or its logarithm, of the elements that mask (bool, x's
/// shape) keeps; 0, or -infinity, elsewhere. Computed in float64 if x is, else in float32;
/// contiguous, of x's dtype. An undefined mask keeps all. x is not empty.
Tensor softmax_rows(bool logarithm, const Tensor& x, const Tensor& mask);
/// The extreme values of x along dims, which become size 1, as `operand`, and their indices (int64,
/// row-major over dims): the first among equals; NaN wins. An undefined mask keeps all; beside an
/// index of -1, where nothing is kept, the value is unspecified. The dims are not empty.
std::pair<Tensor, Tensor> arg_extreme(bool largest, const Tensor& x, const Tensor& mask,
                                      const Shape& dims, DType operand);
/// Whether any (all) elements of a bool tensor are true; stops early.
bool any_true(const Tensor& mask);
bool all_true(const Tensor& mask);

/// An uninitialised contiguous tensor.
Tensor allocate(const Shape& shape, DType dtype, Backend& backend);
inline Tensor allocate_on_host(const Shape& shape, DType dtype) {
  return allocate(shape, dtype, host_backend());
}
/// A 0-d tensor of exactly this dtype (unlike a number it is not weak in promotion), which goes
/// with tensors of any device.
Tensor scalar_tensor(Scalar value, DType dtype);
/// A contiguous tensor with all elements equal to value.
Tensor full_on(Backend& backend, const Shape& shape, Scalar value, DType dtype);
inline Tensor zeros_on(Backend& backend, const Shape& shape, DType dtype) {
  return full_on(backend, shape, 0, dtype);
}

// ---- between devices ----------------------------------------------------------------------------

/// x where C++ code can read it: x itself on the CPU, else a copy, for which the caller waits.
Tensor to_host(const Tensor& x);
/// x in the memory of another backend: x itself if it is there, else a contiguous copy.
Tensor to_backend(const Tensor& x, Backend& backend);

}  // namespace tamis
