// Selected: kept elements in the order of the whole array, as runs.
#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>

#include "expr/expr.h"
#include "ops/mask_args.h"
#include "ops/partial/bytes.h"
#include "ops/partial/part.h"
#include "tamis/mask.h"

namespace tamis::partial {

namespace detail {

struct Run {
  int64_t start = 0;   // in the whole
  int64_t length = 0;  // at least 1
  int64_t before = 0;  // kept elements in the runs before it
};

struct SelectedData {
  std::optional<DType> dtype;  // of the values, if there are any
  Shape whole;
  std::vector<Run> runs;  // in order, with gaps between them
  Tensor values;          // 1-d, contiguous

  int64_t count() const { return runs.empty() ? 0 : runs.back().before + runs.back().length; }
  /// Adds what comes after all that is there; joins it with the last run if there is no gap.
  void append(int64_t start, int64_t length) {
    if (!runs.empty() && runs.back().start + runs.back().length == start) {
      runs.back().length += length;
    } else {
      runs.push_back({start, length, count()});
    }
  }
};

}  // namespace detail

namespace {

using detail::Run;
using detail::SelectedData;

/// Appends the runs of a row of a mask whose first element has that position.
void append_runs(SelectedData& data, const uint8_t* keep, int64_t n, int64_t position) {
  for (int64_t i = 0; i < n;) {
    uint64_t eight = 0;
    if (keep[i] == 0) {
      if (i + 8 <= n && (std::memcpy(&eight, keep + i, 8), eight == 0)) {
        i += 8;
      } else {
        ++i;
      }
      continue;
    }
    int64_t end = i + 1;
    while (end < n && keep[end] != 0) ++end;
    data.append(position + i, end - i);
    i = end;
  }
}

/// So many that they are worth counting before there is memory for them.
constexpr int64_t kManyRuns = int64_t{1} << 20;

/// How often a kept element follows one that is not.
int64_t count_starts(const uint8_t* keep, int64_t n) {
  int64_t starts = n > 0 && keep[0] != 0;
  for (int64_t i = 1; i < n; ++i) starts += (keep[i] != 0) & (keep[i - 1] == 0);
  return starts;
}

/// The part of one of several states that is copied next.
struct Piece {
  int64_t start, length;
  size_t state;
  int64_t from;  // its first value
};

void check_values(const SelectedData& data) {
  check(data.dtype.has_value(), ErrorKind::value, "Selected: this state has positions only");
}

}  // namespace

Selected::Selected(const Tensor& x, const Tensor& mask, const Part& part) {
  check(mask.defined(), ErrorKind::value, "Selected: expected a mask");
  if (x.defined()) {
    check_host("Selected", x);
  } else {
    check_host("Selected", mask);
    check_mask(mask, "partial: expected BoolTensor for mask, but got");
  }
  const Tensor keep = x.defined() ? mask_for("Selected", x, mask) : mask;
  const Place place("Selected", keep.shape(), part);
  SelectedData data{{}, place.whole(), {}, {}};
  if (x.defined()) {
    data.dtype = x.dtype();
    data.values = masked_select(x.detach(), keep).settle();
  }
  const Tensor rows = keep.contiguous().settle();
  const auto* bytes = static_cast<const uint8_t*>(rows.data_ptr());
  const int64_t n = rows.numel(), columns = place.is_whole() || n == 0 ? n : keep.shape().back();
  // At once, since growing would touch twice the memory. Where rows begin, runs may be cut.
  const int64_t cuts = columns > 0 ? n / columns : 0;
  int64_t most = x.defined() ? std::min(data.values.numel(), n / 2 + 1 + cuts) : n / 2 + 1 + cuts;
  if (most > kManyRuns) most = std::min(most, count_starts(bytes, n) + cuts);
  data.runs.reserve(static_cast<size_t>(most));
  for (int64_t at = 0; at < n; at += columns) {
    append_runs(data, bytes + at, columns, place.position(at));
  }
  data_ = std::make_shared<SelectedData>(std::move(data));
}

Selected& Selected::merge(const Selected& other) { return merge(std::span(&other, 1)); }

Selected& Selected::merge(std::span<const Selected> others) {
  std::vector<std::shared_ptr<SelectedData>> states{data_};
  for (const Selected& other : others) {
    const SelectedData& data = *other.data_;
    check_same("Selected", "dtype", data_->dtype, data.dtype);
    check_same_shape("Selected", data_->whole, data.whole);
    if (!data.runs.empty()) states.push_back(other.data_);
  }
  if (states.size() == 1) return *this;
  std::vector<Piece> pieces;
  for (size_t s = 0; s < states.size(); ++s) {
    for (const Run& run : states[s]->runs) {
      pieces.push_back({run.start, run.length, s, run.before});
    }
  }
  std::sort(pieces.begin(), pieces.end(),
            [](const Piece& a, const Piece& b) { return a.start < b.start; });
  SelectedData all{data_->dtype, data_->whole, {}, {}};
  int64_t end = 0;
  for (const Piece& piece : pieces) {
    check(piece.start >= end, ErrorKind::value,
          "Selected: parts that are merged must not overlap, but element {} is in two of them",
          piece.start);
    all.append(piece.start, piece.length);
    end = piece.start + piece.length;
  }
  if (all.dtype) {
    all.values = allocate_on_host({all.count()}, *all.dtype);
    const size_t size = itemsize(*all.dtype);
    auto* to = static_cast<char*>(all.values.mutable_data_ptr());
    std::vector<const char*> from;
    for (const auto& state : states) {
      from.push_back(static_cast<const char*>(state->values.data_ptr()));
    }
    for (const Piece& piece : pieces) {
      const size_t bytes = static_cast<size_t>(piece.length) * size;
      std::memcpy(to, from[piece.state] + static_cast<size_t>(piece.from) * size, bytes);
      to += bytes;
    }
  }
  data_ = std::make_shared<SelectedData>(std::move(all));
  return *this;
}

int64_t Selected::numel() const { return data_->count(); }
bool Selected::has_values() const { return data_->dtype.has_value(); }
std::optional<DType> Selected::dtype() const { return data_->dtype; }
const Shape& Selected::shape() const { return data_->whole; }

Tensor Selected::finish() const {
  check_values(*data_);
  return data_->values.clone().settle();
}

Tensor Selected::indices() const {
  const Tensor result = allocate_on_host({numel()}, DType::int64);
  auto* to = result.mutable_data<int64_t>();
  for (const Run& run : data_->runs) {
    std::iota(to, to + run.length, run.start);
    to += run.length;
  }
  return result;
}

Tensor Selected::coordinates() const {
  const auto rank = static_cast<int64_t>(data_->whole.size());
  const Tensor result = allocate_on_host({numel(), rank}, DType::int64);
  auto* to = result.mutable_data<int64_t>();
  for (const Run& run : data_->runs) {
    for (int64_t i = run.start; i < run.start + run.length; ++i, to += rank) {
      int64_t left = i;
      for (int64_t d = rank; d-- > 0; left /= data_->whole[d]) to[d] = left % data_->whole[d];
    }
  }
  return result;
}

Tensor Selected::runs() const {
  std::vector<int64_t> pairs;
  for (const Run& run : data_->runs) {
    pairs.push_back(run.start);
    pairs.push_back(run.length);
  }
  return integers(pairs, {static_cast<int64_t>(data_->runs.size()), 2});
}

int64_t Selected::position(int64_t rank) const {
  check(rank >= 0 && rank < numel(), ErrorKind::index,
        "Selected: rank {} is out of range for {} kept elements", rank, numel());
  const auto after =
      std::upper_bound(data_->runs.begin(), data_->runs.end(), rank,
                       [](int64_t value, const Run& run) { return value < run.before; });
  const Run& run = *(after - 1);
  return run.start + (rank - run.before);
}

Selected Selected::between(int64_t start, int64_t stop) const {
  SelectedData part{data_->dtype, data_->whole, {}, {}};
  int64_t first = 0;
  // The runs that end behind the start.
  auto run = std::partition_point(data_->runs.begin(), data_->runs.end(),
                                  [&](const Run& r) { return r.start + r.length <= start; });
  for (; run != data_->runs.end() && run->start < stop; ++run) {
    const int64_t from = std::max(run->start, start);
    const int64_t to = std::min(run->start + run->length, stop);
    if (from >= to) continue;
    if (part.runs.empty()) first = run->before + (from - run->start);
    part.append(from, to - from);
  }
  // A copy, so that a small part does not keep all of them.
  if (part.dtype) part.values = data_->values.narrow(0, first, part.count()).clone().settle();
  Selected state;
  state.data_ = std::make_shared<SelectedData>(std::move(part));
  return state;
}

Selected Selected::without_values() const {
  Selected state;
  state.data_ = std::make_shared<SelectedData>(SelectedData{{}, data_->whole, data_->runs, {}});
  return state;
}

std::string Selected::to_bytes() const {
  ByteWriter out(Kind::selected);
  out.shape(data_->whole);
  out.number(data_->runs.size());
  int64_t end = 0;
  for (const Run& run : data_->runs) {
    out.number(static_cast<uint64_t>(run.start - end));
    out.number(static_cast<uint64_t>(run.length));
    end = run.start + run.length;
  }
  out.byte(data_->dtype.has_value());
  if (data_->dtype) {
    out.dtype(*data_->dtype);
    out.raw(data_->values.data_ptr(),
            static_cast<size_t>(data_->values.numel()) * itemsize(*data_->dtype));
  }
  return std::move(out).finish();
}

Selected Selected::from_bytes(std::string_view bytes) {
  ByteReader in(bytes, Kind::selected);
  SelectedData data{{}, in.shape(), {}, {}};
  const int64_t all = tamis::numel(data.whole);
  int64_t end = 0;
  for (int64_t n = in.length(2), i = 0; i < n; ++i) {
    const int64_t gap = in.size(), length = in.size();
    ByteReader::require((gap > 0 || i == 0) && length > 0 && gap <= all - end &&
                        length <= all - end - gap);
    data.append(end + gap, length);
    end += gap + length;
  }
  if (in.flag()) {
    data.dtype = in.dtype();
    const size_t size = itemsize(*data.dtype);
    const auto count = static_cast<uint64_t>(data.count());
    ByteReader::require(count <= bytes.size() / size);
    const std::string_view values = in.raw(static_cast<size_t>(count) * size);
    data.values = allocate_on_host({data.count()}, *data.dtype);
    if (!values.empty()) std::memcpy(data.values.mutable_data_ptr(), values.data(), values.size());
  }
  in.finish();
  Selected state;
  state.data_ = std::make_shared<SelectedData>(std::move(data));
  return state;
}

}  // namespace tamis::partial
