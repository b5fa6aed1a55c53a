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

bool is_list(PyObject* o) { return PyList_Check(o) || PyTuple_Check(o); }

/// A list given for a tensor.
Tensor list_to_tensor(ParamType type, PyObject* o) {
  if (type == ParamType::reals) {  // as a number: whatever the dtype of the input is
    Tensor list = values_to_tensor(o, DType::float64);
    list.impl().is_number = true;
    return list;
  }
  if (PySequence_Fast_GET_SIZE(o) > 0) return values_to_tensor(o, {});
  // An empty list of lengths or indices holds integers, whatever tensor([]) is.
  return empty({0}, type == ParamType::flags ? DType::boolean : DType::int64);
}

/// One of the other ways to write a tensor.
bool to_tensor_from(ParamType type, PyObject* o, Value& value) {
  switch (type) {
    case ParamType::scalar: {
      const auto number = number_to_scalar(o);
      if (number) value = Tensor(*number);
      return number.has_value();
    }
    case ParamType::integer:
      if (!PyLong_Check(o)) return false;
      value = values_to_tensor(o, {});
      return true;
    default:
      if (!is_list(o)) return false;
      value = list_to_tensor(type, o);
      return true;
  }
}

bool to_tensor(const Parameter& p, PyObject* o, Value& value, Origins& origins, Copying copying,
               bool is_self) {
  if (auto tensor = array_to_tensor(o, origins, copying)) {
    value = std::move(*tensor);
    return true;
  }
  for (size_t i = 1; i < p.types.size() && !is_self; ++i) {
    if (to_tensor_from(p.types[i], o, value)) return true;
  }
  return false;
}

bool to_tensors(PyObject* o, Value& value, Origins& origins, Copying copying) {
  if (!is_list(o)) return false;
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

bool to_flag(const Parameter& p, PyObject* o, Value& value) {
  if (!PyBool_Check(o)) return false;
  value = o == Py_True;
  return !p.literal || *p.literal == (o == Py_True);
}

/// What is not a tensor, as a value of its own.
bool convert_as(ParamType type, const Parameter& p, PyObject* o, Value& value) {
  switch (type) {
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
    case ParamType::flag:
      return to_flag(p, o, value);
    case ParamType::dtype: {
      DType dtype;
      if (!dtype_from(o, dtype)) return false;
      value = dtype;
      return true;
    }
    case ParamType::integers: {
      Shape shape;
      if (!to_ints(o, shape)) return false;
      value = std::move(shape);
      return true;
    }
    case ParamType::generator:
      if (!py::isinstance<Generator>(o)) return false;
      value = py::cast<Generator>(py::handle(o));
      return true;
    case ParamType::device: {
      Device device;
      if (!device_from(o, device)) return false;
      value = device.str();
      return true;
    }
    case ParamType::string:
      if (!PyUnicode_Check(o)) return false;
      value = std::string(py::reinterpret_borrow<py::str>(o));
      return true;
    default:
      return false;
  }
}

}  // namespace

bool convert_argument(const Parameter& p, PyObject* o, Value& value, Origins& origins,
                      Copying copying, bool is_self) {
  if (p.type() == ParamType::tensor) return to_tensor(p, o, value, origins, copying, is_self);
  if (p.type() == ParamType::tensors) return to_tensors(o, value, origins, copying);
  for (ParamType type : p.types) {
    if (convert_as(type, p, o, value)) return true;
  }
  return false;
}

}  // namespace tamis::python
