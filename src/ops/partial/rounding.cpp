// Rounding: numbers that are known exactly, their quotients and roots as floating point numbers.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "ops/partial/exact.h"

namespace tamis::partial {

namespace {

using Limbs = std::vector<uint64_t>;

/// How many bits a mantissa has, and the exponents of the lowest bit and of the largest number.
struct Format {
  int digits, lowest, highest;
};
Format format_of(DType dtype) {
  switch (dtype) {
    case DType::float16:
      return {11, -24, 15};
    case DType::bfloat16:
      return {8, -133, 127};
    case DType::float32:
      return {24, -149, 127};
    default:
      return {53, -1074, 1023};
  }
}

int64_t bit_length(const Limbs& limbs) {
  for (size_t i = limbs.size(); i-- > 0;) {
    if (limbs[i] != 0) return 64 * static_cast<int64_t>(i) + std::bit_width(limbs[i]);
  }
  return 0;
}

bool bit_at(const Limbs& limbs, int64_t at) {
  return at >= 0 && at < 64 * static_cast<int64_t>(limbs.size()) &&
         (limbs[static_cast<size_t>(at / 64)] >> (at % 64) & 1) != 0;
}

/// Whether any bit below is set.
bool any_below(const Limbs& limbs, int64_t end) {
  for (size_t i = 0; i < limbs.size() && 64 * static_cast<int64_t>(i) < end; ++i) {
    const int64_t left = end - 64 * static_cast<int64_t>(i);
    if ((left >= 64 ? limbs[i] : limbs[i] << (64 - left)) != 0) return true;
  }
  return false;
}

/// 64 bits from a bit on, which may be beyond either end.
uint64_t bits_from(const Limbs& limbs, int64_t start) {
  const int64_t at = start >> 6, shift = start & 63, size = static_cast<int64_t>(limbs.size());
  const auto limb = [&](int64_t i) {
    return i >= 0 && i < size ? limbs[static_cast<size_t>(i)] : uint64_t{0};
  };
  return shift == 0 ? limb(at) : limb(at) >> shift | limb(at + 1) << (64 - shift);
}

Limbs shifted(const Limbs& limbs, int64_t left) {
  Limbs result;
  result.reserve(static_cast<size_t>(left / 64) + limbs.size() + 2);
  result.resize(static_cast<size_t>(left / 64), 0);
  const int64_t shift = left % 64;
  uint64_t carry = 0;
  for (uint64_t limb : limbs) {
    result.push_back(limb << shift | carry);
    carry = shift == 0 ? 0 : limb >> (64 - shift);
  }
  result.push_back(carry);
  return result;
}

/// Rounds limbs * 2^exponent, with more behind its last bit if `more`; then the limbs have more
/// bits than the format.
double round_to(const Limbs& limbs, int64_t exponent, bool more, bool negative, Format format) {
  const int64_t length = bit_length(limbs);
  if (length == 0) return 0;
  const int64_t last =
      std::max<int64_t>(exponent + length - format.digits, format.lowest) - exponent;
  // Of a number far below the least one nothing is left but that.
  uint64_t kept = last > length ? 0 : bits_from(limbs, last);
  const bool half = bit_at(limbs, last - 1), rest = more || any_below(limbs, last - 1);
  if (half && (rest || (kept & 1) != 0)) ++kept;
  const int64_t scale = last + exponent;
  if (static_cast<int64_t>(std::bit_width(kept)) + scale - 1 > format.highest) {
    return negative ? -std::numeric_limits<double>::infinity()
                    : std::numeric_limits<double>::infinity();
  }
  const double value = std::ldexp(static_cast<double>(kept), static_cast<int>(scale));
  return negative ? -value : value;
}

std::vector<uint32_t> halves_of(const Limbs& limbs) {
  std::vector<uint32_t> halves;
  halves.reserve(2 * limbs.size() + 2);
  for (uint64_t limb : limbs) {
    halves.push_back(static_cast<uint32_t>(limb));
    halves.push_back(static_cast<uint32_t>(limb >> 32));
  }
  while (!halves.empty() && halves.back() == 0) halves.pop_back();
  return halves;
}

/// a's quotient by b, and whether there is a remainder. Long division by digits of 32 bits, as
/// Knuth describes it (algorithm D).
struct Quotient {
  Limbs limbs;
  bool more;
};
Quotient divide(const Limbs& dividend, const Limbs& divisor) {
  const int shift = std::countl_zero(halves_of(divisor).back());
  std::vector<uint32_t> a = halves_of(shifted(dividend, shift));
  const std::vector<uint32_t> b = halves_of(shifted(divisor, shift));
  const size_t n = b.size();
  while (a.size() < n) a.push_back(0);
  a.push_back(0);
  const size_t digits = a.size() - n;
  Limbs quotient(digits / 2 + 1, 0);
  for (size_t at = digits; at-- > 0;) {
    const uint64_t top = static_cast<uint64_t>(a[at + n]) << 32 | a[at + n - 1];
    uint64_t guess = top / b[n - 1], left = top % b[n - 1];
    const uint64_t second = n > 1 ? b[n - 2] : 0, next = n > 1 ? a[at + n - 2] : 0;
    while (guess >> 32 != 0 || guess * second > (left << 32 | next)) {
      --guess;
      left += b[n - 1];
      if (left >> 32 != 0) break;
    }
    int64_t borrow = 0;
    for (size_t i = 0; i < n; ++i) {
      const uint64_t product = guess * b[i];
      const int64_t difference =
          static_cast<int64_t>(a[at + i]) - borrow - static_cast<int64_t>(product & 0xffffffffu);
      a[at + i] = static_cast<uint32_t>(difference);
      borrow = static_cast<int64_t>(product >> 32) - (difference >> 32);
    }
    const int64_t difference = static_cast<int64_t>(a[at + n]) - borrow;
    a[at + n] = static_cast<uint32_t>(difference);
    if (difference < 0) {  // one too many
      --guess;
      uint64_t carry = 0;
      for (size_t i = 0; i < n; ++i) {
        carry += static_cast<uint64_t>(a[at + i]) + b[i];
        a[at + i] = static_cast<uint32_t>(carry);
        carry >>= 32;
      }
      a[at + n] += static_cast<uint32_t>(carry);
    }
    quotient[at / 2] |= guess << (32 * (at % 2));
  }
  return {quotient, std::any_of(a.begin(), a.end(), [](uint32_t v) { return v != 0; })};
}

/// The largest integer whose square is at most v.
uint64_t root_of(Wide v) {
  auto root = static_cast<Wide>(std::sqrt(static_cast<double>(v)));
  if (root == 0) return 0;
  root = (root + v / root) / 2;
  const Wide most = ~uint64_t{0};
  root = std::min(root, most);
  while (root * root > v) --root;
  while (root < most && (root + 1) * (root + 1) <= v) ++root;
  return static_cast<uint64_t>(root);
}

/// a / b with at least `bits` bits.
struct Division {
  Limbs limbs;
  int64_t exponent;
  bool more;
};
Division divide(const Magnitude& a, const Magnitude& b, int64_t bits) {
  const int64_t left = std::max<int64_t>(0, bits + bit_length(b.limbs) - bit_length(a.limbs) + 1);
  Quotient q = divide(shifted(a.limbs, left), b.limbs);
  return {std::move(q.limbs), a.exponent - b.exponent - left, q.more};
}

void add_limbs(Limbs& a, const Limbs& b) {
  a.resize(std::max(a.size(), b.size()) + 1, 0);
  bool carry = false;
  for (size_t i = 0; i < a.size(); ++i) {
    const Wide sum = static_cast<Wide>(a[i]) + (i < b.size() ? b[i] : 0) + carry;
    a[i] = static_cast<uint64_t>(sum);
    carry = sum >> 64 != 0;
  }
}

/// a -= b, which is not larger.
void subtract_limbs(Limbs& a, const Limbs& b) {
  bool borrow = false;
  for (size_t i = 0; i < a.size(); ++i) {
    const Wide less = static_cast<Wide>(i < b.size() ? b[i] : 0) + borrow;
    borrow = a[i] < less;
    a[i] -= static_cast<uint64_t>(less);
  }
}

bool is_less(const Limbs& a, const Limbs& b) {
  for (size_t i = std::max(a.size(), b.size()); i-- > 0;) {
    const uint64_t x = i < a.size() ? a[i] : 0, y = i < b.size() ? b[i] : 0;
    if (x != y) return x < y;
  }
  return false;
}

}  // namespace

bool Magnitude::is_zero() const { return bit_length(limbs) == 0; }

Magnitude operator+(const Magnitude& a, const Magnitude& b) {
  const int64_t exponent = std::min(a.exponent, b.exponent);
  Magnitude sum{shifted(a.limbs, a.exponent - exponent), exponent, a.negative};
  Limbs other = shifted(b.limbs, b.exponent - exponent);
  if (a.negative == b.negative) {
    add_limbs(sum.limbs, other);
  } else {
    if (is_less(sum.limbs, other)) {
      std::swap(sum.limbs, other);
      sum.negative = b.negative;
    }
    subtract_limbs(sum.limbs, other);
  }
  return sum;
}

Magnitude operator*(const Magnitude& a, const Magnitude& b) {
  Limbs product(a.limbs.size() + b.limbs.size(), 0);
  for (size_t i = 0; i < a.limbs.size(); ++i) {
    uint64_t carry = 0;
    for (size_t j = 0; j < b.limbs.size(); ++j) {
      const Wide sum = static_cast<Wide>(a.limbs[i]) * b.limbs[j] + product[i + j] + carry;
      product[i + j] = static_cast<uint64_t>(sum);
      carry = static_cast<uint64_t>(sum >> 64);
    }
    product[i + b.limbs.size()] = carry;
  }
  return {std::move(product), a.exponent + b.exponent, a.negative != b.negative};
}

double rounded(const Magnitude& a, DType dtype) {
  return round_to(a.limbs, a.exponent, false, a.negative, format_of(dtype));
}

double rounded_quotient(const Magnitude& a, const Magnitude& b, DType dtype) {
  if (a.is_zero()) return 0;
  const Division q = divide(a, b, 64);
  return round_to(q.limbs, q.exponent, q.more, a.negative, format_of(dtype));
}

double rounded_root(const Magnitude& a, const Magnitude& b, DType dtype) {
  if (a.is_zero()) return 0;
  const Division q = divide(a, b, 128);
  // The first 127 or 128 bits, so that the exponent is even.
  int64_t start = bit_length(q.limbs) - 128;
  if ((start + q.exponent) % 2 != 0) ++start;
  const Wide top =
      static_cast<Wide>(bits_from(q.limbs, start + 64)) << 64 | bits_from(q.limbs, start);
  const uint64_t root = root_of(top);
  const bool more = q.more || any_below(q.limbs, start) || static_cast<Wide>(root) * root != top;
  return round_to({root}, (start + q.exponent) / 2, more, false, format_of(dtype));
}

}  // namespace tamis::partial
