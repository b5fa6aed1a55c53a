// Exact reductions, by the states.
#include "autograd/node.h"
#include "expr/expr.h"
#include "ops/exact.h"
#include "ops/partial/part.h"

namespace tamis {

namespace {

/// Where x was, with the gradient of `plain`.
Tensor finished(const Tensor& result, const Tensor& x, const Tensor& plain) {
  const Tensor y = to_backend(result, backend_of(x));
  if (plain.defined() && is_tracked(plain)) {
    record(y, "exact", Flow::pointwise, {plain}, {},
           [](const Tensor& g, std::span<const Tensor>) -> Gradients { return {g}; });
  }
  return y;
}

Tensor on_host(const Tensor& x) { return x.defined() ? to_host(x.detach()) : x; }

}  // namespace

Tensor exact_sum(const Tensor& x, const Tensor& mask, const Dims& dims, bool keepdim,
                 const Tensor& plain) {
  const partial::Sum state(on_host(x), on_host(mask), {.dims = dims, .keepdim = keepdim});
  return finished(state.finish(), x, plain);
}

Tensor exact_mean(const Tensor& x, const Tensor& mask, const Dims& dims, bool keepdim, DType dtype,
                  const Tensor& plain) {
  const partial::Part part{.dims = dims, .keepdim = keepdim};
  return finished(partial::mean_alone(on_host(x), on_host(mask), part, dtype), x, plain);
}

Tensor exact_spread(const Tensor& x, const Tensor& mask, const Dims& dims, double correction,
                    bool keepdim, bool root, DType dtype, const Tensor& plain) {
  const partial::Moments state(on_host(x), on_host(mask), {.dims = dims, .keepdim = keepdim});
  return finished(root ? state.std(correction, dtype) : state.var(correction, dtype), x, plain);
}

}  // namespace tamis
