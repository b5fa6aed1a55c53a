// Options: what the arguments of a command say.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tamis::cli {

struct Options {
  std::vector<std::string> files;  // "a.npy" or "x=a.npy"
  std::vector<std::string> names;  // of arrays inside of files: "weight" or "x=weight"
  std::string dtype, shape;        // of raw files
  std::string where;
  std::string value;
  std::string output = "-";
  std::string rejected;
  std::string format;  // of what is written; else the file name tells
  std::string lengths;
  std::optional<int64_t> max_len;
  std::vector<int64_t> dims;
  std::vector<double> quantiles{0.05, 0.25, 0.5, 0.75, 0.95};
  int threads = 0;      // 0: as many as there are cores
  std::string picture;  // the file for a PNG
  bool values = false;  // a picture of elements, not of shares
  bool quiet = false;
  bool no_sync = false;
  bool json = false;
  // Of the hidden commands that print documentation.
  std::string shell;
  bool man = false;
};

}  // namespace tamis::cli
