"""Several steps of a stencil, tile by tile: what a tile needs of its neighbours it computes itself.

Overlapped tiling of "High performance stencil code generation with Lift" (CGO 2018), over time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ir.core.expr import Expr, fresh, fun, substitute
from ir.core.patterns import Concat, Element, Join, Map, Slice, Slide, Split, Transpose
from ir.core.sizes import Size, SizeLike, is_le, size
from ir.rewrite.rule import rule
from ir.rules.common import element, length, length_of_row, parts_of, zip_of
from ir.rules.stencils import (
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
    for steps f of a stencil with a kept border, where there are two tiles of that many rows and columns and what is
    around them, which is no more than a tile

    A tile is a function of as many elements around it as all steps reach, the same for all inner tiles. Its first and
    last rows and columns are kept where it lies at a border. The last tile begins where it has as many elements as the
    others, and gives those that no other one does.
    """
    found = steps_of(e)
    sides = [n.value for n in (size(rows), size(columns))]
    if found is None or any(side is None or side < 1 for side in sides):
        return None
    form = found.form
    cuts = [_Cut(n, side or 1, b, found.steps) for n, side, b in zip(form.shape, sides, form.border, strict=False)]
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
    if form is None or not keeps_border(made, starts, form.shape, form.border):
        return None
    return substitute(substitute(step, {starts[0]: previous}), {previous: made})


@dataclass(frozen=True)
class _Cut:
    """How a dimension is cut into tiles.

    Attributes:
        total: its extent
        side: elements of a tile
        border: elements that are kept at each end, and that a step reaches
        steps: how many
    """

    total: Size
    side: int
    border: int
    steps: int

    @property
    def around(self) -> int:
        """Elements on each side of a tile that all steps reach."""
        return self.border * self.steps

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
        """What each tile of a kind reads."""
        wide = self.side + 2 * self.around
        if kind == "inner":
            some = Slice(self.side - self.around, 1, self.side * self.inner + 2 * self.around, xs)
            return Slide(wide, self.side, some)
        if kind == "first":
            return _once(0, self.side + self.around, xs)
        return _once(self.total - wide, wide, xs)

    def span(self, kind: str, read: Size, last: bool) -> _Span:
        """Of so many elements that a step of a tile reads those that it gives; of the last step those of the tile."""
        if kind == "first":
            return _Span(size(0), read - self.border, self.border, kind)
        if kind == "inner":
            return _Span(size(self.border), read - 2 * self.border, self.border, kind)
        count = self.rest if last else read - self.border
        return _Span(read - count, count, self.border, kind)


def _once(begin: SizeLike, count: int, xs: Expr) -> Expr:
    return Split(count, Slice(begin, 1, count, xs))


@dataclass(frozen=True)
class _Span:
    """The elements that a step gives, among those that it reads, and at which end some are kept."""

    begin: Size
    count: Size
    border: int
    kind: str

    @property
    def computed(self) -> tuple[Size, Size]:
        """Where those begin that are not kept, and how many they are."""
        begin = self.begin + (self.border if self.kind == "first" else 0)
        return begin, self.count - (self.border if self.kind != "inner" else 0)

    def beside_kept(self, made: Expr, kept: Callable[[Size], Expr]) -> Expr:
        """What is computed, and what is kept from an index on."""
        if self.kind == "first":
            return Concat(kept(self.begin), made)
        return Concat(made, kept(self.begin + self.count - self.border)) if self.kind == "last" else made


def _over_elements(found: Stencil, cut: _Cut) -> Expr:
    """The tiles of an array of one dimension."""

    def tile(window: Expr, kind: str) -> Expr:
        for step in range(found.steps):
            span = cut.span(kind, length(window), last=step == found.steps - 1)
            window = _row(found.form, span, {(): window})
        return window

    return _tiles(cut, found.start, tile)


def _over_rows(found: Stencil, down: _Cut, across: _Cut) -> Expr:
    """The rows of tiles, one after the other, and in each the tiles side by side."""

    def strip(rows: Expr, kind: str) -> Expr:
        def turned(columns: Expr, kind_across: str) -> Expr:
            return Transpose(tile(Transpose(columns), kind, kind_across))

        return Transpose(_tiles(across, Transpose(rows), turned))

    def tile(rows: Expr, kind: str, kind_across: str) -> Expr:
        for step in range(found.steps):
            last = step == found.steps - 1
            spans = down.span(kind, length(rows), last), across.span(kind_across, length_of_row(rows), last)
            rows = _rows(found.form, *spans, rows)
        return rows

    return Join(_tiles(down, Split(across.total, found.start), strip))


def _tiles(cut: _Cut, xs: Expr, tile: Callable[[Expr, str], Expr]) -> Expr:
    """The tiles along a dimension, put one after the other."""
    parts = []
    for kind in _KINDS:
        windows = cut.windows(xs, kind)
        parts.append(Join(_map(windows, lambda window, kind=kind: tile(window, kind))))
    return Concat(*parts)


def _rows(form: Form, down: _Span, across: _Span, rows: Expr) -> Expr:
    """A step of a tile of rows."""
    border, (begin, count) = down.border, down.computed
    near = {offset[:1] for offset in form.offsets} | {(0,)}

    def row(window: Expr) -> Expr:
        return _row(form, across, {offset: Element(offset[0] + border, window) for offset in near})

    def kept(begin: Size) -> Expr:
        return _map(Slice(begin, 1, border, rows), lambda row: Slice(across.begin, 1, across.count, row))

    windows = Slide(2 * border + 1, 1, Slice(begin - border, 1, count + 2 * border, rows))
    return down.beside_kept(_map(windows, row), kept)


def _row(form: Form, span: _Span, rows: Mapping[Offset, Expr]) -> Expr:
    """A step of the elements of a row, made of those of the rows at these offsets from it."""
    begin, count = span.computed
    read = tuple([Slice(begin + offset[-1], 1, count, rows[offset[:-1]]) for offset in form.offsets])
    made = _map(zip_of(read), lambda x: form.function(*parts_of(x, len(read))))
    own = rows[(0,) * (len(form.shape) - 1)]
    return span.beside_kept(made, lambda begin: Slice(begin, 1, span.border, own))


def _map(xs: Expr, f: Callable[..., Expr]) -> Expr:
    return Map(fun(element(xs), f), xs)
