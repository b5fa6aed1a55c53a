// IsinLookup: isin with a set that is prepared once for many tensors.
#pragma once

#include <memory>

#include "backend/backend.h"
#include "tamis/tensor.h"

namespace tamis {

/// isin(x, test_elements, invert) for every x of one dtype.
class IsinLookup {
 public:
  /// Throws what isin throws.
  IsinLookup(const Tensor& test_elements, DType dtype, bool invert);
  /// The same for tensors of another backend than the CPU's.
  IsinLookup(const Tensor& test_elements, DType dtype, bool invert, Backend& backend);

  /// x has that dtype. Any number of threads may call it.
  Tensor operator()(const Tensor& x) const;

 private:
  DType operand_;
  bool invert_;
  std::shared_ptr<const IsinSet> set_;
};

}  // namespace tamis
