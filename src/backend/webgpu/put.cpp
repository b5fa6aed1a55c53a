// put: writing and combining elements where indices point, in the order of the documentation where
// several of them meet. Dimensions that no index depends on are `free`: elements meet within them
// where the others, the indexed ones, do. So elements are told apart in the indexed dimensions
// only.
#include <fmt/format.h>

#include <algorithm>

#include "backend/webgpu/indexed.h"
#include "backend/webgpu/library.h"
#include "backend/webgpu/sinks.h"
#include "backend/webgpu/sorted.h"
#include "core/tensor_impl.h"

namespace tamis::webgpu {

namespace {

/// A function of the module: the number of an element of a strided tensor.
void declare_index(Shader& shader, const char* name, const Shape& shape, const Shape& strides,
                   int64_t offset) {
  std::string statements;
  const std::string index = Indexer(shader, shape, statements, "p")(strides, offset);
  shader.declare(
      fmt::format("fn {}(e: u32) -> u32 {{\n{}return {};\n}}\n", name, statements, index));
}

class Put {
 public:
  Put(Queue& queue, const IndexedElements& elements, const Buffer& to, const Buffer& source,
      const Shape& source_strides, DType dtype)
      : queue_(queue), to_(to), source_(source), dtype_(dtype) {
    indexed_.columns = elements.columns;
    for (IndexColumn& column : indexed_.columns) column.strides.clear();
    for (size_t d = 0; d < elements.shape.size(); ++d) {
      const bool is_free = is_free_dim(elements, d);
      if (elements.shape[d] > 1) free_is_inner_ = is_free;
      IndexedElements& part = is_free ? free_ : indexed_;
      part.shape.push_back(elements.shape[d]);
      part.strides.push_back(elements.strides[d]);
      (is_free ? free_source_ : indexed_source_).push_back(source_strides[d]);
      for (size_t k = 0; k < indexed_.columns.size() && !is_free; ++k) {
        indexed_.columns[k].strides.push_back(elements.columns[k].strides[d]);
      }
    }
    positions_ = numel(indexed_.shape);
    all_ = numel(elements.shape);
    find_extent();
  }

  void run(Combine combine) {
    const Scratch numbers(queue_, positions_ * 4);
    find_numbers(queue_, indexed_, -least_, numbers);
    if (combine == Combine::add && is_integral(dtype_) && !is_small()) {
      return add_integers(numbers);
    }
    if (combine != Combine::assign) return combine_runs(numbers, combine);
    // A counter for every element of the target is better than sorting unless few are written.
    const bool has_space = extent_ * 4 <= static_cast<int64_t>(queue_.limits().buffer_bytes);
    if (has_space && extent_ / 64 <= positions_ + 1024) return assign_last(numbers);
    assign_sorted(numbers);
  }

 private:
  static bool is_free_dim(const IndexedElements& elements, size_t d) {
    const auto has_stride = [&](const IndexColumn& column) { return column.strides[d] != 0; };
    return elements.shape[d] > 1 && elements.strides[d] != 0 &&
           std::none_of(elements.columns.begin(), elements.columns.end(), has_stride);
  }

  /// Numbers of elements in the indexed dimensions are in [least_, least_ + extent_).
  void find_extent() {
    int64_t most = 0;
    const auto reach = [&](int64_t size, int64_t stride) {
      least_ += std::min<int64_t>(0, (size - 1) * stride);
      most += std::max<int64_t>(0, (size - 1) * stride);
    };
    for (size_t d = 0; d < indexed_.shape.size(); ++d) {
      reach(indexed_.shape[d], indexed_.strides[d]);
    }
    for (const IndexColumn& column : indexed_.columns) reach(column.size, column.step);
    extent_ = most - least_ + 1;
  }

  /// Binds target, source and numbers, and declares functions for them: the target's element for
  /// position j of the indexed dimensions and f of the free ones, and the number of the source's.
  /// The kernel then runs for all p and f, where p counts the indexed positions in any order.
  struct Names {
    std::string target, source, numbers, count;
  };
  Names bind(Shader& shader, Block* numbers, bool atomic) {
    Names names;
    names.target = shader.bind(block_of(to_), Access::write, atomic);
    names.source = shader.bind(block_of(source_), Access::read);
    names.numbers = shader.bind(numbers, Access::read);
    names.count = shader.param(positions_);
    declare_index(shader, "free_place", free_.shape, free_.strides, to_.offset + least_);
    declare_index(shader, "free_source", free_.shape, free_source_, source_.offset);
    declare_index(shader, "indexed_source", indexed_.shape, indexed_source_, 0);
    shader.declare(fmt::format(
        "fn target_at(j: u32, f: u32) -> u32 {{ return free_place(f) + {}[j]; }}\n"
        "fn source_at(j: u32, f: u32) -> u32 {{ return free_source(f) + indexed_source(j); }}\n",
        names.numbers));
    const std::string frees = shader.param(all_ / positions_);
    shader.add(fmt::format("if (i >= {}) {{ return; }}\n", shader.param(all_)));
    // Neighbours in the target belong to neighbours among the invocations.
    shader.add(free_is_inner_ ? fmt::format("let p = i / {0};\nlet f = i % {0};\n", frees)
                              : fmt::format("let p = i % {0};\nlet f = i / {0};\n", names.count));
    return names;
  }
  bool is_small() const { return itemsize(dtype_) < 4; }
  void run_all(const Shader& shader) { queue_.run(shader, all_); }

  std::string load_source(Shader& shader, const Names& names) const {
    return shader.load(dtype_, names.source, "source_at(j, f)");
  }

  /// The last position of each number, found by an atomic maximum, writes.
  void assign_last(Block* numbers) {
    const Scratch last(queue_, extent_ * 4);
    queue_.clear(last, 0, extent_ * 4);
    Shader finding;
    const std::string to = finding.bind(last, Access::write, true);
    const std::string from = finding.bind(numbers, Access::read);
    finding.add(fmt::format("if (i >= {}) {{ return; }}\natomicMax(&{}[{}[i]], i + 1u);\n",
                            finding.param(positions_), to, from));
    queue_.run(finding, positions_);
    Shader shader;
    const Names names = bind(shader, numbers, is_small());
    const std::string found = shader.bind(last, Access::read);
    shader.add(fmt::format(
        "let j = p;\nif ({}[{}[j]] != j + 1u) {{ return; }}\n{}", found, names.numbers,
        shader.store(dtype_, names.target, "target_at(j, f)", load_source(shader, names))));
    run_all(shader);
  }

  /// The same where the target is large: positions are sorted by their numbers.
  void assign_sorted(Block* numbers) {
    const SortedOrder order(queue_, keys_in(numbers, extent_), 1, positions_);
    Shader shader;
    const Names names = bind(shader, numbers, is_small());
    const std::string sorted = shader.bind(order.block(), Access::read);
    shader.add(fmt::format(
        "let j = {0}[p];\n"
        "if (p + 1u < {1} && {2}[{0}[p + 1u]] == {2}[j]) {{ return; }}\n{3}",
        sorted, names.count, names.numbers,
        shader.store(dtype_, names.target, "target_at(j, f)", load_source(shader, names))));
    run_all(shader);
  }

  /// Sums of integers do not depend on the order. The carry of the lower word is known from what
  /// this addition made of it.
  void add_integers(Block* numbers) {
    Shader shader;
    const Names names = bind(shader, numbers, true);
    shader.add(fmt::format("let j = p;\nlet at = target_at(j, f);\nlet v = {};\n",
                           load_source(shader, names)));
    if (itemsize(dtype_) == 4) {
      shader.add(fmt::format("atomicAdd(&{}[at], v);\n", names.target));
    } else {
      shader.add(
          fmt::format("let low = atomicAdd(&{0}[2u * at], v.x);\n"
                      "let high = v.y + select(0u, 1u, low + v.x < low);\n"
                      "if (high != 0u) {{ atomicAdd(&{0}[2u * at + 1u], high); }}\n",
                      names.target));
    }
    run_all(shader);
  }

  /// One invocation combines all elements of a number, one after the other.
  void combine_runs(Block* numbers, Combine combine) {
    const SortedOrder order(queue_, keys_in(numbers, extent_), 1, positions_);
    Shader shader;
    const Names names = bind(shader, numbers, is_small());
    const std::string sorted = shader.bind(order.block(), Access::read);
    shader.add(fmt::format(
        "let number = {0}[{1}[p]];\n"
        "if (p > 0u && {0}[{1}[p - 1u]] == number) {{ return; }}\n"
        "let at = target_at({1}[p], f);\nvar value = {2};\n"
        "for (var q = p; q < {3}; q++) {{\nlet j = {1}[q];\nif ({0}[j] != number) {{ break; }}\n"
        "let other = {4};\nvalue = {5};\n}}\n{6}",
        names.numbers, sorted, shader.load(dtype_, names.target, "at"), names.count,
        load_source(shader, names), combined(combine),
        shader.store(dtype_, names.target, "at", "value")));
    run_all(shader);
  }

  /// `value` combined with `other`. Equal extremes stay, which matters for zeros.
  std::string combined(Combine combine) const {
    const bool is_sum = combine == Combine::add, is_product = combine == Combine::mul;
    if (dtype_ == DType::boolean) {
      return is_sum || combine == Combine::amax ? "(value || other)" : "(value && other)";
    }
    const bool is_half = dtype_ == DType::float16 || dtype_ == DType::bfloat16;
    const DType wide = is_half ? DType::float32 : dtype_;
    const std::string a = convert("value", dtype_, wide), b = convert("other", dtype_, wide);
    if (is_sum || is_product) {
      return convert(apply(is_sum ? Op::add : Op::mul, wide, a, b), wide, dtype_);
    }
    std::string better =
        combine == Combine::amax ? apply(Op::lt, wide, a, b) : apply(Op::lt, wide, b, a);
    if (is_floating_point(wide)) {
      better += fmt::format(" || is_nan_{}({})", class_of(wide), b);
    }
    return fmt::format("select(value, other, {})", better);
  }

  Queue& queue_;
  const Buffer &to_, &source_;
  const DType dtype_;
  IndexedElements indexed_, free_;
  Shape indexed_source_, free_source_;  // strides of the source
  int64_t positions_ = 0, all_ = 0;     // of the indexed dimensions, and of all
  bool free_is_inner_ = false;
  int64_t least_ = 0, extent_ = 1;
};

}  // namespace

void run_put(Queue& queue, const IndexedElements& elements, const Buffer& to, const Buffer& source,
             const Shape& source_strides, DType dtype, Combine combine) {
  if (numel(elements.shape) == 0) return;
  Put(queue, elements, to, source, source_strides, dtype).run(combine);
}

}  // namespace tamis::webgpu
