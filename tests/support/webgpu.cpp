// WebGPU in tests.
#include "support/webgpu.h"

#include <cstdio>

#include "core/tensor_impl.h"
#include "support/observe.h"

namespace tamis::testing {

const std::vector<DType> kGpuDTypes{boolean, uint8, uint16, uint32,  uint64,   int8,
                                    int16,   int32, int64,  float16, bfloat16, float32};
const std::vector<DType> kEveryDType{boolean,  uint8,   uint16,  uint32,    uint64,
                                     int8,     int16,   int32,   int64,     float16,
                                     bfloat16, float32, float64, complex64, complex128};

::testing::AssertionResult has_adapter() {
  static const std::string trouble = [] {
    std::string text = error_of([] { (void)zeros({1}, Device("webgpu")).settle(); });
    if (text == "no error" && webgpu::adapters().empty()) text = "the list of adapters is empty";
    if (text == "no error") {
      const webgpu::Adapter adapter = webgpu::adapters().front();
      std::printf("[ adapter  ] %s (%s, %s, %s)\n", adapter.name.c_str(), adapter.backend.c_str(),
                  adapter.type.c_str(), adapter.driver.c_str());
      std::fflush(stdout);
    }
    return text;
  }();
  if (trouble == "no error") return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "these tests need a WebGPU adapter: " << trouble;
}

Tensor to_gpu(const Tensor& x) { return make_view(memory_of(x).to("webgpu"), layout_of(x)); }

Tensor memory_of(const Tensor& x) {
  x.settle();
  const int64_t n = storage_of(x)->bytes() / static_cast<int64_t>(x.itemsize());
  return make_tensor(storage_of(x), x.dtype(), Shape{n}).cpu();
}

::testing::AssertionResult same(const Tensor& gpu, const Tensor& cpu) {
  if (gpu.device() != Device("webgpu:0")) {
    return ::testing::AssertionFailure() << "the result is on " << gpu.device().str();
  }
  if (observe(gpu) == observe(cpu)) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "the device has\n"
                                       << gpu << " " << name(gpu.dtype()) << "\nand the CPU\n"
                                       << cpu << " " << name(cpu.dtype());
}

std::string error_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

}  // namespace tamis::testing
