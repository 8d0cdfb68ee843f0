"""Sizes: how a polynomial is shown, with `%` folded back in (import sizes from `ir.core.sizes`)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

from ir.core.sizes import bounds as size_bounds
from ir.core.sizes import division as size_division
from ir.core.sizes.polynomials import (
    ONE,
    Monomial,
    Polynomial,
    add_into,
    divide_monomials,
    gcd_monomials,
    long_division,
    multiply_monomials,
)
from ir.core.sizes.terms import Atom, Size, from_atom, make_atom

_MAX_FOLDED_TERMS: Final = 64


def fold_remainders(a: Size) -> Polynomial:
    """The polynomial of a size with a - b*(a // b) written as a % b wherever a part of it reads so.

    A function of the value of the polynomial alone: the order in which it was built leaves no trace.
    """
    terms = a.polynomial
    if len(terms) < 2 or len(terms) > _MAX_FOLDED_TERMS:
        return terms
    quotients = {atom for monomial in terms for atom, _ in monomial if atom.kind == "floordiv"}
    if not quotients:
        return terms
    view = dict(terms)
    for quotient in sorted(quotients, key=lambda atom: (-atom.level, atom.key)):
        while _fold_one(view, quotient):  # each step lowers the degree in the quotient of one term
            pass
    return view


def _fold_one(view: Polynomial, quotient: Atom) -> bool:
    """Fold one remainder of this quotient into the view; False where there is none."""
    x, b = quotient.operands
    key = ((quotient, 1),)
    held = {m: ratio for m in view if (ratio := divide_monomials(m, key)) is not None}
    if len(b.terms) > 1:
        whole = {ratio: -view[m] for m, ratio in held.items()}
        divided = long_division(whole, b.polynomial)
        if whole and divided is not None and not divided[1]:
            return _accept(view, {m: view[m] for m in held}, divided[0], x, b)
        return False
    for monomial, ratio in sorted(held.items(), key=lambda item: [(atom.key, e) for atom, e in item[0]]):
        for modulus in _moduli(ratio, view[monomial], b):
            modulus_monomial, factor = modulus.terms[0] if modulus.value is None else (ONE, modulus.value)
            rest = divide_monomials(ratio, modulus_monomial)
            # x // b = (x // outer) // modulus
            outer = size_division.divide_exactly(b, modulus)
            if rest is None or outer is None:
                continue
            if outer.value == 1:
                inner = x
            elif not _may_hold(view, rest, quotient):
                continue
            elif _is_positive(x, outer) and _is_positive(x, modulus):
                inner = size_division.floor_div(x, outer)
                if size_division.floor_div(inner, modulus) is not from_atom(quotient):
                    continue  # it would not be read back as this
            else:
                continue
            if _accept(view, {monomial: view[monomial]}, {rest: -view[monomial] // factor}, inner, modulus):
                return True
    return b.value is not None and _fold_most(view, held, x, b)


def _may_hold(view: Polynomial, rest: Monomial, quotient: Atom) -> bool:
    """May rest * (x // outer) stand in the view, where the quotient is x // b and b a multiple of `outer`?

    (x // outer) // modulus is read as x // b only where x // outer holds a quotient (x - k*y) // y with a number k, so
    the view must hold one. To see that costs little; to divide x by `outer` takes searches for bounds.
    """
    x, b = quotient.operands
    for monomial in view:
        for atom, _ in monomial:
            if atom is quotient or atom.kind != "floordiv" or divide_monomials(monomial, rest) is None:
                continue
            inner, outer = atom.operands
            steps = size_division.divide_exactly(x - inner, outer)
            if steps is not None and steps.value is not None and size_division.divide_exactly(b, outer) is not None:
                return True
    return False


def _fold_most(view: Polynomial, held: dict[Monomial, Monomial], x: Size, b: Size) -> bool:
    """Fold a multiple of x % b, b a number, where another term has changed the quotient's coefficient by less than b.

    (x % 4) * 8 + x // 4 is 8*x - 31*(x // 4).
    """
    assert b.value is not None
    for monomial, ratio in sorted(held.items(), key=lambda item: [(atom.key, e) for atom, e in item[0]]):
        coefficient = view[monomial]
        count = -round(coefficient / b.value)
        left = coefficient + count * b.value
        if count and abs(left) < abs(coefficient) and _accept(view, {monomial: coefficient}, {ratio: count}, x, b):
            add_into(view, {monomial: left})
            return True
    return False


def _is_positive(a: Size, b: Size) -> bool:
    """Whether b is positive wherever a // b occurs."""
    least = size_bounds.divisor_lower(a, b)
    return least is not None and least >= 1


def _moduli(ratio: Monomial, coefficient: int, b: Size) -> Iterator[Size]:
    """The divisors of b (a single term) that also divide coefficient * ratio, the greatest first."""
    monomial, factor = b.terms[0]
    shared = gcd_monomials(ratio, monomial)
    common = math.gcd(coefficient, factor)
    for part in _divisors_of_monomial(shared):
        for divisor in sorted(_divisors(common), reverse=True):
            if part or divisor > 1:
                yield size_division.from_terms({part: divisor})


def _divisors(number: int) -> set[int]:
    if number > 1 << 32:  # a search through so large a number would take longer than it is worth
        return {1, number}
    small = [d for d in range(1, min(math.isqrt(number), 4096) + 1) if number % d == 0]
    return {*small, *(number // d for d in small)}


def _divisors_of_monomial(monomial: Monomial) -> list[Monomial]:
    found: list[Monomial] = [ONE]
    for atom, exponent in monomial:
        found = [(*part, (atom, e)) if e else part for part in found for e in range(exponent, -1, -1)]
    return sorted(found, key=lambda part: (-sum(e for _, e in part), [(atom.key, e) for atom, e in part]))


def _accept(view: Polynomial, removed: Polynomial, cofactor: Polynomial, inner: Size, modulus: Size) -> bool:
    """Fold removed + cofactor*inner into cofactor*(inner % modulus) if the view holds all of cofactor*inner."""
    for shared, factor in cofactor.items():
        for other, coefficient in inner.view.items():
            monomial = multiply_monomials(shared, other)
            if monomial:
                present, wanted = view.get(monomial, 0), factor * coefficient
                if present * wanted <= 0 or abs(present) < abs(wanted):
                    return False
    expanded = inner - modulus * size_division.floor_div(inner, modulus)
    atom = make_atom("mod", (inner, modulus), expanded=expanded)
    for monomial in removed:
        del view[monomial]
    for shared, factor in cofactor.items():
        add_into(view, inner.view, shared, -factor)
    add_into(view, cofactor, ((atom, 1),))
    return True
