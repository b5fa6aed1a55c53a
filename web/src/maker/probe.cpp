// The probe: which dtypes every function takes and gives, found by calling its samples. The types
// of the package (web/make_types.mjs) are made from it, so that they say what the library does.
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "core/tensor_impl.h"
#include "maker.h"
#include "tamis/create.h"
#include "tamis/mask.h"
#include "tamis/pointwise.h"

namespace tamis::web {

namespace {

using Json = nlohmann::ordered_json;

/// What an argument may be to its function: of a dtype, or a number of JavaScript, of which there
/// are four kinds.
struct Key {
  const char* name;
  std::optional<DType> dtype;
  Scalar number = 0;
};

const std::vector<Key>& keys() {
  static const std::vector<Key> all = [] {
    std::vector<Key> found;
#define X(constant, type, text, ...) found.push_back({text, DType::constant});
    TAMIS_DTYPES(X)
#undef X
    found.push_back({"integer", {}, Scalar(2)});
    found.push_back({"fraction", {}, Scalar(1.5)});
    found.push_back({"boolean", {}, Scalar(true)});
    found.push_back({"complex", {}, Scalar(std::complex<double>(1, 1))});
    return found;
  }();
  return all;
}

char letter(DType dtype) { return static_cast<char>('a' + static_cast<int>(dtype)); }

/// What calls gave: one letter for each result's dtype, or "." if it has none. Empty if every call
/// was refused for its dtypes; "?" if there was none that says anything.
class Outcome {
 public:
  void gave(const std::string& letters) { given_.insert(letters); }
  void refused() { refused_ = true; }
  void failed() { failed_ = true; }  // for another reason
  bool is_accepted() const { return !given_.empty(); }
  void add(const Outcome& other) {
    given_.insert(other.given_.begin(), other.given_.end());
    refused_ = refused_ || (other.refused_ && !other.failed_);
  }
  std::string text() const {
    if (given_.empty()) return refused_ ? "" : "?";
    std::string all;
    for (const std::string& letters : given_) all += (all.empty() ? "" : ",") + letters;
    return all;
  }

 private:
  std::set<std::string> given_;
  bool refused_ = false;
  bool failed_ = false;
};

/// The letters of a result. A list without names may hold any of the dtypes in it.
std::string letters_of(const Value& value, const Signature& signature) {
  if (const auto* x = std::get_if<Tensor>(&value)) return {letter(x->dtype())};
  if (const auto* dtype = std::get_if<DType>(&value)) return {letter(*dtype)};
  const auto* list = std::get_if<std::vector<Tensor>>(&value);
  if (list == nullptr) return ".";
  std::string letters;
  for (const Tensor& x : *list) letters += letter(x.dtype());
  if (signature.fields.empty()) {
    std::sort(letters.begin(), letters.end());
    letters.erase(std::unique(letters.begin(), letters.end()), letters.end());
  }
  return letters;
}

bool is_given(const Value& value) {
  if (const auto* x = std::get_if<Tensor>(&value)) return x->defined();
  return !std::holds_alternative<std::monostate>(value);
}

/// The value as what the key says: its tensors in that dtype, or a number in its place. Nothing if
/// the parameter takes no such thing.
std::optional<Value> recast(const Parameter& p, const Value& value, const Key& key) {
  if (!key.dtype) {
    if (!p.takes(ParamType::scalar)) return std::nullopt;
    return p.type() == ParamType::tensor ? Value(Tensor(key.number)) : Value(key.number);
  }
  if (const auto* x = std::get_if<Tensor>(&value); x != nullptr && x->defined()) {
    Tensor cast = x->to(*key.dtype).clone();
    cast.impl().is_number = false;  // a 0-d tensor instead
    // Some divide by what was a fraction.
    const bool is_rounded = is_floating_point(x->dtype()) && !is_floating_point(*key.dtype);
    return is_rounded && !is_complex(*key.dtype) ? where(cast.eq(0), ones({}, *key.dtype), cast)
                                                 : cast;
  }
  if (const auto* list = std::get_if<std::vector<Tensor>>(&value)) {
    std::vector<Tensor> cast;
    for (const Tensor& x : *list) cast.push_back(x.to(*key.dtype));
    return cast;
  }
  return std::nullopt;
}

class Prober {
 public:
  explicit Prober(const Overload& o) : o_(o), params_(o.signature.params) {
    for (Args args : o.samples) {
      while (args.size() < params_.size()) args.push_back(params_[args.size()].fallback);
      for (size_t i = 0; i < args.size(); ++i) {  // these have tables of their own
        const ParamType type = params_[i].type();
        const bool has_tables = type == ParamType::dtype || type == ParamType::flag;
        if (has_tables && !params_[i].required) args[i] = params_[i].fallback;
      }
      samples_.push_back(std::move(args));
    }
    main_ = find_main();
  }

  Json describe() const {
    Json found = tables(samples_);
    found["single"] = is_single();
    for (size_t i = 0; i < params_.size(); ++i) {
      const ParamType type = params_[i].type();
      if (type != ParamType::flag && type != ParamType::string) continue;
      Json variants = variants_of(i);
      if (!variants.is_null()) found["variants"][params_[i].name] = variants;
    }
    return found;
  }

 private:
  /// Whether a function of lists gives a tensor that is in none, as unique does.
  bool is_single() const {
    if (o_.signature.result != ParamType::tensors || !o_.signature.fields.empty()) return false;
    return std::holds_alternative<Tensor>(o_.call(samples_.at(0)));
  }

  /// The parameter whose dtype matters most: the first tensor that is no mask, else the first
  /// tensor, else the first number; -1 if there is none.
  int find_main() const {
    const auto first = [&](auto&& is) {
      const auto found = std::find_if(params_.begin(), params_.end(), is);
      return found == params_.end() ? -1 : static_cast<int>(found - params_.begin());
    };
    const auto is_tensor = [](const Parameter& p) {
      return p.name != "out" && (p.type() == ParamType::tensor || p.type() == ParamType::tensors);
    };
    int at = first([&](const Parameter& p) { return is_tensor(p) && p.name != "condition"; });
    if (at < 0) at = first(is_tensor);
    if (at < 0) at = first([](const Parameter& p) { return p.type() == ParamType::scalar; });
    return at;
  }

  bool carries(size_t i) const {
    const Parameter& p = params_[i];
    return p.name != "out" && (p.type() == ParamType::tensor || p.type() == ParamType::tensors ||
                               p.type() == ParamType::scalar);
  }

  void call(const Args& args, Outcome& outcome) const {
    Args own = args;
    for (Value& value : own) {  // functions in place write into theirs
      if (auto* x = std::get_if<Tensor>(&value); x != nullptr && x->defined()) {
        const bool is_number = x->impl().is_number;
        *x = x->clone();
        x->impl().is_number = is_number;
      }
    }
    try {
      outcome.gave(letters_of(o_.call(own), o_.signature));
    } catch (const Error& e) {
      // What dtypes indices may have is checked as indices are.
      const bool is_dtype = e.kind() == ErrorKind::dtype || e.kind() == ErrorKind::index;
      is_dtype ? outcome.refused() : outcome.failed();
    }
  }

  using Setting = std::pair<size_t, const Key*>;

  /// Calls a sample with the arguments that `at` names as its keys say, the main one first. As many
  /// others as are accepted so follow the main one to its dtype.
  void call_with(const Args& sample, std::span<const Setting> at, Outcome& outcome) const {
    Args args = sample;
    for (const auto& [i, key] : at) {
      const auto value = recast(params_[i], sample[i], *key);
      if (!value) return;
      args[i] = *value;
    }
    std::vector<size_t> followers;
    for (size_t i = 0; i < params_.size(); ++i) {
      const bool is_set = std::any_of(at.begin(), at.end(), [&](auto& a) { return a.first == i; });
      if (!is_set && carries(i) && recast(params_[i], sample[i], *at[0].second)) {
        followers.push_back(i);
      }
    }
    Outcome own;
    for (size_t left_out = 0; left_out < (size_t{1} << followers.size()); ++left_out) {
      Args following = args;
      for (size_t k = 0; k < followers.size(); ++k) {
        const size_t i = followers[k];
        if ((left_out >> k & 1) == 0) following[i] = *recast(params_[i], sample[i], *at[0].second);
      }
      call(following, own);
      if (own.is_accepted()) break;
    }
    outcome.add(own);
  }

  /// How many operands are given that need not be.
  size_t extras(const Args& args) const {
    size_t count = 0;
    for (size_t i = 0; i < args.size(); ++i) {
      const bool is_tensor = params_[i].type() != ParamType::scalar;
      if (carries(i) && is_tensor && !params_[i].required && is_given(args[i])) ++count;
    }
    return count;
  }

  /// For every key of the main argument, without operands that may be left out.
  Json alone(std::span<const Args> all) const {
    size_t fewest = params_.size();
    for (const Args& sample : all) fewest = std::min(fewest, extras(sample));
    std::vector<Args> samples;
    std::copy_if(all.begin(), all.end(), std::back_inserter(samples),
                 [&](const Args& sample) { return extras(sample) == fewest; });
    Json found = Json::array();
    for (const Key& key : keys()) {
      Outcome outcome;
      const Setting at[] = {{static_cast<size_t>(main_), &key}};
      for (const Args& sample : samples) call_with(sample, at, outcome);
      found.push_back(outcome.text());
    }
    return found;
  }

  /// For every key of the main argument and of another.
  Json beside(std::span<const Args> samples, size_t other) const {
    constexpr size_t kEnough = 3;
    std::vector<Args> with;
    for (const Args& sample : samples) {
      if (with.size() < kEnough && is_given(sample[other])) with.push_back(sample);
    }
    if (with.empty()) return nullptr;
    Json found = Json::array();
    for (const Key& key : keys()) {
      Json row = Json::array();
      for (const Key& key_of_other : keys()) {
        Outcome outcome;
        const Setting at[] = {{static_cast<size_t>(main_), &key}, {other, &key_of_other}};
        for (const Args& sample : with) call_with(sample, at, outcome);
        row.push_back(outcome.text());
      }
      found.push_back(row);
    }
    return found;
  }

  /// For every pair of dtypes in the list that is the main argument: its first tensor and the rest.
  Json mixed(std::span<const Args> samples) const {
    const auto at = static_cast<size_t>(main_);
    Json found = Json::array();
    for (const Key& first : keys()) {
      Json row = Json::array();
      for (const Key& rest : keys()) {
        Outcome outcome;
        for (const Args& sample : samples) {
          Args args = sample;
          auto& list = std::get<std::vector<Tensor>>(args[at]);
          if (!first.dtype || !rest.dtype || list.size() < 2) continue;
          for (Tensor& x : list) x = x.to(&x == &list[0] ? *first.dtype : *rest.dtype);
          call(args, outcome);
        }
        row.push_back(outcome.text());
      }
      found.push_back(row);
    }
    return found;
  }

  /// For every dtype asked for.
  Json by_dtype(std::span<const Args> samples) const {
    Json found = Json::array();
    for (const Key& key : keys()) {
      if (!key.dtype) continue;
      Outcome outcome;
      for (Args args : samples) {
        args[static_cast<size_t>(o_.dtype)] = *key.dtype;
        call(args, outcome);
      }
      found.push_back(outcome.text());
    }
    return found;
  }

  Json tables(std::span<const Args> samples) const {
    Json found = Json::object();
    if (o_.dtype >= 0) found["by_dtype"] = by_dtype(samples);
    if (main_ < 0) {
      Outcome outcome;
      for (const Args& sample : samples) call(sample, outcome);
      found["plain"] = outcome.text();
      return found;
    }
    const auto main = static_cast<size_t>(main_);
    found["main"] = params_[main].name;
    found["alone"] = alone(samples);
    Json others = Json::object();
    if (params_[main].type() == ParamType::tensors) others[params_[main].name] = mixed(samples);
    for (size_t i = 0; i < params_.size(); ++i) {
      if (i == main || !carries(i)) continue;
      Json table = beside(samples, i);
      if (!table.is_null()) others[params_[i].name] = table;
    }
    found["beside"] = others;
    return found;
  }

  /// The values of an option by which results have other dtypes, each with its tables; null if it
  /// does not matter. Those of a string are the ones in the samples.
  Json variants_of(size_t option) const {
    const bool is_flag = params_[option].type() == ParamType::flag;
    std::map<std::string, std::vector<Args>> by_value;
    for (const Args& sample : samples_) {
      if (is_flag && !params_[option].literal) {
        for (const bool flag : {false, true}) {
          Args args = sample;
          args[option] = flag;
          by_value[flag ? "true" : "false"].push_back(args);
        }
      } else if (!is_flag) {
        const auto* text = std::get_if<std::string>(&sample[option]);
        by_value[text == nullptr ? "null" : Json(*text).dump()].push_back(sample);
      }
    }
    Json found = Json::object();
    for (const auto& [value, samples] : by_value) found[value] = tables(samples);
    for (const auto& [value, table] : found.items()) {
      if (differ(table, found.front())) return found;
    }
    return nullptr;
  }

  /// Whether both are accepted somewhere and give other dtypes there.
  bool differ(const Json& a, const Json& b) const {
    if (main_ < 0) return false;
    const auto says = [](const Json& text) { return text != "" && text != "?"; };
    for (size_t i = 0; i < a["alone"].size(); ++i) {
      const Json &in_a = a["alone"][i], &in_b = b["alone"][i];
      if (says(in_a) && says(in_b) && in_a != in_b) return true;
    }
    return false;
  }

  const Overload& o_;
  const std::vector<Parameter>& params_;
  std::vector<Args> samples_;
  int main_ = -1;
};

/// The dtypes that two operands may promote to. The shapes decide too: a 0-d tensor only counts if
/// its kind of number is higher.
Json promotions() {
  const auto operands = [](const Key& key) -> std::vector<Tensor> {
    if (!key.dtype) return {Tensor(key.number)};
    return {ones({2}, *key.dtype), ones({}, *key.dtype)};
  };
  Json found = Json::array();
  for (const Key& a : keys()) {
    Json row = Json::array();
    for (const Key& b : keys()) {
      Outcome outcome;
      for (const Tensor& x : operands(a)) {
        for (const Tensor& y : operands(b)) outcome.gave({letter(result_type(x, y))});
      }
      row.push_back(outcome.text());
    }
    found.push_back(row);
  }
  return found;
}

}  // namespace

std::string probe() {
  Json names = Json::array();
  for (const Key& key : keys()) names.push_back(key.name);
  Json overloads = Json::object();
  for (const Function& f : functions()) {
    for (const Overload& o : f.overloads) {
      const std::string& text = o.signature.text;
      if (!f.is_internal && !overloads.contains(text)) overloads[text] = Prober(o).describe();
    }
  }
  return Json{{"keys", names}, {"promote", promotions()}, {"overloads", overloads}}.dump();
}

EXPORT(tm_probe) void tm_probe() { set_reply(probe()); }

}  // namespace tamis::web
