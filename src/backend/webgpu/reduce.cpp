// reduce: sums, products and extremes. The order of the additions depends on the shape alone, so
// that the same call gives the same bits: short runs by one invocation, then the sums of these in
// the same way.
#include <fmt/format.h>

#include <algorithm>

#include "backend/webgpu/library.h"
#include "backend/webgpu/sinks.h"
#include "backend/webgpu/team.h"

namespace tamis::webgpu {

namespace {

/// Elements that one invocation adds up at most, and those of a workgroup.
constexpr int64_t kRun = 256, kPerInvocation = 16, kTile = kPerInvocation * kGroupSize;

/// What is reduced, and how partial results are combined.
struct Rule {
  Reduction reduction;
  DType accumulator;  // of partial results
  bool counts;        // the mask itself is counted
  bool adds_floats;   // as the device does it: a CPU knows infinities and NaN

  Rule(Queue& queue, Reduction r, const Program& program)
      : reduction(r), accumulator(program.dtype), counts(program.value < 0) {
    if (counts || program.dtype == DType::boolean) accumulator = DType::int32;
    adds_floats = queue.in_software() && accumulator == DType::float32 &&
                  row_of(reduction).combine == Op::add;
  }

  /// Whether elements are squared before they are added.
  bool squares() const {
    return reduction == Reduction::square_sum || reduction == Reduction::norm;
  }
  std::string neutral(Shader& shader) const {
    alignas(16) char bytes[16] = {};
    visit_dtype(accumulator, [&](auto type) {
      using T = decltype(type);
      *reinterpret_cast<T*>(bytes) = neutral_value<T>(row_of(reduction).neutral);
    });
    return number(shader, accumulator, bytes);
  }
  std::string combine(const std::string& a, const std::string& b) const {
    if (adds_floats) return fmt::format("bitcast<u32>(bitcast<f32>({}) + bitcast<f32>({}))", a, b);
    return apply(row_of(reduction).combine, accumulator, a, b);
  }
};

/// Where elements come from: a program, or the partial results of the pass before.
class Source {
 public:
  Source(Queue& queue, Shader& shader, const Program& program, const Rule& rule, Step step)
      : code_(emit(queue, shader, program, Wanted::both, 0, step)) {
    if (rule.counts) {
      statements_ = fmt::format("{}acc = acc + select(0u, 1u, {});\n", code_.mask_part, code_.mask);
      return;
    }
    std::string value = code_.value;
    if (program.dtype == DType::boolean) value = convert(value, program.dtype, rule.accumulator);
    if (rule.squares()) value = apply(Op::mul, rule.accumulator, value, value);
    std::string add = fmt::format("acc = {};\n", rule.combine("acc", value));
    if (rule.reduction == Reduction::nansum) {
      add = fmt::format("if (!is_nan_f32({})) {{ {} }}\n", value, add);
    }
    statements_ = code_.mask.empty() ? code_.mask_part + code_.value_part + add
                                     : fmt::format("{}if ({}) {{\n{}{}}}\n", code_.mask_part,
                                                   code_.mask, code_.value_part, add);
  }
  Source(Shader& shader, Block* partials, const Rule& rule)
      : statements_(fmt::format(
            "acc = {};\n",
            rule.combine(
                "acc", shader.load(rule.accumulator, shader.bind(partials, Access::read), "e")))) {}

  /// Statements that add element `e` to `acc`.
  const std::string& statements() const { return statements_; }
  /// The same for elements 4q to 4q + 3, those below `end` only if there is one.
  std::string statements_of_four(const std::string& end = "") const {
    return for_four(code_, [&](size_t) {
      return end.empty() ? statements_ : fmt::format("if (e < {}) {{\n{}}}\n", end, statements_);
    });
  }

 private:
  Code code_;
  std::string statements_;
};

/// Where results go: to partial ones, or to the end with what is done there.
class Sink {
 public:
  Sink(const Buffer& out, DType result, const Rule& rule, const ReductionShape& whole)
      : out_(out), result_(result), rule_(rule), reduced_(whole.reduced) {}
  Sink(Block* partials, const Rule& rule)
      : out_{partials, 0}, result_(rule.accumulator), rule_(rule), is_partial_(true) {}

  /// Binds it; before anything that is only read.
  void bind(Shader& shader) { array_ = shader.bind_elements(block_of(out_), result_); }
  /// The statement that writes `acc` to element `at`.
  std::string write(Shader& shader, const std::string& at) const {
    return shader.store(result_, array_, fmt::format("{} + {}", shader.param(out_.offset), at),
                        finished(shader));
  }

 private:
  std::string finished(Shader& shader) const {
    if (is_partial_) return "acc";
    if (rule_.counts) return "vec2u(acc, 0u)";
    if (row_of(rule_.reduction).finish == Finish::divided_by_count) {
      const auto count = static_cast<float>(reduced_);
      const std::string quotient =
          apply(Op::div, DType::float32, "acc", number(shader, DType::float32, &count));
      return convert(quotient, DType::float32, result_);
    }
    const bool is_root = row_of(rule_.reduction).finish == Finish::square_root;
    return convert(is_root ? "sqrt_f32(acc)" : "acc", rule_.accumulator, result_);
  }

  Buffer out_;
  DType result_;
  const Rule& rule_;
  int64_t reduced_ = 0;
  bool is_partial_ = false;
  std::string array_;
};

/// How one pass divides its work: `parts` runs of `length` elements for each result.
struct Division {
  bool by_groups = false;  // a workgroup for each part instead of an invocation
  int64_t parts = 1, length = 0;

  Division(const Queue& queue, const ReductionShape& shape) {
    by_groups = shape.inner == 1 && shape.reduced > kRun && !queue.in_software();
    length = by_groups ? kTile : kRun;
    parts = std::max<int64_t>((shape.reduced + length - 1) / length, 1);
  }
};

void add_by_groups(Queue& queue, Shader& shader, const Rule& rule, const ReductionShape& shape,
                   const Division& division, const Source& source, const Sink& sink) {
  const std::string type = type_of(rule.accumulator);
  const std::string parts = shader.param(division.parts), reduced = shader.param(shape.reduced);
  shader.declare(fmt::format("fn combined(a: {0}, b: {0}) -> {0} {{ return {1}; }}\n", type,
                             rule.combine("a", "b")));
  shader.declare(team_fold("all_of", type, "combined", kGroupSize));
  shader.add(fmt::format(
      "if (group >= {}) {{ return; }}\nlet row = group / {};\nlet part = group - row * {};\n"
      "var acc = {};\nlet first = part * {}u + t;\n"
      "for (var j = 0u; j < {}u; j++) {{\nlet r = first + j * 256u;\nif (r >= {}) {{ break; }}\n"
      "let e = row * {} + r;\n{}}}\n",
      shader.param(shape.outer * division.parts), parts, parts, rule.neutral(shader), kTile,
      kPerInvocation, reduced, reduced, source.statements()));
  shader.add(
      fmt::format("acc = all_of(t, acc);\nif (t == 0u) {{\n{}}}\n", sink.write(shader, "group")));
  queue.run_groups(shader, shape.outer * division.parts);
}

void add_by_invocations(Queue& queue, Shader& shader, const Rule& rule, const ReductionShape& shape,
                        const Division& division, const Source& source, const Sink& sink) {
  const int64_t results = shape.outer * shape.inner;
  const std::string count = shader.param(results), inner = shader.param(shape.inner);
  const std::string reduced = shader.param(shape.reduced), parts = shader.param(division.parts);
  // Neighbours work on neighbours along `inner`.
  shader.add(fmt::format(
      "if (i >= {0} * {1}) {{ return; }}\nlet part = i / {0};\nlet at = i - part * {0};\n"
      "let row = at / {2};\nlet column = at - row * {2};\nvar acc = {3};\n"
      "let end = min({4}, (part + 1u) * {5}u);\n"
      "for (var r = part * {5}u; r < end; r++) {{\nlet e = (row * {4} + r) * {2} + column;\n{6}}}\n"
      "{7}",
      count, parts, inner, rule.neutral(shader), reduced, division.length, source.statements(),
      sink.write(shader, fmt::format("at * {} + part", parts))));
  queue.run(shader, results * division.parts);
}

/// An invocation for each part, which reads four elements at once.
void add_by_fours(Queue& queue, Shader& shader, const Rule& rule, const ReductionShape& shape,
                  const Division& division, const Source& source, const Sink& sink) {
  const int64_t all = shape.outer * division.parts;
  const std::string parts = shader.param(division.parts), reduced = shader.param(shape.reduced);
  shader.add(fmt::format(
      "if (i >= {0}) {{ return; }}\nlet row = i / {1};\nlet part = i - row * {1};\n"
      "let first = row * ({2} / 4u);\nlet end = first + min({2} / 4u, (part + 1u) * {3}u);\n"
      "var acc = {4};\nfor (var q = first + part * {3}u; q < end; q++) {{\n{5}}}\n",
      shader.param(all), parts, reduced, division.length / 4, rule.neutral(shader),
      source.statements_of_four()));
  if (shape.reduced % 4 != 0) {  // of a single row
    shader.add(fmt::format("if (part + 1u == {}) {{\nlet q = {} / 4u;\n{}}}\n", parts, reduced,
                           source.statements_of_four(reduced)));
  }
  shader.add(sink.write(shader, "i"));
  queue.run(shader, all);
}

/// Whether rows begin with a four each.
bool has_fours(const Queue& queue, const Program& program, const ReductionShape& shape) {
  return queue.in_software() && shape.inner == 1 && (shape.outer == 1 || shape.reduced % 4 == 0) &&
         reads_by_fours(program);
}

}  // namespace

void run_reduce(Queue& queue, const Program& program, Reduction reduction,
                const ReductionShape& whole, const Buffer& out, DType result) {
  const Rule rule(queue, reduction, program);
  const auto size = static_cast<int64_t>(itemsize(rule.accumulator));
  std::unique_ptr<Scratch> partials;
  ReductionShape shape = whole;
  for (bool is_first = true;; is_first = false) {
    const Division division(queue, shape);
    const bool by_fours = is_first && has_fours(queue, program, shape);
    const int64_t results = shape.outer * shape.inner;
    const bool is_last = division.parts == 1;
    std::unique_ptr<Scratch> next;
    if (!is_last) next = std::make_unique<Scratch>(queue, results * division.parts * size);
    Sink sink = is_last ? Sink(out, result, rule, whole) : Sink(*next, rule);
    Shader shader;
    sink.bind(shader);
    // The counts of the tiles are added like other numbers.
    const Source source =
        is_first ? Source(queue, shader, program, rule, by_fours ? Step::four : Step::one)
                 : Source(shader, *partials, rule);
    const auto add = division.by_groups ? add_by_groups : add_by_invocations;
    (by_fours ? add_by_fours : add)(queue, shader, rule, shape, division, source, sink);
    if (is_last) return;
    partials = std::move(next);
    shape = {results, division.parts, 1};
  }
}

}  // namespace tamis::webgpu
