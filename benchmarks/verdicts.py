"""Whether two results agree: lazyarr's, and NumPy's of the same text.

Integers and truth values agree exactly. Numbers with rounding agree within a tolerance that follows from their dtype
and from how many of them there are.
"""

from __future__ import annotations

from collections.abc import Sequence
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
    values = np.abs(array[np.isfinite(array)]).astype(np.float64)
    largest = float(values.max(initial=0.0))
    return largest * float(np.sqrt(np.mean(np.square(values / largest)))) if largest else 0.0  # squares may overflow


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
    with np.errstate(all="ignore"):
        error = np.abs(np.subtract(got, expected, dtype=_wide(expected)))
        if _kind(expected) == "integer":
            wrong = got != expected
        else:
            bound = relative * (np.abs(expected).astype(np.float64) + scale(expected)) + smallest
            agree = np.isfinite(expected) & np.isfinite(got) & (error <= bound)
            wrong = ~(agree | (expected == got) | (np.isnan(expected) & np.isnan(got)))
        if stated and _norm_error(expected, error) <= stated:
            return ""
    count = int(np.count_nonzero(wrong))
    if not count:
        return ""
    where = tuple(int(i) for i in np.unravel_index(int(np.argmax(wrong)), wrong.shape))
    return (
        f"{count} of {expected.size} values are wrong, first at {where}: "
        f"expected {expected[where].item()!r}, got {got[where].item()!r}"
    )


def _kind(array: NDArray[Any]) -> str:
    return {"b": "integer", "i": "integer", "u": "integer", "f": "real", "c": "complex"}.get(array.dtype.kind, "other")


def _wide(array: NDArray[Any]) -> np.dtype[Any]:
    return np.dtype(np.complex128 if array.dtype.kind == "c" else np.float64)


def _norm_error(expected: NDArray[Any], error: NDArray[Any]) -> float:
    norm = float(np.linalg.norm(expected.reshape(-1)))
    missed = float(np.linalg.norm(error.reshape(-1)))
    return missed / norm if norm else (0.0 if missed == 0 else float("inf"))


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
