"""What others do with arrays beyond calling functions: bytes, and NumPy's arrays as targets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from tests.lazyarr.evaluation import interpreted


def test_the_bytes_of_arrays_are_those_of_their_elements() -> None:
    for x in (np.arange(3), np.asarray(5), np.arange(6, dtype="float32").reshape(2, 3).T):
        assert bytes(la.asarray(x)) == bytes(x)
        assert bytes(la.asarray(x) + 1) == bytes(x + 1)
    assert bytes(la.arange(4).max()) == bytes(np.arange(4).max())
    with pytest.raises(ValueError, match="cannot delete"):
        del la.arange(3)[0]


CHANGES: dict[str, Callable[[Any, Any, Any], Any]] = {
    "add.at": lambda a, i, v: np.add.at(a, i, v),
    "add.at, pairs": lambda a, i, v: np.add.at(a.reshape(2, 3), (i // 2, i % 3), v),
    "negative.at": lambda a, i, v: np.negative.at(a, i),
    "add.at, slice": lambda a, i, v: np.add.at(a, slice(1, 5), v),
    "add.at, all": lambda a, i, v: np.add.at(a, ..., v[0]),
    "put": lambda a, i, v: np.put(a, i, v),
    "put, numbers": lambda a, i, v: np.put(a, [1, 2], v),
    "put, by name": lambda a, i, v: np.put(a=a, ind=i, v=v),
    "place, by name": lambda a, i, v: np.place(arr=a, mask=np.tile(i, 2)[:6] > 1, vals=v),
    "place": lambda a, i, v: np.place(a, np.tile(i, 2)[:6] > 1, v),
    "putmask": lambda a, i, v: np.putmask(a, np.tile(i, 2)[:6] > 1, v),
    "put_along_axis": lambda a, i, v: np.put_along_axis(a, i, v, 0),
    "copyto": lambda a, i, v: np.copyto(a[:4], v),
}


@pytest.mark.parametrize("name", list(CHANGES))
@interpreted()
def test_functions_that_write_to_numpys_arrays_take_lazy_operands(name: str) -> None:
    i, v = np.array([3, 1, 1, 0]), np.array([1.0, 2.5, -4.0, 7.0])
    expected, found, also = np.arange(6.0), np.arange(6.0), np.arange(6.0)
    CHANGES[name](expected, i, v)
    CHANGES[name](found, la.asarray(i), la.asarray(v))
    CHANGES[name](also, la.asarray(i) + 0, v)
    assert (found == expected).all()
    assert (also == expected).all()


@pytest.mark.parametrize("put", [la.putmask, la.place])
def test_arrays_of_values_fit_as_numpy_has_it(put: Any) -> None:
    for values in (np.array([1.5]), la.asarray([1.5])):
        with pytest.raises(TypeError):
            put(la.arange(3), la.asarray([True] * 3), values)
    x = la.arange(3)
    put(x, x > 0, [9.7])  # numbers are converted
    assert x.tolist() == [0, 9, 9]
