"""What the functions of the namespace share: devices, axes and shapes as arguments."""

import builtins
from typing import Any, List, Sequence, Tuple, Union

from tamis import _tamis
from tamis._tamis import Tensor

Axis = Union[None, int, Tuple[int, ...]]


def device_of(device: Any) -> Any:
    """The argument device= of a creation function, where None is the CPU."""
    if device is None or isinstance(device, _tamis.device):
        return device
    try:
        return _tamis.device(device)
    except (RuntimeError, TypeError) as error:
        raise ValueError(f"no such device: {device!r}; there is 'cpu'") from error


def sizes(shape: Union[int, Sequence[int]]) -> Tuple[int, ...]:
    """A shape or a list of axes, for which a single number may stand."""
    return (shape,) if isinstance(shape, int) else tuple(shape)


def axes_of(axis: Union[int, Sequence[int]], ndim: int, op: str) -> List[int]:
    """Axes counted from the front; refuses those out of range and those that occur twice."""
    found = []
    for a in sizes(axis):
        if not -ndim <= a < ndim:
            raise IndexError(f"{op}: axis {a} is out of range for an array of {ndim} dimensions")
        found.append(a % ndim)
    if len(set(found)) != len(found):
        raise ValueError(f"{op}: an axis occurs twice in {axis}")
    return found


def only_axis(x: Tensor, axis: Union[int, None], op: str) -> int:
    """The axis, which may be left out for one dimension only."""
    if axis is not None:
        return axes_of(axis, x.ndim, op)[0]
    if x.ndim != 1:
        raise ValueError(f"{op}: axis may be left out for one dimension only, and this array has {x.ndim}")
    return 0


def reducible(x: Tensor, axis: Axis, keepdims: builtins.bool) -> Tuple[Tensor, Any, builtins.bool]:
    """What PyTorch's reductions take. There, no dimensions are all of them; so a new one is reduced, and not kept."""
    if isinstance(axis, builtins.tuple) and not axis:
        return x.unsqueeze(0), 0, False
    return x, axis, keepdims
