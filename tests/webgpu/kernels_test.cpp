// Kernels: the texts that were compiled by one library also compile by another.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "backend/webgpu/open.h"
#include "support/webgpu.h"

namespace tamis {
namespace {

constexpr char kEnd = '\0';

/// With TAMIS_KERNELS, the kernels that the tests have used are written to this file at the end.
class KeepKernels : public ::testing::Environment {
 public:
  void TearDown() override {
    const char* const path = std::getenv("TAMIS_KERNELS");
    if (path == nullptr || !webgpu::is_available()) return;
    std::ofstream file(path);
    for (const std::string& text : webgpu::queue_of("webgpu").kernels()) file << text << kEnd;
  }
};
const ::testing::Environment* const kKeep = ::testing::AddGlobalTestEnvironment(new KeepKernels);

std::vector<webgpu::Access> accesses_of(const std::string& text) {
  std::vector<webgpu::Access> accesses;
  const std::string head = "var<storage, ";
  for (size_t at = text.find(head); at != std::string::npos; at = text.find(head, at + 1)) {
    const bool writes = text.compare(at + head.size(), 10, "read_write") == 0;
    accesses.push_back(writes ? webgpu::Access::write : webgpu::Access::read);
  }
  return accesses;
}

/// The lines of a text, with every number as #.
std::set<std::string> lines_of(const std::string& text) {
  std::set<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    std::string plain;
    for (char c : line) {
      const bool is_digit = c >= '0' && c <= '9';
      if (!is_digit) plain += c;
      if (is_digit && (plain.empty() || plain.back() != '#')) plain += '#';
    }
    lines.insert(plain);
  }
  return lines;
}

/// Of the texts those that have a line which none before had: there are thousands, and they differ
/// in few lines, or in numbers only.
std::vector<std::string> without_repetitions(const std::set<std::string>& texts) {
  std::set<std::string> seen;
  std::vector<std::string> chosen;
  for (const std::string& text : texts) {
    const size_t before = seen.size();
    seen.merge(lines_of(text));
    if (seen.size() > before) chosen.push_back(text);
  }
  return chosen;
}

/// Run by itself, with the library that is to compile them and TAMIS_KERNELS_OF, a list of files
/// with colons between them.
TEST(WebGpuKernels, CompileLineByLineByAnotherLibrary) {
  const char* const path = std::getenv("TAMIS_KERNELS_OF");
  if (path == nullptr) GTEST_SKIP() << "TAMIS_KERNELS_OF names no file of kernels";
  ASSERT_TRUE(testing::has_adapter());
  std::set<std::string> texts;
  std::istringstream paths(path);
  for (std::string one; std::getline(paths, one, ':');) {
    std::ifstream file(one);
    for (std::string text; std::getline(file, text, kEnd);) texts.insert(text);
  }
  ASSERT_GT(texts.size(), 2000u) << path << " has too few kernels: did the other tests run?";
  webgpu::Gpu& gpu = webgpu::queue_of("webgpu").gpu();
  int refused = 0;
  const std::vector<std::string> chosen = without_repetitions(texts);
  for (const std::string& text : chosen) {
    try {
      (void)gpu.make_pipeline(text, accesses_of(text));
    } catch (const Error& e) {
      ADD_FAILURE() << e.what();
      if (++refused == 5) return;
    }
  }
  fmt::print("{} of {} kernels, with all their lines, compile on {}\n", chosen.size(), texts.size(),
             webgpu::adapters()[0].name);
}

}  // namespace
}  // namespace tamis
