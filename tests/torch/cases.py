"""Generators: values, shapes and layouts, as pairs of a torch tensor and an equal Tamis tensor."""

import zlib

import numpy as np
import tamis
import torch

INTS = ["uint8", "int8", "int16", "int32", "int64"]
HALVES = ["float16", "bfloat16"]
FLOATS = HALVES + ["float32", "float64"]
NUMBERS = INTS + FLOATS
COMPLEX = ["complex64", "complex128"]
DTYPES = ["bool"] + NUMBERS

SHAPES = [(), (1,), (5,), (0,), (2, 3), (3, 1), (4, 5, 3), (2, 0, 3), (1, 7), (70,), (2, 1, 33)]
LONG = (1500,)  # more than one vector and a tail
LAYOUTS = ["contiguous", "transposed", "stepped", "offset", "expanded"]
# Where the Tamis tensor comes from. In all but "own" and "deferred", and in them too if nobody writes, the
# numbers are torch's memory.
ORIGINS = ["own", "deferred", "dlpack", "direct", "numpy"]


class DType:
    """A dtype argument: each library gets its own."""

    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return self.name


class Pair:
    """A torch tensor and a Tamis tensor of the same values and layout."""

    def __init__(self, torch_tensor, tamis_tensor, label="", written=False):
        self.torch = torch_tensor
        self.tamis = tamis_tensor
        self.label = label
        self.written = written  # by the test

    @property
    def dtype(self):
        return name_of(self.torch.dtype)

    def __repr__(self):
        values = repr(self.torch.flatten()[:12].tolist())
        return f"{self.dtype}{list(self.torch.shape)}{'/' + self.label if self.label else ''}={values}"


def name_of(dtype):
    return str(dtype).split(".")[-1]


def seeded(text):
    """A generator of random numbers that belongs to a text, the same in every run."""
    return np.random.RandomState(zlib.crc32(text.encode()))


def pick(rng, items):
    return items[rng.randint(len(items))]


def values(dtype, n, rng, kind="any"):
    """n values as a 1-d torch tensor. Kinds: any (with special values), moderate (the same without the
    largest and smallest floats), small (between -5 and 5), and nonzero and positive, which are small too."""
    target = getattr(torch, dtype)
    if dtype in COMPLEX:  # parts of the same kind
        part = "float32" if dtype == "complex64" else "float64"
        return torch.view_as_complex(values(part, 2 * n, rng, kind).reshape(n, 2))
    if dtype == "bool":
        return torch.from_numpy(np.ones(n, bool) if kind in ("nonzero", "positive") else rng.rand(n) < 0.5)
    low = 0 if dtype == "uint8" or kind == "positive" else -5
    if dtype in INTS:
        found = torch.from_numpy(rng.randint(low, 6, n))
        if kind in ("any", "moderate"):
            info = torch.iinfo(target)
            wild = torch.from_numpy(rng.randint(info.min, info.max, n, dtype=np.int64))
            special = torch.tensor([info.min, info.max, 0, 1, info.max - 1])
            found = mixed(rng, found, wild, special)
    else:
        found = torch.from_numpy(rng.randint(low * 4, 21, n) / 4)
        if kind in ("any", "moderate"):
            reach = 6 if kind == "any" else 2
            wild = torch.from_numpy(rng.randn(n) * 10.0 ** rng.randint(-reach, reach, n))
            info = torch.finfo(target)
            special = [0.0, -0.0, np.nan, np.inf, -np.inf, 0.5, 1.5, 2.5, -0.5, -1.5]
            if kind == "any":
                special += [info.max, info.min, info.tiny, info.tiny / 4]
            special = torch.tensor(special, dtype=torch.float64)
            found = mixed(rng, found, wild, special)
    if kind in ("nonzero", "positive"):
        found = torch.where(found == 0, torch.ones_like(found), found)
    return found.to(target)


def mixed(rng, plain, wild, special):
    n = len(plain)
    of = torch.from_numpy(rng.randint(0, 3, n))
    chosen = special[torch.from_numpy(rng.randint(0, len(special), n))]
    return torch.where(of == 0, plain, torch.where(of == 1, wild, chosen))


def laid_out(shape, layout, rng):
    """The shape of a base, and what makes a view of the wanted shape from it, in either library."""
    shape = tuple(shape)
    rank = len(shape)
    if layout == "transposed":
        order = tuple(int(d) for d in rng.permutation(rank))
        base = [0] * rank
        for i, d in enumerate(order):
            base[d] = shape[i]
        return tuple(base), lambda x: x.permute(order)
    if layout == "stepped" and rank > 0:
        base = shape[:-1] + (shape[-1] * 2 + 1,)
        return base, lambda x: x[..., 1::2]
    if layout == "offset":
        numel = int(np.prod(shape, dtype=np.int64))
        return (numel + 3,), lambda x: x[3:].view(shape)
    if layout == "expanded" and rank > 0:
        d = rng.randint(rank)
        base = shape[:d] + (1,) + shape[d + 1:]
        return base, lambda x: x.expand(shape)
    return shape, lambda x: x


def same_in_tamis(tensor):
    """A Tamis tensor with the same elements and memory of its own."""
    return tamis.as_tensor(tensor).clone()


def pair(dtype, shape, rng, kind="any", layout=None, origin=None, private=False):
    """A random pair. Private: the two do not share memory and may be written, so they are not expanded."""
    layouts = [name for name in LAYOUTS if not private or name != "expanded"]
    layout = layout or pick(rng, layouts)
    origin = origin or ("own" if private else pick(rng, ORIGINS))
    base_shape, view = laid_out(shape, layout, rng)
    numel = int(np.prod(base_shape, dtype=np.int64))
    base = values(dtype, numel, rng, kind).reshape(base_shape)
    ours = view(base)
    if origin == "own":
        theirs = view(same_in_tamis(base))
    elif origin == "deferred":
        copy = same_in_tamis(base)
        theirs = view(tamis.where(tamis.ones(base_shape, dtype=tamis.bool), copy, copy))
    elif origin == "numpy" and dtype != "bfloat16":
        theirs = tamis.from_numpy(ours.numpy())
    elif origin == "dlpack" and dtype != "bool":  # torch 1.13 does not export bools
        theirs = tamis.from_dlpack(ours)
    else:
        theirs = tamis.as_tensor(ours)
    return Pair(ours, theirs, f"{layout},{origin}", private)


def plain(values_, dtype=None):
    """A pair from a list."""
    ours = torch.tensor(values_) if dtype is None else torch.tensor(values_, dtype=getattr(torch, dtype))
    return Pair(ours, same_in_tamis(ours))


def mask(shape, rng, **options):
    return pair("bool", shape, rng, **options)


def broadcastable(shape, rng):
    """A shape that broadcasts with the given one: dims dropped, set to 1, or added in front."""
    shape = list(shape)
    for d in range(len(shape)):
        if rng.rand() < 0.3:
            shape[d] = 1
    roll = rng.rand()
    if roll < 0.25:
        shape = shape[rng.randint(len(shape) + 1):]
    elif roll < 0.4 and len(shape) < 3:
        shape = [int(rng.randint(1, 4))] + shape
    return tuple(shape)


def some_shape(rng):
    return LONG if rng.rand() < 0.05 else pick(rng, SHAPES)


def some_dims(rank, rng, several=True):
    """A dim argument: one, or a list of different ones, some counted from the end."""
    if rank == 0:
        return pick(rng, [0, -1])
    count = rng.randint(1, rank + 1) if several else 1
    dims = [int(d) for d in rng.permutation(rank)[:count]]
    dims = [d - rank if rng.rand() < 0.4 else d for d in dims]
    return dims if several and (count > 1 or rng.rand() < 0.3) else dims[0]
