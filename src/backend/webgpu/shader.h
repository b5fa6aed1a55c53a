// Shader: the text of a kernel with what it is bound to. The text depends on the operations only;
// sizes, strides, offsets and numbers are parameters, so that it is the key of the compiled kernel.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "backend/buffer.h"
#include "backend/webgpu/queue.h"
#include "tamis/dtype.h"

namespace tamis::webgpu {

/// Invocations of a workgroup.
inline constexpr int64_t kGroupSize = 256;

inline Block* block_of(const Buffer& buffer) { return static_cast<Block*>(buffer.memory); }

/// How WGSL holds an element: masks are `bool`, elements of up to 4 bytes `u32`, of 8 `vec2u`, of
/// 16 `vec4u`. These are bits: a float32 is a u32 that arithmetic turns into an f32 and back, so
/// that what is only moved stays what it was. Small integers are extended to 32 bits by their sign.
std::string type_of(DType dtype);
/// An element with all bits zero.
std::string zero_of(DType dtype);

class Shader {
 public:
  /// The name of a block as an array of words. Blocks that are written must be bound before what
  /// only reads, because a block is bound once. Elements of 1 or 2 bytes share words with others;
  /// to write single ones the array must be atomic.
  std::string bind(Block* block, Access access, bool atomic = false) {
    return bind_as(block, access, atomic ? "atomic<u32>" : "u32");
  }
  /// The same as an array of vectors of four words.
  std::string bind_fours(Block* block, Access access) { return bind_as(block, access, "vec4u"); }
  /// For elements of this dtype that invocations write one by one.
  std::string bind_elements(Block* block, DType dtype) {
    return bind(block, Access::write, itemsize(dtype) < 4);
  }

  /// A parameter of this value.
  std::string param(uint32_t value);
  std::string param(int64_t value) { return param(static_cast<uint32_t>(value)); }
  /// One of 8 bytes, as a vec2u.
  std::string param_pair(uint64_t value);

  /// An expression for element `index` of a bound array.
  std::string load(DType dtype, const std::string& array, const std::string& index);
  /// The statement that writes it.
  std::string store(DType dtype, const std::string& array, const std::string& index,
                    const std::string& value);

  /// Adds a function of the module, if there is none of this name.
  void define(const std::string& name, const std::string& text) { functions_.emplace(name, text); }
  /// Adds functions and variables of the module.
  void declare(const std::string& text) { declarations_ += text; }
  /// Adds statements to the kernel, which has `group`, the number of its workgroup, `t`, that of
  /// the invocation in it, and `i`, that of the invocation among all.
  void add(const std::string& text) { body_ += text; }

  /// All of it but the functions of the library that it calls, which `library_for` finds.
  const std::string& text() const;
  const std::vector<uint32_t>& params() const;
  const std::vector<Access>& accesses() const { return accesses_; }
  const std::vector<Block*>& blocks() const { return blocks_; }

 private:
  std::string bind_as(Block* block, Access access, const char* type);
  bool is_atomic(const std::string& array) const { return types_.at(array) == "atomic<u32>"; }

  std::vector<Block*> blocks_;
  std::vector<Access> accesses_;
  std::map<std::string, std::string> types_;  // of the elements of each array
  std::map<std::string, std::string> functions_;
  mutable std::vector<uint32_t> params_;
  std::string declarations_, body_;
  mutable std::string text_;
};

}  // namespace tamis::webgpu
