// Errors: the one exception type of the library.
#pragma once

#include <stdexcept>
#include <string>

namespace tamis {

/// What kind of rule a call broke. The Python module maps kinds to PyTorch's exception types.
enum class ErrorKind {
  shape,        ///< sizes do not fit or do not broadcast
  dtype,        ///< a dtype that the operation does not take
  index,        ///< an index or dimension out of range
  value,        ///< an argument with an impossible value
  unsupported,  ///< legal elsewhere, refused here (overlapping memory, for instance)
  memory,       ///< more memory than is left, or than the machine has
  format,       ///< a file whose content is malformed
  io,           ///< the system could not open, read or write a file
  device,       ///< a device is missing, was lost, or refused a call
};

/// Thrown by every function that refuses its arguments. Nothing has been written when it is thrown.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& text) : std::runtime_error(text), kind_(kind) {}
  ErrorKind kind() const noexcept { return kind_; }

 private:
  ErrorKind kind_;
};

}  // namespace tamis
