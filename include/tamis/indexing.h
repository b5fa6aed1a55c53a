// Indexing: x[...] with integers, slices, masks and integer tensors; gather, scatter and their kin.
#pragma once

#include "tamis/tensor.h"

namespace tamis {}  // namespace tamis
