"""Zips change places with views: pairs of views are views of pairs. All are exact.

A view that takes every element as it is does the same to an array of tuples as to each of its components. Read in one
direction these rules bring together what several arrays are computed from, in the other they take apart what is read
row by row.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from ir.core.expr import Expr, Lambda, Param, close, fresh, fun, postorder, substitute
from ir.core.patterns import MAP, Element, Get, Join, Map, Repeat, Split, Transpose, Tuple, Zip, is_view_map
from ir.core.sizes import Size
from ir.core.types import ArrayType, TupleType
from ir.errors import TypeMismatch
from ir.rewrite.rule import rule
from ir.rules.common import components, element, is_scalar_like, length, length_of_row, parts_of, tuple_of
from ir.rules.layout.views import is_natural, retyped

__all__ = ["same_views", "viewed"]


def viewed(e: Expr) -> Expr | None:
    """The array of which `e` is a view that takes every element as it is, if it is such a view."""
    if e.traits.view and e.traits.natural and not isinstance(e, (Element, Repeat)):  # theirs need be no arrays
        return e.operands[0]
    if isinstance(e, Map) and is_view_map(e):
        assert isinstance(e.f, Lambda)
        return e.xs if is_natural(e.f) else None
    return None


def same_views(arrays: Sequence[Expr]) -> tuple[Expr, ...] | None:
    """What the arrays are views of, where each is the same view of something."""
    first, below = arrays[0], [viewed(x) for x in arrays]
    found = tuple(x for x in below if x is not None)
    if len(found) < len(arrays) or any(_of(x, found[0]) is not first for x in arrays):
        return None
    return found


def _of(view: Expr, xs: Expr) -> Expr | None:
    """The same view of another array; None where it is none of that."""
    if not isinstance(view, Map):
        try:
            return view._make((xs, *view.operands[1:]), view.parameters)
        except TypeMismatch:  # a join of rows is none of scalars
            return None
    assert isinstance(view.f, Lambda)
    f = retyped(view.f, element(xs))
    return None if f is None else Map(f, xs)


def _all_of(views: list[Expr], xs: Expr) -> Expr | None:
    """Views, the outermost first, of another array."""
    made: Expr | None = xs
    for view in reversed(views):
        made = None if made is None else _of(view, made)
    return made


def _is_flat(e: Expr) -> bool:
    return is_scalar_like(element(e))


def _rows(e: Expr) -> tuple[Size, Size] | None:
    """How many rows, and how long they are; None for no rows of scalars."""
    t = e.type
    if isinstance(t, ArrayType) and isinstance(t.element, ArrayType) and is_scalar_like(t.element.element):
        return t.length, t.element.length
    return None


def _zipped_rows(arrays: Zip) -> Expr:
    """`map (λ(xs, ys, ..). zip(xs, ys, ..)) (zip(xss, yss, ..))`."""
    count = len(arrays.operands)
    return Map(fun(element(arrays), lambda rows: Zip(*(Get(i, rows) for i in range(count)))), arrays)


@rule(source="semantics of zip and join")
def zip_of_joins(e: Zip) -> Expr | None:
    """zip(join xss, join yss, zs, ..)  ->  join (map (λ(xs, ys, zs, ..). zip(xs, ys, zs, ..)) (zip(xss, yss, split k
    zs, ..)))

    For rows of one length k, one join or more.
    """
    match e:
        case Zip():
            lengths = {length_of_row(x.xs) for x in e.operands if isinstance(x, Join)}
            if len(lengths) == 1 and (k := lengths.pop()).value != 0:
                return Join(_zipped_rows(Zip(*(x.xs if isinstance(x, Join) else Split(k, x) for x in e.operands))))
    return None


@rule(source="semantics of zip and join")
def zip_of_join(e: Zip, *, operand: int) -> Expr | None:
    """zip(.., join xss, zs, ..)  ->  join (map (λ(.., xs, zs, ..). zip(.., xs, zs, ..)) (zip(.., xss, split k zs, ..)))

    For rows of length k, whatever the other operands are.
    """
    match e:
        case Zip() if 0 <= operand < len(e.operands):
            joined = e.operands[operand]
            if isinstance(joined, Join) and (k := length_of_row(joined.xs)).value != 0:
                others = (Split(k, x) if x is not joined else joined.xs for x in e.operands)
                return Join(_zipped_rows(Zip(*others)))
    return None


@rule(source="semantics of zip and transpose")
def interchange_zip(e: Map) -> Expr | None:
    """map (λ(xs, ys, ..). map f (zip(xs, ys, ..))) (zip(xss, yss, ..))  ->  transpose (map (λ(xs, ys, ..). map f
    (zip(xs, ys, ..))) (zip(transpose xss, transpose yss, ..)))      where f does not use the rows
    """
    match e:
        case Map(Lambda() as rows, Zip() as arrays, how) if how == MAP:
            (row,), body = rows.open()
            if not isinstance(body, Map) or body.how != MAP or not isinstance(body.xs, Zip):
                return None
            if body.xs.operands != tuple(Get(i, row) for i in range(len(arrays.operands))):
                return None
            if row in postorder(body.f):
                return None
            columns = Zip(*(Transpose(xss) for xss in arrays.operands))
            return Transpose(Map(fun(element(columns), lambda column: _each(body.f, column, columns)), columns))
    return None


def _each(f: Expr, row: Param, arrays: Zip) -> Expr:
    return Map(f, Zip(*(Get(i, row) for i in range(len(arrays.operands)))))


@rule(source="map fission: ICFP'15 fig. 6f, read from right to left")
def rows_of_zip(e: Map) -> Expr | None:
    """map (λ(x, y, ..). map f (zip(v x, w y, ..))) (zip(xs, ys, ..))  ->  map (λ(x, y, ..). map f (zip(x, y, ..)))
    (zip(map v xs, map w ys, ..))      where f does not use the rows
    """
    match e:
        case Map(Lambda() as rows, Zip() as arrays, how) if how == MAP:
            (row,), body = rows.open()
            if not isinstance(body, Map) or body.how != MAP or not isinstance(body.xs, Zip) or row in postorder(body.f):
                return None
            own = [_part_of(x, row) for x in body.xs.operands]
            if own != list(range(len(arrays.operands))):
                return None
            made = Zip(*(_made_of(x, Get(i, row), arrays.operands[i]) for i, x in enumerate(body.xs.operands)))
            return Map(fun(element(made), lambda parts: _each(body.f, parts, made)), made)
    return None


def _part_of(e: Expr, row: Param) -> int | None:
    """The number of the one part of a row that an array is made of."""
    parts = {node.index for node in postorder(e) if isinstance(node, Get) and node.operand is row}
    whole = any(row in node.operands and not isinstance(node, Get) for node in postorder(e))
    return parts.pop() if len(parts) == 1 and not whole else None


def _made_of(e: Expr, part: Expr, xs: Expr) -> Expr:
    """map (λx. e) xs, where e is made of that part of a row; xs where it is the part."""
    if e is part:
        return xs
    variable = fresh(element(xs))
    return Map(close((variable,), substitute(e, {part: variable})), xs)


@rule(source="semantics of zip and transpose")
def transpose_of_zips(e: Transpose) -> Expr | None:
    """transpose (map (λxs. zip(v xs, ys, ..)) xss)  ->  map (λ(c, y, ..). map (λx. (x, y, ..)) c) (zip(transpose (map v
    xss), ys, ..))      where v only rearranges, and ys does not use xs; v xs may be any part of the zip, and no other
    """
    match e:
        case Transpose(Map(Lambda() as f, xss, how)) if how == MAP:
            (row,), body = f.open()
            if not isinstance(body, Zip):
                return None
            own = [row in postorder(x) for x in body.operands]
            if sum(own) != 1 or len(own) < 2:
                return None
            shown = body.operands[own.index(True)]
            rows = xss if shown is row else Map(close((row,), shown), xss)
            if rows is not xss and not is_view_map(rows):
                return None
            both = Zip(Transpose(rows), *(x for x, mine in zip(body.operands, own, strict=True) if not mine))

            def column(p: Expr) -> Expr:
                def pair(x: Expr) -> Expr:
                    rest = iter(range(1, len(both.operands)))
                    return Tuple(*(x if mine else Get(next(rest), p) for mine in own))

                return Map(fun(element(shown), pair), Get(0, p))

            return Map(fun(element(both), column), both)
    return None


@rule(source="semantics of zip and tuples")
def group_zip(e: Zip, *, members: Size | int) -> Expr | None:
    """zip(xs, ys, zs, ..)  ->  map (λ(t, z, ..). (t.0, t.1, z, ..)) (zip(zip(xs, ys), zs, ..))

    Args:
        members: bit i is set where operand i goes into the inner zip: two of them or more, and not all
    """
    match e:
        case Zip() if isinstance(members, int):
            chosen = [i for i in range(len(e.operands)) if members >> i & 1]
            others = [i for i in range(len(e.operands)) if i not in chosen]
            if len(chosen) < 2 or not others or members != sum(1 << i for i in chosen):
                return None
            grouped = Zip(Zip(*(e.operands[i] for i in chosen)), *(e.operands[i] for i in others))

            def apart(t: Param) -> Expr:
                parts: dict[int, Expr] = {i: Get(place, Get(0, t)) for place, i in enumerate(chosen)}
                parts.update({i: Get(1 + place, t) for place, i in enumerate(others)})
                return Tuple(*(parts[i] for i in range(len(parts))))

            return Map(fun(element(grouped), apart), grouped)
    return None


@rule(source="semantics of zip and tuples")
def ungroup_zip(e: Map) -> Expr | None:
    """map f (zip(.., zip(xs, ys), ..))  ->  map (λ(.., x, y, ..). f (.., (x, y), ..)) (zip(.., xs, ys, ..))"""
    match e:
        case Map(Lambda() as f, Zip() as zipped, how) if how == MAP and any(
            isinstance(x, Zip) for x in zipped.operands
        ):
            arrays = Zip(*(part for x in zipped.operands for part in components(x)))

            def grouped(t: Param) -> Expr:
                parts = iter(parts_of(t, len(arrays.operands)))
                return f(Tuple(*(tuple_of(tuple(islice(parts, len(components(x))))) for x in zipped.operands)))

            return Map(fun(element(arrays), grouped), arrays)
    return None


@rule(source="semantics of zip, ICFP'15 fig. 4")
def zip_of_components(e: Expr) -> Expr | None:
    """xs  ->  zip(map (λt. t.0) xs, map (λt. t.1) xs, ..)      for an array of tuples that is no zip"""
    match e.type:
        case ArrayType(element=TupleType() as t) if len(t.elements) > 1 and not isinstance(e, Zip):
            return Zip(*(Map(fun(t, lambda p, i=i: Get(i, p)), e) for i in range(len(t.elements))))
    return None


@rule(source="semantics of zip and split")
def zip_of_rows(e: Zip) -> Expr | None:
    """zip(xss, yss, ..)  ->  map (λr. (map (λt. t.0) r, map (λt. t.1) r, ..)) (split k (zip(join xss, join yss, ..)))

    For rows of one length k.
    """
    match e:
        case Zip() if len({_rows(x) for x in e.operands}) == 1:
            extents = _rows(e.operands[0])
            if extents is None or extents[1].value == 0:
                return None
            rows = Split(extents[1], Zip(*(Join(x) for x in e.operands)))

            def apart(row: Param) -> Expr:
                return Tuple(*(Map(fun(element(row), lambda t, i=i: Get(i, t)), row) for i in range(len(e.operands))))

            return Map(fun(element(rows), apart), rows)
    return None


@rule(source="naturality: a view does not look at elements (Wadler, Theorems for free, 1989)")
def zip_of_views(e: Zip) -> Expr | None:
    """zip(v xs, v ys, ..)  ->  v (zip(xs, ys, ..))      where v only rearranges flat arrays

    As far down as all are the same view.
    """
    match e:
        case Zip() if all(map(_is_flat, e.operands)):
            arrays: tuple[Expr, ...] = e.operands
            views: list[Expr] = []
            found: Expr | None = None
            while (below := same_views(arrays)) is not None:
                views.append(arrays[0])
                arrays = below
                if all(map(_is_flat, arrays)) and len(set(map(length, arrays))) == 1:
                    found = _all_of(views, Zip(*arrays)) or found
            return found
    return None


@rule(source="naturality: a view does not look at elements (Wadler, Theorems for free, 1989)")
def view_of_zip(e: Expr) -> Expr | None:
    """v (zip(xs, ys, ..))  ->  map (λ(xs, ys, ..). zip(xs, ys, ..)) (zip(v xs, v ys, ..))

    Where v makes rows of flat arrays and does nothing else; zip(v xs, v ys, ..) where it joins rows again.
    """
    views: list[Expr] = []
    xs: Expr | None = e
    while xs is not None and not isinstance(xs, Zip):
        views.append(xs)
        xs = viewed(xs)
    is_joined = isinstance(e, Join) and _is_flat(e)
    if xs is None or not views or not all(map(_is_flat, xs.operands)) or not (is_joined or _rows(e)):
        return None
    parts = [_all_of(views, x) for x in xs.operands]
    made = [x for x in parts if x is not None]
    if len(made) < len(parts):
        return None
    return Zip(*made) if is_joined else _zipped_rows(Zip(*made))
