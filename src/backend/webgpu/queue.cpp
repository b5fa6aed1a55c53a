// Recording and submitting, and the pool of buffers.
#include "backend/webgpu/queue.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "backend/webgpu/content.h"
#include "backend/webgpu/library.h"
#include "backend/webgpu/shader.h"
#include "core/check.h"
#include "core/fork.h"

namespace tamis::webgpu {

namespace {

/// Buffers are made in these sizes, so that they fit again: with 4 steps per power of two.
int64_t size_class(int64_t bytes) {
  int64_t step = 256;
  while (step * 8 <= bytes) step *= 2;
  return (bytes + step - 1) / step * step;
}

/// The list is sent when it has this many commands: the device should not wait for long ones.
constexpr size_t kMaxCommands = 128;

/// Buffers kept for reuse, at most.
constexpr int64_t kMaxCached = int64_t{1} << 29;

/// As many bytes from the host are kept with the block that they were written to.
constexpr int64_t kMaxFromHost = int64_t{1} << 16;

int64_t whole_words(int64_t bytes) { return (bytes + 3) / 4 * 4; }

/// What a caller who waits shares with the continuation that it waits for. A lost device may call
/// back when nobody waits any more.
struct Waiting {
  std::mutex mutex;  // guards all but done
  std::atomic<bool> done{false};
  bool given_up = false, ok = false;

  void wait(Gpu& gpu) {
    try {
      gpu.wait(done);
    } catch (...) {
      const std::lock_guard guard(mutex);
      given_up = true;
      throw;
    }
  }
};

}  // namespace

Queue::Queue(std::unique_ptr<Gpu> gpu)
    : gpu_(std::move(gpu)), process_(process_id()), in_software_(gpu_->limits().in_software) {}

std::unique_lock<std::mutex> Queue::lock() const {
  check(process_ == process_id(), ErrorKind::device,
        "{}: cannot be used in a forked subprocess, whose parent has used it; start the process "
        "anew (in Python, with the 'spawn' method)",
        adapter().name);
  return std::unique_lock(mutex_);
}

Block* Queue::allocate(int64_t bytes) {
  const auto largest = static_cast<int64_t>(limits().buffer_bytes);
  check(bytes <= largest, ErrorKind::memory,
        "{}: a tensor of {} bytes is more than the {} that a shader can see on this device",
        adapter().name, bytes, largest);
  const int64_t limit = memory_limit_;
  // Padding as on the CPU, so that elements can be written by whole words.
  const int64_t size = std::min(size_class(bytes + 16), std::max(largest, int64_t{256}));
  const auto guard = lock();
  check(limit == 0 || stats_.live_bytes + bytes <= limit, ErrorKind::memory,
        "{}: could not allocate {} bytes: {} of {} are in use", adapter().name, bytes,
        stats_.live_bytes, limit);
  Block* block = nullptr;
  for (auto found = pool_.find(size); !block && found != pool_.end(); found = pool_.find(size)) {
    block = found->second;
    pool_.erase(found);
    stats_.cached_bytes -= block->bytes;
    if (!gpu_->is_intact(block->handle)) release(std::exchange(block, nullptr));
  }
  if (!block) {
    void* const handle = make_buffer(size);
    block = new Block;
    block->queue = this;
    block->handle = handle;
    block->bytes = size;
  }
  block->counted = bytes;
  block->run = Attempt::current() ? Attempt::current()->run() : 0;
  stats_.live_bytes += bytes;
  return block;
}

void* Queue::make_buffer(int64_t bytes) {
  try {
    return gpu_->make_buffer(static_cast<uint64_t>(bytes));
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::memory || pool_.empty()) throw;
  }
  trim_locked();
  return gpu_->make_buffer(static_cast<uint64_t>(bytes));
}

void Queue::free(Block* block) noexcept {
  if (process_ != process_id()) return;  // the parent's
  const std::lock_guard guard(mutex_);
  stats_.live_bytes -= block->counted;
  // A buffer that the list still needs must stay; so all go to the pool until it is sent.
  stats_.cached_bytes += block->bytes;
  block->content = 0;
  block->from_host = {};
  pool_.emplace(block->bytes, block);
  for (auto at = pool_.begin(); stats_.cached_bytes > kMaxCached && at != pool_.end();) {
    if (at->second->list == list_) {
      ++at;
      continue;
    }
    stats_.cached_bytes -= at->second->bytes;
    release(at->second);
    at = pool_.erase(at);
  }
}

void Queue::trim() {
  const auto guard = lock();
  trim_locked();
}

void Queue::trim_locked() {
  submit_locked();
  for (const auto& [size, block] : pool_) release(block);
  pool_.clear();
  stats_.cached_bytes = 0;
}

void Queue::write(Block* to, int64_t begin, const void* data, int64_t bytes) {
  if (bytes == 0) return;
  const auto guard = lock();
  // Equal bytes have equal hashes only where it matters: others are not worth the time.
  const uint64_t source =
      Attempt::current() ? mix_bytes(kFromHost, data, bytes) : mix({kFromStamp, ++writes_});
  const Made made{to, mix({source, to->content, static_cast<uint64_t>(begin)})};
  if (!recall({&made, 1})) {
    if (to->list == list_) submit_locked();
    stats_.written_bytes += bytes;
    const int64_t whole = bytes / 4 * 4;
    const auto at = static_cast<uint64_t>(begin);
    if (whole > 0) gpu_->write(to->handle, at, data, static_cast<uint64_t>(whole));
    if (whole != bytes) {
      uint32_t word = 0;  // what it overwrites is padding
      std::memcpy(&word, static_cast<const char*>(data) + whole,
                  static_cast<size_t>(bytes - whole));
      gpu_->write(to->handle, at + static_cast<uint64_t>(whole), &word, 4);
    }
    note({&made, 1});
  }
  const auto* const first = static_cast<const std::byte*>(data);
  if (begin == 0 && bytes <= kMaxFromHost) to->from_host.assign(first, first + bytes);
}

void Queue::start_read(const Block& from, int64_t begin, int64_t bytes,
                       std::function<void(const void* data)> then) {
  submit_locked();
  ++stats_.readbacks;
  stats_.readback_bytes += bytes;
  const int64_t first = begin / 4 * 4, skip = begin - first;
  gpu_->read(from.handle, static_cast<uint64_t>(first),
             static_cast<uint64_t>(whole_words(skip + bytes)),
             [skip, then = std::move(then)](const void* found) {
               then(found ? static_cast<const char*>(found) + skip : nullptr);
             });
}

void Queue::read(Block* from, int64_t begin, void* data, int64_t bytes) {
  if (bytes == 0) return;
  if (Attempt* const attempt = Attempt::current()) {
    return read_in_attempt(*attempt, *from, begin, data, bytes);
  }
  if (!gpu_->can_wait()) {
    throw WouldWait("the elements are on a GPU, for which a browser cannot wait");
  }
  const auto waiting = std::make_shared<Waiting>();
  {
    const auto guard = lock();
    start_read(*from, begin, bytes, [waiting, data, bytes](const void* found) {
      const std::lock_guard continuation(waiting->mutex);
      if (waiting->given_up) return;
      waiting->ok = found != nullptr;
      if (found) std::memcpy(data, found, static_cast<size_t>(bytes));
      waiting->done = true;
    });
  }
  waiting->wait(*gpu_);
  check(waiting->ok, ErrorKind::device, "{}: the device was lost while its memory was read",
        adapter().name);
}

void Queue::read_in_attempt(Attempt& attempt, const Block& from, int64_t begin, void* data,
                            int64_t bytes) {
  const auto guard = lock();
  if (const std::span<const std::byte> found = known(from, begin, bytes); !found.empty()) {
    std::memcpy(data, found.data(), found.size());
    return;
  }
  const uint64_t key =
      mix({kRead, from.content, static_cast<uint64_t>(begin), static_cast<uint64_t>(bytes)});
  if (const std::shared_ptr<Attempt::Answer> answer = attempt.find(key)) {
    if (!answer->done) throw Pending();
    check(answer->ok, ErrorKind::device, "{}: the device was lost while its memory was read",
          adapter().name);
    std::memcpy(data, answer->bytes.data(), static_cast<size_t>(bytes));
    return;
  }
  start_read(from, begin, bytes, [answer = attempt.ask(key), bytes](const void* found) {
    const auto* const first = static_cast<const std::byte*>(found);
    answer->ok = found != nullptr;
    if (found) answer->bytes.assign(first, first + bytes);
    answer->done = true;
  });
  throw Pending();
}

std::span<const std::byte> Queue::known(const Block& block, int64_t begin, int64_t bytes) const {
  gpu_->check_alive();
  const auto end = static_cast<size_t>(begin + bytes);
  if (end > block.from_host.size() || !gpu_->is_intact(block.handle)) return {};
  return std::span(block.from_host)
      .subspan(end - static_cast<size_t>(bytes), static_cast<size_t>(bytes));
}

const Queue::Pipeline& Queue::pipeline(const Shader& shader) {
  const std::string& text = shader.text();
  if (const auto found = pipelines_.find(text); found != pipelines_.end()) return found->second;
  void* const made = gpu_->make_pipeline(library_for(text) + text, shader.accesses());
  ++stats_.pipelines;
  return pipelines_.emplace(text, Pipeline{made, pipelines_.size() + 1}).first->second;
}

void Queue::run(const Shader& shader, int64_t invocations) {
  run_groups(shader, (invocations + kGroupSize - 1) / kGroupSize);
}

void Queue::run_groups(const Shader& shader, int64_t groups) {
  if (groups == 0) return;
  const auto guard = lock();
  const Pipeline& kernel = pipeline(shader);
  const std::vector<Made> made = outcome(shader, kernel.number, groups);
  if (recall(made)) return;
  Command command;
  command.kind = Command::Kind::dispatch;
  command.pipeline = kernel.handle;
  const auto bytes = static_cast<uint32_t>(shader.params().size() * 4);
  uint32_t begin = static_cast<uint32_t>(params_.size()) + kParamsStride - 1;
  begin -= begin % kParamsStride;
  if (commands_.size() >= kMaxCommands || begin + bytes > kParamsBytes) {
    submit_locked();
    begin = 0;
  }
  params_.resize(begin + bytes);
  std::memcpy(params_.data() + begin, shader.params().data(), bytes);
  command.params_begin = begin;
  command.params_bytes = bytes;
  const int64_t rows = (groups + kMaxGroups - 1) / kMaxGroups;
  command.groups[0] = static_cast<uint32_t>((groups + rows - 1) / rows);
  command.groups[1] = static_cast<uint32_t>(rows);
  for (Block* block : shader.blocks()) {
    command.buffers.push_back(block->handle);
    use(block);
  }
  commands_.push_back(std::move(command));
  note(made);
  ++stats_.dispatches;
}

void Queue::copy(Block* from, int64_t from_begin, Block* to, int64_t to_begin, int64_t bytes) {
  if (bytes == 0) return;
  const auto guard = lock();
  Command command;
  command.kind = Command::Kind::copy;
  command.from_begin = static_cast<uint64_t>(from_begin);
  command.to_begin = static_cast<uint64_t>(to_begin);
  command.bytes = static_cast<uint64_t>(bytes);
  const Made made{to, mix({kFromCopy, from->content, to->content, command.from_begin,
                           command.to_begin, command.bytes})};
  if (recall({&made, 1})) return;
  command.from = from->handle;
  command.to = to->handle;
  use(from);
  use(to);
  commands_.push_back(std::move(command));
  note({&made, 1});
}

void Queue::clear(Block* block, int64_t begin, int64_t bytes) {
  if (bytes == 0) return;
  const auto guard = lock();
  Command command;
  command.kind = Command::Kind::clear;
  command.to_begin = static_cast<uint64_t>(begin);
  command.bytes = static_cast<uint64_t>(bytes);
  const Made made{block, mix({kFromClear, block->content, command.to_begin, command.bytes})};
  if (recall({&made, 1})) return;
  command.to = block->handle;
  use(block);
  commands_.push_back(std::move(command));
  note({&made, 1});
}

void Queue::submit_locked() {
  if (commands_.empty()) return;
  // Gone even if the device refuses them: what is refused once would be refused again.
  const std::vector<Command> commands = std::move(commands_);
  const std::vector<std::byte> params = std::move(params_);
  commands_.clear();
  params_.clear();
  ++list_;
  ++stats_.submits;
  gpu_->submit(commands, params);
}

void Queue::submit() {
  const auto guard = lock();
  submit_locked();
}

void Queue::synchronize() {
  const auto waiting = std::make_shared<Waiting>();
  {
    const auto guard = lock();
    submit_locked();
    gpu_->on_done([waiting] { waiting->done = true; });
  }
  waiting->wait(*gpu_);
}

std::vector<std::string> Queue::kernels() const {
  const auto guard = lock();
  std::vector<std::string> texts;
  for (const auto& [text, pipeline] : pipelines_) texts.push_back(library_for(text) + text);
  return texts;
}

Stats Queue::stats() const {
  const auto guard = lock();
  return stats_;
}

void Queue::reset_stats() {
  const auto guard = lock();
  const Stats before = stats_;
  stats_ = {};
  stats_.live_bytes = before.live_bytes;
  stats_.cached_bytes = before.cached_bytes;
}

}  // namespace tamis::webgpu
