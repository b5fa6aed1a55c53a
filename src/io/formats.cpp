// Names and endings of the formats.
#include "io/array_info.h"

namespace tamis::io {

const char* name(Format format) {
  constexpr const char* kNames[] = {"npy", "npz", "safetensors", "zarr", "raw", "csv"};
  return kNames[static_cast<int>(format)];
}

std::optional<Format> format_of(std::string_view path) {
  if (path.ends_with(".npy")) return Format::npy;
  if (path.ends_with(".npz")) return Format::npz;
  if (path.ends_with(".safetensors")) return Format::safetensors;
  while (path.ends_with("/")) path.remove_suffix(1);  // of a folder
  if (path.ends_with(".zarr") || path.ends_with(".zip")) return Format::zarr;
  if (path.ends_with(".raw") || path.ends_with(".bin")) return Format::raw;
  if (path.ends_with(".csv")) return Format::csv;
  return std::nullopt;
}

}  // namespace tamis::io
