"""Elements of arrays as arguments of functions that make arrays: what recorded calls give, without recording."""

from __future__ import annotations

import numpy as np
import pytest

import lazyarr as la
from lazyarr.eager.operations import recording_only

CALLS = {
    "arange": lambda xp, e, f, y: xp.arange(e, f),
    "arange by a step": lambda xp, e, f, y: xp.arange(e, f, 0.25),
    "arange of one": lambda xp, e, f, y: xp.arange(f),
    "linspace": lambda xp, e, f, y: xp.linspace(e, f, 5),
    "full": lambda xp, e, f, y: xp.full((3,), e),
    "full of a dtype": lambda xp, e, f, y: xp.full((2, 3), f, dtype=e.dtype),
    "full like": lambda xp, e, f, y: xp.full_like(y, e),
    "array": lambda xp, e, f, y: xp.array([1, e]),
    "array of floats": lambda xp, e, f, y: xp.array([0.5, e, f, 2]),
    "array of bools": lambda xp, e, f, y: xp.array([True, e]),
    "array of elements": lambda xp, e, f, y: xp.array([e, f, e]),
    "array of rows": lambda xp, e, f, y: xp.array([[e, 1], [2, f]]),
    "array of a dtype": lambda xp, e, f, y: xp.array([e, 2], dtype="float32"),
    "array of large numbers": lambda xp, e, f, y: xp.array([e, 2**53 + 1]),
    "array beyond int64": lambda xp, e, f, y: xp.array([e, 2**63]),
    "roll": lambda xp, e, f, y: xp.roll(y, e),
    "roll along": lambda xp, e, f, y: xp.roll(y, e, 1),
    "roll by a tuple": lambda xp, e, f, y: xp.roll(y, (1, -4), (0, 1)),
    "roll by a list": lambda xp, e, f, y: xp.roll(y, [1, -4], (1, 0)),
    "roll along none": lambda xp, e, f, y: xp.roll(y, 2, 5),
    "roll by a float": lambda xp, e, f, y: xp.roll(y, 1.5),
    "r_": lambda xp, e, f, y: xp.r_[e:f, 7],
    "r_ by a step": lambda xp, e, f, y: xp.r_[0 : f : e + 1, 7.5],
}
DTYPES = ["int64", "float64", "int8", "uint8", "uint64", "float32", "bool"]
BY_ELEMENTS = ("roll", "roll along")
ODD = {"roll by a float", "array beyond int64"}
"""Where lazyarr says that it does otherwise than NumPy."""


def outcome(function):
    """What a function gives, or the kind of its error."""
    try:
        found = function()
        return found.dtype.name, np.asarray(found).shape, np.asarray(found).tobytes(), la.asarray(found).is_number
    except (IndexError, OverflowError, TypeError, ValueError, ZeroDivisionError) as error:
        return type(error).__name__


def given(xp, pair, dtype):
    values = xp.asarray(np.array(pair, dtype=dtype)) + (0 if dtype != "bool" else False)
    y = xp.asarray(np.arange(12.0).reshape(3, 4)) * 1.0
    if xp is la:
        la.compute(values, y)
    return values[0], values[1], y


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", CALLS)
def test_calls_give_what_recorded_ones_do(name, dtype):
    for pair in ((1, 6), (6, 1), (0, 0), (2, 3)):
        with recording_only:
            recorded = outcome(lambda pair=pair: CALLS[name](la, *given(la, pair, dtype)))
        found = outcome(lambda pair=pair: CALLS[name](la, *given(la, pair, dtype)))
        assert found == recorded
        if dtype in ("int64", "float64") and name not in ODD and not (dtype == "float64" and name in BY_ELEMENTS):
            numpys = outcome(lambda pair=pair: CALLS[name](np, *given(np, pair, dtype)))
            assert found[:3] == numpys[:3]


@pytest.mark.parametrize("dtype", ["int64", "float64"])
@pytest.mark.parametrize("name", sorted({*CALLS} - ODD - {"array of a dtype", "array of bools", "roll along none"}))
def test_they_are_eager(name, dtype):
    if dtype == "int64" or name not in BY_ELEMENTS:
        assert CALLS[name](la, *given(la, (2, 6), dtype)).value is not None


def test_what_is_made_is_of_its_own():
    e, _, y = given(la, (2, 6), "float64")
    made = [la.full((2,), e), la.array([1, e]), la.roll(y, 0), la.roll(y, la.asarray(1))]
    e_was, y_was = float(e), y.tolist()
    for x in made:
        x[...] = -1.0
    assert (float(e), y.tolist()) == (e_was, y_was)
    for odd in (float("nan"), float("inf")):
        x = la.asarray([odd, 1.0]) * 1.0
        la.compute(x)
        assert np.array_equal(la.full((2,), x[0]), np.full(2, odd), equal_nan=True)
        with pytest.raises((ValueError, OverflowError)):
            la.arange(0.0, x[0])


def test_ranges_of_r_that_are_none_of_real_numbers():
    found = la.r_[1 + 0j : 3]
    assert (found.dtype, found.shape) == (np.complex128, (0,))
    start, stop, _ = given(la, (0, 1), "bool")
    for ask in (lambda: la.r_[start:stop], lambda: la.r_[0 : 2**65 : 2**63], lambda: la.r_[np.False_ : np.True_]):
        with pytest.raises(TypeError):
            ask()
