"""Products against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lazyarr as la
from ir.core.expr import fun
from ir.core.patterns import Call, Get, Join, Literal, Map, Reduce, Split, Zip
from ir.core.types import FLOAT32, TupleType, array_of
from lazyarr.graph import builders as record
from tests import oclgrind
from tests.lazyarr.evaluation import EXAMPLES
from tests.lazyarr.support import check, in_turn, operands, values

MATMUL = [
    ((5,), (5,)), ((1,), (1,)), ((3, 5), (5,)), ((5,), (5, 2)), ((3, 5), (5, 2)), ((1, 5), (5, 1)), ((3, 1), (1, 4)),
    ((7, 7), (7, 7)), ((2, 3, 5), (5,)), ((5,), (2, 5, 3)), ((2, 3, 5), (5, 4)), ((3, 5), (2, 5, 4)), ((2, 3, 5), (2, 5,
    4)), ((2, 1, 3, 5), (4, 5, 2)), ((0,), (0,)), ((3, 0), (0, 4)), ((0, 5), (5, 2)), ((2, 3, 5), (1, 5, 1)), ((1, 3,
    5), (1, 5, 2)), ((2, 0, 5), (5, 2)),
]  # fmt: skip


few = settings(max_examples=max(EXAMPLES // 4, 2))


@pytest.mark.parametrize(("shapes", "dtypes"), in_turn([*MATMUL, *MATMUL[:4]]), ids=str)
@given(data=st.data())
@few
def test_matmul(shapes, dtypes, data):
    x, y = (data.draw(operands(shape, dtype)) for shape, dtype in zip(shapes, dtypes, strict=True))
    expected = np.matmul(x, y)
    check(la.asarray(x) @ la.asarray(y), expected, x.shape[-1], 81)
    check(x @ la.asarray(y), expected, x.shape[-1], 81)
    if x.ndim <= 2 and y.ndim <= 2:
        check(la.asarray(x).dot(y), np.dot(x, y), x.shape[-1], 81)


DOT = [
    ((2, 3, 5), (5,)), ((5,), (2, 5, 3)), ((2, 3, 5), (5, 4)), ((3, 5), (2, 5, 4)), ((2, 3, 5), (2, 5, 4)), ((), (3,)),
    ((2, 0), (3, 0, 2)), ((3, 4), (2, 4, 0)), ((), ()), ((1, 1, 1), (7, 1, 2)),
]  # fmt: skip


@pytest.mark.parametrize(("shapes", "dtypes"), in_turn(DOT), ids=str)
@given(data=st.data())
@few
def test_dot_sums_over_the_last_dimension_and_the_second_to_last(shapes, dtypes, data):
    x, y = (data.draw(operands(shape, dtype)) for shape, dtype in zip(shapes, dtypes, strict=True))
    check(la.dot(la.asarray(x), y), np.dot(x, y), max(x.shape[-1:] or (1,)), 200)


VECDOT = [
    ((5,), (5,), -1), ((2, 3, 5), (5,), -1), ((2, 3, 5), (2, 3, 5), 1), ((3, 1), (3, 4), -2), ((2, 1, 3), (4, 3), -1),
    ((0,), (0,), 0), ((2, 0, 3), (2, 0, 3), 2),
]  # fmt: skip


@pytest.mark.parametrize(("case", "dtypes"), in_turn(VECDOT), ids=str)
@given(data=st.data())
@few
def test_vecdot(case, dtypes, data):
    *shapes, axis = case
    x, y = (data.draw(operands(shape, dtype)) for shape, dtype in zip(shapes, dtypes, strict=True))
    check(la.vecdot(la.asarray(x), y, axis=axis), np.vecdot(x, y, axis=axis), x.shape[axis], 200)


def test_products_of_special_numbers():
    x = np.array([[np.inf, 0, 1], [np.nan, 1, 2], [-0.0, -0.0, -0.0]])
    y = np.array([[1.0, 0], [2, np.inf], [3, 0]])
    with np.errstate(all="ignore"):
        expected = np.matmul(x, y)
    np.testing.assert_array_equal(np.asarray(la.asarray(x) @ la.asarray(y)), expected)
    wrapped = np.full((3, 3), 100, np.int8)
    check(la.asarray(wrapped) @ wrapped, wrapped @ wrapped)


def test_products_of_what_is_put_together():
    """Padded and joined arrays, along either dimension, are stored before they are multiplied."""
    for dtype in ("float32", "complex128"):
        x, w = values((3, 5), dtype, 1), values((8, 8), dtype, 2)
        a, b = la.asarray(x), la.asarray(w)
        check(la.pad(a, [(0, 0), (0, 3)]) @ b, np.pad(x, [(0, 0), (0, 3)]) @ w, 8, 200)
        check(b @ la.pad(a, [(0, 0), (0, 3)]).T, w @ np.pad(x, [(0, 0), (0, 3)]).T, 8, 200)
        check(b @ la.concat([a.T, a[:, :3].T]), w @ np.concatenate([x.T, x[:, :3].T]), 8, 200)


def test_other_products():
    x, y = np.arange(30.0).reshape(2, 3, 5), np.arange(5.0)
    check(la.dot(la.asarray(x), y), np.dot(x, y), 5, 900)
    check(la.dot(la.asarray(x), 3.0), np.dot(x, 3.0))
    check(la.vecdot(la.asarray(x), y), (x * y).sum(-1), 5, 900)
    check(la.vecdot(la.asarray(x), x[:, ::-1]), (x * x[:, ::-1]).sum(-1), 5, 900)
    check(la.asarray(x[0]) @ la.asarray(x[1]).T, x[0] @ x[1].T, 5, 900)


def test_errors():
    a, b = la.asarray(np.ones((2, 3))), la.asarray(np.ones((2, 4)))
    with pytest.raises(ValueError, match=r"matmul.*\(2, 3\) and \(2, 4\)"):
        a @ b
    with pytest.raises(ValueError, match="one or more dimensions"):
        la.matmul(a, 2)
    with pytest.raises(ValueError, match="leading dimensions"):
        la.asarray(np.ones((2, 3, 3))) @ la.asarray(np.ones((3, 3, 3)))
    with pytest.raises(ValueError, match=r"dot: .*dimension 1"):
        la.dot(a, la.asarray(np.ones((2, 4, 3))))
    with pytest.raises(ValueError, match=r"dot: .*fit"):
        la.dot(a, b)
    with pytest.raises(ValueError, match="vecdot"):
        la.vecdot(a, b)


@pytest.mark.device
@pytest.mark.sweep
@pytest.mark.skipif(not oclgrind.available(), reason="Oclgrind is not installed")
def test_a_product_of_a_padded_array_in_the_simulator():
    code = """
import numpy as np
import lazyarr as la
from lazyarr import config
config.configure(tune="off")
x, ones = np.arange(15.0).reshape(3, 5), la.ones((9, 2))
a = la.asarray(x)
np.testing.assert_allclose(np.asarray(la.pad(a, 2) @ ones), np.pad(x, 2) @ np.ones((9, 2)))
"""
    assert oclgrind.run(code) == ""


VECTORS = [
    ((3, 5), (5,)),
    ((2, 3, 5), (5,)),
    ((3, 5), (2, 5)),
    ((4, 1, 3, 5), (2, 5)),
    ((0, 5), (5,)),
    ((3, 0), (2, 0)),
]


@pytest.mark.parametrize("shapes", VECTORS, ids=str)
@pytest.mark.parametrize("dtypes", [("float32", "float64"), ("complex64", "float32"), ("int32", "int32")], ids=str)
def test_products_of_matrices_and_vectors(shapes, dtypes):
    m, v = values(shapes[0], dtypes[0], 1), values(shapes[1], dtypes[1], 2)
    check(la.matvec(la.asarray(m), la.asarray(v)), np.matvec(m, v), shapes[0][-1], 81)
    turned = m.swapaxes(-1, -2).copy()
    check(la.vecmat(la.asarray(v), la.asarray(turned)), np.vecmat(v, turned), shapes[0][-1], 81)
    if "complex64" in dtypes and m.size:
        check(la.vecmat(la.asarray(m[..., 0, :]), la.asarray(turned)), np.vecmat(m[..., 0, :], turned), 5, 162)


def test_products_of_matrices_and_vectors_put_into_arrays_and_refused():
    m, v = values((3, 5), "float64", 1), values((5,), "float64", 2)
    out = la.zeros(3)
    assert la.matvec(m, v, out=out) is out
    check(out, m @ v, 5, 81)
    square = la.zeros((3, 3))
    assert la.matmul(m, m.T, square) is square
    check(square, m @ m.T, 5, 81)
    for bad in ((v, v), (m, m[:, 0]), (m, la.asarray(1.0))):
        with pytest.raises(ValueError, match="matvec: expected matrices"):
            la.matvec(*bad)
    with pytest.raises(ValueError, match="vecmat: expected vectors"):
        la.vecmat(v, m)


@pytest.mark.parametrize("shapes", [((3, 5), (5, 7)), ((3, 5), (5,)), ((5,), (5, 7)), ((5,), (5,))])
def test_products_are_the_nested_maps_of_the_papers(shapes):
    """Also where an operand is computed by functions of functions: the variables of each stay its own."""
    a, b = (la.asarray(np.arange(1.0, 1 + np.prod(s), dtype="float32").reshape(s)) for s in shapes)
    deep = la.cumsum(b * 2, axis=0)
    for right in (b, deep, a @ b if shapes[0] == (3, 5) == shapes[1] else b):
        m, k, n = (a.shape if a.ndim > 1 else (1, 5))[0], 5, (right.shape if right.ndim > 1 else (5, 1))[1]
        f32 = FLOAT32
        times = fun(TupleType((f32, f32)), lambda p: Call("multiply", Get(0, p), Get(1, p)))
        plus = fun((f32, f32), lambda p, q: Call("add", p, q))

        def dot(x, y, times=times, plus=plus):
            return Reduce(plus, Literal(0, FLOAT32), Map(times, Zip(x, y)))

        columns = record.transpose(record.split(n, right.node))

        def row_times(row, k=k, columns=columns, dot=dot):
            return Join(Map(fun(array_of(FLOAT32, k), lambda column: dot(row, column)), columns))

        if m == n == 1:
            expected = dot(a.node, right.node)
        elif n == 1:
            each = fun(array_of(f32, k), lambda row, right=right, dot=dot: dot(row, right.node))
            expected = Join(Map(each, Split(k, a.node)))
        elif m == 1:
            expected = row_times(a.node)
        else:
            expected = Join(Map(fun(array_of(f32, k), row_times), Split(k, a.node)))
        assert (a @ right).node is expected


T = np.arange(24.0).reshape(2, 3, 4)
ON_AXES = {
    "matmul": lambda xp, t: xp.matmul(t, t, axes=[(0, 2), (2, 0), (0, 1)]),
    "matmul, result elsewhere": lambda xp, t: xp.matmul(t, t, axes=[(1, 2), (2, 1), (2, 0)]),
    "matmul of vectors": lambda xp, t: xp.matmul(t[0, 0], t[1, 1], axes=[0, 0, ()]),
    "matmul of a matrix and a vector": lambda xp, t: xp.matmul(t[0], t[0, :, 0], axes=[(1, 0), 0, 0]),
    "vecdot": lambda xp, t: xp.vecdot(t, t, axes=[1, 1]),
    "vecdot of two": lambda xp, t: xp.vecdot(t[:, 0], t[:, 1], axes=[0, 0, ()]),
    "vecdot kept": lambda xp, t: xp.vecdot(t, t, keepdims=True),
    "vecdot kept along an axis": lambda xp, t: xp.vecdot(t, t, axis=1, keepdims=True),
    "vecdot kept along axes": lambda xp, t: xp.vecdot(t, t, axes=[0, 0, 0], keepdims=True),
    "matvec": lambda xp, t: xp.matvec(t, t[:, 0, 0], axes=[(1, 0), 0, -1]),
    "vecmat": lambda xp, t: xp.vecmat(t[:, 0, 0], t, axes=[0, (0, 1), 1]),
    "into out": lambda xp, t: xp.vecdot(t, t, axes=[1, 1], out=xp.zeros((2, 4))),
    "dtype": lambda xp, t: xp.matmul(t.astype("int8"), t[0].T.astype("int8"), dtype="int32"),
    "dtype by a rule": lambda xp, t: xp.matvec(t, t[0, 0], dtype="int64", casting="unsafe"),
}
NO_AXES = {
    "a tuple": lambda xp, t: xp.matmul(t, t, axes=((0, 1), (1, 0), (0, 1))),
    "too few": lambda xp, t: xp.matmul(t, t, axes=[(0, 1), (1, 0)]),
    "one for two": lambda xp, t: xp.matvec(t, t[0, 0], axes=[0, 0, 0]),
    "beyond": lambda xp, t: xp.vecdot(t, t, axes=[5, 0]),
    "axis beside axes": lambda xp, t: xp.vecdot(t, t, axes=[0, 0], axis=1),
    "a dtype that loses": lambda xp, t: xp.vecmat(t[:, :, 0], t, dtype="int64"),
}


@pytest.mark.parametrize("case", ON_AXES)
def test_products_along_other_axes(case):
    check(ON_AXES[case](la, la.asarray(T)), ON_AXES[case](np, T), terms=4)


@pytest.mark.parametrize("case", NO_AXES)
def test_axes_that_products_have_not(case):
    with pytest.raises((TypeError, ValueError)) as theirs:
        NO_AXES[case](np, T)
    kind = TypeError if isinstance(theirs.value, TypeError) else ValueError
    with pytest.raises(kind):
        NO_AXES[case](la, la.asarray(T))
