// masked: reductions and normalisations by a mask, against their unmasked forms, by hand, and in
// what they allocate.
#include "tamis/masked.h"

#include <functional>
#include <limits>

#include "support/mask_cases.h"
#include "tamis/runtime.h"

namespace tamis {
namespace {

using namespace mask_cases;

const double kNaN = std::numeric_limits<double>::quiet_NaN();
const double kInf = std::numeric_limits<double>::infinity();

using Reduction = std::function<Tensor(const Tensor& x, const Tensor& mask, const Dims& dims)>;

struct Op {
  const char* name;
  Reduction masked;
  std::function<Tensor(const Tensor&)> whole;  // the unmasked form over all dimensions
};

std::vector<Op> reductions() {
  using M = const Tensor&;
  using D = const Dims&;
  return {
      {"sum", [](M x, M m, D d) { return masked::sum(x, m, d); }, [](M x) { return sum(x); }},
      {"prod", [](M x, M m, D d) { return masked::prod(x, m, d); }, [](M x) { return prod(x); }},
      {"mean", [](M x, M m, D d) { return masked::mean(x, m, d); }, [](M x) { return mean(x); }},
      {"amax", [](M x, M m, D d) { return masked::amax(x, m, d); }, [](M x) { return amax(x); }},
      {"amin", [](M x, M m, D d) { return masked::amin(x, m, d); }, [](M x) { return amin(x); }},
      {"var", [](M x, M m, D d) { return masked::var(x, m, d); }, [](M x) { return var(x); }},
      {"std", [](M x, M m, D d) { return masked::std(x, m, d); },
       [](M x) { return tamis::std(x); }},
      {"norm", [](M x, M m, D d) { return masked::norm(x, m, 3, d); },
       [](M x) { return norm(x, 3); }},
      {"logsumexp", [](M x, M m, D d) { return masked::logsumexp(x, m, d); },
       [](M x) { return logsumexp(x, {0}); }},
      {"any", [](M x, M m, D d) { return masked::any(x, m, d); }, [](M x) { return any(x); }},
      {"all", [](M x, M m, D d) { return masked::all(x, m, d); }, [](M x) { return all(x); }},
      {"count", [](M x, M m, D d) { return masked::count(x, m, d); },
       [](M x) { return tensor(x.numel()); }},
  };
}

/// Floats of both signs, few of them whole.
Tensor floats(const Shape& shape, DType dtype = float32) {
  return ((values_of(float64, shape) - 50) / 7).to(dtype).settle();
}

/// x with NaN and infinities where mask is false.
Tensor poisoned(const Tensor& x, const Tensor& mask) {
  Tensor y = where(mask, x, kNaN).settle();
  y.masked_fill_(~mask & (x > 0), kInf);
  y.masked_fill_(~mask & (x < -4), -kInf);
  return y;
}

// ---- what is kept -------------------------------------------------------------------------------

TEST(Masked, AReductionIsThatOfTheSelectedElements) {
  for (const char* pattern : {"alternating", "clustered", "random", "dense"}) {
    for (int64_t n : {5, 64, 1000, 4097, 100003}) {
      const Tensor x = floats({n}, float64), m = mask_of(pattern, {n});
      if (count(m) < 2) continue;
      const Tensor dirty = poisoned(x, m), chosen = masked_select(x, m);
      for (const Op& op : reductions()) {
        const double got = op.masked(dirty, m, {}).item<double>();
        const double want = op.whole(chosen).item<double>();
        if (std::isinf(want) || want == 0) {
          EXPECT_EQ(got, want) << op.name << " " << pattern << " " << n;
        } else {
          EXPECT_NEAR(got / want, 1, 1e-9) << op.name << " " << pattern << " " << n;
        }
      }
      const int64_t at = masked::argmax(dirty, m).item<int64_t>();
      EXPECT_TRUE(m[at].item<bool>());
      EXPECT_EQ(x[at].item<double>(), amax(chosen).item<double>());
    }
  }
}

TEST(Masked, NoMaskKeepsAll) {
  const Tensor x = floats({3, 70});
  for (const Op& op : reductions()) {
    if (std::string(op.name) == "logsumexp") continue;
    EXPECT_EQ(op.masked(x, Tensor(), {}).item<double>(), op.whole(x).item<double>()) << op.name;
  }
  expect_same(masked::argmin(x, Tensor(), 1), argmin(x, 1));
  expect_same(masked::softmax(x, Tensor(), 1), softmax(x, 1));
  expect_same(masked::cumsum(x, Tensor(), 0), cumsum(x, 0));
}

TEST(Masked, WhatIsMaskedOutNeverLeaks) {
  const Tensor x = floats({6, 90}), m = mask_of("random", {6, 90});
  const Tensor dirty = poisoned(x, m);
  for (const Op& op : reductions()) {
    for (const Dims& dims : {Dims{}, Dims{0}, Dims{1}}) {
      expect_same(op.masked(dirty, m, dims), op.masked(x, m, dims));
    }
  }
  for (int64_t dim : {0, 1}) {
    expect_same(masked::argmax(dirty, m, dim), masked::argmax(x, m, dim));
    expect_same(masked::argmin(dirty, m, dim), masked::argmin(x, m, dim));
    expect_same(masked::softmax(dirty, m, dim), masked::softmax(x, m, dim));
    expect_same(masked::log_softmax(dirty, m, dim), masked::log_softmax(x, m, dim));
    expect_same(masked::softmin(dirty, m, dim), masked::softmin(x, m, dim));
    expect_same(masked::normalize(dirty, m, 2, dim), masked::normalize(x, m, 2, dim));
    expect_same(masked::cumsum(dirty, m, dim), masked::cumsum(x, m, dim));
    expect_same(masked::cumprod(dirty, m, dim), masked::cumprod(x, m, dim));
  }
  expect_same(masked::logaddexp(dirty, x, m, Tensor()), masked::logaddexp(x, x, m, Tensor()));
}

TEST(Masked, ABroadcastMaskIsTheExpandedOne) {
  const Tensor x = floats({3, 4, 50});
  for (const Shape& shape : {Shape{50}, Shape{1, 50}, Shape{4, 1}, Shape{3, 1, 1}, Shape{}}) {
    const Tensor m = mask_of("random", shape, 5), expanded = m.expand(x.shape()).clone();
    for (const Op& op : reductions()) {
      for (const Dims& dims : {Dims{}, Dims{0}, Dims{2}, Dims{0, 2}, Dims{1}}) {
        expect_same(op.masked(x, m, dims), op.masked(x, expanded, dims));
      }
    }
    expect_same(masked::argmax(x, m, 1), masked::argmax(x, expanded, 1));
    expect_same(masked::softmax(x, m, 2), masked::softmax(x, expanded, 2));
    expect_same(masked::output_mask(x, m, {1}, true), expanded.any({1}, true));
  }
}

TEST(Masked, AStructuredMaskIsItsMaterialisedForm) {
  const Tensor x = floats({40, 40});
  for (const Tensor& m : {masks::causal(40), masks::from_lengths(arange(40), 40)}) {
    const Tensor bytes = m.clone().settle();
    for (const Op& op : reductions()) {
      for (const Dims& dims : {Dims{}, Dims{0}, Dims{1}}) {
        expect_same(op.masked(x, m, dims), op.masked(x, bytes, dims));
      }
    }
    for (int64_t dim : {0, 1}) {
      expect_same(masked::argmax(x, m, dim), masked::argmax(x, bytes, dim));
      expect_same(masked::softmax(x, m, dim), masked::softmax(x, bytes, dim));
      expect_same(masked::cumsum(x, m, dim), masked::cumsum(x, bytes, dim));
    }
  }
}

TEST(Masked, TheNumberOfThreadsDoesNotShow) {
  const Tensor x = floats({37, 11000}), m = mask_of("random", {37, 11000});
  const int before = get_num_threads();
  const auto results = [&](int threads) {
    set_num_threads(threads);
    std::vector<Tensor> found;
    for (const Op& op : reductions()) {
      for (const Dims& dims : {Dims{}, Dims{0}, Dims{1}}) found.push_back(op.masked(x, m, dims));
    }
    for (int64_t dim : {0, 1}) {
      found.push_back(masked::argmax(x, m, dim));
      found.push_back(masked::softmax(x, m, dim));
      found.push_back(masked::cumsum(x, m, dim));
      found.push_back(masked::normalize(x, m, 2, dim));
    }
    for (const Tensor& t : found) t.settle();
    return found;
  };
  const std::vector<Tensor> one = results(1), many = results(7);
  set_num_threads(before);
  for (size_t i = 0; i < one.size(); ++i) {
    SCOPED_TRACE(i);
    expect_same(many[i], one[i]);
  }
}

// ---- nothing kept -------------------------------------------------------------------------------

TEST(Masked, ARowOfWhichNothingIsKeptHasADefinedResult) {
  const Tensor x = tensor({{1., 2.}, {3., 4.}});
  const Tensor m = tensor({{true, true}, {false, false}});
  const auto second = [](const Tensor& t) { return t[1].item<double>(); };
  EXPECT_EQ(second(masked::sum(x, m, {1})), 0);
  EXPECT_EQ(second(masked::prod(x, m, {1})), 1);
  EXPECT_TRUE(std::isnan(second(masked::mean(x, m, {1}))));
  EXPECT_TRUE(std::isnan(second(masked::var(x, m, {1}))));
  EXPECT_TRUE(std::isnan(second(masked::std(x, m, {1}))));
  EXPECT_EQ(second(masked::amax(x, m, {1})), -kInf);
  EXPECT_EQ(second(masked::amin(x, m, {1})), kInf);
  EXPECT_EQ(second(masked::amax(x.to_int(), m, {1})), -2147483648.);
  EXPECT_EQ(second(masked::norm(x, m, 2, {1})), 0);
  EXPECT_EQ(second(masked::norm(x, m, -kInf, {1})), kInf);
  EXPECT_EQ(second(masked::logsumexp(x, m, {1})), -kInf);
  EXPECT_EQ(second(masked::any(x, m, {1})), 0);
  EXPECT_EQ(second(masked::all(x, m, {1})), 1);
  EXPECT_EQ(second(masked::count(x, m, {1})), 0);
  EXPECT_EQ(second(masked::argmax(x, m, 1)), -1);
  EXPECT_EQ(second(masked::argmin(x, m, 1)), -1);
  expect_same(masked::output_mask(x, m, {1}), tensor({true, false}));
  expect_same(masked::softmax(x, m, 1)[1], tensor({0., 0.}));
  expect_same(masked::log_softmax(x, m, 1)[1], tensor({-kInf, -kInf}));
  expect_same(masked::normalize(x, m, 2, 1)[1], tensor({0., 0.}));
}

TEST(Masked, AnIndexNeverPointsAtWhatIsMaskedOut) {
  // The kept elements are the worst that there are, so what is masked out looks no worse.
  const Tensor x = tensor({0., -kInf, -kInf}), m = tensor({false, false, true});
  EXPECT_EQ(masked::argmax(x, m).item<int64_t>(), 2);
  const Tensor least = full({2, 9000}, std::numeric_limits<int64_t>::min());
  Tensor late = zeros({2, 9000}, boolean);
  late.select(1, 8999).fill_(true);
  expect_same(masked::argmax(least, late, 1), tensor({8999, 8999}));
  expect_same(masked::argmax(least.t(), late.t(), 0), tensor({8999, 8999}));
  EXPECT_EQ(masked::argmax(x.to(float16), m).dtype(), int64);
}

TEST(Masked, ExtremesAmongEqualsAreTheFirstKept) {
  const Tensor x = tensor({{3, 7, 7, 7}, {7, 1, 1, 9}}), m = tensor({false, false, true, true});
  expect_same(masked::argmax(x, m, 1), tensor({2, 3}));
  expect_same(masked::argmin(x, m, 1), tensor({2, 2}));
  expect_same(masked::argmax(x, m, 0), tensor({-1, -1, 0, 1}));
  expect_same(masked::argmax(x, m), tensor(7));
  const Tensor with_nan = tensor({1., kNaN, 5., kNaN});
  EXPECT_EQ(masked::argmax(with_nan, tensor({true, false, true, false})).item<int64_t>(), 2);
  EXPECT_EQ(masked::argmin(with_nan, tensor({true, false, true, true})).item<int64_t>(), 3);
}

TEST(Masked, MeansOfIntegersAndBoolsAreFloat32) {
  const Tensor kept = tensor({true, true, false});
  expect_same(masked::mean(tensor({1, 2, 90}), kept), tensor(1.5f));
  expect_same(masked::mean(tensor({255, 254, 0}, uint8), kept), tensor(254.5f));
  expect_same(masked::mean(tensor({true, true, false}), kept), tensor(1.f));
  expect_same(masked::mean(tensor({{1, 2, 4}, {5, 6, 9}}), Tensor(), {1}),
              tensor({7.f / 3, 20.f / 3}));
  expect_same(masked::mean(tensor({1, 2, 90}), kept, {}, false, float64), tensor(1.5, float64));
  expect_same(masked::mean(tensor({1.9f, 2.9f, 0.f}), kept, {}, false, int64), tensor(1.5f));
  EXPECT_TRUE(isnan(masked::mean(tensor({1, 2}), tensor({false, false}))).item<bool>());
}

// ---- refusals -----------------------------------------------------------------------------------

TEST(Masked, RefusesWhatIsNoMask) {
  const Tensor x = floats({2, 3});
  EXPECT_THROW(masked::sum(x, x), Error);
  EXPECT_THROW(masked::sum(x, tensor({1, 0, 1}, uint8)), Error);
  EXPECT_THROW(masked::softmax(x, mask_of("all", {2, 2}), 1), Error);
  EXPECT_THROW(masked::amax(x, mask_of("all", {2, 2, 3})), Error);
  EXPECT_THROW(masked::norm(x.to_int(), Tensor()), Error);
  EXPECT_THROW(masked::output_mask(x, Tensor()), Error);
  EXPECT_THROW(masked::sum(x, Tensor(), {0, 0}), Error);
  EXPECT_THROW(masked::argmax(x, Tensor(), 2), Error);
}

// ---- memory -------------------------------------------------------------------------------------

class MaskedMemory : public ::testing::Test {
 protected:
  void SetUp() override {
    eager_ = eager_mode();
    set_eager_mode(false);
  }
  void TearDown() override { set_eager_mode(eager_); }

 private:
  bool eager_ = false;
};

template <class F>
int64_t allocated_by(F&& f) {
  const int64_t before = memory_stats().allocated_bytes;
  f();
  return memory_stats().allocated_bytes - before;
}

TEST_F(MaskedMemory, AReductionAllocatesNothingThatGrows) {
  const Tensor x = floats({300, 5000}), m = mask_of("random", {300, 5000});
  for (const Op& op : reductions()) {
    for (const Dims& dims : {Dims{}, Dims{1}}) {
      EXPECT_LE(allocated_by([&] { op.masked(x, m, dims).settle(); }), 64 * 1024) << op.name;
      EXPECT_LE(allocated_by([&] { op.masked(x, (x > 0) & m, dims).settle(); }), 64 * 1024)
          << op.name << " of a deferred mask";
    }
  }
  EXPECT_LE(allocated_by([&] { masked::argmax(x, m, 1).settle(); }), 64 * 1024);
  EXPECT_LE(allocated_by([&] { masked::argmax(x, x < 3).settle(); }), 64 * 1024);
}

TEST_F(MaskedMemory, NormalisationsAllocateTheirResultOnly) {
  const Tensor m = mask_of("random", {300, 5000});
  for (DType dtype : {float32, float64, float16}) {
    const Tensor x = floats({300, 5000}, dtype);
    const int64_t result = x.numel() * static_cast<int64_t>(itemsize(dtype));
    const auto fits = [&](const std::function<Tensor()>& f) {
      return allocated_by([&] { f().settle(); }) <= result + 64 * 1024;
    };
    EXPECT_TRUE(fits([&] { return masked::softmax(x, m, 1); })) << name(dtype);
    EXPECT_TRUE(fits([&] { return masked::log_softmax(x, m, 1); })) << name(dtype);
    EXPECT_TRUE(fits([&] { return masked::normalize(x, m, 2, 1); })) << name(dtype);
    EXPECT_TRUE(fits([&] { return masked::cumsum(x, m, 1); })) << name(dtype);
    EXPECT_TRUE(fits([&] { return softmax(x, 1); })) << name(dtype);
  }
}

}  // namespace
}  // namespace tamis
