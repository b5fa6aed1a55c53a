// Morphology: masks that grow and shrink.
#include <limits>
#include <string>

#include "core/check.h"
#include "ops/mask/planes.h"
#include "ops/row.h"
#include "tamis/tamis.h"

namespace tamis {

namespace {

/// What an op is asked to do.
struct Reach {
  Shape radius;  // of each of the last dimensions
  bool box;
  int64_t iterations;
};

Reach reach_of(const char* op, const Tensor& mask, const Shape& radius, std::optional<int64_t> ndim,
               const std::string& element, int64_t iterations) {
  const auto dims = static_cast<size_t>(plane_dims(op, mask, ndim));
  check(radius.size() == 1 || radius.size() == dims, ErrorKind::shape,
        "{}: expected one radius, or one for each of {} dimensions, but got {}", op, dims, radius);
  for (int64_t r : radius) {
    check(r >= 0, ErrorKind::value, "{}: radius must not be negative, but got {}", op, radius);
  }
  check(element == "box" || element == "cross", ErrorKind::value,
        "{}: element must be 'box' or 'cross', but is '{}'", op, element);
  check(iterations >= 1, ErrorKind::value, "{}: iterations must be at least 1, but got {}", op,
        iterations);
  return {radius.size() == dims ? radius : Shape(dims, radius[0]), element == "box", iterations};
}

/// True within `radius` along one dimension, counted from the last. Windows of 2 * radius + 1 are
/// joined from windows of half their size.
Tensor spread(const Tensor& mask, size_t from_last, int64_t radius, bool border) {
  const int64_t dim = mask.dim() - 1 - static_cast<int64_t>(from_last), size = mask.size(dim);
  // From any element this reaches all others, and what is outside on both sides.
  const int64_t reach = std::min(radius, size);
  if (reach == 0) return mask;
  Shape widths(2 * (from_last + 1), 0);
  widths[2 * from_last] = widths[2 * from_last + 1] = reach;
  Tensor windows = pad(mask, widths, "constant", Scalar(border));
  const auto joined = [&](int64_t shift) {
    const int64_t left = windows.size(dim) - shift;
    return windows.narrow(dim, 0, left) | windows.narrow(dim, shift, left);
  };
  const int64_t whole = 2 * reach + 1;
  int64_t width = 1;
  for (; 2 * width <= whole; width *= 2) windows = joined(width);
  return width < whole ? joined(whole - width) : windows;
}

/// radius * iterations, or as far as can be.
int64_t times(int64_t radius, int64_t iterations) {
  int64_t product = 0;
  const bool overflows = __builtin_mul_overflow(radius, iterations, &product);
  return overflows ? std::numeric_limits<int64_t>::max() : product;
}

Tensor grown(const Tensor& mask, const Reach& reach, bool border) {
  const size_t dims = reach.radius.size();
  const auto radius = [&](size_t from_last) { return reach.radius[dims - 1 - from_last]; };
  if (reach.box || dims == 1) {  // repeated boxes are a larger one
    Tensor result = mask;
    for (size_t d = 0; d < dims; ++d) {
      result = spread(result, d, times(radius(d), reach.iterations), border);
    }
    return result;
  }
  // After this many steps every element has been reached that can be.
  const int64_t most = mask.size(-1) + mask.size(-2);
  Tensor result = mask;
  for (int64_t i = 0; i < std::min(reach.iterations, most); ++i) {
    result = spread(result, 0, radius(0), border) | spread(result, 1, radius(1), border);
  }
  return result;
}

}  // namespace

namespace masks {

Tensor dilate(const Tensor& mask, const Shape& radius, std::optional<int64_t> ndim,
              const std::string& element, int64_t iterations, bool border) {
  return grown(mask, reach_of("dilate", mask, radius, ndim, element, iterations), border);
}

Tensor erode(const Tensor& mask, const Shape& radius, std::optional<int64_t> ndim,
             const std::string& element, int64_t iterations, bool border) {
  const Reach reach = reach_of("erode", mask, radius, ndim, element, iterations);
  return ~grown(~mask, reach, !border);
}

}  // namespace masks

std::vector<Row> morphology_rows() {
  const Tensor image = SAMPLE(tensor({{false, true, false, false, false, false},
                                      {true, true, true, true, false, false},
                                      {true, true, true, false, false, true},
                                      {true, true, true, false, true, true}}));
  const Tensor row = SAMPLE(tensor({true, true, true, false, false, true, true, true, true}));
  const Value none, box = std::string("box"), cross = std::string("cross");
  const auto n = [](int64_t v) { return Value(v); };
  const std::vector<Args> samples = SAMPLES(
      {image, Shape{1}, none, cross, n(1), false}, {image, Shape{1, 2}, none, box, n(1), true},
      {image, Shape{1}, n(1), box, n(2), false}, {row, Shape{1}, none, box, n(1), false},
      {image.unsqueeze(0), Shape{1, 0}, n(2), cross, n(3), true});
  const std::string options =
      "(Tensor|bool[] mask, int[] radius=[1], *, int? ndim=None, str element='box', int "
      "iterations=1, bool border=False) -> Tensor";
  return {
      make_row("masks.dilate" + options,
               "A mask grown by `radius` along its last one or two dimensions; true is inside.",
               masks::dilate, samples),
      make_row("masks.erode" + options,
               "A mask shrunk by `radius` along its last one or two dimensions; true is inside.",
               masks::erode, samples),
  };
}

}  // namespace tamis
