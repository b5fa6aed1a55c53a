// Signatures: parsing.
#include "signature.h"

#include <stdexcept>

namespace tamis::python {

namespace {

struct TypeName {
  const char* text;
  ParamType type;
};
constexpr TypeName kTypes[] = {
    {"Tensor", ParamType::tensor},
    {"Tensor[]", ParamType::tensors},
    {"Scalar", ParamType::scalar},
    {"int", ParamType::integer},
    {"float", ParamType::real},
    {"bool", ParamType::boolean},
    {"dtype", ParamType::dtype},
    {"int[]", ParamType::integers},
    {"str", ParamType::string},
    {"Generator", ParamType::generator},
    {"float|str", ParamType::real_or_string},
};

[[noreturn]] void malformed(const std::string& signature, const std::string& part) {
  throw std::logic_error("cannot read '" + part + "' in the signature " + signature);
}

DType dtype_by_name(const std::string& text) {
  for (int i = 0; i < kDTypeCount; ++i) {
    if (text == name(static_cast<DType>(i))) return static_cast<DType>(i);
  }
  throw std::logic_error("no dtype " + text);
}

Value parse_default(ParamType type, const std::string& text) {
  if (text == "None") return {};
  switch (type) {
    case ParamType::tensor:
      return Value(Tensor(text.find_first_of(".e") == std::string::npos ? Scalar(std::stoll(text))
                                                                        : Scalar(std::stod(text))));
    case ParamType::tensors:
      return std::vector<Tensor>{};
    case ParamType::scalar:
      return text.find_first_of(".e") == std::string::npos ? Scalar(std::stoll(text))
                                                           : Scalar(std::stod(text));
    case ParamType::integer:
      return static_cast<int64_t>(std::stoll(text));
    case ParamType::real:
    case ParamType::real_or_string:
      return std::stod(text);
    case ParamType::boolean:
      return text == "True";
    case ParamType::dtype:
      return dtype_by_name(text);
    case ParamType::integers: {
      Shape shape;
      for (size_t at = 1; at + 1 < text.size(); at = text.find_first_of(",]", at) + 1) {
        shape.push_back(std::stoll(text.substr(at)));
      }
      return shape;
    }
    case ParamType::string:  // in quotes
      return text.substr(1, text.size() - 2);
    case ParamType::generator:  // None is the only default
      break;
  }
  return {};
}

Param parse_param(const std::string& signature, const std::string& text) {
  Param p;
  const size_t space = text.find(' ');
  const size_t equals = text.find('=');
  if (space == std::string::npos) malformed(signature, text);
  std::string type = text.substr(0, space);
  p.name = text.substr(space + 1, equals == std::string::npos ? equals : equals - space - 1);
  if (type.back() == '?') {
    p.optional = true;
    type.pop_back();
  }
  const TypeName* found = nullptr;
  for (const TypeName& t : kTypes) {
    if (type == t.text) found = &t;
  }
  if (found == nullptr) malformed(signature, text);
  p.type = found->type;
  if (equals != std::string::npos) {
    p.required = false;
    p.fallback_text = text.substr(equals + 1);
    p.fallback = parse_default(p.type, p.fallback_text);
  }
  p.key = checked(PyUnicode_InternFromString(p.name.c_str()));
  return p;
}

/// "values indices" from "(Tensor values, Tensor indices)".
std::string parse_fields(const std::string& result) {
  if (result.empty() || result[0] != '(') return {};
  std::string fields;
  for (size_t at = result.find(' '); at != std::string::npos; at = result.find(' ', at)) {
    const size_t end = result.find_first_of(",)", ++at);
    fields += (fields.empty() ? "" : " ") + result.substr(at, end - at);
    at = end + (result[end] == ',' ? 2 : 0);
  }
  return fields;
}

}  // namespace

Signature::Signature(const std::string& text) {
  const size_t open = text.find('('), close = text.rfind(") -> ");
  if (open == std::string::npos || close == std::string::npos) malformed(text, text);
  name = text.substr(0, open);
  fields = parse_fields(text.substr(close + 5));
  const std::string list = text.substr(open + 1, close - open - 1);
  bool keyword_only = false;
  for (size_t from = 0; from < list.size();) {
    const size_t to = std::min(list.find(", ", from), list.size());
    const std::string part = list.substr(from, to - from);
    from = to + 2;
    if (part == "*") {
      keyword_only = true;
      continue;
    }
    Param p = parse_param(text, part);
    p.keyword_only = keyword_only || (p.type == ParamType::dtype && !p.required);
    if (!p.keyword_only) ++positional;
    params.push_back(std::move(p));
  }
}

std::string Signature::python_text(bool is_method) const {
  std::string text = "(";
  bool star = false;
  for (const Param& p : params) {
    if (text.size() > 1) text += ", ";
    if (p.keyword_only && !star) text += "*, ";
    star = star || p.keyword_only;
    text += is_method && text == "(" ? "self" : p.name;
    if (p.required) continue;
    text += "=";
    // inspect reads plain constants only, and None does the same for lists and dtypes.
    const bool plain = p.type != ParamType::integers && p.type != ParamType::dtype;
    text += plain ? p.fallback_text : "None";
  }
  return text + ")";
}

}  // namespace tamis::python
