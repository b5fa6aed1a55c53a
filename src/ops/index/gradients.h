// Gradients of what reads and writes the elements that integers name.
#pragma once

#include <string>
#include <vector>

#include "ops/index/index_walk.h"
#include "tamis/index.h"

namespace tamis {

/// y has been taken from w's view by its index tensors.
void record_index(const Tensor& y, const IndexWalk& w);
/// value has been assigned, or added, to w's view there.
void record_index_put(const IndexWalk& w, const Tensor& value, bool accumulate);

void record_index_select(const Tensor& y, const Tensor& x, int64_t dim, const Tensor& index);
void record_gather(const Tensor& y, const Tensor& x, int64_t dim, const Tensor& index);
void record_take(const Tensor& y, const Tensor& x, const Tensor& index);

// x has been written to.
void record_index_fill(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& value);
void record_index_add(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& source);
void record_index_copy(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& source);
void record_put(const Tensor& x, const Tensor& index, const Tensor& source, bool accumulate);
/// By assignment or, if `adds`, by addition.
void record_scatter(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& src,
                    bool adds);
/// `before` is what x held.
void record_scatter_reduce(const Tensor& x, const Tensor& before, int64_t dim, const Tensor& index,
                           const Tensor& src, const std::string& reduce, bool include_self);

/// values are the elements of x that indices name along dim, no element twice.
void record_picked(const Tensor& values, const Tensor& x, int64_t dim, const Tensor& indices);

}  // namespace tamis
