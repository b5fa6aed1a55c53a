// Random numbers: Generator, and the stream of the process.
#include "convert.h"
#include "tamis/create.h"
#include "tamis/generator.h"

namespace tamis::python {

namespace {

/// Any integer of 64 bits, with or without a sign, as PyTorch takes seeds.
uint64_t seed_of(const py::int_& seed) {
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(seed.ptr(), &overflow);
  if (overflow == 0) return static_cast<uint64_t>(value);
  const unsigned long long large = PyLong_AsUnsignedLongLong(seed.ptr());
  if (PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    raise_python(PyExc_RuntimeError, "manual_seed(): expected a seed from -2**63 to 2**64 - 1");
  }
  return large;
}

py::object state_of(const Generator& generator) { return steal(wrap(generator.get_state())); }

void set_state(const Generator& generator, const py::object& state) {
  Origins origins;
  const auto bytes = array_to_tensor(state.ptr(), origins, Copying::if_needed);
  if (!bytes) {
    raise_python(PyExc_TypeError, std::string("set_state(): expected a Tensor, not ") +
                                      Py_TYPE(state.ptr())->tp_name);
  }
  generator.set_state(*bytes);
}

void add_generator(py::module_& m) {
  py::class_<Generator>(m, "Generator",
                        "A stream of random numbers of its own, for generator= of rand, randn, "
                        "randint, randperm, bernoulli and multinomial.")
      .def(py::init([](const py::object& device) {
             // Every device draws the same numbers, so one kind of generator serves all of them.
             (void)zeros({0}, to_device(device));
             return Generator();
           }),
           py::arg("device") = "cpu")
      .def(
          "manual_seed",
          [](const py::object& self, const py::int_& seed) {
            self.cast<const Generator&>().manual_seed(seed_of(seed));
            return self;
          },
          py::arg("seed"), "Restarts the stream; returns the generator.")
      .def("seed", &Generator::seed,
           "Restarts the stream with an unpredictable seed, and returns that.")
      .def("initial_seed", &Generator::initial_seed,
           "The seed with which the stream was last started.")
      .def("get_state", state_of, "The state of the stream, as a tensor of bytes.")
      .def("set_state", set_state, py::arg("new_state"), "Continues from such a state.")
      .def_property_readonly(
          "device", [](const Generator&) { return Device(); }, "Always device('cpu').");
}

}  // namespace

void add_random(py::module_& m) {
  add_generator(m);
  m.attr("default_generator") = default_generator();
  const py::object stream = m.attr("default_generator");
  m.def(
      "manual_seed", [stream](const py::int_& seed) { return stream.attr("manual_seed")(seed); },
      py::arg("seed"), "Restarts the stream that all random functions draw from; returns it.");
  m.def(
      "seed", [] { return default_generator().seed(); },
      "Restarts that stream with an unpredictable seed, and returns it.");
  m.def(
      "initial_seed", [] { return default_generator().initial_seed(); },
      "The seed with which that stream was last started.");
  m.def(
      "get_rng_state", [] { return state_of(default_generator()); },
      "The state of that stream, as a tensor of bytes.");
  m.def(
      "set_rng_state", [](const py::object& state) { set_state(default_generator(), state); },
      py::arg("new_state"), "Continues from such a state.");
}

}  // namespace tamis::python
