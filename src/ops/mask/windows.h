// Windows of masks: what the rows of the mask builders say about making a box of a mask alone. Each
// takes the arguments of its row and refuses what that refuses.
#pragma once

#include <span>

#include "ops/row.h"

namespace tamis {

MaskWindows windows_of_lengths(std::span<const Value> args);
MaskWindows windows_of_indices(std::span<const Value> args);
MaskWindows windows_of_causal(std::span<const Value> args);
MaskWindows windows_of_band(std::span<const Value> args);
MaskWindows windows_of_sliding(std::span<const Value> args);
MaskWindows windows_of_documents(std::span<const Value> args);

}  // namespace tamis
