"""Horizontal fusion: several maps or reductions of arrays of one length become one over tuples, and back.

Paper 003, section 3: what reads the same data is computed in one pass over it. All follow from the semantics of `zip`
(ICFP 2015, figure 9), whose components do not see each other.
"""

from __future__ import annotations

from collections.abc import Callable

from ir.core.expr import Expr, Lambda, Param, close, fresh, fun, postorder, substitute
from ir.core.patterns import (
    MAP,
    REDUCE,
    REDUCE_SEQ,
    Call,
    Concat,
    Element,
    Get,
    Join,
    Literal,
    Map,
    Reduce,
    Repeat,
    Split,
    Transpose,
    Tuple,
    Zip,
)
from ir.core.sizes import Size, is_le, size
from ir.core.types import BOOL, TupleType
from ir.cost.thresholds.partition import OPERANDS_TAKEN_APART_AT_MOST
from ir.rewrite.rule import Label, rule
from ir.rules.common import (
    components,
    element,
    is_monoid,
    is_scalar_like,
    length,
    neutral,
    parts_of,
    tuple_of,
    where,
    zip_of,
)
from ir.rules.folds.reduction import mapped_by
from ir.rules.layout.ragged import cut, zero_of

__all__ = ["numbers_of"]


@rule(source="paper 003 sec. 3, horizontal fusion")
def fuse_maps_of_zip(e: Zip) -> Expr | None:
    """zip(map f xs, map g xs)  ->  map (λx. (f x, g x)) xs      for maps of one kind

    Over zips, `map f (zip(xs, ys))` and `map g (zip(ys, zs))`, each array is read once: the new zip has it once.
    """
    match e:
        case Zip(operands=(Map(_, first, how), *_)):
            maps = [x for x in e.operands if isinstance(x, Map) and isinstance(x.f, Lambda) and x.how == how]
            if len(maps) < len(e.operands):
                return None
            if all(x.xs is first for x in maps):
                return Map(fun(element(first), lambda x: Tuple(*(_applied(m, x) for m in maps))), first, how)
            return _over_all(maps)
    return None


def _applied(e: Map, *arguments: Expr) -> Expr:
    assert isinstance(e.f, Lambda)
    return e.f(*arguments)


def _over_all(maps: list[Map]) -> Expr:
    arrays = tuple(dict.fromkeys(array for e in maps for array in components(e.xs)))
    position = {array: i for i, array in enumerate(arrays)}
    xs = zip_of(arrays)

    def body(variable: Param) -> Expr:
        parts = parts_of(variable, len(arrays))
        arguments = (tuple_of(tuple(parts[position[x]] for x in components(e.xs))) for e in maps)
        return Tuple(*(_applied(e, argument) for e, argument in zip(maps, arguments, strict=True)))

    return Map(fun(element(xs), body), xs, maps[0].how)


@rule(source="paper 003 sec. 3, horizontal fusion of reductions")
def fuse_reductions_of_zip(e: Zip) -> Expr | None:
    """zip(reduce f z xs, reduce g w ys)  ->  reduce (λ(a, b). (f a.0 b.0, g a.1 b.1)) (z, w) (zip(xs, ys))

    For reductions of one kind, of arrays of one length; `zip(xs, xs)` where both read the same.
    """
    match e:
        case Zip(operands=(Reduce(_, _, first, how), *_)):
            folds = [
                x
                for x in e.operands
                if isinstance(x, Reduce) and isinstance(x.f, Lambda) and x.how == how and length(x.xs) is length(first)
            ]
            if len(folds) == len(e.operands):
                return _together(folds)
    return None


def _together(folds: list[Reduce]) -> Expr:
    xs, init = Zip(*(x.xs for x in folds)), Tuple(*(x.init for x in folds))

    def step(a: Expr, b: Expr) -> Expr:
        return Tuple(*(_combined(x, Get(i, a), Get(i, b)) for i, x in enumerate(folds)))

    return Reduce(fun((init.type, element(xs)), step), init, xs, folds[0].how)


def _combined(e: Reduce, a: Expr, b: Expr) -> Expr:
    assert isinstance(e.f, Lambda)
    return e.f(a, b)


def _component(part: Expr, index: int, a: Param, b: Param) -> Lambda | None:
    """The function of the components of a and b with that index; None where others occur."""
    assert isinstance(a.type, TupleType)
    assert isinstance(b.type, TupleType)
    variables = [fresh(a.type.elements[index]), fresh(b.type.elements[index])]
    replaced = substitute(part, {Get(index, a): variables[0], Get(index, b): variables[1]})
    return None if {a, b} & set(postorder(replaced)) else close(variables, replaced)


@rule(Label.EXACT, "maximum is idempotent; paper 003 sec. 3, horizontal fusion of reductions")
def reduce_known_component(e: Reduce) -> Expr | None:
    """reduce (λ(a, b). (f a.0 b.0, g a.1 b.1)) (z, w) (map (λx. (h x, k x)) xs)
    ->  reduce (λ(a, b). (f a.0 b.0, max a.1 b.1)) (z, -inf) (map (λx. (h x, m)) xs)
    where h uses m = element 0 (reduce g w (map k xs)), for at least one element

    Of the mean and the variance of a row, the sum that the mean is made of is formed once.
    """
    match e:
        case Reduce(Lambda() as f, Tuple() as init, Map(Lambda() as g, xs, inner), how) if how == REDUCE:
            (a, b), body = f.open()
            params, parts = g.open()
            if not isinstance(body, Tuple) or not isinstance(parts, Tuple) or inner != MAP:
                return None
            used = {node for part in parts.operands for node in postorder(part) if isinstance(node, Reduce)}
            if not used or not is_le(size(1), length(xs)):
                return None
            for i, part in enumerate(body.operands):
                step, read, z = _component(part, i, a, b), close(params, parts.operands[i]), init.operands[i]
                known = Reduce(step, z, _mapped(read, xs)) if step is not None else None
                least = neutral(fun((z.type, z.type), _greatest))
                if known in used and least is not None:
                    kept = close((a, b), Tuple(*_with(body.operands, i, _greatest(Get(i, a), Get(i, b)))))
                    copies = close(params, Tuple(*_with(parts.operands, i, Element(0, known))))
                    return Reduce(kept, Tuple(*_with(init.operands, i, least)), Map(copies, xs))
    return None


def _greatest(a: Expr, b: Expr) -> Expr:
    """The maximum of two values, component by component; of truth values, whether any is true."""
    if isinstance(a.type, TupleType):
        return Tuple(*(_greatest(Get(i, a), Get(i, b)) for i in range(len(a.type.elements))))
    return Call("bitwise_or" if a.type is BOOL else "maximum", a, b)


def _mapped(f: Lambda, xs: Expr) -> Expr:
    """map f xs, where f may be the identity or take a component of what is zipped."""
    (x,), body = f.open()
    if body is x:
        return xs
    if isinstance(body, Get) and body.operand is x and isinstance(xs, Zip):
        return xs.operands[body.index]
    return Map(f, xs)


def _with(parts: tuple[Expr, ...], index: int, part: Expr) -> tuple[Expr, ...]:
    return (*parts[:index], part, *parts[index + 1 :])


@rule(source="semantics of map, join and concat")
def join_to_concat(e: Join) -> Expr | None:
    """join (map f xs)  ->  concat(f (element 0 xs), f (element 1 xs), ..)      for a small constant length of xs"""
    match e:
        case Join(Map(Lambda() as f, xs, how)) if how == MAP:
            count = length(xs).value
            if count is not None and 1 < count <= OPERANDS_TAKEN_APART_AT_MOST:
                return Concat(*(f(Element(i, xs)) for i in range(count)))
    return None


@rule(source="semantics of concat and zip")
def concat_to_zip(e: Concat) -> Expr | None:
    """concat(xs, ys, ..)  ->  join ∘ transpose ∘ map (λp. concat(repeat 1 p.0, repeat 1 p.1, ..)) ∘ zip(xs, ys, ..)

    For arrays of one length: what one array after the other gave is computed together, element by element.
    """
    match e:
        case Concat(operands=(first, *others)) if others and all(length(x) is length(first) for x in others):
            xs = Zip(*e.operands)
            columns = fun(element(xs), lambda p: Concat(*(Repeat(1, Get(i, p)) for i in range(len(e.operands)))))
            return Join(Transpose(Map(columns, xs)))
    return None


@rule(source="map-of-reduce and reduce-of-map, thesis ch. 5; paper 003, nested map and reduce")
def map_of_reduce(e: Join) -> Expr | None:
    """join (map (λx. reduce f z (v x)) xss)
    ->  element 0 ∘ reduce (λ(as, xs). map (λp. f p.0 p.1) (zip(as, xs))) (repeat n z) ∘ transpose ∘ map v

    All rows are reduced at once, a column at a time. The numbers of a row that f uses are zipped to these. z may be
    element 0 of another such reduction of the row: all rows go on from there.
    """
    match e:
        case Join(Map(Lambda() as rows, xss, how)) if how == MAP:
            (row,), body = rows.open()
            found = _of_all_rows(body, row, xss) if isinstance(body, Reduce) else None
            return None if found is None else Element(0, found)
    return None


def _of_all_rows(e: Reduce, row: Param, xss: Expr) -> Expr | None:
    """The reduction of a row as one of arrays, an element for each row."""
    f, count = e.f, length(xss)
    if e.how not in (REDUCE, REDUCE_SEQ) or not isinstance(f, Lambda):
        return None
    numbers = numbers_of(row, f)
    named = {number: fresh(number.type) for number in numbers}
    free = substitute(f, named)
    if row in postorder(free) or not isinstance(free, Lambda):
        return None
    init: Expr | None
    match e.init:
        case Element(at, Reduce() as before) if at.value == 0:
            init = _of_all_rows(before, row, xss)
            init = None if init is None else Element(0, init)
        case z:
            init = None if row in postorder(z) else Repeat(count, z)
    if init is None or row not in postorder(e.xs):
        return None
    view = Map(close((row,), e.xs), xss) if e.xs is not row else xss
    columns = Transpose(view)
    others = [
        Join(Map(close((row,), Repeat(1, number)), xss)) for number in numbers
    ]  # views, as a map of numbers is not

    def combine(p: Expr) -> Expr:
        given = {variable: Get(2 + i, p) for i, variable in enumerate(named.values())}
        return substitute(free(Get(0, p), Get(1, p)), given)

    def step(acc: Expr, column: Expr) -> Expr:
        xs = Zip(acc, column, *others)
        return Map(fun(element(xs), combine), xs)

    return Reduce(fun((init.type, element(columns)), step), init, columns, e.how)


@rule(Label.REASSOCIATING, "ICFP'15 fig. 6d, for all rows at once; paper 003, nested map and reduce")
def rows_in_turns(e: Join, *, ways: Size | int) -> Expr | None:
    """join (map (λx. reduce f z (map g (v x))) xss)
    ->  join ∘ map (reduce f z) ∘ transpose ∘ element 0
        ∘ reduceSeq (λ(as, xs). map (λp. map (λq. f q.0 (g q.1)) (zip(p.0, p.1))) (zip(as, xs))) as ∘ split u
        where as = map (λ(xs, b). map (λx. select(b, g x, z)) xs) (the columns left over, and others of zeros)

    The columns are those of map v xss. A turn takes u of them, each into an accumulator for each row of its own.
    """
    match e:
        case Join(Map(Lambda() as rows, xss, how)) if how == MAP:
            (row,), body = rows.open()
            if not isinstance(body, Reduce) or body.how != REDUCE or not isinstance(body.f, Lambda):
                return None
            f, z, n = body.f, body.init, length(body.xs)
            g, view = mapped_by(body.xs)
            zero = zero_of(element(view))
            if (
                zero is None
                or not is_le(size(1), size(ways))
                or not is_monoid(f, z)
                or any(row in postorder(x) for x in (f, g, z))
            ):
                return None
            columns = Transpose(Map(close((row,), view), xss) if view is not row else xss)
            whole, rest = cut(columns, ways * (n // ways))
            none, turns = Repeat(length(xss), z), Split(ways, whole)
            begun: Expr = Repeat(ways, none)
            if (n % ways).value != 0:
                padded = Concat(rest, Repeat(ways - n % ways, Repeat(length(xss), zero)))
                filled = Concat(Repeat(n % ways, Literal(True, BOOL)), Repeat(ways - n % ways, Literal(False, BOOL)))
                begun = _mapped_pairs(
                    lambda xs, b: Map(fun((element(view),), lambda x: where(b, g(x), z)), xs), padded, filled
                )
            step = fun(
                (begun.type, element(turns)),
                lambda a, x: _mapped_pairs(lambda p, q: _mapped_pairs(lambda b, y: f(b, g(y)), p, q), a, x),
            )
            kept = Transpose(Element(0, Reduce(step, begun, turns, REDUCE_SEQ)))
            return Join(Map(fun(element(kept), lambda r: Reduce(f, z, r)), kept))
    return None


def _mapped_pairs(f: Callable[[Expr, Expr], Expr], xs: Expr, ys: Expr) -> Expr:
    """map (λp. f p.0 p.1) (zip(xs, ys))"""
    both = Zip(xs, ys)
    return Map(fun(element(both), lambda p: f(Get(0, p), Get(1, p))), both)


@rule(source="semantics of zip and repeat")
def repeat_numbers(e: Map) -> Expr | None:
    """map (λx. f x r.i ..) xs  ->  map (λ(x, c, ..). f x c ..) (zip(xs, repeat n r.i, ..))

    where r.i, .. are the numbers that f uses of variables outside: then it uses none, and can be moved past these.
    """
    match e:
        case Map(Lambda() as f, xs, how) if how == MAP and len(f.types) == 1:
            outside = dict.fromkeys(x for x in postorder(f) if isinstance(x, Param) and x.binder)
            numbers = [number for x in outside for number in numbers_of(x, f)]
            if not numbers:
                return None
            (x,), body = f.open()
            zipped = Zip(xs, *(Repeat(length(xs), number) for number in numbers))
            parts = {number: 1 + i for i, number in enumerate(numbers)}
            return Map(
                fun(
                    element(zipped),
                    lambda t: substitute(body, {x: Get(0, t), **{c: Get(i, t) for c, i in parts.items()}}),
                ),
                zipped,
                how,
            )
    return None


def numbers_of(row: Param, f: Expr) -> list[Expr]:
    """The numbers of a row, components of it, that a function uses."""
    return [x for x in postorder(f) if isinstance(x, Get) and x.operand is row and is_scalar_like(x.type)]
