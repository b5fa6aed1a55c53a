// The macros of the instruction set being compiled (HWY_NAMESPACE, HWY_BEFORE_NAMESPACE,
// HWY_INLINE), without Highway's vector ops, which take seconds to parse. No guard: it changes with
// HWY_TARGET.
#include "hwy/base.h"
#include "hwy/ops/set_macros-inl.h"

#if HWY_ARCH_X86
#include <immintrin.h>
#endif
