// Inputs: the files of a command, open, with their arrays under the names that conditions use.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "array.h"
#include "io/reader.h"
#include "options.h"

namespace tamis::cli {

/// A file as an argument gives it: "a.npy", or "x=a.npy" with a name; "a.npz:weight" is an array in
/// it, unless there is a file that is called so. "./x=a.npy" is a path, and so is "a.zarr/weight".
struct FileArgument {
  std::string name;  // in conditions; may be empty
  std::string path;
  std::string array;  // inside of the file; may be empty
};
FileArgument parse_file(const std::string& argument);

/// "100,200", "100x200" or "[100, 200]", as an option has it. A size may be -1. Throws UsageError.
Shape parse_shape(const std::string& text, const char* option);

/// Opens a file. --dtype, --shape, --csv and --header are for files that do not say themselves what
/// is in them. Throws UsageError.
io::Reader open_reader(const std::string& path, const Options& options);

/// The number of the array with that name, or of the only one if the name is empty. Throws
/// tamis::Error that says how one is chosen.
size_t find_array(const io::Reader& reader, const std::string& name);

/// The options for each unnamed file by itself, together with all files that have a name. Throws
/// UsageError if there is none.
std::vector<Options> options_of_each(const Options& options);

class Inputs {
 public:
  /// Files without a name are x, y and z in turn.
  explicit Inputs(const Options& options);

  std::span<const Array> arrays() const { return arrays_; }
  const Array& first() const { return arrays_.front(); }
  /// What the first array is called in its own file; may be empty.
  const std::string& first_name() const { return first_name_; }
  /// How the first array lies in a Zarr store; null if it does not.
  const std::shared_ptr<const io::ZarrInfo>& first_zarr() const { return first_zarr_; }
  /// Throws kind io if a file has become shorter since it was opened.
  void check_intact() const;

 private:
  void add(const FileArgument& file, const Options& options);

  std::deque<io::Reader> readers_;
  std::vector<Array> arrays_;
  std::string first_name_;
  std::shared_ptr<const io::ZarrInfo> first_zarr_;
};

}  // namespace tamis::cli
