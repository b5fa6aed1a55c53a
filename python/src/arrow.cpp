// Arrow: boolean arrays in and out through the Arrow C data interface
// (https://arrow.apache.org/docs/format/CDataInterface.html). Arrow packs bools into bits, lowest
// first.
#include <cstring>
#include <memory>

#include "convert.h"

namespace tamis::python {

namespace {

struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  int64_t flags;
  int64_t n_children;
  ArrowSchema** children;
  ArrowSchema* dictionary;
  void (*release)(ArrowSchema*);
  void* private_data;
};

struct ArrowArray {
  int64_t length;
  int64_t null_count;
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void** buffers;
  ArrowArray** children;
  ArrowArray* dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};

constexpr const char* kSchemaName = "arrow_schema";
constexpr const char* kArrayName = "arrow_array";

bool bit(const uint8_t* bits, int64_t i) { return (bits[i / 8] >> (i % 8)) & 1; }

// ---- in -----------------------------------------------------------------------------------------

template <class T>
const T& content(const py::handle& capsule, const char* name) {
  const auto* content = static_cast<const T*>(PyCapsule_GetPointer(capsule.ptr(), name));
  if (content == nullptr) throw py::error_already_set();
  if (content->release == nullptr)
    raise_python(PyExc_ValueError, "from_arrow(): the array was released");
  return *content;
}

Tensor unpack(const ArrowArray& array, const py::object& null) {
  if (array.length < 0 || array.offset < 0 || array.n_buffers != 2) {
    raise_python(PyExc_ValueError, "from_arrow(): malformed boolean array");
  }
  Tensor result = empty({array.length}, DType::boolean);
  if (array.length == 0) return result;
  const auto* valid =
      array.null_count == 0 ? nullptr : static_cast<const uint8_t*>(array.buffers[0]);
  const auto* values = static_cast<const uint8_t*>(array.buffers[1]);
  if (values == nullptr) raise_python(PyExc_ValueError, "from_arrow(): the array has no values");
  const bool fill = !null.is_none() && py::bool_(null);
  auto* to = static_cast<uint8_t*>(result.mutable_data_ptr());
  for (int64_t i = 0; i < array.length; ++i) {
    const int64_t at = array.offset + i;
    const bool is_null = valid != nullptr && !bit(valid, at);
    if (is_null && null.is_none()) {
      raise_python(PyExc_ValueError, "from_arrow(): the array has a null at " + std::to_string(i) +
                                         "; say what it means with null=False or null=True");
    }
    to[i] = is_null ? fill : bit(values, at);
  }
  return result;
}

py::object from_arrow(const py::object& array, const py::object& null) {
  if (!py::hasattr(array, "__arrow_c_array__")) {
    raise_python(PyExc_TypeError, std::string("from_arrow(): expected an Arrow array, but got ") +
                                      Py_TYPE(array.ptr())->tp_name);
  }
  const py::tuple capsules = array.attr("__arrow_c_array__")();
  const auto& schema = content<ArrowSchema>(capsules[0], kSchemaName);
  if (std::strcmp(schema.format, "b") != 0) {
    raise_python(PyExc_TypeError,
                 std::string("from_arrow(): expected booleans, but got Arrow format '") +
                     schema.format + "'");
  }
  return steal(wrap(unpack(content<ArrowArray>(capsules[1], kArrayName), null)));
}

// ---- out ----------------------------------------------------------------------------------------

/// The packed bits with the table of buffers that points to them.
struct Bits {
  explicit Bits(int64_t n) : bytes(static_cast<size_t>((n + 7) / 8 + 1)) {}
  std::vector<uint8_t> bytes;
  const void* buffers[2] = {nullptr, bytes.data()};
};

void release_schema(ArrowSchema* schema) { schema->release = nullptr; }
void release_array(ArrowArray* array) {
  delete static_cast<Bits*>(array->private_data);
  array->release = nullptr;
}

template <class T>
py::object to_capsule(const T& value, const char* name) {
  auto content = std::make_unique<T>(value);
  py::object capsule = steal(PyCapsule_New(content.get(), name, [](PyObject* o) {
    auto* p = static_cast<T*>(PyCapsule_GetPointer(o, PyCapsule_GetName(o)));
    if (p->release != nullptr) p->release(p);  // a consumer that moved it away has set this to null
    delete p;
  }));
  content.release();
  return capsule;
}

py::tuple mask_to_arrow(const py::object& mask) {
  Origins origins;
  const auto tensor = array_to_tensor(mask.ptr(), origins, Copying::if_needed);
  if (!tensor || tensor->dtype() != DType::boolean || tensor->dim() != 1) {
    raise_python(PyExc_TypeError, "to_arrow(): expected a 1-d bool tensor");
  }
  const Tensor x = without_gil([&] { return tensor->contiguous().settle(); });
  const auto* from = static_cast<const uint8_t*>(x.data_ptr());
  auto bits = std::make_unique<Bits>(x.numel());
  for (int64_t i = 0; i < x.numel(); ++i) {
    bits->bytes[static_cast<size_t>(i / 8)] |= static_cast<uint8_t>((from[i] != 0) << (i % 8));
  }
  const ArrowSchema schema = {"b", "", nullptr, 0, 0, nullptr, nullptr, release_schema, nullptr};
  py::object schema_capsule = to_capsule(schema, kSchemaName);
  const ArrowArray array = {x.numel(),     0,         0, 2, 0, bits->buffers, nullptr, nullptr,
                            release_array, bits.get()};
  py::object array_capsule = to_capsule(array, kArrayName);
  bits.release();
  return py::make_tuple(schema_capsule, array_capsule);
}

}  // namespace

void add_arrow(py::module_& m) {
  m.def("from_arrow", from_arrow, py::arg("array"), py::kw_only(), py::arg("null") = py::none(),
        "A bool tensor from an Arrow array of booleans. Nulls are refused unless null says what "
        "they mean.");
  m.def("_mask_to_arrow", mask_to_arrow, py::arg("mask"));
}

}  // namespace tamis::python
