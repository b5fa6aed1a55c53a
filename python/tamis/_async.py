"""Functions to await: the work runs on another thread, without the GIL, while the event loop goes on."""

import asyncio
import functools
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable, Optional

from tamis import _tamis

_pool: Optional[ThreadPoolExecutor] = None


def _get_pool() -> ThreadPoolExecutor:
    global _pool
    if _pool is None:
        # One kernel uses all cores already; a few threads keep small calls from waiting for large ones.
        _pool = ThreadPoolExecutor(max_workers=4, thread_name_prefix="tamis")
    return _pool


def _settled(function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    result = function(*args, **kwargs)
    for part in result if isinstance(result, tuple) else (result,):
        if isinstance(part, _tamis.Tensor):
            part.settle()
    return result


async def run_async(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Calls a tamis function on another thread; the result is computed when the await is over."""
    call = functools.partial(_settled, function, args, kwargs)
    return await asyncio.get_running_loop().run_in_executor(_get_pool(), call)


async def masked_select_async(input: Any, mask: Any) -> Any:
    """masked_select to await."""
    return await run_async(_tamis.masked_select, input, mask)


async def nonzero_async(input: Any, *, as_tuple: bool = False) -> Any:
    """nonzero to await."""
    return await run_async(_tamis.nonzero, input, as_tuple=as_tuple)
