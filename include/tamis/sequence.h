// Sequences: batches of sequences of different lengths, padded or packed.
#pragma once

#include "tamis/tensor.h"

namespace tamis {}  // namespace tamis
