// tamis._tamis._Condition: a condition of the command line, evaluated box by box, for tamis.dask.
#include <pybind11/stl.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "convert.h"
#include "core/check.h"
#include "language/expression.h"
#include "language/plan.h"

namespace tamis::python {

namespace {

/// Calls f; what is wrong with the text becomes a ValueError that points at it.
template <class F>
auto with_text(const std::string& text, F&& f) {
  try {
    return f();
  } catch (const cli::ConditionError& e) {
    raise_python(PyExc_ValueError, std::string(e.what()) + "\n" + cli::underlined(text, e.span()));
  }
}

Tensor tensor_from(const py::handle& o) {
  Origins origins;
  std::optional<Tensor> x = array_to_tensor(o.ptr(), origins, Copying::if_needed);
  if (!x) raise_python(PyExc_TypeError, "expected an array, but got " + described(o.ptr()));
  return *x;
}

Scalar scalar_from(const py::handle& o) {
  const std::optional<Scalar> number = number_to_scalar(o.ptr());
  if (!number) raise_python(PyExc_TypeError, "expected a number, but got " + described(o.ptr()));
  return *number;
}

class Condition {
 public:
  /// inputs are (name, dtype, shape); `whole` has the arrays that the text takes as a whole, by
  /// name. The result is going to be broadcast with base.
  Condition(std::string text, const py::list& inputs, std::vector<int64_t> base,
            const std::map<std::string, py::object>& whole)
      : text_(std::move(text)) {
    for (const py::handle& input : inputs) {
      const auto [name, type, shape] =
          input.cast<std::tuple<std::string, py::object, std::vector<int64_t>>>();
      cli::Array array{name, DType::float32, Shape(shape), {}};
      if (!dtype_from(type.ptr(), array.dtype)) {
        raise_python(PyExc_TypeError, "expected a dtype, but got " + described(type.ptr()));
      }
      const auto found = whole.find(name);
      if (found != whole.end()) {
        const Tensor all = tensor_from(found->second).contiguous().flatten();
        array.window = [all](int64_t first, int64_t count) { return all.narrow(0, first, count); };
      }
      arrays_.push_back(std::move(array));
    }
    with_text(text_, [&] { plan_ = cli::make_plan(cli::parse(text_), arrays_, Shape(base)); });
  }

  py::str dtype(int pass) const { return std::string(name(steps(pass).dtype)); }
  std::vector<int64_t> shape(int pass) const {
    const Shape& shape = steps(pass).shape;
    return {shape.begin(), shape.end()};
  }
  size_t pass_count() const { return plan_.passes.size(); }
  /// Whether it is one number, once resolved.
  bool is_number() const {
    return std::all_of(plan_.result.list.begin(), plan_.result.list.end(), [](const auto& step) {
      return step.kind == cli::Step::Kind::constant || step.kind == cli::Step::Kind::whole ||
             step.kind == cli::Step::Kind::call;
    });
  }

  /// The numbers of the arrays whose elements are needed.
  std::vector<size_t> uses(int pass) const {
    std::set<size_t> used;
    for (const cli::Step& step : steps(pass).list) {
      if (step.kind == cli::Step::Kind::array) used.insert(step.which);
    }
    return {used.begin(), used.end()};
  }

  /// (p, lower) of the quantiles that a pass is asked for.
  std::vector<std::pair<double, bool>> quantiles(size_t pass) const {
    std::vector<std::pair<double, bool>> wanted;
    for (const cli::Quantile& q : plan_.passes.at(pass).quantiles)
      wanted.emplace_back(q.p, q.lower);
    return wanted;
  }

  /// Says what a pass has found: count, sum, mean, var, std, min, max, quantiles.
  void resolve(size_t pass, const py::dict& found) {
    cli::Summary summary;
    summary.count = found["count"].cast<int64_t>();
    summary.sum = scalar_from(found["sum"]);
    summary.mean = found["mean"].cast<double>();
    summary.var = found["var"].cast<double>();
    summary.std = found["std"].cast<double>();
    summary.min = scalar_from(found["min"]);
    summary.max = scalar_from(found["max"]);
    for (const py::handle& q : found["quantiles"]) summary.quantiles.push_back(scalar_from(q));
    for (cli::WholeValue& value : plan_.values) {
      if (value.pass == pass) value.value = value_of(value, summary);
    }
  }

  /// The result of a pass (-1: of all) in a box; tensors are what lies there of each array, or
  /// None for those that are not read.
  py::object evaluate(int pass, std::vector<int64_t> start, std::vector<int64_t> size,
                      const py::list& tensors) const {
    std::vector<cli::Array> inputs = arrays_;
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (tensors[i].is_none()) continue;
      const Tensor x = tensor_from(tensors[i]);
      inputs[i].window = [x](int64_t, int64_t count) {
        check(x.numel() == count, ErrorKind::value, "a box has {} elements, but {} were given",
              count, x.numel());
        return x.contiguous().flatten();
      };
    }
    const Tensor result = with_text(text_, [&] {
      const py::gil_scoped_release release;
      cli::BoxOfArrays box(inputs, {Shape(start), Shape(size)});
      return cli::evaluate(plan_, steps(pass), box).broadcast_to(Shape(size));
    });
    return steal(wrap(result));
  }

 private:
  const cli::Steps& steps(int pass) const {
    return pass < 0 ? plan_.result : plan_.passes.at(static_cast<size_t>(pass)).steps;
  }

  std::string text_;
  std::vector<cli::Array> arrays_;
  cli::Plan plan_;
};

}  // namespace

void add_condition(py::module_& m) {
  py::class_<Condition>(m, "_Condition")
      .def(py::init<std::string, py::list, std::vector<int64_t>,
                    std::map<std::string, py::object>>(),
           py::arg("text"), py::arg("inputs"), py::arg("base"), py::arg("whole"))
      .def_static("takes_whole",
                  [](const std::string& text, const std::string& name) {
                    return with_text(text, [&] { return cli::takes_whole(text, name); });
                  })
      .def_property_readonly("pass_count", &Condition::pass_count)
      .def("dtype", &Condition::dtype)
      .def("shape", &Condition::shape)
      .def("is_number", &Condition::is_number)
      .def("uses", &Condition::uses)
      .def("quantiles", &Condition::quantiles)
      .def("resolve", &Condition::resolve)
      .def("evaluate", &Condition::evaluate);
}

}  // namespace tamis::python
