// Forms: rows made from rows.
#include "ops/forms/forms.h"

#include "core/check.h"
#include "core/convert.h"
#include "ops/pointwise/pointwise.h"
#include "tamis/pointwise.h"

namespace tamis {

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

Row in_place_form(const Row& row) {
  Row form = row;
  form.of_one = nullptr;
  form.of_two = nullptr;
  form.signature = row.signature.renamed(row.signature.name + "_");
  form.summary = "In place: " + row.summary;
  for (std::string& alias : form.aliases) alias += "_";
  form.call = [call = row.call, in_place = row.call_in_place](Span args) -> Value {
    Tensor x = std::get<Tensor>(args[0]);
    if (in_place) {
      in_place(args);
      return x;
    }
    Tensor result = std::get<Tensor>(call(args));
    return write_back(x, std::move(result), tensors_of(args.subspan(1)));
  };
  return form;
}

Row leaf_form(const Row& row) {
  Row form = row;
  form.signature = row.signature.with_keywords("device? device=None, bool requires_grad=False");
  size_t at = 0;  // of the dtype, which Options replace
  while (row.signature.params[at].type() != ParamType::dtype) ++at;
  form.call = [call = row.call, at](Span args) -> Value {
    const Span given = args.first(args.size() - 2);
    const auto call_on = [&](const std::string& device) {
      Args own(given.begin(), given.end());
      Options options = Device(device);
      if (const auto* dtype = std::get_if<DType>(&own[at])) options.dtype = *dtype;
      own[at] = options;
      return call(own);
    };
    const auto* device = std::get_if<std::string>(&args[given.size()]);
    Value result = device ? call_on(*device) : call(given);
    if (std::get<bool>(args.back())) std::get<Tensor>(result).requires_grad_();
    return result;
  };
  return form;
}

Row out_form(const Row& row) {
  Row form = row;
  const bool several = row.signature.result == ParamType::tensors;
  form.signature = row.signature.with_keywords(several ? "Tensor[]? out=None" : "Tensor? out=None");
  form.call = [call = row.call, call_out = row.call_out](Span args) -> Value {
    const Span own = args.first(args.size() - 1);
    if (std::holds_alternative<std::monostate>(args.back())) return call(own);
    if (!call_out) return write_out(args.back(), call(own));
    Tensor out = std::get<Tensor>(args.back());
    call_out(out, own);
    return out;
  };
  return form;
}

}  // namespace

std::vector<Form> forms_of(const Row& row) {
  const Row leaf = row.creates ? leaf_form(row) : row;
  const Row full = row.out ? out_form(leaf) : leaf;
  std::vector<Form> forms;
  if (row.function) forms.push_back({full, false});
  if (row.method) forms.push_back({full, true});
  if (row.in_place) forms.push_back({in_place_form(row), true});
  return forms;
}

}  // namespace tamis
