"""device: where tensors are."""

from typing import Any, Optional

from ._tamis import _check_device

__all__ = ["device"]


class device(str):
    """tamis.device("cpu"), as torch.device. It is the text "cpu" as well, so both can be compared and passed on."""

    def __new__(cls, type: Any = "cpu", index: Optional[int] = None) -> "device":
        text = str(type) if index is None else f"{type}:{index}"
        _check_device(text)
        return super().__new__(cls, text)

    @property
    def type(self) -> str:
        return str(self).partition(":")[0]

    @property
    def index(self) -> Optional[int]:  # type: ignore[override]
        number = str(self).partition(":")[2]
        return int(number) if number else None

    def __repr__(self) -> str:
        return f"device(type={self.type!r})" if self.index is None else f"device(type={self.type!r}, index={self.index})"

    def __reduce__(self) -> Any:
        return device, (str(self),)
