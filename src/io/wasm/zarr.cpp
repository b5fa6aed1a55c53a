// WebAssembly has no Zarr: the libraries that decompress it would be larger than all the rest.
#include "io/zarr.h"

#include <algorithm>

#include "core/check.h"

namespace tamis::io {

namespace {

[[noreturn]] void refuse(const std::string& name) {
  raise(ErrorKind::unsupported, fmt::format("{}: Zarr stores are not in this build", name));
}

}  // namespace

bool is_folder(const std::string&) { return false; }
bool is_zarr(const std::vector<ZipMember>& members) {
  return std::any_of(members.begin(), members.end(), [](const ZipMember& member) {
    return member.name.ends_with("zarr.json") || member.name.ends_with(".zarray") ||
           member.name.ends_with(".zgroup");
  });
}
std::unique_ptr<ZarrSource> open_zarr_folder(const std::string& path) { refuse(path); }
std::unique_ptr<ZarrSource> open_zarr_archive(const File& file, std::vector<ZipMember>) {
  refuse(file.name());
}
std::unique_ptr<ZarrSink> make_zarr_folder(const std::string& path, std::vector<ArrayPlan>, bool) {
  refuse(path);
}
std::unique_ptr<ZarrSink> make_zarr_archive(std::unique_ptr<Output>, std::vector<ArrayPlan>) {
  refuse("zip archive");
}

}  // namespace tamis::io
