"""tamis.dask on real worker processes: their number, their deaths, their memory, and tasks that fail.

Workers are processes of this machine, on the loopback address. With TAMIS_TEST_LARGE=1, the test of memory takes an array
of 1 GB instead of 200 MB.
"""

import os
import signal
import sys
import tempfile
import threading
import time

import pytest

pytest.importorskip("dask", reason="Dask is not installed")
pytest.importorskip("distributed", reason="distributed is not installed")
pytest.importorskip("zarr", reason="Zarr is not installed")
import dask
import dask.array as da
import numpy as np
from dask_cases import assert_same
from distributed import Client, KilledWorker, LocalCluster

import tamis
import tamis.dask as td


def local_cluster(workers, **options):
    return LocalCluster(
        n_workers=workers, threads_per_worker=1, processes=True, dashboard_address="127.0.0.1:0", host="127.0.0.1", **options
    )  # fmt: skip


class Pair:
    """Two workers. They come back after a death, or else, as on a machine that is too busy, there is a new pair."""

    def __init__(self):
        self.cluster = self.client = None

    def open(self):
        if self.client is not None:
            try:
                self.client.wait_for_workers(2, timeout=20)
                return self.client
            except TimeoutError:
                self.close()
        self.cluster = local_cluster(2)
        self.client = Client(self.cluster)
        return self.client

    def pids(self):
        """The processes, as those that watch them know them."""
        return [nanny.pid for nanny in self.cluster.workers.values() if nanny.pid]

    def close(self):
        if self.client is not None:
            self.client.close()
            self.cluster.close()
            self.client = None


@pytest.fixture(scope="module")
def pair():
    pair = Pair()
    yield pair
    pair.close()


@pytest.fixture
def client(pair):
    return pair.open()


SHAPE = (24, 30, 16)


def data():
    a = np.random.default_rng(5).standard_normal(SHAPE).astype(np.float32)
    a[a > 2.5] = np.nan
    return a


def slow(block):
    """So that there is a middle of the work in which a worker can die."""
    time.sleep(0.03)
    return block


def arrays(chunks=(6, 10, 8)):
    x = da.from_array(data(), chunks=chunks).map_blocks(slow, dtype=np.float32, meta=np.empty((0, 0, 0), np.float32))
    return x, x > 0.5


A, M = data(), data() > 0.5
T, K = tamis.asarray(A), tamis.asarray(M)


def scattered(x, m):
    return td.masked_scatter(x, m, da.from_array(np.arange(A.size, dtype=np.float32), chunks=999)).compute()


def stored(x, m):
    with tempfile.TemporaryDirectory() as folder:
        td.to_zarr(td.masked_select(x, m), f"{folder}/kept.zarr", chunks=500)
        return np.asarray(td.from_zarr(f"{folder}/kept.zarr"))


OPERATIONS = {
    "to_zarr": (stored, lambda: A[M]),
    "isin": (lambda x, m: td.isin(x, A[0, 0]).compute(), lambda: tamis.isin(T, T[0, 0])),
    "kthvalue": (lambda x, m: td.kthvalue(x, 5, 1)[1].compute(), lambda: tamis.kthvalue(T, 5, 1)[1]),
    "masked_select": (lambda x, m: td.masked_select(x, m).compute(), lambda: A[M]),
    "select": (lambda x, m: td.select(x, da.from_array(M[:, :, 0], chunks=(6, 10))).compute(), lambda: A[M[:, :, 0]]),
    "partition": (lambda x, m: dask.compute(*td.partition(x, m))[1], lambda: A[~M]),
    "argwhere": (lambda x, m: td.argwhere(m).compute(), lambda: np.argwhere(M)),
    "rows": (lambda x, m: td.masked_select_rows(x, m).offsets.compute(), lambda: tamis.masked_select_rows(T, K)[1]),
    "masked_fill": (lambda x, m: td.masked_fill(x, m, 0).compute(), lambda: np.where(M, np.float32(0), A)),
    "masked_scatter": (
        scattered, lambda: tamis.masked_scatter(T, K, tamis.arange(A.size, dtype=tamis.float32)),
    ),
    "count": (lambda x, m: td.count_nonzero(m, 0).compute(), lambda: np.count_nonzero(M, 0)),
    "sum": (lambda x, m: td.masked.sum(x, 1, mask=m).compute(), lambda: tamis.masked.sum(T, 1, mask=K, exact=True)),
    "var": (lambda x, m: td.masked.var(x, mask=m).compute(), lambda: tamis.masked.var(T, mask=K, exact=True)),
    "argmax": (lambda x, m: td.masked.argmax(x, mask=m).compute(), lambda: tamis.masked.argmax(T, mask=K)),
    "quantile": (lambda x, m: td.masked.quantile(x, 0.7, mask=m).compute(), lambda: tamis.masked.quantile(T, 0.7, mask=K)),
    "median": (lambda x, m: td.median(x, 0)[0].compute(), lambda: tamis.median(T, 0)[0]),
    "topk": (lambda x, m: td.topk(x, 3, 0)[1].compute(), lambda: tamis.topk(T, 3, 0)[1]),
    "unique": (lambda x, m: td.unique(td.masked_fill(x, ~m, 0)).compute(), lambda: tamis.unique(tamis.where(K, T, 0))),
}  # fmt: skip


def kill_one(pair, thread):
    """Ends one worker by its process id, once tasks have begun and before the work is over."""
    deadline = time.time() + 30
    while not any(pair.client.processing().values()) and time.time() < deadline:
        time.sleep(0.005)
    assert thread.is_alive(), "the work was over before a worker could die"
    os.kill(pair.pids()[0], signal.SIGKILL)


@pytest.mark.parametrize("name", OPERATIONS)
def test_a_worker_dies_in_the_middle(pair, client, name):
    run, expected = OPERATIONS[name]
    result = []

    def work():
        try:
            result.append(run(*arrays()))
        except BaseException as error:
            result.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    kill_one(pair, thread)
    thread.join(120)
    assert not thread.is_alive()
    assert_same(result[0], expected(), name)


def test_the_number_of_workers_and_the_chunks_do_not_matter():
    patterns = set()
    for workers in (1, 2, 3):
        with local_cluster(workers) as cluster, Client(cluster):
            for chunks in ((24, 30, 16), (5, 7, 16), (24, 4, 3)):
                x = da.from_array(A, chunks=chunks)
                m = x > 0.5
                results = dask.compute(
                    td.masked_select(x, m), td.argwhere(m), td.masked.sum(x, mask=m), td.masked.var(x, 0, mask=m),
                    td.masked.mean(x, mask=m), td.masked.quantile(x, [0.1, 0.9], mask=m),
                )  # fmt: skip
                patterns.add(b"".join(np.asarray(r).tobytes() for r in results))
    assert len(patterns) == 1


def fail(block):
    raise ZeroDivisionError("this task always fails")


def test_a_task_that_always_fails_is_an_error(client):
    x = da.from_array(A, chunks=(6, 10, 8))
    broken = x.map_blocks(fail, dtype=np.float32, meta=np.empty((0, 0, 0), np.float32))
    with pytest.raises(ZeroDivisionError, match="always fails"):
        td.masked_select(x, broken > 0)
    with pytest.raises(ZeroDivisionError, match="always fails"):
        td.masked_select(broken, x > 0).compute()
    with pytest.raises(ZeroDivisionError, match="always fails"):
        td.quantile(broken, 0.5)
    with pytest.raises(ZeroDivisionError, match="always fails"):
        td.masked.sum(broken).compute()


def die(block):
    os._exit(1)


def test_a_task_that_always_ends_its_worker_is_an_error():
    with dask.config.set({"distributed.scheduler.allowed-failures": 1}):
        with local_cluster(2) as cluster, Client(cluster):
            x = da.from_array(A, chunks=(24, 30, 8))
            deadly = x.map_blocks(die, dtype=np.float32, meta=np.empty((0, 0, 0), np.float32))
            with pytest.raises(KilledWorker):
                td.masked.sum(deadly).compute()


def block_of(block_id=None, size=(512, 1024)):
    seed = block_id[0] * 1000 + block_id[1]
    return np.random.default_rng(seed).random(size, dtype=np.float32)


def memory_of(dask_worker=None):
    """Whether a worker has spilled, and its process."""
    written = sum(value for key, value in dask_worker.data.cumulative_metrics.items() if "disk-write" in key)
    assert "xarray" not in sys.modules
    return os.getpid(), written


def test_workers_with_little_memory_neither_spill_nor_restart(tmp_path, monkeypatch):
    """Where xarray is installed, dask.array loads it, and with it 80 MB per worker; here workers have none."""
    (tmp_path / "xarray").mkdir()
    (tmp_path / "xarray" / "__init__.py").write_text("raise ImportError('left out')")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])  # workers begin with it
    rows = 125 if os.environ.get("TAMIS_TEST_LARGE") else 25
    meta = np.empty((0, 0), np.float32)
    x = da.map_blocks(block_of, chunks=((512,) * rows, (1024,) * 4), dtype=np.float32, meta=meta)
    whole = np.concatenate([np.concatenate([block_of((i, j)) for j in range(4)], 1) for i in range(rows)])
    assert whole.nbytes == rows * (8 << 20)
    environment = {"MALLOC_TRIM_THRESHOLD_": 65536, "TAMIS_CACHE_MB": "16"}
    with dask.config.set({"distributed.nanny.pre-spawn-environ": environment}):
        with local_cluster(2, memory_limit="260MB") as cluster, Client(cluster) as client:
            before = client.run(memory_of)
            m = x > 0.99
            assert_same(td.masked_select(x, m), whole[whole > 0.99])
            assert_same(td.argwhere(x > 0.999), np.argwhere(whole > 0.999))
            t = tamis.asarray(whole)
            assert_same(td.masked.mean(x, mask=m), tamis.masked.mean(t, mask=t > 0.99, exact=True))
            assert_same(td.quantile(x, [0.5, 0.999]), tamis.quantile(t, tamis.tensor([0.5, 0.999])))
            assert client.run(memory_of) == before
            assert all(written == 0 for _, written in before.values())
