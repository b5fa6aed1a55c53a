// The public functions on files.
#include <utility>
#include <vector>

#include "core/check.h"
#include "io/file.h"
#include "io/reader.h"
#include "io/system.h"
#include "io/writer.h"
#include "tamis/io.h"

namespace tamis {

namespace {

io::Format format_for(const std::string& path) {
  const std::optional<io::Format> format = io::format_of(path);
  check(format && *format != io::Format::raw && *format != io::Format::csv, ErrorKind::value,
        "{}: unknown file extension; expected .npy, .npz, .safetensors, .zarr or .zip", path);
  return *format;
}

std::vector<io::ArrayPlan> plans_of(const NamedTensors& tensors) {
  std::vector<io::ArrayPlan> plans;
  for (const auto& [name, x] : tensors) plans.push_back({name, x.dtype(), x.shape()});
  return plans;
}

void write(io::Writer writer, const NamedTensors& tensors) {
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (i > 0) writer.next();
    writer.append(tensors[i].second);
  }
  writer.commit();
}

}  // namespace

const char* io::default_name(Format format) {
  return format == Format::npz ? "arr_0" : format == Format::safetensors ? "tensor" : "";
}

io::File io::write_temporary(const std::string& name, Format format, const NamedTensors& tensors) {
  File file = File::temporary(name);
  Descriptor copy = duplicate(file.fd());
  if (!copy) raise_errno(name, "write");
  write(Writer(std::move(copy), name, format, plans_of(tensors)), tensors);
  return File(std::move(file).release(), name);
}

Tensor load(const std::string& path) {
  const io::Reader reader(path);
  return reader.read(reader.only());
}

Tensor load(const std::string& path, const std::string& name) {
  const io::Reader reader(path);
  return reader.read(reader.find(name));
}

NamedTensors load_all(const std::string& path) {
  const io::Reader reader(path);
  NamedTensors tensors;
  for (size_t i = 0; i < reader.arrays().size(); ++i) {
    tensors.emplace_back(reader.arrays()[i].name, reader.read(i));
  }
  return tensors;
}

Tensor load_mapped(const std::string& path) {
  const io::Reader reader(path);
  return reader.map(reader.only());
}

Tensor load_mapped(const std::string& path, const std::string& name) {
  const io::Reader reader(path);
  return reader.map(reader.find(name));
}

void save(const std::string& path, const Tensor& x) {
  const io::Format format = format_for(path);
  const NamedTensors tensors = {{io::default_name(format), x}};
  write(io::Writer(path, format, plans_of(tensors)), tensors);
}

void save_all(const std::string& path, const NamedTensors& tensors) {
  const io::Format format = format_for(path);
  check(format != io::Format::npy, ErrorKind::value,
        "{}: .npy files cannot store names; use .npz, .safetensors or .zarr", path);
  write(io::Writer(path, format, plans_of(tensors)), tensors);
}

}  // namespace tamis
