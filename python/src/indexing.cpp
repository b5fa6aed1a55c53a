// Indexing: x[...] read and assigned, by PyTorch's rules. Integers, slices, None and Ellipsis
// become views; what is left are tensors that each stand at a dimension of the view.
#include <optional>

#include "convert.h"
#include "core/check.h"
#include "slots.h"

namespace tamis::python {

namespace {

/// What the walk over an index leaves: a view of x and the tensors that index its dimensions. A
/// bool tensor of rank r takes r dimensions from `dim` on.
struct Place {
  int64_t dim;
  Tensor tensor;
};
struct Indexed {
  Tensor view;
  std::vector<Place> places;
};

// ---- the items of an index ----------------------------------------------------------------------

bool is_sequence(PyObject* o) { return PyList_Check(o) || PyTuple_Check(o); }

/// A list that holds more than numbers and lists of them is a tuple by another name.
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

/// One item of an index; a tensor if it is one or stands for one.
struct Item {
  PyObject* object;
  std::optional<Tensor> tensor;
};

Item to_item(PyObject* o) {
  if (is_sequence(o)) {
    const bool nothing = PySequence_Fast_GET_SIZE(o) == 0;
    return {o, nothing ? empty({0}, DType::int64) : values_to_tensor(o, {})};
  }
  Origins origins;
  return {o, array_to_tensor(o, origins, Copying::if_needed)};
}

std::vector<Item> items_of(PyObject* index) {
  std::vector<Item> items;
  const bool several = PyTuple_Check(index) || (PyList_Check(index) && stands_for_tuple(index));
  if (!several) {
    items.push_back(to_item(index));
    return items;
  }
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(index); ++i) {
    items.push_back(to_item(PySequence_Fast_GET_ITEM(index, i)));
  }
  return items;
}

bool is_bool_constant(PyObject* o) {
  return PyBool_Check(o) || (is_numpy_scalar(o) && from_numpy_scalar(o).dtype() == DType::boolean);
}

bool is_integer_item(const Item& item) {
  if (item.tensor) {
    return item.tensor->dim() == 0 && is_integral(item.tensor->dtype()) &&
           item.tensor->dtype() != DType::uint8;
  }
  return PyIndex_Check(item.object) && !is_bool_constant(item.object);
}

/// How many dimensions of x an item stands for.
int64_t consumed(const Item& item) {
  if (item.object == Py_None || item.object == Py_Ellipsis || is_bool_constant(item.object))
    return 0;
  const bool mask = item.tensor && (item.tensor->dtype() == DType::boolean ||
                                    item.tensor->dtype() == DType::uint8);
  return mask ? item.tensor->dim() : 1;
}

// ---- the walk -----------------------------------------------------------------------------------

class Walk {
 public:
  Walk(const Tensor& x, const std::vector<Item>& items) : result_{x, {}} {
    int64_t specified = 0;
    for (const Item& item : items) specified += consumed(item);
    check(specified <= x.dim(), ErrorKind::index, "too many indices for tensor of dimension {}",
          x.dim());
    for (const Item& item : items) {
      if (item.object == Py_Ellipsis) {
        dim_ += x.dim() - specified;
      } else {
        add(item);
      }
    }
  }

  Indexed take() { return std::move(result_); }

 private:
  Tensor& view() { return result_.view; }

  void add(const Item& item) {
    PyObject* o = item.object;
    if (o == Py_None) {
      view() = view().unsqueeze(dim_++);
    } else if (PySlice_Check(o)) {
      slice(o);
    } else if (is_bool_constant(o)) {
      const int truth = PyObject_IsTrue(o);
      if (truth < 0) throw py::error_already_set();
      constant(truth != 0);
    } else if (is_integer_item(item)) {
      select(o);
    } else if (item.tensor) {
      tensor(*item.tensor);
    } else if (PyUnicode_Check(o)) {  // a sequence, but not of numbers
      raise_python(PyExc_TypeError, "new(): invalid data type 'str'");
    } else {
      raise_python(
          PyExc_IndexError,
          "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are "
          "valid indices (got " +
              std::string(Py_TYPE(o)->tp_name) + ")");
    }
  }

  void select(PyObject* o) {
    const Py_ssize_t i = PyNumber_AsSsize_t(o, PyExc_IndexError);
    if (i == -1 && PyErr_Occurred() != nullptr) throw py::error_already_set();
    const int64_t size = view().size(dim_);
    check(i >= -size && i < size, ErrorKind::index,
          "index {} is out of bounds for dimension {} with size {}", i, dim_, size);
    view() = view().select(dim_, i);
  }

  void slice(PyObject* o) {
    Py_ssize_t start, stop, step;
    if (PySlice_Unpack(o, &start, &stop, &step) < 0) throw py::error_already_set();
    if (step <= 0) raise_python(PyExc_ValueError, "step must be greater than zero");
    if (start != 0 || stop < view().size(dim_) || step != 1)
      view() = view().slice(dim_, start, stop, step);
    ++dim_;
  }

  /// x[True] adds a dimension of size 1, x[False] one of size 0.
  void constant(bool truth) {
    view() = view().unsqueeze(dim_);
    Tensor mask = full({1}, truth);
    result_.places.push_back({dim_++, std::move(mask)});
  }

  void tensor(const Tensor& t) {
    if (t.dtype() == DType::boolean && t.dim() == 0) return constant(t.item().to_bool());
    check_index_dtype(t);
    if (t.dtype() == DType::boolean) check_mask_shape(t);
    result_.places.push_back({dim_, t});
    dim_ += t.dtype() == DType::boolean ? t.dim() : 1;
  }

  static void check_index_dtype(const Tensor& t) {
    const DType dtype = t.dtype();
    if (dtype == DType::uint8) {
      raise_python(
          PyExc_RuntimeError,
          "x[mask]: expected BoolTensor for mask, but got Byte; write mask.bool() or mask != 0");
    }
    if (dtype != DType::boolean && dtype != DType::int64 && dtype != DType::int32) {
      raise_python(PyExc_IndexError,
                   "tensors used as indices must be long, int, byte or bool tensors");
    }
  }

  void check_mask_shape(const Tensor& mask) {
    for (int64_t d = 0; d < mask.dim(); ++d) {
      check(mask.size(d) == view().size(dim_ + d), ErrorKind::index,
            "The shape of the mask {} at index {} does not match the shape of the indexed tensor "
            "{} at "
            "index {}",
            mask.shape(), d, view().shape(), dim_ + d);
    }
  }

  Indexed result_;
  int64_t dim_ = 0;
};

Indexed walk(const Tensor& x, PyObject* index) {
  // The only index is one integer or one mask: by far the most common cases.
  if (is_tensor(index) && tensor_of(index).dtype() == DType::boolean &&
      tensor_of(index).dim() > 0) {
    return Indexed{x, {{0, tensor_of(index)}}};
  }
  return Walk(x, items_of(index)).take();
}

// ---- one mask -----------------------------------------------------------------------------------

const Place& only_mask(const Indexed& indexed) {
  if (indexed.places.size() == 1 && indexed.places[0].tensor.dtype() == DType::boolean) {
    return indexed.places[0];
  }
  raise_python(
      PyExc_NotImplementedError,
      "x[...] takes integers, slices, None, ... and one bool mask; integer tensors, lists of "
      "integers and several masks are not implemented yet");
}

/// The order of dimensions that brings `count` of them, from `first` on, to the front.
Shape to_front(int64_t rank, int64_t first, int64_t count) {
  Shape order;
  for (int64_t d = first; d < first + count; ++d) order.push_back(d);
  for (int64_t d = 0; d < rank; ++d) {
    if (d < first || d >= first + count) order.push_back(d);
  }
  return order;
}

/// The order that brings dimension 0 to place `at`.
Shape from_front(int64_t rank, int64_t at) {
  Shape order;
  for (int64_t d = 1; d <= at; ++d) order.push_back(d);
  order.push_back(0);
  for (int64_t d = at + 1; d < rank; ++d) order.push_back(d);
  return order;
}

/// The masked dimensions of the view, moved to the front, where Masked wants them.
Tensor masked_first(const Indexed& indexed, const Place& place) {
  if (place.dim == 0) return indexed.view;
  return indexed.view.permute(to_front(indexed.view.dim(), place.dim, place.tensor.dim()));
}

Tensor get(const Indexed& indexed) {
  if (indexed.places.empty()) return indexed.view;
  const Place& place = only_mask(indexed);
  const Tensor selected = Masked(masked_first(indexed, place), place.tensor).get();
  if (place.dim == 0) return selected;
  return selected.permute(from_front(selected.dim(), place.dim)).contiguous();
}

/// value for a target of this rank, whose dimension `dim` is the selected one and stands first
/// there.
Tensor selected_first(Tensor value, int64_t rank, int64_t dim) {
  if (dim == 0) return value;
  while (value.dim() > rank && value.size(0) == 1) value = value.select(0, 0);
  if (value.dim() > rank) return value;
  while (value.dim() < rank) value = value.unsqueeze(0);
  return value.permute(to_front(rank, dim, 1));
}

void put(const Indexed& indexed, Tensor value) {
  if (!indexed.places.empty()) {
    const Place& place = only_mask(indexed);
    const int64_t rank = indexed.view.dim() - place.tensor.dim() + 1;
    Masked(masked_first(indexed, place), place.tensor)
        .put(selected_first(std::move(value), rank, place.dim));
    return;
  }
  Tensor target = indexed.view;
  while (value.dim() > target.dim() && value.size(0) == 1) value = value.select(0, 0);
  target.copy_(value);
}

// ---- slots --------------------------------------------------------------------------------------

PyObject* subscript(PyObject* self, PyObject* index) {
  return guard([&] {
    const Tensor x = tensor_of(self);
    if (x.dim() == 0 && PyLong_Check(index) && !PyBool_Check(index)) {
      raise_python(
          PyExc_IndexError,
          "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` "
          "in C++ to convert a 0-dim tensor to a number");
    }
    const Indexed indexed = walk(x, index);
    if (!indexed.places.empty()) only_mask(indexed);
    Tensor result;
    {
      py::gil_scoped_release release;
      result = get(indexed);
    }
    return wrap(&result.impl() == &x.impl() ? result.detach() : std::move(result));
  });
}

int assign(PyObject* self, PyObject* index, PyObject* value) {
  return guard_int([&] {
    if (value == nullptr) raise_python(PyExc_TypeError, "Tensor does not support deleting items");
    const Tensor x = tensor_of(self);
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
    const Indexed indexed = walk(x, index);
    if (!indexed.places.empty()) only_mask(indexed);
    py::gil_scoped_release release;
    put(indexed, std::move(*v));
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
    py::gil_scoped_release release;
    return static_cast<int>((x == *v).any().item().to_bool());
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
  slots.push_back({Py_sq_contains, reinterpret_cast<void*>(contains)});
  slots.push_back({Py_tp_iter, reinterpret_cast<void*>(iterate)});
}

}  // namespace tamis::python
