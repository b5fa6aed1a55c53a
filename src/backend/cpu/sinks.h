// Sinks: how blocks are consumed. The functions behind the CPU backend's methods; see
// backend/backend.h for contracts.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "backend/backend.h"
#include "backend/cpu/evaluator.h"

namespace tamis::cpu {

/// Elements that one task works on, and per which selections are counted.
inline constexpr int64_t kChunk = 16 * kBlock;

inline int64_t chunks_of(int64_t n) { return (n + kChunk - 1) / kChunk; }

void run_store(const Program& program, const Target& target);
bool is_one_kernel(Op op, DType operand, DType result, std::span<const Applied> inputs);
void run_apply(Op op, DType operand, DType result, std::span<const Applied> inputs,
               const Shape& shape, void* out);
int64_t run_count(const Program& program);
Memory run_keep_mask(const Program& program, std::vector<int64_t>& begins);
bool run_any(const Program& program);
bool run_all(const Program& program);
void run_compress(const Program& program, const std::function<Output(int64_t)>& resize);
bool run_compress_small(const void* data, size_t itemsize, const void* mask, int64_t n,
                        const std::function<Output(int64_t)>& allocate);
bool run_fill_small(void* data, DType dtype, const void* mask, int64_t n, const void* number,
                    DType from);
void run_compress_padded(const Program& program, const Output& out, const void* fill,
                         int64_t* count);
void run_partition(const Program& program,
                   const std::function<std::pair<Buffer, Buffer>(int64_t)>& allocate);
void run_coordinates(const Program& program, const Shape& shape,
                     const std::function<Output(int64_t)>& allocate);
void run_coordinates_padded(const Program& program, const Shape& shape, const Output& out,
                            int64_t fill);
int64_t run_expand(const Program& program, const void* source, int64_t source_numel,
                   const Target& target);
void run_expand_padded(const Program& program, const void* source, int64_t source_numel,
                       const Target& target);
void run_reduce(const Program& program, Reduction reduction, const ReductionShape& shape, void* out,
                DType result);
void run_softmax(const Program& program, bool logarithm, int64_t rows, int64_t length, void* out,
                 DType result);
void run_arg_extreme(const Program& program, bool largest, const ReductionShape& shape,
                     void* values, int64_t* indices);
void run_scan(Scan scan, void* data, DType dtype, const ReductionShape& shape);
void run_scan_extreme(bool largest, void* data, DType dtype, const ReductionShape& shape,
                      int64_t* indices);
void run_random(const Random& random, DType dtype, int64_t n, void* out);

}  // namespace tamis::cpu
