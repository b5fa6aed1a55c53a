// .zarray: the metadata of version 2.
#include "io/npy.h"
#include "io/zarr_json.h"

namespace tamis::io {

namespace {

class ParserV2 {
 public:
  explicit ParserV2(const std::string& where) : parse_(where) {}

  ZarrArray run(std::string_view text, std::string_view attributes) {
    const Json json = parse_.parse(text);
    parse_.require(parse_.member(json, "zarr_format") == 2, "'zarr_format' is not 2");
    array_.version = 2;
    array_.has_prefix = false;
    array_.separator = '.';
    array_.shape = parse_.sizes(parse_.member(json, "shape"), "shape");
    array_.chunks = parse_.chunk_sizes(parse_.member(json, "chunks"), "chunks", array_.shape);
    read_type(parse_.member(json, "dtype"));
    read_order(parse_.text(parse_.member(json, "order"), "order"));
    read_filters(json);
    read_compressor(parse_.member(json, "compressor"));
    const auto separator = json.find("dimension_separator");
    if (separator != json.end()) {
      array_.separator = parse_.separator(*separator, "dimension_separator");
    }
    read_names(attributes);
    finish(array_, parse_.member(json, "fill_value"), parse_);
    return std::move(array_);
  }

 private:
  void read_type(const Json& json) {
    array_.dtype_text = json.is_string() ? json.get<std::string>() : "structured";
    if (array_.dtype_text == "bfloat16") {
      array_.dtype = DType::bfloat16;
      return;
    }
    const std::string& text = array_.dtype_text;
    if (text.size() < 2 || std::string_view("<>|").find(text[0]) == std::string_view::npos) return;
    array_.dtype = dtype_of_numpy(std::string_view(text).substr(1));
    if (!array_.dtype) return;
    parse_.require(text[0] != '|' || itemsize(*array_.dtype) == 1,
                   "'{}' does not say the order of bytes", text);
    array_.big_endian = text[0] == '>' && itemsize(*array_.dtype) > 1;
  }

  void read_order(const std::string& order) {
    parse_.require(order == "C" || order == "F", "'order' is neither C nor F");
    const size_t rank = array_.shape.size();
    if (order == "C" || rank < 2) return;
    array_.order = Shape(rank, 0);
    for (size_t d = 0; d < rank; ++d) array_.order[d] = static_cast<int64_t>(rank - 1 - d);
    array_.codecs_text = "order F";
  }

  std::string id_of(const Json& json, const char* what) const {
    parse_.require(json.is_object(), "'{}' is not an object", what);
    return parse_.text(parse_.member(json, "id"), "id");
  }

  void read_filters(const Json& json) {
    const auto found = json.find("filters");
    if (found == json.end() || found->is_null()) return;
    parse_.require(found->is_array(), "'filters' is not a list");
    for (const Json& filter : *found) {
      add_problem(array_, fmt::format("filter '{}' is not supported", id_of(filter, "filters")));
    }
  }

  void read_compressor(const Json& json) {
    std::string name = json.is_null() ? "uncompressed" : id_of(json, "compressor");
    array_.codecs_text += (array_.codecs_text.empty() ? "" : ", ") + name;
    ByteCodec codec;
    if (json.is_null()) return;
    if (name == "zlib") {
      codec.kind = CodecKind::zlib;
    } else if (name == "gzip") {
      codec.kind = CodecKind::gzip;
    } else if (name == "zstd") {
      codec.kind = CodecKind::zstd;
    } else if (name == "blosc") {
      codec.kind = CodecKind::blosc;
    } else {
      add_problem(array_, fmt::format("compressor '{}' is not supported", name));
      return;
    }
    array_.codecs.push_back(codec);
  }

  /// As xarray writes them. Attributes are for people: what cannot be read of them is left out.
  void read_names(std::string_view attributes) {
    const Json json = parse_.parse_if_sound(attributes);
    if (!json.is_object()) return;
    const auto found = json.find("_ARRAY_DIMENSIONS");
    if (found == json.end() || !found->is_array() || found->size() != array_.shape.size()) return;
    for (const Json& name : *found) {
      array_.dimension_names.push_back(name.is_string() ? name.get<std::string>() : "");
    }
  }

  MetadataParser parse_;
  ZarrArray array_;
};

}  // namespace

ZarrArray parse_zarr_v2(std::string_view json, std::string_view attributes,
                        const std::string& where) {
  return ParserV2(where).run(json, attributes);
}

}  // namespace tamis::io
