// Tiles: the scores of attention in boxes, of which only those are computed that a mask keeps
// something of.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "backend/backend.h"
#include "ops/pointwise/interval_rows.h"
#include "tamis/tensor.h"

namespace tamis {

/// Scores of some heads, queries and keys, each from the first on. No score of these queries
/// outside of the tile is kept.
struct Tile {
  int64_t head, heads;
  int64_t row, rows;
  int64_t col, cols;
};

/// A mask of scores [batch..., queries, keys], of which the batch is seen as one dimension, heads.
class ScoreMask {
 public:
  /// An undefined mask keeps all. The mask broadcasts to the scores, which are of this backend.
  ScoreMask(const Tensor& mask, const Shape& batch, int64_t queries, int64_t keys,
            Backend& backend);

  /// The mask itself, with at least two dimensions; undefined if it is structured: then all that
  /// matters of it is here, and stays as it is now.
  const Tensor& stored() const { return mask_; }
  /// Takes or forgets it.
  void set_stored(Tensor mask) { mask_ = std::move(mask); }

  /// All tiles that something is kept of. They depend on shapes and a structured mask alone, not on
  /// the number of threads.
  std::vector<Tile> tiles() const;
  /// Whether a score may be masked out.
  bool masks() const { return mask_.defined() || structure_; }
  /// What is added to the scores of a tile, or undefined.
  Tensor bias(const Tile& tile) const;
  /// Which of the scores of a tile are kept: bool, broadcasts to them. Undefined: all.
  Tensor keep(const Tile& tile, const Tensor& bias) const;
  /// Adds the gradient of the scores of a tile to that of a mask that is added to them, which has
  /// the dimensions of `stored`.
  void add_gradient(const Tensor& gradient, const Tile& tile, const Tensor& scores) const;

 private:
  std::pair<int64_t, int64_t> interval(int64_t head, int64_t row) const;
  std::pair<int64_t, int64_t> columns(int64_t head, int64_t heads, int64_t row, int64_t rows) const;
  int64_t mean_width() const;
  int64_t rows_together() const;
  int64_t heads_together(int64_t head, int64_t rows) const;
  bool is_shared(int64_t head, int64_t heads) const;
  Tensor part(const Tensor& of, int64_t head, const Tile& tile) const;
  Tensor stacked(const Tile& tile) const;

  Backend* backend_;
  Tensor mask_;
  Shape batch_;
  int64_t heads_, queries_, keys_;
  std::optional<IntervalRows> structure_;
  std::vector<int64_t> begins_;  // per head: its first row of the mask, or first element
};

}  // namespace tamis
