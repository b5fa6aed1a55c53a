"""Attention with structured masks, beside its parts in torch, and the memory that it takes."""

import math
import pathlib
import subprocess
import sys

import numpy as np

import memory
import timing

LENGTH, SIZE, WINDOW = 4096, 64, 256
MASKS = ["none", "causal", "window"]
NAMES = {"none": "no mask", "causal": "causal", "window": f"window of {WINDOW}"}
# How many times as fast as without a mask it should be.
TARGETS = {"causal": 1.7, "window": 8}


def operands(heads, length=LENGTH):
    random = np.random.RandomState(heads)
    return [random.standard_normal((heads, length, SIZE)).astype(np.float32) for _ in range(3)]


def of_tamis(mask, arrays):
    import tamis

    q, k, v = map(tamis.from_numpy, arrays)
    n = q.shape[1]
    keep = {"none": None, "causal": tamis.masks.causal(n), "window": tamis.masks.sliding_window(n, WINDOW)}[mask]
    return lambda: tamis.scaled_dot_product_attention(q, k, v, keep)


def of_torch(mask, arrays):
    """torch 1.13 has no attention of its own; the mask is made beforehand, as a tensor that is added."""
    import torch

    q, k, v = map(torch.from_numpy, arrays)
    n = q.shape[1]
    at = torch.arange(n)
    seen = (at <= at[:, None]) & (at > at[:, None] - (n if mask == "causal" else WINDOW))
    added = torch.zeros(n, n).masked_fill(~seen, -math.inf)

    def run():
        scores = q @ k.transpose(1, 2) * (1 / math.sqrt(SIZE))
        return torch.softmax(scores if mask == "none" else scores + added, -1) @ v

    return run


CALLS = {"tamis": of_tamis, "torch": of_torch}


def child(library, mask, heads, threads):
    """Prints the bytes that a call takes beyond arguments and result; in a process of its own."""
    __import__(library).set_num_threads(threads)
    CALLS[library](mask, operands(1, 64))()  # threads started, code loaded
    call = CALLS[library](mask, operands(heads))
    pathlib.Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # the peak starts again
    before = memory.status("VmRSS")
    result = call()
    print(memory.status("VmHWM") - before - memory.size_of(result))


def bytes_of(library, mask, heads, threads):
    command = [sys.executable, __file__, library, mask, str(heads), str(threads)]
    return int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def measure(libraries, threads, rounds, evict):
    """One entry per number of heads and mask: the seconds of each library, and bytes."""
    found = []
    for heads in (1, 8):
        arrays = operands(heads)
        cases = []
        for mask in MASKS:
            for library in libraries:
                call = timing.python_call("call()", {"call": CALLS[library](mask, arrays)})
                cases.append(timing.Case(library, "python", mask, call))
        summaries = timing.interleave(cases, rounds, evict)
        for mask in MASKS:
            seconds = {s["library"]: s["median"] for s in summaries if s["text"] == mask}
            taken = {library: bytes_of(library, mask, heads, threads) for library in libraries}
            found.append({"heads": heads, "mask": mask, "seconds": seconds, "bytes": taken})
    return found


def table(found, with_targets=True):
    """As Markdown; targets come after a slash."""
    lines = ["| heads | mask | milliseconds | x no mask | x torch | MB | torch's MB |", "|---|---|---|---|---|---|---|"]
    for entry in found:
        full = next(e for e in found if e["heads"] == entry["heads"] and e["mask"] == "none")["seconds"]["tamis"]
        own, torch = entry["seconds"]["tamis"], entry["seconds"].get("torch")
        megabytes = [f"{entry['bytes'][name] / 1e6:.0f}" if name in entry["bytes"] else "" for name in ("tamis", "torch")]
        target = TARGETS.get(entry["mask"])
        ratio = f"{full / own:.1f}" + (f" / {target}" if with_targets else "") if target else ""
        ratios = [ratio, f"{torch / own:.1f}" if torch else ""]
        cells = [entry["heads"], NAMES[entry["mask"]], f"{own * 1e3:.0f}", *ratios, *megabytes]
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(lines)


if __name__ == "__main__":
    child(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
