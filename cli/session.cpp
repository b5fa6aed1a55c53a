// Session: conditions and outputs of commands.
#include "session.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>

#include "tamis/runtime.h"
#include "usage_error.h"

namespace tamis::cli {

namespace {

io::Format format_named(const std::string& text) {
  for (io::Format f :
       {io::Format::npy, io::Format::npz, io::Format::safetensors, io::Format::raw}) {
    if (text == io::name(f)) return f;
  }
  throw UsageError(fmt::format("--format: '{}' is none of npy, npz, safetensors, raw", text));
}

/// The format that the ending of a path stands for; without an ending, that of .npy files. A table
/// of text is not what comes out, whatever its name says.
io::Format format_by_ending(const std::string& path) {
  if (const auto known = io::format_of(path)) return *known;
  const std::string ending = std::filesystem::path(path).extension().string();
  if (ending.empty()) return io::Format::npy;
  throw UsageError(fmt::format(
      "{}: no format has the ending {}; there are .npy, .npz, .safetensors, .raw and .bin, or say "
      "--format",
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

io::Writer Session::writer(const std::string& path, DType dtype, const Shape& shape,
                           const std::string& name) const {
  if (path == "-" && isatty(STDOUT_FILENO) == 1) {
    throw UsageError("the result is binary and not for a terminal; name a file with -o");
  }
  const io::Format format =
      options_.format.empty() ? format_by_ending(path) : format_named(options_.format);
  const bool has_names = format == io::Format::npz || format == io::Format::safetensors;
  return io::Writer(path, format, {{has_names ? name : "", dtype, shape}}, !options_.no_sync);
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
