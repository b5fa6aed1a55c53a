// zarr.json: the metadata of version 3.
#include <algorithm>

#include "io/zarr_json.h"

namespace tamis::io {

namespace {

constexpr size_t kMaxShardLevels = 8;

struct ElementType {
  std::string_view name;
  DType dtype;
};
constexpr ElementType kTypes[] = {{"bool", DType::boolean},         {"int8", DType::int8},
                                  {"int16", DType::int16},          {"int32", DType::int32},
                                  {"int64", DType::int64},          {"uint8", DType::uint8},
                                  {"uint16", DType::uint16},        {"uint32", DType::uint32},
                                  {"uint64", DType::uint64},        {"float16", DType::float16},
                                  {"bfloat16", DType::bfloat16},    {"float32", DType::float32},
                                  {"float64", DType::float64},      {"complex64", DType::complex64},
                                  {"complex128", DType::complex128}};

class ParserV3 {
 public:
  explicit ParserV3(const std::string& where) : parse_(where) {}

  std::optional<ZarrArray> run(std::string_view text) {
    const Json json = parse_.parse(text);
    const Json& version = parse_.member(json, "zarr_format");
    parse_.require(version == 3, "'zarr_format' is not 3");
    const std::string type = parse_.text(parse_.member(json, "node_type"), "node_type");
    if (type == "group") return std::nullopt;
    parse_.require(type == "array", "'node_type' is neither 'array' nor 'group'");
    array_.shape = parse_.sizes(parse_.member(json, "shape"), "shape");
    read_type(parse_.member(json, "data_type"));
    read_grid(parse_.member(json, "chunk_grid"));
    read_keys(parse_.member(json, "chunk_key_encoding"));
    read_chain(parse_.member(json, "codecs"));
    read_names(json);
    read_others(json);
    finish(array_, parse_.member(json, "fill_value"), parse_);
    return std::move(array_);
  }

 private:
  /// Extensions are {"name": ..., "configuration": {...}}, or only the name.
  std::pair<std::string, Json> extension(const Json& json, const char* what) const {
    if (json.is_string()) return {json.get<std::string>(), Json::object()};
    parse_.require(json.is_object(), "'{}' is neither a name nor an object", what);
    const std::string name = parse_.text(parse_.member(json, "name"), "name");
    const auto found = json.find("configuration");
    if (found == json.end() || found->is_null()) return {name, Json::object()};
    parse_.require(found->is_object(), "the configuration of '{}' is not an object", name);
    return {name, *found};
  }

  void read_type(const Json& json) {
    array_.dtype_text = extension(json, "data_type").first;
    for (const ElementType& type : kTypes) {
      if (type.name == array_.dtype_text) array_.dtype = type.dtype;
    }
  }

  void read_grid(const Json& json) {
    const auto [name, configuration] = extension(json, "chunk_grid");
    if (name != "regular") {
      add_problem(array_, fmt::format("chunk grid '{}' is not supported", name));
      array_.chunks = Shape(array_.shape.size(), 1);
      return;
    }
    array_.chunks = parse_.chunk_sizes(parse_.member(configuration, "chunk_shape"), "chunk_shape",
                                       array_.shape);
  }

  void read_keys(const Json& json) {
    const auto [name, configuration] = extension(json, "chunk_key_encoding");
    array_.has_prefix = name == "default";
    array_.separator = array_.has_prefix ? '/' : '.';
    if (name != "default" && name != "v2") {
      add_problem(array_, fmt::format("chunk key encoding '{}' is not supported", name));
      return;
    }
    const auto found = configuration.find("separator");
    if (found != configuration.end()) array_.separator = parse_.separator(*found, "separator");
  }

  /// A chain is any number of transpositions, then what turns elements into bytes (as they are, or
  /// a shard), then any number of codecs of bytes.
  void read_chain(const Json& json) {
    parse_.require(json.is_array() && !json.empty(), "'codecs' is not a list of codecs");
    bool has_bytes = false;
    for (size_t i = 0; i < json.size(); ++i) {
      const auto [name, configuration] = extension(json[i], "codecs");
      array_.codecs_text +=
          (array_.codecs_text.empty() || array_.codecs_text.back() == '(') ? name : ", " + name;
      if (name == "transpose") {
        parse_.require(!has_bytes, "'transpose' comes after the elements have become bytes");
        read_order(parse_.member(configuration, "order"));
      } else if (name == "bytes") {
        parse_.require(!std::exchange(has_bytes, true), "elements become bytes twice");
        read_endian(configuration);
      } else if (name == "sharding_indexed") {
        parse_.require(!std::exchange(has_bytes, true), "elements become bytes twice");
        if (json.size() > 1) {
          add_problem(array_, "codecs before or after 'sharding_indexed' are not supported");
        }
        read_shards(configuration);
      } else {
        read_bytes_codec(name, configuration, has_bytes);
      }
    }
    parse_.require(has_bytes || !array_.problem.empty(),
                   "'codecs' has nothing that turns elements into bytes");
  }

  void read_order(const Json& json) {
    const size_t rank = array_.shape.size();
    Shape order(rank, 0);
    if (json == "C" || json == "F") {
      for (size_t d = 0; d < rank; ++d) {
        order[d] = static_cast<int64_t>(json == "C" ? d : rank - 1 - d);
      }
    } else {
      order = parse_.sizes(json, "order", rank);
    }
    std::vector<bool> seen(rank);
    for (const int64_t d : order) {
      parse_.require(d < static_cast<int64_t>(rank) && !seen[static_cast<size_t>(d)],
                     "'order' is not a permutation of the dimensions");
      seen[static_cast<size_t>(d)] = true;
    }
    if (array_.order.empty()) {
      array_.order = order;
      return;
    }
    Shape both(rank, 0);
    for (size_t d = 0; d < rank; ++d) both[d] = array_.order[static_cast<size_t>(order[d])];
    array_.order = both;
  }

  void read_endian(const Json& configuration) {
    const auto found = configuration.find("endian");
    if (found == configuration.end() || found->is_null()) {
      parse_.require(!array_.dtype || itemsize(*array_.dtype) == 1,
                     "'bytes' does not say the order of bytes");
      return;
    }
    const std::string endian = parse_.text(*found, "endian");
    parse_.require(endian == "little" || endian == "big", "'endian' is neither little nor big");
    array_.big_endian = endian == "big";
  }

  void read_bytes_codec(const std::string& name, const Json& configuration, bool has_bytes) {
    ByteCodec codec;
    if (name == "gzip") {
      codec.kind = CodecKind::gzip;
    } else if (name == "zstd") {
      codec.kind = CodecKind::zstd;
    } else if (name == "blosc") {
      codec.kind = CodecKind::blosc;
    } else if (name == "crc32c") {
      codec.kind = CodecKind::crc32c;
    } else {
      add_problem(array_, fmt::format("codec '{}' is not supported", name));
      return;
    }
    parse_.require(has_bytes, "'{}' comes before the elements have become bytes", name);
    const auto level = configuration.find("level");
    if (level != configuration.end() && level->is_number_integer()) {
      array_.codecs_text += fmt::format(" {}", level->get<int64_t>());
    }
    const auto compressor = configuration.find("cname");
    if (compressor != configuration.end() && compressor->is_string()) {
      array_.codecs_text += fmt::format(" {}", compressor->get<std::string>());
    }
    array_.codecs.push_back(codec);
  }

  void read_shards(const Json& configuration) {
    parse_.require(array_.shards.size() < kMaxShardLevels, "shards nest deeper than {} levels",
                   kMaxShardLevels);
    ShardLevel level;
    level.shape = array_.chunks;
    const Shape inner =
        parse_.chunk_sizes(parse_.member(configuration, "chunk_shape"), "chunk_shape", level.shape);
    int64_t count = 1;
    for (size_t d = 0; d < inner.size(); ++d) {
      parse_.require(level.shape[d] % inner[d] == 0,
                     "chunks of shape {} do not fill shards of shape {}", inner, level.shape);
      const bool overflows = __builtin_mul_overflow(count, level.shape[d] / inner[d], &count);
      parse_.require(!overflows && count <= kMaxShardChunks,
                     "a shard of shape {} has more than {} chunks of shape {}", level.shape,
                     kMaxShardChunks, inner);
    }
    const auto location = configuration.find("index_location");
    if (location != configuration.end()) {
      const std::string where = parse_.text(*location, "index_location");
      parse_.require(where == "start" || where == "end",
                     "'index_location' is neither start nor end");
      level.index_at_start = where == "start";
    }
    read_index_codecs(parse_.member(configuration, "index_codecs"), level);
    array_.chunks = inner;
    array_.shards.push_back(level);
    array_.codecs_text += '(';
    read_chain(parse_.member(configuration, "codecs"));
    array_.codecs_text += ')';
  }

  void read_index_codecs(const Json& json, ShardLevel& level) {
    parse_.require(json.is_array() && !json.empty(), "'index_codecs' is not a list of codecs");
    level.index_has_crc = false;
    for (size_t i = 0; i < json.size(); ++i) {
      const auto [name, configuration] = extension(json[i], "index_codecs");
      if (i == 0 && name == "bytes") {
        level.index_big_endian = configuration.value("endian", Json("little")) == "big";
      } else if (i == 1 && name == "crc32c") {
        level.index_has_crc = true;
      } else {
        add_problem(array_,
                    fmt::format("codec '{}' for the index of shards is not supported", name));
      }
    }
  }

  void read_names(const Json& json) {
    const auto found = json.find("dimension_names");
    if (found == json.end() || found->is_null()) return;
    parse_.require(found->is_array() && found->size() == array_.shape.size(),
                   "'dimension_names' does not have a name for each dimension");
    for (const Json& name : *found) {
      parse_.require(name.is_null() || name.is_string(), "a name of a dimension is not a string");
      array_.dimension_names.push_back(name.is_null() ? "" : name.get<std::string>());
    }
  }

  /// What the format does not name must be understood unless it says otherwise.
  void read_others(const Json& json) {
    for (const auto& [key, value] : json.items()) {
      if (key == "storage_transformers") {
        if (!value.is_null() && !value.empty()) {
          add_problem(array_, "storage transformers are not supported");
        }
        continue;
      }
      constexpr std::string_view kKnown[] = {"zarr_format",
                                             "node_type",
                                             "shape",
                                             "data_type",
                                             "chunk_grid",
                                             "fill_value",
                                             "codecs",
                                             "attributes",
                                             "dimension_names",
                                             "chunk_key_encoding",
                                             "consolidated_metadata"};
      if (std::find(std::begin(kKnown), std::end(kKnown), key) != std::end(kKnown)) continue;
      const bool may_ignore = value.is_object() && value.value("must_understand", Json()) == false;
      if (!may_ignore) add_problem(array_, fmt::format("extension '{}' is not supported", key));
    }
  }

  MetadataParser parse_;
  ZarrArray array_;
};

}  // namespace

std::optional<ZarrArray> parse_zarr_v3(std::string_view json, const std::string& where) {
  return ParserV3(where).run(json);
}

}  // namespace tamis::io
