// Pictures of masks: exact counts in cells, where ticks stand, pixels, PNG files and text.
#include "picture.h"

#include <gtest/gtest.h>
#include <png.h>

#include <array>

#include "axis.h"
#include "tamis/tamis.h"

namespace tamis::cli {
namespace {

/// A grid with the mask added in windows of `window` elements.
CellGrid grid_of(const Tensor& mask, int64_t max_rows, int64_t max_columns, int64_t window,
                 const Tensor& values = {}) {
  CellGrid grid(mask.shape(), max_rows, max_columns);
  const Tensor flat = mask.flatten();
  for (int64_t first = 0; first < flat.numel(); first += window) {
    const int64_t n = std::min(window, flat.numel() - first);
    grid.add(first, flat.narrow(0, first, n),
             values.defined() ? values.flatten().narrow(0, first, n) : Tensor());
  }
  return grid;
}

TEST(Cells, CountExactlyHoweverTheMaskIsCut) {
  manual_seed(1);
  const Tensor mask = (rand({53, 31}) > 0.4).settle();
  for (const int64_t window : {1, 7, 31, 100, 5000}) {
    const CellGrid grid = grid_of(mask, 10, 8, window);
    ASSERT_EQ(grid.block_rows(), 6);
    ASSERT_EQ(grid.block_columns(), 4);
    ASSERT_EQ(grid.rows(), 9);
    ASSERT_EQ(grid.columns(), 8);
    int64_t elements = 0;
    for (int64_t r = 0; r < grid.rows(); ++r) {
      for (int64_t c = 0; c < grid.columns(); ++c) {
        const Tensor block = mask.slice(0, r * 6, (r + 1) * 6).slice(1, c * 4, (c + 1) * 4);
        EXPECT_EQ(grid.kept(r, c), count_nonzero(block).item<int64_t>());
        EXPECT_EQ(grid.elements(r, c), block.numel());
        elements += grid.elements(r, c);
      }
    }
    EXPECT_EQ(elements, mask.numel());
    EXPECT_EQ(grid.kept(), count_nonzero(mask).item<int64_t>());
  }
}

TEST(Cells, BecomeCoarserExactly) {
  const Tensor mask = arange(0, 40 * 40).remainder(3).eq(0).view({40, 40});
  const CellGrid coarse = grid_of(mask, 40, 40, 1600).coarser(7, 13);
  const CellGrid direct = grid_of(mask, 7, 10, 1600);
  ASSERT_EQ(coarse.block_rows(), 6);
  ASSERT_EQ(coarse.block_columns(), 4);
  ASSERT_EQ(direct.block_columns(), 4);
  for (int64_t r = 0; r < coarse.rows(); ++r) {
    for (int64_t c = 0; c < coarse.columns(); ++c) EXPECT_EQ(coarse.kept(r, c), direct.kept(r, c));
  }
}

TEST(Cells, FoldEveryShapeToAMatrix) {
  const auto matrix = [](const Shape& shape) {
    const CellGrid grid(shape, 640, 640);
    return std::array{grid.matrix_rows(), grid.matrix_columns(), grid.rows(), grid.columns()};
  };
  using Sizes = std::array<int64_t, 4>;
  EXPECT_EQ(matrix({}), (Sizes{1, 1, 1, 1}));
  EXPECT_EQ(matrix({40}), (Sizes{1, 40, 1, 40}));
  EXPECT_EQ(matrix({333}), (Sizes{4, 100, 4, 100}));
  EXPECT_EQ(matrix({1234567}), (Sizes{618, 2000, 618, 500}));
  EXPECT_EQ(matrix({4, 8, 33}), (Sizes{32, 33, 32, 33}));
  EXPECT_EQ(matrix({0, 5}), (Sizes{0, 5, 0, 0}));
  EXPECT_EQ(matrix({5, 0}), (Sizes{0, 0, 0, 0}));
  // The last row of a wrapped mask ends early: 333 = 3 * 100 + 33.
  const CellGrid wrapped = grid_of(ones({333}, DType::boolean), 640, 10, 100);
  EXPECT_EQ(wrapped.elements(2, 9), 10);
  EXPECT_EQ(wrapped.elements(3, 2), 10);
  EXPECT_EQ(wrapped.elements(3, 3), 3);
  EXPECT_EQ(wrapped.elements(3, 4), 0);
  EXPECT_EQ(wrapped.share(3, 3), 1.0);
}

TEST(Cells, AverageTheFiniteValuesThatAreKept) {
  const double inf = std::numeric_limits<double>::infinity();
  const Tensor values = tensor({{1.0, 3.0, inf, 100.0}, {5.0, 7.0, 2.0, 100.0}});
  const Tensor mask = tensor({{true, true, true, false}, {true, false, true, false}});
  const CellGrid grid = grid_of(mask, 1, 2, 3, values);
  EXPECT_EQ(grid.value(0, 0), 3.0);
  EXPECT_EQ(grid.value(0, 1), 2.0);
  EXPECT_EQ(grid.kept(0, 1), 2);
  EXPECT_FALSE(grid_of(zeros({2, 4}, DType::boolean), 1, 2, 3, values).has_value(0, 0));
}

std::string labels(const std::vector<Tick>& ticks) {
  std::string text;
  for (const Tick& tick : ticks) text += tick.label + "@" + std::to_string(tick.cell) + " ";
  return text;
}

TEST(Axes, HaveRoundLabels) {
  const CellGrid plain({1000, 37}, 500, 100);
  EXPECT_EQ(labels(row_ticks(plain, 5)), "0@0 200@100 400@200 600@300 800@400 ");
  EXPECT_EQ(labels(column_ticks(plain, 4)), "0@0 10@10 20@20 30@30 ");
  EXPECT_EQ(labels(row_ticks(CellGrid({333}, 100, 100), 2)), "0@0 200@2 ");
  EXPECT_EQ(labels(row_ticks(CellGrid({40}, 100, 100), 2)), "@0 ");
  EXPECT_EQ(labels(column_ticks(CellGrid({}, 9, 9), 2)), "");
  EXPECT_EQ(labels(row_ticks(CellGrid({0, 3}, 9, 9), 2)), "");
}

TEST(Axes, OfFoldedDimensionsBeginWhereIndicesDo) {
  const CellGrid grid({4, 8, 16, 33}, 640, 640);
  EXPECT_EQ(labels(row_ticks(grid, 5)), "0,0,0@0 1,0,0@128 2,0,0@256 3,0,0@384 ");
  EXPECT_EQ(labels(row_ticks(grid, 16)).substr(0, 50),
            "0,0,0@0 0,2,0@32 0,4,0@64 0,6,0@96 1,0,0@128 1,2,0");
  EXPECT_EQ(labels(row_ticks(grid, 2)), "0,0,0@0 2,0,0@256 ");
}

TEST(Axes, SayHowMuchIsKept) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(8390656), "8,390,656");
  EXPECT_EQ(percentage(0, 0), "0%");
  EXPECT_EQ(percentage(5, 5), "100%");
  EXPECT_EQ(percentage(1, 3), "33.33%");
  EXPECT_EQ(percentage(1, 1000000), "<0.01%");
  EXPECT_EQ(percentage(999999, 1000000), ">99.99%");
}

/// How many pixels have that colour.
int64_t pixels(const Image& image, uint8_t red, uint8_t green, uint8_t blue) {
  int64_t n = 0;
  for (size_t i = 0; i < image.pixels.size(); i += 3) {
    n += image.pixels[i] == red && image.pixels[i + 1] == green && image.pixels[i + 2] == blue;
  }
  return n;
}

TEST(Picture, ColoursKeptAndRejected) {
  // 100 x 100 cells of 6 x 6 pixels; a quarter is kept.
  const Tensor mask = (arange(0, 100).unsqueeze(1) < 50) & (arange(0, 100) < 50);
  const CellGrid grid = grid_of(mask, kImageCells, kImageCells, 1000);
  const Image image = draw_image(grid, {"x.npy", "float32", "x > 3"});
  EXPECT_EQ(image.pixels.size(), static_cast<size_t>(image.width * image.height * 3));
  const int64_t swatch = 12 * 12;
  EXPECT_EQ(pixels(image, 8, 81, 156), 2500 * 36 + swatch);
  EXPECT_EQ(pixels(image, 214, 214, 214), 7500 * 36 + swatch);
}

TEST(Picture, IsDrawnForEveryShape) {
  for (const Shape& shape :
       {Shape{}, Shape{0}, Shape{1}, Shape{40}, Shape{100000}, Shape{1, 1}, Shape{1000, 2},
        Shape{2, 1000}, Shape{0, 5}, Shape{3, 0, 2}, Shape{2, 3, 4, 5}, Shape{700, 700}}) {
    SCOPED_TRACE(to_string(shape));
    const Tensor mask = ones(shape, DType::boolean);
    const CellGrid grid = grid_of(mask, kImageCells, kImageCells, 1 << 16);
    const Image image = draw_image(grid, {"x", "bool", ""});
    EXPECT_LT(image.width, 1200);
    EXPECT_LT(image.height, 900);
    EXPECT_GT(image.height, 60);
    for (const bool color : {false, true}) {
      const std::string text = draw_text(grid, {"x", "bool", ""}, 60, 20, color);
      EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 3 + 20 + 2);
      EXPECT_EQ(text.find('\x1b') != text.npos, color && numel(shape) > 0);
    }
  }
}

TEST(Picture, IsAPngThatLibpngReads) {
  Image image{3, 2, {}};
  for (int i = 0; i < 18; ++i) image.pixels.push_back(static_cast<uint8_t>(i * 14));
  const std::string file = encode_png(image);
  png_image png = {};
  png.version = PNG_IMAGE_VERSION;
  ASSERT_NE(png_image_begin_read_from_memory(&png, file.data(), file.size()), 0);
  EXPECT_EQ(png.width, 3u);
  EXPECT_EQ(png.height, 2u);
  png.format = PNG_FORMAT_RGB;
  std::vector<uint8_t> pixels(PNG_IMAGE_SIZE(png));
  ASSERT_NE(png_image_finish_read(&png, nullptr, pixels.data(), 0, nullptr), 0);
  EXPECT_EQ(pixels, image.pixels);
}

TEST(Picture, IsTextWithShades) {
  const Tensor mask = tensor({{true, false, true}, {true, false, false}});
  EXPECT_EQ(draw_text(grid_of(mask, 9, 9, 6), {"m.npy", "bool", ""}, 40, 10, false),
            "m.npy [2, 3] bool\n"
            "kept 3 of 6 (50.00%)\n"
            "0 ┤██··██\n"
            "  │██····\n"
            "  └┴─────\n"
            "   0\n");
  // Shares of a column: none, a trace, half, almost all, all.
  const Tensor rows = arange(0, 100).unsqueeze(1) < tensor({0, 1, 50, 99, 100});
  const std::string text = draw_text(grid_of(rows, 100, 9, 500), {"x", "", ""}, 9, 1, false);
  EXPECT_NE(text.find("·░▒▓█"), std::string::npos) << text;
}

TEST(Picture, IsTextInColour) {
  const Tensor mask = tensor({{true, false}, {false, true}, {true, true}});
  const std::string text = draw_text(grid_of(mask, 9, 9, 6), {"m", "", ""}, 40, 2, true);
  // Two rows in a line: the upper in the foreground, the lower in the background.
  EXPECT_NE(text.find("\x1b[38;5;45;48;5;242m▀\x1b[38;5;242;48;5;45m▀\x1b[0m\n"), text.npos)
      << text;
  EXPECT_NE(text.find("\x1b[38;5;45;49m▀\x1b[38;5;45;49m▀\x1b[0m\n"), text.npos) << text;
  const std::string large = draw_text(grid_of(mask, 9, 9, 6), {"m", "", ""}, 40, 10, true);
  EXPECT_NE(large.find("\x1b[38;5;45m█\x1b[38;5;45m█\x1b[38;5;242m█\x1b[38;5;242m█\x1b[0m\n"),
            large.npos)
      << large;
}

}  // namespace
}  // namespace tamis::cli
