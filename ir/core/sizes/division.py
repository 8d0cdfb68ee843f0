"""Sizes: `//`, `%` and exact division (import them from `ir.core.sizes`)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from ir.core.sizes import bounds as size_bounds
from ir.core.sizes.polynomials import (
    ONE,
    Monomial,
    Polynomial,
    divide_monomials,
    gcd_monomials,
    long_division,
    remember,
)
from ir.core.sizes.terms import Size, SizeError, SizeLike, constant, from_atom, from_polynomial, make_atom, negate, size

_quotients: dict[tuple[Size, Size], Size] = {}


# -- floor division and remainder ------------------------------------------------------------------------------------


def floor_div(a: Size, b: Size) -> Size:
    """a // b, rounding down; SizeError where b is the constant 0."""
    if b.value is not None:
        if b.value == 0:
            raise SizeError(f"division by zero: {a} // 0")
        if a.value is not None:
            return constant(a.value // b.value)
        if b.value == 1:
            return a
    found = _quotients.get((a, b))
    return found if found is not None else remember(_quotients, (a, b), _floor_div(a, b))


def remainder(a: Size, b: Size) -> Size:
    """a % b, of the sign of b as in Python; SizeError where b is the constant 0."""
    if a.value is not None and b.value:
        return constant(a.value % b.value)
    return a - b * floor_div(a, b)


def ceil_div(a: SizeLike, b: SizeLike) -> Size:
    """(a + b - 1) // b: a divided by a positive b, rounding up."""
    a, b = size(a), size(b)
    return floor_div(a + b - 1, b)


def _floor_div(a: Size, b: Size) -> Size:
    if a.value == 0:
        return a
    least = size_bounds.divisor_lower(a, b)
    if least is None or least < 1:
        most = size_bounds.upper(b)
        if most is not None and most < 0:
            return floor_div(negate(a), negate(b))
        return from_atom(make_atom("floordiv", (a, b)))  # b may be zero or of either sign: leave it alone
    quotient, rest = _extract_multiples(a, b)
    return quotient + _divide_rest(rest, b)


def _extract_multiples(a: Size, b: Size) -> tuple[Size, Size]:
    """(q, r) with a == q*b + r, r having no term that b divides."""
    if len(b.terms) > 1:
        divided = long_division(a.polynomial, b.polynomial)
        if divided is not None:
            quotient, rest = from_polynomial(divided[0]), from_polynomial(divided[1])
            if len(rest.terms) < len(a.terms):
                return quotient, rest
        return constant(0), a
    monomial, factor = b.terms[0]
    parts: Polynomial = {}
    for other, coefficient in a.terms:
        ratio = divide_monomials(other, monomial)
        if ratio is not None:
            # Constants go to [0, b), so that (n - 1) // 4 and (n + 3) // 4 - 1 are one size; others keep their sign.
            whole = coefficient // factor if other is ONE else _truncated(coefficient, factor)
            if whole:
                parts[ratio] = whole
    if not parts:
        return constant(0), a
    quotient = from_terms(parts)
    return quotient, a - quotient * b


def _truncated(a: int, b: int) -> int:
    return a // b if a >= 0 else -(-a // b)


def _divide_rest(a: Size, b: Size) -> Size:
    """a // b for b >= 1, where no multiple of b stands in a."""
    if b.value == 1 or a.value == 0:
        return a
    if a.value is not None and b.value is not None:
        return constant(a.value // b.value)
    for divisor in _common_divisors(a, b):
        multiple, other = _split(a, divisor)
        steps = _constant_quotient(other, divisor)
        if steps is not None:
            # (g*x + y) // (g*b) = (x + k) // b for y in [k*g, (k+1)*g)
            rest = divide_exactly(b, divisor)
            shortened = divide_exactly(multiple, divisor)
            if rest is not None and shortened is not None:
                return floor_div(shortened + steps, rest)
    flat = _flatten(a, b)
    return flat if flat is not None else from_atom(make_atom("floordiv", (a, b)))


def _common_divisors(a: Size, b: Size) -> Iterator[Size]:
    """b and every divisor that some term of a shares with all of b: those that may be divided out."""
    yield b
    if len(b.terms) == 1:
        monomial, factor = b.terms[0]
    else:
        monomial, factor = b.terms[0][0], 0
        for other, coefficient in b.terms:
            monomial, factor = gcd_monomials(monomial, other), math.gcd(factor, coefficient)
    found = [b]
    for other, coefficient in a.terms:
        if other is ONE:
            continue
        divisor = from_terms({gcd_monomials(other, monomial): math.gcd(coefficient, factor)})
        if divisor.value != 1 and divisor not in found:
            least = size_bounds.divisor_lower(a, divisor)
            if least is not None and least >= 1:
                found.append(divisor)
                yield divisor


def _split(a: Size, divisor: Size) -> tuple[Size, Size]:
    """a as (terms that the divisor divides) + (the others)."""
    if len(divisor.terms) != 1:
        return constant(0), a
    monomial, factor = divisor.terms[0]
    parts = {m: c for m, c in a.terms if c % factor == 0 and divide_monomials(m, monomial) is not None}
    multiple = from_terms(parts)
    return multiple, a - multiple


def _constant_quotient(a: Size, b: Size) -> int | None:
    """k where a // b is provably the constant k (b >= 1)."""
    least, most = size_bounds.lower(a), size_bounds.upper(a)
    if b.value is not None:
        if least is None or most is None or least // b.value != most // b.value:
            return None
        return least // b.value
    if least is not None and least >= 0:
        return 0 if size_bounds.is_le(a + 1, b) else None
    if most is not None and most < 0:
        return -1 if size_bounds.is_le(negate(b), a) else None
    return None


def _flatten(a: Size, b: Size) -> Size | None:
    """(x // y + k) // b -> (x + k*y) // (y*b); and a remainder whose modulus b divides is written out."""
    offset = 0
    candidates: list[tuple[Monomial, int]] = []
    for monomial, coefficient in a.terms:
        if monomial is ONE:
            offset = coefficient
        else:
            candidates.append((monomial, coefficient))
    if len(candidates) == 1:
        monomial, coefficient = candidates[0]
        if coefficient == 1 and len(monomial) == 1 and monomial[0][1] == 1 and monomial[0][0].kind == "floordiv":
            x, y = monomial[0][0].operands
            least = size_bounds.divisor_lower(x, y)
            if least is not None and least >= 1:
                return floor_div(x + offset * y, y * b)
    if b.value is None:
        return None
    for monomial, coefficient in candidates:
        if len(monomial) == 1 and monomial[0][1] == 1 and monomial[0][0].kind == "mod":
            x, y = monomial[0][0].operands
            if y.value is not None and coefficient * y.value % b.value == 0:
                outer = floor_div(x, y)
                plain = a + coefficient * y * outer
                return floor_div(plain, b) - (coefficient * y.value // b.value) * outer
    return None


def from_terms(terms: Mapping[Monomial, int]) -> Size:
    """The size of a polynomial that may hold "mod" atoms."""
    if not any(atom.expanded is not None for monomial in terms for atom, _ in monomial):
        return from_polynomial(dict(terms))
    total = constant(0)
    for monomial, coefficient in terms.items():
        product = constant(coefficient)
        for atom, exponent in monomial:
            if atom.expanded is None:
                product = product * from_polynomial({((atom, exponent),): 1})
            else:
                for _ in range(exponent):
                    product = product * atom.expanded
        total = total + product
    return total


def is_multiple(a: SizeLike, n: int) -> bool:
    """Whether a is provably a multiple of a positive number: so is the lesser, or the greater, of two multiples."""

    def is_one(monomial: Monomial, coefficient: int) -> bool:
        rest = n // math.gcd(n, coefficient)
        extrema = (atom for atom, _ in monomial if atom.kind in ("min", "max"))
        return rest == 1 or any(all(is_multiple(x, rest) for x in atom.operands) for atom in extrema)

    return all(is_one(monomial, coefficient) for monomial, coefficient in size(a).polynomial.items())


# -- exact division --------------------------------------------------------------------------------------------------


def divide_exactly(a: SizeLike, b: SizeLike) -> Size | None:
    """The q with q*b identically a, as polynomials; None where there is none or b is 0."""
    a, b = size(a), size(b)
    if b.value == 1:
        return a
    if b.value == 0:
        return None
    if a.value is not None:
        if b.value is None:
            return a if a.value == 0 else None
        return constant(a.value // b.value) if a.value % b.value == 0 else None
    if len(b.polynomial) == 1:
        ((monomial, factor),) = b.polynomial.items()
        quotient: Polynomial = {}
        for other, coefficient in a.polynomial.items():
            ratio = divide_monomials(other, monomial)
            if ratio is None or coefficient % factor:
                return None
            quotient[ratio] = coefficient // factor
        return from_polynomial(quotient)
    divided = long_division(a.polynomial, b.polynomial)
    return from_polynomial(divided[0]) if divided is not None and not divided[1] else None
