// Queue over a device that only copies and keeps books: the order of commands, the pool of buffers,
// and faults that a real device cannot be asked for.
#include "backend/webgpu/queue.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <memory>
#include <utility>

#include "backend/webgpu/shader.h"
#include "core/check.h"
#include "support/errors.h"

namespace tamis::webgpu {
namespace {

/// Executes copies and clears when they are submitted; dispatches are counted.
class FakeGpu final : public Gpu {
 public:
  const Adapter& adapter() const override { return adapter_; }
  const Limits& limits() const override { return limits_; }

  void* make_buffer(uint64_t bytes) override {
    check(used_ + bytes <= memory, ErrorKind::memory, "no memory");
    used_ += bytes;
    auto* const buffer = new std::vector<char>(keeps_bytes ? bytes : 0);
    sizes_[buffer] = bytes;
    return buffer;
  }
  void free_buffer(void* buffer) override {
    used_ -= sizes_.at(buffer);
    sizes_.erase(buffer);
    delete static_cast<std::vector<char>*>(buffer);
  }
  bool is_intact(void* buffer) const override { return buffer != broken; }
  void write(void* buffer, uint64_t begin, const void* data, uint64_t bytes) override {
    std::memcpy(at(buffer, begin), data, bytes);
  }
  void* make_pipeline(const std::string&, std::span<const Access>) override {
    check(compiles, ErrorKind::device, "refused");
    ++pipelines;
    return this;
  }
  void submit(std::span<const Command> commands, std::span<const std::byte> params) override {
    EXPECT_LE(params.size(), kParamsBytes);
    lists.push_back(commands.size());
    check(accepts, ErrorKind::device, "refused");
    for (const Command& command : commands) {
      for (void* buffer : command.buffers) EXPECT_TRUE(sizes_.count(buffer)) << "a dead buffer";
      if (command.kind == Command::Kind::clear) {
        std::memset(at(command.to, command.to_begin), 0, command.bytes);
      } else if (command.kind == Command::Kind::copy) {
        std::memcpy(at(command.to, command.to_begin), at(command.from, command.from_begin),
                    command.bytes);
      } else {
        EXPECT_EQ(command.params_begin % kParamsStride, 0u);
        EXPECT_LE(command.params_begin + command.params_bytes, params.size());
        dispatched += int64_t{command.groups[0]} * command.groups[1];
      }
    }
  }
  void read(void* buffer, uint64_t begin, uint64_t,
            std::function<void(const void*)> then) override {
    later_ = [this, buffer, begin, then] { then(answers ? at(buffer, begin) : nullptr); };
  }
  void on_done(std::function<void()> then) override { later_ = then; }
  void wait(const std::atomic<bool>&) override {
    check(in_time, ErrorKind::device, "lost");
    call_back();
  }
  void lose() override {}

  void call_back() { std::exchange(later_, nullptr)(); }
  uint64_t used() const { return used_; }

  uint64_t memory = UINT64_MAX;
  void* broken = nullptr;  // a buffer
  bool keeps_bytes = true, compiles = true, accepts = true, answers = true, in_time = true;
  std::vector<size_t> lists;  // sizes of what was submitted
  int64_t dispatched = 0;     // groups
  int pipelines = 0;

 private:
  char* at(void* buffer, uint64_t begin) {
    return static_cast<std::vector<char>*>(buffer)->data() + begin;
  }

  const Adapter adapter_{"a fake", "none", "cpu", "none"};
  const Limits limits_{uint64_t{1} << 30};
  std::map<void*, uint64_t> sizes_;
  uint64_t used_ = 0;
  std::function<void()> later_;
};

class WebGpuQueue : public ::testing::Test {
 protected:
  WebGpuQueue() : owned_(new FakeGpu), gpu_(*owned_), queue_(std::move(owned_)) {}
  ~WebGpuQueue() override { queue_.trim(); }

  Block* filled(char value, int64_t bytes) {
    Block* const block = queue_.allocate(bytes);
    const std::vector<char> data(static_cast<size_t>(bytes), value);
    queue_.write(block, 0, data.data(), bytes);
    return block;
  }
  std::string content(Block* block, int64_t begin, int64_t bytes) {
    std::string data(static_cast<size_t>(bytes), '?');
    queue_.read(block, begin, data.data(), bytes);
    return data;
  }

  std::unique_ptr<FakeGpu> owned_;
  FakeGpu& gpu_;
  Queue queue_;
};

TEST_F(WebGpuQueue, WritesComeAfterWhatWasRecordedBefore) {
  Block *const a = filled('a', 16), *const b = filled('b', 16), *const c = filled('c', 16);
  queue_.copy(a, 0, b, 0, 16);
  EXPECT_TRUE(gpu_.lists.empty());
  queue_.write(c, 0, "CCCC", 4);
  EXPECT_TRUE(gpu_.lists.empty()) << "the list does not use c";
  queue_.write(a, 0, "AAAA", 4);
  EXPECT_EQ(gpu_.lists.size(), 1u) << "b must get what a was";
  EXPECT_EQ(content(b, 0, 16), std::string(16, 'a'));
  EXPECT_EQ(content(a, 2, 5), "AAaaa") << "from the middle of a word";
  for (Block* block : {a, b, c}) queue_.free(block);
}

TEST_F(WebGpuQueue, BuffersThatTheListUsesMayBeUsedAgainAtOnce) {
  Block* const result = filled('-', 64);
  for (int i = 0; i < 16; ++i) {
    Block* const source = filled(static_cast<char>('a' + i), 4);  // the buffer of the one before
    queue_.copy(source, 0, result, 4 * i, 4);
    queue_.free(source);
  }
  EXPECT_EQ(content(result, 0, 64),
            "aaaabbbbccccddddeeeeffffgggghhhhiiiijjjjkkkkllllmmmmnnnnoooopppp");
  queue_.free(result);
}

TEST_F(WebGpuQueue, LongListsAreSentInParts) {
  Block* const block = filled('a', 16);
  for (int i = 0; i < 1000; ++i) {
    Shader shader;
    shader.bind(block, Access::write);
    shader.param(static_cast<uint32_t>(i));
    queue_.run(shader, 257);
  }
  queue_.submit();
  EXPECT_GT(gpu_.lists.size(), 1u);
  EXPECT_LT(gpu_.lists.size(), 50u);
  EXPECT_EQ(gpu_.dispatched, 2000);
  EXPECT_EQ(gpu_.pipelines, 1) << "the text is the same";
  EXPECT_EQ(queue_.stats().dispatches, 1000);
  EXPECT_EQ(queue_.stats().submits, static_cast<int64_t>(gpu_.lists.size()));
  queue_.free(block);
}

TEST_F(WebGpuQueue, MoreGroupsThanOneDimensionHasAreStartedInTwo) {
  Block* const block = filled('a', 16);
  for (int64_t groups : {int64_t{1}, kMaxGroups, kMaxGroups + 1, int64_t{1} << 24}) {
    gpu_.dispatched = 0;
    Shader shader;
    shader.bind(block, Access::write);
    queue_.run_groups(shader, groups);
    queue_.submit();
    EXPECT_GE(gpu_.dispatched, groups);
    EXPECT_LT(gpu_.dispatched, groups + 65536) << "too many";
  }
  queue_.free(block);
}

TEST_F(WebGpuQueue, BuffersAreKeptForReuseButNotWithoutEnd) {
  gpu_.keeps_bytes = false;
  Block* const first = queue_.allocate(1000);
  queue_.free(first);
  EXPECT_EQ(queue_.allocate(1001), first) << "sizes that are near share buffers";
  queue_.free(first);
  std::vector<Block*> blocks;
  for (int i = 0; i < 20; ++i) blocks.push_back(queue_.allocate(100 << 20));
  EXPECT_EQ(queue_.stats().live_bytes, int64_t{2000} << 20);
  for (Block* block : blocks) queue_.free(block);
  EXPECT_EQ(queue_.stats().live_bytes, 0);
  EXPECT_LE(gpu_.used(), uint64_t{1} << 29);
  EXPECT_EQ(queue_.stats().cached_bytes, static_cast<int64_t>(gpu_.used()));
  queue_.trim();
  EXPECT_EQ(gpu_.used(), 0u);
  EXPECT_EQ(queue_.stats().cached_bytes, 0);
}

TEST_F(WebGpuQueue, BuffersThatHaveFailedAreNotUsedAgain) {
  Block *const first = queue_.allocate(1000), *const second = queue_.allocate(1000);
  gpu_.broken = first->handle;
  queue_.free(first);
  queue_.free(second);
  EXPECT_EQ(queue_.allocate(1000), second);
  EXPECT_EQ(queue_.stats().cached_bytes, 0) << "the other one is gone";
  queue_.free(second);
}

TEST_F(WebGpuQueue, WhatIsKeptIsGivenUpBeforeMemoryRunsOut) {
  gpu_.memory = 10000;
  Block* const used = filled('a', 1000);
  queue_.free(queue_.allocate(5000));
  queue_.free(queue_.allocate(2000));
  Block* const large = queue_.allocate(7000);
  EXPECT_EQ(content(used, 0, 4), "aaaa");
  EXPECT_EQ(queue_.stats().cached_bytes, 0);
  const int64_t live = queue_.stats().live_bytes;
  EXPECT_KIND(queue_.allocate(7000), memory);
  EXPECT_EQ(queue_.stats().live_bytes, live);
  queue_.free(large);
  queue_.free(queue_.allocate(7000));
  queue_.free(used);
}

TEST_F(WebGpuQueue, RefusedListIsGoneAndTheNextOneRuns) {
  Block *const a = filled('a', 16), *const b = filled('b', 16);
  queue_.copy(a, 0, b, 0, 16);
  gpu_.accepts = false;
  EXPECT_KIND(queue_.submit(), device);
  gpu_.accepts = true;
  EXPECT_EQ(content(b, 0, 4), "bbbb");
  queue_.copy(a, 0, b, 0, 8);
  EXPECT_EQ(content(b, 4, 8), "aaaabbbb");
  queue_.free(a);
  queue_.free(b);
}

TEST_F(WebGpuQueue, RefusedShaderRecordsNothing) {
  Block* const block = filled('a', 16);
  Shader shader;
  shader.bind(block, Access::write);
  gpu_.compiles = false;
  EXPECT_KIND(queue_.run(shader, 1), device);
  EXPECT_EQ(queue_.stats().dispatches, 0);
  gpu_.compiles = true;
  queue_.run(shader, 1);
  queue_.submit();
  EXPECT_EQ(gpu_.dispatched, 1);
  queue_.free(block);
}

TEST_F(WebGpuQueue, ReadsOfALostDeviceAreErrorsAndLateAnswersFindNobody) {
  Block* const block = filled('a', 16);
  gpu_.answers = false;
  EXPECT_KIND(content(block, 0, 4), device);
  gpu_.answers = true;
  gpu_.in_time = false;
  {
    std::string data = "????";
    EXPECT_KIND(queue_.read(block, 0, data.data(), 4), device);
    gpu_.call_back();
    EXPECT_EQ(data, "????") << "nobody knows whether it is still there";
  }
  EXPECT_KIND(queue_.synchronize(), device);
  gpu_.call_back();
  gpu_.in_time = true;
  EXPECT_EQ(content(block, 0, 4), "aaaa");
  queue_.free(block);
}

}  // namespace
}  // namespace tamis::webgpu
