"""What is remembered between programs: no data of arrays, and nothing that another program would be answered with."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

import lazyarr as la
from lazyarr import lift
from lazyarr.array import array_of
from lazyarr.graph.leaves import Input
from tests.lazyarr.remembered import data_among, tables
from tests.lazyarr.support import check

pytestmark = pytest.mark.device

MARK = 86_421
"""All data of the programs below lies within a few of a multiple of it. No number of lazyarr's own does, nor one that a
program is written with: where programs differ in such a number alone, it is kept as a constant that kernels read.
"""


def data(shape: tuple[int, ...], dtype: str = "float64") -> np.ndarray:
    return (MARK * (1 + np.arange(np.prod(shape, dtype=int)) % 7)).reshape(shape).astype(dtype)


def is_data(found: np.ndarray) -> bool:
    """Does an array hold data of the programs, or something close to it, as numbers of any dtype?"""
    if found.dtype.kind not in "biufc" or not found.size:
        return False
    raw = np.ascontiguousarray(found).reshape(-1).view(np.uint8)
    views = [found.reshape(-1)]
    if found.dtype == np.uint8:
        views = [raw[: raw.size // size * size].view(f"{kind}{size}") for size in (4, 8) for kind in "if"]
    for view in views:
        with np.errstate(all="ignore"):
            multiple = np.abs(view.real.astype(np.float64)) / MARK
            near = np.abs(multiple - np.round(multiple)) * MARK < 8
            if np.any(near & (multiple > 0.5) & (multiple < 100)):
                return True
    return False


def busy() -> list[lift.Jitted]:
    """Programs of all kinds; the jitted functions among them live on."""
    outside = la.asarray(data((5, 6)))
    functions = []
    np.asarray(la.random.random(5))
    for dtype in ("float32", "float64", "int64", "complex64"):
        a, b = la.asarray(data((5, 6), dtype)), la.asarray(data((5, 6), dtype))
        first = a[0:1, 0:1]
        later = first + 1
        np.asarray(first), np.asarray(later)
        b[1:3, ::2] = a[2:4, 1::2]
        b += 1
        np.asarray(b.T.reshape(-1)[3:9]), np.asarray(a[[0, 2, 4]]), np.asarray(a[np.array([1, 3])])
        np.asarray(la.concatenate([a, np.asarray(b)])), np.asarray(la.where(a == b, a, 0))
        float(la.sum(abs(a))), complex(a[3, 4])
        for _ in range(6):
            a = a + b * 0
            bool(abs(a).max() > 0)
        if dtype != "complex64":
            np.asarray(la.sort(a, axis=0)), np.asarray(la.unique(b)), np.asarray(la.cumulative_sum(a[0]))
            int(a.argmax()), np.asarray(a @ b.T)
            for number in range(100_000, 100_012):
                np.asarray(la.nonzero(a > number)[0])
            a.tolist()
        np.asarray(la.fft.fft(a)), np.asarray(a[1:, None] * b[None, :4])
        f = lift.jit(lambda x: x * outside + x.sum())
        functions.append(f)
        for _ in range(3):
            np.asarray(f(a))
    g = lift.jit(lambda x: x + 1 if float(outside[0, 0]) > 0 else x)
    functions.append(g)
    np.asarray(g(outside))
    lift.explain(g, outside)
    np.asarray(lift.reduce(lambda p, q: p + q, 0.0, lift.map(abs, la.asarray(data((40,))))))
    return functions


@pytest.mark.sweep
def test_no_table_holds_data_of_an_array():
    gc.collect()
    before = {id(x) for x in gc.get_objects() if type(x) is Input}
    functions = busy()
    gc.collect()
    assert list(data_among([*tables(), *functions], is_data)) == []
    del functions  # which hold one that they were given
    gc.collect()
    born = [x for x in gc.get_objects() if type(x) is Input and id(x) not in before and x.storage is not None]
    assert not [x for x in born if is_data(np.asarray(array_of(x, x.shape, np.dtype(x.type.element.name))))]


def test_the_walk_finds_what_is_remembered():
    x = la.asarray(data((4, 4)))
    from lazyarr.graph.bounded_table import BoundedTable

    table: BoundedTable = BoundedTable(10)
    table.put("program", (x.node,))
    assert any(data_among([table], is_data))
    y = x + 1
    la.compute(y)
    assert any(data_among([{"a": [y.expr]}], is_data))
    assert not any(data_among([{"a": weakref.ref(y)}], is_data))


def test_an_element_that_was_read_where_it_lies_is_no_part_of_a_program():
    for k in range(3):
        a = la.asarray(np.full((4, 4), float(k)))
        row = a[0:1, 0:1]
        c = row + 1
        check(row, np.full((1, 1), float(k)))
        check(c, np.full((1, 1), k + 1.0))
    a = la.asarray(np.arange(17.0))
    v = a[6:7]
    w = -v
    check(v, np.array([6.0]))
    check(w, np.array([-6.0]))
    check(-la.asarray(np.array([100.0])), np.array([-100.0]))


@pytest.mark.parametrize("first", [(), ("a",), ("b",), ("a", "b"), ("b", "a"), ("c", "a"), ("a", "a", "d")])
def test_a_program_is_the_same_whatever_was_read_before(first):
    """Values are read in several orders in each of some programs of one structure, over other data each time."""
    for k in range(4):
        x = la.asarray(np.arange(6.0).reshape(2, 3) + 10 * k)
        named = {"a": x[1:2, 1:2], "x": x}
        named["b"] = named["a"] * 2
        named["c"] = la.concatenate([named["b"], x[:1, :1]])
        named["d"] = named["c"].sum() + named["b"]
        for name in first:
            np.asarray(named[name])
        value = 4.0 + 10 * k
        check(named["d"], np.array([[2 * value + 10 * k + 2 * value]]))
        check(named["c"], np.array([[2 * value], [10.0 * k]]))
        check(named["b"], np.array([[2 * value]]))


def test_lists_of_indices_are_no_data():
    """What an operation makes of numbers among its arguments belongs to the program; other numbers are another one."""
    for _ in range(2):
        for indices in ([0, 2, 1], [2, 2, 0]):
            for k in range(2):
                x = np.arange(12.0).reshape(3, 4) + k
                check(la.asarray(x)[indices] + 1, x[indices] + 1)
