// Segments: reductions of pieces of a dimension that follow each other.
#include <cmath>

#include "autograd/node.h"
#include "core/check.h"
#include "core/convert.h"
#include "expr/expr.h"
#include "ops/pointwise/pointwise.h"
#include "ops/row.h"
#include "tamis/tamis.h"

namespace tamis {

namespace {

/// The lengths, whichever way they are given.
Tensor lengths_of(const std::optional<Tensor>& lengths, const std::optional<Tensor>& offsets) {
  check(lengths || offsets, ErrorKind::value,
        "segment_reduce(): Either lengths or offsets must be defined.");
  const Tensor& given = lengths ? *lengths : *offsets;
  check_implemented(given.dtype() == DType::int64 || given.dtype() == DType::int32,
                    "_segment_reduce_lengths_cpu_kernel1", given.dtype());
  if (lengths) return given.to(DType::int64);
  check(given.dim() > 0 && given.size(-1) > 0, ErrorKind::shape,
        "segment_reduce(): offsets need at least one entry along axis, but have the shape {}",
        given.shape());
  const Tensor long_offsets = given.to(DType::int64);
  check(!any(long_offsets.select(-1, 0) != 0).item<bool>(), ErrorKind::value,
        "segment_reduce(): offsets must begin with 0");
  return diff(long_offsets);
}

void check_lengths(const Tensor& x, const Tensor& lengths, int64_t axis, bool unsafe) {
  check(lengths.dim() == axis + 1, ErrorKind::shape,
        "segment_reduce(): expected lengths with {} dimensions for axis {}, but got the shape {}",
        axis + 1, axis, lengths.shape());
  for (int64_t d = 0; d < axis; ++d) {
    check(lengths.shape()[d] == x.shape()[d], ErrorKind::shape,
          "segment_reduce(): expected lengths and data to have the same sizes before axis, but got "
          "{} and {}",
          lengths.shape(), x.shape());
  }
  check(!any(lengths < 0).item<bool>(), ErrorKind::value, "lengths contains negative value!");
  const Tensor totals = lengths.sum({-1});
  check(!any(totals > x.shape()[axis]).item<bool>() &&
            (unsafe || !any(totals != x.shape()[axis]).item<bool>()),
        ErrorKind::value,
        "segment_reduce(): Expected all rows of lengths along axis to sum to "
        "data.size(lengths.dim()-1) when !unsafe.");
}

/// Which segment each slice belongs to, of rows of n slices; what belongs to none gets the number
/// after the last.
Tensor segment_numbers(const Tensor& lengths, int64_t n) {
  const Tensor host = to_host(lengths).contiguous();
  const std::vector<int64_t> sizes = host.to_vector<int64_t>();
  const int64_t segments = lengths.size(-1), rows = segments == 0 ? 0 : lengths.numel() / segments;
  std::vector<int64_t> numbers;
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t s = row * segments; s < (row + 1) * segments; ++s) {
      numbers.insert(numbers.end(), static_cast<size_t>(sizes[static_cast<size_t>(s)]), s);
    }
    numbers.resize(static_cast<size_t>((row + 1) * n), lengths.numel());
  }
  if (segments == 0) {
    numbers.resize(static_cast<size_t>(n * tamis::numel(lengths.sum({-1}).shape())), 0);
  }
  return to_backend(tensor(numbers), backend_of(lengths));
}

struct Segments {
  Tensor numbers;  // of each slice
  Tensor lengths;  // 1-d
  int64_t count;

  /// y, one slice for each segment and one for what is in none, without the last.
  Tensor within(const Tensor& y) const { return y.narrow(0, 0, count); }
  /// What every segment has before it is reduced.
  Tensor filled(const Tensor& x, double value) const {
    Shape shape = x.shape();
    shape[0] = count + 1;
    return full(shape, value, {x.dtype(), x.device()});
  }
  Tensor spread(const Tensor& y) const {  // to the slices
    return index_select(cat({y, zeros_like(y.narrow(0, 0, 1))}), 0, numbers);
  }
};

/// The lengths beside slices like those of x.
Tensor beside(const Tensor& lengths, const Tensor& x) {
  Shape shape(x.shape().size(), 1);
  shape[0] = lengths.numel();
  return lengths.view(shape);
}

Tensor mean_of(const Tensor& x, const Segments& s, std::optional<Scalar> initial) {
  const Tensor sums =
      s.within(index_add(s.filled(x, initial ? initial->to_double() : 0), 0, s.numbers, x));
  const Tensor counts = beside(s.lengths, x).to(x.dtype());
  if (!initial) return sums / counts;
  return sums / clamp_min(counts, 1);  // of nothing, initial itself
}

Tensor extreme_of(const Tensor& x, const Segments& s, bool largest, std::optional<Scalar> initial) {
  const double start = initial ? initial->to_double() : largest ? -INFINITY : INFINITY;
  Tensor y;
  {
    const NoGradGuard guard;
    y = s.within(index_reduce(s.filled(x, start), 0, s.numbers, x, largest ? "amax" : "amin", true))
            .clone();
  }
  if (is_tracked(x)) {
    record(y, "segment_reduce", Flow::mixes, {x}, {x, y},
           [s](const Tensor& g, std::span<const Tensor> saved) -> Gradients {
             if (s.count == 0) return {zeros_like(saved[0])};
             const Tensor z = saved[0].detach(), found = s.spread(saved[1].detach());
             const Tensor is_it = (z == found) | (isnan(z) & isnan(found));
             const Tensor ones = is_it.to(g.dtype());
             const Tensor equal = s.within(index_add(s.filled(ones, 0), 0, s.numbers, ones));
             return {where(is_it, s.spread(g / clamp_min(equal, 1)), scalar_tensor(0, g.dtype()))};
           });
  }
  return y;
}

Tensor reduced(const Tensor& x, const std::string& reduce, const Segments& s,
               std::optional<Scalar> initial) {
  if (reduce == "mean") return mean_of(x, s, initial);
  if (reduce == "max" || reduce == "min") return extreme_of(x, s, reduce == "max", initial);
  const bool is_sum = reduce == "sum";
  const double start = initial ? initial->to_double() : is_sum ? 0 : 1;
  const Tensor all = s.filled(x, start);
  return s.within(is_sum ? index_add(all, 0, s.numbers, x)
                         : index_reduce(all, 0, s.numbers, x, "prod", true));
}

}  // namespace

Tensor segment_reduce(const Tensor& x, const std::string& reduce,
                      const std::optional<Tensor>& lengths, const std::optional<Tensor>& offsets,
                      int64_t axis, bool unsafe, std::optional<Scalar> initial) {
  check(
      reduce == "sum" || reduce == "mean" || reduce == "max" || reduce == "min" || reduce == "prod",
      ErrorKind::value, "unsupported reduction given! {}", reduce);
  check(x.dim() > 0, ErrorKind::shape,
        "segment_reduce(): expected data with at least one dimension, but got a 0-d tensor");
  const int64_t d = wrap_dim(axis, x.dim());
  const Tensor sizes = lengths_of(lengths, offsets);
  check_implemented(is_floating_point(x.dtype()), "_segment_reduce_cpu", x.dtype());
  check_lengths(x, sizes, d, unsafe);
  Shape shape = x.shape();
  shape[d] = sizes.size(-1);
  int64_t slices = 1;
  for (int64_t i = 0; i <= d; ++i) slices *= x.shape()[i];
  Shape rows = {slices};
  for (int64_t i = d + 1; i < x.dim(); ++i) rows.push_back(x.shape()[i]);
  const Segments segments{segment_numbers(sizes, x.shape()[d]), sizes.reshape({-1}), sizes.numel()};
  const Tensor wide = x.to(compute_dtype(x.dtype())).reshape(rows);
  return reduced(wide, reduce, segments, initial).to(x.dtype()).reshape(shape);
}

std::vector<Row> segment_rows() {
  const Tensor x =
      SAMPLE(tensor({{0.5f, -2.f}, {3.f, 0.25f}, {1.f, 1.5f}, {4.f, -1.f}, {2.f, 6.f}}));
  const Tensor lengths = SAMPLE(tensor({2, 3})), gaps = SAMPLE(tensor({2, 0, 3})),
               offsets = SAMPLE(tensor({0, 4, 5}));
  const Value none;
  const auto text = [](const char* s) { return Value(std::string(s)); };
  const auto n = [](int64_t v) { return Value(v); };
  return {
      make_row("segment_reduce(Tensor data, str reduce, *, Tensor? lengths=None, Tensor? "
               "offsets=None, int axis=0, bool unsafe=False, Scalar? initial=None) -> Tensor",
               "The sums, means, extremes or products of segments that follow each other along "
               "axis.",
               segment_reduce,
               SAMPLES({x, text("sum"), gaps, none, n(0), false, none},
                       {x, text("mean"), lengths, none, n(0), false, none},
                       {x, text("max"), lengths, none, n(0), false, none},
                       {x, text("min"), none, offsets, n(0), false, none},
                       {x, text("prod"), lengths, none, n(0), false, none},
                       {x, text("mean"), gaps, none, n(0), false, Scalar(2.5)},
                       {x, text("max"), gaps, none, n(0), false, Scalar(-9)},
                       {x.t(), text("sum"), tensor({{2, 3}, {1, 2}}), none, n(1), true, none})),
  };
}

}  // namespace tamis
