// The native WebGPU library (wgpu-native or Dawn), loaded at run time, and its adapters.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "backend/webgpu/native_api.h"
#include "tamis/webgpu.h"

namespace tamis::webgpu {

/// A loaded library with its instance. Never unloaded: drivers leave threads behind.
struct Library {
  api::Functions call;
  api::Instance instance = nullptr;
  std::vector<api::Adapter> adapters;
  std::string trouble;  // why there are no adapters
};

/// The library of the process, loaded by the first call.
const Library& library();

/// Runs callbacks until one of them has set `done`.
void process_events(const Library& library, const std::atomic<bool>& done);

/// What a driver says of an adapter.
Adapter describe(const Library& library, api::Adapter adapter);

/// What a callback answers to a request for an object.
struct Answer {
  std::atomic<bool> done{false};
  void* object = nullptr;
  std::string message;
};

inline api::StringView view(const std::string& text) { return {text.data(), text.size()}; }
std::string text(const api::StringView& view);

}  // namespace tamis::webgpu
