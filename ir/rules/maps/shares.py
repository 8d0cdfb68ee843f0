"""Rows of which each work-item has every i-th element, or vector, as many as registers hold, and the same of what is
left.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import reduce

from ir.core.expr import Expr, Lambda, Param, close, fresh, fun, postorder, substitute
from ir.core.patterns import (
    MAP,
    REDUCE,
    AsScalar,
    AsVector,
    Call,
    Concat,
    Element,
    Head,
    Join,
    Literal,
    Map,
    Reduce,
    Repeat,
    Slice,
    Split,
    Transpose,
    Vect,
    Zip,
)
from ir.core.sizes import Size, is_le, minimum, size
from ir.core.types import BOOL, VECTOR_WIDTHS
from ir.rewrite.rule import Label, rule
from ir.rules.common import (
    components,
    divides,
    element,
    is_bound,
    is_monoid,
    is_scalar_like,
    length,
    parts_of,
    tuple_of,
    where,
    zip_of,
)
from ir.rules.folds.reduction import mapped_by
from ir.rules.layout.ragged import zero_of
from ir.rules.opencl.vectorise import is_vectorisable

__all__: list[str] = []


@rule(Label.EXACT, "map fission: ICFP'15 fig. 6f, read from right to left; common subexpressions")
def row_in_common(e: Map) -> Expr | None:
    """map f xs  ->  map h (map g xs)      for f x = h (g x), where a reduce of map k xs in h is one of map l (map g
    xs), k x = l (g x)

    g is the greatest part that both have in common. It is computed once, if what it gives is kept.
    """
    match e:
        case Map(Lambda() as f, xs, how) if how == MAP and not isinstance(xs, Zip):
            (x,), body = f.open()
            for fold in reversed([node for node in postorder(body) if isinstance(node, Reduce)]):
                k, view = mapped_by(fold.xs)
                if view is not xs or fold.how != REDUCE or x in postorder(fold):
                    continue
                (y,), own = k.open()
                inner = substitute(own, {y: x})
                found = _common(body, inner, x)
                if found is not None:
                    made = Map(close((x,), found), xs)
                    z = fresh(found.type)
                    read = Map(close((z,), substitute(inner, {found: z})), made)
                    changed = substitute(body, {fold: Reduce(fold.f, fold.init, read)})
                    return Map(close((z,), substitute(changed, {found: z})), made)
    return None


def _common(body: Expr, inner: Expr, x: Param) -> Expr | None:
    """The greatest part of both through which alone they use x; no number, not x itself, and nothing that needs the
    variable of a function inside of them.
    """
    gates = set(_gates(body, x))
    return next((e for e in _gates(inner, x) if e in gates and isinstance(e, Call) and not is_bound(e)), None)


def _gates(whole: Expr, x: Param) -> list[Expr]:
    """The parts through which alone an expression uses x, itself first, x last: none where it does not use x.

    Dominators: the next gate of a node is the first that all its operands have in common.
    """
    depth: dict[Expr, int] = {x: 0}
    after: dict[Expr, Expr] = {}

    def meet(a: Expr, b: Expr) -> Expr:
        while a is not b:
            a, b = (after[a], b) if depth[a] >= depth[b] else (a, after[b])
        return a

    for node in postorder(whole, lambda e: not e.loose):
        using = [operand for operand in node.operands if operand in depth]
        if using:
            after[node] = reduce(meet, using)
            depth[node] = depth[after[node]] + 1
    gates = [whole] if whole in depth else []
    while gates and gates[-1] is not x:
        gates.append(after[gates[-1]])
    return gates


@rule(Label.REASSOCIATING, "ICFP'15 fig. 6d and 6e, for lengths that are no multiple")
def reduce_by_shares(e: Reduce, *, items: Size | int, kept: Size | int, width: int = 1) -> Expr | None:
    """reduce f z (map g xs)  ->  reduce f z ∘ join ∘ map (λ(as, p, bs, q). reduce f (element 0 (reduce f z (h as p)))
    (h bs q)) ∘ zip      where h xs p = map (λ(x, b). select(b, g x, z)) (zip(xs, p))

    of the shares as of the first elements, i * k at most, and bs of the rest, and of what tells them from the zeros
    that fill them up: transpose ∘ split i (concat(slice 0 1 m xs, repeat (i * k - m) 0)). The first ones may be shared
    out w by w: map join ∘ transpose ∘ split i ∘ split w (..).
    """
    match e:
        case Reduce(Lambda() as f, z, xs, how) if how == REDUCE and is_monoid(f, z):
            g, view = mapped_by(xs)
            shares = _shares(view, items, kept, width)
            if shares is None:
                return None
            flat = zip_of(tuple(x for share in shares for x in (*share.rows, share.flags)))

            def filled(share: _Share, parts: tuple[Expr, ...]) -> Expr:
                pairs = zip_of(parts)

                def chosen(t: Expr) -> Expr:
                    *own, flag = parts_of(t, len(parts))
                    return where(flag, g(share.element(tuple(own))), z)

                return Map(fun(element(pairs), chosen), pairs)

            def of_item(t: Expr) -> Expr:
                parts, done = list(parts_of(t, len(components(flat)))), z
                for share in shares:
                    count = len(share.rows) + 1
                    folded = Reduce(f, done, filled(share, tuple(parts[:count])))
                    parts, done = parts[count:], Element(0, folded)
                return folded

            return Reduce(f, z, Join(Map(fun(element(flat), of_item), flat)))
    return None


@rule(Label.EXACT, "ICFP'15 fig. 6c and 6e, for lengths that are no multiple")
def map_by_shares(e: Map, *, items: Size | int, kept: Size | int, width: int = 1) -> Expr | None:
    """map f xs  ->  concat(head m ∘ v ∘ map (map f) as, head (n - m) ∘ v ∘ map (map f) bs)      where v = join ∘
    transpose

    of the shares as of the first elements, i * k at most, and bs of the rest: transpose ∘ split i (concat(slice 0 1 m
    xs, repeat (i * k - m) 0)). The first ones may be shared out w by w: asScalar ∘ v ∘ map (map (vect w f) ∘ asVector
    w) ∘ map join ∘ transpose ∘ split i ∘ split w (..).
    """
    match e:
        case Map(Lambda() as f, xs, how) if how == MAP:
            shares = _shares(xs, items, kept, width)
            if shares is None:
                return None
            parts = []
            for share in shares:
                flat = zip_of(share.rows)
                if share.width > 1 and not is_vectorisable(f):
                    return None

                def of_item(t: Expr, share: _Share = share) -> Expr:
                    own = zip_of(parts_of(t, len(share.rows)))
                    g = fun(element(own), lambda x: f(share.element(parts_of(x, len(share.rows)))))
                    return Map(g, own) if share.width == 1 else Map(Vect(share.width, g), AsVector(share.width, own))

                rows = Join(Transpose(Map(fun(element(flat), of_item), flat)))
                done = rows if share.width == 1 else AsScalar(rows)
                parts.append(done if length(done) is share.count else Head(share.count, done))
            return Concat(*parts) if len(parts) > 1 else parts[0]
    return None


@dataclass(frozen=True)
class _Share:
    """What each work-item has of the first elements of some arrays, or of the rest.

    Attributes:
        rows: for each array
        count: how many elements all have, without the zeros
        flags: which elements are no zeros that fill the rows up
        computed: what is still to be made of each element
        width: how many neighbours go to one work-item
    """

    rows: tuple[Expr, ...]
    count: Size
    flags: Expr
    computed: Lambda | None = None
    width: int = 1

    def element(self, parts: tuple[Expr, ...]) -> Expr:
        """An element, given that of each row."""
        return tuple_of(parts) if self.computed is None else self.computed(tuple_of(parts))


def _shares(xs: Expr, items: Size | int, kept: Size | int, width: int) -> list[_Share] | None:
    """The shares of the first elements of each array of a zip, and of the rest. Of what a map makes, the first ones are
    made of all shares at once, so that they can be kept. None: there are no elements, what they are is not known, or
    what is kept is no number of so wide vectors.
    """
    if isinstance(xs, Map) and isinstance(xs.f, Lambda) and xs.how == MAP:
        read = _shares(xs.xs, items, kept, width)
        if read is None or any(share.computed for share in read):
            return None
        first, *rest = read
        f, flat = xs.f, zip_of(first.rows)
        made = Map(fun(element(flat), lambda t: Map(f, zip_of(parts_of(t, len(first.rows))))), flat)
        return [replace(first, rows=(made,)), *(replace(share, computed=f) for share in rest)]
    zeros = [zero_of(element(x)) for x in components(xs)]
    if any(zero is None for zero in zeros) or not is_le(size(1), size(items)) or not is_le(size(1), size(kept)):
        return None
    if width != 1 and not (width in VECTOR_WIDTHS and is_scalar_like(element(xs)) and divides(width, size(kept))):
        return None
    n, most = length(xs), size(items) * kept
    first_ones = minimum(n, most)
    left = n - first_ones
    turns = (left + items - 1) // items

    def share(start: Size | int, count: Size, filled: Size, wide: int) -> _Share:
        cut = [Slice(start, 1, count, x) for x in components(xs)]
        rows = [_in_shares(x, zero, filled - count, items, wide) for x, zero in zip(cut, zeros, strict=True) if zero]
        flags = _in_shares(Repeat(count, Literal(True, BOOL)), Literal(False, BOOL), filled - count, items, wide)
        return _Share(tuple(rows), count, flags, width=wide)

    found = [share(0, first_ones, most, width), share(first_ones, left, items * turns, 1)]
    return [each for each in found if each.count.value != 0] or None


def _in_shares(xs: Expr, zero: Expr, missing: Size, items: Size | int, width: int) -> Expr:
    whole = Concat(xs, Repeat(missing, zero)) if missing.value != 0 else xs
    if width == 1:
        return Transpose(Split(items, whole))
    parts = Transpose(Split(items, Split(width, whole)))
    return Map(fun(element(parts), Join), parts)
