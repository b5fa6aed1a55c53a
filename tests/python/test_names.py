"""Names that people bring from PyTorch and NumPy, beyond the operations: devices, generators, tensor types, printing."""

import copy
import pickle

import numpy as np
import pytest
import tamis

x = tamis.tensor([[1.5, -2.0], [0.0, 4.0]])


# ---- device ---------------------------------------------------------------------------------------------------------


def test_a_device_prints_and_compares_as_torchs():
    cpu, first = tamis.device("cpu"), tamis.device("cpu", 0)
    assert repr(cpu) == "device(type='cpu')" and str(cpu) == f"{cpu}" == "cpu"
    assert repr(first) == "device(type='cpu', index=0)" and str(first) == "cpu:0"
    assert cpu.type == first.type == "cpu" and cpu.index is None and first.index == 0
    assert isinstance(x.device, tamis.device) and not isinstance(cpu, str)
    assert x.device == cpu == tamis.device(cpu) == tamis.device(type="cpu") == tamis.device("cpu", None)
    assert first == tamis.device("cpu:0") == tamis.device(first) == tamis.device(type="cpu", index=0) and first != cpu
    assert hash(x.device) == hash(cpu) and {cpu: 1, first: 2}[x.device] == 1
    torch = pytest.importorskip("torch")
    for ours, theirs in ((cpu, torch.device("cpu")), (first, torch.device("cpu", 0))):
        assert repr(ours) == repr(theirs) and str(ours) == str(theirs)
        assert (ours.type, ours.index) == (theirs.type, theirs.index) and tamis.device(theirs) == ours


def test_a_device_equals_only_devices():
    cpu = tamis.device("cpu")
    for other in ("cpu", None, 0):
        assert (cpu == other) is (other == cpu) is False and (cpu != other) is True
    assert "cpu" not in {cpu: 1} and cpu not in {"cpu": 1}
    with pytest.raises(TypeError):
        cpu < cpu


def test_devices_are_values():
    for device in (tamis.device("cpu"), tamis.device("cpu:0")):
        for other in (copy.copy(device), copy.deepcopy(device), pickle.loads(pickle.dumps(device))):
            assert type(other) is tamis.device and other == device
        for name in ("type", "index", "other"):
            with pytest.raises(AttributeError):
                setattr(device, name, 0)
    with pytest.raises(TypeError, match="not an acceptable base type"):
        type("sub", (tamis.device,), {})


@pytest.mark.parametrize("device", [tamis.device("cpu"), tamis.device("cpu:0"), "cpu", "cpu:0"])
def test_functions_take_devices(device):
    for y in (tamis.ones(2, device=device), tamis.tensor([1, 2], device=device), tamis.asarray([1, 2], device=device),
              tamis.zeros_like(tamis.ones(2), device=device), x.new_ones(2, device=device)):
        assert y.shape == (2,) and y.device == tamis.device("cpu")
    assert x.to(device) is x.to(device=device) is x.to_device(device) is x
    assert x.to(device, tamis.float64).dtype == tamis.float64
    assert tamis.Generator(device).device == tamis.device("cpu")


def test_functions_take_torchs_devices():
    cpu = pytest.importorskip("torch").device("cpu")
    assert tamis.ones(2, device=cpu).device == tamis.tensor([1], device=cpu).device == tamis.device("cpu")
    assert x.to(cpu) is x.to_device(cpu) is x


def test_there_is_one_device():
    for name in ("cuda", "cuda:0", "cpu:1", "cpu:", "cpu:01", "CPU", ""):
        with pytest.raises(RuntimeError, match="Expected one of cpu, webgpu device type|Invalid device string|there is no device"):
            tamis.device(name)


def test_devices_refuse_what_torchs_refuse():
    for args in ((), (None,), (1.5,), ("cpu", "0"), ("cpu", True), ("cpu", 0.0), (tamis.device("cpu"), 0)):
        with pytest.raises(TypeError):
            tamis.device(*args)
    with pytest.raises(RuntimeError, match="must not include an index because index was passed explicitly: cpu:0"):
        tamis.device("cpu:0", 0)
    with pytest.raises(RuntimeError, match="Device index must not be negative"):
        tamis.device("cpu", -1)
    with pytest.raises(TypeError, match="argument 'device' must be tamis.device, not int"):
        tamis.ones(2, device=0)
    with pytest.raises(TypeError, match="argument 'device' must be tamis.device, not int"):
        tamis.tensor([1], device=0)


# ---- random numbers -------------------------------------------------------------------------------------------------

DRAWS = {
    "rand": lambda g: tamis.rand(7, generator=g), "randn": lambda g: tamis.randn((2, 3), generator=g),
    "randint": lambda g: tamis.randint(100, (9,), generator=g),
    "randint from": lambda g: tamis.randint(-5, 100, (9,), generator=g, dtype=tamis.int32),
    "randperm": lambda g: tamis.randperm(9, generator=g),
    "bernoulli": lambda g: tamis.bernoulli(tamis.full((40,), 0.5), generator=g),
    "multinomial": lambda g: tamis.multinomial(tamis.ones(50), 9, generator=g),
    "multinomial method": lambda g: tamis.ones(50).multinomial(9, True, generator=g),
    "out": lambda g: tamis.rand(5, generator=g, out=tamis.empty(5)),
}


@pytest.mark.parametrize("draw", DRAWS.values(), ids=DRAWS)
def test_a_generator_gives_the_bits_of_manual_seed(draw):
    tamis.manual_seed(5)
    first, second = draw(None).tolist(), draw(None).tolist()
    g = tamis.Generator().manual_seed(5)
    tamis.manual_seed(9)
    assert draw(g).tolist() == first != second == draw(g).tolist()
    tamis.manual_seed(5)
    draw(g)
    assert draw(None).tolist() == first  # the stream of the process has not moved
    assert draw(tamis.default_generator).tolist() == second


def test_generators_have_torchs_methods():
    g = tamis.Generator(device="cpu")
    assert g.device == tamis.device("cpu") and g.manual_seed(3) is g and g.initial_seed() == 3
    state = g.get_state()
    assert state.dtype == tamis.uint8 and state.dim() == 1
    a = tamis.rand(5, generator=g)
    g.set_state(state)
    assert tamis.rand(5, generator=g).tolist() == a.tolist()
    g.set_state(state.numpy())
    assert tamis.rand(5, generator=g).tolist() == a.tolist()
    assert g.seed() == g.initial_seed() != g.seed()
    for seed, same in ((2**64 - 1, -1), (2**63, -(2**63))):
        assert g.manual_seed(seed).initial_seed() == seed == tamis.Generator().manual_seed(same).initial_seed()
    torch = pytest.importorskip("torch")
    assert tamis.Generator().initial_seed() == torch.Generator().initial_seed()


def test_the_stream_of_the_process_has_them_too():
    assert tamis.manual_seed(4) is tamis.default_generator and tamis.initial_seed() == 4
    state = tamis.get_rng_state()
    a = tamis.rand(3).tolist()
    tamis.set_rng_state(state)
    assert tamis.rand(3).tolist() == a
    assert tamis.seed() == tamis.initial_seed()
    tamis.manual_seed(0)


def test_generators_refuse_what_they_cannot_use():
    with pytest.raises(RuntimeError, match="-2\\*\\*63 to 2\\*\\*64 - 1"):
        tamis.manual_seed(2**64)
    with pytest.raises(RuntimeError, match="a state of 16 bytes.*got shape \\[3\\]"):
        tamis.Generator().set_state(tamis.zeros(3, dtype=tamis.uint8))
    with pytest.raises(RuntimeError, match="Expected one of cpu, webgpu device type|Invalid device string|there is no device"):
        tamis.Generator("cuda")
    with pytest.raises(TypeError, match="argument 'generator' must be tamis.Generator, not int"):
        tamis.rand(2, generator=3)


# ---- tensor types ---------------------------------------------------------------------------------------------------

TYPES = {
    "BoolTensor": "bool", "ByteTensor": "uint8", "CharTensor": "int8", "ShortTensor": "int16", "IntTensor": "int32",
    "LongTensor": "int64", "HalfTensor": "float16", "BFloat16Tensor": "bfloat16", "FloatTensor": "float32",
    "DoubleTensor": "float64",
}


@pytest.mark.parametrize("name", TYPES)
def test_tensor_types_make_tensors_of_their_dtype(name):
    make, dtype = getattr(tamis, name), getattr(tamis, TYPES[name])
    for y in (make([0, 1, 1]), make((0, 1, 1)), make(np.array([0, 1, 1])), make(tamis.tensor([0, 1, 1]))):
        assert y.dtype is dtype and y.tolist() == [0, 1, 1] and isinstance(y, make)
    assert make(2, 3).shape == (2, 3) and make(2).shape == (2,) and make().shape == (0,)
    assert make(2, 3).dtype is make().dtype is dtype
    other = tamis.DoubleTensor if name != "DoubleTensor" else tamis.FloatTensor
    assert not isinstance(make(2), other) and not isinstance([1], make)
    with pytest.raises(TypeError, match=f"{name}\\(\\): expected sizes or one sequence"):
        make([1], [2])
    torch = pytest.importorskip("torch")
    theirs = getattr(torch, name)
    assert theirs(2, 3).shape == make(2, 3).shape and theirs([0, 1, 1]).tolist() == make([0, 1, 1]).tolist()
    assert theirs().shape == make().shape and theirs(2).dtype == make(2).dtype


# ---- NumPy's names --------------------------------------------------------------------------------------------------


def test_astype_and_copy_are_numpys():
    a = np.array([[1.5, -2.0], [0.0, 4.0]], dtype=np.float32)
    for dtype in ("int64", np.float64, tamis.bool, float):
        want = dtype.to_numpy() if isinstance(dtype, tamis.dtype) else dtype
        assert x.astype(dtype).numpy().dtype == a.astype(want).dtype
        assert x.astype(dtype).tolist() == a.astype(want).tolist()
    for y in (x.astype("float32"), x.copy(), x.T.astype(x.dtype), x.T.copy()):
        y.fill_(9)
    assert x.tolist() == a.tolist() and x.T.copy().tolist() == a.T.tolist()
    assert x.astype("float32", copy=False) is x and x.astype("int32", copy=False).dtype == tamis.int32
    with pytest.raises(TypeError, match="astype\\(\\): expected a dtype, not int"):
        x.astype(3)


def test_astype_and_copy_carry_gradients():
    w = tamis.tensor([1.0, 2.0]).requires_grad_()
    (w.astype("float64") * 3 + w.copy()).sum().backward()
    assert w.grad.tolist() == [4.0, 4.0]


def test_negative_steps_are_numpys():
    for index in (slice(None, None, -1), (slice(None), slice(None, None, -2))):
        assert x[index].tolist() == x.numpy()[index].tolist()
    assert x.flip(0).tolist() == x[::-1].tolist()


def test_numpys_keywords_stand_for_torchs():
    y = tamis.tensor([[1.0, 2.0, 4.0]])
    a = y.numpy()
    assert tamis.var(y, axis=1, ddof=0).item() == pytest.approx(14 / 9)
    assert tamis.quantile(y, 0.6, axis=1, method="higher").tolist() == np.quantile(a, 0.6, axis=1, method="higher").tolist()
    assert tamis.sum(y, axis=0, keepdims=True).tolist() == a.sum(axis=0, keepdims=True).tolist()


@pytest.mark.parametrize("axis", [None, 0, 1, -1, (0, 1)])
@pytest.mark.parametrize("name", ["nanmax", "nanmin", "nansum", "nanmean", "nanvar", "nanstd"])
def test_reductions_without_nan_are_numpys(name, axis):
    a = np.random.RandomState(3).randn(5, 6)
    a[a > 1] = np.nan
    a[2, 3] = np.inf if name in ("nanmax", "nanmin") else 0.0
    ours = getattr(tamis, name)(tamis.tensor(a), axis=axis)
    np.testing.assert_allclose(ours.numpy(), getattr(np, name)(a, axis=axis), rtol=1e-12)
    kept = getattr(tamis, name)(tamis.tensor(a), axis=axis, keepdims=True)
    np.testing.assert_allclose(kept.numpy(), getattr(np, name)(a, axis=axis, keepdims=True), rtol=1e-12)
    if name in ("nanvar", "nanstd"):
        np.testing.assert_allclose(getattr(tamis, name)(tamis.tensor(a), axis=axis, ddof=2).numpy(),
                                   getattr(np, name)(a, axis=axis, ddof=2), rtol=1e-12)


@pytest.mark.filterwarnings("ignore:All-NaN", "ignore:Degrees", "ignore:Mean of empty")
@pytest.mark.parametrize("name", ["nanmax", "nanmin", "nanvar", "nanstd", "nansum", "nanmean"])
def test_reductions_of_nothing_but_nan_are_numpys(name):
    a = np.array([[np.nan, np.nan], [1.0, np.nan]])
    np.testing.assert_array_equal(getattr(tamis, name)(tamis.tensor(a), 1).numpy(), getattr(np, name)(a, axis=1))


@pytest.mark.parametrize("method", ["linear", "lower", "higher", "midpoint", "nearest"])
def test_percentile_is_numpys(method):
    a = np.random.RandomState(4).randn(7, 5)
    y = tamis.tensor(a)
    for q in (0, 12.5, 50, 100, [0, 25, 60], [], np.array([5.0, 95.0])):
        for axis in (None, 0, -1):
            want = np.percentile(a, q, axis=axis, method=method)
            np.testing.assert_allclose(tamis.percentile(y, q, axis=axis, method=method).numpy(), want, rtol=1e-12)
    assert tamis.percentile(a, 50).dtype == np.float64 and isinstance(tamis.percentile(a, 50), np.ndarray)
    assert tamis.percentile(y.float(), 50).dtype == tamis.float32
    with pytest.raises(RuntimeError, match="q must be in the range \\[0, 100\\] but got 101"):
        tamis.percentile(y, 101)


# ---- lists where tensors are taken ----------------------------------------------------------------------------------


def test_lists_stand_for_tensors_of_lengths_indices_and_masks():
    y = tamis.arange(12.0).reshape(2, 3, 2)
    values, offsets = tamis.pack_padded(y, [3, 2])
    want = tamis.pack_padded(y, tamis.tensor([3, 2]))
    assert values.tolist() == want[0].tolist() and offsets.tolist() == want[1].tolist() == [0, 3, 5]
    assert tamis.to_padded(values, [0, 3, 5]).tolist() == tamis.to_padded(*want).tolist()
    z = tamis.arange(6).reshape(2, 3)
    assert tamis.index_select(z, 1, [2, 0]).tolist() == z.index_select(1, (2, 0)).tolist() == [[2, 0], [5, 3]]
    assert tamis.take(z, [5, -1, 0]).tolist() == [5, 5, 0] and z.take([]).shape == (0,)
    assert tamis.gather(z, 1, [[0, 2], [1, 1]]).tolist() == [[0, 2], [4, 4]]
    assert z.index_add(0, [1], tamis.ones(1, 3, dtype=tamis.int64)).tolist() == [[0, 1, 2], [4, 5, 6]]
    assert z.clone().index_fill_(1, [0], 7).tolist() == [[7, 1, 2], [7, 4, 5]]
    assert tamis.masked_select(z, [True, False, True]).tolist() == [0, 2, 3, 5]
    assert tamis.masked_select(z, [[True], [False]]).tolist() == [0, 1, 2]
    assert tamis.masked_select(tamis.zeros(0), []).shape == (0,)
    assert z.masked_fill([False, True, True], 0).tolist() == [[0, 0, 0], [3, 0, 0]]
    assert tamis.masked.sum(z, 1, mask=[True, True, False]).tolist() == [1, 7]
    assert tamis.isin(z, [1, 5]).tolist() == [[False, True, False], [False, False, True]]
    assert tamis.repeat_interleave(z[0], [2, 0, 1]).tolist() == [0, 0, 2]
    assert tamis.bucketize(tamis.tensor([1.5, 9.0]), [1.0, 2.0]).tolist() == [1, 2]


@pytest.mark.parametrize("dtype", [tamis.float32, tamis.float64])
def test_a_list_of_quantiles_has_the_dtype_of_the_input(dtype):
    y = tamis.arange(11, dtype=dtype)
    assert tamis.quantile(y, [0.1, 0.5]).tolist() == tamis.quantile(y, tamis.tensor([0.1, 0.5], dtype=dtype)).tolist()
    assert tamis.quantile(y, [0.1]).dtype == dtype


def test_lists_are_checked_as_tensors_are():
    z = tamis.arange(6).reshape(2, 3)
    with pytest.raises(RuntimeError, match="expected BoolTensor for mask, but got Long"):
        tamis.masked_select(z, [1, 0, 1])
    with pytest.raises(IndexError):
        tamis.index_select(z, 0, [2])
    with pytest.raises(TypeError, match=r"argument 'index' \(position 3\) must be Tensor, not int"):
        tamis.index_select(z, 0, 1)
    with pytest.raises(TypeError, match=r"argument 'input' \(position 1\) must be Tensor, not list"):
        tamis.index_select([1, 2], 0, [1])
    with pytest.raises(TypeError, match=r"argument 'other' \(position 2\) must be Tensor, not list"):
        tamis.add(z, [1, 2, 3])


# ---- modes and printing ---------------------------------------------------------------------------------------------


def test_inference_mode_records_nothing():
    w = tamis.tensor([1.0]).requires_grad_()
    with tamis.inference_mode():
        assert not (w * 2).requires_grad and not tamis.is_grad_enabled()
        with tamis.inference_mode(False):
            assert (w * 2).requires_grad
        with tamis.inference_mode(mode=True):
            assert not (w * 2).requires_grad
    assert (w * 2).requires_grad

    @tamis.inference_mode()
    def power(n):
        return w if n == 0 else power(n - 1) * w

    assert not power(3).requires_grad and power.__name__ == "power" and tamis.is_grad_enabled()
    with tamis.no_grad():

        @tamis.inference_mode(False)
        def twice():
            return w * 2

        assert twice().requires_grad
    with pytest.raises(ZeroDivisionError):
        with tamis.inference_mode():
            1 / 0
    assert tamis.is_grad_enabled()


@pytest.fixture
def printing():
    yield
    tamis.set_printoptions(profile="default")


OPTIONS = [
    dict(precision=2), dict(precision=0), dict(precision=8), dict(threshold=5), dict(threshold=float("inf")),
    dict(threshold=0, edgeitems=1), dict(edgeitems=1), dict(linewidth=30), dict(linewidth=1), dict(profile="short"),
    dict(profile="full"), dict(profile="full", threshold=3), dict(sci_mode=True), dict(sci_mode=False),
    dict(sci_mode=True, precision=1), dict(profile="short", sci_mode=True, linewidth=200),
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_printed_text_is_torchs(printing, options):
    torch = pytest.importorskip("torch")
    rng = np.random.RandomState(2)
    arrays = [rng.randn(3, 4), rng.randn(9) * 1e6, np.arange(12).reshape(3, 4), rng.randn(40, 30).astype("float32"),
              np.array([1.0, 2.0, 1e9]), np.array([1e-6, 1.0], "float32"), rng.rand(2, 2, 9) > 0.5, np.array(2.5),
              np.zeros((2, 0)), np.array([np.nan, np.inf, 1.0]), rng.randn(7) + 1j * rng.randn(7),
              np.arange(2000, dtype="int32"), np.arange(3.0, dtype="float16")]
    try:
        torch.set_printoptions(**options)
        tamis.set_printoptions(**options)
        for a in arrays:
            assert repr(tamis.tensor(a)) == repr(torch.tensor(a))
    finally:
        torch.set_printoptions(profile="default")


def test_options_of_printing_stay_until_they_are_changed(printing):
    tamis.set_printoptions(precision=2, sci_mode=True)
    tamis.set_printoptions(edgeitems=1)
    assert tamis.get_printoptions() == dict(precision=2, threshold=1000, edgeitems=1, linewidth=80, sci_mode=None)
    with pytest.raises(RuntimeError, match="profile must be 'default', 'short' or 'full', but got 'long'"):
        tamis.set_printoptions(profile="long", precision=7)
    with pytest.raises(RuntimeError, match="edgeitems must be at least 1, but got 0"):
        tamis.set_printoptions(edgeitems=0)
    assert tamis.get_printoptions()["precision"] == 2 and tamis.get_printoptions()["edgeitems"] == 1


# ---- nn.functional --------------------------------------------------------------------------------------------------


def test_functional_has_what_torchs_has():
    torch = pytest.importorskip("torch")
    import tamis.nn.functional as F

    theirs = torch.nn.functional
    functions = {n for n in dir(theirs) if not n.startswith("_") and callable(getattr(theirs, n))
                 and not isinstance(getattr(theirs, n), type) and getattr(theirs, n).__module__ != "typing"}
    functions.add("scaled_dot_product_attention")  # since 2.0
    alone = {"dropout1d", "dropout2d", "dropout3d", "gumbel_softmax", "linear", "triplet_margin_with_distance_loss"}
    assert sorted(n for n in functions if hasattr(tamis, n)) == sorted(
        n for n in F.__all__ if n[-1] != "_" and n not in alone
    )
    assert set(F.__all__) < functions and tamis.nn.functional is F
    for name in F.__all__:
        assert getattr(F, name).__doc__, name


def test_functional_takes_torchs_arguments():
    torch = pytest.importorskip("torch")
    import tamis.nn.functional as F

    theirs = torch.nn.functional
    x, target = [[0.5, -1.0, 2.0], [1.5, 0.25, -0.5]], [2, 0]
    p = [[0.2, 0.3, 0.5], [0.6, 0.3, 0.1]]
    calls = [
        lambda lib, F: F.relu(lib.tensor(x), inplace=False), lambda lib, F: F.relu(lib.tensor(x), True),
        lambda lib, F: F.relu_(lib.tensor(x)), lambda lib, F: F.softmax(lib.tensor(x), dim=1, dtype=lib.float64),
        lambda lib, F: F.log_softmax(lib.tensor(x), dim=-1), lambda lib, F: F.softmin(lib.tensor(x), dim=0),
        lambda lib, F: F.sigmoid(lib.tensor(x)), lambda lib, F: F.tanh(input=lib.tensor(x)),
        lambda lib, F: F.mse_loss(lib.tensor(x), lib.tensor(p), reduction="sum"),
        lambda lib, F: F.l1_loss(input=lib.tensor(x), target=lib.tensor(p), reduction="none"),
        lambda lib, F: F.huber_loss(lib.tensor(x), lib.tensor(p), "sum", 0.5),
        lambda lib, F: F.huber_loss(lib.tensor(x), lib.tensor(p), reduction="mean", delta=2.0),
        lambda lib, F: F.smooth_l1_loss(lib.tensor(x), lib.tensor(p), beta=0.5),
        lambda lib, F: F.cross_entropy(lib.tensor(x), lib.tensor(target), weight=lib.tensor([1.0, 2.0, 3.0]),
                                       ignore_index=0, reduction="sum", label_smoothing=0.1),
        lambda lib, F: F.nll_loss(lib.tensor(p), lib.tensor(target), lib.tensor([1.0, 2.0, 3.0]), ignore_index=-100),
        lambda lib, F: F.binary_cross_entropy(lib.tensor(p), lib.tensor(p), weight=lib.tensor([1.0, 2.0, 3.0])),
        lambda lib, F: F.binary_cross_entropy_with_logits(lib.tensor(x), lib.tensor(p),
                                                          pos_weight=lib.tensor([1.0, 2.0, 3.0]), reduction="none"),
        lambda lib, F: F.pad(lib.tensor(x), (1, 0, 0, 2), mode="constant", value=7),
        lambda lib, F: F.one_hot(lib.tensor(target), num_classes=4),
        lambda lib, F: F.normalize(lib.tensor(x), p=1.0, dim=0, eps=1e-6),
        *[lambda lib, F, n=n: getattr(F, n)(lib.tensor(x)) for n in (
            "gelu", "logsigmoid", "softplus", "softsign", "hardshrink", "softshrink", "tanhshrink")],
        lambda lib, F: F.gelu(lib.tensor(x), approximate="tanh"), lambda lib, F: F.glu(lib.tensor(x), dim=0),
        lambda lib, F: F.prelu(lib.tensor(x), lib.tensor([0.25])), lambda lib, F: F.softplus(lib.tensor(x), 2, 1.5),
        *[lambda lib, F, n=n, i=i: getattr(F, n)(lib.tensor(x), inplace=i) for i in (False, True) for n in (
            "celu", "elu", "hardsigmoid", "hardswish", "hardtanh", "leaky_relu", "mish", "relu6", "selu", "silu")],
        *[lambda lib, F, n=n: getattr(F, n)(lib.tensor(x)) for n in ("celu_", "elu_", "hardtanh_", "leaky_relu_", "selu_")],
        lambda lib, F: F.elu(lib.tensor(x), 0.5), lambda lib, F: F.celu(lib.tensor(x), alpha=0.5),
        lambda lib, F: F.hardtanh(lib.tensor(x), -0.5, 0.75), lambda lib, F: F.leaky_relu(lib.tensor(x), 0.3),
        lambda lib, F: F.threshold(lib.tensor(x), 0.3, -2.0), lambda lib, F: F.threshold_(lib.tensor(x), 0.3, -2.0),
    ]
    for call in calls:
        got, want = call(tamis, F), call(torch, theirs)
        assert str(got.dtype)[6:] == str(want.dtype)[6:]
        np.testing.assert_allclose(got.numpy(), want.numpy(), rtol=1e-6)


def test_functional_works_in_place_and_with_masks():
    import tamis.nn.functional as F

    y = tamis.tensor([-1.0, 2.0])
    assert F.relu(y, inplace=True) is y and y.tolist() == [0, 2]
    y = tamis.tensor([-1.0, 2.0, 9.0])
    assert F.relu6(y, inplace=True) is y and y.tolist() == [0, 2, 6]
    assert F.threshold(y, 1, 7, inplace=True) is y and y.tolist() == [7, 2, 6]
    a = np.array([-1.0, 2.0])
    assert isinstance(F.relu(a), np.ndarray) and F.relu(a).tolist() == [0, 2]
    assert F.huber_loss(tamis.tensor([1.0, 9.0]), tamis.zeros(2), mask=tamis.tensor([True, False])) == 0.5


# ---- calling a tensor -----------------------------------------------------------------------------------------------


def test_only_data_frames_may_call_a_tensor():
    assert callable(x)
    for arguments in ((), (1,), (x,), (np.zeros(2),), (None,), (1, 2)):
        with pytest.raises(TypeError, match="'tamis.Tensor' object is not callable"):
            x(*arguments)
    with pytest.raises(TypeError, match="not callable"):
        x(frame=1)
    # What asks callable() first must go on as before.
    assert np.asarray(x).tolist() == x.tolist() and np.array([x, x]).shape == (2, 2, 2)
    assert np.where(x > 0, x, 0).tolist() == [[1.5, 0], [0, 4]]
    assert copy.copy(x).tolist() == copy.deepcopy(x).tolist() == pickle.loads(pickle.dumps(x)).tolist() == x.tolist()
    torch = pytest.importorskip("torch")
    assert torch.from_dlpack(x).tolist() == x.tolist()
