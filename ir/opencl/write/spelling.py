"""How scalar types, constants and primitives are written in OpenCL C.

Integers wrap, as NumPy's do. Signed overflow is undefined in C, and compilers make use of that, so sums, differences,
products and negatives of signed integers are computed as unsigned ones, of which the same bits are taken.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ir.core.scalars import is_one_test, operation
from ir.core.sizes import Size
from ir.core.types import BOOL, ScalarType, Type, VectorType
from ir.errors import GenerationError
from ir.opencl.read.views import Text
from ir.opencl.write.floats import FLOATS
from ir.opencl.write.helpers import (
    FUSED,
    HELPERS_FLOAT,
    HELPERS_INTEGER,
    LIMITED,
    OPAQUE,
    OPAQUE_VECTORS,
    TO_ULONG,
    TO_ULONG_VECTOR,
    VECTORS_FLOAT,
    VECTORS_INTEGER,
    VECTORS_SIGNED,
)
from ir.opencl.write.sizes import SpelledSizes

__all__ = ["C_NAMES", "Spelling", "by_lanes", "c_type", "is_opaque", "literal", "replace_word"]

UINT32 = ScalarType("uint32")

C_NAMES = {
    "bool": "bool", "int8": "char", "int16": "short", "int32": "int", "int64": "long", "uint8": "uchar",
    "uint16": "ushort",
    "uint32": "uint", "uint64": "ulong", "float32": "float", "float64": "double",
}  # fmt: skip

_MASKS = {1: "char", 2: "short", 4: "int", 8: "long"}
"""By bytes: the integers that vectors of truth values are made of."""


def c_type(t: Type, *, memory: bool = False, mask: int = 1) -> str:
    """The OpenCL name of a scalar or vector type.

    Truth values are bytes in memory, and integers of `mask` bytes in vectors: 0 and -1, as comparisons give them.
    """
    if isinstance(t, VectorType):
        return f"{_MASKS[mask] if t.element is BOOL else C_NAMES[t.element.name]}{t.width}"
    if isinstance(t, ScalarType):
        return "uchar" if memory and t is BOOL else C_NAMES[t.name]
    raise GenerationError(f"no OpenCL register holds a value of type {t}")


def literal(value: Any, t: ScalarType) -> str:
    """A constant of that type."""
    if t is BOOL:
        return "true" if value else "false"
    if t.is_float:
        if math.isnan(value):
            return "NAN" if t.name == "float32" else "(double)NAN"
        if math.isinf(value):
            text = "INFINITY" if t.name == "float32" else "(double)INFINITY"
            return text if value > 0 else f"(-{text})"
        text = str(np.dtype(t.name).type(value))
        if not any(c in text for c in ".en"):
            text += ".0"
        text += "f" if t.name == "float32" else ""
        return f"({text})" if text.startswith("-") else text
    number = int(value)
    suffix = {"int64": "L", "uint64": "UL", "uint32": "U"}.get(t.name, "")
    if t.name in ("int32", "int64") and number == np.iinfo(t.name).min:
        return f"({number + 1}{suffix} - 1)"
    return f"({number}{suffix})" if number < 0 else f"{number}{suffix}"


_INFIX = {
    "add": "+", "subtract": "-", "multiply": "*", "divide": "/", "equal": "==", "not_equal": "!=", "less": "<",
    "less_equal": "<=", "greater": ">", "greater_equal": ">=", "bitwise_and": "&", "bitwise_or": "|",
    "bitwise_xor": "^",
}  # fmt: skip

_SAME_NAME = {
    "sqrt", "cbrt", "exp", "expm1", "exp2", "log", "log1p", "log2", "log10", "sin", "cos", "tan", "asin", "acos",
    "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "floor", "ceil", "trunc", "hypot", "atan2", "copysign",
    "nextafter", "ldexp", "isnan", "isinf", "isfinite",
}  # fmt: skip
_RENAMED = {"round": "rint"}

# The signed type that a float is converted to before it is narrowed to the integer type, as NumPy does on x86.
_BY_WAY_OF = {"int8": "int", "int16": "int", "uint8": "int", "uint16": "int", "uint32": "long"}


def _is_builtin(op: str, t: ScalarType) -> bool:
    """Has OpenCL a function for the primitive that can be trusted on scalars and vectors of that element type?

    PoCL's `tanh` of float is never 1.
    """
    return op in _RENAMED or (op in _SAME_NAME and (op != "tanh" or t.name != "float32"))


def by_lanes(op: str, t: Type) -> bool:
    """Is the primitive spelled lane by lane on vectors of that type?"""
    if not isinstance(t, VectorType) or _is_builtin(op, t.element):
        return False
    if _vector_helper(op, t.element) is not None or op in FLOATS.get(t.element.name, ()):
        return False
    return op in (HELPERS_FLOAT if t.element.is_float else HELPERS_INTEGER)


def _vector_helper(op: str, t: ScalarType) -> str | None:
    """The function that computes a primitive on whole vectors of that element type, where there is one."""
    if t.is_float:
        return FUSED.get(op) or (VECTORS_FLOAT.get(op) if t.name == "float32" else None)
    return (VECTORS_SIGNED.get(op) if t.is_signed else None) or VECTORS_INTEGER.get(op)


class Spelling(SpelledSizes):
    """Writes expressions of one kernel; collects the helper functions and extensions that they need.

    Attributes:
        alignment: bytes of which the address of every buffer is a multiple
    """

    def __init__(self, index_type: str, alignment: int = 1) -> None:
        super().__init__(index_type)
        self.alignment = alignment
        self.doubles = False

    def prelude(self) -> list[str]:
        """What must stand before the kernel."""
        lines = ["#pragma OPENCL EXTENSION cl_khr_fp64 : enable"] if self.doubles else []
        return [*lines, "#pragma OPENCL FP_CONTRACT OFF", *self.helpers.values()]

    def unaligned(self, element: ScalarType, width: int) -> str:
        """The type of a vector that stands in memory wherever its scalars may stand.

        OpenCL's `vloadn` and `vstoren` do the same, but PoCL 3.0 puts the first together from pairs of lanes; LLVM
        then computes with pairs: a dot product took 1.2 times as long. Both are calls where PoCL's functions are made
        for a feature that the processor lacks: accumulators then are memory, and a product took six times as long.
        """
        scalar = c_type(element, memory=True)
        name = f"unaligned_{scalar}{width}"
        self.helpers[name] = f"typedef {scalar}{width} __attribute__((aligned(sizeof({scalar})))) {name};"
        return name

    def note_type(self, t: Type) -> None:
        """Remember which extensions a type asks for."""
        element = t.element if isinstance(t, VectorType) else t
        self.doubles = self.doubles or (isinstance(element, ScalarType) and element.name == "float64")

    # --- sizes as numbers ------------------------------------------------------------------------------------------

    def index(self, value: Size, t: Type) -> str:
        """A size as a number of an integer type."""
        if c_type(t) != self.index_type:
            return f"({c_type(t)}){self.size(value)}"
        return self.size(value)

    def indices(self, first: Size, step: Size, t: VectorType) -> str:
        """The vector `first, first + step, ...`."""
        wide = c_type(t.element) != self.index_type
        start = f"({c_type(t)})({self.index(first, t.element) if wide else self.bare_size(first)})"
        if step.value == 0:
            return start
        factor = 1 if step.value is None else step.value
        lanes = ", ".join(literal(factor * k, t.element) for k in range(t.width))
        steps = f"({c_type(t)})({lanes})"
        if step.value is None:
            steps = f"({c_type(t)})({self.index(step, t.element)}) * {steps}"
        return f"({start} + {steps})"

    def limited(self, text: str, last: str, integer: str) -> str:
        """An integer of a C type, kept inside of [0, last]."""
        self.helpers[f"limited_{integer}"] = LIMITED.replace("INTEGER", integer)
        return f"limited_{integer}({text}, {last})"

    # --- primitives ------------------------------------------------------------------------------------------------

    def call(self, op: str, operands: list[Text], types: list[Type], result: Type) -> Text:
        """One primitive applied to spelled operands of those types."""
        self.note_type(result)
        if is_one_test(op, types):  # C's choice between vectors has one test for all lanes, OpenCL's one for each
            test, one, other = (operand.text for operand in operands)
            return Text(f"({test} ? {one} : {other})")
        first = types[-1] if op == "select" else types[0]
        if isinstance(first, VectorType):
            if first.element is BOOL:
                return self._mask_call(op, operands, first.width)
            if op == "select":
                bytes_ = first.element.bytes
                test = self.as_mask(operands[0], VectorType(BOOL, first.width), bytes_)
                return Text(f"({test} ? {operands[1].text} : {operands[2].text})")
            texts = [operand.text for operand in operands]
            if operation(op).rule in ("compare", "test"):
                return Text(_tested(op, *texts), first.element.bytes)
            return Text(self._vector_call(op, texts, first, result))
        assert isinstance(first, ScalarType)
        return Text(self._scalar_call(op, [operand.text for operand in operands], first))

    def _scalar_call(self, op: str, operands: list[str], t: ScalarType) -> str:
        a, *rest = operands
        if op == "select":
            return f"({a} ? {rest[0]} : {rest[1]})"
        if op in OPAQUE and is_opaque(t):
            return f"{self._opaque(op, t)}({a})"
        if op in _WRAPPING and _computes_signed(op, t):
            unsigned = _unsigned(t if t.bytes >= 4 else UINT32)
            return f"({c_type(t)}){_wrapping(op, [f'({unsigned}){operand}' for operand in operands])}"
        if op in _INFIX:
            joined = f"({a} {_INFIX[op]} {rest[0]})"
            return self._narrow(joined, t) if operation(op).rule in ("same", "bits") else joined
        if op == "negative":
            return self._narrow(f"(-{a})", t)
        if op == "bitwise_invert":
            return f"(!{a})" if t is BOOL else self._narrow(f"(~{a})", t)
        if op == "bits":
            return f"as_{'ulong' if t.bytes == 8 else 'uint'}({a})"
        if op == "abs":
            return f"fabs({a})" if t.is_float else self._helper(op, operands, t) if t.is_signed else a
        if op in ("minimum", "maximum"):
            test = f"{a} {'<' if op == 'minimum' else '>'} {rest[0]}"
            return f"({test} || {a} != {a} ? {a} : {rest[0]})" if t.is_float else f"({test} ? {a} : {rest[0]})"
        if op in FLOATS.get(t.name, ()):
            return f"{self._of_floats(op, t)}({', '.join(operands)})"
        if _is_builtin(op, t):
            return f"{_RENAMED.get(op, op)}({', '.join(operands)})"
        return self._helper(op, operands, t)

    def _of_floats(self, op: str, t: ScalarType | VectorType) -> str:
        """The name of a function of numbers or vectors that is arithmetic (`ir.opencl.write.floats`)."""
        element, width = (t.element, t.width) if isinstance(t, VectorType) else (t, 1)
        lanes = str(width) if width > 1 else ""
        name = f"{op}_{c_type(t)}"
        if name not in self.helpers:
            text = FLOATS[element.name][op]
            for other in [o for o in ("trunc", "floor", "fmod") if f"{o}_T(" in text and o != op]:
                self._of_floats(other, t)
            if "FUSED(" in text:
                self.helpers.setdefault(f"fma_{c_type(t)}", _typed(FUSED["fma"], t))
            text = text.replace("FUSED(", "fma_T(")
            elements = ", ".join(f"fmod(a.s{lane:x}, b.s{lane:x})" for lane in range(width))
            text = text.replace("BY_ELEMENT(fmod)", f"(T)({elements})" if lanes else "fmod(a, b)")
            text = text.replace("EVERY", "all" if lanes else "")
            text = replace_word(text, "LIMIT", "0x1p22f" if element.bytes == 4 else "0x1p51")
            for word, own in (("UD", f"ulong{lanes}"), ("D", f"double{lanes}"), ("UI", f"uint{lanes}")):
                text = text.replace(f"as_{word}(", f"as_{own}(").replace(f"convert_{word}(", f"convert_{own}(")
                text = replace_word(text, word, own)
            self.helpers[name] = _typed(text.replace("convert_T", f"convert_{c_type(t)}").replace(f"{op}_T", name), t)
        return name

    @staticmethod
    def _narrow(text: str, t: ScalarType) -> str:
        """C computes in int: small integers wrap only once they are converted back."""
        return f"({c_type(t)}){text}" if t.bytes < 4 and t is not BOOL else text

    def _helper(self, op: str, operands: list[str], t: ScalarType) -> str:
        table = HELPERS_FLOAT if t.is_float else HELPERS_INTEGER
        if op not in table:
            raise GenerationError(f"the primitive {op} has no OpenCL spelling for {t}")
        name = f"{op}_{c_type(t)}"
        if name not in self.helpers:
            text = table[op].replace("NEGATIVE_ONE(a)", "(a == -1)" if t.is_signed else "false")
            text = text.replace("NEGATIVE_ONE(b)", "(b == -1)" if t.is_signed else "false")
            text = text.replace("_T(", f"_{c_type(t)}(")
            if t.is_integer:
                text = replace_word(text, "UT", _unsigned(t))
                text = replace_word(text, "WIDE", _unsigned(t if t.bytes >= 4 else UINT32))
                text = replace_word(text, "BITS", str(8 * t.bytes))
            self.helpers[name] = replace_word(text, "T", c_type(t))
        return f"{name}({', '.join(operands)})"

    def _opaque(self, op: str, t: ScalarType | VectorType) -> str:
        """The name of a function, or macro, by which an operation is not seen by compilers that mistake it."""
        name = f"{op}_{c_type(t)}"
        if name not in self.helpers:
            if op == "negative":
                self._opaque("bitwise_invert", t)  # which it is made of
            element = t.element if isinstance(t, VectorType) else t
            text = (OPAQUE if element is t else OPAQUE_VECTORS)[op]
            if isinstance(t, VectorType):
                own = self._opaque("bitwise_invert", element)
                text = text.replace("LANES", ", ".join(f"{own}(a.s{lane:x})" for lane in range(t.width)))
                text = text.replace("as_UT", f"as_{_unsigned(element)}{t.width}")
                text = replace_word(text, "UT", f"{_unsigned(element)}{t.width}")
            text = replace_word(text, "WIDE", _unsigned(element if element.bytes >= 4 else UINT32))
            text = text.replace("as_T", f"as_{c_type(t)}").replace("_T(", f"_{c_type(t)}(")
            self.helpers[name] = replace_word(text, "T", c_type(t))
        return name

    def _on_vectors(self, helper: str, op: str, operands: list[str], t: VectorType) -> str:
        name = f"{op}_{c_type(t)}"
        if t.element.is_integer:
            sign = f"a >> (T)({8 * t.element.bytes - 1})" if t.element.is_signed else "(T)(0)"
            helper = helper.replace("SIGN", sign).replace("BITS", str(8 * t.element.bytes))
            helper = helper.replace("as_UT", f"as_{_unsigned(t.element)}{t.width}")
            helper = replace_word(helper, "UT", f"{_unsigned(t.element)}{t.width}")
        self.helpers[name] = _typed(helper.replace("as_T", f"as_{c_type(t)}"), t)
        return f"{name}({', '.join(operands)})"

    def as_mask(self, value: Text, t: VectorType, bytes_: int = 1) -> str:
        """A vector of truth values as integers of that many bytes."""
        return value.text if value.mask == bytes_ else f"convert_{c_type(t, mask=bytes_)}({value.text})"

    def _mask_call(self, op: str, operands: list[Text], width: int) -> Text:
        """A primitive of truth values, as wide as the widest of its operands; a condition is no operand."""
        joined = operands[1:] if op == "select" else operands
        t, mask = VectorType(BOOL, width), max(operand.mask for operand in joined)
        a, *rest = [self.as_mask(operand, t, mask) for operand in operands]
        if op == "select":
            return Text(f"({a} ? {rest[0]} : {rest[1]})", mask)
        if op == "bitwise_invert":
            return Text(f"(~{a})", mask)
        if operation(op).rule == "compare" and op not in ("equal", "not_equal"):
            a, rest = rest[0], [a]  # true is -1 in a mask: less than false
        return Text(f"({a} {_INFIX[op]} {rest[0]})", mask)

    def _vector_call(self, op: str, operands: list[str], t: VectorType, result: Type) -> str:
        a, *rest = operands
        element = t.element
        if op in OPAQUE_VECTORS and is_opaque(element):
            return f"{self._opaque(op, t)}({a})"
        if op in _WRAPPING and element.is_signed:
            unsigned = f"{_unsigned(element)}{t.width}"
            return f"as_{c_type(t)}{_wrapping(op, [f'as_{unsigned}({operand})' for operand in operands])}"
        if op in _INFIX:
            return f"({a} {_INFIX[op]} {rest[0]})"
        if op in ("negative", "bitwise_invert"):
            return f"({'-' if op == 'negative' else '~'}{a})"
        if op == "bits":
            return f"as_{c_type(result)}({a})"
        if op == "abs" and not element.is_signed:
            return f"fabs({a})" if element.is_float else a
        if op in FLOATS.get(element.name, ()):
            return f"{self._of_floats(op, t)}({', '.join(operands)})"
        helper = _vector_helper(op, element)
        if helper is not None:
            return self._on_vectors(helper, op, operands, t)
        if op in ("minimum", "maximum"):
            test = f"({a} {'<' if op == 'minimum' else '>'} {rest[0]})"
            return f"({f'{test} | ({a} != {a})' if element.is_float else test} ? {a} : {rest[0]})"
        if _is_builtin(op, element):
            return f"{_RENAMED.get(op, op)}({', '.join(operands)})"
        lanes = [self._helper(op, [f"{operand}.s{lane:x}" for operand in operands], element) for lane in range(t.width)]
        return f"({c_type(result)})({', '.join(lanes)})"

    def cast(self, value: Text, source: Type, target: Type) -> Text:
        """A conversion between scalar or between vector types.

        Integers that do not fit wrap. A float is truncated; where the whole number does not fit, 8 and 16 bits wrap as
        long as it fits an int32, 32 unsigned ones as long as it fits an int64, 64 unsigned ones where it is a negative
        int64. Any other (NaN, the infinities) gives a value that depends on the device.
        """
        self.note_type(target)
        if isinstance(source, VectorType) and isinstance(target, VectorType):
            if target.element is BOOL:
                bytes_ = value.mask if source.element is BOOL else source.element.bytes
                return Text(f"({value.text} != ({c_type(source, mask=value.mask)})(0))", bytes_)
            return Text(self._vector_cast(value, source, target))
        assert isinstance(source, ScalarType)
        assert isinstance(target, ScalarType)
        text = value.text
        if target is BOOL:
            return Text(f"({text} != 0)")
        if source.is_float and target.name == "uint64":
            return Text(self._to_ulong(text, source, TO_ULONG))
        if source.is_float and target.name in _BY_WAY_OF:
            text = f"({_BY_WAY_OF[target.name]}){text}"
        return Text(f"(({c_type(target)}){text})")

    def _vector_cast(self, value: Text, source: VectorType, target: VectorType) -> str:
        text = value.text
        if source.element is BOOL:
            text = f"({text} & ({_MASKS[value.mask]})1)"
        if source.element.is_float and target.element.name == "uint64":
            return self._to_ulong(text, source, TO_ULONG_VECTOR.replace("WIDTH", str(source.width)))
        if source.element.is_float and target.element.name in _BY_WAY_OF:
            text = f"convert_{_BY_WAY_OF[target.element.name]}{target.width}({text})"
        return f"convert_{c_type(target)}({text})"

    def _to_ulong(self, text: str, source: Type, helper: str) -> str:
        name = f"ulong_of_{c_type(source)}"
        self.helpers[name] = _typed(helper, source)
        return f"{name}({text})"


_WRAPPING = ("add", "subtract", "multiply", "negative")


def is_opaque(t: ScalarType) -> bool:
    """Are negations and complements of that type hidden from compilers that mistake them?"""
    return t.is_signed and t.is_integer and t.bytes in (2, 4)


def _computes_signed(op: str, t: ScalarType) -> bool:
    """Can the operation overflow a signed type in C, where integers below 32 bits are computed as `int`?"""
    return (t.is_signed and t.bytes >= 4) or (t.name == "uint16" and op == "multiply")


def _tested(op: str, a: str, *rest: str) -> str:
    """A comparison or test of vectors, by operators: compilers do not always put the functions of tests in place."""
    if op == "isnan":
        return f"({a} != {a})"
    if op == "isinf":
        return f"(fabs({a}) == INFINITY)"
    if op == "isfinite":
        return f"(fabs({a}) < INFINITY)"
    return f"({a} {_INFIX[op]} {rest[0]})"


def _wrapping(op: str, operands: list[str]) -> str:
    return f"(-{operands[0]})" if op == "negative" else f"({operands[0]} {_INFIX[op]} {operands[1]})"


def _unsigned(t: ScalarType) -> str:
    name = c_type(t)
    return name if name.startswith("u") else f"u{name}"


def _typed(text: str, t: Type) -> str:
    """A function's text with the type for T, in names too."""
    return replace_word(text.replace("_T(", f"_{c_type(t)}("), "T", c_type(t))


def replace_word(text: str, word: str, by: str) -> str:
    """A text with a word, where it stands by itself, replaced."""
    out, token = [], ""
    for c in text + "\0":
        if c.isalnum() or c == "_":
            token += c
        else:
            out.append(by if token == word else token)
            out.append(c)
            token = ""
    return "".join(out)[:-1]
