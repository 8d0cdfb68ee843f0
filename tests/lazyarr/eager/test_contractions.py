"""Products that broadcast and are summed right after are one product of matrices (`lazyarr.eager.contractions`)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.eager import contractions

SHAPES = [
    ((6, 3, 4, 8, 1), (1, 3, 4, 8, 24), (1, 2, 3)),  # a window of a convolution
    ((6, 3, 4, 8, 1), (3, 4, 8, 24), (-2, 1, 2)),
    ((24, 50), (30, 1, 50), 2),
    ((5, 12, 1, 40), (5, 1, 13, 40), -1),  # of a batch
    ((5, 1, 8, 1, 10), (6, 8, 9, 1), (2, 0)),  # no product of matrices: one of the terms is of x alone
    ((24, 1, 50, 1), (30, 50, 1), None),
]


def eager(values: Any) -> Any:
    x = la.asarray(values)
    x[(0,) * x.ndim] = values[(0,) * values.ndim].item()
    assert x.value is not None
    return x


def close(found: Any, wanted: Any, scale: Any) -> None:
    got = np.asarray(found)
    assert got.shape == wanted.shape and got.dtype == wanted.dtype
    assert np.all(np.abs(got.astype(float) - wanted) <= 8 * np.finfo(got.dtype).eps * scale)


@pytest.fixture
def products(monkeypatch):
    """The plans of products of matrices that were made."""
    _ = eager(np.ones(3)) * eager(np.ones(3))  # the operator is made when it is used first
    monkeypatch.setattr(contractions.products, "summed", {})
    monkeypatch.setattr(contractions, "_plans", plans := {})
    return plans


@pytest.mark.parametrize("dtypes", [("float32", "float32"), ("float64", "float64"), ("float32", "float64")], ids=str)
@pytest.mark.parametrize(("of_x", "of_y", "axis"), SHAPES, ids=str)
@pytest.mark.parametrize("keepdims", [False, True])
def test_the_sum_of_a_product_is_numpys(of_x, of_y, axis, keepdims, dtypes, products):
    rng = np.random.default_rng(1)
    a, b = (rng.standard_normal(shape).astype(dtype) for shape, dtype in zip((of_x, of_y), dtypes, strict=True))
    x, y = eager(a), eager(b)
    wide = a.astype(float) * b
    wanted = np.sum(wide, axis=axis, keepdims=keepdims).astype(np.result_type(a, b))
    scale = np.sum(np.abs(wide), axis=axis, keepdims=keepdims)
    recorded = []
    for _ in range(6):
        made = x * y
        recorded.append(made.value is None)
        close(la.sum(made, axis=axis, keepdims=keepdims), wanted, scale)
    is_of_matrices = axis not in ((2, 0), None)
    assert recorded[-3:] == [is_of_matrices] * 3 and sum(recorded) >= 1
    assert (None in products.values()) != is_of_matrices


def test_what_is_written_meanwhile_does_not_count(products):
    rng = np.random.default_rng(2)
    a, b = rng.random((30, 40, 1)), rng.random((40, 20))
    x, y = eager(a), eager(b)
    for _ in range(3):
        made, wanted = x * y, np.sum(a * b, axis=1)
        x[:, 3] = 7.0
        a[:, 3] = 7.0
        y *= 1.5
        b *= 1.5
        close(made.sum(axis=1), wanted, wanted)
    assert len(products) == 1


def test_a_line_whose_products_are_used_otherwise_is_numpys_again(products):
    rng = np.random.default_rng(3)
    a, b = rng.random((30, 40, 1)), rng.random((40, 20))
    x, y = eager(a), eager(b)
    kept = []
    for turn in range(6):
        made = x * y
        if turn < 2:
            la.sum(made, axis=1)
        elif turn == 2:
            made += 1.0
            close(la.sum(made, axis=1), np.sum(a * b + 1.0, axis=1), 50.0)
        kept.append(made.value is not None)
    assert kept == [True, False, False, True, True, True]


@pytest.mark.filterwarnings("error")
def test_products_that_are_not_finite(products):
    a, b = np.ones((30, 40, 1), np.float32), np.ones((40, 20), np.float32)
    a[3, 4], b[5, 6], a[7, 8] = np.nan, np.inf, -np.inf
    x, y = eager(a), eager(b)
    for _ in range(3):
        with np.errstate(invalid="ignore"):
            wanted = np.sum(a * b, axis=1)
        assert np.array_equal(np.asarray(la.sum(x * y, axis=1)), wanted, equal_nan=True)


def test_what_is_no_plain_sum_is_recorded(products):
    rng = np.random.default_rng(4)
    a, b = rng.random((30, 40, 1)), rng.random((40, 20))
    x, y = eager(a), eager(b)
    for call in (
        lambda xp, made: xp.sum(made, axis=1, dtype="float32"),
        lambda xp, made: xp.sum(made, axis=1, initial=3.0),
        lambda xp, made: xp.max(made, axis=1),
        lambda xp, made: xp.sum(made),
    ):
        for _ in range(3):
            la.sum(x * y, axis=1)
            product = x * y
            close(call(la, product), call(np, a * b), 800.0)
    for _ in range(3):
        with pytest.raises(ValueError, match="axis"):
            la.sum(x * y, axis=(1, 1))


def test_integers_and_complex_numbers_are_numpys(products):
    for dtype in ("int32", "complex128"):
        a, b = np.ones((30, 40, 1), dtype) * 2, np.ones((40, 20), dtype) * 3
        x, y = eager(a), eager(b)
        for _ in range(3):
            made = x * y
            assert made.value is not None
            assert np.array_equal(np.asarray(la.sum(made, axis=1)), np.sum(a * b, axis=1))


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32"])
def test_squares_are_numpys(dtype):
    values = np.array([0, 1, 3, 250, 1e4]).astype(dtype)
    if values.dtype.kind == "f":
        values = np.concatenate([values, -values, np.array([np.nan, np.inf, -np.inf], dtype)])
    x = eager(values)
    for power in (2, 2.0):
        with np.errstate(over="ignore"):
            wanted = values**power
        found = x**power
        assert found.dtype == wanted.dtype
        assert np.array_equal(np.asarray(found), wanted, equal_nan=wanted.dtype.kind == "f")
