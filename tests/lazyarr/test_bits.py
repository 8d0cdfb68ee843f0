"""Bits packed, unpacked and counted, and bytes seen as other dtypes, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import lazyarr as la
from tests.lazyarr.evaluation import interpreted
from tests.lazyarr.support import check

BITS = np.array([[1, 0, 3, 0, 0, 1, 1, 0, 1, 0, 2], [0, 0, 0, 1, 1, 1, 1, 0, 0, 1, 0]])


@pytest.mark.parametrize("order", ["big", "little"])
@pytest.mark.parametrize("axis", [None, 0, 1])
@interpreted()
def test_packed_and_unpacked(order, axis):
    packed = np.packbits(BITS, axis=axis, bitorder=order)
    check(la.packbits(la.asarray(BITS), axis=axis, bitorder=order), packed)
    for count in (None, 5, 20, -3):
        expected = np.unpackbits(packed, axis=axis, count=count, bitorder=order)
        check(la.unpackbits(la.asarray(packed), axis=axis, count=count, bitorder=order), expected)
    with pytest.raises(TypeError, match="packbits"):
        la.packbits(la.zeros(3))


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int16", "int32", "uint32", "int64", "uint64"])
@interpreted()
def test_counted(dtype):
    info = (0, 1) if dtype == "bool" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    x = np.array([0, 1, *info, info[1] // 3, info[1] // 7], dtype)
    check(la.bitwise_count(la.asarray(x)), np.bitwise_count(x))
    out = la.full(x.shape, 77, dtype="uint8")
    la.bitwise_count(la.asarray(x), out=out, where=la.asarray(x) > 1)
    check(out, np.where(x > 1, np.bitwise_count(x), np.uint8(77)))


@pytest.mark.parametrize(
    ("dtype", "other"),
    [("float32", "int32"), ("float64", "uint64"), ("int8", "uint8"), ("int32", "float32"), ("float64", "uint8"),
     ("complex64", "float32"), ("uint8", "int32")],
)  # fmt: skip
def test_bytes_as_another_dtype(dtype, other):
    x = (np.arange(24).reshape(3, 8) * 37.5 - 100).astype(dtype)
    check(la.asarray(x).view(other), x.view(other))
    with pytest.raises(ValueError, match=r"divisor|divisible|size"):
        la.asarray(np.arange(3, dtype="int8")).view("int32")


@pytest.mark.parametrize("size", [8, 100_000])
@pytest.mark.parametrize("dtype", ["uint16", "int64", "float32", "complex64"])
def test_bytes_in_another_order(dtype, size):
    x = (np.arange(size) % 251).astype("uint8").view(dtype)
    other = x.dtype.newbyteorder()
    given = la.asarray(x.view("uint8"))
    for name in (other, other.str):
        with pytest.raises(TypeError, match=rf"view: dtype '{other.str}' .*view\('{dtype}'\)\.byteswap\(\)"):
            given.view(name)
    with pytest.raises(TypeError, match="view: dtype"):
        given.view(dtype).view(dtype=other)
    check(given.view(dtype).byteswap(), x.view("uint8").view(other).astype(dtype))
    check(given.view(x.dtype.newbyteorder("=")), x)
    check(given.view(np.dtype("u1").newbyteorder()), x.view("uint8"))
    check(la.asarray(x).astype(other), x)
    check(la.frombuffer(x.tobytes(), other), x.view(other).astype(dtype))
    assert la.asarray(x).astype(other).byteswap().tobytes() == x.astype(other).tobytes()


def test_a_view_without_a_dtype_is_a_view():
    x = la.zeros(3)
    y = x.view()
    y[0] = 2.0
    assert x.tolist() == [2, 0, 0]
    assert y.base is x
    assert x.base is None
    assert x.flags["C_CONTIGUOUS"]
    assert x.flags.writeable


@pytest.mark.parametrize("name", ["add", "multiply", "maximum"])
@interpreted()
def test_reduceat(name):
    x = np.arange(24.0).reshape(4, 6) % 5
    for indices, axis in (([0, 2, 4], 1), ([3, 1, 1, 5], 1), ([0, 3], 0)):
        expected = getattr(np, name).reduceat(x, indices, axis=axis)
        check(getattr(la, name).reduceat(la.asarray(x), indices, axis=axis), expected)
    with pytest.raises(IndexError, match="reduceat"):
        la.add.reduceat(x, [9])


@interpreted()
def test_out_of_functions_that_are_no_ufuncs():
    x = np.arange(12.0).reshape(3, 4)
    for f in (
        lambda xp, x, out: xp.concatenate([x, x], axis=1, out=out),
        lambda xp, x, out: xp.stack([x[:, 0], x[:, 1]], out=out),
        lambda xp, x, out: xp.take(x, [2, 0], axis=0, out=out),
        lambda xp, x, out: xp.dot(x, x.T, out=out),
        lambda xp, x, out: xp.einsum("ij->j", x, out=out),
        lambda xp, x, out: xp.cumsum(x, axis=1, out=out),
        lambda xp, x, out: xp.median(x, axis=0, out=out),
        lambda xp, x, out: xp.argmax(x, axis=0, out=out),
        lambda xp, x, out: xp.trace(x, out=out),
    ):
        expected = np.asarray(f(np, x, None))
        out = la.zeros(expected.shape, dtype=expected.dtype)
        assert f(la, la.asarray(x), out) is out
        check(out, expected)
    with pytest.raises(ValueError, match="concatenate"):
        la.concatenate([x, x], out=la.zeros((2, 2)))


def test_single_elements_are_keys_and_round():
    x = la.asarray([3, 5])
    assert {3: "a", 5: "b"}[x[1]] == "b"
    assert x[0] in {3}
    assert round(la.asarray(2.567), 1).item() == 2.6
    assert type(round(la.asarray(2.567))) is int
    with pytest.raises(TypeError, match="unhashable"):
        hash(x)
