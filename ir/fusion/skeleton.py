"""Recognising a recorded graph: its structure apart from its sizes and leaves, in one pass.

Programs are recorded again and again over new data. Cutting a graph into kernels and replacing sizes by symbols costs
hundreds of microseconds; recognising that a graph of the same structure was cut before costs a few.

    skeleton of  map (λx. |x|) a7            with a7: [float32]1000
    structure:   leaf float32 of one dimension; map (λx. |x|) of number 0          numbers: 1000
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from math import prod
from typing import Any, NamedTuple

from ir.core.expr import Expr, Lambda, Param, postorder
from ir.core.patterns import (
    Element,
    Gather,
    Generate,
    Join,
    Map,
    Reduce,
    Repeat,
    Scan,
    Slice,
    Slide,
    Split,
    Transpose,
    Zip,
)
from ir.core.signature import Kind
from ir.core.sizes import Size
from ir.core.types import ArrayType, FunctionType, ScalarType, TupleType, Type
from ir.fusion.generalise import LIMIT_32, SMALL_EXTENT, leaves_nothing, small_numbers

__all__ = ["Known", "Shape", "Skeleton", "classes", "skeleton"]

Shape = Callable[[Param], tuple[int, ...]]
Known = Callable[[Expr], Expr | None]

_RENAMED = frozenset({Map, Reduce, Scan, Generate, Zip, Split, Join, Transpose, Slice, Slide, Repeat, Element, Gather})
"""The patterns of which a graph is cut in the same way whatever its sizes are, as long as their classes are the same.

Any cut is right for them, since no kernel is more than vertices of the graph. Patterns whose sizes are computed with
when a graph is cut (is one offset beyond another, is a length the sum of others) must not be among them. Of windows
the classes tell what is computed with: the sizes of small ones, and whether anything is left over.
"""


class Skeleton(NamedTuple):
    """A graph taken apart; two graphs are the same program over other data if structure and numbers are equal.

    structure : the vertices below the roots and what identifies them, but for sizes; vertices and leaves are numbered
    numbers : the constant sizes, in the order in which they occur; the extents of the leaves among them
    leaves : the variables of the graph in the order of their numbers
    known : the vertices that are computed already, and the leaf, or zip of leaves, that stands for each
    """

    structure: tuple[Any, ...]
    numbers: tuple[int, ...]
    leaves: list[Param]
    known: dict[Expr, Expr]


_PLAIN = frozenset({Kind, ScalarType, str, bytes, bool})
"""Types of parameters that hold no sizes."""


class _Erased:
    """The structure of a function that mentions no variable, with its hash, since the same function comes often."""

    __slots__ = ("_hash", "structure")

    def __init__(self, structure: tuple[Any, ...]) -> None:
        self.structure = structure
        self._hash = hash(structure)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Erased) and self.structure == other.structure


def skeleton(roots: Sequence[Expr], shape: Shape, known: Known | None = None) -> Skeleton:
    """Take the graph below `roots` apart; iterative, and linear in its vertices.

    shape : the logical shape of a leaf
    known : the leaf that stands for a vertex that is computed already, or the zip of leaves for an array of
        tuples; None for any other
    """
    structure: list[Any] = []
    numbers: list[int] = []
    leaves: list[Param] = []
    replaced: dict[Expr, Expr] = {}
    place: dict[Expr, int] = {}  # where a vertex stands in the structure, which is its number

    def is_leaf(node: Expr) -> bool:
        leaf = node
        if isinstance(node, Param):
            if node.binder:
                return False
        else:
            found = None if known is None else known(node)
            if found is None:
                return False
            leaf = replaced[node] = found
        if not isinstance(leaf, Param):  # the leaves of an array of tuples
            parts = [part for part in leaf.operands if is_leaf(part)]
            place[node] = len(structure)
            structure.extend((type(leaf), len(parts), *[place[part] for part in parts]))
            return True
        if leaf not in place:
            extents, element = shape(leaf), leaf.type.element  # type: ignore[attr-defined]  # an array
            place[leaf] = len(structure)
            structure.append(Param)
            structure.append(len(extents))
            numbers.extend(extents)
            if isinstance(element, ScalarType):  # flat, so the extents tell its length
                structure.append(element)
            else:
                _erase(leaf.type, structure, numbers)
            leaves.append(leaf)
        place[node] = place[leaf]
        return True

    stack = [root for root in reversed(roots) if not is_leaf(root)]
    while stack:
        node = stack[-1]
        if node in place:
            stack.pop()
            continue
        operands = node.operands
        waiting = False
        for x in operands:
            if x not in place and not (type(x) is Lambda and (x.outline or _closed(x))) and not is_leaf(x):
                stack.append(x)
                waiting = True
        if waiting:
            continue
        stack.pop()
        place[node] = len(structure)
        structure.append(type(node))
        structure.append(len(operands))
        for x in operands:
            number = place.get(x)
            if number is None:
                token, sizes = x.outline  # type: ignore[attr-defined]  # a function that was not waited for
                structure.append(x if token is None else token)
                numbers.extend(sizes)
            else:
                structure.append(number)
        for parameter in node.parameters:
            kind = type(parameter)
            if kind in _PLAIN:
                structure.append(parameter)
            elif kind is Size and parameter.value is not None:
                structure.append(Size)
                numbers.append(parameter.value)
            else:
                _erase(parameter, structure, numbers)
    structure.extend([place[root] for root in roots])
    return Skeleton(tuple(structure), tuple(numbers), leaves, replaced)


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


def _closed(f: Lambda) -> tuple[_Erased | None, tuple[int, ...]] | None:
    """What stands in a structure for a function without variables of the graph (None: itself), and its sizes; None for
    any other function.
    """
    found = f.outline
    if found is None:
        found = _outline(f)
        object.__setattr__(f, "outline", found)
    return found or None


def _outline(f: Lambda) -> tuple[Any, ...]:
    inner = list(postorder(f))
    if any(isinstance(node, Param) and not node.binder for node in inner):
        return ()
    structure: list[Any] = []
    numbers: list[int] = []
    place = {node: number for number, node in enumerate(inner)}
    for node in inner:
        structure += (type(node), len(node.operands), *[place[x] for x in node.operands])
        for parameter in node.parameters:
            _erase(parameter, structure, numbers)
    return (_Erased(tuple(structure)), tuple(numbers)) if numbers else (None, ())


def classes(roots: Sequence[Expr], found: Skeleton, shape: Shape, granule: int) -> tuple[Any, list[int]]:
    """What decides, besides a graph's structure, how it is cut and which of its sizes become which symbols; and the
    different sizes that it mentions, in a fixed order.

    Graphs of one structure and equal classes are the same program: their kernels differ in the values of the symbols
    alone. It takes which sizes are equal (also those of intermediate arrays, and products of the extents of a shape),
    which are small constants or multiples of the granule, and the magnitude of each. Where a graph has other patterns
    than `_RENAMED`, or needs 64-bit indices, these are its numbers themselves.
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
    for node in _every(roots):
        same = same and (not node.is_pattern or type(node) in _RENAMED)
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
    small = max(SMALL_EXTENT, small_numbers(slides, shapes))
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
    while isinstance(t, ArrayType):
        t = t.element
    parts: tuple[Type, ...] = ()
    if isinstance(t, TupleType):
        parts = t.elements
    elif isinstance(t, FunctionType):
        parts = (*t.params, t.result)
    for part in parts:
        yield from _extents(part)


def _every(roots: Sequence[Expr]) -> Iterator[Expr]:
    """All vertices, each once; of functions those that mention variables of the graph or sizes: the others hold no
    arrays.
    """
    seen: set[Expr] = set()

    def is_done(e: Expr) -> bool:
        return e in seen or (isinstance(e, Lambda) and _closed(e) == (None, ()))

    for root in roots:
        for node in postorder(root, prune=is_done):
            seen.add(node)
            yield node
