"""The papers' primitives with Python lambdas, nested, over zipped arrays, closing over others."""

from __future__ import annotations

import operator

import numpy as np
import pytest
from hypothesis import given, settings

import lazyarr as la
from lazyarr import lift
from lazyarr.errors import TracingError
from tests.lazyarr.evaluation import EXAMPLES
from tests.lazyarr.support import check, operands, values

X = values((7,), "float32", 1)
Y = values((7,), "float32", 2)
A = values((3, 5), "float64", 3)
V = values((5,), "float64", 4)
B = values((2, 3, 5), "float64", 5)


def dot(x, y):
    return lift.reduce(lambda a, b: a + b, 0, lift.map(lambda p: p[0] * p[1], lift.zip(x, y)))


def test_the_papers_examples():
    x, y = la.asarray(X), la.asarray(Y)
    asum = lambda xs: lift.reduce(lambda a, b: a + b, 0, lift.map(abs, xs))
    check(asum(x), np.abs(X).sum(), 7)
    check(dot(x, y), (X * Y).sum(), 7, 81)
    check(lift.map(lambda e: 3 * e, x), 3 * X)  # scal
    gemv = lambda m, v: lift.map(lambda row: dot(row, v), m)
    check(gemv(la.asarray(A), la.asarray(V)), A @ V, 5, 81)
    gemm = lambda a, b: lift.map(lambda row: lift.map(lambda column: dot(row, column), b.T), a)
    check(gemm(la.asarray(A), la.asarray(A.T)), A @ A.T, 5, 81)
    check(la.sum(la.asarray(A), 1), lift.map(lambda row: lift.reduce(operator.add, 0, row), la.asarray(A)), 5, 81)


def test_what_the_namespace_records_is_what_lift_records():
    x = la.asarray(X)
    assert lift.map(abs, x).node is la.abs(x).node
    assert lift.reduce(lambda a, b: a + b, 0, x).node is la.sum(x).node
    assert lift.reduce(la.maximum, -np.inf, x).node is la.max(x).node
    m = la.asarray(A)
    assert lift.map(lambda row: lift.reduce(la.add, 0, row), m).node is la.sum(m, 1).node
    assert lift.map(lambda r: lift.map(lambda c: dot(r, c), m), m).node is (m @ m.T).node


@given(x=operands(low=1))
@settings(max_examples=EXAMPLES)
def test_any_shape_and_dtype(x):
    a = la.asarray(x)
    if not x.shape:
        with pytest.raises(ValueError, match="0-dimensional"):
            lift.map(abs, a)
        return
    check(lift.map(lambda e: e, a), x)
    check(lift.map(lambda e: e * e, a), x * x)
    check(
        lift.map(lambda e: la.where(e > 2, e, 1.5), a),
        np.where(x > 2, x, x.dtype.type(1.5) if x.dtype.kind == "f" else 1.5),
    )
    check(lift.reduce(la.maximum, 0, a), np.max(np.concatenate([x, np.zeros((1, *x.shape[1:]), x.dtype)]), 0) if x.dtype
    != bool
          else np.max(np.concatenate([x.astype(int), np.zeros((1, *x.shape[1:]), int)]), 0))  # fmt: skip
    check(lift.join(lift.split(1, a)), x)
    if x.ndim > 1:
        check(lift.map(la.sum, a), x.sum(axis=tuple(range(1, x.ndim))), x.size, x.size)
        check(lift.map(lambda row: row.T, a), x.transpose(0, *range(1, x.ndim)[::-1]))
        check(lift.map(lambda row: lift.map(lambda e: e + e, row), a), x + x)


def test_elements_work_with_everything():
    x = la.asarray(X)
    f = lambda e: (
        la.sqrt(abs(e))
        + la.where((e > 0) & ~(e > 2), e, -e) * 2
        - 1 / (2 + e * e)
        + la.clip(e, -1, 1)
        + e.astype("int32")
    )
    g = lambda e: (
        np.sqrt(abs(e))
        + np.where((e > 0) & ~(e > 2), e, -e) * 2
        - 1 / (2 + e * e)
        + np.clip(e, -1, 1)
        + e.astype("int32")
    )
    check(lift.map(f, x), g(X), scale=9)
    check(lift.map(lambda e: np.float32(2) * e, x), np.float32(2) * X)
    check(lift.map(lambda e: -e % 3 // 1, x), -X % 3 // 1)
    check(lift.map(lambda e: (2.0, e)[1] ** 2, x), X**2)
    check(lift.map(lambda e: 1.5, x), np.full(7, 1.5))
    check(lift.map(lambda e: e > 300, la.asarray(np.array([1, 2], "uint8"))), np.array([False, False]))


def test_rows_and_numbers_mix():
    m, v = la.asarray(A), la.asarray(V)
    check(lift.map(lambda row: row - row.mean(), m), A - A.mean(1, keepdims=True), 5, 81)
    check(lift.map(lambda row: row + v, m), A + V)
    check(lift.map(lambda row: lift.map(lambda e: e + v, row), m), A[:, :, None] + V)
    check(lift.map(lambda row: lift.map(lambda e: e + la.sum(row), row), m), A + A.sum(1, keepdims=True), 5, 81)
    check(lift.map(lambda e: e + la.sum(m), v), V + A.sum(), 15, 81)
    check(lift.map(lambda e: m * e, v), A * V[:, None, None])
    check(lift.map(lambda row: row[::-1][1:3], m), A[:, ::-1][:, 1:3])
    check(lift.map(lambda row: (row[0] > 0) & (row[1] > 0), m), (A[:, 0] > 0) & (A[:, 1] > 0))
    check(lift.map(lambda part: part @ v, la.asarray(B)), B @ V, 5, 81)
    check(lift.map(lambda part: part.T @ part, la.asarray(B)), B.transpose(0, 2, 1) @ B, 5, 81)
    check(lift.map(lambda row: la.full((2, 2), row[0]), m), np.broadcast_to(A[:, 0, None, None], (3, 2, 2)))


def test_zipped_elements():
    x, y, m = la.asarray(X), la.asarray(Y), la.asarray(A)
    check(lift.map(operator.mul, lift.zip(x, y)), X * Y)
    check(lift.map(lambda a, b: a - b, lift.zip(x, y)), X - Y)
    check(lift.map(lambda p: p[0] - p[1][0], lift.zip(x, lift.zip(y, x))), X - Y)
    check(lift.map(lambda row, e: row * e, lift.zip(m, la.asarray(V[:3]))), A * V[:3, None])
    both = lift.map(lambda e: (e + 1, e > 0), x)
    first, second = lift.unzip(both)
    check(first, X + 1)
    check(second, X > 0)
    check(lift.map(lambda e, positive: la.where(positive, e, 0), both), np.where(X > 0, X + 1, np.float32(0)))
    a, b = lift.unzip(lift.zip(x, y))
    assert a.node is x.node
    assert b.node is y.node
    pairs = lift.split(2, lift.zip(x[:6], y[:6]))
    check(lift.map(lambda chunk: dot(*lift.unzip(chunk)), pairs), (X[:6] * Y[:6]).reshape(3, 2).sum(1), 2, 81)
    check(lift.map(operator.add, lift.join(pairs)), X[:6] + Y[:6])
    zipped_rows = lift.map(lambda row: lift.zip(row, la.asarray(V)), m)
    assert zipped_rows.shape == (3, 5)
    check(lift.map(lambda row: lift.map(operator.mul, row), zipped_rows), A * V)
    empty = lift.zip(la.asarray(np.ones((0, 3))), la.asarray(np.ones(0)))
    check(lift.map(lambda row, e: row * e, empty), np.ones((0, 3)))
    check(lift.map(lambda row, e: row * e, lift.zip(la.asarray(np.ones((3, 0))), la.asarray(V[:3]))), np.ones((3, 0)))


def test_reductions_of_tuples_and_rows():
    x = la.asarray(X)
    low, high = lift.reduce(
        lambda a, b: (la.minimum(a[0], b[0]), la.maximum(a[1], b[1])), (np.inf, -np.inf), lift.map(lambda e: (e, e), x)
    )
    check(low, X.min())
    check(high, X.max())
    check(lift.reduce(lambda a, b: a + b, 0, la.asarray(A)), A.sum(0), 3, 81)
    check(lift.reduce(lambda a, b: a + b, 0.5, la.asarray(np.arange(4))), np.float64(6.5))
    check(lift.reduce(lambda a, b: a + b, 0, la.asarray(np.ones(0, "int32"))), np.int32(0))
    check(lift.reduce(lambda a, b: a & b, True, x > -100), np.bool_(True))


def test_point_free():
    asum = lift.compose(lift.reduce(operator.add, 0), lift.map(abs))
    check(asum(la.asarray(X)), np.abs(X).sum(), 7)
    rows = lift.compose(lift.map(lift.reduce(operator.add, 0)), lift.split(2))
    check(rows(la.asarray(X[:6])), X[:6].reshape(3, 2).sum(1), 2, 81)


def test_lists_and_numpy_arrays_are_arrays():
    check(lift.map(lambda e: e + 1, X), X + 1)
    check(lift.map(lambda e: e + V, [1, 2]), np.array([1, 2])[:, None] + V)


def test_errors():
    x, m = la.asarray(X), la.asarray(A)
    with pytest.raises(ValueError, match=r"lift.zip: .*lengths 7, 3"):
        lift.zip(x, m)
    with pytest.raises(TypeError, match=r"lift.zip: expected two or more"):
        lift.zip(x)
    with pytest.raises(ValueError, match=r"lift.split: .*7, got 2"):
        lift.split(2, x)
    with pytest.raises(ValueError, match=r"lift.join: .*\(7,\)"):
        lift.join(x)
    with pytest.raises(TypeError, match=r"lift.map: .*got None"):
        lift.map(lambda e: None, x)
    with pytest.raises(TypeError, match=r"lift.reduce: expected a function that gives float32.*got bool"):
        lift.reduce(lambda a, b: a < b, 0, x)
    with pytest.raises(TypeError, match=r"lift.reduce: expected init to be a tuple of 2"):
        lift.reduce(lambda a, b: a, 0, lift.zip(x, x))
    with pytest.raises(TypeError, match=r"lift.unzip"):
        lift.unzip(x)
    with pytest.raises(TypeError, match="not iterated"):
        list(lift.zip(x, x))
    with pytest.raises(ValueError, match=r"add: .*\(5,\), \(3,\)"):
        lift.map(lambda row: row + la.asarray(V[:3]), m)


def add(a, b):
    return a + b


WRONG = {
    "map of no function": (lambda x: lift.map(3, x), TypeError, r"lift\.map: expected f to be a function, got 3: "),
    "map, the other way round": (
        lambda x: lift.map(x, abs),
        TypeError,
        r"got an array of shape \(4,\): lift\.map\(f, xs\)",
    ),
    "map without an array": (lambda x: lift.map(3), TypeError, r"lift\.map: expected f"),
    "split by a float": (
        lambda x: lift.split(2.0, x),
        TypeError,
        r"lift\.split: expected n to be a whole number, got 2\.0",
    ),
    "split by a float, later": (lambda x: lift.split(2.0), TypeError, r"lift\.split: expected n"),
    "reduce from an array": (
        lambda x: lift.reduce(add, la.ones(3), x),
        ValueError,
        r"expected init to be a number.*\(3,\)",
    ),
    "reduce from a text": (lambda x: lift.reduce(add, "a", x), TypeError, r"lift\.reduce: expected init .* got 'a'"),
    "reduce, the other way round": (lambda x: lift.reduce(0, add, x), TypeError, r"got 0: lift\.reduce\(f, init, xs\)"),
    "scan, the other way round": (lambda x: lift.scan(0, add, x), TypeError, r"got 0: lift\.scan\(f, init, xs\)"),
    "iterate that gives nothing": (lambda x: lift.iterate(3, lambda u: None, x), TypeError, r"got None: return what"),
    "iterate no function": (
        lambda x: lift.iterate(3, 4, x),
        TypeError,
        r"step to be a function, got 4: lift\.iterate\(",
    ),
    "generate no function": (
        lambda x: lift.generate(3, 4),
        TypeError,
        r"lift\.generate: expected f to be a function, got 4",
    ),
    "tune no function": (lambda x: lift.tune(3, x), TypeError, r"lift\.tune: expected f to be a function, got 3"),
    "explain no function": (
        lambda x: lift.explain(3, x),
        TypeError,
        r"lift\.explain: expected f to be a function, got 3",
    ),
    "compose numbers": (lambda x: lift.compose(abs, 4), TypeError, r"lift\.compose: expected argument 1 .* got 4"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_arguments_are_named(name):
    call, error, match = WRONG[name]
    with pytest.raises(error, match=match):
        call(la.asarray(np.arange(4.0)))


def test_a_format_needs_the_value():
    x = la.asarray(np.arange(4.0))
    for f in (lambda a: f"{a.sum():.2f}", lambda a: lift.map(lambda e: f"{e:.2f}", a)):
        with pytest.raises(TracingError, match=r"format\(\) needs the value"):
            lift.jit(f)(x)
    with pytest.raises(TypeError, match=r"'\.2f' is for a single number"):
        lift.jit(lambda a: f"{a:.2f}")(x)
    assert "traced" in lift.jit(lambda a: f"{a.sum()}")(x)
