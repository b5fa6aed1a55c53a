// Overlap: whether a tensor that is written shares memory with itself or with a tensor that is
// read.
#pragma once

#include "tamis/tensor.h"

namespace tamis {

// None of these settles anything: a deferred tensor has memory of its own, or none yet. Tensors
// without elements never overlap. All throw kind unsupported.

/// Refuses a tensor with several elements in one memory location (an expanded one).
void check_no_internal_overlap(const Tensor& written);

/// Refuses any shared element.
void check_no_overlap(const Tensor& written, const Tensor& read);

/// Refuses shared elements, unless read, broadcast to written's shape, is the same elements in the
/// same order.
void check_no_partial_overlap(const Tensor& written, const Tensor& read);

}  // namespace tamis
