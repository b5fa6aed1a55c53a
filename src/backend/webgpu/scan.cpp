// Scans: running results along one dimension, in place. A line is cut into chunks that teams of
// invocations work on: the totals of the chunks first, which are then scanned in turn, then each
// chunk again with what comes before it. The order of additions depends on the shape alone; it is
// not the order of the elements, and float32 is added up as float32, where the CPU takes float64.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "backend/webgpu/library.h"
#include "backend/webgpu/sinks.h"
#include "backend/webgpu/team.h"

namespace tamis::webgpu {

namespace {

/// What a scan puts together: `Acc` holds a running result.
struct Kind {
  std::string declarations;  // Acc and put_together(a, b), where b comes after a
  std::string identity;
  DType acc{};  // of Acc, or of its value
  bool has_index = false;
};

/// Elements in memory. Totals are whole words, and their index, which is given, is a word.
struct Elements {
  Buffer values;
  DType dtype{};
  Buffer indices;
  bool are_totals = false;
};

/// How lines are cut: `lanes` invocations take `each` elements of a chunk.
struct Plan {
  int64_t lanes, each, chunks;
};

Plan plan_for(const ReductionShape& shape) {
  const int64_t n = shape.reduced, lines = shape.outer * shape.inner;
  const auto chunks = [n](int64_t length) { return (n + length - 1) / length; };
  // Neighbours in `inner` are neighbours in memory, and best read by neighbouring invocations.
  if (shape.inner >= 32) {
    const int64_t each = lines >= 1 << 14 ? 1024 : 64;
    return {1, each, chunks(each)};
  }
  const int64_t lanes = lanes_for(n);
  return {lanes, 4, chunks(lanes * 4)};
}

/// The text that all kernels of a scan have in common.
class Pass {
 public:
  Pass(Queue& queue, const Kind& kind, const Elements& x, const ReductionShape& shape,
       const Plan& plan)
      : queue_(queue), kind_(kind), x_(x), plan_(plan), lines_(shape.outer * shape.inner) {
    shader_.declare(kind.declarations);
    shader_.declare(team_scan("scan", "Acc", "put_together", kind.identity, plan.lanes));
    n_ = shader_.param(shape.reduced);
    inner_ = shader_.param(shape.inner);
    each_ = shader_.param(plan.each);
    length_ = shader_.param(plan.lanes * plan.each);
  }

  /// Writes the totals of all chunks but keeps the elements.
  void find_totals(const Elements& totals) {
    bind(totals, Access::write);
    bind(x_, Access::read);
    begin();
    add_up();
    shader_.add(fmt::format(
        "_ = scan(t, sum);\nif (unit < {} && lane == {}u) {{\nlet all = scan_upto[t];\n{}}}\n",
        units_, plan_.lanes - 1, store(totals, "unit", "all")));
    run();
  }

  /// Writes the running results; totals, if there are any, are those up to the end of each chunk.
  void apply(const std::optional<Elements>& totals) {
    bind(x_, Access::write);
    if (totals) bind(*totals, Access::read);
    begin();
    if (plan_.lanes > 1) {
      add_up();
      shader_.add("sum = scan(t, sum);\n");
    }
    if (totals) {
      shader_.add(
          fmt::format("if (unit >= {0} && left > 0u) {{\nlet before = {1};\n"
                      "sum = put_together(before, sum);\n}}\n",
                      lines_param_, load(*totals, fmt::format("(unit - {})", lines_param_))));
    }
    for_each(fmt::format("sum = put_together(sum, {});\n{}", load(x_, "e"), store(x_, "e", "sum")));
    run();
  }

 private:
  void bind(const Elements& x, Access access) {
    const bool atomic = access == Access::write && itemsize(x.dtype) < 4;
    shader_.bind(block_of(x.values), access, atomic);
    if (kind_.has_index && (x.are_totals || access == Access::write)) {
      shader_.bind(block_of(x.indices), access);
    }
  }
  /// What has been bound is found again by its block.
  std::string array_of(const Buffer& buffer) {
    return shader_.bind(block_of(buffer), Access::read);
  }

  /// Where the chunk begins, and how many elements of it this lane has.
  void begin() {
    units_ = shader_.param(lines_ * plan_.chunks);
    lines_param_ = shader_.param(lines_);
    shader_.add(team_header(plan_.lanes));
    shader_.add(fmt::format(
        "let chunk = unit / {0};\nlet line = unit - chunk * {0};\nlet o = line / {1};\n"
        "let k = line - o * {1};\nlet first = chunk * {2} + lane * {3};\nvar left = 0u;\n"
        "if (unit < {4} && lane * {3} < {5} - chunk * {2}) {{ left = min({3}, {5} - first); }}\n"
        "var sum = {6};\n",
        lines_param_, inner_, length_, each_, units_, n_, kind_.identity));
  }
  void add_up() { for_each(fmt::format("sum = put_together(sum, {});\n", load(x_, "e"))); }
  void for_each(const std::string& statements) {
    shader_.add(
        fmt::format("for (var j = 0u; j < left; j++) {{\nlet position = first + j;\n"
                    "let e = (o * {} + position) * {} + k;\n{}}}\n",
                    n_, inner_, statements));
  }
  void run() { queue_.run_groups(shader_, groups_of_teams(lines_ * plan_.chunks, plan_.lanes)); }

  std::string at(const Buffer& buffer, const std::string& index) {
    return fmt::format("{} + {}", shader_.param(buffer.offset), index);
  }
  std::string load(const Elements& x, const std::string& index) {
    const std::string value = shader_.load(x.dtype, array_of(x.values), at(x.values, index));
    if (!kind_.has_index) return x.are_totals ? value : convert(value, x.dtype, kind_.acc);
    if (!x.are_totals) return fmt::format("Acc({}, position)", value);
    return fmt::format("Acc({}, {}[{}])", value, array_of(x.indices), at(x.indices, index));
  }
  std::string store(const Elements& x, const std::string& index, const std::string& acc) {
    const std::string values = array_of(x.values), to = at(x.values, index);
    if (!kind_.has_index) {
      const std::string value = x.are_totals ? acc : convert(acc, kind_.acc, x.dtype);
      return shader_.store(x.dtype, values, to, value);
    }
    const DType index_dtype = x.are_totals ? DType::int32 : DType::int64;
    const std::string position =
        x.are_totals ? acc + ".position" : fmt::format("vec2u({}.position, 0u)", acc);
    return shader_.store(x.dtype, values, to, acc + ".value") +
           shader_.store(index_dtype, array_of(x.indices), at(x.indices, index), position);
  }

  Queue& queue_;
  const Kind& kind_;
  const Elements& x_;
  const Plan plan_;
  const int64_t lines_;
  Shader shader_;
  std::string n_, inner_, each_, length_, units_, lines_param_;
};

void scan_elements(Queue& queue, const Kind& kind, const Elements& x, const ReductionShape& shape) {
  const Plan plan = plan_for(shape);
  if (plan.chunks == 1) return Pass(queue, kind, x, shape, plan).apply(std::nullopt);
  const int64_t lines = shape.outer * shape.inner, n = lines * plan.chunks;
  const DType dtype = itemsize(kind.acc) == 8 ? DType::int64 : DType::int32;
  Scratch values(queue, n * static_cast<int64_t>(itemsize(dtype)));
  Scratch indices(queue, kind.has_index ? n * 4 : 4);
  const Elements totals{{values, 0}, dtype, {indices, 0}, true};
  Pass(queue, kind, x, shape, plan).find_totals(totals);
  scan_elements(queue, kind, totals, {1, plan.chunks, lines});
  Pass(queue, kind, x, shape, plan).apply(totals);
}

/// log(exp(a) + exp(b)); equal infinities are their own result.
constexpr const char* kLogAddExp = R"(
fn put_together(a: u32, b: u32) -> u32 {
  if (is_nan_f32(a) || is_nan_f32(b)) { return 0x7fc00000u; }
  let a_is_low = lt_f32(a, b);
  let low = select(b, a, a_is_low);
  let high = select(a, b, a_is_low);
  if (low == 0xff800000u || high == 0x7f800000u) { return high; }
  return add_f32(log1p_f32(exp_f32(sub_f32(low, high))), high);
}
)";

/// What running results of a dtype are kept in; small integers wrap when they are written.
DType accumulator(DType dtype) {
  if (is_floating_point(dtype)) return DType::float32;
  return itemsize(dtype) == 8 ? DType::int64 : DType::int32;
}

Kind kind_of(Scan scan, DType dtype) {
  Kind kind;
  kind.acc = accumulator(dtype);
  const std::string type = type_of(kind.acc);
  kind.declarations = fmt::format("alias Acc = {};\n", type);
  if (scan == Scan::logsumexp) {
    kind.declarations += kLogAddExp;
    kind.identity = "0xff800000u";
    return kind;
  }
  const bool sums = scan == Scan::sum;
  kind.declarations += fmt::format("fn put_together(a: Acc, b: Acc) -> Acc {{ return {}; }}\n",
                                   apply(sums ? Op::add : Op::mul, kind.acc, "a", "b"));
  kind.identity = sums ? type + "()" : convert("true", DType::boolean, kind.acc);
  return kind;
}

/// Goes on to b if that is not less, or NaN, unless a is. A position of 2^32 - 1 is that of
/// nothing.
Kind kind_of_extreme(bool largest, DType dtype) {
  Kind kind;
  kind.acc = dtype;
  kind.has_index = true;
  const DType compared = is_floating_point(dtype) && itemsize(dtype) < 4 ? DType::float32 : dtype;
  const std::string a = convert("a.value", dtype, compared),
                    b = convert("b.value", dtype, compared);
  std::string goes_on =
      largest ? apply(Op::le, compared, "x", "y") : apply(Op::le, compared, "y", "x");
  if (is_floating_point(dtype)) {
    goes_on = fmt::format("is_nan_{}(y) || {}", class_of(compared), goes_on);
  }
  kind.declarations = fmt::format(
      "struct Acc {{ value: {0}, position: u32 }}\n"
      "fn put_together(a: Acc, b: Acc) -> Acc {{\n"
      "if (b.position == 0xffffffffu) {{ return a; }}\nif (a.position == 0xffffffffu) {{ return b; "
      "}}\n"
      "let x = {1};\nlet y = {2};\nif ({3}) {{ return b; }}\nreturn a;\n}}\n",
      type_of(dtype), a, b, goes_on);
  kind.identity = fmt::format("Acc({}, 0xffffffffu)", zero_of(dtype));
  return kind;
}

}  // namespace

void run_scan(Queue& queue, Scan scan, const Buffer& x, DType dtype, const ReductionShape& shape) {
  scan_elements(queue, kind_of(scan, dtype), {x, dtype, {}, false}, shape);
}

void run_scan_extreme(Queue& queue, bool largest, const Buffer& x, DType dtype,
                      const ReductionShape& shape, const Buffer& indices) {
  // Bools are compared as the bytes that they are.
  const DType as = dtype == DType::boolean ? DType::uint8 : dtype;
  scan_elements(queue, kind_of_extreme(largest, as), {x, as, indices, false}, shape);
}

}  // namespace tamis::webgpu
