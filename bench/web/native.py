#!/usr/bin/env python3
"""Times the workloads of the benchmark in the browser with the same library outside of it: lines "operation n" come
in, milliseconds per call go out. TAMIS_ISA=sse4 and TAMIS_NUM_THREADS=1 make it comparable with WebAssembly."""

import functools
import sys
import time

import numpy as np
import tamis

SAMPLE_SECONDS = 0.02
ROW_LENGTH = 1000


@functools.lru_cache(maxsize=1)
def workload(operation, n):
    """A call of the operation, and how many a sample needs."""
    random = np.random.default_rng(1)
    x, b = (tamis.from_numpy(random.uniform(-1, 1, n).astype(np.float32)) for _ in range(2))
    mask = tamis.from_numpy(random.integers(0, 2, n).astype(bool))
    whole = tamis.from_numpy(random.integers(0, 32, n).astype(np.float32))
    values = tamis.from_numpy(np.arange(0, 32, 2, dtype=np.float32))
    rows = (x * 10).reshape(-1, ROW_LENGTH).settle()
    call = {
        "masked_select": lambda: x.masked_select(mask),
        "fused_select": lambda: (x * 2 + 1)[x > 0],
        "masked_sum": lambda: tamis.masked.sum(x, mask=mask).item(),
        "where": lambda: tamis.where(mask, x, b).settle(),
        "isin": lambda: tamis.isin(whole, values).settle(),
        "softmax": lambda: rows.softmax(1).settle(),
    }[operation]
    calls = 1
    while (seconds := sample(call, calls) * calls) < SAMPLE_SECONDS:
        calls *= 2
    return call, max(1, round(calls * SAMPLE_SECONDS / seconds))


def sample(call, calls):
    """Seconds per call."""
    begin = time.perf_counter()
    for _ in range(calls):
        call()
    return (time.perf_counter() - begin) / calls


for line in sys.stdin:
    name, size = line.split()
    print(1000 * sample(*workload(name, int(size))), flush=True)
