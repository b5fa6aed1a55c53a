// Any bytes as a CSV file: refused with a line, or numbers that are read back after they are
// written.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "fuzz/require.h"
#include "io/csv.h"
#include "tamis/error.h"

using namespace tamis;
using namespace tamis::io;
using fuzz::require;

namespace {

File file_of(const void* data, size_t size) {
  const int memory = memfd_create("input", 0);
  require(pwrite(memory, data, size, 0) == static_cast<ssize_t>(size), "memory");
  return File(Descriptor(memory), "input");
}

std::string bytes_of(const CsvTable& table) {
  std::string bytes(table.elements.size(), '\0');
  table.elements.read(0, bytes.data(), bytes.size());
  return bytes;
}

/// The same numbers again, as the writer has them.
std::string written(const CsvTable& table) {
  const std::string bytes = bytes_of(table);
  const auto columns = static_cast<size_t>(table.shape.size() == 2 ? table.shape[1] : 1);
  std::string text;
  for (size_t at = 0, i = 1; at < bytes.size(); at += itemsize(table.dtype), ++i) {
    append_element(text, table.dtype, bytes.data() + at);
    text += i % columns == 0 ? '\n' : ',';
  }
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const File file = file_of(data, size);
  for (const bool header : {false, true}) {
    try {
      const CsvTable table = read_csv(file, {{}, header});
      require(table.elements.size() == numel(table.shape) * itemsize(table.dtype),
              "the shape needs those bytes");
      const std::string text = written(table);
      const CsvTable again = read_csv(file_of(text.data(), text.size()), {table.dtype, false});
      require(numel(table.shape) == 0 || again.shape == table.shape, "the shape is read back");
      require(written(again) == text, "the numbers are read back");
    } catch (const Error& e) {
      require(e.kind() == ErrorKind::format, "a malformed file is an error of that kind");
      require(std::strstr(e.what(), "input: line ") == e.what(), "the message has a line");
    }
  }
  return 0;
}
