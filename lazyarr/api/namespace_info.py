"""The array API standard's inspection: what this namespace can do, and with which dtypes on which devices."""

from __future__ import annotations

from typing import Any

from lazyarr.array import known_device
from lazyarr.config import settings
from lazyarr.dtypes import SUPPORTED, DType, complex128, float64, int64
from lazyarr.dtypes.promotion import isdtype

__all__ = ["Info", "__array_api_version__", "__array_namespace_info__"]

__array_api_version__ = "2025.12"

# Kernels compute arrays of more, but values come back as NumPy's arrays, which end here.
MAX_DIMENSIONS = 64


class Info:
    """What `__array_namespace_info__()` gives."""

    def capabilities(self) -> dict[str, bool | int]:
        """Boolean masks and results whose shapes follow from data work; arrays have at most `MAX_DIMENSIONS`.

        Both compute at once what they need, so inside `lift.jit` they raise `TracingError`.
        """
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": MAX_DIMENSIONS}

    def default_device(self) -> Any:
        """The device on which arrays are computed that were put on none: the fastest, or `LAZYARR_DEVICE`."""
        from lazyarr.runtime import find_device  # needs OpenCL, which importing lazyarr must not

        return find_device(settings().device or None)

    def devices(self) -> tuple[Any, ...]:
        """The devices that can be used, each of which the creation functions take as `device`."""
        from lazyarr.runtime import devices  # needs OpenCL, which importing lazyarr must not

        return tuple(devices())

    def default_dtypes(self, *, device: Any = None) -> dict[str, DType]:
        """The dtypes of Python numbers, and of indices; the same on every device."""
        known_device(device)
        return {"real floating": float64, "complex floating": complex128, "integral": int64, "indexing": int64}

    def dtypes(self, *, device: Any = None, kind: str | tuple[str, ...] | None = None) -> dict[str, DType]:
        """The dtypes of the standard that a device (None: the default one) computes with, by name.

        Args:
            kind: one of `lazyarr.dtypes.promotion.KINDS`, or several; None: all

        Raises:
            ValueError: any other name.
        """
        from lazyarr.runtime import find_device  # needs OpenCL, which importing lazyarr must not

        found = self.default_device() if device is None else find_device(device)
        supported = [t for t in SUPPORTED if found.limits.float64 or t not in (float64, complex128)]
        return {t.name: t for t in supported if kind is None or isdtype(t, kind)}


def __array_namespace_info__() -> Info:  # noqa: N807  # the standard's name
    """The namespace's inspection functions."""
    return Info()
