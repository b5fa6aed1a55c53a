// Keys: elements as unsigned integers that compare as the elements do.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <type_traits>

#include "tamis/dtype.h"

namespace tamis {

template <size_t kBytes>
using Unsigned = std::conditional_t<
    kBytes == 1, uint8_t,
    std::conditional_t<kBytes == 2, uint16_t, std::conditional_t<kBytes == 4, uint32_t, uint64_t>>>;

/// How elements of type T are compared. All NaNs have one key, the largest, and both zeros have
/// one.
template <class T>
struct Keys {
  using Element = std::conditional_t<std::same_as<T, bool>, uint8_t, T>;  // any byte is a bool
  using Key = Unsigned<sizeof(T)>;

  static constexpr Key kSign = static_cast<Key>(Key{1} << (8 * sizeof(T) - 1));
  static constexpr Key kLast = static_cast<Key>(~Key{0});
  static constexpr bool kIsFloat = !std::integral<T>;

  static Key of(Element v) {
    if constexpr (std::same_as<T, bool>) {
      return v != 0;
    } else if constexpr (std::unsigned_integral<T>) {
      return v;
    } else if constexpr (std::integral<T>) {
      return static_cast<Key>(static_cast<Key>(v) ^ kSign);
    } else {
      const Key bits = std::bit_cast<Key>(v), magnitude = bits & static_cast<Key>(~kSign);
      const Key key = static_cast<Key>(bits & kSign ? ~bits : bits | kSign);
      return magnitude > infinity() ? kLast : magnitude == 0 ? kSign : key;
    }
  }

  /// Whether the key determines the element; that of zero and NaN does not.
  static bool is_exact(Key key) { return !kIsFloat || (key != kSign && key != kLast); }
  static bool is_nan(Key key) { return kIsFloat && key == kLast; }

  /// The element of an exact key.
  static Element element(Key key) {
    if constexpr (std::unsigned_integral<T>) {
      return key;
    } else if constexpr (std::integral<T>) {
      return static_cast<T>(static_cast<Key>(key ^ kSign));
    } else {
      return std::bit_cast<T>(static_cast<Key>(key & kSign ? key ^ kSign : ~key));
    }
  }

 private:
  static constexpr Key infinity() {
    if constexpr (std::same_as<T, double>) return 0x7ff0000000000000u;
    if constexpr (std::same_as<T, float>) return 0x7f800000u;
    if constexpr (std::same_as<T, Half>) return 0x7c00u;
    return static_cast<Key>(0x7f80u);
  }
};

}  // namespace tamis
