// The slots of the Tensor type that files other than tensor.cpp fill.
#pragma once

#include <vector>

#include "object.h"

namespace tamis::python {

/// operators.cpp: arithmetic, bit operators, comparisons, conversion to Python numbers.
void add_operator_slots(std::vector<PyType_Slot>& slots);
/// indexing.cpp: x[...], len.
void add_indexing_slots(std::vector<PyType_Slot>& slots);
/// buffer.cpp: the buffer protocol.
void add_buffer_slots(std::vector<PyType_Slot>& slots);
/// methods.cpp: methods and properties that are not ops.
void add_method_slots(std::vector<PyType_Slot>& slots);

// copies.cpp: methods that methods.cpp lists.
PyObject* convert_to(PyObject* self, PyObject* args, PyObject* kwargs);
PyObject* convert_astype(PyObject* self, PyObject* args, PyObject* kwargs);
PyObject* copy_values(PyObject* self, PyObject*);
PyObject* copy_tensor(PyObject* self, PyObject*);
PyObject* deepcopy_tensor(PyObject* self, PyObject* memo);
PyObject* reduce_tensor(PyObject* self, PyObject* protocol);
// dlpack.cpp and arrow_export.cpp: the same.
PyObject* export_dlpack(PyObject* self, PyObject* args, PyObject* kwargs);
PyObject* dlpack_device(PyObject* self, PyObject*);
PyObject* arrow_c_array(PyObject* self, PyObject* args, PyObject* kwargs);

}  // namespace tamis::python
