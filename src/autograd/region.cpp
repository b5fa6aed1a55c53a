// Region: each of the three operations is linear, and its gradient is another of them.
#include "autograd/region.h"

#include <algorithm>

#include "autograd/node.h"
#include "expr/expr.h"
#include "tamis/tamis.h"

namespace tamis {

namespace {

/// The region moved to a new storage that spans just the base, from its first element to its last.
struct FlatRegion {
  int64_t count = 1;
  Layout base, view;
};

FlatRegion flat_elements_of(const Region& region) {
  FlatRegion p{1, region.base, region.view};
  for (size_t d = 0; d < p.base.sizes.size(); ++d) {
    p.count += std::max<int64_t>(p.base.sizes[d] - 1, 0) * p.base.strides[d];
  }
  p.view.offset -= p.base.offset;
  p.base.offset = 0;
  return p;
}

/// The view without its repetitions, and g added up over them.
Tensor without_repeats(const Tensor& g, Layout& view) {
  Tensor sum = g;
  for (size_t d = 0; d < view.sizes.size(); ++d) {
    if (view.strides[d] != 0 || view.sizes[d] == 1) continue;
    sum = g.dtype() == DType::boolean ? sum.any({static_cast<int64_t>(d)}, true)
                                      : sum.sum({static_cast<int64_t>(d)}, true);
    view.sizes[d] = 1;
  }
  return sum;
}

Tensor filled(const Tensor& g, const FlatRegion& p) {
  Tensor flat = zeros_on(backend_of(g), {p.count}, g.dtype());
  make_view(flat, p.base).copy_(g);
  return flat;
}

}  // namespace

Tensor take(const Tensor& g, const Region& region) {
  Tensor result;
  {
    NoGradGuard guard;
    const FlatRegion p = flat_elements_of(region);
    result = make_view(filled(g, p), p.view).clone();
  }
  if (is_tracked(g)) {
    record(result, "take", Flow::picks, {g}, {},
           [region](const Tensor& gg, std::span<const Tensor>) -> Gradients {
             return {put(gg, region)};
           });
  }
  return result;
}

Tensor put(const Tensor& g, const Region& region) {
  Tensor result;
  {
    NoGradGuard guard;
    FlatRegion p = flat_elements_of(region);
    const Tensor flat = zeros_on(backend_of(g), {p.count}, g.dtype());
    const Tensor sum = without_repeats(g, p.view);
    make_view(flat, p.view).copy_(sum);
    result = make_view(flat, p.base).contiguous();
  }
  if (is_tracked(g)) {
    record(result, "put", Flow::moves, {g}, {},
           [region](const Tensor& gg, std::span<const Tensor>) -> Gradients {
             return {take(gg, region)};
           });
  }
  return result;
}

Tensor erase(const Tensor& g, const Region& region) {
  Tensor result;
  {
    NoGradGuard guard;
    const FlatRegion p = flat_elements_of(region);
    const Tensor flat = filled(g, p);
    make_view(flat, p.view).zero_();
    result = make_view(flat, p.base).contiguous();
  }
  if (is_tracked(g)) {
    record(result, "erase", Flow::picks, {g}, {},
           [region](const Tensor& gg, std::span<const Tensor>) -> Gradients {
             return {erase(gg, region)};
           });
  }
  return result;
}

}  // namespace tamis
