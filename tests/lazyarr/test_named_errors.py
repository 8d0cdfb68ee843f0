"""Errors name the function that was called, and what it was given."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazyarr as la

L = la.linalg
ZEROS, CUBE = np.zeros((2, 2)), np.zeros((2, 2, 2))

CASES: list[tuple[str, type[Exception], Callable[[], Any]]] = [
    ("add: expected 2 arrays, got 1", TypeError, lambda: la.add(1)),
    ("add: expected 2 arrays, got 0", TypeError, lambda: la.add(out=la.zeros(2))),
    ("add: expected 2 arrays and out, got 4 arguments", TypeError, lambda: la.add(1, 2, None, 3)),
    ("sqrt: expected 1 array, got 0", TypeError, lambda: la.sqrt()),
    ("sqrt: expected 1 array and out, got 3 arguments", TypeError, lambda: la.sqrt(1, None, 3)),
    ("sum: expected a dtype, got 'nonsense'", TypeError, lambda: la.sum(la.asarray(ZEROS), dtype="nonsense")),
    ("add: expected a dtype, got 'nonsense'", TypeError, lambda: la.add(la.asarray(ZEROS), 1, dtype="nonsense")),
    ("ufunc() got an unexpected keyword argument 'foo'", TypeError, lambda: la.add(1, 2, foo=3)),
    ("ufunc.reduce() missing 1 required", TypeError, lambda: la.add.reduce()),
    ("zeros: expected extents that are not negative, got shape (-1,)", ValueError, lambda: la.zeros(-1)),
    ("zeros: expected shape to be integers, got (2, 'a')", TypeError, lambda: la.zeros((2, "a"))),
    ("ones: expected extents", ValueError, lambda: la.ones((2, -1))),
    ("empty: expected shape to be integers", TypeError, lambda: la.empty("a")),
    ("zeros_like: expected extents", ValueError, lambda: la.zeros_like(ZEROS, shape=-1)),
    ("ones_like: expected shape", TypeError, lambda: la.ones_like(ZEROS, shape=1.5)),
    ("empty_like: expected extents", ValueError, lambda: la.empty_like(ZEROS, shape=-1)),
    ("full_like: expected extents", ValueError, lambda: la.full_like(ZEROS, 1, shape=-1)),
    ("full: expected extents", ValueError, lambda: la.full(-1, 0)),
    ("transpose: duplicate value in axis (0, 0)", ValueError, lambda: la.transpose(ZEROS, (0, 0))),
    ("transpose: axis 5 is out of bounds", IndexError, lambda: la.asarray(ZEROS).transpose(0, 5)),
    ("transpose: expected 2 axes", ValueError, lambda: la.transpose(ZEROS, (0,))),
    ("permute_dims: expected 2 axes", ValueError, lambda: la.permute_dims(la.asarray(ZEROS), (0,))),
    ("allclose: expected operands whose shapes broadcast together, got (3,), (4,)", ValueError,
     lambda: la.allclose(np.zeros(3), np.zeros(4))),
    ("isclose: expected operands", ValueError, lambda: la.isclose(np.zeros(3), np.zeros(4))),
    ("allclose: expected an array, or numbers, got 'a'", TypeError, lambda: la.allclose("a", ZEROS)),
    ("sum: expected an array, or numbers, got None", TypeError, lambda: la.sum(None)),
    ("sqrt: expected an array, or numbers, got [1, 'a']", TypeError, lambda: la.sqrt([1, "a"])),
    ("asarray: dtype object is not supported", TypeError, lambda: la.asarray(np.array([None]))),
    ("asarray: expected numbers that become float64, got 'a'", ValueError, lambda: la.asarray("a", "float64")),
    ("sum: expected numbers that become float64, got 'a'", ValueError, lambda: la.sum(ZEROS, initial="a")),
    ("sum: expected where to be a mask, an array of bools, got 'yes'", TypeError, lambda: la.sum(ZEROS, where="yes")),
    ("var: expected ddof to be a number, got '1'", TypeError, lambda: la.var(ZEROS, ddof="1")),
    ("split: expected a position to be a whole number, got 'a'", TypeError, lambda: la.split(ZEROS, "a")),
    ("split: expected a number of parts, or positions, got 1.5", TypeError, lambda: la.split(ZEROS, 1.5)),
    ("roll: expected shift to be whole numbers, got 'a'", TypeError, lambda: la.roll(ZEROS, "a")),
    ("round: expected decimals to be a whole number, got 'a'", TypeError, lambda: la.round(ZEROS, "a")),
    ("permutation: expected x to be a whole number, got 'a'", TypeError,
     lambda: la.random.default_rng(0).permutation("a")),
    ("matrix_power: expected n to be a whole number, got 1.5", TypeError, lambda: L.matrix_power(np.eye(3), 1.5)),
    ("linspace: expected start to be a number, or an array, got 'a'", TypeError, lambda: la.linspace("a", 1)),
    ("quantile: expected q to be real numbers, got 'a'", TypeError, lambda: la.quantile(ZEROS, "a")),
    ("histogram: expected real numbers, got complex128", TypeError, lambda: la.histogram(np.zeros(3) + 1j)),
    ("lexsort: expected a sequence of one or more keys, got 3", TypeError, lambda: la.lexsort(3)),
    ("trace: expected two or more dimensions, got shape (3,)", ValueError, lambda: la.trace(np.zeros(3))),
    ("histogram: expected bins to be a whole number, got 2.5", TypeError, lambda: la.histogram(ZEROS, bins=2.5)),
    ("fft: expected n to be a whole number, got 'a'", TypeError, lambda: la.fft.fft(ZEROS, n="a")),
    ("trace: expected offset to be a whole number, got 'a'", TypeError, lambda: la.trace(ZEROS, "a")),
    ("nditer: expected op_axes to be a list of lists of axes, or of None, got 3", TypeError,
     lambda: la.nditer(ZEROS, op_axes=3)),
    ("solve: expected b to have 3 rows, as a has, got shapes (3, 3) and (4,)", ValueError,
     lambda: L.solve(np.eye(3), np.zeros(4))),
    ("lift.reduce: expected f to be a function of 2 arguments, got one of (a): lift.reduce(f, init, xs)", TypeError,
     lambda: la.lift.reduce(lambda a: a, 0, ZEROS)),
    ("apply_along_axis: expected func1d to be a function, got 3", TypeError,
     lambda: la.apply_along_axis(3, 0, ZEROS)),
    ("norm: expected ord to be 'fro'", ValueError, lambda: L.norm(ZEROS, ord="foo")),
    ("norm: expected ord to be a number", ValueError, lambda: L.norm(np.zeros(3), ord="foo")),
    ("matrix_norm: expected ord to be 'fro'", ValueError, lambda: L.matrix_norm(ZEROS, ord=3)),
    ("vector_norm: expected ord to be a number", ValueError, lambda: L.vector_norm(ZEROS, ord="fro")),
    ("ravel_multi_index: index 5 is out of bounds for axis 1 with size 3", ValueError,
     lambda: la.ravel_multi_index(([0, 1], [2, 5]), (4, 3))),
    ("ravel_multi_index: index -1 is out of bounds for axis 0", ValueError,
     lambda: la.ravel_multi_index((-1, 0), (4, 3))),
    ("unravel_index: index 99 is out of bounds for an array of 12 elements", ValueError,
     lambda: la.unravel_index([3, 99], (4, 3))),
    ("choose: index 2 is out of bounds for 2 choices", ValueError, lambda: la.choose([0, 2], [ZEROS[0], ZEROS[0]])),
    ("add.reduceat: index 3 is out of bounds for axis 0 with size 2", IndexError,
     lambda: la.add.reduceat(ZEROS, [0, 3])),
]  # fmt: skip


@pytest.mark.parametrize(("message", "error", "call"), CASES, ids=[case[0] for case in CASES])
def test_the_function_that_was_called_is_named(message, error, call):
    with pytest.raises(error) as raised:
        call()
    assert str(raised.value).startswith(message)


def test_signatures_say_which_operands_are_needed():
    assert list(inspect.signature(la.add).parameters)[:3] == ["x1", "x2", "out"]
    assert inspect.signature(la.add).parameters["x2"].default is inspect.Parameter.empty
    assert "more" not in inspect.signature(la.sqrt).parameters


def test_norms_of_right_orders_are_as_before():
    for order in ("fro", "nuc", None, 1, -1, 2, -2, np.inf, -np.inf):
        x = np.arange(4.0).reshape(2, 2)
        np.testing.assert_allclose(L.norm(la.asarray(x), ord=order), np.linalg.norm(x, ord=order), rtol=1e-12)
