// xtensor, as far as it has the operation. It uses one thread.
#include <xtensor/xadapt.hpp>
#include <xtensor/xindex_view.hpp>
#include <xtensor/xmath.hpp>
#include <xtensor/xsort.hpp>
#include <xtensor/xtensor.hpp>
#include <xtensor/xview.hpp>

#include <array>

#include "peer.h"

namespace bench {

namespace {

/// A view of contiguous memory.
template <class T, size_t N = 1>
auto tensor(const Arrays& arrays, std::string_view name) {
  const Array& a = arrays[name];
  std::array<size_t, N> shape;
  size_t count = 1;
  for (size_t d = 0; d < N; ++d) count *= shape[d] = static_cast<size_t>(a.sizes[d]);
  return xt::adapt(static_cast<T*>(a.data), count, xt::no_ownership(), shape);
}

template <class T>
Call masked_select_of(const Arrays& a) {
  return [x = tensor<T>(a, "x"), mask = tensor<bool>(a, "mask")]() mutable {
    const xt::xtensor<T, 1> result = xt::filter(x, mask);
  };
}

Call masked_select(const Arrays& a) {
  const std::string_view dtype = a["x"].dtype;
  if (a["x"].dims != 1 || a["mask"].dims != 1) return {};
  if (dtype == "float32") return masked_select_of<float>(a);
  if (dtype == "float64") return masked_select_of<double>(a);
  if (dtype == "int64") return masked_select_of<int64_t>(a);
  return masked_select_of<uint8_t>(a);
}

Call select_between(const Arrays& a) {
  return [x = tensor<float>(a, "x"), lo = a.number("lo"), hi = a.number("hi")]() mutable {
    const xt::xtensor<float, 1> result = xt::filter(x, x >= lo && x <= hi);
  };
}

Call assign(const Arrays& a) {
  return [x = tensor<float>(a, "x"), mask = tensor<bool>(a, "mask")]() mutable {
    xt::filter(x, mask) = 0.f;
  };
}

Call masked_fill(const Arrays& a) {
  return [x = tensor<float>(a, "x"), mask = tensor<bool>(a, "mask")] {
    const xt::xtensor<float, 1> result = xt::where(mask, 0.f, x);
  };
}

Call where(const Arrays& a) {
  return [x = tensor<float>(a, "x"), other = tensor<float>(a, "other"),
          mask = tensor<bool>(a, "mask")] {
    const xt::xtensor<float, 1> result = xt::where(mask, x, other);
  };
}

Call nonzero(const Arrays& a) {
  return [mask = tensor<bool>(a, "mask")] { xt::flatnonzero<xt::layout_type::row_major>(mask); };
}

/// Keeps the compiler from leaving out what makes the sum.
void use(double sum) { asm volatile("" : : "x"(sum)); }

Call masked_sum(const Arrays& a) {
  return [x = tensor<float>(a, "x"), mask = tensor<bool>(a, "mask")] {
    use(xt::sum<double>(xt::where(mask, x, 0.f))());
  };
}

Call sum_between(const Arrays& a) {
  return [x = tensor<float>(a, "x"), lo = a.number("lo"), hi = a.number("hi")] {
    use(xt::sum<double>(xt::where(x >= lo && x <= hi, x, 0.f))());
  };
}

Call length_mask(const Arrays& a) {
  return [lengths = tensor<int64_t>(a, "lengths"), columns = a.integer("columns")] {
    const xt::xtensor<bool, 2> result =
        xt::arange<int64_t>(columns) < xt::view(lengths, xt::all(), xt::newaxis());
  };
}

}  // namespace

const std::map<std::string_view, Operation>& operations() {
  static const std::map<std::string_view, Operation> known = {
      {"masked_select", masked_select},
      {"masked_select_fresh", masked_select},
      {"select_between", select_between},
      {"assign", assign},
      {"masked_fill", masked_fill},
      {"masked_fill_fresh", masked_fill},
      {"where", where},
      {"where_fresh", where},
      {"nonzero", nonzero},
      {"masked_sum", masked_sum},
      {"sum_between", sum_between},
      {"length_mask", length_mask},
  };
  return known;
}

void set_threads(int) {}

}  // namespace bench
