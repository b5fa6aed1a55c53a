// Reductions of what a mask keeps: the same bits as of the tensor in which the rest was replaced
// beforehand, whatever is skipped; and the same numbers as plain loops.
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

#include "support/layouts.h"
#include "support/mask_cases.h"
#include "tamis/loss.h"
#include "tamis/masked.h"
#include "tamis/reduce.h"
#include "tamis/runtime.h"

namespace tamis {
namespace {

using namespace mask_cases;

const double kNaN = std::numeric_limits<double>::quiet_NaN();
const double kInf = std::numeric_limits<double>::infinity();

struct Reducer {
  const char* name;
  std::function<Tensor(const Tensor& x, const Dims& dims)> run;
  Scalar (*neutral)(DType dtype);
};

template <bool largest>
Scalar limit_of(DType dtype) {
  if (is_floating_point(dtype)) return largest ? kInf : -kInf;
  if (!is_signed(dtype)) return largest ? UINT64_MAX >> (64 - 8 * itemsize(dtype)) : uint64_t{0};
  const int bits = static_cast<int>(itemsize(dtype)) * 8 - 1;
  const int64_t low = bits == 63 ? INT64_MIN : -(int64_t{1} << bits);
  return largest ? ~low : low;
}

std::vector<Reducer> reducers() {
  using X = const Tensor&;
  using D = const Dims&;
  const auto zero = [](DType) { return Scalar(0); };
  const auto one = [](DType) { return Scalar(1); };
  return {
      {"sum", [](X x, D d) { return sum(x, d); }, zero},
      {"float64 sum", [](X x, D d) { return sum(x, d, false, float64); }, zero},
      {"prod", [](X x, D d) { return prod(x, d.size() == 1 ? std::optional(d[0]) : std::nullopt); },
       one},
      {"amax", [](X x, D d) { return amax(x, d); }, limit_of<false>},
      {"amin", [](X x, D d) { return amin(x, d); }, limit_of<true>},
  };
}

/// Equal to the last bit, but for the bits of NaN.
void expect_same_bits(const Tensor& got, const Tensor& want, const std::string& what) {
  expect_same(got, want, what);
  const std::vector<double> a = got.to_vector<double>(), b = want.to_vector<double>();
  for (size_t i = 0; i < a.size(); ++i) {
    ASSERT_TRUE(a[i] != 0 || std::signbit(a[i]) == std::signbit(b[i])) << what << ": element " << i;
  }
}

/// Masks of [rows, cols]: intervals, bytes, and rows or columns as a whole.
std::vector<std::pair<std::string, Tensor>> masks_over(int64_t rows, int64_t cols) {
  const Tensor lengths =
      (values_of(int64, {rows}) * cols / 250).to(int64);  // up to 40 %, some of them 0
  std::vector<std::pair<std::string, Tensor>> all = {
      {"lengths", masks::from_lengths(lengths, cols)},
      {"the ends of rows", ~masks::from_lengths(cols - lengths, cols)},
      {"a band", masks::band(rows, cols, 2, 70)},
      {"rows", mask_of("random", {rows, 1}).expand({rows, cols})},
      {"columns", mask_of("clustered", {1, cols}).expand({rows, cols})}};
  for (const char* pattern : kPatterns) all.emplace_back(pattern, mask_of(pattern, {rows, cols}));
  return all;
}

/// x with what must not leak where mask is false.
Tensor poisoned(const Tensor& x, const Tensor& mask) {
  if (!is_floating_point(x.dtype())) return where(mask, x, full({}, 77, x.dtype())).settle();
  Tensor y = where(mask, x, full({}, kNaN, x.dtype())).settle();
  y.masked_fill_(~mask & (x > 50), kInf);
  return y;
}

/// Whole numbers of both signs with many zeros of both signs among them.
Tensor numbers(DType dtype, const Shape& shape) {
  const Tensor x = values_of(float64, shape) - (dtype == uint8 ? 0 : 40);
  const Tensor y = where(x.fmod(3) == 0, -0.0, x / (is_floating_point(dtype) ? 16 : 1));
  return y.to(dtype).settle();
}

// Around words, the length from which rows are taken one by one, and blocks.
const std::vector<Shape> kShapes = {{7, 3},    {70, 63},  {3, 64},   {130, 200}, {40, 513},
                                    {5, 4096}, {4, 4097}, {3, 9000}, {1100, 70}};

TEST(MaskedReduction, HasTheBitsOfTheFilledTensor) {
  for (DType dtype :
       {uint8, uint16, uint32, uint64, int16, int64, float16, bfloat16, float32, float64}) {
    for (const Shape& shape : kShapes) {
      const Tensor x = numbers(dtype, shape);
      for (const auto& [name, mask] : masks_over(shape[0], shape[1])) {
        const Tensor dirty = poisoned(x, mask), drop = (~mask).settle();
        for (const Reducer& op : reducers()) {
          const Tensor rest = full({}, op.neutral(dtype), dtype);
          const Tensor filled = where(mask, x, rest).settle();
          for (const Dims& dims : {Dims{}, Dims{0}, Dims{1}}) {
            const Tensor want = op.run(filled, dims);
            const std::string what = std::string(op.name) + " " + name;
            expect_same_bits(op.run(where(mask, dirty, rest), dims), want, what);
            expect_same_bits(op.run(where(~mask, rest, dirty), dims), want, what + ", negated");
            expect_same_bits(op.run(where(drop, rest, dirty), dims), want, what + ", dropped");
            expect_same_bits(op.run(where(mask, dirty, op.neutral(dtype)), dims), want,
                             what + ", a number");
          }
        }
      }
    }
  }
}

TEST(MaskedReduction, OfNumbersHasTheBitsOfZerosInPlaceOfNaN) {
  for (DType dtype : {float16, bfloat16, float32, float64}) {
    for (const Shape& shape : kShapes) {
      const Tensor some = numbers(dtype, shape);
      for (const Tensor& x : {some, (some * -0.0).settle()}) {
        for (const auto& [name, mask] : masks_over(shape[0], shape[1])) {
          const Tensor zero = zeros({}, dtype),
                       holes = where(mask, x, full({}, kNaN, dtype)).settle();
          const Tensor filled = where(mask, x, zero).settle(), odd = (some > 1).settle();
          for (const Dims& dims : {Dims{}, Dims{0}, Dims{1}}) {
            expect_same_bits(nansum(holes, dims), sum(filled, dims), name);
            expect_same_bits(nansum(holes.t(), dims), sum(filled.t(), dims), name);
            expect_same_bits(nansum(where(odd, holes, zero), dims),
                             sum(where(odd, filled, zero).settle(), dims), name);
          }
        }
      }
    }
  }
}

TEST(MaskedReduction, ComputesOnlyWhatIsKeptInAnyLayout) {
  for (const Shape& shape : {Shape{70, 63}, Shape{40, 600}, Shape{3, 9000}}) {
    const Tensor base = numbers(float32, shape);
    for (const auto& [name, mask] : masks_over(shape[0], shape[1])) {
      for (const Case& c : layouts(poisoned(base, mask))) {
        // Computed from the mask too, of which the parts then are needed.
        const auto value = [&, &mask = mask](const Tensor& x) {
          return where(mask, x * x, 2).exp() + x;
        };
        const Tensor rest = full({}, 0, float32);
        const Tensor filled = where(mask, value(base), rest).settle();
        for (const Dims& dims : {Dims{}, Dims{0}, Dims{1}}) {
          const Tensor want = sum(filled, dims);
          expect_same_bits(sum(where(mask, value(c.x), rest), dims), want, c.layout + " " + name);
          expect_same_bits(sum(value(c.x).masked_fill(~mask, 0), dims), want,
                           c.layout + " " + name + ", filled where it is not");
        }
      }
    }
  }
}

// The mask is computed from what it keeps, which is there already when it is known.
TEST(MaskedReduction, LeavesOutWhatItsOwnValuesCondemn) {
  for (DType dtype : {float16, float32, float64}) {
    for (const Shape& shape : kShapes) {
      const Tensor x = poisoned(numbers(dtype, shape), mask_of("random", shape));
      const Tensor good = x.isfinite().settle(), clean = where(good, x, 0).settle();
      const Tensor small = where((x < 1).settle(), clean, 0).settle();
      for (const Dims& dims : {Dims{}, Dims{0}, Dims{1}}) {
        expect_same_bits(sum(x.masked_fill(~x.isfinite(), 0), dims), sum(clean, dims), "finite");
        expect_same_bits(sum(x.masked_fill(x.isnan() | x.isinf(), 0), dims, false, float64),
                         sum(clean, dims, false, float64), "neither NaN nor infinite");
        expect_same_bits(sum(where(x >= 1, 0, clean), dims), sum(small, dims), "small");
      }
    }
  }
}

TEST(MaskedReduction, ThreeDimensions) {
  for (const Shape& shape : {Shape{6, 50, 70}, Shape{3, 130, 700}, Shape{2, 3, 5000}}) {
    const Tensor x = numbers(float32, shape);
    const Tensor lengths = (values_of(int64, {shape[0]}) * shape[1] / 100).to(int64);
    const Tensor mask = masks::from_lengths(lengths, shape[1]).unsqueeze(2).expand(shape);
    const Tensor rest = full({}, 0, float32), filled = where(mask, x, rest).settle();
    for (const Dims& dims : {Dims{1}, Dims{0}, Dims{2}, Dims{0, 1}, Dims{1, 2}, Dims{0, 2}}) {
      const Tensor kept = where(mask, poisoned(x, mask), rest);
      expect_same_bits(sum(kept, dims), sum(filled, dims), "sum");
      expect_same_bits(mean(kept, dims), mean(filled, dims), "mean");
      expect_same_bits(sum(kept.permute({2, 0, 1}), dims), sum(filled.permute({2, 0, 1}), dims),
                       "a view of what is chosen");
    }
  }
}

TEST(MaskedReduction, OfWhatIsNotNeutralIsThatOfAllElements) {
  const Tensor x = numbers(float32, {20, 300}) - 9, ints = numbers(int32, {20, 300});
  const Tensor mask = masks::from_lengths(values_of(int64, {20}), 300);
  for (double rest : {1.0, -0.0, -9.0, kNaN, kInf, -kInf, 0.0}) {
    const Tensor other = full({}, rest, float32), filled = where(mask, x, other).settle();
    for (const Reducer& op : reducers()) {
      for (const Dims& dims : {Dims{}, Dims{0}, Dims{1}}) {
        expect_same_bits(op.run(where(mask, x, other), dims), op.run(filled, dims), op.name);
      }
    }
  }
  // The least of int32 is not the least of the dtype that is reduced.
  const Tensor none = mask_of("none", {20, 300});
  const Tensor least = full({}, INT32_MIN, int32);
  EXPECT_EQ(amax(where(none, ints, least).to(int64)).item<int64_t>(), INT32_MIN);
  EXPECT_EQ(amax(where(none, x, -kInf).to_bool().to(float32)).item<double>(), 1);
  const Tensor negative = full({}, -0.0, float32);
  EXPECT_TRUE(std::signbit(sum(where(none, x, negative), {0}).view({-1})[0].item<double>()));
}

TEST(MaskedReduction, OfComplexNumbers) {
  const Tensor x = complex(numbers(float32, {30, 600}), numbers(float32, {30, 600}) / 32 + 1);
  const Tensor mask = masks::from_lengths(values_of(int64, {30}) * 3, 600);
  for (const Dims& dims : {Dims{}, Dims{0}, Dims{1}}) {
    const Tensor zero = full({}, 0, complex64);
    const Tensor got = sum(where(mask, x, zero), dims);
    const Tensor want = sum(where(mask, x, zero).settle(), dims);
    expect_same_bits(real(got), real(want), "real part");
    expect_same_bits(imag(got), imag(want), "imaginary part");
  }
  // A product with 1 is not nothing for an infinity: it has another part, which becomes NaN.
  const Tensor first = (arange(4) < 1).view({4, 1});
  const Tensor infinite = complex(full({4, 600}, kInf, float32), full({4, 600}, 1, float32));
  for (const Tensor& one : {full({}, 1, complex64), Tensor(1)}) {
    const Tensor got = prod(where(first, infinite, one), 0);
    expect_same_bits(real(got), real(prod(where(first, infinite, one).settle(), 0)), "product");
  }
}

// In double, against loops that visit what is kept.
TEST(MaskedReduction, AgreesWithAPlainLoop) {
  for (const Shape& shape : {Shape{30, 500}, Shape{9, 4096}, Shape{4, 10000}}) {
    const Tensor x = numbers(float32, shape), y = numbers(float32, shape) * 0.5 + 1;
    for (const auto& [name, mask] : masks_over(shape[0], shape[1])) {
      const std::vector<double> a = x.to_vector<double>(), b = y.to_vector<double>();
      const std::vector<uint8_t> keep = mask.to_vector<uint8_t>();
      const Tensor dirty = poisoned(x, mask);
      double squares = 0, errors = 0, count = 0;
      std::vector<double> sums(static_cast<size_t>(shape[0])), most(sums.size(), -kInf);
      for (size_t i = 0; i < a.size(); ++i) {
        if (!keep[i]) continue;
        const size_t row = i / static_cast<size_t>(shape[1]);
        sums[row] += a[i];
        most[row] = std::max(most[row], a[i]);
        squares += a[i] * a[i];
        errors += (a[i] - b[i]) * (a[i] - b[i]);
        ++count;
      }
      const auto near = [&, &name = name](double got, double want) {
        EXPECT_NEAR(got, want, 1e-5 * (1 + std::fabs(want))) << name << " " << shape[1];
      };
      near(masked::norm(dirty, mask).item<double>(), std::sqrt(squares));
      const Tensor rows = masked::sum(dirty, mask, {1}), largest = masked::amax(dirty, mask, {1});
      for (size_t r = 0; r < sums.size(); ++r) {
        near(rows.to_vector<double>()[r], sums[r]);
        EXPECT_EQ(largest.to_vector<double>()[r], most[r]) << name;
      }
      if (count == 0) continue;
      near(mse_loss(dirty, y, mask).item<double>(), errors / count);
    }
  }
}

}  // namespace
}  // namespace tamis
