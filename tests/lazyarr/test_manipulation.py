"""Arrays put together, taken apart, repeated, moved, chosen from and counted, against NumPy."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.exceptions import AxisError

import lazyarr as la
from lazyarr import lift
from lazyarr.errors import TracingError
from tests.lazyarr.evaluation import interpreted
from tests.lazyarr.manipulations import CALLS, SHAPES
from tests.lazyarr.support import check, operands, values

pytestmark = pytest.mark.recording


def several(x):
    return list(x) if isinstance(x, (tuple, list)) else [x]


def same(found, expected):
    assert type(found) is type(expected) or isinstance(found, la.Array)
    for ours, theirs in zip(several(found), several(expected), strict=True):
        check(ours, theirs)


@pytest.mark.parametrize("name", list(CALLS))
@interpreted()
def test_a_function_of_each_dtype(name):
    for dtype in ("bool", "int8", "uint64", "float32", "float64", "complex64", "complex128"):
        arrays = [values(shape, dtype, seed) for seed, shape in enumerate(SHAPES)]
        same(CALLS[name](la, *map(la.asarray, arrays)), CALLS[name](np, *arrays))


@pytest.mark.parametrize("name", list(CALLS))
@interpreted()
def test_a_function_of_views(name):
    """What is backwards in memory, transposed, computed, put together."""
    x, y, z = (values(shape, "float32", seed) for seed, shape in enumerate(SHAPES))
    arrays = [x[::-1, ::-1], y.transpose(2, 1, 0).copy().transpose(2, 1, 0), z * 2]
    same(CALLS[name](la, *map(la.asarray, arrays)), CALLS[name](np, *arrays))
    a, b, c = map(la.asarray, (x, y, z))
    ours = [la.flip(a), la.concat([b[:1], b[1:] * 3]), la.roll(c, 3) + 1]
    theirs = [np.flip(x), np.concat([y[:1], y[1:] * 3]), np.roll(z, 3) + 1]
    same(CALLS[name](la, *ours), CALLS[name](np, *theirs))


VALUES_DECIDE = (
    "repeat each", "trim_zeros", "extract", "nonzero", "argwhere", "argwhere of a scalar", "flatnonzero",
    "where of one",
)  # fmt: skip


@pytest.mark.device
@pytest.mark.parametrize("part", range(4))
def test_functions_in_a_jitted_function(part):
    names = [name for name in CALLS if name not in VALUES_DECIDE][part::4]
    arrays = [values(shape, ("float32", "int32", "complex64", "bool")[part], seed) for seed, shape in enumerate(SHAPES)]

    @lift.jit
    def every(a, b, c):
        return [several(CALLS[name](la, a, b, c)) for name in names]

    for name, found in zip(names, every(*arrays), strict=True):
        for ours, theirs in zip(found, several(CALLS[name](np, *arrays)), strict=True):
            check(ours, theirs)


READ = {
    "rows": lambda n, x: n.sum(n.roll(x, 2, axis=1), axis=0),
    "rows of what is turned": lambda n, x: n.sum(n.flip(n.roll(x, 2, axis=1), axis=0), axis=0),
    "columns": lambda n, x: n.sum(n.roll(x, 2, axis=1), axis=1),
    "what was computed": lambda n, x: n.sum(n.roll(x * 3, 2, axis=1), axis=0),
    "computed parts": lambda n, x: n.sum(n.vstack([x * 2, x, x[::-1] + 1]), axis=1),
    "each element": lambda n, x: n.roll(x, 1, axis=0)[1:] * n.roll(x, -1, axis=0)[:-1],
    "sums so far": lambda n, x: n.cumulative_sum(n.roll(x, 1, axis=1), axis=0),
    "by indices": lambda n, x: n.take(n.concat([x, x * 2]), n.asarray([7, 0, 3]), axis=0),
    "the same part again": lambda n, x: n.insert(x, 1, x[0], axis=0),
}


@pytest.mark.device
@pytest.mark.parametrize("dtype", ["float32", "complex64"])
def test_what_is_put_together_is_read(dtype):
    """By reductions over rows and columns, scans and gathers, in one kernel or after it is stored."""
    x = values((5, 4), dtype, 9)
    found = [call(la, la.asarray(x)) for call in READ.values()]
    la.compute(*found)
    for ours, call in zip(found, READ.values(), strict=True):
        check(ours, call(np, x), 12, 30)


@pytest.mark.device
def test_what_depends_on_values_raises_while_a_function_is_recorded():
    x = values((3, 4), "float32", 1)
    for name in VALUES_DECIDE[2:]:
        with pytest.raises(TracingError):
            lift.jit(lambda a, name=name: several(CALLS[name](la, a, a[None], a[0])))(x)
    with pytest.raises(TracingError):
        lift.jit(lambda a, n: la.repeat(a, n))(x, np.arange(12))
    for f in (la.bincount, la.histogram, la.trim_zeros):
        with pytest.raises(TracingError):
            lift.jit(f)(np.arange(4))


@given(data=st.data())
@settings(max_examples=60)
@interpreted()
def test_concat_and_split_are_inverse(data):
    x = data.draw(operands())
    if not x.ndim:
        return
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
    cuts = sorted(data.draw(st.lists(st.integers(0, x.shape[axis] + 1), max_size=4)))
    parts = la.array_split(la.asarray(x), cuts, axis)
    for ours, theirs in zip(parts, np.array_split(x, cuts, axis), strict=True):
        check(ours, theirs)
    check(la.concat(parts, axis=axis), x)
    check(la.stack([parts[0], parts[0]], axis=axis), np.stack([np.array_split(x, cuts, axis)[0]] * 2, axis=axis))


@pytest.mark.parametrize("dtype", ["bool", *["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]])
@interpreted()
def test_repeats_of_any_integer_dtype(dtype):
    x = values((3, 4), "float32", 11)
    times = np.asarray([2, 0, 3, 1]).astype(dtype)
    expected = np.repeat(x, times.astype(np.int64), axis=1)  # NumPy itself refuses uint64
    check(la.repeat(x, times, axis=1), expected)
    check(la.repeat(x, la.asarray(times), axis=1), expected)
    check(la.repeat(x[:, :0], times[:0], axis=1), x[:, :0])


@pytest.mark.slow
@given(data=st.data())
@settings(max_examples=40)
@interpreted()
def test_any_shape(data):
    x = data.draw(operands())
    a = la.asarray(x)
    n = data.draw(st.integers(-4, 4))
    check(la.roll(a, n), np.roll(x, n))
    check(la.tile(a, (2, abs(n))), np.tile(x, (2, abs(n))))
    check(la.repeat(a, abs(n)), np.repeat(x, abs(n)))
    check(la.ravel(a, "F"), x.ravel("F"))
    for axis in range(x.ndim):
        check(la.roll(a, n, axis=axis), np.roll(x, n, axis=axis))
        check(la.repeat(a, 3, axis=axis), np.repeat(x, 3, axis=axis))
        check(la.flip(a, axis=axis), np.flip(x, axis=axis))
        for ours, theirs in zip(la.unstack(a, axis=axis), np.unstack(x, axis=axis), strict=True):
            check(ours, theirs)
    for ours, theirs in zip(several(la.nonzero(a)) if x.ndim else [], np.nonzero(x) if x.ndim else [], strict=True):
        check(ours, theirs)
    check(la.argwhere(a), np.argwhere(x))


# --- borders ----------------------------------------------------------------------------------------------------------

WIDTHS = [((0, 0), (1, 2)), ((5, 4), (0, 3)), ((2, 0), (9, 9))]


@pytest.mark.parametrize(
    ("mode", "options"),
    [
        ("constant", {}), ("constant", {"constant_values": 3}), ("edge", {}), ("wrap", {}),
        ("linear_ramp", {}), ("linear_ramp", {"end_values": ((1, -2), (3, 4))}),
        ("maximum", {}), ("minimum", {"stat_length": 2}), ("mean", {}), ("mean", {"stat_length": ((1, 2), (3, 1))}),
        ("reflect", {}), ("reflect", {"reflect_type": "odd"}), ("symmetric", {}),
        ("symmetric", {"reflect_type": "odd"}),
    ],
    ids=str,
)  # fmt: skip
@interpreted()
def test_pad(mode, options):
    for dtype in ("float32", "int32", "bool"):
        x = values((3, 4), dtype, 5)
        for widths in WIDTHS:
            check(la.pad(la.asarray(x), widths, mode, **options), np.pad(x, widths, mode, **options), 12, 40)
    check(la.pad(la.asarray(np.ones((1, 3))), 4, mode, **options), np.pad(np.ones((1, 3)), 4, mode, **options), 12, 40)


# --- what changes its argument ----------------------------------------------------------------------------------------


def both(dtype="int64", shape=(4, 5)):
    x = values(shape, dtype, 7)
    return la.asarray(x.copy()), x


@pytest.mark.parametrize("dtype", ["int64", "float32", "bool", "complex128"])
@interpreted()
def test_functions_that_put(dtype):
    one = values((9,), dtype, 8)
    for call in [
        lambda n, x: n.put(x, [3, -1, 3], one[:2]),
        lambda n, x: n.put(x, [[30, -30]], one, mode="wrap"),
        lambda n, x: n.put(x, [99, -99, 5], one[0], mode="clip"),
        lambda n, x: n.put(x, [], one),
        lambda n, x: n.place(x, np.asarray(x) == np.asarray(x)[0], one[:3]),
        lambda n, x: n.place(x, np.zeros((4, 5), bool), one),
        lambda n, x: n.putmask(x, np.arange(20).reshape(4, 5) % 3 == 0, one),
        lambda n, x: n.put_along_axis(x, np.array([[1, -1], [0, 2], [3, 4], [0, 0]]), one[0], axis=1),
        lambda n, x: n.put_along_axis(x, np.array([[3, 1, 2, 0, 0]]), one[:5][None], axis=0),
        lambda n, x: n.put_along_axis(x, np.array([7, 19]), one[:2], axis=None),
        lambda n, x: n.fill_diagonal(x, one[1]),
        lambda n, x: n.fill_diagonal(x, one[:3]),
    ]:
        a, x = both(dtype)
        before = a * 1 if dtype != "bool" else a.copy()
        old = x.copy()
        call(la, a)
        call(np, x)
        check(a, x)
        check(before, old)
    for wrap in (False, True):
        a, x = both(dtype, (11, 3))
        la.fill_diagonal(a, one[2], wrap)
        np.fill_diagonal(x, one[2], wrap)
        check(a, x)
    a, x = both(dtype, (3, 3, 3))
    la.fill_diagonal(a, one[2])
    np.fill_diagonal(x, one[2])
    check(a, x)


# --- indices ----------------------------------------------------------------------------------------------------------


@interpreted()
def test_indices_of_parts_of_a_matrix():
    for name, arguments in [
        ("diag_indices", (4,)), ("diag_indices", (3, 3)), ("tril_indices", (4,)), ("tril_indices", (4, -1, 6)),
        ("triu_indices", (4, 1)), ("triu_indices", (5, -2, 3)),
    ]:  # fmt: skip
        same(getattr(la, name)(*arguments), getattr(np, name)(*arguments))
    x = values((4, 4), "float32", 1)
    for name in ("diag_indices_from", "tril_indices_from", "triu_indices_from"):
        same(getattr(la, name)(la.asarray(x)), getattr(np, name)(x))
        check(la.asarray(x)[getattr(la, name)(x)], x[getattr(np, name)(x)])
    same(la.ix_([1, 2], [True, False, True]), np.ix_([1, 2], [True, False, True]))
    check(la.asarray(x)[la.ix_([1, 3], [0, 2, 2])], x[np.ix_([1, 3], [0, 2, 2])])
    at = np.array([[22, 41], [37, 0]])
    for order in "CF":
        same(la.unravel_index(at, (7, 6), order), np.unravel_index(at, (7, 6), order))
        pair = np.array([[3, 6, 6], [4, 5, 1]])
        check(la.ravel_multi_index(pair, (7, 6), order=order), np.ravel_multi_index(pair, (7, 6), order=order))
    far = np.array([[-1, 9], [8, 2]])
    for mode in ("wrap", "clip", ("clip", "wrap")):
        check(la.ravel_multi_index(far, (7, 6), mode=mode), np.ravel_multi_index(far, (7, 6), mode=mode))


@interpreted()
def test_brackets_that_make_arrays():
    check(la.mgrid[0:3, 1:9:4], np.mgrid[0:3, 1:9:4])
    check(la.mgrid[0:1:5j], np.mgrid[0:1:5j])
    same(la.ogrid[0:3, 0:2:0.5], np.ogrid[0:3, 0:2:0.5])
    x = values((3,), "float32", 1)
    check(la.r_[x, 0, 1:9:3, x], np.r_[x, 0, 1:9:3, x])
    check(la.r_[0:1:5j, 2], np.r_[0:1:5j, 2])
    check(la.c_[x, x * 2], np.c_[x, x * 2])
    check(la.c_[np.eye(3), x], np.c_[np.eye(3), x])
    for text in ("0,2", "-1,2,0", "1,3,1"):
        check(la.r_[text, x, x * 2], np.r_[text, x, x * 2])
    with pytest.raises(ValueError, match="r_: expected one to three whole numbers in a text"):
        la.r_["r", x]
    with pytest.raises(ValueError, match="r_: expected the text '0' in front of all others"):
        la.r_[x, "0"]


# --- counting ---------------------------------------------------------------------------------------------------------


def test_bincount():
    x = np.random.default_rng(1).integers(0, 11, 400)
    check(la.bincount(x), np.bincount(x))
    check(la.bincount(x.astype("uint8"), minlength=20), np.bincount(x, minlength=20))
    w = values((400,), "float32", 2)
    check(la.bincount(la.asarray(x), w), np.bincount(x, w), 50, 9)
    check(la.bincount([], minlength=3), np.bincount(np.zeros(0, int), minlength=3))
    check(la.bincount(np.zeros(0, int)), np.bincount(np.zeros(0, int)))
    for bad, error in (([-1], ValueError), ([[1]], ValueError), (np.array([0.5]), TypeError)):
        with pytest.raises(error, match="bincount"):
            la.bincount(bad)
        with pytest.raises(error):
            np.bincount(bad)
    with pytest.raises(ValueError, match="bincount: expected weights of shape"):
        la.bincount([1, 2], [1])


# --- what raises ------------------------------------------------------------------------------------------------------

A = np.arange(12).reshape(3, 4)
BAD = [
    ("concat", lambda n: n.concat([]), ValueError),
    ("concat", lambda n: n.concat([A, A[:, :2]]), ValueError),
    ("concat", lambda n: n.concat([A, A[0]]), ValueError),
    ("concat", lambda n: n.concat([A[0, 0]]), ValueError),
    ("concat", lambda n: n.concat([A, A], axis=2), AxisError),
    ("concat", lambda n: n.concat([A * 0.5, A * 0.5], dtype="int32"), TypeError),
    ("stack", lambda n: n.stack([]), ValueError),
    ("stack", lambda n: n.stack([A, A[0]]), ValueError),
    ("stack", lambda n: n.stack([A, A], axis=4), AxisError),
    ("block", lambda n: n.block([[A], A]), ValueError),
    ("block", lambda n: n.block([[]]), ValueError),
    ("block", lambda n: n.block(([A],)), TypeError),
    ("insert", lambda n: n.insert(A, 9, 1, axis=1), IndexError),
    ("insert", lambda n: n.insert(A, 1, [1, 2], axis=1), ValueError),
    ("delete", lambda n: n.delete(A, 4, axis=1), IndexError),
    ("delete", lambda n: n.delete(A, [True], axis=1), ValueError),
    ("split", lambda n: n.split(A, 2), ValueError),
    ("split", lambda n: n.split(A, 2, axis=3), IndexError),
    ("array_split", lambda n: n.array_split(A, 0), ValueError),
    ("dsplit", lambda n: n.dsplit(A, 2), ValueError),
    ("unstack", lambda n: n.unstack(A[0, 0]), (AxisError, ValueError)),
    ("repeat", lambda n: n.repeat(A, -1), ValueError),
    ("repeat", lambda n: n.repeat(A, [1, 2], axis=0), ValueError),
    ("tile", lambda n: n.tile(A, -1), ValueError),
    ("roll", lambda n: n.roll(A, 1, axis=2), AxisError),
    ("resize", lambda n: n.resize(A, -1), ValueError),
    ("pad", lambda n: n.pad(A, -1), ValueError),
    ("pad", lambda n: n.pad(A, []), TypeError),
    ("pad", lambda n: n.pad(A, True), TypeError),
    ("pad", lambda n: n.pad(A, 1, "nothing"), ValueError),
    ("pad", lambda n: n.pad(A, 1, "edge", constant_values=1), ValueError),
    ("pad", lambda n: n.pad(A, ((1, 1),) * 3), ValueError),
    ("pad", lambda n: n.pad(A[:0], 1, "edge"), ValueError),
    ("take", lambda n: n.take(n.asarray(A), n.asarray([0.5])), TypeError),
    ("", lambda n: n.take(n.asarray(A), n.asarray([12])), IndexError),
    ("take", lambda n: n.take(n.asarray(A), n.asarray([0]), axis=2), AxisError),
    ("take", lambda n: n.take(n.asarray(A), n.asarray([0]), mode="x"), ValueError),
    ("take_along_axis", lambda n: n.take_along_axis(A, A * 0.5, axis=0), IndexError),
    ("take_along_axis", lambda n: n.take_along_axis(A, A[0], axis=0), ValueError),
    ("choose", lambda n: n.choose([3], [A[0, :1]]), ValueError),
    ("select", lambda n: n.select([A > 1], [A, A]), ValueError),
    ("select", lambda n: n.select([A], [A]), TypeError),
    ("compress", lambda n: n.compress([[True]], A), ValueError),
    ("nonzero", lambda n: n.nonzero(n.asarray(1)), ValueError),
    ("diagonal", lambda n: n.diagonal(A[0]), ValueError),
    ("diagonal", lambda n: n.diagonal(A, 0, 1, 1), ValueError),
    ("unravel_index", lambda n: n.unravel_index([42], (7, 6)), ValueError),
    ("ravel_multi_index", lambda n: n.ravel_multi_index(([7], [0]), (7, 6)), ValueError),
    ("tril_indices_from", lambda n: n.tril_indices_from(A[0]), ValueError),
    ("where", lambda n: n.where(A > 1, A), ValueError),
    ("histogram", lambda n: n.histogram(A, 0), ValueError),
    ("histogram", lambda n: n.histogram(A, [3, 1]), ValueError),
    ("histogram", lambda n: n.histogram(A, range=(2, 1)), ValueError),
    ("histogram", lambda n: n.histogram(A, range=(0, np.inf)), ValueError),
]


@pytest.mark.parametrize(("name", "call", "error"), BAD, ids=[f"{name}{i}" for i, (name, *_) in enumerate(BAD)])
def test_bad_arguments(name, call, error):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(error):
            call(np)
    with pytest.raises(error, match=f"^{name}|{name}:"):
        call(la)


def test_what_is_changed_has_to_be_a_lazyarr_array():
    for name, arguments in [
        ("put", ([0], 1)), ("place", (A > 1, [1])), ("putmask", (A > 1, 1)), ("put_along_axis", (A[:1] * 0, 1, 0)),
        ("fill_diagonal", (1,)),
    ]:  # fmt: skip
        with pytest.raises(TypeError, match=f"{name}: expected a lazyarr array to change, got ndarray"):
            getattr(la, name)(A, *arguments)


@pytest.mark.parametrize("many", [2, 5000])
def test_axes_that_are_no_sequences(many):
    x = np.arange(6.0 * many).reshape(-1, 3)
    a = la.asarray(x) + 0
    for axes in (range(1), np.array([1]), [0, 1], (1,)):
        np.testing.assert_allclose(la.fft.fftn(a, axes=axes), np.fft.fftn(x, axes=axes), atol=1e-6 * many)
        check(la.apply_over_axes(la.sum, a, axes), np.apply_over_axes(np.sum, x, axes))
    check(la.apply_over_axes(la.sum, a, 1), np.apply_over_axes(np.sum, x, 1))
    for axes in ({0}, {0: 1}, iter([0]), "01"):
        with pytest.raises(TypeError, match="sequence of axes"):
            la.fft.fftn(a, axes=axes)
        with pytest.raises(TypeError, match="sequence of axes"):
            la.apply_over_axes(la.sum, a, axes)


REFUSE_AXES = ("sum", "mean", "max", "any", "std", "ptp", "nansum", "squeeze")


@pytest.mark.parametrize("reduction", [*REFUSE_AXES, "count_nonzero"])
def test_bools_are_no_axes_of_reductions(reduction):
    for x in (la.ones((2, 1)), la.ones((5000, 1)), la.asarray(1.0)):
        for axis in (True, (True,), False, np.True_):
            with pytest.raises(TypeError, match="expected an integer axis"):
                getattr(la, reduction)(x, axis=axis)
    same(la.linalg.norm(la.ones((2, 3)), axis=True), np.linalg.norm(np.ones((2, 3)), axis=True))


@pytest.mark.parametrize("axis", [range(2), np.array([1]), [0], {1}, (0, 1)], ids=str)
def test_axes_from_anything_iterable(axis):
    """Where NumPy takes it: reductions take a tuple alone."""
    x = np.arange(6.0).reshape(2, 3)
    a = la.asarray(x)
    same(la.median(a, axis=axis), np.median(x, axis=axis))
    same(la.roll(a, 1, axis), np.roll(x, 1, axis))
    same(la.average(a, axis=axis), np.average(x, axis=axis))
    same(la.gradient(a, axis=axis), np.gradient(x, axis=axis))
    if not isinstance(axis, tuple):
        for refuses in (*(getattr(la, name) for name in REFUSE_AXES), la.linalg.norm, la.linalg.vector_norm):
            with pytest.raises(TypeError, match="expected an integer axis"):
                refuses(a, axis=axis)
    if not isinstance(axis, (tuple, list)):
        with pytest.raises(TypeError, match="expected an integer axis"):
            la.expand_dims(a, axis)


@pytest.mark.slow
def test_a_border_that_a_function_writes():
    def border(vector, widths, axis, options):
        vector[: widths[0]] = options.get("before", 10)
        if widths[1]:
            vector[-widths[1] :] = vector[widths[0]] + axis

    for x in (np.arange(12.0).reshape(3, 4), np.arange(6).reshape(2, 3), np.arange(3)):
        for widths in (2, 1, (0, 1), ((2, 0),) * x.ndim):
            for options in ({}, {"before": 3}):
                check(la.pad(la.asarray(x), widths, border, **options), np.pad(x, widths, border, **options))
                check(la.pad(la.asarray(x + 1), widths, border, **options), np.pad(x + 1, widths, border, **options))
    for widths in (1, (1, 2)):
        check(la.pad(la.asarray(5.0), widths, border), np.pad(np.asarray(5.0), widths, border))
    for x in (la.asarray(5.0), la.ones(3)):
        with pytest.raises(IndexError):
            la.pad(x, {1: 1}, border)
    with pytest.raises(ValueError, match="not negative"):
        la.pad(la.ones(3), -1, border)
    with pytest.raises(TracingError):
        lift.jit(lambda a: la.pad(a, 1, border))(np.ones(3))


@pytest.mark.parametrize("name", ["concat", "concatenate", "stack", "vstack", "hstack", "dstack", "column_stack"])
def test_what_is_no_sequence_is_not_joined(name):
    for parts in ((la.ones(2) for _ in range(2)), map(la.ones, (2, 2)), {1: la.ones(2)}.values(), {1: la.ones(2)}):
        with pytest.raises(TypeError, match=f"{name}: expected a sequence"):
            getattr(la, name)(parts)
    same(getattr(la, name)(la.ones((2, 2))), getattr(np, name)(np.ones((2, 2))))


def test_no_order_is_row_major_order():
    x = np.arange(12.0).reshape(3, 4)
    check(la.reshape(la.asarray(x), (4, 3), order=None), x.reshape(4, 3))
    check(lift.jit(lambda a: a.reshape(4, 3, order=None))(x), x.reshape(4, 3))


def test_a_view_of_a_class():
    x = np.arange(3.0)
    for kind in (la.ndarray, la.Array, np.ndarray):
        a = la.asarray(x)
        a.view(type=kind)[0] = 7
        check(a, np.array([7.0, 1, 2]))
        check(la.asarray(x).view("int64", kind), x.view("int64"))
        check(la.asarray(x).view(kind), x)
    check(la.asarray(x).view(None), x)
    for refused in ({"type": list}, {"type": None}, {"dtype": la.ndarray, "type": la.ndarray}):
        with pytest.raises(ValueError, match="type"):
            la.asarray(x).view(**refused)
    own = type(la.ndarray)("Own", (la.ndarray,), {})
    assert not isinstance(la.asarray(x), own)
    assert not issubclass(la.Array, own) and issubclass(own, la.ndarray) and issubclass(own, own)
    with pytest.raises(TypeError, match="no arrays of subclasses, got Own"):
        own(3)
    for subclass in (np.matrix, np.recarray, np.ma.MaskedArray, type("Own", (np.ndarray,), {}), own):
        for refused in ({"type": subclass}, {"dtype": subclass}, {"dtype": "int64", "type": subclass}):
            with pytest.raises(TypeError, match=f"no arrays of subclasses, got {subclass.__name__}"):
                la.asarray(x).view(**refused)


@pytest.mark.parametrize(
    "repeats", [2.9, np.float64(2), np.float32(1.5), [2.7, 0], (1.5,), [np.int8(3), 1.5], -0.5, True]
)
def test_repeats_that_are_floats_count_as_whole_numbers(repeats):
    for x in (np.arange(2.0), np.arange(6).reshape(3, 2)):
        check(la.repeat(la.asarray(x), repeats, -1), np.repeat(x, repeats, -1))


@pytest.mark.parametrize("count", [1, 2, 20_000])
def test_elements_of_float_arrays_are_repeats_and_arrays_of_floats_are_not(count):
    x, times = np.arange(count), np.asarray([2.5, 1.0])
    check(la.repeat(la.asarray(x), la.asarray(times)[0]), np.repeat(x, times[0]))
    for xp in (np, la):
        for refused in (times, times[:1], np.asarray(2.0)):
            with pytest.raises(TypeError):
                xp.repeat(xp.asarray(x), xp.asarray(refused))
        for error, wrong in ((ValueError, float("nan")), (OverflowError, float("inf")), (ValueError, -1.5)):
            with pytest.raises(error):
                xp.repeat(xp.asarray(x), wrong)
