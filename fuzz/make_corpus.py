"""Writes the seeds of the fuzz targets to fuzz/corpus/: sound files and conditions and hostile ones, all small."""

import io
import json
import pathlib
import struct
import zipfile
import zlib

CORPUS = pathlib.Path(__file__).resolve().parent / "corpus"


def put(target, name, content):
    (CORPUS / target).mkdir(parents=True, exist_ok=True)
    (CORPUS / target / name).write_bytes(content)


def npy(header, data=b"", version=1):
    text = header.encode()
    return b"\x93NUMPY" + bytes([version, 0]) + struct.pack("<H" if version == 1 else "<I", len(text)) + text + data


def dict_of(descr, shape, order="False"):
    return f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}\n"


def make_npy():
    put("npy", "f8_2x3", npy(dict_of("'<f8'", "(2, 3)"), bytes(48)))
    put("npy", "fortran_big_endian", npy(dict_of("'>i2'", "(2, 2)", "True"), bytes(8)))
    put("npy", "scalar_c16_version2", npy(dict_of("'<c16'", "()"), bytes(16), 2))
    put("npy", "empty_version3", npy(dict_of("'|b1'", "(0, 5)"), b"", 3))
    put("npy", "python2_sizes", npy(dict_of("'<f4'", "(1L, 1L)"), bytes(4)))
    put("npy", "header_bomb", b"\x93NUMPY\x02\x00" + b"\xff" * 4 + b"{")
    put("npy", "overflowing_shape", npy(dict_of("'<f8'", "(4294967296, 4294967296)")))
    put("npy", "zero_hides_overflow", npy(dict_of("'<f8'", "(0, 4294967296, 4294967296)")))
    put("npy", "negative_size", npy(dict_of("'<f8'", "(-1,)")))
    put("npy", "65_dimensions", npy(dict_of("'|u1'", "(" + "1, " * 65 + ")"), b"1"))
    put("npy", "pickle", npy(dict_of("'|O'", "(1,)"), b"\x80\x04N."))
    put("npy", "records", npy(dict_of("[('a', '<f4')]", "(1,)"), bytes(4)))
    put("npy", "text", npy(dict_of("'<U3'", "(1,)"), bytes(12)))
    put("npy", "repeated_key", npy("{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': ()}", bytes(4)))
    put("npy", "trailing_bytes", npy(dict_of("'|u1'", "(2,)"), b"123"))
    put("npy", "cut_off", npy(dict_of("'<f8'", "(2, 3)"), bytes(48))[:60])


def archive(*members, **options):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", **options) as z:
        for name, content, method in members:
            info = zipfile.ZipInfo(name)
            info.compress_type = method
            z.writestr(info, content)
    return out.getvalue()


def make_npz():
    array = npy(dict_of("'<f8'", "(2, 3)"), bytes(48))
    large = npy(dict_of("'|u1'", "(100000,)"), bytes(100000))
    stored, deflated = zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED
    sound = archive(("a.npy", array, stored), ("b.npy", large, deflated))
    put("npz", "stored_and_deflated", sound)
    put("npz", "empty", archive())
    with io.BytesIO() as out:
        with zipfile.ZipFile(out, "w") as z, z.open("a.npy", "w", force_zip64=True) as member:
            member.write(array)
        put("npz", "zip64", out.getvalue())
    put("npz", "parent_name", archive(("../a.npy", array, stored)))
    put("npz", "absolute_name", archive(("/a.npy", array, stored)))
    put("npz", "bzip2", archive(("a.npy", array, zipfile.ZIP_BZIP2)))
    put("npz", "comment", sound[:-2] + b"\x03\x00abc")
    put("npz", "trailing_bytes", sound + b"x")
    put("npz", "cut_off", sound[:-30])
    put("npz", "wrong_crc", sound.replace(struct.pack("<I", zlib.crc32(array)), b"\0\0\0\0"))
    put("npz", "more_than_deflate_can", sound.replace(struct.pack("<I", len(large)), b"\0\0\0\x70"))
    directory = sound.index(b"PK\x01\x02")
    encrypted = bytearray(sound)
    encrypted[6] = encrypted[directory + 8] = 1
    put("npz", "encrypted", bytes(encrypted))
    overlap = bytearray(sound)
    second = sound.index(b"PK\x01\x02", directory + 4)
    overlap[second + 42 : second + 46] = bytes(4)
    put("npz", "overlapping_members", bytes(overlap))
    lie = bytearray(sound)
    lie[directory + 24 : directory + 28] = b"\xff" * 4
    put("npz", "zip64_without_sizes", bytes(lie))


def safetensors(header, data=b""):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def entry(dtype, shape, begin, end):
    return {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}


def make_safetensors():
    a, b = entry("F32", [2, 3], 0, 24), entry("BF16", [2], 24, 28)
    put("safetensors", "two_arrays", safetensors({"__metadata__": {"k": "v"}, "a": a, "b": b}, bytes(28)))
    put("safetensors", "none", safetensors({}))
    put("safetensors", "sub_byte", safetensors({"a": entry("F4", [4], 0, 2)}, bytes(2)))
    put("safetensors", "empty_array", safetensors({"a": entry("I64", [0, 3], 0, 0)}))
    put("safetensors", "padded", safetensors(b" " + json.dumps({"a": a}).encode() + b"   ", bytes(24)))
    put("safetensors", "header_bomb", b"\xff" * 8 + b"{}")
    put("safetensors", "overlap", safetensors({"a": a, "b": entry("U8", [4], 20, 24)}, bytes(24)))
    put("safetensors", "hole", safetensors({"a": a, "b": entry("U8", [4], 25, 29)}, bytes(29)))
    put("safetensors", "dangling", safetensors({"a": entry("F32", [2, 3], 0, 24)}, bytes(20)))
    put("safetensors", "backwards", safetensors({"a": entry("U8", [4], 4, 0)}, bytes(4)))
    put("safetensors", "overflow", safetensors({"a": entry("U8", [2**32, 2**32], 0, 0)}))
    put("safetensors", "zero_hides_overflow", safetensors({"a": entry("U8", [0, 2**32, 2**32], 0, 0)}))
    put("safetensors", "repeated_name", safetensors(b'{"a":' + json.dumps(a).encode() + b',"a":' +
                                                     json.dumps(a).encode() + b"}", bytes(24)))
    put("safetensors", "deep", safetensors(b'{"a":' + b"[" * 2000))
    put("safetensors", "negative", safetensors({"a": entry("U8", [-4], 0, 4)}, bytes(4)))
    put("safetensors", "trailing_bytes", safetensors({"a": a}, bytes(28)))
    put("safetensors", "zero_byte", safetensors(b"{}\0{"))


def make_conditions():
    for name, text in {
        "documentation": "x > 3 & ~isnan(x)",
        "set": "isin(n, [2, 4, -7])",
        "quantiles": "x >= q(0.05) & x <= q(x, 0.95)",
        "chain": "0 < x <= 3 != n",
        "whole": "abs(x - mean(x)) > 3 * std(x) or count(b) == 2 and not any(x > max(n))",
        "indices": "(i + j) % 2 == 0",
        "masks": "causal(2, 3, offset=1) | band(2, 3, 0, 1) ^ sliding_window(3, 2)[0]",
        "lengths": "from_lengths(u, 255) & from_lengths(n)",
        "documents": "documents(u) | from_indices([3], [0, -1], value=false)",
        "far": "causal(4611686018427387904) | from_indices([9223372036854775807, 2], [0])",
        "powers": "-x ** 2 ** -1 // 3 % 0x7fffffffffffffff",
        "named": "isclose(x, n, rtol=1e-3, equal_nan=True) | clamp(n, max=4) > where(b, u, 2)",
        "empty_array": "e > 0",
        "deep": "(" * 300 + "x",
        "long": "x" + "+x" * 250,
        "not_text": bytes(range(256)),
        "numbers": "1e400 + 1.2.3 + 0x + .5 + 5. + 99999999999999999999",
        "unknown": "isnam(x) & yy",
        "integers": "n & ~u | 255 ^ n",
    }.items():
        put("condition", name, text if isinstance(text, bytes) else text.encode())


def make_csv():
    for name, text in {
        "integers": "1,2,3\n4,5,6\n",
        "floats_crlf": "0.1,-0.0\r\n1e-5,nan\r\n-inf,5e-324\r\n",
        "names": "time,\"a, \"\"b\"\"\nc\"\n1,2\n",
        "quoted": '"1","2.5"\n"3",4\n',
        "bools": "true,False\nFALSE,TRUE\n",
        "bits": "0\n1\n",
        "gaps": "1,,3\n,,\n",
        "mark": "\ufeff1, 2\n+3 ,\t4",
        "empty": "",
        "empty_lines": "1\n\n\n",
        "empty_line_between": "1\n\n2\n",
        "ragged": "1,2\n3\n",
        "open_quote": '1,"2\n3',
        "behind_quote": '"1"2\n',
        "inner_quote": '1"2\n',
        "too_large": "9223372036854775808\n",
        "out_of_range": "1e400,1e-400\n",
        "late_fraction": "1\n2\n3.5\n",
        "word": "1,abc\n",
        "returns": "1\r2\r3",
        "long_field": "1" * 5000,
        "not_text": bytes(range(256)),
    }.items():
        put("csv", name, text if isinstance(text, bytes) else text.encode())


make_conditions()
make_csv()
make_npy()
make_npz()
make_safetensors()
