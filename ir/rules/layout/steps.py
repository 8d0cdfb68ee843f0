"""Several steps of a stencil, tile by tile: what a tile needs of its neighbours it computes itself.

Overlapped tiling of "High performance stencil code generation with Lift" (CGO 2018), over time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial

from ir.core.expr import Expr, fresh, fun, identity, substitute
from ir.core.patterns import (
    Call,
    Concat,
    Element,
    FromSize,
    Generate,
    Get,
    Head,
    Join,
    Literal,
    Map,
    Pad,
    Repeat,
    Slice,
    Slide,
    Split,
    Transpose,
    Zip,
)
from ir.core.sizes import Size, SizeLike, is_le, size
from ir.core.types import INT64
from ir.rewrite.rule import rule
from ir.rules.common import element, length, length_of_row, parts_of, zip_of
from ir.rules.stencils import (
    KEPT,
    End,
    Form,
    Offset,
    Stencil,
    arrays_in,
    form_of,
    is_step,
    keeps_border,
    steps_before,
    steps_of,
)

__all__: list[str] = []

_KINDS = ("first", "inner", "last")
"""Of the tiles along a dimension: at its border, between others, at the other border."""


@rule(source="CGO 2018 (stencils), section 4.1: overlapped tiling, of several steps")
def steps_in_tiles(e: Map, *, rows: Size | int, columns: Size | int) -> Expr | None:
    """f (f (.. xs))  ->  join (concat(join (map g first), join (map h (slide t r (split m xs))), join (map k last)))
    for steps f of a stencil, where there are two tiles of that many rows and columns and what is around them, which is
    no more than a tile

    A tile is a function of as many elements around it as all steps reach, the same for all inner tiles. Where it lies
    at an end its first or last rows and columns are kept, or each step computes them of what stands for neighbours; of
    an array that comes again at its ends, what is around them is taken from both. The last tile begins where it has as
    many elements as the others, and gives those that no other one does.

    Rows of which the first and the last are kept, or which have a number around them, are cut into tiles that are all
    alike: join (head n (join (map g (slide t r (pad k l (split m xs)))))), or a concat with that number for the pad.
    """
    found = steps_of(e)
    sides = [n.value for n in (size(rows), size(columns))]
    if found is None or any(side is None or side < 1 for side in sides):
        return None
    form = found.form
    cuts = [
        _Cut(n, side or 1, b, end, found.steps)
        for n, side, b, end in zip(form.shape, sides, form.border, form.ends, strict=False)
    ]
    if any(cut.is_small for cut in cuts):
        return None
    return _over_rows(found, *cuts) if len(cuts) == 2 else _over_elements(found, cuts[0])


@rule(source="semantics of concat")
def border_of_step_before(e: Map) -> Expr | None:
    """f (g xs) xs  ->  f (g xs) (g xs)
    for a step f of a stencil, which is made of what g gives and keeps of xs a border that g keeps of it, too
    """
    before = steps_before(e) if is_step(e) else []
    if len(before) != 1:
        return None
    (made,) = before
    previous = fresh(e.type)
    step = substitute(e, {made: previous})
    starts = [x for x in arrays_in(step) if x.type is e.type and x is not previous]
    form = form_of(step, previous, starts[0]) if len(starts) == 1 else None
    if form is None or not keeps_border(made, starts, form):
        return None
    return substitute(substitute(step, {starts[0]: previous}), {previous: made})


@rule(source="ICFP'15 fig. 4")
def step_told_apart(e: Map) -> Expr | None:
    """f xs  ->  map id (f xs)
    for a step f of a stencil that computes its border, so that it is seen where it ends in what is made of it
    """
    arrays = [x for x in arrays_in(e) if x.type is e.type]
    if is_step(e) or len(arrays) != 1 or form_of(e, arrays[0], arrays[0]) is None:
        return None
    return Map(identity(element(e)), e)


@dataclass(frozen=True)
class _Cut:
    """How a dimension is cut into tiles.

    Attributes:
        total: its extent
        side: elements of a tile
        border: elements that are near each end, and that a step reaches
        end: what happens there
        steps: how many
    """

    total: Size
    side: int
    border: int
    end: End
    steps: int

    @property
    def around(self) -> int:
        """Elements on each side of a tile that all steps reach."""
        return self.border * self.steps

    @property
    def wide(self) -> int:
        """Elements of a tile between others, and around it."""
        return self.side + 2 * self.around

    @property
    def inner(self) -> Size:
        """How many tiles there are between the first and the last."""
        return (self.total - self.side - self.around) // self.side

    @property
    def rest(self) -> Size:
        """Elements of the last tile that no other one gives."""
        return self.total - self.side - self.side * self.inner

    @property
    def is_small(self) -> bool:
        """Is it not known to hold two tiles and what is around them, or does the first not hold what is around others?

        In an inner tile no step may reach a border.
        """
        return self.side < self.around or not is_le(size(2 * self.side + 2 * self.around), self.total)

    def windows(self, xs: Expr, kind: str) -> Expr:
        """What each tile of a kind reads, or what that is taken from (`around_seam`)."""
        wide = self.wide
        if kind == "inner":
            some = Slice(self.side - self.around, 1, self.side * self.inner + 2 * self.around, xs)
            return Slide(wide, self.side, some)
        if self.end.kind == "wrap":
            return Split(self.total, xs)
        if kind == "first":
            return _once(0, self.side + self.around, xs)
        return _once(self.total - wide, wide, xs)

    def around_seam(self, kind: str) -> list[tuple[Size, int]]:
        """Where what a tile reads begins in its window, and how much it is, where the array comes again at its ends."""
        if kind == "inner" or self.end.kind != "wrap":
            return []
        if kind == "first":
            return [(self.total - self.around, self.around), (size(0), self.side + self.around)]
        return [(self.total - self.wide, self.wide), (size(0), self.around)]

    def span(self, kind: str, read: Size, last: bool) -> _Span:
        """Of so many elements that a step of a tile reads those that it gives; of the last step those of the tile."""
        wraps = self.end.kind == "wrap"
        if kind == "last":
            beyond = self.border if wraps else 0
            count = self.rest if last else read - self.border - beyond
            return _Span(read - beyond - count, count, read, self.border, self.end, "inner" if wraps else kind)
        if kind == "first" and not wraps:
            return _Span(size(0), read - self.border, read, self.border, self.end, kind)
        return _Span(size(self.border), read - 2 * self.border, read, self.border, self.end, "inner")


def _once(begin: SizeLike, count: int, xs: Expr) -> Expr:
    return Split(count, Slice(begin, 1, count, xs))


@dataclass(frozen=True)
class _Span:
    """The elements that a step gives, among those that it reads, and at which end some are near it.

    Attributes:
        read: how many it reads
    """

    begin: Size
    count: Size
    read: Size
    border: int
    end: End
    kind: str

    @property
    def within(self) -> tuple[Size, Size]:
        """Where those begin that are not near an end, and how many they are."""
        begin = self.begin + (self.border if self.kind == "first" else 0)
        return begin, self.count - (self.border if self.kind != "inner" else 0)

    @property
    def near(self) -> Size:
        """Where those begin that are near an end."""
        return self.begin if self.kind == "first" else self.begin + self.count - self.border

    @property
    def keeps(self) -> bool:
        """Are those kept that are near an end?"""
        return self.end == KEPT

    def beside(self, made: Expr, near: Callable[[], list[Expr]]) -> Expr:
        """What is not near an end, and what is."""
        if self.kind == "first":
            return Concat(*near(), made)
        return Concat(made, *near()) if self.kind == "last" else made

    def neighbour(self, k: int, offset: int) -> Size | Literal:
        """The index of a neighbour of the element of that number near an end, or the number that stands for it."""
        if self.kind == "first":
            own, outside = size(k + offset), min(k + offset, 0)
        else:
            behind = k - self.border + offset
            own, outside = self.read + behind, max(behind + 1, 0)
        found = self.end.inside(outside, self.read) if outside else own
        if found is None:
            assert self.end.fill is not None
            return self.end.fill
        return found


def _over_elements(found: Stencil, cut: _Cut) -> Expr:
    """The tiles of an array of one dimension."""

    def tile(window: Expr, kind: str) -> Expr:
        seam = cut.around_seam(kind)
        xs = Concat(*(Slice(begin, 1, count, window) for begin, count in seam)) if seam else window
        for step in range(found.steps):
            xs = _row(found.form, cut.span(kind, length(xs), last=step == found.steps - 1), {(): xs})
        return xs

    return _tiles(cut, found.start, tile)


def _over_rows(found: Stencil, down: _Cut, across: _Cut) -> Expr:
    """The rows of tiles, one after the other, and in each the tiles side by side."""

    def strip(rows: Expr, kind: str) -> Expr:
        return _side_by_side(across, rows, lambda rows, kind_across: tile(rows, kind, kind_across))

    def tile(rows: Expr, kind: str, kind_across: str) -> Expr:
        rows = _around_seams(rows, down.around_seam(kind), across.around_seam(kind_across))
        for step in range(found.steps):
            last = step == found.steps - 1
            spans = down.span(kind, length(rows), last), across.span(kind_across, length_of_row(rows), last)
            rows = _rows(found.form, *spans, rows)
        return rows

    rows = Split(across.total, found.start)
    return Join(_equal_strips(found, down, across, rows) if found.form.has_equal_rows else _tiles(down, rows, strip))


def _side_by_side(across: _Cut, rows: Expr, tile: Callable[[Expr, str], Expr]) -> Expr:
    """The tiles of some rows, along these."""

    def turned(columns: Expr, kind: str) -> Expr:
        return Transpose(tile(Transpose(columns), kind))

    return Transpose(_tiles(across, Transpose(rows), turned))


def _equal_strips(found: Stencil, down: _Cut, across: _Cut, rows: Expr) -> Expr:
    """Tiles of rows that are all of one kind, the first and the last, too. By its number it is asked for each row
    whether it is kept, or lies outside where a number stands for it. Around rows that are kept anything may lie:
    nothing that is computed of it is read by a row inside.
    """
    strips = -(-down.total // down.side)
    padded = _padded(down, rows, strips * down.side - down.total + down.around)
    numbers = Generate(length(padded), identity(INT64))
    windows = Zip(*(Slide(down.wide, down.side, xs) for xs in (padded, numbers)))

    def strip(window: Expr) -> Expr:
        rows, numbers = Get(0, window), Get(1, window)
        return _side_by_side(across, rows, lambda rows, kind: tile(rows, numbers, kind))

    def tile(rows: Expr, numbers: Expr, kind: str) -> Expr:
        rows = _around_seams(rows, [], across.around_seam(kind))
        for step in range(found.steps):
            span = across.span(kind, length_of_row(rows), step == found.steps - 1)
            border = down.border
            numbers = Slice(border, 1, length(rows) - 2 * border, numbers)
            rows = _map(
                Zip(Slide(2 * border + 1, 1, rows), numbers),
                lambda both, span=span: _numbered_row(found.form, span, down, Get(0, both), Get(1, both)),
            )
        return rows

    return Head(down.total, Join(_map(windows, strip)))


def _padded(down: _Cut, rows: Expr, behind: Size) -> Expr:
    """Rows, with what stands for those that are around them, so many of them behind."""
    if down.end.fill is not None:
        row = Repeat(length_of_row(rows), down.end.fill)
        return Concat(Repeat(down.around, row), rows, Repeat(behind, row))
    return Pad(down.around, behind, rows)


def _numbered_row(form: Form, span: _Span, down: _Cut, rows: Expr, number: Expr) -> Expr:
    """A step of the row of that number in the padded array, made of the rows around it."""
    offsets = {offset[:1] for offset in form.offsets} | {(0,)}
    read: dict[Offset, Expr] = {(o,): Element(o + down.border, rows) for (o,) in offsets}
    near = down.border if down.end == KEPT else 0
    first, last = (FromSize(down.around + i, INT64) for i in (near, down.total - near))
    apart = Call("bitwise_or", Call("less", number, first), Call("greater_equal", number, last))
    return _row(form, span, read, apart, down.end.fill)


def _around_seams(rows: Expr, down: list[tuple[Size, int]], across: list[tuple[Size, int]]) -> Expr:
    """Rows, and the elements of each, put together of those places, if there are any."""

    def row(xs: Expr) -> Expr:
        return Concat(*(_map(Slice(begin, 1, count, xs), lambda x: x) for begin, count in across))

    parts: list[Expr] = [Slice(begin, 1, count, rows) for begin, count in down]
    parts = parts or [rows]
    if across:
        parts = [_map(part, row) for part in parts]
    return Concat(*parts) if len(parts) > 1 else parts[0]


def _tiles(cut: _Cut, xs: Expr, tile: Callable[[Expr, str], Expr]) -> Expr:
    """The tiles along a dimension, put one after the other."""
    parts = []
    for kind in _KINDS:
        windows = cut.windows(xs, kind)
        parts.append(Join(_map(windows, lambda window, kind=kind: tile(window, kind))))
    return Concat(*parts)


def _rows(form: Form, down: _Span, across: _Span, rows: Expr) -> Expr:
    """A step of a tile of rows."""
    border, (begin, count) = down.border, down.within
    reach = 2 * border + 1
    offsets = {offset[:1] for offset in form.offsets} | {(0,)}

    def row(window: Expr, place: Callable[[int], Size | Literal]) -> Expr:
        read: dict[Offset, Expr] = {}
        for offset in offsets:
            at = place(*offset)
            read[offset] = at if isinstance(at, Literal) else Element(at, window)
        return _row(form, across, read)

    def near() -> list[Expr]:
        if down.keeps:
            some = Slice(down.near, 1, border, rows)
            return [_map(some, lambda row: Slice(across.begin, 1, across.count, row))]
        window = _once(0 if down.kind == "first" else down.read - reach, reach, rows)
        own = replace(down, read=size(reach))
        return [_map(window, lambda window, k=k: row(window, partial(own.neighbour, k))) for k in range(border)]

    windows = Slide(reach, 1, Slice(begin - border, 1, count + 2 * border, rows))
    return down.beside(_map(windows, lambda window: row(window, lambda offset: size(offset + border))), near)


def _row(
    form: Form, span: _Span, rows: Mapping[Offset, Expr], apart: Expr | None = None, fill: Literal | None = None
) -> Expr:
    """A step of the elements of a row, made of those of the rows at these offsets from it, or of numbers for them.

    Args:
        apart: whether the row is none that is computed, where that is asked
        fill: the number that it consists of then; None: it is kept as it is
    """
    begin, count = span.within
    own = rows[(0,) * (len(form.shape) - 1)]

    def near() -> list[Expr]:
        if span.keeps:
            return [Slice(span.near, 1, span.border, own)]
        return [made(size(1), partial(span.neighbour, k)) for k in range(span.border)]

    def made(count: Size, place: Callable[[int], Size | Literal]) -> Expr:
        numbers: dict[int, Expr] = {}  # in place of neighbours
        read: list[Expr] = []
        for i, offset in enumerate(form.offsets):
            row, at = rows[offset[:-1]], place(offset[-1])
            if isinstance(row, Literal):
                numbers[i] = row
            elif isinstance(at, Literal):
                numbers[i] = at
            else:
                read.append(Slice(at, 1, count, row))

        before = place(0)
        keeps = apart is not None and fill is None
        if (keeps or not read) and not isinstance(before, Literal):
            read.append(Slice(before, 1, count, own))

        def value(x: Expr) -> Expr:
            all_read = parts_of(x, len(read))
            parts = iter(all_read)
            made = form.function(*(numbers[i] if i in numbers else next(parts) for i in range(len(form.offsets))))
            return made if apart is None else Call("select", apart, fill or all_read[-1], made)

        return _map(zip_of(tuple(read)), value)

    def inside(offset: int) -> Size | Literal:
        return begin + offset

    return span.beside(made(count, inside), near)


def _map(xs: Expr, f: Callable[..., Expr]) -> Expr:
    return Map(fun(element(xs), f), xs)
