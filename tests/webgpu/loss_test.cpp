// Devices that are lost, that a fork leaves behind, or that never were: everything that needs them
// is refused with an error of kind device, in processes of their own. The CPU goes on.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "backend/webgpu/open.h"
#include "support/webgpu.h"
#include "tamis/tamis.h"

namespace tamis {
namespace {

using testing::error_of;
using webgpu::queue_of;

class WebGpuLossDeathTest : public ::testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};
const ::testing::ExitedWithCode kWell(0);

/// In the child of a death test: ends the process if something is wrong, and if it takes too long.
void require(bool ok, const std::string& what) {
  if (ok) return;
  std::fprintf(stderr, "wrong: %s\n", what.c_str());
  std::_Exit(1);
}
void require_refused(const char* what, const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& e) {
    return require(e.kind() == ErrorKind::device, std::string(what) + ": " + e.what());
  }
  require(false, std::string(what) + " throws nothing");
}
void require_cpu() {
  const Tensor x = arange(10);
  require(x[x > 6].to_vector<int64_t>() == std::vector<int64_t>{7, 8, 9}, "the CPU");
}

void work_on_a_lost_device() {
  alarm(60);
  const Tensor here = arange(100), x = here.to("webgpu"), mask = (x > 3).clone();
  Tensor target = x.clone();
  const Tensor recorded = (x * 3).clone(), deferred = x + 1;
  require(x.sum().item<int64_t>() == 4950, "the device before");
  const Tensor unsent = (x * 5).clone();
  queue_of("webgpu").gpu().lose();
  require_refused("cpu", [&] { (void)x.cpu(); });
  require_refused("item", [&] { (void)x[3].item<int64_t>(); });
  require_refused("unsent work", [&] { (void)unsent.cpu(); });
  require_refused("sent work", [&] { (void)recorded.cpu(); });
  require_refused("deferred", [&] { (void)deferred.cpu(); });
  require_refused("select", [&] { (void)masked_select(x, mask); });
  require_refused("sum", [&] { (void)x.sum().item<int64_t>(); });
  require_refused("write", [&] { (void)target.masked_fill_(mask, 3).cpu(); });
  require_refused("upload", [&] { (void)here.to("webgpu").cpu(); });
  require_refused("new tensor", [&] { (void)zeros({7777777}, device("webgpu")).cpu(); });
  require_refused("synchronize", [&] { webgpu::synchronize(); });
  require_refused("future", [&] { (void)masked_select_async(x, mask).get(); });
  require_refused("print", [&] { (void)x.to_string(); });
  const std::string text = error_of([&] { (void)x.cpu(); });
  require(text.find("lost") != std::string::npos, text);
  require(here.sum().item<int64_t>() == 4950, "a tensor on the CPU");
  require_cpu();
}

TEST_F(WebGpuLossDeathTest, TensorsOfALostDeviceRefuseEverythingButToDie) {
  ASSERT_TRUE(testing::has_adapter());
  EXPECT_EXIT(
      {
        work_on_a_lost_device();
        std::fprintf(stderr, "all refused\n");
        std::exit(0);
      },
      kWell, "all refused");
}

void lose_while_others_wait() {
  alarm(60);
  const Tensor x = arange(100000).to("webgpu");
  std::atomic<int> refused{0}, started{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&] {
      try {
        for (;;) {
          require(x[x > 50000].get().numel() == 49999, "a selection");
          ++started;
        }
      } catch (const Error& e) {
        require(e.kind() == ErrorKind::device, e.what());
        ++refused;
      }
    });
  }
  while (started < 3) std::this_thread::yield();
  queue_of("webgpu").gpu().lose();
  for (std::thread& t : threads) t.join();
  require(refused == 3, "a thread was not told");
  require_cpu();
}

TEST_F(WebGpuLossDeathTest, ThreadsThatWaitForALostDeviceAreTold) {
  ASSERT_TRUE(testing::has_adapter());
  EXPECT_EXIT(
      {
        lose_while_others_wait();
        std::fprintf(stderr, "all told\n");
        std::exit(0);
      },
      kWell, "all told");
}

[[noreturn]] void leave_tensors_behind() {
  alarm(60);
  static const Tensor x = arange(100).to("webgpu"), deferred = x * 2, unsent = (x + 1).clone();
  static const Future<Tensor> future = masked_select_async(x, x > 3);
  std::fprintf(stderr, "the end of main\n");
  std::exit(0);
}

TEST_F(WebGpuLossDeathTest, TensorsMayOutliveMain) {
  ASSERT_TRUE(testing::has_adapter());
  EXPECT_EXIT(leave_tensors_behind(), kWell, "the end of main");
}

/// A child that hangs is ended by its alarm.
void use_in_a_fork() {
  alarm(60);
  Tensor x = arange(100).to("webgpu");
  require(x.sum().item<int64_t>() == 4950, "the device before");
  if (const pid_t child = fork(); child == 0) {
    alarm(30);
    require_refused("cpu", [&] { (void)x.cpu(); });
    require_refused("sum", [&] { (void)x.sum().item<int64_t>(); });
    require_refused("new tensor", [&] { (void)zeros({5}, device("webgpu")).settle(); });
    require_refused("synchronize", [&] { webgpu::synchronize(); });
    x = Tensor();
    require_cpu();
    std::_Exit(0);
  } else {
    int status = 1;
    require(waitpid(child, &status, 0) == child && status == 0, "the child");
  }
  require(x.sum().item<int64_t>() == 4950, "the device after");
}

TEST_F(WebGpuLossDeathTest, ChildrenOfAForkAreRefusedAndTheParentGoesOn) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "ThreadSanitizer does not follow forks of many threads";
#endif
  ASSERT_TRUE(testing::has_adapter());
  EXPECT_EXIT(
      {
        use_in_a_fork();
        std::fprintf(stderr, "both well\n");
        std::exit(0);
      },
      kWell, "both well");
}

/// Sets a variable for the children of this process.
class Environment {
 public:
  Environment(const char* variable, const char* value) : variable_(variable) {
    if (const char* old = std::getenv(variable)) before_ = old;
    setenv(variable, value, 1);
  }
  ~Environment() {
    if (before_) {
      setenv(variable_, before_->c_str(), 1);
    } else {
      unsetenv(variable_);
    }
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  const char* const variable_;
  std::optional<std::string> before_;
};

/// Without a device everything that needs one says what is missing.
[[noreturn]] void work_without_a_device(const char* advice) {
  alarm(60);
  require(!webgpu::is_available(), "is_available");
  require(webgpu::adapters().empty(), "adapters");
  const Tensor x = arange(10);
  require_refused("to", [&] { (void)x.to("webgpu"); });
  require_refused("zeros", [&] { (void)zeros({2}, device("webgpu")); });
  require_refused("default", [&] { set_default_device("webgpu"); });
  require_refused("stats", [&] { (void)webgpu::stats(); });
  const std::string text = error_of([&] { (void)x.to("webgpu"); });
  require(text.find(advice) != std::string::npos, text);
  require(default_device() == Device("cpu"), "the default device");
  require(!testing::has_adapter(), "a test would not have noticed");
  require_cpu();
  std::fprintf(stderr, "%s\n", text.c_str());
  std::exit(0);
}

TEST_F(WebGpuLossDeathTest, WithoutALibraryTheErrorSaysWhatToInstall) {
  const Environment library("TAMIS_WEBGPU_LIB", "/nonexistent/libwebgpu.so");
  EXPECT_EXIT(work_without_a_device("pip install wgpu"), kWell,
              "/nonexistent/libwebgpu.so.*install a WebGPU library");
}

TEST_F(WebGpuLossDeathTest, ALibraryThatIsNoneIsRefused) {
  const Environment library("TAMIS_WEBGPU_LIB", "libm.so.6");
  EXPECT_EXIT(work_without_a_device("pip install wgpu"), kWell, "libm.so.6 lacks wgpu");
}

TEST_F(WebGpuLossDeathTest, WithoutAnAdapterTheErrorSaysWhatToInstall) {
  const Environment old_name("VK_ICD_FILENAMES", "/nonexistent");
  const Environment new_name("VK_DRIVER_FILES", "/nonexistent");
  EXPECT_EXIT(work_without_a_device("mesa-vulkan-drivers"), kWell, "no WebGPU adapter was found");
}

}  // namespace
}  // namespace tamis
