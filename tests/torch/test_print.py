"""repr and str: the same text as torch's."""

import pytest

from cases import DTYPES, FLOATS, pair, pick, plain, seeded

SHAPES = [(), (1,), (3,), (0,), (7,), (2, 3), (3, 1), (0, 4), (2, 0, 3), (1, 1, 1), (4, 5), (2, 2, 2), (2, 3, 1, 2),
          (40,), (1200,), (3, 400), (40, 30), (12, 12, 12)]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kind", ["any", "small", "moderate", "nonzero"])
def test_repr(check, dtype, kind):
    rng = seeded("repr" + dtype + kind)
    for shape in SHAPES:
        for i in range(2):
            check("repr", pair(dtype, shape, rng, kind), call=lambda lib, x: repr(x))
            check("repr", pair(dtype, shape, rng, kind), call=lambda lib, x: str(x))


@pytest.mark.parametrize("dtype", FLOATS)
def test_repr_by_magnitude(check, dtype):
    rng = seeded("magnitude" + dtype)
    for exponent in range(-9, 10):
        for spread in (0, 1, 3, 6):
            numbers = rng.randn(6) * 10.0 ** (exponent + rng.uniform(0, spread + 1e-9, 6))
            if rng.rand() < 0.3:
                numbers[rng.randint(6)] = pick(rng, [float("nan"), float("inf"), -float("inf"), 0.0])
            if rng.rand() < 0.2:
                numbers = numbers.round()
            check("repr", plain(numbers.tolist(), dtype), call=lambda lib, x: repr(x))


def test_values_out(check):
    """item, tolist, numbers and formatting."""
    rng = seeded("values out")
    for dtype in DTYPES:
        for i in range(8):
            check("tolist", pair(dtype, pick(rng, SHAPES[:13]), rng, "nonzero"), call=lambda lib, x: x.tolist())
            check("item", pair(dtype, pick(rng, [(), (1,), (1, 1)]), rng), call=lambda lib, x: x.item())
            x = pair(dtype, (), rng, "small")
            check("item", x, call=lambda lib, x: (bool(x), int(x), float(x), f"{x}"))
            if dtype in FLOATS:
                check("item", x, call=lambda lib, x: f"{x:.3f}")
