"""Large eager results that several threads share: they have the bits that one thread gives."""

from __future__ import annotations

import warnings
from threading import Thread

import numpy as np
import pytest

import lazyarr as la
from lazyarr.aliasing import assignment
from lazyarr.eager import operator_methods, outputs, shared_out, ufuncs
from lazyarr.eager.shared_out import put_by_threads
from lazyarr.memory.quiet import run_quietly

MODULES = (assignment, outputs, shared_out, ufuncs)


@pytest.fixture
def shared(monkeypatch):
    """Everything is shared among three threads; what was shared is noted."""
    noted = []

    def together(work, items, threads):
        noted.append(len(items))
        before(work, items, threads)

    before = shared_out.together
    for module in MODULES:
        monkeypatch.setattr(module, "EAGER_THREADS_FROM_BYTES", 0)
    monkeypatch.setattr(shared_out, "together", together)
    monkeypatch.setattr(shared_out, "threads_at_most", lambda: 3)
    monkeypatch.setattr(ufuncs, "ALONE", 0)
    monkeypatch.setitem(operator_methods._NAMES, "ALONE", 0)
    return noted


def _two(shape, dtype="float64"):
    values = np.random.default_rng(0).normal(size=(2, *shape)).astype(dtype)
    made = [la.asarray(x.copy()) for x in values]
    for x, value in zip(made, values, strict=True):
        x[...] = value  # eager from now on
        assert x.value is not None
    return made, [x.copy() for x in values]


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex128", "int32"])
@pytest.mark.parametrize("shape", [(1000,), (8, 5), (1, 40), (40, 1), (1, 3, 20), (50, 7, 3), (3, 50)])
def test_results_and_writes_are_numpys(shape, dtype, shared):
    (x, y), (p, q) = _two(shape, dtype)
    shared.clear()
    for function in (
        lambda a, b: a + b, lambda a, b: a * 2, lambda a, b: -a, lambda a, b: a * b[..., :1], lambda a, b: a.T - b.T,
        lambda a, b: a[..., ::-1] + b, lambda a, b: a[:1] * b,
    ):  # fmt: skip
        found, wanted = np.asarray(function(x, y)), function(p, q)
        assert found.dtype == wanted.dtype
        assert np.array_equal(found, wanted)
    x += y
    p += q
    y[...] = x
    q[...] = p
    x[..., 1:] -= x[..., :-1]  # parts that overlap
    p[..., 1:] -= p[..., :-1]
    y[1:] = y[:-1]
    q[1:] = q[:-1]
    assert np.array_equal(np.asarray(x), p)
    assert np.array_equal(np.asarray(y), q)
    assert bool(shared) == (next((n for n in shape if n > 1), 0) >= shared_out.THREADS_AT_MOST or shape == (40, 1))


@pytest.mark.parametrize("name", ["maximum", "minimum"])
@pytest.mark.parametrize("extent", [5, 1000])
def test_nothing_warns_of_a_third_operand(name, extent, shared):
    (x, y), (p, q) = _two((extent,))
    wanted = getattr(np, name)(p, q)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = getattr(la, name)(x, y)
        getattr(la, name)(x, y, out=x)
    assert np.array_equal(np.asarray(found), wanted)
    assert np.array_equal(np.asarray(x), wanted)


def test_what_overlaps_is_not_shared(shared):
    x = np.arange(100.0)
    put_by_threads(run_quietly, np.add, (x[:-1], 1.0), x[1:])
    assert not shared
    assert np.array_equal(x, [0.0, *np.arange(1.0, 100.0)])
    put_by_threads(run_quietly, np.add, (x, 1.0), x)
    assert shared


def test_threads_are_as_quiet_and_errors_are_lazyarrs(shared):
    (x, _), _ = _two((64,))
    with np.errstate(all="raise"):
        assert np.isinf(np.asarray(la.abs(x) / 0.0)).all()
        x /= 0.0
    assert shared
    with pytest.raises(ValueError, match=r"broadcast|shape"):
        x[...] = la.asarray(np.ones(63))
    with pytest.raises((TypeError, ValueError)):
        x += la.asarray(np.ones(63))


def test_small_results_are_not_shared(monkeypatch):
    monkeypatch.setattr(shared_out, "together", None)
    (x, y), (p, q) = _two((300, 300))
    x += y
    assert np.array_equal(np.asarray(x + y), p + q + q)


def test_several_threads_may_share_out_at_a_time(shared):
    """None is refused the context that short calls have in common."""
    problems = []

    def work():
        x = np.zeros(200_000)
        try:
            for _ in range(20):
                put_by_threads(run_quietly, np.add, (x, 1.0), x)
        except RuntimeError as error:
            problems.append(error)
        if not problems and not (x == 20).all():
            problems.append(x)

    threads = [Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []


@pytest.mark.parametrize("write", ["x += 1.0", "la.add(x, 1.0, out=x)", "x[:] = y"])
def test_an_interrupt_between_parts_is_not_hidden_from_what_was_recorded(write, shared, monkeypatch):
    """What stands for the array in programs is told that some of it was written."""
    (x, y), _ = _two((300, 4))

    def interrupted(work, items, threads):
        work(iter(items[:1]))
        raise KeyboardInterrupt

    told = []
    monkeypatch.setattr(shared_out, "together", interrupted)
    monkeypatch.setattr(outputs, "is_numpys", lambda size: True)
    for module in (assignment, outputs):
        monkeypatch.setattr(module, "written", told.append)
    with pytest.raises(KeyboardInterrupt):
        exec(write, {"x": x, "y": y, "la": la})
    assert told and told[0] is x


@pytest.mark.parametrize("key", [[0, 2], np.array([0, 2]), np.array([True, False, True, False])], ids=str)
def test_what_indices_choose_is_written_at_once(key, monkeypatch):
    """Not in parts by threads: what NumPy gives for such a key is a copy."""
    monkeypatch.setattr(assignment, "EAGER_THREADS_FROM_BYTES", 0)
    x, n = la.asarray(np.zeros((4, 6))), np.zeros((4, 6))
    for y, new in ((x, la.asarray(np.arange(12.0).reshape(2, 6)) * 1), (n, np.arange(12.0).reshape(2, 6))):
        y[key] = new
    np.testing.assert_array_equal(np.asarray(x), n)
