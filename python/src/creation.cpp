// Creation: tensors from Python values and from the memory of other arrays.
#include <pybind11/stl.h>

#include "convert.h"
#include "core/check.h"
#include "ops/forms/forms.h"
#include "tamis/create.h"

namespace tamis::python {

namespace {

std::optional<DType> optional_dtype(const py::object& o) {
  if (o.is_none()) return std::nullopt;
  DType dtype;
  if (dtype_from(o.ptr(), dtype)) return dtype;
  raise_python(PyExc_TypeError, "argument 'dtype' must be tamis.dtype, not " + described(o.ptr()));
}

/// x on the device that device= names, which may also be None.
Tensor moved_to_device(Tensor x, const py::object& device) {
  if (device.is_none()) return x;
  const Device there = to_device(device);
  return without_gil([&] { return x.to(there); });
}

py::object to_object(Tensor tensor) { return steal(wrap(std::move(tensor))); }

py::object tensor_function(const py::object& data, const py::object& dtype,
                           const py::object& device, bool requires_grad) {
  Tensor tensor = moved_to_device(values_to_tensor(data.ptr(), optional_dtype(dtype)), device);
  if (requires_grad) tensor.requires_grad_();
  return to_object(std::move(tensor));
}

/// Shares memory if it can; copy=True always copies, copy=False never does.
py::object asarray(const py::object& data, const py::object& dtype, const py::object& device,
                   const py::object& copy) {
  const std::optional<DType> to = optional_dtype(dtype);
  const bool never = copy.ptr() == Py_False;
  if (copy.ptr() == Py_True)
    return to_object(moved_to_device(values_to_tensor(data.ptr(), to), device));
  Origins origins;
  auto shared = array_to_tensor(data.ptr(), origins, never ? Copying::never : Copying::if_needed);
  if (shared && (!to || *to == shared->dtype())) {
    Tensor there = moved_to_device(*shared, device);
    const bool is_same = is_tensor(data.ptr()) && there.shares_storage(*shared);
    return is_same ? data : to_object(std::move(there));
  }
  if (never) {
    raise_python(PyExc_ValueError,
                 "asarray(): this data or dtype needs a copy, but copy=False was given");
  }
  return to_object(moved_to_device(values_to_tensor(data.ptr(), to), device));
}

py::object from_numpy(const py::object& array) {
  if (!is_ndarray(array.ptr())) {
    raise_python(PyExc_TypeError,
                 std::string("expected np.ndarray (got ") + Py_TYPE(array.ptr())->tp_name + ")");
  }
  return to_object(from_ndarray(array.ptr(), Copying::never));
}

py::object from_dlpack_function(const py::object& x, const py::object& device,
                                const py::object& copy) {
  Tensor tensor = moved_to_device(
      from_dlpack(x.ptr(), copy.ptr() == Py_False ? Copying::never : Copying::if_needed), device);
  if (copy.ptr() == Py_True) tensor = without_gil([&] { return tensor.clone().settle(); });
  return to_object(std::move(tensor));
}

struct ByteOwner {
  Py_buffer view{};
  ~ByteOwner() { PyBuffer_Release(&view); }
};

/// How many elements of this size frombuffer takes; refuses as PyTorch does.
int64_t elements_within(int64_t bytes, int64_t size, int64_t count, int64_t offset) {
  const auto check_that = [](bool ok, const std::string& text) {
    if (!ok) raise_python(PyExc_ValueError, text);
  };
  const auto text = [](int64_t number) { return std::to_string(number); };
  check_that(bytes > 0 && count != 0, "both buffer length (" + text(bytes) + ") and count (" +
                                          text(count) + ") must not be 0");
  check_that(offset >= 0 && offset < bytes,
             "offset (" + text(offset) +
                 " bytes) must be non-negative and no greater than buffer "
                 "length (" +
                 text(bytes) + " bytes) minus 1");
  const int64_t rest = bytes - offset;
  if (count > 0) {
    check_that(count <= rest / size, "requested buffer length (" + text(count) + " * " +
                                         text(size) + " bytes) after offset (" + text(offset) +
                                         " bytes) must not be greater than actual buffer length (" +
                                         text(bytes) + " bytes)");
    return count;
  }
  check_that(rest % size == 0, "buffer length (" + text(rest) + " bytes) after offset (" +
                                   text(offset) + " bytes) must be a multiple of element size (" +
                                   text(size) + ")");
  return rest / size;
}

py::object frombuffer(const py::object& buffer, const py::object& dtype, int64_t count,
                      int64_t offset, bool requires_grad) {
  const std::optional<DType> type = optional_dtype(dtype);
  if (!type) raise_python(PyExc_TypeError, "frombuffer() needs a dtype");
  auto* owner = new ByteOwner;
  const py::capsule keep(owner, [](void* p) { delete static_cast<ByteOwner*>(p); });
  if (PyObject_GetBuffer(buffer.ptr(), &owner->view, PyBUF_SIMPLE) != 0) {
    throw py::error_already_set();
  }
  const auto size = static_cast<int64_t>(itemsize(*type));
  const int64_t n = elements_within(owner->view.len, size, count, offset);
  char* const first = static_cast<char*>(owner->view.buf) + offset;
  const bool is_aligned = reinterpret_cast<uintptr_t>(first) % itemsize(real_dtype(*type)) == 0;
  Tensor tensor = is_aligned
                      ? borrow_memory(first, {n}, {1}, *type, keep, owner->view.readonly != 0)
                      : from_data(first, {n}, *type);
  if (requires_grad) tensor.requires_grad_();
  return to_object(std::move(tensor));
}

/// What pickle calls: bytes in row-major order.
py::object rebuild(const py::buffer& bytes, const py::object& dtype,
                   const std::vector<int64_t>& shape, bool requires_grad,
                   const py::object& device) {
  const Tensor raw = from_buffer(bytes.ptr(), Copying::if_needed);
  const DType type = *optional_dtype(dtype);
  const int64_t expected = numel(Shape(shape)) * static_cast<int64_t>(itemsize(type));
  if (raw.numel() * static_cast<int64_t>(raw.itemsize()) != expected) {
    raise_python(PyExc_ValueError,
                 "the pickled tensor holds fewer or more bytes than its shape needs");
  }
  Tensor tensor = moved_to_device(from_data(raw.data_ptr(), shape, type), device);
  if (requires_grad) tensor.requires_grad_();
  return to_object(std::move(tensor));
}

}  // namespace

void add_creation(py::module_& m) {
  const py::arg_v none_dtype = py::arg("dtype") = py::none();
  const py::arg_v none_device = py::arg("device") = py::none();
  m.def("tensor", tensor_function, py::arg("data"), py::kw_only(), none_dtype, none_device,
        py::arg("requires_grad") = false,
        "A copy of data: an array, a number, or nested lists of numbers.");
  m.def("asarray", asarray, py::arg("obj"), py::kw_only(), none_dtype, none_device,
        py::arg("copy") = py::none(),
        "A tensor over the memory of an array, or a copy of values where sharing is not possible.");
  m.def(
      "as_tensor",
      [](const py::object& data, const py::object& dtype, const py::object& device) {
        return asarray(data, dtype, device, py::none());
      },
      py::arg("data"), none_dtype, none_device, "asarray under PyTorch's name.");
  m.def("from_numpy", from_numpy, py::arg("ndarray"), "A tensor over the memory of a NumPy array.");
  m.def(
      "frombuffer", frombuffer, py::arg("buffer"), py::kw_only(), py::arg("dtype"),
      py::arg("count") = -1, py::arg("offset") = 0, py::arg("requires_grad") = false,
      "A 1-d tensor over the bytes of an object, from offset on; a copy if they are not aligned.");
  m.def("from_dlpack", from_dlpack_function, py::arg("x"), py::kw_only(), none_device,
        py::arg("copy") = py::none(),
        "A tensor over the memory of an object with __dlpack__, or a capsule.");
  m.def(
      "is_tensor", [](const py::object& o) { return is_tensor(o.ptr()); }, py::arg("obj"),
      "Whether obj is a tamis.Tensor.");
  m.def("_rebuild", rebuild);
}

}  // namespace tamis::python
