// Native rows: WebAssembly has none.
#include "ops/native_rows.h"

namespace tamis {

std::span<const Family> native_families() { return {}; }

}  // namespace tamis
