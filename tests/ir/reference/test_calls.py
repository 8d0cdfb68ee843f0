"""The functions that NumPy programs call, where NumPy has not got them: against the plainest way to say the same."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from ir.core.expr import Param, fun
from ir.core.patterns import Call, Cast, Generate, Get, Join, Literal, Map, Reduce, Sort, Split, Transpose, Tuple, Zip
from ir.core.selection import first_extreme
from ir.core.semantics.interpreter import interpret
from ir.core.sort_keys import complemented, key_of, order_of_numbers
from ir.core.types import ArrayType, ScalarType, TupleType
from ir.reference import calls
from ir.reference.calls import dotted, flat, ordered, sorted_numbers, summed_wide
from ir.reference.generate import write

DTYPES = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64")


def numbers(dtype, count, seed=0):
    """Numbers with many equal ones, the least and the greatest, and of floats both zeros, both infinities and NaN."""
    rng = np.random.default_rng(seed)
    kind = np.dtype(dtype).kind
    if kind == "b":
        return rng.random(count) < 0.5
    if kind == "f":
        some = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1.5, -1.5], dtype)
        return np.where(rng.random(count) < 0.7, rng.choice(some, count), rng.normal(size=count).astype(dtype))
    low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
    return rng.choice(np.array([low, high, 0, 1, 5], dtype), count)


def same_bits(a, b):
    return a.dtype == b.dtype and np.array_equal(a, b, equal_nan=a.dtype.kind == "f") and (
        a.dtype.kind != "f" or np.array_equal(np.signbit(a[a == 0]), np.signbit(b[b == 0]))
    )  # fmt: skip


def sort_of(dtype, count, descending=False):
    t = ScalarType(dtype)
    bits, key = key_of(t)
    key = complemented(key) if descending else key
    xs = Param("xs", ArrayType(t, count))
    return xs, Sort(bits, fun(t, lambda x: Tuple(key(x), x)), xs)


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("dtype", DTYPES)
def test_sorts_of_numbers_are_recognised_and_stable(dtype, descending):
    for count in (2, 3, 17, 200):
        xs, root = sort_of(dtype, count, descending)
        assert order_of_numbers(root) == ("descending" if descending else "ascending")
        program = write([root], [xs])
        assert "sorted_numbers" in program.text
        x = numbers(dtype, count)
        assert same_bits(program.call(x)[0], np.asarray(interpret(root, {xs: x})))


def test_other_sorts_are_not_taken_for_sorts_of_numbers():
    xs, root = sort_of("int32", 9)
    t, key = xs.type.element, key_of(xs.type.element)[1]
    fewer_bits = Sort(root.bits - 1, root.key, xs)
    other_values = Sort(root.bits, fun(t, lambda x: Tuple(key(x), Call("negative", x))), xs)
    other_keys = Sort(root.bits, fun(t, lambda x: Tuple(key(Call("negative", x)), x)), xs)
    x = np.array([5, -3, 2, 2, 0, 9, -7, 1, 4], np.int32)
    for other in (fewer_bits, other_values, other_keys):
        assert order_of_numbers(other) is None
        assert np.array_equal(write([other], [xs]).call(x)[0], np.asarray(interpret(other, {xs: x})))


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_numbers_are_sorted_along_any_axis_of_any_layout(axis, descending):
    for x in (
        numbers("float32", 60).reshape(3, 4, 5),
        numbers("float64", 60).reshape(3, 4, 5).transpose(2, 0, 1),
        numbers("int64", 240).reshape(6, 8, 5)[::2, ::-2],
    ):
        given = np.flip(x, axis) if descending else x
        expected = np.take_along_axis(given, np.argsort(given, axis=axis, kind="stable"), axis)
        expected = np.flip(expected, axis) if descending else expected
        assert same_bits(sorted_numbers(x, axis, descending), expected)


@pytest.mark.parametrize("shape", [(0, 5), (5, 0), (1, 40), (40, 1), (7, 11), (3, 5, 4)], ids=str)
def test_threads_share_rows_that_are_sorted(shape, monkeypatch):
    monkeypatch.setattr(calls, "LIBRARY_SORT_PART", 8)
    monkeypatch.setattr(calls, "threads_at_most", lambda: 3)
    x = numbers("float32", math.prod(shape)).reshape(shape)
    for axis in range(x.ndim):
        assert same_bits(sorted_numbers(x, axis, False), np.sort(x, axis=axis, kind="stable"))


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("given", [[], [-0.0], [0.0, -0.0], [-0.0, 1.0, 0.0, -1.0], [np.nan, -0.0, 0.0], [2.0, -1.0]])
def test_one_row_keeps_its_zeros(given, descending):
    for repeats in (1, 300):  # NumPy sorts long rows in another way
        x = np.array(given * repeats, np.float32)
        sign = -1 if descending else 1
        order = np.argsort(np.where(np.isnan(x), sign * np.inf, sign * x), kind="stable")
        assert same_bits(sorted_numbers(x, 0, descending), x[order])


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "uint32", "uint64"])
@pytest.mark.parametrize("spread", ["few", "all", "high"])
def test_keys_keep_the_order_of_equal_ones(dtype, spread):
    rng = np.random.default_rng(5)
    top = np.iinfo(dtype).max
    low, high = {"few": (0, 9), "all": (0, top), "high": (top - 9, top)}[spread]
    for shape, axis in (((1,), 0), ((2,), 0), (((1 << 9) + 1,), 0), ((7, 33), 0), ((7, 33), 1)):
        keys = rng.integers(low, high, shape, dtype, endpoint=True)
        before = keys.copy()
        assert np.array_equal(ordered(keys, axis), np.argsort(keys, axis=axis, kind="stable"))
        assert np.array_equal(keys, before)


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("equal", [0, 1, 40])
def test_random_keys_that_need_all_their_bits_stay_in_order_where_they_are_equal(axis, equal):
    rng = np.random.default_rng(equal)
    keys = rng.integers(0, 1 << 64, (90, 70), dtype=np.uint64, endpoint=False)
    for _ in range(equal):
        keys[tuple(rng.integers(0, (90, 70)))] = keys[tuple(rng.integers(0, (90, 70)))]
        keys[:3, :3] = keys[0, 0]
    assert np.array_equal(ordered(keys, axis), np.argsort(keys, axis=axis, kind="stable"))


@pytest.mark.parametrize("count", [1, 7, 8, 9, 100])
def test_a_key_that_is_there_twice_is_found_in_any_block(count, monkeypatch):
    monkeypatch.setattr(calls, "COUNTED_AT_ONCE", 8)
    keys = np.random.default_rng(count).permutation(count).astype(np.uint64)
    order = np.argsort(keys)
    assert calls._all_different(keys, order)
    for i in range(count - 1):
        equal = np.sort(keys)
        equal[i + 1] = equal[i]
        assert not calls._all_different(equal, np.arange(count))


@pytest.mark.parametrize("dtype", ["int8", "int64", "uint8", "uint64", "float32", "float64", "bool"])
@pytest.mark.parametrize("value", [1, 3, 200])
@pytest.mark.parametrize("extent", [1, 5, 40])
def test_equal_values_that_are_added_are_counted_in_blocks(dtype, value, extent, monkeypatch):
    monkeypatch.setattr(calls, "COUNTED_AT_ONCE", 8)
    rng = np.random.default_rng(extent)
    at = rng.integers(-2, extent + 2, 1000).astype(np.int32)
    xs, one = rng.integers(0, 5, extent).astype(dtype), np.asarray(value).astype(dtype)
    wanted = xs.astype(np.float64 if xs.dtype.kind == "f" else dtype)
    np.add.at(wanted, at[(at >= 0) & (at < extent)], one)
    found = calls.scatter_with(np.add, xs, at, np.broadcast_to(one, at.shape), np.empty)
    assert found.dtype == dtype and not np.may_share_memory(found, xs)
    np.testing.assert_array_equal(found, wanted.astype(dtype))


@pytest.mark.parametrize("shape", [(5,), (1, 3), (40, 2), (3, 7, 8), (4, 9), (6, 0), (0, 2), ()])
def test_elements_are_laid_out_in_row_major_order(shape):
    x = np.arange(np.prod(shape, dtype=int)).reshape(shape)
    for given in (x, x.copy(order="F"), np.flip(x)):
        found = flat(given, shape)
        assert found.ndim == 1 and found.flags.c_contiguous and found.tolist() == given.reshape(-1).tolist()
    wide = (*shape, 3)
    assert flat(x[..., None], wide).tolist() == np.broadcast_to(x[..., None], wide).reshape(-1).tolist()


@pytest.mark.parametrize("limits", [(-1, 1), (1, -1), (0, 0), (-np.inf, np.inf), (np.nan, 1), (-1, np.nan)])
@pytest.mark.parametrize("t", ["int32", "float32", "float64"])
def test_the_least_of_a_number_and_the_greatest_of_another_is_one_call(t, limits):
    if t == "int32" and not np.isfinite(limits).all():
        return
    xs = Param("xs", ArrayType(ScalarType(t), 33))
    low, high = (Literal(np.dtype(t).type(limit).item(), ScalarType(t)) for limit in limits)
    for body in (
        lambda x: Call("minimum", Call("maximum", x, low), high),
        lambda x: Call("minimum", high, Call("maximum", low, x)),
    ):
        root = Map(fun(ScalarType(t), body), xs)
        program = write([root], [xs])
        assert "clip(" in program.text and "op_m" not in program.text
        x = numbers(t, 33)
        assert np.array_equal(program.call(x)[0], np.asarray(interpret(root, {xs: x})), equal_nan=t != "int32")


def pairs_of(dtype, count, op, step=1, last=None):
    """The reduction to the first extreme of an array and its place; places may be other numbers."""
    t, index = ScalarType(dtype), ScalarType("int32")
    xs = Param("xs", ArrayType(t, count))
    places = Generate(count, fun(index, lambda k: k if step == 1 else Call("multiply", k, Literal(step, index))))
    pair = TupleType((t, index))
    if last is None:
        kind = np.dtype(dtype).kind
        lowest, highest = (False, True) if kind == "b" else (-np.inf, np.inf)
        if kind in "iu":
            lowest, highest = np.iinfo(dtype).min, np.iinfo(dtype).max
        last = highest if op == "minimum" else lowest
    init = Tuple(Literal(last, t), Literal(np.iinfo(np.int32).max, index))
    return xs, Reduce(fun((pair, pair), lambda a, b: first_extreme(op, a, b)), init, Zip(xs, places))


@pytest.mark.parametrize("op", ["maximum", "minimum"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_the_first_extreme_and_its_place(dtype, op):
    for count in (1, 2, 3, 40):
        for seed in range(4):
            xs, root = pairs_of(dtype, count, op)
            roots = [Map(fun(root.type.element, lambda p, i=i: Get(i, p)), root) for i in (0, 1)]
            program = write(roots, [xs])
            assert ("arg" + op[:3] in program.text) == (count > 1)
            x = numbers(dtype, count, seed)
            for found, each in zip(program.call(x), roots, strict=True):
                assert np.array_equal(found, np.asarray(interpret(each, {xs: x})), equal_nan=found.dtype.kind == "f")


@pytest.mark.parametrize("changed", [{"step": 2}, {"last": 1}])
def test_other_pairs_are_not_taken_for_an_extreme_and_its_place(changed):
    xs, root = pairs_of("int32", 9, "maximum", **changed)
    place = Map(fun(root.type.element, lambda p: Get(1, p)), root)
    program = write([place], [xs])
    assert "argmax" not in program.text
    for x in (numbers("int32", 9), np.full(9, -4, np.int32)):
        assert np.array_equal(program.call(x)[0], np.asarray(interpret(place, {xs: x})))


@pytest.mark.parametrize("to", ["int64", "int32", "float64"])
def test_truth_values_are_counted(to):
    xs, t = Param("xs", ArrayType(ScalarType("bool"), 60)), ScalarType(to)
    plus = fun((t, t), lambda a, b: Call("add", a, b))
    numbers_ = Map(fun(ScalarType("bool"), lambda x: Cast(x, t)), xs)
    rows = Join(Map(fun(ArrayType(t, 5), lambda row: Reduce(plus, Literal(0, t), row)), Split(5, numbers_)))
    x = numbers("bool", 60)
    for root, counted in ((Reduce(plus, Literal(0, t), numbers_), to == "int64"), (rows, False)):
        for start in (root, Reduce(plus, Literal(3, t), numbers_)):
            program = write([start], [xs])
            assert ("count_nonzero" in program.text) == (counted or (start is not root and to == "int64"))
            assert np.array_equal(program.call(x)[0], np.asarray(interpret(start, {xs: x})))


@pytest.mark.parametrize("by_columns", [False, True])
def test_the_first_extreme_of_each_row(by_columns):
    t, index = ScalarType("float64"), ScalarType("int32")
    xs, pair = Param("xs", ArrayType(t, 60)), TupleType((t, index))
    init = Tuple(Literal(-np.inf, t), Literal(np.iinfo(np.int32).max, index))
    f = fun((pair, pair), lambda a, b: first_extreme("maximum", a, b))
    table = Transpose(Split(5, xs)) if by_columns else Split(5, xs)
    places = Generate(table.type.element.length, fun(index, lambda k: k))
    made = Join(Map(fun(table.type.element, lambda row: Reduce(f, init, Zip(row, places))), table))
    roots = [Map(fun(pair, lambda p, i=i: Get(i, p)), made) for i in (0, 1)]
    program = write(roots, [xs])
    assert "argmax" in program.text
    x = numbers("float64", 60)
    for found, each in zip(program.call(x), roots, strict=True):
        assert np.array_equal(found, np.asarray(interpret(each, {xs: x})), equal_nan=found.dtype.kind == "f")


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("terms", [0, 1, 64, 65, 512, 513, 1300, 7 * 512, 7 * 512 + 1, 9000])
def test_products_with_a_vector_are_formed_in_parts_of_their_terms(dtype, terms, monkeypatch):
    """Whole numbers, so that every order of the terms gives the same; some rows at a time."""
    monkeypatch.setattr(calls, "_WIDENED_UP_TO", -1)
    monkeypatch.setattr(calls, "ROWS_OF_A_PRODUCT", 3)
    monkeypatch.setattr(calls, "COLUMNS_OF_A_PRODUCT", 2)
    monkeypatch.setattr(calls, "EAGER_THREADS_FROM_BYTES", 0)
    rng = np.random.default_rng(0)
    many = rng.integers(-9, 9, (2, 37, terms)).astype(dtype)
    vector = rng.integers(-9, 9, terms).astype(dtype)
    for rows in (many[0], many, np.asfortranarray(many[0]), many[0, ::-2]):
        for a, b in [(rows, vector), (rows, vector[:, None]), (vector, rows.mT), (vector[None], rows.mT)]:
            found, wanted = dotted(a, b), a @ b
            assert found.dtype == wanted.dtype
            np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("count", [600, 1000, 1400, 3200])
@pytest.mark.parametrize("by_columns", [False, True])
def test_two_threads_share_products_with_a_vector_evenly(count, by_columns, monkeypatch):
    """In pieces that do not depend on the number of threads, which so decides no bits."""
    shared: list[list[tuple[slice, list[int]]]] = []

    def together(work, items, threads):
        shared.append(list(items))
        work(iter(items))

    monkeypatch.setattr(calls, "together", together)
    rng = np.random.default_rng(0)
    terms = 1100
    matrix = rng.random((terms, count) if by_columns else (count, terms))
    vector = rng.random(terms)
    found = {}
    for threads in (1, 2, 8):
        monkeypatch.setattr(calls, "threads_at_most", lambda threads=threads: threads)
        found[threads] = (dotted(vector, matrix) if by_columns else dotted(matrix, vector)).tobytes()
    assert len(set(found.values())) == 1
    assert shared[0] == shared[1] == shared[2]
    done = [0, 0]
    for block, parts in shared[0]:  # who has done less takes the next one
        done[done[0] > done[1]] += len(range(*block.indices(count))) * len(parts)
    assert sum(done) == count * len({part for _, parts in shared[0] for part in parts})
    assert min(done) >= 0.6 * max(done)


@pytest.mark.parametrize("fewest", [0, 1 << 30])
@pytest.mark.parametrize(
    "shape",
    [(1, 1), (0, 3), (3, 0), (7, 1), (1, 7), (5, 3), (4, 3, 2), (2, 3, 5, 2), (64, 300), (300, 64), (8, 300, 8)],
)
def test_sums_of_float32_along_some_axes_are_carried_in_float64(shape, fewest, monkeypatch):
    """They are rounded when they are done: what cancels leaves what is small."""
    monkeypatch.setattr(calls, "WIDE_SUMS_BY_PRODUCTS_FROM", fewest)
    monkeypatch.setattr(calls, "WIDE_SUMS_BY_PRODUCTS_UP_TO", 1000)
    monkeypatch.setattr(calls, "WIDE_SUMS_BLOCK", 100)
    rng = np.random.default_rng(0)
    x = rng.integers(-9, 9, shape).astype(np.float32)
    x[rng.random(shape) < 0.3] *= 2.0**30
    several = np.array([np.moveaxis(x, 0, -1)] * 2)
    for given in (x, np.asfortranarray(x), x[::-1], several, several[0]):
        for count in range(1, given.ndim + 1):
            for axes in itertools.combinations(range(given.ndim), count):
                found = summed_wide(given, axes)
                assert found.dtype == np.float64
                assert np.array_equal(found, given.astype(np.float64).sum(axes))


@pytest.mark.parametrize(
    ("shape", "axis", "taken"),
    [((2000, 16), 1, True), ((8, 300, 8), 1, True), ((8, 300), 0, False), ((30, 300), 1, False), ((30, 8), 1, False)],
)
def test_sums_of_float32_are_products_where_little_lies_side_by_side(shape, axis, taken, monkeypatch):
    by_products, asked = calls._summed_by_products, []
    monkeypatch.setattr(calls, "_summed_by_products", lambda x: asked.append(x.shape) or by_products(x))
    assert np.array_equal(summed_wide(np.ones(shape, np.float32), (axis,)), np.ones(shape).sum(axis))
    assert bool(asked) is taken


def test_sums_of_float32_that_are_not_finite_are_as_the_sums_of_their_rows():
    x = np.zeros((40, 40), np.float32)
    x[0, 3], x[1, 3:5], x[2, 5] = np.inf, (np.inf, -np.inf), np.nan
    for given, axis in ((x, 1), (x.T.copy(), 0)):
        with np.errstate(invalid="ignore"):
            found = summed_wide(given, (axis,))
        assert found[0] == np.inf
        assert np.isnan(found[1:3]).all()
        assert not found[3:].any()
