"""Measures `tamis select` and `tamis count` on one Zarr store against zarr-python and NumPy.

    build/venv/bin/python bench/zarr_cli.py build/release/cli/tamis [--gigabytes 1] [--rounds 5] [--folder FOLDER]

The store is a measured field, float32 with one decimal, in chunks of 4 MB: compressed by blosc (lz4 and shuffled, the
default of zarr-python 2 and of microscopy), by zstd (the default of zarr-python 3), and as it is. What a compressor takes is
the same for both and bounds the ratio: `count` of a store in zstd is little else. Both read it from the page cache, as processes of their own, in turn; zarr's time begins when it has
been imported. What is selected goes to a store in the same folder, by zarr-python with its defaults and by `tamis` with
its own; neither waits for the disk. Results are compared element by element. `load` is what zarr-python alone takes to
read the store, before NumPy does anything.
"""

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

STORES = {
    "blosc": lambda codecs: codecs.BloscCodec(cname="lz4", clevel=5, shuffle="shuffle"),
    "zstd": lambda codecs: codecs.ZstdCodec(),
    "none": lambda codecs: None,
}

CASES = [
    ("select 1 %", "select", "x > 23.3", "x > np.float32(23.3)"),
    ("select 31 %", "select", "x > 5 & ~isnan(x)", "(x > 5) & ~np.isnan(x)"),
    ("count 50 %", "count", "x > 0", "x > 0"),
]

ZARR = """
import sys, time
import numpy as np
import zarr
begin = time.perf_counter()
x = zarr.open_array(sys.argv[1], mode="r")[:]
loaded = time.perf_counter() - begin
mask = {condition}
if "{command}" == "count":
    print(np.count_nonzero(mask), file=sys.stderr)
else:
    zarr.save_array(sys.argv[2], x[mask])
print(loaded, time.perf_counter() - begin)
"""


def make_store(path, gigabytes, compression="zstd"):
    """Normal numbers with a standard deviation of 10, rounded to one decimal as readings are; 1 in 1000 is missing."""
    import zarr

    rng = np.random.default_rng(0)
    block = np.round(rng.standard_normal(1 << 22, dtype=np.float32) * 10, 1)
    block[rng.integers(0, block.size, block.size // 1000)] = np.nan
    columns = 1 << 13
    rows = max(1024, int(gigabytes * 1e9) // 4 // columns // 1024 * 1024)
    store = zarr.create_array(path, shape=(rows, columns), chunks=(1024, 1024), dtype="float32",
                              compressors=STORES[compression](zarr.codecs))
    for i in range(0, rows, 512):
        store[i:i + 512] = np.roll(block, i * 7919).reshape(512, columns)


def stored_bytes(path):
    return sum(os.path.getsize(os.path.join(folder, file)) for folder, _, files in os.walk(path) for file in files)


def time_zarr(source, target, command, condition):
    shutil.rmtree(target, ignore_errors=True)
    program = ZARR.format(condition=condition, command=command)
    out = subprocess.run([sys.executable, "-c", program, source, target], check=True, capture_output=True, text=True)
    return [float(t) for t in out.stdout.split()], out.stderr.strip()


def time_tamis(tamis, source, target, command, condition):
    shutil.rmtree(target, ignore_errors=True)
    output = ["-o", target, "--no-sync"] if command == "select" else []
    begin = time.perf_counter()
    out = subprocess.run([tamis, command, source, "--where", condition, "--quiet", *output], check=True,
                         capture_output=True, text=True)
    return time.perf_counter() - begin, out.stdout.strip()


def same(a, b):
    import zarr

    x, y = zarr.open_array(a, mode="r")[:], zarr.open_array(b, mode="r")[:]
    return x.dtype == y.dtype and x.tobytes() == y.tobytes()


def measure_case(case, tamis, source, rounds):
    name, command, condition, in_numpy = case
    folder = os.path.dirname(source)
    by_zarr, by_tamis = os.path.join(folder, "zarr.zarr"), os.path.join(folder, "tamis.zarr")
    times = []
    for number in range(rounds):
        (loaded, whole), counted = time_zarr(source, by_zarr, command, in_numpy)
        own, printed = time_tamis(tamis, source, by_tamis, command, condition)
        times.append((loaded, whole, own))
        if number == 0 and (counted != printed if command == "count" else not same(by_zarr, by_tamis)):
            sys.exit(f"zarr_cli: the results of {command} {condition} differ")
    loaded, whole, own = (statistics.median(t) for t in zip(*times))
    return {"case": name, "load": loaded, "zarr": whole, "tamis": own, "ratio": whole / own}


def measure(tamis, gigabytes=1, rounds=5, folder=None, stores=tuple(STORES)):
    """Prints and returns, for each store and case, the median times and their ratio."""
    results = []
    for compression in stores:
        with tempfile.TemporaryDirectory(dir=folder) as scratch:
            source = os.path.join(scratch, "x.zarr")
            make_store(source, gigabytes, compression)
            os.sync()
            print(f"tamis on a Zarr store of {gigabytes:g} GB, compression {compression}, {stored_bytes(source) / 1e9:.2f} "
                  f"GB in the page cache: medians of {rounds} rounds")
            for case in CASES:
                r = {"store": compression, **measure_case(case, tamis, source, rounds)}
                results.append(r)
                print(f"  {r['case']:12}  zarr + NumPy {r['zarr']:.3f} s (load {r['load']:.3f} s), tamis "
                      f"{r['tamis']:.3f} s, {r['ratio']:.1f} x", flush=True)
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tamis", help="the program")
    parser.add_argument("--gigabytes", type=float, default=1)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--stores", nargs="+", choices=STORES, default=list(STORES))
    parser.add_argument("--folder", help="where the stores are (default: that of temporary files, $TMPDIR or /tmp)")
    args = parser.parse_args()
    measure(**{name: value for name, value in vars(args).items() if value is not None})


if __name__ == "__main__":
    main()
