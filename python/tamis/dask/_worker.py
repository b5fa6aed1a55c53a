"""What a process that runs tasks needs before the first one."""

import functools
import os
from typing import Any, Callable, TypeVar

from dask.sizeof import sizeof

import tamis
from tamis import partial

F = TypeVar("F", bound=Callable[..., Any])


def _size(state: Any) -> int:
    return len(state.to_bytes())


# So that workers know how much memory they hold.
for _state in ("Count", "Sum", "Moments", "Extremes", "Selected", "TopK", "Unique", "Histogram", "Search"):
    sizeof.register(getattr(partial, _state), _size)


@functools.lru_cache(maxsize=None)
def _prepare() -> None:
    """One thread per task in the processes of a cluster, which run a task for each of theirs."""
    if "TAMIS_NUM_THREADS" in os.environ:
        return
    try:
        from distributed import get_worker

        worker = get_worker()
    except (ImportError, ValueError):  # not on a worker
        return
    if worker.nanny is not None:  # it has the process for itself
        tamis.set_num_threads(1)


def on_worker(function: F) -> F:
    """A function that tasks call."""

    @functools.wraps(function)
    def run(*args: Any, **options: Any) -> Any:
        _prepare()
        return function(*args, **options)

    return run  # type: ignore[return-value]


def named(name: str) -> Callable[..., Any]:
    """A function of tamis by its name, which tasks carry instead of it."""
    found: Any = tamis
    for part in name.split("."):
        found = getattr(found, part)
    return found
