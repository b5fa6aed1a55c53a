// Sweep: every row of the op table on WebGPU against the CPU, over dtypes and layouts: results,
// errors, forms that write, and gradients of first and second order.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string_view>

#include "core/tensor_impl.h"
#include "ops/forms/forms.h"
#include "ops/row.h"
#include "support/layouts.h"
#include "support/reference.h"
#include "tamis/tamis.h"

namespace tamis {
namespace {

using testing::LayoutKind;

constexpr DType kDTypes[] = {boolean, uint8, uint16,  uint32,   uint64,  int8,    int16,
                             int32,   int64, float16, bfloat16, float32, float64, complex64};

const Device kGpu("webgpu:0");

bool is_number(const Tensor& x) { return x.impl().is_number && x.dim() == 0; }

/// Calls f for each tensor of the arguments that is no number.
void for_each_tensor(Args& args, const std::function<void(Tensor&)>& f) {
  for (Value& arg : args) {
    if (auto* x = std::get_if<Tensor>(&arg)) {
      if (x->defined() && !is_number(*x)) f(*x);
    } else if (auto* list = std::get_if<std::vector<Tensor>>(&arg)) {
      for (Tensor& y : *list) {
        if (y.defined() && !is_number(y)) f(y);
      }
    }
  }
}

/// A generator gives other numbers in every call, so it begins again.
void restart_generators(Args& args) {
  for (Value& arg : args) {
    if (auto* generator = std::get_if<Generator>(&arg)) generator->manual_seed(7);
  }
}

bool is_mask(const Tensor& x) { return x.dtype() == DType::boolean; }

/// The arguments with tensors of numbers converted; those that index stay what they are.
Args as_dtype(const Row& row, const Args& args, DType dtype) {
  static const std::set<std::string> kIndices = {"index",  "indices", "offsets",
                                                 "sorter", "repeats", "lengths"};
  Args result = args;
  for (size_t i = 0; i < result.size(); ++i) {
    const std::string& name = row.signature.params[i].name;
    if (kIndices.count(name) != 0) continue;
    Args one{result[i]};
    for_each_tensor(one, [&](Tensor& x) {
      if (!is_mask(x) || name != "mask") x = x.to(dtype);
    });
    result[i] = one[0];
  }
  return result;
}

/// The arguments on the device, the k-th tensor in layout first + k.
Args on_gpu(const Args& args, size_t first) {
  const testing::UseDevice use(kGpu);
  Args result = args;
  size_t k = first;
  for_each_tensor(result, [&](Tensor& x) {
    const LayoutKind kind = testing::kLayoutKinds[k++ % testing::kLayoutKinds.size()];
    const Tensor plain = x;
    if (kind == LayoutKind::foreign) {
      x = plain.to(kGpu);
    } else if (auto laid_out = testing::with_layout(kind, plain)) {
      x = *laid_out;
    } else {
      x = testing::on_device(plain.contiguous());
    }
  });
  return result;
}

struct Outcome {
  Value value;
  std::optional<ErrorKind> refused;
  std::string text;
};

Outcome run(const std::function<Value()>& call) {
  manual_seed(7);
  Outcome outcome;
  try {
    outcome.value = call();
  } catch (const Error& e) {
    outcome.refused = e.kind();
    outcome.text = e.what();
  }
  return outcome;
}

bool is_wide(DType dtype) { return dtype == DType::float64 || is_complex(dtype); }

/// Whether float64 or complex numbers take part: what the device may refuse.
bool has_wide(Args args, const Outcome& on_cpu) {
  bool wide = false;
  const auto look = [&](Tensor& x) { wide |= is_wide(x.dtype()); };
  for_each_tensor(args, look);
  for (const Value& v : args) {
    if (const auto* dtype = std::get_if<DType>(&v)) wide |= is_wide(*dtype);
    if (const auto* options = std::get_if<Options>(&v)) {
      wide |= options->dtype && is_wide(*options->dtype);
    }
  }
  Args results{on_cpu.value};
  for_each_tensor(results, look);
  return wide;
}

bool is_refusal(const Outcome& o) {
  return o.refused == ErrorKind::unsupported &&
         o.text.find("not available on") != std::string::npos;
}

/// How far results may be off, in units in the last place. Sums are in another order, functions by
/// other polynomials.
constexpr double kUlps = 32;

/// A float64 result of other dtypes is a float32 that was converted at the end.
Value as_computed(const Value& value, Args args) {
  bool wide = false;
  for_each_tensor(args, [&](Tensor& x) { wide |= is_wide(x.dtype()); });
  Args result{value};
  for_each_tensor(result, [&](Tensor& x) {
    if (!wide && x.dtype() == DType::float64) x = x.cpu().to(DType::float32);
  });
  return result[0];
}

/// What is wrong with the device's answer; empty if nothing is.
std::string problem(const Outcome& on_cpu, const Outcome& on_gpu, const Args& args) {
  if (is_refusal(on_gpu)) {
    return has_wide(args, on_cpu) ? "" : fmt::format("refused: {}", on_gpu.text);
  }
  if (on_cpu.refused != on_gpu.refused) {
    return fmt::format("cpu: \"{}\", webgpu: \"{}\"", on_cpu.text, on_gpu.text);
  }
  if (on_cpu.refused) return on_cpu.text == on_gpu.text ? "" : fmt::format("text: {}", on_gpu.text);
  return reference::difference(reference::read(as_computed(on_cpu.value, args)),
                               reference::read(as_computed(on_gpu.value, args)), kUlps);
}

class WebGpuSweep : public ::testing::TestWithParam<size_t> {
 protected:
  static void SetUpTestSuite() {
    ASSERT_TRUE(webgpu::is_available()) << "no WebGPU adapter";
    static bool said = false;
    if (!said) fmt::print("webgpu: {}\n", webgpu::adapters()[0].name);
    said = true;
  }
  const Row& row() const { return all_rows()[GetParam()]; }

  void compare(const Row& form, const Args& args, size_t layout, const std::string& label) {
    const Outcome expected = run([&] {
      Args given = args;
      restart_generators(given);
      return form.call(given);
    });
    const Outcome found = run([&] {
      std::optional<testing::UseDevice> use;
      std::optional<testing::OnTestDevice> created;
      if (form.creates) {
        use.emplace(kGpu);
        created.emplace();
      }
      Args given = on_gpu(args, layout);
      restart_generators(given);
      return form.call(given);
    });
    std::string wrong;
    try {
      wrong = problem(expected, found, args);
    } catch (const Error& e) {
      wrong = fmt::format("while it was read: {}", e.what());
    }
    EXPECT_EQ(wrong, "") << form.signature.text << "\n  " << label << ", first tensor "
                         << testing::layout_name(
                                testing::kLayoutKinds[layout % testing::kLayoutKinds.size()]);
  }
};

/// Which numbers are drawn follows from sums of probabilities, which are float64 on the CPU.
bool draws_otherwise(const Row& row) { return row.name() == "multinomial"; }

/// Views that some layouts do not allow, on any device.
/// Whether float32 may not hold what the op computes on the way: squares of differences of uint64,
/// which wrap around.
bool may_overflow(const Row& row, DType dtype) {
  static const std::set<std::string> kNames = [] {
    std::set<std::string> names;
    bool is_later = false;  // the families before these compute no such squares
    for (const Family& family : all_families()) {
      is_later = is_later || std::string_view(family.title) == "Cuts and windows";
      if (!is_later) continue;
      for (const Row& r : family.rows()) names.insert(r.name());
    }
    return names;
  }();
  return dtype == DType::uint64 && kNames.count(row.name()) != 0;
}

bool needs_contiguous(const Row& row) { return row.name() == "view_as_complex"; }

TEST_P(WebGpuSweep, AgreesWithTheCpu) {
  if (draws_otherwise(row())) {
    for (const Args& sample : row().samples) {
      const Tensor want = std::get<Tensor>(row().call(sample));
      const Tensor got = std::get<Tensor>(row().call(on_gpu(sample, 0)));
      EXPECT_EQ(got.device(), kGpu);
      EXPECT_EQ(got.dtype(), want.dtype());
      EXPECT_EQ(got.shape(), want.shape());
      // What has probability 0 is never drawn.
      const Tensor p = std::get<Tensor>(sample[0]);
      EXPECT_TRUE(gather(p, -1, got.cpu()).gt(0).all().item<bool>()) << got;
    }
    return;
  }
  for (size_t s = 0; s < row().samples.size(); ++s) {
    const Args& sample = row().samples[s];
    for (bool eager : {false, true}) {
      const testing::ModeGuard mode(eager);
      compare(row(), sample, 0, fmt::format("sample {}{}", s, eager ? ", eager" : ""));
    }
    // A kernel is compiled for nearly every case, so the combinations are spread over the samples.
    for (size_t layout = 1; layout < testing::kLayoutKinds.size(); layout += s == 0 ? 1 : 3) {
      compare(row(), sample, needs_contiguous(row()) ? 0 : layout, fmt::format("sample {}", s));
      if (HasFailure()) return;
    }
    for (size_t d = s % 4; d < std::size(kDTypes); d += s == 0 ? 1 : 4) {
      if (may_overflow(row(), kDTypes[d])) continue;
      Args args;
      try {
        args = as_dtype(row(), sample, kDTypes[d]);
      } catch (const Error&) {
        continue;
      }
      compare(row(), args, needs_contiguous(row()) ? 0 : d + s,
              fmt::format("sample {} as {}", s, name(kDTypes[d])));
      if (HasFailure()) return;
    }
  }
}

/// What a form wrote into its first tensor.
TEST_P(WebGpuSweep, InPlaceFormsAgreeWithTheCpu) {
  for (const Form& form : forms_of(row())) {
    if (!form.is_method || form.row.name().back() != '_') continue;
    for (DType dtype : {float32, int64, int8, boolean}) {
      for (size_t layout : {0, 1, 3, 5}) {
        const Args sample = as_dtype(row(), row().samples[0], dtype);
        const auto written = [&](Args args) -> Value {
          form.row.call(args);
          return args[0];
        };
        const Outcome expected = run([&] {
          Args args = sample;
          for_each_tensor(args, [](Tensor& x) { x = x.clone(); });
          return written(args);
        });
        const Outcome found = run([&] { return written(on_gpu(sample, layout)); });
        EXPECT_EQ(problem(expected, found, sample), "")
            << form.row.signature.text << " of " << name(dtype) << ", "
            << testing::layout_name(testing::kLayoutKinds[layout]);
        if (HasFailure()) return;
      }
    }
  }
}

// ---- gradients ----------------------------------------------------------------------------------

/// Values between 0.3 and 0.95 that differ from each other.
Tensor smooth(const Tensor& x, int64_t& next) {
  std::vector<float> values;
  for (int64_t i = 0; i < x.numel(); ++i, ++next) {
    values.push_back(static_cast<float>(
        0.3 + 0.65 * std::fmod(static_cast<double>(next + 1) * 0.6180339887498949, 1.0)));
  }
  return tensor(values, x.shape());
}

/// The float32 results that a gradient flows to, in one row.
Tensor flattened(const Value& value) {
  std::vector<Tensor> parts;
  Args results{value};
  for_each_tensor(results, [&](Tensor& x) {
    if (x.dtype() == DType::float32 && x.requires_grad()) parts.push_back(x.reshape({-1}));
  });
  return parts.empty() ? Tensor() : cat(parts);
}

/// The gradients of a weighted sum of the results, and those of the sum of their squares.
Value gradients(const Row& row, Args args) {
  std::vector<Tensor> leaves;
  for (Value& arg : args) {
    auto* x = std::get_if<Tensor>(&arg);
    if (x == nullptr || !x->defined() || is_number(*x) || x->dtype() != DType::float32) continue;
    *x = x->detach().requires_grad_();
    leaves.push_back(*x);
  }
  if (leaves.empty()) return {};
  const Tensor y = flattened(row.call(args));
  if (!y.defined() || y.numel() == 0) return {};
  const Tensor weights =
      (arange(y.numel(), {DType::float32, y.device()}) * 0.37f + 0.5f) / y.numel();
  std::vector<Tensor> found = grad({sum(y * weights)}, leaves, {}, true, true, true);
  Tensor total;
  for (const Tensor& g : found) {
    if (g.defined() && g.requires_grad()) {
      const Tensor part = sum(g * g);
      total = total.defined() ? total + part : part;
    }
  }
  if (total.defined()) {
    for (const Tensor& g : grad({total}, leaves, {}, false, false, true)) found.push_back(g);
  }
  for (Tensor& g : found) g = g.defined() ? g.detach() : zeros({0});
  return found;
}

TEST_P(WebGpuSweep, GradientsAgreeWithTheCpu) {
  if (row().random) return;
  for (size_t s = 0; s < row().samples.size(); ++s) {
    Args sample = row().samples[s];
    int64_t next = 0;
    for_each_tensor(sample, [&](Tensor& x) {
      if (x.dtype() == DType::float32) x = smooth(x, next);
    });
    const Outcome expected = run([&] { return gradients(row(), sample); });
    if (expected.refused || std::holds_alternative<std::monostate>(expected.value)) continue;
    for (size_t layout : {0, 1, 6}) {
      const Outcome found = run([&] { return gradients(row(), on_gpu(sample, layout)); });
      ASSERT_FALSE(found.refused) << row().signature.text << ", sample " << s << ": " << found.text;
      const auto& want = std::get<std::vector<Tensor>>(expected.value);
      const auto& got = std::get<std::vector<Tensor>>(found.value);
      ASSERT_EQ(want.size(), got.size());
      for (size_t k = 0; k < want.size(); ++k) {
        ASSERT_EQ(want[k].shape(), got[k].shape());
        ASSERT_TRUE(allclose(want[k], got[k].cpu(), 1e-4, 1e-5, true))
            << row().signature.text << ", sample " << s << ", gradient " << k << "\n"
            << want[k] << "\n"
            << got[k];
      }
    }
  }
}

std::string row_name(const ::testing::TestParamInfo<size_t>& info) {
  std::string name = all_rows()[info.param].name();
  std::replace(name.begin(), name.end(), '.', '_');
  return fmt::format("{}_{}", info.param, name);
}

INSTANTIATE_TEST_SUITE_P(Rows, WebGpuSweep, ::testing::Range<size_t>(0, all_rows().size()),
                         row_name);

}  // namespace
}  // namespace tamis
