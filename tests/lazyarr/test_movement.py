"""Shapes, orders and indices against NumPy; and that views of views stay small."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.exceptions import AxisError

import lazyarr as la
from tests.lazyarr.evaluation import EXAMPLES
from tests.lazyarr.support import PAIRS, SHAPES, check, operands, shapes

examples = settings(max_examples=2 * EXAMPLES)


def numbered(shape):
    return np.arange(np.prod(shape, dtype=int), dtype="int64").reshape(shape)


@pytest.mark.parametrize("shape", [*SHAPES, (2, 3, 1, 5), (2, 1, 3, 2)], ids=str)
def test_every_permutation(shape):
    x = numbered(shape)
    a = la.asarray(x)
    for axes in itertools.permutations(range(len(shape))):
        check(la.permute_dims(a, axes), x.transpose(axes))
        check(a.transpose(*axes) if axes else a.transpose(), x.transpose(axes))
    check(a.T, x.T)
    if len(shape) >= 2:
        check(a.mT, np.swapaxes(x, -1, -2))
        check(a.swapaxes(0, -1), np.swapaxes(x, 0, -1))
        check(la.moveaxis(a, 0, -1), np.moveaxis(x, 0, -1))
        check(la.moveaxis(a, (-1, 0), (0, 1)), np.moveaxis(x, (-1, 0), (0, 1)))


def parts(extent):
    """An integer in range, or any slice."""
    bound = st.one_of(st.none(), st.integers(-extent - 2, extent + 2))
    step = st.one_of(st.none(), st.integers(1, 4), st.integers(-4, -1))
    slices = st.builds(slice, bound, bound, step)
    return slices if extent == 0 else st.one_of(slices, st.integers(-extent, extent - 1))


@st.composite
def keys(draw, shape):
    used = draw(st.integers(0, len(shape)))
    after = draw(st.integers(0, used)) if draw(st.booleans()) else 0
    before = used - after
    key = [draw(parts(extent)) for extent in shape[:before]]
    if after or draw(st.booleans()):
        key.append(Ellipsis)
    key += [draw(parts(extent)) for extent in shape[len(shape) - after :]]
    for _ in range(draw(st.integers(0, 2))):
        key.insert(draw(st.integers(0, len(key))), None)
    return tuple(key)


@given(x=operands(), data=st.data())
@settings(max_examples=8 * EXAMPLES)
def test_indexing(x, data):
    key = data.draw(keys(x.shape))
    a = la.asarray(x)
    check(a[key], x[key])
    again = data.draw(keys(x[key].shape))
    check(a[key][again], x[key][again])


@given(x=operands(), data=st.data())
@examples
def test_views_compose(x, data):
    a = la.asarray(x)
    for _ in range(4):
        op = data.draw(st.sampled_from(["permute", "index", "reshape", "flip", "broadcast", "add"]))
        if op == "permute":
            axes = data.draw(st.permutations(range(x.ndim)))
            a, x = la.permute_dims(a, axes), x.transpose(axes)
        elif op == "index":
            key = data.draw(keys(x.shape))
            a, x = a[key], x[key]
        elif op == "reshape":
            a, x = a.reshape(-1), x.reshape(-1)
        elif op == "flip":
            a, x = la.flip(a), np.flip(x)
        elif op == "broadcast" and x.size < 500:
            a, x = la.broadcast_to(a, (3, *x.shape)), np.broadcast_to(x, (3, *x.shape))
        else:
            a, x = a + a, x + x
    check(a, x, ulps=1)


@given(pair=st.sampled_from(PAIRS), data=st.data())
@examples
def test_broadcast(pair, data):
    target = np.broadcast_shapes(*pair)
    for shape in pair:
        x = data.draw(operands(shape))
        check(la.broadcast_to(la.asarray(x), target), np.broadcast_to(x, target))
    arrays = [numbered(shape) for shape in pair]
    for ours, theirs in zip(la.broadcast_arrays(*map(la.asarray, arrays)), np.broadcast_arrays(*arrays), strict=True):
        check(ours, theirs)


@pytest.mark.parametrize("source", list(itertools.product([1, 2], [1, 3], [1, 2], [1, 5])), ids=str)
def test_broadcast_every_dimension(source):
    target = (2, 3, 2, 5)
    x = numbered(source)
    check(la.broadcast_to(la.asarray(x), target), np.broadcast_to(x, target))
    check(la.asarray(x) + la.asarray(numbered(target)), x + numbered(target))


@given(x=operands(shape=None))
@examples
def test_flip_squeeze_expand(x):
    a = la.asarray(x)
    check(la.flip(a), np.flip(x))
    for axis in range(x.ndim):
        check(la.flip(a, axis), np.flip(x, axis))
        if x.shape[axis] == 1:
            check(la.squeeze(a, axis), np.squeeze(x, axis))
    check(a.squeeze(), x.squeeze())
    for axis in range(-x.ndim - 1, x.ndim + 1):
        check(la.expand_dims(a, axis), np.expand_dims(x, axis))
    check(la.expand_dims(a, (0, -1)), np.expand_dims(x, (0, -1)))


@given(shape=shapes)
@examples
def test_reshape_records_nothing(shape):
    x = numbered(shape)
    a = la.asarray(x)
    assert a.reshape(-1).node is a.node
    check(a.ravel(), x.ravel())
    for target in {shape[::-1], (x.size,), (1, x.size), (x.size, 1)}:
        check(la.reshape(a, target), x.reshape(target))
    if x.size:
        check(a.reshape(1, -1), x.reshape(1, -1))


def test_views_that_undo_each_other_vanish():
    a = la.asarray(numbered((3, 5)))
    assert a.T.T.node is a.node
    assert a[::-1][::-1].node is a.node
    assert a[:, :].node is a.node
    assert a[1:][:-1][1:].node is a[2:-1].node or a[2:-1].size == 0
    assert la.permute_dims(a.reshape(1, 3, 1, 5), (2, 1, 0, 3)).node is a.node
    assert la.broadcast_to(a, (1, 3, 5)).node is a.node


def test_errors():
    a = la.asarray(numbered((2, 3)))
    with pytest.raises(ValueError, match=r"reshape.*6 elements.*\(4,\)"):
        a.reshape(4)
    with pytest.raises(ValueError, match=r"reshape.*at most one"):
        a.reshape(-1, -1)
    with pytest.raises(ValueError, match=r"reshape: cannot"):
        la.asarray(np.ones(0)).reshape(-1, 0)
    with pytest.raises(TypeError, match=r"reshape.*2\.5"):
        a.reshape(2.5)
    with pytest.raises(IndexError, match=r"index 2 is out of bounds for axis 0 with size 2"):
        a[2]
    with pytest.raises(IndexError, match=r"index -4 is out of bounds for axis 1 with size 3"):
        a[:, -4]
    with pytest.raises(IndexError, match="too many indices"):
        a[0, 0, 0]
    with pytest.raises(IndexError, match="at most one"):
        a[..., ...]
    for key in ("x", 1.5, [0.5], np.array([0.5])):
        with pytest.raises(IndexError, match="expected integers, slices"):
            a[key]
    with pytest.raises(TypeError, match="slice"):
        a["x":]
    with pytest.raises(ValueError, match="slice step cannot be zero"):
        a[::0]
    with pytest.raises(AxisError, match="permute_dims"):
        la.permute_dims(a, (0, 2))
    with pytest.raises(ValueError, match="permute_dims: expected 2 axes"):
        la.permute_dims(a, (0,))
    with pytest.raises(ValueError, match="duplicate"):
        la.transpose(a, (0, 0))
    with pytest.raises(ValueError, match=r"squeeze.*axis 0"):
        la.squeeze(a, 0)
    with pytest.raises(ValueError, match=r"broadcast_to: shape \(2, 3\) does not broadcast to \(2, 4\)"):
        la.broadcast_to(a, (2, 4))
    with pytest.raises(ValueError, match="broadcast_to"):
        la.broadcast_to(a, (3,))
    with pytest.raises(ValueError, match="matrix_transpose"):
        la.asarray([1, 2]).mT
    assert la.asarray([5, 6, 7])[la.asarray(1)].item() == 6
