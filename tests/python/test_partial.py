"""tamis.partial: against math.fsum, fractions and NumPy, in parts that are merged in any order, pickled and not."""

import ast
import copy
import fractions
import math
import pathlib
import pickle
import random

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra import numpy as hnp

import tamis
from tamis import partial

FLOATS = st.floats(allow_nan=False, allow_infinity=False)
MODERATE = st.floats(min_value=-1e150, max_value=1e150)


def nearest(value):
    """The float64 nearest to a fraction. Python divides integers with correct rounding."""
    try:
        return value.numerator / value.denominator
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def pieces(array, seed, axis=0):
    """An array cut along an axis, with the start of each part, in random order."""
    rng = random.Random(seed)
    parts, at = [], 0
    while at < array.shape[axis]:
        end = min(array.shape[axis], at + rng.randint(1, 1 + array.shape[axis] // 2))
        parts.append((at, np.take(array, range(at, end), axis)))
        at = end
    rng.shuffle(parts)
    return parts


def merged(states, seed=0):
    rng = random.Random(seed)
    states = list(states)
    while len(states) > 1:
        rng.shuffle(states)
        last = states.pop()
        if rng.random() < 0.5:
            last = pickle.loads(pickle.dumps(last))
        states[-1] = states[-1].merge(last)
    return states[0]


def same_bits(result, expected):
    result, expected = result.numpy(), np.asarray(expected)
    assert result.dtype == expected.dtype and result.shape == expected.shape
    assert result.tobytes() == expected.tobytes(), (result, expected)


@given(st.lists(FLOATS, min_size=1, max_size=60), st.integers(0, 1000))
def test_sums_are_those_of_fsum(values, seed):
    array = np.array(values)
    try:
        expected = math.fsum(values) + 0.0
    except OverflowError:
        expected = nearest(sum(map(fractions.Fraction, values)))
    assert tamis.sum(array, exact=True).tobytes() == np.float64(expected).tobytes()
    state = merged((partial.Sum(part) for _, part in pieces(array, seed)), seed)
    same_bits(state.finish(), np.float64(expected))


def test_sums_of_many_are_those_of_fsum():
    rng = np.random.default_rng(0)
    for scale in (1, 40, 300):
        values = rng.standard_normal(50_001) * 2.0 ** rng.integers(-scale, scale, 50_001)
        values = np.concatenate([values, -values[:40_000]])
        rng.shuffle(values)
        assert float(tamis.sum(tamis.tensor(values), exact=True)) == math.fsum(values)
        mask = values > 0
        assert float(tamis.masked.sum(tamis.tensor(values), mask=tamis.tensor(mask), exact=True)) == math.fsum(values[mask])
        f32 = values.clip(-1e30, 1e30).astype(np.float32)
        expected = np.float32(nearest(sum(map(fractions.Fraction, f32.astype(float).tolist()))))
        # Rounding to float64 first is as good here: no sum lies that near to a tie.
        assert tamis.sum(f32, exact=True) == expected


@settings(max_examples=60)
@given(hnp.arrays(np.float64, st.integers(2, 30), elements=MODERATE), st.integers(0, 1000), st.sampled_from([0, 1, 0.5]))
def test_moments_are_those_of_fractions(array, seed, correction):
    exact = [fractions.Fraction(v) for v in array.tolist()]
    n = len(exact)
    mean = sum(exact) / n
    var = sum((v - mean) ** 2 for v in exact) / (n - fractions.Fraction(correction))
    state = merged((partial.Moments(part) for _, part in pieces(array, seed)), seed)
    assert int(state.count()) == n
    same_bits(state.mean(), np.float64(nearest(mean)) + 0.0)
    same_bits(state.var(correction), np.float64(nearest(var)))
    # The root lies between the numbers half way to its neighbours.
    std = float(state.std(correction))
    if math.isfinite(std) and std > 1e-300:
        below = (fractions.Fraction(std) + fractions.Fraction(np.nextafter(std, 0))) / 2
        above = (fractions.Fraction(std) + fractions.Fraction(np.nextafter(std, np.inf))) / 2
        assert below**2 <= var <= above**2
    x = tamis.tensor(array)
    same_bits(x.mean(exact=True), state.mean().numpy())
    same_bits(x.var(correction=correction, exact=True), state.var(correction).numpy())
    same_bits(tamis.masked.std(x, correction=correction, exact=True), state.std(correction).numpy())


def test_moments_of_integers():
    array = np.array([2**62, 2**62 + 3, -5, 2**62 - 1], dtype=np.int64)
    exact = [fractions.Fraction(int(v)) for v in array]
    mean = sum(exact) / 4
    state = partial.Moments(array)
    assert state.mean().dtype == tamis.float32
    assert float(state.mean(dtype=tamis.float64)) == nearest(mean)
    assert float(state.var(0, dtype=tamis.float64)) == nearest(sum((v - mean) ** 2 for v in exact) / 4)
    assert float(state.sum(dtype=tamis.float64)) == nearest(sum(exact))
    assert int(state.sum()) == (3 * 2**62 - 3 + 2**63) % 2**64 - 2**63  # wraps, as sum does


def test_reductions_along_dimensions():
    rng = np.random.default_rng(1)
    array = rng.integers(-3, 4, (6, 5, 8)).astype(np.float32)
    mask = rng.random(array.shape) < 0.7
    for dim in (0, -1, (0, 2), None):
        for keepdim in (False, True):
            sums, counts, extremes = [], [], []
            for at in (4, 0, 2):  # along the first dimension, which must be reduced
                if dim == -1:
                    continue
                x, m = array[at : at + 2], mask[at : at + 2]
                sums.append(partial.Sum(x, m, dim=dim, keepdim=keepdim))
                counts.append(partial.Count(x, m, dim=dim, keepdim=keepdim))
                extremes.append(partial.Extremes(x, m, dim=dim, keepdim=keepdim, shape=array.shape, offset=(at, 0, 0)))
            if dim == -1:
                sums, counts = [partial.Sum(array, mask, dim=dim, keepdim=keepdim)], [partial.Count(array, mask, dim=dim, keepdim=keepdim)]
                extremes = [partial.Extremes(array, mask, dim=dim, keepdim=keepdim)]
            same_bits(merged(sums).finish(), (array * mask).sum(dim, keepdims=keepdim) + np.float32(0))
            same_bits(merged(counts).finish(), mask.sum(dim, keepdims=keepdim))
            low, low_at, high, high_at = merged(extremes).finish()
            np.testing.assert_array_equal(low.numpy(), np.where(mask, array, np.inf).min(dim, keepdims=keepdim))
            if not isinstance(dim, tuple):
                expected = np.where(mask.any(dim), np.where(mask, array, -np.inf).argmax(dim), -1)
                np.testing.assert_array_equal(high_at.numpy().reshape(expected.shape), expected)


def test_selected_elements_in_any_chunks():
    rng = np.random.default_rng(2)
    array = rng.standard_normal((7, 6, 5))
    mask = rng.random(array.shape) < 0.4
    for cuts in ((3, 2, 2), (7, 6, 5), (1, 1, 1), (2, 6, 3)):
        states = []
        for i in range(0, 7, cuts[0]):
            for j in range(0, 6, cuts[1]):
                for k in range(0, 5, cuts[2]):
                    box = (slice(i, i + cuts[0]), slice(j, j + cuts[1]), slice(k, k + cuts[2]))
                    states.append(partial.Selected(array[box], mask[box], shape=array.shape, offset=(i, j, k)))
        whole = states[0].merge(*states[1:]) if len(states) > 1 else states[0]
        same_bits(whole.finish(), array[mask])
        same_bits(whole.coordinates(), np.argwhere(mask))
        same_bits(whole.indices(), np.flatnonzero(mask))
        assert len(whole) == mask.sum() and whole.shape == array.shape
        # An output chunk by its positions, as a scheduler would.
        places = states[0].without_values().merge(*(s.without_values() for s in states[1:])) if len(states) > 1 else states[0].without_values()
        a, b = 10, 25
        start, stop = places.position(a), places.position(b)
        parts = [s.between(start, stop) for s in states]
        chunk = parts[0].merge(*parts[1:]) if len(parts) > 1 else parts[0]
        same_bits(chunk.values(), array[mask][a:b])
    with pytest.raises(RuntimeError, match="positions only"):
        whole.without_values().finish()
    with pytest.raises(IndexError):
        whole.position(len(whole))


@given(hnp.arrays(np.float64, st.integers(1, 60), elements=st.sampled_from([0.0, -0.0, 1.5, -2.0, 3.0, np.nan, np.inf])), st.integers(0, 1000))
def test_top_k_and_unique(array, seed):
    parts = pieces(array, seed)
    k = seed % 7
    top = merged((partial.TopK(p, k, shape=array.shape, offset=(at,)) for at, p in parts), seed)
    values, indices = top.finish()
    keys = np.where(np.isnan(array), np.inf, array)
    order = np.lexsort((np.arange(len(array)), -keys, ~np.isnan(array)))[:k]
    np.testing.assert_array_equal(indices.numpy(), order)
    np.testing.assert_array_equal(values.numpy(), array[order])
    unique = merged((partial.Unique(p, shape=array.shape, offset=(at,)) for at, p in parts), seed)
    found, first, counts = (t.numpy() for t in unique.finish(return_counts=True, return_index=True))
    e_found, e_first, e_counts = np.unique(array[~np.isnan(array)], return_index=True, return_counts=True)
    n = len(e_found)
    np.testing.assert_array_equal(found[:n], e_found)
    np.testing.assert_array_equal(counts[:n], e_counts)
    np.testing.assert_array_equal(first[:n], np.flatnonzero(~np.isnan(array))[e_first])
    assert np.isnan(found[n:]).all() and len(found) - n == np.isnan(array).sum()


def search(parts, **wanted):
    found = None
    for number in range(1, 6):
        state = merged(partial.Histogram(p, search=found) for p in parts)
        found = state.search(**(wanted if found is None else {}))
        if found.done:
            return found.finish(), number
        found = pickle.loads(pickle.dumps(found))
    raise AssertionError("more than five passes")


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_quantiles_are_those_of_numpy(dtype):
    rng = np.random.default_rng(3)
    array = np.exp(3 * rng.standard_normal(200_000)).astype(dtype)
    parts = [p for _, p in pieces(array, 4)]
    q = [0.0, 0.001, 0.25, 0.5, 0.999, 1.0]
    found, passes = search(parts, q=q, interpolation="lower")
    assert passes == 2
    np.testing.assert_array_equal(found.numpy(), np.quantile(array, q, method="lower"))
    linear, _ = search(parts, q=q)
    same_bits(linear, tamis.quantile(tamis.tensor(array), tamis.tensor(np.array(q, dtype))).numpy())
    np.testing.assert_allclose(linear.numpy(), np.quantile(array, q), rtol=1e-5)
    same_bits(search(parts, median=True)[0], np.sort(array)[(len(array) - 1) // 2])
    same_bits(search(parts, k=17)[0], np.sort(array)[16])


@pytest.mark.parametrize("dtype", [np.int64, np.uint64, np.int32, np.int16, np.uint8, bool])
def test_ranks_of_integers(dtype):
    rng = np.random.default_rng(5)
    info = (0, 1) if dtype is bool else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    array = rng.integers(*info, 20_000, endpoint=True, dtype=dtype if dtype is not bool else np.uint8).astype(dtype)
    array[:5000] = rng.integers(0, 2, 5000).astype(dtype)
    ranks = [0, 1, 77, 10_000, 19_999]
    found, passes = search([p for _, p in pieces(array, 1)], ranks=ranks)
    assert passes <= partial.Histogram.passes(tamis.tensor(array).dtype)
    np.testing.assert_array_equal(found.numpy(), np.sort(array)[ranks])


def test_nan_and_nothing():
    x = np.array([1.0, np.nan, 3.0])
    assert math.isnan(float(search([x], q=0.5)[0]))
    assert float(search([x], q=0.5, ignore_nan=True)[0]) == 2.0
    assert math.isnan(float(search([x], k=3)[0])) and float(search([x], k=2)[0]) == 3.0
    empty = np.zeros(0)
    assert math.isnan(float(search([empty], q=0.5)[0]))
    assert float(partial.Sum(empty).finish()) == 0.0
    assert math.isnan(float(partial.Moments(empty).mean()))
    assert [float(t) for t in partial.Extremes(empty).finish()] == [np.inf, -1, -np.inf, -1]
    assert len(partial.Selected(empty, empty > 0)) == 0
    none = partial.Sum(x[:0]).merge(partial.Sum(x[2:]))
    assert float(none.finish()) == 3.0


def test_states_are_values():
    a, b = partial.Sum(np.ones(3)), partial.Sum(np.ones(4))
    c = a.merge(b)
    assert (float(a.finish()), float(b.finish()), float(c.finish())) == (3, 4, 7)
    assert float(copy.deepcopy(c).finish()) == 7
    assert c.to_bytes() == partial.Sum.from_bytes(c.to_bytes()).to_bytes() == b.merge(a).to_bytes()
    assert type(pickle.loads(pickle.dumps(c))) is partial.Sum and partial.Sum.__module__ == "tamis.partial"
    assert float(a.merge(a, a, a).finish()) == 12
    with pytest.raises(ValueError, match="checksum"):
        partial.Sum.from_bytes(c.to_bytes()[:-1] + b"\0")
    with pytest.raises(ValueError, match="another kind"):
        partial.Count.from_bytes(c.to_bytes())
    with pytest.raises(RuntimeError, match="same dtype"):
        a.merge(partial.Sum(np.ones(3, np.float32)))
    with pytest.raises(TypeError):
        a.merge(partial.Count(np.ones(3)))
    with pytest.raises(TypeError, match="must be an array"):
        partial.Sum("abc")


def test_stubs_name_all_classes_and_methods():
    stub = pathlib.Path(__file__).resolve().parents[2] / "python" / "tamis" / "partial.pyi"
    classes = {node.name: node for node in ast.parse(stub.read_text()).body if isinstance(node, ast.ClassDef)}
    states = {n: v for n, v in vars(partial).items() if isinstance(v, type)}
    assert set(classes) == set(states)
    for name, state in states.items():
        methods = {n for n, v in vars(state).items() if not n.startswith("_")}
        assert methods == {n.name for n in classes[name].body if not n.name.startswith("_")}
