"""What is carried out during the call, and what is recorded: by sizes, tiers and tracing."""

from __future__ import annotations

import numpy as np
import pytest

import lazyarr as la
from lazyarr import lift
from lazyarr.aliasing.views import become_eager
from lazyarr.eager import operations
from lazyarr.graph.leaves import is_on_host, looks
from tests.lazyarr.eager.support import array, eager

# --- operations -------------------------------------------------------------------------------------------------------


def test_parts_of_what_is_large_are_read_as_they_lie():
    want = array(300, 500)
    x = la.asarray(want.copy())
    row, small = x[7, 3:9], eager(6)
    element, of_row = x[7, 4], row[1]
    assert x.host is None
    assert element.host is not None
    found = row + small
    assert found.host is not None
    assert x.host is None
    x[7] = 50
    np.testing.assert_array_equal(np.asarray(found), want[7, 3:9] + array(6))
    assert (float(element), float(of_row)) == (want[7, 4], want[7, 4])
    np.testing.assert_array_equal(np.asarray(row + small), 50 + array(6))
    with pytest.raises(IndexError):
        x[300, 0]


def test_what_is_large_traced_put_somewhere_or_compiled_is_recorded():
    large = la.asarray(np.ones(1 << 16))
    assert (large + 1).host is None
    seen = []
    lift.jit(lambda x: seen.append((x + 1).host) or x)(eager(3))
    assert seen == [None]
    put = la.asarray(np.ones(3), device=la.asarray(np.ones(3)).device)
    assert (put + 1).host is None
    la.config(tier="compiled")
    assert (eager(3) + 1).host is None
    la.config(tier="auto", deterministic=True)
    assert (eager(3) + 1).host is None


@pytest.mark.parametrize("kind", ["cpu", "gpu"])
def test_large_eager_arrays_stay_so_where_kernels_would_run_on_the_same_processor(kind, monkeypatch):
    monkeypatch.setattr(operations, "computes_on_cpu", lambda device: kind == "cpu")
    x = eager(200_000)
    found = x[1:] - x[:-1]
    assert (found.host is not None) == (kind == "cpu")
    np.testing.assert_array_equal(np.asarray(found), np.diff(array(200_000)))
    x[1:] -= found
    np.testing.assert_array_equal(np.asarray(x)[1:], array(200_000)[:-1])


def test_what_is_small_is_carried_out_at_once():
    x = la.asarray(np.ones((3, 4)))
    for found in (x + 1, la.exp(x), la.sum(x, axis=0), la.abs(x).T, x[1:], x @ x.T, la.max(x[:2] * 2, axis=1)):
        assert found.host is not None


def test_a_small_eager_array_makes_none_of_what_is_large():
    small, large = eager(4), la.asarray(np.ones((50_000, 4)))
    assert all(found.host is None for found in (large * small, small + large, la.where(small > 1, large, 0)))
    assert (eager(1, 400) - eager(400, 1)).host is None
    assert (eager(1, 300) - eager(300, 1)).host is not None
    np.testing.assert_array_equal(np.asarray(eager(1, 400) - eager(400, 1)), array(1, 400) - array(400, 1))
    assert become_eager(large)
    assert (large * small).host is not None
    np.testing.assert_array_equal(np.asarray(large * small), np.asarray(large) * array(4))


def test_a_small_view_of_a_large_array_that_is_written_to_copies_no_large_array():
    x = la.asarray(np.zeros((4000, 100)))
    row = x[7]
    row[2] = 5
    assert x.host is None
    assert (float(x[7, 2]), float(row[2]), float(la.sum(x))) == (5, 5, 5)


# --- elsewhere --------------------------------------------------------------------------------------------------------


def test_functions_of_elements_are_recorded():
    w = eager(3)
    la.config(tier="reference")
    rows = la.asarray(array(4, 3))
    for found, want in (
        (lift.map(lambda row: w + 0 * row[0] + w[1], rows), np.tile(array(3) + array(3)[1], (4, 1))),
        (lift.reduce(lambda a, b: a + b * (w[0] + w[1]), 0.0, rows[:, 0]), array(4, 3)[:, 0].sum()),
        (lift.generate(4, lambda i: i * (w[0] + w[2])), np.arange(4) * float(w[0] + w[2])),
    ):
        np.testing.assert_allclose(np.asarray(found), want)


def test_outer_products_and_long_dot_products_are_recorded():
    column, row = la.asarray(array(2000, 1)), eager(1, 2000)
    assert (column @ row).host is None
    long = la.asarray(np.ones((1, 16000), np.float32))
    assert become_eager(long)
    assert la.matmul(long, long.T).host is None or np.asarray(la.matmul(long, long.T)) == 16000


@pytest.mark.parametrize("count", [1025, 16384, 16385, 32768])
@pytest.mark.parametrize("step", [1, -1, 2])
def test_long_vectors_are_multiplied_in_memory_of_their_own_each_time(count, step):
    """Whole numbers, so that every order of the terms gives the same."""
    rng = np.random.default_rng(0)
    values = rng.integers(-9, 9, (3, 2 * count)).astype(float)
    x, y, z = (la.asarray(row.copy()) for row in values)
    for each in (x, y, z):
        assert become_eager(each)
    chosen = slice(None, None, step) if step != 2 else slice(0, 2 * count, 2)
    a, b, c = (each[chosen][:count] for each in (x, y, z))
    first, second = la.dot(a, b), a @ c
    wanted = [row[chosen][:count] for row in values]
    assert float(first) == wanted[0] @ wanted[1]
    assert float(second) == wanted[0] @ wanted[2]
    for each, row in zip((x, y, z), values, strict=True):
        assert np.array_equal(np.asarray(each), row)


@pytest.mark.slow
def test_values_that_a_device_still_computes_are_not_waited_for():
    la.config(tier="compiled")
    x = la.asarray(np.ones(1000))
    y = x + 1
    la.compute(y)
    if not is_on_host(y.node.storage):
        pytest.skip("values lie in the device's memory")
    la.config(tier="auto")
    looked = looks.count
    assert (y + 1).host is not None  # it exists
    assert looks.count == looked


def test_a_product_of_vectors_without_elements_is_there_at_once():
    large = la.asarray(np.ones((300, 300)))
    assert (large[0, :0] @ large[1, :0]).host == 0
    assert (large[0, :0] @ la.asarray(np.ones(0, np.float32))).dtype == np.float64
    with pytest.raises(ValueError, match="matvec"):
        la.matvec(large[0, :0], large[1, :0])


@pytest.mark.parametrize("name", ["add.outer", "broadcast", "three"])
def test_parts_that_give_as_much_as_the_array_they_show_are_eager(name):
    n = 400  # above what is eager for itself
    values = array(n, n, dtype="int64")
    x = eager(n, n, dtype="int64")
    operations = {
        "add.outer": lambda xp, a: xp.add.outer(a[:, 3], a[5]),
        "broadcast": lambda xp, a: a[:, 3:4] - a[5],
        "three": lambda xp, a: xp.clip(a[:, :1], a[7], a[8] + 5),
    }
    made, want = operations[name](la, x), operations[name](np, values)
    if name != "three":
        assert made.value is not None
    x[:] = 0
    np.testing.assert_array_equal(np.asarray(made), want)
    alone = la.add.outer(eager(n, dtype="int64"), eager(n, dtype="int64"))
    assert alone.value is None  # no array as large is eager
