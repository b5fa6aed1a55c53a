// Gradients: every row against difference quotients, first and second order, in several layouts.
#include <fmt/format.h>

#include <set>

#include "core/tensor_impl.h"
#include "ops/row.h"
#include "support/layouts.h"
#include "support/pointwise_cases.h"
#include "tamis/tamis.h"

namespace tamis {
namespace {

using namespace testing;

/// Ops whose results depend on no element smoothly, or whose results are no tensors of floating
/// point numbers.
bool is_flat(const Row& row) {
  static const std::set<std::string> kNames = {"floor_divide", "empty_like", "zeros_like",
                                               "ones_like",    "full_like",  "rand_like",
                                               "randn_like",   "bernoulli",  "isclose",
                                               "bincount",     "complex",    "view_as_complex",
                                               "normal",       "histc",      "histogram",
                                               "randint_like", "nextafter",  "polar",
                                               "dropout"};  // other elements in every call:
                                                            // tests/ops/train/layers_test.cpp
  return kNames.count(row.name()) != 0;
}

/// The same shape with values between 0.3 and 0.95 that differ from each other, so that no function
/// is asked where it has a kink or a pole; for acosh, which has none there, 1 more.
Tensor smooth(const Row& row, const Tensor& x, int64_t& next) {
  const double least = row.name() == "acosh" ? 1.3 : 0.3;
  std::vector<double> values;
  for (int64_t i = 0; i < x.numel(); ++i, ++next) {
    values.push_back(least +
                     0.65 * std::fmod(static_cast<double>(next + 1) * 0.6180339887498949, 1.0));
  }
  return tensor(values, x.shape());
}

/// The sample with every tensor of floating point numbers made smooth, laid out, and a leaf; the
/// positions of these.
Args prepared(const Row& row, const Args& sample, LayoutKind layout,
              std::vector<size_t>& positions) {
  Args args = sample;
  int64_t next = 0;
  for (size_t i = 0; i < args.size(); ++i) {
    if (auto* list = std::get_if<std::vector<Tensor>>(&args[i])) {
      for (Tensor& y : *list) y = y.to(device());
    }
    auto* x = std::get_if<Tensor>(&args[i]);
    if (!x || !x->defined() || x->impl().is_number) continue;
    if (x->dtype() != DType::float32) {
      *x = x->to(device());
      continue;
    }
    Tensor laid_out = on_device(smooth(row, *x, next));
    if (auto other = with_layout(layout, laid_out)) laid_out = *other;
    *x = laid_out.detach().requires_grad_();
    positions.push_back(i);
  }
  return args;
}

/// The floating point results that a gradient flows to, in one row.
Tensor flattened(const Value& value) {
  std::vector<Tensor> parts;
  const auto add = [&](const Tensor& x) {
    if (x.dtype() == DType::float64 && x.requires_grad()) parts.push_back(x.reshape({-1}));
  };
  if (const auto* x = std::get_if<Tensor>(&value)) add(*x);
  if (const auto* list = std::get_if<std::vector<Tensor>>(&value)) {
    for (const Tensor& x : *list) add(x);
  }
  return parts.empty() ? Tensor() : cat(parts);
}

class RowGradients : public ::testing::TestWithParam<size_t> {};

TEST_P(RowGradients, AgreeWithDifferenceQuotients) {
  const Row& row = all_rows()[GetParam()];
  if (is_flat(row)) return;
  for (LayoutKind layout : kLayoutKinds) {
    for (size_t s = 0; s < row.samples.size(); ++s) {
      std::vector<size_t> positions;
      const Args args = prepared(row, row.samples[s], layout, positions);
      if (positions.empty()) continue;
      SCOPED_TRACE(fmt::format("{}, sample {}, {}", row.signature.text, s, layout_name(layout)));
      const Tensor y = flattened(row.call(args));
      if (!y.defined() || y.numel() == 0) continue;
      const auto f = [&](const std::vector<Tensor>& x) {
        Args at = args;
        for (size_t k = 0; k < positions.size(); ++k) at[positions[k]] = x[k];
        return flattened(row.call(at)).defined() ? flattened(row.call(at)) : Tensor(0.0);
      };
      const auto values = [&](const std::vector<Tensor>& x) {
        // Difference quotients are taken unrecorded, where nothing requires a gradient.
        EnableGradGuard guard;
        std::vector<Tensor> tracked;
        for (const Tensor& t : x) {
          tracked.push_back(t.requires_grad() ? t : t.detach().requires_grad_());
        }
        return f(tracked);
      };
      std::vector<Tensor> inputs;
      for (size_t position : positions) inputs.push_back(std::get<Tensor>(args[position]));
      EXPECT_NO_THROW(gradcheck(values, inputs));
      EXPECT_NO_THROW(gradgradcheck(values, inputs));
      if (HasFailure()) return;
    }
  }
}

std::string row_name(const ::testing::TestParamInfo<size_t>& info) {
  std::string name = all_rows()[info.param].name();
  std::replace(name.begin(), name.end(), '.', '_');
  // Overloads have the same name, and stand together.
  size_t before = 0;
  while (info.param > before &&
         all_rows()[info.param - before - 1].name() == all_rows()[info.param].name()) {
    ++before;
  }
  return before == 0 ? name : fmt::format("{}_{}", name, before + 1);
}

INSTANTIATE_TEST_SUITE_P(Rows, RowGradients, ::testing::Range<size_t>(0, all_rows().size()),
                         row_name);

/// A row that takes floating point numbers and gives some has a gradient, or is listed above.
TEST(Gradients, NoRowIsForgotten) {
  for (const Row& row : all_rows()) {
    if (is_flat(row)) continue;
    bool has_gradient = false, has_inputs = false;
    for (const Args& sample : row.samples) {
      std::vector<size_t> positions;
      const Args args = prepared(row, sample, kLayoutKinds[0], positions);
      if (positions.empty()) continue;
      const Value result = row.call(args);
      const auto* x = std::get_if<Tensor>(&result);
      const auto* list = std::get_if<std::vector<Tensor>>(&result);
      const Tensor first = x ? *x : list && !list->empty() ? (*list)[0] : Tensor();
      if (!first.defined() || first.dtype() != DType::float64) continue;
      has_inputs = true;
      has_gradient |= flattened(result).defined();
    }
    EXPECT_TRUE(!has_inputs || has_gradient) << row.name() << " has no gradient";
  }
}

}  // namespace
}  // namespace tamis
