"""What the demo works on: an array from a file, or the photographs that come with scikit-learn."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lazyarr.errors import LazyarrError

__all__ = ["DemoInput", "InputError", "load"]

_NPY = b"\x93NUMPY"
_ZIP = b"PK\x03\x04"


class InputError(LazyarrError, ValueError):
    """The demo cannot work on what it was given; says why and what to give instead."""


@dataclass(frozen=True)
class DemoInput:
    """An array with what to call it.

    Attributes:
        array: floating-point, of 1 to 3 dimensions, with elements
    """

    description: str
    array: np.ndarray[Any, Any]


def load(path: Path | None, float64: bool = True) -> DemoInput:
    """The array in a .npy file, or the photographs one above the other; integers become floats that hold them.

    Args:
        float64: whether the device computes in double precision; if not, everything becomes float32

    Raises:
        InputError: there is no such array.
    """
    description, found = _photographs() if path is None else (path.name, _read(path))
    dtype = np.result_type(found.dtype, np.float32) if float64 else np.dtype(np.float32)
    shape = " x ".join(map(str, found.shape))
    text = f"{description}: {shape} {found.dtype.name}"
    if dtype != found.dtype:
        text += f", converted to {dtype.name}"
    return DemoInput(text, np.ascontiguousarray(found, dtype))


def _photographs() -> tuple[str, np.ndarray[Any, Any]]:
    try:
        from sklearn.datasets import load_sample_images

        images = load_sample_images().images
    except ImportError as error:
        raise InputError(
            f"the demo's photographs come with scikit-learn and are read by pillow ({error}): "
            'pip install "lazyarr[demo]", or name an array: python -m lazyarr demo FILE.npy'
        ) from error
    return f"the {len(images)} photographs of scikit-learn", np.concatenate(images)


def _read(path: Path) -> np.ndarray[Any, Any]:
    try:
        with path.open("rb") as file:
            start = file.read(len(_NPY))
            if start != _NPY:
                raise InputError(_other_file(path, start))
            file.seek(0)
            found = np.load(file, allow_pickle=False)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}") from error
    except InputError:
        raise
    except (ValueError, EOFError, MemoryError) as error:
        if "Object arrays" in str(error):
            raise InputError(f"{path} holds Python objects (dtype object); save an array of numbers") from error
        raise InputError(f"{path} is damaged: {error}") from error
    return _checked(path, found)


def _other_file(path: Path, start: bytes) -> str:
    if not start:
        return f"{path} is an empty file; save an array to it with numpy.save"
    if start.startswith(_ZIP):
        return f"{path} is an archive of several arrays (.npz); save one of them with numpy.save"
    return f"{path} is not a .npy file; write one with numpy.save"


def _checked(path: Path, found: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    if found.dtype.kind not in "biuf" or found.dtype.itemsize > 8:
        raise InputError(f"{path} holds {found.dtype}; expected bools, integers, or floats of at most 64 bits")
    if not 1 <= found.ndim <= 3:
        raise InputError(f"{path} holds an array of {found.ndim} dimensions; expected 1, 2 or 3")
    if not found.size:
        raise InputError(f"{path} holds an array without elements, of shape {found.shape}")
    return found
