// Arrow arrays out of tensors with one dimension: numbers share their memory, and so do masks that
// are kept as bits; other bools are packed into bits. What a mask leaves out is null.
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arrow.h"
#include "convert.h"
#include "slots.h"
#include "tamis/masks.h"
#include "tamis/reduce.h"

namespace tamis::python {

namespace {

/// What an exported array points to.
struct Exported {
  Tensor values, valid;  // bools as bits
  const void* buffers[2] = {nullptr, nullptr};
};

void release_schema(ArrowSchema* schema) { schema->release = nullptr; }
void release_array(ArrowArray* array) {
  delete static_cast<Exported*>(array->private_data);
  array->release = nullptr;
}

std::string text_of(const Shape& shape) { return py::repr(steal(shape_tuple(shape))); }

void check_arguments(const Tensor& x, const std::optional<Tensor>& mask) {
  if (x.dim() != 1) {
    raise_python(PyExc_TypeError, "to_arrow(): Arrow arrays have one dimension, but the shape is " +
                                      text_of(x.shape()) + "; write x.flatten()");
  }
  if (arrow_format(x.dtype()) == nullptr) {
    raise_python(PyExc_TypeError, std::string("to_arrow(): Arrow has no dtype ") + name(x.dtype()) +
                                      "; convert it first, as x.float() does");
  }
  if (!mask) return;
  if (mask->dtype() != DType::boolean || mask->shape() != x.shape()) {
    raise_python(PyExc_TypeError, "to_arrow(): expected a bool mask of shape " +
                                      text_of(x.shape()) + ", but got " + name(mask->dtype()) +
                                      " of shape " + text_of(mask->shape()));
  }
}

py::tuple export_tensor(const Tensor& x, const std::optional<Tensor>& mask) {
  check_arguments(x, mask);
  auto exported = std::make_unique<Exported>();
  int64_t nulls = 0;
  without_gil([&] {
    exported->values = x.dtype() == DType::boolean ? masks::to_bits(x) : x.contiguous().detach();
    if (!mask) return;
    exported->valid = masks::to_bits(*mask);
    nulls = mask->numel() - mask->sum().item().to_int64();
  });
  exported->buffers[1] = exported_data(exported->values);
  if (mask) exported->buffers[0] = exported_data(exported->valid);
  const ArrowSchema schema = {.format = arrow_format(x.dtype()),
                              .name = "",
                              .metadata = nullptr,
                              .flags = 2,  // may have nulls
                              .n_children = 0,
                              .children = nullptr,
                              .dictionary = nullptr,
                              .release = release_schema,
                              .private_data = nullptr};
  py::object schema_capsule = to_capsule(schema);
  const ArrowArray array = {.length = x.numel(),
                            .null_count = nulls,
                            .offset = 0,
                            .n_buffers = 2,
                            .n_children = 0,
                            .buffers = exported->buffers,
                            .children = nullptr,
                            .dictionary = nullptr,
                            .release = release_array,
                            .private_data = exported.get()};
  py::object array_capsule = to_capsule(array);
  exported.release();
  return py::make_tuple(schema_capsule, array_capsule);
}

std::optional<Tensor> tensor_argument(const py::object& o, const char* argument) {
  if (o.is_none()) return std::nullopt;
  Origins origins;
  auto tensor = array_to_tensor(o.ptr(), origins, Copying::if_needed);
  if (tensor) return tensor;
  raise_python(PyExc_TypeError, std::string("to_arrow(): argument '") + argument +
                                    "' must be Tensor, not " + Py_TYPE(o.ptr())->tp_name);
}

py::tuple to_arrow(const py::object& x, const py::object& mask) {
  const auto values = tensor_argument(x, "x");
  if (!values) raise_python(PyExc_TypeError, "to_arrow(): argument 'x' must be Tensor, not None");
  return export_tensor(*values, tensor_argument(mask, "mask"));
}

}  // namespace

PyObject* arrow_c_array(PyObject* self, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"requested_schema", nullptr};
  // The consumer converts: a producer may answer in a type of its own.
  PyObject* requested = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|O", const_cast<char**>(names), &requested)) {
    return nullptr;
  }
  return guard([&] { return export_tensor(tensor_of(self), std::nullopt).release().ptr(); });
}

void add_arrow_export(py::module_& m) {
  m.def("_to_arrow", to_arrow, py::arg("x"), py::arg("mask"));
}

}  // namespace tamis::python
