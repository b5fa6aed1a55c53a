// Finding and loading the library, and its adapters.
#include "backend/webgpu/native_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <thread>
#include <utility>

namespace tamis::webgpu {

std::string text(const api::StringView& view) {
  if (view.data == nullptr) return "";
  return view.length == SIZE_MAX ? std::string(view.data) : std::string(view.data, view.length);
}

void process_events(const Library& library, const std::atomic<bool>& done) {
  for (int us = 20; !done; us = std::min(2 * us, 1000)) {
    library.call.InstanceProcessEvents(library.instance);
    if (!done) std::this_thread::sleep_for(std::chrono::microseconds(us));
  }
}

namespace {

constexpr const char* kAdvice =
    "install a WebGPU library (pip install wgpu==0.32.*), or name one in TAMIS_WEBGPU_LIB";

std::string& given_library() {
  static std::string path;
  return path;
}

/// Where to look for a library.
std::vector<std::string> candidates() {
  if (const char* chosen = std::getenv("TAMIS_WEBGPU_LIB"); chosen && *chosen) return {chosen};
  std::vector<std::string> names{"libwgpu_native.so", "libwebgpu_dawn.so"};
  if (!given_library().empty()) names.insert(names.begin(), given_library());
  return names;
}

template <class F>
bool load(void* handle, const char* name, F& function) {
  function = reinterpret_cast<F>(dlsym(handle, name));
  return function != nullptr;
}

bool load_functions(void* handle, api::Functions& call, std::string& missing) {
  const auto required = [&](const char* name, auto& function) {
    if (!load(handle, name, function) && missing.empty()) missing = name;
  };
#define X(name, ...) required("wgpu" #name, call.name);
  TAMIS_WEBGPU_FUNCTIONS(X)
#undef X
#define X(name) required("wgpu" #name "Release", call.name##Release);
  TAMIS_WEBGPU_OBJECTS(X)
#undef X
#define X(name, ...) load(handle, "wgpu" #name, call.name);
  TAMIS_WEBGPU_EXTENSIONS(X)
#undef X
  return missing.empty();
}

/// Null computes nothing, and OpenGL lacks too much.
bool is_usable(api::BackendType backend) {
  return backend == api::BackendType::vulkan || backend == api::BackendType::metal ||
         backend == api::BackendType::d3d12;
}

void find_adapters(Library& library) {
  const api::Functions& call = library.call;
  std::vector<api::Adapter> found;
  if (call.InstanceEnumerateAdapters != nullptr) {
    found.resize(call.InstanceEnumerateAdapters(library.instance, nullptr, nullptr));
    found.resize(call.InstanceEnumerateAdapters(library.instance, nullptr, found.data()));
  } else {
    for (const auto backend :
         {api::BackendType::vulkan, api::BackendType::metal, api::BackendType::d3d12}) {
      api::AdapterOptions options;
      options.backend = backend;
      Answer answer;
      api::OnAdapter then;
      then.mode = api::kAllowProcessEvents;
      then.user1 = &answer;
      then.callback = [](uint32_t status, api::Adapter adapter, api::StringView message, void* user,
                         void*) {
        auto& to = *static_cast<Answer*>(user);
        if (status == api::kSuccess) to.object = adapter;
        to.message = text(message);
        to.done = true;
      };
      call.InstanceRequestAdapter(library.instance, &options, then);
      process_events(library, answer.done);
      if (answer.object) found.push_back(static_cast<api::Adapter>(answer.object));
    }
  }
  std::vector<api::Adapter> software;
  for (api::Adapter adapter : found) {
    api::AdapterInfo info;
    call.AdapterGetInfo(adapter, &info);
    if (!is_usable(info.backend)) continue;
    (info.type == api::AdapterType::cpu ? software : library.adapters).push_back(adapter);
  }
  library.adapters.insert(library.adapters.end(), software.begin(), software.end());
  if (library.adapters.empty()) {
    library.trouble =
        "no WebGPU adapter was found: a Vulkan, Metal or D3D12 driver is needed (on Debian and "
        "Ubuntu, mesa-vulkan-drivers has one that runs on the CPU)";
  }
}

/// Loads the functions of the library at this path. Returns what is wrong with it, or nothing.
std::string load_from(const std::string& path, api::Functions& call) {
  void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    return fmt::format("no WebGPU library was found ({}); {}", dlerror(), kAdvice);
  }
  std::string missing;
  call = {};
  const bool complete = load_functions(handle, call, missing);
  if (call.GetVersion != nullptr && call.GetVersion() >> 24 < api::kFirstVersion) {
    return fmt::format("{} is wgpu-native {}, but {} or later is needed; {}", path,
                       call.GetVersion() >> 24, api::kFirstVersion, kAdvice);
  }
  return complete ? "" : fmt::format("{} lacks {}; {}", path, missing, kAdvice);
}

std::unique_ptr<Library> load_library() {
  auto library = std::make_unique<Library>();
  for (const std::string& path : candidates()) {
    const std::string trouble = load_from(path, library->call);
    if (trouble.empty()) {
      library->instance = library->call.CreateInstance(nullptr);
      library->trouble.clear();
      find_adapters(*library);
      break;
    }
    // The first one is the one that was meant.
    if (library->trouble.empty()) library->trouble = trouble;
  }
  return library;
}

const char* name(api::BackendType backend) {
  return backend == api::BackendType::vulkan  ? "vulkan"
         : backend == api::BackendType::metal ? "metal"
                                              : "d3d12";
}
const char* name(api::AdapterType type) {
  switch (type) {
    case api::AdapterType::discrete:
      return "discrete";
    case api::AdapterType::integrated:
      return "integrated";
    case api::AdapterType::cpu:
      return "cpu";
    default:
      return "unknown";
  }
}

}  // namespace

const Library& library() {
  // Never destroyed: threads may still work when the process ends.
  static const Library& instance = *load_library().release();
  return instance;
}

Adapter describe(const Library& library, api::Adapter adapter) {
  api::AdapterInfo info;
  library.call.AdapterGetInfo(adapter, &info);
  return {text(info.device), name(info.backend), name(info.type), text(info.description)};
}

void set_library(std::string path) { given_library() = std::move(path); }

bool is_available() { return !library().adapters.empty(); }

std::vector<Adapter> adapters() {
  std::vector<Adapter> list;
  for (api::Adapter adapter : library().adapters) list.push_back(describe(library(), adapter));
  return list;
}

}  // namespace tamis::webgpu
