// Python functions that the graph of gradients keeps, and how the collector of cycles finds them.
#pragma once

#include <memory>
#include <span>

#include "autograd/node.h"
#include "object.h"

namespace tamis::python {

/// A Python object that C++ holds: released with the GIL, and not after the interpreter is gone.
using Kept = std::shared_ptr<py::object>;
Kept keep(py::object o);

/// What nodes call. These are types with names, so that they can be found in a std::function.
struct PythonHook {
  Kept function;
  Tensor operator()(const Tensor& grad) const;
};
struct PythonVjp {
  Kept function;
  Gradients operator()(const Tensor& grad, std::span<const Tensor> saved) const;
};

/// Visits the Python functions that live as long as x and no longer: those of nodes to which all
/// references come from x's handle. For tp_traverse, so with the GIL. Whoever works on a tensor
/// without the GIL holds a handle of its own, so nothing is visited of a graph that may be
/// changing.
int visit_functions(const Tensor& x, visitproc visit, void* arg) noexcept;

}  // namespace tamis::python
