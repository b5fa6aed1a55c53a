// What Highway's library would tell: which instruction sets there are. Only its headers are used.
#include "hwy/targets.h"

namespace hwy {

int64_t SupportedTargets() { return HWY_STATIC_TARGET; }

}  // namespace hwy
