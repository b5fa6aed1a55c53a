// Memory: what fused selections allocate, and tensors of more than 2^31 elements.
#include <fstream>
#include <iostream>
#include <sstream>

#include "support/mask_cases.h"

namespace tamis {
namespace {

using namespace mask_cases;

constexpr int64_t kMiB = int64_t{1} << 20;
constexpr int64_t kGiB = int64_t{1} << 30;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif
#else
constexpr bool kSanitized = false;
#endif

/// A number of kibibytes from a file of /proc, in bytes; 0 if there is none.
int64_t proc_bytes(const char* file, const std::string& key) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (line.rfind(key, 0) != 0) continue;
    std::istringstream rest(line.substr(key.size()));
    int64_t kib = 0;
    rest >> kib;
    return kib * 1024;
  }
  return 0;
}

/// Whether a test that needs this much memory can run; says so if it cannot.
bool has_memory(int64_t bytes) {
  if (kSanitized) {
    std::cout << "[  SKIPPED ] sanitizers multiply the memory that this needs\n";
    return false;
  }
  const int64_t available = proc_bytes("/proc/meminfo", "MemAvailable:");
  if (available >= bytes) return true;
  std::cout << "[  SKIPPED ] needs " << bytes / kMiB << " MiB of free memory, but there are "
            << available / kMiB << "\n";
  return false;
}

/// Deferral is what these tests are about, also when the others run eagerly.
class Memory : public ::testing::Test {
 protected:
  void SetUp() override {
    eager_ = eager_mode();
    set_eager_mode(false);
  }
  void TearDown() override {
    set_eager_mode(eager_);
    empty_cache();
  }

 private:
  bool eager_ = false;
};

/// Runs f once and returns how many bytes it allocated in tensors.
template <class F>
int64_t allocated_by(F&& f) {
  const int64_t before = memory_stats().allocated_bytes;
  f();
  return memory_stats().allocated_bytes - before;
}

/// Runs f once and returns by how much the process grew meanwhile, or 0 where that cannot be
/// measured.
template <class F>
int64_t growth_during(F&& f) {
  empty_cache();
  std::ofstream("/proc/self/clear_refs") << "5";  // the peak starts again from here
  const int64_t before = proc_bytes("/proc/self/status", "VmRSS:");
  f();
  const int64_t peak = proc_bytes("/proc/self/status", "VmHWM:");
  return kSanitized || before == 0 ? 0 : peak - before;
}

/// What all tensors together may hold at most, as far as the test can know it.
int64_t machine_bytes() {
  return proc_bytes("/proc/meminfo", "MemTotal:") + proc_bytes("/proc/meminfo", "SwapTotal:");
}

/// Expects PyTorch's refusal of an allocation.
template <class F>
void expect_refused(F&& f, const char* what) {
  try {
    f();
    ADD_FAILURE() << what << ": nothing was thrown";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::memory) << what;
    EXPECT_EQ(std::string(e.what()).rfind(
                  "DefaultCPUAllocator: can't allocate memory: you tried to allocate ", 0),
              0u)
        << what << ": " << e.what();
  }
}

TEST_F(Memory, MoreThanTheMachineHasIsRefusedAtTheCall) {
  const int64_t machine = machine_bytes();
  ASSERT_GT(machine, 0);
  const int64_t n = machine + kGiB;
  expect_refused([&] { empty({n}, uint8); }, "empty");
  expect_refused([&] { ones({n / 4 + 1}); }, "ones");
  expect_refused([&] { arange(n / 8 + 1); }, "arange");
  expect_refused([&] { randperm(n / 8 + 1); }, "randperm");
  expect_refused([&] { one_hot(tensor({n / 8 + 1})); }, "one_hot");
  expect_refused([&] { repeat_interleave(tensor({1}), tensor({n / 8 + 1})); }, "repeat_interleave");
  expect_refused([&] { zeros({1}, uint8).expand({n}).clone(); }, "clone");
  expect_refused([&] { zeros({1}, uint8).expand({n}).to_vector<uint8_t>(); }, "to_vector");
  expect_refused([&] { zeros({1}, int64).expand({n}).sort(); }, "sort");
  expect_refused([&] { masks::documents(zeros({1}, int64).expand({n})); }, "documents");
  expect_refused([] { empty({INT64_MAX}, uint8); }, "as many bytes as 64 bits count");
  EXPECT_EQ(ones({1000}).sum().item<int64_t>(), 1000);
}

TEST_F(Memory, ADeferredResultThatIsTooLargeIsRefusedWhereItIsNeeded) {
  const int64_t n = machine_bytes() + kGiB;
  const Tensor x = ones({1}, uint8).expand({n});
  const Tensor y = x + 1;
  EXPECT_EQ(y.narrow(0, n - 3, 3).clone().to_vector<int>(), (std::vector<int>{2, 2, 2}));
  expect_refused([&] { y.settle(); }, "settle");
  expect_refused([&] { y.settle(); }, "settle again");
  set_eager_mode(true);
  expect_refused([&] { x + 1; }, "eager");
}

TEST_F(Memory, PartialResultsOfHugeBroadcastInputsAreRefused) {
  const Tensor x = ones({1}).expand({int64_t{1} << 56});
  expect_refused([&] { x.sum(); }, "sum");
  expect_refused([&] { argmax(x); }, "argmax");
  expect_refused([&] { masked_select(x, x > 0); }, "masked_select");
  expect_refused([&] { nonzero(x); }, "nonzero");
}

TEST_F(Memory, AllTensorsTogetherHaveNoMoreThanTheMachine) {
  const int64_t part = machine_bytes() / 10 * 6;
  if (kSanitized || proc_bytes("/proc/sys/vm/overcommit_memory", "") != 0) {
    GTEST_SKIP() << "pages count here before they are written to";
  }
  Tensor x;
  try {
    x = empty({part}, uint8);  // never written to
  } catch (const Error&) {
    GTEST_SKIP() << "the process can have less than the machine has";
  }
  expect_refused([&] { empty({part}, uint8); }, "a second one");
  x = Tensor();
  EXPECT_EQ(empty({part}, uint8).numel(), part);
}

TEST_F(Memory, AMaskComputedInTheBracketsIsFusedIntoTheWrite) {
  const int64_t n = 1'000'000;
  Tensor x = arange(n, float32).settle();
  const auto fused = [&](auto write) { return allocated_by(write); };
  EXPECT_LT(fused([&] { x[x >= 900'000] = 0; }), 1000);
  EXPECT_LT(fused([&] { x[(x > 10) & (x < 20)] *= 2; }), 1000);
  EXPECT_LT(fused([&] { x.masked_fill_(x == 38, -1); }), 1000);
  const std::vector<float> values = x.to_vector<float>();
  for (int64_t i = 0; i < n; ++i) {
    const float expected = i >= 900'000       ? 0.f
                           : i == 19          ? -1.f
                           : i == 38          ? -1.f
                           : i > 10 && i < 20 ? 2.f * i
                                              : i;
    ASSERT_EQ(values[i], expected) << i;
  }
}

TEST_F(Memory, AMaskThatSomebodyHoldsIsKeptWhenItsInputIsWritten) {
  Tensor x = tensor({1, 5, 2, 7});
  const Tensor mask = x > 3;
  x[mask] = 0;
  x.masked_fill_(mask, 1);
  EXPECT_EQ(x.to_vector<int64_t>(), (std::vector<int64_t>{1, 1, 2, 1}));
  EXPECT_EQ(count(mask), 2);
}

TEST_F(Memory, AMaskThatIsUsedAgainAndAgainIsKept) {
  const int64_t n = 3000000;
  const Tensor x = values_of(float32, {n}), mask = x > 50;
  const auto use = [&] { return count_nonzero(mask).item<int64_t>(); };
  const int64_t before = memory_stats().live_bytes, count = use();
  for (int i = 0; i < 3; ++i) use();
  EXPECT_LT(memory_stats().live_bytes - before, 1024);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(use(), count);
  EXPECT_NEAR(memory_stats().live_bytes - before, n / 8, 1024);  // as bits
}

TEST_F(Memory, AFusedSelectionAllocatesItsResultOnly) {
  const int64_t n = 10000000;
  const Tensor x = values_of(float32, {n});
  const float a = 25, b = 74;
  Tensor warm = x[(x >= a) & (x <= b)];  // threads and their scratch exist from here on
  const int64_t result_bytes = 4 * warm.numel();
  ASSERT_GT(result_bytes, 10 * kMiB);
  warm = Tensor();
  Tensor got;
  int64_t allocated = 0;
  const int64_t growth =
      growth_during([&] { allocated = allocated_by([&] { got = x[(x >= a) & (x <= b)]; }); });
  EXPECT_EQ(got.numel() * 4, result_bytes);
  EXPECT_GE(allocated, result_bytes);
  EXPECT_LE(allocated, result_bytes + 64 * 1024);
  EXPECT_LE(growth,
            result_bytes + 6 * kMiB);  // huge pages round up; a byte mask alone would be 10 MB
}

TEST_F(Memory, AMaskedSumAllocatesNothingThatGrows) {
  const int64_t n = 10000000;
  const Tensor x = values_of(float32, {n}), m = mask_of("random", {n});
  const double want = x.masked_fill(~m, 0).sum().item<double>();
  double got = 0;
  int64_t allocated = 0;
  const int64_t growth = growth_during(
      [&] { allocated = allocated_by([&] { got = x.masked_fill(~m, 0).sum().item<double>(); }); });
  EXPECT_EQ(got, want);
  EXPECT_LE(allocated, 64 * 1024);
  EXPECT_LE(growth, 4 * kMiB);
  EXPECT_LE(allocated_by([&] { got = where(x > 50, x, 0).sum().item<double>(); }), 64 * 1024);
}

TEST_F(Memory, ACausalMaskIsCountedWithoutMemory) {
  const int64_t n = 32768;
  EXPECT_LE(allocated_by([&] { EXPECT_EQ(count(masks::causal(n)), n * (n + 1) / 2); }), 4096);
  EXPECT_LE(
      allocated_by([&] { EXPECT_EQ(masks::causal(n).sum().item<int64_t>(), n * (n + 1) / 2); }),
      4096);
}

TEST_F(Memory, ACausalSelectionAllocatesItsResultOnly) {
  if (!has_memory(3 * kGiB)) return;
  const int64_t n = 32768, kept = n * (n + 1) / 2;
  Tensor x = empty({n, n}, int8);
  x.copy_(arange(n).to(int8).unsqueeze(1));  // row i holds i, wrapped
  Tensor got;
  int64_t allocated = 0;
  const int64_t growth = growth_during(
      [&] { allocated = allocated_by([&] { got = masked_select(x, masks::causal(n)); }); });
  EXPECT_EQ(got.numel(), kept);
  EXPECT_LE(allocated, kept + 64 * 1024);
  EXPECT_LE(growth, kept + 16 * kMiB);  // the mask would be 1 GiB
  const int8_t* values = got.data<int8_t>();
  for (int64_t i = 0; i < n; ++i) {
    const int64_t start = i * (i + 1) / 2;
    ASSERT_EQ(values[start], static_cast<int8_t>(i)) << i;
    ASSERT_EQ(values[start + i], static_cast<int8_t>(i)) << i;
  }
}

TEST_F(Memory, MoreThanTwoToThe31ElementsWork) {
  if (!has_memory(6 * kGiB)) return;
  const int64_t n = (int64_t{1} << 31) + 4097;
  const std::vector<int64_t> at = {
      0, 63, (int64_t{1} << 31) - 1, int64_t{1} << 31, (int64_t{1} << 31) + 1, n - 1};
  Tensor m = zeros({n}, boolean);
  for (int64_t i : at) m.narrow(0, i, 1).fill_(true);
  const auto kept = static_cast<int64_t>(at.size());
  EXPECT_EQ(count(m), kept);
  EXPECT_EQ(nonzero(m).flatten().to_vector<int64_t>(), at);
  EXPECT_EQ(masked_select(m, m).numel(), kept);
  EXPECT_EQ(m.sum().item<int64_t>(), kept);
  EXPECT_EQ(masked_select(m, ~m).numel(), n - kept);
  EXPECT_TRUE(m.narrow(0, n - 10, 10).any().item<bool>());
  EXPECT_FALSE((~m).all().item<bool>());
  m.masked_scatter_(m, tensor({true, false, true, false, true, false}));
  EXPECT_EQ(nonzero(m).flatten().to_vector<int64_t>(), (std::vector<int64_t>{at[0], at[2], at[4]}));
  m.masked_fill_(m, false);
  EXPECT_FALSE(m.any().item<bool>());
}

TEST_F(Memory, StructuredMasksOfMoreThanTwoToThe31ElementsWork) {
  const int64_t n = 65536;
  const std::vector<Tensor> diagonal = nonzero_tuple(masks::band(n, n, 0, 0));
  expect_same(diagonal[0], arange(n));
  expect_same(diagonal[1], arange(n));
  EXPECT_EQ(masked_select(tensor(1, int8), masks::band(n, n, 0, 0)).numel(), n);
}

}  // namespace
}  // namespace tamis
