// Inputs: opening files and naming their arrays.
#include "inputs.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "nearest.h"
#include "usage_error.h"

namespace tamis::cli {

namespace {

bool is_name(std::string_view text) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  return !text.empty() && letter(text[0]) && std::all_of(text.begin(), text.end(), [&](char c) {
    return letter(c) || (c >= '0' && c <= '9');
  });
}

DType parse_dtype(const std::string& text) {
  std::vector<std::string> names;
  for (int i = 0; i < kDTypeCount; ++i) names.emplace_back(name(static_cast<DType>(i)));
  const auto found = std::find(names.begin(), names.end(), text);
  if (found == names.end()) {
    throw UsageError(fmt::format("--dtype: unknown dtype '{}'{}; there are {}", text,
                                 did_you_mean(text, names), fmt::join(names, ", ")));
  }
  return static_cast<DType>(found - names.begin());
}

/// "100,200", "100x200" or "[100, 200]"
Shape parse_shape(const std::string& text) {
  std::string plain;
  for (char c : text) {
    if (c != ' ' && c != '[' && c != ']' && c != '(' && c != ')') plain += c == 'x' ? ',' : c;
  }
  if (!plain.empty() && plain.back() == ',') plain.pop_back();
  Shape shape;
  for (const char *at = plain.data(), *end = at + plain.size(); at < end;) {
    int64_t size = 0;
    const auto [next, error] = std::from_chars(at, end, size);
    if (error != std::errc() || size < -1 || (next < end && *next != ',')) {
      throw UsageError(fmt::format("--shape: '{}' is no shape; write 100,200", text));
    }
    shape.push_back(size);
    at = next + 1;
  }
  return shape;
}

/// The name of the array to take from the file that a condition calls `variable`; may be empty.
std::string array_name(const Options& options, const std::string& variable) {
  std::string common;
  for (const std::string& text : options.names) {
    const FileArgument part = parse_file(text);
    if (part.name == variable) return part.path;
    if (part.name.empty()) common = part.path;
  }
  return common;
}

/// --name var=NAME must be of a file that is there.
void check_names(const std::vector<std::string>& names, const std::vector<FileArgument>& files) {
  for (const std::string& text : names) {
    const std::string variable = parse_file(text).name;
    const auto is_it = [&](const FileArgument& file) { return file.name == variable; };
    if (!variable.empty() && std::none_of(files.begin(), files.end(), is_it)) {
      throw UsageError(fmt::format("--name {}: no file is called '{}'", text, variable));
    }
  }
}

bool has_names(const io::Reader& reader) {
  return reader.format() == io::Format::npz || reader.format() == io::Format::safetensors;
}

}  // namespace

FileArgument parse_file(const std::string& argument) {
  const size_t equals = argument.find('=');
  if (equals == std::string::npos || !is_name(argument.substr(0, equals))) return {"", argument};
  return {argument.substr(0, equals), argument.substr(equals + 1)};
}

std::optional<io::RawLayout> raw_layout(const Options& options) {
  if (options.dtype.empty()) {
    if (!options.shape.empty()) throw UsageError("--shape needs --dtype");
    return std::nullopt;
  }
  io::RawLayout layout;
  layout.dtype = parse_dtype(options.dtype);
  if (!options.shape.empty()) layout.shape = parse_shape(options.shape);
  return layout;
}

io::Reader open_reader(const std::string& path, const std::optional<io::RawLayout>& raw) {
  const std::optional<io::Format> format = io::format_of(path);
  const bool may_be_raw = !format || *format == io::Format::raw;
  if (format == io::Format::raw && !raw) {
    throw UsageError(
        fmt::format("{}: a raw file needs --dtype, and --shape unless it is 1-d", path));
  }
  return io::Reader(path, may_be_raw ? raw : std::nullopt);
}

Inputs::Inputs(const Options& options) {
  constexpr std::string_view kDefaults[] = {"x", "y", "z"};
  size_t unnamed = 0;
  std::vector<FileArgument> files;
  for (const std::string& argument : options.files) {
    FileArgument file = parse_file(argument);
    if (file.name.empty()) {
      if (unnamed == std::size(kDefaults)) {
        throw UsageError(
            fmt::format("{}: more than three files need names, as in a={}", argument, argument));
      }
      file.name = kDefaults[unnamed++];
    }
    for (std::string_view taken :
         {"i", "j", "k", "true", "false", "inf", "nan", "and", "or", "not", "True", "False"}) {
      if (file.name == taken) {
        throw UsageError(
            fmt::format("the name '{}' has a meaning of its own in conditions; "
                        "choose another for {}",
                        file.name, file.path));
      }
    }
    for (const FileArgument& other : files) {
      if (other.name == file.name) {
        throw UsageError(
            fmt::format("two files are called '{}': {} and {}", file.name, other.path, file.path));
      }
    }
    files.push_back(std::move(file));
  }
  const auto is_standard_input = [](const FileArgument& file) { return file.path == "-"; };
  if (std::count_if(files.begin(), files.end(), is_standard_input) > 1) {
    throw UsageError("- stands there twice, but the standard input can be read only once");
  }
  check_names(options.names, files);
  for (const FileArgument& file : files) add(file.name, file.path, options);
  const bool some_have_names = std::any_of(readers_.begin(), readers_.end(), has_names);
  if (!options.names.empty() && !some_have_names) {
    throw UsageError("--name chooses an array of an .npz or .safetensors file, and this is none");
  }
}

void Inputs::add(const std::string& name, const std::string& path, const Options& options) {
  const io::Reader& reader = readers_.emplace_back(open_reader(path, raw_layout(options)));
  const std::string inside = array_name(options, name);
  const size_t number = inside.empty() || !has_names(reader) ? reader.only() : reader.find(inside);
  const io::ArrayInfo& info = reader.arrays()[number];
  if (arrays_.empty()) first_name_ = info.name;
  arrays_.push_back(
      {name, reader.dtype(number), info.shape, [&reader, number](int64_t first, int64_t count) {
         return reader.window(number, first, count);
       }});
}

void Inputs::check_intact() const {
  for (const io::Reader& reader : readers_) reader.check_intact();
}

}  // namespace tamis::cli
