// Unique: distinct elements and slices, and how often they occur.
#include <algorithm>
#include <cstring>
#include <numeric>

#include "core/check.h"
#include "core/convert.h"
#include "expr/expr.h"
#include "ops/index/along.h"
#include "ops/order/order_args.h"
#include "ops/pointwise/pointwise.h"
#include "tamis/tamis.h"

namespace tamis {

namespace {

using Triple = std::tuple<Tensor, Tensor, Tensor>;

struct Wanted {
  bool inverse = false, counts = false;
};

/// From `starts`, true where a run of equal elements begins, and the positions that the elements
/// came from (undefined: they are where they were).
Triple from_runs(const Tensor& distinct, const Tensor& starts, const Tensor& positions,
                 const Shape& inverse_shape, Wanted wanted) {
  Tensor inverse, counts;
  const int64_t n = starts.numel();
  if (wanted.inverse) {
    const Tensor host = allocate_on_host(inverse_shape, DType::int64);
    const Tensor runs = to_host(starts), from = positions.defined() ? to_host(positions) : Tensor();
    const auto* start = static_cast<const uint8_t*>(runs.data_ptr());
    const int64_t* position = from.defined() ? from.data<int64_t>() : nullptr;
    auto* to = host.mutable_data<int64_t>();
    for (int64_t i = 0, run = -1; i < n; ++i) {
      run += start[i];
      to[position == nullptr ? i : position[i]] = run;
    }
    inverse = to_backend(host, backend_of(starts));
  }
  if (wanted.counts) {
    const Tensor first = nonzero(starts).reshape({-1});
    const Tensor end = full_on(backend_of(starts), {1}, n, DType::int64);
    counts = cat({first, end}).slice(0, 1).sub(first).settle();
    if (n == 0) counts = zeros_on(backend_of(starts), {0}, DType::int64);
  }
  return {distinct, inverse, counts};
}

/// True for the first of n rows and for each that `differs`, [n - 1], from the one before it.
Tensor run_starts(int64_t n, const Tensor& differs) {
  Backend& backend = backend_of(differs);
  if (n == 0) return zeros_on(backend, {0}, DType::boolean);
  return cat({full_on(backend, {1}, true, DType::boolean), differs}).contiguous().settle();
}

/// How often each of 0, 1, ... length - 1 occurs among numbers, [n], of int64, which are all among
/// them.
Tensor occurrences(const Tensor& numbers, int64_t length) {
  Backend& backend = backend_of(numbers);
  const Tensor times = zeros_on(backend, {length}, DType::int64).settle();
  const Indices indices(numbers, times);
  put_elements(times, slices(times, 0, indices, numbers.numel()),
               full_on(backend, {}, 1, DType::int64), Combine::add);
  return times;
}

/// The least element and the distance to the greatest of integers that are many more than that
/// distance: then counting each is faster than sorting.
struct Range {
  Tensor low;
  int64_t distance;
};
std::optional<Range> narrow_range(const Tensor& x) {
  if (!is_integral(x.dtype()) || x.dtype() == DType::boolean || x.numel() < 64) return {};
  const auto [least, greatest] = aminmax(x);
  const Tensor low = least.to_long();
  const auto distance = static_cast<uint64_t>(greatest.to_long().item<int64_t>()) -
                        static_cast<uint64_t>(low.item<int64_t>());
  if (distance >= static_cast<uint64_t>(x.numel()) / 4) return {};
  return Range{low, static_cast<int64_t>(distance)};
}

Triple distinct_in_range(const Tensor& x, const Range& range, Wanted wanted) {
  const Tensor numbers = x.to_long().sub(range.low).reshape({-1}).settle();
  const Tensor times = occurrences(numbers, range.distance + 1), occurs = times.ne(0).settle();
  Tensor inverse, counts;
  if (wanted.inverse) inverse = take(occurs.cumsum(0) - 1, numbers).view(x.shape());
  if (wanted.counts) counts = masked_select(times, occurs);
  return {(nonzero(occurs).reshape({-1}) + range.low).to(x.dtype()).settle(), inverse, counts};
}

Triple distinct_elements(const Tensor& x, bool consecutive, Wanted wanted) {
  if (!consecutive) {
    if (const auto range = narrow_range(x)) return distinct_in_range(x, *range, wanted);
  }
  Tensor values = x.reshape({-1}).contiguous(), positions;
  if (!consecutive) std::tie(values, positions) = sort(values);
  const int64_t n = values.numel();
  Tensor starts = zeros_on(backend_of(x), {0}, DType::boolean);
  if (n > 0) starts = run_starts(n, values.slice(0, 1).ne(values.slice(0, 0, n - 1)));
  return from_runs(masked_select(values, starts), starts, positions, x.shape(), wanted);
}

/// The rows of a contiguous [n, m] tensor of the host in lexicographic order, equal ones as they
/// are.
Tensor row_order(const Tensor& rows) {
  const int64_t n = rows.shape()[0], m = rows.shape()[1];
  Tensor order = to_host(arange(n));
  int64_t* const at = order.mutable_data<int64_t>();
  visit_dtype(rows.dtype(), [&](auto v) {
    using T = decltype(v);
    if constexpr (kOrdered<T>) {
      // A bool may hold any byte; Half and BFloat16 compare as floats.
      using E = std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>;
      using C = std::conditional_t<std::is_arithmetic_v<E>, E, float>;
      const E* const x = static_cast<const E*>(rows.data_ptr());
      const auto less = [](E e, E f) {
        const C a = static_cast<C>(e), b = static_cast<C>(f);
        return a < b || (b != b && a == a);
      };
      std::stable_sort(at, at + n, [&](int64_t a, int64_t b) {
        return std::lexicographical_compare(x + a * m, x + a * m + m, x + b * m, x + b * m + m,
                                            less);
      });
    }
  });
  return order;
}

/// A copy of contiguous rows of the host in another order.
Tensor reordered(const Tensor& rows, const Tensor& order) {
  const Tensor to = allocate_on_host(rows.shape(), rows.dtype());
  const size_t bytes = static_cast<size_t>(rows.shape()[1]) * rows.itemsize();
  const auto* from = static_cast<const char*>(rows.data_ptr());
  auto* out = static_cast<char*>(to.mutable_data_ptr());
  const int64_t* at = order.data<int64_t>();
  for (int64_t i = 0; i < order.numel(); ++i) {
    std::memcpy(out + static_cast<size_t>(i) * bytes, from + static_cast<size_t>(at[i]) * bytes,
                bytes);
  }
  return to;
}

Triple distinct_slices(const Tensor& x, int64_t dim, bool consecutive, Wanted wanted) {
  check(x.dim() > 0, ErrorKind::index, "Dimension specified as {} but tensor has no dimensions",
        dim);
  const int64_t d = wrap_dim(dim, x.dim());
  const int64_t n = x.shape()[d];
  for (int64_t i = 0; i < x.dim(); ++i) {
    check(i == d || x.shape()[i] != 0, ErrorKind::shape,
          "There are 0 sized dimensions, and they aren't selected, so unique cannot be applied");
  }
  if (n == 0) {
    return from_runs(x.clone(), zeros_on(backend_of(x), {0}, DType::boolean), Tensor(), {0},
                     wanted);
  }
  Shape dims = {d};  // the slices' dimension first, the others in order
  for (int64_t i = 0; i < x.dim(); ++i) {
    if (i != d) dims.push_back(i);
  }
  // Any byte other than 0 is true, but rows are compared as bytes.
  const Tensor elements = (x.dtype() == DType::boolean ? x.ne(false) : x).permute(dims);
  Tensor rows = elements.reshape({n, -1}).contiguous().settle(), order;
  if (!consecutive) {
    const Tensor host = to_host(rows);
    order = row_order(host);
    rows = to_backend(reordered(host, order), backend_of(x));
  }
  const Tensor differs = rows.slice(0, 1).ne(rows.slice(0, 0, n - 1)).any({1});
  const Tensor starts = run_starts(n, differs);
  Shape shape = elements.shape(), back(x.dim(), 0);
  shape[0] = -1;
  for (size_t i = 0; i < dims.size(); ++i) back[dims[i]] = static_cast<int64_t>(i);
  const Tensor distinct = rows[starts].get().view(shape).permute(back).contiguous();
  return from_runs(distinct, starts, order, {n}, wanted);
}

Triple distinct(const Tensor& x, std::optional<int64_t> dim, bool consecutive, Wanted wanted) {
  check_ordered("unique", x.dtype(), true);
  if (dim) return distinct_slices(x, *dim, consecutive, wanted);
  return distinct_elements(x, consecutive, wanted);
}

/// What was asked for: one tensor, or several.
Value given(const Triple& found) {
  std::vector<Tensor> tensors = {std::get<0>(found)};
  if (std::get<1>(found).defined()) tensors.push_back(std::get<1>(found));
  if (std::get<2>(found).defined()) tensors.push_back(std::get<2>(found));
  if (tensors.size() == 1) return tensors[0];
  return tensors;
}

Value unique_op(const Tensor& x, bool sorted, bool return_inverse, bool return_counts,
                std::optional<int64_t> dim) {
  return given(unique(x, sorted, return_inverse, return_counts, dim));
}

Value unique_consecutive_op(const Tensor& x, bool return_inverse, bool return_counts,
                            std::optional<int64_t> dim) {
  return given(unique_consecutive(x, return_inverse, return_counts, dim));
}

}  // namespace

Tensor unique(const Tensor& x, std::optional<int64_t> dim) {
  return std::get<0>(distinct(x, dim, false, {}));
}
Triple unique(const Tensor& x, bool /*sorted*/, bool return_inverse, bool return_counts,
              std::optional<int64_t> dim) {
  return distinct(x, dim, false, {return_inverse, return_counts});
}
Tensor unique_consecutive(const Tensor& x, std::optional<int64_t> dim) {
  return std::get<0>(distinct(x, dim, true, {}));
}
Triple unique_consecutive(const Tensor& x, bool return_inverse, bool return_counts,
                          std::optional<int64_t> dim) {
  return distinct(x, dim, true, {return_inverse, return_counts});
}

namespace {

/// bincount of a few numbers in the CPU's memory. Undefined if there are many, or a negative one.
Tensor count_few(const Tensor& numbers, int64_t minlength) {
  constexpr int64_t kLongest = 1 << 16;
  const int64_t n = numbers.numel();
  if (n > Backend::kFew || !is_on_host(numbers)) return Tensor();
  const auto* const data = numbers.data<int64_t>();
  const auto [least, most] = std::minmax_element(data, data + n);
  if (*least < 0 || *most >= kLongest || minlength > kLongest) return Tensor();
  const Tensor counts = allocate_on_host({std::max(minlength, *most + 1)}, DType::int64);
  auto* const count = static_cast<int64_t*>(storage_of(counts)->data());
  std::fill_n(count, counts.numel(), 0);
  for (int64_t i = 0; i < n; ++i) ++count[data[i]];
  return counts;
}

}  // namespace

Tensor bincount(const Tensor& x, std::optional<Tensor> weights, int64_t minlength) {
  check(minlength >= 0, ErrorKind::value, "minlength should be >= 0");
  check_implemented(is_integral(x.dtype()), "bincount_cpu", x.dtype());
  constexpr const char* kText = "bincount only supports 1-d non-negative integral inputs.";
  check(x.dim() == 1, ErrorKind::shape, kText);
  if (x.numel() == 0) return zeros_on(backend_of(x), {minlength}, DType::int64);
  const Tensor numbers = x.to_long().contiguous().settle();
  if (!weights) {
    if (const Tensor counts = count_few(numbers, minlength); counts.defined()) return counts;
  }
  check(numbers.min().item<int64_t>() >= 0, ErrorKind::value, kText);
  check(!weights || (weights->dim() == 1 && weights->numel() == x.numel()), ErrorKind::shape,
        "weights should be 1-d and have the same length as input");

  const int64_t length = std::max(minlength, numbers.max().item<int64_t>() + 1);
  if (!weights) return occurrences(numbers, length);
  const DType dtype = weights->dtype() == DType::float32 ? DType::float32 : DType::float64;
  return zeros_on(backend_of(x), {length}, dtype)
      .index_add_(0, numbers, weights->detach().to(dtype));
}

std::vector<Row> unique_rows() {
  const Tensor x = SAMPLE(tensor({{3, 1, 3}, {3, 1, 3}, {1, 1, 2}}));
  const Tensor floats = SAMPLE(tensor({2.f, 2.f, 1.f, 2.f}));
  return {
      make_row("unique(Tensor input, bool sorted=True, bool return_inverse=False, bool "
               "return_counts=False, int? dim=None) -> Tensor[]",
               "The distinct elements, or slices, in ascending order; with where each went and how "
               "often each occurs.",
               unique_op,
               SAMPLES({x, true, true, false, {}}, {x, true, true, true, int64_t{0}},
                       {floats, true, false, true, {}})),
      make_row(
          "unique_consecutive(Tensor input, bool return_inverse=False, bool "
          "return_counts=False, int? dim=None) -> Tensor[]",
          "The elements, or slices, without those that equal their predecessor; with where "
          "each went and how often each occurs.",
          unique_consecutive_op,
          SAMPLES({x, true, false, {}}, {x, true, true, int64_t{0}}, {floats, false, true, {}})),
      make_row("bincount(Tensor input, Tensor? weights=None, int minlength=0) -> Tensor",
               "How often each number from 0 on occurs, or the sum of the weights of each.",
               bincount,
               SAMPLES({tensor({1, 3, 1}), {}, int64_t{0}},
                       {tensor({1, 3, 1}), tensor({0.5f, 1.f, 2.f}), int64_t{6}})),
  };
}

}  // namespace tamis
