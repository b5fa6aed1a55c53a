// convert: arrays from a file of one format into one of another.
#include <vector>

#include <fmt/format.h>

#include "commands/commands.h"
#include "usage_error.h"

namespace tamis::cli {

namespace {

/// The arrays to write: one that is chosen, else all that the format can hold.
std::vector<size_t> chosen_arrays(const io::Reader& reader, const std::string& name,
                                  io::Format format) {
  if (!name.empty() || !io::has_names(format)) return {find_array(reader, name)};
  std::vector<size_t> all;
  for (size_t i = 0; i < reader.arrays().size(); ++i) all.push_back(i);
  return all;
}

void write_array(const Session& session, const io::Reader& reader, size_t array, io::Writer& out) {
  const Shape& shape = reader.arrays()[array].shape;
  session.runner().run(
      "convert", shape, itemsize(reader.dtype(array)),
      [&](const Box& box, int) {
        return reader.window(array, first_element(box, shape), box.numel());
      },
      [&](std::span<const Tensor> parts) { out.append(parts); });
}

}  // namespace

void run_convert(const Session& session) {
  const Options& options = session.options();
  if (options.files.size() != 1 || options.names.size() > 1) {
    throw UsageError("convert takes one input file; name the output with -o");
  }
  const io::Format format = session.output_format(options.output);
  if (!options.columns.empty() && format != io::Format::csv) {
    throw UsageError("--columns names the columns of a CSV file, but the output is not CSV");
  }
  const FileArgument file = parse_file(options.files[0]);
  const io::Reader reader = open_reader(file.path, options);
  const std::string& name = options.names.empty() ? file.array : options.names[0];
  const std::vector<size_t> arrays = chosen_arrays(reader, name, format);
  std::vector<io::ArrayPlan> plans;
  for (size_t i : arrays) {
    const io::ArrayInfo& info = reader.arrays()[i];
    plans.push_back(
        {info.name.empty() ? "x" : info.name, reader.dtype(i), info.shape, options.columns});
    if (info.zarr) {
      plans.back().zarr.chunks = info.zarr->chunks;
      plans.back().zarr.dimension_names = info.zarr->dimension_names;
    }
  }
  io::Writer out = session.writer(options.output, plans);
  for (size_t i = 0; i < arrays.size(); ++i) {
    if (i > 0) out.next();
    write_array(session, reader, arrays[i], out);
  }
  reader.check_intact();
  out.commit();
  session.say(arrays.size() == 1 ? fmt::format("wrote {} of shape {}", tamis::name(plans[0].dtype),
                                               to_string(plans[0].shape))
                                 : fmt::format("wrote {} arrays", arrays.size()));
}

}  // namespace tamis::cli
