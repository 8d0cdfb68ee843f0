"""Nodes: interned, typed, with binders that cannot capture, and walked without recursion."""

from __future__ import annotations

import copy
import pickle
import random
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ir.core import expr
from ir.core.expr import Bound, Expr, Lambda, Param, apply, close, closed, fresh, fun, postorder, rebuild, substitute
from ir.core.patterns import (
    AsScalar,
    AsVector,
    Call,
    Cast,
    Concat,
    Element,
    Gather,
    Generate,
    Get,
    Iterate,
    Join,
    Literal,
    Map,
    Memory,
    Overlap,
    Pad,
    Reduce,
    ReducePart,
    ReorderStride,
    Repeat,
    Reverse,
    Slice,
    Slide,
    Splat,
    Split,
    Transpose,
    Tuple,
    Vect,
    Zip,
)
from ir.core.semantics.interpreter import interpret
from ir.core.size_variables import substitute_sizes
from ir.core.sizes import size, var
from ir.core.types import (
    BOOL,
    FLOAT32,
    FLOAT64,
    INT32,
    INT64,
    ArrayType,
    FunctionType,
    TupleType,
    VectorType,
    array_of,
    scalar,
)
from ir.errors import IRError, TypeMismatch
from tests.generators import Program, well_typed_expressions

N, M = var("n"), var("m")
XS = Param("xs", array_of(FLOAT32, N))
ROWS = Param("rows", array_of(FLOAT32, N, M))
A, B = Param("a", FLOAT32), Param("b", FLOAT32)
ADD = fun((FLOAT32, FLOAT32), lambda x, y: Call("add", x, y))
ABS = fun(FLOAT32, lambda x: Call("abs", x))
ZERO = Literal(0, FLOAT32)
IS = Param("is", array_of(INT32, N))
INT_ADD = fun((INT32, INT32), lambda x, y: Call("add", x, y))


# --- identity ---------------------------------------------------------------------------------------------------------


def test_equal_nodes_are_one_object() -> None:
    assert Map(ABS, XS) is Map(ABS, XS)
    assert Map(ABS, XS) is not Map(ABS, Param("ys", XS.type))
    assert Param("xs", XS.type) is XS
    assert Param("xs", array_of(FLOAT64, N)) is not XS
    assert Split(4, Param("v", array_of(FLOAT32, 8))) is Split(size(4), Param("v", array_of(FLOAT32, size(8))))


@pytest.mark.parametrize(
    ("value", "other", "dtype"),
    [(0.0, -0.0, FLOAT32), (np.nan, -np.nan, FLOAT64), (1.0, 1.0000001, FLOAT64), (1, 2, INT32)],
)
def test_constants_are_told_apart_by_their_bits(value: float, other: float, dtype: object) -> None:
    assert Literal(value, dtype) is Literal(value, dtype)
    assert Literal(value, dtype) is not Literal(other, dtype)


def test_constants_of_different_types_differ() -> None:
    ones = [Literal(1, t) for t in (BOOL, INT32, FLOAT32, FLOAT64, scalar("uint8"))]
    assert len(set(ones)) == 5  # 1 == 1.0 == True
    assert Literal(True, BOOL) is Literal(1, BOOL)
    assert Literal(1, INT32) is Literal(True, INT32)
    assert np.isnan(Literal(np.nan, FLOAT32).value) and Literal(np.nan, FLOAT32) is Literal(np.nan, FLOAT32)
    assert np.signbit(Literal(-0.0, FLOAT32).value)


def test_nodes_are_immutable_and_never_pickled() -> None:
    node = Map(ABS, XS)
    with pytest.raises(AttributeError, match="immutable"):
        node.xs = ROWS
    with pytest.raises(TypeError, match="stored as text"):
        pickle.dumps(node)
    with pytest.raises(TypeError, match="stored as text"):
        copy.copy(node)


def test_rebuild_keeps_what_did_not_change() -> None:
    node = Reduce(ADD, ZERO, XS)
    assert rebuild(node, node.operands) is node
    ys = Param("ys", XS.type)
    assert rebuild(node, (ADD, ZERO, ys)) is Reduce(ADD, ZERO, ys)
    pair = Tuple(A, B)
    assert rebuild(Get(1, Param("p", pair.type)), (pair,)) is B


# --- binders ----------------------------------------------------------------------------------------------------------


def test_alpha_equivalent_functions_are_one_object() -> None:
    x, y = fresh(FLOAT32), fresh(FLOAT32)
    assert x is not y
    assert close([x], Call("add", x, A)) is close([y], Call("add", y, A))
    assert fun((FLOAT32, FLOAT32), lambda x, y: Call("add", x, y)) is not fun(
        (FLOAT32, FLOAT32), lambda x, y: Call("add", y, x)
    )

    def offset(row: Expr) -> Expr:
        return Map(fun(FLOAT32, lambda x: Call("add", x, Element(0, row))), row)

    nested = [fun(XS.type, offset) for _ in range(2)]
    assert nested[0] is nested[1]


def test_functions_of_other_types_differ() -> None:
    assert fun(FLOAT32, lambda x: x) is not fun(FLOAT64, lambda x: x)
    assert fun((FLOAT32, FLOAT32), lambda x, y: x) is not fun(TupleType((FLOAT32, FLOAT32)), lambda p: Get(0, p))


def test_open_and_close_are_inverse() -> None:
    params, body = ADD.open()
    assert ADD.open() == (params, body)
    assert close(params, body) is ADD
    assert not any(isinstance(node, Bound) for node in postorder(body))
    inner = fun(FLOAT32, lambda x: Element(0, Map(fun(FLOAT32, lambda y, x=x: Call("multiply", x, y)), XS)))
    params, body = inner.open()
    assert close(params, body) is inner


@given(well_typed_expressions())
def test_every_function_opens_and_closes(program: Program) -> None:
    for node in list(postorder(program.expr)):
        if isinstance(node, Lambda):
            params, body = node.open()
            assert close(params, body) is node
            assert body.type is node.result


@pytest.mark.parametrize(("functions", "nodes"), [(32, 4096), (1, 3)])
def test_a_body_that_changes_step_by_step_is_closed_as_from_the_start(functions, nodes, monkeypatch) -> None:
    """What is remembered of earlier bodies is of these parameters and of this level, and may be forgotten."""
    monkeypatch.setattr(expr, "_FUNCTIONS", functions)
    monkeypatch.setattr(expr, "_NODES", nodes)
    made = [
        fun((FLOAT32, FLOAT32), lambda x, y: Call("add", x, y)),
        fun((FLOAT32, FLOAT32), lambda x, y: Call("multiply", y, x)),
    ]
    for step in range(12):
        for which, f in enumerate(made):
            (x, y), body = f.enter()
            inner = fun(FLOAT32, lambda v, x=x, body=body: Call("add", Call("add", v, x), body))
            folded = Element(0, Reduce(ADD, y, Map(inner, XS)))  # a function in it: one level more
            after = [Call("add", body, x), Call("add", Call("abs", body), y), folded, Call("add", x, y)][step % 4]
            made[which] = f.with_body(after)
            assert made[which] is close((x, y), after)


def test_what_stays_of_a_body_is_not_closed_again(monkeypatch) -> None:
    done, replaced = [], expr._replaced

    def counting(roots, known, only_binders):
        before = len(known)
        made = replaced(roots, known, only_binders)
        done.append(len(known) - before)
        return made

    monkeypatch.setattr(expr, "_replaced", counting)
    (x,), body = fun(FLOAT32, lambda v: Call("abs", v)).enter()
    for i in range(100):
        body = Call("add", body, Call(("sin", "cos", "exp")[i % 3], body))
    f = close((x,), body)
    for name in ("abs", "exp", "sqrt"):
        (x,), body = f.enter()
        done.clear()
        f = f.with_body(Call(name, body))
        assert sum(done) >= 100 if name == "abs" else sum(done) <= 2


def test_substitution_does_not_capture() -> None:
    """(λx. map (λy. x + y) xs) applied to a variable that is itself bound further out."""
    outer = fun(FLOAT32, lambda x: Map(fun(FLOAT32, lambda y: Call("subtract", x, y)), XS))
    z = fresh(FLOAT32)
    applied = close([z], apply(outer, Call("negative", z)))
    twice = fun(FLOAT32, lambda w: Map(fun(FLOAT32, lambda v: Call("subtract", Call("negative", w), v)), XS))
    assert applied is twice
    e = Map(applied, Param("ys", array_of(FLOAT32, M)))
    got = interpret(e, {"xs": [1, 2], "ys": [10, 20, 30]}, {"n": 2, "m": 3})
    assert got.tolist() == [[-11, -12], [-21, -22], [-31, -32]]


def test_putting_a_function_inside_itself_keeps_the_variables_apart() -> None:
    """Composing λx. map (λy. x*y) under deeper lambdas renumbers levels; the meaning stays."""
    scale = fun(
        FLOAT32, lambda x: Element(0, Reduce(ADD, ZERO, Map(fun(FLOAT32, lambda y: Call("multiply", x, y)), XS)))
    )
    chain = scale
    for _ in range(4):
        x = fresh(FLOAT32)
        chain = close([x], apply(scale, apply(chain, x)))
    got = interpret(Map(chain, XS), {"xs": [1, 2]}, {"n": 2})
    assert got.tolist() == [3.0**5, 2 * 3.0**5]


def nested_sums(rng: random.Random, variables: list[Expr], depth: int) -> Expr:
    """A random scalar of sums over functions of one type, nested, each mentioning variables from further out."""
    choice = rng.randrange(4) if depth else 0
    if choice == 0:
        return rng.choice(variables)
    if choice == 1:
        left, right = (nested_sums(rng, variables, depth - 1) for _ in range(2))
        return Call(rng.choice(("add", "subtract", "multiply")), left, right)
    x = fresh(INT32)
    f = close([x], nested_sums(rng, [*variables, x, x], depth - 1))
    return Element(0, Reduce(INT_ADD, Literal(0, INT32), Map(f, IS)))


@settings(max_examples=3 * settings.default.max_examples)
@given(st.randoms(use_true_random=False))
def test_substitution_means_naming(rng: random.Random) -> None:
    """Putting an expression in place of a variable is the same as giving the variable its value."""
    v = Param("v", INT32)
    part, whole = nested_sums(rng, [Literal(2, INT32)], 4), nested_sums(rng, [v, Literal(3, INT32)], 5)
    inputs = {"is": np.int32([2, -3, 5])}
    expected = interpret(whole, {**inputs, "v": interpret(part, inputs, {"n": 3})}, {"n": 3})
    replaced = substitute(whole, {v: part})
    assert interpret(replaced, inputs, {"n": 3}) == expected
    b = fresh(INT32)
    assert apply(close([b], substitute(whole, {v: b})), part) is replaced


def test_levels_follow_the_nesting() -> None:
    inner = fun(FLOAT32, lambda y: y)
    outer = fun(array_of(FLOAT32, M), lambda row: Map(inner, row))
    assert (inner.level, outer.level, Map(outer, ROWS).level) == (1, 2, 2)
    assert not outer.loose and outer.body.loose and not Map(outer, ROWS).loose
    x = fresh(FLOAT32)
    assert fun(FLOAT32, lambda y: Call("add", x, y)).loose


def test_apply_checks_the_arguments() -> None:
    assert apply(ADD, A, B) is Call("add", A, B) is ADD(A, B)
    with pytest.raises(TypeMismatch, match=r"application: expected \(float32, float32\) -> float32"):
        ADD(A, XS)
    with pytest.raises(TypeMismatch, match="application: expected a function"):
        apply(XS, A)


def test_substitute_reaches_under_binders_and_keeps_sharing() -> None:
    f = fun(FLOAT32, lambda x: Call("add", x, A))
    e = Map(f, XS)
    assert substitute(e, {A: B}) is Map(fun(FLOAT32, lambda x: Call("add", x, B)), XS)
    assert substitute(e, {B: A}) is e
    x: Expr = A
    for _ in range(64):
        x = Call("add", x, x)
    assert substitute(substitute(x, {A: B}), {B: A}) is x


def test_substituting_a_deeper_expression_renumbers_the_levels() -> None:
    e = Map(fun(FLOAT32, lambda x: Call("add", x, A)), XS)
    deep = Element(0, Reduce(ADD, ZERO, Map(ABS, XS)))
    replaced = substitute(e, {A: deep})
    assert replaced is Map(fun(FLOAT32, lambda x: Call("add", x, deep)), XS)
    assert replaced.level == 2


def test_substitute_sizes_replaces_types_and_parameters() -> None:
    e = Map(fun(array_of(FLOAT32, 4), lambda c: Reduce(ADD, ZERO, c)), Split(4, Param("v", array_of(FLOAT32, 4 * N))))
    assert substitute_sizes(e, {N: size(3)}).type is array_of(FLOAT32, 3, 1)
    assert substitute_sizes(e, {M: size(3)}) is e


# --- depth ------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_chains_of_100_000_nodes() -> None:
    x: Expr = XS
    for _ in range(100_000):
        x = Map(ABS, x)
    assert sum(1 for _ in postorder(x)) == 100_000 + 4  # the chain, its input, and the function's three nodes
    ys = Param("ys", XS.type)
    replaced = substitute(x, {XS: ys})
    assert replaced.type is x.type and substitute(replaced, {ys: XS}) is x
    del x, replaced  # and their destruction does not overflow the stack either


@pytest.mark.slow
def test_scalar_chains_of_100_000_nodes_under_a_binder() -> None:
    def deep(x: Expr) -> Expr:
        for _ in range(100_000):
            x = Call("add", x, A)
        return x

    assert fun(FLOAT32, deep) is fun(FLOAT32, deep)


def test_postorder_visits_operands_first_and_each_node_once() -> None:
    x: Expr = A
    for _ in range(64):
        x = Call("add", x, x)
    order = list(postorder(x))
    assert len(order) == 65 == len(set(order))
    assert all(order.index(operand) < order.index(node) for node in order for operand in node.operands)
    assert list(postorder(Map(ABS, XS), prune=lambda e: isinstance(e, Lambda))) == [XS, Map(ABS, XS)]


# --- types ------------------------------------------------------------------------------------------------------------

V8, F4 = Param("v", array_of(FLOAT32, 8 * N)), array_of(FLOAT32, 4)
K = var("k")
HALVE = fun(array_of(FLOAT32, 2 * K), lambda x: Slice(0, 2, K, x))

WELL_TYPED = [
    (Map(ABS, XS), "[float32]n"),
    (Map(fun(array_of(FLOAT32, M), lambda row: Reduce(ADD, ZERO, row)), ROWS), "[[float32]1]n"),
    (Reduce(ADD, ZERO, XS), "[float32]1"),
    (ReducePart(ADD, ZERO, N, V8), "[float32]n"),
    (Zip(XS, XS, XS), "[(float32, float32, float32)]n"),
    (Split(4, V8), "[[float32]4](2*n)"),
    (Split(N, V8), "[[float32]n]8"),
    (Join(Split(4, V8)), "[float32](8*n)"),
    (Transpose(ROWS), "[[float32]n]m"),
    (Slice(0, 2, N, V8), "[float32]n"),
    (Slide(3, 1, V8), "[[float32]3](8*n - 2)"),
    (Slide(3, 2, V8), "[[float32]3](4*n - 1)"),
    (Slide(4, 3, Param("v", array_of(FLOAT32, 3 * N + 4))), "[[float32]4](n + 1)"),
    (Slide(N, M, ROWS), "[[[float32]m]n]1"),
    (Overlap(N + M, XS, Param("w", array_of(FLOAT32, M + 3))), "[float32](m + n)"),
    (Pad(3, M, V8), "[float32](m + 8*n + 3)"),
    (Repeat(M, XS), "[[float32]n]m"),
    (Concat(XS, V8), "[float32](9*n)"),
    (Element(0, ROWS), "[float32]m"),
    (Gather(XS, IS), "[float32]n"),
    (Gather(ROWS, Param("at", array_of(INT64, 8))), "[[float32]m]8"),
    (Generate(N, fun(INT64, lambda i: i)), "[int64]n"),
    (Generate(N, fun(INT32, lambda i: Generate(M, fun(INT64, lambda j: Tuple(i, j))))), "[[(int32, int64)]m]n"),
    (ReorderStride(N, V8), "[float32](8*n)"),
    (Reverse(ROWS), "[[float32]m]n"),
    (AsVector(4, V8), "[<float32>4](2*n)"),
    (AsScalar(AsVector(4, V8)), "[float32](8*n)"),
    (Map(Vect(4, ABS), AsVector(4, V8)), "[<float32>4](2*n)"),
    (Iterate(2, K, HALVE, V8), "[float32](2*n)"),
    (Iterate(3, K, HALVE, V8), "[float32]n"),
    (Memory("local", XS), "[float32]n"),
    (Memory("local", ROWS, 4), "[[float32]m]n"),
    (Cast(A, INT32), "int32"),
    (Call("less", A, B), "bool"),
    (Call("select", Call("less", A, B), A, B), "float32"),
    (Call("select", Call("less", A, B), Splat(A, 4), Splat(B, 4)), "<float32>4"),
    (Get(1, Tuple(A, XS)), "[float32]n"),
]


@pytest.mark.parametrize(("e", "expected"), WELL_TYPED, ids=lambda value: str(value))
def test_types(e: Expr, expected: str) -> None:
    assert str(e.type) == expected


ILL_TYPED: list[tuple[Callable[[], Expr], str]] = [
    (lambda: Map(ABS, A), "map: expected an array, got float32"),
    (lambda: Map(ADD, XS), "map: expected a function of (float32), got (float32, float32) -> float32"),
    (lambda: Map(A, XS), "map: expected a function of (float32), got float32"),
    (lambda: Map(ABS, ROWS), "map: expected a function of ([float32]m), got (float32) -> float32"),
    (lambda: Reduce(ADD, Literal(0, INT32), XS), "reduce: expected float32, got int32"),
    (lambda: Reduce(ABS, ZERO, XS), "reduce: expected a function of (float32, float32), got (float32) -> float32"),
    (lambda: ReducePart(ADD, ZERO, 3, V8), "reducePart: expected an array length that is a multiple of 3, got 8*n"),
    (lambda: Split(3, V8), "split: expected an array length that is a multiple of 3, got 8*n"),
    (lambda: Join(XS), "join: expected an array, got float32"),
    (lambda: Transpose(XS), "transpose: expected an array, got float32"),
    (lambda: Zip(XS, V8), "zip: expected arrays of one length, got [float32]n, [float32](8*n)"),
    (lambda: Overlap(N, XS, Param("i", array_of(INT32, N))), "overlap: expected float32, got int32"),
    (
        lambda: Overlap(7, Param("v", array_of(FLOAT32, 8)), XS),
        "overlap: expected an array of 7 elements or fewer, got [float32]8",
    ),
    (
        lambda: Overlap(2 * N + 1, XS, XS),
        "overlap: expected arrays of 2*n + 1 elements together, got [float32]n, [float32]n",
    ),
    (lambda: Pad(1, 1, A), "pad: expected an array, got float32"),
    (lambda: Pad(-1, 0, XS), "pad: expected 0 elements or more at an end, got -1"),
    (lambda: Pad(1, 1, Repeat(0, A)), "pad: expected an array of 1 element or more, got [float32]0"),
    (lambda: Slide(3, 1, A), "slide: expected an array, got float32"),
    (lambda: Slide(0, 1, XS), "slide: expected a window of 1 or more, got 0"),
    (lambda: Slide(3, 0, XS), "slide: expected a step of 1 or more, got 0"),
    (lambda: Slide(N + 1, 1, XS), "slide: expected an array of n + 1 elements or more, got [float32]n"),
    (lambda: Concat(XS, Param("i", array_of(INT32, N))), "concat: expected float32, got int32"),
    (lambda: Element(0, A), "element: expected an array, got float32"),
    (lambda: Gather(A, IS), "gather: expected an array, got float32"),
    (lambda: Gather(XS, Literal(0, INT32)), "gather: expected an array, got int32"),
    (lambda: Gather(XS, XS), "gather: expected indices of type int32 or int64, got float32"),
    (lambda: Generate(N, ABS), "generate: expected a function of an int32 or int64, got (float32) -> float32"),
    (lambda: Generate(N, XS), "generate: expected a function of an int32 or int64, got [float32]n"),
    (lambda: ReorderStride(3, V8), "reorderStride: expected an array length that is a multiple of 3, got 8*n"),
    (lambda: AsVector(16, V8), "asVector: expected an array length that is a multiple of 16, got 8*n"),
    (lambda: AsVector(3, V8), "vector type: expected a width in (2, 4, 8, 16), got 3"),
    (lambda: AsScalar(V8), "asScalar: expected vectors of one width, got float32"),
    (lambda: Memory("shared", XS), "memory: expected global, lastGroup, local or private, got shared"),
    (
        lambda: Memory("local", XS, 4),
        "memory: expected rows in local memory, got local memory of [float32]n",
    ),
    (lambda: Memory("private", ROWS, 4), "memory: expected rows in local memory, got private memory of [[float32]m]n"),
    (lambda: Memory("local", ROWS, -1), "memory: expected rows in local memory, got local memory of [[float32]m]n"),
    (lambda: Iterate(2, K, ABS, V8), "iterate: expected a function from [A](I*k) to [A]k, got (float32) -> float32"),
    (lambda: Iterate(4, K, HALVE, V8), "iterate: expected an array length that is a multiple of 16, got 8*n"),
    (lambda: Get(2, Tuple(A, B)), "get: expected a tuple with a component 2, got (float32, float32)"),
    (lambda: Get(0, A), "get: expected a tuple with a component 0, got float32"),
    (lambda: Call("add", A), "add: expected 2 operands, got 1"),
    (lambda: Call("add", A, XS), "add: expected scalar operands, got float32, [float32]n"),
    (lambda: Call("add", A, Literal(1, INT32)), "add: expected operands of one type, got float32, int32"),
    (lambda: Call("sqrt", Literal(1, INT32)), "sqrt: expected floating-point operands, got int32"),
    (lambda: Call("bitwise_and", A, B), "bitwise_and: expected bool or integer operands, got float32"),
    (lambda: Call("add", Literal(True, BOOL), Literal(True, BOOL)), "add: expected numeric operands, got bool"),
    (lambda: Call("select", A, A, B), "select: expected (bool, T, T), got float32, float32, float32"),
    (
        lambda: Call("select", Literal(True, BOOL), Splat(A, 4), B),
        "select: expected operands of one vector width, got bool, <float32>4, float32",
    ),
    (
        lambda: Call("select", Literal(True, BOOL), *[Splat(Literal(True, BOOL), 4)] * 2),
        "select: expected operands of one vector width, got bool, <bool>4, <bool>4",
    ),
    (lambda: Cast(XS, INT32), "cast: expected a scalar or vector, got [float32]n"),
]


@pytest.mark.parametrize(("build", "message"), ILL_TYPED, ids=lambda value: value if isinstance(value, str) else "")
def test_ill_typed_expressions_cannot_be_built(build: Callable[[], Expr], message: str) -> None:
    with pytest.raises(TypeMismatch) as error:
        build()
    assert str(error.value) == message
    assert isinstance(error.value, IRError) and isinstance(error.value, TypeError)


def test_an_unknown_operation_names_the_known_ones() -> None:
    with pytest.raises(TypeMismatch, match=r"scalar operation: expected one of add, .*, got plus"):
        Call("plus", A, B)


def test_vectors_and_scalars_do_not_mix() -> None:
    v = Param("v", VectorType(FLOAT32, 4))
    assert Call("add", v, v).type is v.type
    assert Call("less", v, v).type is VectorType(BOOL, 4)
    with pytest.raises(TypeMismatch, match="operands of one vector width"):
        Call("add", v, A)


def test_functions_have_function_types() -> None:
    assert ADD.type is FunctionType((FLOAT32, FLOAT32), FLOAT32)
    assert Vect(4, ADD).type is FunctionType((VectorType(FLOAT32, 4),) * 2, VectorType(FLOAT32, 4))
    assert isinstance(XS.type, ArrayType)


def test_a_closed_body_is_the_function_that_is_built_over_parameters() -> None:
    xs = Param("xs", array_of(FLOAT32, 5))
    inner = fun(FLOAT32, lambda x: Call("abs", x))
    t = array_of(FLOAT32, 5)

    def body(row: Expr) -> Expr:
        return Map(inner, Concat(row, xs))

    level = inner.level + 1
    assert closed((t,), body(Bound(level, 0, t))) is fun(t, body)
    assert not closed((t,), body(Bound(level, 0, t))).loose
    assert closed((t,), body(Bound(level + 1, 0, t))).loose  # the variable of a function further out
