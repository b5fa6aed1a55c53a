# Made by python/make_stubs.py from the op rows; do not edit.
import builtins
from typing import Any, NamedTuple, Optional, Sequence, Tuple, Union, overload

from tamis._tamis import ArrayLike, DTypeLike, Number, Shape, Tensor

