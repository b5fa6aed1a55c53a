// Any bytes as a condition: refused at a span in the text, or evaluated to what was said of it.
#include <string>
#include <vector>

#include "fuzz/require.h"
#include "language/expression.h"
#include "tamis/create.h"
#include "tamis/runtime.h"

using namespace tamis;
using namespace tamis::cli;
using fuzz::require;

namespace {

Array array_of(const char* name, const Tensor& x) {
  const Tensor flat = x.contiguous().view({-1});
  return {name, x.dtype(), x.shape(),
          [flat](int64_t first, int64_t count) { return flat.narrow(0, first, count); }};
}

const std::vector<Array>& arrays() {
  static const std::vector<Array> list = {
      array_of("x", tensor({{1.f, -2.f, 0.5f}, {4.f, 0.f, -1e30f}})),
      array_of("n", tensor({{3, 4, 5}, {6, -7, 8}})), array_of("b", tensor({true, false, true})),
      array_of("u", tensor({200, 7, 0}, uint8)), array_of("e", zeros({0, 3}))};
  return list;
}

/// Numbers of the right kinds, without going through the elements.
Summary any_summary(const Stream& stream, std::span<const Quantile> quantiles) {
  const Scalar two = is_floating_point(stream.dtype) ? Scalar(2.0) : Scalar(2);
  Summary s;
  s.count = 3;
  s.sum = s.min = s.max = two;
  for (const Quantile& q : quantiles) s.quantiles.push_back(q.lower ? two : Scalar(2.0));
  return s;
}

void evaluate_some(Expression& expression) {
  expression.resolve(any_summary);
  const Windows windows(expression.shape(), 64);
  for (int64_t n : {int64_t{0}, windows.count() - 1}) {
    if (n < 0 || n >= windows.count()) continue;
    const Box box = windows[n];
    BoxOfArrays inputs(arrays(), box);
    const Tensor result = expression.evaluate(inputs).broadcast_to(box.size).settle();
    require(result.dtype() == expression.dtype(), "the dtype is as it was said");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  set_num_threads(1);
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    Expression expression(text, arrays(), arrays()[0].shape);
    evaluate_some(expression);
  } catch (const ConditionError& e) {
    require(e.span().begin <= text.size() && e.source() == text, "the span is in the text");
    require(!underlined(text, e.span()).empty(), "the span can be shown");
  }
  return 0;
}
