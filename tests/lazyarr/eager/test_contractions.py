"""Products that broadcast and are summed right after are one product of matrices (`lazyarr.eager.contractions`)."""

from __future__ import annotations

import _thread
import gc
import operator
import sys
import threading
from collections import deque
from time import sleep
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.eager import contractions
from lazyarr.memory.snapshots import COUNTS

pytestmark = pytest.mark.skipif(not COUNTS, reason="references do not tell who holds a product")

SHAPES = [
    ((6, 3, 4, 8, 1), (1, 3, 4, 8, 24), (1, 2, 3)),  # a window of a convolution
    ((6, 3, 4, 8, 1), (3, 4, 8, 24), (-2, 1, 2)),
    ((24, 50), (30, 1, 50), 2),
    ((5, 12, 1, 40), (5, 1, 13, 40), -1),  # of a batch
    ((5, 1, 8, 1, 10), (6, 8, 9, 1), (2, 0)),  # no product of matrices: one of the terms is of x alone
    ((24, 1, 50, 1), (30, 50, 1), None),
    ((24, 50, 1), (50, 30), ()),
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
def multiplied(monkeypatch):
    """The products of matrices that were computed in place of sums; nothing is known of any line."""
    for dtype in ("float32", "float64"):  # what an operator calls is looked for when it is used first
        _ = [eager(np.ones(3, dtype)) * eager(np.ones(3, other)) for other in ("float32", "float64")]
    monkeypatch.setattr(contractions, "products", own := contractions._Products())
    monkeypatch.setattr("lazyarr.eager.reductions.products", own)
    monkeypatch.setattr(contractions, "_plans", {})
    found = []
    quietly = contractions.quietly
    monkeypatch.setattr(contractions, "quietly", lambda *given: found.append(given) or quietly(*given))
    return found


@pytest.mark.parametrize("dtypes", [("float32", "float32"), ("float64", "float64"), ("float32", "float64")], ids=str)
@pytest.mark.parametrize(("of_x", "of_y", "axis"), SHAPES, ids=str)
@pytest.mark.parametrize("keepdims", [False, True])
def test_the_sum_of_a_product_is_numpys(of_x, of_y, axis, keepdims, dtypes, multiplied):
    rng = np.random.default_rng(1)
    a, b = (rng.standard_normal(shape).astype(dtype) for shape, dtype in zip((of_x, of_y), dtypes, strict=True))
    x, y = eager(a), eager(b)
    wide = a.astype(float) * b
    wanted = np.sum(wide, axis=axis, keepdims=keepdims).astype(np.result_type(a, b))
    scale = np.sum(np.abs(wide), axis=axis, keepdims=keepdims)
    for _ in range(6):
        close(la.sum(x * y, axis=axis, keepdims=keepdims), wanted, scale)
        close((x * y).sum(axis, keepdims=keepdims), wanted, scale)
    assert len(multiplied) == (0 if axis in ((2, 0), None, ()) else 10)  # not in the first turn


def test_what_is_written_meanwhile_does_not_count(multiplied):
    rng = np.random.default_rng(2)
    a, b = rng.random((30, 40, 1)), rng.random((40, 20))
    x, y = eager(a), eager(b)

    def written(made: list[Any]) -> Any:
        x[:, 3] = 7.0
        a[:, 3] = 7.0
        y.__imul__(1.5)
        b.__imul__(1.5)
        return made.pop()

    for _ in range(3):
        wanted = np.sum(a * b, axis=1)
        close(la.sum(written([x * y]), axis=1), wanted, wanted)
    assert len(multiplied) == 2


def test_products_that_have_names_are_numpys(multiplied):
    a, b = np.ones((30, 40, 1)), np.ones((40, 20))
    x, y = eager(a), eager(b)
    for _ in range(4):
        made = x * y
        assert made.value is not None  # it may be read, too: computed twice it would cost more than it saves
        close(la.sum(made, axis=1), np.sum(a * b, axis=1), 40.0)
        made[0, 0, 0] = 5.0
        assert float(made[0, 0, 0]) == 5.0
    assert not multiplied


def test_a_line_whose_products_are_used_otherwise_is_numpys_again(multiplied):
    rng = np.random.default_rng(3)
    a, b = rng.random((30, 40, 1)), rng.random((40, 20))
    x, y = eager(a), eager(b)
    kept = []

    def used(made: list[Any], turn: int) -> Any:
        kept.append(made[0].value is not None)
        return la.sum(made.pop(), axis=1) if turn < 2 else made.pop() + 1.0

    for turn in range(6):
        close(used([x * y], turn), np.sum(a * b, axis=1) if turn < 2 else a * b + 1.0, 50.0)
    assert kept == [True, False, False, True, True, True]


@pytest.mark.filterwarnings("error")
def test_products_that_are_not_finite(multiplied):
    a, b = np.ones((30, 40, 1), np.float32), np.ones((40, 20), np.float32)
    a[3, 4], b[5, 6], a[7, 8], b[8, 9] = np.nan, np.inf, -np.inf, 0.0
    x, y = eager(a), eager(b)
    for _ in range(3):
        with np.errstate(invalid="ignore"):
            wanted = np.sum(a * b, axis=1)
        found = la.sum(x * y, axis=1)  # not in an assertion, which would keep the product
        assert np.array_equal(np.asarray(found), wanted, equal_nan=True)
    assert len(multiplied) == 2


def test_what_is_no_plain_sum_is_recorded(multiplied):
    rng = np.random.default_rng(4)
    a, b = rng.random((30, 40, 1)), rng.random((40, 20))
    x, y = eager(a), eager(b)
    sums = (
        lambda xp, made: xp.sum(made.pop(), axis=1, dtype="float32"),
        lambda xp, made: xp.sum(made.pop(), axis=1, initial=3.0),
        lambda xp, made: xp.sum(made.pop(), axis=1, where=np.arange(20) > 3),
        lambda xp, made: xp.sum(made.pop(), axis=1, out=xp.zeros((30, 20))),
        lambda xp, made: xp.max(made.pop(), axis=1),
        lambda xp, made: xp.sum(made.pop()),
    )
    for call in sums:
        for turn in range(4):
            made = [x * y]
            close(la.sum(made.pop(), axis=1) if turn < 2 else call(la, made), call(np, [a * b]) if turn > 1 else
                  np.sum(a * b, axis=1), 800.0)  # fmt: skip
    for _ in range(3):
        with pytest.raises(ValueError, match="axis"):
            la.sum(x * y, axis=(1, 1))
    for _ in range(3):
        close(la.sum(x * y, 1, keepdims=1), np.sum(a * b, 1, keepdims=True), 40.0)
        with pytest.raises(TypeError, match="axis") as raised:
            la.sum(x * y, 1, axis=1)
        assert "summed_product" not in str(raised.value)


def test_operands_have_no_leaf_for_it(multiplied):
    x, y = eager(np.ones((31, 41, 1))), eager(np.ones((41, 23)))
    for _ in range(3):
        la.sum(x * y, axis=1)
    assert multiplied
    assert x.expr is None
    assert y.expr is None


def test_arrays_that_are_recorded_stay_so(multiplied):
    a, b = np.ones((300, 1, 40), np.float32), np.ones((200, 40), np.float32)
    for _ in range(3):
        found = la.sum(la.asarray(a) * la.asarray(b), axis=-1)
        assert found.value is None
    assert not multiplied


def test_integers_and_complex_numbers_are_numpys(multiplied):
    for dtype in ("int32", "complex128"):
        a, b = np.ones((30, 40, 1), dtype) * 2, np.ones((40, 20), dtype) * 3
        x, y = eager(a), eager(b)
        for _ in range(3):
            found = la.sum(x * y, axis=1)
            assert np.array_equal(np.asarray(found), np.sum(a * b, axis=1))
    assert not multiplied


def test_who_asks_for_a_product_may_have_no_line(monkeypatch, multiplied):
    x, y = eager(np.ones((30, 40, 1))), eager(np.ones((40, 20)))
    raised: list[Any] = []
    made: deque[Any] = deque()
    monkeypatch.setattr(sys, "unraisablehook", raised.append)
    _thread.start_new_thread(made.extend, (map(operator.mul, [x], [y]),))
    while not (made or raised):
        sleep(0.001)
    assert not raised
    for name in (None, 5, "lazyarr"):
        names = {"la": la, "x": x, "y": y, "__name__": name}
        exec("for _ in range(3): r = la.sum(x * y, axis=1)", names)
        assert np.array_equal(np.asarray(names["r"]), np.full((30, 20), 40.0))


def test_a_line_is_not_taken_for_one_that_is_gone(multiplied):
    x, y = eager(np.ones((30, 40, 1))), eager(np.ones((40, 20)))
    text = "made = la.sum(x * y, axis={})"
    for turn in range(40):
        code = compile(text.format(turn % 2), "<made>", "exec")
        exec(code, {"la": la, "x": x, "y": y})
        del code
        gc.collect()
    assert not multiplied


def test_each_thread_knows_its_own_lines(multiplied):
    x, y = eager(np.ones((30, 40, 1))), eager(np.ones((40, 20)))
    counts = []

    def run() -> None:
        before = len(multiplied)
        for _ in range(3):
            la.sum(x * y, axis=1)
        counts.append(len(multiplied) - before)

    for _ in range(2):
        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
    assert counts == [2, 2]


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
