// Writing the code of programs.
#include "backend/webgpu/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <span>

#include "backend/backend.h"
#include "backend/webgpu/library.h"
#include "core/check.h"
#include "core/tensor_impl.h"

namespace tamis::webgpu {

const std::string& Indexer::coordinate(size_t d) {
  if (coordinates_.empty()) {
    // From the innermost dimension on, each the rest of what the next is divided from.
    coordinates_.resize(shape_.size());
    std::string rest = "e";
    for (size_t k = shape_.size(); k-- > 0;) {
      coordinates_[k] = fmt::format("{}c{}", prefix_, k);
      if (k == 0) {
        statements_ += fmt::format("let {} = {};\n", coordinates_[0], rest);
      } else {
        const std::string size = shader_.param(shape_[k]);
        const std::string quotient = fmt::format("{}q{}", prefix_, k);
        statements_ += fmt::format("let {0} = {1} / {2};\nlet {3} = {1} - {0} * {2};\n", quotient,
                                   rest, size, coordinates_[k]);
        rest = quotient;
      }
    }
  }
  return coordinates_[d];
}

std::string Indexer::operator()(const Shape& strides, int64_t offset) {
  std::string index = shader_.param(offset);
  if (strides == contiguous_strides(shape_)) return fmt::format("{} + e", index);
  for (size_t d = 0; d < shape_.size(); ++d) {
    if (strides[d] == 0 || shape_[d] == 1) continue;
    const std::string at = shape_.size() == 1 ? "e" : coordinate(d);
    index += fmt::format(" + {} * {}", at, shader_.param(strides[d]));
  }
  return index;
}

std::string number(Shader& shader, DType dtype, const void* bytes) {
  uint32_t words[4] = {};
  std::memcpy(words, bytes, itemsize(dtype));
  switch (itemsize(dtype)) {
    case 16: {
      const std::string a = shader.param(words[0]), b = shader.param(words[1]);
      const std::string c = shader.param(words[2]), d = shader.param(words[3]);
      return fmt::format("vec4u({}, {}, {}, {})", a, b, c, d);
    }
    case 8:
      return shader.param_pair(words[0] | uint64_t{words[1]} << 32);
    default:
      break;
  }
  if (dtype == DType::boolean) return fmt::format("({} != 0u)", shader.param(words[0]));
  if (dtype == DType::int8) words[0] = static_cast<uint32_t>(static_cast<int8_t>(words[0]));
  if (dtype == DType::int16) words[0] = static_cast<uint32_t>(static_cast<int16_t>(words[0]));
  return shader.param(words[0]);
}

namespace {

bool is_skip(const Instr& instr) {
  return instr.op == Op::skip_if_none || instr.op == Op::skip_if_all;
}

bool is_host(const Leaf& leaf) {
  return !leaf.intervals && &leaf.storage->backend() == &cpu_backend();
}
bool is_on_device(const Leaf& leaf) { return !leaf.intervals && !is_host(leaf); }
/// The same element everywhere.
bool is_repeated(const Leaf& leaf) {
  return std::all_of(leaf.strides.begin(), leaf.strides.end(), [](int64_t s) { return s == 0; });
}
Block* block_at(const Leaf& leaf) { return static_cast<Block*>(leaf.storage->data()); }

/// A step of four has the code of an element four times, and the driver that compiles it for a CPU
/// takes minutes and gigabytes for long code with many branches. Where much is computed, reading is
/// not what counts anyway.
constexpr int kMaxOpsOfFour = 6;

/// Whether the operation is a few words of WGSL, and not a function with loops and cases.
bool is_short(const Instr& instr) {
  switch (instr.op) {
    case Op::load:
    case Op::skip_if_none:
    case Op::skip_if_all:
    case Op::where:
    case Op::isin:
    case Op::neg:
    case Op::abs:
    case Op::relu:
    case Op::add:
    case Op::sub:
    case Op::mul:
    case Op::minimum:
    case Op::maximum:
      return true;
    case Op::cast:
      return instr.in == DType::boolean || instr.out == DType::boolean;
    default:
      return is_compare(instr.op) || is_mask_op(instr.op);
  }
}

bool is_short(const Program& program) {
  int ops = 0;
  for (const auto* list : {&program.setup, &program.code}) {
    for (const Instr& instr : *list) {
      if (!is_short(instr)) return false;
      if (instr.op != Op::load && !is_skip(instr)) ++ops;
    }
  }
  return ops <= kMaxOpsOfFour;
}

class Emitter {
 public:
  Emitter(Queue& queue, Shader& shader, const Program& program, int spare, Step step)
      : queue_(queue),
        shader_(shader),
        program_(program),
        spare_(spare),
        step_(step),
        names_(static_cast<size_t>(program.registers)),
        on_host_(static_cast<size_t>(program.registers), 0) {}

  Code emit(Wanted wanted) {
    Code code;
    const bool masks = wanted != Wanted::value && program_.mask >= 0;
    const bool values = wanted != Wanted::mask && program_.value >= 0;
    const auto mask_end = values ? program_.code.size() : static_cast<size_t>(program_.mask_end);
    find_live(masks, values, program_.mask >= 0 ? mask_end : program_.code.size());
    find_host();
    bind_blocks();
    Indexer index(shader_, program_.shape, indexing_, "p");
    index_ = &index;
    for (const Instr& instr : program_.setup) {
      if (setup_needed_[instr.dst] && !on_host_[instr.dst]) add(instr, setup_);
    }
    std::string part;
    for (size_t k = 0; k < program_.code.size(); ++k) {
      if (program_.mask >= 0 && k == static_cast<size_t>(program_.mask_end)) {
        code.mask_part = std::move(part);
        part.clear();
        if (masks) code.mask = name_of(program_.mask, code.mask_part);
      }
      if (live_[k]) add(program_.code[k], part);
    }
    if (program_.mask >= 0 && static_cast<size_t>(program_.mask_end) == program_.code.size()) {
      code.mask_part = std::move(part);
      part.clear();
      if (masks) code.mask = name_of(program_.mask, code.mask_part);
    }
    code.value_part = std::move(part);
    if (values) code.value = name_of(program_.value, code.value_part);
    code.mask_part = indexing_ + setup_ + code.mask_part;
    code.fours = std::move(fours_);
    code.lanes = std::move(lanes_);
    code.uploads = std::move(uploads_);
    return code;
  }

 private:
  /// Marks the instructions that the results need; registers are used again, so from the end.
  void find_live(bool masks, bool values, size_t end) {
    live_.assign(program_.code.size(), 0);
    std::vector<uint8_t> needed(static_cast<size_t>(program_.registers), 0);
    if (values) needed[program_.value] = 1;
    if (masks) needed[program_.mask] = 1;
    for (size_t k = end; k-- > 0;) {
      const Instr& instr = program_.code[k];
      if (is_skip(instr) || !needed[instr.dst]) continue;
      live_[k] = 1;
      needed[instr.dst] = 0;
      for (int16_t r : {instr.a, instr.b, instr.c}) {
        if (r >= 0) needed[r] = 1;
      }
    }
    setup_needed_ = std::move(needed);
    for (size_t k = program_.setup.size(); k-- > 0;) {
      const Instr& instr = program_.setup[k];
      if (!setup_needed_[instr.dst]) continue;
      for (int16_t r : {instr.a, instr.b, instr.c}) {
        if (r >= 0) setup_needed_[r] = 1;
      }
    }
  }

  /// Where a shader finds a block: in an array, from a byte on.
  struct Home {
    std::string array;
    int64_t begin = 0;
  };

  /// Names for the arrays of all blocks that are read. If they are more than a shader may have, the
  /// last ones are first copied into one.
  void bind_blocks() {
    std::vector<Block*> blocks = shader_.blocks();
    const size_t bound = blocks.size();
    const auto note = [&](Block* block) {
      const bool is_known = std::find(blocks.begin(), blocks.end(), block) != blocks.end();
      if (block != nullptr && !is_known) blocks.push_back(block);
    };
    const auto note_instr = [&](const Instr& instr) {
      if (instr.op == Op::isin) return note(block_of(*instr.set));
      if (instr.op != Op::load) return;
      const Leaf& leaf = program_.leaves[instr.leaf];
      if (is_on_device(leaf)) note(block_at(leaf));
    };
    for (const Instr& instr : program_.setup) {
      if (setup_needed_[instr.dst] && !on_host_[instr.dst]) note_instr(instr);
    }
    for (size_t k = 0; k < program_.code.size(); ++k) {
      if (live_[k]) note_instr(program_.code[k]);
    }
    const auto& leaves = program_.leaves;
    const bool ends = std::any_of(leaves.begin(), leaves.end(), has_ends);
    const size_t most = kMaxBindings - static_cast<size_t>(spare_) - (ends ? 1 : 0);
    const size_t kept = blocks.size() <= most ? blocks.size() : std::max(bound, most - 1);
    for (size_t k = 0; k < kept; ++k) {
      const bool by_fours = step_ == Step::four && has_words(blocks[k]);
      homes_[blocks[k]] = {by_fours ? shader_.bind_fours(blocks[k], Access::read)
                                    : shader_.bind(blocks[k], Access::read)};
    }
    move_together(std::span(blocks).subspan(kept));
    if (ends) upload_ends();
  }

  /// Whether a tensor in the block is read four words at a time.
  bool has_words(const Block* block) const {
    const auto& leaves = program_.leaves;
    return std::any_of(leaves.begin(), leaves.end(), [&](const Leaf& leaf) {
      return is_on_device(leaf) && block_at(leaf) == block && itemsize(leaf.dtype) == 4 &&
             !is_repeated(leaf);
    });
  }

  static bool has_ends(const Leaf& leaf) { return leaf.intervals && !leaf.intervals->is_band(); }

  /// The intervals of all structured masks that are no bands, in one block.
  void upload_ends() {
    std::vector<uint32_t> ends;
    first_ends_.resize(program_.leaves.size());
    for (size_t k = 0; k < program_.leaves.size(); ++k) {
      if (!has_ends(program_.leaves[k])) continue;
      const Intervals& intervals = *program_.leaves[k].intervals;
      first_ends_[k] = static_cast<int64_t>(ends.size());
      for (int64_t r = 0; r < intervals.rows(); ++r) {
        const auto [lo, hi] = intervals.row(r);
        ends.push_back(static_cast<uint32_t>(lo));
        ends.push_back(static_cast<uint32_t>(hi));
      }
    }
    const auto bytes = static_cast<int64_t>(ends.size() * 4);
    Block* const block = *uploads_.emplace_back(std::make_unique<Scratch>(queue_, bytes));
    queue_.write(block, 0, ends.data(), bytes);
    ends_ = shader_.bind(block, Access::read);
    shader_.declare(
        fmt::format("fn in_row_{0}(at: u32, cols: u32, first: u32) -> bool {{\n"
                    "let row = at / cols; let col = at - row * cols; let k = first + 2u * row;\n"
                    "return col >= {0}[k] && col < {0}[k + 1u]; }}\n",
                    ends_));
  }

  void move_together(std::span<Block* const> blocks) {
    if (blocks.empty()) return;
    int64_t bytes = 0;
    for (const Block* block : blocks) bytes += block->bytes;
    Block* const all = *uploads_.emplace_back(std::make_unique<Scratch>(queue_, bytes));
    const std::string array = shader_.bind(all, Access::read);
    int64_t begin = 0;
    for (Block* block : blocks) {
      queue_.copy(block, 0, all, begin, block->bytes);
      homes_[block] = {array, begin};
      begin += block->bytes;
    }
  }

  /// Numbers of the host are computed there and become parameters where the device needs them.
  void find_host() {
    for (const Instr& instr : program_.setup) {
      if (!setup_needed_[instr.dst]) continue;
      bool host = instr.op != Op::load || is_host(program_.leaves[instr.leaf]);
      for (int16_t r : {instr.a, instr.b, instr.c}) host = host && (r < 0 || on_host_[r]);
      on_host_[instr.dst] = host;
    }
  }

  std::string host_number(int16_t reg) {
    Program program(std::pmr::get_default_resource());
    program.numel = 1;
    program.leaves = program_.leaves;
    for (Leaf& leaf : program.leaves) leaf.strides = {};
    DType dtype{};
    for (const Instr& instr : program_.setup) {
      if (!on_host_[instr.dst] || !setup_needed_[instr.dst]) continue;
      program.setup.push_back(instr);
      if (instr.dst == reg) dtype = instr.out;
    }
    program.registers = program_.registers;
    program.value = reg;
    program.dtype = dtype;
    alignas(64) std::byte bytes[128];
    cpu_backend().store(program, {{bytes, 0}, dtype, {}});
    return number(shader_, dtype, bytes);
  }

  /// The variable that holds a register.
  const std::string& name_of(int16_t reg, std::string& to) {
    std::string& name = names_[reg];
    if (name.empty() && on_host_[reg]) define(reg, host_number(reg), to);
    return name;
  }

  void define(int16_t reg, const std::string& value, std::string& to) {
    names_[reg] = fmt::format("r{}", count_++);
    to += fmt::format("let {} = {};\n", names_[reg], value);
  }

  void add(const Instr& instr, std::string& to) {
    const auto operand = [&](int16_t r) {
      // Numbers of the host are defined before everything, so that all parts see them.
      return r < 0 ? std::string() : name_of(r, on_host_[r] ? setup_ : to);
    };
    const std::string a = operand(instr.a), b = operand(instr.b), c = operand(instr.c);
    switch (instr.op) {
      case Op::load:
        return define(instr.dst, load(instr.leaf), to);
      case Op::cast:
        return define(instr.dst, convert(a, instr.in, instr.out), to);
      case Op::where:
        return define(instr.dst, fmt::format("select({}, {}, {})", b, a, c), to);
      case Op::isin:
        return define(instr.dst, find_in_set(*instr.set, instr.in, a), to);
      default:
        return define(instr.dst, apply(instr.op, instr.in, a, b), to);
    }
  }

  std::string load(int leaf_index) {
    const Leaf& leaf = program_.leaves[leaf_index];
    if (is_host(leaf)) {
      const auto* const data = static_cast<const char*>(leaf.storage->data());
      return number(shader_, leaf.dtype,
                    data + leaf.offset * static_cast<int64_t>(itemsize(leaf.dtype)));
    }
    if (leaf.intervals) return in_intervals(leaf_index, (*index_)(leaf.strides, leaf.offset));
    const Home& home = homes_.at(block_at(leaf));
    if (step_ == Step::four && !is_repeated(leaf)) return load_four(leaf, home.array);
    const int64_t first = home.begin / static_cast<int64_t>(itemsize(leaf.dtype));
    return shader_.load(leaf.dtype, home.array, (*index_)(leaf.strides, leaf.offset + first));
  }

  /// Reads four elements, and returns the variable that each of them has of its own.
  std::string load_four(const Leaf& leaf, const std::string& array) {
    const size_t k = four_count_++;
    fours_ += fmt::format("let v{} = {}[{} + q];\n", k, array, shader_.param(leaf.offset / 4));
    std::string own = fmt::format("w{}", k);
    for (size_t j = 0; j < 4; ++j) {
      std::string value;
      if (itemsize(leaf.dtype) == 4) {
        value = fmt::format("v{}.{}", k, "xyzw"[j]);
      } else if (leaf.dtype == DType::boolean) {
        value = fmt::format("(v{} & {}u) != 0u", k, 255u << (8 * j));
      } else {
        const char* const type = is_signed(leaf.dtype) ? "i32" : "u32";
        value = fmt::format("bitcast<u32>(extractBits(bitcast<{}>(v{}), {}u, 8u))", type, k, 8 * j);
      }
      lanes_[j] += fmt::format("let {} = {};\n", own, value);
    }
    return own;
  }

  std::string find_in_set(const IsinSet& set, DType dtype, const std::string& value) {
    const auto home = homes_.find(block_of(set));
    if (home == homes_.end()) return probe(shader_, set, dtype, value, "", 0);
    return probe(shader_, set, dtype, value, home->second.array, home->second.begin / 4);
  }

  std::string in_intervals(int leaf_index, const std::string& at) {
    const Intervals& intervals = *program_.leaves[leaf_index].intervals;
    const std::string cols = shader_.param(intervals.cols());
    if (intervals.is_band()) {
      const auto bound = [](int64_t v) {
        return static_cast<int64_t>(std::clamp<int64_t>(v, INT32_MIN + 1, INT32_MAX - 1));
      };
      const std::string lower = shader_.param(-bound(intervals.lower()));
      const std::string upper = shader_.param(bound(intervals.upper()));
      return fmt::format("in_band({}, {}, {}, {})", at, cols, lower, upper);
    }
    return fmt::format("in_row_{}({}, {}, {})", ends_, at, cols,
                       shader_.param(first_ends_[leaf_index]));
  }

  Queue& queue_;
  Shader& shader_;
  const Program& program_;
  const int spare_;
  const Step step_;
  std::vector<std::string> names_;     // per register: the variable that holds it now
  std::vector<uint8_t> on_host_;       // per register: a number of the host
  std::vector<uint8_t> live_;          // per instruction of the code
  std::vector<uint8_t> setup_needed_;  // per register
  std::map<Block*, Home> homes_;
  std::vector<int64_t> first_ends_;  // per leaf: where the intervals of a structured mask begin
  std::string ends_;                 // the array of these
  std::vector<std::unique_ptr<Scratch>> uploads_;
  std::string indexing_, setup_, fours_;
  std::array<std::string, 4> lanes_;
  size_t four_count_ = 0;
  Indexer* index_ = nullptr;
  int count_ = 0;
};

}  // namespace

bool reads_by_fours(const Program& program, const Block* written, bool as_fours) {
  if (!is_short(program)) return false;
  std::map<const Block*, bool> by_fours;  // a block is bound in one way only
  if (written != nullptr) by_fours[written] = as_fours;
  for (const Leaf& leaf : program.leaves) {
    if (!is_on_device(leaf)) continue;
    const bool repeated = is_repeated(leaf), words = !repeated && itemsize(leaf.dtype) == 4;
    if (by_fours.try_emplace(block_at(leaf), words).first->second != words) return false;
    if (repeated) continue;
    const bool contiguous = leaf.strides == contiguous_strides(program.shape);
    if (!contiguous || leaf.offset % 4 != 0 || !(words || itemsize(leaf.dtype) == 1)) return false;
  }
  // Those of a sink, a set and intervals may come on top.
  return by_fours.size() + 4 <= kMaxBindings;
}

Code emit(Queue& queue, Shader& shader, const Program& program, Wanted wanted, int spare,
          Step step) {
  // Tensors of so many elements do not fit the device, but one may be expanded to them.
  check(program.numel <= UINT32_MAX, ErrorKind::memory,
        "{}: {} elements are more than a kernel can count (2^32 - 1)", queue.adapter().name,
        program.numel);
  return Emitter(queue, shader, program, spare, step).emit(wanted);
}

}  // namespace tamis::webgpu
