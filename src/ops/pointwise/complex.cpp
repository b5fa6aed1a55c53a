// Complex: numbers from their parts, and the parts of numbers.
#include "tamis/complex.h"

#include "autograd/region.h"
#include "core/check.h"
#include "core/convert.h"
#include "ops/pointwise/pointwise.h"
#include "ops/row.h"
#include "tamis/create.h"
#include "tamis/pointwise.h"

namespace tamis {

namespace {

DType complex_of(DType part) {
  return part == DType::float64 ? DType::complex128 : DType::complex64;
}

bool is_part(DType dtype) { return dtype == DType::float32 || dtype == DType::float64; }

/// One part of each element.
Tensor part_of(const Tensor& x, int64_t index) { return view_as_real(x).select(-1, index); }

}  // namespace

Tensor complex(const Tensor& re, const Tensor& im) {
  check(is_part(re.dtype()) && is_part(im.dtype()), ErrorKind::dtype,
        "Expected both inputs to be Half, Float or Double tensors but got {} and {}",
        scalar_type_name(re.dtype()), scalar_type_name(im.dtype()));
  check(re.dtype() == im.dtype(), ErrorKind::dtype,
        "Expected object of scalar type {} but got scalar type {} for second argument",
        scalar_type_name(re.dtype()), scalar_type_name(im.dtype()));
  const Tensor result = allocate(broadcast_shapes(re.shape(), im.shape()), complex_of(re.dtype()),
                                 common_backend({re, im}));
  store(part_of(result, 0), re);
  store(part_of(result, 1), im);
  if (is_tracked(re) || is_tracked(im)) {
    record(result, "complex", Flow::pointwise, {re, im}, {},
           [](const Tensor& g, std::span<const Tensor>) -> Gradients {
             return {real(g), imag(g)};
           });
  }
  return result;
}

Tensor polar(const Tensor& size, const Tensor& angle) {
  check(is_part(size.dtype()) && is_part(angle.dtype()), ErrorKind::dtype,
        "Expected both inputs to be Half, Float or Double tensors but got {} and {}",
        scalar_type_name(size.dtype()), scalar_type_name(angle.dtype()));
  check(size.dtype() == angle.dtype(), ErrorKind::dtype,
        "Expected object of scalar type {} but got scalar type {} for second argument",
        scalar_type_name(size.dtype()), scalar_type_name(angle.dtype()));
  return complex(size * cos(angle), size * sin(angle));
}

Tensor isreal(const Tensor& x) {
  if (!is_complex(x)) return ones_like(x, DType::boolean);
  return defer_recorded(Op::imag, x.dtype(), real_dtype(x.dtype()), {x}) == 0;
}

Tensor real(const Tensor& x) { return is_complex(x) ? part_of(x, 0) : x; }

Tensor imag(const Tensor& x) {
  check(is_complex(x), ErrorKind::dtype,
        "imag is not implemented for tensors with non-complex dtypes.");
  return part_of(x, 1);
}

Tensor conj(const Tensor& x) {
  if (!is_complex(x)) return x;
  const TensorRef operand[] = {x};
  const Tensor y = defer(Op::conj, x.dtype(), x.dtype(), operand);
  if (is_tracked(x)) {
    record(y, "conj", Flow::pointwise, {x}, {},
           [](const Tensor& g, std::span<const Tensor>) -> Gradients { return {conj(g)}; });
  }
  return y;
}

Tensor angle(const Tensor& x) {
  const DType dtype = float_type(result_type(x));
  return defer_recorded(Op::angle, dtype, real_dtype(dtype), {x});
}

// Both settle first: an expression fills its storage with elements of one dtype, and knows no
// other.
Tensor view_as_real(const Tensor& x) {
  check(is_complex(x), ErrorKind::dtype, "view_as_real is only supported for complex tensors");
  x.settle();
  const Tensor view = user_view(x, real_dtype(x.dtype()), layout_of_parts(layout_of(x)));
  if (is_tracked(x)) {
    record(view, "view_as_real", Flow::moves, {x}, {},
           [](const Tensor& g, std::span<const Tensor>) -> Gradients { return {from_parts(g)}; });
  }
  return view;
}

Tensor view_as_complex(const Tensor& x) {
  check(is_part(x.dtype()), ErrorKind::dtype,
        "view_as_complex is only supported for half, float and double tensors, but got a tensor of "
        "scalar type: {}",
        scalar_type_name(x.dtype()));
  check(x.dim() > 0, ErrorKind::shape, "Input tensor must have one or more dimensions");
  check(x.size(-1) == 2, ErrorKind::shape, "Tensor must have a last dimension of size 2");
  Layout layout = layout_of(x);
  if (x.numel() == 0) layout.strides = contiguous_strides(layout.sizes);
  check(layout.strides.back() == 1, ErrorKind::value,
        "Tensor must have a last dimension with stride 1");
  layout.sizes.erase(layout.sizes.size() - 1);
  layout.strides.erase(layout.strides.size() - 1);
  for (int64_t& stride : layout.strides) {
    check(stride % 2 == 0, ErrorKind::value,
          "Tensor must have a stride divisible by 2 for all but last dimension");
    stride /= 2;
  }
  check(layout.offset % 2 == 0, ErrorKind::value,
        "Tensor must have a storage_offset divisible by 2");
  layout.offset /= 2;
  x.settle();
  const Tensor view = user_view(x, complex_of(x.dtype()), std::move(layout));
  if (is_tracked(x)) {
    record(view, "view_as_complex", Flow::moves, {x}, {},
           [](const Tensor& g, std::span<const Tensor>) -> Gradients { return {parts_of(g)}; });
  }
  return view;
}

bool is_complex(const Tensor& x) { return is_complex(x.dtype()); }

std::vector<Row> complex_rows() {
  const Tensor re = SAMPLE(tensor({{1.f, -2.f, 0.f}, {3.f, 0.5f, -1.f}}));
  const Tensor im = SAMPLE(tensor({{0.f, 1.f, -1.f}, {-4.f, 2.f, 0.f}}));
  const Tensor z = SAMPLE(complex(re, im));
  const Tensor ints = SAMPLE(tensor({3, -4, 0}));
  return {
      make_row("complex(Tensor real, Tensor imag) -> Tensor",
               "Complex numbers from their real and imaginary parts.", complex,
               SAMPLES({re, im}, {re, tensor({1.f, 2.f, 3.f})},
                       {re[0].to(DType::float64), im[0].to(DType::float64)}))
          .is_pointwise()
          .with_out(),
      make_row("polar(Tensor abs, Tensor angle) -> Tensor",
               "Complex numbers from their absolute values and angles.", polar,
               SAMPLES({re, im}, {re, tensor({1.f, 2.f, 3.f})}))
          .is_pointwise()
          .with_out(),
      make_row("isreal(Tensor input) -> Tensor", "True where the imaginary part is 0.", isreal,
               SAMPLES({z}, {z.t()}, {ints}))
          .is_pointwise(),
      make_row(
          "real(Tensor input) -> Tensor", "The real parts, as a view; a real tensor as it is.",
          +[](const Tensor& x) { return real(x); }, SAMPLES({z}, {z.t()}, {ints}))
          .is_pointwise()
          .function_only(),
      make_row(
          "imag(Tensor input) -> Tensor", "The imaginary parts, as a view.",
          +[](const Tensor& x) { return imag(x); }, SAMPLES({z}, {z.t()}))
          .is_pointwise()
          .function_only(),
      make_row(
          "conj(Tensor input) -> Tensor",
          "The same numbers with the sign of the imaginary part changed.",
          +[](const Tensor& x) { return conj(x); }, SAMPLES({z}, {z.t()}, {ints}))
          .is_pointwise(),
      make_row("angle(Tensor input) -> Tensor", "The angle to the positive real axis, in radians.",
               angle, SAMPLES({z}, {re}, {ints}))
          .is_pointwise()
          .with_out(),
      make_row("view_as_real(Tensor input) -> Tensor",
               "A real view with a last dimension of size 2: the real and the imaginary part.",
               view_as_real, SAMPLES({z}, {z.t()}))
          .function_only(),
      make_row("view_as_complex(Tensor input) -> Tensor",
               "A complex view of a real tensor whose last dimension has size 2.", view_as_complex,
               SAMPLES({view_as_real(z)}, {tensor({1.f, 2.f})}))
          .function_only(),
      make_row(
          "is_complex(Tensor input) -> bool", "Whether the dtype is a complex one.",
          +[](const Tensor& x) { return is_complex(x); }, SAMPLES({z}, {re}, {ints})),
  };
}

}  // namespace tamis
