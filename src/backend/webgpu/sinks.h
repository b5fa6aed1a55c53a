// What the backend does: the sinks that programs run into, and the functions of memory. The
// contracts are those of Backend (backend/backend.h) and OrderBackend (backend/order.h).
#pragma once

#include <functional>
#include <span>
#include <utility>

#include "backend/backend.h"
#include "backend/webgpu/program.h"

namespace tamis::webgpu {

void run_store(Queue& queue, const Program& program, const Target& target);

int64_t run_count(Queue& queue, const Program& program);
void run_compress(Queue& queue, const Program& program,
                  const std::function<Output(int64_t)>& resize);
void run_compress_padded(Queue& queue, const Program& program, const Output& out, const void* fill,
                         const Buffer& count);
void run_partition(Queue& queue, const Program& program,
                   const std::function<std::pair<Buffer, Buffer>(int64_t)>& allocate);
void run_coordinates(Queue& queue, const Program& program, const Shape& shape,
                     const std::function<Output(int64_t)>& allocate);
void run_coordinates_padded(Queue& queue, const Program& program, const Shape& shape,
                            const Output& out, int64_t fill);
int64_t run_expand(Queue& queue, const Program& program, const Buffer& source, int64_t source_numel,
                   const Target& target);
void run_expand_padded(Queue& queue, const Program& program, const Buffer& source,
                       int64_t source_numel, const Target& target);

void run_reduce(Queue& queue, const Program& program, Reduction reduction,
                const ReductionShape& shape, const Buffer& out, DType result);
void run_arg_extreme(Queue& queue, const Program& program, bool largest,
                     const ReductionShape& shape, const Buffer& values, const Buffer& indices);
void run_softmax(Queue& queue, const Program& program, bool logarithm, int64_t rows, int64_t length,
                 const Buffer& out, DType result);
void run_scan(Queue& queue, Scan scan, const Buffer& x, DType dtype, const ReductionShape& shape);
void run_scan_extreme(Queue& queue, bool largest, const Buffer& x, DType dtype,
                      const ReductionShape& shape, const Buffer& indices);

void run_matmul(Queue& queue, const MatrixBatch& a, const MatrixBatch& b, DType dtype,
                int64_t batches, int64_t m, int64_t k, int64_t n, const Buffer& out);
void run_random(Queue& queue, const Random& random, DType dtype, int64_t n, const Buffer& out);

bool run_within(Queue& queue, const Buffer& indices, int64_t n, int64_t low, int64_t high);
void run_take(Queue& queue, const IndexedElements& elements, const Buffer& from, size_t itemsize,
              const Buffer& out);
void run_put(Queue& queue, const IndexedElements& elements, const Buffer& to, const Buffer& source,
             const Shape& source_strides, DType dtype, Combine combine);

void run_sort(Queue& queue, const Slices& x, bool descending, const Buffer& values,
              const Buffer& indices);
void run_top(Queue& queue, const Slices& x, int64_t k, bool descending, const Buffer& values,
             const Buffer& indices);
void run_select(Queue& queue, const Slices& x, std::span<const int64_t> ranks, int64_t per_slice,
                const Buffer& values, const Buffer& indices);
void run_mode(Queue& queue, const Slices& x, const Buffer& values, const Buffer& indices);
void run_search(Queue& queue, const Slices& x, const Buffer& sorter, const Buffer& values,
                int64_t slices, int64_t per_slice, bool right, const Buffer& out);

}  // namespace tamis::webgpu
