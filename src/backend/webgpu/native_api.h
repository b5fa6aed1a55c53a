// The part of webgpu.h that Tamis uses, declared here so that it is needed neither to build nor to
// install. Libraries export more functions than these, but wgpu-native aborts in some of them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tamis::webgpu::api {

using Bool = uint32_t;
using Flags = uint64_t;

#define TAMIS_WEBGPU_OBJECTS(X) \
  X(Instance)                   \
  X(Adapter)                    \
  X(Device)                     \
  X(Queue)                      \
  X(ShaderModule)               \
  X(BindGroupLayout)            \
  X(PipelineLayout)             \
  X(ComputePipeline) X(Buffer) X(BindGroup) X(CommandEncoder) X(ComputePassEncoder) X(CommandBuffer)
#define X(name) using name = struct name##Impl*;
TAMIS_WEBGPU_OBJECTS(X)
#undef X

struct StringView {
  const char* data = nullptr;
  size_t length = SIZE_MAX;  // ends at the first zero
};

struct Chain {
  Chain* next = nullptr;
  uint32_t type = 0;
};
inline constexpr uint32_t kWgslSource = 2;

struct Future {
  uint64_t id = 0;
};

inline constexpr uint32_t kAllowProcessEvents = 2, kAllowSpontaneous = 3;

/// A callback and what it is called with.
template <class F>
struct CallbackInfo {
  Chain* next = nullptr;
  uint32_t mode = 0;
  F* callback = nullptr;
  void* user1 = nullptr;
  void* user2 = nullptr;
};
using OnAdapter = CallbackInfo<void(uint32_t status, Adapter, StringView, void*, void*)>;
using OnDevice = CallbackInfo<void(uint32_t status, Device, StringView, void*, void*)>;
using OnLost = CallbackInfo<void(const Device*, uint32_t reason, StringView, void*, void*)>;
using OnMapped = CallbackInfo<void(uint32_t status, StringView, void*, void*)>;
using OnDone = CallbackInfo<void(uint32_t status, StringView, void*, void*)>;
inline constexpr uint32_t kSuccess = 1;
inline constexpr uint32_t kLostDestroyed = 2;

struct OnError {
  Chain* next = nullptr;
  void (*callback)(const Device*, uint32_t type, StringView, void*, void*) = nullptr;
  void* user1 = nullptr;
  void* user2 = nullptr;
};
inline constexpr uint32_t kErrorOutOfMemory = 3;

enum class BackendType : uint32_t {
  any,
  null,
  webgpu,
  d3d11,
  d3d12,
  metal,
  vulkan,
  opengl,
  opengles
};
enum class AdapterType : uint32_t { discrete = 1, integrated, cpu, unknown };

struct AdapterOptions {
  Chain* next = nullptr;
  uint32_t feature_level = 2;  // core
  uint32_t power_preference = 0;
  Bool force_fallback = 0;
  BackendType backend = BackendType::any;
  void* surface = nullptr;
};

struct AdapterInfo {
  Chain* next = nullptr;
  StringView vendor, architecture, device, description;
  BackendType backend{};
  AdapterType type{};
  uint32_t vendor_id = 0, device_id = 0, subgroup_min = 0, subgroup_max = 0;
  unsigned char later[256] = {};  // what later versions of the header add
};

struct Limits {
  Chain* next = nullptr;
  uint32_t textures_and_groups[9] = {};
  uint32_t sampled_textures = 0, samplers = 0;
  uint32_t storage_buffers = 0;  // per shader stage
  uint32_t storage_textures = 0, uniform_buffers = 0;
  uint64_t uniform_binding = 0, storage_binding = 0;  // bytes
  uint32_t uniform_alignment = 0, storage_alignment = 0;
  uint32_t vertex_buffers = 0;
  uint64_t buffer_bytes = 0;
  uint32_t vertex_and_color[5] = {};
  uint32_t workgroup_storage = 0, workgroup_invocations = 0;
  uint32_t workgroup_x = 0, workgroup_y = 0, workgroup_z = 0;
  uint32_t workgroups = 0;  // per dimension of a dispatch
  uint32_t immediate = 0;
  unsigned char later[256] = {};
};

struct InstanceDescriptor;

struct DeviceDescriptor {
  Chain* next = nullptr;
  StringView label;
  size_t feature_count = 0;
  const uint32_t* features = nullptr;
  const Limits* limits = nullptr;
  struct {
    Chain* next = nullptr;
    StringView label;
  } queue;
  OnLost on_lost;
  OnError on_error;
};

struct ShaderModuleDescriptor {
  Chain* next = nullptr;
  StringView label;
};
struct WgslSource {
  Chain chain{nullptr, kWgslSource};
  StringView code;
};

inline constexpr Flags kMapRead = 1, kCopySrc = 4, kCopyDst = 8, kUniform = 64, kStorage = 128;
struct BufferDescriptor {
  Chain* next = nullptr;
  StringView label;
  Flags usage = 0;
  uint64_t size = 0;
  Bool mapped = 0;
};

enum class BindingType : uint32_t { unused, undefined, uniform, storage, read_only_storage };
inline constexpr Flags kComputeStage = 4;
struct BindGroupLayoutEntry {
  Chain* next = nullptr;
  uint32_t binding = 0;
  Flags visibility = kComputeStage;
  uint32_t array_size = 0;
  struct {
    Chain* next = nullptr;
    BindingType type = BindingType::unused;
    Bool has_dynamic_offset = 0;
    uint64_t min_size = 0;
  } buffer;
  struct {
    Chain* next = nullptr;
    uint32_t type = 0;
  } sampler;
  struct {
    Chain* next = nullptr;
    uint32_t sample_type = 0, dimension = 0;
    Bool multisampled = 0;
  } texture;
  struct {
    Chain* next = nullptr;
    uint32_t access = 0, format = 0, dimension = 0;
  } storage_texture;
};
struct BindGroupLayoutDescriptor {
  Chain* next = nullptr;
  StringView label;
  size_t count = 0;
  const BindGroupLayoutEntry* entries = nullptr;
};
struct PipelineLayoutDescriptor {
  Chain* next = nullptr;
  StringView label;
  size_t count = 0;
  const BindGroupLayout* groups = nullptr;
  uint32_t immediate_size = 0;
};
struct ComputePipelineDescriptor {
  Chain* next = nullptr;
  StringView label;
  PipelineLayout layout = nullptr;
  struct {
    Chain* next = nullptr;
    ShaderModule module = nullptr;
    StringView entry;
    size_t constant_count = 0;
    const void* constants = nullptr;
  } compute;
};
struct BindGroupEntry {
  Chain* next = nullptr;
  uint32_t binding = 0;
  Buffer buffer = nullptr;
  uint64_t offset = 0, size = 0;
  void* sampler = nullptr;
  void* texture = nullptr;
};
struct BindGroupDescriptor {
  Chain* next = nullptr;
  StringView label;
  BindGroupLayout layout = nullptr;
  size_t count = 0;
  const BindGroupEntry* entries = nullptr;
};

inline constexpr Flags kMapModeRead = 1;

// X(name without "wgpu", result, arguments): what every library must have.
#define TAMIS_WEBGPU_FUNCTIONS(X)                                                             \
  X(CreateInstance, Instance, (const InstanceDescriptor*))                                    \
  X(InstanceRequestAdapter, Future, (Instance, const AdapterOptions*, OnAdapter))             \
  X(InstanceProcessEvents, void, (Instance))                                                  \
  X(AdapterGetInfo, uint32_t, (Adapter, AdapterInfo*))                                        \
  X(AdapterGetLimits, uint32_t, (Adapter, Limits*))                                           \
  X(AdapterRequestDevice, Future, (Adapter, const DeviceDescriptor*, OnDevice))               \
  X(DeviceGetQueue, Queue, (Device))                                                          \
  X(DeviceCreateShaderModule, ShaderModule, (Device, const ShaderModuleDescriptor*))          \
  X(DeviceCreateBuffer, Buffer, (Device, const BufferDescriptor*))                            \
  X(DeviceCreateBindGroupLayout, BindGroupLayout, (Device, const BindGroupLayoutDescriptor*)) \
  X(DeviceCreatePipelineLayout, PipelineLayout, (Device, const PipelineLayoutDescriptor*))    \
  X(DeviceCreateComputePipeline, ComputePipeline, (Device, const ComputePipelineDescriptor*)) \
  X(DeviceCreateBindGroup, BindGroup, (Device, const BindGroupDescriptor*))                   \
  X(DeviceCreateCommandEncoder, CommandEncoder, (Device, const void*))                        \
  X(CommandEncoderBeginComputePass, ComputePassEncoder, (CommandEncoder, const void*))        \
  X(CommandEncoderCopyBufferToBuffer, void,                                                   \
    (CommandEncoder, Buffer, uint64_t, Buffer, uint64_t, uint64_t))                           \
  X(CommandEncoderClearBuffer, void, (CommandEncoder, Buffer, uint64_t, uint64_t))            \
  X(CommandEncoderFinish, CommandBuffer, (CommandEncoder, const void*))                       \
  X(ComputePassEncoderSetPipeline, void, (ComputePassEncoder, ComputePipeline))               \
  X(ComputePassEncoderSetBindGroup, void,                                                     \
    (ComputePassEncoder, uint32_t, BindGroup, size_t, const uint32_t*))                       \
  X(ComputePassEncoderDispatchWorkgroups, void,                                               \
    (ComputePassEncoder, uint32_t, uint32_t, uint32_t))                                       \
  X(ComputePassEncoderEnd, void, (ComputePassEncoder))                                        \
  X(QueueSubmit, void, (Queue, size_t, const CommandBuffer*))                                 \
  X(QueueWriteBuffer, void, (Queue, Buffer, uint64_t, const void*, size_t))                   \
  X(QueueOnSubmittedWorkDone, Future, (Queue, OnDone))                                        \
  X(BufferMapAsync, Future, (Buffer, Flags, size_t, size_t, OnMapped))                        \
  X(BufferGetConstMappedRange, const void*, (Buffer, size_t, size_t))                         \
  X(BufferUnmap, void, (Buffer))                                                              \
  X(BufferDestroy, void, (Buffer))                                                            \
  X(DeviceDestroy, void, (Device))
// What only wgpu-native has.
#define TAMIS_WEBGPU_EXTENSIONS(X)                                        \
  X(GetVersion, uint32_t, ())                                             \
  X(InstanceEnumerateAdapters, size_t, (Instance, const void*, Adapter*)) \
  X(DevicePoll, Bool, (Device, Bool, const uint64_t*))

/// What GetVersion of wgpu-native begins with. The structures of versions before are laid out
/// differently, and they abort the process when they are given these.
inline constexpr uint32_t kFirstVersion = 29;

/// The functions of a library, loaded; those of the extensions may be null.
struct Functions {
#define X(name, result, arguments) result(*name) arguments = nullptr;
  TAMIS_WEBGPU_FUNCTIONS(X)
  TAMIS_WEBGPU_EXTENSIONS(X)
#undef X
#define X(name) void (*name##Release)(name) = nullptr;
  TAMIS_WEBGPU_OBJECTS(X)
#undef X
};

}  // namespace tamis::webgpu::api
