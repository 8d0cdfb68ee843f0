"""Contractions and products of all pairs against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lazyarr as la
from tests.lazyarr.evaluation import EXAMPLES
from tests.lazyarr.support import check, in_turn, operands, values

few = settings(max_examples=max(EXAMPLES // 5, 2))
TENSORDOT = [
    ((2, 3, 5), (5, 3), ([2, 1], [0, 1])), ((2, 3, 5), (3, 5, 4), 2), ((3,), (4,), 0), ((2, 3), (2, 3), 2),
    ((3, 7), (7, 2), 1), ((2, 3, 4), (4, 2), ((-1, 0), (0, -1))), ((2, 0), (0, 3), 1), ((0, 3), (3, 2), 1),
    ((2, 3), (4, 3), ((1,), (1,))), ((2, 3), (3,), (1, 0)), ((1, 5), (5, 1), ((0,), (1,))),
]  # fmt: skip


@pytest.mark.parametrize(("case", "dtypes"), in_turn(TENSORDOT), ids=str)
@given(data=st.data())
@few
def test_tensordot(case, dtypes, data):
    *shapes, axes = case
    x, y = (data.draw(operands(shape, dtype)) for shape, dtype in zip(shapes, dtypes, strict=True))
    check(la.tensordot(la.asarray(x), y, axes=axes), np.tensordot(x, y, axes=axes), 20, 200)


def test_tensordot_of_what_does_not_fit():
    x, y = la.ones((2, 3)), la.ones((4, 3))
    with pytest.raises(ValueError, match=r"tensordot: axes .* do not fit"):
        la.tensordot(x, y, axes=1)
    with pytest.raises(ValueError, match=r"tensordot: expected 0 to 2 axes, got 3"):
        la.tensordot(x, y, axes=3)
    with pytest.raises(ValueError, match=r"tensordot: expected as many axes"):
        la.tensordot(x, y, axes=((0, 1), (1,)))


PAIRS = [((5,), (7,)), ((2, 3), (3,)), ((), (4,)), ((2, 3), (4, 3)), ((0,), (3,)), ((1,), (1,))]


@pytest.mark.parametrize(("shapes", "dtypes"), in_turn(PAIRS), ids=str)
@given(data=st.data())
@few
def test_outer_kron_inner_vdot(shapes, dtypes, data):
    x, y = (data.draw(operands(shape, dtype)) for shape, dtype in zip(shapes, dtypes, strict=True))
    a = la.asarray(x)
    check(la.outer(a, y), np.outer(x, y), 1, 100)
    check(la.kron(a, y), np.kron(x, y), 1, 100)
    if not x.shape or not y.shape or x.shape[-1] == y.shape[-1]:
        check(la.inner(a, y), np.inner(x, y), 5, 100)
    z = data.draw(operands(shapes[0][::-1], dtypes[1]))
    check(la.vdot(a, z), np.vdot(x, z), 6, 100)


def test_kron_of_other_numbers_of_dimensions():
    for first, second in (((2, 3), (4,)), ((3,), (2, 1, 2)), ((2, 1, 3), (3, 2)), ((), ())):
        x, y = values(first, "int64", 1), values(second, "int64", 2)
        check(la.kron(la.asarray(x), y), np.kron(x, y))


TRACE = [
    ((3, 5), 0, "float32"), ((5, 3), -2, "bool"), ((1, 1), 0, "int8"), ((2, 3, 4), 1, "complex64"),
    ((3, 0), 0, "float64"), ((4, 4), 6, "uint8"), ((4, 4, 3), -1, "int32"),
]  # fmt: skip


@pytest.mark.parametrize(("shape", "offset", "dtype"), TRACE, ids=str)
def test_trace(shape, offset, dtype):
    x = values(shape, dtype, 3)
    check(la.trace(la.asarray(x), offset), np.trace(x, offset), 5, 50)
    check(la.linalg.trace(la.asarray(x), offset=offset), np.linalg.trace(x, offset=offset), 5, 50)
    check(la.asarray(x).trace(offset), x.trace(offset), 5, 50)
    check(la.linalg.diagonal(la.asarray(x), offset=offset), np.linalg.diagonal(x, offset=offset))
    check(la.trace(la.asarray(x), axis1=-1, axis2=0), np.trace(x, axis1=-1, axis2=0), 5, 50)


CROSS = [((3,), (3,), -1), ((5, 3), (3,), -1), ((2, 1, 3), (4, 3), -1), ((3, 4), (3, 4), 0), ((0, 3), (0, 3), -1)]


@pytest.mark.parametrize("case", CROSS, ids=str)
def test_cross(case):
    first, second, axis = case
    for t, u in (("int32", "uint8"), ("complex64", "float32"), ("bool", "int8"), ("float32", "bool")):
        x, y = values(first, t, 3), values(second, u, 4)
        check(la.cross(la.asarray(x), y, axis=axis), np.cross(x, y, axis=axis), 2, 200)
        check(la.linalg.cross(la.asarray(x), y, axis=axis), np.linalg.cross(x, y, axis=axis), 2, 200)


def test_cross_of_axes_and_what_it_refuses():
    x, y = values((3, 4), "float64", 3), values((4, 3), "float64", 4)
    check(la.cross(la.asarray(x), y, 0, 1, 0), np.cross(x, y, 0, 1, 0), 2, 200)
    with pytest.raises(ValueError, match="two or three elements"):
        la.cross(la.ones((2, 4)), la.ones((2, 2)))
    with pytest.raises(ValueError, match="cross: expected vectors of three elements"):
        la.linalg.cross(la.ones((2, 2)), la.ones((2, 2)))
    for _ in range(3):
        with pytest.warns(DeprecationWarning, match="cross: vectors of two elements"):
            found = la.cross(la.asarray(x[:2, 0]), la.asarray(y[:, :2]))
        check(found, x[0, 0] * y[:, 1] - x[1, 0] * y[:, 0], 2, 200)
    with pytest.raises(TypeError, match="bools"):
        la.cross(la.ones(3, dtype=bool), la.ones(3, dtype=bool))


EINSUM = [
    ("ij,jk->ik", (3, 5), (5, 2)), ("ij,jk", (3, 5), (5, 2)), ("ii->i", (4, 4)), ("ii", (4, 4)), ("ij->ji", (2, 3)),
    ("ij->", (2, 3)), ("ij->j", (2, 3)), ("i,i", (7,), (7,)), ("i,j->ij", (3,), (4,)), ("bij,bjk->bik", (2, 3, 4), (2,
    4, 5)), ("...ij,...jk->...ik", (2, 3, 4), (4, 5)), ("...,...", (2, 3), (3,)), ("ij,ij,ij->i", (2, 3), (2, 3), (2,
    3)), ("ab,bc,cd->ad", (2, 3), (3, 4), (4, 5)), ("ij,kj->", (2, 3), (4, 3)), ("iji->j", (3, 2, 3)), ("i...->...",
    (2, 3, 4)), (" i j , j -> i ", (2, 3), (3,)), ("ij,ij->ij", (1, 3), (2, 3)), ("iij,jk->ik", (3, 3, 2), (2, 4)),
    ("ij,jk->ik", (0, 3), (3, 2)), ("ij,jk->ik", (2, 0), (0, 3)), (",i->i", (), (3,)), ("abc,abd->dc", (2, 3, 4),
    (2, 3, 5)), ("...i->...", (2, 3)), ("i...j,j...->...", (2, 3, 4), (4, 3)), ("ba", (2, 3)), ("aab,bc", (2, 2, 3),
    (3, 2)),
]  # fmt: skip


@pytest.mark.parametrize(("case", "dtypes"), in_turn(EINSUM), ids=str)
def test_einsum(case, dtypes):
    subscripts, *shapes = case
    arrays = [values(shape, dtypes[i % 2], i) for i, shape in enumerate(shapes)]
    check(la.einsum(subscripts, *(la.asarray(x) for x in arrays)), np.einsum(subscripts, *arrays), 60, 1000)


@pytest.mark.parametrize(
    ("subscripts", "shapes", "message"),
    [
        ("ij,jk", [(2, 3)], "names 2 operands, got 1"), ("ij", [(2, 3, 4)], "does not fit"), ("ij,jk", [(2, 3), (4, 5)],
        "extents"), ("ii", [(2, 3)], "extents"), ("i->ii", [(2,)], "repeats"), ("i->j", [(2,)], "repeats"), ("i+",
        [(2, 3)], "letters"), ("...i", [()], "does not fit"), ("i...j...", [(2, 3, 4)], "does not fit"), ("...->",
        [(2, 3)], "no `...`"), ("i...,i->i", [(2, 3), (2,)], "no `...`"),
    ],
)  # fmt: skip
def test_einsum_refuses(subscripts, shapes, message):
    with pytest.raises(ValueError, match=message):
        la.einsum(subscripts, *(la.ones(shape) for shape in shapes))


@pytest.mark.parametrize(
    ("dtypes", "to", "keywords"),
    [
        (("int8", "int8"), "int64", {}), (("int8", "uint8"), "int16", {}), (("float32", "float32"), "float64", {}),
        (("int8", "int8"), "int64", {"dtype": "int8"}), (("int8", "int8"), "float32", {}),
        (("float64", "float64"), "float32", {"casting": "same_kind"}),
        (("float64", "float64"), "int8", {"casting": "unsafe"}), (("uint8", "int8"), "complex64", {}),
    ],
    ids=str,
)  # fmt: skip
def test_einsum_computes_in_what_out_needs(dtypes, to, keywords):
    x, y = np.full((3, 2), 100, dtypes[0]), np.full((2, 3), 11, dtypes[1])
    for subscripts, arrays in (("ij,jk->ik", (x, y)), ("ij->", (x,)), ("ij->ji", (x,))):
        theirs = np.empty(np.einsum(subscripts, *arrays).shape, to)
        if "dtype" in keywords:  # NumPy wants it to hold what `out` does
            theirs[()] = np.einsum(subscripts, *arrays, **keywords)
        else:
            np.einsum(subscripts, *arrays, out=theirs, **keywords)
        out = la.zeros(theirs.shape, dtype=to)
        assert la.einsum(subscripts, *map(la.asarray, arrays), out=out, **keywords) is out
        check(out, theirs, 60, 1000)
    with pytest.raises(TypeError, match="einsum: cannot put a result of dtype int16 into out, of int8"):
        la.einsum("i->", la.ones(3, dtype="uint8"), out=la.zeros((), dtype="int8"))


def test_dots_that_the_result_leaves_out():
    x = values((2, 3, 4), "float64", 1)
    for subscripts in ("...->", "i...->i"):
        check(la.einsum(subscripts, la.asarray(x), optimize=True), np.einsum(subscripts, x, optimize=True), 24, 1000)
    assert la.einsum("i...->i", la.ones(3)).tolist() == [1, 1, 1]  # they stand for no dimension


@pytest.mark.parametrize(
    "axes",
    [
        (range(2), range(2)), (np.array([1]), np.array([0])), (np.array([0]), np.array([0])), [range(1), [1]],
        np.array([[0, 1], [1, 0]]), (np.array([0, 1]), (1, 0)),
    ],
    ids=str,
)  # fmt: skip
@pytest.mark.parametrize("n", [3, 50])
@pytest.mark.usefixtures("tuned_off")  # what the axes are is found out before any kernel is
def test_axes_of_a_contraction_from_anything_iterable(axes, n):
    a, b = np.arange(float(n * n)).reshape(n, n) % 7, np.arange(float(n * n)).reshape(n, n) % 5
    for _ in range(2):  # calls with other axes are no calls like it
        np.testing.assert_allclose(la.tensordot(la.asarray(a) + 0, la.asarray(b), axes=axes), np.tensordot(a, b, axes))
