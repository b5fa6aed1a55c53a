// WebGPU: the devices "webgpu", "webgpu:0", ...: which there are, waiting for them, and counting
// what they were asked to do.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tamis/device.h"

namespace tamis::webgpu {

/// A GPU, or a program that stands in for one, as its driver describes it.
struct Adapter {
  std::string name;     ///< "NVIDIA GeForce RTX 4070", "llvmpipe (LLVM 15.0.6, 256 bits)"
  std::string backend;  ///< "vulkan", "metal" or "d3d12"
  std::string type;     ///< "discrete", "integrated", "cpu" or "unknown"
  std::string driver;   ///< the driver's name and version, as far as it tells
};

/// Whether the device "webgpu" can be used: a WebGPU library was found, and an adapter. If the
/// environment variable TAMIS_WEBGPU_LIB is set, it names the library. Otherwise the one that
/// set_library names is tried first (in Python, that of the package wgpu), then libwgpu_native.so
/// and libwebgpu_dawn.so where the system looks for libraries.
bool is_available();

/// Looks for the library at this path first. It must be wgpu-native 29 or later, or Dawn. Has no
/// effect once a library was looked for, which the first use of any function here or of a device
/// "webgpu" does; call it before, on one thread.
void set_library(std::string path);

/// The adapters, in the order of the devices "webgpu:0", "webgpu:1", ... . Empty if there are none.
std::vector<Adapter> adapters();

/// Waits until the device has done all that it was given. Results do not need it; timing does.
void synchronize(const Device& device = "webgpu");

/// What a device was asked to do since the process started, or since reset_stats.
struct Stats {
  int64_t dispatches = 0;  ///< kernels started
  int64_t submits = 0;     ///< lists of kernels and copies sent to the device
  int64_t readbacks = 0;   ///< waits for numbers to come back: item(), shapes, cpu()
  int64_t readback_bytes = 0;
  int64_t written_bytes = 0;  ///< copied from the host, without the parameters of kernels
  int64_t pipelines = 0;      ///< shaders compiled
  int64_t live_bytes = 0;     ///< in tensors now
  int64_t cached_bytes = 0;   ///< in buffers kept for reuse
};
Stats stats(const Device& device = "webgpu");
/// Counts from zero again; live_bytes and cached_bytes stay.
void reset_stats(const Device& device = "webgpu");

}  // namespace tamis::webgpu
