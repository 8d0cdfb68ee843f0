"""`x[key] = value`, `x op= value` and `f.at(x, key, value)` against NumPy; what sees the change and what does not."""

from __future__ import annotations

import itertools
import operator
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lazyarr as la
from lazyarr import lift
from lazyarr.errors import TracingError
from tests import oclgrind
from tests.lazyarr.evaluation import ON_DEVICE, interpreted
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


@interpreted()
def test_a_thousand_assignments():
    a, x = la.zeros(1000), np.zeros(1000)
    for i in range(1000):
        a[i] = i % 7
        x[i] = i % 7
    check(a, x)


# --- in place ---------------------------------------------------------------------------------------------------------

OPERATORS = {
    "+=": operator.iadd, "-=": operator.isub, "*=": operator.imul,
    "/=": operator.itruediv, "//=": operator.ifloordiv, "%=": operator.imod,
    "**=": operator.ipow, "&=": operator.iand, "|=": operator.ior,
    "^=": operator.ixor, "<<=": operator.ilshift, ">>=": operator.irshift,
}  # fmt: skip


@pytest.mark.parametrize("name", list(OPERATORS))
@interpreted()
def test_an_operator_in_place(name):
    apply = OPERATORS[name]
    for dtype in ("bool", "int32", "uint8", "float32", "complex64"):
        for other in ("bool", "int32", "int64", "float64", "complex64"):
            x, y = values((3, 4), dtype, 1, 1, 5), values((4,), other, 2, 1, 5)
            a, b = la.asarray(x.copy()), la.asarray(y)
            try:
                expected = apply(x, y)
            except TypeError:
                with pytest.raises(TypeError):
                    apply(a, b)
            else:
                same = a
                assert apply(a, b) is same
                check(a, expected, 4, 625)


def test_in_place_keeps_dtype_and_shape():
    a = la.asarray(SMALL)
    with pytest.raises(TypeError, match=r"add: cannot put the result, of dtype float64, into an array of dtype int64"):
        a += 0.5
    with pytest.raises(ValueError, match=r"add: the result has shape \(2, 5, 4\)"):
        a += np.ones((2, 1, 1), int)
    a += True
    check(a, SMALL + 1)


# --- f.at -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "maximum", "minimum", "bitwise_xor", "power"])
@interpreted()
def test_at_takes_each_index_in_turn(name):
    rng = np.random.default_rng(5)
    at, new = rng.integers(-5, 5, (3, 11)), rng.integers(1, 3, (3, 11, 4))
    x = SMALL.copy()
    getattr(np, name).at(x, at, new)
    a = la.asarray(SMALL)
    getattr(la, name).at(a, la.asarray(at), new)
    check(a, x)
    for key in ((at, at % 4), (slice(1, 3), [0, 0, 3]), SMALL > 2, 1, (..., [1, 1])):
        x, a = SMALL.copy(), la.asarray(SMALL)
        getattr(np, name).at(x, key, 2)
        getattr(la, name).at(a, key, 2)
        check(a, x)


def test_at_on_the_device():
    rng = np.random.default_rng(6)
    at, new = rng.integers(0, 20, 300), rng.integers(-9, 9, 300)
    for dtype in ("float64", "int32", "complex64"):
        x = np.zeros(20, dtype)
        a = la.asarray(x.copy())
        la.add.at(a, at, new.astype(dtype))
        np.add.at(x, at, new.astype(dtype))
        check(a, x)
    f = lift.jit(lambda x, i, v: (la.subtract.at(x, i, v), x * 1)[1])
    if ON_DEVICE:
        x = SMALL[:, 0].copy()
        np.subtract.at(x, at % 5, new)
        check(f(la.asarray(SMALL[:, 0]), at % 5, new), x)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int64", "float32"])
@pytest.mark.parametrize("value", [True, 2, -1, 300, 1.5, 2.75, np.int64(300), np.float64(0.1)], ids=repr)
def test_at_converts_each_result(dtype, value):
    for name in ("add", "maximum", "divide", "equal"):
        if dtype == "bool" and name == "divide":
            continue  # of zeros
        x = np.array([1, 0, 1, 7]).astype(dtype)
        a = la.asarray(x.copy())
        getattr(np, name).at(x, [0, 0, 3], value)
        getattr(la, name).at(a, [0, 0, 3], value)
        check(a, x)


def test_at_keeps_the_dtype():
    a = la.zeros(3, dtype="int32")
    with pytest.raises(TypeError, match=r"add.at: cannot put complex128 into an array of dtype int32"):
        la.add.at(a, [0], 0.5j)
    with pytest.raises(TypeError, match=r"add.at: expected a lazyarr array to change, got ndarray"):
        la.add.at(np.zeros(3), [0], 1)
    with pytest.raises(IndexError, match=r"index 3 is out of bounds"):
        la.add.at(a, [3], 1)


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
    with pytest.raises(TypeError):
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


# --- single elements --------------------------------------------------------------------------------------------------

IN_PLACE = [
    "iadd", "isub", "imul", "itruediv", "ifloordiv", "imod", "ipow", "iand", "ior", "ixor", "ilshift", "irshift",
]  # fmt: skip
BESIDE = [3, 300, -1, 0.5, 1e300, 2j, True, np.int8(3), np.uint8(200), np.float64(0.5), np.complex64(1j)]


def _outcome(module, dtype, operation, other, key):
    x = module.asarray(np.array([1, 2, 3]).astype(dtype))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of overflows, and lost imaginary parts
        try:
            x[key] = operation(x[key], other)
        except (TypeError, OverflowError, ValueError) as error:
            return type(error)
    return np.asarray(x)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int32", "int64", "float32", "complex64", "complex128"])
@interpreted()
def test_in_place_operators_of_elements_follow_numpys_rule_of_numbers(dtype):
    """`x[i] += y` computes a number and assigns it, whatever its dtype."""
    for name, other, key in itertools.product(IN_PLACE, BESIDE, [1, np.int64(1), (np.array(2),)]):
        operation = getattr(operator, name)
        expected, found = (_outcome(module, dtype, operation, other, key) for module in (np, la))
        overflows = expected is OverflowError and type(other) is not int
        if overflows and isinstance(found, np.ndarray):
            continue  # a number that the dtype cannot hold: that is seen when it is computed, and then it wraps
        if isinstance(expected, np.ndarray):
            np.testing.assert_allclose(found, expected, rtol=1e-5, err_msg=f"{dtype} {name} {other!r}")
            assert found.dtype == expected.dtype
        else:
            assert isinstance(found, type), (dtype, name, other, expected, found)
            assert issubclass(expected, found)


ARRAYS = [
    lambda m: m.zeros((), "bool"),
    lambda m: m.zeros(2, "bool"),
    lambda m: m.zeros(1, "bool").reshape(()),
    lambda m: m.zeros(2, "bool")[1, ...],
    lambda m: m.asarray(m.asarray(False)),
    lambda m: m.asarray(False).copy(),
]


@pytest.mark.parametrize("make", ARRAYS)
def test_in_place_operators_of_arrays_keep_the_dtype(make):
    """Also of those without dimensions."""
    for module in (np, la):
        x = make(module)
        with pytest.raises(TypeError):
            x += 3
        with pytest.raises(TypeError):
            x |= 3
        before = x
        x |= True
        assert x is before
        assert np.asarray(x).all()


def test_numbers_are_replaced_not_changed():
    for module in (np, la):
        x = module.asarray(np.array([1, 2, 3]))
        element = same = x[1]
        element += 0.5
        total = kept = x.sum()
        total /= 4
        element -= 1.25
        assert [float(element), int(same), float(total), int(kept)] == [1.25, 2, 1.5, 6]
        assert x.tolist() == [1, 2, 3]


def test_in_place_operators_of_elements_inside_jitted_functions():
    def step(b, s):
        b[1] += 3
        s += 1
        n = b.sum()
        n /= 2
        return n

    b, s = la.zeros(3, dtype="bool"), la.asarray(4)
    assert float(la.lift.jit(step)(b, s)) == 0.5
    assert b.tolist() == [False, True, False]
    assert s.item() == 5


def test_nothing_assigned_to_nothing_by_indices():
    """NumPy does not look at the shape of an empty value of more dimensions than an empty choice by indices has."""
    for xp in (np, la):
        x = xp.asarray(np.zeros((17, 0)))
        x[[6]] = xp.asarray(np.zeros((6, 1, 0)))
        for key, shape in (([6], (5, 3)), ([[6]], (6, 1, 0)), (slice(1), (6, 1, 0))):
            with pytest.raises(ValueError, match="broadcast"):
                x[key] = xp.asarray(np.zeros(shape))


def test_triangles_of_nothing_are_arrays_of_their_own():
    x = la.broadcast_to(la.asarray(np.zeros((1, 0))), (3, 0))
    la.tril(x)[...] = 1
    la.triu(x)[...] = 1
