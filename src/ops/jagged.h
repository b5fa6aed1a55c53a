// Jagged rows: what the ops on values and offsets share.
#pragma once

#include <vector>

#include "tamis/tensor.h"

namespace tamis {

/// Where each row of a mask [..., n] begins among what it keeps: int64 [rows + 1].
Tensor offsets_of(const Tensor& mask);

/// The length of each row. Throws unless offsets is 1-d, int64, begins with 0 and never decreases.
std::vector<int64_t> lengths_of(const char* op, const Tensor& offsets);

/// Throws unless rows of these lengths make up values.
void check_jagged(const char* op, const Tensor& values, const std::vector<int64_t>& lengths);

/// 0 if there are no rows.
int64_t longest_of(const std::vector<int64_t>& lengths);

/// Rows cut to at most `size`.
Tensor first_of_rows(const Tensor& values, const std::vector<int64_t>& lengths, int64_t size);

}  // namespace tamis
