// head: the first elements, or the first that a condition keeps, as text.
#include <algorithm>
#include <cstdio>
#include <string>

#include <fmt/format.h>

#include "commands/commands.h"
#include "io/csv.h"
#include "tamis/mask.h"

namespace tamis::cli {

namespace {

/// Elements that are printed at a time.
constexpr int64_t kPiece = 1 << 16;

/// The text of an element of a contiguous tensor.
void append_element(std::string& text, const Tensor& x, int64_t number) {
  const auto* data = static_cast<const char*>(x.data_ptr());
  io::append_element(text, x.dtype(), data + number * static_cast<int64_t>(x.itemsize()));
}

/// Elements of the last dimension on a line, an empty line between matrices.
void print_rows(const Session& session, const Array& x) {
  const int64_t elements = numel(x.shape);
  const size_t rank = x.shape.size();
  const int64_t columns = rank <= 1 ? 1 : x.shape.back();
  const int64_t rows = rank <= 2 ? 0 : x.shape[rank - 2];
  const int64_t lines = elements == 0 ? 0 : elements / columns;
  const int64_t shown = std::min(session.options().lines, lines) * columns;
  for (int64_t first = 0; first < shown; first += kPiece) {
    const int64_t count = std::min(kPiece, shown - first);
    const Tensor piece = x.window(first, count).contiguous();
    std::string text;
    for (int64_t i = 0; i < count; ++i) {
      const int64_t next = first + i + 1;
      append_element(text, piece, i);
      text += next % columns == 0 ? '\n' : ' ';
      if (rows > 0 && next < shown && next % (columns * rows) == 0) text += '\n';
    }
    fmt::print("{}", text);
  }
  std::fflush(stdout);  // in front of what follows on the other stream
  if (shown < elements) session.say(fmt::format("{} of {} lines", shown / columns, lines));
}

/// "12,3" for the element of that row-major number.
std::string index_text(int64_t number, const Shape& shape) {
  std::string text;
  for (size_t d = shape.size(); d-- > 0; number /= shape[d]) {
    text = fmt::format("{}{}{}", number % shape[d], text.empty() ? "" : ",", text);
  }
  return text;
}

/// One element on a line, after its index.
void print_kept(const Session& session, const Inputs& inputs) {
  const Expression where = session.condition(inputs, inputs.first().shape);
  const Shape& shape = where.shape();
  const Windows windows(shape, kPiece);
  int64_t left = session.options().lines;
  for (int64_t n = 0; n < windows.count() && left > 0; ++n) {
    const Box box = windows[n];
    BoxOfArrays arrays(inputs.arrays(), box);
    const Tensor mask = where.evaluate(arrays).broadcast_to(box.size).reshape({-1});
    const Tensor positions = nonzero(mask).reshape({-1}).contiguous().settle();
    const Tensor x = arrays[0].broadcast_to(box.size).contiguous().settle();
    std::string text;
    for (int64_t i = 0; i < positions.numel() && left > 0; ++i, --left) {
      const int64_t position = positions.data<int64_t>()[i];
      const std::string index = index_text(first_element(box, shape) + position, shape);
      text += index.empty() ? "" : index + "  ";
      append_element(text, x, position);
      text += '\n';
    }
    fmt::print("{}", text);
  }
}

}  // namespace

void run_head(const Session& session) {
  const Inputs inputs(session.options());
  if (session.options().where.empty()) {
    print_rows(session, inputs.first());
  } else {
    print_kept(session, inputs);
  }
  inputs.check_intact();
}

}  // namespace tamis::cli
