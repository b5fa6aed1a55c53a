// Dropout: elements that are left out, or scaled, at random.
#include <cmath>

#include "core/check.h"
#include "core/convert.h"
#include "ops/pointwise/pointwise.h"
#include "ops/row.h"
#include "tamis/tamis.h"

namespace tamis {

namespace {

/// Whether anything is to be done.
bool drops(const Tensor& x, double p, bool training) {
  check(p >= 0 && p <= 1, ErrorKind::value,
        "dropout probability has to be between 0 and 1, but got {}", p);
  check(is_floating_point(x.dtype()) || !training, ErrorKind::dtype,
        "dropout: expected a floating point input, but got {}", scalar_type_name(x.dtype()));
  return training && p > 0 && x.numel() > 0;
}

/// The first two sizes of x, and 1 for the others.
Shape channels_of(const Tensor& x) {
  check(x.dim() >= 2, ErrorKind::shape,
        "Feature dropout requires at least 2 dimensions in the input");
  Shape shape(x.shape().size(), 1);
  shape[0] = x.shape()[0];
  shape[1] = x.shape()[1];
  return shape;
}

/// True with the probability 1 - p.
Tensor kept(const Shape& shape, const Tensor& x, double p) {
  if (p == 1) return zeros(shape, {DType::boolean, x.device()});
  return rand(shape, {DType::float32, x.device()}) >= p;
}

Tensor drop(const Tensor& x, double p, const Shape& shape) {
  const double scale = p == 1 ? 1 : 1 / (1 - p);
  return where(kept(shape, x, p), x * scale, scalar_tensor(0, x.dtype()));
}

Tensor alpha_drop(const Tensor& x, double p, const Shape& shape) {
  if (p == 1) return drop(x, p, shape);
  constexpr double kLimit = 1.7580993408473766;  // of -selu
  const double scale = 1 / std::sqrt((kLimit * kLimit * p + 1) * (1 - p));
  const Tensor instead = scalar_tensor(kLimit * scale * (p - 1), x.dtype());
  return where(kept(shape, x, p), x * scale + kLimit * scale * p, instead);
}

}  // namespace

Tensor dropout(const Tensor& x, double p, bool training) {
  return drops(x, p, training) ? drop(x, p, x.shape()) : x;
}

std::pair<Tensor, Tensor> native_dropout(const Tensor& x, double p, std::optional<bool> train) {
  if (!drops(x, p, train.value_or(true))) return {x.clone(), ones_like(x, DType::boolean)};
  const Tensor mask = kept(x.shape(), x, p);
  const double scale = p == 1 ? 1 : 1 / (1 - p);
  return {where(mask, x * scale, scalar_tensor(0, x.dtype())), mask};
}

Tensor feature_dropout(const Tensor& x, double p, bool training) {
  return drops(x, p, training) ? drop(x, p, channels_of(x)) : x;
}

Tensor alpha_dropout(const Tensor& x, double p, bool training) {
  return drops(x, p, training) ? alpha_drop(x, p, x.shape()) : x;
}

Tensor feature_alpha_dropout(const Tensor& x, double p, bool training) {
  return drops(x, p, training) ? alpha_drop(x, p, channels_of(x)) : x;
}

Tensor rrelu(const Tensor& x, double lower, double upper, bool training,
             std::optional<Generator> generator) {
  check(lower <= upper, ErrorKind::value,
        "Lower bound should be less than or equal to the upper bound");
  if (!training) return leaky_relu(x, (lower + upper) / 2);
  check_implemented(is_floating_point(x.dtype()), "rrelu_with_noise_out_cpu", x.dtype());
  const DType wide = compute_dtype(x.dtype());
  const Tensor share = rand(x.shape(), {wide, x.device()}, std::move(generator));
  const Tensor slope = share * (upper - lower) + lower;
  return where(x <= 0, (x.to(wide) * slope).to(x.dtype()), x);
}

std::vector<Row> dropout_rows() {
  const Tensor x = SAMPLE(tensor({{0.5f, -2.f, 3.f}, {0.25f, 1.5f, -0.25f}}));
  const Tensor cube = SAMPLE(linspace(-1, 1, 12).view({2, 3, 2}));
  const auto drop_row = [](const char* name, const char* text,
                           Tensor (*f)(const Tensor&, double, bool), const Tensor& input) {
    return make_row(std::string(name) + "(Tensor input, float p=0.5, bool training=True) -> Tensor",
                    text, f,
                    SAMPLES({input, 0.5, true}, {input, 0.0, true}, {input, 1.0, true},
                            {input, 0.5, false}))
        .with_in_place()
        .function_only()
        .is_random();
  };
  return {
      drop_row("dropout",
               "Each element kept with the probability 1 - p and divided by it, else 0; without "
               "training, input.",
               dropout, x),
      drop_row("feature_dropout", "dropout of whole channels, which the first two indices name.",
               feature_dropout, cube),
      drop_row("alpha_dropout",
               "Each element kept with the probability 1 - p, else the limit of selu, scaled so "
               "that mean 0 and variance 1 stay; without training, input.",
               alpha_dropout, x),
      drop_row("feature_alpha_dropout",
               "alpha_dropout of whole channels, which the first two indices name.",
               feature_alpha_dropout, cube),
      make_row("native_dropout(Tensor input, float p, bool? train) -> (Tensor result, Tensor mask)",
               "dropout, and what it kept.", native_dropout,
               SAMPLES({x, 0.5, true}, {x, 1.0, Value()}, {x, 0.5, false}))
          .function_only()
          .is_random(),
      make_row("rrelu(Tensor input, float lower=0.125, float upper=0.3333333333333333, bool "
               "training=False, *, Generator? generator=None) -> Tensor",
               "Each element, or a random share of it from lower to upper where it is not "
               "positive; without training, their middle.",
               rrelu, SAMPLES({x, 0.125, 0.5, false, Value()}, {x, 0.25, 0.25, true, Value()}))
          .with_in_place()
          .function_only()
          .is_random(),
  };
}

}  // namespace tamis
