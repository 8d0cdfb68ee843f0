"""How nodes are made: filled as their class says, immutable from then on, typed as if nothing were remembered."""

from __future__ import annotations

import random

import pytest

from ir.core import making
from ir.core.expr import Expr, Lambda, Param, fun, pattern_name, postorder
from ir.core.patterns import SIGNATURES, Call, Concat, Get, Literal, Map, Pattern, Reduce, Split, Tuple, Zip
from ir.core.types import FLOAT32, FLOAT64, ArrayType, FunctionType, TupleType, array_of
from ir.errors import TypeMismatch
from tests.generators import random_program

ABS = fun(FLOAT32, lambda x: Call("abs", x))
ADD = fun((FLOAT32, FLOAT32), lambda a, b: Call("add", a, b))


def vector(name: str, n: int) -> Param:
    return Param(name, array_of(FLOAT32, n))


def agrees_with_its_class(node: Expr) -> bool:
    """Do slots, levels and flags of a node follow from its operands and parameters?"""
    named = [*zip(node.operand_names, node.operands, strict=bool(node.operand_names))]
    named += zip(node.parameter_names, node.parameters, strict=True)
    if any(getattr(node, name) is not value for name, value in named):
        return False
    if node.patterned != (node.is_pattern or any(x.patterned for x in node.operands)):
        return False
    if isinstance(node, Lambda):
        return node.level == node.own_level == node.body.level + 1
    return node.level == max((x.level for x in node.operands), default=0) and (
        not node.operands or node.loose == any(x.loose for x in node.operands)
    )


@pytest.mark.parametrize("seed", range(20))
def test_nodes_are_filled_as_their_class_says(seed: int) -> None:
    program = random_program(random.Random(seed), low_level=seed % 2 == 1)
    nodes = list(postorder(program.expr))
    assert all(agrees_with_its_class(node) for node in nodes)
    for node in nodes:
        assert type(node).__dict__.get("__setattr__") is None
        for name in ("type", *node.operand_names):
            with pytest.raises(AttributeError, match="immutable"):
                setattr(node, name, None)


def test_any_number_of_operands() -> None:
    x = fun(FLOAT32, lambda v: Tuple(v, v, Literal(1, FLOAT32)))
    assert agrees_with_its_class(x.body)
    for count in (1, 2, 3, 5):
        parts = [vector(f"x{i}", 7) for i in range(count - 1)] + [Map(ABS, vector("y", 7))]
        for node in (Zip(*parts) if count > 1 else Call("abs", Literal(2, FLOAT32)), Concat(*parts)):
            assert agrees_with_its_class(node)
    assert Concat(*parts).type is array_of(FLOAT32, 35)


def test_the_class_that_fills_nodes_is_no_pattern_of_its_own() -> None:
    assert all(SIGNATURES[pattern_name(cls)] is cls for cls in SIGNATURES.values())
    assert type(Split(2, vector("x", 4))) is Split
    assert all(issubclass(cls, Pattern) for cls in SIGNATURES.values())


def test_what_has_the_type_of_a_function_is_refused_after_a_function_of_that_type() -> None:
    xs = vector("x", 10)
    assert Map(ABS, xs).type is xs.type
    with pytest.raises(TypeMismatch, match="map"):
        Map(Param("f", FunctionType((FLOAT32,), FLOAT32)), xs)
    assert Reduce(ADD, Literal(0, FLOAT32), xs).type is array_of(FLOAT32, 1)
    with pytest.raises(TypeMismatch, match="reduce"):
        Reduce(Param("g", ADD.type), Literal(0, FLOAT32), xs)


def test_what_is_ill_typed_is_so_each_time() -> None:
    xs = vector("x", 10)
    for _ in range(3):
        with pytest.raises(TypeMismatch, match="multiple of 3"):
            Split(3, xs)
        with pytest.raises(TypeMismatch, match="one length"):
            Zip(xs, vector("y", 11))
        with pytest.raises(TypeMismatch, match="map"):
            Map(ABS, Param("d", array_of(FLOAT64, 10)))
    assert Split(5, xs).type is array_of(FLOAT32, 2, 5)


def test_few_types_are_remembered() -> None:
    for n in range(1, making._INFERRED + 100):
        Split(n, Param("x", ArrayType(FLOAT32, 2 * n)))
    assert len(making._inferred) <= making._INFERRED
    pair = TupleType((FLOAT32, FLOAT32))
    swap = fun(pair, lambda p: Tuple(Get(1, p), Get(0, p)))
    assert Map(swap, Param("p", ArrayType(pair, 3))).type is ArrayType(pair, 3)
