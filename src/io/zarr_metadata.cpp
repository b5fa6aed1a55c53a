// Zarr's metadata: what both versions share, and what is written.
#include "io/zarr_metadata.h"

#include <algorithm>

#include "io/npy.h"
#include "io/sizes.h"
#include "io/zarr_fill.h"
#include "io/zarr_json.h"

namespace tamis::io {

namespace {

constexpr int kMaxDepth = 64;

/// Python writes NaN and infinities, which JSON does not have: they become strings. Text that nests
/// deeper than metadata does is refused.
std::string plain_json(std::string_view text, const std::string& where) {
  // The parser would take a zero byte for the end of the text.
  check(text.find('\0') == text.npos, ErrorKind::format, "{}: it contains a zero byte", where);
  std::string out;
  out.reserve(text.size());
  bool in_string = false;
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      out += c;
      if (c == '\\' && i + 1 < text.size()) out += text[++i];
      in_string = c != '"';
      continue;
    }
    if (c == '"') in_string = true;
    depth += (c == '{' || c == '[') - (c == '}' || c == ']');
    check(depth <= kMaxDepth, ErrorKind::format, "{}: it nests deeper than {} levels", where,
          kMaxDepth);
    bool replaced = false;
    for (const std::string_view word : {"NaN", "Infinity", "-Infinity"}) {
      if (replaced || !text.substr(i).starts_with(word)) continue;
      out += '"';
      out += word;
      out += '"';
      i += word.size() - 1;
      replaced = true;
    }
    if (!replaced) out += c;
  }
  return out;
}

}  // namespace

Json MetadataParser::parse_if_sound(std::string_view text) const {
  return Json::parse(plain_json(text, where_), nullptr, /*allow_exceptions=*/false);
}

Json MetadataParser::parse(std::string_view text) const {
  Json json = parse_if_sound(text);
  require(json.is_object(), "not a JSON object");
  return json;
}

const Json& MetadataParser::member(const Json& object, const char* name) const {
  const auto found = object.find(name);
  require(found != object.end(), "'{}' is missing", name);
  return *found;
}

std::string MetadataParser::text(const Json& json, const char* name) const {
  require(json.is_string(), "'{}' is not a string", name);
  return json.get<std::string>();
}

Shape MetadataParser::sizes(const Json& json, const char* name, std::optional<size_t> rank) const {
  require(json.is_array() && json.size() <= kMaxRank, "'{}' is not a list of at most {} sizes",
          name, kMaxRank);
  require(!rank || json.size() == *rank, "'{}' has {} sizes for {} dimensions", name, json.size(),
          rank.value_or(0));
  Shape shape;
  for (const Json& size : json) {
    require(size.is_number_unsigned() && size.get<uint64_t>() <= INT64_MAX,
            "'{}' has an entry that is not a size", name);
    shape.push_back(size.get<int64_t>());
  }
  return shape;
}

Shape MetadataParser::chunk_sizes(const Json& json, const char* name, const Shape& shape) const {
  Shape chunks = sizes(json, name, shape.size());
  for (size_t d = 0; d < chunks.size(); ++d) {
    if (chunks[d] == 0 && shape[d] == 0) chunks[d] = 1;
    require(chunks[d] > 0, "'{}' has a size of 0", name);
  }
  return chunks;
}

char MetadataParser::separator(const Json& json, const char* name) const {
  const std::string found = text(json, name);
  require(found == "/" || found == ".", "'{}' is neither '/' nor '.'", name);
  return found[0];
}

void finish(ZarrArray& array, const Json& fill_value, const MetadataParser& parser) {
  const int64_t width = array.dtype ? static_cast<int64_t>(itemsize(*array.dtype)) : 1;
  parser.require(checked_size(array.shape, width).has_value(), "an array of shape {} is too large",
                 array.shape);
  const auto bytes = checked_size(array.chunks, width);
  parser.require(bytes.has_value(), "a chunk of shape {} is too large", array.chunks);
  if (*bytes >= kMaxChunkBytes) {
    add_problem(array, fmt::format("chunks of {} bytes are not supported, only those of less than "
                                   "2 GiB",
                                   *bytes));
  }
  array.fill_text = fill_value.dump(-1, ' ', true, Json::error_handler_t::replace);
  if (!array.dtype) return;
  parser.require(parse_fill_value(fill_value, *array.dtype, array.fill),
                 "{} is not a fill value of {}", array.fill_text, array.dtype_text);
}

std::string ZarrArray::key(const Shape& index) const {
  std::string text = has_prefix ? "c" : "";
  for (const int64_t i : index) {
    if (!text.empty()) text += separator;
    text += std::to_string(i);
  }
  return text.empty() ? "0" : text;
}

// ---- writing ------------------------------------------------------------------------------------

namespace {

using Ordered = nlohmann::ordered_json;

Ordered zero_of(DType dtype) {
  if (dtype == DType::boolean) return false;
  if (is_complex(dtype)) return Ordered::array({0.0, 0.0});
  return is_floating_point(dtype) ? Ordered(0.0) : Ordered(0);
}

constexpr const char* kShuffles[] = {"noshuffle", "shuffle", "bitshuffle"};

Ordered codec_v3(const ByteCodec& codec) {
  switch (codec.kind) {
    case CodecKind::zstd:
      return {{"name", "zstd"}, {"configuration", {{"level", codec.level}, {"checksum", false}}}};
    case CodecKind::blosc:
      return {{"name", "blosc"},
              {"configuration",
               {{"cname", codec.blosc_compressor},
                {"clevel", codec.level},
                {"shuffle", kShuffles[codec.blosc_shuffle]},
                {"typesize", codec.blosc_typesize},
                {"blocksize", 0}}}};
    case CodecKind::crc32c:
      return {{"name", "crc32c"}};
    case CodecKind::gzip:
    case CodecKind::zlib:
      break;
  }
  return {{"name", "gzip"}, {"configuration", {{"level", codec.level}}}};
}

Ordered codec_v2(const ByteCodec& codec) {
  if (codec.kind == CodecKind::blosc) {
    return {{"id", "blosc"},
            {"cname", codec.blosc_compressor},
            {"clevel", codec.level},
            {"shuffle", codec.blosc_shuffle},
            {"blocksize", 0}};
  }
  return {{"id", codec.kind == CodecKind::zstd ? "zstd" : "gzip"}, {"level", codec.level}};
}

Ordered bytes_codec(DType dtype) {
  if (itemsize(dtype) == 1) return {{"name", "bytes"}};
  return {{"name", "bytes"}, {"configuration", {{"endian", "little"}}}};
}

Ordered codecs_v3(const ZarrArray& array) {
  auto codecs = Ordered::array({bytes_codec(*array.dtype)});
  for (const ByteCodec& codec : array.codecs) codecs.push_back(codec_v3(codec));
  if (array.shards.empty()) return codecs;
  const Ordered index = {bytes_codec(DType::uint64), {{"name", "crc32c"}}};
  return Ordered::array({{{"name", "sharding_indexed"},
                          {"configuration",
                           {{"chunk_shape", array.chunks.vec()},
                            {"codecs", codecs},
                            {"index_codecs", index},
                            {"index_location", "end"}}}}});
}

Ordered array_v3(const ZarrArray& array) {
  Ordered json = {{"zarr_format", 3},
                  {"node_type", "array"},
                  {"shape", array.shape.vec()},
                  {"data_type", array.dtype_text}};
  json["chunk_grid"] = {{"name", "regular"},
                        {"configuration", {{"chunk_shape", array.outer().vec()}}}};
  json["chunk_key_encoding"] = {{"name", "default"}, {"configuration", {{"separator", "/"}}}};
  json["fill_value"] = zero_of(*array.dtype);
  json["codecs"] = codecs_v3(array);
  json["attributes"] = Ordered::object();
  if (!array.dimension_names.empty()) {
    auto names = Ordered::array();
    for (const std::string& name : array.dimension_names) {
      names.push_back(name.empty() ? Ordered() : Ordered(name));
    }
    json["dimension_names"] = names;
  }
  return json;
}

Ordered array_v2(const ZarrArray& array) {
  Ordered json = {{"zarr_format", 2},
                  {"shape", array.shape.vec()},
                  {"chunks", array.chunks.vec()},
                  {"dtype", array.dtype_text}};
  json["compressor"] = array.codecs.empty() ? Ordered() : codec_v2(array.codecs[0]);
  json["fill_value"] = zero_of(*array.dtype);
  json["order"] = "C";
  json["filters"] = nullptr;
  json["dimension_separator"] = ".";
  return json;
}

std::string dump(const Ordered& json) {
  return json.dump(2, ' ', false, Ordered::error_handler_t::replace) + "\n";
}

}  // namespace

std::string make_zarr_metadata(const ZarrArray& array) {
  return dump(array.version == 3 ? array_v3(array) : array_v2(array));
}

std::string make_zarr_group(int version) {
  if (version == 2) return dump({{"zarr_format", 2}});
  return dump({{"zarr_format", 3}, {"node_type", "group"}, {"attributes", Ordered::object()}});
}

}  // namespace tamis::io
