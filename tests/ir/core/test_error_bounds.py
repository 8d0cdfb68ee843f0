"""Bounds on what rounding does: no evaluation strays further, and they are not far above what one does."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from ir.core.notation.parser import parse
from ir.core.scalars import OPERATIONS
from ir.core.semantics.error_bounds import interpret_bounded
from ir.core.semantics.interpreter import interpret
from ir.core.semantics.rounding import Bounded, apart, called, parts, units_of_sum
from ir.core.semantics.values import leaves
from ir.core.sizes import var
from ir.core.types import BOOL, FLOAT32, FLOAT64, INT32, INT64, Type, array_of
from tests.generators import Program, well_typed_expressions

N, M = var("n"), var("m")
F = np.float32
EPS = float(np.finfo(F).eps)
TYPES: dict[str, Type] = {
    "xs": array_of(FLOAT32, N), "ys": array_of(FLOAT32, N), "ds": array_of(FLOAT64, N), "is": array_of(INT32, N),
    "bs": array_of(BOOL, N), "rows": array_of(FLOAT32, N, M), "at": array_of(INT64, N),
}  # fmt: skip


def bounded(text: str, **inputs: Any) -> list[tuple[np.ndarray, np.ndarray]]:
    rows = inputs.get("rows")
    sizes = {"n": len(next(iter(inputs.values()))), "m": 1 if rows is None else rows.shape[1]}
    return interpret_bounded(parse(text, TYPES), inputs, sizes)


def one(text: str, **inputs: Any) -> tuple[np.ndarray, np.ndarray]:
    (found,) = bounded(text, **inputs)
    return found


def within(result: Any, value: np.ndarray, error: np.ndarray) -> np.ndarray:
    with np.errstate(all="ignore"):
        result = np.asarray(result).reshape(-1)
        same = (result == value) | ((result != result) & (value != value))
        return same | np.isinf(error) | (np.abs(result.astype(np.float64) - value) <= error)


@given(well_typed_expressions())
def test_the_interpreter_is_within_the_bounds_for_random_programs(program: Program) -> None:
    expected = list(leaves(interpret(program.expr, program.inputs, program.sizes)))
    found = interpret_bounded(program.expr, program.inputs, program.sizes)
    for plain, (value, error) in zip(expected, found, strict=True):
        assert value.shape == error.shape == (np.size(plain),)
        assert within(plain, value, error).all()
        if np.asarray(plain).dtype.kind != "f" and not any(np.asarray(v).dtype.kind == "f" for v in inputs_of(program)):
            assert not error.any()


def inputs_of(program: Program) -> list[Any]:
    return [leaf for value in program.inputs.values() for leaf in leaves(value)]


def test_what_is_only_moved_is_exact() -> None:
    x = np.random.default_rng(0).standard_normal(35).astype(F)
    for text in ("xs", "map negative (slice 30 (-1) 20 xs)", "reduce maximum (-inf) xs", "scan minimum inf xs",
                 "gather xs is", "sort 32 (λx. (bits(x), x)) xs"):  # fmt: skip
        value, error = one(text, xs=x, **{"is": np.arange(35, dtype=np.int32) % 7})
        assert not error.any()
        assert value.dtype == np.float64 or value.dtype == F


FLOATS = [op for op in OPERATIONS.values() if op.rule in ("same", "float") and op.name not in ("gcd",)]


@pytest.mark.parametrize("op", FLOATS, ids=lambda op: op.name)
def test_functions_of_numbers_that_are_off_stray_no_further_than_their_bounds(op: Any) -> None:
    """The operands are sums that are rounded in single precision, in several ways; the bound is of use all the same."""
    rng = np.random.default_rng(len(op.name))
    x, y, z, w = (rng.uniform(0.1, 0.45, 4001).astype(F) for _ in range(4))
    z += op.name == "acosh"
    names = ("xs", "ys", "zs", "ws")
    types = dict.fromkeys(names, array_of(FLOAT32, N))
    arguments = ", ".join(["x * y + z", "z * w + x", "w * x + y"][: op.arity])
    text = f"map (λ(x, y, z, w). {op.name}({arguments})) (zip(xs, ys, zs, ws))"
    e = parse(text, types)
    ((value, error),) = interpret_bounded(e, dict(zip(names, (x, y, z, w), strict=True)), {"n": x.size})
    wide = [a.astype(np.float64) for a in (x, y, z, w)]
    contracted = [F(wide[i] * wide[j] + wide[k]) for i, j, k in ((0, 1, 2), (2, 3, 0), (3, 0, 1))][: op.arity]
    split = [x * y + z, z * w + x, w * x + y][: op.arity]
    with np.errstate(all="ignore"):
        for operands in (contracted, split):
            assert within(op.numpy(*operands), value, error).all()
        sound = np.median(error / np.maximum(np.abs(value), EPS))
    assert sound < 100 * EPS


@pytest.mark.parametrize("op", FLOATS, ids=lambda op: op.name)
def test_an_error_covers_what_operands_at_their_ends_give(op: Any) -> None:
    """Errors far above rounding, which hides nothing then."""
    rng = np.random.default_rng(len(op.name))
    values = rng.uniform(0.2, 0.9, (op.arity, 4001)) + (op.name == "acosh")
    errors = rng.uniform(0.0, 0.1, values.shape)
    value, error = parts(called(op, np.dtype(np.float32), [Bounded(p) for p in zip(values, errors, strict=True)]))
    with np.errstate(all="ignore"):
        for ends in product((-0.999, 0, 0.999), repeat=op.arity):
            result = op.numpy(*(values + np.reshape(ends, (-1, 1)) * errors))
            assert within(result, value, np.zeros(()) if error is None else error).all()


def test_cancellation_is_seen_and_nothing_else() -> None:
    rng = np.random.default_rng(1)
    a, b = rng.uniform(1, 2, (2, 1009)).astype(F)
    value, error = one("map (λ(x, y). x * y - y * 1.5) (zip(xs, ys))", xs=a, ys=b)
    magnitude = 2 * np.abs(a.astype(float) * b)
    assert (error > EPS * magnitude / 2).all()
    assert (error < 4 * EPS * magnitude).all()
    exact = [
        float(Fraction(float(p)) * Fraction(float(q)) - Fraction(float(q)) * Fraction(3, 2))
        for p, q in zip(a, b, strict=True)
    ]
    assert within(exact, value, error).all()
    value, error = one("map (λ(x, y). x * y + y * 1.5) (zip(xs, ys))", xs=a, ys=b)
    assert (error < 3 * EPS * np.abs(value)).all()


def chains(x: np.ndarray) -> np.ndarray:
    """One after the other in blocks of 128, then pairwise: the longest chains that derivations have."""
    return np.add.reduce(
        np.cumsum(np.resize(np.r_[x, np.zeros(-x.size % 128, F)], (-(-x.size // 128), 128)), axis=1)[:, -1]
    )


@pytest.mark.parametrize("data", ["constant", "random", "alternating", "scaled"])
def test_sums_in_any_order(data: str) -> None:
    rng = np.random.default_rng(3)
    x = {
        "constant": np.full(20011, 0.1),
        "random": rng.uniform(-1, 1, 20011),
        "alternating": np.resize([1.0, -1.0], 20011) * rng.uniform(1, 2, 20011),
        "scaled": rng.standard_normal(20011) * 10.0 ** rng.integers(-6, 7, 20011),
    }[data].astype(F)
    ((value, error),) = bounded("reduce (+) 0 xs", xs=x)
    for order in (x, x[::-1], x[np.argsort(-np.abs(x))], x[np.argsort(x)]):
        assert within(chains(order), value, error).all()
        assert within(np.add.reduce(order), value, error).all()
        if data != "constant":  # whose roundings all go the same way: a single chain is further off
            assert within(np.cumsum(order)[-1], value, error).all()
    assert error[0] < 1e-4 * np.abs(x).sum()
    value, error = one("scan (+) 0 xs", xs=x)
    assert within(np.cumsum(x[:128]), value[:128], error[:128]).all()
    assert within(np.cumsum(x.astype(float)).astype(F), value, error).all()
    assert error[0] < 100 * EPS * np.abs(x[0]) < error[-1]


def test_the_bound_of_a_sum_covers_blocks_of_128_and_pairs() -> None:
    """(128 + log2(n / 128)) u: Higham, chapter 4."""
    for n in range(1, 5000):
        unit_roundoffs = min(n, 128) + max(0.0, np.log2(n / 128))
        assert units_of_sum(n) >= unit_roundoffs / 2


@pytest.mark.skipif(np.finfo(np.longdouble).eps == np.finfo(np.float64).eps, reason="no wider type here")
def test_sums_of_doubles_are_carried_in_a_wider_type() -> None:
    """NumPy adds up columns one row after the other."""
    rows = np.full((20011, 1), 0.1)
    types = {"rows": array_of(FLOAT64, N, M)}
    e = parse("(join ∘ map (reduce (+) 0) ∘ transpose) rows", types)
    ((value, _),) = interpret_bounded(e, {"rows": rows}, {"n": 20011, "m": 1})
    assert value[0] == float(Fraction(0.1) * 20011)
    assert interpret(e, {"rows": rows}, {"n": 20011, "m": 1})[0] != value[0]


def test_products_in_any_order() -> None:
    rng = np.random.default_rng(4)
    x = (np.exp(rng.standard_normal(1009) / 8) * rng.choice([-1, 1], 1009)).astype(F)
    value, error = one("reduce (*) 1 xs", xs=x)
    for order in (x, x[::-1], rng.permutation(x)):
        assert within(np.multiply.reduce(order), value, error).all()
    assert error[0] < 200 * EPS * np.abs(value[0])
    halves = np.repeat([F(2), F(0.5)], 500)  # 1, or infinite, or nothing, as the order will have it
    assert np.isinf(one("reduce (*) 1 xs", xs=halves)[1][0])
    found, error = one("scan (*) 1 xs", xs=x)
    assert within(np.cumprod(x), found, error).all()


def test_a_sum_beside_another_reduction() -> None:
    x = np.random.default_rng(3).standard_normal(1009).astype(F)
    text = "reduce (λ(p, q). (p.0 + q.0, maximum(p.1, q.1), p.2 * q.1 + q.2)) (0, -inf, 0) (zip(xs, xs, xs))"
    (total, its_error), (largest, exact), _ = bounded(text, xs=x)
    assert within(np.cumsum(x[::-1])[-1], total, its_error).all()
    assert largest[0] == x.max()
    assert not exact.any()


def test_comparisons_of_what_cannot_be_told_apart_are_in_doubt() -> None:
    x = np.array([0.1, 0.2, 0.3, 0.5], F)
    product = (x.astype(float) * 3).astype(F)
    product[2] += F(1)
    text = "map (λ(x, y). x * 3 < y) (zip(xs, ys))"
    value, error = one(text, xs=x, ys=product)
    assert error.tolist() == [1, 1, 0, 1]
    assert value[2]
    chosen, error = one("map (λ(x, y). select(x * 3 < y, x, 0 - x)) (zip(xs, ys))", xs=x, ys=product)
    assert within(x, chosen, error).all()
    assert within(-x, chosen, error).tolist() == [True, True, False, True]
    count, error = one("reduce (+) 0 (map (λ(x, y). int32(x * 3 < y)) (zip(xs, ys)))", xs=x, ys=product)
    assert (error[0], count[0] >= 1) == (3, True)


def test_whole_numbers_made_of_others_are_in_doubt_next_to_the_jumps_only() -> None:
    x = np.array([1.0, 1.4, 2.0, 7.3], F)
    value, error = one("map (λx. int32(x * 1.1 / 1.1)) xs", xs=x)
    assert error.tolist() == [1, 0, 1, 0]
    assert (np.abs(value - [1, 1, 2, 7]) <= error).all()
    value, error = one("gather ys (map (λx. int32(x * 1.1 / 1.1)) xs)", xs=x, ys=np.arange(4, dtype=F))
    assert np.isinf(error).tolist() == [True, False, True, False]


def test_nothing_is_known_of_what_may_overflow_or_be_divided_by_zero() -> None:
    x = np.array([1e20, 3.0, 0.0], F)
    value, error = one("map (λx. x * x) xs", xs=x)
    assert np.isinf(error).tolist() == [True, False, False]
    value, error = one("map (λx. 1 / x) xs", xs=x)
    assert value[2] == np.inf
    assert error[2] == 0  # zero is zero
    value, error = one("map (λ(x, y). 1 / (x * y - 9)) (zip(xs, ys))", xs=x, ys=np.array([1, 3, 1], F))
    assert np.isinf(error).tolist() == [False, True, False]
    value, error = one("map (λx. sqrt(x * 0.3 - 0.9)) xs", xs=x)
    assert np.isinf(error).tolist() == [False, True, False]
    assert np.isnan(value[2])  # surely
    value, error = one("reduce (+) 0 xs", xs=np.array([3e38, 3e38, -3e38], F))
    assert np.isinf(error[0])


def test_large_whole_numbers_that_differ_are_told_apart() -> None:
    a = np.array([2**53, 2**53 + 1, 7], np.int64)
    assert apart(a, a + np.array([1, 0, -2])).tolist() == [1, 0, 2]


def test_scattered_sums_and_last_values() -> None:
    rng = np.random.default_rng(0)
    x, at = rng.standard_normal(503).astype(F), rng.integers(0, 7, 503)
    for order in (slice(None), slice(None, None, -1)):
        total = np.zeros(7, F)
        for i, v in zip(at[order], x[order], strict=True):
            total[i] += v
        text = "scatter (λ(acc, x). acc + x) (λp. p) (slice 0 1 7 (map (λx. x * 0) ys)) (zip(at, xs))"
        value, error = one(text, xs=x, at=at, ys=np.ones(503, F))
        assert within(total, value, error).all()
        assert (error < 1e-3).all()
    value, error = one(
        "scatter (λ(acc, x). x) (λp. p) ys (zip(at, map (λx. x * 3) xs))", xs=x, at=at, ys=np.ones(503, F)
    )
    last = [x[np.flatnonzero(at == i)[-1]] * F(3) for i in range(7)]
    assert within(last, value[:7], error[:7]).all()
    assert (error[:7] > 0).all()
    assert not error[7:].any()
