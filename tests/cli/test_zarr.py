"""Zarr stores in the command line: what others wrote (here by hand), what is written, and what is refused."""

import json
import os
import resource
import shutil
import signal
import subprocess
import time
import zipfile
import zlib

import numpy as np
import pytest

from conftest import TAMIS, same


def chunks_of(x, chunks):
    """The chunks of an array by their index, padded with zeros."""
    grid = [-(-size // chunk) for size, chunk in zip(x.shape, chunks)]
    for index in np.ndindex(*grid):
        part = x[tuple(slice(i * c, (i + 1) * c) for i, c in zip(index, chunks))]
        full = np.zeros(chunks, x.dtype)
        full[tuple(slice(0, s) for s in part.shape)] = part
        yield index, full


def write_v2(path, x, chunks, order="C", **changes):
    path.mkdir(parents=True)
    for index, chunk in chunks_of(x, chunks):
        (path / (".".join(map(str, index)) or "0")).write_bytes(zlib.compress(chunk.tobytes(order)))
    meta = {"zarr_format": 2, "shape": x.shape, "chunks": chunks, "dtype": x.dtype.str, "order": order,
            "compressor": {"id": "zlib", "level": 1}, "fill_value": 0, "filters": None}
    (path / ".zarray").write_text(json.dumps({**meta, **changes}))


def write_v3(path, x, chunks, **changes):
    for index, chunk in chunks_of(x, chunks):
        file = path / "/".join(["c", *map(str, index)])
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(chunk.tobytes())
    endian = "big" if x.dtype.str[0] == ">" else "little"
    meta = {"zarr_format": 3, "node_type": "array", "shape": x.shape, "data_type": x.dtype.name, "fill_value": 0,
            "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": chunks}},
            "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
            "codecs": [{"name": "bytes", "configuration": {"endian": endian}}], "attributes": {}}
    (path / "zarr.json").write_text(json.dumps({**meta, **changes}))


def read(sh, name):
    """An array of a store, by way of a .npy file."""
    sh.run("convert", name, "-o", "read.npy", "--quiet")
    return sh.load("read.npy")


@pytest.mark.parametrize("dtype", ["<f4", ">f8", "<i2", "|u1"])
@pytest.mark.parametrize("order", "CF")
def test_reads_stores(sh, rng, dtype, order):
    x = rng.integers(0, 100, (61, 43)).astype(dtype)
    write_v2(sh.path("x.zarr"), x, (16, 9), order)
    write_v3(sh.path("y.zarr"), x, (7, 43))
    for store in ("x.zarr", "y.zarr"):
        sh.run("select", store, "-w", "x > 50", "-o", "out.npy")
        assert same(sh.load("out.npy"), x[x > 50].astype(x.dtype.newbyteorder("=")))


def test_commands_do_on_a_store_what_they_do_on_a_file(sh, rng):
    x = rng.normal(size=(300, 250)).astype("f4")
    x[rng.integers(0, 300, 50), rng.integers(0, 250, 50)] = np.nan
    sh.save(x=x, y=x[0])
    write_v2(sh.path("x.zarr"), x, (100, 60))
    write_v3(sh.path("y.zarr"), x[0], (32,))
    for args in (["count", "x", "-w", "x > 0"], ["count", "x", "y", "-w", "x > y", "--dim", "1"], ["stats", "x"],
                 ["stats", "x", "-w", "x > mean(x)", "--quantiles", "0.1,0.9"], ["head", "x", "-n", "3"],
                 ["head", "x", "-w", "x > 2.5"], ["count", "x", "-w", "x > q(0.9) & i < 7"], ["stats", "y", "--json"],
                 ["select", "x", "-w", "~isnan(x)", "-o", "-"], ["fill", "x", "-w", "isnan(x)", "--value", "0", "-o", "-"],
                 ["mask", "x", "y", "-w", "x > y", "-o", "-"]):
        plain, stored = (sh.run(*[a + ending if a in "xy" else a for a in args]) for ending in (".npy", ".zarr"))
        assert plain.stdout == stored.stdout, args
    sh.run("partition", "x.zarr", "-w", "x > 0", "-o", "kept.zarr", "--rejected", "rest.npy")
    assert same(read(sh, "kept.zarr"), x[x > 0]) and same(sh.load("rest.npy"), x[~(x > 0)])
    assert "x.zarr [300, 250] float32" in sh.run("show", "x.zarr", "-w", "x > 0").stdout.decode()
    assert sh.run("count", "--each", "x.zarr", "x.npy", "-w", "x > 0").stdout.count(b"\n") == 3


def test_writes_version_3_by_default(sh, rng):
    x = rng.integers(-9, 9, (50, 40)).astype("i4")
    sh.save(x=x)
    out = sh.run("select", "x.npy", "-w", "x > 0", "-o", "out.zarr")
    assert out.stderr.startswith("kept ")
    meta = json.loads(sh.path("out.zarr/zarr.json").read_text())
    assert meta["shape"] == [np.count_nonzero(x > 0)] and meta["data_type"] == "int32" and meta["zarr_format"] == 3
    assert same(read(sh, "out.zarr"), x[x > 0])
    # The bytes themselves, where nothing is compressed.
    sh.run("convert", "x.npy", "-o", "plain.zarr", "--codec", "none", "--chunks", "30,40")
    assert sh.path("plain.zarr/c/0/0").read_bytes() == x[:30].tobytes()
    assert sh.path("plain.zarr/c/1/0").read_bytes() == x[30:].tobytes() + bytes(10 * 40 * 4)


@pytest.mark.parametrize("options", [
    ["--codec", "gzip:5"], ["--codec", "blosc"], ["--codec", "zstd:7", "--chunks", "7,9"], ["--zarr-version", "2"],
    ["--chunks", "5,8", "--shards", "20,16"], ["--chunks", "5,8", "--zarr-version", "2", "--codec", "none"]])
@pytest.mark.parametrize("name", ["out.zarr", "out.zarr.zip"])
def test_layouts_of_the_output(sh, rng, options, name):
    x = rng.normal(size=(33, 40)).astype("f8")
    sh.save(x=x)
    sh.run("fill", "x.npy", "-w", "x < -1", "--value", "0", "-o", name, *options)
    assert same(read(sh, name), np.where(x < -1, 0, x))
    zarr = json.loads(sh.run("info", name, "--json").stdout)[0]["arrays"][0]["zarr"]
    given = dict(zip(options[::2], options[1::2]))
    assert zarr["version"] == int(given.get("--zarr-version", 3))
    for option, key in (("--chunks", "chunks"), ("--shards", "shards")):
        if option in given:
            assert zarr[key] == [int(n) for n in given[option].split(",")]
    assert sh.leftovers() == []


def test_fill_keeps_the_chunks_of_its_input(sh, rng):
    x = rng.normal(size=(30, 20)).astype("f4")
    write_v3(sh.path("x.zarr"), x, (7, 20), dimension_names=["time", None])
    sh.run("fill", "x.zarr", "-w", "x < 0", "--value", "0", "-o", "out.zarr")
    meta = json.loads(sh.path("out.zarr/zarr.json").read_text())
    assert meta["chunk_grid"]["configuration"]["chunk_shape"] == [7, 20]
    assert meta["dimension_names"] == ["time", None]
    assert "dimensions time, \n" in sh.run("info", "x.zarr").stdout.decode()


def test_info_describes_stores(sh):
    write_v2(sh.path("x.zarr"), np.zeros((10, 6), ">f4"), (4, 3), "F", fill_value="NaN")
    assert sh.run("info", "x.zarr").stdout.decode() == (
        "x.zarr: zarr, 1 array, 240 B\n"
        "  float32   [10, 6]  240 B, byte-swapped, compressed\n"
        "    Zarr version 2, chunks [4, 3]\n"
        "    codecs order F, zlib, fill value \"NaN\"\n")
    write_v2(sh.path("y.zarr"), np.zeros(6, "<i4"), (3,), filters=[{"id": "delta"}])
    assert "filter 'delta' is not supported" in sh.run("info", "y.zarr").stdout.decode()
    assert sh.refuses("count", "y.zarr", code=2) == "y.zarr: filter 'delta' is not supported\n"


def test_arrays_in_groups_have_paths(sh):
    a, b = np.arange(10), np.arange(5.0)
    write_v3(sh.path("g.zarr/a"), a, (4,))
    write_v3(sh.path("g.zarr/sub/b"), b, (4,))
    for group in ("g.zarr", "g.zarr/sub"):
        sh.path(f"{group}/zarr.json").write_text('{"zarr_format": 3, "node_type": "group", "attributes": {}}')
    for name in ("g.zarr:sub/b", "g.zarr/sub/b", "g.zarr/sub", "g.zarr/sub/b/"):
        assert sh.run("count", name, "-w", "x > 2").stdout == b"2\n"
    assert sh.run("count", "g.zarr", "--name", "a", "-w", "x > 2").stdout == b"7\n"
    text = sh.refuses("count", "g.zarr", "-w", "x > 0", code=2)
    assert text == "g.zarr: the file has 2 arrays: a, sub/b; choose one with --name a or write g.zarr:a\n"
    sh.run("convert", "g.zarr", "-o", "all.npz")
    assert sorted(sh.load("all.npz").files) == ["a", "sub/b"]
    sh.run("convert", "all.npz", "-o", "again.zarr.zip")
    assert same(read(sh, "again.zarr.zip:sub/b"), b)
    assert {"zarr.json", "a/zarr.json", "sub/zarr.json"} < set(zipfile.ZipFile(sh.path("again.zarr.zip")).namelist())


def test_archives_that_were_packed_by_hand(sh):
    write_v2(sh.path("x.zarr"), np.arange(10), (4,))
    shutil.make_archive(sh.path("packed"), "zip", sh.folder, "x.zarr")  # deflated, and in a folder of its own
    assert sh.run("count", "packed.zip:x.zarr", "-w", "x > 2").stdout == b"7\n"
    data = sh.path("packed.zip").read_bytes()
    assert sh.run("count", "-", "--name", "x.zarr", "-w", "x > 2", stdin=data).stdout == b"7\n"


def test_options_that_do_not_fit_are_refused(sh):
    sh.save(x=np.arange(10))
    write_v3(sh.path("x.zarr"), np.arange(10), (4,))
    for options, text in (([".npy", "--chunks", "5"], "are for Zarr stores"), ([".zarr", "--codec", "lzma"], "use zstd"),
                          ([".zarr", "--codec", "none:3"], "use zstd"), ([".zarr", "--chunks", "a"], "--chunks: 'a'"),
                          ([".zarr", "--codec", "zstd:x"], "use zstd")):
        assert text in sh.refuses("select", "x.npy", "-w", "x > 2", "-o", "out" + options[0], *options[1:], code=1)
    for options in (["--chunks", "0"], ["--chunks", "2,2"], ["--codec", "zstd:99"], ["--chunks", "2", "--shards", "3"]):
        sh.refuses("select", "x.npy", "-w", "x > 2", "-o", "out.zarr", *options, code=2)
    assert "standard output" in sh.refuses("select", "x.npy", "-w", "x > 2", "--format", "zarr", code=2)
    assert not sh.path("out.zarr").exists() and sh.leftovers() == []


# ---- whole or not at all ----------------------------------------------------------------------------------


def old_store(sh):
    write_v3(sh.path("out.zarr"), np.arange(3), (3,))


def is_old(sh):
    return same(read(sh, "out.zarr"), np.arange(3)) and sh.leftovers() == []


def test_a_store_replaces_itself(sh, rng):
    x = rng.normal(size=(100, 80))
    write_v3(sh.path("x.zarr"), x, (10, 80))
    sh.run("fill", "x.zarr", "-w", "x < 0", "--value", "0", "-o", "x.zarr")
    assert same(read(sh, "x.zarr"), np.where(x < 0, 0, x)) and sh.leftovers() == []
    sh.path("folder").mkdir()
    sh.path("folder/file").write_text("text")
    assert "not a Zarr store" in sh.refuses("select", "x.zarr", "-w", "x > 0", "-o", "folder", "--format", "zarr", code=3)
    assert sh.path("folder/file").exists()


@pytest.mark.parametrize("damage", [b"", b"damaged", bytes(900)])
def test_a_damaged_chunk_leaves_the_old_store(sh, rng, damage):
    old_store(sh)
    write_v3(sh.path("x.zarr"), rng.normal(size=(2000, 100)), (100, 50))
    sh.path("x.zarr/c/15/1").write_bytes(damage)
    text = sh.refuses("select", "x.zarr", "-w", "x == x", "-o", "out.zarr", code=2)
    assert text.startswith("x.zarr/c/15/1: the chunk has ")
    assert is_old(sh)


def test_a_full_disk_leaves_the_old_store(sh, rng):
    old_store(sh)
    sh.save(x=rng.normal(size=1_000_000))

    def small_files():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))

    sh.refuses("select", "x.npy", "-w", "x == x", "-o", "out.zarr", code=3, preexec_fn=small_files)
    assert is_old(sh)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_leaves_the_old_store(sh, rng, number):
    old_store(sh)
    sh.save(x=np.zeros(30_000_000, "u1"))
    for delay in (0.0, 0.02):
        process = subprocess.Popen([TAMIS, "fill", "x.npy", "-w", "sin(x) < 2", "--value", "1", "-o", "out.zarr",
                                    "--threads", "1", "--chunks", "10000"], cwd=sh.folder, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 20
        while not sh.leftovers() and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.0005)
        assert process.poll() is None, "it was too fast for this test"
        time.sleep(delay)
        process.send_signal(number)
        assert process.wait(timeout=20) == -number
        assert is_old(sh)


# ---- larger than memory -----------------------------------------------------------------------------------


@pytest.mark.skipif(os.environ.get("TAMIS_SANITIZE", "") != "", reason="a sanitizer needs the address space itself")
def test_stores_larger_than_memory(sh):
    """1.6 GB, far more than the command gets, of which threads take much only to reserve it; one chunk, again and again."""
    block = np.random.default_rng(1).normal(size=(1000, 1000)).astype("f4")
    x = sh.path("x.zarr")
    write_v3(x, block, (1000, 1000))
    for i in range(80):
        (x / f"c/{i}").mkdir(exist_ok=True)
        for j in range(5):
            if i + j > 0:
                os.link(x / "c/0/0", x / f"c/{i}/{j}")
    meta = json.loads((x / "zarr.json").read_text())
    (x / "zarr.json").write_text(json.dumps({**meta, "shape": [80_000, 5000]}))

    def run(*args):
        limit = 640 << 20
        return sh.run(*args, "--threads", "2", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))

    assert int(run("count", "x.zarr", "-w", "x > 0").stdout) == 400 * np.count_nonzero(block > 0)
    run("select", "x.zarr", "-w", "x > 1.5", "-o", "out.zarr", "--no-sync")
    row = np.tile(block, (1, 5))
    assert same(read(sh, "out.zarr"), np.tile(row[row > 1.5], 80))
    run("fill", "x.zarr", "-w", "x < 2", "--value", "0", "-o", "out.zarr.zip", "--no-sync")
    assert int(run("count", "out.zarr.zip", "-w", "x > 0").stdout) == 400 * np.count_nonzero(block >= 2)
