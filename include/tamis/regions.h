// Regions: masks of sequences and images: random spans and blocks, growing and shrinking, connected
// components, run lengths and polygons.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tamis/generator.h"
#include "tamis/pruning.h"
#include "tamis/tensor.h"

/// True is inside of the region: x[mask] is what it covers, and ~mask keeps what is outside.
namespace tamis::masks {

// ---- random regions -----------------------------------------------------------------------------

/// Spans of `length` positions at random places of the last dimension, other ones in each row. True
/// inside: for SpecAugment, wav2vec 2.0 or T5, x.masked_fill(mask, 0) blanks them. amount is the
/// number of spans in each row (an integer), or the share of the row that they cover if they do not
/// overlap (0 to 1): a row of n positions then has amount * n / length spans, rounded up or down at
/// random so that the mean is exact. There are min_spans at least, and never more than fit beside
/// each other, n / length. lengths (integers, of the shape without the last dimension) are the
/// positions of each row that count: spans end before the rest. Spans begin at different positions
/// and may overlap, or, with overlap false, do not. The numbers are drawn on the CPU; the mask is
/// where lengths are.
Tensor random_spans(const Shape& shape, Amount amount, int64_t length, int64_t min_spans = 0,
                    bool overlap = true, std::optional<Tensor> lengths = {},
                    std::optional<Generator> generator = {});
/// `count` rectangles at random places of the last two dimensions, other ones in each image; they
/// may overlap. True inside: cutout, or the targets of I-JEPA. block is [height, width], or one
/// number for both; with max_block the sizes are random from block up to it, both included.
/// Rectangles lie inside of the image, which must not be smaller; with clip, their centres do, and
/// what is outside is cut off.
Tensor random_blocks(const Shape& shape, int64_t count, const Shape& block,
                     std::optional<Shape> max_block = {}, bool clip = false,
                     std::optional<Generator> generator = {});

// ---- growing and shrinking ----------------------------------------------------------------------
// Of the last ndim dimensions, 1 or 2, by default 2 where there are two; those before them are a
// batch.

/// True within `radius` of a true element: one number for each of the last ndim dimensions (1 or 2;
/// by default 2 where there are two), or one for all. element "box" reaches all elements that are
/// that near along both dimensions, "cross" those straight along one of them. Repeated `iterations`
/// times (1 or more). What is outside of the mask counts as `border`. A radius of 1 is
/// scipy.ndimage.binary_dilation with a structure of 8 neighbours ("box") or 4 ("cross").
///
///     masks::dilate(tensor({false, false, false, true}), 2)   // false, true, true, true
Tensor dilate(const Tensor& mask, const Shape& radius = 1, std::optional<int64_t> ndim = {},
              const std::string& element = "box", int64_t iterations = 1, bool border = false);
/// True where all elements within `radius` are: the same for what is false. With a border of false,
/// as scipy.ndimage.binary_erosion has it, a region shrinks at the edge of the mask too.
Tensor erode(const Tensor& mask, const Shape& radius = 1, std::optional<int64_t> ndim = {},
             const std::string& element = "box", int64_t iterations = 1, bool border = false);

// ---- connected components -----------------------------------------------------------------------

/// The number of the connected component that each true element belongs to, 0 for false ones
/// (int64, the shape of mask), and how many components there are (int64, without the last ndim
/// dimensions). Components are numbered from 1 in the row-major order of their first elements, in
/// each image by itself. In two dimensions an element has 4 neighbours or, with connectivity 8,
/// those along diagonals too. Computed on the CPU.
///
///     auto [labels, count] = masks::label(mask);
///     Tensor largest = labels == mode(labels[labels > 0], 0).first;
std::pair<Tensor, Tensor> label(const Tensor& mask, int64_t connectivity = 4,
                                std::optional<int64_t> ndim = {});

// ---- run lengths --------------------------------------------------------------------------------
// Of the elements in one row: in row-major order ("C"), in which the last index moves fastest, or
// in column-major order ("F"), in which the first does.

/// Where each run of true elements starts, and its length (int64 [runs]).
///
///     masks::to_runs(tensor({true, true, false, true}))   // [0, 3] and [2, 1]
std::pair<Tensor, Tensor> to_runs(const Tensor& mask, const std::string& order = "C");
/// The mask of a shape that is true in these runs (integers [runs]), which may overlap. Runs that
/// leave it, or have negative lengths, are errors of kind value.
Tensor from_runs(const Shape& shape, const Tensor& starts, const Tensor& lengths,
                 const std::string& order = "C");
/// The lengths of runs of false and true by turns, beginning with false (0 if the first element is
/// true): int64, the counts of COCO's uncompressed encoding, which is column-major.
Tensor to_counts(const Tensor& mask, const std::string& order = "F");
/// The reverse. Counts that are negative, or whose sum is not the number of elements, are errors of
/// kind value.
Tensor from_counts(const Shape& shape, const Tensor& counts, const std::string& order = "F");

// ---- polygons -----------------------------------------------------------------------------------
// A vertex is (x, y), where x goes along the last dimension. The pixel in row i and column j covers
// the square from (j, i) to (j + 1, i + 1).

/// The mask [height, width] of the pixels whose centres lie inside of an odd number of rings, each
/// [vertices, 2] and closed by itself (the even-odd rule: a ring in a ring is a hole). A centre on
/// an edge is inside if the inside is to the right of it, or below. Computed on the CPU, in
/// float64.
Tensor from_polygons(const Shape& shape, const std::vector<Tensor>& rings);
/// The same with a single ring, or with several of as many vertices: [rings, vertices, 2].
Tensor from_polygons(const Shape& shape, const Tensor& ring);
/// The boundaries of a mask [height, width] along the edges of pixels, int64 [vertices, 2] each:
/// clockwise around a component of 4 neighbours (as it is seen with y downwards), counterclockwise
/// around a hole, beginning with the topmost vertex, the leftmost of them. from_polygons makes the
/// same mask of them.
std::vector<Tensor> to_polygons(const Tensor& mask);

}  // namespace tamis::masks
