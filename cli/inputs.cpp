// Inputs: opening files and naming their arrays.
#include "inputs.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <string_view>

#include <fmt/format.h>

#include "nearest.h"
#include "tamis/error.h"
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
    throw UsageError(fmt::format("--dtype: unknown dtype '{}'{}; available: {}", text,
                                 did_you_mean(text, names), fmt::join(names, ", ")));
  }
  return static_cast<DType>(found - names.begin());
}

/// "x=weight", as files have it.
FileArgument parse_name(const std::string& text) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || !is_name(text.substr(0, equals))) return {"", text, ""};
  return {text.substr(0, equals), text.substr(equals + 1), ""};
}

/// The name of the array to take from a file; may be empty.
std::string array_name(const Options& options, const FileArgument& file) {
  std::string common = file.array;
  for (const std::string& text : options.names) {
    const FileArgument part = parse_name(text);
    if (part.name == file.name) return part.path;
    if (part.name.empty() && common.empty()) common = part.path;
  }
  return common;
}

/// The layout of raw files.
std::optional<io::RawLayout> raw_layout(const Options& options) {
  if (options.dtype.empty()) {
    if (!options.shape.empty()) throw UsageError("--shape needs --dtype");
    return std::nullopt;
  }
  io::RawLayout layout;
  layout.dtype = parse_dtype(options.dtype);
  if (!options.shape.empty()) layout.shape = parse_shape(options.shape, "--shape");
  return layout;
}

/// --name var=NAME must be of a file that is there.
void check_names(const std::vector<std::string>& names, const std::vector<FileArgument>& files) {
  for (const std::string& text : names) {
    const std::string variable = parse_name(text).name;
    const auto is_it = [&](const FileArgument& file) { return file.name == variable; };
    if (!variable.empty() && std::none_of(files.begin(), files.end(), is_it)) {
      throw UsageError(fmt::format("--name {}: no file is named '{}'", text, variable));
    }
  }
}

bool has_names(const io::Reader& reader) { return io::has_names(reader.format()); }

}  // namespace

Shape parse_shape(const std::string& text, const char* option) {
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
      throw UsageError(fmt::format("{}: '{}' is not a shape; write it like 100,200", option, text));
    }
    shape.push_back(size);
    at = next + 1;
  }
  return shape;
}

FileArgument parse_file(const std::string& argument) {
  FileArgument file = parse_name(argument);
  for (const std::string_view ending : {".npz:", ".safetensors:", ".zarr:", ".zip:"}) {
    const size_t at = file.path.find(ending);
    if (at == std::string::npos || std::filesystem::exists(file.path)) continue;
    file.array = file.path.substr(at + ending.size());
    file.path.resize(at + ending.size() - 1);
  }
  return file;
}

io::Reader open_reader(const std::string& path, const Options& options) {
  const std::optional<io::Format> format = io::format_of(path);
  if (format == io::Format::csv || (options.csv && !format)) {
    io::CsvLayout layout;
    layout.header = options.header;
    if (!options.dtype.empty()) layout.dtype = parse_dtype(options.dtype);
    std::optional<Shape> shape;
    if (!options.shape.empty()) shape = parse_shape(options.shape, "--shape");
    return io::Reader(path, layout, shape);
  }
  const std::optional<io::RawLayout> raw = raw_layout(options);
  if (format == io::Format::raw && !raw) {
    throw UsageError(
        fmt::format("{}: a raw file needs --dtype, and --shape unless it is 1-d", path));
  }
  return io::Reader(path, !format || format == io::Format::raw ? raw : std::nullopt);
}

size_t find_array(const io::Reader& reader, const std::string& name) {
  if (!name.empty()) return reader.find(name);
  const std::vector<io::ArrayInfo>& arrays = reader.arrays();
  if (arrays.size() <= 1) return reader.only();
  constexpr size_t kMost = 20;
  std::vector<std::string> names;
  for (size_t i = 0; i < std::min(arrays.size(), kMost); ++i) names.push_back(arrays[i].name);
  if (arrays.size() > kMost) names.emplace_back("...");
  throw Error(
      ErrorKind::value,
      fmt::format("{0}: the file has {1} arrays: {2}; choose one with --name {3} or write {0}:{3}",
                  reader.path(), arrays.size(), fmt::join(names, ", "), names[0]));
}

std::vector<Options> options_of_each(const Options& options) {
  std::vector<std::string> named, others;
  for (const std::string& file : options.files) {
    (parse_file(file).name.empty() ? others : named).push_back(file);
  }
  if (others.empty())
    throw UsageError("--each needs at least one file without a name; each such file is x in turn");
  std::vector<Options> list;
  for (const std::string& file : others) {
    list.push_back(options);
    list.back().files = {file};
    list.back().files.insert(list.back().files.end(), named.begin(), named.end());
  }
  return list;
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
            fmt::format("the name '{}' is reserved in conditions; "
                        "choose another for {}",
                        file.name, file.path));
      }
    }
    for (const FileArgument& other : files) {
      if (other.name == file.name) {
        throw UsageError(
            fmt::format("two files are named '{}': {} and {}", file.name, other.path, file.path));
      }
    }
    files.push_back(std::move(file));
  }
  const auto is_standard_input = [](const FileArgument& file) { return file.path == "-"; };
  if (std::count_if(files.begin(), files.end(), is_standard_input) > 1) {
    throw UsageError("- is given twice, but standard input can be read only once");
  }
  check_names(options.names, files);
  for (const FileArgument& file : files) add(file, options);
  const bool some_have_names = std::any_of(readers_.begin(), readers_.end(), has_names);
  if (!options.names.empty() && !some_have_names) {
    throw UsageError(
        "--name selects an array in an .npz or .safetensors file or a Zarr group, but there is "
        "none "
        "here");
  }
}

void Inputs::add(const FileArgument& file, const Options& options) {
  const io::Reader& reader = readers_.emplace_back(open_reader(file.path, options));
  const bool is_ignored = file.array.empty() && !has_names(reader);
  const size_t number = find_array(reader, is_ignored ? "" : array_name(options, file));
  const io::ArrayInfo& info = reader.arrays()[number];
  if (arrays_.empty()) first_name_ = info.name;
  if (arrays_.empty()) first_zarr_ = info.zarr;
  arrays_.push_back({file.name, reader.dtype(number), info.shape,
                     [&reader, number](int64_t first, int64_t count) {
                       return reader.window(number, first, count);
                     }});
}

void Inputs::check_intact() const {
  for (const io::Reader& reader : readers_) reader.check_intact();
}

}  // namespace tamis::cli
