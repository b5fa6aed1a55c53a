// The block evaluator: loading leaves, dispatching instructions to kernels, and tracking whether
// masks are all true or all false.
#include "backend/cpu/evaluator.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <new>
#include <utility>

#include "backend/cpu/isin.h"

namespace tamis::cpu {

namespace {

/// A little more than a block of the largest elements, so that registers do not all start at the
/// same position of a page.
constexpr size_t kRegisterBytes = kBlock * 16 + 320;

/// Buffers of this thread, kept between programs.
struct Arena {
  char* data = nullptr;
  size_t bytes = 0;
  ~Arena() { std::free(data); }
};
thread_local Arena register_arena, mask_arena, apply_arena;

void* buffer_in(Arena& arena, size_t bytes) {
  if (arena.bytes < bytes) {
    std::free(std::exchange(arena.data, nullptr));
    arena.bytes = 0;
    const size_t rounded = (bytes + 63) / 64 * 64;
    arena.data = static_cast<char*>(std::aligned_alloc(64, rounded));
    if (!arena.data) throw std::bad_alloc();
    arena.bytes = rounded;
  }
  return arena.data;
}

MaskState state_of(const uint64_t* words, int64_t n) {
  const size_t last = words_of(n) - 1;
  uint64_t any = words[last], all = words[last] | ~tail_word(n);
  for (size_t i = 0; i < last; ++i) {
    any |= words[i];
    all &= words[i];
  }
  return any == 0 ? MaskState::none : all == ~uint64_t{0} ? MaskState::all : MaskState::mixed;
}

/// Whether all elements of a register are read that has the same one everywhere: operations of two
/// numbers read some of them again and again.
bool is_read_whole(const Program& program, int16_t r) {
  if (program.value == r || program.mask == r) return true;
  return std::any_of(program.code.begin(), program.code.end(), [&](const Instr& instr) {
    const bool repeats = is_binary(instr.op) || is_compare(instr.op) || instr.op == Op::where;
    return !repeats && instr.op != Op::load && (instr.a == r || instr.b == r || instr.c == r);
  });
}

}  // namespace

bool is_packed(const Shape& shape, const Shape& strides) {
  int64_t expected = 1;
  for (size_t d = shape.size(); d-- > 0;) {
    if (strides[d] != expected) return false;
    expected *= shape[d];
  }
  return true;
}

uint64_t* kept_words(int64_t count) {
  return static_cast<uint64_t*>(buffer_in(mask_arena, static_cast<size_t>(count) * 8));
}

char* apply_buffers(size_t bytes) { return static_cast<char*>(buffer_in(apply_arena, bytes)); }

Evaluator::Evaluator(const Program& program) : program_(program), kernels_(kernels()) {
  const auto count = static_cast<size_t>(program.registers);
  char* memory = static_cast<char*>(
      buffer_in(register_arena, (kRegisterBytes + sizeof(Register)) * (count + 2)));
  scratch_ = memory;
  bytes_ = memory += kRegisterBytes;
  registers_ = reinterpret_cast<Register*>(memory + kRegisterBytes * (count + 1));
  for (size_t i = 0; i < count; ++i) {
    memory += kRegisterBytes;
    new (registers_ + i) Register{memory, memory, MaskState::mixed};
  }
  // A few elements are computed and then repeated.
  const int64_t n = std::min(kBlock, program.numel), few = std::min<int64_t>(n, 64);
  run(program.setup, 0, program.setup.size(), 0, few);
  for (const Instr& instr : program.setup) {
    if (instr.dst < 0) continue;
    Register& made = registers_[instr.dst];
    made.uniform = true;
    if (n == few) continue;
    if (instr.out == DType::boolean) {
      fill_words(static_cast<uint64_t*>(made.data), n, made.state == MaskState::all);
    } else if (is_read_whole(program, instr.dst)) {
      kernels_.fill[width_index(itemsize(instr.out))](made.data, made.data, static_cast<size_t>(n));
    }
  }
}

const Register& Evaluator::run_mask(int64_t start, int64_t n) {
  reused_ = false;
  run(program_.code, 0, program_.mask_end, start, n);
  return registers_[program_.mask];
}

const Register& Evaluator::reuse_mask(const uint64_t* words, int64_t n) {
  Register& mask = registers_[program_.mask];
  mask.data = const_cast<uint64_t*>(words);
  mask.state = state_of(words, n);
  reused_ = true;
  return mask;
}

const void* Evaluator::run_value(int64_t start, int64_t n, void* out) {
  Register& value = registers_[program_.value];
  const bool is_mask = program_.dtype == DType::boolean;
  void* const own = value.buffer;
  if (out && !is_mask) value.buffer = out;
  if (reused_) {  // what the value shares with the mask has not been computed
    for (int32_t i = 0; i < program_.mask_end; ++i) {
      if (program_.code[i].for_value) execute(program_.code[i], start, n);
    }
  }
  run(program_.code, program_.mask_end, program_.code.size(), start, n);
  value.buffer = own;
  if (is_mask) {
    void* bytes = out ? out : bytes_;
    kernels_.from_mask[static_cast<int>(DType::boolean)](value.words(), bytes, n);
    return bytes;
  }
  if (out && value.data != out) {
    std::memcpy(out, value.data, static_cast<size_t>(n) * itemsize(program_.dtype));
    return out;
  }
  return value.data;
}

bool Evaluator::value_is_there() const {
  const auto costs_nothing = [&](const Instr& instr) {
    if (instr.op == Op::skip_if_none || instr.op == Op::skip_if_all) return true;
    return instr.op == Op::load && instr.out != DType::boolean &&
           is_packed(program_.shape, program_.leaves[instr.leaf].strides);
  };
  return std::all_of(program_.code.begin() + program_.mask_end, program_.code.end(), costs_nothing);
}

const void* Evaluator::run_kept(int64_t start, int64_t n) {
  constexpr int64_t kGap = 4;  // words that are worth a separate run
  Register& mask = registers_[program_.mask];
  if (mask.state != MaskState::mixed || value_is_there()) return run_value(start, n);
  const auto count = static_cast<int64_t>(words_of(n));
  std::copy_n(mask.words(), count, kept_);
  char* const values = static_cast<char*>(registers_[program_.value].buffer);
  const auto next = [&](int64_t i) {
    return std::find_if(kept_ + i, kept_ + count, std::identity()) - kept_;
  };
  for (int64_t from = next(0), to; from < count;) {
    int64_t then = from;
    do {
      to = then + 1;
      then = next(to);
    } while (then < count && then - to < kGap);
    if (from == 0 && to == count) return run_value(start, n);
    const int64_t at = from * 64, length = std::min(to * 64, n) - at;
    reuse_mask(kept_ + from, length);
    run_value(start + at, length, values + at * static_cast<int64_t>(itemsize(program_.dtype)));
    from = then;
  }
  mask.data = kept_;
  mask.state = MaskState::mixed;
  return values;
}

void Evaluator::run(std::span<const Instr> code, size_t from, size_t to, int64_t start, int64_t n) {
  for (size_t i = from; i < to; ++i) {
    const Instr& instr = code[i];
    if (instr.op == Op::skip_if_none || instr.op == Op::skip_if_all) {
      const MaskState wanted = instr.op == Op::skip_if_none ? MaskState::none : MaskState::all;
      if (registers_[instr.a].state == wanted) i = static_cast<size_t>(instr.target) - 1;
      continue;
    }
    execute(instr, start, n);
  }
}

void Evaluator::execute(const Instr& instr, int64_t start, int64_t n) {
  Register& dst = registers_[instr.dst];
  dst.data = dst.buffer;
  const auto data = [&](int16_t r) { return registers_[r].data; };
  auto* words = static_cast<uint64_t*>(dst.buffer);
  const int in = static_cast<int>(instr.in);
  if (instr.op == Op::load) {
    load(instr, start, n);
  } else if (is_unary(instr.op)) {
    kernels_.unary[unary_index(instr.op)][in](data(instr.a), dst.data, n);
  } else if (is_binary(instr.op)) {
    const Register &a = registers_[instr.a], &b = registers_[instr.b];
    kernels_.binary[binary_index(instr.op)][in](a.elements(), b.elements(), dst.data, n);
  } else if (is_compare(instr.op)) {
    const Register &a = registers_[instr.a], &b = registers_[instr.b];
    kernels_.compare[compare_index(instr.op)][in](a.elements(), b.elements(), words, n);
  } else if (is_mask_op(instr.op)) {
    return execute_mask_op(instr, n);
  } else if (instr.op == Op::cast) {
    execute_cast(instr, n);
  } else if (instr.op == Op::where) {
    return execute_where(instr, n);
  } else {
    static_cast<const ProbedSet&>(*instr.set).probe(data(instr.a), words, n);
  }
  if (instr.out == DType::boolean) dst.state = state_of(dst.words(), n);
}

void Evaluator::execute_cast(const Instr& instr, int64_t n) {
  const Register& a = registers_[instr.a];
  void* out = registers_[instr.dst].data;
  const int from = static_cast<int>(instr.in), to = static_cast<int>(instr.out);
  if (instr.in == DType::boolean) {
    kernels_.from_mask[to](a.words(), out, n);
  } else if (instr.out == DType::boolean) {
    kernels_.to_mask[from](a.data, static_cast<uint64_t*>(out), n);
  } else {
    kernels_.cast[from][to](a.data, out, n);
  }
}

void Evaluator::execute_mask_op(const Instr& instr, int64_t n) {
  Register& dst = registers_[instr.dst];
  const Register& a = registers_[instr.a];
  auto* out = static_cast<uint64_t*>(dst.buffer);
  const size_t count = words_of(n);
  if (instr.op == Op::mask_not) {
    for (size_t i = 0; i < count; ++i) out[i] = ~a.words()[i];
    out[count - 1] &= tail_word(n);
    dst.state = a.state == MaskState::none  ? MaskState::all
                : a.state == MaskState::all ? MaskState::none
                                            : MaskState::mixed;
    return;
  }
  // The second operand has been skipped where the first decides.
  const bool decided = (instr.op == Op::mask_and && a.state == MaskState::none) ||
                       (instr.op == Op::mask_or && a.state == MaskState::all);
  if (decided) {
    fill_words(out, n, a.state == MaskState::all);
    dst.state = a.state;
    return;
  }
  const uint64_t* x = a.words();
  const uint64_t* y = registers_[instr.b].words();
  if (instr.op == Op::mask_and) {
    for (size_t i = 0; i < count; ++i) out[i] = x[i] & y[i];
  } else if (instr.op == Op::mask_or) {
    for (size_t i = 0; i < count; ++i) out[i] = x[i] | y[i];
  } else {
    for (size_t i = 0; i < count; ++i) out[i] = x[i] ^ y[i];
  }
  dst.state = state_of(out, n);
}

void Evaluator::execute_where(const Instr& instr, int64_t n) {
  Register& dst = registers_[instr.dst];
  const Register& mask = registers_[instr.c];
  const Register& a = registers_[instr.a];
  const Register& b = registers_[instr.b];
  const bool is_mask = instr.out == DType::boolean;
  if (mask.state != MaskState::mixed) {
    const Register& chosen = mask.state == MaskState::all ? a : b;
    const size_t bytes = is_mask ? words_of(n) * 8 : static_cast<size_t>(n) * itemsize(instr.out);
    if (chosen.uniform && !is_mask) {
      kernels_.fill[width_index(itemsize(instr.out))](chosen.data, dst.data, n);
    } else if (dst.data != chosen.data) {
      std::memcpy(dst.data, chosen.data, bytes);
    }
    dst.state = chosen.state;
  } else if (is_mask) {
    auto* out = static_cast<uint64_t*>(dst.buffer);
    for (size_t i = 0; i < words_of(n); ++i) {
      out[i] = (mask.words()[i] & a.words()[i]) | (~mask.words()[i] & b.words()[i]);
    }
    dst.state = state_of(out, n);
  } else {
    kernels_.where[width_index(itemsize(instr.out))](a.elements(), b.elements(), mask.words(),
                                                     dst.data, n);
  }
}

namespace {

/// Where in a leaf the elements [start, start + n) are, if in one run, else -1.
int64_t run_at(const Shape& shape, const Shape& strides, int64_t start, int64_t n) {
  if (shape.empty() || strides.back() != 1) return -1;
  int64_t offset = start % shape.back(), rest = start / shape.back();
  if (offset + n > shape.back()) return -1;
  for (size_t d = shape.size() - 1; d-- > 0; rest /= shape[d]) {
    offset += rest % shape[d] * strides[d];
  }
  return offset;
}

}  // namespace

void Evaluator::load(const Instr& instr, int64_t start, int64_t n) {
  const Leaf& leaf = program_.leaves[instr.leaf];
  Register& dst = registers_[instr.dst];
  const bool packed = is_packed(program_.shape, leaf.strides);
  if (leaf.counts) return load_counter(leaf, start, n, static_cast<int64_t*>(dst.buffer));
  if (leaf.dtype != DType::boolean) {
    const int64_t at = packed ? start : run_at(program_.shape, leaf.strides, start, n);
    if (at >= 0) {
      dst.data = const_cast<char*>(address(leaf) + at * static_cast<int64_t>(itemsize(leaf.dtype)));
    } else {
      load_bytes(instr.leaf, start, n, dst.buffer);
    }
    return;
  }
  auto* words = static_cast<uint64_t*>(dst.buffer);
  if (leaf.intervals) {
    load_intervals(leaf, start, n, words);
  } else if (leaf.bits) {
    load_bits(leaf, start, n, dst);
  } else if (packed) {
    kernels_.to_mask[0](address(leaf) + start, words, n);
  } else if (leaf.strides.empty() || leaf.strides.back() == 0) {
    load_repeated(leaf, start, n, words);
  } else {
    load_bytes(instr.leaf, start, n, bytes_);
    kernels_.to_mask[0](bytes_, words, n);
  }
}

void Evaluator::load_repeated(const Leaf& leaf, int64_t start, int64_t n, uint64_t* words) {
  std::memset(words, 0, words_of(n) * 8);
  const auto* const data = reinterpret_cast<const uint8_t*>(address(leaf));
  if (program_.shape.size() == 2) {  // rows may be short, so each must cost little
    const int64_t cols = program_.shape[1], stride = leaf.strides[0];
    int64_t row = start / cols, left = cols - start % cols;
    for (int64_t at = 0; at < n; ++row, left = cols) {
      const int64_t length = std::min(left, n - at);
      if (data[row * stride]) set_bits(words, at, length);
      at += length;
    }
    return;
  }
  for_each_segment(program_.shape, leaf.strides, start, n,
                   [&](int64_t offset, int64_t at, int64_t length) {
                     if (data[offset]) set_bits(words, at, length);
                   });
}

void Evaluator::load_bytes(int number, int64_t start, int64_t n, void* out) {
  const Leaf& leaf = program_.leaves[number];
  const size_t size = itemsize(leaf.dtype);
  const int width = width_index(size);
  const auto is_zero = [](int64_t stride) { return stride == 0; };
  if (std::all_of(leaf.strides.begin(), leaf.strides.end(), is_zero)) {
    return kernels_.fill[width](address(leaf), out, static_cast<size_t>(n));
  }
  if (Panel::suits(program_.shape, leaf)) {
    panels_.resize(program_.leaves.size());
    std::unique_ptr<Panel>& panel = panels_[number];
    if (!panel) panel = std::make_unique<Panel>();
    return panel->read(program_.shape, leaf, start, n, out);
  }
  const int64_t stride = leaf.strides.back();
  const char* const base = address(leaf);
  for_each_segment(program_.shape, leaf.strides, start, n,
                   [&](int64_t offset, int64_t at, int64_t length) {
                     const char* from = base + offset * static_cast<int64_t>(size);
                     char* to = static_cast<char*>(out) + at * static_cast<int64_t>(size);
                     if (stride == 1) {
                       std::memcpy(to, from, static_cast<size_t>(length) * size);
                     } else if (stride == 0) {
                       kernels_.fill[width](from, to, length);
                     } else {
                       kernels_.gather[width](from, stride, to, length);
                     }
                   });
}

void Evaluator::load_bits(const Leaf& leaf, int64_t start, int64_t n, Register& dst) {
  auto* const bytes = static_cast<uint8_t*>(leaf.bits->bytes->data());
  auto* const words = static_cast<uint64_t*>(dst.buffer);
  if (is_packed(program_.shape, leaf.strides)) {
    const int64_t first = leaf.offset + start;
    uint8_t* const at = bytes + first / 8;
    if (first % 8 == 0 && n % 64 == 0 && reinterpret_cast<uintptr_t>(at) % 8 == 0) {
      dst.data = at;  // where they are
      return;
    }
    for (int64_t i = 0; i < n; i += 64) {
      words[i / 64] = bits_at(bytes, first + i, std::min<int64_t>(64, n - i));
    }
    return;
  }
  std::memset(words, 0, words_of(n) * 8);
  const int64_t stride = leaf.strides.empty() ? 0 : leaf.strides.back();
  for_each_segment(program_.shape, leaf.strides, start, n,
                   [&](int64_t offset, int64_t at, int64_t length) {
                     const int64_t position = leaf.offset + offset;
                     if (stride == 0) {
                       if (bits_at(bytes, position, 1)) set_bits(words, at, length);
                       return;
                     }
                     const int64_t most = stride == 1 ? 64 : 1;  // bits at a time
                     for (int64_t done = 0, here; done < length; done += here) {
                       here = std::min({most, 64 - (at + done) % 64, length - done});
                       const uint64_t bits = bits_at(bytes, position + done * stride, here);
                       words[(at + done) / 64] |= bits << ((at + done) % 64);
                     }
                   });
}

void Evaluator::load_counter(const Leaf& leaf, int64_t start, int64_t n, int64_t* out) {
  const int64_t stride = leaf.strides.empty() ? 0 : leaf.strides.back();
  for_each_segment(program_.shape, leaf.strides, start, n,
                   [&](int64_t offset, int64_t at, int64_t length) {
                     int64_t next = leaf.offset + offset;
                     for (int64_t i = at; i < at + length; ++i, next += stride) out[i] = next;
                   });
}

void Evaluator::load_intervals(const Leaf& leaf, int64_t start, int64_t n, uint64_t* words) {
  std::memset(words, 0, words_of(n) * 8);
  const Intervals& intervals = *leaf.intervals;
  const int64_t cols = intervals.cols();
  const int64_t stride = leaf.strides.empty() ? 0 : leaf.strides.back();
  const auto contains = [&](int64_t position) {
    const auto [lo, hi] = intervals.row(position / cols);
    return position % cols >= lo && position % cols < hi;
  };
  for_each_segment(program_.shape, leaf.strides, start, n,
                   [&](int64_t offset, int64_t at, int64_t length) {
                     const int64_t position = leaf.offset + offset;
                     if (stride == 0) {
                       if (contains(position)) set_bits(words, at, length);
                       return;
                     }
                     if (stride != 1) {
                       for (int64_t i = 0; i < length; ++i) {
                         if (contains(position + i * stride)) set_bits(words, at + i, 1);
                       }
                       return;
                     }
                     // Consecutive positions: one interval for each row that the segment passes
                     // through.
                     for (int64_t done = 0; done < length;) {
                       const int64_t row = (position + done) / cols, col = (position + done) % cols;
                       const int64_t here = std::min(cols - col, length - done);
                       const auto [lo, hi] = intervals.row(row);
                       const int64_t from = std::max(lo, col), to = std::min(hi, col + here);
                       set_bits(words, at + done + from - col, to - from);
                       done += here;
                     }
                   });
}

}  // namespace tamis::cpu
