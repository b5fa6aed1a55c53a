// The kernel tables, one per instruction set, and the choice among them.
#include "backend/cpu/kernels/isa_list.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/kernels/kernels.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "backend/cpu/kernels/isa_macros-inl.h"
#include "backend/cpu/kernels/kernel_parts-inl.h"
#include "backend/cpu/kernels/kernels.h"
#include "backend/cpu/kernels/special.h"

HWY_BEFORE_NAMESPACE();
namespace tamis::cpu::HWY_NAMESPACE {

Kernels make_table() {
  Kernels t{};
#if HWY_TARGET == HWY_AVX3_DL
  t.isa = "avx512";
#elif HWY_TARGET == HWY_AVX2
  t.isa = "avx2";
#elif HWY_TARGET == HWY_SSE4
  t.isa = "sse4";
#else
  t.isa = "scalar";
#endif
  fill_unary(t);
  fill_binary(t);
  fill_compare(t);
  fill_cast(t);
  fill_math(t);
  fill_move(t);
  fill_reduce(t);
  fill_arg_reduce(t);
  fill_random(t);
  fill_softmax(t);
  fill_complex(t);
  fill_special(t);
  return t;
}

const Kernels& table() {
  static const Kernels filled = make_table();
  return filled;
}

}  // namespace tamis::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <cstdlib>
#include <iterator>
#include <string_view>

#include "hwy/targets.h"

// The last pass is that of the baseline, so HWY_NAMESPACE is the baseline here.
namespace tamis::cpu {
namespace {

struct Candidate {
  std::string_view isa;
  int64_t target;             // as Highway counts them; 0: any CPU
  const Kernels& (*table)();  // null if this build has none
};

// Best first. With -march flags the poorer ones are missing.
constexpr Candidate kCandidates[] = {
#if HWY_TARGETS & HWY_AVX3_DL
    {"avx512", HWY_AVX3_DL, N_AVX3_DL::table},
#else
    {"avx512", 0, nullptr},
#endif
#if HWY_TARGETS & HWY_AVX2
    {"avx2", HWY_AVX2, N_AVX2::table},
#else
    {"avx2", 0, nullptr},
#endif
#if HWY_TARGETS & HWY_SSE4
    {"sse4", HWY_SSE4, N_SSE4::table},
#else
    {"sse4", 0, nullptr},
#endif
#if HWY_STATIC_TARGET & (HWY_AVX3_DL | HWY_AVX2 | HWY_SSE4)
    {"scalar", 0, nullptr},
#else
    {"scalar", 0, HWY_NAMESPACE::table},
#endif
};

bool available(const Candidate& candidate) {
  return candidate.table != nullptr &&
         (candidate.target == 0 || (hwy::SupportedTargets() & candidate.target) != 0);
}

const Kernels& choose() {
  const char* wish = std::getenv("TAMIS_ISA");
  size_t first = 0;
  for (size_t i = 0; wish != nullptr && i < std::size(kCandidates); ++i) {
    if (kCandidates[i].isa == wish) first = i;
  }
  for (size_t i = first; i < std::size(kCandidates); ++i) {
    if (available(kCandidates[i])) return kCandidates[i].table();
  }
  return HWY_NAMESPACE::table();
}

}  // namespace

const Kernels& kernels() {
  static const Kernels& chosen = choose();
  return chosen;
}

const Kernels* kernels_for(const char* isa) {
  for (const Candidate& candidate : kCandidates) {
    if (candidate.isa == isa) return available(candidate) ? &candidate.table() : nullptr;
  }
  return nullptr;
}

}  // namespace tamis::cpu
#endif  // HWY_ONCE
