// Devices as backends: finding the backend of a device, and what a backend cannot do.
#pragma once

#include <string>

#include "backend/backend.h"

namespace tamis {

/// The backend whose memory C++ code can read.
Backend& host_backend();
/// The backend of a device. Throws kind value if there is no such device.
Backend& backend_for(const Device& device);

/// That of default_device().
Backend& default_backend();

/// Adds devices of a type; `open(index)` gives the backend of one, or null if there is none of that
/// number. An index of -1 means the default one.
void add_device_type(std::string type, Backend* (*open)(int index));

/// The table of Feature: what messages call the operations of a group.
const char* name(Feature feature);

/// Throws kind unsupported, naming the feature, the dtype and the device, unless the backend
/// supports it.
void require(const Backend& backend, Feature feature, DType dtype);

}  // namespace tamis
