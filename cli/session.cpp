// Session: conditions and outputs of commands.
#include "session.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
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
  throw UsageError(
      fmt::format("{}: unknown file extension {}; use .npy, .npz, .safetensors, .zarr, .zip, .csv, "
                  ".raw or .bin, "
                  "or give --format",
                  path, ending));
}

/// "zstd", "zstd:3", "none"
void parse_codec(const std::string& text, io::ZarrLayout& layout) {
  constexpr std::pair<std::string_view, io::Compression> kCodecs[] = {
      {"zstd", io::Compression::zstd},
      {"gzip", io::Compression::gzip},
      {"blosc", io::Compression::blosc},
      {"none", io::Compression::none}};
  const size_t colon = std::min(text.find(':'), text.size());
  const auto* codec = std::find_if(std::begin(kCodecs), std::end(kCodecs), [&](const auto& c) {
    return c.first == std::string_view(text).substr(0, colon);
  });
  const char *begin = text.data() + std::min(colon + 1, text.size()),
             *end = text.data() + text.size();
  bool ok = codec != std::end(kCodecs) && (codec->second != io::Compression::none || begin == end);
  if (ok && colon < text.size()) {
    const auto [next, error] = std::from_chars(begin, end, layout.level);
    ok = error == std::errc() && next == end && layout.level >= 0;
  }
  if (!ok) {
    throw UsageError(fmt::format(
        "--codec: '{}' is not a compression; use zstd, gzip, blosc or none, and a level after a "
        "colon, as in zstd:3",
        text));
  }
  layout.compression = codec->second;
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

void Session::choose_layout(io::ZarrLayout& layout) const {
  if (!options_.chunks.empty()) layout.chunks = parse_shape(options_.chunks, "--chunks");
  if (!options_.shards.empty()) layout.shards = parse_shape(options_.shards, "--shards");
  if (!options_.codec.empty()) parse_codec(options_.codec, layout);
  layout.version = options_.zarr_version;
  layout.threads = runner_.threads();
}

io::Writer Session::writer(const std::string& path, DType dtype, const Shape& shape,
                           const std::string& name,
                           const std::shared_ptr<const io::ZarrInfo>& like) const {
  io::ArrayPlan plan = {name, dtype, shape};
  if (like && like->chunks.size() == shape.size()) {
    plan.zarr.chunks = like->chunks;
    plan.zarr.dimension_names = like->dimension_names;
  }
  return writer(path, {plan});
}

io::Writer Session::writer(const std::string& path, std::vector<io::ArrayPlan> plans) const {
  const io::Format format = output_format(path);
  const bool has_layout = !options_.chunks.empty() || !options_.shards.empty() ||
                          !options_.codec.empty() || options_.zarr_version != 3;
  if (has_layout && format != io::Format::zarr) {
    throw UsageError(
        "--chunks, --shards, --codec and --zarr-version are for Zarr stores, but the output is "
        "none");
  }
  if (path == "-" && format != io::Format::csv && isatty(STDOUT_FILENO) == 1) {
    throw UsageError("refusing to write binary data to a terminal; name a file with -o");
  }
  const bool has_names = io::has_names(format) && (format != io::Format::zarr || plans.size() > 1);
  for (io::ArrayPlan& plan : plans) {
    if (!has_names) plan.name.clear();
    choose_layout(plan.zarr);
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
