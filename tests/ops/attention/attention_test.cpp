// Attention: against plain loops, over masks, shapes and dtypes, and what gradients come out.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "support/layouts.h"
#include "support/pointwise_cases.h"
#include "tamis/attention.h"
#include "tamis/tamis.h"

namespace tamis {
namespace {

using namespace testing;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Tensor random(const Shape& shape, uint64_t seed, DType dtype = float64) {
  return randn(shape, float64, Generator(seed)).to(dtype);
}

/// Attention of one head in plain loops; what `score` gives is added, -infinity masks out.
Tensor by_hand(const Tensor& q, const Tensor& k, const Tensor& v,
               const std::function<double(int64_t, int64_t)>& added, double scale) {
  const int64_t rows = q.size(0), cols = k.size(0), size = q.size(1), width = v.size(1);
  const auto x = q.to_vector<double>(), y = k.to_vector<double>(), z = v.to_vector<double>();
  std::vector<double> result(static_cast<size_t>(rows * width), 0.0);
  for (int64_t i = 0; i < rows; ++i) {
    std::vector<double> weights(static_cast<size_t>(cols), 0.0);
    double sum = 0;
    for (int64_t j = 0; j < cols; ++j) {
      const double more = added(i, j);
      if (more == -kInfinity) continue;
      double product = 0;
      for (int64_t e = 0; e < size; ++e) product += x[i * size + e] * y[j * size + e];
      sum += weights[j] = std::exp(product * scale + more);
    }
    for (int64_t j = 0; j < cols; ++j) {
      if (weights[j] == 0) continue;
      for (int64_t e = 0; e < width; ++e) {
        result[i * width + e] += weights[j] / sum * z[j * width + e];
      }
    }
  }
  return tensor(result, {rows, width});
}

double kept_if(bool keep) { return keep ? 0 : -kInfinity; }

void expect_close(const Tensor& got, const Tensor& want, double tolerance = 1e-12) {
  ASSERT_EQ(got.shape(), want.shape());
  EXPECT_TRUE(allclose(got.to(float64), want.to(float64), tolerance, tolerance))
      << abs(got.to(float64) - want.to(float64)).max();
}

/// The same by ops that keep all scores, for gradients.
Tensor composed(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& mask) {
  const Tensor scores = matmul(q, k.transpose(-1, -2)) / std::sqrt(static_cast<double>(q.size(-1)));
  return matmul(masked::softmax(scores, mask, -1), v);
}

Tensor query() { return tensor({{1.0, -2.0, 0.5}, {0.0, 1.0, 2.0}}, float64); }
Tensor key() {
  return tensor({{0.5, 1.0, -1.0}, {2.0, 0.0, 1.0}, {-1.0, 1.5, 0.0}, {1.0, 1.0, 1.0}}, float64);
}
Tensor value() { return tensor({{1.0, 2.0}, {-1.0, 0.5}, {3.0, 0.0}, {0.0, -2.0}}, float64); }

TEST(Attention, GivesTheNumbersOfPyTorch) {
  const auto attention = [](std::optional<Tensor> mask, bool causal = false,
                            std::optional<double> scale = {}) {
    return scaled_dot_product_attention(query(), key(), value(), mask, 0, causal, scale);
  };
  expect_close(attention({}), tensor({{-0.6708756480205312, 0.23140337858279936},
                                      {0.384273006187271, -0.7306244117110534}},
                                     float64));
  expect_close(attention(tensor({{true, false, true, true}, {false, true, false, false}})),
               tensor({{0.5268533160296205, -0.7460568159684171}, {-1.0, 0.5}}, float64));
  expect_close(attention(tensor({{0.0, 1.0, -1.0, 0.5}}, float64)),
               tensor({{-0.8464161895967941, 0.2989268220632175},
                       {-0.28070241688239606, -0.6812340954424501}},
                      float64));
  expect_close(attention({}, true),
               tensor({{1.0, 2.0}, {-0.6993491061796773, 0.725488170365242}}, float64));
  expect_close(attention({}, true, 0.5),
               tensor({{1.0, 2.0}, {-0.6351489523872873, 0.7736382857095345}}, float64));
}

TEST(Attention, SeesWhatStructuredMasksKeep) {
  const int64_t n = 700, m = 650;
  const Tensor q = random({n, 5}, 1), k = random({m, 5}, 2), v = random({m, 3}, 3);
  const Tensor keys = random({n, 5}, 4), values = random({n, 3}, 5);
  const double scale = 1 / std::sqrt(5.0);
  std::vector<int64_t> ids;
  for (int64_t i = 0; i < n; ++i) ids.push_back(i < 90 ? 3 : i < 500 ? 1 : 2);
  const auto window = [](int64_t i, int64_t j) { return kept_if(j <= i && j > i - 100); };
  const auto same = [&](int64_t i, int64_t j) { return kept_if(ids[i] == ids[j] && j <= i); };
  expect_close(scaled_dot_product_attention(q, k, v, {}, 0, true),
               by_hand(
                   q, k, v, [](int64_t i, int64_t j) { return kept_if(j <= i); }, scale));
  expect_close(scaled_dot_product_attention(q, k, v, masks::causal(n, m, m - n)),
               by_hand(
                   q, k, v, [&](int64_t i, int64_t j) { return kept_if(j <= i + m - n); }, scale));
  expect_close(scaled_dot_product_attention(q, keys, values, masks::sliding_window(n, 100)),
               by_hand(q, keys, values, window, scale));
  expect_close(scaled_dot_product_attention(q, keys, values,
                                            masks::documents(tensor(ids)) & masks::causal(n)),
               by_hand(q, keys, values, same, scale));
  expect_close(scaled_dot_product_attention(q, k, v, masks::from_lengths(tensor({123}), m)),
               by_hand(
                   q, k, v, [](int64_t, int64_t j) { return kept_if(j < 123); }, scale));
}

TEST(Attention, HasOneMaskForAllHeadsOrOneForEach) {
  const int64_t n = 150;
  const Tensor q = random({2, 3, n, 4}, 1), k = random({2, 3, n, 4}, 2), v = random({3, n, 2}, 3);
  const std::vector<int64_t> lengths = {130, 0};
  const Tensor padding = masks::from_lengths(tensor(lengths), n).view({2, 1, 1, n});
  const Tensor bits = rand({3, n, n}, float32, Generator(5)) < 0.3;
  const auto bit = bits.to_vector<bool>();
  const Tensor structured = scaled_dot_product_attention(q, k, v, padding & masks::causal(n));
  const Tensor dense = scaled_dot_product_attention(q, k, v, bits);
  const Tensor bias = random({3, 1, n}, 6);
  const auto number = bias.to_vector<double>();
  const Tensor added = scaled_dot_product_attention(q, k, v, bias);
  for (int64_t b = 0; b < 2; ++b) {
    for (int64_t h = 0; h < 3; ++h) {
      const auto head = [&](const auto& f) { return by_hand(q[b][h], k[b][h], v[h], f, 0.5); };
      expect_close(structured[b][h],
                   head([&](int64_t i, int64_t j) { return kept_if(j <= i && j < lengths[b]); }));
      expect_close(dense[b][h],
                   head([&](int64_t i, int64_t j) { return kept_if(bit[(h * n + i) * n + j]); }));
      expect_close(added[b][h], head([&](int64_t, int64_t j) { return number[h * n + j]; }));
    }
  }
}

TEST(Attention, TakesMasksThatFewHeadsOfManyShare) {
  // Many small heads are computed together, whatever their masks.
  const Tensor q = random({50, 4, 6, 3}, 1), lengths = remainder(arange(50), 7);
  const Tensor mask = masks::from_lengths(lengths, 6).view({50, 1, 1, 6});
  const Tensor want = composed(q, q, q, mask.expand({50, 4, 6, 6}).clone());
  expect_close(scaled_dot_product_attention(q, q, q, mask), want);
  expect_close(scaled_dot_product_attention(q, q, q, mask.clone()), want);
}

TEST(Attention, StoresNeitherScoresNorMasks) {
  // All scores would take 160 GB.
  const int64_t n = 200000;
  const Tensor x = random({n, 4}, 1, float32).requires_grad_();
  const Tensor mask = masks::sliding_window(n, 3) & masks::documents(floor_divide(arange(n), 2));
  const Tensor y = scaled_dot_product_attention(x, x, x, mask);
  EXPECT_TRUE(mask.is_deferred());
  const auto pair = [](int64_t i, int64_t j) { return kept_if(j <= i && i / 2 == j / 2); };
  const Tensor part = x.detach().narrow(0, n - 10, 10);
  expect_close(y.detach().narrow(0, n - 10, 10), by_hand(part, part, part, pair, 0.5), 1e-6);
  y.sum().backward();
  EXPECT_TRUE(isfinite(x.grad()).all().item<bool>());
}

TEST(Attention, TakesLittleMemoryForGradientsToo) {
  // All scores would take 268 MB; a tile of them takes 8.
  const int64_t n = 8192;
  const Tensor x = random({n, 4}, 1, float32).requires_grad_();
  reset_peak_memory();
  const int64_t before = memory_stats().live_bytes;
  scaled_dot_product_attention(x, x, x, {}, 0, true).sum().backward();
  EXPECT_LT(memory_stats().peak_bytes - before, int64_t{64} << 20);
  EXPECT_TRUE(isfinite(x.grad()).all().item<bool>());
}

TEST(Attention, GivesZerosWhereNothingIsKept) {
  const Tensor none = tensor({{true, true, false, false}, {false, false, false, false}});
  for (const Tensor& mask : {none, where(none, 0.0, -kInfinity)}) {
    const Tensor y = scaled_dot_product_attention(query(), key(), value(), mask);
    EXPECT_EQ(y[1].to_vector<double>(), (std::vector<double>{0, 0}));
    EXPECT_NE(y[0][0].item<double>(), 0);
  }
  EXPECT_EQ(scaled_dot_product_attention(query(), key().narrow(0, 0, 0), value().narrow(0, 0, 0))
                .to_vector<double>(),
            (std::vector<double>{0, 0, 0, 0}));
  EXPECT_EQ(
      scaled_dot_product_attention(query().narrow(0, 0, 0), key(), value(), {}, 0, true).shape(),
      (Shape{0, 2}));
  EXPECT_EQ(scaled_dot_product_attention(zeros({0, 2, 3}), ones({0, 4, 3}), ones({4, 2})).shape(),
            (Shape{0, 2, 2}));
  // Without features all scores are equal.
  expect_close(scaled_dot_product_attention(zeros({1, 0}), zeros({2, 0}), tensor({{1.f}, {3.f}})),
               tensor({{2.f}}));
}

TEST(Attention, LetsNothingOutOfWhatIsMasked) {
  const Tensor mask = tensor({{true, false, true, true}, {true, false, true, false}});
  for (double bad : {std::nan(""), kInfinity, -kInfinity}) {
    const auto spoil = [&](const Tensor& x) {
      Tensor y = x.clone();
      y[1].fill_(bad);
      return y;
    };
    for (const Tensor& m : {mask, where(mask, 0.0, -kInfinity)}) {
      Tensor q = query().clone().requires_grad_(), k = spoil(key()).requires_grad_(),
             v = spoil(value()).requires_grad_();
      const Tensor y = scaled_dot_product_attention(q, k, v, m);
      expect_close(y.detach(), scaled_dot_product_attention(query(), key(), value(), m));
      y.sum().backward();
      for (const Tensor& x : {q, k, v}) EXPECT_TRUE(isfinite(x.grad()).all().item<bool>());
      EXPECT_EQ(v.grad()[1].to_vector<double>(), (std::vector<double>{0, 0}));
      EXPECT_EQ(k.grad()[1].to_vector<double>(), (std::vector<double>{0, 0, 0}));
    }
  }
}

TEST(Attention, KeepsWhatIsNotFinite) {
  const Tensor mask = tensor({{true, true, false}, {false, true, true}, {true, false, false}});
  const Tensor q = zeros({3, 1}, float64), k = zeros({3, 1}, float64);
  const Tensor v = tensor({{kInfinity, 1.0}, {2.0, -kInfinity}, {std::nan(""), 4.0}}, float64);
  const auto y = scaled_dot_product_attention(q, k, v, mask).to_vector<double>();
  EXPECT_EQ(y[0], kInfinity);
  EXPECT_EQ(y[1], -kInfinity);
  EXPECT_TRUE(std::isnan(y[2]));
  EXPECT_EQ(y[3], -kInfinity);
  EXPECT_EQ(y[4], kInfinity);
  EXPECT_EQ(y[5], 1);
}

TEST(Attention, ANaNGradientReachesOnlyWhatItsQuerySaw) {
  Tensor q = query().clone().requires_grad_(), k = key().clone().requires_grad_(),
         v = value().clone().requires_grad_();
  const Tensor mask = tensor({{true, true, false, false}, {false, false, true, true}});
  scaled_dot_product_attention(q, k, v, mask)
      .backward(tensor({{std::nan(""), 1.0}, {1.0, 1.0}}, float64));
  for (const Tensor& x : {k, v}) {
    EXPECT_TRUE(isfinite(x.grad().narrow(0, 2, 2)).all().item<bool>());
    EXPECT_TRUE(isnan(x.grad().narrow(0, 0, 2)).any().item<bool>());
  }
  EXPECT_TRUE(isfinite(q.grad()[1]).all().item<bool>());
}

/// Gradients of several tiles, first and second order, against those of the composition.
void compare_gradients(const Tensor& mask, const Shape& batch) {
  const auto matrices = [&](int64_t rows, int64_t cols, uint64_t seed) {
    Shape shape = batch;
    shape.push_back(rows);
    shape.push_back(cols);
    return random(shape, seed).requires_grad_();
  };
  const std::vector<Tensor> x = {matrices(300, 3, 1), matrices(300, 3, 2), matrices(300, 2, 3)};
  const Tensor g = matrices(300, 2, 4);
  const auto derive = [&](const Tensor& y) {
    std::vector<Tensor> first = grad({y}, x, {g}, true, true);
    Tensor total = Tensor(0.0);
    for (const Tensor& t : first) total = total + (t * t).sum();
    const std::vector<Tensor> second = grad({total}, {x[0], x[1], x[2], g});
    first.insert(first.end(), second.begin(), second.end());
    return first;
  };
  const auto got = derive(scaled_dot_product_attention(x[0], x[1], x[2], mask));
  const auto want = derive(composed(x[0], x[1], x[2], mask.clone()));
  for (size_t i = 0; i < got.size(); ++i) {
    SCOPED_TRACE(i);
    expect_close(got[i].detach(), want[i].detach(), 1e-9);
  }
}

TEST(Attention, HasGradientsOfBothOrders) {
  compare_gradients(masks::sliding_window(300, 20), {});
  compare_gradients(masks::causal(300), {2});
  compare_gradients(masks::from_lengths(tensor({200, 300}), 300).view({2, 1, 300}), {2});
  compare_gradients(rand({2, 300, 300}, float32, Generator(3)) < 0.2, {2});
}

TEST(Attention, HasAGradientOfAMaskThatIsAdded) {
  for (const Shape& shape : {Shape{2, 3, 4}, {3, 4}, {1, 4}, {4}, {3, 1}, {2, 1, 4}, {}}) {
    const auto f = [](const std::vector<Tensor>& x) {
      return scaled_dot_product_attention(x[0], x[1], x[2], x[3]);
    };
    const std::vector<Tensor> x = {random({2, 3, 2}, 1).requires_grad_(), random({4, 2}, 2),
                                   random({2, 4, 2}, 3), random(shape, 4).requires_grad_()};
    EXPECT_NO_THROW(gradcheck(f, x));
    EXPECT_NO_THROW(gradgradcheck(f, x));
  }
}

TEST(Attention, DropsWeights) {
  const int64_t n = 400;
  const Tensor q = zeros({n, 1}), v = ones({n, 1});
  manual_seed(3);
  const Tensor y = scaled_dot_product_attention(q, q, v, {}, 0.25);
  // Of 400 weights of 1 / 400 about 300 are left, times 4 / 3.
  EXPECT_NEAR(y.mean().item<double>(), 1, 0.01);
  EXPECT_GT(y.std().item<double>(), 0.01);
  const Tensor kept = y * (0.75 * static_cast<double>(n));
  expect_close(kept, round(kept), 1e-3);
  manual_seed(3);
  EXPECT_TRUE(equal(scaled_dot_product_attention(q, q, v, {}, 0.25), y));
  EXPECT_FALSE(equal(scaled_dot_product_attention(q, q, v, {}, 0.25), y));
  EXPECT_TRUE(equal(scaled_dot_product_attention(q, q, v, {}, 1), zeros({n, 1})));
}

TEST(Attention, DropsTheSameWeightsForGradients) {
  const auto f = [](const std::vector<Tensor>& x) {
    manual_seed(7);
    return scaled_dot_product_attention(x[0], x[1], x[2], masks::causal(3, 4), 0.4);
  };
  const std::vector<Tensor> x = {random({2, 3, 2}, 1).requires_grad_(),
                                 random({2, 4, 2}, 2).requires_grad_(),
                                 random({2, 4, 2}, 3).requires_grad_()};
  EXPECT_NO_THROW(gradcheck(f, x));
  EXPECT_NO_THROW(gradgradcheck(f, x));
}

TEST(Attention, DoesNotChangeWithThreads) {
  const Tensor q = random({2, 600, 16}, 1, float32), k = random({2, 600, 16}, 2, float32);
  const int before = get_num_threads();
  std::vector<Tensor> seen;
  for (int threads : {1, 2, 5}) {
    set_num_threads(threads);
    Tensor x = q.clone().requires_grad_();
    const Tensor y = scaled_dot_product_attention(x, k, k, masks::sliding_window(600, 70));
    y.sum().backward();
    seen.push_back(cat({y.detach(), x.grad()}));
  }
  set_num_threads(before);
  EXPECT_TRUE(equal(seen[0], seen[1]) && equal(seen[0], seen[2]));
}

TEST(Attention, DoesNotChangeWithTheLayout) {
  const Tensor q = random({3, 90, 8}, 1, float32), k = random({3, 120, 8}, 2, float32);
  const Tensor mask = random({90, 120}, 3) > 0;
  const Tensor want = scaled_dot_product_attention(q, k, k, mask);
  for (LayoutKind layout : kLayoutKinds) {
    const auto x = with_layout(layout, q), y = with_layout(layout, k),
               m = with_layout(layout, mask);
    if (!x || !y || !m) continue;
    EXPECT_TRUE(equal(scaled_dot_product_attention(*x, *y, *y, *m).cpu(), want))
        << layout_name(layout);
  }
}

TEST(Attention, TakesSequencesOneAfterTheOther) {
  const Tensor from = tensor({0, 3, 3, 83, 90}), to = tensor({0, 2, 7, 107, 107});
  const Tensor q = random({90, 2, 4}, 1), k = random({107, 2, 4}, 2), v = random({107, 2, 3}, 3);
  const std::vector<int64_t> a = from.to_vector<int64_t>(), b = to.to_vector<int64_t>();
  for (bool causal : {false, true}) {
    const Jagged y = scaled_dot_product_attention({q, from}, {k, to}, {v, to}, causal);
    ASSERT_EQ(y.values.shape(), (Shape{90, 2, 3}));
    EXPECT_TRUE(equal(y.offsets, from));
    for (size_t s = 0; s + 1 < a.size(); ++s) {
      for (int64_t h = 0; h < 2; ++h) {
        const auto rows = [&](const Tensor& x, const std::vector<int64_t>& at) {
          return x.narrow(0, at[s], at[s + 1] - at[s]).select(1, h);
        };
        const auto added = [&](int64_t i, int64_t j) { return kept_if(!causal || j <= i); };
        expect_close(rows(y.values, a), by_hand(rows(q, a), rows(k, b), rows(v, b), added, 0.5));
      }
    }
  }
}

TEST(Attention, RoundsHalvesOnce) {
  for (DType dtype : {float16, bfloat16}) {
    const Tensor q = random({70, 8}, 1, dtype), k = random({90, 8}, 2, dtype);
    const Tensor y = scaled_dot_product_attention(q, k, k, {}, 0, true);
    EXPECT_EQ(y.dtype(), dtype);
    const Tensor wide = scaled_dot_product_attention(q.to(float32), k.to(float32), k.to(float32),
                                                     masks::causal(70, 90));
    EXPECT_TRUE(equal(y, wide.to(dtype)));
  }
}

TEST(Attention, SharesHeadsOfKeys) {
  const Tensor q = random({2, 6, 5, 4}, 1), k = random({2, 3, 7, 4}, 2),
               v = random({2, 2, 7, 3}, 3);
  const Tensor y = scaled_dot_product_attention(q, k, v, {}, 0, false, {}, true);
  const auto nothing = [](int64_t, int64_t) { return 0.0; };
  for (int64_t h = 0; h < 6; ++h) {
    expect_close(y[1][h], by_hand(q[1][h], k[1][h / 2], v[1][h / 3], nothing, 0.5));
  }
}

TEST(Attention, RefusesWhatDoesNotFit) {
  const auto kind_of = [](const std::function<void()>& f) -> std::optional<ErrorKind> {
    try {
      f();
    } catch (const Error& e) {
      return e.kind();
    }
    return {};
  };
  const Tensor q = zeros({2, 3}), k = zeros({4, 3}), v = zeros({4, 2});
  const auto of = [&](Tensor a, Tensor b, Tensor c, std::optional<Tensor> mask = {},
                      bool causal = false, double dropout = 0, bool gqa = false) {
    return kind_of([=] { scaled_dot_product_attention(a, b, c, mask, dropout, causal, {}, gqa); });
  };
  EXPECT_EQ(of(q, k, v), std::nullopt);
  EXPECT_EQ(of(q, k.to(float64), v), ErrorKind::dtype);
  EXPECT_EQ(of(q.to(int64), k.to(int64), v.to(int64)), ErrorKind::dtype);
  EXPECT_EQ(of(q[0], k, v), ErrorKind::shape);
  EXPECT_EQ(of(q, k.narrow(1, 0, 2), v), ErrorKind::shape);
  EXPECT_EQ(of(q, k, v.narrow(0, 0, 2)), ErrorKind::shape);
  EXPECT_EQ(of(zeros({2, 2, 3}), zeros({3, 4, 3}), v), ErrorKind::shape);
  EXPECT_EQ(of(q, k, v, ones({2, 4}, int64)), ErrorKind::dtype);
  EXPECT_EQ(of(q, k, v, ones({3, 4})), ErrorKind::shape);
  EXPECT_EQ(of(q, k, v, ones({5, 2, 4})), ErrorKind::shape);
  EXPECT_EQ(of(q, k, v, ones({2, 4}), true), ErrorKind::value);
  EXPECT_EQ(of(q, k, v, {}, false, 1.5), ErrorKind::value);
  EXPECT_EQ(of(q, k, v, {}, false, 0, true), ErrorKind::shape);
  EXPECT_EQ(of(zeros({3, 2, 3}), zeros({2, 4, 3}), zeros({2, 4, 2}), {}, false, 0, true),
            ErrorKind::shape);
  const auto jagged = [&](Tensor a, Tensor b) {
    return kind_of([=] { scaled_dot_product_attention({q, a}, {k, b}, {v, b}); });
  };
  EXPECT_EQ(jagged(tensor({0, 2}), tensor({0, 4})), std::nullopt);
  EXPECT_EQ(jagged(tensor({0, 1}), tensor({0, 4})), ErrorKind::value);
  EXPECT_EQ(jagged(tensor({0, 1, 2}), tensor({0, 4})), ErrorKind::value);
  EXPECT_EQ(jagged(tensor({0, 2}).to(float32), tensor({0, 4})), ErrorKind::dtype);
}

}  // namespace
}  // namespace tamis
