"""Universal functions: the element-wise functions as objects, with what NumPy's ufuncs have.

`out`, `where` and `dtype` of a call; `reduce`, `accumulate`, `outer` and `at` of functions of two operands (elements
are combined along an axis in `lazyarr.api.reduce.ufunc_methods`).
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from lazyarr.aliasing.outputs import dtype_of, dtype_with
from lazyarr.array import Array
from lazyarr.dtypes import as_dtype, check_cast
from lazyarr.graph.tracing import Scalar
from lazyarr.recording.apply import apply
from lazyarr.recording.creation import asarray, zeros

__all__ = ["Binary", "Unary", "finished", "put_out", "put_reduced", "ufunc"]

_MISSING: Final[Any] = object()


def put_out(function: str, out: Any, made: Array, where: Any = True) -> Any:
    """Put a result into an array, where a mask holds, and return that array.

    out : a lazyarr array, whose object changes; a NumPy array, which is written to: then the result is computed now; or
        a tuple of one

    Raises `TypeError` where the result's dtype does not convert by NumPy's same-kind rule, `ValueError` where its shape
    does not broadcast to that of `out`.
    """
    from lazyarr.aliasing.assignment import put_result, set_item
    from lazyarr.recording.elementwise import where as where_
    from lazyarr.recording.movement import broadcast_to

    if isinstance(out, tuple):
        if len(out) != 1:
            raise ValueError(f"{function}: expected one array as out, got {len(out)}")
        out = out[0]
    if not isinstance(out, (Array, np.ndarray)):
        raise TypeError(f"{function}: expected out to be an array, got {type(out).__name__}")
    try:
        made = broadcast_to(made, out.shape)
    except ValueError:
        raise ValueError(f"{function}: a result of shape {made.shape} does not fit out, of shape {out.shape}") from None
    if isinstance(out, np.ndarray):
        if not np.can_cast(made.dtype, out.dtype, "same_kind"):
            raise TypeError(f"{function}: cannot put a result of dtype {made.dtype.name} into out, of {out.dtype.name}")
        mask = where if where is True else np.asarray(where, bool)
        np.copyto(out, np.asarray(made), where=mask)
        return out
    if where is not True:
        if not np.can_cast(made.dtype, out.dtype, "same_kind"):
            raise TypeError(f"{function}: cannot put a result of dtype {made.dtype.name} into out, of {out.dtype.name}")
        if out.origin is not None and out.origin.overlaps:  # its other elements are not to be put back beside
            mask = np.broadcast_to(np.asarray(where, bool), out.shape)
            set_item(out, mask, made[mask])
            return out
        made = where_(where, made.astype(out.dtype), out)
    put_result(function, out, made)
    return out


def put_reduced(function: str, out: Any, made: Array) -> Any:
    """`put_out`, of a reduction: NumPy converts its result to the dtype of `out` whatever the two are."""
    from lazyarr.recording.elementwise import converted

    target = dtype_of(out)
    if target is not None and not np.can_cast(made.dtype, target, "same_kind"):
        made = converted(function, made, target)
    return put_out(function, out, made)


def finished(function: str, made: Array, out: Any = None, where: Any = True) -> Array:
    """A result as a call's keywords want it: put into `out`; without one, zero where the mask `where` does not hold."""
    if isinstance(out, tuple) and len(out) == 1 and out[0] is None:
        out = None
    if out is not None:
        return put_out(function, out, made, where)  # type: ignore[no-any-return]  # an Array or a NumPy array
    if where is True:
        return made
    from lazyarr.recording.elementwise import where as where_

    return where_(where, made, zeros((), dtype=made.dtype))


class ufunc:  # noqa: N801  # NumPy's name
    """Universal functions: what those of one and of two operands share.

    name : in the namespace. loop : in `lazyarr.elements.scalar_functions`
    """

    nin: int
    nout = 1

    def __init__(self, name: str, meaning: str, loop: str) -> None:
        self.__name__ = self.__qualname__ = name
        self.__module__ = "lazyarr"
        self.__doc__ = f"{meaning}, element by element.\n\n{_ABOUT}"
        self.loop = loop

    @property
    def nargs(self) -> int:
        """How many arrays a call takes at most, with that for the result."""
        return self.nin + 1

    def __repr__(self) -> str:
        return f"<lazyarr function {self.__name__!r}>"

    def __reduce__(self) -> str:
        return self.__name__

    def reduce(self, array: Any, *arguments: Any, **keywords: Any) -> Array:
        """See `Binary.reduce`; `ValueError` for functions of one operand, as from the three below."""
        raise ValueError(f"{self.__name__}.reduce: expected a function of two operands, got one of {self.nin}")

    def accumulate(self, array: Any, *arguments: Any, **keywords: Any) -> Array:
        """See `Binary.accumulate`."""
        raise ValueError(f"{self.__name__}.accumulate: expected a function of two operands, got one of {self.nin}")

    def reduceat(self, array: Any, indices: Any, *arguments: Any, **keywords: Any) -> Array:
        """See `Binary.reduceat`."""
        raise ValueError(f"{self.__name__}.reduceat: expected a function of two operands, got one of {self.nin}")

    def outer(self, a: Any, b: Any, /, **keywords: Any) -> Array:
        """See `Binary.outer`."""
        raise ValueError(f"{self.__name__}.outer: expected a function of two operands, got one of {self.nin}")

    def _called(self, operands: tuple[Any, ...], out: Any, where: Any, dtype: Any, casting: str) -> Any:
        """A call with keywords."""
        if dtype is not None:
            operands = tuple(self._converted(x, dtype, casting) for x in operands)
        made = apply(self.loop, *operands)
        if dtype is not None and made.dtype is not as_dtype(dtype, self.__name__):
            raise TypeError(f"{self.__name__}: no loop gives dtype {np.dtype(dtype).name}: it gives {made.dtype.name}")
        if type(made) is Scalar and (out is not None or where is not True):
            raise TypeError(f"{self.__name__}: out and where are for arrays, not for numbers of a traced lambda")
        return finished(self.__name__, made, out, where)

    def _converted(self, x: Any, dtype: Any, casting: str) -> Any:
        target = as_dtype(dtype, self.__name__)
        given = x if isinstance(x, (Array, Scalar)) else asarray(x, function=self.__name__)
        check_cast(self.__name__, given.dtype, target)
        weak = type(x) in (bool, int, float, complex)
        if not weak and not np.can_cast(given.dtype, target, casting):  # type: ignore[arg-type]  # checked by NumPy
            raise TypeError(
                f"{self.__name__}: cannot convert an operand of dtype {given.dtype.name} to {target.name} with casting "
                f"{casting!r}"
            )
        return given.astype(target)


_ABOUT: Final = """out : an array to put the result into. where : a mask of places to compute: others keep the value of
`out`, without one they are zero. dtype : convert the operands to it (by `casting`, NumPy's rules)

Broadcasting, dtypes and errors: see `lazyarr.recording.apply.apply`."""


class Unary(ufunc):
    """An element-wise function of one operand."""

    nin = 1

    def __call__(
        self, x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = "same_kind"
    ) -> Array:
        """The function of the elements."""
        if out is None and where is True and dtype is None:
            return apply(self.loop, x)  # type: ignore[no-any-return]  # a Scalar inside lambdas
        return self._called((x,), out, where, dtype, casting)  # type: ignore[no-any-return]  # as above


class Binary(ufunc):
    """An element-wise function of two operands."""

    nin = 2

    def __call__(
        self, x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None, casting: str = "same_kind"
    ) -> Array:
        """The function of the elements, broadcast together."""
        if out is None and where is True and dtype is None:
            return apply(self.loop, x1, x2)  # type: ignore[no-any-return]  # a Scalar inside lambdas
        return self._called((x1, x2), out, where, dtype, casting)  # type: ignore[no-any-return]  # as above

    def at(self, a: Array, indices: Any, b: Any, /) -> None:
        """`a[indices] = f(a[indices], b)` for one index after the other, however often it occurs; a changes."""
        from lazyarr.api.select.combining import combine_at

        combine_at(self.loop, a, indices, b)

    def outer(self, a: Any, b: Any, /, **keywords: Any) -> Array:
        """The function of every element of `a` with every one of `b`: of shape `a.shape + b.shape`."""
        first, second = (asarray(x, function=f"{self.__name__}.outer") for x in (a, b))
        return self(first.reshape(*first.shape, *(1,) * second.ndim), second, **keywords)

    def reduce(
        self,
        array: Any,
        axis: Any = 0,
        dtype: Any = None,
        out: Any = None,
        keepdims: bool = False,
        initial: Any = _MISSING,
        where: Any = True,
    ) -> Array:
        """The elements along an axis (None: all) combined by the function; as `sum` is by `add`.

        initial : combined with the result. where : a mask of the elements to combine

        Functions that are not associative go from the first element to the last, along one axis.

        Raises `TypeError` for functions whose result is no operand, `ValueError` for no elements where none is neutral.
        """
        from lazyarr.api.reduce.ufunc_methods import reduced_by

        name = f"{self.__name__}.reduce"
        x = asarray(array, function=name)
        if self.loop in ("add", "multiply"):
            dtype = dtype_with(x, out, dtype)
        if dtype is not None:
            x = x.astype(dtype)
        if initial is _MISSING:
            initial = None
        made = reduced_by(name, self, x, axis, dtype, bool(keepdims), initial, where)
        return made if out is None else put_reduced(name, out, made)

    def reduceat(self, array: Any, indices: Any, axis: int = 0, dtype: Any = None, out: Any = None) -> Array:
        """The elements from each index up to the next one (of the last up to the end) combined by the function; where
        the next index is not greater, the element itself.

        Raises `IndexError` for an index that is out of bounds.
        """
        from lazyarr.api.select.taking import take
        from lazyarr.recording.movement import moveaxis, normalise_axis

        name = f"{self.__name__}.reduceat"
        x = asarray(array, function=name)
        along = normalise_axis(name, axis, x.ndim)
        x = moveaxis(x if dtype is None else x.astype(dtype), along, 0)
        starts = np.asarray(indices)
        if starts.ndim != 1 or starts.dtype.kind not in "iu":
            raise TypeError(f"{name}: expected a vector of integers as indices, got {starts.dtype} of {starts.shape}")
        if starts.size and (starts.min() < 0 or starts.max() >= x.shape[0]):
            raise IndexError(f"{name}: an index is out of bounds for axis {axis} with size {x.shape[0]}")
        ends = np.append(starts[1:], x.shape[0])
        rest = [np.arange(a + 1, b) for a, b in zip(starts, ends, strict=True)]
        places = np.repeat(np.arange(starts.size), [len(each) for each in rest])
        found = take(x, starts, axis=0)
        if dtype is None and self.loop in ("add", "multiply"):
            found = self.reduce(found[None], axis=0)  # in the dtype of sums
        if places.size:
            self.at(found, places, take(x, np.concatenate(rest), axis=0))
        return finished(name, moveaxis(found, 0, along), out)

    def accumulate(self, array: Any, axis: int = 0, dtype: Any = None, out: Any = None) -> Array:
        """The elements up to each along an axis combined by the function; as `cumsum` is by `add`.

        Raises `TypeError` for a function without.
        """
        from lazyarr.api.reduce.ufunc_methods import accumulated_by

        name = f"{self.__name__}.accumulate"
        x = asarray(array, function=name)
        if self.loop in ("add", "multiply"):
            dtype = dtype_with(x, out, dtype)
        made = accumulated_by(name, self, x, axis, dtype)
        if made is x:
            made = x.copy()
        return made if out is None else put_reduced(name, out, made)
