"""dtypes: what names one, what equals one, and as keys of dicts."""

import pickle

import numpy as np
import pytest
import tamis

NAMES = ["bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "float16", "float32", "float64", "complex64", "complex128"]


@pytest.mark.parametrize("name", NAMES)
def test_whatever_names_a_dtype_equals_it(name):
    ours = getattr(tamis, name)
    for other in (name, f"torch.{name}", f"tamis.{name}", np.dtype(name), np.dtype(name).type, np.dtype(name).str):
        assert ours == other and not ours != other
        assert tamis.dtype(other) is ours
    assert np.dtype(name) == ours


@pytest.mark.parametrize("name", [n for n in NAMES if n not in ("uint16", "uint32", "uint64")] + ["bfloat16"])
def test_torch_dtypes_are_equal(name):
    torch = pytest.importorskip("torch")
    assert getattr(tamis, name) == getattr(torch, name) and getattr(torch, name) == getattr(tamis, name)
    assert tamis.ones(2, dtype=getattr(torch, name)).dtype == getattr(torch, name)
    assert tamis.float32 != torch.float64 and torch.float64 != tamis.float32


def test_other_dtypes_and_other_things_are_unequal():
    assert tamis.float32 != tamis.float64 and tamis.float32 != "float64" and tamis.float32 != np.float64
    for other in (None, 3, "float33", "", "cpu", "float32\0", "\ud800", "f4,f4", np.dtype("U3"), object, [], tamis.ones(2).shape):
        assert not tamis.float32 == other and tamis.float32 != other
    assert tamis.bfloat16 == "bfloat16" and tamis.bfloat16 != np.float16


def test_python_types_and_names_of_numpy_mean_what_they_mean_there():
    assert tamis.float64 == float == np.dtype(float) and tamis.int64 == int and tamis.bool == bool
    assert tamis.ones(2, dtype="float").dtype == np.dtype("float") == tamis.float64
    assert tamis.ones(2, dtype="f4").dtype == tamis.float32 and tamis.ones(2, dtype="?").dtype == tamis.bool


@pytest.mark.parametrize("dtype", ["float64", np.float64, np.dtype("f8"), "f8", float, tamis.float64])
def test_every_dtype_argument_takes_them(dtype):
    x = tamis.ones(3)
    for y in (tamis.ones(2, dtype=dtype), tamis.tensor([1], dtype=dtype), tamis.asarray([1], dtype=dtype),
              tamis.as_tensor([1], dtype), x.to(dtype), x.to(dtype=dtype), x.to("cpu", dtype), x.sum(dtype=dtype),
              tamis.zeros_like(x, dtype=dtype), x.new_ones(2, dtype=dtype), x.astype(dtype)):
        assert y.dtype is tamis.float64
    assert tamis.finfo(dtype).bits == 64


def test_errors_name_the_text():
    for call in (lambda: tamis.ones(2, dtype="float33"), lambda: tamis.tensor([1], dtype="float33"),
                 lambda: tamis.ones(2).astype("float33")):
        with pytest.raises(TypeError, match="not 'float33'"):
            call()
    with pytest.raises(TypeError, match="not list"):
        tamis.ones(2, dtype=[])
    with pytest.raises(RuntimeError, match="Invalid device string: 'float33'"):
        tamis.ones(2).to("float33")


def test_dtypes_are_keys_by_themselves():
    """As NumPy's are: np.dtype("f8") == "f8", and their hashes differ."""
    sizes = {tamis.float32: 4, tamis.float64: 8}
    assert sizes[tamis.ones(2).dtype] == 4 and sizes[pickle.loads(pickle.dumps(tamis.float64))] == 8
    assert hash(tamis.float32) == hash(tamis.dtype("float32"))
    assert hash(np.dtype("f8")) != hash("f8") and np.dtype("f8") == "f8"
    assert len({tamis.float32, tamis.float, tamis.float64}) == 2
