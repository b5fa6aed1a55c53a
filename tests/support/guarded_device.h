// A second device for the tests: the CPU's evaluator over memory that only it can reach. Its
// handles are addresses that no program may touch, so code above the waist that takes one for an
// address ends in a segmentation fault.
#pragma once

#include <optional>

#include "backend/backend.h"

namespace tamis::testing {

/// Adds the device type "guarded", once.
void add_guarded_device();
Backend& guarded_backend();

/// While it lives, the guarded device does not support the feature.
class WithoutFeature {
 public:
  explicit WithoutFeature(Feature feature);
  ~WithoutFeature();
  WithoutFeature(const WithoutFeature&) = delete;
  WithoutFeature& operator=(const WithoutFeature&) = delete;
};

/// The device that tests of every device run on: TAMIS_TEST_DEVICE, or the CPU.
const Device& device();

/// While it lives, `device()` is this one.
class UseDevice {
 public:
  explicit UseDevice(const Device& device);
  ~UseDevice();
  UseDevice(const UseDevice&) = delete;
  UseDevice& operator=(const UseDevice&) = delete;

 private:
  Device before_;
};

/// Makes `device()` the default device while it lives.
class OnTestDevice {
 public:
  OnTestDevice();
  ~OnTestDevice();
  OnTestDevice(const OnTestDevice&) = delete;
  OnTestDevice& operator=(const OnTestDevice&) = delete;

 private:
  Device before_;
};

}  // namespace tamis::testing
