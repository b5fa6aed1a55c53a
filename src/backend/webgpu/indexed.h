// The elements that indices name, in WGSL.
#pragma once

#include "backend/indexed.h"
#include "backend/webgpu/program.h"

namespace tamis::webgpu {

/// An expression for the number of the element that position `e` stands for, in memory that begins
/// with element `offset`. Statements that it needs go to `statements`.
std::string index_expression(Shader& shader, const IndexedElements& elements, int64_t offset,
                             std::string& statements);

/// Writes these numbers as words, for all positions. A shader has bindings for some of the indices
/// at a time, so this takes any number of them.
void find_numbers(Queue& queue, const IndexedElements& elements, int64_t offset, Block* numbers);

}  // namespace tamis::webgpu
