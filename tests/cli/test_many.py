"""Many files, statistics along dimensions, the first elements, and help."""

import json

import numpy as np
import pytest

from conftest import same


def lines(out):
    return [line.split() for line in out.stdout.decode().splitlines()]


# ---- names of arrays --------------------------------------------------------------------------------------


def test_a_member_may_be_named_behind_its_file(sh):
    np.savez(sh.path("z.npz"), a=np.arange(3), b=np.arange(4))
    assert sh.run("count", "z.npz:b", "-w", "x > 0").stdout == b"3\n"
    assert sh.run("count", "x=z.npz:a", "y=z.npz:b", "-w", "x > min(y)").stdout == b"2\n"
    assert sh.run("count", "z.npz:a", "z.npz:b", "-w", "x > min(y)").stdout == b"2\n"
    sh.run("select", "z.npz:b", "-w", "x > 1", "-o", "out.npz")
    with np.load(sh.path("out.npz")) as out:
        assert out.files == ["b"]
    assert "no array named 'c'; available: a, b" in sh.refuses("count", "z.npz:c", "-w", "x > 0", code=2)
    out = json.loads(sh.run("info", "z.npz:b", "--json").stdout)
    assert [a["name"] for a in out[0]["arrays"]] == ["b"]
    # A file that is called so is meant.
    sh.path("w.npz:a").write_bytes(sh.path("z.npz").read_bytes())
    assert sh.run("count", "w.npz:a", "--name", "b", "-w", "x > 0").stdout == b"3\n"


# ---- file by file -----------------------------------------------------------------------------------------


def test_info_goes_on_past_what_it_cannot_read(sh):
    sh.save(a=np.arange(3), c=np.zeros((2, 2)))
    sh.path("b.npy").write_bytes(b"no array")
    out = sh.run("info", "a.npy", "b.npy", "missing.npy", "c.npy", code=3)
    assert [line[0] for line in lines(out)] == ["a.npy:", "int64", "c.npy:", "float64"]
    assert out.stderr.startswith("tamis: b.npy: ") and "\ntamis: missing.npy: cannot open" in out.stderr
    out = sh.run("info", "b.npy", "c.npy", "--json", code=2)
    assert [f["file"] for f in json.loads(out.stdout)] == ["c.npy"]


def test_each_file_is_counted_by_itself(sh, rng):
    x = {name: rng.normal(size=size) for name, size in (("a", 10), ("b", (3, 4)), ("c", 0))}
    sh.save(**x, limit=np.array(0.5))
    files = [f"{name}.npy" for name in x]
    out = lines(sh.run("count", "--each", *files, "l=limit.npy", "-w", "x > l"))
    assert out == [["file", "count", "total"]] + [[f"{n}.npy", str(np.sum(v > 0.5)), str(v.size)] for n, v in x.items()]
    out = json.loads(sh.run("count", "--each", *files, "-w", "x > 0.5", "--json").stdout)
    assert out == [{"file": f"{n}.npy", "count": np.sum(v > 0.5), "total": v.size} for n, v in x.items()]


def test_each_goes_on_past_what_it_cannot_use(sh):
    sh.save(a=np.arange(4), c=np.arange(6).reshape(2, 3))
    out = sh.run("count", "--each", "a.npy", "missing.npy", "c.npy", "-w", "j > 0", code=3)
    assert lines(out)[1:] == [["c.npy", "4", "6"]]
    assert "tamis: a.npy: j is the index along dimension 1" in out.stderr and "missing.npy" in out.stderr
    assert "file without a name" in sh.refuses("count", "--each", "a=a.npy", "-w", "a > 0", code=1)
    assert "cannot be combined with --each" in sh.refuses("count", "--each", "a.npy", "--dim", "0", "-o", "o.npy", code=1)


def test_each_file_is_described_by_itself(sh, rng):
    x = {name: rng.normal(size=size) for name, size in (("a", 100), ("b", (30, 4)))}
    sh.save(**x)
    out = json.loads(sh.run("stats", "--each", "a.npy", "b.npy", "-w", "x > 0", "--json").stdout)
    for one, (name, v) in zip(out, x.items()):
        alone = json.loads(sh.run("stats", f"{name}.npy", "-w", "x > 0", "--json").stdout)
        assert one == {"file": f"{name}.npy", **alone}
    text = lines(sh.run("stats", "--each", "a.npy", "b.npy", "--quantiles", "0.5"))
    assert text[0] == "file count total nan inf sum mean std min q(0.5) max".split()
    assert [line[:3] for line in text[1:]] == [["a.npy", "100", "100"], ["b.npy", "120", "120"]]


def test_each_along_dimensions(sh):
    sh.save(a=np.ones((2, 3)), b=np.ones((4, 2)))
    out = json.loads(sh.run("count", "--each", "a.npy", "b.npy", "--dim", "0", "--json").stdout)
    assert [o["count"] for o in out] == [[2, 2, 2], [4, 4]]
    text = sh.run("count", "--each", "a.npy", "b.npy", "--dim", "0").stdout.decode()
    assert text == "a.npy:\n2\n2\n2\nb.npy:\n4\n4\n"


# ---- count without a condition, stats along dimensions ----------------------------------------------------


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int64", "float32", "complex64"])
def test_count_without_a_condition_counts_what_is_not_zero(sh, rng, dtype):
    x = rng.integers(0, 3, (20, 5)).astype(dtype)
    if dtype == "float32":
        x[0, 0] = np.nan
    sh.save(x=x)
    assert sh.run("count", "x.npy").stdout == f"{np.count_nonzero(x)}\n".encode()
    assert sh.run("count", "m=x.npy", "--dim", "0").stdout.decode().split() == [*map(str, np.count_nonzero(x, axis=0))]


def close(got, expected):
    return np.allclose(np.array(got, "f8"), expected, rtol=1e-12, atol=0, equal_nan=True)


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int64", "float16", "float64"])
@pytest.mark.parametrize("dims", [(0,), (1,), (-1,), (0, 2), (1, 2), (0, 1, 2)], ids=str)
def test_stats_along_dimensions(sh, rng, dtype, dims):
    x = rng.integers(0, 9, (5, 3, 4)).astype(dtype)
    if x.dtype.kind == "f":
        x[0, 0, 0], x[1, 2, 3] = np.nan, np.inf
    sh.save(x=x)
    out = json.loads(sh.run("stats", "x.npy", "--json", f"--dim={','.join(map(str, dims))}").stdout)
    d = x.astype("f8")
    real = np.ma.masked_invalid(np.where(np.isinf(d), 0, d)) if x.dtype.kind == "f" else np.ma.array(d)
    assert out["dim"] == sorted(k % 3 for k in dims)
    assert np.array_equal(out["count"], np.full_like(d.sum(dims), d.size // max(1, d.sum(dims).size)))
    assert np.array_equal(out["nan"], np.isnan(d).sum(dims)) and np.array_equal(out["inf"], np.isinf(d).sum(dims))
    finite = np.isinf(d).sum(dims) == 0
    pick = lambda name: np.where(finite, np.array(out[name], dtype=object), 0).astype("f8")
    assert close(pick("sum"), np.where(finite, real.sum(dims), 0))
    assert close(pick("mean"), np.where(finite, real.mean(dims), 0))
    assert np.allclose(pick("std"), np.where(finite, real.std(dims, ddof=1), 0), rtol=1e-10)
    assert close(pick("min"), np.where(finite, real.min(dims), 0))
    assert close(pick("max"), np.where(finite, real.max(dims), 0))


def test_stats_along_dimensions_of_large_arrays(sh, rng):
    x, y = rng.normal(size=(900, 3, 400)).astype("f4"), rng.normal(size=400).astype("f4")
    sh.save(x=x, y=y)
    kept = np.ma.array(x.astype("f8"), mask=~(x > y))
    for dim in range(3):
        args = ("stats", "x.npy", "y.npy", "-w", "x > y", "--dim", dim, "--json")
        text = sh.run(*args, "--threads", 1).stdout
        assert sh.run(*args, "--threads", 3).stdout == text
        out = json.loads(text)
        assert np.array_equal(out["count"], kept.count(dim))
        assert close(out["mean"], kept.mean(dim)) and close(out["max"], kept.max(dim))
        assert np.allclose(np.array(out["std"], "f8"), kept.std(dim, ddof=1), rtol=1e-10)


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int64", "float16", "float32"])
@pytest.mark.parametrize("dims", [(0,), (2,), (0, 2), (0, 1, 2)], ids=str)
def test_quantiles_along_dimensions(sh, rng, dtype, dims):
    x = rng.integers(-9, 9, (7, 3, 40)).astype(dtype)
    if x.dtype.kind == "f":
        x[0, 0, :3], x[1, 2, 3] = np.nan, np.inf
    sh.save(x=x)
    args = ("stats", "x.npy", "--json", "--quantiles", "0,0.1,0.5,1", f"--dim={','.join(map(str, dims))}")
    out = json.loads(sh.run(*args).stdout)
    for q in (0.1, 0.5):
        expected = np.nanquantile(x.astype("f8"), q, axis=dims)
        assert np.allclose(np.array(out[f"q({q})"], "f8"), expected, rtol=1e-12, equal_nan=True)
    assert out["q(0)"] == out["min"] and out["q(1)"] == out["max"]
    assert sh.run(*args, "--threads", 3).stdout == sh.run(*args, "--threads", 1).stdout


def test_quantiles_along_dimensions_of_large_arrays(sh, rng):
    """Slices in several groups, and slices that are a group by themselves."""
    x = rng.normal(size=(5, 1_000_003)).astype("f4")
    sh.save(x=x)
    for dim in (0, 1):
        out = json.loads(sh.run("stats", "x.npy", "-w", "x > -1", "--dim", dim, "--quantiles", "0.3", "--json").stdout)
        expected = np.nanquantile(np.where(x > -1, x, np.nan).astype("f8"), 0.3, axis=dim)
        assert np.allclose(np.array(out["q(0.3)"], "f8"), expected, rtol=1e-12, equal_nan=True)
    y = rng.normal(size=(2, 4_200_000)).astype("f4")
    sh.save(y=y)
    out = json.loads(sh.run("stats", "y.npy", "--dim", 1, "--quantiles", "0.25", "--json").stdout)
    assert np.allclose(out["q(0.25)"], np.quantile(y.astype("f8"), 0.25, axis=1), rtol=1e-12)


def test_stats_along_dimensions_as_text(sh):
    sh.save(x=np.array([[1, 2, 3], [4, 5, 9]]))
    text = sh.run("stats", "x.npy", "--dim", "1").stdout.decode()
    assert text == ("index  count  total  nan  inf  sum  mean       std  min  max\n"
                    "0          3      3    0    0    6     2         1    1    3\n"
                    "1          3      3    0    0   18     6  2.645751    4    9\n")
    assert lines(sh.run("stats", "x.npy", "--dim", "0,1"))[1][:6] == ["all", "6", "6", "0", "0", "24"]
    sh.save(x=np.full((2, 2), 2**62))
    assert json.loads(sh.run("stats", "x.npy", "--dim", "0", "--json").stdout)["sum"] == [2.0**63] * 2
    sh.save(e=np.zeros((0, 3)), f=np.zeros((2, 0)))
    assert json.loads(sh.run("stats", "e.npy", "--dim", "1", "--json").stdout)["count"] == []
    assert len(lines(sh.run("stats", "e.npy", "--dim", "1"))) == 1
    assert json.loads(sh.run("stats", "f.npy", "--dim", "1", "--json").stdout)["mean"] == [None, None]
    assert json.loads(sh.run("stats", "f.npy", "--dim", "1", "--quantiles", "0.5", "--json").stdout)["q(0.5)"] == [None] * 2
    assert lines(sh.run("stats", "e.npy", "--dim", "1", "--quantiles", "0.5"))[0][-2] == "q(0.5)"
    assert "dimension 2 is out of range" in sh.refuses("stats", "x.npy", "--dim", "2", code=1)


# ---- head -------------------------------------------------------------------------------------------------


def head(sh, *args):
    return sh.run("head", *args).stdout.decode()


def test_head_prints_the_first_lines(sh):
    sh.save(x=np.arange(60).reshape(20, 3), y=np.arange(24).reshape(3, 2, 4), z=np.array(1.5, "f4"))
    assert head(sh, "x.npy") == "".join(f"{3 * i} {3 * i + 1} {3 * i + 2}\n" for i in range(10))
    out = sh.run("head", "x.npy", "-n", "2")
    assert out.stdout == b"0 1 2\n3 4 5\n" and out.stderr == "2 of 20 lines\n"
    assert head(sh, "y.npy", "-n", "3") == "0 1 2 3\n4 5 6 7\n\n8 9 10 11\n"
    assert head(sh, "z.npy") == "1.5\n"
    assert head(sh, "x.npy", "-n", "0") == ""
    sh.refuses("head", "x.npy", "-n", "-1", code=1)


def test_head_prints_all_digits(sh):
    sh.save(f=np.array([0.1, 1, -0.0, np.nan, np.inf, 1e30], "f4"), b=np.array([True, False]), e=np.zeros((0, 3)),
            c=np.array([1 + 2j, 0.5 - 1j], "c8"))
    assert head(sh, "f.npy").split() == ["0.1", "1.0", "-0.0", "nan", "inf", "1e+30"]
    assert head(sh, "b.npy") == "true\nfalse\n" and head(sh, "e.npy") == ""
    assert head(sh, "c.npy") == "1.0+2.0j\n0.5-1.0j\n"


def test_head_prints_what_a_condition_keeps(sh, rng):
    x = rng.integers(0, 100, (500, 300))
    sh.save(x=x, s=np.array(5))
    expected = [f"{i},{j}  {x[i, j]}" for i, j in np.argwhere(x == 42)]
    assert head(sh, "x.npy", "-w", "x == 42", "-n", "2000").splitlines() == expected
    assert head(sh, "x.npy", "-w", "x == 42", "-n", "3").splitlines() == expected[:3]
    assert head(sh, "s.npy", "-w", "x > 3") == "5\n"


# ---- help -------------------------------------------------------------------------------------------------


def test_help_prints_what_the_option_prints(sh):
    assert sh.run("help").stdout == sh.run("--help").stdout
    assert sh.run("help", "count").stdout == sh.run("count", "--help").stdout
    assert "tamis docs" in sh.run("help").stdout.decode()
    assert "did you mean count?" in sh.refuses("help", "cuont", code=1)


def test_masks_are_counted(sh):
    sh.run("mask", "-w", "causal(30)", "-o", "m.npy")
    assert same(sh.load("m.npy"), np.tri(30, dtype=bool))
    assert sh.run("count", "m.npy").stdout == b"465\n"
