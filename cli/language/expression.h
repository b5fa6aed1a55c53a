// Expression: a condition (or a value) over arrays, checked, and evaluated window by window.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "array.h"
#include "language/error.h"
#include "summary.h"
#include "windows.h"

namespace tamis::cli {

/// Passes over a stream for its summary, with these quantiles.
using Summarize = std::function<Summary(const Stream& stream, std::span<const Quantile> quantiles)>;

/// Whether a text takes an array of that name as a whole somewhere, as from_lengths(x) and
/// isin(y, x) do, and not element by element. Throws ConditionError.
bool takes_whole(const std::string& text, const std::string& name);

class Expression {
 public:
  /// Names stand for arrays, which must outlive the expression; `base` is a shape that the
  /// expression is going to be broadcast with, for the indices i, j and k. Arrays that must be
  /// known as a whole (lengths, sets) are read here. Throws ConditionError for whatever is wrong
  /// with the text.
  Expression(std::string text, std::span<const Array> arrays, const Shape& base = {});
  ~Expression();
  Expression(Expression&&) noexcept;

  DType dtype() const;
  /// That of the result, broadcast with base.
  const Shape& shape() const;
  /// Whether it is one number that no array's elements are needed for, once resolved.
  bool is_number() const;
  /// Throws ConditionError unless the result is true or false.
  void check_condition() const;

  /// Computes the values of whole arrays that the text asks for; before the first evaluation.
  void resolve(const Summarize& summarize);
  /// The result in a box of a shape that shape() broadcasts to, as a deferred tensor that
  /// broadcasts to the box. `inputs` are of the expression's arrays. Any number of threads may call
  /// it.
  Tensor evaluate(BoxOfArrays& inputs) const;
  /// Bytes of input that an element of the result needs, about.
  size_t bytes_per_element() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tamis::cli
