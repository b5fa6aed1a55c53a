// Source tree: files that tests read. Only this file knows where the tree is, so that no other
// object depends on it.
#include <filesystem>
#include <fstream>
#include <iterator>

#include "support/pointwise_cases.h"

namespace tamis::testing {

std::string read_text(const std::string& path) {
  std::ifstream in(std::filesystem::path(TAMIS_SOURCE_DIR) / path);
  EXPECT_TRUE(in) << path;
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::string> files_under(const std::string& folder) {
  const std::filesystem::path root(TAMIS_SOURCE_DIR);
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
    if (entry.is_regular_file()) {
      files.push_back(std::filesystem::relative(entry.path(), root).generic_string());
    }
  }
  return files;
}

}  // namespace tamis::testing
