"""Universal functions and reductions with NumPy's parameters, and `reduce`, `accumulate`, `outer` and `at`."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pytest

import lazyarr as la
from lazyarr import lift
from lazyarr.config import configure
from lazyarr.exceptions import ComplexWarning
from tests.lazyarr import evaluation
from tests.lazyarr.support import SHAPES, check, values

X = values((3, 5), "float64", 1)
Y = values((5,), "float64", 2)
MASK = values((3, 5), "bool", 3)
COUNTS = values((3, 5), "int32", 4)


@pytest.fixture(autouse=True, scope="module")
def _untuned():
    before = configure()
    configure(tune="off")
    yield
    configure(tune=before.tune)


# --- calls ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["float32", "complex128"])
def test_out(dtype):
    for out, expected in [(la.zeros((3, 5), dtype), np.zeros((3, 5), dtype)), (np.ones((3, 5), dtype),) * 2]:
        expected = expected.copy()
        found = la.add(la.asarray(X.astype("float32")), Y.astype("float32"), out)
        assert found is out
        np.add(X.astype("float32"), Y.astype("float32"), expected)
        check(la.asarray(out), expected)
    out = la.zeros((3, 5), dtype)
    assert la.exp(la.asarray(Y), out=(out,)) is out
    check(out, np.broadcast_to(np.exp(Y), (3, 5)).astype(dtype))


def test_out_is_seen_by_other_names_and_by_views():
    out = la.asarray(X)
    alias, row = out, out[1]
    la.multiply(out, 2, out=out)
    check(alias, X * 2)
    check(row, X[1] * 2)
    recorded = lift.jit(lambda x, y: la.add(x, y, out=x.copy()) * 2)
    check(recorded(la.asarray(X), la.asarray(Y)), (X + Y) * 2)


@pytest.mark.parametrize("out", [la.zeros((3, 5)), np.zeros((3, 5))], ids=["lazy", "NumPy"])
def test_out_errors(out):
    with pytest.raises(TypeError, match=r"add: .*complex128"):
        la.add(la.asarray(X), 1j, out=out)
    with pytest.raises(ValueError, match=r"add: a result of shape \(2, 1, 5\) does not fit out"):
        la.add(la.zeros((2, 1, 5)), 1, out=out)
    with pytest.raises(TypeError, match="sin: expected out to be an array, got list"):
        la.sin(la.asarray(X), out=[out, out])
    with pytest.raises(ValueError, match="sin: expected one array as out, got 2"):
        la.sin(la.asarray(X), out=(out, out))


def test_where():
    check(la.add(la.asarray(X), Y, where=MASK), np.add(X, Y, where=MASK, out=np.zeros((3, 5))))
    out = la.asarray(X)
    assert la.negative(la.asarray(Y), out, where=la.asarray(MASK)) is out
    expected = X.copy()
    np.negative(Y, expected, where=MASK)
    check(out, expected)
    target = X.copy()
    assert la.negative(la.asarray(Y), target, where=MASK) is target
    np.testing.assert_array_equal(target, expected)
    divisor = np.array([0, 2, 0, 4, 5.0])
    check(la.divide(X, divisor, where=divisor != 0), np.divide(X, divisor, where=divisor != 0, out=np.zeros((3, 5))))


def test_dtype():
    check(la.add(la.asarray(COUNTS), 2, dtype="float32"), np.add(COUNTS, 2, dtype="float32"))
    check(la.sqrt(la.asarray(COUNTS % 7), dtype=np.float32), np.sqrt(COUNTS % 7, dtype=np.float32, casting="unsafe"))
    check(la.multiply(la.asarray(X), Y, dtype=complex), np.multiply(X, Y, dtype=complex))
    with pytest.raises(TypeError, match="add: cannot convert an operand of dtype float64 to int32"):
        la.add(la.asarray(X), 2, dtype="int32")
    for number in (1.5, 1j):  # Python's have a kind
        with pytest.raises(TypeError, match="add: "):
            la.add(la.asarray(COUNTS), number, dtype="int64")
    for keywords in ({}, {"casting": "unsafe"}):
        with pytest.raises(OverflowError, match="300 out of bounds for int8"):
            la.add(la.ones(3, dtype="int8"), 300, dtype="int8", **keywords)
    check(la.add(la.asarray(COUNTS), 1.5, signature="ll->l"), np.add(COUNTS, 1.5, signature="ll->l"))
    z = X + 1j
    with pytest.warns(ComplexWarning, match="add: complex128 to int32 drops the imaginary parts"):
        found = la.add(la.asarray(z), 2.5, dtype="int32", casting="unsafe")
    with pytest.warns(ComplexWarning):
        check(found, np.add(z, 2.5, dtype="int32", casting="unsafe"))
    with pytest.raises(TypeError, match="less: no loop gives dtype float64"):
        la.less(la.asarray(X), 2, dtype="float64")
    with pytest.raises(TypeError, match=r"add: cannot convert .* 'safe'"):
        la.add(la.asarray(X), 2, dtype="float32", casting="safe")
    for length in (3, 300_000):  # carried out eagerly, and recorded
        single = la.zeros(length, dtype="float32")
        with pytest.raises(TypeError, match=r"add: cannot put float64 into .* float32 with casting 'safe'"):
            la.add(la.ones(length), 1.0, out=single, casting="safe")
        assert la.add(la.ones(length), 1.0, out=single, casting="same_kind") is single


@pytest.mark.parametrize("length", [3, 300_000])  # carried out eagerly, and recorded
@pytest.mark.parametrize("where", [True, [False, True, True]])
def test_any_result_is_put_into_out_where_casting_is_unsafe(length, where):
    values, whole = np.linspace(-3, 9, length), np.full((4, length), 7, np.int16).T[:, 1]
    mask = np.resize(where, length)
    for f, operand in [("exp2", values), ("multiply", values), ("add", values + 2j), ("less", values)]:
        operands = (operand,) if f == "exp2" else (operand, operand[::-1])
        expected, found, host = whole.copy(), la.asarray(whole), whole.copy()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ComplexWarning)
            getattr(np, f)(*operands, out=expected, where=mask, casting="unsafe")
            assert (
                getattr(la, f)(*map(la.asarray, operands), out=found, where=la.asarray(mask), casting="unsafe") is found
            )
            getattr(la, f)(*map(la.asarray, operands), out=host, where=la.asarray(mask), casting="unsafe")
        check(found, expected)
        np.testing.assert_array_equal(host, expected)


def test_what_functions_say_of_themselves():
    assert (la.add.nin, la.add.nout, la.add.nargs, la.sin.nin, la.sin.nargs) == (2, 1, 3, 1, 2)
    assert repr(la.add) == "<lazyarr function 'add'>"
    assert la.add.__name__ == "add"
    assert "element by element" in la.sin.__doc__
    for f in (la.add, la.arctan2, la.isneginf, la.pow):
        assert pickle.loads(pickle.dumps(f)) is f


def test_functions_that_are_no_objects_of_their_own():
    x = la.asarray(X)
    for options in ({"a_min": 2, "a_max": 3}, {"min": 2}, {"a_max": 3.5}):
        check(la.clip(x, **options), np.clip(X, options.get("a_min", options.get("min")), options.get("a_max")))
    for call, expected in [
        (lambda out: la.clip(x, 2, 3, out), np.clip(X, 2, 3)),
        (lambda out: x.clip(2, 3, out), np.clip(X, 2, 3)),
        (lambda out: la.round(x, 1, out), np.round(X, 1)),
        (lambda out: x.round(1, out), np.round(X, 1)),
        (lambda out: la.positive(x, out), X),
    ]:
        out = la.zeros((3, 5))
        assert call(out) is out
        check(out, expected)
    check(la.positive(x, where=MASK), np.where(MASK, X, 0))
    for found in (la.clip(x, 1, a_max=2), la.clip(x, 1, max=2), la.clip(x, max=2, min=1)):
        check(found, np.clip(X, 1, 2))
    with pytest.raises(ValueError, match="clip: expected each bound once"):
        la.clip(x, 1, 2, a_min=1)


def test_orders_and_casting_of_methods():
    x = la.asarray(X)
    check(x.reshape(5, 3, order="F"), X.reshape(5, 3, order="F"))
    check(x.ravel("F"), X.ravel("F"))
    check(x.flatten("F"), X.flatten("F"))
    check(x.astype("float32", "C", "same_kind", True, False), X.astype("float32"))
    assert x.astype(float, copy=False) is x
    with pytest.raises(TypeError, match="astype: cannot convert float64 to int32, casting 'safe'"):
        x.astype("int32", casting="safe")


# --- methods ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["add", "multiply", "maximum", "minimum", "logical_and", "logical_or", "logical_xor"])
def test_reduce(name):
    ours, theirs = getattr(la, name), getattr(np, name)
    check(ours.reduce(la.asarray(COUNTS)), theirs.reduce(COUNTS))
    if name not in ("maximum", "minimum"):
        check(ours.reduce(la.asarray(COUNTS), where=MASK), theirs.reduce(COUNTS, where=MASK))


@pytest.mark.parametrize(
    "options", [{"axis": None}, {"axis": (0, 1), "keepdims": True}, {"axis": -1, "initial": 3}, {"dtype": "float32"}]
)
def test_reduce_with_options(options):
    for name in ("add", "minimum"):
        check(getattr(la, name).reduce(la.asarray(X), **options), getattr(np, name).reduce(X, **options), 15, 99)
    out = la.zeros(5)
    assert la.add.reduce(la.asarray(COUNTS), 0, None, out) is out
    check(out, np.add.reduce(COUNTS).astype(float))


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint32"])
def test_reduce_bits(dtype):
    x = values((3, 5), dtype, 7, 1, 99)
    for name in ("bitwise_and", "bitwise_or", "bitwise_xor"):
        check(getattr(la, name).reduce(la.asarray(x), None, where=MASK), getattr(np, name).reduce(x, None, where=MASK))
        check(getattr(la, name).reduce(la.zeros((0, 2), dtype)), getattr(np, name).reduce(np.zeros((0, 2), dtype)))


@pytest.mark.parametrize("name", ["add", "maximum", "subtract"])
def test_scans_and_parts_without_an_axis_are_of_vectors(name):
    x = np.arange(6)
    ours, theirs = getattr(la, name), getattr(np, name)
    scanned, parts = theirs.accumulate(x, axis=None), theirs.reduceat(x, [0, 2], axis=None)
    check(ours.accumulate(la.asarray(x), axis=None), scanned)
    check(ours.reduceat(la.asarray(x), [0, 2], axis=None), parts)
    check(lift.jit(lambda v: ours.reduceat(v, [0, 2], None))(la.asarray(x)), parts)
    if name != "subtract":  # which the host accumulates
        check(lift.jit(lambda v: ours.accumulate(v, None))(la.asarray(x)), scanned)
    for shape, error in (((2, 3), ValueError), ((), TypeError)):
        with pytest.raises(error, match=name):
            ours.accumulate(la.asarray(np.ones(shape, int)), axis=None)
        with pytest.raises(error, match=name):
            ours.reduceat(la.asarray(np.ones(shape, int)), [0, 1], axis=None)


@pytest.mark.parametrize("name", ["add", "multiply", "maximum", "minimum"])
def test_accumulate(name):
    check(getattr(la, name).accumulate(la.asarray(X)), getattr(np, name).accumulate(X), 5, 1e4)
    out = la.zeros((3, 5))
    assert getattr(la, name).accumulate(la.asarray(COUNTS), 1, "float64", out) is out
    check(out, getattr(np, name).accumulate(COUNTS, 1, "float64"), 5, 1e4)


FLOATS = np.array([[3.0, np.nan, -1.5], [np.nan, np.nan, 4], [-0.5, 2, 12]])
WHOLE = np.array([[12, 18, -4], [0, -6, 9]])


@pytest.mark.parametrize(
    ("name", "x"),
    [
        ("gcd", WHOLE), ("lcm", WHOLE), ("hypot", WHOLE), ("hypot", FLOATS), ("logaddexp", FLOATS), ("fmax", FLOATS),
        ("logaddexp2", FLOATS.astype("float32")), ("fmin", FLOATS), ("fmax", WHOLE.astype("int8")), ("fmin", MASK),
    ],
)  # fmt: skip
@np.errstate(invalid="ignore")
@evaluation.interpreted()
def test_formulas_that_are_associative(name, x):
    ours, theirs = getattr(la, name), getattr(np, name)
    for options in ({"axis": 0}, {"axis": (0, 1), "keepdims": True}, {"axis": 1, "initial": 2}):
        whole = name == "lcm" and isinstance(options["axis"], tuple)  # there NumPy wants one axis
        expected = theirs.reduce(x.ravel(), keepdims=True).reshape(1, 1) if whole else theirs.reduce(x, **options)
        check(ours.reduce(la.asarray(x), **options), expected, x.size, 30)
    check(ours.reduce(la.asarray(x[:1])), theirs.reduce(x[:1]))  # where there is one element, it may be negative
    mask = np.arange(x.size).reshape(x.shape) % 3 != 1
    check(ours.reduce(la.asarray(x), 1, initial=2, where=mask), theirs.reduce(x, 1, initial=2, where=mask), x.size, 30)
    for axis in (0, 1):
        check(ours.accumulate(la.asarray(x), axis), theirs.accumulate(x, axis), x.size, 30)


@pytest.mark.parametrize(("name", "x"), [("lcm", WHOLE), ("logaddexp", X), ("fmin", FLOATS)])
def test_kernels_of_formulas(name, x):
    ours, theirs = getattr(la, name), getattr(np, name)
    recorded = lift.jit(lambda v: (ours.reduce(v, 1), ours.accumulate(v)))(la.asarray(x))
    check(recorded[0], theirs.reduce(x, 1), x.size, 30)
    check(recorded[1], theirs.accumulate(x), x.size, 30)


@pytest.mark.parametrize("name", ["gcd", "hypot", "logaddexp", "logaddexp2", "lcm", "fmax"])
def test_formulas_of_no_elements(name):
    x = np.zeros((0, 2), int if name in ("gcd", "lcm") else float)
    if name in ("lcm", "fmax"):
        check(getattr(la, name).reduce(la.asarray(x), initial=3), getattr(np, name).reduce(x, initial=3))
    else:
        check(getattr(la, name).reduce(la.asarray(x)), getattr(np, name).reduce(x))


@pytest.mark.parametrize("name", ["subtract", "divide", "floor_divide", "pow", "remainder"])
@evaluation.interpreted()
def test_functions_whose_order_matters_go_from_the_first_element_to_the_last(name):
    ours, theirs = getattr(la, name), getattr(np, name)
    x = np.array([[97, 3, 2], [5, 2, 1], [4, 7, 3]])
    for options in ({}, {"axis": 1, "keepdims": True}, {"axis": -1, "initial": 50}):
        check(ours.reduce(la.asarray(x), **options), theirs.reduce(x, **options), 3)
    check(ours.reduce(la.asarray(x[:1])), theirs.reduce(x[:1]))
    check(ours.accumulate(la.asarray(x), 1), theirs.accumulate(x, 1))
    assert la.config.statistics()["ufunc.accumulate"] > 0


def test_the_order_on_the_device():
    many = np.arange(1.0, 302)
    check(lift.jit(la.subtract.reduce)(la.asarray(many)), np.asarray(np.subtract.reduce(many)))


@evaluation.interpreted()
def test_scans_of_truth_values_and_bits():
    for name in ("logical_and", "logical_or", "logical_xor"):
        for x in (WHOLE, MASK):
            check(getattr(la, name).accumulate(la.asarray(x), 1), getattr(np, name).accumulate(x, 1))
    for name in ("bitwise_and", "bitwise_or", "bitwise_xor"):
        check(getattr(la, name).accumulate(la.asarray(WHOLE)), getattr(np, name).accumulate(WHOLE))


def test_the_class_of_universal_functions():
    assert isinstance(la.add, la.ufunc) and isinstance(la.sin, la.ufunc) and not isinstance(la.sum, la.ufunc)


def test_outer_and_at():
    check(la.subtract.outer(la.asarray(X), Y), np.subtract.outer(X, Y))
    check(la.less.outer(la.asarray(Y), 0.5), np.less.outer(Y, 0.5))
    ours, theirs = la.asarray(Y), Y.copy()
    la.add.at(ours, [0, 3, 3], [1.5, 2, 4])
    np.add.at(theirs, [0, 3, 3], [1.5, 2, 4])
    check(ours, theirs)


def test_method_errors():
    with pytest.raises(TypeError, match=r"less.reduce: the result of less is no operand of it"):
        la.less.reduce(la.asarray(X))
    for axis in (None, (0, 1)):
        with pytest.raises(ValueError, match=r"subtract.reduce: the function is not reorderable"):
            la.subtract.reduce(la.asarray(X), axis)
    with pytest.raises(ValueError, match=r"divide.reduce: where needs a neutral element"):
        la.divide.reduce(la.asarray(X), where=MASK)
    for name in ("subtract", "lcm", "fmax"):
        with pytest.raises(ValueError, match=rf"{name}.reduce: zero-size array \(shape \(0,\)\)"):
            getattr(la, name).reduce(la.zeros(0, int))
    with pytest.raises(TypeError, match=r"add.accumulate: expected one or more dimensions"):
        la.add.accumulate(3)
    with pytest.raises(ValueError, match=r"maximum.reduce: where needs a neutral element"):
        la.maximum.reduce(la.asarray(X), where=MASK)
    with pytest.raises(TypeError, match=r"bitwise_or.reduce: expected bools or integers"):
        la.bitwise_or.reduce(la.asarray(X))
    for method, arguments in [("reduce", ()), ("accumulate", ()), ("reduceat", ([0],)), ("outer", (X,))]:
        with pytest.raises(ValueError, match=rf"sin.{method}: expected a function of two operands, got one of 1"):
            getattr(la.sin, method)(la.asarray(X), *arguments)


# --- reductions with NumPy's parameters -------------------------------------------------------------------------------


def test_positional_dtypes_and_out():
    x = la.asarray(COUNTS)
    check(la.sum(x, 0, "float32"), np.sum(COUNTS, 0, "float32"))
    check(x.sum(1, float), COUNTS.sum(1, float))
    check(la.mean(x, 1, "float32"), np.mean(COUNTS, 1, "float32"), 5, 9)
    check(x.var(0, float, None, 1), COUNTS.var(0, float, None, 1), 5, 81)
    out = la.zeros(3)
    for name in ("sum", "std", "ptp", "any", "all"):
        expected = np.asarray(getattr(np, name)(COUNTS, axis=1)).astype(float)
        assert getattr(la, name)(x, axis=1, out=out) is out
        check(out, expected, 5, 1e5)
    for name in ("sum", "prod", "min", "max", "mean", "std", "var", "cumsum", "cumprod", "argmin", "argmax"):
        shape = np.asarray(getattr(COUNTS, name)(0)).shape
        kind = "int64" if name in ("argmin", "argmax") else "float64"
        out, target = la.zeros(shape, kind), np.zeros(shape, kind)
        assert getattr(x, name)(0, out=out) is out
        assert getattr(x, name)(0, out=target) is target
        expected = np.asarray(getattr(COUNTS, name)(0)).astype(kind)
        check(out, expected, 5, 1e5)
        check(la.asarray(target), expected, 5, 1e5)


@pytest.mark.parametrize("axis", [None, 1])
def test_where_and_initial(axis):
    x = la.asarray(X)
    for name in ("sum", "prod"):
        check(getattr(la, name)(x, axis, where=MASK), getattr(np, name)(X, axis, where=MASK), 15, 1e6)
        check(getattr(x, name)(axis, initial=2.5), getattr(X, name)(axis, initial=2.5), 15, 1e6)
    for name in ("min", "max"):
        check(getattr(la, name)(x, axis, where=MASK, initial=1), getattr(np, name)(X, axis, where=MASK, initial=1))
        check(getattr(x, name)(axis, initial=-1), getattr(X, name)(axis, initial=-1))
    for name in ("any", "all"):
        check(getattr(la, name)(x > 0, axis, where=MASK), getattr(np, name)(X > 0, axis, where=MASK))
    check(la.mean(x, axis, where=MASK[:, :1] | (X > -5)), np.mean(X, axis, where=MASK[:, :1] | (X > -5)), 15, 9)


@pytest.mark.parametrize("shape", [s for s in SHAPES if 0 in s])
def test_extremes_of_nothing(shape):
    axis = shape.index(0)
    check(la.max(la.zeros(shape), axis, initial=3), np.max(np.zeros(shape), axis, initial=3))
    check(la.zeros(shape).min(initial=3), np.zeros(shape).min(initial=3))
    with pytest.raises(ValueError, match="zero-size array"):
        la.max(la.zeros(shape))
    with pytest.raises(ValueError, match="max: with where, give initial"):
        la.max(la.zeros(shape), where=False)


def test_neutral_elements():
    for name in (
        "add",
        "multiply",
        "maximum",
        "logical_and",
        "bitwise_and",
        "logaddexp",
        "gcd",
        "subtract",
        "sin",
        "equal",
    ):
        assert getattr(la, name).identity == getattr(np, name).identity
    for name in ("add", "multiply", "logical_or", "maximum"):
        f = getattr(la, name)
        with pytest.raises(ValueError, match="zero-size"):
            f.reduce(la.zeros((0, 3)), initial=None)
        with pytest.raises(ValueError, match="zero-size"):
            f.reduce(la.zeros((3, 0)), axis=None, initial=None)
        x = np.array([[3.0, 4.0]])
        check(f.reduce(la.asarray(x), initial=None), getattr(np, name).reduce(x, initial=None))
        check(f.reduce(la.zeros((0, 3)), 1, initial=None), getattr(np, name).reduce(np.zeros((0, 3)), 1, initial=None))


@pytest.mark.parametrize("size", [6, 50_000])
@pytest.mark.parametrize("name", ["negative", "sqrt", "abs", "logical_not", "isnan", "square"])
def test_functions_of_one_operand_at_places(name, size):
    x = np.abs(values((size,), "float64", 3))
    for key in ([0, 0, 2], slice(1, None, 2), np.arange(size) % 3 == 0, np.array([-1, 5, -1, -1]), ...):
        ours, theirs = la.asarray(x) * 1, x.copy()
        shown = ours[1:4]
        assert getattr(la, name).at(ours, la.asarray(key) if isinstance(key, np.ndarray) else key) is None
        getattr(np, name).at(theirs, key)
        np.testing.assert_array_equal(np.asarray(ours), theirs)
        np.testing.assert_array_equal(np.asarray(shown), theirs[1:4])
    rows = la.asarray(x.reshape(2, -1)) * 1
    getattr(la, name).at(rows, (1, [0, 0]))
    theirs = x.reshape(2, -1).copy()
    getattr(np, name).at(theirs, (1, [0, 0]))
    np.testing.assert_array_equal(np.asarray(rows), theirs)
    with pytest.raises(IndexError):
        getattr(la, name).at(la.asarray(x), [size])
    with pytest.raises(TypeError, match="at: expected an array"):
        getattr(la, name).at([1.0, 2.0], [0])
    ours, theirs = la.arange(size) * 3, np.arange(size) * 3
    getattr(la, name).at(ours, [1, 1, 2])
    getattr(np, name).at(theirs, [1, 1, 2])
    check(ours, theirs)  # cut to integers


@pytest.mark.parametrize("name", ["hypot", "gcd", "lcm", "subtract", "divide", "add", "maximum", "power"])
@pytest.mark.parametrize("options", [{}, {"initial": 3}, {"keepdims": True}], ids=str)
@pytest.mark.parametrize("eager", [False, True])
def test_reductions_over_no_axes_take_each_element_alone(name, options, eager):
    values = np.array([[-3, 4], [-8, 1]]) if name in ("gcd", "lcm") else np.array([[-3.5, 4], [-8, 1]])
    for x in (values, values[0, 0], values[:0]):
        expected = getattr(np, name).reduce(x, axis=(), **options)
        given = la.asarray(x) if eager else la.asarray(x) + 0
        found = getattr(la, name).reduce(given, axis=(), **options)
        np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-13)
        assert np.shape(found) == np.shape(expected)
        assert found is not given


def test_signature_has_a_second_name():
    x = np.array([1, 2, 3], "int8")
    for sig in ("ff->f", ("f", "f", "f"), (None, None, np.float64)):
        check(la.add(la.asarray(x), 1, sig=sig), np.add(x, 1, sig=sig))
    with pytest.raises(TypeError, match="signature and sig"):
        la.add(la.asarray(x), 1, sig="dd->d", signature="dd->d")


@pytest.mark.parametrize("casting", ["no", "equiv"])
@pytest.mark.parametrize("xp", [np, la], ids=["numpy", "lazyarr"])
def test_casting_is_a_rule_for_operands_too(xp, casting):
    x, y = xp.asarray([1, 2]), xp.asarray(np.array([3, 4], "int8"))
    for function, *operands in ((xp.add, x, y), (xp.add, x, 1.5), (xp.sqrt, x)):
        with pytest.raises(TypeError):
            function(*operands, casting=casting)
    for function, *operands in ((xp.add, x, x), (xp.negative, y)):
        function(*operands, casting=casting)
    with pytest.raises(ValueError, match="casting must be"):
        xp.add(x, 1, casting="any")
