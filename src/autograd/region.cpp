// Region: each of the three operations is linear, and its gradient is another of them.
#include "autograd/region.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "autograd/node.h"
#include "expr/expr.h"
#include "tamis/tamis.h"

namespace tamis {

namespace {

/// The region moved to a new storage that spans just the base and the view.
struct FlatRegion {
  int64_t count = 1;
  Layout base, view;
};

int64_t last_of(const Layout& layout) {
  int64_t last = layout.offset;
  for (size_t d = 0; d < layout.sizes.size(); ++d) {
    last += std::max<int64_t>(layout.sizes[d] - 1, 0) * layout.strides[d];
  }
  return last;
}

FlatRegion flat_elements_of(const Region& region) {
  // as_strided may show what is before or after the base.
  const int64_t first = std::min(region.base.offset, region.view.offset);
  FlatRegion p{1, region.base, region.view};
  p.base.offset -= first;
  p.view.offset -= first;
  p.count += std::max(last_of(p.base), last_of(p.view));
  return p;
}

/// Whether no two positions are the same element. Says no to some layouts of which it is true.
bool is_injective(const Layout& layout) {
  std::vector<std::pair<int64_t, int64_t>> dims;
  for (size_t d = 0; d < layout.sizes.size(); ++d) {
    if (layout.sizes[d] > 1) dims.emplace_back(layout.strides[d], layout.sizes[d]);
  }
  std::sort(dims.begin(), dims.end());
  int64_t reach = 0;
  for (const auto& [stride, size] : dims) {
    if (stride <= reach) return false;
    reach += stride * (size - 1);
  }
  return true;
}

/// The numbers of the elements that a layout shows, 1-d.
Tensor numbers_of(const Layout& layout, Backend& backend) {
  Tensor numbers = full({}, layout.offset, DType::int64);
  for (size_t d = 0; d < layout.sizes.size(); ++d) {
    numbers = numbers.unsqueeze(-1) + arange(layout.sizes[d]) * layout.strides[d];
  }
  return to_backend(numbers.flatten(), backend);
}

/// g added to the elements of flat that the layout shows.
void add_to(Tensor flat, const Layout& layout, const Tensor& g) {
  const Tensor numbers = numbers_of(layout, backend_of(g));
  if (g.dtype() == DType::boolean) {
    const Tensor sums = zeros_on(backend_of(g), flat.shape(), DType::int32);
    flat.copy_(index_add(sums, 0, numbers, g.to(DType::int32).flatten()) != 0);
  } else {
    flat.index_add_(0, numbers, g.flatten());
  }
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

/// g at the elements of the base, added up where these are the same.
Tensor filled(const Tensor& g, const FlatRegion& p) {
  Tensor flat = zeros_on(backend_of(g), {p.count}, g.dtype());
  if (is_injective(p.base)) {
    make_view(flat, p.base).copy_(g);
  } else {
    add_to(flat, p.base, g);
  }
  return flat;
}

// Each as if both were of one dtype, with real layouts and gradients where they are not.

Tensor put_same(const Tensor& g, const Region& region);

Tensor take_same(const Tensor& g, const Region& region) {
  Tensor result;
  {
    NoGradGuard guard;
    const FlatRegion p = flat_elements_of(region);
    result = make_view(filled(g, p), p.view).clone();
  }
  if (is_tracked(g)) {
    record(result, "take", Flow::picks, {g}, {},
           [region](const Tensor& gg, std::span<const Tensor>) -> Gradients {
             return {put_same(gg, region)};
           });
  }
  return result;
}

Tensor put_same(const Tensor& g, const Region& region) {
  Tensor result;
  {
    NoGradGuard guard;
    FlatRegion p = flat_elements_of(region);
    const Tensor flat = zeros_on(backend_of(g), {p.count}, g.dtype());
    const Tensor sum = without_repeats(g, p.view);
    if (is_injective(p.view)) {
      make_view(flat, p.view).copy_(sum);
    } else {
      add_to(flat, p.view, sum);
    }
    result = make_view(flat, p.base).contiguous();
  }
  if (is_tracked(g)) {
    record(result, "put", Flow::moves, {g}, {},
           [region](const Tensor& gg, std::span<const Tensor>) -> Gradients {
             return {take_same(gg, region)};
           });
  }
  return result;
}

Tensor erase_same(const Tensor& g, const Region& region) {
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
             return {erase_same(gg, region)};
           });
  }
  return result;
}

Tensor split(const Tensor& g, bool splits) { return splits ? parts_of(g) : g; }
Tensor joined(const Tensor& g, bool splits) { return splits ? from_parts(g) : g; }

}  // namespace

Layout layout_of_parts(Layout layout) {
  for (int64_t& stride : layout.strides) stride *= 2;
  layout.sizes.push_back(2);
  layout.strides.push_back(1);
  layout.offset *= 2;
  return layout;
}

Tensor parts_of(const Tensor& g) {
  if (g.dtype() != DType::boolean) return view_as_real(g);
  Shape shape = g.shape();
  shape.push_back(2);
  return g.unsqueeze(-1).expand(shape);
}

Tensor from_parts(const Tensor& g) {
  // Copied: not every layout can be seen as complex numbers.
  return g.dtype() == DType::boolean ? g.any({-1}) : view_as_complex(g.clone());
}

Region region_of(const Tensor& base, const Tensor& view) {
  Region region{layout_of(base), layout_of(view)};
  region.splits_base = is_complex(base) && !is_complex(view);
  region.splits_view = is_complex(view) && !is_complex(base);
  if (region.splits_base) region.base = layout_of_parts(std::move(region.base));
  if (region.splits_view) region.view = layout_of_parts(std::move(region.view));
  return region;
}

Tensor take(const Tensor& g, const Region& region) {
  return joined(take_same(split(g, region.splits_base), region), region.splits_view);
}

Tensor put(const Tensor& g, const Region& region) {
  return joined(put_same(split(g, region.splits_view), region), region.splits_base);
}

Tensor erase(const Tensor& g, const Region& region) {
  return joined(erase_same(split(g, region.splits_base), region), region.splits_base);
}

}  // namespace tamis
