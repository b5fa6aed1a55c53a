"""Numbers in conditions against NumPy, which compares in a dtype that holds both sides if it is asked to."""

import json
import operator

import numpy as np
import pytest

OPERATORS = {"==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt,
             ">=": operator.ge}
ENDS = {dtype: [np.iinfo(dtype).min, -1 if dtype != "uint8" else 1, 0, 3, np.iinfo(dtype).max]
        for dtype in ("uint8", "int8", "int16", "int32")}
NUMBERS = [-1, 0, 2.5, 255, 256, 300, 506, -129, 70000, 2**31, -(2**40), 1e10]


@pytest.mark.parametrize("dtype", ENDS)
def test_integers_compare_by_value(sh, dtype):
    x = np.array(ENDS[dtype], dtype)
    wide = x.astype("f8")  # exact for these
    sh.save(x=x)
    for number in NUMBERS:
        for symbol, compare in OPERATORS.items():
            for condition, expected in ((f"x {symbol} {number}", compare(wide, number)),
                                        (f"{number} {symbol} x", compare(number, wide))):
                sh.run("mask", "x.npy", "-w", condition, "-o", "m.npy", "-q", "--no-sync")
                assert np.array_equal(sh.load("m.npy"), expected), condition


def test_float16_is_compared_with_what_it_cannot_hold(sh):
    x = np.array([-np.inf, -65504, 0, 65504, np.inf, np.nan], "f2")
    sh.save(x=x)
    for number in (70000, 70000.0, -70000, 65519, 2049):
        for symbol, compare in OPERATORS.items():
            sh.run("mask", "x.npy", "-w", f"x {symbol} {number}", "-o", "m.npy", "-q", "--no-sync")
            assert np.array_equal(sh.load("m.npy"), compare(x.astype("f8"), number)), (symbol, number)


def test_arithmetic_on_small_integers_does_not_wrap(sh):
    x = np.array([0, 4, 200, 255], "u1")
    sh.save(x=x)
    wide = x.astype("i8")
    for condition, expected in (("x + 1 > 255", wide + 1 > 255), ("x - 5 < 0", wide - 5 < 0),
                                ("abs(x - 200) <= 4", abs(wide - 200) <= 4), ("x * x > 1000", wide * wide > 1000),
                                ("x / 2 == 2.0", wide / 2 == 2), ("mean(x * 2) == 229.5", wide > -1)):
        sh.run("mask", "x.npy", "-w", condition, "-o", "m.npy", "-q", "--no-sync")
        assert np.array_equal(sh.load("m.npy"), expected), condition


def test_large_integers_keep_all_their_digits(sh):
    x = np.array([2**53, 2**53 + 1, 1_700_000_000, -(2**63), 2**63 - 1])
    sh.save(x=x)
    count = lambda condition: sh.run("count", "x.npy", "-w", condition).stdout.decode().strip()
    assert count("x == 9007199254740993") == "1"
    assert count("x > 9007199254740992.0") == "2"
    assert count("isin(x, [9007199254740993, 0.5])") == "1"
    assert count("x < 1e19 and x >= -1e19") == "5"
    assert count("x == -9223372036854775808") == "1" and count("isin(x, [-9223372036854775808])") == "1"
    assert count("x > -9223372036854775808") == "4"
    assert count("x < 18446744073709551615") == "5" and count("x > 9223372036854775808") == "0"
    assert "does not fit in 64 bits" in sh.refuses("count", "x.npy", "-w", "x < 10**19", code=1)


def test_unsigned_integers_of_64_bits_are_not_taken_for_negative_ones(sh):
    x = np.array([0, 7, 2**63 - 1, 2**63, 2**64 - 1], "u8")
    sh.save(x=x, y=np.array([0, -7, 2**63 - 1, -(2**63), -1]))
    count = lambda condition: sh.run("count", "x.npy", "y.npy", "-w", condition).stdout.decode().strip()
    for condition, expected in (("x > 0", 4), ("x >= 9223372036854775808", 2), ("x == 18446744073709551615", 1),
                                ("x > -1", 5), ("x < 1e19", 4), ("isin(x, [18446744073709551615, -1, 7])", 2),
                                ("between(x, 9223372036854775807, 9223372036854775808)", 2), ("x == y", 2),
                                ("x > y", 3), ("x // 2 > 4611686018427387903", 2), ("x + 1 == 0", 1), ("x >= max(x)", 1)):
        assert count(condition) == str(expected), condition
    stats = json.loads(sh.run("stats", "x.npy", "--json").stdout)
    assert (stats["min"], stats["max"]) == (0, 2**64 - 1)
    sh.run("fill", "x.npy", "-w", "x == 7", "--value", "18446744073709551614", "-o", "f.npy")
    assert sh.load("f.npy").tolist() == [0, 2**64 - 2, 2**63 - 1, 2**63, 2**64 - 1]
    sh.path("x.csv").write_text("18446744073709551615\n3\n")
    sh.run("select", "x.csv", "--dtype", "uint64", "-w", "x > 9223372036854775807", "-o", "s.npy")
    assert sh.load("s.npy").dtype == "u8" and sh.load("s.npy").tolist() == [2**64 - 1]
