"""`ndarray`: NumPy's name of the class of arrays, which programs call as a function and ask `isinstance` for."""

from __future__ import annotations

from typing import Any

import numpy as np

from lazyarr.array import Array
from lazyarr.dtypes import float64
from lazyarr.recording.creation import asarray
from lazyarr.recording.filled import empty

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
        """An array to be written to, float64 by default, as NumPy's constructor makes it: of zeros, as `empty`, or of
        the elements of a buffer, which are copied as `asarray` copies them.

        Args:
            shape: an integer, or a sequence of them.
            offset, strides: where elements lie in the buffer, in bytes; without one they change nothing
            order: NumPy's order in memory ("C", "F"), in which the buffer is read

        Raises:
            TypeError: the class is a subclass, or the buffer too small.
            ValueError: strides that lead out of the memory.
        """
        if cls is not ndarray:
            raise TypeError(f"ndarray: there are no arrays of subclasses, got {cls.__name__}; keep an array in it")
        if order not in (None, "C", "F"):
            raise ValueError(f"ndarray: expected order to be 'C' or 'F', got {order!r}")
        numpys: Any = np.ndarray  # whose overloads ask for a literal order
        if buffer is None:
            if strides is not None:
                numpys(shape, float64 if dtype is None else dtype, None, 0, strides)  # raises where they lead out of it
            return empty(shape, dtype)
        if isinstance(buffer, Array):
            buffer = buffer.to_numpy()
        return asarray(numpys(shape, float64 if dtype is None else dtype, buffer, offset, strides, order))
