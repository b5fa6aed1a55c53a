// Results: selections whose size depends on data, in other forms than one exact tensor.
#pragma once

#include "tamis/tensor.h"

namespace tamis {}  // namespace tamis
