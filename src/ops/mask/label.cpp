// Labels: the connected components of masks.
#include <string>
#include <vector>

#include "core/check.h"
#include "expr/expr.h"
#include "ops/mask/planes.h"
#include "ops/row.h"
#include "tamis/tamis.h"

namespace tamis {

namespace {

/// The components of one image, as trees over its elements. The root of each is its first element.
class Components {
 public:
  Components(const bool* mask, int64_t rows, int64_t columns, bool diagonals)
      : mask_(mask), parents_(static_cast<size_t>(rows * columns)) {
    for (int64_t y = 0; y < rows; ++y) {
      for (int64_t x = 0; x < columns; ++x) {
        const int64_t at = y * columns + x;
        if (!mask[at]) continue;
        parents_[at] = at;
        if (x > 0) join(at, at - 1);
        if (y == 0) continue;
        join(at, at - columns);
        if (diagonals && x > 0) join(at, at - columns - 1);
        if (diagonals && x + 1 < columns) join(at, at - columns + 1);
      }
    }
  }

  /// Writes the number of each element's component; returns how many there are.
  int64_t number(int64_t* labels) const {
    int64_t count = 0;
    for (size_t at = 0; at < parents_.size(); ++at) {
      if (!mask_[at]) {
        labels[at] = 0;
      } else if (parents_[at] == static_cast<int64_t>(at)) {
        labels[at] = ++count;
      } else {
        labels[at] = labels[parents_[at]];  // a parent comes before its children
      }
    }
    return count;
  }

 private:
  int64_t root(int64_t at) {
    while (parents_[at] != at) at = parents_[at] = parents_[parents_[at]];
    return at;
  }
  void join(int64_t at, int64_t neighbour) {
    if (!mask_[neighbour]) return;
    const int64_t a = root(at), b = root(neighbour);
    parents_[std::max(a, b)] = std::min(a, b);
  }

  const bool* mask_;
  std::vector<int64_t> parents_;
};

}  // namespace

namespace masks {

std::pair<Tensor, Tensor> label(const Tensor& mask, int64_t connectivity,
                                std::optional<int64_t> ndim) {
  const int64_t dims = plane_dims("label", mask, ndim);
  check(connectivity == 4 || connectivity == 8, ErrorKind::value,
        "label: connectivity must be 4 or 8, but got {}", connectivity);
  Backend& backend = backend_of(mask);
  const Shape shape = mask.shape();
  Shape batch = shape;
  batch.resize(shape.size() - static_cast<size_t>(dims));
  const int64_t columns = shape.back(), rows = dims == 2 ? shape[shape.size() - 2] : 1;
  // Bytes other than 0 and 1 are true as well, and become 1 here.
  const Tensor source = to_host(mask).logical_or(Tensor(false)).contiguous();
  const Tensor labels = allocate_on_host(shape, DType::int64);
  const Tensor counts = allocate_on_host(batch, DType::int64);
  const bool* from = source.data<bool>();
  auto* to = labels.mutable_data<int64_t>();
  auto* count = counts.mutable_data<int64_t>();
  for (int64_t i = 0; i < counts.numel(); ++i) {
    count[i] = Components(from, rows, columns, connectivity == 8).number(to);
    from += rows * columns;
    to += rows * columns;
  }
  return {to_backend(labels, backend), to_backend(counts, backend)};
}

}  // namespace masks

std::vector<Row> label_rows() {
  const Tensor image = SAMPLE(tensor({{true, false, false, true, true},
                                      {true, false, true, false, false},
                                      {false, true, true, false, true},
                                      {true, false, false, true, true}}));
  const Value none;
  const auto n = [](int64_t v) { return Value(v); };
  return {
      make_row("masks.label(Tensor|bool[] mask, int connectivity=4, *, int? ndim=None) -> (Tensor "
               "labels, Tensor count)",
               "The number, from 1, of the connected component that each true element is in, 0 "
               "elsewhere; and how many there are.",
               masks::label,
               SAMPLES({image, n(4), none}, {image, n(8), none}, {image, n(4), n(1)},
                       {image[0], n(4), none}, {image.view({2, 2, 5}), n(8), n(2)})),
  };
}

}  // namespace tamis
