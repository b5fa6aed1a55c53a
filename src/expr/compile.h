// Compiler: turns the expressions of a sink's arguments into one Program.
#pragma once

#include <cstddef>
#include <memory_resource>
#include <unordered_set>
#include <vector>

#include "backend/backend.h"
#include "core/tensor_impl.h"
#include "expr/expr.h"

namespace tamis {

/// Usage: construct with the iteration space, call mask() first if the sink has one, then value(),
/// then finish(). What it builds is in the compiler itself as long as it is small, so that a call
/// on a few elements allocates only the result.
class Compiler {
 public:
  /// `shape` is the sink's iteration space. `order` permutes it: dimension i of the program is
  /// dimension order[i] of shape (reductions choose where the reduced dimensions go).
  explicit Compiler(const Shape& shape, const Shape& order = {});
  Compiler(const Compiler&) = delete;
  Compiler& operator=(const Compiler&) = delete;

  /// x is broadcast to shape; it must be bool.
  void mask(const Tensor& x);
  /// x is broadcast to shape and cast to dtype.
  void value(const Tensor& x, DType dtype);
  /// The same for a reduction. If x is chosen by a mask between something and what changes nothing
  /// in the reduction, the mask becomes the program's, and the sink can leave out the rest.
  void reduced(const Tensor& x, DType dtype, Reduction reduction);
  /// The value is what fills the storage of expr, whose shape is the iteration space.
  void result(const Expr& expr);
  /// The same as the mask.
  void mask_result(const Expr& expr);
  /// The program, which lives as long as the compiler. A target takes part in merging dimensions:
  /// its strides are given for `shape` and come back for the program's.
  const Program& finish(Target* target = nullptr);

  /// Whether the program reads target's storage other than through exactly its layout (broadcast
  /// to shape) and dtype.
  bool reads_differently(const Tensor& target) const;

 private:
  struct Known {
    const Storage* storage;
    Shape strides;
    int64_t offset;
    DType dtype;
    int16_t reg;
  };

  /// The operands of a `where`. where(~m, a, b) is where(m, b, a).
  struct Choice {
    Choice(const Compiler& compiler, std::span<const Operand> inputs);
    Choice(const Choice&) = delete;
    Choice& operator=(const Choice&) = delete;

    Ref<const Recipe> recipe;  // the mask's
    std::array<Operand, 3> negated;
    const Operand *mask, *first, *second;
  };

  /// Notes the storages that only operations of this expression hold.
  void find_private(const Recipe* recipe);
  /// Converts values per dimension of shape to values per dimension of the program.
  void put_in_order(Shape& strides) const;
  /// x as seen from the iteration space.
  Operand operand(const Tensor& x) const;
  int16_t compile(const Operand& x);
  int16_t compile(const Operand& x, const Ref<const Recipe>& recipe);
  int16_t compile_leaf(const Operand& x, const Recipe* recipe);
  int16_t compile_expr(const Operand& x, const Expr& expr);
  int16_t build(const Expr& expr, std::span<const Operand> inputs);
  int16_t compile_masks(Op op, const Operand& a, const Operand& b);
  int16_t compile_where(const Expr& expr, const Choice& choice);
  /// The value of a reduction, or an operand that only casts separate from it. If it is a `where`
  /// and one of its branches changes nothing in the reduction, its mask becomes the program's.
  int16_t compile_reduced(const Operand& x, const Ref<const Recipe>& recipe, Reduction reduction);
  /// The other branch of such a `where`, and its mask as the program's.
  int16_t compile_kept(const Expr& expr, const Choice& choice, bool keeps_first);
  /// The inputs of the expression as seen from the program, in `seen` unless they are its own;
  /// empty if its values are to be computed once and stored.
  std::span<const Operand> inline_inputs(const Operand& x, const Expr& expr,
                                         std::array<Operand, 3>& seen) const;
  /// Those values, computed now and read from memory: of a mask, its bits.
  int16_t compile_settled(const Operand& x);
  /// Whether x is all of the expression as it was made, from whose shape its inputs are seen.
  bool is_whole(const Operand& x, const Expr& expr) const;
  /// The inputs as seen from the program; false if the expression cannot be read through x's
  /// layout.
  bool inputs_of(const Operand& x, const Expr& expr, std::array<Operand, 3>& inputs) const;
  /// Register holding reg's values as `to`.
  int16_t convert(int16_t reg, DType from, DType to);
  int16_t emit(Instr instr);
  /// Emits a jump whose target is set by land(); returns its index.
  size_t emit_skip(Op op, int16_t mask);
  void land(size_t skip);
  /// Whether x is a number that changes nothing in the reduction.
  bool is_neutral(const Operand& x, Reduction reduction) const;
  bool is_constant(int16_t reg) const { return reg < 0 || constant_[reg]; }
  void merge_dims(Target* target);
  /// Marks the part of the mask's code that the value needs.
  void mark_value();
  void assign_registers();

  std::array<std::byte, 8192> room_;
  std::pmr::monotonic_buffer_resource memory_{room_.data(), room_.size()};
  Shape order_;  // program dimension -> shape dimension; empty: the same
  Shape shape_;  // the sink's
  Program program_{&memory_};
  std::pmr::vector<uint8_t> constant_{&memory_};  // per virtual register: computed in setup
  std::pmr::vector<Known> known_{&memory_};
  std::unordered_set<const Storage*> private_;
};

}  // namespace tamis
