"""Sizes: `min`, `max`, `**`, substitution and evaluation (import them from `ir.core.sizes`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

from ir.core.sizes import bounds as size_bounds
from ir.core.sizes import division as size_division
from ir.core.sizes.polynomials import ONE, Polynomial, add_into, remember
from ir.core.sizes.terms import Atom, Size, SizeError, SizeLike, constant, from_atom, from_polynomial, make_atom, size

_MAX_POWER_BITS: Final = 1 << 16  # larger constants are refused
_MAX_EXPANSION: Final = 4  # (a + b)**5 stays a power

_extrema: dict[tuple[str, Size, Size], Size] = {}


# -- min, max, power -------------------------------------------------------------------------------------------------


def minimum(a: SizeLike, b: SizeLike) -> Size:
    """The smaller of two sizes."""
    return _extremum("min", size(a), size(b))


def maximum(a: SizeLike, b: SizeLike) -> Size:
    """The larger of two sizes."""
    return _extremum("max", size(a), size(b))


def _extremum(kind: Literal["min", "max"], a: Size, b: Size) -> Size:
    if a.value is not None and b.value is not None:
        return constant(min(a.value, b.value) if kind == "min" else max(a.value, b.value))
    found = _extrema.get((kind, a, b))
    if found is not None:
        return found
    parts = sorted({*_flat(kind, a), *_flat(kind, b)}, key=lambda part: part.sort_key)
    kept: list[Size] = []
    for part in parts:
        if any(_beats(kind, other, part) for other in kept):
            continue
        kept = [other for other in kept if not _beats(kind, part, other)]
        kept.append(part)
    result = kept[0]
    for part in kept[1:]:
        result = from_atom(make_atom(kind, (result, part)))
    return remember(_extrema, (kind, a, b), result)


def _beats(kind: str, a: Size, b: Size) -> bool:
    return size_bounds.is_le(a, b) if kind == "min" else size_bounds.is_le(b, a)


def _flat(kind: str, a: Size) -> list[Size]:
    atom = a.atom
    if atom is None or atom.kind != kind:
        return [a]
    return [part for operand in atom.operands for part in _flat(kind, operand)]


def power(a: SizeLike, b: SizeLike) -> Size:
    """a ** b for b >= 0; SizeError for a negative constant exponent or an absurdly large constant."""
    a, b = size(a), size(b)
    if b.value is not None:
        if b.value < 0:
            raise SizeError(f"expected an exponent of at least 0, got {a} ** {b.value}")
        if b.value == 0 or a.value == 1:
            return constant(1)
        if a.value is not None:
            return constant(_constant_power(a.value, b.value))
        if b.value == 1:
            return a
        if len(a.polynomial) == 1:
            ((monomial, factor),) = a.polynomial.items()
            raised = tuple((atom, exponent * b.value) for atom, exponent in monomial)
            return from_polynomial({raised: _constant_power(factor, b.value)})
        if b.value <= _MAX_EXPANSION:
            result = a
            for _ in range(b.value - 1):
                result = result * a
            return result
    elif a.value == 1:
        return a
    else:
        offset = b.polynomial.get(ONE, 0)
        least = size_bounds.lower(b - offset)
        if offset > 0 and least is not None and least >= 0:
            return power(a, b - offset) * power(a, offset)
    return from_atom(make_atom("pow", (a, b)))


def _constant_power(base: int, exponent: int) -> int:
    """base ** exponent, refused where the result would fill the memory."""
    if abs(base) > 1 and base.bit_length() * exponent > _MAX_POWER_BITS:
        raise SizeError(f"the constant {base} ** {exponent} is too large")
    return int(base**exponent)


# -- substitution and evaluation -------------------------------------------------------------------------------------


def substitute(a: Size, keys: frozenset[Size], images: dict[Atom, Size]) -> Size:
    """Replace the variables `keys`; `images` maps their atoms, and collects the images of all other atoms met."""
    if keys.isdisjoint(a.variables):
        return a

    def image(atom: Atom) -> Size:
        found = images.get(atom)
        if found is None:
            if atom.kind == "var":
                found = from_atom(atom)
            else:
                left, right = (substitute(operand, keys, images) for operand in atom.operands)
                found = _rebuild(atom.kind, left, right)
            images[atom] = found
        return found

    total: Polynomial = {}
    for monomial, coefficient in a.polynomial.items():
        product = constant(coefficient)
        for atom, exponent in monomial:
            product = product * power(image(atom), exponent)
        add_into(total, product.polynomial)
    return from_polynomial(total)


def _rebuild(kind: str, a: Size, b: Size) -> Size:
    match kind:
        case "floordiv":
            return size_division.floor_div(a, b)
        case "mod":
            return size_division.remainder(a, b)
        case "min":
            return minimum(a, b)
        case "max":
            return maximum(a, b)
    return power(a, b)


def evaluate(a: Size, values: Mapping[str, int]) -> int:
    """The value under an assignment of names."""
    total = 0
    for monomial, coefficient in a.polynomial.items():
        for atom, exponent in monomial:
            coefficient *= _evaluate_atom(atom, values) ** exponent
        total += coefficient
    return total


def _evaluate_atom(atom: Atom, values: Mapping[str, int]) -> int:
    if atom.kind == "var":
        if atom.name not in values:
            raise SizeError(f"no value given for {atom.name!r}; known: {', '.join(sorted(values)) or 'none'}")
        return values[atom.name]
    left, right = (evaluate(operand, values) for operand in atom.operands)
    match atom.kind:
        case "min":
            return min(left, right)
        case "max":
            return max(left, right)
        case "pow":
            if right < 0:
                raise SizeError(f"negative exponent in {atom.text}: {left} ** {right}")
            return _constant_power(left, right)
    if right == 0:
        raise SizeError(f"division by zero in {atom.text}")
    return left // right if atom.kind == "floordiv" else left % right
