"""`x[key] = value` against NumPy; what sees the change and what does not."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lazyarr as la
from lazyarr import lift
from lazyarr.errors import TracingError
from tests import oclgrind
from tests.lazyarr.evaluation import interpreted
from tests.lazyarr.keys import in_numpy, keys
from tests.lazyarr.support import COMPLEX, DTYPES, check, operands, values

any_dtype = st.sampled_from((*DTYPES, *COMPLEX))


@st.composite
def fitting(draw, shape, dtype, key):
    """A value that broadcasts to a shape: with fewer dimensions, extents of one, or (unless a mask chooses) more."""
    kept = shape[draw(st.integers(0, len(shape))) :]
    own = tuple(1 if draw(st.booleans()) else extent for extent in kept)
    masked = any(isinstance(part, np.ndarray) and part.dtype == bool for part in key)
    if shape and not masked and draw(st.booleans()):
        own = (1,) * (len(shape) - len(kept) + 1) + own  # NumPy drops what is too much of them
    return draw(operands(own, dtype, low=0))


@given(data=st.data(), dtype=any_dtype, other=any_dtype)
@settings(max_examples=5 * settings.default.max_examples // 2)
@interpreted()
def test_assignment_by_every_key(data, dtype, other):
    x = np.ascontiguousarray(data.draw(operands(dtype=dtype)))
    key = data.draw(keys(x.shape))
    given_key = in_numpy(key)
    value = data.draw(fitting(x[given_key].shape, other, given_key))
    a = la.asarray(x.copy())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a lost imaginary part
        if np.dtype(other).kind == "c" and np.dtype(dtype).kind != "c":
            value = value.real
        x[given_key] = value
    a[key] = data.draw(st.sampled_from([value, la.asarray(value)]))
    check(a, x)


@pytest.mark.slow
@given(data=st.data(), dtype=st.sampled_from(["float32", "int16", "bool", "complex64"]))
@settings(max_examples=60)
@interpreted()
def test_assignments_one_after_the_other(data, dtype):
    x = np.ascontiguousarray(data.draw(operands(dtype=dtype)))
    a = la.asarray(x.copy())
    for _ in range(4):
        key = data.draw(keys(x.shape))
        value = data.draw(fitting(x[in_numpy(key)].shape, dtype, in_numpy(key)))
        x[in_numpy(key)] = value
        a[key] = value
        if data.draw(st.booleans()) and dtype != "bool":
            a += a
            x += x
    check(a, x)


X = values((5, 4), "float32", 1)
SMALL = values((5, 4), "int64", 2, 1, 5)


def changed(x, key, value):
    x = x.copy()
    x[key] = value
    return x


def test_slices_on_the_device():
    """Copies and elements of each kind, as parts of one kernel."""
    for key in [2, (slice(None), 2), (slice(1, None, 2), slice(None, None, -1)), (slice(4, 0, -2), slice(0, 3, 2))]:
        a = la.asarray(X)
        a[key] = -1
        a[key] = la.asarray(X)[key] * 2
        check(a, changed(X, key, X[key] * 2))


def test_indices_and_masks_on_the_device():
    a, at = la.asarray(X), np.array([3, 0, 3, -1])
    a[at] = np.arange(16, dtype="float32").reshape(4, 4)
    check(a, changed(X, at, np.arange(16).reshape(4, 4)))  # the last of two wins
    a = la.asarray(X)
    a[la.asarray(at) + 0, 1] = la.asarray(X)[at, 2] * 3
    check(a, changed(X, (at, 1), X[at, 2] * 3))
    a = la.asarray(X)
    a[a > 0] = 0
    a[a < -5] = [7] * int((X < -5).sum())
    expected = np.where(X > 0, 0, np.where(X < -5, 7, X))
    check(a, expected.astype("float32"))
    z = values((7,), "complex128", 3)
    c = la.asarray(z)
    c[[1, 5]] = 2 - 1j
    c[::3] *= 1j
    c[la.asarray([2, 2, 4]) + 0] = np.array([1, 2j, 3])
    z[[1, 5]] = 2 - 1j
    z[::3] *= 1j
    z[[2, 2, 4]] = [1, 2j, 3]
    check(c, z)


# --- who sees a change ------------------------------------------------------------------------------------------------


@interpreted()
def test_the_object_and_its_views_change_and_what_was_computed_of_it_before_does_not():
    x = X.copy()
    a = la.asarray(x)
    same, row, twice, copied = a, a[1], a * 2, a.copy()
    a[1] = 0
    a += 1
    expected = changed(X, 1, 0) + 1
    assert same is a
    for found in (a, same):
        check(found, expected)
    check(row, expected[1])
    check(twice, X * 2)
    check(copied, X)
    np.testing.assert_array_equal(x, X)  # nor the memory it was made of
    row[0] = 5
    expected[1, 0] = 5
    check(a, expected)


@interpreted()
def test_a_view_as_a_value():
    for key, other in [
        (slice(1, None), slice(None, -1)),
        (slice(None, -1), slice(1, None)),
        (slice(None, None, -1), slice(None)),
        ((slice(None), slice(None, None, 2)), (slice(None), slice(1, None, 2))),
    ]:
        a, x = la.asarray(X.copy()), X.copy()
        a[key] = a[other]
        x[key] = X[other]
        check(a, x)
    a, x = la.asarray(X.copy()), X.copy()
    a[1:] += a[:-1]
    x[1:] += X[:-1]
    check(a, x)
    a[0], a[1] = a[1], a[0]
    x[0], x[1] = x[1], x[0]  # of rows, which are views: the second is what the first has become
    check(a, x)


@interpreted()
def test_a_numpy_value_is_read_at_once():
    a, value = la.asarray(X), np.ones(4, "float32")
    a[0] = value
    value[:] = 7
    check(a, changed(X, 0, 1))


def fill(out, x):
    out[1:3] = x
    out[0] += 1
    out *= 2
    return out[2]


@pytest.mark.device
def test_a_jitted_function_changes_what_it_is_given():
    jitted = lift.jit(fill)
    for start in (X, X * 2):
        expected, a, x = start.copy(), la.asarray(start.copy()), np.full(4, 3, "float32")
        same, row = a, a[1]
        check(jitted(a, x), fill(expected, x))
        check(a, expected)
        check(row, expected[1])
        assert same is a
    a, x = la.asarray(X) + 1, X + 1  # computed only now
    check(jitted(a, X[0]), fill(x, X[0]))
    check(a, x)


@pytest.mark.device
def test_a_jitted_function_exchanges_two_arrays():
    def exchange(x, y):
        x[:], y[:] = y.copy(), x.copy()
        return x

    a, b = la.asarray(X.copy()), la.asarray(X * 2)
    check(lift.jit(exchange)(a, b), X * 2)
    check(a, X * 2)
    check(b, X)


@pytest.mark.device
def test_a_jitted_function_that_changes_an_array_given_twice():
    def add(x, y):
        x += 1
        return x + y

    a = la.asarray(X)
    check(lift.jit(add)(a, a), (X + 1) * 2)
    check(a, X + 1)


@pytest.mark.device
def test_a_jitted_function_does_not_change_a_numpy_array():
    with pytest.raises(TypeError, match=r"jit: fill assigns to an argument that is a NumPy array.*asarray"):
        lift.jit(fill)(X.copy(), X[0])


# --- loops that stay lazy ---------------------------------------------------------------------------------------------


def kernels_of(*arrays):
    """How many kernels compute them together."""
    from ir.fusion.partition.kernels import partition

    return len(partition([a.node for a in arrays]).tasks)


def test_a_loop_of_slice_assignments_is_one_kernel():
    a, b, x, y = la.asarray(X.copy()), la.asarray(X.copy()), X.copy(), X.copy()
    for i in range(5):
        a[i] = a[i] * i + 1
        x[i] = x[i] * np.float32(i) + 1
    for j in range(0, 4, 2):
        b[:, j] -= 2
        y[:, j] -= 2
    assert kernels_of(a) == 1
    assert kernels_of(b) == 1
    check(a, x)
    check(b, y)
    a = la.asarray(x.copy()) * 1
    for j in range(4):
        a[1:, j] *= j  # what is stored once is the array that is read along the other dimension
        x[1:, j] *= np.float32(j)
    assert kernels_of(a) <= 2
    check(a, x)


def test_a_stencil_in_blocks_is_one_kernel_for_each_step():
    a, x = la.asarray(values((40,), "float64", 4)), values((40,), "float64", 4)
    for _ in range(3):
        a[1:-1] = (a[:-2] + a[2:]) / 2
        x[1:-1] = (x[:-2] + x[2:]) / 2
    assert kernels_of(a) <= 3
    check(a, x, 8, 9)


@interpreted()
def test_a_stencil_in_two_dimensions_is_two_kernels_for_each_step():
    """Its values, and the array in which they lie between the borders."""
    a, x = la.asarray(values((9, 7), "float64", 5)), values((9, 7), "float64", 5)
    for _ in range(4):
        a[1:-1, 1:-1] = (a[2:, 1:-1] + a[:-2, 1:-1] + a[1:-1, 2:] + a[1:-1, :-2]) / 4
        x[1:-1, 1:-1] = (x[2:, 1:-1] + x[:-2, 1:-1] + x[1:-1, 2:] + x[1:-1, :-2]) / 4
    assert kernels_of(a) <= 8
    check(a, x, 16, 9)


@interpreted()
def test_a_table_filled_row_by_row():
    a, x = la.zeros((20, 6)), np.zeros((20, 6))
    for i in range(20):
        a[i, i % 6 :] = i
        a[i, 0] = -i
        x[i, i % 6 :] = i
        x[i, 0] = -i
    check(a, x)


@pytest.mark.slow
@interpreted()
def test_a_thousand_assignments():
    a, x = la.zeros(1000), np.zeros(1000)
    for i in range(1000):
        a[i] = i % 7
        x[i] = i % 7
    check(a, x)


# --- what raises ------------------------------------------------------------------------------------------------------


def test_errors():
    a, before = la.asarray(SMALL), SMALL.copy()
    with pytest.raises(
        ValueError, match=r"setitem: could not broadcast input array from shape \(3,\) into shape \(4,\)"
    ):
        a[0] = [1, 2, 3]
    with pytest.raises(ValueError, match=r"shape \(3,\) into shape \(20,\)"):
        a[SMALL > 0] = [1, 2, 3]
    with pytest.raises(OverflowError, match=r"setitem: .*300.*int8"):
        la.zeros(3, dtype="int8")[0] = 300
    with pytest.raises(ValueError, match="NaN"):
        a[0] = float("nan")
    with pytest.raises(TypeError):
        a[0] = 1j
    with pytest.raises(ValueError):
        a[0] = "x"
    check(a, before)  # none of it did anything
    a[0] = 2.9
    check(a, changed(SMALL, 0, 2))


@pytest.mark.device
def test_a_mask_with_several_values_has_no_length_while_a_function_is_recorded():
    def f(x):
        x[x > 0] = [1, 2]
        return x

    with pytest.raises(TracingError, match="where"):
        lift.jit(f)(la.asarray(X))
    a = la.asarray(X)
    g = lift.jit(lambda x: (x.__setitem__(x > 0, 0), x)[1])
    check(g(a), np.where(X > 0, 0, X).astype("float32"))
    check(a, np.where(X > 0, 0, X).astype("float32"))


SIMULATED = {
    "slices": "a[1:4, ::2] = a[2:5, 1::2].sum(axis=1)[:, None] - 3",
    "indices": "a[[0, 3, 3]] = a[[1, 2, 4]] * 2",
    "a mask": "a[a > 60] = -1",
    "complex elements": "a = a[0] + 1j; a[::-3] *= 1j; a[[1, 4]] = 2 - 1j",
    "one place several times": "n.add.at(a, ([0, 4, 4], [6, 2, 2]), 0.5)",
    "a part again": "a = n.insert(a, [1, 3], a[0], axis=0)",
    "rows of parts": "a = n.sum(n.roll(a, 3, axis=1), axis=0)",
}


@pytest.mark.parametrize("large", [False, True])
def test_what_has_no_elements_is_checked_as_numpy_checks_it(large):
    n = 300_000 if large else 3
    for m in (np, la):
        for view in (m.broadcast_to(m.ones((n, 1)), (n, 0)), m.diagonal(m.ones((0, n)))):
            for write in (lambda v: v.__setitem__(slice(None), 1), lambda v: v.fill(1), lambda v: v.__iadd__(1)):
                with pytest.raises(ValueError, match="read-only"):
                    write(view)


@pytest.mark.parametrize("shape", [(3, 0), (3, 4)])
@pytest.mark.parametrize(
    "value", [(3, 5, 0), (2, 3, 0), (1, 3, 0), (5, 0), (0,), (2, 5, 0), (3, 5), (7, 2, 5), (5,), ()]
)
@pytest.mark.parametrize("key", [[0, 1, 2], [], ([], []), slice(None), slice(0, 0)], ids=str)
def test_values_for_no_elements_fit_as_in_numpy(shape, key, value):
    def fits(m):
        x = m.ones(shape)
        if np.ones(shape)[key].size:
            return True  # other tests have these
        try:
            x[key] = m.zeros(value)
        except ValueError:
            return False
        return True

    assert fits(la) == fits(np)


@pytest.mark.device
@pytest.mark.sweep
@pytest.mark.skipif(not oclgrind.available(), reason="Oclgrind is not installed")
@pytest.mark.parametrize("statements", SIMULATED.values(), ids=list(SIMULATED))
def test_in_the_simulator(statements):
    code = f"""
import numpy as np
import lazyarr as la
from lazyarr import config
config.configure(tune="off")
for n in (np, la):
    a = n.asarray(np.arange(35, dtype="float32").reshape(5, 7)) * 1
    {statements}
    expected = a if n is np else expected
np.testing.assert_allclose(np.asarray(a), expected, rtol=1e-5)
"""
    assert oclgrind.run(code) == ""


@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (300, 400)])
def test_one_element_takes_a_number(shape):
    key = (1,) * len(shape)
    for value in ([5], [[5.0]], (), [1, 2], range(1), np.array([5.0]), np.ones((1, 1)), np.array([])):
        given = [value, la.asarray(value)] if isinstance(value, np.ndarray) else [value]
        for each in given:
            for x in (la.zeros(shape), la.zeros(shape, dtype="int32"), la.zeros(shape) + la.zeros(shape)):
                numpys = TypeError if x.dtype.kind == "i" and isinstance(value, (list, tuple, range)) else ValueError
                with pytest.raises(numpys, match="setitem: expected a number as the value of one element, got"):
                    x[key] = each
                if isinstance(value, (list, tuple, range)):
                    with pytest.raises(ValueError, match="setitem: expected a number as the value of one element, got"):
                        x[(*key, ...)] = each
                assert not np.any(np.asarray(x))
            with pytest.raises(TypeError, match="setitem: expected a number as the value of one element, got"):
                la.zeros(shape, dtype="complex64")[key] = each
    x = la.zeros(shape)
    for value in (5, np.array(6.0), la.asarray(7.0), np.float32(8)):
        x[key] = value
        assert float(x[key]) == float(value)
    x[(*key, ...)] = np.array([9.0])
    assert float(x[key]) == 9
    with pytest.raises(IndexError, match="setitem"):
        x[(*key, 0, ...)] = [5]
    truth = la.zeros(shape, dtype=bool)
    with pytest.raises(ValueError, match="setitem"):
        truth[(*key, ...)] = [True]
    truth[key] = np.array([True])
    assert bool(truth[key])


@pytest.mark.parametrize("name", ["putmask", "place"])
def test_elements_and_sums_are_put_as_numbers_and_arrays_are_not(name):
    results = []
    for xp in (np, la):
        x = xp.asarray(np.array([1, 2, 3], "int8"))
        getattr(xp, name)(x, x > 1, xp.asarray([2, 3]).sum())
        getattr(xp, name)(x, x < 2, xp.asarray([2.5, 3.5])[1])
        results.append(np.asarray(x).tolist())
        with pytest.raises(TypeError):
            getattr(xp, name)(x, x > 1, xp.asarray([5, 6]))
    assert results[0] == results[1] == [3, 5, 5]
