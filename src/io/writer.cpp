// Writing arrays: headers first, patched once their sizes are known.
#include "io/writer.h"

#include <zlib.h>

#include <algorithm>
#include <bit>
#include <set>
#include <string_view>

#include "core/check.h"
#include "expr/expr.h"
#include "io/csv.h"
#include "io/npy.h"
#include "io/output.h"
#include "io/safetensors.h"
#include "io/sizes.h"
#include "io/utf8.h"
#include "io/zarr.h"
#include "io/zip.h"

namespace tamis::io {

static_assert(std::endian::native == std::endian::little,
              "files are written little endian, as memory is here");

namespace {

uint32_t crc_of(std::string_view bytes) {
  return static_cast<uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

bool is_member_name(const std::string& name) {
  return name[0] != '/' && name.find_first_of("\\:") == name.npos &&
         ("/" + name + "/").find("/../") == std::string::npos && name.size() < 60000;
}

/// Whether all parts of a path can be names in a Zarr hierarchy.
bool is_node_path(const std::string& path) {
  for (size_t begin = 0; begin <= path.size();) {
    const size_t end = std::min(path.find('/', begin), path.size());
    const std::string part = path.substr(begin, end - begin);
    if (part.empty() || part[0] == '.' || part.starts_with("__") || part == "zarr.json")
      return false;
    begin = end + 1;
  }
  return true;
}

int64_t csv_columns(const ArrayPlan& plan) { return plan.shape.size() == 2 ? plan.shape[1] : 1; }

void check_csv(const ArrayPlan& plan) {
  check(!is_complex(plan.dtype), ErrorKind::dtype,
        "CSV files hold real numbers, not {}; write real(x) and imag(x), or use .npy",
        name(plan.dtype));
  check(plan.shape.size() <= 2 && csv_columns(plan) > 0, ErrorKind::shape,
        "CSV files hold rows and columns, which an array of shape {} does not have; use .npy",
        plan.shape);
  const auto names = static_cast<int64_t>(plan.columns.size());
  check(names == 0 || names == csv_columns(plan), ErrorKind::value, "got {} names for {} columns",
        names, csv_columns(plan));
}

std::vector<ArrayPlan> checked_plans(Format format, std::vector<ArrayPlan> plans) {
  // A Zarr store may be one array, which has no name.
  const bool single =
      !has_names(format) || (format == Format::zarr && plans.size() == 1 && plans[0].name.empty());
  check(!single || plans.size() == 1, ErrorKind::value,
        "a {} file holds one array, not {}; use .npz, .safetensors or .zarr", name(format),
        plans.size());
  std::set<std::string> names;
  for (const ArrayPlan& plan : plans) {
    Shape shape = plan.shape;
    if (!shape.empty() && shape[0] == -1) shape[0] = 1;
    check(checked_size(shape, static_cast<int64_t>(itemsize(plan.dtype))).has_value() &&
              shape.size() <= kMaxRank,
          ErrorKind::shape, "an array of shape {} cannot be written", plan.shape);
    if (format == Format::csv) check_csv(plan);
    if (single) continue;
    check(!plan.name.empty() && is_utf8(plan.name) && plan.name.find('\0') == plan.name.npos &&
              plan.name != "__metadata__" &&
              (format == Format::safetensors || is_member_name(plan.name)) &&
              (format != Format::zarr || is_node_path(plan.name)),
          ErrorKind::value, "'{}' cannot be the name of an array in a {} file", plan.name,
          name(format));
    check(names.insert(plan.name).second, ErrorKind::value, "two arrays have the name '{}'",
          plan.name);
  }
  for (const std::string& name : format == Format::zarr ? names : std::set<std::string>()) {
    for (size_t end = name.find('/'); end != name.npos; end = name.find('/', end + 1)) {
      check(!names.contains(name.substr(0, end)), ErrorKind::value,
            "'{}' cannot be both an array and the group of '{}'", name.substr(0, end), name);
    }
  }
  return plans;
}

bool has_unknown_size(const ArrayPlan& plan) { return !plan.shape.empty() && plan.shape[0] == -1; }

}  // namespace

struct Writer::State {
  State(Format f, std::vector<ArrayPlan> p)
      : format(f),
        plans(checked_plans(format, std::move(p))),
        growing(std::any_of(plans.begin(), plans.end(), has_unknown_size)) {}

  void begin(std::unique_ptr<Output> target);
  void begin_file();
  void begin_array();
  void write_text(const Tensor& x);
  void end_array();
  void end_file();

  const Format format;
  std::vector<ArrayPlan> plans;  // unknown sizes are filled in as arrays end
  const bool growing;
  std::unique_ptr<Output> output;
  std::unique_ptr<ZarrSink> zarr;  // in place of output
  size_t current = 0;
  int64_t elements = 0;  // of the current array
  uint32_t crc = 0;      // of its elements, in .npz
  uint64_t header_at = 0;
  size_t header_bytes = 0;
  std::vector<ZipMember> members;
  std::vector<uint64_t> member_headers;
};

void Writer::State::begin(std::unique_ptr<Output> target) {
  if (format == Format::zarr) {
    zarr = make_zarr_archive(std::move(target), plans);
    return;
  }
  output = std::move(target);
  begin_file();
  begin_array();
}

void Writer::State::begin_file() {
  if (format != Format::safetensors) return;
  std::vector<ArrayPlan> known = plans;
  for (ArrayPlan& plan : known) {
    if (has_unknown_size(plan)) plan.shape[0] = 0;
  }
  std::string header = make_safetensors_header(known, 0);
  // Three numbers of an array change, of up to 19 digits each.
  if (growing) header = make_safetensors_header(known, header.size() + plans.size() * 64);
  header_bytes = header.size();
  output->write(header.data(), header.size());
}

void Writer::State::begin_array() {
  elements = 0;
  crc = 0;
  if (current == plans.size() || format == Format::raw || format == Format::safetensors || zarr) {
    return;
  }
  const ArrayPlan& plan = plans[current];
  if (format == Format::csv) {
    const std::string header = plan.columns.empty() ? "" : csv_header(plan.columns);
    output->write(header.data(), header.size());
    return;
  }
  Shape largest = plan.shape;
  if (has_unknown_size(plan)) largest[0] = INT64_MAX;
  const std::string header = make_npy_header(plan.dtype, largest, 0);
  if (format == Format::npz) {
    members.push_back({.name = plan.name + ".npy"});
    member_headers.push_back(output->position());
    const std::string local = make_zip_local_header(members.back(), output->position());
    output->write(local.data(), local.size());
  }
  header_at = output->position();
  header_bytes = header.size();
  output->write(header.data(), header.size());
}

/// Appends the elements to a CSV file; x is contiguous.
void Writer::State::write_text(const Tensor& x) {
  constexpr size_t kPiece = 1 << 20;
  const DType dtype = plans[current].dtype;
  const int64_t columns = csv_columns(plans[current]);
  const auto* element = static_cast<const char*>(x.data_ptr());
  std::string text;
  for (int64_t i = 0, n = x.numel(); i < n; ++i, element += itemsize(dtype)) {
    append_element(text, dtype, element);
    text += ++elements % columns == 0 ? '\n' : ',';
    if (text.size() < kPiece && i + 1 < n) continue;
    output->write(text.data(), text.size());
    text.clear();
  }
}

void Writer::State::end_array() {
  ArrayPlan& plan = plans[current];
  const bool unknown = has_unknown_size(plan);
  if (unknown) {
    plan.shape[0] = 1;
    const int64_t row = numel(plan.shape);
    check(row == 0 || elements % row == 0, ErrorKind::shape,
          "{} elements do not fill whole rows of {} elements", elements, row);
    plan.shape[0] = row == 0 ? 0 : elements / row;
  }
  check(elements == numel(plan.shape), ErrorKind::shape,
        "an array of shape {} has {} elements, not {}", plan.shape, numel(plan.shape), elements);
  if (zarr) zarr->end_array(plan.shape);
  if (format == Format::npy || format == Format::npz) {
    const std::string header = make_npy_header(plan.dtype, plan.shape, header_bytes);
    if (unknown) output->patch(header_at, header.data(), header.size());
    if (format == Format::npz) {
      const uint64_t data_bytes = output->position() - header_at - header.size();
      ZipMember& member = members.back();
      member.bytes = member.stored_bytes = header.size() + data_bytes;
      member.crc = static_cast<uint32_t>(
          crc32_combine(crc_of(header), crc, static_cast<z_off_t>(data_bytes)));
      const std::string local = make_zip_local_header(member, member_headers.back());
      output->patch(member_headers.back(), local.data(), local.size());
    }
  }
  ++current;
}

void Writer::State::end_file() {
  if (format == Format::npz) {
    const std::string directory = make_zip_directory(members, member_headers, output->position());
    output->write(directory.data(), directory.size());
  } else if (format == Format::safetensors && growing) {
    const std::string header = make_safetensors_header(plans, header_bytes);
    output->patch(0, header.data(), header.size());
  }
  zarr ? zarr->commit() : output->commit();
}

Writer::Writer(const std::string& path, Format format, std::vector<ArrayPlan> plans, bool sync)
    : state_(std::make_unique<State>(format, std::move(plans))) {
  State& s = *state_;
  check(format != Format::zarr || path != "-", ErrorKind::value,
        "a Zarr store cannot be written to standard output; name a folder, or a file that ends in "
        ".zip");
  if (format == Format::zarr && !path.ends_with(".zip")) {
    s.zarr = make_zarr_folder(path, s.plans, sync);
    return;
  }
  const bool will_patch = (s.growing && format != Format::csv) || format == Format::npz;
  s.begin(std::make_unique<Output>(path, will_patch && format != Format::zarr, sync));
}

Writer::Writer(Descriptor fd, std::string name, Format format, std::vector<ArrayPlan> plans)
    : state_(std::make_unique<State>(format, std::move(plans))) {
  state_->begin(std::make_unique<Output>(std::move(fd), std::move(name)));
}

Writer::~Writer() = default;
Writer::Writer(Writer&&) noexcept = default;
Writer& Writer::operator=(Writer&&) noexcept = default;

void Writer::append(std::span<const Tensor> tensors) {
  State& s = *state_;
  check(s.current < s.plans.size(), ErrorKind::value, "all planned arrays have been written");
  const ArrayPlan& plan = s.plans[s.current];
  int64_t count = 0;
  std::vector<Tensor> elements;
  std::vector<iovec> parts;
  for (const Tensor& x : tensors) {
    check(x.dtype() == plan.dtype, ErrorKind::dtype, "an array of {} cannot take elements of {}",
          name(plan.dtype), name(x.dtype()));
    count += x.numel();
    if (x.numel() == 0) continue;
    // A bool in memory may be any nonzero byte; in a file it is 0 or 1.
    const Tensor values = plan.dtype == DType::boolean ? x.to(DType::uint8) : x;
    elements.push_back(to_host(values).contiguous().settle());
    const size_t bytes = static_cast<size_t>(x.numel()) * x.itemsize();
    parts.push_back({const_cast<void*>(elements.back().data_ptr()), bytes});
  }
  check(has_unknown_size(plan) || count <= numel(plan.shape) - s.elements, ErrorKind::shape,
        "an array of shape {} has no space for {} more elements", plan.shape, count);
  if (s.format == Format::npz) {
    for (const iovec& part : parts) {
      const auto* data = static_cast<const Bytef*>(part.iov_base);
      s.crc = static_cast<uint32_t>(crc32_z(s.crc, data, part.iov_len));
    }
  }
  if (s.format == Format::csv) {
    for (const Tensor& x : elements) s.write_text(x);
    return;
  }
  if (s.zarr) {
    for (const iovec& part : parts) s.zarr->append(part.iov_base, part.iov_len);
  } else {
    s.output->write(parts);
  }
  s.elements += count;
}

void Writer::next() {
  check(state_->current < state_->plans.size(), ErrorKind::value,
        "all planned arrays have been written");
  state_->end_array();
  state_->begin_array();
}

void Writer::commit() {
  if (state_->current < state_->plans.size()) state_->end_array();
  check(state_->current == state_->plans.size(), ErrorKind::value,
        "{} of {} planned arrays have been written", state_->current, state_->plans.size());
  state_->end_file();
}

uint64_t Writer::bytes() const {
  return state_->zarr ? state_->zarr->bytes() : state_->output->position();
}

}  // namespace tamis::io
