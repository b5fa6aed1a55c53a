"""Measures `tamis select` against NumPy's np.save(out, np.load(x)[condition]) on a file in the page cache.

    python3 bench/cli_select.py build/release/cli/tamis [--gigabytes 1] [--rounds 5] [--folder FOLDER]

Both read the same file and write a new one to the same folder, in turn, as processes of their own; NumPy's time begins
when it has been imported. Results are compared byte for byte.
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
import sys, time
import numpy as np
begin = time.perf_counter()
x = np.load(sys.argv[1])
np.save(sys.argv[2], x[{condition}])
print(time.perf_counter() - begin)
"""


def make_file(path, gigabytes):
    """Normal numbers; a block of them over and over, each time shifted, so that no branch predictor learns it."""
    block = np.random.default_rng(0).standard_normal(1 << 22, dtype=np.float32)
    count = int(gigabytes * 1e9) // 4
    with open(path, "wb") as f:
        np.lib.format.write_array_header_1_0(f, {"descr": "<f4", "fortran_order": False, "shape": (count,)})
        for i in range(0, count, block.size):
            f.write(np.roll(block, i * 7919)[:count - i].tobytes())
    pathlib.Path(path).read_bytes()  # into the page cache


def time_numpy(source, target, condition):
    program = NUMPY.format(condition=condition)
    out = subprocess.run([sys.executable, "-c", program, source, target], check=True, capture_output=True, text=True)
    return float(out.stdout)


def time_tamis(tamis, source, target, condition):
    begin = time.perf_counter()
    subprocess.run([tamis, "select", source, "--where", condition, "-o", target, "--quiet"], check=True)
    return time.perf_counter() - begin


def measure(tamis, gigabytes=1, rounds=5, folder="/dev/shm" if os.access("/dev/shm", os.W_OK) else None):
    """Prints and returns, for each case, the median times and their ratio."""
    results = []
    with tempfile.TemporaryDirectory(dir=folder) as place:
        source, by_numpy, by_tamis = (os.path.join(place, name) for name in ("x.npy", "numpy.npy", "tamis.npy"))
        make_file(source, gigabytes)
        print(f"tamis select from {gigabytes:g} GB of float32 in {folder or place}: medians of {rounds} rounds")
        for name, condition, in_numpy in CASES:
            times = []
            for _ in range(rounds):
                for path in (by_numpy, by_tamis):
                    pathlib.Path(path).unlink(missing_ok=True)
                times.append((time_numpy(source, by_numpy, in_numpy), time_tamis(tamis, source, by_tamis, condition)))
            if not filecmp.cmp(by_numpy, by_tamis, shallow=False):
                sys.exit(f"cli_select: the results of {condition} differ")
            numpy_time, tamis_time = (statistics.median(t) for t in zip(*times))
            results.append({"keeps": name, "numpy": numpy_time, "tamis": tamis_time, "ratio": numpy_time / tamis_time})
            print(f"  keeps {name:22}  NumPy {numpy_time:6.3f} s   tamis {tamis_time:6.3f} s   "
                  f"{results[-1]['ratio']:5.1f} x")
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tamis", help="the program")
    parser.add_argument("--gigabytes", type=float, default=1)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--folder", help="where the files are (default: /dev/shm, so that no disk is measured)")
    args = parser.parse_args()
    measure(**{name: value for name, value in vars(args).items() if value is not None})


if __name__ == "__main__":
    main()
