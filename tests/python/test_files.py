"""tamis.load and tamis.save: NumPy reads what Tamis writes and the other way round; hostile files are refused."""

import io
import json
import math
import os
import pickle
import struct
import threading
import zipfile

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra import numpy as hnp

import tamis

DTYPES = ["bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "float16", "float32", "float64", "complex64", "complex128"]
SHAPES = [(), (0,), (1,), (7,), (2, 3), (0, 4), (3, 1, 5), (2, 3, 4, 5)]


def example(dtype, shape):
    n = int(np.prod(shape))
    return (np.arange(n) % 5 - (0 if dtype in ("bool", "uint8") else 2)).astype(dtype).reshape(shape)


def same(tensor, array):
    result = tensor.numpy()
    assert result.dtype == array.dtype.newbyteorder("=") and result.shape == array.shape
    np.testing.assert_array_equal(result, array)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_reads_what_numpy_writes(tmp_path, dtype, shape):
    array = example(dtype, shape)
    for order in "CF":
        for endian in "<>":
            laid_out = np.asarray(array, order=order).astype(array.dtype.newbyteorder(endian), order=order)
            path = tmp_path / "x.npy"
            np.save(path, laid_out)
            same(tamis.load(path), array)
            same(tamis.load(path, mmap=True), array)
            for save in (np.savez, np.savez_compressed):
                save(tmp_path / "x.npz", laid_out, second=laid_out)
                loaded = tamis.load(tmp_path / "x.npz")
                assert list(loaded) == ["second", "arr_0"]
                same(loaded["arr_0"], array)
                same(tamis.load(tmp_path / "x.npz", "second", mmap=True), array)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_numpy_reads_what_it_writes(tmp_path, dtype, shape):
    array = example(dtype, shape)
    tamis.save(tmp_path / "x.npy", array)
    same(tamis.tensor(np.load(tmp_path / "x.npy")), array)
    tamis.save(str(tmp_path / "x.npz"), {"a": tamis.tensor(array), "b/c": array[..., None].T})
    with np.load(tmp_path / "x.npz") as loaded:
        assert sorted(loaded) == ["a", "b/c"]
        np.testing.assert_array_equal(loaded["a"], array)
        np.testing.assert_array_equal(loaded["b/c"], array[..., None].T)
        assert loaded["a"].dtype == array.dtype
    assert zipfile.ZipFile(tmp_path / "x.npz").testzip() is None


@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
def test_reads_every_version(tmp_path, version):
    with open(tmp_path / "x.npy", "wb") as f:
        np.lib.format.write_array(f, example("int32", (2, 3)), version=version)
    same(tamis.load(tmp_path / "x.npy"), example("int32", (2, 3)))


@settings(max_examples=50, deadline=None)
@given(hnp.arrays(st.sampled_from(DTYPES).map(np.dtype), hnp.array_shapes(min_dims=0, max_dims=5, min_side=0)), st.data())
def test_any_array_goes_there_and_back(tmp_path_factory, array, data):
    path = tmp_path_factory.mktemp("files") / "x.npy"
    np.save(path, array.T if data.draw(st.booleans()) else array)
    there = tamis.load(path)
    tamis.save(path, there)
    back = np.load(path)
    assert back.tobytes() == np.ascontiguousarray(there.numpy()).tobytes() and back.dtype == array.dtype


def safetensors(header, data=b""):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def test_reads_safetensors_by_its_specification(tmp_path):
    a = np.arange(6, dtype="<f4").reshape(2, 3)
    header = {
        "__metadata__": {"format": "pt"},
        "a": {"dtype": "F32", "shape": [2, 3], "data_offsets": [4, 28]},
        "b": {"dtype": "BF16", "shape": [2], "data_offsets": [0, 4]},
    }
    # 1.0 and -2.0 as bfloat16: the upper halves of 0x3f800000 and 0xc0000000.
    (tmp_path / "x.safetensors").write_bytes(safetensors(header, b"\x80\x3f\x00\xc0" + a.tobytes()))
    loaded = tamis.load(tmp_path / "x.safetensors")
    assert list(loaded) == ["b", "a"]
    same(loaded["a"], a)
    assert loaded["b"].dtype == tamis.bfloat16 and loaded["b"].tolist() == [1.0, -2.0]


def test_writes_safetensors_by_its_specification(tmp_path):
    path = tmp_path / "x.safetensors"
    tensors = {"w": tamis.tensor([[1.5, 2.5]]), "mask": tamis.tensor([True, False]),
               "half": tamis.tensor([1.0, -2.0]).to(tamis.bfloat16)}
    tamis.save(path, tensors)
    content = path.read_bytes()
    (length,) = struct.unpack("<Q", content[:8])
    header = json.loads(content[8 : 8 + length])
    assert content[8:9] == b"{" and (8 + length) % 8 == 0
    assert header["w"] == {"dtype": "F32", "shape": [1, 2], "data_offsets": [0, 8]}
    assert header["mask"] == {"dtype": "BOOL", "shape": [2], "data_offsets": [8, 10]}
    assert header["half"] == {"dtype": "BF16", "shape": [2], "data_offsets": [10, 14]}
    assert content[8 + length :] == np.array([1.5, 2.5], "<f4").tobytes() + b"\x01\x00" + b"\x80\x3f\x00\xc0"


def test_refuses_what_numpy_would_unpickle(tmp_path):
    np.save(tmp_path / "x.npy", np.array([{}, 1], dtype=object), allow_pickle=True)
    with pytest.raises(ValueError, match="pickled Python objects are never loaded"):
        tamis.load(tmp_path / "x.npy")
    np.savez(tmp_path / "x.npz", a=np.zeros(2, dtype=[("x", "f4"), ("y", "i4")]))
    with pytest.raises(ValueError, match="member a.npy.*structured"):
        tamis.load(tmp_path / "x.npz")


def test_refuses_duplicate_members(tmp_path):
    member = io.BytesIO()
    np.save(member, np.zeros(2))
    with zipfile.ZipFile(tmp_path / "x.npz", "w") as archive, pytest.warns(UserWarning):
        archive.writestr("a.npy", member.getvalue())
        archive.writestr("a.npy", member.getvalue())
    with pytest.raises(ValueError, match="duplicate member name a.npy"):
        tamis.load(tmp_path / "x.npz")


def test_members_written_to_a_pipe_have_their_sizes_behind(tmp_path):
    class Pipe(io.BytesIO):
        def seekable(self):
            return False

        def tell(self):
            raise OSError

    pipe = Pipe()
    with zipfile.ZipFile(pipe, "w") as archive:
        for name, method in (("a.npy", zipfile.ZIP_STORED), ("b.npy", zipfile.ZIP_DEFLATED)):
            member = io.BytesIO()
            np.save(member, np.arange(1000.0))
            archive.writestr(name, member.getvalue(), compress_type=method)
    (tmp_path / "x.npz").write_bytes(pipe.getvalue())
    for name in "ab":
        same(tamis.load(tmp_path / "x.npz", name), np.arange(1000.0))


def test_errors_are_pythons(tmp_path):
    with pytest.raises(FileNotFoundError):
        tamis.load(tmp_path / "nowhere.npy")
    with pytest.raises(OSError, match="No such file"):
        tamis.save(tmp_path / "nowhere" / "x.npy", tamis.ones(3))
    with pytest.raises(RuntimeError, match="unknown file extension"):
        tamis.save(tmp_path / "x.txt", tamis.ones(3))
    with pytest.raises(TypeError, match="names of tensors must be str"):
        tamis.save(tmp_path / "x.npz", {1: tamis.ones(3)})
    with pytest.raises(TypeError):
        tamis.load(3)
    tamis.save(tmp_path / "x.npz", {"a": tamis.ones(3)})
    with pytest.raises(RuntimeError, match="no array named 'b'; available: a"):
        tamis.load(tmp_path / "x.npz", "b")


@pytest.mark.parametrize("read", [
    lambda x: x.sum(), lambda x: x.tolist(), lambda x: x.numpy(), lambda x: x[-1].item(), lambda x: repr(x),
    lambda x: x.clone(), lambda x: x.settle(), lambda x: tamis.masked_select(x, x > 3), lambda x: x.sort(),
    lambda x: memoryview(x), lambda x: x.__dlpack__(max_version=(1, 0)), lambda x: x[[0, 1]], lambda x: x @ x, lambda x: (x == 1).any(),
    lambda x: 0.0 in x, lambda x: pickle.dumps(x), lambda x: tamis.ones(len(x), dtype=tamis.float64).copy_(x),
], ids=lambda read: "")
@pytest.mark.parametrize("n, cut", [(100_000, 700_000), (100_000, 8), (20, 8)])
def test_a_mapped_tensor_whose_file_was_shortened_is_not_read(tmp_path, read, n, cut):
    path = tmp_path / "x.npy"
    np.save(path, np.arange(float(n)))
    x = tamis.load(path, mmap=True)
    if n == 20 or cut == 8:
        read(x)  # the error does not depend on what was read before
    os.truncate(path, os.path.getsize(path) - cut)
    with pytest.raises(OSError, match="x.npy: the file was truncated"):
        result = read(x)
        result.settle()  # some are deferred


def test_what_is_deferred_over_a_shortened_file_is_not_computed(tmp_path):
    path = tmp_path / "x.safetensors"
    tamis.save(path, {"a": tamis.arange(50_000, dtype=tamis.float64), "b": tamis.ones(3)})
    x = tamis.load(path, "a", mmap=True)
    y, total = x * 2, x.sum()
    os.truncate(path, 1000)
    if not tamis.eager_mode():
        with pytest.raises(OSError, match="was truncated"):
            y.tolist()
    assert total.item() == 50_000 * 49_999 / 2  # was read before


def test_a_file_that_is_shortened_during_the_work_is_an_error(tmp_path):
    path = tmp_path / "x.npy"
    np.save(path, np.ones(4_000_000))
    x = tamis.load(path, mmap=True)
    stop = threading.Event()

    def cut():
        stop.wait(0.05)
        os.truncate(path, 1000)

    thread = threading.Thread(target=cut)
    thread.start()
    with pytest.raises(OSError, match="x.npy: "):
        while True:
            assert x.sin().exp().sum().item() == pytest.approx(4_000_000 * math.exp(math.sin(1.0)))
    stop.set()
    thread.join()


def test_save_takes_the_order_of_pytorch(tmp_path):
    a, x = np.arange(6.0).reshape(2, 3), tamis.arange(6, dtype=tamis.float64).reshape(2, 3)
    for i, save in enumerate([
        lambda p: tamis.save(x, p), lambda p: tamis.save(p, x), lambda p: tamis.save(obj=x, f=p),
        lambda p: tamis.save(path=p, data=x), lambda p: tamis.save(x, str(p)), lambda p: tamis.save(x.numpy(), p),
        lambda p: tamis.save([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]], p),
    ]):
        save(tmp_path / f"{i}.npy")
        assert np.load(tmp_path / f"{i}.npy").tolist() == a.tolist()
    tamis.save({"a": x, "b": [1, 2]}, tmp_path / "x.npz")
    assert np.load(tmp_path / "x.npz")["b"].tolist() == [1, 2]
    with pytest.raises(TypeError, match="expected data and a path or file object, in either order, but got tamis.Tensor and int"):
        tamis.save(x, 3)


@pytest.mark.parametrize("data", [np.arange(6.0).reshape(2, 3), np.float32(2.5), np.zeros((0, 3), bool)], ids=str)
def test_file_objects_hold_what_numpy_reads_and_writes(data):
    f = io.BytesIO()
    tamis.save(tamis.asarray(data), f)
    f.seek(0)
    same(tamis.asarray(np.load(f)), np.asarray(data))
    f.seek(0)
    same(tamis.load(f), np.asarray(data))
    g = io.BytesIO()
    np.save(g, data)
    g.seek(0)
    same(tamis.load(f=g), np.asarray(data))


def test_file_objects_hold_several_tensors():
    f = io.BytesIO()
    tamis.save({"a": tamis.arange(3), "b": tamis.ones(2, 2)}, f)
    f.seek(0)
    assert sorted(np.load(f)) == ["a", "b"]
    f.seek(0)
    assert tamis.load(f, "a").tolist() == [0, 1, 2]
    f.seek(0)
    assert list(tamis.load(f)) == ["a", "b"]


def test_the_name_of_a_file_object_tells_the_format(tmp_path):
    for name in ("x.npy", "x.npz", "x.safetensors"):
        with open(tmp_path / name, "wb") as f:
            tamis.save(tamis.arange(3), f)
        loaded = tamis.load(tmp_path / name)
        assert (loaded if name == "x.npy" else next(iter(loaded.values()))).tolist() == [0, 1, 2]
    assert (tmp_path / "x.safetensors").read_bytes()[8:9] == b"{"
    with open(tmp_path / "x.npy", "rb") as f:
        assert tamis.load(f).tolist() == [0, 1, 2]


def test_file_objects_are_read_from_where_they_stand_and_by_pieces():
    class Slow(io.RawIOBase):
        """Gives a few bytes at a time, and cannot seek."""

        def __init__(self, content):
            self.content = content

        def read(self, size=-1):
            part, self.content = self.content[:100], self.content[100:]
            return part

    f = io.BytesIO()
    f.write(b"before")
    tamis.save(tamis.arange(1000), f)
    f.seek(6)
    assert tamis.load(f).tolist() == list(range(1000))
    assert tamis.load(Slow(f.getvalue()[6:])).tolist() == list(range(1000))


def test_file_objects_that_cannot_be_used(tmp_path):
    with pytest.raises(TypeError, match="read\\(\\) of the file object gives str, not bytes; open the file in mode 'rb'"):
        tamis.load(io.StringIO("text"))
    with pytest.raises(ValueError, match="BytesIO: not a .npy, .npz or .safetensors file"):
        tamis.load(io.BytesIO(b"something else"))
    with pytest.raises(ValueError, match="mmap=True needs the path of a file"):
        tamis.load(io.BytesIO(), mmap=True)
    with pytest.raises(RuntimeError, match="x.npy: .npy files cannot store names; use .npz or .safetensors"):
        with open(tmp_path / "x.npy", "wb") as f:
            tamis.save({"a": tamis.ones(1)}, f)


def test_a_mapped_tensor_is_read_only_and_read_late(tmp_path):
    np.save(tmp_path / "x.npy", np.arange(1_000_000.0))
    x = tamis.load(tmp_path / "x.npy", mmap=True)
    assert x[x > 999_997].tolist() == [999_998.0, 999_999.0]
    with pytest.raises(RuntimeError, match="read-only"):
        x += 1
    y = x.clone()
    y += 1
    assert y[0].item() == 1.0
