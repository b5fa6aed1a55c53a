// Whether bytes are UTF-8.
#pragma once

#include <cstdint>
#include <string_view>

namespace tamis::io {

/// Whether text is well-formed UTF-8: no overlong forms, no surrogates, nothing above U+10FFFF.
inline bool is_utf8(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    const auto lead = static_cast<uint8_t>(text[i++]);
    if (lead < 0x80) continue;
    const int more = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : 1;
    if (lead < 0xc2 || lead > 0xf4) return false;
    uint32_t point = lead & (0x3f >> more);
    for (int k = 0; k < more; ++k, ++i) {
      if (i == text.size() || (static_cast<uint8_t>(text[i]) & 0xc0) != 0x80) return false;
      point = point << 6 | (static_cast<uint8_t>(text[i]) & 0x3f);
    }
    constexpr uint32_t kFirst[] = {0, 0x80, 0x800, 0x10000};
    if (point < kFirst[more] || point > 0x10ffff || (point >= 0xd800 && point < 0xe000))
      return false;
  }
  return true;
}

}  // namespace tamis::io
