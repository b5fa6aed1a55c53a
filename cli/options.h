// Options: what the arguments of a command say.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tamis::cli {

struct Options {
  std::vector<std::string> files;  // "a.npy", "x=a.npy" or "x=a.npz:name"
  std::vector<std::string> names;  // of arrays inside of files: "weight" or "x=weight"
  std::string dtype, shape;        // of raw and CSV files
  bool csv = false;                // files without a known ending are CSV
  bool header = false;             // CSV files begin with a line of names
  bool each = false;               // every file by itself
  std::string where;
  std::string value;
  std::string output = "-";
  std::string rejected;
  std::string format;                // of what is written; else the file name tells
  std::vector<std::string> columns;  // names for the first line of a CSV file that is written
  std::string chunks, shards;        // sizes in a Zarr store that is written
  std::string codec;                 // its compression: "zstd", "zstd:3", "none"
  int zarr_version = 3;
  std::string lengths;
  std::optional<int64_t> max_len;
  std::vector<int64_t> dims;
  std::vector<double> quantiles;  // none: those of the documentation
  int64_t lines = 10;             // to print
  int threads = 0;                // 0: as many as there are cores
  std::string picture;            // the file for a PNG
  bool values = false;            // a picture of elements, not of shares
  bool quiet = false;
  bool no_sync = false;
  bool json = false;
  // Of the commands that print documentation.
  std::string command;
  std::string shell;
  bool man = false;
};

}  // namespace tamis::cli
