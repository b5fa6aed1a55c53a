// Losses with a mask.
#pragma once

#include "tamis/tensor.h"

namespace tamis {}  // namespace tamis
