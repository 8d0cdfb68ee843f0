"""Sums of floats on the reference tier are held to what those of kernels are."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import lazyarr as la
from ir.cost.thresholds.tiers import TERMS_IN_A_ROW
from lazyarr import config
from tests.lazyarr.test_accuracy import (
    KINDS,
    Errors,
    data,
    exact,
    test_cumulative_sums,
    test_norms_variances_and_dot_products,
    test_rows_and_columns,
    test_short_rows,
    test_ten_million_tenths,
    test_whole_arrays,
)

__all__ = [
    "test_cumulative_sums", "test_norms_variances_and_dot_products", "test_rows_and_columns", "test_short_rows",
    "test_ten_million_tenths", "test_whole_arrays",
]  # fmt: skip


@pytest.fixture(autouse=True)
def reference() -> Iterator[None]:
    """Every test runs on the reference tier."""
    old = la.config(tier="reference")
    config.reset_statistics()
    yield
    assert {tier for tier, _ in config.tier_statistics()} <= {"reference"}
    la.config(**vars(old))


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("kind", KINDS)
def test_products_with_vectors(kind, dtype):
    """Of rows and of columns: no worse than NumPy's own products, and where they are long better."""
    for n in (1000, 5000, 20011):
        rows, columns = Errors(), Errors()
        a = np.stack([data(kind, n, dtype, seed) for seed in range(30)])
        b = data("random", n, dtype, 99)
        x, y = la.asarray(a), la.asarray(b)
        products = (a.astype(np.longdouble) * b) if dtype == "f8" else a.astype("f8") * b
        for line, numpys, row, column in zip(
            products, a @ b, np.asarray(x @ y), np.asarray(y @ la.asarray(a.T.copy())), strict=True
        ):
            wanted = exact_of(line)
            rows.add(row, numpys, wanted)
            columns.add(column, numpys, wanted)
        rows.check(f"{n} terms, rows")
        columns.check(f"{n} terms, columns")


def exact_of(terms: np.ndarray) -> float:
    """The sum of numbers of more digits than float64 has: of their two parts."""
    high = terms.astype("f8")
    return exact(np.concatenate([high, (terms - high).astype("f8")]))


@pytest.mark.parametrize("kind", KINDS)
def test_float64_along_axes_that_numpy_adds_one_after_the_other(kind):
    a = data(kind, 100_000 * 3, "f8")
    flat = np.asarray(la.sum(la.asarray(a.reshape(100_000, 3)), axis=0))
    deep = np.asarray(la.sum(la.asarray(a.reshape(1000, 3, 100)), axis=(0, 2)))
    steps = np.asarray(la.sum(la.asarray(a.reshape(50_000, 3, 2)), axis=(0, 2)))
    for found, lines in (
        (flat, a.reshape(100_000, 3).T),
        (deep, a.reshape(1000, 3, 100).transpose(1, 0, 2).reshape(3, -1)),
        (steps, a.reshape(50_000, 3, 2).transpose(1, 0, 2).reshape(3, -1)),
    ):
        for total, line in zip(found, lines, strict=True):
            # a chain of so many terms, whose errors may all have one sign, and some further roundings
            bound = (TERMS_IN_A_ROW / 2 + 8) * np.finfo("f8").eps
            assert abs(total - exact(line)) <= bound * exact(np.abs(line))
