// All of Tamis' public interface.
#pragma once

#include "tamis/dtype.h"
#include "tamis/error.h"
#include "tamis/masks.h"
#include "tamis/ops.h"
#include "tamis/runtime.h"
#include "tamis/scalar.h"
#include "tamis/shape.h"
#include "tamis/tensor.h"
