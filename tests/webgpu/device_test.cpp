// The device "webgpu" as users see it: making tensors there and moving them, values, errors, what
// it lacks.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "support/errors.h"
#include "support/layouts.h"
#include "support/observe.h"
#include "support/webgpu.h"
#include "tamis/tamis.h"

namespace tamis {
namespace {

using testing::error_of;
using testing::random_mask;
using testing::random_values;
using testing::same;
using testing::to_gpu;
using Floats = std::vector<float>;

class WebGpuDevice : public testing::WebGpuTest {
 protected:
  const Device first_{"webgpu:0"};
  const Options there_ = device("webgpu");
};

TEST_F(WebGpuDevice, IsAvailableAndDescribesItsAdapters) {
  EXPECT_TRUE(webgpu::is_available());
  ASSERT_FALSE(webgpu::adapters().empty());
  for (const webgpu::Adapter& adapter : webgpu::adapters()) {
    EXPECT_FALSE(adapter.name.empty());
    const std::string& backend = adapter.backend;
    EXPECT_TRUE(backend == "vulkan" || backend == "metal" || backend == "d3d12") << backend;
    const std::string& type = adapter.type;
    EXPECT_TRUE(type == "discrete" || type == "integrated" || type == "cpu" || type == "unknown")
        << type;
  }
  const std::vector<std::string> types = device_types();
  EXPECT_NE(std::find(types.begin(), types.end(), "webgpu"), types.end());
}

TEST_F(WebGpuDevice, HasTheFirstIndexUnlessAnotherIsAskedFor) {
  const Tensor x = tensor({1.f, 2.f});
  EXPECT_EQ(x.to("webgpu").device(), first_);
  EXPECT_EQ(x.to("webgpu:0").device(), first_);
  EXPECT_FALSE(x.to("webgpu").is_cpu());
  EXPECT_EQ(error_of([&] { (void)x.to("webgpu:99"); }), "there is no device 'webgpu:99'");
  const auto behind = "webgpu:" + std::to_string(webgpu::adapters().size());
  EXPECT_EQ(error_of([&] { (void)x.to(behind); }), "there is no device '" + behind + "'");
  EXPECT_KIND(x.to("webgpu:99"), value);
  EXPECT_KIND(webgpu::stats("webgpu:99"), value);
  EXPECT_KIND(webgpu::stats("cpu"), value);
}

TEST_F(WebGpuDevice, MovingKeepsTheBitsOfEveryDTypeAndLayout) {
  for (DType dtype : testing::kEveryDType) {
    for (testing::LayoutKind kind : testing::kLayoutKinds) {
      SCOPED_TRACE(std::string(name(dtype)) + " " + testing::layout_name(kind));
      const auto x = testing::with_layout(kind, random_values({3, 5, 7}, dtype, 11));
      if (!x) continue;
      const Tensor there = x->to("webgpu");
      EXPECT_EQ(there.device(), first_);
      EXPECT_EQ(there.cpu().device(), Device("cpu"));
      EXPECT_TRUE(same(there, *x));
      EXPECT_TRUE(same(there.transpose(0, 2), x->transpose(0, 2)));
    }
  }
  const Tensor there = tensor({1.f, 2.f}, there_);
  EXPECT_TRUE(there.to("webgpu:0").shares_storage(there)) << "a copy without need";
  EXPECT_EQ(there.to("webgpu", float64).dtype(), float64);
}

TEST_F(WebGpuDevice, TensorsAreMadeWhereTheyAreAsked) {
  const Tensor x = tensor({{1, 2}, {3, 4}}, there_);
  const std::pair<Tensor, Tensor> pairs[] = {
      {x, tensor({{1, 2}, {3, 4}})},
      {zeros({2}, {int64, "webgpu"}), zeros({2}, int64)},
      {ones({5000}, there_), ones({5000})},
      {full({3}, 7, there_), full({3}, 7)},
      {full({3}, -1.5, {float16, "webgpu"}), full({3}, -1.5, float16)},
      {arange(5, there_), arange(5)},
      {arange(1, 9, 2, there_), arange(1, 9, 2)},
      {arange(0.5, 3.f, there_), arange(0.5, 3.f)},
      {eye(3, {}, there_), eye(3)},
      {zeros_like(x), zeros({2, 2}, int64)},
      {ones_like(x), ones({2, 2}, int64)},
      {full_like(x, 3), full({2, 2}, 3)},
      {tensor(std::vector<int>{1, 2}, there_), tensor(std::vector<int>{1, 2})},
      {masks::causal(3).to("webgpu"), masks::causal(3)},
      {zeros({0, 3}, there_), zeros({0, 3})},
      {tensor(2.5f, there_), tensor(2.5f)},
  };
  for (const auto& [there, here] : pairs) EXPECT_TRUE(same(there, here));
  EXPECT_EQ(empty({2}, there_).device(), first_);
  EXPECT_EQ(empty_like(x).device(), first_);
  EXPECT_EQ(zeros_like(x, device("cpu")).device(), Device("cpu"));
}

TEST_F(WebGpuDevice, CanBeTheDefault) {
  set_default_device("webgpu");
  const Tensor made = zeros({2}), mask = masks::causal(3), list = tensor({1, 2, 3});
  const Tensor sum = tensor({1.f, 2.f}, Device("cpu")) * 2;
  EXPECT_EQ(default_device(), first_);
  set_default_device("cpu");
  EXPECT_EQ(made.device(), first_);
  EXPECT_EQ(mask.device(), first_);
  EXPECT_EQ(list.device(), first_);
  EXPECT_EQ(sum.to_vector<float>(), (Floats{2, 4}));
  EXPECT_TRUE(same(mask, masks::causal(3)));
  EXPECT_KIND(set_default_device("webgpu:99"), value);
  EXPECT_EQ(default_device(), Device("cpu"));
}

TEST_F(WebGpuDevice, TensorsPrintAndGiveTheirValues) {
  const Tensor x = tensor({1.5f, -2.f}, there_);
  EXPECT_EQ(x[1].item<float>(), -2);
  EXPECT_EQ(x.to_vector<float>(), (Floats{1.5f, -2}));
  EXPECT_EQ(x.to_string(), "tensor([ 1.5000, -2.0000], device='webgpu:0')");
  EXPECT_EQ((x > 0).to_string(), "tensor([ True, False], device='webgpu:0')");
  EXPECT_EQ(tensor({1, 2}, {int8, "webgpu"}).to_string(),
            "tensor([1, 2], device='webgpu:0', dtype=torch.int8)");
  EXPECT_EQ(zeros({0}, there_).to_string(), "tensor([], device='webgpu:0')");
  EXPECT_EQ((x * 2).sum().item<float>(), -1);
  EXPECT_EQ(x.t().flatten()[0].item<double>(), 1.5);
  EXPECT_EQ(x.slice(0, 1).to_vector<double>(), (std::vector<double>{-2}));
}

TEST_F(WebGpuDevice, SingleElementsOfAllDTypesCanBeReadAtAnyPlace) {
  for (DType dtype : testing::kEveryDType) {
    const Tensor x = random_values({9}, dtype, 5), there = to_gpu(x);
    for (int64_t i = 0; i < 9; ++i) EXPECT_TRUE(same(there[i], x[i])) << name(dtype) << " " << i;
  }
}

TEST_F(WebGpuDevice, MemoryIsNotGivenOut) {
  const Tensor x = tensor({1.f, 2.f}, there_);
  const std::string text =
      "this tensor is on webgpu:0, where its memory has no address; call .cpu() first";
  EXPECT_EQ(error_of([&] { (void)x.data_ptr(); }), text);
  EXPECT_EQ(error_of([&] { (void)x.data<float>(); }), text);
  EXPECT_EQ(error_of([&] { (void)x.mutable_data<float>(); }), text);
  EXPECT_EQ(error_of([&] { (void)x.data_ptr<float>(); }), text);
}

TEST_F(WebGpuDevice, MustBeThatOfAllOperands) {
  const Tensor here = tensor({1.f, 2.f}), there = here.to("webgpu");
  const std::string text =
      "Expected all tensors to be on the same device, but found at least two devices, webgpu:0 and "
      "cpu!";
  EXPECT_EQ(error_of([&] { (void)(here + there); }), text);
  EXPECT_EQ(error_of([&] { (void)(there + here); }), text);
  EXPECT_EQ(error_of([&] { (void)masked_select(there, here > 1); }), text);
  EXPECT_EQ(error_of([&] { (void)where(there > 1, here, 0); }), text);
  EXPECT_EQ(error_of([&] { (void)cat({there, here}); }), text);
  EXPECT_EQ(error_of([&] { (void)index_select(there, 0, tensor({0})); }), text);
  EXPECT_EQ(error_of([&] { (void)masked_select_padded(there, here > 1, 4); }), text);
  Tensor target = there.clone();
  EXPECT_EQ(error_of([&] { target += here; }), text);
  EXPECT_EQ(error_of([&] { target[here > 1] = 0; }), text);
  EXPECT_EQ(error_of([&] { target.masked_fill_(here > 1, 0); }), text);
  EXPECT_EQ(error_of([&] { target.masked_scatter_(there > 1, here); }), text);
  EXPECT_EQ(target.to_vector<float>(), (Floats{1, 2})) << "a refused write changed something";
}

TEST_F(WebGpuDevice, NumbersAndTensorsWithoutDimensionsGoWithIt) {
  const Tensor there = tensor({1.f, 2.f}, there_), one = tensor(1.0);
  EXPECT_TRUE(same(there + 1, tensor({2.f, 3.f})));
  EXPECT_TRUE(same(one.to(float32) - there, tensor({0.f, -1.f})));
  EXPECT_TRUE(same(there * tensor(3), tensor({3.f, 6.f})));
  EXPECT_TRUE(same(where(there > 1, one.to(float32), there), tensor({1.f, 1.f})));
  EXPECT_TRUE(same(there > tensor(1.5f), tensor({false, true})));
  Tensor target = there.clone();
  target[there > 1] = one;
  EXPECT_TRUE(same(target, tensor({1.f, 1.f})));
  target[0] = 5;
  EXPECT_TRUE(same(target, tensor({5.f, 1.f})));
  target.masked_fill_(target > 2, tensor(7));
  EXPECT_TRUE(same(target, tensor({7.f, 1.f})));
  EXPECT_TRUE(same(there.masked_select(tensor(true)), tensor({1.f, 2.f})));
}

TEST_F(WebGpuDevice, CopiesGoBothWays) {
  for (DType dtype : testing::kEveryDType) {
    const Tensor x = random_values({6, 5}, dtype, 3);
    Tensor there = to_gpu(random_values({6, 5}, dtype, 4)), here = random_values({6, 5}, dtype, 5);
    there.copy_(x);
    EXPECT_TRUE(same(there, x)) << name(dtype);
    here.copy_(there);
    EXPECT_EQ(testing::observe(here), testing::observe(x)) << name(dtype);
    // Into a part of a tensor, whose neighbours stay what they were.
    Tensor wide = to_gpu(random_values({9, 9}, dtype, 6)), expected = wide.cpu().clone();
    wide.narrow(0, 1, 6).narrow(1, 3, 5).copy_(x);
    expected.narrow(0, 1, 6).narrow(1, 3, 5).copy_(x);
    EXPECT_TRUE(same(wide, expected)) << name(dtype);
    wide.select(0, 2).narrow(0, 3, 3).copy_(x[0].narrow(0, 1, 3));
    expected.select(0, 2).narrow(0, 3, 3).copy_(x[0].narrow(0, 1, 3));
    EXPECT_TRUE(same(wide, expected)) << name(dtype);
  }
}

TEST_F(WebGpuDevice, TensorsAreSavedFromWhereTheyAre) {
  const auto folder = std::filesystem::temp_directory_path() / "tamis_webgpu_device_test";
  std::filesystem::create_directories(folder);
  const Tensor x = random_values({5, 3}, float32, 2), there = to_gpu(x);
  for (const char* file : {"x.npy", "x.npz", "x.safetensors"}) {
    const std::string path = folder / file;
    save(path, there.t());
    EXPECT_EQ(testing::observe(load(path)), testing::observe(x.t())) << file;
    std::filesystem::remove(path);
  }
  std::filesystem::remove_all(folder);
}

TEST_F(WebGpuDevice, GradientsComeBackToWhereTheInputIs) {
  Tensor x = tensor({1.f, -2.f, 3.f}).requires_grad_();
  const Tensor y = x.to("webgpu");
  (y[y > 0].get() * 2).sum().backward();
  EXPECT_EQ(x.grad().device(), Device("cpu"));
  EXPECT_EQ(x.grad().to_vector<float>(), (Floats{2, 0, 2}));
  Tensor leaf = tensor({1.f, -2.f, 3.f}, there_).requires_grad_();
  (masked_select_padded(leaf, leaf > 0, 2).first * 3).sum().backward();
  EXPECT_TRUE(same(leaf.grad(), tensor({3.f, 0.f, 3.f})));
}

// ---- what it lacks ------------------------------------------------------------------------------

TEST_F(WebGpuDevice, ArithmeticOfWideNumbersIsRefusedByName) {
  for (DType dtype : {float64, complex64, complex128}) {
    const Tensor x = random_values({4}, dtype, 1).to("webgpu");
    const auto text = [&](const char* what) {
      return std::string("'") + what + "' of " + name(dtype) +
             " is not available on webgpu:0; call .cpu() first";
    };
    EXPECT_EQ(error_of([&] { (void)(x + 1); }), text("arithmetic"));
    EXPECT_EQ(error_of([&] { (void)(x * x); }), text("arithmetic"));
    EXPECT_EQ(error_of([&] { (void)x.exp(); }), text("arithmetic"));
    EXPECT_EQ(error_of([&] { (void)x.neg(); }), text("arithmetic"));
    EXPECT_EQ(error_of([&] { (void)x.sum(); }), text("reduction"));
    EXPECT_EQ(error_of([&] { (void)cumsum(x, 0); }), text("scan"));
    EXPECT_EQ(error_of([&] { (void)matmul(x.view({2, 2}), x.view({2, 2})); }), text("matmul"));
    EXPECT_KIND(x + 1, unsupported);
    Tensor target = x.clone();
    EXPECT_EQ(error_of([&] { target += 1; }), text("arithmetic"));
    EXPECT_TRUE(same(target, x.cpu())) << "a refused write changed something";
  }
}

TEST_F(WebGpuDevice, WideNumbersAreMovedComparedAndSelected) {
  for (DType dtype : {float64, complex64, complex128}) {
    SCOPED_TRACE(name(dtype));
    const Tensor x = random_values({700}, dtype, 1), y = random_values({700}, dtype, 2);
    const Tensor m = random_mask({700}, 6), gx = to_gpu(x), gy = to_gpu(y), gm = to_gpu(m);
    EXPECT_TRUE(same(gx == gy, x == y));
    EXPECT_TRUE(same(gx != gy, x != y));
    EXPECT_TRUE(same(where(gm, gx, gy), where(m, x, y)));
    EXPECT_TRUE(same(gx[gm], x[m]));
    EXPECT_TRUE(same(gx.masked_fill(gm, 3.25), x.masked_fill(m, 3.25)));
    EXPECT_TRUE(same(masked_scatter(gx, gm, gy), masked_scatter(x, m, y)));
    EXPECT_TRUE(same(masked_select_padded(gx, gm, 900, -1).first,
                     masked_select_padded(x, m, 900, -1).first));
    EXPECT_TRUE(same(cat({gx, gy}), cat({x, y})));
    EXPECT_TRUE(same(nonzero(gx), nonzero(x)));
    const Tensor rows = tensor({3, 0, -1}), there = rows.to("webgpu");
    EXPECT_TRUE(same(gx[there].get(), x[rows].get()));
    for (DType other : testing::kEveryDType) {
      if (is_complex(dtype) && !is_complex(other)) continue;
      if (is_integral(other) && other != boolean) continue;  // of NaN: unspecified
      EXPECT_TRUE(same(gx.to(other), x.to(other))) << name(other);
    }
  }
  const Tensor x = random_values({700}, float64, 1), y = random_values({700}, float64, 2);
  const Tensor gx = to_gpu(x), gy = to_gpu(y);
  EXPECT_TRUE(same(gx < gy, x < y));
  EXPECT_TRUE(same(gx >= gy, x >= y));
  EXPECT_TRUE(same(gx <= 0.37, x <= 0.37));
  for (DType other : {uint8, int8, int16, int32, int64}) {
    const Tensor finite = where(isfinite(x), x, zeros({}, float64)).clone();
    EXPECT_TRUE(same(to_gpu(finite.abs() / 4).to(other), (finite.abs() / 4).to(other)));
    EXPECT_TRUE(same(to_gpu(arange(-100, 100)).to(other).to(float64),
                     arange(-100, 100).to(other).to(float64)))
        << name(other);
  }
}

}  // namespace
}  // namespace tamis
