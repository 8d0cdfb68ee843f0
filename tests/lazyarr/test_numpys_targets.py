"""What others do with arrays beyond calling functions: bytes, places around a view, NumPy's arrays as targets."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided

import lazyarr as la
from lazyarr.config import configure
from tests.lazyarr.evaluation import interpreted


def test_the_bytes_of_arrays_are_those_of_their_elements() -> None:
    for x in (np.arange(3), np.asarray(5), np.arange(6, dtype="float32").reshape(2, 3).T):
        assert bytes(la.asarray(x)) == x.tobytes()
        assert bytes(la.asarray(x) + 1) == bytes(x + 1)
    assert bytes(la.arange(4).max()) == bytes(np.arange(4).max())
    with pytest.raises(ValueError, match="cannot delete"):
        del la.arange(3)[0]


def _toeplitz(x: Any) -> np.ndarray[Any, Any]:
    """As SciPy makes it of a column: rows begin ever further before a view's first element."""
    every = np.concatenate([x[::-1], x[1:]])
    n = every.strides[0]
    made: np.ndarray[Any, Any] = as_strided(every[len(x) - 1 :], (len(x), len(x)), (-n, n)).copy()
    return made


@pytest.fixture
def any_tier() -> Iterator[None]:
    before = configure()
    configure(tier="auto")
    yield
    configure(tier=before.tier)


@pytest.mark.usefixtures("any_tier")
@pytest.mark.parametrize("length", [1, 2, 40, 3000])
@pytest.mark.parametrize("dtype", ["int8", "float32", "float64"])
def test_what_lies_around_a_view_is_its_base(length: int, dtype: str) -> None:
    x = np.random.default_rng(length).integers(-99, 99, length).astype(dtype)
    for make in (la.asarray, lambda x: la.asarray(x) * 1, lambda x: la.concatenate([la.asarray(x)])):
        assert (_toeplitz(make(x)) == _toeplitz(x)).all()
    y = la.asarray(x)
    y[0] = 1  # an eager array, which is written to again
    before = np.asarray(y[length // 2 :])
    kept = before.copy()
    y[:] = 0
    assert (before == kept).all()
    assert not before.flags.writeable


CHANGES: dict[str, Callable[[Any, Any, Any], Any]] = {
    "add.at": lambda a, i, v: np.add.at(a, i, v),
    "add.at, pairs": lambda a, i, v: np.add.at(a.reshape(2, 3), (i // 2, i % 3), v),
    "negative.at": lambda a, i, v: np.negative.at(a, i),
    "put": lambda a, i, v: np.put(a, i, v),
    "put, numbers": lambda a, i, v: np.put(a, [1, 2], v),
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


def test_putmask_takes_arrays_of_values_that_fit_as_numpy_does() -> None:
    for values in (np.array([1.5]), la.asarray([1.5])):
        with pytest.raises(TypeError):
            la.putmask(la.arange(3), la.asarray([True] * 3), values)
    x = la.arange(3)
    la.putmask(x, x > 0, [9.7])  # numbers are converted
    assert x.tolist() == [0, 9, 9]
