// Fill values.
#include "io/zarr_fill.h"

#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "tamis/half.h"

namespace tamis::io {

namespace {

using Json = nlohmann::json;

template <class T>
void append(std::string& bytes, T value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

template <class T>
bool parse_integer(const Json& json, std::string& bytes) {
  if (json.is_number_unsigned()) {
    const uint64_t value = json.get<uint64_t>();
    if (value > static_cast<uint64_t>(std::numeric_limits<T>::max())) return false;
    append(bytes, static_cast<T>(value));
    return true;
  }
  int64_t value = 0;
  if (json.is_number_integer()) {
    value = json.get<int64_t>();
  } else if (json.is_number_float()) {
    // Some writers say 0.0 for integers.
    const double number = json.get<double>();
    if (!(std::abs(number) < 0x1p53) || std::trunc(number) != number) return false;
    value = static_cast<int64_t>(number);
  } else {
    return false;
  }
  if (std::is_unsigned_v<T> && value < 0) return false;
  if (value < static_cast<int64_t>(std::numeric_limits<T>::min()) && std::is_signed_v<T>) {
    return false;
  }
  if (value > 0 &&
      static_cast<uint64_t>(value) > static_cast<uint64_t>(std::numeric_limits<T>::max())) {
    return false;
  }
  append(bytes, static_cast<T>(value));
  return true;
}

/// The bits as a number in base 16, as many digits as the type has.
template <class Bits>
bool parse_bits(const std::string& text, std::string& bytes) {
  if (!text.starts_with("0x") || text.size() != 2 + 2 * sizeof(Bits)) return false;
  Bits bits = 0;
  const char* end = text.data() + text.size();
  const auto [next, error] = std::from_chars(text.data() + 2, end, bits, 16);
  if (error != std::errc() || next != end) return false;
  append(bytes, bits);
  return true;
}

template <class T, class Bits>
bool parse_float(const Json& json, std::string& bytes) {
  static_assert(sizeof(T) == sizeof(Bits));
  const auto put = [&](double value) {
    if constexpr (sizeof(T) == 8) {
      append(bytes, value);
    } else {
      append(bytes, T(static_cast<float>(value)));
    }
    return true;
  };
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (json.is_number()) return put(json.get<double>());
  if (!json.is_string()) return false;
  const auto text = json.get<std::string>();
  if (text == "NaN") return put(std::numeric_limits<double>::quiet_NaN());
  if (text == "Infinity") return put(kInfinity);
  if (text == "-Infinity") return put(-kInfinity);
  return parse_bits<Bits>(text, bytes);
}

bool parse_bool(const Json& json, std::string& bytes) {
  if (!json.is_boolean() && json != 0 && json != 1) return false;
  append(bytes, static_cast<char>(json == true || json == 1));
  return true;
}

template <class Parse>
bool parse_complex(const Json& json, std::string& bytes, const Parse& parse) {
  if (json.is_array()) {
    return json.size() == 2 && parse(json[0], bytes) && parse(json[1], bytes);
  }
  // A real number, which older writers say for both kinds.
  return json.is_number() && parse(json, bytes) && parse(Json(0), bytes);
}

bool parse(const Json& json, DType dtype, std::string& bytes) {
  switch (dtype) {
    case DType::boolean:
      return parse_bool(json, bytes);
    case DType::uint8:
      return parse_integer<uint8_t>(json, bytes);
    case DType::uint16:
      return parse_integer<uint16_t>(json, bytes);
    case DType::uint32:
      return parse_integer<uint32_t>(json, bytes);
    case DType::uint64:
      return parse_integer<uint64_t>(json, bytes);
    case DType::int8:
      return parse_integer<int8_t>(json, bytes);
    case DType::int16:
      return parse_integer<int16_t>(json, bytes);
    case DType::int32:
      return parse_integer<int32_t>(json, bytes);
    case DType::int64:
      return parse_integer<int64_t>(json, bytes);
    case DType::float16:
      return parse_float<Half, uint16_t>(json, bytes);
    case DType::bfloat16:
      return parse_float<BFloat16, uint16_t>(json, bytes);
    case DType::float32:
      return parse_float<float, uint32_t>(json, bytes);
    case DType::float64:
      return parse_float<double, uint64_t>(json, bytes);
    case DType::complex64:
      return parse_complex(json, bytes, parse_float<float, uint32_t>);
    case DType::complex128:
      return parse_complex(json, bytes, parse_float<double, uint64_t>);
  }
  return false;
}

}  // namespace

bool parse_fill_value(const nlohmann::json& json, DType dtype, std::string& bytes) {
  bytes.clear();
  if (!json.is_null()) return parse(json, dtype, bytes) && bytes.size() == itemsize(dtype);
  bytes.assign(itemsize(dtype), '\0');
  return true;
}

}  // namespace tamis::io
