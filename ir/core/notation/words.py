"""What the printer and the parser agree on: names, precedences and how a constant is written.

Constants
---------
`3:int32`, `0.5:float32`, `-0.0:float64`, `inf:float32`, `nan:float32`, `true`, `false`. Without a dtype a number takes
the dtype that its place suggests: that of the other operand (`x * 3`), or that of an array's elements (`reduce (+) 0`).
Where nothing suggests one, whole numbers are int64 and all others float64. `0x7fc00001:float32` gives the bits (NaNs
with a payload).

Names
-----
`splitVec w` and `joinVec` are asVector and asScalar, `mapVec f` on vectors of width w is `vect w f`. `innerSplit`,
`outerSplit`, `innerJoin` and `outerJoin` (thesis, table 1) are split and join, under maps for the innermost dimension.
`generate int32 n (λi. ...)` names the type of the index.
A free parameter whose name is a word of the language (or no identifier) is written in backquotes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from ir.core.expr import Expr
from ir.core.patterns import SIGNATURES, AsScalar, AsVector, Literal, Splat
from ir.core.scalars import OPERATIONS
from ir.core.sizes import Size
from ir.core.types import ArrayType, ScalarType, TupleType, Type, VectorType

__all__ = [
    "APPLICATION", "ATOM", "COMPOSITION", "DIMENSIONS", "DTYPES", "NAME", "PRECEDENCES", "WHOLE", "is_reserved",
    "literal", "literal_text", "operand_hint", "part_hint", "pattern_of", "quote", "size_text",
]  # fmt: skip

# How tightly a piece of text binds: from "needs parentheses everywhere but at the end" to "never needs them".
WHOLE, COMPOSITION, APPLICATION, ATOM = 0, 1, 10, 11
PRECEDENCES = {
    **dict.fromkeys(("==", "!=", "<", "<=", ">", ">="), 2), "|": 3, "^": 4, "&": 5, "+": 6, "-": 6,
    "*": 7, "/": 7, "//": 7, "%": 7, "**": 8,
}  # fmt: skip
DTYPES = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64")

NAME = r"(?!λ)[^\W\d]\w*"
_WORDS = {"let", "in", "o", "true", "false", "inf", "nan", "vect", "fromSize", "generate", "zip", "concat"}
_KINDS = re.compile(r"(map|reduce|scan|scatter)([A-Z][A-Za-z]*\d*)?|toLocal\d*")


_APART = {"map", "mapReduce", "reduce", "scan", "scatter", "memory", "vect", "generate", "zip", "concat"}
"""Patterns with a name for each kind or address space, `vect`, which is written among functions, `generate`, which has
no array and names the type of its index, and those of any number of arrays.
"""
_ALTERNATIVES: dict[str, type[Expr]] = {"splitVec": AsVector, "joinVec": AsScalar, "splat": Splat}
DIMENSIONS = ("innerSplit", "outerSplit", "innerJoin", "outerJoin")
"""Names for splits and joins under maps (`ir.core.dimensions`), which are printed as these."""
_WORDS |= {
    *DIMENSIONS,
    *OPERATIONS,
    *DTYPES,
    "toGlobal",
    "toLastGroup",
    "toPrivate",
}


def pattern_of(word: str) -> type[Expr] | None:
    """The pattern that is written as that word, fixed arguments, array: `slice start step count xs`."""
    return _ALTERNATIVES.get(word) or (None if word in _APART else SIGNATURES.get(word))


def is_reserved(name: str) -> bool:
    """Is it a word of the language, which cannot be a bare name?"""
    return name in _WORDS or pattern_of(name) is not None or _KINDS.fullmatch(name) is not None


def quote(name: str) -> str:
    """A free parameter's name as it is written."""
    if re.fullmatch(NAME, name) and not is_reserved(name):
        return name
    return "`" + name.replace("`", "``") + "`"


def size_text(length: Size) -> str:
    """A size as an argument: bare where it is one word."""
    text = re.sub(NAME, lambda word: word[0] if word[0] in ("min", "max") else quote(word[0]), str(length))
    return text if re.fullmatch(rf"\d+|{NAME}|`[^`]*`", text) else f"({text})"


def literal_text(constant: Literal, expected: Type | None) -> str:
    """A constant where a number of type `expected` would be assumed (None: nothing is known)."""
    if constant.dtype.name == "bool":
        return "true" if constant.value else "false"
    value = constant.value
    texts = []
    if constant.dtype is expected or not constant.dtype.is_float:
        with np.errstate(all="ignore"):
            whole = np.isfinite(value) and abs(value) < 1e15 and value == np.trunc(value)
        if not constant.dtype.is_float or (whole and not np.signbit(value)) or (whole and value != 0):
            texts.append(str(int(value)))
    texts.append(str(value))
    dtype = f":{constant.dtype}"
    bits = f"0x{int.from_bytes(constant.bits, 'little'):x}{dtype}"
    for text in [*texts, *(text + dtype for text in texts), bits]:
        try:
            if literal(text, expected) is constant:
                return text
        except OverflowError:  # an assumed dtype that is too small
            continue
    raise AssertionError(f"no text stands for the constant {value!r}")


def literal(text: str, expected: Type | None) -> Literal:
    """The constant that a text stands for; ValueError or OverflowError where the dtype has no such number."""
    number, _, name = text.partition(":")
    if number in ("true", "false"):
        return Literal(number == "true", ScalarType("bool"))
    if number.startswith("0x"):
        dtype = np.dtype(name)
        return Literal(np.frombuffer(int(number, 16).to_bytes(dtype.itemsize, "little"), dtype)[0], ScalarType(name))
    whole = re.fullmatch(r"-?\d+", number) is not None
    if name:
        chosen = ScalarType(name)
    elif isinstance(expected, ScalarType) and (expected.is_float or (whole and expected.is_integer)):
        chosen = expected
    else:
        chosen = ScalarType("int64" if whole else "float64")
    value: Any = int(number) if chosen.is_integer else number
    return Literal(np.dtype(chosen.name).type(value), chosen)


def operand_hint(op: str, operands: Sequence[Expr | None]) -> Type | None:
    """The dtype that a constant among the operands of a primitive takes: that of the first other operand."""
    for operand in operands[1:] if op == "select" else operands:
        if operand is not None and not isinstance(operand, Literal):
            return operand.type if isinstance(operand.type, ScalarType) else None
    return None


def part_hint(expected: Type | None, index: int) -> Type | None:
    """What is expected of a part (a tuple's component, the value that is repeated), if `expected` is of the whole."""
    if isinstance(expected, TupleType):
        return expected.elements[index] if index < len(expected.elements) else None
    if isinstance(expected, ArrayType | VectorType):
        return expected.element
    return None
