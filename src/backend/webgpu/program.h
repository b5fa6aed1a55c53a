// Programs as WGSL: straight-line code for one element. Skips are left out, because what they jump
// over has no effects.
#pragma once

#include <array>
#include <memory>

#include "backend/program.h"
#include "backend/webgpu/shader.h"

namespace tamis::webgpu {

/// Statements over the variable `e`, the number of an element in row-major order, and the names of
/// the variables that then hold its mask (bool) and its value (type_of(program.dtype)).
struct Code {
  std::string mask_part;   ///< all that comes before the mask is known
  std::string value_part;  ///< what is left; may be left out where the mask is false
  std::string mask, value;
  /// By fours: the statements over `q` that read elements 4q to 4q + 3, and for each of these those
  /// that give its own to the statements above.
  std::string fours;
  std::array<std::string, 4> lanes;
  /// What the kernel reads beside tensors. Until it is recorded.
  std::vector<std::unique_ptr<Scratch>> uploads;
};

enum class Wanted : uint8_t { mask, value, both };
enum class Step : uint8_t { one, four };

/// Binds the leaves and writes the code for what is wanted. The sink has bound what it writes; it
/// may bind `spare` more blocks afterwards. A step of four needs `reads_by_fours`.
Code emit(Queue& queue, Shader& shader, const Program& program, Wanted wanted, int spare = 0,
          Step step = Step::one);

/// Whether tensors are contiguous and have elements of one or four bytes, so that four can be read
/// at once, and little is computed. `written` is the block that the sink binds, by fours or not.
bool reads_by_fours(const Program& program, const Block* written = nullptr, bool as_fours = true);
/// Statements for each of four elements: `of_lane(j)` with `e` and what the code has of it.
template <class F>
std::string for_four(const Code& code, F&& of_lane) {
  std::string text = code.fours;
  for (size_t j = 0; j < 4; ++j) {
    text +=
        "{\nlet e = 4u * q + " + std::to_string(j) + "u;\n" + code.lanes[j] + of_lane(j) + "}\n";
  }
  return text;
}

/// The number of an element of a strided tensor, for element `e` of a space of this shape.
/// Statements that it needs go to `statements`; their variables begin with `prefix`.
class Indexer {
 public:
  Indexer(Shader& shader, const Shape& shape, std::string& statements, std::string prefix)
      : shader_(shader), shape_(shape), statements_(statements), prefix_(std::move(prefix)) {}
  std::string operator()(const Shape& strides, int64_t offset);

 private:
  const std::string& coordinate(size_t d);

  Shader& shader_;
  const Shape& shape_;
  std::string& statements_;
  const std::string prefix_;
  std::vector<std::string> coordinates_;
};

/// An expression for a number of the host, whose bits become parameters.
std::string number(Shader& shader, DType dtype, const void* bytes);

/// A set of numbers on the device.
std::shared_ptr<const IsinSet> make_isin_set(Queue& queue, const void* host, DType dtype, int64_t n,
                                             DType elements);
/// Its memory; null for few numbers, which become parameters.
Block* block_of(const IsinSet& set);
/// Whether `value` is in the set, as an expression. The memory is found in a bound array, from word
/// `first` on.
std::string probe(Shader& shader, const IsinSet& set, DType dtype, const std::string& value,
                  const std::string& array, int64_t first);

}  // namespace tamis::webgpu
