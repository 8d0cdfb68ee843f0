"""Arrays of numpy.ma beside lazy ones: operators are theirs, and masks are never dropped without a word."""

from __future__ import annotations

import operator

import numpy as np
import pytest

import lazyarr as la
from lazyarr import config
from tests.lazyarr.support import check

X = np.array([1.0, 2.0, 4.0])
M = np.ma.array([3.0, 5.0, 7.0], mask=[False, True, False])


@pytest.fixture(params=["auto", "reference", "compiled"], autouse=True)
def each_tier(request):
    before = config.configure(tier=request.param)
    yield
    config.configure(**vars(before))


OPERATORS = ["add", "sub", "mul", "truediv", "floordiv", "pow", "lt", "ge", "eq", "ne"]


@pytest.mark.parametrize("name", OPERATORS)
def test_operators_give_masked_arrays_on_either_side(name):
    f = getattr(operator, name)
    for other in (M, np.ma.masked, M[:1], np.ma.array(X)):
        for found, expected in ((f(la.asarray(X), other), f(X, other)), (f(other, la.asarray(X)), f(other, X))):
            assert type(found) is type(expected)
            np.testing.assert_array_equal(np.ma.getmaskarray(found), np.ma.getmaskarray(expected))
            np.testing.assert_array_equal(np.ma.filled(found, 0), np.ma.filled(expected, 0))


REFUSED = {
    "asarray": lambda x: la.asarray(M),
    "with a dtype": lambda x: la.array(M, dtype="float32"),
    "in a list": lambda x: la.asarray([[1.0, 2.0, 3.0], M]),
    "beside an array": lambda x: la.asarray([x, M]),
    "masked": lambda x: la.asarray([1.0, np.ma.masked]),
    "add": lambda x: la.add(x, M),
    "numpy.add": lambda x: np.add(x, M),
    "sum": lambda x: la.sum(M),
    "where": lambda x: la.where(M > 4, x, 0),
    "concat": lambda x: la.concat([x, M]),
    "matmul": lambda x: x @ M,
    "in place": lambda x: operator.iadd(x, M),
    "assigned": lambda x: operator.setitem(x, slice(None), M),
    "one assigned": lambda x: operator.setitem(x, 0, np.ma.masked),
    "mask": lambda x: x[M > 4],
    "indices": lambda x: x[np.ma.array([0, 1], mask=[True, False])],
    "assigned where": lambda x: operator.setitem(x, M > 4, 0),
    "put": lambda x: la.put(x, [0, 1, 2], M),
    "places": lambda x: la.put(x, np.ma.array([0, 1], mask=[True, False]), 1),
    "copied": lambda x: la.copyto(x, M),
    "copied where": lambda x: la.copyto(x, 1.0, where=M > 4),
    "placed": lambda x: la.place(x, M > 4, [1.0]),
    "put where": lambda x: la.putmask(x, X > 1, M),
    "added at": lambda x: la.add.at(x, [0, 1, 2], M),
    "full_like": lambda x: la.full_like(x, np.ma.masked),
    "full": lambda x: la.full(3, M),
    "put into an eager array": lambda x: la.put(la.zeros(3), [0, 1, 2], M),
    "put_along_axis": lambda x: la.put_along_axis(la.zeros(3), la.asarray([0, 1, 2]), M, 0),
    "copyto": lambda x: la.copyto(la.zeros(3), M),
    "fill_diagonal": lambda x: la.fill_diagonal(la.zeros((3, 3)), M),
    "percentile": lambda x: la.percentile(x, M),
    "edges": lambda x: la.histogram(x, M),
    "widths": lambda x: la.pad(x, np.ma.array([1, 2], mask=[True, False])),
}


@pytest.mark.parametrize("case", REFUSED)
def test_masked_elements_are_refused(case):
    for x in (la.asarray(X), la.asarray(X) * 1):
        with pytest.raises(ValueError, match="without masked elements"):
            REFUSED[case](x)
        check(x, X)


def test_arrays_without_masked_elements_are_arrays():
    for mask in (np.ma.nomask, [False] * 3):
        whole = np.ma.array(X, mask=mask)
        check(la.asarray(whole), X)
        check(la.add(la.asarray(X), whole), X + X)
        check(la.asarray(X)[np.ma.array([2, 0])], X[[2, 0]])
    check(la.asarray(np.zeros(3).view(np.recarray)), np.zeros(3))


def test_functions_of_numpys_masked_arrays_take_lazy_ones():
    x = la.asarray(X)
    for found, expected in (
        (np.ma.masked_greater(x, 1.5), np.ma.masked_greater(X, 1.5)),
        (np.ma.array(x, mask=x > 3), np.ma.array(X, mask=X > 3)),
        (np.ma.concatenate([x, M]), np.ma.concatenate([X, M])),
        (np.ma.add(x, M), np.ma.add(X, M)),
    ):
        np.testing.assert_array_equal(found.mask, expected.mask)
        np.testing.assert_array_equal(found.filled(0), expected.filled(0))


def test_a_list_that_holds_itself_is_no_array():
    items = []
    items.append(items)
    for call in (la.asarray, lambda x: la.full(3, x)):
        with pytest.raises(ValueError, match="expected lists in lists"):
            call(items)


LOST = {
    "from_dlpack": lambda: la.from_dlpack(M),
    "frombuffer": lambda: la.frombuffer(M),
    "vectorize": lambda: la.vectorize(lambda v: v + 1)(M),
    "vectorize by name": lambda: la.vectorize(lambda v, w: v + w)(X, w=M),
    "polyfit": lambda: la.polyfit(X, M, 1),
    "out of a function": lambda: la.add(la.asarray(X), 1, out=M.copy()),
    "out of NumPy's function": lambda: np.add(la.asarray(X), 1, out=M.copy()),
    "out of a sum": lambda: la.sum(la.asarray(np.ones((2, 3))), axis=0, out=M.copy()),
    "out of a product": lambda: la.matmul(la.asarray(np.eye(3)), la.asarray(X), out=M.copy()),
    "out of one of two": lambda: la.modf(la.asarray(X), out=(M.copy(), None)),
}


@pytest.mark.parametrize("case", LOST)
def test_masks_are_not_lost(case):
    with pytest.raises(ValueError, match="expected an array without masked elements"):
        LOST[case]()


def test_an_array_without_masked_elements_takes_results():
    out = np.ma.array(X.copy())
    assert la.add(la.asarray(X), 1, out=out) is out
    np.testing.assert_array_equal(out.filled(0), X + 1)
