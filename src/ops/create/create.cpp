// Creation: tensors from lists, memory and rules.
#include <cmath>
#include <cstddef>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "core/check.h"
#include "core/convert.h"
#include "core/interval.h"
#include "ops/create/random.h"
#include "ops/pointwise/pointwise.h"
#include "ops/row.h"
#include "tamis/tamis.h"

namespace tamis {

namespace detail {

NestedList::NestedList(std::initializer_list<NestedList> rows)
    : shape_{static_cast<int64_t>(rows.size())}, dtype_(DType::float32) {
  if (rows.size() == 0) return;
  const NestedList& first = *rows.begin();
  dtype_ = first.dtype_;
  for (int64_t size : first.shape_) shape_.push_back(size);
  for (const NestedList& row : rows) {
    dtype_ = promote_numbers(dtype_, row.dtype_);
    values_.insert(values_.end(), row.values_.begin(), row.values_.end());
    // Reported by check_regular, because only the outermost list knows which dimension it is.
    if (ragged_) continue;
    if (row.ragged_) {
      ragged_ = Ragged{row.ragged_->dim + 1, row.ragged_->expected, row.ragged_->got};
    } else if (!(row.shape_ == first.shape_)) {
      size_t d = 0;
      while (d < row.shape_.size() && d < first.shape_.size() && row.shape_[d] == first.shape_[d]) {
        ++d;
      }
      ragged_ = Ragged{static_cast<int64_t>(d) + 1, d < first.shape_.size() ? first.shape_[d] : -1,
                       d < row.shape_.size() ? row.shape_[d] : -1};
    }
  }
}

void NestedList::check_regular() const {
  if (!ragged_) return;
  const auto describe = [](int64_t size) {
    return size < 0 ? std::string("a number") : fmt::format("{}", size);
  };
  check(ragged_->expected < 0, ErrorKind::shape,
        "expected sequence of length {} at dim {} (got {})", ragged_->expected, ragged_->dim,
        describe(ragged_->got));
  raise(ErrorKind::shape, fmt::format("expected a number at dim {} (got a sequence of length {})",
                                      ragged_->dim, ragged_->got));
}

void check_row_length(int64_t expected, int64_t got, size_t dim) {
  check(expected == got, ErrorKind::shape, "expected sequence of length {} at dim {} (got {})",
        expected, dim, got);
}

void set_read_only(const Tensor& x) { storage_of(x)->set_read_only(); }

}  // namespace detail

namespace {

void check_sizes(const Shape& shape, DType dtype) {
  bool fits = true;
  auto bytes = static_cast<int64_t>(itemsize(dtype));
  for (int64_t size : shape) {
    check(size >= 0, ErrorKind::shape, "Trying to create tensor with negative dimension {}: {}",
          size, shape);
    // A size of 0 does not make the others valid: strides are products of them too.
    fits = fits && !__builtin_mul_overflow(bytes, std::max<int64_t>(size, 1), &bytes);
  }
  check(fits, ErrorKind::shape, "Storage size calculation overflowed with sizes={}", shape);
}

template <class T>
T* data_of(const Tensor& fresh) {
  return static_cast<T*>(storage_of(fresh)->data());
}

/// The backend that the options name, or this one.
Backend& backend_for(const Options& options, Backend& otherwise = default_backend()) {
  return options.device ? tamis::backend_for(*options.device) : otherwise;
}

DType dtype_in(const Options& options) { return options.dtype.value_or(DType::float32); }

Tensor filled(Backend& backend, const Shape& shape, Scalar value, DType dtype) {
  check_sizes(shape, dtype);
  return full_on(backend, shape, value, dtype);
}

/// A new tensor in which the host can write, for what is then moved to where the options say.
Tensor empty_on_host(const Shape& shape, DType dtype) {
  check_sizes(shape, dtype);
  return allocate_on_host(shape, dtype);
}

/// The mask of an n x m matrix that is true where -lower <= j - i <= upper.
Tensor band_mask(Backend& backend, int64_t n, int64_t m, int64_t lower, int64_t upper) {
  Ref<const Recipe> band(new Intervals(n, m, lower, upper));
  return make_tensor(Ref<Storage>(new Storage(backend, n * m, std::move(band))), DType::boolean,
                     Shape{n, m});
}

/// x where the band keeps it and 0 elsewhere: selected, not multiplied, so that NaN is dropped.
Tensor keep_band(const Tensor& x, bool below, int64_t diagonal) {
  check(x.dim() > 0, ErrorKind::index, "Dimension specified as -2 but tensor has no dimensions");
  wrap_dim(-2, x.dim());
  Backend& backend = backend_of(x);
  if (x.numel() == 0) return allocate(x.shape(), x.dtype(), backend);
  const int64_t n = x.size(-2), m = x.size(-1);
  const int64_t d = std::clamp(diagonal, -n, m);
  const Tensor mask = below ? band_mask(backend, n, m, n, d) : band_mask(backend, n, m, -d, m);
  return defer_recorded(Op::where, x.dtype(), x.dtype(), {mask, x, scalar_tensor(0, x.dtype())});
}

}  // namespace

// ---- from values --------------------------------------------------------------------------------

Tensor tensor(const detail::NestedList& list, const Options& options) {
  list.check_regular();
  const DType to = options.dtype.value_or(list.dtype());
  for (Scalar v : list.values()) {
    if (!options.dtype) check_in_list(v, to);
    check(!(v.is_complex() && !is_complex(to) && to != DType::boolean), ErrorKind::dtype,
          "must be real number, not complex");
    check(is_floating_point(to) || is_complex(to) || fits(v, to), ErrorKind::value,
          "value cannot be converted to type {} without overflow", name(to));
  }
  Tensor result = allocate_on_host(list.shape(), to);
  visit_dtype(to, [&](auto type) {
    using T = decltype(type);
    T* out = data_of<T>(result);
    for (Scalar v : list.values()) *out++ = v.to<T>();
  });
  return to_backend(result, backend_for(options));
}

Tensor from_data(const void* data, const Shape& shape, DType dtype) {
  Tensor result = empty_on_host(shape, dtype);
  if (result.numel() > 0) {
    std::memcpy(data_of<void>(result), data, result.numel() * itemsize(dtype));
  }
  return result;
}

Tensor detail::with_options(const Tensor& x, const Options& options) {
  return to_backend(options.dtype ? x.to(*options.dtype) : x, backend_for(options));
}

Tensor detail::copy_elements(const void* data, int64_t count, const Shape& shape, DType dtype) {
  check_sizes(shape, dtype);
  check(numel(shape) == count, ErrorKind::shape, "shape '{}' is invalid for input of size {}",
        shape, count);
  return from_data(data, shape, dtype);
}

Tensor from_blob(void* data, const Shape& shape, DType dtype, std::function<void(void*)> deleter,
                 std::optional<Shape> strides) {
  check_sizes(shape, dtype);
  const Shape steps = strides ? *strides : contiguous_strides(shape);
  check(steps.size() == shape.size(), ErrorKind::value,
        "from_blob: got {} strides for {} dimensions", steps.size(), shape.size());
  const auto width = static_cast<int64_t>(itemsize(dtype));
  int64_t last = 0;  // the furthest element
  for (size_t i = 0; i < shape.size(); ++i) {
    check(steps[i] >= 0, ErrorKind::unsupported,
          "from_blob: negative strides are not supported, got strides {}", steps);
    last += std::max<int64_t>(shape[i] - 1, 0) * steps[i];
  }
  const int64_t bytes = numel(shape) == 0 ? 0 : (last + 1) * width;
  check(data != nullptr || bytes == 0, ErrorKind::value, "from_blob: data is a null pointer");
  const auto alignment = static_cast<int64_t>(itemsize(real_dtype(dtype)));
  check(reinterpret_cast<uintptr_t>(data) % alignment == 0, ErrorKind::value,
        "from_blob: data is not aligned to the {} bytes of {}", alignment, name(dtype));
  if (data == nullptr) {
    // Storages without an address count as not computed yet.
    static std::max_align_t nowhere;
    data = &nowhere;
    if (deleter) deleter = [deleter](void*) { deleter(nullptr); };
  }
  return make_tensor(Ref<Storage>(new Storage(host_backend(), data, bytes, std::move(deleter))),
                     dtype, {shape, steps, 0});
}

// ---- constants ----------------------------------------------------------------------------------

Tensor empty(const Shape& shape, const Options& options) {
  check_sizes(shape, dtype_in(options));
  return allocate(shape, dtype_in(options), backend_for(options));
}

Tensor zeros(const Shape& shape, const Options& options) {
  return filled(backend_for(options), shape, 0, dtype_in(options));
}
Tensor ones(const Shape& shape, const Options& options) {
  return filled(backend_for(options), shape, 1, dtype_in(options));
}

Tensor full(const Shape& shape, Scalar value, const Options& options) {
  const DType to = options.dtype.value_or(detail::default_dtype(value));
  check_fits(value, to);
  return filled(backend_for(options), shape, value, to);
}

Tensor empty_like(const Tensor& x, const Options& options) {
  const DType dtype = options.dtype.value_or(x.dtype());
  check_sizes(x.shape(), dtype);
  return allocate(x.shape(), dtype, backend_for(options, backend_of(x)));
}
Tensor zeros_like(const Tensor& x, const Options& options) { return full_like(x, 0, options); }
Tensor ones_like(const Tensor& x, const Options& options) { return full_like(x, 1, options); }
Tensor full_like(const Tensor& x, Scalar value, const Options& options) {
  const DType to = options.dtype.value_or(x.dtype());
  check_fits(value, to);
  return filled(backend_for(options, backend_of(x)), x.shape(), value, to);
}

// ---- matrices -----------------------------------------------------------------------------------

Tensor eye(int64_t n, std::optional<int64_t> m, const Options& options) {
  const DType dtype = dtype_in(options);
  const int64_t cols = m.value_or(n);
  check(n >= 0, ErrorKind::value, "n must be greater or equal to 0, got {}", n);
  check(cols >= 0, ErrorKind::value, "m must be greater or equal to 0, got {}", cols);
  check_sizes({n, cols}, dtype);
  Backend& backend = backend_for(options);
  backend.check_memory(n * cols * static_cast<int64_t>(itemsize(dtype)));
  return band_mask(backend, n, cols, 0, 0).to(dtype);
}

Tensor tril(const Tensor& x, int64_t diagonal) { return keep_band(x, true, diagonal); }
Tensor triu(const Tensor& x, int64_t diagonal) { return keep_band(x, false, diagonal); }

namespace {

Tensor arange_op(Scalar start, Scalar end, Scalar step, const Options& options) {
  return arange(start, end, step, options);
}

}  // namespace

std::vector<Row> create_rows() {
  const Value none, f32 = DType::float32, i64 = DType::int64, bits = DType::boolean;
  const Value matrix = Shape{2, 3}, nothing = Shape{0, 3}, scalar = Shape{};
  const Value x = SAMPLE(arange(6).reshape({2, 3}));
  const Value batch = SAMPLE(linspace(-1, 1, 24).reshape({2, 3, 4}));
  const auto n = [](int64_t v) { return Value(v); };
  const auto s = [](Scalar v) { return Value(v); };
  std::vector<Row> rows = {
      make_row("empty(int[] size, *, dtype dtype=float32) -> Tensor",
               "A tensor of unspecified values.", empty, SAMPLES({nothing, f32}))
          .is_creation()
          .with_out(),
      make_row("zeros(int[] size, *, dtype dtype=float32) -> Tensor", "A tensor of zeros.", zeros,
               SAMPLES({matrix, f32}, {nothing, i64}, {scalar, bits}))
          .is_creation()
          .with_out(),
      make_row("ones(int[] size, *, dtype dtype=float32) -> Tensor", "A tensor of ones.", ones,
               SAMPLES({matrix, f32}, {nothing, i64}, {scalar, bits}))
          .is_creation()
          .with_out(),
      make_row("full(int[] size, Scalar fill_value, *, dtype? dtype=None) -> Tensor",
               "A tensor of one value; the dtype is the value's unless given.", full,
               SAMPLES({matrix, s(2.5), none}, {matrix, s(3), f32}, {scalar, s(true), none}))
          .is_creation()
          .with_out(),
      make_row("empty_like(Tensor input, *, dtype? dtype=None) -> Tensor",
               "A tensor of unspecified values with the shape and dtype of input.", empty_like,
               SAMPLES({Value(zeros({0, 3})), none}))
          .function_only()
          .is_creation(),
      make_row("zeros_like(Tensor input, *, dtype? dtype=None) -> Tensor",
               "Zeros with the shape and dtype of input.", zeros_like,
               SAMPLES({x, none}, {batch, bits}))
          .function_only()
          .is_creation(),
      make_row("ones_like(Tensor input, *, dtype? dtype=None) -> Tensor",
               "Ones with the shape and dtype of input.", ones_like,
               SAMPLES({x, none}, {batch, bits}))
          .function_only()
          .is_creation(),
      make_row("full_like(Tensor input, Scalar fill_value, *, dtype? dtype=None) -> Tensor",
               "One value with the shape and dtype of input.", full_like,
               SAMPLES({x, s(7), none}, {batch, s(0.5), none}, {x, s(1), bits}))
          .function_only()
          .is_creation(),
      make_row(
          "arange(Scalar start, Scalar end, Scalar step=1, *, dtype? dtype=None) -> Tensor",
          "start, start + step, ... below end; int64 if all three are integers, else float32.",
          arange_op,
          SAMPLES({s(2), s(9), s(3), none}, {s(1), s(0), s(-0.25), none}, {s(0), s(0), s(1), f32}))
          .is_creation()
          .with_out(),
      make_row(
          "arange(Scalar end, *, dtype? dtype=None) -> Tensor",
          "0, 1, 2, ... below end; int64 if end is an integer, else float32.",
          +[](Scalar end, const Options& options) { return arange(0, end, 1, options); },
          SAMPLES({s(5), none}, {s(2.5), none}, {s(3), f32}))
          .is_creation()
          .with_out(),
      make_row("linspace(Scalar start, Scalar end, int steps, *, dtype dtype=float32) -> Tensor",
               "steps values from start to end, both included.", linspace,
               SAMPLES({s(0), s(1), n(5), f32}, {s(-3), s(10), n(6), i64}, {s(1), s(2), n(1), f32}))
          .is_creation()
          .with_out(),
      make_row("eye(int n, int? m=None, *, dtype dtype=float32) -> Tensor",
               "A matrix with ones on the diagonal and zeros elsewhere.", eye,
               SAMPLES({n(3), none, f32}, {n(2), n(4), bits}, {n(0), none, i64}))
          .is_creation()
          .with_out(),
      make_row("tril(Tensor input, int diagonal=0) -> Tensor",
               "The elements on and below a diagonal of each matrix, zero elsewhere.", tril,
               SAMPLES({batch, n(0)}, {batch, n(1)}, {x, n(-1)}))
          .with_in_place()
          .with_out(),
      make_row("triu(Tensor input, int diagonal=0) -> Tensor",
               "The elements on and above a diagonal of each matrix, zero elsewhere.", triu,
               SAMPLES({batch, n(0)}, {batch, n(1)}, {x, n(-1)}))
          .with_in_place()
          .with_out(),
  };
  for (Row& row : random_rows()) rows.push_back(std::move(row));
  return rows;
}

}  // namespace tamis
