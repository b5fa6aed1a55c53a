// Builders: each mask of masks.h, moved to the corner of a window. (`tamis::masks` makes whole
// masks; a view of one would have to be written to memory first.)
#include "language/builders.h"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "tamis/create.h"
#include "tamis/masks.h"
#include "tamis/pointwise.h"

namespace tamis::cli {

namespace {

// Far beyond every index, and far from overflow.
constexpr int64_t kFar = int64_t{1} << 62;

int64_t add(int64_t a, int64_t b) {
  int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) return b < 0 ? -kFar : kFar;
  return std::clamp(sum, -kFar, kFar);
}

/// True where -lower <= j - i <= upper.
Builder band(const Shape& shape, int64_t lower, int64_t upper) {
  return {shape, [lower, upper](const Box& box) {
            const int64_t shift = box.start[1] - box.start[0];
            return masks::band(box.size[0], box.size[1], add(lower, shift), add(upper, -shift));
          }};
}

Builder from_lengths(const Tensor& lengths, const Shape& shape) {
  const Tensor flat = lengths.to_long().reshape({-1});
  return {shape, [flat, shape](const Box& box) {
            Box rows = box;
            Shape sizes = shape;
            const int64_t begin = box.start.back(), columns = box.size.back();
            for (Shape* list : {&rows.start, &rows.size, &sizes}) list->resize(list->size() - 1);
            const Tensor part = flat.narrow(0, first_element(rows, sizes), rows.numel());
            const Tensor cut = clamp(part.view(rows.size) - begin, Tensor(0), Tensor(columns));
            return masks::from_lengths(cut, columns);
          }};
}

Builder documents(const Tensor& ids, const Shape& shape) {
  return {shape, [ids](const Box& box) {
            const Tensor rows = ids.narrow(0, box.start[0], box.size[0]);
            const Tensor columns = ids.narrow(0, box.start[1], box.size[1]);
            return rows.unsqueeze(1) == columns.unsqueeze(0);
          }};
}

/// The row-major numbers of 1-d indices or [count, rank] coordinates, in order.
std::vector<int64_t> positions(const Shape& shape, const Tensor& indices) {
  for (int64_t size : shape) {
    if (size < 0) {
      throw Error(ErrorKind::value, "from_indices: negative size in " + to_string(shape));
    }
  }
  const Shape flat{numel(shape)};
  const Shape& sizes = indices.dim() == 2 ? shape : flat;
  const auto rank = static_cast<int64_t>(sizes.size());
  if (indices.dim() > 2 || indices.dim() < 1 || (indices.dim() == 2 && indices.size(1) != rank)) {
    throw Error(ErrorKind::shape, "from_indices: expected indices of shape [count] or [count, " +
                                      std::to_string(shape.size()) + "]");
  }
  if (indices.numel() != 0 && !is_integral(indices.dtype())) {
    throw Error(ErrorKind::dtype,
                std::string("from_indices: expected integers, but got ") + name(indices.dtype()));
  }
  const std::vector<int64_t> list = indices.to_vector<int64_t>();
  std::vector<int64_t> result(rank == 0 ? indices.size(0) : list.size() / rank, 0);
  for (size_t k = 0; k < list.size(); ++k) {
    const int64_t index = list[k], size = sizes[k % rank];
    if (index < -size || index >= size) {
      throw Error(ErrorKind::index, "from_indices: index " + std::to_string(index) +
                                        " is out of bounds for size " + std::to_string(size));
    }
    int64_t& position = result[k / rank];
    position = position * size + (index < 0 ? index + size : index);
  }
  std::sort(result.begin(), result.end());
  return result;
}

Builder from_indices(const Shape& shape, const Tensor& indices, bool value) {
  return {shape, [shape, list = positions(shape, indices), value](const Box& box) {
            const int64_t first = first_element(box, shape), count = box.numel();
            const Tensor mask = full(box.size, !value, DType::boolean);
            bool* data = mask.mutable_data<bool>();
            const auto begin = std::lower_bound(list.begin(), list.end(), first);
            for (auto p = begin; p != list.end() && *p < first + count; ++p) {
              data[*p - first] = value;
            }
            return mask;
          }};
}

}  // namespace

Builder make_builder(const Function& function, std::span<const Value> args) {
  const auto integer = [&](size_t i) { return std::get<int64_t>(args[i]); };
  const auto tensor_at = [&](size_t i) -> const Tensor& { return std::get<Tensor>(args[i]); };
  if (function.name == "from_indices") {
    return from_indices(std::get<Shape>(args[0]), tensor_at(1), std::get<bool>(args[2]));
  }
  // Nothing is computed here; it is for the checks and the shape.
  const Shape shape = std::get<Tensor>(function.row->call(args)).shape();
  if (function.name == "from_lengths") return from_lengths(tensor_at(0), shape);
  if (function.name == "documents") return documents(tensor_at(0), shape);
  if (function.name == "causal") return band(shape, kFar, integer(2));
  if (function.name == "band") return band(shape, integer(2), integer(3));
  if (function.name == "sliding_window") {
    const int64_t window = integer(1);
    const bool causal = std::get<bool>(args[2]) && window > 0;
    return band(shape, add(window, -1), causal ? 0 : add(window, -1));
  }
  throw std::logic_error("no windows of the mask builder " + function.name);
}

}  // namespace tamis::cli
