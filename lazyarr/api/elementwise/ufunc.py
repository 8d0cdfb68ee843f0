"""Universal functions: the element-wise functions as objects, with what NumPy's ufuncs have.

`out`, `where` and `dtype` of a call; `reduce`, `accumulate`, `outer` and `at` of functions of two operands (elements
are combined along an axis in `lazyarr.methods.ufunc_methods`).
"""

from __future__ import annotations

from collections.abc import Callable
from types import NoneType
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lazyarr.aliasing.eager_writes import changed_by_numpy, existing_values, is_changed_eagerly, values_of
from lazyarr.aliasing.outputs import finished
from lazyarr.array import Array, number
from lazyarr.array.scalar import Scalar
from lazyarr.config import eagerness
from lazyarr.dtypes import WEAK, as_dtype, bool_, check_cast, float64, int64
from lazyarr.eager.numbers import EXACT
from lazyarr.eager.outputs import is_small, put_into
from lazyarr.eager.ufuncs import by_known, of_one, of_two
from lazyarr.memory.orders import as_order
from lazyarr.recording.apply import answered, apply, check_operands
from lazyarr.recording.conversion import converted
from lazyarr.recording.conversion import where as choose
from lazyarr.recording.creation import asarray

if TYPE_CHECKING:
    from inspect import Signature

    from lazyarr.methods.ufunc_methods import Combining
else:
    Combining = object  # its methods are bound when `lazyarr` is imported

__all__ = ["Binary", "Unary", "ufunc"]

_ABSENT: Final[Any] = object()
"""An operand that was not given."""

_PLAIN: Final = frozenset({Array, Scalar, np.ndarray, np.float64, *WEAK, list, NoneType})
"""Types of operands and of `out` that are no other library's."""

_KEEP: Final = "K"
"""NumPy's default of `order`."""

_USUAL: Final = "same_kind"
"""The default of `casting`."""

_NUMBERS: Final = {float: float64, int: int64}
"""The dtypes of Python's numbers that stand alone."""


class _OfACall:
    """What `inspect.signature` says of a universal function: all operands of a call are needed."""

    def __get__(self, function: Any, kind: Any = None) -> Signature:
        if function is None:
            raise AttributeError("of functions, not of their class")
        from inspect import Parameter, Signature, signature  # few ask for it, and it takes long to import

        given = list(signature(kind.__call__).parameters.values())[1:]  # without self
        own = [x.replace(default=Parameter.empty) if x.kind is Parameter.POSITIONAL_ONLY else x for x in given]
        return Signature([x for x in own if x.kind is not Parameter.VAR_POSITIONAL])


class ufunc:  # noqa: N801  # NumPy's name
    """Universal functions: what those of one and of two operands share.

    Attributes:
        name: in the namespace.
        loop: in `lazyarr.elements.scalar_functions`
    """

    nin: int
    nout = 1
    __signature__ = _OfACall()

    def __init__(self, name: str, meaning: str, loop: str) -> None:
        self.__name__ = self.__qualname__ = name
        self.__module__ = "lazyarr"
        self.__doc__ = f"{meaning}, element by element.\n\n{_ABOUT}"
        self.loop = loop
        self._puts = put_into(loop)

    @property
    def nargs(self) -> int:
        """How many arrays a call takes at most, with that for the result."""
        return self.nin + 1

    @property
    def identity(self) -> Any:
        """The neutral element, as NumPy has it; None where there is none."""
        return getattr(getattr(np, self.__name__, None), "identity", None)

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

    def _miscalled(self, *given: Any) -> TypeError:
        """The error for a call with too few arguments, or too many."""
        expected = f"{self.__name__}: expected {self.nin} array{'s' * (self.nin > 1)}"
        if given[self.nin - 1] is _ABSENT:
            return TypeError(f"{expected}, got {sum([x is not _ABSENT for x in given[: self.nin]])}")
        return TypeError(f"{expected} and out, got {len(given)} arguments")

    def _called(
        self, operands: tuple[Any, ...], out: Any, where: Any, dtype: Any, casting: str, order: str, signature: Any,
        sig: Any,
    ) -> Any:  # fmt: skip
        """A call with keywords."""
        as_order(order, self.__name__)
        if signature is None:
            signature = sig
        elif sig is not None:
            raise TypeError(f"{self.__name__}: got signature and sig, which are the same")
        kinds: list[Any] = [None] * self.nin
        if signature is not None:
            if dtype is not None:
                raise TypeError(f"{self.__name__}: got dtype and signature, which say the same")
            *kinds, dtype = self._signed(signature)
        if where is not True and self.loop == "pow" and isinstance(operands[1], (Array, np.ndarray)):
            operands = (operands[0], choose(where, operands[1], 1))  # negative powers that are not wanted are no error
        if casting == "same_kind" and signature is None and eagerness.on:
            found = self._called_eagerly(operands, out, where, dtype)
            if found is not None:
                return found
        if not _PLAIN.issuperset(map(type, (*operands, out))):
            options = {"where": where, "dtype": dtype, "casting": casting, "signature": signature}
            answer = answered(self.loop, operands, out, **options)
            if answer is not NotImplemented:
                return answer
        if any(kind is not None for kind in kinds):
            operands = tuple(  # beside an array NumPy cuts a Python float off at the point
                x
                if kind is None
                else self._converted(x, kind, "unsafe" if type(x) is float and len(kinds) > 1 else casting)
                for x, kind in zip(operands, kinds, strict=True)
            )
            made = apply(self.loop, *operands)
        elif dtype is None or as_dtype(dtype, self.__name__) is bool_:
            check_operands(self.loop, operands, casting)
            made = apply(self.loop, *operands)
        else:
            made = None
        if dtype is not None and (made is None or made.dtype is not as_dtype(dtype, self.__name__)):
            operands = tuple(self._converted(x, dtype, casting) for x in operands)
            made = apply(self.loop, *operands)
        if dtype is not None and made.dtype is not as_dtype(dtype, self.__name__):
            raise TypeError(f"{self.__name__}: no loop gives dtype {np.dtype(dtype).name}: it gives {made.dtype.name}")
        if type(made) is Scalar and (out is not None or where is not True):
            raise TypeError(f"{self.__name__}: out and where are for arrays, not for numbers of a traced lambda")
        put = out[0] if type(out) is tuple and len(out) == 1 else out
        if casting != "same_kind" and isinstance(put, (Array, np.ndarray)):
            if not np.can_cast(made.dtype, put.dtype, casting):  # type: ignore[arg-type]  # checked by NumPy
                target = f"an array of dtype {put.dtype.name} with casting {casting!r}"
                raise TypeError(f"{self.__name__}: cannot put {made.dtype.name} into {target}")
            made = converted(self.__name__, made, put.dtype, copy=False)
        return finished(self.__name__, made, out, where)

    def _called_eagerly(self, operands: tuple[Any, ...], out: Any, where: Any, dtype: Any) -> Any:
        """The result of such a call, carried out by NumPy; None where it is to be recorded."""
        if dtype is not None:
            if out is not None or where is not True:
                return None
            target = as_dtype(dtype, self.__name__)
            beside = next((x for x in operands if type(x) is Array), None)
            if target is bool_ or beside is None or not all(type(x) is not Array or is_small(x) for x in operands):
                return None
            values = [values_of(x, target, beside) for x in operands]
            if any(x is None for x in values):
                return None
            found = by_known(self.loop, values)
            return found if found is not None and found.dtype is target else None
        to = out[0] if type(out) is tuple and len(out) == 1 else out
        if type(to) is not Array or (to.value is None and not is_changed_eagerly(to)):
            return None
        if where is not True:
            where = existing_values(where, to)
            if where is None or where.dtype.kind != "b":
                return None
        return to if self._puts(operands, to, where) else None

    def _signed(self, signature: Any) -> tuple[Any, ...]:
        """The dtypes of the operands and of the result that a signature names; None for those that it leaves open."""
        kinds = signature
        if isinstance(signature, str):
            operands, arrow, result = signature.partition("->")
            kinds = (*operands, *result) if arrow and len(result) == 1 else None
        if not isinstance(kinds, tuple) or len(kinds) != self.nargs:
            raise TypeError(
                f"{self.__name__}: expected a signature of {self.nin} dtypes, '->' and one more, or a tuple of "
                f"{self.nargs}, got {signature!r}"
            )
        return kinds

    def _converted(self, x: Any, dtype: Any, casting: str) -> Any:
        """An operand in a loop's dtype. A Python number has a kind and no width."""
        target = as_dtype(dtype, self.__name__)
        if type(x) is int and target.kind in "iufc":
            return asarray(x, target, function=self.__name__)  # which holds it, or raises
        given = x if isinstance(x, (Array, Scalar)) else asarray(x, function=self.__name__)
        kind = np.result_type(target, x) if type(x) in WEAK else given.dtype
        if not np.can_cast(kind, target, casting):  # type: ignore[arg-type]  # checked by NumPy
            check_cast(self.__name__, given.dtype, target)
            raise TypeError(
                f"{self.__name__}: cannot convert an operand of dtype {given.dtype.name} to {target.name} with casting "
                f"{casting!r}"
            )
        return given.astype(target) if isinstance(given, Scalar) else converted(self.__name__, given, target)


_ABOUT: Final = """Args:
    out: an array to put the result into, which is returned; `...` for an array also where it has no dimensions
    where: a mask of places to compute; others keep the value of `out`, without one they are zero
    dtype: of the result: convert the operands to it, by NumPy's rule `casting`, which also says what `out` takes
    signature: the dtypes of operands and result, "dd->d" or a tuple, None for those left open; in place of `dtype`
    sig: another name of `signature`
    order, subok: accepted as NumPy has them, and without a meaning: arrays have no layout and no subclasses

Broadcasting, dtypes and errors: see `lazyarr.recording.apply.apply`."""


def _values(indices: Any) -> Any:
    """Indices as NumPy's, computed now."""
    if isinstance(indices, tuple):
        return tuple([_values(each) for each in indices])
    return indices.to_numpy() if isinstance(indices, Array) else indices


class Unary(ufunc):
    """An element-wise function of one operand."""

    nin = 1

    def __init__(self, name: str, meaning: str, loop: str) -> None:
        super().__init__(name, meaning, loop)
        self._eagerly = of_one(loop)

    def at(self, a: Array, indices: Any, /) -> None:
        """`a[indices] = f(a[indices])` for one index after the other, however often it occurs; a changes, and keeps its
        dtype. NumPy's method, of the value.

        Raises:
            TypeError: what changes is no array.
        """
        if type(a) is not Array:
            raise TypeError(f"{self.__name__}.at: expected an array to change, got {type(a).__name__}")
        numpys, key = getattr(np, self.__name__).at, _values(indices)
        if is_changed_eagerly(a) and changed_by_numpy(numpys, a, key):
            return
        value = np.array(a.to_numpy())
        numpys(value, key)
        a[...] = value

    def __call__(
        self, x: Any = _ABSENT, /, out: Any = None, *more: Any, where: Any = True, dtype: Any = None,
        casting: str = _USUAL, order: str = _KEEP, subok: bool = True, signature: Any = None,
        sig: Any = None,
    ) -> Array:  # fmt: skip
        """The function of the elements."""
        if x is _ABSENT or more:
            raise self._miscalled(x, out, *more)
        if out is dtype is signature is sig is None and where is True and order is _KEEP and casting is _USUAL:
            if eagerness.on and type(x) is Array:
                found = self._eagerly(x)
                if found is not None:
                    return found
            elif eagerness.on and type(x) in _NUMBERS and -EXACT < x < EXACT:  # which is an eager number, then
                found = self._eagerly(number(x, _NUMBERS[type(x)]))
                if found is not None:
                    return found
            return apply(self.loop, x)  # type: ignore[no-any-return]  # a Scalar inside lambdas
        return self._called((x,), out, where, dtype, casting, order, signature, sig)  # type: ignore[no-any-return]  # as above


class Binary(ufunc, Combining):
    """An element-wise function of two operands."""

    nin = 2

    def __init__(self, name: str, meaning: str, loop: str) -> None:
        super().__init__(name, meaning, loop)
        self._eagerly: Callable[[Any, Any], Array | None] = of_two(loop)

    def __call__(
        self, x1: Any = _ABSENT, x2: Any = _ABSENT, /, out: Any = None, *more: Any, where: Any = True,
        dtype: Any = None, casting: str = _USUAL, order: str = _KEEP, subok: bool = True, signature: Any = None,
        sig: Any = None,
    ) -> Array:  # fmt: skip
        """The function of the elements, broadcast together."""
        if x2 is _ABSENT or more:
            raise self._miscalled(x1, x2, out, *more)
        if out is dtype is signature is sig is None and where is True and order is _KEEP and casting is _USUAL:
            if eagerness.on and (type(x1) is Array or type(x2) is Array):
                found = self._eagerly(x1, x2)
                if found is not None:
                    return found
            return apply(self.loop, x1, x2)  # type: ignore[no-any-return]  # a Scalar inside lambdas
        return self._called((x1, x2), out, where, dtype, casting, order, signature, sig)  # type: ignore[no-any-return]  # as above

    def outer(self, a: Any, b: Any, /, **keywords: Any) -> Array:
        """The function of every element of `a` with every one of `b`: of shape `a.shape + b.shape`."""
        first, second = (asarray(x, function=f"{self.__name__}.outer") for x in (a, b))
        return self(first.reshape(*first.shape, *(1,) * second.ndim), second, **keywords)


Unary.__call__.__qualname__ = Binary.__call__.__qualname__ = "ufunc"  # what Python's errors of keywords say
