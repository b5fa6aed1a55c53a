// Raising errors, and the arithmetic of shapes that every op needs before it can check anything.
#include "core/check.h"

namespace tamis {

void raise(ErrorKind kind, std::string text) { throw Error(kind, text); }

int64_t wrap_dim(int64_t dim, int64_t rank) {
  const int64_t bound = rank > 0 ? rank : 1;
  check(dim >= -bound && dim < bound, ErrorKind::index,
        "Dimension out of range (expected to be in range of [{}, {}], but got {})", -bound,
        bound - 1, dim);
  return dim < 0 ? dim + bound : dim;
}

int64_t numel(const Shape& shape) {
  int64_t n = 1;
  for (int64_t s : shape) {
    check(!__builtin_mul_overflow(n, s, &n), ErrorKind::shape,
          "shape {} has more elements than 64 bits can count", shape);
  }
  return n;
}

std::string to_string(const Shape& shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i) {
    if (i > 0) text += ", ";
    text += std::to_string(shape[i]);
  }
  text += ']';
  return text;
}

Shape broadcast_shapes(const Shape& a, const Shape& b) {
  if (b.empty() || a == b) return a;
  if (a.empty()) return b;
  const size_t rank = std::max(a.size(), b.size());
  Shape result(rank, 1);
  for (size_t i = 0; i < rank; ++i) {
    const int64_t x = i < rank - a.size() ? 1 : a[i - (rank - a.size())];
    const int64_t y = i < rank - b.size() ? 1 : b[i - (rank - b.size())];
    check(x == y || x == 1 || y == 1, ErrorKind::shape,
          "The size of tensor a ({}) must match the size of tensor b ({}) at non-singleton "
          "dimension {}",
          x, y, i);
    result[i] = x == 1 ? y : x;
  }
  return result;
}

}  // namespace tamis
