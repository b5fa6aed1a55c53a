// Compiling the value of a reduction: a mask at its root is given to the sink.
#include <algorithm>
#include <cstring>

#include "expr/compile.h"

namespace tamis {

namespace {

template <class T>
bool is_neutral_value(T value, Reduction reduction) {
  const Neutral neutral = row_of(reduction).neutral;
  const T wanted = neutral_value<T>(neutral);
  // Not a negative zero, which is the sum if all is masked out.
  if (neutral == Neutral::zero) return std::memcmp(&value, &wanted, sizeof value) == 0;
  // A product with a complex 1 changes negative zeros and infinities.
  return !is_complex(dtype_of<T>) && value == wanted;
}

/// Whether a cast turns the neutral element of its input into that of its result.
bool stays_neutral(DType from, DType to, Reduction reduction) {
  if (from == to) return true;
  switch (row_of(reduction).neutral) {
    case Neutral::zero:
      return true;
    case Neutral::one:
      return !is_complex(to);
    case Neutral::lowest:
    case Neutral::highest:
      return is_floating_point(from) && is_floating_point(to);
  }
  __builtin_unreachable();
}

}  // namespace

bool Compiler::is_neutral(const Operand& x, Reduction reduction) const {
  const Ref<const Recipe> recipe = x.storage->recipe();
  if (const Expr* const expr = as_expression(recipe.get())) {
    std::array<Operand, 3> inputs;
    return expr->op == Op::cast && inputs_of(x, *expr, inputs) &&
           stays_neutral(inputs[0].dtype, x.dtype, reduction) && is_neutral(inputs[0], reduction);
  }
  const bool is_number =
      std::all_of(x.strides.begin(), x.strides.end(), [](int64_t s) { return s == 0; });
  if (!is_number || recipe || x.dtype == DType::boolean) return false;
  if (&x.storage->backend() != &host_backend()) return false;  // not known before it has run
  x.storage->check_intact();
  return visit_dtype(x.dtype, [&](auto type) {
    const auto* const elements = static_cast<const decltype(type)*>(x.storage->data());
    return is_neutral_value(elements[x.offset], reduction);
  });
}

int16_t Compiler::compile_kept(const Expr& expr, const Choice& choice, bool keeps_first) {
  const Operand& kept = keeps_first ? *choice.first : *choice.second;
  program_.mask = compile(*choice.mask, choice.recipe);
  if (!keeps_first) {
    Instr negation;
    negation.op = Op::mask_not;
    negation.in = negation.out = DType::boolean;
    negation.a = program_.mask;
    program_.mask = emit(negation);
  }
  program_.mask_end = static_cast<int32_t>(program_.code.size());
  if (!keeps_first) return convert(compile(kept), kept.dtype, expr.operand);
  const size_t skip = emit_skip(Op::skip_if_none, program_.mask);
  const int16_t reg = convert(compile(kept), kept.dtype, expr.operand);
  land(skip);
  return reg;
}

int16_t Compiler::compile_reduced(const Operand& x, const Ref<const Recipe>& recipe,
                                  Reduction reduction) {
  const Expr* const expr = as_expression(recipe.get());
  if (!expr || (expr->op != Op::cast && expr->op != Op::where)) return compile(x, recipe);
  std::array<Operand, 3> seen;
  const std::span<const Operand> inputs = inline_inputs(x, *expr, seen);
  if (inputs.empty()) return compile_settled(x);
  if (expr->op == Op::cast) {
    const Operand& from = inputs[0];
    if (!stays_neutral(from.dtype, expr->result, reduction)) return build(*expr, inputs);
    const int16_t reg = compile_reduced(from, from.storage->recipe(), reduction);
    return convert(reg, from.dtype, expr->result);
  }
  const Choice choice(*this, inputs);
  const auto is_neutral_branch = [&](const Operand& branch) {
    return stays_neutral(branch.dtype, expr->operand, reduction) && is_neutral(branch, reduction);
  };
  const bool keeps_first = is_neutral_branch(*choice.second);
  if (!keeps_first && !is_neutral_branch(*choice.first)) return compile_where(*expr, choice);
  return compile_kept(*expr, choice, keeps_first);
}

void Compiler::reduced(const Tensor& x, DType dtype, Reduction reduction) {
  if (!stays_neutral(x.dtype(), dtype, reduction)) return value(x, dtype);
  const Ref<const Recipe> recipe = storage_of(x)->recipe();
  find_private(recipe.get());
  program_.value = convert(compile_reduced(operand(x), recipe, reduction), x.dtype(), dtype);
  program_.dtype = dtype;
}

}  // namespace tamis
