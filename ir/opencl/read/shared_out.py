"""Private arrays that work-items share out among them: each keeps the part that it computes, and reads no other."""

from __future__ import annotations

from collections.abc import Mapping

from ir.core.expr import Expr, Lambda
from ir.core.patterns import Element, Map, Reduce
from ir.core.sizes import Size, size
from ir.core.types import ArrayType, Type
from ir.errors import GenerationError
from ir.opencl.read.views import ArrayView, Storage, Target, Value, array_target, memory_target, memory_view

__all__ = ["own_type", "shared_dimensions", "shared_target", "shared_view"]


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


def own_type(t: Type, dims: tuple[int, ...]) -> Type:
    """What one work-item keeps of an array of that type."""
    for _ in dims:
        assert isinstance(t, ArrayType)
        t = t.element
    return t


def shared_target(t: Type, dims: tuple[int, ...], storages: list[Storage], items: Mapping[Size, int]) -> Target:
    """The target of such an array."""
    if not dims:
        return memory_target(t, storages, size(0))
    assert isinstance(t, ArrayType)
    element = t.element
    return array_target(lambda i: shared_target(_own(element, i, dims[0], items), dims[1:], storages, items))


def shared_view(t: Type, dims: tuple[int, ...], storages: list[Storage], items: Mapping[Size, int]) -> Value:
    """The view of such an array."""
    if not dims:
        return memory_view(t, storages, size(0))
    assert isinstance(t, ArrayType)
    element = t.element
    return ArrayView(lambda i: shared_view(_own(element, i, dims[0], items), dims[1:], storages, items))


def _own(element: Type, i: Size, dim: int, items: Mapping[Size, int]) -> Type:
    """The type of an element, which is the work-item's own."""
    if i.value != 0 and items.get(i) != dim:
        raise GenerationError(f"a work-item keeps its own element of what mapLocal{dim} computes: it reads none at {i}")
    return element
