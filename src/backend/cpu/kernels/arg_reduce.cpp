// Kernels that find where the largest and the smallest elements of columns are.
#include "backend/cpu/kernels/isa_list.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/kernels/arg_reduce.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include <cstring>
#include <type_traits>

#include "backend/cpu/kernels/isa_macros-inl.h"
#include "backend/cpu/kernels/kernel_parts-inl.h"
#include "backend/cpu/kernels/kernels.h"
#include "backend/cpu/kernels/vector_types-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tamis::cpu::HWY_NAMESPACE {
namespace {

// Whether an element, or which of a vector's, takes the place of the best one: NaN beats numbers.
template <bool kLargest, class T, class V>
HWY_INLINE auto beats(V now, V best) {
  if constexpr (std::is_integral_v<T>) {
    return kLargest ? now > best : now < best;
  } else {
    const auto is_no_better = kLargest ? now <= best : now >= best;
    return (is_no_better == 0) & (best == best);
  }
}

// `count` vectors of columns of all lines. Line numbers stay as wide as the elements until the end.
template <size_t count, bool kLargest, class T>
HWY_INLINE void take_columns(const T* x, int64_t first, size_t lines, size_t width, T* values,
                             int64_t* indices) {
  constexpr size_t kWide = kVectorBytes / sizeof(T);
  using Number = std::conditional_t<sizeof(T) == 8, int64_t, int32_t>;
  using V = Vector<T, kWide>;
  using Numbers = Vector<Number, kWide>;
  V best[count];
  Numbers found[count];
  for (size_t k = 0; k < count; ++k) {
    best[k] = load<V>(values + k * kWide);
    found[k] = Numbers{} - 1;
  }
  for (size_t line = 0; line < lines; ++line, x += width) {
    const Numbers here = Numbers{} + static_cast<Number>(line);
    for (size_t k = 0; k < count; ++k) {
      const V now = load<V>(x + k * kWide);
      const auto takes = beats<kLargest, T>(now, best[k]);
      best[k] = takes ? now : best[k];
      found[k] = takes ? here : found[k];
    }
  }
  std::memcpy(values, best, sizeof(best));
  Number numbers[count * kWide];
  std::memcpy(numbers, found, sizeof(found));
  for (size_t j = 0; j < count * kWide; ++j) {
    indices[j] = numbers[j] < 0 ? indices[j] : first + numbers[j];
  }
}

template <bool kLargest, class T>
void arg_lines(const void* a, int64_t first, void* values, int64_t* indices, size_t lines,
               size_t width) {
  const T* x = static_cast<const T*>(a);
  T* best = static_cast<T*>(values);
  size_t j = 0;
  if constexpr (sizeof(T) >= 4) {
    constexpr size_t kWide = kVectorBytes / sizeof(T), kMany = 4;
    for (; j + kMany * kWide <= width; j += kMany * kWide) {
      take_columns<kMany, kLargest>(x + j, first, lines, width, best + j, indices + j);
    }
    for (; j + kWide <= width; j += kWide) {
      take_columns<1, kLargest>(x + j, first, lines, width, best + j, indices + j);
    }
  }
  for (size_t line = 0; line < lines; ++line, x += width) {
    for (size_t i = j; i < width; ++i) {
      const bool takes = beats<kLargest, T>(x[i], best[i]) != 0;
      best[i] = takes ? x[i] : best[i];
      indices[i] = takes ? first + static_cast<int64_t>(line) : indices[i];
    }
  }
}

template <class T>
void set(Kernels& table) {
  constexpr int type = static_cast<int>(dtype_of<T>);
  table.arg_lines[0][type] = &arg_lines<false, T>;
  table.arg_lines[1][type] = &arg_lines<true, T>;
}

}  // namespace

void fill_arg_reduce(Kernels& table) {
#define X(constant, type, ...) set<type>(table);
  TAMIS_INTEGER_DTYPES(X)
#undef X
  set<float>(table);
  set<double>(table);
}

}  // namespace tamis::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
