// Tensor: an n-dimensional array of one dtype; a handle, cheap to copy, that shares its data as
// PyTorch's does.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tamis/device.h"
#include "tamis/dtype.h"
#include "tamis/error.h"
#include "tamis/pointwise_list.h"
#include "tamis/scalar.h"
#include "tamis/shape.h"

namespace tamis {

class Tensor;
class Masked;
class Index;
class RowIterator;
class Storage;
struct TensorImpl;

/// Reduction dimensions: none given means all of them; negative ones count from the end. One needs
/// no braces: `x.sum(0)`, `x.mean({0, -1}, true)`.
using Dims = Shape;

/// A tensor. Copying the handle shares the data; views share it too; `clone` does not.
///
/// Pointwise operations (arithmetic, comparisons, where, casts, ...) are deferred: the result
/// remembers how to compute itself and is computed, fused with what consumes it, when its values
/// are needed. Nothing but speed shows it. All argument errors are thrown by the call that made
/// them (tamis::Error), before anything is written. Any number of threads may read a tensor;
/// writing needs the caller's own synchronisation.
class Tensor {
 public:
  /// The undefined tensor: `defined()` is false, everything else throws.
  Tensor() noexcept : impl_(nullptr) {}

  /// A 0-d tensor from a number, so that numbers can be passed where tensors are taken. As in
  /// PyTorch, such a number is weak: it never widens the dtype of a tensor within its category
  /// (`int8_tensor + 1` is int8). Half and BFloat16 need `Tensor(h)`, so that arithmetic between
  /// two of them stays arithmetic of floats.
  template <Number T>
  explicit(std::same_as<T, Half> || std::same_as<T, BFloat16>) Tensor(T v) : Tensor(Scalar(v)) {}
  Tensor(Scalar v);

  // ---- what it is -------------------------------------------------------------------------------
  bool defined() const noexcept { return impl_ != nullptr; }
  DType dtype() const;
  const Shape& shape() const;
  const Shape& sizes() const { return shape(); }
  const Shape& strides() const;  ///< in elements
  int64_t storage_offset() const;
  int64_t dim() const;
  int64_t numel() const;
  int64_t size(int64_t dim) const;
  int64_t stride(int64_t dim) const;
  size_t itemsize() const;
  Device device() const;  ///< where the elements are
  bool is_cpu() const { return device().is_cpu(); }
  bool is_floating_point() const { return tamis::is_floating_point(dtype()); }
  bool is_contiguous() const;
  /// Whether the two share the same storage (one is a view of the other, or both of a third).
  bool shares_storage(const Tensor& other) const;
  /// Whether the values are not computed yet.
  bool is_deferred() const;
  /// Computes the values now if they are deferred; returns *this.
  const Tensor& settle() const;

  // ---- values -----------------------------------------------------------------------------------
  /// Pointer to the first element; element (i, j) is at `i * strides()[0] + j * strides()[1]` from
  /// it. Settles.
  const void* data_ptr() const;
  /// The same for writing: settles every deferred tensor that reads this storage first. The library
  /// cannot see later writes through the pointer: settle() what is made from this tensor in between
  /// before you write again.
  void* mutable_data_ptr() const;
  /// Throws kind dtype unless T is the element type. A bool may hold any nonzero byte as true: read
  /// it as uint8_t.
  template <class T>
  const T* data() const {
    check_dtype(dtype_of<T>);
    return static_cast<const T*>(data_ptr());
  }
  template <class T>
  T* mutable_data() const {
    check_dtype(dtype_of<T>);
    return static_cast<T*>(mutable_data_ptr());
  }
  /// libtorch's, for reading and writing: as mutable_data, except that it counts as no write, so
  /// backward does not notice that what it saved was changed. Refuses read-only memory unless T is
  /// const.
  template <class T>
  T* data_ptr() const {
    check_dtype(dtype_of<std::remove_const_t<T>>);
    if constexpr (std::is_const_v<T>) {
      return static_cast<T*>(data_ptr());
    } else {
      return static_cast<T*>(shared_data_ptr());
    }
  }
  /// The only element. Throws kind value if there are none or several.
  Scalar item() const;
  template <Number T>
  T item() const {
    return item().to<T>();
  }
  /// All elements in row-major order, converted to T as a C++ cast would.
  template <Element T>
  std::vector<T> to_vector() const;
  template <OtherNumber T>
  std::vector<T> to_vector() const {
    const auto values = to_vector<std::conditional_t<std::integral<T>, int64_t, double>>();
    return {values.begin(), values.end()};
  }
  /// As PyTorch prints it: `tensor([1, 2, 3])`.
  std::string to_string() const;

  // ---- views (no copy; they share memory) -------------------------------------------------------
  Tensor view(
      const Shape& shape) const;  ///< one size may be -1; throws if the strides do not allow it
  Tensor reshape(const Shape& shape) const;  ///< a view if possible, else a copy
  Tensor flatten(int64_t start_dim = 0, int64_t end_dim = -1) const;
  Tensor transpose(int64_t dim0, int64_t dim1) const;
  Tensor t() const;  ///< at most 2-d
  Tensor permute(const Shape& dims) const;
  Tensor unsqueeze(int64_t dim) const;
  Tensor squeeze() const;
  Tensor squeeze(int64_t dim) const;
  Tensor expand(const Shape& shape) const;  ///< -1 keeps a size
  Tensor expand_as(const Tensor& other) const;
  Tensor broadcast_to(const Shape& shape) const;
  Tensor select(int64_t dim, int64_t index) const;
  Tensor narrow(int64_t dim, int64_t start, int64_t length) const;
  /// Elements start, start + step, ... below stop of a dimension; negative start and stop count
  /// from the end.
  Tensor slice(int64_t dim, std::optional<int64_t> start = {}, std::optional<int64_t> stop = {},
               int64_t step = 1) const;
  Tensor detach() const;  ///< the same memory in a new handle that no gradient flows through

  // ---- copies -----------------------------------------------------------------------------------
  Tensor contiguous() const;  ///< *this if it is contiguous already
  Tensor clone() const;
  Tensor repeat(const Shape& repeats) const;
  Tensor to(DType dtype) const;  ///< *this if it has that dtype already
  /// A copy on another device, *this if it is there already. Throws kind value if there is no such
  /// device.
  Tensor to(const Device& device) const;
  Tensor to(const Device& device, DType dtype) const { return to(dtype).to(device); }
  Tensor cpu() const { return to(Device()); }
  Tensor type_as(const Tensor& other) const { return to(other.dtype()); }
  /// PyTorch's x.bool(), x.byte(), ..., under names that are not C++ keywords.
  Tensor to_bool() const { return to(DType::boolean); }
  Tensor to_byte() const { return to(DType::uint8); }
  Tensor to_char() const { return to(DType::int8); }
  Tensor to_short() const { return to(DType::int16); }
  Tensor to_int() const { return to(DType::int32); }
  Tensor to_long() const { return to(DType::int64); }
  Tensor to_half() const { return to(DType::float16); }
  Tensor to_bfloat16() const { return to(DType::bfloat16); }
  Tensor to_float() const { return to(DType::float32); }
  Tensor to_double() const { return to(DType::float64); }

  // ---- masking ----------------------------------------------------------------------------------
  Tensor masked_select(const Tensor& mask) const;
  Tensor masked_fill(const Tensor& mask, const Tensor& value) const;
  Tensor& masked_fill_(Tensor mask, const Tensor& value);
  Tensor masked_scatter(const Tensor& mask, const Tensor& source) const;
  Tensor& masked_scatter_(Tensor mask, const Tensor& source);
  Tensor where(const Tensor& condition, const Tensor& other) const;
  Tensor nonzero() const;
  Tensor argwhere() const;
  Tensor count_nonzero(const Dims& dims = {}) const;
  Tensor isin(const Tensor& test_elements, bool invert = false) const;
  /// x[i]: a view of row i. x[mask]: the elements or rows where a bool mask of the leading
  /// dimensions is true; can be read as a tensor and assigned to (`x[mask] = 0`, `x[mask] *= 2`).
  /// x[indices] with an int64 or int32 tensor: those rows. Several indices: `index`, `index_put_`.
  /// x[true] and x[false] are masks without dimensions.
  Tensor operator[](int64_t index) const { return select(0, index); }
  Masked operator[](Tensor mask) const;
  template <Truth T>
  Masked operator[](T mask) const;
  template <Fractional T>
  Masked operator[](T index) const = delete;  // an index is an integer, a bool or a tensor

  /// `for (Tensor row : x)` goes through the views x[0], x[1], ...: of a 1-d tensor these are 0-d.
  /// `row.fill_(0)` and `row += 1` write to x; `row = y` rebinds the handle, as in Python. Throws
  /// kind index if x is 0-d.
  RowIterator begin() const;
  RowIterator end() const;

  // ---- indexing ---------------------------------------------------------------------------------
  Tensor index(const std::vector<Index>& indices) const;
  Tensor index_put(const std::vector<Index>& indices, const Tensor& value,
                   bool accumulate = false) const;
  Tensor& index_put_(const std::vector<Index>& indices, const Tensor& value,
                     bool accumulate = false);
  Tensor index_select(int64_t dim, const Tensor& index) const;
  Tensor index_fill(int64_t dim, const Tensor& index, const Tensor& value) const;
  Tensor& index_fill_(int64_t dim, const Tensor& index, const Tensor& value);
  Tensor index_add(int64_t dim, const Tensor& index, const Tensor& source, Scalar alpha = 1) const;
  Tensor& index_add_(int64_t dim, const Tensor& index, const Tensor& source, Scalar alpha = 1);
  Tensor index_copy(int64_t dim, const Tensor& index, const Tensor& source) const;
  Tensor& index_copy_(int64_t dim, const Tensor& index, const Tensor& source);
  Tensor index_reduce(int64_t dim, const Tensor& index, const Tensor& source,
                      const std::string& reduce, bool include_self = true) const;
  Tensor& index_reduce_(int64_t dim, const Tensor& index, const Tensor& source,
                        const std::string& reduce, bool include_self = true);
  Tensor gather(int64_t dim, const Tensor& index) const;
  Tensor scatter(int64_t dim, const Tensor& index, const Tensor& src,
                 std::optional<std::string> reduce = {}) const;
  Tensor& scatter_(int64_t dim, const Tensor& index, const Tensor& src,
                   std::optional<std::string> reduce = {});
  Tensor scatter_add(int64_t dim, const Tensor& index, const Tensor& src) const;
  Tensor& scatter_add_(int64_t dim, const Tensor& index, const Tensor& src);
  Tensor scatter_reduce(int64_t dim, const Tensor& index, const Tensor& src,
                        const std::string& reduce, bool include_self = true) const;
  Tensor& scatter_reduce_(int64_t dim, const Tensor& index, const Tensor& src,
                          const std::string& reduce, bool include_self = true);
  Tensor take(const Tensor& index) const;
  Tensor put(const Tensor& index, const Tensor& source, bool accumulate = false) const;
  Tensor& put_(const Tensor& index, const Tensor& source, bool accumulate = false);
  Tensor take_along_dim(const Tensor& indices, std::optional<int64_t> dim = {}) const;

  // ---- pieces, repetitions, diagonals (view.h has the contracts) --------------------------------
  std::vector<Tensor> split(int64_t split_size, int64_t dim = 0) const;
  std::vector<Tensor> split_with_sizes(const Shape& split_sizes, int64_t dim = 0) const;
  std::vector<Tensor> chunk(int64_t chunks, int64_t dim = 0) const;
  std::vector<Tensor> unbind(int64_t dim = 0) const;
  Tensor movedim(const Shape& source, const Shape& destination) const;
  Tensor unflatten(int64_t dim, const Shape& sizes) const;
  Tensor ravel() const;
  Tensor as_strided(const Shape& size, const Shape& stride,
                    std::optional<int64_t> storage_offset = {}) const;
  Tensor unfold(int64_t dimension, int64_t size, int64_t step) const;
  Tensor diagflat(int64_t offset = 0) const;
  Tensor tile(const Shape& dims) const;
  Tensor repeat_interleave(const Tensor& repeats, std::optional<int64_t> dim = {}) const;
  Tensor diag(int64_t diagonal = 0) const;
  Tensor tril(int64_t diagonal = 0) const;
  Tensor triu(int64_t diagonal = 0) const;
  Tensor diagonal(int64_t offset = 0, int64_t dim1 = 0, int64_t dim2 = 1) const;
  Tensor diag_embed(int64_t offset = 0, int64_t dim1 = -2, int64_t dim2 = -1) const;
  Tensor diagonal_scatter(const Tensor& src, int64_t offset = 0, int64_t dim1 = 0,
                          int64_t dim2 = 1) const;
  Tensor select_scatter(const Tensor& src, int64_t dim, int64_t index) const;
  Tensor slice_scatter(const Tensor& src, int64_t dim = 0, std::optional<int64_t> start = {},
                       std::optional<int64_t> end = {}, int64_t step = 1) const;
  Tensor flip(const Dims& dims) const;
  Tensor fliplr() const;
  Tensor flipud() const;
  Tensor roll(const Shape& shifts, const Dims& dims = {}) const;
  Tensor rot90(int64_t k = 1, const Dims& dims = {0, 1}) const;

  // ---- reductions, scans and softmax ------------------------------------------------------------
  Tensor sum(const Dims& dims = {}, bool keepdim = false, std::optional<DType> dtype = {},
             bool exact = false) const;
  Tensor mean(const Dims& dims = {}, bool keepdim = false, std::optional<DType> dtype = {},
              bool exact = false) const;
  Tensor prod(std::optional<int64_t> dim = {}, bool keepdim = false,
              std::optional<DType> dtype = {}) const;
  Tensor amax(const Dims& dims = {}, bool keepdim = false) const;
  Tensor amin(const Dims& dims = {}, bool keepdim = false) const;
  Tensor max() const;
  Tensor min() const;
  Tensor any(const Dims& dims = {}, bool keepdim = false) const;
  Tensor all(const Dims& dims = {}, bool keepdim = false) const;
  Tensor argmax(std::optional<int64_t> dim = {}, bool keepdim = false) const;
  Tensor argmin(std::optional<int64_t> dim = {}, bool keepdim = false) const;
  std::pair<Tensor, Tensor> max(int64_t dim, bool keepdim = false) const;
  std::pair<Tensor, Tensor> min(int64_t dim, bool keepdim = false) const;
  Tensor var(const Dims& dims = {}, double correction = 1, bool keepdim = false,
             bool exact = false) const;
  Tensor std(const Dims& dims = {}, double correction = 1, bool keepdim = false,
             bool exact = false) const;
  Tensor nansum(const Dims& dims = {}, bool keepdim = false, std::optional<DType> dtype = {}) const;
  Tensor nanmean(const Dims& dims = {}, bool keepdim = false,
                 std::optional<DType> dtype = {}) const;
  Tensor norm(double p = 2, const Dims& dims = {}, bool keepdim = false,
              std::optional<DType> dtype = {}) const;
  Tensor norm(const std::string& p, const Dims& dims = {}, bool keepdim = false) const;
  Tensor logsumexp(const Dims& dims, bool keepdim = false) const;
  Tensor logaddexp(const Tensor& other) const;
  Tensor logaddexp2(const Tensor& other) const;
  Tensor softmax(int64_t dim, std::optional<DType> dtype = {}) const;
  Tensor log_softmax(int64_t dim, std::optional<DType> dtype = {}) const;
  Tensor cumsum(int64_t dim, std::optional<DType> dtype = {}) const;
  Tensor cumprod(int64_t dim, std::optional<DType> dtype = {}) const;
  Tensor& cumsum_(int64_t dim, std::optional<DType> dtype = {});
  Tensor& cumprod_(int64_t dim, std::optional<DType> dtype = {});
  std::pair<Tensor, Tensor> cummax(int64_t dim) const;
  std::pair<Tensor, Tensor> cummin(int64_t dim) const;
  Tensor logcumsumexp(int64_t dim) const;
  Tensor diff(int64_t n = 1, int64_t dim = -1) const;

  // ---- order (order.h has the contracts) --------------------------------------------------------
  std::pair<Tensor, Tensor> sort(int64_t dim = -1, bool descending = false,
                                 bool stable = false) const;
  Tensor argsort(int64_t dim = -1, bool descending = false, bool stable = false) const;
  Tensor msort() const;
  std::pair<Tensor, Tensor> topk(int64_t k, int64_t dim = -1, bool largest = true,
                                 bool sorted = true) const;
  std::pair<Tensor, Tensor> kthvalue(int64_t k, int64_t dim = -1, bool keepdim = false) const;
  Tensor median() const;
  std::pair<Tensor, Tensor> median(int64_t dim, bool keepdim = false) const;
  Tensor nanmedian() const;
  std::pair<Tensor, Tensor> nanmedian(int64_t dim, bool keepdim = false) const;
  std::pair<Tensor, Tensor> mode(int64_t dim = -1, bool keepdim = false) const;
  Tensor quantile(const Tensor& q, std::optional<int64_t> dim = {}, bool keepdim = false,
                  const std::string& interpolation = "linear") const;
  Tensor nanquantile(const Tensor& q, std::optional<int64_t> dim = {}, bool keepdim = false,
                     const std::string& interpolation = "linear") const;
  Tensor unique(std::optional<int64_t> dim = {}) const;
  Tensor unique_consecutive(std::optional<int64_t> dim = {}) const;
  std::pair<Tensor, Tensor> aminmax(std::optional<int64_t> dim = {}, bool keepdim = false) const;
  Tensor bincount(std::optional<Tensor> weights = {}, int64_t minlength = 0) const;

  // ---- gradients (autograd.h) -------------------------------------------------------------------
  /// Whether a gradient flows to this tensor: it asked for one, or was computed from one that did.
  bool requires_grad() const;
  /// Makes this tensor (floating point) a leaf that collects its gradient, or no longer one.
  Tensor& requires_grad_(bool on = true) &;
  Tensor requires_grad_(bool on = true) &&;
  bool is_leaf() const;  ///< not the result of a recorded operation
  /// The gradient collected so far; undefined if there is none. set_grad of an undefined tensor
  /// forgets it.
  Tensor grad() const;
  void set_grad(const Tensor& value) const;
  void retain_grad() const;  ///< a tensor that is not a leaf collects its gradient too
  /// backward({*this}, {gradient}, ...). A tensor of one element needs no gradient to start from.
  void backward() const;
  void backward(const Tensor& gradient, std::optional<bool> retain_graph = {},
                bool create_graph = false) const;
  /// Calls hook with every gradient that reaches this tensor; a tensor that it returns replaces
  /// the gradient. Returns a number for remove_hook.
  int64_t register_hook(std::function<Tensor(const Tensor&)> hook) const;
  void remove_hook(int64_t id) const;

  // ---- pointwise --------------------------------------------------------------------------------
#define X(op) Tensor op() const;
  TAMIS_UNARY_METHODS(X)
#undef X
#define X(op) Tensor op(const Tensor& other) const;
  TAMIS_BINARY_METHODS(X)
#undef X
  Tensor round(int64_t decimals) const;
  Tensor clamp(std::optional<Tensor> min = {}, std::optional<Tensor> max = {}) const;
  Tensor clamp_min(const Tensor& min) const;
  Tensor clamp_max(const Tensor& max) const;
  Tensor nan_to_num(double nan = 0, std::optional<double> posinf = {},
                    std::optional<double> neginf = {}) const;
  Tensor logit(std::optional<double> eps = {}) const;
  std::pair<Tensor, Tensor> frexp() const;
  Tensor lerp(const Tensor& end, const Tensor& weight) const;
  Tensor addcmul(const Tensor& tensor1, const Tensor& tensor2, Scalar value = 1) const;
  Tensor addcdiv(const Tensor& tensor1, const Tensor& tensor2, Scalar value = 1) const;
  Tensor isclose(const Tensor& other, double rtol = 1e-5, double atol = 1e-8,
                 bool equal_nan = false) const;
  bool allclose(const Tensor& other, double rtol = 1e-5, double atol = 1e-8,
                bool equal_nan = false) const;
  bool equal(const Tensor& other) const;

  // ---- in place: the result must keep this shape and cast to this dtype -------------------------
#define X(op) Tensor& op##_();
  TAMIS_UNARY_METHODS(X)
#undef X
#define X(op) Tensor& op##_(const Tensor& other);
  TAMIS_BINARY_METHODS(X)
#undef X
  Tensor& round_(int64_t decimals);
  Tensor& clamp_(std::optional<Tensor> min = {}, std::optional<Tensor> max = {});
  Tensor& clamp_min_(const Tensor& min) { return clamp_(min, {}); }
  Tensor& clamp_max_(const Tensor& max) { return clamp_({}, max); }
  Tensor& nan_to_num_(double nan = 0, std::optional<double> posinf = {},
                      std::optional<double> neginf = {});
  Tensor& logit_(std::optional<double> eps = {});
  Tensor& lerp_(const Tensor& end, const Tensor& weight);
  Tensor& addcmul_(const Tensor& tensor1, const Tensor& tensor2, Scalar value = 1);
  Tensor& addcdiv_(const Tensor& tensor1, const Tensor& tensor2, Scalar value = 1);
  Tensor& fill_(const Tensor& value);  ///< value is 0-d
  Tensor& zero_();
  Tensor& copy_(const Tensor& source);  ///< broadcasts and casts
  Tensor& operator+=(const Tensor& o) { return add_(o); }
  Tensor& operator-=(const Tensor& o) { return sub_(o); }
  Tensor& operator*=(const Tensor& o) { return mul_(o); }
  Tensor& operator/=(const Tensor& o) { return div_(o); }
  Tensor& operator%=(const Tensor& o) { return remainder_(o); }
  Tensor& operator&=(const Tensor& o) { return bitwise_and_(o); }
  Tensor& operator|=(const Tensor& o) { return bitwise_or_(o); }
  Tensor& operator^=(const Tensor& o) { return bitwise_xor_(o); }

  // ---- complex ----------------------------------------------------------------------------------
  bool is_complex() const { return tamis::is_complex(dtype()); }
  Tensor real() const;
  Tensor imag() const;
  Tensor conj() const;
  Tensor angle() const;

  // ---- linear algebra ---------------------------------------------------------------------------
  Tensor matmul(const Tensor& other) const;
  Tensor mm(const Tensor& mat2) const;
  Tensor bmm(const Tensor& mat2) const;
  Tensor mv(const Tensor& vec) const;
  Tensor dot(const Tensor& other) const;
  Tensor outer(const Tensor& vec2) const;
  Tensor vdot(const Tensor& other) const;
  Tensor inner(const Tensor& other) const;
  Tensor kron(const Tensor& other) const;
  Tensor trace() const;
  Tensor cross(const Tensor& other, std::optional<int64_t> dim = {}) const;
  Tensor dist(const Tensor& other, double p = 2) const;
  Tensor renorm(double p, int64_t dim, double maxnorm) const;

  // ---- the handle -------------------------------------------------------------------------------
  Tensor(const Tensor& o) noexcept;
  Tensor(Tensor&& o) noexcept : impl_(std::exchange(o.impl_, nullptr)) {}
  Tensor& operator=(const Tensor& o) & noexcept;
  Tensor& operator=(Tensor&& o) & noexcept {
    std::swap(impl_, o.impl_);
    return *this;
  }
  /// Assigning to what a call returned writes through it, as in PyTorch: `x[0] = y`, `x.select(1,
  /// 2) = 0`.
  void operator=(const Tensor& value) && { copy_(value); }
  void operator=(Tensor&& value) && { copy_(value); }
  ~Tensor() {
    if (impl_ != nullptr) drop();
  }

  // For the library itself.
  explicit Tensor(TensorImpl* impl) noexcept;
  /// Throws kind value if undefined.
  TensorImpl& impl() const {
    if (impl_ == nullptr) refuse_undefined();
    return *impl_;
  }

 private:
  [[noreturn]] static void refuse_undefined();
  void check_dtype(DType expected) const;
  void* shared_data_ptr() const;
  void drop() const noexcept;  ///< gives up the reference

  TensorImpl* impl_ = nullptr;
};

#define X(constant, type, ...) extern template std::vector<type> Tensor::to_vector<type>() const;
TAMIS_DTYPES(X)
#undef X

std::ostream& operator<<(std::ostream& out, const Tensor& x);

}  // namespace tamis
