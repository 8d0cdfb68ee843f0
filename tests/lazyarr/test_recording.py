"""Recording is linear, iterative, keeps sharing and computes nothing."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import lazyarr as la
from ir.core.expr import Lambda, postorder
from ir.core.patterns import Join, Map, Reduce, Split, Transpose, Zip
from lazyarr import lift
from lazyarr.recording import deep
from tests.lazyarr.support import check


def vertices(array):
    """The nodes of the graph, those inside functions left out."""
    return list(postorder(array.node, prune=lambda e: isinstance(e, Lambda)))


def kinds(array):
    return [type(node) for node in vertices(array)]


def test_sharing_is_kept():
    x = start = la.asarray(np.ones(3))
    for _ in range(64):
        x = x + x
    assert kinds(x).count(Map) == 64
    assert len(vertices(x)) == 65  # x + x needs no zip: both operands are the same
    y = start
    for _ in range(10):
        y = y * start + y
    assert len(vertices(y)) == 10 * 4  # of which the first product is a square: one node less


@pytest.mark.slow
def test_a_long_chain_is_recorded_iteratively_and_linearly(monkeypatch):
    monkeypatch.setattr(deep, "PENDING_DEPTH_AT_MOST", 1_000_000)  # else it is computed as it grows
    x = la.asarray(np.zeros(4))
    for i in range(100_000):
        x = x + 1.0 if i % 2 else x * 0.5
    assert len(vertices(x)) == 100_001
    del x  # dropping it must not overflow the stack either


def test_equal_operations_are_one_vertex():
    x, y = la.asarray(np.arange(6.0)), la.asarray(np.ones(6))
    assert (x + y).node is (x + y).node
    assert la.sin(x * 2).node is la.sin(x * 2).node
    assert (x + 1).node is not (x + 2).node
    assert (x * 0.0).node is not (x * -0.0).node
    assert (x + float("nan")).node is (x + float("nan")).node
    assert x.T.node is x.node
    f, g = (x + y).node.f, (y * 3 + x).node.f
    assert f is g


def test_what_is_recorded():
    x, y = la.asarray(np.ones((3, 5), "float32")), la.asarray(np.ones((3, 5), "float32"))
    assert kinds(la.sum(la.abs(x)))[-2:] == [Map, Reduce]
    assert kinds(x + y)[-2:] == [Zip, Map]
    assert kinds(x + 1)[-1:] == [Map]
    assert len(vertices(x + 1)) == 2
    assert kinds(la.sum(x, axis=1)) == [type(x.node), Split, Map, Join]
    assert kinds(la.sum(x, axis=0)) == [type(x.node), Split, Transpose, Map, Join]
    assert kinds(x.sum(1).sum())[-1] is Reduce
    # the join of the result of a map over rows meets the split of the next
    assert kinds(lift.map(lambda r: r + 1, lift.map(lambda r: r * 2, x))) == [type(x.node), Split, Map, Map, Join]


def test_computed_arrays_let_go_of_their_graph():
    x = la.asarray(np.arange(4.0))
    y = x + 1
    z = y * 2
    la.compute(y, z)
    assert len(vertices(y)) == len(vertices(z)) == 1
    check(y + z, (np.arange(4.0) + 1) * 3)
    assert len(vertices(y + z)) == 4
    check(y.reshape(2, 2).T, (np.arange(4.0) + 1).reshape(2, 2).T)


def test_nothing_is_computed_by_recording(monkeypatch):
    monkeypatch.setattr(sys.modules["lazyarr.array.core"], "enqueue", None)
    x = la.asarray(np.arange(6.0).reshape(2, 3))
    y = la.where(x > 1, x.T.reshape(2, 3), la.sqrt(x)).sum(axis=0, keepdims=True) @ x.T
    assert y.shape == (1, 2)
    with pytest.raises(TypeError):
        float(y.sum())


@pytest.mark.slow
def test_importing_touches_no_device_and_no_heavy_library():
    heavy = (
        "pyopencl", "skopt", "scipy", "sqlite3", "ir.rules", "ir.schedules", "importlib.metadata", "platformdirs",
        "statistics", "tempfile", "numpy.fft", "numpy.polynomial", "numpy.random",
    )  # fmt: skip
    code = f"import lazyarr, sys; print([m for m in {heavy} if m in sys.modules])"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.strip() == "[]"


@pytest.mark.slow
def test_namespaces_that_are_imported_late_are_there():
    code = (
        "import lazyarr as la; assert not {'fft', 'polynomial', 'random'} & vars(la).keys(); "
        "print(la.random.default_rng(1).random(3).shape, la.polynomial.Polynomial, 'random' in vars(la)); "
        "from lazyarr import *; assert (fft, random) == (la.fft, la.random)"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.strip() == "(3,) <class 'lazyarr.polynomial.Polynomial'> True"
