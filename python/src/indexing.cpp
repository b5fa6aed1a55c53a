// Indexing: x[...] read and assigned, by PyTorch's rules; what Python writes between the brackets
// as entries of an index. Lengths, iteration and `in` are here too.
#include "tamis/index.h"

#include <algorithm>
#include <optional>

#include "convert.h"
#include "gil.h"
#include "slots.h"
#include "tamis/create.h"
#include "tamis/pointwise.h"
#include "tamis/reduce.h"

namespace tamis::python {

namespace {

// ---- the items of an index ----------------------------------------------------------------------

bool is_sequence(PyObject* o) { return PyList_Check(o) || PyTuple_Check(o); }

/// A list that holds more than numbers and lists of them counts as a tuple.
bool stands_for_tuple(PyObject* list) {
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(list); ++i) {
    PyObject* item = PySequence_Fast_GET_ITEM(list, i);
    if (item == Py_None || item == Py_Ellipsis || PySlice_Check(item) || is_tensor(item) ||
        is_ndarray(item) || is_torch_tensor(item)) {
      return true;
    }
  }
  return false;
}

Index integer_index(PyObject* o) {
  const Py_ssize_t i = PyNumber_AsSsize_t(o, PyExc_IndexError);
  if (i == -1 && PyErr_Occurred() != nullptr) throw py::error_already_set();
  return static_cast<int64_t>(i);
}

/// A slice whose borders Python has already brought into 64 bits.
Index slice_index(PyObject* o) {
  Py_ssize_t start, stop, step;
  if (PySlice_Unpack(o, &start, &stop, &step) < 0) throw py::error_already_set();
  if (step <= 0) {
    raise_python(PyExc_ValueError,
                 "step must be greater than zero; write x.flip(dim) to reverse a dimension");
  }
  return Slice(start, stop, step);
}

bool is_bool_constant(PyObject* o) {
  return PyBool_Check(o) || (is_numpy_scalar(o) && from_numpy_scalar(o).dtype() == DType::boolean);
}

Index tensor_index(Tensor tensor) {
  if (tensor.dtype() == DType::uint8 && tensor.dim() > 0) {
    raise_python(
        PyExc_RuntimeError,
        "x[mask]: expected BoolTensor for mask, but got Byte; write mask.bool() or mask != 0");
  }
  return Index(std::move(tensor));
}

/// One entry of an index.
Index to_index(PyObject* o) {
  if (o == Py_None) return None;
  if (o == Py_Ellipsis) return Ellipsis;
  if (PySlice_Check(o)) return slice_index(o);
  if (is_sequence(o)) {
    const bool nothing = PySequence_Fast_GET_SIZE(o) == 0;
    return tensor_index(nothing ? empty({0}, DType::int64) : values_to_tensor(o, {}));
  }
  if (is_bool_constant(o)) {
    const int truth = PyObject_IsTrue(o);
    if (truth < 0) throw py::error_already_set();
    return truth != 0;
  }
  if (PyLong_Check(o) || is_numpy_scalar(o)) return integer_index(o);
  Origins origins;
  if (auto tensor = array_to_tensor(o, origins, Copying::if_needed)) {
    return tensor_index(std::move(*tensor));
  }
  if (PyIndex_Check(o)) return integer_index(o);
  if (PyRange_Check(o)) return to_index(steal(PySequence_List(o)).ptr());
  if (PyUnicode_Check(o)) {  // a sequence, but not of numbers
    raise_python(PyExc_TypeError, "new(): invalid data type 'str'");
  }
  raise_python(PyExc_IndexError,
               "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are "
               "valid indices (got " +
                   std::string(Py_TYPE(o)->tp_name) + ")");
}

/// The index where x is. As in PyTorch, indices and masks may be on the CPU, as lists are, whatever
/// they are for.
Index moved(Index index, const Tensor& x) {
  const auto* t = std::get_if<Tensor>(&index.value());
  if (t == nullptr || t->dim() == 0 || is_on_host(x) || !is_on_host(*t)) return index;
  return Index(without_gil([&] { return to_backend(*t, backend_of(x)); }));
}

std::vector<Index> to_indices(PyObject* index, const Tensor& x) {
  std::vector<Index> indices;
  const bool several = PyTuple_Check(index) || (PyList_Check(index) && stands_for_tuple(index));
  if (!several) {
    indices.push_back(moved(to_index(index), x));
    return indices;
  }
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(index); ++i) {
    indices.push_back(moved(to_index(PySequence_Fast_GET_ITEM(index, i)), x));
  }
  return indices;
}

// ---- slots --------------------------------------------------------------------------------------

bool is_mask(PyObject* o) { return is_tensor(o) && tensor_of(o).dtype() == DType::boolean; }

/// Whether the indices move no element.
bool is_view(const std::vector<Index>& indices) {
  return std::none_of(indices.begin(), indices.end(), [](const Index& i) {
    return std::holds_alternative<Tensor>(i.value()) || std::holds_alternative<bool>(i.value());
  });
}

PyObject* subscript(PyObject* self, PyObject* index) {
  return guard([&] {
    const Tensor x = tensor_of(self);
    if (x.dim() == 0 && PyLong_Check(index) && !PyBool_Check(index)) {
      raise_python(
          PyExc_IndexError,
          "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` "
          "in C++ to convert a 0-dim tensor to a number");
    }
    const std::vector<Index> indices = to_indices(index, x);
    const bool quick =
        is_mask(index) ? is_quick(x, tensor_of(index)) : is_view(indices) && storage_of(x)->ready();
    Tensor result = without_gil_unless(quick, [&] { return tamis::index(x, indices); });
    return wrap(&result.impl() == &x.impl() ? result.detach() : std::move(result));
  });
}

int assign(PyObject* self, PyObject* index, PyObject* value) {
  return guard_int([&] {
    if (value == nullptr) raise_python(PyExc_TypeError, "Tensor does not support deleting items");
    Tensor x = tensor_of(self);
    Origins origins;
    std::optional<Tensor> v = array_to_tensor(value, origins, Copying::if_needed);
    if (!v) {
      const auto number = number_to_scalar(value);
      if (!number) {
        raise_python(PyExc_TypeError, std::string("can't assign a ") + Py_TYPE(value)->tp_name +
                                          " to a tamis.Tensor");
      }
      v = Tensor(*number);
    }
    const std::vector<Index> indices = to_indices(index, x);
    const bool quick =
        is_mask(index) && is_quick_to_write(x) && is_quick(tensor_of(index)) && is_quick(*v);
    without_gil_unless(quick, [&] { index_put_(x, indices, *v); });
    return 0;
  });
}

Py_ssize_t length(PyObject* self) {
  return guard_int([&]() -> Py_ssize_t {
    const Tensor& x = tensor_of(self);
    if (x.dim() == 0) raise_python(PyExc_TypeError, "len() of a 0-d tensor");
    return x.size(0);
  });
}

/// x[i] by the sequence protocol, which NumPy uses before it unpacks a list of tensors.
PyObject* item(PyObject* self, Py_ssize_t i) {
  return guard([&] { return wrap(tensor_of(self).select(0, i)); });
}

int contains(PyObject* self, PyObject* value) {
  return guard_int([&] {
    const Tensor x = tensor_of(self);
    Origins origins;
    std::optional<Tensor> v = array_to_tensor(value, origins, Copying::if_needed);
    if (!v) {
      const auto number = number_to_scalar(value);
      if (!number) {
        raise_python(
            PyExc_RuntimeError,
            std::string(
                "Tensor.__contains__ only supports Tensor or scalar, but you passed in a ") +
                Py_TYPE(value)->tp_name + ".");
      }
      v = Tensor(*number);
    }
    return without_gil([&] { return static_cast<int>((x == *v).any().item().to_bool()); });
  });
}

PyObject* iterate(PyObject* self) {
  return guard([&] {
    const Tensor x = tensor_of(self);
    if (x.dim() == 0) raise_python(PyExc_TypeError, "iteration over a 0-d tensor");
    without_gil([&] { x.settle(); });  // once, not once per row
    const py::object rows = steal(PyTuple_New(x.size(0)));
    for (int64_t i = 0; i < x.size(0); ++i) PyTuple_SET_ITEM(rows.ptr(), i, wrap(x.select(0, i)));
    return checked(PyObject_GetIter(rows.ptr()));
  });
}

}  // namespace

void add_indexing_slots(std::vector<PyType_Slot>& slots) {
  slots.push_back({Py_mp_subscript, reinterpret_cast<void*>(subscript)});
  slots.push_back({Py_mp_ass_subscript, reinterpret_cast<void*>(assign)});
  slots.push_back({Py_mp_length, reinterpret_cast<void*>(length)});
  slots.push_back({Py_sq_length, reinterpret_cast<void*>(length)});
  slots.push_back({Py_sq_item, reinterpret_cast<void*>(item)});
  slots.push_back({Py_sq_contains, reinterpret_cast<void*>(contains)});
  slots.push_back({Py_tp_iter, reinterpret_cast<void*>(iterate)});
}

}  // namespace tamis::python
