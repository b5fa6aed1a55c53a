// UsageError: arguments that cannot be meant.
#pragma once

#include <stdexcept>

namespace tamis::cli {

class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace tamis::cli
