// WebGPU in tests: a device that must be there, tensors on it in any layout, and counts of what it
// was asked to do.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "tamis/tamis.h"

namespace tamis::testing {

/// The adapters, or an account of why there are none. Prints the first one's name once per process.
::testing::AssertionResult has_adapter();

/// Tests of this class fail if there is no adapter: what is skipped proves nothing.
class WebGpuTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(has_adapter()); }
};

/// x on the device, in the same layout and with the same memory around it.
Tensor to_gpu(const Tensor& x);
/// All of the memory that x is a view of, as a 1-d tensor on the CPU.
Tensor memory_of(const Tensor& x);

/// A dtype, shape and bits that must be the same; NaNs are alike.
::testing::AssertionResult same(const Tensor& gpu, const Tensor& cpu);

/// Those whose elements the device computes with, and all.
extern const std::vector<DType> kGpuDTypes, kEveryDType;

/// What the device was asked to do since this was made, or since `restart`.
class Asked {
 public:
  Asked() { restart(); }
  void restart() { before_ = webgpu::stats(); }
  int64_t dispatches() const { return webgpu::stats().dispatches - before_.dispatches; }
  int64_t submits() const { return webgpu::stats().submits - before_.submits; }
  int64_t readbacks() const { return webgpu::stats().readbacks - before_.readbacks; }
  int64_t readback_bytes() const { return webgpu::stats().readback_bytes - before_.readback_bytes; }
  int64_t pipelines() const { return webgpu::stats().pipelines - before_.pipelines; }

 private:
  webgpu::Stats before_;
};

/// The text of the error that f throws.
std::string error_of(const std::function<void()>& f);

}  // namespace tamis::testing
