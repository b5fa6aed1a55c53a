// Errors: where C++ exceptions become Python exceptions.
#include <string_view>

#include "object.h"

namespace tamis::python {

namespace {

PyObject* type_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::index:
      return PyExc_IndexError;
    case ErrorKind::shape:
    case ErrorKind::dtype:
    case ErrorKind::value:
    case ErrorKind::unsupported:
    case ErrorKind::memory:
    case ErrorKind::device:
      return PyExc_RuntimeError;
    case ErrorKind::format:
      return PyExc_ValueError;
    case ErrorKind::io:
      return PyExc_OSError;
  }
  return PyExc_RuntimeError;
}

/// The text with advice as Python spells it: the C++ methods are called to_bool because bool is a
/// keyword.
std::string in_python(std::string text) {
  const std::string_view cpp = ".to_bool()";
  for (size_t at = text.find(cpp); at != std::string::npos; at = text.find(cpp)) {
    text.replace(at, cpp.size(), ".bool()");
  }
  return text;
}

}  // namespace

void set_python_error() noexcept {
  try {
    throw;
  } catch (py::error_already_set& e) {
    e.restore();
  } catch (const Error& e) {
    PyErr_SetString(type_of(e.kind()), in_python(e.what()).c_str());
  } catch (const py::builtin_exception& e) {
    e.set_error();
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& e) {
    PyErr_SetString(PyExc_RuntimeError, e.what());
  } catch (...) {
    PyErr_SetString(PyExc_SystemError, "tamis: an exception of unknown type");
  }
}

}  // namespace tamis::python
