// Operators of Tensor: arithmetic, bits and comparisons with their reflected and in-place forms,
// and the conversions to Python's own numbers.
#include "convert.h"
#include "core/convert.h"
#include "gil.h"
#include "slots.h"
#include "tamis/linalg.h"
#include "tamis/pointwise.h"

namespace tamis::python {

namespace {

using Binary = Tensor(const Tensor&, const Tensor&);

/// An operand: a tensor, which the caller keeps alive, or what an array or a number becomes. No
/// tensor means that the other side may know what to do.
class Operand {
 public:
  Operand(PyObject* o, Origins& origins) {
    if (is_tensor(o)) {
      tensor_ = &tensor_of(o);
    } else if (const auto number = number_to_scalar(o)) {
      own_ = Tensor(*number);
    } else {
      own_ = array_to_tensor(o, origins, Copying::if_needed);
    }
    if (own_) tensor_ = &*own_;
  }
  Operand(const Operand&) = delete;
  Operand& operator=(const Operand&) = delete;

  explicit operator bool() const { return tensor_ != nullptr; }
  const Tensor& operator*() const { return *tensor_; }
  /// A handle of its own, which work without the GIL needs (cycles.h).
  void hold() {
    if (!own_) tensor_ = &own_.emplace(*tensor_);
  }

 private:
  std::optional<Tensor> own_;
  const Tensor* tensor_ = nullptr;
};

template <Binary* kOp>
PyObject* binary(PyObject* a, PyObject* b) {
  return guard([&]() -> PyObject* {
    Origins origins;
    Operand x(a, origins);
    if (!x) Py_RETURN_NOTIMPLEMENTED;
    Operand y(b, origins);
    if (!y) Py_RETURN_NOTIMPLEMENTED;
    const bool quick = is_quick(*x, *y);
    if (!quick) x.hold(), y.hold();
    return wrap(without_gil_unless(quick, [&] {
      Tensor result = kOp(*x, *y);
      if (origins.foreign()) result.settle();
      return result;
    }));
  });
}

/// Refuses an int that integers of b's dtype cannot hold. 300 ** b makes a tensor of the 300 first,
/// as in PyTorch, where pow(300, b) wraps around.
void check_base(PyObject* a, const Tensor& b) {
  const DType dtype = result_type(Tensor(*number_to_scalar(a)), b);
  if (is_integral(dtype)) (void)values_to_tensor(a, dtype);
}

PyObject* power(PyObject* a, PyObject* b, PyObject* modulus) {
  if (modulus != Py_None) Py_RETURN_NOTIMPLEMENTED;
  return guard([&] {
    if (PyLong_Check(a) && is_tensor(b)) check_base(a, tensor_of(b));
    return binary<pow>(a, b);
  });
}

template <Tensor& (Tensor::*kOp)(const Tensor&)>
PyObject* in_place(PyObject* self, PyObject* other) {
  return guard([&]() -> PyObject* {
    Origins origins;
    Operand y(other, origins);
    if (!y) Py_RETURN_NOTIMPLEMENTED;
    y.hold();
    Tensor x = tensor_of(self);
    without_gil([&] { (x.*kOp)(*y); });
    Py_INCREF(self);
    return self;
  });
}

PyObject* in_place_power(PyObject* self, PyObject* other, PyObject*) {
  return in_place<&Tensor::pow_>(self, other);
}

template <Tensor (*kOp)(const Tensor&)>
PyObject* unary(PyObject* self) {
  return guard([&] {
    const Tensor x = tensor_of(self);
    return wrap(without_gil([&] { return kOp(x); }));
  });
}

PyObject* positive(PyObject* self) {
  if (tensor_of(self).dtype() == DType::boolean) {
    PyErr_SetString(PyExc_RuntimeError, "The `+` operator, on a bool tensor is not supported.");
    return nullptr;
  }
  Py_INCREF(self);
  return self;
}

PyObject* invert(PyObject* self) {
  const DType dtype = tensor_of(self).dtype();
  if (is_floating_point(dtype) || is_complex(dtype)) {
    PyErr_SetString(PyExc_TypeError,
                    "~ (operator.invert) is only implemented on integer and Boolean-type tensors");
    return nullptr;
  }
  return unary<bitwise_not>(self);
}

PyObject* compare(PyObject* a, PyObject* b, int op) {
  switch (op) {
    case Py_LT:
      return binary<lt>(a, b);
    case Py_LE:
      return binary<le>(a, b);
    case Py_EQ:
      return binary<eq>(a, b);
    case Py_NE:
      return binary<ne>(a, b);
    case Py_GT:
      return binary<gt>(a, b);
    case Py_GE:
      return binary<ge>(a, b);
    default:
      Py_RETURN_NOTIMPLEMENTED;
  }
}

// ---- Python's numbers ---------------------------------------------------------------------------

Scalar item_of(PyObject* self) {
  const Tensor x = tensor_of(self);
  return without_gil([&] { return x.item(); });
}

PyObject* to_int(const Scalar& value) {
  return value.is_beyond_int64() ? PyLong_FromUnsignedLongLong(value.to<uint64_t>())
                                 : PyLong_FromLongLong(value.to_int64());
}

int truth(PyObject* self) {
  return guard_int([&] {
    const int64_t n = tensor_of(self).numel();
    if (n == 0)
      raise_python(PyExc_RuntimeError, "Boolean value of Tensor with no values is ambiguous");
    if (n > 1) {
      raise_python(PyExc_RuntimeError,
                   "Boolean value of Tensor with more than one value is ambiguous; combine masks "
                   "with & | ~ and parentheses, (x > a) & (x < b), or ask for mask.any() or "
                   "mask.all()");
    }
    return static_cast<int>(item_of(self).to_bool());
  });
}

PyObject* as_float(PyObject* self) {
  return guard([&] {
    const Scalar value = item_of(self);
    check_fits(value, DType::float64);
    return PyFloat_FromDouble(value.to_double());
  });
}

PyObject* as_int(PyObject* self) {
  return guard([&] {
    const Scalar value = item_of(self);
    if (value.is_complex()) check_fits(value, DType::int64);
    return value.is_floating_point() ? PyLong_FromDouble(value.to_double()) : to_int(value);
  });
}

PyObject* as_index(PyObject* self) {
  return guard([&] {
    const Tensor& x = tensor_of(self);
    if (x.numel() != 1 || is_floating_point(x.dtype()) || is_complex(x.dtype())) {
      raise_python(PyExc_TypeError,
                   "only integer tensors of a single element can be converted to an index");
    }
    return to_int(item_of(self));
  });
}

}  // namespace

void add_operator_slots(std::vector<PyType_Slot>& slots) {
  const auto add_slot = [&](int slot, auto* function) {
    slots.push_back({slot, reinterpret_cast<void*>(function)});
  };
  add_slot(Py_nb_add, binary<add>);
  add_slot(Py_nb_subtract, binary<sub>);
  add_slot(Py_nb_multiply, binary<mul>);
  add_slot(Py_nb_true_divide, binary<div>);
  add_slot(Py_nb_floor_divide, binary<floor_divide>);
  add_slot(Py_nb_remainder, binary<remainder>);
  add_slot(Py_nb_matrix_multiply, binary<matmul>);
  add_slot(Py_nb_power, power);
  add_slot(Py_nb_and, binary<bitwise_and>);
  add_slot(Py_nb_or, binary<bitwise_or>);
  add_slot(Py_nb_xor, binary<bitwise_xor>);
  add_slot(Py_nb_lshift, binary<bitwise_left_shift>);
  add_slot(Py_nb_rshift, binary<bitwise_right_shift>);
  // A new tensor, which may have another shape: of x @= y, Python makes x = x @ y by itself as
  // well, but the array API standard wants it to be a method.
  add_slot(Py_nb_inplace_matrix_multiply, binary<matmul>);
  add_slot(Py_nb_inplace_add, in_place<&Tensor::add_>);
  add_slot(Py_nb_inplace_subtract, in_place<&Tensor::sub_>);
  add_slot(Py_nb_inplace_multiply, in_place<&Tensor::mul_>);
  add_slot(Py_nb_inplace_true_divide, in_place<&Tensor::div_>);
  add_slot(Py_nb_inplace_floor_divide, in_place<&Tensor::floor_divide_>);
  add_slot(Py_nb_inplace_remainder, in_place<&Tensor::remainder_>);
  add_slot(Py_nb_inplace_power, in_place_power);
  add_slot(Py_nb_inplace_and, in_place<&Tensor::bitwise_and_>);
  add_slot(Py_nb_inplace_or, in_place<&Tensor::bitwise_or_>);
  add_slot(Py_nb_inplace_xor, in_place<&Tensor::bitwise_xor_>);
  add_slot(Py_nb_inplace_lshift, in_place<&Tensor::bitwise_left_shift_>);
  add_slot(Py_nb_inplace_rshift, in_place<&Tensor::bitwise_right_shift_>);
  add_slot(Py_nb_negative, unary<neg>);
  add_slot(Py_nb_positive, positive);
  add_slot(Py_nb_absolute, unary<abs>);
  add_slot(Py_nb_invert, invert);
  add_slot(Py_nb_bool, truth);
  add_slot(Py_nb_float, as_float);
  add_slot(Py_nb_int, as_int);
  add_slot(Py_nb_index, as_index);
  add_slot(Py_tp_richcompare, compare);
}

}  // namespace tamis::python
