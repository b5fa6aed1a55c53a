// Forms: the rows that follow from a row and its flags: the function with device=, requires_grad=
// and out=, the method, and the method name_ that writes into its tensor. A binding adds each of
// them to the overloads of its name.
#pragma once

#include <vector>

#include "ops/row.h"

namespace tamis {

struct Form {
  Row row;
  bool is_method = false;
};

/// In the order function, method, in place; without those that the row does not have.
std::vector<Form> forms_of(const Row& row);

}  // namespace tamis
