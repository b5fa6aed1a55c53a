"""Writes the type stubs of the extension module from its functions: python/tamis/_tamis.pyi, and one file for
each module inside it (masks.pyi).

    PYTHONPATH=build/python python3 python/make_stubs.py            writes them
    PYTHONPATH=build/python python3 python/make_stubs.py --check    fails if they are out of date
"""

import argparse
import pathlib
import re
import sys
import types

FOLDER = pathlib.Path(__file__).resolve().parent / "tamis"

HEADER = '''# Made by python/make_stubs.py from the op rows; do not edit.
'''

PRELUDE = '''import builtins
import os
from typing import IO, Any, Dict, Iterator, Literal, NamedTuple, Optional, Protocol, Sequence, Tuple, Union, final, overload

from tamis._device import device as _device

class _SupportsDLPack(Protocol):
    def __dlpack__(self, *, stream: Any = ...) -> Any: ...

ArrayLike = Union["Tensor", _SupportsDLPack]
DTypeLike = Any  # tamis, torch and NumPy dtypes, their names, and the types bool, int, float and complex
Number = Union[builtins.bool, builtins.int, builtins.float, builtins.complex]
Shape = Union[builtins.int, Sequence[builtins.int]]
FileLike = Union[str, "os.PathLike[str]", IO[bytes]]

class dtype:
    def __new__(cls, dtype: DTypeLike) -> "_dtype": ...
    @property
    def itemsize(self) -> builtins.int: ...
    @property
    def is_floating_point(self) -> builtins.bool: ...
    @property
    def is_signed(self) -> builtins.bool: ...
    @property
    def is_complex(self) -> builtins.bool: ...
    @property
    def kind(self) -> str: ...
    @property
    def dtype(self) -> Any: ...
    def to_numpy(self) -> Any: ...
    def to_torch(self) -> Any: ...

_dtype = dtype

@final
class _Function:
    @property
    def __name__(self) -> str: ...
    @property
    def __row__(self) -> str: ...
    @property
    def __numbers__(self) -> Tuple[str, ...]: ...
    @property
    def __lists__(self) -> Tuple[str, ...]: ...
    @property
    def __varargs__(self) -> builtins.bool: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
'''

# Methods of Tensor that are no ops, and functions that are not made from rows.
TENSOR = '''@final
class Tensor:
    @property
    def shape(self) -> Tuple[builtins.int, ...]: ...
    @property
    def dtype(self) -> _dtype: ...
    @property
    def ndim(self) -> builtins.int: ...
    @property
    def itemsize(self) -> builtins.int: ...
    @property
    def nbytes(self) -> builtins.int: ...
    @property
    def device(self) -> "_device": ...
    @property
    def requires_grad(self) -> builtins.bool: ...
    @property
    def is_cuda(self) -> builtins.bool: ...
    @property
    def T(self) -> "Tensor": ...
    @property
    def mT(self) -> "Tensor": ...
    @property
    def real(self) -> "Tensor": ...
    @property
    def imag(self) -> "Tensor": ...
    @property
    def __array_interface__(self) -> Dict[str, Any]: ...
    @property
    def __array_priority__(self) -> builtins.int: ...
    @property
    def grad(self) -> Optional["Tensor"]: ...
    @grad.setter
    def grad(self, value: Optional["Tensor"]) -> None: ...
    @property
    def grad_fn(self) -> Optional[str]: ...
    @property
    def is_leaf(self) -> builtins.bool: ...
    def backward(
        self, gradient: Optional["Tensor"] = ..., retain_graph: Optional[builtins.bool] = ...,
        create_graph: builtins.bool = ...
    ) -> None: ...
    def requires_grad_(self, requires_grad: builtins.bool = ...) -> "Tensor": ...
    def retain_grad(self) -> None: ...
    def register_hook(self, hook: Any) -> Any: ...
    def _register_hook(self, hook: Any) -> builtins.int: ...
    def _remove_hook(self, key: builtins.int) -> None: ...
    def settle(self) -> "Tensor": ...
    def is_deferred(self) -> builtins.bool: ...
    def is_contiguous(self) -> builtins.bool: ...
    def is_floating_point(self) -> builtins.bool: ...
    def dim(self) -> builtins.int: ...
    def numel(self) -> builtins.int: ...
    def nelement(self) -> builtins.int: ...
    def element_size(self) -> builtins.int: ...
    def storage_offset(self) -> builtins.int: ...
    def data_ptr(self) -> builtins.int: ...
    @overload
    def size(self) -> Tuple[builtins.int, ...]: ...
    @overload
    def size(self, dim: builtins.int) -> builtins.int: ...
    @overload
    def stride(self) -> Tuple[builtins.int, ...]: ...
    @overload
    def stride(self, dim: builtins.int) -> builtins.int: ...
    def tolist(self) -> Any: ...
    def item(self) -> Any: ...
    def numpy(self, *, force: builtins.bool = ...) -> Any: ...
    def torch(self) -> Any: ...
    def to(
        self, *args: Any, dtype: DTypeLike = ..., device: Any = ..., other: Any = ..., copy: builtins.bool = ...,
        non_blocking: builtins.bool = ...
    ) -> "Tensor": ...
    def astype(self, dtype: DTypeLike, *, copy: builtins.bool = ...) -> "Tensor": ...
    def copy(self) -> "Tensor": ...
    def cpu(self) -> "Tensor": ...
    def to_device(self, device: str, /, *, stream: Any = ...) -> "Tensor": ...
    def __array__(self, dtype: Any = ..., copy: Optional[builtins.bool] = ...) -> Any: ...
    __array_ufunc__: Any
    __array_function__: Any
    def __arrow_c_array__(self, requested_schema: Any = ...) -> Tuple[Any, Any]: ...
    def __dlpack__(
        self, *, stream: Any = ..., max_version: Optional[Tuple[builtins.int, builtins.int]] = ...,
        dl_device: Any = ..., copy: Optional[builtins.bool] = ...
    ) -> Any: ...
    def __dlpack_device__(self) -> Tuple[builtins.int, builtins.int]: ...
    def __array_namespace__(self, *, api_version: Optional[str] = ...) -> Any: ...
    def __buffer__(self, flags: builtins.int, /) -> memoryview: ...
    def __release_buffer__(self, buffer: memoryview, /) -> None: ...
    def __copy__(self) -> "Tensor": ...
    def __deepcopy__(self, memo: Dict[builtins.int, Any]) -> "Tensor": ...
    def __getitem__(self, index: Any) -> "Tensor": ...
    def __setitem__(self, index: Any, value: Union[ArrayLike, Number]) -> None: ...
    def __len__(self) -> builtins.int: ...
    def __iter__(self) -> Iterator["Tensor"]: ...
    def __contains__(self, value: Any) -> builtins.bool: ...
    def __bool__(self) -> builtins.bool: ...
    def __int__(self) -> builtins.int: ...
    def __float__(self) -> builtins.float: ...
    def __complex__(self) -> builtins.complex: ...
    def __index__(self) -> builtins.int: ...
    def __hash__(self) -> builtins.int: ...
    def __call__(self, frame: Any, /) -> Any: ...  # for pandas and xarray only
    def __neg__(self) -> "Tensor": ...
    def __pos__(self) -> "Tensor": ...
    def __abs__(self) -> "Tensor": ...
    def __invert__(self) -> "Tensor": ...
    def __matmul__(self, other: ArrayLike) -> "Tensor": ...
    def __rmatmul__(self, other: ArrayLike) -> "Tensor": ...
    def __eq__(self, other: Any) -> "Tensor": ...  # type: ignore[override]
    def __ne__(self, other: Any) -> "Tensor": ...  # type: ignore[override]
'''
COMPARISONS = ("lt", "le", "gt", "ge")
OPERATORS = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor")

FUNCTIONS = '''class Generator:
    def __init__(self, device: Any = ...) -> None: ...
    def manual_seed(self, seed: builtins.int) -> "Generator": ...
    def seed(self) -> builtins.int: ...
    def initial_seed(self) -> builtins.int: ...
    def get_state(self) -> Tensor: ...
    def set_state(self, new_state: ArrayLike) -> None: ...
    @property
    def device(self) -> _device: ...

default_generator: Generator

def tensor(
    data: Any, *, dtype: DTypeLike = ..., device: Any = ..., requires_grad: builtins.bool = ...
) -> Tensor: ...
def asarray(
    obj: Any, *, dtype: DTypeLike = ..., device: Any = ..., copy: Optional[builtins.bool] = ...
) -> Tensor: ...
def as_tensor(data: Any, dtype: DTypeLike = ..., device: Any = ...) -> Tensor: ...
def from_numpy(ndarray: Any) -> Tensor: ...
def from_dlpack(x: Any, *, device: Any = ..., copy: Optional[builtins.bool] = ...) -> Tensor: ...
@overload
def from_arrow(array: Any, *, null: Optional[Number] = ..., return_mask: Literal[False] = ...) -> Tensor: ...
@overload
def from_arrow(array: Any, *, null: Optional[Number] = ..., return_mask: Literal[True]) -> Tuple[Tensor, Tensor]: ...
def is_tensor(obj: Any) -> builtins.bool: ...
@overload
def load(path: FileLike, name: Optional[str] = ..., *, mmap: builtins.bool = ...) -> Any: ...
@overload
def load(*, f: FileLike, name: Optional[str] = ..., mmap: builtins.bool = ...) -> Any: ...
@overload
def save(path: Any, data: Any) -> None: ...
@overload
def save(*, obj: Any, f: FileLike) -> None: ...
def manual_seed(seed: builtins.int) -> Generator: ...
def seed() -> builtins.int: ...
def initial_seed() -> builtins.int: ...
def get_rng_state() -> Tensor: ...
def set_rng_state(new_state: ArrayLike) -> None: ...
def set_printoptions(
    precision: Optional[builtins.int] = ..., threshold: Optional[builtins.float] = ...,
    edgeitems: Optional[builtins.int] = ..., linewidth: Optional[builtins.int] = ..., profile: Optional[str] = ...,
    sci_mode: Optional[builtins.bool] = ...
) -> None: ...
def get_printoptions() -> Dict[str, Any]: ...
def set_num_threads(n: builtins.int) -> None: ...
def get_num_threads() -> builtins.int: ...
def isa() -> str: ...
def eager_mode() -> builtins.bool: ...
def set_eager_mode(on: builtins.bool) -> None: ...
def memory_stats() -> Dict[str, builtins.int]: ...
def reset_peak_memory() -> None: ...
def empty_cache() -> None: ...
def _rebuild(data: Any, dtype: _dtype, shape: Sequence[builtins.int], requires_grad: builtins.bool) -> Tensor: ...
def _to_arrow(x: Any, mask: Any) -> Tuple[Any, Any]: ...
def _part_of(x: Tensor, array: Any) -> Optional[Tensor]: ...
def _use_numpy() -> None: ...
def _families() -> Any: ...
def is_grad_enabled() -> builtins.bool: ...
def _set_grad_enabled(on: builtins.bool) -> None: ...
def _attach(*args: Any) -> Tensor: ...
def _backward(*args: Any) -> None: ...
def _grad(*args: Any) -> Any: ...
def _gradcheck(*args: Any) -> builtins.bool: ...
def _gradgradcheck(*args: Any) -> builtins.bool: ...
_Optimizer: Any
_SGD: Any
_Adam: Any
'''

# Functions whose result depends on an option: arguments after the first tensor, and the result.
SPECIAL = {
    "nonzero": [
        ("*, as_tuple: Literal[False] = ..., out: Optional[ArrayLike] = ...", '"Tensor"'),
        ("*, as_tuple: Literal[True]", 'Tuple["Tensor", ...]'),
    ],
}
for _name in ("max", "min", "median", "nanmedian"):
    SPECIAL[_name] = [
        ("*, out: Optional[ArrayLike] = ...", '"Tensor"'),
        ("dim: builtins.int, keepdim: builtins.bool = ..., *, out: Optional[Sequence[ArrayLike]] = ...", f'"{_name}_result"'),
    ]
for _name in ("max", "min"):
    SPECIAL[_name].append(("other: ArrayLike, *, out: Optional[ArrayLike] = ...", '"Tensor"'))
SPECIAL_FUNCTIONS = {
    **SPECIAL,
    "where": [
        ("", 'Tuple["Tensor", ...]'),
        ("input: Union[Tensor, Number], other: Union[Tensor, Number], *, out: Optional[Tensor] = ...", '"Tensor"'),
        ("input: Any, other: Any, *, out: Any = ...", "Any"),
    ],
}

RESULTS = {
    "Tensor": '"Tensor"',
    "Tensor[]": 'Tuple["Tensor", ...]',
    "int": "builtins.int",
    "float": "builtins.float",
    "bool": "builtins.bool",
    "dtype": "_dtype",
}
TYPES = {
    "Scalar": "Number",
    "int": "builtins.int",
    "float": "builtins.float",
    "bool": "builtins.bool",
    "dtype": "DTypeLike",
    "int[]": "Shape",
    "str": "str",
    "float|str": "Union[builtins.float, str]",
    "Generator": "Generator",
    "Tensor[]": "Sequence[ArrayLike]",
}


class Parameter:
    def __init__(self, text):
        head, _, self.default = text.partition("=")
        self.type, self.name = head.split(" ")
        self.optional = self.type.endswith("?") or self.default in ("None", "[]")
        self.type = self.type.rstrip("?")
        self.keyword = False

    def stub(self, tensor):
        kind = tensor if self.type == "Tensor" else TYPES[self.type]
        if self.optional and kind not in ("Any", "DTypeLike"):
            kind = f"Optional[{kind}]"
        return f"{self.name}: {kind}" + (" = ..." if self.default else "")


class Signature:
    def __init__(self, function):
        match = re.fullmatch(r"(\w+)\((.*?)\) -> (.+)", function.__row__)
        self.name, inside, self.result = match.groups()
        self.fields = re.findall(r"Tensor (\w+)", self.result) if self.result.startswith("(") else []
        self.parameters = []
        keyword = False
        for text in inside.split(", ") if inside else []:
            if text == "*":
                keyword = True
                continue
            parameter = Parameter(text)
            parameter.keyword = keyword or (parameter.type == "dtype" and bool(parameter.default))
            self.parameters.append(parameter)
        self.numbers = set(function.__numbers__)
        self.lists = set(function.__lists__)
        self.varargs = function.__varargs__

    def has_tensors(self):
        return any(p.type in ("Tensor", "Tensor[]") for p in self.parameters)

    def tensor_type(self, parameter, base):
        if base == "Any":
            return base
        kinds = [base]
        if parameter.name in self.numbers:
            kinds.append("Number")
        if parameter.name in self.lists:
            kinds.append("Sequence[Any]")
        return f"Union[{', '.join(kinds)}]" if len(kinds) > 1 else base

    def arguments(self, base, skip_self=False, spread=False):
        parts, star = (["self"] if skip_self else []), False
        for p in self.parameters[1 if skip_self else 0 :]:
            if p.keyword and not star and not spread:
                parts.append("*")
                star = True
            if spread and not p.keyword:
                kind = "builtins.int" if p.type == "int[]" else "ArrayLike"
                parts.append(f"*{p.name}: {kind}")
            else:
                parts.append(p.stub(self.tensor_type(p, base)))
        return ", ".join(parts)


def define(name, arguments, result, indent=""):
    return f"{indent}def {name}({arguments}) -> {result}: ..."


def overloads(lines, indent=""):
    if len(lines) == 1:
        return lines
    return [line for definition in lines for line in (f"{indent}@overload", definition)]


def special(name, first, variants, indent=""):
    return [define(name, f"{first}, {rest}" if rest else first, result, indent) for rest, result in variants]


def result_type(signature):
    return f'"{signature.name}_result"' if signature.fields else RESULTS[signature.result]


def result_class(signature):
    lines = [f"class {signature.name}_result(NamedTuple):"]
    for name in signature.fields:
        # Tuples have methods of these names.
        ignored = "  # type: ignore[assignment]" if name in ("count", "index") else ""
        lines.append(f'    {name}: "Tensor"{ignored}')
    return lines + [""]


def result_classes(module):
    lines = []
    for name, value in sorted(vars(module).items()):
        if hasattr(value, "__row__") and value.__name__ == name and Signature(value).fields:
            lines += result_class(Signature(value))
    return lines


def function_stub(name, function, tensor="Tensor"):
    s = Signature(function)
    if s.name in SPECIAL_FUNCTIONS and function.__module__ == "tamis":
        return overloads(special(name, f"{s.parameters[0].name}: ArrayLike", SPECIAL_FUNCTIONS[s.name]))
    result = result_type(s)
    if s.varargs:
        return overloads(
            [define(name, s.arguments("ArrayLike"), result), define(name, s.arguments("ArrayLike", spread=True), result)]
        )
    if not s.has_tensors():
        return [define(name, s.arguments("ArrayLike"), result)]
    if (s.result not in ("Tensor", "Tensor[]") and not s.fields) or s.parameters[0].type == "Tensor[]":
        return [define(name, s.arguments("ArrayLike"), result)]
    return overloads([define(name, s.arguments(tensor), result), define(name, s.arguments("Any"), "Any")])


def method_stub(name, function):
    s = Signature(function)
    if s.name in SPECIAL:
        return overloads(special(name, "self", SPECIAL[s.name], "    "), "    ")
    result = result_type(s)
    lines = [define(name, s.arguments("ArrayLike", skip_self=True), result, "    ")]
    if s.varargs:
        lines.append(define(name, s.arguments("ArrayLike", skip_self=True, spread=True), result, "    "))
    return overloads(lines, "    ")


def tensor_stub(module):
    lines = [TENSOR.rstrip("\n")]
    for name in COMPARISONS:
        lines.append(define(f"__{name}__", "self, other: Any", '"Tensor"', "    "))
    for name in OPERATORS:
        for prefix in ("", "r", "i"):
            lines.append(define(f"__{prefix}{name}__", "self, other: Any", '"Tensor"', "    "))
    for name, value in sorted(vars(module.Tensor).items()):
        if isinstance(value, module._Function):
            lines += method_stub(name, value)
    return lines


def module_stub(module):
    lines = [HEADER + PRELUDE]
    lines += [f"{name}: _dtype" for name, value in sorted(vars(module).items()) if isinstance(value, module.dtype)]
    lines += [""] + result_classes(module)
    lines += tensor_stub(module) + ["", FUNCTIONS.rstrip("\n")]
    for name, value in sorted(vars(module).items()):
        if isinstance(value, module._Function):
            lines += function_stub(name, value)
    return "\n".join(lines) + "\n"


def submodule_stub(module, submodule):
    lines = [
        HEADER + "import builtins",
        "from typing import Any, NamedTuple, Optional, Sequence, Tuple, Union, overload",
        "",
        "from tamis._tamis import ArrayLike, DTypeLike, Number, Shape, Tensor",
        "",
    ]
    lines += result_classes(submodule)
    for name, value in sorted(vars(submodule).items()):
        if isinstance(value, module._Function):
            lines += function_stub(name, value)
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="only compare")
    check = parser.parse_args().check
    # The package beside this script has no extension module; the built one has.
    sys.path = [p for p in sys.path if pathlib.Path(p).resolve() != FOLDER.parent]
    from tamis import _tamis

    stubs = {"_tamis.pyi": module_stub(_tamis)}
    for name, value in vars(_tamis).items():
        if isinstance(value, types.ModuleType):
            stubs[f"{name}.pyi"] = submodule_stub(_tamis, value)
    stale = [n for n, text in stubs.items() if not (FOLDER / n).exists() or (FOLDER / n).read_text() != text]
    if check:
        if stale:
            sys.exit(f"out of date: {', '.join(stale)}; run python/make_stubs.py")
        return
    for name, text in stubs.items():
        (FOLDER / name).write_text(text)


if __name__ == "__main__":
    main()
