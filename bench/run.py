#!/usr/bin/env python3
"""Runs the benchmark of Tamis and its peers side by side, and prints how they compare.

bench/README.md says how it measures. `make bench` builds what this needs and runs it.
"""

import argparse
import gc
import importlib
import json
import os
import pathlib
import platform
import re
import sys

import numpy as np

import rows as workloads
import timing

ROOT = pathlib.Path(__file__).resolve().parent.parent
PEERS = ["ceilings", "tamis", "torch", "xtensor"]  # C++ modules
MODULES = ["tamis", "torch", "numpy"]  # Python


class Libraries:
    """The libraries that are there, in C++ and in Python."""

    def __init__(self, build, wanted):
        self.peers, self.modules, self.missing = {}, {}, []
        for name in PEERS:
            path = build / "bench" / f"{name}_peer.so"
            if name != "ceilings" and wanted and name not in wanted:
                continue
            if path.exists():
                self.peers[name] = timing.Peer(path)
            else:
                self.missing.append(f"{name} for C++")
        for name in MODULES:
            if wanted and name not in wanted:
                continue
            try:
                self.modules[name] = importlib.import_module(name)
            except ImportError:
                self.missing.append(f"{name} for Python")
        if "tamis" not in self.peers:
            sys.exit(f"bench: {build}/bench/tamis_peer.so is not there; `make bench` builds it")

    def set_threads(self, n):
        for peer in self.peers.values():
            peer.set_threads(n)
        for module in self.modules.values():
            if hasattr(module, "set_num_threads"):
                module.set_num_threads(n)

    def versions(self):
        return {name: module.__version__ for name, module in self.modules.items()}


def python_names(name, module, arrays):
    """What a statement of rows.py may use: the library, and the arrays as its tensors over one memory."""
    convert = module.asarray if name == "numpy" else module.from_numpy
    names = {key: convert(a) if a.size > 1 else a[0].item() for key, a in arrays.items()}
    return {name: module, **names}


def cases_of(row, arrays, libraries):
    cases = []
    for kind in ("memcpy", "read"):
        call = libraries.peers["ceilings"].call(kind, {"x": arrays["x"]})
        cases.append(timing.Case(kind, "c++", kind, call))
    for name, peer in libraries.peers.items():
        if name == "ceilings" or row.front == "python":
            continue
        call = peer.call(row.operation, arrays)
        if call:
            cases.append(timing.Case(name, "c++", row.operation, call))
    for name, module in libraries.modules.items():
        if row.front == "c++":
            continue
        for statement in row.python().get(name, []):
            call = timing.python_call(statement, python_names(name, module, arrays))
            cases.append(timing.Case(name, "python", statement, call))
    return cases


def measure(row, libraries, threads, rounds):
    """The summaries of all cases of a row, and Tamis' ratios."""
    threads = row.threads or threads
    libraries.set_threads(threads)
    arrays = row.data()
    summaries = timing.interleave(cases_of(row, arrays, libraries), rounds)
    gc.collect()
    return {"number": row.number, "text": row.text, "threads": threads, "cases": summaries,
            **compare(row, summaries)}  # fmt: skip


def compare(row, summaries):
    def times(*libraries):
        return [s for s in summaries if s["library"] in libraries]

    own = times("tamis")
    # The C++ library first; from Python it is the same plus the cost of a call.
    tamis = next((s for s in own if s["front"] == "c++"), own[0])["median"]
    torch = [s for s in times("torch") if s["front"] == "c++" or s["text"] == row.python()["torch"][0]]
    peers = times("torch", "numpy", "xtensor")
    best = min(peers, key=lambda s: s["median"], default=None)
    ratios = [
        None if row.targets[0] is None else times("memcpy")[0]["median"] / tamis,
        min(s["median"] for s in torch) / tamis if torch else None,
        best["median"] / tamis if best else None,
    ]
    reached = [
        ratio is None or target is None or ratio >= target for ratio, target in zip(ratios, row.targets)
    ]
    if row.most_seconds:
        reached.append(tamis <= row.most_seconds)
    return {"ratios": ratios, "targets": row.targets, "best": best and f"{best['library']}: {best['text']}",
            "most_seconds": row.most_seconds, "reached": all(reached)}  # fmt: skip


# ---- printing --------------------------------------------------------------------------------------------


def duration(seconds):
    if seconds < 1e-5:
        return f"{seconds * 1e9:.0f} ns"
    return f"{seconds * 1e3:.3g} ms" if seconds < 1 else f"{seconds:.2f} s"


def figure(value):
    """Three digits, without an exponent."""
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def ratio_cell(ratio, target):
    if ratio is None:
        return ""
    return f"{figure(ratio)}" + (f" / {figure(target)}" if target is not None else "")


HEADER = ["#", "workload", "Tamis (quartiles)", "x memcpy / target", "x torch / target",
          "x best peer / target", "best peer", "reached"]  # fmt: skip


def table_line(result):
    own = [s for s in result["cases"] if s["library"] == "tamis"]
    tamis = next((s for s in own if s["front"] == "c++"), own[0])
    low, high = tamis["quartiles"]
    text = f"{duration(tamis['median'])} ({duration(low)}-{duration(high)})"
    if result["most_seconds"]:
        text += f" / {duration(result['most_seconds'])}"
    best = (result["best"] or "").replace("|", "\\|")
    return [result["number"], result["text"], text,
            *(ratio_cell(r, t) for r, t in zip(result["ratios"], result["targets"])),
            best, "yes" if result["reached"] else "no"]  # fmt: skip


def markdown(header, lines):
    out = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return "\n".join(out + ["| " + " | ".join(line) + " |" for line in lines])


def cpu_name():
    text = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8")
    match = re.search(r"model name\s*: (.*)", text)
    return match[1] if match else platform.processor()


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--filter", default="", help="regular expression for row numbers and texts")
    parser.add_argument("--libraries", default="", help="only these, as in tamis,numpy")
    parser.add_argument("--quick", action="store_true", help="smaller data and fewer rounds, no targets")
    parser.add_argument("--rounds", type=int, default=0)
    parser.add_argument("--threads", type=int, default=min(2, os.cpu_count()))
    parser.add_argument("--json", type=pathlib.Path, help="writes all figures there")
    return parser.parse_args(arguments)


def main():
    options = parse(sys.argv[1:])
    rounds = options.rounds or (3 if options.quick else 11)
    libraries = Libraries(options.build, options.libraries.split(",") if options.libraries else [])
    print(f"{cpu_name()}, {options.threads} threads, {rounds} rounds, medians; " +
          ", ".join(f"{k} {v}" for k, v in libraries.versions().items()))
    for name in libraries.missing:
        print(f"{name} is not installed, so it is left out")
    results = []
    print(markdown(HEADER, []))
    for row in workloads.rows(options.quick):
        if re.search(options.filter, f"{row.number} {row.text}"):
            results.append(measure(row, libraries, options.threads, rounds))
            print(markdown(HEADER, [table_line(results[-1])]).splitlines()[2], flush=True)
    if options.json:
        options.json.write_text(json.dumps(results, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
