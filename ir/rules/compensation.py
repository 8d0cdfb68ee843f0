"""Sums that carry along what rounding took from them: what the rules and `is_monoid` know about them.

A compensated accumulator is a pair (sum, corrections). The sum of two floating-point numbers leaves a rounding error
that is itself one, which six additions find without asking which of the two is greater (Knuth, "The Art of Computer
Programming", volume 2, section 4.2.2). Added up beside the sum and to it in the end, these errors leave a result as if
the sum had been formed with twice as many digits (Ogita, Rump and Oishi, "Accurate sum and dot product", 2005), however
long it is. Two such pairs are added like two numbers: in any order, up to errors of that second kind.

A sum may be scaled before another one is added to it (`ir.rules.exponentials`). Its corrections then are, too.
"""

from __future__ import annotations

from collections.abc import Sequence

from ir.core.expr import Expr, Lambda, fun, postorder, substitute
from ir.core.patterns import Call, Get, Literal, Splat, Tuple
from ir.core.types import ScalarType, TupleType, Type, VectorType

__all__ = [
    "adds_floats", "compensated", "corrected", "is_compensated", "no_corrections", "plain_part", "sums_of", "tuple_of",
]  # fmt: skip


def sums_of(f: Expr) -> tuple[int, ...]:
    """The components of an accumulator that a function adds floating-point numbers to; 0 is a scalar's only one.

    None of a function that adds pairs: their sums have corrections already.
    """
    if not isinstance(f, Lambda) or len(f.types) != 2 or f.types[0] is not f.types[1]:
        return ()
    (a, b), body = f.open()
    return () if plain_part(body, a, b) is not None else _sums(body, a, b)


def adds_floats(f: Expr) -> bool:
    """Does a function of an accumulator and an element add floating-point numbers?"""
    return bool(sums_of(f))


def _sums(body: Expr, a: Expr, b: Expr) -> tuple[int, ...]:
    if not isinstance(body, Tuple):
        return (0,) if _is_sum(body, a, b) else ()
    return tuple(i for i, part in enumerate(body.operands) if _is_sum(part, Get(i, a), Get(i, b)))


def _is_sum(e: Expr, a: Expr, b: Expr) -> bool:
    if not isinstance(e, Call) or e.op != "add" or not _scalar(e.type).is_float:
        return False
    x, y = e.operands
    return {x, y} == {a, b} or (_is_scaled(x, a) and _is_scaled(y, b))


def _is_scaled(e: Expr, a: Expr) -> bool:
    """Is it a number, or that times a factor, as a condition says?"""
    if not isinstance(e, Call) or e.op != "select":
        return False
    test, *values = e.operands
    products = [v for v in values if isinstance(v, Call) and v.op == "multiply"]
    numbers = [v.operands[0] if v in products else v for v in values]
    return numbers == [a, a] and all(a not in postorder(v) for v in (test, *(v.operands[1] for v in products)))


def _scalar(t: Type) -> ScalarType:
    t = t.element if isinstance(t, VectorType) else t
    assert isinstance(t, ScalarType)
    return t


def _part(e: Expr, index: int) -> Expr:
    """A component of a value that may be a scalar."""
    return Get(index, e) if isinstance(e.type, TupleType) else e


def tuple_of(parts: Sequence[Expr]) -> Expr:
    """Their tuple; the value itself if there is one."""
    return parts[0] if len(parts) == 1 else Tuple(*parts)


def no_corrections(t: Type, sums: tuple[int, ...]) -> Expr:
    """The corrections of values of type t that are exact: a negative zero for each component that is added up, which
    changes nothing it is added to.
    """
    zeros: list[Expr] = []
    for i in sums:
        part = t.elements[i] if isinstance(t, TupleType) else t
        zero = Literal(-0.0, _scalar(part))
        zeros.append(Splat(zero, part.width) if isinstance(part, VectorType) else zero)
    return tuple_of(zeros)


def compensated(f: Lambda) -> Lambda:
    """The function on pairs: λ((s, c), (t, d)). (s + t, c + d + (what s + t was rounded by)), for each sum in f."""
    t, sums = f.types[0], sums_of(f)
    pair = TupleType((t, no_corrections(t, sums).type))
    return fun((pair, pair), lambda p, q: _added(f(Get(0, p), Get(0, q)), sums, p, q))


def _added(total: Expr, sums: tuple[int, ...], p: Expr, q: Expr) -> Expr:
    corrections = []
    for place, i in enumerate(sums):
        c, d = [_part(Get(1, x), place) for x in (p, q)]
        part = total.operands[i] if isinstance(total, Tuple) else total
        a, b = [_part(Get(0, x), i) for x in (p, q)]
        if {a, b} != set(part.operands):
            x, y = part.operands
            c, d, a, b = substitute(x, {a: c}), substitute(y, {b: d}), x, y
        error = _rounding_error(a, b, part)
        corrections.append(Call("add", Call("add", c, d), error))
    return Tuple(total, tuple_of(corrections))


def _rounding_error(a: Expr, b: Expr, total: Expr) -> Expr:
    """What a + b is more than `total`, to which it was rounded."""
    added = Call("subtract", total, a)
    return Call("add", Call("subtract", a, Call("subtract", total, added)), Call("subtract", b, added))


def corrected(f: Lambda) -> Lambda:
    """What a pair stands for: λ(s, c). s + c for each sum in f; s alone where c is zero, which keeps a zero's sign,
    or no number, as it is where s is infinite.
    """
    sums, pair = sums_of(f), compensated(f).types[0]

    def value(p: Expr) -> Expr:
        s, cs = Get(0, p), Get(1, p)
        count = len(f.types[0].elements) if isinstance(f.types[0], TupleType) else 1
        parts = [_part(s, i) for i in range(count)]
        for place, i in enumerate(sums):
            c = cs if len(sums) == 1 else Get(place, cs)
            size = Call("abs", c)
            counts = Call("greater", size, no_corrections(size.type, (0,)))
            parts[i] = Call("select", counts, Call("add", parts[i], c), parts[i])
        return tuple_of(parts)

    return fun(pair, value)


def plain_part(body: Expr, p: Expr, q: Expr) -> Expr | None:
    """The values' part of the sum of the two pairs p and q; None where `body` is no such sum."""
    if not isinstance(body, Tuple) or not isinstance(p.type, TupleType) or len(p.type.elements) != 2:
        return None
    total, value = body.operands[0], p.type.elements[0]
    sums = _sums(total, Get(0, p), Get(0, q))
    if not sums or p.type.elements[1] is not no_corrections(value, sums).type:
        return None
    return total if _added(total, sums, p, q) is body else None


def is_compensated(f: Expr) -> bool:
    """Does a function add pairs, in a component at least?"""
    if not isinstance(f, Lambda) or len(f.types) != 2 or f.types[0] is not f.types[1]:
        return False
    (p, q), body = f.open()
    pending: list[tuple[Expr, Expr, Expr]] = [(body, p, q)]
    while pending:
        part, a, b = pending.pop()
        if plain_part(part, a, b) is not None:
            return True
        if isinstance(part, Tuple) and isinstance(a.type, TupleType) and len(part.operands) == len(a.type.elements):
            pending += [(x, Get(i, a), Get(i, b)) for i, x in enumerate(part.operands)]
    return False
