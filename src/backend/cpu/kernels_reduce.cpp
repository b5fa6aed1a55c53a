// Kernels that reduce one block to one value, with the same bits on every instruction set.
#include "backend/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/kernels_reduce.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include <type_traits>

#include "backend/cpu/kernels.h"
#include "backend/cpu/table-inl.h"
#include "backend/cpu/target-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tamis::cpu::HWY_NAMESPACE {
namespace {

// Enough for two registers of the widest vectors in flight; fixed, or the order of the additions
// and with it the rounding would depend on the instruction set.
constexpr size_t kLanes = 64;

template <class T>
struct Plus {
  T operator()(T a, T b) const { return a + b; }
};

template <class T>
struct Times {
  T operator()(T a, T b) const { return a * b; }
};

// NaN wins.
template <class T>
struct Larger {
  T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      return a > b ? a : b;
    } else {
      return ((a > b) | (a != a)) ? a : b;
    }
  }
};

template <class T>
struct Smaller {
  T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      return a < b ? a : b;
    } else {
      return ((a < b) | (a != a)) ? a : b;
    }
  }
};

template <class F, class T, class Sum>
Sum reduce(const T* x, size_t n, Sum identity) {
  const F f;
  alignas(64) Sum lanes[kLanes];
  for (size_t j = 0; j < kLanes; ++j) lanes[j] = identity;
  const size_t whole = n / kLanes * kLanes;
  for (size_t i = 0; i < whole; i += kLanes) {
    for (size_t j = 0; j < kLanes; ++j) lanes[j] = f(lanes[j], static_cast<Sum>(x[i + j]));
  }
  for (size_t j = 0; j < n - whole; ++j) lanes[j] = f(lanes[j], static_cast<Sum>(x[whole + j]));
  for (size_t half = kLanes / 2; half > 0; half /= 2) {
    for (size_t j = 0; j < half; ++j) lanes[j] = f(lanes[j], lanes[j + half]);
  }
  return lanes[0];
}

// Accumulates in Sum: double, or uint64_t so that int64 wraps.
template <template <class> class F, class T, class Sum, int identity>
void accumulate(const void* a, size_t n, void* out) {
  using Result = std::conditional_t<std::is_integral_v<Sum>, int64_t, double>;
  const Sum sum = reduce<F<Sum>>(static_cast<const T*>(a), n, Sum{identity});
  *static_cast<Result*>(out) = static_cast<Result>(sum);
}

template <template <class> class F, class T>
void extreme(const void* a, size_t n, void* out) {
  const T* x = static_cast<const T*>(a);
  *static_cast<T*>(out) = reduce<F<T>>(x, n, x[0]);
}

template <class... Ts>
void set_extremes(Kernels& table) {
  ((table.amax[static_cast<int>(dtype_of<Ts>)] = &extreme<Larger, Ts>), ...);
  ((table.amin[static_cast<int>(dtype_of<Ts>)] = &extreme<Smaller, Ts>), ...);
}

template <class T, class Sum>
void set_sums(Kernels& table) {
  table.sum[static_cast<int>(dtype_of<T>)] = &accumulate<Plus, T, Sum, 0>;
  table.prod[static_cast<int>(dtype_of<T>)] = &accumulate<Times, T, Sum, 1>;
}

}  // namespace

void fill_reduce(Kernels& table) {
  set_sums<int64_t, uint64_t>(table);
  set_sums<float, double>(table);
  set_sums<double, double>(table);
  set_extremes<uint8_t, int8_t, int16_t, int32_t, int64_t, float, double>(table);
}

}  // namespace tamis::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
