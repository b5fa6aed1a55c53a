// What takes a path of its own because it is large, transposed, structured or small gives what the
// plain way gives: element by element, or on a copy that lies in a row.
#include <gtest/gtest.h>

#include <complex>
#include <cstdint>
#include <vector>

#include "tamis/tamis.h"

namespace tamis {
namespace {

/// The elements of a matrix's transpose, one by one.
template <class T>
std::vector<T> transposed(const std::vector<T>& x, int64_t rows, int64_t cols) {
  std::vector<T> result;
  for (int64_t c = 0; c < cols; ++c) {
    for (int64_t r = 0; r < rows; ++r) result.push_back(x[r * cols + c]);
  }
  return result;
}

template <class T>
void check_transposed(DType dtype, int64_t rows, int64_t cols) {
  manual_seed(rows * 1000 + cols);
  const Tensor x = randint(0, 100, {rows, cols}).to(dtype).clone();
  const std::vector<T> expected = transposed(x.to_vector<T>(), rows, cols);
  EXPECT_EQ(x.t().clone().to_vector<T>(), expected) << rows << " x " << cols;
  EXPECT_EQ((x.t() + x.t()).to_vector<T>(), x.t().clone().add(x.t().clone()).to_vector<T>());
  // A part of it, so that panels begin inside a cache line and end early.
  if (rows > 20 && cols > 9) {
    const Tensor part = x.narrow(0, 3, rows - 7).narrow(1, 5, cols - 6);
    EXPECT_EQ(part.t().clone().to_vector<T>(),
              transposed(part.clone().to_vector<T>(), rows - 7, cols - 6));
  }
}

TEST(Paths, TransposedTensorsAreReadAsTheyAre) {
  for (const auto& [rows, cols] : {std::pair<int64_t, int64_t>{16, 4},
                                   {17, 5},
                                   {100, 37},
                                   {1000, 70},
                                   {4096, 64},
                                   {5000, 33},
                                   {90000, 6}}) {
    check_transposed<float>(DType::float32, rows, cols);
    check_transposed<double>(DType::float64, rows, cols);
    check_transposed<int16_t>(DType::int16, rows, cols);
    check_transposed<uint8_t>(DType::uint8, rows, cols);
    check_transposed<std::complex<double>>(DType::complex128, rows, cols);
  }
}

TEST(Paths, TransposedSelectionsEqualThoseOfACopy) {
  manual_seed(7);
  const Tensor x = rand({5, 200, 300}), y = rand({200, 300}, DType::float64);
  for (const Tensor& view : {x.permute({0, 2, 1}), x.permute({2, 0, 1}), x.transpose(0, 2)}) {
    const Tensor mask = (rand(view.shape()) < 0.3).clone();
    EXPECT_EQ(masked_select(view, mask).to_vector<float>(),
              masked_select(view.clone(), mask).to_vector<float>());
    EXPECT_EQ(masked_select(view, view > 0.5).to_vector<float>(),
              masked_select(view.clone(), view.clone() > 0.5).to_vector<float>());
  }
  const Tensor mask = (y < 0.5).clone();
  EXPECT_EQ(nonzero(mask.t()).to_vector<int64_t>(), nonzero(mask.t().clone()).to_vector<int64_t>());
  EXPECT_EQ(masked_select(y.t(), mask.t()).to_vector<double>(),
            masked_select(y.t().clone(), mask.t().clone()).to_vector<double>());
}

TEST(Paths, RowsOfPartsAreReadAndWrittenWhereTheyAre) {
  manual_seed(8);
  for (const auto& [rows, cols] :
       {std::pair<int64_t, int64_t>{7, 1500}, {3, 5000}, {200, 513}, {130, 600}, {2000, 9}}) {
    const Tensor x = rand({rows, cols}), y = rand({rows, cols});
    const std::vector<float> a = x.to_vector<float>(), b = y.to_vector<float>();
    std::vector<float> steps, sums, rolled, scaled;
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t c = 0; c < cols; ++c) {
        const int64_t at = r * cols + c;
        if (c > 0) steps.push_back(a[at] - a[at - 1]);
        sums.push_back(a[at] + b[c]);
        rolled.push_back(a[r * cols + (c + cols - 4) % cols]);
        scaled.push_back(c < 2 ? b[at] : b[at] * 2 + a[at - 2]);
      }
    }
    EXPECT_EQ(x.diff().to_vector<float>(), steps);
    EXPECT_EQ((x + y[0]).to_vector<float>(), sums);
    EXPECT_EQ(roll(x, {4}, {1}).to_vector<float>(), rolled);
    EXPECT_EQ(cat({x.narrow(1, cols - 4, 4), x.narrow(1, 0, cols - 4)}, 1).to_vector<float>(),
              rolled);
    // Into a part of a tensor that is read there.
    Tensor z = y.clone(), part = z.narrow(1, 2, cols - 2);
    part.copy_(part * 2 + x.narrow(1, 0, cols - 2));
    EXPECT_EQ(z.to_vector<float>(), scaled);
    // The same memory, shifted by a row.
    Tensor w = x.clone();
    w.narrow(0, 1, rows - 1).copy_(w.narrow(0, 0, rows - 1) + 0);
    EXPECT_TRUE(equal(w.narrow(0, 1, rows - 1), x.narrow(0, 0, rows - 1)));
  }
}

TEST(Paths, FlippedRowsOfAnyLength) {
  for (int64_t cols : {1, 2, 3, 15, 16, 17, 33, 1000}) {
    const Tensor x = rand({40, cols}).mul(200).to(DType::uint8).clone();
    for (DType dtype : {DType::uint8, DType::int16, DType::float32, DType::float64}) {
      const Tensor flipped = flip(x.to(dtype).clone(), {1});
      for (int64_t c = 0; c < cols; ++c) {
        ASSERT_TRUE(equal(flipped.select(1, c), x.to(dtype).select(1, cols - 1 - c))) << cols;
      }
    }
  }
}

TEST(Paths, ComparisonsWithARangeEqualThoseWithItsCopy) {
  const Tensor counts = arange(100), plain = counts.clone();
  const Tensor limits =
      tensor({-9223372036854775807 - 1, -5, 0, 1, 42, 99, 100, 101, 9223372036854775807});
  const Tensor many = limits.repeat({10}).unsqueeze(1);
  const auto check = [&](const Tensor& a, const Tensor& b, const Tensor& c, const Tensor& d) {
    EXPECT_TRUE(equal(lt(a, b), lt(c, d)));
    EXPECT_TRUE(equal(le(a, b), le(c, d)));
    EXPECT_TRUE(equal(gt(a, b), gt(c, d)));
    EXPECT_TRUE(equal(ge(a, b), ge(c, d)));
  };
  check(counts, many, plain, many);
  check(many, counts, many, plain);
  check(counts.narrow(0, 30, 60), many, plain.narrow(0, 30, 60), many);
  check(counts.unsqueeze(0), many.to(DType::int32), plain, many.to(DType::int32));
  check(counts, counts.unsqueeze(1), plain, plain.unsqueeze(1));
  check(counts.unsqueeze(1), counts, plain.unsqueeze(1), plain);
  check(arange(5000), Tensor(17), arange(5000).clone(), Tensor(17));
  check(counts, many.view({2, 45, 1}), plain, many.view({2, 45, 1}));
}

TEST(Paths, ARangeThatWasWrittenCountsNoMore) {
  Tensor counts = arange(5000);
  counts.narrow(0, 10, 1).fill_(-3);
  const std::vector<bool> below = (counts < Tensor(5)).to_vector<bool>();
  EXPECT_TRUE(below[10]);
  Tensor again = arange(5000);
  again.mutable_data<int64_t>()[4000] = 1;
  EXPECT_TRUE((again < Tensor(5)).to_vector<bool>()[4000]);
}

TEST(Paths, AValueThatUsesTheMaskIsRightWhenTheMaskIsKept) {
  manual_seed(3);
  const Tensor x = rand({20000}), y = rand({20000});
  const std::vector<float> a = x.to_vector<float>(), b = y.to_vector<float>();
  std::vector<float> expected, taken;
  for (size_t i = 0; i < a.size(); ++i) {
    if (!(a[i] > 0.25f && b[i] < 0.75f)) continue;
    expected.push_back(a[i] > 0.25f ? b[i] * 2 : a[i]);
    taken.push_back(a[i]);
  }
  const Tensor left = x > 0.25, mask = left & (y < 0.75);
  EXPECT_EQ(masked_select(where(left, y * 2, x), mask).to_vector<float>(), expected);
  EXPECT_EQ(masked_select(x, (x > 0.25) & (y < 0.75)).to_vector<float>(), taken);
}

/// What a plain loop keeps of x.
template <class T, class Keep>
std::vector<T> kept(const Tensor& x, Keep keep) {
  std::vector<T> result;
  for (T v : x.to_vector<T>()) {
    if (keep(v)) result.push_back(v);
  }
  return result;
}

// Such selections are written while they are counted, into a buffer for as many elements as samples
// let expect.
TEST(Paths, LargeSelectionsByTheirOwnElements) {
  manual_seed(11);
  const int64_t n = (1 << 21) + 77;
  const Tensor x = rand({n}), wide = randint(-1000, 1000, {n}), bytes = wide.to(DType::int8);
  for (const double share : {0.0, 0.0001, 0.01, 0.5, 0.97, 1.0}) {
    const auto below = [&](float v) { return v < static_cast<float>(share); };
    EXPECT_EQ(x[x < share].to_vector<float>(), kept<float>(x, below)) << share;
  }
  EXPECT_EQ(wide[(wide > -7) & (wide != 3)].to_vector<int64_t>(),
            kept<int64_t>(wide, [](int64_t v) { return v > -7 && v != 3; }));
  EXPECT_EQ(bytes[bytes > 5].to_vector<int8_t>(),
            kept<int8_t>(bytes, [](int8_t v) { return v > 5; }));
  const Tensor twice = masked_select(x * 2, x < 0.25), back = x.narrow(0, 0, n - 77).view({64, -1});
  EXPECT_TRUE(equal(twice, x[x < 0.25] * 2));
  EXPECT_EQ(masked_select(back.t(), back.t() < 0.25).to_vector<float>(),
            kept<float>(back.t().clone(), [](float v) { return v < 0.25f; }));
}

TEST(Paths, SelectionsThatSamplesMisjudge) {
  const int64_t n = (1 << 21) + 5;
  Tensor x = zeros({n}, DType::float64);
  x.narrow(0, 1000, n / 200).copy_(arange(1, n / 200 + 1));  // nowhere else
  EXPECT_EQ(x[x > 0].to_vector<double>(), kept<double>(x, [](double v) { return v > 0; }));
  EXPECT_EQ(x[x == 0].to_vector<double>(), kept<double>(x, [](double v) { return v == 0; }));
  // Ones wherever a sample looks, and hardly any in between.
  Tensor often = zeros({n});
  for (int64_t i = 0; i < 128; ++i) {
    const int64_t start = n / 128 * i / 64 * 64;
    often.narrow(0, start, 256).fill_(1);
  }
  often.narrow(0, n - 3, 3).fill_(2);
  const int64_t before = memory_stats().live_bytes;
  const Tensor ones = often[often > 0];
  EXPECT_EQ(ones.to_vector<float>(), kept<float>(often, [](float v) { return v > 0; }));
  EXPECT_EQ(memory_stats().live_bytes - before, ones.numel() * 4);
}

TEST(Paths, RowMasksEqualWholeMasks) {
  manual_seed(4);
  for (int64_t cols : {1, 3, 10, 64, 100, 5000}) {
    const Tensor x = rand({700, cols}), rows = (rand({700, 1}) < 0.5).clone();
    const Tensor whole = rows.expand({700, cols}).clone();
    EXPECT_EQ(masked_select(x, rows).to_vector<float>(),
              masked_select(x, whole).to_vector<float>());
    EXPECT_TRUE(equal(masked_fill(x, rows, 0), masked_fill(x, whole, 0)));
    const Tensor deep = x.view({7, 100, cols}), outer = rows.view({7, 100, 1});
    EXPECT_EQ(masked_select(deep, outer).to_vector<float>(),
              masked_select(deep, whole.view({7, 100, cols})).to_vector<float>());
    const Tensor first = (rand({7, 1, 1}) < 0.5).clone();
    EXPECT_EQ(masked_select(deep, first).to_vector<float>(),
              masked_select(deep, first.expand(deep.shape()).clone()).to_vector<float>());
  }
}

TEST(Paths, AScatterWithTooFewElementsWritesNothing) {
  Tensor x = zeros({10000});
  const Tensor mask = ones({10000}, DType::boolean);
  EXPECT_THROW(x.masked_scatter_(mask, ones({9999})), Error);
  EXPECT_EQ(x.sum().item().to_double(), 0);
  EXPECT_THROW(masked_scatter(x, mask, ones({9999})), Error);
}

TEST(Paths, AScatterFillsTheRestFromABroadcastBackground) {
  manual_seed(5);
  const Tensor mask = (rand({120, 90}) < 0.5).clone(), source = rand({120 * 90});
  const Tensor row = rand({90});
  const std::vector<bool> kept = mask.to_vector<bool>();
  const std::vector<float> from = source.to_vector<float>(), background = row.to_vector<float>();
  std::vector<float> expected;
  size_t next = 0;
  for (size_t i = 0; i < kept.size(); ++i) {
    expected.push_back(kept[i] ? from[next++] : background[i % 90]);
  }
  EXPECT_EQ(masked_scatter(row, mask, source).to_vector<float>(), expected);
  EXPECT_EQ(masked_scatter(row.expand({120, 90}), mask, source).to_vector<float>(), expected);
}

TEST(Paths, SmallSelectionsEqualLargeOnes) {
  manual_seed(6);
  const Tensor x = rand({4097}), mask = (rand({4097}) < 0.5).clone();
  const std::vector<float> all = masked_select(x, mask).to_vector<float>();
  for (int64_t n : {1, 2, 63, 64, 65, 1000, 4095, 4096}) {
    const std::vector<float> some =
        masked_select(x.narrow(0, 0, n), mask.narrow(0, 0, n)).to_vector<float>();
    ASSERT_LE(some.size(), all.size());
    EXPECT_TRUE(std::equal(some.begin(), some.end(), all.begin())) << n;
    EXPECT_EQ(static_cast<int64_t>(some.size()), count(mask.narrow(0, 0, n)));
  }
}

}  // namespace
}  // namespace tamis
