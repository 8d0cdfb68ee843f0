"""The patterns of the papers over arrays (`map reduce scan zip split join slide iterate`), `gather`, `generate`.

The names shadow builtins on purpose: use them as `lift.map(...)`.
"""

from typing import TYPE_CHECKING, Any

from lazyarr.array.scalar import Scalar
from lazyarr.lift.iteration import iterate
from lazyarr.lift.jitted import Jitted, jit
from lazyarr.lift.primitives import compose, gather, generate, join, map, reduce, scan, slide, split, unzip, zip
from lazyarr.lift.values import Zipped

if TYPE_CHECKING:
    from lazyarr.lift.derivation import DerivationError, ManualDerivation, derive
    from lazyarr.lift.explanation import explain, tune
    from lazyarr.lift.launches import candidates, lowered

__all__ = [
    "DerivationError", "Jitted", "ManualDerivation", "Scalar", "Zipped", "candidates", "compose", "derive", "explain",
    "gather", "generate", "iterate", "jit", "join", "lowered", "map", "reduce", "scan", "slide", "split", "tune",
    "unzip", "zip",
]  # fmt: skip

_LATE = {
    "DerivationError": "derivation", "ManualDerivation": "derivation", "derive": "derivation",
    "explain": "explanation", "tune": "explanation", "candidates": "launches", "lowered": "launches",
}  # fmt: skip


def __getattr__(name: str) -> Any:
    # these need the compiler and the tuner, which importing lazyarr must not pay for
    if name in _LATE:
        from importlib import import_module

        return getattr(import_module(f"lazyarr.lift.{_LATE[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
