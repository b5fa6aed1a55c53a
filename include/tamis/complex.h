// Complex numbers: their parts, as views and as values.
#pragma once

#include "tamis/tensor.h"

namespace tamis {

/// real + imag * i. Both have the same dtype, float32 or float64, and broadcast.
Tensor complex(const Tensor& real, const Tensor& imag);
/// abs * (cos(angle) + sin(angle) * i). Both have the same dtype, float32 or float64, and
/// broadcast.
Tensor polar(const Tensor& abs, const Tensor& angle);
/// The real parts: a view, so that writing to it writes to x. A real x as it is.
Tensor real(const Tensor& x);
/// The imaginary parts, a view. Refuses a real x.
Tensor imag(const Tensor& x);
/// The same numbers with the sign of the imaginary part changed; deferred. A real x as it is.
Tensor conj(const Tensor& x);
/// The angle to the positive real axis, in (-pi, pi]; of a real number 0, pi or NaN. Deferred.
Tensor angle(const Tensor& x);
/// A complex x of shape [...] as a real view of shape [..., 2], and the other way round.
Tensor view_as_real(const Tensor& x);
Tensor view_as_complex(const Tensor& x);
/// Whether the dtype is a complex one.
bool is_complex(const Tensor& x);

inline Tensor Tensor::real() const { return tamis::real(*this); }
inline Tensor Tensor::imag() const { return tamis::imag(*this); }
inline Tensor Tensor::conj() const { return tamis::conj(*this); }
inline Tensor Tensor::angle() const { return tamis::angle(*this); }

}  // namespace tamis
