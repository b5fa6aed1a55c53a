// Special functions: the part of every kernel table that is compiled once.
#pragma once

#include "backend/cpu/kernels/kernels.h"

namespace tamis::cpu {

void fill_special(Kernels& table);

}  // namespace tamis::cpu
