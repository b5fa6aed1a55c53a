// The header of .safetensors: a length, and JSON that says where each array is.
#include "io/safetensors.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "core/check.h"
#include "io/sizes.h"
#include "io/writer.h"

namespace tamis::io {

namespace {

using Json = nlohmann::json;

struct ElementType {
  std::string_view code;
  int64_t bits;
  std::optional<DType> dtype;
};
constexpr ElementType kTypes[] = {{"BOOL", 8, DType::boolean},
                                  {"U8", 8, DType::uint8},
                                  {"U16", 16, DType::uint16},
                                  {"U32", 32, DType::uint32},
                                  {"U64", 64, DType::uint64},
                                  {"I8", 8, DType::int8},
                                  {"I16", 16, DType::int16},
                                  {"I32", 32, DType::int32},
                                  {"I64", 64, DType::int64},
                                  {"F16", 16, DType::float16},
                                  {"BF16", 16, DType::bfloat16},
                                  {"F32", 32, DType::float32},
                                  {"F64", 64, DType::float64},
                                  {"C64", 64, DType::complex64},
                                  // The format has these, Tamis does not.
                                  {"F8_E5M2", 8, {}},
                                  {"F8_E4M3", 8, {}},
                                  {"F8_E8M0", 8, {}},
                                  {"F8_E5M2FNUZ", 8, {}},
                                  {"F8_E4M3FNUZ", 8, {}},
                                  {"F6_E2M3", 6, {}},
                                  {"F6_E3M2", 6, {}},
                                  {"F4", 4, {}}};

/// An array as the JSON text has it.
struct Entry {
  ArrayInfo info;
  int64_t bits = 0;
  std::vector<uint64_t> offsets;
  bool has_dtype = false, has_shape = false, has_offsets = false;
};

/// Reads the text event by event, so that nothing nests deeper than the format does and repeated
/// keys are noticed. Returns false, with a message, at the first event that the format does not
/// allow.
class Events : public nlohmann::json_sax<Json> {
 public:
  std::vector<Entry> entries;
  std::string message;

  bool start_object(size_t) override {
    if (context_ == Context::outside) return go(Context::names);
    if (context_ == Context::array) return go(Context::keys);
    if (context_ == Context::metadata) return go(Context::metadata_keys);
    return refuse("unexpected object");
  }
  bool end_object() override {
    if (context_ == Context::names) return go(Context::outside);
    if (context_ == Context::metadata_keys) return go(Context::names);
    const Entry& entry = entries.back();
    if (!entry.has_dtype || !entry.has_shape || !entry.has_offsets) {
      return refuse("dtype, shape and data_offsets are all required");
    }
    return go(Context::names);
  }
  bool key(string_t& key) override {
    if (context_ == Context::names) return array_name(key);
    if (context_ == Context::metadata_keys) {
      if (!metadata_keys_.insert(key).second) return refuse("duplicate key in __metadata__");
      return go(Context::metadata_value);
    }
    Entry& entry = entries.back();
    bool* seen = key == "dtype"          ? &entry.has_dtype
                 : key == "shape"        ? &entry.has_shape
                 : key == "data_offsets" ? &entry.has_offsets
                                         : nullptr;
    if (seen == nullptr) return refuse("unknown key");
    if (std::exchange(*seen, true)) return refuse("duplicate key " + key);
    return go(key == "dtype" ? Context::dtype : key == "shape" ? Context::shape : Context::offsets);
  }
  bool start_array(size_t) override {
    if (context_ == Context::shape) return go(Context::in_shape);
    if (context_ == Context::offsets) return go(Context::in_offsets);
    return refuse("unexpected list");
  }
  bool end_array() override { return go(Context::keys); }
  bool string(string_t& text) override {
    if (context_ == Context::metadata_value) return go(Context::metadata_keys);
    if (context_ != Context::dtype) return refuse("unexpected string");
    for (const ElementType& type : kTypes) {
      if (type.code != text) continue;
      entries.back().info.dtype = type.dtype;
      entries.back().info.dtype_text = text;
      entries.back().bits = type.bits;
      return go(Context::keys);
    }
    return refuse("unknown dtype");
  }
  bool number_unsigned(number_unsigned_t value) override {
    Entry* entry = entries.empty() ? nullptr : &entries.back();
    if (context_ == Context::in_shape) {
      if (entry->info.shape.size() == kMaxRank) return refuse("more than 64 dimensions");
      if (value > INT64_MAX) return refuse("size exceeds 63 bits");
      entry->info.shape.push_back(static_cast<int64_t>(value));
      return true;
    }
    if (context_ == Context::in_offsets) {
      if (entry->offsets.size() == 2) return refuse("more than two data_offsets");
      entry->offsets.push_back(value);
      return true;
    }
    return refuse("unexpected number");
  }
  bool number_integer(number_integer_t) override { return refuse("negative number"); }
  bool number_float(number_float_t, const string_t&) override {
    return refuse("number is not an integer");
  }
  bool null() override { return refuse("unexpected null"); }
  bool boolean(bool) override { return refuse("unexpected boolean"); }
  bool binary(binary_t&) override { return refuse("unexpected binary data"); }
  bool parse_error(size_t position, const std::string&,
                   const nlohmann::detail::exception&) override {
    message = fmt::format("invalid JSON at byte {} of the header", position);
    return false;
  }

 private:
  enum class Context {
    outside,
    names,
    array,
    keys,
    dtype,
    shape,
    in_shape,
    offsets,
    in_offsets,
    metadata,
    metadata_keys,
    metadata_value
  };

  bool go(Context context) {
    context_ = context;
    return true;
  }
  bool refuse(const std::string& what) {
    const bool in_array =
        context_ != Context::names && context_ != Context::outside && !entries.empty();
    message = (in_array ? "array '" + entries.back().info.name + "': " : "") + what;
    return false;
  }
  bool array_name(const std::string& name) {
    if (!names_.insert(name).second) return refuse("duplicate name '" + name + "'");
    if (name == "__metadata__") return go(Context::metadata);
    entries.emplace_back();
    entries.back().info.name = name;
    return go(Context::array);
  }

  Context context_ = Context::outside;
  std::set<std::string> names_, metadata_keys_;
};

/// Compares what an entry claims with what its dtype and shape need.
void check_entry(Entry& entry, uint64_t data_bytes, const std::string& where) {
  const auto require = [&](bool ok, const auto& describe) {
    if (!ok) {
      raise(ErrorKind::format,
            fmt::format("{}: array '{}': {}", where, entry.info.name, describe()));
    }
  };
  require(entry.offsets.size() == 2, [] { return "two data_offsets are required"; });
  const uint64_t begin = entry.offsets[0], end = entry.offsets[1];
  require(begin <= end && end <= data_bytes, [&] {
    return fmt::format("data_offsets [{}, {}] are outside the {} bytes of data", begin, end,
                       data_bytes);
  });
  const auto bits = checked_size(entry.info.shape, entry.bits);
  require(bits && *bits % 8 == 0 && *bits / 8 == end - begin, [&] {
    return fmt::format("shape {} of {} does not match the {} bytes between its data_offsets",
                       entry.info.shape, entry.info.dtype_text, end - begin);
  });
  entry.info.offset = begin;
  entry.info.bytes = end - begin;
}

}  // namespace

uint64_t safetensors_header_bytes(std::string_view head, uint64_t size, const std::string& where) {
  check(head.size() >= 8, ErrorKind::format, "{}: too short for a .safetensors file", where);
  uint64_t bytes = 0;
  for (int i = 7; i >= 0; --i) bytes = bytes << 8 | static_cast<uint8_t>(head[i]);
  check(bytes <= kMaxSafetensorsHeader, ErrorKind::format,
        "{}: the header claims {} bytes; the limit is {}", where, bytes, kMaxSafetensorsHeader);
  check(bytes <= size - 8, ErrorKind::format,
        "{}: the header claims {} bytes, but the file ends before that", where, bytes);
  return bytes;
}

std::vector<ArrayInfo> parse_safetensors(std::string_view json, uint64_t size,
                                         const std::string& where) {
  // The parser would take a zero byte for the end of the text.
  check(json.find('\0') == json.npos, ErrorKind::format,
        "{}: malformed .safetensors header: it contains a zero byte", where);
  Events events;
  const bool ok = Json::sax_parse(json.begin(), json.end(), &events);
  check(ok && events.message.empty(), ErrorKind::format, "{}: malformed .safetensors header: {}",
        where, events.message);
  const uint64_t start = 8 + json.size();
  std::vector<ArrayInfo> arrays;
  for (Entry& entry : events.entries) {
    check_entry(entry, size - start, where);
    arrays.push_back(std::move(entry.info));
  }
  std::stable_sort(arrays.begin(), arrays.end(), [](const ArrayInfo& a, const ArrayInfo& b) {
    return std::pair(a.offset, a.bytes) < std::pair(b.offset, b.bytes);
  });
  uint64_t end = 0;
  for (ArrayInfo& array : arrays) {
    check(array.offset == end, ErrorKind::format,
          "{}: array '{}' begins at byte {} of the data, but the data before it ends at {}", where,
          array.name, array.offset, end);
    end += array.bytes;
    array.offset += start;
  }
  check(end == size - start, ErrorKind::format,
        "{}: the file has {} bytes of data, but {} of them belong to no array", where, size - start,
        size - start - end);
  return arrays;
}

std::string make_safetensors_header(const std::vector<ArrayPlan>& plans, size_t min_bytes) {
  std::string text = "{";
  int64_t begin = 0;
  for (const ArrayPlan& plan : plans) {
    const ElementType* type = std::find_if(std::begin(kTypes), std::end(kTypes),
                                           [&](auto& t) { return t.dtype == plan.dtype; });
    check(type != std::end(kTypes), ErrorKind::dtype,
          "the .safetensors format does not support {}; use .npy", name(plan.dtype));
    const auto bytes = static_cast<int64_t>(itemsize(plan.dtype)) * numel(plan.shape);
    if (text.size() > 1) text += ',';
    text +=
        fmt::format(R"({}:{{"dtype":"{}","shape":{},"data_offsets":{}}})", Json(plan.name).dump(),
                    type->code, plan.shape, Shape{begin, begin + bytes});
    begin += bytes;
  }
  text += '}';
  const size_t total = (std::max(8 + text.size(), min_bytes) + 63) / 64 * 64;
  text.resize(total - 8, ' ');
  check(text.size() <= kMaxSafetensorsHeader, ErrorKind::value,
        "too many arrays: the .safetensors header would have {} bytes", text.size());
  std::string header;
  const uint64_t length = text.size();
  for (int i = 0; i < 8; ++i) header += static_cast<char>(length >> (8 * i) & 0xff);
  return header + text;
}

}  // namespace tamis::io
