// AVX-512 moves by element width; empty for other instruction sets.
#if defined(TAMIS_CPU_AVX512_MOVES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TAMIS_CPU_AVX512_MOVES_INL_H
#undef TAMIS_CPU_AVX512_MOVES_INL_H
#else
#define TAMIS_CPU_AVX512_MOVES_INL_H
#endif

#include "backend/cpu/kernels/isa_macros-inl.h"

#if HWY_TARGET == HWY_AVX3_DL
HWY_BEFORE_NAMESPACE();
namespace tamis::cpu::HWY_NAMESPACE {

// compress packs the lanes of v whose bit is set at the bottom; what is above them is arbitrary.
// It is the merging form with v itself as the source: the zeroing one has a false dependency on
// the old register on Zen, and the one that writes to memory is microcoded there.
// expand puts the lowest lanes of v where the bit is set, and keeps `old` elsewhere.
template <int W>
struct Vectors;

#define TAMIS_VECTORS(W, lanes, suffix)                                   \
  template <>                                                             \
  struct Vectors<W> {                                                     \
    static constexpr int kLanes = lanes;                                  \
    using Mask = __mmask##lanes;                                          \
    static HWY_INLINE __m512i compress(Mask mask, __m512i v) {            \
      return _mm512_mask_compress_##suffix(v, mask, v);                   \
    }                                                                     \
    static HWY_INLINE __m512i expand(__m512i old, Mask mask, __m512i v) { \
      return _mm512_mask_expand_##suffix(old, mask, v);                   \
    }                                                                     \
    static HWY_INLINE __m512i blend(Mask mask, __m512i no, __m512i yes) { \
      return _mm512_mask_blend_##suffix(mask, no, yes);                   \
    }                                                                     \
  };
TAMIS_VECTORS(1, 64, epi8)
TAMIS_VECTORS(2, 32, epi16)
TAMIS_VECTORS(4, 16, epi32)
TAMIS_VECTORS(8, 8, epi64)
#undef TAMIS_VECTORS

}  // namespace tamis::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // HWY_AVX3_DL

#endif
