// Kernels that move elements by width: select, pack, unpack, strided copies; and those of mask
// words.
#include "backend/cpu/kernels/isa_list.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/kernels/move.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include <bit>
#include <cstring>

#include "backend/cpu/kernels/compress-inl.h"
#include "backend/cpu/kernels/isa_macros-inl.h"
#include "backend/cpu/kernels/kernel_parts-inl.h"
#include "backend/cpu/kernels/kernels.h"
#include "backend/cpu/kernels/loop_helpers.h"
#include "backend/cpu/kernels/mask_words-inl.h"
#include "backend/cpu/kernels/vector_types-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tamis::cpu::HWY_NAMESPACE {
namespace {

constexpr uint64_t kAll = ~uint64_t{0};

template <int W>
HWY_INLINE void choose_word(uint64_t word, const typename Word<W>::type* x,
                            const typename Word<W>::type* y, typename Word<W>::type* z) {
  select_word<W>(word, x, y, z);
}

#if HWY_TARGET != HWY_AVX2 && HWY_TARGET != HWY_AVX3_DL
// From bits to lanes at once: in vectors of 16 bytes, to go by bytes takes longer.
template <>
HWY_INLINE void choose_word<4>(uint64_t word, const Word<4>::type* x, const Word<4>::type* y,
                               Word<4>::type* z) {
  using Lanes = Vector<uint32_t, 4>;
  for (int half = 0; half < 64; half += 32) {
    const Lanes all = Lanes{} + static_cast<uint32_t>(word >> half);
    Lanes bits = {1, 2, 4, 8};
    for (int i = half; i < half + 32; i += 4, bits <<= 4) {
      const Lanes chosen = (all & bits) != 0 ? load<Lanes>(x + i) : load<Lanes>(y + i);
      std::memcpy(z + i, &chosen, sizeof(chosen));
    }
  }
}
#endif

template <int W>
void where(Elements a, Elements b, const uint64_t* mask, void* out, size_t n) {
  using T = typename Word<W>::type;
  const T* x = static_cast<const T*>(a.data);
  const T* y = static_cast<const T*>(b.data);
  T* z = static_cast<T*>(out);
  for (; n >= 64; n -= 64, x += a.step, y += b.step, z += 64) {
    const uint64_t word = *mask++;
    if (word != 0 && word != kAll) {
      choose_word<W>(word, x, y, z);
    } else if (const T* from = word == 0 ? y : x; from != z) {
      std::memcpy(z, from, 64 * W);
    }
  }
  for (size_t i = 0; i < n; ++i) z[i] = *mask >> i & 1 ? x[i] : y[i];
}

inline bool has_room(const void* at, const void* limit, size_t bytes) {
  return static_cast<size_t>(static_cast<const char*>(limit) - static_cast<const char*>(at)) >=
         bytes;
}

template <int W>
size_t compress(const void* src, const uint64_t* mask, void* out, const void* limit, size_t n) {
  using T = typename Word<W>::type;
  const T* x = static_cast<const T*>(src);
  T* const begin = static_cast<T*>(out);
  T* y = begin;
  for (; n >= 64; n -= 64, x += 64) {
    const uint64_t word = *mask++;
    if (word == 0) continue;
    const int count = std::popcount(word);
    if (count == 64) {
      std::memcpy(y, x, 64 * W);
      y += 64;
    } else if (count > kSparse && has_room(y, limit, 64 * W)) {
      compress_word<W>(x, word, y);
      y += count;
    } else {
      y = compress_bits(x, word, y);
    }
  }
  if (n > 0) y = compress_bits(x, *mask, y);
  return static_cast<size_t>(y - begin);
}

template <int W>
size_t expand(const void* src, const void* limit, Elements others, const uint64_t* mask, void* out,
              size_t n) {
  using T = typename Word<W>::type;
  const T* const begin = static_cast<const T*>(src);
  const T* x = begin;
  const T* old = static_cast<const T*>(others.data);
  T* y = static_cast<T*>(out);
  for (; n >= 64; n -= 64, y += 64, old += others.step) {
    const uint64_t word = *mask++;
    const int count = std::popcount(word);
    if (count == 64) {
      std::memcpy(y, x, 64 * W);
      x += 64;
    } else if (count > kSparse && has_room(x, limit, 64 * W)) {
      expand_word<W>(x, word, old, y);
      x += count;
    } else {
      if (old != y) std::memcpy(y, old, 64 * W);
      x = expand_bits(x, word, y);
    }
  }
  if (n > 0) {
    if (old != y) std::memcpy(y, old, n * W);
    x = expand_bits(x, *mask, y);
  }
  return static_cast<size_t>(x - begin);
}

int64_t popcount(const uint64_t* mask, size_t n) {
  const size_t words = (n + 63) / 64;
  int64_t count = 0;
  for (size_t k = 0; k < words; ++k) count += std::popcount(mask[k]);
  return count;
}

size_t positions(const uint64_t* mask, int64_t base, int64_t* out, size_t n) {
  // What a word's stores write after its own positions is overwritten by the next ones.
  const int64_t total = popcount(mask, n);
  const int64_t* const limit = out + total;
  const size_t words = (n + 63) / 64;
  for (size_t k = 0; k < words; ++k, base += 64) {
    uint64_t word = mask[k];
    const int count = std::popcount(word);
    if (count > kSparse && limit - out >= 64) {
      positions_word(word, base, out);
      out += count;
    } else {
      for (; word != 0; word &= word - 1) *out++ = base + std::countr_zero(word);
    }
  }
  return static_cast<size_t>(total);
}

template <int W>
void fill(const void* value, void* out, size_t n) {
  using T = typename Word<W>::type;
  const T v = *static_cast<const T*>(value);
  T* y = static_cast<T*>(out);
  for (size_t i = 0; i < n; ++i) y[i] = v;
}

template <int W>
void gather(const void* src, int64_t stride, void* out, size_t n) {
  using T = typename Word<W>::type;
  const T* x = static_cast<const T*>(src);
  T* y = static_cast<T*>(out);
  if (n == 0) return;
  if (stride == 0) return fill<W>(src, out, n);
  if (stride == 1) {
    std::memcpy(out, src, n * W);
    return;
  }
  TAMIS_INDEPENDENT
  for (size_t i = 0; i < n; ++i) y[i] = x[static_cast<int64_t>(i) * stride];
}

template <int W>
void scatter(const void* src, void* out, int64_t stride, size_t n) {
  using T = typename Word<W>::type;
  const T* x = static_cast<const T*>(src);
  T* y = static_cast<T*>(out);
  if (n == 0) return;
  if (stride == 1) {
    std::memcpy(out, src, n * W);
    return;
  }
  for (size_t i = 0; i < n; ++i) y[static_cast<int64_t>(i) * stride] = x[i];
}

template <int W>
void set_width(Kernels& table) {
  constexpr int index = width_index(W);
  table.where[index] = &where<W>;
  table.compress[index] = &compress<W>;
  table.expand[index] = &expand<W>;
  table.gather[index] = &gather<W>;
  table.scatter[index] = &scatter<W>;
  table.fill[index] = &fill<W>;
}

}  // namespace

void fill_move(Kernels& table) {
  set_width<1>(table);
  set_width<2>(table);
  set_width<4>(table);
  set_width<8>(table);
  set_width<16>(table);
  table.positions = &positions;
  table.popcount = &popcount;
}

}  // namespace tamis::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
