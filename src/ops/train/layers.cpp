// Layers: rows of a table by number, and elements that are left out at random.
#include "core/check.h"
#include "ops/pointwise/pointwise.h"
#include "ops/row.h"
#include "tamis/tamis.h"

namespace tamis {

Tensor embedding(const Tensor& x, const Tensor& weight, std::optional<int64_t> padding_idx) {
  check(weight.dim() == 2, ErrorKind::shape, "'weight' must be 2-D");
  check(x.dtype() == DType::int64 || x.dtype() == DType::int32, ErrorKind::dtype,
        "Expected tensor for argument #1 'indices' to have one of the following scalar types: "
        "Long, Int; but got {} instead (while checking arguments for embedding)",
        scalar_type_name(x.dtype()));
  const int64_t rows = weight.size(0);
  check(!padding_idx || (*padding_idx >= -rows && *padding_idx < rows), ErrorKind::value,
        "Padding_idx must be within num_embeddings");
  Shape shape = x.shape();
  shape.push_back(weight.size(1));
  const Tensor found = index_select(weight, 0, x.flatten()).view(shape);
  if (!padding_idx || !found.requires_grad()) return found;
  const int64_t padding = *padding_idx < 0 ? *padding_idx + rows : *padding_idx;
  return where((x == padding).unsqueeze(-1), found.detach(), found);
}

Tensor dropout(const Tensor& x, double p, bool training) {
  check(p >= 0 && p <= 1, ErrorKind::value,
        "dropout probability has to be between 0 and 1, but got {}", p);
  check(is_floating_point(x.dtype()) || !training, ErrorKind::dtype,
        "dropout: expected a floating point input, but got {}", scalar_type_name(x.dtype()));
  if (!training || p == 0 || x.numel() == 0) return x;
  const Tensor none = scalar_tensor(0, x.dtype());
  if (p == 1) return where(zeros_like(x, DType::boolean), x, none);
  const Tensor kept = rand(x.shape(), {DType::float32, x.device()}) >= p;
  return where(kept, x * (1 / (1 - p)), none);
}

std::vector<Row> layer_rows() {
  const Tensor table =
      tensor({{0.5f, -2.f, 3.f}, {0.f, 1.5f, -0.25f}, {1.f, 1.f, 4.f}, {2.f, -1.f, 0.f}});
  const Tensor numbers = tensor({{2, 0}, {1, 2}});
  const Value none;
  return {
      make_row("embedding(Tensor input, Tensor weight, int? padding_idx=None) -> Tensor",
               "The rows of weight that the numbers in input name; padding_idx has no gradient.",
               embedding,
               {{numbers, table, none}, {numbers, table, int64_t{-1}}, {tensor(1), table, none}})
          .function_only(),
      make_row("dropout(Tensor input, float p=0.5, bool training=True) -> Tensor",
               "Each element kept with the probability 1 - p and divided by it, else 0; without "
               "training, input.",
               dropout,
               {{table, 0.5, true}, {table, 0.0, true}, {table, 1.0, true}, {table, 0.5, false}})
          .function_only()
          .is_random(),
  };
}

}  // namespace tamis
