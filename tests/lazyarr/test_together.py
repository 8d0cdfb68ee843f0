"""Several reductions asked for at once, and what is made of their results: NumPy's values, in few kernels.

The counts are those of `ir.fusion.partition.kernels`; what it decides and refuses is tested there.
"""

from __future__ import annotations

import warnings
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lazyarr as la
from benchmarks import programs
from ir.core.expr import postorder
from ir.fusion.partition.kernels import Partition, partition
from ir.fusion.symbols.symbolise import symbolise
from ir.schedules.candidates import Candidates
from lazyarr import lift
from lazyarr.graph.leaves import Input
from tests.lazyarr.evaluation import EXAMPLES
from tests.lazyarr.support import check, values

FRONT = SimpleNamespace(la=la, lift=lift)


def cut(*results: la.Array) -> Partition:
    return partition(list(dict.fromkeys(a.node for a in results)))


def normal_forms(*results: la.Array) -> list[str]:
    """What the schedules of each kernel start from, as text without the names and the order of its inputs."""
    found = []
    for task in cut(*results).tasks:
        shapes = {node: node.shape for node in postorder(task.expr) if isinstance(node, Input)}
        found.append(Candidates.of(symbolise(task.expr, shapes).expr).normal)
    return found


X = values((23, 17), "float32", 1)
V = values((391,), "float32", 2)


def softmax(m, x):
    e = m.exp(x - m.max(x, axis=1, keepdims=True))
    return (e / m.sum(e, axis=1, keepdims=True),)


def layer_norm(m, x):
    mean, variance = m.mean(x, axis=1, keepdims=True), m.var(x, axis=1, keepdims=True)
    return ((x - mean) / m.sqrt(variance + 1e-5),)


# name: the arguments, the program, and how many results the kernels have
PROGRAMS = {
    "sum and sum of squares": (V, lambda m, x: (m.sum(x), m.sum(x * x)), [2]),
    "sum, least, greatest and mean": (V, lambda m, x: (m.sum(x), m.min(x), m.max(x), m.mean(x)), [4]),
    "sum and greatest of rows": (X, lambda m, x: (m.sum(x, axis=1), m.max(x, axis=1)), [2]),
    "sum and greatest of columns": (X, lambda m, x: (m.sum(x, axis=0), m.max(x, axis=0)), [2]),
    "mean and mean square of rows": (X, lambda m, x: (m.mean(x, axis=1), m.mean(x * x, axis=1)), [2]),
    "mean of rows": (X, lambda m, x: (m.mean(x, axis=1),), [1]),
    "mean and variance of rows": (X, lambda m, x: (m.mean(x, axis=1), m.var(x, axis=1)), [2]),
    "standard deviation": (V, lambda m, x: (m.std(x),), [1]),
    "any and all of rows": (X, lambda m, x: (m.any(x > 8, axis=1), m.all(x > -8, axis=1)), [2]),
    "softmax": (X, softmax, [1, 2]),
    "layer norm": (X, layer_norm, [1, 2]),
    "norm": (V, lambda m, x: (x / m.sqrt(m.sum(x * x)),), [1]),
    "gemv of BLAS": (X, lambda m, x: (x @ x[0] * 3 + x[:, 1] * 2,), [1]),
    "rows and columns": (X, lambda m, x: (m.sum(x, axis=1), m.sum(x, axis=0)), [1, 1]),
    "of another dtype": (X, lambda m, x: (m.sum(x, axis=1), m.sum(x, axis=1, dtype="float64")), [2]),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_is_cut_into_few_kernels(name):
    x, program, expected = PROGRAMS[name]
    parts = cut(*program(la, la.asarray(x)))
    assert sorted(len(task.results) for task in parts.tasks) == sorted(expected)


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_has_numpys_values(name):
    x, program, _ = PROGRAMS[name]
    results = program(la, la.asarray(x))
    la.compute(*results)
    wide = program(np, x.astype("float64"))
    scale = 9 * 9 * 3 if name == "gemv of BLAS" else 9  # of what is added, with signs that cancel
    for actual, expected in zip(results, wide, strict=True):
        check(actual, np.asarray(expected).astype(actual.dtype), len(x), scale)


REDUCTIONS = ("sum", "prod", "min", "max", "any", "all", "mean")
DTYPES = ("float32", "float64", "int32", "int8", "uint16", "bool")


@given(
    names=st.lists(st.sampled_from(REDUCTIONS), min_size=2, max_size=5),
    shape=st.sampled_from([(1,), (64,), (1001,), (3, 5), (5, 1), (1, 7), (37, 19), (2, 3, 5), (7, 1, 2)]),
    dtype=st.sampled_from(DTYPES),
    axis=st.sampled_from([None, 0, -1]),
    data=st.data(),
)
@settings(max_examples=2 * EXAMPLES, deadline=None)
def test_reductions_asked_for_together_are_numpys(names, shape, dtype, axis, data):
    x = values(shape, dtype, data.draw(st.integers(0, 99)), -2, 3)
    if x.dtype.kind == "f":
        for place in range(data.draw(st.integers(0, 2))):
            special = data.draw(st.sampled_from([np.nan, np.inf, -np.inf, -0.0, 0.0]))
            x.flat[place * (x.size - 1)] = special
    a = la.asarray(x)
    operands = [(a, x), (a + a, x + x), (la.abs(a), np.abs(x))] if dtype != "bool" else [(a, x), (~a, ~x)]
    chosen = [data.draw(st.sampled_from(operands)) for _ in names]
    results = [getattr(la, name)(o, axis=axis) for name, (o, _) in zip(names, chosen, strict=True)]
    la.compute(*results)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, (_, o), actual in zip(names, chosen, results, strict=True):
            wide = o.astype("float64") if o.dtype.kind == "f" else o
            expected = np.asarray(getattr(np, name)(wide, axis=axis))
            if actual.dtype.kind == "f" or name in ("sum", "prod"):
                expected = expected.astype(actual.dtype)
            check(actual, expected, x.size + 4, float(np.nansum(np.abs(wide[np.isfinite(wide)]))) + 1)


@given(
    shape=st.sampled_from([(1, 1), (3, 5), (37, 19), (1, 64), (64, 1)]),
    dtype=st.sampled_from(["float32", "float64", "int32"]),
    seed=st.integers(0, 99),
    axis=st.sampled_from([0, 1]),
)
@settings(max_examples=EXAMPLES, deadline=None)
def test_what_is_made_of_results_is_numpys(shape, dtype, seed, axis):
    x = values(shape, dtype, seed, -4, 5)
    y = values((shape[1 - axis],), dtype, seed + 1, 1, 5)

    def program(m, x, y):
        low, high, total = m.min(x, axis=axis), m.max(x, axis=axis), m.sum(x, axis=axis)
        return high - low, total * y + y, m.where(total > 0, high, low), total

    results = program(la, la.asarray(x), la.asarray(y))
    assert len(cut(*results).tasks) == 1
    la.compute(*results)
    for actual, expected in zip(results, program(np, x, y), strict=True):
        check(actual, expected.astype(actual.dtype), shape[axis] + 4, 100 * shape[axis])


@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0), ()], ids=str)
def test_arrays_without_elements_or_dimensions(shape):
    x = np.ones(shape, "float32")
    a = la.asarray(x)
    results = (la.sum(a), la.prod(a), la.sum(a * a) + 1)
    la.compute(*results)
    for actual, expected in zip(results, (x.sum(), x.prod(), (x * x).sum() + np.float32(1)), strict=True):
        check(actual, expected)


@pytest.mark.parametrize("transposed", [False, True])
def test_both_notations_of_md_become_the_same_kernel(transposed):
    """Their inputs stand in another order; all else is the same expression."""
    program = programs.MD_TRANSPOSED if transposed else programs.MD
    (inputs,) = programs.md(48, 8, transposed).inputs(1)
    arrays = [la.asarray(x) for x in inputs]
    forms = [normal_forms(*write(FRONT)(*arrays)) for write in (program.lift, program.numpy_style)]
    assert [len(form) for form in forms] == [1, 1]
    (ours,), (other,) = forms
    assert _unordered(ours) == _unordered(other)


def _unordered(e) -> list[str]:
    """What an expression consists of, names and the order of tuples aside."""
    return sorted(
        f"{type(node).__name__} {getattr(node, 'op', '')} {getattr(node, 'how', '')} {getattr(node, 'bits', '')}"
        for node in postorder(e)
        if type(node).__name__ not in ("Get", "Bound")
    )


@pytest.mark.parametrize("transposed", [False, True])
def test_md_has_the_values_of_the_reference(transposed):
    workload = programs.md(200, 13, transposed)
    (inputs,) = workload.inputs(1)
    results = workload.program.numpy_style(FRONT)(*map(la.asarray, inputs))
    la.compute(*results)
    workload.reference(*inputs).check("numpy style", [np.asarray(r) for r in results])


def test_a_jitted_program_keeps_its_results_apart():
    f = lift.jit(lambda x: (la.mean(x, axis=1), la.max(x, axis=1), -la.min(x, axis=1)))
    for x in (X, X[:, ::-1] * np.float32(2), values((5, 3), "float32", 7)):
        mean, high, low = f(la.asarray(x))
        check(mean, x.astype("float64").mean(axis=1).astype("float32"), 17, 18)
        check(high, x.max(axis=1))
        check(low, -x.min(axis=1))


def test_the_same_array_may_be_asked_for_twice():
    x = la.asarray(np.arange(5.0)) * 2
    z = la.asarray(np.arange(5.0)) * 1j
    y = x + 1
    la.compute(x, y, x, z, z)
    np.testing.assert_array_equal(np.asarray(x), np.arange(5.0) * 2)
    np.testing.assert_array_equal(np.asarray(y), np.arange(5.0) * 2 + 1)
    np.testing.assert_array_equal(np.asarray(z), np.arange(5.0) * 1j)
