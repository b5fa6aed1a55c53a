// Mask words to and from 64 bytes, and selection by them; once per instruction set.
#if defined(TAMIS_CPU_MASK_WORDS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TAMIS_CPU_MASK_WORDS_INL_H
#undef TAMIS_CPU_MASK_WORDS_INL_H
#else
#define TAMIS_CPU_MASK_WORDS_INL_H
#endif

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#ifdef __wasm_simd128__
#include <wasm_simd128.h>
#endif

#include "backend/cpu/kernels/avx512_moves-inl.h"
#include "backend/cpu/kernels/compress_tables.h"
#include "backend/cpu/kernels/isa_macros-inl.h"
#include "backend/cpu/kernels/loop_helpers.h"

HWY_BEFORE_NAMESPACE();
namespace tamis::cpu::HWY_NAMESPACE {

static_assert(std::endian::native == std::endian::little);

// 64 bytes, each 0x00 or 0xFF, to a word.
HWY_INLINE uint64_t bits_from_bytes(const uint8_t* bytes) {
#if HWY_TARGET == HWY_AVX3_DL
  return _mm512_movepi8_mask(_mm512_loadu_si512(bytes));
#elif HWY_TARGET == HWY_AVX2
  const auto* v = reinterpret_cast<const __m256i*>(bytes);
  const auto low = static_cast<uint32_t>(_mm256_movemask_epi8(_mm256_loadu_si256(v)));
  const auto high = static_cast<uint32_t>(_mm256_movemask_epi8(_mm256_loadu_si256(v + 1)));
  return low | uint64_t{high} << 32;
#elif HWY_ARCH_X86
  const auto* v = reinterpret_cast<const __m128i*>(bytes);
  uint64_t word = 0;
  for (int i = 0; i < 4; ++i) {
    const int part = _mm_movemask_epi8(_mm_loadu_si128(v + i));
    word |= static_cast<uint64_t>(part) << (16 * i);
  }
  return word;
#elif HWY_ARCH_WASM
  uint64_t word = 0;
  for (int i = 0; i < 4; ++i) {
    const uint64_t part = wasm_i8x16_bitmask(wasm_v128_load(bytes + 16 * i));
    word |= part << (16 * i);
  }
  return word;
#else
  uint64_t word = 0;
  for (int i = 0; i < 8; ++i) {
    uint64_t eight;
    std::memcpy(&eight, bytes + 8 * i, 8);
    // The product's top byte gathers the lowest bit of each byte.
    word |= ((eight & 0x0101010101010101u) * 0x0102040810204080u >> 56) << (8 * i);
  }
  return word;
#endif
}

// The reverse.
HWY_INLINE void bytes_from_bits(uint64_t word, uint8_t* bytes) {
#if HWY_TARGET == HWY_AVX3_DL
  _mm512_storeu_si512(bytes, _mm512_movm_epi8(word));
#elif HWY_TARGET == HWY_AVX2
  const __m256i copies =
      _mm256_setr_epi64x(0, 0x0101010101010101, 0x0202020202020202, 0x0303030303030303);
  const __m256i bit = _mm256_set1_epi64x(static_cast<int64_t>(0x8040201008040201u));
  for (int i = 0; i < 2; ++i) {
    const __m256i half = _mm256_set1_epi32(static_cast<int>(word >> (32 * i)));
    const __m256i own = _mm256_and_si256(_mm256_shuffle_epi8(half, copies), bit);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(bytes) + i, _mm256_cmpeq_epi8(own, bit));
  }
#elif HWY_ARCH_WASM
  const v128_t all = wasm_i64x2_splat(static_cast<int64_t>(word));
  const v128_t bit = wasm_u64x2_const_splat(0x8040201008040201u);
  v128_t copies = wasm_u64x2_const(0, 0x0101010101010101u);
  for (int i = 0; i < 4; ++i) {
    const v128_t own = wasm_v128_and(wasm_i8x16_swizzle(all, copies), bit);
    wasm_v128_store(bytes + 16 * i, wasm_i8x16_eq(own, bit));
    copies = wasm_i8x16_add(copies, wasm_u8x16_const_splat(2));
  }
#else
  for (int i = 0; i < 8; ++i) {
    const uint64_t byte = word >> (8 * i) & 0xFF;
    const uint64_t own = byte * 0x0101010101010101u & 0x8040201008040201u;
    // A byte of `own` has at most one bit; adding 0x7F carries it to the top one.
    const uint64_t eight = ((own + 0x7F7F7F7F7F7F7F7Fu) >> 7 & 0x0101010101010101u) * 0xFF;
    std::memcpy(bytes + 8 * i, &eight, 8);
  }
#endif
}

// The unsigned integer of T's size.
template <class T>
using Bits =
    std::conditional_t<sizeof(T) == 8, uint64_t,
                       std::conditional_t<sizeof(T) == 4, uint32_t,
                                          std::conditional_t<sizeof(T) == 2, uint16_t, uint8_t>>>;

// x where the byte is 0xFF, other where it is 0; bitwise, because a choice is compiled to a branch.
template <class T>
HWY_INLINE T choose(uint8_t byte, T x, T other) {
  const auto mask = static_cast<Bits<T>>(static_cast<int8_t>(byte));
  return std::bit_cast<T>(static_cast<Bits<T>>((std::bit_cast<Bits<T>>(x) & mask) |
                                               (std::bit_cast<Bits<T>>(other) & ~mask)));
}

// Which of the n <= 64 elements from `at` on are kept; a null mask keeps all.
HWY_INLINE uint64_t word_at(const uint64_t* mask, size_t at, size_t n) {
  const uint64_t all = ~uint64_t{0} >> (64 - n);
  return mask ? mask[at / 64] & all : all;
}

#if HWY_TARGET == HWY_AVX2
// All bits of each of 8 lanes of 4 bytes for which the word, from bit i on, has a 1; i % 8 is 0.
HWY_INLINE __m256 lanes_from_bits(uint64_t word, int i) {
  const __m256i bits = _mm256_slli_epi32(_mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128), i % 32);
  const __m256i half = _mm256_set1_epi32(static_cast<int>(word >> (i / 32 * 32)));
  return _mm256_castsi256_ps(_mm256_cmpeq_epi32(_mm256_and_si256(half, bits), bits));
}

// lanes[0, 8) += v.
HWY_INLINE void add_to(__m256 v, double* lanes) {
  const __m256d low = _mm256_cvtps_pd(_mm256_castps256_ps128(v));
  const __m256d high = _mm256_cvtps_pd(_mm256_extractf128_ps(v, 1));
  _mm256_store_pd(lanes, _mm256_add_pd(_mm256_load_pd(lanes), low));
  _mm256_store_pd(lanes + 4, _mm256_add_pd(_mm256_load_pd(lanes + 4), high));
}
#endif

// out[i] = bit i of word ? a[i] : b[i], 64 elements of W bytes.
template <int W>
HWY_INLINE void select_word(uint64_t word, const typename Word<W>::type* a,
                            const typename Word<W>::type* b, typename Word<W>::type* out) {
#if HWY_TARGET == HWY_AVX3_DL
  using V = Vectors<W>;
  for (int i = 0; i < 64; i += V::kLanes) {
    const auto mask = static_cast<typename V::Mask>(word >> i);
    const __m512i no = _mm512_loadu_si512(b + i);
    _mm512_storeu_si512(out + i, V::blend(mask, no, _mm512_loadu_si512(a + i)));
  }
#else
  alignas(64) uint8_t bytes[64];
  bytes_from_bits(word, bytes);
  // Bitwise, because a choice between two loads is compiled to a branch.
  using T = typename Word<W>::type;
  TAMIS_INDEPENDENT
  for (int i = 0; i < 64; ++i) {
    const T mask = static_cast<T>(static_cast<int8_t>(bytes[i]));
    out[i] = static_cast<T>((a[i] & mask) | (b[i] & ~mask));
  }
#endif
}

template <>
HWY_INLINE void select_word<16>(uint64_t word, const Word<16>::type* a, const Word<16>::type* b,
                                Word<16>::type* out) {
#if HWY_TARGET == HWY_AVX3_DL
  for (int i = 0; i < 64; i += 4) {
    const __m512i no = _mm512_loadu_si512(b + i), yes = _mm512_loadu_si512(a + i);
    _mm512_storeu_si512(out + i, Vectors<8>::blend(kDoubledBits[word >> i & 15], no, yes));
  }
#else
  for (int i = 0; i < 64; ++i) {
    const uint64_t mask = -(word >> i & 1);
    out[i] = {(a[i].low & mask) | (b[i].low & ~mask), (a[i].high & mask) | (b[i].high & ~mask)};
  }
#endif
}

#if HWY_TARGET == HWY_AVX2
// The sign bit of each lane selects: shift every lane's own bit there.
template <>
HWY_INLINE void select_word<4>(uint64_t word, const Word<4>::type* a, const Word<4>::type* b,
                               Word<4>::type* out) {
  const __m256i lanes = _mm256_setr_epi32(7, 6, 5, 4, 3, 2, 1, 0);
  for (int i = 0; i < 64; i += 8) {
    const __m256i eight = _mm256_set1_epi32(static_cast<int>(word >> i << 24));
    const __m256 sign = _mm256_castsi256_ps(_mm256_sllv_epi32(eight, lanes));
    const __m256 yes = _mm256_loadu_ps(reinterpret_cast<const float*>(a + i));
    const __m256 no = _mm256_loadu_ps(reinterpret_cast<const float*>(b + i));
    _mm256_storeu_ps(reinterpret_cast<float*>(out + i), _mm256_blendv_ps(no, yes, sign));
  }
}

template <>
HWY_INLINE void select_word<8>(uint64_t word, const Word<8>::type* a, const Word<8>::type* b,
                               Word<8>::type* out) {
  const __m256i lanes = _mm256_setr_epi64x(63, 62, 61, 60);
  const __m256i all = _mm256_set1_epi64x(static_cast<int64_t>(word));
  for (int i = 0; i < 64; i += 4) {
    const __m256i shifts = _mm256_sub_epi64(lanes, _mm256_set1_epi64x(i));
    const __m256d sign = _mm256_castsi256_pd(_mm256_sllv_epi64(all, shifts));
    const __m256d yes = _mm256_loadu_pd(reinterpret_cast<const double*>(a + i));
    const __m256d no = _mm256_loadu_pd(reinterpret_cast<const double*>(b + i));
    _mm256_storeu_pd(reinterpret_cast<double*>(out + i), _mm256_blendv_pd(no, yes, sign));
  }
}
#endif

}  // namespace tamis::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
