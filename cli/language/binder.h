// Binder: turns a tree into steps, and refuses what has no meaning.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "language/plan.h"

namespace tamis::cli {

/// A tensor of that rank and dtype which rows can be tried on. It has no elements if it can, so
/// that nothing depends on their values, such as divisions by zero.
Tensor sample_array(size_t rank, DType dtype);

class Binder {
 public:
  explicit Binder(std::span<const Array> arrays);

  /// The whole condition.
  Plan run(const Node& root, const Shape& base);

 private:
  /// What one set of steps knows while it is made. A sub-expression that is summarised has its own.
  struct Scope {
    Steps steps;
    std::vector<Tensor> samples;       // of each step: a tensor with its rank and dtype
    std::map<std::string, int> known;  // step by dump() of its node, so that equal ones are shared
    std::vector<std::pair<size_t, TextSpan>> indices;  // i, j and k, and where they are used
  };

  int bind(const Node& node);
  int bind_new(const Node& node);
  int bind_name(const Node& node);
  int bind_comparison(const Node& node);
  int bind_operator(const Node& node, const Row& row, std::vector<int> args);
  int bind_call(const Node& node);
  int bind_between(const Node& node, const std::vector<const Node*>& given);
  int bind_pointwise(const Node& node, const Function& f, const std::vector<const Node*>& given);
  int bind_builder(const Node& node, const Function& f, const std::vector<const Node*>& given);
  int bind_whole(const Node& node, const Function& f, const std::vector<const Node*>& given);

  int add(Step step, Tensor sample);
  int add_number(Scalar value);
  int add_call(const Node& node, Step step);
  DType integers_in(const Step& step) const;
  std::optional<DType> computed_in(const Step& step, DType result) const;
  Steps finish_scope(const Shape& base);
  size_t pass_for(const Node& node);

  std::vector<const Node*> match(const Node& node, const Function& f) const;
  Value fixed_value(const Node& node, const Function& f, const Parameter& p) const;
  std::vector<Scalar> list_of(const Node& node) const;
  Tensor whole_tensor(const Node& node) const;
  Tensor set_of(const Node& node, DType elements) const;
  const Array* find_array(const std::string& name) const;
  [[noreturn]] void unknown_name(const Node& node) const;
  [[noreturn]] void unknown_function(const Node& node) const;

  std::span<const Array> arrays_;
  Plan plan_;
  std::vector<Scope> scopes_;
};

}  // namespace tamis::cli
