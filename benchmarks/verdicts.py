"""Whether two results agree: lazyarr's, and NumPy's of the same text.

Integers and truth values agree exactly. Numbers with rounding agree within a tolerance that follows from their dtype
and from how many of them there are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

LOST = 32.0
"""What solving a system of equations makes of a rounding error. Inputs that differ by their last bit change the results
of npbench's programs by at most 20 times what summing does, those left out whose tolerance npbench states itself."""


def tolerance(dtype: np.dtype[Any], count: int, lost: float = LOST) -> float:
    """The relative error that a result of ``count`` numbers may have.

    Rounding errors walk at random: eps * sqrt(count), ``lost`` times. A result keeps half of its digits at least.
    """
    if dtype.kind not in "fc":
        return 0.0
    eps = float(np.finfo(dtype).eps)
    return float(min(lost * eps * max(1.0, np.sqrt(count)), np.sqrt(eps)))


def leaves(result: object) -> list[Any]:
    """The arrays and numbers of a result, which may be nested in tuples and lists or be None."""
    if result is None:
        return []
    if isinstance(result, (tuple, list)):
        return [leaf for part in result for leaf in leaves(part)]
    return [result]


def scale(array: NDArray[Any]) -> float:
    """The root mean square of the finite elements."""
    largest, count = 0.0, 0
    for (part,) in _blocks(array):
        values = np.abs(part[np.isfinite(part)]).astype(np.float64)
        largest, count = max(largest, float(values.max(initial=0.0))), count + values.size
    if not largest:
        return 0.0
    total = 0.0
    for (part,) in _blocks(array):
        values = np.abs(part[np.isfinite(part)]).astype(np.float64) / largest  # squares may overflow
        total += float(np.sum(np.square(values)))
    return largest * float(np.sqrt(total / count))


def difference(
    expected: NDArray[Any], got: NDArray[Any], relative: float, *, smallest: float = 0.0, stated: float = 0.0
) -> str:
    """What is wrong with ``got``, or nothing.

    Args:
        expected: NumPy's result.
        got: the result to judge. It must have the same shape and kind (integer, real, complex).
        relative: the error an element may have, against its own magnitude plus the array's root mean square.
        smallest: the absolute error that any element may have besides.
        stated: an error in the norm that is right as well, whatever single elements are.
    """
    if expected.shape != got.shape:
        return f"expected shape {expected.shape}, got {got.shape}"
    if _kind(expected) != _kind(got):
        return f"expected {expected.dtype}, got {got.dtype}"
    if _kind(expected) == "other":
        return f"{expected.dtype} cannot be compared"
    count, first, missed = 0, 0, _Norm()
    with np.errstate(all="ignore"):
        typical = 0.0 if _kind(expected) == "integer" else scale(expected)
        for wanted, found in _blocks(expected, got):
            error = np.abs(np.subtract(found, wanted, dtype=_wide(expected)))
            if _kind(expected) == "integer":
                wrong = found != wanted
            else:
                bound = relative * (np.abs(wanted).astype(np.float64) + typical) + smallest
                agree = np.isfinite(wanted) & np.isfinite(found) & (error <= bound)
                wrong = ~(agree | (found == wanted) | (np.isnan(wanted) & np.isnan(found)))
            first += 0 if count else int(np.argmax(wrong)) if wrong.any() else wrong.size
            count += int(np.count_nonzero(wrong))
            missed.add(error)
    if not count or (stated and _norm_error(expected, missed) <= stated):
        return ""
    where = tuple(int(i) for i in np.unravel_index(first, expected.shape))
    return (
        f"{count} of {expected.size} values are wrong, first at {where}: "
        f"expected {expected[where].item()!r}, got {got[where].item()!r}"
    )


BLOCK = 1 << 20
"""Elements that are compared at once: what is worked out for each of them takes many times its bytes."""


def _blocks(*arrays: NDArray[Any]) -> Iterator[tuple[NDArray[Any], ...]]:
    """The arrays, all of one shape, in blocks along the first axis, in order."""
    rows = [array.reshape(-1) if array.ndim < 2 or array.flags.c_contiguous else array for array in arrays]
    if len({array.ndim for array in rows}) > 1:
        rows = list(arrays)
    each = max(1, BLOCK * len(rows[0]) // max(1, rows[0].size))
    for begin in range(0, len(rows[0]), each):
        yield tuple(array[begin : begin + each] for array in rows)


def moved_apart(x: NDArray[Any]) -> NDArray[Any]:
    """Floats and complex numbers, each by one unit in its last place, up or down at random; zeros and others as is."""
    if x.dtype.kind == "c":
        both = x.copy(order="K")
        both.real, both.imag = moved_apart(x.real), moved_apart(x.imag)
        return both
    found = x.copy(order="K")
    if x.dtype.kind == "f":
        is_up = np.random.default_rng(0).integers(0, 2, x.shape, dtype=bool)
        far = np.asarray(np.inf, x.dtype)
        np.nextafter(x, np.where(is_up, far, -far), out=found, where=np.isfinite(x) & (x != 0))
    return found


APART = 10.0
"""Times what inputs one ulp apart make of NumPy's own results, up to which a difference says nothing: each run of a
program that depends on its inputs so is another sample."""


def is_lost_in(expected: NDArray[Any], moved: NDArray[Any], got: NDArray[Any], relative: float) -> bool:
    """Is what differs in ``got`` no more than what differs in ``moved``, NumPy's results from other inputs? Neither the
    largest difference nor how many there are is more than ``APART`` times that, and what is finite is so in both.
    """
    if not expected.shape == moved.shape == got.shape or not _kind(expected) == _kind(moved) == _kind(got) != "other":
        return False
    largest, count = [0.0, 0.0], [0, 0]
    with np.errstate(all="ignore"):
        typical = scale(expected) if expected.dtype.kind in "fc" else 0.0
        for wanted, *others in _blocks(expected, got, moved):
            finite = np.isfinite(wanted)
            for which, found in enumerate(others):
                if not np.array_equal(found[~finite], wanted[~finite], equal_nan=wanted.dtype.kind in "fc"):
                    return False
                error = np.abs(np.subtract(found, wanted, dtype=_wide(expected)))[finite]
                if not np.isfinite(error).all():
                    return False
                largest[which] = max(largest[which], float(error.max(initial=0.0)))
                bound = relative * (np.abs(wanted[finite]).astype(np.float64) + typical)
                count[which] += int(np.count_nonzero(error > bound))
    return largest[0] <= APART * largest[1] and count[0] <= APART * count[1]


class _Norm:
    """The Euclidean norm of numbers that come in blocks."""

    def __init__(self) -> None:
        self.value = 0.0

    def add(self, block: NDArray[Any]) -> None:
        self.value = float(np.hypot(self.value, np.linalg.norm(block.reshape(-1))))


def _kind(array: NDArray[Any]) -> str:
    return {"b": "integer", "i": "integer", "u": "integer", "f": "real", "c": "complex"}.get(array.dtype.kind, "other")


def _wide(array: NDArray[Any]) -> np.dtype[Any]:
    return np.dtype(np.complex128 if array.dtype.kind == "c" else np.float64)


def _norm_error(expected: NDArray[Any], missed: _Norm) -> float:
    norm = _Norm()
    for (part,) in _blocks(expected):
        norm.add(part)
    return missed.value / norm.value if norm.value else (0.0 if missed.value == 0 else float("inf"))


def differences(expected: Sequence[Any], got: Sequence[Any], count: int, stated: float = 0.0) -> str:
    """What is wrong with the first wrong one of several results that belong together, or nothing.

    ``count`` numbers went into them or came out. What is below the last bit of the largest result is noise.
    """
    if len(expected) != len(got):
        return f"expected {len(expected)} results, got {len(got)}"
    references = [np.asarray(value) for value in expected]
    largest = max((scale(value) for value in references if value.dtype.kind in "fc"), default=0.0)
    for place, (reference, value) in enumerate(zip(references, got, strict=True)):
        found = np.asarray(value)
        eps = float(np.finfo(reference.dtype).eps) if reference.dtype.kind in "fc" else 0.0
        smallest = eps * max(1.0, float(count) ** 0.5) * largest
        said = difference(
            reference, found, tolerance(reference.dtype, count), smallest=smallest, stated=stated
        )  # fmt: skip
        if said:
            return f"result {place}: {said}" if len(references) > 1 else said
    return ""
