"""The patterns of the papers over lazy arrays (`map reduce zip split join`).

The names shadow builtins on purpose: use them as `lift.map(...)`.
"""

from typing import TYPE_CHECKING, Any

from lazyarr.lift.jitted import Jitted, jit
from lazyarr.lift.primitives import compose, join, map, reduce, split, unzip, zip
from lazyarr.lift.values import Zipped
from lazyarr.tracing import Scalar

if TYPE_CHECKING:
    from lazyarr.lift.explanation import candidates, explain, lowered, tune

__all__ = [
    "Jitted", "Scalar", "Zipped", "candidates", "compose", "explain", "jit", "join", "lowered", "map",
    "reduce", "split", "tune",
    "unzip", "zip",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    # these need the compiler and the tuner, which importing lazyarr must not pay for
    if name in ("candidates", "explain", "lowered", "tune"):
        from importlib import import_module

        return getattr(import_module("lazyarr.lift.explanation"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
