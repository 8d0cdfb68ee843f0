"""The parser: text in the papers' notation becomes a typed expression; the inverse of `ir.core.notation.printer.show`.

The text is first parsed to an untyped tree (`ir.core.notation.syntax`), which is then elaborated from operands to
users: in `(f ∘ g) xs` first xs, then g, then f, so that the type of a function's argument is known when the function
is reached and no annotation is needed (figure 8 of ICFP 2015, read from right to left).
"""

from __future__ import annotations

import re
from collections import ChainMap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from string import ascii_letters
from typing import Any, TypeAlias, TypeVar

from ir.core.dimensions import inner_join, inner_split, outer_join, outer_split
from ir.core.expr import Expr, Lambda, Param, close, fresh
from ir.core.notation.syntax import (
    Apply,
    Compose,
    Function,
    Infix,
    Let,
    Listed,
    Name,
    Negated,
    Number,
    Projection,
    Section,
    SizeFunction,
    Tree,
    error_at,
    parse_tree,
)
from ir.core.notation.words import DIMENSIONS, DTYPES, literal, operand_hint, part_hint, pattern_of
from ir.core.patterns import (
    Call,
    Cast,
    Concat,
    FromSize,
    Generate,
    Get,
    Iterate,
    Kind,
    Map,
    MapReduce,
    Memory,
    Reduce,
    Scan,
    Scatter,
    Splat,
    Tuple,
    Vect,
    Zip,
    narrow,
)
from ir.core.scalars import OPERATIONS, operation
from ir.core.signature import LANES
from ir.core.size_variables import sizes_in
from ir.core.sizes import Size, SizeError, parse_size, size, var
from ir.core.types import ArrayType, ScalarType, TupleType, Type
from ir.errors import ParseError, TypeMismatch

__all__ = ["parse"]

R = TypeVar("R")
_SYMBOLS = {op.symbol: op.name for op in OPERATIONS.values() if op.symbol}
_SPACES = {"toGlobal": "global", "toLastGroup": "lastGroup", "toLocal": "local", "toPrivate": "private"}
_LARGEST_FACTOR = 64


def parse(text: str, inputs: Mapping[str, Type], sizes: Mapping[str, Size] | None = None) -> Expr:
    """The expression that a text denotes.

    Args:
        text: in the papers' notation
        inputs: the type of each free parameter, by its name
        sizes: the variables that sizes may mention, besides those in the types of the inputs

    Raises:
        ParseError: it denotes none; shows the text, the position and what was expected there.
    """
    variables: dict[str, Any] = {name: Param(name, t) for name, t in inputs.items()}
    known = {v.name: v for p in variables.values() for v in sizes_in(p)}
    elaborator = _Elaborator(text, {**known, **(sizes or {})})
    try:
        tree = parse_tree(text)
        return elaborator.value(tree, ChainMap(variables))
    except RecursionError:
        raise ParseError("the text is nested too deeply; name parts of it with `let`") from None


@dataclass(frozen=True)
class _Closure:
    """A function named by a `let`: elaborated wherever it is applied."""

    tree: Tree
    names: Names


Names: TypeAlias = "ChainMap[str, Expr | _Closure]"


class _Elaborator:
    def __init__(self, text: str, sizes: dict[str, Size]) -> None:
        self.text = text
        self.sizes = sizes

    def fail(self, tree: Tree, message: str) -> ParseError:
        return error_at(self.text, tree.start, message)

    def expected(self, tree: Tree, what: str) -> ParseError:
        got = self.text[tree.start : tree.end]
        return self.fail(tree, f"expected {what}, got {got if len(got) <= 40 else got[:39] + '…'!r}")

    def typed(self, tree: Tree, build: Callable[[], R]) -> R:
        """What `build` makes; a type error in it is reported at the tree."""
        try:
            return build()
        except (TypeMismatch, SizeError) as error:
            raise self.fail(tree, str(error)) from error

    # --- values -----------------------------------------------------------------------------------------------------

    def value(self, tree: Tree, names: Names, expected: Type | None = None) -> Expr:
        """The expression of a tree that stands for a value; a number takes the `expected` type."""
        match tree:
            case Number(text=text):
                try:
                    return literal(text, expected)
                except (ValueError, OverflowError):
                    raise self.expected(tree, f"a number of type {expected or text.partition(':')[2]}") from None
            case Name():
                found = None if tree.word else names.get(tree.text)
                if not isinstance(found, Expr):
                    known = ", ".join(sorted(name for name, e in names.items() if isinstance(e, Expr))[:20])
                    raise self.expected(tree, f"a value (known are {known or 'none'})")
                return found
            case Apply():
                return self.application(tree, names, expected)
            case Infix(symbol=symbol, left=left, right=right):
                return self.primitive(_SYMBOLS[symbol], (left, right), names, tree)
            case Negated(operand=operand):
                negated = self.value(operand, names)
                return self.typed(tree, lambda: Call("negative", negated))
            case Listed(items=items):
                return Tuple(*(self.value(item, names, part_hint(expected, i)) for i, item in enumerate(items)))
            case Projection(operand=operand, index=index):
                of = self.value(operand, names)
                return self.typed(tree, lambda: self.component(index, of))
            case Let(bindings=bindings, body=body):
                inner = names.new_child()
                for name, bound in bindings:
                    is_function = isinstance(bound, Function | Section | Compose)
                    inner[name] = _Closure(bound, inner.copy()) if is_function else self.value(bound, inner)
                return self.value(body, inner, expected)
        raise self.expected(tree, "a value")

    @staticmethod
    def component(index: int, of: Expr) -> Expr:
        if not isinstance(of.type, TupleType) or index >= len(of.type.elements):
            raise TypeMismatch("projection", f"a tuple with a component {index}", of.type)
        return Get(index, of)

    def application(self, tree: Apply, names: Names, expected: Type | None) -> Expr:
        head, arguments = tree.head, tree.arguments
        word = head.word if isinstance(head, Name) else None
        items = arguments[0].items if len(arguments) == 1 and isinstance(arguments[0], Listed) else arguments
        if isinstance(head, Section):
            return self.primitive(_SYMBOLS[head.symbol], items, names, tree)
        if word in OPERATIONS and word is not None:
            return self.primitive(word, items, names, tree)
        if word in ("zip", "concat"):
            arrays = [self.value(item, names) for item in items]
            return self.typed(tree, lambda: self.combine(str(word), arrays))
        if word == "fromSize":
            if len(arguments) != 2 or not isinstance(arguments[0], Name) or arguments[0].text not in DTYPES:
                raise self.expected(tree, "fromSize, a dtype and a size")
            return FromSize(self.size(arguments[1]), ScalarType(arguments[0].text))
        if word == "generate":
            if len(arguments) != 3 or not isinstance(arguments[0], Name) or arguments[0].text not in DTYPES:
                raise self.expected(tree, "generate, the type of the index, a size and a function")
            f = self.function(arguments[2], [ScalarType(arguments[0].text)], names)
            count = self.size(arguments[1])
            return self.typed(tree, lambda: Generate(count, f))
        # The last argument is the array or value that the function before it is applied to.
        hint = part_hint(expected, 0) if word in ("splat", "repeat") else None
        last = self.value(arguments[-1], names, hint)
        function = head if len(arguments) == 1 else Apply(tree.start, arguments[-2].end, head, arguments[:-1])
        return self.apply(function, [last], names)

    def primitive(self, op: str, trees: Sequence[Tree], names: Names, at: Tree) -> Expr:
        if len(trees) != operation(op).arity:
            return self.call(op, [self.value(tree, names) for tree in trees], at)
        operands = [None if isinstance(tree, Number) else self.value(tree, names) for tree in trees]
        hint = operand_hint(op, operands)
        filled = [
            self.value(tree, names, None if op == "select" and i == 0 else hint) if operand is None else operand
            for i, (tree, operand) in enumerate(zip(trees, operands, strict=True))
        ]
        return self.call(op, filled, at)

    def call(self, op: str, operands: Sequence[Expr], at: Tree) -> Expr:
        return self.typed(at, lambda: Call(op, *_spread(operands, operation(op).arity)))

    @staticmethod
    def combine(word: str, arrays: Sequence[Expr]) -> Expr:
        arrays = _spread(arrays, 2)
        if len(arrays) < 2:
            raise TypeMismatch(word, "two or more arrays", len(arrays))
        return Zip(*arrays) if word == "zip" else Concat(*arrays)

    # --- functions --------------------------------------------------------------------------------------------------

    def function(self, tree: Tree, types: Sequence[Type], names: Names) -> Expr:
        """A function as the operand of a pattern, for arguments of those types."""
        if isinstance(tree, Apply) and isinstance(tree.head, Name) and tree.head.word in ("vect", "mapVec"):
            if len(tree.arguments) != (2 if tree.head.word == "vect" else 1):
                raise self.expected(tree, "vect, a width and a function, or mapVec and a function")
            f = tree.arguments[-1]
            scalars = self.typed(tree, lambda: [narrow(t) for t in types])
            width = self.integer(tree.arguments[0]) if tree.head.word == "vect" else scalars[0][1]
            inner = self.function(f, [t for t, _ in scalars], names)
            if not isinstance(inner, Lambda):
                raise self.expected(f, "a scalar function")
            return self.typed(tree, lambda: Vect(width, inner))
        params = [fresh(t) for t in types]
        return close(params, self.apply(tree, params, names))

    def apply(self, tree: Tree, values: Sequence[Expr], names: Names) -> Expr:
        """The value of the function that a tree denotes, applied to values."""
        match tree:
            case Section(symbol=symbol):
                return self.call(_SYMBOLS[symbol], values, tree)
            case Compose(parts=parts):
                for part in reversed(parts):
                    values = [self.apply(part, values, names)]
                return values[0]
            case Function(names=variables, body=body):
                arguments = self.typed(tree, lambda: _spread(values, len(variables)))
                if len(arguments) != len(variables):
                    raise self.expected(tree, f"a function of {len(values)} arguments")
                return self.value(body, names.new_child(dict(zip(variables, arguments, strict=True))))
            case Name():
                bound = None if tree.word else names.get(tree.text)
                if isinstance(bound, _Closure):
                    return self.apply(bound.tree, values, bound.names)
                if tree.word:
                    return self.word(tree.word, (), values, names, tree)
            case Apply(head=Name() as head, arguments=arguments_) if head.word:
                return self.word(head.word, arguments_, values, names, tree)
        raise self.expected(tree, "a function")

    def word(self, word: str, fixed: Sequence[Tree], values: Sequence[Expr], names: Names, at: Tree) -> Expr:
        """A pattern with its fixed arguments, or a primitive, applied to values."""
        if word in OPERATIONS and not fixed:
            return self.call(word, values, at)
        if word in ("zip", "concat") and not fixed:
            return self.typed(at, lambda: self.combine(word, values))
        if len(values) != 1:
            raise self.expected(at, f"a function of {len(values)} arguments")
        (xs,) = values
        if word in DTYPES and not fixed:
            return self.typed(at, lambda: Cast(xs, ScalarType(word)))
        space, apart = word.rstrip("0123456789"), word.lstrip(ascii_letters)
        if space in _SPACES and len(fixed) < 2:
            kept = self.apply(fixed[0], values, names) if fixed else xs
            return self.typed(at, lambda: Memory(_SPACES[space], kept, int(apart or 0)))
        if word in DIMENSIONS:
            return self.dimensions(word, fixed, xs, at)
        cls = pattern_of(word)
        kind = re.fullmatch(r"(mapReduce|map|reduce|scan|scatter)(|[A-Z]\w*?)(\d*)", word) if cls is None else None
        if cls is None and kind is None:
            raise self.expected(at, "a function of one value")
        if kind is not None:
            wanted = {"map": ("f",), "scatter": ("f", "key", "xs")}.get(kind[1], ("f", "init"))
        elif cls is Splat:
            wanted = ("width",)
        else:
            wanted = cls.__match_args__[:-1]  # type: ignore[union-attr]  # every pattern in the table has them
        if len(fixed) != len(wanted):
            raise self.expected(at, f"{word} with {len(wanted)} fixed arguments ({', '.join(wanted) or 'none'})")
        if kind is not None:
            name = kind[1] + kind[2]
            how = Kind(name, int(kind[3] or (LANES if name in ("mapWarp", "mapLane") else 0)))
            element = self.element(xs, at)
            if kind[1] == "map":
                f = self.function(fixed[0], [element], names)
                return self.typed(at, lambda: Map(f, xs, how))
            if kind[1] == "scatter":
                target, key = self.value(fixed[2], names), self.function(fixed[1], [element], names)
                pair = key.type.result  # type: ignore[attr-defined]  # a function's type
                if not isinstance(pair, TupleType) or len(pair.elements) != 2:
                    raise self.fail(fixed[1], f"expected a function that gives an index and a value, got {pair}")
                f = self.function(fixed[0], [self.element(target, fixed[2]), pair.elements[1]], names)
                return self.typed(at, lambda: Scatter(f, key, target, xs, how))
            init = self.value(fixed[1], names, element)
            f = self.function(fixed[0], [init.type, element], names)
            fold = {"reduce": Reduce, "scan": Scan, "mapReduce": MapReduce}[kind[1]]
            return self.typed(at, lambda: fold(f, init, xs, how))
        if cls is Iterate:
            return self.iterate(fixed[0], fixed[1], xs, names, at)
        made = self.fixed_arguments(cls, wanted, fixed, xs, names, at)
        build: Any = cls
        return self.typed(at, lambda: Splat(xs, *made) if cls is Splat else build(*made, xs))

    def dimensions(self, word: str, fixed: Sequence[Tree], xs: Expr, at: Tree) -> Expr:
        """A split or join of the innermost or outermost dimension (thesis, table 1)."""
        if len(fixed) != (1 if word.endswith("Split") else 0):
            raise self.expected(at, f"{word}, which takes {'a size' if word.endswith('Split') else 'nothing'} first")
        match word:
            case "innerSplit" | "outerSplit":
                n, split = self.size(fixed[0]), inner_split if word == "innerSplit" else outer_split
                return self.typed(at, lambda: split(n, xs))
            case _:
                return self.typed(at, lambda: inner_join(xs) if word == "innerJoin" else outer_join(xs))

    def fixed_arguments(
        self, cls: Any, wanted: Sequence[str], fixed: Sequence[Tree], xs: Expr, names: Names, at: Tree
    ) -> list[Any]:
        """The sizes, numbers, values and functions before a pattern's array; functions last, as values give types."""
        made: list[Any] = [None] * len(fixed)
        types: list[Type] = []
        functions: list[int] = []
        for i, (name, tree) in enumerate(zip(wanted, fixed, strict=True)):
            annotation = next(c.__annotations__[name] for c in cls.__mro__ if name in c.__annotations__)
            if annotation == "Size":
                made[i] = self.size(tree)
            elif annotation == "int":
                made[i] = self.integer(tree)
            elif annotation == "Table":
                made[i] = self.value(tree, names)
            elif annotation == "Expr":
                made[i] = self.value(tree, names, self.element(xs, at))
                types.append(made[i].type)
            else:
                functions.append(i)
        for i in functions:
            made[i] = self.function(fixed[i], [*types, self.element(xs, at)], names)
        return made

    def element(self, xs: Expr, at: Tree) -> Type:
        if not isinstance(xs.type, ArrayType):
            raise self.fail(at, f"expected an array to apply this to, got {xs.type}")
        return xs.type.element

    # --- sizes ------------------------------------------------------------------------------------------------------

    def size(self, tree: Tree) -> Size:
        """The size that a tree's text denotes."""
        text = self.text[tree.start : tree.end].replace("`", "")
        return self.typed(tree, lambda: parse_size(text, self.sizes))

    def integer(self, tree: Tree) -> int:
        if not isinstance(tree, Number) or not re.fullmatch(r"-?\d+", tree.text):
            raise self.expected(tree, "a whole number")
        return int(tree.text)

    def iterate(self, count: Tree, function: Tree, xs: Expr, names: Names, at: Tree) -> Expr:
        """`iterate k (λ[I*m → m]. f)`; without `I*m →`, the smallest factor I is taken for which the types agree."""
        element, times = self.element(xs, at), self.size(count)
        if not isinstance(function, SizeFunction):
            raise self.expected(function, "λ[2*m → m]. and a function")
        lo = self.size(function.lo) if function.lo else None if function.bounded else size(0)
        hi = self.size(function.hi) if function.hi else None
        outer, m = self.sizes, var(function.name, lo, hi)
        self.sizes = {**outer, function.name: m}
        try:
            if function.length is not None:
                lengths = [self.size(function.length)]
            else:
                lengths = [factor * m for factor in range(1, _LARGEST_FACTOR + 1)]
            for length in lengths:
                try:
                    f = self.function(function.body, [ArrayType(element, length)], names)
                    assert isinstance(f, Lambda)
                    return self.typed(at, lambda f=f: Iterate(times, m, f, xs))  # type: ignore[misc]  # bound at once
                except ParseError:
                    if length is lengths[-1]:
                        raise
            raise self.expected(function, "a function")
        finally:
            self.sizes = outer


def _spread(values: Sequence[Expr], wanted: int) -> Sequence[Expr]:
    """Where a function wants several values and gets one tuple of as many: its components."""
    t = values[0].type if len(values) == 1 and wanted > 1 else None
    if isinstance(t, TupleType) and len(t.elements) == wanted:
        if isinstance(values[0], Tuple):
            return values[0].operands  # the argument that the function is applied to, written out
        return [Get(i, values[0]) for i in range(wanted)]
    return values
