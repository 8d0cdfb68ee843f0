"""Operands that NumPy refuses, or leaves to the other operand: the same error here, and at once."""

from __future__ import annotations

import operator
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr import lift
from tests.lazyarr.evaluation import interpreted
from tests.lazyarr.support import check


class _Prior:
    """What NumPy's arrays leave operations to."""

    __array_priority__ = 1000

    def __radd__(self, other: Any) -> str:
        return "its own"

    __rmatmul__ = __radd__


class _Quantity:
    """What answers NumPy's functions itself."""

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, out: Any = (), **axes: Any) -> Any:
        return ufunc.__name__, method, len(inputs), len(out)

    def __radd__(self, other: Any) -> str:
        raise AssertionError

    __rmatmul__ = __radd__


class _Apart:
    """What wants no function of NumPy's."""

    __array_ufunc__ = None

    def __radd__(self, other: Any) -> str:
        return "its own"


@pytest.mark.parametrize("number", [False, True])
def test_in_place_operators_leave_to_others_what_numpys_do(number: bool) -> None:
    for xp in (la, np):
        x = xp.ones(3)
        x = x.sum() if number else x
        assert operator.iadd(x, _Prior()) == "its own"
    for xp in (la, np):
        with pytest.raises(TypeError, match=r"__array_ufunc__=None"):
            operator.iadd(xp.ones(3), _Apart())
    assert la.ones(3) + _Apart() == la.ones(3).sum() + _Apart() == "its own"
    for xp in (la, np):
        assert operator.imatmul(xp.ones((3, 3)), _Prior()) == "its own"
        assert operator.iadd(xp.ones(3), _Quantity()) == ("add", "__call__", 2, 1)
        assert operator.imatmul(xp.ones((3, 3)), _Quantity()) == ("matmul", "__call__", 2, 1)
        n = xp.arange(4).max()
        assert operator.iadd(n, _Apart()) == "its own"
        assert operator.imul(n, [1, 2]) == [1, 2] * 3
        assert operator.imul(n, "ab") == "ababab"


def test_known_negative_powers_of_integers_raise_before_anything_is_written() -> None:
    for length in (2, 100_000):
        base, powers = np.arange(length), np.resize(np.array([-1, 2]), length)
        x, p = la.asarray(base), la.asarray(powers)
        y = x.copy()
        for f in (
            lambda x=x, p=p: x**p,
            lambda p=p: 2**p,
            lambda x=x, p=p: (x + 1) ** p,
            lambda x=x: x ** la.asarray([-1]),
            lambda x=x, powers=powers: np.power(x, powers),
            lambda p=p: np.int8(2) ** p,
            lambda y=y, p=p: operator.ipow(y, p),
        ):
            for _ in range(3):  # recorded, and played back
                with pytest.raises(ValueError, match="negative integer powers"):
                    f()
        assert la.array_equal(y, base)
        assert la.array_equal(2.0**p, 2.0**powers)
        assert la.array_equal(x ** la.abs(p), base ** np.abs(powers))
        assert la.array_equal(x ** la.abs(p), base ** np.abs(powers))


def test_negative_powers_that_are_not_used_are_no_error() -> None:
    for xp in (la, np):
        x, p = xp.asarray([2, 3]), xp.asarray([-1, 2])
        for power in (xp.pow, np.power):
            out = xp.zeros(2, dtype=x.dtype)
            assert power(x, p, where=p >= 0, out=out).tolist() == [0, 9]
        assert (xp.zeros((0, 2), dtype=x.dtype) ** p).shape == (0, 2)
        for base in (300, 2**70):  # which the powers' dtype does not hold
            with pytest.raises(OverflowError):
                base ** xp.asarray([-1], dtype="int8")


@interpreted()
def test_a_mask_and_slices_of_more_dimensions_than_there_are() -> None:
    for shape, mask, rest in (
        ((2, 3), (2, 3), (slice(None),)),
        ((2, 3), (2,), (slice(None), slice(None))),
        ((2, 3), (2,), (..., ...)),
    ):
        for value in (1, np.ones(mask[-1])):
            for xp in (la, np):
                x = xp.zeros(shape)
                with pytest.raises(IndexError):
                    x[(xp.ones(mask, dtype=bool), *rest)] = value
    for rest in ((...,), (slice(None), ...), (..., slice(None))):
        x = la.zeros((2, 3))
        x[(la.asarray([True, False]), *rest)] = 1
        assert x.tolist() == [[1, 1, 1], [0, 0, 0]]


@pytest.mark.parametrize("beyond", [2**63, -(2**63) - 1, 2**70])
def test_bools_are_no_more_compared_with_huge_integers_than_added_to_them(beyond: int) -> None:
    for compare in (operator.lt, operator.ge, operator.eq, operator.add):
        for x in (np.array([True, False]), la.asarray([True, False]), la.asarray([True, False] * 50_000)):
            with pytest.raises(OverflowError):
                compare(x, beyond)
            with pytest.raises(OverflowError):
                compare(beyond, x)
    assert (la.asarray([1, 2]) < 2**70).all()  # of integers NumPy knows the answer


@pytest.mark.parametrize("text", ["a", b"a", bytearray(b"a")])
def test_texts_are_repeated_by_numbers_alone(text: Any) -> None:
    for x in (la.asarray(10**15), la.arange(3), la.asarray([[1.0]])):
        with pytest.raises(TypeError, match="expected arrays and numbers"):
            text * x
        with pytest.raises(TypeError, match="expected arrays and numbers"):
            x * text
    assert text * la.arange(4).max() == text * 3 == la.arange(4).max() * text
    assert ([1, 2] * la.asarray(2)).tolist() == (np.asarray(2) * [1, 2]).tolist() == [2, 4]
    assert ([1, 2] * la.asarray([3, 4])).tolist() == [3, 8]


def test_an_identity_has_no_kernel_and_is_told_so() -> None:
    x = la.arange(3.0)
    assert "no kernel" in str(lift.explain(lambda x: x, x)).splitlines()[-1]
    with pytest.raises(ValueError, match="map id xs"):
        lift.derive(lambda x: x, x)


def test_unpackbits_leaves_out_no_more_than_there_is() -> None:
    packed = np.array([3, 5], dtype=np.uint8)
    for count in (-16, -15):
        assert np.asarray(la.unpackbits(la.asarray(packed), count=count)).tolist() == [0] * (16 + count)
    for xp in (np, la):
        with pytest.raises(ValueError, match="count"):
            xp.unpackbits(xp.asarray(packed), count=-17)


REFUSED = {
    "a fraction below complex": lambda xp: Fraction(1, 2) < xp.zeros(2, dtype=complex),
    "an object below": lambda xp: xp.zeros(2) < object(),
    "ravel in nothing": lambda xp: xp.ravel_multi_index(xp.zeros((3, 1), dtype=int), (2, 1, 0), mode="clip"),
    "ravel in nothing, wrapped": lambda xp: xp.ravel_multi_index(xp.zeros((3, 1), dtype=int), (2, 1, 0), mode="wrap"),
    "unravel several without dimensions": lambda xp: xp.unravel_index([0], ()),
    "copyto by integers": lambda xp: xp.copyto(xp.arange(3), 1, where=xp.asarray([1, 0, 2])),
    "put by integers": lambda xp: xp.add(xp.arange(3), 1, out=xp.arange(3), where=xp.asarray([1, 0, 2])),
    "reduce by integers": lambda xp: xp.add.reduce(xp.arange(3), where=xp.asarray([1, 0, 2])),
    "nanmean by integers": lambda xp: xp.nanmean(xp.arange(3.0), where=xp.asarray([1, 0, 2])),
    "reshape, copy": lambda xp: xp.arange(4).reshape(2, 2, copy="False"),
    "array, copy": lambda xp: xp.array([1, 2], copy="False"),
    "reshape to 65": lambda xp: xp.arange(1).reshape((1,) * 65),
    "expand_dims to 65": lambda xp: xp.expand_dims(xp.zeros((1,) * 64), 0),
    "indices": lambda xp: xp.indices((3,), dtype=bool),
    "zeros, order": lambda xp: xp.zeros(3, order="Q"),
    "ones, order": lambda xp: xp.ones(3, order="K"),
    "empty_like, order": lambda xp: xp.empty_like(xp.zeros(3), order="Q"),
    "astype, order": lambda xp: xp.zeros(3).astype("float32", order="Q"),
    "copy, order": lambda xp: xp.copy(xp.zeros(3), order="Q"),
    "copy of one, order": lambda xp: xp.zeros(3).copy("Q"),
    "order without a copy": lambda xp: xp.array(xp.zeros((2, 3)).T, order="C", copy=False),
    "einsum, order": lambda xp: xp.einsum("i->i", xp.zeros(3), order="Q"),
    "eye, order": lambda xp: xp.eye(3, order="Q"),
    "ndarray, strides": lambda xp: xp.ndarray((2, 3), strides=(100, 8)),
    "view of a number": lambda xp: xp.array(3, dtype="int32").view("int16"),
    "cov of bools": lambda xp: xp.cov(xp.arange(6).reshape(2, 3), dtype=bool),
    "cov, ddof": lambda xp: xp.cov(xp.arange(6).reshape(2, 3), ddof=1.2),
    "cov, fweights": lambda xp: xp.cov(xp.arange(3.0), fweights=xp.asarray([1, -4, 1])),
    "cov, aweights": lambda xp: xp.cov(xp.arange(3.0), aweights=[1.0, -4.0, 1.0]),
    "correlate": lambda xp: xp.correlate(xp.asarray(2.0), xp.asarray([3.0, 1.0])),
    "bincount": lambda xp: xp.bincount(xp.zeros(0)),
    "percentile": lambda xp: xp.percentile(xp.arange(4.0), xp.zeros((1, 2, 3))),
    "power of a polynomial": lambda xp: xp.poly1d([1, 2]) ** -1,
}


@pytest.mark.parametrize("case", REFUSED)
def test_arguments_that_numpy_refuses(case: str) -> None:
    with pytest.raises((TypeError, ValueError)) as theirs:
        REFUSED[case](np)
    with pytest.raises((TypeError, ValueError)) as ours:
        REFUSED[case](la)
    assert isinstance(ours.value, TypeError) == isinstance(theirs.value, TypeError)


TAKEN = {
    "reduce by a list": lambda xp: xp.sum(xp.arange(3), where=[1, 0, 2]),
    "roll by a float": lambda xp: xp.roll(xp.arange(5), -1.7),
    "repeat by bools": lambda xp: xp.repeat(xp.arange(3), xp.asarray([True, False, True])),
    "order f": lambda xp: xp.arange(6).reshape(2, 3, order="f"),
    "ravel f": lambda xp: xp.arange(6).reshape(2, 3).ravel("f"),
    "unravel bools": lambda xp: xp.unravel_index(xp.asarray([True, False]), (2, 2))[1],
    "ravel bools": lambda xp: xp.ravel_multi_index((xp.asarray([True, False]), xp.asarray([True, True])), (2, 2)),
    "no order": lambda xp: xp.ravel_multi_index([xp.arange(2)] * 2, (8, 4), mode="wrap", order=None),
    "view of a number": lambda xp: xp.array(3, dtype="int32").view("float32"),
    "full of a complex number": lambda xp: xp.full(2, 1.5 + 2j, dtype="int32"),
    "equal to an object": lambda xp: xp.arange(3) == object(),
    "equal to a fraction": lambda xp: xp.arange(3) / 2 == Fraction(1, 2),
    "unlike a decimal": lambda xp: xp.arange(3) != Decimal(1),
    "below a fraction": lambda xp: xp.arange(3) / 2 < Fraction(1, 2),
    "not below a fraction": lambda xp: xp.arange(3) >= Fraction(3, 2),
    "above a decimal": lambda xp: Decimal("1.5") < xp.arange(3.0) * 1,
    "a sum beside a decimal": lambda xp: xp.arange(3.0).sum() <= Decimal(3),
    "a decimal equal to one": lambda xp: Decimal(1) == xp.arange(3.0).sum() - 2,
    "order of NumPy's letters": lambda xp: xp.zeros((2, 3), order=np.str_("F")),
    "more than 64 bits": lambda xp: xp.multiply(xp.arange(3.0), 2**70, dtype="float32"),
    "unlike a dict": lambda xp: xp.arange(3) != {},
    "a polynomial of one": lambda xp: xp.polyval([1, 2, 4], xp.poly1d([1, 3])).coeffs,
    "a polynomial times a number": lambda xp: (xp.poly1d(xp.asarray([1, 2], dtype="int8")) * 2).coeffs,
}


@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
@pytest.mark.parametrize("case", TAKEN)
def test_arguments_that_numpy_takes(case: str) -> None:
    check(TAKEN[case](la), TAKEN[case](np))
