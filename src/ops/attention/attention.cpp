// Attention: computed tile by tile, each of which has all that a query sees, and again for
// gradients.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "autograd/node.h"
#include "core/check.h"
#include "core/convert.h"
#include "ops/attention/tiles.h"
#include "ops/jagged.h"
#include "ops/mask_args.h"
#include "ops/pointwise/pointwise.h"
#include "ops/row.h"
#include "tamis/attention.h"
#include "tamis/tamis.h"

namespace tamis {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// What tiles are computed from: matrices [heads, length, size] of one dtype.
struct Operands {
  Tensor query, key, value;
};

struct Settings {
  double scale = 1, dropout = 0;
  uint64_t seed = 0;  // of dropout: forward and backward draw the same numbers
};

Shape joined(Shape batch, int64_t rows, int64_t cols) {
  batch.push_back(rows);
  batch.push_back(cols);
  return batch;
}

Shape batch_of(const Tensor& x) {
  Shape batch = x.shape();
  batch.resize(batch.size() - 2);
  return batch;
}

Tensor flattened(const Tensor& x, const Shape& batch) {
  const int64_t rows = x.size(-2), cols = x.size(-1);
  return x.to(compute_dtype(x.dtype()))
      .expand(joined(batch, rows, cols))
      .reshape({numel(batch), rows, cols});
}

Tensor queries(const Tensor& x, const Tile& tile) {
  return x.narrow(0, tile.head, tile.heads).narrow(1, tile.row, tile.rows);
}

Tensor keys(const Tensor& x, const Tile& tile) {
  return x.narrow(0, tile.head, tile.heads).narrow(1, tile.col, tile.cols);
}

/// Whether nothing of x can make a NaN of 0. Elsewhere than on the CPU nobody should wait to know.
bool is_finite(const Tensor& x) { return is_on_host(x) && all_true(isfinite(x.detach())); }

/// Products of weights [heads, m, k], which are 0 where `keep` is false, and x [heads, k, n]. What
/// is masked out adds nothing, even if it is not finite. `positive`: no weight is negative.
Tensor kept_product(const Tensor& weights, const Tensor& keep, const Tensor& x, bool finite,
                    bool positive) {
  if (finite || !keep.defined()) return bmm(weights, x);
  const Tensor product = bmm(weights, where(isfinite(x), x, 0));
  // How many that are not finite are kept for each element. The sign of what comes out is known
  // only if that of the weight is.
  const Tensor seen = keep.expand(weights.shape()).to(x.dtype());
  const auto found = [&](const Tensor& which) { return bmm(seen, which.to(x.dtype())) > 0; };
  if (!positive) return where(found(logical_not(isfinite(x))), NAN, product);
  const Tensor up = found(isposinf(x)), down = found(isneginf(x));
  const Tensor infinite = where(up, kInfinity, where(down, -kInfinity, product));
  return where(logical_or(found(isnan(x)), logical_and(up, down)), NAN, infinite);
}

/// The weights of one tile.
struct Weights {
  Tensor keep;     // which are not masked out; undefined: all
  Tensor all;      // 0 where masked out
  Tensor dropped;  // which dropout sets to 0; undefined: none

  Weights(const Operands& x, const ScoreMask& mask, const Tile& tile, const Settings& options,
          const Generator& generator) {
    Tensor scores = bmm(queries(x.query, tile) * options.scale, keys(x.key, tile).transpose(1, 2));
    const Tensor bias = mask.bias(tile);
    keep = mask.keep(tile, bias);
    if (bias.defined()) scores = scores + bias;
    all = masked::softmax(scores, keep, -1);
    if (options.dropout > 0) {
      dropped =
          rand(all.shape(), Options(DType::float32, all.device()), generator) < options.dropout;
    }
  }

  /// x after dropout, or the gradient before it.
  Tensor after_dropout(const Tensor& x, const Settings& options) const {
    if (!dropped.defined()) return x;
    return options.dropout == 1 ? zeros_like(x) : where(dropped, 0, x / (1 - options.dropout));
  }
  Tensor transposed_keep() const {
    return keep.defined() ? keep.expand(all.shape()).transpose(1, 2) : keep;
  }
};

Tensor forward(const Operands& x, const ScoreMask& mask, const Settings& options) {
  Tensor result = zeros_on(backend_of(x.query), {x.query.size(0), x.query.size(1), x.value.size(2)},
                           x.query.dtype());
  const bool finite = !mask.masks() || is_finite(x.value);
  const Generator generator(options.seed);
  for (const Tile& tile : mask.tiles()) {
    const Weights weights(x, mask, tile, options, generator);
    queries(result, tile)
        .copy_(kept_product(weights.after_dropout(weights.all, options), weights.keep,
                            keys(x.value, tile), finite, true));
  }
  return result;
}

/// The gradients of the operands, and of a mask that is added if that is wanted. Everything is done
/// by ops that can be differentiated in turn.
struct Backward {
  Tensor query, key, value, mask;

  Backward(const Operands& x, const Tensor& g, const ScoreMask& scores, const Settings& options,
           bool of_mask)
      : query(zeros_like(x.query.detach())),
        key(zeros_like(x.key.detach())),
        value(zeros_like(x.value.detach())),
        mask(of_mask ? zeros_like(scores.stored().detach()) : Tensor()) {
    const bool masks = scores.masks();
    const bool finite_query = !masks || is_finite(x.query), finite_key = !masks || is_finite(x.key);
    const bool finite_g = !masks || is_finite(g);
    const Generator generator(options.seed);
    for (const Tile& tile : scores.tiles()) {
      const Weights weights(x, scores, tile, options, generator);
      const Tensor keep = weights.keep, turned = weights.transposed_keep();
      const Tensor g_rows = queries(g, tile);
      const Tensor used = weights.after_dropout(weights.all, options);
      add(keys(value, tile), kept_product(used.transpose(1, 2), turned, g_rows, finite_g, true));
      const Tensor slope = slope_of(
          weights,
          weights.after_dropout(bmm(g_rows, keys(x.value, tile).transpose(1, 2)), options));
      add(queries(query, tile),
          kept_product(slope, keep, keys(x.key, tile), finite_key, false) * options.scale);
      add(keys(key, tile),
          kept_product(slope.transpose(1, 2), turned, queries(x.query, tile), finite_query, false) *
              options.scale);
      if (of_mask) scores.add_gradient(mask, tile, slope);
    }
  }

 private:
  static void add(Tensor to, const Tensor& x) { to += x; }

  /// The gradient of the scores from that of the weights.
  static Tensor slope_of(const Weights& weights, const Tensor& g) {
    const auto kept = [&](const Tensor& x) {
      return weights.keep.defined() ? where(weights.keep, x, 0) : x;
    };
    const Tensor& w = weights.all;
    return kept(w * (g - sum(kept(w * g), {-1}, true)));
  }
};

void check_operands(const Tensor& q, const Tensor& k, const Tensor& v) {
  check(q.dtype() == k.dtype() && q.dtype() == v.dtype(), ErrorKind::dtype,
        "Expected query, key, and value to have the same dtype, but got query.dtype: {} key.dtype: "
        "{} and value.dtype: {} instead.",
        name(q.dtype()), name(k.dtype()), name(v.dtype()));
  check_implemented(is_floating_point(q.dtype()), "scaled_dot_product_attention", q.dtype());
  check(q.dim() >= 2 && k.dim() >= 2 && v.dim() >= 2, ErrorKind::shape,
        "Expected query, key, and value to all be at least 2 dimensional, but got query.dim: {}, "
        "key.dim: {} and value.dim: {} instead.",
        q.dim(), k.dim(), v.dim());
  check(q.size(-1) == k.size(-1), ErrorKind::shape,
        "scaled_dot_product_attention: query and key must have the same last size, but got {} and "
        "{}",
        q.shape(), k.shape());
  check(k.size(-2) == v.size(-2), ErrorKind::shape,
        "scaled_dot_product_attention: there must be as many values as keys, but got {} and {}",
        k.shape(), v.shape());
}

void check_attention_mask(const Tensor& mask, const Tensor& q, const Shape& scores) {
  check(mask.dtype() == DType::boolean || is_floating_point(mask.dtype()), ErrorKind::dtype,
        "Expected attn_mask dtype to be bool or float or to match query dtype, but got "
        "attn_mask.dtype: {} and query.dtype: {} instead.",
        name(mask.dtype()), name(q.dtype()));
  check(broadcast_shapes(mask.shape(), scores) == scores, ErrorKind::shape,
        "scaled_dot_product_attention: attn_mask of shape {} does not broadcast to the shape of "
        "the scores, {}",
        mask.shape(), scores);
}

/// Heads of keys or values as often as there are heads of queries.
Tensor repeated_heads(const Tensor& q, const Tensor& x) {
  check(q.dim() >= 3 && x.dim() >= 3 && x.size(-3) > 0 && q.size(-3) % x.size(-3) == 0,
        ErrorKind::shape,
        "Number of heads in key and value must divide the number of heads in query, but got {} and "
        "{}",
        x.shape(), q.shape());
  return repeat_interleave(x, q.size(-3) / x.size(-3), -3);
}

/// Everything has been checked; an undefined mask keeps all.
Tensor attend(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& given,
              const Settings& options) {
  const Shape batch = broadcast_shapes(broadcast_shapes(batch_of(q), batch_of(k)), batch_of(v));
  const DType wide = compute_dtype(q.dtype());
  const bool is_bias = given.defined() && given.dtype() != DType::boolean;
  const Tensor added = is_bias ? given.to(wide) : given;
  ScoreMask mask(added.defined() ? added.detach() : added, batch, q.size(-2), k.size(-2),
                 common_backend({q, k, v}));
  Tensor result;
  {
    NoGradGuard guard;
    const Operands x{flattened(q, batch), flattened(k, batch), flattened(v, batch)};
    result = forward(x, mask, options).to(q.dtype()).view(joined(batch, q.size(-2), v.size(-1)));
  }
  const bool of_mask = is_bias && is_tracked(given);
  if (is_tracked(q) || is_tracked(k) || is_tracked(v) || of_mask) {
    const Tensor stored = mask.stored().defined() ? given : Tensor();
    mask.set_stored(Tensor());
    std::vector<Tensor> inputs = {q, k, v};
    if (of_mask) inputs.push_back(given);
    record(result, "scaled_dot_product_attention", Flow::mixes, std::move(inputs),
           {q, k, v, stored},
           [mask, batch, options, of_mask, wide](const Tensor& g,
                                                 std::span<const Tensor> saved) -> Gradients {
             const auto flat = [&](size_t i) { return flattened(saved[i], batch); };
             const Operands x{flat(0), flat(1), flat(2)};
             ScoreMask scores = mask;
             if (Tensor again = saved[3]; again.defined()) {
               while (again.dim() < 2) again = again.unsqueeze(0);
               scores.set_stored(again.dtype() == DType::boolean ? again : again.to(wide));
             }
             const Backward back(x, flattened(g, batch), scores, options, of_mask);
             const auto shaped = [&](const Tensor& y, size_t i) {
               return y.view(joined(batch, saved[i].size(-2), saved[i].size(-1)));
             };
             Gradients found = {shaped(back.query, 0), shaped(back.key, 1), shaped(back.value, 2)};
             if (of_mask) found.emplace_back(back.mask);
             return found;
           });
  }
  return result;
}

/// Which keys the queries of sequences see: those of their own sequence.
Tensor sequence_mask(const std::vector<int64_t>& queries, const std::vector<int64_t>& keys,
                     bool is_causal, const Shape& shape, Backend& backend) {
  std::vector<int64_t> lo, hi;
  int64_t first = 0;
  for (size_t i = 0; i < queries.size(); ++i) {
    for (int64_t r = 0; r < queries[i]; ++r) {
      lo.push_back(first);
      hi.push_back(first + (is_causal ? std::min(r + 1, keys[i]) : keys[i]));
    }
    first += keys[i];
  }
  Ref<const Recipe> recipe(new Intervals(shape[1], std::move(lo), std::move(hi)));
  return make_tensor(Ref<Storage>(new Storage(backend, numel(shape), std::move(recipe))),
                     DType::boolean, shape);
}

/// sequences [total, ..., size] as [..., total, size]
Tensor turned(const Tensor& x) { return x.movedim({0}, {-2}); }

}  // namespace

Tensor scaled_dot_product_attention(const Tensor& q, const Tensor& key, const Tensor& value,
                                    const std::optional<Tensor>& attn_mask, double dropout_p,
                                    bool is_causal, std::optional<double> scale, bool enable_gqa) {
  const Tensor k = enable_gqa ? repeated_heads(q, key) : key;
  const Tensor v = enable_gqa ? repeated_heads(q, value) : value;
  check_operands(q, k, v);
  check(dropout_p >= 0 && dropout_p <= 1, ErrorKind::value,
        "dropout probability has to be between 0 and 1, but got {}", dropout_p);
  check(!attn_mask || !is_causal, ErrorKind::value,
        "_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True");
  const Shape batch = broadcast_shapes(broadcast_shapes(batch_of(q), batch_of(k)), batch_of(v));
  if (attn_mask) check_attention_mask(*attn_mask, q, joined(batch, q.size(-2), k.size(-2)));
  Settings options{scale.value_or(1 / std::sqrt(static_cast<double>(q.size(-1)))), dropout_p};
  // Nothing to multiply: scores are 0, whatever the scale.
  if (q.size(-1) == 0) options.scale = 1;
  if (dropout_p > 0) {
    const auto [seed, first] = default_generator().take(1);
    options.seed = seed + 0x9E3779B97F4A7C15u * (first + 1);
  }
  const Tensor mask = attn_mask   ? *attn_mask
                      : is_causal ? masks::causal(q.size(-2), k.size(-2))
                                  : Tensor();
  return attend(q, k, v, mask, options);
}

Jagged scaled_dot_product_attention(const Jagged& query, const Jagged& key, const Jagged& value,
                                    bool is_causal, std::optional<double> scale) {
  const char* op = "scaled_dot_product_attention";
  const std::vector<int64_t> rows = lengths_of(op, query.offsets),
                             cols = lengths_of(op, key.offsets);
  check_jagged(op, query.values, rows);
  check_jagged(op, key.values, cols);
  check_jagged(op, value.values, lengths_of(op, value.offsets));
  check(rows.size() == cols.size(), ErrorKind::value,
        "{}: there must be as many sequences of queries as of keys, but got {} and {}", op,
        rows.size(), cols.size());
  check(equal(key.offsets, value.offsets), ErrorKind::value,
        "{}: key and value must have the same offsets", op);
  for (const Jagged* x : {&query, &key, &value}) {
    check(x->values.dim() >= 2, ErrorKind::shape,
          "{}: expected values of shape [total, ..., size], but got {}", op, x->values.shape());
  }
  const Shape shape{query.values.size(0), key.values.size(0)};
  std::optional<Tensor> mask;
  if (numel(shape) > 0)
    mask = sequence_mask(rows, cols, is_causal, shape, backend_of(query.values));
  const Tensor result = scaled_dot_product_attention(turned(query.values), turned(key.values),
                                                     turned(value.values), mask, 0, false, scale);
  return {result.movedim({-2}, {0}), query.offsets};
}

std::vector<Row> attention_rows() {
  const Tensor q = SAMPLE(tensor({{1.f, -2.f, 0.5f}, {0.f, 1.f, 2.f}}));
  const Tensor k =
      SAMPLE(tensor({{0.5f, 1.f, -1.f}, {2.f, 0.f, 1.f}, {-1.f, 1.5f, 0.f}, {1.f, 1.f, 1.f}}));
  const Tensor v = SAMPLE(tensor({{1.f, 2.f}, {-1.f, 0.5f}, {3.f, 0.f}, {0.f, -2.f}}));
  const Tensor heads = SAMPLE(stack({q, q * 2})), more = SAMPLE(stack({k, k - 1})),
               values = SAMPLE(stack({v, -v}));
  const Tensor mask = SAMPLE(tensor({{true, false, true, true}, {false, false, false, false}}));
  const Tensor bias = SAMPLE(tensor({{0.f, 1.f, -1.f, 0.5f}}));
  const Value none;
  const Args plain = {0.0, false, none, false};
  const auto with = [&](Tensor a, Tensor b, Tensor c, Value m, Args rest) {
    Args all = {a, b, c, m};
    all.insert(all.end(), rest.begin(), rest.end());
    return all;
  };
  const Tensor steps = SAMPLE(cat({q, q + 1, q}));
  const Tensor sequences = SAMPLE(tensor({0, 2, 2, 6})), key_offsets = SAMPLE(tensor({0, 1, 3, 4}));
  return {
      make_row(
          "scaled_dot_product_attention(Tensor query, Tensor key, Tensor value, Tensor? "
          "attn_mask=None, float dropout_p=0.0, bool is_causal=False, *, float? scale=None, "
          "bool enable_gqa=False) -> Tensor",
          "The values, weighted by the softmax of queries times keys: computed in tiles, of "
          "which a structured mask leaves out what it does not keep.",
          +[](const Tensor& query, const Tensor& key, const Tensor& value, std::optional<Tensor> m,
              double dropout_p, bool is_causal, std::optional<double> scale, bool enable_gqa) {
            return scaled_dot_product_attention(query, key, value, m, dropout_p, is_causal, scale,
                                                enable_gqa);
          },
          SAMPLES(with(q, k, v, none, plain), with(q, k, v, mask, plain),
                  with(q, k, v, bias, plain), with(heads, k, values, none, {0.0, true, 0.5, false}),
                  with(cat({heads, heads}), more, values, none, {0.0, false, none, true}))),
      make_row(
          "scaled_dot_product_attention(Tensor query, Tensor key, Tensor value, *, Tensor "
          "offsets, Tensor? key_offsets=None, bool is_causal=False, float? scale=None) -> "
          "Tensor",
          "The same for sequences one after the other, of which offsets tells where each "
          "begins: [total, ..., size].",
          +[](const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& offsets,
              std::optional<Tensor> keys, bool is_causal, std::optional<double> scale) {
            const Tensor other = keys.value_or(offsets);
            return scaled_dot_product_attention(Jagged{query, offsets}, Jagged{key, other},
                                                Jagged{value, other}, is_causal, scale)
                .values;
          },
          SAMPLES({steps, steps * 2, cat({v, q.narrow(1, 0, 2)}), sequences, none, true, none},
                  {steps, k, v, sequences, key_offsets, false, 1.0})),
  };
}

}  // namespace tamis
