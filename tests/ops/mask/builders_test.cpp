// Masks: the builders against the definition of each mask, and structured masks against their
// stored form.
#include <functional>

#include "core/interval.h"
#include "core/tensor_impl.h"
#include "support/mask_cases.h"

namespace tamis {
namespace {

using namespace mask_cases;

/// An [n, m] mask from its definition.
Tensor by_rule(int64_t n, int64_t m, const std::function<bool(int64_t, int64_t)>& rule) {
  std::vector<uint8_t> bytes(static_cast<size_t>(n * m) + 1);
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < m; ++j) bytes[i * m + j] = rule(i, j);
  }
  return from_data(bytes.data(), {n, m}, boolean);
}

int64_t trues(const Tensor& mask) {
  int64_t n = 0;
  for (uint8_t b : mask.to_vector<uint8_t>()) n += b;
  return n;
}

/// Builds the mask anew for each use, because reading its values stores them.
void expect_mask(const std::function<Tensor()>& build, const Tensor& want,
                 const std::string& what) {
  EXPECT_EQ(count(build()), trues(want)) << what;
  expect_same(build(), want, what);
}

// ---- lengths ------------------------------------------------------------------------------------

TEST(FromLengths, KeepsTheFirstPositions) {
  expect_same(masks::from_lengths(tensor({1, 3, 2}), 5),
              tensor({{true, false, false, false, false},
                      {true, true, true, false, false},
                      {true, true, false, false, false}}));
  EXPECT_EQ(count(masks::from_lengths(tensor({2, 4, 3}), 5)), 9);
  expect_same(masks::from_lengths(tensor({{1, 3}, {2, 0}})),
              tensor({{{true, false, false}, {true, true, true}},
                      {{true, true, false}, {false, false, false}}}));
}

TEST(FromLengths, TakesAnyIntegersAndAnyShape) {
  for (DType dtype : {uint8, uint16, uint32, uint64, int8, int16, int32, int64}) {
    expect_same(masks::from_lengths(tensor({0, 2}, dtype)), tensor({{false, false}, {true, true}}));
  }
  expect_same(masks::from_lengths(tensor(2), 3), tensor({true, true, false}));
  EXPECT_EQ(masks::from_lengths(empty({0}, int64)).shape(), (Shape{0, 0}));
  EXPECT_EQ(masks::from_lengths(empty({0}, int64), 4).shape(), (Shape{0, 4}));
  EXPECT_EQ(masks::from_lengths(zeros({3}, int64)).shape(), (Shape{3, 0}));
  EXPECT_EQ(masks::from_lengths(zeros({2, 3}, int64), 4).shape(), (Shape{2, 3, 4}));
  expect_same(masks::from_lengths(tensor({1, 9, 2}).slice(0, 0, {}, 2), 2),
              tensor({{true, false}, {true, true}}));
}

TEST(FromLengths, RefusesImpossibleLengths) {
  expect_error(ErrorKind::value, "from_lengths: length 6 is out of range [0, 5]", [] {
    masks::from_lengths(tensor({2, 6}), 5);
  });
  expect_error(ErrorKind::value, "from_lengths: length -1 is out of range [0, 2]", [] {
    masks::from_lengths(tensor({2, -1}));
  });
  expect_error(ErrorKind::value, "from_lengths: max_len must not be negative, but got -3",
               [] { masks::from_lengths(tensor({0}), -3); });
  expect_error(ErrorKind::dtype, "from_lengths: expected integers, but got float32",
               [] { masks::from_lengths(tensor({1.f})); });
  expect_error(ErrorKind::dtype, "from_lengths: expected integers, but got bool",
               [] { masks::from_lengths(tensor({true})); });
}

// ---- indices and ids ----------------------------------------------------------------------------

TEST(FromIndices, MarksPositions) {
  expect_same(masks::from_indices(5, {1, -1}), tensor({false, true, false, false, true}));
  expect_same(masks::from_indices(4, {2, 2}, false), tensor({true, true, false, true}));
  expect_same(masks::from_indices(3, {}), zeros({3}, boolean));
  expect_same(masks::from_indices(3, {}, false), ones({3}, boolean));
  expect_same(masks::from_indices(0, {}), empty({0}, boolean));
  const Tensor x = arange(10).to_float();
  expect_same(where(masks::from_indices(10, {2, 5, 7}, false), x, 0),
              tensor({0.f, 1.f, 0.f, 3.f, 4.f, 0.f, 6.f, 0.f, 8.f, 9.f}));
}

TEST(FromIndices, MarksPositionsOfAShape) {
  const Shape shape{2, 3};
  expect_same(masks::from_indices(shape, std::vector<int64_t>{0, 5, -2}),
              tensor({{true, false, false}, {false, true, true}}));
  expect_same(masks::from_indices(shape, tensor({0, 5})),
              tensor({{true, false, false}, {false, false, true}}));
  expect_same(masks::from_indices(shape, tensor({{0, 1}, {-1, -1}}), false),
              tensor({{true, false, true}, {true, true, false}}));
  expect_same(masks::from_indices(shape, empty({0})), zeros({2, 3}, boolean));
  expect_same(masks::from_indices(shape, empty({0, 2}, int64)), zeros({2, 3}, boolean));
  expect_same(masks::from_indices(Shape{}, std::vector<int64_t>{0}), tensor(true));
}

TEST(FromIndices, UndoesNonzero) {
  for (const Shape& shape : {Shape{}, Shape{70}, Shape{5, 9}, Shape{3, 4, 5}}) {
    const Tensor m = shape.empty() ? tensor(true) : mask_of("random", shape);
    expect_same(masks::from_indices(shape, nonzero(m)), m);
  }
}

TEST(FromIndices, RefusesWhatIsOutside) {
  expect_error(ErrorKind::index,
               "from_indices: index 5 is out of bounds for shape [5], which has 5 elements", [] {
                 masks::from_indices(5, {1, 5});
               });
  expect_error(ErrorKind::index, "from_indices: index -6 is out of bounds for shape [5]",
               [] { masks::from_indices(5, {-6}); });
  expect_error(ErrorKind::index,
               "from_indices: index 3 is out of bounds for dimension 1 with size 3", [] {
                 masks::from_indices(Shape{2, 3}, tensor({{0, 3}}));
               });
  expect_error(ErrorKind::shape,
               "from_indices: expected indices of shape [count] or [count, 2], but got [1, 3]", [] {
                 masks::from_indices(Shape{2, 3}, tensor({{0, 1, 2}}));
               });
  expect_error(ErrorKind::dtype, "from_indices: expected integers, but got float32",
               [] { masks::from_indices(Shape{3}, tensor({1.f})); });
  expect_error(ErrorKind::value, "from_indices: n must not be negative, but got -1",
               [] { masks::from_indices(-1, {}); });
}

TEST(TokenIds, AreKeptOrDropped) {
  const Tensor tokens = tensor({{5, 0, 7}, {7, 1, 0}});
  expect_same(masks::keep_token_ids(tokens, {0, 7}),
              tensor({{false, true, true}, {true, false, true}}));
  expect_same(masks::drop_token_ids(tokens, {0, 7}),
              tensor({{true, false, false}, {false, true, false}}));
  expect_same(masks::keep_token_ids(tokens, {}), zeros({2, 3}, boolean));
  expect_same(masks::drop_token_ids(tokens, {}), ones({2, 3}, boolean));
  const Tensor t = arange(1, 10);
  expect_same(where(masks::drop_token_ids(t, {2, 5, 8}), t, 0),
              tensor({1, 0, 3, 4, 0, 6, 7, 0, 9}));
}

TEST(Between, IncludesBothEndsAndNoNaN) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  expect_same(masks::between(tensor({0.f, 1.f, 2.f, 3.f, nan}), 1, 2),
              tensor({false, true, true, false, false}));
  const Tensor t = tensor({1, 5, 9}), lo = tensor({0, 8}), hi = tensor({2, 9});
  expect_same(masks::between(t.unsqueeze(1), lo, hi),
              tensor({{true, false}, {false, false}, {false, true}}));
}

TEST(Between, ComparesWithNumbersByValue) {
  const Tensor x = tensor({250, 3}, uint8);
  expect_same(masks::between(x, -1, 300), tensor({true, true}));
  expect_same(masks::between(x, 256, 300), tensor({false, false}));
  expect_same(masks::between(x, 2.5, 300.5), tensor({true, true}));
  expect_same(masks::between(x, tensor(-1), tensor(300)), tensor({true, true}));
  expect_same(masks::between(tensor({-128, 127}, int8), -1000, 126.5), tensor({true, false}));
  const int64_t big = (int64_t{1} << 24) + 1;  // float32 has no such number
  expect_same(masks::between(tensor({big - 1, big}), 0, 16777216.5), tensor({true, false}));
  expect_same(masks::between(tensor({0.1f, 0.2f}), 0.1, 0.1), tensor({true, false}));
  expect_same(masks::between(empty({0, 2}, uint8), -1, 300), empty({0, 2}, boolean));
}

// ---- matrices -----------------------------------------------------------------------------------

TEST(Causal, SeesThePastAndItself) {
  expect_same(masks::causal(3),
              tensor({{true, false, false}, {true, true, false}, {true, true, true}}));
  for (int64_t n : {0, 1, 2, 5, 70}) {
    for (int64_t m : {0, 1, 3, 5, 65}) {
      for (int64_t offset : {int64_t{-100}, int64_t{-2}, int64_t{0}, int64_t{1}, m - n,
                             int64_t{200}, INT64_MIN, INT64_MAX}) {
        const auto rule = [&](int64_t i, int64_t j) { return j - i <= offset; };
        expect_mask([&] { return masks::causal(n, m, offset); }, by_rule(n, m, rule),
                    "causal " + to_string({n, m, offset}));
      }
    }
  }
}

TEST(Band, KeepsTheDiagonalsBetween) {
  for (int64_t n : {1, 4, 66}) {
    for (int64_t m : {1, 5, 64}) {
      for (int64_t lower :
           {int64_t{-3}, int64_t{0}, int64_t{1}, int64_t{7}, INT64_MAX, INT64_MIN}) {
        for (int64_t upper :
             {int64_t{-2}, int64_t{0}, int64_t{3}, int64_t{70}, INT64_MAX, INT64_MIN}) {
          const auto rule = [&](int64_t i, int64_t j) {
            return (lower == INT64_MIN ? false : -lower <= j - i) && j - i <= upper;
          };
          expect_mask([&] { return masks::band(n, m, lower, upper); }, by_rule(n, m, rule),
                      "band " + to_string({n, m, lower, upper}));
        }
      }
    }
  }
}

TEST(SlidingWindow, SeesTheLastKeys) {
  expect_same(masks::sliding_window(3, 2),
              tensor({{true, false, false}, {true, true, false}, {false, true, true}}));
  for (int64_t n : {0, 1, 7, 65}) {
    for (int64_t w : {0, 1, 2, 7, 100}) {
      expect_mask([&] { return masks::sliding_window(n, w); },
                  by_rule(n, n, [&](int64_t i, int64_t j) { return i - w < j && j <= i; }),
                  "causal window");
      expect_mask([&] { return masks::sliding_window(n, w, false); },
                  by_rule(n, n, [&](int64_t i, int64_t j) { return i - w < j && j < i + w; }),
                  "window");
    }
  }
}

TEST(Documents, SeeTheirOwn) {
  for (const Tensor& ids : {tensor({0, 0, 1, 1, 1, 5}), tensor({3, 1, 1}), tensor({0, 1, 0}),
                            tensor({4}), empty({0}, int64), tensor({-1, -1, 2}, int8)}) {
    const std::vector<int64_t> id = ids.to_vector<int64_t>();
    expect_mask(
        [&] { return masks::documents(ids); },
        by_rule(ids.numel(), ids.numel(), [&](int64_t i, int64_t j) { return id[i] == id[j]; }),
        "documents");
  }
  expect_error(ErrorKind::dtype, "documents: expected integers, but got float32",
               [] { masks::documents(ones({3})); });
  expect_error(ErrorKind::shape, "documents: expected ids of shape [n], but got [2, 2]", [] {
    masks::documents(ones({2, 2}, int64));
  });
}

TEST(Matrices, RefuseNegativeSizes) {
  expect_error(ErrorKind::value, "causal: n must not be negative, but got -1",
               [] { masks::causal(-1); });
  expect_error(ErrorKind::value, "causal: m must not be negative, but got -2",
               [] { masks::causal(1, -2); });
  expect_error(ErrorKind::value, "band: m must not be negative, but got -2",
               [] { masks::band(1, -2, 0, 0); });
  expect_error(ErrorKind::value, "sliding_window: window must not be negative, but got -1",
               [] { masks::sliding_window(4, -1); });
  expect_error(ErrorKind::shape,
               "shape [8589934592, 8589934592] has more elements than 64 bits can count",
               [] { masks::causal(int64_t{1} << 33); });
}

TEST(Matrices, AreCountedWithoutBeingVisited) {
  const int64_t n = int64_t{1} << 31;
  EXPECT_EQ(count(masks::causal(n)), n / 2 * (n + 1));
  EXPECT_EQ(count(masks::sliding_window(n, 1)), n);
  EXPECT_EQ(count(masks::band(n, 3, n, 3)), 3 * n);
  EXPECT_EQ(masks::causal(n).sum().item<int64_t>(), n / 2 * (n + 1));
  EXPECT_TRUE(masks::causal(n).is_deferred() || eager_mode());
}

// ---- structured masks are ordinary bool tensors -------------------------------------------------

struct Builder {
  const char* what;
  std::function<Tensor()> build;
};

/// Of shape [67, 130], or [67, 67] for the square ones.
std::vector<Builder> builders() {
  return {
      {"lengths", [] { return masks::from_lengths(values_of(int64, {67}) % 131, 130); }},
      {"causal", [] { return masks::causal(67, 130); }},
      {"lower right", [] { return masks::causal(67, 130, 63); }},
      {"band", [] { return masks::band(67, 130, 3, 20); }},
      {"nothing", [] { return masks::band(67, 130, -200, 300); }},
      {"everything", [] { return masks::band(67, 130, 200, 300); }},
      {"window", [] { return masks::sliding_window(67, 9, false); }},
      {"documents", [] { return masks::documents(arange(67).floor_divide(10)); }},
  };
}

TEST(StructuredMasks, EqualTheirStoredFormInEveryOp) {
  for (const Builder& b : builders()) {
    const Tensor m = b.build().clone();
    const Shape shape = m.shape();
    ASSERT_EQ(shape[0], 67);
    const Tensor x = values_of(float32, shape), y = values_of(float32, shape, 3);
    const Tensor other = mask_of("random", shape), source = values_of(float32, shape, 5);
    EXPECT_EQ(count(b.build()), trues(m)) << b.what;
    expect_same(masked_select(x, b.build()), naive_select(x, m), b.what);
    expect_same(masked_select(x.t().contiguous().t(), b.build()), naive_select(x, m), b.what);
    expect_same(masked_select(x.t(), b.build().t()), naive_select(x.t(), m.t()), b.what);
    expect_same(masked_select(b.build(), other), naive_select(m, other), b.what);
    expect_same(nonzero(b.build()), nonzero(m), b.what);
    expect_same(x.masked_fill(b.build(), -1), where(m, -1, x), b.what);
    expect_same(where(b.build(), x, y), where(m, x, y), b.what);
    expect_same(masked_scatter(x, b.build(), source), masked_scatter(x, m, source), b.what);
    expect_same(x[b.build()], naive_select(x, m), b.what);
    expect_same(sum(b.build(), {0}), sum(m, {0}), b.what);
    expect_same(sum(b.build(), {1}), sum(m, {1}), b.what);
    expect_same(any(b.build(), {1}), any(m, {1}), b.what);
    expect_same(all(b.build(), {0}), all(m, {0}), b.what);
    expect_same(any(b.build()), any(m), b.what);
    expect_same(all(b.build()), all(m), b.what);
    expect_same(~b.build(), ~m, b.what);
    expect_same(b.build() & other, m & other, b.what);
    expect_same(other | b.build(), other | m, b.what);
    expect_same(b.build() ^ b.build(), zeros(shape, boolean), b.what);
    expect_same(b.build().to_float() * x, m.to_float() * x, b.what);
    EXPECT_EQ(count(b.build() & other), trues(m & other)) << b.what;
    EXPECT_EQ(count(~b.build()), m.numel() - trues(m)) << b.what;
    expect_same(x.masked_fill(~b.build(), 0).sum(), where(m, x, 0).sum(), b.what);
    Tensor z = x.clone();
    z.masked_fill_(b.build(), 7);
    expect_same(z, where(m, 7, x), b.what);
    z[b.build()] *= 2;
    expect_same(z, where(m, 14, x), b.what);
  }
}

TEST(StructuredMasks, EqualTheirStoredFormThroughViews) {
  for (const Builder& b : builders()) {
    const Tensor m = b.build().clone();
    expect_same(b.build().t(), m.t(), b.what);
    expect_same(b.build().slice(0, 3, 60, 7), m.slice(0, 3, 60, 7), b.what);
    expect_same(b.build().slice(1, 5, {}, 3), m.slice(1, 5, {}, 3), b.what);
    expect_same(b.build().narrow(0, 10, 20).narrow(1, 30, 31),
                m.narrow(0, 10, 20).narrow(1, 30, 31), b.what);
    expect_same(b.build().select(1, 9), m.select(1, 9), b.what);
    expect_same(b.build()[5], m[5], b.what);
    expect_same(b.build().flatten(), m.flatten(), b.what);
    expect_same(b.build().unsqueeze(1).expand({67, 4, m.size(1)}),
                m.unsqueeze(1).expand({67, 4, m.size(1)}), b.what);
    EXPECT_EQ(count(b.build().narrow(0, 10, 20)), trues(m.narrow(0, 10, 20))) << b.what;
    EXPECT_EQ(count(b.build().slice(1, 5, {}, 3)), trues(m.slice(1, 5, {}, 3))) << b.what;
    EXPECT_EQ(count(b.build().unsqueeze(0).expand({5, 67, m.size(1)})), 5 * trues(m)) << b.what;
  }
}

TEST(StructuredMasks, BroadcastOverBatches) {
  const Tensor m = masks::causal(65), scores = values_of(float32, {3, 2, 65, 65});
  const Tensor stored = m.clone();
  expect_same(masked_select(scores, masks::causal(65)), naive_select(scores, stored));
  expect_same(scores.masked_fill(~masks::causal(65), -1), where(stored, scores, -1));
  const Tensor padding = masks::from_lengths(tensor({3, 65, 0})).unsqueeze(1).unsqueeze(1);
  expect_same(scores.masked_fill(~(padding & m), 0), where(padding.clone() & stored, scores, 0));
  const Tensor tokens = values_of(float32, {3, 65, 8});
  const Tensor keep = masks::from_lengths(tensor({3, 65, 0}));
  expect_same(tokens[keep], cat({tokens[0].narrow(0, 0, 3), tokens[1]}));
}

TEST(StructuredMasks, IntersectionsAreStructured) {
  const Tensor lengths = masks::from_lengths(tensor({7, 0, 40}), 40);
  const Tensor band = masks::band(40, 40, 3, 5), causal = masks::causal(40);
  const Tensor padding = lengths.unsqueeze(1);  // [3, 1, 40]
  const std::vector<std::pair<Tensor, Tensor>> pairs = {
      {band, causal},
      {causal, masks::causal(40, 40, -10)},
      {padding, causal},
      {causal, padding},
      {padding.expand({3, 40, 40}), band},
      {causal.narrow(0, 8, 3), lengths},
      {masks::band(40, 40, 0, 3), masks::band(40, 40, -5, 9)},  // nothing in common
  };
  for (const auto& [a, b] : pairs) {
    const Tensor both = a & b;
    const Tensor want = (a.clone().settle() & b.clone().settle()).settle();
    const Ref<const Recipe> recipe = storage_of(both)->recipe();
    ASSERT_TRUE(as_intervals(recipe.get()));
    EXPECT_EQ(count(both), count(want));
    expect_same(both, want);
    expect_same(logical_and(a, b), want);
  }
  // Seen otherwise than by whole rows, they are bits.
  expect_same(causal.t() & band, causal.t().clone().settle() & band.clone().settle());
  const Tensor part = causal.narrow(1, 3, 20) & band.narrow(1, 5, 20);
  expect_same(part,
              causal.clone().narrow(1, 3, 20).clone() & band.clone().narrow(1, 5, 20).clone());
}

TEST(StructuredMasks, CanBeWritten) {
  Tensor m = masks::causal(4);
  const Tensor inverse = ~m;
  m.fill_(false);
  expect_same(m, zeros({4, 4}, boolean));
  expect_same(inverse, by_rule(4, 4, [](int64_t i, int64_t j) { return j > i; }));
  const Tensor band = masks::band(3, 3, 0, 0);
  band[0] |= tensor({false, true, true});
  expect_same(band, tensor({{true, true, true}, {false, true, false}, {false, false, true}}));
}

TEST(StructuredMasks, CoverLongRowsAndManyRows) {
  for (const Shape& shape : {Shape{3, 50001}, Shape{50001, 3}, Shape{4097, 64}, Shape{5, 4096}}) {
    const auto build = [&] { return masks::band(shape[0], shape[1], 5, 40000); };
    const Tensor want = by_rule(shape[0], shape[1],
                                [](int64_t i, int64_t j) { return -5 <= j - i && j - i <= 40000; });
    const Tensor x = values_of(int16, shape);
    EXPECT_EQ(count(build()), trues(want));
    expect_same(masked_select(x, build()), naive_select(x, want));
    expect_same(build(), want);
    EXPECT_EQ(count(build() & (x > 50)), trues(want & (x > 50)));
  }
}

TEST(Intervals, CountEqualsTheSumOfRows) {
  for (int64_t n = 0; n < 7; ++n) {
    for (int64_t m = 0; m < 7; ++m) {
      for (int64_t lower = -8; lower <= 8; ++lower) {
        for (int64_t upper = -8; upper <= 8; ++upper) {
          const Intervals band(n, m, lower, upper);
          int64_t want = 0;
          for (int64_t i = 0; i < n; ++i) {
            const auto [lo, hi] = band.row(i);
            EXPECT_LE(0, lo);
            EXPECT_LE(lo, hi);
            EXPECT_LE(hi, m);
            for (int64_t j = 0; j < m; ++j) {
              const bool on = -lower <= j - i && j - i <= upper;
              EXPECT_EQ(on, lo <= j && j < hi);
              want += on;
            }
          }
          EXPECT_EQ(band.count(), want) << n << " " << m << " " << lower << " " << upper;
        }
      }
    }
  }
}

}  // namespace
}  // namespace tamis
