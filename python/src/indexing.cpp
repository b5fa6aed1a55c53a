// Indexing: x[...] read and assigned, by PyTorch's rules; what Python writes between the brackets
// as entries of an index. Lengths, iteration and `in` are here too.
#include "tamis/index.h"

#include <algorithm>
#include <optional>

#include "autograd/node.h"
#include "convert.h"
#include "gil.h"
#include "ops/index/indexed.h"
#include "slots.h"
#include "tamis/create.h"
#include "tamis/pointwise.h"
#include "tamis/reduce.h"
#include "tamis/view.h"

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

Index to_index(PyObject* o);

/// A slice whose borders Python has already brought into 64 bits.
Index slice_index(PyObject* o) {
  Py_ssize_t start, stop, step;
  if (PySlice_Unpack(o, &start, &stop, &step) < 0) throw py::error_already_set();
  return Slice(start, stop, step);
}

/// A view with the elements that slices with negative steps name, in its own order, and what
/// remains to be done: reverse `dims`, then apply `key`. PyTorch refuses such slices.
struct Backward {
  Tensor view;
  Shape dims;
  py::tuple key;
};

bool goes_backward(PyObject* o) {
  if (!PySlice_Check(o) || reinterpret_cast<PySliceObject*>(o)->step == Py_None) return false;
  Py_ssize_t start, stop, step;
  if (PySlice_Unpack(o, &start, &stop, &step) < 0) throw py::error_already_set();
  return step < 0;
}

/// How many dimensions of x an entry of an index stands for.
int64_t dimensions_of(PyObject* o) {
  if (o == Py_None || o == Py_Ellipsis || PyBool_Check(o)) return 0;
  if (PySlice_Check(o) || PyLong_Check(o)) return 1;
  const Index index = to_index(o);
  if (std::holds_alternative<bool>(index.value())) return 0;
  const auto* t = std::get_if<Tensor>(&index.value());
  return t != nullptr && t->dtype() == DType::boolean ? t->dim() : 1;
}

/// Takes the slices with negative steps out of an index; nothing if there are none.
std::optional<Backward> take_backward(PyObject* index, const Tensor& x) {
  const bool several = PyTuple_Check(index);
  bool any = !several && goes_backward(index);
  for (Py_ssize_t i = 0; several && i < PyTuple_GET_SIZE(index) && !any; ++i) {
    any = goes_backward(PyTuple_GET_ITEM(index, i));
  }
  if (!any) return std::nullopt;
  const py::object tuple = several ? borrow(index) : steal(PyTuple_Pack(1, index));
  PyObject* const items = tuple.ptr();
  const Py_ssize_t count = PyTuple_GET_SIZE(items);
  int64_t named = 0;
  for (Py_ssize_t i = 0; i < count; ++i) named += dimensions_of(PyTuple_GET_ITEM(items, i));
  Backward result{x, {}, py::tuple(count)};
  int64_t dim = 0;
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* const item = PyTuple_GET_ITEM(items, i);
    const bool taken = goes_backward(item);
    result.key[static_cast<size_t>(i)] =
        taken ? py::object(py::slice(py::none(), py::none(), py::none())) : borrow(item);
    if (taken && dim < x.dim()) {  // else there are too many, as the rest of the key will show
      Py_ssize_t start, stop, step;
      PySlice_Unpack(item, &start, &stop, &step);
      const Py_ssize_t n = PySlice_AdjustIndices(x.size(dim), &start, &stop, step);
      result.view = n == 0 ? result.view.slice(dim, 0, 0)
                           : result.view.slice(dim, start + (n - 1) * step, start + 1, -step);
      result.dims.push_back(dim);
    }
    dim += item == Py_Ellipsis ? std::max<int64_t>(x.dim() - named, 0) : dimensions_of(item);
  }
  return result;
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

/// x[1], x[1:] and the elements of a vector that few integers name. Null if the index is another
/// one, or is refused.
PyObject* plain_subscript(const Tensor& x, PyObject* index) {
  if (x.dim() == 0) return nullptr;
  if (is_tensor(index)) {
    if (!is_quick(tensor_of(index)) || tensor_of(index).dim() == 0 || is_tracked(x)) return nullptr;
    Tensor few = take_few(x, tensor_of(index), true);
    return few.defined() ? wrap(std::move(few)) : nullptr;
  }
  const int64_t size = x.shape()[0];
  if (PyLong_CheckExact(index)) {
    int overflow = 0;
    const long long i = PyLong_AsLongLongAndOverflow(index, &overflow);
    return overflow == 0 && i >= -size && i < size ? wrap(x.select(0, i)) : nullptr;
  }
  if (!PySlice_Check(index)) return nullptr;
  Py_ssize_t start, stop, step;
  if (PySlice_Unpack(index, &start, &stop, &step) < 0) throw py::error_already_set();
  if (step < 1 || PySlice_AdjustIndices(size, &start, &stop, step) == size) return nullptr;
  return wrap(x.slice(0, start, stop, step));
}

PyObject* subscript(PyObject* self, PyObject* index) {
  return guard([&] {
    if (PyObject* view = plain_subscript(tensor_of(self), index)) return view;
    const Tensor x = tensor_of(self);
    if (x.dim() == 0 && PyLong_Check(index) && !PyBool_Check(index)) {
      raise_python(
          PyExc_IndexError,
          "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` "
          "in C++ to convert a 0-dim tensor to a number");
    }
    if (auto backward = take_backward(index, x)) {
      const Tensor reversed = without_gil([&] { return flip(backward->view, backward->dims); });
      return subscript(steal(wrap(reversed)).ptr(), backward->key.ptr());
    }
    const std::vector<Index> indices = to_indices(index, x);
    const bool quick = is_mask(index) ? is_quick(x, tensor_of(index)) : is_view(indices);
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
    if (auto backward = take_backward(index, x)) {
      const std::vector<Index> rest = to_indices(backward->key.ptr(), backward->view);
      without_gil([&] {
        Tensor reversed = flip(backward->view, backward->dims);
        index_put_(reversed, rest, *v);
        backward->view.copy_(flip(reversed, backward->dims));
      });
      return 0;
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
