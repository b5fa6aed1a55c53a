// Compiling the value of a reduction: a mask at its root is given to the sink.
#include <algorithm>
#include <cstring>
#include <iterator>
#include <limits>

#include "expr/compile.h"

namespace tamis {

namespace {

template <class T>
bool is_neutral_value(T value, Reduction reduction) {
  constexpr DType kDType = dtype_of<T>;
  if (reduction == Reduction::sum || reduction == Reduction::mean) {
    const T zero{};  // not a negative one, which is the sum if all is masked out
    return std::memcmp(&value, &zero, sizeof value) == 0;
  }
  if constexpr (is_complex(kDType)) {
    return false;  // a product with a complex 1 changes negative zeros and infinities
  } else if (reduction == Reduction::prod) {
    return static_cast<double>(value) == 1;
  } else if constexpr (is_floating_point(kDType)) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    return static_cast<double>(value) == (reduction == Reduction::amax ? -kInfinity : kInfinity);
  } else {
    using Limits = std::numeric_limits<T>;
    return value == (reduction == Reduction::amax ? Limits::lowest() : Limits::max());
  }
}

}  // namespace

bool Compiler::is_neutral(int16_t reg, Reduction reduction) const {
  const auto made = std::find_if(program_.setup.begin(), program_.setup.end(),
                                 [&](const Instr& instr) { return instr.dst == reg; });
  if (made == program_.setup.end() || made->op != Op::load) return false;
  const Leaf& leaf = program_.leaves[made->leaf];
  return visit_dtype(leaf.dtype, [&](auto type) {
    return is_neutral_value(*static_cast<const decltype(type)*>(leaf.data), reduction);
  });
}

void Compiler::reduced(const Tensor& x, DType dtype, Reduction reduction) {
  value(x, dtype);
  // The code is: the mask; unless it is none, what it chooses; the choice; casts.
  auto& code = program_.code;
  const bool is_extreme = reduction == Reduction::amax || reduction == Reduction::amin;
  const auto stays_neutral = [&](const Instr& cast) {  // zero and one always do
    return !is_extreme || (is_floating_point(cast.in) && is_floating_point(cast.out));
  };
  auto choice = code.end();
  int16_t reg = program_.value;
  for (; choice != code.begin(); reg = choice->a) {
    --choice;
    if (choice->dst != reg || choice->op != Op::cast || !stays_neutral(*choice)) break;
  }
  if (choice == code.end() || choice->op != Op::where || choice->dst != reg ||
      !is_neutral(choice->b, reduction)) {
    return;
  }
  const auto place = choice - code.begin();
  const auto skip = std::find_if(code.begin(), choice, [&](const Instr& instr) {
    return instr.op == Op::skip_if_none && instr.a == choice->c && instr.target == place;
  });
  program_.mask = choice->c;
  program_.mask_end = static_cast<int32_t>(skip - code.begin());
  (program_.value == reg ? program_.value : std::next(choice)->a) = choice->a;
  code.erase(choice);
}

}  // namespace tamis
