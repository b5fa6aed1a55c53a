// Reductions beyond those of ops.h, scans and softmax.
#pragma once

#include "tamis/tensor.h"

namespace tamis {}  // namespace tamis
