// Reading and writing the places that indices point at: runs along the innermost dimension, copied
// whole where the indices do not change within a run.
#include "backend/cpu/places.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "backend/cpu/loops.h"
#include "backend/cpu/threads.h"

namespace tamis::cpu {

namespace {

constexpr int64_t kGrain = 16384;

/// An element of any dtype of W bytes.
template <int W>
struct Unit {
  using type = typename Word<W>::type;
};
template <>
struct Unit<16> {
  struct __attribute__((may_alias)) type {
    uint64_t low, high;
  };
};

// ---- the iteration space ------------------------------------------------------------------------

/// The iteration space with adjacent dimensions merged where all operands allow it. Operand 0 is
/// the places, 1 the packed side (out or source), the others are the columns.
struct Space {
  Shape shape;                   // at least two dimensions: rows of lines
  std::vector<Shape> strides;    // of each operand
  std::vector<int64_t> origins;  // where each operand begins
};

Space merged(const Places& places, const Shape& packed) {
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

/// Covers positions [begin, end) by calls run(offsets of the operands, n), each within one line of
/// the innermost dimension, in row-major order.
template <class Run>
void for_runs(const Space& space, int64_t begin, int64_t end, Run&& run) {
  Cursor cursor(space, begin);
  const size_t last = cursor.last();
  const int64_t line = space.shape[last];
  for (int64_t position = begin; position < end;) {
    const int64_t n = std::min(cursor.left(last), end - position);
    if (n < line) {
      run(cursor.offsets(), n);
      position += n;
      cursor.move(last, n);
      cursor.carry(last);
      continue;
    }
    const int64_t lines = std::min(cursor.left(last - 1), (end - position) / line);
    for (int64_t k = 0; k < lines; ++k) {
      run(cursor.offsets(), line);
      cursor.move(last - 1, 1);
    }
    position += lines * line;
    cursor.carry(last - 1);
  }
}

// ---- one run ------------------------------------------------------------------------------------

struct Column {
  const int64_t* data;
  int64_t size, step;
  int64_t stride;  // along a run
  size_t operand;

  int64_t place(int64_t at) const {
    const int64_t index = data[at];
    return (index + (index < 0 ? size : 0)) * step;
  }
};

/// The innermost dimension: columns that change within a run apart from those that do not.
struct Line {
  int64_t place_stride, packed_stride;
  std::vector<Column> fixed, varying;

  Line(const Places& places, const Space& space)
      : place_stride(space.strides[0].back()), packed_stride(space.strides[1].back()) {
    for (size_t k = 0; k < places.columns.size(); ++k) {
      const IndexColumn& from = places.columns[k];
      const int64_t stride = space.strides[k + 2].back();
      (stride == 0 ? fixed : varying).push_back({from.data, from.size, from.step, stride, k + 2});
    }
  }

  bool is_copy() const { return varying.empty() && place_stride == 1 && packed_stride == 1; }

  /// The place where a run begins, without the varying columns.
  int64_t base(const int64_t* offsets) const {
    int64_t place = offsets[0];
    for (const Column& c : fixed) place += c.place(offsets[c.operand]);
    return place;
  }

  /// visit(place, packed) for every element of a run, in order.
  template <class Visit>
  void each(const int64_t* offsets, int64_t n, Visit&& visit) const {
    const int64_t place = base(offsets), packed = offsets[1];
    if (varying.empty()) {
      for (int64_t i = 0; i < n; ++i) visit(place + i * place_stride, packed + i * packed_stride);
    } else if (varying.size() == 1 && place_stride == 0 && packed_stride == 1) {
      const Column c = varying[0];
      const int64_t first = offsets[c.operand];
      for (int64_t i = 0; i < n; ++i) visit(place + c.place(first + i * c.stride), packed + i);
    } else if (varying.size() == 1) {
      const Column c = varying[0];
      const int64_t first = offsets[c.operand];
      for (int64_t i = 0; i < n; ++i) {
        visit(place + i * place_stride + c.place(first + i * c.stride), packed + i * packed_stride);
      }
    } else {
      for (int64_t i = 0; i < n; ++i) {
        int64_t at = place + i * place_stride;
        for (const Column& c : varying) at += c.place(offsets[c.operand] + i * c.stride);
        visit(at, packed + i * packed_stride);
      }
    }
  }
};

template <int W>
void take(const Places& places, const Space& space, const void* from, void* out) {
  using T = typename Unit<W>::type;
  const Line line(places, space);
  const T* x = static_cast<const T*>(from);
  T* y = static_cast<T*>(out);
  parallel_for(numel(space.shape), kGrain, [&](int64_t begin, int64_t end) {
    for_runs(space, begin, end, [&](const int64_t* offsets, int64_t n) {
      if (line.is_copy()) {
        std::memcpy(y + offsets[1], x + line.base(offsets), static_cast<size_t>(n) * W);
      } else {
        line.each(offsets, n, [x, y](int64_t place, int64_t packed) { y[packed] = x[place]; });
      }
    });
  });
}

/// Runs body(part of the space) on several threads if the space has a dimension of the target's
/// own: parts of that write apart from each other. Several positions may stand for one place, and
/// within a part they come in row-major order.
template <class Body>
void for_parts(const Space& space, Body&& body) {
  size_t split = 0;
  int64_t size = 1;
  for (size_t d = 0; d < space.shape.size(); ++d) {
    if (space.strides[0][d] == 0 || space.shape[d] <= size) continue;
    split = d;
    size = space.shape[d];
  }
  if (size == 1) return body(space);
  const int64_t grain = std::max<int64_t>(1, kGrain / (numel(space.shape) / size));
  parallel_for(size, grain, [&](int64_t begin, int64_t end) {
    Space part = space;
    part.shape[split] = end - begin;
    for (size_t o = 0; o < part.strides.size(); ++o) {
      part.origins[o] += begin * part.strides[o][split];
    }
    body(part);
  });
}

template <int W>
void assign(const Places& places, const Space& space, void* to, const void* source) {
  using T = typename Unit<W>::type;
  const Line line(places, space);
  T* y = static_cast<T*>(to);
  const T* x = static_cast<const T*>(source);
  for_parts(space, [&](const Space& part) {
    for_runs(part, 0, numel(part.shape), [&](const int64_t* offsets, int64_t n) {
      if (line.is_copy()) {
        std::memcpy(y + line.base(offsets), x + offsets[1], static_cast<size_t>(n) * W);
      } else {
        line.each(offsets, n, [x, y](int64_t place, int64_t packed) { y[place] = x[packed]; });
      }
    });
  });
}

// ---- arithmetic ---------------------------------------------------------------------------------

/// What an element is computed in.
template <class T>
struct Wide {
  using type = T;
};
template <>
struct Wide<Half> {
  using type = float;
};
template <>
struct Wide<BFloat16> {
  using type = float;
};

template <class T>
concept Ordered = requires(T a, T b) {
  a < b;
};

/// Integers wrap.
template <Combine kCombine, class T>
T combined(T a, T b) {
  if constexpr (std::is_same_v<T, bool>) {
    return kCombine == Combine::add || kCombine == Combine::amax ? a | b : a & b;
  } else if constexpr (kCombine == Combine::amax || kCombine == Combine::amin) {
    if (b != b) return b;
    return (kCombine == Combine::amax ? a < b : b < a) ? b : a;
  } else if constexpr (std::is_integral_v<T>) {
    const auto x = static_cast<uint64_t>(a), y = static_cast<uint64_t>(b);
    return static_cast<T>(kCombine == Combine::add ? x + y : x * y);
  } else {
    return kCombine == Combine::add ? a + b : a * b;
  }
}

/// Any nonzero byte is true.
template <class T>
struct Stored {
  using type = T;
};
template <>
struct Stored<bool> {
  using type = uint8_t;
};

template <class T, Combine kCombine>
void combine_into(const Places& places, const Space& space, void* to, const void* source) {
  using S = typename Stored<T>::type;
  using W = typename Wide<T>::type;
  const Line line(places, space);
  S* y = static_cast<S*>(to);
  const S* x = static_cast<const S*>(source);
  for_parts(space, [&](const Space& part) {
    for_runs(part, 0, numel(part.shape), [&](const int64_t* offsets, int64_t n) {
      line.each(offsets, n, [x, y](int64_t place, int64_t packed) {
        const W a = static_cast<W>(y[place]), b = static_cast<W>(x[packed]);
        y[place] = static_cast<S>(combined<kCombine, W>(a, b));
      });
    });
  });
}

template <class T>
void combine_all(const Places& places, const Space& space, void* to, const void* source,
                 Combine combine) {
  const auto run = [&](auto f) { f(places, space, to, source); };
  if (combine == Combine::add) return run(combine_into<T, Combine::add>);
  if (combine == Combine::mul) return run(combine_into<T, Combine::mul>);
  if constexpr (Ordered<typename Wide<T>::type>) {
    if (combine == Combine::amax) return run(combine_into<T, Combine::amax>);
    if (combine == Combine::amin) return run(combine_into<T, Combine::amin>);
  }
}

}  // namespace

bool run_within(const int64_t* indices, int64_t n, int64_t low, int64_t high) {
  std::atomic<bool> good = true;
  parallel_for(n, 8 * kGrain, [&](int64_t begin, int64_t end) {
    // The sign of either difference tells; where one wraps around, the other one is negative.
    uint64_t signs = 0;
    const auto from = static_cast<uint64_t>(low), last = static_cast<uint64_t>(high) - 1;
    for (int64_t i = begin; i < end; ++i) {
      const auto index = static_cast<uint64_t>(indices[i]);
      signs |= (index - from) | (last - index);
    }
    if (static_cast<int64_t>(signs) < 0) good.store(false, std::memory_order_relaxed);
  });
  return good.load(std::memory_order_relaxed);
}

void run_take(const Places& places, const void* from, size_t itemsize, void* out) {
  Shape packed(places.shape.size(), 1);
  for (size_t d = packed.size(); d-- > 1;) packed[d - 1] = packed[d] * places.shape[d];
  const Space space = merged(places, packed);
  switch (itemsize) {
    case 1:
      return take<1>(places, space, from, out);
    case 2:
      return take<2>(places, space, from, out);
    case 4:
      return take<4>(places, space, from, out);
    case 8:
      return take<8>(places, space, from, out);
    default:
      return take<16>(places, space, from, out);
  }
}

void run_put(const Places& places, void* to, const void* source, const Shape& source_strides,
             DType dtype, Combine combine) {
  const Space space = merged(places, source_strides);
  if (combine != Combine::assign) {
    return visit_dtype(
        dtype, [&](auto type) { combine_all<decltype(type)>(places, space, to, source, combine); });
  }
  switch (itemsize(dtype)) {
    case 1:
      return assign<1>(places, space, to, source);
    case 2:
      return assign<2>(places, space, to, source);
    case 4:
      return assign<4>(places, space, to, source);
    case 8:
      return assign<8>(places, space, to, source);
    default:
      return assign<16>(places, space, to, source);
  }
}

}  // namespace tamis::cpu
