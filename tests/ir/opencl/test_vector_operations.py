"""`vect` goes through every scalar function: each primitive, conversions, choices and tuples, widened and run."""

from __future__ import annotations

import pytest

from ir.core.expr import Expr, Param, close, fresh
from ir.core.notation.parser import parse
from ir.core.patterns import MAP, Call, Get, Map, Tuple, Zip
from ir.core.scalars import OPERATIONS
from ir.core.sizes import var
from ir.core.types import BOOL, FLOAT32, FLOAT64, INT32, INT64, ArrayType, ScalarType, Type, array_of, scalar
from ir.core.verify import verify_low_level
from ir.errors import TypeMismatch
from ir.rewrite.derivation import Derivation
from tests.ir.opencl.running import check

N = var("n", 1, 1000)
TYPES = (FLOAT32, FLOAT64, INT32, INT64, scalar("uint8"), BOOL)
AT_ONCE = 8


def applied(op: str, t: ScalarType, variable: Expr) -> Expr | None:
    """A primitive of the components of a tuple (bool, T, T, T), or None where it is not defined for that type."""
    select = OPERATIONS[op].rule == "select"
    operands = (
        [Get(0, variable), Get(1, variable), Get(2, variable)] if select else [Get(1, variable), Get(2, variable)]
    )
    try:
        return Call(op, *operands[: OPERATIONS[op].arity])
    except TypeMismatch:
        return None


def programs(t: ScalarType) -> list[Expr]:
    """Maps that apply every primitive of a type, some at once."""
    arrays = Zip(Param("bs", array_of(BOOL, 8 * N)), *(Param(name, array_of(t, 8 * N)) for name in ("xs", "ys")))
    assert isinstance(arrays.type, ArrayType)
    variable = fresh(arrays.type.element)
    results = [e for op in OPERATIONS if (e := applied(op, t, variable)) is not None]
    assert len(results) > AT_ONCE
    parts = [results[i : i + AT_ONCE] for i in range(0, len(results), AT_ONCE)]
    return [Map(close([variable], Tuple(*part, variable)), arrays) for part in parts]


CASES = [(t, number, e) for t in TYPES for number, e in enumerate(programs(t))]


def widened(e: Expr, width: int) -> Expr:
    """The expression on vectors, one work-item for each."""
    derivation = Derivation.of(e).apply("vectorise_map", (), width=width).apply("vect_propagation", (0, 0))
    return derivation.apply("map_to_global", (0,), dim=0).result


@pytest.mark.parametrize(("t", "number", "e"), CASES, ids=[f"{t}-{number}" for t, number, _ in CASES])
def test_every_primitive_works_on_vectors(t, number, e, device):
    low = widened(e, (2, 4, 8)[number % 3])
    verify_low_level(low)
    check(device, e, low, {"n": 3}, exact=not t.is_float, optimised=True)


FUNCTIONS: dict[str, tuple[str, dict[str, Type]]] = {
    "casts": (
        "map (λ(x, k, b). (float64 x, int8 k, float32 b, x > float32 k, bool k)) (zip(xs, ks, bs))",
        {"xs": FLOAT32, "ks": INT32, "bs": BOOL},
    ),
    "nested tuples": (
        "map (λ(x, y). let p = (x + y, (x * y, y)) in (p.1.0 - p.0, (p, maximum(p.1.1, x)))) (zip(xs, ys))",
        {"xs": FLOAT32, "ys": FLOAT32},
    ),
    "choices": (
        "map (λ(x, k). select ((x < 1) & ((k > 2) | isfinite x)) (select (k == 3) x c) (-x)) (zip(xs, ks))",
        {"xs": FLOAT32, "ks": INT32},
    ),
    "choices by one test": (
        "map (λ(x, k, b). (select (c < 1) x (-x), select (c < 1) (k + k) 3, select (c < 1) b (x < 1), "
        "select (element 0 v < c) (select (x < 1) c x) x)) (zip(xs, ks, bs))",
        {"xs": FLOAT32, "ks": INT32, "bs": BOOL},
    ),
    "truth values as wide as what was compared": (
        "map (λ(x, y, k, b). let f = x < c in let d = float64 x <= y in let i = k > 3 in "
        "(f & d, (i | f) == b, bitwise_invert (d & b), f < i, bool f, select (d & i) f b, select b d i, "
        "select (f & d) x c, select i y (float64 f), select (d | b) k (int8 d), int64 (i & f), float32 (isnan y | f))) "
        "(zip(xs, ys, ks, bs))",
        {"xs": FLOAT32, "ys": FLOAT64, "ks": scalar("int8"), "bs": BOOL},
    ),
    "a long chain of truth values": (
        "map (λ(x, y). " + "(y < 1:float64) & bitwise_invert (" * 80 + "x < c" + ")" * 80 + ") (zip(xs, ys))",
        {"xs": FLOAT32, "ys": FLOAT64},
    ),
    "powers of two": (
        "map (λ(x, k). (ldexp x k, exponent x, ldexp x (exponent x))) (zip(xs, ks))",
        {"xs": FLOAT32, "ks": INT32},
    ),
    "constants": ("map (λx. (fromSize float32 n * x, 3:int64, true, c)) xs", {"xs": FLOAT32}),
    "a captured number": ("map (λx. x + element 0 (slice 0 1 1 xs) * element 3 v) xs", {"xs": FLOAT32}),
    "a component of a captured tuple": ("map (λx. let p = element 0 (zip(v, v)) in x * p.0 - p.1) xs", {"xs": FLOAT32}),
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("width", [2, 4, 8])
def test_functions_of_many_kinds_work_on_vectors(name, width, device):
    text, elements = FUNCTIONS[name]
    inputs: dict[str, Type] = {"c": FLOAT32, "v": array_of(FLOAT32, 5)}
    e = parse(text, {**inputs, **{k: array_of(t, 8 * N) for k, t in elements.items()}}, {"n": N})
    assert isinstance(e, Map) and e.how == MAP
    low = widened(e, width)
    verify_low_level(low)
    check(device, e, low, {"n": 3}, exact=True, optimised=True)
