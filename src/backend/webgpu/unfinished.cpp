#include "backend/webgpu/sinks.h"
#include "core/check.h"
namespace tamis::webgpu {
#define TODO(name) raise(ErrorKind::unsupported, "webgpu: unfinished: " #name)
void run_put(Queue&, const IndexedElements&, const Buffer&, const Buffer&, const Shape&, DType, Combine) { TODO(put); }
void run_sort(Queue&, const Slices&, bool, const Buffer&, const Buffer&) { TODO(sort); }
void run_top(Queue&, const Slices&, int64_t, bool, const Buffer&, const Buffer&) { TODO(top); }
void run_select(Queue&, const Slices&, std::span<const int64_t>, int64_t, const Buffer&, const Buffer&) { TODO(select); }
void run_mode(Queue&, const Slices&, const Buffer&, const Buffer&) { TODO(mode); }
void run_search(Queue&, const Slices&, const Buffer&, const Buffer&, int64_t, int64_t, bool, const Buffer&) { TODO(search); }
}  // namespace tamis::webgpu
