"""Formats, pipes, and what happens when files are bad, disks full, or signals come."""

import errno
import os
import pathlib
import re
import resource
import shutil
import signal
import struct
import subprocess
import time
import zipfile
import zlib

import json

import numpy as np
import pytest

from conftest import TAMIS, same

# ---- formats ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["<f4", ">f4", "<f8", ">f8", "<i2", ">i2", ">i8", ">u1", "?", ">f2"])
@pytest.mark.parametrize("order", "CF")
def test_reads_both_orders_of_bytes_and_dimensions(sh, rng, dtype, order):
    x = np.asarray(rng.integers(-3, 4, (30, 7, 2)), dtype=dtype, order=order)
    sh.save(x=x)
    sh.run("select", "x.npy", "-w", "x > 0", "-o", "out.npy")
    assert same(sh.load("out.npy"), x[x > 0].astype(x.dtype.newbyteorder("=")))


def test_reads_large_fortran_arrays(sh, rng):
    x = np.asfortranarray(rng.normal(size=(3000, 500)).astype("f4"))
    sh.save(x=x)
    sh.run("select", "x.npy", "-w", "x > 1", "-o", "out.npy")
    assert same(sh.load("out.npy"), x[x > 1])


@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
def test_reads_all_versions_of_npy(sh, version):
    with open(sh.path("x.npy"), "wb") as f:
        np.lib.format.write_array(f, np.arange(10), version=version)
    assert sh.run("count", "x.npy", "-w", "x > 4").stdout == b"5\n"


@pytest.mark.parametrize("compress", [False, True])
def test_npz_in_and_out(sh, rng, compress):
    a, b = rng.normal(size=(40, 3)), np.arange(7)
    (np.savez_compressed if compress else np.savez)(sh.path("z.npz"), a=a, b=b)
    sh.run("select", "z.npz", "--name", "a", "-w", "x > 0", "-o", "out.npz")
    with np.load(sh.path("out.npz")) as out:
        assert out.files == ["a"] and same(out["a"], a[a > 0])
    sh.run("select", "x=z.npz", "y=z.npz", "--name", "x=b", "--name", "y=b", "-w", "y > 3", "-o", "out.npz")
    with np.load(sh.path("out.npz")) as out:
        assert same(out["b"], b[b > 3])
    text = sh.refuses("count", "z.npz", "-w", "x > 0", code=2)
    assert text == "z.npz: the file has 2 arrays: a, b; choose one with --name a or write z.npz:a\n"
    sh.refuses("count", "z.npz", "--name", "c", "-w", "x > 0", code=2)


def safetensors(tensors):
    header, data = {}, b""
    names = {"float32": "F32", "int64": "I64", "bool": "BOOL"}
    for name, x in tensors.items():
        header[name] = {"dtype": names[x.dtype.name], "shape": list(x.shape),
                        "data_offsets": [len(data), len(data) + x.nbytes]}
        data += x.tobytes()
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def test_safetensors_in_and_out(sh, rng):
    w = rng.normal(size=(8, 4)).astype("f4")
    sh.path("m.safetensors").write_bytes(safetensors({"w": w, "ids": np.arange(3)}))
    sh.run("fill", "m.safetensors", "--name", "w", "-w", "x < 0", "--value", "0", "-o", "out.safetensors")
    assert sh.path("out.safetensors").read_bytes().endswith(np.where(w < 0, np.float32(0), w).tobytes())
    sh.run("select", "out.safetensors", "-w", "x > 0", "-o", "out.npy")
    assert same(sh.load("out.npy"), w[w > 0])


def test_raw_in_and_out(sh, rng):
    x = rng.normal(size=(6, 5)).astype("f4")
    sh.path("x.raw").write_bytes(x.tobytes())
    for shape in ("6,5", "6x5", "[6, 5]", "-1,5"):
        sh.run("select", "x.raw", "--dtype", "float32", f"--shape={shape}", "-w", "x > 0 & j > 1", "-o", "out.bin")
        assert sh.path("out.bin").read_bytes() == x[:, 2:][x[:, 2:] > 0].tobytes()
    assert sh.run("count", "x.raw", "--dtype", "float32", "-w", "i < 7").stdout == b"7\n"
    assert "needs --dtype" in sh.refuses("count", "x.raw", "-w", "x > 0", code=1)
    sh.refuses("count", "x.raw", "--dtype", "float32", "--shape", "7,5", "-w", "x > 0", code=2)
    assert "did you mean float32" in sh.refuses("count", "x.raw", "--dtype", "flaot32", "-w", "x > 0", code=1)
    sh.refuses("count", "x.raw", "--dtype", "float32", "--shape", "6;5", "-w", "x > 0", code=1)


def test_format_option_decides(sh):
    sh.save(x=np.arange(5.0))
    sh.run("select", "x.npy", "-w", "x > 2", "-o", "out.dat", "--format", "raw")
    assert sh.path("out.dat").read_bytes() == np.array([3.0, 4.0]).tobytes()
    assert "expected one of npy" in sh.refuses("select", "x.npy", "-w", "x > 2", "-o", "o.dat", "--format", "tsv", code=1)


def test_the_ending_decides_else(sh):
    sh.save(x=np.arange(5.0))
    sh.run("select", "x.npy", "-w", "x > 2", "-o", "plain")
    assert same(np.load(sh.path("plain")), np.array([3.0, 4.0]))
    told = sh.refuses("select", "x.npy", "-w", "x > 2", "-o", "table.tsv", code=1)
    assert "unknown file extension .tsv" in told and "--format" in told
    assert not sh.path("table.tsv").exists()


def test_info_describes_files(sh, rng):
    np.savez_compressed(sh.path("z.npz"), a=np.asfortranarray(rng.normal(size=(4, 3))), b=np.arange(5, dtype=">i4"))
    text = sh.run("info", "z.npz").stdout.decode()
    assert "float64" in text and "Fortran order" in text and "byte-swapped" in text and "compressed" in text
    out = json.loads(sh.run("info", "z.npz", "--json").stdout)
    assert out[0]["format"] == "npz" and [a["shape"] for a in out[0]["arrays"]] == [[4, 3], [5]]
    assert [a["byte_swapped"] for a in out[0]["arrays"]] == [False, True]


# ---- pipes ------------------------------------------------------------------------------------------------


def test_standard_input_and_output(sh, rng):
    x = rng.normal(size=(500, 90)).astype("f4")
    sh.save(x=x)
    data = sh.path("x.npy").read_bytes()
    piped = sh.run("select", "-", "-w", "x > 0", "-o", "-", stdin=data).stdout
    sh.run("select", "x.npy", "-w", "x > 0", "-o", "out.npy")
    assert piped == sh.path("out.npy").read_bytes()
    assert sh.run("fill", "-", "-w", "x > 0", "--value", "0", "--quiet", stdin=data).stderr == ""
    assert sh.run("count", "-", "-w", "x == x", stdin=piped).stdout == f"{np.sum(x > 0)}\n".encode()
    raw = sh.run("stats", "-", "--dtype", "float32", "--json", stdin=x.tobytes()).stdout
    assert json.loads(raw)["total"] == x.size


def test_a_reader_that_goes_away_ends_the_command(sh, rng):
    sh.save(x=rng.normal(size=2_000_000))
    line = f"{TAMIS} select x.npy -w 'x == x' -q | head -c 100 | wc -c"
    assert subprocess.run(["bash", "-c", line], cwd=sh.folder, capture_output=True, timeout=60).stdout == b"100\n"


# ---- bad input --------------------------------------------------------------------------------------------


def header(text, version=(1, 0)):
    return b"\x93NUMPY" + bytes(version) + struct.pack("<H", len(text)) + text.encode()


@pytest.mark.parametrize("data", [
    b"",
    b"not an array",
    b"\x93NUMPY\x01\x00",
    header("{'descr': '<f8', 'fortran_order': False, 'shape': (10,), }"),
    header("{'descr': '<f8', 'fortran_order': False, 'shape': (4611686018427387904, 4), }") + b"\0" * 64,
    header("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }") + b"\x80\x04N.",
    header("{'descr': '<f8', 'fortran_order': False, 'shape': (-1,), }") + b"\0" * 8,
    struct.pack("<Q", 1 << 40) + b"{}",
    b"PK\x03\x04 broken",
], ids=range(9))
def test_malformed_files_are_refused(sh, data):
    sh.path("x.npy").write_bytes(data)
    sh.path("out.npy").write_bytes(b"old")
    text = sh.refuses("select", "x.npy", "-w", "x > 0", "-o", "out.npy", code=2)
    assert text.startswith("x.npy: ")
    assert sh.path("out.npy").read_bytes() == b"old" and sh.leftovers() == []


def test_element_types_that_tamis_has_not_are_refused_with_one_that_it_has(sh):
    for dtype, other in (("longdouble", "float64"), ("clongdouble", "complex128")):
        sh.save(x=np.arange(5).astype(dtype))
        assert f"convert to {other} first" in sh.refuses("count", "x.npy", "-w", "x > 1", code=2), dtype
        assert "unsupported" in sh.run("info", "x.npy").stdout.decode()
    for array in (np.array(["a"]), np.array(["2020-01-01"], "M8[D]"), np.zeros(3, [("a", "f4")])):
        sh.save(x=array)
        text = sh.refuses("count", "x.npy", "-w", "x > 1", code=2)
        assert "only arrays of numbers are" in text and "malformed" not in text


def test_empty_files_are_called_empty(sh):
    sh.path("x.npy").write_bytes(b"")
    assert sh.refuses("count", "x.npy", "-w", "x > 1", code=2) == "x.npy: the file is empty\n"
    assert sh.refuses("count", "-", "-w", "x > 1", code=2, stdin=b"") == "standard input: the file is empty\n"


def test_truncated_files_are_refused(sh):
    sh.save(x=np.arange(1000.0))
    data = sh.path("x.npy").read_bytes()
    sh.path("x.npy").write_bytes(data[:-8])
    sh.refuses("count", "x.npy", "-w", "x > 0", code=2)
    sh.refuses("count", "-", "-w", "x > 0", code=2, stdin=data[:5000])


def test_shapes_that_do_not_broadcast_are_refused(sh):
    sh.save(x=np.zeros(3), y=np.zeros(4))
    assert "shapes [3] and [4]" in sh.refuses("count", "x.npy", "y.npy", "-w", "x > y", code=1)


def test_missing_files_are_failures_of_input(sh):
    assert "No such file" in sh.refuses("count", "nothing.npy", "-w", "x > 0", code=3)
    sh.save(x=np.arange(3))
    text = sh.refuses("select", "x.npy", "-w", "x > 0", "-o", "no/folder/out.npy", code=3)
    assert text == "no/folder/out.npy: cannot write to the directory no/folder: No such file or directory\n"
    assert "it is a directory" in sh.refuses("select", "x.npy", "-w", "x > 0", "-o", ".", code=3)
    sh.refuses("info", ".", code=3)


# ---- the output appears whole or not at all ---------------------------------------------------------------


def test_a_file_may_replace_itself(sh):
    sh.save(x=np.arange(10))
    sh.run("select", "x.npy", "-w", "x > 6", "-o", "x.npy")
    assert sh.load("x.npy").tolist() == [7, 8, 9]


def test_without_sync_the_output_is_the_same(sh, rng):
    x = rng.normal(size=3_000_000)
    sh.save(x=x)
    sh.path("out.npy").write_bytes(b"old")
    sh.run("select", "x.npy", "-w", "x > 0", "-o", "out.npy", "--no-sync")
    assert same(sh.load("out.npy"), x[x > 0]) and sh.leftovers() == []


def can_trace():
    """Whether strace is here and may attach to what it runs (a container may forbid it)."""
    return shutil.which("strace") and subprocess.run(["strace", "-o", os.devnull, "true"], capture_output=True).returncode == 0


@pytest.mark.skipif(not can_trace(), reason="strace is not installed or may not trace")
def test_only_a_synced_output_waits_for_the_disk(sh, rng):
    sh.save(x=rng.normal(size=3_000_000))
    # LeakSanitizer stops a program that is being traced.
    env = {**os.environ, "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"}

    def syncs(*options):
        subprocess.run(["strace", "-f", "-o", "log", "-e", "trace=fsync,sync_file_range", TAMIS, "select", "x.npy", "-w",
                        "x > 0", "-o", "out.npy", *options], cwd=sh.folder, env=env, check=True, capture_output=True)
        return re.findall(r" (fsync|sync_file_range)\(", sh.path("log").read_text())

    assert syncs().count("fsync") == 2 and "sync_file_range" in syncs()
    assert syncs("--no-sync") == []


@pytest.mark.parametrize("action", [signal.SIG_IGN, signal.SIG_DFL])
def test_a_full_disk_leaves_the_old_file(sh, rng, action):
    sh.save(x=rng.normal(size=1_000_000))
    sh.path("out.npy").write_bytes(b"old")

    def small_files():
        signal.signal(signal.SIGXFSZ, action)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))

    text = sh.refuses("select", "x.npy", "-w", "x == x", "-o", "out.npy", code=3, preexec_fn=small_files)
    assert os.strerror(errno.EFBIG) in text
    assert sh.path("out.npy").read_bytes() == b"old" and sh.leftovers() == []


def test_a_full_standard_output_is_a_failure(sh):
    sh.save(x=np.arange(10))
    with open("/dev/full", "wb") as full:
        for args in (["count", "x.npy", "-w", "x > 1"], ["select", "x.npy", "-w", "x > 1"], ["info", "x.npy"],
                     ["--help"]):
            result = subprocess.run([TAMIS, *args], cwd=sh.folder, stdout=full, stderr=subprocess.PIPE, timeout=60)
            assert result.returncode == 3 and result.stderr.startswith(b"tamis: "), args


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_leaves_the_old_file(sh, number):
    """The input is a pipe that never ends, so the signal comes while the command works."""
    sh.save(x=np.zeros(30_000_000, "u1"))
    sh.path("out.npy").write_bytes(b"old")
    for delay in (0.0, 0.01, 0.03):
        process = subprocess.Popen([TAMIS, "fill", "x.npy", "-w", "sin(x) > 2", "--value", "1", "-o", "out.npy",
                                    "--threads", "1"], cwd=sh.folder, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 20
        while not sh.leftovers() and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.0005)
        assert process.poll() is None, "it was too fast for this test"
        time.sleep(delay)
        process.send_signal(number)
        assert process.wait(timeout=20) == -number
        assert sh.path("out.npy").read_bytes() == b"old" and sh.leftovers() == []


# ---- larger than memory -----------------------------------------------------------------------------------


LIMIT = 400 << 20  # of address space


def limit_memory():
    resource.setrlimit(resource.RLIMIT_AS, (LIMIT, LIMIT))


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """1.6 GB, four times the memory that the command gets; made of one block, repeated."""
    path = tmp_path_factory.mktemp("large") / "x.npy"
    block = np.random.default_rng(1).normal(size=(1000, 1000)).astype("f4")
    with open(path, "wb") as f:
        np.lib.format.write_array_header_1_0(f, {"descr": "<f4", "fortran_order": False, "shape": (400_000, 1000)})
        for _ in range(400):
            f.write(block.tobytes())
    yield path, block
    path.unlink()


@pytest.mark.skipif(os.environ.get("TAMIS_SANITIZE", "") != "", reason="a sanitizer needs the address space itself")
def test_files_larger_than_memory(sh, large):
    path, block = large

    def run(*args):
        return sh.run(*args, "--threads", "2", preexec_fn=limit_memory)

    low, high = np.quantile(block, [0.01, 0.99])
    run("select", path, "-w", "x < q(0.01) | x > q(0.99)", "-o", "out.npy")
    kept = sh.load("out.npy")
    # Repeating a block 400 times moves a quantile by less than one element.
    inner = block[(block < low) | (block > high)]
    assert abs(kept.size - 400 * inner.size) <= 800
    assert same(kept[:inner.size - 10], inner[:inner.size - 10])
    out = json.loads(run("stats", path, "-w", "x > 0", "--json").stdout)
    positive = block[block > 0].astype("f8")
    assert out["count"] == 400 * positive.size
    assert np.isclose(out["mean"], positive.mean(), rtol=1e-12) and np.isclose(out["max"], positive.max())
    counts = run("count", path, "-w", "x > 0", "--dim", "0").stdout.split()
    assert [int(c) for c in counts] == (400 * np.count_nonzero(block > 0, axis=0)).tolist()
    run("fill", path, "-w", "x < 0", "--value", "0", "-o", "/dev/null")
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert usage.ru_maxrss < (LIMIT >> 10)


def one_member(path, data, claimed, size, deflated=True):
    """An .npz of one member that claims to be `claimed` bytes; of its `size` stored ones only `data` are not a hole."""
    method, name, crc = 8 if deflated else 0, b"x.npy", 0
    wide = 0xFFFFFFFF
    extra = struct.pack("<HHQQ", 1, 16, claimed, size)
    local = struct.pack("<IHHHHHIIIHH", 0x04034B50, 45, 0, method, 0, 0, crc, wide, wide, len(name), len(extra))
    entry = struct.pack("<IHHHHHHIIIHHHHHII", 0x02014B50, 45, 45, 0, method, 0, 0, crc, wide, wide, len(name),
                        len(extra), 0, 0, 0, 0, 0) + name + extra
    at = len(local + name + extra) + size
    end64 = struct.pack("<IQHHIIQQQQ", 0x06064B50, 44, 45, 45, 0, 0, 1, 1, len(entry), at)
    locator = struct.pack("<IIQI", 0x07064B50, 0, at + len(entry), 1)
    end = struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, 0xFFFF, 0xFFFF, wide, wide, 0)
    with open(path, "wb") as f:
        f.write(local + name + extra + data)
        f.seek(at)
        f.write(entry + end64 + locator + end)


def test_a_member_that_inflates_beyond_the_disk_is_refused(sh):
    """A file that takes no space itself, and claims to inflate to 500 TB: nothing is written."""
    count = 500 * 10**12
    head = header(f"{{'descr': '|u1', 'fortran_order': False, 'shape': ({count},), }}")
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    data = packer.compress(head + bytes(1 << 20)) + packer.flush(zlib.Z_SYNC_FLUSH)
    try:
        one_member(sh.path("x.npz"), data, len(head) + count, count // 1000)
    except OSError:
        pytest.skip("the file system has no files of 500 GB with holes")
    sh.path("out.npy").write_bytes(b"old")
    began = time.monotonic()
    text = sh.refuses("select", "x.npz", "-w", "x > 0", "-o", "out.npy", code=3)
    assert "x.npz: a temporary file of 500000000" in text and "TMPDIR" in text
    assert time.monotonic() - began < 20
    assert sh.path("out.npy").read_bytes() == b"old" and sh.leftovers() == []
    # What it claims to be can be seen all the same.
    assert json.loads(sh.run("info", "x.npz", "--json").stdout)[0]["arrays"][0]["elements"] == count


@pytest.mark.skipif(os.environ.get("TAMIS_SANITIZE", "") != "", reason="a sanitizer needs the address space itself")
def test_members_that_inflate_beyond_memory(sh):
    """700 kB that become 700 MB, in an address space of 400 MB."""
    count = 700 << 20
    with zipfile.ZipFile(sh.path("x.npz"), "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        with archive.open("x.npy", "w", force_zip64=True) as f:
            np.lib.format.write_array_header_1_0(f, {"descr": "|u1", "fortran_order": False, "shape": (count,)})
            for _ in range(count >> 20):
                f.write(bytes((1 << 20) - 1) + b"\1")
    assert os.path.getsize(sh.path("x.npz")) < 5 << 20
    out = sh.run("count", "x.npz", "-w", "x > 0", preexec_fn=limit_memory, env={"TMPDIR": str(sh.folder)})
    assert out.stdout == f"{count >> 20}\n".encode()
    assert [p.name for p in sh.folder.iterdir()] == ["x.npz"]


def test_a_file_that_shrinks_is_an_error(sh):
    """It is cut while the command reads it; zeros must not pass for elements."""
    sh.save(x=np.ones(20_000_000))
    sh.path("out.npy").write_bytes(b"old")
    process = subprocess.Popen([TAMIS, "fill", "x.npy", "-w", "sin(x) > 2", "--value", "0", "-o", "out.npy",
                                "--threads", "1"], cwd=sh.folder, stderr=subprocess.PIPE)
    while not sh.leftovers() and process.poll() is None:
        time.sleep(0.0005)
    os.truncate(sh.path("x.npy"), 1000)
    _, text = process.communicate(timeout=60)
    assert process.returncode == 3 and text.startswith(b"tamis: x.npy: "), text
    assert sh.path("out.npy").read_bytes() == b"old"
