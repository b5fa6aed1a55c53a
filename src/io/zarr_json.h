// What the parsers of both versions of Zarr's metadata share.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/check.h"
#include "io/zarr_metadata.h"

namespace tamis::io {

using Json = nlohmann::json;

/// Reads the members of one JSON document; every method throws kind format where it is not what the
/// format says.
class MetadataParser {
 public:
  explicit MetadataParser(const std::string& where) : where_(where) {}

  Json parse(std::string_view text) const;
  /// Something else than an object if it is not sound.
  Json parse_if_sound(std::string_view text) const;

  template <class... Args>
  void require(bool ok, fmt::format_string<Args...> text, Args&&... args) const {
    if (!ok) {
      raise(ErrorKind::format, fmt::format("{}: malformed Zarr metadata: {}", where_,
                                           fmt::format(text, std::forward<Args>(args)...)));
    }
  }

  const Json& member(const Json& object, const char* name) const;
  std::string text(const Json& json, const char* name) const;
  /// Sizes of as many dimensions as `rank` says, if it does.
  Shape sizes(const Json& json, const char* name, std::optional<size_t> rank = {}) const;
  /// Sizes of chunks, which are at least 1; an array without elements may say 0.
  Shape chunk_sizes(const Json& json, const char* name, const Shape& shape) const;
  char separator(const Json& json, const char* name) const;

 private:
  const std::string& where_;
};

/// Remembers the first thing that is not supported.
inline void add_problem(ZarrArray& array, const std::string& text) {
  if (array.problem.empty()) array.problem = text;
}

/// Checks that hold for both versions, once all else is known; reads the fill value.
void finish(ZarrArray& array, const Json& fill_value, const MetadataParser& parser);

}  // namespace tamis::io
