"""device: where tensors are. There is one, the CPU."""

from typing import Any, Optional

__all__ = ["device"]


class device(str):
    """tamis.device("cpu"), as torch.device. It is the text "cpu" as well, so both can be compared and passed on."""

    def __new__(cls, type: Any = "cpu", index: Optional[int] = None) -> "device":
        text = str(type) if index is None else f"{type}:{index}"
        if text not in ("cpu", "cpu:0"):
            raise RuntimeError(f"the only device is 'cpu', not {text!r}")
        return super().__new__(cls, text)

    @property
    def type(self) -> str:
        return "cpu"

    @property
    def index(self) -> Optional[int]:  # type: ignore[override]
        return 0 if ":" in self else None

    def __repr__(self) -> str:
        return "device(type='cpu')" if self.index is None else f"device(type='cpu', index={self.index})"

    def __reduce__(self) -> Any:
        return device, (str(self),)
