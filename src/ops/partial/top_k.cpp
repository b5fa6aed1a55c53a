// TopK and Unique: elements in order with their positions.
#include <algorithm>

#include "expr/expr.h"
#include "ops/partial/elements.h"
#include "tamis/create.h"
#include "tamis/mask.h"
#include "tamis/order.h"
#include "tamis/view.h"

namespace tamis::partial {

namespace detail {

/// An element of the result: its order in it, ascending, its bits and its first position.
struct Entry {
  uint64_t key = 0, bits = 0;
  int64_t index = 0;
  int64_t count = 1;
  bool operator<(const Entry& o) const { return key < o.key || (key == o.key && index < o.index); }
};

struct TopKData {
  DType dtype;
  int64_t k;
  bool largest;
  Shape whole;
  std::vector<Entry> entries;  // at most k, the first ones first
};

struct UniqueData {
  DType dtype;
  Shape whole;
  int64_t nans;
  std::vector<Entry> entries;  // in order, one for each key
};

}  // namespace detail

namespace {

using detail::Entry;

/// What orders the elements of TopK.
uint64_t rank_key(DType dtype, bool largest, uint64_t bits) {
  const uint64_t key = key_of_bits(dtype, bits);
  return largest ? ~key : key;
}

std::vector<uint64_t> bits_of(const std::vector<Entry>& entries) {
  std::vector<uint64_t> bits;
  for (const Entry& e : entries) bits.push_back(e.bits);
  return bits;
}

std::vector<int64_t> indices_of(const std::vector<Entry>& entries) {
  std::vector<int64_t> indices;
  for (const Entry& e : entries) indices.push_back(e.index);
  return indices;
}

/// Equal keys become one entry, with the bits and the index of the first.
std::vector<Entry> joined(const std::vector<Entry>& a, const std::vector<Entry>& b) {
  std::vector<Entry> all;
  all.reserve(a.size() + b.size());
  std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(all));
  size_t used = 0;
  for (const Entry& e : all) {
    if (used > 0 && all[used - 1].key == e.key) {
      all[used - 1].count += e.count;
    } else {
      all[used++] = e;
    }
  }
  all.resize(used);
  all.shrink_to_fit();
  return all;
}

Entry read_entry(ByteReader& in, DType dtype, const Shape& whole) {
  Entry e;
  e.bits = in.number();
  e.index = in.size();
  ByteReader::require(bits_fit(dtype, e.bits) && e.index < numel(whole));
  return e;
}

}  // namespace

// ---- top-k --------------------------------------------------------------------------------------

TopK::TopK(const Tensor& x, int64_t k, const Tensor& mask, bool largest, const Part& part) {
  check(k >= 0, ErrorKind::value, "TopK: k must not be negative, but got {}", k);
  const Kept kept("TopK", x, mask, part);
  detail::TopKData data{x.dtype(), k, largest, kept.whole(), {}};
  const auto [values, found] =
      topk(kept.values(), std::min(k, kept.values().numel()), 0, largest, true);
  const Tensor elements = values.contiguous().settle(), indices = found.contiguous().settle();
  for (int64_t i = 0; i < elements.numel(); ++i) {
    const uint64_t bits =
        bits_at(static_cast<const char*>(elements.data_ptr()) + i * elements.itemsize(),
                elements.itemsize());
    data.entries.push_back(
        {rank_key(data.dtype, largest, bits), bits, kept.position(indices.data<int64_t>()[i]), 1});
  }
  data_ = std::make_shared<detail::TopKData>(std::move(data));
}

TopK& TopK::merge(const TopK& other) {
  const auto from = other.data_;
  check_same_dtype("TopK", data_->dtype, from->dtype);
  check_same_shape("TopK", data_->whole, from->whole);
  check_same("TopK", "k", data_->k, from->k);
  check_same("TopK", "direction", data_->largest, from->largest);
  detail::TopKData& to = own(data_);
  std::vector<Entry> all;
  std::merge(to.entries.begin(), to.entries.end(), from->entries.begin(), from->entries.end(),
             std::back_inserter(all));
  if (static_cast<int64_t>(all.size()) > to.k) all.resize(static_cast<size_t>(to.k));
  to.entries = std::move(all);
  return *this;
}

std::pair<Tensor, Tensor> TopK::finish() const {
  const Shape shape{static_cast<int64_t>(data_->entries.size())};
  return {from_bits(bits_of(data_->entries), data_->dtype, shape),
          integers(indices_of(data_->entries), shape)};
}
DType TopK::dtype() const { return data_->dtype; }

std::string TopK::to_bytes() const {
  ByteWriter out(Kind::top_k);
  out.dtype(data_->dtype);
  out.number(static_cast<uint64_t>(data_->k));
  out.byte(data_->largest);
  out.shape(data_->whole);
  out.number(data_->entries.size());
  for (const Entry& e : data_->entries) {
    out.number(e.bits);
    out.number(static_cast<uint64_t>(e.index));
  }
  return std::move(out).finish();
}

TopK TopK::from_bytes(std::string_view bytes) {
  ByteReader in(bytes, Kind::top_k);
  detail::TopKData data{in.dtype(), in.size(), in.flag(), in.shape(), {}};
  ByteReader::require(!is_complex(data.dtype) && data.dtype != DType::boolean);
  const int64_t n = in.length(2);
  ByteReader::require(n <= data.k);
  for (int64_t i = 0; i < n; ++i) {
    Entry e = read_entry(in, data.dtype, data.whole);
    e.key = rank_key(data.dtype, data.largest, e.bits);
    ByteReader::require(data.entries.empty() || data.entries.back() < e);
    data.entries.push_back(e);
  }
  in.finish();
  TopK state;
  state.data_ = std::make_shared<detail::TopKData>(std::move(data));
  return state;
}

// ---- unique -------------------------------------------------------------------------------------

Unique::Unique(const Tensor& x, const Tensor& mask, const Part& part) {
  check_real("Unique", x);
  const Kept kept("Unique", x, mask, part);
  detail::UniqueData data{x.dtype(), kept.whole(), 0, {}};
  const auto [values, found] = sort(kept.values(), 0, false, true);
  const Tensor elements = values.contiguous().settle(), indices = found.contiguous().settle();
  const auto* at = static_cast<const char*>(elements.data_ptr());
  const auto* index = static_cast<const int64_t*>(indices.data_ptr());
  visit_real(data.dtype, [&]<class T>(T) {
    for (int64_t i = 0; i < elements.numel(); ++i, at += sizeof(T)) {
      const uint64_t bits = std::is_same_v<T, bool> ? *at != 0 : bits_at(at, sizeof(T));
      const uint64_t key = key_of_bits<T>(bits);
      if (Keys<T>::is_nan(static_cast<typename Keys<T>::Key>(key))) {
        ++data.nans;
      } else if (!data.entries.empty() && data.entries.back().key == key) {
        ++data.entries.back().count;
      } else {
        data.entries.push_back({key, bits, kept.position(index[i]), 1});
      }
    }
  });
  data_ = std::make_shared<detail::UniqueData>(std::move(data));
}

Unique& Unique::merge(const Unique& other) {
  const auto from = other.data_;
  check_same_dtype("Unique", data_->dtype, from->dtype);
  check_same_shape("Unique", data_->whole, from->whole);
  detail::UniqueData& to = own(data_);
  to.nans += from->nans;
  to.entries = joined(to.entries, from->entries);
  return *this;
}

std::tuple<Tensor, Tensor, Tensor> Unique::finish() const {
  std::vector<uint64_t> bits = bits_of(data_->entries);
  std::vector<int64_t> indices = indices_of(data_->entries), counts;
  for (const Entry& e : data_->entries) counts.push_back(e.count);
  const Shape shape{static_cast<int64_t>(bits.size())}, nans{data_->nans};
  Tensor values = from_bits(bits, data_->dtype, shape), times = integers(counts, shape),
         first = integers(indices, shape);
  if (data_->nans > 0) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    values = cat({values, full(nans, nan, data_->dtype)}).settle();
    times = cat({times, full(nans, 1, DType::int64)}).settle();
    first = cat({first, full(nans, -1, DType::int64)}).settle();
  }
  return {values, times, first};
}
DType Unique::dtype() const { return data_->dtype; }

std::string Unique::to_bytes() const {
  ByteWriter out(Kind::unique);
  out.dtype(data_->dtype);
  out.shape(data_->whole);
  out.number(static_cast<uint64_t>(data_->nans));
  out.number(data_->entries.size());
  for (const Entry& e : data_->entries) {
    out.number(e.bits);
    out.number(static_cast<uint64_t>(e.index));
    out.number(static_cast<uint64_t>(e.count));
  }
  return std::move(out).finish();
}

Unique Unique::from_bytes(std::string_view bytes) {
  ByteReader in(bytes, Kind::unique);
  detail::UniqueData data{in.dtype(), in.shape(), in.count(), {}};
  ByteReader::require(!is_complex(data.dtype) && (data.nans == 0 || is_floating_point(data.dtype)));
  for (int64_t n = in.length(3), i = 0; i < n; ++i) {
    Entry e = read_entry(in, data.dtype, data.whole);
    e.key = key_of_bits(data.dtype, e.bits);
    e.count = in.count();
    ByteReader::require(e.count > 0 && !is_nan_key(data.dtype, e.key) &&
                        (data.dtype != DType::boolean || e.bits <= 1) &&
                        (data.entries.empty() || data.entries.back().key < e.key));
    data.entries.push_back(e);
  }
  in.finish();
  Unique state;
  state.data_ = std::make_shared<detail::UniqueData>(std::move(data));
  return state;
}

}  // namespace tamis::partial
