// tamis.device, and what else names a device.
#include <pybind11/operators.h>

#include <string>
#include <string_view>

#include "convert.h"
#include "tamis/create.h"

namespace tamis::python {

namespace {

/// device("cpu"), device("cpu:0") or device(another device).
Device device_named(const py::object& type) {
  Device device;
  if (!device_from(type.ptr(), device)) {
    raise_python(PyExc_TypeError, "device(): argument 'type' must be str or tamis.device, not " +
                                      std::string(Py_TYPE(type.ptr())->tp_name));
  }
  return device;
}

/// device("cpu", 0).
Device device_numbered(const py::str& type, const py::object& index) {
  if (!PyLong_Check(index.ptr()) || PyBool_Check(index.ptr())) {
    raise_python(PyExc_TypeError, "device(): argument 'index' must be int, not " +
                                      std::string(Py_TYPE(index.ptr())->tp_name));
  }
  const auto name = type.cast<std::string>();
  if (name.find(':') != std::string::npos) {
    raise_python(
        PyExc_RuntimeError,
        "type (string) must not include an index because index was passed explicitly: " + name);
  }
  const auto number = py::str(index).cast<std::string>();
  if (number[0] == '-') raise_python(PyExc_RuntimeError, "Device index must not be negative");
  return Device(name + ":" + number);
}

Device make_device(const py::object& type, const py::object& index) {
  if (!index.is_none() && !PyUnicode_Check(type.ptr())) {
    raise_python(PyExc_TypeError, "device(): argument 'type' must be str, not " +
                                      std::string(Py_TYPE(type.ptr())->tp_name));
  }
  const Device device = index.is_none() ? device_named(type) : device_numbered(type, index);
  (void)zeros({0}, device);  // throws if there is none
  return device;
}

std::string repr_of(const Device& device) {
  std::string text = "device(type='" + device.type() + "'";
  if (device.has_index()) text += ", index=" + std::to_string(device.index());
  return text + ")";
}

}  // namespace

bool device_from(PyObject* o, Device& device) {
  if (py::isinstance<Device>(o)) {
    device = py::handle(o).cast<const Device&>();
    return true;
  }
  if (!PyUnicode_Check(o) && std::string_view(Py_TYPE(o)->tp_name) != "torch.device") return false;
  device = Device(py::str(borrow(o)).cast<std::string>());
  return true;
}

Device to_device(const py::object& o) {
  Device device;
  if (device_from(o.ptr(), device)) return device;
  raise_python(PyExc_TypeError,
               "argument 'device' must be tamis.device, not " + described(o.ptr()));
}

void add_device(py::module_& m) {
  py::class_<Device> type(m, "device", py::is_final(),
                          "Where a tensor is, as torch.device: device('cpu'). Functions take its "
                          "name as well.");
  type.def(py::init(&make_device), py::arg("type"), py::arg("index") = py::none())
      .def_property_readonly("type", &Device::type, "The kind of device: 'cpu'.")
      .def_property_readonly(
          "index",
          [](const Device& d) {
            return d.has_index() ? py::object(py::int_(d.index())) : py::none();
          },
          "Which one of its kind, or None.")
      .def("__str__", &Device::str)
      .def("__repr__", repr_of)
      .def(py::self == py::self)
      .def("__hash__", [](const Device& d) { return py::hash(py::str(d.str())); })
      .def("__reduce__", [](const py::object& self) {
        return py::make_tuple(py::type::of(self), py::make_tuple(py::str(self)));
      });
  type.attr("__module__") = "tamis";
}

}  // namespace tamis::python
