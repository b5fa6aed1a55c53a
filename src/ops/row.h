// Row: one op as data: its signature, what it does, how to call it, and inputs to try it on. The
// Python module, the command line, the reference page and the sweep tests are made from the rows.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "tamis/generator.h"
#include "tamis/options.h"
#include "tamis/tensor.h"

namespace tamis {

/// An argument or result of an op that is called through its row. std::monostate stands for "not
/// given". A function that takes Options also takes a dtype, or Options in its place.
using Value = std::variant<std::monostate, Tensor, Scalar, int64_t, double, bool, DType, Shape,
                           std::vector<Tensor>, std::string, Generator, Options>;

using Args = std::vector<Value>;

struct Row {
  /// PyTorch's spelling with types, names and defaults: "masked_select(Tensor input, Tensor mask)
  /// -> Tensor". Types: Tensor, Tensor[], Scalar, int, float, bool, dtype, int[], str, Generator,
  /// and float|str, a number or a name; with a ? behind it, it may be None. `*` stands before
  /// parameters that need their name. Several results have names: "-> (Tensor values, Tensor
  /// indices)". A name with a dot is in a namespace: "masked.sum(...)".
  std::string signature;
  std::string summary;  // one sentence, for the docstring and the reference page
  std::function<Value(std::span<const Value>)> call;
  std::vector<Args> samples;  // at least one, over the shapes and options that matter; tensors are
                              // float32, int64 or bool
  bool in_place = false;      // there is also a method name_ that writes the result into input
  bool out = false;           // PyTorch takes out= (see `into` in pointwise.h)
  // What name_ does, if that is less work than computing the result and storing it.
  std::function<void(std::span<const Value>)> call_in_place = nullptr;

  std::string name() const { return signature.substr(0, signature.find('(')); }
  Row with_in_place() && {
    in_place = true;
    return std::move(*this);
  }
  /// The same, by a function `Tensor& name_(Tensor& x, ...)`.
  template <class... A>
  Row with_in_place(Tensor& (*f)(Tensor&, A...)) &&;
  Row with_out() && {
    out = true;
    return std::move(*this);
  }
};

namespace detail {

/// How a parameter of type T is read from a value.
template <class T>
struct FromValue {
  static const T& get(const Value& v) { return std::get<T>(v); }
};
template <class T>
struct FromValue<std::optional<T>> {
  static std::optional<T> get(const Value& v) {
    if (std::holds_alternative<std::monostate>(v)) return std::nullopt;
    return std::get<T>(v);
  }
};

template <class A, class B>
struct FromValue<std::variant<A, B>> {
  static std::variant<A, B> get(const Value& v) {
    if (const auto* a = std::get_if<A>(&v)) return *a;
    return std::get<B>(v);
  }
};

template <>
struct FromValue<Options> {
  static Options get(const Value& v) {
    if (std::holds_alternative<Options>(v)) return std::get<Options>(v);
    return FromValue<std::optional<DType>>::get(v);
  }
};

template <class R>
Value to_value(R&& r) {
  using T = std::decay_t<R>;
  if constexpr (std::is_same_v<T, std::pair<Tensor, Tensor>>) {
    return std::vector<Tensor>{r.first, r.second};
  } else if constexpr (std::is_same_v<T, std::tuple<Tensor, Tensor, Tensor>>) {
    return std::vector<Tensor>{std::get<0>(r), std::get<1>(r), std::get<2>(r)};
  } else {
    return Value(std::forward<R>(r));
  }
}

template <class R, class... A, size_t... I>
Value apply_values(R (*f)(A...), std::span<const Value> args, std::index_sequence<I...>) {
  return to_value(f(FromValue<std::decay_t<A>>::get(args[I])...));
}

template <class... A, size_t... I>
void apply_in_place(Tensor& (*f)(Tensor&, A...), std::span<const Value> args,
                    std::index_sequence<I...>) {
  Tensor x = std::get<Tensor>(args[0]);
  f(x, FromValue<std::decay_t<A>>::get(args[I + 1])...);
}

}  // namespace detail

template <class... A>
Row Row::with_in_place(Tensor& (*f)(Tensor&, A...)) && {
  in_place = true;
  call_in_place = [f](std::span<const Value> args) {
    detail::apply_in_place(f, args, std::index_sequence_for<A...>{});
  };
  return std::move(*this);
}

/// Makes a row from a plain function (or a captureless lambda with a + before it) whose parameters
/// are those of the signature.
template <class R, class... A>
Row make_row(std::string signature, std::string summary, R (*f)(A...), std::vector<Args> samples) {
  return {std::move(signature),
          std::move(summary),
          [f](std::span<const Value> args) {
            return detail::apply_values(f, args, std::index_sequence_for<A...>{});
          },
          std::move(samples),
          false,
          false,
          nullptr};
}

// Each family's rows stand at the end of its file. In-place and out= forms have no rows of their
// own.
std::vector<Row> create_rows();
std::vector<Row> view_rows();
std::vector<Row> piece_rows();
std::vector<Row> arith_rows();
std::vector<Row> compare_rows();
std::vector<Row> logic_rows();
std::vector<Row> select_rows();
std::vector<Row> fill_rows();
std::vector<Row> replace_rows();
std::vector<Row> scatter_rows();
std::vector<Row> reduce_rows();
std::vector<Row> extreme_rows();
std::vector<Row> statistic_rows();
std::vector<Row> norm_rows();
std::vector<Row> order_rows();
std::vector<Row> mask_rows();
std::vector<Row> indexing_rows();
std::vector<Row> position_rows();
std::vector<Row> gather_rows();
std::vector<Row> result_rows();
std::vector<Row> sequence_rows();
std::vector<Row> pad_rows();
std::vector<Row> loss_rows();
std::vector<Row> cross_entropy_rows();
std::vector<Row> scan_rows();
std::vector<Row> softmax_rows();
std::vector<Row> masked_rows();
std::vector<Row> sort_rows();
std::vector<Row> linalg_rows();
std::vector<Row> complex_rows();

/// Rows that belong together, under a title for the reference page.
struct Family {
  const char* title;
  std::vector<Row> (*rows)();
};
std::span<const Family> all_families();

/// The rows of all families, in their order.
const std::vector<Row>& all_rows();

}  // namespace tamis
