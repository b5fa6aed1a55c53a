// Random numbers: each element is a function of the seed, the call's place in the stream, and the
// element's index, so results do not depend on how the work is divided.
#include <cmath>
#include <limits>
#include <mutex>
#include <numbers>

#include "core/check.h"
#include "core/convert.h"
#include "core/philox.h"
#include "ops/pointwise.h"
#include "tamis/complex.h"

namespace tamis {

namespace {

/// The stream of the process: a seed, and how many counters have been given out.
struct Stream {
  std::mutex mutex;
  uint64_t seed = 0x853c49e6748fea9b;
  uint64_t used = 0;
};

Stream& stream() {
  static Stream s;
  return s;
}

/// A run of counters that nobody else gets. Number k holds 128 random bits.
class Counters {
 public:
  explicit Counters(int64_t count) {
    Stream& s = stream();
    const std::lock_guard guard(s.mutex);
    seed_ = s.seed;
    base_ = s.used;
    s.used += static_cast<uint64_t>(count);
  }

  std::array<uint32_t, 4> words(int64_t k) const {
    const uint64_t at = base_ + static_cast<uint64_t>(k);
    return philox({static_cast<uint32_t>(at), static_cast<uint32_t>(at >> 32), 0, 0},
                  {static_cast<uint32_t>(seed_), static_cast<uint32_t>(seed_ >> 32)});
  }
  std::array<uint64_t, 2> longs(int64_t k) const {
    const std::array<uint32_t, 4> w = words(k);
    return {w[0] | uint64_t{w[1]} << 32, w[2] | uint64_t{w[3]} << 32};
  }

 private:
  uint64_t seed_, base_;
};

/// Fills a new tensor with make(counter number) -> as many values as one counter gives.
template <class T, class F>
void fill_by_counter(const Tensor& fresh, F make) {
  constexpr int64_t kEach = std::tuple_size_v<decltype(make(std::declval<Counters&>(), 0))>;
  T* out = static_cast<T*>(storage_of(fresh)->data());
  const int64_t n = fresh.numel();
  Counters counters((n + kEach - 1) / kEach);
  for (int64_t i = 0; i < n; i += kEach) {
    const auto values = make(counters, i / kEach);
    for (int64_t j = 0; j < std::min(kEach, n - i); ++j) out[i + j] = static_cast<T>(values[j]);
  }
}

/// As many bits as T's significand holds, so that no value rounds up to 1.
template <class T>
constexpr int kUniformBits = std::is_same_v<T, Half>       ? 11
                             : std::is_same_v<T, BFloat16> ? 8
                                                           : 24;

std::array<double, 2> uniform_doubles(const Counters& counters, int64_t k) {
  const std::array<uint64_t, 2> bits = counters.longs(k);
  return {static_cast<double>(bits[0] >> 11) * 0x1p-53,
          static_cast<double>(bits[1] >> 11) * 0x1p-53};
}

template <class T>
std::array<float, 4> uniform_floats(const Counters& counters, int64_t k) {
  const std::array<uint32_t, 4> bits = counters.words(k);
  const float scale = std::ldexp(1.0f, -kUniformBits<T>);
  std::array<float, 4> values;
  for (int j = 0; j < 4; ++j) {
    values[j] = static_cast<float>(bits[j] >> (32 - kUniformBits<T>)) * scale;
  }
  return values;
}

/// Box-Muller: two uniform numbers to two normal ones. u is in (0, 1], v in [0, 1].
template <class T>
std::array<T, 2> normal_pair(T u, T v) {
  const T radius = std::sqrt(-2 * std::log(u)), angle = 2 * std::numbers::pi_v<T> * v;
  return {radius * std::cos(angle), radius * std::sin(angle)};
}

std::array<double, 2> normal_doubles(const Counters& counters, int64_t k) {
  const std::array<double, 2> u = uniform_doubles(counters, k);
  return normal_pair(1 - u[0], u[1]);
}

std::array<float, 4> normal_floats(const Counters& counters, int64_t k) {
  const std::array<uint32_t, 4> bits = counters.words(k);
  // All 32 bits, so that the tails reach further than 24 bits would let them.
  const auto above_zero = [](uint32_t b) { return static_cast<float>((b + 1.0) * 0x1p-32); };
  const auto from_zero = [](uint32_t b) { return static_cast<float>(b) * 0x1p-32f; };
  const auto a = normal_pair(above_zero(bits[0]), from_zero(bits[1]));
  const auto b = normal_pair(above_zero(bits[2]), from_zero(bits[3]));
  return {a[0], a[1], b[0], b[1]};
}

/// A number below range (0 stands for 2^64) from 64 random bits; biased by less than range / 2^64.
uint64_t below(uint64_t bits, uint64_t range) {
  if (range == 0) return bits;
  return static_cast<uint64_t>((static_cast<unsigned __int128>(bits) * range) >> 64);
}

const char* cpp_name(DType dtype) {
  constexpr const char* kNames[] = {"bool",  "unsigned char", "signed char", "short int",
                                    "int",   "long int",      "c10::Half",   "c10::BFloat16",
                                    "float", "double"};
  static_assert(std::size(kNames) == static_cast<size_t>(DType::complex64));
  return kNames[static_cast<int>(dtype)];
}

/// Whether v is in the range of dtype as it is, without wrapping or becoming true.
bool in_range(int64_t v, DType dtype) {
  if (dtype == DType::boolean) return v == 0 || v == 1;
  return fits(v, dtype) && (dtype != DType::uint8 || v >= 0);
}

/// The largest n for which a floating point dtype tells 0 to n - 1 apart, and how messages put it.
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

/// Room for both parts of complex numbers.
Shape with_parts(Shape shape) {
  shape.push_back(2);
  return shape;
}

}  // namespace

void manual_seed(uint64_t seed) {
  Stream& s = stream();
  const std::lock_guard guard(s.mutex);
  s.seed = seed;
  s.used = 0;
}

Tensor rand(const Shape& shape, DType dtype) {
  if (is_complex(dtype)) return view_as_complex(rand(with_parts(shape), real_dtype(dtype)));
  check_implemented(is_floating_point(dtype), "check_uniform_bounds", dtype);
  Tensor result = empty(shape, dtype);
  visit_dtype(dtype, [&](auto type) {
    using T = decltype(type);
    if constexpr (std::is_same_v<T, double>) {
      fill_by_counter<T>(result, uniform_doubles);
    } else if constexpr (is_floating_point(dtype_of<T>)) {
      fill_by_counter<T>(result, uniform_floats<T>);
    }
  });
  return result;
}

Tensor randn(const Shape& shape, DType dtype) {
  if (is_complex(dtype)) {
    // Each part has half of the variance.
    const Tensor parts = randn(with_parts(shape), real_dtype(dtype));
    return view_as_complex(parts * std::numbers::sqrt2 * 0.5);
  }
  check_implemented(is_floating_point(dtype), "normal_kernel_cpu", dtype);
  Tensor result = empty(shape, dtype);
  visit_dtype(dtype, [&](auto type) {
    using T = decltype(type);
    if constexpr (std::is_same_v<T, double>) {
      fill_by_counter<T>(result, normal_doubles);
    } else if constexpr (is_floating_point(dtype_of<T>)) {
      fill_by_counter<T>(result, normal_floats);
    }
  });
  return result;
}

Tensor randint(int64_t low, int64_t high, const Shape& shape, DType dtype) {
  check(!is_complex(dtype), ErrorKind::dtype,
        "check_random_bounds handles only integral, floating-point and boolean types");
  Tensor result = empty(shape, dtype);
  check(low < high, ErrorKind::value,
        "random_ expects 'from' to be less than 'to', but got from={} >= to={}", low, high);
  check(in_range(low, dtype), ErrorKind::value, "from is out of bounds for {}", cpp_name(dtype));
  check(in_range(high - 1, dtype), ErrorKind::value, "to - 1 is out of bounds for {}",
        cpp_name(dtype));
  const uint64_t range = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
  const auto draw = [&](const Counters& counters, int64_t k) {
    const std::array<uint64_t, 2> bits = counters.longs(k);
    const auto from = static_cast<uint64_t>(low);
    return std::array{static_cast<int64_t>(from + below(bits[0], range)),
                      static_cast<int64_t>(from + below(bits[1], range))};
  };
  visit_real(dtype, [&](auto type) { fill_by_counter<decltype(type)>(result, draw); });
  return result;
}

Tensor randint(int64_t high, const Shape& shape, DType dtype) {
  return randint(0, high, shape, dtype);
}

Tensor randperm(int64_t n, DType dtype) {
  Tensor result = empty({n}, dtype);
  check_implemented(dtype != DType::boolean && !is_complex(dtype), "randperm", dtype);
  if (is_floating_point(dtype)) {
    const auto [most, text] = most_distinct(dtype);
    check(n <= most, ErrorKind::value, "n cannot be greater than {} for {} type.", text,
          scalar_type_name(dtype));
  } else if (n > 0) {
    check_fits(n - 1, dtype);
  }
  const Counters counters((n + 1) / 2);
  visit_real(dtype, [&](auto type) {
    using T = decltype(type);
    T* out = static_cast<T*>(storage_of(result)->data());
    // Fisher-Yates, growing: place i gets i or trades it for what an earlier place has.
    for (int64_t k = 0; k < n; k += 2) {
      const std::array<uint64_t, 2> bits = counters.longs(k / 2);
      for (int64_t i = k; i < std::min(k + 2, n); ++i) {
        const auto j = static_cast<int64_t>(below(bits[i - k], static_cast<uint64_t>(i) + 1));
        out[i] = out[j];
        out[j] = static_cast<T>(i);
      }
    }
  });
  return result;
}

Tensor bernoulli(const Tensor& p) {
  check_implemented(is_floating_point(p.dtype()), "bernoulli_tensor_cpu_p_", p.dtype());
  const Tensor chance = p.to(DType::float64).contiguous();
  const int64_t n = p.numel();
  const double* data = chance.data<double>();
  for (int64_t i = 0; i < n; ++i) {
    check(data[i] >= 0 && data[i] <= 1, ErrorKind::value,
          "Expected p_in >= 0 && p_in <= 1 to be true, but got false.");
  }
  Tensor result = empty(p.shape(), p.dtype());
  const auto draw = [&](const Counters& counters, int64_t k) {
    const std::array<double, 2> u = uniform_doubles(counters, k);
    const double next = 2 * k + 1 < n ? data[2 * k + 1] : 0;
    return std::array{u[0] < data[2 * k] ? 1.0f : 0.0f, u[1] < next ? 1.0f : 0.0f};
  };
  visit_real(p.dtype(), [&](auto type) { fill_by_counter<decltype(type)>(result, draw); });
  return result;
}

Tensor rand_like(const Tensor& x, std::optional<DType> dtype) {
  return rand(x.shape(), dtype.value_or(x.dtype()));
}
Tensor randn_like(const Tensor& x, std::optional<DType> dtype) {
  return randn(x.shape(), dtype.value_or(x.dtype()));
}

}  // namespace tamis
