// The structures of DLPack (https://dmlc.github.io/dlpack/latest/), as its specification lays them
// out.
#pragma once

#include <cstdint>

namespace tamis::python::dlpack {

constexpr uint32_t kMajor = 1, kMinor = 1;

constexpr int32_t kDeviceCpu = 1, kDeviceExtension = 12, kDeviceWebgpu = 15;

constexpr uint8_t kCodeInt = 0, kCodeUInt = 1, kCodeFloat = 2, kCodeBfloat = 4, kCodeComplex = 5,
                  kCodeBool = 6;

constexpr uint64_t kFlagReadOnly = 1;

struct Device {
  int32_t type;
  int32_t id;
};

struct DataType {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
};

struct Array {
  void* data;
  Device device;
  int32_t ndim;
  DataType dtype;
  int64_t* shape;
  int64_t* strides;  // in elements; null means row-major
  uint64_t byte_offset;
};

/// What a capsule "dltensor" holds (DLPack 0.x).
struct Managed {
  Array array;
  void* context;
  void (*deleter)(Managed* self);
};

struct Version {
  uint32_t major;
  uint32_t minor;
};

/// What a capsule "dltensor_versioned" holds (DLPack 1.x).
struct ManagedVersioned {
  Version version;
  void* context;
  void (*deleter)(ManagedVersioned* self);
  uint64_t flags;
  Array array;
};

}  // namespace tamis::python::dlpack
