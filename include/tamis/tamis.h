// All of Tamis' public interface.
#pragma once

#if __cplusplus < 202002L
#error "Tamis needs C++20: compile with -std=c++20"
#endif

#include "tamis/autograd.h"
#include "tamis/complex.h"
#include "tamis/create.h"
#include "tamis/device.h"
#include "tamis/dtype.h"
#include "tamis/error.h"
#include "tamis/generator.h"
#include "tamis/indexing.h"
#include "tamis/io.h"
#include "tamis/iterate.h"
#include "tamis/linalg.h"
#include "tamis/loss.h"
#include "tamis/masked.h"
#include "tamis/masks.h"
#include "tamis/ops.h"
#include "tamis/optim.h"
#include "tamis/options.h"
#include "tamis/order.h"
#include "tamis/pieces.h"
#include "tamis/print.h"
#include "tamis/reduce.h"
#include "tamis/results.h"
#include "tamis/runtime.h"
#include "tamis/scalar.h"
#include "tamis/sequence.h"
#include "tamis/shape.h"
#include "tamis/tensor.h"
