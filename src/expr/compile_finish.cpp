// Finishing a program: merging dimensions, separating the value's code from the mask's, registers.
#include <algorithm>

#include "expr/compile.h"

namespace tamis {

const Program& Compiler::finish(Target* target) {
  merge_dims(target);
  mark_value();
  assign_registers();
  return program_;
}

void Compiler::merge_dims(Target* target) {
  std::pmr::vector<Shape*> all(&memory_);
  all.reserve(program_.leaves.size() + 1);
  for (Leaf& leaf : program_.leaves) all.push_back(&leaf.strides);
  if (target) {
    put_in_order(target->strides);
    all.push_back(&target->strides);
  }
  Shape& shape = program_.shape;
  const auto drop = [&](size_t d) {
    shape.erase(d);
    for (Shape* s : all) s->erase(d);
  };
  for (size_t d = shape.size(); d-- > 0;) {
    if (shape[d] == 1) drop(d);
  }
  for (size_t d = shape.size(); d-- > 1;) {
    const auto merges = [&](const Shape* s) { return (*s)[d - 1] == (*s)[d] * shape[d]; };
    if (!std::all_of(all.begin(), all.end(), merges)) continue;
    shape[d] *= shape[d - 1];
    drop(d - 1);
  }
}

void Compiler::mark_value() {
  if (program_.mask < 0 || program_.value < 0) return;
  std::pmr::vector<uint8_t> needed(constant_.size(), 0, &memory_);
  needed[program_.value] = 1;
  for (size_t i = program_.code.size(); i-- > 0;) {
    Instr& instr = program_.code[i];
    instr.for_value = instr.dst >= 0 && needed[instr.dst];
    if (!instr.for_value) continue;
    for (int16_t r : {instr.a, instr.b, instr.c}) {
      if (r >= 0) needed[r] = 1;
    }
  }
}

void Compiler::assign_registers() {
  struct Use {
    int32_t last = -1;    // instruction that reads it
    int16_t number = -1;  // its register
    bool own = false;     // never shared
  };
  std::pmr::vector<Use> uses(constant_.size(), &memory_);
  const auto read_by = [](const Instr& instr) { return std::array{instr.a, instr.b, instr.c}; };
  const int32_t n = static_cast<int32_t>(program_.code.size());
  for (int32_t i = 0; i < n; ++i) {
    for (int16_t r : read_by(program_.code[i])) {
      if (r >= 0) uses[r].last = i;
    }
  }
  for (size_t r = 0; r < uses.size(); ++r) {
    const auto number = static_cast<int16_t>(r);
    uses[r].own = constant_[r] || number == program_.mask || number == program_.value;
    if (uses[r].own) uses[r].number = program_.registers++;
  }
  std::pmr::vector<int16_t> free(&memory_);
  free.reserve(uses.size());
  for (int32_t i = 0; i < n; ++i) {
    Instr& instr = program_.code[i];
    if (instr.dst >= 0 && !uses[instr.dst].own) {
      if (free.empty()) {
        uses[instr.dst].number = program_.registers++;
      } else {
        uses[instr.dst].number = free.back();
        free.pop_back();
      }
    }
    // A register is free again after its last reader, never as that reader's own result.
    for (int16_t r : read_by(instr)) {
      if (r >= 0 && !uses[r].own && uses[r].last == i) {
        uses[r].last = -1;  // an operand given twice is freed once
        free.push_back(uses[r].number);
      }
    }
  }
  const auto rename = [&](int16_t& r) {
    if (r >= 0) r = uses[r].number;
  };
  for (auto* list : {&program_.setup, &program_.code}) {
    for (Instr& instr : *list) {
      for (int16_t* r : {&instr.dst, &instr.a, &instr.b, &instr.c}) rename(*r);
    }
  }
  rename(program_.mask);
  rename(program_.value);
}

}  // namespace tamis
