// Methods that are not functions: conversions, views, new tensors of this one's dtype, and what
// writes into the tensor.
#include <utility>

#include "core/check.h"
#include "ops/row.h"
#include "tamis/tamis.h"

namespace tamis {

namespace {

using Span = std::span<const Value>;

const Tensor& self(Span args) { return std::get<Tensor>(args[0]); }
const Tensor& tensor_arg(Span args, size_t i) { return std::get<Tensor>(args[i]); }
const Shape& shape_arg(Span args, size_t i) { return std::get<Shape>(args[i]); }

Tensor grid() { return arange(6).reshape({2, 3}); }

void add(std::vector<Row>& rows, std::string_view signature, std::string_view summary,
         std::function<Value(Span)> call, Args sample) {
  rows.push_back(make_row(signature, summary, std::move(call), {std::move(sample)}).method_only());
}
// As one type, which is less code than one for every lambda.
void add(std::vector<Row>& rows, std::string_view signature, std::string_view summary,
         Value (*call)(Span), Args sample) {
  add(rows, signature, summary, std::function<Value(Span)>(call), std::move(sample));
}

void add_conversions(std::vector<Row>& rows) {
  constexpr std::pair<const char*, DType> kNames[] = {
      {"bool", DType::boolean},   {"byte", DType::uint8},        {"char", DType::int8},
      {"short", DType::int16},    {"int", DType::int32},         {"long", DType::int64},
      {"half", DType::float16},   {"bfloat16", DType::bfloat16}, {"float", DType::float32},
      {"double", DType::float64}, {"cfloat", DType::complex64},  {"cdouble", DType::complex128},
  };
  for (const auto& [method, to] : kNames) {
    add(
        rows, std::string(method) + "(Tensor input) -> Tensor",
        std::string("The tensor converted to ") + name(to) + ".",
        [dtype = to](Span a) -> Value { return self(a).to(dtype); }, SAMPLE(Args{grid()}));
  }
}

void add_views(std::vector<Row>& rows) {
  add(
      rows, "view(Tensor input, int[] shape) -> Tensor",
      "A view in another shape; refused if the layout does not allow one.",
      +[](Span a) -> Value { return self(a).view(shape_arg(a, 1)); },
      SAMPLE(Args{grid(), Shape{3, 2}}));
  rows.back().view = View::always;
  add(
      rows, "view_as(Tensor input, Tensor other) -> Tensor", "A view in the shape of other.",
      +[](Span a) -> Value { return self(a).view(tensor_arg(a, 1).shape()); },
      SAMPLE(Args{grid(), zeros({3, 2})}));
  add(
      rows, "reshape_as(Tensor input, Tensor other) -> Tensor",
      "The same elements in the shape of other.",
      +[](Span a) -> Value { return self(a).reshape(tensor_arg(a, 1).shape()); },
      SAMPLE(Args{grid().t(), zeros({2, 3})}));
  add(
      rows, "expand(Tensor input, int[] size) -> Tensor",
      "A view that repeats dimensions of size 1; -1 keeps a size.",
      +[](Span a) -> Value { return self(a).expand(shape_arg(a, 1)); },
      SAMPLE(Args{arange(3), Shape{2, -1}}));
  rows.back().view = View::always;
  add(
      rows, "expand_as(Tensor input, Tensor other) -> Tensor",
      "A view expanded to the shape of other.",
      +[](Span a) -> Value { return self(a).expand_as(tensor_arg(a, 1)); },
      SAMPLE(Args{arange(3), grid()}));
  add(
      rows, "repeat(Tensor input, int[] repeats) -> Tensor",
      "A copy that holds the elements several times along each dimension.",
      +[](Span a) -> Value { return self(a).repeat(shape_arg(a, 1)); },
      SAMPLE(Args{grid(), Shape{2, 1}}));
  // Its result depends on the layout, which tests of functions vary.
  rows.push_back(make_row(
      "as_strided(Tensor input, int[] size, int[] stride, int? storage_offset=None) -> Tensor",
      "A view of the memory with these sizes and strides, in elements.", as_strided,
      SAMPLES({grid(), Shape{2, 2}, Shape{1, 2}, {}}, {grid(), Shape{3}, Shape{2}, int64_t{1}})));
  rows.push_back(
      make_row("as_strided_scatter(Tensor input, Tensor src, int[] size, int[] stride, "
               "int? storage_offset=None) -> Tensor",
               "A copy of input with src in a view by these sizes and strides.", as_strided_scatter,
               SAMPLES({grid(), tensor({8, 9}), Shape{2}, Shape{3}, {}})));
  add(
      rows, "contiguous(Tensor input) -> Tensor",
      "The tensor itself if it is row-major, else a copy.",
      +[](Span a) -> Value { return self(a).contiguous(); }, SAMPLE(Args{grid().t()}));
  rows.back().of_one = [](const Tensor& x) { return x.contiguous(); };
  rows.back().view = View::if_contiguous;
  add(
      rows, "detach(Tensor input) -> Tensor", "The same memory in a new tensor.",
      +[](Span a) -> Value { return self(a).detach(); }, SAMPLE(Args{grid()}));
  rows.back().view = View::always;
  add(
      rows, "type_as(Tensor input, Tensor other) -> Tensor",
      "The tensor converted to the dtype of other.",
      +[](Span a) -> Value { return self(a).type_as(tensor_arg(a, 1)); },
      SAMPLE(Args{grid(), zeros({1})}));
}

// ---- creation -----------------------------------------------------------------------------------

/// What is not given is that of this tensor.
Options options_or_own(Span args, size_t i) {
  const Options given = detail::FromValue<Options>::get(args[i]);
  return {given.dtype.value_or(self(args).dtype()), given.device.value_or(self(args).device())};
}

void add_creation(std::vector<Row>& rows) {
  const size_t first = rows.size();
  add(
      rows, "new_empty(Tensor input, int[] size, *, dtype? dtype=None) -> Tensor",
      "A tensor of unspecified values of the dtype of this one.",
      +[](Span a) -> Value { return empty(shape_arg(a, 1), options_or_own(a, 2)); },
      SAMPLE(Args{grid(), Shape{0, 2}, {}}));
  add(
      rows, "new_zeros(Tensor input, int[] size, *, dtype? dtype=None) -> Tensor",
      "Zeros of the dtype of this tensor.",
      +[](Span a) -> Value { return zeros(shape_arg(a, 1), options_or_own(a, 2)); },
      SAMPLE(Args{grid(), Shape{2}, {}}));
  add(
      rows, "new_ones(Tensor input, int[] size, *, dtype? dtype=None) -> Tensor",
      "Ones of the dtype of this tensor.",
      +[](Span a) -> Value { return ones(shape_arg(a, 1), options_or_own(a, 2)); },
      SAMPLE(Args{grid(), Shape{2}, DType::float32}));
  add(
      rows, "new_full(Tensor input, int[] size, Scalar fill_value, *, dtype? dtype=None) -> Tensor",
      "One value in the dtype of this tensor.",
      +[](Span a) -> Value {
        return full(shape_arg(a, 1), std::get<Scalar>(a[2]), options_or_own(a, 3));
      },
      SAMPLE(Args{grid(), Shape{2}, Scalar(7), {}}));
  add(
      rows,
      "new_empty_strided(Tensor input, int[] size, int[] stride, *, dtype? dtype=None) -> Tensor",
      "A tensor of unspecified values of the dtype of this one, with these strides.",
      +[](Span a) -> Value {
        return empty_strided(shape_arg(a, 1), shape_arg(a, 2), options_or_own(a, 3));
      },
      SAMPLE(Args{grid(), Shape{2, 0}, Shape{1, 2}, {}}));
  for (size_t i = first; i < rows.size(); ++i) rows[i].creates = true;
}

// ---- in place -----------------------------------------------------------------------------------

/// x[i, i, ...] = value for every i.
Value fill_diagonal(Span args) {
  Tensor x = self(args);
  check(x.dim() >= 2, ErrorKind::shape, "dimensions must larger than 1");
  check(x.dim() == 2 || Shape(x.shape().size(), x.shape()[0]) == x.shape(), ErrorKind::shape,
        "all dimensions of input must be of equal length");
  Tensor view = x.diagonal();
  while (view.dim() > 1) view = view.diagonal(0, 0, -1);
  view.fill_(tensor_arg(args, 1));
  return x;
}

void add_in_place(std::vector<Row>& rows) {
  add(rows, "fill_diagonal_(Tensor input, Tensor|Scalar value) -> Tensor",
      "In place: one value on the main diagonal.", fill_diagonal, SAMPLE(Args{grid(), Tensor(7)}));
  add(
      rows, "zero_(Tensor input) -> Tensor", "In place: zeros.",
      +[](Span a) -> Value {
        Tensor x = self(a);
        return x.zero_();
      },
      SAMPLE(Args{grid()}));
  add(
      rows,
      "embedding_renorm_(Tensor input, Tensor indices, float max_norm, float norm_type=2.0) -> "
      "Tensor",
      "In place: the rows that indices name scaled to max_norm if their norm is larger.",
      +[](Span a) -> Value {
        Tensor x = self(a);
        return embedding_renorm_(x, tensor_arg(a, 1), std::get<double>(a[2]),
                                 std::get<double>(a[3]));
      },
      SAMPLE(Args{ones({2, 3}), tensor({1}), 1.0, 2.0}));
  add(
      rows, "copy_(Tensor input, Tensor|Scalar src) -> Tensor",
      "In place: the values of src, broadcast and converted.",
      +[](Span a) -> Value {
        Tensor x = self(a);
        return x.copy_(tensor_arg(a, 1));
      },
      SAMPLE(Args{grid(), arange(3)}));
}

// ---- random numbers -----------------------------------------------------------------------------

Args on_zeros(Args sample) {
  sample.insert(sample.begin(), zeros({2, 3}));
  sample.emplace_back();
  return sample;
}

template <class... A>
void add_random(std::vector<Row>& rows, const std::string& parameters, const std::string& numbers,
                Tensor& (*f)(Tensor&, A...), Args sample) {
  const auto call = [f](Span args) -> Value {
    detail::apply_in_place(f, args, std::index_sequence_for<A...>{});
    return args[0];
  };
  const size_t open = parameters.find('(') + 1;
  const std::string own = parameters.substr(open);
  rows.push_back(make_row(parameters.substr(0, open) + "Tensor input, " + own +
                              (own.empty() ? "" : ", ") + "*, Generator? generator=None) -> Tensor",
                          "In place: " + numbers + ".", call, SAMPLES(on_zeros(std::move(sample))))
                     .method_only()
                     .is_random());
}

Tensor& random_up_to(Tensor& x, int64_t to, std::optional<Generator> generator) {
  return random_(x, 0, to, std::move(generator));
}
Tensor& random_at_all(Tensor& x, std::optional<Generator> generator) {
  return random_(x, 0, std::nullopt, std::move(generator));
}

void add_random_numbers(std::vector<Row>& rows) {
  add_random(rows, "uniform_(float from_=0, float to=1", "random numbers, uniform in [from_, to)",
             uniform_, SAMPLE(Args{0.0, 1.0}));
  add_random(rows, "normal_(float mean=0, float std=1", "normal random numbers", normal_,
             SAMPLE(Args{0.0, 1.0}));
  add_random(rows, "log_normal_(float mean=1, float std=2", "exponentials of normal random numbers",
             log_normal_, SAMPLE(Args{1.0, 2.0}));
  add_random(rows, "exponential_(float lambd=1", "random numbers of the exponential distribution",
             exponential_, SAMPLE(Args{1.0}));
  add_random(rows, "cauchy_(float median=0, float sigma=1",
             "random numbers of the Cauchy distribution", cauchy_, SAMPLE(Args{0.0, 1.0}));
  add_random(rows, "geometric_(float p",
             "random numbers of trials up to the first success, of probability p", geometric_,
             SAMPLE(Args{0.5}));
  add_random(rows, "bernoulli_(Tensor|Scalar p=0.5", "1 with probability p, else 0", bernoulli_,
             SAMPLE(Args{Tensor(0.5)}));
  add_random(rows, "random_(int from_, int? to",
             "random integers from from_ up to but excluding to", random_,
             SAMPLE(Args{int64_t{-3}, int64_t{4}}));
  add_random(rows, "random_(int to", "random integers from 0 up to but excluding to", random_up_to,
             SAMPLE(Args{int64_t{4}}));
  add_random(rows, "random_(", "random integers from 0 up to the largest that the dtype holds",
             random_at_all, {});
}

}  // namespace

const std::vector<Row>& method_rows() {
  static const std::vector<Row> rows = [] {
    std::vector<Row> all;
    add_conversions(all);
    add_views(all);
    add_creation(all);
    add_in_place(all);
    add_random_numbers(all);
    return all;
  }();
  return rows;
}

}  // namespace tamis
