// tamis.partial: the states as Python classes. They are pickled as their bytes.
#include "tamis/partial.h"

#include <pybind11/stl.h>

#include <string>
#include <vector>

#include "convert.h"
#include "core/check.h"

namespace tamis::python {

namespace {

using namespace tamis::partial;  // NOLINT

/// An array of any kind; undefined for None.
Tensor array_or_none(const py::object& o, const char* what) {
  if (o.is_none()) return {};
  Origins origins;
  std::optional<Tensor> x = array_to_tensor(o.ptr(), origins, Copying::if_needed);
  if (!x) {
    raise_python(PyExc_TypeError,
                 std::string(what) + " must be an array, but got " + described(o.ptr()));
  }
  return *x;
}

Tensor array_of(const py::object& o) {
  if (o.is_none()) raise_python(PyExc_TypeError, "x must be an array, but got None");
  return array_or_none(o, "x");
}

/// None, an int or a sequence of ints.
Shape shape_of(const py::object& o, const char* what) {
  if (o.is_none()) return {};
  if (py::isinstance<py::int_>(o)) return {o.cast<int64_t>()};
  try {
    return Shape(o.cast<std::vector<int64_t>>());
  } catch (const py::cast_error&) {
    raise_python(PyExc_TypeError,
                 std::string(what) + " must be ints, but got " + described(o.ptr()));
  }
}

std::optional<DType> dtype_or_none(const py::object& o) {
  if (o.is_none()) return {};
  DType dtype{};
  if (!dtype_from(o.ptr(), dtype)) {
    raise_python(PyExc_TypeError, "dtype must be a dtype, but got " + described(o.ptr()));
  }
  return dtype;
}

py::object object(Tensor x) { return steal(wrap(std::move(x))); }

template <class State>
State from_python_bytes(const py::bytes& bytes) {
  const auto view = static_cast<std::string_view>(bytes);
  return without_gil([&] { return State::from_bytes(view); });
}

template <class State>
py::bytes to_python_bytes(const State& state) {
  const std::string bytes = without_gil([&] { return state.to_bytes(); });
  return py::bytes(bytes);
}

/// A new state, so that tasks may share theirs.
template <class State>
State merged(const State& self, const py::args& others) {
  State all = self;
  std::vector<State> more;
  for (const py::handle other : others) {
    if (!py::isinstance<State>(other)) {
      raise_python(PyExc_TypeError, "merge(): expected a state of the same class, but got " +
                                        described(other.ptr()));
    }
    more.push_back(other.cast<const State&>());
  }
  without_gil([&] {
    if constexpr (std::is_same_v<State, Selected>) {
      all.merge(std::span<const Selected>(more));
    } else {
      for (const State& state : more) all.merge(state);
    }
  });
  return all;
}

/// The class with what all states have.
template <class State>
py::class_<State> add_state(py::module_& m, const char* name, const char* doc) {
  py::class_<State> type(m, name, doc);
  type.def("to_bytes", to_python_bytes<State>, "The state as bytes, the same on every machine.")
      .def_static("from_bytes", from_python_bytes<State>, py::arg("data"),
                  "The state of such bytes; ValueError for others.")
      .def("__copy__", [](const State& self) { return self; })
      .def("__deepcopy__", [](const State& self, const py::dict&) { return self; })
      .def(py::pickle([](const State& self) { return to_python_bytes(self); },
                      [](const py::bytes& bytes) { return from_python_bytes<State>(bytes); }));
  if constexpr (!std::is_same_v<State, Search>) {
    type.def("merge", merged<State>, "A new state of this one and all others, in any order.");
  }
  if constexpr (!std::is_same_v<State, Selected>) {
    type.def_property_readonly(
        "dtype", [](const State& self) { return borrow(dtype_object(self.dtype())); },
        "The dtype of the elements.");
  }
  return type;
}

auto option(const char* name) { return py::arg(name) = py::none(); }

Part part_of(const py::object& dim, bool keepdim, const py::object& shape,
             const py::object& offset) {
  return {shape_of(dim, "dim"), keepdim, shape_of(shape, "shape"), shape_of(offset, "offset")};
}

/// Reductions: (x, mask=None, *, dim=None, keepdim=False).
template <class State>
void add_reduction(py::class_<State>& type) {
  type.def(py::init([](const py::object& x, const py::object& mask, const py::object& dim,
                       bool keepdim) {
             const Tensor values = array_of(x), keep = array_or_none(mask, "mask");
             const Part part = part_of(dim, keepdim, py::none(), py::none());
             return without_gil([&] { return State(values, keep, part); });
           }),
           py::arg("x"), option("mask"), py::kw_only(), option("dim"), py::arg("keepdim") = false);
}

/// A method that gives a tensor.
template <class State, class F>
auto result(F f) {
  return [f](const State& self) { return object(without_gil([&] { return f(self); })); };
}

void add_count(py::module_& m) {
  auto type = add_state<Count>(m, "Count", "How many elements are kept.");
  add_reduction(type);
  type.def("finish", result<Count>([](const Count& s) { return s.finish(); }),
           "The number of kept elements, int64.")
      .def("nonzero", result<Count>([](const Count& s) { return s.nonzero(); }),
           "How many of them are not zero, int64.")
      .def("any", result<Count>([](const Count& s) { return s.any(); }),
           "Whether any of them is not zero.")
      .def("all", result<Count>([](const Count& s) { return s.all(); }),
           "Whether none of them is zero.");
}

void add_sum(py::module_& m) {
  auto type = add_state<Sum>(m, "Sum", "The exact sum.");
  add_reduction(type);
  type.def(
      "finish",
      [](const Sum& self, const py::object& dtype) {
        const auto wanted = dtype_or_none(dtype);
        return object(without_gil([&] { return self.finish(wanted); }));
      },
      option("dtype"), "The sum, rounded once, in the dtype that sum gives or in the given one.");
}

void add_moments(py::module_& m) {
  auto type = add_state<Moments>(m, "Moments", "The count, the exact sum and that of squares.");
  add_reduction(type);
  const auto rounded = [](auto f) {
    return [f](const Moments& self, const py::object& dtype) {
      const auto wanted = dtype_or_none(dtype);
      return object(without_gil([&] { return f(self, wanted); }));
    };
  };
  const auto spread = [](auto f) {
    return [f](const Moments& self, double correction, const py::object& dtype) {
      const auto wanted = dtype_or_none(dtype);
      return object(without_gil([&] { return f(self, correction, wanted); }));
    };
  };
  using Wanted = std::optional<DType>;
  type.def("count", result<Moments>([](const Moments& s) { return s.count(); }),
           "The number of kept elements, int64.")
      .def("sum", rounded([](const Moments& s, Wanted d) { return s.sum(d); }), option("dtype"),
           "As Sum.finish.")
      .def("mean", rounded([](const Moments& s, Wanted d) { return s.mean(d); }), option("dtype"),
           "The mean of exact arithmetic, rounded once; NaN of nothing.")
      .def("var", spread([](const Moments& s, double c, Wanted d) { return s.var(c, d); }),
           py::arg("correction") = 1.0, option("dtype"),
           "The variance of exact arithmetic, rounded once; the divisor is the count less "
           "correction.")
      .def("std", spread([](const Moments& s, double c, Wanted d) { return s.std(c, d); }),
           py::arg("correction") = 1.0, option("dtype"), "The root of var, rounded once.")
      .def(
          "finish",
          [](const Moments& self, double correction) {
            const auto [mean, var] = without_gil([&] { return self.finish(correction); });
            return py::make_tuple(object(mean), object(var));
          },
          py::arg("correction") = 1.0, "The mean and the variance.");
}

void add_extremes(py::module_& m) {
  auto type = add_state<Extremes>(m, "Extremes", "The extremes and where they are.");
  type.def(py::init([](const py::object& x, const py::object& mask, const py::object& dim,
                       bool keepdim, const py::object& shape, const py::object& offset) {
             const Tensor values = array_of(x), keep = array_or_none(mask, "mask");
             const Part part = part_of(dim, keepdim, shape, offset);
             return without_gil([&] { return Extremes(values, keep, part); });
           }),
           py::arg("x"), option("mask"), py::kw_only(), option("dim"), py::arg("keepdim") = false,
           option("shape"), option("offset"))
      .def("amin", result<Extremes>([](const Extremes& s) { return s.amin(); }),
           "The smallest element; NaN wins.")
      .def("amax", result<Extremes>([](const Extremes& s) { return s.amax(); }),
           "The largest element; NaN wins.")
      .def("argmin", result<Extremes>([](const Extremes& s) { return s.argmin(); }),
           "The first index of the smallest in the whole; -1 if nothing is kept.")
      .def("argmax", result<Extremes>([](const Extremes& s) { return s.argmax(); }),
           "The first index of the largest in the whole; -1 if nothing is kept.")
      .def(
          "finish",
          [](const Extremes& self) {
            const auto [low, low_at, high, high_at] = self.finish();
            return py::make_tuple(object(low), object(low_at), object(high), object(high_at));
          },
          "amin, argmin, amax and argmax.");
}

void add_selected(py::module_& m) {
  auto type = add_state<Selected>(
      m, "Selected", "The elements that a mask keeps, in the row-major order of the whole.");
  type.def(py::init([](const py::object& x, const py::object& mask, const py::object& shape,
                       const py::object& offset) {
             const Tensor values = array_or_none(x, "x"), keep = array_or_none(mask, "mask");
             const Part part = part_of(py::none(), false, shape, offset);
             return without_gil([&] { return Selected(values, keep, part); });
           }),
           py::arg("x"), py::arg("mask"), py::kw_only(), option("shape"), option("offset"))
      .def("__len__", [](const Selected& s) { return s.numel(); })
      .def_property_readonly(
          "shape", [](const Selected& s) { return steal(shape_tuple(s.shape())); },
          "The shape of the whole.")
      .def_property_readonly(
          "dtype",
          [](const Selected& s) -> py::object {
            if (!s.dtype()) return py::none();
            return borrow(dtype_object(*s.dtype()));
          },
          "The dtype of the elements; None if there are positions only.")
      .def("finish", result<Selected>([](const Selected& s) { return s.finish(); }),
           "The elements, 1-d.")
      .def("values", result<Selected>([](const Selected& s) { return s.finish(); }),
           "The elements, 1-d.")
      .def("indices", result<Selected>([](const Selected& s) { return s.indices(); }),
           "Their row-major numbers in the whole, int64.")
      .def("coordinates", result<Selected>([](const Selected& s) { return s.coordinates(); }),
           "Their indices in each dimension of the whole, int64, one row for each.")
      .def("runs", result<Selected>([](const Selected& s) { return s.runs(); }),
           "The first index and the length of each run of neighbours, int64.")
      .def("position", &Selected::position, py::arg("rank"),
           "The row-major number in the whole of the rank-th of them.")
      .def(
          "between",
          [](const Selected& s, int64_t start, int64_t stop) {
            return without_gil([&] { return s.between(start, stop); });
          },
          py::arg("start"), py::arg("stop"),
          "A new state of those whose row-major numbers are from start up to stop.")
      .def("without_values", &Selected::without_values, "A new state of the positions only.");
}

void add_ordered(py::module_& m) {
  auto top = add_state<TopK>(m, "TopK", "The k largest (smallest) elements and where they are.");
  top.def(py::init([](const py::object& x, int64_t k, const py::object& mask, bool largest,
                      const py::object& shape, const py::object& offset) {
            const Tensor values = array_of(x), keep = array_or_none(mask, "mask");
            const Part part = part_of(py::none(), false, shape, offset);
            return without_gil([&] { return TopK(values, k, keep, largest, part); });
          }),
          py::arg("x"), py::arg("k"), option("mask"), py::kw_only(), py::arg("largest") = true,
          option("shape"), option("offset"))
      .def(
          "finish",
          [](const TopK& self) {
            const auto [values, indices] = self.finish();
            return py::make_tuple(object(values), object(indices));
          },
          "The elements in order and their row-major numbers in the whole.");
  auto unique = add_state<Unique>(m, "Unique", "The distinct elements.");
  unique
      .def(py::init([](const py::object& x, const py::object& mask, const py::object& shape,
                       const py::object& offset) {
             const Tensor values = array_of(x), keep = array_or_none(mask, "mask");
             const Part part = part_of(py::none(), false, shape, offset);
             return without_gil([&] { return Unique(values, keep, part); });
           }),
           py::arg("x"), option("mask"), py::kw_only(), option("shape"), option("offset"))
      .def(
          "finish",
          [](const Unique& self, bool return_counts, bool return_index) -> py::object {
            const auto [values, counts, index] = without_gil([&] { return self.finish(); });
            if (!return_counts && !return_index) return object(values);
            py::list all;
            all.append(object(values));
            if (return_index) all.append(object(index));
            if (return_counts) all.append(object(counts));
            return py::tuple(all);
          },
          py::arg("return_counts") = false, py::arg("return_index") = false,
          "The elements in ascending order; with, if asked for, their first row-major numbers in "
          "the whole and how often they occur.");
}

/// What a search is for, from the arguments of Histogram.search.
Search search_of(const Histogram& self, const py::object& q, const std::string& interpolation,
                 bool ignore_nan, const py::object& k, bool median, const py::object& ranks) {
  const int given = !q.is_none() + !k.is_none() + median + !ranks.is_none();
  check(given <= 1, ErrorKind::value, "search(): give one of q, k, median and ranks");
  if (!q.is_none()) {
    const std::optional<Scalar> number = number_to_scalar(q.ptr());
    const Tensor wanted =
        number ? Tensor(number->to_double()) : values_to_tensor(q.ptr(), self.dtype());
    return self.quantile(wanted, interpolation, ignore_nan);
  }
  if (!k.is_none()) return self.kthvalue(k.cast<int64_t>());
  if (median) return self.median(ignore_nan);
  if (!ranks.is_none()) return self.ranks(ranks.cast<std::vector<int64_t>>());
  return self.search();
}

void add_histogram(py::module_& m) {
  auto search = add_state<Search>(m, "Search", "What is known of elements of wanted ranks.");
  search.def_property_readonly("done", &Search::done, "Whether no other pass is needed.")
      .def("finish", result<Search>([](const Search& s) { return s.finish(); }),
           "What was asked for, when it is done.");
  auto type = add_state<Histogram>(
      m, "Histogram", "Counts of elements by value, for exact quantiles in few passes.");
  type.def(py::init([](const py::object& x, const py::object& mask, const Search* found) {
             const Tensor values = array_of(x), keep = array_or_none(mask, "mask");
             return without_gil(
                 [&] { return found ? Histogram(values, keep, *found) : Histogram(values, keep); });
           }),
           py::arg("x"), option("mask"), py::kw_only(), option("search"))
      .def("count", &Histogram::count, "How many elements other than NaN are kept.")
      .def("nans", &Histogram::nans, "How many NaN are kept.")
      .def("search", search_of, py::kw_only(), option("q"), py::arg("interpolation") = "linear",
           py::arg("ignore_nan") = false, option("k"), py::arg("median") = false, option("ranks"),
           "After the first pass, what is wanted: quantiles q, the k-th smallest element, the "
           "median, or the elements of these ranks; after others, without arguments, the search "
           "that goes on.")
      .def_static(
          "passes",
          [](const py::object& dtype) {
            const auto wanted = dtype_or_none(dtype);
            if (!wanted) raise_python(PyExc_TypeError, "passes(): expected a dtype");
            return Histogram::passes(*wanted);
          },
          py::arg("dtype"), "The number of passes that is enough.");
}

}  // namespace

void add_partial(py::module_& m) {
  py::module_ states = m.def_submodule(
      "partial",
      "Partial states: what some of the elements of an array say, to be merged with what others "
      "say. In any order and grouping the result has the same bits.");
  add_count(states);
  add_sum(states);
  add_moments(states);
  add_extremes(states);
  add_selected(states);
  add_ordered(states);
  add_histogram(states);
  // Pickle finds classes by this name.
  for (const auto& [name, value] : py::cast<py::dict>(states.attr("__dict__"))) {
    if (py::isinstance<py::type>(value)) value.attr("__module__") = "tamis.partial";
  }
}

}  // namespace tamis::python
