"""Comparison with what torch computes in float64, within some units of rounding of the result's dtype."""

import torch

from compare import as_torch

EPS = {torch.float16: 2.0**-10, torch.bfloat16: 2.0**-7, torch.float32: 2.0**-23, torch.float64: 2.0**-52}


def listed(result):
    return list(result) if isinstance(result, (tuple, list)) else [result]


def is_near(got, want, units, scale):
    if not want.dtype.is_floating_point:
        return torch.equal(got, want)
    got, exact = got.double(), want.double()
    tolerance = units * EPS[want.dtype] * (exact.abs() + scale) + torch.finfo(want.dtype).tiny
    same = (got == exact) | (got.isnan() & exact.isnan()) | ((got - exact).abs() <= tolerance)
    return bool(same.all())


def near(f, units=4, scale=0.0):
    """A call for `check` that compares f(library, x, ...) with float64, rounded to the dtype of x or to the
    dtype that is asked for. The result is a list of (dtype, shape, whether the values are near), so that torch
    and Tamis are compared in all of them. Errors may be up to `units` of the value, or of `scale` if that is more.
    """
    wanted = []

    def call(library, x, *args, dtype=None, **kwargs):
        if library is torch:
            wanted.clear()
            target = dtype or x.dtype
            if target.is_floating_point:
                found = f(library, x.to(target).double(), *args, **kwargs)
                narrow = lambda r: r.to(target) if r.dtype == torch.float64 else r
                wanted.extend(narrow(r) for r in listed(found))
            else:
                wanted.extend(listed(f(library, x, *args, **kwargs)))
            return [(str(r.dtype), tuple(r.shape), True) for r in wanted]
        found = listed(f(library, x, *args, **kwargs, **({} if dtype is None else {"dtype": dtype})))
        if len(found) != len(wanted):
            return [f"{len(found)} results"]
        results = []
        for got, want in zip(map(as_torch, found), wanted):
            fits = got.dtype == want.dtype and got.shape == want.shape
            results.append((str(got.dtype), tuple(got.shape), fits and is_near(got, want, units, scale)))
        return results

    call.is_near = True
    return call
