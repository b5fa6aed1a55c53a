// Conversion: values of JavaScript as the values that rows take.
#include <algorithm>

#include "core/check.h"
#include "core/tensor_impl.h"
#include "functions.h"
#include "tamis/create.h"
#include "tamis/device.h"

namespace tamis::web {

namespace {

std::optional<Scalar> to_number(const Argument& a) {
  if (a.is_integer()) return Scalar(a.to_integer());
  switch (a.kind) {
    case Kind::number:
      return Scalar(a.number);
    case Kind::bigint:  // beyond int64
      return Scalar(static_cast<uint64_t>(a.integer));
    case Kind::boolean:
      return Scalar(a.truth);
    case Kind::complex:
      return Scalar(std::complex<double>(a.number, a.imaginary));
    default:
      return std::nullopt;
  }
}

/// The numbers of nested lists, in row-major order, and their shape.
struct Flat {
  std::vector<Scalar> numbers;
  Shape shape;

  bool add(const Argument& a, size_t level) {
    if (a.kind != Kind::list) {
      const auto number = to_number(a);
      if (!number || level != shape.size()) return false;
      numbers.push_back(*number);
      return true;
    }
    const auto size = static_cast<int64_t>(a.items.size());
    if (level == shape.size() && numbers.empty()) shape.push_back(size);
    if (level >= shape.size() || shape[level] != size) return false;
    return std::all_of(a.items.begin(), a.items.end(),
                       [&](const Argument& item) { return add(item, level + 1); });
  }

  bool all(DType dtype) const {
    return std::all_of(numbers.begin(), numbers.end(),
                       [&](const Scalar& s) { return s.dtype() == dtype; });
  }
};

/// A list that stands for a tensor: bools, integers, or else float32.
std::optional<Value> list_to_tensor(ParamType type, const Argument& a) {
  Flat flat;
  if (a.kind != Kind::list || !flat.add(a, 0)) return std::nullopt;
  if (type == ParamType::reals) {  // as a number: whatever the dtype of the input is
    std::vector<double> values;
    for (const Scalar& s : flat.numbers) values.push_back(s.to_double());
    Tensor list = tensor(values).reshape(flat.shape);
    list.impl().is_number = true;
    return list;
  }
  if (type == ParamType::flags || (!flat.numbers.empty() && flat.all(DType::boolean))) {
    std::vector<uint8_t> values;
    for (const Scalar& s : flat.numbers) values.push_back(s.to_bool() ? 1 : 0);
    return tensor(values).to(DType::boolean).reshape(flat.shape);
  }
  if (!flat.numbers.empty() && flat.all(DType::uint64)) {
    std::vector<uint64_t> values;
    for (const Scalar& s : flat.numbers) values.push_back(s.to<uint64_t>());
    return tensor(values).reshape(flat.shape);
  }
  if (flat.all(DType::int64)) {  // so is an empty one: lengths or indices
    std::vector<int64_t> values;
    for (const Scalar& s : flat.numbers) values.push_back(s.to_int64());
    return tensor(values).reshape(flat.shape);
  }
  std::vector<double> values;
  for (const Scalar& s : flat.numbers) values.push_back(s.to_double());
  return tensor(values).to(DType::float32).reshape(flat.shape);
}

/// One of the other ways to write a tensor.
std::optional<Value> to_tensor_from(ParamType type, const Argument& a) {
  if (type == ParamType::scalar) {
    const auto number = to_number(a);
    if (!number) return std::nullopt;
    return Tensor(*number);
  }
  if (type == ParamType::integer) {
    if (!a.is_integer()) return std::nullopt;
    return tensor(a.to_integer());
  }
  return list_to_tensor(type, a);
}

std::optional<int64_t> to_integer(const Argument& a, const Objects& objects) {
  if (a.is_integer()) return a.to_integer();
  if (a.kind != Kind::tensor) return std::nullopt;
  const Tensor x = objects.tensor(a.handle);
  if (x.numel() != 1 || !is_integral(x.dtype()) || x.dtype() == DType::boolean) return std::nullopt;
  const Scalar number = x.item();
  if (number.is_beyond_int64()) return std::nullopt;
  return number.to_int64();
}

std::optional<Value> to_integers(const Argument& a, const Objects& objects) {
  Shape shape;
  if (a.kind != Kind::list) {
    const auto one = to_integer(a, objects);
    if (!one) return std::nullopt;
    shape.push_back(*one);
    return shape;
  }
  for (const Argument& item : a.items) {
    const auto one = to_integer(item, objects);
    if (!one) return std::nullopt;
    shape.push_back(*one);
  }
  return shape;
}

std::optional<Value> to_tensors(const Argument& a, const Objects& objects) {
  if (a.kind != Kind::list) return std::nullopt;
  std::vector<Tensor> tensors;
  for (const Argument& item : a.items) {
    if (item.kind != Kind::tensor) return std::nullopt;
    tensors.push_back(objects.tensor(item.handle));
  }
  return tensors;
}

std::optional<Value> to_scalar(const Argument& a, const Objects& objects) {
  if (const auto number = to_number(a)) return *number;
  if (a.kind != Kind::tensor) return std::nullopt;
  const Tensor x = objects.tensor(a.handle);
  if (x.dim() != 0) return std::nullopt;
  return x.item();
}

std::optional<Value> to_dtype(const Argument& a) {
  if (a.kind != Kind::text) return std::nullopt;
#define X(constant, type, ...) \
  if (a.text == name(DType::constant)) return DType::constant;
  TAMIS_DTYPES(X)
#undef X
  return std::nullopt;
}

/// What is not a tensor, as a value of its own.
std::optional<Value> convert_as(ParamType type, const Parameter& p, const Argument& a,
                                const Objects& objects) {
  switch (type) {
    case ParamType::scalar:
      return to_scalar(a, objects);
    case ParamType::integer:
      if (const auto one = to_integer(a, objects)) return *one;
      return std::nullopt;
    case ParamType::real:
      if (a.kind == Kind::number) return a.number;
      if (a.kind == Kind::bigint) return to_number(a)->to_double();
      return std::nullopt;
    case ParamType::flag:
      if (a.kind != Kind::boolean || (p.literal && *p.literal != a.truth)) return std::nullopt;
      return a.truth;
    case ParamType::dtype:
      return to_dtype(a);
    case ParamType::integers:
      return to_integers(a, objects);
    case ParamType::generator:
      if (a.kind != Kind::generator) return std::nullopt;
      return objects.generator(a.handle);
    case ParamType::device:
      if (a.kind != Kind::text) return std::nullopt;
      return Device(a.text).str();
    case ParamType::string:
      if (a.kind != Kind::text) return std::nullopt;
      return std::string(a.text);
    case ParamType::tensor:
    case ParamType::tensors:
    case ParamType::scalars:
    case ParamType::reals:
    case ParamType::flags:
      break;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Value> convert(const Parameter& p, const Argument& a, const Objects& objects,
                             bool is_self) {
  if (p.type() == ParamType::tensors) return to_tensors(a, objects);
  if (p.type() == ParamType::tensor) {
    if (a.kind == Kind::tensor) return objects.tensor(a.handle);
    for (size_t i = 1; i < p.types.size() && !is_self; ++i) {
      if (auto value = to_tensor_from(p.types[i], a)) return value;
    }
    return std::nullopt;
  }
  for (ParamType type : p.types) {
    if (auto value = convert_as(type, p, a, objects)) return value;
  }
  return std::nullopt;
}

}  // namespace tamis::web
