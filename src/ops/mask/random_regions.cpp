// Random regions: spans of sequences and rectangles of images.
#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "core/check.h"
#include "expr/expr.h"
#include "ops/row.h"
#include "tamis/tamis.h"

namespace tamis {

namespace {

using Source = std::optional<Generator>;

/// Numbers from 0 up to but excluding 1, all drawn at once: what is drawn does not depend on the
/// device.
class Uniform {
 public:
  Uniform(int64_t n, const Source& source)
      : values_(rand({n}, {DType::float64, Device("cpu")}, source).to_vector<double>()) {}

  double next() { return values_[at_++]; }
  /// An integer from 0 up to but excluding n, which is above 0.
  int64_t below(int64_t n) {
    return std::min(static_cast<int64_t>(next() * static_cast<double>(n)), n - 1);
  }

 private:
  std::vector<double> values_;
  size_t at_ = 0;
};

/// k different integers from 0 up to but excluding n, by Floyd's algorithm: one draw for each.
std::vector<int64_t> distinct(int64_t k, int64_t n, Uniform& uniform) {
  std::vector<int64_t> chosen;
  std::unordered_set<int64_t> seen;
  for (int64_t top = n - k; top < n; ++top) {
    const int64_t drawn = uniform.below(top + 1);
    chosen.push_back(seen.insert(drawn).second ? drawn : top);
    seen.insert(chosen.back());
  }
  return chosen;
}

Shape without_last(const Shape& shape, size_t dims) {
  Shape rest = shape;
  rest.resize(shape.size() - dims);
  return rest;
}

void check_sizes(const char* op, const Shape& shape, size_t dims) {
  check(shape.size() >= dims, ErrorKind::shape,
        "{}: expected a shape of at least {} dimensions, but got {}", op, dims, shape);
  for (int64_t size : shape) {
    check(size >= 0, ErrorKind::value, "{}: negative size in {}", op, shape);
  }
}

// ---- spans --------------------------------------------------------------------------------------

/// The positions of each row that count.
std::vector<int64_t> row_lengths(const Shape& shape, const std::optional<Tensor>& lengths) {
  const Shape rows = without_last(shape, 1);
  if (!lengths) return std::vector<int64_t>(static_cast<size_t>(numel(rows)), shape.back());
  check(is_integral(lengths->dtype()), ErrorKind::dtype,
        "random_spans: lengths must be integers, but got {}", name(lengths->dtype()));
  check(lengths->shape() == rows, ErrorKind::shape,
        "random_spans: expected lengths of shape {} for masks of shape {}, but got {}", rows, shape,
        lengths->shape());
  std::vector<int64_t> found = lengths->to_vector<int64_t>();
  for (int64_t n : found) {
    check(n >= 0 && n <= shape.back(), ErrorKind::value,
          "random_spans: length {} is out of range [0, {}]", n, shape.back());
  }
  return found;
}

void check_spans(masks::Amount amount, int64_t length, int64_t min_spans) {
  check(length >= 1, ErrorKind::value, "random_spans: length must be at least 1, but got {}",
        length);
  check(min_spans >= 0, ErrorKind::value,
        "random_spans: min_spans must not be negative, but got {}", min_spans);
  if (const auto* count = std::get_if<int64_t>(&amount)) {
    check(*count >= 0, ErrorKind::value,
          "random_spans: a number of spans must not be negative, but got {}", *count);
  } else {
    const double share = std::get<double>(amount);
    check(share >= 0 && share <= 1, ErrorKind::value,
          "random_spans: amount must be a share from 0.0 to 1.0, or an integer for a number of "
          "spans, but got {}",
          share);
  }
}

/// How many spans each row has.
std::vector<int64_t> span_counts(const std::vector<int64_t>& lengths, masks::Amount amount,
                                 int64_t length, int64_t min_spans, const Source& source) {
  const auto* count = std::get_if<int64_t>(&amount);
  Uniform rounding(count ? 0 : static_cast<int64_t>(lengths.size()), source);
  std::vector<int64_t> counts;
  for (int64_t n : lengths) {
    int64_t spans = 0;
    if (count) {
      spans = *count;
    } else {
      const double wanted =
          std::get<double>(amount) * static_cast<double>(n) / static_cast<double>(length);
      spans = static_cast<int64_t>(std::floor(wanted + rounding.next()));
    }
    counts.push_back(std::min(std::max(spans, min_spans), n / length));
  }
  return counts;
}

/// Draws `count` spans in n positions and sets them to true.
void draw_spans(bool* row, int64_t n, int64_t count, int64_t length, bool overlap,
                Uniform& uniform) {
  if (count == 0) return;
  // Spans that do not overlap are chosen as if each were one position, and then drawn out.
  const int64_t places = overlap ? n - length + 1 : n - count * (length - 1);
  std::vector<int64_t> starts = distinct(count, places, uniform);
  std::sort(starts.begin(), starts.end());
  for (int64_t i = 0; i < count; ++i) {
    const int64_t start = starts[i] + (overlap ? 0 : i * (length - 1));
    std::fill_n(row + start, length, true);
  }
}

// ---- blocks -------------------------------------------------------------------------------------

/// [height, width] from one number or two.
std::pair<int64_t, int64_t> sides(const char* what, const Shape& block) {
  check(block.size() == 1 || block.size() == 2, ErrorKind::shape,
        "random_blocks: {} must be one size, or height and width, but got {}", what, block);
  for (int64_t side : block) {
    check(side >= 1, ErrorKind::value, "random_blocks: {} must be at least 1, but got {}", what,
          block);
  }
  return {block[0], block.back()};
}

/// Where a block begins and ends along one dimension: inside of it, or cut off.
struct Extent {
  int64_t size, least, most;
  bool clip;

  std::pair<int64_t, int64_t> draw(Uniform& uniform) const {
    const int64_t length = least + uniform.below(most - least + 1);
    const int64_t drawn = uniform.below(clip ? size : size - length + 1);
    const int64_t start = clip ? drawn - length / 2 : drawn;
    return {std::max<int64_t>(start, 0), std::min(start + length, size)};
  }
};

}  // namespace

namespace masks {

Tensor random_spans(const Shape& shape, Amount amount, int64_t length, int64_t min_spans,
                    bool overlap, std::optional<Tensor> lengths, Source generator) {
  check_sizes("random_spans", shape, 1);
  check_spans(amount, length, min_spans);
  const std::vector<int64_t> rows = row_lengths(shape, lengths);
  Backend& backend = lengths ? backend_of(*lengths) : default_backend();
  const Tensor mask = full_on(host_backend(), shape, false, DType::boolean);
  const std::vector<int64_t> counts = span_counts(rows, amount, length, min_spans, generator);
  int64_t total = 0;
  for (int64_t count : counts) total += count;
  Uniform uniform(total, generator);
  bool* data = mask.mutable_data<bool>();
  for (size_t r = 0; r < rows.size(); ++r) {
    draw_spans(data + static_cast<int64_t>(r) * shape.back(), rows[r], counts[r], length, overlap,
               uniform);
  }
  return to_backend(mask, backend);
}

Tensor random_blocks(const Shape& shape, int64_t count, const Shape& block,
                     std::optional<Shape> max_block, bool clip, Source generator) {
  check_sizes("random_blocks", shape, 2);
  check(count >= 0, ErrorKind::value, "random_blocks: count must not be negative, but got {}",
        count);
  const auto [least_high, least_wide] = sides("block", block);
  const auto [high, wide] = sides("max_block", max_block.value_or(block));
  check(least_high <= high && least_wide <= wide, ErrorKind::value,
        "random_blocks: max_block {} is smaller than block {}", max_block.value_or(block), block);
  const int64_t rows = shape[shape.size() - 2], columns = shape.back();
  check(clip || (high <= rows && wide <= columns) || numel(shape) == 0, ErrorKind::value,
        "random_blocks: a block of {} x {} does not fit into {} x {}; write clip=True to cut it",
        high, wide, rows, columns);
  const Tensor mask = full_on(host_backend(), shape, false, DType::boolean);
  if (mask.numel() == 0) return to_backend(mask, default_backend());
  const int64_t images = numel(without_last(shape, 2));
  Uniform uniform(4 * count * images, generator);
  const Extent down{rows, least_high, high, clip}, across{columns, least_wide, wide, clip};
  bool* image = mask.mutable_data<bool>();
  for (int64_t i = 0; i < images; ++i, image += rows * columns) {
    for (int64_t k = 0; k < count; ++k) {
      const auto [top, bottom] = down.draw(uniform);
      const auto [left, right] = across.draw(uniform);
      for (int64_t y = top; y < bottom; ++y) {
        std::fill(image + y * columns + left, image + y * columns + right, true);
      }
    }
  }
  return to_backend(mask, default_backend());
}

}  // namespace masks

std::vector<Row> region_rows() {
  const Value none;
  const auto n = [](int64_t v) { return Value(v); };
  return {
      make_row(
          "masks.random_spans(int[] shape, int|float amount, int length, *, int min_spans=0, "
          "bool overlap=True, Tensor|int[]? lengths=None, Generator? generator=None) -> Tensor",
          "Spans at random places of each row, as for SpecAugment; true inside, so that ~mask "
          "keeps the rest.",
          masks::random_spans,
          SAMPLES({Shape{2, 12}, n(2), n(3), n(0), true, none, none},
                  {Shape{3, 20}, 0.5, n(4), n(1), false, tensor({20, 7, 0}), Generator(3)},
                  {Shape{16}, 0.3, n(2), n(0), true, none, Generator(3)}))
          .is_random(),
      make_row(
          "masks.random_blocks(int[] shape, int count, int[] block, *, int[]? max_block=None, "
          "bool clip=False, Generator? generator=None) -> Tensor",
          "Rectangles at random places of each image, as for cutout; true inside, so that ~mask "
          "keeps the rest.",
          masks::random_blocks,
          SAMPLES({Shape{5, 8}, n(2), Shape{2, 3}, none, false, none},
                  {Shape{2, 6, 7}, n(3), Shape{1}, Shape{4, 5}, true, Generator(3)}))
          .is_random(),
  };
}

}  // namespace tamis
