// Opening WebGPU devices.
#pragma once

#include "backend/backend.h"
#include "backend/webgpu/queue.h"

namespace tamis::webgpu {

/// The backend of device "webgpu:index", null if there is no adapter of this number. An index of -1
/// asks for the first.
Backend* open_backend(int index);

/// The next use of "webgpu:index" opens it anew; tensors of the old one, which was lost, refuse
/// everything.
void reopen(int index);

/// The queue of a device, for statistics and tests. Throws kind value if there is no such device.
Queue& queue_of(const Device& device);

}  // namespace tamis::webgpu
