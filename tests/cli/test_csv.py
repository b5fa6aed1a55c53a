"""CSV in and out, against NumPy and Python's csv."""

import csv
import io
import os
import re
import resource

import json

import numpy as np
import pytest

from conftest import same

FLOATS = {"float16": "u2", "float32": "u4", "float64": "u8"}


def convert(sh, text, *options):
    """The array that a CSV text is read as."""
    sh.path("in.csv").write_bytes(text if isinstance(text, bytes) else text.encode())
    sh.run("convert", "in.csv", "-o", "out.npy", *options)
    return sh.load("out.npy")


def refusal(sh, text, *options):
    sh.path("in.csv").write_bytes(text.encode())
    told = sh.refuses("convert", "in.csv", "-o", "out.npy", *options, code=2)
    assert not sh.path("out.npy").exists() and told.startswith("in.csv: ")
    return told.removeprefix("in.csv: ").rstrip("\n")


@pytest.mark.parametrize("dtype", FLOATS)
def test_floats_are_read_back_to_the_same_bits(sh, rng, dtype):
    info = np.finfo(dtype)
    bits = rng.integers(0, 2 ** (8 * np.dtype(dtype).itemsize - 1), 6000, "u8").astype(FLOATS[dtype])
    x = bits.view(dtype)
    x = np.where(np.isnan(x), np.array(0, dtype), x)
    x[:8] = [0.1, 1, -0.0, info.max, info.tiny, info.smallest_subnormal, np.inf, -np.inf]
    x = x.reshape(-1, 6)
    sh.save(x=x)
    sh.run("convert", "x.npy", "-o", "x.csv")
    sh.run("convert", "x.csv", "--dtype", dtype, "-o", "again.npy")
    assert same(sh.load("again.npy"), x)
    # Python reads them to the same numbers.
    rows = [[float(f) for f in row] for row in csv.reader(io.StringIO(sh.path("x.csv").read_text()))]
    assert same(np.array(rows).astype(dtype), x)


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int8", "int16", "int32", "int64"])
def test_integers_and_bools_are_read_back(sh, rng, dtype):
    ends = [0, 1] if dtype == "bool" else [np.iinfo(dtype).min, np.iinfo(dtype).max]
    x = np.array([*ends, 1, 0, 0, 1], dtype).reshape(2, 3)
    sh.save(x=x)
    sh.run("convert", "x.npy", "-o", "x.csv")
    sh.run("convert", "x.csv", "--dtype", dtype, "-o", "again.npy")
    assert same(sh.load("again.npy"), x)
    sh.run("convert", "x.csv", "-o", "again.npy")
    assert same(sh.load("again.npy"), x if dtype == "bool" else x.astype("i8"))


def test_text_of_numpy_is_read_as_numpy_reads_it(sh, rng):
    x = rng.normal(size=(300, 7))
    np.savetxt(sh.path("x.csv"), x, delimiter=",", header="a,b,c,d,e,f,g", comments="")
    sh.run("convert", "x.csv", "--header", "-o", "x.npy")
    assert same(sh.load("x.npy"), np.loadtxt(sh.path("x.csv"), delimiter=",", skiprows=1))


def test_the_dtype_is_that_of_all_fields(sh):
    assert same(convert(sh, "1,2\n3,4\n"), np.array([[1, 2], [3, 4]]))
    assert same(convert(sh, "1,2\n3,4.5\n"), np.array([[1, 2], [3, 4.5]]))
    assert same(convert(sh, "1\n2\n1e3\n"), np.array([1, 2, 1000.0]))
    assert same(convert(sh, "true\nFALSE\n"), np.array([True, False]))
    assert same(convert(sh, "0\n1\n"), np.array([0, 1]))
    assert same(convert(sh, "0\n1\n", "--dtype", "bool"), np.array([False, True]))
    assert np.array_equal(convert(sh, "1,,3\n,5,\n"), [[1, np.nan, 3], [np.nan, 5, np.nan]], equal_nan=True)
    assert same(convert(sh, "1,2,3,4,5,6\n", "--shape", "2,3"), np.array([[1, 2, 3], [4, 5, 6]]))


def test_rfc_4180(sh):
    expected = np.array([[1, 2.5], [-3, 4]])
    for text in ("1,2.5\n-3,4\n", "1,2.5\r\n-3,4\r\n", "1,2.5\n-3,4", '"1","2.5"\r\n"-3",4\r\n', "\ufeff1,2.5\n-3,4\n",
                 " 1 ,\t2.5\n-3, +4\n", "1,2.5\n-3,4\n\n\n"):
        assert same(convert(sh, text), expected), text
    assert same(convert(sh, 'a,"b, ""c""\nd"\n1,2.5\n-3,4\n', "--header"), expected)


@pytest.mark.parametrize("text, told", [
    ("1,2\n3,x4\n", "line 2: field 2: 'x4' is not a number"),
    ("time,value\n1,2\n", "line 1: field 1: 'time' is not a number; if this line holds column names, use --header"),
    ("1,2\n3,4\n5\n", "line 3: 1 fields, but line 1 has 2"),
    ("1\n\n2\n", "line 3: line 2 is empty but more numbers follow; write nan for a missing number"),
    ('1\n"2\n3\n', "line 4: the file ends inside the quotes that open on line 2"),
    ('1\n"2"3\n', "line 2: unexpected text after the closing quote of field 1"),
    ('1,2"3\n', "line 1: field 2 contains a quote but does not start with one"),
    ("1e999\n", "line 1: field 1: '1e999' is out of range for float64"),
    ("1\n9223372036854775808\n", "line 2: field 1: '9223372036854775808' is out of range for int64; "
                                 "use --dtype uint64 if all are below 2^64, or float64 to read it with less precision"),
    ("1;2\n", "line 1: field 1: '1;2' is not a number; if this line holds column names, use --header"),
    ("true,1\n", "line 1: field 1: 'true' is not a number; if this line holds column names, use --header"),
])
def test_what_is_no_number_is_refused_with_its_line(sh, text, told):
    assert refusal(sh, text) == told


def test_numbers_must_fit_the_dtype(sh):
    assert refusal(sh, "1\n256\n", "--dtype", "uint8") == "line 2: field 1: '256' is out of range for uint8"
    assert refusal(sh, "1\n-1\n", "--dtype", "uint8") == "line 2: field 1: '-1' is out of range for uint8"
    assert refusal(sh, "1\n2.5\n", "--dtype", "int64") == "line 2: field 1: '2.5' is not an integer"
    assert refusal(sh, "1,\n", "--dtype", "int64") == "line 1: field 2 is empty, and only floats can be NaN"
    assert refusal(sh, "70000\n", "--dtype", "float16") == "line 1: field 1: '70000' is out of range for float16"
    assert "real numbers" in refusal(sh, "1\n", "--dtype", "complex64")
    assert same(convert(sh, "1e-400\n"), np.array([0.0]))


def test_all_commands_take_csv(sh, rng):
    x = rng.normal(size=(50, 4))
    np.savetxt(sh.path("x.csv"), x, delimiter=",", fmt="%.17g")
    data = sh.path("x.csv").read_bytes()
    assert sh.run("count", "x.csv", "-w", "x > 0").stdout == f"{np.sum(x > 0)}\n".encode()
    assert sh.run("count", "-", "--csv", "-w", "x > 0", stdin=data).stdout == f"{np.sum(x > 0)}\n".encode()
    sh.run("select", "x.csv", "-w", "x > 1", "-o", "kept.csv")
    assert same(np.loadtxt(sh.path("kept.csv")), x[x > 1])
    sh.run("fill", "x.csv", "-w", "x < 0", "--value", "0", "-o", "filled.csv")
    assert same(np.loadtxt(sh.path("filled.csv"), delimiter=","), np.where(x < 0, 0.0, x))
    sh.run("mask", "x.csv", "-w", "x > 0", "-o", "mask.csv")
    assert sh.run("count", "mask.csv").stdout == f"{np.sum(x > 0)}\n".encode()
    out = json.loads(sh.run("info", "x.csv", "--json").stdout)[0]
    assert (out["format"], out["arrays"][0]["shape"]) == ("csv", [50, 4])


def test_a_selection_of_nothing_is_read_back(sh):
    sh.save(x=np.arange(3.0))
    sh.run("select", "x.npy", "-w", "x > 5", "-o", "none.csv")
    assert sh.path("none.csv").read_bytes() == b""
    assert sh.run("count", "none.csv", "-w", "x > 0").stdout == b"0\n"


def test_columns_have_names(sh):
    sh.save(x=np.arange(4).reshape(2, 2))
    sh.run("convert", "x.npy", "--columns", "a,b c", "-o", "x.csv")
    assert sh.path("x.csv").read_text() == "a,b c\n0,1\n2,3\n"
    assert "3 names for 2 columns" in sh.refuses("convert", "x.npy", "--columns", "a,b,c", "-o", "x.csv", code=2)
    assert "the output is not CSV" in sh.refuses("convert", "x.npy", "--columns", "a,b", "-o", "y.npy", code=1)


def test_what_has_no_rows_and_columns_is_refused(sh):
    sh.save(x=np.zeros((2, 3, 4)), z=np.zeros(3, "c8"))
    assert "shape [2, 3, 4]" in sh.refuses("convert", "x.npy", "-o", "x.csv", code=2)
    assert "real numbers, not complex64" in sh.refuses("convert", "z.npy", "-o", "z.csv", code=2)
    assert not sh.path("x.csv").exists() and not sh.path("z.csv").exists()


@pytest.mark.skipif(os.environ.get("TAMIS_SANITIZE", "") != "", reason="a sanitizer needs the address space itself")
def test_csv_files_may_be_larger_than_memory(sh):
    block = "".join(f"{i % 100},{i % 7}.5\n" for i in range(100_000))
    with open(sh.path("x.csv"), "w") as f:
        for _ in range(60):
            f.write(block)

    def limit_memory():
        # 6 million rows are 96 MB of numbers; the program itself needs most of this.
        resource.setrlimit(resource.RLIMIT_DATA, (64 << 20, 64 << 20))

    def run(*args):
        return sh.run(*args, "--threads", "1", preexec_fn=limit_memory)

    assert run("count", "x.csv", "-w", "x > 98").stdout == b"60000\n"
    run("convert", "x.csv", "-o", "x.npy", "-q")
    run("convert", "x.npy", "-o", "again.csv", "-q")
    run("convert", "again.csv", "-o", "again.npy", "-q")
    assert sh.path("again.npy").read_bytes() == sh.path("x.npy").read_bytes()
    assert np.array_equal(sh.load("x.npy")[:100_000, 0], np.arange(100_000) % 100)


# ---- between the other formats ----------------------------------------------------------------------------


def test_convert_keeps_all_arrays_where_there_are_names(sh, rng):
    arrays = {"a": rng.normal(size=(30, 4)).astype("f4"), "b": np.arange(5), "c": np.zeros((0, 3)), "d": np.array(7.5)}
    np.savez_compressed(sh.path("z.npz"), **arrays)
    assert sh.run("convert", "z.npz", "-o", "z.safetensors").stderr == "wrote 4 arrays\n"
    sh.run("convert", "z.safetensors", "-o", "again.npz")
    with np.load(sh.path("again.npz")) as again:
        assert set(again.files) == set(arrays) and all(same(again[name], x) for name, x in arrays.items())
    for name, x in arrays.items():
        sh.run("convert", f"z.npz:{name}", "-o", "one.npy")
        assert same(sh.load("one.npy"), x)
    sh.run("convert", "z.npz", "--name", "a", "-o", "a.raw")
    assert sh.path("a.raw").read_bytes() == arrays["a"].tobytes()
    assert re.search(r"choose one with --name a or write z.npz:a", sh.refuses("convert", "z.npz", "-o", "o.npy", code=2))
