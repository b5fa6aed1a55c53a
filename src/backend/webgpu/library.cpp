// Finding the functions of the library that a kernel needs, and calling them by dtype.
#include "backend/webgpu/library.h"

#include <fmt/format.h>

#include <cctype>
#include <map>
#include <set>
#include <vector>

#include "core/convert.h"

namespace tamis::webgpu {

namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

std::set<std::string> words_of(const std::string& text) {
  std::set<std::string> words;
  for (size_t i = 0; i < text.size();) {
    if (!is_word(text[i])) {
      ++i;
      continue;
    }
    size_t end = i;
    while (end < text.size() && is_word(text[end])) ++end;
    words.insert(text.substr(i, end - i));
    i = end;
  }
  return words;
}

struct Function {
  std::string text;
  std::set<std::string> words;
};

/// The pieces, cut at the lines that begin with "fn name" or "const name".
std::map<std::string, Function> read_library() {
  std::map<std::string, Function> functions;
  for (const char* piece : {kIntegerLibrary, kFloatLibrary, kElementaryLibrary, kCircularLibrary,
                            kSpecialLibrary, kConvertLibrary}) {
    const std::string all = std::string("\n") + piece;
    const auto next = [&](size_t from) {
      return std::min(all.find("\nfn ", from), all.find("\nconst ", from));
    };
    for (size_t at = next(0); at != std::string::npos;) {
      const size_t end = next(at + 1);
      std::string text = all.substr(at + 1, end == std::string::npos ? end : end - at);
      const size_t name = text.find(' ') + 1;
      size_t stop = name;
      while (is_word(text[stop])) ++stop;
      std::string key = text.substr(name, stop - name);
      std::set<std::string> words = words_of(text);
      functions.emplace(std::move(key), Function{std::move(text), std::move(words)});
      at = end;
    }
  }
  return functions;
}

}  // namespace

std::string library_for(const std::string& text) {
  // Never destroyed: threads may still work when the process ends.
  static const auto& functions = *new const std::map<std::string, Function>(read_library());
  std::set<std::string> needed;
  std::vector<std::string> open;
  const auto add = [&](const std::set<std::string>& words) {
    for (const std::string& word : words) {
      if (functions.count(word) != 0 && needed.insert(word).second) open.push_back(word);
    }
  };
  add(words_of(text));
  while (!open.empty()) {
    const std::string name = open.back();
    open.pop_back();
    add(functions.at(name).words);
  }
  std::string result;
  for (const std::string& name : needed) result += functions.at(name).text;
  return result;
}

std::string class_of(DType dtype) {
  switch (dtype) {
    case DType::boolean:
    case DType::uint8:
    case DType::uint16:
    case DType::int8:
    case DType::int16:
    case DType::int32:
      return "i32";
    case DType::uint32:
      return "u32";
    case DType::int64:
      return "i64";
    case DType::uint64:
      return "u64";
    case DType::float16:
    case DType::bfloat16:
    case DType::float32:
      return "f32";
    case DType::float64:
      return "f64";
    case DType::complex64:
      return "c64";
    case DType::complex128:
      return "c128";
  }
  __builtin_unreachable();
}

namespace {

std::string call(const std::string& function, const std::string& a) {
  return fmt::format("{}({})", function, a);
}

/// An integer of 32 bits made to fit a smaller one.
std::string wrapped(const std::string& value, DType dtype) {
  switch (dtype) {
    case DType::uint8:
    case DType::uint16:
    case DType::int8:
    case DType::int16:
      return call(fmt::format("wrap_{}", name(dtype)), value);
    default:
      return value;
  }
}

std::string from_mask(const std::string& mask, DType to) {
  const char* one = nullptr;
  switch (to) {
    case DType::float16:
      one = "0x3c00u";
      break;
    case DType::bfloat16:
      one = "0x3f80u";
      break;
    case DType::float32:
      one = "0x3f800000u";
      break;
    case DType::float64:
      one = "vec2u(0u, 0x3ff00000u)";
      break;
    case DType::int64:
    case DType::uint64:
      one = "vec2u(1u, 0u)";
      break;
    case DType::complex64:
      one = "vec2u(0x3f800000u, 0u)";
      break;
    case DType::complex128:
      one = "vec4u(0u, 0x3ff00000u, 0u, 0u)";
      break;
    default:
      one = "1u";
  }
  const char* const zero = itemsize(to) == 16 ? "vec4u()" : itemsize(to) == 8 ? "vec2u()" : "0u";
  return fmt::format("select({}, {}, {})", zero, one, mask);
}

std::string conversion(DType from, DType to) {
  return fmt::format("{}_from_{}", class_of(to), class_of(from));
}

/// Whether an operation on unsigned integers of 32 and 64 bits differs from that on signed ones.
bool depends_on_sign(Op op) {
  switch (op) {
    case Op::lt:
    case Op::le:
    case Op::minimum:
    case Op::maximum:
    case Op::abs:
    case Op::sign:
    case Op::relu:
    case Op::shift_right:
    case Op::gcd:
    case Op::fmod:
    case Op::remainder:
    case Op::floor_div:
    case Op::pow:
      return true;
    default:
      return false;
  }
}

bool is_wide_integer(DType dtype) { return is_integral(dtype) && itemsize(dtype) == 8; }

/// Between integers: the sign of the result does not matter.
std::string convert_integer(const std::string& value, DType from, DType to) {
  if (!is_wide_integer(to)) {
    return wrapped(is_wide_integer(from) ? fmt::format("({}).x", value) : value, to);
  }
  return is_wide_integer(from) ? value : call(conversion(from, DType::int64), value);
}

bool is_half(DType dtype) { return dtype == DType::float16 || dtype == DType::bfloat16; }

}  // namespace

std::string convert(const std::string& value, DType from, DType to) {
  if (from == to) return value;
  if (from == DType::boolean) return from_mask(value, to);
  if (to == DType::boolean) {
    return call(fmt::format("is_true_{}", is_half(from) ? "f16" : class_of(signless(from))), value);
  }
  // A complex number and another dtype meet in the dtype of its parts.
  if (is_complex(from) && !is_complex(to)) {
    const DType part = real_dtype(from);
    return convert(call(conversion(from, part), value), part, to);
  }
  if (is_complex(to) && !is_complex(from)) {
    const DType part = real_dtype(to);
    return call(conversion(part, to), convert(value, from, part));
  }
  // 16-bit floating point goes by way of float32.
  if (is_half(from)) {
    return convert(call(fmt::format("f32_from_{}", name(from)), value), DType::float32, to);
  }
  if (is_half(to)) {
    return call(fmt::format("{}_from_f32", name(to)), convert(value, from, DType::float32));
  }
  if (is_integral(from) && is_integral(to)) return convert_integer(value, from, to);
  // PyTorch converts floating point to uint8 and uint32 by way of int64, to other integers of up to
  // 32 bits by int32.
  if (is_integral(to) && !is_wide_integer(to)) {
    if (to == DType::uint8 || to == DType::uint32) {
      return convert(convert(value, from, DType::int64), DType::int64, to);
    }
    return wrapped(call(fmt::format("i32_from_{}", class_of(from)), value), to);
  }
  return call(conversion(from, to), value);
}

std::string apply(Op op, DType in, const std::string& a, const std::string& b) {
  switch (op) {
    case Op::mask_and:
      return fmt::format("({} && {})", a, b);
    case Op::mask_or:
      return fmt::format("({} || {})", a, b);
    case Op::mask_xor:
      return fmt::format("({} != {})", a, b);
    case Op::mask_not:
      return fmt::format("!({})", a);
    default:
      break;
  }
  // Small unsigned integers are no negative ones of 32 bits.
  const DType as = itemsize(in) < 4 || depends_on_sign(op) ? in : signless(in);
  const std::string function = fmt::format("{}_{}", name(op), class_of(as));
  const std::string result =
      b.empty() ? call(function, a) : fmt::format("{}({}, {})", function, a, b);
  return is_compare(op) ? result : wrapped(result, in);
}

}  // namespace tamis::webgpu
