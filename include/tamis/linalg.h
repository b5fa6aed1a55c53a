// Linear algebra: products of matrices.
#pragma once

#include "tamis/tensor.h"

namespace tamis {}  // namespace tamis
