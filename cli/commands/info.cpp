// info: what is in files, without reading their elements.
#include <algorithm>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "commands/commands.h"

namespace tamis::cli {

namespace {

using Json = nlohmann::ordered_json;

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
  if (info.byte_swapped) text += ", other byte order";
  if (info.compressed) text += ", compressed";
  if (!info.dtype) text += ", cannot be read";
  return text;
}

Json array_json(const io::ArrayInfo& info) {
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

void print_file(const io::Reader& reader) {
  uint64_t bytes = 0;
  size_t width = 0;
  for (const io::ArrayInfo& info : reader.arrays()) {
    bytes += info.bytes;
    width = std::max(width, printable(info.name).size());
  }
  const size_t n = reader.arrays().size();
  fmt::print("{}: {}, {} array{}, {}\n", printable(reader.path()), io::name(reader.format()), n,
             n == 1 ? "" : "s", size_text(bytes));
  for (const io::ArrayInfo& info : reader.arrays()) {
    fmt::print("  {:<{}}{}{:<9} {}  {}{}\n", printable(info.name), width, width > 0 ? "  " : "",
               dtype_text(info), to_string(info.shape), size_text(info.bytes), notes(info));
  }
}

}  // namespace

void run_info(const Session& session) {
  const Options& options = session.options();
  auto list = Json::array();
  for (const std::string& argument : options.files) {
    const io::Reader reader = open_reader(parse_file(argument).path, raw_layout(options));
    if (!options.json) {
      print_file(reader);
      continue;
    }
    auto arrays = Json::array();
    for (const io::ArrayInfo& info : reader.arrays()) arrays.push_back(array_json(info));
    list.push_back(
        {{"file", reader.path()}, {"format", io::name(reader.format())}, {"arrays", arrays}});
  }
  // A name that is no UTF-8 must not make the output invalid.
  if (options.json) fmt::print("{}\n", list.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace tamis::cli
