// Rows: the table of all ops.
#include <iterator>

#include "ops/native_rows.h"
#include "ops/row.h"

namespace tamis {

namespace {

void append(std::vector<Row>& all, std::vector<Row> some) {
  all.insert(all.end(), std::make_move_iterator(some.begin()), std::make_move_iterator(some.end()));
}

/// x[...] and moves by position have one title on the reference page.
std::vector<Row> indexing_and_position_rows() {
  std::vector<Row> all = indexing_rows();
  append(all, position_rows());
  return all;
}

}  // namespace

Row make_row(std::string_view signature, std::string summary,
             std::function<Value(std::span<const Value>)> call, std::vector<Args> samples) {
  Row row;
  row.signature = Signature(signature);
  row.summary = std::move(summary);
  row.call = std::move(call);
  row.samples = std::move(samples);
  const Signature& s = row.signature;
  row.method = s.space.empty() && !s.params.empty() && s.params[0].name == "input" &&
               s.params[0].type() == ParamType::tensor;
  return row;
}

namespace {

/// Those that are everywhere.
std::span<const Family> common_families() {
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
  };
  return kFamilies;
}

}  // namespace

std::span<const Family> all_families() {
  static const std::vector<Family> families = [] {
    const std::span<const Family> common = common_families(), native = native_families();
    std::vector<Family> all(common.begin(), common.end());
    all.insert(all.end(), native.begin(), native.end());
    return all;
  }();
  return families;
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
