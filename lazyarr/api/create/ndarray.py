"""`ndarray`: NumPy's name of the class of arrays, which programs call as a function and ask `isinstance` for."""

from __future__ import annotations

from typing import Any

from lazyarr.array import Array
from lazyarr.recording.creation import empty

__all__ = ["ndarray"]


class _OfArrays(type):
    """A class whose instances are all arrays, and which equals theirs: tables by class find it. Its subclasses have no
    instances.
    """

    def __eq__(cls, other: object) -> bool:
        return cls is other or (cls is ndarray and other is Array)

    def __hash__(cls) -> int:
        return hash(Array) if cls is ndarray else super().__hash__()

    def __instancecheck__(cls, instance: Any) -> bool:
        return cls is ndarray and isinstance(instance, Array)

    def __subclasscheck__(cls, subclass: type) -> bool:
        return issubclass(subclass, Array) if cls is ndarray else super().__subclasscheck__(subclass)


class ndarray(Array, metaclass=_OfArrays):  # noqa: N801  # NumPy's name
    """Lazy arrays by NumPy's name: every `Array` is an instance of it, and it makes one of a shape."""

    __slots__ = ()

    def __new__(  # type: ignore[misc]  # what it makes is an Array, as all arrays are
        cls,
        shape: Any,
        dtype: Any = None,
        buffer: Any = None,
        offset: int = 0,
        strides: Any = None,
        order: str | None = None,
    ) -> Array:
        """An array to be written to, float64 by default, as NumPy's constructor makes it: of zeros, as `empty`.

        Args:
            shape: an integer, or a sequence of them.
            order: NumPy's order in memory ("C", "F"), which changes nothing

        Raises:
            TypeError: `buffer`, `offset` or `strides` is given: lazy arrays lie in memory of their own; or the class
                is a subclass.
        """
        if cls is not ndarray:
            raise TypeError(f"ndarray: there are no arrays of subclasses, got {cls.__name__}; keep an array in it")
        if buffer is not None or offset != 0 or strides is not None:
            raise TypeError(
                "ndarray: expected a shape and a dtype alone: for elements of a buffer take "
                "la.asarray(np.ndarray(shape, dtype, buffer, offset, strides))"
            )
        if order not in (None, "C", "F"):
            raise ValueError(f"ndarray: expected order to be 'C' or 'F', got {order!r}")
        return empty(shape, dtype)
