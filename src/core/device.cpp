// Device: names of devices as text.
#include "tamis/device.h"

#include <charconv>
#include <ostream>

#include "core/check.h"

namespace tamis {

Device::Device(std::string_view text) : type_(text.substr(0, text.find(':'))) {
  const bool is_name =
      !type_.empty() && type_.find_first_not_of("abcdefghijklmnopqrstuvwxyz_") == std::string::npos;
  bool ok = is_name;
  if (is_name && type_.size() < text.size()) {
    const std::string_view digits = text.substr(type_.size() + 1);
    const char* const end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, index_);
    ok = error == std::errc() && stop == end && index_ >= 0 &&
         (digits.size() == 1 || digits[0] != '0');
  }
  check(ok, ErrorKind::value, "Invalid device string: '{}'", text);
}

std::string Device::str() const {
  return has_index() ? type_ + ":" + std::to_string(index_) : type_;
}

std::ostream& operator<<(std::ostream& out, const Device& device) { return out << device.str(); }

}  // namespace tamis
