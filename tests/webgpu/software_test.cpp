// Kernels for devices on which a CPU runs shaders, as in browsers without a GPU: the device of the
// tests takes them when it is told to. Sizes are around those of fours, words and tiles.
#include <gtest/gtest.h>

#include <limits>

#include "backend/webgpu/open.h"
#include "support/observe.h"
#include "support/webgpu.h"
#include "tamis/tamis.h"

namespace tamis {
namespace {

using testing::random_mask;
using testing::random_values;
using testing::same;
using testing::to_gpu;

class WebGpuSoftware : public testing::WebGpuTest {
 protected:
  void SetUp() override {
    WebGpuTest::SetUp();
    webgpu::queue_of("webgpu").set_in_software(true);
  }
  void TearDown() override { webgpu::queue_of("webgpu").set_in_software(false); }

  const std::vector<int64_t> sizes_ = {1, 3, 4, 31, 64, 1000, 1023, 1024, 1025, 4098, 70001};
};

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

Tensor finite_values(const Shape& shape, uint32_t seed) {
  const Tensor x = random_values(shape, DType::float32, seed);
  return where(isfinite(x), x, Tensor(0.5f));
}

TEST_F(WebGpuSoftware, ComputesWhatTheCpuDoes) {
  for (int64_t n : sizes_) {
    const Tensor x = random_values({n}, DType::float32, 1),
                 y = random_values({n}, DType::float32, 2);
    const Tensor mask = random_mask({n}, 20), bytes = random_values({n}, DType::int8, 3);
    const Tensor gx = to_gpu(x), gy = to_gpu(y), gmask = to_gpu(mask), gbytes = to_gpu(bytes);
    EXPECT_TRUE(same(where(gmask, gx, gy), where(mask, x, y))) << n;
    EXPECT_TRUE(same(gx * 2 > gy, x * 2 > y)) << n;
    EXPECT_TRUE(same(gbytes + 1, bytes + 1)) << n;
    EXPECT_TRUE(same(gx * to_gpu(tensor(2.f)), x * 2)) << n;  // a single element of the device
    EXPECT_TRUE(same(isin(gx, to_gpu(x.slice(0, 0, n / 2))), isin(x, x.slice(0, 0, n / 2)))) << n;
  }
}

TEST_F(WebGpuSoftware, WritesNothingBesideTheTarget) {
  for (int64_t begin : {0, 1, 4}) {
    for (int64_t end : {10, 12, 16}) {
      Tensor x = random_values({16}, DType::float32, 4), there = to_gpu(x);
      const Tensor y = random_values({end - begin}, DType::float32, 5);
      Tensor part = x.slice(0, begin, end), its_part = there.slice(0, begin, end);
      part.add_(y);
      its_part.add_(to_gpu(y));
      EXPECT_TRUE(same(there, x)) << begin << " to " << end;
    }
  }
}

TEST_F(WebGpuSoftware, SelectsInOrder) {
  for (int64_t n : sizes_) {
    const Tensor x = random_values({n}, DType::float32, 6), gx = to_gpu(x);
    const Tensor some = random_mask({n}, 21);
    for (const Tensor& mask :
         {some, some & random_mask({n}, 22), full({n}, true), full({n}, false)}) {
      const Tensor gmask = to_gpu(mask);
      EXPECT_TRUE(same(masked_select(gx, gmask), masked_select(x, mask))) << n;
      EXPECT_TRUE(same(nonzero(gmask), nonzero(mask))) << n;
      EXPECT_EQ(count(gmask), count(mask)) << n;
      const Tensor source = random_values({n}, DType::float32, 7);
      EXPECT_TRUE(same(masked_scatter(gx, gmask, to_gpu(source)), masked_scatter(x, mask, source)))
          << n;
    }
    EXPECT_TRUE(same((gx * 2 + 1)[gx > 0], (x * 2 + 1)[x > 0])) << n;
  }
}

TEST_F(WebGpuSoftware, AddsUpInFloat32) {
  for (int64_t n : sizes_) {
    const Tensor x = finite_values({n}, 8), mask = random_mask({n}, 20);
    EXPECT_TRUE(allclose(to_gpu(x).sum().cpu(), x.sum(), 1e-5, 1e-3)) << n;
    EXPECT_TRUE(
        allclose(masked::sum(to_gpu(x), to_gpu(mask)).cpu(), masked::sum(x, mask), 1e-5, 1e-3))
        << n;
    EXPECT_TRUE(same(to_gpu(x).amax(), x.amax())) << n;
  }
  const Tensor rows = finite_values({7, 1000}, 9);
  EXPECT_TRUE(allclose(to_gpu(rows).sum({1}).cpu(), rows.sum({1}), 1e-5, 1e-3));
  EXPECT_TRUE(allclose(to_gpu(rows).sum({0}).cpu(), rows.sum({0}), 1e-5, 1e-3));
  EXPECT_TRUE(
      same(to_gpu(tensor({1.f, kInfinity, 2.f})).sum(), tensor({1.f, kInfinity, 2.f}).sum()));
  EXPECT_TRUE(same(to_gpu(tensor({kInfinity, -kInfinity})).sum(), Tensor(kNan).to(DType::float32)));
}

TEST_F(WebGpuSoftware, NormalizesRows) {
  for (int64_t length : {1, 4, 7, 64, 1000}) {
    for (int64_t rows : {3, 20}) {
      const Tensor x = finite_values({rows, length}, 10);
      EXPECT_TRUE(allclose(softmax(to_gpu(x), 1).cpu(), softmax(x, 1), 1e-5, 1e-9)) << length;
      EXPECT_TRUE(allclose(log_softmax(to_gpu(x), 1).cpu(), log_softmax(x, 1), 1e-5, 1e-5));
    }
  }
  Tensor x = zeros({8, 4});
  x[0][1] = kInfinity;
  x[1][2] = -kInfinity;
  x[2][3] = kNan;
  x[3] = full({4}, -kInfinity);
  x[4][0] = -1e30f;
  x[5][0] = 95.f;  // the others are too small to be normal
  EXPECT_TRUE(allclose(softmax(to_gpu(x), 1).cpu(), softmax(x, 1), 1e-5, 1e-37, true));
}

}  // namespace
}  // namespace tamis
