// masked: reductions and normalisations over the elements that a mask keeps.
#pragma once

#include "tamis/tensor.h"

namespace tamis {}  // namespace tamis
