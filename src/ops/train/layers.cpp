// Layers: rows of a table by number, and their sums in bags.
#include "tamis/layers.h"

#include <cmath>

#include "autograd/node.h"
#include "core/check.h"
#include "core/convert.h"
#include "expr/expr.h"
#include "ops/pointwise/pointwise.h"
#include "ops/row.h"
#include "tamis/tamis.h"

namespace tamis {

namespace {

void check_numbers(const char* op, const Tensor& x) {
  check(x.dtype() == DType::int64 || x.dtype() == DType::int32, ErrorKind::dtype,
        "Expected tensor for argument #1 'indices' to have one of the following scalar types: "
        "Long, Int; but got {} instead (while checking arguments for {})",
        scalar_type_name(x.dtype()), op);
}

/// The rows of weight that index (1-d) names.
Tensor rows_of(const Tensor& weight, const Tensor& index, bool scale_grad_by_freq) {
  if (!scale_grad_by_freq || !is_tracked(weight)) return index_select(weight, 0, index);
  const Tensor found = index_select(weight.detach(), 0, index);
  record(found, "embedding", Flow::mixes, {weight}, {index.to(DType::int64)},
         [shape = weight.shape()](const Tensor& g, std::span<const Tensor> saved) -> Gradients {
           const Tensor sums = index_add(zeros_on(backend_of(g), shape, g.dtype()), 0, saved[0], g);
           const Tensor often = clamp_min(bincount(saved[0], {}, shape[0]), 1);
           return {sums / often.unsqueeze(1).to(g.dtype())};
         });
  return found;
}

// ---- bags ---------------------------------------------------------------------------------------

struct BagArgs {
  const Tensor &x, &weight;
  const std::optional<Tensor>& offsets;
  const std::optional<Tensor>& factors;
  bool include_last_offset;
};

void check_offsets(const BagArgs& a) {
  check(a.offsets.has_value(), ErrorKind::value, "offsets has to be a 1D Tensor but got None");
  check(a.offsets->dim() == 1, ErrorKind::value, "offsets has to be a 1D Tensor");
  check_numbers("embedding_bag", *a.offsets);
  check(!a.include_last_offset || a.offsets->numel() > 0, ErrorKind::value,
        "include_last_offset: number of offset should be at least 1");
  if (a.offsets->numel() == 0) return;
  const Tensor offsets = a.offsets->to(DType::int64);
  const int64_t first = offsets[0].item<int64_t>(), last = offsets[-1].item<int64_t>();
  check(first == 0, ErrorKind::value,
        "offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from "
        "position 0. However, got {}",
        first);
  check(last <= a.x.numel(), ErrorKind::value,
        "offsets[-1] can not be greater than input's length {} but got offsets[-1] of {}",
        a.x.numel(), last);
  check(!any(diff(offsets) < 0).item<bool>(), ErrorKind::value,
        "embedding_bag: offsets must not decrease");
}

void check_bags(const BagArgs& a, const std::string& mode, bool scale_grad_by_freq) {
  check_numbers("embedding_bag", a.x);
  check(a.weight.dim() == 2, ErrorKind::shape, "'weight' must be 2-D");
  check(is_floating_point(a.weight.dtype()), ErrorKind::dtype,
        "Expected tensor for argument #1 'weight' to have one of the following scalar types: Half, "
        "Float, Double; but got {} instead (while checking arguments for embedding_bag)",
        scalar_type_name(a.weight.dtype()));
  check(a.x.dim() == 1 || a.x.dim() == 2, ErrorKind::value,
        "input has to be 1D or 2D Tensor, but got Tensor of dimension {}", a.x.dim());
  check(a.x.dim() == 1 || !a.offsets, ErrorKind::value,
        "if input is 2D, then offsets has to be None, as input is treated is a mini-batch of fixed "
        "length sequences. However, found offsets of type Tensor");
  if (a.x.dim() == 1) check_offsets(a);
  check(mode == "sum" || mode == "mean" || mode == "max", ErrorKind::value,
        "mode has to be one of sum, mean or max");
  check(mode != "max" || !scale_grad_by_freq, ErrorKind::value,
        "max mode does not support scaling the gradient by the frequency");
  if (!a.factors) return;
  check(a.factors->shape() == a.x.shape(), ErrorKind::value,
        "embedding_bag: If per_sample_weights ({}) is not None, then it must have the same shape "
        "as the input ({})",
        a.factors->shape(), a.x.shape());
  check(mode == "sum", ErrorKind::unsupported,
        "embedding_bag: per_sample_weights was not None. per_sample_weights is only supported for "
        "mode='sum' (got mode='{}').",
        mode);
  check(a.factors->dtype() == a.weight.dtype(), ErrorKind::dtype,
        "embedding_bag: expected weight and per_sample_weights to have the same dtype, but got {} "
        "and {}",
        scalar_type_name(a.weight.dtype()), scalar_type_name(a.factors->dtype()));
}

/// Which bag each number of x is in.
struct Bags {
  Tensor of;  // 1-d; `count` where it is in none
  int64_t count;
};

Bags bags_of(const BagArgs& a) {
  const Options on{DType::int64, a.x.device()};
  if (a.x.dim() == 2) {
    const Tensor rows = arange(a.x.size(0), on);
    return {rows.unsqueeze(1).expand(a.x.shape()).reshape({-1}), a.x.size(0)};
  }
  const int64_t entries = a.offsets->numel(), count = entries - (a.include_last_offset ? 1 : 0);
  if (count == 0) return {zeros({a.x.numel()}, on), 0};
  // The last bag that begins at or before a position; with the end of the last, `count` after it.
  const Tensor offsets = a.offsets->to(DType::int64).to(a.x.device()).contiguous();
  return {searchsorted(offsets, arange(a.x.numel(), on), false, true) - 1, count};
}

Tensor sums_in(const Bags& bags, const Tensor& rows) {
  Shape shape = rows.shape();
  shape[0] = bags.count + 1;
  const Tensor none = zeros_on(backend_of(rows), shape, rows.dtype());
  return index_add(none, 0, bags.of, rows).narrow(0, 0, bags.count);
}

/// The first of the largest rows' elements in each bag, taken from rows, so that a gradient finds
/// its way.
Tensor largest_in(const Bags& bags, const Tensor& rows, const Tensor& counts) {
  if (rows.numel() == 0) return sums_in(bags, rows);
  Tensor first;
  {
    const NoGradGuard guard;
    const int64_t n = rows.size(0);
    Shape shape = rows.shape();
    shape[0] = bags.count + 1;
    const Options on{rows.dtype(), rows.device()};
    const Tensor most = index_reduce(full(shape, -INFINITY, on), 0, bags.of, rows, "amax", true);
    const Tensor own = index_select(most, 0, bags.of);
    const Tensor is_it = (rows == own) | (isnan(rows) & isnan(own));
    const Tensor position = arange(n, {DType::int64, rows.device()}).unsqueeze(1);
    const Tensor found = index_reduce(full(shape, n - 1, {DType::int64, rows.device()}), 0, bags.of,
                                      where(is_it, position, n - 1), "amin", true);
    first = found.narrow(0, 0, bags.count);
  }
  return where(counts > 0, gather(rows, 0, first), scalar_tensor(0, rows.dtype()));
}

}  // namespace

Tensor& embedding_renorm_(Tensor& weight, const Tensor& indices, double max_norm,
                          double norm_type) {
  const NoGradGuard guard;
  check_numbers("embedding_renorm_", indices);
  check(
      weight.dim() == 2, ErrorKind::shape,
      "Expected 2-dimensional tensor, but got {}-dimensional tensor for argument #1 'self' (while "
      "checking arguments for embedding_renorm_)",
      weight.dim());
  check(is_floating_point(weight.dtype()), ErrorKind::dtype,
        "norm(): input dtype should be either floating point or complex. Got {} instead.",
        scalar_type_name(weight.dtype()));
  if (indices.numel() == 0) return weight;
  const Tensor index = unique(indices.detach().to(DType::int64).reshape({-1}));
  const Tensor rows = index_select(weight.detach(), 0, index);
  const Tensor wide = rows.to(compute_dtype(rows.dtype()));
  const Tensor size = norm(wide, norm_type, {1}, true);
  const Tensor scaled = where(size > max_norm, wide * (max_norm / (size + 1e-7)), wide);
  weight.detach().index_copy_(0, index, scaled.to(rows.dtype()));
  return weight;
}

Tensor embedding(const Tensor& x, const Tensor& weight, std::optional<int64_t> padding_idx,
                 std::optional<double> max_norm, double norm_type, bool scale_grad_by_freq) {
  check(weight.dim() == 2, ErrorKind::shape, "'weight' must be 2-D");
  check_numbers("embedding", x);
  const int64_t rows = weight.size(0);
  check(!padding_idx || (*padding_idx >= -rows && *padding_idx < rows), ErrorKind::value,
        "Padding_idx must be within num_embeddings");
  if (max_norm) {
    Tensor table = weight;
    embedding_renorm_(table, x, *max_norm, norm_type);
  }
  Shape shape = x.shape();
  shape.push_back(weight.size(1));
  const Tensor found = rows_of(weight, x.flatten(), scale_grad_by_freq).view(shape);
  if (!padding_idx || !found.requires_grad()) return found;
  const int64_t padding = *padding_idx < 0 ? *padding_idx + rows : *padding_idx;
  return where((x == padding).unsqueeze(-1), found.detach(), found);
}

Tensor embedding_bag(const Tensor& x, const Tensor& weight, const std::optional<Tensor>& offsets,
                     std::optional<double> max_norm, double norm_type, bool scale_grad_by_freq,
                     const std::string& mode, const std::optional<Tensor>& per_sample_weights,
                     bool include_last_offset, std::optional<int64_t> padding_idx) {
  const BagArgs args{x, weight, offsets, per_sample_weights, include_last_offset};
  check_bags(args, mode, scale_grad_by_freq);
  const int64_t table = weight.size(0);
  check(!padding_idx || (*padding_idx >= -table && *padding_idx < table), ErrorKind::value,
        "padding_idx must be within the number of embeddings, -{} through {}, but got {}", table,
        table - 1, padding_idx.value_or(0));
  const Tensor index = x.reshape({-1});
  if (max_norm) {
    Tensor renormed = weight;
    embedding_renorm_(renormed, index, *max_norm, norm_type);
  }
  Bags bags = bags_of(args);
  if (padding_idx) {
    const int64_t padding = *padding_idx < 0 ? *padding_idx + table : *padding_idx;
    bags.of = where(index == padding, bags.count, bags.of);
  }
  const DType wide = compute_dtype(weight.dtype());
  Tensor rows = rows_of(weight, index, scale_grad_by_freq).to(wide);
  if (per_sample_weights) rows = rows * per_sample_weights->reshape({-1, 1}).to(wide);
  if (mode == "sum") return sums_in(bags, rows).to(weight.dtype());
  const Tensor counts = sums_in(bags, ones({index.numel(), 1}, {wide, x.device()}));
  const Tensor found =
      mode == "mean" ? sums_in(bags, rows) / clamp_min(counts, 1) : largest_in(bags, rows, counts);
  return found.to(weight.dtype());
}

namespace {

/// Sparse gradients do not exist here, and asking for none is right.
Tensor embedding_op(const Tensor& x, const Tensor& weight, std::optional<int64_t> padding_idx,
                    std::optional<double> max_norm, double norm_type, bool scale_grad_by_freq,
                    bool) {
  return embedding(x, weight, padding_idx, max_norm, norm_type, scale_grad_by_freq);
}

Tensor embedding_bag_op(const Tensor& x, const Tensor& weight, const std::optional<Tensor>& offsets,
                        std::optional<double> max_norm, double norm_type, bool scale_grad_by_freq,
                        const std::string& mode, bool,
                        const std::optional<Tensor>& per_sample_weights, bool include_last_offset,
                        std::optional<int64_t> padding_idx) {
  return embedding_bag(x, weight, offsets, max_norm, norm_type, scale_grad_by_freq, mode,
                       per_sample_weights, include_last_offset, padding_idx);
}

}  // namespace

std::vector<Row> layer_rows() {
  const Tensor table =
      SAMPLE(tensor({{0.5f, -2.f, 3.f}, {0.f, 1.5f, -0.25f}, {1.f, 1.f, 4.f}, {2.f, -1.f, 0.f}}));
  const Tensor numbers = SAMPLE(tensor({{2, 0}, {1, 2}})), once = SAMPLE(tensor({{3, 0}, {1, 2}}));
  const Tensor line = SAMPLE(tensor({2, 0, 1, 3, 2})), starts = SAMPLE(tensor({0, 2, 2, 4}));
  const Tensor factors = SAMPLE(tensor({0.5f, 2.f, -1.f, 1.f, 3.f}));
  const Value none, flat = false, yes = true, two = 2.0;
  const auto n = [](int64_t v) { return Value(v); };
  const auto text = [](const char* s) { return Value(std::string(s)); };
  return {
      make_row("embedding(Tensor input, Tensor weight, int? padding_idx=None, float? "
               "max_norm=None, float norm_type=2.0, bool scale_grad_by_freq=False, False "
               "sparse=False) -> Tensor",
               "The rows of weight that the numbers in input name; padding_idx has no gradient.",
               embedding_op,
               SAMPLES({numbers, table, none, none, two, flat, flat},
                       {numbers, table, n(-1), none, two, flat, flat},
                       {once, table, none, none, two, yes, flat},
                       {tensor(1), table, none, none, two, flat, flat}))
          .function_only(),
      make_row(
          "embedding_bag(Tensor input, Tensor weight, Tensor? offsets=None, float? "
          "max_norm=None, float norm_type=2.0, bool scale_grad_by_freq=False, str "
          "mode='mean', False sparse=False, Tensor? per_sample_weights=None, bool "
          "include_last_offset=False, int? padding_idx=None) -> Tensor",
          "The sums, means or largest elements of the rows of weight that the numbers of each "
          "bag name.",
          embedding_bag_op,
          SAMPLES({line, table, starts, none, two, flat, text("sum"), flat, factors, flat, none},
                  {line, table, starts, none, two, flat, text("mean"), flat, none, flat, n(1)},
                  {line, table, starts, none, two, flat, text("max"), flat, none, yes, none},
                  {once, table, none, none, two, yes, text("mean"), flat, none, flat, none}))
          .function_only(),
  };
}

}  // namespace tamis
