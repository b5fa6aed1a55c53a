// Results: how numbers are printed.
#include "results.h"

#include <cmath>

#include <fmt/format.h>

namespace tamis::cli {

namespace {

Json nested_from(const std::vector<Json>& values, const Shape& shape, size_t dim, size_t& at) {
  if (dim == shape.size()) return values[at++];
  auto list = Json::array();
  for (int64_t i = 0; i < shape[dim]; ++i) list.push_back(nested_from(values, shape, dim + 1, at));
  return list;
}

}  // namespace

std::string to_text(const Scalar& v) {
  if (std::isnan(v.to_double())) return "nan";  // whatever its sign
  if (v.is_floating_point()) return fmt::format("{:.7g}", v.to_double());
  return v.is_beyond_int64() ? fmt::format("{}", v.to<uint64_t>())
                             : fmt::format("{}", v.to_int64());
}

Json to_json(const Scalar& v) {
  if (v.is_beyond_int64()) return v.to<uint64_t>();
  if (!v.is_floating_point()) return v.to_int64();
  const double d = v.to_double();
  if (std::isinf(d)) return d < 0 ? "-inf" : "inf";
  return d;
}

Json nested(const std::vector<Json>& values, const Shape& shape) {
  size_t at = 0;
  return nested_from(values, shape, 0, at);
}

std::string dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace tamis::cli
