// DLPack 0.x and 1.x, both directions: capsules out of tensors, and tensors over the memory of
// capsules. An imported capsule's deleter runs exactly once, also when the capsule is refused.
#include "dlpack.h"

#include <algorithm>
#include <cstring>
#include <memory>

#include "convert.h"
#include "expr/expr.h"
#include "slots.h"
#include "tamis/create.h"

namespace tamis::python {

namespace {

using namespace dlpack;

constexpr const char* kName = "dltensor";
constexpr const char* kNameVersioned = "dltensor_versioned";
constexpr int kMaxRank = 64;

DataType to_dlpack_dtype(DType dtype, bool as_bytes) {
  const auto bits = static_cast<uint8_t>(8 * itemsize(dtype));
  if (dtype == DType::boolean) return {as_bytes ? kCodeUInt : kCodeBool, 8, 1};
  if (dtype == DType::bfloat16) return {kCodeBfloat, bits, 1};
  if (is_complex(dtype)) return {kCodeComplex, bits, 1};
  if (is_floating_point(dtype)) return {kCodeFloat, bits, 1};
  return {is_signed(dtype) ? kCodeInt : kCodeUInt, bits, 1};
}

DType from_dlpack_dtype(DataType type) {
  for (int i = 0; i < kDTypeCount; ++i) {
    const auto dtype = static_cast<DType>(i);
    const DataType candidate = to_dlpack_dtype(dtype, false);
    if (std::memcmp(&candidate, &type, sizeof type) == 0) return dtype;
  }
  raise_python(PyExc_BufferError, "from_dlpack: tamis has no dtype for code " +
                                      std::to_string(type.code) + ", " + std::to_string(type.bits) +
                                      " bits, " + std::to_string(type.lanes) + " lanes");
}

// ---- out ----------------------------------------------------------------------------------------

/// A managed tensor with what it points to. Holds the data by a handle of its own.
template <class M>
struct Export {
  M managed{};
  Tensor tensor;
  Shape shape, strides;

  static void destroy(M* self) { delete static_cast<Export*>(self->context); }
};

template <class M>
PyObject* make_capsule(const Tensor& x, bool as_bytes, const char* name) {
  auto owned = std::make_unique<Export<M>>();
  owned->tensor = x.detach();
  owned->shape = x.shape();
  owned->strides = x.strides();
  Array& array = owned->managed.array;
  array.data = exported_data(x);
  array.device = {kDeviceCpu, 0};
  array.ndim = static_cast<int32_t>(x.dim());
  array.dtype = to_dlpack_dtype(x.dtype(), as_bytes);
  array.shape = owned->shape.data();
  array.strides = owned->strides.data();
  owned->managed.context = owned.get();
  owned->managed.deleter = Export<M>::destroy;
  if constexpr (std::is_same_v<M, ManagedVersioned>) {
    owned->managed.version = {kMajor, kMinor};
    owned->managed.flags = is_read_only(x) ? kFlagReadOnly : 0;
  }
  // A consumer renames the capsule; one that still has its name was never consumed.
  const auto on_free = [](PyObject* capsule) {
    const char* now = PyCapsule_GetName(capsule);
    if (now == nullptr) return PyErr_Clear();
    if (std::strcmp(now, kName) != 0 && std::strcmp(now, kNameVersioned) != 0) return;
    auto* managed = static_cast<M*>(PyCapsule_GetPointer(capsule, now));
    managed->deleter(managed);
  };
  PyObject* capsule = checked(PyCapsule_New(&owned->managed, name, on_free));
  owned.release();
  return capsule;
}

// ---- in -----------------------------------------------------------------------------------------

/// Ownership of an imported managed tensor.
template <class M>
struct Delete {
  void operator()(M* managed) const {
    if (managed->deleter != nullptr) managed->deleter(managed);
  }
};

[[noreturn]] void refuse(const std::string& why) {
  raise_python(PyExc_BufferError, "from_dlpack: " + why);
}

/// Throws unless what the array says about itself is possible. Fills shape and strides.
void validate(const Array& array, DType dtype, Shape& shape, Shape& strides) {
  if (array.device.type != kDeviceCpu) {
    refuse("expected CPU memory, but got device type " + std::to_string(array.device.type));
  }
  if (array.ndim < 0 || array.ndim > kMaxRank) {
    refuse("impossible number of dimensions " + std::to_string(array.ndim));
  }
  if (array.ndim > 0 && array.shape == nullptr) refuse("there is no shape");
  const auto width = static_cast<int64_t>(itemsize(dtype));
  int64_t bytes = width, reach = 0;
  strides.resize(static_cast<size_t>(array.ndim));
  for (int d = array.ndim - 1; d >= 0; --d) {
    const int64_t size = array.shape[d];
    if (size < 0) refuse("negative size " + std::to_string(size));
    strides[d] = array.strides != nullptr ? array.strides[d] : bytes / width;
    int64_t extent = 0;
    if (__builtin_mul_overflow(bytes, std::max<int64_t>(size, 1), &bytes) ||
        __builtin_mul_overflow(std::max<int64_t>(size - 1, 0), strides[d], &extent) ||
        __builtin_mul_overflow(extent, width, &extent) ||
        __builtin_add_overflow(reach, extent < 0 ? -extent : extent, &reach)) {
      refuse("sizes and strides overflow 64 bits");
    }
  }
  shape = Shape(std::span<const int64_t>(array.shape, static_cast<size_t>(array.ndim)));
  if (array.data == nullptr && numel(shape) != 0) refuse("there is no data");
}

template <class M>
Tensor adopt(std::unique_ptr<M, Delete<M>> managed, uint64_t flags, Copying copying) {
  const Array& array = managed->array;
  const DType dtype = from_dlpack_dtype(array.dtype);
  Shape shape, strides;
  validate(array, dtype, shape, strides);
  char* data = array.data == nullptr ? nullptr : static_cast<char*>(array.data) + array.byte_offset;
  const auto width = static_cast<int64_t>(itemsize(dtype));
  bool shareable = reinterpret_cast<uintptr_t>(data) % itemsize(real_dtype(dtype)) == 0;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] <= 1) strides[d] = std::max<int64_t>(strides[d], 0);
    if (strides[d] < 0) shareable = false;
  }
  if (!shareable) {
    if (copying == Copying::never) refuse("memory with negative strides or wrong alignment");
    for (int64_t& s : strides) s *= width;
    return copy_strided(data, shape, strides, dtype);
  }
  M* raw = managed.get();
  Tensor tensor = from_blob(
      data, shape, dtype, [raw](void*) { Delete<M>()(raw); }, strides);
  managed.release();
  if ((flags & kFlagReadOnly) != 0) set_read_only(tensor);
  return tensor;
}

Tensor from_capsule(PyObject* capsule, Copying copying) {
  if (PyCapsule_IsValid(capsule, kNameVersioned)) {
    auto* managed = static_cast<ManagedVersioned*>(PyCapsule_GetPointer(capsule, kNameVersioned));
    std::unique_ptr<ManagedVersioned, Delete<ManagedVersioned>> owned(managed);
    PyCapsule_SetName(capsule, "used_dltensor_versioned");
    // Of another major version only the first fields can be trusted: those that the deleter needs.
    if (managed->version.major != kMajor) {
      refuse("expected DLPack version 1, but got " + std::to_string(managed->version.major));
    }
    return adopt(std::move(owned), managed->flags, copying);
  }
  if (PyCapsule_IsValid(capsule, kName)) {
    auto* managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule, kName));
    std::unique_ptr<Managed, Delete<Managed>> owned(managed);
    PyCapsule_SetName(capsule, "used_dltensor");
    return adopt(std::move(owned), 0, copying);
  }
  raise_python(PyExc_ValueError,
               "from_dlpack: expected a DLPack capsule that was not consumed before");
}

py::object capsule_of(const py::object& o) {
  if (PyCapsule_CheckExact(o.ptr())) return o;  // of to_dlpack
  const py::tuple device = o.attr("__dlpack_device__")();
  const int type = py::int_(py::object(device[0])).cast<int>();
  if (type != kDeviceCpu)
    refuse("expected CPU memory, but got device type " + std::to_string(type));
  const py::object method = o.attr("__dlpack__");
  try {
    return method(py::arg("max_version") = py::make_tuple(kMajor, kMinor));
  } catch (py::error_already_set& e) {
    // Older than versions.
    if (!e.matches(PyExc_TypeError) && !e.matches(PyExc_NotImplementedError)) throw;
  }
  return method();
}

}  // namespace

PyObject* to_dlpack(const Tensor& x, bool versioned, bool as_bytes) {
  if (versioned) return make_capsule<ManagedVersioned>(x, as_bytes, kNameVersioned);
  if (is_read_only(x)) {
    raise_python(
        PyExc_BufferError,
        "this tensor is read-only, which DLPack can say only from version 1 on; clone() it");
  }
  return make_capsule<Managed>(x, as_bytes, kName);
}

Tensor from_dlpack(PyObject* o, Copying copying) {
  if (PyCapsule_CheckExact(o)) return from_capsule(o, copying);
  if (is_tensor(o)) return tensor_of(o).detach();
  if (is_torch_tensor(o)) return from_torch(o);
  refuse_masked_array(o);
  if (!PyObject_HasAttrString(o, "__dlpack__")) {
    raise_python(PyExc_TypeError,
                 std::string("from_dlpack: expected an object with __dlpack__, but got ") +
                     Py_TYPE(o)->tp_name);
  }
  return from_capsule(capsule_of(borrow(o)).ptr(), copying);
}

// ---- methods ------------------------------------------------------------------------------------

namespace {

/// What is handed out: x, or a copy that the consumer wants or needs.
Tensor exportable(const Tensor& x, bool wants_cpu, PyObject* copy) {
  if (is_on_host(x)) return copy == Py_True ? without_gil([&] { return x.clone(); }) : x;
  if (!wants_cpu || copy == Py_False) check_address(x, PyExc_BufferError);
  return without_gil([&] { return to_host(x); });
}

}  // namespace

PyObject* export_dlpack(PyObject* self, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"stream", "max_version", "dl_device", "copy", nullptr};
  PyObject *stream = Py_None, *version = Py_None, *device = Py_None, *copy = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|$OOOO", const_cast<char**>(names), &stream,
                                   &version, &device, &copy)) {
    return nullptr;
  }
  return guard([&] {
    if (stream != Py_None) raise_python(PyExc_BufferError, "a CPU tensor has no stream");
    if (device != Py_None) {
      const auto [type, id] = borrow(device).cast<std::pair<int, int>>();
      if (type != kDeviceCpu || id != 0)
        raise_python(PyExc_BufferError, "this tensor can only go to the CPU, (1, 0)");
    }
    bool versioned = false;
    if (version != Py_None) versioned = borrow(version).cast<std::pair<int, int>>().first >= 1;
    const Tensor x = tensor_of(self);
    return to_dlpack(exportable(x, device != Py_None, copy), versioned);
  });
}

PyObject* dlpack_device(PyObject* self, PyObject*) {
  return guard([&] {
    const tamis::Device device = tensor_of(self).device();
    const int type = device.is_cpu()             ? kDeviceCpu
                     : device.type() == "webgpu" ? kDeviceWebgpu
                                                 : kDeviceExtension;
    return Py_BuildValue("(ii)", type, std::max(device.index(), 0));
  });
}

}  // namespace tamis::python
