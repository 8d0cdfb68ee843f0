"""What functions of numbers take: measured on a device, where it was; else counted in how they are written.

A runtime's own functions differ by a factor of fifteen between an exponential and a power, and from runtime to runtime.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from ir.cost.operations import Work
from ir.cost.thresholds.prediction import DIVISION_TAKES
from ir.locks import cached_property
from ir.opencl.write.floats import FLOATS

__all__ = ["NOT_MEASURED", "Functions"]

_OPERATOR = re.compile(r" (?:[-+*<>&|^?]|<=|>=|==|!=|<<|>>) |\b(?:fused\w*|fabs|copysign|rint|FUSED)\(")
_DIVISION = re.compile(r" / ")
_OTHER_DEVICES = "\n#else\n"


@dataclass(frozen=True)
class Functions:
    """What is known of a device's functions.

    Attributes:
        measured: seconds that the whole device takes for each element, by function and dtype
    """

    measured: tuple[tuple[Work, float], ...] = ()

    @classmethod
    def of(cls, rates: Mapping[Work, float]) -> Functions:
        """From elements in a second; rates of other operations are left out, and those of nothing."""
        return cls(tuple(sorted((work, 1 / rate) for work, rate in rates.items() if work.function and rate > 0)))

    @cached_property
    def _seconds(self) -> dict[Work, float]:
        return dict(self.measured)

    def seconds(self, name: str, dtype: str) -> float | None:
        """The seconds for an element; None where it was not measured."""
        return self._seconds.get(Work("function", dtype, name))


NOT_MEASURED = Functions()


@lru_cache(maxsize=256)
def operations_in(name: str, dtype: str) -> int | None:
    """The operations on vectors of doubles or floats in a function that processors compute as arithmetic of ours
    (`ir.opencl.write.floats`); None of a runtime's own.
    """
    text = FLOATS.get(dtype, {}).get(name)
    if text is None or "{" not in text:
        return None
    text = text.rsplit(_OTHER_DEVICES, 1)[0].rpartition("#endif\n")[2]
    found = len(_OPERATOR.findall(text)) + DIVISION_TAKES * len(_DIVISION.findall(text))
    return found * (2 if dtype == "float32" and re.search(r"\bD\b", text) else 1)
