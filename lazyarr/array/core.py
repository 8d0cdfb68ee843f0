"""`Array`: a shape over a recorded expression. Operations record; a value is computed when it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import prod
from types import CodeType
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from ir.core.expr import Expr
from ir.core.patterns import Generate, Literal, Repeat, Zip
from ir.locks import make_lock
from lazyarr.array.conversions import Conversions
from lazyarr.array.eager import Shared, changing, copied, end_loan
from lazyarr.array.lent import is_lent
from lazyarr.array.operators import Operators
from lazyarr.array.shown import shown
from lazyarr.config import eagerness
from lazyarr.dtypes import DType, complex128, float64
from lazyarr.elements.scalars import constant_value
from lazyarr.graph.leaves import (
    Input,
    element_in_memory,
    host_memory,
    inputs_of,
    is_borrowed,
    leaf,
    looks,
    number_in_memory,
)
from lazyarr.graph.recorded_calls import RecordedCall, expression, recorded
from lazyarr.graph.tracing import Trace, recordings, refuse
from lazyarr.memory.orders import as_order

if TYPE_CHECKING:
    from lazyarr.aliasing.alias_groups import AliasGroup, ViewOf
    from lazyarr.methods.table import Methods
else:
    Methods = object  # they are bound when `lazyarr` is imported

__all__ = [
    "Array", "array_of", "bind", "blank", "box", "compute", "compute_deep", "computed_leaf", "eager", "enqueue",
    "number", "over",
]  # fmt: skip

_making = make_lock()
blank: Callable[[type[Array]], Array] = object.__new__
"""An array with none of its attributes, which whoever makes one sets (`array_of`, `over`, `number`)."""
F = TypeVar("F", bound=Callable[..., Any])


class Array(Conversions, Operators, Methods):
    """An N-dimensional lazy array.

    `x[key] = value` and `x += y` exchange what the object stands for. Views show the change, as in NumPy (slices,
    transposes, other shapes: `lazyarr.aliasing.views`); whatever else was computed from it before keeps the old value.
    Build arrays with `lazyarr.asarray` and the functions of the namespace. `np.asarray(x)`, `float(x)`, `bool(x)`,
    `print(x)`, `x.item()`, `x.tolist()` and iteration compute the value; several are computed together, sharing work,
    by `lazyarr.compute(x, y)`. A computed array keeps its value and lets go of the expression.

    Attributes:
        node: the expression, always a flat `[T]N` of constant length (row-major order); of a complex array T is the
            pair of the parts
        expr: what `node` is made of: also a recorded call where nobody looked at it, None of a view that is out of date
        shape: the extents, outermost dimension first; their product is N. Another shape of as many may be assigned
        extents: the shape, for code that reads it often
        dtype: the NumPy dtype of the elements
        placed: the device it was put on, as it was given, or None for the default device
        traced_in: the recording of a jitted function it belongs to, or None
        origin: of a view, where its elements come from, else None
        family: of an array that has or had views, what knows them, else None
        value: of an eager array (`lazyarr.array.eager`) its memory, which is written to in place; or a number of
            Python's, which does for a bool, an integer, a float64 or a complex128 until it is written; of others None
        host: that value as a NumPy array
        shared: what an eager array has in common with others over the same memory, once that is needed
        away: the value of an eager array, while a recording has assigned something else to it
        uses: how often an array whose value exists was read or written in small parts, once it was
        boxed: set of an array without dimensions where NumPy has an array, which operators change in place; not where
            it has a number (an element, a sum), which they replace, nor of views
        fixed: set of an array that was said to be read-only, and of eager views of lent memory that are
        made_by: set of a large eager array that an instruction of the interpreter made, where that was seen
            (`lazyarr.eager.temporaries`): its code, and where it lies there
    """

    __slots__ = ("__weakref__", "away", "boxed", "dtype", "expr", "extents", "family", "fixed", "made_by", "origin",
                 "placed", "shared", "traced_in", "uses", "value")  # fmt: skip
    expr: Expr | RecordedCall | None
    extents: tuple[int, ...]
    dtype: DType
    placed: Any
    traced_in: Trace | None
    origin: ViewOf | None
    family: AliasGroup | None
    value: np.ndarray[Any, Any] | bool | int | float | complex | None
    shared: Shared | None
    away: np.ndarray[Any, Any] | bool | int | float | complex
    uses: int
    boxed: bool
    fixed: bool
    made_by: tuple[CodeType, int]

    def __new__(cls, *_: Any, **__: Any) -> Array:
        """None: `TypeError`, which says what makes arrays."""
        raise TypeError(
            f"{cls.__name__}() makes no array: use lazyarr.asarray(x), lazyarr.zeros(shape), lazyarr.ndarray(shape)"
        )

    # --- what is known without computing ----------------------------------------------------------------------------

    @property
    def host(self) -> np.ndarray[Any, Any] | None:
        """Of an eager array its value as NumPy's, else None; not to be written to."""
        value = self.value
        if value is None or type(value) is np.ndarray:
            return value
        return np.array(value, self.dtype)

    def memory(self) -> np.ndarray[Any, Any]:
        """The memory of an eager array, to be written to; a number gets some, and lent memory is copied."""
        shared = self.shared
        if shared is not None:
            if shared.lent is not None:
                with changing:
                    shared.lent.end()
            if shared.loan is not None:
                end_loan(shared)
        with _making:
            value = self.value
            if type(value) is not np.ndarray:
                self.value = value = np.array(value, self.dtype)
            return value

    @property
    def node(self) -> Expr:
        """What the array stands for."""
        if recordings.count and recordings.note_value(self):
            _compute_outside(self)
        found = self.expr
        if found is None:
            found = _bound.refreshed(self)
        if type(found) is RecordedCall:
            return found.made or expression(found)
        return found  # type: ignore[return-value]  # not a call

    @node.setter
    def node(self, node: Expr) -> None:
        self.expr = node

    @property
    def standing(self) -> Expr | RecordedCall:
        """What the array stands for: a leaf, a constant, or something of its own (see `held`)."""
        if recordings.count and recordings.note_value(self):
            _compute_outside(self)
        found = self.expr
        kind = type(found)
        return found if kind is RecordedCall or kind is Input else self.held()  # type: ignore[return-value]  # not None

    def held(self, operands: tuple[Expr | RecordedCall, ...] = ()) -> Expr | RecordedCall:
        """What the array stands for. An expression that was recorded at once is first wrapped and so told apart from
        equal ones: evaluations that pass through it know whether an array, or another result, waits for its value.

        Args:
            operands: what the expression was made of, as far as that is known
        """
        found = self.expr
        if found is None:
            found = _bound.refreshed(self)
        kind = type(found)
        if kind is RecordedCall or kind is Input or kind is Generate or self.traced_in is not None:
            return found
        if found.loose or inputs_of(found):  # type: ignore[arg-type]  # not a call
            return found
        if kind is Repeat and type(found.x) is Literal:  # type: ignore[union-attr]  # a Repeat
            return found
        self.expr = made = recorded(found, operands)  # type: ignore[arg-type]  # an expression
        return made

    @property
    def shape(self) -> tuple[int, ...]:
        """The extents, outermost dimension first."""
        if recordings.count:
            recordings.note(self)
        return self.extents

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return prod(self.shape)

    @property
    def itemsize(self) -> int:
        """Bytes of one element."""
        return int(self.dtype.itemsize)

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return self.size * self.itemsize

    @property
    def is_number(self) -> bool:
        """Is it what NumPy has a number for, not an array without dimensions?"""
        return not self.extents and self.origin is None and not hasattr(self, "boxed")

    @property
    def tracing(self) -> bool:
        """Does it depend on an argument of a function that is being recorded, so that it has no value?"""
        return self.traced_in is not None or (self.value is None and self.standing.loose)

    def __delitem__(self, key: Any) -> None:
        raise ValueError("cannot delete array elements; la.delete gives an array without them")

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of a 0-dimensional array")
        return self.extents[0]

    # --- values -----------------------------------------------------------------------------------------------------

    def _realise(self, standing: Expr | RecordedCall, storage: Any) -> Expr:
        """Make it a leaf over that storage, which holds the value of what it stands for, letting go of that; the leaf.

        An array that another thread assigned to meanwhile keeps what was assigned.

        Args:
            storage: a runtime Buffer or a flat NumPy array; of a complex array two buffers, or a flat NumPy array
        """
        made = leaf(self.extents, self.dtype, storage)
        if type(standing) is RecordedCall:
            standing.settle(made)
        if self.expr is standing:
            self.expr = made
        return made

    def to_numpy(self) -> np.ndarray[Any, Any]:
        """The value as a NumPy array, computed if need be.

        It is read-only, since it may be the memory that this array and others computed from it use: copy it to write.
        Of a view it may be NumPy's view, and lie so.
        """
        host = self.host
        if host is not None and not recordings.count:
            looks.count += 1
            value = host.copy() if host.flags.writeable or not is_lent(self) else host.view()
            value.setflags(write=False)
            return value
        found = self._in_memory()
        if found is not None:
            return found
        standing = self.standing
        if self.size == 1 and not self.tracing and (type(standing) is not RecordedCall or standing.picks):
            found = element_in_memory(self.node, self.dtype)
            if found is not None:  # nothing to compute: a kernel would copy it, and be built for where it lies
                self._realise(standing, found)
        return host_memory(computed_leaf(self), self.dtype).reshape(self.extents)

    def _in_memory(self) -> np.ndarray[Any, Any] | None:
        """The value, read-only, where it is a NumPy array already or a view of one; None elsewhere."""
        node: Any = self.expr
        if type(node) is RecordedCall:
            node = node.made
        is_array = type(node) is Input and type(node.storage) is np.ndarray and not is_borrowed(node)
        if not is_array or self.traced_in is not None:
            return None if self.origin is None and self.shared is None else shown(self)
        looks.count += 1
        value: np.ndarray[Any, Any] = node.storage.reshape(self.extents)
        value.setflags(write=False)
        return value

    def only_number(self) -> bool | int | float | complex | None:
        """The value of an array of one number, computed if need be; None where complex, or an element of something."""
        value = self.value
        if value is not None and not recordings.count:
            looks.count += 1
            if type(value) is not np.ndarray:
                return value  # type: ignore[return-value]  # a number
            return None if self.dtype.kind == "c" else value.item()
        standing = self.standing
        if type(standing) is RecordedCall and not standing.picks:
            enqueue(self)
            standing = self.standing
        return number_in_memory(standing) if type(standing) is Input else None

    def __iter__(self) -> Iterator[Array]:
        if not self.extents:
            raise TypeError("iteration over a 0-dimensional array")
        if self.tracing:
            refuse("iteration", "iteration", self)
        return self._rows()

    def _rows(self) -> Iterator[Array]:
        done, dtype = 0, self.dtype
        if self.value is None or recordings.count:
            values = self.to_numpy()
            computed, shape = self.node, self.extents[1:]
            for row in values:
                if self.value is not None or self.node is not computed:  # eager, or assigned to, since
                    break
                node = leaf(shape, dtype, np.asarray(row).reshape(-1))
                yield _bound.row_view(self, done, array_of(node, shape, dtype, self.placed), computed)
                done += 1
        is_of_numbers = dtype is float64 or dtype is complex128 or dtype.kind in "biu"
        looks.count += 1
        for i in range(done, self.extents[0]):
            host = self.value if is_of_numbers and eagerness.on and len(self.extents) == 1 else None
            yield self[i] if host is None else number(host.item(i), dtype)  # type: ignore[union-attr]  # an array

    def __hash__(self) -> int:  # type: ignore[override]  # there it is for traced numbers
        if self.extents or not self.is_number:
            raise TypeError(f"unhashable: an array of shape {self.extents}; a single element hashes as its number")
        return hash(self._single("hash()"))

    # --- other arrays -----------------------------------------------------------------------------------------------

    def copy(self, order: str = "C") -> Array:
        """Another array object of the same value: what is assigned to one is not seen by the other."""
        as_order(order, "copy")
        found = None if recordings.count else copied(self)
        if found is None:
            made = array_of(self.standing, self.extents, self.dtype, self.placed, self.traced_in)
        else:
            made = eager(found)
        return made if self.extents or self.is_number else box(made)

    __copy__ = copy

    def __deepcopy__(self, memo: Any) -> Array:
        return self.copy()


def eager(value: np.ndarray[Any, Any]) -> Array:
    """An array whose value lies in that memory, which nobody else writes to."""
    dtype = value.dtype
    if dtype.char in "qQ":  # C's long long, which NumPy tells from int64
        value = value.view(np.int64 if dtype.char == "q" else np.uint64)
        dtype = value.dtype
    extents = value.shape
    if not extents and (dtype is float64 or dtype is complex128 or dtype.kind in "biu"):
        return number(value.item(), dtype)
    return over(value, extents, dtype)


def array_of(
    node: Expr | RecordedCall, shape: tuple[int, ...], dtype: DType, device: Any = None, trace: Trace | None = None
) -> Array:
    """An array of that shape and dtype that stands for an expression; see `Array` for the attributes."""
    made = blank(Array)
    made.expr, made.extents, made.dtype, made.placed, made.traced_in = node, shape, dtype, device, trace
    made.origin = made.family = made.value = made.shared = None
    if recordings.count:
        recordings.note_made(made)
    return made


def over(value: np.ndarray[Any, Any], extents: tuple[int, ...], dtype: DType) -> Array:
    """`eager` of memory that is known to have that shape and that dtype."""
    made = blank(Array)
    made.expr = made.placed = made.traced_in = made.origin = made.family = made.shared = None
    made.value, made.extents, made.dtype = value, extents, dtype
    return made


def number(value: bool | int | float | complex, dtype: DType) -> Array:
    """An eager array of a Python number that is of the dtype: a bool, an integer within its range, a float64 or a
    complex128.
    """
    made = blank(Array)
    made.expr = made.placed = made.traced_in = made.origin = made.family = made.shared = None
    made.value, made.extents, made.dtype = value, (), dtype
    return made


def box(x: Array) -> Array:
    """The array; if it has no dimensions, as one that operators change in place."""
    if not x.extents:
        if x.value is not None and type(x.value) is not np.ndarray:
            x.memory()
        x.boxed = True
    return x


def compute(*arrays: Array) -> None:
    """Compute the values of arrays together, so that work they share is done once; they keep their values.

    Returns when the values are there, also those that a jitted function left to be ready later.

    Raises:
        TracingError: an array that belongs to a function being recorded.
        TypeError: what is not an Array.
    """
    enqueue(*arrays)
    # leaves now, unless another thread has assigned to them since; the parts of complex ones are enqueued together
    storages = [part.storage for array in arrays if not _is_at_hand(array) for part in inputs_of(array.node)[:1]]
    for device in dict.fromkeys([each.device for each in storages if not isinstance(each, np.ndarray)]):
        device.finish()


def enqueue(*arrays: Array) -> None:
    """`compute` without waiting: reading a value waits for it. Raises as `compute` does."""
    looks.count += 1
    _enqueue(arrays)


def computed_leaf(x: Array) -> Expr:
    """The leaf over the value of an array, enqueued if need be, at one moment of the call: threads may outdate it."""
    enqueue(x)
    node = x.node
    if inputs_of(node):
        return node
    alone = array_of(x.standing, x.extents, x.dtype, x.placed)  # to which nobody assigns
    enqueue(alone)
    return alone.node


def compute_deep(*arrays: Array) -> None:
    """Enqueue what arrays stand for, since much waits for being computed with it: nobody looks at their values."""
    _enqueue(arrays)


def _compute_outside(x: Array) -> None:
    """Compute what a function that is being recorded takes from outside; constants are part of what it records."""
    with recordings.paused():
        standing = x.standing
        made = standing.made if type(standing) is RecordedCall else standing
        if not standing.loose and type(made) is not Repeat:
            _enqueue([x])


def _is_at_hand(array: Array) -> bool:
    """Is it an eager array of which no leaf was made, which would be a copy of its value?"""
    return array.expr is None and array.value is not None


def _enqueue(arrays: Sequence[Array]) -> None:
    pending = []
    for array in arrays:
        if not isinstance(array, Array):
            raise TypeError(f"compute: expected arrays, got {type(array).__name__}")
        if _is_at_hand(array) and not recordings.count:
            continue
        standing = array.standing
        if array.traced_in is not None or standing.loose:
            refuse("value", "compute", array)
        node = standing.made if type(standing) is RecordedCall else standing
        kind = type(node)
        if kind is Input or (kind is Zip and inputs_of(node)):  # type: ignore[arg-type]  # a Zip
            continue
        value = constant_value(node.x) if kind is Repeat else None  # type: ignore[union-attr]  # a Repeat's
        if value is not None:  # also every array without elements
            filled = np.full(array.size, value, array.dtype)
            filled.setflags(write=False)  # for good: it may be handed out
            array._realise(standing, filled)
        else:
            pending.append(array)
    if pending:
        del node  # which would hold what it is made of
        _bound.evaluate(pending)


class _Bound:
    """What arrays ask of the rooms above: bound by `lazyarr.methods`."""

    evaluate: Callable[[Sequence[Array]], None]
    refreshed: Callable[[Array], Expr | RecordedCall]
    row_view: Callable[[Array, int, Array, Any], Array]
    borrowed: Callable[[Array], Array]


_bound = _Bound()


def bind(
    evaluate: Callable[[Sequence[Array]], None],
    refreshed: Callable[[Array], Expr | RecordedCall],
    row_view: Callable[[Array, int, Array, Any], Array],
    borrowed: Callable[[Array], Array],
) -> None:
    """Say what arrays ask of the rooms above.

    Args:
        evaluate: computes the values of arrays.
        refreshed: what a view that is out of date stands for.
        row_view: an array that holds a row of another one as a view of it
        borrowed: what stands for the elements of a large eager array where they lie (`lazyarr.aliasing.borrowing`)
    """
    _bound.evaluate, _bound.refreshed, _bound.row_view, _bound.borrowed = evaluate, refreshed, row_view, borrowed


def borrowed(x: Array) -> Array:
    """What stands for the elements of a large eager array where they lie; others themselves."""
    return _bound.borrowed(x)
