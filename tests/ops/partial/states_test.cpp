// Partial states: whatever the parts are and however they are merged, the result is that of the
// whole; and their bytes.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <random>
#include <string_view>

#include "support/layouts.h"
#include "support/observe.h"
#include "tamis/tamis.h"

namespace tamis {
namespace {

using partial::Part;
using testing::observe;

/// The statement must throw an Error of this kind that says this.
#define EXPECT_ERROR(statement, expected, text)                                      \
  try {                                                                              \
    (void)(statement);                                                               \
    ADD_FAILURE() << #statement " throws nothing";                                   \
  } catch (const Error& e) {                                                         \
    EXPECT_EQ(e.kind(), ErrorKind::expected) << e.what();                            \
    EXPECT_NE(std::string_view(e.what()).find(text), std::string::npos) << e.what(); \
  }

/// Elements with ties, zeros of both signs, NaN, infinities and exponents far apart.
Tensor values(DType dtype, const Shape& shape, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<double> list;
  const int kind = static_cast<int>(seed % 4);
  for (int64_t i = 0; i < numel(shape); ++i) {
    const auto r = static_cast<int>(random() % 1000);
    double v = static_cast<double>(r % 7) - 3;
    if (kind == 1) v = static_cast<double>(random()) / 4e9 - 0.5;
    if (kind == 2) v = std::ldexp(static_cast<double>(random()) - 2e9, r % 200 - 120);
    if (kind == 3) v = r < 20 ? NAN : r < 30 ? INFINITY : r < 40 ? -INFINITY : v;
    if (v == 0 && r % 2 == 0) v = -0.0;
    list.push_back(v);
  }
  const Tensor x = tensor(list, shape);
  if (dtype == boolean) return x > 0;
  if (is_floating_point(dtype)) return x.to(dtype);
  return where(isfinite(x), x.clamp(-100, 100) * 1.25, 0).to(dtype);
}

/// A whole cut into boxes by planes across its dimensions.
struct Box {
  Shape start, size;
};
std::vector<Box> cut(const Shape& shape, std::mt19937& random) {
  std::vector<Box> boxes = {{Shape(shape.size(), 0), shape}};
  for (size_t d = 0; d < shape.size(); ++d) {
    std::vector<int64_t> ends;
    for (int64_t at = 0; at < shape[d];) {
      at = std::min<int64_t>(shape[d], at + 1 + static_cast<int64_t>(random() % 4));
      ends.push_back(at);
    }
    std::vector<Box> finer;
    for (const Box& box : boxes) {
      int64_t start = 0;
      for (int64_t end : ends) {
        Box part = box;
        part.start[d] = start;
        part.size[d] = end - start;
        finer.push_back(part);
        start = end;
      }
    }
    boxes = finer;
  }
  return boxes;
}

Tensor part_of(Tensor x, const Box& box) {
  for (size_t d = 0; d < box.start.size(); ++d) {
    x = x.narrow(static_cast<int64_t>(d), box.start[d], box.size[d]);
  }
  return x;
}

/// Merges states in a random order and grouping, some of them by way of their bytes.
template <class State>
State merged(std::vector<State> states, std::mt19937& random) {
  while (states.size() > 1) {
    std::shuffle(states.begin(), states.end(), random);
    State last = states.back();
    states.pop_back();
    if (random() % 2 == 0) last = State::from_bytes(last.to_bytes());
    states.back().merge(last);
  }
  return states[0];
}

struct Whole {
  Tensor x, mask;
  std::vector<Box> boxes;
  std::mt19937 random;
};
const DType kDTypes[] = {float32, float64, float16, bfloat16, int64, uint8, int32, boolean, uint64};

Whole random_whole(bool rank3) {
  const auto seed = *rc::gen::arbitrary<uint32_t>();
  std::mt19937 random(seed);
  const Shape shape =
      rank3 ? Shape{static_cast<int64_t>(1 + random() % 5), static_cast<int64_t>(1 + random() % 7),
                    static_cast<int64_t>(1 + random() % 9)}
            : Shape{static_cast<int64_t>(1 + random() % 300)};
  const DType dtype = kDTypes[random() % std::size(kDTypes)];
  Whole whole{values(dtype, shape, seed), Tensor(), cut(shape, random), random};
  if (seed % 3 != 0) whole.mask = testing::random_mask(shape, seed);
  return whole;
}

template <class State, class Make>
State of_parts(Whole& w, Make make) {
  std::vector<State> states;
  for (const Box& box : w.boxes) {
    const Tensor mask = w.mask.defined() ? part_of(w.mask, box) : Tensor();
    states.push_back(
        make(part_of(w.x, box), mask, Part{.shape = w.x.shape(), .offset = box.start}));
  }
  return merged(std::move(states), w.random);
}

Tensor kept(const Whole& w) {
  return w.mask.defined() ? masked_select(w.x, w.mask) : w.x.reshape({-1});
}

RC_GTEST_PROP(PartialStates, CountsSumsAndMomentsAreThoseOfTheWhole, ()) {
  Whole w = random_whole(true);
  const auto count = of_parts<partial::Count>(
      w, [](auto&& x, auto&& mask, auto) { return partial::Count(x, mask); });
  RC_ASSERT(observe(count.finish()) == observe(masked::count(w.x, w.mask)));
  RC_ASSERT(observe(count.any()) == observe(kept(w).any()));
  RC_ASSERT(observe(count.all()) == observe(kept(w).all()));
  const auto sum =
      of_parts<partial::Sum>(w, [](auto&& x, auto&& mask, auto) { return partial::Sum(x, mask); });
  const partial::Sum whole(w.x, w.mask);
  RC_ASSERT(observe(sum.finish()) == observe(whole.finish()));
  RC_ASSERT(sum.to_bytes() == whole.to_bytes());
  const auto moments = of_parts<partial::Moments>(
      w, [](auto&& x, auto&& mask, auto) { return partial::Moments(x, mask); });
  const partial::Moments all(w.x, w.mask);
  RC_ASSERT(moments.to_bytes() == all.to_bytes());
  RC_ASSERT(observe(moments.var()) == observe(all.var()));
}

RC_GTEST_PROP(PartialStates, ExtremesAreThoseOfTheWhole, ()) {
  Whole w = random_whole(true);
  const auto found = of_parts<partial::Extremes>(
      w, [](auto&& x, auto&& mask, auto part) { return partial::Extremes(x, mask, part); });
  const partial::Extremes whole(w.x, w.mask);
  RC_ASSERT(found.to_bytes() == whole.to_bytes());
  if (w.x.dtype() != boolean) {
    RC_ASSERT(observe(found.argmin()) == observe(masked::argmin(w.x, w.mask)));
    RC_ASSERT(observe(found.argmax()) == observe(masked::argmax(w.x, w.mask)));
  }
  // The sign of a zero is that of the element at the index.
  RC_ASSERT(observe(found.amin().add(0)) == observe(masked::amin(w.x, w.mask).add(0)));
  RC_ASSERT(observe(found.amax().add(0)) == observe(masked::amax(w.x, w.mask).add(0)));
}

RC_GTEST_PROP(PartialStates, AlongDimensionsToo, ()) {
  Whole w = random_whole(true);
  const Shape& shape = w.x.shape();
  std::vector<partial::Sum> sums;
  std::vector<partial::Extremes> extremes;
  for (int64_t at = 0; at < shape[1];) {
    const int64_t n = std::min<int64_t>(shape[1] - at, 1 + static_cast<int64_t>(w.random() % 3));
    const Tensor x = w.x.narrow(1, at, n);
    const Tensor mask = w.mask.defined() ? w.mask.narrow(1, at, n) : Tensor();
    sums.emplace_back(x, mask, Part{.dims = {1}});
    extremes.emplace_back(x, mask, Part{.dims = {1}, .shape = shape, .offset = {0, at, 0}});
    at += n;
  }
  const auto sum = merged(sums, w.random);
  RC_ASSERT(observe(sum.finish()) == observe(masked::sum(w.x, w.mask, {1}, false, {}, true)));
  const auto extreme = merged(extremes, w.random);
  RC_ASSERT(extreme.to_bytes() == partial::Extremes(w.x, w.mask, {.dims = {1}}).to_bytes());
  if (w.x.dtype() != boolean) {
    RC_ASSERT(observe(extreme.argmax()) == observe(masked::argmax(w.x, w.mask, 1)));
  }
}

RC_GTEST_PROP(PartialStates, SelectedElementsComeInTheOrderOfTheWhole, ()) {
  Whole w = random_whole(true);
  if (!w.mask.defined()) w.mask = testing::random_mask(w.x.shape(), 7);
  const auto found = of_parts<partial::Selected>(
      w, [](auto&& x, auto&& mask, auto part) { return partial::Selected(x, mask, part); });
  RC_ASSERT(observe(found.finish()) == observe(masked_select(w.x, w.mask)));
  RC_ASSERT(observe(found.coordinates()) == observe(nonzero(w.mask).contiguous()));
  RC_ASSERT(observe(found.indices()) ==
            observe(nonzero(w.mask.reshape({-1})).reshape({-1}).contiguous()));
  RC_ASSERT(found.to_bytes() == partial::Selected(w.x, w.mask).to_bytes());
  for (int64_t i = 0; i < found.numel(); ++i) {
    RC_ASSERT(found.position(i) == found.indices()[i].item<int64_t>());
  }
  const int64_t n = w.x.numel(), from = static_cast<int64_t>(w.random() % n),
                to = from + static_cast<int64_t>(w.random() % n);
  const Tensor indices = found.indices();
  RC_ASSERT(observe(found.between(from, to).finish()) ==
            observe(masked_select(found.finish(), (indices >= from) & (indices < to))));
}

RC_GTEST_PROP(PartialStates, TopKAndUniqueAreThoseOfTheWhole, ()) {
  Whole w = random_whole(true);
  const auto unique = of_parts<partial::Unique>(
      w, [](auto&& x, auto&& mask, auto part) { return partial::Unique(x, mask, part); });
  const auto [distinct, counts, first] = unique.finish();
  const auto [expected, inverse, times] = tamis::unique(kept(w), true, false, true);
  RC_ASSERT(observe(distinct) == observe(expected));
  RC_ASSERT(observe(counts) == observe(times));
  if (w.x.dtype() == boolean) return;
  const bool largest = w.random() % 2 == 0;
  const int64_t k = static_cast<int64_t>(w.random() % 12);
  const auto top = of_parts<partial::TopK>(w, [&](auto&& x, auto&& mask, auto part) {
    return partial::TopK(x, k, mask, largest, part);
  });
  const Tensor all = kept(w);
  const auto [best, at] = topk(all, std::min(k, all.numel()), 0, largest);
  const auto [found, indices] = top.finish();
  RC_ASSERT(observe(found) == observe(best));
  const Tensor numbers =
      w.mask.defined() ? nonzero(w.mask.reshape({-1})).reshape({-1}) : arange(w.x.numel());
  RC_ASSERT(observe(indices) == observe(numbers.index_select(0, at)));
}

/// Searches by passes over the parts, and says how many there were.
std::pair<Tensor, int> search(Whole& w,
                              const std::function<partial::Search(const partial::Histogram&)>& f) {
  std::optional<partial::Search> found;
  int passes = 0;
  while (!found || !found->done()) {
    const auto all = of_parts<partial::Histogram>(w, [&](auto&& x, auto&& mask, auto) {
      return found ? partial::Histogram(x, mask, *found) : partial::Histogram(x, mask);
    });
    found = found ? all.search() : f(all);
    if (w.random() % 2 == 0) found = partial::Search::from_bytes(found->to_bytes());
    ++passes;
  }
  return {found->finish(), passes};
}

RC_GTEST_PROP(PartialStates, ElementsOfAnyRankAreFound, ()) {
  Whole w = random_whole(false);
  const Tensor all = kept(w), numbers = masked_select(all, ~all.isnan());
  if (numbers.numel() == 0) return;
  const Tensor sorted = sort(numbers).first.add(0).to(w.x.dtype());
  std::vector<int64_t> ranks(static_cast<size_t>(numbers.numel()));
  std::iota(ranks.begin(), ranks.end(), 0);
  const auto [found, passes] =
      search(w, [&](const partial::Histogram& h) { return h.ranks(ranks); });
  RC_ASSERT(observe(found) == observe(sorted));
  RC_ASSERT(passes <= partial::Histogram::passes(w.x.dtype()));
  if (w.x.dtype() == boolean) return;
  const int64_t k = 1 + static_cast<int64_t>(w.random() % all.numel());
  const Tensor kth = search(w, [&](const partial::Histogram& h) { return h.kthvalue(k); }).first;
  RC_ASSERT(observe(kth.add(0)) == observe(kthvalue(all, k).first.add(0)));
  const Tensor middle = search(w, [&](const partial::Histogram& h) { return h.median(); }).first;
  RC_ASSERT(observe(middle.add(0)) == observe(median(all).add(0)));
  if (w.x.dtype() != float32 && w.x.dtype() != float64) return;
  for (const char* how : {"linear", "lower", "higher", "midpoint", "nearest"}) {
    const Tensor q = tensor({0.0, 0.1, 0.5, 0.77, 1.0}).to(w.x.dtype());
    for (bool ignore : {false, true}) {
      const Tensor quantiles =
          search(w, [&](const partial::Histogram& h) { return h.quantile(q, how, ignore); }).first;
      const Tensor expected =
          ignore ? nanquantile(all, q, {}, false, how) : quantile(all, q, {}, false, how);
      RC_ASSERT(observe(quantiles.add(0)) == observe(expected.add(0)));
    }
  }
}

TEST(PartialStates, NeedTwoPassesForManyRandomDoubles) {
  manual_seed(3);
  const Tensor x = randn({2000000}, float64);
  const Tensor q = tensor({0.001, 0.5, 0.999}, float64);
  const partial::Histogram first(x);
  const partial::Search narrowed = first.quantile(q);
  EXPECT_FALSE(narrowed.done());
  const partial::Search found = partial::Histogram(x, {}, narrowed).search();
  ASSERT_TRUE(found.done());
  EXPECT_EQ(observe(found.finish()), observe(quantile(x, q)));
}

TEST(PartialStates, FindElementsAmongManyThatAgreeInTheirFirstBits) {
  // More than are counted one by one, in one step of the first pass.
  const int64_t n = 3 << 20;
  const Tensor x = arange(n) + (int64_t{1} << 60);
  const std::vector<int64_t> ranks = {0, n / 3, n - 1};
  partial::Search found = partial::Histogram(x).ranks(ranks);
  int passes = 1;
  for (; !found.done(); ++passes) found = partial::Histogram(x, {}, found).search();
  EXPECT_LE(passes, 4);
  for (size_t i = 0; i < ranks.size(); ++i) {
    EXPECT_EQ(found.finish()[static_cast<int64_t>(i)].item<int64_t>(),
              (int64_t{1} << 60) + ranks[i]);
  }
}

TEST(PartialStates, RefuseToMergeWhatDoesNotFit) {
  const Tensor x = arange(6).view({2, 3}), mask = x > 2;
  EXPECT_ERROR(partial::Sum(x).merge(partial::Sum(x.to_double())), value, "same dtype");
  EXPECT_ERROR(partial::Sum(x).merge(partial::Sum(x, {}, {.dims = {0}})), value, "same shape");
  EXPECT_ERROR(partial::TopK(x, 2).merge(partial::TopK(x, 3)), value, "same k");
  EXPECT_ERROR(partial::Selected(x, mask).merge(partial::Selected(x, mask)), value, "overlap");
  EXPECT_ERROR(partial::Histogram(x).merge(
                   partial::Histogram(x, {}, partial::Histogram(x).ranks(std::vector<int64_t>{1}))),
               value, "same pass");
  EXPECT_ERROR(partial::Extremes(x, {}, {.shape = {2, 2}}), shape, "not within");
  EXPECT_ERROR(partial::Extremes(x, {}, {.offset = {0, 0}}), value, "needs the shape");
  EXPECT_ERROR(partial::Sum(x, x), dtype, "expected BoolTensor");
  EXPECT_ERROR(partial::Histogram(x).search(), value, "say what is wanted");
  EXPECT_ERROR(partial::Histogram(x).kthvalue(7), index, "out of range");
}

TEST(PartialStates, RefuseBytesThatAreNoState) {
  const Tensor x = tensor({1.5, -2.0, NAN, 4.0}), mask = x > 0;
  const std::vector<std::string> all = {partial::Count(x).to_bytes(),
                                        partial::Sum(x).to_bytes(),
                                        partial::Moments(x).to_bytes(),
                                        partial::Extremes(x).to_bytes(),
                                        partial::Selected(x, mask).to_bytes(),
                                        partial::TopK(x, 2).to_bytes(),
                                        partial::Unique(x).to_bytes(),
                                        partial::Histogram(x).to_bytes(),
                                        partial::Histogram(x).quantile(0.5).to_bytes()};
  const std::vector<std::function<void(std::string_view)>> readers = {[](auto b) { partial::Count::from_bytes(b); },
                                                                      [](auto b) { partial::Sum::from_bytes(b); },
                                                                      [](auto b) { partial::Moments::from_bytes(b); },
                                                                      [](auto b) { partial::Extremes::from_bytes(b); },
                                                                      [](auto b) { partial::Selected::from_bytes(b); },
                                                                      [](auto b) { partial::TopK::from_bytes(b); },
                                                                      [](auto b) { partial::Unique::from_bytes(b); },
                                                                      [](auto b) { partial::Histogram::from_bytes(b); },
                                                                      [](auto b) { partial::Search::from_bytes(b); }};
  for (size_t i = 0; i < all.size(); ++i) {
    readers[i](all[i]);
    for (size_t at = 0; at < all[i].size(); ++at) {
      std::string damaged = all[i];
      damaged[at] = static_cast<char>(damaged[at] ^ 1);
      EXPECT_ERROR(readers[i](damaged), format, "from_bytes()");
      EXPECT_ERROR(readers[i](all[i].substr(0, at)), format, "from_bytes()");
    }
    EXPECT_ERROR(readers[i](all[(i + 1) % all.size()]), format, "another kind");
    EXPECT_ERROR(readers[i](all[i] + "x"), format, "checksum");
  }
}

}  // namespace
}  // namespace tamis
