"""Axes, extents and counts that are NumPy's integers or arrays without dimensions, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import lazyarr as la
from tests.lazyarr.support import agree

pytestmark = pytest.mark.recording

KINDS = {
    "int": int,
    "int64": np.int64,
    "uint8": np.uint8,
    "array": np.array,
    "number of lazyarr": lambda k: la.sum(la.asarray([k])),
    "array of lazyarr": la.asarray,
}
SMALL = np.arange(24.0).reshape(6, 4) % 17
LARGE = np.arange(280_000.0).reshape(-1, 4) % 17

FUNCTIONS = {
    "transpose of a method": (lambda m, x, k: x.ravel().transpose(k), 0),
    "transpose": (lambda m, x, k: m.transpose(x.ravel(), k), 0),
    "transpose by several": (lambda m, x, k: x.transpose(k, 1 - k), 1),
    "permute_dims": (lambda m, x, k: m.permute_dims(x, (k, 0)), 1),
    "tensordot": (lambda m, x, k: m.tensordot(x, x.T, axes=k), 0),
    "tensordot of one": (lambda m, x, k: m.tensordot(x.T, x, axes=k), 1),
    "squeeze of a number": (lambda m, x, k: m.squeeze(m.sum(x), k), 0),
    "sum of a number": (lambda m, x, k: m.sum(m.sum(x), axis=k), 0),
    "max of a number": (lambda m, x, k: m.max(m.sum(x), axis=k), 0),
    "max of a complex number": (lambda m, x, k: m.max(m.sum(x) + 1j, axis=k), 0),
    "any of a number": (lambda m, x, k: m.any(m.sum(x), axis=k), 0),
    "nansum of a number": (lambda m, x, k: m.nansum(m.sum(x), axis=k), 0),
    "add.reduce of a number": (lambda m, x, k: m.add.reduce(m.sum(x), axis=k), 0),
    "count_nonzero": (lambda m, x, k: m.count_nonzero(x, axis=k), 1),
    "sum": (lambda m, x, k: m.sum(x, axis=k), 1),
    "var": (lambda m, x, k: m.var(x[:, 0], ddof=k), 1),
    "fftfreq": (lambda m, x, k: m.fft.fftfreq(k), 4),
    "rfftfreq": (lambda m, x, k: m.fft.rfftfreq(k), 5),
    "reshape": (lambda m, x, k: x.reshape(k, -1), 2),
    "repeat": (lambda m, x, k: m.repeat(x, k, axis=0), 2),
    "roll": (lambda m, x, k: m.roll(x, k, axis=1), 1),
    "round": (lambda m, x, k: m.round(x / 3, k), 1),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("x", [SMALL, LARGE], ids=["eager", "lazy"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_integers_of_every_kind(name, x, kind):
    function, k = FUNCTIONS[name]
    if x is LARGE and name == "tensordot":
        x = x[:1000]
    given = KINDS[kind](k)
    agree(function(la, la.asarray(x) + 0, given), function(np, x, np.int64(k)))


def test_a_permutation_of_so_many_as_an_array_says():
    found = la.random.default_rng(1).permutation(la.sum(la.asarray([1, 2])))
    agree(la.sort(found), np.arange(3))


def test_what_is_no_integer_is_named():
    x = la.asarray(LARGE) + 1
    with pytest.raises(TypeError, match=r"transpose: expected an integer axis, got 1\.5"):
        la.transpose(x, 1.5)
    with pytest.raises(TypeError, match=r"tensordot: expected axes to be a whole number, got 1\.5"):
        la.tensordot(x, x, axes=1.5)
    with pytest.raises(TypeError, match="fftfreq: expected n to be a whole number"):
        la.fft.fftfreq(4.0)
