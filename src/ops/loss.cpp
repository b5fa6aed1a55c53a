// Loss: differences between predictions and targets, reduced over the elements that a mask keeps.
#include "ops/row.h"

namespace tamis {

std::vector<Row> loss_rows() { return {}; }

}  // namespace tamis
