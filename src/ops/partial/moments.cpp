// Moments: count, sum and sum of squares, and what follows from them.
#include <algorithm>
#include <cmath>
#include <limits>

#include "expr/expr.h"
#include "ops/partial/part.h"
#include "ops/partial/total.h"
#include "tamis/masked.h"

namespace tamis::partial {

namespace detail {

/// Complex numbers have two totals and two squares each, of their real and imaginary parts.
struct MomentsData {
  DType dtype;
  Shape shape;
  std::vector<int64_t> counts;
  std::vector<Total> totals;
  std::vector<Exact> squares;

  size_t parts() const { return is_complex(dtype) ? 2 : 1; }
};

}  // namespace detail

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// count * sum of squares - square of the sum, of both parts of complex numbers: the sum of squared
/// distances from the mean, times the count.
Magnitude spread(const detail::MomentsData& data, size_t i) {
  const Magnitude count = Magnitude::of(static_cast<uint64_t>(data.counts[i]));
  Magnitude all;
  for (size_t part = i * data.parts(); part < (i + 1) * data.parts(); ++part) {
    const Magnitude sum = data.totals[part].sum.magnitude();
    all = all + (count * data.squares[part].magnitude() - sum * sum);
  }
  return all;
}

bool is_finite(const detail::MomentsData& data, size_t i) {
  uint8_t special = 0;
  for (size_t part = 0; part < data.parts(); ++part) {
    special |= data.totals[i * data.parts() + part].special;
  }
  return special == 0;
}

/// The variance, or its root, of one element of the result.
double variance(const detail::MomentsData& data, size_t i, double correction, bool root,
                DType dtype) {
  const int64_t n = data.counts[i];
  if (n == 0 || !is_finite(data, i) || std::isnan(correction)) return kNan;
  if (correction == -std::numeric_limits<double>::infinity()) return 0;
  const Magnitude squares = spread(data, i);
  Exact divisor;
  if (std::isfinite(correction)) {
    divisor.add(static_cast<__int128>(n));
    divisor.add(-correction);
  }
  const Magnitude by = divisor.magnitude();
  if (by.negative || by.is_zero()) {
    return squares.is_zero() ? kNan : std::numeric_limits<double>::infinity();
  }
  const Magnitude whole = by * Magnitude::of(static_cast<uint64_t>(n));
  return root ? rounded_root(squares, whole, dtype) : rounded_quotient(squares, whole, dtype);
}

/// A tensor of floating point or complex numbers, each part of which is made by f(its number).
template <class F>
Tensor make(const Shape& shape, DType dtype, size_t count, F f) {
  const Tensor result = allocate_on_host(shape, dtype);
  const DType real = real_dtype(dtype);
  char* to = static_cast<char*>(result.mutable_data_ptr());
  for (size_t i = 0; i < count; ++i, to += itemsize(real)) store_number(f(i, real), real, to);
  return result;
}

DType mean_dtype(DType from, std::optional<DType> dtype) {
  const DType own = is_floating_point(from) || is_complex(from) ? from : DType::float32;
  const DType result = dtype.value_or(own);
  check(is_complex(result) == is_complex(from) && is_floating_point(real_dtype(result)),
        ErrorKind::dtype, "a mean of {} elements cannot be rounded to {}", name(from),
        name(result));
  return result;
}

Tensor spread_of(const detail::MomentsData& data, double correction, bool root,
                 std::optional<DType> dtype) {
  const DType result = dtype.value_or(real_dtype(mean_dtype(data.dtype, {})));
  check(is_floating_point(result), ErrorKind::dtype, "a variance is real, but the dtype is {}",
        name(result));
  return make(data.shape, result, data.counts.size(),
              [&](size_t i, DType real) { return variance(data, i, correction, root, real); });
}

Tensor mean_of(const detail::MomentsData& data, std::optional<DType> dtype) {
  return make(data.shape, mean_dtype(data.dtype, dtype), data.totals.size(),
              [&](size_t i, DType real) {
                const int64_t n = data.counts[i / data.parts()];
                const Total& total = data.totals[i];
                if (n == 0) return kNan;
                if (total.special != 0) return total.special_sum();
                return rounded_quotient(total.sum.magnitude(),
                                        Magnitude::of(static_cast<uint64_t>(n)), real);
              });
}

/// Counts and sums, and sums of squares if they are wanted.
detail::MomentsData moments_of(const Tensor& x, const Tensor& mask, const Part& part,
                               bool squares) {
  const Rows rows = rows_of("Moments", x, mask, part);
  detail::MomentsData data{x.dtype(), rows.result, {}, {}, {}};
  data.totals.resize(static_cast<size_t>(rows.rows));
  if (squares) data.squares.resize(data.totals.size());
  for (int64_t i = 0; i < rows.rows; ++i) {
    const uint8_t* keep = rows.row_mask(i);
    const auto at = static_cast<size_t>(i);
    add_elements(real_dtype(x.dtype()), rows.row(i), keep, rows.columns, data.totals[at],
                 squares ? &data.squares[at] : nullptr);
    if (i % rows.parts == 0) {
      data.counts.push_back(
          keep == nullptr ? rows.columns : rows.columns - std::count(keep, keep + rows.columns, 0));
    }
  }
  return data;
}

}  // namespace

Tensor mean_alone(const Tensor& x, const Tensor& mask, const Part& part, DType dtype) {
  return mean_of(moments_of(x, mask, part, false), dtype);
}

Moments::Moments(const Tensor& x, const Tensor& mask, const Part& part)
    : data_(std::make_shared<detail::MomentsData>(moments_of(x, mask, part, true))) {}

Moments& Moments::merge(const Moments& other) {
  const auto from = other.data_;
  check_same_dtype("Moments", data_->dtype, from->dtype);
  check_same_shape("Moments", data_->shape, from->shape);
  detail::MomentsData& to = own(data_);
  for (size_t i = 0; i < to.counts.size(); ++i) to.counts[i] += from->counts[i];
  for (size_t i = 0; i < to.totals.size(); ++i) {
    to.totals[i].add(from->totals[i]);
    to.squares[i].add(from->squares[i]);
  }
  return *this;
}

Tensor Moments::count() const { return integers(data_->counts, data_->shape); }

Tensor Moments::sum(std::optional<DType> dtype) const {
  return sums_of(data_->totals, data_->dtype, data_->shape, dtype);
}

Tensor Moments::mean(std::optional<DType> dtype) const { return mean_of(*data_, dtype); }

Tensor Moments::var(double correction, std::optional<DType> dtype) const {
  return spread_of(*data_, correction, false, dtype);
}

Tensor Moments::std(double correction, std::optional<DType> dtype) const {
  return spread_of(*data_, correction, true, dtype);
}

std::pair<Tensor, Tensor> Moments::finish(double correction) const {
  return {mean(), var(correction)};
}

DType Moments::dtype() const { return data_->dtype; }

std::string Moments::to_bytes() const {
  ByteWriter out(Kind::moments);
  out.dtype(data_->dtype);
  out.shape(data_->shape);
  for (int64_t n : data_->counts) out.number(static_cast<uint64_t>(n));
  for (size_t i = 0; i < data_->totals.size(); ++i) {
    data_->totals[i].write(out);
    data_->squares[i].write(out);
  }
  return std::move(out).finish();
}

Moments Moments::from_bytes(std::string_view bytes) {
  ByteReader in(bytes, Kind::moments);
  detail::MomentsData data{in.dtype(), in.shape(), {}, {}, {}};
  const int64_t n = numel(data.shape);
  for (int64_t i = 0; i < n; ++i) data.counts.push_back(in.count());
  for (size_t i = 0; i < static_cast<size_t>(n) * data.parts(); ++i) {
    data.totals.push_back(Total::read(in));
    data.squares.push_back(Exact::read(in));
    check_total(data.totals.back(), data.dtype);
    ByteReader::require(!data.squares.back().magnitude().negative);
  }
  for (size_t i = 0; i < data.counts.size(); ++i) {
    // What numbers cannot have: squares of nothing, or a negative variance.
    ByteReader::require(!spread(data, i).negative || spread(data, i).is_zero());
  }
  in.finish();
  Moments state;
  state.data_ = std::make_shared<detail::MomentsData>(std::move(data));
  return state;
}

}  // namespace tamis::partial
