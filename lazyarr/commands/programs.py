"""The demo's array programs, written once for any NumPy-like namespace, and how close two results have to be."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = ["PROGRAMS", "Program", "mismatch"]

WEIGHTS = np.array([0.2126, 0.7152, 0.0722], np.float32)
"""How much red, green and blue add to the luminance (ITU-R BT.709)."""


@dataclass(frozen=True)
class Program:
    """One array program.

    Attributes:
        write: (namespace, array) -> array or tuple of arrays; the namespace is numpy or lazyarr
        scales: (float64 array) -> for each result the size of what was added up, which rounding errors are relative to
        added: (shape) -> how many numbers were added for one element of a result
    """

    name: str
    meaning: str
    write: Callable[[Any, Any], Any]
    scales: Callable[[np.ndarray[Any, Any]], tuple[Any, ...]]
    added: Callable[[tuple[int, ...]], int]


def asum(xp: Any, x: Any) -> Any:
    """The sum of absolute values."""
    return xp.sum(xp.abs(x))


def statistics(xp: Any, x: Any) -> Any:
    """Mean and variance of each row, of a picture those of its luminance."""
    rows = x @ xp.asarray(WEIGHTS) if x.ndim == 3 and x.shape[2] == 3 else x
    return xp.mean(rows, axis=-1), xp.var(rows, axis=-1)


def contrast(xp: Any, x: Any) -> Any:
    """Scale to 0..1, gamma 2, a sigmoid that strengthens the contrast around 0.5; the mean of all that."""
    v = xp.sqrt(xp.abs(x) / 255)
    return xp.mean(1 / (1 + xp.exp(6 * (0.5 - v))))


def _statistics_scales(x: np.ndarray[Any, Any]) -> tuple[Any, ...]:
    rows = x @ WEIGHTS.astype(x.dtype) if x.ndim == 3 and x.shape[2] == 3 else x
    # the variance inherits the rounding of the mean and of the luminance
    return np.mean(np.abs(rows), axis=-1), np.mean(rows * rows, axis=-1)


PROGRAMS = (
    Program("asum", "la.sum(la.abs(x))", asum, lambda x: (np.sum(np.abs(x)),), lambda shape: int(np.prod(shape))),
    Program(
        "statistics",
        "la.mean(rows, axis=-1), la.var(rows, axis=-1), the rows of a picture being x @ weights",
        statistics,
        _statistics_scales,
        lambda shape: shape[1] if len(shape) == 3 and shape[2] == 3 else shape[-1],
    ),
    Program(
        "contrast",
        "la.mean(1 / (1 + la.exp(6 * (0.5 - v)))), where v = la.sqrt(la.abs(x) / 255)",
        contrast,
        lambda x: (contrast(np, x),),
        lambda shape: int(np.prod(shape)),
    ),
)


def relative_tolerance(program: Program, x: np.ndarray[Any, Any]) -> float:
    """The rounding allowed, relative to the program's `scales`: 64 units in the last place for the operations on each
    element (OpenCL's maths functions take up to 16 each) and the square root of the number of additions.
    """
    return float(np.finfo(x.dtype).eps) * (64 + math.sqrt(program.added(x.shape)))


def mismatch(program: Program, x: np.ndarray[Any, Any], results: tuple[Any, ...]) -> str | None:
    """What is wrong with a program's results for that array, by NumPy in float64; None if nothing."""
    wide = x.astype(np.float64)
    tolerance = relative_tolerance(program, x)
    with np.errstate(all="ignore"):
        expected = as_tuple(program.write(np, wide))
        for number, (got, wanted, scale) in enumerate(zip(results, expected, program.scales(wide), strict=True)):
            got, wanted = np.asarray(got, np.float64), np.asarray(wanted)
            if got.shape != wanted.shape:
                return f"result {number} has shape {got.shape}, expected {wanted.shape}"
            same = (got == wanted) | (np.isnan(got) & np.isnan(wanted))
            # what float64 holds may be too large for float32: there any answer that is not finite is right
            same |= ~np.isfinite(got) & (np.asarray(scale) > np.finfo(x.dtype).max / 4)
            bad = ~(same | (np.abs(got - wanted) <= tolerance * np.asarray(scale)))
            if bad.any():
                at = int(np.argmax(bad))
                return f"result {number}, element {at}: expected {wanted.flat[at]:.9g}, got {got.flat[at]:.9g}"
    return None


def as_tuple(result: Any) -> tuple[Any, ...]:
    """A program's result as a tuple of arrays."""
    return result if isinstance(result, tuple) else (result,)
