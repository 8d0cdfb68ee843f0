"""Bases and their views: what an assignment costs, what is kept alive, threads, and recordings that are undone."""

from __future__ import annotations

import gc
import threading
import weakref

import numpy as np
import pytest

import lazyarr as la
from ir.cost.thresholds.partition import VIEW_STEPS_AT_MOST
from lazyarr import lift
from lazyarr.aliasing.view_steps import Chosen, Strided
from lazyarr.errors import TracingError
from tests.lazyarr.evaluation import interpreted
from tests.lazyarr.support import check


@pytest.fixture
def taken(monkeypatch):
    """How often the elements of a view were taken of its base."""
    calls = []
    of = Chosen.of

    def counted(self, x):
        calls.append(self)
        return of(self, x)

    monkeypatch.setattr(Chosen, "of", counted)
    return calls


@interpreted()
def test_an_assignment_costs_the_same_whatever_the_number_of_views(taken):
    x = la.asarray(np.zeros((40, 3)))
    views = [x[i % 40 :, i % 3] for i in range(100)]
    for i in range(40):
        x[i, 1] = i
        views[i][0] += 1  # which is made once, put into the base, and out of date with the next assignment
    assert len(taken) <= 40
    assert [view.expr for view in views[1:39]] == [None] * 38
    expected = np.zeros((40, 3))
    shown = [expected[i % 40 :, i % 3] for i in range(100)]
    for i in range(40):
        expected[i, 1] = i
        shown[i][0] += 1
    check(x, expected)
    del taken[:]
    for i in (0, 7, 99):
        check(views[i], shown[i])
    assert len(taken) == 3


@interpreted()
def test_what_is_read_is_made_once(taken):
    x = la.asarray(np.arange(6.0))
    first, second = x[:3], x[2:]
    x[2] = 9
    assert first.node is first.node
    assert len(taken) == 1
    check(second + second, np.array([18.0, 6, 8, 10]))
    assert len(taken) == 2


@interpreted()
def test_chains_of_views_stay_short():
    programs = [
        lambda y: y[1:],
        lambda y: y[::-1][1:],
        lambda y: y.T[1:, :].T if y.ndim > 1 else y[1:],
        lambda y: y.reshape(-1, 1)[1:].reshape(-1),
        lambda y: y[None, 1:].squeeze(),
        lambda y: y.reshape(-1, 2)[1:].reshape(-1),
        lambda y: y.reshape(-1, 2).T[:, 1:].ravel(order="F"),
        lambda y: y.reshape(2, -1)[:, 1:].reshape(2, -1, 1)[:, ::-1, 0] if y.ndim == 1 else y[:, 1:],
    ]
    for program in programs:
        for held in (True, False):
            a, b = np.arange(60.0), la.asarray(np.arange(60.0))
            base, found = (a, b) if held else (None, None)
            for number in range(11):
                a, b = program(a), program(b)
                if number % 3 == 0:
                    a[..., 1] = b[..., 1] = -number
                assert len(b.origin.steps) <= VIEW_STEPS_AT_MOST
            a += 1
            b += 1
            check(b, a)
            if held:
                check(found, base)


@interpreted()
def test_a_chain_that_no_key_says_is_one_of_strides():
    a, b = np.arange(128.0), la.asarray(np.arange(128.0))
    y, z = (x.reshape(4, 32)[::-1, :30] for x in (a, b))
    for _ in range(9):
        y, z = (x.reshape(4, -1, 2)[:, 1:].reshape(4, -1) for x in (y, z))
        y[2], z[2] = -1, -1
        y[1, 3:] += 1
        z[1, 3:] += 1
        assert len(z.origin.steps) <= VIEW_STEPS_AT_MOST
    assert Strided in {type(step) for step in z.origin.steps}
    check(z, y)
    check(b, a)
    b[:], a[:] = 3, 3
    check(z, y)


@interpreted()
def test_a_view_out_of_date_keeps_its_base_until_it_is_read():
    base = la.arange(6.0)
    gone = weakref.ref(base)
    view = base[1:]
    base[2] = 7
    del base
    gc.collect()
    assert gone() is not None
    assert view.tolist() == [1, 7, 3, 4, 5]
    gc.collect()
    assert gone() is None
    view[0] = 5
    assert view.tolist() == [5, 7, 3, 4, 5]


def test_a_view_out_of_date_that_dies_lets_its_base_go():
    base = la.arange(6.0)
    gone = weakref.ref(base)
    view = base[1:]
    base[2] = 7
    del base, view
    gc.collect()
    assert gone() is None


@pytest.mark.slow
@interpreted()
def test_bases_that_died_one_after_the_other():
    a, b = np.zeros((3, 40)), la.asarray(np.zeros((3, 40)))
    for _ in range(20):
        a, b = a[:, 1:], b[:, 1:]
        gc.collect()
    assert np.shares_memory(a, a.reshape(1, 3, 20))
    flat, copied = b.reshape(1, 3, 20), b.reshape(-1)
    flat[0, 1] = 3
    copied[:] = 5  # of elements that do not lie beside each other
    check(b, np.eye(3)[1][:, None] * 3 + np.zeros((3, 20)))


@interpreted()
def test_values_of_views_that_no_assignment_met_are_kept():
    x = la.asarray(np.arange(12.0).reshape(4, 3))
    rows = list(x)
    before = [row.node for row in rows]
    rows[1] += 1
    rows[2] += 1
    assert rows[0].node is before[0]
    rows[1] += 1
    x[3, 0] = 8  # to the base: where it was is not remembered
    rows[1] += 1
    check(rows[3], np.array([8.0, 10, 11]))
    check(rows[0], np.arange(3.0))
    for _ in range(12):
        rows[2] += 1  # more than are remembered
    check(rows[0], np.arange(3.0))
    check(x, np.array([[0, 1, 2], [6, 7, 8], [19, 20, 21], [8, 10, 11.0]]))


@interpreted()
def test_threads_make_views_while_others_assign():
    for _ in range(4):
        x = la.asarray(np.zeros(64))
        start = threading.Barrier(3)
        made = []

        def write(x=x, start=start):
            start.wait()
            for i in range(64):
                x[i] = i + 1

        def read(x=x, start=start, made=made):
            start.wait()
            made += [x[i:] for i in range(64)]

        threads = [threading.Thread(target=f) for f in (write, read, read)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        check(x, np.arange(1.0, 65))
        for view in made:
            assert view[-1].tolist() == 64
            assert view.expr is not None
        total = la.stack([view[0] for view in made]).tolist()
        assert total == [65.0 - view.size for view in made]


@pytest.mark.device
def test_views_read_while_a_recording_assigns_to_their_base_are_undone():
    captured = la.asarray(np.arange(4.0))
    view, other = captured[1:], captured[:2]

    def assigns(x):
        captured[:3] = x
        return view + other[0]

    with pytest.raises(TracingError, match="assigns what depends on its arguments to an array that is none"):
        lift.jit(assigns)(la.asarray(np.ones(3)))
    for x in (view, other, captured):
        assert x.traced_in is None
    check(view, np.arange(1.0, 4.0))
    check(other, np.arange(2.0))
    captured[1] = 7
    check(view, np.array([7.0, 2, 3]))


@pytest.mark.device
def test_jitted_functions_and_views_of_every_kind():
    def changes(x):
        x[1:, 1:] = 0
        x.diagonal()
        part = x.T[0]
        part += 1
        x.reshape(-1)[2] = 9
        return part * 2

    a, b = np.arange(12.0).reshape(3, 4), la.asarray(np.arange(12.0).reshape(3, 4))
    rows, shown = [a[1], a[:, ::2].T], [b[1], b[:, ::2].T]
    jitted = lift.jit(changes)
    for _ in range(2):
        check(jitted(b), changes(a))
        for expected, found in zip(rows, shown, strict=True):
            check(found, expected)
    with pytest.raises(ValueError, match="read-only"):
        jitted(la.broadcast_to(b[0], (3, 4)))
    check(b, a)


def test_values_kept_for_views_go_when_they_are_of_no_use():
    x = la.asarray(np.zeros(1000))
    first, views = x[:1], []
    for _ in range(20):
        view = x[1:]
        np.asarray(view)
        views.append(view)
        first += 1
    assert 0 < sum(view.origin.kept is not None for view in views) <= 9
    x[...] = la.asarray(np.ones(1000))
    assert not any(view.origin.kept for view in views)
    assert not x.family.keepers
    for view in views:
        check(view, np.ones(999))


def test_views_of_one_number_see_what_is_assigned_to_the_others():
    base = la.asarray(np.array(9, "uint32"))
    view = base[...]
    row = view[None, ...]
    same = row[...]
    check(row, np.array([9], "uint32"))  # the others keep this value, unless they are written to
    row[...] = 1
    for x, shape in ((same, (1,)), (row, (1,)), (view, ()), (base, ())):
        check(x, np.ones(shape, "uint32"))
