// Queue: the work of a device in the order in which it was asked for: buffers from a pool, kernels
// compiled once, dispatches collected and submitted together.
#pragma once

#include <map>
#include <mutex>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "backend/attempt.h"
#include "backend/webgpu/gpu.h"

namespace tamis::webgpu {

class Queue;
class Shader;

/// A block of the device's memory. What Memory::data and Buffer::memory are on this device.
struct Block {
  Queue* queue = nullptr;
  void* handle = nullptr;
  int64_t bytes = 0;    // of the handle
  int64_t counted = 0;  // what was asked for
  uint64_t list = 0;    // the last list of commands that uses it
  // How the bytes came about, as a hash: equal ones stand for equal bytes.
  uint64_t content = 0;  // for its owner; 0 if it was not written since it was allocated
  uint64_t held = 0;     // really: by what an attempt finds what the owner before has left
  uint64_t run = 0;      // of the attempt that allocated it, or 0
  // What the host has written, if it is little and all that was written: nobody need wait for it.
  std::vector<std::byte> from_host;
};

/// Calls may come from any thread; each takes effect whole, after those before it.
class Queue {
 public:
  explicit Queue(std::unique_ptr<Gpu> gpu);

  const Limits& limits() const { return gpu_->limits(); }
  const Adapter& adapter() const { return gpu_->adapter(); }
  /// Whether kernels should have few invocations, no barriers, and read memory by fours.
  bool in_software() const { return in_software_; }

  /// Uninitialised. Throws kind memory if that is more than a shader can see, or than there is.
  Block* allocate(int64_t bytes);
  void free(Block* block) noexcept;
  /// Keeps no buffers that are not in use.
  void trim();

  void write(Block* to, int64_t begin, const void* data, int64_t bytes);
  /// Waits for all that has been recorded. Bytes that are not whole words may be read too. In an
  /// attempt nobody waits: throws Pending unless the answer has come; elsewhere throws WouldWait if
  /// the device cannot be waited for.
  void read(Block* from, int64_t begin, void* data, int64_t bytes);

  /// These bytes of a block, if they are few and the host has written them, else nothing. Valid
  /// until the block is written.
  std::span<const std::byte> known(const Block& block, int64_t begin, int64_t bytes) const;

  /// Records a kernel over `invocations` (at most 2^32 - 1).
  void run(const Shader& shader, int64_t invocations);
  /// The same by the number of workgroups.
  void run_groups(const Shader& shader, int64_t groups);
  /// In bytes, all of them multiples of 4.
  void copy(Block* from, int64_t from_begin, Block* to, int64_t to_begin, int64_t bytes);
  void clear(Block* block, int64_t begin, int64_t bytes);

  /// Gives `to`, which this run of an attempt has allocated, the memory and the content of `from`,
  /// and the reverse. False if it is not such a block, and then nothing has changed.
  bool exchange(Block* from, Block* to);

  /// Sends what has been recorded to the device.
  void submit();
  void synchronize();

  Stats stats() const;
  void reset_stats();
  /// Bytes that tensors may take together; for tests. 0: no limit but the device's.
  void set_memory_limit(int64_t bytes) { memory_limit_ = bytes; }
  /// For tests, whose device is not in a browser.
  void set_in_software(bool value) { in_software_ = value; }
  Gpu& gpu() { return *gpu_; }
  /// The texts of all kernels compiled so far; for tests.
  std::vector<std::string> kernels() const;

 private:
  /// What every call holds. Throws kind device in the child of a fork: it has not the threads that
  /// work for the device, and a lock that another thread held stays locked there.
  std::unique_lock<std::mutex> lock() const;
  struct Pipeline {
    void* handle = nullptr;
    uint64_t number = 0;
  };
  const Pipeline& pipeline(const Shader& shader);
  /// The answer of the attempt to a read of `bytes` bytes from `begin` on, or Pending.
  void read_in_attempt(Attempt& attempt, const Block& from, int64_t begin, void* data,
                       int64_t bytes);
  /// Starts a read of whole words; `then` gets the bytes from `skip` on, or null.
  void start_read(const Block& from, int64_t begin, int64_t bytes,
                  std::function<void(const void* data)> then);

  /// A block that a command writes, and its content afterwards.
  using Made = std::pair<Block*, uint64_t>;
  static std::vector<Made> outcome(const Shader& shader, uint64_t kernel, int64_t groups);
  /// Before a command is recorded: whether a run of the same attempt has done it before and the
  /// results are still in memory that no one uses. Then the blocks have them, and the command is
  /// not needed.
  bool recall(std::span<const Made> made);
  /// After it.
  void note(std::span<const Made> made);
  /// Exchanges what is in two blocks.
  void swap(Block* a, Block* b);
  void hold(Block* block, uint64_t key);
  void release(Block* block);
  /// Gives up what is kept for reuse if there is no memory left.
  void* make_buffer(int64_t bytes);
  void trim_locked();
  void submit_locked();
  void use(Block* block) { block->list = list_; }

  const std::unique_ptr<Gpu> gpu_;
  const int process_;
  mutable std::mutex mutex_;
  std::multimap<int64_t, Block*> pool_;                  // by size
  std::unordered_map<std::string, Pipeline> pipelines_;  // by text, without the library
  std::unordered_map<uint64_t, Block*> held_;            // what attempts have written
  uint64_t writes_ = 0;                                  // from the host, outside of attempts
  std::vector<Command> commands_;
  std::vector<std::byte> params_;
  uint64_t list_ = 1;  // number of the list that is being recorded
  std::atomic<int64_t> memory_limit_{0};
  std::atomic<bool> in_software_;
  Stats stats_;
};

/// A block for as long as a sink runs.
class Scratch {
 public:
  Scratch(Queue& queue, int64_t bytes) : block_(queue.allocate(bytes)) {}
  ~Scratch() { block_->queue->free(block_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  operator Block*() const { return block_; }

 private:
  Block* block_;
};

}  // namespace tamis::webgpu
