"""One case: the same call in both libraries, and the comparison of what comes out."""

import functools
import re
from collections import Counter, deque

import numpy as np
import tamis
import torch

import tables
from cases import DType, Pair, name_of, same_in_tamis

FORMS_EVERY = 4  # of how many cases of a function one is repeated in place and with out=

INT_OF = {1: torch.int8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
NONE_IN_TORCH = re.compile(r"not implemented for '(Half|BFloat16)'|Unsupported input type .*: (Half|BFloat16)")


class Session:
    """What ran, over all test files.

    Every test runs twice in a row, deferred and eager. The first run keeps what torch computed and the second one
    takes it from there, in the same order: torch is most of the time. The counts decide which cases are repeated in
    other forms, so the second run begins with those that the first one began with.
    """

    def __init__(self):
        self.cases = Counter()
        self.outs = Counter()
        self.none_in_torch = Counter()
        self.differences = Counter()
        self.test = None  # which one runs, without its mode
        self.replays = False
        self.kept = deque()
        self.counts_before = ()

    def begin(self, test):
        self.replays = test == self.test
        if self.replays:
            self.cases, self.outs, self.none_in_torch = self.counts_before
        else:
            self.test = test
            self.kept.clear()
            self.counts_before = (self.cases.copy(), self.outs.copy(), self.none_in_torch.copy())

    def once(self, key, compute):
        """What compute() gave in the first run of this test. The key must be the same in both."""
        if not self.replays:
            self.kept.append((key, compute()))
            return self.kept[-1][1]
        kept_key, found = self.kept.popleft()
        assert kept_key == key, f"the runs of this test differ: {kept_key}, then {key}"
        return found


session = Session()


class Outcome:
    """A result or an exception."""

    def __init__(self, call):
        self.result = self.error = None
        try:
            self.result = call()
        except Exception as e:  # whatever it is, it is compared
            self.error = e.with_traceback(None)

    def __repr__(self):
        if self.error is not None:
            return f"{type(self.error).__name__}: {str(self.error).splitlines()[0] if str(self.error) else ''}"
        return repr(self.result)


class Case:
    """A call with what both libraries made of it, for the tables of differences."""

    def __init__(self, op, args, kwargs):
        self.op, self.args, self.kwargs = op, args, kwargs
        self.torch = self.tamis = None
        self.what = None  # how they differ

    @property
    def tensors(self):
        return [a for a in self.args if isinstance(a, Pair) and isinstance(a.torch, torch.Tensor)]

    @property
    def dtypes(self):
        return [p.dtype for p in self.tensors]

    def __repr__(self):
        named = [f"{k}={v!r}" for k, v in self.kwargs.items()]
        return f"{self.op}({', '.join([repr(a) for a in self.args] + named)})"


def resolved(value, library):
    """An argument as the library takes it."""
    if isinstance(value, Pair):
        return getattr(value, library.__name__)
    if isinstance(value, DType):
        return getattr(library, value.name)
    if isinstance(value, list) and value and isinstance(value[0], Pair):
        return [resolved(v, library) for v in value]
    return value


def widened(value, half=None):
    """An argument for torch with halves as float32, which it computes everywhere; numbers rounded to half."""
    if isinstance(value, float) and half is not None:
        return torch.tensor(value).to(half).item()
    if isinstance(value, torch.Tensor) and value.dtype in (torch.float16, torch.bfloat16):
        return value.float()
    return torch.float32 if value is torch.float16 or value is torch.bfloat16 else value


def has_none(outcome):
    return isinstance(outcome.error, RuntimeError) and NONE_IN_TORCH.search(str(outcome.error)) is not None


def rounds_in_between(case):
    return (case.op in tables.ROUNDED_ONCE and case.torch.error is None
            and len({"float16", "bfloat16"} & set(case.dtypes)) == 1 and not {"float32", "float64"} & set(case.dtypes))


def ordered(t):
    """Floats as integers in the same order, so that differences are counted in units of the last place."""
    i = t.contiguous().view(INT_OF[t.element_size()]).numpy().astype(np.longdouble)
    return np.where(i < 0, -(i + np.longdouble(2) ** (8 * t.element_size() - 1)), i)


def bits(t):
    return t.contiguous().view(INT_OF[t.element_size()]).numpy()


def close_complex(got, want, ulps):
    """Whether complex numbers are as close as their magnitude lets one expect; the parts may cancel."""
    eps = torch.finfo(want.dtype).eps
    close = (got - want).abs() <= ulps * eps * want.abs()
    return (close | (~torch.isfinite(got) & ~torch.isfinite(want))).numpy()


def different_values(got, want, op, ulps=None):
    """Where two torch tensors of one dtype and shape differ, as text; None if nowhere."""
    if ulps is None:
        ulps = tables.ulps_of(op, name_of(want.dtype))
    if want.dtype.is_complex and ulps == 0:  # by parts
        return different_values(torch.view_as_real(got), torch.view_as_real(want.resolve_conj()), op, ulps)
    if want.dtype.is_complex:
        wrong = ~close_complex(got, want, ulps)
    elif not want.dtype.is_floating_point:
        wrong = (got != want).numpy()
    elif ulps == 0:
        wrong = (bits(got) != bits(want)) & ~(torch.isnan(got) & torch.isnan(want)).numpy()
    else:
        close = np.abs(ordered(got) - ordered(want)) <= ulps
        close &= ~(torch.isnan(got) | torch.isnan(want)).numpy()
        close |= (torch.isnan(got) & torch.isnan(want)).numpy()
        wrong = ~close
    if want.dtype.is_floating_point and tables.base_of(op) in tables.ANY_ZERO:
        wrong &= ~((got == 0) & (want == 0)).numpy()
    if not wrong.any():
        return None
    where = np.argwhere(wrong)[0]
    at = tuple(int(i) for i in where)
    return f"{int(wrong.sum())} of {wrong.size} values, at {at}: got {got[at].item()!r}, want {want[at].item()!r}"


def as_torch(result):
    return result if isinstance(result, torch.Tensor) else result.torch()


def difference(got, want, op, ulps=None):
    """How a Tamis result differs from a torch result, as text; None if it does not."""
    if isinstance(want, (tuple, list)) and not isinstance(want, torch.Size):
        if not isinstance(got, (tuple, list)) or len(got) != len(want):
            return f"got {got!r}, want {want!r}"
        found = [difference(g, w, op, ulps) for g, w in zip(got, want)]
        return next((text for text in found if text), None)
    if isinstance(want, torch.Tensor):
        if not isinstance(got, tamis.Tensor):
            return f"got a {type(got).__name__}, want a tensor"
        if name_of(got.dtype) != name_of(want.dtype):
            return f"dtype: got {got.dtype}, want {want.dtype}"
        if tuple(got.shape) != tuple(want.shape):
            return f"shape: got {tuple(got.shape)}, want {tuple(want.shape)}"
        return different_values(as_torch(got), want, op, ulps)
    if isinstance(want, torch.dtype):
        return None if name_of(got) == name_of(want) else f"got {got}, want {want}"
    if isinstance(want, float) and want != want:
        return None if got != got else f"got {got!r}, want {want!r}"
    same = type(got) is type(want) and got == want
    return None if same else f"got {got!r}, want {want!r}"


def same_kind(got, want):
    """Whether the exceptions are of one kind. torch says ZeroDivisionError only in a RuntimeError's text."""
    return type(got) is type(want)


class Checker:
    """Runs cases for one test, and keeps the differences that nothing allows."""

    def __init__(self):
        self.failures = []

    def __call__(self, op, *args, call=None, ulps=None, counts=None, reference=None, **kwargs):
        """Compares op(*args, **kwargs), or call(library, *args, **kwargs), in both libraries.

        The case counts for the rows named in counts, else for op. With a reference, that is what torch
        computes instead (the same call, but for instance in float64).
        """
        plain = call is None and reference is None
        case = Case(op, args, kwargs)
        for name in counts or [op]:
            session.cases[name] += 1
        call = call or (lambda library, *a, **k: functools.reduce(getattr, op.split("."), library)(*a, **k))

        def run(library, function, change=lambda v: v):
            a = [change(resolved(v, library)) for v in args]
            k = {name: change(resolved(v, library)) for name, v in kwargs.items()}
            return Outcome(lambda: function(library, *a, **k))

        # `near` needs what it computes with torch itself, and a result may be a view of what the test writes.
        again = hasattr(call, "is_near") or any(isinstance(a, Pair) and a.written for a in args)
        once = (lambda _, compute: compute()) if again else session.once
        case.torch = once(op, lambda: run(torch, reference or call))
        case.tamis = run(tamis, call)
        none = has_none(case.torch)
        if case.tamis.error is None and (none or rounds_in_between(case)):
            session.none_in_torch[op] += none
            half = None if none else next(getattr(torch, d) for d in case.dtypes if d in ("float16", "bfloat16"))
            case.torch = once(op, lambda: run(torch, reference or call, lambda v: widened(v, half)))
            case.torch.result = narrowed(case.torch.result, case)
            plain = False
        self.judge(case, ulps)
        if plain and case.what is None and case.torch.error is None and session.cases[op] % FORMS_EVERY == 0:
            self.in_place(case, ulps)
            self.out(case, ulps)
        return case

    def judge(self, case, ulps):
        case.what = self.compare(case, ulps)
        if case.what is not None:
            self.differs(case)

    def in_place(self, of, ulps):
        """The method name_ on copies of the first argument."""
        op = of.op + "_"
        if not (hasattr(tamis.Tensor, op) and hasattr(torch.Tensor, op)) or not isinstance(of.args[0], Pair):
            return
        x = Pair(of.args[0].torch.clone(), same_in_tamis(of.args[0].torch))
        case = Case(op, (x, *of.args[1:]), of.kwargs)
        session.cases[op] += 1

        def run(library):
            a = [resolved(v, library) for v in case.args]
            k = {name: resolved(v, library) for name, v in case.kwargs.items()}
            return Outcome(lambda: (getattr(a[0], op)(*a[1:], **k), a[0]))

        case.torch = session.once(op, lambda: run(torch))
        case.tamis = run(tamis)
        self.judge(case, ulps)

    def out(self, of, ulps):
        """out= of the result's dtype, and by turns of its shape or of another one."""
        row = getattr(functools.reduce(getattr, of.op.split("."), tamis), "__row__", "")
        if "out=None" not in row or "out" in of.kwargs:
            return
        wanted = of.torch.result
        several = isinstance(wanted, tuple)
        shapes = [t.shape if session.outs[of.op] % 3 else (0,) for t in (wanted if several else (wanted,))]
        outs = [Pair(torch.empty(s, dtype=t.dtype), tamis.empty(tuple(s), dtype=t.dtype))
                for s, t in zip(shapes, wanted if several else (wanted,))]
        case = Case(of.op, of.args, {**of.kwargs, "out": tuple(outs) if several else outs[0]})

        def run(library):
            a = [resolved(v, library) for v in of.args]
            k = {name: resolved(v, library) for name, v in of.kwargs.items()}
            targets = tuple(resolved(o, library) for o in outs)
            k["out"] = targets if several else targets[0]
            function = functools.reduce(getattr, of.op.split("."), library)
            return Outcome(lambda: (function(*a, **k), targets))

        case.torch = session.once(of.op, lambda: run(torch))
        case.tamis = run(tamis)
        if case.torch.error is None:  # some functions of torch 1.13 have no out=, or not for all arguments
            session.outs[of.op] += 1
            self.judge(case, ulps)

    def compare(self, case, ulps):
        got, want = case.tamis, case.torch
        if want.error is None and got.error is None:
            return difference(got.result, want.result, case.op, ulps)
        if want.error is None or got.error is None:
            return "only one raises"
        return None if same_kind(got.error, want.error) else "another kind of exception"

    def differs(self, case):
        for entry in tables.ALL:
            if entry.applies(case):
                session.differences[entry.name] += 1
                return
        text = f"{case!r}\n    {case.what}"
        if case.torch.error is not None or case.tamis.error is not None:
            text += f"\n    tamis: {str(case.tamis)[:200]}\n    torch: {str(case.torch)[:200]}"
        self.failures.append(text)

    def fail(self, text):
        self.failures.append(text)


def narrowed(result, case):
    """A result computed in float32 in the dtype that it would have had."""
    asked = [v.name for v in case.kwargs.values() if isinstance(v, DType)]
    halves = {d for d in asked or case.dtypes if d in ("float16", "bfloat16")}
    if len(halves) == 1 and not {"float32", "float64"} & set(asked or case.dtypes):
        half = getattr(torch, halves.pop())
        narrow = lambda r: r.to(half) if isinstance(r, torch.Tensor) and r.dtype == torch.float32 else r
        return tuple(narrow(r) for r in result) if isinstance(result, tuple) else narrow(result)
    return result
