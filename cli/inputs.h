// Inputs: the files of a command, open, with their arrays under the names that conditions use.
#pragma once

#include <deque>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "array.h"
#include "io/reader.h"
#include "options.h"

namespace tamis::cli {

/// A file as an argument gives it: "a.npy", or "x=a.npy" with a name. "./x=a.npy" is a path.
struct FileArgument {
  std::string name;  // may be empty
  std::string path;
};
FileArgument parse_file(const std::string& argument);

/// The layout of raw files, from --dtype and --shape. Throws UsageError.
std::optional<io::RawLayout> raw_layout(const Options& options);

/// Opens a file; the layout is for files that have no format of their own.
io::Reader open_reader(const std::string& path, const std::optional<io::RawLayout>& raw);

class Inputs {
 public:
  /// Files without a name are x, y and z in turn.
  explicit Inputs(const Options& options);

  std::span<const Array> arrays() const { return arrays_; }
  const Array& first() const { return arrays_.front(); }
  /// What the first array is called in its own file; may be empty.
  const std::string& first_name() const { return first_name_; }
  /// Throws kind io if a file has become shorter since it was opened.
  void check_intact() const;

 private:
  void add(const std::string& name, const std::string& path, const Options& options);

  std::deque<io::Reader> readers_;
  std::vector<Array> arrays_;
  std::string first_name_;
};

}  // namespace tamis::cli
