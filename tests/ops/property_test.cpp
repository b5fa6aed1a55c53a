// Properties: deferred and eager evaluation agree on random programs; laws that hold for all
// tensors and masks.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "backend/cpu/kernels/kernels.h"
#include "support/layouts.h"
#include "support/observe.h"
#include "support/program.h"
#include "tamis/masks.h"

namespace tamis {
namespace {

using testing::LayoutKind;
using testing::ModeGuard;
using testing::observe;
using testing::random_mask;
using testing::random_values;
using testing::Step;

constexpr DType kDTypes[] = {boolean, uint8,    uint16,  int8,    int16,     int32,     int64,
                             float16, bfloat16, float32, float64, complex64, complex128};

/// A number in [low, high), whatever size RapidCheck is at.
int64_t any_of(int64_t low, int64_t high) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(low, high));
}

std::vector<std::string> run_in_mode(const std::vector<Step>& steps, bool eager) {
  const ModeGuard mode(eager);
  const testing::OnTestDevice on_device;
  return testing::run_program(steps);
}

RC_GTEST_PROP(RandomPrograms, GiveTheSameBitsDeferredAndEager, ()) {
  const auto steps = *rc::gen::resize(250, rc::gen::arbitrary<std::vector<Step>>());
  const auto deferred = run_in_mode(steps, false), eager = run_in_mode(steps, true);
  RC_ASSERT(deferred.size() == eager.size());
  for (size_t i = 0; i < deferred.size(); ++i) RC_ASSERT(deferred[i] == eager[i]);
}

RC_GTEST_PROP(RandomPrograms, GiveTheSameBitsOnAnyNumberOfThreads, ()) {
  const auto steps = *rc::gen::resize(150, rc::gen::arbitrary<std::vector<Step>>());
  const int before = get_num_threads();
  set_num_threads(1);
  const auto one = run_in_mode(steps, false);
  set_num_threads(3);
  const auto three = run_in_mode(steps, false);
  set_num_threads(before);
  RC_ASSERT(one == three);
}

// ---- laws of masking ----------------------------------------------------------------------------

/// A tensor and a mask of its shape, in some layout.
struct Pair {
  Tensor x, mask;
};

Shape any_shape() {
  if (any_of(0, 3) == 0) {
    return {*rc::gen::element<int64_t>(0, 1, 63, 64, 65, 4095, 4096, 4097, 70000)};
  }
  Shape shape(static_cast<size_t>(any_of(0, 5)), 0);
  for (int64_t& size : shape) size = any_of(0, 60) / 3;
  return shape;
}

Tensor in_some_layout(const Tensor& x) {
  const auto kind = *rc::gen::elementOf(
      std::vector<LayoutKind>(testing::kLayoutKinds.begin(), testing::kLayoutKinds.end()));
  const auto result = testing::with_layout(kind, x);
  return result ? *result : x;
}

Pair any_pair() {
  const Shape shape = any_shape();
  const DType dtype =
      *rc::gen::elementOf(std::vector<DType>(std::begin(kDTypes), std::end(kDTypes)));
  const auto seed = *rc::gen::arbitrary<uint32_t>();
  return {in_some_layout(random_values(shape, dtype, seed)),
          in_some_layout(random_mask(shape, seed * 31 + 7))};
}

/// The elements as sorted byte strings.
std::vector<std::string> multiset(const Tensor& x) {
  const std::vector<char> bytes = testing::detail::bytes_of(x);
  std::vector<std::string> elements;
  for (size_t i = 0; i < bytes.size(); i += x.itemsize()) {
    elements.emplace_back(&bytes[i], x.itemsize());
  }
  std::sort(elements.begin(), elements.end());
  return elements;
}

RC_GTEST_PROP(Masks, CountEqualsTheNumberOfSelectedElements, ()) {
  const Pair p = any_pair();
  const int64_t n = count(p.mask);
  RC_ASSERT(masked_select(p.x, p.mask).shape() == Shape{n});
  RC_ASSERT(nonzero(p.mask).shape()[0] == n);
  RC_ASSERT(p.mask.sum().item<int64_t>() == n);
  RC_ASSERT(any(p.mask).item<bool>() == (n > 0));
  RC_ASSERT(all(p.mask).item<bool>() == (n == p.mask.numel()));
}

RC_GTEST_PROP(Masks, SelectionByAMaskAndByItsComplementIsAPermutation, ()) {
  const Pair p = any_pair();
  const Tensor all = cat({masked_select(p.x, p.mask), masked_select(p.x, ~p.mask)});
  RC_ASSERT(multiset(all) == multiset(p.x.dtype() == boolean ? p.x != false : p.x));
}

RC_GTEST_PROP(Masks, ScatterUndoesSelect, ()) {
  const Pair p = any_pair();
  const Tensor selected = masked_select(p.x, p.mask);
  const Tensor back = masked_scatter(zeros_like(p.x), p.mask, selected);
  RC_ASSERT(observe(back) == observe(where(p.mask, p.x, zeros_like(p.x))));
  RC_ASSERT(observe(masked_scatter(p.x, p.mask, selected)) == observe(p.x));
}

RC_GTEST_PROP(Masks, SelectionByAnAndIsSelectionInTwoSteps, ()) {
  const Pair p = any_pair();
  const Tensor other = random_mask(p.x.shape(), *rc::gen::arbitrary<uint32_t>());
  const Tensor two_steps = masked_select(masked_select(p.x, p.mask), masked_select(other, p.mask));
  RC_ASSERT(observe(masked_select(p.x, p.mask & other)) == observe(two_steps));
}

RC_GTEST_PROP(Masks, IndexingReadsWhatItWrites, ()) {
  const Pair p = any_pair();
  const Tensor x = p.x.clone(), source = masked_select(p.x, p.mask);
  x[p.mask] = zeros({}, p.x.dtype());
  RC_ASSERT(observe(x[p.mask]) == observe(zeros({count(p.mask)}, p.x.dtype())));
  RC_ASSERT(observe(x[~p.mask]) == observe(masked_select(p.x, ~p.mask)));
  x[p.mask] = source;
  RC_ASSERT(observe(x) == observe(p.x));
}

RC_GTEST_PROP(Masks, NonzeroGivesTheCoordinatesOfWhatSelectGives, ()) {
  const Pair p = any_pair();
  const Tensor rows = nonzero(p.mask);
  const std::vector<int64_t> at = rows.to_vector<int64_t>();
  std::string places = "";
  const std::vector<char> all = testing::detail::bytes_of(p.x),
                          some = testing::detail::bytes_of(masked_select(p.x, p.mask));
  const size_t size = p.x.itemsize();
  for (int64_t k = 0; k < rows.shape()[0]; ++k) {
    int64_t position = 0;
    for (int64_t d = 0; d < p.x.dim(); ++d)
      position = position * p.x.shape()[d] + at[k * p.x.dim() + d];
    const bool same = p.x.dtype() == boolean ? (all[position] != 0) == (some[k] != 0)
                                             : std::equal(&some[k * size], &some[k * size] + size,
                                                          &all[position * size]);
    RC_ASSERT(same);
  }
}

// ---- structured masks ---------------------------------------------------------------------------

Tensor any_structured_mask() {
  const testing::OnTestDevice on_device;
  const int64_t n = any_of(0, 90), m = any_of(0, 90), lower = any_of(-95, 95),
                upper = any_of(-95, 95);
  switch (any_of(0, 4)) {
    case 0:
      return masks::causal(n, m, lower);
    case 1:
      return masks::band(n, m, lower, upper);
    case 2:
      return masks::sliding_window(n, m, upper > 0);
    default: {
      std::vector<int64_t> lengths(static_cast<size_t>(n));
      for (int64_t& length : lengths) length = any_of(0, m + 1);
      return masks::from_lengths(tensor(lengths), m);
    }
  }
}

/// Some view of x.
Tensor any_view(Tensor x) {
  for (int64_t steps = any_of(0, 4); steps > 0; --steps) {
    if (x.dim() == 0) return x;
    const int64_t d = any_of(0, x.dim()), size = x.shape()[d];
    switch (any_of(0, 5)) {
      case 0:
        x = x.transpose(d, 0);
        break;
      case 1:
        x = x.slice(d, any_of(0, 3), {}, any_of(1, 4));
        break;
      case 2:
        x = x.narrow(d, size / 3, size / 2);
        break;
      case 3: {
        Shape wide = x.shape();
        wide.insert(0, 2);
        x = x.expand(wide);
        break;
      }
      default:
        if (size > 0) x = x.select(d, any_of(0, size));
    }
  }
  return x;
}

RC_GTEST_PROP(StructuredMasks, EqualTheirMaterialisation, ()) {
  const ModeGuard mode(false);
  const Tensor whole = any_structured_mask();
  const Tensor view = any_view(whole);
  // Computed by sinks before the mask has any memory.
  const int64_t n = count(view), total = count(whole);
  const Tensor x = random_values(view.shape(), float32, 3);
  const std::vector<std::string> lazily = {observe(masked_select(x, view)), observe(nonzero(view)),
                                           observe(where(view, x, 0)),      observe(view.sum()),
                                           observe(~view | (x > 0)),        observe(view.any({}))};
  whole.settle();
  RC_ASSERT(!view.is_deferred());
  const Tensor bytes = view.clone();
  RC_ASSERT(count(whole) == total);
  RC_ASSERT(count(bytes) == n);
  const std::vector<std::string> stored = {
      observe(masked_select(x, bytes)), observe(nonzero(bytes)),
      observe(where(bytes, x, 0)),      observe(bytes.sum()),
      observe(~bytes | (x > 0)),        observe(bytes.any({}))};
  RC_ASSERT(lazily == stored);
}

// ---- how it ran does not show -------------------------------------------------------------------

/// Everything whose bits could depend on the order of work.
std::vector<std::string> results_of_everything() {
  const testing::OnTestDevice on_device;
  std::vector<std::string> seen;
  for (DType dtype : {float32, float64, float16, int32}) {
    const Tensor x = rand({611, 523}).to(float64).mul(1000).sub(300).to(dtype);
    const Tensor mask = random_mask({611, 523}, 12);
    for (const Dims& dims : {Dims{}, Dims{0}, Dims{1}, Dims{0, 1}}) {
      seen.push_back(observe(x.sum(dims)));
      seen.push_back(observe(x.amax(dims)));
      seen.push_back(observe(where(mask, x, zeros_like(x)).sum(dims)));
      if (is_floating_point(dtype)) seen.push_back(observe(x.mean(dims)));
    }
    seen.push_back(observe(masked_select(x, mask)));
    seen.push_back(observe(nonzero(x > 100)));
    seen.push_back(observe(masked_scatter(x, mask, masked_select(x, mask) * 2)));
    seen.push_back(observe((x * x - 3).sqrt() / 7 + x));
    seen.push_back(
        observe(exp(x.to(float64) / 1000) + sin(x.to(float32)) * tanh(x.to(float32) / 500)));
    seen.push_back(observe(x.to(float32).to(int16) + x.to(bfloat16).to(int32)));
    seen.push_back(observe(x.view({47, 13, 523}).sum({1})));
  }
  return seen;
}

TEST(Bits, DoNotDependOnTheNumberOfThreads) {
  const int before = get_num_threads();
  std::vector<std::vector<std::string>> results;
  for (int threads : {1, 2, 3, 7}) {
    set_num_threads(threads);
    manual_seed(5);
    results.push_back(results_of_everything());
  }
  set_num_threads(before);
  for (const auto& other : results) EXPECT_EQ(other == results[0], true);
}

TEST(Bits, DoNotDependOnTheModeOfEvaluation) {
  std::vector<std::string> results[2];
  for (bool eager : {false, true}) {
    const ModeGuard mode(eager);
    manual_seed(5);
    results[eager] = results_of_everything();
  }
  EXPECT_TRUE(results[0] == results[1]);
}

TEST(Bits, OfAnElementDoNotDependOnItsPosition) {
  constexpr Tensor (*kOps[])(const Tensor&) = {exp,   log,   log2,    log10, log1p,
                                               expm1, sin,   cos,     tan,   tanh,
                                               sqrt,  rsqrt, sigmoid, erf,   reciprocal};
  for (DType dtype : {float32, float64, float16}) {
    const Tensor x = random_values({4200}, dtype, 17);
    for (auto op : kOps) {
      const Tensor whole = op(x);
      for (int64_t start : {1, 3, 7, 4095, 4190}) {
        const Tensor part = op(x.narrow(0, start, 4200 - start).clone());
        ASSERT_EQ(observe(part) == observe(whole.narrow(0, start, 4200 - start)), true) << start;
      }
    }
  }
}

// The digest of this process is compared with that of processes that are forced to other
// instruction sets.
size_t digest() {
  manual_seed(5);
  std::string all;
  for (const std::string& s : results_of_everything()) all += s;
  return std::hash<std::string>()(all);
}

TEST(Bits, Digest) { std::printf("digest %zu\n", digest()); }

TEST(Bits, DoNotDependOnTheInstructionSet) {
  const std::string self = std::filesystem::read_symlink("/proc/self/exe");
  for (const char* isa : {"scalar", "sse4", "avx2", "avx512"}) {
    if (!cpu::kernels_for(isa)) continue;
    const std::string command =
        std::string("env -u GTEST_TOTAL_SHARDS -u GTEST_SHARD_INDEX TAMIS_ISA=") + isa + " '" +
        self + "' --gtest_filter=Bits.Digest";
    FILE* out = popen(command.c_str(), "r");
    ASSERT_NE(out, nullptr);
    size_t theirs = 0;
    for (char line[512]; std::fgets(line, sizeof line, out);)
      std::sscanf(line, "digest %zu", &theirs);
    EXPECT_EQ(pclose(out), 0) << command;
    EXPECT_EQ(theirs, digest()) << isa << " against " << tamis::isa();
  }
}

}  // namespace
}  // namespace tamis
