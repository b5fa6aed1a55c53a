// Selection by a mask against a plain branchy loop and memcpy, over density and run length. One
// thread, so that code is compared and not the number of cores; allocation of the result is part of
// what is timed.
#include <benchmark/benchmark.h>

#include <cstring>
#include <random>
#include <vector>

#include "tamis/tamis.h"

namespace {

constexpr int64_t kN = 10'000'000;

/// A mask whose trues come in runs of the given mean length, with the given share of trues. Runs of
/// 1 mean random bits.
tamis::Tensor make_mask(int64_t n, double density, double run) {
  std::mt19937_64 random(n + static_cast<int64_t>(1000 * density + run));
  std::vector<uint8_t> bytes(n);
  if (run <= 1) {
    std::bernoulli_distribution kept(density);
    for (uint8_t& b : bytes) b = kept(random);
  } else {
    std::geometric_distribution<int64_t> on(1 / run), off(1 / (run * (1 - density) / density));
    bool state = false;
    for (int64_t i = 0; i < n; state = !state) {
      for (int64_t k = 1 + (state ? on : off)(random); k > 0 && i < n; --k) bytes[i++] = state;
    }
  }
  return tamis::from_data(bytes.data(), {n}, tamis::boolean);
}

/// benchmark arguments: density in percent, mean run length
struct Case {
  explicit Case(const benchmark::State& state)
      : x(tamis::randn({kN})),
        mask(make_mask(kN, static_cast<double>(state.range(0)) / 100,
                       static_cast<double>(state.range(1)))) {
    tamis::set_num_threads(1);
  }
  tamis::Tensor x, mask;
};

void cases(benchmark::internal::Benchmark* b) {
  b->ArgNames({"percent", "run"})->Unit(benchmark::kMillisecond);
  for (int density : {1, 10, 50, 90, 99}) {
    for (int run : {1, 100}) b->Args({density, run});
  }
}

void report(benchmark::State& state) { state.SetItemsProcessed(state.iterations() * kN); }

void tamis_masked_select(benchmark::State& state) {
  const Case c(state);
  for (auto _ : state) benchmark::DoNotOptimize(tamis::masked_select(c.x, c.mask));
  report(state);
}
BENCHMARK(tamis_masked_select)->Apply(cases);

void branchy_loop(benchmark::State& state) {
  const Case c(state);
  const float* x = c.x.data<float>();
  const auto* mask = static_cast<const uint8_t*>(c.mask.data_ptr());
  for (auto _ : state) {
    size_t count = 0;
    for (int64_t i = 0; i < kN; ++i) count += mask[i] != 0;
    std::vector<float> out;
    out.reserve(count);
    for (int64_t i = 0; i < kN; ++i) {
      if (mask[i]) out.push_back(x[i]);
    }
    benchmark::DoNotOptimize(out.data());
  }
  report(state);
}
BENCHMARK(branchy_loop)->Apply(cases);

void memcpy_of_input(benchmark::State& state) {
  const Case c(state);
  std::vector<float> out(kN);
  for (auto _ : state) {
    std::memcpy(out.data(), c.x.data_ptr(), kN * sizeof(float));
    benchmark::ClobberMemory();
  }
  report(state);
}
BENCHMARK(memcpy_of_input)
    ->Args({50, 1})
    ->ArgNames({"percent", "run"})
    ->Unit(benchmark::kMillisecond);

/// x[(x >= a) & (x <= b)]: no mask in memory.
void tamis_fused_range(benchmark::State& state) {
  tamis::set_num_threads(1);
  const tamis::Tensor x = tamis::randn({kN});
  for (auto _ : state) benchmark::DoNotOptimize(x[(x >= -1.645f) & (x <= 1.645f)].get());
  report(state);
}
BENCHMARK(tamis_fused_range)->Unit(benchmark::kMillisecond);

/// The sum of what a mask keeps, in one pass.
void tamis_masked_sum(benchmark::State& state) {
  const Case c(state);
  for (auto _ : state) benchmark::DoNotOptimize(c.x.masked_fill(~c.mask, 0).sum().item<float>());
  report(state);
}
BENCHMARK(tamis_masked_sum)
    ->Args({50, 1})
    ->ArgNames({"percent", "run"})
    ->Unit(benchmark::kMillisecond);

}  // namespace
