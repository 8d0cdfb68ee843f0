"""Sizes: numeric ranges and proofs of inequalities (import them from `ir.core.sizes`).

A lower bound is searched by eliminating atoms, outermost first: the atom on which nothing else depends is replaced by
a bound of its own (a loop variable by its limit, a // b by a / b), in the direction that the sign of its cofactor
demands, until only numbers are left. Each step holds for every assignment within the ranges, so the number is a bound.

Values are whole numbers, so bounds are rounded up. That is why sizes are first divided by what all of their terms have
in common: 32*(n // 2 - 4*(n // 8)) >= 32 * -0.5 says less than n // 2 - 4*(n // 8) >= -0.5.
"""

from __future__ import annotations

from math import gcd
from typing import Final, TypeAlias

from ir.core.sizes import division as size_division
from ir.core.sizes.polynomials import ONE, Monomial, Polynomial, divide_monomials, remember
from ir.core.sizes.terms import Atom, Size, SizeLike, from_atom, from_polynomial, negate, size

Interval: TypeAlias = tuple[int | None, int | None]

HEADROOM: Final = 1 << 20
"""So many elements beyond the end of any array an index of 32 bits, where these are used, can still name."""
LIMIT_32: Final = 2**31 - 1 - HEADROOM
"""The greatest index that 32 bits are used for; addresses of prefetched elements lie somewhat beyond the end."""

_BUDGET: Final = 16  # how many alternatives one proof may look into; halved at each choice
_MAX_TERMS: Final = 48
_MAX_BITS: Final = 4096
_searches: dict[tuple[Size, int], tuple[int | None]] = {}


def lower(a: Size) -> int | None:
    """The greatest number known to be <= a, or None."""
    if a.value is not None:
        return a.value
    if a._lower is None:
        a._lower = (_known(max, interval(a)[0], _search(a, _BUDGET)),)
    return a._lower[0]


def upper(a: Size) -> int | None:
    """The least number known to be >= a, or None."""
    if a.value is not None:
        return a.value
    if a._upper is None:
        least = lower(negate(a))
        a._upper = (None if least is None else -least,)
    return a._upper[0]


def greatest_part(a: Size) -> int:
    """What adding up the terms that are added, or those that are subtracted, may reach; 0 where that is not known.

    Of the terms as they are shown, which may exceed what their sum does: 4096 * i - 16777213 * (i // 4096).
    """
    if a.value is not None:
        return abs(a.value)
    added = subtracted = 0
    for monomial, coefficient in a.terms:
        reach = abs(coefficient)
        for atom, exponent in monomial:
            least, most = from_atom(atom).bounds()
            if least is None or most is None:
                return 0
            reach *= max(-least, most) ** exponent
        if coefficient > 0:
            added += reach
        else:
            subtracted += reach
    return max(added, subtracted)


def is_le(a: SizeLike, b: SizeLike) -> bool:
    """Whether a <= b is provable from the ranges of the variables."""
    least = lower(size(b) - a)
    return least is not None and least >= 0


def is_lt(a: SizeLike, b: SizeLike) -> bool:
    """Whether a < b is provable from the ranges of the variables."""
    return is_le(size(a) + 1, b)  # bounds are sharpest around 0


def divisor_lower(a: Size, b: Size) -> int | None:
    """A lower bound of b in a // b, which also uses that the variables of a have values at all.

    A variable in [0, c - 1] exists only where c >= 1: so the c of a split is positive though its range may begin at 0.
    """
    least = lower(b)
    if least is not None and least >= 1:
        return least
    for variable in a.variables:
        lo, hi = variable.lo, variable.hi
        if lo is None or hi is None or not (isinstance(lo, Size) or isinstance(hi, Size)):
            continue
        count = size(hi) - lo + 1  # at least 1
        if is_le(count, b):
            return 1
        ratio = size_division.divide_exactly(count, b)
        if ratio is not None and is_le(0, ratio):
            return 1
    return least


# -- intervals -------------------------------------------------------------------------------------------------------


def interval(a: Size) -> Interval:
    """The range that the terms have when they are taken one by one."""
    if a.value is not None:
        return a.value, a.value
    if a._interval is not None:
        return a._interval
    low: int | None = 0
    high: int | None = 0
    for monomial, coefficient in a.view.items():
        least, most = _monomial_interval(monomial)
        if coefficient < 0:
            least, most = most, least
        low = None if low is None or least is None else low + coefficient * least
        high = None if high is None or most is None else high + coefficient * most
    a._interval = (low, high)
    return a._interval


def _monomial_interval(monomial: Monomial) -> Interval:
    if not monomial:
        return 1, 1
    product: Interval | None = None
    for atom, exponent in monomial:
        factor = atom_interval(atom)
        if exponent > 1:
            factor = _to_the(factor, exponent)
        product = factor if product is None else _times(product, factor)
    return product if product is not None else (1, 1)


def atom_interval(atom: Atom) -> Interval:
    """The numeric range of an atom."""
    if atom._interval is None:
        atom._interval = _atom_interval(atom)
    return atom._interval


def _atom_interval(atom: Atom) -> Interval:
    if atom.kind == "var":
        low = lower(atom.lo) if isinstance(atom.lo, Size) else atom.lo
        high = upper(atom.hi) if isinstance(atom.hi, Size) else atom.hi
        return low, high
    (a, b), (c, d) = ((lower(operand), upper(operand)) for operand in atom.operands)
    match atom.kind:
        case "min":
            return (None if a is None or c is None else min(a, c)), _known(min, b, d)
        case "max":
            return _known(max, a, c), (None if b is None or d is None else max(b, d))
        case "pow":
            return _power_interval((a, b), (c, d))
    c = divisor_lower(*atom.operands)
    if c is None or c < 1:
        return None, None
    if atom.kind == "floordiv":
        return _quotient_end(a, c, d, low=True), _quotient_end(b, c, d, low=False)
    most = None if d is None else d - 1
    if a is not None and a >= 0:
        most = _known(min, most, b)
    return 0, most


def _known(choose: object, a: int | None, b: int | None) -> int | None:
    if a is None or b is None:
        return b if a is None else a
    return min(a, b) if choose is min else max(a, b)


def _quotient_end(end: int | None, least: int, most: int | None, *, low: bool) -> int | None:
    """The extreme of end // divisor, the divisor being in [least, most] and least >= 1."""
    if end is None:
        return None
    # A large divisor brings the quotient towards 0 from above, towards -1 from below.
    divisor = most if (end >= 0) == low else least
    if divisor is not None:
        return end // divisor
    return 0 if end >= 0 else -1


def _power_interval(base: Interval, exponent: Interval) -> Interval:
    if base[0] is None or base[0] < 1 or exponent[0] is None or exponent[0] < 0:
        return (0, None) if base[0] is not None and base[0] >= 0 else (None, None)
    low = base[0] ** min(exponent[0], 64) if base[0].bit_length() <= 64 else base[0] if exponent[0] else 1
    high = None
    if base[1] is not None and exponent[1] is not None and base[1].bit_length() * exponent[1] <= _MAX_BITS:
        high = base[1] ** exponent[1]
    return low, high


def _times(a: Interval, b: Interval) -> Interval:
    if a[0] is not None and a[0] >= 0 and b[0] is not None and b[0] >= 0:
        high = None if a[1] is None or b[1] is None else a[1] * b[1]
        return a[0] * b[0], 0 if a[1] == 0 or b[1] == 0 else high
    # An unbounded end is a pair (sign, 0), ordered around every number (0, n).
    ends = [_end_product(x, y) for x in _ends(a) for y in _ends(b)]
    low, high_end = min(ends), max(ends)
    return (None if low[0] else low[1]), (None if high_end[0] else high_end[1])


def _ends(a: Interval) -> tuple[tuple[int, int], tuple[int, int]]:
    return ((-1, 0) if a[0] is None else (0, a[0])), ((1, 0) if a[1] is None else (0, a[1]))


def _end_product(a: tuple[int, int], b: tuple[int, int]) -> tuple[int, int]:
    if not a[0] and not b[0]:
        return 0, a[1] * b[1]
    sign = _sign(a[0] or a[1]) * _sign(b[0] or b[1])
    return sign, 0


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)


def _to_the(a: Interval, exponent: int) -> Interval:
    if exponent == 1:
        return a
    largest = max((abs(end) for end in a if end is not None), default=0)
    if largest.bit_length() * exponent > _MAX_BITS:
        return (0 if exponent % 2 == 0 or (a[0] is not None and a[0] >= 0) else None), None
    if exponent % 2 == 0:
        low, high = a
        if low is not None and low >= 0:
            return low**exponent, None if high is None else high**exponent
        if high is not None and high <= 0:
            return high**exponent, None if low is None else low**exponent
        return 0, None if low is None or high is None else max(low**exponent, high**exponent)
    return (None if a[0] is None else a[0] ** exponent), (None if a[1] is None else a[1] ** exponent)


# -- elimination -----------------------------------------------------------------------------------------------------


def _search(a: Size, budget: int) -> int | None:
    """A lower bound of a. A function of (a, budget) alone, so that results do not depend on what was asked before."""
    if a.value is not None:
        return a.value
    if budget <= 0 or len(a.polynomial) > _MAX_TERMS or not _is_interesting(a):
        return interval(a)[0]
    known = _searches.get((a, budget))
    if known is None:
        # Intervals only where elimination finds nothing: for these sizes, most of them new, they cost more.
        found = _search_part(a, budget)
        known = remember(_searches, (a, budget), (interval(a)[0] if found is None else found,))
    return known[0]


def _search_part(a: Size, budget: int) -> int | None:
    """What elimination finds for c*b + k, after division by the number c."""
    factor = gcd(*(coefficient for monomial, coefficient in a.polynomial.items() if monomial is not ONE))
    if factor == 1:
        return _eliminate_one(a, budget)
    whole, rest = divmod(a.polynomial.get(ONE, 0), factor)
    divided: Polynomial = {m: coefficient // factor for m, coefficient in a.polynomial.items() if m is not ONE}
    if whole:
        divided[ONE] = whole
    found = _search(from_polynomial(divided), budget)
    return None if found is None else factor * found + rest


def _is_interesting(a: Size) -> bool:
    """Whether elimination can do better than intervals: not for a sum of numerically bounded variables."""
    for monomial in a.polynomial:
        for atom, exponent in monomial:
            if atom.level > 0 or atom.kind != "var" or exponent > 1 or len(monomial) > 1:
                return True
    return False


def _eliminate_one(a: Size, budget: int) -> int | None:
    atoms = {atom for monomial in a.polynomial for atom, _ in monomial}
    ordered = list(atoms)
    if len(ordered) > 1:
        ordered.sort(key=lambda atom: (-atom.level, atom.key))
    for atom in ordered:
        key = ((atom, 1),)
        held: Polynomial = {}
        others: Polynomial = {}
        for monomial, coefficient in a.polynomial.items():
            ratio = divide_monomials(monomial, key)
            if ratio is None:
                others[monomial] = coefficient
            else:
                held[ratio] = coefficient
        cofactor, rest = from_polynomial(held), from_polynomial(others)
        if atom.kind == "var" and atom.level == 0 and cofactor.value is not None:
            continue  # intervals do as well, once the rest is gone
        found = _eliminate(atom, cofactor, rest, budget)
        if found is not None:
            return found[0]
    return None


def _eliminate(atom: Atom, cofactor: Size, rest: Size, budget: int) -> tuple[int | None] | None:
    """A lower bound of cofactor*atom + rest, in a tuple; None where this atom cannot be eliminated."""
    if atom.kind == "min" or atom.kind == "max":
        return (_eliminate_extremum(atom, cofactor, rest, budget),)
    sign = _sign_of(cofactor, budget)
    if atom.kind == "var":
        low = size(atom.lo) if atom.lo is not None else None
        high = size(atom.hi) if atom.hi is not None else None
        if sign:
            end = low if sign > 0 else high
            return None if end is None else (_search(cofactor * end + rest, budget),)
        if low is None or high is None or budget < 2:
            return None
        # Of either sign, but linear in the variable: the least value is at one of the two ends.
        return (_least(_search(cofactor * low + rest, budget // 2), _search(cofactor * high + rest, budget // 2)),)
    if not sign:
        return None
    if atom.kind == "floordiv":
        return _eliminate_quotient(atom, cofactor, rest, sign, budget)
    end_value = atom_interval(atom)[0 if sign > 0 else 1]
    return None if end_value is None else (_search(cofactor * end_value + rest, budget),)


def _sign_of(a: Size, budget: int) -> int:
    """1 where a >= 0, -1 where a <= 0, 0 where neither is known."""
    low, high = interval(a)
    if low is not None and low >= 0:
        return 1
    if high is not None and high <= 0:
        return -1
    # A question within a question gets less to spend: cofactors of cofactors would multiply the work.
    budget //= 4
    if budget <= 0 or not _is_interesting(a):
        return 0
    least = _search(a, budget)
    if least is not None and least >= 0:
        return 1
    least = _search(negate(a), budget)
    return -1 if least is not None and least >= 0 else 0


def _least(a: int | None, b: int | None) -> int | None:
    return None if a is None or b is None else min(a, b)


def _eliminate_extremum(atom: Atom, cofactor: Size, rest: Size, budget: int) -> int | None:
    """min(x, y) is x or y; and where it counts negatively, min(x, y) <= x and min(x, y) <= y."""
    left, right = (_search(cofactor * operand + rest, budget // 2) for operand in atom.operands)
    if _sign_of(cofactor, budget) == (-1 if atom.kind == "min" else 1):
        return _known(max, left, right)
    return _least(left, right)


def _eliminate_quotient(atom: Atom, cofactor: Size, rest: Size, sign: int, budget: int) -> tuple[int | None] | None:
    """(x - b + 1)/b <= x // b <= x/b for b >= 1."""
    x, b = atom.operands
    smallest = divisor_lower(x, b)
    if smallest is None or smallest < 1:
        return None
    end_value = atom_interval(atom)[0 if sign > 0 else 1]
    best = None
    if end_value is not None:
        budget //= 2
        best = _search(cofactor * end_value + rest, budget)
    numerator = x - b + 1 if sign > 0 else x
    # With the least number f of which b divides f*cofactor: f*value >= bound, so value >= bound/f, rounded up.
    factor = gcd(*b.polynomial.values())
    factor //= gcd(factor, *cofactor.polynomial.values())
    scale = size_division.divide_exactly(factor * cofactor, b)
    if scale is not None:
        least = _search(scale * numerator + factor * rest, budget)
        return (_known(max, best, None if least is None else -(-least // factor)),)
    # b*value >= scaled, so value >= scaled/b, where b is no number.
    scaled = cofactor * numerator + b * rest
    above = _search(scaled + b - 1, budget)
    if above is not None and above >= 0:  # value > -1
        best = _known(max, best, 0)
    least = _search(scaled, budget)
    if least is not None:
        divisor = smallest if least <= 0 else upper(b)
        bound = -(-least // divisor) if divisor is not None else 1
        best = _known(max, best, bound)
    return (best,)
