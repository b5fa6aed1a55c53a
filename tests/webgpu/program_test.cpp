// Programs as shaders: more tensors than a shader can bind, structured masks, broadcasting, numbers
// of the host, ranks, empty tensors; each into several sinks, compared with the CPU.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "support/layouts.h"
#include "support/observe.h"
#include "support/webgpu.h"
#include "tamis/tamis.h"

namespace tamis {
namespace {

using testing::random_mask;
using testing::random_values;
using testing::same;
using testing::to_gpu;
using Tensors = std::vector<Tensor>;

class WebGpuPrograms : public testing::WebGpuTest {
 protected:
  testing::ModeGuard mode_{false};
};

/// Makes tensors on the device while it lives: structured masks stay structured there.
class OnWebGpu {
 public:
  OnWebGpu() { set_default_device("webgpu"); }
  ~OnWebGpu() { set_default_device("cpu"); }
  OnWebGpu(const OnWebGpu&) = delete;
  OnWebGpu& operator=(const OnWebGpu&) = delete;
};

/// Small whole numbers, of which sums and products are exact.
Tensor small_values(const Shape& shape, DType dtype, uint32_t seed) {
  return (random_values(shape, uint8, seed) % 8).to(dtype).clone();
}

/// Everything that a value and a mask of its shape can run into.
Tensors sinks(const Tensor& value, const Tensor& mask) {
  Tensor scattered = value.clone(), filled = value.clone(), assigned = value.clone();
  scattered.masked_scatter_(mask, value.flatten().contiguous());
  filled.masked_fill_(mask, 1);
  assigned[mask] = masked_select(value, mask);
  const auto [padded, count] = masked_select_padded(value, mask, 37, 2);
  const auto [kept, rejected] = partition(value, mask);
  Tensors all{value.clone(),
              mask.clone(),
              masked_select(value, mask),
              padded,
              count,
              kept,
              rejected,
              nonzero(mask),
              nonzero_static(mask, 11),
              scattered,
              filled,
              assigned,
              mask.sum(),
              mask.to(int8) + 1,
              masked_scatter(value, mask, value.contiguous())};
  if (value.dtype() != float64 && !value.is_complex()) {
    all.push_back(masked::sum(value, mask));
    all.push_back(value.sum());
    all.push_back(value.to(int32).amax());
    if (value.dim() > 0) {
      all.push_back(masked::sum(value, mask, 0));
      all.push_back(value.sum(-1));
      all.push_back(mask.any(0));
      all.push_back(mask.sum(-1));
    }
  }
  return all;
}

void expect_same(const Tensors& there, const Tensors& here) {
  ASSERT_EQ(there.size(), here.size());
  for (size_t i = 0; i < there.size(); ++i) EXPECT_TRUE(same(there[i], here[i])) << "sink " << i;
}

// ---- many leaves --------------------------------------------------------------------------------

TEST_F(WebGpuPrograms, MayReadMoreTensorsThanAShaderBinds) {
  for (size_t n : {6, 7, 8, 9, 15, 16, 17, 20, 31}) {
    SCOPED_TRACE(n);
    Tensors here, there;
    for (size_t i = 0; i < n; ++i) {
      here.push_back(small_values({60}, int32, static_cast<uint32_t>(i + 1)));
      there.push_back(to_gpu(here.back()));
    }
    const auto run = [](const Tensors& xs) {
      Tensor sum = xs[0], mask = xs[0] > 3;
      for (size_t i = 1; i < xs.size(); ++i) {
        sum = sum + xs[i];
        mask = mask ^ (xs[i] > 3);
      }
      return sinks(sum, mask);
    };
    expect_same(run(there), run(here));
  }
}

TEST_F(WebGpuPrograms, MayReadManyTensorsOfDifferentDTypesAndLayouts) {
  Tensors here, there;
  uint32_t seed = 0;
  for (DType dtype : testing::kEveryDType) {
    for (testing::LayoutKind kind :
         {testing::LayoutKind::offset, testing::LayoutKind::transposed}) {
      here.push_back(*with_layout(kind, small_values({6, 9}, dtype, ++seed)));
      there.push_back(to_gpu(here.back()));
    }
  }
  const auto run = [](const Tensors& xs) {
    Tensor mask = xs[0] != xs[1];
    for (size_t i = 2; i < xs.size(); i += 2) mask = mask ^ (xs[i] == xs[i + 1]);
    return sinks(where(mask, xs[4], xs[5]), mask);
  };
  expect_same(run(there), run(here));
}

TEST_F(WebGpuPrograms, MayReadOneTensorInManyWays) {
  const Tensor x = small_values({40, 40}, int16, 3), g = to_gpu(x);
  const auto run = [](const Tensor& v) {
    Tensor sum = v + v.t();
    for (int64_t i = 0; i < 20; ++i) sum = sum + v[i] - v.select(1, i).unsqueeze(1);
    return sinks(sum, sum > 0);
  };
  expect_same(run(g), run(x));
}

TEST_F(WebGpuPrograms, MayTakeManyNumbersFromTheDevice) {
  Tensors here, there;
  for (int64_t i = 0; i < 20; ++i) {
    here.push_back(tensor(i % 7, i % 2 ? int32 : int8));
    there.push_back(here.back().to("webgpu"));
  }
  const Tensor x = small_values({50}, int32, 1), g = to_gpu(x);
  const auto run = [](Tensor sum, const Tensors& numbers) {
    for (const Tensor& number : numbers) sum = minimum(sum * 2, sum + number);
    return sinks(sum, sum > numbers[3] + 5);
  };
  expect_same(run(g, there), run(x, here));
  expect_same(run(g, here), run(x, here));  // numbers of the host
}

/// Sets of more numbers than a kernel takes as parameters, by turns with and without a small range,
/// of 4 and 8 bytes. Their numbers are also among those of uint8.
Tensor set_of_numbers(int64_t i) {
  const Tensor numbers = arange(i, 90 + i, 3);
  switch (i % 5) {
    case 0:
      return numbers;
    case 1:
      return cat({numbers, arange(9) * 1'000'000'000'000});
    case 2:
      return numbers.to(int32);
    case 3:
      return cat({numbers, arange(9) * 200'000'000}).to(int32);
    default:
      return numbers.to(float32) / 2;
  }
}

TEST_F(WebGpuPrograms, MayLookIntoMoreSetsThanAShaderBinds) {
  const Tensor x = random_values({300}, uint8, 1), other = small_values({300}, float32, 2);
  const auto run = [](const Tensor& v, const Tensor& w, int64_t sets) {
    Tensor mask = w > 3;
    for (int64_t i = 0; i < sets; ++i) {
      const Tensor set = set_of_numbers(i);
      mask = mask ^ isin(v.to(set.dtype()), set.to(v.device()));
    }
    return sinks(where(mask, w, w + 1), mask);
  };
  for (int64_t sets : {4, 5, 6, 8, 20}) {
    SCOPED_TRACE(sets);
    expect_same(run(to_gpu(x), to_gpu(other), sets), run(x, other, sets));
  }
}

TEST_F(WebGpuPrograms, MayTakeMoreIndicesThanAShaderBinds) {
  const Shape shape{2, 3, 2, 1, 3, 2, 2, 3, 2};
  for (int64_t n = 5; n <= 9; ++n) {
    for (DType dtype : {int8, float16, float32, int64, complex128}) {
      SCOPED_TRACE(fmt::format("{} indices, {}", n, name(dtype)));
      const Tensor x = small_values(shape, dtype, 1), g = to_gpu(x);
      std::vector<Index> here, there;
      for (int64_t d = 0; d < n; ++d) {
        const auto seed = static_cast<uint32_t>(d + 2);
        const Tensor any = random_values({d % 2 ? 40 : 1, 7}, uint8, seed).to(int64);
        here.emplace_back(any % (2 * shape[d]) - shape[d]);
        there.emplace_back(to_gpu(any % (2 * shape[d]) - shape[d]));
      }
      EXPECT_TRUE(same(g.index(there), x.index(here)));
      EXPECT_TRUE(same(g.index_put(there, g.index(there)), x));
    }
  }
}

// ---- structured masks ---------------------------------------------------------------------------

/// Masks that are rules, not memory, and views of them, all [6, 9].
Tensors structured_masks() {
  const Tensor lengths = tensor({3, 0, 9, 1, 5, 9});
  return {masks::causal(6, 9),
          masks::causal(6, 9, 3),
          masks::causal(6, 9, -2),
          masks::causal(9, 6).t(),
          masks::band(6, 9, 1, 2),
          masks::band(6, 9, -2, 4),
          masks::band(6, 9, 3, -5),
          masks::band(6, 9, int64_t{1} << 40, 2),
          masks::band(6, 9, 1, int64_t{1} << 40),
          masks::band(9, 6, 2, 1).t(),
          masks::band(20, 30, 4, 5).slice(0, 3, {}, 3).slice(1, 1, 28, 3),
          masks::band(8, 12, 4, 5).narrow(0, 1, 6).narrow(1, 2, 9),
          masks::causal(9)[4].expand({6, 9}),
          masks::causal(6).t()[2].unsqueeze(1).expand({6, 9}),
          masks::sliding_window(9, 3).narrow(0, 2, 6),
          masks::from_lengths(lengths),
          masks::from_lengths(lengths, 12).narrow(1, 0, 9),
          masks::from_lengths(tensor({1, 6, 0, 2, 3, 4, 5, 6, 2}), 6).t(),
          masks::from_lengths(tensor({{2, 9}, {4, 1}, {0, 7}})).view({6, 9}),
          masks::from_lengths(tensor({{2, 9}, {4, 1}, {0, 7}})).transpose(0, 1).reshape({6, 9}),
          masks::documents(tensor({1, 1, 1, 2, 2, 3, 3, 3, 3})).narrow(0, 0, 6),
          ~masks::causal(6, 9),
          masks::causal(6, 9) & masks::from_lengths(lengths),
          arange(9) < arange(6).unsqueeze(1)};
}

TEST_F(WebGpuPrograms, StructuredMasksAndTheirViewsAreComputed) {
  const Tensor x = small_values({6, 9}, float32, 1), g = to_gpu(x);
  const Tensors here = structured_masks();
  Tensors there;
  {
    const OnWebGpu there_by_default;
    there = structured_masks();
  }
  for (size_t i = 0; i < here.size(); ++i) {
    SCOPED_TRACE(i);
    ASSERT_EQ(there[i].device(), Device("webgpu:0"));
    expect_same(sinks(g, there[i]), sinks(x, here[i]));
    EXPECT_TRUE(same(there[i].sum(1), here[i].sum(1)));
    EXPECT_TRUE(same(where(there[i], g, -g), where(here[i], x, -x)));
  }
}

TEST_F(WebGpuPrograms, ManyStructuredMasksMayMeet) {
  const auto run = [](const Device& device) {
    const Tensor values = small_values({7, 8}, int32, 1).to(device);
    Tensor mask = values > 3, sum = values;
    for (int64_t k = 0; k < 20; ++k) {
      const Tensor lengths =
          tensor({k % 9, 3 * k % 9, 5 * k % 9, 7 * k % 9, k % 4, 8 - k % 9, 2 * k % 9}).to(device);
      mask = mask ^ masks::from_lengths(lengths, 8);
      sum = where(masks::from_lengths(lengths, 8), sum + values, sum - k);
    }
    return sinks(sum, mask);
  };
  expect_same(run("webgpu"), run("cpu"));
}

TEST_F(WebGpuPrograms, StructuredMasksBroadcastOverBatches) {
  const Tensor x = small_values({3, 4, 5, 5}, float32, 2), g = to_gpu(x);
  const auto run = [](const Tensor& v, const Device& device) {
    const Tensor causal = masks::causal(5).to(device);
    const Tensor padding = masks::from_lengths(tensor({2, 5, 0}).to(device), 5).view({3, 1, 1, 5});
    return sinks(v, (causal & padding).expand({3, 4, 5, 5}));
  };
  expect_same(run(g, "webgpu"), run(x, "cpu"));
}

// ---- shapes -------------------------------------------------------------------------------------

TEST_F(WebGpuPrograms, OfAnyRankAndOrderOfDimensions) {
  const Shape sizes{3, 2, 4, 1, 3, 2};
  const Shape orders[] = {{0},          {1, 0},          {2, 0, 1},
                          {2, 0, 3, 1}, {2, 0, 4, 1, 3}, {5, 2, 0, 4, 1, 3}};
  for (size_t rank = 1; rank <= 6; ++rank) {
    Shape shape = sizes;
    shape.resize(rank);
    const Tensor x = small_values(shape, int16, 1), y = small_values(shape, int16, 2);
    const Tensor gx = to_gpu(x), gy = to_gpu(y);
    const Shape& order = orders[rank - 1];
    SCOPED_TRACE(rank);
    const auto run = [&](const Tensor& a, const Tensor& b) {
      const Tensor p = a.permute(order), q = b.permute(order);
      return sinks(p * 2 + q, (p > q) ^ (q > 3));
    };
    expect_same(run(gx, gy), run(x, y));
  }
}

TEST_F(WebGpuPrograms, BroadcastOperands) {
  const Tensor a = small_values({4, 1, 5}, int32, 1), b = small_values({3, 1}, int32, 2);
  const Tensor c = small_values({5}, int32, 3), d = small_values({1, 3, 5}, int8, 4);
  const auto run = [](const Tensor& p, const Tensor& q, const Tensor& r, const Tensor& s) {
    const Tensor sum = p + q * r - s;
    return sinks(sum, (p > q) & (r != s));
  };
  expect_same(run(to_gpu(a), to_gpu(b), to_gpu(c), to_gpu(d)), run(a, b, c, d));
  expect_same(sinks(to_gpu(a).expand({4, 3, 5}) + 0, (to_gpu(c) > 3).expand({4, 3, 5})),
              sinks(a.expand({4, 3, 5}) + 0, (c > 3).expand({4, 3, 5})));
}

TEST_F(WebGpuPrograms, EmptyTensorsAndTensorsWithoutDimensions) {
  for (const Shape& shape :
       {Shape{}, Shape{0}, Shape{1}, Shape{0, 4}, Shape{4, 0}, Shape{1, 1, 1}, Shape{3, 0, 2}}) {
    for (DType dtype : {boolean, int8, int16, float32, int64, complex128}) {
      SCOPED_TRACE(to_string(shape) + " " + name(dtype));
      const Tensor x = small_values(shape, dtype, 1), m = random_mask(shape, 6);
      expect_same(
          {to_gpu(x).masked_select(to_gpu(m)), to_gpu(x).masked_fill(to_gpu(m), 1),
           to_gpu(x).clone(), nonzero(to_gpu(m)), nonzero(to_gpu(x)),
           masked_select_padded(to_gpu(x), to_gpu(m), 3, 1).first,
           masked_select_padded(to_gpu(x), to_gpu(m), 0, 1).second, to_gpu(m).sum(),
           where(to_gpu(m), to_gpu(x), to_gpu(x)), masked_scatter(to_gpu(x), to_gpu(m), to_gpu(x)),
           partition(to_gpu(x), to_gpu(m)).second, to_gpu(x) == to_gpu(x)},
          {x.masked_select(m), x.masked_fill(m, 1), x.clone(), nonzero(m), nonzero(x),
           masked_select_padded(x, m, 3, 1).first, masked_select_padded(x, m, 0, 1).second, m.sum(),
           where(m, x, x), masked_scatter(x, m, x), partition(x, m).second, x == x});
    }
  }
  const Tensor none = zeros({4, 0}, device("webgpu"));
  EXPECT_TRUE(same(none.sum(), tensor(0.f)));
  EXPECT_TRUE(same(none.sum(1), zeros({4})));
  EXPECT_TRUE(same(none.sum(0), zeros({0})));
  EXPECT_TRUE(same(none.prod(), tensor(1.f)));
  EXPECT_TRUE(same(none.mean(), tensor(NAN)));
  const Tensor no_rows = masks::from_lengths(zeros({0}, {int64, "webgpu"}), 4);
  EXPECT_TRUE(same(no_rows.sum(0), zeros({4}, int64)));
  EXPECT_TRUE(same(masked::sum(none.t(), no_rows, 0), zeros({4})));
}

TEST_F(WebGpuPrograms, SizesAroundWordsGroupsAndTiles) {
  for (int64_t n : {1, 2, 3, 31, 32, 33, 255, 256, 257, 4095, 4097, 8191, 8192, 8193, 70000}) {
    for (DType dtype : {uint8, int16, int32}) {
      SCOPED_TRACE(std::string(name(dtype)) + " " + std::to_string(n));
      const Tensor x = small_values({n}, dtype, static_cast<uint32_t>(n)), m = random_mask({n}, 6);
      expect_same(sinks(to_gpu(x), to_gpu(m)), sinks(x, m));
      if (n > 5000) break;  // one is enough
    }
  }
}

// ---- numbers of the host ------------------------------------------------------------------------

TEST_F(WebGpuPrograms, NumbersOfTheHostOfAllDTypes) {
  for (DType dtype : testing::kEveryDType) {
    const Tensor x = small_values({33}, dtype, 1), g = to_gpu(x);
    for (DType of_number : testing::kEveryDType) {
      SCOPED_TRACE(std::string(name(dtype)) + " and " + name(of_number));
      const Tensor number = tensor(3).to(of_number);  // 0-d, on the CPU
      EXPECT_TRUE(same(where(g == g, g, number.to(dtype)), where(x == x, x, number.to(dtype))));
      if (is_complex(dtype) || is_complex(of_number)) continue;
      EXPECT_TRUE(same(g == number, x == number));
      EXPECT_TRUE(same(g < number, x < number));
      const DType result = (x + number).dtype();
      if (result == float64) continue;
      EXPECT_TRUE(same(g + number, x + number));
      EXPECT_TRUE(same(number * g, number * x));
    }
  }
}

TEST_F(WebGpuPrograms, NumbersOfTheHostKeepTheirValue) {
  const Tensor x = random_values({40}, float32, 1), g = to_gpu(x);
  for (double v :
       {0.0, -0.0, 0.1, 1e30, -1e-30, 3.4e38, double(INFINITY), -double(INFINITY), double(NAN)}) {
    SCOPED_TRACE(v);
    EXPECT_TRUE(same(g < v, x < v));
    EXPECT_TRUE(same(g == v, x == v));
    EXPECT_TRUE(same(g.masked_fill(g > 0, v), x.masked_fill(x > 0, v)));
    EXPECT_TRUE(same(g.to(float16).masked_fill(g > 0, INFINITY),
                     x.to(float16).masked_fill(x > 0, INFINITY)));
    EXPECT_TRUE(same(full({3}, v, device("webgpu")), full({3}, v)));
  }
  const Tensor i = arange(40) * 1000000007 - 11, gi = to_gpu(i);
  for (int64_t v :
       {int64_t{0}, int64_t{-1}, int64_t{1} << 33, -(int64_t{1} << 40), INT64_MAX, INT64_MIN}) {
    SCOPED_TRACE(v);
    EXPECT_TRUE(same(gi < v, i < v));
    EXPECT_TRUE(same(gi + v, i + v));
    EXPECT_TRUE(same(gi * v, i * v));
    EXPECT_TRUE(same(minimum(gi, v), minimum(i, v)));
    EXPECT_TRUE(same(gi.masked_fill(gi > 0, v), i.masked_fill(i > 0, v)));
  }
  for (int64_t v : {0, 1, 255, -128, 127, -1}) {
    const DType dtype = v < 0 ? int8 : uint8;
    const Tensor b = random_values({40}, dtype, 2), gb = to_gpu(b);
    EXPECT_TRUE(same(gb + v, b + v)) << v;
    EXPECT_TRUE(same(gb > v, b > v)) << v;
    EXPECT_TRUE(same(gb.masked_fill(gb > 3, v), b.masked_fill(b > 3, v))) << v;
  }
}

TEST_F(WebGpuPrograms, ExpressionsOfNumbersAreComputedOnceOnTheHost) {
  const Tensor x = small_values({40}, float32, 1), g = to_gpu(x);
  const Tensor scale = tensor(3.0) * 2, shift = tensor(5) - 7;  // deferred, on the CPU
  EXPECT_TRUE(same(g * scale.to(float32) + shift, x * scale.to(float32) + shift));
  EXPECT_TRUE(same(where(g > scale, g, shift.to(float32)), where(x > scale, x, shift.to(float32))));
}

// ---- long programs ------------------------------------------------------------------------------

TEST_F(WebGpuPrograms, ChainsLongerThanAnyProgram) {
  const Tensor x = small_values({40}, int32, 1), g = to_gpu(x);
  const auto run = [](const Tensor& v) {
    Tensor y = v;
    for (int i = 0; i < 300; ++i) y = i % 3 ? y + v : where(y > i, y - i, y * 2);
    return y;
  };
  EXPECT_TRUE(same(run(g), run(x)));
  Tensor doubled = ones({1}, device("webgpu"));
  for (int i = 0; i < 60; ++i) doubled = doubled + doubled;
  EXPECT_EQ(doubled.item<float>(), 0x1p60f);
}

TEST_F(WebGpuPrograms, ValuesThatTheMaskSharesAreReadOnce) {
  const Tensor x = random_values({500}, float32, 1), g = to_gpu(x);
  const auto run = [](const Tensor& v) {
    const Tensor y = v * 2 + 1, z = where(v > 0, y, v);
    return Tensors{z[y > 3], masked_select(y, (y > 3) & (z < 50)), masked::amax(z, z < 9),
                   where((y > 3) | (v < -7), z, y).clone(), z[z == z]};
  };
  expect_same(run(g), run(x));
}

}  // namespace
}  // namespace tamis
