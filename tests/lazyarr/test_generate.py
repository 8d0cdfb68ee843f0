"""`lift.generate`: arrays made from their indices, alone, inside functions and beside stored arrays, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import lazyarr as la
from lazyarr import lift
from tests.lazyarr.support import check, values

X = values((11,), "float32", 1)
P = values((7, 11), "float32", 2)


@pytest.mark.parametrize("n", [0, 1, 2, 7, 97, 1009, 20011])
def test_numbers(n):
    i = np.arange(n)
    check(lift.generate(n, lambda k: k), i)
    check(lift.generate(n, lambda k: k * k - 3), i * i - 3)
    check(lift.generate(n, lambda k: la.sqrt(k)), np.sqrt(i), 1)
    check(lift.generate(n, lambda k: k % 5 == 2), i % 5 == 2)
    check(lift.generate(n, lambda k: 1.5), np.full(n, 1.5))
    check(lift.generate(n)(lambda k: la.astype(k, "uint8")), i.astype("uint8"))
    check(la.sum(lift.generate(n, lambda k: k * k)), np.sum(i * i))
    check(lift.generate(n, lambda k: k)[::-1] * 2, i[::-1] * 2)


def test_rows_and_tuples():
    r, c = np.indices((5, 3))
    check(lift.generate(5, lambda i: lift.generate(3, lambda j: i * 10 - j)), r * 10 - c)
    check(lift.generate(5, lambda i: la.asarray(X) * i), X * np.arange(5)[:, None])
    check(lift.generate(5, lambda i: la.sum(la.asarray(X) * i)), (X * np.arange(5)[:, None]).sum(1), 11, 81)
    a, b = lift.unzip(lift.generate(7, lambda i: (i + 1, la.astype(i, "float32") / 2)))
    check(a, np.arange(7) + 1)
    check(b, np.arange(7, dtype="float32") / 2)


def test_beside_stored_arrays():
    x, p = la.asarray(X), la.asarray(P)
    at = lift.generate(11, lambda i: la.astype(i, "float32"))
    check(x * at + at, X * np.arange(11, dtype="float32") + np.arange(11, dtype="float32"))
    check(la.sum(x * at), np.sum(X * np.arange(11, dtype="float32")), 11, 400)
    check(p + at, P + np.arange(11, dtype="float32"))
    check(la.sum(p * at, axis=1), (P * np.arange(11, dtype="float32")).sum(1), 11, 400)
    check(lift.gather(x, lift.generate(22, lambda i: (i * 3) % 11)), X[np.arange(22) * 3 % 11])
    check(lift.generate(20, lambda i: lift.gather(x, i // 2) + 1), X[np.minimum(np.arange(20) // 2, 10)] + 1)
    check(lift.map(lambda v, i: v - i, lift.zip(x, lift.generate(11, lambda i: i))), X - np.arange(11))


def test_rows_that_others_read_one_after_the_other():
    x, y = la.asarray(X), la.asarray(values((7,), "float32", 4))
    rows = X * values((7,), "float32", 4)[:, None]
    outer = lift.map(lambda a: x * a, y)
    check(outer + 1, rows + 1)
    check(outer * 2 - la.asarray(P), rows * 2 - P, 1, 81)
    check(la.sum(outer), np.sum(rows), 77, 1000)
    check(la.sum(la.asarray(P) * outer, axis=1), (P * rows).sum(1), 11, 1000)
    check(lift.generate(7, lambda i: x[::-1] * i) + 1, X[::-1] * np.arange(7)[:, None] + 1)


def test_what_is_generated_is_not_stored():
    from ir.core.expr import postorder
    from ir.core.patterns import Generate
    from ir.fusion.partition.kernels import partition

    at = lift.generate(11, lambda i: la.astype(i, "float32"))
    first, second = la.asarray(X) * at, la.sum(at)
    parts = partition([first.node, second.node])
    assert len(parts.tasks) == 2
    assert all(any(isinstance(node, Generate) for node in postorder(task.expr)) for task in parts.tasks)


def test_inside_jit():
    @lift.jit
    def ramp(x):
        return x + lift.generate(len(x), lambda i: i) * 2

    @lift.jit
    def captured(x):
        return lift.generate(5, lambda i: lift.gather(x, i) * 2)

    check(ramp(X), X + np.arange(11) * 2)
    check(captured(X), X[:5] * 2)
    check(lift.jit(lambda: lift.generate(5, lambda i: i + 1))(), np.arange(5) + 1)


def test_lengths_share_a_kernel():
    from ir.fusion.symbols.symbolise import symbolise

    first, second = (symbolise(lift.generate(n, lambda i: i * 3).node, {}) for n in (10, 1000))
    assert first.expr is second.expr
    assert (first.sizes, second.sizes) == ({"n0": 10}, {"n0": 1000})


def test_wide_indices_where_the_length_asks_for_them():
    from ir.core.patterns import Generate
    from ir.core.types import INT32, INT64
    from ir.fusion.symbols.symbolise import symbolise

    for n, t, wide in ((1 << 20, INT32, False), (1 << 31, INT64, True)):
        node = lift.generate(n, lambda i: i).node
        assert isinstance(node, Generate)
        assert node.index is t
        assert symbolise(node, {}).wide is wide


def test_errors():
    with pytest.raises(ValueError, match=r"lift.generate: expected n not to be negative, got -1"):
        lift.generate(-1, lambda i: i)
    with pytest.raises(TypeError, match=r"lift.generate: expected n to be a whole number, got 1.5"):
        lift.generate(1.5, lambda i: i)
    with pytest.raises(TypeError, match=r"lift.generate: expected a function that gives"):
        lift.generate(2, lambda i: "x")
    with pytest.raises(la.TracingError, match=r"lambda i: 1 if i"):
        lift.generate(2, lambda i: 1 if i else 2)


@pytest.mark.parametrize("shape", [(4, 6), (5, 9), (1, 7)])
def test_generated_arrays_read_through_views_of_parts(shape):
    count = shape[0] * shape[1]

    def assigned(xp):
        d = xp.zeros((shape[0] + 1, shape[1] + 1), dtype=int)
        d[:, 0] = xp.arange(shape[0] + 1)
        d[0] = xp.arange(shape[1] + 1)
        return d

    for f in (
        lambda xp: xp.rot90(xp.arange(count).reshape(shape)),
        lambda xp: xp.pad(xp.arange(count).reshape(shape), 1, mode="edge"),
        lambda xp: xp.pad(xp.arange(float(count)).reshape(shape), ((2, 0), (0, 3)), mode="wrap"),
        assigned,
    ):
        np.testing.assert_array_equal(np.asarray(f(la)), f(np))
