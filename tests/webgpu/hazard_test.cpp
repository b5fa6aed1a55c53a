// Hazards on the device: the same program gives the same there as on the CPU, whatever is deferred,
// shared or written in place, and nothing but what is written changes.
#include <gtest/gtest.h>

#include "expr/expr.h"
#include "support/layouts.h"
#include "support/observe.h"
#include "support/webgpu.h"
#include "tamis/tamis.h"

namespace tamis {
namespace {

using testing::LayoutKind;
using testing::memory_of;
using testing::observe;
using testing::random_mask;
using testing::random_values;
using testing::same;
using testing::to_gpu;
using Tensors = std::vector<Tensor>;

/// Runs every test in both modes.
class WebGpuHazard : public testing::WebGpuTest, public ::testing::WithParamInterface<bool> {
 protected:
  testing::ModeGuard mode_{GetParam()};
};

INSTANTIATE_TEST_SUITE_P(Modes, WebGpuHazard, ::testing::Values(false, true),
                         [](const auto& p) { return p.param ? "eager" : "deferred"; });

/// Moves tensors to where a program runs, with the memory around them.
using Place = Tensor (*)(const Tensor&);
Tensor copy_here(const Tensor& x) { return make_view(memory_of(x).clone(), layout_of(x)); }

/// What the program shows must be the same on both devices.
template <class F>
void expect_same(const F& program) {
  const Tensors there = program(to_gpu), here = program(copy_here);
  ASSERT_EQ(there.size(), here.size());
  for (size_t i = 0; i < there.size(); ++i) {
    EXPECT_EQ(observe(there[i]), observe(here[i])) << "number " << i << ":\n"
                                                   << there[i] << "\n"
                                                   << here[i];
  }
}

/// Layouts in which a tensor can be written.
constexpr LayoutKind kWritable[] = {LayoutKind::contiguous, LayoutKind::transposed,
                                    LayoutKind::sliced,     LayoutKind::offset,
                                    LayoutKind::unaligned,  LayoutKind::sliced_rows};

/// Most layouts are for the fused kernels of deferred mode.
std::vector<LayoutKind> layouts_for(bool eager) {
  if (eager) return {LayoutKind::contiguous, LayoutKind::offset};
  return {std::begin(kWritable), std::end(kWritable)};
}

/// Small whole numbers, of which sums are exact in every dtype.
Tensor small_values(const Shape& shape, DType dtype, uint32_t seed) {
  return random_values(shape, uint8, seed).to(dtype).clone();
}

// ---- a write after a read -----------------------------------------------------------------------

using Write = void (*)(Tensor& x, const Tensor& mask, const Tensor& other);

/// Writes that only move elements, so that they work for all dtypes.
const std::vector<Write> kMoves = {
    [](Tensor& x, const Tensor&, const Tensor&) { x.zero_(); },
    [](Tensor& x, const Tensor&, const Tensor&) { x.fill_(1); },
    [](Tensor& x, const Tensor&, const Tensor& y) { x.copy_(y); },
    [](Tensor& x, const Tensor& m, const Tensor&) { x.masked_fill_(m, 1); },
    [](Tensor& x, const Tensor& m, const Tensor& y) { x.masked_scatter_(m, y); },
    [](Tensor& x, const Tensor& m, const Tensor&) { x[m] = 1; },
    [](Tensor& x, const Tensor& m, const Tensor& y) { x[m] = masked_select(y, m); },
    [](Tensor& x, const Tensor& m, const Tensor& y) { x.copy_(where(m, x, y)); },
    [](Tensor& x, const Tensor& m, const Tensor&) { x.select(0, 1)[m.select(0, 1)] = 0; },
    [](Tensor& x, const Tensor&, const Tensor& y) { x.select(1, 2).copy_(y.select(1, 0)); },
    [](Tensor& x, const Tensor&, const Tensor& y) { x[2] = y[0]; },
    [](Tensor& x, const Tensor& m, const Tensor& y) { x[m.select(1, 0)] = y[1]; },
    [](Tensor& x, const Tensor&, const Tensor& y) { x.masked_fill_(x == y, 0); },
};

const std::vector<Write> kArithmetic = {
    [](Tensor& x, const Tensor&, const Tensor&) { x.add_(1); },
    [](Tensor& x, const Tensor&, const Tensor& y) { x += y; },
    [](Tensor& x, const Tensor&, const Tensor& y) { x *= x + y; },
    [](Tensor& x, const Tensor& m, const Tensor&) { x[m] *= 2; },
    [](Tensor& x, const Tensor&, const Tensor&) { x[x > 3] += 1; },
    [](Tensor& x, const Tensor&, const Tensor& y) { x.minimum_(y * 2); },
    [](Tensor& x, const Tensor&, const Tensor&) { x.narrow(1, 1, 3).add_(x.narrow(1, 2, 3) + 0); },
    [](Tensor& x, const Tensor&, const Tensor& y) { store(x, x + y); },
    [](Tensor& x, const Tensor& m, const Tensor& y) { store_where(x, m, x + y); },
};

/// Shows what is written, the memory around it, and what was read before.
Tensors write_after_reads(Place place, const Tensor& x, const Tensor& mask, const Tensor& other,
                          Write write) {
  Tensor a = place(x);
  const Tensor m = place(mask), b = place(other);
  const Tensor chosen = where(m, a, b), equals = a == b, part = chosen.narrow(1, 1, 2);
  const Tensor wide = chosen.unsqueeze(0).expand({2, 5, 7}), same_memory = a.t(), cast = a.to(int8);
  write(a, m, b);
  return {a, memory_of(a), chosen, equals, part, wide, same_memory, cast, memory_of(b), m};
}

TEST_P(WebGpuHazard, WritesLeaveNeighboursAndEarlierResultsAlone) {
  for (DType dtype : testing::kEveryDType) {
    const Tensor x = small_values({5, 7}, dtype, 3), y = small_values({5, 7}, dtype, 4);
    const Tensor mask = random_mask({5, 7}, 6);
    for (LayoutKind kind : layouts_for(GetParam())) {
      const Tensor laid_out = *with_layout(kind, x);
      for (size_t i = 0; i < kMoves.size(); ++i) {
        SCOPED_TRACE(std::string(name(dtype)) + " " + layout_name(kind) + " " + std::to_string(i));
        expect_same(
            [&](Place place) { return write_after_reads(place, laid_out, mask, y, kMoves[i]); });
      }
    }
  }
}

TEST_P(WebGpuHazard, ArithmeticInPlaceLeavesNeighboursAndEarlierResultsAlone) {
  for (DType dtype : testing::kGpuDTypes) {
    if (dtype == boolean) continue;
    const Tensor x = small_values({5, 7}, dtype, 3), y = small_values({5, 7}, dtype, 4);
    const Tensor mask = random_mask({5, 7}, 6);
    for (LayoutKind kind : layouts_for(GetParam())) {
      const Tensor laid_out = *with_layout(kind, x);
      for (size_t i = 0; i < kArithmetic.size(); ++i) {
        SCOPED_TRACE(std::string(name(dtype)) + " " + layout_name(kind) + " " + std::to_string(i));
        expect_same([&](Place place) {
          return write_after_reads(place, laid_out, mask, y, kArithmetic[i]);
        });
      }
    }
  }
}

TEST_P(WebGpuHazard, RunsOfSmallElementsAtAnyOffsetKeepTheirNeighbours) {
  for (DType dtype : {boolean, uint8, int8, uint16, int16, float16, bfloat16}) {
    for (int64_t begin = 0; begin < 6; ++begin) {
      for (int64_t length : {1, 2, 3, 4, 5, 9, 300}) {
        SCOPED_TRACE(std::string(name(dtype)) + " " + std::to_string(begin) + "+" +
                     std::to_string(length));
        const Tensor x = small_values({begin + length + 5}, dtype, 3).narrow(0, begin, length);
        const Tensor y = small_values({length}, dtype, 4), mask = random_mask({length}, 6);
        expect_same([&](Place place) -> Tensors {
          Tensor a = place(x), b = place(x), c = place(x), d = place(x);
          a.fill_(1);
          b.copy_(place(y));
          c.masked_fill_(place(mask), 1);
          d.masked_scatter_(place(mask), place(y));
          return {memory_of(a), memory_of(b), memory_of(c), memory_of(d)};
        });
      }
    }
  }
}

TEST_P(WebGpuHazard, ColumnsOfSmallElementsAreWrittenSideBySide) {
  // Every word belongs to several writes, which one list has in it.
  for (DType dtype : {boolean, uint8, int16, float16}) {
    const Tensor columns = small_values({50, 7}, dtype, 2);
    expect_same([&](Place place) -> Tensors {
      const Tensor x = place(zeros({50, 7}, dtype)), from = place(columns);
      for (int64_t k = 0; k < 7; ++k) x.select(1, (k * 3) % 7).copy_(from.select(1, k));
      return {x};
    });
  }
}

// ---- shared memory ------------------------------------------------------------------------------

TEST_P(WebGpuHazard, ViewsShareWhatIsWritten) {
  expect_same([](Place place) -> Tensors {
    const Tensor x = place(arange(24).to(int16).view({4, 6}).clone());
    Tensor row = x[1], column = x.t()[2], half = x.slice(1, 0, {}, 2), flat = x.view({-1});
    const Tensor before = x + 0, sum = column.sum(), reader = half * 2;
    row.add_(100);
    column.mul_(-1);
    flat.narrow(0, 5, 3).fill_(7);
    half.masked_fill_(half > 90, 1);
    return {x, row, column, half, flat, before, sum, reader};
  });
}

TEST_P(WebGpuHazard, WritesThroughViewsOfDeferredTensorsReachThem) {
  expect_same([](Place place) -> Tensors {
    const Tensor x = place(arange(12.f).view({3, 4}).clone());
    Tensor y = x * 10;
    Tensor row = y[1], column = y.t()[0];
    const Tensor reader = y + 1;
    row.add_(1);
    column.mul_(2);
    return {x, y, row, column, reader};
  });
}

TEST_P(WebGpuHazard, StructuredMasksCanBeWritten) {
  expect_same([](Place place) -> Tensors {
    Tensor m = masks::causal(5);
    if (place == to_gpu) m = m.to("webgpu");
    Tensor column = m.t()[0], row = m[2];
    const Tensor wide = m.unsqueeze(0).expand({2, 5, 5}), inverse = ~m, count = m.sum();
    row.fill_(false);
    column.logical_not_();
    return {m, column, row, wide, inverse, count, m.sum(1)};
  });
}

// ---- values that read their target --------------------------------------------------------------

TEST_P(WebGpuHazard, ExpressionsOverTheirTargetInAnotherOrder) {
  for (DType dtype : {int32, uint8, int64, float16}) {
    const Tensor x = small_values({70, 70}, dtype, 5);
    SCOPED_TRACE(name(dtype));
    expect_same([&](Place place) -> Tensors {
      Tensor a = place(x), b = place(x), c = place(x), d = place(x), e = place(x), f = place(x);
      a.masked_fill_(a.t() > 5, 0);
      b.add_(b.t() + 0);
      c.narrow(0, 1, 69).copy_(c.narrow(0, 0, 69) + 0);
      d.mul_(d[3] + 0);
      e[e.t() > 3] = e.clone().t()[(e.t() > 3).clone()].get();
      f.masked_scatter_(f.t() < 9, f.t() + 1);
      return {a, b, c, d, e, f};
    });
    // These run while their target is written.
    expect_same([&](Place place) -> Tensors {
      const Tensor a = place(x), b = place(x), c = place(x), d = place(x), e = place(x);
      store(a, a.t() + a);
      store(b.narrow(0, 1, 69), b.narrow(0, 0, 69) + 0);
      store_where(c, c.t() > 3, Tensor(1));
      store_where(d, d > 3, d.t() + 0);
      expand_into(e, e.t() > 3, place(x.flatten()));
      return {a, b, c, d, e};
    });
  }
}

TEST_P(WebGpuHazard, OverlappingWritesAreRefusedAsOnTheCpu) {
  const Tensor there = arange(6).to("webgpu");
  Tensor part = there.slice(0, 1);
  EXPECT_THROW(part.copy_(there.slice(0, 0, 5)), Error);
  EXPECT_THROW(part += there.slice(0, 0, 5), Error);
  EXPECT_THROW(there[0].expand({3}).add_(1), Error);
  Tensor mask = (there > 2).clone(), shifted = mask.slice(0, 1);
  EXPECT_THROW(shifted.masked_fill_(mask.slice(0, 0, 5), true), Error);
  EXPECT_THROW(part.masked_scatter_(mask.slice(0, 1), there.slice(0, 0, 2)), Error);
  EXPECT_TRUE(same(there, arange(6)));
}

TEST_P(WebGpuHazard, ScatterThatAsksForTooMuchWritesNothing) {
  Tensor x = arange(300).to("webgpu");
  EXPECT_THROW(x.masked_scatter_(x > 10, tensor({1, 2, 3}).to("webgpu")), Error);
  EXPECT_THROW((x[x > 10] = tensor({1, 2, 3}).to("webgpu")), Error);
  EXPECT_TRUE(same(x, arange(300)));
}

// ---- memory that is used again ------------------------------------------------------------------

TEST_P(WebGpuHazard, BuffersOfDeadTensorsDoNotComeBackTooEarly) {
  // Sizes repeat, so that each new tensor has the memory of one whose kernels may not have run.
  expect_same([](Place place) -> Tensors {
    const Tensor base = place(arange(1000, int32));
    Tensors sums;
    Tensor carried = base;
    for (int i = 0; i < 40; ++i) {
      Tensor next = carried + i;
      next.settle();
      const Tensor uploaded = place(full({1000}, i, int32));
      carried = where(uploaded > 20, next - base, next + uploaded).clone();
      if (i % 8 == 0) sums.push_back(carried.sum());
    }
    sums.push_back(carried);
    return sums;
  });
}

TEST_P(WebGpuHazard, UploadsComeAfterWhatWasRecordedBefore) {
  expect_same([](Place place) -> Tensors {
    Tensor x = place(arange(100, int32));
    const Tensor before = (x * 2).clone();  // recorded, not submitted
    x.copy_(full({100}, 7, int32).to(x.device()));
    const Tensor after = (x * 2).clone();
    x.narrow(0, 3, 5).copy_(arange(5, int32));  // from the CPU
    return {before, after, x, x.sum()};
  });
}

TEST_P(WebGpuHazard, ListsLongerThanOneSubmitKeepTheirOrder) {
  expect_same([](Place place) -> Tensors {
    Tensor x = place(zeros({64}, int32));
    for (int i = 0; i < 400; ++i) {
      x.narrow(0, i % 32, 32).add_(i);
      x.mul_(3);
    }
    return {x};
  });
}

}  // namespace
}  // namespace tamis
