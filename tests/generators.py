"""Random well-typed programs with inputs: what rules, printers and generators are tested on.

A program is grown from its inputs: a pool of expressions, to which applicable patterns are applied, so it is well-typed
by construction and shares nodes. Sizes are symbolic, and their values include 0, 1 and primes. Nothing in a program
depends on unspecified behaviour: reductions get associative functions with their neutral element, `reorder` stands only
where a reduction makes the order irrelevant, and floating-point numbers are never converted to integers.
"""

from __future__ import annotations

import hashlib
import math
import random
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st

from ir.core.expr import Expr, Lambda, Param, close, fresh, fun, postorder, rebuild
from ir.core.patterns import (
    MAP,
    MAP_SEQ,
    REDUCE,
    REDUCE_SEQ,
    SCAN,
    SCAN_SEQ,
    SCATTER,
    SCATTER_SEQ,
    AsScalar,
    AsVector,
    Call,
    Cast,
    Concat,
    Element,
    FromSize,
    Gather,
    Generate,
    Get,
    Id,
    Iterate,
    Join,
    Literal,
    Map,
    Memory,
    Prefetch,
    Reduce,
    ReducePart,
    Reorder,
    ReorderStride,
    Repeat,
    Reverse,
    Scan,
    Scatter,
    Slice,
    Slide,
    Sort,
    Split,
    Transpose,
    Tuple,
    Vect,
    Zip,
    map_global,
)
from ir.core.selection import first_extreme
from ir.core.semantics.values import Layout, Leaf, evaluate_type, random_value
from ir.core.sizes import size, var
from ir.core.types import (
    BOOL,
    FLOAT32,
    FLOAT64,
    INT32,
    INT64,
    ArrayType,
    ScalarType,
    TupleType,
    Type,
    array_of,
    shape_of,
)
from ir.errors import TypeMismatch

N, M = var("n"), var("m")
EXTENTS = (0, 1, 2, 3, 5, 7)
LARGEST = 4096  # elements of one value
NUMBERS = (FLOAT32, FLOAT64, INT32, INT64)


class Program(NamedTuple):
    """A closed expression, a value for each of its parameters by name, and a number for each size variable."""

    expr: Expr
    inputs: dict[str, Any]
    sizes: dict[str, int]

    @property
    def types(self) -> dict[str, Type]:
        """The parameters' types, as the parser wants them."""
        return {p.identifier: p.type for p in parameters(self.expr)}

    @property
    def shape(self) -> int:
        """A number that programs of another expression or other sizes (almost surely) do not have."""
        number: dict[Expr, int] = {}
        nodes = []
        for node in postorder(self.expr):
            number[node] = len(number)
            operands = " ".join(str(number[operand]) for operand in node.operands)
            nodes.append(f"{type(node).__name__} {node.parameters} {operands}")
        text = "\n".join([*nodes, str(sorted(self.sizes.items()))])
        return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=7).digest())


_NESTING = 2
"""How deep functions go into each other."""

SHAPES: Counter[int] = Counter()
"""How often this process has made a program of each shape: counted for the summary at the end of a test run."""


def parameters(e: Expr) -> list[Param]:
    """The parameters of a closed expression."""
    return [node for node in postorder(e) if isinstance(node, Param) and not node.binder]


def well_typed_expressions(*, steps: int = 8, low_level: bool = False) -> st.SearchStrategy[Program]:
    """Random programs; `low_level` ones may also use the patterns of figure 5. Failures shrink to simpler programs."""
    randoms = st.randoms(use_true_random=False)
    return randoms.map(lambda rng: random_program(rng, steps=steps, low_level=low_level))


def random_program(rng: random.Random, *, steps: int = 8, low_level: bool = False) -> Program:
    """One program of about `steps` patterns, nested functions not counted."""
    sizes = {"n": rng.choice(EXTENTS), "m": rng.choice(EXTENTS)}
    grower = Grower(rng, sizes, low_level)
    lines = [(N,), (N,), (4 * N,), (8 * N,), (N * M,), (6 * M,), (size(8),), (N + M,)]
    shapes = [*lines, (N, M), (M, N), (2 * N, size(3))]
    pool: list[Expr] = []
    for name in ("xs", "ys", "zs", "A")[: rng.randrange(1, 5)]:
        t = rng.choice((FLOAT32, FLOAT32, FLOAT64, INT32, INT64, BOOL))
        pool.append(Param(name, array_of(t, *rng.choice(shapes))))
    if rng.randrange(4) == 0:
        pool.append(Param("a", rng.choice(NUMBERS)))
    for _ in range(rng.randrange(steps // 2, 2 * steps + 1)):  # not each attempt grows something
        grown = grower.grow(pool, _NESTING)
        if grown is not None:
            pool.append(grown)
    e = pool[-1] if rng.randrange(4) else Tuple(pool[-1], rng.choice(pool))
    values = np.random.default_rng(rng.randrange(1 << 30))
    made = Program(e, {p.identifier: random_value(p.type, sizes, values) for p in parameters(e)}, sizes)
    SHAPES[made.shape] += 1
    return made


def elements_of(layout: Layout) -> int:
    """The number of elements of a value."""
    return math.prod(layout.shape) if isinstance(layout, Leaf) else sum(map(elements_of, layout))


def neutral(op: str, t: ScalarType) -> Literal:
    """The neutral element of an associative primitive."""
    if op in ("minimum", "maximum"):
        low, high = (-math.inf, math.inf) if t.is_float else (np.iinfo(t.name).min, np.iinfo(t.name).max)
        return Literal(high if op == "minimum" else low, t)
    if op == "bitwise_and":
        return Literal(True if t is BOOL else -1, t)
    return Literal(1 if op == "multiply" else 0, t)


class Grower:
    """Applies random patterns to the expressions of a pool."""

    def __init__(self, rng: random.Random, sizes: dict[str, int], low_level: bool) -> None:
        self.rng = rng
        self.sizes = sizes
        self.low_level = low_level

    def grow(self, pool: Sequence[Expr], nesting: int) -> Expr | None:
        """A new expression over those of the pool, or None where what was tried does not fit."""
        arrays = [e for e in pool if isinstance(e.type, ArrayType)]
        if not arrays:
            return None
        # Recent expressions are taken more often, so that programs get deep.
        xs = arrays[-1] if self.rng.randrange(2) else self.rng.choice(arrays)
        actions: list[Callable[[Expr, Sequence[Expr], int], Expr | None]] = [
            self.map, self.map, self.map, self.reduce, self.reduce, self.scan, self.zip, self.zip, self.split,
            self.join, self.view, self.view, self.slide, self.concat, self.repeat, self.iterate, self.element,
            self.gather, self.generate, self.scatter, self.sort,
        ]  # fmt: skip
        if self.low_level:
            actions += [self.lowered, self.lowered, self.vector]
        try:
            made = self.rng.choice(actions)(xs, pool, nesting)
        except TypeMismatch:
            return None  # a length that is not divisible, or lengths that differ
        if made is None or elements_of(evaluate_type(made.type, {**self.sizes, "k": 1})) > LARGEST:
            return None
        return made

    # --- patterns ---------------------------------------------------------------------------------------------------

    def map(self, xs: Expr, pool: Sequence[Expr], nesting: int) -> Expr | None:
        kinds = (MAP, MAP_SEQ, map_global()) if self.low_level else (MAP,)
        return Map(self.function(_element(xs), pool, nesting), xs, self.rng.choice(kinds))

    def function(self, t: Type, pool: Sequence[Expr], nesting: int) -> Lambda:
        """A function of one argument of type t, which may use what is in the pool."""
        x = fresh(t)
        if not _contains_array(t):
            scalars = [e for e in pool if not _contains_array(e.type)]
            return close([x], self.scalar([x, *scalars[-2:]]))
        inner: list[Expr] = [*(self.rng.choice(pool) for _ in range(self.rng.randrange(2))), *_parts(x)]
        for _ in range(self.rng.randrange(0, 3) if nesting else 0):
            grown = self.grow(inner, nesting - 1)
            if grown is not None:
                inner.append(grown)
        return close([x], inner[-1])

    def reduce(self, xs: Expr, pool: Sequence[Expr], nesting: int) -> Expr | None:
        f, init = self.monoid(_element(xs))
        if self.rng.randrange(4) == 0:
            xs = Reorder(xs)
        if self.low_level and self.rng.randrange(3) == 0:
            return ReducePart(f, init, self.rng.choice((size(2), size(4), N)), xs)
        return Reduce(f, init, xs, REDUCE_SEQ if self.low_level and self.rng.randrange(2) else REDUCE)

    def scan(self, xs: Expr, pool: Sequence[Expr], nesting: int) -> Expr | None:
        f, init = self.monoid(_element(xs))
        starts = [e for e in pool if e.type is init.type]
        if starts and self.rng.randrange(3) == 0:
            init = self.rng.choice(starts)  # any will do
        return Scan(f, init, xs, SCAN_SEQ if self.low_level and self.rng.randrange(2) else SCAN)

    def monoid(self, t: Type) -> tuple[Lambda, Expr]:
        """An associative and commutative function on t and its neutral element."""
        if isinstance(t, TupleType) and _is_pair_with_index(t) and self.rng.randrange(2):
            op = self.rng.choice(("minimum", "maximum"))
            return fun((t, t), lambda a, b: first_extreme(op, a, b)), _never_chosen(op, t)
        if isinstance(t, TupleType):
            parts = [self.monoid(part) for part in t.elements]
            a, b = fresh(t), fresh(t)
            combined = [f(Get(i, a), Get(i, b)) for i, (f, _) in enumerate(parts)]
            return close([a, b], Tuple(*combined)), Tuple(*(z for _, z in parts))
        if isinstance(t, ArrayType):
            f, z = self.monoid(t.element)
            paired = fun(TupleType((t.element, t.element)), lambda p: f(Get(0, p), Get(1, p)))
            return fun((t, t), lambda a, b: Map(paired, Zip(a, b))), Repeat(t.length, z)
        if not isinstance(t, ScalarType):
            raise TypeMismatch("monoid", "scalars, tuples or arrays", t)
        bits = ("bitwise_and", "bitwise_or", "bitwise_xor")
        numeric = ("add", "add", "minimum", "maximum", *(() if t.is_float else ("multiply", *bits)))
        op = self.rng.choice(bits if t is BOOL else numeric)
        z = neutral(op, t)
        f = fun((t, t), lambda a, b: Call(op, a, b))
        if op == "add" and self.rng.randrange(4) == 0:  # addition, but not recognisably so
            f = fun((t, t), lambda a, b: Call("subtract", a, Call("negative", b)))
        return f, z

    def zip(self, xs: Expr, pool: Sequence[Expr], nesting: int) -> Expr | None:
        lengths = [e for e in pool if isinstance(e.type, ArrayType) and e.type.length is shape_of(xs.type)[0]]
        others = [self.rng.choice(lengths) for _ in range(1 if self.rng.randrange(4) else 2)]
        return Zip(xs, *others)

    def split(self, xs: Expr, pool: Sequence[Expr], nesting: int) -> Expr | None:
        return Split(self.rng.choice((size(2), size(4), size(3), N, M, N, M)), xs)

    def join(self, xs: Expr, pool: Sequence[Expr], nesting: int) -> Expr | None:
        nested = [e for e in pool if isinstance(e.type, ArrayType) and isinstance(e.type.element, ArrayType)]
        return self.rng.choice((Join, Transpose))(self.rng.choice(nested)) if nested else None

    def view(self, xs: Expr, pool: Sequence[Expr], nesting: int) -> Expr | None:
        n = shape_of(xs.type)[0]
        views: list[Callable[[], Expr]] = [
            lambda: Slice(n - 1, -1, n, xs),
            lambda: Slice(0, 1, n // 2, xs),
            lambda: Slice(n // 2, 1, n - n // 2, xs),
            lambda: Slice(0, 2, (n + 1) // 2, xs),
            lambda: Slice(1, 2, n // 2, xs),
            lambda: Id(xs),
            lambda: Prefetch(self.rng.randrange(3), xs),
        ]
        return self.rng.choice(views)()

    def slide(self, xs: Expr, pool: Sequence[Expr], nesting: int) -> Expr | None:
        """Windows of an array that has one at the chosen sizes, or of one that always has, apart or overlapping."""
        window = self.rng.choice((size(1), size(2), size(3), N + 1, M + 1))
        step = self.rng.choice((size(1), size(1), size(2), size(3), window, N + 1))
        if self.rng.randrange(2):
            alike = [e for e in pool if e.type is _element(xs)]
            xs = Concat(xs, Repeat(window, self.rng.choice(alike))) if alike else xs
        extents = (window.evaluate(self.sizes), self.extent(xs))
        if extents[0] > extents[1]:
            return None
        made = Slide(window, step, xs)
        f = self.function(_element(xs), pool, 0)
        below: list[Callable[[], Expr]] = [
            lambda: made,
            lambda: Transpose(made),
            lambda: Slice(0, 1, 1, made),
            lambda: Element(0, made),
            lambda: Transpose(Transpose(made)),
            lambda: Map(fun(_element(made), lambda w: Map(f, w)), made),
            lambda: Join(Map(fun(_element(made), lambda w: Map(f, w)), made)),
            lambda: Join(Map(fun(_element(made), lambda w: Map(f, Slice(0, 1, 1, w))), made)),
        ]
        return self.rng.choice([*below[:1] * 6, *below[1:]])()

    def concat(self, xs: Expr, pool: Sequence[Expr], nesting: int) -> Expr | None:
        alike = [e for e in pool if isinstance(e.type, ArrayType) and e.type.element is _element(xs)]
        count = self.rng.randrange(1, 3)
        if self.rng.randrange(2):
            return Concat(xs, *(self.like(xs, pool) for _ in range(count)))
        return Concat(xs, *(self.rng.choice(alike) for _ in range(count)))

    def like(self, xs: Expr, pool: Sequence[Expr]) -> Expr:
        """The same pattern of other operands, which have the same types."""
        others = [[e for e in pool if e.type is x.type] for x in xs.operands]
        operands = [self.rng.choice([x, *some]) for x, some in zip(xs.operands, others, strict=True)]
        return rebuild(xs, tuple(operands))

    def repeat(self, xs: Expr, pool: Sequence[Expr], nesting: int) -> Expr | None:
        what = self.rng.choice([*pool, Literal(3, self.rng.choice(NUMBERS))])
        return Repeat(self.rng.choice((N, M, size(2), 2 * N)), what)

    def iterate(self, xs: Expr, pool: Sequence[Expr], nesting: int) -> Expr | None:
        t, k = _element(xs), var("k")
        f, z = self.monoid(t)
        fold = fun(ArrayType(t, 2), lambda ys: Reduce(f, z, ys))
        pair = fun(TupleType((t, t)), lambda p: f(Get(0, p), Get(1, p)))
        steps: list[Callable[[Expr], Expr]] = [
            lambda ys: Join(Map(fold, Split(2, ys))),
            lambda ys: Map(pair, Zip(Slice(0, 2, k, ys), Slice(1, 2, k, ys))),
        ]
        return Iterate(self.rng.choice((1, 1, 1, 2, 3, 0)), k, fun(ArrayType(t, 2 * k), self.rng.choice(steps)), xs)

    def element(self, xs: Expr, pool: Sequence[Expr], nesting: int) -> Expr | None:
        lengths = [(e, shape_of(e.type)[0].value) for e in pool if isinstance(e.type, ArrayType)]
        fixed = [(e, n) for e, n in lengths if n]  # known not to be empty
        if not fixed:
            return None
        e, n = self.rng.choice(fixed)
        return Element(self.rng.randrange(n), e)

    def gather(self, xs: Expr, pool: Sequence[Expr], nesting: int) -> Expr | None:
        """Elements of an array that is not empty at the chosen sizes; some indices lie outside."""
        arrays = [e for e in pool if isinstance(e.type, ArrayType) and self.extent(e) > 0]
        if not arrays:
            return None
        whole = [e for e in pool if isinstance(e.type, ArrayType) and e.type.element in (INT32, INT64)]
        if whole and self.rng.randrange(3):
            return Gather(self.rng.choice(arrays), self.rng.choice(whole))
        t = self.rng.choice((INT32, INT64))
        index = FromSize(N, t) if self.rng.randrange(2) else Literal(self.rng.randrange(-1, 4), t)
        return Gather(self.rng.choice(arrays), Repeat(self.rng.choice((N, M, size(2))), index))

    def generate(self, xs: Expr, pool: Sequence[Expr], nesting: int) -> Expr | None:
        """An array made from its indices; the function may use what is in the pool."""
        count = self.rng.choice((N, M, size(3), 4 * N, N * M))
        return Generate(count, self.function(self.rng.choice((INT32, INT64)), pool, nesting))

    def scatter(self, xs: Expr, pool: Sequence[Expr], nesting: int) -> Expr | None:
        """Values of the type of xs, some of their indices equal, some outside; the last wins, or they are combined."""
        t = _element(xs)
        alike = [e for e in pool if isinstance(e.type, ArrayType) and e.type.element is t]
        if not isinstance(t, ScalarType):
            return None
        values = self.rng.choice(alike)
        n = shape_of(values.type)[0]
        indices = [e for e in pool if e.type in (ArrayType(INT32, n), ArrayType(INT64, n))]
        spread = Generate(n, fun(INT32, lambda i: Call("remainder", Call("multiply", i, i), Literal(7, INT32))))
        f = self.monoid(t)[0] if not t.is_float and self.rng.randrange(2) else fun((t, t), lambda a, b: b)
        how = SCATTER_SEQ if self.low_level and self.rng.randrange(2) else SCATTER
        pairs = Zip(self.rng.choice([*indices, spread]), values)
        return Scatter(f, fun(_element(pairs), lambda pair: pair), xs, pairs, how)

    def sort(self, xs: Expr, pool: Sequence[Expr], nesting: int) -> Expr | None:
        """Elements of a few keys, some of them equal; values of any type go with them.

        What was computed of floats is no key: its last bits depend on how it was rounded.
        """
        t = _element(xs)
        computed = nesting < _NESTING or any(
            isinstance(node, (Iterate, Map, Reduce, Scan, Scatter)) for node in postorder(xs)
        )
        if not isinstance(t, ScalarType) or (t.is_float and computed):
            return None
        key = self.rng.choice((ScalarType("uint8"), ScalarType("uint32")))

        def keyed(x: Expr) -> Expr:
            return Cast(Call("bits", x) if t.is_float else x, key)

        bits = self.rng.randrange(1, 9)
        if self.rng.randrange(2):
            return Sort(bits, fun(t, lambda x: Tuple(keyed(x), x)), xs)
        beside = [e for e in pool if isinstance(e.type, ArrayType) and e.type.length is shape_of(xs.type)[0]]
        pairs = Zip(xs, self.rng.choice(beside))
        return Sort(bits, fun(_element(pairs), lambda pair: Tuple(keyed(Get(0, pair)), Get(1, pair))), pairs)

    def extent(self, xs: Expr) -> int:
        """The number of elements at the chosen sizes; none where an `iterate` binds the length."""
        n = shape_of(xs.type)[0]
        return n.evaluate(self.sizes) if {v.name for v in n.variables} <= set(self.sizes) else 0

    # --- low-level patterns -----------------------------------------------------------------------------------------

    def lowered(self, xs: Expr, pool: Sequence[Expr], nesting: int) -> Expr | None:
        if self.rng.randrange(2):
            return Memory(self.rng.choice(("global", "local", "private")), xs)
        stride = self.rng.choice((None, size(2), size(4), N, M))
        return Reverse(xs) if stride is None else ReorderStride(stride, xs)

    def vector(self, xs: Expr, pool: Sequence[Expr], nesting: int) -> Expr | None:
        """`asScalar ∘ map (vect w f) ∘ asVector w`."""
        width, t = self.rng.choice((2, 4)), _element(xs)
        if _contains_array(t):
            return None
        f = fun(t, lambda x: self.scalar([x]))
        return AsScalar(Map(Vect(width, f), AsVector(width, xs)))

    # --- scalar functions -------------------------------------------------------------------------------------------

    def scalar(self, values: Sequence[Expr]) -> Expr:
        """A scalar, or a pair of scalars, computed from scalars and tuples of scalars; the first value is used."""
        pool = [part for value in reversed(values) for part in _parts(value)]
        for _ in range(self.rng.randrange(0, 5)):
            pool.append(self.operation(pool))
        if self.rng.randrange(5) == 0:
            return Tuple(pool[-1], self.rng.choice(pool))
        return pool[-1]

    def operation(self, pool: Sequence[Expr]) -> Expr:
        x = pool[-1] if self.rng.randrange(2) else self.rng.choice(pool)
        t = x.type
        assert isinstance(t, ScalarType)
        alike = [*(e for e in pool if e.type is t), Literal(self.rng.choice((0, 1, 3)) if t is not BOOL else True, t)]
        y, z = self.rng.choice(alike), self.rng.choice(alike)
        kind = self.rng.randrange(8)
        if t is BOOL:
            others = [e for e in pool if e.type is not BOOL]
            if kind < 3 and others:
                chosen = self.rng.choice(others)
                return Call("select", x, chosen, self.rng.choice([e for e in others if e.type is chosen.type]))
            if kind < 5:
                return Call(self.rng.choice(("bitwise_and", "bitwise_or", "bitwise_xor")), x, y)
            return Cast(x, self.rng.choice(NUMBERS)) if kind < 7 else Call("bitwise_invert", x)
        if kind == 0:
            return Call(self.rng.choice(("abs", "negative", "sign")), x)
        if kind == 1:
            return Call(self.rng.choice(("less", "greater_equal", "equal")), x, y)
        if kind == 2:
            return Call("select", Call("less", x, y), y, z)
        if kind == 3:
            wider = (FLOAT32, FLOAT64) if t.is_float else NUMBERS
            return Cast(x, self.rng.choice(wider))
        if kind == 4 and t.is_float:
            return Call(self.rng.choice(("tanh", "floor", "sin")), x)
        if kind == 4:
            return Call("add", x, FromSize(self.rng.choice((N, M)), t))
        return Call(self.rng.choice(("add", "subtract", "multiply", "minimum", "maximum")), x, y)


def _element(xs: Expr) -> Type:
    assert isinstance(xs.type, ArrayType)
    return xs.type.element


def _contains_array(t: Type) -> bool:
    return isinstance(t, ArrayType) or (isinstance(t, TupleType) and any(map(_contains_array, t.elements)))


def _is_pair_with_index(t: TupleType) -> bool:
    return len(t.elements) == 2 and isinstance(t.elements[0], ScalarType) and t.elements[1] in (INT32, INT64)


def _never_chosen(op: str, t: TupleType) -> Expr:
    """The pair that `first_extreme` chooses only where there is no other."""
    value, index = t.elements
    assert isinstance(value, ScalarType)
    assert isinstance(index, ScalarType)
    last = Literal(op == "minimum", BOOL) if value is BOOL else neutral(op, value)
    return Tuple(last, neutral("minimum", index))


def _parts(value: Expr) -> list[Expr]:
    """The components of a tuple, of its tuples, and so on; any other value itself."""
    if not isinstance(value.type, TupleType):
        return [value]
    return [part for i in range(len(value.type.elements)) for part in _parts(Get(i, value))]
