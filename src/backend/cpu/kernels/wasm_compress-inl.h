// Packing by the shuffle of WebAssembly, 16 bytes at a time; see compress-inl.h.
#if defined(TAMIS_CPU_WASM_COMPRESS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TAMIS_CPU_WASM_COMPRESS_INL_H
#undef TAMIS_CPU_WASM_COMPRESS_INL_H
#else
#define TAMIS_CPU_WASM_COMPRESS_INL_H
#endif

#include <wasm_simd128.h>

#include <bit>
#include <cstdint>

#include "backend/cpu/kernels/compress_tables.h"
#include "backend/cpu/kernels/isa_macros-inl.h"
#include "backend/cpu/kernels/loop_helpers.h"

HWY_BEFORE_NAMESPACE();
namespace tamis::cpu::HWY_NAMESPACE {

// For each mask of the elements of a vector, the bytes of those that are kept, in order.
template <int W>
struct alignas(16) ByteTable {
  uint8_t bytes[1 << (16 / W)][16];
};
template <int W>
inline constexpr ByteTable<W> kByteTable = [] {
  ByteTable<W> table{};
  for (int mask = 0; mask < 1 << (16 / W); ++mask) {
    for (int i = 0; i < 16; ++i) {
      const int lane = kCompressTable.lanes[mask][i / W];
      table.bytes[mask][i] = static_cast<uint8_t>(lane * W + i % W);
    }
  }
  return table;
}();

// 64 elements of 4 or 8 bytes. A vector is stored whole, so up to 64 elements of out are written.
template <int W>
HWY_INLINE void pack_vectors(const typename Word<W>::type* src, uint64_t word,
                             typename Word<W>::type* out) {
  constexpr int kLanes = 16 / W;
  for (int i = 0; i < 64; i += kLanes) {
    const auto mask = static_cast<uint32_t>(word >> i) & ((1u << kLanes) - 1);
    const v128_t bytes = wasm_v128_load(kByteTable<W>.bytes[mask]);
    wasm_v128_store(out, wasm_i8x16_swizzle(wasm_v128_load(src + i), bytes));
    out += std::popcount(mask);
  }
}

// 64 elements of 1 or 2 bytes, eight at a time.
template <int W>
HWY_INLINE void pack_eights(const typename Word<W>::type* src, uint64_t word,
                            typename Word<W>::type* out) {
  for (int i = 0; i < 64; i += 8) {
    const auto mask = static_cast<uint8_t>(word >> i);
    const v128_t lanes = wasm_v128_load64_zero(kCompressTable.lanes[mask]);
    if constexpr (W == 1) {
      const v128_t packed = wasm_i8x16_swizzle(wasm_v128_load64_zero(src + i), lanes);
      wasm_v128_store64_lane(out, packed, 0);
    } else {
      // Eight lane numbers to the numbers of their two bytes.
      const v128_t twice =
          wasm_i16x8_mul(wasm_u16x8_extend_low_u8x16(lanes), wasm_i16x8_const_splat(0x0202));
      const v128_t bytes = wasm_i16x8_add(twice, wasm_i16x8_const_splat(0x0100));
      wasm_v128_store(out, wasm_i8x16_swizzle(wasm_v128_load(src + i), bytes));
    }
    out += std::popcount(mask);
  }
}

}  // namespace tamis::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
