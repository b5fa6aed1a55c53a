// Count and Sum.
#include "ops/partial/part.h"
#include "ops/partial/total.h"
#include "tamis/masked.h"
#include "tamis/pointwise.h"

namespace tamis::partial {

namespace detail {

struct CountData {
  DType dtype;
  Shape shape;
  std::vector<int64_t> kept, nonzero;
};

/// Complex numbers have two totals, of their real and imaginary parts.
struct SumData {
  DType dtype;
  Shape shape;
  std::vector<Total> totals;
};

}  // namespace detail

// ---- count --------------------------------------------------------------------------------------

Count::Count(const Tensor& x, const Tensor& given, const Part& part) {
  check_host("Count", x);
  const Tensor mask = mask_for("Count", x, given), values = x.detach();
  const Tensor kept = masked::count(values, mask, part.dims, part.keepdim);
  const Tensor nonzero =
      masked::sum(values.to(DType::boolean), mask, part.dims, part.keepdim, DType::int64);
  data_ = std::make_shared<detail::CountData>(detail::CountData{
      x.dtype(), kept.shape(), kept.to_vector<int64_t>(), nonzero.to_vector<int64_t>()});
}

Count& Count::merge(const Count& other) {
  const auto from = other.data_;
  check_same_dtype("Count", data_->dtype, from->dtype);
  check_same_shape("Count", data_->shape, from->shape);
  detail::CountData& to = own(data_);
  for (size_t i = 0; i < to.kept.size(); ++i) {
    to.kept[i] += from->kept[i];
    to.nonzero[i] += from->nonzero[i];
  }
  return *this;
}

Tensor Count::finish() const { return integers(data_->kept, data_->shape); }
Tensor Count::nonzero() const { return integers(data_->nonzero, data_->shape); }

Tensor Count::any() const {
  return nonzero().ne(0).to(data_->dtype == DType::uint8 ? DType::uint8 : DType::boolean);
}
Tensor Count::all() const {
  return nonzero().eq(finish()).to(data_->dtype == DType::uint8 ? DType::uint8 : DType::boolean);
}
DType Count::dtype() const { return data_->dtype; }

std::string Count::to_bytes() const {
  ByteWriter out(Kind::count);
  out.dtype(data_->dtype);
  out.shape(data_->shape);
  for (size_t i = 0; i < data_->kept.size(); ++i) {
    out.number(static_cast<uint64_t>(data_->kept[i]));
    out.number(static_cast<uint64_t>(data_->nonzero[i]));
  }
  return std::move(out).finish();
}

Count Count::from_bytes(std::string_view bytes) {
  ByteReader in(bytes, Kind::count);
  detail::CountData data{in.dtype(), in.shape(), {}, {}};
  for (int64_t i = 0, n = numel(data.shape); i < n; ++i) {
    data.kept.push_back(in.count());
    data.nonzero.push_back(in.count());
    ByteReader::require(data.nonzero.back() <= data.kept.back());
  }
  in.finish();
  Count state;
  state.data_ = std::make_shared<detail::CountData>(std::move(data));
  return state;
}

// ---- sum ----------------------------------------------------------------------------------------

Sum::Sum(const Tensor& x, const Tensor& mask, const Part& part) {
  const Rows rows = rows_of("Sum", x, mask, part);
  detail::SumData data{x.dtype(), rows.result, {}};
  data.totals.resize(static_cast<size_t>(rows.rows));
  for (int64_t i = 0; i < rows.rows; ++i) {
    add_elements(real_dtype(x.dtype()), rows.row(i), rows.row_mask(i), rows.columns,
                 data.totals[static_cast<size_t>(i)], nullptr);
  }
  data_ = std::make_shared<detail::SumData>(std::move(data));
}

Sum& Sum::merge(const Sum& other) {
  const auto from = other.data_;
  check_same_dtype("Sum", data_->dtype, from->dtype);
  check_same_shape("Sum", data_->shape, from->shape);
  detail::SumData& to = own(data_);
  for (size_t i = 0; i < to.totals.size(); ++i) to.totals[i].add(from->totals[i]);
  return *this;
}

Tensor Sum::finish(std::optional<DType> dtype) const {
  return sums_of(data_->totals, data_->dtype, data_->shape, dtype);
}
DType Sum::dtype() const { return data_->dtype; }

std::string Sum::to_bytes() const {
  ByteWriter out(Kind::sum);
  out.dtype(data_->dtype);
  out.shape(data_->shape);
  for (const Total& total : data_->totals) total.write(out);
  return std::move(out).finish();
}

Sum Sum::from_bytes(std::string_view bytes) {
  ByteReader in(bytes, Kind::sum);
  detail::SumData data{in.dtype(), in.shape(), {}};
  for (int64_t n = numel(data.shape) * (is_complex(data.dtype) ? 2 : 1); n > 0; --n) {
    data.totals.push_back(Total::read(in));
    check_total(data.totals.back(), data.dtype);
  }
  in.finish();
  Sum state;
  state.data_ = std::make_shared<detail::SumData>(std::move(data));
  return state;
}

}  // namespace tamis::partial
