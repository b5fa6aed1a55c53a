// stats: what the kept elements are like.
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "commands/commands.h"
#include "tamis/ops.h"
#include "usage_error.h"

namespace tamis::cli {

namespace {

using Json = nlohmann::ordered_json;

/// One line of the result.
struct Line {
  std::string name;
  Scalar value;
};

/// NaN is null; JSON has no infinities, so they are strings.
Json to_json(const Scalar& v) {
  if (!v.is_floating_point()) return v.to_int64();
  const double d = v.to_double();
  if (std::isinf(d)) return d < 0 ? "-inf" : "inf";
  return d;
}

std::string to_text(const Scalar& v) {
  if (std::isnan(v.to_double())) return "nan";  // whatever its sign
  return v.is_floating_point() ? fmt::format("{:.7g}", v.to_double())
                               : fmt::format("{}", v.to_int64());
}

std::vector<Line> lines_of(const Summary& s, int64_t total, const std::vector<double>& quantiles) {
  std::vector<Line> lines = {
      {"count", s.count + s.nan},
      {"total", total},
      {"nan", s.nan},
      {"inf", s.inf},
      {"sum", s.sum},
      {"mean", s.mean},
      {"std", std::sqrt(s.var)},
      {"min", s.min},
  };
  for (size_t i = 0; i < quantiles.size(); ++i) {
    lines.push_back({fmt::format("q({})", quantiles[i]), s.quantiles[i]});
  }
  lines.push_back({"max", s.max});
  return lines;
}

}  // namespace

void run_stats(const Session& session) {
  const Options& options = session.options();
  std::vector<Quantile> quantiles;
  for (double p : options.quantiles) {
    if (!(p >= 0 && p <= 1)) throw UsageError("--quantiles: they are numbers from 0 to 1");
    quantiles.push_back({p, false});
  }
  const Inputs inputs(options);
  const Array& x = inputs.first();
  if (is_complex(x.dtype)) {
    throw UsageError(fmt::format("stats: {} is complex; complex numbers have no order", x.name));
  }
  const Expression where = session.condition(inputs, x.shape);
  const bool all = options.where.empty();
  const Stream kept{x.dtype, where.shape(), [&](const Box& box) {
                      BoxOfArrays arrays(inputs.arrays(), box);
                      if (all) return arrays[0];
                      const Tensor mask = where.evaluate(arrays);
                      return masked_select(arrays[0].broadcast_to(box.size), mask);
                    }};
  const Summary summary = summarize(session.runner(), kept, quantiles);
  inputs.check_intact();
  Json json;
  for (const Line& line : lines_of(summary, numel(where.shape()), options.quantiles)) {
    if (options.json) {
      json[line.name] = to_json(line.value);
    } else {
      fmt::print("{:<8}  {}\n", line.name, to_text(line.value));
    }
  }
  if (options.json) fmt::print("{}\n", json.dump());
}

}  // namespace tamis::cli
