"""Numbers that change from step to step of a loop are read from memory: the same bits as of numbers that stay."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import lazyarr as la
from ir.cost.thresholds.tiers import CONSTANT_NUMBERS_AT_MOST
from lazyarr import lift
from lazyarr.array import core
from lazyarr.config import configure
from lazyarr.evaluate import engine
from lazyarr.graph.bounded_table import BoundedTable
from lazyarr.recording import changing_numbers
from lazyarr.tiers import programs, reference

pytestmark = pytest.mark.device

N = 40_000  # more than is carried out eagerly
NUMBERS = [0.5, -3.25, 1e-3, 7.0, -0.0, np.inf, np.nan, 1e30, 0.1, 1 / 3, 2, -5, np.float32(0.7), np.float64(0.3)]
LINES = {
    "x + c": lambda x, c: x + c,
    "c - x": lambda x, c: c - x,
    "x * c": lambda x, c: x * c,
    "x / c": lambda x, c: x / c,
    "c / x": lambda x, c: c / x,
    "x % c": lambda x, c: x % c,
    "x // c": lambda x, c: x // c,
    "x < c": lambda x, c: x < c,
    "c == x": lambda x, c: c == x,
    "maximum": lambda x, c: type_of(x).maximum(x, c),
    "hypot": lambda x, c: type_of(x).hypot(x, c),
    "x ** c": lambda x, c: x**c,
    "twice": lambda x, c: (x * c + c) * 0.5,
}


def type_of(x):
    return la if isinstance(x, la.Array) else np


@pytest.fixture(params=["reference", "compiled"])
def tier(request):
    before = configure(tier=request.param, tune="off")
    yield request.param
    configure(tier=before.tier, tune=before.tune)


@pytest.fixture
def written(monkeypatch):
    """The programs for NumPy that are written meanwhile, none of which is known."""
    found = []
    monkeypatch.setattr(programs, "_programs", {})
    monkeypatch.setattr(engine, "_known_programs", {})
    monkeypatch.setattr(reference, "write", lambda *a, write=reference.write: found.append(a) or write(*a))
    before = configure(tier="reference")
    yield found
    configure(tier=before.tier)


def values(dtype: str, n: int = N) -> np.ndarray:
    return np.linspace(-4, 9, n).astype(dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "bool", "complex64"])
@pytest.mark.parametrize("line", LINES)
def test_they_are_what_numbers_are_that_stay(line, dtype, tier, monkeypatch):
    n = N if tier == "reference" else 4099
    if dtype == "complex64" and line in ("x % c", "x // c", "hypot"):
        pytest.skip("not of complex numbers")
    numbers = [c for c in NUMBERS if not (line == "x ** c" and dtype in ("int32", "bool") and type(c) is int)]
    x = la.asarray(values(dtype, n)) * 1 if dtype != "bool" else la.asarray(values(dtype, n)).copy()
    f = LINES[line]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        changing = [np.asarray(f(x, c)) for c in numbers]
        monkeypatch.setattr(changing_numbers, "CONSTANT_NUMBERS_AT_MOST", 1 << 30)
        staying = [np.asarray(f(x, c)) for c in numbers]
    for a, b in zip(changing, staying, strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_array_equal(a, b)
        if a.dtype.kind in "fc":
            assert a.tobytes() == b.tobytes() or np.isnan(a).any()


def test_one_program_does_all_further_steps(written):
    x = la.asarray(values("float64")) * 1
    la.compute(x)
    del written[:]
    for i in range(30):
        y = x * (0.1 * i + 0.037) + 1.5
        np.testing.assert_array_equal(np.asarray(y), np.asarray(x) * (0.1 * i + 0.037) + 1.5)
    assert len(written) == CONSTANT_NUMBERS_AT_MOST + 1


@pytest.mark.parametrize("f", [la.multiply, lambda x, c: la.add(c, x), lambda x, c: x.__rsub__(c)])
def test_so_does_one_of_functions_and_of_reflected_operators(written, f):
    x = la.asarray(values("float64")) * 1
    la.compute(x)
    del written[:]
    for i in range(9):
        np.asarray(f(x, 0.3 * i + 0.01))
    assert len(written) == CONSTANT_NUMBERS_AT_MOST + 1


def test_so_do_those_that_assign(written):
    x, expected = la.asarray(values("float64")) * 1, values("float64") * 1
    la.compute(x)
    del written[:]
    for i in range(30):
        x *= 1 / (i + 2)
        expected *= 1 / (i + 2)
        np.testing.assert_array_equal(np.asarray(x), expected)
    assert len(written) == CONSTANT_NUMBERS_AT_MOST + 1


def test_elsewhere_numbers_stay(written):
    """On lines of their own, as exponents, and those that were met."""
    x = la.asarray(values("float64")) * 1
    la.compute(x)
    del written[:]
    for _ in range(3):
        for i in range(CONSTANT_NUMBERS_AT_MOST):
            np.asarray(x * (0.1 * i))
    assert len(written) == CONSTANT_NUMBERS_AT_MOST
    del written[:]
    np.asarray(x * 0.71)
    np.asarray(x * 0.72)
    np.asarray(x * 0.73)
    np.asarray(x * 0.74)
    assert len(written) == 4
    del written[:]
    for i in range(6):
        np.asarray(abs(x) ** (0.5 + i))
    assert len(written) == 6


def test_a_recorded_function_knows_its_numbers():
    f = lift.jit(lambda x, c: x * c + 1)
    x = la.asarray(values("float32"))
    for c in NUMBERS[:6]:
        found = f(x, c)
        np.testing.assert_array_equal(np.asarray(found), values("float32") * c + 1)


WHOLE = {
    "i + c": lambda i, c: i + c, "c - i": lambda i, c: c - i, "i * c": lambda i, c: i * c,
    "i // c": lambda i, c: i // c, "i % c": lambda i, c: i % c, "c % i": lambda i, c: c % i,
    "i / c": lambda i, c: i / c, "i << c": lambda i, c: i << c, "i >> c": lambda i, c: i >> c,
    "i ^ c": lambda i, c: i ^ c, "i < c": lambda i, c: i < c, "c != i": lambda i, c: c != i,
    "where": lambda i, c: type_of(i).where(i > c, i, c), "clip": lambda i, c: type_of(i).clip(i, c, c + 40),
}  # fmt: skip
WHOLE_NUMBERS = [3, 0, 1, 7, 2, 100, -1, -5, 4, 127, 255, 1000, 2**40, -(2**63), 2**63, np.int8(5), np.uint16(7)]


@pytest.mark.parametrize("dtype", ["int64", "uint8", "int8", "uint64", "int32", "bool"])
@pytest.mark.parametrize("line", WHOLE)
def test_whole_numbers_are_what_those_are_that_stay(line, dtype, tier, monkeypatch):
    n = N if tier == "reference" else 4099
    x = la.asarray((np.arange(n) % 251 - 100).astype(dtype)) * (1 if dtype != "bool" else True)
    la.compute(x)

    def given(c):
        try:
            return np.asarray(WHOLE[line](x, c))
        except (OverflowError, TypeError, ValueError) as error:
            return type(error), str(error)

    numbers = WHOLE_NUMBERS if tier == "reference" else WHOLE_NUMBERS[:8]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        changing = [given(c) for c in numbers]
        monkeypatch.setattr(changing_numbers, "CONSTANT_NUMBERS_AT_MOST", 1 << 30)
        staying = [given(c) for c in numbers]
    for a, b in zip(changing, staying, strict=True):
        if isinstance(a, tuple):
            assert a == b
            continue
        assert a.dtype == b.dtype
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("line", ["i + c", "i % c", "c != i", "where", "clip"])
def test_one_program_does_all_further_steps_with_whole_numbers(written, line, monkeypatch):
    monkeypatch.setattr(changing_numbers, "_met", BoundedTable(64))
    x = la.asarray(values("int64")) * 1
    la.compute(x)
    del written[:]
    for i in range(1, 12):
        np.testing.assert_array_equal(np.asarray(WHOLE[line](x, i)), WHOLE[line](np.asarray(x), i))
    assert len(written) <= CONSTANT_NUMBERS_AT_MOST + 1


def test_numbers_of_lazyarr_stay(written):
    x = la.asarray(values("float64")) * 1
    la.compute(x)
    del written[:]
    scope = {"__name__": "lazyarr.polynomial", "x": x}
    exec("def f():\n    return [x * (i + 0.77) for i in range(6)]", scope)
    for each in scope["f"]():
        np.asarray(each)
    assert len(written) == 6


def test_for_an_element_of_what_is_not_computed_no_expression_is_made(written, monkeypatch):
    """Where the program is known. Of what is in memory, and of slices of that, an element is read there."""
    x = la.asarray(values("float64")) * 1
    la.compute(x)
    for known in (False, True):
        if known:
            monkeypatch.setattr(core, "expression", None)
        assert float((x * 2.5)[7]) == float(values("float64")[7]) * 2.5
    monkeypatch.undo()
    y = x * 7.25
    element = y[7]
    la.compute(y)
    before = len(written)
    assert float(element) == values("float64")[7] * 7.25
    assert float(x[7]) == values("float64")[7]
    assert float(x[3:][::2][4]) == values("float64")[11]
    assert float(x.reshape(200, 200)[1, 7]) == values("float64")[207]
    assert len(written) == before
