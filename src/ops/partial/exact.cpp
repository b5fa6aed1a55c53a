// Exact: adding without rounding.
#include "ops/partial/exact.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace tamis::partial {

namespace {

constexpr uint64_t kOnes = ~uint64_t{0};

/// A finite number as an integer of 53 bits times a power of two.
struct Parts {
  bool negative;
  uint64_t bits;
  int exponent;
};
Parts parts_of(double v) {
  const auto bits = std::bit_cast<uint64_t>(v);
  const auto field = static_cast<int>(bits >> 52 & 0x7ff);
  const uint64_t fraction = bits & ((uint64_t{1} << 52) - 1);
  return {bits >> 63 != 0, field == 0 ? fraction : fraction | uint64_t{1} << 52,
          std::max(field, 1) - 1075};
}

}  // namespace

void Exact::add(double finite) {
  const auto [negative, bits, exponent] = parts_of(finite);
  if (bits != 0) add_bits(negative, bits, exponent);
}

void Exact::add_square(double finite) {
  const auto [negative, bits, exponent] = parts_of(finite);
  if (bits != 0) add_bits(false, static_cast<Wide>(bits) * bits, 2 * exponent);
}

void Exact::cover(int first, int last) {
  if (limbs_.empty()) {
    first_ = first;
    limbs_.assign(static_cast<size_t>(last - first) + 2, 0);
    return;
  }
  if (first < first_) {
    limbs_.insert(limbs_.begin(), static_cast<size_t>(first_ - first), 0);
    first_ = first;
  }
  const auto needed = static_cast<size_t>(last - first_) + 2;
  if (limbs_.size() < needed) limbs_.resize(needed, limbs_.back());
}

void Exact::add_bits(bool negative, Wide bits, int exponent) {
  if (bits == 0) return;
  const int bit = exponent + 64 * kUnit, shift = bit % 64;
  const int first = bit / 64;
  const Wide low = bits << shift;
  const uint64_t words[] = {static_cast<uint64_t>(low), static_cast<uint64_t>(low >> 64),
                            shift == 0 ? 0 : static_cast<uint64_t>(bits >> (128 - shift))};
  const int count = words[2] != 0 ? 3 : words[1] != 0 ? 2 : 1;
  cover(first, first + count - 1);
  uint64_t* limb = limbs_.data() + (first - first_);
  uint64_t* const end = limbs_.data() + limbs_.size();
  bool carry = false;
  for (int i = 0; i < count; ++i, ++limb) {
    unsigned long long sum = 0;
    bool over = false;
    if (negative) {
      over = __builtin_usubll_overflow(*limb, words[i], &sum);
      over |= __builtin_usubll_overflow(sum, carry, &sum);
    } else {
      over = __builtin_uaddll_overflow(*limb, words[i], &sum);
      over |= __builtin_uaddll_overflow(sum, carry, &sum);
    }
    *limb = sum;
    carry = over;
  }
  for (; carry && limb != end; ++limb) {
    carry = negative ? (*limb)-- == 0 : ++*limb == 0;
  }
  const uint64_t top = limbs_.back();
  if (top != 0 && top != kOnes) limbs_.push_back(top >> 63 != 0 ? kOnes : 0);
}

void Exact::add(const Exact& other) {
  if (other.limbs_.empty()) return;
  const auto count = static_cast<int>(other.limbs_.size());
  cover(other.first_, other.first_ + count - 1);
  uint64_t* limb = limbs_.data() + (other.first_ - first_);
  const uint64_t* const end = limbs_.data() + limbs_.size();
  const uint64_t sign = other.limbs_.back();
  bool carry = false;
  for (int i = 0; limb != end; ++i, ++limb) {
    const Wide sum = static_cast<Wide>(*limb) + (i < count ? other.limbs_[i] : sign) + carry;
    *limb = static_cast<uint64_t>(sum);
    carry = sum >> 64 != 0;
  }
  const uint64_t top = limbs_.back();
  if (top != 0 && top != kOnes) limbs_.push_back(top >> 63 != 0 ? kOnes : 0);
}

void Exact::trim() {
  while (limbs_.size() > 1 && limbs_.back() == limbs_[limbs_.size() - 2]) limbs_.pop_back();
  const auto used = std::find_if(limbs_.begin(), limbs_.end(), [](uint64_t v) { return v != 0; });
  first_ += static_cast<int>(used - limbs_.begin());
  limbs_.erase(limbs_.begin(), used);
  if (limbs_.empty()) first_ = 0;
}

Magnitude Exact::magnitude() const {
  Magnitude m{limbs_, 64 * (static_cast<int64_t>(first_) - kUnit), false};
  if (limbs_.empty() || limbs_.back() == 0) return m;
  m.negative = true;
  bool carry = true;
  for (uint64_t& limb : m.limbs) {
    limb = ~limb + carry;
    carry = carry && limb == 0;
  }
  return m;
}

uint64_t Exact::wrapped() const {
  if (limbs_.empty() || first_ > kUnit) return 0;
  const auto at = static_cast<size_t>(kUnit - first_);
  return at < limbs_.size() ? limbs_[at] : limbs_.back();
}

void Exact::write(ByteWriter& out) const {
  Exact number = *this;
  number.trim();
  out.number(number.limbs_.size());
  if (number.limbs_.empty()) return;
  out.number(static_cast<uint64_t>(number.first_));
  out.byte(number.limbs_.back() != 0);
  for (size_t i = 0; i + 1 < number.limbs_.size(); ++i) out.fixed(number.limbs_[i]);
}

Exact Exact::read(ByteReader& in) {
  Exact number;
  const uint64_t count = in.number();
  ByteReader::require(count <= kLimit + 1);
  if (count == 0) return number;
  const uint64_t first = in.number();
  ByteReader::require(first + count <= kLimit + 1);
  number.first_ = static_cast<int>(first);
  const uint64_t sign = in.flag() ? kOnes : 0;
  for (uint64_t i = 0; i + 1 < count; ++i) number.limbs_.push_back(in.fixed());
  number.limbs_.push_back(sign);
  // Only as it is written.
  const size_t n = number.limbs_.size();
  ByteReader::require(number.limbs_[0] != 0 && (n == 1 || number.limbs_[n - 2] != sign));
  return number;
}

}  // namespace tamis::partial
