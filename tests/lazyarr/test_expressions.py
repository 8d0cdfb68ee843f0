"""Expressions as they are typed for NumPy, each evaluated with NumPy and with lazyarr in its place.

They stand in `expressions.txt`, one in a line. Values are computed by the interpreter: what is compared is what the
names, parameters, dtypes, shapes and exceptions are.
"""

from __future__ import annotations

import collections
import copy
import decimal
import fractions
import functools
import io
import itertools
import json
import math
import operator
import pickle
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from tests.lazyarr import evaluation
from tests.lazyarr.support import OTHER_NUMPY

LINES = (Path(__file__).parent / "expressions.txt").read_text(encoding="utf-8").splitlines()
SCOPE = {
    module.__name__: module
    for module in (
        collections, copy, decimal, fractions, functools, io, itertools, json, math, operator, pickle,
    )
}  # fmt: skip


def sections() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for line in LINES:
        if line.startswith("# "):
            lines = found.setdefault(line.removeprefix("# "), [])
        else:
            lines.append(line)
    return found


def outcome(expression: str, module: Any) -> Any:
    """The value, or the exception that was raised."""
    try:
        return eval(expression, {**SCOPE, "np": module})  # expressions of this repository
    except Exception as error:
        return error


def kind(error: Exception) -> type:
    """The public class of an exception: NumPy's own ones derive from Python's."""
    public = (np.linalg.LinAlgError, np.exceptions.AxisError)
    return next(c for c in type(error).__mro__ if c.__module__ == "builtins" or c in public)


def differs(own: Any, theirs: Any) -> str | None:
    """What is different about two outcomes."""
    if isinstance(theirs, Exception) or isinstance(own, Exception):
        alike = isinstance(theirs, Exception) and isinstance(own, kind(theirs))
        return None if alike else f"{own!r} for {theirs!r}"
    if isinstance(theirs, (list, tuple)):
        if not isinstance(own, type(theirs).__mro__[-2]) or len(own) != len(theirs):
            return f"{own!r} for {theirs!r}"
        return next(filter(None, map(differs, own, theirs)), None)
    if isinstance(theirs, dict):
        return differs(list(own.items()), list(theirs.items()))
    if isinstance(theirs, (np.ndarray, np.generic)):
        value = np.asarray(own)
        if (value.dtype, value.shape) != (theirs.dtype, theirs.shape):
            return f"{value.dtype} {value.shape} for {theirs.dtype} {theirs.shape}"
        return None if np.allclose(value, theirs, 1e-9, 1e-12, equal_nan=True) else f"{value} for {theirs}"
    if isinstance(own, la.Array):
        return f"{own!r} for {theirs!r}"
    if theirs is None or isinstance(theirs, (bool, int, float, complex, str, bytes, bytearray, set, type)):
        return None if type(own) is type(theirs) and own == theirs else f"{own!r} for {theirs!r}"
    return None if type(own).__name__ == type(theirs).__name__ else f"{type(own)} for {type(theirs)}"


@pytest.mark.skipif(OTHER_NUMPY, reason="another NumPy raises other errors")
@pytest.mark.parametrize("section", sections())
@evaluation.interpreted()
def test_expressions_are_numpys(section):
    wrong = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for expression in sections()[section]:
            found = differs(outcome(expression, la), outcome(expression, np))
            if found:
                wrong.append(f"{expression}: {found}")
    assert not wrong, "\n".join(wrong)


def test_a_difference_is_found():
    assert differs(la.arange(3), np.arange(3.0)) and differs(la.arange(3), np.arange(4))
    assert differs(la.asarray([1, 2]), np.array([1, 3])) and differs(ValueError(), np.float64(1))
    assert differs(ValueError(), TypeError()) and differs(np.float64(1), ValueError())
    assert differs([1, 2], [1, 2, 3]) and differs({"a": 1}, {"a": 2}) and differs("a", "b") and differs(1, True)
