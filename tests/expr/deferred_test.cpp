// Deferred: what is computed when, what is not computed at all, and what is never read.
#include <gtest/gtest.h>
#ifndef __wasm__
#include <sys/mman.h>
#include <unistd.h>
#endif

#include <algorithm>
#include <cmath>

#include "support/layouts.h"
#include "tamis/masks.h"

namespace tamis {
namespace {

using Floats = std::vector<float>;

class Deferred : public ::testing::Test {
 protected:
  testing::ModeGuard mode_{false};
};

/// Memory that ends at, or goes on into, pages that cannot be touched. WebAssembly protects no
/// pages: there it is plain memory, and only results are compared.
class Fenced {
 public:
#ifdef __wasm__
  Fenced(size_t bytes, size_t forbidden_bytes)
      : open_(bytes), total_(bytes + forbidden_bytes), base_(new char[total_]()) {}
  ~Fenced() { delete[] base_; }
#else
  Fenced(size_t bytes, size_t forbidden_bytes) {
    const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    open_ = (bytes + page - 1) / page * page;
    total_ = open_ + std::max(forbidden_bytes, page);
    base_ = static_cast<char*>(
        mmap(nullptr, total_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    mprotect(base_ + open_, total_ - open_, PROT_NONE);
  }
  ~Fenced() { munmap(base_, total_); }
#endif
  Fenced(const Fenced&) = delete;
  Fenced& operator=(const Fenced&) = delete;

  char* fence() const { return base_ + open_; }

 private:
  size_t open_, total_;
  char* base_;
};

// ---- what is deferred ---------------------------------------------------------------------------

TEST_F(Deferred, PointwiseOperationsAre) {
  const Tensor x = tensor({1.f, -2.f, 3.f}), i = tensor({1, 2, 3}), m = tensor({true, false, true});
  const Tensor all[] = {x + 1,
                        x - x,
                        x * 2,
                        x / x,
                        x.pow(2),
                        -x,
                        x.exp(),
                        x > 0,
                        x == x,
                        m & (x > 0),
                        ~m,
                        i | 1,
                        x.to(int32),
                        where(m, x, 0),
                        x.isnan(),
                        x.masked_fill(m, 0),
                        x.clamp(0),
                        isin(i, tensor({1, 7})),
                        isclose(x, x),
                        tril(tensor({{1, 2}, {3, 4}})),
                        masks::between(x, 0, 1),
                        masks::keep_token_ids(i, {2})};
  for (size_t k = 0; k < std::size(all); ++k) EXPECT_TRUE(all[k].is_deferred()) << k;
  EXPECT_FALSE(x.is_deferred());
  EXPECT_FALSE(x.to(float32).is_deferred());
}

TEST_F(Deferred, SinksAreNot) {
  const Tensor x = tensor({1.f, -2.f, 3.f}), m = x > 0;
  const Tensor all[] = {masked_select(x, m),
                        x[m],
                        x.sum(),
                        x.mean(),
                        x.amax(),
                        nonzero(m),
                        count_nonzero(m),
                        x.clone(),
                        cat({x, x}),
                        masked_scatter(x, m, x),
                        any(m),
                        x.prod()};
  for (size_t k = 0; k < std::size(all); ++k) EXPECT_FALSE(all[k].is_deferred()) << k;
}

TEST_F(Deferred, StructuredMasksHaveNoMemory) {
  const MemoryStats before = memory_stats();
  const Tensor m = masks::causal(4096), window = masks::sliding_window(4096, 10);
  EXPECT_EQ(count(m), 4096 * 4097 / 2);
  EXPECT_EQ(count(window), 10 * 4096 - 45);
  EXPECT_TRUE(m.is_deferred());
  EXPECT_LT(memory_stats().allocated_bytes - before.allocated_bytes, 4096);
}

TEST_F(Deferred, AskingForValuesSettles) {
  const Tensor x = tensor({1.f, 2.f}), y = x + 1;
  EXPECT_EQ(&y.settle(), &y);
  EXPECT_FALSE(y.is_deferred());
  const Tensor z = x + 2;
  EXPECT_EQ(z.data<float>()[1], 4);
  EXPECT_FALSE(z.is_deferred());
  EXPECT_EQ(z.data_ptr(), z.data_ptr());
  const Tensor w = x + 3;
  EXPECT_EQ(w.to_vector<float>(), (Floats{4, 5}));
  EXPECT_FALSE(w.is_deferred());
}

TEST_F(Deferred, ViewsShareTheValuesOnceTheyAreThere) {
  const Tensor x = tensor({{1.f, 2.f}, {3.f, 4.f}});
  const Tensor y = x + 1, view = y.t();
  EXPECT_TRUE(view.is_deferred());
  EXPECT_TRUE(view.shares_storage(y));
  view.settle();
  EXPECT_FALSE(y.is_deferred());
  EXPECT_EQ(y.data_ptr(), view.data_ptr());
}

TEST_F(Deferred, EmptyAndZeroDimensionalTensorsAreToo) {
  const Tensor none = zeros({0, 3}) + 1, number = tensor(2.f) * 3;
  EXPECT_TRUE(none.is_deferred());
  EXPECT_TRUE(number.is_deferred());
  EXPECT_EQ(none.to_vector<float>(), Floats{});
  EXPECT_EQ(none.sum().item<float>(), 0);
  EXPECT_FALSE(none.settle().is_deferred());
  EXPECT_EQ(number.item<float>(), 6);
}

TEST(EagerMode, NeverDefers) {
  const testing::ModeGuard mode(true);
  const Tensor x = tensor({1.f, 2.f});
  EXPECT_FALSE((x + 1).is_deferred());
  EXPECT_FALSE((x > 1).is_deferred());
  EXPECT_FALSE(x.to(int32).is_deferred());
  EXPECT_FALSE(tril(zeros({2, 2})).is_deferred());
  EXPECT_FALSE((~masks::causal(3)).is_deferred());
}

// ---- recomputing or keeping ---------------------------------------------------------------------

TEST_F(Deferred, CheapExpressionIsComputedAgain) {
  const Tensor x = rand({1000}), y = x + 1;
  const float first = y.sum().item<float>();
  EXPECT_EQ(y.sum().item<float>(), first);
  EXPECT_TRUE(y.is_deferred());
}

TEST_F(Deferred, CostlyExpressionIsKeptWhenItIsUsedAgain) {
  const Tensor x = rand({1000}), y = x.exp();
  const float first = y.sum().item<float>();
  EXPECT_TRUE(y.is_deferred());
  EXPECT_EQ(y.sum().item<float>(), first);
  EXPECT_FALSE(y.is_deferred());
}

TEST_F(Deferred, PartsOfExpressionsAreKeptToo) {
  const Tensor x = rand({1000}), y = x.exp();
  (y + 1).sum();
  EXPECT_TRUE(y.is_deferred());
  (y + 2).sum();
  EXPECT_FALSE(y.is_deferred());
}

TEST_F(Deferred, LongExpressionSettlesItsInputs) {
  Tensor y = rand({10});
  std::vector<Tensor> steps;
  for (int i = 0; i < 100; ++i) steps.push_back(y = y + 1);
  EXPECT_TRUE(steps.back().is_deferred());
  int settled = 0;
  for (const Tensor& s : steps) settled += !s.is_deferred();
  EXPECT_GE(settled, 1);
}

// ---- what is not stored -------------------------------------------------------------------------

TEST_F(Deferred, ViewsOfExpressionsAreReadThrough) {
  const Tensor x = rand({200, 300});
  const Tensor y = x * 2 + 1, stored = y.clone();
  Tensor (*const views[])(const Tensor&) = {
      [](const Tensor& t) { return t.t(); },
      [](const Tensor& t) { return t.narrow(1, 100, 50); },
      [](const Tensor& t) { return t[7]; },
      [](const Tensor& t) { return t.select(1, -1); },
      [](const Tensor& t) { return t.unsqueeze(1); },
      [](const Tensor& t) {
        return t[3].expand({200, 300});
      },
      [](const Tensor& t) {
        return t.unsqueeze(0).expand({2, 200, 300});
      },
      [](const Tensor& t) {
        return t.permute({1, 0}).narrow(0, 5, 9).narrow(1, 17, 100);
      },
  };
  for (size_t k = 0; k < std::size(views); ++k) {
    EXPECT_TRUE(equal(views[k](y), views[k](stored))) << k;
    EXPECT_EQ(views[k](y).sum().item<float>(), views[k](stored).sum().item<float>()) << k;
    EXPECT_TRUE(y.is_deferred()) << k;
  }
  EXPECT_TRUE(equal(y.slice(1, 0, {}, 2), stored.slice(1, 0, {}, 2)));
  EXPECT_FALSE(y.is_deferred());  // a step cannot be pushed inward
}

TEST_F(Deferred, FusedSelectionAllocatesItsResultOnly) {
  const Tensor x = rand({1 << 20});
  const MemoryStats before = memory_stats();
  const Tensor selected = x[(x >= 0.25) & (x <= 0.75)];
  const MemoryStats after = memory_stats();
  const int64_t numbers = 2 * 8;  // the two bounds
  EXPECT_EQ(after.allocated_bytes - before.allocated_bytes, selected.numel() * 4 + numbers);
}

// ---- what is not read ---------------------------------------------------------------------------

/// 300000 floats, of which those after the first block cannot be touched, and a mask that keeps
/// every third of that block.
class Untouchable : public Deferred {
 protected:
  static constexpr int64_t kBlock = 4096, kCount = 300000;

  Untouchable() {
    float* data = reinterpret_cast<float*>(memory_.fence()) - kBlock;
    for (int64_t i = 0; i < kBlock; ++i) data[i] = static_cast<float>(i);
    x_ = from_blob(data, {kCount}, float32);
    const Tensor position = arange(kCount);
    head_ = position < kBlock;
    mask_ = head_ & (position % 3 == 0);
  }

  Fenced memory_{kBlock * sizeof(float), kCount * sizeof(float)};
  Tensor x_, head_, mask_;
};

TEST_F(Untouchable, ByAConjunction) {
  EXPECT_EQ(count(mask_ & (x_ > 2)), 1365);
  EXPECT_EQ(nonzero(mask_ & (x_ == 6)).item<int64_t>(), 6);
  EXPECT_TRUE(any(mask_ & (x_ == 6)).item<bool>());
  EXPECT_EQ(count((mask_ & (x_ > 2)) & (x_ < 9)), 2);
  const Tensor stored = (mask_ & (x_ > 2)).settle();
  EXPECT_EQ(count(stored), 1365);
}

TEST_F(Untouchable, ByADisjunction) {
  EXPECT_EQ(count(~head_ | (x_ > 4000)), kCount - 4001);
  EXPECT_TRUE(all(~head_ | (x_ >= 0)).item<bool>());
}

TEST_F(Untouchable, BySelections) {
  EXPECT_EQ(masked_select(x_, mask_).numel(), 1366);
  EXPECT_EQ(x_[mask_].sum().item<float>(), 3 * 1365 * 1366 / 2);
  EXPECT_EQ(masked_select(x_ * 2 + 1, mask_.clone()).amax().item<float>(), 8191);
}

TEST_F(Untouchable, ByTheOtherBranchOfWhere) {
  EXPECT_EQ(where(head_, x_, 0).sum().item<float>(), 4095 * 2048);
  EXPECT_EQ(where(~head_, 0, x_.sqrt()).amax().item<float>(), std::sqrt(4095.f));
  EXPECT_EQ(x_.masked_fill(~head_, -1).amin().item<float>(), -1);
}

TEST_F(Untouchable, ByMaskedWrites) {
  x_.masked_fill_(mask_, 5);
  EXPECT_EQ(x_[3].item<float>(), 5);
  x_[mask_] *= 2;
  EXPECT_EQ(x_[3].item<float>(), 10);
  x_.masked_scatter_(mask_, arange(2000).to(float32));
  EXPECT_EQ(x_[3].item<float>(), 1);
  EXPECT_EQ(x_[4].item<float>(), 4);
}

TEST_F(Deferred, NothingBehindATensorIsTouched) {
  for (DType dtype : {boolean, uint8, int16, float16, int32, float32, int64, float64}) {
    for (int64_t n : {1, 7, 63, 64, 65, 1000, 4095, 4096, 4097}) {
      const size_t bytes = static_cast<size_t>(n) * itemsize(dtype);
      const Fenced memory(bytes, 0), mask_memory(static_cast<size_t>(n), 0);
      const Tensor x = from_blob(memory.fence() - bytes, {n}, dtype);
      Tensor mask = from_blob(mask_memory.fence() - n, {n}, boolean);
      mask.copy_(arange(n) % 3 == 0);
      Tensor y = x;
      y.fill_(1);
      const int64_t third = (n + 2) / 3;
      const auto total = [](const Tensor& t) { return t.sum({}, false, int64).item<int64_t>(); };
      EXPECT_EQ(masked_select(x, mask).numel(), third);
      EXPECT_EQ(total(x), n);
      EXPECT_EQ(nonzero(x).size(0), n);
      EXPECT_EQ(count(mask & (x == 1)), third);
      EXPECT_EQ(total(x.to(float32) + 1), 2 * n);
      EXPECT_EQ(total(x.masked_fill(mask, 0)), n - third);
      EXPECT_TRUE(equal(x.slice(0, 0, {}, 2), ones({(n + 1) / 2}, dtype)));
      y.masked_scatter_(mask, zeros({third}, dtype));
      EXPECT_EQ(total(x), n - third);
      y.masked_scatter_(~mask, masked_select(x, mask).repeat({3}));
      y[mask] = 1;
      EXPECT_EQ(total(x), third);
      y.copy_(isin(x, tensor({1})));
      EXPECT_EQ(x.amax().item<int64_t>(), 1);
    }
  }
}

}  // namespace
}  // namespace tamis
