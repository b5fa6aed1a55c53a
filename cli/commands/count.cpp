// count: how many elements a condition keeps, in all or along dimensions.
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "commands/commands.h"
#include "results.h"
#include "slices.h"
#include "tamis/create.h"
#include "tamis/mask.h"
#include "tamis/reduce.h"
#include "text_table.h"
#include "usage_error.h"

namespace tamis::cli {

namespace {

/// Of one file, or of several together.
struct Counts {
  int64_t total = 0;
  int64_t kept = 0;           // without --dim
  Tensor along;               // with --dim
  std::vector<int64_t> dims;  // none negative

  Json json() const {
    if (!along.defined()) return {{"count", kept}, {"total", total}};
    const std::vector<int64_t> values = along.to_vector<int64_t>();
    return {{"count", nested({values.begin(), values.end()}, along.shape())},
            {"total", total},
            {"dim", dims}};
  }
};

Tensor count_along(const Session& session, const Inputs& inputs, const Expression& where,
                   const Slices& slices) {
  const Tensor counts = zeros(slices.sizes, DType::int64);
  session.runner().run(
      "count", where.shape(), where.bytes_per_element(),
      [&](const Box& box, int) {
        BoxOfArrays arrays(inputs.arrays(), box);
        const Tensor mask = where.evaluate(arrays).broadcast_to(box.size);
        return std::pair(slices.part(box), count_nonzero(mask, Shape(slices.along)));
      },
      [&](std::span<const std::pair<Box, Tensor>> parts) {
        for (const auto& [box, part] : parts) {
          Tensor target = counts;
          for (size_t k = 0; k < box.size.size(); ++k) {
            target = target.narrow(static_cast<int64_t>(k), box.start[k], box.size[k]);
          }
          target += part;
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

/// Without a condition, the elements that are not zero, or not false.
std::string condition_text(const Options& options, const Array& x) {
  if (!options.where.empty()) return options.where;
  return x.dtype == DType::boolean ? x.name : x.name + " != 0";
}

Counts count_files(const Session& session, const Options& options) {
  const Inputs inputs(options);
  const Array& x = inputs.first();
  const Expression where = session.expression(condition_text(options, x), inputs, x.shape);
  where.check_condition();
  Counts counts;
  counts.total = numel(where.shape());
  if (options.dims.empty()) {
    counts.kept = count_all(session, inputs, where);
  } else {
    const Slices slices(where.shape(), options.dims);
    counts.dims = slices.along;
    counts.along = count_along(session, inputs, where, slices);
  }
  inputs.check_intact();
  return counts;
}

/// Numbers of the last dimension on a line, an empty line between matrices.
void print_along(const Tensor& counts) {
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

void count_each(const Session& session) {
  auto list = Json::array();
  std::vector<std::vector<std::string>> lines = {{"file", "count", "total"}};
  for (const Options& options : options_of_each(session.options())) {
    const std::string& file = options.files[0];
    session.attempt(file, [&] {
      const Counts counts = count_files(session, options);
      Json json = {{"file", file}};
      json.update(counts.json());
      list.push_back(std::move(json));
      lines.push_back({file, std::to_string(counts.kept), std::to_string(counts.total)});
      if (options.json || options.dims.empty()) return;
      fmt::print("{}:\n", file);
      print_along(counts.along);
    });
  }
  if (session.options().json) {
    fmt::print("{}\n", dump(list));
  } else if (session.options().dims.empty()) {
    fmt::print("{}", text_table(lines));
  }
}

}  // namespace

void run_count(const Session& session) {
  const Options& options = session.options();
  const bool to_file = options.output != "-";
  if (to_file && options.dims.empty()) throw UsageError("--output needs --dim");
  if (to_file && options.each) throw UsageError("--output cannot be combined with --each");
  if (options.each) return count_each(session);
  const Counts counts = count_files(session, options);
  if (to_file) {
    io::Writer out = session.writer(options.output, DType::int64, counts.along.shape(), "count");
    out.append(counts.along);
    out.commit();
  } else if (options.json) {
    fmt::print("{}\n", dump(counts.json()));
  } else if (options.dims.empty()) {
    fmt::print("{}\n", counts.kept);
  } else {
    print_along(counts.along);
  }
}

}  // namespace tamis::cli
