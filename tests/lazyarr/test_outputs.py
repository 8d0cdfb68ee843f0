"""`out=` by name and by position, where NumPy has it."""

from __future__ import annotations

from operator import attrgetter

import numpy as np
import pytest

import lazyarr as la
from tests.lazyarr.support import agree, values

pytestmark = pytest.mark.recording

X = values((3, 5), "float64", 1)

BY_POSITION = {
    "median": (1,), "nanmedian": (1,), "percentile": (30, 1), "quantile": (0.3, 1), "nanquantile": (0.3, 1),
    "cumsum": (1, None), "cumprod": (1, None), "nancumsum": (1, None), "argmax": (1,), "argmin": (1,),
    "take": ([1, 3], 1), "sum": (1, None), "mean": (1, None), "max": (1,), "trace": (0, 0, 1, None), "round": (1,),
    "clip": (0, 1), "nanargmax": (1,),
}  # fmt: skip


@pytest.mark.parametrize("name", BY_POSITION)
def test_out_by_position_and_by_name(name):
    given = BY_POSITION[name]
    expected = getattr(np, name)(X, *given)
    for call in (lambda out: getattr(la, name)(X, *given, out), lambda out: getattr(la, name)(X, *given, out=out)):
        out = la.zeros(expected.shape, dtype=expected.dtype)
        assert call(out) is out
        agree(out, expected, 64, scale=81)


def test_out_behind_several_arrays():
    for name, given in {
        "concatenate": ([X, X], 1), "stack": ([X, X], 0), "compress": ([True, False, True], X, 0),
        "choose": ([1, 0, 1], [X[:, 0], X[:, 1]]), "dot": (X, X[0]), "outer": (X[0], X[1]), "vecdot": (X, X),
    }.items():  # fmt: skip
        expected = getattr(np, name)(*given)
        out = la.zeros(expected.shape)
        assert getattr(la, name)(*given, out=out) is out
        agree(out, expected, 64, scale=400)
    out = la.zeros(X.shape, dtype="complex128")
    assert la.fft.fft(X, None, 1, None, out) is out
    agree(out, np.fft.fft(X), 200, scale=81, zeros=False)


def test_out_of_two_results():
    for name, given in {"divmod": (X, 2.0), "modf": (X,)}.items():
        outs = la.zeros(X.shape), la.zeros(X.shape)
        first, second = getattr(la, name)(*given, out=outs)
        assert (first is outs[0], second is outs[1]) == (True, True)
        for found, expected in zip(outs, getattr(np, name)(*given), strict=True):
            agree(found, expected)
        made, kept = getattr(la, name)(*given, outs[0])
        assert made is outs[0]
        assert kept is not outs[1]
    with pytest.raises(TypeError, match="a tuple of two arrays"):
        la.modf(X, out=outs[0])


def test_out_given_twice():
    with pytest.raises(TypeError, match="by position and by name"):
        la.median(X, 1, la.zeros(3), out=la.zeros(3))


DTYPES = ("bool", "int8", "uint16", "int64", "float32", "float64")


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    "name",
    [
        "sum", "prod", "max", "min", "any", "all", "cumsum", "cumprod", "cumulative_sum", "cumulative_prod", "nansum",
        "nanprod", "nancumsum", "nancumprod", "nanmax", "add.reduce", "multiply.reduce", "add.accumulate",
    ],
)  # fmt: skip
def test_sums_and_products_into_any_dtype(name, dtype):
    """NumPy computes them in what the dtypes of both arrays promote to, and converts the result whatever it is."""
    x = np.array([1.5, 20.25, 3.5, 1.5]).astype(dtype)
    found = []
    for xp, given in ((np, x), (la, la.asarray(x))):
        outs = [xp.zeros(x.shape if "cum" in name else (), dtype=into) for into in DTYPES]
        for out in outs:
            assert attrgetter(name)(xp)(given, axis=0, out=out) is out
        found.append(outs)
    la.compute(*found[1])
    for expected, actual in zip(*found, strict=True):
        agree(actual, expected)
    out = np.zeros((4,), "int8")
    assert la.cumsum(la.asarray(x), out=out) is out
    agree(la.asarray(out), np.cumsum(x, out=np.zeros(4, "int8")))


def test_a_sum_into_half_precision_of_numpys():
    out = np.zeros((), "float16")
    assert la.sum(la.asarray(np.array([100, 100], "int8")), out=out) is out
    assert float(out) == 200


def test_a_mask_added_up_in_its_own_place():
    mask = la.asarray(np.array([False, True, False, True]))
    assert la.cumsum(mask, axis=0, out=mask) is mask
    agree(mask, np.array([False, True, True, True]))
    agree(la.cumsum(la.asarray([1, -1, 1]), out=la.zeros(3, bool)), np.array([True, False, True]))
    agree(la.sum(la.asarray([1.5, 1.75]), 0, float, la.zeros((), "int64")), np.array(3))


ANY_ARRAY = {
    "add": lambda x, **k: la.add(x, 1, **k),
    "sqrt": lambda x, **k: la.sqrt(x, **k),
    "sum": lambda x, **k: la.sum(x, **k),
    "max": lambda x, **k: la.max(x, **k),
    "mean": lambda x, **k: la.mean(x, **k),
    "dot": lambda x, **k: la.dot(x, 2, **k),
    "matmul": lambda x, **k: la.matmul(x[None], x[None], **k),
    "reduce": lambda x, **k: la.add.reduce(x[None], **k),
}


@pytest.mark.parametrize("case", ANY_ARRAY)
def test_an_ellipsis_as_out_asks_for_an_array(case):
    f = ANY_ARRAY[case]
    for x in (la.asarray(2.0), la.asarray([2.0, 3.0]).max()):
        assert not f(x, out=...).is_number
        assert float(f(x, out=...)) == float(f(x))
    for part in la.modf(la.asarray(2.5), out=...):
        assert not part.is_number
    np.testing.assert_array_equal(np.asarray(la.add(la.asarray([1.0, 2.0]), 1, ...)), [2, 3])
