// Pieces: views that cut a dimension into parts, and copies that repeat slices or mark classes.
#include <algorithm>

#include "autograd/node.h"
#include "core/check.h"
#include "expr/expr.h"
#include "ops/index/along.h"
#include "ops/row.h"
#include "tamis/tamis.h"

namespace tamis {

namespace {

/// Consecutive views of these sizes.
std::vector<Tensor> cut(const Tensor& x, const Shape& sizes, int64_t dim) {
  std::vector<Tensor> pieces;
  int64_t start = 0;
  for (int64_t size : sizes) {
    pieces.push_back(x.narrow(dim, start, size));
    start += size;
  }
  return pieces;
}

void check_repeats(const Tensor& repeats, int64_t size) {
  check(repeats.dtype() == DType::int64 || repeats.dtype() == DType::int32, ErrorKind::dtype,
        "repeats has to be Long or Int tensor");
  check(repeats.dim() <= 1, ErrorKind::shape, "repeat_interleave only accept 1D vector as repeat");
  const bool has_negative =
      repeats.numel() == 1 ? repeats.item<int64_t>() < 0 : any(repeats < 0).item<bool>();
  check(!has_negative, ErrorKind::value, "repeats can not be negative");
  check(repeats.numel() == size || repeats.numel() == 1, ErrorKind::shape,
        "repeats must have the same size as input along dim, but got repeats.size(0) = {} and "
        "input.size(dim) = {}",
        repeats.numel(), size);
}

/// Every slice along d that many times: one strided copy for each time.
Tensor repeated_few_times(const Tensor& x, int64_t d, int64_t each) {
  Shape shape = x.shape();
  shape.insert(static_cast<size_t>(d + 1), each);
  const Tensor result = allocate(shape, x.dtype(), backend_of(x));
  for (int64_t i = 0; i < each; ++i) store(result.select(d + 1, i), x);
  return result.flatten(d, d + 1);
}

/// Each index below size, as often as repeats says, on the device of this backend.
Tensor repeated_indices(const Tensor& repeats, int64_t size, Backend& backend) {
  if (repeats.numel() == 1) {
    const int64_t each = repeats.item<int64_t>();
    return to_backend(arange(size), backend).unsqueeze(1).expand({size, each}).reshape({-1});
  }
  const Tensor ends = cumsum(repeats.reshape({-1}), 0, DType::int64);
  const int64_t total = size == 0 ? 0 : ends[-1].item<int64_t>();
  return searchsorted(ends, to_backend(arange(total), backend), false, true);
}

/// A row by col mask of what is on and below a diagonal.
Tensor triangle(int64_t row, int64_t col, int64_t diagonal) {
  check(row >= 0, ErrorKind::value, "row must be non-negative, got {}", row);
  check(col >= 0, ErrorKind::value, "col must be non-negative, got {}", col);
  return masks::causal(row, col, diagonal);
}

Tensor coordinates_of(const Tensor& mask, DType dtype) {
  return stack(nonzero_tuple(mask)).to(dtype);
}

}  // namespace

std::vector<Tensor> split(const Tensor& x, int64_t split_size, int64_t dim) {
  check(x.dim() > 0, ErrorKind::shape, "split expects at least a 1-dimensional tensor");
  const int64_t d = wrap_dim(dim, x.dim()), size = x.shape()[d];
  check(split_size >= 0, ErrorKind::value,
        "split expects split_size be non-negative, but got split_size={}", split_size);
  check(split_size > 0 || size == 0, ErrorKind::value,
        "split_size can only be 0 if dimension size is 0, but got dimension size of {}", size);
  Shape sizes;
  for (int64_t start = 0; start < size || sizes.empty(); start += split_size) {
    sizes.push_back(std::min(split_size, size - start));
  }
  return cut(x, sizes, d);
}

std::vector<Tensor> split_with_sizes(const Tensor& x, const Shape& split_sizes, int64_t dim) {
  check(x.dim() > 0, ErrorKind::shape, "split expects at least a 1-dimensional tensor");
  const int64_t d = wrap_dim(dim, x.dim()), size = x.shape()[d];
  int64_t left = size;  // counted down, so that huge sizes do not overflow
  for (int64_t piece : split_sizes) {
    check(piece >= 0, ErrorKind::value,
          "split_with_sizes expects split_sizes have only non-negative entries, but got "
          "split_sizes={}",
          split_sizes);
    left = piece <= left ? left - piece : -1;
    if (left < 0) break;
  }
  check(left == 0, ErrorKind::shape,
        "split_with_sizes expects split_sizes to sum exactly to {} (input tensor's size at "
        "dimension {}), but got split_sizes={}",
        size, dim, split_sizes);
  return cut(x, split_sizes, d);
}

std::vector<Tensor> chunk(const Tensor& x, int64_t chunks, int64_t dim) {
  check(x.dim() > 0, ErrorKind::shape, "chunk expects at least a 1-dimensional tensor");
  check(chunks > 0, ErrorKind::value, "chunk expects `chunks` to be greater than 0, got: {}",
        chunks);
  const int64_t d = wrap_dim(dim, x.dim()), size = x.shape()[d];
  // An empty dimension gives as many pieces as requested.
  if (size == 0) return cut(x, Shape(static_cast<size_t>(chunks), 0), d);
  return split(x, (size - 1) / chunks + 1, d);
}

std::vector<Tensor> unbind(const Tensor& x, int64_t dim) {
  const int64_t d = wrap_dim(dim, x.dim());
  check(x.dim() > 0, ErrorKind::index, "Dimension specified as {} but tensor has no dimensions",
        dim);
  std::vector<Tensor> slices;
  for (int64_t i = 0; i < x.shape()[d]; ++i) slices.push_back(x.select(d, i));
  return slices;
}

Tensor movedim(const Tensor& x, const Shape& source, const Shape& destination) {
  check(source.size() == destination.size(), ErrorKind::shape,
        "movedim: Invalid source or destination dims: source ({} dims) should contain the same "
        "number of dims as destination ({} dims)",
        source, destination);
  constexpr int64_t kFree = -1;
  Shape order(static_cast<size_t>(x.dim()), kFree), moved(static_cast<size_t>(x.dim()), 0);
  for (size_t i = 0; i < source.size(); ++i) {
    const int64_t from = wrap_dim(source[i], x.dim()), to = wrap_dim(destination[i], x.dim());
    if (x.dim() == 0) continue;
    check(moved[from] == 0, ErrorKind::value, "movedim: repeated dim in `source` ({})", source);
    check(order[to] == kFree, ErrorKind::value, "movedim: repeated dim in `destination` ({})",
          destination);
    moved[from] = 1;
    order[to] = from;
  }
  int64_t next = 0;
  for (int64_t& from : order) {
    if (from != kFree) continue;
    while (moved[next] != 0) ++next;
    from = next++;
  }
  return x.permute(order);
}

Tensor unflatten(const Tensor& x, int64_t dim, const Shape& sizes) {
  const int64_t d = wrap_dim(dim, x.dim());
  check(!sizes.empty(), ErrorKind::value, "unflatten: sizes must be non-empty");
  check(x.dim() > 0, ErrorKind::shape, "unflatten: expected a tensor with dimensions");
  const int64_t size = x.shape()[d];
  int64_t known = 1;
  const bool infers = std::count(sizes.begin(), sizes.end(), -1) == 1;
  for (int64_t s : sizes) {
    if (infers && s == -1) continue;
    check(s >= 0 && !__builtin_mul_overflow(known, s, &known), ErrorKind::shape,
          "unflatten: Provided sizes {} don't multiply up to the size of dim {} ({}) in the input "
          "tensor",
          sizes, d, size);
  }
  const bool fits = infers ? known != 0 && size % known == 0 : size == known;
  check(fits, ErrorKind::shape,
        "unflatten: Provided sizes {} don't multiply up to the size of dim {} ({}) in the input "
        "tensor",
        sizes, d, size);
  Shape shape;
  for (int64_t i = 0; i < d; ++i) shape.push_back(x.shape()[i]);
  for (int64_t s : sizes) shape.push_back(s == -1 ? size / known : s);
  for (int64_t i = d + 1; i < x.dim(); ++i) shape.push_back(x.shape()[i]);
  return x.view(shape);
}

Tensor ravel(const Tensor& x) { return x.contiguous().view({-1}); }

std::vector<Tensor> meshgrid(const std::vector<Tensor>& tensors, const std::string& indexing) {
  check(!tensors.empty(), ErrorKind::value, "meshgrid expects a non-empty TensorList");
  check(indexing == "ij" || indexing == "xy", ErrorKind::value,
        "torch.meshgrid: indexing must be one of \"xy\" or \"ij\", but received: {}", indexing);
  const int64_t rank = static_cast<int64_t>(tensors.size());
  const bool swaps = indexing == "xy" && rank > 1;
  Shape shape;
  for (const Tensor& x : tensors) {
    check(x.dim() <= 1, ErrorKind::shape,
          "torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: {}", x.shape());
    shape.push_back(x.numel());
  }
  if (swaps) std::swap(shape[0], shape[1]);
  std::vector<Tensor> grids;
  for (int64_t i = 0; i < rank; ++i) {
    const int64_t along = swaps && i < 2 ? 1 - i : i;
    Shape one(static_cast<size_t>(rank), 1);
    one[along] = tensors[i].numel();
    grids.push_back(tensors[i].reshape(one).expand(shape));
  }
  return grids;
}

Tensor tile(const Tensor& x, const Shape& dims) {
  Shape repeats = dims;
  while (static_cast<int64_t>(repeats.size()) < x.dim()) repeats.insert(0, 1);
  return x.repeat(repeats);
}

Tensor repeat_interleave(const Tensor& x, const Tensor& repeats, std::optional<int64_t> dim) {
  check(!dim || x.dim() > 0, ErrorKind::index,
        "Dimension specified as {} but tensor has no dimensions", dim.value_or(0));
  const Tensor from = dim ? x : x.reshape({-1});
  const int64_t d = wrap_dim(dim.value_or(0), from.dim());
  Backend& backend = common_backend({x, repeats});
  check_repeats(repeats, from.shape()[d]);
  constexpr int64_t kFewTimes = 8;
  if (repeats.numel() == 1 && repeats.item<int64_t>() <= kFewTimes && !is_tracked(x)) {
    return repeated_few_times(from, d, repeats.item<int64_t>());
  }
  return index_select(from, d, repeated_indices(repeats, from.shape()[d], backend));
}

Tensor hstack(const std::vector<Tensor>& tensors) {
  check(!tensors.empty(), ErrorKind::value, "hstack expects a non-empty TensorList");
  std::vector<Tensor> parts;
  for (const Tensor& x : tensors) parts.push_back(at_least_1d(x));
  return cat(parts, parts[0].dim() == 1 ? 0 : 1);
}

Tensor vstack(const std::vector<Tensor>& tensors) {
  check(!tensors.empty(), ErrorKind::value, "vstack expects a non-empty TensorList");
  std::vector<Tensor> parts;
  for (const Tensor& x : tensors) parts.push_back(x.dim() < 2 ? x.reshape({1, -1}) : x);
  return cat(parts, 0);
}

Tensor diag(const Tensor& x, int64_t diagonal) {
  check(x.dim() == 1 || x.dim() == 2, ErrorKind::shape, "matrix or a vector expected");
  return x.dim() == 1 ? diag_embed(x, diagonal) : x.diagonal(diagonal).clone();
}

Tensor one_hot(const Tensor& x, int64_t num_classes) {
  check(x.dtype() == DType::int64, ErrorKind::dtype, "one_hot is only applicable to index tensor.");
  if (x.numel() == 0) {
    check(num_classes > 0, ErrorKind::value,
          "Can not infer total number of classes from empty tensor.");
  } else {
    const auto [least, most] = aminmax(x);
    check(least.item<int64_t>() >= 0, ErrorKind::value, "Class values must be non-negative.");
    if (num_classes == -1) num_classes = most.item<int64_t>() + 1;
    check(num_classes > most.item<int64_t>(), ErrorKind::value,
          "Class values must be smaller than num_classes.");
  }
  return (x.unsqueeze(-1) == to_backend(arange(num_classes), backend_of(x))).to(DType::int64);
}

Tensor tril_indices(int64_t row, int64_t col, int64_t offset, DType dtype) {
  return coordinates_of(triangle(row, col, offset), dtype);
}

Tensor triu_indices(int64_t row, int64_t col, int64_t offset, DType dtype) {
  return coordinates_of(~triangle(row, col, offset - 1), dtype);
}

std::vector<Row> piece_rows() {
  const auto cube = [] { return arange(24, DType::float32).reshape({2, 3, 4}); };
  const auto grid = [] { return arange(6).reshape({2, 3}); };
  const auto bits = [] { return tensor({{true, false, true}, {false, false, true}}); };
  const auto n = [](int64_t v) { return Value(v); };
  const auto sizes = [](std::initializer_list<int64_t> v) { return Value(Shape(v)); };
  const auto list = [](std::vector<Tensor> v) { return Value(std::move(v)); };
  const Value none, ij = std::string("ij"), xy = std::string("xy");
  const Tensor line = SAMPLE(arange(3, DType::float32));
  return {
      make_row("split(Tensor input, int split_size_or_sections, int dim=0) -> Tensor[]",
               "Views of one size, if that is a number; the last may be smaller.", split,
               SAMPLES({cube(), n(3), n(-1)}, {grid(), n(1), n(0)}, {bits(), n(9), n(1)})),
      make_row("split(Tensor input, int[] split_size_or_sections, int dim=0) -> Tensor[]",
               "Consecutive views of these sizes.", split_with_sizes,
               SAMPLES({cube(), sizes({1, 0, 3}), n(2)}, {bits(), sizes({2}), n(0)})),
      make_row("split_with_sizes(Tensor input, int[] split_sizes, int dim=0) -> Tensor[]",
               "Consecutive views of these sizes.", split_with_sizes,
               SAMPLES({cube(), sizes({1, 0, 3}), n(2)}, {bits(), sizes({2}), n(0)})),
      make_row("chunk(Tensor input, int chunks, int dim=0) -> Tensor[]",
               "At most that many views of equal size; the last may be smaller.", chunk,
               SAMPLES({cube(), n(3), n(2)}, {grid(), n(5), n(0)})),
      make_row("unbind(Tensor input, int dim=0) -> Tensor[]",
               "A view of each slice along a dimension, without that dimension.", unbind,
               SAMPLES({cube(), n(1)}, {bits(), n(0)})),
      make_row("movedim(Tensor input, int[] source, int[] destination) -> Tensor",
               "A view with some dimensions moved to other positions.", movedim,
               SAMPLES({cube(), sizes({0}), sizes({-1})}, {cube(), sizes({2, 0}), sizes({0, 1})}))
          .is_view()
          .also({"moveaxis"}),
      make_row("unflatten(Tensor input, int dim, int[] sizes) -> Tensor",
               "A view with one dimension as several; one size may be -1.", unflatten,
               SAMPLES({cube(), n(2), sizes({2, -1})}, {grid(), n(-1), sizes({3, 1})}))
          .is_view(),
      make_row("ravel(Tensor input) -> Tensor",
               "The elements as 1-d: a view if input is row-major, else a copy.", ravel,
               SAMPLES({cube()}, {cube().transpose(0, 2)}, {bits()}, {tensor(2)}))
          .is_view(View::if_contiguous),
      make_row("meshgrid(Tensor[] tensors, *, str indexing='ij') -> Tensor[]",
               "1-d tensors expanded to the grid that they span.", meshgrid,
               SAMPLES({list({line, arange(2)}), ij}, {list({arange(2), line, line}), xy}))
          .is_variadic(),
      make_row("tile(Tensor input, int[] dims) -> Tensor",
               "A copy that holds the elements several times along the last dimensions.", tile,
               SAMPLES({cube(), sizes({2})}, {grid(), sizes({2, 1, 3})}, {bits(), sizes({})})),
      make_row(
          "repeat_interleave(Tensor input, Tensor|Scalar|int[] repeats, int? dim=None) -> Tensor",
          "Each slice along a dimension repeated several times.", repeat_interleave,
          SAMPLES({cube(), Tensor(2), none}, {cube(), tensor({2, 0, 1}), n(1)},
                  {bits(), tensor({3}), n(-1)})),
      make_row("hstack(Tensor[] tensors) -> Tensor",
               "Joins along dimension 1, or 0 if the tensors are 1-d.", hstack,
               SAMPLES({list({grid(), grid()})}, {list({line, line})}, {list({cube(), cube()})}))
          .with_out(),
      make_row("vstack(Tensor[] tensors) -> Tensor",
               "Joins along dimension 0; 1-d tensors are rows.", vstack,
               SAMPLES({list({grid(), arange(3)})}, {list({line, line})}, {list({cube(), cube()})}))
          .also({"row_stack"})
          .with_out(),
      make_row("diag(Tensor input, int diagonal=0) -> Tensor",
               "A matrix with input on a diagonal; of a matrix, a copy of its diagonal.", diag,
               SAMPLES({line, n(0)}, {line, n(-1)}, {cube()[0], n(1)}, {bits(), n(0)}))
          .with_out(),
      make_row("one_hot(Tensor input, int num_classes=-1) -> Tensor",
               "A new last dimension with 1 at the index that each element gives, 0 elsewhere.",
               one_hot, SAMPLES({grid(), n(-1)}, {tensor({2, 0}), n(4)}, {tensor(1), n(2)}))
          .function_only(),
      make_row("tril_indices(int row, int col, int offset=0, *, dtype dtype=int64) -> Tensor",
               "The coordinates of a matrix on and below a diagonal, [2, n].", tril_indices,
               SAMPLES({n(3), n(3), n(0), DType::int64}, {n(2), n(4), n(1), DType::int32}))
          .is_creation(),
      make_row("triu_indices(int row, int col, int offset=0, *, dtype dtype=int64) -> Tensor",
               "The coordinates of a matrix on and above a diagonal, [2, n].", triu_indices,
               SAMPLES({n(3), n(3), n(0), DType::int64}, {n(4), n(2), n(-1), DType::int32}))
          .is_creation(),
  };
}

}  // namespace tamis
