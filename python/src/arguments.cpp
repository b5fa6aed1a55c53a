// Arguments: Python objects as the values that rows take.
#include "core/tensor_impl.h"
#include "functions.h"
#include "tamis/create.h"
#include "tamis/generator.h"

namespace tamis::python {

namespace {

bool to_int(PyObject* o, int64_t& value) {
  if (PyBool_Check(o) || PyFloat_Check(o) || !PyIndex_Check(o)) return false;
  const py::object index = steal(PyNumber_Index(o));
  int overflow = 0;
  value = PyLong_AsLongLongAndOverflow(index.ptr(), &overflow);
  if (overflow != 0) raise_python(PyExc_RuntimeError, "Overflow when unpacking long");
  return true;
}

bool to_real(PyObject* o, Value& value) {
  if (PyFloat_Check(o)) {
    value = PyFloat_AS_DOUBLE(o);
    return true;
  }
  int64_t v;
  if (!to_int(o, v)) return false;
  value = static_cast<double>(v);
  return true;
}

bool to_text(PyObject* o, Value& value) {
  if (!PyUnicode_Check(o)) return false;
  value = std::string(py::reinterpret_borrow<py::str>(o));
  return true;
}

bool to_ints(PyObject* o, Shape& shape) {
  int64_t value;
  if (!PyList_Check(o) && !PyTuple_Check(o)) {
    if (is_tensor(o) && tensor_of(o).dim() > 0) return false;
    if (!to_int(o, value)) return false;
    shape.push_back(value);
    return true;
  }
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(o); ++i) {
    if (!to_int(PySequence_Fast_GET_ITEM(o, i), value)) return false;
    shape.push_back(value);
  }
  return true;
}

Tensor list_to_tensor(const Param& p, PyObject* o) {
  const bool nothing = !PyLong_Check(o) && PySequence_Fast_GET_SIZE(o) == 0;
  if (p.name == "q") {  // as a number: whatever the dtype of the input is
    Tensor q = values_to_tensor(o, DType::float64);
    q.impl().is_number = true;
    return q;
  }
  if (!nothing) return values_to_tensor(o, {});
  // An empty list of lengths or indices holds integers, whatever tensor([]) is.
  return empty({0}, p.name == "mask" ? DType::boolean : DType::int64);
}

bool to_tensor(const Param& p, PyObject* o, Value& value, Origins& origins, Copying copying) {
  if (auto tensor = array_to_tensor(o, origins, copying)) {
    value = std::move(*tensor);
    return true;
  }
  if (p.number) {
    if (const auto number = number_to_scalar(o)) {
      value = Tensor(*number);
      return true;
    }
  }
  const bool is_list = PyList_Check(o) || PyTuple_Check(o);
  if (!(p.list && is_list) && !(p.integer && PyLong_Check(o))) return false;
  value = list_to_tensor(p, o);
  return true;
}

bool to_tensors(const Param& p, PyObject* o, Value& value, Origins& origins, Copying copying) {
  if (!PyList_Check(o) && !PyTuple_Check(o)) {
    // max(x, dim, out=(values, indices)), but max(x, out=value).
    auto tensor = p.name == "out" ? array_to_tensor(o, origins, copying) : std::nullopt;
    if (!tensor) return false;
    value = std::vector<Tensor>{std::move(*tensor)};
    return true;
  }
  std::vector<Tensor> tensors;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(o); ++i) {
    auto tensor = array_to_tensor(PySequence_Fast_GET_ITEM(o, i), origins, copying);
    if (!tensor) return false;
    tensors.push_back(std::move(*tensor));
  }
  value = std::move(tensors);
  return true;
}

bool to_scalar(PyObject* o, Value& value) {
  if (const auto number = number_to_scalar(o)) {
    value = *number;
    return true;
  }
  Origins origins;
  const auto tensor = array_to_tensor(o, origins, Copying::if_needed);
  if (!tensor || tensor->dim() != 0) return false;
  value = tensor->item();
  return true;
}

}  // namespace

bool convert_argument(const Param& p, PyObject* o, Value& value, Origins& origins,
                      Copying copying) {
  switch (p.type) {
    case ParamType::tensor:
      return to_tensor(p, o, value, origins, copying);
    case ParamType::tensors:
      return to_tensors(p, o, value, origins, copying);
    case ParamType::scalar:
      return to_scalar(o, value);
    case ParamType::integer: {
      int64_t v;
      if (!to_int(o, v)) return false;
      value = v;
      return true;
    }
    case ParamType::real:
      return to_real(o, value);
    case ParamType::real_or_string:
      return to_real(o, value) || to_text(o, value);
    case ParamType::boolean:
      if (!PyBool_Check(o)) return false;
      value = o == Py_True;
      return true;
    case ParamType::dtype: {
      DType dtype;
      if (!dtype_from(o, dtype)) return false;
      value = dtype;
      return true;
    }
    case ParamType::integers: {
      int64_t v;
      if (p.single && to_int(o, v)) {
        value = v;
        return true;
      }
      Shape shape;
      if (!to_ints(o, shape)) return false;
      value = std::move(shape);
      return true;
    }
    case ParamType::generator:
      if (!py::isinstance<Generator>(o)) return false;
      value = py::cast<Generator>(py::handle(o));
      return true;
    case ParamType::string:
      return to_text(o, value);
  }
  return false;
}

}  // namespace tamis::python
