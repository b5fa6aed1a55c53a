// Gpu over the WebGPU of a browser: calls of JavaScript functions (js/gpu.js), which keep buffers
// and pipelines in tables. Nothing here waits; what fails is reported to those who await something.
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "backend/attempt.h"
#include "backend/webgpu/gpu.h"
#include "backend/webgpu/open.h"
#include "core/check.h"
#include "exports.h"
#include "tamis/runtime.h"

#define IMPORT(name) extern "C" __attribute__((import_module("tamis"), import_name(#name)))

// Addresses and sizes are of this module's memory; `device` is the number that JavaScript gave the
// device. Sizes of GPU memory are doubles: they may be more than 32 bits.
IMPORT(gpu_make_buffer) uint32_t gpu_make_buffer(uint32_t device, double bytes);
IMPORT(gpu_free_buffer) void gpu_free_buffer(uint32_t device, uint32_t buffer);
IMPORT(gpu_write)
void gpu_write(uint32_t device, uint32_t buffer, double begin, const void* data, uint32_t bytes);
IMPORT(gpu_make_pipeline)
uint32_t gpu_make_pipeline(uint32_t device, const char* wgsl, uint32_t wgsl_bytes,
                           const uint8_t* accesses, uint32_t bindings);
IMPORT(gpu_submit)
void gpu_submit(uint32_t device, const uint32_t* commands, uint32_t words, const void* params,
                uint32_t params_bytes);
IMPORT(gpu_read)
void gpu_read(uint32_t device, uint32_t buffer, double begin, uint32_t bytes, uint32_t token);
IMPORT(gpu_lose) void gpu_lose(uint32_t device);

namespace tamis::webgpu {

namespace {

/// What JavaScript has opened, or why not.
struct Opened {
  uint32_t device = 0;
  Adapter adapter;
  Limits limits;
  std::string trouble =
      "the device is not open yet: call `await tamis.webgpu.is_available()` first, which opens it";
  std::map<uint32_t, std::string> losses;  // by device
  std::set<std::pair<uint32_t, uint32_t>>
      failed;  // buffers for which there was no memory, by device
};
Opened& opened() {
  static Opened instance;
  return instance;
}

/// Text and bytes that JavaScript gives.
std::vector<std::byte>& room() {
  static std::vector<std::byte> bytes;
  return bytes;
}

/// Continuations of reads, by token.
std::map<uint32_t, std::function<void(const void*)>>& readings() {
  static std::map<uint32_t, std::function<void(const void*)>> instance;
  return instance;
}

void* handle_of(uint32_t number) { return reinterpret_cast<void*>(uintptr_t{number}); }
uint32_t number_of(const void* handle) {
  return static_cast<uint32_t>(reinterpret_cast<uintptr_t>(handle));
}

class BrowserGpu final : public Gpu {
 public:
  BrowserGpu() : device_(opened().device), adapter_(opened().adapter), limits_(opened().limits) {}

  const Adapter& adapter() const override { return adapter_; }
  const Limits& limits() const override { return limits_; }

  void check_alive() const override {
    const auto loss = opened().losses.find(device_);
    if (loss == opened().losses.end()) return;
    raise(ErrorKind::device,
          fmt::format("{}: the device was lost ({}); its tensors are gone, those on the CPU are "
                      "not. `await tamis.webgpu.is_available()` opens it again",
                      adapter_.name, loss->second));
  }
  void* make_buffer(uint64_t bytes) override {
    check_alive();
    return handle_of(gpu_make_buffer(device_, static_cast<double>(bytes)));
  }
  void free_buffer(void* buffer) override {
    opened().failed.erase({device_, number_of(buffer)});
    gpu_free_buffer(device_, number_of(buffer));
  }
  bool is_intact(void* buffer) const override {
    return opened().failed.count({device_, number_of(buffer)}) == 0;
  }
  void write(void* buffer, uint64_t begin, const void* data, uint64_t bytes) override {
    check_alive();
    gpu_write(device_, number_of(buffer), static_cast<double>(begin), data,
              static_cast<uint32_t>(bytes));
  }

  void* make_pipeline(const std::string& wgsl, std::span<const Access> bindings) override {
    check_alive();
    static_assert(sizeof(Access) == 1 && static_cast<int>(Access::write) == 1);
    return handle_of(gpu_make_pipeline(device_, wgsl.data(), static_cast<uint32_t>(wgsl.size()),
                                       reinterpret_cast<const uint8_t*>(bindings.data()),
                                       static_cast<uint32_t>(bindings.size())));
  }

  void submit(std::span<const Command> commands, std::span<const std::byte> params) override {
    check_alive();
    words_.clear();
    for (const Command& command : commands) encode(command);
    gpu_submit(device_, words_.data(), static_cast<uint32_t>(words_.size()), params.data(),
               static_cast<uint32_t>(params.size()));
  }

  void read(void* buffer, uint64_t begin, uint64_t bytes,
            std::function<void(const void*)> then) override {
    check_alive();
    static uint32_t last = 0;
    const uint32_t token = ++last;
    readings().emplace(token, std::move(then));
    gpu_read(device_, number_of(buffer), static_cast<double>(begin), static_cast<uint32_t>(bytes),
             token);
  }

  bool can_wait() const override { return false; }
  void on_done(std::function<void()>) override { refuse_to_wait(); }
  void wait(const std::atomic<bool>&) override { refuse_to_wait(); }
  void lose() override { gpu_lose(device_); }

 private:
  [[noreturn]] static void refuse_to_wait() {
    throw WouldWait(
        "webgpu: a browser cannot wait for a GPU; write `await tamis.webgpu.synchronize()`");
  }

  void encode(const Command& command) {
    const auto add = [this](uint64_t word) { words_.push_back(static_cast<uint32_t>(word)); };
    const auto add_wide = [&](uint64_t number) {
      add(number);
      add(number >> 32);
    };
    add(static_cast<uint64_t>(command.kind));
    switch (command.kind) {
      case Command::Kind::dispatch:
        add(number_of(command.pipeline));
        add(command.params_begin);
        add(command.params_bytes);
        add(command.groups[0]);
        add(command.groups[1]);
        add(command.buffers.size());
        for (const void* buffer : command.buffers) add(number_of(buffer));
        return;
      case Command::Kind::copy:
        add(number_of(command.from));
        add_wide(command.from_begin);
        break;
      case Command::Kind::clear:
        break;
    }
    add(number_of(command.to));
    add_wide(command.to_begin);
    add_wide(command.bytes);
  }

  const uint32_t device_;
  const Adapter adapter_;
  const Limits limits_;
  std::vector<uint32_t> words_;
};

std::string given_text(uint32_t bytes) {
  return {reinterpret_cast<const char*>(room().data()), bytes};
}

}  // namespace

std::unique_ptr<Gpu> open_gpu(int index) {
  check(opened().device != 0, ErrorKind::device, "webgpu: {}", opened().trouble);
  if (index > 0) return nullptr;
  return std::make_unique<BrowserGpu>();
}

bool is_available() { return opened().device != 0; }
void set_library(std::string) {}
std::vector<Adapter> adapters() {
  if (!is_available()) return {};
  return {opened().adapter};
}

}  // namespace tamis::webgpu

// ---- what js/gpu.js calls -----------------------------------------------------------------------

using namespace tamis;
using namespace tamis::webgpu;

/// Room for the bytes that the next call is about.
EXPORT(tm_gpu_room) void* tm_gpu_room(uint32_t bytes) {
  room().resize(bytes);
  return room().data();
}

/// There is no device; the room says why.
EXPORT(tm_gpu_absent) void tm_gpu_absent(uint32_t bytes) {
  opened().device = 0;
  opened().trouble = given_text(bytes);
}

/// A device was opened: the room has name, backend, type and driver, each followed by a zero.
EXPORT(tm_gpu_opened)
void tm_gpu_opened(uint32_t device, uint32_t bytes, double buffer_bytes) {
  Opened& now = opened();
  const std::string text = given_text(bytes);
  size_t at = 0;
  for (std::string* part :
       {&now.adapter.name, &now.adapter.backend, &now.adapter.type, &now.adapter.driver}) {
    *part = text.substr(at, text.find('\0', at) - at);
    at += part->size() + 1;
  }
  now.device = device;
  now.limits.buffer_bytes = static_cast<uint64_t>(buffer_bytes);
  now.limits.in_software = now.adapter.type == "cpu";
  const bool is_default = default_device().type() == "webgpu";
  reopen(0);
  if (is_default) set_default_device("webgpu");
}

/// The room says why.
EXPORT(tm_gpu_lost) void tm_gpu_lost(uint32_t device, uint32_t bytes) {
  opened().losses[device] = given_text(bytes);
}

/// There was no memory for a buffer, after all.
EXPORT(tm_gpu_buffer_failed) void tm_gpu_buffer_failed(uint32_t device, uint32_t buffer) {
  opened().failed.emplace(device, buffer);
}

/// A read has ended. The room has the bytes, if it went well.
EXPORT(tm_gpu_answer) void tm_gpu_answer(uint32_t token, int32_t ok) {
  const auto reading = readings().extract(token);
  if (!reading.empty()) reading.mapped()(ok != 0 ? room().data() : nullptr);
  if (room().size() > 1 << 16) room() = {};
}

/// Sends what has been recorded.
EXPORT(tm_gpu_flush) void tm_gpu_flush() {
  if (is_available() && opened().losses.count(opened().device) == 0) queue_of("webgpu").submit();
}

/// Bytes that tensors may take; 0: as many as there are. For tests.
EXPORT(tm_gpu_set_memory_limit) void tm_gpu_set_memory_limit(double bytes) {
  queue_of("webgpu").set_memory_limit(static_cast<int64_t>(bytes));
}
