// Tiles: how the scores of attention are divided, and what a mask says to each part.
#include "ops/attention/tiles.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "ops/pointwise/pointwise.h"
#include "tamis/tamis.h"

namespace tamis {

namespace {

/// Scores of a tile: enough for the products to be worth their calls, and few enough for a cache.
constexpr int64_t kScores = int64_t{1} << 21;
/// Queries of a tile. The more, the more scores at the edges of a structured mask are for nothing.
constexpr int64_t kFewest = 64, kMost = 512;

int64_t round_up(int64_t n, int64_t to) { return (n + to - 1) / to * to; }

/// The index of a head in the dimensions of the batch.
Shape index_of(int64_t head, const Shape& batch) {
  Shape index(batch.size(), 0);
  for (size_t d = batch.size(); d-- > 0;) {
    index[d] = head % batch[d];
    head /= batch[d];
  }
  return index;
}

/// x summed to a matrix of the shape of `like`, either of whose sizes may be 1.
Tensor summed_to(Tensor x, const Tensor& like) {
  for (int64_t d : {0, 1}) {
    if (like.size(d) == 1 && x.size(d) != 1) x = sum(x, {d}, true);
  }
  return x;
}

}  // namespace

ScoreMask::ScoreMask(const Tensor& mask, const Shape& batch, int64_t queries, int64_t keys,
                     Backend& backend)
    : backend_(&backend),
      batch_(batch),
      heads_(numel(batch)),
      queries_(queries),
      keys_(keys),
      begins_(static_cast<size_t>(heads_), 0) {
  if (!mask.defined()) return;
  mask_ = mask;
  while (mask_.dim() < 2) mask_ = mask_.unsqueeze(0);
  Shape shape = batch;
  shape.push_back(queries);
  shape.push_back(keys);
  Shape strides = broadcast_strides(layout_of(mask_), shape);
  if (Ref<const Intervals> intervals = structure_of(mask_); intervals && keys > 0) {
    IntervalRows rows(std::move(intervals), layout_of(mask_), shape);
    if (rows.intervals) {
      strides = rows.strides;
      structure_.emplace(std::move(rows));
      mask_ = Tensor();
    }
  }
  for (int64_t head = 0; head < heads_; ++head) {
    const Shape index = index_of(head, batch);
    for (size_t d = 0; d < batch.size(); ++d) begins_[head] += index[d] * strides[d];
  }
}

std::pair<int64_t, int64_t> ScoreMask::interval(int64_t head, int64_t row) const {
  if (!structure_) return {0, keys_};
  const int64_t stride = structure_->strides.back();
  return structure_->intervals->row(structure_->first + begins_[head] + row * stride);
}

/// Those that one of the rows keeps; {0, 0} if there are none.
std::pair<int64_t, int64_t> ScoreMask::columns(int64_t head, int64_t heads, int64_t row,
                                               int64_t rows) const {
  if (!structure_) return {0, keys_};
  int64_t from = keys_, to = 0;
  const int64_t distinct = is_shared(head, heads) ? 1 : heads;
  for (int64_t h = head; h < head + distinct; ++h) {
    for (int64_t r = row; r < row + rows; ++r) {
      const auto [lo, hi] = interval(h, r);
      if (lo == hi) continue;
      from = std::min(from, lo);
      to = std::max(to, hi);
    }
  }
  return from < to ? std::pair(from, to) : std::pair<int64_t, int64_t>(0, 0);
}

bool ScoreMask::is_shared(int64_t head, int64_t heads) const {
  return begins_[head] == begins_[head + heads - 1] &&
         std::all_of(begins_.begin() + head, begins_.begin() + head + heads,
                     [&](int64_t begin) { return begin == begins_[head]; });
}

/// Kept scores per query.
int64_t ScoreMask::mean_width() const {
  if (!structure_) return keys_;
  int64_t kept = 0, rows = 0;
  for (int64_t head = 0; head < heads_; ++head) {
    if (head > 0 && begins_[head] == begins_[head - 1]) continue;
    for (int64_t row = 0; row < queries_; ++row) {
      const auto [lo, hi] = interval(head, row);
      kept += hi - lo;
    }
    rows += queries_;
  }
  return kept / rows;
}

int64_t ScoreMask::rows_together() const {
  const int64_t width = std::max<int64_t>(mean_width(), 1);
  // Of several heads, each needs fewer.
  const int64_t most = heads_ == 1 ? kMost : kMost / 4;
  // Rows as long as those of a causal mask are twice as wide as their mean.
  const int64_t fit = std::max(kFewest, kScores / std::min(keys_, 2 * width));
  return std::min({round_up(std::max<int64_t>(width / 2, 1), kFewest), most, fit, queries_});
}

/// Heads that one tile can have from this one on: those that share a mask, or, if a tile has all
/// queries of a head, any.
int64_t ScoreMask::heads_together(int64_t head, int64_t rows) const {
  int64_t widest = 1;
  for (int64_t row = 0; structure_ && row < queries_; row += rows) {
    const auto [from, to] = columns(head, 1, row, std::min(rows, queries_ - row));
    widest = std::max(widest, to - from);
  }
  const int64_t scores = rows * (structure_ ? widest : keys_);
  const int64_t most = std::clamp<int64_t>(kScores / scores, 1, heads_ - head);
  if (rows == queries_) return most;
  int64_t count = 1;
  while (count < most && begins_[head + count] == begins_[head]) ++count;
  return count;
}

std::vector<Tile> ScoreMask::tiles() const {
  std::vector<Tile> found;
  if (heads_ == 0 || queries_ == 0 || keys_ == 0) return found;
  const int64_t rows = rows_together();
  for (int64_t head = 0; head < heads_;) {
    const int64_t heads = heads_together(head, rows);
    for (int64_t row = 0; row < queries_; row += rows) {
      const int64_t height = std::min(rows, queries_ - row);
      const auto [from, to] = columns(head, heads, row, height);
      if (from < to) found.push_back({head, heads, row, height, from, to - from});
    }
    head += heads;
  }
  // The largest first: the memory of a tile then serves many that are a little smaller. From small
  // to large each would take its own, and all of them as much as all scores.
  std::stable_sort(found.begin(), found.end(), [](const Tile& a, const Tile& b) {
    return a.heads * a.rows * a.cols > b.heads * b.rows * b.cols;
  });
  return found;
}

/// What a matrix like the mask has for a head of a tile: [rows or 1, cols or 1], a view.
Tensor ScoreMask::part(const Tensor& of, int64_t head, const Tile& tile) const {
  const Shape index = index_of(head, batch_);
  Tensor matrix = of;
  const int64_t missing = static_cast<int64_t>(batch_.size()) - (of.dim() - 2);
  for (size_t d = static_cast<size_t>(missing); d < batch_.size(); ++d) {
    matrix = matrix.select(0, matrix.size(0) == 1 ? 0 : index[d]);
  }
  if (matrix.size(0) != 1) matrix = matrix.narrow(0, tile.row, tile.rows);
  if (matrix.size(1) != 1) matrix = matrix.narrow(1, tile.col, tile.cols);
  return matrix;
}

/// The mask of a tile, [heads or 1, rows or 1, cols or 1].
Tensor ScoreMask::stacked(const Tile& tile) const {
  if (is_shared(tile.head, tile.heads)) return part(mask_, tile.head, tile).unsqueeze(0);
  std::vector<Tensor> parts;
  for (int64_t h = 0; h < tile.heads; ++h) parts.push_back(part(mask_, tile.head + h, tile));
  return stack(parts);
}

Tensor ScoreMask::bias(const Tile& tile) const {
  if (!mask_.defined() || mask_.dtype() == DType::boolean) return {};
  return stacked(tile);
}

Tensor ScoreMask::keep(const Tile& tile, const Tensor& bias) const {
  if (bias.defined()) return bias.detach() != -std::numeric_limits<double>::infinity();
  if (!structure_) return mask_.defined() ? stacked(tile) : Tensor();
  const int64_t heads = is_shared(tile.head, tile.heads) ? 1 : tile.heads;
  std::vector<int64_t> lo, hi;
  bool all = true;
  for (int64_t h = 0; h < heads; ++h) {
    for (int64_t r = 0; r < tile.rows; ++r) {
      const auto [from, to] = interval(tile.head + h, tile.row + r);
      lo.push_back(from == to ? 0 : from - tile.col);
      hi.push_back(from == to ? 0 : to - tile.col);
      all = all && lo.back() == 0 && hi.back() == tile.cols;
    }
  }
  if (all) return {};
  const Shape shape{heads, tile.rows, tile.cols};
  Ref<const Recipe> recipe(new Intervals(tile.cols, std::move(lo), std::move(hi)));
  return make_tensor(Ref<Storage>(new Storage(*backend_, numel(shape), std::move(recipe))),
                     DType::boolean, shape);
}

void ScoreMask::add_gradient(const Tensor& gradient, const Tile& tile, const Tensor& scores) const {
  const auto add = [&](int64_t head, const Tensor& matrix) {
    Tensor view = part(gradient, head, tile);
    view += summed_to(matrix, view);
  };
  if (is_shared(tile.head, tile.heads)) return add(tile.head, sum(scores, {0}));
  for (int64_t h = 0; h < tile.heads; ++h) add(tile.head + h, scores.select(0, h));
}

}  // namespace tamis
