// Masks: builders of bool tensors, structured where rows are intervals.
#include <algorithm>
#include <unordered_map>

#include "core/check.h"
#include "core/interval.h"
#include "core/tensor_impl.h"
#include "ops/mask/isin.h"
#include "ops/mask/windows.h"
#include "ops/mask_args.h"
#include "ops/pointwise/by_value.h"
#include "ops/pointwise/pointwise.h"
#include "ops/row.h"
#include "tamis/tamis.h"

namespace tamis {

namespace {

/// `first` if counts[..., j] is j + first everywhere, else -1.
int64_t first_count(const Tensor& counts) {
  const Layout& layout = layout_of(counts);
  if (!storage_of(counts)->counts_up() || counts.dim() == 0 || layout.strides.back() != 1)
    return -1;
  for (size_t d = 0; d + 1 < layout.sizes.size(); ++d) {
    if (layout.sizes[d] != 1 && layout.strides[d] != 0) return -1;
  }
  return layout.offset;
}

/// Below this many elements a structured mask costs more than a comparison.
constexpr int64_t kWorthStructure = 4096;

}  // namespace

std::optional<Tensor> interval_mask(const Tensor& counts, Limit limit, const Tensor& limits) {
  const int64_t first = first_count(counts);
  if (first < 0 || (limits.dim() > 0 && limits.shape().back() != 1)) return {};
  const Shape shape = broadcast_shapes(counts.shape(), limits.shape());
  const int64_t cols = shape.back();
  // To build it the limits must be read, and on a device nobody should wait for that.
  if (numel(shape) < kWorthStructure || !is_on_host(limits)) return {};
  Shape column = shape;
  column.back() = 1;
  std::vector<int64_t> lo = limits.to(DType::int64).expand(column).to_vector<int64_t>();
  // Where column j first reaches the limit.
  for (int64_t& at : lo) {
    const int64_t behind = limit == Limit::up_to || limit == Limit::above;
    at = at < first ? 0 : std::min(at - first, cols) + behind;
    at = std::min(at, cols);
  }
  std::vector<int64_t> hi(lo.size(), cols);
  if (limit == Limit::below || limit == Limit::up_to) {
    hi.swap(lo);
    std::fill(lo.begin(), lo.end(), 0);
  }
  return make_tensor(Ref<Storage>(new Storage(
                         common_backend({counts, limits}), numel(shape),
                         Ref<const Recipe>(new Intervals(cols, std::move(lo), std::move(hi))))),
                     DType::boolean, shape);
}

}  // namespace tamis

namespace tamis::masks {

namespace {

/// A structured mask. One without elements is an ordinary mask.
Tensor from_intervals(Backend& backend, Ref<const Recipe> recipe, const Shape& shape) {
  const int64_t bytes = numel(shape);
  if (bytes == 0) return allocate(shape, DType::boolean, backend);
  return make_tensor(Ref<Storage>(new Storage(backend, bytes, std::move(recipe))), DType::boolean,
                     shape);
}

void check_size(const char* op, const char* what, int64_t n) {
  check(n >= 0, ErrorKind::value, "{}: {} must not be negative, but got {}", op, what, n);
}

void check_integers(const char* op, const Tensor& x) {
  check(is_integral(x.dtype()), ErrorKind::dtype, "{}: expected integers, but got {}", op,
        name(x.dtype()));
}

Tensor from_band(int64_t n, int64_t m, int64_t lower, int64_t upper) {
  const Shape shape{n, m};
  (void)numel(shape);  // throws if 64 bits cannot count the elements
  return from_intervals(default_backend(), Ref<const Recipe>(new Intervals(n, m, lower, upper)),
                        shape);
}

int64_t wrap_index(int64_t index, size_t dim, int64_t size) {
  check(index >= -size && index < size, ErrorKind::index,
        "from_indices: index {} is out of bounds for dimension {} with size {}", index, dim, size);
  return index < 0 ? index + size : index;
}

/// The mask of a shape that is `value` at the flat positions, all of them checked before.
Tensor from_positions(Backend& backend, const Shape& shape, const std::vector<int64_t>& positions,
                      bool value) {
  const Tensor mask = full_on(host_backend(), shape, !value, DType::boolean);
  bool* data = mask.mutable_data<bool>();
  for (int64_t p : positions) data[p] = value;
  return to_backend(mask, backend);
}

/// Flat positions of [count, rank] coordinates.
std::vector<int64_t> flatten(const Shape& shape, const std::vector<int64_t>& coordinates,
                             int64_t count) {
  std::vector<int64_t> positions(static_cast<size_t>(count), 0);
  for (int64_t k = 0; k < count; ++k) {
    for (size_t d = 0; d < shape.size(); ++d) {
      const int64_t index = coordinates[k * shape.size() + d];
      positions[k] = positions[k] * shape[d] + wrap_index(index, d, shape[d]);
    }
  }
  return positions;
}

/// Runs of equal ids as [lo, hi) per position; false if an id comes back after another one.
bool find_runs(const std::vector<int64_t>& ids, std::vector<int64_t>& lo,
               std::vector<int64_t>& hi) {
  std::unordered_map<int64_t, int64_t> seen;
  const auto n = static_cast<int64_t>(ids.size());
  for (int64_t start = 0, end = 0; start < n; start = end) {
    while (end < n && ids[end] == ids[start]) ++end;
    if (!seen.emplace(ids[start], start).second) return false;
    for (int64_t i = start; i < end; ++i) {
      lo[i] = start;
      hi[i] = end;
    }
  }
  return true;
}

/// x >= bound or x <= bound, by value: of two integer dtypes the wider one counts, also where one
/// of the tensors is 0-d and would take the dtype of the other.
Tensor bounded(Comparison how, const Tensor& x, const Tensor& bound) {
  if (is_number(bound)) return compare_by_value(how, x, bound.item());
  if (lack_common_integer(x.dtype(), bound.dtype())) {
    return ~(how == Comparison::ge ? less_by_value(x, bound) : less_by_value(bound, x));
  }
  const bool integers = is_integral(x.dtype()) && is_integral(bound.dtype());
  const DType common = integers ? promote_types(x.dtype(), bound.dtype()) : x.dtype();
  const Tensor a = x.to(common), b = integers ? bound.to(common) : bound;
  return how == Comparison::ge ? a >= b : a <= b;
}

}  // namespace

Tensor from_lengths(const Tensor& lengths, std::optional<int64_t> max_len) {
  check_integers("from_lengths", lengths);
  std::vector<int64_t> hi = lengths.to_vector<int64_t>();
  const auto longest = std::max_element(hi.begin(), hi.end());
  const int64_t cols = max_len               ? *max_len
                       : longest == hi.end() ? 0
                                             : std::max<int64_t>(*longest, 0);
  check_size("from_lengths", "max_len", cols);
  for (int64_t length : hi) {
    check(length >= 0 && length <= cols, ErrorKind::value,
          "from_lengths: length {} is out of range [0, {}]", length, cols);
  }
  Shape shape = lengths.shape();
  shape.push_back(cols);
  std::vector<int64_t> lo(hi.size(), 0);
  return from_intervals(backend_of(lengths),
                        Ref<const Recipe>(new Intervals(cols, std::move(lo), std::move(hi))),
                        shape);
}

Tensor from_indices(int64_t n, const std::vector<int64_t>& indices, bool value) {
  check_size("from_indices", "n", n);
  return from_indices(Shape{n}, indices, value);
}

Tensor from_indices(const Shape& shape, const std::vector<int64_t>& indices, bool value) {
  const int64_t n = numel(shape);
  std::vector<int64_t> positions;
  for (int64_t index : indices) {
    check(index >= -n && index < n, ErrorKind::index,
          "from_indices: index {} is out of bounds for shape {}, which has {} elements", index,
          shape, n);
    positions.push_back(index < 0 ? index + n : index);
  }
  return from_positions(default_backend(), shape, positions, value);
}

Tensor from_indices(const Shape& shape, const Tensor& indices, bool value) {
  if (indices.numel() != 0) check_integers("from_indices", indices);
  const auto rank = static_cast<int64_t>(shape.size());
  check(indices.dim() == 1 || (indices.dim() == 2 && indices.size(1) == rank), ErrorKind::shape,
        "from_indices: expected indices of shape [count] or [count, {}], but got {}", rank,
        indices.shape());
  const std::vector<int64_t> list = indices.to_vector<int64_t>();
  if (indices.dim() == 1) {
    return to_backend(from_indices(shape, list, value), backend_of(indices));
  }
  return from_positions(backend_of(indices), shape, flatten(shape, list, indices.size(0)), value);
}

Tensor keep_token_ids(const Tensor& tokens, const std::vector<int64_t>& ids) {
  return IsinLookup(tensor(ids), tokens.dtype(), false, backend_of(tokens))(tokens);
}

Tensor drop_token_ids(const Tensor& tokens, const std::vector<int64_t>& ids) {
  return IsinLookup(tensor(ids), tokens.dtype(), true, backend_of(tokens))(tokens);
}

Tensor causal(int64_t n, std::optional<int64_t> m, int64_t offset) {
  check_size("causal", "n", n);
  check_size("causal", "m", m.value_or(n));
  return from_band(n, m.value_or(n), INT64_MAX, offset);
}

Tensor band(int64_t n, int64_t m, int64_t lower, int64_t upper) {
  check_size("band", "n", n);
  check_size("band", "m", m);
  return from_band(n, m, lower, upper);
}

Tensor sliding_window(int64_t n, int64_t window, bool causal) {
  check_size("sliding_window", "n", n);
  check_size("sliding_window", "window", window);
  return from_band(n, n, window - 1, causal && window > 0 ? 0 : window - 1);
}

Tensor between(const Tensor& x, const Tensor& lo, const Tensor& hi) {
  const Tensor above = bounded(Comparison::ge, x, lo);
  return above & bounded(Comparison::le, x, hi);
}

Tensor documents(const Tensor& ids) {
  check_integers("documents", ids);
  check(ids.dim() == 1, ErrorKind::shape, "documents: expected ids of shape [n], but got {}",
        ids.shape());
  const int64_t n = ids.numel();
  const std::vector<int64_t> list = ids.to_vector<int64_t>();
  std::vector<int64_t> lo(list.size()), hi(list.size());
  if (!find_runs(list, lo, hi)) return ids.unsqueeze(1) == ids.unsqueeze(0);
  return from_intervals(backend_of(ids),
                        Ref<const Recipe>(new Intervals(n, std::move(lo), std::move(hi))), {n, n});
}

}  // namespace tamis::masks

namespace tamis {

std::vector<Row> mask_rows() {
  const Tensor tokens = SAMPLE(tensor({{5, 0, 7, 7}, {1, 5, 0, 0}}));
  const Tensor x = SAMPLE(tensor({-1.f, 0.f, 2.5f, 4.f}));
  const Value none;
  return {
      make_row("masks.from_lengths(Tensor|int|int[] lengths, int? max_len=None) -> Tensor",
               "Padding mask: true at the first `length` positions of each row.",
               masks::from_lengths,
               SAMPLES({tensor({2, 0, 3}), none}, {tensor({{1, 3}, {2, 0}}), int64_t{5}}))
          .with_windows(windows_of_lengths),
      make_row(
          "masks.from_indices(int[] shape, Tensor|int|int[] indices, bool value=True) -> Tensor",
          "Mask that is `value` at the given positions and the opposite elsewhere.",
          +[](const Shape& shape, const Tensor& indices, bool value) {
            return masks::from_indices(shape, indices, value);
          },
          SAMPLES({Shape{5}, tensor({1, -1}), true},
                  {Shape{2, 3}, tensor({{0, 1}, {1, 2}}), false}))
          .with_windows(windows_of_indices),
      make_row(
          "masks.keep_token_ids(Tensor|int|int[] tokens, int[] ids) -> Tensor",
          "True where tokens holds one of ids.",
          +[](const Tensor& t, const Shape& ids) { return masks::keep_token_ids(t, ids.vec()); },
          SAMPLES({tokens, Shape{0, 7}}, {tokens, Shape{}}))
          .is_pointwise(),
      make_row(
          "masks.drop_token_ids(Tensor|int|int[] tokens, int[] ids) -> Tensor",
          "True where tokens holds none of ids.",
          +[](const Tensor& t, const Shape& ids) { return masks::drop_token_ids(t, ids.vec()); },
          SAMPLES({tokens, Shape{0, 7}}, {tokens, Shape{}}))
          .is_pointwise(),
      make_row("masks.causal(int n, int? m=None, int offset=0) -> Tensor",
               "Mask [n, m]: query i sees keys up to i + offset.", masks::causal,
               SAMPLES({int64_t{4}, none, int64_t{0}}, {int64_t{2}, int64_t{5}, int64_t{3}}))
          .with_windows(windows_of_causal),
      make_row("masks.band(int n, int m, int lower, int upper) -> Tensor",
               "Mask [n, m]: true where -lower <= j - i <= upper.", masks::band,
               SAMPLES({int64_t{4}, int64_t{5}, int64_t{1}, int64_t{2}}))
          .with_windows(windows_of_band),
      make_row("masks.sliding_window(int n, int window, bool causal=True) -> Tensor",
               "Mask [n, n]: query i sees the last `window` keys up to itself.",
               masks::sliding_window,
               SAMPLES({int64_t{5}, int64_t{2}, true}, {int64_t{5}, int64_t{2}, false}))
          .with_windows(windows_of_sliding),
      make_row("masks.between(Tensor|int|Scalar[] x, Tensor|Scalar|Scalar[] lo, "
               "Tensor|Scalar|Scalar[] hi) -> Tensor",
               "True where lo <= x <= hi.", masks::between,
               SAMPLES({x, Tensor(0), Tensor(3)}, {x, tensor({{0.f}, {1.f}}), tensor(9.f)}))
          .is_pointwise(),
      make_row("masks.documents(Tensor|int|int[] ids) -> Tensor",
               "Mask [n, n]: true where both positions are of the same document.", masks::documents,
               SAMPLES({tensor({0, 0, 1, 1, 1})}, {tensor({0, 1, 0})}))
          .with_windows(windows_of_documents),
  };
}

}  // namespace tamis
