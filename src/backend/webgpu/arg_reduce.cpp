// arg_extreme: where the extremes stand. A team of invocations searches each line, or each part of
// a long one; equal values are told apart by their index, so that the order of the search does not
// matter.
#include <fmt/format.h>

#include <algorithm>

#include "backend/webgpu/library.h"
#include "backend/webgpu/sinks.h"
#include "backend/webgpu/team.h"

namespace tamis::webgpu {

namespace {

/// The best element so far; index kNone: nothing was kept.
constexpr const char* kNone = "0xffffffffu";

/// `Best`, and `better(a, b)`: that of the two which is found.
std::string declare_best(DType dtype, bool largest) {
  const std::string before =
      largest ? apply(Op::lt, dtype, "b", "a") : apply(Op::lt, dtype, "a", "b");
  std::string nan;
  if (is_floating_point(dtype)) {
    nan = fmt::format(" || (is_nan_{0}(a) && !is_nan_{0}(b))", class_of(dtype));
  }
  return fmt::format(
      "struct Best {{ value: {0}, at: u32 }}\n"
      "fn beats(a: {0}, b: {0}) -> bool {{ return {1}{2}; }}\n"
      "fn better(a: Best, b: Best) -> Best {{\n"
      "if (b.at == {3}) {{ return a; }}\n"
      "if (a.at == {3} || beats(b.value, a.value)) {{ return b; }}\n"
      "if (b.at < a.at && !beats(a.value, b.value)) {{ return b; }}\n"
      "return a;\n}}\n",
      type_of(dtype), before, nan, kNone);
}

/// How the lines are divided among teams.
struct Plan {
  int64_t lanes, parts, length;  // length: elements of a part
};

Plan plan_for(const ReductionShape& shape) {
  // Neighbours in `inner` are neighbours in memory, and best read by neighbouring invocations.
  const bool by_columns = shape.inner >= 32;
  const int64_t lanes = by_columns ? 1 : lanes_for(shape.reduced);
  const int64_t enough = by_columns ? 1 << 14 : 1 << 10, least = by_columns ? 64 : 4096;
  const int64_t results = shape.outer * shape.inner;
  const int64_t most = std::max<int64_t>((shape.reduced + least - 1) / least, 1);
  const int64_t parts = std::clamp<int64_t>(enough / results, 1, most);
  const int64_t length = (shape.reduced + parts - 1) / parts;
  return {lanes, parts, length};
}

/// Where results go; values may be null.
struct Results {
  Buffer values, indices;
  DType dtype{};

  /// Binds them, before what the kernel reads.
  void bind(Shader& shader) const {
    shader.bind(block_of(indices), Access::write);
    if (values) shader.bind_elements(block_of(values), dtype);
  }
  /// The statements that write `best` as result number `at`.
  std::string write(Shader& shader, const std::string& at) const {
    const auto store = [&](DType stored, const Buffer& to, const char* value) {
      const std::string array = shader.bind(block_of(to), Access::write);
      return shader.store(stored, array, fmt::format("{} + {}", shader.param(to.offset), at),
                          value);
    };
    std::string text = fmt::format(
        "var index = vec2u(best.at, 0u);\nif (best.at == {}) {{ index.y = 0xffffffffu; }}\n",
        kNone);
    text += store(DType::int64, indices, "index");
    return values ? text + store(dtype, values, "best.value") : text;
  }
};

/// Those of parts of lines, as [parts, results], in whole words.
struct PartialResults {
  PartialResults(Queue& queue, DType dtype, int64_t n)
      : stored(itemsize(dtype) == 8 ? DType::int64 : DType::int32),
        values(queue, n * static_cast<int64_t>(itemsize(stored))),
        indices(queue, n * 4) {}

  void bind(Shader& shader, Access access) const {
    shader.bind(indices, access);
    shader.bind(values, access);
  }
  std::string write(Shader& shader, const std::string& at) const {
    return shader.store(stored, shader.bind(values, Access::write), at, "best.value") +
           shader.store(DType::int32, shader.bind(indices, Access::write), at, "best.at");
  }
  std::string read(Shader& shader, const std::string& at) const {
    return fmt::format("Best({}, {})", shader.load(stored, shader.bind(values, Access::read), at),
                       shader.load(DType::int32, shader.bind(indices, Access::read), at));
  }

  const DType stored;
  Scratch values, indices;
};

/// Searches every part. The outputs are bound; `write` are the statements that write `best` as the
/// result of number `unit`.
void search(Queue& queue, Shader& shader, const Program& program, bool largest,
            const ReductionShape& shape, const Plan& plan, const std::string& write) {
  const Code code = emit(queue, shader, program, Wanted::both);
  shader.declare(declare_best(program.dtype, largest));
  shader.declare(team_fold("best_of", "Best", "better", plan.lanes));
  const int64_t results = shape.outer * shape.inner, all = results * plan.parts;
  const std::string n = shader.param(results), units = shader.param(all);
  const std::string reduced = shader.param(shape.reduced), inner = shader.param(shape.inner);
  const std::string keeps = code.mask.empty() ? "" : fmt::format("if ({}) ", code.mask);
  shader.add(team_header(plan.lanes));
  shader.add(fmt::format(
      "var best = Best({0}, {1});\nlet part = unit / {2};\nlet line = unit - part * {2};\n"
      "let o = line / {3};\nlet k = line - o * {3};\n"
      "let begin = part * {4};\nvar left = 0u;\n"
      "if (unit < {5} && begin < {6}) {{ left = min({4}, {6} - begin); }}\n",
      zero_of(program.dtype), kNone, n, inner, shader.param(plan.length), units, reduced));
  shader.add(fmt::format(
      "for (var j = lane; j < left; j += {0}u) {{\nlet e = (o * {1} + begin + j) * {2} + k;\n"
      "{3}{4}{{\n{5}if (best.at == {6} || beats({7}, best.value)) {{\n"
      "best = Best({7}, begin + j);\n}}\n}}\n}}\n",
      plan.lanes, reduced, inner, code.mask_part, keeps, code.value_part, kNone, code.value));
  shader.add(fmt::format(
      "best = best_of(t, best);\nif (unit >= {} || lane != 0u) {{ return; }}\n{}", units, write));
  queue.run_groups(shader, groups_of_teams(all, plan.lanes));
}

/// The best of all parts of each line.
void combine(Queue& queue, bool largest, int64_t n, int64_t parts, const PartialResults& from,
             const Results& to) {
  Shader shader;
  to.bind(shader);
  from.bind(shader, Access::read);
  shader.declare(declare_best(to.dtype, largest));
  shader.add(
      fmt::format("if (i >= {0}) {{ return; }}\nvar best = Best({1}, {2});\n"
                  "for (var at = i; at < {3}; at += {0}) {{ best = better(best, {4}); }}\n{5}",
                  shader.param(n), zero_of(to.dtype), kNone, shader.param(n * parts),
                  from.read(shader, "at"), to.write(shader, "i")));
  queue.run(shader, n);
}

}  // namespace

void run_arg_extreme(Queue& queue, const Program& program, bool largest,
                     const ReductionShape& shape, const Buffer& values, const Buffer& indices) {
  const Plan plan = plan_for(shape);
  const Results results{values, indices, program.dtype};
  Shader shader;
  if (plan.parts == 1) {
    results.bind(shader);
    return search(queue, shader, program, largest, shape, plan, results.write(shader, "unit"));
  }
  const int64_t n = shape.outer * shape.inner;
  const PartialResults partial(queue, program.dtype, n * plan.parts);
  partial.bind(shader, Access::write);
  search(queue, shader, program, largest, shape, plan, partial.write(shader, "unit"));
  combine(queue, largest, n, plan.parts, partial, results);
}

}  // namespace tamis::webgpu
