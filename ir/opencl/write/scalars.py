"""Writes scalar and vector values: primitives, accumulators and the temporaries that keep sharing."""

from __future__ import annotations

from typing import Any

from ir.core.expr import Expr, Lambda, Param, postorder
from ir.core.patterns import Call, Cast, FromSize, Get, Literal, Splat, Tuple
from ir.core.sizes import Size
from ir.core.types import BOOL, ScalarType, TupleType, Type, VectorType
from ir.errors import GenerationError
from ir.opencl.read.views import Index, Text, TupleView, Value
from ir.opencl.tree import Statement
from ir.opencl.write.memory import MemoryWriter
from ir.opencl.write.spelling import Spelling, by_lanes, c_type, is_opaque, literal

__all__ = ["ScalarWriter"]


_DEEP = 32
"""Levels of scalar operations that are written as one C expression at most."""


class ScalarWriter(MemoryWriter):
    """The part of the kernel writer that deals with single values."""

    def __init__(self, spelling: Spelling) -> None:
        super().__init__(spelling)
        self._uses: dict[Expr, int] = {}
        self._counted: set[Expr] = set()
        self._depths: dict[Expr, int] = {}
        self._symbolic: dict[tuple[Size, Size], tuple[Size, Size]] = {}  # divisions of indices of a symbolic lane
        self.divisions: dict[tuple[Size, Size], tuple[Size, Size]] = {}  # (quotient, remainder): (index, divisor)

    def count_uses(self, root: Expr) -> None:
        """Count how often each node below `root` is used, lambda bodies (opened) included."""
        stack = [root]
        while stack:
            node = stack.pop()
            if node in self._counted:
                continue
            self._counted.add(node)
            operands = (node.open()[1],) if isinstance(node, Lambda) else node.operands
            for operand in operands:
                self._uses[operand] = self._uses.get(operand, 0) + 1
                stack.append(operand)

    def read(self, e: Expr) -> Value:
        """The value of any expression."""
        raise AssertionError  # the kernel writer's part

    def scalar(self, e: Expr) -> Value:
        """The value of a scalar, vector or tuple expression."""
        match e:
            case Literal():
                self.spelling.note_type(e.dtype)
                return Text(literal(e.value, e.dtype))
            case FromSize():
                return self.spelling.cast(Text(self.spelling.size(e.value)), ScalarType("int32"), e.dtype)
            case Tuple():
                return TupleView(tuple(self.read(operand) for operand in e.operands))
            case Splat():
                return self._splat(self.read(e.operand), e.type)
            case Cast():
                self._shallow(e)
                return self._keep(e, self.spelling.cast(self.operand(e.operand), e.operand.type, e.type))
            case Call():
                self._shallow(e)
                negated = _negated(e)
                if negated is not None:
                    return self._keep(e, self.spelling.call("negative", [self.operand(negated)], [e.type], e.type))
                operands = [self.operand(operand) for operand in e.operands]
                types = [operand.type for operand in e.operands]
                if by_lanes(e.op, types[-1] if e.op == "select" else types[0]):
                    operands = [Text(self.named(o.text, t)) for o, t in zip(operands, types, strict=True)]
                return self._keep(e, self.spelling.call(e.op, operands, types, e.type))
        raise GenerationError(f"{e.name} has no value that a kernel can compute")

    def named(self, text: str, t: Type) -> str:
        """A variable for a value that is about to be written once for each lane."""
        return text if text.isidentifier() else self._variable(t, text, "v").text

    def _shallow(self, e: Expr) -> None:
        """Compute the inside of a deep expression first, in pieces: writing it then recurses to a bounded depth."""

        def known(node: Expr) -> bool:
            return node in self._depths or not isinstance(node, (Call, Cast))

        for node in postorder(e, prune=known):
            self._depths[node] = 1 + max((self._depths.get(operand, 0) for operand in node.operands), default=0)
        if self._depths[e] <= _DEEP:
            return
        for node in postorder(e, prune=lambda n: not isinstance(n, (Call, Cast)) or self.scope.find(n) is not None):
            if node is not e and self._depths[node] % _DEEP == 0:
                value = self.scalar(node)
                if isinstance(value, Text) and self.scope.find(node) is None:
                    self.scope.remember(node, self._variable(node.type, value.text, "t", mask=value.mask))

    def _splat(self, value: Value, t: Type) -> Value:
        if isinstance(t, TupleType):
            assert isinstance(value, TupleView)
            return TupleView(tuple(self._splat(part, p) for part, p in zip(value.parts, t.elements, strict=True)))
        assert isinstance(t, VectorType)
        text = self.loaded(value, t.element)
        if t.element is BOOL:
            text = f"({text} ? -1 : 0)"
        return Text(f"({c_type(t)})({text})")

    def _keep(self, e: Expr, value: Text) -> Value:
        """Put a value that is used more than once, or has grown long, into a variable of its own."""
        if self._uses.get(e, 0) > 1 or len(value.text) > 100:
            return self.scope.remember(e, self._variable(e.type, value.text, "t", mask=value.mask))
        return value

    def operand(self, e: Expr) -> Text:
        """The C expression of what is computed with: truth values in vectors may stay as wide as they are."""
        value = self.read(e)
        return value if isinstance(value, Text) else Text(self._text(e, value))

    def text(self, e: Expr) -> str:
        """The C expression of a scalar or vector; a value in memory that is used more than once is read once."""
        return self._text(e, self.read(e))

    def _text(self, e: Expr, value: Value) -> str:
        text = self.loaded(value, e.type)
        if isinstance(value, Index) and text.isidentifier():
            return text
        if not isinstance(value, Text) and self._uses.get(e, 0) > 1 and _is_variable(e):
            kept = self._variable(e.type, text, "e")
            self.scope.remember(e, kept)
            return kept.text
        return text

    # --- accumulators ----------------------------------------------------------------------------------------------

    def variables_of(self, t: Type, stem: str, initial: Value) -> Value:
        """Fresh variables that hold a value of that type, set to `initial`."""
        if isinstance(t, TupleType):
            assert isinstance(initial, TupleView)
            parts = zip(t.elements, initial.parts, strict=True)
            return TupleView(tuple(self.variables_of(p, stem, part) for p, part in parts))
        return self._variable(t, self.loaded(initial, t), stem, constant=False)

    def assign(self, accumulator: Value, value: Value, body: Expr) -> None:
        """Emit the assignment of new values to an accumulator, all at once where one depends on another's old value."""
        names, texts = _flatten(accumulator), [self.loaded(v, t) for v, t in _typed(value, body.type)]
        types = [t for _, t in _typed(value, body.type)]
        crossing = len(names) > 1 and any(
            name != own and _mentions(text, name) for own, text in zip(names, texts, strict=True) for name in names
        )
        if crossing:
            texts = [self._variable(t, text, "next").text for t, text in zip(types, texts, strict=True)]
        for name, text in zip(names, texts, strict=True):
            self._emit(Statement(f"{name} = {text}"))


def _is_variable(e: Expr) -> bool:
    while isinstance(e, Get):
        e = e.operand
    return isinstance(e, Param)


def _flatten(value: Value) -> list[str]:
    if isinstance(value, TupleView):
        return [name for part in value.parts for name in _flatten(part)]
    assert isinstance(value, Text)
    return [value.text]


def _typed(value: Value, t: Type) -> list[tuple[Value, Type]]:
    if isinstance(t, TupleType):
        assert isinstance(value, TupleView)
        return [pair for part, p in zip(value.parts, t.elements, strict=True) for pair in _typed(part, p)]
    return [(value, t)]


def _mentions(text: str, name: str) -> bool:
    start = text.find(name)
    while start >= 0:
        before, after = text[start - 1 : start], text[start + len(name) : start + len(name) + 1]
        if not (before.isalnum() or before == "_" or after.isalnum() or after == "_"):
            return True
        start = text.find(name, start + 1)
    return False


def _negated(e: Call) -> Expr | None:
    """What a difference from zero, or a product with -1, negates; None of any other operation.

    Of integers whose negations compilers mistake (`ir.opencl.write.helpers.OPAQUE`), so that these are spelled alike.
    """
    element = e.type.element if isinstance(e.type, VectorType) else e.type
    if e.op not in ("subtract", "multiply") or not isinstance(element, ScalarType) or not is_opaque(element):
        return None
    first, second = e.operands
    if e.op == "subtract":
        return second if _number(first) == 0 else None
    return second if _number(first) == -1 else first if _number(second) == -1 else None


def _number(e: Expr) -> Any:
    e = e.operand if isinstance(e, Splat) else e
    return e.value if isinstance(e, Literal) else None
