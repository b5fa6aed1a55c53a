#!/usr/bin/env python3
"""tamis.dask beside dask.array's own way on two local workers: select to Zarr, argwhere, quantile and masked mean of 2 GB.

    build/venv/bin/python bench/cluster.py [--quick] [--json]

bench/run.py runs it as the part `cluster`. Every case has workers of its own, whose peak memory the kernel counts.
"""

import argparse
import json
import os
import pathlib
import shutil
import statistics
import sys
import tempfile
import time
import warnings

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORKERS = 2
TARGETS = (3, 0.5)  # at least as many times as fast, at most this share of the memory


def make_store(folder, megabytes):
    """Random float32 with chunks that cut both dimensions."""
    import numpy as np
    import zarr

    rows = megabytes << 20 >> 17  # of 32768 elements
    chunks = (min(rows, 1024), 4096)
    store = zarr.create_array(
        folder / "x.zarr", shape=(rows, 32768), chunks=chunks, dtype="float32", compressors=None, fill_value=0
    )
    rng = np.random.default_rng(0)
    zarr.create_array(folder / "small.zarr", data=rng.random((64, 64), dtype=np.float32), chunks=(16, 16), compressors=None)
    for start in range(0, rows, chunks[0]):
        store[start : start + chunks[0]] = rng.random((min(chunks[0], rows - start), 32768), dtype=np.float32)
    return folder / "x.zarr"


# ---- the cases: (text, tamis, dask) -------------------------------------------------------------


def tamis_select(path, out):
    import tamis.dask as td

    x = td.from_zarr(path)
    td.to_zarr(td.masked_select(x, x > 0.99), out, chunks=1 << 20)


def dask_select(path, out):
    import dask.array as da

    x = da.from_zarr(path)
    flat = x.ravel()  # row-major order needs it; x[x > 0.99] is in the order of the chunks
    kept = flat[flat > 0.99]
    kept.compute_chunk_sizes()
    kept.rechunk(1 << 20).to_zarr(out)


def tamis_argwhere(path, out):
    import tamis.dask as td

    x = td.from_zarr(path)
    return td.argwhere(x > 0.999).compute()


def dask_argwhere(path, out):
    import dask.array as da

    x = da.from_zarr(path)
    return da.argwhere(x > 0.999).compute()


def tamis_quantile(path, out):
    import tamis.dask as td

    return td.quantile(td.from_zarr(path), [0.5, 0.999]).compute()


def dask_quantile(path, out):
    import dask.array as da

    # da.percentile is not exact; an exact quantile needs one chunk.
    flat = da.from_zarr(path).ravel().rechunk(-1)
    return da.quantile(flat, [0.5, 0.999], axis=0).compute()


def tamis_mean(path, out):
    import tamis.dask as td

    x = td.from_zarr(path)
    return td.masked.mean(x, mask=x > 0.5).compute()


def dask_mean(path, out):
    import dask.array as da
    import numpy as np

    x = da.from_zarr(path)
    return da.nanmean(da.where(x > 0.5, x, np.nan)).compute()


def dask_mean_select(path, out):
    import dask.array as da

    x = da.from_zarr(path)
    return x[x > 0.5].mean().compute()


CASES = {
    "select 1 % to Zarr": (tamis_select, [dask_select]),
    "argwhere, 0.1 % true": (tamis_argwhere, [dask_argwhere]),
    "exact quantiles 0.5 and 0.999": (tamis_quantile, [dask_quantile]),
    "masked mean, 50 % kept": (tamis_mean, [dask_mean, dask_mean_select]),
}


# ---- measuring ----------------------------------------------------------------------------------


def peak(pid, field):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines():
        if line.startswith(field):
            return int(line.split()[1]) << 10
    raise RuntimeError(f"{field} is not in /proc/{pid}/status")


def measure(run, path, folder):
    """Seconds, and the peak memory of all workers together beyond what they have when idle."""
    import dask
    from distributed import Client, LocalCluster

    environment = {"distributed.nanny.pre-spawn-environ": {"MALLOC_TRIM_THRESHOLD_": 65536, "TAMIS_CACHE_MB": "64"}}
    with dask.config.set(environment):
        with LocalCluster(
            n_workers=WORKERS, threads_per_worker=1, processes=True, dashboard_address="127.0.0.1:0", host="127.0.0.1",
            memory_limit=0,
        ) as cluster, Client(cluster) as client:  # fmt: skip
            out = folder / "out.zarr"
            shutil.rmtree(out, ignore_errors=True)
            run(str(folder / "small.zarr"), str(out))  # what is loaded once
            pids = list(client.run(trim).values())
            idle = [peak(pid, "VmRSS") for pid in pids]
            for pid in pids:
                pathlib.Path(f"/proc/{pid}/clear_refs").write_text("5", encoding="utf-8")  # resets VmHWM
            shutil.rmtree(out, ignore_errors=True)
            begin = time.perf_counter()
            result = run(str(path), str(out))
            seconds = time.perf_counter() - begin
            used = sum(peak(pid, "VmHWM") for pid in pids) - sum(idle)
    if result is None:
        import zarr

        result = zarr.open_array(out, mode="r")[:]
    return seconds, used, result


def trim():
    """Gives back what was freed, and tells the process."""
    import ctypes
    import gc

    gc.collect()
    ctypes.CDLL("libc.so.6").malloc_trim(0)
    return os.getpid()


def same(text, a, b):
    import numpy as np

    if "mean" in text:
        return np.allclose(a, b, rtol=1e-4)
    if "quantiles" in text:
        return np.allclose(a, b, rtol=1e-6)
    return np.array_equal(a, b)


def run_case(text, tamis_run, dask_runs, path, folder, rounds):
    samples = {run.__name__: [] for run in (tamis_run, *dask_runs)}
    for _ in range(rounds):
        results = []
        for run in (tamis_run, *dask_runs):
            seconds, used, result = measure(run, path, folder)
            samples[run.__name__].append((seconds, used))
            results.append(result)
        for other in results[1:]:
            assert same(text, results[0], other), f"{text}: the results differ"
    medians = {
        name: (statistics.median(s for s, _ in taken), statistics.median(u for _, u in taken)) for name, taken in samples.items()
    }
    own = medians.pop(tamis_run.__name__)
    name = min(medians, key=lambda key: medians[key][0])
    return {"text": text, "tamis": own, "dask": medians[name], "dask_way": name}


def table(results, with_targets=True):
    head = ["case", "tamis.dask", "dask.array", "times as fast", "memory", "of dask.array's"]
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for r in results:
        (seconds, used), (dask_seconds, dask_used) = r["tamis"], r["dask"]
        speed, share = dask_seconds / seconds, used / dask_used
        marks = (f" / {TARGETS[0]}", f" / {TARGETS[1]:.0%}") if with_targets else ("", "")
        cells = [
            r["text"], f"{seconds:.1f} s", f"{dask_seconds:.1f} s", f"{speed:.1f}{marks[0]}",
            f"{used / 1e6:.0f} MB, {dask_used / 1e6:.0f} MB", f"{share:.0%}{marks[1]}",
        ]  # fmt: skip
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="200 MB and one round")
    parser.add_argument("--rounds", type=int, default=0)
    parser.add_argument("--filter", default="", help="only cases whose text has this in it")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    rounds = options.rounds or (1 if options.quick else 3)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="tamis-cluster-"))
    try:
        path = make_store(folder, 256 if options.quick else 2048)
        results = []
        for text, (own, others) in CASES.items():
            if options.filter in text:
                results.append(run_case(text, own, others, path, folder, rounds))
                if not options.json:
                    print(table(results[-1:]).splitlines()[-1], flush=True)
    finally:
        shutil.rmtree(folder)
    print(json.dumps(results) if options.json else table(results))


if __name__ == "__main__":
    sys.path.insert(0, os.environ.get("PYTHONPATH", str(ROOT / "build/python")).split(os.pathsep)[0])
    main()
