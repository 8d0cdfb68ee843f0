"""All patterns under one roof; the signature table `SIGNATURES` has each once, with its type scheme and its meaning.

High-level patterns and their types: ICFP 2015 figure 4; low-level ones: figure 5 and table 2 of the journal draft.
`scan`, `scatter`, `sort`, `concat`, `slice`, `repeat`, `gather` and `generate` are what ragged lengths and NumPy code
need beyond them (design, sections 3.5 and 4), `slide` and `pad` what stencils need (CGO 2018).
What a pattern is otherwise its traits say (`ir.core.traits`).
"""

from ir.core.nodes.arrangements import AsScalar, AsVector, Concat, Gather, Overlap, Reorder, Zip, narrow
from ir.core.nodes.lanes import ScanLane
from ir.core.nodes.maps import (
    Generate,
    Iterate,
    Map,
    MapReduce,
    Memory,
    Reduce,
    ReducePart,
    Scan,
    Vect,
    is_view_map,
    moves_elements,
)
from ir.core.nodes.primitives import Call, Cast, FromSize, Get, Literal, Splat, Tuple
from ir.core.nodes.scatters import Scatter
from ir.core.nodes.sorts import Compact, CompactBeside, Permute, RankRunsSeq, RankSeq, Sort, SortRuns
from ir.core.nodes.tensor_cores import Mma
from ir.core.nodes.views import (
    Element,
    Head,
    Id,
    IndexView,
    Join,
    Masked,
    Pad,
    Prefetch,
    PrefetchAgain,
    PrefetchCopies,
    ReorderStride,
    Repeat,
    Reverse,
    Slice,
    Slide,
    Split,
    Transpose,
    length_of,
    row_length,
)
from ir.core.signature import (
    MAP,
    MAP_LIBRARY,
    MAP_REDUCE_SEQ,
    MAP_SEQ,
    MAP_SEQ_HEAD,
    MAP_SEQ_UNROLL,
    REDUCE,
    REDUCE_SEQ,
    REDUCE_SEQ_UNROLL,
    SCAN,
    SCAN_MAP_SEQ,
    SCAN_MAP_SEQ_UNROLL,
    SCAN_SEQ,
    SCAN_SEQ_UNROLL,
    SCATTER,
    SCATTER_LOCAL,
    SCATTER_SEQ,
    SIGNATURES,
    Kind,
    Pattern,
    is_open,
    map_global,
    map_lane,
    map_local,
    map_warp,
    map_workgroup,
)

__all__ = [
    "MAP", "MAP_LIBRARY", "MAP_REDUCE_SEQ", "MAP_SEQ", "MAP_SEQ_HEAD", "MAP_SEQ_UNROLL", "REDUCE", "REDUCE_SEQ",
    "REDUCE_SEQ_UNROLL", "SCAN", "SCAN_MAP_SEQ", "SCAN_MAP_SEQ_UNROLL", "SCAN_SEQ", "SCAN_SEQ_UNROLL", "SCATTER",
    "SCATTER_LOCAL", "SCATTER_SEQ", "SIGNATURES", "AsScalar", "AsVector", "Call", "Cast", "Compact", "CompactBeside",
    "Concat", "Element", "FromSize", "Gather", "Generate", "Get", "Head", "Id", "IndexView", "Iterate", "Join", "Kind",
    "Literal", "Map", "MapReduce", "Masked", "Memory", "Mma", "Overlap", "Pad", "Pattern", "Permute", "Prefetch",
    "PrefetchAgain", "PrefetchCopies", "RankRunsSeq", "RankSeq", "Reduce", "ReducePart", "Reorder", "ReorderStride",
    "Repeat", "Reverse", "Scan", "ScanLane", "Scatter", "Slice", "Slide", "Sort", "SortRuns", "Splat", "Split",
    "Transpose", "Tuple", "Vect", "Zip", "is_open", "is_view_map", "length_of", "map_global", "map_lane", "map_local",
    "map_warp", "map_workgroup", "moves_elements", "narrow", "row_length",
]  # fmt: skip
