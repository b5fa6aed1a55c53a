// show: a picture of what a condition keeps, on the terminal and as a PNG file.
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>

#include "cells.h"
#include "commands/commands.h"
#include "picture.h"
#include "tamis/create.h"
#include "terminal.h"
#include "usage_error.h"

namespace tamis::cli {

namespace {

/// What is counted of a window.
struct Part {
  int64_t first;
  Tensor mask;
  Tensor values;  // undefined if they are not drawn
};

/// Columns and lines of the terminal; in a pipe, those of an ordinary one.
std::pair<int64_t, int64_t> text_size() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return {80, 24};
  // Space for caption, axis and the next prompt.
  return {size.ws_col, std::max(4, size.ws_row - 5)};
}

/// A file of bools without a condition is the mask itself.
std::string mask_text(const Options& options, const Array& x) {
  if (!options.where.empty()) return options.where;
  return x.dtype == DType::boolean ? x.name : "true";
}

void write_picture(const std::string& path, const std::string& png) {
  const auto bytes = static_cast<int64_t>(png.size());
  io::Writer out(path, io::Format::raw, {{"", DType::uint8, {bytes}}});
  out.append(from_data(png.data(), {bytes}, DType::uint8));
  out.commit();
}

void check_picture(const std::string& path) {
  if (path == "-" && isatty(STDOUT_FILENO) == 1) {
    throw UsageError("refusing to write a PNG to a terminal; name a file with -o");
  }
  if (!path.empty() && path != "-" && !path.ends_with(".png")) {
    throw UsageError(fmt::format("{}: pictures are PNG files; use a name that ends in .png", path));
  }
}

}  // namespace

void run_show(const Session& session) {
  const Options& options = session.options();
  check_picture(options.picture);
  const Inputs inputs(options);
  const Array& x = inputs.first();
  const Expression where = session.expression(mask_text(options, x), inputs, x.shape);
  where.check_condition();
  const bool with_values = options.values || (options.where.empty() && x.dtype != DType::boolean);
  if (with_values && is_complex(x.dtype)) {
    throw UsageError("--values: complex numbers cannot be drawn on a colour scale");
  }
  CellGrid grid(where.shape(), kImageCells, kImageCells);
  session.runner().run(
      "show", where.shape(), std::max(where.bytes_per_element(), itemsize(x.dtype)),
      [&](const Box& box, int) {
        BoxOfArrays arrays(inputs.arrays(), box);
        Part part{first_element(box, where.shape()), {}, {}};
        part.mask = where.evaluate(arrays).broadcast_to(box.size).contiguous().settle();
        if (with_values) part.values = arrays[0].broadcast_to(box.size);
        return part;
      },
      [&](std::span<const Part> parts) {
        for (const Part& part : parts) grid.add(part.first, part.mask, part.values);
      });
  inputs.check_intact();
  const Caption caption{parse_file(options.files[0]).path, name(x.dtype), options.where};
  if (!options.picture.empty()) {
    write_picture(options.picture, encode_png(draw_image(grid, caption)));
  }
  if (options.picture == "-" || (options.quiet && !options.picture.empty())) return;
  const auto [width, height] = text_size();
  fmt::print("{}", draw_text(grid, caption, width, height, use_color(STDOUT_FILENO)));
}

}  // namespace tamis::cli
