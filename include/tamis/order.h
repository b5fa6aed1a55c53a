// Order: sorting, selection, quantiles, distinct values, search.
#pragma once

#include "tamis/tensor.h"

namespace tamis {}  // namespace tamis
