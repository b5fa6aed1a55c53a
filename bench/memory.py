"""Memory that an operation takes beyond its inputs and its result, each measured in a process of its own."""

import json
import pathlib
import re
import subprocess
import sys

import rows

OPERATIONS = ["masked_select", "select_between", "assign", "masked_fill", "where", "nonzero", "masked_sum",
              "sum_between", "masked_softmax", "masked_scatter", "isin"]  # fmt: skip
# A bit per element, and some blocks per thread and pages that are begun, whatever the size.
MOST_BYTES, MOST_FIXED = 0.13, 4 << 20


def arrays_for(operation, n):
    """What the operation takes, with n elements."""
    shape = (n // 1000, 1000) if operation == "masked_softmax" else (n,)
    arrays = {"x": rows.normal(*shape)}
    if operation.endswith("_between"):
        return rows.bounded(n)()
    if operation == "isin":
        return {**arrays, "values": rows.normal(100)}
    arrays["mask"] = rows.random_mask(*shape)
    if operation == "where":
        arrays["other"] = rows.normal(n)
    if operation == "masked_scatter":
        arrays["source"] = rows.normal(n)
    return arrays


def status(field):
    text = pathlib.Path("/proc/self/status").read_text(encoding="utf-8")
    return int(re.search(rf"{field}:\s*(\d+) kB", text)[1]) * 1024


def size_of(result):
    if isinstance(result, (tuple, list)):
        return sum(map(size_of, result))
    if hasattr(result, "nbytes") and not callable(result.nbytes):
        return result.nbytes
    return result.numel() * result.element_size() if hasattr(result, "numel") else 0


def child(operation, library, n, threads):
    """Measures in this process, which must be a new one, and prints the bytes."""
    import run

    module = __import__(library)
    if hasattr(module, "set_num_threads"):
        module.set_num_threads(threads)
    statement = rows.OPERATIONS[operation][library][0]
    keep = statement if re.search(r"[^=<>]=[^=]", statement.split("(")[0]) else f"result = {statement}"

    def names(count):
        return run.python_names(library, module, arrays_for(operation, count))

    exec(keep, names(10**5))  # threads started, code loaded
    space = names(n)
    pathlib.Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # the peak starts again
    before = status("VmRSS")
    exec(keep, space)
    print(status("VmHWM") - before - size_of(space.get("result")))


def is_enough(bytes_per_element, n):
    return bytes_per_element <= MOST_BYTES + MOST_FIXED / n


def measure(libraries, n, threads):
    """Bytes per element by operation and library; None where the library has no such operation."""
    table = {}
    for operation in OPERATIONS:
        table[operation] = {}
        for library in libraries:
            if not rows.OPERATIONS[operation].get(library):
                table[operation][library] = None
                continue
            command = [sys.executable, __file__, operation, library, str(n), str(threads)]
            done = subprocess.run(command, check=True, capture_output=True, text=True)
            table[operation][library] = json.loads(done.stdout) / n
        table[operation]["reached"] = is_enough(table[operation]["tamis"], n)
    return table


if __name__ == "__main__":
    child(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
