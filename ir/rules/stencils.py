"""Steps of a stencil, recognised by what their elements read.

A step takes an array to one of its shape. Each inner element is the same function of its neighbours. One near a border
is the element of the array that all steps began with, or it is that function, too, of a number or of other elements
where a neighbour would lie outside. Which views, slices and concats say so does not matter: an element is followed
through them by its indices.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from math import prod
from typing import TypeAlias

from ir.core.expr import Expr, Lambda, Param, close, fresh, identity, postorder, substitute
from ir.core.nodes.views import IndexView
from ir.core.patterns import Concat, Element, Get, Literal, Map, Repeat, Tuple, Zip, length_of
from ir.core.sizes import Size, divide_exactly, is_le, is_lt, size, var
from ir.core.types import ArrayType, ScalarType, is_flat
from ir.cost.thresholds.partition import KEPT_BORDER_AT_MOST
from ir.rules.common import element
from ir.walks import reached

__all__ = [
    "KEPT", "End", "Form", "Offset", "Stencil", "arrays_in", "form_of", "is_step", "keeps_border", "may_be_step",
    "steps_before", "steps_of",
]  # fmt: skip

Offset: TypeAlias = tuple[int, ...]
Key: TypeAlias = "Size | int"
"""An index, or, as a number of Python's, which component of a tuple."""


@dataclass(frozen=True)
class End:
    """What a step does at both ends of a dimension.

    Attributes:
        kind: the elements near them are `kept`; or what lies outside is the `edge`, the array again (`wrap`), mirrored
            without (`reflect`) or with (`symmetric`) the edge, or `filled`
        fill: the number that it is filled with
    """

    kind: str
    fill: Literal | None = None

    def inside(self, outside: int, n: Size) -> Size | None:
        """The index, of n, that stands for one which lies so many before the first, which is negative, or behind the
        last; None where a number does.
        """
        first = outside < 0
        match self.kind:
            case "edge":
                return size(0) if first else n - 1
            case "wrap":
                return n + outside if first else size(outside - 1)
            case "reflect":
                return size(-outside) if first else n - 1 - outside
            case "symmetric":
                return size(-outside - 1) if first else n - outside
        return None


KEPT = End("kept")
_MOVED = tuple(End(kind) for kind in ("edge", "symmetric", "reflect", "wrap"))


@dataclass(frozen=True)
class Form:
    """What all steps of a stencil have in common.

    Attributes:
        shape: the extents of its dimensions, one or two
        border: how many elements are near an end on each side of each dimension, so that no step reads further
        offsets: where the neighbours are that an element is made of, the first argument of `function` first
        ends: what happens at the ends of each dimension
    """

    shape: tuple[Size, ...]
    border: tuple[int, ...]
    offsets: tuple[Offset, ...]
    function: Lambda
    ends: tuple[End, ...]

    @property
    def has_equal_rows(self) -> bool:
        """Is what a row near an end is, or what stands for one outside, known without other rows?"""
        return len(self.shape) > 1 and self.ends[0].kind in ("kept", "filled")

    @property
    def keeps(self) -> bool:
        """Is a part of the array that the steps begin with kept?"""
        return KEPT in self.ends


@dataclass(frozen=True)
class Stencil:
    """So many steps of a form, two or more, and the flat array that they begin with."""

    steps: int
    start: Expr
    form: Form


def may_be_step(e: Expr) -> bool:
    """Can it be a step: a flat array of numbers, computed of parts of some?"""
    if not isinstance(e, Map) or not isinstance(e.f, Lambda) or not isinstance(e.f.result, ScalarType):
        return False
    return is_step(e) or any(isinstance(node, Concat) for node in postorder(e.xs))


def is_step(e: Expr) -> bool:
    """Can it be a step, and is it told apart from what it is made of: numbers, copied, of which some are computed?"""
    if not isinstance(e, Map) or not isinstance(e.xs, (Concat, Map)) or not isinstance(e.f, Lambda):
        return False
    return e.f is identity(e.f.types[0]) and isinstance(e.f.result, ScalarType) and is_flat(e.xs.type)


def form_of(e: Expr, previous: Expr, start: Expr) -> Form | None:
    """The form of a step, whose border is kept from either of two arrays, if it is, and which is made of the first of
    them; None where it is something else.
    """
    if not may_be_step(e):
        return None
    inputs = dict.fromkeys([previous, start, *arrays_in(e)])
    names = {x: Param(f"a{i}", x.type, True) for i, x in enumerate(inputs)}
    return _form_of(substitute(e, names), names[previous], names[start])


@lru_cache(maxsize=256)
def _form_of(e: Expr, previous: Expr, start: Expr) -> Form | None:
    """The same over arrays whose names say nothing: one for all steps of a loop."""
    for shape, border in _forms(e):
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

    def is_before(node: Expr) -> bool:
        return node.type is e.type and is_step(node)

    return list(filter(is_before, reached(e.operands, lambda node: () if is_before(node) else node.operands)))


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
    try:
        form = _inside(e, previous, shape, border)
        if form is None:
            return None
        for d in range(len(shape)):
            end = next((end for end in _ends(e) if _ends_so(e, previous, start, form, d, end)), None)
            if end is None:
                return None
            form = replace(form, ends=(*form.ends[:d], end, *form.ends[d + 1 :]))
        near = [(None,) if end == KEPT else (None, *_near(b)) for end, b in zip(form.ends, border, strict=True)]
        if not all(_is_computed(e, previous, form, cell) for cell in product(*near)):
            return None
    except _UnknownError:
        return None
    if form.keeps:
        return form if keeps_border(e, (previous, start), form) else None
    return form if any(map(any, form.offsets)) else None


def keeps_border(e: Expr, arrays: Collection[Expr], form: Form) -> bool:
    """Is each element of a flat array near an end where a step keeps it the one at the same place of some arrays?"""
    cell = [var(f"cell{d}", 0, n - 1) for d, n in enumerate(form.shape)]
    inner = _inner(form.shape, form.border)
    try:
        for d, (n, b, end) in enumerate(zip(form.shape, form.border, form.ends, strict=True)):
            if end != KEPT:
                continue
            near = var(f"near{d}", 0, b - 1)
            for own in (near, n - b + near):
                if _kept(e, [*cell[:d], own, *cell[d + 1 :]], form.shape) not in arrays:
                    return False
            cell[d] = inner[d]
    except _UnknownError:
        return False
    return True


def _ends(e: Expr) -> Iterator[End]:
    """What a step may do at the ends of a dimension."""
    yield KEPT
    yield from _MOVED
    fills = (node.x for node in postorder(e) if isinstance(node, Repeat))
    yield from (End("filled", fill) for fill in dict.fromkeys(fills) if isinstance(fill, Literal))


def _ends_so(e: Expr, previous: Expr, start: Expr, form: Form, d: int, end: End) -> bool:
    """Does a step do that at the ends of a dimension, where it is inside of all others?"""
    try:
        if end == KEPT:
            cell = _inner(form.shape, form.border)
            return _kept(e, [*cell[:d], size(0), *cell[d + 1 :]], form.shape) in (previous, start)
        made = replace(form, ends=(*form.ends[:d], end, *form.ends[d + 1 :]))
        others = [None] * len(form.shape)
        cells = ((*others[:d], k, *others[d + 1 :]) for k in _near(form.border[d]))
        return all(_is_computed(e, previous, made, cell) for cell in cells)
    except _UnknownError:
        return False


def _near(border: int) -> Iterator[int]:
    """Indices of the elements near the ends of a dimension, those of the last ones negative."""
    yield from range(border)
    yield from range(-border, 0)


def _inner(shape: tuple[Size, ...], border: tuple[int, ...]) -> list[Size]:
    """The indices of an element that is not near a border."""
    return [var(f"inner{d}", 0, n - 2 * b - 1) + b for d, (n, b) in enumerate(zip(shape, border, strict=True))]


def _place(cell: Sequence[Size], shape: tuple[Size, ...]) -> Size:
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


def _inside(e: Expr, previous: Expr, shape: tuple[Size, ...], border: tuple[int, ...]) -> Form | None:
    """The form of a step, as far as the elements say that are not near a border."""
    place, found = _place(_inner(shape, border), shape), dict[Offset, Param]()
    near = product(*(range(-b, b + 1) for b in border))
    offsets = {_place([size(i) for i in each], shape): each for each in near}

    def note(leaf: Expr, index: Size) -> Expr:
        offset = offsets.get(index - place)
        if leaf is not previous or offset is None:
            raise _UnknownError
        return found.setdefault(offset, fresh(element(leaf)))

    value = _Elements(note).at(e, (place,))
    order = tuple(sorted(found))
    function = close([found[o] for o in order], value)
    return Form(shape, border, order, function, (KEPT,) * len(shape)) if order else None


def _is_computed(e: Expr, previous: Expr, form: Form, near: Sequence[int | None]) -> bool:
    """Is an element the function of its neighbours, and of what stands for those outside?

    Args:
        near: its indices near the ends of each dimension; None: it is inside
    """
    inner = _inner(form.shape, form.border)
    cell = [i if k is None else (size(k) if k >= 0 else n + k) for i, k, n in zip(inner, near, form.shape, strict=True)]
    read: dict[Size, Param] = {}
    arguments: list[Expr] = []
    for offset in form.offsets:
        place: list[Size] = []
        fill: Literal | None = None
        for i, k, o, n, end in zip(cell, near, offset, form.shape, form.ends, strict=True):
            outside = 0 if k is None else min(k + o, 0) if k >= 0 else max(k + o + 1, 0)
            own = end.inside(outside, n) if outside else i + o
            fill = end.fill if fill is None and own is None else fill
            place.append(i if own is None else own)
        arguments.append(fill or read.setdefault(_place(place, form.shape), fresh(element(previous))))

    def note(leaf: Expr, index: Size) -> Expr:
        if leaf is not previous or index not in read:
            raise _UnknownError
        return read[index]

    return _Elements(note).at(e, (_place(cell, form.shape),)) is form.function(*arguments)


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
