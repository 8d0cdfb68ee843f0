"""Results of large eager arrays take memory again that nobody shows any more, and no other."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import lazyarr as la
from lazyarr.eager import operations
from lazyarr.memory import snapshots


def eager_array(n, value):
    x = la.asarray(np.full(n, value))
    x[0] = value  # eager from now on
    return x


N = 3 * snapshots.COPIES_POOLED_FROM // 8


@pytest.fixture
def known(monkeypatch):
    """The blocks that are known from now on."""
    blocks = snapshots._Blocks()
    monkeypatch.setattr(snapshots, "_blocks", blocks)
    return lambda: [block for each in blocks._known.values() for block in each]


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x * 2.0 + x,
        lambda x: 2.0 * x - la.sqrt(x),
        lambda x: la.add.outer(x[:300], x[:300]) * 1.5,
        lambda x: x[:40_000].reshape(200, 200)[:, 10:] / x[:190],
        lambda x: -(x > 0.5).astype("float64"),
    ],
)
def test_results_of_large_eager_arrays_take_memory_again(known, function):
    x = eager_array(N, 1.0)
    function(x)  # it becomes known which functions of NumPy's do
    for _ in range(50):
        y = function(x)
        assert type(y.value.base) is snapshots.HostBlock
    assert len(known()) <= 6 < snapshots._KEPT


@pytest.mark.parametrize(
    "shown",
    [
        lambda y: y,
        lambda y: y[5:],
        lambda y: y[5:].reshape(-1, 1),
        lambda y: np.asarray(y),
        lambda y: y.value,
        la.Array.copy,
    ],
)
def test_what_is_shown_keeps_the_memory(shown):
    x = eager_array(N, 1.0)
    kept = [shown(x + float(i)) for i in range(snapshots._KEPT + 9)]
    for _ in range(2 * len(kept)):
        x * 7.0
    for i, each in enumerate(kept):
        assert (np.asarray(each) == 1 + i).all()


def test_threads_never_get_the_same_memory():
    x = eager_array(N, 1.0)

    def work(i):
        for _ in range(60):
            y = x + float(i)
            z = y * 2.0
            assert (y.value == 1 + i).all()
            assert (z.value == 2 + 2 * i).all()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(8)))


def test_of_a_size_only_so_many_blocks_are_known():
    blocks = snapshots._Blocks()
    made = [blocks.array((N,), np.dtype(float), 8 * N, False) for _ in range(3 * snapshots._KEPT)]
    ((capacity, known),) = blocks._known.items()
    assert len(known) == snapshots._KEPT
    assert blocks._bytes == capacity * snapshots._KEPT
    assert len({each.__array_interface__["data"][0] for each in made}) == len(made)


def test_operands_of_one_size_lie_apart_in_pages_and_in_their_blocks():
    blocks, dtype = snapshots._Blocks(), np.dtype(float)
    capacity = snapshots.size_class(8 * N)
    whole = [blocks.array((capacity // 8,), dtype, capacity, True) for _ in range(snapshots._KEPT)]
    for i, x in enumerate(whole):
        x[:] = i
    assert len({x.ctypes.data % 4096 for x in whole}) > 5
    assert all(x.ctypes.data % 128 == 0 and (x == i).all() for i, x in enumerate(whole))
    assert blocks.array((N,), dtype, 8 * N, False).ctypes.data % 4096 == 0


def test_all_blocks_are_forgotten_where_they_take_too_much():
    blocks = snapshots._Blocks()
    blocks._most = 40 * N
    kept = [blocks.array((N,), np.dtype(float), 8 * N, False) for _ in range(9)]
    assert sum(map(len, blocks._known.values())) < 5
    kept[0][:] = 3
    assert all(not np.may_share_memory(kept[0], each) for each in kept[1:])


def written_until_eager(x):
    """How many writes to most of an array it takes until it is eager."""
    for count in range(1, 40):
        x[1:] = x[:-1] + 1.0
        if x.value is not None:
            return count
    raise AssertionError("it never becomes eager")


def test_an_array_like_one_that_became_eager_in_a_loop_does_so_sooner(monkeypatch):
    monkeypatch.setattr(operations, "_in_loops", set())
    shapes = [(200_000,), (200_000,), (200_001,)]
    arrays = [la.asarray(np.arange(float(*shape))) for shape in shapes]
    assert [written_until_eager(x) for x in arrays] == [8, 2, 8]
    wanted = np.arange(200_000.0)
    for _ in range(2):
        wanted[1:] = wanted[:-1] + 1.0
    np.testing.assert_array_equal(np.asarray(arrays[1]), wanted)


def test_only_so_many_shapes_are_known(monkeypatch):
    monkeypatch.setattr(operations, "_in_loops", set())
    monkeypatch.setattr(operations, "_LOOPS_KNOWN", 2)
    for n in range(200_000, 200_005):
        written_until_eager(la.asarray(np.ones(n)))
        assert len(operations._in_loops) <= 2


def test_computing_an_eager_array_copies_nothing():
    x = la.asarray(np.random.default_rng(0).random((600, 100)))
    chosen = x[x > 0.5]
    assert chosen.value is not None  # eager
    la.compute(chosen, x)
    assert chosen.expr is None
    chosen[0] = 7.0
    la.compute(chosen)
    assert float(chosen[0]) == 7.0
