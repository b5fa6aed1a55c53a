// What make_reference.py makes docs/reference.md from: the families of rows with their first
// samples.
#include "core/tensor_impl.h"
#include "functions.h"

namespace tamis::python {

namespace {

py::object value_object(const Value& value);

py::object tensor_object(const Tensor& x) {
  // A number given for a tensor is written as a number.
  if (x.impl().is_number && x.dim() == 0) return value_object(x.item());
  return steal(wrap(x));
}

py::object scalar_object(const Scalar& s) {
  if (s.dtype() == DType::boolean) return py::bool_(s.to_bool());
  if (s.dtype() == DType::int64) return py::int_(s.to_int64());
  return steal(wrap(Tensor(s))).attr("item")();
}

py::object value_object(const Value& value) {
  if (const auto* tensor = std::get_if<Tensor>(&value)) return tensor_object(*tensor);
  if (const auto* scalar = std::get_if<Scalar>(&value)) return scalar_object(*scalar);
  if (const auto* number = std::get_if<int64_t>(&value)) return py::int_(*number);
  if (const auto* number = std::get_if<double>(&value)) return py::float_(*number);
  if (const auto* truth = std::get_if<bool>(&value)) return py::bool_(*truth);
  if (const auto* dtype = std::get_if<DType>(&value)) return borrow(dtype_object(*dtype));
  if (const auto* shape = std::get_if<Shape>(&value)) return steal(shape_tuple(*shape));
  if (const auto* text = std::get_if<std::string>(&value)) return py::str(*text);
  if (const auto* tensors = std::get_if<std::vector<Tensor>>(&value)) {
    py::list list;
    for (const Tensor& x : *tensors) list.append(tensor_object(x));
    return list;
  }
  return py::none();
}

py::dict row_object(const Row& row) {
  py::list sample;
  for (const Value& value : row.samples.at(0)) sample.append(value_object(value));
  py::dict d;
  d["space"] = row.signature.space;
  d["name"] = row.signature.name;
  d["summary"] = row.summary;
  d["function"] = row.function;
  d["in_place"] = row.in_place;
  d["out"] = row.out;
  d["random"] = row.random;
  d["creates"] = row.creates;
  d["sample"] = sample;
  return d;
}

py::list families() {
  py::list all;
  for (const Family& family : all_families()) {
    py::list rows;
    for (const Row& row : family.rows()) rows.append(row_object(row));
    all.append(py::make_tuple(family.title, rows));
  }
  return all;
}

}  // namespace

void add_reference(py::module_& m) {
  m.def("_families", families, "The op rows by family: (title, [row as a dictionary]).");
}

}  // namespace tamis::python
