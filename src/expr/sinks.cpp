// Running expressions into sinks: what the ops layer calls when it needs values.
#include <algorithm>
#include <functional>

#include "core/check.h"
#include "core/convert.h"
#include "expr/compile.h"
#include "expr/expr.h"

namespace tamis {

namespace {

Target target_of(const Tensor& x) { return {buffer_of(x), x.dtype(), x.strides()}; }

/// The backend of a sink over these tensors, if it can do that with elements of this dtype.
Backend& backend_for(Feature feature, DType dtype, std::initializer_list<TensorRef> tensors) {
  Backend& backend = common_backend(tensors);
  require(backend, feature, dtype);
  return backend;
}

/// The program of a sink that needs a mask and nothing else.
const Program& mask_program(Compiler&& compiler, const Tensor& mask) {
  compiler.mask(mask);
  return compiler.finish();
}

/// That of a sink that selects.
const Program& selection_program(Compiler&& compiler, const Tensor& x, const Tensor& mask) {
  compiler.mask(mask);
  compiler.value(x, x.dtype());
  return compiler.finish();
}

/// Whether x has this shape and memory in which its elements are contiguous.
bool is_plain(const Tensor& x, const Shape& shape) {
  const Layout& layout = layout_of(x);
  return storage_of(x)->ready() && layout.sizes == shape && is_contiguous(layout);
}

/// Whether a write of value where mask is true is one of a number to contiguous elements.
bool is_plain_fill(const Tensor& target, const Tensor& mask, const Tensor& value) {
  return value.numel() == 1 && storage_of(value)->ready() && is_on_host(value) &&
         is_plain(target, target.shape()) && is_plain(mask, target.shape());
}

/// The count of a whole structured mask, or of one that is kept as bits; -1: another.
int64_t structured_count(const Tensor& mask) {
  const Ref<const Recipe> recipe = storage_of(mask)->recipe();
  const Intervals* const intervals = as_intervals(recipe.get());
  const KeptBits* const kept = as_kept_bits(recipe.get());
  if (!mask.is_contiguous()) return -1;
  if (kept) return mask.numel() == kept->numel && !kept->begins.empty() ? kept->begins.back() : -1;
  if (!intervals) return -1;
  return mask.numel() == intervals->rows() * intervals->cols() ? intervals->count() : -1;
}

}  // namespace

namespace {

/// The rows of a matrix, or a vector, element by element or run by run.
template <class T>
void copy_rows(const Layout& target, T* to, const Layout& value, const T* from) {
  const size_t last = target.sizes.size() - 1;
  const int64_t rows = last == 0 ? 1 : target.sizes[0], n = target.sizes[last];
  const int64_t step = target.strides[last], from_step = value.strides[last];
  for (int64_t row = 0; row < rows; ++row) {
    T* const y = to + target.offset + row * (last == 0 ? 0 : target.strides[0]);
    const T* const x = from + value.offset + row * (last == 0 ? 0 : value.strides[0]);
    if (step == 1 && from_step == 1) {
      std::copy_n(x, n, y);
    } else {
      for (int64_t i = 0; i < n; ++i) y[i * step] = x[i * from_step];
    }
  }
}

/// Few elements in the CPU's memory to a target that is not contiguous. False if that takes a
/// program.
bool copy_few(const Tensor& target, const Tensor& value) {
  const Layout &to = layout_of(target), &from = layout_of(value);
  const size_t rank = to.sizes.size();
  const bool fits = (rank == 1 || rank == 2) && from.sizes == to.sizes &&
                    target.dtype() == value.dtype() && is_on_host(target) && is_on_host(value);
  if (!fits || (target.itemsize() != 4 && target.itemsize() != 8)) return false;
  void* const out = storage_of(target)->data();
  const void* const in = storage_of(value)->data();
  if (target.itemsize() == 4) {
    copy_rows(to, static_cast<uint32_t*>(out), from, static_cast<const uint32_t*>(in));
  } else {
    copy_rows(to, static_cast<uint64_t*>(out), from, static_cast<const uint64_t*>(in));
  }
  return true;
}

/// Few elements that are there and go to other memory, without a program. False if it takes one.
bool store_few(const Tensor& target, const Tensor& value, Backend& backend) {
  const Ref<Storage>&to = storage_of(target), &from = storage_of(value);
  if (target.numel() > Backend::kFew || !from->ready() || to == from) return false;
  from->check_intact();
  if (!target.is_contiguous()) return copy_few(target, value);
  const Shape strides = broadcast_strides(layout_of(value), target.shape());
  const Applied applied{
      {from->data(), layout_of(value).offset}, value.dtype(), value.numel() == 1, &strides};
  const DType dtype = target.dtype();
  const std::span<const Applied> operands(&applied, 1);
  if (!backend.applies(Op::cast, dtype, dtype, operands)) return false;
  backend.apply(Op::cast, dtype, dtype, operands, target.shape(), buffer_of(target));
  return true;
}

}  // namespace

void store(const Tensor& target, Tensor value) {
  Backend& backend = backend_for(Feature::copy, target.dtype(), {target, value});
  const Tensor* consumed[] = {&value};
  prepare_write(target, consumed);
  if (target.numel() == 0 || store_few(target, value, backend)) return;
  Compiler compiler(target.shape());
  compiler.value(value, target.dtype());
  if (compiler.reads_differently(target)) {
    Tensor copy = allocate(target.shape(), target.dtype(), backend);
    store(copy, std::move(value));
    return store(target, std::move(copy));
  }
  Target to = target_of(target);
  const Program& program = compiler.finish(&to);
  backend.store(program, to);
}

void store_where(const Tensor& target, Tensor mask, Tensor value) {
  Backend& backend = backend_for(Feature::copy, target.dtype(), {target, mask, value});
  const Tensor* consumed[] = {&mask, &value};
  prepare_write(target, consumed);
  if (target.numel() == 0) return;
  if (is_plain_fill(target, mask, value) &&
      backend.fill_contiguous(buffer_of(target), target.dtype(), buffer_of(mask), target.numel(),
                              value.data_ptr(), value.dtype())) {
    return;
  }
  Compiler compiler(target.shape());
  compiler.mask(mask);
  compiler.value(value, target.dtype());
  if (compiler.reads_differently(target)) {
    Tensor mask_copy = allocate(mask.shape(), DType::boolean, backend);
    store(mask_copy, std::move(mask));
    Tensor copy = allocate(value.shape(), target.dtype(), backend);
    store(copy, std::move(value));
    return store_where(target, std::move(mask_copy), std::move(copy));
  }
  Target to = target_of(target);
  const Program& program = compiler.finish(&to);
  backend.store(program, to);
}

namespace {

/// Leaves the first `count` elements of a tensor that was just allocated and that no one has seen.
void shrink(Tensor& x, int64_t count) {
  const Ref<Storage> storage = storage_of(x);
  const int64_t bytes = count * static_cast<int64_t>(x.itemsize());
  storage->shrink(storage->backend().shrink(storage->memory(), bytes));
  x = make_tensor(storage, x.dtype(), Shape{count});
}

}  // namespace

Tensor compress(const Tensor& x, const Tensor& mask, const Shape& shape) {
  Backend& backend = backend_for(Feature::select, x.dtype(), {x, mask});
  Tensor result;
  const auto make_result = [&](int64_t count) {
    if (result.defined() && count <= result.numel()) {
      shrink(result, count);
    } else {
      result = Tensor();
      result = allocate({count}, x.dtype(), backend);
    }
    return Output{{storage_of(result)->data(), 0}, count};
  };
  const std::function<Output(int64_t)> resize = std::ref(make_result);  // a copy would need memory
  const int64_t n = numel(shape);
  if (n == 0) {
    resize(0);
    return result;
  }
  const bool done =
      is_plain(x, shape) && is_plain(mask, shape) &&
      backend.compress_contiguous(buffer_of(x), x.itemsize(), buffer_of(mask), n, resize);
  if (!done) backend.compress(selection_program(Compiler(shape), x, mask), resize);
  return result;
}

int64_t compress_into(const Tensor& target, const Tensor& x, const Tensor& mask,
                      const Shape& shape) {
  Backend& backend = backend_for(Feature::select, x.dtype(), {target, x, mask});
  int64_t found = 0;
  if (numel(shape) == 0) return found;
  backend.compress(selection_program(Compiler(shape), x, mask), [&](int64_t count) {
    found = count;
    return Output{buffer_of(target), target.numel()};
  });
  return found;
}

Tensor compress_padded(const Tensor& target, const Tensor& x, const Tensor& mask,
                       const Shape& shape, Scalar fill) {
  Backend& backend = backend_for(Feature::select, x.dtype(), {target, x, mask});
  if (numel(shape) == 0) {
    store(target, fill);
    return zeros_on(backend, {}, DType::int64);
  }
  Tensor count = allocate({}, DType::int64, backend);
  const Tensor number = scalar_tensor(fill, x.dtype());
  backend.compress_padded(selection_program(Compiler(shape), x, mask),
                          {buffer_of(target), target.numel()}, number.data_ptr(), buffer_of(count));
  return count;
}

std::pair<Tensor, Tensor> partition(const Tensor& x, const Tensor& mask, const Shape& shape) {
  Backend& backend = backend_for(Feature::select, x.dtype(), {x, mask});
  Tensor kept, rejected;
  const auto make = [&](int64_t count) {
    kept = allocate({count}, x.dtype(), backend);
    rejected = allocate({numel(shape) - count}, x.dtype(), backend);
    return std::pair(buffer_of(kept), buffer_of(rejected));
  };
  if (numel(shape) == 0) {
    make(0);
  } else {
    backend.partition(selection_program(Compiler(shape), x, mask), make);
  }
  return {kept, rejected};
}

namespace {

/// The bytes of a mask of few elements that is in the CPU's memory and contiguous, else null.
const uint8_t* few_bytes(const Tensor& mask) {
  const Storage& storage = *storage_of(mask);
  const bool is_here = mask.numel() <= Backend::kFew && storage.ready() && is_on_host(mask);
  if (!is_here || !mask.is_contiguous()) return nullptr;
  return static_cast<const uint8_t*>(mask.data_ptr());
}

/// The mask, or if it is a transposed matrix that matrix: for what does not depend on the order.
Tensor in_memory_order(const Tensor& mask) {
  const Layout& layout = layout_of(mask);
  const bool is_transposed =
      layout.sizes.size() == 2 && layout.strides[0] == 1 && layout.strides[1] == layout.sizes[0];
  if (!is_transposed) return mask;
  const int64_t rows = layout.sizes[1], columns = layout.sizes[0];
  return make_view(mask, {{rows, columns}, {columns, 1}, layout.offset});
}

}  // namespace

int64_t count_true(const Tensor& given) {
  const Tensor mask = in_memory_order(given);
  if (mask.numel() == 0) return 0;
  if (const uint8_t* const bytes = few_bytes(mask)) {
    return mask.numel() - std::count(bytes, bytes + mask.numel(), 0);
  }
  const int64_t known = structured_count(mask);
  if (known >= 0) return known;
  Backend& backend = backend_for(Feature::select, DType::boolean, {mask});
  return backend.count(mask_program(Compiler(mask.shape()), mask));
}

Tensor coordinates(const Tensor& mask) {
  Backend& backend = backend_for(Feature::select, DType::boolean, {mask});
  Tensor columns;
  const auto make = [&](int64_t count) {
    columns = allocate({mask.dim(), count}, DType::int64, backend);
    return Output{buffer_of(columns), count};
  };
  if (mask.numel() == 0) {
    make(0);
  } else {
    backend.coordinates(mask_program(Compiler(mask.shape()), mask), mask.shape(), make);
  }
  const int64_t count = columns.shape()[1];
  return make_view(columns, {{count, mask.dim()}, {1, count}, 0});
}

void coordinates_padded(const Tensor& columns, const Tensor& mask, int64_t fill) {
  Backend& backend = backend_for(Feature::select, DType::boolean, {columns, mask});
  if (mask.numel() == 0) return store(columns, fill);
  backend.coordinates_padded(mask_program(Compiler(mask.shape()), mask), mask.shape(),
                             {buffer_of(columns), columns.shape()[1]}, fill);
}

int64_t expand_into(const Tensor& target, Tensor mask, const Tensor& source) {
  Backend& backend = backend_for(Feature::select, target.dtype(), {target, mask, source});
  const Tensor* consumed[] = {&mask};
  prepare_write(target, consumed);
  if (target.numel() == 0) return 0;
  const Buffer elements = buffer_of(source);
  Compiler compiler(target.shape());
  compiler.mask(mask);
  if (compiler.reads_differently(target)) {
    Tensor copy = allocate(mask.shape(), DType::boolean, backend);
    store(copy, std::move(mask));
    return expand_into(target, std::move(copy), source);
  }
  Target to = target_of(target);
  const Program& program = compiler.finish(&to);
  return backend.expand(program, elements, source.numel(), to);
}

namespace {

/// The program of an expansion over x, with its target.
const Program& expansion_program(Compiler& compiler, const Tensor& x, const Tensor& mask,
                                 Target& to) {
  compiler.mask(mask);
  compiler.value(x, to.dtype);
  return compiler.finish(&to);
}

}  // namespace

int64_t expand_over(const Tensor& target, const Tensor& x, const Tensor& mask,
                    const Tensor& source) {
  Backend& backend = backend_for(Feature::select, target.dtype(), {target, x, mask, source});
  if (target.numel() == 0) return 0;
  const Buffer elements = buffer_of(source);
  Compiler compiler(target.shape());
  Target to = target_of(target);
  const Program& program = expansion_program(compiler, x, mask, to);
  return backend.expand(program, elements, source.numel(), to);
}

void expand_padded(const Tensor& target, const Tensor& x, const Tensor& mask,
                   const Tensor& source) {
  Backend& backend = backend_for(Feature::select, target.dtype(), {target, x, mask, source});
  if (target.numel() == 0) return;
  const Buffer elements = buffer_of(source);
  Compiler compiler(target.shape());
  Target to = target_of(target);
  const Program& program = expansion_program(compiler, x, mask, to);
  backend.expand_padded(program, elements, source.numel(), to);
}

bool any_true(const Tensor& given) {
  const Tensor mask = in_memory_order(given);
  if (few_bytes(mask)) return count_true(mask) != 0;
  Backend& backend = backend_for(Feature::select, DType::boolean, {mask});
  return mask.numel() != 0 && backend.any(mask_program(Compiler(mask.shape()), mask));
}
bool all_true(const Tensor& given) {
  const Tensor mask = in_memory_order(given);
  if (few_bytes(mask)) return count_true(mask) == mask.numel();
  Backend& backend = backend_for(Feature::select, DType::boolean, {mask});
  return mask.numel() == 0 || backend.all(mask_program(Compiler(mask.shape()), mask));
}

namespace {

/// How a reduction sees its input: the order of the dimensions as [outer, reduced, inner], and the
/// shape of the result. Kept dimensions are outside, reduced ones inside; but if the innermost
/// dimension is kept, it and the kept ones next to it stay innermost, so that rows are added to
/// rows. This depends on the shape alone, and so do the bits of the result.
struct ReductionSpace {
  Shape order, kept;
  ReductionShape sizes;

  ReductionSpace(const Shape& shape, const Shape& dims) : kept(shape) {
    const auto is_reduced = [&](size_t d) {
      return std::find(dims.begin(), dims.end(), static_cast<int64_t>(d)) != dims.end();
    };
    size_t inner_from = shape.size();
    while (inner_from > 0 && !is_reduced(inner_from - 1)) --inner_from;
    for (size_t d = 0; d < inner_from; ++d) {
      if (is_reduced(d)) continue;
      order.push_back(static_cast<int64_t>(d));
      sizes.outer *= shape[d];
    }
    for (int64_t d : dims) {
      order.push_back(d);
      sizes.reduced *= shape[d];
      kept[d] = 1;
    }
    for (size_t d = inner_from; d < shape.size(); ++d) {
      order.push_back(static_cast<int64_t>(d));
      sizes.inner *= shape[d];
    }
  }
};

}  // namespace

Tensor reduce(Reduction reduction, const Tensor& x, const Shape& dims, DType operand,
              DType result) {
  check(takes(reduction, operand), ErrorKind::dtype, "\"{}\" not implemented for '{}'",
        row_of(reduction).kernel, scalar_type_name(operand));
  Backend& backend = backend_for(Feature::reduce, operand, {x});
  const ReductionSpace space(x.shape(), dims);
  Tensor out = allocate(space.kept, result, backend);
  if (out.numel() == 0) return out;
  operand = compute_dtype(operand);
  Compiler compiler(x.shape(), space.order);
  const bool counts = reduction == Reduction::sum && x.dtype() == DType::boolean &&
                      result == DType::int64 && space.sizes.inner == 1 && space.sizes.reduced > 1;
  if (counts) {
    compiler.mask(x);
  } else {
    compiler.reduced(x, operand, reduction);
  }
  const Program& program = compiler.finish();
  backend.reduce(program, reduction, space.sizes, buffer_of(out), result);
  return out;
}

Tensor softmax_rows(bool logarithm, const Tensor& x, const Tensor& mask) {
  Backend& backend = backend_for(Feature::softmax, x.dtype(), {x, mask.defined() ? mask : x});
  Tensor out = allocate(x.shape(), x.dtype(), backend);
  Compiler compiler(x.shape());
  if (mask.defined()) compiler.mask(mask);
  compiler.value(x, x.dtype() == DType::float64 ? DType::float64 : DType::float32);
  const Program& program = compiler.finish();
  const int64_t length = x.dim() == 0 ? 1 : x.shape().back();
  backend.softmax(program, logarithm, x.numel() / length, length, buffer_of(out), x.dtype());
  return out;
}

std::pair<Tensor, Tensor> arg_extreme(bool largest, const Tensor& x, const Tensor& mask,
                                      const Shape& dims, DType operand) {
  Backend& backend = backend_for(Feature::reduce, operand, {x, mask.defined() ? mask : x});
  const ReductionSpace space(x.shape(), dims);
  Tensor values = allocate(space.kept, operand, backend);
  Tensor indices = allocate(space.kept, DType::int64, backend);
  if (values.numel() == 0) return {values, indices};
  Compiler compiler(x.shape(), space.order);
  if (mask.defined()) compiler.mask(mask);
  compiler.value(x, operand);
  const Program& program = compiler.finish();
  backend.arg_extreme(program, largest, space.sizes, buffer_of(values), buffer_of(indices));
  return {values, indices};
}

Tensor scalar_tensor(Scalar value, DType dtype) {
  Tensor result = allocate_on_host({}, dtype);
  visit_dtype(dtype, [&](auto type) {
    using T = decltype(type);
    *static_cast<T*>(storage_of(result)->data()) = value.to<T>();
  });
  return result;
}

Tensor full_on(Backend& backend, const Shape& shape, Scalar value, DType dtype) {
  // Up to this many elements a plain loop is faster than a program.
  constexpr int64_t kSmall = 4096;
  const bool small = numel(shape) <= kSmall;
  Tensor host = allocate_on_host(small ? shape : Shape{}, dtype);
  visit_dtype(dtype, [&](auto type) {
    using T = decltype(type);
    std::fill_n(static_cast<T*>(storage_of(host)->data()), host.numel(), value.to<T>());
  });
  return small ? to_backend(host, backend) : repeated(host, shape, backend);
}

}  // namespace tamis
