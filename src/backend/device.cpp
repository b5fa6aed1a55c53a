// Devices: the list of their types.
#include "backend/device.h"

#include <atomic>
#include <mutex>
#include <utility>
#include <vector>

#include "backend/webgpu/open.h"
#include "core/check.h"
#include "fmt/ranges.h"
#include "tamis/runtime.h"

namespace tamis {

namespace {

struct DeviceType {
  std::string name;
  Backend* (*open)(int index);
};

Backend* open_cpu(int index) { return index <= 0 ? &cpu_backend() : nullptr; }

struct Registry {
  std::mutex mutex;
  std::vector<DeviceType> types{{"cpu", open_cpu}, {"webgpu", webgpu::open_backend}};
};
Registry& registry() {
  static Registry instance;
  return instance;
}

}  // namespace

Backend& host_backend() { return cpu_backend(); }

void add_device_type(std::string type, Backend* (*open)(int index)) {
  std::lock_guard guard(registry().mutex);
  registry().types.push_back({std::move(type), open});
}

std::vector<std::string> device_types() {
  std::lock_guard guard(registry().mutex);
  std::vector<std::string> names;
  for (const DeviceType& type : registry().types) names.push_back(type.name);
  return names;
}

Backend& backend_for(const Device& device) {
  Backend* (*open)(int) = nullptr;
  {
    std::lock_guard guard(registry().mutex);
    for (const DeviceType& type : registry().types) {
      if (type.name == device.type()) open = type.open;
    }
  }
  check(open != nullptr, ErrorKind::value,
        "Expected one of {} device type at start of device string: {}",
        fmt::join(device_types(), ", "), device.type());
  Backend* const backend = open(device.index());
  check(backend != nullptr, ErrorKind::value, "there is no device '{}'", device.str());
  return *backend;
}

namespace {

std::atomic<Backend*>& default_slot() {
  static std::atomic<Backend*> slot{&cpu_backend()};
  return slot;
}

}  // namespace

Backend& default_backend() { return *default_slot().load(std::memory_order_acquire); }

Device default_device() { return default_backend().device(); }

void set_default_device(const Device& device) {
  default_slot().store(&backend_for(device), std::memory_order_release);
}

const char* name(Feature feature) {
  switch (feature) {
    case Feature::copy:
      return "copy";
    case Feature::arithmetic:
      return "arithmetic";
    case Feature::select:
      return "selection";
    case Feature::reduce:
      return "reduction";
    case Feature::softmax:
      return "softmax";
    case Feature::scan:
      return "scan";
    case Feature::index:
      return "indexing";
    case Feature::accumulate:
      return "accumulation by index";
    case Feature::order:
      return "sort";
    case Feature::matmul:
      return "matmul";
    case Feature::random:
      return "random numbers";
  }
  __builtin_unreachable();
}

void require(const Backend& backend, Feature feature, DType dtype) {
  if (backend.supports(feature, dtype)) return;
  raise(ErrorKind::unsupported, fmt::format("'{}' of {} is not available on {}; call .cpu() first",
                                            name(feature), name(dtype), backend.device().str()));
}

}  // namespace tamis
