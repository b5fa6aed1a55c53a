// Arrow arrays in: numbers share their memory, which Arrow never changes and which is therefore
// read-only; bools, which are bits there, are masks over those. Chunks and arrays with nulls are
// copied.
#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "arrow.h"
#include "convert.h"
#include "core/convert.h"
#include "tamis/create.h"
#include "tamis/mask.h"
#include "tamis/masks.h"
#include "tamis/pointwise.h"

namespace tamis::python {

const char* arrow_format(DType dtype) {
  constexpr const char* kSigned[] = {"c", "s", "i", "l"};
  constexpr const char* kUnsigned[] = {"C", "S", "I", "L"};
  switch (dtype) {
#define X(constant, ...) case DType::constant:
    TAMIS_INTEGER_DTYPES(X)
#undef X
    return (is_signed(dtype) ? kSigned : kUnsigned)[std::countr_zero(itemsize(dtype))];
    case DType::boolean:
      return "b";
    case DType::float16:
      return "e";
    case DType::float32:
      return "f";
    case DType::float64:
      return "g";
    case DType::bfloat16:
    case DType::complex64:
    case DType::complex128:
      return nullptr;
  }
  return nullptr;
}

namespace {

constexpr const char* kArrayMethod = "__arrow_c_array__";
constexpr const char* kStreamMethod = "__arrow_c_stream__";

bool on_type(PyObject* o, const char* name) {
  return PyObject_HasAttrString(reinterpret_cast<PyObject*>(Py_TYPE(o)), name) != 0;
}

[[noreturn]] void refuse(PyObject* kind, const std::string& why) {
  raise_python(kind, "from_arrow(): " + why);
}

template <class T>
T& content(const py::handle& capsule) {
  auto* content = static_cast<T*>(PyCapsule_GetPointer(capsule.ptr(), T::kName));
  if (content == nullptr) throw py::error_already_set();
  if (content->release == nullptr) refuse(PyExc_ValueError, "the array was released");
  return *content;
}

DType dtype_of(const ArrowSchema& schema) {
  const std::string format = schema.format;
  if (schema.dictionary != nullptr) {
    refuse(PyExc_TypeError, "the array is dictionary-encoded; write array.dictionary_decode()");
  }
  if (format.starts_with("+s")) {
    refuse(PyExc_TypeError, "this is a table and no array; pass one of its columns");
  }
  for (int i = 0; i < kDTypeCount; ++i) {
    const auto dtype = static_cast<DType>(i);
    const char* own = arrow_format(dtype);
    if (own != nullptr && format == own) return dtype;
  }
  refuse(PyExc_TypeError, "tamis has no dtype for Arrow's format '" + format +
                              "'; cast the array to bool, uint8 to uint64, int8 to int64, or "
                              "float16 to float64 first");
}

/// A column as imported: its dtype, and its parts in capsules that own them.
struct Column {
  DType dtype;
  std::vector<py::object> parts;
  int64_t length = 0;

  void add(py::object capsule) {
    const auto& array = content<ArrowArray>(capsule);
    const bool readable =
        array.length == 0 || (array.n_buffers == 2 && array.buffers[1] != nullptr);
    if (array.length < 0 || array.offset < 0 || !readable) {
      refuse(PyExc_ValueError, "malformed array");
    }
    if (array.length == 0) return;
    length += array.length;
    parts.push_back(std::move(capsule));
  }
};

void check_stream(ArrowArrayStream& stream, int code) {
  if (code == 0) return;
  if (PyErr_Occurred() != nullptr) throw py::error_already_set();
  const char* why = stream.get_last_error(&stream);
  refuse(PyExc_ValueError, why == nullptr ? std::strerror(code) : why);
}

Column read_stream(const py::object& capsule) {
  auto& stream = content<ArrowArrayStream>(capsule);
  ArrowSchema schema{};
  check_stream(stream, stream.get_schema(&stream, &schema));
  const py::object owner = to_capsule(schema);
  Column column{dtype_of(content<ArrowSchema>(owner)), {}};
  while (true) {
    ArrowArray array{};
    check_stream(stream, stream.get_next(&stream, &array));
    if (array.release == nullptr) return column;
    column.add(to_capsule(array));
  }
}

Column read_column(const py::object& array) {
  if (on_type(array.ptr(), kArrayMethod)) {
    const py::tuple capsules = array.attr(kArrayMethod)();
    Column column{dtype_of(content<ArrowSchema>(capsules[0])), {}};
    column.add(capsules[1]);
    return column;
  }
  if (on_type(array.ptr(), kStreamMethod)) return read_stream(array.attr(kStreamMethod)());
  refuse(PyExc_TypeError,
         std::string("expected an Arrow array, but got ") + Py_TYPE(array.ptr())->tp_name);
}

// ---- values -------------------------------------------------------------------------------------

/// A bit for each element, or null if none of them is null.
const void* validity_of(const ArrowArray& array) {
  return array.null_count == 0 ? nullptr : array.buffers[0];
}

void unpack_bits(const void* bits, int64_t offset, int64_t n, uint8_t* to) {
  const auto* from = static_cast<const uint8_t*>(bits);
  for (int64_t i = 0; i < n; ++i) {
    to[i] = static_cast<uint8_t>(from[(offset + i) / 8] >> ((offset + i) % 8) & 1);
  }
}

/// The mask of an array's bits, over its memory.
Tensor mask_over(const void* bits, const ArrowArray& array, const py::object& owner) {
  const int64_t first = array.offset / 8, skipped = array.offset % 8;
  auto* const bytes = static_cast<uint8_t*>(const_cast<void*>(bits)) + first;
  const int64_t n = (skipped + array.length + 7) / 8;
  const Tensor shared = borrow_memory(bytes, {n}, {1}, DType::uint8, owner, true);
  return masks::from_bits(shared, skipped + array.length).slice(0, skipped);
}

/// Which elements are not null; nothing if none are null.
std::optional<Tensor> valid_elements(const Column& column) {
  const bool known = std::all_of(
      column.parts.begin(), column.parts.end(),
      [](const py::object& part) { return validity_of(content<ArrowArray>(part)) == nullptr; });
  if (known) return std::nullopt;
  if (column.parts.size() == 1) {
    const auto& array = content<ArrowArray>(column.parts[0]);
    const Tensor valid = mask_over(validity_of(array), array, column.parts[0]);
    if (valid.all().item<bool>()) return std::nullopt;
    return valid;
  }
  Tensor valid = empty({column.length}, DType::boolean);
  auto* to = static_cast<uint8_t*>(valid.mutable_data_ptr());
  bool any = false;
  for (const py::object& part : column.parts) {
    const auto& array = content<ArrowArray>(part);
    if (const void* bits = validity_of(array)) {
      unpack_bits(bits, array.offset, array.length, to);
      any = any || std::memchr(to, 0, static_cast<size_t>(array.length)) != nullptr;
    } else {
      std::memset(to, 1, static_cast<size_t>(array.length));
    }
    to += array.length;
  }
  if (!any) return std::nullopt;
  return valid;
}

/// The elements in memory of their own; null elements hold arbitrary values.
Tensor copied(const Column& column) {
  Tensor result = empty({column.length}, column.dtype);
  const auto width = static_cast<int64_t>(itemsize(column.dtype));
  auto* to = static_cast<uint8_t*>(result.mutable_data_ptr());
  for (const py::object& part : column.parts) {
    const auto& array = content<ArrowArray>(part);
    if (column.dtype == DType::boolean) {
      unpack_bits(array.buffers[1], array.offset, array.length, to);
    } else {
      const auto* from = static_cast<const char*>(array.buffers[1]) + array.offset * width;
      std::memcpy(to, from, static_cast<size_t>(array.length * width));
    }
    to += array.length * width;
  }
  return result;
}

/// A tensor over the only part's memory, if there is one and its elements can be a tensor's.
std::optional<Tensor> shared(const Column& column) {
  if (column.parts.size() != 1) return std::nullopt;
  const auto& array = content<ArrowArray>(column.parts[0]);
  if (column.dtype == DType::boolean) return mask_over(array.buffers[1], array, column.parts[0]);
  const size_t width = itemsize(column.dtype);
  const auto address =
      reinterpret_cast<uintptr_t>(array.buffers[1]) + static_cast<size_t>(array.offset) * width;
  if (address % width != 0) return std::nullopt;
  return borrow_memory(reinterpret_cast<void*>(address), {column.length}, {1}, column.dtype,
                       column.parts[0], true);
}

Scalar null_value(const py::object& null, DType dtype) {
  if (null.is_none()) return Scalar(false);
  const std::optional<Scalar> value = number_to_scalar(null.ptr());
  if (!value) {
    refuse(PyExc_TypeError,
           std::string("argument 'null' must be Number, not ") + Py_TYPE(null.ptr())->tp_name);
  }
  check_fits(*value, dtype);
  return *value;
}

py::object from_arrow_function(const py::object& array, const py::object& null, bool return_mask) {
  const Column column = read_column(array);
  const Scalar filling = null_value(null, column.dtype);
  const std::optional<Tensor> valid = valid_elements(column);
  if (valid && null.is_none() && !return_mask) {
    const auto* bytes = static_cast<const uint8_t*>(valid->data_ptr());
    const auto* first =
        static_cast<const uint8_t*>(std::memchr(bytes, 0, static_cast<size_t>(column.length)));
    refuse(PyExc_ValueError, "the array has a null at " + std::to_string(first - bytes) +
                                 "; pass null=value to replace nulls, or return_mask=True to get a "
                                 "mask of the other elements");
  }
  std::optional<Tensor> values = valid ? std::nullopt : shared(column);
  if (!values) values = copied(column);
  if (valid) values->masked_fill_(~*valid, Tensor(filling));
  if (!return_mask) return steal(wrap(*values));
  Tensor mask = valid ? *valid : ones({column.length}, DType::boolean);
  return py::make_tuple(steal(wrap(*values)), steal(wrap(std::move(mask))));
}

}  // namespace

bool is_arrow_array(PyObject* o) {
  // Tables are exported as Arrow too. For NumPy they are matrices; DLPack does not have them.
  return on_type(o, kArrayMethod) && (on_type(o, "__dlpack__") || !on_type(o, "__array__"));
}

Tensor from_arrow(PyObject* o, Copying copying) {
  const py::object tensor = from_arrow_function(borrow(o), py::none(), false);
  Tensor result = tensor_of(tensor.ptr());
  if (copying == Copying::never && result.numel() > 0 && !is_read_only(result)) {
    raise_python(PyExc_ValueError,
                 "the memory of this Arrow array cannot be shared: bools are bits there, and "
                 "elements may be unaligned");
  }
  return result;
}

void add_arrow(py::module_& m) {
  m.def("from_arrow", from_arrow_function, py::arg("array"), py::kw_only(),
        py::arg("null") = py::none(), py::arg("return_mask") = false,
        "A tensor from an Arrow array, chunked array or Polars series of numbers or bools. Nulls "
        "are refused unless null says what they become, or return_mask=True asks for a pair: the "
        "values, with null or 0 in place of nulls, and a mask that is True where there was a "
        "value. Numbers without nulls share the memory, read-only.");
}

}  // namespace tamis::python
