// Session: what all commands share: inputs, conditions, outputs, and saying what was done.
#pragma once

#include <memory>
#include <string>

#include "inputs.h"
#include "io/writer.h"
#include "language/expression.h"
#include "options.h"
#include "runner.h"

namespace tamis::cli {

class Session {
 public:
  explicit Session(const Options& options);

  const Options& options() const { return options_; }
  const Runner& runner() const { return runner_; }

  /// The option --where as a condition over the inputs, with the values of whole arrays known; true
  /// everywhere if the option is missing.
  Expression condition(const Inputs& inputs, const Shape& base) const;
  /// An expression of another option, with the values of whole arrays known.
  Expression expression(const std::string& text, const Inputs& inputs, const Shape& base) const;

  /// What the first array is called in a file that it, or part of it, is written to.
  static const std::string& output_name(const Inputs& inputs);
  /// A writer for one array in the file `path`; one size of the shape may be -1. Throws UsageError
  /// if it would be a terminal.
  io::Writer writer(const std::string& path, DType dtype, const Shape& shape,
                    const std::string& name) const;

  /// Prints a line for people to the standard error stream, unless --quiet.
  void say(const std::string& line) const;

 private:
  void resolve(Expression& expression) const;

  const Options& options_;
  mutable Progress progress_;
  Runner runner_;
};

/// "12 of 34 (35.3 %)"
std::string share_text(int64_t part, int64_t whole);

}  // namespace tamis::cli
