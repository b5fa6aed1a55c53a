"""Checks that the main workloads take no more instructions than they did, which no noise can disturb.

    instructions.py PROGRAM            compares with instructions.json
    instructions.py PROGRAM --update   writes instructions.json

PROGRAM is build/<preset>/bench/tamis_instructions. It runs under Valgrind, on one thread and the AVX2 path.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

BOUNDS = pathlib.Path(__file__).with_name("instructions.json")
MARGIN = 1.3  # compilers and versions of libraries differ
SKIPPED = 77


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(SKIPPED)


def count(program):
    """Instructions per element by workload."""
    valgrind = shutil.which("valgrind") or skip("valgrind is not installed")
    with tempfile.TemporaryDirectory() as folder:
        command = [valgrind, "--tool=callgrind", "--toggle-collect=bench_counted",
                   "--dump-after=bench_counted", f"--callgrind-out-file={folder}/out", program]  # fmt: skip
        environment = {**os.environ, "TAMIS_ISA": "avx2", "TAMIS_EAGER": "0", "TAMIS_NUM_THREADS": "1"}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"{program} failed under valgrind:\n{done.stderr}")
        counts = {}
        for number, line in enumerate(done.stdout.splitlines(), 1):
            elements, name = line.split(" ", 1)
            dump = pathlib.Path(folder, f"out.{number}").read_text(encoding="utf-8")
            total = re.search(r"^(?:totals|summary): (\d+)", dump, re.MULTILINE)
            counts[name] = int(total[1]) / int(elements)
    return counts


def main():
    counts = count(sys.argv[1])
    if sys.argv[2:] == ["--update"]:
        text = json.dumps({name: round(value, 2) for name, value in counts.items()}, indent=1)
        BOUNDS.write_text(text + "\n", encoding="utf-8")
        print(f"wrote {len(counts)} workloads to {BOUNDS}")
        return
    bounds = json.loads(BOUNDS.read_text(encoding="utf-8"))
    if set(bounds) != set(counts):
        sys.exit(f"instructions.json has other workloads: {sorted(set(bounds) ^ set(counts))}; refresh it")
    failures = [name for name in counts if counts[name] > MARGIN * bounds[name]]
    for name, value in counts.items():
        verdict = "MORE THAN ALLOWED" if name in failures else "ok"
        print(f"{name:30} {value:9.2f} instructions per element, before {bounds[name]:9.2f}  {verdict}")
    if failures:
        sys.exit(f"{len(failures)} workloads take over {MARGIN} times the instructions they took; find out why,"
                 " or refresh the bounds with --update if it is worth it")  # fmt: skip


if __name__ == "__main__":
    main()
