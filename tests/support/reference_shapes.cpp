// Reference: views and joins.
#include "support/reference.h"

namespace tamis::reference {

namespace {

// ---- views --------------------------------------------------------------------------------------

/// x's elements in another shape.
Arg reshape(const Array& x, Shape shape) {
  int64_t known = 1, unknown = -1;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == -1) {
      require(unknown < 0, ErrorKind::shape);
      unknown = static_cast<int64_t>(d);
    } else {
      known *= shape[d];
    }
  }
  const auto n = static_cast<int64_t>(x.cells.size());
  if (unknown >= 0) {
    require(known != 0 && n % known == 0, ErrorKind::shape);
    shape[unknown] = n / known;
  }
  require(count_of(shape) == n, ErrorKind::shape);
  return Array{x.dtype, shape, x.cells, false};
}

/// Element `at` of the result is the element of x at the coordinates that source(at) gives.
template <class F>
Array pick(const Array& x, const Shape& shape, F source) {
  Array result{x.dtype, shape, {}, false};
  for (int64_t i = 0; i < count_of(shape); ++i) {
    result.cells.push_back(x.cells[number_of(source(coordinates_of(i, shape)), x.shape)]);
  }
  return result;
}

Arg flatten(const Args& args) {
  const Array& x = array_of(args, 0);
  const auto rank = static_cast<int64_t>(x.shape.size());
  const int64_t first = wrap(int_of(args, 1), rank), last = wrap(int_of(args, 2), rank);
  require(first <= last, ErrorKind::value);
  if (rank == 0) return reshape(x, {1});
  Shape shape;
  for (int64_t d = 0; d < rank; ++d) {
    if (d > first && d <= last) {
      shape.back() *= x.shape[d];
    } else {
      shape.push_back(x.shape[d]);
    }
  }
  return reshape(x, shape);
}

Array permute(const Array& x, const Shape& dims) {
  require(dims.size() == x.shape.size(), ErrorKind::shape);
  Shape order, shape;
  for (int64_t d : dims) {
    order.push_back(wrap(d, static_cast<int64_t>(dims.size())));
    shape.push_back(x.shape[order.back()]);
  }
  return pick(x, shape, [&](const Shape& at) {
    Shape source = at;
    for (size_t d = 0; d < order.size(); ++d) source[order[d]] = at[d];
    return source;
  });
}

Arg transpose(const Array& x, int64_t a, int64_t b) {
  const auto rank = static_cast<int64_t>(x.shape.size());
  Shape dims;
  for (int64_t d = 0; d < rank; ++d) dims.push_back(d);
  a = wrap(a, rank);
  b = wrap(b, rank);
  if (rank > 0) std::swap(dims[a], dims[b]);
  return permute(x, dims);
}

Arg unsqueeze(const Args& args) {
  Shape shape = array_of(args, 0).shape;
  shape.insert(wrap(int_of(args, 1), static_cast<int64_t>(shape.size()) + 1), 1);
  return reshape(array_of(args, 0), shape);
}

Arg squeeze(const Args& args) {
  const Shape& from = array_of(args, 0).shape;
  Shape shape;
  for (size_t d = 0; d < from.size(); ++d) {
    const bool asked =
        !given(args, 1) ||
        wrap(int_of(args, 1), static_cast<int64_t>(from.size())) == static_cast<int64_t>(d);
    if (from[d] != 1 || !asked) shape.push_back(from[d]);
  }
  return reshape(array_of(args, 0), shape);
}

Array narrow(const Array& x, int64_t dim, int64_t start, int64_t length) {
  const int64_t d = wrap(dim, static_cast<int64_t>(x.shape.size()));
  if (start < 0) start += x.shape[d];
  Shape shape = x.shape;
  shape[d] = length;
  return pick(x, shape, [&](Shape at) {
    at[d] += start;
    return at;
  });
}

Arg select(const Args& args) {
  const Array& x = array_of(args, 0);
  const int64_t d = wrap(int_of(args, 1), static_cast<int64_t>(x.shape.size()));
  Shape shape = x.shape;
  shape.erase(d);
  return reshape(narrow(x, d, int_of(args, 2), 1), shape);
}

Arg broadcast_to(const Array& x, Shape shape) {
  const size_t lead = shape.size() - x.shape.size();
  for (size_t d = lead; d < shape.size(); ++d) {
    if (shape[d] == -1) shape[d] = x.shape[d - lead];
  }
  return stretch(x, shape);
}

// ---- joins --------------------------------------------------------------------------------------

Arg cat(const std::vector<Array>& all, int64_t dim) {
  std::vector<const Array*> parts;
  DType dtype = all[0].dtype;
  for (const Array& x : all) {
    dtype = promote(dtype, x.dtype);
    if (!(x.shape == Shape{0})) parts.push_back(&x);
  }
  Shape shape = parts[0]->shape;
  const int64_t d = wrap(dim, static_cast<int64_t>(shape.size()));
  shape[d] = 0;
  for (const Array* x : parts) shape[d] += x->shape[d];
  Array result{dtype, shape, {}, false};
  for (int64_t i = 0; i < count_of(shape); ++i) {
    Shape at = coordinates_of(i, shape);
    size_t part = 0;
    for (; at[d] >= parts[part]->shape[d]; ++part) at[d] -= parts[part]->shape[d];
    const Array& x = *parts[part];
    result.cells.push_back(convert(x.cells[number_of(at, x.shape)], x.dtype, dtype));
  }
  return result;
}

Arg stack(const std::vector<Array>& all, int64_t dim) {
  std::vector<Array> parts;
  for (const Array& x : all) {
    parts.push_back(std::get<Array>(unsqueeze({x, dim})));
  }
  return cat(parts, dim);
}

}  // namespace

void add_shapes(Table& t) {
  t["reshape"] = {[](const Args& a) { return reshape(array_of(a, 0), std::get<Shape>(a[1])); }};
  t["flatten"] = {flatten};
  t["transpose"] = {
      [](const Args& a) { return transpose(array_of(a, 0), int_of(a, 1), int_of(a, 2)); }};
  t["t"] = {[](const Args& a) -> Arg {
    const Array& x = array_of(a, 0);
    require(x.shape.size() <= 2, ErrorKind::shape);
    return x.shape.size() == 2 ? transpose(x, 0, 1) : Arg(x);
  }};
  t["permute"] = {
      [](const Args& a) -> Arg { return permute(array_of(a, 0), std::get<Shape>(a[1])); }};
  t["unsqueeze"] = {unsqueeze};
  t["squeeze"] = {squeeze};
  t["narrow"] = {[](const Args& a) -> Arg {
    return narrow(array_of(a, 0), int_of(a, 1), int_of(a, 2), int_of(a, 3));
  }};
  t["select"] = {select};
  t["clone"] = {[](const Args& a) -> Arg { return array_of(a, 0); }};
  t["to"] = {[](const Args& a) -> Arg { return cast(array_of(a, 0), std::get<DType>(a[1])); }};
  t["broadcast_to"] = {
      [](const Args& a) { return broadcast_to(array_of(a, 0), std::get<Shape>(a[1])); }};
  t["broadcast_tensors"] = {[](const Args& a) -> Arg {
    const auto& all = std::get<std::vector<Array>>(a[0]);
    Shape shape;
    for (const Array& x : all) shape = broadcast(shape, x.shape);
    std::vector<Array> result;
    for (const Array& x : all) result.push_back(stretch(x, shape));
    return result;
  }};
  t["cat"] = {[](const Args& a) { return cat(std::get<std::vector<Array>>(a[0]), int_of(a, 1)); }};
  t["stack"] = {
      [](const Args& a) { return stack(std::get<std::vector<Array>>(a[0]), int_of(a, 1)); }};
}

}  // namespace tamis::reference
