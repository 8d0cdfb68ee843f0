"""Sizes: integer expressions over named variables with known ranges, kept in one canonical form.

    n = var("n", 1)
    i, j = var("i", 0, n // 4 - 1), var("j", 0, 3)
    (4*i + j) // 4 is i                                   # equality is identity
    is_lt(4*i + j, n)                                     # proved from the ranges

A `Size` is a polynomial over atoms: `terms` lists (monomial, coefficient) pairs, a monomial being a tuple of (atom,
exponent). Start with `terms` (representation, ring arithmetic); `bounds` has ranges and proofs, `text` the printer and
the parser.
"""

from ir.core.sizes.bounds import HEADROOM, LIMIT_32, greatest_part, is_le, is_lt
from ir.core.sizes.division import ceil_div, divide_exactly, is_multiple
from ir.core.sizes.functions import maximum, minimum, power
from ir.core.sizes.polynomials import Monomial
from ir.core.sizes.terms import Atom, Bound, Kind, Size, SizeError, SizeLike, size, var
from ir.core.sizes.text import parse_size

__all__ = [
    "HEADROOM", "LIMIT_32", "Atom", "Bound", "Kind", "Monomial", "Size", "SizeError", "SizeLike", "ceil_div",
    "divide_exactly", "greatest_part", "is_le", "is_lt", "is_multiple", "maximum", "minimum", "parse_size",
    "power", "size", "var",
]  # fmt: skip
