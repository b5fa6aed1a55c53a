// Windows of masks: each mask of masks.h, moved to the corner of a box. (A view of a whole mask
// would have to be written to memory first.)
#include "ops/mask/windows.h"

#include <algorithm>
#include <string>
#include <vector>

#include "core/check.h"
#include "core/convert.h"
#include "tamis/tamis.h"

namespace tamis {

namespace {

// Far beyond every index, and far from overflow.
constexpr int64_t kFar = int64_t{1} << 62;

int64_t add(int64_t a, int64_t b) {
  int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) return b < 0 ? -kFar : kFar;
  return std::clamp(sum, -kFar, kFar);
}

int64_t integer(const Value& value) { return std::get<int64_t>(value); }

/// The row-major number of an index.
int64_t number_of(const Shape& index, const Shape& shape) {
  int64_t number = 0;
  for (size_t d = 0; d < shape.size(); ++d) number = number * shape[d] + index[d];
  return number;
}

/// True where -lower <= j - i <= upper.
MaskWindows band(const Shape& shape, int64_t lower, int64_t upper) {
  return {shape, [lower, upper](const Shape& start, const Shape& size) {
            const int64_t shift = start[1] - start[0];
            return masks::band(size[0], size[1], add(lower, shift), add(upper, -shift));
          }};
}

/// The row-major numbers of 1-d indices or [count, rank] coordinates, in order.
std::vector<int64_t> positions(const Shape& shape, const Tensor& indices) {
  for (int64_t size : shape) {
    check(size >= 0, ErrorKind::value, "from_indices: negative size in {}", to_string(shape));
  }
  const Shape flat{numel(shape)};
  const Shape& sizes = indices.dim() == 2 ? shape : flat;
  const auto rank = static_cast<int64_t>(sizes.size());
  check(indices.dim() == 1 || (indices.dim() == 2 && indices.size(1) == rank), ErrorKind::shape,
        "from_indices: expected indices of shape [count] or [count, {}]", shape.size());
  check(indices.numel() == 0 || is_integral(indices.dtype()), ErrorKind::dtype,
        "from_indices: expected integers, but got {}", name(indices.dtype()));
  // As int64 they would count from the end.
  if (indices.dtype() == DType::uint64 && indices.numel() > 0) {
    check_fits(indices.amax().item(), DType::int64);
  }
  const std::vector<int64_t> list = indices.to_vector<int64_t>();
  std::vector<int64_t> result(rank == 0 ? indices.size(0) : list.size() / rank, 0);
  for (size_t k = 0; k < list.size(); ++k) {
    const int64_t index = list[k], size = sizes[k % rank];
    check(index >= -size && index < size, ErrorKind::index,
          "from_indices: index {} is out of bounds for size {}", index, size);
    int64_t& position = result[k / rank];
    position = position * size + (index < 0 ? index + size : index);
  }
  std::sort(result.begin(), result.end());
  return result;
}

}  // namespace

MaskWindows windows_of_lengths(std::span<const Value> args) {
  const Tensor& lengths = std::get<Tensor>(args[0]);
  // Nothing is computed here; it is for the checks and the shape.
  const Shape shape =
      masks::from_lengths(lengths, detail::FromValue<std::optional<int64_t>>::get(args[1])).shape();
  const Tensor flat = lengths.to_long().reshape({-1});
  return {shape, [flat, shape](const Shape& start, const Shape& size) {
            Shape corner = start, rows = size, sizes = shape;
            const int64_t begin = start.back(), columns = size.back();
            for (Shape* list : {&corner, &rows, &sizes}) list->resize(list->size() - 1);
            const Tensor part = flat.narrow(0, number_of(corner, sizes), numel(rows));
            const Tensor cut = clamp(part.view(rows) - begin, Tensor(0), Tensor(columns));
            return masks::from_lengths(cut, columns);
          }};
}

/// Boxes must be contiguous in row-major order.
MaskWindows windows_of_indices(std::span<const Value> args) {
  const Shape shape = std::get<Shape>(args[0]);
  const bool value = std::get<bool>(args[2]);
  return {shape, [shape, value, list = positions(shape, std::get<Tensor>(args[1]))](
                     const Shape& start, const Shape& size) {
            const int64_t first = number_of(start, shape), count = numel(size);
            const Tensor mask = full(size, !value, DType::boolean);
            bool* data = mask.mutable_data<bool>();
            const auto begin = std::lower_bound(list.begin(), list.end(), first);
            for (auto p = begin; p != list.end() && *p < first + count; ++p) {
              data[*p - first] = value;
            }
            return mask;
          }};
}

MaskWindows windows_of_causal(std::span<const Value> args) {
  const auto m = detail::FromValue<std::optional<int64_t>>::get(args[1]);
  return band(masks::causal(integer(args[0]), m, integer(args[2])).shape(), kFar, integer(args[2]));
}

MaskWindows windows_of_band(std::span<const Value> args) {
  const int64_t lower = integer(args[2]), upper = integer(args[3]);
  return band(masks::band(integer(args[0]), integer(args[1]), lower, upper).shape(), lower, upper);
}

MaskWindows windows_of_sliding(std::span<const Value> args) {
  const int64_t window = integer(args[1]);
  const bool is_causal = std::get<bool>(args[2]);
  const Shape shape = masks::sliding_window(integer(args[0]), window, is_causal).shape();
  return band(shape, add(window, -1), is_causal && window > 0 ? 0 : add(window, -1));
}

MaskWindows windows_of_documents(std::span<const Value> args) {
  const Tensor ids = std::get<Tensor>(args[0]);
  return {masks::documents(ids).shape(), [ids](const Shape& start, const Shape& size) {
            const Tensor rows = ids.narrow(0, start[0], size[0]);
            const Tensor columns = ids.narrow(0, start[1], size[1]);
            return rows.unsqueeze(1) == columns.unsqueeze(0);
          }};
}

}  // namespace tamis
