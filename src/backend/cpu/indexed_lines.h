// Lines of indexed elements: the iteration space of an index operation, split into lines along its
// innermost dimension.
#pragma once

#include <algorithm>
#include <vector>

#include "backend/cpu/address.h"
#include "backend/indexed.h"

#if defined(__clang__)
#define TAMIS_UNROLLED _Pragma("clang loop unroll_count(8)")
#else
#define TAMIS_UNROLLED _Pragma("GCC unroll 8")
#endif

namespace tamis::cpu {

// ---- the iteration space ------------------------------------------------------------------------

/// The iteration space with adjacent dimensions merged where all operands allow it. Operand 0 is
/// the indexed tensor, 1 the packed side (out or source), the others are the columns.
struct Space {
  Shape shape;                   // at least two dimensions: rows of lines
  std::vector<Shape> strides;    // of each operand
  std::vector<int64_t> origins;  // where each operand begins
};

inline Space merged(const IndexedElements& indexed, const Shape& packed) {
  std::vector<const Shape*> from = {&indexed.strides, &packed};
  for (const IndexColumn& column : indexed.columns) from.push_back(&column.strides);
  Space space;
  space.strides.resize(from.size());
  space.origins.assign(from.size(), 0);
  for (size_t d = 0; d < indexed.shape.size(); ++d) {
    const int64_t size = indexed.shape[d];
    if (size == 1) continue;
    bool joins = !space.shape.empty();
    for (size_t o = 0; o < from.size() && joins; ++o) {
      joins = space.strides[o].back() == (*from[o])[d] * size;
    }
    if (joins) {
      space.shape.back() *= size;
    } else {
      space.shape.push_back(size);
    }
    for (size_t o = 0; o < from.size(); ++o) {
      if (!joins) space.strides[o].push_back(0);
      space.strides[o].back() = (*from[o])[d];
    }
  }
  while (space.shape.size() < 2) {
    space.shape.insert(0, 1);
    for (Shape& strides : space.strides) strides.insert(0, 0);
  }
  return space;
}

/// A position in a space, with each operand's offset there.
class Cursor {
 public:
  Cursor(const Space& space, int64_t position)
      : shape_(space.shape), at_(space.shape.size(), 0), offsets_(space.origins) {
    for (size_t d = 0; d < shape_.size(); ++d) {
      for (const Shape& strides : space.strides) steps_.push_back(strides[d]);
    }
    for (size_t d = shape_.size(); d-- > 0; position /= shape_[d]) move(d, position % shape_[d]);
  }

  const int64_t* offsets() const { return offsets_.data(); }
  size_t last() const { return shape_.size() - 1; }
  /// Positions left in dimension d.
  int64_t left(size_t d) const { return shape_[d] - at_[d]; }

  void move(size_t d, int64_t by) {
    at_[d] += by;
    const int64_t* steps = steps_.data() + d * offsets_.size();
    for (size_t o = 0; o < offsets_.size(); ++o) offsets_[o] += by * steps[o];
  }
  /// Advances the outer dimensions where an inner one has reached its end.
  void carry(size_t d) {
    for (; d > 0 && at_[d] == shape_[d]; --d) {
      move(d, -shape_[d]);
      move(d - 1, 1);
    }
  }

 private:
  Shape shape_, at_;
  std::vector<int64_t> steps_;  // [dimension][operand]
  std::vector<int64_t> offsets_;
};

/// Covers positions [begin, end) by calls visit(offsets of the operands, lines, n), in row-major
/// order: that many lines of n elements, one step of the second-to-last dimension apart.
template <class Visit>
void for_lines(const Space& space, int64_t begin, int64_t end, Visit&& visit) {
  Cursor cursor(space, begin);
  const size_t last = cursor.last();
  const int64_t line = space.shape[last];
  for (int64_t position = begin; position < end;) {
    const int64_t n = std::min(cursor.left(last), end - position);
    if (n < line) {
      visit(cursor.offsets(), int64_t{1}, n);
      position += n;
      cursor.move(last, n);
      cursor.carry(last);
      continue;
    }
    const int64_t lines = std::min(cursor.left(last - 1), (end - position) / line);
    visit(cursor.offsets(), lines, line);
    position += lines * line;
    cursor.move(last - 1, lines);
    cursor.carry(last - 1);
  }
}

// ---- lines --------------------------------------------------------------------------------------

struct Column {
  const int64_t* data;
  int64_t size, step;
  int64_t stride, line_stride;  // along a line, and from one line to the next
  size_t operand;

  int64_t offset(int64_t at) const {
    const int64_t index = data[at];
    return (index + (index < 0 ? size : 0)) * step;
  }
};

/// The innermost dimension: the columns that change within a line, and those that do not.
struct Line {
  int64_t element_stride, packed_stride;
  int64_t element_line_stride, packed_line_stride;
  std::vector<Column> fixed, varying;

  Line(const IndexedElements& indexed, const Space& space)
      : element_stride(space.strides[0].back()),
        packed_stride(space.strides[1].back()),
        element_line_stride(before_last(space.strides[0])),
        packed_line_stride(before_last(space.strides[1])) {
    for (size_t k = 0; k < indexed.columns.size(); ++k) {
      const IndexColumn& from = indexed.columns[k];
      const Shape& strides = space.strides[k + 2];
      (strides.back() == 0 ? fixed : varying)
          .push_back({address<const int64_t>(from.numbers), from.size, from.step, strides.back(),
                      before_last(strides), k + 2});
    }
  }

  static int64_t before_last(const Shape& strides) { return strides[strides.size() - 2]; }

  /// Whether the indexed and the packed elements of a line are both contiguous.
  bool is_dense() const { return varying.empty() && element_stride == 1 && packed_stride == 1; }

  /// Whether the indexed elements of a line are contiguous in reverse order.
  bool is_reversed() const { return varying.empty() && element_stride == -1 && packed_stride == 1; }

  /// The offset of a line's first element, without the varying columns.
  int64_t begin(const int64_t* offsets, int64_t k) const {
    int64_t element = offsets[0] + k * element_line_stride;
    for (const Column& c : fixed) element += c.offset(offsets[c.operand] + k * c.line_stride);
    return element;
  }

  /// visit(element, packed) for the start of every line.
  template <class Visit>
  void each_line(const int64_t* offsets, int64_t lines, Visit visit) const {
    const int64_t packed = offsets[1];
    if (fixed.size() != 1) {
      for (int64_t k = 0; k < lines; ++k) visit(begin(offsets, k), packed + k * packed_line_stride);
      return;
    }
    const Column c = fixed[0];
    const int64_t element = offsets[0], first = offsets[c.operand];
    const int64_t element_step = element_line_stride, packed_step = packed_line_stride;
    for (int64_t k = 0; k < lines; ++k) {
      visit(element + k * element_step + c.offset(first + k * c.line_stride),
            packed + k * packed_step);
    }
  }

  /// visit(element, packed) for every element of the lines, in order.
  template <class Visit>
  void each(const int64_t* offsets, int64_t lines, int64_t n, Visit visit) const {
    if (is_dense()) {
      each_line(offsets, lines, [=](int64_t element, int64_t packed) {
        for (int64_t i = 0; i < n; ++i) visit(element + i, packed + i);
      });
      return;
    }
    for (int64_t k = 0; k < lines; ++k) {
      each_of_line(offsets, k, n, begin(offsets, k), offsets[1] + k * packed_line_stride, visit);
    }
  }

 private:
  template <class Visit>
  void each_of_line(const int64_t* offsets, int64_t k, int64_t n, int64_t element, int64_t packed,
                    Visit visit) const {
    // Copies, since the compiler must assume that `visit` may write the members.
    const int64_t element_step = element_stride, packed_step = packed_stride;
    if (varying.empty()) {
      for (int64_t i = 0; i < n; ++i) visit(element + i * element_step, packed + i * packed_step);
      return;
    }
    const Column c = varying[0];
    const int64_t first = offsets[c.operand] + k * c.line_stride;
    if (varying.size() == 1 && element_step == 0 && packed_step == 1 && c.stride == 1 &&
        c.step == 1) {
      const int64_t* const indices = c.data + first;
      const int64_t size = c.size;
      TAMIS_UNROLLED
      for (int64_t i = 0; i < n; ++i) {
        visit(element + indices[i] + (indices[i] >> 63 & size), packed + i);
      }
    } else if (varying.size() == 1 && element_step == 0 && packed_step == 1) {
      for (int64_t i = 0; i < n; ++i) visit(element + c.offset(first + i * c.stride), packed + i);
    } else if (varying.size() == 1) {
      for (int64_t i = 0; i < n; ++i) {
        visit(element + i * element_step + c.offset(first + i * c.stride),
              packed + i * packed_step);
      }
    } else {
      for (int64_t i = 0; i < n; ++i) {
        int64_t at = element + i * element_step;
        for (const Column& v : varying) {
          at += v.offset(offsets[v.operand] + k * v.line_stride + i * v.stride);
        }
        visit(at, packed + i * packed_step);
      }
    }
  }
};

}  // namespace tamis::cpu
