"""Numbers that are assigned one by one: what an integer dtype cannot hold is an error, as in NumPy, and never another
number.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from typing import Any

import numpy as np
import pytest

import lazyarr as la

NAN = float("nan")


class Named(IntEnum):
    """A number of Python's that is none of its own classes."""

    LARGE = 300


LISTS: tuple[Any, ...] = (
    [1, NAN, 2], (1, float("inf"), 2), [300, 1, 1], [-129, 1, 1], [1.5, 2, 70000], [np.float64(NAN), 1, 1],
    [2**70, 1, 1], [1e30, 1, 1], [1j, 1, 1], [True, 2.5, 3], [1.5, -2.5, 3], range(299, 302), range(-2, 1),
)  # fmt: skip
ALONE: tuple[Any, ...] = (
    NAN, -float("inf"), 1e30, 3e9, -1.5, 2.5, True, 300, -1, 2**63, 2**70, 1j, Named.LARGE,
)  # fmt: skip
NUMBERS: tuple[Any, ...] = (
    *ALONE, np.float64(NAN), np.float32("inf"), np.int64(300), np.int16(-129), np.uint8(200), np.float64(2.5),
)  # fmt: skip
DTYPES = [("int8", 6), ("uint16", 6), ("int64", 6), ("float32", 6), ("bool", 6), ("int8", 50_000)]
PLACES: dict[str, Any] = {
    "slice": slice(0, 3), "reversed": slice(2, None, -1), "indices": [0, 2, 1],
}  # fmt: skip


def by_key(key: Any) -> Callable[[Any, Any, Any], None]:
    def write(lib: Any, x: Any, value: Any) -> None:
        x[key] = value

    return write


def to_flat(lib: Any, x: Any, value: Any) -> None:
    x.flat[:3] = value


def to_all_of_flat(lib: Any, x: Any, value: Any) -> None:
    x.flat = value


WRITES: dict[str, Callable[[Any, Any, Any], None]] = {
    **{name: by_key(key) for name, key in PLACES.items()},
    "flat": to_flat,
    "all of flat": to_all_of_flat,
    "put": lambda lib, x, value: lib.put(x, [0, 1, 2], value),
    "place": lambda lib, x, value: lib.place(x, lib.arange(x.size) < 3, value),
    "putmask": lambda lib, x, value: lib.putmask(x, lib.arange(x.size) < 3, value),
    "put_along_axis": lambda lib, x, value: lib.put_along_axis(x, lib.arange(3), value, 0),
    "fill_diagonal": lambda lib, x, value: lib.fill_diagonal(x.reshape(2, -1)[:, :3], value),
}


def outcome(lib: Any, write: Callable[[Any, Any, Any], None], start: np.ndarray[Any, Any], value: Any) -> Any:
    """The values that an array has then, or the class of the error."""
    x = lib.asarray(start.copy()) + lib.asarray(0, dtype=start.dtype)
    try:
        with np.errstate(all="ignore"):
            write(lib, x, value)
    except (ArithmeticError, TypeError, ValueError) as error:
        return type(error)
    return repr(np.asarray(x)[:8].tolist())


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(("dtype", "length"), DTYPES)
@pytest.mark.parametrize("name", WRITES)
def test_numbers_of_lists_are_converted_one_by_one(name: str, dtype: str, length: int) -> None:
    start = np.zeros(length, dtype)
    for value in LISTS:
        assert outcome(la, WRITES[name], start, value) == outcome(np, WRITES[name], start, value), value


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(("dtype", "length"), [*DTYPES, ("uint64", 6), ("complex64", 6)])
@pytest.mark.parametrize("name", WRITES)
def test_functions_convert_a_number_as_numpy_does(name: str, dtype: str, length: int) -> None:
    start = np.zeros(length, dtype)
    for value in ALONE:
        assert outcome(la, WRITES[name], start, value) == outcome(np, WRITES[name], start, value), value


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(("dtype", "length"), DTYPES)
@pytest.mark.parametrize("key", [1, slice(0, 3), ..., [0, 2], np.array([True] * 3 + [False] * 3)], ids=str)
def test_numbers_are_converted_as_numpy_assigns_them(key: Any, dtype: str, length: int) -> None:
    if isinstance(key, np.ndarray):
        key = np.resize(key, length)
    start = np.zeros(length, dtype)
    for value in NUMBERS:
        if not (
            isinstance(key, (np.ndarray, list)) and value != value and dtype.startswith(("int", "uint"))
        ):  # a cast of NaN
            assert outcome(la, by_key(key), start, value) == outcome(np, by_key(key), start, value), value


def test_an_array_is_as_it_was_after_the_error() -> None:
    x = la.arange(4, dtype="int8")
    for value in ([7, NAN], [7, 300]):
        with pytest.raises((ValueError, OverflowError)):
            x[:2] = value
    assert x.tolist() == [0, 1, 2, 3]
