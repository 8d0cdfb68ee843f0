"""All patterns under one roof; the signature table `SIGNATURES` has each once, with its type scheme and its meaning.

High-level patterns and their types: ICFP 2015 figure 4; low-level ones: figure 5 and table 2 of the journal draft.
`concat`, `slice` and `repeat` are what ragged lengths and NumPy code need beyond them (design, sections 3.5 and 4).
A pattern whose `emits` is False is a view: it generates no code, only an index function.
"""

from ir.core.maps import Iterate, Map, Memory, Reduce, ReducePart, Vect, is_view_map
from ir.core.primitives import Call, Cast, FromSize, Get, Literal, Splat, Tuple
from ir.core.signature import (
    MAP,
    MAP_SEQ,
    MAP_SEQ_UNROLL,
    REDUCE,
    REDUCE_SEQ,
    REDUCE_SEQ_UNROLL,
    SIGNATURES,
    Kind,
    Pattern,
    map_global,
    map_local,
    map_workgroup,
)
from ir.core.views import (
    AsScalar,
    AsVector,
    Concat,
    Element,
    Id,
    Join,
    Prefetch,
    Reorder,
    ReorderStride,
    Repeat,
    Slice,
    Split,
    Transpose,
    Zip,
    narrow,
)

__all__ = [
    "MAP",
    "MAP_SEQ",
    "MAP_SEQ_UNROLL",
    "REDUCE",
    "REDUCE_SEQ",
    "REDUCE_SEQ_UNROLL",
    "SIGNATURES",
    "AsScalar",
    "AsVector",
    "Call",
    "Cast",
    "Concat",
    "Element",
    "FromSize",
    "Get",
    "Id",
    "Iterate",
    "Join",
    "Kind",
    "Literal",
    "Map",
    "Memory",
    "Pattern",
    "Prefetch",
    "Reduce",
    "ReducePart",
    "Reorder",
    "ReorderStride",
    "Repeat",
    "Slice",
    "Splat",
    "Split",
    "Transpose",
    "Tuple",
    "Vect",
    "Zip",
    "is_view_map",
    "map_global",
    "map_local",
    "map_workgroup",
    "narrow",
]
