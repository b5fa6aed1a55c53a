// Distributions: random numbers of several kinds, made from uniform and normal ones; and tensors
// with strides or powers of their own.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <optional>
#include <utility>

#include "backend/backend.h"
#include "core/check.h"
#include "core/convert.h"
#include "core/tensor_impl.h"
#include "ops/mask_args.h"
#include "ops/pointwise/pointwise.h"
#include "ops/row.h"
#include "tamis/tamis.h"

namespace tamis {

namespace {

using Source = std::optional<Generator>;

Options like(const Tensor& x) { return {x.dtype(), x.device()}; }

/// Uniform in [0, 1), of x's shape; `kernel` is what PyTorch's refusal of other dtypes calls it.
Tensor uniform(const char* kernel, const Tensor& x, Source source) {
  check_implemented(is_floating_point(x.dtype()), kernel, x.dtype());
  return rand(x.shape(), like(x), std::move(source));
}

void check_std(double std) {
  check(std >= 0, ErrorKind::value, "normal expects std >= 0.0, but found std {}", std);
}

/// One more than the largest integer up to which dtype holds all.
int64_t end_of_integers(DType dtype) {
  switch (dtype) {
    case DType::boolean:
      return 2;
    case DType::float16:
      return (1 << 11) + 1;
    case DType::bfloat16:
      return (1 << 8) + 1;
    case DType::float32:
      return (1 << 24) + 1;
    case DType::float64:
      return (int64_t{1} << 53) + 1;
    case DType::int64:
    case DType::uint64:
      return INT64_MAX;
    default: {
      const int bits = static_cast<int>(8 * itemsize(dtype)) - (is_signed(dtype) ? 1 : 0);
      return int64_t{1} << bits;
    }
  }
}

}  // namespace

Tensor logspace(Scalar start, Scalar end, int64_t steps, double base, const Options& options) {
  const DType dtype = options.dtype.value_or(DType::float32);
  // By the host: other devices have no float64.
  const DType wide = is_complex(dtype) ? dtype : DType::float64;
  const Tensor powers = linspace(start, end, steps, {wide, Device()});
  return detail::with_options(pow(base, powers).to(dtype), options);
}

Tensor empty_strided(const Shape& shape, const Shape& strides, const Options& options) {
  check(shape.size() == strides.size(), ErrorKind::shape,
        "dimensionality of sizes ({}) must match dimensionality of strides ({})", shape.size(),
        strides.size());
  int64_t count = 1;
  for (size_t d = 0; d < shape.size(); ++d) {
    check(shape[d] >= 0, ErrorKind::shape, "Trying to create tensor with negative dimension {}: {}",
          shape[d], shape);
    check(strides[d] >= 0, ErrorKind::shape, "Tensor: negative strides are not supported, got {}",
          strides);
    int64_t reach = 0;
    const bool fits =
        !__builtin_mul_overflow(std::max<int64_t>(shape[d] - 1, 0), strides[d], &reach) &&
        !__builtin_add_overflow(count, reach, &count);
    check(fits, ErrorKind::shape,
          "Storage size calculation overflowed with sizes={} and strides={}", shape, strides);
  }
  const Tensor memory = empty({numel(shape) == 0 ? 0 : count}, options);
  return make_tensor(storage_of(memory), memory.dtype(), Layout{shape, strides, 0});
}

Tensor normal(const Tensor& mean, const Tensor& std, Source generator) {
  check(std.numel() == 0 || !any(std < 0).item<bool>(), ErrorKind::value,
        "normal expects all elements of std >= 0.0");
  const DType dtype = is_number(mean) ? float_type(std.dtype()) : mean.dtype();
  check_implemented(is_floating_point(dtype), "normal_kernel_cpu", dtype);
  const Shape shape = broadcast_shapes(mean.shape(), std.shape());
  const Device device = common_backend({mean, std}).device();
  return randn(shape, {dtype, device}, std::move(generator)) * std.detach().to(dtype) +
         mean.detach().to(dtype);
}

Tensor normal(double mean, double std, const Shape& shape, const Options& options,
              Source generator) {
  check_std(std);
  return randn(shape, options, std::move(generator)) * std + mean;
}

Tensor randint_like(const Tensor& x, int64_t low, int64_t high, const Options& options) {
  return randint(low, high, x.shape(),
                 {options.dtype.value_or(x.dtype()), options.device.value_or(x.device())});
}

// ---- in place -----------------------------------------------------------------------------------

Tensor& uniform_(Tensor& x, double from, double to, Source generator) {
  check(from <= to, ErrorKind::value,
        "uniform_ expects to return a [from, to) range, but found from={} > to={}", from, to);
  return x.copy_(uniform("check_uniform_bounds", x, std::move(generator)) * (to - from) + from);
}

Tensor& normal_(Tensor& x, double mean, double std, Source generator) {
  check_std(std);
  check_implemented(is_floating_point(x.dtype()), "normal_kernel_cpu", x.dtype());
  return x.copy_(randn(x.shape(), like(x), std::move(generator)) * std + mean);
}

Tensor& log_normal_(Tensor& x, double mean, double std, Source generator) {
  check(std > 0, ErrorKind::value, "log_normal_ expects std > 0.0, but found std={}", std);
  check_implemented(is_floating_point(x.dtype()), "log_normal_cpu", x.dtype());
  return x.copy_(exp(randn(x.shape(), like(x), std::move(generator)) * std + mean));
}

Tensor& exponential_(Tensor& x, double lambd, Source generator) {
  check(lambd >= 0, ErrorKind::value, "exponential_ expects lambda >= 0.0, but found lambda={}",
        lambd);
  return x.copy_(log1p(-uniform("exponential_cpu", x, std::move(generator))) / -lambd);
}

Tensor& cauchy_(Tensor& x, double median, double sigma, Source generator) {
  check(sigma > 0, ErrorKind::value, "cauchy_ expects sigma > 0.0, but found sigma={}", sigma);
  const Tensor turned = uniform("cauchy_cpu", x, std::move(generator)) - 0.5;
  return x.copy_(tan(turned * std::numbers::pi) * sigma + median);
}

Tensor& geometric_(Tensor& x, double p, Source generator) {
  check(p > 0 && p < 1, ErrorKind::value, "geometric_ expects p to be in (0, 1), but got p={}", p);
  check_implemented(x.dtype() != DType::boolean && !is_complex(x.dtype()), "geometric_cpu",
                    x.dtype());
  const DType dtype = is_floating_point(x.dtype()) ? x.dtype() : DType::float32;
  const Tensor trials = rand(x.shape(), {dtype, x.device()}, std::move(generator));
  // Never 0, also where no trial is needed.
  return x.copy_(clamp_min(ceil(log1p(-trials) / std::log1p(-p)), 1));
}

Tensor& bernoulli_(Tensor& x, const Tensor& p, Source generator) {
  const Tensor chance = (is_number(p) ? p.to(DType::float64) : p).to(x.device());
  check_broadcasts_to(x, chance.shape());
  return x.copy_(bernoulli(chance.expand(x.shape()), std::move(generator)));
}

Tensor& random_(Tensor& x, int64_t from, std::optional<int64_t> to, Source generator) {
  return x.copy_(randint(from, to.value_or(end_of_integers(x.dtype())), x.shape(), like(x),
                         std::move(generator)));
}

namespace {

Tensor scalar_tensor_op(Scalar value, const Options& options) {
  return full({}, value,
              {options.dtype.value_or(DType::float32), options.device.value_or(Device())});
}

Tensor normal_around(double mean, const Tensor& std, Source generator) {
  return normal(Tensor(mean), std, std::move(generator));
}

using Normal = Tensor (*)(const Tensor&, const Tensor&, Source);
using NormalOf = Tensor (*)(double, double, const Shape&, const Options&, Source);

Tensor randint_like_up_to(const Tensor& x, int64_t high, const Options& options) {
  return randint_like(x, 0, high, options);
}

}  // namespace

std::vector<Row> distribution_rows() {
  const Tensor x = SAMPLE(arange(6, DType::float32).view({2, 3})), ints = SAMPLE(arange(4));
  const Tensor spread = SAMPLE(tensor({0.5f, 1.f, 0.f}));
  const Value none, f32 = DType::float32, i64 = DType::int64;
  const auto n = [](int64_t v) { return Value(v); };
  const std::string drawn = "Generator? generator=None) -> Tensor";
  return {
      make_row(
          "logspace(Scalar start, Scalar end, int steps, float base=10.0, *, dtype "
          "dtype=float32) -> Tensor",
          "base to the power of numbers at equal distances from start to end.", logspace,
          SAMPLES({Scalar(0), Scalar(2), n(5), 10.0, f32}, {Scalar(1), Scalar(4), n(4), 2.0, i64}))
          .is_creation()
          .with_out(),
      make_row(
          "range(Scalar start, Scalar end, Scalar step=1, *, dtype dtype=float32) -> Tensor",
          "start, start + step, ... up to end, which is included.", range,
          SAMPLES({Scalar(1), Scalar(4), Scalar(1), f32}, {Scalar(5), Scalar(0), Scalar(-2), i64}))
          .is_creation()
          .with_out(),
      make_row("empty_strided(int[] size, int[] stride, *, dtype dtype=float32) -> Tensor",
               "Unspecified values in memory with these strides.", empty_strided,
               SAMPLES({Shape{2, 0}, Shape{1, 2}, f32}, {Shape{0, 3}, Shape{1, 1}, i64}))
          .is_creation(),
      make_row("scalar_tensor(Scalar s, *, dtype dtype=float32) -> Tensor",
               "A number as a 0-d tensor.", scalar_tensor_op,
               SAMPLES({Scalar(2.5), f32}, {Scalar(3), i64}, {Scalar(true), f32}))
          .is_creation(),
      make_row("normal(Tensor mean, Tensor|Scalar std=1, *, " + drawn,
               "Normal random numbers with these means and standard deviations.",
               static_cast<Normal>(normal),
               SAMPLES({x, spread, none}, {x, Tensor(2.0), Generator(3)}))
          .is_random()
          .with_out(),
      make_row("normal(float mean, Tensor std, *, " + drawn,
               "Normal random numbers with these standard deviations.", normal_around,
               SAMPLES({0.5, spread, none}))
          .is_random()
          .with_out(),
      make_row("normal(float mean, float std, int[] size, *, dtype dtype=float32, " + drawn,
               "Normal random numbers of this shape.", static_cast<NormalOf>(normal),
               SAMPLES({0.5, 2.0, Shape{2, 3}, f32, none}))
          .is_random()
          .is_creation()
          .with_out(),
      make_row("poisson(Tensor input, " + drawn,
               "Random numbers of events where input are expected.", poisson,
               SAMPLES({x, none}, {spread, Generator(3)}))
          .is_random()
          .function_only(),
      make_row("binomial(Tensor count, Tensor prob, " + drawn,
               "Random numbers of successes in count trials, each with the probability prob.",
               binomial, SAMPLES({x, tensor({0.5f, 0.25f, 1.f}), none}))
          .is_random(),
      make_row("randint_like(Tensor input, int low, int high, *, dtype? dtype=None) -> Tensor",
               "Random integers from low up to but excluding high, with the shape and dtype of "
               "input.",
               randint_like, SAMPLES({x, n(-3), n(4), none}, {ints, n(0), n(2), f32}))
          .is_random()
          .function_only()
          .is_creation(),
      make_row("randint_like(Tensor input, int high, *, dtype? dtype=None) -> Tensor",
               "Random integers from 0 up to but excluding high, with the shape and dtype of "
               "input.",
               randint_like_up_to, SAMPLES({x, n(4), none}, {ints, n(2), f32}))
          .is_random()
          .function_only()
          .is_creation(),
  };
}

}  // namespace tamis
