"""Attention, against its parts in torch, in float64: 1.13 has no scaled_dot_product_attention of its own."""

import pytest
import tamis
import torch

from cases import FLOATS, Pair, mask, pair, pick, same_in_tamis, seeded

OP = "scaled_dot_product_attention"
# Results are compared beside 8, since weighted sums cancel. Scores of up to 70 are rounded before their exponentials.
ULPS = {"float16": 1, "bfloat16": 1, "float32": 32, "float64": 32}
# Shapes of query, key, value and mask.
SHAPES = [((3, 2), (4, 2), (4, 3), (3, 4)), ((1, 1), (1, 1), (1, 1), ()), ((2, 3, 4), (2, 5, 4), (2, 5, 2), (3, 5)),
          ((2, 3, 4), (5, 4), (2, 5, 2), (2, 1, 5)), ((3, 4), (2, 2, 5, 4), (2, 1, 5, 2), (2, 1, 3, 5)),
          ((4, 2, 9, 8), (4, 2, 9, 8), (4, 2, 9, 8), (4, 1, 1, 9)), ((0, 2), (4, 2), (4, 3), (0, 4)),
          ((2, 0, 3, 4), (2, 0, 5, 4), (2, 0, 5, 4), (1, 5)), ((2, 3, 4), (2, 0, 4), (2, 0, 4), (2, 3, 0)),
          ((140, 16), (200, 16), (200, 16), (140, 200)), ((3, 130, 8), (3, 70, 8), (3, 70, 8), (3, 130, 1))]


def parts(q, k, v, m=None, is_causal=False, scale=None):
    """Rows of which nothing is kept are 0, as in PyTorch since 2.5."""
    scores = q @ k.transpose(-1, -2) * (q.shape[-1] ** -0.5 if scale is None else scale)
    if is_causal:
        m = torch.ones(scores.shape[-2:], dtype=torch.bool).tril()
    if m is not None:
        scores = scores.masked_fill(~m, -float("inf")) if m.dtype == torch.bool else scores + m
    return scores.softmax(-1).nan_to_num(0) @ v


def compare(check, dtype, q, k, v, m=None, **options):
    def call(lib, *a, **k):
        if lib is tamis:
            return tamis.nn.functional.scaled_dot_product_attention(*a, **k) + 8
        wide = [t.double() if t.is_floating_point() else t for t in a]
        return parts(*wide, **k).to(getattr(torch, dtype)) + 8

    check(OP, q, k, v, *([] if m is None else [m]), call=call, ulps=ULPS[dtype], **options)


@pytest.mark.parametrize("dtype", FLOATS)
def test_masks(check, dtype):
    rng = seeded("attention" + dtype)
    for a, b, c, d in SHAPES:
        for _ in range(3):
            q, k, v = (pair(dtype, shape, rng, "small") for shape in (a, b, c))
            compare(check, dtype, q, k, v)
            compare(check, dtype, q, k, v, is_causal=True)
            compare(check, dtype, q, k, v, scale=0.25)
            compare(check, dtype, q, k, v, mask(d, rng))
            compare(check, dtype, q, k, v, pair(dtype, d, rng, "small"))
            minus = torch.where(mask(d, rng).torch, 0.0, -float("inf")).to(getattr(torch, dtype))
            compare(check, dtype, q, k, v, Pair(minus, same_in_tamis(minus)))


@pytest.mark.parametrize("heads", [(), (3,), (2, 3)])
def test_structured_masks(check, heads):
    rng = seeded("structured" + str(heads))
    for n in (1, 5, 17, 150):
        q, k, v = (pair("float64", (*heads, n, 4), rng, "small") for _ in range(3))
        i = torch.arange(n)
        ids = torch.from_numpy(rng.randint(0, 3, n)).sort()[0]
        lengths = torch.from_numpy(rng.randint(0, n + 1, heads[:1]))
        below = i[:, None] >= i
        for ours, theirs in [
            (tamis.masks.sliding_window(n, 4), below & (i[:, None] - i < 4)),
            (tamis.masks.documents(ids) & tamis.masks.causal(n), (ids[:, None] == ids) & below),
            (tamis.masks.from_lengths(lengths, n)[(...,) + (None,) * len(heads) + (slice(None),)],
             (i < lengths[..., None])[(...,) + (None,) * len(heads) + (slice(None),)]),
        ]:
            compare(check, "float64", q, k, v, Pair(theirs, ours))


def test_sequences(check):
    rng = seeded("sequences")

    def call(lib, q, k, v, at, to, is_causal):
        if lib is tamis:
            return tamis.scaled_dot_product_attention(q, k, v, offsets=at, key_offsets=to, is_causal=is_causal) + 8
        found = [parts(*(t.transpose(0, -2) for t in (q[a:b], k[c:d], v[c:d])), is_causal=is_causal).transpose(0, -2)
                 for a, b, c, d in zip(at, at[1:], to, to[1:])]
        return torch.cat(found) + 8

    for count in (1, 2, 5):
        for shape in ((4,), (3, 4)):
            at, to = ([0, *rng.randint(0, 30, count).cumsum().tolist()] for _ in range(2))
            q = pair("float64", (at[-1], *shape), rng, "small")
            k, v = (pair("float64", (to[-1], *shape), rng, "small") for _ in range(2))
            offsets = [Pair(torch.tensor(o), tamis.tensor(o)) for o in (at, to)]
            for is_causal in (False, True):
                check(OP, q, k, v, *offsets, is_causal, call=call, ulps=16)


def test_shared_heads(check):
    rng = seeded("shared heads")

    def call(lib, q, k, v):
        if lib is tamis:
            return tamis.scaled_dot_product_attention(q, k, v, enable_gqa=True) + 8
        return parts(q, k.repeat_interleave(q.shape[-3] // k.shape[-3], -3), v.repeat_interleave(2, -3)) + 8

    for heads in (2, 4):
        x = [pair("float64", (2, h, 5, 3), rng, "small") for h in (4, heads, 2)]
        check(OP, *x, call=call, ulps=16)


def test_refusals():
    """PyTorch 2 refuses these with a RuntimeError too."""
    x = tamis.ones(2, 3)
    for q, k, v, options in [(x, x.double(), x, {}), (x[0], x, x, {}), (x, tamis.ones(2, 4), x, {}),
                             (x, x, tamis.ones(3, 3), {}), (x, x, x, {"attn_mask": tamis.ones(2, 2, dtype="int64")}),
                             (x, x, x, {"attn_mask": tamis.ones(2, 2), "is_causal": True}),
                             (x, x, x, {"dropout_p": 1.5}), (x, x, x, {"enable_gqa": True})]:  # fmt: skip
        with pytest.raises((RuntimeError, ValueError, TypeError)):
            tamis.scaled_dot_product_attention(q, k, v, **options)
