"""WebGPU from Python: moving tensors, selecting, gradients, what leaves a device and how, tamis.webgpu, and where the
library is looked for. Without a library or an adapter these tests fail; they are not skipped."""

import asyncio
import copy
import io
import os
import pathlib
import pickle
import subprocess
import sys
import sysconfig
import threading
import time

import numpy as np
import pytest

import tamis

VALUES = [[3.0, -1.0, 0.5], [-2.0, 4.0, -0.25]]
LIBRARY = os.environ.get("TAMIS_WEBGPU_LIB", "")


@pytest.fixture(scope="module", autouse=True)
def adapter():
    if not tamis.webgpu.is_available():
        with pytest.raises(RuntimeError) as error:
            tamis.ones(1, device="webgpu")
        pytest.fail(f"{error.value}. `scripts/setup --test` installs what these tests need, and ctest says where it is")


@pytest.fixture
def x():
    return tamis.tensor(VALUES).to("webgpu")


def on_both(function, *arrays):
    """What the function gives on the device, as an array, and what it gives on the CPU."""
    there = function(*(tamis.tensor(a).to("webgpu") for a in arrays))
    assert there.device == tamis.device("webgpu:0")
    return there.cpu().numpy(), function(*(tamis.tensor(a) for a in arrays)).numpy()


# ---- devices --------------------------------------------------------------------------------------------------------


def test_tensors_go_to_the_device_and_back(x):
    assert str(x.device) == "webgpu:0" and x.device.type == "webgpu" and x.device.index == 0
    assert x.tolist() == VALUES and x.cpu().device == tamis.device("cpu") and x.cpu().tolist() == VALUES
    assert x.to("webgpu") is x and x.to(x.device) is x and x.to(x) is x and x.cpu().cpu() is not x
    assert tamis.tensor(VALUES).to(x).device == x.device
    half = x.to("cpu", tamis.float16)
    assert half.device == tamis.device("cpu") and half.dtype == tamis.float16 and half.tolist() == VALUES
    assert x.to_device("cpu").device == tamis.device("cpu") and x.to_device("webgpu") is x


def test_printing_names_the_device(x):
    assert repr(x) == ("tensor([[ 3.0000, -1.0000,  0.5000],\n"
                       "        [-2.0000,  4.0000, -0.2500]], device='webgpu:0')")
    assert repr(x.long().sum()) == "tensor(4, device='webgpu:0')" and f"{x[0, 0]:.2f}" == "3.00"


def test_numbers_and_lengths(x):
    assert x[1, 1].item() == 4 and float(x[0, 2]) == 0.5 and int(x[0, 0]) == 3 and bool(x[0, 0] > 2)
    assert len(x) == 2 and x.shape == (2, 3) and [row.tolist() for row in x] == VALUES and 4.0 in x
    assert tamis.zeros(2, 0, device="webgpu").tolist() == [[], []]
    assert x.T.tolist() == tamis.tensor(VALUES).T.tolist() and x[:, 1:].tolist() == [[-1, 0.5], [4, -0.25]]
    with pytest.raises(RuntimeError, match="a Tensor with 6 elements cannot be converted to Scalar"):
        x.item()


@pytest.mark.parametrize("dtype", ["bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64",
                                   "float16", "bfloat16", "float32", "float64", "complex64", "complex128"])
def test_every_dtype_goes_there_and_back(dtype):
    values = tamis.tensor([0, 1, 1, 0, 1]).to(getattr(tamis, dtype))
    there = values.to("webgpu")
    assert there.dtype == values.dtype and there.tolist() == values.tolist() and there[1:4].tolist() == values[1:4].tolist()
    assert there[[4, 0]].tolist() == values[[4, 0]].tolist()


def test_tensors_are_made_on_the_device():
    made = [tamis.zeros(2, device="webgpu"), tamis.ones((2,), device="webgpu:0"), tamis.full((2,), 7, device="webgpu"),
            tamis.arange(2, device="webgpu"), tamis.tensor([1, 2], device="webgpu"), tamis.eye(2, device="webgpu"),
            tamis.asarray(np.arange(2), device="webgpu"), tamis.as_tensor([1, 2], device="webgpu")]
    made += [tamis.zeros_like(made[0]), made[0].new_ones(2), tamis.tensor(made[0]), made[0].clone()]
    assert [t.device for t in made] == [tamis.device("webgpu:0")] * len(made)
    assert [t.tolist() for t in made[:6]] == [[0, 0], [1, 1], [7, 7], [0, 1], [1, 2], [[1, 0], [0, 1]]]
    assert tamis.ones(2, device="webgpu", requires_grad=True).requires_grad
    with pytest.raises(RuntimeError, match="there is no device 'webgpu:99'"):
        tamis.ones(1, device="webgpu:99")


def test_devices_do_not_mix(x):
    text = "Expected all tensors to be on the same device, but found at least two devices, webgpu:0 and cpu!"
    for call in (lambda: x + tamis.ones(2, 3), lambda: tamis.masked_select(x, tamis.ones(2, 3) > 0),
                 lambda: x.add_(np.ones((2, 3)))):
        with pytest.raises(RuntimeError) as error:
            call()
        assert str(error.value) == text
    assert (x + tamis.tensor(1.0)).tolist() == (1 + x).tolist() == (tamis.tensor(VALUES) + 1).tolist()
    x.copy_(tamis.ones(2, 3))  # from anywhere, as in PyTorch
    assert x.sum().item() == 6


# ---- what is computed there -----------------------------------------------------------------------------------------

RNG = np.random.RandomState(0)
A, B = RNG.randn(37, 29).astype("float32"), RNG.rand(37, 29).astype("float32") + 0.5
N = RNG.randint(-50, 50, (37, 29))


@pytest.mark.parametrize(
    "function",
    [
        lambda a, b: a + b * 2 - 1, lambda a, b: a / b, lambda a, b: (a > 0) & (b < 1), lambda a, b: a.abs().sqrt() ** 2,
        lambda a, b: tamis.where(a > 0, a, b), lambda a, b: a.T.exp() + b.T, lambda a, b: a.masked_fill(a < 0, -1),
        lambda a, b: a.sum(0), lambda a, b: a.mean(), lambda a, b: a.amax(1), lambda a, b: tamis.masked.mean(a, 1, mask=b < 1),
        lambda a, b: a.clamp(-0.5, 0.5) // b, lambda a, b: -a[::3, 1:] % b[::3, 1:], lambda a, b: tamis.cat([a, b], 1),
    ],
)
def test_arithmetic_agrees_with_the_cpu(function):
    got, want = on_both(function, A, B)
    assert got.dtype == want.dtype
    np.testing.assert_allclose(got, want, rtol=2e-5, atol=1e-5)


@pytest.mark.parametrize(
    "function",
    [
        lambda a, n: a[a > 0], lambda a, n: n[(n % 3 == 0) & (a < 1)], lambda a, n: a[n[:, 0] > 0],
        lambda a, n: tamis.nonzero(a > 1), lambda a, n: tamis.masked_select(n, n > 100), lambda a, n: (n * n - 7) // 3,
        lambda a, n: a[:, [3, -1, 0]], lambda a, n: a[[0, 5], [1, 2]], lambda a, n: a[tamis.tensor([2, 0])],
        lambda a, n: a[(tamis.arange(37) % 2 == 0)], lambda a, n: tamis.index_select(n, 1, [4, 4, 0]),
        lambda a, n: n.sum(), lambda a, n: a > n, lambda a, n: n.T.contiguous(),
    ],
)
def test_selections_and_integers_are_exact(function):
    got, want = on_both(function, A, N)
    assert got.dtype == want.dtype and got.shape == want.shape and (got == want).all()


def test_writing_in_place(x):
    y = tamis.tensor(VALUES)
    for t in (x, y):
        before = t.add_(1)
        t *= 2
        t[t < 0] = 0
        t[0, 0] = 7
        t[:, 2] = tamis.tensor([1.0, 2.0])
        assert before is t
    assert x.tolist() == y.tolist() and x.device == tamis.device("webgpu:0")
    mask = x > 1
    x.zero_()
    assert mask.tolist() == (y > 1).tolist() and x.sum().item() == 0


def test_selections_of_a_given_size(x):
    values, count = tamis.masked_select_padded(x, x > 0, 4, -9)
    assert values.tolist() == [3, 0.5, 4, -9] and count.item() == 3 and values.device == count.device == tamis.device("webgpu:0")


def test_gradients_of_a_masked_loss():
    def gradient(device):
        w = tamis.tensor([[1.0, 2.0, float("nan")], [-1.0, 3.0, 0.5]], device=device, requires_grad=True)
        mask = ~w.isnan() & (w > 0)
        loss = ((w * w)[mask]).sum() + tamis.masked.mean(w, mask=mask)
        loss.backward()
        assert w.grad.device == w.device and w.requires_grad and w.is_leaf
        return loss.item(), w.grad.cpu().numpy()

    (loss, grad), (wanted_loss, wanted) = gradient("webgpu"), gradient("cpu")
    assert loss == pytest.approx(wanted_loss) and grad[0, 2] == 0
    np.testing.assert_allclose(grad, wanted, rtol=1e-6)


def test_gradients_flow_between_devices():
    w = tamis.tensor([1.0, 2.0], requires_grad=True)
    (w.to("webgpu") * 3).cpu().sum().backward()
    assert w.grad.device == tamis.device("cpu") and w.grad.tolist() == [3, 3]


def test_threads_share_a_device():
    wanted = A[A > 0]
    failures = []

    def work():
        for _ in range(5):
            got = tamis.tensor(A).to("webgpu")
            if not (got[got > 0].cpu().numpy() == wanted).all():
                failures.append(got)

    threads = [threading.Thread(target=work) for _ in range(4)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert not failures


def test_selections_can_be_awaited(x):
    async def select():
        return await tamis.masked_select_async(x, x > 0)

    assert asyncio.run(select()).tolist() == [3, 0.5, 4]


# ---- copies and files -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("protocol", [2, 4, 5])
def test_pickled_tensors_come_back_where_they_were(x, protocol):
    back = pickle.loads(pickle.dumps(x.T, protocol))
    assert back.device == tamis.device("webgpu:0") and back.tolist() == x.T.tolist() and not back.requires_grad
    leaf = pickle.loads(pickle.dumps(x.requires_grad_(), protocol))
    assert leaf.device == tamis.device("webgpu:0") and leaf.requires_grad and leaf.is_leaf


def test_copies_stay_on_the_device(x):
    deep, shallow = copy.deepcopy(x), copy.copy(x)
    x.zero_()
    assert deep.device == shallow.device == tamis.device("webgpu:0") and deep.tolist() == VALUES and shallow.sum().item() == 0
    w = x.requires_grad_()
    (w * 2).sum().backward()
    assert copy.deepcopy(w).grad.tolist() == [[2, 2, 2], [2, 2, 2]]


@pytest.mark.parametrize("ending", ["npy", "npz", "safetensors"])
def test_tensors_are_saved_from_the_device(x, tmp_path, ending):
    path = tmp_path / f"x.{ending}"
    for data in (x, x.T, x > 0, x[:0], x.sum()):
        tamis.save(path, data)
        loaded = tamis.load(path)
        back = loaded if ending == "npy" else next(iter(loaded.values()))
        assert back.device == tamis.device("cpu") and back.dtype == data.dtype and back.tolist() == data.tolist()
    file = io.BytesIO()
    tamis.save({"x": x, "y": tamis.ones(2)}, file)
    file.seek(0)
    assert tamis.load(file)["x"].tolist() == VALUES


# ---- other libraries ------------------------------------------------------------------------------------------------


def test_memory_on_the_device_has_no_address(x):
    for call in (x.numpy, lambda: np.asarray(x), lambda: np.array([x, x]), lambda: np.sin(x), lambda: np.mean(x)):
        with pytest.raises(TypeError) as error:
            call()
        assert str(error.value) == ("can't convert webgpu:0 device type tensor to numpy. Use Tensor.cpu() to copy the "
                                    "tensor to host memory first.")
    assert x.numpy(force=True).tolist() == VALUES and not hasattr(x, "__array_interface__")
    text = "this tensor is on webgpu:0, where its memory has no address; call .cpu\\(\\) first"
    with pytest.raises(BufferError, match=text):
        memoryview(x)
    with pytest.raises(RuntimeError, match=text):
        x.data_ptr()


def test_dlpack_copies_if_it_is_told_to(x):
    assert x.__dlpack_device__() == (15, 0)
    for arguments in ({}, {"max_version": (1, 0)}, {"copy": True}, {"dl_device": (1, 0), "copy": False}):
        with pytest.raises(BufferError, match="this tensor is on webgpu:0, .* call .cpu\\(\\) first"):
            x.__dlpack__(**arguments)
    with pytest.raises(BufferError, match="can only go to the CPU"):
        x.__dlpack__(dl_device=(15, 0))
    assert tamis.from_dlpack(x.__dlpack__(dl_device=(1, 0))).tolist() == VALUES
    assert tamis.from_dlpack(x).device == tamis.device("webgpu:0") and tamis.from_dlpack(x, device="cpu").tolist() == VALUES
    with pytest.raises(BufferError):
        np.from_dlpack(x)
    torch = pytest.importorskip("torch")
    with pytest.raises((RuntimeError, BufferError, ValueError)):
        torch.from_dlpack(x)
    with pytest.raises(RuntimeError, match="call .cpu\\(\\) first"):
        x.torch()


# ---- tamis.webgpu ---------------------------------------------------------------------------------------------------


def test_adapters_are_listed():
    first = tamis.webgpu.adapters()[0]
    assert isinstance(first, tamis.webgpu.Adapter) and first.name and isinstance(first.driver, str)
    assert first.backend in ("vulkan", "metal", "d3d12") and first.type in ("discrete", "integrated", "cpu", "unknown")
    import tamis.webgpu as module

    assert module is tamis.webgpu and module.is_available()


def test_an_exact_selection_reads_one_number_and_a_padded_one_none(x):
    tamis.webgpu.reset_stats()
    assert tamis.webgpu.stats().readbacks == tamis.webgpu.stats().dispatches == 0
    selected = x[x > 0]
    stats = tamis.webgpu.stats(x.device)
    assert stats.readbacks == 1 and stats.readback_bytes <= 8 and stats.dispatches > 0 and selected.shape == (3,)
    tamis.webgpu.reset_stats("webgpu:0")
    values, count = tamis.masked_select_padded(x, x > 0, 5)
    (values * 2).sum().settle()
    assert tamis.webgpu.stats().readbacks == 0 and count.item() == 3
    assert tamis.webgpu.stats().readbacks == 1


def test_stats_count_bytes():
    before = tamis.webgpu.stats()
    kept = tamis.zeros(1000).to("webgpu")
    after = tamis.webgpu.stats()
    assert after.written_bytes - before.written_bytes >= 4000 and after.live_bytes - before.live_bytes >= 4000
    tamis.webgpu.reset_stats()
    assert tamis.webgpu.stats().written_bytes == 0 and tamis.webgpu.stats().live_bytes == after.live_bytes
    assert kept.sum().item() == 0 and after._fields == (
        "dispatches", "submits", "readbacks", "readback_bytes", "written_bytes", "pipelines", "live_bytes", "cached_bytes")


def test_functions_refuse_other_devices():
    for function in (tamis.webgpu.stats, tamis.webgpu.reset_stats, tamis.webgpu.synchronize):
        with pytest.raises(RuntimeError, match="expected a device of type webgpu, but got cpu"):
            function("cpu")
        with pytest.raises(RuntimeError, match="there is no device 'webgpu:99'"):
            function("webgpu:99")


def test_synchronize_lets_other_threads_run():
    rounds, stop = [0], threading.Event()

    def count():
        while not stop.is_set():
            rounds[0] += 1
            time.sleep(0)  # gives the lock away

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1000)  # nobody is made to give it away
    thread = threading.Thread(target=count)
    thread.start()
    try:
        y = tamis.ones(1 << 19, device="webgpu")
        for _ in range(10):  # the thread may be late on a busy machine
            y = (y * 1.5 + 1).settle()
            before = rounds[0]
            tamis.webgpu.synchronize()
            if rounds[0] > before:
                break
        else:
            pytest.fail("the thread stood still")
    finally:
        stop.set()
        sys.setswitchinterval(interval)
        thread.join()


# ---- where the library is -------------------------------------------------------------------------------------------

TRY = """
import sys, tamis
print(tamis.webgpu.is_available(), "wgpu" in sys.modules, len(tamis.webgpu.adapters()))
try:
    print(tamis.ones(2).to("webgpu").device)
except RuntimeError as e:
    print(e)
"""


def run(environment, *folders):
    """What TRY prints in another process, with these variables, of which None are unset, and folders of packages."""
    variables = {**os.environ, **environment}
    variables["PYTHONPATH"] = os.pathsep.join([*map(str, folders), str(pathlib.Path(tamis.__file__).parents[1])])
    variables = {name: value for name, value in variables.items() if value is not None}
    result = subprocess.run([sys.executable, "-c", TRY], env=variables, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout.splitlines()


@pytest.fixture
def package(tmp_path):
    """A package wgpu that cannot be imported, with the library in its place."""
    library = LIBRARY or os.path.join(sysconfig.get_path("purelib"), "wgpu", "resources", "libwgpu_native-release.so")
    resources = tmp_path / "wgpu" / "resources"
    resources.mkdir(parents=True)
    (tmp_path / "wgpu" / "__init__.py").write_text("raise SystemExit('wgpu was imported')")
    (resources / "libwgpu_native-release.so").symlink_to(library)
    return tmp_path


def test_the_library_of_the_package_is_used(package):
    lines = run({"TAMIS_WEBGPU_LIB": None}, package)
    assert lines[0].startswith("True False ") and lines[1] == "webgpu:0"


def test_the_environment_variable_comes_first(package):
    lines = run({"TAMIS_WEBGPU_LIB": "/nonexistent/lib.so"}, package)
    assert lines[0] == "False False 0"
    assert lines[1].startswith("webgpu: no WebGPU library was found (/nonexistent/lib.so: ")
    assert "pip install wgpu" in lines[1] and "TAMIS_WEBGPU_LIB" in lines[1]


def test_without_drivers_the_error_says_so():
    lines = run({"VK_ICD_FILENAMES": "/nonexistent", "VK_DRIVER_FILES": "/nonexistent"})
    assert lines[0] == "False False 0" and lines[1].startswith("webgpu: no WebGPU adapter was found")


def test_other_versions_of_the_library_are_refused(package):
    """They would end the process."""
    library = package / "wgpu" / "resources" / "libwgpu_native-release.so"
    library.unlink()
    source = package / "old.c"
    source.write_text("unsigned wgpuGetVersion(void) { return 27u << 24; }")
    subprocess.run(["cc", "-shared", "-fPIC", "-o", str(library), str(source)], check=True)
    lines = run({"TAMIS_WEBGPU_LIB": None}, package)
    assert lines[0] == "False False 0"
    assert "libwgpu_native-release.so is wgpu-native 27, but 29 or later is needed" in lines[1]


def test_a_module_of_that_name_does_not_matter(tmp_path):
    (tmp_path / "wgpu.py").write_text("raise SystemExit('wgpu was imported')")
    assert run({}, tmp_path)[0].startswith("True False ")
