// Rows: the table of all ops.
#include <iterator>

#include "ops/row.h"

namespace tamis {

const std::vector<Row>& all_rows() {
  static const std::vector<Row> rows = [] {
    std::vector<Row> all;
    for (auto* family :
         {create_rows, view_rows,     arith_rows,         compare_rows, logic_rows,
          select_rows, fill_rows,     scatter_rows,       reduce_rows,  order_rows,
          mask_rows,   indexing_rows, gather_rows,        result_rows,  sequence_rows,
          pad_rows,    loss_rows,     cross_entropy_rows, extreme_rows, statistic_rows,
          norm_rows,   scan_rows,     softmax_rows,       masked_rows,  sort_rows,
          linalg_rows, complex_rows}) {
      std::vector<Row> some = family();
      all.insert(all.end(), std::make_move_iterator(some.begin()),
                 std::make_move_iterator(some.end()));
    }
    return all;
  }();
  return rows;
}

}  // namespace tamis
