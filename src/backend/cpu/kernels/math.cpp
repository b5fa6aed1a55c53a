// Kernels of elementary functions: exponentials, logarithms, circular functions, angles and powers.
#include "backend/cpu/kernels/isa_list.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/kernels/math.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "backend/cpu/kernels/atan2-inl.h"
#include "backend/cpu/kernels/isa_macros-inl.h"
#include "backend/cpu/kernels/kernel_parts-inl.h"
#include "backend/cpu/kernels/kernels.h"
#include "backend/cpu/kernels/loop_helpers.h"
#include "backend/cpu/kernels/math32-inl.h"
#include "backend/cpu/kernels/math64-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tamis::cpu::HWY_NAMESPACE {
namespace {

// Functors rather than lambdas: the target region does not reach into lambdas with all compilers.
template <Op>
struct Function;
#define X(name, ...)                     \
  template <>                            \
  struct Function<Op::name> {            \
    template <class T>                   \
    HWY_INLINE T operator()(T x) const { \
      return math::name(x);              \
    }                                    \
  };
TAMIS_ELEMENTARY_OPS(X)
#undef X

template <Op op, class T>
void unary(const void* a, void* out, size_t n) {
  const T* x = static_cast<const T*>(a);
  T* y = static_cast<T*>(out);
  const Function<op> f;
  TAMIS_INDEPENDENT
  for (size_t i = 0; i < n; ++i) y[i] = f(x[i]);
}

void sigmoid(const void* a, void* out, size_t n) {
  const float* x = static_cast<const float*>(a);
  float* y = static_cast<float*>(out);
  for (; n >= 64; n -= 64, x += 64, y += 64) math::sigmoid(x, y);
  float rest[64] = {};
  std::copy_n(x, n, rest);
  if (n > 0) math::sigmoid(rest, rest);
  std::copy_n(rest, n, y);
}

// libm's, for the arguments where the fast version gives NaN.
template <Op op, class T>
T exact(T x) {
  return op == Op::sin ? std::sin(x) : op == Op::cos ? std::cos(x) : std::tan(x);
}

// Copies of that many operands are saved, because the result may overwrite them.
constexpr size_t kPart = 256;

template <class T>
bool has_nan(const T* x, size_t n) {
  std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t> found = 0;
  for (size_t i = 0; i < n; ++i) found |= x[i] != x[i] ? 1 : 0;
  return found != 0;
}

template <Op op, class T>
void circular(const void* a, void* out, size_t n) {
  const Function<op> f;
  T x[kPart];
  for (size_t from = 0; from < n; from += kPart) {
    const size_t part = std::min(kPart, n - from);
    std::memcpy(x, static_cast<const T*>(a) + from, part * sizeof(T));
    T* y = static_cast<T*>(out) + from;
    TAMIS_INDEPENDENT
    for (size_t i = 0; i < part; ++i) y[i] = f(x[i]);
    if (!has_nan(y, part)) continue;
    for (size_t i = 0; i < part; ++i) {
      if (y[i] != y[i]) y[i] = exact<op>(x[i]);
    }
  }
}

template <class T>
void pow(Elements a, Elements b, void* out, size_t n) {
  T x[64], y[64];
  for (size_t from = 0; from < n; from += 64) {
    const size_t part = std::min<size_t>(64, n - from);
    std::memcpy(x, static_cast<const T*>(a.data) + from / 64 * a.step, part * sizeof(T));
    std::memcpy(y, static_cast<const T*>(b.data) + from / 64 * b.step, part * sizeof(T));
    T* z = static_cast<T*>(out) + from;
    TAMIS_INDEPENDENT
    for (size_t i = 0; i < part; ++i) z[i] = math::pow(x[i], y[i]);
    if (!has_nan(z, part)) continue;
    for (size_t i = 0; i < part; ++i) {
      if (z[i] != z[i]) z[i] = std::pow(x[i], y[i]);
    }
  }
}

template <class T>
void atan2(Elements a, Elements b, void* out, size_t n) {
  const T* x = static_cast<const T*>(a.data);
  const T* y = static_cast<const T*>(b.data);
  T* z = static_cast<T*>(out);
  for (size_t part; n > 0; n -= part, x += a.step, y += b.step, z += part) {
    part = std::min<size_t>(n, 64);
    TAMIS_INDEPENDENT
    for (size_t i = 0; i < part; ++i) z[i] = math::atan2(x[i], y[i]);
  }
}

// Ops with special loops have them here.
template <Op op, class T>
constexpr Kernels::Unary loop_of() {
  if constexpr (op == Op::sigmoid && sizeof(T) == 4) {
    return &sigmoid;
  } else if constexpr (op == Op::sin || op == Op::cos || op == Op::tan) {
    return &circular<op, T>;
  } else {
    return &unary<op, T>;
  }
}

template <Op op>
void set(Kernels& table) {
  Kernels::Unary* row = table.unary[unary_index(op)];
  row[static_cast<int>(DType::float32)] = loop_of<op, float>();
  row[static_cast<int>(DType::float64)] = loop_of<op, double>();
}

}  // namespace

void fill_math(Kernels& table) {
#define X(name, ...) set<Op::name>(table);
  TAMIS_ELEMENTARY_OPS(X)
#undef X
  Kernels::Binary* powers = table.binary[binary_index(Op::pow)];
  powers[static_cast<int>(DType::float32)] = &pow<float>;
  powers[static_cast<int>(DType::float64)] = &pow<double>;
  Kernels::Binary* angles = table.binary[binary_index(Op::atan2)];
  angles[static_cast<int>(DType::float32)] = &atan2<float>;
  angles[static_cast<int>(DType::float64)] = &atan2<double>;
}

}  // namespace tamis::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
