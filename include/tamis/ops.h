// Ops: the free functions, named and behaving as PyTorch's. Numbers may stand where tensors are
// taken.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tamis/create.h"
#include "tamis/generator.h"
#include "tamis/iterate.h"
#include "tamis/tensor.h"

namespace tamis {

// ---- random numbers: counter-based (Philox), so equal for any number of threads -----------------

/// Restarts the stream that all random functions of the process draw from, unless they are given a
/// generator (generator.h).
void manual_seed(uint64_t seed);
/// Uniform in [0, 1).
Tensor rand(const Shape& shape, DType dtype = DType::float32,
            std::optional<Generator> generator = {});
/// Standard normal.
Tensor randn(const Shape& shape, DType dtype = DType::float32,
             std::optional<Generator> generator = {});
/// low <= x < high
Tensor randint(int64_t low, int64_t high, const Shape& shape, DType dtype = DType::int64,
               std::optional<Generator> generator = {});
Tensor randint(int64_t high, const Shape& shape, DType dtype = DType::int64,
               std::optional<Generator> generator = {});
/// 0 to n - 1 in random order.
Tensor randperm(int64_t n, DType dtype = DType::int64, std::optional<Generator> generator = {});
/// 1 with the probability that p gives for each element, else 0; dtype of p.
Tensor bernoulli(const Tensor& p, std::optional<Generator> generator = {});
/// The places of num_samples elements of each row of p (floating point, [n] or [rows, n]), drawn
/// with probabilities in proportion to the elements, int64 [num_samples] or [rows, num_samples].
/// Without replacement no place is drawn twice; a row that has fewer elements above zero than that
/// needs is refused, as are elements that are negative or not finite.
Tensor multinomial(const Tensor& p, int64_t num_samples, bool replacement = false,
                   std::optional<Generator> generator = {});
Tensor rand_like(const Tensor& x, std::optional<DType> dtype = {});
Tensor randn_like(const Tensor& x, std::optional<DType> dtype = {});

// ---- shape --------------------------------------------------------------------------------------

/// Joins along an existing dimension; dtypes are promoted; 1-d empty tensors are skipped as in
/// PyTorch.
Tensor cat(const std::vector<Tensor>& tensors, int64_t dim = 0);
/// Joins equal shapes along a new dimension.
Tensor stack(const std::vector<Tensor>& tensors, int64_t dim = 0);
/// The methods of the same names. All give views; reshape and flatten copy where they must.
Tensor reshape(const Tensor& x, const Shape& shape);
Tensor flatten(const Tensor& x, int64_t start_dim = 0, int64_t end_dim = -1);
Tensor transpose(const Tensor& x, int64_t dim0, int64_t dim1);
Tensor permute(const Tensor& x, const Shape& dims);
Tensor unsqueeze(const Tensor& x, int64_t dim);
Tensor squeeze(const Tensor& x, std::optional<int64_t> dim = {});
Tensor narrow(const Tensor& x, int64_t dim, int64_t start, int64_t length);
Tensor select(const Tensor& x, int64_t dim, int64_t index);
Tensor broadcast_to(const Tensor& x, const Shape& shape);
/// All of them expanded to their common shape.
std::vector<Tensor> broadcast_tensors(const std::vector<Tensor>& tensors);
/// The dtype that PyTorch gives to an operation on a and b: 0-d tensors and numbers are weak.
DType result_type(const Tensor& a, const Tensor& b);

// ---- pointwise; deferred ------------------------------------------------------------------------
// Shapes broadcast, dtypes promote. Functions of real analysis (sqrt, exp, ...) and division turn
// integers and bools into float32. Rounding functions and sign keep integers as they are.
// Comparisons give bool; NaN compares unequal to everything.

#define X(op) Tensor op(const Tensor& x);
TAMIS_UNARY_METHODS(X)
#undef X
#define X(op) Tensor op(const Tensor& a, const Tensor& b);
TAMIS_BINARY_METHODS(X)
#undef X
/// Floating point numbers rounded to this many digits after the decimal point, or with negative
/// decimals before it: `round(tensor({1.26, 14.}), 1)` is `tensor({1.3, 14.})`. Computed in x's
/// dtype as round(x * 10^decimals) / 10^decimals.
Tensor round(const Tensor& x, int64_t decimals);
/// min(max(x, lo), hi); either bound may be missing, not both. NaN stays NaN.
Tensor clamp(const Tensor& x, std::optional<Tensor> min = {}, std::optional<Tensor> max = {});
/// clamp by one bound.
Tensor clamp_min(const Tensor& x, const Tensor& min);
Tensor clamp_max(const Tensor& x, const Tensor& max);
/// The quotient rounded: "floor" down, as floor_divide does it, "trunc" toward zero. Integers stay
/// integers; another rounding_mode is refused.
Tensor div(const Tensor& a, const Tensor& b, const std::string& rounding_mode);
/// x with NaN, infinity and -infinity replaced by numbers: by 0 and by the largest and the smallest
/// that its dtype has, unless others are given. Integers stay as they are.
Tensor nan_to_num(const Tensor& x, double nan = 0, std::optional<double> posinf = {},
                  std::optional<double> neginf = {});
/// Whether an element is infinity (-infinity), bool; integers never are.
Tensor isposinf(const Tensor& x);
Tensor isneginf(const Tensor& x);
/// What PyTorch's out= does: writes result into out and returns it. A deferred result is computed
/// straight into out's memory: `into(y, a + b)`. An out of another shape is resized; result's dtype
/// must cast to out's (no floating point into integers).
Tensor& into(Tensor& out, Tensor result);
/// |a - b| <= atol + rtol * |b|, or equal; with equal_nan NaN is close to NaN.
Tensor isclose(const Tensor& a, const Tensor& b, double rtol = 1e-5, double atol = 1e-8,
               bool equal_nan = false);
/// Whether all elements are close (a host bool).
bool allclose(const Tensor& a, const Tensor& b, double rtol = 1e-5, double atol = 1e-8,
              bool equal_nan = false);
/// Whether shapes and all values are equal (a host bool).
bool equal(const Tensor& a, const Tensor& b);

// ---- masking ------------------------------------------------------------------------------------
// A mask is a bool tensor; true keeps (or fills, for fill). Other dtypes are refused, with the name
// of the dtype.

/// The elements of x where mask is true, 1-d, in row-major order of the shape that x and mask
/// broadcast to. `masked_select(tensor({1, 2, 3}), tensor({true, false, true}))` is `tensor([1,
/// 3])`. Always a copy.
Tensor masked_select(const Tensor& x, const Tensor& mask);
/// The same into out, which must have x's dtype and share no memory with x or mask. A wrong shape
/// is resized; a strided out of the right size is written through its strides. Returns out.
Tensor& masked_select_out(Tensor& out, const Tensor& x, const Tensor& mask);

/// x with value where mask is true; x and mask broadcast. value is a number or a 0-d tensor; it is
/// converted to x's dtype, and refused if that dtype cannot hold it ("value cannot be converted to
/// type ... without overflow"). Deferred.
Tensor masked_fill(const Tensor& x, const Tensor& mask, const Tensor& value);
/// In place: mask must broadcast to x.
Tensor& masked_fill_(Tensor& x, Tensor mask, const Tensor& value);

/// x with its elements where mask is true replaced by source's, in order from the first. x and mask
/// broadcast; source has x's dtype, any shape, and at least as many elements as mask has trues
/// (checked before anything is written).
Tensor masked_scatter(const Tensor& x, const Tensor& mask, const Tensor& source);
Tensor& masked_scatter_(Tensor& x, Tensor mask, const Tensor& source);

/// a where condition (bool) is true, b elsewhere; all three broadcast, a and b promote. Deferred.
Tensor where(const Tensor& condition, const Tensor& a, const Tensor& b);
/// nonzero_tuple(condition)
std::vector<Tensor> where(const Tensor& condition);

/// The coordinates of the nonzero elements, int64 [count, x.dim()], in row-major order. NaN is
/// nonzero.
Tensor nonzero(const Tensor& x);
/// One 1-d tensor per dimension; a 0-d x counts as 1-d.
std::vector<Tensor> nonzero_tuple(const Tensor& x);
Tensor argwhere(const Tensor& x);
/// int64; over all dimensions if none are given.
Tensor count_nonzero(const Tensor& x, const Dims& dims = {});
/// The number of true elements, as a host number.
int64_t count(const Tensor& mask);

/// For each element of x whether it equals some element of test_elements. Numbers are compared
/// exactly, whatever the two dtypes, but a C++ number such as 0.1 is rounded to the floating point
/// dtype of the other; NaN is in nothing. Deferred; test_elements is read at once.
Tensor isin(const Tensor& x, const Tensor& test_elements, bool invert = false);

// ---- reductions: over all dimensions if none are given ------------------------------------------

/// Integers and bools sum to int64. The sum of nothing is 0.
Tensor sum(const Tensor& x, const Dims& dims = {}, bool keepdim = false,
           std::optional<DType> dtype = {});
/// Floating point only (or with dtype). The mean of nothing is NaN.
Tensor mean(const Tensor& x, const Dims& dims = {}, bool keepdim = false,
            std::optional<DType> dtype = {});
Tensor prod(const Tensor& x, std::optional<int64_t> dim = {}, bool keepdim = false,
            std::optional<DType> dtype = {});
/// NaN wins. Refuses to reduce nothing.
Tensor amax(const Tensor& x, const Dims& dims = {}, bool keepdim = false);
Tensor amin(const Tensor& x, const Dims& dims = {}, bool keepdim = false);
Tensor max(const Tensor& x);
Tensor min(const Tensor& x);
/// Bool (uint8 for a uint8 x, as in PyTorch). any of nothing is false, all of nothing is true.
Tensor any(const Tensor& x, const Dims& dims = {}, bool keepdim = false);
Tensor all(const Tensor& x, const Dims& dims = {}, bool keepdim = false);

}  // namespace tamis

#include "tamis/methods.h"
