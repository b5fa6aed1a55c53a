// Reading arrays: headers at once, elements on demand.
#include "io/reader.h"

#include <fcntl.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <mutex>

#include "core/check.h"
#include "core/tensor_impl.h"
#include "expr/expr.h"
#include "io/file.h"
#include "io/layout.h"
#include "io/mapping.h"
#include "io/npy.h"
#include "io/safetensors.h"
#include "io/sizes.h"
#include "io/zarr.h"
#include "io/zip.h"
#include "tamis/create.h"

namespace tamis::io {

namespace {

// Below, copying is cheaper than changing the page tables: what is copied stays in the cache.
constexpr uint64_t kMinMapped = 1 << 20;

ArrayInfo raw_array(const File& file, const RawLayout& layout) {
  const auto width = static_cast<int64_t>(itemsize(layout.dtype));
  ArrayInfo info;
  info.dtype = layout.dtype;
  info.dtype_text = name(layout.dtype);
  info.bytes = file.size();
  info.shape = layout.shape.value_or(Shape{-1});
  check(info.shape.size() <= kMaxRank, ErrorKind::value, "more than {} dimensions", kMaxRank);
  const auto open = std::find(info.shape.begin(), info.shape.end(), -1);
  if (open != info.shape.end()) {
    *open = 1;
    const auto one = checked_size(info.shape, width);
    check(
        one && *one > 0 && file.size() % *one == 0, ErrorKind::format,
        "{}: the file has {} bytes, which is not a multiple of the element or row size of {} bytes",
        file.name(), file.size(), one.value_or(0));
    *open = static_cast<int64_t>(file.size() / *one);
  }
  const auto bytes = checked_size(info.shape, width);
  check(bytes && *bytes == file.size(), ErrorKind::format,
        "{}: the file has {} bytes, which does not match shape {} of {}", file.name(), file.size(),
        info.shape, name(layout.dtype));
  return info;
}

/// The first bytes of a member, as far as an .npy header may reach.
std::string head_of(const File& file, const ZipMember& member) {
  std::string head;
  read_zip_member(
      file, member, [&](std::span<const char> bytes) { head.append(bytes.data(), bytes.size()); },
      kNpyHeadBytes);
  head.resize(std::min(head.size(), kNpyHeadBytes));
  return head;
}

/// A dtype that holds the values of an element type that Tamis does not have.
std::string substitute_of(const std::string& element_type) {
  const auto has = [&](std::string_view code) { return element_type.ends_with(code); };
  if (has("c24") || has("c32")) return "complex128";
  return has("f12") || has("f16") ? "float64" : "float32";
}

std::string names_of(const std::vector<ArrayInfo>& arrays) {
  constexpr size_t kMost = 20;
  std::string text;
  for (size_t i = 0; i < std::min(arrays.size(), kMost); ++i) {
    text += (i > 0 ? ", " : "") + arrays[i].name;
  }
  return arrays.size() > kMost ? text + ", ..." : text;
}

Shape reversed(const Shape& shape) {
  Shape result = shape;
  std::reverse(result.begin(), result.end());
  return result;
}

/// x with its dimensions in the other order: a view.
Tensor transposed(const Tensor& x) {
  Shape dims(x.shape().size(), 0);
  for (size_t d = 0; d < dims.size(); ++d) dims[d] = static_cast<int64_t>(dims.size() - 1 - d);
  return x.permute(dims);
}

}  // namespace

struct Reader::State {
  /// Where the elements of an array are in C order.
  struct Location {
    const File* file = nullptr;
    uint64_t offset = 0;
  };

  explicit State(File f) : file(std::move(f)) {}

  void open_zarr(std::unique_ptr<ZarrSource> source);
  void open_archive();
  void open_npz(std::vector<ZipMember> found);
  void open_safetensors(std::string_view head);
  DType readable(size_t array) const;
  const File& inflated(size_t array);
  Location locate(size_t array);
  Tensor mapped(const Location& location, uint64_t skip, const Shape& shape, DType dtype) const;
  void check_intact() const;

  const File file;
  Format format = Format::raw;
  std::vector<ArrayInfo> arrays;
  std::vector<ZipMember> members;    // of .npz, one for each array
  std::unique_ptr<ZarrSource> zarr;  // of Zarr stores
  bool is_folder = false;            // file is that of a store
  const Damage damage = std::make_shared<std::atomic<bool>>(false);
  std::mutex mutex;  // guards what follows
  std::map<size_t, File> inflated_files, ordered_files;
  std::vector<bool> verified;  // stored members whose CRC was right
};

void Reader::State::open_zarr(std::unique_ptr<ZarrSource> source) {
  format = Format::zarr;
  zarr = std::move(source);
  arrays = zarr->arrays();
}

void Reader::State::open_archive() {
  std::vector<ZipMember> found = read_zip_directory(file);
  if (is_zarr(found)) return open_zarr(open_zarr_archive(file, std::move(found)));
  format = Format::npz;
  open_npz(std::move(found));
}

void Reader::State::open_npz(std::vector<ZipMember> found) {
  for (ZipMember& member : found) {
    const std::string where = file.name() + ": member " + member.name;
    check(member.name.ends_with(".npy"), ErrorKind::format,
          "{}: not a .npy file, so this is not an .npz archive", where);
    const std::string head = head_of(file, member);
    ArrayInfo info = parse_npy(head, member.bytes, where);
    info.name = member.name.substr(0, member.name.size() - 4);
    info.compressed = member.deflated;
    if (!member.deflated) info.offset += member.offset;
    arrays.push_back(std::move(info));
    members.push_back(std::move(member));
  }
  verified.resize(arrays.size());
}

void Reader::State::open_safetensors(std::string_view head) {
  const uint64_t bytes = safetensors_header_bytes(head, file.size(), file.name());
  std::string json(bytes, '\0');
  file.read(8, json.data(), bytes);
  arrays = parse_safetensors(json, file.size(), file.name());
}

DType Reader::State::readable(size_t array) const {
  check(array < arrays.size(), ErrorKind::index, "{}: array index {} is out of range", file.name(),
        array);
  const ArrayInfo& info = arrays[array];
  check(info.problem.empty(), ErrorKind::format, "{}: {}{}", file.name(),
        info.name.empty() ? "" : "array '" + info.name + "': ", info.problem);
  check(info.dtype.has_value(), ErrorKind::dtype,
        "{0}: {1}element type '{2}' is not supported; convert to {3} first, for example with "
        "x.astype('{3}') in NumPy",
        file.name(), info.name.empty() ? "" : "array '" + info.name + "': ", info.dtype_text,
        substitute_of(info.dtype_text));
  return *info.dtype;
}

/// The file in which the array's offset counts. The caller holds the mutex.
const File& Reader::State::inflated(size_t array) {
  if (format != Format::npz) return file;
  const ZipMember& member = members[array];
  if (!member.deflated) {
    if (!verified[array]) read_zip_member(file, member, [](std::span<const char>) {});
    verified[array] = true;
    return file;
  }
  const auto found = inflated_files.find(array);
  if (found != inflated_files.end()) return found->second;
  File target = File::temporary(file.name(), member.bytes);
  read_zip_member(file, member, [&](std::span<const char> bytes) {
    target.write(target.size(), bytes.data(), bytes.size());
  });
  return inflated_files.emplace(array, std::move(target)).first->second;
}

Reader::State::Location Reader::State::locate(size_t array) {
  const ArrayInfo& info = arrays[array];
  std::lock_guard guard(mutex);
  if (!info.fortran_order) return {&inflated(array), info.offset};
  auto found = ordered_files.find(array);
  if (found == ordered_files.end()) {
    File ordered = to_c_order(inflated(array), info.offset, info.shape, *info.dtype);
    found = ordered_files.emplace(array, std::move(ordered)).first;
    inflated_files.erase(array);
  }
  return {&found->second, 0};
}

/// A read-only tensor over the file; undefined if the location is not aligned or cannot be mapped.
Tensor Reader::State::mapped(const Location& location, uint64_t skip, const Shape& shape,
                             DType dtype) const {
  const uint64_t offset = location.offset + skip;
  const size_t bytes = static_cast<size_t>(numel(shape)) * itemsize(dtype);
  if (offset % itemsize(real_dtype(dtype)) != 0) return {};
  const std::shared_ptr<Mapping> mapping = Mapping::make(*location.file, offset, bytes, damage);
  if (!mapping) return {};
  Tensor x = from_blob(mapping->data(), shape, dtype, [mapping](void*) {});
  storage_of(x)->set_read_only();
  return x;
}

Reader::Reader(const std::string& path, const std::optional<RawLayout>& raw) {
  if (raw || path == "-" || !is_folder(path)) {
    *this = Reader(File::open(path), raw);
    return;
  }
  Descriptor folder(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!folder) raise_errno(path, "open for reading");
  state_ = std::make_shared<State>(File(std::move(folder), path));
  state_->is_folder = true;
  state_->open_zarr(open_zarr_folder(path));
}

Reader::Reader(File file, const std::optional<RawLayout>& raw)
    : state_(std::make_shared<State>(std::move(file))) {
  State& s = *state_;
  if (raw) {
    s.arrays.push_back(raw_array(s.file, *raw));
    return;
  }
  std::string head(std::min<uint64_t>(s.file.size(), kNpyHeadBytes), '\0');
  check(!head.empty(), ErrorKind::format, "{}: the file is empty", s.file.name());
  s.file.read(0, head.data(), head.size());
  if (is_npy(head)) {
    s.format = Format::npy;
    s.arrays.push_back(parse_npy(head, s.file.size(), s.file.name()));
  } else if (is_zip(head)) {
    s.open_archive();
  } else {
    // A .safetensors file begins with a length and '{'; only its name tells a damaged one.
    const bool likely = head.size() > 8 && (head[8] == '{' || head[8] == ' ');
    check(likely || format_of(s.file.name()) == Format::safetensors, ErrorKind::format,
          "{}: not a .npy, .npz or .safetensors file; to read raw data, give its dtype",
          s.file.name());
    s.format = Format::safetensors;
    s.open_safetensors(head);
  }
}

Reader::Reader(const std::string& path, const CsvLayout& csv, const std::optional<Shape>& shape) {
  CsvTable table = read_csv(File::open(path), csv);
  state_ = std::make_shared<State>(std::move(table.elements));
  state_->format = Format::csv;
  state_->arrays.push_back(raw_array(state_->file, {table.dtype, shape.value_or(table.shape)}));
}

Reader::~Reader() = default;
Reader::Reader(Reader&&) noexcept = default;
Reader& Reader::operator=(Reader&&) noexcept = default;

const std::string& Reader::path() const { return state_->file.name(); }
Format Reader::format() const { return state_->format; }
const std::vector<ArrayInfo>& Reader::arrays() const { return state_->arrays; }

size_t Reader::find(const std::string& name) const {
  for (size_t i = 0; i < arrays().size(); ++i) {
    if (arrays()[i].name == name) return i;
  }
  raise(ErrorKind::value,
        fmt::format("{}: no array named '{}'; available: {}", path(), name, names_of(arrays())));
}

size_t Reader::only() const {
  check(arrays().size() == 1, ErrorKind::value, "{}: the file has {} arrays; choose one of: {}",
        path(), arrays().size(), names_of(arrays()));
  return 0;
}

DType Reader::dtype(size_t array) const { return state_->readable(array); }

Tensor Reader::read(size_t array) const {
  State& s = *state_;
  const DType dtype = s.readable(array);
  if (s.zarr) return s.zarr->read(array);
  const ArrayInfo& info = s.arrays[array];
  const Tensor x = allocate_on_host(info.fortran_order ? reversed(info.shape) : info.shape, dtype);
  char* to = static_cast<char*>(x.mutable_data_ptr());
  if (s.format == Format::npz) {
    // Straight into memory: no temporary file is needed here.
    uint64_t skip = s.members[array].bytes - info.bytes;
    read_zip_member(s.file, s.members[array], [&](std::span<const char> bytes) {
      const size_t header = std::min<uint64_t>(skip, bytes.size());
      skip -= header;
      std::memcpy(to, bytes.data() + header, bytes.size() - header);
      to += bytes.size() - header;
    });
  } else {
    s.file.read(info.offset, to, info.bytes);
  }
  if (info.byte_swapped) swap_bytes(x.mutable_data_ptr(), x.numel(), dtype);
  return info.fortran_order ? transposed(x).contiguous().settle() : x;
}

Tensor Reader::window(size_t array, int64_t first, int64_t count) const {
  State& s = *state_;
  const DType dtype = s.readable(array);
  const ArrayInfo& info = s.arrays[array];
  const uint64_t width = itemsize(dtype);
  check(first >= 0 && count >= 0 && first <= numel(info.shape) - count, ErrorKind::index,
        "{}: {} elements starting at {} do not lie within an array of shape {}", path(), count,
        first, info.shape);
  if (count == 0) return allocate_on_host({0}, dtype);
  if (s.zarr) return s.zarr->window(array, first, count);
  const State::Location location = s.locate(array);
  if (!info.byte_swapped && count * width >= kMinMapped) {
    location.file->check_size();
    const Tensor x = s.mapped(location, first * width, {count}, dtype);
    if (x.defined()) return x;
  }
  const Tensor x = allocate_on_host({count}, dtype);
  location.file->read(location.offset + first * width, x.mutable_data_ptr(), count * width);
  if (info.byte_swapped) swap_bytes(x.mutable_data_ptr(), count, dtype);
  return x;
}

Tensor Reader::map(size_t array) const {
  State& s = *state_;
  const DType dtype = s.readable(array);
  const ArrayInfo& info = s.arrays[array];
  if (info.bytes == 0 || info.compressed || info.byte_swapped || s.zarr) return read(array);
  const Shape shape = info.fortran_order ? reversed(info.shape) : info.shape;
  const Tensor x = s.mapped({&s.file, info.offset}, 0, shape, dtype);
  if (!x.defined()) return read(array);
  storage_of(x)->set_test([state = std::shared_ptr<const State>(state_)] {
    state->check_intact();
    MappedReads* const reads = MappedReads::current_;
    if (reads && (reads->files_.empty() || reads->files_.back() != state)) {
      reads->files_.push_back(state);
    }
  });
  return info.fortran_order ? transposed(x) : x;
}

void Reader::State::check_intact() const {
  // What is read of a folder is read from files that are open for as long.
  if (!is_folder) file.check_size();
  check(!damage->load(std::memory_order_acquire), ErrorKind::io,
        "{}: part of the file could not be read: it was truncated in the meantime, or the disk "
        "failed",
        file.name());
}

void Reader::check_intact() const { state_->check_intact(); }

thread_local MappedReads* MappedReads::current_ = nullptr;

void MappedReads::check() const {
  for (const auto& file : files_) file->check_intact();
}

}  // namespace tamis::io
