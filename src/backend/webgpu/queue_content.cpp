// What blocks contain, and not computing it again when an attempt is run again.
#include "backend/attempt.h"
#include "backend/webgpu/content.h"
#include "backend/webgpu/queue.h"
#include "backend/webgpu/shader.h"

namespace tamis::webgpu {

std::vector<Queue::Made> Queue::outcome(const Shader& shader, uint64_t kernel, int64_t groups) {
  uint64_t hash = mix({kFromKernel, kernel, static_cast<uint64_t>(groups)});
  const std::vector<uint32_t>& params = shader.params();
  hash = mix_bytes(hash, params.data(), static_cast<int64_t>(params.size() * 4));
  for (const Block* block : shader.blocks()) hash = mix(hash, block->content);
  std::vector<Made> made;
  for (size_t i = 0; i < shader.blocks().size(); ++i) {
    if (shader.accesses()[i] == Access::write) made.emplace_back(shader.blocks()[i], mix(hash, i));
  }
  return made;
}

void Queue::release(Block* block) {
  hold(block, 0);
  gpu_->free_buffer(block->handle);
  delete block;
}

void Queue::hold(Block* block, uint64_t key) {
  if (const auto found = held_.find(block->held); found != held_.end() && found->second == block) {
    held_.erase(found);
  }
  block->held = key;
  if (key != 0) held_[key] = block;
}

namespace {

/// What an attempt finds its results by; not those of others.
uint64_t key_of(const Attempt* attempt, uint64_t content) {
  return attempt && content != 0 ? mix({attempt->first_run(), content}) : 0;
}

}  // namespace

bool Queue::recall(std::span<const Made> made) {
  const Attempt* const attempt = Attempt::current();
  if (!attempt || !attempt->is_repeated()) return false;
  for (const auto& [block, content] : made) {
    if (block->run != attempt->run()) return false;  // a tensor's, which is not to be exchanged
    const auto found = held_.find(key_of(attempt, content));
    if (found == held_.end() || found->second->bytes != block->bytes) return false;
    if (found->second->content != 0 && found->second != block) return false;  // in use
  }
  for (const auto& [block, content] : made) {
    const uint64_t key = key_of(attempt, content);
    Block* const other = held_.at(key);
    if (other != block) {
      swap(block, other);
      other->content = 0;  // nobody uses it
    }
    block->content = content;
    block->from_host = {};
  }
  return true;
}

void Queue::swap(Block* a, Block* b) {
  std::swap(a->handle, b->handle);
  std::swap(a->bytes, b->bytes);
  std::swap(a->list, b->list);
  std::swap(a->content, b->content);
  std::swap(a->from_host, b->from_host);
  const uint64_t in_a = a->held, in_b = b->held;
  hold(a, 0);
  hold(b, in_a);
  hold(a, in_b);
}

bool Queue::exchange(Block* from, Block* to) {
  const auto guard = lock();
  const Attempt* const attempt = Attempt::current();
  if (!attempt || to->run != attempt->run()) return false;
  swap(from, to);
  return true;
}

void Queue::note(std::span<const Made> made) {
  Attempt* const attempt = Attempt::current();
  for (const auto& [block, content] : made) {
    if (attempt && block->run != attempt->run()) attempt->note_write();
    block->content = content;
    block->from_host = {};
    hold(block, key_of(attempt, content));
  }
}

}  // namespace tamis::webgpu
