"""What tests of eager arrays share: arrays, and what is recorded in place of them."""

from __future__ import annotations

from unittest import mock

import numpy as np

import lazyarr as la
from lazyarr import config
from lazyarr.aliasing.views import become_eager
from lazyarr.recording import replay


def array(*shape: int, dtype: str = "float64") -> np.ndarray:
    count = int(np.prod(shape))
    return (np.arange(count)[::-1] * 3 % 17 - 4).astype(dtype).reshape(shape)


def eager(*shape: int, dtype: str = "float64") -> la.Array:
    """An eager array, and no view."""
    made = la.asarray(array(*shape, dtype=dtype))
    assert become_eager(made)
    return made


def recorded(function):
    """What a function gives where everything is recorded; the error's type and text where it raises."""
    la.config(tier="reference")
    config.eagerness.want(False)
    try:
        return np.asarray(function())
    except (ArithmeticError, IndexError, TypeError, ValueError) as error:
        return type(error), str(error)
    finally:
        la.config(tier="auto")


def by_numpy(function, *arguments):
    """What a function gives for eager arrays by NumPy's call, of which no expression is made."""
    made = AssertionError("an expression was made of it")
    with (
        mock.patch.object(replay, "carried_out", side_effect=made),
        mock.patch.object(replay, "_first", side_effect=made),
        mock.patch.object(replay, "RecordedCall", side_effect=made),
    ):
        found = function(*arguments)
    for each in found if isinstance(found, tuple) else (found,):
        assert each.value is not None
    return found


NUMBERS = {
    "float64": [0.0, -0.0, 1.5, -3.0, np.inf, -np.inf, np.nan, 1e308, 5e-324],
    "int64": [0, 1, -1, 7, -8, 2**63 - 1, -(2**63)],
    "uint8": [0, 1, 7, 8, 200, 255],
    "int8": [0, 1, -1, 7, 8, 100, -128, 127],
    "uint64": [0, 3, 2**64 - 1],
    "bool": [False, True],
    "float32": [0.0, 1.5, -2.0, np.inf],
}
