"""Integers wrap and floats become integers as in NumPy, in vector bodies as in scalar tails: through the public API."""

from __future__ import annotations

import operator
from collections.abc import Iterator

import numpy as np
import pytest

import lazyarr as la
from ir.core.notation.parser import parse
from ir.core.types import array_of, scalar
from ir.opencl.generate import generate
from lazyarr import config

pytestmark = pytest.mark.each

INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
SIGNED = INTEGERS[:4]
LENGTHS = (1, 7, 203)  # 203: whole vectors of any width, and a tail


@pytest.fixture(autouse=True)
def untuned(device) -> Iterator[None]:
    old = config.configure(tune="off", cache="off")
    yield
    config.configure(**vars(old))


def corners(dtype: str, length: int, shift: int = 0) -> np.ndarray:
    """The ends of the range and what lies near them, in turn."""
    info = np.iinfo(dtype)
    root = int(info.max**0.5)
    near = [
        info.max,
        info.min,
        info.max - 1,
        info.min + 1,
        0,
        1,
        2,
        3,
        7,
        root,
        root + 1,
        info.max // 2 + 1,
        info.max // 3,
    ]
    near += [-1, -2, -root] if info.min else []
    return np.array([near[(i + shift * (1 + i // len(near))) % len(near)] for i in range(length)], dtype)


def same(actual: la.Array, expected: np.ndarray) -> None:
    assert np.asarray(actual).dtype == expected.dtype
    np.testing.assert_array_equal(np.asarray(actual), expected)


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("op", [operator.add, operator.sub, operator.mul], ids=lambda op: op.__name__)
def test_arithmetic_wraps(op, dtype, length):
    with np.errstate(all="ignore"):
        for shift in range(4):
            a, b = corners(dtype, length), corners(dtype, length, shift)
            same(op(la.asarray(a), la.asarray(b)), op(a, b))


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("dtype", INTEGERS)
def test_one_operand_wraps(dtype, length):
    a = corners(dtype, length)
    x = la.asarray(a)
    same(la.abs(x), np.abs(a))
    same(-x, -a)
    same(la.square(x), np.square(a))
    same(la.pow(x, la.asarray(np.full(length, 3, dtype))), a ** np.full(length, 3, dtype))


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("dtype", SIGNED)
def test_a_compiler_may_not_reason_that_numbers_do_not_overflow(dtype, length):
    a = corners(dtype, length)
    x, one, two = la.asarray(a), np.dtype(dtype).type(1), np.dtype(dtype).type(2)
    with np.errstate(all="ignore"):
        same(x + 1 > x, a + one > a)
        same(x - 1 < x, a - one < a)
        same((x * 2) // 2, (a * two) // two)
        same(la.abs(x) >= 0, np.abs(a) >= 0)
        same(-x < 0, -a < 0)


@pytest.mark.parametrize("dtype", ["int32", "int64", "uint32"])
def test_sums_and_products_wrap(dtype):
    a = corners(dtype, 203)
    with np.errstate(all="ignore"):
        assert int(la.sum(la.asarray(a), dtype=dtype)) == int(a.sum(dtype=dtype))
        odd = a | np.dtype(dtype).type(1)
        assert int(la.prod(la.asarray(odd), dtype=dtype)) == int(odd.prod(dtype=dtype))


# Source -> target: numbers whose conversion is stated. Small integers wrap as long as an int32 holds the number.
STATED = {
    "int8": [300.7, -300.7, 2.0**31 - 200, -(2.0**31)], "uint8": [-1.5, 300.7, -(2.0**31)],
    "int16": [70000.5, -70000.5, 2.0**31 - 200, -(2.0**31)], "uint16": [-1.5, 70000.5, -(2.0**31)],
    "uint32": [3e9, -1.5, -3e9, 2.0**40 + 2.0**20, 2.0**62, -(2.0**63)],
    "int32": [-(2.0**31), 2.0**31 - 200], "int64": [-(2.0**63), 2.0**62],
    "uint64": [3e9, 2.0**63, 2.0**64 - 2.0**41, -1.5, -3e9, -(2.0**63)],
}  # fmt: skip


def as_integers(a: np.ndarray, dtype: str) -> np.ndarray:
    """Truncated and modulo the range, in Python's whole numbers."""
    bits = np.iinfo(dtype).bits
    unsigned = np.array([int(x) % 2**bits for x in a.tolist()], f"uint{bits}")
    return unsigned.view(dtype)


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("target", INTEGERS)
@pytest.mark.parametrize("source", ["float32", "float64"])
def test_floats_become_integers(source, target, length):
    numbers = [0.0, -0.0, 1.5, -0.5, 7.999, 100.25, *STATED[target]]
    a = np.array([numbers[(i * 5 + i // len(numbers)) % len(numbers)] for i in range(length)], source)
    same(la.asarray(a).astype(target), as_integers(a, target))


@pytest.mark.parametrize("target", INTEGERS)
@pytest.mark.parametrize("source", ["float32", "float64"])
def test_vector_body_and_scalar_tail_agree_on_all_numbers(source, target):
    odd = np.array([np.nan, np.inf, -np.inf, 1e20, -1e20, 2.0**32, -(2.0**32), 2.0**64], source)
    many = np.asarray(la.asarray(np.repeat(odd, 64)[:-1]).astype(target)).tolist()
    for number, x in enumerate(odd):
        (alone,) = np.asarray(la.asarray(np.array([x])).astype(target)).tolist()
        assert set(many[64 * number : 64 * number + 64]) == {alone}, x


def test_small_integers_narrow_like_numpy():
    a = np.random.default_rng(3).standard_normal(20_011) * 1000
    for target in ("int8", "uint8", "int16", "uint16"):
        same(la.asarray(a).astype(target), as_integers(a, target))


def test_float_code_has_no_casts():
    source = generate(parse("mapGlobal (λx. x * x + 1 - x) xs", {"xs": array_of(scalar("float32"), 64)})).source
    assert "= (((e0 * e0) + 1.0f) - e0);" in source
