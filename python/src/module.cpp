// The extension module tamis._tamis: puts its parts together, and the settings of the process.
#include <pybind11/stl.h>

#include "object.h"
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

}  // namespace

void add_runtime(py::module_& m) {
  m.def(
      "manual_seed", [](int64_t seed) { manual_seed(static_cast<uint64_t>(seed)); },
      py::arg("seed"), "Restarts the stream that all random functions draw from.");
  m.def("set_num_threads", set_num_threads, py::arg("n"), "How many threads an operation may use.");
  m.def("get_num_threads", get_num_threads, "How many threads an operation may use.");
  m.def("isa", isa, "The CPU path in use: 'scalar', 'sse4', 'avx2' or 'avx512'.");
  m.def("eager_mode", eager_mode, "Whether every operation computes its result at once.");
  m.def("set_eager_mode", set_eager_mode, py::arg("on"),
        "Results are the same bit for bit in both modes.");
  m.def("memory_stats", memory_stats_dict, "What the allocator did since the process started.");
  m.def("reset_peak_memory", reset_peak_memory, "Makes peak_bytes start again from live_bytes.");
  m.def("empty_cache", empty_cache, "Gives cached memory back to the system.");
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
  add_tensor_type(m);
  add_functions(m);
  add_creation(m);
  add_files(m);
  add_numpy(m);
  add_arrow(m);
  add_arrow_export(m);
  add_runtime(m);
  add_autograd(m);
  add_reference(m);
}
