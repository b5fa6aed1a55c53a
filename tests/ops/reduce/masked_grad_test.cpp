// Gradients of masked reductions, softmax, variances, norms and scans, against difference
// quotients; and what is masked out has a gradient of zero, whatever stands there.
#include <functional>
#include <limits>

#include "support/mask_cases.h"

namespace tamis {
namespace {

using namespace mask_cases;

using Function = std::function<Tensor(const Tensor& x, const Tensor& mask)>;

struct Case {
  const char* name;
  Function f;
};

std::vector<Case> cases() {
  using T = const Tensor&;
  return {
      {"sum", [](T x, T m) { return masked::sum(x, m, {1}); }},
      {"prod",
       [](T x, T m) {
         return masked::prod(x, m, {0, 1});
       }},
      {"mean", [](T x, T m) { return masked::mean(x, m, {1}); }},
      {"amax", [](T x, T m) { return masked::amax(x, m, {1}); }},
      {"var", [](T x, T m) { return masked::var(x, m, {1}); }},
      {"std", [](T x, T m) { return masked::std(x, m); }},
      {"norm", [](T x, T m) { return masked::norm(x, m, 2, {1}); }},
      {"norm 3",
       [](T x, T m) {
         return masked::norm(x, m, 3, {0, 1});
       }},
      {"logsumexp", [](T x, T m) { return masked::logsumexp(x, m, {1}); }},
      {"softmax", [](T x, T m) { return masked::softmax(x, m, 1); }},
      {"log_softmax", [](T x, T m) { return where(m, masked::log_softmax(x, m, 1), 0.); }},
      {"softmin", [](T x, T m) { return masked::softmin(x, m, 1); }},
      {"normalize", [](T x, T m) { return masked::normalize(x, m, 2, 1); }},
      {"cumsum", [](T x, T m) { return masked::cumsum(x, m, 1); }},
      {"logaddexp", [](T x, T m) { return where(m, masked::logaddexp(x, x * x, m, m), 0.); }},
      {"max", [](T x, T) { return max(x, 1).first; }},
      {"unmasked softmax", [](T x, T) { return softmax(x, 0); }},
      {"unmasked var", [](T x, T) { return var(x, {0}); }},
      {"nanmean", [](T x, T) { return nanmean(x, {0}); }},
      {"diff", [](T x, T) { return diff(x); }},
  };
}

/// Numbers that differ, none of them zero.
Tensor numbers() { return ((arange(12) * 5 % 13).to(float64).view({3, 4}) / 3 - 1.9).settle(); }

Tensor some_mask() {
  return tensor({{true, true, false, true}, {true, false, true, true}, {false, true, true, true}});
}

TEST(MaskedGradients, AreDifferenceQuotients) {
  for (const Case& c : cases()) {
    Tensor x = numbers().clone();
    x.requires_grad_();
    EXPECT_NO_THROW(
        gradcheck([&](const std::vector<Tensor>& in) { return c.f(in[0], some_mask()); }, {x}))
        << c.name;
  }
}

TEST(MaskedGradients, WhatIsMaskedOutHasNone) {
  const double kNaN = std::numeric_limits<double>::quiet_NaN();
  for (const Case& c : cases()) {
    if (std::string(c.name) == "max") break;  // from here on the mask is not used
    const Tensor m = some_mask();
    Tensor clean = numbers().clone(), dirty = where(m, clean, kNaN).clone();
    const auto gradient = [&](Tensor& x) {
      x.requires_grad_();
      return grad({c.f(x, m).sum()}, {x})[0];
    };
    const Tensor got = gradient(dirty), want = gradient(clean);
    expect_same(where(m, got, 0.), where(m, want, 0.), c.name);
    EXPECT_TRUE((where(m, zeros_like(got), got) == 0).all().item<bool>()) << c.name;
  }
}

}  // namespace
}  // namespace tamis
