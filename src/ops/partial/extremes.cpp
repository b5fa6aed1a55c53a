// Extremes: the smallest and largest elements and the first index of each.
#include <cstring>

#include "backend/reduction.h"
#include "core/convert.h"
#include "expr/expr.h"
#include "ops/mask_args.h"
#include "ops/partial/elements.h"

namespace tamis::partial {

namespace detail {

struct Found {
  uint64_t bits = 0;   // of the element
  int64_t index = -1;  // in the whole; -1: none yet
};

struct ExtremesData {
  DType dtype;
  Shape shape;
  Shape whole;  // the sizes of what is reduced
  std::vector<Found> smallest, largest;
};

}  // namespace detail

namespace {

using detail::Found;

/// Whether b comes before a: it is more extreme, or as extreme and earlier.
bool is_better(DType dtype, bool largest, const Found& a, const Found& b) {
  if (a.index < 0 || b.index < 0) return b.index >= 0;
  return visit_real(dtype, [&]<class T>(T) {
    using K = Keys<T>;
    const uint64_t x = key_of_bits<T>(a.bits), y = key_of_bits<T>(b.bits);
    if (x == y) return b.index < a.index;
    if (K::kIsFloat && (x == K::kLast || y == K::kLast)) return y == K::kLast;
    return largest ? y > x : y < x;
  });
}

/// The extremes of a part as found by the kernels.
std::vector<Found> find(bool largest, const Tensor& x, const Tensor& mask, const Shape& dims,
                        const Place& place) {
  const DType compared = x.dtype() == DType::boolean ? DType::uint8 : compute_dtype(x.dtype());
  const auto [extremes, indices] = arg_extreme(largest, x, mask, dims, compared);
  const Tensor values = extremes.to(x.dtype()).contiguous().settle(),
               positions = indices.contiguous().settle();
  const auto* element = static_cast<const char*>(values.data_ptr());
  const auto* index = positions.data<int64_t>();
  std::vector<Found> found(static_cast<size_t>(values.numel()));
  for (Found& f : found) {
    if (*index >= 0) {
      f.index = place.position(*index);
      std::memcpy(&f.bits, element, x.itemsize());
    }
    ++index;
    element += x.itemsize();
  }
  return found;
}

Tensor indices_of(const std::vector<Found>& found, const Shape& shape) {
  std::vector<int64_t> indices;
  for (const Found& f : found) indices.push_back(f.index);
  return integers(indices, shape);
}

Tensor values_of(const std::vector<Found>& found, const detail::ExtremesData& data,
                 Reduction reduction) {
  const Tensor values = allocate_on_host(data.shape, data.dtype);
  const Tensor none = scalar_tensor(neutral(reduction, data.dtype), data.dtype);
  const size_t size = itemsize(data.dtype);
  auto* to = static_cast<char*>(values.mutable_data_ptr());
  for (const Found& f : found) {
    std::memcpy(to, f.index < 0 ? none.data_ptr() : &f.bits, size);
    to += size;
  }
  return values;
}

void write(ByteWriter& out, const std::vector<Found>& found) {
  for (const Found& f : found) {
    out.number(static_cast<uint64_t>(f.index + 1));
    if (f.index >= 0) out.number(f.bits);
  }
}

std::vector<Found> read(ByteReader& in, const detail::ExtremesData& data) {
  std::vector<Found> all;
  const int64_t last = numel(data.whole);
  for (int64_t n = numel(data.shape); n > 0; --n) {
    Found f{0, in.size() - 1};
    ByteReader::require(f.index < last);
    if (f.index >= 0) f.bits = in.number();
    const size_t bits = 8 * itemsize(data.dtype);
    ByteReader::require(bits == 64 || f.bits >> bits == 0);
    all.push_back(f);
  }
  return all;
}

}  // namespace

Extremes::Extremes(const Tensor& x, const Tensor& given, const Part& part) {
  check_host("Extremes", x);
  check_real("Extremes", x);
  const Tensor mask = mask_for("Extremes", x, given);
  const Shape dims = normalize_dims(part.dims, x.dim());
  const Place place = Place("Extremes", x.shape(), part).along(dims);
  detail::ExtremesData data{x.dtype(), {}, place.whole(), {}, {}};
  int64_t rows = 1;
  size_t next = 0;
  for (int64_t d = 0; d < x.dim(); ++d) {
    const bool reduced = next < dims.size() && dims[next] == d;
    if (reduced) ++next;
    if (!reduced) rows *= x.shape()[d];
    if (!reduced || part.keepdim) data.shape.push_back(reduced ? 1 : x.shape()[d]);
  }
  if (x.numel() == 0) {
    data.smallest.resize(static_cast<size_t>(rows));
    data.largest.resize(static_cast<size_t>(rows));
  } else {
    const Tensor values = x.detach();
    data.smallest = find(false, values, mask, dims, place);
    data.largest = find(true, values, mask, dims, place);
  }
  data_ = std::make_shared<detail::ExtremesData>(std::move(data));
}

Extremes& Extremes::merge(const Extremes& other) {
  const auto from = other.data_;
  check_same_dtype("Extremes", data_->dtype, from->dtype);
  check_same_shape("Extremes", data_->shape, from->shape);
  check_same_shape("Extremes", data_->whole, from->whole);
  detail::ExtremesData& to = own(data_);
  for (size_t i = 0; i < to.smallest.size(); ++i) {
    if (is_better(to.dtype, false, to.smallest[i], from->smallest[i])) {
      to.smallest[i] = from->smallest[i];
    }
    if (is_better(to.dtype, true, to.largest[i], from->largest[i])) {
      to.largest[i] = from->largest[i];
    }
  }
  return *this;
}

Tensor Extremes::amin() const { return values_of(data_->smallest, *data_, Reduction::amin); }
Tensor Extremes::amax() const { return values_of(data_->largest, *data_, Reduction::amax); }
Tensor Extremes::argmin() const { return indices_of(data_->smallest, data_->shape); }
Tensor Extremes::argmax() const { return indices_of(data_->largest, data_->shape); }
std::tuple<Tensor, Tensor, Tensor, Tensor> Extremes::finish() const {
  return {amin(), argmin(), amax(), argmax()};
}
DType Extremes::dtype() const { return data_->dtype; }

std::string Extremes::to_bytes() const {
  ByteWriter out(Kind::extremes);
  out.dtype(data_->dtype);
  out.shape(data_->shape);
  out.shape(data_->whole);
  write(out, data_->smallest);
  write(out, data_->largest);
  return std::move(out).finish();
}

Extremes Extremes::from_bytes(std::string_view bytes) {
  ByteReader in(bytes, Kind::extremes);
  detail::ExtremesData data{in.dtype(), in.shape(), in.shape(), {}, {}};
  ByteReader::require(!is_complex(data.dtype));
  data.smallest = read(in, data);
  data.largest = read(in, data);
  in.finish();
  Extremes state;
  state.data_ = std::make_shared<detail::ExtremesData>(std::move(data));
  return state;
}

}  // namespace tamis::partial
