"""Every command against NumPy: dtypes, shapes, broadcasting, conditions."""

import json

import numpy as np
import pytest

from conftest import same

DTYPES = ["bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "float16", "float32", "float64"]
SHAPES = [(), (0,), (1,), (17,), (3, 5), (0, 4), (2, 3, 4), (2, 1, 3, 2)]


def sample(rng, shape, dtype):
    x = rng.integers(0, 7, shape) if np.dtype(dtype).kind in "biu" else rng.normal(size=shape) * 3
    return np.asarray(x).astype(dtype)


# ---- select -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_select_keeps_elements_in_order(sh, rng, shape, dtype):
    x = sample(rng, shape, dtype)
    sh.save(x=x)
    out = sh.run("select", "x.npy", "--where", "x > 1", "-o", "out.npy")
    assert same(sh.load("out.npy"), x[x > 1])
    assert out.stderr.startswith(f"kept {np.count_nonzero(x > 1)} of {x.size}")
    assert out.stdout == b"" and sh.leftovers() == []


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_select_takes_complex_numbers(sh, rng, dtype):
    x = (rng.normal(size=20) + 1j * rng.normal(size=20)).astype(dtype)
    sh.save(x=x)
    sh.run("select", "x.npy", "--where", "abs(x) > 1 & real(x) < 2", "-o", "out.npy")
    assert same(sh.load("out.npy"), x[(np.abs(x) > 1) & (x.real < 2)])


def test_select_as_in_the_documentation(sh, rng):
    x = rng.normal(size=(100, 30)).astype("f4") * 4
    x[rng.random(x.shape) < 0.1] = np.nan
    sh.save(x=x)
    sh.run("select", "x.npy", "--where", "x > 3 & ~isnan(x)", "-o", "out.npy")
    assert same(sh.load("out.npy"), x[(x > 3) & ~np.isnan(x)])


def test_select_broadcasts_several_files(sh, rng):
    x, y, z = rng.normal(size=(4, 1, 6)), rng.normal(size=(5, 1)), rng.normal(size=6)
    sh.save(a=x, b=y, c=z)
    sh.run("select", "p=a.npy", "q=b.npy", "c.npy", "-w", "p + q > x", "-o", "out.npy")
    full = np.broadcast_to(x, (4, 5, 6))
    assert same(sh.load("out.npy"), full[x + y > z])


def test_unnamed_files_are_x_y_and_z(sh):
    sh.save(a=np.arange(5), b=np.full(5, 2), c=np.full(5, 4))
    sh.run("select", "a.npy", "b.npy", "c.npy", "-w", "y <= x < z", "-o", "out.npy")
    assert sh.load("out.npy").tolist() == [2, 3]


@pytest.mark.parametrize("condition, expected", [
    ("0 < x <= 3", lambda x, i, j: (0 < x) & (x <= 3)),
    ("x % 2 == 0 | x < 0", lambda x, i, j: (x % 2 == 0) | (x < 0)),
    ("x ** 2 > 10 and not x > 4", lambda x, i, j: (x**2 > 10) & ~(x > 4)),
    ("i > j", lambda x, i, j: i > j),
    ("(i + j) % 2 == 0 & x > 0", lambda x, i, j: ((i + j) % 2 == 0) & (x > 0)),
    ("isin(x, [2, 4, 7])", lambda x, i, j: np.isin(x, [2, 4, 7])),
    ("where(x > 0, x, -x) >= 5", lambda x, i, j: np.where(x > 0, x, -x) >= 5),
    ("x & 3 == 1", None),  # comparisons bind tighter, so this is no condition
    ("(x & 3) == 1", lambda x, i, j: (x & 3) == 1),
    ("x > mean(x) + std(x)", lambda x, i, j: x > x.mean() + x.std(ddof=1)),
    ("x >= q(0.05) & x <= q(0.95)", lambda x, i, j: (x >= np.quantile(x, 0.05)) & (x <= np.quantile(x, 0.95))),
    ("x == max(x) | x == min(x)", lambda x, i, j: (x == x.max()) | (x == x.min())),
    ("maximum(x, 3) != 3", lambda x, i, j: np.maximum(x, 3) != 3),
    ("sqrt(abs(x)) > 2", lambda x, i, j: np.sqrt(np.abs(x)) > 2),
    ("true", lambda x, i, j: np.ones(x.shape, bool)),
    ("x // -3 == -1", lambda x, i, j: x // -3 == -1),
    ("count(x > 0) > 1000", lambda x, i, j: np.zeros(x.shape, bool)),
])
def test_conditions_mean_what_numpy_means(sh, rng, condition, expected):
    x = rng.integers(-9, 10, (12, 12))
    sh.save(x=x)
    if expected is None:
        assert "a condition must be bool" in sh.refuses("select", "x.npy", "-w", condition, "-o", "o.npy", code=1)
        return
    i, j = np.indices(x.shape)
    sh.run("select", "x.npy", "-w", condition, "-o", "o.npy")
    assert same(sh.load("o.npy"), x[expected(x, i, j)])


def test_sets_may_come_from_a_file(sh, rng):
    x = rng.integers(0, 1000, 5000)
    ids = rng.integers(0, 1000, 200)
    sh.save(x=x, ids=ids)
    sh.run("select", "x.npy", "ids=ids.npy", "-w", "isin(x, ids)", "-o", "o.npy")
    assert same(sh.load("o.npy"), x[np.isin(x, ids)])
    sh.run("select", "x.npy", "ids=ids.npy", "-w", "isin(x, ids, invert=true) & isin(x + 1, ids)", "-o", "o.npy")
    assert same(sh.load("o.npy"), x[~np.isin(x, ids) & np.isin(x + 1, ids)])


@pytest.mark.parametrize("dtype", ["i8", "f4", "i2"])
def test_a_set_serves_all_windows(sh, rng, dtype):
    x = rng.integers(-30_000, 30_000, 1_000_000).astype(dtype)
    ids = rng.integers(-30_000, 30_000, 20_000).astype("i4")
    sh.save(x=x, ids=ids)
    sh.run("select", "x.npy", "ids=ids.npy", "-w", "isin(x, ids)", "-o", "o.npy")
    assert same(sh.load("o.npy"), x[np.isin(x, ids)])


# ---- fill -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_fill_writes_a_number(sh, rng, shape, dtype):
    x = sample(rng, shape, dtype)
    sh.save(x=x)
    sh.run("fill", "x.npy", "--where", "isin(x, [0, 2, 4])", "--value", "1", "-o", "out.npy")
    assert same(sh.load("out.npy"), np.where(np.isin(x, [0, 2, 4]), np.array(1, dtype), x))


def test_fill_refuses_fractions_in_arrays_of_integers(sh):
    sh.save(x=np.arange(5))
    for value in ("2.5", "mean(x) + 0.1", "nan", "inf"):
        text = sh.refuses("fill", "x.npy", "-w", "x > 3", "--value", value, "-o", "out.npy", code=1)
        assert text.startswith("--value: "), value
    sh.run("fill", "x.npy", "-w", "x > 3", "--value", "round(mean(x) + 0.1)", "-o", "out.npy")
    assert same(sh.load("out.npy"), np.array([0, 1, 2, 3, 2]))


def test_fill_takes_expressions(sh, rng):
    x = rng.normal(size=(6, 5))
    x[2, 3] = np.nan
    y = rng.normal(size=5)
    sh.save(x=x, y=y)
    sh.run("fill", "x.npy", "-w", "isnan(x)", "--value", "mean(x)", "-o", "mean.npy")
    assert np.allclose(sh.load("mean.npy"), np.where(np.isnan(x), np.nanmean(x), x), rtol=1e-14)
    sh.run("fill", "x=x.npy", "y=y.npy", "-w", "x > y", "--value", "y", "-o", "y_out.npy")
    assert same(sh.load("y_out.npy"), np.where(x > y, y, x))


@pytest.mark.parametrize("value, expected", [("-1", -1), ("-2.5", -2.5), ("nan", np.nan), ("-inf", -np.inf)])
def test_fill_takes_signed_values(sh, value, expected):
    sh.save(x=np.arange(4.0))
    sh.run("fill", "x.npy", "-w", "x > 1", "--value", value, "-o", "out.npy")
    assert same(sh.load("out.npy"), np.array([0, 1, expected, expected], "f8"))


def test_fill_broadcasts_to_the_condition(sh):
    sh.save(x=np.arange(3), y=np.arange(2).reshape(2, 1))
    sh.run("fill", "x.npy", "y.npy", "-w", "x == y", "--value", "9", "-o", "out.npy")
    assert sh.load("out.npy").tolist() == [[9, 1, 2], [0, 9, 2]]


def test_fill_refuses_what_does_not_fit(sh):
    sh.save(x=np.arange(5, dtype="i1"))
    assert "overflow" in sh.refuses("fill", "x.npy", "-w", "x > 1", "--value", "1000", "-o", "out.npy", code=1)
    text = sh.refuses("fill", "x.npy", "-w", "x > 1", "--value", "x / 2", "-o", "out.npy", code=1)
    assert "float64 cannot be stored in an array of int8" in text
    assert not sh.path("out.npy").exists()


# ---- count ------------------------------------------------------------------------------------------------


def test_count_prints_a_number(sh, rng):
    x = rng.normal(size=(50, 4))
    sh.save(x=x)
    assert sh.run("count", "x.npy", "--where", "x > 0").stdout == f"{np.sum(x > 0)}\n".encode()
    out = json.loads(sh.run("count", "x.npy", "--where", "x > 0", "--json").stdout)
    assert out == {"count": np.sum(x > 0), "total": 200}


@pytest.mark.parametrize("dims", [(0,), (1,), (2,), (-1,), (0, 2), (0, 1, 2)], ids=str)
def test_count_along_dimensions(sh, rng, dims):
    x = rng.normal(size=(5, 3, 4))
    sh.save(x=x)
    option = ",".join(map(str, dims))
    expected = np.count_nonzero(x > 0, axis=dims)
    out = json.loads(sh.run("count", "x.npy", "-w", "x > 0", "--json", f"--dim={option}").stdout)
    assert np.array_equal(out["count"], expected)
    assert out["dim"] == sorted(d % 3 for d in dims)
    sh.run("count", "x.npy", "-w", "x > 0", f"--dim={option}", "-o", "c.npy")
    assert same(sh.load("c.npy"), np.asarray(expected, "i8"))
    text = sh.run("count", "x.npy", "-w", "x > 0", f"--dim={option}").stdout.decode()
    assert [int(w) for w in text.split()] == np.ravel(expected).tolist()


def test_count_as_in_the_documentation(sh, rng):
    x = rng.normal(size=(40, 6))
    sh.save(x=x)
    text = sh.run("count", "x.npy", "--where", "x >= q(0.05) & x <= q(0.95)", "--dim", "0").stdout
    low, high = np.quantile(x, [0.05, 0.95])
    assert text == "".join(f"{n}\n" for n in np.sum((x >= low) & (x <= high), 0)).encode()


def test_count_prints_matrices_with_lines_between(sh):
    sh.save(x=np.ones((2, 2, 3, 4)))
    text = sh.run("count", "x.npy", "-w", "x > 0", "--dim", "3").stdout.decode()
    assert text == "4 4 4\n4 4 4\n\n4 4 4\n4 4 4\n"


def test_count_along_dimensions_of_large_arrays(sh, rng):
    x = rng.integers(0, 9, (700, 3, 1000), "u1")
    sh.save(x=x)
    for dim in range(3):
        sh.run("count", "x.npy", "-w", "x > 4", "--dim", dim, "-o", "c.npy")
        assert np.array_equal(sh.load("c.npy"), np.count_nonzero(x > 4, axis=dim))


# ---- stats ------------------------------------------------------------------------------------------------


def close(a, b):
    return a is None and np.isnan(b) or np.isclose(a, b, rtol=1e-12, atol=0)


@pytest.mark.parametrize("dtype", DTYPES[1:])
def test_stats_of_all_elements(sh, rng, dtype):
    x = sample(rng, (200, 30), dtype)
    sh.save(x=x)
    out = json.loads(sh.run("stats", "x.npy", "--json").stdout)
    d = x.astype("f8")
    assert (out["count"], out["total"], out["nan"], out["inf"]) == (6000, 6000, 0, 0)
    assert close(out["sum"], d.sum()) and close(out["mean"], d.mean()) and close(out["std"], d.std(ddof=1))
    assert (out["min"], out["max"]) == (d.min(), d.max())
    for p in (0.05, 0.25, 0.5, 0.75, 0.95):
        assert close(out[f"q({p})"], np.quantile(d, p))


def test_stats_of_two_files(sh, rng):
    x, y = rng.normal(size=(500, 20)), rng.normal(size=20)
    sh.save(a=x, b=y)
    out = json.loads(sh.run("stats", "x=a.npy", "y=b.npy", "--where", "x > y", "--json", "--quantiles", "0.1").stdout)
    kept = x[x > y]
    assert (out["count"], out["total"]) == (kept.size, x.size)
    assert close(out["mean"], kept.mean()) and close(out["std"], kept.std(ddof=1))
    assert close(out["q(0.1)"], np.quantile(kept, 0.1)) and "q(0.5)" not in out


def test_stats_count_nan_and_infinities(sh):
    sh.save(x=np.array([1, np.nan, 3, np.inf, -np.inf, np.nan, 8], "f4"))
    out = json.loads(sh.run("stats", "x.npy", "--json").stdout)
    assert (out["count"], out["nan"], out["inf"]) == (7, 2, 2)
    assert (out["min"], out["max"], out["q(0.5)"]) == ("-inf", "inf", 3)
    assert out["sum"] is None
    text = sh.run("stats", "x.npy", "-w", "isfinite(x)").stdout.decode()
    assert text.split() == ("count 3 total 7 nan 0 inf 0 sum 12 mean 4 std 3.605551 min 1 q(0.05) 1.2 q(0.25) 2 "
                            "q(0.5) 3 q(0.75) 5.5 q(0.95) 7.5 max 8").split()


def test_stats_print_nan_without_a_sign(sh):
    sh.save(x=np.array([np.inf, -np.inf]))
    words = sh.run("stats", "x.npy").stdout.decode().split()
    assert words[words.index("sum") + 1] == "nan" and "-nan" not in words


def test_stats_of_nothing(sh):
    sh.save(x=np.arange(3.0))
    out = json.loads(sh.run("stats", "x.npy", "-w", "x > 5", "--json").stdout)
    assert out["count"] == 0 and out["sum"] == 0 and out["mean"] is None and out["q(0.5)"] is None


def test_stats_sum_integers_exactly(sh):
    x = np.array([2**62, 2**62, -(2**62), 12345], "i8")
    sh.save(x=x)
    assert json.loads(sh.run("stats", "x.npy", "--json").stdout)["sum"] == 2**62 + 12345


# ---- mask and partition -----------------------------------------------------------------------------------


def test_mask_from_lengths(sh):
    lengths = np.array([[3, 0], [512, 7]])
    sh.save(lens=lengths)
    sh.run("mask", "--lengths", "lens.npy", "--max-len", "512", "-o", "mask.npy")
    assert same(sh.load("mask.npy"), np.arange(512) < lengths[..., None])
    sh.run("mask", "--lengths", "lens.npy", "-o", "mask.npy")
    assert sh.load("mask.npy").shape == (2, 2, 512)
    text = sh.refuses("mask", "--lengths", "lens.npy", "--max-len", "100", "-o", "mask.npy", code=1)
    assert "length 512 is out of range [0, 100]" in text


@pytest.mark.parametrize("condition, expected", [
    ("causal(5)", np.tri(5, dtype=bool)),
    ("causal(3, 5, 2)", np.tri(3, 5, 2, dtype=bool)),
    ("band(4, 6, 1, 2)", np.tri(4, 6, 2, dtype=bool) & ~np.tri(4, 6, -2, dtype=bool)),
    ("causal(2000) & sliding_window(2000, 100)", np.tri(2000, dtype=bool) & ~np.tri(2000, k=-100, dtype=bool)),
    ("from_indices([2, 3], [0, -1])", np.array([[1, 0, 0], [0, 0, 1]], bool)),
    ("causal(4) | i == 0", np.tri(4, dtype=bool) | (np.arange(4) == 0)[:, None]),
])
def test_mask_from_builders(sh, condition, expected):
    sh.run("mask", "--where", condition, "-o", "mask.npy")
    assert same(sh.load("mask.npy"), expected)


def test_mask_of_a_condition(sh, rng):
    x, ids = rng.normal(size=(3, 7)), np.array([0, 0, 1, 1, 2])
    sh.save(x=x, ids=ids)
    sh.run("mask", "x.npy", "-w", "x > 0", "-o", "mask.npy")
    assert same(sh.load("mask.npy"), x > 0)
    sh.run("mask", "ids=ids.npy", "-w", "documents(ids)", "-o", "mask.npy")
    assert same(sh.load("mask.npy"), ids[:, None] == ids)


def test_mask_has_the_shape_of_the_first_file(sh):
    """As the masks of the other commands have."""
    sh.save(m=np.arange(12.0).reshape(3, 4), r=np.arange(4) - 1)
    sh.run("mask", "m.npy", "-w", "i > j", "-o", "mask.npy")
    assert same(sh.load("mask.npy"), np.tri(3, 4, -1, dtype=bool))
    sh.run("mask", "m.npy", "r.npy", "-w", "y > 0", "-o", "mask.npy")
    assert same(sh.load("mask.npy"), np.broadcast_to(np.arange(4) > 1, (3, 4)))
    sh.run("mask", "m.npy", "-w", "true", "-o", "mask.npy")
    assert sh.load("mask.npy").all() and sh.load("mask.npy").shape == (3, 4)


def test_lengths_and_sets_do_not_give_a_mask_its_shape(sh):
    sh.save(lens=np.array([1, 3]), x=np.arange(6).reshape(2, 3))
    sh.run("mask", "lens.npy", "-w", "from_lengths(x, 3)", "-o", "mask.npy")
    assert sh.load("mask.npy").tolist() == [[True, False, False], [True, True, True]]
    sh.run("mask", "ids=lens.npy", "x=x.npy", "-w", "isin(x, test_elements=ids)", "-o", "mask.npy")
    assert sh.load("mask.npy").tolist() == [[False, True, False], [True, False, False]]


def test_partition_splits_in_two(sh, rng):
    x = rng.normal(size=(300, 11)).astype("f4")
    sh.save(x=x)
    sh.run("partition", "x.npy", "--where", "x < 0", "-o", "kept.npy", "--rejected", "rest.npy")
    assert same(sh.load("kept.npy"), x[x < 0]) and same(sh.load("rest.npy"), x[~(x < 0)])


# ---- results do not depend on how they were computed ------------------------------------------------------


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_large_arrays_on_any_number_of_threads(sh, rng, threads):
    x = rng.normal(size=(1500, 1000)).astype("f4")
    y = rng.normal(size=1000).astype("f4")
    sh.save(x=x, y=y)
    sh.run("select", "x.npy", "y.npy", "-w", "x > y & i % 3 != j % 3", "-o", "o.npy", "--threads", threads)
    i, j = np.indices(x.shape)
    assert same(sh.load("o.npy"), x[(x > y) & (i % 3 != j % 3)])
    out = json.loads(sh.run("stats", "x.npy", "--json", "--threads", threads).stdout)
    d = x.astype("f8")
    assert np.isclose(out["sum"], d.sum(), rtol=1e-9) and out["q(0.25)"] == pytest.approx(np.quantile(d, 0.25))
