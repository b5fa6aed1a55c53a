// The extension module tamis._tamis: puts its parts together, and the settings of the process.
#include <pybind11/stl.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>

#include "convert.h"
#include "core/check.h"
#include "object.h"
#include "tamis/masked_tensor.h"
#include "tamis/print.h"
#include "tamis/runtime.h"

namespace tamis::python {

namespace {

py::dict memory_stats_dict() {
  const MemoryStats stats = memory_stats();
  py::dict d;
  d["live_bytes"] = stats.live_bytes;
  d["cached_bytes"] = stats.cached_bytes;
  d["peak_bytes"] = stats.peak_bytes;
  d["allocations"] = stats.allocations;
  d["allocated_bytes"] = stats.allocated_bytes;
  return d;
}

/// PyTorch's profiles.
PrintOptions profile_of(const std::string& name) {
  PrintOptions options;
  if (name == "short") {
    options.precision = 2;
    options.edgeitems = 2;
  } else if (name == "full") {
    options.threshold = std::numeric_limits<int64_t>::max();
  } else {
    check(name == "default", ErrorKind::value,
          "set_printoptions(): profile must be 'default', 'short' or 'full', but got '{}'", name);
  }
  return options;
}

void set_options(std::optional<int> precision, std::optional<double> threshold,
                 std::optional<int64_t> edgeitems, std::optional<int64_t> linewidth,
                 const std::optional<std::string>& profile, std::optional<bool> sci_mode) {
  PrintOptions options = profile ? profile_of(*profile) : get_printoptions();
  options.precision = precision.value_or(options.precision);
  if (threshold) {
    check(!std::isnan(*threshold), ErrorKind::value,
          "set_printoptions(): threshold must be a number, and infinity prints all");
    const bool unbounded = *threshold >= 0x1p63;
    options.threshold = unbounded ? std::numeric_limits<int64_t>::max()
                                  : static_cast<int64_t>(std::max(*threshold, -1.0));
  }
  options.edgeitems = edgeitems.value_or(options.edgeitems);
  options.linewidth = linewidth.value_or(options.linewidth);
  options.sci_mode = sci_mode;
  set_printoptions(options);
}

py::dict options_dict() {
  const PrintOptions options = get_printoptions();
  py::dict d;
  d["precision"] = options.precision;
  d["threshold"] = options.threshold;
  d["edgeitems"] = options.edgeitems;
  d["linewidth"] = options.linewidth;
  d["sci_mode"] = options.sci_mode;
  return d;
}

/// How a MaskedTensor prints.
std::string masked_text(const py::object& data, const py::object& mask) {
  Origins origins;
  const auto x = array_to_tensor(data.ptr(), origins, Copying::if_needed);
  const auto keep = array_to_tensor(mask.ptr(), origins, Copying::if_needed);
  if (!x || !keep) raise_python(PyExc_TypeError, "MaskedTensor: data and mask must be tensors");
  return masked::MaskedTensor(*x, *keep).to_string();
}

}  // namespace

void add_runtime(py::module_& m) {
  m.def("set_num_threads", set_num_threads, py::arg("n"), "How many threads an operation may use.");
  m.def("get_num_threads", get_num_threads, "How many threads an operation may use.");
  m.def("isa", isa, "The CPU path in use: 'scalar', 'sse4', 'avx2' or 'avx512'.");
  m.def("eager_mode", eager_mode, "Whether every operation computes its result at once.");
  m.def("set_eager_mode", set_eager_mode, py::arg("on"),
        "Results are the same bit for bit in both modes.");
  m.def("memory_stats", memory_stats_dict, "What the allocator did since the process started.");
  m.def("reset_peak_memory", reset_peak_memory, "Makes peak_bytes start again from live_bytes.");
  m.def("empty_cache", empty_cache, "Gives cached memory back to the system.");
  const auto option = [](const char* name) { return py::arg(name) = py::none(); };
  m.def("set_printoptions", set_options, option("precision"), option("threshold"),
        option("edgeitems"), option("linewidth"), option("profile"), option("sci_mode"),
        "How tensors are printed: digits after the point, the number of elements above which a "
        "tensor is cut to its edges and how many those have, characters per line, and whether in "
        "scientific notation. What is not given stays, but sci_mode, which returns to automatic. "
        "profile is 'default', 'short' or 'full'.");
  m.def("get_printoptions", options_dict, "The options of printing as they are.");
  m.def("_masked_text", masked_text, py::arg("data"), py::arg("mask"));
}

}  // namespace tamis::python

PYBIND11_MODULE(_tamis, m) {
  using namespace tamis::python;
  m.doc() = "Tensors and masking with PyTorch's semantics; import tamis instead.";
  py::register_local_exception_translator([](std::exception_ptr e) {
    try {
      if (e) std::rethrow_exception(e);
    } catch (const tamis::Error&) {
      set_python_error();
    }
  });
  add_dtypes(m);
  add_device(m);
  add_tensor_type(m);
  add_functions(m);
  add_creation(m);
  add_files(m);
  add_numpy(m);
  add_arrow(m);
  add_arrow_export(m);
  add_runtime(m);
  add_random(m);
  add_autograd(m);
  add_partial(m);
  add_condition(m);
  add_webgpu(m);
  add_reference(m);
}
