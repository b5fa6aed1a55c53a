"""python -m tamis.dask: select, fill, count, stats and mask of the command line, over Zarr stores on a Dask cluster."""

import argparse
import json
import math
import os
import shutil
import sys
import tempfile
from typing import Any, Dict, List, Optional, Sequence, Tuple

import dask
import dask.array as da
import numpy as np

import tamis
import tamis.dask as td
from tamis.dask.condition import Condition, Summary, summarize, takes_whole


class UsageError(Exception):
    """What is wrong with the arguments."""


# ---- inputs and outputs -------------------------------------------------------------------------


def open_inputs(files: Sequence[str]) -> Dict[str, da.Array]:
    """Arrays by name, in the order given; those without a name are x, y and z in turn."""
    arrays: Dict[str, da.Array] = {}
    unnamed = iter("xyz")
    for file in files:
        name, found, path = file.partition("=")
        if not found or not name.isidentifier():
            name, path = next(unnamed, ""), file
            if not name:
                raise UsageError("give names to files beyond the third, as in w=a.zarr")
        if name in arrays:
            raise UsageError(f"two files are called {name}")
        arrays[name] = open_zarr(path)
    return arrays


def open_zarr(path: str) -> da.Array:
    """path or path:array, for an array in a group."""
    store, _, component = path.partition(":") if not os.path.exists(path) and "://" not in path else (path, "", "")
    try:
        return td.from_zarr(store, component or None)
    except (FileNotFoundError, KeyError, ValueError) as error:
        raise UsageError(f"{path}: cannot be read as a Zarr array: {error}") from error


def write(array: da.Array, path: Optional[str], chunks: Optional[int]) -> None:
    """A local store appears complete or not at all, and takes the place of one that is there."""
    if not path:
        raise UsageError("give the store to write with -o, as in -o out.zarr")
    if "://" in path:
        td.to_zarr(array, path, chunks=chunks, overwrite=True)
        return
    if os.path.exists(path) and not any(os.path.exists(os.path.join(path, name)) for name in ("zarr.json", ".zarray")):
        raise UsageError(f"{path} is there and is no Zarr array, so it is left alone")
    folder = os.path.dirname(os.path.abspath(path))
    made = tempfile.mkdtemp(prefix=f".{os.path.basename(path)}.", dir=folder)
    try:
        os.chmod(made, 0o777 & ~_umask())
        td.to_zarr(array, made, chunks=chunks, overwrite=True)
        if os.path.exists(path):
            shutil.rmtree(path)
        os.rename(made, path)
    except BaseException:
        shutil.rmtree(made, ignore_errors=True)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


# ---- printing -----------------------------------------------------------------------------------


def say(options: Any, text: str) -> None:
    if not options.quiet:
        print(text, file=sys.stderr)


def share_text(part: int, whole: int) -> str:
    return f"{part} of {whole} ({100 * part / whole if whole else 0:.1f} %)"


def to_text(value: Any) -> str:
    if isinstance(value, float):
        return "nan" if math.isnan(value) else f"{value:.7g}"
    return str(int(value))


def to_json(value: Any) -> Any:
    if isinstance(value, list):
        return [to_json(v) for v in value]
    if isinstance(value, float):
        return None if math.isnan(value) else ("inf" if value > 0 else "-inf") if math.isinf(value) else value
    return value


def dump(values: Any) -> str:
    return json.dumps(to_json_object(values), separators=(",", ":"))


def to_json_object(values: Dict[str, Any]) -> Dict[str, Any]:
    return {key: to_json(value) for key, value in values.items()}


# ---- commands -----------------------------------------------------------------------------------


def condition_of(options: Any, arrays: Dict[str, da.Array], text: Optional[str] = None) -> Condition:
    first = next(iter(arrays.values()))
    condition = Condition(text or options.where, arrays, first.shape)
    if condition.dtype != np.bool_:
        raise UsageError(f"a condition must be bool, but this is {condition.dtype}; compare it, as in (...) != 0")
    return condition


def numel(shape: Sequence[int]) -> int:
    return int(np.prod(shape, dtype=np.int64))


def run_select(options: Any) -> None:
    arrays = open_inputs(options.files)
    condition = condition_of(options, arrays)
    kept = td.masked_select(next(iter(arrays.values())), condition.values())
    write(kept, options.output, options.chunks)
    say(options, "kept " + share_text(kept.shape[0], numel(condition.shape)))


def run_fill(options: Any) -> None:
    arrays = open_inputs(options.files)
    x = next(iter(arrays.values()))
    condition = condition_of(options, arrays)
    value = Condition(options.value, arrays, condition.shape)
    mask = condition.values()
    if value.is_number:
        number = value.number()
        check_fits(number, x)
        filled = td.masked_fill(x, mask, number)
    else:
        if not tamis.can_cast(getattr(tamis, str(value.dtype)), getattr(tamis, str(x.dtype))):
            raise UsageError(f"--value: elements of {value.dtype} cannot be stored in an array of {x.dtype}")
        filled = td.where(mask, value.values().astype(x.dtype), x)
    write(filled, options.output, None)
    say(options, "filled " + share_text(int(td.count_nonzero(mask).compute()), numel(condition.shape)))


def check_fits(number: Any, x: da.Array) -> None:
    try:
        tamis.masked_fill(np.ones(1, x.dtype), np.ones(1, bool), number)
    except RuntimeError as error:
        raise UsageError(f"--value: {error}") from error
    if isinstance(number, float) and x.dtype.kind in "iu" and not number.is_integer():
        raise UsageError(f"--value: {number} is not an integer, but the array holds {x.dtype}; use round(...)")


def run_count(options: Any) -> None:
    arrays = open_inputs(options.files)
    name, x = next(iter(arrays.items()))
    text = options.where or (name if x.dtype == np.bool_ else f"{name} != 0")
    condition = condition_of(options, arrays, text)
    counts = np.asarray(td.count_nonzero(condition.values(), options.dim or None).compute())
    total = numel(condition.shape)
    if options.json:
        values = {"count": counts.tolist(), "total": total}
        if options.dim:
            values["dim"] = sorted(d % len(condition.shape) for d in options.dim)
        print(dump(values))
    elif counts.ndim <= 1:
        print("\n".join(str(n) for n in counts.reshape(-1).tolist()))
    else:
        print("\n\n".join(rows_text(matrix) for matrix in counts.reshape(-1, *counts.shape[-2:])))


def rows_text(matrix: np.ndarray) -> str:
    return "\n".join(" ".join(str(n) for n in row) for row in matrix.tolist())


def lines_of(summary: Summary, total: int, quantiles: Sequence[float]) -> List[Tuple[str, Any]]:
    return [
        ("count", summary.count + summary.nan), ("total", total), ("nan", summary.nan), ("inf", summary.inf),
        ("sum", summary.sum), ("mean", summary.mean), ("std", summary.std), ("min", summary.min),
        *((f"q({p:g})", value) for p, value in zip(quantiles, summary.quantiles)), ("max", summary.max),
    ]  # fmt: skip


def run_stats(options: Any) -> None:
    quantiles = options.quantiles if options.quantiles is not None else [0.05, 0.25, 0.5, 0.75, 0.95]
    if any(not 0 <= p <= 1 for p in quantiles):
        raise UsageError("--quantiles: expected numbers from 0 to 1")
    arrays = open_inputs(options.files)
    x = next(iter(arrays.values()))
    if x.dtype.kind == "c":
        raise UsageError("stats: complex numbers have no order")
    mask, total = None, x.size
    if options.where:
        condition = condition_of(options, arrays)
        mask, total = condition.values(), numel(condition.shape)
    if options.dim:
        return stats_along(options, x, mask)
    lines = lines_of(summarize(x, mask, [(p, False) for p in quantiles]), total, quantiles)
    if options.json:
        print(dump(dict(lines)))
    else:
        for name, value in lines:
            print(f"{name:<8}  {to_text(value)}")


def stats_along(options: Any, x: da.Array, mask: Optional[da.Array]) -> None:
    """One line for every index of the dimensions that are left, with quantiles only if they were asked for."""
    shape = x.shape if mask is None else mask.shape
    if x.shape != shape:
        x = td.where(mask, x, x)
    dims = sorted(d % len(shape) for d in options.dim)
    quantiles = options.quantiles or []
    if quantiles and len(dims) > 1:
        raise UsageError("stats: quantiles are along one dimension only here")
    is_float = x.dtype.kind == "f"
    nan = da.isnan(x) if is_float else da.zeros_like(x, dtype=bool)
    keep = ~nan if mask is None else mask & ~nan
    wide = "float64" if is_float else None
    arrays = {
        "kept": td.masked.count(x, dims, mask=mask), "count": td.masked.count(x, dims, mask=keep),
        "inf": td.count_nonzero(da.isinf(x) & keep if is_float else nan, dims),
        "sum": td.masked.sum(x, dims, mask=keep, dtype=wide), "mean": td.masked.mean(x, dims, mask=keep, dtype="float64"),
        "std": td.masked.std(x, dims, mask=keep, dtype="float64"), "min": td.masked.amin(x, dims, mask=keep),
        "max": td.masked.amax(x, dims, mask=keep),
    }  # fmt: skip
    for p in quantiles:
        arrays[f"q({p:g})"] = td.masked.quantile(x.astype(np.float64), p, dims[0], mask=keep)
    found = {name: np.asarray(value) for name, value in zip(arrays, dask.compute(*arrays.values()))}
    total = numel([shape[d] for d in dims])
    rows = [_line_along(found, index, total, quantiles) for index in np.ndindex(*found["count"].shape)]
    if options.json:
        sizes = found["count"].shape
        columns = {name: nested([dict(row)[name] for row in rows], sizes) for name, _ in rows[0]} if rows else {}
        print(dump({**columns, "dim": dims}))
        return
    table = [["index", *(name for name, _ in rows[0])]] if rows else []
    for index, row in zip(np.ndindex(*found["count"].shape), rows):
        table.append([",".join(map(str, index)) or "all", *(to_text(value) for _, value in row)])
    print(text_table(table), end="")


def _line_along(found: Dict[str, np.ndarray], index: Tuple[int, ...], total: int, quantiles: Sequence[float]) -> List[Any]:
    values = {name: array[index].item() for name, array in found.items()}
    some = values["count"] > 0
    summary = Summary(
        values["count"], values["kept"] - values["count"], values["inf"], values["sum"], values["mean"], math.nan,
        values["std"], values["min"] if some else math.nan, values["max"] if some else math.nan,
        [values[f"q({p:g})"] for p in quantiles],
    )  # fmt: skip
    return lines_of(summary, total, quantiles)


def nested(values: List[Any], sizes: Sequence[int]) -> Any:
    """A flat list as lists of lists."""
    if len(sizes) == 0:
        return values[0]
    step = numel(sizes[1:])
    return [nested(values[i * step : (i + 1) * step], sizes[1:]) for i in range(sizes[0])]


def text_table(rows: Sequence[Sequence[str]]) -> str:
    """The first column to the left, the others to the right."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))] if rows else []
    lines = ["  ".join([row[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(row[1:], widths[1:]))]) for row in rows]
    return "".join(line.rstrip() + "\n" for line in lines)


def run_mask(options: Any) -> None:
    if bool(options.lengths) == bool(options.where):
        raise UsageError("give either --where or --lengths")
    if options.max_len is not None and not options.lengths:
        raise UsageError("--max-len needs --lengths")
    if options.lengths and options.files:
        raise UsageError("--lengths takes no other files")
    text = options.where
    if options.lengths:
        arrays = {"lengths": open_zarr(options.lengths)}
        text = "from_lengths(lengths)" if options.max_len is None else f"from_lengths(lengths, {options.max_len})"
    else:
        arrays = open_inputs(options.files)
    first, x = next(iter(arrays.items()), ("", None))
    # Lengths and the like only say what the mask is, not how large.
    condition = Condition(text, arrays, () if x is None or takes_whole(text, first) else x.shape)
    if condition.dtype != np.bool_:
        raise UsageError(f"a condition must be bool, but this is {condition.dtype}; compare it, as in (...) != 0")
    mask = condition.values()
    write(mask, options.output, None)
    say(options, "true: " + share_text(int(td.count_nonzero(td.from_zarr(options.output)).compute()), mask.size))


# ---- the cluster --------------------------------------------------------------------------------


def with_cluster(options: Any, work: Any) -> None:
    """Calls work while a client is there: of the scheduler that was given, or of a cluster on this machine."""
    from distributed import Client, LocalCluster

    if options.scheduler:
        with Client(options.scheduler, timeout=30) as client:
            return run_with_progress(options, client, work)
    workers = options.workers or os.cpu_count() or 1
    with LocalCluster(
        n_workers=workers, threads_per_worker=1, processes=True, dashboard_address="127.0.0.1:0", host="127.0.0.1"
    ) as cluster, Client(cluster) as client:
        run_with_progress(options, client, work)


def run_with_progress(options: Any, client: Any, work: Any) -> None:
    """Tells how many tasks are done, on a terminal, once a second."""
    if options.quiet or not sys.stderr.isatty():
        return work(options)
    import threading

    done = threading.Event()

    def tell() -> None:
        while not done.wait(1):
            states = client.run_on_scheduler(_count_states)
            finished, all_tasks = states
            if all_tasks:
                print(f"\r{finished} of {all_tasks} tasks ", end="", file=sys.stderr, flush=True)

    teller = threading.Thread(target=tell, daemon=True)
    teller.start()
    try:
        work(options)
    finally:
        done.set()
        teller.join()
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def _count_states(dask_scheduler: Any = None) -> Tuple[int, int]:
    states = [task.state for task in dask_scheduler.tasks.values()]
    return sum(state in ("memory", "released", "forgotten") for state in states), len(states)


# ---- arguments ----------------------------------------------------------------------------------


def numbers(text: str) -> List[float]:
    return [float(part) for part in text.split(",")]


def parser() -> argparse.ArgumentParser:
    result = argparse.ArgumentParser(prog="python -m tamis.dask", description=__doc__, allow_abbrev=False)
    commands = result.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def add(name: str, run: Any, summary: str, files: str = "+") -> argparse.ArgumentParser:
        command = commands.add_parser(name, help=summary, description=summary, allow_abbrev=False)
        command.set_defaults(run=run)
        command.add_argument("files", nargs=files, metavar="FILE", help="Zarr stores: a.zarr, name=a.zarr or a.zarr:array")
        command.add_argument("-w", "--where", metavar="CONDITION", help="condition, as tamis help describes it")
        command.add_argument("--scheduler", metavar="ADDRESS", help="of a running Dask scheduler (default: a local cluster)")
        command.add_argument("--workers", type=int, metavar="N", help="of the local cluster (default: all cores)")
        command.add_argument("-q", "--quiet", action="store_true", help="print only results and errors")
        return command

    def add_output(command: argparse.ArgumentParser) -> None:
        command.add_argument("-o", "--output", metavar="STORE", required=True, help="Zarr store to write")

    select = add("select", run_select, "Write the elements for which a condition is true")
    add_output(select)
    select.add_argument("--chunks", type=int, metavar="N", help="elements per chunk (default: as the largest chunk read)")
    fill = add("fill", run_fill, "Replace elements for which a condition is true")
    add_output(fill)
    fill.add_argument("--value", required=True, metavar="VALUE", help="value to fill in: a number or an expression")
    count = add("count", run_count, "Count the elements for which a condition is true")
    count.add_argument("--dim", type=int, action="append", metavar="N", help="dimensions to count along")
    count.add_argument("--json", action="store_true", help="print JSON")
    stats = add("stats", run_stats, "Summarise the elements for which a condition is true")
    stats.add_argument("--quantiles", type=numbers, metavar="P", help="quantiles to print (default: 0.05,0.25,0.5,0.75,0.95)")
    stats.add_argument("--dim", type=int, action="append", metavar="N", help="dimensions to summarise along")
    stats.add_argument("--json", action="store_true", help="print JSON")
    mask = add("mask", run_mask, "Write the mask of a condition", "*")
    add_output(mask)
    mask.add_argument("--lengths", metavar="FILE", help="store of lengths: each row of the mask is true up to its length")
    mask.add_argument("--max-len", type=int, metavar="N", help="row length (default: the largest length)")
    for command in (select, fill):
        command.set_defaults(needs_where=True)
    return result


def main(arguments: Optional[Sequence[str]] = None) -> int:
    options = parser().parse_args(arguments)
    try:
        if getattr(options, "needs_where", False) and not options.where:
            raise UsageError(f"{options.command} needs --where")
        with_cluster(options, options.run)
    except UsageError as error:
        print(f"tamis.dask: {error}", file=sys.stderr)
        return 2
    except (ValueError, TypeError, RuntimeError, OSError) as error:
        print(f"tamis.dask: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
