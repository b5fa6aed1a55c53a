"""Tensors and masking with PyTorch's semantics: names, arguments, dtypes, errors and printing are PyTorch's.

Functions take tamis tensors, NumPy arrays and torch tensors, and share their memory. If all arrays of a call
are NumPy arrays (torch tensors), so is the result.
"""

import builtins as _builtins
import importlib as _importlib
import sys as _sys
import types as _types
from typing import Any as _Any

from tamis import _tamis

try:
    import numpy as _numpy  # noqa: F401
except ImportError:
    pass
else:
    _tamis._use_numpy()
    from tamis import _numpy_functions  # noqa: F401

# The modules inside the extension, such as masks, under the names that people import.
for _name, _value in list(vars(_tamis).items()):
    if isinstance(_value, _types.ModuleType):
        _sys.modules[f"tamis.{_name}"] = _value

from math import e, inf, nan, pi

from tamis import autograd, masked, masks, nn, optim, partial, webgpu
from tamis import _masked_tensor as _masked_tensor

if "_numpy" in vars():
    from tamis import _numpy_masked  # noqa: F401
from tamis._arrow import to_arrow
from tamis._async import masked_select_async, nonzero_async, run_async
from tamis._limits import finfo, iinfo
from tamis._tamis import *  # noqa: F401,F403
from tamis._tensor_methods import *  # noqa: F401,F403
from tamis._tensor_types import *  # noqa: F401,F403
from tamis.autograd import enable_grad, inference_mode, no_grad, set_grad_enabled

__version__ = "0.1.0"


newaxis = None


def numel(input: "_tamis.Tensor") -> _builtins.int:
    """The number of elements."""
    return input.numel()


def is_floating_point(input: "_tamis.Tensor") -> _builtins.bool:
    """Whether the elements are real numbers with fractions."""
    return input.is_floating_point()


def _rebuild(
    data: _Any, dtype: "_tamis.dtype", shape: _Any, requires_grad: _builtins.bool = False, device: _Any = None
) -> "_tamis.Tensor":
    """What pickle calls. A function of Python, since pickle finds those by name."""
    return _tamis._rebuild(data, dtype, shape, requires_grad, device)


def __getattr__(name: str) -> _Any:
    # Not before they are asked for: importing torch takes seconds, and few need the other.
    if name in ("array_api", "dask", "torch"):
        return _importlib.import_module(f"tamis.{name}")
    raise AttributeError(f"module 'tamis' has no attribute {name!r}")
