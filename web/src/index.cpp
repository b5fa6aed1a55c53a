// Indexing: x.get(...) and x.set(..., value), whose arguments are what Python writes in brackets.
#include "tamis/index.h"

#include <cctype>
#include <charconv>

#include <fmt/format.h>

#include "core/check.h"
#include "expr/expr.h"
#include "functions.h"
#include "tamis/create.h"

namespace tamis::web {

namespace {

constexpr const char* kForms =
    "an index is an integer, a boolean, null, a Tensor, an array of integers or booleans, or a "
    "string like \"1:3, ..., None\"";

// ---- text ---------------------------------------------------------------------------------------

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front()))) {
    text.remove_prefix(1);
  }
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) {
    text.remove_suffix(1);
  }
  return text;
}

int64_t integer_of(std::string_view text, std::string_view whole) {
  int64_t value = 0;
  const std::string_view digits = text.starts_with('+') ? text.substr(1) : text;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  check(error == std::errc() && end == digits.data() + digits.size() && !digits.empty(),
        ErrorKind::index, "x[{}]: '{}' is not an integer; {}", whole, text, kForms);
  return value;
}

/// "1:3", ":", "::2"
Index slice_of(std::string_view text, std::string_view whole) {
  std::optional<int64_t> parts[3];
  size_t count = 0;
  for (size_t begin = 0; begin <= text.size(); ++count) {
    check(count < 3, ErrorKind::index, "x[{}]: '{}' is not a slice start:stop:step", whole, text);
    const size_t end = std::min(text.find(':', begin), text.size());
    const std::string_view part = trimmed(text.substr(begin, end - begin));
    if (!part.empty()) parts[count] = integer_of(part, whole);
    begin = end + 1;
  }
  const int64_t step = parts[2].value_or(1);
  check(step > 0, ErrorKind::value,
        "step must be greater than zero; write x.flip(dim) to reverse a dimension");
  return Slice(parts[0], parts[1], step);
}

Index entry_of(std::string_view text, std::string_view whole) {
  if (text == "...") return Ellipsis;
  if (text == "None" || text == "null") return None;
  if (text == "True" || text == "true") return true;
  if (text == "False" || text == "false") return false;
  if (text.find(':') != std::string_view::npos) return slice_of(text, whole);
  return integer_of(text, whole);
}

void add_text(std::vector<Index>& indices, std::string_view text) {
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view entry = trimmed(text.substr(begin, end - begin));
    // As in Python, the last comma may be followed by nothing.
    if (!entry.empty() || end < text.size() || begin == 0) {
      indices.push_back(entry_of(entry, text));
    }
    begin = end + 1;
  }
}

// ---- other values -------------------------------------------------------------------------------

Index tensor_index(const Tensor& index, const Tensor& x) {
  check(index.dtype() != DType::uint8 || index.dim() == 0, ErrorKind::dtype,
        "x[mask]: expected BoolTensor for mask, but got Byte; write mask.bool() or mask.ne(0)");
  const bool moves = index.dim() > 0 && !is_on_host(x) && is_on_host(index);
  return Index(moves ? to_backend(index, backend_of(x)) : index);
}

void add_entry(std::vector<Index>& indices, const Argument& a, const Tensor& x,
               const Objects& objects) {
  static const Parameter list = Signature("index(Tensor|Scalar[] list) -> Tensor").params[0];
  if (a.kind == Kind::text) return add_text(indices, a.text);
  if (a.is_integer()) return indices.push_back(a.to_integer());
  if (a.kind == Kind::null) return indices.push_back(None);
  if (a.kind == Kind::boolean) return indices.push_back(a.truth);
  if (a.kind == Kind::tensor) return indices.push_back(tensor_index(objects.tensor(a.handle), x));
  if (a.kind == Kind::list) {
    if (auto value = convert(list, a, objects, false)) {
      return indices.push_back(tensor_index(std::get<Tensor>(*value), x));
    }
  }
  throw ArgumentError(fmt::format("{}, but got {}", kForms, a.type_name()));
}

std::vector<Index> entries_of(std::span<const Argument> given, const Tensor& x,
                              const Objects& objects) {
  std::vector<Index> indices;
  for (const Argument& a : given) add_entry(indices, a, x, objects);
  return indices;
}

Tensor value_of(const Argument& a, const Tensor& x, const Objects& objects) {
  static const Parameter any = Signature("set(Tensor|Scalar|Scalar[] value) -> Tensor").params[0];
  auto value = convert(any, a, objects, false);
  if (!value) {
    throw ArgumentError(
        fmt::format("set(): the value must be Tensor, number or array, not {}", a.type_name()));
  }
  const Tensor found = std::get<Tensor>(*value);
  // An array has no dtype of its own.
  return a.kind == Kind::list ? to_backend(found.to(x.dtype()), backend_of(x)) : found;
}

std::function<Value()> prepare_get(const Arguments& given, const Objects& objects) {
  const std::span<const Argument> args(given.positional);
  const Tensor x = objects.tensor(args[0].handle);
  if (args.size() == 1) throw ArgumentError(fmt::format("get(): {}", kForms));
  const std::vector<Index> indices = entries_of(args.subspan(1), x, objects);
  return [x, indices]() -> Value {
    const Tensor found = index(x, indices);
    return &found.impl() == &x.impl() ? found.detach() : found;
  };
}

std::function<Value()> prepare_set(const Arguments& given, const Objects& objects) {
  const std::span<const Argument> args(given.positional);
  const Tensor x = objects.tensor(args[0].handle);
  if (args.size() < 3) {
    throw ArgumentError(fmt::format("set(): expected an index and a value; {}", kForms));
  }
  const Tensor value = value_of(args.back(), x, objects);
  const std::vector<Index> indices = entries_of(args.subspan(1, args.size() - 2), x, objects);
  return [x, indices, value]() -> Value {
    Tensor target = x;
    return index_put_(target, indices, value);
  };
}

}  // namespace

std::vector<Function> index_functions() {
  return {{"web", "get", true, true, {}, {}, prepare_get},
          {"web", "set_", true, true, {}, {}, prepare_set}};
}

}  // namespace tamis::web
