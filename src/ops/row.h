// Row: one op as data: its signature, what it does, how to call it, and inputs to try it on. The
// Python module, the command line, the reference page and the sweep tests are made from the rows.
#pragma once

#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "ops/signature.h"
#include "ops/value.h"

namespace tamis {

/// A mask that can be made for any box of its shape without the rest of it.
struct MaskWindows {
  Shape shape;
  std::function<Tensor(const Shape& start, const Shape& size)> window;
};

/// When the result of a row is a view of its input, or the input itself.
enum class View : uint8_t { never, if_contiguous, always };

struct Row {
  /// PyTorch's spelling with types, names and defaults: "masked_select(Tensor input, Tensor mask)
  /// -> Tensor". Several rows of one name are its overloads, tried in their order.
  ///
  /// Types: Tensor, Tensor[], Scalar, int, float, bool, dtype, int[], str, Generator, device; True
  /// and False are bools of that value alone. With a | between them, any of them: "float|str p";
  /// see Parameter for what that means after Tensor, as in "Tensor|Scalar other". With a ? after
  /// it, it may be None. `*` comes before parameters that need their name. Several results have
  /// names: "-> (Tensor values, Tensor indices)". A name with a dot is in a namespace:
  /// "masked.sum(...)".
  Signature signature;
  std::string summary;  // one sentence, for the docstring and the reference page
  std::function<Value(std::span<const Value>)> call;
  // The same as a plain function, if it has one tensor, or two, and nothing else.
  Tensor (*of_one)(const Tensor&) = nullptr;
  Tensor (*of_two)(const Tensor&, const Tensor&) = nullptr;
  std::vector<Args> samples;  // at least one, over the shapes and options that matter; tensors are
                              // float32, int64 or bool. None unless has_samples()
  bool function = true;       // is called as name(input, ...)
  bool method = false;        // is called as input.name(...)
  bool in_place = false;      // there is also a method name_ that writes the result into input
  bool out = false;           // PyTorch takes out= (see `into` in pointwise.h)
  bool pointwise = false;     // an element of the result comes from the elements at its position
  bool creates = false;       // computed from no tensor: takes device= and requires_grad=
  bool random = false;        // every call gives other values
  bool variadic = false;      // the tensors of its list may be given one by one
  View view = View::never;    // whether the result is a view of input, which takes no time
  std::string symbol;         // the operator that it is, with or without a second operand: "+"
  std::vector<std::string> aliases;  // PyTorch's second names for it
  // What name_ does, if that costs less than computing the result and storing it.
  std::function<void(std::span<const Value>)> call_in_place = nullptr;
  // The same for out=.
  std::function<void(Tensor& out, std::span<const Value>)> call_out = nullptr;
  // The call for many inputs of one dtype, with what the other arguments need prepared once.
  std::function<std::function<Tensor(const Tensor&)>(std::span<const Value>, DType)> prepare =
      nullptr;
  // The result box by box, if it is a mask with a shape of its own.
  std::function<MaskWindows(std::span<const Value>)> windows = nullptr;

  /// With its namespace.
  std::string name() const { return signature.full_name(); }

  // Properties of a row that is being made: make_row(...).with_out().is_pointwise(). What they
  // give is that row itself, to be moved on in the same expression.
  Row&& with_in_place() && {
    in_place = true;
    return std::move(*this);
  }
  /// The same, by a function `Tensor& name_(Tensor& x, ...)`.
  template <class... A>
  Row&& with_in_place(Tensor& (*f)(Tensor&, A...)) &&;
  Row&& with_in_place(void (*f)(), void (*call)(void (*)(), std::span<const Value>)) &&;
  Row&& with_out() && {
    out = true;
    return std::move(*this);
  }
  /// The same, by a function `Tensor& name_out(Tensor& out, ...)`.
  template <class... A>
  Row&& with_out(Tensor& (*f)(Tensor&, A...)) &&;
  Row&& with_out(void (*f)(), void (*call)(void (*)(), Tensor&, std::span<const Value>)) &&;
  /// Rows whose first parameter is `Tensor input` are methods too unless this says no.
  Row&& function_only() && {
    method = false;
    return std::move(*this);
  }
  Row&& method_only() && {
    function = false;
    method = true;
    return std::move(*this);
  }
  Row&& is_pointwise() && {
    pointwise = true;
    return std::move(*this);
  }
  Row&& is_creation() && {
    creates = true;
    return std::move(*this);
  }
  Row&& is_random() && {
    random = true;
    return std::move(*this);
  }
  Row&& is_view(View when = View::always) && {
    view = when;
    return std::move(*this);
  }
  Row&& is_variadic() && {
    variadic = true;
    return std::move(*this);
  }
  Row&& with_symbol(const char* text) && {
    symbol = text;
    return std::move(*this);
  }
  Row&& also(std::initializer_list<const char*> names) && {
    aliases.assign(names.begin(), names.end());
    return std::move(*this);
  }
  Row&& with_prepared(
      std::function<std::function<Tensor(const Tensor&)>(std::span<const Value>, DType)> f) && {
    prepare = std::move(f);
    return std::move(*this);
  }
  Row&& with_windows(std::function<MaskWindows(std::span<const Value>)> f) && {
    windows = std::move(f);
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

template <>
struct FromValue<Options> {
  static Options get(const Value& v) {
    if (std::holds_alternative<Options>(v)) return std::get<Options>(v);
    return FromValue<std::optional<DType>>::get(v);
  }
};

/// A union, such as float|str, arrives as a std::variant of its types.
template <class... T>
struct FromValue<std::variant<T...>> {
  static std::variant<T...> get(const Value& v) {
    std::optional<std::variant<T...>> found;
    (void)((std::holds_alternative<T>(v) && (found.emplace(std::get<T>(v)), true)) || ...);
    return found.value();
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

/// A function whose type `call` knows. One type for all of them is much less code than a
/// std::function of each would be.
using AnyFunction = void (*)();

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

template <class... A, size_t... I>
void apply_out(Tensor& (*f)(Tensor&, A...), Tensor& out, std::span<const Value> args,
               std::index_sequence<I...>) {
  f(out, FromValue<std::decay_t<A>>::get(args[I])...);
}

template <class R, class... A>
Value call_any(AnyFunction f, std::span<const Value> args) {
  return apply_values(reinterpret_cast<R (*)(A...)>(f), args, std::index_sequence_for<A...>{});
}

template <class... A>
void call_any_in_place(AnyFunction f, std::span<const Value> args) {
  apply_in_place(reinterpret_cast<Tensor& (*)(Tensor&, A...)>(f), args,
                 std::index_sequence_for<A...>{});
}

template <class... A>
void call_any_out(AnyFunction f, Tensor& out, std::span<const Value> args) {
  apply_out(reinterpret_cast<Tensor& (*)(Tensor&, A...)>(f), out, args,
            std::index_sequence_for<A...>{});
}

/// A row whose call is call(f, args).
Row make_row(std::string_view signature, std::string_view summary, AnyFunction f,
             Value (*call)(AnyFunction, std::span<const Value>), std::vector<Args> samples);

}  // namespace detail

template <class... A>
Row&& Row::with_in_place(Tensor& (*f)(Tensor&, A...)) && {
  return std::move(*this).with_in_place(reinterpret_cast<detail::AnyFunction>(f),
                                        detail::call_any_in_place<A...>);
}

template <class... A>
Row&& Row::with_out(Tensor& (*f)(Tensor&, A...)) && {
  return std::move(*this).with_out(reinterpret_cast<detail::AnyFunction>(f),
                                   detail::call_any_out<A...>);
}

/// Makes a row from what it does with the values of its parameters.
Row make_row(std::string_view signature, std::string_view summary,
             std::function<Value(std::span<const Value>)> call, std::vector<Args> samples);

/// Makes a row from a plain function (or a captureless lambda with a + before it) whose parameters
/// are those of the signature.
template <class R, class... A>
Row make_row(std::string_view signature, std::string_view summary, R (*f)(A...),
             std::vector<Args> samples) {
  Row row = detail::make_row(signature, summary, reinterpret_cast<detail::AnyFunction>(f),
                             detail::call_any<R, A...>, std::move(samples));
  if constexpr (std::is_same_v<decltype(f), Tensor (*)(const Tensor&)>) row.of_one = f;
  if constexpr (std::is_same_v<decltype(f), Tensor (*)(const Tensor&, const Tensor&)>) {
    row.of_two = f;
  }
  return row;
}

/// Whether rows have samples. Those of the JavaScript package have none: only what makes and tests
/// it needs them, and they would be a fifth of its code.
bool has_samples();

/// What `make` gives, where rows have samples.
template <class F>
auto sampled(F make) -> decltype(make()) {
  return has_samples() ? make() : decltype(make())();
}

/// The samples of a row, each in braces: SAMPLES({x, mask}, {x, row}).
#define SAMPLES(...) ::tamis::sampled([&] { return std::vector<::tamis::Args>{__VA_ARGS__}; })
/// A tensor, or whatever else samples are made of.
#define SAMPLE(...) ::tamis::sampled([&] { return __VA_ARGS__; })

// Each family's rows are at the end of its file. In-place and out= forms have no rows of their own:
// forms.h makes them.
std::vector<Row> create_rows();
std::vector<Row> view_rows();
std::vector<Row> piece_rows();
std::vector<Row> arith_rows();
std::vector<Row> inverse_rows();
std::vector<Row> special_rows();
std::vector<Row> part_rows();
std::vector<Row> combine_rows();
std::vector<Row> integer_rows();
std::vector<Row> activation_rows();
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
std::vector<Row> bit_rows();
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
std::vector<Row> stack_rows();
std::vector<Row> cut_rows();
std::vector<Row> product_rows();
std::vector<Row> einsum_rows();
std::vector<Row> distance_rows();
std::vector<Row> sample_rows();
std::vector<Row> slope_rows();
std::vector<Row> margin_loss_rows();
std::vector<Row> class_margin_loss_rows();
std::vector<Row> likelihood_loss_rows();
std::vector<Row> layer_rows();
std::vector<Row> distribution_rows();
std::vector<Row> attention_rows();
std::vector<Row> prune_rows();
std::vector<Row> sampling_rows();
std::vector<Row> region_rows();
std::vector<Row> morphology_rows();
std::vector<Row> label_rows();
std::vector<Row> run_rows();
std::vector<Row> polygon_rows();
std::vector<Row> dropout_rows();
std::vector<Row> gamma_rows();
std::vector<Row> segment_rows();
std::vector<Row> size_rows();

/// Rows that belong together, under a title for the reference page.
struct Family {
  const char* title;
  std::vector<Row> (*rows)();
};
std::span<const Family> all_families();

/// The rows of all families, in their order.
const std::vector<Row>& all_rows();

/// Methods that are not functions and that no test of functions tries: conversions, views,
/// new_zeros and similar, and those that write, such as fill_.
const std::vector<Row>& method_rows();

}  // namespace tamis
