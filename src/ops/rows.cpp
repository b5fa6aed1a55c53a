// Rows: the table of all ops.
#include <iterator>

#include "ops/row.h"

namespace tamis {

namespace {

void append(std::vector<Row>& all, std::vector<Row> some) {
  all.insert(all.end(), std::make_move_iterator(some.begin()), std::make_move_iterator(some.end()));
}

std::vector<Row> joined(std::vector<Row> all, std::vector<Row> more) {
  append(all, std::move(more));
  return all;
}

// Some families have one title on the reference page.
std::vector<Row> indexing_and_position_rows() { return joined(indexing_rows(), position_rows()); }
std::vector<Row> contraction_rows() { return joined(product_rows(), einsum_rows()); }
std::vector<Row> kept_rows() { return joined(prune_rows(), sampling_rows()); }
std::vector<Row> shape_rows() { return joined(morphology_rows(), label_rows()); }
std::vector<Row> encoding_rows() { return joined(run_rows(), polygon_rows()); }
std::vector<Row> all_layer_rows() { return joined(layer_rows(), dropout_rows()); }
std::vector<Row> margin_rows() { return joined(margin_loss_rows(), class_margin_loss_rows()); }

}  // namespace

[[gnu::weak]] bool has_samples() { return true; }  // web/src/package.cpp has another one

Row make_row(std::string_view signature, std::string_view summary,
             std::function<Value(std::span<const Value>)> call, std::vector<Args> samples) {
  Row row;
  row.signature = Signature(signature);
  row.summary = summary;
  row.call = std::move(call);
  row.samples = std::move(samples);
  const Signature& s = row.signature;
  row.method = s.space.empty() && !s.params.empty() && s.params[0].name == "input" &&
               s.params[0].type() == ParamType::tensor;
  return row;
}

Row detail::make_row(std::string_view signature, std::string_view summary, AnyFunction f,
                     Value (*call)(AnyFunction, std::span<const Value>),
                     std::vector<Args> samples) {
  return tamis::make_row(
      signature, summary, [f, call](std::span<const Value> args) { return call(f, args); },
      std::move(samples));
}

Row&& Row::with_in_place(detail::AnyFunction f,
                         void (*call_it)(detail::AnyFunction, std::span<const Value>)) && {
  in_place = true;
  call_in_place = [f, call_it](std::span<const Value> args) { call_it(f, args); };
  return std::move(*this);
}

Row&& Row::with_out(detail::AnyFunction f,
                    void (*call_it)(detail::AnyFunction, Tensor&, std::span<const Value>)) && {
  out = true;
  call_out = [f, call_it](Tensor& target, std::span<const Value> args) {
    call_it(f, target, args);
  };
  return std::move(*this);
}

std::span<const Family> all_families() {
  static constexpr Family kFamilies[] = {
      {"Creation", create_rows},
      {"Views and joins", view_rows},
      {"Pieces and repetitions", piece_rows},
      {"Arithmetic", arith_rows},
      {"Inverse and hyperbolic functions", inverse_rows},
      {"Special functions", special_rows},
      {"Signs and parts of numbers", part_rows},
      {"Combinations and promotion", combine_rows},
      {"Shifts and divisors", integer_rows},
      {"Comparison", compare_rows},
      {"Logic and bits", logic_rows},
      {"Selection", select_rows},
      {"Filling", fill_rows},
      {"Replacing", replace_rows},
      {"Scattering by a mask", scatter_rows},
      {"Reductions", reduce_rows},
      {"Order statistics", order_rows},
      {"Mask builders", mask_rows},
      {"Masks as bits", bit_rows},
      {"Indexing", indexing_and_position_rows},
      {"Gathering and scattering by index", gather_rows},
      {"Selections in other forms", result_rows},
      {"Sequences", sequence_rows},
      {"Padding", pad_rows},
      {"Losses", loss_rows},
      {"Cross entropy", cross_entropy_rows},
      {"Extremes", extreme_rows},
      {"Statistics", statistic_rows},
      {"Norms", norm_rows},
      {"Scans", scan_rows},
      {"Softmax", softmax_rows},
      {"Activations", activation_rows},
      {"Masked reductions", masked_rows},
      {"Sorting", sort_rows},
      {"Linear algebra", linalg_rows},
      {"Complex numbers", complex_rows},
      {"Cuts and windows", cut_rows},
      {"Stacks and combinations", stack_rows},
      {"Contractions", contraction_rows},
      {"Distances", distance_rows},
      {"Samples", sample_rows},
      {"Integrals and slopes", slope_rows},
      {"Losses of margins", margin_rows},
      {"Losses of distributions", likelihood_loss_rows},
      {"Layers", all_layer_rows},
      {"Distributions and spaces", distribution_rows},
      {"Attention", attention_rows},
      {"Pruning and sampling masks", kept_rows},
      {"Random spans and blocks", region_rows},
      {"Growing, shrinking and labelling masks", shape_rows},
      {"Run lengths and polygons", encoding_rows},
      {"Gamma functions", gamma_rows},
      {"Segments", segment_rows},
      {"Sizes", size_rows},
  };
  return kFamilies;
}

const std::vector<Row>& all_rows() {
  static const std::vector<Row> rows = [] {
    std::vector<Row> all;
    for (const Family& family : all_families()) append(all, family.rows());
    return all;
  }();
  return rows;
}

}  // namespace tamis
