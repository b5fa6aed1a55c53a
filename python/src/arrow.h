// The structures of the Arrow C data and C stream interfaces
// (https://arrow.apache.org/docs/format/CDataInterface.html), and how capsules hold them.
#pragma once

#include <cstdint>
#include <memory>

#include "object.h"

namespace tamis::python {

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

  static constexpr const char* kName = "arrow_schema";
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

  static constexpr const char* kName = "arrow_array";
};

struct ArrowArrayStream {
  int (*get_schema)(ArrowArrayStream*, ArrowSchema* out);
  int (*get_next)(ArrowArrayStream*, ArrowArray* out);
  const char* (*get_last_error)(ArrowArrayStream*);
  void (*release)(ArrowArrayStream*);
  void* private_data;

  static constexpr const char* kName = "arrow_array_stream";
};

/// The code of a dtype in ArrowSchema::format; null for those that Arrow does not have.
const char* arrow_format(DType dtype);

/// A capsule that owns the structure. A consumer that moves it away sets its `release` to null.
template <class T>
py::object to_capsule(const T& value) {
  auto content = std::make_unique<T>(value);
  py::object capsule = steal(PyCapsule_New(content.get(), T::kName, [](PyObject* o) {
    auto* p = static_cast<T*>(PyCapsule_GetPointer(o, T::kName));
    if (p->release != nullptr) p->release(p);
    delete p;
  }));
  content.release();
  return capsule;
}

}  // namespace tamis::python
