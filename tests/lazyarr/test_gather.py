"""`lift.gather`: elements by an array of indices, alone and inside the functions of `lift.map`, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import lazyarr as la
from lazyarr import lift
from lazyarr.config import configure
from tests.lazyarr.support import check, values

X = values((11,), "float32", 1)
P = values((11, 4), "float32", 2, -1, 1)
AT = np.random.default_rng(3).integers(0, 11, (11, 5)).astype("int32")


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int32", "int64", "uint64"])
def test_indices_of_any_integer_dtype_and_shape(dtype):
    x, p, at = la.asarray(X), la.asarray(P), AT.astype(dtype)
    check(lift.gather(x, at[0]), X[at[0]])
    check(lift.gather(x, at), X[at])
    check(lift.gather(p, at[:2]), P[at[:2]])
    check(lift.gather(x, at[3, 2]), X[at[3, 2]])
    check(lift.gather(p, 3), P[3])


def test_an_index_outside_is_clamped():
    at = np.array([-1, 0, 10, 11, 2**31 - 1, -(2**31)], "int32")
    check(lift.gather(la.asarray(X), at), X[np.clip(at, 0, 10)])
    wide = np.array([2**40, -(2**40), 2**32 + 3], "int64")
    check(lift.gather(la.asarray(X), wide), X[np.clip(wide, 0, 10)])


def test_what_is_gathered_and_where_may_be_computed():
    x, at = la.asarray(X), la.asarray(AT)
    check(lift.gather(x * 2 + 1, at), (X * 2 + 1)[AT])
    check(lift.gather(x, at // 2), X[AT // 2])
    check(lift.gather(la.abs(x), at // 2) * 3, np.abs(X)[AT // 2] * 3)
    check(lift.gather(lift.gather(x, AT[0]), [3, 1]), X[AT[0]][[3, 1]])
    check(lift.gather(x, la.sum(at, 1) // 5), X[AT.sum(1) // 5])
    check(lift.gather(x, at).sum(1), X[AT].sum(1), 5, 81)


def test_rows_of_indices_and_single_ones():
    x, p = la.asarray(X), la.asarray(P)
    check(lift.map(lambda row: lift.gather(x, row), AT), X[AT])
    check(lift.map(lambda row: lift.gather(x, row // 2), AT), X[AT // 2])
    check(lift.map(lambda row: la.sum(lift.gather(la.abs(x), row // 2)), AT), np.abs(X)[AT // 2].sum(1), 5, 81)
    check(lift.map(lambda row: lift.map(lambda i: lift.gather(x, i) - 1, row), AT), X[AT] - 1)
    check(lift.map(lambda i: lift.gather(p, i), AT[0]), P[AT[0]])
    expected = np.take_along_axis(P, AT % 4, 1)[:, :3]
    check(lift.map(lambda row, at: lift.gather(row, at[:3]), lift.zip(p, la.asarray(AT % 4))), expected)


def test_zipped_arrays():
    zipped = lift.zip(la.asarray(X), la.asarray(P))
    first, second = lift.unzip(lift.gather(zipped, AT[0]))
    check(first, X[AT[0]])
    check(second, P[AT[0]])
    a, b = lift.gather(lift.zip(la.asarray(X), la.asarray(AT[:, 0])), 4)
    check(a, X[4])
    check(b, AT[4, 0])


def test_no_indices_and_no_elements():
    x = la.asarray(X)
    check(lift.gather(x, np.empty(0, "int32")), X[:0])
    check(lift.gather(la.asarray(P), np.empty((2, 0), "int64")), np.empty((2, 0, 4), "float32"))
    check(lift.gather(la.asarray(np.empty((3, 0))), [0, 2]), np.empty((2, 0)))
    check(lift.gather(x[:0], np.empty(0, "int32")), X[:0])
    with pytest.raises(IndexError, match=r"lift.gather: expected an array xs with elements, got shape \(0,\)"):
        lift.gather(x[:0], [0])


def test_errors():
    x = la.asarray(X)
    with pytest.raises(IndexError, match=r"lift.gather: expected indices of an integer dtype, .* float64"):
        lift.gather(x, [0.5])
    with pytest.raises(IndexError, match=r"lift.gather: expected indices of an integer dtype, .* bool"):
        lift.gather(x, X > 0)
    with pytest.raises(IndexError, match=r"lift.gather: .* float32"):
        lift.map(lambda e: lift.gather(x, e), x)
    with pytest.raises(ValueError, match=r"lift.gather: expected an array of one or more dimensions"):
        lift.gather(1.5, [0])


def forces(positions, at):
    """The forces that the neighbours of each particle exert on it."""
    apart = positions[at] - positions[:, None]
    square = (apart * apart).sum(-1)
    return (apart * np.where(square < 1, 1 - square, 0)[..., None]).sum(1)


def force(p, q):
    dx, dy, dz = q[0] - p[0], q[1] - p[1], q[2] - p[2]
    square = dx * dx + dy * dy + dz * dz
    weight = la.where(square < 1, 1 - square, 0)
    return dx * weight, dy * weight, dz * weight


def total(fs):
    return lift.reduce(lambda a, b: (a[0] + b[0], a[1] + b[1], a[2] + b[2]), (0, 0, 0), fs)


@pytest.mark.slow
def test_molecular_dynamics_over_zipped_positions():
    """The program of figure 7 of the journal draft: the neighbours of each particle, gathered by their indices."""

    @lift.jit
    def md(x, y, z, neighbours):
        ps = lift.zip(x, y, z)
        pull = lambda p, ns: total(lift.map(lambda q: force(p, q), lift.gather(ps, ns)))
        return lift.unzip(lift.map(pull, lift.zip(ps, neighbours)))

    positions = np.ascontiguousarray(P[:, :3].T)
    found = md(*positions, AT)
    for component, expected in zip(found, forces(P[:, :3], AT).T, strict=True):
        check(component, expected, 5, 10)


@pytest.mark.slow
def test_molecular_dynamics_one_neighbour_after_the_other():
    """The same as the paper writes it, `ps[j]` for each index j, with a position in a row of four numbers."""

    @lift.jit
    def md(ps, neighbours):
        pull = lambda p, ns: total(lift.map(lambda j: force(p, lift.gather(ps, j)), ns))
        return lift.unzip(lift.map(pull, lift.zip(ps, neighbours)))

    found = md(P, AT)
    for component, expected in zip(found, forces(P[:, :3], AT).T, strict=True):
        check(component, expected, 5, 10)


@pytest.mark.parametrize("shape", [(0,), (0, 0), (0, 1), (1, 0), (0, 2, 3), (2, 0, 3), (2, 3, 0), (0, 0, 2)])
def test_indices_are_not_looked_at_where_nothing_is_taken(shape):
    x = np.zeros(shape)
    for axis in range(len(shape)):
        at = [1, 0, 7]
        try:
            wanted = np.take(x, at, axis)
        except IndexError:
            with pytest.raises(IndexError):
                la.take(la.asarray(x), at, axis)
        else:
            assert la.take(la.asarray(x), at, axis).shape == wanted.shape


@pytest.mark.parametrize("tier", ["auto", "reference", "compiled"])
@pytest.mark.parametrize("n", [3, 50_000])
def test_the_greatest_unsigned_places_count_from_the_end_as_in_numpy(tier, n):
    before = configure(tier=tier, tune="off")
    try:
        x, at = np.arange(n), np.array([2**64 - 1, 0, 2**64 - n], np.uint64)
        for f in (lambda x, at: x[at], lambda x, at: x[None, at], lambda x, at: x[at, None]):
            np.testing.assert_array_equal(np.asarray(f(la.asarray(x), la.asarray(at))), f(x, at))
            np.testing.assert_array_equal(np.asarray(lift.jit(f)(la.asarray(x), la.asarray(at))), f(x, at))
        np.testing.assert_array_equal(np.asarray(la.take(la.asarray(x), la.asarray(at))), np.take(x, at))
        y = la.asarray(x)
        y[la.asarray(at)] = 7
        x[at] = 7
        np.testing.assert_array_equal(np.asarray(y), x)
        with pytest.raises(IndexError):
            la.asarray(x)[la.asarray(np.array([2**64 - n - 1], np.uint64))]
    finally:
        configure(**vars(before))
