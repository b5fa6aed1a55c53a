// Laws: what holds for every masking row whatever the mask is made of and however many threads
// there are, and how the forms of a selection hang together.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>

#include "ops/row.h"
#include "support/layouts.h"
#include "support/observe.h"
#include "tamis/masks.h"
#include "tamis/tamis.h"

namespace tamis {
namespace {

using testing::ModeGuard;
using testing::observe;
using testing::random_mask;
using testing::random_values;

/// What a call gives, or how it refuses.
std::string outcome(const Row& row, const Args& args) {
  try {
    const Value result = row.call(args);
    if (const auto* x = std::get_if<Tensor>(&result)) return observe(*x);
    if (const auto* n = std::get_if<int64_t>(&result)) return std::to_string(*n);
    std::string all;
    if (const auto* list = std::get_if<std::vector<Tensor>>(&result)) {
      for (const Tensor& x : *list) all += observe(x);
    }
    return all;
  } catch (const Error& e) {
    return std::string("refused: ") + e.what();
  }
}

bool is_mask(const Value& value) {
  const auto* x = std::get_if<Tensor>(&value);
  return x && x->defined() && x->dtype() == boolean && x->dim() > 0;
}

/// A structured mask of the given shape, without memory.
Tensor structured(const Shape& shape, uint32_t seed) {
  if (shape.size() == 2 && seed % 2 == 0) {
    return masks::band(shape[0], shape[1], static_cast<int64_t>(seed % 5) - 1,
                       static_cast<int64_t>(seed % 3));
  }
  Shape rows = shape;
  const int64_t n = rows.back();
  rows.resize(rows.size() - 1);
  Tensor lengths = empty(rows, int64);
  for (int64_t i = 0; i < lengths.numel(); ++i) {
    lengths.mutable_data<int64_t>()[i] = static_cast<int64_t>(seed + 7 * i) % (n + 1);
  }
  return masks::from_lengths(lengths, n);
}

TEST(Laws, AStructuredMaskIsItsMaterialisationInEveryRow) {
  const ModeGuard mode(false);
  std::set<std::string> tried;
  for (const Row& row : all_rows()) {
    for (const Args& sample : row.samples) {
      if (std::none_of(sample.begin(), sample.end(), is_mask)) continue;
      for (uint32_t seed = 0; seed < 6; ++seed) {
        Args lazy = sample, stored = sample;
        for (size_t i = 0; i < sample.size(); ++i) {
          if (!is_mask(sample[i])) continue;
          const Tensor mask = structured(std::get<Tensor>(sample[i]).shape(), seed);
          stored[i] = mask.clone();
          lazy[i] = structured(mask.shape(), seed);
        }
        EXPECT_EQ(outcome(row, lazy), outcome(row, stored)) << row.name();
        tried.insert(row.name());
      }
    }
  }
  EXPECT_GT(tried.size(), 25u);
}

/// x with its first dimension repeated until it is several chunks long.
Value enlarged(const Value& value) {
  const auto* x = std::get_if<Tensor>(&value);
  if (!x || !x->defined() || x->dim() == 0 || x->numel() == 0) return value;
  Shape repeats(x->shape().size(), 1);
  repeats[0] = 150000 / x->numel();
  return x->repeat(repeats);
}

TEST(Laws, ThreadsDoNotShowInAnyRow) {
  const std::set<std::string> large = {"masked_select",
                                       "masked_fill",
                                       "masked_scatter",
                                       "where",
                                       "nonzero",
                                       "count_nonzero",
                                       "isin",
                                       "sum",
                                       "mean",
                                       "prod",
                                       "amax",
                                       "any",
                                       "partition",
                                       "mse_loss",
                                       "l1_loss",
                                       "exp",
                                       "add",
                                       "nonzero_static",
                                       "huber_loss",
                                       "cross_entropy",
                                       "masked_select_padded",
                                       "masked_select_rows"};
  const int before = get_num_threads();
  std::set<std::string> found;
  for (const Row& row : all_rows()) {
    if (row.random || row.name() == "empty" || row.name() == "empty_like") continue;
    if (large.count(row.name())) found.insert(row.name());
    for (const Args& sample : row.samples) {
      std::vector<Args> calls = {sample};
      if (large.count(row.name())) {
        Args more = sample;
        for (Value& value : more) value = enlarged(value);
        calls.push_back(std::move(more));
      }
      for (const Args& args : calls) {
        set_num_threads(1);
        const std::string one = outcome(row, args);
        for (int threads : {2, 5}) {
          set_num_threads(threads);
          EXPECT_EQ(outcome(row, args) == one, true) << row.name() << " on " << threads;
        }
      }
    }
  }
  set_num_threads(before);
  EXPECT_EQ(found, large);
}

// ---- the forms of a selection -------------------------------------------------------------------

struct Pair {
  Tensor x, mask;
};

Pair any_pair() {
  Shape shape(static_cast<size_t>(*rc::gen::inRange(1, 4)), 0);
  for (int64_t& size : shape) size = *rc::gen::resize(100, rc::gen::inRange(0, 50));
  const auto seed = *rc::gen::arbitrary<uint32_t>();
  const DType dtype = *rc::gen::element(boolean, int8, int64, float16, float32, float64);
  return {random_values(shape, dtype, seed), random_mask(shape, seed / 3)};
}

RC_GTEST_PROP(Laws, PartitionIsSelectionByAMaskAndByItsComplement, ()) {
  const Pair p = any_pair();
  const auto [kept, rejected] = partition(p.x, p.mask);
  RC_ASSERT(observe(kept) == observe(masked_select(p.x, p.mask)));
  RC_ASSERT(observe(rejected) == observe(masked_select(p.x, ~p.mask)));
}

RC_GTEST_PROP(Laws, APaddedSelectionBeginsAsTheExactOneAndEndsInFilling, ()) {
  const Pair p = any_pair();
  const Tensor exact = masked_select(p.x, p.mask);
  const int64_t size = *rc::gen::resize(100, rc::gen::inRange<int64_t>(0, 3000));
  const auto [values, count] = masked_select_padded(p.x, p.mask, size, 1);
  const int64_t both = std::min(size, exact.numel());
  RC_ASSERT(values.shape() == Shape{size});
  RC_ASSERT(count.item<int64_t>() == exact.numel());
  RC_ASSERT(observe(values.narrow(0, 0, both)) == observe(exact.narrow(0, 0, both)));
  RC_ASSERT(all(values.narrow(0, both, size - both) == 1).item<bool>());
}

RC_GTEST_PROP(Laws, RowsOneAfterTheOtherAreTheExactSelection, ()) {
  const Pair p = any_pair();
  const Jagged rows = masked_select_rows(p.x, p.mask);
  RC_ASSERT(observe(rows.values) == observe(masked_select(p.x, p.mask)));
  RC_ASSERT(rows.offsets.to_vector<int64_t>().back() == rows.values.numel());
  const Tensor padded = to_padded(rows), kept = jagged_mask(rows.offsets);
  RC_ASSERT(observe(masked_select(padded, kept)) == observe(rows.values));
}

RC_GTEST_PROP(Laws, UnpackingUndoesPacking, ()) {
  const Pair p = any_pair();
  const Jagged packed = pack(p.x, p.mask);
  const auto [padded, mask] = unpack(packed);
  const Jagged again = pack(padded, mask);
  RC_ASSERT(observe(again.values) == observe(packed.values));
  RC_ASSERT(observe(again.offsets) == observe(packed.offsets));
}

RC_GTEST_PROP(Laws, LaterIsNow, ()) {
  const Pair p = any_pair();
  const Future<Tensor> later = masked_select_async(p.x, p.mask), where_to = nonzero_async(p.mask);
  RC_ASSERT(observe(later.get()) == observe(masked_select(p.x, p.mask)));
  RC_ASSERT(observe(where_to.get()) == observe(nonzero(p.mask)));
}

RC_GTEST_PROP(Laws, AMaskedMeanLossIsTheLossOfWhatIsKept, ()) {
  const Pair p = any_pair();
  const Tensor x = random_values(p.x.shape(), float64, 5),
               y = random_values(p.x.shape(), float64, 6);
  const Tensor good = p.mask & isfinite(x) & isfinite(y);
  const Tensor want = mse_loss(masked_select(x, good), masked_select(y, good), {}, "sum");
  RC_ASSERT(allclose(mse_loss(x, y, good, "sum"), want));
  if (count(good) > 0) RC_ASSERT(allclose(mse_loss(x, y, good), want / count(good)));
}

}  // namespace
}  // namespace tamis
