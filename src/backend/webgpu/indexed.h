// The elements that indices name, in WGSL.
#pragma once

#include "backend/indexed.h"
#include "backend/webgpu/program.h"

namespace tamis::webgpu {

/// An expression for the number of the element that position `e` stands for, in memory that begins
/// with element `offset`. Statements that it needs go to `statements`.
std::string index_expression(Shader& shader, const IndexedElements& elements, int64_t offset,
                             std::string& statements);

}  // namespace tamis::webgpu
