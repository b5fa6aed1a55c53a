// Device: where a tensor's memory is and where operations on it run.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace tamis {

/// PyTorch's device: a type and, where there are several, an index: "cpu", "webgpu:1". Converts
/// from text, so functions that take a device also take "cpu". It is a name; whether there is such
/// a device is found out when a tensor is to be put there.
class Device {
 public:
  Device() : type_("cpu") {}
  /// Throws kind value unless the text is a type or `type:index`.
  Device(std::string_view text);
  Device(const char* text) : Device(std::string_view(text)) {}
  Device(const std::string& text) : Device(std::string_view(text)) {}

  const std::string& type() const { return type_; }
  /// -1 if none was given.
  int index() const { return index_; }
  bool has_index() const { return index_ >= 0; }
  bool is_cpu() const { return type_ == "cpu"; }
  std::string str() const;  ///< "webgpu:1"

  /// As in PyTorch, "webgpu" and "webgpu:0" are different devices.
  bool operator==(const Device&) const = default;

 private:
  std::string type_;
  int index_ = -1;
};

/// Its text: `std::cout << x.device()` prints cpu.
std::ostream& operator<<(std::ostream& out, const Device& device);

/// The types of devices that this build has: {"cpu"}.
std::vector<std::string> device_types();

}  // namespace tamis
