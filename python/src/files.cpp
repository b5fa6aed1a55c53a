// Files: tamis.load and tamis.save, by path or with an open file object.
#include <pybind11/stl.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "convert.h"
#include "core/check.h"
#include "io/reader.h"
#include "io/writer.h"
#include "tamis/io.h"

namespace tamis::python {

namespace {

constexpr uint64_t kChunk = 1 << 20;

bool is_path(const py::object& o) {
  return py::isinstance<py::str>(o) || py::isinstance<py::bytes>(o) || py::hasattr(o, "__fspath__");
}

/// A str or os.PathLike as the system's bytes.
std::string path_of(const py::object& path) {
  PyObject* bytes = nullptr;
  if (PyUnicode_FSConverter(path.ptr(), &bytes) == 0) throw py::error_already_set();
  return steal(bytes).cast<std::string>();
}

/// What messages call a file object: its name, or its type.
std::string name_of(const py::object& file) {
  const py::object name = py::getattr(file, "name", py::none());
  return py::isinstance<py::str>(name) ? name.cast<std::string>() : Py_TYPE(file.ptr())->tp_name;
}

py::object to_object(Tensor tensor) { return steal(wrap(std::move(tensor))); }

// ---- load ---------------------------------------------------------------------------------------

/// All that can still be read from a file object, in a temporary file.
io::File spooled(const py::object& file) {
  io::File copy = io::File::temporary(name_of(file));
  for (;;) {
    const py::object chunk = file.attr("read")(kChunk);
    if (!py::isinstance<py::bytes>(chunk)) {
      raise_python(PyExc_TypeError, "load(): read() of the file object gives " +
                                        std::string(Py_TYPE(chunk.ptr())->tp_name) +
                                        ", not bytes; open the file in mode 'rb'");
    }
    const auto bytes = chunk.cast<std::string_view>();
    if (bytes.empty()) return copy;
    without_gil([&] { copy.write(copy.size(), bytes.data(), bytes.size()); });
  }
}

io::Reader open_reader(const py::object& path, bool mmap) {
  if (is_path(path) || !py::hasattr(path, "read")) {
    const std::string file = path_of(path);
    if (file != "-" && access(file.c_str(), F_OK) != 0) {
      PyErr_SetFromErrnoWithFilenameObject(PyExc_OSError, path.ptr());  // FileNotFoundError
      throw py::error_already_set();
    }
    return without_gil([&] { return io::Reader(file); });
  }
  if (mmap) {
    raise_python(PyExc_ValueError,
                 "load(): mmap=True needs the path of a file; a file object is read");
  }
  io::File copy = spooled(path);
  return without_gil([&] { return io::Reader(std::move(copy)); });
}

py::object load_function(const py::object& path, const std::optional<std::string>& name,
                         bool mmap) {
  const io::Reader reader = open_reader(path, mmap);
  const auto read = [&](size_t array) {
    return to_object(without_gil([&] { return mmap ? reader.map(array) : reader.read(array); }));
  };
  if (name) return read(reader.find(*name));
  const bool is_zarr_array = reader.format() == io::Format::zarr && reader.arrays().size() == 1 &&
                             reader.arrays()[0].name.empty();
  if (reader.format() == io::Format::npy || is_zarr_array) return read(0);
  py::dict tensors;
  for (size_t i = 0; i < reader.arrays().size(); ++i) {
    tensors[py::str(reader.arrays()[i].name)] = read(i);
  }
  return tensors;
}

// ---- save ---------------------------------------------------------------------------------------

/// What is to be saved: one tensor, which has no name, or several.
struct Content {
  NamedTensors tensors;
  bool named = false;
};

Tensor to_tensor(PyObject* o) {
  Origins origins;
  std::optional<Tensor> x = array_to_tensor(o, origins, Copying::if_needed);
  return x ? *x : values_to_tensor(o, std::nullopt);
}

Content content_of(const py::object& data) {
  Content content;
  content.named = py::isinstance<py::dict>(data);
  if (!content.named) {
    content.tensors.emplace_back("", to_tensor(data.ptr()));
    return content;
  }
  for (const auto& [key, value] : py::cast<py::dict>(data)) {
    if (!py::isinstance<py::str>(key)) {
      raise_python(PyExc_TypeError, "save(): names of tensors must be str");
    }
    content.tensors.emplace_back(key.cast<std::string>(), to_tensor(value.ptr()));
  }
  return content;
}

/// Into a file object, in the format of its name's ending; without one, .npy for a tensor and .npz
/// for several.
void save_to_object(const py::object& file, Content content) {
  const std::string name = name_of(file);
  const io::Format usual = content.named ? io::Format::npz : io::Format::npy;
  io::Format format = io::format_of(name).value_or(usual);
  if (format == io::Format::raw) format = usual;
  check(!content.named || format != io::Format::npy, ErrorKind::value,
        "{}: .npy files cannot store names; use .npz or .safetensors", name);
  if (!content.named) content.tensors[0].first = io::default_name(format);
  const io::File copy =
      without_gil([&] { return io::write_temporary(name, format, content.tensors); });
  std::vector<char> buffer(std::min(kChunk, copy.size()));
  for (uint64_t at = 0; at < copy.size(); at += buffer.size()) {
    const size_t n = std::min<uint64_t>(buffer.size(), copy.size() - at);
    copy.read(at, buffer.data(), n);
    file.attr("write")(py::bytes(buffer.data(), n));
  }
}

bool is_target(const py::object& o) { return is_path(o) || py::hasattr(o, "write"); }

/// save(path, data), and save(obj, f) as in PyTorch.
void save_function(const py::object& first, const py::object& second) {
  const bool target_first = is_target(first);
  if (!target_first && !is_target(second)) {
    raise_python(PyExc_TypeError,
                 "save(): expected data and a path or file object, in either order, but got " +
                     std::string(Py_TYPE(first.ptr())->tp_name) + " and " +
                     Py_TYPE(second.ptr())->tp_name);
  }
  const py::object& target = target_first ? first : second;
  Content content = content_of(target_first ? second : first);
  if (!is_path(target)) return save_to_object(target, std::move(content));
  const std::string file = path_of(target);
  without_gil([&] {
    content.named ? save_all(file, content.tensors) : save(file, content.tensors[0].second);
  });
}

}  // namespace

void add_files(py::module_& m) {
  const auto none = [](const char* name) { return py::arg(name) = py::none(); };
  constexpr const char* kLoad =
      "The tensor of a .npy file or of a Zarr store that is one array; of an .npz or .safetensors "
      "file or a Zarr group a dict of all, or the one that is called name. path is that of the "
      "file, or a file object, of which everything that is left "
      "is "
      "read. With mmap=True the tensors are read-only and read from the file when they are used, "
      "where its layout allows.";
  m.def("load", load_function, py::arg("path"), none("name"), py::kw_only(),
        py::arg("mmap") = false, kLoad);
  m.def("load", load_function, py::arg("f"), none("name"), py::kw_only(), py::arg("mmap") = false,
        "The same with PyTorch's name for the file.");
  m.def(
      "save", save_function, py::arg("path"), py::arg("data"),
      "Writes an array to a .npy, .npz or .safetensors file or a Zarr store (.zarr, or .zip for an "
      "archive), or a dict of them to any but .npy. The file appears whole or not at all. path may "
      "be a file object too: without a "
      "name that says otherwise, it gets an array as .npy and a dict as .npz. The arguments may "
      "come in either order.");
  m.def("save", save_function, py::arg("obj"), py::arg("f"),
        "The same with PyTorch's names and order.");
}

}  // namespace tamis::python
