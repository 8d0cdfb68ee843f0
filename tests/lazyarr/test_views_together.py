"""Several views of one array put together, and views of what was put together."""

from __future__ import annotations

import numpy as np
import pytest

import lazyarr as la
from lazyarr import lift
from lazyarr.config import configure
from tests.lazyarr.support import check, values

pytestmark = pytest.mark.device


@pytest.fixture
def tier_of(request):
    """The tier that a test names."""
    before = configure(tier=request.param, tune="off")
    yield
    configure(tier=before.tier, tune=before.tune)


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("tier_of", ["reference", "compiled"], indirect=True)
@pytest.mark.usefixtures("tier_of")
def test_views_of_one_vector_are_stacked(axis):
    """They are one variable, on other axes."""
    x = np.array([3.0, 1.0, 4.0])

    def stacked(xp, a):
        across, down = xp.broadcast_to(a, (3, 3)), xp.broadcast_to(a[:, None], (3, 3))
        return (
            xp.stack([across, down], axis=axis),
            xp.stack([across, down, across.T[::-1]], axis=axis),
            xp.stack(xp.meshgrid(a, a), axis=axis),
            xp.stack([xp.tile(a, 3), xp.repeat(a, 3)], axis=axis),
            xp.column_stack([xp.ravel(across), xp.ravel(down)]),
        )

    for ours, theirs in zip(lift.jit(lambda a: stacked(la, a))(la.asarray(x)), stacked(np, x), strict=True):
        check(ours, theirs)


@pytest.mark.parametrize("shape", [(5, 2), (8, 2), (9, 3), (7, 4)])
@pytest.mark.parametrize("tier_of", ["compiled"], indirect=True)
@pytest.mark.usefixtures("tier_of")
def test_a_column_of_a_matrix_whose_diagonal_was_filled(shape):
    """A number in front of parts of rows, read by columns: it is stored, as no map can be brought out of that."""
    for column in range(shape[1]):
        x = values(shape, "float32", 7)
        a = la.asarray(x.copy())
        for n, array in ((la, a), (np, x)):
            n.fill_diagonal(array, np.int64(column))
        check(la.moveaxis(a, 0, -1)[column], np.moveaxis(x, 0, -1)[column])
