// Rows for the explorer of the site: what a condition keeps of files, in passes over their windows.
// The files are those of the package's own file system, and so is what commands write. Requests and
// answers are JSON; a request names files and a condition as the command line does.
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include <fmt/format.h>

#include "commands/commands.h"
#include "functions.h"
#include "histogram.h"
#include "io/csv.h"
#include "partial.h"
#include "quantiles.h"
#include "region.h"
#include "report.h"
#include "tamis/mask.h"
#include "tamis/pointwise.h"
#include "tamis/reduce.h"
#include "tamis/view.h"
#include "usage_error.h"

namespace tamis::web {

namespace {

using Span = std::span<const Value>;
using Json = nlohmann::ordered_json;

const std::string& text_arg(Span args, size_t i) { return std::get<std::string>(args[i]); }

cli::Options options_of(const Json& request) {
  cli::Options options;
  options.files = request.at("files").get<std::vector<std::string>>();
  options.where = request.value("where", "");
  options.value = request.value("value", "");
  options.header = request.value("header", false);
  options.output = request.value("output", "-");
  options.quiet = true;
  options.no_sync = true;
  return options;
}

/// Files that are open, and a condition over them that is checked and has its whole values. Both
/// stay as they are until a request has others.
class Question {
 public:
  explicit Question(const Json& request)
      : options_(options_of(request)), session_(options_), inputs_(options_) {}

  bool has_files(const Json& request) const { return request.at("files") == Json(options_.files); }
  void ask(const Json& request) {
    const std::string where = request.value("where", "");
    if (where_ && where == options_.where) return;
    where_.reset();
    options_.where = where;
    where_.emplace(session_.condition(inputs_, x().shape));
  }

  const cli::Runner& runner() const { return session_.runner(); }
  const cli::Inputs& inputs() const { return inputs_; }
  const cli::Array& x() const { return inputs_.first(); }
  const cli::Expression& where() const { return *where_; }
  bool is_real() const { return !is_complex(x().dtype); }
  size_t bytes() const { return std::max(where().bytes_per_element(), itemsize(x().dtype)); }

 private:
  cli::Options options_;
  cli::Session session_;
  cli::Inputs inputs_;
  std::optional<cli::Expression> where_;
};

/// That of the request; the last one is kept.
const Question& question(const Json& request, bool with_condition = true) {
  static std::unique_ptr<Question> last;
  if (!last || !last->has_files(request)) {
    last.reset();
    last = std::make_unique<Question>(request);
  }
  if (with_condition) last->ask(request);
  return *last;
}

/// All digits; integers as they are.
std::string text_of(const Scalar& v) {
  if (v.is_beyond_int64()) return fmt::format("{}", v.to<uint64_t>());
  return v.is_floating_point() ? fmt::format("{}", v.to_double()) : fmt::format("{}", v.to_int64());
}

/// The text of an element of a contiguous tensor.
std::string element_text(const Tensor& x, int64_t number) {
  std::string text;
  const auto* data = static_cast<const char*>(x.data_ptr());
  io::append_element(text, x.dtype(), data + number * static_cast<int64_t>(x.itemsize()));
  return text;
}

std::vector<int64_t> index_of(int64_t number, const Shape& shape) {
  std::vector<int64_t> index(shape.size());
  for (size_t d = shape.size(); d-- > 0; number /= shape[d]) index[d] = number % shape[d];
  return index;
}

// ---- passes -------------------------------------------------------------------------------------

/// The mask and the first array in a box, row-major.
struct Window {
  int64_t first = 0;
  Tensor mask, x;
};

Window window_of(const Question& q, const cli::Box& box) {
  cli::BoxOfArrays arrays(q.inputs().arrays(), box);
  Window w{cli::first_element(box, q.where().shape()), {}, {}};
  w.mask = q.where().evaluate(arrays).broadcast_to(box.size).contiguous().settle();
  w.x = arrays[0].broadcast_to(box.size).contiguous().settle();
  return w;
}

/// The smallest and the largest finite element of the first array.
Json range_of(const Question& q) {
  using Ends = std::optional<std::pair<double, double>>;
  Ends all;
  q.runner().run(
      "range", q.x().shape, itemsize(q.x().dtype),
      [&](const cli::Box& box, int) -> Ends {
        cli::BoxOfArrays arrays(q.inputs().arrays(), box);
        Tensor x = arrays[0];
        if (is_floating_point(x.dtype())) x = masked_select(x, isfinite(x));
        if (x.numel() == 0) return std::nullopt;
        return std::pair(x.amin().item().to_double(), x.amax().item().to_double());
      },
      [&](std::span<const Ends> parts) {
        for (const Ends& part : parts) {
          if (!part) continue;
          if (!all) all = part;
          all = {std::min(all->first, part->first), std::max(all->second, part->second)};
        }
      });
  q.inputs().check_intact();
  if (!all) return nullptr;
  return {{"low", all->first}, {"high", all->second}};
}

Region region_of(const Json& request, const Shape& shape) {
  Rectangle wanted;
  if (const Json& r = request.at("rectangle"); !r.is_null()) {
    wanted = {r.at(0), r.at(1), r.at(2), r.at(3)};
  }
  return Region(shape, wanted, request.at("cells").at(0), request.at("cells").at(1));
}

std::optional<Histogram> histogram_of(const Json& request, DType dtype) {
  const Json& range = request.at("range");
  if (range.is_null()) return std::nullopt;
  return Histogram(range.at("low"), range.at("high"), request.at("bins"),
                   !is_floating_point(dtype));
}

/// The last picture, for the row that gives its cells.
Tensor& last_cells() {
  static Tensor cells;
  return cells;
}

/// What one pass over all elements finds.
struct Finding {
  Finding(Region r, std::optional<Histogram> h, size_t how_many_first)
      : region(std::move(r)), histogram(std::move(h)), wanted_first(how_many_first) {}

  int64_t kept = 0;
  cli::Partial partial;
  Region region;
  std::optional<Histogram> histogram;
  Json first = Json::array();  // kept elements: [index, text]

  void add(const Window& w, const Shape& shape, bool is_real) {
    const Tensor selected = masked_select(w.x, w.mask).settle();
    kept += selected.numel();
    region.add(w.first, w.mask, is_real ? w.x : Tensor());
    if (first.size() < wanted_first) add_first(w, shape);
    if (!is_real) return;
    join(partial, cli::partial_of(selected));
    if (histogram) histogram->add(w.x, w.mask);
  }

 private:
  void add_first(const Window& w, const Shape& shape) {
    const Tensor positions = nonzero(w.mask.reshape({-1})).reshape({-1}).contiguous().settle();
    for (int64_t i = 0; i < positions.numel() && first.size() < wanted_first; ++i) {
      const int64_t position = positions.data<int64_t>()[i];
      first.push_back({index_of(w.first + position, shape), element_text(w.x, position)});
    }
  }

  size_t wanted_first;
};

Json statistics_of(const cli::Partial& partial, bool is_integer) {
  const cli::Summary s = finish(partial, is_integer).front();
  return {{"nan", s.nan},          {"inf", s.inf},
          {"sum", text_of(s.sum)}, {"mean", text_of(s.mean)},
          {"std", text_of(s.std)}, {"min", text_of(s.min)},
          {"max", text_of(s.max)}};
}

/// Counts, statistics, histogram and picture, in one pass.
Value look(const Json& request) {
  const Question& q = question(request);
  const Shape& shape = q.where().shape();
  Finding found(region_of(request, shape), histogram_of(request, q.x().dtype), request.at("first"));
  q.runner().run(
      "count", shape, q.bytes(), [&](const cli::Box& box, int) { return window_of(q, box); },
      [&](std::span<const Window> windows) {
        for (const Window& w : windows) found.add(w, shape, q.is_real());
      });
  q.inputs().check_intact();
  last_cells() = found.region.cells();
  Json answer = {{"shape", std::vector<int64_t>(shape.begin(), shape.end())},
                 {"total", numel(shape)},
                 {"kept", found.kept},
                 {"first", found.first},
                 {"picture", Json::parse(found.region.json())}};
  if (q.is_real()) {
    answer["statistics"] = statistics_of(found.partial, !is_floating_point(q.x().dtype));
    answer["statistics"]["count"] = found.partial.counts().front();
  }
  if (found.histogram) {
    answer["histogram"] = {{"edges", found.histogram->edges()},
                           {"all", found.histogram->all()},
                           {"kept", found.histogram->kept()}};
  }
  return answer.dump();
}

/// The picture alone, from the windows that it needs.
Value draw(const Json& request) {
  const Question& q = question(request);
  const Shape& shape = q.where().shape();
  Region region = region_of(request, shape);
  const cli::Windows windows(shape, std::max<int64_t>(1, cli::kWindowBytes / q.bytes()));
  for (int64_t i = 0; i < windows.count(); ++i) {
    const cli::Box box = windows[i];
    if (!region.reaches(cli::first_element(box, shape), box.numel())) continue;
    const Window w = window_of(q, box);
    region.add(w.first, w.mask, q.is_real() ? w.x : Tensor());
  }
  q.inputs().check_intact();
  last_cells() = region.cells();
  return region.json();
}

Value quantiles(const Json& request) {
  const Question& q = question(request);
  std::vector<cli::Quantile> wanted;
  for (double p : request.at("quantiles")) wanted.push_back({p, false});
  const cli::Stream kept{q.x().dtype, q.where().shape(), [&](const cli::Box& box) {
                           const Window w = window_of(q, box);
                           return masked_select(w.x, w.mask);
                         }};
  Json answer = Json::array();
  for (const Scalar& v : cli::find_quantiles(q.runner(), kept, request.at("count"), wanted)) {
    answer.push_back(text_of(v));
  }
  q.inputs().check_intact();
  return answer.dump();
}

/// The box of `count` elements that begin at the given one and lie in one row of the matrix.
cli::Box row_box(int64_t first, int64_t count, const Shape& shape) {
  cli::Box box{Shape(index_of(first, shape)), Shape(shape.size(), 1)};
  if (!shape.empty()) box.size.back() = count;
  return box;
}

/// Some elements of each row of the matrix, as texts, with whether they are kept.
Value table(const Json& request) {
  const Question& q = question(request);
  const Shape& shape = q.where().shape();
  const cli::CellGrid grid(shape, 1, 1);
  const std::vector<int64_t> at = request.at("rectangle");
  const int64_t top = at.at(0), bottom = std::min(at.at(1), grid.matrix_rows());
  const int64_t left = at.at(2), right = std::min(at.at(3), grid.matrix_columns());
  Json rows = Json::array();
  for (int64_t row = top; row < bottom; ++row) {
    const int64_t first = row * grid.matrix_columns() + left;
    const int64_t count = std::min(right - left, numel(shape) - first);
    Json cells = Json::array();
    if (count > 0) {
      const Window w = window_of(q, row_box(first, count, shape));
      const bool* kept = w.mask.data<bool>();
      for (int64_t i = 0; i < count; ++i) cells.push_back({element_text(w.x, i), kept[i]});
    }
    rows.push_back({{"index", index_of(first, shape)}, {"cells", cells}});
  }
  return Json{{"matrix", {grid.matrix_rows(), grid.matrix_columns()}}, {"rows", rows}}.dump();
}

// ---- files --------------------------------------------------------------------------------------

/// What is in a file.
Value describe(const Json& request) {
  const cli::Options options = options_of(request);
  const io::Reader reader = cli::open_reader(options.files.at(0), options);
  Json arrays = Json::array();
  for (const io::ArrayInfo& a : reader.arrays()) {
    arrays.push_back({{"name", a.name},
                      {"dtype", a.dtype ? Json(name(*a.dtype)) : Json()},
                      {"dtype_text", a.dtype_text},
                      {"shape", std::vector<int64_t>(a.shape.begin(), a.shape.end())}});
  }
  return Json{{"format", io::name(reader.format())}, {"arrays", arrays}}.dump();
}

/// Writes the columns of a matrix as arrays of their own, [rows, 1], so that they broadcast with
/// it.
Value split(const Json& request) {
  const cli::Options options = options_of(request);
  const io::Reader reader(options.files.at(0));
  const Tensor table = reader.read(0);
  const Tensor matrix = table.dim() == 1 ? table.unsqueeze(1) : table;
  const std::vector<std::string> names = request.at("columns");
  NamedTensors columns;
  for (size_t c = 0; c < names.size(); ++c) {
    columns.emplace_back(names[c], matrix.narrow(1, static_cast<int64_t>(c), 1));
  }
  save_all(options.output, columns);
  return Value();
}

/// A command of the command line that writes a file.
Value command(const Json& request) {
  const cli::Options options = options_of(request);
  const cli::Session session(options);
  const std::string name = request.at("command");
  if (name == "select") run_select(session);
  if (name == "mask") run_mask(session);
  if (name == "fill") run_fill(session);
  if (name == "convert") run_convert(session);
  return Value();
}

void add(std::vector<Row>& rows, std::string_view signature, Value (*call)(const Json& request)) {
  rows.push_back(make_row(signature, "",
                          [call](Span a) {
                            try {
                              return call(Json::parse(text_arg(a, 0)));
                            } catch (const cli::UsageError& e) {
                              throw Error(ErrorKind::value, e.what());
                            }
                          },
                          {}));
}

}  // namespace

std::vector<Row> explore_rows() {
  std::vector<Row> rows;
  add(rows, "web.explore_describe(str request) -> str", describe);
  add(rows, "web.explore_split(str request) -> int", split);
  add(rows, "web.explore_command(str request) -> int", command);
  add(rows, "web.explore_range(str request) -> str",
      [](const Json& request) -> Value { return range_of(question(request, false)).dump(); });
  add(rows, "web.explore_look(str request) -> str", look);
  add(rows, "web.explore_draw(str request) -> str", draw);
  add(rows, "web.explore_quantiles(str request) -> str", quantiles);
  add(rows, "web.explore_table(str request) -> str", table);
  rows.push_back(make_row("web.explore_cells() -> Tensor", "",
                          [](Span) -> Value { return last_cells(); }, {}));
  rows.push_back(make_row("web.set_reports(bool on) -> int", "",
                          [](Span a) -> Value {
                            set_reports(std::get<bool>(a[0]));
                            return Value();
                          },
                          {}));
  return rows;
}

}  // namespace tamis::web
