// Reference: masking, mask builders, reductions and order.
#include <algorithm>
#include <cmath>
#include <limits>

#include "support/reference.h"

namespace tamis::reference {

namespace {

void require_mask(const Array& mask) { require(mask.dtype == DType::boolean, ErrorKind::dtype); }

Array mask_of(const Shape& shape) {
  return {DType::boolean, shape, std::vector<Cell>(count_of(shape)), false};
}

// ---- masking ------------------------------------------------------------------------------------

Arg masked_select(const Args& args) {
  require_mask(array_of(args, 1));
  const Shape shape = broadcast(array_of(args, 0).shape, array_of(args, 1).shape);
  const Array x = stretch(array_of(args, 0), shape), mask = stretch(array_of(args, 1), shape);
  Array result{x.dtype, {0}, {}, false};
  for (size_t i = 0; i < x.cells.size(); ++i) {
    if (truth(mask, i)) result.cells.push_back(x.cells[i]);
  }
  result.shape[0] = static_cast<int64_t>(result.cells.size());
  return result;
}

Array nonzero(const Array& x) {
  Array result{DType::int64, {0, static_cast<int64_t>(x.shape.size())}, {}, false};
  for (size_t i = 0; i < x.cells.size(); ++i) {
    if (!truth(x, i)) continue;
    ++result.shape[0];
    for (int64_t c : coordinates_of(static_cast<int64_t>(i), x.shape))
      result.cells.push_back({0, c});
  }
  return result;
}

Arg nonzero_tuple(const Args& args) {
  Array x = array_of(args, 0);
  if (x.shape.empty()) x.shape = {1};
  const Array rows = nonzero(x);
  std::vector<Array> columns;
  for (int64_t d = 0; d < rows.shape[1]; ++d) {
    Array column{DType::int64, {rows.shape[0]}, {}, false};
    for (int64_t r = 0; r < rows.shape[0]; ++r)
      column.cells.push_back(rows.cells[r * rows.shape[1] + d]);
    columns.push_back(column);
  }
  return columns;
}

Arg masked_fill(const Args& args) {
  const Array &mask = array_of(args, 1), &value = array_of(args, 2);
  require_mask(mask);
  require(value.shape.empty(), ErrorKind::shape);
  const Shape shape = broadcast(array_of(args, 0).shape, mask.shape);
  Array x = stretch(array_of(args, 0), shape);
  require(holds(x.dtype, value.cells[0], value.dtype), ErrorKind::value);
  const std::vector<int64_t> from = spread(mask.shape, shape);
  for (size_t i = 0; i < x.cells.size(); ++i) {
    if (truth(mask, from[i])) x.cells[i] = convert(value.cells[0], value.dtype, x.dtype);
  }
  x.is_number = false;
  return x;
}

Arg masked_scatter(const Args& args) {
  const Array &mask = array_of(args, 1), &source = array_of(args, 2);
  require(array_of(args, 0).dtype == source.dtype, ErrorKind::dtype);
  require_mask(mask);
  const Shape shape = broadcast(array_of(args, 0).shape, mask.shape);
  Array x = stretch(array_of(args, 0), shape);
  const std::vector<int64_t> from = spread(mask.shape, shape);
  size_t taken = 0;
  for (size_t i = 0; i < x.cells.size(); ++i) {
    if (!truth(mask, from[i])) continue;
    require(taken < source.cells.size(), ErrorKind::value);
    x.cells[i] = source.cells[taken++];
  }
  return x;
}

Arg where(const Args& args) {
  const Array &condition = array_of(args, 0), &a = array_of(args, 1), &b = array_of(args, 2);
  require_mask(condition);
  const DType dtype = result_type({&a, &b});
  const Shape shape = broadcast(condition.shape, broadcast(a.shape, b.shape));
  const Array mask = stretch(condition, shape), x = stretch(cast(a, dtype), shape);
  Array result = stretch(cast(b, dtype), shape);
  for (size_t i = 0; i < result.cells.size(); ++i) {
    if (truth(mask, i)) result.cells[i] = x.cells[i];
  }
  return result;
}

/// Whether two numbers are equal, whatever their dtypes.
bool equal_numbers(Cell a, bool real_a, Cell b, bool real_b) {
  if (real_a && real_b) return a.f == b.f;
  if (!real_a && !real_b) return a.i == b.i;
  const double f = real_a ? a.f : b.f;
  const int64_t i = real_a ? b.i : a.i;
  return f >= -0x1p63 && f < 0x1p63 && f == std::trunc(f) && static_cast<int64_t>(f) == i;
}

Array isin(const Array& x, const Array& test, bool invert) {
  Array result = mask_of(x.shape);
  for (size_t i = 0; i < x.cells.size(); ++i) {
    bool found = false;
    for (const Cell& c : test.cells) {
      found = found || equal_numbers(x.cells[i], is_real(x.dtype), c, is_real(test.dtype));
    }
    result.cells[i].i = found != invert;
  }
  return result;
}

Arg token_ids(const Args& args, bool invert) {
  Array ids{DType::int64, {}, {}, false};
  for (int64_t id : std::get<Shape>(args[1])) ids.cells.push_back({0, id});
  return isin(array_of(args, 0), ids, invert);
}

// ---- mask builders ------------------------------------------------------------------------------

void require_integers(const Array& x) {
  require(!is_real(x.dtype) && x.dtype != DType::boolean, ErrorKind::dtype);
}

Arg from_lengths(const Args& args) {
  const Array& lengths = array_of(args, 0);
  require_integers(lengths);
  int64_t cols = 0;
  for (const Cell& c : lengths.cells) cols = std::max(cols, c.i);
  if (given(args, 1)) cols = int_of(args, 1);
  for (const Cell& c : lengths.cells) require(c.i >= 0 && c.i <= cols, ErrorKind::value);
  Shape shape = lengths.shape;
  shape.push_back(cols);
  Array result = mask_of(shape);
  for (int64_t i = 0; i < count_of(shape); ++i)
    result.cells[i].i = i % cols < lengths.cells[i / cols].i;
  return result;
}

Arg from_indices(const Args& args) {
  const Shape& shape = std::get<Shape>(args[0]);
  const Array& indices = array_of(args, 1);
  const bool value = std::get<bool>(args[2]);
  require_integers(indices);
  Array result = mask_of(shape);
  for (Cell& c : result.cells) c.i = !value;
  const size_t width = indices.shape.size() == 2 ? static_cast<size_t>(indices.shape[1]) : 1;
  for (size_t k = 0; k < indices.cells.size(); k += width) {
    Shape at, sizes = width == 1 ? Shape{count_of(shape)} : shape;
    for (size_t d = 0; d < width; ++d) {
      const int64_t index = indices.cells[k + d].i;
      require(index >= -sizes[d] && index < sizes[d], ErrorKind::index);
      at.push_back(index < 0 ? index + sizes[d] : index);
    }
    result.cells[number_of(at, sizes)].i = value;
  }
  return result;
}

/// True where keep(row, column).
template <class F>
Arg matrix_mask(int64_t n, int64_t m, F keep) {
  Array result = mask_of({n, m});
  for (int64_t i = 0; i < n * m; ++i) result.cells[i].i = keep(i / m, i % m);
  return result;
}

Arg documents(const Args& args) {
  const Array& ids = array_of(args, 0);
  require_integers(ids);
  require(ids.shape.size() == 1, ErrorKind::shape);
  return matrix_mask(ids.shape[0], ids.shape[0],
                     [&](int64_t i, int64_t j) { return ids.cells[i].i == ids.cells[j].i; });
}

/// Which bit of its byte element i is.
int bit_of(int64_t i, const Arg& order) {
  const auto low = static_cast<int>(i % 8);
  return std::get<std::string>(order) == "little" ? low : 7 - low;
}

Arg from_bits(const Args& args) {
  const Array& bits = array_of(args, 0);
  require(bits.dtype == DType::uint8, ErrorKind::dtype);
  const auto most = static_cast<int64_t>(8 * bits.cells.size());
  const int64_t n = given(args, 1) ? int_of(args, 1) : most;
  require(n >= 0 && n <= most, ErrorKind::value);
  Array result = mask_of({n});
  for (int64_t i = 0; i < n; ++i) {
    result.cells[i].i = bits.cells[i / 8].i >> bit_of(i, args[2]) & 1;
  }
  return result;
}

Arg to_bits(const Args& args) {
  const Array& mask = array_of(args, 0);
  require(mask.dtype == DType::boolean, ErrorKind::dtype);
  const auto n = static_cast<int64_t>(mask.cells.size());
  Array result{DType::uint8, {(n + 7) / 8}, {}, false};
  result.cells.resize(static_cast<size_t>((n + 7) / 8));
  for (int64_t i = 0; i < n; ++i) {
    if (mask.cells[i].i) result.cells[i / 8].i |= int64_t{1} << bit_of(i, args[1]);
  }
  return result;
}

// ---- reductions ---------------------------------------------------------------------------------

Shape dims_of(const Args& args, size_t i) {
  if (!given(args, i)) return {};
  if (const auto* one = std::get_if<int64_t>(&args[i])) return {*one};
  return std::get<Shape>(args[i]);
}

/// reduce(elements) for each group of elements that differ only in dims (all dimensions if there
/// are none).
template <class F>
Array fold(const Array& x, const Shape& given_dims, bool keepdim, DType result, F reduce) {
  const auto rank = static_cast<int64_t>(x.shape.size());
  std::vector<bool> reduced(static_cast<size_t>(rank), given_dims.empty());
  for (int64_t d : given_dims) {
    if (rank > 0) reduced[wrap(d, rank)] = true;
  }
  Shape kept = x.shape, shape;
  for (int64_t d = 0; d < rank; ++d) {
    if (reduced[d]) kept[d] = 1;
    if (!reduced[d] || keepdim) shape.push_back(kept[d]);
  }
  std::vector<std::vector<Cell>> groups(static_cast<size_t>(count_of(kept)));
  for (size_t i = 0; i < x.cells.size(); ++i) {
    Shape at = coordinates_of(static_cast<int64_t>(i), x.shape);
    for (int64_t d = 0; d < rank; ++d) {
      if (reduced[d]) at[d] = 0;
    }
    groups[number_of(at, kept)].push_back(x.cells[i]);
  }
  Array out{result, shape, {}, false};
  for (const auto& group : groups) out.cells.push_back(reduce(group));
  return out;
}

Arg accumulate(const Args& args, bool product) {
  const Array& x = array_of(args, 0);
  const DType dtype = given(args, 3)     ? std::get<DType>(args[3])
                      : is_real(x.dtype) ? x.dtype
                                         : DType::int64;
  return fold(cast(x, dtype), dims_of(args, 1), std::get<bool>(args[2]), dtype,
              [&](const auto& group) {
                double f = product ? 1 : 0;
                uint64_t i = product ? 1 : 0;
                for (const Cell& c : group) {
                  f = product ? f * c.f : f + c.f;
                  i = product ? i * static_cast<uint64_t>(c.i) : i + static_cast<uint64_t>(c.i);
                }
                return is_real(dtype) ? real(f, dtype) : whole(static_cast<int64_t>(i), dtype);
              });
}

Arg mean(const Args& args) {
  const Array& x = array_of(args, 0);
  const DType dtype = given(args, 3) ? std::get<DType>(args[3]) : x.dtype;
  require(is_real(dtype), ErrorKind::dtype);
  return fold(cast(x, dtype), dims_of(args, 1), std::get<bool>(args[2]), dtype,
              [&](const auto& group) {
                double sum = 0;
                for (const Cell& c : group) sum += c.f;
                return real(sum / static_cast<double>(group.size()), dtype);
              });
}

Arg extreme(const Array& x, const Shape& dims, bool keepdim, bool largest) {
  if (x.cells.empty()) {
    require(!dims.empty(), ErrorKind::value);
    for (int64_t d : dims)
      require(x.shape[wrap(d, static_cast<int64_t>(x.shape.size()))] != 0, ErrorKind::index);
  }
  return fold(x, dims, keepdim, x.dtype, [&](const auto& group) {
    Cell best = group[0];
    for (const Cell& c : group) {
      if (is_real(x.dtype)) {
        if (c.f != c.f || (largest ? c.f > best.f : c.f < best.f)) best = c;
        if (best.f != best.f) return best;
      } else if (largest ? c.i > best.i : c.i < best.i) {
        best = c;
      }
    }
    return best;
  });
}

Arg quantify(const Args& args, bool all) {
  const Array& x = array_of(args, 0);
  const DType result = x.dtype == DType::uint8 ? DType::uint8 : DType::boolean;
  return fold(cast(x, DType::boolean), dims_of(args, 1), std::get<bool>(args[2]), result,
              [&](const auto& group) {
                int64_t trues = 0;
                for (const Cell& c : group) trues += c.i;
                return Cell{0, all ? trues == static_cast<int64_t>(group.size()) : trues > 0};
              });
}

Arg count_nonzero(const Args& args) {
  const Array x = cast(array_of(args, 0), DType::boolean);
  return fold(x, dims_of(args, 1), false, DType::int64, [&](const auto& group) {
    int64_t trues = 0;
    for (const Cell& c : group) trues += c.i;
    return Cell{0, trues};
  });
}

Arg kthvalue(const Args& args) {
  const Array& x = array_of(args, 0);
  const int64_t k = int_of(args, 1);
  const bool keepdim = std::get<bool>(args[3]);
  require(x.dtype != DType::boolean, ErrorKind::dtype);
  const auto kth = [&](const std::vector<Cell>& group) {
    require(k >= 1 && k <= static_cast<int64_t>(group.size()), ErrorKind::value);
    std::vector<size_t> order(group.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    // Stable, so that the first of equals comes first; NaN is the largest.
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      if (!is_real(x.dtype)) return group[a].i < group[b].i;
      if (group[b].f != group[b].f) return group[a].f == group[a].f;
      return group[a].f < group[b].f;
    });
    // The smallest index among those that are equal to the k-th.
    size_t index = order[k - 1];
    for (size_t i = group.size(); i-- > 0;) {
      const bool same =
          is_real(x.dtype) ? group[i].f == group[index].f : group[i].i == group[index].i;
      if (same) index = i;
    }
    return index;
  };
  const Shape dim{int_of(args, 2)};
  const Array values =
      fold(x, dim, keepdim, x.dtype, [&](const auto& group) { return group[kth(group)]; });
  const Array indices = fold(x, dim, keepdim, DType::int64, [&](const auto& group) {
    return Cell{0, static_cast<int64_t>(kth(group))};
  });
  return std::vector<Array>{values, indices};
}

}  // namespace

void add_masking(Table& t) {
  t["masked_select"] = {masked_select};
  t["nonzero"] = {[](const Args& a) -> Arg { return nonzero(array_of(a, 0)); }};
  t["argwhere"] = t["nonzero"];
  t["nonzero_tuple"] = {nonzero_tuple};
  t["masked_fill"] = {masked_fill};
  t["masked_scatter"] = {masked_scatter};
  t["where"] = {where, 0, true};
  t["isin"] = {[](const Args& a) -> Arg {
    return isin(array_of(a, 0), array_of(a, 1), std::get<bool>(a[2]));
  }};
  t["masks.keep_token_ids"] = {[](const Args& a) { return token_ids(a, false); }};
  t["masks.drop_token_ids"] = {[](const Args& a) { return token_ids(a, true); }};
  t["count"] = {[](const Args& a) -> Arg {
    require_mask(array_of(a, 0));
    return nonzero(array_of(a, 0)).shape[0];
  }};
  t["masks.from_lengths"] = {from_lengths};
  t["masks.from_indices"] = {from_indices};
  t["masks.causal"] = {[](const Args& a) {
    return matrix_mask(int_of(a, 0), given(a, 1) ? int_of(a, 1) : int_of(a, 0),
                       [&](int64_t i, int64_t j) { return j <= i + int_of(a, 2); });
  }};
  t["masks.band"] = {[](const Args& a) {
    return matrix_mask(int_of(a, 0), int_of(a, 1), [&](int64_t i, int64_t j) {
      return -int_of(a, 2) <= j - i && j - i <= int_of(a, 3);
    });
  }};
  t["masks.sliding_window"] = {[](const Args& a) {
    const int64_t window = int_of(a, 1);
    const bool causal = std::get<bool>(a[2]);
    return matrix_mask(int_of(a, 0), int_of(a, 0), [&](int64_t i, int64_t j) {
      return i - window < j && (causal ? j <= i : j < i + window);
    });
  }};
  t["masks.documents"] = {documents};
  t["masks.from_bits"] = {from_bits};
  t["masks.to_bits"] = {to_bits};
}

void add_reductions(Table& t) {
  t["sum"] = {[](const Args& a) { return accumulate(a, false); }, 2};
  t["prod"] = {[](const Args& a) { return accumulate(a, true); }, 2};
  t["mean"] = {mean, 2};
  const auto add_extreme = [&](const char* along, const char* all, bool largest) {
    t[along] = {[=](const Args& a) {
      return extreme(array_of(a, 0), dims_of(a, 1), std::get<bool>(a[2]), largest);
    }};
    t[all] = {[=](const Args& a) { return extreme(array_of(a, 0), {}, false, largest); }};
  };
  add_extreme("amax", "max", true);
  add_extreme("amin", "min", false);
  t["any"] = {[](const Args& a) { return quantify(a, false); }};
  t["all"] = {[](const Args& a) { return quantify(a, true); }};
  t["count_nonzero"] = {count_nonzero};
  t["kthvalue"] = {kthvalue};
}

}  // namespace tamis::reference
