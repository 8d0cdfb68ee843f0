"""Results take the memory of no input whose value somebody keeps: who keeps one has it afterwards."""

from __future__ import annotations

import numpy as np
import pytest

import lazyarr as la
from lazyarr import lift
from lazyarr.aliasing import views
from tests.lazyarr.execution.dying import COUNT, TWO, at_once, fresh, warm  # noqa: F401  # a fixture that each test uses

pytestmark = pytest.mark.optimised  # compilers conclude from the names of memory that it is not the same


def numpy_view(x):
    return np.asarray(x)


def part_of_numpy_view(x):
    return np.asarray(x)[5:9]


def buffer(x):
    return memoryview(np.asarray(x))


def exported(x):
    return np.from_dlpack(x)


def copied(x):
    return x.copy()


def computed_view(x):
    y = x[3:]
    la.compute(y)
    return np.asarray(y)


def pending(x):
    return x + 1


def pending_of_pending(x):
    return (x + 1) * 3


def half_computed(x):
    y = x + 1
    z = y * 3
    la.compute(y)
    return [y, z]


def expression(x):
    return x.node


def reshaped(x):
    return la.reshape(x.copy(), (1, COUNT))


def result_of_jit(x):
    return lift.jit(lambda x: (x, x + 1))(x)[0]


def listed(x):
    return [x.copy(), {"a": x + 1}]


def suspended(x):
    y = x.copy()

    def rows():
        yield 0
        yield np.asarray(y)

    made = rows()
    next(made)
    return made


def read_by_parts(x):
    y = x.copy()
    for i in range(60):
        float(y[i])
    return y


HOLDERS = [
    numpy_view, part_of_numpy_view, buffer, exported, copied, computed_view, pending, pending_of_pending, half_computed,
    expression, reshaped, result_of_jit, listed, suspended, read_by_parts,
]  # fmt: skip


def shown(holder, held):
    """What the holder has, as NumPy arrays."""
    if holder is expression:
        return [held.storage.to_numpy("float32", (COUNT,))]
    if holder is suspended:
        return [next(held)]
    if holder is listed:
        return [np.asarray(held[0]), np.asarray(held[1]["a"])]
    if holder is half_computed:
        return list(map(np.asarray, held))
    return [np.asarray(held)]


@pytest.mark.parametrize("holder", HOLDERS, ids=lambda each: each.__name__)
@pytest.mark.parametrize("way", ["operator", "at once", "name", "jit"])
def test_who_keeps_a_value_has_it_afterwards(holder, way, monkeypatch):
    if way == "at once":  # as of large arrays
        monkeypatch.setattr(views, "CHANGES_RECORDED_AT_MOST", 0)
    assert warm()

    @lift.jit
    def assigns(u):
        u *= TWO

    def change(x):
        if way in ("operator", "at once"):
            x *= TWO
        elif way == "name":
            x = x * TWO
        else:
            assigns(x)
        return x

    for _ in range(3):
        y, _ = fresh()
        y = change(y)
        la.compute(y)
    x, values = fresh()
    held = holder(x)
    expected = [each.copy() for each in shown(holder, held)] if holder not in (suspended, pending) else None
    if holder in (pending_of_pending, half_computed, listed):  # asking has computed it: hold it anew
        held = holder(x)
    x = change(x)
    la.compute(x)
    found = shown(holder, held)
    if holder is pending:
        expected = [values + 1]
    if holder is suspended:
        expected = [values]
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_array_equal(a, b)
    np.testing.assert_array_equal(x, values * 2)


def test_another_name_sees_the_change_of_the_object_alone():
    assert warm()
    x, values = fresh()
    y = x
    x *= TWO
    la.compute(x)
    assert y is x
    y = x
    x = x * TWO
    la.compute(x)
    np.testing.assert_array_equal(y, values * 2)
    np.testing.assert_array_equal(x, values * 4)


def test_views_see_the_change():
    assert warm()
    x, values = fresh()
    v, w = x[::2], x[10:20]
    la.compute(v)
    for _ in range(3):
        x *= TWO
        w += 1
        values *= 2
        values[10:20] += 1
    np.testing.assert_array_equal(v, values[::2])
    np.testing.assert_array_equal(w, values[10:20])
    np.testing.assert_array_equal(x, values)


def test_memory_of_numpy_is_never_written_to():
    for given in (np.ones(COUNT, np.float32), np.arange(COUNT, dtype=np.float32)):
        before = given.copy()
        for copy in (None, False, True):
            for _ in range(4):
                x = la.asarray(given, copy=copy)
                x = x * TWO
                la.compute(x)
            np.testing.assert_array_equal(given, before)
        given.setflags(write=False)
        for _ in range(4):
            x = la.asarray(given)
            x *= TWO
            la.compute(x)
        np.testing.assert_array_equal(given, before)


def test_results_that_something_on_the_way_needs():
    def run():
        x, values = fresh()
        y = x * TWO
        z = y + 1
        del x
        la.compute(z)  # y may be computed again, of what x stood for
        np.testing.assert_array_equal(z, values * 2 + 1)
        np.testing.assert_array_equal(y, values * 2)

    for _ in range(4):
        run()


def test_what_was_kept_on_the_way_stays():
    for _ in range(4):
        x, values = fresh()
        y = la.cumulative_sum(x)
        del x
        assert float(la.max(y)) == values.sum()  # y is kept, as a call that has a value
        z = y * TWO
        la.compute(z)
        np.testing.assert_array_equal(z, values.cumsum() * 2)
        np.testing.assert_array_equal(y, values.cumsum())
        u = la.cumulative_sum(z)
        float(la.max(u))
        v = u * TWO
        del u
        la.compute(v)
        np.testing.assert_allclose(v, (values.cumsum() * 2).cumsum() * 2, rtol=1e-5)


def test_what_earlier_kernels_read_is_read_by_then():
    def run():
        x, values = fresh()
        s = la.cumulative_sum(x)
        y = x - la.sum(s) / COUNT
        z = la.sort(x) + x
        del x
        la.compute(y, z, s)
        np.testing.assert_allclose(s, np.cumsum(values, dtype="float64"), rtol=1e-5)
        np.testing.assert_allclose(y, values - np.cumsum(values, dtype="float64").sum() / COUNT, rtol=1e-4)
        np.testing.assert_array_equal(z, np.sort(values) + values)

    for _ in range(3):
        run()


def test_kernels_that_read_elsewhere():
    ways = [
        (lambda x: x[::-1] + 1, lambda a: a[::-1] + 1),
        (lambda x: la.roll(x, 1) * 2, lambda a: np.roll(a, 1) * 2),
        (lambda x: x + x[::-1], lambda a: a + a[::-1]),
        (lambda x: x - la.max(x), lambda a: a - a.max()),
        (lambda x: la.take(x, la.asarray(np.arange(COUNT)[::-1].copy())), lambda a: a[::-1]),
        (lambda x: la.concat([x[:1], x[1:] - x[:-1]]), lambda a: np.concatenate([a[:1], a[1:] - a[:-1]])),
    ]
    for ours, numpys in ways:
        for _ in range(3):
            x, values = fresh()
            x = ours(x)
            la.compute(x)
            np.testing.assert_array_equal(x, numpys(values))
