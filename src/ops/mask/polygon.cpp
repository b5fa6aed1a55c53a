// Polygons: masks of what is inside of rings, and the rings around masks.
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "core/check.h"
#include "expr/expr.h"
#include "ops/row.h"
#include "tamis/tamis.h"

namespace tamis {

namespace {

// ---- from polygons ------------------------------------------------------------------------------

/// The coordinates of a ring on the host, x and y by turns.
std::vector<double> vertices_of(const Tensor& ring) {
  check(!is_complex(ring.dtype()) && ring.dtype() != DType::boolean, ErrorKind::dtype,
        "from_polygons: vertices must be real numbers, but got {}", name(ring.dtype()));
  check(ring.dim() == 2 && ring.size(1) == 2, ErrorKind::shape,
        "from_polygons: expected a ring of shape [vertices, 2], but got {}", ring.shape());
  std::vector<double> found = to_host(ring.detach()).to(DType::float64).to_vector<double>();
  // Differences of larger ones may overflow.
  check(std::all_of(found.begin(), found.end(), [](double v) { return std::abs(v) <= 1e300; }),
        ErrorKind::value, "from_polygons: vertices must be finite, and not above 1e300");
  return found;
}

/// The first of n pixels whose centre is at or behind a coordinate.
int64_t first_pixel(double at, int64_t n) {
  return static_cast<int64_t>(std::clamp(std::ceil(at - 0.5), 0.0, static_cast<double>(n)));
}

/// An image in which inside and outside change at marked pixels.
class Crossings {
 public:
  Crossings(bool* marks, int64_t rows, int64_t columns)
      : marks_(marks), rows_(rows), columns_(columns) {}

  /// Marks where the rows of centres cross an edge. Edges that two rings share cancel each other,
  /// as the lower end always comes first.
  void add(double x0, double y0, double x1, double y1) {
    if (y1 < y0) {
      std::swap(x0, x1);
      std::swap(y0, y1);
    }
    const int64_t end = first_pixel(y1, rows_);
    for (int64_t row = first_pixel(y0, rows_); row < end; ++row) {
      const double y = static_cast<double>(row) + 0.5;
      const int64_t column = first_pixel(x0 + (y - y0) / (y1 - y0) * (x1 - x0), columns_);
      if (column < columns_) marks_[row * columns_ + column] ^= true;
    }
  }

  void fill() {
    for (int64_t row = 0; row < rows_; ++row) {
      bool* const pixels = marks_ + row * columns_;
      for (int64_t column = 1; column < columns_; ++column) pixels[column] ^= pixels[column - 1];
    }
  }

 private:
  bool* marks_;
  int64_t rows_, columns_;
};

// ---- to polygons --------------------------------------------------------------------------------

enum Direction { kRight, kDown, kLeft, kUp };
constexpr int64_t kStepX[] = {1, 0, -1, 0}, kStepY[] = {0, 1, 0, -1};

/// Walks along the edges between true and false pixels, with true to the right.
class Tracer {
 public:
  Tracer(const bool* mask, int64_t rows, int64_t columns)
      : mask_(mask),
        rows_(rows),
        columns_(columns),
        seen_(static_cast<size_t>((rows + 1) * columns)) {}

  std::vector<Tensor> rings() {
    std::vector<Tensor> found;
    for (int64_t y = 0; y <= rows_; ++y) {
      for (int64_t x = 0; x < columns_; ++x) {
        const bool above = at(x, y - 1), below = at(x, y);
        if (above == below || seen_[y * columns_ + x]) continue;
        found.push_back(below ? ring(x, y, kRight) : ring(x + 1, y, kLeft));
      }
    }
    return found;
  }

 private:
  bool at(int64_t x, int64_t y) const {
    return x >= 0 && y >= 0 && x < columns_ && y < rows_ && mask_[y * columns_ + x];
  }

  /// The pixel ahead of a corner, to the right or to the left of the way.
  bool ahead(int64_t x, int64_t y, int direction, bool right) const {
    // Offsets to the pixels around a corner, in the order of the pixel ahead on the right.
    constexpr int64_t kX[] = {0, -1, -1, 0}, kY[] = {0, 0, -1, -1};
    const int side = right ? direction : (direction + 3) % 4;
    return at(x + kX[side], y + kY[side]);
  }

  Tensor ring(int64_t x, int64_t y, int direction) {
    std::vector<std::array<int64_t, 2>> corners;
    const int64_t first_x = x, first_y = y;
    const int first_direction = direction;
    do {
      if (direction == kRight) seen_[y * columns_ + x] = true;
      if (direction == kLeft) seen_[y * columns_ + x - 1] = true;
      x += kStepX[direction];
      y += kStepY[direction];
      // To the right where it can, around the same pixel: what touches at a corner stays apart.
      const int before = direction;
      if (!ahead(x, y, direction, true)) {
        direction = (direction + 1) % 4;
      } else if (ahead(x, y, direction, false)) {
        direction = (direction + 3) % 4;
      }
      if (direction != before) corners.push_back({y, x});
    } while (x != first_x || y != first_y || direction != first_direction);
    std::rotate(corners.begin(), std::min_element(corners.begin(), corners.end()), corners.end());
    std::vector<int64_t> flat;
    for (const auto& [row, column] : corners) flat.insert(flat.end(), {column, row});
    return tensor(flat, {static_cast<int64_t>(corners.size()), 2});
  }

  const bool* mask_;
  int64_t rows_, columns_;
  std::vector<bool> seen_;  // horizontal edges, by the corner at their left end
};

}  // namespace

namespace masks {

Tensor from_polygons(const Shape& shape, const std::vector<Tensor>& rings) {
  check(shape.size() == 2 && shape[0] >= 0 && shape[1] >= 0, ErrorKind::shape,
        "from_polygons: expected the shape [height, width], but got {}", shape);
  std::vector<std::vector<double>> lists;
  for (const Tensor& ring : rings) lists.push_back(vertices_of(ring));
  const Tensor mask = full_on(host_backend(), shape, false, DType::boolean);
  Crossings crossings(mask.mutable_data<bool>(), shape[0], shape[1]);
  for (const std::vector<double>& v : lists) {
    for (size_t i = 0; i < v.size(); i += 2) {
      const size_t next = (i + 2) % v.size();
      crossings.add(v[i], v[i + 1], v[next], v[next + 1]);
    }
  }
  crossings.fill();
  return to_backend(mask, rings.empty() ? default_backend() : backend_of(rings[0]));
}

Tensor from_polygons(const Shape& shape, const Tensor& ring) {
  return from_polygons(shape, ring.dim() == 3 ? unbind(ring, 0) : std::vector<Tensor>{ring});
}

std::vector<Tensor> to_polygons(const Tensor& mask) {
  check(mask.dtype() == DType::boolean, ErrorKind::dtype,
        "to_polygons: expected a mask (bool), but got {}; write mask != 0", name(mask.dtype()));
  check(mask.dim() == 2, ErrorKind::shape,
        "to_polygons: expected a mask of shape [height, width], but got {}", mask.shape());
  // Bytes other than 0 and 1 are true as well, and become 1 here.
  const Tensor source = to_host(mask).logical_or(Tensor(false)).contiguous();
  std::vector<Tensor> rings = Tracer(source.data<bool>(), mask.size(0), mask.size(1)).rings();
  for (Tensor& ring : rings) ring = to_backend(ring, backend_of(mask));
  return rings;
}

}  // namespace masks

std::vector<Row> polygon_rows() {
  const std::vector<Tensor> square_with_hole = SAMPLE(std::vector<Tensor>{
      tensor({{0, 0}, {5, 0}, {5, 4}, {0, 4}}), tensor({{1, 1}, {4, 1}, {4, 3}, {1, 3}})});
  const Tensor triangle = SAMPLE(tensor({{0.f, 0.f}, {6.f, 0.f}, {0.f, 4.f}}));
  const Tensor mask = SAMPLE(tensor({{true, true, true, false},
                                     {true, false, true, false},
                                     {true, true, true, false},
                                     {false, false, false, true}}));
  return {
      make_row(
          "masks.from_polygons(int[] shape, Tensor[] rings) -> Tensor",
          "The mask of the pixels whose centres are inside of rings of (x, y), by the even-odd "
          "rule.",
          +[](const Shape& shape, const std::vector<Tensor>& rings) {
            return masks::from_polygons(shape, rings);
          },
          SAMPLES({Shape{4, 5}, square_with_hole}, {Shape{2, 3}, std::vector<Tensor>{}})),
      make_row(
          "masks.from_polygons(int[] shape, Tensor|Scalar[] ring) -> Tensor",
          "The mask of the pixels whose centres are inside of a ring of (x, y), or of several of "
          "equal length.",
          +[](const Shape& shape, const Tensor& ring) { return masks::from_polygons(shape, ring); },
          SAMPLES({Shape{4, 6}, triangle}, {Shape{4, 6}, stack({triangle, triangle + 1})})),
      make_row("masks.to_polygons(Tensor|bool[] mask) -> Tensor[]",
               "The boundaries of a mask as rings of (x, y), of which from_polygons makes the same "
               "mask.",
               masks::to_polygons, SAMPLES({mask})),
  };
}

}  // namespace tamis
