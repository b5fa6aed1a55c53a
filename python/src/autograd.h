// Tensors of the graph of gradients as Python objects, and back.
#pragma once

#include <span>
#include <vector>

#include "object.h"

namespace tamis::python {

/// The tensor of a tamis.Tensor; anything else is a TypeError.
Tensor tensor_from(py::handle o);
/// The same; None is an undefined tensor.
Tensor tensor_or_none(py::handle o);
/// None is no tensors, a tensor is one.
std::vector<Tensor> tensors_from(py::handle o);

/// None for an undefined tensor.
py::object object_of(const Tensor& x);
py::list objects_of(std::span<const Tensor> tensors);

}  // namespace tamis::python
