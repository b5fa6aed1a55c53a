// What tamis.webgpu is made of.
#include "tamis/webgpu.h"

#include <pybind11/stl.h>

#include "convert.h"
#include "object.h"

namespace tamis::python {

namespace {

/// Names, backends, types and drivers.
py::list adapter_list() {
  py::list list;
  for (const webgpu::Adapter& a : without_gil([] { return webgpu::adapters(); })) {
    list.append(py::make_tuple(a.name, a.backend, a.type, a.driver));
  }
  return list;
}

py::dict stats_dict(const py::object& device) {
  const Device on = to_device(device);
  const webgpu::Stats stats = without_gil([&] { return webgpu::stats(on); });
  py::dict d;
  d["dispatches"] = stats.dispatches;
  d["submits"] = stats.submits;
  d["readbacks"] = stats.readbacks;
  d["readback_bytes"] = stats.readback_bytes;
  d["written_bytes"] = stats.written_bytes;
  d["pipelines"] = stats.pipelines;
  d["live_bytes"] = stats.live_bytes;
  d["cached_bytes"] = stats.cached_bytes;
  return d;
}

}  // namespace

// The first call of any of these looks for drivers or opens a device, and takes its time.
void add_webgpu(py::module_& m) {
  m.def("_webgpu_set_library", webgpu::set_library);
  m.def("_webgpu_is_available", [] { return without_gil([] { return webgpu::is_available(); }); });
  m.def("_webgpu_adapters", adapter_list);
  m.def("_webgpu_synchronize", [](const py::object& device) {
    const Device on = to_device(device);
    without_gil([&] { webgpu::synchronize(on); });
  });
  m.def("_webgpu_stats", stats_dict);
  m.def("_webgpu_reset_stats", [](const py::object& device) {
    const Device on = to_device(device);
    without_gil([&] { webgpu::reset_stats(on); });
  });
}

}  // namespace tamis::python
