"""Arrays taken apart along a dimension: views of what they were."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import Any

from lazyarr.aliasing.viewing import element
from lazyarr.array import Array
from lazyarr.recording.creation import asarray
from lazyarr.recording.movement import normalise_axis, whole_number

__all__ = ["array_split", "dsplit", "hsplit", "split", "unstack", "vsplit"]


def unstack(x: Any, /, *, axis: int = 0) -> tuple[Array, ...]:
    """The arrays that stand beside each other along a dimension, one dimension less each."""
    x = asarray(x, function="unstack")
    along = normalise_axis("unstack", axis, x.ndim)
    return tuple(element(x, (*(slice(None),) * along, i)) for i in range(x.shape[along]))


def array_split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[Array]:
    """The array in parts along a dimension: so many of about equal extent, or cut at the given positions."""
    return _split("array_split", ary, indices_or_sections, axis, even=False)


def split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[Array]:
    """`array_split` into equal parts: `ValueError` unless a number of parts divides the extent."""
    return _split("split", ary, indices_or_sections, axis, even=True)


def vsplit(ary: Any, indices_or_sections: Any) -> list[Array]:
    """`split` along the first of two or more dimensions."""
    return _split("vsplit", _of_dimensions("vsplit", ary, 2), indices_or_sections, 0, even=True)


def hsplit(ary: Any, indices_or_sections: Any) -> list[Array]:
    """`split` along the second dimension, of a vector along its only one."""
    x = _of_dimensions("hsplit", ary, 1)
    return _split("hsplit", x, indices_or_sections, 0 if x.ndim == 1 else 1, even=True)


def dsplit(ary: Any, indices_or_sections: Any) -> list[Array]:
    """`split` along the third of three or more dimensions."""
    return _split("dsplit", _of_dimensions("dsplit", ary, 3), indices_or_sections, 2, even=True)


def _of_dimensions(function: str, ary: Any, least: int) -> Array:
    x = asarray(ary, function=function)
    if x.ndim < least:
        raise ValueError(f"{function}: expected {least} or more dimensions, got shape {x.shape}")
    return x


def _split(function: str, ary: Any, sections: Any, axis: int, *, even: bool) -> list[Array]:
    x = asarray(ary, function=function)
    along = normalise_axis(function, axis, x.ndim)
    extent = x.shape[along]
    try:
        count = operator.index(sections)
    except TypeError:
        if not isinstance(sections, Iterable):
            raise TypeError(f"{function}: expected a number of parts, or positions, got {sections!r}") from None
        cuts = [whole_number(function, "a position", position, None) for position in sections]
    else:
        if count < 1:
            raise ValueError(f"{function}: expected a number of parts larger than zero, got {count}")
        if even and extent % count:
            raise ValueError(f"{function}: an extent of {extent} does not divide into {count} equal parts")
        each, more = divmod(extent, count)
        cuts = [each * i + min(i, more) for i in range(1, count)]
    bounds = zip([0, *cuts], [*cuts, extent], strict=True)
    return [element(x, (*(slice(None),) * along, slice(start, stop))) for start, stop in bounds]
