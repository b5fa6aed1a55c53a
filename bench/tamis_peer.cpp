// Tamis, called as a user of the C++ library would.
#include <span>

#include "peer.h"
#include "tamis/tamis.h"

namespace bench {

namespace {

using tamis::Tensor;

tamis::DType dtype_of(std::string_view name) {
  static const std::map<std::string_view, tamis::DType> dtypes = {
      {"bool", tamis::DType::boolean},    {"uint8", tamis::DType::uint8},
      {"int64", tamis::DType::int64},     {"float32", tamis::DType::float32},
      {"float64", tamis::DType::float64},
  };
  return dtypes.at(name);
}

Tensor tensor(const Arrays& arrays, std::string_view name) {
  const Array& a = arrays[name];
  const auto dims = static_cast<size_t>(a.dims);
  return tamis::from_blob(a.data, std::span(a.sizes, dims), dtype_of(a.dtype), {},
                          tamis::Shape(std::span(a.strides, dims)));
}

Call masked_select(const Arrays& a) {
  return [x = tensor(a, "x"), mask = tensor(a, "mask")] { tamis::masked_select(x, mask); };
}

/// With memory that the system has just given, and takes back.
Call masked_select_fresh(const Arrays& a) {
  return [select = masked_select(a)] {
    select();
    tamis::empty_cache();
  };
}

Call masked_select_backward(const Arrays& a) {
  const Tensor leaf = tensor(a, "x").requires_grad_();
  const Tensor selected = tamis::masked_select(leaf, tensor(a, "mask"));
  const Tensor gradient = tamis::ones_like(selected).settle();
  return [=] { tamis::grad({selected}, {leaf}, {gradient}, true)[0].settle(); };
}

Call select_between(const Arrays& a) {
  return [x = tensor(a, "x"), lo = a.number("lo"), hi = a.number("hi")] {
    x[(x >= lo) & (x <= hi)].get();
  };
}

Call assign(const Arrays& a) {
  return [x = tensor(a, "x"), mask = tensor(a, "mask")] { x[mask] = 0; };
}

Call masked_fill(const Arrays& a) {
  return
      [x = tensor(a, "x"), mask = tensor(a, "mask")] { tamis::masked_fill(x, mask, 0).settle(); };
}

Call masked_fill_fresh(const Arrays& a) {
  return [fill = masked_fill(a)] {
    fill();
    tamis::empty_cache();
  };
}

Call where(const Arrays& a) {
  return [x = tensor(a, "x"), other = tensor(a, "other"), mask = tensor(a, "mask")] {
    tamis::where(mask, x, other).settle();
  };
}

Call where_fresh(const Arrays& a) {
  return [choose = where(a)] {
    choose();
    tamis::empty_cache();
  };
}

Call masked_scatter(const Arrays& a) {
  return [x = tensor(a, "x"), mask = tensor(a, "mask"), source = tensor(a, "source")] {
    tamis::masked_scatter(x, mask, source).settle();
  };
}

Call nonzero(const Arrays& a) {
  return [mask = tensor(a, "mask")] { tamis::nonzero(mask); };
}

Call masked_sum(const Arrays& a) {
  return [x = tensor(a, "x"), mask = tensor(a, "mask")] { tamis::masked::sum(x, mask).item(); };
}

Call sum_between(const Arrays& a) {
  return [x = tensor(a, "x"), lo = a.number("lo"), hi = a.number("hi")] {
    tamis::masked::sum(x, (x >= lo) & (x <= hi)).item();
  };
}

Call masked_softmax(const Arrays& a) {
  return [x = tensor(a, "x"), mask = tensor(a, "mask")] {
    tamis::masked::softmax(x, mask, -1).settle();
  };
}

/// In memory, byte by byte: as an operand of Tamis it would take none.
Call length_mask(const Arrays& a) {
  return [lengths = tensor(a, "lengths"), columns = a.integer("columns")] {
    tamis::masks::from_lengths(lengths, columns).data_ptr();
  };
}

Call isin(const Arrays& a) {
  return [x = tensor(a, "x"), values = tensor(a, "values")] { tamis::isin(x, values).settle(); };
}

Call kthvalue(const Arrays& a) {
  return [x = tensor(a, "x"), k = a.integer("k")] { tamis::kthvalue(x, k); };
}

Call add(const Arrays& a) {
  return [x = tensor(a, "x"), other = tensor(a, "other")] { (x + other).settle(); };
}

Call is_positive(const Arrays& a) {
  return [x = tensor(a, "x")] { (x > 0).settle(); };
}

Call atan(const Arrays& a) {
  return [x = tensor(a, "x")] { tamis::atan(x).settle(); };
}

Call take(const Arrays& a) {
  return [x = tensor(a, "x"), at = tensor(a, "index")] { tamis::index(x, {at}); };
}

}  // namespace

const std::map<std::string_view, Operation>& operations() {
  static const std::map<std::string_view, Operation> known = {
      {"masked_select", masked_select},
      {"masked_select_fresh", masked_select_fresh},
      {"masked_select_backward", masked_select_backward},
      {"select_between", select_between},
      {"assign", assign},
      {"masked_fill", masked_fill},
      {"masked_fill_fresh", masked_fill_fresh},
      {"where", where},
      {"where_fresh", where_fresh},
      {"masked_scatter", masked_scatter},
      {"nonzero", nonzero},
      {"masked_sum", masked_sum},
      {"sum_between", sum_between},
      {"masked_softmax", masked_softmax},
      {"length_mask", length_mask},
      {"isin", isin},
      {"kthvalue", kthvalue},
      {"add", add},
      {"is_positive", is_positive},
      {"atan", atan},
      {"take", take},
  };
  return known;
}

void set_threads(int n) { tamis::set_num_threads(n); }

}  // namespace bench
