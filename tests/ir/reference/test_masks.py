"""What a mask chooses, in parts by places or as NumPy does it: the same elements in the same order."""

from __future__ import annotations

import numpy as np
import pytest

from ir.cost.thresholds.masks import MASK_FROM_ELEMENTS, MASK_PART
from ir.reference import masks
from ir.reference.masks import masked

SIZES = (0, 1, MASK_FROM_ELEMENTS - 1, MASK_FROM_ELEMENTS, MASK_PART, MASK_PART + 1, 3 * MASK_PART + 17)


def random_mask(size, share):
    return np.random.default_rng(size).random(size) < share


@pytest.mark.parametrize("share", [0, 0.02, 0.3, 0.5, 0.97, 1])
@pytest.mark.parametrize("size", SIZES)
def test_the_elements_are_numpys(size, share):
    x, mask = np.arange(size, dtype=np.float32), random_mask(size, share)
    found = masked(x, mask)
    np.testing.assert_array_equal(found, x[mask], strict=True)
    assert not np.may_share_memory(found, x)


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int16", "int64", "float64", "complex64", "complex128"])
def test_of_every_kind_and_shape(dtype):
    size = 2 * MASK_PART + 8  # six times some number
    x, mask = np.arange(size).astype(dtype), random_mask(size, 0.5)
    np.testing.assert_array_equal(masked(x, mask), x[mask], strict=True)
    square, holes = x.reshape(2, -1, 3), mask.reshape(2, -1, 3)
    np.testing.assert_array_equal(masked(square, holes), square[holes], strict=True)
    for a, b in [(square.T, holes.T), (square.T, holes.T.copy()), (x[::-2], mask[::2]), (x[::2].copy(), mask[1::2])]:
        np.testing.assert_array_equal(masked(a, b), a[b], strict=True)


def test_a_mask_of_rows_and_one_that_does_not_fit():
    rows, mask = np.arange(4 * MASK_FROM_ELEMENTS).reshape(-1, 2), random_mask(2 * MASK_FROM_ELEMENTS, 0.5)
    np.testing.assert_array_equal(masked(rows, mask), rows[mask], strict=True)
    with pytest.raises(IndexError):
        masked(rows, mask[1:])
    with pytest.raises(IndexError):
        masked(rows[:-1].reshape(-1), mask)


@pytest.mark.parametrize("size", [MASK_FROM_ELEMENTS, 10**6])
def test_only_masks_that_change_often_are_taken_apart(size, monkeypatch):
    """A processor foresees the others: NumPy is fast on them."""
    x, calls = np.arange(size), []
    monkeypatch.setattr(masks, "together", lambda work, each, threads: (calls.append(1), work(iter(each))))

    def by_places(mask):
        calls.clear()
        np.testing.assert_array_equal(masked(x, mask), x[mask])
        return bool(calls)

    assert by_places(random_mask(size, 0.5)) and by_places(random_mask(size, 0.2)) and by_places(x % 2 == 0)
    assert not by_places(random_mask(size, 0.02)) and not by_places(random_mask(size, 0.98))
    assert not by_places(x < size // 2) and not by_places(x % 100 < 50)
