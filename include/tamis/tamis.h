// All of Tamis' public interface.
#pragma once

#include "tamis/dtype.h"
#include "tamis/error.h"
#include "tamis/indexing.h"
#include "tamis/linalg.h"
#include "tamis/loss.h"
#include "tamis/masked.h"
#include "tamis/masks.h"
#include "tamis/ops.h"
#include "tamis/order.h"
#include "tamis/reduce.h"
#include "tamis/results.h"
#include "tamis/runtime.h"
#include "tamis/scalar.h"
#include "tamis/sequence.h"
#include "tamis/shape.h"
#include "tamis/tensor.h"
