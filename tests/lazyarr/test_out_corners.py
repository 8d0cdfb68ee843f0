"""Corners of `out=`: shapes and dtypes, and results put into what they are made of."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.recording import replay
from tests.lazyarr.corners import as_numpy_does

pytestmark = pytest.mark.recording

INF = np.inf


# --- arrays for results -----------------------------------------------------------------------------------------------


X, V = np.arange(6.0).reshape(2, 3), np.arange(3.0)


INTO: dict[str, Callable[[Any, Any], Any]] = {
    "take": lambda m, out: m.take(m.asarray(X), [0, 1], 0, out=out),
    "compress": lambda m, out: m.compress([True, False], m.asarray(X), 0, out=out),
    "choose": lambda m, out: m.choose(m.asarray([0, 1, 0]), [m.asarray(V), m.asarray(V)], out=out),
    "concatenate": lambda m, out: m.concatenate([m.asarray(X), m.asarray(X)], out=out),
    "stack": lambda m, out: m.stack([m.asarray(X), m.asarray(X)], out=out),
    "sum": lambda m, out: m.sum(m.asarray(X), axis=0, out=out),
    "sum of all": lambda m, out: m.sum(m.asarray(X), out=out),
    "max": lambda m, out: m.max(m.asarray(X), axis=0, out=out),
    "any": lambda m, out: m.any(m.asarray(X), axis=0, out=out),
    "mean": lambda m, out: m.mean(m.asarray(X), axis=0, out=out),
    "std": lambda m, out: m.std(m.asarray(X), axis=0, out=out),
    "median": lambda m, out: m.median(m.asarray(X), axis=0, out=out),
    "nansum": lambda m, out: m.nansum(m.asarray(X), axis=0, out=out),
    "nanmean": lambda m, out: m.nanmean(m.asarray(X), axis=0, out=out),
    "trace": lambda m, out: m.trace(m.asarray(X), out=out),
    "ptp": lambda m, out: m.ptp(m.asarray(X), axis=0, out=out),
    "add.reduce": lambda m, out: m.add.reduce(m.asarray(X), axis=0, out=out),
    "multiply": lambda m, out: m.multiply(m.asarray(V), m.asarray(V), out=out),
    "vecdot": lambda m, out: m.vecdot(m.asarray(X), m.asarray(V), out=out),
    "quantile": lambda m, out: m.quantile(m.asarray(X), 0.25, axis=0, out=out),
}


@pytest.mark.parametrize("name", INTO)
def test_shapes_and_dtypes_of_out(name):
    shape = np.asarray(INTO[name](np, None)).shape
    for extents in {shape, (1, *shape), (4, *shape), (7,)}:
        for dtype in ("float64", "float32", "int64"):

            def call(m, extents=extents, dtype=dtype):
                out = m.zeros(extents, dtype=dtype)
                assert INTO[name](m, out) is out
                return out

            as_numpy_does(call, 1e-6)


@pytest.mark.parametrize("casting", ["no", "equiv", "safe", "same_kind", "unsafe"])
def test_what_concatenate_and_stack_put_into_out_follows_casting(casting):
    for dtype in ("complex64", "float32", "float64", "int64"):
        for name in ("concatenate", "stack"):

            def call(m, name=name, dtype=dtype):
                parts = m.asarray([1.5, 2.5]), m.asarray([3.5, 4.5])
                out = m.zeros((2, 2) if name == "stack" else 4, dtype=dtype)
                return getattr(m, name)(parts, out=out, casting=casting)

            as_numpy_does(call)


# --- results put into what they are made of ---------------------------------------------------------------------------


OVER: dict[str, Callable[[Any, Any, Any], Any]] = {
    "matmul": lambda m, x, out: m.matmul(x, m.asarray([[2.0, 1, 0], [0, 3, 1], [1, 1, 1]]), out=out),
    "matmul by position": lambda m, x, out: m.matmul(x, m.asarray([[2.0, 1, 0], [0, 3, 1], [1, 1, 1]]), out),
    "clip": lambda m, x, out: m.clip(x, 2, 7, out=out),
    "the method clip": lambda m, x, out: x.clip(2, 7, out=out),
    "round": lambda m, x, out: m.round(x, 0, out),
    "add": lambda m, x, out: m.add(x, 1, out=out),
    "cumsum": lambda m, x, out: m.cumsum(x, axis=0, out=out),
    "take": lambda m, x, out: m.take(x, [2, 0, 1], axis=0, out=out),
    "sum": lambda m, x, out: m.sum(x, axis=0, out=out[0]),
    "sum of a view": lambda m, x, out: m.sum(x, axis=1, out=out[:, 1]),
    "max": lambda m, x, out: m.max(x, axis=0, out=out[1]),
    "mean": lambda m, x, out: m.mean(x, axis=0, out=out[2]),
    "var": lambda m, x, out: m.var(x, axis=0, out=out[2]),
    "nansum": lambda m, x, out: m.nansum(x, axis=0, out=out[1]),
    "median": lambda m, x, out: m.median(x, axis=0, out=out[1]),
    "dot": lambda m, x, out: m.dot(x, m.asarray([[2.0, 1, 0], [0, 3, 1], [1, 1, 1]]), out),
}


PARTS = {
    "the same": (slice(0, 3), slice(0, 3)), "rows further down": (slice(0, 3), slice(1, 4)),
    "rows further up": (slice(1, 4), slice(0, 3)), "backwards": (slice(0, 3), slice(2, None, -1)),
}  # fmt: skip


OVERLAPS = [case for case in product(OVER, PARTS) if case != ("dot", "backwards")]  # which NumPy refuses


@pytest.mark.parametrize(("name", "parts"), OVERLAPS)
@pytest.mark.parametrize("offset", [0, 1])
@pytest.mark.parametrize("tier", ["auto", "reference"])
def test_a_result_that_is_put_into_an_operand_is_computed_once(name, parts, offset, tier, monkeypatch):
    """Also in a first call: nothing is known of earlier ones."""
    monkeypatch.setattr(replay, "_operations", replay._Operations())
    old = la.config(tier=tier, tune="off")
    source, target = PARTS[parts]

    def call(m):
        x = m.asarray(np.arange(12.0).reshape(4, 3) % 5 + 0.25)
        x = x + 1 if offset else x  # eager, and not
        OVER[name](m, x[source], x[target])
        return x

    try:
        as_numpy_does(call, 1e-12)
    finally:
        la.config(**vars(old))


@pytest.mark.parametrize("to", ["float64", "complex64", "float32", "int64"])
@pytest.mark.parametrize("keywords", [{}, {"where": [True, False, True]}], ids=str)
def test_means_are_computed_in_what_out_needs(to, keywords):
    x = np.array([1e38, 2e38, 3e38] if to == "float64" else [1.5, 2.5, 3.5], "float32")
    found, expected = la.zeros((), dtype=to), np.zeros((), to)
    assert la.mean(la.asarray(x), out=found, **keywords) is found
    if to == "int64":  # NumPy cuts the sum and the quotient
        expected[()] = x[keywords.get("where", ...)].mean()
    else:
        np.mean(x, out=expected, **keywords)
    np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-6)


@pytest.mark.parametrize("to", ["float64", "float32", "int64", "bool"])
def test_means_of_whole_numbers_are_cut_by_out_alone(to):
    x = np.array([[0, 1, 2, 3], [1, 1, 0, 0]])
    found, expected = la.zeros(2, dtype=to), np.zeros(2, to)
    la.mean(la.asarray(x), axis=1, dtype="int32", out=found)
    np.mean(x, axis=1, dtype="int32", out=expected)
    np.testing.assert_array_equal(np.asarray(found), expected)
