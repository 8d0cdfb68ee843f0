"""Assignments and functions that write to an array, by NumPy's in its memory, against what recorded ones give."""

from __future__ import annotations

import tracemalloc
import warnings

import numpy as np
import pytest

import lazyarr as la
from lazyarr import config, lift
from tests.lazyarr.eager.support import eager
from tests.lazyarr.support import COMPLEX, DTYPES

MASK = np.array([[True, False, True, False], [False, True, True, False], [False, False, False, True]])
PLACES = np.array([5, 0, 5, -1])

WRITES = {
    "pairs of ranges": lambda x: put(x, (range(3), range(3)), 1), "a range": lambda x: put(x, range(2), 2),
    "a range backwards": lambda x: put(x, (0, range(3, -1, -1)), [1, 2, 3, 4]),
    "no range": lambda x: put(x, range(0), 1),
    "a range beyond": lambda x: put(x, range(9), 1), "a range of columns": lambda x: put(x, (slice(None), range(2)), 3),
    "zero": lambda x: put(x, slice(1), 0), "a fraction": lambda x: put(x, [0, 2], 2.75),
    "NaN": lambda x: put(x, 0, np.nan),
    "a large fraction": lambda x: put(x, 0, 300.5), "a huge one": lambda x: put(x, 0, 1e300),
    "below zero": lambda x: put(x, 0, -1.5), "infinity": lambda x: put(x, 1, np.inf),
    "seven": lambda x: put(x, MASK, 7),
    "a list": lambda x: put(x, 0, [1, 2, 3, 4]), "a tuple": lambda x: put(x, (1, slice(1, 3)), (1, 0)),
    "a list of fractions": lambda x: put(x, 1, [0.5, 1.5, 2.5, 3.5]),
    "of mixed": lambda x: put(x, 1, [1, True, 2.5, 0]),
    "of complex": lambda x: put(x, 0, [1j, 2, 3, 4]), "of truths": lambda x: put(x, [0, 2], [True, False, True, True]),
    "of arrays": lambda x: put(x, 0, [x[1, 1], x[2, 2], 1, 0]), "in lists": lambda x: put(x, 0, [[1, 2, 3, 4]]),
    "too long": lambda x: put(x, 0, [1, 2, 3]), "too large": lambda x: put(x, 0, [1 << 40, 1, 2, 3]),
    "far too large": lambda x: put(x, 0, [1 << 70, 1, 2, 3]), "of none": lambda x: put(x, 0, []),
    "of text": lambda x: put(x, 0, ["1", "2", "3", "4"]), "ragged": lambda x: put(x, 0, [[1, 2], [3]]),
    "to indices": lambda x: put(x, ([0, 2], [1, 1]), [5, 6]), "a range of values": lambda x: put(x, 2, range(4)),
    "place": lambda x: la.place(x, MASK, [1, 2, 3]), "place a number": lambda x: la.place(x, MASK, 7),
    "place its own": lambda x: la.place(x, MASK, x[::-1]), "place itself": lambda x: la.place(x, MASK, x),
    "place fractions": lambda x: la.place(x, MASK, [0.5]),
    "place none": lambda x: la.place(x, MASK, []), "place nowhere": lambda x: la.place(x, MASK & False, []),
    "place by numbers": lambda x: la.place(x, MASK.astype(int), [1, 2]),
    "place elsewhere": lambda x: la.place(x, MASK[0], 1),
    "place NumPy's": lambda x: la.place(x, la.asarray(MASK), np.array([1.5, 2.5])),
    "place whole": lambda x: la.place(x, MASK, np.array([1, 2], "int8")),
    "place complex": lambda x: la.place(x, MASK, 1j),
    "putmask": lambda x: la.putmask(x, MASK, [1, 2, 3]),
    "putmask of as many": lambda x: la.putmask(x, MASK, x[::-1] + x),
    "putmask from behind": lambda x: la.putmask(x, MASK, x.reshape(-1)[1:]),
    "putmask its own": lambda x: la.putmask(x, MASK, x.T), "putmask of none": lambda x: la.putmask(x, MASK, []),
    "putmask a number": lambda x: la.putmask(x, la.asarray(MASK), 2.5),
    "put": lambda x: la.put(x, [0, 2, -1], [1, 2]), "put beyond": lambda x: la.put(x, [0, 12], 1),
    "put, wrapped": lambda x: la.put(x, [12, -13], [1, 2], mode="wrap"),
    "put by truths": lambda x: la.put(x, [True], 1),
    "put, clipped": lambda x: la.put(x, PLACES * 9, 2, mode="clip"), "put its own": lambda x: la.put(x, PLACES, x),
    "put, unknown": lambda x: la.put(x, [0], 1, mode="?"), "put none": lambda x: la.put(x, [0], []),
    "put nowhere": lambda x: la.put(x, [], 1), "put by fractions": lambda x: la.put(x, [0.5], 1),
    "put_along_axis": lambda x: la.put_along_axis(x, np.array([[0], [3], [-1]]), 5, 1),
    "put_along_axis of rows": lambda x: la.put_along_axis(x, la.asarray([[0, 2, 1, 0]]), [[1, 2, 3, 4]], axis=0),
    "put_along_axis, flat": lambda x: la.put_along_axis(x, la.asarray(PLACES), [1, 2, 3, 4], axis=None),
    "put_along_axis, beyond": lambda x: la.put_along_axis(x, la.asarray([[0], [4], [1]]), 5, 1),
    "put_along_axis, flat indices": lambda x: la.put_along_axis(x, la.asarray(PLACES), 5, 1),
    "fill_diagonal": lambda x: la.fill_diagonal(x, 5),
    "fill_diagonal, wrapped": lambda x: la.fill_diagonal(x.T, 5, True),
    "fill_diagonal of several": lambda x: la.fill_diagonal(x, [1, 2]),
    "of a vector": lambda x: la.fill_diagonal(x[0], 1),
    "fill_diagonal of none": lambda x: la.fill_diagonal(x, []), "of fractions": lambda x: la.fill_diagonal(x, 2.5),
    "fill_diagonal with its own": lambda x: la.fill_diagonal(x, x[0]),
    "copyto": lambda x: la.copyto(x, x[::-1]), "copyto of a row": lambda x: la.copyto(x, [1, 2, 3, 4]),
    "copyto of a number": lambda x: la.copyto(x, 3), "copyto of fractions": lambda x: la.copyto(x, 2.5),
    "copyto where": lambda x: la.copyto(x, x[::-1], where=MASK),
    "copyto in rows": lambda x: la.copyto(x, 1, where=MASK[0]),
    "copyto, unsafe": lambda x: la.copyto(x, 2.5, casting="unsafe"),
    "copyto, safe": lambda x: la.copyto(x, [1.5] * 4, "safe"),
    "copyto too large": lambda x: la.copyto(x, 300), "copyto, unfit": lambda x: la.copyto(x, [1, 2]),
    "copyto by numbers": lambda x: la.copyto(x, 1, where=[1, 0, 1, 0]),
    "copyto of a cube": lambda x: la.copyto(x, x[None]),
    "flat": lambda x: put(x.flat, 5, 7), "flat, several": lambda x: put(x.flat, slice(1, 9, 2), [1, 2]),
    "flat, by list": lambda x: put(x.flat, [0, -1], (3, 4)), "flat beyond": lambda x: put(x.flat, 12, 1),
    "flat of columns beyond": lambda x: put(x.T.flat, 12, 1), "flat of columns of none": lambda x: put(x.T.flat, 0, []),
    "flat of columns, by mask": lambda x: put(x.T.flat, MASK.reshape(-1), [1, 2]),
    "flat of columns, one": lambda x: put(x.T.flat, -2, 1),
    "flat of every second": lambda x: put(x[:, ::2].flat, [5, 0], 3),
    "put in every second": lambda x: la.put(x[:, ::2], [5, -6, 5], [1, 2, 3]),
    "put in columns": lambda x: la.put(x.T, PLACES, x), "put none in columns": lambda x: la.put(x.T, PLACES, []),
    "put in columns, clipped": lambda x: la.put(x.T, PLACES.astype("int8") * 9, [1, 2, 3], mode="clip"),
    "put in columns, wrapped": lambda x: la.put(x.T, la.asarray(PLACES * 9), 3, mode="wrap"),
    "put in columns by bytes": lambda x: la.put(x.T, PLACES.astype("int8"), range(9)),
    "put in columns by unsigned": lambda x: la.put(x.T, np.array([3, 7], "uint64"), [1, 2]),
    "place in columns": lambda x: la.place(x.T, MASK.T, [1, 2, 3]),
    "place its columns": lambda x: la.place(x.T, MASK.T, x),
    "place none in columns": lambda x: la.place(x.T, MASK.T, []),
    "place none nowhere": lambda x: la.place(x.T, MASK.T & False, []),
    "place many in every second": lambda x: la.place(x[:, ::2], MASK[:, ::2], list(range(9))),
    "putmask in columns": lambda x: la.putmask(x.T, MASK.T, [1, 2, 3]),
    "putmask one in columns": lambda x: la.putmask(x.T, MASK.T, [1]),
    "putmask its columns": lambda x: la.putmask(x.T, MASK.T, x.reshape(-1)[1:]),
    "putmask none in columns": lambda x: la.putmask(x.T, MASK.T, []),
    "flat of columns": lambda x: put(x.T.flat, slice(0, 4), [1, 2, 3, 4]), "flat, read": lambda x: put(x, 0, x.flat[5]),
    "flat, read beyond": lambda x: x.flat[12], "flat of none": lambda x: put(x.flat, 0, []),
    "add to": lambda x: la.add(x, [1, 2, 3, 4], out=x), "add where": lambda x: la.add(x, x, out=x, where=MASK),
    "add in rows": lambda x: la.add(x, 1, out=x, where=la.asarray(MASK[0])),
    "add it unfit": lambda x: la.add(x, x[:2], out=x),
    "multiply from behind": lambda x: la.multiply(x[::-1], 2, out=x, where=MASK),
    "divide": lambda x: la.divide(x, 2, out=x),
    "add where too much": lambda x: la.add(x[0], 1, out=x[0], where=MASK), "root": lambda x: la.sqrt(abs(x), out=x),
    "root where": lambda x: la.sqrt(x, out=(x,), where=x > 0), "power": lambda x: la.power(x, 2, out=x, where=MASK),
    "negative power": lambda x: la.power(x, [-1, 2, 1, 1], out=x),
    "add by numbers": lambda x: la.add(x, 1, out=x, where=1),
    "sum": lambda x: la.sum(x[:2], axis=0, out=x[2]), "max": lambda x: la.max(x, axis=1, out=x[:, 0]),
    "sum of other shape": lambda x: la.sum(x, axis=0, out=x), "mean": lambda x: la.mean(x, 0, out=x[1]),
    "all": lambda x: la.all(x, 0, out=x[1]), "product": lambda x: la.prod(x, 0, out=x[0], initial=2),
}  # fmt: skip


def put(x, key, value):
    x[key] = value


def written(write, x):
    """What writing leaves in an array, in what it shows and in views, warnings; the error's type and text."""
    view, copy = x[1:, ::2], x + 0 if x.dtype.kind != "b" else x | False
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            write(x)
            raised = None
        except (ArithmeticError, IndexError, TypeError, ValueError) as error:
            raised = type(error), str(error)
    arrays = [np.asarray(each) for each in (x, view, copy)]
    return arrays, raised, [(each.category, str(each.message)) for each in caught]


def recorded(write, x):
    la.config(tier="reference")
    config.eagerness.want(False)
    try:
        return written(write, la.asarray(x))
    finally:
        la.config(tier="auto")


@pytest.mark.parametrize("made", [lambda x: la.asarray(x.copy()), lambda x: as_eager(x), lambda x: as_eager(x.T).T])
@pytest.mark.parametrize("name", WRITES)
def test_writes_leave_what_recorded_ones_leave(name, made):
    for dtype in (*DTYPES, *COMPLEX):
        value = (np.arange(12) * 7 % 5 + 1 - 2 * (dtype[0] not in "ub")).astype(dtype).reshape(3, 4)
        wanted, got = recorded(WRITES[name], value), written(WRITES[name], made(value))
        assert got[1:] == wanted[1:], dtype
        for a, b in zip(got[0], wanted[0], strict=True):
            assert (a.dtype, a.shape) == (b.dtype, b.shape)
            np.testing.assert_allclose(a, b, 1e-6, err_msg=dtype)


def as_eager(value):
    made = la.zeros(value.shape, dtype=value.dtype)
    made[...] = value
    assert made.host is not None
    return made


@pytest.mark.parametrize("name", [
    "pairs of ranges", "a list", "of mixed", "of arrays", "place", "place its own", "putmask", "putmask its own", "put",
    "put, wrapped", "put_along_axis", "fill_diagonal", "copyto", "copyto where", "flat", "add to", "add where",
    "multiply from behind", "root", "sum", "max",
])  # fmt: skip
def test_they_are_made_in_the_memory_that_is_there(name):
    x = eager(3, 4)
    before = x.host
    WRITES[name](x)
    assert x.host is before and x.value is before


@pytest.mark.slow
def test_what_is_read_only_traced_large_or_compiled_is_not_written_to():
    for write in (lambda x: la.place(x, MASK, 1), lambda x: la.put(x, [0], 1), lambda x: la.copyto(x, 1)):
        x = la.broadcast_to(eager(4), (3, 4))
        with pytest.raises(ValueError, match="read-only"):
            write(x)
    large = la.asarray(np.arange(1 << 18, dtype=float)) * 2
    la.putmask(large, la.asarray(np.arange(1 << 18)) > 5, 0.0)
    assert large.host is None

    @lift.jit
    def jitted(x):
        x = x + 1
        la.putmask(x, x > 3, 0.0)
        x.flat[0] = 7.0
        x[range(1, 3)] = [8.0, 9.0]
        return la.add(x, [1.0, 2.0, 3.0, 4.0, 5.0])

    value = np.arange(5.0)
    wanted = value + 1
    wanted[wanted > 3] = 0
    wanted[:3] = 7, 8, 9
    np.testing.assert_array_equal(np.asarray(jitted(as_eager(value))), wanted + np.arange(1.0, 6))
    la.config(tier="compiled", tune="off")
    x = la.asarray(np.arange(4.0))
    la.putmask(x, la.asarray([True, False, True, False]), 9.0)
    assert x.value is None and np.asarray(x).tolist() == [9, 1, 9, 3]


def test_shared_memory_is_left_alone_and_what_was_read_keeps_its_value():
    own = np.arange(12.0).reshape(3, 4)
    x = la.asarray(own, copy=False)
    before = x * 2
    la.place(x, MASK, [-1.0])
    x[range(2)] = [1, 2, 3, 4]
    np.testing.assert_array_equal(own, np.arange(12.0).reshape(3, 4))
    np.testing.assert_array_equal(np.asarray(before), own * 2)


def test_a_function_of_one_operand_changes_places_where_they_lie():
    x = la.zeros(100_000)
    x[...] = 1
    before = x * 2
    la.negative.at(x, [0, 3])
    tracemalloc.start()
    la.negative.at(x, [0, 5, 5])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < x.nbytes / 2
    np.testing.assert_array_equal(np.asarray(x)[:7], [1, 1, 1, -1, 1, 1, 1])
    assert np.all(np.asarray(before) == 2)
