// Rows for files and conditions. Files are those of the package's own file system in memory
// (web/js/files.js), so reading and writing are the library's.
#include <map>
#include <nlohmann/json.hpp>

#include "core/check.h"
#include "functions.h"
#include "io/reader.h"
#include "language/expression.h"
#include "progress.h"
#include "runner.h"
#include "tamis/io.h"

namespace tamis::web {

namespace {

using Span = std::span<const Value>;
using Json = nlohmann::ordered_json;

void add(std::vector<Row>& rows, std::string_view signature, Value (*call)(Span)) {
  rows.push_back(make_row(signature, "", std::function<Value(Span)>(call), {}));
}

const std::string& text_arg(Span args, size_t i) { return std::get<std::string>(args[i]); }
int64_t int_arg(Span args, size_t i) { return std::get<int64_t>(args[i]); }

// ---- files --------------------------------------------------------------------------------------

/// The open ones, by number.
std::map<int64_t, io::Reader>& readers() {
  static std::map<int64_t, io::Reader> all;
  return all;
}
const io::Reader& reader_arg(Span args) { return readers().at(int_arg(args, 0)); }

/// The format is told by the content, except that of CSV.
io::Reader open(const std::string& path, bool csv) {
  return csv ? io::Reader(path, io::CsvLayout{}) : io::Reader(path);
}

Value describe_arrays(const io::Reader& reader) {
  Json arrays = Json::array();
  for (const io::ArrayInfo& a : reader.arrays()) {
    arrays.push_back({{"name", a.name},
                      {"dtype", a.dtype ? Json(name(*a.dtype)) : Json()},
                      {"dtype_text", a.dtype_text},
                      {"shape", std::vector<int64_t>(a.shape.begin(), a.shape.end())},
                      {"bytes", a.bytes}});
  }
  return Json{{"format", io::name(reader.format())}, {"arrays", arrays}}.dump();
}

Value save(Span args) {
  const auto& tensors = std::get<std::vector<Tensor>>(args[1]);
  const Json names = Json::parse(text_arg(args, 2));
  if (names.is_null()) {
    save(text_arg(args, 0), tensors.at(0));
    return Value();
  }
  NamedTensors named;
  for (size_t i = 0; i < tensors.size(); ++i) {
    named.emplace_back(names.at(i).get<std::string>(), tensors[i]);
  }
  save_all(text_arg(args, 0), named);
  return Value();
}

void add_files(std::vector<Row>& rows) {
  add(rows, "web.open(str path, bool csv=False) -> int", [](Span a) -> Value {
    static int64_t last = 0;
    io::Reader reader = open(text_arg(a, 0), std::get<bool>(a[1]));
    readers().emplace(++last, std::move(reader));
    return last;
  });
  add(rows, "web.arrays(int reader) -> str", [](Span a) { return describe_arrays(reader_arg(a)); });
  add(rows, "web.read(int reader, int array) -> Tensor",
      [](Span a) -> Value { return reader_arg(a).read(static_cast<size_t>(int_arg(a, 1))); });
  add(rows, "web.window(int reader, int array, int first, int count) -> Tensor",
      [](Span a) -> Value {
        return reader_arg(a).window(static_cast<size_t>(int_arg(a, 1)), int_arg(a, 2),
                                    int_arg(a, 3));
      });
  add(rows, "web.close(int reader) -> int", [](Span a) -> Value {
    readers().erase(int_arg(a, 0));
    return Value();
  });
  add(rows, "web.save(str path, Tensor[] tensors, str names) -> int", save);
}

// ---- conditions ---------------------------------------------------------------------------------

cli::Array array_of(const std::string& name, const Tensor& x) {
  const Tensor flat = x.contiguous().flatten();
  return {name, x.dtype(), x.shape(),
          [flat](int64_t first, int64_t count) { return flat.narrow(0, first, count); }};
}

/// The condition, or the value, that a text in the language of the command line describes.
Value evaluate(const std::string& text, const Json& names, const std::vector<Tensor>& tensors) {
  std::vector<cli::Array> arrays;
  Shape base;
  for (size_t i = 0; i < tensors.size(); ++i) {
    arrays.push_back(array_of(names.at(i).get<std::string>(), tensors[i]));
  }
  cli::Expression expression(text, arrays, base);
  cli::Progress silent(false);
  const cli::Runner runner(1, silent);
  expression.resolve([&](const cli::Stream& stream, std::span<const cli::Quantile> quantiles) {
    return cli::summarize(runner, stream, quantiles);
  });
  cli::BoxOfArrays inputs(arrays, cli::whole_box(expression.shape()));
  return expression.evaluate(inputs).broadcast_to(expression.shape());
}

void add_conditions(std::vector<Row>& rows) {
  add(rows, "web.evaluate(str text, str names, Tensor[] tensors) -> Tensor", [](Span a) {
    return evaluate(text_arg(a, 0), Json::parse(text_arg(a, 1)),
                    std::get<std::vector<Tensor>>(a[2]));
  });
}

}  // namespace

std::vector<Row> file_rows() {
  std::vector<Row> rows;
  add_files(rows);
  add_conditions(rows);
  return rows;
}

}  // namespace tamis::web
