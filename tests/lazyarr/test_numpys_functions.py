"""NumPy's, SciPy's and scikit-learn's functions on lazyarr's arrays."""

from __future__ import annotations

import operator
import os
import subprocess
import sys

import numpy as np
import pytest
import scipy

import lazyarr as la
from lazyarr import config, lift
from tests.lazyarr.support import check
from tests.lazyarr.test_interoperation import X, Y, _untuned  # noqa: F401  # a fixture that each test uses

pytestmark = pytest.mark.recording

# --- NumPy's functions ------------------------------------------------------------------------------------------------


def test_numpy_functions_record():
    x = la.asarray(X)
    found = [
        np.sin(x),
        np.add(x, Y),
        np.arctan2(Y, x),
        np.sum(x, axis=0),
        np.concatenate([x, X]),
        np.where(x > 4, x, 0),
    ]
    assert all(type(y) is la.Array for y in found)
    expected = [np.sin(X), X + Y, np.arctan2(Y, X), X.sum(0), np.concatenate([X, X]), np.where(X > 4, X, 0)]
    for a, b in zip(found, expected, strict=True):
        check(a, b, 3)
    assert [np.ndim(x), np.shape(x), np.size(x), np.size(x, 1)] == [2, (3, 5), 15, 5]
    check(np.sum(a=x, axis=1), X.sum(1), 5)
    check(np.clip(x, 2, 3), np.clip(X, 2, 3))
    check(np.mean(x, 1, np.float32), np.mean(X, 1, np.float32), 5)
    check(lift.jit(lambda v: np.exp(-np.abs(v)) + np.float32(1))(x), np.exp(-np.abs(X)) + 1)


def test_ufunc_methods_of_numpy():
    x = la.asarray(X)
    check(np.add.reduce(x, axis=1), X.sum(1), 5)
    check(np.multiply.accumulate(x), np.multiply.accumulate(X), 3)
    check(np.subtract.outer(x, Y), np.subtract.outer(X, Y))
    counts = la.zeros(5)
    np.add.at(counts, [1, 1, 4], 2.0)
    check(counts, np.array([0, 4, 0, 0, 2.0]))
    for a, b in zip(np.modf(x), np.modf(X), strict=True):
        check(a, b)


def test_out_of_numpy_functions():
    x, target = la.asarray(X), np.zeros((3, 5))
    assert np.add(x, Y, out=target) is target
    np.testing.assert_array_equal(target, X + Y)
    target += x
    np.testing.assert_array_equal(target, X + Y + X)
    out = la.zeros((3, 5))
    assert np.multiply(X, Y, out=out) is out
    check(out, X * Y)
    total = la.zeros(5)
    assert np.sum(x, axis=0, out=total) is total
    check(total, X.sum(0), 3)
    fraction, whole = np.zeros((3, 5)), la.zeros((3, 5))
    found = np.modf(x, out=(fraction, whole))
    assert found[0] is fraction
    assert found[1] is whole
    np.testing.assert_array_equal(fraction, np.modf(X)[0])
    check(whole, np.modf(X)[1])
    np.negative(x, out=target, where=X > 4)
    np.testing.assert_array_equal(target, np.where(X > 4, -X, X + Y + X))


@pytest.mark.parametrize("op", [operator.sub, operator.lt])
def test_numpy_on_the_left(op):
    x = la.asarray(X.astype("float32"))
    for left in (np.float32(2), np.float64(0.5), Y):
        check(op(left, x), op(left, X.astype("float32")))
    check(X.T @ la.asarray(X), X.T @ X, 3, 300)


def test_universal_functions_of_other_libraries():
    x = la.asarray(Y)
    before = la.config.statistics().get("Array.__array_ufunc__", 0)
    check(scipy.special.erf(x), scipy.special.erf(Y))
    check(scipy.special.binom(5, la.arange(3)), scipy.special.binom(5, np.arange(3)))
    for found, expected in zip(scipy.special.ellipj(x, 0.5), scipy.special.ellipj(Y, 0.5), strict=True):
        check(found, expected)
    out, theirs = la.zeros(5), np.zeros(5)
    assert scipy.special.expit(x, out=out) is out
    assert scipy.special.expit(x, out=theirs) is theirs
    check(out, scipy.special.expit(Y))
    np.testing.assert_array_equal(theirs, scipy.special.expit(Y))
    assert la.config.statistics()["Array.__array_ufunc__"] == before + 5
    np.testing.assert_allclose(np.asarray(scipy.special.logsumexp(x)), scipy.special.logsumexp(Y), 1e-14)
    with pytest.raises(TypeError, match=r"erf.at: expected NumPy arrays"):
        scipy.special.erf.at(x, [0])
    with pytest.raises(la.TracingError, match="which runs on the host through the library that the function comes"):
        lift.jit(scipy.special.erf)(x)


def test_ufuncs_that_give_objects_give_numpys_arrays_of_them():
    x, plain = la.asarray(Y), Y.copy()
    for function, operands in (
        (np.frompyfunc(lambda v: 2 * v, 1, 1), 1),
        (np.frompyfunc(lambda v, w: v * w, 2, 1), 2),
        (np.frompyfunc(lambda v: (v, f"{v:.2f}"), 1, 2), 1),
    ):
        found, expected = function(*[x] * operands), function(*[plain] * operands)
        found, expected = (each if isinstance(each, tuple) else (each,) for each in (found, expected))
        for ours, theirs in zip(found, expected, strict=True):
            assert type(ours) is np.ndarray and ours.dtype == object
            np.testing.assert_array_equal(ours, theirs)
    assert np.frompyfunc(max, 2, 1).reduce(x) == plain.max()
    check(la.asarray(np.frompyfunc(lambda v: 2 * v, 1, 1)(x).astype(float)), 2 * plain)


def test_what_lazyarr_does_not_have():
    with pytest.raises(TypeError, match=r"numpy.busday_count: lazyarr has no busday_count: .*np.asarray"):
        np.busday_count(la.asarray(X), X)
    with pytest.raises(TypeError, match=r"numpy.isnat: lazyarr has no isnat"):
        np.isnat(la.asarray(X))
    x = la.asarray(Y) * 1
    np.negative.at(x, [0, 2])
    np.testing.assert_array_equal(np.asarray(x)[[0, 2]], -Y[[0, 2]])

    class Stranger:
        def __radd__(self, other):
            return "theirs"

        def __array_ufunc__(self, *args, **kwargs):
            return "theirs"

    assert la.asarray(X) + Stranger() == "theirs"
    assert np.add(la.asarray(X), Stranger()) == "theirs"


def test_functions_of_the_values(tmp_path):
    x = la.asarray(X)
    assert np.array2string(x) == np.array2string(X) == la.array2string(x)
    assert np.array_repr(x) == repr(X) == la.array_repr(x)
    np.save(tmp_path / "x.npy", x)
    check(la.load(tmp_path / "x.npy"), X)
    la.savez(tmp_path / "x.npz", a=x, b=Y)
    np.testing.assert_array_equal(np.load(tmp_path / "x.npz")["a"], X)
    np.savetxt(tmp_path / "x.txt", x)
    check(la.loadtxt(tmp_path / "x.txt"), X)
    assert not np.shares_memory(x, la.asarray(X, copy=True))


def test_numpy_testing():
    x = la.asarray(X)
    np.testing.assert_array_equal(x, X)
    np.testing.assert_allclose(x + 1e-12, x, rtol=1e-9)
    np.testing.assert_array_less(x, x + 1)
    la.testing.assert_equal(x, la.asarray(X))
    la.testing.assert_equal([x, {"a": x}], [X, {"a": X}])
    for check_ in (np.testing.assert_array_equal, la.testing.assert_equal, la.testing.assert_allclose):
        with pytest.raises(AssertionError):
            check_(x, x + 1)


# --- other libraries --------------------------------------------------------------------------------------------------


SCIPY = """
import numpy as np
import scipy.signal, scipy.special, scipy.stats
import lazyarr as la
from lazyarr import config
config.configure(tune="off")
x = np.linspace(0.1, 2, 12)
a = la.asarray(x)
for f in (scipy.special.softmax, scipy.special.logsumexp, scipy.special.entr, scipy.stats.zscore, scipy.stats.kurtosis,
          lambda v: scipy.signal.detrend(v)):
    found = f(a)
    assert isinstance(found, la.Array), (f, type(found))
    np.testing.assert_allclose(np.asarray(found), f(x), rtol=1e-9, atol=1e-12)
"""


@pytest.mark.device
@pytest.mark.sweep
def test_scipy_takes_lazy_arrays():
    environment = {**os.environ, "SCIPY_ARRAY_API": "1"}
    done = subprocess.run([sys.executable, "-c", SCIPY], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


SCIKIT_LEARN = """
import numpy as np
import sklearn
from sklearn.decomposition import PCA
from sklearn.linear_model import Ridge
from sklearn.metrics import accuracy_score, mean_squared_error
from sklearn.preprocessing import MinMaxScaler, StandardScaler
import lazyarr as la
from lazyarr import config
config.configure(tune="off")
rng = np.random.default_rng(1)
x = rng.random((20, 3))
y = x @ [1, 2, 3.0]
with sklearn.config_context(array_api_dispatch=True):
    for f in (lambda x, y: StandardScaler().fit_transform(x), lambda x, y: PCA(2, svd_solver="full").fit_transform(x),
              lambda x, y: MinMaxScaler().fit_transform(x), lambda x, y: Ridge(solver="svd").fit(x, y).coef_):
        found = f(la.asarray(x), la.asarray(y))
        assert isinstance(found, la.Array), type(found)
        np.testing.assert_allclose(np.asarray(found), f(x, y), rtol=1e-9, atol=1e-12)
    for f in (lambda y: mean_squared_error(y, y * y), lambda y: accuracy_score(y > 2, y > 2.5)):
        np.testing.assert_allclose(f(la.asarray(y)), f(y), rtol=1e-9)
"""


@pytest.mark.device
@pytest.mark.sweep
def test_scikit_learn_takes_lazy_arrays():
    environment = {**os.environ, "SCIPY_ARRAY_API": "1"}
    command = [sys.executable, "-c", SCIKIT_LEARN]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_ufunc_behind_numpys_clip_is_numpys():
    config.reset_statistics()
    data = np.arange(5.0)
    np.testing.assert_array_equal(np.asarray(data.clip(la.asarray(1.0), 3)), data.clip(1, 3))
    np.testing.assert_array_equal(np.asarray(lift.jit(lambda low: data.clip(low, 3))(la.asarray(2.0))), data.clip(2, 3))
    assert config.statistics() == {}


class _Length:
    """Numbers with a unit, which knows what a square root makes of it."""

    def __init__(self, numbers, power=1):
        self.numbers, self.power = numbers, power

    def __array__(self, dtype=None, copy=None):
        raise AssertionError("the unit would be lost")

    def __array_ufunc__(self, ufunc, method, *operands, **keywords):
        if ufunc is np.less or method != "__call__" or keywords:
            return NotImplemented
        numbers = [x.numbers if isinstance(x, _Length) else x for x in operands]
        return _Length(ufunc(*numbers), self.power / 2 if ufunc is np.sqrt else self.power)


def test_functions_ask_objects_of_other_libraries_as_numpys_do():
    for m in (la, np):
        x = m.asarray([4.0, 9.0])
        for found, power in ((m.sqrt(_Length(x, 2)), 1), (m.multiply(x, _Length(0.5)), 1), (m.add(_Length(x), x), 1)):
            assert (type(found), found.power) == (_Length, power)
            assert isinstance(found.numbers, type(x))
        np.testing.assert_array_equal(np.asarray(m.sqrt(_Length(x, 2)).numbers), [2, 3])
    with pytest.raises(AssertionError, match="the unit would be lost"):
        la.less(la.zeros(2), _Length(1.0))  # nobody answers


class _Series:
    """As pandas' series: it knows arrays by their class, and takes any keyword."""

    __pandas_priority__ = 3000

    def __init__(self, numbers):
        self.numbers = numbers

    def __array__(self, dtype=None, copy=None):
        raise AssertionError("the index would be lost")

    def __array_ufunc__(self, ufunc, method, *operands, **keywords):
        operands = [x.numbers if type(x) is _Series else x for x in operands]
        assert all(isinstance(x, (np.ndarray, int, float)) for x in operands)
        keywords.pop("out", None)
        return _Series(getattr(ufunc, method)(*operands, **keywords))

    def __radd__(self, other):
        raise AssertionError("of an array that it does not know")

    __rand__ = __radd__

    def clip(self, low, high, out=None):
        assert not isinstance(low, la.Array)
        return _Series(self.numbers.clip(low, high))

    def round(self, decimals, out=None):
        return _Series(self.numbers.round(decimals))


CALLS = {
    "and": lambda xp, x, s: x & s,
    "sum": lambda xp, x, s: x + s,
    "less": lambda xp, x, s: x < s,
    "bitwise_and": lambda xp, x, s: xp.bitwise_and(s, x),
    "logical_and": lambda xp, x, s: xp.logical_and(s, x),
    "positive": lambda xp, x, s: xp.positive(s),
    "positive of a dtype": lambda xp, x, s: xp.positive(s, dtype="float32"),
    "out": lambda xp, x, s: xp.add(s, x, out=xp.zeros(3)),
    "where": lambda xp, x, s: xp.add(x, s, where=True, dtype="float32"),
    "clip": lambda xp, x, s: xp.clip(s, 2, 4),
    "clip by an array": lambda xp, x, s: xp.clip(s, x, 4),
    "round": lambda xp, x, s: xp.round(s, 1),
    "around": lambda xp, x, s: xp.around(s, 1),
}


@pytest.mark.parametrize("case", CALLS)
def test_calls_with_keywords_and_functions_that_are_no_ufuncs_ask_others_too(case):
    of_call = CALLS[case]
    for numbers in (np.array([1, 3, 6]), np.array([1.25, 3.0, 6.0])):
        if numbers.dtype.kind == "f" and "and" in case and case != "logical_and":
            continue
        x = np.array([3, 2, 1], numbers.dtype)
        found, expected = of_call(la, la.asarray(x), _Series(numbers)), of_call(np, x, _Series(numbers))
        assert type(found) is type(expected) is _Series
        assert found.numbers.dtype == expected.numbers.dtype
        np.testing.assert_array_equal(found.numbers, expected.numbers)


class _Numbers(np.ndarray):
    """What NumPy's functions make of it is of its class, as long as they ask."""

    def __array_ufunc__(self, ufunc, method, *operands, **keywords):
        found = getattr(ufunc, method)(*map(np.asarray, operands), **keywords)
        return tuple(x.view(_Numbers) for x in found) if ufunc.nout > 1 else found.view(_Numbers)


def test_subclasses_of_numpys_arrays_are_asked_where_they_answer_for_themselves():
    values, x = np.array([1.0, 4.0]).view(_Numbers), la.asarray([2.0, 3.0])
    for found in (la.sqrt(values), la.add(x, values), x + values, x < values, *la.modf(values), *la.frexp(values)):
        assert type(found) is _Numbers
    assert type(la.sqrt(np.array([1.0, 4.0]).view(np.matrix))) is la.Array  # which leaves it to NumPy


def test_functions_of_two_results_ask_objects_of_other_libraries_once():
    class Pair:
        def __array__(self, dtype=None, copy=None):
            raise AssertionError("the unit would be lost")

        def __array_ufunc__(self, ufunc, method, *operands, **keywords):
            return ufunc.__name__, "both"

    assert la.modf(Pair()) == ("modf", "both")
    assert la.frexp(Pair()) == ("frexp", "both")


OF_NO_ARRAY = [
    np.array([0, None, 2], object), np.longdouble(1), np.arange(3).astype(np.longdouble), np.timedelta64(1),
    np.arange(3).astype("m8[s]"), np.array([0, 1, 5], object),
]  # fmt: skip


@pytest.mark.parametrize("other", OF_NO_ARRAY)
def test_comparisons_with_what_no_array_is_made_of_are_numpys_on_either_side(other):
    values, x = np.arange(3), la.arange(3)
    for name in ("equal", "not_equal", "less"):
        if name == "less" and None in np.asarray(other).ravel().tolist():
            continue
        compare, function = getattr(np, name), getattr(la, name)
        for found, expected in (
            (compare(other, x), compare(other, values)),
            (compare(x, other), compare(values, other)),
            (function(x, other), compare(values, other)),
            (function(la.arange(3) + x, other), compare(2 * values, other)),
        ):
            assert isinstance(found, la.Array)
            np.testing.assert_array_equal(np.asarray(found), expected)
    np.testing.assert_array_equal(np.asarray(other == x), other == values)
    with pytest.raises(TypeError):
        lift.jit(lambda a: other == a)(x)


@pytest.mark.parametrize("other", [np.array([0, None, 2], object), np.array(["a", "b", "0"])], ids=["objects", "text"])
def test_comparisons_by_numpy_are_counted_once(other):
    x = la.arange(3)
    config.reset_statistics()
    np.testing.assert_array_equal(np.asarray(x == other), np.arange(3) == other)
    np.testing.assert_array_equal(np.asarray(x != other), np.arange(3) != other)
    assert config.statistics() == {"equal": 1, "not_equal": 1}


@pytest.mark.filterwarnings("ignore:the matrix subclass")
def test_matrices_multiply_arrays_as_matrices_from_either_side():
    a = np.array([[1.0, 2.0], [3.0, 5.0]])
    m, x = np.asmatrix([[2.0, 1.0], [7.0, 3.0]]), la.asarray(a)
    np.testing.assert_array_equal(np.asarray(m * x), np.asarray(m * a))
    np.testing.assert_array_equal(np.asarray(x * m), np.asarray(a * m))
    np.testing.assert_array_equal(np.asarray(m[:, :1] * x[0]), np.asarray(m[:, :1] * a[0]))
    np.testing.assert_array_equal(np.asarray(m * x.max()), np.asarray(m * a.max()))
    np.testing.assert_array_equal(np.asarray(m + x), np.asarray(m + a))
    with pytest.raises(ValueError, match="matmul"):
        m * x[0]


class _Deferring(_Series):
    """As pandas' operators: they leave it to what has a higher priority, but for those in place."""

    def __and__(self, other):
        if getattr(other, "__pandas_priority__", -1) > self.__pandas_priority__:
            return NotImplemented
        return "truths"

    def __rand__(self, other):
        raise AssertionError("of an array that it does not know")

    def _inplace_method(self, other, op):
        found = op(self, other)
        assert found is not NotImplemented, "nobody else is asked"
        return found

    def __iand__(self, other):
        return self._inplace_method(other, type(self).__and__)

    def __array_ufunc__(self, ufunc, method, *operands, **keywords):
        operands = [x.numbers if isinstance(x, _Series) else x for x in operands]
        assert all(type(x) is np.ndarray for x in operands)
        return _Deferring(getattr(ufunc, method)(*operands))


def test_operators_of_pandas_leave_it_to_arrays():
    x, s = la.asarray([3, 2, 1]), _Deferring(np.array([1, 3, 6]))
    for found in (s & x, x & s):
        assert type(found) is _Deferring
        np.testing.assert_array_equal(found.numbers, [1, 2, 0])
    s &= x
    assert s == "truths"  # what pandas makes of it itself


class _Undecided:
    """As pandas' series of durations beside numbers: it is asked, and raises."""

    __pandas_priority__ = 3000

    def __array__(self, dtype=None, copy=None):
        return np.array([1, 2, 3], "m8[s]")

    def __array_ufunc__(self, ufunc, method, *operands, **keywords):
        raise TypeError("no comparison")


def test_comparisons_that_another_library_refuses_are_errors():
    for f in (lambda x, y: x < y, lambda x, y: y >= x, la.less):
        with pytest.raises(TypeError, match="no comparison"):
            f(la.asarray([1, 2, 3]), _Undecided())
