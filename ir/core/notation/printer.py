"""The printer: expressions in the notation of ICFP 2015 (figures 3, 10 and 13), which `ir.core.notation.parser` reads
back.

`f ∘ g` composes, functions of one argument are written point-free where their body is a pipeline on the argument, `(+)`
is the primitive as a function, `λ(a, b). …` with one argument that is a pair takes the pair apart. A node that is used
more than once is named: `let t1 = … in …`. Constants and names: see `ir.core.notation.words`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ir.core.expr import Bound, Expr, Lambda, Param, pattern_name
from ir.core.notation.layout import ALIGN, BREAK, CLOSE, OPEN, flatten, lay_out
from ir.core.notation.sharing import Sharing, analyse, main_operand, visible_nodes
from ir.core.notation.words import (
    APPLICATION,
    ATOM,
    COMPOSITION,
    PRECEDENCES,
    WHOLE,
    is_reserved,
    literal_text,
    operand_hint,
    part_hint,
    quote,
    size_text,
)
from ir.core.patterns import (
    Call,
    Cast,
    Concat,
    FromSize,
    Generate,
    Get,
    Iterate,
    Literal,
    Map,
    Memory,
    Repeat,
    Scatter,
    Splat,
    Tuple,
    Vect,
    Zip,
)
from ir.core.scalars import operation
from ir.core.sizes import Size, var
from ir.core.types import ArrayType, TupleType, Type

__all__ = ["brief", "show", "show_indented"]

Piece = tuple[str, int]  # text, and how tightly it binds


def show(e: Expr, limit: int | None = None) -> str:
    """An expression on one line, in linear time and size; below the first `limit` nodes (None: no limit) only `…`."""
    return flatten(_printed(e, limit))


def show_indented(e: Expr, width: int = 100) -> str:
    """An expression on several lines, broken at `∘` and between arguments where a line would exceed the width."""
    return lay_out(_printed(e, None), width)


def brief(e: Expr) -> str:
    """A short text for messages: what is too large is elided (`…`)."""
    text = show(e, 200)
    return text if len(text) <= 1000 else text[:999] + "…"


def _printed(e: Expr, limit: int | None) -> str:
    visible = None if limit is None else visible_nodes(e, limit)
    sharing = analyse(e, visible)
    return _Printer(sharing, visible).program(e)


_ACCUMULATOR = ("acc",)
_SCALARS = ("x", "y", "z", "u", "v", "w")
_TUPLES = ("p", "q", "r", "s")
_ARRAYS = ("xs", "ys", "zs", "us", "vs", "ws")


class _Printer:
    def __init__(self, sharing: Sharing, visible: set[Expr] | None) -> None:
        self.sharing = sharing
        self.visible = visible
        self.names: dict[Expr, str] = {}
        self.taken = {node.identifier for node in sharing.nodes if isinstance(node, Param)}
        self.lets = 0

    def program(self, e: Expr) -> str:
        return self.block(e, None)

    # --- blocks and names -------------------------------------------------------------------------------------------

    def block(self, body: Expr, f: Lambda | None) -> str:
        """The body of a function, after the nodes that are named at its beginning."""
        parts = []
        named = self.sharing.named.get(f, ())
        for node in named:
            self.names.pop(node, None)  # a function that is used twice is printed twice
        for node in named:
            text = self.wrap(self.value(node), COMPOSITION)
            self.lets += 1
            while f"t{self.lets}" in self.taken:
                self.lets += 1
            self.names[node] = f"t{self.lets}"
            parts.append(f"{OPEN}let t{self.lets} ={BREAK}{text}{CLOSE} in{BREAK}")
        text = self.value(body)[0]
        return f"{ALIGN}{''.join(parts)}{text}{CLOSE}" if parts else text

    def new_name(self, candidates: Sequence[str]) -> str:
        tried = 0
        while True:
            name = candidates[tried] if tried < len(candidates) else f"{candidates[0]}{tried - len(candidates) + 1}"
            if name not in self.taken and not is_reserved(name):
                self.taken.add(name)
                return name
            tried += 1

    @staticmethod
    def wrap(piece: Piece, level: int) -> str:
        text, binds = piece
        return text if binds >= level else f"({text})"

    # --- functions --------------------------------------------------------------------------------------------------

    def function(self, f: Expr, first: Sequence[str] = ()) -> Piece:
        """A function; `first` are names to try for its first parameter."""
        if self.visible is not None and f not in self.visible:
            return "…", ATOM
        if isinstance(f, Vect):
            return f"vect {f.width} {self.wrap(self.function(f.f), ATOM)}", APPLICATION
        if not isinstance(f, Lambda):
            return self.value(f)
        params, body = f.open()
        if f not in self.sharing.named:
            found = self.point_free(params, body)
            if found is not None:
                return found
        taken = set(self.taken)
        head = self.parameters(params, first)
        text = f"λ{head}. {self.block(body, f)}"
        self.taken = taken
        return text, WHOLE

    def parameters(self, params: tuple[Param, ...], first: Sequence[str]) -> str:
        names = []
        if len(params) == 1 and isinstance(params[0].type, TupleType) and params[0] not in self.sharing.bare:
            for i, t in enumerate(params[0].type.elements):
                part = self.names[Get(i, params[0])] = self.new_name(_candidates(t))
                names.append(part)
        else:
            for i, p in enumerate(params):
                candidates = first if first and i == 0 else _candidates(p.type)
                self.names[p] = self.new_name(candidates)
                names.append(self.names[p])
        return names[0] if len(names) == 1 else f"({', '.join(names)})"

    def point_free(self, params: tuple[Param, ...], body: Expr) -> Piece | None:
        """The function without its parameters, where it is a primitive or a pipeline on its only parameter."""
        operands: tuple[Expr, ...] = params
        if len(params) == 1 and isinstance(params[0].type, TupleType):
            operands = tuple(Get(i, params[0]) for i in range(len(params[0].type.elements)))
        if isinstance(body, Call) and body.operands == operands and self.is_visible(body):
            return _primitive(body.op)
        p = params[0]
        if len(params) > 1 or not self.is_pipeline(body, p):
            return None
        stages: list[Piece] = []
        node = body
        while node is not p:
            if isinstance(node, Cast):
                stages.append((str(node.dtype), ATOM))
                node = node.operand
            elif isinstance(node, Call):
                stages.append(_primitive(node.op))
                node = node.operands[0]
            else:
                stage, node = self.stage(node)
                stages.append(stage)
        return self.composition(stages) if stages else None

    def is_pipeline(self, node: Expr, p: Param) -> bool:
        """Is the node p, or patterns one after the other applied to it, that do not mention p otherwise?"""
        while node is not p:
            one = isinstance(node, Cast) or (isinstance(node, Call) and len(node.operands) == 1)
            if node in self.names or not self.is_visible(node) or not (one or main_operand(node) is not None):
                return False
            if any(p in self.sharing.free[e] for e in node.operands[:-1]):
                return False
            node = node.operands[-1]
        return True

    def composition(self, stages: list[Piece]) -> Piece:
        if len(stages) == 1:
            return stages[0]
        texts = [self.wrap(stage, COMPOSITION + 1) for stage in stages]
        return OPEN + f"{BREAK}∘ ".join(texts) + CLOSE, COMPOSITION

    def stage(self, node: Expr) -> tuple[Piece, Expr]:
        """A pattern as a function of its array, and the array."""
        if isinstance(node, Memory):
            inner = node.xs
            if main_operand(inner) is None or isinstance(inner, Memory) or inner in self.names:
                return (node.name, ATOM), inner
            if not self.is_visible(inner):
                return (node.name, ATOM), inner
            piece, array = self.stage(inner)
            return (f"{node.name} {self.wrap(piece, ATOM)}", APPLICATION), array
        words = list(self.stage_words(node))
        array = node.operands[-1]
        if len(words) == 1:
            return (words[0], ATOM), array
        return (words[0] + "".join(f" {word}" for word in words[1:]), APPLICATION), array

    def stage_words(self, node: Expr) -> Iterator[str]:
        if isinstance(node, Map):
            yield str(node.how)
            yield self.wrap(self.function(node.f), ATOM)
        elif isinstance(node, Scatter):
            yield str(node.how)
            yield self.wrap(self.function(node.f, _ACCUMULATOR), ATOM)
            yield self.wrap(self.function(node.key), ATOM)
            yield self.wrap(self.value(node.xs), ATOM)
        elif node.traits.folds and "init" in node.operand_names:
            fold: Any = node
            yield fold.name
            yield self.wrap(self.function(fold.f, _ACCUMULATOR), ATOM)
            yield self.argument(fold.init, node)
        elif isinstance(node, Iterate):
            yield from ("iterate", size_text(node.count))
            yield f"({self.size_function(node)})"
        elif isinstance(node, Splat):
            yield from ("splat", str(node.width))
        else:
            yield pattern_name(type(node))
            for name in type(node).__match_args__[:-1]:  # type: ignore[attr-defined]  # every such pattern has them
                yield self.argument(getattr(node, name), node)

    def argument(self, argument: object, node: Expr) -> str:
        if isinstance(argument, Size):
            return size_text(argument)
        if isinstance(argument, Lambda | Vect):
            return self.wrap(self.function(argument), ATOM)
        if isinstance(argument, Expr):
            t = node.operands[-1].type
            return self.wrap(self.value(argument, t.element if isinstance(t, ArrayType) else None), ATOM)
        return str(argument) if isinstance(argument, int) and argument >= 0 else f"({argument})"

    def size_function(self, node: Iterate) -> str:
        m = node.size_variable
        t = node.f.types[0]
        length = str(t.length) if isinstance(t, ArrayType) else str(t)
        limits = ""
        if m is not var(m.name):
            ends = ["" if end is None else str(end) for end in (m.lo, m.hi)]
            limits = f" : {ends[0]}..{ends[1]}"
        return f"λ[{length} → {m}{limits}]. {self.wrap(self.function(node.f), WHOLE)}"

    # --- values -----------------------------------------------------------------------------------------------------

    def is_visible(self, node: Expr) -> bool:
        return self.visible is None or node in self.visible

    def value(self, node: Expr, expected: Type | None = None) -> Piece:
        """A value; `expected` is the type that a constant in its place would be assumed to have."""
        if node in self.names:
            return self.names[node], ATOM
        if not self.is_visible(node):
            return "…", ATOM
        match node:
            case Param():
                return quote(node.identifier), ATOM
            case Literal():
                text = literal_text(node, expected)
                return text, APPLICATION if text.startswith("-") else ATOM
            case Bound():
                return f"#{node.binder_level}.{node.position}", ATOM
            case FromSize():
                return f"fromSize {node.dtype} {size_text(node.value)}", APPLICATION
            case Generate(count, f):
                return f"generate {node.index} {size_text(count)} {self.wrap(self.function(f), ATOM)}", APPLICATION
            case Call():
                return self.call(node)
            case Get():
                return f"{self.wrap(self.value(node.operand), ATOM)}.{node.index}", ATOM
            case Tuple():
                return self.listed([(e, part_hint(expected, i)) for i, e in enumerate(node.operands)]), ATOM
            case Cast():
                return str(node.dtype) + self.listed([(node.operand, None)]), APPLICATION
            case Zip() | Concat():
                return pattern_name(type(node)) + self.listed([(e, None) for e in node.operands]), APPLICATION
            case Lambda() | Vect():
                return self.function(node)
        return self.pipeline(node, expected)

    def listed(self, operands: Sequence[tuple[Expr, Type | None]]) -> str:
        texts = [self.wrap(self.value(e, expected), WHOLE) for e, expected in operands]
        return f"({OPEN}" + f",{BREAK}".join(texts) + f"{CLOSE})"

    def call(self, node: Call) -> Piece:
        hint = operand_hint(node.op, node.operands)
        hints = [None if node.op == "select" and i == 0 else hint for i in range(len(node.operands))]
        symbol = node.operation.symbol
        if not symbol:
            return node.op + self.listed(list(zip(node.operands, hints, strict=True))), APPLICATION
        level = PRECEDENCES[symbol]
        left, right = (self.value(e, hint) for e in node.operands)
        # Left-associative but for comparisons and powers, which get parentheses on both sides.
        first = level + 1 if level in (PRECEDENCES["=="], PRECEDENCES["**"]) else level
        text = f"{OPEN}{self.wrap(left, first)}{BREAK}{symbol} {self.wrap(right, level + 1)}{CLOSE}"
        return text, level

    def pipeline(self, node: Expr, expected: Type | None) -> Piece:
        hint = part_hint(expected, 0) if isinstance(node, Splat | Repeat) else None
        stages: list[Piece] = []
        while not stages or (main_operand(node) is not None and node not in self.names and self.is_visible(node)):
            stage, node = self.stage(node)
            stages.append(stage)
        text, binds = self.composition(stages)
        function = text if binds >= APPLICATION else f"({text})"
        base = self.value(node, hint if len(stages) == 1 else None)
        return f"{OPEN}{function}{BREAK}{self.wrap(base, ATOM)}{CLOSE}", APPLICATION


def _primitive(op: str) -> Piece:
    symbol = operation(op).symbol
    return (f"({symbol})" if symbol else op), ATOM


def _candidates(t: Type) -> Sequence[str]:
    if isinstance(t, ArrayType):
        return _ARRAYS
    return _TUPLES if isinstance(t, TupleType) else _SCALARS
