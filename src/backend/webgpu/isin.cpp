// Sets of numbers for `isin`: a few values are parameters of the kernel, many are a bitmap or a
// sorted list on the device. Elements and values are compared as keys, which are their bits, with
// one zero only.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "backend/isin_values.h"
#include "backend/webgpu/library.h"
#include "backend/webgpu/program.h"

namespace tamis::webgpu {

namespace {

/// Up to how many values it is the fastest to compare with each; in software, where reading takes
/// longer.
constexpr size_t kFew = 8, kFewInSoftware = 16;
/// Bits of a bitmap that are always worth it.
constexpr uint64_t kSmallRange = uint64_t{1} << 16;

class DeviceSet final : public IsinSet {
 public:
  /// Keys of 64 bits, or of 32. Of integers `low` is the key of the smallest and `range` the
  /// difference to the largest.
  DeviceSet(Queue& queue, std::vector<uint64_t> keys, bool is_wide, uint64_t low, uint64_t range)
      : keys_(std::move(keys)), is_wide_(is_wide), low_(low), range_(range) {
    std::sort(keys_.begin(), keys_.end());
    keys_.erase(std::unique(keys_.begin(), keys_.end()), keys_.end());
    if (keys_.size() <= (queue.in_software() ? kFewInSoftware : kFew)) return;
    has_bits_ = range < std::max<uint64_t>(kSmallRange, 32 * keys_.size());
    upload(queue, has_bits_ ? bitmap() : list());
  }
  ~DeviceSet() override {
    if (block_ != nullptr) block_->queue->free(block_);
  }
  DeviceSet(const DeviceSet&) = delete;
  DeviceSet& operator=(const DeviceSet&) = delete;

  Block* block() const { return block_; }

  /// Whether a key, which is an expression, is in the set, whose words begin with number `first` of
  /// the array.
  std::string probe(Shader& shader, const std::string& key, const std::string& array,
                    int64_t first) const {
    if (block_ == nullptr) return compare(shader, key);
    const std::string function =
        fmt::format("in_{}{}_{}", has_bits_ ? "bits" : "list", is_wide_ ? "_of_pairs" : "", array);
    shader.define(function, has_bits_ ? bit_text(function, array) : search_text(function, array));
    const auto number = [&](uint64_t v) {
      return is_wide_ ? shader.param_pair(v) : shader.param(static_cast<uint32_t>(v));
    };
    const std::string begin = shader.param(first);
    if (!has_bits_) {
      return fmt::format("{}({}, {}, {})", function, key, begin,
                         shader.param(static_cast<int64_t>(keys_.size())));
    }
    const std::string low = number(low_), range = number(range_);
    return fmt::format("{}({}, {}, {}, {})", function, key, begin, low, range);
  }

 private:
  std::string compare(Shader& shader, const std::string& key) const {
    std::string text;
    for (const uint64_t value : keys_) {
      if (!text.empty()) text += " | ";  // not ||, which is a branch
      text += is_wide_ ? fmt::format("eq_i64({}, {})", key, shader.param_pair(value))
                       : fmt::format("({} == {})", key, shader.param(static_cast<uint32_t>(value)));
    }
    return text.empty() ? "false" : fmt::format("({})", text);
  }

  /// One bit for every number from the smallest to the largest.
  std::vector<uint32_t> bitmap() const {
    std::vector<uint32_t> words(range_ / 32 + 1);
    for (const uint64_t key : keys_) {
      const uint64_t at = is_wide_ ? key - low_ : static_cast<uint32_t>(key - low_);
      words[at / 32] |= uint32_t{1} << (at % 32);
    }
    return words;
  }
  std::vector<uint32_t> list() const {
    std::vector<uint32_t> words;
    words.reserve(keys_.size() * (is_wide_ ? 2 : 1));
    for (const uint64_t key : keys_) {
      words.push_back(static_cast<uint32_t>(key));
      if (is_wide_) words.push_back(static_cast<uint32_t>(key >> 32));
    }
    return words;
  }
  void upload(Queue& queue, const std::vector<uint32_t>& words) {
    const auto bytes = static_cast<int64_t>(words.size() * 4);
    block_ = queue.allocate(bytes);
    queue.write(block_, 0, words.data(), bytes);
  }

  std::string bit_text(const std::string& name, const std::string& array) const {
    // What is below the smallest number is far above it as an unsigned difference.
    return fmt::format(
        "fn {5}(key: {1}, first: u32, low: {1}, range: {1}) -> bool {{\n"
        "let at = {2};\nif ({3}) {{ return false; }}\n"
        "return (({0}[first + (at{4} >> 5u)] >> (at{4} & 31u)) & 1u) != 0u;\n}}\n",
        array, is_wide_ ? "vec2u" : "u32", is_wide_ ? "sub_i64(key, low)" : "key - low",
        is_wide_ ? "lt_u64(range, at)" : "at > range", is_wide_ ? ".x" : "", name);
  }
  std::string search_text(const std::string& name, const std::string& array) const {
    return fmt::format(
        "fn {5}(key: {1}, first: u32, n: u32) -> bool {{\n"
        "var low = 0u;\nvar end = n;\n"
        "while (low < end) {{\nlet middle = low + (end - low) / 2u;\nlet value = {2};\n"
        "if ({3}) {{ return true; }}\n"
        "if ({4}) {{ low = middle + 1u; }} else {{ end = middle; }}\n}}\nreturn false;\n}}\n",
        array, is_wide_ ? "vec2u" : "u32",
        is_wide_
            ? fmt::format("vec2u({0}[first + 2u * middle], {0}[first + 2u * middle + 1u])", array)
            : fmt::format("{}[first + middle]", array),
        is_wide_ ? "eq_i64(value, key)" : "value == key",
        is_wide_ ? "lt_u64(value, key)" : "value < key", name);
  }

  std::vector<uint64_t> keys_;  // sorted as unsigned numbers
  bool is_wide_;
  uint64_t low_, range_;
  bool has_bits_ = false;  // a bitmap, not a list
  Block* block_ = nullptr;
};

/// The bits of a number as elements of its dtype have them in shaders; zero is +0.
template <class T>
uint64_t key_of(T x) {
  if constexpr (std::is_same_v<T, double>) {
    return std::bit_cast<uint64_t>(x + 0.0);
  } else if constexpr (std::is_same_v<T, float>) {
    return std::bit_cast<uint32_t>(x + 0.0f);
  } else if constexpr (sizeof(T) == 8) {
    return static_cast<uint64_t>(x);
  } else {
    return static_cast<uint32_t>(x);
  }
}

}  // namespace

std::shared_ptr<const IsinSet> make_isin_set(Queue& queue, const void* host, DType dtype, int64_t n,
                                             DType elements) {
  return visit_isin_values(host, dtype, n, elements, [&]<class T>(const std::vector<T>& values) {
    std::vector<uint64_t> keys;
    keys.reserve(values.size());
    for (const T value : values) keys.push_back(key_of(value));
    uint64_t low = 0, range = ~uint64_t{0};
    if constexpr (std::is_integral_v<T>) {
      if (!values.empty()) {
        const auto [least, most] = std::minmax_element(values.begin(), values.end());
        low = key_of(*least);
        range = static_cast<uint64_t>(*most) - static_cast<uint64_t>(*least);
      }
    }
    return std::make_shared<const DeviceSet>(queue, std::move(keys), sizeof(T) == 8, low, range);
  });
}

Block* block_of(const IsinSet& set) { return static_cast<const DeviceSet&>(set).block(); }

std::string probe(Shader& shader, const IsinSet& set, DType dtype, const std::string& value,
                  const std::string& array, int64_t first) {
  std::string key = value;
  if (dtype == DType::boolean) key = convert(value, dtype, DType::uint8);
  if (is_floating_point(dtype)) {
    key = fmt::format("select({}, {}, is_true_{}({}))", zero_of(dtype), value, class_of(dtype),
                      value);
  }
  return static_cast<const DeviceSet&>(set).probe(shader, key, array, first);
}

}  // namespace tamis::webgpu
