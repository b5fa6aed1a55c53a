// Compiling expressions to programs: inlining, casts, early exits.
#include "expr/compile.h"

#include <algorithm>
#include <unordered_map>

#include "backend/attempt.h"
#include "core/convert.h"

namespace tamis {

namespace {

/// Whether computing the expression again costs more than reading its stored values.
bool is_costly(const Expr& expr, int budget = 8) {
  budget -= cost_of(expr.op);
  if (budget < 0 || expr.size > budget + 1) return true;
  for (int i = 0; i < expr.arity; ++i) {
    const Ref<const Recipe> recipe = expr.inputs[i].storage->recipe();
    const Expr* const input = as_expression(recipe.get());
    if (input && is_costly(*input, budget)) return true;
  }
  return false;
}

/// A mask that has been computed this often is stored even if it is cheap: it has fewer bytes than
/// its inputs. One operation (var) needs it three times, and must not allocate.
constexpr uint8_t kPatience = 4;

/// Shorter expressions hold too little to be worth the counting.
constexpr int32_t kWorthCounting = 4;

/// Counts, for each storage that the expression reads, how many of its operations hold it.
void count_holders(const Expr& expr, std::unordered_map<const Storage*, int>& holders) {
  if (expr.size < kWorthCounting) return;
  for (int i = 0; i < expr.arity; ++i) {
    const Ref<Storage>& input = expr.inputs[i].storage;
    if (++holders[input.get()] > 1) continue;
    const Ref<const Recipe> recipe = input->recipe();
    if (const Expr* const inner = as_expression(recipe.get())) count_holders(*inner, holders);
  }
}

}  // namespace

Compiler::Compiler(const Shape& shape, const Shape& order) : order_(order), shape_(shape) {
  program_.shape = shape;
  put_in_order(program_.shape);
  program_.numel = numel(shape);
  program_.leaves.reserve(4);
  program_.setup.reserve(4);
  program_.code.reserve(8);
  known_.reserve(4);
  constant_.reserve(16);
}

void Compiler::find_private(const Recipe* recipe) {
  const Expr* const expr = as_expression(recipe);
  if (!expr) return;
  std::unordered_map<const Storage*, int> holders;
  count_holders(*expr, holders);
  // No operand of this compiler holds a storage yet.
  for (const auto& [storage, inside] : holders) {
    if (storage->use_count() <= inside) private_.insert(storage);
  }
}

void Compiler::mask(const Tensor& x) {
  const Ref<const Recipe> recipe = storage_of(x)->recipe();
  find_private(recipe.get());
  program_.mask = compile(operand(x), recipe);
  program_.mask_end = static_cast<int32_t>(program_.code.size());
}

void Compiler::value(const Tensor& x, DType dtype) {
  const Ref<const Recipe> recipe = storage_of(x)->recipe();
  find_private(recipe.get());
  program_.value = convert(compile(operand(x), recipe), x.dtype(), dtype);
  program_.dtype = dtype;
}

void Compiler::result(const Expr& expr) {
  find_private(&expr);
  program_.value = build(expr, expr.inputs);
  program_.dtype = expr.result;
}

void Compiler::mask_result(const Expr& expr) {
  find_private(&expr);
  program_.mask = build(expr, expr.inputs);
  program_.mask_end = static_cast<int32_t>(program_.code.size());
}

bool Compiler::reads_differently(const Tensor& target) const {
  const Layout& layout = layout_of(target);
  Shape strides = broadcast_strides(layout, shape_);
  put_in_order(strides);
  for (const Leaf& leaf : program_.leaves) {
    if (leaf.storage == storage_of(target) &&
        (leaf.offset != layout.offset || leaf.dtype != target.dtype() ||
         !(leaf.strides == strides)))
      return true;
  }
  return false;
}

void Compiler::put_in_order(Shape& strides) const {
  if (order_.empty()) return;
  const Shape given = strides;
  for (size_t d = 0; d < order_.size(); ++d) strides[d] = given[order_[d]];
}

Operand Compiler::operand(const Tensor& x) const {
  Operand result = operand_of(x, shape_);
  put_in_order(result.strides);
  return result;
}

int16_t Compiler::compile(const Operand& x) { return compile(x, x.storage->recipe()); }

int16_t Compiler::compile(const Operand& x, const Ref<const Recipe>& recipe) {
  for (const Known& k : known_) {
    if (k.storage == x.storage.get() && k.offset == x.offset && k.strides == x.strides &&
        k.dtype == x.dtype)
      return k.reg;
  }
  const Expr* const expr = as_expression(recipe.get());
  const int16_t reg = expr ? compile_expr(x, *expr) : compile_leaf(x, recipe.get());
  known_.push_back({x.storage.get(), x.strides, x.offset, x.dtype, reg});
  return reg;
}

int16_t Compiler::compile_leaf(const Operand& x, const Recipe* recipe) {
  Leaf& leaf = program_.leaves.emplace_back();
  leaf.storage = x.storage;
  leaf.dtype = x.dtype;
  leaf.strides = x.strides;
  leaf.offset = x.offset;
  leaf.intervals = Ref(as_intervals(recipe));
  leaf.bits = Ref(as_kept_bits(recipe));
  leaf.counts = recipe && recipe->kind == Recipe::Kind::counter;
  x.storage->check_intact();
  Instr load;
  load.op = Op::load;
  load.in = load.out = x.dtype;
  load.leaf = static_cast<int16_t>(program_.leaves.size() - 1);
  return emit(load);
}

bool Compiler::is_whole(const Operand& x, const Expr& expr) const {
  return x.offset == 0 && program_.shape == expr.shape &&
         x.strides == contiguous_strides(expr.shape);
}

bool Compiler::inputs_of(const Operand& x, const Expr& expr, std::array<Operand, 3>& inputs) const {
  // Index along each dimension of the expression = first[c] + (index along the program's dimension
  // d with axis[d] == c).
  const Shape canonical = contiguous_strides(expr.shape);
  Shape first(expr.shape.size(), 0);
  int64_t rest = x.offset;
  for (size_t c = 0; c < expr.shape.size(); ++c) {
    first[c] = rest / canonical[c];
    rest %= canonical[c];
  }
  Shape axis(program_.shape.size(), -1);
  for (size_t d = 0; d < program_.shape.size(); ++d) {
    if (x.strides[d] == 0 || program_.shape[d] <= 1) continue;
    for (size_t c = 0; c < expr.shape.size(); ++c) {
      if (expr.shape[c] > 1 && canonical[c] == x.strides[d] &&
          std::find(axis.begin(), axis.end(), static_cast<int64_t>(c)) == axis.end()) {
        axis[d] = static_cast<int64_t>(c);
      }
    }
    if (axis[d] < 0 || first[axis[d]] + program_.shape[d] > expr.shape[axis[d]]) return false;
  }
  for (int i = 0; i < expr.arity; ++i) {
    const Operand& from = expr.inputs[i];
    Operand input{from.storage, from.dtype, from.offset, Shape(axis.size(), 0)};
    for (size_t c = 0; c < first.size(); ++c) input.offset += first[c] * from.strides[c];
    for (size_t d = 0; d < axis.size(); ++d) {
      if (axis[d] >= 0) input.strides[d] = from.strides[axis[d]];
    }
    inputs[i] = std::move(input);
  }
  return true;
}

std::span<const Operand> Compiler::inline_inputs(const Operand& x, const Expr& expr,
                                                 std::array<Operand, 3>& seen) const {
  const uint8_t times = x.storage->recomputed.load(std::memory_order_relaxed);
  // Not in an attempt: its runs would differ, and ask for more.
  if (times < kPatience && !Attempt::current()) {
    x.storage->recomputed.store(times + 1, std::memory_order_relaxed);
  }
  const bool is_wanted =
      (times >= 1 && is_costly(expr)) || (times == kPatience && x.dtype == DType::boolean);
  // What no one outside this program holds will not be needed again.
  if (!is_wanted || private_.count(x.storage.get()) != 0) {
    if (is_whole(x, expr)) return expr.inputs;
    if (inputs_of(x, expr, seen)) return seen;
  }
  return {};
}

int16_t Compiler::compile_settled(const Operand& x) {
  if (x.dtype == DType::boolean) {
    keep_mask(*x.storage);
  } else {
    settle(*x.storage);
  }
  const Ref<const Recipe> recipe = x.storage->recipe();
  return compile_leaf(x, recipe.get());
}

int16_t Compiler::compile_expr(const Operand& x, const Expr& expr) {
  std::array<Operand, 3> seen;
  const std::span<const Operand> inputs = inline_inputs(x, expr, seen);
  return inputs.empty() ? compile_settled(x) : build(expr, inputs);
}

int16_t Compiler::build(const Expr& expr, std::span<const Operand> inputs) {
  if (expr.op == Op::where) return compile_where(expr, Choice(*this, inputs));
  if (expr.op == Op::mask_and || expr.op == Op::mask_or) {
    return compile_masks(expr.op, inputs[0], inputs[1]);
  }
  if (expr.op == Op::cast) return convert(compile(inputs[0]), inputs[0].dtype, expr.result);

  Instr instr;
  instr.op = expr.op;
  if (expr.set) {
    program_.sets.push_back(expr.set);
    instr.set = expr.set.get();
  }
  instr.in = is_mask_op(expr.op) ? DType::boolean : compute_dtype(expr.operand);
  instr.out = expr.result == DType::boolean ? DType::boolean
              : is_real_of_complex(expr.op) ? real_dtype(instr.in)
                                            : instr.in;
  int16_t regs[3] = {-1, -1, -1};
  for (int i = 0; i < expr.arity; ++i) {
    // Via the operand dtype: a float64 number meets a float16 tensor as a float16.
    regs[i] = convert(compile(inputs[i]), inputs[i].dtype, expr.operand);
    regs[i] = convert(regs[i], expr.operand, instr.in);
  }
  instr.a = regs[0];
  instr.b = regs[1];
  instr.c = regs[2];
  return convert(emit(instr), instr.out, expr.result);
}

int16_t Compiler::compile_masks(Op op, const Operand& a, const Operand& b) {
  Instr instr;
  instr.op = op;
  instr.in = instr.out = DType::boolean;
  instr.a = convert(compile(a), a.dtype, DType::boolean);
  const size_t skip = emit_skip(op == Op::mask_and ? Op::skip_if_none : Op::skip_if_all, instr.a);
  const size_t known = known_.size();
  instr.b = convert(compile(b), b.dtype, DType::boolean);
  land(skip);
  known_.resize(known);  // what may have been skipped is not known to be computed
  return emit(instr);
}

Compiler::Choice::Choice(const Compiler& compiler, std::span<const Operand> inputs)
    : recipe(inputs[0].storage->recipe()), mask(&inputs[0]), first(&inputs[1]), second(&inputs[2]) {
  const Expr* const condition = as_expression(recipe.get());
  if (!condition || condition->op != Op::mask_not || condition->inputs[0].dtype != DType::boolean ||
      !compiler.inputs_of(inputs[0], *condition, negated))
    return;
  mask = &negated[0];
  recipe = mask->storage->recipe();
  std::swap(first, second);
}

int16_t Compiler::compile_where(const Expr& expr, const Choice& choice) {
  const Operand &first = *choice.first, &second = *choice.second;
  Instr instr;
  instr.op = Op::where;
  instr.in = instr.out = expr.operand;
  instr.c = compile(*choice.mask, choice.recipe);
  const size_t known = known_.size();
  const size_t none = emit_skip(Op::skip_if_none, instr.c);
  instr.a = convert(compile(first), first.dtype, expr.operand);
  land(none);
  known_.resize(known);
  const size_t all = emit_skip(Op::skip_if_all, instr.c);
  instr.b = convert(compile(second), second.dtype, expr.operand);
  land(all);
  known_.resize(known);
  return emit(instr);
}

int16_t Compiler::convert(int16_t reg, DType from, DType to) {
  if (from == to) return reg;
  // From complex to real via the dtype of the parts; bool has no parts.
  if (is_complex(from) != is_complex(to) && from != DType::boolean && to != DType::boolean) {
    const DType between = real_dtype(is_complex(from) ? from : to);
    if (between != from && between != to) return convert(convert(reg, from, between), between, to);
  }
  Instr instr;
  instr.op = Op::cast;
  instr.in = from;
  instr.out = to;
  instr.a = reg;
  return emit(instr);
}

int16_t Compiler::emit(Instr instr) {
  bool constant = is_constant(instr.a) && is_constant(instr.b) && is_constant(instr.c);
  if (instr.op == Op::load) {
    const Leaf& leaf = program_.leaves[instr.leaf];
    constant =
        std::all_of(leaf.strides.begin(), leaf.strides.end(), [](int64_t s) { return s == 0; });
  }
  // Masks are made again for each block: the bits beyond the end of a short one must be zero.
  constant = constant && instr.out != DType::boolean;
  instr.dst = static_cast<int16_t>(constant_.size());
  constant_.push_back(constant);
  (constant ? program_.setup : program_.code).push_back(instr);
  return instr.dst;
}

size_t Compiler::emit_skip(Op op, int16_t mask) {
  Instr skip;
  skip.op = op;
  skip.a = mask;
  program_.code.push_back(skip);
  return program_.code.size() - 1;
}

void Compiler::land(size_t skip) {
  auto& code = program_.code;
  if (skip + 1 == code.size()) {
    code.pop_back();  // nothing to skip
  } else {
    code[skip].target = static_cast<int16_t>(code.size());
  }
}

}  // namespace tamis
