// Gpu: all that kernels need of a WebGPU device. Nothing here waits except `wait`, which a browser
// does not have.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tamis/webgpu.h"

namespace tamis::webgpu {

/// How a shader uses a buffer that is bound to it.
enum class Access : uint8_t { read, write };

/// What differs between devices.
struct Limits {
  uint64_t buffer_bytes = 0;  ///< of one buffer that a shader sees whole
  /// Whether a CPU stands in for a GPU as in browsers, by SwiftShader: an invocation then costs
  /// more than an element, a barrier much more, and memory is read much faster by vectors of four.
  bool in_software = false;
};

/// What all have: storage buffers of a shader, workgroups per dimension of a dispatch, and the
/// multiples of bytes at which the parameters of a dispatch begin. Kernels are the same everywhere.
inline constexpr uint32_t kMaxBindings = 8;
inline constexpr int64_t kMaxGroups = 65535;
inline constexpr uint32_t kParamsStride = 256;

/// One step of a list that is submitted at once. Each sees what those before it have written.
struct Command {
  enum class Kind : uint8_t { dispatch, copy, clear };
  Kind kind{};
  // dispatch
  void* pipeline = nullptr;
  std::vector<void*> buffers;  // binding 1 + i; binding 0 has the parameters
  uint32_t params_begin = 0, params_bytes = 0;
  uint32_t groups[2] = {1, 1};
  // copy and clear, in bytes, multiples of 4
  void* from = nullptr;
  void* to = nullptr;
  uint64_t from_begin = 0, to_begin = 0, bytes = 0;
};

/// The parameters of all dispatches of a list take at most this many bytes.
inline constexpr uint32_t kParamsBytes = 1 << 18;

/// A device and its queue. Buffers and pipelines are handles, which only it understands. Functions
/// throw kind device if the device is lost or refuses a call, kind memory if it has no memory left.
/// Any thread may call them.
class Gpu {
 public:
  virtual ~Gpu() = default;

  virtual const Adapter& adapter() const = 0;
  virtual const Limits& limits() const = 0;

  /// A buffer of zeros that shaders read and write; bytes is a multiple of 4.
  virtual void* make_buffer(uint64_t bytes) = 0;
  virtual void free_buffer(void* buffer) = 0;
  /// Throws kind device if it is known that the device was lost.
  virtual void check_alive() const {}
  /// False if it has turned out that there was no memory for it, which a browser says late.
  virtual bool is_intact(void* /*buffer*/) const { return true; }
  /// Writes into a buffer after all that has been submitted and before all that will be.
  virtual void write(void* buffer, uint64_t begin, const void* data, uint64_t bytes) = 0;

  /// A kernel of the entry point `main`. Its parameters are uniform binding 0, `bindings` are the
  /// storage buffers from 1 on. Throws kind device with the compiler's message and the text.
  virtual void* make_pipeline(const std::string& wgsl, std::span<const Access> bindings) = 0;
  virtual void submit(std::span<const Command> commands, std::span<const std::byte> params) = 0;

  /// Calls then(data) once all that has been submitted is done; with null if the device was lost.
  virtual void read(void* buffer, uint64_t begin, uint64_t bytes,
                    std::function<void(const void* data)> then) = 0;
  /// Calls then() once all that has been submitted is done.
  virtual void on_done(std::function<void()> then) = 0;
  /// Whether the caller may wait for a continuation, which is so everywhere but in a browser.
  virtual bool can_wait() const { return true; }
  /// Blocks until a continuation of this device has set `done`.
  virtual void wait(const std::atomic<bool>& done) = 0;

  /// Loses the device, as an unplugged one is lost; for tests.
  virtual void lose() = 0;
};

/// The device of adapter number `index` of `adapters()`. Throws kind device if there is no library
/// or no adapter, saying what to install; null if there are adapters but none of this number.
std::unique_ptr<Gpu> open_gpu(int index);

}  // namespace tamis::webgpu
