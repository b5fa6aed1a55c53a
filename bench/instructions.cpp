// Runs the main workloads once each, for a tool that counts instructions: bench/instructions.py.
// With --ticks it prints the ticks of the CPU per element itself, which are instructions where
// scripts/emulate-avx512 runs it.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "peer.h"

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

/// What is counted, found by this name.
extern "C" __attribute__((noinline)) void bench_counted(const bench::Call* call) { (*call)(); }

namespace bench {

namespace {

constexpr int64_t kN = 100'000;
constexpr int64_t kRows = 250, kColumns = 400;

/// The arrays that workloads choose from, and how they are seen.
struct Data {
  std::vector<float> x = std::vector<float>(kN), other = x;
  std::vector<int64_t> longs = std::vector<int64_t>(kN), lengths = std::vector<int64_t>(kRows);
  std::vector<int64_t> small_values = std::vector<int64_t>(1000), wide_values = small_values;
  std::vector<uint8_t> bytes = std::vector<uint8_t>(kN);
  std::vector<uint8_t> half = bytes, few = bytes, most = bytes, runs = bytes;
  float lo = -1.6449f, hi = 1.6449f;
  int64_t k = kN / 2, columns = kColumns;

  Data() {
    std::mt19937_64 random(1);
    std::normal_distribution<float> normal;
    for (size_t i = 0; i < kN; ++i) {
      x[i] = normal(random);
      other[i] = normal(random);
      longs[i] = static_cast<int64_t>(random() % 1'000'000);
      bytes[i] = static_cast<uint8_t>(random());
      half[i] = random() % 2;
      few[i] = random() % 100 == 0;
      most[i] = random() % 10 != 0;
      runs[i] = i / 1000 % 2;
    }
    for (int64_t& length : lengths) length = static_cast<int64_t>(random() % (kColumns + 1));
    for (int64_t& value : small_values) value = static_cast<int64_t>(random() % 1'000'000);
    for (int64_t& value : wide_values) value = static_cast<int64_t>(random() >> 2);
  }
};

Array flat(const char* name, void* data, const char* dtype, int64_t n = kN) {
  return {name, data, dtype, 1, {n, 0}, {1, 0}};
}
Array matrix(const char* name, void* data, const char* dtype, int64_t row_stride = kColumns,
             int64_t column_stride = 1) {
  return {name, data, dtype, 2, {kRows, kColumns}, {row_stride, column_stride}};
}

struct Workload {
  const char* name;
  const char* operation;
  std::vector<Array> arrays;
  int64_t elements = kN;
};

std::vector<Workload> workloads(Data& d) {
  const Array x = flat("x", d.x.data(), "float32"), mask = flat("mask", d.half.data(), "bool");
  const Array lo = flat("lo", &d.lo, "float32", 1), hi = flat("hi", &d.hi, "float32", 1);
  const Array longs = flat("x", d.longs.data(), "int64");
  const Array grid = matrix("x", d.x.data(), "float32");
  const Array grid_mask = matrix("mask", d.half.data(), "bool");
  return {
      {"masked_select f32 50 %", "masked_select", {x, mask}},
      {"masked_select f32 1 %", "masked_select", {x, flat("mask", d.few.data(), "bool")}},
      {"masked_select f32 90 %", "masked_select", {x, flat("mask", d.most.data(), "bool")}},
      {"masked_select f32 runs", "masked_select", {x, flat("mask", d.runs.data(), "bool")}},
      {"masked_select i64 50 %", "masked_select", {longs, mask}},
      {"masked_select u8 50 %", "masked_select", {flat("x", d.bytes.data(), "uint8"), mask}},
      {"masked_select mask [R, 1]",
       "masked_select",
       {grid, {"mask", d.half.data(), "bool", 2, {kRows, 1}, {1, 1}}}},
      {"masked_select mask [1, C]",
       "masked_select",
       {grid, {"mask", d.half.data(), "bool", 2, {1, kColumns}, {kColumns, 1}}}},
      {"masked_select transposed",
       "masked_select",
       {matrix("x", d.x.data(), "float32", 1, kRows), grid_mask}},
      {"masked_select of 10",
       "masked_select",
       {flat("x", d.x.data(), "float32", 10), flat("mask", d.half.data(), "bool", 10)},
       10},
      {"x[m] = 0", "assign", {flat("x", d.other.data(), "float32"), mask}},
      {"masked_fill", "masked_fill", {x, mask}},
      {"where", "where", {x, flat("other", d.other.data(), "float32"), mask}},
      {"masked_scatter", "masked_scatter", {x, mask, flat("source", d.other.data(), "float32")}},
      {"backward of masked_select", "masked_select_backward", {x, mask}},
      {"nonzero", "nonzero", {mask}},
      {"masked sum", "masked_sum", {x, mask}},
      {"select between", "select_between", {x, lo, hi}},
      {"sum between", "sum_between", {x, lo, hi}},
      {"masked softmax", "masked_softmax", {grid, grid_mask}},
      {"length mask",
       "length_mask",
       {flat("lengths", d.lengths.data(), "int64", kRows),
        flat("columns", &d.columns, "int64", 1)}},
      {"isin small range", "isin", {longs, flat("values", d.small_values.data(), "int64", 1000)}},
      {"isin wide range", "isin", {longs, flat("values", d.wide_values.data(), "int64", 1000)}},
      {"kthvalue", "kthvalue", {x, flat("k", &d.k, "int64", 1)}},
      {"x > 0", "is_positive", {x}},
      {"atan", "atan", {x}},
      {"x + y of 10",
       "add",
       {flat("x", d.x.data(), "float32", 10), flat("other", d.other.data(), "float32", 10)},
       10},
      {"x[i] of 10",
       "take",
       {flat("x", d.x.data(), "float32", 1000), flat("index", d.lengths.data(), "int64", 10)},
       10},
  };
}

/// The fewest ticks that a call took: those with a timer's interrupt took more.
long ticks(const Call& call) {
  long fewest = 0;
#if defined(__x86_64__)
  for (int i = 0; i < 3; ++i) {
    const unsigned long long begin = __rdtsc();
    call();
    const long taken = static_cast<long>(__rdtsc() - begin);
    fewest = i == 0 ? taken : std::min(fewest, taken);
  }
#endif
  return fewest;
}

}  // namespace

}  // namespace bench

/// Prints a line "<elements> <name>" per workload, in the order in which they are run; with --ticks
/// "<ticks per element> <name>".
int main(int argc, char** argv) {
  const bool is_timed = argc > 1 && std::strcmp(argv[1], "--ticks") == 0;
  bench::set_threads(1);
  bench::Data data;
  for (const bench::Workload& w : bench::workloads(data)) {
    const bench::Arrays arrays(w.arrays.data(), static_cast<int64_t>(w.arrays.size()));
    const bench::Call call = bench::operations().at(w.operation)(arrays);
    call();  // tables filled, memory cached
    if (is_timed) {
      const double per_element = static_cast<double>(bench::ticks(call)) / w.elements;
      std::printf("%9.2f %s\n", per_element, w.name);
      continue;
    }
    bench_counted(&call);
    std::printf("%ld %s\n", static_cast<long>(w.elements), w.name);
  }
}
