"""Maps change places with views: a map over a view is the view of a map. All are exact.

They follow from the views' denotations (ICFP 2015 figure 9): a view only renames indices.
"""

from __future__ import annotations

from ir.core.expr import Bound, Expr, Lambda, Param, close, fresh, fun, postorder, substitute
from ir.core.patterns import (
    MAP,
    AsVector,
    Element,
    Gather,
    Get,
    IndexView,
    Join,
    Map,
    Memory,
    ReorderStride,
    Repeat,
    Slice,
    Split,
    Transpose,
    Zip,
    is_view_map,
)
from ir.core.types import ArrayType, ScalarType, Type, element_type
from ir.errors import TypeMismatch
from ir.rewrite.rule import rule
from ir.rules.common import components, element, has_rows, is_bound, length, length_of_row, parts_of, zip_of

__all__ = ["is_natural", "retyped"]


@rule(source="fig. 6c and 6e")
def split_after_map(e: Split) -> Expr | None:
    """split n ∘ map f  ->  map (map f) ∘ split n"""
    match e:
        case Split(n, Map(f, xs, how)) if how == MAP:
            chunks = Split(n, xs)
            return Map(fun(element(chunks), lambda chunk: Map(f, chunk)), chunks)
    return None


@rule(source="fig. 6c and 6e, read from right to left")
def map_after_split(e: Map, *, operand: int) -> Expr | None:
    """map (λ(x, y, ..). map f (zip(x, y, ..))) (zip(split n xs, yss, ..))
    ->  split n (map f (zip(xs, join yss, ..)))
    """
    arrays = components(e.xs)
    if e.how != MAP or not isinstance(e.f, Lambda) or not 0 <= operand < len(arrays):
        return None
    (variable,), body = e.f.open()
    shown, parts = arrays[operand], parts_of(variable, len(arrays))
    if not isinstance(shown, Split) or not all(has_rows(x.type) and length_of_row(x) is shown.chunk for x in arrays):
        return None
    match body:
        case Map(f, rows, how) if how == MAP and variable not in postorder(f):
            flat = {part: shown.xs if x is shown else Join(x) for part, x in zip(parts, arrays, strict=True)}
            read = components(rows)
            return Split(shown.chunk, Map(f, zip_of(tuple(flat[x] for x in read)))) if set(read) <= set(parts) else None
    return None


@rule(source="fig. 6c and 7e: both cut an array into neighbours")
def split_after_vector(e: Split) -> Expr | None:
    """split n ∘ asVector w  ->  map (asVector w) ∘ split (n * w)"""
    match e:
        case Split(n, AsVector(width, xs)):
            chunks = Split(n * width, xs)
            return Map(fun(element(chunks), lambda chunk: AsVector(width, chunk)), chunks)
    return None


@rule(source="fig. 6c and 6e")
def join_after_map(e: Join) -> Expr | None:
    """join ∘ map (map f)  ->  map f ∘ join      where f does not use the row"""
    match e:
        case Join(rows) if (found := _of_elements(rows)) is not None:
            f, xss = found
            return Map(f, Join(xss))
    return None


def _of_elements(e: Expr) -> tuple[Expr, Expr] | None:
    """f and xss of `map (map f) xss` where f does not use the row; None of others."""
    match e:
        case Map(Lambda() as rows, xss, how) if how == MAP:
            (row,), body = rows.open()
            if isinstance(body, Map) and body.xs is row and body.how == MAP and not body.f.loose:
                return body.f, xss
    return None


@rule(source="fig. 6c and 6e, read from right to left")
def map_after_join(e: Map) -> Expr | None:
    """map f ∘ join  ->  join ∘ map (map f)"""
    match e:
        case Map(f, Join(xss), how) if how == MAP:
            return Join(Map(fun(element(xss), lambda row: Map(f, row)), xss))
    return None


@rule(source="naturality: a view does not look at elements (Wadler, Theorems for free, 1989)")
def view_map_after_map(e: Map) -> Expr | None:
    """map v ∘ map (map f)  ->  map (map f) ∘ map v      where v only rearranges a row, and f does not use the row"""
    match e:
        case Map(Lambda() as v, rows) if is_view_map(e) and is_natural(v) and (found := _of_elements(rows)) is not None:
            f, xss = found
            moved = retyped(v, element(xss))
            if moved is not None:
                views = Map(moved, xss)
                return Map(fun(element(views), lambda r: Map(f, r)), views)
    return None


def is_natural(v: Lambda) -> bool:
    """Does every element of the result come from the row, as it is? Then any function of elements commutes with v."""
    (row,), body = v.open()
    indices = {node.indices for node in postorder(body) if isinstance(node, Gather)}
    if any(row in postorder(i) for i in indices):
        return False  # an element of the row says which one is taken
    return all(
        node is row or isinstance(node, Bound) or (bool(node.operands) and not node.traits.creates)
        for node in postorder(body, prune=lambda node: node in indices)
    )


def retyped(v: Lambda, t: Type) -> Lambda | None:
    """The same rearrangement of arrays with other elements; None where it does not keep them in one flat array."""
    (variable,), body = v.open()
    row = fresh(t)
    try:
        made = close((row,), substitute(body, {variable: row}))
    except TypeMismatch:
        return None  # a function inside names the element type
    before, after = t, made.result
    if isinstance(before, ArrayType) and isinstance(after, ArrayType) and after.element is before.element:
        return made
    return None


@rule(source="semantics of slice")
def slice_after_map(e: Slice) -> Expr | None:
    """slice s k n ∘ map f  ->  map f ∘ slice s k n"""
    match e:
        case Slice(start, step, count, Map(f, xs, how)) if how == MAP:
            return Map(f, Slice(start, step, count, xs))
    return None


@rule(source="semantics of element")
def element_after_map(e: Element) -> Expr | None:
    """element i (map f xs)  ->  f (element i xs)"""
    match e:
        case Element(i, Map(Lambda() as f, xs, how)) if how == MAP:
            return f(Element(i, xs))
    return None


@rule(source="semantics of element and slice")
def element_of_slice(e: Element) -> Expr | None:
    """element i (slice s k n xs)  ->  element (s + k * i) xs"""
    match e:
        case Element(i, Slice(start, step, _, xs)):
            return Element(start + step * i, xs)
    return None


@rule(source="semantics of element and repeat")
def element_of_repeat(e: Element) -> Expr | None:
    """element i (repeat n x)  ->  x"""
    match e:
        case Element(_, Repeat(_, x)):
            return x
    return None


@rule(source="semantics of transpose")
def transpose_after_map(e: Transpose) -> Expr | None:
    """transpose ∘ map (map f)  ->  map (map f) ∘ transpose      where f does not use the row"""
    match e:
        case Transpose(rows) if (found := _of_elements(rows)) is not None:
            f, columns = found[0], Transpose(found[1])
            return Map(fun(element(columns), lambda column: Map(f, column)), columns)
    return None


@rule(source="semantics of transpose")
def interchange(e: Map) -> Expr | None:
    """map (map f)  ->  transpose ∘ map (map f) ∘ transpose      where f does not use the row"""
    found = _of_elements(e)
    if found is None:
        return None
    f, columns = found[0], Transpose(found[1])
    return Transpose(Map(fun(element(columns), lambda column: Map(f, column)), columns))


@rule(source="loop interchange; semantics of transpose")
def exchange_maps(e: Map) -> Expr | None:
    """map (λx. map f ys) xs  ->  transpose (map (λy. map (λx. f y) xs) ys)      where ys does not use x"""
    match e:
        case Map(Lambda() as rows, xs, how) if how == MAP:
            (x,), body = rows.open()
            if isinstance(body, Map) and body.how == MAP and isinstance(body.f, Lambda) and x not in postorder(body.xs):
                f = body.f
                return Transpose(Map(fun(f.types, lambda y: Map(close((x,), f(y)), xs)), body.xs))
    return None


@rule(source="semantics of zip and repeat, map_repeat_operand read from right to left")
def map_beside(e: Map) -> Expr | None:
    """map (λx. map f ys) xs  ->  map (λ(x, ys). map f ys) (zip(xs, repeat n ys))      where ys does not use x"""
    match e:
        case Map(Lambda() as rows, xs, how) if how == MAP:
            (x,), body = rows.open()
            if isinstance(body, Map) and body.how == MAP and x not in postorder(body.xs):
                both = Zip(xs, Repeat(length(xs), body.xs))
                f = body.f
                return Map(fun(element(both), lambda p: Map(substitute(f, {x: Get(0, p)}), Get(1, p))), both)
    return None


@rule(source="semantics of zip and repeat")
def matrices_beside(e: Map) -> Expr | None:
    """mapX (λx. f x yss) xs  ->  mapX (λ(x, yss). f x yss) (zip(xs, repeat n yss))

    for all that f reads of matrices outside of it, with what is done to these before x comes in.
    """
    if not isinstance(e.f, Lambda) or len(e.f.types) != 1:
        return None
    (x,), body = e.f.open()
    inside = [node for node in postorder(body) if node.loose]
    read = dict.fromkeys(y for node in inside for y in node.operands if not y.loose and has_rows(y.type))
    given = [y for y in read if any(isinstance(z, Param) for z in postorder(y))]
    if not given:
        return None
    beside = Zip(e.xs, *(Repeat(length(e.xs), y) for y in given))

    def taken(p: Expr) -> Expr:
        return substitute(body, {x: Get(0, p), **{y: Get(i, p) for i, y in enumerate(given, 1)}})

    return Map(fun(element(beside), taken), beside, e.how)


@rule(source="semantics of transpose")
def map_by_columns(e: Map) -> Expr | None:
    """map f xsss  ->  map (λxss. f (transpose xss)) (map transpose xsss)      for arrays of rows"""
    match e:
        case Map(Lambda() as f, xs, how) if how == MAP and has_rows(element(xs)):
            turned = Map(fun(element(xs), Transpose), xs)
            return Map(fun(element(turned), lambda xss: f(Transpose(xss))), turned)
    return None


@rule(source="semantics of repeat")
def repeat_after_map(e: Repeat) -> Expr | None:
    """repeat n (map f xs)  ->  map (map f) (repeat n xs)"""
    match e:
        case Repeat(n, Map(f, xs, how)) if how == MAP:
            return Map(fun(xs.type, lambda row: Map(f, row)), Repeat(n, xs))
    return None


@rule(source="semantics of reorderStride")
def stride_after_map(e: ReorderStride) -> Expr | None:
    """reorderStride s ∘ map f  ->  map f ∘ reorderStride s"""
    match e:
        case ReorderStride(stride, Map(f, xs, how)) if how == MAP:
            return Map(f, ReorderStride(stride, xs))
    return None


@rule(source="semantics of zip")
def element_of_zip(e: Get) -> Expr | None:
    """get i (element j (zip(x0, x1, ...)))  ->  element j xi"""
    match e:
        case Get(i, Element(j, Zip() as arrays)):
            return Element(j, arrays.operands[i])
    return None


@rule(source="semantics of zip and slice")
def slice_of_zip(e: Slice) -> Expr | None:
    """slice s k n (zip(xs, ys, ..))  ->  zip(slice s k n xs, slice s k n ys, ..)"""
    match e:
        case Slice(start, step, count, Zip() as arrays):
            return Zip(*(Slice(start, step, count, xs) for xs in arrays.operands))
    return None


@rule(source="P. Wadler, Theorems for free!, 1989")
def views_after_elements(e: Map | IndexView) -> Expr | None:
    """v (map (map .. f) xss)  ->  map (map .. f) (v xss)      for f of numbers, and views v that commute with any map

    There may be several views, and maps of views, around the map and inside of it.
    """
    found = _apart(e)
    if found is None or not isinstance(e.type, ArrayType):
        return None
    f, shown = found
    if element_type(shown.type) is not f.types[0]:  # a view shows pairs of numbers
        return None
    made = _of_all(f, shown)
    return None if made is e else made


def _of_all(f: Lambda, xs: Expr) -> Expr:
    """map (map .. f) xs, over the numbers of an array"""
    inner = element(xs)
    return Map(fun(inner, lambda x: _of_all(f, x)) if isinstance(inner, ArrayType) else f, xs)


def _apart(e: Expr) -> tuple[Lambda, Expr] | None:
    """A function of numbers, which keeps their type, and the array, as views show it, to all of which it is applied."""
    if e.traits.view and e.traits.natural and len(e.operands) == 1:
        found = _apart(e.operands[0])
        return None if found is None else (found[0], e._rebuilt((found[1],)))
    if not isinstance(e, Map) or e.how != MAP or not isinstance(e.f, Lambda):
        return None
    if is_view_map(e):
        found = _apart(e.xs) if is_natural(e.f) else None
        return None if found is None else (found[0], Map(e.f, found[1]))
    (variable,), body = e.f.open()
    if isinstance(body.type, ScalarType):
        return None if body.type is not variable.type or is_bound(e.f) else (e.f, e.xs)
    found = _apart(body)
    if found is None or variable in postorder(found[0]):
        return None
    f, shown = found
    return f, e.xs if shown is variable else Map(fun(variable.type, lambda x: substitute(shown, {variable: x})), e.xs)


@rule(source="semantics of gather")
def gather_after_map(e: Gather) -> Expr | None:
    """gather (map f xs) is  ->  map f (gather xs is)"""
    match e:
        case Gather(Map(f, xs, how), indices) if how == MAP:
            return Map(f, Gather(xs, indices))
    return None


@rule(source="semantics of gather")
def gather_computed(e: Gather) -> Expr | None:
    """gather xs (map g ys)  ->  join (map (λy. gather xs (repeat 1 (g y))) ys)

    The indices are computed where they are used: what is left on the right is an index function.
    """
    match e:
        case Gather(xs, Map(Lambda() as g, ys, how)) if how == MAP:
            return Join(Map(fun(g.types, lambda y: Gather(xs, Repeat(1, g(y)))), ys))
    return None


@rule(source="ICFP'15 fig. 7d")
def memory_elimination(e: Memory) -> Expr | None:
    """toX xs  ->  xs      (the identity)"""
    return e.xs
