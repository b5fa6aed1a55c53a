// stats: what the kept elements are like, in all or along dimensions.
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "commands/commands.h"
#include "partial.h"
#include "results.h"
#include "slice_quantiles.h"
#include "tamis/mask.h"
#include "text_table.h"
#include "usage_error.h"

namespace tamis::cli {

namespace {

/// One line of the result.
struct Line {
  std::string name;
  Scalar value;
};

/// Of one file, or of several together: one list of lines, or with --dim one for each slice.
struct Stats {
  std::vector<std::vector<Line>> slices;
  Shape sizes;                // of the slices
  std::vector<int64_t> dims;  // with --dim; none negative
  bool has_slices = false;
  std::vector<double> quantiles;  // with --dim
};

std::vector<double> wanted_quantiles(const Options& options) {
  for (double p : options.quantiles) {
    if (!(p >= 0 && p <= 1)) throw UsageError("--quantiles: expected numbers from 0 to 1");
  }
  // Along dimensions they take further passes over the files, so they must be asked for.
  if (!options.quantiles.empty() || !options.dims.empty()) return options.quantiles;
  return {0.05, 0.25, 0.5, 0.75, 0.95};
}

std::vector<Line> lines_of(const Summary& s, int64_t total, const std::vector<double>& quantiles) {
  std::vector<Line> lines = {
      {"count", s.count + s.nan}, {"total", total}, {"nan", s.nan}, {"inf", s.inf}, {"sum", s.sum},
      {"mean", s.mean},           {"std", s.std},   {"min", s.min},
  };
  for (size_t i = 0; i < quantiles.size(); ++i) {
    lines.push_back({fmt::format("q({})", quantiles[i]), s.quantiles[i]});
  }
  lines.push_back({"max", s.max});
  return lines;
}

/// What a window says about each slice that it reaches.
struct PartOfSlices {
  Box box;
  Partial partial;
};

/// The summaries of all slices.
std::vector<Summary> summaries_along(const Runner& runner, const KeptStream& stream,
                                     const Slices& slices) {
  // Windows reach the same slices or quite different ones, so those with the same first one are
  // joined.
  std::map<int64_t, PartOfSlices> all;
  const Dims dims(slices.along);
  runner.run(
      "statistics", stream.shape, stream.bytes,
      [&](const Box& box, int) {
        const KeptElements window = stream.window(box);
        return PartOfSlices{slices.part(box), partial_of(window.elements, window.mask, dims)};
      },
      [&](std::span<const PartOfSlices> parts) {
        for (const PartOfSlices& part : parts) {
          PartOfSlices& to = all[first_element(part.box, slices.sizes)];
          to.box = part.box;
          join(to.partial, part.partial);
        }
      });
  const bool is_integer = !is_floating_point(stream.dtype);
  std::vector<Summary> summaries(static_cast<size_t>(numel(slices.sizes)),
                                 finish(Partial(), is_integer).front());
  for (const auto& [first, part] : all) {
    const std::vector<int64_t> numbers = slices.numbers(part.box);
    const std::vector<Summary> found = finish(part.partial, is_integer);
    for (size_t i = 0; i < numbers.size(); ++i) summaries[numbers[i]] = found[i];
  }
  return summaries;
}

Stats stats_along(const Session& session, const Inputs& inputs, const Expression& where,
                  const Options& options) {
  const Slices slices(where.shape(), options.dims);
  const Array& x = inputs.first();
  const KeptStream stream{
      x.dtype, where.shape(), std::max(where.bytes_per_element(), itemsize(x.dtype)),
      [&](const Box& box) {
        BoxOfArrays arrays(inputs.arrays(), box);
        const Tensor mask =
            options.where.empty() ? Tensor() : where.evaluate(arrays).broadcast_to(box.size);
        return KeptElements{arrays[0].broadcast_to(box.size), mask};
      }};
  std::vector<Summary> all = summaries_along(session.runner(), stream, slices);
  std::vector<int64_t> counts;
  for (const Summary& s : all) counts.push_back(s.count);
  const std::vector<double> wanted = wanted_quantiles(options);
  const auto quantiles = find_slice_quantiles(session.runner(), slices, stream, counts, wanted);
  Stats stats;
  stats.has_slices = true;
  stats.sizes = slices.sizes;
  stats.dims = slices.along;
  stats.quantiles = wanted;
  for (size_t i = 0; i < all.size(); ++i) {
    all[i].quantiles = quantiles[i];
    stats.slices.push_back(lines_of(all[i], slices.numel, wanted));
  }
  return stats;
}

Stats stats_of_all(const Session& session, const Inputs& inputs, const Expression& where,
                   const Options& options) {
  std::vector<Quantile> quantiles;
  for (double p : wanted_quantiles(options)) quantiles.push_back({p, false});
  const bool all = options.where.empty();
  const Stream kept{inputs.first().dtype, where.shape(), [&](const Box& box) {
                      BoxOfArrays arrays(inputs.arrays(), box);
                      if (all) return arrays[0];
                      const Tensor mask = where.evaluate(arrays);
                      return masked_select(arrays[0].broadcast_to(box.size), mask);
                    }};
  const Summary summary = summarize(session.runner(), kept, quantiles);
  Stats stats;
  stats.slices = {lines_of(summary, numel(where.shape()), wanted_quantiles(options))};
  return stats;
}

Stats stats_of(const Session& session, const Options& options) {
  const Inputs inputs(options);
  const Array& x = inputs.first();
  if (is_complex(x.dtype)) {
    throw UsageError(fmt::format("stats: {} is complex; complex numbers have no order", x.name));
  }
  const Expression where = session.condition(inputs, x.shape);
  Stats stats = options.dims.empty() ? stats_of_all(session, inputs, where, options)
                                     : stats_along(session, inputs, where, options);
  inputs.check_intact();
  return stats;
}

/// Lines with the names of all, even where there is no slice.
std::vector<Line> names_of(const Stats& stats) {
  if (!stats.slices.empty()) return stats.slices[0];
  Summary none;
  none.quantiles.resize(stats.quantiles.size(), Scalar(0.0));
  return lines_of(none, 0, stats.quantiles);
}

Json json_of(const Stats& stats) {
  Json json;
  const std::vector<Line> lines = names_of(stats);
  for (size_t i = 0; i < lines.size(); ++i) {
    std::vector<Json> values;
    for (const std::vector<Line>& slice : stats.slices) values.push_back(to_json(slice[i].value));
    json[lines[i].name] = nested(values, stats.sizes);
  }
  if (stats.has_slices) json["dim"] = stats.dims;
  return json;
}

using Cells = std::vector<std::string>;

/// The names of lines, after that of the first column.
Cells header_of(const std::string& first, const std::vector<Line>& lines) {
  Cells cells = {first};
  for (const Line& line : lines) cells.push_back(line.name);
  return cells;
}

Cells cells_of(const std::string& first, const std::vector<Line>& lines) {
  Cells cells = {first};
  for (const Line& line : lines) cells.push_back(to_text(line.value));
  return cells;
}

/// A line for each slice, which begins with its index.
std::string table_of_slices(const Stats& stats) {
  std::vector<Cells> table = {header_of("index", names_of(stats))};
  for (size_t number = 0; number < stats.slices.size(); ++number) {
    std::string index;
    auto rest = static_cast<int64_t>(number);
    for (size_t d = stats.sizes.size(); d-- > 0; rest /= stats.sizes[d]) {
      index = fmt::format("{}{}{}", rest % stats.sizes[d], index.empty() ? "" : ",", index);
    }
    table.push_back(cells_of(index.empty() ? "all" : index, stats.slices[number]));
  }
  return text_table(table);
}

void stats_of_each(const Session& session) {
  auto list = Json::array();
  std::vector<Cells> table;
  for (const Options& options : options_of_each(session.options())) {
    const std::string& file = options.files[0];
    session.attempt(file, [&] {
      const Stats stats = stats_of(session, options);
      Json json = {{"file", file}};
      json.update(json_of(stats));
      list.push_back(std::move(json));
      if (options.json) return;
      if (stats.has_slices) {
        fmt::print("{}:\n{}", file, table_of_slices(stats));
        return;
      }
      if (table.empty()) table.push_back(header_of("file", stats.slices[0]));
      table.push_back(cells_of(file, stats.slices[0]));
    });
  }
  if (session.options().json) {
    fmt::print("{}\n", dump(list));
  } else {
    fmt::print("{}", text_table(table));
  }
}

}  // namespace

void run_stats(const Session& session) {
  const Options& options = session.options();
  (void)wanted_quantiles(options);  // refuses before anything is read
  if (options.each) return stats_of_each(session);
  const Stats stats = stats_of(session, options);
  if (options.json) {
    fmt::print("{}\n", dump(json_of(stats)));
  } else if (stats.has_slices) {
    fmt::print("{}", table_of_slices(stats));
  } else {
    for (const Line& line : stats.slices[0]) {
      fmt::print("{:<8}  {}\n", line.name, to_text(line.value));
    }
  }
}

}  // namespace tamis::cli
