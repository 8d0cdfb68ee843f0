"""Types: interned, written as the papers write them."""

from __future__ import annotations

import pickle
from collections.abc import Callable

import pytest

from ir.core.semantics.values import Leaf, conform, evaluate_type
from ir.core.sizes import size, var
from ir.core.types import (
    BOOL,
    FLOAT32,
    FLOAT64,
    INT32,
    INT64,
    ArrayType,
    FunctionType,
    ScalarType,
    TupleType,
    Type,
    VectorType,
    array_of,
    element_type,
    scalar,
    shape_of,
    widen,
)
from ir.errors import TypeMismatch

N, M = var("n"), var("m")
ALL: list[tuple[Type, str]] = [
    (FLOAT32, "float32"),
    (VectorType(FLOAT32, 4), "<float32>4"),
    (TupleType((FLOAT32, INT32)), "(float32, int32)"),
    (ArrayType(FLOAT32, N), "[float32]n"),
    (ArrayType(FLOAT32, 2 * N), "[float32](2*n)"),
    (array_of(INT64, N, 3), "[[int64]3]n"),
    (ArrayType(TupleType((BOOL, ArrayType(FLOAT64, M))), N), "[(bool, [float64]m)]n"),
    (FunctionType((FLOAT32, INT32), BOOL), "(float32, int32) -> bool"),
]


@pytest.mark.parametrize(("t", "text"), ALL, ids=lambda value: str(value))
def test_types_are_written_as_in_the_papers(t: Type, text: str) -> None:
    assert str(t) == repr(t) == text


@pytest.mark.parametrize("t", [t for t, _ in ALL], ids=str)
def test_types_survive_pickling_as_the_same_object(t: Type) -> None:
    assert pickle.loads(pickle.dumps(t)) is t


def test_equal_types_are_one_object() -> None:
    assert ArrayType(FLOAT32, N + N) is ArrayType(FLOAT32, 2 * N)
    assert ArrayType(FLOAT32, 4) is ArrayType(FLOAT32, size(4))
    assert ArrayType(FLOAT32, N) is not ArrayType(FLOAT32, M)
    assert ArrayType(FLOAT32, N) is not ArrayType(FLOAT64, N)
    assert TupleType((FLOAT32, INT32)) is not TupleType((INT32, FLOAT32))
    assert VectorType(FLOAT32, 4) is not VectorType(FLOAT32, 8)
    assert scalar("float32") is FLOAT32 is ScalarType("float32")


def test_types_are_immutable() -> None:
    with pytest.raises(AttributeError, match="immutable"):
        FLOAT32.name = "float64"


@pytest.mark.parametrize(
    ("name", "size_in_bytes", "is_float", "is_signed", "is_integer"),
    [
        ("bool", 1, False, False, False),
        ("int8", 1, False, True, True),
        ("uint16", 2, False, False, True),
        ("int64", 8, False, True, True),
        ("float32", 4, True, False, False),
        ("float64", 8, True, False, False),
    ],
)
def test_scalars(name: str, size_in_bytes: int, is_float: bool, is_signed: bool, is_integer: bool) -> None:
    t = scalar(name)
    assert (t.bytes, t.is_float, t.is_signed, t.is_integer) == (size_in_bytes, is_float, is_signed, is_integer)


ILL_FORMED: list[tuple[Callable[[], Type], str]] = [
    (lambda: scalar("float"), "scalar type: expected one of bool, "),
    (lambda: VectorType(FLOAT32, 3), "vector type: expected a width in (2, 4, 8, 16), got 3"),
    (lambda: VectorType(array_of(FLOAT32, N), 4), "vector type: expected a scalar element, got [float32]n"),
    (lambda: TupleType((FLOAT32,)), "tuple type: expected two or more components"),
]


@pytest.mark.parametrize(("build", "message"), ILL_FORMED, ids=lambda value: value if isinstance(value, str) else "")
def test_ill_formed_types_cannot_be_built(build: Callable[[], Type], message: str) -> None:
    with pytest.raises(TypeMismatch) as error:
        build()
    assert str(error.value).startswith(message)


def test_shapes() -> None:
    t = array_of(TupleType((FLOAT32, INT32)), N, 2 * M, 3)
    assert shape_of(t) == (N, 2 * M, size(3))
    assert element_type(t) is TupleType((FLOAT32, INT32))
    assert array_of(FLOAT32) is FLOAT32 and shape_of(FLOAT32) == ()


def test_widening() -> None:
    assert widen(TupleType((FLOAT32, INT32)), 4) is TupleType((VectorType(FLOAT32, 4), VectorType(INT32, 4)))
    with pytest.raises(TypeMismatch):
        widen(array_of(FLOAT32, N), 4)


def test_types_have_layouts() -> None:
    sizes = {"n": 3, "m": 0}
    pair = TupleType((VectorType(FLOAT32, 4), array_of(BOOL, M)))
    first, second = evaluate_type(array_of(pair, N), sizes)
    assert (first, second) == (Leaf((3, 4), first.dtype), Leaf((3, 0), second.dtype))
    assert (first.dtype, second.dtype) == ("float32", "bool")
    with pytest.raises(TypeMismatch, match="value: expected a scalar"):
        evaluate_type(FunctionType((FLOAT32,), FLOAT32), sizes)


def test_values_conform_to_layouts() -> None:
    pairs = evaluate_type(array_of(TupleType((FLOAT32, INT32)), N), {"n": 2})
    assert [part.dtype.name for part in conform("p", ([1, 2], [3, 4]), pairs)] == ["float32", "int32"]
    with pytest.raises(TypeMismatch, match=r"p: expected a tuple of 2 values, got list"):
        conform("p", [1, 2], pairs)
    with pytest.raises(TypeMismatch, match=r"p\.1: expected int32 of shape \(2,\), got int32 of shape \(3,\)"):
        conform("p", ([1, 2], [3, 4, 5]), pairs)
