"""Files for the tests of the site, and what NumPy says about them.

    site_cases.py make FOLDER    writes the files, and cases.json with what is expected of each
    site_cases.py check FOLDER   compares what was downloaded with NumPy's results
"""

import json
import pathlib
import struct
import sys
import zlib

import numpy as np

RANDOM = np.random.default_rng(7)
QUANTILES = [0.05, 0.25, 0.5, 0.75, 0.95]


def floats(shape, dtype="<f4"):
    x = RANDOM.normal(size=shape).astype(dtype)
    x[RANDOM.random(shape) < 0.05] = np.nan
    return x


def write_safetensors(path, arrays):
    header, data = {}, b""
    for name, (dtype, array) in arrays.items():
        header[name] = {"dtype": dtype, "shape": array.shape, "data_offsets": [len(data), len(data) + array.nbytes]}
        data += array.tobytes()
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def write_png(path, pixels):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    height, width, _ = pixels.shape
    lines = b"".join(b"\0" + row.tobytes() for row in pixels)
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(lines)) + chunk(b"IEND", b""))


def cases(folder):
    """Each is (name, file, array to choose, condition, x, mask), with the files that are y and z, if there are any."""
    x = floats((50, 70))
    np.save(folder / "plain.npy", x)
    yield "float32 with NaN", "plain.npy", None, "x > 0.5 & ~isnan(x)", x, x > 0.5
    yield "no condition", "plain.npy", None, "", x, np.ones(x.shape, bool)
    yield "nothing kept", "plain.npy", None, "x > 1000", x, np.zeros(x.shape, bool)
    yield "NaN kept", "plain.npy", None, "isnan(x) | x < 0", x, np.isnan(x) | (x < 0)
    yield "values of the whole array", "plain.npy", None, "abs(x - mean(x)) > 2 * std(x)", x, (
        np.abs(x - np.nanmean(x.astype("f8"))) > 2 * np.nanstd(x.astype("f8"), ddof=1)
    )

    limit, weight = RANDOM.normal(size=70), RANDOM.integers(0, 2, (50, 1)).astype("i4")
    np.save(folder / "limit.npy", limit)
    np.save(folder / "weight.npy", weight)
    yield "three files", "plain.npy", None, "x > y & z == 1", x, (x > limit) & (weight == 1), "limit.npy", "weight.npy"

    x = np.asfortranarray(floats((31, 17), ">f8"))
    np.save(folder / "fortran.npy", x)
    yield "Fortran order, big endian", "fortran.npy", None, "x < 0", x, x < 0

    a = RANDOM.integers(-1000, 1000, (40, 12))
    b = RANDOM.integers(0, 900, 12)
    np.savez_compressed(folder / "several.npz", b=b, a=a)
    yield "one of several arrays", "several.npz", "a", "x % 3 == 0 & x > b", a, (a % 3 == 0) & (a > b)

    x = RANDOM.integers(0, 256, (4, 20, 30)).astype("u1")
    np.save(folder / "deep.npy", x)
    yield "three dimensions", "deep.npy", None, "x >= 128 & i != 2", x, (x >= 128) & (np.arange(4) != 2)[:, None, None]

    x = RANDOM.normal(size=1_000_003)
    np.save(folder / "long.npy", x)
    low, high = np.quantile(x, [0.05, 0.95])
    yield "a million in a row", "long.npy", None, "q(0.05) <= x <= q(0.95)", x, (x >= low) & (x <= high)

    x = RANDOM.random((9, 9)) < 0.3
    np.save(folder / "bools.npy", x)
    yield "bools", "bools.npy", None, "x", x, x

    x = RANDOM.normal(size=(8, 8)).astype("f2")
    write_safetensors(folder / "half.safetensors", {"w": ("F16", x)})
    yield "float16", "half.safetensors", None, "x > 0", x, x > 0

    x = (RANDOM.normal(size=20) + 1j * RANDOM.normal(size=20)).astype("c8")
    np.save(folder / "complex.npy", x)
    yield "complex numbers", "complex.npy", None, "abs(x) > 1", x, np.abs(x) > 1

    x = np.zeros((0, 3), "f4")
    np.save(folder / "empty.npy", x)
    yield "no elements", "empty.npy", None, "x > 0", x, x > 0

    x = np.array(2.5)
    np.save(folder / "number.npy", x)
    yield "no dimensions", "number.npy", None, "x > 2", x, x > 2

    x = np.round(RANDOM.normal(size=(60, 3)), 3)
    np.savetxt(folder / "table.csv", x, delimiter=",", header="speed,height (m),x", comments="", fmt="%.3f")
    mask = np.broadcast_to((x[:, 0] > 0)[:, None] & (x[:, 1] < 0.5)[:, None], x.shape)
    yield "a table by its columns", "table.csv", None, "speed > 0 & height_m < 0.5", x, mask

    pixels = RANDOM.integers(0, 256, (24, 32, 3)).astype("u1")
    write_png(folder / "pixels.png", pixels)
    red, green, blue = (pixels[..., c].astype("i4") for c in range(3))
    yield "an image", "pixels.png", "red", "x > 100 & green < blue", pixels[..., 0], (red > 100) & (green < blue)


def expected(x, mask):
    facts = {"kept": int(mask.sum()), "total": int(mask.size)}
    if np.iscomplexobj(x):
        return facts
    kept = np.broadcast_to(x, mask.shape)[mask].astype("f8")
    kept = kept[~np.isnan(kept)]
    if kept.size:
        facts["statistics"] = {"min": kept.min(), "max": kept.max(), "mean": kept.mean(), "sum": kept.sum()}
        facts["statistics"]["std"] = kept.std(ddof=1) if kept.size > 1 else float("nan")
        facts["statistics"].update({f"q{p:g}": float(np.quantile(kept, p)) for p in QUANTILES})
        facts["statistics"] = {k: repr(float(v)) for k, v in facts["statistics"].items()}
    values = x.astype("f8")[np.isfinite(x.astype("f8"))]
    if values.size:
        low, high = values.min(), values.max()
        bins = 60
        if x.dtype.kind in "iub" and high - low < bins:
            bins, low, high = int(high - low) + 1, low - 0.5, high + 0.5
        flat = x.astype("f8").ravel()
        facts["histogram"] = {
            "all": np.histogram(flat, bins, (low, high))[0].tolist(),
            "kept": np.histogram(np.broadcast_to(x, mask.shape)[mask].astype("f8"), bins, (low, high))[0].tolist(),
        }
    return facts


def make(folder):
    folder.mkdir(parents=True, exist_ok=True)
    found = []
    for number, (name, file, array, where, x, mask, *others) in enumerate(cases(folder)):
        np.savez(folder / f"expected{number}.npz", x=x, mask=mask)
        case = {"number": number, "name": name, "file": file, "array": array, "where": where, "others": others}
        found.append({**case, **expected(x, mask)})
    (folder / "cases.json").write_text(json.dumps(found))


def check(folder):
    """What was downloaded is called downloaded<number>-<what>.npy."""
    count = 0
    for path in sorted(folder.glob("downloaded*.npy")):
        number, what = path.stem.removeprefix("downloaded").split("-")
        with np.load(folder / f"expected{number}.npz") as data:
            x, mask = data["x"], data["mask"]
        wanted = {
            "kept": lambda: x[mask],
            "mask": lambda: mask,
            "filled": lambda: np.where(mask, np.array(1, x.dtype), x),
            "emptied": lambda: np.where(mask, x, np.array(0, x.dtype)),
        }[what]()
        found = np.load(path)
        assert found.dtype == wanted.dtype.newbyteorder("="), f"{path.name}: dtype {found.dtype}, not {wanted.dtype}"
        assert found.shape == wanted.shape, f"{path.name}: shape {found.shape}, not {wanted.shape}"
        assert np.array_equal(found, wanted, equal_nan=found.dtype.kind == "f"), f"{path.name}: other elements"
        count += 1
    assert count > 0, "nothing was downloaded"
    print(count)


if __name__ == "__main__":
    {"make": make, "check": check}[sys.argv[1]](pathlib.Path(sys.argv[2]))
