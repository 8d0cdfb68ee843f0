"""Eager numbers are Python's until somebody writes to them, and operators of eager arrays take the short way."""

from __future__ import annotations

import importlib
import operator
import sys
import threading
import warnings

import numpy as np
import pytest

import lazyarr as la
from ir.cost.thresholds.eager import EAGER_READS
from lazyarr import lift
from lazyarr.aliasing.views import become_eager
from lazyarr.array.lent import is_lent
from lazyarr.config import eagerness
from lazyarr.eager.operations import recording_only
from lazyarr.graph.leaves import host_memory
from tests.lazyarr.eager.support import NUMBERS
from tests.threads import in_threads
from tests.tiers import by_tier

eager_module = importlib.import_module("lazyarr.array.eager")


def eager(values, dtype: str = "float64") -> la.Array:
    made = la.asarray(np.array(values, dtype))
    assert become_eager(made)
    return made


OPERATORS = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "//": operator.floordiv,
    "%": operator.mod, "**": operator.pow, "&": operator.and_, "|": operator.or_, "^": operator.xor,
    "<<": operator.lshift, ">>": operator.rshift,
}  # fmt: skip
IN_PLACE = {f"{name}=": getattr(operator, f"i{f.__name__.strip('_')}") for name, f in OPERATORS.items()}
OPERATORS |= {
    "<": operator.lt, "<=": operator.le, ">": operator.gt,
    ">=": operator.ge, "==": operator.eq, "!=": operator.ne,
}  # fmt: skip
ALONE = {"-": operator.neg, "abs": abs, "~": operator.invert, "sqrt": la.sqrt, "sign": la.sign, "exp": la.exp}
BESIDE = [0, 1, -1, 3, 8, 300, 2**60, 2**70, 0.5, -0.0, float("nan"), float("inf"), True, 2j, np.float64(1.5),
          np.int8(3), np.float32(0.5), np.uint64(7), np.True_]  # fmt: skip


def outcome(function, recorded: bool):
    """The result and its dtype, or the type of the error."""
    eagerness.want(not recorded)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return np.asarray(function())
    except (ArithmeticError, TypeError, ValueError) as error:
        return type(error)
    finally:
        eagerness.want(True)


def is_refused(got, want, numpys) -> bool:
    """Are these integers to negative powers that are known, as those that are recorded are not? NumPy refuses them."""
    if got is not ValueError or want is got:
        return False
    with pytest.raises(ValueError, match="negative integer powers"):
        numpys()
    return True


def assert_alike(got, want, case) -> None:
    if isinstance(want, type) or isinstance(got, type):
        assert got is want, (case, got, want)
        return
    assert (got.dtype, got.shape) == (want.dtype, want.shape), (case, got, want)
    np.testing.assert_allclose(got, want, rtol=1e-6, err_msg=str(case))
    if want.dtype.kind == "f":
        assert np.array_equal(np.signbit(got), np.signbit(want)) or np.isnan(want).any(), case


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dtype", [*NUMBERS, "complex64"])
@pytest.mark.parametrize("name", [*OPERATORS, *IN_PLACE])
def test_operators_of_elements_give_what_they_give_where_they_are_recorded(name, dtype):
    """With each other, with Python's numbers and NumPy's on either side, in place and not.

    The first element is compared with what is recorded of it, others with the elements of what is recorded of all at
    once, where that raises no error. In place a number becomes another one, as the operator gives it.
    """
    function = OPERATORS.get(name) or IN_PLACE[name]
    of_all = OPERATORS[name.removesuffix("=")] if name in IN_PLACE else function
    values = np.array(NUMBERS.get(dtype, [0, 1 - 2j, 3j, np.inf]), dtype)
    x, like = eager(values, dtype), la.asarray(values)
    pairs = [lambda x, at, j=j: (x[at], x[j]) for j in range(len(values))]
    for other in BESIDE:
        pairs.append(lambda x, at, other=other: (x[at], other))
        if name in OPERATORS:
            pairs.append(lambda x, at, other=other: (other, x[at]))
    for pair in pairs:
        together = outcome(lambda pair=pair: of_all(*pair(like, ...)), recorded=True)
        for i in range(len(values)):
            if i and not isinstance(together, type):
                want = together[i]
            else:
                want = outcome(lambda pair=pair, i=i: function(*pair(like, i)), recorded=True)
            got = outcome(lambda pair=pair, i=i: function(*pair(x, i)), recorded=False)
            if not is_refused(got, want, lambda pair=pair, i=i: function(*pair(values, i))):
                assert_alike(got, want, (name, dtype, [str(v) for v in pair(values, i)]))


@pytest.mark.parametrize("dtype", NUMBERS)
@pytest.mark.parametrize("name", ALONE)
def test_functions_of_elements_give_what_they_give_where_they_are_recorded(name, dtype):
    x = eager(NUMBERS[dtype], dtype)
    for i, value in enumerate(np.array(NUMBERS[dtype], dtype)):
        got = outcome(lambda i=i: ALONE[name](x[i]), recorded=False)
        want = outcome(lambda value=value: ALONE[name](la.asarray(value)), recorded=True)
        assert_alike(got, want, (name, value))


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int32", "int64", "float32", "float64", "complex64"])
@pytest.mark.parametrize("name", IN_PLACE)
def test_in_place_operators_of_arrays_give_what_they_give_where_they_are_recorded(name, dtype):
    """Also with parts of the array itself, of other shapes, and with what does not fit; and views see it."""
    function = IN_PLACE[name]
    start = (np.arange(12) % 5).astype(dtype).reshape(3, 4)
    others = {
        "like": lambda x: x[...], "shifted": lambda x: x[::-1, ::-1], "row": lambda x: x[1],
        "element": lambda x: x[1, 2], "column": lambda x: x[:, 1:2], "two": lambda _: 2, "half": lambda _: 0.5,
        "true": lambda _: True, "large": lambda _: 300, "wide": lambda _: la.asarray(np.ones((2, 3, 4), dtype)),
        "minus": lambda x: -x[:1],
        "float64": lambda _: la.asarray(np.ones(4)), "NumPy's": lambda _: np.float64(2),
    }  # fmt: skip
    for _ in range(2):  # met for the first time, and again
        for what, of in others.items():

            def changed(x, of=of):
                view = x[:2, 1:]
                function(x, of(x))
                return np.concatenate([np.asarray(x).ravel(), np.asarray(view).ravel()])

            want = outcome(lambda: changed(la.asarray(start)), recorded=True)  # called at once
            got = outcome(lambda: changed(eager(start, dtype)), recorded=False)  # as above
            if not is_refused(got, want, lambda: changed(start.copy())):
                assert_alike(got, want, (name, what))


def test_numbers_are_pythons_until_they_are_written_to():
    x = eager([1.5, 2.5])
    number = x[0]
    assert type(number.value) is float
    alias, other = number, number.copy()
    number[()] = 7
    assert float(alias) == float(number) == 7
    assert float(other) == float(x[0]) == 1.5
    number += 1  # another one
    assert float(alias) == 7
    shown = x[1, ...]
    x[1] = 9
    assert float(shown) == 9
    assert np.asarray(eager([3], "int8")[0]).dtype == np.int8


def test_what_is_made_of_a_number_does_not_change_with_it():
    x = eager([1.0, 2.0])
    number = x[1]
    function = lift.jit(lambda a: a * number)
    assert float(function(la.asarray(3.0))) == 6
    number[...] = 5
    assert float(function(la.asarray(3.0))) == 15
    assert float(x[1]) == 2


def test_iteration_sees_what_is_written_meanwhile():
    want, got = np.arange(40.0), la.asarray(np.arange(40.0))
    for x, found in ((want, wanted := []), (got, gotten := [])):
        for i, each in enumerate(x):
            x[(i + 3) % 40] += 10
            found.append(float(each))
    assert gotten == wanted
    assert got.value is not None


def test_elements_of_large_arrays_are_read_where_they_lie():
    want = np.arange(1 << 16, dtype=np.float64).reshape(256, 256)
    x = la.asarray(want.copy())
    for i in range(30):
        assert float(x[i, 2 * i]) == want[i, 2 * i]
    assert is_lent(x)  # nothing was copied
    assert type(x[5, 6].value) is float
    with pytest.raises(IndexError, match="out of bounds for axis 1"):
        float(x[0, 256])
    x[3, 4] = -1
    assert float(x[3, 4]) == -1


def test_large_eager_arrays_have_memory_of_their_own():
    want = np.zeros(1 << 20)
    x = la.asarray(want)
    before = x + 1
    assert become_eager(x)
    x[5] = 3
    assert (float(before[5]), want[5], float(x[5])) == (1, 0, 3)
    view = x[3:]
    view[2] = 4
    assert float(x[5]) == 4


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "bool"])
def test_numbers_that_a_loop_reads_become_eager(dtype):
    """What they stand for holds until they are written to."""
    eagerness.want(False)
    number = la.sum(la.asarray(np.array([1, 0], dtype)), dtype=dtype)
    assert float(number) == 1
    eagerness.want(True)
    x = eager([1, 1, 0], dtype)
    for _ in range(EAGER_READS):
        assert number.value is None
        assert np.asarray(x * number).tolist() == [1, 1, 0]
    assert (number.value is not None) == (dtype != "float32")
    function = lift.jit(lambda a: a * number)
    assert float(function(la.asarray(3.0))) == 3
    number[()] = 0
    assert float(function(la.asarray(3.0))) == float(number) == 0
    assert np.asarray(x * number).tolist() == [0, 0, 0]


def test_in_place_operators_in_a_loop_make_an_array_eager_and_views_see_it():
    want = np.arange(6.0)
    x = la.asarray(want.copy())
    view, before, step = x[1:3], x + 0, eager(np.ones(6).tolist())
    for _ in range(20):
        x += step
        want += 1
    assert x.value is not None
    np.testing.assert_array_equal(np.asarray(x), want)
    np.testing.assert_array_equal(np.asarray(view), want[1:3])
    np.testing.assert_array_equal(np.asarray(before), np.arange(6.0))
    row = la.broadcast_to(la.asarray(np.ones(3)), (2, 3))
    with pytest.raises(ValueError, match="read-only"):
        row += eager([1, 2, 3])


def test_a_thread_that_records_carries_out_nothing_eagerly_and_others_do():
    assert eagerness.on
    seen = []
    inside, done = threading.Event(), threading.Event()

    def record() -> None:
        with recording_only:
            inside.set()
            done.wait(10)
            seen.append(eagerness.on)
        seen.append(eagerness.on)

    thread = threading.Thread(target=record)
    thread.start()
    assert inside.wait(10)
    x = eager([1.0, 2.0])
    assert eagerness.on
    assert (x[0] + x[1] * 2).value == 5
    with recording_only:
        assert not eagerness.on
        assert float(x[0] + x[1] * 2) == 5  # the long way
    assert eagerness.on
    done.set()
    thread.join()
    assert seen == [False, True] and eagerness.on
    with recording_only, recording_only:
        assert not eagerness.on
    assert eagerness.on
    la.config(tier="compiled")
    assert not eagerness.on
    with recording_only:
        la.config(tier="auto")
        assert not eagerness.on
    assert eagerness.on


def test_threads_read_and_write_elements():
    """Each its own; what one reads as a whole holds elements of before or of afterwards."""
    x, errors = eager(np.zeros((4, 50)).tolist()), []

    def work(i: int) -> None:
        for k in range(50):
            x[i, k] = x[i, k] + 1.0
            x[i, k] += 1
            row = lift.jit(lambda a: a + x[i])(la.zeros(50)) if k % 25 == 0 else x[i] + 0
            if float(row[k]) != 2:
                errors.append((i, k))

    in_threads(work, range(4))
    assert not errors
    np.testing.assert_array_equal(np.asarray(x), np.full((4, 50), 2.0))


def test_bools_of_numbers_and_indices():
    x, k = eager([0.0, np.nan, -0.0, 2.0]), eager([3, 0, 1], "uint8")
    assert [bool(each) for each in x] == [False, True, False, True]
    assert [bool(each) for each in k] == [True, False, True]
    assert [bool(each > 0) for each in x] == [False, False, False, True]
    assert (float(x[k[0]]), int(k[0]), operator.index(k[2])) == (2, 3, 1)
    np.testing.assert_array_equal(np.asarray(x[k[2] : k[0]]), [np.nan, 0])
    with pytest.raises(TypeError, match="an index must be"):
        operator.index(x[3])


@pytest.mark.parametrize("name", ["matmul", "dot", "vecdot", "matvec", "vecmat"])
@pytest.mark.parametrize("shapes", [((3,), (3,)), ((3, 3), (3,)), ((3,), (3, 3)), ((3, 3), (3, 3))], ids=str)
def test_products_of_eager_arrays_are_numpys_or_raise_as_numpys(name, shapes):
    values = [np.arange(1.0, 1 + np.prod(shape)).reshape(shape) for shape in shapes]
    operands = [eager(value) for value in values]
    try:
        wanted = getattr(np, name)(*values)
    except ValueError:
        with pytest.raises(ValueError):
            getattr(la, name)(*operands)
    else:
        np.testing.assert_array_equal(np.asarray(getattr(la, name)(*operands)), wanted)


def test_threads_that_take_parts_of_one_array_see_each_others_writes():
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for _ in range(by_tier(100, 1500, 1500)):
            x = eager(np.zeros(8))
            start, parts = threading.Barrier(4), [None] * 4

            def take(i: int, x=x, start=start, parts=parts) -> None:
                start.wait()
                parts[i] = x[2 * i : 2 * i + 2]

            in_threads(take, range(4))
            _ = x.node  # a leaf over a copy
            for part in parts:
                part[:] = 5
            assert (np.asarray(lift.jit(lambda y: y + 0)(x)) == 5).all()
    finally:
        sys.setswitchinterval(before)


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_complex_arrays_are_divided_and_squared_where_they_lie(dtype):
    x = eager([1 + 2j, -3j, 0.5], dtype)
    memory, wanted = x.value, np.asarray(x).copy()
    x /= 2
    x **= 2
    assert x.value is memory
    np.testing.assert_allclose(np.asarray(x), (wanted / 2) ** 2)


def test_elements_of_large_complex_arrays_do_not_copy_all_of_it(monkeypatch):
    z = la.asarray(np.arange(200_000) * (1 + 1j)) * 2
    la.compute(z)
    copies = []
    monkeypatch.setattr(eager_module, "host_memory", lambda *a: copies.append(a) or host_memory(*a))
    assert [complex(z[i]) for i in range(40)] == [2 * i * (1 + 1j) for i in range(40)]
    assert len(copies) < 3


PUT = [
    "add", "subtract", "multiply", "divide", "floor_divide", "pow", "equal", "logical_and", "maximum", "bitwise_or",
    "sqrt", "negative", "logical_not", "abs", "exp",
]  # fmt: skip


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int32", "int64", "float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("name", PUT)
def test_results_put_into_eager_arrays_are_those_that_are_recorded(name, dtype):
    """Into arrays of each dtype and shape, operands and views that overlap among them; read-only ones raise."""
    function = getattr(la, name)
    count = function.nin
    for target in {"int32", "float32", "complex128", dtype}:
        for case in range(8):

            def put(target=target, case=case):
                x = la.asarray((np.arange(12) * 5 % 7 - 1).astype(dtype).reshape(3, 4))
                y = la.asarray(np.arange(1, 13).astype(dtype).reshape(3, 4))
                out = la.asarray(np.full((3, 4), 7, target))
                if eagerness.on:
                    for each in (x, y, out):
                        assert become_eager(each)
                view = out[:, ::-1]
                operands = [(x, y), (x[1], y), (x, 2), (2, y), (x, y[:, :1]), (x, y), (x, y), (x[None], y)][case]
                if case == 5:
                    out, operands = x, (x, x[::-1])
                elif case == 6:
                    out = la.broadcast_to(la.asarray(np.zeros(4, target)), (3, 4))
                operands = operands[:count] if count == 2 or type(operands[0]) is la.Array else operands[1:]
                assert function(*operands, out=out) is out
                return np.stack([np.asarray(out), np.asarray(view)])

            assert_alike(outcome(put, recorded=False), outcome(put, recorded=True), (name, dtype, target, case))


@pytest.mark.parametrize("dtype", ["float64", "complex128", "int64", "bool"])
def test_large_arrays_that_masks_write_to_in_a_loop_become_eager(dtype):
    """As a loop over those points of a grid that have not converged does."""
    shape = (600, 300)
    start = (np.arange(180_000) % 23).astype(dtype).reshape(shape)
    steps = (np.arange(180_000) % 5).astype(dtype).reshape(shape)
    numbers = np.zeros(shape, np.int64)
    x, by, counts = la.asarray(start.copy()), la.asarray(steps), la.zeros(shape, dtype=la.int64)
    want, view, before = start.copy(), x[1:, ::2], x + 0
    for n in range(12):
        mask, chosen = la.abs(x) < 40 + n, np.abs(want) < 40 + n
        counts[mask] = n
        numbers[chosen] = n
        x[mask] = x[mask] + by[mask]
        want[chosen] = want[chosen] + steps[chosen]
    assert x.value is not None
    assert counts.value is not None
    assert dtype != "complex128" or by.value is not None
    np.testing.assert_array_equal(np.asarray(counts), numbers)
    np.testing.assert_array_equal(np.asarray(x), want)
    np.testing.assert_array_equal(np.asarray(view), want[1:, ::2])
    np.testing.assert_array_equal(np.asarray(before), start)
    np.testing.assert_array_equal(np.asarray(by), steps)


@pytest.mark.parametrize("dtype", [*NUMBERS, "complex64"])
def test_iteration_gives_numbers_of_the_dtype_and_sees_another_shape(dtype):
    x = eager(np.arange(6), dtype)
    want = np.arange(6).astype(dtype)
    assert [(each.dtype, each.shape, each.item()) for each in x] == [(x.dtype, (), value) for value in want]
    found = []
    for each in x:
        found.append(each.shape)
        if len(found) == 2:
            x.shape = (6, 1)
    assert found == [(), (), (1,), (1,), (1,), (1,)]


@pytest.mark.slow
def test_a_large_array_whose_parts_follow_from_those_before_becomes_eager_soon():
    """Recorded, each part that is computed from these makes another array of all."""
    rng = np.random.default_rng(3)
    given, half = rng.random((2000, 1000)), np.float64(0.5)
    results = []
    for xp, y in ((np, given), (la, la.asarray(given.copy()))):
        x = xp.ones_like(y)
        view, before = x[5:7], x + 1
        x[:, 0] = half * y[:, 0]
        for j in range(1, 5):
            x[:, j] = half * y[:, j] + half * y[:, j - 1] + half * x[:, j - 1] + half * x[:, j - 2]
        results.append((x, view, before))
    assert results[1][0].value is not None
    for got, want in zip(results[1], results[0], strict=True):
        np.testing.assert_allclose(np.asarray(got), want, rtol=1e-14)
    x = la.asarray(given.copy())
    for j in range(1, 8):
        x[:, j] = j
    assert x.value is None  # nothing was read: one pass writes them all


@pytest.mark.parametrize("value", [2.5, 0.0, -0.0, np.inf, np.nan, -3.0])
def test_numpys_numbers_beside_eager_ones_and_arrays(value) -> None:
    """On either side, in every operator: the same numbers and dtypes as NumPy's, without its warnings."""
    number, values = np.float64(value), np.array([1.5, 0.0, -0.0, np.inf, np.nan, -2.0])
    x = la.asarray(values.copy())
    x[0] = 1.5
    beside = [(x[i], values[i]) for i in range(6)]
    beside += [(x, values), (x.astype("float32"), values.astype("float32"))]
    with np.errstate(all="ignore"):
        for function in map(OPERATORS.get, ("+", "-", "*", "/", "<", "==", "**")):
            for ours, numpys in beside:
                for found, wanted in [
                    (function(number, ours), function(number, numpys)),
                    (function(ours, number), function(numpys, number)),
                ]:
                    assert found.dtype == wanted.dtype
                    equal = np.allclose if found.ndim else np.array_equal
                    assert equal(found, wanted, equal_nan=found.dtype.kind == "f")


@pytest.mark.parametrize(
    "value",
    [3, True, -0.0, float("nan"), 1 + 2j, 2**63, np.float32(1.5), np.int8(-3), np.complex64(1j), np.longlong(4)],
)
def test_a_number_alone_becomes_an_eager_array_that_may_be_written_to(value):
    for made, wanted in ((la.asarray(value), np.asarray(value)), (la.array(value), np.array(value))):
        assert made.host is not None and made.dtype == wanted.dtype and made.shape == ()
        np.testing.assert_array_equal(np.asarray(made), wanted)
        same, flat = made, made.reshape(1)
        if made.dtype != bool:
            made += 1
            wanted = wanted + 1
        assert made is same
        np.testing.assert_array_equal(np.asarray(flat), np.reshape(wanted, 1))
        flat[0] = 0
        np.testing.assert_array_equal(np.asarray(made), np.zeros((), wanted.dtype))


def test_numbers_that_no_dtype_holds_are_refused_as_ever():
    for value in (2**70, np.float16(1), np.str_("1"), np.datetime64("2020")):
        with pytest.raises((TypeError, OverflowError)):
            la.asarray(value)
