// Bits of masks: ranges of them in 64-bit words. The bits of the last word beyond the end are zero.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tamis::cpu {

inline size_t words_of(int64_t n) { return static_cast<size_t>(n + 63) / 64; }

/// The bits of the last word of n.
inline uint64_t tail_word(int64_t n) {
  return n % 64 ? (uint64_t{1} << (n % 64)) - 1 : ~uint64_t{0};
}

inline void fill_words(uint64_t* words, int64_t n, bool value) {
  std::memset(words, value ? 0xff : 0, words_of(n) * 8);
  if (value) words[words_of(n) - 1] = tail_word(n);
}

/// Sets bits [from, from + n).
inline void set_bits(uint64_t* words, int64_t from, int64_t n) {
  if (n <= 0) return;
  const int64_t to = from + n;
  const uint64_t head = ~uint64_t{0} << (from % 64);
  const uint64_t tail = tail_word(to);
  const int64_t first = from / 64, last = (to - 1) / 64;
  if (first == last) {
    words[first] |= head & tail;
    return;
  }
  words[first] |= head;
  for (int64_t i = first + 1; i < last; ++i) words[i] = ~uint64_t{0};
  words[last] |= tail;
}

/// Bits [from, from + n) of bytes as a word, n <= 64. No byte is read that has none of them.
inline uint64_t bits_at(const uint8_t* bytes, int64_t from, int64_t n) {
  const uint8_t* const first = bytes + from / 8;
  const int64_t shift = from % 8, needed = (shift + n + 7) / 8;
  uint64_t word = 0;
  std::memcpy(&word, first, static_cast<size_t>(needed < 8 ? needed : 8));
  word >>= shift;
  if (needed > 8) word |= uint64_t{first[8]} << (64 - shift);
  return word & tail_word(n);
}

/// Bits [from, from + n) of words, moved to the front; those after them are zero.
inline void copy_bits(const uint64_t* words, int64_t from, int64_t n, uint64_t* out) {
  const int64_t first = from / 64, shift = from % 64, last = (from + n - 1) / 64;
  const int64_t count = (n + 63) / 64;
  for (int64_t i = 0; i < count; ++i) {
    out[i] = words[first + i] >> shift;
    if (shift != 0 && first + i < last) out[i] |= words[first + i + 1] << (64 - shift);
  }
  if (n % 64 != 0) out[count - 1] &= (uint64_t{1} << (n % 64)) - 1;
}

}  // namespace tamis::cpu
