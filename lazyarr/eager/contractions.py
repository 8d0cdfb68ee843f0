"""Products of arrays that broadcast, summed right after: one product of matrices, without the array between.

    out[:, i, j] = la.sum(x[:, i:i + 3, j:j + 3, :, None] * w[None], axis=(1, 2, 3))      # a loop over i and j

The product has many times as many elements as its operands, and most of the time goes into it. What is recorded is
computed so anyway (`ir.reference.folds`). A product in a loop is NumPy's at once, as all else is there: in the first
turn. Where it is then seen to be summed, and nobody else holds it, the products of that line are recorded from the
second turn on, of copies of their operands, and the sum multiplies these as matrices. A line whose products turn out to
be used otherwise is NumPy's again. What is known of lines is known to each thread by itself, so that the same script
gives the same bits however its threads take turns.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from math import prod
from types import CodeType
from typing import Any, Final, NamedTuple
from weakref import ref

import numpy as np

from ir.cost.thresholds.eager import EAGER_ELEMENTS_IN_LOOPS
from ir.cost.thresholds.products import CONTRACTED_ELEMENTS_FROM, CONTRACTED_FROM, EAGER_MULTIPLICATIONS_AT_MOST
from lazyarr.array import Array, array_of
from lazyarr.dtypes import float32, float64
from lazyarr.eager.operations import recording_only
from lazyarr.graph.leaves import leaf
from lazyarr.graph.recorded_calls import Operation, RecordedCall
from lazyarr.memory.quiet import quietly

__all__ = ["bind", "deferred", "note_product", "products", "summed_product"]

_Value = np.ndarray[Any, Any]
_Site = tuple[ref[CodeType], int]

_UNKNOWN: Final[Any] = object()
_INTEGERS: Final = {int}
_FLOATS: Final = (float32, float64)
_KNOWN: Final = 256
"""Lines, and pairs of shapes, that are remembered; then all are forgotten."""


class _Products(threading.local):
    """What a thread knows of products that broadcast.

    Attributes:
        summed: lines whose products are summed: is the last one still waiting for it?
        last: the last product, or what it stands for where it was recorded, and its line
    """

    def __init__(self) -> None:
        self.summed: dict[_Site, bool] = {}
        self.last: tuple[ref[Array] | ref[RecordedCall], _Site] | None = None


products = _Products()

_record: Callable[[Array, Array], Array]
"""Records the product of two arrays."""
_operations: dict[Any, Operation] = {}
"""What such products are recorded as, by the shapes and the dtypes of the operands."""


def bind(record: Callable[[Array, Array], Array]) -> None:
    """Say what records a product."""
    global _record
    _record = record


def _site() -> _Site | None:
    """The line that asks for a product, four calls above; None where that is one of lazyarr's own, or none is there.

    It is told by the code itself: the identity of code that is gone is another one's.
    """
    frame = sys._getframe(3).f_back
    if frame is None or str(frame.f_globals.get("__name__")).partition(".")[0] == "lazyarr":
        return None
    return ref(frame.f_code), frame.f_lasti


def _is_worth_it(x: _Value, y: _Value, size: int) -> bool:
    """Is a product of floats many times as large as its operands, which are small?"""
    if x.dtype not in _FLOATS or y.dtype not in _FLOATS or size < CONTRACTED_ELEMENTS_FROM:
        return False
    return CONTRACTED_FROM * max(x.size, y.size) <= size and max(x.size, y.size) <= EAGER_ELEMENTS_IN_LOOPS


def deferred(a: Array, b: Array, size: int) -> Array | None:
    """The product of two eager arrays, recorded, where it has so many elements and products of this line
    are summed; None elsewhere.
    """
    x: Any = a.value
    y: Any = b.value
    if not _is_worth_it(x, y, size):
        return None
    site = _site()
    if site is None:
        return None
    summed = products.summed
    if summed.get(site) is not False:
        return None  # or nobody has summed the last one
    operation = _operation(a, b)
    if operation is None:
        return None
    leaves = [leaf(part.extents, part.dtype, _copied(part.value)) for part in (a, b)]
    call = RecordedCall(operation, tuple(leaves), 0)
    summed[site] = True
    products.last = ref(call), site
    return array_of(call, operation.extents, operation.dtype)


def _copied(x: Any) -> _Value:
    found = np.array(x, order="C").reshape(-1)
    found.setflags(write=False)
    return found


def _operation(a: Array, b: Array) -> Operation | None:
    """What a product of arrays of these shapes and dtypes is recorded as; None where that is another thing."""
    key = a.extents, b.extents, a.dtype, b.dtype
    found = _operations.get(key)
    if found is None:
        alike = [array_of(leaf(x.extents, x.dtype, None), x.extents, x.dtype) for x in (a, b)]  # nothing is copied
        with recording_only:
            _record(*alike)  # which is an operation from the second time on
            call = _record(*alike).expr
        found = call.operation if type(call) is RecordedCall else None
        if found is not None:
            if len(_operations) >= _KNOWN:
                _operations.clear()
            _operations[key] = found
    return found


def note_product(made: Array, x: _Value, y: _Value, size: int) -> None:
    """A product of arrays that broadcast was carried out: perhaps it is summed next."""
    if _is_worth_it(x, y, size):
        site = _site()
        if site is not None and site not in products.summed:
            products.last = ref(made), site


def summed_product(x: Array, axis: Any = None, *, keepdims: Any = False) -> _Value | None:
    """The sum along axes of the last product, if that was recorded here, as a product of matrices; None of all else.

    Nobody but who sums it may hold it: what is used otherwise, too, would be computed for that.
    """
    last, found, of = products.last, None, x.expr if x.value is None else x
    if last is None or last[0]() is not of:
        return None
    if type(of) is RecordedCall:
        if type(keepdims) is not bool or not (axis is None or _INTEGERS.issuperset(map(type, _as_tuple(axis)))):
            return None
        key = of.operation, axis, keepdims
        plan = _plans.get(key, _UNKNOWN)
        if plan is _UNKNOWN:
            if len(_plans) >= _KNOWN:
                _plans.clear()
            plan = _plans[key] = _planned(of.operation, x.extents, axis, keepdims)
        leaves: Any = of.operands
        if plan is None or not leaves:  # none any more where it was computed
            return None
        left, right, result = plan
        found = result.of(quietly(np.matmul, left.of(leaves[0].storage), right.of(leaves[1].storage)))
    if len(products.summed) >= _KNOWN:
        products.summed.clear()
    products.summed[last[1]] = False
    products.last = None
    return found


def _as_tuple(axis: Any) -> tuple[Any, ...]:
    return axis if type(axis) is tuple else (axis,)


class _Arranged(NamedTuple):
    """Elements in row-major order as an array of a shape, whose dimensions in another order make up another one."""

    shape: tuple[int, ...]
    order: tuple[int, ...] | None
    made: tuple[int, ...]

    @staticmethod
    def by(extents: Mapping[int, int], given: Sequence[int], wanted: Sequence[int], made: Sequence[int]) -> _Arranged:
        """From dimensions, which have names and extents, in the order given, to those in the order wanted."""
        order: tuple[int, ...] | None = tuple([given.index(at) for at in wanted])
        if order == tuple(range(len(given))):
            order = None
        return _Arranged(tuple([extents[at] for at in given]), order, tuple(made))

    def of(self, x: _Value) -> _Value:
        """Those of an array."""
        return (x if self.order is None else x.reshape(self.shape).transpose(self.order)).reshape(self.made)


_Plan = tuple[_Arranged, _Arranged, _Arranged]
_plans: dict[Any, _Plan | None] = {}
"""By the product, and the arguments of its sum."""


def _planned(operation: Any, shape: tuple[int, ...], axis: Any, keepdims: bool) -> _Plan | None:
    """How the factors of a product, and the product of matrices, are arranged; None where its sum is no product of
    matrices, or of too many numbers.
    """
    n, (of_x, of_y) = len(shape), [factor for factor, _ in operation.operands]
    axes = range(n) if axis is None else _as_tuple(axis)
    summed = {at % n for at in axes if -n <= at < n}
    if len(summed) < len(axes):
        return None
    extents = dict(enumerate(shape))
    in_x, in_y = ([at for at, e in enumerate(z, n - len(z)) if e > 1] for z in (of_x, of_y))
    both, terms = set(in_x).intersection(in_y), [at for at in sorted(summed) if shape[at] > 1]
    batch = sorted(both - summed)
    rows, columns = ([at for at in own if at not in both] for own in (in_x, in_y))
    if not (rows and columns and terms) or not both.issuperset(terms) or prod(shape) > EAGER_MULTIPLICATIONS_AT_MOST:
        return None

    def matrices(own: list[int], first: list[int], second: list[int]) -> _Arranged:
        made = [shape[at] for at in batch] + [prod([shape[at] for at in group]) for group in (first, second)]
        return _Arranged.by(extents, own, [*batch, *first, *second], made)

    kept = [*batch, *rows, *columns]
    made = [1 if at in summed else e for at, e in extents.items() if keepdims or at not in summed]
    result = _Arranged.by(extents, kept, sorted(kept), made)
    return matrices(in_x, rows, terms), matrices(in_y, terms, columns), result
