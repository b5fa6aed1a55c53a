// Files: tamis.load and tamis.save.
#include <pybind11/stl.h>
#include <unistd.h>

#include "convert.h"
#include "io/reader.h"
#include "tamis/io.h"

namespace tamis::python {

namespace {

/// A str or os.PathLike as the system's bytes.
std::string path_of(const py::object& path) {
  PyObject* bytes = nullptr;
  if (PyUnicode_FSConverter(path.ptr(), &bytes) == 0) throw py::error_already_set();
  return steal(bytes).cast<std::string>();
}

py::object to_object(Tensor tensor) { return steal(wrap(std::move(tensor))); }

py::object load_function(const py::object& path, const std::optional<std::string>& name,
                         bool mmap) {
  const std::string file = path_of(path);
  if (file != "-" && access(file.c_str(), F_OK) != 0) {
    PyErr_SetFromErrnoWithFilenameObject(PyExc_OSError, path.ptr());  // FileNotFoundError
    throw py::error_already_set();
  }
  const io::Reader reader = without_gil([&] { return io::Reader(file); });
  const auto read = [&](size_t array) {
    return to_object(without_gil([&] { return mmap ? reader.map(array) : reader.read(array); }));
  };
  if (name) return read(reader.find(*name));
  if (reader.format() == io::Format::npy) return read(0);
  py::dict tensors;
  for (size_t i = 0; i < reader.arrays().size(); ++i) {
    tensors[py::str(reader.arrays()[i].name)] = read(i);
  }
  return tensors;
}

void save_function(const py::object& path, const py::object& data) {
  const std::string file = path_of(path);
  const auto to_tensor = [](PyObject* o) {
    Origins origins;
    std::optional<Tensor> x = array_to_tensor(o, origins, Copying::if_needed);
    return x ? *x : values_to_tensor(o, std::nullopt);
  };
  if (!py::isinstance<py::dict>(data)) {
    const Tensor x = to_tensor(data.ptr());
    without_gil([&] { save(file, x); });
    return;
  }
  NamedTensors tensors;
  for (const auto& [key, value] : py::cast<py::dict>(data)) {
    if (!py::isinstance<py::str>(key)) {
      raise_python(PyExc_TypeError, "save(): names of tensors must be str");
    }
    tensors.emplace_back(key.cast<std::string>(), to_tensor(value.ptr()));
  }
  without_gil([&] { save_all(file, tensors); });
}

}  // namespace

void add_files(py::module_& m) {
  m.def("load", load_function, py::arg("path"), py::arg("name") = py::none(), py::kw_only(),
        py::arg("mmap") = false,
        "The tensor of a .npy file; of an .npz or .safetensors file a dict of all, or the one that "
        "is called name. With mmap=True they are read-only and read from the file when they are "
        "used, where its layout allows.");
  m.def("save", save_function, py::arg("path"), py::arg("data"),
        "Writes an array to a .npy, .npz or .safetensors file, or a dict of them to one of the "
        "latter two. The file appears whole or not at all.");
}

}  // namespace tamis::python
