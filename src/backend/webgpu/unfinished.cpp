#include "backend/webgpu/sinks.h"
#include "core/check.h"
namespace tamis::webgpu {
#define TODO(name) raise(ErrorKind::unsupported, "webgpu: unfinished: " #name)
void run_arg_extreme(Queue&, const Program&, bool, const ReductionShape&, const Buffer&, const Buffer&) { TODO(arg_extreme); }
void run_softmax(Queue&, const Program&, bool, int64_t, int64_t, const Buffer&, DType) { TODO(softmax); }
void run_scan(Queue&, Scan, const Buffer&, DType, const ReductionShape&) { TODO(scan); }
void run_scan_extreme(Queue&, bool, const Buffer&, DType, const ReductionShape&, const Buffer&) { TODO(scan_extreme); }
void run_matmul(Queue&, const MatrixBatch&, const MatrixBatch&, DType, int64_t, int64_t, int64_t, int64_t, const Buffer&) { TODO(matmul); }
void run_random(Queue&, const Random&, DType, int64_t, const Buffer&) { TODO(random); }
std::shared_ptr<const IsinSet> make_isin_set(Queue&, const void*, DType, int64_t, DType) { TODO(isin); }
std::string probe(Shader&, const IsinSet&, DType, const std::string&) { TODO(isin); }
}  // namespace tamis::webgpu
