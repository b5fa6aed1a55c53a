// Running expressions into sinks: what the ops layer calls when it needs values.
#include <algorithm>

#include "core/check.h"
#include "core/convert.h"
#include "expr/compile.h"
#include "expr/expr.h"

namespace tamis {

namespace {

Target target_of(const Tensor& x) {
  return {const_cast<void*>(x.data_ptr()), x.dtype(), x.strides()};
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

/// Whether x has memory in which its elements lie in a row, and this shape.
bool is_plain(const Tensor& x, const Shape& shape) {
  return storage_of(x)->ready() && x.shape() == shape && x.is_contiguous();
}

/// Whether a write of value where mask is true is one of a number to few elements in a row.
bool is_small_fill(const Tensor& target, const Tensor& mask, const Tensor& value) {
  const auto casts = [](DType dtype) { return dtype != DType::boolean && !is_complex(dtype); };
  return target.numel() <= Backend::kSmall && value.numel() == 1 && storage_of(value)->ready() &&
         is_plain(target, target.shape()) && is_plain(mask, target.shape()) &&
         (value.dtype() == target.dtype() || (casts(value.dtype()) && casts(target.dtype())));
}

/// The closed-form count of a whole structured mask, or -1.
int64_t structured_count(const Tensor& mask) {
  const Ref<const Recipe> recipe = storage_of(mask)->recipe();
  if (!recipe || recipe->kind != Recipe::Kind::intervals) return -1;
  const Intervals& intervals = static_cast<const Intervals&>(*recipe);
  if (!mask.is_contiguous() || mask.numel() != intervals.rows() * intervals.cols()) return -1;
  return intervals.count();
}

}  // namespace

void store(const Tensor& target, Tensor value) {
  const Tensor* consumed[] = {&value};
  prepare_write(target, consumed);
  if (target.numel() == 0) return;
  Compiler compiler(target.shape());
  compiler.value(value, target.dtype());
  if (compiler.reads_differently(target)) {
    Tensor copy = allocate(target.shape(), target.dtype());
    store(copy, std::move(value));
    return store(target, std::move(copy));
  }
  Target to = target_of(target);
  const Program& program = compiler.finish(&to);
  cpu_backend().store(program, to);
}

void store_where(const Tensor& target, Tensor mask, Tensor value) {
  const Tensor* consumed[] = {&mask, &value};
  prepare_write(target, consumed);
  if (target.numel() == 0) return;
  if (is_small_fill(target, mask, value)) {
    return cpu_backend().fill_small(const_cast<void*>(target.data_ptr()), target.dtype(),
                                    mask.data_ptr(), target.numel(), value.data_ptr(),
                                    value.dtype());
  }
  Compiler compiler(target.shape());
  compiler.mask(mask);
  compiler.value(value, target.dtype());
  if (compiler.reads_differently(target)) {
    Tensor mask_copy = allocate(mask.shape(), DType::boolean);
    store(mask_copy, std::move(mask));
    Tensor copy = allocate(value.shape(), target.dtype());
    store(copy, std::move(value));
    return store_where(target, std::move(mask_copy), std::move(copy));
  }
  Target to = target_of(target);
  const Program& program = compiler.finish(&to);
  cpu_backend().store(program, to);
}

namespace {

/// Leaves the first `count` elements of a tensor that was just allocated and that nobody has seen.
void shrink(Tensor& x, int64_t count) {
  const Ref<Storage> storage = storage_of(x);
  const int64_t bytes = count * static_cast<int64_t>(x.itemsize());
  storage->shrink(cpu_backend().shrink(storage->memory(), bytes));
  x = make_tensor(storage, x.dtype(), Shape{count});
}

}  // namespace

Tensor compress(const Tensor& x, const Tensor& mask, const Shape& shape) {
  Tensor result;
  const auto resize = [&](int64_t count) {
    if (result.defined() && count <= result.numel()) {
      shrink(result, count);
    } else {
      result = Tensor();
      result = allocate({count}, x.dtype());
    }
    return Room{storage_of(result)->data(), count};
  };
  const int64_t n = numel(shape);
  if (n == 0) {
    resize(0);
  } else if (n <= Backend::kSmall && is_plain(x, shape) && is_plain(mask, shape)) {
    cpu_backend().compress_small(x.data_ptr(), x.itemsize(), mask.data_ptr(), n, resize);
  } else {
    cpu_backend().compress(selection_program(Compiler(shape), x, mask), resize);
  }
  return result;
}

int64_t compress_into(const Tensor& target, const Tensor& x, const Tensor& mask,
                      const Shape& shape) {
  int64_t found = 0;
  if (numel(shape) == 0) return found;
  cpu_backend().compress(selection_program(Compiler(shape), x, mask), [&](int64_t count) {
    found = count;
    return Room{storage_of(target)->data(), target.numel()};
  });
  return found;
}

std::pair<Tensor, Tensor> partition(const Tensor& x, const Tensor& mask, const Shape& shape) {
  Tensor kept, rejected;
  const auto make = [&](int64_t count) {
    kept = allocate({count}, x.dtype());
    rejected = allocate({numel(shape) - count}, x.dtype());
    return std::pair(storage_of(kept)->data(), storage_of(rejected)->data());
  };
  if (numel(shape) == 0) {
    make(0);
  } else {
    cpu_backend().partition(selection_program(Compiler(shape), x, mask), make);
  }
  return {kept, rejected};
}

int64_t count_true(const Tensor& mask) {
  if (mask.numel() == 0) return 0;
  const int64_t known = structured_count(mask);
  return known >= 0 ? known : cpu_backend().count(mask_program(Compiler(mask.shape()), mask));
}

Tensor coordinates(const Tensor& mask) {
  Tensor columns;
  const auto make = [&](int64_t count) {
    columns = allocate({mask.dim(), count}, DType::int64);
    return Room{storage_of(columns)->data(), count};
  };
  if (mask.numel() == 0) {
    make(0);
  } else {
    cpu_backend().coordinates(mask_program(Compiler(mask.shape()), mask), mask.shape(), make);
  }
  const int64_t count = columns.shape()[1];
  return make_view(columns, {{count, mask.dim()}, {1, count}, 0});
}

int64_t coordinates_into(const Tensor& columns, const Tensor& mask) {
  int64_t found = 0;
  if (mask.numel() == 0) return found;
  cpu_backend().coordinates(mask_program(Compiler(mask.shape()), mask), mask.shape(),
                            [&](int64_t count) {
                              found = count;
                              return Room{storage_of(columns)->data(), columns.shape()[1]};
                            });
  return found;
}

int64_t expand_into(const Tensor& target, Tensor mask, const Tensor& source) {
  const Tensor* consumed[] = {&mask};
  prepare_write(target, consumed);
  if (target.numel() == 0) return 0;
  const void* data = source.data_ptr();
  Compiler compiler(target.shape());
  compiler.mask(mask);
  if (compiler.reads_differently(target)) {
    Tensor copy = allocate(mask.shape(), DType::boolean);
    store(copy, std::move(mask));
    return expand_into(target, std::move(copy), source);
  }
  Target to = target_of(target);
  const Program& program = compiler.finish(&to);
  return cpu_backend().expand(program, data, source.numel(), to);
}

int64_t expand_over(const Tensor& target, const Tensor& x, const Tensor& mask,
                    const Tensor& source) {
  if (target.numel() == 0) return 0;
  const void* data = source.data_ptr();
  Compiler compiler(target.shape());
  compiler.mask(mask);
  compiler.value(x, target.dtype());
  Target to = target_of(target);
  const Program& program = compiler.finish(&to);
  return cpu_backend().expand(program, data, source.numel(), to);
}

bool any_true(const Tensor& mask) {
  return mask.numel() != 0 && cpu_backend().any(mask_program(Compiler(mask.shape()), mask));
}
bool all_true(const Tensor& mask) {
  return mask.numel() == 0 || cpu_backend().all(mask_program(Compiler(mask.shape()), mask));
}

namespace {

/// How a reduction sees its input: the order of the dimensions as [outer, reduced, inner], and the
/// shape of the result. Kept dimensions are outside, reduced ones inside; but if the innermost
/// dimension is kept, it and the kept ones next to it stay innermost, so that rows are added to
/// rows. This depends on the shape alone, and so do the bits of the result.
struct ReductionSpace {
  Shape order, kept;
  int64_t outer = 1, reduced = 1, inner = 1;

  ReductionSpace(const Shape& shape, const Shape& dims) : kept(shape) {
    const auto is_reduced = [&](size_t d) {
      return std::find(dims.begin(), dims.end(), static_cast<int64_t>(d)) != dims.end();
    };
    size_t inner_from = shape.size();
    while (inner_from > 0 && !is_reduced(inner_from - 1)) --inner_from;
    for (size_t d = 0; d < inner_from; ++d) {
      if (is_reduced(d)) continue;
      order.push_back(static_cast<int64_t>(d));
      outer *= shape[d];
    }
    for (int64_t d : dims) {
      order.push_back(d);
      reduced *= shape[d];
      kept[d] = 1;
    }
    for (size_t d = inner_from; d < shape.size(); ++d) {
      order.push_back(static_cast<int64_t>(d));
      inner *= shape[d];
    }
  }
};

}  // namespace

Tensor reduce(Reduction reduction, const Tensor& x, const Shape& dims, DType operand,
              DType result) {
  check(takes(reduction, operand), ErrorKind::dtype, "\"{}\" not implemented for '{}'",
        row_of(reduction).kernel, scalar_type_name(operand));
  const ReductionSpace space(x.shape(), dims);
  Tensor out = allocate(space.kept, result);
  if (out.numel() == 0) return out;
  operand = compute_dtype(operand);
  Compiler compiler(x.shape(), space.order);
  const bool counts = reduction == Reduction::sum && x.dtype() == DType::boolean &&
                      result == DType::int64 && space.inner == 1 && space.reduced > 1;
  if (counts) {
    compiler.mask(x);
  } else {
    compiler.reduced(x, operand, reduction);
  }
  const Program& program = compiler.finish();
  cpu_backend().reduce(program, reduction, space.outer, space.reduced, space.inner,
                       storage_of(out)->data(), result);
  return out;
}

Tensor soft_max_rows(bool logarithm, const Tensor& x, const Tensor& mask) {
  Tensor out = allocate(x.shape(), x.dtype());
  Compiler compiler(x.shape());
  if (mask.defined()) compiler.mask(mask);
  compiler.value(x, x.dtype() == DType::float64 ? DType::float64 : DType::float32);
  const Program& program = compiler.finish();
  const int64_t length = x.dim() == 0 ? 1 : x.shape().back();
  cpu_backend().soft_max(program, logarithm, x.numel() / length, length, storage_of(out)->data(),
                         x.dtype());
  return out;
}

std::pair<Tensor, Tensor> arg_extreme(bool largest, const Tensor& x, const Tensor& mask,
                                      const Shape& dims, DType operand) {
  const ReductionSpace space(x.shape(), dims);
  Tensor values = allocate(space.kept, operand), indices = allocate(space.kept, DType::int64);
  if (values.numel() == 0) return {values, indices};
  Compiler compiler(x.shape(), space.order);
  if (mask.defined()) compiler.mask(mask);
  compiler.value(x, operand);
  const Program& program = compiler.finish();
  cpu_backend().arg_extreme(program, largest, space.outer, space.reduced, space.inner,
                            storage_of(values)->data(),
                            static_cast<int64_t*>(storage_of(indices)->data()));
  return {values, indices};
}

}  // namespace tamis
