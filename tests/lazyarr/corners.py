"""A call compared with NumPy: the value, dtype and shape, or that both refuse."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import lazyarr as la

Call = Callable[[Any], Any]


def outcome(call: Call, namespace: Any) -> Any:
    """What a call gives with a namespace's functions: an array, or the error that it raises."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return np.asarray(call(namespace))
        except (ValueError, TypeError, IndexError, OverflowError) as error:
            return error


def as_numpy_does(call: Call, tolerance: float = 0.0) -> None:
    """Does the call give what it gives with NumPy's functions, the first time and again?"""
    expected = outcome(call, np)
    for _ in range(2):
        found = outcome(call, la)
        if isinstance(expected, Exception):
            assert isinstance(found, Exception), f"NumPy raises {expected!r}, this gave {found!r}"
            continue
        assert not isinstance(found, Exception), found
        assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
        np.testing.assert_allclose(found, expected, rtol=tolerance, atol=0)
