// Session: what all commands share: inputs, conditions, outputs, and saying what was done.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "failure.h"
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
  /// The format of an output, by --format or the ending of its name. Throws UsageError.
  io::Format output_format(const std::string& path) const;
  /// A writer for one array in the file `path`; one size of the shape may be -1. Throws UsageError
  /// if it would be a terminal, unless it is text. In a Zarr store it has the chunks and the names
  /// of dimensions that `like` has, if it is not null and the options do not say otherwise.
  io::Writer writer(const std::string& path, DType dtype, const Shape& shape,
                    const std::string& name,
                    const std::shared_ptr<const io::ZarrInfo>& like = nullptr) const;
  /// The same for several arrays. Names are dropped where the format has none, and that of a single
  /// array in a Zarr store, which is then the store itself.
  io::Writer writer(const std::string& path, std::vector<io::ArrayPlan> plans) const;

  /// Calls f for one file of several. What it throws is printed, with the name of the file, and
  /// decides the exit code; then it goes on with the next.
  void attempt(const std::string& file, const std::function<void()>& f) const;
  /// That of the worst failure so far.
  ExitCode exit_code() const { return exit_code_; }

  /// Prints a line for people to the standard error stream, unless --quiet.
  void say(const std::string& line) const;

 private:
  void resolve(Expression& expression) const;
  void choose_layout(io::ZarrLayout& layout) const;

  const Options& options_;
  mutable Progress progress_;
  mutable ExitCode exit_code_ = kDone;
  Runner runner_;
};

/// "12 of 34 (35.3 %)"
std::string share_text(int64_t part, int64_t whole);

}  // namespace tamis::cli
