// Compiling the value of a reduction: a mask at its root is given to the sink.
#include <algorithm>
#include <cstring>
#include <iterator>

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

/// Whether a cast turns what is neutral for its input into what is so for its result.
bool stays_neutral(const Instr& cast, Reduction reduction) {
  switch (row_of(reduction).neutral) {
    case Neutral::zero:
      return true;
    case Neutral::one:
      return !is_complex(cast.out);
    case Neutral::lowest:
    case Neutral::highest:
      return is_floating_point(cast.in) && is_floating_point(cast.out);
  }
  __builtin_unreachable();
}

}  // namespace

bool Compiler::is_neutral(int16_t reg, Reduction reduction) const {
  const auto maker_of = [&](int16_t r) {
    return std::find_if(program_.setup.begin(), program_.setup.end(),
                        [&](const Instr& instr) { return instr.dst == r; });
  };
  auto made = maker_of(reg);
  while (made != program_.setup.end() && made->op == Op::cast) {
    if (!stays_neutral(*made, reduction)) return false;
    made = maker_of(made->a);
  }
  if (made == program_.setup.end() || made->op != Op::load) return false;
  const Leaf& leaf = program_.leaves[made->leaf];
  if (&leaf.storage->backend() != &host_backend()) return false;  // not known before it has run
  return visit_dtype(leaf.dtype, [&](auto type) {
    const auto* const elements = static_cast<const decltype(type)*>(leaf.storage->data());
    return is_neutral_value(elements[leaf.offset], reduction);
  });
}

void Compiler::reduced(const Tensor& x, DType dtype, Reduction reduction) {
  value(x, dtype);
  // The code is: the mask; unless it is none, what it chooses; the choice; casts.
  auto& code = program_.code;
  auto choice = code.end();
  int16_t reg = program_.value;
  for (; choice != code.begin(); reg = choice->a) {
    --choice;
    if (choice->dst != reg || choice->op != Op::cast || !stays_neutral(*choice, reduction)) break;
  }
  if (choice == code.end() || choice->op != Op::where || choice->dst != reg) return;
  const bool keeps_first = is_neutral(choice->b, reduction);
  if (!keeps_first && !is_neutral(choice->a, reduction)) return;
  const auto place = choice - code.begin();
  const Op skips = keeps_first ? Op::skip_if_none : Op::skip_if_all;
  const auto skip = std::find_if(code.begin(), choice, [&](const Instr& instr) {
    return instr.op == skips && instr.a == choice->c && instr.target == place;
  });
  const int16_t kept = keeps_first ? choice->a : choice->b;
  (program_.value == reg ? program_.value : std::next(choice)->a) = kept;
  program_.mask_end = static_cast<int32_t>(skip - code.begin());
  if (keeps_first) {
    program_.mask = choice->c;
    code.erase(choice);
    return;
  }
  // What is kept is where the mask is false. Its negation stands where the skip or the choice did.
  Instr negation;
  negation.op = Op::mask_not;
  negation.in = negation.out = DType::boolean;
  negation.a = choice->c;
  negation.dst = program_.mask = static_cast<int16_t>(constant_.size());
  constant_.push_back(false);
  ++program_.mask_end;
  const bool has_skip = skip != choice;
  *skip = negation;
  if (has_skip) code.erase(choice);
}

}  // namespace tamis
