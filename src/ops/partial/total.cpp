// Total: many elements at a time. A block of floating point numbers is cut at a bit below which all
// its high parts add up without rounding; their sum is one number for the large accumulator, and
// what is left of the elements is cut again, until nothing is.
#include "ops/partial/total.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "backend/reduction.h"
#include "expr/expr.h"

namespace tamis::partial {

namespace {

constexpr int kBlockBits = 11;
constexpr int64_t kBlock = int64_t{1} << kBlockBits;
constexpr int64_t kLanes = 8;
constexpr int kCuts = 4;
constexpr int kCutBits = 52 - kBlockBits - 1;  // that one cut takes off

/// Numbers on their way into the accumulator, filled up with zeros to a multiple of kLanes.
using Block = double[kBlock];

/// Two numbers side by side, and four such pairs: what every processor can add at once.
using Pair = double __attribute__((vector_size(16)));
using Bits = int64_t __attribute__((vector_size(16)));
constexpr int kPairs = kLanes / 2;

Pair load(const double* from) {
  Pair v;
  std::memcpy(&v, from, sizeof(v));
  return v;
}
Pair magnitude(Pair v) {
  const auto bits = std::bit_cast<Bits>(v);
  return std::bit_cast<Pair>(bits & std::numeric_limits<int64_t>::max());
}
double sum_of(const Pair (&v)[kPairs]) {
  double sum = 0;
  for (const Pair& p : v) sum += p[0] + p[1];
  return sum;
}
double largest_in(const Pair (&v)[kPairs]) {
  double largest = 0;
  for (const Pair& p : v) largest = std::max({largest, p[0], p[1]});
  return largest;
}

struct Range {
  double largest;  // magnitude
  bool finite;
};
Range range_of(const double* v, int64_t n) {
  Pair largest[kPairs] = {}, odd[kPairs] = {};
  for (int64_t i = 0; i < n; i += kLanes) {
    for (int j = 0; j < kPairs; ++j) {
      const Pair m = magnitude(load(v + i + 2 * j));
      largest[j] = m > largest[j] ? m : largest[j];
      odd[j] += m - m;  // NaN unless all are finite
    }
  }
  return {largest_in(largest), sum_of(odd) == 0};
}

/// The smallest magnitude that is not zero; infinity of zeros.
double smallest_of(const double* v, int64_t n) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Pair smallest[kPairs];
  for (Pair& p : smallest) p = Pair{kInfinity, kInfinity};
  for (int64_t i = 0; i < n; i += kLanes) {
    for (int j = 0; j < kPairs; ++j) {
      const Pair m = magnitude(load(v + i + 2 * j)), other = m == 0 ? smallest[j] : m;
      smallest[j] = other < smallest[j] ? other : smallest[j];
    }
  }
  double least = kInfinity;
  for (const Pair& p : smallest) least = std::min({least, p[0], p[1]});
  return least;
}

/// One cut: adds the high parts of all numbers, which are below 2^exponent, and leaves the rest,
/// which is below 2^(exponent - kCutBits). Whether anything is left.
bool cut(const double* from, Block& rest, int64_t n, int exponent, Exact& sum) {
  // Adding this rounds to its last bit. 2048 such parts still add up without rounding.
  const double limit = std::ldexp(1.5, exponent + kBlockBits + 1);
  const Pair at = {limit, limit};
  Pair high[kPairs] = {};
  Bits left[kPairs] = {};
  for (int64_t i = 0; i < n; i += kLanes) {
    for (int j = 0; j < kPairs; ++j) {
      const Pair x = load(from + i + 2 * j), part = (x + at) - at, low = x - part;
      high[j] += part;
      left[j] |= std::bit_cast<Bits>(low);
      std::memcpy(rest + i + 2 * j, &low, sizeof(low));
    }
  }
  sum.add(sum_of(high));
  uint64_t any = 0;
  for (const Bits& b : left) any |= static_cast<uint64_t>(b[0] | b[1]);
  return any << 1 != 0;  // both zeros are nothing
}

void add_one_by_one(const double* v, int64_t n, Exact& sum) {
  for (int64_t i = 0; i < n; ++i) {
    if (v[i] != 0) sum.add(v[i]);
  }
}

/// Adds finite numbers, of which `largest` is the largest magnitude. Uses `rest`, which may be
/// where they are.
void add_block(const double* v, Block& rest, int64_t n, double largest, Exact& sum) {
  if (largest == 0) return;
  // Where the numbers are few, or cutting them would overflow.
  if (n <= kLanes || largest > 0x1p1000) return add_one_by_one(v, n, sum);
  int exponent = 0;
  std::frexp(largest, &exponent);
  for (int i = 0; i < kCuts; ++i) {
    if (!cut(i == 0 ? v : rest, rest, n, exponent, sum)) return;
    exponent -= kCutBits;
    // Below this, no number has bits.
    if (exponent < -1074) break;
  }
  add_one_by_one(rest, n, sum);
}

/// The squares of a block as sums of two numbers: the rounded square and what it lacks (Dekker).
void square_block(const Block& v, int64_t n, Block& high, Block& low) {
  for (int64_t i = 0; i < n; ++i) {
    const double c = 134217729.0 * v[i], a = c - (c - v[i]), b = v[i] - a;
    high[i] = v[i] * v[i];
    low[i] = ((a * a - high[i]) + 2 * a * b) + b * b;
  }
}

/// `exact`: squares need no second number, as those of float32.
void add_squares(const Block& v, int64_t n, double largest, bool exact, Exact& squares) {
  if (exact || (largest < 0x1p500 && smallest_of(v, n) > 0x1p-400)) {
    Block high, low;
    if (exact) {
      for (int64_t i = 0; i < n; ++i) high[i] = v[i] * v[i];
    } else {
      square_block(v, n, high, low);
      add_block(low, low, n, range_of(low, n).largest, squares);
    }
    add_block(high, high, n, largest * largest, squares);
  } else {
    for (int64_t i = 0; i < n; ++i) squares.add_square(v[i]);
  }
}

/// Takes elements that are not finite out of a block.
void take_special(Block& v, int64_t n, Total& sum) {
  for (int64_t i = 0; i < n; ++i) {
    if (std::isfinite(v[i])) continue;
    sum.add_special(v[i]);
    v[i] = 0;
  }
}

/// The kept ones of at most kBlock elements as a block; its length.
template <class T>
int64_t fill(const T* x, const uint8_t* keep, int64_t n, Block& v) {
  int64_t filled = 0;
  if (keep == nullptr) {
    for (; filled < n; ++filled) v[filled] = static_cast<double>(x[filled]);
  } else {
    for (int64_t i = 0; i < n; ++i) {
      v[filled] = static_cast<double>(x[i]);
      filled += keep[i] != 0;
    }
  }
  while (filled % kLanes != 0) v[filled++] = 0;
  return filled;
}

template <class T>
void add_floats(const T* x, const uint8_t* keep, int64_t n, Total& sum, Exact* squares) {
  Block v;
  for (int64_t done = 0; done < n; done += kBlock) {
    const int64_t take = std::min(kBlock, n - done);
    if constexpr (std::is_same_v<T, double>) {
      // Whole blocks of doubles are added from where they are.
      if (keep == nullptr && squares == nullptr && take == kBlock) {
        const Range range = range_of(x + done, kBlock);
        if (range.finite) {
          add_block(x + done, v, kBlock, range.largest, sum.sum);
          continue;
        }
      }
    }
    const int64_t filled = fill(x + done, keep == nullptr ? nullptr : keep + done, take, v);
    Range range = range_of(v, filled);
    if (!range.finite) {
      take_special(v, filled, sum);
      range = range_of(v, filled);
    }
    if (squares != nullptr) add_squares(v, filled, range.largest, sizeof(T) < 8, *squares);
    add_block(v, v, filled, range.largest, sum.sum);
  }
}

template <class T>
void add_integers(const T* x, const uint8_t* keep, int64_t n, Total& sum, Exact* squares) {
  // Sums of 2^31 elements of 32 bits fit into 64; those of 64 bits are added as 128.
  using Sum = std::conditional_t<sizeof(T) == 8, __int128, int64_t>;
  for (int64_t start = 0; start < n; start += int64_t{1} << 30) {
    const int64_t end = std::min(n, start + (int64_t{1} << 30));
    Sum total = 0;
    Wide low = 0, high = 0;
    for (int64_t i = start; i < end; ++i) {
      if (keep != nullptr && keep[i] == 0) continue;
      total += x[i];
      if (squares == nullptr) continue;
      const __int128 v = x[i];
      const Wide square = static_cast<Wide>(v < 0 ? -v : v) * static_cast<Wide>(v < 0 ? -v : v);
      low += static_cast<uint64_t>(square);
      high += square >> 64;
    }
    sum.sum.add(static_cast<__int128>(total));
    if (squares != nullptr) {
      squares->add_unsigned(low);
      squares->add_unsigned(high, 64);
    }
  }
}

}  // namespace

void Total::add_special(double v) {
  special |= std::isnan(v) ? nan : v > 0 ? infinity : minus_infinity;
}

double Total::special_sum() const {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (special == 0) return 0;
  if (special == infinity) return kInfinity;
  if (special == minus_infinity) return -kInfinity;
  return std::numeric_limits<double>::quiet_NaN();
}

void Total::write(ByteWriter& out) const {
  out.byte(special);
  sum.write(out);
}

Total Total::read(ByteReader& in) {
  Total total;
  total.special = in.byte();
  ByteReader::require(total.special < 8);
  total.sum = Exact::read(in);
  return total;
}

void add_elements(DType dtype, const void* elements, const uint8_t* keep, int64_t n, Total& sum,
                  Exact* squares) {
  visit_real(dtype, [&]<class T>(T) {
    // A bool may be any byte.
    using E = std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>;
    const auto* x = static_cast<const E*>(elements);
    if constexpr (std::is_same_v<T, bool>) {
      int64_t truths = 0;
      for (int64_t i = 0; i < n; ++i) truths += x[i] != 0 && (keep == nullptr || keep[i] != 0);
      sum.sum.add(static_cast<__int128>(truths));
      if (squares != nullptr) squares->add(static_cast<__int128>(truths));
    } else if constexpr (std::is_integral_v<T>) {
      add_integers(x, keep, n, sum, squares);
    } else {
      add_floats(x, keep, n, sum, squares);
    }
  });
}

void store_number(double value, DType dtype, void* to) {
  visit_real(dtype, [&]<class T>(T) { *static_cast<T*>(to) = static_cast<T>(value); });
}

Tensor sums_of(const std::vector<Total>& totals, DType from, const Shape& shape,
               std::optional<DType> dtype) {
  const DType result = dtype.value_or(result_dtype(Reduction::sum, from)),
              real = real_dtype(result);
  check(is_complex(result) == is_complex(from) &&
            (is_floating_point(real) || !is_floating_point(real_dtype(from))),
        ErrorKind::dtype, "a sum of {} elements cannot be rounded to {}", name(from), name(result));
  const Tensor sums = allocate_on_host(shape, result);
  char* to = static_cast<char*>(sums.mutable_data_ptr());
  for (const Total& total : totals) {
    if (is_floating_point(real)) {
      store_number(total.special != 0 ? total.special_sum() : rounded(total.sum.magnitude(), real),
                   real, to);
    } else {
      visit_real(real, [&]<class T>(T) {
        if constexpr (std::is_same_v<T, bool>) {
          *to = !total.sum.magnitude().is_zero();
        } else {
          *reinterpret_cast<T*>(to) = static_cast<T>(total.sum.wrapped());
        }
      });
    }
    to += itemsize(real);
  }
  return sums;
}

void check_total(const Total& total, DType dtype) {
  const bool is_whole = !is_floating_point(real_dtype(dtype));
  ByteReader::require(!is_whole || (total.special == 0 && total.sum.is_whole()));
}

}  // namespace tamis::partial
