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


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return struct.pack("<I", crc ^ 0xFFFFFFFF)


def zarr_v3(**changes):
    members = {
        "zarr_format": 3, "node_type": "array", "shape": [10, 7], "data_type": "float32",
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [4, 4]}},
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
        "fill_value": "NaN", "attributes": {}, "dimension_names": ["y", None],
        "codecs": [{"name": "transpose", "configuration": {"order": [1, 0]}},
                   {"name": "bytes", "configuration": {"endian": "big"}},
                   {"name": "zstd", "configuration": {"level": 1, "checksum": True}}, {"name": "crc32c"}],
    }
    return b"3" + json.dumps({**members, **changes}).encode()


def sharding(chunks, codecs, **changes):
    return [{"name": "sharding_indexed",
             "configuration": {"chunk_shape": chunks, "codecs": codecs, "index_location": "start",
                               "index_codecs": ["bytes", "crc32c"], **changes}}]


def zarr_v2(attributes="", **changes):
    members = {"zarr_format": 2, "shape": [10, 7], "chunks": [4, 4], "dtype": "<i2", "compressor": {"id": "blosc"},
               "fill_value": -1, "order": "F", "filters": None, "dimension_separator": "/"}
    return b"2" + json.dumps({**members, **changes}).encode() + b"\n" + attributes.encode()


def make_zarr():
    plain = ["bytes"]
    put("zarr", "v3", zarr_v3())
    put("zarr", "v3_group", b'3{"zarr_format": 3, "node_type": "group"}')
    put("zarr", "v3_shards", zarr_v3(data_type="uint8", fill_value=7, codecs=sharding([2, 2], plain)))
    put("zarr", "v3_nested_shards", zarr_v3(data_type="bool", fill_value=True,
                                            codecs=sharding([2, 2], sharding([1, 2], plain))))
    put("zarr", "v3_shards_that_do_not_fit", zarr_v3(codecs=sharding([3, 2], plain)))
    put("zarr", "v3_zero_chunk", zarr_v3(chunk_grid={"name": "regular", "configuration": {"chunk_shape": [0, 4]}}))
    put("zarr", "v3_overflow", zarr_v3(shape=[2**62, 2**62]))
    put("zarr", "v3_huge_chunk", zarr_v3(chunk_grid={"name": "regular", "configuration": {"chunk_shape": [2**31, 2**31]}}))
    put("zarr", "v3_negative", zarr_v3(shape=[-1, 7]))
    put("zarr", "v3_separator", zarr_v3(chunk_key_encoding={"name": "default", "configuration": {"separator": "/../"}}))
    put("zarr", "v3_complex", zarr_v3(data_type="complex128", fill_value=["Infinity", "0x7ff8000000000001"]))
    put("zarr", "v3_twice_bytes", zarr_v3(codecs=["bytes", "bytes"]))
    put("zarr", "v3_unknown_codec", zarr_v3(codecs=["bytes", "lz77"]))
    put("zarr", "v3_bad_order", zarr_v3(codecs=[{"name": "transpose", "configuration": {"order": [0, 0]}}, *plain]))
    put("zarr", "v3_must_understand", zarr_v3(extension={"must_understand": False}, other=1))
    put("zarr", "v3_python_numbers", b'3{"a": NaN, "b": [-Infinity, Infinity], "c": "NaN \\" NaN"}')
    put("zarr", "deep", b"3" + b"[" * 3000)
    put("zarr", "v2", zarr_v2('{"_ARRAY_DIMENSIONS": ["time", "x"], "_FillValue": NaN}'))
    put("zarr", "v2_filter", zarr_v2(filters=[{"id": "delta"}]))
    put("zarr", "v2_records", zarr_v2(dtype=[["a", "<f4"]], fill_value=None))
    put("zarr", "v2_fill_out_of_range", zarr_v2(fill_value=70000))
    put("zarr", "v2_not_json", b"2{")
    data = bytes(range(256)) * 16
    compress = zlib.compressobj(wbits=31)
    gzip = compress.compress(data) + compress.flush()
    put("zarr", "gzip", b"c\x00" + gzip)
    put("zarr", "gzip_bomb", b"c\x01" + zlib.compress(bytes(1 << 20)))
    put("zarr", "zlib", b"c\x01" + zlib.compress(data))
    put("zarr", "zstd_stored", b"c\x02" + bytes.fromhex("28b52ffd") + b"\x60\x00\x0f" + b"\x01\x80\x00" + data)
    put("zarr", "zstd_run", b"c\x02" + bytes.fromhex("28b52ffd") + b"\x60\x00\x0f" + b"\x03\x80\x00" + b"7")
    put("zarr", "blosc_stored", b"c\x03" + struct.pack("<BBBBIII", 2, 1, 2, 1, 4096, 4096, 4112) + data)
    put("zarr", "blosc_lie", b"c\x03" + struct.pack("<BBBBIII", 2, 1, 2, 1, 2**31 - 1, 4096, 4112) + data)
    put("zarr", "crc32c", b"c\x04" + data + crc32c(data))
    put("zarr", "crc32c_wrong", b"c\x04" + data + b"1234")
    put("zarr", "gzip_crc32c", b"c\x50" + gzip + crc32c(gzip))
    none = b"\xff" * 16
    index = struct.pack("<QQ", 0, 5) + none + struct.pack("<QQ", 5, 5)
    choice = bytes([3 << 3 | 4])
    put("zarr", "index", b"s" + choice + b"0123456789" + index + crc32c(index))
    overlap = struct.pack("<QQ", 0, 6) + none + struct.pack("<QQ", 5, 5)
    put("zarr", "index_overlap", b"s" + choice + b"0123456789" + overlap + crc32c(overlap))
    outside = struct.pack("<QQ", 2**63, 2**63) + none + none
    put("zarr", "index_outside", b"s" + choice + b"0123456789" + outside + crc32c(outside))
    put("zarr", "index_wrong_checksum", b"s" + choice + b"0123456789" + index + b"1234")


def number(v):
    out = bytearray()
    while v >= 0x80:
        out.append(v & 0x7F | 0x80)
        v >>= 7
    return bytes(out + bytes([v]))


def text(v):
    return number(len(v)) + v.encode()


def numbers(*values):
    return b"".join(number(v) for v in values)


def state(kind, *body, version=1):
    """A partial state without its checksum, which the target adds."""
    return b"TMSP" + bytes([version, kind]) + b"".join(body)


def make_partial():
    f8, i8, scalar = text("float64"), text("int64"), numbers(0)
    # One and a half: 2^63 in the limb below 1, 1 in the next, then the sign.
    exact = numbers(3, 33) + b"\0" + struct.pack("<QQ", 1 << 63, 1)
    put("partial", "count", state(1, i8, numbers(1, 2), numbers(5, 3, 0, 0)))
    put("partial", "more_nonzero_than_kept", state(1, i8, scalar, numbers(1, 3)))
    put("partial", "huge_shape", state(1, i8, numbers(2, 1 << 40, 1 << 40)))
    put("partial", "sum", state(2, f8, scalar, b"\0", exact))
    put("partial", "sum_with_nan", state(2, f8, scalar, b"\1", numbers(0)))
    put("partial", "sum_of_integers_with_a_fraction", state(2, i8, scalar, b"\0", exact))
    put("partial", "sum_with_zero_limbs", state(2, f8, scalar, b"\0", numbers(3, 33) + b"\0" + bytes(16)))
    put("partial", "sum_with_too_many_limbs", state(2, f8, scalar, b"\0", numbers(70, 0) + b"\0" + bytes(560)))
    put("partial", "complex_sum", state(2, text("complex64"), scalar, b"\0", exact, b"\0", numbers(0)))
    squares = numbers(3, 33) + b"\0" + struct.pack("<QQ", 1 << 62, 2)
    put("partial", "moments", state(3, f8, scalar, numbers(1), b"\0", exact, squares))
    put("partial", "negative_variance", state(3, f8, scalar, numbers(1), b"\0", exact, numbers(0)))
    put("partial", "extremes", state(4, i8, scalar, numbers(1, 9), numbers(3, 7), numbers(4, 8)))
    put("partial", "extreme_outside", state(4, i8, scalar, numbers(1, 2), numbers(3, 7), numbers(4, 8)))
    put("partial", "selected", state(5, numbers(2, 3, 4), numbers(2, 1, 2, 3, 1), b"\1", i8, bytes(24)))
    put("partial", "positions", state(5, numbers(1, 10), numbers(1, 0, 10), b"\0"))
    put("partial", "run_beyond_the_end", state(5, numbers(1, 10), numbers(1, 5, 6), b"\0"))
    put("partial", "runs_without_a_gap", state(5, numbers(1, 10), numbers(2, 0, 2, 0, 2), b"\0"))
    put("partial", "values_cut_off", state(5, numbers(1, 10), numbers(1, 0, 10), b"\1", i8, bytes(24)))
    put("partial", "top_k", state(6, i8, numbers(2), b"\1", numbers(1, 10), numbers(2, 9, 3, 4, 0)))
    put("partial", "top_k_out_of_order", state(6, i8, numbers(2), b"\1", numbers(1, 10), numbers(2, 4, 0, 9, 3)))
    put("partial", "unique", state(7, text("uint8"), numbers(1, 10), numbers(0), numbers(2, 4, 0, 7, 9, 3, 1)))
    put("partial", "unique_twice", state(7, text("uint8"), numbers(1, 10), numbers(0), numbers(2, 4, 0, 7, 4, 3, 1)))
    counts = b"\2" + numbers(1, 5) + b"\0" + numbers(1, 2)
    put("partial", "histogram", state(8, text("uint8"), b"\0", numbers(0), numbers(2), counts))
    put("partial", "histogram_between_steps", state(8, f8, b"\0", numbers(0), numbers(1), b"\0", numbers(5, 5)))
    wanted = numbers(10, 0) + b"\0\0\1" + numbers(0, 0)
    group = numbers(1 << 63) + b"\x28" + numbers(2, 5)
    search = state(9, f8, wanted, numbers(1, 4), numbers(0), numbers(1), group)
    put("partial", "search", search)
    put("partial", "search_done", state(9, f8, wanted, numbers(1, 4), numbers(1, 4, 1 << 63), numbers(0)))
    put("partial", "search_without_its_rank", state(9, f8, wanted, numbers(1, 4), numbers(0), numbers(0)))
    put("partial", "rank_beyond_the_count", state(9, f8, wanted, numbers(1, 40), numbers(0), numbers(0)))
    put("partial", "second_pass", state(8, f8, b"\1", search[6:], numbers(1), b"\x3f", numbers(1, 5)))
    put("partial", "another_version", state(2, f8, scalar, b"\0", exact, version=9))
    put("partial", "unknown_dtype", state(2, text("float8"), scalar, b"\0", exact))
    put("partial", "long_number", state(1, i8, b"\xff" * 11))
    put("partial", "cut_off", state(2, f8, scalar, b"\0", exact)[:-3])


make_conditions()
make_csv()
make_npy()
make_npz()
make_partial()
make_safetensors()
make_zarr()
