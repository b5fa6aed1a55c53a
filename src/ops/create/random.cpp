// Random numbers: each element is a function of the seed, the call's position in the stream, and
// the element's index, so results do not depend on how the work is divided.
#include <bit>
#include <numbers>
#include <optional>
#include <utility>

#include "backend/backend.h"
#include "core/check.h"
#include "core/convert.h"
#include "ops/create/random.h"
#include "ops/pointwise/pointwise.h"
#include "tamis/tamis.h"

namespace tamis {

namespace {

using Source = std::optional<Generator>;

/// A run of counters reserved for the caller, for n numbers of `bits` random bits each.
Random draw(const Source& source, Random::Kind kind, int64_t n, int bits) {
  const uint64_t counters = (static_cast<uint64_t>(n) * static_cast<uint64_t>(bits) + 127) / 128;
  const auto [seed, first] = (source ? *source : default_generator()).take(counters);
  return {.kind = kind, .seed = seed, .first = first};
}

/// A new tensor of random floating point numbers.
Tensor random_floats(Random::Kind kind, const Shape& shape, const Options& options,
                     const Source& source) {
  const DType dtype = options.dtype.value_or(DType::float32);
  Tensor result = empty(shape, options);
  require(backend_of(result), Feature::random, dtype);
  if (kind == Random::Kind::normal) require(backend_of(result), Feature::arithmetic, dtype);
  const Random random = draw(source, kind, result.numel(), dtype == DType::float64 ? 64 : 32);
  backend_of(result).random(random, dtype, result.numel(), buffer_of(result));
  return result;
}

/// The C++ type as g++ writes it, which PyTorch's messages show.
const char* cpp_name(DType dtype) {
  constexpr const char* kSigned[] = {"signed char", "short int", "int", "long int"};
  constexpr const char* kUnsigned[] = {"unsigned char", "short unsigned int", "unsigned int",
                                       "long unsigned int"};
  if (is_integral(dtype)) {
    return (is_signed(dtype) ? kSigned : kUnsigned)[std::countr_zero(itemsize(dtype))];
  }
  return dtype == DType::boolean    ? "bool"
         : dtype == DType::float16  ? "c10::Half"
         : dtype == DType::bfloat16 ? "c10::BFloat16"
         : dtype == DType::float32  ? "float"
                                    : "double";
}

/// Whether v is in the range of dtype as it is, without wrapping or becoming true.
bool in_range(int64_t v, DType dtype) {
  if (dtype == DType::boolean) return v == 0 || v == 1;
  return fits(v, dtype) && (is_signed(dtype) || v >= 0);
}

/// The largest n for which a floating point dtype represents 0 to n - 1 exactly, and its text in
/// messages.
std::pair<int64_t, const char*> most_distinct(DType dtype) {
  switch (dtype) {
    case DType::float16:
      return {(1 << 11) + 1, "2049"};
    case DType::bfloat16:
      return {(1 << 8) + 1, "257"};
    case DType::float32:
      return {(1 << 24) + 1, "2^24+1"};
    default:
      return {(int64_t{1} << 53) + 1, "2^53+1"};
  }
}

/// What is not given is x's.
Options options_like(const Tensor& x, const Options& options) {
  return {options.dtype.value_or(x.dtype()), options.device.value_or(x.device())};
}

/// The options of the parts of complex numbers.
Options part_of(Options options) {
  options.dtype = real_dtype(*options.dtype);
  return options;
}

/// The shape of both parts of complex numbers.
Shape with_parts(Shape shape) {
  shape.push_back(2);
  return shape;
}

}  // namespace

Tensor rand(const Shape& shape, const Options& options, Source generator) {
  const DType dtype = options.dtype.value_or(DType::float32);
  if (is_complex(dtype)) {
    return view_as_complex(rand(with_parts(shape), part_of(options), generator));
  }
  check_implemented(is_floating_point(dtype), "check_uniform_bounds", dtype);
  return random_floats(Random::Kind::uniform, shape, options, generator);
}

Tensor randn(const Shape& shape, const Options& options, Source generator) {
  const DType dtype = options.dtype.value_or(DType::float32);
  if (is_complex(dtype)) {
    // Each part has half of the variance.
    const Tensor parts = randn(with_parts(shape), part_of(options), generator);
    return view_as_complex(parts * std::numbers::sqrt2 * 0.5);
  }
  check_implemented(is_floating_point(dtype), "normal_kernel_cpu", dtype);
  return random_floats(Random::Kind::normal, shape, options, generator);
}

Tensor randint(int64_t low, int64_t high, const Shape& shape, const Options& options,
               Source generator) {
  const DType dtype = options.dtype.value_or(DType::int64);
  check(!is_complex(dtype), ErrorKind::dtype,
        "check_random_bounds handles only integral, floating-point and boolean types");
  Tensor result = empty(shape, {dtype, options.device.value_or(default_device())});
  require(backend_of(result), Feature::random, dtype);
  check(low < high, ErrorKind::value,
        "random_ expects 'from' to be less than 'to', but got from={} >= to={}", low, high);
  check(in_range(low, dtype), ErrorKind::value, "from is out of bounds for {}", cpp_name(dtype));
  check(in_range(high - 1, dtype), ErrorKind::value, "to - 1 is out of bounds for {}",
        cpp_name(dtype));
  Random random = draw(generator, Random::Kind::integers, result.numel(), 64);
  random.low = low;
  random.range = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
  backend_of(result).random(random, dtype, result.numel(), buffer_of(result));
  return result;
}

Tensor randint(int64_t high, const Shape& shape, const Options& options, Source generator) {
  return randint(0, high, shape, options, std::move(generator));
}

Tensor randperm(int64_t n, const Options& options, Source generator) {
  const DType dtype = options.dtype.value_or(DType::int64);
  const Tensor result = empty({n}, {dtype, Device()});  // shuffled by the host
  check_implemented(dtype != DType::boolean && !is_complex(dtype), "randperm", dtype);
  if (is_floating_point(dtype)) {
    const auto [most, text] = most_distinct(dtype);
    check(n <= most, ErrorKind::value, "n cannot be greater than {} for {} type.", text,
          scalar_type_name(dtype));
  } else if (n > 0) {
    check_fits(n - 1, dtype);
  }
  const Tensor random = allocate_on_host({n}, DType::int64);
  backend_of(random).random(draw(generator, Random::Kind::integers, n, 64), DType::int64, n,
                            buffer_of(random));
  const auto* const words = static_cast<const uint64_t*>(random.data_ptr());
  visit_real(dtype, [&](auto type) {
    using T = decltype(type);
    T* out = static_cast<T*>(result.mutable_data_ptr());
    // Fisher-Yates, growing: element i is i, or is swapped with an earlier element.
    for (int64_t i = 0; i < n; ++i) {
      const auto product = static_cast<unsigned __int128>(words[i]) * static_cast<uint64_t>(i + 1);
      const auto j = static_cast<int64_t>(product >> 64);
      out[i] = out[j];
      out[j] = static_cast<T>(i);
    }
  });
  return to_backend(result, options.device ? backend_for(*options.device) : default_backend());
}

Tensor bernoulli(const Tensor& p, Source generator) {
  check_implemented(is_floating_point(p.dtype()), "bernoulli_tensor_cpu_p_", p.dtype());
  const Tensor chance = p.detach().to(DType::float64);
  check(tamis::all(logical_and(chance >= 0, chance <= 1)).item<bool>(), ErrorKind::value,
        "Expected p_in >= 0 && p_in <= 1 to be true, but got false.");
  return lt(rand(p.shape(), {DType::float64, p.device()}, std::move(generator)), chance)
      .to(p.dtype());
}

Tensor rand_like(const Tensor& x, const Options& options) {
  return rand(x.shape(), options_like(x, options));
}
Tensor randn_like(const Tensor& x, const Options& options) {
  return randn(x.shape(), options_like(x, options));
}

namespace {

Tensor randint_op(int64_t low, int64_t high, const Shape& size, const Options& options,
                  std::optional<Generator> generator) {
  return randint(low, high, size, options, std::move(generator));
}

}  // namespace

std::vector<Row> random_rows() {
  const Value none, f32 = DType::float32, i64 = DType::int64, bits = DType::boolean;
  const Value matrix = Shape{2, 3}, nothing = Shape{0, 3}, scalar = Shape{};
  const Value x = SAMPLE(arange(6).reshape({2, 3}));
  const Value batch = SAMPLE(linspace(-1, 1, 24).reshape({2, 3, 4}));
  const std::string drawn = ", Generator? generator=None) -> Tensor";
  const auto n = [](int64_t v) { return Value(v); };
  return {
      make_row("rand(int[] size, *, dtype dtype=float32" + drawn,
               "Random numbers, uniform in [0, 1).", rand,
               SAMPLES({matrix, f32, none}, {scalar, f32, Generator(3)}))
          .is_random()
          .is_creation()
          .with_out(),
      make_row("randn(int[] size, *, dtype dtype=float32" + drawn,
               "Random numbers of the standard normal distribution.", randn,
               SAMPLES({matrix, f32, none}, {nothing, f32, Generator(3)}))
          .is_random()
          .is_creation()
          .with_out(),
      make_row("randint(int low, int high, int[] size, *, dtype dtype=int64" + drawn,
               "Random integers from low up to but excluding high.", randint_op,
               SAMPLES({n(-3), n(4), matrix, i64, none}, {n(0), n(2), matrix, bits, Generator(3)}))
          .is_random()
          .is_creation()
          .with_out(),
      make_row(
          "randint(int high, int[] size, *, dtype dtype=int64" + drawn,
          "Random integers from 0 up to but excluding high.",
          +[](int64_t high, const Shape& size, const Options& options,
              std::optional<Generator> generator) {
            return randint(0, high, size, options, std::move(generator));
          },
          SAMPLES({n(4), matrix, i64, none}, {n(2), nothing, bits, Generator(3)}))
          .is_creation()
          .is_random()
          .with_out(),
      make_row("randperm(int n, *, dtype dtype=int64" + drawn, "0 to n - 1 in random order.",
               randperm, SAMPLES({n(7), i64, none}, {n(0), i64, Generator(3)}))
          .is_random()
          .is_creation()
          .with_out(),
      make_row("bernoulli(Tensor input, *" + drawn,
               "1 with the probability that input gives for each element, else 0.", bernoulli,
               SAMPLES({Value(linspace(0, 1, 6).reshape({2, 3})), none}))
          .is_random()
          .with_out(),
      make_row("multinomial(Tensor input, int num_samples, bool replacement=False, *" + drawn,
               "Indices of each row, drawn with probabilities in proportion to its elements.",
               multinomial,
               SAMPLES({Value(linspace(0, 1, 6).reshape({2, 3})), n(2), false, none},
                       {Value(ones({4})), n(6), true, Generator(3)}))
          .is_random()
          .with_out(),
      make_row("rand_like(Tensor input, *, dtype? dtype=None) -> Tensor",
               "Random numbers, uniform in [0, 1), with the shape and dtype of input.", rand_like,
               SAMPLES({batch, none}, {x, f32}))
          .is_random()
          .function_only()
          .is_creation(),
      make_row("randn_like(Tensor input, *, dtype? dtype=None) -> Tensor",
               "Normal random numbers with the shape and dtype of input.", randn_like,
               SAMPLES({batch, none}, {x, f32}))
          .is_random()
          .function_only()
          .is_creation(),
  };
}

}  // namespace tamis
