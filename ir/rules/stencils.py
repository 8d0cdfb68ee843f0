"""Steps of a stencil with a kept border, recognised by what their elements read.

A step takes an array to one of its shape. Its elements near a border are those of the array that all steps began with,
and each inner one is the same function of its neighbours. Which views, slices and concats say so does not matter: an
element is followed through them by its indices.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from math import prod
from typing import TypeAlias

from ir.core.expr import Expr, Lambda, Param, close, fresh, identity, postorder, substitute
from ir.core.nodes.views import IndexView
from ir.core.patterns import Concat, Element, Get, Map, Tuple, Zip, length_of
from ir.core.sizes import Size, divide_exactly, is_le, is_lt, size, var
from ir.core.types import ArrayType, ScalarType
from ir.cost.thresholds.partition import KEPT_BORDER_AT_MOST
from ir.rules.common import element

__all__ = ["Form", "Offset", "Stencil", "arrays_in", "form_of", "is_step", "keeps_border", "steps_before", "steps_of"]

Offset: TypeAlias = tuple[int, ...]
Key: TypeAlias = "Size | int"
"""An index, or, as a number of Python's, which component of a tuple."""


@dataclass(frozen=True)
class Form:
    """What all steps of a stencil with a kept border have in common.

    Attributes:
        shape: the extents of its dimensions, one or two
        border: how many elements are kept on each side of each dimension, so that no step reads further
        offsets: where the neighbours are that an element is made of, the first argument of `function` first
    """

    shape: tuple[Size, ...]
    border: tuple[int, ...]
    offsets: tuple[Offset, ...]
    function: Lambda


@dataclass(frozen=True)
class Stencil:
    """So many steps of a form, two or more, and the flat array that they begin with."""

    steps: int
    start: Expr
    form: Form


def is_step(e: Expr) -> bool:
    """Can it be a step: parts of a flat array of numbers, copied, of which some are computed?"""
    if not isinstance(e, Map) or not isinstance(e.xs, Concat) or not isinstance(e.f, Lambda):
        return False
    return e.f is identity(e.f.types[0]) and isinstance(e.f.result, ScalarType)


def form_of(e: Expr, previous: Expr, start: Expr) -> Form | None:
    """The form of a step, whose border is kept from either of two arrays and which is made of the first of them; None
    where it is something else.
    """
    for shape, border in _forms(e) if is_step(e) else ():
        found = _form(e, previous, start, shape, border)
        if found is not None:
            return found
    return None


@lru_cache(maxsize=256)
def steps_of(e: Expr) -> Stencil | None:
    """The steps that an expression is, two or more, each made of the one before; None where it is something else."""
    if not is_step(e):
        return None
    steps: list[tuple[Expr, Expr]] = []
    node, before = e, steps_before(e)
    while len(before) == 1:
        previous = fresh(e.type)
        steps.append((substitute(node, {before[0]: previous}), previous))
        node = before[0]
        before = steps_before(node)
    starts = {x for x in arrays_in(node) if x.type is e.type}
    if before or not steps or len(starts) != 1:
        return None
    (start,) = starts
    form = form_of(node, start, start)
    if form is None or any(form != _form(step, x, start, form.shape, form.border) for step, x in steps):
        return None
    return Stencil(1 + len(steps), start, form)


def arrays_in(e: Expr) -> list[Param]:
    """The arrays in memory that an expression reads."""
    return [x for x in postorder(e) if isinstance(x, Param) and not x.binder and isinstance(x.type, ArrayType)]


def steps_before(e: Expr) -> list[Expr]:
    """The steps that a step is made of, without those that they are made of."""
    found: dict[Expr, None] = {}
    seen: set[Expr] = set()
    pending = list(e.operands)
    while pending:
        node = pending.pop()
        if node in seen:
            continue
        seen.add(node)
        if node.type is e.type and is_step(node):
            found[node] = None
        else:
            pending.extend(node.operands)
    return list(found)


def _forms(e: Expr) -> Iterator[tuple[tuple[Size, ...], tuple[int, ...]]]:
    """Extents and borders that a step may have: of rows as long as some that it is made of, else of one dimension."""
    assert isinstance(e.type, ArrayType)
    total, rows = e.type.length, dict[Size, None]()
    for node in postorder(e):
        if isinstance(node.type, ArrayType) and isinstance(node.type.element, ArrayType):
            rows[node.type.element.length] = None
    shapes: list[tuple[Size, ...]] = [
        (n, m) for m in rows if m.value != 1 and (n := divide_exactly(total, m)) is not None and n.value != 1
    ]
    for shape in shapes or [(total,)]:
        for border in product(range(1, KEPT_BORDER_AT_MOST + 1), repeat=len(shape)):
            yield shape, border


class _UnknownError(Exception):
    """An element whose value does not follow from its indices alone."""


class _Cells:
    """Indices as sizes."""

    def combined(self, i: Size, row: Size, j: Size) -> Size:
        return i * row + j

    def divided(self, i: Size, row: Size, rows: Size) -> tuple[Size, Size]:
        return i // row, i % row


_CELLS = _Cells()


def _form(e: Expr, previous: Expr, start: Expr, shape: tuple[Size, ...], border: tuple[int, ...]) -> Form | None:
    """The form of a step of that shape with that border; None where it has none."""
    if not all(is_lt(size(2 * b), n) for n, b in zip(shape, border, strict=True)):
        return None
    inner = _inner(shape, border)
    if not keeps_border(e, (previous, start), shape, border):
        return None
    try:
        return _inside(e, previous, inner, shape, border)
    except _UnknownError:
        return None


def keeps_border(e: Expr, arrays: Collection[Expr], shape: tuple[Size, ...], border: tuple[int, ...]) -> bool:
    """Is each element near a border of a flat array the one at the same place of some of these arrays?"""
    names = [var(f"cell{d}", 0, n - 1) for d, n in enumerate(shape)]
    inner = _inner(shape, border)
    try:
        for d, (n, b) in enumerate(zip(shape, border, strict=True)):
            near = var(f"near{d}", 0, b - 1)
            for own in (near, n - b + near):
                if _kept(e, [*inner[:d], own, *names[d + 1 :]], shape) not in arrays:
                    return False
    except _UnknownError:
        return False
    return True


def _inner(shape: tuple[Size, ...], border: tuple[int, ...]) -> list[Size]:
    """The indices of an element that is not near a border."""
    return [var(f"inner{d}", 0, n - 2 * b - 1) + b for d, (n, b) in enumerate(zip(shape, border, strict=True))]


def _place(cell: list[Size], shape: tuple[Size, ...]) -> Size:
    """Where a cell lies in the flat array."""
    return sum((i * prod(shape[d + 1 :], start=size(1)) for d, i in enumerate(cell)), start=size(0))


def _kept(e: Expr, cell: list[Size], shape: tuple[Size, ...]) -> Expr | None:
    """The array whose element at the same place an element of the result is."""
    place, read = _place(cell, shape), dict[Expr, Expr]()

    def note(leaf: Expr, index: Size) -> Expr:
        if index is not place:
            raise _UnknownError
        return read.setdefault(leaf, fresh(element(leaf)))

    found = _Elements(note).at(e, (place,))
    return next((leaf for leaf, value in read.items() if value is found), None)


def _inside(e: Expr, previous: Expr, cell: list[Size], shape: tuple[Size, ...], border: tuple[int, ...]) -> Form | None:
    place, found = _place(cell, shape), dict[Offset, Param]()
    near = product(*(range(-b, b + 1) for b in border))
    offsets = {_place([size(i) for i in each], shape): each for each in near}

    def note(leaf: Expr, index: Size) -> Expr:
        offset = offsets.get(index - place)
        if leaf is not previous or offset is None:
            raise _UnknownError
        return found.setdefault(offset, fresh(element(leaf)))

    value = _Elements(note).at(e, (place,))
    order = tuple(sorted(found))
    return Form(shape, border, order, close([found[o] for o in order], value)) if order else None


class _Elements:
    """Elements as expressions over what `read` makes of those of arrays in memory; each is made once."""

    def __init__(self, read: Callable[[Expr, Size], Expr]) -> None:
        self._read = read
        self._made: dict[tuple[Expr, tuple[Key, ...]], Expr] = {}

    def at(self, e: Expr, keys: tuple[Key, ...]) -> Expr:
        """The number at those indices of an array.

        Raises:
            _UnknownError: nothing says which one it is.
        """
        wanted = e, keys
        if wanted not in self._made:
            self._made[wanted] = self._follow(e, keys)
        return self._made[wanted]

    def _follow(self, e: Expr, keys: tuple[Key, ...]) -> Expr:
        match e, keys:
            case Param(), ():
                return e
            case Param(), (Size() as i,):
                return self._read(e, i)
            case Get(), _:
                return self.at(e.operand, (e.index, *keys))
            case Tuple(), (int() as i, *rest):
                return self.at(e.operands[i], tuple(rest))
            case Zip(), (Size() as i, int() as component, *rest):
                return self.at(e.operands[component], (i, *rest))
            case Concat(), (Size() as i, *rest):
                part, first = _part(e, i)
                return self.at(part, (first, *rest))
            case Map(Lambda() as f, xs), (Size() as i, *rest):
                return self.at(f(Element(i, xs)), tuple(rest))
            case IndexView(), _ if e.traits.natural:
                found = e.followed(_CELLS, keys)
                if found is not None:
                    return self.at(e.operands[0], found)
        if keys or e.is_pattern or isinstance(e, Lambda):
            raise _UnknownError
        operands = tuple([self.at(operand, ()) for operand in e.operands])
        return e._rebuilt(operands) if operands != e.operands else e


def _part(e: Concat, i: Size) -> tuple[Expr, Size]:
    """The part of a concat in which an index lies, and the index there."""
    begin = size(0)
    for part in e.operands:
        end = begin + length_of(part)
        if is_le(begin, i) and is_lt(i, end):
            return part, i - begin
        begin = end
    raise _UnknownError
