"""What every pattern has: a kind, a type scheme, a meaning, and an entry in the signature table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ir.core.expr import Expr, pattern_name
from ir.core.sizes import Size, divide_exactly, size
from ir.core.traits import Traits
from ir.core.types import ArrayType, Type
from ir.errors import TypeMismatch
from ir.locks import cached_property

__all__ = [
    "LANES", "MAP", "MAP_LIBRARY", "MAP_REDUCE_SEQ", "MAP_SEQ", "MAP_SEQ_HEAD", "MAP_SEQ_UNROLL", "REDUCE",
    "REDUCE_SEQ", "REDUCE_SEQ_UNROLL", "SCAN", "SCAN_MAP_SEQ", "SCAN_MAP_SEQ_UNROLL", "SCAN_SEQ", "SCAN_SEQ_UNROLL",
    "SCATTER", "SCATTER_LOCAL", "SCATTER_SEQ", "SIGNATURES", "Kind", "Pattern", "array_type", "exact_quotient",
    "is_open", "map_global", "map_lane", "map_local", "map_warp", "map_workgroup", "require_same",
]  # fmt: skip


@dataclass(frozen=True, eq=False)
class Kind:
    """How a map, reduce or scan is carried out: these three leave it open, the others name an OpenCL paradigm.

    There is one object for each name and dimension: they are compared by identity, as what else identifies a node.

    Attributes:
        dim: the dimension of the index space; for mapWarp and mapLane the number of lanes of a warp
    """

    name: str
    dim: int = 0

    def __new__(cls, name: str, dim: int = 0) -> Kind:
        """The one of that name and dimension."""
        return _kinds.get((name, dim)) or _kinds.setdefault((name, dim), object.__new__(cls))

    @cached_property
    def parallel(self) -> bool:
        """Is each element given to its own work-group, warp or work-item?"""
        return self.name in ("mapWorkgroup", "mapGlobal") or self.is_local

    @cached_property
    def is_local(self) -> bool:
        """Is it shared out among the work-items of a work-group?"""
        return self.name in ("mapLocal", "mapWarp", "mapLane")

    @cached_property
    def branches(self) -> bool:
        """Do work-items that go on together call its functions each by itself, and some of them not at all?"""
        return self.name in ("scanLane", "scatterLocal")

    @cached_property
    def text(self) -> str:
        """The kind in the papers' notation, with its dimension where that is not the first."""
        return f"{self.name}{self.dim}" if self.parallel and self.dim else self.name

    def __str__(self) -> str:
        return self.text


_kinds: dict[tuple[str, int], Kind] = {}

MAP = Kind("map")
MAP_LIBRARY = Kind("mapLibrary")
"""All of it, what its function says too, by one call of the host's library: no kernel of ours."""
MAP_SEQ = Kind("mapSeq")
MAP_SEQ_HEAD = Kind("mapSeqHead")
"""In order, but for the turns at the end whose results are written nowhere: the generator, which knows behind which
limit a head writes nothing, leaves them out.
"""
MAP_SEQ_UNROLL = Kind("mapSeqUnroll")
MAP_REDUCE_SEQ = Kind("mapReduceSeq")
REDUCE = Kind("reduce")
REDUCE_SEQ = Kind("reduceSeq")
REDUCE_SEQ_UNROLL = Kind("reduceSeqUnroll")
SCAN = Kind("scan")
SCAN_SEQ = Kind("scanSeq")
SCAN_SEQ_UNROLL = Kind("scanSeqUnroll")
SCAN_MAP_SEQ = Kind("scanMapSeq")
SCAN_MAP_SEQ_UNROLL = Kind("scanMapSeqUnroll")
SCATTER = Kind("scatter")
SCATTER_SEQ = Kind("scatterSeq")
SCATTER_LOCAL = Kind("scatterLocal")
"""By the work-items of a group together, in local memory."""
_OPEN = {MAP, REDUCE, SCAN, SCATTER}


def map_workgroup(dim: int = 0) -> Kind:
    """One work-group for each element."""
    return Kind("mapWorkgroup", dim)


def map_local(dim: int = 0) -> Kind:
    """One work-item of the work-group for each element."""
    return Kind("mapLocal", dim)


def map_global(dim: int = 0) -> Kind:
    """One work-item for each element."""
    return Kind("mapGlobal", dim)


LANES = 32
"""Work-items of a warp, where nothing else is said."""


def map_warp(lanes: int = LANES) -> Kind:
    """One warp of the work-group, which is that many neighbouring work-items, for each element."""
    return Kind("mapWarp", lanes)


def map_lane(lanes: int = LANES) -> Kind:
    """One work-item of a warp of that many for each element."""
    return Kind("mapLane", lanes)


def is_open(e: Expr) -> bool:
    """Does its kind leave open how it is carried out?"""
    return getattr(e, "how", None) in _OPEN


def array_type(pattern: str | Kind, t: Type) -> ArrayType:
    """`t` as an array type.

    Raises:
        TypeMismatch: it is none; names the pattern.
    """
    if not isinstance(t, ArrayType):
        raise TypeMismatch(str(pattern), "an array", t)
    return t


def exact_quotient(pattern: str, length: Size, factor: Size) -> Size:
    """How many times `factor` goes into a length.

    Raises:
        TypeMismatch: it does not go evenly.
    """
    if length is factor:
        return size(1)
    n, k = length.value, factor.value
    if n is not None and k and n % k == 0:  # as in every recorded graph
        return size(n // k)
    quotient = divide_exactly(length, factor)
    if quotient is None:
        raise TypeMismatch(pattern, f"an array length that is a multiple of {factor}", length)
    return quotient


def require_same(pattern: str | Kind, expected: object, actual: object) -> None:
    """Raise `TypeMismatch` unless the two types or sizes are the same."""
    if expected is not actual:
        raise TypeMismatch(str(pattern), expected, actual)


class Pattern(Expr):
    """Base of the patterns over arrays; each declares its type scheme, its meaning and its traits, and is registered
    in `SIGNATURES`.
    """

    is_pattern = True
    traits = Traits()
    scheme: ClassVar[str]
    meaning: ClassVar[str]

    @property
    def name(self) -> str:
        """The pattern's name; of those that are carried out in several ways, that of the way."""
        how = getattr(self, "how", None)
        return pattern_name(type(self)) if how is None else str(how)

    def __init_subclass__(cls, twin: bool = False, abstract: bool = False, **_: Any) -> None:
        super().__init_subclass__(twin)
        if twin or abstract:
            return
        for name in ("scheme", "meaning"):
            if name not in cls.__dict__:
                raise TypeError(f"{cls.__name__} does not declare its {name}")
        SIGNATURES[pattern_name(cls)] = cls


SIGNATURES: dict[str, type[Pattern]] = {}
"""All patterns by the names that they are written with."""
