"""Values as the generator sees them: views that are index functions, and targets that say where a result goes.

Source: "Lift: a functional data-parallel IR for high-performance GPU code generation" (CGO 2017), section 5. A
view is a
function from an index to the view of the element; composing patterns composes functions, and only a scalar at the end
becomes a memory access, whose index the size arithmetic has simplified by then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from ir.core.sizes import Size, is_le, is_lt, minimum, size, var
from ir.core.types import ArrayType, ScalarType, TupleType, Type, VectorType
from ir.errors import GenerationError

__all__ = [
    "ArrayView", "Choice", "Index", "Lanes", "Load", "Storage", "Target", "Text", "TupleView", "Value",
    "are_neighbours", "array_target", "compacted_target", "component_of", "component_target", "element_at",
    "elements_of", "guarded", "headed", "is_symbolic_lane", "lane_step", "lengths_of", "memory_target", "memory_view",
    "permuted_target", "scatter_target", "shifted", "target_at", "turns_written", "vectors_of",
]  # fmt: skip


@dataclass(frozen=True)
class Storage:
    """Named memory that holds scalars (private memory may hold whole vectors) of one type.

    Attributes:
        single: it is a variable, not an array
    """

    name: str
    space: str
    element: Type
    single: bool = False

    def place(self, index: str) -> str:
        """The C expression of one of its elements."""
        return self.name if self.single else f"{self.name}[{index}]"


@dataclass(frozen=True)
class Text:
    """A scalar or vector that stands in a variable or is cheap to write again.

    Attributes:
        mask: bytes of each number of a vector of truth values, whose numbers are as wide as those that were compared;
            where values meet that ask for one kind (memory, accumulators), they are converted to single bytes
    """

    text: str
    mask: int = 1


@dataclass(frozen=True)
class Load:
    """A scalar in memory, not yet read."""

    storage: Storage
    index: Size


@dataclass(frozen=True)
class Index:
    """An index as a number, which is written when it is used: until then views may rename it."""

    value: Size


@dataclass(frozen=True)
class Choice:
    """One value below a limit, another from there on.

    Attributes:
        masked: where it is the other one, the first in the memory of the one is loaded all the same
    """

    index: Size
    limit: Size
    below: Value
    above: Value
    masked: bool = False

    def each(self, part: Callable[[Value], Value]) -> Choice:
        """The choice of parts of both."""
        return replace(self, below=part(self.below), above=part(self.above))


@dataclass(frozen=True)
class Lanes:
    """A vector gathered from the lanes of a scalar view: `lane(k)` is lane k."""

    width: int
    lane: Callable[[Size], Value]


@dataclass(frozen=True)
class TupleView:
    """A tuple of values."""

    parts: Sequence[Value]


@dataclass(frozen=True)
class ArrayView:
    """An array: `at(i)` is element i."""

    at: Callable[[Size], Value]


Value = Text | Load | Index | Choice | Lanes | TupleView | ArrayView


def elements_of(t: Type, apart: int = 0) -> Size:
    """How many scalars (or, in private memory, vectors) one value of that type takes in each of its storages, with so
    many between the innermost rows.
    """
    count = size(1)
    while isinstance(t, ArrayType):
        inner = t.element
        count = count * (t.length if isinstance(inner, ArrayType) else t.length + apart)
        t = inner
    return count


def memory_view(t: Type, storages: list[Storage], offset: Size, apart: int = 0) -> Value:
    """The view of a value laid out contiguously from `offset`, its innermost rows so many elements `apart`; tuples lie
    in one storage for each component.
    """
    if isinstance(t, ArrayType):
        element, stride = t.element, elements_of(t.element, apart)
        return ArrayView(lambda i: memory_view(element, storages, offset + i * stride, apart))
    if isinstance(t, TupleType):
        return TupleView(tuple(memory_view(part, its, offset, apart) for part, its in _shares(t, storages)))
    return Load(storages[0], offset)


def _shares(t: TupleType, storages: list[Storage]) -> Iterator[tuple[Type, list[Storage]]]:
    """The components of a tuple, each with the storages that it lies in."""
    for part in t.elements:
        taken = leaves(part)
        yield part, storages[:taken]
        storages = storages[taken:]


def leaves(t: Type) -> int:
    """How many storages a value of that type takes."""
    if isinstance(t, ArrayType):
        return leaves(t.element)
    return sum(map(leaves, t.elements)) if isinstance(t, TupleType) else 1


def leaf_types(t: Type) -> list[Type]:
    """The scalar (or vector) type of each storage."""
    if isinstance(t, ArrayType):
        return leaf_types(t.element)
    if isinstance(t, TupleType):
        return [leaf for part in t.elements for leaf in leaf_types(part)]
    if not isinstance(t, (ScalarType, VectorType)):
        raise GenerationError(f"a value of type {t} cannot be stored")
    return [t]


def lengths_of(t: Type) -> tuple[Size, ...]:
    """How many scalars a value of that type takes in each of its storages: those of a tuple's parts may differ."""
    if isinstance(t, TupleType):
        return tuple(length for part in t.elements for length in lengths_of(part))
    return (elements_of(t),) * leaves(t)


@dataclass(frozen=True)
class Target:
    """Where a value goes: an array target by index, a tuple target by component, or one place in memory.

    A vector goes to `lanes`, the targets of its scalars. Of a pair of an index and a value, the value goes to the
    element of `named` that the index says, of `extent` elements. Nothing is written where the first size of a pair of
    `guards` is not less than the second.
    """

    at: Callable[[Size], Target] | None = None
    parts: tuple[Target, ...] | None = None
    storage: Storage | None = None
    index: Size | None = None
    lanes: Callable[[Size], Target] | None = None
    width: int = 1
    named: Target | None = None
    extent: Size | None = None
    guards: tuple[tuple[Size, Size], ...] = ()


def array_target(at: Callable[[Size], Target]) -> Target:
    """The target of an array whose element i goes to `at(i)`."""
    return Target(at=at)


def memory_target(t: Type, storages: list[Storage], offset: Size, apart: int = 0) -> Target:
    """The target that lays a value out as `memory_view` reads it."""
    if isinstance(t, ArrayType):
        element, stride = t.element, elements_of(t.element, apart)
        return array_target(lambda i: memory_target(element, storages, offset + i * stride, apart))
    if isinstance(t, TupleType):
        return Target(parts=tuple(memory_target(part, its, offset, apart) for part, its in _shares(t, storages)))
    return Target(storage=storages[0], index=offset)


def permuted_target(target: Target, extent: Size) -> Target:
    """The target of an array of pairs, each of which says where in another array of that length its value goes."""
    return array_target(lambda i: Target(named=target, extent=extent))


def compacted_target(target: Target, count: Size) -> Target:
    """The target of an array of pairs, each of which says where in an array of that length its value goes, or, with
    that length for an index, nowhere.
    """
    return permuted_target(headed(target, count, count + 1), count + 1)


def headed(target: Target, count: Size, length: Size) -> Target:
    """The target of a longer array, whose first elements go to those of another, and the others nowhere."""
    if is_le(length, count):
        return target

    def at(i: Size) -> Target:
        found = target_at(target, i)
        return found if is_lt(i, count) else guarded(found, ((i, count),))

    return array_target(at)


def turns_written(target: Target, turns: Size, t: Type) -> Size:
    """How many turns of a loop write anything, that of number i an element of type t to `target_at(target, i)`."""
    i = var("turn_", 0, turns - 1)
    for index, count in _guards_of(target_at(target, i), t):
        limit = count - (index - i)
        if not any(v.name.startswith(("turn_", "inner_", "lane_")) for v in limit.variables):
            turns = minimum(turns, limit)
    return turns


def _guards_of(target: Target, t: Type, depth: int = 0) -> tuple[tuple[Size, Size], ...]:
    """The guards of all scalars of a value; the indices of those inside are variables."""
    if isinstance(t, ArrayType):
        i = size(0) if t.length.value == 1 else var(f"inner_{depth}", 0, t.length - 1)
        return _guards_of(target_at(target, i), t.element, depth + 1)
    if target.lanes is not None and isinstance(t, VectorType):
        return _guards_of(target.lanes(var("lane_", 0, t.width - 1)), t.element)
    if isinstance(t, TupleType) and target.parts is not None:
        first, *others = (_guards_of(part, p, depth) for part, p in zip(target.parts, t.elements, strict=True))
        return tuple(guard for guard in first if all(guard in other for other in others))
    return target.guards


def guarded(target: Target, guards: tuple[tuple[Size, Size], ...]) -> Target:
    """A target that is written to where the first size of each of these pairs is less than the second, too."""
    at, lanes = target.at, target.lanes
    if not guards:
        return target
    if at is not None:
        return replace(target, at=lambda j: guarded(at(j), guards))
    if lanes is not None:
        return replace(target, lanes=lambda k: guarded(lanes(k), guards))
    if target.parts is not None:
        return replace(target, parts=tuple(guarded(part, guards) for part in target.parts))
    return replace(target, guards=(*target.guards, *guards))


def scatter_target(t: Type, scalars: Callable[[Size], Target]) -> Target:
    """The target of one vector (or tuple of vectors) whose lane k goes to `scalars(k)`."""
    if isinstance(t, TupleType):
        parts = []
        for i, part in enumerate(t.elements):
            parts.append(scatter_target(part, lambda k, i=i: _component(scalars(k), i)))  # type: ignore[misc]  # i is bound early
        return Target(parts=tuple(parts))
    assert isinstance(t, VectorType)
    return Target(lanes=scalars, width=t.width)


def _component(target: Target, i: int) -> Target:
    assert target.parts is not None
    return target.parts[i]


def lane_step(first: Size, index_of: Callable[[Size], Size], width: int) -> Size | None:
    """The distance of the lanes' indices from one to the next, where that is the same; None where it is not."""
    k = var("lane_", 0, width - 1)
    step = index_of(size(1)) - first
    return step if index_of(k) is first + step * k else None


def are_neighbours(first: Size, index_of: Callable[[Size], Size], width: int) -> bool:
    """Do the lanes follow the first one's index in memory?"""
    k = var("lane_", 0, width - 1)
    return index_of(k) is first + k


def is_symbolic_lane(variable: Size) -> bool:
    """Is it the lane of `are_neighbours`, or made from it? No variable of the kernel holds it."""
    return variable.name.startswith("lane_")


def element_at(value: Value, i: Size) -> Value:
    """Element i of an array view."""
    if isinstance(value, Choice):
        return value.each(lambda one: element_at(one, i))
    if not isinstance(value, ArrayView):
        raise GenerationError(f"{value} is indexed but is no array")
    return value.at(i)


def component_of(value: Value, index: int) -> Value:
    """Component `index` of a tuple view, or the array of the components of an array of tuples."""
    match value:
        case TupleView(parts):
            return parts[index]
        case ArrayView(at):
            return ArrayView(lambda i: component_of(at(i), index))
        case Choice():
            return value.each(lambda one: component_of(one, index))
    raise GenerationError(f"{value} is projected but is no tuple")


def vectors_of(inner: Value, i: Size, width: int, t: Type) -> Value:
    """Vector i of a scalar view whose vectors have that array type."""
    assert isinstance(t, ArrayType)

    def lanes_of(element: Type, get: tuple[int, ...]) -> Value:
        if isinstance(element, TupleType):
            return TupleView(tuple(lanes_of(part, (*get, k)) for k, part in enumerate(element.elements)))

        def lane(k: Size) -> Value:
            value = element_at(inner, i * width + k)
            for component in get:
                value = component_of(value, component)
            return value

        return Lanes(width, lane)

    return lanes_of(t.element, ())


def target_at(target: Target, i: Size) -> Target:
    """Where element i of an array goes."""
    if target.at is None:
        raise GenerationError("an array is written to a target that is no array")
    return target.at(i)


def shifted(target: Target, start: Size) -> Target:
    """The target whose element 0 is element `start` of another."""
    return array_target(lambda i: target_at(target, start + i))


def component_target(target: Target, i: int) -> Target:
    """Where component i of a tuple, or of the tuples of an array, goes."""
    if target.parts is not None:
        return target.parts[i]
    return array_target(lambda j: component_target(target_at(target, j), i))
