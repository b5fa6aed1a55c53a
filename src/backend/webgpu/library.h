// Library: the functions in WGSL that kernels call, and which of them a kernel needs.
#pragma once

#include <string>

#include "backend/op.h"

namespace tamis::webgpu {

/// The functions that a text calls, with those that they call.
std::string library_for(const std::string& text);

/// The pieces that it is made of.
extern const char* const kIntegerLibrary;
extern const char* const kFloatLibrary;
extern const char* const kElementaryLibrary;
extern const char* const kCircularLibrary;
extern const char* const kSpecialLibrary;
extern const char* const kConvertLibrary;

/// Which functions work on elements of a dtype: "i32" for all integers of up to 32 bits and bool,
/// "i64", "f32" (for float16 and bfloat16 after conversion too), "f64", "c64", "c128".
std::string class_of(DType dtype);

/// Expressions: a value converted to another dtype, and the result of an operation.
std::string convert(const std::string& value, DType from, DType to);
std::string apply(Op op, DType in, const std::string& a, const std::string& b);

}  // namespace tamis::webgpu
