// The buffer protocol: memoryview(x) and np.asarray(x) over a tensor's memory, and tensors over the
// memory of array.array, memoryview and similar.
#include <bit>
#include <memory>
#include <string_view>

#include "convert.h"
#include "slots.h"

namespace tamis::python {

namespace {

const char* integer_format(DType dtype) {
  constexpr const char* kSigned[] = {"b", "h", "i", sizeof(long) == 8 ? "l" : "q"};
  constexpr const char* kUnsigned[] = {"B", "H", "I", sizeof(long) == 8 ? "L" : "Q"};
  return (is_signed(dtype) ? kSigned : kUnsigned)[std::countr_zero(itemsize(dtype))];
}

/// The code of the struct module, or NumPy's for complex numbers; null for bfloat16, which has
/// none.
const char* format_of(DType dtype) {
  switch (dtype) {
#define X(constant, ...) case DType::constant:
    TAMIS_INTEGER_DTYPES(X)
#undef X
    return integer_format(dtype);
    case DType::boolean:
      return "?";
    case DType::float16:
      return "e";
    case DType::float32:
      return "f";
    case DType::float64:
      return "d";
    case DType::complex64:
      return "Zf";
    case DType::complex128:
      return "Zd";
    case DType::bfloat16:
      return nullptr;
  }
  return nullptr;
}

// ---- out ----------------------------------------------------------------------------------------

/// What an exported buffer points to. A handle of its own keeps the memory.
struct Export {
  Tensor tensor;
  Shape shape, byte_strides;
};

static_assert(sizeof(Py_ssize_t) == sizeof(int64_t), "shapes are handed out as they are");

void fill_view(PyObject* self, Py_buffer* view, int flags) {
  const Tensor x = tensor_of(self);
  check_address(x, PyExc_BufferError);
  const char* format = format_of(x.dtype());
  if (format == nullptr) raise_python(PyExc_BufferError, "bfloat16 has no buffer format");
  const bool read_only = is_read_only(x);
  if ((flags & PyBUF_WRITABLE) != 0 && read_only) {
    raise_python(PyExc_BufferError, "this tensor is read-only");
  }
  const bool wants_strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES;
  const bool wants_row_major = (flags & PyBUF_C_CONTIGUOUS) == PyBUF_C_CONTIGUOUS;
  if ((!wants_strides || wants_row_major) && !x.is_contiguous()) {
    raise_python(PyExc_BufferError, "this tensor is not contiguous");
  }
  if ((flags & PyBUF_F_CONTIGUOUS) == PyBUF_F_CONTIGUOUS && x.dim() > 1 && !x.t().is_contiguous()) {
    raise_python(PyExc_BufferError, "this tensor is not column-major");
  }
  auto owned = std::make_unique<Export>(Export{x.detach(), x.shape(), x.strides()});
  const auto width = static_cast<int64_t>(x.itemsize());
  for (int64_t& s : owned->byte_strides) s *= width;
  view->buf = exported_data(x);
  view->len = x.numel() * width;
  view->itemsize = width;
  view->readonly = read_only ? 1 : 0;
  view->ndim = static_cast<int>(x.dim());
  view->format = (flags & PyBUF_FORMAT) != 0 ? const_cast<char*>(format) : nullptr;
  view->shape =
      (flags & PyBUF_ND) != 0 ? reinterpret_cast<Py_ssize_t*>(owned->shape.data()) : nullptr;
  view->strides =
      wants_strides ? reinterpret_cast<Py_ssize_t*>(owned->byte_strides.data()) : nullptr;
  view->suboffsets = nullptr;
  view->internal = owned.release();
  Py_INCREF(self);
  view->obj = self;
}

int get_buffer(PyObject* self, Py_buffer* view, int flags) {
  view->obj = nullptr;
  return guard_int([&] {
    fill_view(self, view, flags);
    return 0;
  });
}

void release_buffer(PyObject*, Py_buffer* view) { delete static_cast<Export*>(view->internal); }

// ---- in -----------------------------------------------------------------------------------------

/// Integers are recognised by size and sign: array.array('l') and ('q') are both int64.
bool dtype_of_format(const char* format, Py_ssize_t size, DType& dtype) {
  std::string_view text = format == nullptr ? "B" : format;
  const bool little = std::endian::native == std::endian::little;
  if (!text.empty() && (text[0] == '@' || text[0] == '=' || text[0] == (little ? '<' : '>'))) {
    text.remove_prefix(1);
  }
  if (text.empty()) return false;
  const char code = text[0];
  for (int i = 0; i < kDTypeCount; ++i) {
    dtype = static_cast<DType>(i);
    const char* own = format_of(dtype);
    if (own == nullptr || static_cast<Py_ssize_t>(itemsize(dtype)) != size) continue;
    const std::string_view codes = is_signed(dtype) ? "bhilqn" : "BHILQN";
    const bool matches =
        is_integral(dtype) ? text.size() == 1 && codes.find(code) != codes.npos : text == own;
    if (matches) return true;
  }
  return false;
}

struct BufferOwner {
  Py_buffer view{};
  ~BufferOwner() { PyBuffer_Release(&view); }
};

}  // namespace

Tensor from_buffer(PyObject* o, Copying copying) {
  auto* owner = new BufferOwner;
  const py::capsule keep(owner, [](void* p) { delete static_cast<BufferOwner*>(p); });
  Py_buffer& view = owner->view;
  if (PyObject_GetBuffer(o, &view, PyBUF_FULL_RO) != 0) throw py::error_already_set();
  DType dtype;
  if (view.suboffsets != nullptr || !dtype_of_format(view.format, view.itemsize, dtype)) {
    raise_python(PyExc_TypeError, std::string("tamis has no dtype for elements of format '") +
                                      (view.format ? view.format : "B") + "' of " +
                                      Py_TYPE(o)->tp_name);
  }
  Shape shape, steps, byte_steps;
  bool shareable = reinterpret_cast<uintptr_t>(view.buf) % itemsize(real_dtype(dtype)) == 0;
  for (int d = 0; d < view.ndim; ++d) {
    shape.push_back(view.shape[d]);
    byte_steps.push_back(view.strides[d]);
    steps.push_back(std::max<int64_t>(view.strides[d] / view.itemsize, 0));
    if (view.shape[d] > 1 && (view.strides[d] < 0 || view.strides[d] % view.itemsize != 0)) {
      shareable = false;
    }
  }
  if (shareable) return borrow_memory(view.buf, shape, steps, dtype, keep, view.readonly != 0);
  if (copying == Copying::never) {
    raise_python(PyExc_ValueError,
                 "the memory of this buffer cannot be shared: negative strides or wrong alignment");
  }
  return copy_strided(view.buf, shape, byte_steps, dtype);
}

void add_buffer_slots(std::vector<PyType_Slot>& slots) {
  slots.push_back({Py_bf_getbuffer, reinterpret_cast<void*>(get_buffer)});
  slots.push_back({Py_bf_releasebuffer, reinterpret_cast<void*>(release_buffer)});
}

}  // namespace tamis::python
