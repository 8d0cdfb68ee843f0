"""Sizes: polynomials with integer coefficients over atoms, as plain dictionaries (import from `ir.core.sizes`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, TypeAlias, TypeVar

if TYPE_CHECKING:
    from ir.core.sizes.terms import Atom

Monomial: TypeAlias = "tuple[tuple[Atom, int], ...]"
Polynomial: TypeAlias = dict[Monomial, int]
ONE: Final[Monomial] = ()

_MEMO_LIMIT: Final = 1 << 16
_MAX_DIVISION_STEPS: Final = 256
_Key = TypeVar("_Key")
_Value = TypeVar("_Value")
_products: dict[tuple[Monomial, Monomial], Monomial] = {}


def remember(memo: dict[_Key, _Value], key: _Key, value: _Value) -> _Value:
    """Store a memoised result; a full memo is emptied, so that it cannot keep every size ever made alive."""
    if len(memo) >= _MEMO_LIMIT:
        memo.clear()
    memo[key] = value
    return value


def multiply_monomials(left: Monomial, right: Monomial) -> Monomial:
    """The product, its atoms in order."""
    if not left:
        return right
    if not right:
        return left
    found = _products.get((left, right))
    if found is not None:
        return found
    exponents = dict(left)
    for atom, exponent in right:
        exponents[atom] = exponents.get(atom, 0) + exponent
    product = tuple(sorted(exponents.items(), key=lambda factor: factor[0].key))
    return remember(_products, (left, right), product)


def divide_monomials(left: Monomial, right: Monomial) -> Monomial | None:
    """left / right, or None where an exponent would be negative."""
    for atom, exponent in right:
        for place, (other, present) in enumerate(left):
            if other is atom:
                if present < exponent:
                    return None
                kept = ((atom, present - exponent),) if present > exponent else ()
                left = left[:place] + kept + left[place + 1 :]
                break
        else:
            return None
    return left


def gcd_monomials(left: Monomial, right: Monomial) -> Monomial:
    """The greatest common divisor."""
    if not left or not right:
        return ONE
    others = dict(right)
    return tuple((atom, min(exponent, others[atom])) for atom, exponent in left if atom in others)


def add_into(target: Polynomial, addend: Mapping[Monomial, int], monomial: Monomial = ONE, factor: int = 1) -> None:
    """target += factor * monomial * addend, in place; zero coefficients are dropped."""
    for other, coefficient in addend.items():
        product = multiply_monomials(monomial, other) if monomial else other
        total = target.get(product, 0) + factor * coefficient
        if total:
            target[product] = total
        else:
            target.pop(product, None)


def long_division(a: Polynomial, b: Polynomial) -> tuple[Polynomial, Polynomial] | None:
    """(q, r) with a == q*b + r and no term of r divisible by the leading term of b; None if it goes on for too long."""
    atoms = sorted({atom for p in (a, b) for monomial in p for atom, _ in monomial}, key=lambda atom: atom.key)

    def order(monomial: Monomial) -> tuple[int, list[int]]:  # graded lexicographic: multiplication preserves it
        exponents = dict(monomial)
        return sum(exponents.values()), [exponents.get(atom, 0) for atom in atoms]

    lead = max(b, key=order)
    left, quotient, rest = dict(a), Polynomial(), Polynomial()
    for _ in range(_MAX_DIVISION_STEPS):
        if not left:
            return quotient, rest
        top = max(left, key=order)
        ratio = divide_monomials(top, lead)
        if ratio is None or left[top] % b[lead]:
            rest[top] = left.pop(top)
        else:
            factor = left[top] // b[lead]
            quotient[ratio] = factor
            add_into(left, b, ratio, -factor)
    return None
