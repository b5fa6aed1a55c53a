// Hazards: writes, and the order in which tensors come and go, never show that expressions are
// deferred.
#include <gtest/gtest.h>

#include <memory>
#include <numeric>

#include "expr/expr.h"
#include "support/guarded_device.h"
#include "support/layouts.h"
#include "support/observe.h"
#include "tamis/masks.h"

namespace tamis {
namespace {

using testing::observe;

/// Runs every test in both modes.
class Hazard : public ::testing::TestWithParam<bool> {
 protected:
  testing::ModeGuard mode_{GetParam()};
  testing::OnTestDevice device_;
};

INSTANTIATE_TEST_SUITE_P(Modes, Hazard, ::testing::Values(false, true),
                         [](const auto& p) { return p.param ? "eager" : "deferred"; });

std::vector<float> floats(const Tensor& x) { return x.to_vector<float>(); }
using Floats = std::vector<float>;
using Ints = std::vector<int64_t>;

// ---- a write after a read -----------------------------------------------------------------------

TEST_P(Hazard, WriteLeavesEarlierResultsAlone) {
  Tensor x = tensor({1.f, 2.f, 3.f});
  const Tensor y = x + 1, z = y * 2;
  x.add_(5);
  EXPECT_EQ(floats(x), (Floats{6, 7, 8}));
  EXPECT_EQ(floats(y), (Floats{2, 3, 4}));
  EXPECT_EQ(floats(z), (Floats{4, 6, 8}));
}

TEST_P(Hazard, EveryWayToWriteLeavesEarlierResultsAlone) {
  const Tensor mask = tensor({true, false, true});
  void (*const writes[])(Tensor&, const Tensor&) = {
      [](Tensor& x, const Tensor&) { x.zero_(); },
      [](Tensor& x, const Tensor&) { x.fill_(9); },
      [](Tensor& x, const Tensor&) {
        x.copy_(tensor({7.f, 8.f, 9.f}));
      },
      [](Tensor& x, const Tensor&) { x.neg_(); },
      [](Tensor& x, const Tensor&) { x.clamp_(2, 2); },
      [](Tensor& x, const Tensor&) { x += x; },
      [](Tensor& x, const Tensor& m) { x.masked_fill_(m, -1); },
      [](Tensor& x, const Tensor& m) {
        x.masked_scatter_(m, tensor({7.f, 8.f}));
      },
      [](Tensor& x, const Tensor& m) { x[m] = 4; },
      [](Tensor& x, const Tensor& m) {
        x[m] = tensor({5.f, 6.f});
      },
      [](Tensor& x, const Tensor& m) { x[m] *= 3; },
      [](Tensor& x, const Tensor& m) { x.slice(0, 0, {}, 2)[m.slice(0, 0, {}, 2)] += 3; },
      [](Tensor& x, const Tensor&) { x.select(0, 0).add_(100); },
      [](Tensor& x, const Tensor& m) {
        masked_select_out(x, tensor({4.f, 5.f, 6.f}), ~m);
      },
      [](Tensor& x, const Tensor&) {
        masked_select_out(x, tensor({4.f, 5.f, 6.f}), Tensor(true));
      },
      [](Tensor& x, const Tensor&) {
        if (!x.is_cpu()) return void(x.select(0, 1).fill_(77));  // has no address
        x.mutable_data<float>()[1] = 77;
      },
  };
  for (size_t i = 0; i < std::size(writes); ++i) {
    SCOPED_TRACE(i);
    Tensor x = tensor({1.f, 2.f, 3.f});
    const Tensor y = x * 10, m = x > 2, view = y.slice(0, 1), wide = y.unsqueeze(0).expand({2, 3});
    writes[i](x, mask);
    EXPECT_NE(floats(x), (Floats{1, 2, 3}));
    EXPECT_EQ(floats(y), (Floats{10, 20, 30}));
    EXPECT_EQ(floats(view), (Floats{20, 30}));
    EXPECT_EQ(floats(wide), (Floats{10, 20, 30, 10, 20, 30}));
    EXPECT_EQ(m.to_vector<bool>(), (std::vector<bool>{false, false, true}));
  }
}

TEST_P(Hazard, KeptMaskDoesNotFollowItsSource) {
  Tensor x = arange(6);
  const Tensor m = x > 2;
  x.mul_(-1);
  EXPECT_EQ(count(m), 3);
  EXPECT_EQ(x.masked_select(m).to_vector<int64_t>(), (Ints{-3, -4, -5}));
}

TEST_P(Hazard, WriteThroughAViewIsAWrite) {
  const Tensor x = zeros({3, 4});
  const Tensor y = x + 1, part = x.narrow(1, 1, 2) + 2;
  Tensor view = x.t().slice(0, 0, {}, 2);
  view.add_(5);
  EXPECT_EQ(floats(y), Floats(12, 1));
  EXPECT_EQ(floats(part), Floats(6, 2));
  EXPECT_EQ(floats(x), (Floats{5, 0, 5, 0, 5, 0, 5, 0, 5, 0, 5, 0}));
}

// ---- writes to what is deferred -----------------------------------------------------------------

TEST_P(Hazard, WriteThroughAViewOfADeferredTensorReachesIt) {
  const Tensor x = tensor({{1.f, 2.f}, {3.f, 4.f}});
  Tensor y = x * 10;
  Tensor row = y[1], column = y.t()[0];
  const Tensor reader = y + 1;
  row.add_(1);
  column.mul_(2);
  EXPECT_EQ(floats(y), (Floats{20, 20, 62, 41}));
  EXPECT_EQ(floats(row), (Floats{62, 41}));
  EXPECT_EQ(floats(reader), (Floats{11, 21, 31, 41}));
  EXPECT_EQ(floats(x), (Floats{1, 2, 3, 4}));
}

TEST_P(Hazard, WriteToADeferredTensorLeavesItsReadersAlone) {
  const Tensor x = tensor({1.f, 2.f, 3.f});
  Tensor y = x + 1;
  const Tensor a = y * 2, b = y + y, c = a - b;
  y.sub_(1);
  EXPECT_EQ(floats(y), (Floats{1, 2, 3}));
  EXPECT_EQ(floats(a), (Floats{4, 6, 8}));
  EXPECT_EQ(floats(b), (Floats{4, 6, 8}));
  EXPECT_EQ(floats(c), (Floats{0, 0, 0}));
}

TEST_P(Hazard, HandlesOfOneDeferredTensorStayOne) {
  Tensor y = tensor({1.f, 2.f}) + 1;
  Tensor same = y, view = y.detach();
  same.add_(1);
  EXPECT_EQ(floats(y), (Floats{3, 4}));
  EXPECT_EQ(floats(view), (Floats{3, 4}));
}

TEST_P(Hazard, StructuredMaskCanBeWrittenWhileViewsOfItExist) {
  Tensor m = masks::causal(3);
  Tensor column = m.t()[0], row = m[2];
  const Tensor wide = m.unsqueeze(0).expand({2, 3, 3}), inverse = ~m;
  EXPECT_EQ(count(m), 6);
  row.fill_(false);
  column.logical_not_();
  EXPECT_EQ(m.to_vector<bool>(), (std::vector<bool>{0, 0, 0, 0, 1, 0, 1, 0, 0}));
  EXPECT_EQ(count(m), 2);
  EXPECT_EQ(count(wide), 4);
  EXPECT_EQ(count(inverse), 3);
  EXPECT_EQ(masks::causal(3).sum().item<int64_t>(), 6);
}

// ---- a value that reads its own target ----------------------------------------------------------

TEST_P(Hazard, MaskOverTheTargetItself) {
  Tensor x = arange(6).to(float32);
  x[x > 3] = 0;
  EXPECT_EQ(floats(x), (Floats{0, 1, 2, 3, 0, 0}));
  x.masked_fill_(x == 0, 9);
  EXPECT_EQ(floats(x), (Floats{9, 1, 2, 3, 9, 9}));
  x[x < 5] *= -1;
  EXPECT_EQ(floats(x), (Floats{9, -1, -2, -3, 9, 9}));
  x.masked_scatter_(x < 0, x + 100);
  EXPECT_EQ(floats(x), (Floats{9, 109, 99, 98, 9, 9}));
}

TEST_P(Hazard, MaskReadingTheTargetInAnotherOrder) {
  const Tensor x = tensor({{1.f, 2.f, 3.f}, {4.f, 5.f, 6.f}, {7.f, 8.f, 9.f}});
  Tensor a = x.clone();
  a.masked_fill_(a.t() > 5, 0);
  EXPECT_EQ(floats(a), (Floats{1, 2, 0, 4, 5, 0, 7, 0, 0}));
  Tensor b = x.clone();
  b.add_(b.t() * 10);
  EXPECT_EQ(floats(b), (Floats{11, 42, 73, 24, 55, 86, 37, 68, 99}));
  Tensor c = x.clone();
  c.narrow(0, 1, 2).copy_(c.narrow(0, 0, 2) + 0);
  EXPECT_EQ(floats(c), (Floats{1, 2, 3, 1, 2, 3, 4, 5, 6}));
  Tensor d = x.clone();
  d.mul_(d[0] + 0);
  EXPECT_EQ(floats(d), (Floats{1, 4, 9, 4, 10, 18, 7, 16, 27}));
}

TEST_P(Hazard, LongWritesReadingTheTargetBackwards) {
  // Several blocks and chunks: what is read later must not have been written before.
  const int64_t n = 400;
  const Tensor x = arange(n * n).view({n, n});
  Tensor y = x.clone();
  y.add_(y.t() + 0);
  EXPECT_EQ(observe(y), observe((x + x.t()).clone()));
  Tensor z = x.clone();
  z[z.t() % 3 == 0] = z.clone().t()[(z.t() % 3 == 0).clone()].get();
  EXPECT_EQ(observe(z),
            observe(masked_scatter(x, x.t() % 3 == 0, x.t().masked_select(x.t() % 3 == 0))));
}

// Public writes hold a handle of what they are given, so it settles first. These expressions are
// given away, and run while their target is written.

TEST_P(Hazard, StoreOfAnExpressionOverItsTarget) {
  const Tensor x = arange(300 * 300).view({300, 300});
  const Tensor same = x.clone(), transposed = x.clone(), row = x.clone(), shifted = x.clone();
  store(same, same * 2 + same);
  EXPECT_TRUE(equal(same, x * 3));
  store(transposed, transposed.t() + transposed);
  EXPECT_TRUE(equal(transposed, x + x.t()));
  store(row, row - row[7]);
  EXPECT_TRUE(equal(row, x - x[7]));
  store(shifted.narrow(0, 1, 299), shifted.narrow(0, 0, 299) + 0);
  EXPECT_TRUE(equal(shifted.narrow(0, 1, 299), x.narrow(0, 0, 299)));
  EXPECT_TRUE(equal(shifted[0], x[0]));
}

TEST_P(Hazard, MaskedStoreOfExpressionsOverTheirTarget) {
  const Tensor x = arange(300 * 300).view({300, 300});
  const Tensor same = x.clone(), mask = x.clone(), value = x.clone();
  store_where(same, same > 30000, same + 1);
  EXPECT_TRUE(equal(same, where(x > 30000, x + 1, x)));
  store_where(mask, mask.t() > 30000, Tensor(-1));
  EXPECT_TRUE(equal(mask, where(x.t() > 30000, -1, x)));
  store_where(value, value > 30000, value.t() + 0);
  EXPECT_TRUE(equal(value, where(x > 30000, x.t(), x)));
}

TEST_P(Hazard, ExpansionByAMaskOverItsTarget) {
  const Tensor x = arange(300 * 300).view({300, 300}), source = arange(300 * 300) * -1;
  const Tensor same = x.clone(), transposed = x.clone();
  expand_into(same, same > 30000, source.settle());
  EXPECT_TRUE(equal(same, masked_scatter(x, x > 30000, source)));
  expand_into(transposed, transposed.t() > 30000, source);
  EXPECT_TRUE(equal(transposed, masked_scatter(x, x.t() > 30000, source)));
}

TEST_P(Hazard, OneExpressionAsMaskAndValue) {
  Tensor x = arange(5).to(float32);
  const Tensor y = x * 2;
  x[y > 3] = y.masked_select(y > 3);
  EXPECT_EQ(floats(x), (Floats{0, 1, 4, 6, 8}));
  EXPECT_EQ(floats(y), (Floats{0, 2, 4, 6, 8}));
  Tensor m = tensor({true, false, true});
  m.masked_fill_(m, false);
  EXPECT_EQ(count(m), 0);
}

// ---- out= ---------------------------------------------------------------------------------------

TEST_P(Hazard, OutThatIsResizedKeepsItsReaders) {
  Tensor out = tensor({1.f, 2.f, 3.f});
  const Tensor reader = out + 1, view = out.slice(0, 1), same = out;
  masked_select_out(out, tensor({7.f, 8.f, 9.f, 10.f}), tensor({true, true, true, true}));
  EXPECT_EQ(floats(out), (Floats{7, 8, 9, 10}));
  EXPECT_EQ(floats(same), (Floats{7, 8, 9, 10}));  // one handle, one tensor
  EXPECT_EQ(floats(reader), (Floats{2, 3, 4}));
  EXPECT_EQ(floats(view), (Floats{2, 3}));
}

TEST_P(Hazard, OutMayBeReadByTheExpressionThatIsSelected) {
  Tensor out = tensor({1.f, 2.f, 3.f});
  masked_select_out(out, out * 2, tensor({true, true, true}));
  EXPECT_EQ(floats(out), (Floats{2, 4, 6}));
  masked_select_out(out, out + 1, out > 2);
  EXPECT_EQ(floats(out), (Floats{5, 7}));
}

// ---- many and long ------------------------------------------------------------------------------

TEST_P(Hazard, ChainLongerThanAnyExpression) {
  Tensor x = tensor({1.0, 2.0, 3.0}, float64);
  Tensor y = x;
  for (int i = 0; i < 200; ++i) y = y + (i % 3 - 1);
  double shift = 0;
  for (int i = 0; i < 200; ++i) shift += i % 3 - 1;
  x.zero_();
  EXPECT_EQ(y.to_vector<double>(), (std::vector<double>{1 + shift, 2 + shift, 3 + shift}));
}

TEST_P(Hazard, DoublingExpressionStaysSmall) {
  Tensor y = tensor({1.f});
  for (int i = 0; i < 60; ++i) y = y + y;
  EXPECT_EQ(y.item<float>(), 0x1p60f);
}

TEST_P(Hazard, MoreReadersThanAStorageRemembers) {
  Tensor x = tensor({1.f, 2.f});
  std::vector<Tensor> readers;
  for (int i = 0; i < 100; ++i) readers.push_back(x + i);
  x.fill_(-1);
  for (int i = 0; i < 100; ++i) {
    const float shift = static_cast<float>(i);
    EXPECT_EQ(floats(readers[i]), (Floats{1 + shift, 2 + shift}));
  }
}

TEST_P(Hazard, ReadersMayComeAndGo) {
  Tensor x = tensor({1.f, 2.f});
  Tensor last;
  for (int i = 0; i < 1000; ++i) last = x + i;
  x.add_(1);
  EXPECT_EQ(floats(last), (Floats{1000, 1001}));
}

// ---- lifetimes ----------------------------------------------------------------------------------

TEST_P(Hazard, TensorsMayDieInAnyOrder) {
  for (int order = 0; order < 24; ++order) {
    auto x = std::make_unique<Tensor>(tensor({1.f, 2.f, 3.f}));
    auto y = std::make_unique<Tensor>(*x + 1);
    auto view = std::make_unique<Tensor>(y->slice(0, 1));
    auto z = std::make_unique<Tensor>(*view * *view);
    std::unique_ptr<Tensor>* all[] = {&x, &y, &view, &z};
    int rest = order;
    for (int left = 4; left > 1; --left) {
      std::unique_ptr<Tensor>*& gone = all[rest % left];
      rest /= left;
      gone->reset();
      std::swap(gone, all[left - 1]);
    }
    const Tensor& left = **all[0];
    EXPECT_EQ(floats(left), all[0] == &x      ? (Floats{1, 2, 3})
                            : all[0] == &y    ? (Floats{2, 3, 4})
                            : all[0] == &view ? (Floats{3, 4})
                                              : (Floats{9, 16}));
  }
}

TEST_P(Hazard, ForeignMemoryIsReleasedOnceAndOnlyAfterItsLastReader) {
  float memory[] = {1, 2, 3};
  int released = 0;
  Tensor sum;
  {
    Tensor y;
    {
      const Tensor x = from_blob(memory, {3}, float32, [&](void* data) {
        EXPECT_EQ(data, static_cast<void*>(memory));
        ++released;
      });
      y = (x + 1).narrow(0, 1, 2);
    }
    EXPECT_EQ(released, GetParam() ? 1 : 0);
    sum = y.sum();
    EXPECT_EQ(sum.item<float>(), 7);
  }
  EXPECT_EQ(released, 1);
  EXPECT_EQ(memory[0], 1);
}

TEST_P(Hazard, SettlingReleasesWhatTheExpressionRead) {
  float memory[] = {1, 2, 3};
  int released = 0;
  const Tensor y = from_blob(memory, {3}, float32, [&](void*) { ++released; }) * 2;
  y.settle();
  EXPECT_EQ(released, 1);
  EXPECT_EQ(floats(y), (Floats{2, 4, 6}));
}

TEST_P(Hazard, ForeignMemoryIsWrittenInPlace) {
  float memory[] = {1, 2, 3, 4, 5, 6};
  Tensor x = from_blob(memory, {3}, float32, {}, Shape{2});
  const Tensor y = x + 1;
  x[x > 2] = 0;
  EXPECT_EQ((Floats{memory, memory + 6}), (Floats{1, 2, 0, 4, 0, 6}));
  EXPECT_EQ(floats(y), (Floats{2, 4, 6}));
}

TEST_P(Hazard, MutablePointerSettlesReaders) {
  const Tensor x = tensor({1.f, 2.f, 3.f}, Device("cpu"));
  const Tensor y = x * x;
  float* data = x.mutable_data<float>();
  EXPECT_FALSE(y.is_deferred());
  data[0] = 100;
  EXPECT_EQ(floats(y), (Floats{1, 4, 9}));
  EXPECT_EQ(floats(x), (Floats{100, 2, 3}));
}

// ---- refusals change nothing --------------------------------------------------------------------

TEST_P(Hazard, RefusedWriteChangesNothing) {
  Tensor x = tensor({1, 2, 3});
  const Tensor y = x + 1;
  EXPECT_THROW(x.add_(0.5), Error);
  EXPECT_THROW(x.add_(tensor({{1, 2, 3}, {4, 5, 6}})), Error);
  EXPECT_THROW(x.masked_scatter_(tensor({true, true, true}), tensor({1, 2})), Error);
  EXPECT_THROW(x.masked_fill_(tensor({true, false, true}), HUGE_VAL), Error);
  EXPECT_THROW(x.slice(0, 1).copy_(x.slice(0, 0, 2)), Error);
  EXPECT_THROW(x[0].expand({3}).add_(1), Error);
  EXPECT_EQ(x.to_vector<int64_t>(), (Ints{1, 2, 3}));
  EXPECT_EQ(y.to_vector<int64_t>(), (Ints{2, 3, 4}));
}

TEST_P(Hazard, SizesThatOverflowAreRefused) {
  const Tensor x = zeros({1}).expand({int64_t{1} << 61});
  EXPECT_THROW((void)(x + 1.0), Error);
  EXPECT_THROW(x.clone(), Error);
  EXPECT_THROW((void)(x.expand({4, int64_t{1} << 61}) > 0), Error);
  EXPECT_THROW((x > 0).settle(), Error);  // 2^61 bytes: no overflow, but no such memory either
}

}  // namespace
}  // namespace tamis
