"""Private arrays that work-items share out among them: each keeps the part that it computes, and reads no other."""

from __future__ import annotations

from collections.abc import Mapping

from ir.core.expr import Expr, Lambda
from ir.core.patterns import Element, Map, Reduce
from ir.core.sizes import Size, is_le, size
from ir.core.types import ArrayType, Type
from ir.errors import GenerationError
from ir.opencl.read.views import ArrayView, Storage, Target, Value, array_target, memory_target, memory_view

__all__ = ["Owners", "own_type", "shared_dimensions", "shared_target", "shared_view"]

Owners = tuple[tuple[int, Size], ...]
"""Among how many work-items each of an array's outermost dimensions is shared out, and in which dimension they are."""


def shared_dimensions(e: Expr) -> tuple[int, ...]:
    """The dimensions of the mapLocals that compute an accumulator's outermost dimensions, outermost first."""
    match e:
        case Reduce(init=init) if isinstance(init.type, ArrayType):
            return shared_dimensions(init)
        case Element(xs=Reduce() as before):
            return shared_dimensions(before)
        case Map(Lambda() as f, _, how) if how.name == "mapLocal":
            return (how.dim, *shared_dimensions(f.open()[1]))
    return ()


def own_type(t: Type, owners: Owners) -> Type:
    """What one work-item keeps of an array of that type, one element of each dimension that is shared out."""
    for dim, count in owners:
        assert isinstance(t, ArrayType)
        if not is_le(t.length, count):
            raise GenerationError(
                f"a work-item keeps one element of what mapLocal{dim} computes, not {t.length} of {count}"
            )
        t = t.element
    return t


def shared_target(t: Type, owners: Owners, storages: list[Storage], items: Mapping[Size, int]) -> Target:
    """Where such an array is written.

    Args:
        items: the variables of mapLocals, and their dimensions
    """
    if not owners:
        return memory_target(t, storages, size(0))
    assert isinstance(t, ArrayType)
    element = t.element
    return array_target(lambda i: shared_target(_own(element, i, owners[0], items), owners[1:], storages, items))


def shared_view(t: Type, owners: Owners, storages: list[Storage], items: Mapping[Size, int]) -> Value:
    """How such an array is read.

    Args:
        items: the variables of mapLocals, and their dimensions
    """
    if not owners:
        return memory_view(t, storages, size(0))
    assert isinstance(t, ArrayType)
    element = t.element
    return ArrayView(lambda i: shared_view(_own(element, i, owners[0], items), owners[1:], storages, items))


def _own(element: Type, i: Size, owner: tuple[int, Size], items: Mapping[Size, int]) -> Type:
    """The type of an element, which is the work-item's own: a single work-item's is at 0, whatever the map."""
    dim, count = owner
    if items.get(i) != dim and not (i.value == 0 and count.value == 1):
        raise GenerationError(f"a work-item keeps its own element of what mapLocal{dim} computes: it reads none at {i}")
    return element
