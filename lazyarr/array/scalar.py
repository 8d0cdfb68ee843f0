"""`Scalar`: one number of a traced lambda, on which operators and element-wise functions work as on arrays."""

from __future__ import annotations

from typing import Any, NoReturn

from ir.core.expr import Expr
from lazyarr.array.operators import Operators
from lazyarr.dtypes import DType, as_dtype, check_cast, from_ir
from lazyarr.elements.scalars import cast
from lazyarr.graph.tracing import Trace, refuse

__all__ = ["Scalar"]


class Scalar(Operators):
    """One number of a traced lambda: an element of an array that `lift.map`, `lift.reduce`, ... walk over.

    Operators and the element-wise functions of `lazyarr` work on it; `if` and `float` raise `TracingError`.

    Attributes:
        expr: the ir expression, of scalar type; of a complex number a pair of such
        dtype: its dtype
        traced_in: the `jit` recording it belongs to, or None
    """

    __slots__ = ("dtype", "expr", "traced_in")
    expr: Expr
    dtype: DType
    traced_in: Trace | None
    shape: tuple[int, ...] = ()
    ndim = 0
    size = 1
    device: Any = None
    placed: Any = None
    is_number = True

    def __init__(self, expr: Expr, trace: Trace | None = None) -> None:
        self.expr = expr
        self.dtype = from_ir(expr.type)
        self.traced_in = trace

    def astype(self, dtype: Any) -> Scalar:
        """The number converted to another dtype (floats to integers truncate)."""
        target = as_dtype(dtype, "astype")
        check_cast("astype", self.dtype, target)
        return self if target is self.dtype else Scalar(cast(self.expr, target), self.traced_in)

    def __pos__(self) -> Scalar:
        return self

    def __bool__(self) -> bool:
        refuse("bool", "a branch (bool)", self)

    def __float__(self) -> float:
        refuse("value", "float()", self)

    def __int__(self) -> int:
        refuse("value", "int()", self)

    def __complex__(self) -> complex:
        refuse("value", "complex()", self)

    def __index__(self) -> int:
        refuse("value", "use as an index", self)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        refuse("value", "np.asarray", self)

    def __iter__(self) -> NoReturn:
        raise TypeError("iteration over a traced scalar: it is a single number")

    def __format__(self, spec: str) -> str:
        if spec:
            refuse("value", "format()", self)
        return str(self)

    def __repr__(self) -> str:
        return f"<traced scalar {self.dtype.name}: {self.expr!r}>"
