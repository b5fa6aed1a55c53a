// Vectors as the compiler has them, as wide as the instruction set's: operators work on them as on
// numbers.
#if defined(TAMIS_CPU_VECTOR_TYPES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TAMIS_CPU_VECTOR_TYPES_INL_H
#undef TAMIS_CPU_VECTOR_TYPES_INL_H
#else
#define TAMIS_CPU_VECTOR_TYPES_INL_H
#endif

#include <cstddef>
#include <cstring>

#include "backend/cpu/kernels/isa_macros-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tamis::cpu::HWY_NAMESPACE {

#if HWY_TARGET == HWY_AVX3_DL
inline constexpr size_t kVectorBytes = 64;
#elif HWY_TARGET == HWY_AVX2
inline constexpr size_t kVectorBytes = 32;
#else
inline constexpr size_t kVectorBytes = 16;
#endif

template <class T, size_t lanes>
struct VectorOf {
  typedef T __attribute__((vector_size(lanes * sizeof(T)))) type;
};
template <class T, size_t lanes>
using Vector = typename VectorOf<T, lanes>::type;

template <class V>
HWY_INLINE V load(const void* x) {
  V v;
  std::memcpy(&v, x, sizeof(v));
  return v;
}

}  // namespace tamis::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
