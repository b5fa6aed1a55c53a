// CRC-32C: by the instruction for it where the processor has one, else by tables.
#include <array>
#include <bit>
#include <cstring>

#include "io/zarr_codecs.h"

namespace tamis::io {

namespace {

constexpr uint32_t kPolynomial = 0x82f63b78;  // Castagnoli's, its bits in reverse

/// tables[k][b]: what byte b does to the checksum when k bytes follow it.
using Tables = std::array<std::array<uint32_t, 256>, 8>;

constexpr Tables make_tables() {
  Tables tables = {};
  for (uint32_t b = 0; b < 256; ++b) {
    uint32_t crc = b;
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? kPolynomial : 0);
    tables[0][b] = crc;
  }
  for (uint32_t b = 0; b < 256; ++b) {
    for (size_t k = 1; k < 8; ++k) {
      tables[k][b] = tables[k - 1][b] >> 8 ^ tables[0][tables[k - 1][b] & 0xff];
    }
  }
  return tables;
}
constexpr Tables kTables = make_tables();

uint64_t load(const char* from) {
  static_assert(std::endian::native == std::endian::little);
  uint64_t word;
  std::memcpy(&word, from, sizeof word);
  return word;
}

uint32_t by_tables(uint32_t crc, const char* at, size_t n) {
  for (; n >= 8; at += 8, n -= 8) {
    const uint64_t word = load(at) ^ crc;
    crc = 0;
    for (size_t k = 0; k < 8; ++k) crc ^= kTables[7 - k][word >> 8 * k & 0xff];
  }
  for (; n > 0; ++at, --n) crc = crc >> 8 ^ kTables[0][(crc ^ static_cast<uint8_t>(*at)) & 0xff];
  return crc;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) uint32_t by_instruction(uint32_t crc, const char* at, size_t n) {
  uint64_t wide = crc;
  for (; n >= 8; at += 8, n -= 8) wide = __builtin_ia32_crc32di(wide, load(at));
  crc = static_cast<uint32_t>(wide);
  for (; n > 0; ++at, --n) crc = __builtin_ia32_crc32qi(crc, static_cast<uint8_t>(*at));
  return crc;
}
#endif

}  // namespace

uint32_t crc32c(std::string_view bytes) {
#if defined(__x86_64__)
  static const bool has_instruction = __builtin_cpu_supports("sse4.2");
  if (has_instruction) return ~by_instruction(~uint32_t{0}, bytes.data(), bytes.size());
#endif
  return ~by_tables(~uint32_t{0}, bytes.data(), bytes.size());
}

}  // namespace tamis::io
