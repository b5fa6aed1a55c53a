"""python -m tamis.dask over Zarr stores, beside what NumPy gives."""

import json
import os
import subprocess
import sys

import pytest

pytest.importorskip("dask", reason="Dask is not installed")
zarr = pytest.importorskip("zarr", reason="Zarr is not installed")
pytest.importorskip("distributed", reason="distributed is not installed")
import numpy as np
from distributed import LocalCluster


@pytest.fixture(scope="module")
def scheduler():
    with LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address="127.0.0.1:0", host="127.0.0.1"
    ) as cluster:
        yield cluster.scheduler_address


@pytest.fixture(scope="module")
def stores(tmp_path_factory):
    folder = tmp_path_factory.mktemp("stores")
    rng = np.random.default_rng(4)
    a = rng.standard_normal((60, 50)).astype(np.float32)
    a[a > 2] = np.nan
    limit = np.linspace(-1, 1, 50, dtype=np.float32)
    zarr.create_array(folder / "a.zarr", data=a, chunks=(17, 20))
    zarr.create_array(folder / "limit.zarr", data=limit, chunks=(50,))
    group = zarr.open_group(folder / "group.zarr", mode="w")
    group.create_array("inside", data=a, chunks=(30, 50))
    return folder, a, limit


def run(folder, *arguments, code=0):
    done = subprocess.run(
        [sys.executable, "-m", "tamis.dask", *map(str, arguments)], cwd=folder, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == code, done.stderr
    return done


def test_select(stores, scheduler):
    folder, a, limit = stores
    done = run(folder, "select", "a.zarr", "-w", "x > 0.5 & ~isnan(x)", "-o", "kept.zarr", "--scheduler", scheduler)
    expected = a[a > 0.5]
    assert f"kept {expected.size} of 3000" in done.stderr
    assert np.array_equal(zarr.open_array(folder / "kept.zarr", mode="r")[:], expected)
    run(folder, "select", "x=a.zarr", "y=limit.zarr", "-w", "x > y", "-o", "kept.zarr", "--chunks", 100, "--scheduler", scheduler)
    stored = zarr.open_array(folder / "kept.zarr", mode="r")
    assert stored.chunks == (100,) and np.array_equal(stored[:], a[a > limit])
    run(folder, "select", "group.zarr:inside", "-w", "abs(x - mean(x)) <= 2 * std(x)", "-o", "b.zarr", "--scheduler", scheduler)
    near = np.abs(a - np.float32(np.nanmean(a, dtype=np.float64))) <= np.float32(2 * np.nanstd(a, dtype=np.float64, ddof=1))
    assert np.array_equal(zarr.open_array(folder / "b.zarr", mode="r")[:], a[near])


def test_fill_and_mask(stores, scheduler):
    folder, a, limit = stores
    done = run(folder, "fill", "a.zarr", "-w", "isnan(x)", "--value", "0", "-o", "filled.zarr", "--scheduler", scheduler)
    assert f"filled {np.isnan(a).sum()} of 3000" in done.stderr
    assert np.array_equal(zarr.open_array(folder / "filled.zarr", mode="r")[:], np.nan_to_num(a, nan=0))
    run(folder, "fill", "a.zarr", "y=limit.zarr", "-w", "x > y", "--value", "y", "-o", "capped.zarr", "--scheduler", scheduler)
    assert np.array_equal(zarr.open_array(folder / "capped.zarr", mode="r")[:], np.where(a > limit, limit, a), equal_nan=True)
    done = run(folder, "mask", "a.zarr", "-w", "x > 0 & i > j", "-o", "mask.zarr", "--scheduler", scheduler)
    expected = (a > 0) & (np.arange(60)[:, None] > np.arange(50))
    assert f"true: {expected.sum()} of 3000" in done.stderr
    assert np.array_equal(zarr.open_array(folder / "mask.zarr", mode="r")[:], expected)
    done = run(folder, "count", "mask.zarr", "--scheduler", scheduler)
    assert done.stdout == f"{expected.sum()}\n"
    zarr.create_array(folder / "lengths.zarr", data=np.array([2, 0, 3]), chunks=(2,))
    run(folder, "mask", "--lengths", "lengths.zarr", "--max-len", 4, "-o", "mask.zarr", "-q", "--scheduler", scheduler)
    assert np.array_equal(zarr.open_array(folder / "mask.zarr", mode="r")[:], np.arange(4) < np.array([[2], [0], [3]]))


def test_count_and_stats(stores, scheduler):
    folder, a, limit = stores
    done = run(folder, "count", "a.zarr", "-w", "x > 0", "--dim", 1, "--json", "--scheduler", scheduler)
    assert json.loads(done.stdout) == {"count": np.count_nonzero(a > 0, 1).tolist(), "total": 3000, "dim": [1]}
    done = run(folder, "stats", "a.zarr", "--json", "--quantiles", "0.1,0.5", "--scheduler", scheduler)
    wide = a.astype(np.float64)
    found = json.loads(done.stdout)
    assert found["nan"] == np.isnan(a).sum() and found["count"] == 3000
    assert found["mean"] == pytest.approx(np.nanmean(wide), rel=1e-14)
    assert found["std"] == pytest.approx(np.nanstd(wide, ddof=1), rel=1e-14)
    assert found["q(0.1)"] == pytest.approx(np.nanquantile(wide, 0.1), rel=1e-15)
    assert (found["min"], found["max"]) == (np.nanmin(wide), np.nanmax(wide))
    done = run(folder, "stats", "a.zarr", "-w", "x > 1.5", "--scheduler", scheduler)
    assert done.stdout.splitlines()[0].split() == ["count", str((a > 1.5).sum())]


@pytest.mark.skipif("TAMIS" not in os.environ, reason="TAMIS says where the command line is")
def test_stats_print_what_the_command_line_prints(stores, scheduler):
    folder, a, limit = stores
    np.save(folder / "a.npy", a)
    np.save(folder / "small.npy", a[:4, :3])
    zarr.create_array(folder / "small.zarr", data=a[:4, :3], chunks=(2, 2), overwrite=True)
    for arguments in (["--dim", "1"], ["--dim", "0", "-w", "x < 1", "--json"]):
        command = [os.environ["TAMIS"], "stats", "small.npy", *arguments]
        alone = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
        assert run(folder, "stats", "small.zarr", *arguments, "--scheduler", scheduler).stdout == alone.stdout
    for arguments in (["-w", "x > 0.2"], ["--json"], ["--quantiles", "0.01,0.99"]):
        alone = subprocess.run(
            [os.environ["TAMIS"], "stats", "a.npy", *arguments], cwd=folder, capture_output=True, text=True, check=True
        )
        assert run(folder, "stats", "a.zarr", *arguments, "--scheduler", scheduler).stdout == alone.stdout


def test_errors_leave_nothing_behind(stores, scheduler):
    folder, a, limit = stores
    done = run(folder, "select", "a.zarr", "-w", "x > zz", "-o", "bad.zarr", "--scheduler", scheduler, code=1)
    assert "^" in done.stderr and not (folder / "bad.zarr").exists()
    run(folder, "select", "none.zarr", "-w", "x > 0", "-o", "bad.zarr", "--scheduler", scheduler, code=2)
    run(folder, "select", "a.zarr", "-o", "bad.zarr", "--scheduler", scheduler, code=2)
    run(folder, "select", "a.zarr", "-w", "x + 1", "-o", "bad.zarr", "--scheduler", scheduler, code=2)
    (folder / "notes").mkdir(exist_ok=True)
    done = run(folder, "select", "a.zarr", "-w", "x > 0", "-o", "notes", "--scheduler", scheduler, code=2)
    assert "left alone" in done.stderr
    assert not [p for p in folder.iterdir() if p.name.startswith(".")]


def test_without_a_scheduler_a_local_cluster_works(stores):
    folder, a, limit = stores
    done = run(folder, "count", "a.zarr", "-w", "x > 0", "--workers", 1, "-q")
    assert done.stdout == f"{np.count_nonzero(a > 0)}\n"


def test_a_store_that_workers_do_not_see_is_an_error(stores, scheduler, tmp_path):
    """Not zeros, which is what chunks that are missing are."""
    import shutil

    from distributed import Client

    import tamis.dask as td

    folder, a, limit = stores
    shutil.copytree(folder / "a.zarr", tmp_path / "a.zarr")
    with Client(scheduler):
        x = td.from_zarr(tmp_path / "a.zarr")
        shutil.rmtree(tmp_path / "a.zarr")
        with pytest.raises(FileNotFoundError):
            td.count_nonzero(x).compute()
        zarr.create_array(tmp_path / "a.zarr", data=a[:20], chunks=(7, 7))
        with pytest.raises(RuntimeError, match="written anew"):
            td.count_nonzero(x).compute()
        assert td.masked.count(td.from_zarr(tmp_path / "a.zarr")).compute() == 1000
