"""Lists and keys that NumPy refuses, small and large, raise its class of error, and change nothing."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr import config

LARGE = 50_000


@pytest.fixture(autouse=True, scope="module")
def untuned():
    old = config.configure(tune="off")
    yield
    config.configure(**vars(old))


def _in_itself(*others: Any) -> list[Any]:
    items = [*others]
    items.append(items)
    return items


def _raised(run: Any, *arguments: Any) -> type[BaseException] | None:
    try:
        run(*arguments)
    except Exception as error:
        return type(error)
    return None


def _agree(write: Any, n: int, shape: tuple[int, ...] | None = None, dtype: str = "float64") -> None:
    """A write to lazy arrays, with and without a value, gives the elements or the class of error that NumPy's gives."""
    theirs = np.ones((n,) if shape is None else shape, dtype)
    wanted = _raised(write, np, theirs)
    if wanted is not None:
        theirs = np.ones_like(theirs)  # NumPy may have written some
    for x in (la.ones(theirs.shape, dtype=dtype), la.asarray(np.ones(theirs.shape, dtype)) * la.ones((), dtype=dtype)):
        assert _raised(write, la, x) is wanted
        np.testing.assert_array_equal(np.asarray(x), theirs)


@pytest.mark.parametrize("n", [3, LARGE])
@pytest.mark.parametrize(
    "write",
    [
        lambda lib, x: x.__setitem__(slice(0, 2), [[1, 2]]),
        lambda lib, x: x.__setitem__(slice(0, 2), ((1, 2),)),
        lambda lib, x: x.__setitem__(slice(0, 2), [lib.arange(2)]),
        lambda lib, x: x.__setitem__(slice(0, 2), [5]),
        lambda lib, x: x.__setitem__(slice(0, 0), [[]]),
        lambda lib, x: x.__setitem__(..., [[5]]),
        lambda lib, x: x.__setitem__(None, [[5]]),
        lambda lib, x: x.__setitem__(None, [[[5]]]),
        lambda lib, x: x.__setitem__(slice(0, 2), lib.asarray([[1, 2]])),
        lambda lib, x: x.__setitem__([0, 1], [[1, 2]]),
        lambda lib, x: x.__setitem__(x == 1, [[5]]),
        lambda lib, x: x.__setitem__(x == 1, lib.asarray([[5]])),
        lambda lib, x: x.__setitem__(x == 1, [5]),
        lambda lib, x: x.__setitem__((x == 1, ...), [5]),
        lambda lib, x: x.fill([3]),
        lambda lib, x: x.fill(lib.asarray([3])),
        lambda lib, x: x.fill(lib.asarray(3)),
        lambda lib, x: x.fill(3),
    ],
)
def test_lists_deeper_than_their_place(write, n):
    _agree(write, n)


def test_lists_of_rows():
    _agree(lambda lib, x: x.__setitem__(0, [[1, 2, 3]]), 0, (2, 3))
    _agree(lambda lib, x: x.__setitem__(0, [lib.arange(3)]), 0, (2, 3))
    _agree(lambda lib, x: x.__setitem__(slice(None), [lib.arange(3), lib.arange(3)]), 0, (2, 3))
    _agree(lambda lib, x: x.__setitem__(slice(None), [[[1, 2, 3]]]), 0, (0, 3))
    for dtype in ("int8", "complex64"):
        for value in ([3], [300], (3.5,), [[3]], range(1)):
            _agree(lambda lib, x, value=value: x.fill(value), 3, dtype=dtype)
        _agree(lambda lib, x: x.fill(lib.asarray([300])), 3, dtype=dtype)


@pytest.mark.parametrize(
    "run",
    [
        lambda lib: lib.array(_in_itself()),
        lambda lib: lib.asarray(_in_itself(), dtype=float),
        lambda lib: lib.array(_in_itself(1.0)),
        lambda lib: lib.array(_in_itself(lib.array(1.0))),
        lambda lib: lib.array(_in_itself(lib.zeros(3))),
        lambda lib: lib.zeros(3) + _in_itself(),
        lambda lib: lib.zeros(3).__setitem__(..., _in_itself()),
        lambda lib: lib.full(3, _in_itself()),
        lambda lib: lib.histogram([1.0], bins=_in_itself()),
    ],
)
def test_lists_in_themselves(run):
    assert _raised(run, np) is ValueError
    assert _raised(run, la) is ValueError


def test_lists_that_hold_themselves_twice():
    """Each list is looked at once: of 64 levels there would be 2**64."""
    items: list[Any] = [la.zeros(3)]
    items += [items, items]
    for run in (la.array, lambda x: la.zeros(3).__setitem__(..., x)):
        with pytest.raises(ValueError, match="levels"):
            run(items)


def test_lists_of_the_most_dimensions():
    for lib in (np, la):
        items: Any = lib.ones(2)
        for _ in range(63):
            items = [items]
        assert lib.array(items).ndim == 64
        with pytest.raises(ValueError):
            lib.array([[[items]]])


def test_the_most_dimensions_of_lists():
    for lib in (np, la):
        assert lib.array([[1, 2]], ndmax=2).shape == (1, 2)
        assert lib.array(lib.ones((2, 2)), ndmax=1).shape == (2, 2)  # an array is no list
        for items in ([[1, 2]], [lib.ones(2)]):
            with pytest.raises(ValueError):
                lib.array(items, ndmax=1)


@pytest.mark.parametrize("n", [3, LARGE])
@pytest.mark.parametrize(
    "key", [None, (None,), (0, 1), (..., 1), "a", (), (1,), ((0, 1),), [0, 1], slice(0, 2), ..., LARGE, [LARGE]]
)
def test_keys_of_flat(key, n):
    def read(lib: Any, x: Any) -> None:
        x[:1] = x.flat[key] if lib is np else np.asarray(x.flat[key])

    for run in (read, lambda lib, x: x.flat.__setitem__(key, 2)):
        _agree(run, n) if key not in ((), (1,)) or run is not read else None


@pytest.mark.parametrize("pending", [False, True])
@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("value", [[], np.zeros((0, 2)), [1, 2, 3], np.array([[1.5, 2]]), 7], ids=str)
def test_elements_assigned_to_flat_are_repeated_and_none_change_nothing(value, transposed, pending):
    numpys = np.arange(12.0).reshape(3, 4)
    mask = np.arange(12) % 3 > 0
    for key in (slice(None), ..., [0, 5], np.array([[0, 1], [7, 3]]), mask, np.zeros(12, bool), slice(0, 0), None):
        found = []
        for lib in (np, la):
            x = lib.asarray(numpys.copy()) + 0 if pending else lib.asarray(numpys.copy())
            x = x.T if transposed else x
            if key is None:
                x.flat = value
            else:
                x.flat[key] = np.asarray(value) if lib is np else value
            found.append(np.asarray(x))
        np.testing.assert_array_equal(*found)


@pytest.mark.parametrize("large", [False, True])
def test_a_mask_in_a_tuple_is_a_mask(large):
    n = LARGE if large else 6
    for make in (np.asarray, la.asarray, np.ndarray.tolist):
        mask = make(np.arange(n) % 3 > 0)
        for lib in (np, la):
            x = lib.arange(float(n))
            given = mask if lib is la or isinstance(mask, list) else np.asarray(mask)
            np.testing.assert_array_equal(np.asarray(x[(given,)]), np.asarray(x[np.asarray(given)]))
            x[(given,)] = 5
            assert float(x.sum()) == np.where(np.asarray(given), 5.0, np.arange(float(n))).sum()
            with pytest.raises(TypeError):  # as of the mask alone
                x[(given,)] = np.zeros((1, int(np.sum(given))))


@pytest.mark.parametrize("n", [5, 1 << 20])
def test_what_is_read_only_is_not_assigned_to_itself(n):
    for lib in (np, la):
        x = lib.broadcast_to(lib.zeros(1), (n,))
        for write in (
            lambda x: x.__setitem__(slice(1, None), x[1:]),
            lambda x: x.__setitem__(slice(1, None), x[:-1]),
            lambda x: x.__setitem__(..., x),
        ):
            with pytest.raises(ValueError, match="read-only"):
                write(x)


def test_numbers_to_begin_with_that_the_dtype_does_not_hold():
    for function in ("sum", "prod"):
        for dtype, initial in (("uint8", -1.5), ("int64", 2**63), ("int64", float("nan")), ("float32", 1j)):
            for lib in (np, la):
                with pytest.raises((OverflowError, TypeError, ValueError)):
                    getattr(lib, function)(lib.arange(3, dtype=dtype), initial=initial)
        assert int(getattr(la, function)(la.arange(3), initial=1.5)) == getattr(np, function)(np.arange(3), initial=1.5)


@pytest.mark.parametrize("n", [4, LARGE])
@pytest.mark.parametrize(
    "value", ["2.5", b"7", "x", "", None, Fraction(5, 2), Decimal("1.5"), object(), {}], ids=lambda v: type(v).__name__
)
@pytest.mark.parametrize("dtype", ["float64", "int16", "bool", "complex64"])
def test_objects_are_read_as_numbers(value, dtype, n):
    for key in (0, slice(1, 3), [0, 2], np.arange(n) % 2 == 0, ...):
        _agree(lambda lib, x, key=key: x.__setitem__(key, value), n, dtype=dtype)
    _agree(lambda lib, x: x.fill(value), n, dtype=dtype)
    _agree(lambda lib, x: lib.put(x, [1, 2], value), n, dtype=dtype)


@pytest.mark.parametrize("n", [4, LARGE])
@pytest.mark.parametrize("dtype", ["int8", "uint64", "float64", "bool", "complex128"])
def test_text_and_objects_of_numpys(dtype, n):
    for value in (
        np.str_("4"),
        np.bytes_(b"2"),
        np.array("1"),
        np.array(["1", "2"]),
        np.array([Fraction(1, 2), Fraction(5, 2)]),
    ):
        for key in (slice(1, 3), [0, 2], ...):
            _agree(lambda lib, x, key=key, value=value: x.__setitem__(key, value), n, dtype=dtype)
        _agree(lambda lib, x, value=value: lib.put(x, [1, 2], value), n, dtype=dtype)


@pytest.mark.parametrize("n", [3, LARGE])
@pytest.mark.parametrize("dtype", ["bool", "int8", "float64"])
@pytest.mark.parametrize("value", [[], [0], [3, 2], (0,), [[0]], range(0), range(3), np.array([0]), np.zeros((2, 2))])
def test_one_element_is_the_truth_of_a_list(value, dtype, n):
    """Of an array of bools; of another it is an error."""

    def own(lib: Any) -> Any:
        return lib.asarray(value) if isinstance(value, np.ndarray) else value

    _agree(lambda lib, x: x.__setitem__(0, own(lib)), n, dtype=dtype)
    _agree(lambda lib, x: x.__setitem__((-1, ...), own(lib)), n, dtype=dtype)
    _agree(lambda lib, x: x.fill(own(lib)), n, dtype=dtype)
    _agree(lambda lib, x: x.flat.__setitem__(1, own(lib)), n, dtype=dtype)


@pytest.mark.parametrize("lazily", [False, True])
@pytest.mark.parametrize(
    ("numbers", "dtype"),
    [
        ([3, 300], "int8"), ([3.5, float("nan")], "int32"), ([3.5, np.float64("inf")], "int64"), ([1, 2**63], "int64"),
        ([3, np.int64(300)], "uint8"), ([2**53 + 1, 1.5], "int64"), ([1, 2**64], "complex128"), ([1.5, 1j], "float64"),
        ([1, "3"], "int16"), ([1.5, None], "float32"), ([True, 2], "bool"), ([1, -1], "uint64"),
        ([np.uint64(2**64 - 1), np.float32(-1.5)], "int64"),
    ],
)  # fmt: skip
def test_numbers_beside_arrays_are_numbers_that_the_dtype_holds(numbers, dtype, lazily):
    """Each is converted for itself, and arrays are cast: the first is one."""

    def items(lib: Any, shape: tuple[int, ...]) -> list[Any]:
        first = lib.full(shape, numbers[0], dtype=np.asarray(numbers[0]).dtype)
        first = first * lib.ones((), dtype=first.dtype) if lib is la and lazily else first
        return [first, numbers[1]] if not shape else [first, [numbers[1]] * shape[0]]

    for shape in ((), (2,)):
        if _raised(np.array, items(np, shape), dtype) is None:
            wanted = np.array(items(np, shape), dtype)
            np.testing.assert_array_equal(np.asarray(la.array(items(la, shape), dtype)), wanted, strict=True)
        else:
            assert _raised(la.array, items(la, shape), dtype) is _raised(np.array, items(np, shape), dtype)
        for n in (2, LARGE):
            place = (n,) if not shape else (n, 2)
            _agree(lambda lib, x, shape=shape: x.__setitem__(slice(0, 2), items(lib, shape)), 0, place, dtype)
