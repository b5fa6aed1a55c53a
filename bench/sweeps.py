"""Sweeps: masked_select over density and over size, and the main rows on every instruction set."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

import rows

PERCENTS = [0.1, 0.5, 1, 5, 10, 25, 50, 75, 90, 95, 99, 99.5, 99.9]
MAIN = r"^(1|3|5|9a|10|12|14|16|17|18|19|20|21|23|25a|25b|27) "
NEEDED = 11  # bytes per element: x, mask, result, and what memcpy writes
BYTES = {"tamis": 7, "memcpy": 8}  # per element: x and mask read, half of x written; x read and written


def density(measure, n):
    """{"random": [(percent, {library: times as fast as memcpy})], "runs": ...}"""
    sweep = {}
    for kind, make in (("random", rows.random_mask), ("runs", rows.run_mask)):
        sweep[kind] = []
        for percent in PERCENTS:
            data = rows.select(n, make, density=percent / 100)
            result = measure(rows.Row("", f"{kind} {percent} %", "masked_select", data, statements="sweep"))
            times = {s["library"]: s["median"] for s in result["cases"]}
            sweep[kind].append((percent, {name: times["memcpy"] / t for name, t in times.items()}))
    return sweep


def free_bytes():
    for line in pathlib.Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return 0


def scaling(measure, threads, largest):
    """{threads: [(elements, {library: GB/s})]}, up to the size that the free memory holds."""
    sweep = {}
    for count in sorted({1, threads}):
        sweep[count] = []
        for n in (int(round(10**k)) for k in np.arange(3, 9.1, 0.5)):
            if n > largest or 1.3 * NEEDED * n > free_bytes():
                break
            row = rows.Row("", f"{n}", "masked_select", rows.select(n), threads=count, front="c++", alone=True)
            result = measure(row)
            rates = {s["library"]: BYTES[s["library"]] * n / s["median"] / 1e9
                     for s in result["cases"] if s["library"] in BYTES}  # fmt: skip
            sweep[count].append((n, rates))
    return sweep


def instruction_sets(arguments):
    """{isa: results of the main rows}, each in a process of its own, since the choice is made once."""
    found = {}
    for isa in ("scalar", "sse4", "avx2", "avx512"):
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / "out.json"
            command = [sys.executable, str(pathlib.Path(__file__).with_name("run.py")), "--parts", "table",
                       "--libraries", "tamis", "--filter", MAIN, "--json", str(out), *arguments]  # fmt: skip
            environment = {**os.environ, "TAMIS_ISA": isa}
            subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL)
            output = json.loads(out.read_text(encoding="utf-8"))
        if output["instruction_set"] == isa:  # else the CPU does not have it
            found[isa] = output["table"]
    return found
