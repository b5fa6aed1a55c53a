"""Zarr stores: zarr-python and tensorstore read what Tamis writes, and Tamis reads what they write."""

import json
import os
import pathlib
import shutil
import zipfile

import numpy as np
import pytest

import tamis

if os.environ.get("TAMIS_REQUIRE_PEERS"):
    import tensorstore as ts
    import zarr
else:
    ts = pytest.importorskip("tensorstore")
    zarr = pytest.importorskip("zarr")

import ml_dtypes  # noqa: E402
from zarr.codecs import (BloscCodec, BytesCodec, Crc32cCodec, GzipCodec, ShardingCodec, TransposeCodec,  # noqa: E402
                         ZstdCodec)

DTYPES = ["bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "float16", "float32",
          "float64", "complex64", "complex128"]
SHAPES = [((), ()), ((0,), (3,)), ((7,), (3,)), ((2, 0), (1, 1)), ((10, 7), (4, 3)), ((5, 1, 6), (2, 1, 6)),
          ((3, 4, 5, 2), (1, 3, 2, 2)), ((6, 5), (1, 1)), ((4, 3), (9, 9))]


def example(dtype, shape):
    """Different in every element, as far as the dtype can tell them apart."""
    n = int(np.prod(shape))
    values = np.random.default_rng(n).permutation(n) % 251
    if dtype.startswith("complex"):
        return (values - 1j * values[::-1]).astype(dtype).reshape(shape)
    if dtype == "bool":
        return (values % 3 == 0).reshape(shape)
    return (values - (0 if dtype.startswith("u") or dtype == "int8" else 100)).astype(dtype).reshape(shape)


def same(tensor, array):
    result = tensor.numpy()
    assert result.dtype == array.dtype.newbyteorder("=") and result.shape == array.shape
    assert result.tobytes() == np.ascontiguousarray(array.astype(result.dtype)).tobytes()


def make(path, array, chunks, version=3, **options):
    store = zarr.create_array(str(path), shape=array.shape, chunks=chunks, dtype=array.dtype, zarr_format=version,
                              overwrite=True, **options)
    store[...] = array
    return store


def read_by_tensorstore(path, driver="zarr3"):
    return ts.open({"driver": driver, "kvstore": f"file://{path}/"}).result().read().result()


# ---- what others write ------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("version", [2, 3])
def test_reads_every_dtype_and_shape(tmp_path, dtype, version):
    for shape, chunks in SHAPES:
        array = example(dtype, shape)
        make(tmp_path / "x.zarr", array, chunks, version)
        same(tamis.load(tmp_path / "x.zarr"), array)


@pytest.mark.parametrize("order", "CF")
@pytest.mark.parametrize("endian", "<>")
@pytest.mark.parametrize("separator", "./")
def test_reads_orders_and_separators_of_version_2(tmp_path, order, endian, separator):
    array = example("float64", (11, 8, 3)).astype(f"{endian}f8")
    make(tmp_path / "x.zarr", array, (4, 3, 2), 2, order=order,
         chunk_key_encoding={"name": "v2", "separator": separator})
    assert json.loads((tmp_path / "x.zarr/.zarray").read_text())["order"] == order
    same(tamis.load(tmp_path / "x.zarr"), array)


@pytest.mark.parametrize("compressor", [
    None, "zlib", "gzip", "zstd", "zstd with a checksum", "blosclz", "lz4", "lz4hc", "zlib in blosc", "zstd in blosc"])
def test_reads_compressors_of_version_2(tmp_path, compressor):
    import numcodecs

    codec = {None: None, "zlib": numcodecs.Zlib(5), "gzip": numcodecs.GZip(5), "zstd": numcodecs.Zstd(3),
             "zstd with a checksum": numcodecs.Zstd(3, checksum=True)}.get(compressor, 0)
    if codec == 0:
        codec = numcodecs.Blosc(cname=compressor.split()[0], shuffle=numcodecs.Blosc.BITSHUFFLE)
    array = example("int32", (1000, 7))
    make(tmp_path / "x.zarr", array, (300, 4), 2, compressors=codec)
    same(tamis.load(tmp_path / "x.zarr"), array)


CHAINS = {
    "plain": [],
    "gzip": [GzipCodec(level=5)],
    "zstd": [ZstdCodec(level=5, checksum=True)],
    "blosc": [BloscCodec(cname="zstd", shuffle="bitshuffle")],
    "blosc lz4": [BloscCodec(cname="lz4", shuffle="shuffle", blocksize=512)],
    "crc32c": [Crc32cCodec()],
    "zstd, crc32c": [ZstdCodec(), Crc32cCodec()],
    "crc32c, gzip, crc32c, zstd": [Crc32cCodec(), GzipCodec(), Crc32cCodec(), ZstdCodec()],
}


@pytest.mark.parametrize("chain", CHAINS)
@pytest.mark.parametrize("endian", ["little", "big"])
def test_reads_chains_of_codecs(tmp_path, chain, endian):
    array = example("float32", (200, 30, 2))
    for order in [(0, 1, 2), (2, 0, 1), (1, 2, 0)]:
        make(tmp_path / "x.zarr", array, (64, 7, 2), compressors=CHAINS[chain], serializer=BytesCodec(endian=endian),
             filters=[TransposeCodec(order=order)])
        same(tamis.load(tmp_path / "x.zarr"), array)


@pytest.mark.parametrize("location", ["start", "end"])
@pytest.mark.parametrize("chain", ["plain", "zstd, crc32c"])
def test_reads_shards(tmp_path, location, chain):
    array = example("int64", (50, 23))
    array[20:30] = 0  # chunks that are not written
    codec = ShardingCodec(chunk_shape=(5, 2), index_location=location, codecs=[BytesCodec(), *CHAINS[chain]])
    make(tmp_path / "x.zarr", array, (20, 6), serializer=codec, compressors=None)
    same(tamis.load(tmp_path / "x.zarr"), array)
    inner = ShardingCodec(chunk_shape=(5, 1), codecs=[BytesCodec(endian="big"), *CHAINS[chain]])
    nested = ShardingCodec(chunk_shape=(10, 3), index_location=location, codecs=[inner])
    make(tmp_path / "y.zarr", array, (20, 6), serializer=nested, compressors=None)
    same(tamis.load(tmp_path / "y.zarr"), array)


FILLS = {"float32": [float("nan"), float("inf"), -float("inf"), -0.0, 1e-45], "float16": [0.1], "int8": [-128],
         "uint64": [2**64 - 1], "int64": [-2**63], "bool": [True], "complex64": [complex(1, float("nan"))],
         "complex128": [complex(-float("inf"), 2)]}


@pytest.mark.parametrize("dtype", FILLS)
@pytest.mark.parametrize("version", [2, 3])
def test_chunks_that_are_missing_have_the_fill_value(tmp_path, dtype, version):
    for fill in FILLS[dtype]:
        store = zarr.create_array(str(tmp_path / "x.zarr"), shape=(9, 5), chunks=(4, 2), dtype=dtype, fill_value=fill,
                                  zarr_format=version, overwrite=True)
        store[1:3, 1] = 0
        same(tamis.load(tmp_path / "x.zarr"), store[...])


def test_reads_groups_archives_and_consolidated_metadata(tmp_path):
    array, other = example("float32", (9, 4)), example("int16", (5,))
    for version in (2, 3):
        root = zarr.open_group(str(tmp_path / "g.zarr"), mode="w", zarr_format=version)
        root.create_array("a", data=array, chunks=(4, 4))
        root.create_group("sub").create_array("b", data=other, chunks=(2,))
        zarr.consolidate_metadata(str(tmp_path / "g.zarr"))
        loaded = tamis.load(tmp_path / "g.zarr")
        assert list(loaded) == ["a", "sub/b"]
        same(loaded["a"], array)
        same(tamis.load(tmp_path / "g.zarr", "sub/b"), other)
        same(tamis.load(tmp_path / "g.zarr/sub/b"), other)
    for compression in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        (tmp_path / "g.zarr.zip").unlink(missing_ok=True)
        store = zarr.storage.ZipStore(str(tmp_path / "g.zarr.zip"), mode="w", compression=compression)
        zarr.create_array(store, name="x", shape=array.shape, chunks=(2, 2), shards=(4, 4), dtype="float32")[...] = array
        store.close()
        same(tamis.load(tmp_path / "g.zarr.zip")["x"], array)


def test_reads_what_tensorstore_writes(tmp_path):
    array = example("float32", (30, 20))
    for i, codecs in enumerate([
            [{"name": "transpose", "configuration": {"order": [1, 0]}},
             {"name": "bytes", "configuration": {"endian": "big"}}, {"name": "gzip", "configuration": {"level": 6}}],
            [{"name": "sharding_indexed", "configuration": {
                "chunk_shape": [5, 5], "index_location": "start",
                "codecs": [{"name": "bytes", "configuration": {"endian": "little"}},
                           {"name": "blosc", "configuration": {"cname": "lz4", "clevel": 5, "shuffle": "shuffle",
                                                               "typesize": 4, "blocksize": 0}}],
                "index_codecs": [{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "crc32c"}]}}]]):
        path = tmp_path / f"{i}.zarr"
        store = ts.open({"driver": "zarr3", "kvstore": f"file://{path}/",
                         "metadata": {"shape": [30, 20], "data_type": "float32", "codecs": codecs,
                                      "fill_value": "0x7fc00001",
                                      "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [10, 10]}}}},
                        create=True).result()
        store[:25].write(array[:25]).result()
        expected = store.read().result()
        assert expected[29].view("uint32")[0] == 0x7FC00001
        same(tamis.load(path), expected)
    path = tmp_path / "v2.zarr"
    store = ts.open({"driver": "zarr", "kvstore": f"file://{path}/",
                     "metadata": {"shape": [30, 20], "dtype": ">f4", "chunks": [7, 9], "order": "F",
                                  "compressor": {"id": "zlib", "level": 1}}}, create=True).result()
    store.write(array).result()
    same(tamis.load(path), array)


def test_bfloat16_goes_both_ways_with_tensorstore(tmp_path):
    bits = np.arange(60, dtype="uint16").reshape(10, 6) * 997
    path = tmp_path / "x.zarr"
    store = ts.open({"driver": "zarr3", "kvstore": f"file://{path}/",
                     "metadata": {"shape": [10, 6], "data_type": "bfloat16"}}, create=True).result()
    store.write(bits.view(ml_dtypes.bfloat16)).result()
    x = tamis.load(path)
    assert x.dtype == tamis.bfloat16 and x.to(tamis.float32).numpy().tobytes() == (bits.astype("u4") << 16).tobytes()
    tamis.save(tmp_path / "y.zarr", x)
    assert read_by_tensorstore(tmp_path / "y.zarr").view("uint16").tobytes() == bits.tobytes()


# ---- what Tamis writes ------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
def test_others_read_every_dtype_and_shape(tmp_path, dtype):
    for shape, _ in SHAPES:
        array = example(dtype, shape)
        path = tmp_path / "x.zarr"
        tamis.save(path, array)
        for read in (zarr.open_array(str(path), mode="r")[...], read_by_tensorstore(path)):
            assert read.dtype == array.dtype and read.shape == array.shape and read.tobytes() == array.tobytes()
        same(tamis.load(path), array)
        tamis.save(tmp_path / "x.zarr.zip", array)
        store = zarr.storage.ZipStore(str(tmp_path / "x.zarr.zip"), mode="r")
        assert zarr.open_array(store, mode="r")[...].tobytes() == array.tobytes()
        store.close()
        same(tamis.load(tmp_path / "x.zarr.zip"), array)


def test_others_read_many_chunks_and_groups(tmp_path):
    x = np.random.default_rng(0).normal(size=(3000, 1100)).astype("float32")  # more than one chunk along each side
    x[:, 500:] = np.round(x[:, 500:])
    tamis.save(tmp_path / "g.zarr", {"a": x, "deep/er/b": x[0] > 0})
    group = zarr.open_group(str(tmp_path / "g.zarr"), mode="r")
    assert len(list((tmp_path / "g.zarr/a/c").iterdir())) > 1
    np.testing.assert_array_equal(group["a"][...], x)
    np.testing.assert_array_equal(group["deep/er/b"][...], x[0] > 0)
    assert sorted(group["deep"].group_keys()) == ["er"]
    loaded = tamis.load(tmp_path / "g.zarr")
    same(loaded["a"], x)


# ---- whole or not at all ----------------------------------------------------------------------------------


def test_replaces_stores_and_nothing_else(tmp_path):
    path = tmp_path / "x.zarr"
    tamis.save(path, np.arange(5))
    tamis.save(path, np.arange(7.0))
    same(tamis.load(path), np.arange(7.0))
    assert [p.name for p in tmp_path.iterdir()] == ["x.zarr"]
    other = tmp_path / "photos.zarr"
    other.mkdir()
    (other / "cat.jpg").write_text("cat")
    with pytest.raises(OSError, match="not a Zarr store"):
        tamis.save(other, np.arange(5))
    (tmp_path / "file.zarr").write_text("text")
    with pytest.raises(OSError, match="it is a file"):
        tamis.save(tmp_path / "file.zarr", np.arange(5))
    assert (other / "cat.jpg").exists() and len(list(tmp_path.iterdir())) == 3


def test_names_that_are_not_paths_in_a_store_are_refused(tmp_path):
    for name in ["../a", "/a", "a//b", ".zarray", "a/__b", "zarr.json", "a/."]:
        with pytest.raises(RuntimeError, match="cannot be the name"):
            tamis.save(tmp_path / "x.zarr", {name: np.arange(3), "ok": np.arange(3)})
    with pytest.raises(RuntimeError, match="both an array and the group"):
        tamis.save(tmp_path / "x.zarr", {"a": np.arange(3), "a/b": np.arange(3)})
    assert not list(tmp_path.iterdir())


# ---- hostile stores ---------------------------------------------------------------------------------------


@pytest.fixture
def sharded(tmp_path):
    array = example("int32", (40, 6))
    codec = ShardingCodec(chunk_shape=(5, 6), codecs=[BytesCodec(), ZstdCodec()])
    make(tmp_path / "x.zarr", array, (20, 6), serializer=codec, compressors=None)
    return tmp_path / "x.zarr"


def test_damaged_shards_are_refused(sharded):
    shard = sharded / "c/0/0"
    sound = shard.read_bytes()
    for damaged, text in [(sound[:-1], "checksum is wrong"), (sound[:30], "no space for an index"),
                          (sound[:5] + b"??????" + sound[11:], "zstd"),
                          (sound[:-4] + b"1234", "checksum is wrong"), (b"", "no space for an index")]:
        shard.write_bytes(damaged)
        with pytest.raises(ValueError, match=text):
            tamis.load(sharded)


def test_links_are_not_followed(tmp_path):
    array = np.arange(12)
    make(tmp_path / "x.zarr", array, (4,))
    secret = tmp_path / "secret"
    shutil.copy(tmp_path / "x.zarr/c/1", secret)
    (tmp_path / "x.zarr/c/1").unlink()
    (tmp_path / "x.zarr/c/1").symlink_to(secret)
    with pytest.raises(ValueError, match="links inside of a Zarr store are not followed"):
        tamis.load(tmp_path / "x.zarr")
    (tmp_path / "x.zarr/c").rename(tmp_path / "elsewhere")
    (tmp_path / "x.zarr/c").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ValueError, match="links inside of a Zarr store are not followed"):
        tamis.load(tmp_path / "x.zarr")
    # The store itself may be behind a link.
    make(tmp_path / "y.zarr", array, (4,))
    (tmp_path / "link.zarr").symlink_to(tmp_path / "y.zarr")
    same(tamis.load(tmp_path / "link.zarr"), array)


def test_pipes_are_not_read(tmp_path):
    make(tmp_path / "x.zarr", np.arange(12), (4,))
    (tmp_path / "x.zarr/c/2").unlink()
    os.mkfifo(tmp_path / "x.zarr/c/2")
    with pytest.raises(ValueError, match="not a regular file"):
        tamis.load(tmp_path / "x.zarr")


def change(path, **members):
    text = json.loads(pathlib.Path(path).read_text())
    pathlib.Path(path).write_text(json.dumps({**text, **members}))


@pytest.mark.parametrize("codecs", [[GzipCodec()], [ZstdCodec()], [BloscCodec()], []])
def test_chunks_never_inflate_beyond_their_size(tmp_path, codecs):
    path = tmp_path / "x.zarr"
    make(path, np.full(1 << 20, 7, dtype="uint8"), (1 << 20,), compressors=codecs)
    change(path / "zarr.json", shape=[1000],
           chunk_grid={"name": "regular", "configuration": {"chunk_shape": [1000]}})
    with pytest.raises(ValueError, match="c/0: "):
        tamis.load(path)
    change(path / "zarr.json", shape=[1 << 21],
           chunk_grid={"name": "regular", "configuration": {"chunk_shape": [1 << 21]}})
    with pytest.raises(ValueError, match="c/0: "):
        tamis.load(path)


@pytest.mark.parametrize("members, text", [
    ({"shape": [2**61]}, "too large"),
    ({"shape": [-1]}, "not a size"),
    ({"shape": [1.5]}, "not a size"),
    ({"shape": "12"}, "not a list"),
    ({"shape": [12] * 65}, "at most 64"),
    ({"shape": [12, 1]}, "1 sizes for 2 dimensions"),
    ({"chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [0]}}}, "size of 0"),
    ({"chunk_grid": {"name": "rectilinear", "configuration": {}}}, "chunk grid 'rectilinear' is not supported"),
    ({"chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2**40]}}}, "less than 2 GiB"),
    ({"chunk_key_encoding": {"name": "default", "configuration": {"separator": "/../"}}}, "neither '/' nor '.'"),
    ({"codecs": []}, "not a list of codecs"),
    ({"codecs": ["zstd"]}, "before the elements have become bytes"),
    ({"codecs": ["bytes"]}, "does not say the order of bytes"),
    ({"codecs": [{"name": "bytes", "configuration": {"endian": "little"}}, "lzma"]}, "codec 'lzma' is not supported"),
    ({"fill_value": "zero"}, "not a fill value"),
    ({"fill_value": 2**70}, "not a fill value"),
    ({"fill_value": 0.5}, "not a fill value"),
    ({"node_type": "tree"}, "neither 'array' nor 'group'"),
    ({"zarr_format": 4}, "not 3"),
    ({"data_type": "string"}, "element type 'string' is not supported"),
    ({"storage_transformers": [{"name": "x"}]}, "storage transformers"),
    ({"new_feature": {"must_understand": True}}, "extension 'new_feature' is not supported"),
    ({"dimension_names": ["a", "b"]}, "name for each dimension"),
])
def test_malformed_and_unknown_metadata_are_refused(tmp_path, members, text):
    make(tmp_path / "x.zarr", np.arange(12), (4,))
    change(tmp_path / "x.zarr/zarr.json", new_but_harmless={"must_understand": False})
    tamis.load(tmp_path / "x.zarr")
    change(tmp_path / "x.zarr/zarr.json", **members)
    with pytest.raises((ValueError, RuntimeError), match=text):
        tamis.load(tmp_path / "x.zarr")


def test_metadata_that_is_not_json_is_refused(tmp_path):
    make(tmp_path / "x.zarr", np.arange(12), (4,))
    for text in ["", "{", "[]", "null", "[" * 100000, '{"zarr_format": 3}', "\0" * 10]:
        (tmp_path / "x.zarr/zarr.json").write_text(text)
        with pytest.raises(ValueError, match="zarr.json: "):
            tamis.load(tmp_path / "x.zarr")
    shutil.rmtree(tmp_path / "x.zarr")
    (tmp_path / "x.zarr").mkdir()
    with pytest.raises(OSError, match="not a Zarr store"):
        tamis.load(tmp_path / "x.zarr")


def test_what_one_array_lacks_does_not_spoil_the_others(tmp_path):
    root = zarr.open_group(str(tmp_path / "g.zarr"), mode="w", zarr_format=2)
    root.create_array("a", data=np.arange(4))
    for name, members in {"b": {"filters": [{"id": "delta", "dtype": "<i8"}]}, "c": {"compressor": {"id": "lzma"}},
                          "d": {"dtype": "<U4"}}.items():
        root.create_array(name, data=np.arange(4))
        change(tmp_path / "g.zarr" / name / ".zarray", **members)
    same(tamis.load(tmp_path / "g.zarr", "a"), np.arange(4))
    for name, text in {"b": "filter 'delta'", "c": "compressor 'lzma'", "d": "element type '<U4'"}.items():
        with pytest.raises((ValueError, RuntimeError), match=f"array '{name}': {text} is not supported"):
            tamis.load(tmp_path / "g.zarr", name)
