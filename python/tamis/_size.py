"""x.size: the number of elements, as the array API standard has it, and PyTorch's method of that name at once."""

import operator
from typing import Any, Tuple, Union


class Size(int):
    """The number of elements of a tensor. Called, as in PyTorch, its shape or one size of it."""

    _shape: Tuple[int, ...]

    def __call__(self, dim: Any = None) -> Union[int, Tuple[int, ...]]:
        if dim is None:
            return self._shape
        try:
            return self._shape[operator.index(dim)]
        except IndexError:
            last = max(len(self._shape), 1) - 1
            raise IndexError(
                f"Dimension out of range (expected to be in range of [{-last - 1}, {last}], but got {dim})"
            ) from None
