// Activation: the pointwise functions of neural networks.
#include "tamis/activation.h"

#include <cmath>
#include <numbers>

#include "core/check.h"
#include "ops/pointwise/composed.h"
#include "ops/pointwise/pointwise.h"
#include "ops/row.h"
#include "tamis/tamis.h"

namespace tamis {
namespace {

DType checked(const char* kernel, const Tensor& x) {
  const DType dtype = result_type(x);
  check_implemented(is_floating_point(dtype), kernel, dtype);
  return dtype;
}

/// log(1 + exp(x)); its gradient has no product of infinity and zero.
Tensor log_of_one_and_exp(const Tensor& x) {
  Tensor y;
  {
    const NoGradGuard guard;
    y = where(x > 30, x, log1p(exp(x)));
  }
  return with_slope("softplus", y, x, x,
                    [](const Tensor& g, const Tensor& z) { return g * sigmoid(z); });
}

/// scale * x, or scale * alpha * (exp(x / divisor) - 1) where x is not positive.
Tensor exponential_unit(const Tensor& x, double alpha, double scale, double factor) {
  const DType dtype = checked("elu_cpu", x);
  return in_wide(
      dtype,
      [=](const Tensor& z) {
        const Tensor linear = scale == 1 ? z : z * scale;
        const Tensor argument = factor == 1 ? z : z * factor;
        return where(z > 0, linear, expm1(argument) * (alpha * scale));
      },
      x);
}

/// Limits beside numbers of that dtype; of integers without their fraction.
Tensor limit_of(double value, DType dtype) {
  return scalar_tensor(value, DType::float64).to(dtype);
}

}  // namespace

Tensor gelu(const Tensor& x, const std::string& approximate) {
  const DType dtype = checked("GeluKernelImpl", x);
  const bool by_tanh = approximate == "tanh";
  check(by_tanh || approximate == "none", ErrorKind::value,
        "approximate argument must be either none or tanh.");
  return in_wide(
      dtype,
      [by_tanh](const Tensor& z) {
        constexpr double kRoot = std::numbers::sqrt2 * std::numbers::inv_sqrtpi;
        const Tensor share = by_tanh ? tanh((z + z * z * z * 0.044715) * kRoot)
                                     : erf(z * (0.5 * std::numbers::sqrt2));
        return z * 0.5 * (share + 1);
      },
      x);
}

Tensor silu(const Tensor& x) {
  const DType dtype = result_type(x);
  check_implemented(is_floating_point(dtype) || is_complex(dtype), "silu_cpu", dtype);
  return in_wide(
      dtype, [](const Tensor& z) { return z * sigmoid(z); }, x);
}

Tensor mish(const Tensor& x) {
  const DType dtype = checked("mish_cpu", x);
  return in_wide(
      dtype, [](const Tensor& z) { return z * tanh(log_of_one_and_exp(z)); }, x);
}

Tensor logsigmoid(const Tensor& x) {
  const DType dtype = checked("log_sigmoid_cpu", x);
  const auto value = [](const Tensor& z) { return minimum(z, zero_of(z)) - log1p(exp(-abs(z))); };
  return with_slope("logsigmoid", composed(dtype, value, x), x, x,
                    [](const Tensor& g, const Tensor& z) { return g * sigmoid(-z); });
}

Tensor leaky_relu(const Tensor& x, double negative_slope) {
  const DType dtype = checked("leaky_relu_cpu", x);
  const auto value = [=](const Tensor& z) { return where(z > 0, z, z * negative_slope); };
  return in_wide(dtype, value, x);
}

Tensor elu(const Tensor& x, double alpha) { return exponential_unit(x, alpha, 1, 1); }

Tensor celu(const Tensor& x, double alpha) {
  check(alpha != 0, ErrorKind::value, "ZeroDivisionError: alpha cannot be 0 for CELU");
  return exponential_unit(x, alpha, 1, 1 / alpha);
}

Tensor selu(const Tensor& x) {
  return exponential_unit(x, 1.6732632423543772848, 1.0507009873554804934, 1);
}

Tensor softplus(const Tensor& x, double beta, double threshold) {
  const DType dtype = checked("softplus_cpu", x);
  const auto value = [=](const Tensor& z) {
    const Tensor scaled = z * beta;
    return where(scaled > threshold, z, log1p(exp(scaled)) / beta);
  };
  const Tensor y = composed(dtype, value, x);
  if (is_tracked(x)) {
    record(y, "softplus", Flow::pointwise, {x}, {x},
           [=](const Tensor& g, std::span<const Tensor> saved) -> Gradients {
             const Tensor scaled = saved[0] * beta;
             return {where(scaled > threshold, g, g * sigmoid(scaled))};
           });
  }
  return y;
}

Tensor hardtanh(const Tensor& x, double min_val, double max_val) {
  const DType dtype = result_type(x);
  check(dtype != DType::boolean, ErrorKind::dtype, "Bool inputs not supported for hardtanh");
  check(!is_complex(dtype), ErrorKind::dtype, "clamp is not supported for complex types");
  const bool is_unsigned = is_integral(dtype) && !is_signed(dtype);
  check(!is_unsigned || (std::trunc(min_val) >= 0 && std::trunc(max_val) >= 0), ErrorKind::value,
        "cannot do hardtanh on an unsigned type with negative limits");
  Tensor y;
  {
    const NoGradGuard guard;
    y = clamp(x, limit_of(min_val, dtype), limit_of(max_val, dtype));
  }
  if (is_floating_point(dtype) && is_tracked(x)) {
    // Not that of clamp, which x keeps at the limits.
    record(y, "hardtanh", Flow::pointwise, {x}, {x},
           [=](const Tensor& g, std::span<const Tensor> saved) -> Gradients {
             return {where((saved[0] > min_val) & (saved[0] < max_val), g, zero_of(g))};
           });
  }
  return y;
}

Tensor relu6(const Tensor& x) { return hardtanh(x, 0, 6); }

Tensor hardshrink(const Tensor& x, double lambd) {
  const DType dtype = checked("hardshrink_cpu", x);
  const Tensor limit = limit_of(lambd, dtype);
  return where((x >= -limit) & (x <= limit), zero_of(limit), x);
}

Tensor softshrink(const Tensor& x, double lambd) {
  const DType dtype = checked("softshrink_cpu", x);
  check(lambd >= 0, ErrorKind::value, "lambda must be greater or equal to 0, but found to be {}.",
        lambd);
  const Tensor limit = limit_of(lambd, dtype);
  return where(x > limit, x - limit, where(x < -limit, x + limit, x * zero_of(limit)));
}

Tensor hardsigmoid(const Tensor& x) {
  const DType dtype = checked("hardsigmoid_cpu", x);
  const auto value = [](const Tensor& z) { return clamp(z + 3, Tensor(0), Tensor(6)) / 6; };
  return with_slope("hardsigmoid", composed(dtype, value, x), x, x,
                    [](const Tensor& g, const Tensor& z) {
                      return where((z > -3) & (z < 3), g / 6, zero_of(g));
                    });
}

Tensor hardswish(const Tensor& x) {
  const DType dtype = checked("hardswish_cpu", x);
  const auto value = [](const Tensor& z) { return z * clamp(z + 3, Tensor(0), Tensor(6)) / 6; };
  return with_slope("hardswish", composed(dtype, value, x), x, x,
                    [](const Tensor& g, const Tensor& z) {
                      const Tensor middle = where(z <= 3, g * (z / 3 + 0.5), g);
                      return where(z < -3, zero_of(g), middle);
                    });
}

Tensor threshold(const Tensor& x, double threshold, double value) {
  const DType dtype = result_type(x);
  check_implemented(dtype != DType::boolean && !is_complex(dtype), "threshold_cpu", dtype);
  return where(x <= limit_of(threshold, dtype), limit_of(value, dtype), x);
}

Tensor prelu(const Tensor& x, const Tensor& weight) {
  const DType dtype = checked("prelu_cpu", x);
  check(weight.dtype() == dtype, ErrorKind::dtype, "expected scalar type {} but found {}",
        scalar_type_name(dtype), scalar_type_name(weight.dtype()));
  Tensor factors = weight;
  if (weight.numel() != 1) {
    check(x.dim() > 0, ErrorKind::shape, "Not allow zero-dim input tensor.");
    const int64_t channels = x.dim() > 1 ? x.size(1) : 1;
    check(channels == weight.numel(), ErrorKind::shape,
          "Mismatch of parameter numbers and input channel size. Found parameter numbers = {} and "
          "channel size = {}.",
          weight.numel(), channels);
    Shape shape(static_cast<size_t>(x.dim()), 1);
    shape[1] = channels;
    factors = weight.reshape(shape);
  } else {
    factors = weight.reshape(Shape(static_cast<size_t>(x.dim()), 1));
  }
  return where(x > 0, x, factors * x);
}

Tensor glu(const Tensor& x, int64_t dim) {
  check(x.dim() > 0, ErrorKind::shape, "glu does not support 0-dimensional tensors");
  const int64_t size = x.size(dim);
  const DType dtype = checked("glu_cpu", x);
  check(size % 2 == 0, ErrorKind::shape,
        "Halving dimension must be even, but dimension {} is size {}", dim, size);
  const Tensor gate = x.narrow(dim, size / 2, size / 2);
  const Tensor first = x.narrow(dim, 0, size / 2);
  return in_wide(
      dtype, [&](const Tensor& z) { return first.to(z.dtype()) * sigmoid(z); }, gate);
}

Tensor softsign(const Tensor& x) { return x / (abs(x) + 1); }

Tensor tanhshrink(const Tensor& x) { return x - tanh(x); }

namespace {

Tensor gelu_op(const Tensor& x, const std::string& approximate) { return gelu(x, approximate); }

void add_rows_of_one(std::vector<Row>& rows, const std::vector<Args>& samples) {
  struct Entry {
    const char* name;
    Tensor (*function)(const Tensor&);
    const char* summary;
  };
  constexpr Entry kEntries[] = {
      {"silu", silu, "x * sigmoid(x)."},
      {"mish", mish, "x * tanh(log(1 + exp(x)))."},
      {"logsigmoid", logsigmoid, "log(sigmoid(x)), without overflow."},
      {"selu", selu, "elu with the scale and alpha that keep mean 0 and variance 1."},
      {"relu6", relu6, "Each element limited to the range from 0 to 6."},
      {"hardsigmoid", hardsigmoid, "x / 6 + 1/2, limited to the range from 0 to 1."},
      {"hardswish", hardswish, "x * hardsigmoid(x)."},
      {"softsign", softsign, "x / (1 + |x|)."},
      {"tanhshrink", tanhshrink, "x - tanh(x)."},
  };
  for (const Entry& e : kEntries) {
    rows.push_back(
        make_row(fmt::format("{}(Tensor input) -> Tensor", e.name), e.summary, e.function, samples)
            .is_pointwise()
            .function_only());
    const std::string name = e.name;
    rows.back().in_place = name != "logsigmoid" && name != "softsign" && name != "tanhshrink";
  }
}

}  // namespace

std::vector<Row> activation_rows() {
  const Tensor floats = SAMPLE(tensor({{0.5f, -1.5f, 2.0f, -0.25f}, {0.0f, 2.5f, -7.0f, 4.0f}}));
  const Tensor weights = SAMPLE(tensor({0.25f, -0.5f, 0.75f, 2.0f})),
               ints = SAMPLE(tensor({{7, -7}, {0, 12}}));
  const std::vector<Args> one = SAMPLES({floats}, {floats.t()}, {tensor(0.25f)});
  std::vector<Row> rows;
  add_rows_of_one(rows, one);
  const auto add = [&](Row row) -> Row& {
    return rows.emplace_back(std::move(row).is_pointwise().function_only());
  };
  const auto with = [](std::vector<Args> samples, std::initializer_list<Value> options) {
    for (Args& args : samples) args.insert(args.end(), options.begin(), options.end());
    return samples;
  };
  const auto both = [](std::vector<Args> a, std::vector<Args> b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  };
  add(make_row(
      "gelu(Tensor input) -> Tensor", "x times the share of a normal distribution below x.",
      +[](const Tensor& x) { return gelu(x); }, one));
  rows.push_back(make_row("gelu(Tensor input, *, str approximate) -> Tensor",
                          "The same, which 'tanh' approximates by that function; 'none' does not.",
                          gelu_op,
                          SAMPLES({floats, std::string("none")}, {floats, std::string("tanh")}))
                     .function_only());
  add(make_row("leaky_relu(Tensor input, float negative_slope=0.01) -> Tensor",
               "Each element, or negative_slope times it where it is negative.", leaky_relu,
               SAMPLE(both(with(one, {0.01}), with({{floats}}, {0.25})))))
      .in_place = true;
  add(make_row("elu(Tensor input, float alpha=1.0) -> Tensor",
               "Each element, or alpha * (exp(x) - 1) where it is negative.", elu,
               SAMPLE(both(with(one, {1.0}), with({{floats}}, {0.5})))))
      .in_place = true;
  add(make_row("celu(Tensor input, float alpha=1.0) -> Tensor",
               "Each element, or alpha * (exp(x / alpha) - 1) where it is negative.", celu,
               SAMPLE(both(with(one, {1.0}), with({{floats}}, {0.5})))))
      .in_place = true;
  add(make_row("softplus(Tensor input, float beta=1.0, float threshold=20.0) -> Tensor",
               "log(1 + exp(beta * x)) / beta, or x where beta * x exceeds threshold.", softplus,
               SAMPLE(both(with(one, {1.0, 20.0}), with({{floats}}, {2.0, 3.0})))));
  add(make_row("hardtanh(Tensor input, float min_val=-1.0, float max_val=1.0) -> Tensor",
               "Each element limited to the range from min_val to max_val.", hardtanh,
               SAMPLE(both(with(one, {-1.0, 1.0}), with({{floats}, {ints}}, {0.0, 3.0})))))
      .in_place = true;
  rows.push_back(make_row("hardshrink(Tensor input, float lambd=0.5) -> Tensor",
                          "Each element, or 0 where it is at most lambd from 0.", hardshrink,
                          SAMPLE(both(with(one, {0.5}), with({{floats}}, {2.0}))))
                     .is_pointwise());
  add(make_row("softshrink(Tensor input, float lambd=0.5) -> Tensor",
               "Each element moved toward 0 by lambd, and 0 where that would pass it.", softshrink,
               SAMPLE(both(with(one, {0.5}), with({{floats}}, {2.0})))));
  add(make_row("threshold(Tensor input, float threshold, float value) -> Tensor",
               "Each element, or value where it is not above threshold.", threshold,
               SAMPLE(with({{floats}, {floats.t()}, {ints}}, {1.0, 3.0}))))
      .in_place = true;
  rows.push_back(make_row("prelu(Tensor input, Tensor weight) -> Tensor",
                          "Each element, or weight times it where it is negative; one weight, or "
                          "one for each index of dimension 1.",
                          prelu, SAMPLES({floats, weights}, {floats.t(), tensor({0.25f})}))
                     .is_pointwise());
  rows.push_back(
      make_row("glu(Tensor input, int dim=-1) -> Tensor",
               "The first half along dim times the sigmoid of the second.", glu,
               SAMPLES({floats, int64_t{-1}}, {floats.t(), int64_t{0}}, {floats, int64_t{0}}))
          .function_only());
  return rows;
}

}  // namespace tamis
