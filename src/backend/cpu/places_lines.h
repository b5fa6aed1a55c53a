// Lines of places: the iteration space of an index operation, taken apart into lines along its
// innermost dimension.
#pragma once

#include <algorithm>
#include <vector>

#include "backend/cpu/address.h"
#include "backend/places.h"

namespace tamis::cpu {

// ---- the iteration space ------------------------------------------------------------------------

/// The iteration space with adjacent dimensions merged where all operands allow it. Operand 0 is
/// the places, 1 the packed side (out or source), the others are the columns.
struct Space {
  Shape shape;                   // at least two dimensions: rows of lines
  std::vector<Shape> strides;    // of each operand
  std::vector<int64_t> origins;  // where each operand begins
};

inline Space merged(const Places& places, const Shape& packed) {
  std::vector<const Shape*> from = {&places.strides, &packed};
  for (const IndexColumn& column : places.columns) from.push_back(&column.strides);
  Space space;
  space.strides.resize(from.size());
  space.origins.assign(from.size(), 0);
  for (size_t d = 0; d < places.shape.size(); ++d) {
    const int64_t size = places.shape[d];
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

/// A position in a space, with what each operand's offset is there.
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
  /// Places left in dimension d.
  int64_t left(size_t d) const { return shape_[d] - at_[d]; }

  void move(size_t d, int64_t by) {
    at_[d] += by;
    const int64_t* steps = steps_.data() + d * offsets_.size();
    for (size_t o = 0; o < offsets_.size(); ++o) offsets_[o] += by * steps[o];
  }
  /// Goes on in the outer dimensions where one has come to its end.
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
/// order: that many lines of n elements, one step of the last dimension but one from each other.
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
  int64_t stride, line_stride;  // along a line, and from one to the next
  size_t operand;

  int64_t place(int64_t at) const {
    const int64_t index = data[at];
    return (index + (index < 0 ? size : 0)) * step;
  }
};

/// The innermost dimension: columns that change within a line apart from those that do not.
struct Line {
  int64_t place_stride, packed_stride;
  int64_t place_line_stride, packed_line_stride;
  std::vector<Column> fixed, varying;

  Line(const Places& places, const Space& space)
      : place_stride(space.strides[0].back()),
        packed_stride(space.strides[1].back()),
        place_line_stride(before_last(space.strides[0])),
        packed_line_stride(before_last(space.strides[1])) {
    for (size_t k = 0; k < places.columns.size(); ++k) {
      const IndexColumn& from = places.columns[k];
      const Shape& strides = space.strides[k + 2];
      (strides.back() == 0 ? fixed : varying)
          .push_back({address<const int64_t>(from.numbers), from.size, from.step, strides.back(),
                      before_last(strides), k + 2});
    }
  }

  static int64_t before_last(const Shape& strides) { return strides[strides.size() - 2]; }

  /// Whether places and packed elements of a line both stand one behind the other.
  bool is_dense() const { return varying.empty() && place_stride == 1 && packed_stride == 1; }

  /// Whether the places of a line stand in front of each other.
  bool is_reversed() const { return varying.empty() && place_stride == -1 && packed_stride == 1; }

  /// The place where a line begins, without the varying columns.
  int64_t begin(const int64_t* offsets, int64_t k) const {
    int64_t place = offsets[0] + k * place_line_stride;
    for (const Column& c : fixed) place += c.place(offsets[c.operand] + k * c.line_stride);
    return place;
  }

  /// visit(place, packed) for the beginning of every line.
  template <class Visit>
  void each_line(const int64_t* offsets, int64_t lines, Visit visit) const {
    const int64_t packed = offsets[1];
    if (fixed.size() != 1) {
      for (int64_t k = 0; k < lines; ++k) visit(begin(offsets, k), packed + k * packed_line_stride);
      return;
    }
    const Column c = fixed[0];
    const int64_t place = offsets[0], first = offsets[c.operand];
    const int64_t place_step = place_line_stride, packed_step = packed_line_stride;
    for (int64_t k = 0; k < lines; ++k) {
      visit(place + k * place_step + c.place(first + k * c.line_stride), packed + k * packed_step);
    }
  }

  /// visit(place, packed) for every element of the lines, in order.
  template <class Visit>
  void each(const int64_t* offsets, int64_t lines, int64_t n, Visit visit) const {
    if (is_dense()) {
      each_line(offsets, lines, [=](int64_t place, int64_t packed) {
        for (int64_t i = 0; i < n; ++i) visit(place + i, packed + i);
      });
      return;
    }
    for (int64_t k = 0; k < lines; ++k) {
      each_of_line(offsets, k, n, begin(offsets, k), offsets[1] + k * packed_line_stride, visit);
    }
  }

 private:
  template <class Visit>
  void each_of_line(const int64_t* offsets, int64_t k, int64_t n, int64_t place, int64_t packed,
                    Visit visit) const {
    // Copies, since what `visit` writes might be the members for all that the compiler knows.
    const int64_t place_step = place_stride, packed_step = packed_stride;
    if (varying.empty()) {
      for (int64_t i = 0; i < n; ++i) visit(place + i * place_step, packed + i * packed_step);
      return;
    }
    const Column c = varying[0];
    const int64_t first = offsets[c.operand] + k * c.line_stride;
    if (varying.size() == 1 && place_step == 0 && packed_step == 1 && c.stride == 1 &&
        c.step == 1) {
      const int64_t* const indices = c.data + first;
      const int64_t size = c.size;
      for (int64_t i = 0; i < n; ++i) {
        visit(place + indices[i] + (indices[i] >> 63 & size), packed + i);
      }
    } else if (varying.size() == 1 && place_step == 0 && packed_step == 1) {
      for (int64_t i = 0; i < n; ++i) visit(place + c.place(first + i * c.stride), packed + i);
    } else if (varying.size() == 1) {
      for (int64_t i = 0; i < n; ++i) {
        visit(place + i * place_step + c.place(first + i * c.stride), packed + i * packed_step);
      }
    } else {
      for (int64_t i = 0; i < n; ++i) {
        int64_t at = place + i * place_step;
        for (const Column& v : varying) {
          at += v.place(offsets[v.operand] + k * v.line_stride + i * v.stride);
        }
        visit(at, packed + i * packed_step);
      }
    }
  }
};

}  // namespace tamis::cpu
