// info: what is in files, without reading their elements.
#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "commands/commands.h"
#include "results.h"
#include "usage_error.h"

namespace tamis::cli {

namespace {

std::string dtype_text(const io::ArrayInfo& info) {
  return info.dtype ? name(*info.dtype) : info.dtype_text;
}

/// Names come from files: bytes that would move the cursor are shown as '?'.
std::string printable(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < ' ' || c == 0x7f) c = '?';
  }
  return text;
}

std::string size_text(uint64_t bytes) {
  constexpr const char* kUnits[] = {"B", "kB", "MB", "GB", "TB"};
  auto size = static_cast<double>(bytes);
  size_t unit = 0;
  for (; size >= 1000 && unit + 1 < std::size(kUnits); ++unit) size /= 1000;
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.1f} {}", size, kUnits[unit]);
}

std::string notes(const io::ArrayInfo& info) {
  std::string text;
  if (info.fortran_order) text += ", Fortran order";
  if (info.byte_swapped) text += ", byte-swapped";
  if (info.compressed) text += ", compressed";
  if (!info.dtype && info.problem.empty()) text += ", unsupported";
  if (!info.problem.empty()) text += ", " + printable(info.problem);
  return text;
}

/// How an array lies in a Zarr store, on lines of its own.
std::string zarr_text(const io::ZarrInfo& zarr) {
  std::string text =
      fmt::format("    Zarr version {}, chunks {}", zarr.version, to_string(zarr.chunks));
  if (!zarr.shards.empty()) text += fmt::format(", shards {}", to_string(zarr.shards));
  text += fmt::format("\n    codecs {}, fill value {}\n", printable(zarr.codecs),
                      printable(zarr.fill_value));
  if (zarr.dimension_names.empty()) return text;
  return text + fmt::format("    dimensions {}\n",
                            printable(fmt::format("{}", fmt::join(zarr.dimension_names, ", "))));
}

Json zarr_json(const io::ZarrInfo& zarr) {
  Json json = {{"version", zarr.version}, {"chunks", zarr.chunks.vec()}};
  json["shards"] = zarr.shards.empty() ? Json() : Json(zarr.shards.vec());
  json["codecs"] = zarr.codecs;
  json["fill_value"] = Json::parse(zarr.fill_value, nullptr, false);
  json["dimension_names"] = zarr.dimension_names.empty() ? Json() : Json(zarr.dimension_names);
  return json;
}

Json plain_json(const io::ArrayInfo& info) {
  return {{"name", info.name},
          {"dtype", dtype_text(info)},
          {"shape", info.shape.vec()},
          {"elements", numel(info.shape)},
          {"bytes", info.bytes},
          {"offset", info.offset},
          {"fortran_order", info.fortran_order},
          {"byte_swapped", info.byte_swapped},
          {"compressed", info.compressed}};
}

Json array_json(const io::ArrayInfo& info) {
  Json json = plain_json(info);
  if (info.zarr) json["zarr"] = zarr_json(*info.zarr);
  return json;
}

/// The array that is asked for, else all.
std::vector<io::ArrayInfo> arrays_of(const io::Reader& reader, const std::string& name) {
  if (name.empty()) return reader.arrays();
  return {reader.arrays()[reader.find(name)]};
}

void print_file(const io::Reader& reader, const std::vector<io::ArrayInfo>& arrays) {
  uint64_t bytes = 0;
  size_t width = 0;
  for (const io::ArrayInfo& info : arrays) {
    bytes += info.bytes;
    width = std::max(width, printable(info.name).size());
  }
  const size_t n = arrays.size();
  fmt::print("{}: {}, {} array{}, {}\n", printable(reader.path()), io::name(reader.format()), n,
             n == 1 ? "" : "s", size_text(bytes));
  for (const io::ArrayInfo& info : arrays) {
    fmt::print("  {:<{}}{}{:<9} {}  {}{}\n", printable(info.name), width, width > 0 ? "  " : "",
               dtype_text(info), to_string(info.shape), size_text(info.bytes), notes(info));
    if (info.zarr) fmt::print("{}", zarr_text(*info.zarr));
  }
}

}  // namespace

void run_info(const Session& session) {
  const Options& options = session.options();
  if (options.names.size() > 1)
    throw UsageError("info: only one --name is allowed, and it applies to all files");
  auto list = Json::array();
  for (const std::string& argument : options.files) {
    const FileArgument file = parse_file(argument);
    session.attempt(file.path, [&] {
      const io::Reader reader = open_reader(file.path, options);
      const std::string& name = options.names.empty() ? file.array : options.names[0];
      const std::vector<io::ArrayInfo> arrays = arrays_of(reader, name);
      if (!options.json) return print_file(reader, arrays);
      auto described = Json::array();
      for (const io::ArrayInfo& info : arrays) described.push_back(array_json(info));
      list.push_back(
          {{"file", reader.path()}, {"format", io::name(reader.format())}, {"arrays", described}});
    });
  }
  if (options.json) fmt::print("{}\n", dump(list));
}

}  // namespace tamis::cli
