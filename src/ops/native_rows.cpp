// Native rows: families that are not in the JavaScript package, so that a page loads less.
#include "ops/native_rows.h"

#include <iterator>

namespace tamis {

namespace {

std::vector<Row> joined(std::vector<Row> all, std::vector<Row> more) {
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  return all;
}

std::vector<Row> contraction_rows() { return joined(product_rows(), einsum_rows()); }
std::vector<Row> kept_rows() { return joined(prune_rows(), sampling_rows()); }
std::vector<Row> shape_rows() { return joined(morphology_rows(), label_rows()); }
std::vector<Row> encoding_rows() { return joined(run_rows(), polygon_rows()); }
std::vector<Row> all_layer_rows() { return joined(layer_rows(), dropout_rows()); }
std::vector<Row> margin_rows() { return joined(margin_loss_rows(), class_margin_loss_rows()); }

}  // namespace

std::span<const Family> native_families() {
  static constexpr Family kFamilies[] = {
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

}  // namespace tamis
