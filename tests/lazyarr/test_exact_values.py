"""Real functions where the standard (and C99's annex F) states the result to the bit, not to a tolerance."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import lazyarr as la
from lazyarr import config
from tests.lazyarr.support import agree

inf, nan = math.inf, math.nan
ZEROS = [(0.0, 0.0), (-0.0, -0.0), (nan, nan)]
ENDS = [(inf, inf), (-inf, -inf)]
LENGTH = 67  # vectors of any width, and a tail


@pytest.fixture(autouse=True, scope="module")
def untuned():
    old = config.configure(tune="off")
    yield
    config.configure(**vars(old))


def compare(table: dict[str, list[tuple[float, ...]]], dtype: str) -> None:
    """All functions of a table, computed together from its cases over and over."""
    found, given, expected = {}, {}, {}
    for name, cases in table.items():
        *operands, results = np.array(list(itertools.islice(itertools.cycle(cases), LENGTH)), dtype).T
        given[name], expected[name] = tuple(operands), results
        found[name] = getattr(la, name)(*(la.asarray(x.copy()) for x in operands))
    la.compute(*found.values())
    for name, array in found.items():
        try:
            agree(array, expected[name], 0, given[name])
        except AssertionError as error:
            raise AssertionError(f"{name}: {error}") from None


# operand and result
ONE = {
    "abs": [(-0.0, 0.0), (-inf, inf), (nan, nan), (-1.5, 1.5)],
    "acos": [(1, 0.0), (2, nan), (-2, nan), (nan, nan), (inf, nan)],
    "acosh": [(1, 0.0), (0.5, nan), (-3, nan), (inf, inf), (nan, nan)],
    "asin": [*ZEROS, (1.5, nan), (-inf, nan)],
    "asinh": [*ZEROS, *ENDS],
    "atan": ZEROS,
    "atanh": [*ZEROS, (1, inf), (-1, -inf), (1.5, nan), (-inf, nan)],
    "cbrt": [*ZEROS, *ENDS],
    "ceil": [*ZEROS, *ENDS, (-0.5, -0.0), (2.5, 3)],
    "cos": [(0.0, 1), (-0.0, 1), (inf, nan), (-inf, nan), (nan, nan)],
    "cosh": [(0.0, 1), (-0.0, 1), (inf, inf), (-inf, inf), (nan, nan)],
    "exp": [(0.0, 1), (-0.0, 1), (inf, inf), (-inf, 0.0), (nan, nan)],
    "exp2": [(0.0, 1), (-0.0, 1), (inf, inf), (-inf, 0.0), (nan, nan)],
    "expm1": [*ZEROS, (inf, inf), (-inf, -1)],
    "floor": [*ZEROS, *ENDS, (0.5, 0.0), (-2.5, -3)],
    "log": [(0.0, -inf), (-0.0, -inf), (1, 0.0), (-1, nan), (-inf, nan), (inf, inf), (nan, nan)],
    "log10": [(0.0, -inf), (-0.0, -inf), (1, 0.0), (-1, nan), (-inf, nan), (inf, inf), (nan, nan)],
    "log1p": [*ZEROS, (-1, -inf), (-2, nan), (-inf, nan), (inf, inf)],
    "log2": [(0.0, -inf), (-0.0, -inf), (1, 0.0), (-1, nan), (-inf, nan), (inf, inf), (nan, nan)],
    "negative": [(0.0, -0.0), (-0.0, 0.0), (nan, nan), (inf, -inf)],
    "reciprocal": [(0.0, inf), (-0.0, -inf), (inf, 0.0), (-inf, -0.0), (nan, nan)],
    "round": [*ZEROS, *ENDS, (0.5, 0.0), (-0.5, -0.0), (1.5, 2), (2.5, 2)],
    "sign": [(0.0, 0.0), (-0.0, 0.0), (nan, nan), (inf, 1), (-inf, -1), (1e-30, 1)],
    "sin": [*ZEROS, (inf, nan), (-inf, nan)],
    "sinh": [*ZEROS, *ENDS],
    "sqrt": [*ZEROS, (inf, inf), (-inf, nan), (-1, nan), (16, 4)],
    "square": [(0.0, 0.0), (-0.0, 0.0), (-inf, inf), (nan, nan)],
    "tan": [*ZEROS, (inf, nan), (-inf, nan)],
    "tanh": [*ZEROS, (inf, 1), (-inf, -1), (30, 1), (-1e30, -1)],
    "trunc": [*ZEROS, *ENDS, (0.5, 0.0), (-0.5, -0.0), (-2.5, -2)],
}  # fmt: skip

# operands and result
TWO = {
    "atan2": [(0.0, 3, 0.0), (-0.0, 3, -0.0), (0.0, 0.0, 0.0), (-0.0, 0.0, -0.0), (3, inf, 0.0), (-3, inf, -0.0)],
    "hypot": [(inf, nan, inf), (nan, -inf, inf), (-0.0, -3, 3), (-3, 0.0, 3), (nan, 1, nan), (-0.0, -0.0, 0.0)],
    "logaddexp": [(inf, -inf, inf), (3, inf, inf), (nan, inf, nan), (-inf, -inf, -inf), (-inf, 3, 3)],
    "nextafter": [(-0.0, 0.0, 0.0), (0.0, -0.0, -0.0), (nan, 1, nan), (1, nan, nan), (inf, inf, inf)],
    "pow": [
        (nan, 0.0, 1), (nan, -0.0, 1), (inf, 0.0, 1), (0.0, -0.0, 1), (1, nan, 1), (1, -inf, 1), (-1, inf, 1),
        (-1, -inf, 1), (1.5, inf, inf), (-1.5, -inf, 0.0), (0.5, inf, 0.0), (-0.5, -inf, inf), (inf, 0.5, inf),
        (inf, -3, 0.0),
        (-inf, 3, -inf), (-inf, 2, inf), (-inf, 0.5, inf), (-inf, -3, -0.0), (-inf, -2, 0.0), (0.0, 0.5, 0.0),
        (0.0, -3, inf), (-0.0, 3, -0.0), (-0.0, 2, 0.0), (-0.0, 0.5, 0.0), (-0.0, -3, -inf), (-0.0, -2, inf),
        (-2, 0.5, nan), (nan, 2, nan), (2, nan, nan),
    ],
    "remainder": [
        (0.0, 3, 0.0), (-0.0, 3, 0.0), (0.0, -3, -0.0), (-0.0, -3, -0.0), (3, 0.0, nan), (inf, 3, nan), (3, inf, 3),
        (3, -inf, -inf), (-3, inf, inf), (-3, -inf, -3), (inf, inf, nan), (-7, 3, 2), (7, -3, -2),
    ],
}  # fmt: skip


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_functions_of_one_number(dtype):
    compare(ONE, dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_functions_of_two_numbers(dtype):
    compare(TWO, dtype)
