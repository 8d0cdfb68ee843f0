"""A device is benchmarked once, by kernels of lazyarr's own, and never where nothing may be measured."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ir.core.expr import Param, fun
from ir.core.patterns import Call, Map
from ir.core.semantics.interpreter import interpret
from ir.core.types import FLOAT32, ArrayType, scalar
from ir.cost.count import count
from ir.cost.operations import DIVISIONS, FUNCTIONS, INSTRUCTIONS, KINDS, Work
from ir.fusion.symbols.symbolise import symbolise
from lazyarr.compile import rates as rates_module
from lazyarr.compile.benchmark_data import PERIOD, inputs_of, mismatch
from lazyarr.compile.rates import functions_of, rates_of
from lazyarr.errors import CompileError
from lazyarr.runtime import default_device, find_device
from tests import oclgrind
from tuner import WrongAnswerWarning

needs_oclgrind = pytest.mark.skipif(not oclgrind.available(), reason="Oclgrind is not installed")


def oclgrind_device():
    """A device whose buffers are their own, and lengths multiples."""
    return find_device("oclgrind")


ADD = Work("arithmetic", "float32")
CALLED = sorted(FUNCTIONS - INSTRUCTIONS - DIVISIONS)


def work(kind: str, dtype: str) -> Work:
    """Work of a kind; of functions powers, as these are of integers, too."""
    return Work(kind, dtype, "pow" if kind == "function" else "")


@pytest.fixture
def counted(kernels, monkeypatch):
    """The benchmarks that run, each by its expression and length; they are short, and nothing is known before."""
    monkeypatch.setattr(rates_module, "_measured", {})
    monkeypatch.setattr(rates_module, "_STREAMING", replace(rates_module._STREAMING, lengths=(1 << 12,)))
    monkeypatch.setattr(rates_module, "_COMPUTE", (1 << 10, 1 << 11))
    monkeypatch.setattr(rates_module, "_LONG", 0)
    ran = []
    original = rates_module._measure

    def measure(device, general, key):
        ran.append((key.structure, key.dtypes, key.size_class))
        return original(device, general, key)

    monkeypatch.setattr(rates_module, "_measure", measure)
    return ran


def test_each_figure_is_measured_once(counted):
    device = default_device()
    first = rates_of(device, [ADD])
    assert len(counted) == 3  # launch, transfer, arithmetic
    assert first.launch_seconds > 0
    assert first.bytes_per_second > 0
    assert first.operations_per_second[ADD] > 0
    assert rates_of(device, [ADD]) == first
    assert len(counted) == 3
    more = rates_of(device, [ADD, Work("arithmetic", "float64")])  # another dtype: one more, the others stay
    assert len(counted) == len(set(counted)) == 4
    assert more.operations_per_second[ADD] == first.operations_per_second[ADD]


def test_the_next_process_reads_what_was_measured(counted, kernels, monkeypatch):
    device = default_device()
    first = rates_of(device, [ADD])
    kernels()
    monkeypatch.setattr(rates_module, "_measured", {})
    del counted[:]
    assert rates_of(device, [ADD], measure=False) == first
    assert counted == []


def test_nothing_is_measured_unasked(counted):
    assert rates_of(default_device(), [ADD], measure=False) is None
    assert counted == []


def test_without_a_cache_figures_last_as_long_as_the_process(counted, kernels, set_to):
    set_to(cache="off")
    device = default_device()
    first = rates_of(device, [ADD])
    assert rates_of(device, [ADD]) == first
    assert len(counted) == 3
    assert list(kernels().entries()) == []


def test_a_run_that_is_too_short_is_made_longer(counted, monkeypatch):
    monkeypatch.setattr(rates_module, "_LONG", float("inf"))
    rates_of(default_device(), [ADD])
    assert len(counted) == 4  # arithmetic at both lengths


@pytest.mark.parametrize("dtype", ["float32", "float64", "int8", "int32", "int64", "uint8", "uint64", "bool"])
@pytest.mark.parametrize("kind", KINDS)
def test_benchmarks_do_what_they_measure(kind, dtype):
    """Most of the operations are of that kind, and the numbers stay finite."""
    if dtype == "bool" and kind in ("division", "function"):
        return  # there are no such operations
    benchmark = rates_module._computing(work(kind, dtype))
    general = rates_module._general(benchmark, 7, 1)
    operations = count(general.expr).operations
    assert operations[work(kind, dtype)].evaluate(general.sizes) >= (7 if kind == "gather" else 14)
    inputs = {f"x{i}": values for i, values in enumerate(inputs_of(general, rates_module._CACHED))}
    value = interpret(general.expr, inputs, general.sizes)
    assert value.shape == (7,)
    if scalar(dtype).is_float:
        assert np.isfinite(value).all()
        assert (value != 0).all()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", CALLED)
def test_functions_are_called_with_numbers_that_they_are_defined_for(name, dtype):
    called = Work("function", dtype, name)
    general = rates_module._general(rates_module._computing(called), PERIOD, 1)
    assert count(general.expr).operations[called].evaluate(general.sizes) == 4 * PERIOD
    inputs = {f"x{i}": values for i, values in enumerate(inputs_of(general, rates_module._CACHED))}
    assert np.isfinite(interpret(general.expr, inputs, general.sizes)).all()


def test_what_functions_take_is_known_of_each_alone(counted):
    device = default_device()
    x = ArrayType(FLOAT32, 1000)
    e = Map(fun(FLOAT32, lambda x: Call("log", Call("exp", Call("exp", x)))), Param("x", x))
    general = symbolise(e, {}, 1)
    assert functions_of(device, general, measure=False).measured == ()
    assert counted == []
    rates_of(device, [Work("function", "float32", "exp")])
    known = functions_of(device, general, measure=False)
    assert known.seconds("exp", "float32") > 0
    assert known.seconds("log", "float32") is known.seconds("exp", "float64") is None
    every = functions_of(device, general, measure=True)
    assert every.seconds("exp", "float32") == known.seconds("exp", "float32")
    assert every.seconds("log", "float32") > 0


@pytest.mark.parametrize("kind", KINDS)
def test_a_benchmark_is_made_once(kind):
    first, second = (rates_module._computing(work(kind, "float32")) for _ in range(2))
    assert first == second
    assert rates_module._general(first, 7, 1) is rates_module._general(second, 7, 1)


def test_a_function_that_a_device_computes_wrongly_is_warned_of(counted, monkeypatch):
    e = Map(fun(FLOAT32, lambda x: Call("exp", x)), Param("x", ArrayType(FLOAT32, 1000)))
    rates_of(default_device(), [])
    monkeypatch.setattr(rates_module, "mismatch", lambda *_: "another number")
    with pytest.warns(WrongAnswerWarning, match="another number"):
        assert functions_of(default_device(), symbolise(e, {}, 1), measure=True).measured == ()


def test_every_kind_of_operation_is_measured_and_counted(counted):
    rates = rates_of(default_device(), [work(kind, "float32") for kind in KINDS])
    assert len(counted) == len(set(counted)) == 2 + len(KINDS)
    assert all(rate > 0 for rate in rates.operations_per_second.values())


@pytest.mark.parametrize("granule", [1, 16])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int8", "int32", "uint64", "bool"])
@pytest.mark.parametrize("kind", KINDS)
def test_the_result_of_a_benchmark_is_known_from_its_beginning(kind, dtype, granule):
    if dtype == "bool" and kind in ("division", "function"):
        return  # there are no such operations
    general = rates_module._general(rates_module._computing(work(kind, dtype)), 8 * PERIOD, granule)
    inputs = {f"x{i}": values for i, values in enumerate(inputs_of(general, rates_module._CACHED))}
    value = np.array(interpret(general.expr, inputs, general.sizes))
    assert len(np.unique(value)) > 1
    assert mismatch(general, granule, value) is None
    for at in (0, 37, value.size - 1):
        wrong = value.copy()
        wrong[at] = wrong[at] + 1 if value.dtype.kind == "f" else wrong[at] ^ 1
        assert "expected" in mismatch(general, granule, wrong)
    assert "expected" in mismatch(general, granule, np.roll(value, 1))


@pytest.mark.parametrize("where", [default_device, pytest.param(oclgrind_device, marks=needs_oclgrind)])
def test_a_benchmark_that_computes_something_else_is_never_timed(counted, monkeypatch, where):
    rates_of(where(), [ADD])
    monkeypatch.setattr(rates_module, "_measured", {})
    monkeypatch.setattr(rates_module.compiler, "cache", dict)  # nothing is known
    other = rates_module._general(replace(rates_module._LAUNCH, body=lambda x: x), 16, rates_module.granule(where()))
    build = rates_module.build

    def copies(device, general, *rest, **named):
        return build(device, other, *rest, **named)

    monkeypatch.setattr(rates_module, "build", copies)
    monkeypatch.setattr(type(where()), "time", None)
    with pytest.raises(CompileError, match=r"is wrong on .*expected"):
        rates_of(where(), [ADD])
