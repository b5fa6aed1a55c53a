"""Threads and event loops: the GIL is released, readers may be many, results are the same."""

import asyncio
import gc
import multiprocessing
import threading
import time

import numpy as np
import pytest

import tamis

THREADS = 8


def run_in_threads(work):
    errors = []
    barrier = threading.Barrier(THREADS)

    def run(i):
        try:
            barrier.wait()
            work(i)
        except BaseException as e:  # noqa: B902
            errors.append(e)

    threads = [threading.Thread(target=run, args=(i,)) for i in range(THREADS)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    if errors:
        raise errors[0]


def test_eight_threads_read_the_same_tensors():
    x = tamis.arange(20000).reshape(100, 200).float()
    mask = (x > 5000) & (x < 15000)
    deferred = x * 2 + 1
    expected = np.arange(5001, 15000, dtype=np.float32)
    total = float((np.arange(20000, dtype=np.float64) * 2 + 1).sum())

    def work(i):
        for _ in range(30):
            assert np.array_equal(tamis.masked_select(x, mask).numpy(), expected)
            assert np.array_equal(x[mask].numpy(), expected)
            assert deferred.sum().item() == total
            assert tamis.count(mask) == 9999

    run_in_threads(work)


def test_eight_threads_with_tensors_of_their_own():
    def work(i):
        rng = np.random.default_rng(i)
        for _ in range(100):
            a = rng.standard_normal(rng.integers(1, 3000))
            m = a > 0
            assert np.array_equal(tamis.masked_select(a, m), a[m])
            x = tamis.asarray(a)
            x[x > 0] = 0
            assert a.max() <= 0
            y = tamis.tensor(a.tolist(), dtype=tamis.float64)
            assert y.tolist() == a.tolist()

    run_in_threads(work)


def test_arrays_die_on_any_thread():
    """The last reference to borrowed memory may go while a kernel runs without the GIL."""
    queue = []

    def work(i):
        for n in range(200):
            a = np.full(100, i, dtype=np.float32)
            queue.append(tamis.from_numpy(a) + n)
            del a
            try:
                queue.pop(0).sum().item()
            except IndexError:
                pass

    run_in_threads(work)
    queue.clear()
    gc.collect()


def test_the_gil_is_free_while_a_kernel_runs():
    x = tamis.rand(8_000_000)
    ticks = 0
    done = threading.Event()

    def work():
        for _ in range(3):
            (x.sin().exp().log1p().tanh() * x).cos().exp().sum().item()
        done.set()

    worker = threading.Thread(target=work)
    worker.start()
    while not done.is_set():
        ticks += 1
        time.sleep(0.0005)
    worker.join()
    # With the GIL held all along there would be about one.
    assert ticks >= 5


def test_masked_select_async():
    async def main():
        x = tamis.arange(100000)
        selected, coordinates, from_numpy = await asyncio.gather(
            tamis.masked_select_async(x, x > 99990),
            tamis.nonzero_async(x > 99997),
            tamis.masked_select_async(np.arange(5), np.arange(5) > 2),
        )
        assert not selected.is_deferred()
        assert selected.tolist() == list(range(99991, 100000))
        assert coordinates.tolist() == [[99998], [99999]]
        assert isinstance(from_numpy, np.ndarray) and from_numpy.tolist() == [3, 4]
        total = await tamis.run_async(tamis.sum, x)
        assert total.item() == 4999950000

    asyncio.run(main())


def test_the_event_loop_goes_on_during_an_await():
    async def main():
        x = tamis.rand(8_000_000)
        mask = x > 0.3

        def select():
            for _ in range(20):
                selected = x.sin().exp().log1p().masked_select(mask)
            return selected

        work = asyncio.ensure_future(tamis.run_async(select))
        ticks = 0
        while not work.done():
            ticks += 1
            await asyncio.sleep(0.0005)
        assert (await work).numel() == tamis.count(mask)
        return ticks

    assert asyncio.run(main()) >= 5


def test_errors_arrive_through_an_await():
    async def main():
        with pytest.raises(RuntimeError, match="expected BoolTensor"):
            await tamis.masked_select_async(tamis.ones(2), tamis.ones(2))

    asyncio.run(main())


# ---- forks -----------------------------------------------------------------------------------------


def work_in_child(x, total, results):
    try:
        chosen = x[x > 0.5]
        right = x.sum().item() == total and bool((chosen > 0.5).all()) and (tamis.ones(3_000_000) + 1).sum() == 6e6
        tamis.rand(100_000)
        x.sort()
        with pytest.raises(RuntimeError, match="threads do not survive a fork"):
            tamis.set_num_threads(2)
        results.put(right and tamis.get_num_threads() == 1)
    except BaseException as e:  # noqa: B902
        results.put(repr(e))


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="no fork here")
def test_a_forked_child_computes_while_a_thread_of_the_parent_does():
    context = multiprocessing.get_context("fork")
    before = tamis.get_num_threads()
    tamis.set_num_threads(4)
    x = tamis.rand(1_000_000)
    total = x.sum().item()
    stop = threading.Event()

    def keep_busy():
        while not stop.is_set():
            (x[x > 0.5] * 2).sort()
            tamis.rand(100_000)

    busy = threading.Thread(target=keep_busy)
    busy.start()
    try:
        for _ in range(5):
            time.sleep(0.005)
            results = context.SimpleQueue()
            child = context.Process(target=work_in_child, args=(x, total, results))
            child.start()
            child.join(60)
            if child.is_alive():
                child.kill()
                pytest.fail("the child hangs")
            assert results.get() is True
    finally:
        stop.set()
        busy.join()
        tamis.set_num_threads(before)
