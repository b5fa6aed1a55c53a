// Forms: rows made from rows: the method name_ that writes into input, the function with out=, and
// the one with device= and requires_grad=.
#include "core/check.h"
#include "core/convert.h"
#include "functions.h"
#include "ops/pointwise/pointwise.h"
#include "tamis/pointwise.h"

namespace tamis::python {

namespace {

using Span = std::span<const Value>;

std::vector<const Tensor*> tensors_of(Span args) {
  std::vector<const Tensor*> found;
  for (const Value& value : args) {
    if (const auto* tensor = std::get_if<Tensor>(&value)) found.push_back(tensor);
    if (const auto* list = std::get_if<std::vector<Tensor>>(&value)) {
      for (const Tensor& tensor : *list) found.push_back(&tensor);
    }
  }
  return found;
}

/// Nothing is written unless all of it can be.
void into_all(std::vector<Tensor>& outs, std::vector<Tensor>& results) {
  check(outs.size() == results.size(), ErrorKind::value, "out: expected {} tensors, but got {}",
        results.size(), outs.size());
  for (size_t i = 0; i < outs.size(); ++i) {
    check(can_cast(results[i].dtype(), outs[i].dtype()), ErrorKind::dtype,
          "result type {} can't be cast to the desired output type {}",
          scalar_type_name(results[i].dtype()), scalar_type_name(outs[i].dtype()));
  }
  for (size_t i = 0; i < outs.size(); ++i) into(outs[i], std::move(results[i]));
}

Value write_out(const Value& target, Value result) {
  const auto* one = std::get_if<Tensor>(&target);
  std::vector<Tensor> outs =
      one != nullptr ? std::vector<Tensor>{*one} : std::get<std::vector<Tensor>>(target);
  if (auto* tensor = std::get_if<Tensor>(&result)) result = std::vector<Tensor>{*tensor};
  into_all(outs, std::get<std::vector<Tensor>>(result));
  return outs;
}

/// A parameter behind the others that needs its name.
void add_keyword(std::string& signature, const char* parameter) {
  const bool has_star = signature.find("*, ") != std::string::npos;
  signature.insert(signature.find(") -> "), std::string(has_star ? ", " : ", *, ") + parameter);
}

}  // namespace

Row in_place_row(const Row& row) {
  Row form = row;
  form.in_place = form.out = false;
  form.signature.insert(row.signature.find('('), "_");
  form.summary = "In place: " + row.summary;
  form.call = [row](Span args) -> Value {
    Tensor x = std::get<Tensor>(args[0]);
    if (row.call_in_place) {
      row.call_in_place(args);
      return x;
    }
    Tensor result = std::get<Tensor>(row.call(args));
    return write_back(x, std::move(result), tensors_of(args.subspan(1)));
  };
  return form;
}

Row leaf_row(const Row& row) {
  Row form = row;
  add_keyword(form.signature, "str? device=None, bool requires_grad=False");
  form.call = [row](Span args) -> Value {
    const size_t own = args.size() - 2;
    if (const auto* device = std::get_if<std::string>(&args[own])) check_device(*device);
    Value result = row.call(args.first(own));
    if (std::get<bool>(args.back())) std::get<Tensor>(result).requires_grad_();
    return result;
  };
  return form;
}

Row out_row(const Row& row) {
  Row form = row;
  form.in_place = form.out = false;
  const bool several = row.signature[row.signature.find(") -> ") + 5] == '(';
  add_keyword(form.signature, several ? "Tensor[]? out=None" : "Tensor? out=None");
  form.call = [row](Span args) -> Value {
    Value result = row.call(args.first(args.size() - 1));
    if (std::holds_alternative<std::monostate>(args.back())) return result;
    return write_out(args.back(), std::move(result));
  };
  return form;
}

}  // namespace tamis::python
