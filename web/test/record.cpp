// Records what every row of the native library gives for its samples, over dtypes, so that the
// JavaScript package can be compared with it: record FOLDER writes calls.json and
// tensors.safetensors there. web/test/sweep.js makes the same calls.
#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "core/tensor_impl.h"
#include "ops/forms/forms.h"
#include "tamis/tamis.h"

namespace tamis {
namespace {

using Json = nlohmann::ordered_json;

constexpr DType kDTypes[] = {boolean,  uint8,   int32,   int64,    float16,
                             bfloat16, float32, float64, complex64};

/// Tensors under names of their own.
class Store {
 public:
  std::string add(const Tensor& x) {
    const std::string name = fmt::format("t{}", tensors_.size());
    tensors_.emplace_back(name, x.detach().contiguous().clone());
    return name;
  }
  void save(const std::string& path) const { save_all(path, tensors_); }

 private:
  NamedTensors tensors_;
};

Json number(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

Json number(const Scalar& v) {
  if (v.dtype() == DType::boolean) return v.to_bool();
  if (v.is_complex())
    return {{"re", number(v.to_complex().real())}, {"im", number(v.to_complex().imag())}};
  if (v.is_floating_point()) return {{"real", number(v.to_double())}};
  return {{"int", std::to_string(v.to_int64())}};
}

/// In JavaScript 2.0 is 2, so it cannot be told from an integer.
bool is_ambiguous(const Scalar& v) {
  return v.is_floating_point() && std::trunc(v.to_double()) == v.to_double() &&
         !std::isinf(v.to_double());
}

/// A value as JSON; null where JavaScript has no way to write it.
class Encoder {
 public:
  explicit Encoder(Store& store) : store_(store) {}

  Json value(const Value& v) {
    if (std::holds_alternative<std::monostate>(v)) return {{"none", true}};
    if (const auto* x = std::get_if<Tensor>(&v)) return tensor(*x);
    if (const auto* list = std::get_if<std::vector<Tensor>>(&v)) {
      Json items = Json::array();
      for (const Tensor& x : *list) items.push_back(tensor(x));
      return {{"list", items}};
    }
    if (const auto* s = std::get_if<Scalar>(&v)) {
      return is_ambiguous(*s) ? Json() : Json{{"number", number(*s)}};
    }
    if (const auto* i = std::get_if<int64_t>(&v)) return {{"number", number(Scalar(*i))}};
    if (const auto* d = std::get_if<double>(&v)) return {{"number", number(Scalar(*d))}};
    if (const auto* b = std::get_if<bool>(&v)) return {{"number", *b}};
    if (const auto* d = std::get_if<DType>(&v)) return {{"text", name(*d)}};
    if (const auto* s = std::get_if<std::string>(&v)) return {{"text", *s}};
    if (const auto* shape = std::get_if<Shape>(&v)) {
      return {{"sizes", std::vector<int64_t>(shape->begin(), shape->end())}};
    }
    return nullptr;
  }

 private:
  /// A number that stands for a tensor is written as a number.
  Json tensor(const Tensor& x) {
    if (!x.defined()) return {{"none", true}};
    const bool is_number = x.impl().is_number;
    if (is_number && x.dim() == 0 && !is_ambiguous(x.item())) return {{"number", number(x.item())}};
    if (is_number || x.dtype() == DType::complex128) return nullptr;  // which the file cannot store
    return {{"tensor", store_.add(x)}};
  }

  Store& store_;
};

/// The arguments with tensors of numbers converted; those that index stay what they are.
Args as_dtype(const Row& row, const Args& args, DType dtype) {
  static const std::set<std::string> kIndices = {"index",  "indices", "offsets",
                                                 "sorter", "repeats", "lengths"};
  Args result = args;
  for (size_t i = 0; i < result.size(); ++i) {
    const std::string& name = row.signature.params[i].name;
    if (kIndices.count(name) != 0 || name == "mask") continue;
    const auto convert = [&](Tensor& x) {
      if (x.defined() && !(x.impl().is_number && x.dim() == 0)) x = x.to(dtype);
    };
    if (auto* x = std::get_if<Tensor>(&result[i])) convert(*x);
    if (auto* list = std::get_if<std::vector<Tensor>>(&result[i])) {
      for (Tensor& x : *list) convert(x);
    }
  }
  return result;
}

/// One call of a form, with what it gave, or the kind of the error; null if it cannot be written.
Json record(const Form& form, const Args& args, Store& store) {
  Encoder encoder(store);
  Json call = {{"space", form.row.signature.space},
               {"name", form.row.signature.name},
               {"method", form.is_method},
               {"args", Json::array()}};
  Args own = args;
  while (own.size() < form.row.signature.params.size()) {
    own.push_back(form.row.signature.params[own.size()].fallback);
  }
  for (size_t i = 0; i < args.size(); ++i) {
    Json item = encoder.value(args[i]);
    if (item.is_null()) return nullptr;
    // C++ takes a number for any tensor; bindings take it where the signature says so.
    const Parameter& p = form.row.signature.params[i];
    const bool is_self = form.is_method && i == 0;
    const bool takes_number = p.type() != ParamType::tensor || p.takes(ParamType::scalar);
    if (item.contains("number") && (is_self || !takes_number)) return nullptr;
    // A whole number is an integer in JavaScript, which is tried first.
    const auto* real = std::get_if<double>(&args[i]);
    const bool is_whole = real != nullptr && *real == std::trunc(*real);
    if (is_whole && p.takes(ParamType::integer)) return nullptr;
    // Integers that fill a new tensor are reals in JavaScript (web/src/match.cpp).
    const bool fills = form.row.creates && p.name == "fill_value";
    if (fills && std::get<Scalar>(args[i]).dtype() == DType::int64) return nullptr;
    if (i >= form.row.signature.positional) item["name"] = p.name;
    call["args"].push_back(item);
  }
  if (form.row.signature.writes_input()) {
    own[0] = std::get<Tensor>(own[0]).clone();
    // As bindings have it: what is written decides the dtype.
    const int dtype = form.row.signature.find(ParamType::dtype);
    if (dtype >= 0 && std::holds_alternative<std::monostate>(own[static_cast<size_t>(dtype)])) {
      own[static_cast<size_t>(dtype)] = std::get<Tensor>(own[0]).dtype();
    }
  }
  manual_seed(7);
  try {
    Value result = form.row.call(own);
    call["result"] = encoder.value(result);
  } catch (const Error& e) {
    call["error"] = std::string(e.what()).substr(0, 200);
  }
  if (call.contains("result") && call["result"].is_null()) return nullptr;
  return call;
}

/// Whether a dtype says anything about this row: it takes tensors of numbers.
bool takes_tensors(const Args& args) {
  for (const Value& v : args) {
    if (std::holds_alternative<Tensor>(v) || std::holds_alternative<std::vector<Tensor>>(v))
      return true;
  }
  return false;
}

void run(const std::string& folder) {
  Store store;
  Json calls = Json::array();
  int left_out = 0;
  const auto add = [&](const Form& form, const Args& args) {
    Json call = record(form, args, store);
    call.is_null() ? static_cast<void>(++left_out) : calls.push_back(std::move(call));
  };
  for (const std::vector<Row>* rows : {&all_rows(), &method_rows()}) {
    for (const Row& row : *rows) {
      for (const Form& form : forms_of(row)) {
        for (const Args& sample : row.samples) {
          add(form, sample);
          if (!takes_tensors(sample)) continue;
          for (DType dtype : kDTypes) add(form, as_dtype(row, sample, dtype));
        }
      }
    }
  }
  store.save(folder + "/tensors.safetensors");
  std::ofstream(folder + "/calls.json") << calls.dump() << '\n';
  fmt::print("recorded {} calls; {} have arguments or results that JavaScript cannot write\n",
             calls.size(), left_out);
}

}  // namespace
}  // namespace tamis

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  tamis::run(argv[1]);
}
