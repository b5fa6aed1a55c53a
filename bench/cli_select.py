"""Measures `tamis select` against NumPy's np.save(out, np.load(x)[condition]) on a file in the page cache.

    python3 bench/cli_select.py build/release/cli/tamis [--gigabytes 1] [--rounds 5] [--folder FOLDER]

Both read the same file and write to the same folder, in turn, as processes of their own; NumPy's time begins when it
has been imported. `tamis` waits until its output is on the disk and NumPy does not, so both are measured both ways:
`tamis` with and without --no-sync, NumPy with and without an fsync behind np.save. Beside them stands what the disk
alone takes for the same output (a plain write and fsync). Results are compared byte for byte.
"""

import argparse
import filecmp
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

CASES = [
    ("1 %", "x > 2.3263", "x > np.float32(2.3263)"),
    ("50 %", "x > 0", "x > 0"),
    ("29 %, two comparisons", "x > 0.5 & x < 2", "(x > 0.5) & (x < 2)"),
]

NUMPY = """
import os, sys, time
import numpy as np
begin = time.perf_counter()
x = np.load(sys.argv[1])
np.save(sys.argv[2], x[{condition}])
saved = time.perf_counter() - begin
file = os.open(sys.argv[2], os.O_RDWR)
os.fsync(file)
print(saved, time.perf_counter() - begin)
"""


def make_file(path, gigabytes):
    """Normal numbers; a block of them over and over, each time shifted, so that no branch predictor learns it."""
    block = np.random.default_rng(0).standard_normal(1 << 22, dtype=np.float32)
    count = int(gigabytes * 1e9) // 4
    with open(path, "wb") as f:
        np.lib.format.write_array_header_1_0(f, {"descr": "<f4", "fortran_order": False, "shape": (count,)})
        for i in range(0, count, block.size):
            f.write(np.roll(block, i * 7919)[:count - i].tobytes())


def warm(path):
    """Reads a file into the page cache."""
    with open(path, "rb") as f:
        while f.read(1 << 24):
            pass


def file_system(folder):
    out = subprocess.run(["df", "--output=fstype", folder], capture_output=True, text=True, check=True)
    return out.stdout.split()[-1]


def time_numpy(source, target, condition):
    """Until all is in the page cache, and until it is on the disk."""
    program = NUMPY.format(condition=condition)
    out = subprocess.run([sys.executable, "-c", program, source, target], check=True, capture_output=True, text=True)
    return [float(t) for t in out.stdout.split()]


def time_tamis(tamis, source, target, condition, *options):
    begin = time.perf_counter()
    subprocess.run([tamis, "select", source, "--where", condition, "-o", target, "--quiet", *options], check=True)
    return time.perf_counter() - begin


def time_disk(target, size):
    """A plain write of as many bytes, and fsync: what dd conv=fsync does."""
    data = bytes(1 << 20)
    pathlib.Path(target).unlink(missing_ok=True)
    os.sync()
    begin = time.perf_counter()
    with open(target, "wb", buffering=0) as f:
        for at in range(0, size, len(data)):
            f.write(data[:size - at])
        os.fsync(f.fileno())
    return time.perf_counter() - begin


def measure_case(case, tamis, source, replaces, rounds):
    keeps, condition, in_numpy = case
    folder = os.path.dirname(source)
    by_numpy, by_tamis, scratch = (os.path.join(folder, name) for name in ("numpy.npy", "tamis.npy", "disk.bin"))

    def prepare(path):
        if not replaces:
            pathlib.Path(path).unlink(missing_ok=True)
        os.sync()  # so that nobody waits for what was written before

    times = []
    for number in range(rounds + replaces):
        prepare(by_numpy)
        row = time_numpy(source, by_numpy, in_numpy)
        prepare(by_tamis)
        row.append(time_tamis(tamis, source, by_tamis, condition, "--no-sync"))
        if not filecmp.cmp(by_numpy, by_tamis, shallow=False):
            sys.exit(f"cli_select: the results of {condition} differ")
        prepare(by_tamis)
        row.append(time_tamis(tamis, source, by_tamis, condition))
        row.append(time_disk(scratch, os.path.getsize(by_tamis)))
        if number > 0 or not replaces:  # the first round leaves what the others replace
            times.append(row)
    names = ["numpy", "numpy_synced", "tamis", "tamis_synced", "disk"]
    result = {"keeps": keeps, "replaces": replaces}
    result.update(zip(names, (statistics.median(t) for t in zip(*times))))
    result["ratio"] = result["numpy"] / result["tamis"]
    result["ratio_synced"] = result["numpy_synced"] / result["tamis_synced"]
    result["ratio_of_defaults"] = result["numpy"] / result["tamis_synced"]
    return result


def measure(tamis, gigabytes=1, rounds=5, folder=None):
    """Prints and returns, for each case, the median times and their ratios."""
    results = []
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        source = os.path.join(scratch, "x.npy")
        make_file(source, gigabytes)
        os.sync()
        warm(source)
        print(f"tamis select from {gigabytes:g} GB of float32 in the page cache ({file_system(scratch)} in "
              f"{folder or tempfile.gettempdir()}): medians of {rounds} rounds")
        for replaces in (False, True):
            for case in CASES:
                r = measure_case(case, tamis, source, replaces, rounds)
                results.append(r)
                print(f"  keeps {r['keeps']:21} {'replaces a file' if replaces else 'makes a file':15}  "
                      f"in the page cache: NumPy {r['numpy']:.3f} s, tamis --no-sync {r['tamis']:.3f} s, "
                      f"{r['ratio']:.1f} x;  on the disk: {r['numpy_synced']:.3f} s, {r['tamis_synced']:.3f} s, "
                      f"{r['ratio_synced']:.1f} x (the disk alone: {r['disk']:.3f} s);  "
                      f"defaults: {r['ratio_of_defaults']:.1f} x", flush=True)
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tamis", help="the program")
    parser.add_argument("--gigabytes", type=float, default=1)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--folder", help="where the files are (default: that of temporary files, $TMPDIR or /tmp)")
    args = parser.parse_args()
    measure(**{name: value for name, value in vars(args).items() if value is not None})


if __name__ == "__main__":
    main()
