"""Sequences of BLAS (paper 003, table 1): in how many kernels they run, how many numbers those read and write, and that
the values are right.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

import lazyarr as la
from ir.core.types import shape_of
from ir.opencl.read.views import lengths_of
from lazyarr import lift
from lazyarr.compile.compiled import parameters
from lazyarr.config import configure
from lazyarr.runtime import default_device
from tests import oclgrind

ROWS, COLUMNS = 1030, 1021
MATRIX = ROWS * COLUMNS
FROM = 1 << 20
"""Elements from which on results are computed block by block."""


def bicgk(a, p, r):
    return a @ p, a.T @ r


def atax(a, p):
    return a.T @ (a @ p)


def sgemv(a, p, r):
    return 2 * (a @ p) + 3 * r


def gesummv(a, b, p):
    return 2 * (a @ p) + 3 * (b @ p)


def gemver_without_b(a, p, r):
    """Of a matrix that is computed, with a vector that is computed."""
    return (a + 1) @ (2 * p)


def array_and_sum(x):
    y = x * 2
    return y, y.sum()


def norm_and_scaled(x):
    y = x - 0.5
    return (y * y).sum(), y


def axpydot(w, v, u):
    z = w - 2.5 * v
    return z, (z * u).sum()


def scaled_and_norm(x):
    return x * 2, (x * x).sum()


def axpydot_of_scalar(w, v, u, a):
    z = w - a * v
    return z, z @ u


CASES = [
    # kernels, and passes over matrices (of MATRIX numbers) or vectors as long
    (bicgk, ("matrix", "row", "column"), 1, 1),
    (atax, ("matrix", "row"), 1, 1),
    (sgemv, ("matrix", "row", "column"), 1, 1),
    (gesummv, ("matrix", "matrix", "row"), 1, 2),
    (gemver_without_b, ("matrix", "row", "column"), 2, 1),
    (array_and_sum, ("vector",), 1, 2),
    (norm_and_scaled, ("vector",), 1, 2),
    (scaled_and_norm, ("vector",), 1, 2),
    (axpydot, ("vector", "vector", "vector"), 1, 4),
    (axpydot_of_scalar, ("vector", "vector", "vector", "number"), 1, 4),
]


def inputs(kinds, rows=ROWS, columns=COLUMNS):
    rng = np.random.default_rng(1)
    shapes = {
        "matrix": (rows, columns),
        "row": (columns,),
        "column": (rows,),
        "vector": (rows * columns,),
        "number": (),
    }
    return [np.asarray(rng.integers(-8, 8, shapes[kind])).astype(np.float32) for kind in kinds]


def moved(kernel) -> int:
    """The numbers that a kernel reads, each once, and writes, those that only it sees left out."""
    general = kernel.general
    read = (math.prod(n.evaluate(general.sizes) for n in shape_of(p.type)) for p in parameters(general))
    return sum(read) + sum(n.evaluate(general.sizes) for n in lengths_of(general.expr.type))


pytestmark = pytest.mark.device


@pytest.fixture(autouse=True)
def _defaults():
    """Kernels as they are without a search."""
    before = configure(tier="compiled", tune="off")
    yield
    configure(tier=before.tier, tune=before.tune)


@pytest.mark.parametrize(("f", "kinds", "kernels", "passes"), CASES, ids=[case[0].__name__ for case in CASES])
def test_kernels_and_passes(f, kinds, kernels, passes):
    assert MATRIX >= FROM
    arrays = inputs(kinds)
    found = lift.explain(f, *map(la.asarray, arrays)).kernels
    actual = lift.jit(f)(*map(la.asarray, arrays))
    assert len(found) == kernels
    assert sum(map(moved, found)) // MATRIX == passes
    expected = f(*(array.astype(np.float64) for array in arrays))
    for x, y in zip(*(v if isinstance(v, tuple) else (v,) for v in (actual, expected)), strict=True):
        np.testing.assert_allclose(np.asarray(x), y, rtol=1e-5, atol=1e-5 * np.max(np.abs(y)))


@pytest.mark.parametrize("f", [bicgk, array_and_sum], ids=lambda f: f.__name__)
def test_what_fits_in_the_cache_is_not_computed_in_blocks(f):
    kinds = next(case[1] for case in CASES if case[0] is f)
    found = lift.explain(f, *map(la.asarray, inputs(kinds, 300, 200))).kernels
    assert not any("blocks" in str(kernel.configuration) for kernel in found)


@pytest.mark.parametrize("dtype", ["float64", "int32", "int64"])
@pytest.mark.parametrize("columns", [1, 3, 1024])
def test_both_directions_of_any_matrix(columns, dtype):
    rows = -(-FROM // columns)
    a, p, r = (x.astype(dtype) for x in inputs(("matrix", "row", "column"), rows, columns))
    actual = lift.jit(bicgk)(la.asarray(a), la.asarray(p), la.asarray(r))
    for x, y in zip(
        (*actual, lift.jit(atax)(la.asarray(a), la.asarray(p))), (*bicgk(a, p, r), atax(a, p)), strict=True
    ):
        np.testing.assert_allclose(np.asarray(x), y, rtol=1e-12)


def test_special_values_of_both_directions():
    a, p, r = inputs(("matrix", "row", "column"))
    a[3, 5], a[100, 7], a[-1, -1], a[5] = np.nan, np.inf, -np.inf, -0.0
    with np.errstate(all="ignore"):
        actual = lift.jit(bicgk)(la.asarray(a), la.asarray(p), la.asarray(r))
        for x, y in zip(actual, bicgk(a, p, r), strict=True):
            np.testing.assert_array_equal(np.isnan(np.asarray(x)), np.isnan(y))
            np.testing.assert_array_equal(np.isinf(np.asarray(x)), np.isinf(y))


def test_a_kernel_of_several_lengths_is_searched_and_found_in_the_cache():
    arrays = [la.asarray(x) for x in inputs(("matrix", "row", "column"))]
    tuned = lift.tune(bicgk, *arrays, trials=3)
    assert tuned is not None
    for x, y in zip(lift.jit(bicgk)(*arrays), bicgk(*map(np.asarray, arrays)), strict=True):
        np.testing.assert_allclose(np.asarray(x), y, rtol=1e-4)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32"])
@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (3, 0), (0, 3), (67, 19), (5, 1030)])
def test_products_of_two_matrices_of_any_shape(rows, columns, dtype):
    a, b, p = (x.astype(dtype) for x in inputs(("matrix", "matrix", "row"), rows, columns))
    b[::2, ::3] = -b[::2, ::3] + 1
    actual = np.asarray(lift.jit(gesummv)(la.asarray(a), la.asarray(b), la.asarray(p)))
    np.testing.assert_allclose(actual, gesummv(a, b, p), rtol=1e-5, atol=1e-4)
    assert actual.dtype == dtype


def run_under_the_simulator():
    """The products of two matrices in one kernel, on the default device; called in a process of its own."""
    assert default_device().simulator
    configure(tier="compiled", tune="off")
    arrays = inputs(("matrix", "matrix", "row"), 5, 67)
    assert len(lift.explain(gesummv, *map(la.asarray, arrays)).kernels) == 1
    np.testing.assert_allclose(np.asarray(lift.jit(gesummv)(*map(la.asarray, arrays))), gesummv(*arrays), rtol=1e-5)


@pytest.mark.skipif(not oclgrind.available(), reason="Oclgrind is not installed")
def test_a_simulator_finds_nothing_wrong():
    code = "from tests.lazyarr.test_sequences import run_under_the_simulator as run\nrun()"
    assert oclgrind.run(code, timeout=300) == ""
