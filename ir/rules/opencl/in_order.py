"""What is computed from results that came before, one after the other, each kept where the next one reads it: by one
work-item for itself, or by the work-items of a group together.
"""

from __future__ import annotations

from ir.core.expr import Expr, Lambda, close, fun, identity, rebuild
from ir.core.patterns import (
    MAP,
    MAP_SEQ,
    AsScalar,
    AsVector,
    Concat,
    Get,
    Join,
    Kind,
    Map,
    Memory,
    Overlap,
    Slice,
    Split,
    is_view_map,
    map_local,
)
from ir.core.sizes import Size, SizeLike, is_le, size
from ir.core.types import VECTOR_WIDTHS, ArrayType, Type
from ir.rewrite.rule import Context, rule
from ir.rules.common import element, is_scalar_like, length
from ir.rules.layout.ragged import cut, map_overlap
from ir.rules.opencl.lowering import allows_local
from ir.rules.opencl.vectorise import is_vectorisable, widen
from ir.walks import walk

__all__: list[str] = []


@rule(source="ICFP'15 fig. 7a, 7d and 7e, thesis ch. 5: everywhere in a value, each value once")
def maps_in_order(e: Map | Concat, *, width: int) -> Expr | None:
    """map f (v (map g xs))  ->  mapSeq f (v (toPrivate (mapSeq g xs)))      for views v; numbers in vectors of w (the
    last may overlap the one before), rows of such maps in order, and what a concat puts beside them copied

    What several maps read is kept once. All other rules take a place, and such a value has many.
    """
    return _InOrder(width).computed(e) if width in (1, *VECTOR_WIDTHS) and _is_open(e) else None


@rule(source="ICFP'15 fig. 7a and 7d, thesis ch. 5: everywhere in a value, each value once")
def maps_by_items(e: Map | Concat, context: Context, *, items: Size | int, each: Size | int) -> Expr | None:
    """map f (v (map g xs))  ->  join (mapSeq (mapLocal f) (split m (v (toLocal (join (mapSeq (mapLocal g)
    (split m xs)))))))      for views v; of rows of such maps each work-item takes some in order in each turn, with
    mapLocal1 (mapSeq (mapLocal0 f)), and what a concat puts beside them is copied

    What several maps read is kept once, in the memory that a work-group shares.
    """
    shared, taken = size(items).value or 0, size(each).value or 0
    if shared < 1 or taken < 1 or not _is_open(e):
        return None
    dims = (0, 1) if isinstance(element(e), ArrayType) else (0,)
    if not is_scalar_like(element(e)) and not _is_of_flat_rows(e):
        return None
    return _ByItems(shared, taken).computed(e) if all(allows_local(context, dim) for dim in dims) else None


def _is_of_flat_rows(e: Expr) -> bool:
    row = element(e)
    return isinstance(row, ArrayType) and is_scalar_like(row.element)


def _is_open(e: Expr) -> bool:
    """Is all that is computed for a value, outside of functions, maps that have no level of the machine yet?"""
    found = False
    for node in walk([e], _outside_functions):
        if _computes(node):
            if not isinstance(node, Map) or node.how != MAP or not _is_of_rows(node):
                return False
            found = True
        elif isinstance(node, Concat):
            if not _is_of_numbers(node.type):
                return False
        elif not (node.traits.view or isinstance(node, Get) or is_view_map(node) or not node.operands):
            return False
    return found and isinstance(e.type, ArrayType) and _is_of_numbers(e.type)


def _is_of_rows(e: Map) -> bool:
    """Is it a map of a function of numbers, or of one that puts such maps and views together to a row?"""
    if not isinstance(e.f, Lambda):
        return False
    body = e.f.open()[1]
    if is_scalar_like(body.type):
        return is_scalar_like(element(e)) and not body.patterned
    for node in walk([body], lambda node: node.operands if isinstance(node, Concat) else ()):
        if not isinstance(node.type, ArrayType) or not _is_of_numbers(node.type):
            return False
        if isinstance(node, Concat):
            continue
        if _computes(node):
            if not isinstance(node, Map) or node.how != MAP or not _is_of_rows(node) or not _only_moves(node.xs):
                return False
        elif not _only_moves(node):
            return False
    return True


def _is_of_numbers(t: Type) -> bool:
    """Are these scalars or tuples of them, in any number of dimensions?"""
    return _is_of_numbers(t.element) if isinstance(t, ArrayType) else is_scalar_like(t)


def _only_moves(e: Expr) -> bool:
    """Is nothing computed for it?"""
    return not any(map(_computes, walk([e], _outside_functions)))


def _outside_functions(e: Expr) -> tuple[Expr, ...]:
    return tuple([x for x in e.operands if not isinstance(x, Lambda)])


def _computes(e: Expr) -> bool:
    return e.traits.computes and not is_view_map(e)


class _OneByOne:
    """The values of an expression, each made once and kept.

    Attributes:
        space: the memory that they are kept in
    """

    space: str

    def __init__(self) -> None:
        self._kept: dict[Expr, Expr] = {}

    def computed(self, e: Expr) -> Expr:
        """A value; what it reads is kept."""
        if isinstance(e, Concat):
            return Concat(*map(self.computed, e.operands))
        f, xs = (e.f, e.xs) if isinstance(e, Map) and _computes(e) else (identity(element(e)), e)
        return self.rows(Map(f, self.kept(xs)))

    def kept(self, e: Expr) -> Expr:
        """What is read: views of what is kept, and of what lies in memory."""
        if e not in self._kept:
            if isinstance(e, Concat) or _computes(e):
                self._kept[e] = Memory(self.space, self.computed(e))
            else:
                operands = tuple([x if isinstance(x, Lambda) else self.kept(x) for x in e.operands])
                self._kept[e] = rebuild(e, operands) if operands != e.operands else e
        return self._kept[e]

    def rows(self, e: Map) -> Expr:
        """A map of a function of numbers, or of one that makes rows."""
        raise NotImplementedError

    def row(self, e: Expr) -> Expr:
        """What such a function makes."""
        if isinstance(e, Concat):
            return Concat(*map(self.row, e.operands))
        return self.rows(e if isinstance(e, Map) and _computes(e) else Map(identity(element(e)), e))


class _InOrder(_OneByOne):
    """By one work-item, in vectors of `width`."""

    space = "private"

    def __init__(self, width: int) -> None:
        super().__init__()
        self._width = width

    def rows(self, e: Map) -> Expr:
        """In order; numbers in vectors."""
        assert isinstance(e.f, Lambda)
        if is_scalar_like(element(e)):
            return self._row_of_numbers(e, e.f)
        (row,), body = e.f.open()
        return Map(close([row], self.row(body)), e.xs, MAP_SEQ)

    def _row_of_numbers(self, e: Map, f: Lambda) -> Expr:
        """Whole vectors. What is left ends one more that begins before it, if there are as many numbers as that takes;
        else it is computed number by number.
        """
        n, width = length(e), self._width
        whole = width * (n // width)
        if width == 1 or whole.value == 0 or not is_vectorisable(f):
            return Map(f, e.xs, MAP_SEQ)
        if whole is n:
            return AsScalar(Map(widen(f, width), AsVector(width, e.xs), MAP_SEQ))
        if is_le(size(width), n):
            first = whole if whole.value is not None else width * ((n - 1) // width)
            ends = map_overlap.rewrite(Map(f, e.xs), first=first, last=width)
            match ends:
                case Overlap(_, Map() as start, Map() as end):
                    return Overlap(n, self._row_of_numbers(start, f), self._row_of_numbers(end, f))
        body, tail = cut(e.xs, whole)
        return Concat(self._row_of_numbers(Map(f, body), f), Map(f, tail, MAP_SEQ))


class _ByItems(_OneByOne):
    """By the work-items of a group: the elements of a row by as many, and in each turn so many rows by `items` of them
    along another dimension, `each` in order; numbers that are no rows in turns of `items`.
    """

    space = "local"

    def __init__(self, items: int, each: int) -> None:
        super().__init__()
        self._items = items
        self._each = each

    def rows(self, e: Map) -> Expr:
        """In turns, and what is left in one more."""
        assert isinstance(e.f, Lambda)
        if is_scalar_like(element(e)):
            return self._in_turns(e, e.f, map_local(0), 1)
        (row,), body = e.f.open()
        return self._in_turns(e, close([row], self._numbers(body)), map_local(1), self._each)

    def _numbers(self, e: Expr) -> Expr:
        """The numbers of a row."""
        if isinstance(e, Concat):
            return Concat(*map(self._numbers, e.operands))
        f, xs = (e.f, e.xs) if isinstance(e, Map) and _computes(e) else (identity(element(e)), e)
        return Map(f, xs, map_local(0))

    def _in_turns(self, e: Map, f: Lambda, level: Kind, each: int) -> Expr:
        n, turn = length(e), self._items * each
        whole = turn * (n // turn)
        in_order = whole + each * ((n - whole) // each)
        parts: list[Expr] = []
        if whole.value != 0:
            some = _part(e.xs, 0, whole)
            turns = Split(turn, some)
            many = fun(element(turns), lambda xs: _taken(f, xs, level, each))
            parts.append(_taken(f, some, level, each) if whole.value == turn else Join(Map(many, turns, MAP_SEQ)))
        if in_order is not whole:
            parts.append(_taken(f, _part(e.xs, whole, in_order - whole), level, each))
        if in_order is not n:
            parts.append(Map(f, _part(e.xs, in_order, n - in_order), level))
        return parts[0] if len(parts) == 1 else Concat(*parts)


def _part(xs: Expr, begin: SizeLike, count: Size) -> Expr:
    return xs if count is length(xs) else Slice(begin, 1, count, xs)


def _taken(f: Lambda, xs: Expr, level: Kind, each: int) -> Expr:
    """A map of which each work-item does so many elements in order."""
    if each == 1:
        return Map(f, xs, level)
    some = Split(each, xs)
    return Join(Map(fun(element(some), lambda few: Map(f, few, MAP_SEQ)), some, level))
