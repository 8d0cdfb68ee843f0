"""The patterns that take functions: maps, reductions, scans, iteration, generation, and what says how a function or its
result is kept.
"""

from __future__ import annotations

from functools import lru_cache

from ir.core.expr import Bound, Expr, Lambda, postorder
from ir.core.signature import (
    MAP,
    MAP_REDUCE_SEQ,
    REDUCE,
    SCAN,
    SCAN_MAP_SEQ,
    Kind,
    Pattern,
    array_type,
    exact_quotient,
    require_same,
)
from ir.core.sizes import Size, SizeLike, power, size
from ir.core.traits import Traits
from ir.core.types import INT32, INT64, ArrayType, FunctionType, TupleType, Type, widen
from ir.errors import TypeMismatch

__all__ = [
    "Generate", "Iterate", "Map", "MapReduce", "Memory", "Reduce", "ReducePart", "Scan", "Vect", "is_view_map",
    "moved_by", "moves_elements",
]  # fmt: skip


class Map(Pattern):
    """`map f [x0, x1, ...] = [f x0, f x1, ...]`."""

    scheme = "map : (A -> B) -> [A]n -> [B]n"
    meaning = "apply f to every element"
    traits = Traits(computes=True, size_neutral=True, streams=("xs",))
    types_decide = True
    __match_args__ = ("f", "xs", "how")
    f: Lambda | Vect
    xs: Expr
    how: Kind

    def __new__(cls, f: Expr, xs: Expr, how: Kind = MAP) -> Map:
        return cls._make((f, xs), (how,))

    def _infer(self) -> Type:
        xs = array_type(self.how, self.xs.type)
        result = _function(self.how, self.f, (xs.element,))
        return xs if result is xs.element else ArrayType(result, xs.length)


def _function(pattern: str | Kind, f: Expr, arguments: tuple[Type, ...]) -> Type:
    """The result type of a function-valued operand applied to arguments of those types."""
    t = f.type
    if not isinstance(f, (Lambda, Vect)) or t.params != arguments:  # type: ignore[attr-defined]  # both have function types
        raise TypeMismatch(str(pattern), f"a function of ({', '.join(map(str, arguments))})", t)
    return t.result  # type: ignore[attr-defined, no-any-return]


class Reduce(Pattern):
    """`reduce f z [x0, x1, ...] = [x0 f (x1 f (... f z))]`; `reduceSeq` folds from the left, in order."""

    scheme = "reduce : ((A, A) -> A) -> A -> [A]n -> [A]1;  reduceSeq : ((A, B) -> A) -> A -> [B]n -> [A]1"
    meaning = "combine all elements; reduce may do so in any order"
    traits = Traits(computes=True, collective=True, size_neutral=True, streams=("xs",))
    types_decide = True
    __match_args__ = ("f", "init", "xs", "how")
    f: Lambda | Vect
    init: Expr
    xs: Expr
    how: Kind

    def __new__(cls, f: Expr, init: Expr, xs: Expr, how: Kind = REDUCE) -> Reduce:
        return cls._make((f, init, xs), (how,))

    def _infer(self) -> Type:
        xs, acc = array_type(self.how, self.xs.type), self.init.type
        if self.how is REDUCE:
            require_same("reduce", xs.element, acc)
        require_same(self.how, acc, _function(self.how, self.f, (acc, xs.element)))
        return ArrayType(acc, 1)


class Scan(Pattern):
    """`scan f z [x0, x1, ...] = [f z x0, f (f z x0) x1, ...]`; `scanSeq` carries the last result along, in order.

    The function of `scanMapSeq` gives what is carried along and a result beside it: `mapSeq h ∘ scanSeq f z` at once.
    """

    scheme = (
        "scan : ((A, A) -> A) -> A -> [A]n -> [A]n;  scanSeq : ((A, B) -> A) -> A -> [B]n -> [A]n;  "
        "scanMapSeq : ((A, B) -> (A, C)) -> A -> [B]n -> [C]n"
    )
    meaning = "combine all elements up to each, that one included; scan may group them in any way, in their order"
    traits = Traits(computes=True, collective=True, size_neutral=True, streams=("xs",))
    types_decide = True
    __match_args__ = ("f", "init", "xs", "how")
    f: Lambda | Vect
    init: Expr
    xs: Expr
    how: Kind

    def __new__(cls, f: Expr, init: Expr, xs: Expr, how: Kind = SCAN) -> Scan:
        return cls._make((f, init, xs), (how,))

    def _infer(self) -> Type:
        xs, acc = array_type(str(self.how), self.xs.type), self.init.type
        if self.how == SCAN:
            require_same("scan", xs.element, acc)
        found = _function(str(self.how), self.f, (acc, xs.element))
        if not self.gives_results:
            require_same(str(self.how), acc, found)
            return ArrayType(acc, xs.length)
        if not isinstance(found, TupleType) or len(found.elements) != 2 or found.elements[0] is not acc:
            raise TypeMismatch(str(self.how), f"a function that gives a pair of {acc} and a result", self.f.type)
        return ArrayType(found.elements[1], xs.length)

    @property
    def gives_results(self) -> bool:
        """Does the function give a result beside what is carried along?"""
        return self.how.name.startswith(SCAN_MAP_SEQ.name)


class MapReduce(Pattern):
    """`mapReduceSeq f z [x0, x1, ...] = ([a_n], [y0, y1, ...])`, where `(a_(i+1), y_i) = f a_i x_i` and `a_0 = z`.

    One loop that carries an accumulator along and has a result beside it each turn: a reduction and a map at once.
    Futhark has it as `screma`, Haskell as `mapAccumL`. The array goes where its result goes; the accumulator stays in
    private memory, where whoever reads it finds it. An array is accumulated where it lies, by a map of it; where
    the work-items of a group do so, each keeps its own elements.
    """

    scheme = "mapReduceSeq : ((A, B) -> (A, C)) -> A -> [B]n -> ([A]1, [C]n)"
    meaning = "carry an accumulator along, in order, and give a result beside it for each element"
    traits = Traits(computes=True, collective=True, size_neutral=True, streams=("xs",))
    types_decide = True
    __match_args__ = ("f", "init", "xs", "how")
    f: Lambda
    init: Expr
    xs: Expr
    how: Kind

    def __new__(cls, f: Expr, init: Expr, xs: Expr, how: Kind = MAP_REDUCE_SEQ) -> MapReduce:
        return cls._make((f, init, xs), (how,))

    def _infer(self) -> Type:
        xs, acc = array_type(self.how, self.xs.type), self.init.type
        require_same("mapReduce", MAP_REDUCE_SEQ, self.how)
        found = _function(self.how, self.f, (acc, xs.element))
        if not isinstance(found, TupleType) or len(found.elements) != 2 or found.elements[0] is not acc:
            raise TypeMismatch(self.name, f"a function that gives a pair of {acc} and a result", self.f.type)
        return TupleType((ArrayType(acc, 1), ArrayType(found.elements[1], xs.length)))

    @property
    def name(self) -> str:
        return str(self.how)


class ReducePart(Pattern):
    """`reducePart f z n`: n results, each the reduction of one n-th of the array."""

    scheme = "reducePart : ((A, A) -> A) -> A -> (n : size) -> [A](I*n) -> [A]n"
    meaning = "reduce each of n equal, consecutive parts"
    traits = Traits(computes=True, collective=True, high_level=True)
    __match_args__ = ("f", "init", "parts", "xs")
    f: Lambda | Vect
    init: Expr
    xs: Expr
    parts: Size

    def __new__(cls, f: Expr, init: Expr, parts: SizeLike, xs: Expr) -> ReducePart:
        return cls._make((f, init, xs), (size(parts),))

    def _infer(self) -> Type:
        xs = array_type("reducePart", self.xs.type)
        require_same("reducePart", xs.element, self.init.type)
        require_same("reducePart", xs.element, _function("reducePart", self.f, (xs.element, xs.element)))
        exact_quotient("reducePart", xs.length, self.parts)
        return ArrayType(xs.element, self.parts)


class Iterate(Pattern):
    """`iterate k f`: f applied k times; f takes `[A](I*m)` to `[A]m` for every size m."""

    scheme = "iterate : (k : size) -> ((m : size) -> [A](I*m) -> [A]m) -> [A](I**k * J) -> [A]J"
    meaning = "apply f k times, the array shrinking by the factor I each time"
    traits = Traits(computes=True, collective=True, materialised=True)
    __match_args__ = ("count", "f", "xs")
    count: Size
    size_variable: Size
    f: Lambda
    xs: Expr

    def __new__(cls, count: SizeLike, size_variable: Size, f: Lambda, xs: Expr) -> Iterate:
        return cls._make((f, xs), (size(count), size_variable))

    @property
    def factor(self) -> Size:
        """I, by which one step shrinks the array."""
        t = self.f.types[0]
        assert isinstance(t, ArrayType)
        return exact_quotient("iterate", t.length, self.size_variable)

    def _infer(self) -> Type:
        xs, m = array_type("iterate", self.xs.type), self.size_variable
        if len(self.f.types) != 1 or self.f.result is not ArrayType(xs.element, m):
            raise TypeMismatch("iterate", f"a function from [A](I*{m}) to [A]{m}", self.f.type)
        require_same("iterate", xs.element, array_type("iterate", self.f.types[0]).element)
        return ArrayType(xs.element, exact_quotient("iterate", xs.length, power(self.factor, self.count)))


class Generate(Pattern):
    """`generate n f = [f 0, f 1, ..., f (n - 1)]`: an array that is computed from its indices and lies nowhere.

    The function's own type says whether the index is an int32 or an int64; an index beyond an int32 wraps around.
    Arrays of more dimensions are generated by a function that generates. It is a view: whoever reads an element
    computes it.
    """

    scheme = "generate : (n : size) -> (int32 or int64 -> A) -> [A]n"
    meaning = "element i is f i"
    traits = Traits(creates=True, size_neutral=True)
    __match_args__ = ("count", "f")
    count: Size
    f: Lambda

    def __new__(cls, count: SizeLike, f: Expr) -> Generate:
        return cls._make((f,), (size(count),))

    def _infer(self) -> Type:
        t = self.f.type
        if not isinstance(t, FunctionType) or t.params not in ((INT32,), (INT64,)):
            raise TypeMismatch("generate", "a function of an int32 or int64", t)
        return ArrayType(t.result, self.count)

    @property
    def index(self) -> Type:
        """The type of the index."""
        return self.f.types[0]


class Vect(Pattern):
    """`vect w f`: f over vectors of width w, element by element."""

    scheme = "vect : (w : size) -> (S -> T) -> (<S>w -> <T>w)"
    meaning = "a scalar function on vectors"
    traits = Traits(passes_destination=True, high_level=True)
    __match_args__ = ("width", "f")
    width: int
    f: Lambda

    def __new__(cls, width: int, f: Lambda) -> Vect:
        return cls._make((f,), (width,))

    def _infer(self) -> Type:
        return FunctionType(tuple(widen(t, self.width) for t in self.f.types), widen(self.f.result, self.width))


class Memory(Pattern):
    """`toGlobal`, `toLocal`, `toPrivate`: where the value is stored. The identity otherwise.

    `toLastGroup` is a toGlobal that does not end the kernel: of the work-groups that compute the value, the one that is
    done last goes on with what reads it.

    `toLocal4` keeps rows 4 elements further apart than they are long: the elements of a column fall on different banks
    of local memory. Nothing is written between them.

    Attributes:
        apart: elements between the innermost rows of an array in local memory
    """

    scheme = "toLocal : (A -> B) -> (A -> B), and toLocal1, toGlobal, toLastGroup, toPrivate"
    meaning = "the address space in which a result is kept"
    traits = Traits(materialised=True)
    __match_args__ = ("space", "xs")
    space: str
    apart: int
    xs: Expr

    def __new__(cls, space: str, xs: Expr, apart: int = 0) -> Memory:
        if space not in ("global", "lastGroup", "local", "private"):
            raise TypeMismatch("memory", "global, lastGroup, local or private", space)
        if apart and not (
            apart > 0 and space == "local" and isinstance(xs.type, ArrayType) and isinstance(xs.type.element, ArrayType)
        ):
            raise TypeMismatch("memory", "rows in local memory", f"{space} memory of {xs.type}")
        return cls._make((xs,), (space, apart))

    def _infer(self) -> Type:
        return self.xs.type

    @property
    def name(self) -> str:
        return "to" + self.space[0].upper() + self.space[1:] + (str(self.apart) if self.apart else "")

    @property
    def is_global(self) -> bool:
        """Is the value kept in global memory, whoever goes on with it?"""
        return self.space in ("global", "lastGroup")


@lru_cache(maxsize=4096)
def is_view_map(e: Expr) -> bool:
    """Is it an open map whose function only rearranges its argument, so that the map is an index function itself?

    What is kept in memory and does not depend on the argument is computed before.
    """
    if not isinstance(e, Map) or e.how != MAP or not isinstance(e.f, Lambda) or not isinstance(e.f.result, ArrayType):
        return False
    level = e.f.own_level

    def is_before(node: Expr) -> bool:
        return isinstance(node, Memory) and not any(
            isinstance(x, Bound) and x.binder_level == level for x in postorder(node)
        )

    inside = postorder(e.f.body, prune=is_before)
    emitting = (node for node in inside if node.traits.computes or isinstance(node, Memory))
    return all(is_view_map(node) or is_before(node) for node in emitting)


def moves_elements(e: Expr) -> bool:
    """Is it a view map whose function moves each element of its argument to one place, so that results can go
    through it?
    """
    if not isinstance(e, Map) or not is_view_map(e):
        return False
    assert isinstance(e.f, Lambda)
    (variable,), body = e.f.enter()
    return moved_by(body) is variable


def moved_by(e: Expr) -> Expr:
    """What is below the views that move each element to one place."""
    while (e.traits.view and e.traits.moves) or moves_elements(e):
        e = e.operands[-1]
    return e
