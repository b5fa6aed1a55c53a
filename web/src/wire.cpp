// Reading and writing the items of the wire.
#include "wire.h"

#include <bit>
#include <cmath>
#include <cstring>

#include "core/check.h"

namespace tamis::web {

namespace {

/// The largest integer that every smaller one has a double of its own beside.
constexpr double kSafe = 9007199254740991;

class Decoder {
 public:
  explicit Decoder(std::span<const uint64_t> words) : words_(words) {}

  bool done() const { return at_ == words_.size(); }

  /// The kind of the next item, which is not consumed.
  Kind peek() const { return static_cast<Kind>(static_cast<uint32_t>(words_[at_])); }

  Argument item() {
    Argument a;
    const uint32_t size = head(a.kind);
    switch (a.kind) {
      case Kind::boolean:
        a.truth = size != 0;
        break;
      case Kind::number:
        a.number = std::bit_cast<double>(words_[at_++]);
        break;
      case Kind::complex:
        a.number = std::bit_cast<double>(words_[at_++]);
        a.imaginary = std::bit_cast<double>(words_[at_++]);
        break;
      case Kind::bigint:
        a.integer = static_cast<int64_t>(words_[at_++]);
        a.is_large = size != 0;
        break;
      case Kind::text:
        a.text = text(size);
        break;
      case Kind::tensor:
      case Kind::generator:
        a.handle = size;
        break;
      case Kind::list:
        a.items.reserve(size);
        for (uint32_t i = 0; i < size; ++i) a.items.push_back(item());
        break;
      case Kind::undefined:
      case Kind::null:
      case Kind::named:
      case Kind::same:
        break;
    }
    return a;
  }

  std::vector<std::pair<std::string_view, Argument>> pairs() {
    Kind kind;
    const uint32_t count = head(kind);
    std::vector<std::pair<std::string_view, Argument>> found;
    for (uint32_t i = 0; i < count; ++i) {
      const std::string_view name = item().text;
      found.emplace_back(name, item());
    }
    return found;
  }

 private:
  uint32_t head(Kind& kind) {
    const uint64_t word = words_[at_++];
    kind = static_cast<Kind>(static_cast<uint32_t>(word));
    return static_cast<uint32_t>(word >> 32);
  }
  std::string_view text(uint32_t bytes) {
    const std::string_view found(reinterpret_cast<const char*>(&words_[0] + at_), bytes);
    at_ += (bytes + 7) / 8;
    return found;
  }

  std::span<const uint64_t> words_;
  size_t at_ = 0;
};

}  // namespace

bool Argument::is_integer() const {
  if (kind == Kind::bigint) return !is_large;
  if (kind != Kind::number || !(std::abs(number) <= kSafe)) return false;
  return std::trunc(number) == number && !(number == 0 && std::signbit(number));
}

const char* Argument::type_name() const {
  switch (kind) {
    case Kind::undefined:
      return "undefined";
    case Kind::null:
      return "null";
    case Kind::boolean:
      return "boolean";
    case Kind::number:
      return "number";
    case Kind::bigint:
      return "bigint";
    case Kind::text:
      return "string";
    case Kind::tensor:
    case Kind::same:
      return "Tensor";
    case Kind::generator:
      return "Generator";
    case Kind::list:
      return "array";
    case Kind::named:
      return "object";
    case Kind::complex:
      return "complex number";
  }
  return "?";
}

Arguments decode(std::span<const uint64_t> words) {
  Decoder decoder(words);
  Arguments arguments;
  while (!decoder.done()) {
    if (decoder.peek() == Kind::named) {
      arguments.named = decoder.pairs();
    } else {
      arguments.positional.push_back(decoder.item());
    }
  }
  return arguments;
}

void Reply::head(Kind kind, uint32_t size) {
  words_.push_back(uint64_t{size} << 32 | static_cast<uint32_t>(kind));
}

void Reply::number(double value) {
  head(Kind::number, 0);
  words_.push_back(std::bit_cast<uint64_t>(value));
}

void Reply::integer(int64_t value) {
  head(Kind::bigint, 0);
  words_.push_back(static_cast<uint64_t>(value));
}

void Reply::large_integer(uint64_t value) {
  head(Kind::bigint, 1);
  words_.push_back(value);
}

void Reply::complex(double real, double imaginary) {
  head(Kind::complex, 0);
  words_.push_back(std::bit_cast<uint64_t>(real));
  words_.push_back(std::bit_cast<uint64_t>(imaginary));
}

void Reply::text(std::string_view value) {
  head(Kind::text, static_cast<uint32_t>(value.size()));
  const size_t at = words_.size();
  words_.resize(at + (value.size() + 7) / 8);
  if (!value.empty()) std::memcpy(words_.data() + at, value.data(), value.size());
}

}  // namespace tamis::web
