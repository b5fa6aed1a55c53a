// PNG files, by libpng's simplified interface, which needs no jumps over C++ frames.
#include <fmt/format.h>
#include <png.h>

#include "picture.h"
#include "tamis/error.h"

namespace tamis::cli {

std::string encode_png(const Image& image) {
  png_image png = {};
  png.version = PNG_IMAGE_VERSION;
  png.width = static_cast<png_uint_32>(image.width);
  png.height = static_cast<png_uint_32>(image.height);
  png.format = PNG_FORMAT_RGB;
  // Asks for the size first.
  png_alloc_size_t bytes = 0;
  std::string file;
  bool ok = png_image_write_get_memory_size(png, bytes, 0, image.pixels.data(), 0, nullptr) != 0;
  if (ok) {
    file.resize(bytes);
    ok = png_image_write_to_memory(&png, file.data(), &bytes, 0, image.pixels.data(), 0, nullptr) !=
         0;
  }
  if (!ok) {
    throw Error(ErrorKind::value, fmt::format("cannot encode a picture of {} x {} pixels: {}",
                                              image.width, image.height, png.message));
  }
  return file;
}

}  // namespace tamis::cli
