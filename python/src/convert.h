// Conversion between Python objects and tensors: which objects are arrays, whose memory is shared,
// which are numbers, and in what kind of array a result is returned.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "object.h"

namespace tamis::python {

enum class ArrayKind : uint8_t { tamis, numpy, torch, other };

/// Which kinds of arrays a call was given. A result is of their kind if there was only one; NumPy
/// arrays beside torch tensors do not count.
class Origins {
 public:
  void saw(ArrayKind kind) { bits_ |= 1u << static_cast<unsigned>(kind); }
  ArrayKind answer() const {
    if (bits_ == bit(ArrayKind::numpy)) return ArrayKind::numpy;
    if ((bits_ & ~bit(ArrayKind::numpy)) == bit(ArrayKind::torch)) return ArrayKind::torch;
    return ArrayKind::tamis;
  }
  /// Whether memory is involved that others may change: the result must be computed before
  /// returning.
  bool foreign() const { return (bits_ & ~bit(ArrayKind::tamis)) != 0; }

 private:
  static constexpr unsigned bit(ArrayKind kind) { return 1u << static_cast<unsigned>(kind); }
  unsigned bits_ = 0;
};

enum class Copying : uint8_t {
  if_needed,  ///< memory that cannot be shared (negative strides, swapped bytes) is copied
  never,      ///< such memory is refused: the caller wants to write, or to share
};

/// The tensor that o is, or a tensor over o's memory; nothing if o is not an array.
std::optional<Tensor> array_to_tensor(PyObject* o, Origins& origins, Copying copying);

/// A Python number or NumPy scalar; nothing if o is neither. An int that 64 bits cannot hold is an
/// error.
std::optional<Scalar> number_to_scalar(PyObject* o);

/// A copy of o's values: an array, a number, or lists of lists of numbers.
Tensor values_to_tensor(PyObject* o, std::optional<DType> dtype);

/// A new reference to the tensor as an array of that kind, sharing its memory.
PyObject* tensor_to_array(Tensor tensor, ArrayKind kind);

/// Keeps a Python object until the tensor over its memory is gone. May run on any thread.
struct Release {
  PyObject* owner;
  void operator()(void*) const noexcept;
};
/// A tensor over memory that `owner` keeps alive.
Tensor borrow_memory(void* data, const Shape& shape, const Shape& strides, DType dtype,
                     py::object owner, bool read_only);
/// A copy of elements in any layout; strides are in bytes and may be negative.
Tensor copy_strided(const void* data, const Shape& shape, const Shape& byte_strides, DType dtype);

bool is_read_only(const Tensor& x);
void set_read_only(const Tensor& x);

/// The address for someone who may write through it later: everything that is deferred over this
/// memory is computed first.
void* exported_data(const Tensor& x);

/// Raises an error of that type unless x is in the CPU's memory, which alone has addresses.
void check_address(const Tensor& x, PyObject* type);

// ---- devices (device.cpp) -----------------------------------------------------------------------

/// The device that o is or names: a tamis.device, a torch.device or text. Throws for other text.
bool device_from(PyObject* o, Device& device);
/// The same for an argument that must be one.
Device to_device(const py::object& o);

// ---- NumPy (numpy.cpp) --------------------------------------------------------------------------

bool is_ndarray(PyObject* o);
/// Refuses a masked array, since a tensor has no mask.
Tensor from_ndarray(PyObject* o, Copying copying);
void refuse_masked_array(PyObject* o);
PyObject* to_ndarray(const Tensor& x);
bool is_numpy_scalar(PyObject* o);
/// A NumPy scalar as a 0-d tensor of its own dtype.
Tensor from_numpy_scalar(PyObject* o);
bool dtype_from_numpy(PyObject* o, DType& dtype);
PyObject* dtype_to_numpy(DType dtype);
/// NumPy's letter for dtypes of this kind: b, u, i, f or c.
char numpy_kind(DType dtype);

// ---- torch (torch.cpp): only touched when the program has imported it ---------------------------

bool is_torch_tensor(PyObject* o);
Tensor from_torch(PyObject* o);
PyObject* to_torch(const Tensor& x);
bool dtype_from_torch(PyObject* o, DType& dtype);
PyObject* dtype_to_torch(DType dtype);

// ---- others (buffer.cpp, dlpack.cpp, arrow_import.cpp) -------------------------------------------

Tensor from_buffer(PyObject* o, Copying copying);
Tensor from_dlpack(PyObject* o, Copying copying);
/// Whether o is an array of pyarrow or another library that exports its arrays as Arrow does.
bool is_arrow_array(PyObject* o);
/// Nulls are refused.
Tensor from_arrow(PyObject* o, Copying copying);
/// A new capsule; versioned means DLPack 1.x. as_bytes exports a bool tensor as uint8.
PyObject* to_dlpack(const Tensor& x, bool versioned, bool as_bytes = false);

}  // namespace tamis::python
