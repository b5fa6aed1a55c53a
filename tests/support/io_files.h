// Files for tests: a folder of their own, whole contents, and little-endian numbers by hand.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

#include "tamis/tamis.h"

namespace tamis::testing {

/// A folder that is removed with all that is in it.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::random_device random;
    do {
      path_ = std::filesystem::temp_directory_path() / ("tamis-test-" + std::to_string(random()));
    } while (!std::filesystem::create_directory(path_));
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  /// How many files are in it.
  size_t files() const {
    const std::filesystem::directory_iterator begin(path_), end;
    return static_cast<size_t>(std::distance(begin, end));
  }

 private:
  std::filesystem::path path_;
};

inline void put_file(const std::string& path, const std::string& content) {
  std::ofstream(path, std::ios::binary) << content;
}

inline std::string get_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// v as `bytes` bytes, the lowest first.
inline std::string little_endian(uint64_t v, int bytes) {
  std::string result;
  for (int i = 0; i < bytes; ++i) result += static_cast<char>(v >> (8 * i) & 0xff);
  return result;
}

/// A .npy file with that header text and those bytes of data.
inline std::string npy_file(const std::string& header, const std::string& data, int major = 1) {
  return std::string("\x93NUMPY") + static_cast<char>(major) + '\0' +
         little_endian(header.size(), major == 1 ? 2 : 4) + header + data;
}

inline std::string npy_header(const std::string& descr, const std::string& shape,
                              const std::string& fortran = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }\n";
}

/// Runs f, which must throw an Error, and checks its kind and that its text has a part.
template <class F>
void expect_error(ErrorKind kind, const std::string& part, F&& f) {
  try {
    f();
    ADD_FAILURE() << "nothing was thrown; expected: " << part;
  } catch (const Error& e) {
    EXPECT_EQ(static_cast<int>(e.kind()), static_cast<int>(kind)) << e.what();
    EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
  }
}

}  // namespace tamis::testing
