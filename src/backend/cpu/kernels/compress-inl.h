// Packing and unpacking of 64 elements by a mask word, the heart of selection; once per instruction
// set.
#if defined(TAMIS_CPU_COMPRESS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TAMIS_CPU_COMPRESS_INL_H
#undef TAMIS_CPU_COMPRESS_INL_H
#else
#define TAMIS_CPU_COMPRESS_INL_H
#endif

#include <bit>
#include <cstddef>
#include <cstdint>

#include "backend/cpu/kernels/avx512_moves-inl.h"
#include "backend/cpu/kernels/compress_tables.h"
#include "backend/cpu/kernels/isa_macros-inl.h"
#include "backend/cpu/kernels/loop_helpers.h"
#include "backend/cpu/kernels/mask_words-inl.h"
#if HWY_TARGET == HWY_WASM
#include "backend/cpu/kernels/wasm_compress-inl.h"
#endif

HWY_BEFORE_NAMESPACE();
namespace tamis::cpu::HWY_NAMESPACE {

// Exact, for few set bits and for ends: touches only the selected elements.
template <class T>
HWY_INLINE T* compress_bits(const T* src, uint64_t word, T* out) {
  for (; word != 0; word &= word - 1) *out++ = src[std::countr_zero(word)];
  return out;
}

template <class T>
HWY_INLINE const T* expand_bits(const T* src, uint64_t word, T* out) {
  for (; word != 0; word &= word - 1) out[std::countr_zero(word)] = *src++;
  return src;
}

// Words with at most this many set bits are handled bit by bit; measured on Zen 3.
#if HWY_TARGET == HWY_AVX3_DL || HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_WASM
constexpr int kSparse = 8;
#else
constexpr int kSparse = 20;
#endif

#if HWY_TARGET == HWY_AVX3_DL

// Every vector is stored whole where its first element goes, which is never after its own index, so
// the stores stay within 64 elements of out. Likewise the loads of src in expand.
template <int W>
HWY_INLINE void compress_word(const typename Word<W>::type* src, uint64_t word,
                              typename Word<W>::type* out) {
  using V = Vectors<W>;
  for (int i = 0; i < 64; i += V::kLanes) {
    const auto mask = static_cast<typename V::Mask>(word >> i);
    _mm512_storeu_si512(out, V::compress(mask, _mm512_loadu_si512(src + i)));
    out += std::popcount(static_cast<uint64_t>(mask));
  }
}

template <int W>
HWY_INLINE void expand_word(const typename Word<W>::type* src, uint64_t word,
                            const typename Word<W>::type* old, typename Word<W>::type* out) {
  using V = Vectors<W>;
  for (int i = 0; i < 64; i += V::kLanes) {
    const auto mask = static_cast<typename V::Mask>(word >> i);
    const __m512i others = _mm512_loadu_si512(old + i);
    _mm512_storeu_si512(out + i, V::expand(others, mask, _mm512_loadu_si512(src)));
    src += std::popcount(static_cast<uint64_t>(mask));
  }
}

// Elements of 16 bytes are pairs of lanes.
template <>
HWY_INLINE void compress_word<16>(const Word<16>::type* src, uint64_t word, Word<16>::type* out) {
  for (int i = 0; i < 64; i += 4) {
    const uint8_t mask = word >> i & 15;
    const __m512i v = _mm512_loadu_si512(src + i);
    _mm512_storeu_si512(out, Vectors<8>::compress(kDoubledBits[mask], v));
    out += std::popcount(mask);
  }
}

template <>
HWY_INLINE void expand_word<16>(const Word<16>::type* src, uint64_t word, const Word<16>::type* old,
                                Word<16>::type* out) {
  for (int i = 0; i < 64; i += 4) {
    const uint8_t mask = word >> i & 15;
    const __m512i others = _mm512_loadu_si512(old + i), v = _mm512_loadu_si512(src);
    _mm512_storeu_si512(out + i, Vectors<8>::expand(others, kDoubledBits[mask], v));
    src += std::popcount(mask);
  }
}

// base + i for every set bit i, stored as above.
HWY_INLINE void positions_word(uint64_t word, int64_t base, int64_t* out) {
  __m512i v = _mm512_add_epi64(_mm512_set1_epi64(base), _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7));
  for (int i = 0; i < 64; i += 8) {
    const auto mask = static_cast<__mmask8>(word >> i);
    _mm512_storeu_si512(out, Vectors<8>::compress(mask, v));
    out += std::popcount(mask);
    v = _mm512_add_epi64(v, _mm512_set1_epi64(8));
  }
}

#else

// Reads src and writes out within 64 elements, see above; no branches.
template <int W>
HWY_INLINE void compress_word(const typename Word<W>::type* src, uint64_t word,
                              typename Word<W>::type* out) {
  for (int i = 0; i < 64; ++i) {
    *out = src[i];
    out += word >> i & 1;
  }
}

template <int W>
HWY_INLINE void expand_word(const typename Word<W>::type* src, uint64_t word,
                            const typename Word<W>::type* old, typename Word<W>::type* out) {
  using T = typename Word<W>::type;
  for (int i = 0; i < 64; ++i) {
    const uint64_t bit = word >> i & 1;
    const T mask = static_cast<T>(-bit);
    out[i] = static_cast<T>((*src & mask) | (old[i] & ~mask));
    src += bit;
  }
}

template <>
HWY_INLINE void expand_word<16>(const Word<16>::type* src, uint64_t word, const Word<16>::type* old,
                                Word<16>::type* out) {
  for (int i = 0; i < 64; ++i) {
    const uint64_t bit = word >> i & 1;
    out[i] = {(src->low & -bit) | (old[i].low & ~-bit), (src->high & -bit) | (old[i].high & ~-bit)};
    src += bit;
  }
}

#if HWY_TARGET == HWY_SSE4 || HWY_TARGET == HWY_AVX2

HWY_INLINE __m128i load_eight(const void* p) {
  return _mm_loadl_epi64(static_cast<const __m128i*>(p));
}

// Eight lane numbers to the byte numbers of eight 2-byte lanes.
HWY_INLINE __m128i byte_pairs(__m128i lanes) {
  const __m128i doubled = _mm_add_epi8(lanes, lanes);
  return _mm_add_epi8(_mm_unpacklo_epi8(doubled, doubled), _mm_set1_epi16(0x0100));
}

template <>
HWY_INLINE void compress_word<1>(const Word<1>::type* src, uint64_t word, Word<1>::type* out) {
  for (int i = 0; i < 64; i += 8) {
    const uint8_t mask = static_cast<uint8_t>(word >> i);
    const __m128i lanes = load_eight(kCompressTable.lanes[mask]);
    _mm_storel_epi64(reinterpret_cast<__m128i*>(out), _mm_shuffle_epi8(load_eight(src + i), lanes));
    out += std::popcount(mask);
  }
}

template <>
HWY_INLINE void compress_word<2>(const Word<2>::type* src, uint64_t word, Word<2>::type* out) {
  for (int i = 0; i < 64; i += 8) {
    const uint8_t mask = static_cast<uint8_t>(word >> i);
    const __m128i bytes = byte_pairs(load_eight(kCompressTable.lanes[mask]));
    const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(src + i));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out), _mm_shuffle_epi8(v, bytes));
    out += std::popcount(mask);
  }
}

// The unpacked elements are blended with the old ones by select_word.
template <>
HWY_INLINE void expand_word<1>(const Word<1>::type* src, uint64_t word, const Word<1>::type* old,
                               Word<1>::type* out) {
  alignas(64) Word<1>::type spread[64];
  for (int i = 0; i < 64; i += 8) {
    const uint8_t mask = static_cast<uint8_t>(word >> i);
    const __m128i lanes = load_eight(kExpandTable.lanes[mask]);
    _mm_storel_epi64(reinterpret_cast<__m128i*>(spread + i),
                     _mm_shuffle_epi8(load_eight(src), lanes));
    src += std::popcount(mask);
  }
  select_word<1>(word, spread, old, out);
}

template <>
HWY_INLINE void expand_word<2>(const Word<2>::type* src, uint64_t word, const Word<2>::type* old,
                               Word<2>::type* out) {
  alignas(64) Word<2>::type spread[64];
  for (int i = 0; i < 64; i += 8) {
    const uint8_t mask = static_cast<uint8_t>(word >> i);
    const __m128i bytes = byte_pairs(load_eight(kExpandTable.lanes[mask]));
    const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(src));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(spread + i), _mm_shuffle_epi8(v, bytes));
    src += std::popcount(mask);
  }
  select_word<2>(word, spread, old, out);
}

#endif  // SSE4 or AVX2

#if HWY_TARGET == HWY_WASM

template <>
HWY_INLINE void compress_word<1>(const Word<1>::type* src, uint64_t word, Word<1>::type* out) {
  pack_eights<1>(src, word, out);
}
template <>
HWY_INLINE void compress_word<2>(const Word<2>::type* src, uint64_t word, Word<2>::type* out) {
  pack_eights<2>(src, word, out);
}
template <>
HWY_INLINE void compress_word<4>(const Word<4>::type* src, uint64_t word, Word<4>::type* out) {
  pack_vectors<4>(src, word, out);
}
template <>
HWY_INLINE void compress_word<8>(const Word<8>::type* src, uint64_t word, Word<8>::type* out) {
  pack_vectors<8>(src, word, out);
}

#endif  // WASM

#if HWY_TARGET == HWY_AVX2

HWY_INLINE __m256i permute(const void* src, const uint8_t* lanes) {
  const __m256i v = _mm256_loadu_si256(static_cast<const __m256i*>(src));
  return _mm256_permutevar8x32_epi32(v, _mm256_cvtepu8_epi32(load_eight(lanes)));
}

template <>
HWY_INLINE void compress_word<4>(const Word<4>::type* src, uint64_t word, Word<4>::type* out) {
  for (int i = 0; i < 64; i += 8) {
    const uint8_t mask = static_cast<uint8_t>(word >> i);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out),
                        permute(src + i, kCompressTable.lanes[mask]));
    out += std::popcount(mask);
  }
}

template <>
HWY_INLINE void compress_word<8>(const Word<8>::type* src, uint64_t word, Word<8>::type* out) {
  for (int i = 0; i < 64; i += 4) {
    const uint8_t mask = word >> i & 15;
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out),
                        permute(src + i, kCompressTable.lanes[kDoubledBits[mask]]));
    out += std::popcount(mask);
  }
}

// The unpacked elements where the bits of each lane say so, the old ones elsewhere.
HWY_INLINE void blend(__m256i unpacked, __m256i lanes, const void* old, void* out) {
  const __m256i others = _mm256_loadu_si256(static_cast<const __m256i*>(old));
  _mm256_storeu_si256(static_cast<__m256i*>(out), _mm256_blendv_epi8(others, unpacked, lanes));
}

template <>
HWY_INLINE void expand_word<4>(const Word<4>::type* src, uint64_t word, const Word<4>::type* old,
                               Word<4>::type* out) {
  const __m256i bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
  for (int i = 0; i < 64; i += 8) {
    const uint8_t mask = static_cast<uint8_t>(word >> i);
    const __m256i chosen = _mm256_and_si256(_mm256_set1_epi32(mask), bits);
    blend(permute(src, kExpandTable.lanes[mask]), _mm256_cmpeq_epi32(chosen, bits), old + i,
          out + i);
    src += std::popcount(mask);
  }
}

template <>
HWY_INLINE void expand_word<8>(const Word<8>::type* src, uint64_t word, const Word<8>::type* old,
                               Word<8>::type* out) {
  const __m256i bits = _mm256_setr_epi64x(1, 2, 4, 8);
  for (int i = 0; i < 64; i += 4) {
    const uint8_t mask = word >> i & 15;
    const __m256i chosen = _mm256_and_si256(_mm256_set1_epi64x(mask), bits);
    blend(permute(src, kExpandTable.lanes[kDoubledBits[mask]]), _mm256_cmpeq_epi64(chosen, bits),
          old + i, out + i);
    src += std::popcount(mask);
  }
}

HWY_INLINE void positions_word(uint64_t word, int64_t base, int64_t* out) {
  for (int i = 0; i < 64; i += 8) {
    const uint8_t mask = static_cast<uint8_t>(word >> i);
    const __m128i lanes = load_eight(kCompressTable.lanes[mask]);
    const __m256i start = _mm256_set1_epi64x(base + i);
    const __m256i low = _mm256_cvtepu8_epi64(lanes);
    const __m256i high = _mm256_cvtepu8_epi64(_mm_srli_epi64(lanes, 32));
    auto* at = reinterpret_cast<__m256i*>(out);
    _mm256_storeu_si256(at, _mm256_add_epi64(low, start));
    _mm256_storeu_si256(at + 1, _mm256_add_epi64(high, start));
    out += std::popcount(mask);
  }
}

#else

HWY_INLINE void positions_word(uint64_t word, int64_t base, int64_t* out) {
  for (int i = 0; i < 64; ++i) {
    *out = base + i;
    out += word >> i & 1;
  }
}

#endif  // AVX2
#endif  // AVX3_DL

}  // namespace tamis::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
