// PyTorch's C++ library. Apart from the others, because its headers take long to compile and not
// every system has it. It has no cache of memory on the CPU, so its results are always fresh.
#include <torch/torch.h>

#include <limits>

#include "peer.h"

namespace bench {

namespace {

using torch::Tensor;

Tensor tensor(const Arrays& arrays, std::string_view name) {
  static const std::map<std::string_view, torch::Dtype> dtypes = {
      {"bool", torch::kBool},       {"uint8", torch::kUInt8},     {"int64", torch::kInt64},
      {"float32", torch::kFloat32}, {"float64", torch::kFloat64},
  };
  const Array& a = arrays[name];
  const auto dims = static_cast<size_t>(a.dims);
  return torch::from_blob(a.data, torch::IntArrayRef(a.sizes, dims),
                          torch::IntArrayRef(a.strides, dims), dtypes.at(a.dtype));
}

Call masked_select(const Arrays& a) {
  return [x = tensor(a, "x"), mask = tensor(a, "mask")] { torch::masked_select(x, mask); };
}

Call masked_select_backward(const Arrays& a) {
  const Tensor leaf = tensor(a, "x").requires_grad_();
  const Tensor selected = torch::masked_select(leaf, tensor(a, "mask"));
  const Tensor gradient = torch::ones_like(selected);
  return [=] { torch::autograd::grad({selected}, {leaf}, {gradient}, true); };
}

Call select_between(const Arrays& a) {
  return [x = tensor(a, "x"), lo = a.number("lo"), hi = a.number("hi")] {
    x.index({(x >= lo) & (x <= hi)});
  };
}

Call assign(const Arrays& a) {
  return [x = tensor(a, "x"), mask = tensor(a, "mask")]() mutable { x.index_put_({mask}, 0); };
}

Call masked_fill(const Arrays& a) {
  return [x = tensor(a, "x"), mask = tensor(a, "mask")] { torch::masked_fill(x, mask, 0); };
}

Call where(const Arrays& a) {
  return [x = tensor(a, "x"), other = tensor(a, "other"), mask = tensor(a, "mask")] {
    torch::where(mask, x, other);
  };
}

Call masked_scatter(const Arrays& a) {
  return [x = tensor(a, "x"), mask = tensor(a, "mask"), source = tensor(a, "source")] {
    torch::masked_scatter(x, mask, source);
  };
}

Call nonzero(const Arrays& a) {
  return [mask = tensor(a, "mask")] { torch::nonzero(mask); };
}

Call masked_sum(const Arrays& a) {
  return [x = tensor(a, "x"), mask = tensor(a, "mask")] { x.index({mask}).sum().item<float>(); };
}

Call sum_between(const Arrays& a) {
  return [x = tensor(a, "x"), lo = a.number("lo"), hi = a.number("hi")] {
    x.index({(x >= lo) & (x <= hi)}).sum().item<float>();
  };
}

Call masked_softmax(const Arrays& a) {
  const float low = -std::numeric_limits<float>::infinity();
  return [=, x = tensor(a, "x"), mask = tensor(a, "mask")] {
    torch::softmax(x.masked_fill(~mask, low), -1);
  };
}

Call length_mask(const Arrays& a) {
  return [lengths = tensor(a, "lengths").unsqueeze(1), columns = a.integer("columns")] {
    torch::arange(columns) < lengths;
  };
}

Call isin(const Arrays& a) {
  return [x = tensor(a, "x"), values = tensor(a, "values")] { torch::isin(x, values); };
}

Call kthvalue(const Arrays& a) {
  return [x = tensor(a, "x"), k = a.integer("k")] { torch::kthvalue(x, k); };
}

}  // namespace

const std::map<std::string_view, Operation>& operations() {
  static const std::map<std::string_view, Operation> known = {
      {"masked_select", masked_select},
      {"masked_select_fresh", masked_select},
      {"masked_select_backward", masked_select_backward},
      {"select_between", select_between},
      {"assign", assign},
      {"masked_fill", masked_fill},
      {"masked_fill_fresh", masked_fill},
      {"where", where},
      {"where_fresh", where},
      {"masked_scatter", masked_scatter},
      {"nonzero", nonzero},
      {"masked_sum", masked_sum},
      {"sum_between", sum_between},
      {"masked_softmax", masked_softmax},
      {"length_mask", length_mask},
      {"isin", isin},
      {"kthvalue", kthvalue},
  };
  return known;
}

void set_threads(int n) { torch::set_num_threads(n); }

}  // namespace bench
