// Sinks that select: compress, partition, coordinates.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <vector>

#include "backend/cpu/allocator.h"
#include "backend/cpu/blocks.h"
#include "tamis/runtime.h"

namespace tamis::cpu {

namespace {

/// Packs what a mask selects of one block of values at out, at most `capacity` elements; returns
/// their number. `count` is the mask's. Everything up to out + capacity may be overwritten.
int64_t pack(Evaluator& evaluator, const void* value, const Register& mask, int64_t n,
             int64_t count, int64_t size, char* out, int64_t capacity) {
  if (mask.state != MaskState::mixed) {
    const int64_t taken = mask.state == MaskState::none ? 0 : std::min(n, capacity);
    std::memcpy(out, value, static_cast<size_t>(taken * size));
    return taken;
  }
  const auto compress = kernels().compress[width_index(size)];
  if (count <= capacity) {
    compress(value, mask.words(), out, out + capacity * size, n);
    return count;
  }
  char* const block = static_cast<char*>(evaluator.scratch());
  compress(value, mask.words(), block, block + count * size, n);
  std::memcpy(out, block, static_cast<size_t>(capacity * size));
  return capacity;
}

/// The complement of a mask's first n bits.
Register complement(const Register& mask, int64_t n, uint64_t* words) {
  Register result;
  result.data = words;
  if (mask.state != MaskState::mixed) {
    result.state = mask.state == MaskState::none ? MaskState::all : MaskState::none;
    return result;
  }
  for (int64_t w = 0; w * 64 < n; ++w) words[w] = ~mask.words()[w];
  if (n % 64 != 0) words[n / 64] &= (uint64_t{1} << (n % 64)) - 1;
  return result;
}

/// Coordinates of `found` elements of one row-major shape, whose flat positions are in the last
/// column: those of the other columns follow from the row that each position falls into.
void split_positions(const Shape& shape, int64_t* first, int64_t stride, int64_t found) {
  const size_t rank = shape.size();
  if (rank == 1) return;
  int64_t* const last = first + static_cast<int64_t>(rank - 1) * stride;
  const int64_t cols = shape[rank - 1];
  for (int64_t k = 0; k < found;) {
    const int64_t row = last[k] / cols, begin = row * cols, end = begin + cols;
    const int64_t from = k;
    for (; k < found && last[k] < end; ++k) last[k] -= begin;
    int64_t rest = row;
    for (size_t d = rank - 1; d-- > 0;) {
      std::fill(first + static_cast<int64_t>(d) * stride + from,
                first + static_cast<int64_t>(d) * stride + k, rest % shape[d]);
      rest /= shape[d];
    }
  }
}

/// Whether to compress in one reading: the mask is computed from what is selected, so that counting
/// first would read it twice, and there is too much of it for the caches.
bool reads_once(const Program& program) {
  const auto mask_code = std::span(program.code).first(static_cast<size_t>(program.mask_end));
  return program.numel >= 16 * kChunk && std::any_of(mask_code.begin(), mask_code.end(),
                                                     [](const Instr& i) { return i.for_value; });
}

/// About how many elements the mask selects, from samples, and an eighth more.
int64_t generous_count(const Program& program) {
  constexpr int64_t kSamples = 128, kLength = 256;
  Evaluator evaluator(program);
  int64_t count = 0;
  for (int64_t i = 0; i < kSamples; ++i) {
    const int64_t start = program.numel / kSamples * i / 64 * 64;
    count += count_block(evaluator.run_mask(start, kLength), kLength);
  }
  const double share = static_cast<double>(count) / (kSamples * kLength) * 1.125 + 1.0 / 256;
  return static_cast<int64_t>(std::min(share, 1.0) * static_cast<double>(program.numel));
}

/// Packs what the mask selects in one reading: each chunk counts its mask, learns from the chunk
/// before it where its elements begin, and packs them while they are in the cache. Returns the
/// number of all selected elements; those that do not fit into the capacity are left out.
int64_t compress_chained(const Program& program, const Output& output, int64_t size) {
  const int64_t chunks = chunks_of(program.numel);
  char* const out = address(output.buffer, static_cast<size_t>(size));
  constexpr int64_t kUnknown = -1;
  check_memory(chunks * static_cast<int64_t>(sizeof(int64_t)));
  std::vector<std::atomic<int64_t>> begins(static_cast<size_t>(chunks + 1));
  for (int64_t i = 1; i <= chunks; ++i) begins[i].store(kUnknown, std::memory_order_relaxed);
  // Chunks are taken in order, so the one that a chunk waits for is being worked on.
  std::atomic<int64_t> next{0};
  parallel_for(get_num_threads(), 1, [&](int64_t, int64_t) {
    Evaluator evaluator(program);
    std::vector<uint64_t> words(kChunk / 64);
    for (int64_t chunk; (chunk = next.fetch_add(1)) < chunks;) {
      const int64_t from = chunk * kChunk, to = std::min(program.numel, from + kChunk);
      int64_t count = 0;
      const auto publish = [&] {
        begins[chunk].wait(kUnknown, std::memory_order_acquire);
        begins[chunk + 1].store(begins[chunk] + count, std::memory_order_release);
        begins[chunk + 1].notify_all();
      };
      try {
        for (int64_t start = from; start < to; start += kBlock) {
          const int64_t n = std::min(kBlock, to - start);
          const Register& mask = evaluator.run_mask(start, n);
          count += count_block(mask, n);
          std::copy_n(mask.words(), (n + 63) / 64, words.data() + (start - from) / 64);
        }
      } catch (...) {  // other chunks must not wait for this one forever
        publish();
        throw;
      }
      publish();
      int64_t at = std::min(begins[chunk].load(), output.capacity);
      const int64_t end = std::min(begins[chunk + 1].load(), output.capacity);
      for (int64_t start = from; start < to && at < end; start += kBlock) {
        const int64_t n = std::min(kBlock, to - start);
        const Register& mask = evaluator.reuse_mask(words.data() + (start - from) / 64, n);
        if (mask.state == MaskState::none) continue;
        at += pack(evaluator, evaluator.run_value(start, n), mask, n, count_block(mask, n), size,
                   out + at * size, end - at);
      }
    }
  });
  return begins[chunks];
}

}  // namespace

void run_compress(const Program& program, const std::function<Output(int64_t)>& resize) {
  const int64_t size = static_cast<int64_t>(itemsize(program.dtype));
  if (program.numel <= kBlock) {  // the mask is computed once
    Evaluator evaluator(program);
    const Register& mask = evaluator.run_mask(0, program.numel);
    const int64_t count = count_block(mask, program.numel);
    const Output output = resize(count);
    if (count == 0 || output.capacity == 0) return;
    const void* value = evaluator.run_value(0, program.numel);
    pack(evaluator, value, mask, program.numel, count, size,
         address(output.buffer, itemsize(program.dtype)), std::min(count, output.capacity));
    return;
  }
  if (reads_once(program)) {
    const Output output = resize(generous_count(program));
    const int64_t count = compress_chained(program, output, size);
    if (count <= output.capacity) {
      resize(count);
      return;
    }
  }
  const CountedMask counted(program);
  const Output output = resize(counted.total());
  char* const out = address(output.buffer, itemsize(program.dtype));
  std::vector<int64_t> offsets = counted.offsets();
  for (int64_t& offset : offsets) offset = std::min(offset, output.capacity);
  std::vector<int64_t> done(offsets.begin(), offsets.end() - 1);  // next position of each chunk
  for_each_block(program, [&](Evaluator& evaluator, int64_t chunk, int64_t start, int64_t n) {
    const int64_t left = offsets[chunk + 1] - done[chunk];
    if (left == 0) return;
    const Register& mask = counted.block(evaluator, start, n);
    if (mask.state == MaskState::none) return;
    const void* value = evaluator.run_value(start, n);
    done[chunk] +=
        pack(evaluator, value, mask, n, count_block(mask, n), size, out + done[chunk] * size, left);
  });
}

bool run_compress_small(const void* data, size_t itemsize, const void* mask, int64_t n,
                        const std::function<Output(int64_t)>& allocate) {
  if (n > kBlock) return false;
  const Kernels& table = kernels();
  uint64_t words[kBlockWords];
  table.to_mask[static_cast<int>(DType::boolean)](mask, words, static_cast<size_t>(n));
  const int64_t count = table.popcount(words, static_cast<size_t>(n));
  const Output output = allocate(count);
  char* const out = address(output.buffer, itemsize);
  table.compress[width_index(itemsize)](
      data, words, out, out + count * static_cast<int64_t>(itemsize), static_cast<size_t>(n));
  return true;
}

void run_partition(const Program& program,
                   const std::function<std::pair<Buffer, Buffer>(int64_t)>& allocate) {
  const int64_t size = static_cast<int64_t>(itemsize(program.dtype));
  const CountedMask counted(program);
  const std::vector<int64_t>& offsets = counted.offsets();
  const auto [kept, rejected] = allocate(counted.total());
  char* const to[] = {address(kept, itemsize(program.dtype)),
                      address(rejected, itemsize(program.dtype))};
  std::vector<int64_t> done(offsets.begin(), offsets.end() - 1);
  for_each_block(program, [&](Evaluator& evaluator, int64_t chunk, int64_t start, int64_t n) {
    const Register& mask = counted.block(evaluator, start, n);
    uint64_t words[kBlockWords];
    const Register others = complement(mask, n, words);
    const void* value = evaluator.run_value(start, n);
    const int64_t count = count_block(mask, n), at = done[chunk], behind = start - at;
    const int64_t stop = std::min(program.numel, (chunk + 1) * kChunk);
    pack(evaluator, value, mask, n, count, size, to[0] + at * size, offsets[chunk + 1] - at);
    pack(evaluator, value, others, n, n - count, size, to[1] + behind * size,
         stop - offsets[chunk + 1] - behind);
    done[chunk] += count;
  });
}

void run_coordinates(const Program& program, const Shape& shape,
                     const std::function<Output(int64_t)>& allocate) {
  const CountedMask counted(program);
  const Output output = allocate(counted.total());
  std::vector<int64_t> offsets = counted.offsets();
  for (int64_t& offset : offsets) offset = std::min(offset, output.capacity);
  const size_t rank = shape.size();
  if (offsets.back() == 0 || rank == 0) return;
  std::vector<int64_t> done(offsets.begin(), offsets.end() - 1);
  const auto positions = kernels().positions;
  for_each_block(program, [&](Evaluator& evaluator, int64_t chunk, int64_t start, int64_t n) {
    const int64_t left = offsets[chunk + 1] - done[chunk];
    if (left == 0) return;
    const Register& mask = counted.block(evaluator, start, n);
    if (mask.state == MaskState::none) return;
    int64_t* const first = address<int64_t>(output.buffer) + done[chunk];
    int64_t* const last = first + static_cast<int64_t>(rank - 1) * output.capacity;
    int64_t found = count_block(mask, n);
    if (found <= left) {
      positions(mask.words(), start, last, n);
    } else {
      int64_t* const block = static_cast<int64_t*>(evaluator.scratch());
      positions(mask.words(), start, block, n);
      found = left;
      std::copy(block, block + found, last);
    }
    split_positions(shape, first, output.capacity, found);
    done[chunk] += found;
  });
}

}  // namespace tamis::cpu
