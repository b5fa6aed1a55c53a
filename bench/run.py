#!/usr/bin/env python3
"""Runs the benchmark of Tamis and its peers side by side, and prints how they compare.

bench/README.md says how it measures. `make bench` builds what this needs and runs it.
"""

import argparse
import functools
import gc
import importlib
import json
import os
import pathlib
import platform
import re
import subprocess
import sys

import numpy as np

import attention
import cli_select
import cluster
import memory
import report
import rows
import sweep
import sweeps
import timing

ROOT = pathlib.Path(__file__).resolve().parent.parent
PEERS = ["ceilings", "tamis", "torch", "xtensor"]  # C++ modules
MODULES = ["tamis", "torch", "numpy"]  # Python
LARGEST_CACHE = 128 << 20  # bytes
PARTS = ["table", "sweep", "memory", "density", "scaling", "isa", "cli", "webgpu", "attention", "cluster"]


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
        for name in ("tamis", "ceilings"):
            if name not in self.peers:
                sys.exit(f"bench: {build}/bench/{name}_peer.so is not there; `make bench` builds it")
        self.scratch = rows.laid_out(np.ones(LARGEST_CACHE, np.uint8))
        self.evict = functools.partial(self.peers["ceilings"].call("read", {"x": self.scratch}), 1)

    def set_threads(self, n):
        for peer in self.peers.values():
            peer.set_threads(n)
        for module in self.modules.values():
            if hasattr(module, "set_num_threads"):
                module.set_num_threads(n)


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
        if name == "ceilings" or row.front == "python" or (row.alone and name != "tamis"):
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
    cases = timing.interleave(cases_of(row, arrays, libraries), rounds, libraries.evict)
    gc.collect()
    return {"number": row.number, "text": row.text, "threads": threads, "cases": cases,
            "targets": row.targets, "most_seconds": row.most_seconds, **compare(row, cases)}  # fmt: skip


def tamis_isa():
    return importlib.import_module("tamis").isa()


def compare(row, cases):
    """How many times as fast as memcpy, torch and the best peer Tamis is, and whether that is enough."""

    def times(*libraries):
        return [s for s in cases if s["library"] in libraries]

    tamis = report.tamis_of({"cases": cases})["median"]
    reference = row.python().get("torch", [""])[0]
    torch = [s for s in times("torch") if s["front"] == "c++" or s["text"] == reference]
    best = min(times("torch", "numpy", "xtensor"), key=lambda s: s["median"], default=None)
    ratios = [
        None if row.front else times("memcpy")[0]["median"] / tamis,
        min(s["median"] for s in torch) / tamis if torch else None,
        best["median"] / tamis if best else None,
    ]
    # The targets are those of a CPU with AVX-512; others are held to memcpy and torch.
    judged = 3 if tamis_isa() == "avx512" else 2
    shares = [r / t for r, t in zip(ratios[:judged], row.targets) if r is not None and t is not None]
    if row.most_seconds:
        shares.append(row.most_seconds / tamis)
    return {"ratios": ratios, "best": best and f"{best['library']}: {best['text']}", "share": min(shares, default=1)}


def run_table(options, measure_row, results, save):
    """Appends to results row by row, so that a run that is stopped leaves what it has."""
    print(report.markdown_head(report.HEADER))
    for row in rows.rows(options.quick):
        if re.search(options.filter, f"{row.number} {row.text}"):
            results.append(measure_row(row))
            print(report.markdown_line(report.table_line(results[-1])), flush=True)
            save()
    answers = [report.reached(r) for r in results]
    print(f"\n{answers.count('yes')} of {len(results)} rows reach their targets, {answers.count('nearly')} nearly\n")


def run_cli(build):
    """What bench/cli_select.py measures, if the command is there."""
    command = build / "cli/tamis"
    if command.exists():
        return cli_select.measure(str(command))
    print("the command line is not there, so it is left out")
    return None


def run_webgpu(build, quick):
    """What bench/webgpu.cpp measures on the first adapter; TAMIS_WEBGPU_LIB, or the library that the tests use."""
    command = [str(build / "bench/tamis_webgpu_bench"), "--json", str(2**20 if quick else 2**22)]
    environment = dict(os.environ)
    for library in (ROOT / "build/venv").glob("lib/*/site-packages/wgpu/resources/libwgpu_native*.so"):
        environment.setdefault("TAMIS_WEBGPU_LIB", str(library))
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    if done.returncode != 0:
        print(f"WebGPU is left out: {done.stderr.strip()}")
        return None
    return json.loads(done.stdout)


def run_cluster(build, quick):
    """What bench/cluster.py measures, in the environment that has Dask."""
    python = ROOT / "build/venv/bin/python"
    if not list(python.parent.parent.glob("lib/*/site-packages/distributed")):
        print("Dask is not in build/venv, so the cluster is left out")
        return None
    command = [str(python), str(ROOT / "bench/cluster.py"), "--json", *["--quick"] * quick]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        print("bench/cluster.py failed, so the cluster is left out")
        return None
    return json.loads(done.stdout)


def run(options, libraries, out, save):
    """Puts all parts that were asked for into out, by name."""
    rounds, threads = options.rounds, options.threads
    n = 10**6 if options.quick else 10**7

    def measure_row(row, share=1):
        return measure(row, libraries, threads, max(timing.FEWEST, rounds // share))

    if "table" in options.parts:
        run_table(options, measure_row, out.setdefault("table", []), save)
    if "sweep" in options.parts:
        libraries.set_threads(threads)
        cells = sweep.run(sizes=[10, 1000] if options.quick else sweep.SIZES, pattern=options.filter)
        out["sweep"] = sweep.as_json(cells)
        print("\n".join(sweep.line(cell) for cell in sweep.worst(cells)))
        print(sweep.summary(cells) + "\n", flush=True)
        save()
    if "memory" in options.parts:
        out["memory"] = memory.measure(list(libraries.modules), 3 * n, threads)
        print("29: bytes per element beyond inputs and result\n")
        print(report.memory_table(out["memory"]) + "\n", flush=True)
        save()
    if "density" in options.parts:
        out["density"] = sweeps.density(lambda row: measure_row(row, 2), n)
        save()
    if "scaling" in options.parts:
        out["scaling"] = sweeps.scaling(measure_row, threads, 10**7 if options.quick else 10**9)
        save()
    if "isa" in options.parts:
        arguments = ["--build", str(options.build), "--threads", str(threads), "--rounds", str(rounds)]
        out["isa"] = sweeps.instruction_sets(arguments + ["--quick"] * options.quick)
        print(report.isa_table(out["isa"]) + "\n", flush=True)
    if "cli" in options.parts:
        out["cli"] = run_cli(options.build)
    if "webgpu" in options.parts:
        out["webgpu"] = run_webgpu(options.build, options.quick)
        if out["webgpu"]:
            print(report.webgpu_table(out["webgpu"]) + "\n", flush=True)
    if "attention" in options.parts:
        libraries.set_threads(threads)
        wanted = [name for name in attention.CALLS if name in libraries.modules]
        out["attention"] = attention.measure(wanted, threads, rounds, libraries.evict)
        print(attention.table(out["attention"]) + "\n", flush=True)
    if "cluster" in options.parts:
        out["cluster"] = run_cluster(options.build, options.quick)
        if out["cluster"]:
            print(cluster.table(out["cluster"]) + "\n", flush=True)
    save()


def write_charts(folder, out):
    for name, draw in (("density", report.density_chart), ("scaling", report.scaling_chart)):
        if name in out:
            path = folder / f"bench_{name}.svg"
            path.write_text(draw(out[name]), encoding="utf-8")
            print(f"drew {path.relative_to(ROOT) if path.is_relative_to(ROOT) else path}")


def write_docs(out, heading):
    path = ROOT / "docs/performance.md"
    text = report.replace_part(path.read_text(encoding="utf-8"), "machine", heading)
    if "table" in out:
        text = report.replace_part(text, "table", report.results_table(out["table"]))
    if "sweep" in out:
        text = report.replace_part(text, "sweep", report.sweep_text(out["sweep"]))
    if "memory" in out:
        text = report.replace_part(text, "memory", report.memory_table(out["memory"], with_targets=False))
    if "isa" in out:
        text = report.replace_part(text, "isa", report.isa_table(out["isa"]))
    if out.get("cli"):
        text = report.replace_part(text, "cli", report.cli_table(out["cli"]))
    if out.get("webgpu"):
        text = report.replace_part(text, "webgpu", report.webgpu_table(out["webgpu"], with_targets=False))
    if "attention" in out:
        text = report.replace_part(text, "attention", attention.table(out["attention"], with_targets=False))
    path.write_text(text, encoding="utf-8")
    if out.get("cluster"):
        path = ROOT / "docs/cluster.md"
        text = report.replace_part(path.read_text(encoding="utf-8"), "cluster", cluster.table(out["cluster"], False))
        path.write_text(text, encoding="utf-8")


def cpu_name():
    text = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8")
    match = re.search(r"model name\s*: (.*)", text)
    return match[1] if match else platform.processor()


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--parts", help=f"some of {','.join(PARTS)}; all, unless --filter is given")
    parser.add_argument("--filter", default="", help="only rows of the table whose number and text match")
    parser.add_argument("--libraries", default="", help="only these, as in tamis,numpy")
    parser.add_argument("--quick", action="store_true", help="smaller data and fewer rounds")
    parser.add_argument("--rounds", type=int, default=0)
    parser.add_argument("--threads", type=int, default=min(2, os.cpu_count()))
    parser.add_argument("--json", type=pathlib.Path, help="writes all figures to this file")
    parser.add_argument("--write-docs", action="store_true", help="refreshes docs/ instead of drawing beside")
    options = parser.parse_args(arguments)
    options.parts = (options.parts or ("table" if options.filter else ",".join(PARTS))).split(",")
    options.rounds = options.rounds or (3 if options.quick else 11)
    if set(options.parts) - set(PARTS):
        parser.error(f"parts are {', '.join(PARTS)}")
    return options


def main():
    options = parse(sys.argv[1:])
    for path in (options.build / "python", options.build.parent / "python"):
        if (path / "tamis").is_dir():
            sys.path.insert(0, str(path))
            os.environ["PYTHONPATH"] = str(path)  # for processes of their own
            break
    libraries = Libraries(options.build, options.libraries.split(",") if options.libraries else [])
    tamis = libraries.modules.get("tamis")
    isa = tamis.isa() if tamis else "unknown"
    versions = ", ".join(f"{name} {module.__version__}" for name, module in libraries.modules.items())
    heading = f"{cpu_name()}, instruction set {isa}, {options.threads} threads, {options.rounds} rounds; {versions}"
    print(heading)
    for name in libraries.missing:
        print(f"{name} is not installed, so it is left out")
    out = {}

    def save():
        if options.json:
            text = json.dumps({"machine": heading, "instruction_set": isa, **out}, indent=1)
            options.json.write_text(text + "\n", encoding="utf-8")

    run(options, libraries, out, save)
    write_charts(ROOT / "docs" if options.write_docs else options.build / "bench", out)
    if options.write_docs:
        write_docs(out, heading)


if __name__ == "__main__":
    main()
