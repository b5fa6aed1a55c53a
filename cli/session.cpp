// Session: conditions and outputs of commands.
#include "session.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "tamis/runtime.h"
#include "usage_error.h"

namespace tamis::cli {

namespace {

io::Format format_named(const std::string& text) {
  std::vector<std::string> names;
  for (io::Format f : io::kFormats) {
    names.emplace_back(io::name(f));
    if (text == names.back()) return f;
  }
  throw UsageError(fmt::format("--format: unknown format '{}'; expected one of {}", text,
                               fmt::join(names, ", ")));
}

/// The format that the ending of a path stands for; without an ending, that of .npy files.
io::Format format_by_ending(const std::string& path) {
  if (const auto known = io::format_of(path)) return *known;
  const std::string ending = std::filesystem::path(path).extension().string();
  if (ending.empty()) return io::Format::npy;
  throw UsageError(fmt::format(
      "{}: unknown file extension {}; use .npy, .npz, .safetensors, .csv, .raw or .bin, "
      "or give --format",
      path, ending));
}

}  // namespace

Session::Session(const Options& options)
    : options_(options),
      progress_(!options.quiet && isatty(STDERR_FILENO) == 1),
      runner_(options.threads > 0 ? options.threads : get_num_threads(), progress_) {
  // Windows run on threads of our own, one each.
  set_num_threads(1);
}

void Session::resolve(Expression& expression) const {
  expression.resolve([&](const Stream& stream, std::span<const Quantile> quantiles) {
    return summarize(runner_, stream, quantiles);
  });
}

Expression Session::condition(const Inputs& inputs, const Shape& base) const {
  Expression where(options_.where.empty() ? "true" : options_.where, inputs.arrays(), base);
  where.check_condition();
  resolve(where);
  return where;
}

Expression Session::expression(const std::string& text, const Inputs& inputs,
                               const Shape& base) const {
  Expression result(text, inputs.arrays(), base);
  resolve(result);
  return result;
}

const std::string& Session::output_name(const Inputs& inputs) {
  return inputs.first_name().empty() ? inputs.first().name : inputs.first_name();
}

io::Format Session::output_format(const std::string& path) const {
  return options_.format.empty() ? format_by_ending(path) : format_named(options_.format);
}

io::Writer Session::writer(const std::string& path, std::vector<io::ArrayPlan> plans) const {
  const io::Format format = output_format(path);
  if (path == "-" && format != io::Format::csv && isatty(STDOUT_FILENO) == 1) {
    throw UsageError("refusing to write binary data to a terminal; name a file with -o");
  }
  const bool has_names = format == io::Format::npz || format == io::Format::safetensors;
  for (io::ArrayPlan& plan : plans) {
    if (!has_names) plan.name.clear();
  }
  return io::Writer(path, format, std::move(plans), !options_.no_sync);
}

void Session::attempt(const std::string& file, const std::function<void()>& f) const {
  try {
    f();
  } catch (...) {
    Failure failure = current_failure();
    if (!failure.text.starts_with(file + ":")) failure.text = file + ": " + failure.text;
    progress_.clear();
    print_failure(failure);
    exit_code_ = std::max(exit_code_, failure.code);
  }
}

void Session::say(const std::string& line) const {
  if (!options_.quiet) fmt::print(stderr, "{}\n", line);
}

std::string share_text(int64_t part, int64_t whole) {
  if (whole == 0) return fmt::format("{} of {}", part, whole);
  return fmt::format("{} of {} ({:.1f} %)", part, whole,
                     100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

}  // namespace tamis::cli
