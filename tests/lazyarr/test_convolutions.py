"""Sums of products of shifted slices, as convolutions are written: one product of windows. Other sums stay."""

from __future__ import annotations

from itertools import product as places

import numpy as np
import pytest

import lazyarr as la
from ir.core.expr import postorder
from ir.core.patterns import Concat, Slide
from ir.cost.thresholds.products import JOINED_TERMS_AT_MOST
from ir.fusion.prepare import join_products
from lazyarr.config import configure
from lazyarr.lift import jit

SHAPES = {
    "a line": ((9, 3), (3, 3, 4)),
    "an image": ((7, 6, 3), (2, 3, 3, 4)),
    "images": ((2, 7, 6, 3), (3, 2, 3, 4)),
    "images of one number": ((2, 7, 6, 1), (2, 2, 1, 5)),
    "images, blocks of rows and a rest": ((2, 17, 19, 3), (3, 3, 3, 5)),
    "images, two results": ((1, 20, 20, 3), (5, 5, 3, 2)),
    "volumes": ((2, 4, 5, 6, 2), (2, 3, 2, 2, 3)),
}


@pytest.fixture(autouse=True)
def _kernels_without_a_search():
    before = configure(tier="compiled", tune="off")
    yield
    configure(tier=before.tier, tune=before.tune)


def convolved(x, weights, order=sorted, apart=1):
    """The sum over all places of a window, of products of what lies there in the windows and of weights."""
    window = weights.shape[:-2]
    lead = x.ndim - 1 - len(window)
    total = 0
    for at in order(places(*map(range, window))):
        extents = zip(at, x.shape[lead:], window, strict=False)
        shifted = (slice(apart * i, n - apart * (k - 1) + apart * i) for i, n, k in extents)
        total = total + x[(*[slice(None)] * lead, *shifted)] @ weights[at]
    return total


def drawn(shape, dtype=np.float32):
    return np.random.default_rng(1).integers(-9, 9, shape).astype(dtype)


def kernels(function, *arrays):
    """The high-level expressions of the kernels, over symbols; the values are compared with NumPy's."""
    lazy = [la.asarray(x) for x in arrays]
    np.testing.assert_array_equal(np.asarray(function(*lazy)), function(*arrays))
    recording, _ = jit(function).recording(*lazy)
    return [step.general.expr for step in recording.steps]


def has(pattern, e):
    return any(isinstance(node, pattern) for node in postorder(e))


@pytest.mark.slow
@pytest.mark.parametrize("name", SHAPES)
def test_a_convolution_is_one_product_of_windows(name):
    (e,) = kernels(convolved, *map(drawn, SHAPES[name]))
    assert has(Slide, e)
    assert not has(Concat, e)


@pytest.mark.parametrize("dtype", [np.int32, np.float64, np.complex64])
def test_of_any_numbers(dtype):
    (e,) = kernels(convolved, *(drawn(shape, dtype) for shape in SHAPES["images"]))
    assert has(Slide, e)


def test_what_is_done_with_the_sum_reads_it():
    x, weights = map(drawn, SHAPES["images"])
    made = kernels(lambda x, w, b: np.maximum(convolved(x, w) + b, 0), x, weights, drawn(4))
    assert len(made) == 2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("function", "shapes"),
    [
        (lambda x, w: convolved(x, w, lambda at: sorted(at, reverse=True)), SHAPES["images"]),
        (lambda x, w: convolved(x, w, apart=2), SHAPES["an image"]),
        (lambda x, w: x[:-1] @ w[0] + x[1:] @ w[0], SHAPES["a line"]),
        (lambda x, w: x[:-1] @ w[0] - x[1:] @ w[1], SHAPES["a line"]),
        (lambda x, w: x[:-1] @ w[0] + (x[1:] @ w[1]) * 2, SHAPES["a line"]),
        (lambda x, w: (x[:-1] @ w[0] + x[1:] @ w[1]) + x[1:] @ w[1], SHAPES["a line"]),
        (convolved, ((3, 5, 4, 2), (3, 1, 2, 4))),
        (convolved, ((5, JOINED_TERMS_AT_MOST + 1), (2, JOINED_TERMS_AT_MOST + 1, 4))),
    ],
    ids=[
        "backwards",
        "dilated",
        "same weights",
        "difference",
        "scaled",
        "read twice",
        "one column",
        "many terms",
    ],
)
def test_other_sums_stay_as_they_are(function, shapes):
    assert not any(has(Slide, e) for e in kernels(function, *map(drawn, shapes)))


@pytest.mark.parametrize("count", [6, 7])
def test_so_many_products_are_joined_and_no_more(count, monkeypatch):
    monkeypatch.setattr(join_products, "PRODUCTS_JOINED_AT_MOST", 6)  # each product takes a kernel where they stay
    made = kernels(convolved, drawn((13, 1)), drawn((count, 1, 2)))
    assert any(has(Slide, e) for e in made) == (count == 6)


def test_a_product_that_is_asked_for_itself_stays():
    x, weights = map(drawn, SHAPES["a line"])

    def both(x, w):
        first = x[:-1] @ w[0]
        return (la if isinstance(x, la.Array) else np).stack([first, first + x[1:] @ w[1]])

    assert not any(has(Slide, e) for e in kernels(both, x, weights))


@pytest.mark.slow
def test_the_second_size_of_a_class_has_the_same_values():
    for n in (21, 22, 30):
        kernels(convolved, drawn((2, n, n + 1, 3)), drawn((3, 2, 3, 4)))
