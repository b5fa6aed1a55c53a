// count: how many elements a condition keeps, in all or along dimensions.
#include <cstdio>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "commands/commands.h"
#include "tamis/ops.h"
#include "usage_error.h"

namespace tamis::cli {

namespace {

/// The dimensions to count along, none negative, in order.
std::vector<int64_t> counted_dims(const std::vector<int64_t>& dims, const Shape& shape) {
  const auto rank = static_cast<int64_t>(shape.size());
  std::vector<int64_t> result;
  for (int64_t dim : dims) {
    if (dim < -rank || dim >= rank) {
      throw UsageError(
          fmt::format("--dim: there is no dimension {} in shape {}", dim, to_string(shape)));
    }
    result.push_back(dim < 0 ? dim + rank : dim);
  }
  std::sort(result.begin(), result.end());
  if (std::adjacent_find(result.begin(), result.end()) != result.end()) {
    throw UsageError("--dim: a dimension is given twice");
  }
  return result;
}

/// Counts of what is left of a shape without the dimensions that are counted along.
Tensor count_along(const Session& session, const Inputs& inputs, const Expression& where,
                   const std::vector<int64_t>& dims) {
  const Shape& shape = where.shape();
  std::vector<size_t> left;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (std::find(dims.begin(), dims.end(), d) == dims.end()) left.push_back(d);
  }
  Shape sizes;
  for (size_t d : left) sizes.push_back(shape[d]);
  const Tensor counts = zeros(sizes, DType::int64);
  session.runner().run(
      "count", shape, where.bytes_per_element(),
      [&](const Box& box, int) {
        BoxOfArrays arrays(inputs.arrays(), box);
        const Tensor mask = where.evaluate(arrays).broadcast_to(box.size);
        return std::pair(box, count_nonzero(mask, Shape(dims)));
      },
      [&](std::span<const std::pair<Box, Tensor>> parts) {
        for (const auto& [box, part] : parts) {
          Tensor place = counts;
          for (size_t k = 0; k < left.size(); ++k) {
            place = place.narrow(static_cast<int64_t>(k), box.start[left[k]], box.size[left[k]]);
          }
          place += part;
        }
      });
  return counts;
}

int64_t count_all(const Session& session, const Inputs& inputs, const Expression& where) {
  int64_t kept = 0;
  session.runner().run(
      "count", where.shape(), where.bytes_per_element(),
      [&](const Box& box, int) {
        BoxOfArrays arrays(inputs.arrays(), box);
        return count(where.evaluate(arrays).broadcast_to(box.size));
      },
      [&](std::span<const int64_t> parts) {
        for (int64_t part : parts) kept += part;
      });
  return kept;
}

/// Numbers of the last dimension on a line, an empty line between matrices.
void print_counts(const Tensor& counts) {
  const std::vector<int64_t> values = counts.to_vector<int64_t>();
  const Shape& shape = counts.shape();
  const bool is_list = shape.size() <= 1;
  const auto columns = static_cast<size_t>(is_list ? 1 : shape.back());
  const auto rows = static_cast<size_t>(shape.size() > 2 ? shape[shape.size() - 2] : 0);
  for (size_t i = 0; i < values.size(); ++i) {
    const bool ends_row = (i + 1) % columns == 0;
    fmt::print("{}{}", values[i], ends_row ? "\n" : " ");
    if (rows > 0 && i + 1 < values.size() && (i + 1) % (columns * rows) == 0) fmt::print("\n");
  }
}

nlohmann::ordered_json nested(const std::vector<int64_t>& values, const Shape& shape, size_t dim,
                              size_t& at) {
  if (dim == shape.size()) return values[at++];
  auto list = nlohmann::ordered_json::array();
  for (int64_t i = 0; i < shape[dim]; ++i) list.push_back(nested(values, shape, dim + 1, at));
  return list;
}

}  // namespace

void run_count(const Session& session) {
  const Options& options = session.options();
  if (options.output != "-" && options.dims.empty()) throw UsageError("--output needs --dim");
  const Inputs inputs(options);
  const Expression where = session.condition(inputs, inputs.first().shape);
  const int64_t total = numel(where.shape());
  nlohmann::ordered_json json;
  if (options.dims.empty()) {
    const int64_t kept = count_all(session, inputs, where);
    inputs.check_intact();
    json = {{"count", kept}, {"total", total}};
    if (!options.json) fmt::print("{}\n", kept);
  } else {
    const std::vector<int64_t> dims = counted_dims(options.dims, where.shape());
    const Tensor counts = count_along(session, inputs, where, dims);
    inputs.check_intact();
    size_t at = 0;
    if (options.output != "-") {
      io::Writer out = session.writer(options.output, DType::int64, counts.shape(), "count");
      out.append(counts);
      out.commit();
    } else if (options.json) {
      json = {{"count", nested(counts.to_vector<int64_t>(), counts.shape(), 0, at)},
              {"total", total},
              {"dim", dims}};
    } else {
      print_counts(counts);
    }
  }
  if (options.json && !json.is_null()) fmt::print("{}\n", json.dump());
}

}  // namespace tamis::cli
