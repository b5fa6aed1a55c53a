// Signatures: parsing.
#include "ops/signature.h"

#include <algorithm>
#include <charconv>
#include <stdexcept>

namespace tamis {

namespace {

struct TypeName {
  const char* text;
  ParamType type;
};
constexpr TypeName kTypes[] = {
    {"Tensor", ParamType::tensor}, {"Tensor[]", ParamType::tensors},
    {"Scalar", ParamType::scalar}, {"int", ParamType::integer},
    {"float", ParamType::real},    {"bool", ParamType::flag},
    {"dtype", ParamType::dtype},   {"int[]", ParamType::integers},
    {"str", ParamType::string},    {"Generator", ParamType::generator},
    {"device", ParamType::device}, {"Scalar[]", ParamType::scalars},
    {"float[]", ParamType::reals}, {"bool[]", ParamType::flags},
};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_name_part(char c) { return is_letter(c) || (c >= '0' && c <= '9'); }

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Signature run() {
    Signature s;
    s.text = text_;
    s.name = word();
    if (take(".")) {
      s.space = std::move(s.name);
      s.name = word();
    }
    expect("(");
    parameters(s);
    expect(" -> ");
    results(s);
    if (at_ != text_.size()) malformed("expected nothing more");
    return s;
  }

 private:
  [[noreturn]] void malformed(const std::string& what) const {
    throw std::logic_error(what + " at '" + std::string(text_.substr(at_)) +
                           "' in the signature '" + std::string(text_) + "'");
  }
  bool take(std::string_view s) {
    if (text_.substr(at_, s.size()) != s) return false;
    at_ += s.size();
    return true;
  }
  void expect(std::string_view s) {
    if (!take(s)) malformed("expected '" + std::string(s) + "'");
  }
  std::string word() {
    const size_t begin = at_;
    if (at_ == text_.size() || !is_letter(text_[at_])) malformed("expected a name");
    while (at_ < text_.size() && is_name_part(text_[at_])) ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }

  void parameters(Signature& s) {
    bool keyword_only = false, open = false;  // open: something must follow the *
    for (bool first = true; !take(")"); first = false) {
      if (!first) expect(", ");
      if (take("*")) {
        if (keyword_only) malformed("a second *");
        keyword_only = open = true;
        continue;
      }
      open = false;
      Parameter p = parameter();
      p.keyword_only = keyword_only;
      check(s, p);
      if (!keyword_only) ++s.positional;
      s.params.push_back(std::move(p));
    }
    if (open) malformed("nothing follows the *");
  }

  void check(const Signature& s, const Parameter& p) const {
    if (s.find(p.name) >= 0) malformed("a second parameter " + p.name);
    const bool after_default = !s.params.empty() && !s.params.back().required;
    if (p.required && !p.keyword_only && after_default) malformed(p.name + " needs a default");
  }

  ParamType type(std::optional<bool>& literal) {
    std::string text = word();
    if (take("[]")) text += "[]";
    if (text == "True" || text == "False") {
      literal = text == "True";
      return ParamType::flag;
    }
    const auto* found = std::find_if(std::begin(kTypes), std::end(kTypes),
                                     [&](const TypeName& t) { return text == t.text; });
    if (found == std::end(kTypes)) malformed("no type " + text);
    return found->type;
  }

  Parameter parameter() {
    Parameter p;
    do {
      p.types.push_back(type(p.literal));
    } while (take("|"));
    const bool is_union = p.types.size() > 1;
    if (p.literal && is_union) malformed("True and False stand alone");
    for (ParamType t : p.types) {
      const bool is_tensor_as_list = t >= ParamType::scalars;
      if (is_tensor_as_list && p.type() != ParamType::tensor) malformed("a list that is no tensor");
      if (std::count(p.types.begin(), p.types.end(), t) > 1) malformed("a type twice");
    }
    p.optional = take("?");
    expect(" ");
    p.name = word();
    if (take("=")) {
      p.required = false;
      p.fallback_text = default_text();
      p.fallback = fallback(p);
    }
    return p;
  }

  std::string default_text() {
    const size_t begin = at_;
    if (take("'")) {
      at_ = text_.find('\'', at_);
      if (at_ == std::string_view::npos) {
        at_ = begin;
        malformed("no end of the text");
      }
      ++at_;
    } else {
      at_ = std::min(text_.find_first_of(take("[") ? "]" : ", )", at_), text_.size());
      if (begin < text_.size() && text_[begin] == '[') expect("]");
    }
    return std::string(text_.substr(begin, at_ - begin));
  }

  template <class T>
  T number(std::string_view text) const {
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) {
      malformed("the default '" + std::string(text) + "' is not of the type");
    }
    return value;
  }
  Scalar scalar(const std::string& text) const {
    const bool is_int = text.find_first_of(".ein") == std::string::npos;
    return is_int ? Scalar(number<int64_t>(text)) : Scalar(number<double>(text));
  }

  Shape integers(const std::string& text) const {
    if (text.front() != '[') malformed("the default of int[] is a list");
    Shape shape;
    for (size_t from = 1; from + 1 < text.size();) {
      const size_t to = std::min(text.find(',', from), text.size() - 1);
      shape.push_back(number<int64_t>(std::string_view(text).substr(from, to - from)));
      from = to + 1;
    }
    return shape;
  }

  DType dtype(const std::string& text) const {
    for (int i = 0; i < kDTypeCount; ++i) {
      if (text == tamis::name(static_cast<DType>(i))) return static_cast<DType>(i);
    }
    malformed("no dtype " + text);
  }

  bool boolean(const Parameter& p) const {
    const std::string& text = p.fallback_text;
    const bool value = text == "True";
    if (!value && text != "False") malformed("the default of a bool is True or False");
    if (p.literal && *p.literal != value) malformed("the default is not the one value allowed");
    return value;
  }

  Value fallback(const Parameter& p) const {
    const std::string& text = p.fallback_text;
    if (text.empty()) malformed("no default");
    if (text == "None") {
      if (!p.optional) malformed("None is the default, but the type has no ?");
      return {};
    }
    const bool is_text = text.front() == '\'';
    if (is_text) {
      if (!p.takes(ParamType::string)) malformed("a text is the default of something else");
      return text.substr(1, text.size() - 2);
    }
    switch (p.type()) {
      case ParamType::tensor:
        if (!p.takes(ParamType::scalar)) malformed("a tensor that takes no number has no default");
        return Tensor(scalar(text));
      case ParamType::scalar:
        return scalar(text);
      case ParamType::integer:
        return number<int64_t>(text);
      case ParamType::real:
        return number<double>(text);
      case ParamType::flag:
        return boolean(p);
      case ParamType::dtype:
        return dtype(text);
      case ParamType::integers:
        return integers(text);
      default:
        malformed("this type has no default but None");
    }
  }

  void results(Signature& s) {
    std::optional<bool> literal;
    if (!take("(")) {
      s.result = type(literal);
      if (literal || s.result >= ParamType::scalars) malformed("no type of a result");
      return;
    }
    s.result = ParamType::tensors;
    do {
      expect("Tensor ");
      s.fields.push_back(word());
    } while (take(", "));
    expect(")");
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

const char* name(ParamType type) {
  const auto* found = std::find_if(std::begin(kTypes), std::end(kTypes),
                                   [&](const TypeName& t) { return t.type == type; });
  return found->text;
}

bool Parameter::takes(ParamType type) const {
  return std::find(types.begin(), types.end(), type) != types.end();
}

Signature::Signature(std::string_view from) { *this = Parser(from).run(); }

bool Signature::spreads_integers(bool is_method) const {
  const size_t self = is_method ? 1 : 0;
  return positional == self + 1 && params[self].type() == ParamType::integers;
}

int Signature::find(ParamType type) const {
  for (size_t i = 0; i < params.size(); ++i) {
    if (params[i].type() == type) return static_cast<int>(i);
  }
  return -1;
}

int Signature::find(std::string_view parameter) const {
  for (size_t i = 0; i < params.size(); ++i) {
    if (params[i].name == parameter) return static_cast<int>(i);
  }
  return -1;
}

Signature Signature::renamed(const std::string& to) const {
  return Signature(std::string(to).append(text, text.find('('), std::string::npos));
}

Signature Signature::with_keywords(const std::string& parameters) const {
  const bool has_star = positional < params.size();
  std::string longer = text;
  const std::string separator = params.empty() ? "" : ", ";
  longer.insert(text.rfind(") -> "), separator + (has_star ? "" : "*, ") + parameters);
  return Signature(longer);
}

}  // namespace tamis
