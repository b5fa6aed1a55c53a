// Gradients: every row against difference quotients, first and second order, in several layouts;
// those that take complex numbers also with these, alone and beside real ones.
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
  static const std::set<std::string> kNames = {
      "floor_divide",  "empty_like",      "zeros_like",
      "ones_like",     "full_like",       "rand_like",
      "randn_like",    "bernoulli",       "isclose",
      "bincount",      "normal",          "histc",
      "histogram",     "randint_like",    "nextafter",
      "dropout",       "poisson",         "binomial",
      "alpha_dropout", "feature_dropout", "feature_alpha_dropout",
      "native_dropout"};  // other elements in every call:
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

/// Which of a sample's tensors of floating point numbers are complex: those that it says, all, or
/// the last one.
enum class Numbers { given, complex, mixed };

bool is_inexact(DType dtype) { return dtype == DType::float32 || dtype == DType::complex64; }

size_t last_inexact(const Args& sample) {
  size_t last = sample.size();
  for (size_t i = 0; i < sample.size(); ++i) {
    const auto* x = std::get_if<Tensor>(&sample[i]);
    if (x && x->defined() && !x->impl().is_number && is_inexact(x->dtype())) last = i;
  }
  return last;
}

/// The sample with every tensor of floating point numbers made smooth, laid out, and a leaf; the
/// positions of these.
Args prepared(const Row& row, const Args& sample, LayoutKind layout, std::vector<size_t>& positions,
              Numbers numbers = Numbers::given) {
  Args args = sample;
  int64_t next = 0;
  const size_t last = last_inexact(sample);
  for (size_t i = 0; i < args.size(); ++i) {
    if (auto* list = std::get_if<std::vector<Tensor>>(&args[i])) {
      for (Tensor& y : *list) y = y.to(device());
    }
    auto* x = std::get_if<Tensor>(&args[i]);
    if (!x || !x->defined() || x->impl().is_number) continue;
    if (!is_inexact(x->dtype())) {
      *x = x->to(device());
      continue;
    }
    const bool is_complex =
        x->is_complex() || numbers == Numbers::complex || (numbers == Numbers::mixed && i == last);
    const Tensor re = smooth(row, *x, next);
    Tensor laid_out = on_device(is_complex ? complex(re, smooth(row, *x, next)) : re);
    if (auto other = with_layout(layout, laid_out)) laid_out = *other;
    *x = laid_out.detach().requires_grad_();
    positions.push_back(i);
  }
  return args;
}

bool is_checked(DType dtype) { return dtype == DType::float64 || dtype == DType::complex128; }

/// The results that a gradient flows to, in one row; complex ones by their parts.
Tensor flattened(const Value& value) {
  std::vector<Tensor> parts;
  const auto add = [&](const Tensor& x) {
    if (!is_checked(x.dtype()) || !x.requires_grad()) return;
    parts.push_back((x.is_complex() ? view_as_real(x) : x).reshape({-1}));
  };
  if (const auto* x = std::get_if<Tensor>(&value)) add(*x);
  if (const auto* list = std::get_if<std::vector<Tensor>>(&value)) {
    for (const Tensor& x : *list) add(x);
  }
  return parts.empty() ? Tensor() : cat(parts);
}

/// Both orders at these arguments.
void check_gradients(const Row& row, const Args& args, const std::vector<size_t>& positions) {
  const Tensor y = flattened(row.call(args));
  if (!y.defined() || y.numel() == 0) return;
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
}

/// Whether the row takes these arguments; with complex numbers, not all do.
bool takes(const Row& row, const Args& args) {
  try {
    row.call(args);
  } catch (const Error&) {
    return false;
  }
  return true;
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
      // Not every layout can be seen as complex numbers.
      if (row.name() == "view_as_complex" && !takes(row, args)) continue;
      SCOPED_TRACE(fmt::format("{}, sample {}, {}", row.signature.text, s, layout_name(layout)));
      check_gradients(row, args, positions);
      if (HasFailure()) return;
    }
  }
}

TEST_P(RowGradients, OfComplexNumbersAgreeWithDifferenceQuotients) {
  const Row& row = all_rows()[GetParam()];
  if (is_flat(row)) return;
  for (Numbers numbers : {Numbers::complex, Numbers::mixed}) {
    for (size_t s = 0; s < row.samples.size(); ++s) {
      std::vector<size_t> positions;
      const Args args = prepared(row, row.samples[s], LayoutKind::transposed, positions, numbers);
      if (positions.size() < (numbers == Numbers::mixed ? 2 : 1) || !takes(row, args)) continue;
      SCOPED_TRACE(fmt::format("{}, sample {}, {}", row.signature.text, s,
                               numbers == Numbers::mixed ? "mixed" : "complex"));
      check_gradients(row, args, positions);
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
    for (Numbers numbers : {Numbers::given, Numbers::complex}) {
      bool has_gradient = false, has_inputs = false;
      for (const Args& sample : row.samples) {
        std::vector<size_t> positions;
        const Args args = prepared(row, sample, kLayoutKinds[0], positions, numbers);
        if (positions.empty() || (numbers == Numbers::complex && !takes(row, args))) continue;
        const Value result = row.call(args);
        const auto* x = std::get_if<Tensor>(&result);
        const auto* list = std::get_if<std::vector<Tensor>>(&result);
        const Tensor first = x ? *x : list && !list->empty() ? (*list)[0] : Tensor();
        if (!first.defined() || !is_checked(first.dtype())) continue;
        has_inputs = true;
        has_gradient |= flattened(result).defined();
      }
      EXPECT_TRUE(!has_inputs || has_gradient)
          << row.name() << " has no gradient"
          << (numbers == Numbers::complex ? " of complex numbers" : "");
    }
  }
}

}  // namespace
}  // namespace tamis
