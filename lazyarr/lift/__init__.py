"""The patterns of the papers over lazy arrays (`map reduce zip split join`).

The names shadow builtins on purpose: use them as `lift.map(...)`.
"""

from lazyarr.lift.primitives import compose, join, map, reduce, split, unzip, zip
from lazyarr.lift.values import Zipped
from lazyarr.tracing import Scalar

__all__ = ["Scalar", "Zipped", "compose", "join", "map", "reduce", "split", "unzip", "zip"]
