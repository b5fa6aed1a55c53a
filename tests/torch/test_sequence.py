"""Sequences: pad, pad_sequence, pack and unpack."""

import pytest
import tamis
import torch
from torch.nn.utils.rnn import pad_sequence

from cases import DTYPES, NUMBERS, Pair, mask, pair, pick, plain, same_in_tamis, seeded
from test_results import against


def padded_sequence(lib, sequences, *args, padding_side="right", **kwargs):
    """torch 1.13 pads on the right only; later ones on the left too."""
    if lib is tamis:
        return tamis.pad_sequence(sequences, *args, padding_side=padding_side, **kwargs)
    if padding_side == "right":
        return pad_sequence(sequences, *args, **kwargs)
    time = 1 if (args and args[0]) or kwargs.get("batch_first") else 0
    turned = pad_sequence([s.flip(0) for s in sequences], *args, **kwargs)
    return turned.flip(time)


@pytest.mark.parametrize("dtype", DTYPES)
def test_pad_sequence(check, dtype):
    rng = seeded("pad_sequence" + dtype)
    for i in range(25):
        rest = pick(rng, [(), (3,), (2, 2)])
        sequences = [pair(dtype, (int(rng.randint(0, 6)),) + rest, rng) for _ in range(rng.randint(1, 5))]
        check("pad_sequence", sequences, call=padded_sequence)
        check("pad_sequence", sequences, bool(i % 2), float(i % 3), call=padded_sequence)
        check("pad_sequence", sequences, batch_first=bool(i % 3), padding_value=1, padding_side="left",
              call=padded_sequence)
    mixed = [pair(dtype, (2,), rng, "small"), pair("float32", (3,), rng, "positive")]
    check("pad_sequence", mixed, call=padded_sequence)


def test_pad_sequence_refuses(check):
    rng = seeded("pad_sequence errors")
    check("pad_sequence", [], call=padded_sequence)
    check("pad_sequence", [pair("float32", (2, 3), rng), pair("float32", (2, 4), rng)], call=padded_sequence)


def packed(x, m):
    counts = m.sum(-1).flatten()
    return x[m], torch.cat([torch.zeros(1, dtype=torch.int64), counts.cumsum(0)])


@pytest.mark.parametrize("dtype", DTYPES)
def test_pack(check, dtype):
    rng = seeded("pack" + dtype)
    for i in range(25):
        lead = pick(rng, [(3, 5), (1, 4), (7,), (2, 3, 4), (0, 4), (3, 0)])
        x = pair(dtype, lead + pick(rng, [(), (2,), (3, 1)]), rng)
        against(check, "pack", packed, x, mask(lead, rng))
        lengths = torch.from_numpy(rng.randint(0, lead[-1] + 1, lead[:-1])).long()
        lengths = Pair(lengths, same_in_tamis(lengths))
        against(check, "pack_padded", lambda x, n: packed(x, torch.arange(lead[-1]) < n[..., None]), x, lengths)


def padded(lib, *args, **kwargs):
    return (torch.nn.functional.pad if lib is torch else tamis.pad)(*args, **kwargs)


@pytest.mark.parametrize("dtype", DTYPES)
def test_pad(check, dtype):
    rng = seeded("pad" + dtype)
    f = padded
    for i in range(60):
        shape = pick(rng, [(5,), (3, 4), (2, 3, 4), (1, 1), (2, 1, 3, 2)])
        count = int(rng.randint(0, len(shape) + 1))
        widths = [int(n) for n in rng.randint(-2, 4, 2 * count)]
        for d in range(count):  # torch 1.13 refuses to leave nothing; later ones do not
            before, behind = widths[2 * d:2 * d + 2]
            if shape[-1 - d] + min(before, 0) + min(behind, 0) <= 0:
                widths[2 * d:2 * d + 2] = [1, abs(behind)]
        x = pair(dtype, shape, rng)
        check("pad", x, widths, call=f)
        check("pad", x, widths, "constant", 1, call=f)
        check("pad", x, widths, value=pick(rng, [0, 2]), mode="constant", call=f)
    check("pad", pair(dtype, (3,), rng), [1], call=f)
    check("pad", pair(dtype, (3,), rng), [1, 1, 1, 1], call=f)
    check("pad", pair(dtype, (), rng), [], call=f)


@pytest.mark.parametrize("mode", ["reflect", "replicate", "circular"])
def test_pad_at_edges(check, mode):
    rng = seeded("pad " + mode)

    def f(lib, x, widths, mode):
        if lib is tamis:
            return tamis.pad(x, widths, mode=mode)
        if x.dim() == len(widths) // 2 + 1:  # torch 1.13 wants a batch for circular; later ones do not
            return torch.nn.functional.pad(x[None], widths, mode=mode)[0]
        return torch.nn.functional.pad(x, widths, mode=mode)

    for dtype in ("float32", "float64"):
        for i in range(60):
            dims = int(rng.randint(1, 4))
            shape = tuple(int(n) for n in rng.randint(3, 6, dims + int(rng.randint(1, 3))))
            widths = [int(n) for n in rng.randint(0, 3, 2 * dims)]
            check("pad", pair(dtype, shape, rng), widths, mode=mode, call=f)
    if mode != "replicate":
        check("pad", pair("float32", (2, 3), rng), [4, 0], mode=mode, call=f)


@pytest.mark.parametrize("dtype", DTYPES)
def test_pad_by_numbers_that_do_not_fit(check, dtype):
    x = pair(dtype, (3,), seeded("pad" + dtype), "small")
    for value in (-1, 255, 256, -129, 70000.0, 1e10, 1e19, 1e40, 0.5, float("inf"), float("nan"), -0.5, -1.0):
        check("pad", x, (1, 2), value=value, call=padded)
