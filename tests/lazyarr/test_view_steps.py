"""What NumPy gives as a view is one here, of every kind: small programs, and chains of views, against NumPy itself."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lazyarr as la
from tests.lazyarr.evaluation import interpreted
from tests.lazyarr.keys import basic_keys
from tests.lazyarr.support import check

X = np.arange(1.0, 13.0).reshape(3, 4)
Z = X + 1j * X[::-1]
windows = {np: np.lib.stride_tricks.sliding_window_view, la: la.lib.stride_tricks.sliding_window_view}
strided = {np: np.lib.stride_tricks.as_strided, la: la.lib.stride_tricks.as_strided}

VIEWS: dict[str, Callable[[Any, Any], Any]] = {
    "one element and dots": lambda xp, x: x[1, 2, ...],
    "dots before one element": lambda xp, x: x[..., 1, 2],
    "dots": lambda xp, x: x[...],
    "one element as no dimension": lambda xp, x: x[1, 2:3].reshape(()),
    "squeezed to none": lambda xp, x: xp.squeeze(x[1:2, 2:3]),
    "of no dimension": lambda xp, x: x[1, 2, ...].T,
    "real": lambda xp, x: x.real,
    "imag": lambda xp, x: x.imag,
    "function real": lambda xp, x: xp.real(x),
    "real of a transposed": lambda xp, x: x.T[1:].real,
    "part of imag": lambda xp, x: xp.imag(x)[:, 1],
    "real reshaped": lambda xp, x: x.real.reshape(-1),
    "real ravelled": lambda xp, x: x.real.ravel(),
    "rot90": lambda xp, x: xp.rot90(x),
    "rot90 twice": lambda xp, x: xp.rot90(x, 2),
    "rot90 back": lambda xp, x: xp.rot90(x, -1),
    "rot90 not": lambda xp, x: xp.rot90(x, 4),
    "ravel F": lambda xp, x: x.ravel(order="F"),
    "ravel F of transposed": lambda xp, x: x.T.ravel(order="F"),
    "ravel A of transposed": lambda xp, x: xp.ravel(x.T, order="A"),
    "ravel K of transposed": lambda xp, x: x.T.ravel(order="K"),
    "ravel K of reversed": lambda xp, x: x[:, ::-1].T.ravel(order="K"),
    "reshape F": lambda xp, x: x.reshape(4, 3, order="F"),
    "reshape F of transposed": lambda xp, x: xp.reshape(x.T, (2, 6), order="F"),
    "reshape A of transposed": lambda xp, x: x.T.reshape((2, 6), order="A"),
    "flatten K": lambda xp, x: x.T.flatten(order="K"),
    "flatten A": lambda xp, x: x.T.flatten(order="A"),
    "reshape without a copy": lambda xp, x: xp.reshape(x, (6, 2), copy=False),
    "einsum diagonal": lambda xp, x: xp.einsum("ii->i", x[:, :3]),
    "einsum transpose": lambda xp, x: xp.einsum("ij->ji", x),
    "einsum diagonals": lambda xp, x: xp.einsum("iji->ji", x[:, :, None] if x.shape[0] == 1 else x.reshape(2, 3, 2)),
    "einsum sum": lambda xp, x: xp.einsum("ij->i", x),
    "diagonal": lambda xp, x: x.diagonal(),
    "diagonal below": lambda xp, x: xp.diagonal(x, -1),
    "diag": lambda xp, x: xp.diag(x, 1),
    "diag of a vector": lambda xp, x: xp.diag(x[0]),
    "diagonals": lambda xp, x: xp.diagonal(x.reshape(2, 3, 2), 0, 2, 0),
    "linalg diagonal": lambda xp, x: xp.linalg.diagonal(x),
    "part of a diagonal": lambda xp, x: x.diagonal()[1:],
    "broadcast": lambda xp, x: xp.broadcast_to(x, (2, 3, 4)),
    "broadcast to its own": lambda xp, x: xp.broadcast_to(x, (3, 4)),
    "row of a broadcast": lambda xp, x: xp.broadcast_to(x[0], (2, 4))[1],
    "broadcast together": lambda xp, x: xp.broadcast_arrays(x, x[0])[0],
    "windows": lambda xp, x: windows[xp](x, (2, 2)),
    "windows of a row": lambda xp, x: windows[xp](x[1], 3, writeable=True),
    "windows along": lambda xp, x: windows[xp](x[:, ::2], 2, 0, writeable=True)[:, 1],
    "strided": lambda xp, x: strided[xp](x, (2, 3), (4 * x.itemsize, 2 * x.itemsize)),
    "strided, overlapping": lambda xp, x: strided[xp](x, (3, 2), (x.itemsize, x.itemsize)),
    "strided, read-only": lambda xp, x: strided[xp](x, (3,), (x.itemsize,), writeable=False),
    "several at once": lambda xp, x: xp.atleast_3d(x, x[0])[1],
    "contiguous": lambda xp, x: xp.ascontiguousarray(x.T),
    "contiguous, itself": lambda xp, x: xp.ascontiguousarray(x),
    "Fortran's": lambda xp, x: xp.asfortranarray(x),
    "Fortran's of transposed": lambda xp, x: xp.asfortranarray(x.T),
    "in C's order": lambda xp, x: xp.asarray(x[:, ::-1], order="C"),
    "in C's order, itself": lambda xp, x: xp.asanyarray(x, order="C"),
    "in Fortran's order": lambda xp, x: xp.array(x, order="f", copy=None),
    "in Fortran's order, transposed": lambda xp, x: xp.array(x.T, order="F", copy=False),
    "in any order": lambda xp, x: xp.asarray(x.T, order="A"),
    "converted in C's order": lambda xp, x: x.T.astype(x.dtype, order="C", copy=False),
    "converted in its order": lambda xp, x: x.T.astype(x.dtype, order=None, copy=False),
    "bytes": lambda xp, x: x.view("int64"),
    "bytes of a slice": lambda xp, x: x[1:].view("uint32"),
    "trimmed": lambda xp, x: xp.trim_zeros(x[1]),
    "grid": lambda xp, x: xp.meshgrid(x[0], copy=False)[0],
    "sparse grid": lambda xp, x: xp.meshgrid(x[0], x[:, 0], copy=False, sparse=True)[1],
    "copied grid": lambda xp, x: xp.meshgrid(x[0], x[:, 0], sparse=True)[1],
    "matrix_transpose": lambda xp, x: xp.linalg.matrix_transpose(x),
}  # fmt: skip


def outcome(change: Callable[[], Any]) -> type[Exception] | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            change()
    except Exception as error:
        return type(error)
    return None


def put(x: Any, key: Any, value: Any) -> type[Exception] | None:
    return outcome(lambda: x.__setitem__(key, value))


@pytest.mark.parametrize("name", VIEWS)
@interpreted()
def test_views_are_numpys(name):
    views_follow(name)


def views_follow(name):
    """What is assigned to the base is seen in them, and the other way round; or they are read-only, as NumPy's."""
    function = VIEWS[name]
    for start in (X, Z) if "bytes" not in name else (X,):
        a, b = start.copy(), la.asarray(start.copy())
        v, w = function(np, a), function(la, b)
        a[1], b[1] = 50, 50
        check(w, v)
        assert w.flags.writeable == v.flags.writeable
        at = (0,) * v.ndim or ...
        assert put(v, at, 7) == put(w, at, 7)
        check(b, a)
        check(w, v)
        if v.flags.writeable:
            v += 1
            w += 1
            check(b, a)
            v[...] = w[...] = 3
            check(b, a)
            check(w, v)
        a[...] = b[...] = start
        check(w, v)


CHANGES: dict[str, Callable[[Any, Any], Any]] = {
    "nan_to_num": lambda xp, x: xp.nan_to_num(x, copy=False, posinf=2.0),
    "nan_to_num of a view": lambda xp, x: xp.nan_to_num(x[1], copy=False, nan=5.0),
    "nan_to_num of a copy": lambda xp, x: xp.nan_to_num(x, nan=5.0),
    "real": lambda xp, x: setattr(x, "real", 2),
    "imag": lambda xp, x: setattr(x, "imag", 2),
    "imag in place": lambda xp, x: x.imag.fill(2),
    "shape": lambda xp, x: setattr(x, "shape", (4, -1)),
    "wrong shape": lambda xp, x: setattr(x, "shape", (5, 3)),
    "one extent": lambda xp, x: setattr(x, "shape", 12),
    "shape of a view": lambda xp, x: shaped(x[1], (2, 2)).__setitem__(1, 8.0),
    "shape of a transposed": lambda xp, x: shaped(x.T, (2, 6)),
    "shape of a row of a transposed": lambda xp, x: shaped(x.T[1], (3, 1)).__setitem__((1, 0), 8.0),
    "out is read-only": lambda xp, x: xp.add(x[0], 1, out=xp.broadcast_to(x[0], (4,))),
    "mask of windows": lambda xp, x: windows[xp](x[0], 2, writeable=True).__setitem__([[True, False]] * 3, 4.0),
    "place in windows": lambda xp, x: windows[xp](x[0], 2, writeable=True).flat.__setitem__(3, 4.0),
    "part of windows": lambda xp, x: xp.copyto(windows[xp](x[0], 2, writeable=True), 4, where=xp.eye(3, 2) > 0),
    "row of windows": lambda xp, x: windows[xp](x[0], 2, writeable=True)[1].fill(4.0),
    "windows of real": lambda xp, x: windows[xp](x.real[0], 2, writeable=True).__setitem__((1, 1), 4.0),
    "reshape that copies": lambda xp, x: xp.reshape(x.T, -1, copy=False),
    "sort a diagonal": lambda xp, x: x.diagonal().sort(),
}  # fmt: skip


def shaped(x, shape):
    x.shape = shape
    return x


@pytest.mark.parametrize("name", CHANGES)
@interpreted()
def test_changes_are_numpys(name):
    changes_follow(name)


def changes_follow(name):
    """The array, and a view of it, are what NumPy's are after a change."""
    start = X.copy()
    start[0, 1], start[1, 2], start[2, 0] = np.nan, np.inf, -np.inf
    for values in (start, start + 1j * X):
        a, b = values.copy(), la.asarray(values.copy())
        views = [x[1:, ::2] for x in (a, b)]
        assert outcome(lambda a=a: CHANGES[name](np, a)) == outcome(lambda b=b: CHANGES[name](la, b))
        assert a.shape == b.shape
        check(b, a)
        check(views[1], views[0])


def test_memory_is_shared_as_numpys_is():
    for start in (X, Z):
        a, b = start.copy(), la.asarray(start.copy())
        members = [
            (x, x[1], x[:2], x[2:], x[:, ::2], x[:, 1::2], x.T, x.real, x.imag, x.copy(), x.ravel(), x.T.ravel())
            for x in (a, b)
        ]
        for i, (x, y) in enumerate(zip(*members, strict=True)):
            for p, q in list(zip(*members, strict=True))[i:]:
                assert la.shares_memory(y, q) == np.shares_memory(x, p)
                assert la.may_share_memory(y, q) == np.may_share_memory(x, p)
        assert np.shares_memory(members[1][1], members[1][4])  # NumPy's function asks ours


@interpreted()
def test_what_was_broadcast_together_is_read_only():
    """NumPy warns that it will be."""
    x = la.asarray(X.copy())
    for made in (la.broadcast_arrays(x, x[0])[1], la.meshgrid(x[0], x[:, 0], copy=False)[0]):
        with pytest.raises(ValueError, match="assignment destination is read-only"):
            made[0] = 1
        with pytest.raises(ValueError, match="assignment destination is read-only"):
            made += 1
        x[0] = 30
        check(made, np.full((3, 4), 30.0))


def test_the_real_part_of_a_real_array_is_itself():
    x = la.asarray(X.copy())
    assert x.real is x
    assert la.real(x) is x
    assert x.imag.tolist() == np.zeros_like(X).tolist()


@st.composite
def steps(draw: Any, x: Any) -> Callable[[Any, Any], Any]:
    """A function of a namespace and an array that gives a view where NumPy's does."""
    shape = x.shape
    two = len(shape) > 1
    kinds = ["key", "key", "T", "reshape", "order", "flip", "unit", "real", "dots"]
    kind = draw(st.sampled_from([*kinds, *(["rot90", "diagonal", "swap", "einsum"] if two else ["window"])]))
    order = draw(st.sampled_from("CFAK"))
    if kind == "key":
        key = draw(basic_keys(shape))
        return lambda xp, x: x[(*key, ...)] if Ellipsis not in key else x[key]
    if kind == "reshape":
        divisors = [n for n in range(1, x.size + 1) if x.size % n == 0] or [1]
        divisor = draw(st.sampled_from(divisors))
        to = (divisor, x.size // divisor) if x.size else (0, 1)
        return lambda xp, x: xp.reshape(x, to, order="C" if order == "K" else order)
    axes = draw(st.permutations(range(len(shape))))
    k, offset = draw(st.integers(-1, 3)), draw(st.integers(-1, 1))
    table: dict[str, Callable[[Any, Any], Any]] = {
        "T": lambda xp, x: xp.transpose(x, axes) if axes else x.T,
        "order": lambda xp, x: xp.ravel(x, order=order),
        "flip": lambda xp, x: xp.flip(x, axes[:1]) if axes else xp.flip(x),
        "unit": lambda xp, x: xp.atleast_2d(x) if k < 2 else xp.squeeze(x),
        "real": lambda xp, x: x.real if k < 2 else xp.imag(x),
        "dots": lambda xp, x: x[...],
        "rot90": lambda xp, x: xp.rot90(x, k),
        "diagonal": lambda xp, x: xp.diagonal(x, offset, axes[0], axes[1]),
        "swap": lambda xp, x: xp.swapaxes(x, axes[0], axes[1]),
        "einsum": lambda xp, x: xp.einsum("...ij->j...i", x) if x.ndim < 4 else x,
        "window": lambda xp, x: windows[xp](x, 2, writeable=True) if x.ndim and x.size > 1 and x.size < 9 else x[...],
    }
    return table[kind]


@pytest.mark.slow
@given(data=st.data(), start=st.sampled_from([X, Z, X.reshape(2, 3, 2), X[0]]))
@settings(max_examples=40, deadline=None)
@interpreted()
def test_chains_of_views_are_numpys(data, start):
    """Whichever member of a family is assigned to, all show what NumPy's do."""
    pairs = [(start.copy(), la.asarray(start.copy()))]
    for number in range(data.draw(st.integers(2, 14))):
        a, b = pairs[data.draw(st.integers(0, len(pairs) - 1))]
        if data.draw(st.integers(0, 2)):
            step = data.draw(steps(a))
            a, b = step(np, a), step(la, b)
            if type(a) is not np.ndarray:
                continue
            if len(pairs) > 4 or data.draw(st.booleans()):
                pairs.pop(data.draw(st.integers(0, len(pairs) - 1)))
            pairs.append((a, b))
        elif data.draw(st.booleans()):
            key = data.draw(basic_keys(a.shape))
            assert put(a, key, -number) == put(b, key, -number)
        else:
            value = np.arange(a.size).reshape(a.shape) + number
            low, high = np.lib.array_utils.byte_bounds(a)
            if not a.flags.writeable or high - low < a.nbytes:
                continue  # what an overlapping result is in NumPy depends on the order
            a[...], b[...] = value, value
        for expected, found in pairs if data.draw(st.booleans()) else pairs[-1:]:
            np.testing.assert_array_equal(np.asarray(found), expected)
            assert found.flags.writeable == expected.flags.writeable
    for expected, found in pairs:
        np.testing.assert_array_equal(np.asarray(found), expected)
