"""Asking a traced value for its value raises an error that names the user's line and what to use instead."""

from __future__ import annotations

import re

import numpy as np
import pytest

import lazyarr as la
from lazyarr import lift
from lazyarr.array import placeholder
from lazyarr.errors import LazyarrError, TracingError
from lazyarr.graph.tracing import Trace

X = la.asarray(np.arange(6.0))


def traced(shape=(6,)):
    return placeholder(la.zeros(shape), Trace("step"))


def branch(x):
    if x > 0:  # this very line is named
        return x
    return -x


def test_a_branch_names_the_line_and_the_remedy():
    for f in (lambda: branch(traced(())), lambda: lift.map(branch, X)):
        with pytest.raises(TracingError) as caught:
            f()
        message = str(caught.value)
        line = branch.__code__.co_firstlineno + 1
        assert f"{__file__}:{line}: " in message
        assert "if x > 0:  # this very line is named" in message
        assert "la.where" in message
    assert issubclass(TracingError, LazyarrError)
    assert issubclass(TracingError, TypeError)


CONVERSIONS = {
    "bool": bool, "float": float, "int": int, "complex": complex, "array": np.asarray,
    "index": lambda v: [0, 1][v.astype("int64")],
    "range": lambda v: range(v.astype("int32")),
}  # fmt: skip
OF_ARRAYS = {
    "item": lambda v: v.item(),
    "tolist": lambda v: v.tolist(),
    "compute": la.compute,
    "iter": list,
    "numpy": lambda v: v.to_numpy(),
}


@pytest.mark.parametrize("name", [*CONVERSIONS, *OF_ARRAYS])
def test_every_conversion_of_a_traced_array(name):
    value = traced(()) if name != "iter" else traced()
    with pytest.raises(TracingError, match=r"step is being recorded") as caught:
        (CONVERSIONS | OF_ARRAYS)[name](value)
    assert __file__ in str(caught.value)


@pytest.mark.parametrize("name", CONVERSIONS)
def test_every_conversion_of_a_traced_element(name):
    with pytest.raises(TracingError, match=re.escape("lift")) as caught:
        lift.map(CONVERSIONS[name], X)
    assert __file__ in str(caught.value)


def test_rows_of_a_lambda_are_traced():
    m = X.reshape(2, 3)
    for f in (
        lambda row: float(la.sum(row)),
        lambda row: list(row),
        lambda row: np.asarray(row + 1),
        lambda row: bool(row[0]),
    ):
        with pytest.raises(TracingError):
            lift.map(f, m)
    with pytest.raises(TracingError):
        lift.reduce(lambda a, b: max(a, b), 0, X)
    with pytest.raises(TracingError, match="use as a slice bound"):
        lift.map(lambda row: row[: la.asarray(1) + row[0].astype("int64")], m)


def test_whatever_is_computed_from_a_traced_array_is_traced():
    x = traced((2, 3))
    derived = [
        x + 1, X.reshape(2, 3) + x, x.T, x[0], x.sum(), x @ x.T, la.where(x > 0, x, 0), x.reshape(-1),
        x.astype("int32"), x.mean(1), la.broadcast_to(x, (4, 2, 3)), lift.map(lambda row: row + 1, x), lift.map(lambda
        e: e + x, X), lift.reduce(la.add, 0, x), lift.unzip(lift.zip(x, x))[0], lift.map(lambda e: e + la.sum(x), X),
        x[:0], la.zeros(3) * x[0],
    ]  # fmt: skip
    for array in derived:
        assert array.tracing
        assert array.traced_in is x.traced_in
    assert not (X + 1).tracing
    assert not lift.map(lambda e: e + X, X).tracing


def test_shapes_and_dtypes_are_known():
    x = traced((2, 3))
    assert x.shape == (2, 3)
    assert len(x) == 2
    assert x.ndim == 2
    assert (x > 0).dtype == bool
    assert range(x.shape[1])[-1] == 2


def test_printing_computes_nothing():
    assert repr(traced()) == "<traced array of float64, shape (6,)>"
    assert str(traced()) == f"{traced()}"
    seen = []
    lift.map(lambda e: seen.append(repr(e)) or e, X)
    assert seen[0].startswith("<traced scalar float64")
