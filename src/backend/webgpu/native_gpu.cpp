// Gpu over the C interface of a native WebGPU library.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "backend/webgpu/gpu.h"
#include "backend/webgpu/native_library.h"
#include "core/check.h"

namespace tamis::webgpu {

namespace {

class NativeGpu final : public Gpu {
 public:
  NativeGpu(const Library& library, api::Adapter adapter)
      : library_(library), call_(library.call), description_(describe(library, adapter)) {
    open(adapter);
    make_params();
  }
  // Its backend lives as long as the process, and so does the device.
  ~NativeGpu() override = default;

  const Adapter& adapter() const override { return description_; }
  const Limits& limits() const override { return limits_; }

  void* make_buffer(uint64_t bytes) override {
    const std::lock_guard guard(mutex_);
    return make(bytes, api::kStorage | api::kCopySrc | api::kCopyDst);
  }

  void free_buffer(void* buffer) override {
    const std::lock_guard guard(mutex_);
    call_.BufferDestroy(static_cast<api::Buffer>(buffer));
    call_.BufferRelease(static_cast<api::Buffer>(buffer));
  }

  void write(void* buffer, uint64_t begin, const void* data, uint64_t bytes) override {
    const std::lock_guard guard(mutex_);
    check_alive();
    call_.QueueWriteBuffer(queue_, static_cast<api::Buffer>(buffer), begin, data, bytes);
    check_errors();
  }

  void* make_pipeline(const std::string& wgsl, std::span<const Access> bindings) override {
    const std::lock_guard guard(mutex_);
    check_alive();
    api::WgslSource source;
    source.code = view(wgsl);
    api::ShaderModuleDescriptor module_of;
    module_of.next = &source.chain;
    const api::ShaderModule module = call_.DeviceCreateShaderModule(device_, &module_of);
    const std::string entry = "main";
    auto pipeline = std::make_unique<Pipeline>();
    pipeline->layout = layout_of(bindings);
    api::ComputePipelineDescriptor descriptor;
    descriptor.layout = pipeline->layout->pipeline;
    descriptor.compute.module = module;
    descriptor.compute.entry = view(entry);
    if (!failed()) pipeline->handle = call_.DeviceCreateComputePipeline(device_, &descriptor);
    if (module) call_.ShaderModuleRelease(module);
    if (failed() || pipeline->handle == nullptr) {
      check_alive();
      raise(ErrorKind::device,
            fmt::format("{}: a shader was refused: {}\n{}", description_.name, take_error(), wgsl));
    }
    return pipeline.release();
  }

  void submit(std::span<const Command> commands, std::span<const std::byte> params) override {
    const std::lock_guard guard(mutex_);
    check_alive();
    if (!params.empty()) {
      call_.QueueWriteBuffer(queue_, params_, 0, params.data(), params.size());
    }
    const api::CommandEncoder encoder = call_.DeviceCreateCommandEncoder(device_, nullptr);
    api::ComputePassEncoder pass = nullptr;
    for (const Command& command : commands) {
      const bool is_dispatch = command.kind == Command::Kind::dispatch;
      if (is_dispatch && pass == nullptr) {
        pass = call_.CommandEncoderBeginComputePass(encoder, nullptr);
      } else if (!is_dispatch && pass != nullptr) {
        end(pass);
      }
      encode(command, encoder, pass);
    }
    if (pass != nullptr) end(pass);
    const api::CommandBuffer buffer = call_.CommandEncoderFinish(encoder, nullptr);
    // wgpu-native aborts when it is given an invalid list. Errors have been reported by now.
    if (!failed()) call_.QueueSubmit(queue_, 1, &buffer);
    if (buffer) call_.CommandBufferRelease(buffer);
    call_.CommandEncoderRelease(encoder);
    check_errors();
  }

  void read(void* buffer, uint64_t begin, uint64_t bytes,
            std::function<void(const void*)> then) override {
    const std::lock_guard guard(mutex_);
    check_alive();
    auto reading = std::make_unique<Reading>();
    reading->gpu = this;
    reading->bytes = bytes;
    reading->then = std::move(then);
    reading->staging = make(bytes, api::kMapRead | api::kCopyDst);
    const api::CommandEncoder encoder = call_.DeviceCreateCommandEncoder(device_, nullptr);
    call_.CommandEncoderCopyBufferToBuffer(encoder, static_cast<api::Buffer>(buffer), begin,
                                           reading->staging, 0, bytes);
    const api::CommandBuffer list = call_.CommandEncoderFinish(encoder, nullptr);
    if (!failed()) call_.QueueSubmit(queue_, 1, &list);
    if (list) call_.CommandBufferRelease(list);
    call_.CommandEncoderRelease(encoder);
    check_errors();
    api::OnMapped mapped;
    mapped.mode = api::kAllowProcessEvents;
    mapped.user1 = reading.get();
    mapped.callback = [](uint32_t status, api::StringView, void* user, void*) {
      const std::unique_ptr<Reading> done(static_cast<Reading*>(user));
      done->gpu->finish(*done, status == api::kSuccess);
    };
    const api::Buffer staging = reading->staging;
    (void)reading.release();  // the callback deletes it
    call_.BufferMapAsync(staging, api::kMapModeRead, 0, bytes, mapped);
  }

  void on_done(std::function<void()> then) override {
    const std::lock_guard guard(mutex_);
    check_alive();
    api::OnDone done;
    done.mode = api::kAllowProcessEvents;
    done.user1 = new std::function<void()>(std::move(then));
    done.callback = [](uint32_t, api::StringView, void* user, void*) {
      const std::unique_ptr<std::function<void()>> f(static_cast<std::function<void()>*>(user));
      (*f)();
    };
    call_.QueueOnSubmittedWorkDone(queue_, done);
  }

  void wait(const std::atomic<bool>& done) override {
    if (call_.DevicePoll == nullptr) return process_events(library_, done);
    while (!done && !lost_) call_.DevicePoll(device_, 1, nullptr);
    // After a loss the callbacks still come, with an error.
    for (int i = 0; i < 1000 && !done; ++i) {
      call_.InstanceProcessEvents(library_.instance);
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
    check(done, ErrorKind::device, "{}: the device was lost: {}", description_.name, loss_);
  }

  /// Waits for the call that another thread is in, and refuses all that follow.
  void close() { note_loss("the process is ending"); }

  void lose() override {
    const std::lock_guard guard(mutex_);
    // The library calls back later; until then some of its functions would abort.
    note_loss("destroyed");
    call_.DeviceDestroy(device_);
  }

 private:
  struct Layout {
    api::BindGroupLayout group = nullptr;
    api::PipelineLayout pipeline = nullptr;
  };
  struct Pipeline {
    api::ComputePipeline handle = nullptr;
    const Layout* layout = nullptr;
  };
  struct Reading {
    NativeGpu* gpu = nullptr;
    api::Buffer staging = nullptr;
    uint64_t bytes = 0;
    std::function<void(const void*)> then;
  };

  void open(api::Adapter adapter) {
    api::Limits has;
    call_.AdapterGetLimits(adapter, &has);
    api::Limits wants;
    std::fill_n(reinterpret_cast<unsigned char*>(&wants), sizeof wants, 0xff);  // undefined
    wants.next = nullptr;
    wants.storage_binding = has.storage_binding;
    wants.buffer_bytes = has.buffer_bytes;
    api::DeviceDescriptor descriptor;
    descriptor.limits = &wants;
    descriptor.on_lost.mode = api::kAllowSpontaneous;
    descriptor.on_lost.user1 = this;
    descriptor.on_lost.callback = [](const api::Device*, uint32_t, api::StringView message,
                                     void* user, void*) {
      static_cast<NativeGpu*>(user)->note_loss(text(message));
    };
    descriptor.on_error.user1 = this;
    descriptor.on_error.callback = [](const api::Device*, uint32_t type, api::StringView message,
                                      void* user, void*) {
      auto& gpu = *static_cast<NativeGpu*>(user);
      if (gpu.failed_) return;  // the first one is the cause
      gpu.error_ = text(message);
      gpu.error_is_memory_ = type == api::kErrorOutOfMemory;
      gpu.failed_ = true;
    };
    Answer answer;
    api::OnDevice then;
    then.mode = api::kAllowProcessEvents;
    then.user1 = &answer;
    then.callback = [](uint32_t status, api::Device device, api::StringView message, void* user,
                       void*) {
      auto& to = *static_cast<Answer*>(user);
      if (status == api::kSuccess) to.object = device;
      to.message = text(message);
      to.done = true;
    };
    call_.AdapterRequestDevice(adapter, &descriptor, then);
    process_events(library_, answer.done);
    check(answer.object != nullptr, ErrorKind::device, "{}: the adapter gives no device: {}",
          description_.name, answer.message);
    device_ = static_cast<api::Device>(answer.object);
    queue_ = call_.DeviceGetQueue(device_);
    limits_.buffer_bytes = std::min(has.storage_binding, has.buffer_bytes);
  }

  // One buffer serves all lists: the queue keeps the order of writes and submits.
  void make_params() { params_ = make(kParamsBytes, api::kUniform | api::kCopyDst); }

  api::Buffer make(uint64_t bytes, api::Flags usage) {
    check_alive();
    api::BufferDescriptor descriptor;
    descriptor.usage = usage;
    descriptor.size = bytes;
    const api::Buffer buffer = call_.DeviceCreateBuffer(device_, &descriptor);
    if (!failed() && buffer) return buffer;
    if (buffer) call_.BufferRelease(buffer);
    check_alive();
    const std::string message = take_error();
    raise(ErrorKind::memory,
          fmt::format("{}: could not allocate {} bytes: {}", description_.name, bytes, message));
  }

  const Layout* layout_of(std::span<const Access> bindings) {
    std::string key;
    for (Access access : bindings) key += access == Access::read ? 'r' : 'w';
    Layout& layout = layouts_[key];
    if (layout.group) return &layout;
    std::vector<api::BindGroupLayoutEntry> entries(1 + bindings.size());
    entries[0].buffer.type = api::BindingType::uniform;
    entries[0].buffer.has_dynamic_offset = 1;
    for (size_t i = 0; i < bindings.size(); ++i) {
      entries[1 + i].binding = static_cast<uint32_t>(1 + i);
      entries[1 + i].buffer.type = bindings[i] == Access::read ? api::BindingType::read_only_storage
                                                               : api::BindingType::storage;
    }
    api::BindGroupLayoutDescriptor group;
    group.count = entries.size();
    group.entries = entries.data();
    layout.group = call_.DeviceCreateBindGroupLayout(device_, &group);
    api::PipelineLayoutDescriptor pipeline;
    pipeline.count = 1;
    pipeline.groups = &layout.group;
    layout.pipeline = call_.DeviceCreatePipelineLayout(device_, &pipeline);
    return &layout;
  }

  void end(api::ComputePassEncoder& pass) {
    call_.ComputePassEncoderEnd(pass);
    call_.ComputePassEncoderRelease(pass);
    pass = nullptr;
  }

  void encode(const Command& command, api::CommandEncoder encoder, api::ComputePassEncoder pass) {
    const auto to = static_cast<api::Buffer>(command.to);
    if (command.kind == Command::Kind::copy) {
      call_.CommandEncoderCopyBufferToBuffer(encoder, static_cast<api::Buffer>(command.from),
                                             command.from_begin, to, command.to_begin,
                                             command.bytes);
    } else if (command.kind == Command::Kind::clear) {
      call_.CommandEncoderClearBuffer(encoder, to, command.to_begin, command.bytes);
    } else {
      const auto& pipeline = *static_cast<const Pipeline*>(command.pipeline);
      std::vector<api::BindGroupEntry> entries(1 + command.buffers.size());
      entries[0].buffer = params_;
      entries[0].size = command.params_bytes;
      for (size_t i = 0; i < command.buffers.size(); ++i) {
        entries[1 + i].binding = static_cast<uint32_t>(1 + i);
        entries[1 + i].buffer = static_cast<api::Buffer>(command.buffers[i]);
        entries[1 + i].size = UINT64_MAX;  // all of it
      }
      api::BindGroupDescriptor descriptor;
      descriptor.layout = pipeline.layout->group;
      descriptor.count = entries.size();
      descriptor.entries = entries.data();
      const api::BindGroup group = call_.DeviceCreateBindGroup(device_, &descriptor);
      call_.ComputePassEncoderSetPipeline(pass, pipeline.handle);
      call_.ComputePassEncoderSetBindGroup(pass, 0, group, 1, &command.params_begin);
      call_.ComputePassEncoderDispatchWorkgroups(pass, command.groups[0], command.groups[1], 1);
      call_.BindGroupRelease(group);
    }
  }

  void finish(Reading& reading, bool ok) {
    // wgpu-native aborts when memory of a lost device is asked for.
    const std::lock_guard guard(mutex_);
    ok = ok && !lost_;
    const void* data =
        ok ? call_.BufferGetConstMappedRange(reading.staging, 0, reading.bytes) : nullptr;
    reading.then(data);
    if (ok) call_.BufferUnmap(reading.staging);
    call_.BufferRelease(reading.staging);
  }

  void note_loss(const std::string& reason) {
    const std::lock_guard guard(mutex_);
    if (lost_) return;
    loss_ = reason;
    lost_ = true;
  }
  bool failed() const { return failed_ || lost_; }
  std::string take_error() {
    failed_ = false;
    return std::exchange(error_, "unknown");
  }
  void check_alive() const override {
    check(!lost_, ErrorKind::device,
          "{}: the device was lost ({}); its tensors are gone, those on the CPU are not",
          description_.name, loss_);
  }
  void check_errors() {
    if (!failed()) return;
    check_alive();
    const ErrorKind kind = error_is_memory_ ? ErrorKind::memory : ErrorKind::device;
    raise(kind, fmt::format("{}: {}", description_.name, take_error()));
  }

  const Library& library_;
  const api::Functions& call_;
  const Adapter description_;
  Limits limits_;
  // Guards the calls between which errors are looked for. Some of them run callbacks, which need it
  // too.
  std::recursive_mutex mutex_;
  api::Device device_ = nullptr;
  api::Queue queue_ = nullptr;
  api::Buffer params_ = nullptr;
  std::map<std::string, Layout> layouts_;
  std::atomic<bool> lost_{false}, failed_{false};
  bool error_is_memory_ = false;
  std::string error_, loss_ = "unknown reason";
};

/// When the process ends, drivers free memory that their functions use, while threads of ours may
/// still be computing the results of futures. Made after the drivers were loaded, this ends first.
struct OpenDevices {
  std::vector<NativeGpu*> all;  // which live as long as the process
  ~OpenDevices() {
    for (NativeGpu* gpu : all) gpu->close();
  }
};

}  // namespace

std::unique_ptr<Gpu> open_gpu(int index) {
  const Library& found = library();
  check(found.trouble.empty(), ErrorKind::device, "webgpu: {}", found.trouble);
  if (index >= static_cast<int>(found.adapters.size())) return nullptr;
  auto gpu = std::make_unique<NativeGpu>(found, found.adapters[std::max(index, 0)]);
  static OpenDevices open;
  open.all.push_back(gpu.get());
  return gpu;
}

}  // namespace tamis::webgpu
