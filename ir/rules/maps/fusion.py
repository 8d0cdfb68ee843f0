"""Fusion of element-wise graphs: a map whose operands are maps of the same arrays becomes one map.

ICFP 2015 figure 6f for maps over zips; paper 003 calls the result a fusion of a data-dependency graph.
"""

from __future__ import annotations

from collections.abc import Sequence

from ir.core.expr import Bound, Expr, Lambda, Param, close, fun, postorder, substitute
from ir.core.patterns import MAP, Element, Get, Join, Map, Reduce, Repeat, Tuple, Zip, is_view_map
from ir.core.types import ArrayType, TupleType, Type
from ir.rewrite.rule import rule
from ir.rules.common import components, compose, element, is_bound, is_open_map, length, parts_of, tuple_of, zip_of

__all__ = ["row_parts"]


@rule(source="ICFP'15 fig. 6f over zip")
def fuse_operand(e: Map, *, operand: int) -> Expr | None:
    """map f (zip(.., map g ys, ..))  ->  map (λ(.., y, ..). f (.., g y, ..)) (zip(.., ys, ..))

    The arrays of the new zip are kept apart once each: what was used twice is read once.
    """
    match e:
        case Map(Lambda() as f, xs, how) if how == MAP and 0 <= operand < len(components(xs)):
            inner = components(xs)[operand]
            if _is_map(inner):
                return _fused(f, components(xs), [inner])
    return None


@rule(source="map fusion, from right to left")
def take_from_operand(e: Map, *, operand: int) -> Expr | None:
    """map (λ(.., x, ..). f (.., map g x, ..)) (zip(.., xs, ..))  ->  map f (zip(.., map (map g) xs, ..))

    That map is all that the function reads x for, wherever in it.
    """
    match e:
        case Map(Lambda() as f, Zip(operands=arrays), how) if how == MAP and 0 <= operand < len(arrays):
            (variable,), body = f.open()
        case _:
            return None
    part = Get(operand, variable)
    readers = [node for node in postorder(body) if part in node.operands]
    wholly = [node for node in postorder(body) if variable in node.operands and not isinstance(node, Get)]
    match readers:
        case [Map(g, read, kind) as reader] if read is part and kind == MAP and not wholly:
            if part in postorder(g) or variable in postorder(g) or is_bound(g):
                return None
        case _:
            return None
    t = TupleType(tuple(reader.type if i == operand else element(x) for i, x in enumerate(arrays)))

    def taken(y: Expr) -> Expr:
        parts: dict[Expr, Expr] = {Get(i, variable): Get(i, y) for i in range(len(arrays)) if i != operand}
        return substitute(body, {reader: Get(operand, y), **parts})

    mapped = Map(fun(element(arrays[operand]), lambda x: Map(g, x)), arrays[operand])
    return Map(fun(t, taken), Zip(*(mapped if i == operand else x for i, x in enumerate(arrays))))


@rule(source="ICFP'15 fig. 6f over zip")
def fuse_operands(e: Map) -> Expr | None:
    """map f (zip(.., map g xs, .., map h ys, ..))  ->  map (λ(.., x, .., y, ..). f (.., g x, .., h y, ..)) (zip(..))

    `fuse_operand` until no operand is a map, first of those that no other is computed from. In one step: functions are
    opened and closed once, however many there are.
    """
    match e:
        case Map(Lambda() as f, xs, how) if how == MAP and any(map(_is_map, components(xs))):
            return _fused(f, components(xs), [node for node in postorder(xs) if _is_map(node)])
    return None


def _is_map(e: Expr) -> bool:
    return isinstance(e, Map) and e.how == MAP and isinstance(e.f, Lambda)


def _fused(f: Lambda, operands: tuple[Expr, ...], maps: Sequence[Expr]) -> Expr:
    """The map of operands, with those of some maps that it reads put into its function, the last one first."""
    arrays, fused = dict.fromkeys(operands), list[Map]()
    for inner in reversed(maps):
        if inner in arrays:
            assert isinstance(inner, Map)
            del arrays[inner]
            arrays.update(dict.fromkeys(components(inner.xs)))
            fused.append(inner)
    zipped = tuple(arrays)

    def body(variable: Param) -> Expr:
        made = dict(zip(zipped, parts_of(variable, len(zipped)), strict=True))
        for inner in reversed(fused):
            assert isinstance(inner.f, Lambda)  # the rules ask for it
            made[inner] = inner.f(tuple_of(tuple([made[x] for x in components(inner.xs)])))
        return f(tuple_of(tuple([made[x] for x in operands])))

    return Map(fun(_zipped(zipped), body), zip_of(zipped))


def _zipped(arrays: tuple[Expr, ...]) -> Type:
    return element(arrays[0]) if len(arrays) == 1 else TupleType(tuple(element(a) for a in arrays))


@rule(source="semantics of zip")
def map_out_of_zip(e: Zip) -> Expr | None:
    """zip(.., map g xs, ..)  ->  map (λ(.., x, ..). (.., g x, ..)) (zip(.., xs, ..))"""
    match e:
        case Zip() if any(is_open_map(x) for x in e.operands):
            arrays = tuple(x.xs if isinstance(x, Map) and is_open_map(x) else x for x in e.operands)
            functions = [x.f if isinstance(x, Map) and is_open_map(x) else None for x in e.operands]

            def body(variable: Param) -> Expr:
                parts = parts_of(variable, len(arrays))
                return Tuple(*(f(p) if isinstance(f, Lambda) else p for f, p in zip(functions, parts, strict=True)))

            zipped = Zip(*arrays)
            return Map(fun(element(zipped), body), zipped)
    return None


@rule(source="ICFP'15 fig. 6f")
def map_into_map(e: Map) -> Expr | None:
    """map f ∘ mapK g  ->  mapK (f ∘ g)      for a map that was given to a level of the machine already"""
    match e:
        case Map(Lambda() as f, Map(Lambda() as g, xs, inner), outer) if outer == MAP and inner != MAP:
            return Map(compose(f, g), xs, inner)
    return None


@rule(source="semantics of zip")
def zip_into_map(e: Zip, *, operand: int) -> Expr | None:
    """zip(.., mapK g xs, ..)  ->  mapK (λ(.., x, ..). (.., g x, ..)) (zip(.., xs, ..))

    For a map that was given to a level of the machine already, or only rearranges each x.
    """
    match e:
        case Zip() if 0 <= operand < len(e.operands):
            inner = e.operands[operand]
            if isinstance(inner, Map) and isinstance(inner.f, Lambda) and (inner.how != MAP or is_view_map(inner)):
                g, arrays = inner.f, Zip(*(inner.xs if i == operand else x for i, x in enumerate(e.operands)))

                def body(variable: Param) -> Expr:
                    parts = parts_of(variable, len(arrays.operands))
                    return Tuple(*(g(x) if i == operand else x for i, x in enumerate(parts)))

                return Map(fun(element(arrays), body), arrays, inner.how)
    return None


@rule(source="semantics of zip")
def zip_duplicates(e: Map) -> Expr | None:
    """map f (zip(xs, xs))  ->  map (λx. f (x, x)) xs"""
    match e:
        case Map(Lambda() as f, Zip() as zipped, how) if len(set(zipped.operands)) < len(zipped.operands):
            arrays = tuple(dict.fromkeys(zipped.operands))
            position = {array: i for i, array in enumerate(arrays)}

            def body(variable: Param) -> Expr:
                parts = parts_of(variable, len(arrays))
                return f(tuple_of(tuple(parts[position[x]] for x in zipped.operands)))

            return Map(fun(_zipped(arrays), body), zip_of(arrays), how)
    return None


@rule(source="semantics of zip")
def zip_unread(e: Map) -> Expr | None:
    """map (λ(.., x, ..). y) (zip(.., xs, ..))  ->  map (λ(..). y) (zip(..))      where y does not use x

    Without all such arrays, but one at least.
    """
    match e:
        case Map(Lambda() as f, Zip() as zipped, how):
            (variable,), body = f.open()
            used: set[int] = set()
            for node in postorder(body, prune=lambda node: not node.loose):
                if isinstance(node, Get) and node.operand is variable:
                    used.add(node.index)
                elif variable in node.operands:
                    return None
            kept = sorted(used) or [0]
            if body is variable or len(kept) == len(zipped.operands):
                return None
            arrays = tuple(zipped.operands[i] for i in kept)

            def without(t: Param) -> Expr:
                parts = parts_of(t, len(arrays))
                return substitute(body, {Get(i, variable): part for i, part in zip(kept, parts, strict=True)})

            return Map(fun(_zipped(arrays), without), zip_of(arrays), how)
    return None


@rule(source="semantics of repeat")
def map_repeat_operand(e: Map, *, operand: int) -> Expr | None:
    """map f (zip(.., repeat n x, ..))  ->  map (λ(..). f (.., x, ..)) (zip(..))"""
    match e:
        case Map(Lambda() as f, Zip() as zipped, how) if 0 <= operand < len(zipped.operands):
            inner = zipped.operands[operand]
            arrays = tuple(x for x in zipped.operands if x is not inner)
            if isinstance(inner, Repeat) and arrays:

                def body(variable: Param) -> Expr:
                    parts = iter(parts_of(variable, len(arrays)))
                    return f(tuple_of(tuple(inner.x if x is inner else next(parts) for x in zipped.operands)))

                return Map(fun(_zipped(arrays), body), zip_of(arrays), how)
    return None


@rule(source="semantics of tuples")
def tuple_of_components(e: Tuple) -> Expr | None:
    """(t.0, t.1, ..)  ->  t      where these are all its components"""
    match e:
        case Tuple(operands=(Get(0, t), *_)) if e.type is t.type:
            return t if e.operands == tuple(Get(i, t) for i in range(len(e.operands))) else None
    return None


@rule(source="semantics of join and map")
def map_out_of_rows(e: Join) -> Expr | None:
    """join (map (λx. map f (v x)) xs)  ->  map f (join (map (λx. v x) xs))      where f does not use x, and v does"""
    match e:
        case Join(Map(Lambda() as rows, xs, how)) if how == MAP:
            (x,), body = rows.open()
            if isinstance(body, Map) and body.how == MAP and not body.f.loose and x not in postorder(body.f):
                ys = body.xs
                return Map(body.f, Join(Map(close((x,), ys), xs))) if x in postorder(ys) else None
    return None


def row_parts(f: Lambda) -> list[Expr]:
    """The arrays that a function of one argument, opened, makes of that on the way to its result, operands first.

    None of those that depend on the variable of a function inside of it.
    """
    (x,), body = f.open()
    depending: set[Expr] = {x}
    found: list[Expr] = []
    inner: dict[Expr, frozenset[int]] = {}  # the functions inside on whose variables a value depends, by their levels
    for node in postorder(body, _is_outside):
        levels = frozenset[int]().union(*(inner.get(operand, _NONE) for operand in node.operands))
        if isinstance(node, Bound):
            levels |= {node.binder_level}
        inner[node] = levels - {node.own_level} if isinstance(node, Lambda) else levels
        if any(operand in depending for operand in node.operands):
            depending.add(node)
            if node is not body and not inner[node] and isinstance(node.type, ArrayType):
                found.append(node)
    return found


_NONE = frozenset[int]()


def _is_outside(e: Expr) -> bool:
    """Does a value depend on no function's variable? What it is made of need not be looked at."""
    return not e.loose and not isinstance(e, Lambda)


@rule(source="map fission: ICFP'15 fig. 6f, read from right to left")
def row_fission(e: Map, *, part: int) -> Expr | None:
    """map (λx. f (g x) x) xs  ->  map (λ(y, x). f y x) (zip(map g xs, xs))

    Args:
        part: which of the arrays that the function makes `g x` is, operands first
    """
    match e:
        case Map(Lambda() as f, xs, how) if how == MAP and 0 <= part < len(row_parts(f)):
            (x,), body = f.open()
            made = row_parts(f)[part]
            pairs = Zip(Map(close((x,), made), xs), xs)
            return Map(fun(element(pairs), lambda p: substitute(body, {made: Get(0, p), x: Get(1, p)})), pairs)
    return None


@rule(source="semantics of join, map and repeat")
def flatten_rows(e: Join) -> Expr | None:
    """join (map (λx. map f (v x)) xs)  ->  map (λ(x, y). f y) (zip(join (map (repeat m) xs), join (map v xs)))

    Where f may use x, and m is the length of `v x`.
    """
    match e:
        case Join(Map(Lambda() as rows, xs, how)) if how == MAP:
            (x,), body = rows.open()
            if isinstance(body, Map) and body.how == MAP and isinstance(body.f, Lambda):
                f, ys = body.f, body.xs
                copies = Join(Map(close((x,), Repeat(length(ys), x)), xs))
                elements = Join(Map(close((x,), ys), xs) if ys.loose else Repeat(length(xs), ys))
                pair = TupleType((x.type, element(ys)))
                return Map(fun(pair, lambda p: _in_row(f, x, p)), Zip(copies, elements))
    return None


def _in_row(f: Lambda, x: Param, pair: Expr) -> Expr:
    inner = substitute(f, {x: Get(0, pair)})
    assert isinstance(inner, Lambda)
    return inner(Get(1, pair))


@rule(source="semantics of join")
def map_of_elements(e: Map) -> Expr | None:
    """map (λx. element 0 ys)  ->  join ∘ map (λx. ys)      where ys has length 1"""
    match e:
        case Map(Lambda() as f, xs, how) if how == MAP:
            variables, body = f.open()
            match body:
                case Element(index, ys) if index.value == 0 and length(ys).value == 1 and isinstance(ys, Reduce):
                    return Join(Map(close(variables, ys), xs))
    return None


@rule(source="semantics of join, read from right to left")
def elements_of_map(e: Join) -> Expr | None:
    """join ∘ map (λx. ys)  ->  map (λx. element 0 ys)      where ys has length 1"""
    match e:
        case Join(Map(Lambda() as f, xs, how)) if how == MAP:
            variables, ys = f.open()
            if length(ys).value == 1:
                return Map(close(variables, Element(0, ys)), xs)
    return None
