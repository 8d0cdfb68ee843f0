"""Products against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lazyarr as la
from tests.lazyarr.evaluation import EXAMPLES
from tests.lazyarr.support import REQUIRED, check, operands

MATMUL = [
    ((5,), (5,)), ((1,), (1,)), ((3, 5), (5,)), ((5,), (5, 2)), ((3, 5), (5, 2)), ((1, 5), (5, 1)), ((3, 1), (1, 4)),
    ((7, 7), (7, 7)), ((2, 3, 5), (5,)), ((5,), (2, 5, 3)), ((2, 3, 5), (5, 4)), ((3, 5), (2, 5, 4)), ((2, 3, 5), (2, 5,
    4)), ((2, 1, 3, 5), (4, 5, 2)), ((0,), (0,)), ((3, 0), (0, 4)), ((0, 5), (5, 2)), ((2, 3, 5), (1, 5, 1)), ((1, 3,
    5), (1, 5, 2)), ((2, 0, 5), (5, 2)),
]  # fmt: skip


@pytest.mark.parametrize("shapes", MATMUL, ids=str)
@given(data=st.data())
@settings(max_examples=max(EXAMPLES // 6, 2))
def test_matmul(shapes, data):
    x, y = (data.draw(operands(shape, data.draw(st.sampled_from(REQUIRED)))) for shape in shapes)
    expected = np.matmul(x, y)
    check(la.asarray(x) @ la.asarray(y), expected, x.shape[-1], 81)
    check(x @ la.asarray(y), expected, x.shape[-1], 81)
    if x.ndim <= 2 and y.ndim <= 2:
        check(la.asarray(x).dot(y), np.dot(x, y), x.shape[-1], 81)


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
    with pytest.raises(ValueError, match=r"dot: supported are"):
        la.dot(a, la.asarray(np.ones((2, 3, 3))))
    with pytest.raises(ValueError, match=r"dot: .*fit"):
        la.dot(a, b)
    with pytest.raises(ValueError, match="vecdot"):
        la.vecdot(a, b)
