"""Recognising a recorded graph: its structure apart from its sizes and leaves, in one pass.

Programs are recorded again and again over new data. Cutting a graph into kernels and replacing sizes by symbols costs
hundreds of microseconds; recognising that a graph of the same structure was cut before costs a few.

    skeleton of  map (λx. |x|) a7            with a7: [float32]1000
    structure:   leaf float32 of one dimension; map (λx. |x|) of number 0          numbers: 1000
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from math import prod
from typing import Any, NamedTuple

from ir.core.expr import Expr, Lambda, Param, postorder
from ir.core.interning import Table
from ir.core.patterns import Slide
from ir.core.signature import Kind
from ir.core.sizes import LIMIT_32, Size
from ir.core.types import ArrayType, FunctionType, ScalarType, TupleType, Type, element_type
from ir.cost.thresholds.partition import CONSTANT_EXTENT_UP_TO
from ir.fusion.symbols.symbolise import leaves_nothing, small_numbers

__all__ = ["Known", "Shape", "StructureKey", "classes", "structure_key"]

Shape = Callable[[Param], tuple[int, ...]]
Known = Callable[[Expr], Expr | None]


class StructureKey(NamedTuple):
    """A graph taken apart; two graphs are the same program over other data if structure and numbers are equal.

    Attributes:
        structure: the vertices below the roots and what identifies them, but for sizes; vertices and leaves are
            numbered
        numbers: the constant sizes, in the order in which they occur; the extents of the leaves among them
        leaves: the variables of the graph in the order of their numbers
        known: the vertices that are computed already, and the leaf, or zip of leaves, that stands for each
    """

    structure: tuple[Any, ...]
    numbers: tuple[int, ...]
    leaves: list[Param]
    known: dict[Expr, Expr]


_PLAIN = frozenset({Kind, ScalarType, str, bytes, bool})
"""Types of parameters that hold no sizes."""


class _Erased:
    """The structure of a function that mentions no variable: one object for each, since the same comes often."""

    __slots__ = ("__weakref__",)


_erased: Table[_Erased] = Table()
"""By the structures."""


def structure_key(
    roots: Sequence[Expr], shape: Shape, known: Known | None = None, marked: Container[int] | None = None
) -> StructureKey:
    """Take the graph below `roots` apart; iterative, and linear in its vertices.

    In the structure, vertices come as they are met, those met last first. None stands where a vertex is met that is to
    come, a position where one is met that was met before, there.

    Args:
        shape: the logical shape of a leaf
        known: the leaf that stands for a vertex that is computed already, or the zip of leaves for an array of tuples;
            None for any other
        marked: the addresses (`id`) of all vertices for which `known` may know something; None: it is asked for each
    """
    # No functions in here: one that mentions itself would keep the graph alive until the garbage collector comes.
    structure: list[Any] = [len(roots)]
    numbers: list[int] = []
    leaves: list[Param] = []
    replaced: dict[Expr, Expr] = {}
    place: dict[Expr, int] = {}  # where a vertex or leaf was met first: a position in the structure
    variable: set[Expr] = set()  # what is known to depend on a leaf
    stack: list[Expr] = []

    met: Sequence[Expr] = roots
    while True:
        for x in met:
            number = place.get(x)
            if number is not None:
                structure.append(number)
            elif type(x) is Lambda and (x.outline or _closed(x, variable)):
                token, sizes = x.outline  # type: ignore[misc]  # there is one now
                structure.append(x if token is None else token)
                if sizes:
                    numbers.extend(sizes)
            elif isinstance(x, Param) and not x.binder:
                _leaf(x, shape, structure, numbers, leaves, place)
            elif known is not None and (marked is None or id(x) in marked) and (leaf := known(x)) is not None:
                replaced[x] = leaf
                number = place.get(leaf)
                if number is not None:
                    structure.append(number)
                elif isinstance(leaf, Param):
                    _leaf(leaf, shape, structure, numbers, leaves, place)
                else:  # a zip of leaves is a vertex like others
                    place[leaf] = len(structure)
                    structure.append(None)
                    stack.append(leaf)
                place[x] = place[leaf]
            else:
                place[x] = len(structure)
                structure.append(None)
                stack.append(x)
        if not stack:
            return StructureKey(tuple(structure), tuple(numbers), leaves, replaced)
        node = stack.pop()
        met = node.operands
        structure.append(type(node))
        structure.append(len(met))
        for parameter in node.parameters:
            kind = type(parameter)
            if kind is Size and parameter.value is not None:
                structure.append(Size)
                numbers.append(parameter.value)
            elif kind in _PLAIN:
                structure.append(parameter)
            else:
                _erase(parameter, structure, numbers)


def _leaf(
    leaf: Param, shape: Shape, structure: list[Any], numbers: list[int], leaves: list[Param], place: dict[Expr, int]
) -> None:
    """Note a leaf that was not met before."""
    place[leaf] = len(structure)
    extents, element = shape(leaf), leaf.type.element  # type: ignore[attr-defined]  # an array
    structure.append(Param)
    structure.append(len(extents))
    numbers.extend(extents)
    if isinstance(element, ScalarType):  # flat, so the extents tell its length
        structure.append(element)
    else:
        _erase(leaf.type, structure, numbers)
    leaves.append(leaf)


def _erase(parameter: Any, structure: list[Any], numbers: list[int]) -> None:
    """Note what identifies a vertex besides its operands, constant sizes apart from the rest."""
    if isinstance(parameter, Size):
        if parameter.value is None:
            structure.append(parameter)
        else:
            structure.append(Size)
            numbers.append(parameter.value)
    elif isinstance(parameter, ArrayType):
        structure.append(ArrayType)
        _erase(parameter.length, structure, numbers)
        _erase(parameter.element, structure, numbers)
    elif isinstance(parameter, TupleType):
        structure += (TupleType, len(parameter.elements))
        for part in parameter.elements:
            _erase(part, structure, numbers)
    elif isinstance(parameter, tuple):
        structure.append(len(parameter))
        for part in parameter:
            _erase(part, structure, numbers)
    else:
        structure.append(parameter)


def _closed(f: Lambda, variable: set[Expr]) -> tuple[_Erased | None, tuple[int, ...]] | None:
    """What stands in a structure for a function without variables of the graph (None: itself), and its sizes; None for
    any other function.

    Args:
        variable: expressions that depend on variables of the graph; those that are found join them
    """
    found = f.outline
    if found is None:
        found = () if _is_variable(f, variable) else _outline(f)
        object.__setattr__(f, "outline", found)
    return found or None


def _is_variable(root: Expr, variable: set[Expr]) -> bool:
    """Does an expression depend on a variable of the graph? Then all on the way to it join those that do, so that a
    graph is walked once for all functions in it that mention its arrays.
    """
    seen: set[Expr] = set()
    stack: list[tuple[Expr, bool]] = [(root, False)]
    while stack:
        node, entered = stack.pop()
        if entered or node in seen:
            continue
        if node in variable or (isinstance(node, Param) and not node.binder):
            variable.update([above for above, inside in stack if inside])
            variable.update((node, root))
            return True
        seen.add(node)
        stack.append((node, True))
        stack.extend([(operand, False) for operand in node.operands if operand not in seen])
    return False


def _outline(f: Lambda) -> tuple[Any, ...]:
    inner = list(postorder(f))
    structure: list[Any] = []
    numbers: list[int] = []
    place = {node: number for number, node in enumerate(inner)}
    for node in inner:
        structure += (type(node), len(node.operands), *[place[x] for x in node.operands])
        for parameter in node.parameters:
            _erase(parameter, structure, numbers)
    if not numbers:
        return None, ()
    key = tuple(structure)
    return _erased.get(key) or _erased.enter(key, _Erased()), tuple(numbers)


def classes(roots: Sequence[Expr], found: StructureKey, shape: Shape, granule: int) -> tuple[Any, list[int]]:
    """What decides, besides a graph's structure, how it is cut and which of its sizes become which symbols; and the
    different sizes that it mentions, in a fixed order.

    Graphs of one structure and equal classes are the same program: their kernels differ in the values of the symbols
    alone. It takes which sizes are equal (also those of intermediate arrays, and products of the extents of a shape),
    which are small constants or multiples of the granule, and the magnitude of each. Where a graph has other patterns
    than size-neutral ones, or needs 64-bit indices, these are its numbers themselves.
    """
    order: dict[int, int] = {}
    places: list[int] = []
    known: dict[Type, list[int]] = {}
    largest = 0

    def note(numbers: Iterable[int]) -> None:
        places.extend([order.setdefault(n, len(order)) for n in numbers])

    note(found.numbers)
    for leaf in found.leaves:
        note(_runs(shape(leaf)))
    same = True
    slides: list[Slide] = []
    shapes: list[tuple[int, ...]] = []
    for node in _every(roots, found.known):
        same = same and (not node.is_pattern or node.traits.size_neutral)
        if type(node) is Slide:
            slides.append(node)
        extents = known.get(node.type)
        if extents is None:
            shapes.append(_shape(node.type))
            extents = known[node.type] = list(_extents(node.type))
            largest = max(largest, *extents, 0)
        note(extents)
    sizes = list(order)
    if not same or max(largest, *sizes, 0) > LIMIT_32:
        return found.numbers, sizes
    small = max(CONSTANT_EXTENT_UP_TO, small_numbers(slides, shapes))
    rests = tuple([leaves_nothing(node) for node in slides])
    return (tuple(places), tuple([_class(n, granule, small) for n in sizes]), rests), sizes


def _class(number: int, granule: int, small: int) -> object:
    if number <= small:
        return number
    return number % granule == 0, number.bit_length()


def _runs(shape: tuple[int, ...]) -> Iterator[int]:
    """The products of neighbouring extents."""
    for start in range(len(shape)):
        for stop in range(start + 1, len(shape) + 1):
            yield prod(shape[start:stop])


def _shape(t: Type) -> tuple[int, ...]:
    """The constant lengths of nested arrays."""
    shape = []
    while isinstance(t, ArrayType):
        if t.length.value is not None:
            shape.append(t.length.value)
        t = t.element
    return tuple(shape)


def _extents(t: Type) -> Iterator[int]:
    """The lengths in a type and the products of those of nested dimensions."""
    yield from _runs(_shape(t))
    t = element_type(t)
    parts: tuple[Type, ...] = ()
    if isinstance(t, TupleType):
        parts = t.elements
    elif isinstance(t, FunctionType):
        parts = (*t.params, t.result)
    for part in parts:
        yield from _extents(part)


def _every(roots: Sequence[Expr], known: Container[Expr]) -> Iterator[Expr]:
    """All vertices, each once, but for those that are known and what these were computed from: no program is cut by it.
    Of functions those that mention variables of the graph or sizes: the others hold no arrays.
    """
    seen: set[Expr] = set()
    variable: set[Expr] = set()

    def is_done(e: Expr) -> bool:
        return e in seen or e in known or (isinstance(e, Lambda) and _closed(e, variable) == (None, ()))

    for root in roots:
        for node in postorder(root, prune=is_done):
            seen.add(node)
            yield node
