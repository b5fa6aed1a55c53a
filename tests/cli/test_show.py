"""Pictures: what they count, and that they are PNG files."""

import struct
import zlib

import numpy as np
import pytest

from test_terminal import on_terminal


def pixels(data):
    """An RGB array from a PNG file."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, width, height, packed = 8, 0, 0, b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + size]
        assert struct.unpack(">I", data[at + 8 + size:at + 12 + size])[0] == zlib.crc32(kind + body)
        if kind == b"IHDR":
            width, height, depth, color, *_ = struct.unpack(">IIBBBBB", body)
            assert (depth, color) == (8, 2)
        packed += body if kind == b"IDAT" else b""
        at += 12 + size
    raw = zlib.decompress(packed)
    rows, stride = np.zeros((height, width * 3), np.uint8), width * 3
    for r in range(height):
        kind, line = raw[r * (stride + 1)], bytearray(raw[r * (stride + 1) + 1:(r + 1) * (stride + 1)])
        above = rows[r - 1].tolist() if r else [0] * stride
        for i in range(stride):
            left, corner = (line[i - 3], above[i - 3]) if i >= 3 else (0, 0)
            p = left + above[i] - corner
            paeth = min((abs(p - left), 0, left), (abs(p - above[i]), 1, above[i]), (abs(p - corner), 2, corner))[2]
            line[i] = (line[i] + [0, left, above[i], (left + above[i]) // 2, paeth][kind]) & 255
        rows[r] = line
    return rows.reshape(height, width, 3)


def test_text_counts_and_shades(sh):
    x = np.zeros((4, 6), "i8")
    x[0, 1] = x[2] = 9
    sh.save(x=x)
    text = sh.run("show", "x.npy", "--where", "x > 4").stdout.decode()
    assert "x.npy [4, 6] int64, where x > 4" in text and "kept 7 of 24" in text
    rows = [line[line.index(mark) + 1:] for line in text.splitlines() for mark in "┤│" if mark in line]
    assert rows == ["··██········", "············", "████████████", "············"]


def test_a_picture_shows_kept_and_rejected(sh):
    x = np.zeros((30, 40))
    x[:, 20:] = 1
    sh.save(x=x)
    sh.run("show", "x.npy", "-w", "x > 0", "-o", "picture.png", "--quiet")
    image = pixels(sh.path("picture.png").read_bytes()).astype(int)
    blue = (image[..., 2] > image[..., 0] + 60) & (image[..., 2] > 120)
    # Half of the matrix is kept, and it is its right half.
    columns = np.flatnonzero(blue.sum(0) > blue.sum(0).max() // 2)
    assert blue.sum() > 1000
    grey = (np.ptp(image, axis=2) < 12) & (image[..., 0] > 150) & (image[..., 0] < 245)
    assert grey[:, :columns[0]].sum() == pytest.approx(blue[:, columns].sum(), rel=0.02)


def test_show_takes_all_kinds_of_arrays(sh, rng):
    sh.save(mask=np.eye(50, dtype=bool), one=np.array(3.0), none=np.zeros((0, 4)), line=rng.normal(size=12345),
            deep=rng.normal(size=(3, 4, 5)), nan=np.full((5, 5), np.nan))
    for name in ("mask", "one", "none", "line", "deep", "nan"):
        out = sh.run("show", f"{name}.npy", "-o", "p.png")
        assert sh.path("p.png").read_bytes().startswith(b"\x89PNG\r\n") and b"kept" in out.stdout
    assert "kept 50 of 2,500" in sh.run("show", "mask.npy").stdout.decode()
    sh.run("show", "deep.npy", "-w", "x > 0 & k > 1", "--values")


def test_show_refuses_other_formats(sh):
    sh.save(x=np.arange(4))
    assert "ends in .png" in sh.refuses("show", "x.npy", "-o", "x.jpg", code=1)
    assert sh.run("show", "x.npy", "-o", "-").stdout.startswith(b"\x89PNG\r\n")


def test_show_fills_a_terminal_and_not_more(sh, rng):
    sh.save(x=rng.normal(size=(500, 700)))
    for env in ({"NO_COLOR": "1", "TERM": "xterm"}, {"NO_COLOR": "", "TERM": "xterm"}):
        shown, code = on_terminal(["show", "x.npy", "-w", "x > 0"], sh.folder, env=env)
        assert code == 0 and ("\x1b[" in shown) == (env["NO_COLOR"] == "")
        if env["NO_COLOR"]:
            assert max(map(len, shown.splitlines())) <= 100
