"""Timing: cases of several libraries, run by turns so that drift of the machine hits all alike."""

import ctypes
import dataclasses
import pathlib
import resource
import time
import typing

import numpy as np

PAUSE = 0.005  # between libraries; more than a tick of the system's clock, by which it counts the time of threads
LONGEST_PAUSE = 0.1
SHORT = 0.0002  # shorter calls are repeated until a sample takes as long as
SAMPLE = 0.001
SLOW = 4.0  # a case that would need more than these seconds for all rounds gets fewer
FEWEST = 2


class Array(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p),
        ("data", ctypes.c_void_p),
        ("dtype", ctypes.c_char_p),
        ("dims", ctypes.c_int64),
        ("sizes", ctypes.c_int64 * 2),
        ("strides", ctypes.c_int64 * 2),
    ]


class Timing(ctypes.Structure):
    _fields_ = [("seconds", ctypes.c_double), ("switches", ctypes.c_int64)]


def describe(name, array):
    strides = [s // array.itemsize for s in array.strides]
    return Array(
        name.encode(), array.ctypes.data, array.dtype.name.encode(), array.ndim,
        (ctypes.c_int64 * 2)(*array.shape), (ctypes.c_int64 * 2)(*strides),
    )  # fmt: skip


class Peer:
    """A module made from bench/peer.h."""

    def __init__(self, path: pathlib.Path):
        self.library = ctypes.CDLL(str(path))
        self.library.bench_make.restype = ctypes.c_void_p
        self.library.bench_make.argtypes = [ctypes.c_char_p, ctypes.POINTER(Array), ctypes.c_int64]
        self.library.bench_time.restype = Timing
        self.library.bench_time.argtypes = [ctypes.c_void_p, ctypes.c_int64]
        self.library.bench_free.argtypes = [ctypes.c_void_p]

    def set_threads(self, n):
        self.library.bench_set_threads(n)

    def call(self, operation, arrays):
        """A function of the number of calls, which times them; None if the library lacks the operation."""
        described = (Array * len(arrays))(*(describe(n, a) for n, a in arrays.items()))
        handle = self.library.bench_make(operation.encode(), described, len(arrays))
        return _PeerCall(self.library, handle) if handle else None


class _PeerCall:
    def __init__(self, library, handle):
        self.library, self.handle = library, handle

    def __call__(self, calls):
        timing = self.library.bench_time(self.handle, calls)
        return timing.seconds, timing.switches

    def __del__(self):
        self.library.bench_free(self.handle)


def python_call(statement, names):
    """The same for a Python statement; names are what it may use."""
    code = f"def timed(calls):\n  for _ in range(calls):\n    {statement}\n"
    namespace = dict(names)
    exec(code, namespace)  # noqa: S102: statements are those of rows.py
    timed = namespace["timed"]

    def run(calls):
        switches = resource.getrusage(resource.RUSAGE_SELF).ru_nivcsw
        start = time.perf_counter()
        timed(calls)
        seconds = time.perf_counter() - start
        return seconds, resource.getrusage(resource.RUSAGE_SELF).ru_nivcsw - switches

    return run


@dataclasses.dataclass
class Case:
    library: str  # tamis, torch, numpy, xtensor, memcpy, read
    front: str  # c++ or python
    text: str  # what is called
    run: typing.Callable
    calls: int = 1
    rounds: int = 0
    clean: list = dataclasses.field(default_factory=list)  # seconds per call
    disturbed: list = dataclasses.field(default_factory=list)  # those during which a core was lost

    def prepare(self, rounds):
        self.run(1)  # finds everything cold
        seconds = self.run(1)[0]
        if seconds < SHORT:
            self.calls = max(1, int(SAMPLE / max(self.run(10)[0] / 10, 1e-8)))
        self.rounds = int(min(rounds, max(FEWEST, SLOW / max(seconds, SAMPLE))))
        self.is_short = seconds < 0.05
        if seconds >= 1:
            self.clean.append(seconds)  # too slow for a call that does not count

    def sample(self, evict):
        if self.calls == 1:
            evict()
        else:
            self.run(1)
        seconds, switches = self.run(self.calls)
        (self.disturbed if switches else self.clean).append(seconds / self.calls)

    def is_done(self):
        """A short case that was disturbed gets twice the rounds; then what there is must do."""
        taken = len(self.clean) + len(self.disturbed)
        most = 2 * self.rounds if self.is_short else self.rounds
        return len(self.clean) >= self.rounds or taken >= most

    def samples(self):
        return self.clean if 2 * len(self.clean) >= self.rounds else self.clean + self.disturbed

    def summary(self):
        low, median, high = np.quantile(self.samples(), [0.25, 0.5, 0.75])
        return {
            "library": self.library, "front": self.front, "text": self.text, "median": median,
            "quartiles": [low, high], "min": min(self.samples()), "rounds": len(self.samples()),
            "clean": 2 * len(self.clean) >= self.rounds,
        }  # fmt: skip


def wait_until_quiet():
    """Sleeps until no thread of this process runs any more. Those of OpenMP spin for several milliseconds after a
    call, and would take their core from the library that comes next."""
    deadline = time.perf_counter() + LONGEST_PAUSE
    while True:
        start, used = time.perf_counter(), time.process_time()
        time.sleep(PAUSE)
        now = time.perf_counter()
        if time.process_time() - used < 0.1 * (now - start) or now > deadline:
            return


def interleave(cases, rounds, evict):
    """Runs every case once per round; returns their summaries. evict fills the caches with something else, so
    that no case finds there what the one before it left, or what it left itself."""
    for case in cases:
        case.prepare(rounds)
    while not all(case.is_done() for case in cases):
        for case in cases:
            if not case.is_done():
                wait_until_quiet()
                case.sample(evict)
    return [case.summary() for case in cases]
