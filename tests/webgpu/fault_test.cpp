// Faults of a device that lives: memory that is not there, shaders and lists that it refuses. Each
// is an error of its kind, and all other tensors go on.
#include <gtest/gtest.h>

#include "backend/webgpu/open.h"
#include "support/errors.h"
#include "support/layouts.h"
#include "support/observe.h"
#include "support/webgpu.h"
#include "tamis/tamis.h"

namespace tamis {
namespace {

using testing::error_of;
using testing::same;
using webgpu::Queue;
using webgpu::queue_of;

class WebGpuFault : public testing::WebGpuTest {
 protected:
  void SetUp() override {
    WebGpuTest::SetUp();
    before_ = arange(1000, device("webgpu"));
    before_.settle();
  }
  /// What was there before a fault is still there, and new work is done.
  void expect_alive() const {
    EXPECT_TRUE(same(before_, arange(1000)));
    EXPECT_TRUE(same(before_[before_ > 990].get() * 2, arange(991, 1000) * 2));
    EXPECT_EQ(arange(5).sum().item<int64_t>(), 10);
  }
  testing::ModeGuard mode_{false};
  Tensor before_;
};

// ---- memory -------------------------------------------------------------------------------------

TEST_F(WebGpuFault, TensorLargerThanAShaderCanSeeIsRefused) {
  const auto limit = static_cast<int64_t>(queue_of("webgpu").limits().buffer_bytes);
  const int64_t live = webgpu::stats().live_bytes;
  const std::string text = error_of([&] { (void)empty({limit + 1}, {uint8, "webgpu"}); });
  EXPECT_NE(text.find(std::to_string(limit + 1) + " bytes"), std::string::npos) << text;
  EXPECT_KIND(empty({limit + 1}, {uint8, "webgpu"}), memory);
  EXPECT_KIND(zeros({limit / 4 + 1}, device("webgpu")).settle(), memory);
  EXPECT_KIND(empty({int64_t{1} << 40}, {float64, "webgpu"}), memory);
  const Tensor one = ones({1}, device("webgpu")), wide = one.expand({limit / 4 + 1});
  EXPECT_KIND(wide.clone(), memory);
  EXPECT_KIND((wide + 1).settle(), memory);
  EXPECT_EQ((wide + 1).narrow(0, 5, 3).sum().item<float>(), 6) << "a part that fits";
  EXPECT_EQ(webgpu::stats().live_bytes, live + 4) << "a refused tensor is counted";
  expect_alive();
}

/// Lets tensors take so many bytes more than they do now.
class MemoryLimit {
 public:
  explicit MemoryLimit(int64_t more) { allow(more); }
  void allow(int64_t more) {
    queue_of("webgpu").set_memory_limit(webgpu::stats().live_bytes + more);
  }
  ~MemoryLimit() { queue_of("webgpu").set_memory_limit(0); }
  MemoryLimit(const MemoryLimit&) = delete;
  MemoryLimit& operator=(const MemoryLimit&) = delete;
};

TEST_F(WebGpuFault, WithoutMemoryLeftTensorsAreRefusedUntilThereIsSome) {
  const Tensor deferred = before_ * 2 + 1;
  {
    const MemoryLimit limit(100);
    EXPECT_KIND(zeros({1000}, device("webgpu")).settle(), memory);
    EXPECT_KIND(tensor({1.f}).expand({1000}).to("webgpu"), memory);
    EXPECT_KIND(before_.clone(), memory);
    EXPECT_KIND((before_ + 1).settle(), memory);
    const std::string text = error_of([&] { (void)before_.clone(); });
    EXPECT_NE(text.find("could not allocate 8000 bytes"), std::string::npos) << text;
    EXPECT_EQ((zeros({10}, device("webgpu")) + 1).sum().item<float>(), 10) << "this fits";
    EXPECT_TRUE(same(before_, arange(1000)));
  }
  EXPECT_TRUE(same(deferred, arange(1000) * 2 + 1)) << "it can be computed later";
  EXPECT_TRUE(same(before_.clone(), arange(1000)));
  expect_alive();
}

TEST_F(WebGpuFault, OperationsThatFailAtAnyAllocationChangeNothing) {
  using Operation = Tensor (*)(Tensor&, const Tensor&);
  const Operation operations[] = {
      [](Tensor& x, const Tensor& m) { return x.masked_select(m); },
      [](Tensor& x, const Tensor& m) {
        return x[m.view({100, 100}).flatten()].get();
      },
      [](Tensor& x, const Tensor& m) { return masked_select_padded(x, m, 9000).first; },
      [](Tensor& x, const Tensor& m) { return partition(x, m).second; },
      [](Tensor& x, const Tensor& m) { return nonzero(m & (x > 3)); },
      [](Tensor& x, const Tensor& m) { return masked::sum(x, m); },
      [](Tensor& x, const Tensor& m) { return where(m, x, x * 2).clone(); },
      [](Tensor& x, const Tensor& m) { return x.masked_scatter_(m, x + 1); },
      [](Tensor& x, const Tensor& m) {
        x[m] = masked_select(x, m) * 2;
        return x;
      },
      [](Tensor& x, const Tensor& m) {
        return x.masked_fill_(m.view({100, 100}).t().flatten(), 1);
      },
      [](Tensor& x, const Tensor&) {
        return x.copy_(x.view({100, 100}).t().flatten() + 1);
      },
  };
  const Tensor values = testing::random_values({10000}, int32, 4);
  const Tensor mask = testing::random_mask({10000}, 6), there = mask.to("webgpu");
  for (size_t i = 0; i < std::size(operations); ++i) {
    SCOPED_TRACE(i);
    Tensor x = values.to("webgpu"), expected = values.clone();
    const Tensor result = operations[i](expected, mask);
    const int64_t live = webgpu::stats().live_bytes;
    int failures = 0;
    for (int64_t more = 0;; more += 500) {
      ASSERT_LT(more, 1 << 20) << "never enough";
      MemoryLimit limit(more);
      try {
        const Tensor found = operations[i](x, there).settle();
        limit.allow(1 << 20);
        EXPECT_TRUE(same(found, result));
        EXPECT_TRUE(same(x, expected));
        break;
      } catch (const Error& e) {
        ++failures;
        EXPECT_EQ(e.kind(), ErrorKind::memory) << e.what();
      }
      ASSERT_EQ(webgpu::stats().live_bytes, live) << "a failed operation keeps memory";
      if (more % 5000 == 0) {
        limit.allow(1 << 20);
        ASSERT_TRUE(same(x, values));
      }
    }
    EXPECT_GT(failures, 0);
  }
  expect_alive();
}

TEST_F(WebGpuFault, MemoryOfTensorsThatAreGoneIsCountedNoMore) {
  const int64_t live = webgpu::stats().live_bytes;
  {
    const Tensor x = zeros({1000}, device("webgpu")).settle();
    EXPECT_EQ(webgpu::stats().live_bytes, live + 4000);
    EXPECT_EQ(masked::sum(x, x > 0).item<float>(), 0);
  }
  EXPECT_EQ(webgpu::stats().live_bytes, live);
  queue_of("webgpu").trim();
  EXPECT_EQ(webgpu::stats().cached_bytes, 0);
  expect_alive();
}

// ---- shaders and lists that are refused ---------------------------------------------------------

TEST_F(WebGpuFault, ShaderThatDoesNotCompileIsRefusedWithTheCompilersMessage) {
  webgpu::Gpu& gpu = queue_of("webgpu").gpu();
  const std::string unknown =
      "@compute @workgroup_size(1) fn main() { let a = this_is_no_function(1u); }\n";
  const char* const bad[] = {
      "",
      "fn main( {",
      "fn other() {}",
      "@compute @workgroup_size(1) fn main() { let a: u32 = 1.5; }",
      "@compute @workgroup_size(100000) fn main() {}",
      // A binding that the layout has not.
      ("@group(0) @binding(7) var<storage, read_write> b: array<u32>;\n"
       "@compute @workgroup_size(1) fn main() { b[0] = 1u; }"),
  };
  for (const char* text : bad) {
    SCOPED_TRACE(text);
    EXPECT_KIND(gpu.make_pipeline(text, {}), device);
  }
  EXPECT_KIND(gpu.make_pipeline(unknown, {}), device);
  const std::string message = error_of([&] { gpu.make_pipeline(unknown, {}); });
  EXPECT_NE(message.find("this_is_no_function"), std::string::npos) << message;
  EXPECT_NE(message.find("a shader was refused: "), std::string::npos) << message;
  EXPECT_NE(message.find("\n" + unknown), std::string::npos) << "without the text";
  EXPECT_EQ(message.find("refused: unknown"), std::string::npos) << "without a reason";
  expect_alive();
}

TEST_F(WebGpuFault, InvalidListIsRefusedAndTheNextOneRuns) {
  Queue& queue = queue_of("webgpu");
  const webgpu::Scratch small(queue, 64), other(queue, 64);
  webgpu::synchronize();
  queue.copy(small, 1 << 20, other, 0, 16);  // from beyond its end
  EXPECT_KIND(queue.submit(), device);
  queue.copy(small, 0, other, 2, 16);  // not at a multiple of 4
  EXPECT_KIND(queue.submit(), device);
  queue.clear(small, 0, 1 << 20);
  EXPECT_KIND(webgpu::synchronize(), device);
  expect_alive();
}

TEST_F(WebGpuFault, WritesAndReadsBeyondTheEndAreRefused) {
  webgpu::Gpu& gpu = queue_of("webgpu").gpu();
  void* const buffer = gpu.make_buffer(64);
  uint32_t word = 0;
  EXPECT_KIND(gpu.write(buffer, 64, &word, 4), device);
  EXPECT_KIND(gpu.read(buffer, 64, 4, [](const void*) {}), device);
  gpu.free_buffer(buffer);
  EXPECT_KIND(gpu.make_buffer(uint64_t{1} << 50), memory);
  expect_alive();
}

}  // namespace
}  // namespace tamis
