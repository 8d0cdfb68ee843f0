"""Arrays made from their indices: `generate` changes places with maps, views and gathers. All rules are exact.

They follow from its denotation, `generate n f i = f i`. What a view does to the indices the function does instead, so
their arithmetic becomes visible to the function's; left as a view, it is the generator's, which simplifies it.
"""

from __future__ import annotations

from ir.core.expr import Expr, Lambda, fun
from ir.core.patterns import (
    MAP,
    Call,
    Cast,
    Element,
    FromSize,
    Gather,
    Generate,
    Join,
    Literal,
    Map,
    Repeat,
    Slice,
    Split,
    Transpose,
    Tuple,
    Zip,
)
from ir.core.sizes import Size, is_le
from ir.core.types import INT32, INT64, ScalarType, Type
from ir.rewrite.rule import rule
from ir.rules.common import identity, length

__all__ = ["is_identity"]

_LAST = 2**31 - 1


def is_identity(f: Lambda) -> bool:
    """`λx. x`."""
    return len(f.types) == 1 and f.body is f.variables[0]


def _number(value: Size | int, t: Type) -> Expr:
    assert isinstance(t, ScalarType)
    return FromSize(value, t)


def _converted(e: Expr, t: Type) -> Expr:
    assert isinstance(t, ScalarType)
    return e if e.type is t else Cast(e, t)


@rule(source="semantics of generate")
def generate_to_map(e: Expr) -> Expr | None:
    """generate n f  ->  map f (generate n id)"""
    match e:
        case Generate(n, Lambda() as f) if not is_identity(f):
            return Map(f, Generate(n, identity(e.index)))
    return None


@rule(source="semantics of generate")
def map_of_generate(e: Expr) -> Expr | None:
    """map f (generate n g)  ->  generate n (f ∘ g)"""
    match e:
        case Map(Lambda() as f, Generate(n, Lambda() as g) as xs, how) if how == MAP:
            return Generate(n, fun(xs.index, lambda i: f(g(i))))
    return None


@rule(source="semantics of generate and zip")
def zip_of_generates(e: Expr) -> Expr | None:
    """zip(generate n f, generate n g, ..)  ->  generate n (λi. (f i, g i, ..))      for indices of one type"""
    match e:
        case Zip(operands=(Generate() as first, *_)):
            parts = [x for x in e.operands if isinstance(x, Generate) and x.index is first.index]
            if len(parts) == len(e.operands):
                return Generate(first.count, fun(first.index, lambda i: Tuple(*(x.f(i) for x in parts))))
    return None


@rule(source="semantics of generate and slice")
def slice_of_generate(e: Expr) -> Expr | None:
    """slice s k m (generate n f)  ->  generate m (λi. f (s + k * i))"""
    match e:
        case Slice(start, step, count, Generate(_, Lambda() as f) as xs):
            t = xs.index
            assert isinstance(t, ScalarType)

            def body(i: Expr) -> Expr:
                return f(Call("add", _number(start, t), Call("multiply", _number(step, t), i)))

            return Generate(count, fun(t, body))
    return None


@rule(source="semantics of generate and split")
def split_of_generate(e: Expr) -> Expr | None:
    """split m (generate n f)  ->  generate (n / m) (λi. generate m (λj. f (i * m + j)))"""
    match e:
        case Split(m, Generate(_, Lambda() as f) as xs):
            t = xs.index

            def chunk(i: Expr) -> Expr:
                first = Call("multiply", i, _number(m, t))
                return Generate(m, fun(t, lambda j: f(Call("add", first, j))))

            return Generate(length(e), fun(t, chunk))
    return None


@rule(source="semantics of generate and join")
def join_of_generate(e: Expr) -> Expr | None:
    """join (generate n (λi. generate m (f i)))  ->  generate (n * m) (λk. f (k // m) (k % m))

    The index of the result must hold all its indices: an int64, or an int32 where n * m is known to be small enough.
    """
    match e:
        case Join(Generate(_, Lambda() as rows) as xs):
            body = rows.open()[1]
            if not isinstance(body, Generate) or not isinstance(body.f, Lambda):
                return None
            m, t = body.count, xs.index
            if m.value == 0 or not (t is INT64 or is_le(length(e), _LAST)):
                return None

            def element(k: Expr) -> Expr:
                columns = rows(Call("floor_divide", k, _number(m, t)))
                assert isinstance(columns, Generate)
                assert isinstance(columns.f, Lambda)
                return columns.f(_converted(Call("remainder", k, _number(m, t)), columns.index))

            return Generate(length(e), fun(t, element))
    return None


@rule(source="semantics of generate and transpose")
def transpose_of_generate(e: Expr) -> Expr | None:
    """transpose (generate n (λi. generate m (f i)))  ->  generate m (λj. generate n (λi. f i j))"""
    match e:
        case Transpose(Generate(n, Lambda() as rows) as xs):
            body = rows.open()[1]
            if isinstance(body, Generate):

                def element(i: Expr, j: Expr) -> Expr:
                    columns = rows(i)
                    assert isinstance(columns, Generate)
                    assert isinstance(columns.f, Lambda)
                    return columns.f(j)

                return Generate(
                    body.count, fun(body.index, lambda j: Generate(n, fun(xs.index, lambda i: element(i, j))))
                )
    return None


@rule(source="semantics of generate and element")
def element_of_generate(e: Expr) -> Expr | None:
    """element k (generate n f)  ->  f k"""
    match e:
        case Element(k, Generate(_, Lambda() as f) as xs):
            return f(_number(k, xs.index))
    return None


@rule(source="semantics of generate and gather")
def gather_of_generate(e: Expr) -> Expr | None:
    """gather (generate n f) is  ->  map (λi. f (min(max(i, 0), n - 1))) is"""
    match e:
        case Gather(Generate(n, Lambda() as f) as xs, indices):

            def element(i: Expr) -> Expr:
                least = Call("maximum", _converted(i, INT64), Literal(0, INT64))
                return f(_converted(Call("minimum", least, FromSize(n - 1, INT64)), xs.index))

            assert indices.type.element in (INT32, INT64)  # type: ignore[attr-defined]  # the pattern's typing rule
            return Map(fun(indices.type.element, element), indices)  # type: ignore[attr-defined]  # as above
    return None


@rule(source="semantics of generate and repeat")
def repeat_to_generate(e: Expr) -> Expr | None:
    """repeat n x  ->  generate n (λi. x)"""
    match e:
        case Repeat(n, x):
            return Generate(n, fun(INT64, lambda _: x))
    return None
