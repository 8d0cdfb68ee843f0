"""`mma`: small matrices that the lanes of a warp multiply together."""

from __future__ import annotations

from ir.core.expr import Expr
from ir.core.signature import LANES, Pattern, array_type, exact_quotient, require_same
from ir.core.sizes import Size, SizeLike, size
from ir.core.traits import Traits
from ir.core.types import FLOAT32, ArrayType, Type
from ir.errors import TypeMismatch

__all__ = ["MMA_COLUMNS", "MMA_HELD", "MMA_NEIGHBOURS", "MMA_ROWS", "MMA_TERMS", "Mma"]

MMA_ROWS, MMA_COLUMNS, MMA_TERMS = 16, 8, 8
"""Rows and columns of the matrices that are added up by one instruction, and the terms of each of its elements."""

MMA_HELD = MMA_ROWS * MMA_COLUMNS // LANES
"""Elements of such a matrix that one lane holds."""

MMA_NEIGHBOURS = 4
"""Lanes that hold elements of the same rows."""


class Mma(Pattern):
    """`mma w cs a b`: matrices of 16 x 8 that the lanes of a warp hold, plus products of a chunk of rows and columns.

    Lane `4 r + q` holds of matrix (i, j) the elements (r, 2 q), (r, 2 q + 1), (r + 8, 2 q), (r + 8, 2 q + 1). Element
    (x, y) grows by the sum of `a[t][16 i + x] * b[t][8 j + y]` over all t. Of the factors the bits are cut off that
    TF32 has not; sums are of float32, in any order. A lane reads w of the factors that it hands over at once: one,
    or the four of a matrix of rows, or of two matrices of columns.

    PTX ISA, `mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32`.
    """

    scheme = (
        "mma : (w : size) -> [[[[float32]4]n]m]32 -> [[float32](16*m)](8*k) -> [[float32](8*n)](8*k)"
        " -> [[[[float32]4]n]m]32"
    )
    meaning = "add products of rows and columns to the matrices that the lanes of a warp hold"
    traits = Traits(computes=True, collective=True, by_lanes=True)
    __match_args__ = ("width", "init", "rows", "columns")
    width: Size
    init: Expr
    rows: Expr
    columns: Expr

    def __new__(cls, width: SizeLike, init: Expr, rows: Expr, columns: Expr) -> Mma:
        return cls._make((init, rows, columns), (size(width),))

    def _infer(self) -> Type:
        rows, columns = (array_type("mma", x.type) for x in (self.rows, self.columns))
        require_same("mma", rows.length, columns.length)
        exact_quotient("mma", rows.length, size(MMA_TERMS))
        row, column = (array_type("mma", x.element) for x in (rows, columns))
        require_same("mma", FLOAT32, row.element)
        require_same("mma", FLOAT32, column.element)
        down = exact_quotient("mma", row.length, size(MMA_ROWS))
        across = exact_quotient("mma", column.length, size(MMA_COLUMNS))
        if self.width.value not in (1, MMA_HELD):
            raise TypeMismatch("mma", f"numbers read at once: 1 or {MMA_HELD}", str(self.width))
        exact_quotient("mma", across, size(2 if self.width.value == MMA_HELD else 1))
        held = ArrayType(ArrayType(ArrayType(ArrayType(FLOAT32, MMA_HELD), across), down), LANES)
        require_same("mma", held, self.init.type)
        return held
