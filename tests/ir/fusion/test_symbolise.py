"""From lengths to symbols: programs that differ in their lengths only become one and the same object."""

from __future__ import annotations

import pytest

from ir.core.expr import Expr, Param, fun, postorder
from ir.core.notation.parser import parse
from ir.core.patterns import (
    Call,
    Concat,
    Element,
    FromSize,
    Join,
    Literal,
    Map,
    Reduce,
    Repeat,
    Slice,
    Slide,
    Split,
    Transpose,
)
from ir.core.semantics.interpreter import interpret
from ir.core.size_variables import sizes_in
from ir.core.sizes import LIMIT_32, is_le, size
from ir.core.types import FLOAT32, INT32, array_of
from ir.cost.thresholds.partition import CONSTANT_EXTENT_UP_TO, CONSTANT_WINDOW_UP_TO
from ir.fusion.symbols.symbolise import symbolise
from tests.ir import values

ADD = fun((FLOAT32, FLOAT32), lambda a, b: Call("add", a, b))
ZERO = Literal(0, FLOAT32)


def vector(name, n):
    return Param(name, array_of(FLOAT32, n))


def asum(n, name="data"):
    return parse("reduce (+) 0 (map abs xs)".replace("xs", name), {name: array_of(FLOAT32, n)})


def test_lengths_become_symbols_and_inputs_get_names_in_order():
    general = symbolise(asum(1000), {})
    assert general.sizes == {"n0": 1000}
    assert general.inputs == (vector("data", 1000),)
    assert general.expr is parse(
        "reduce (+) 0 (map abs x0)", {"x0": array_of(FLOAT32, next(iter(sizes_in(general.expr))))}
    )
    assert not general.wide


@pytest.mark.parametrize("n", [2, 7, 1000, 1 << 20])
def test_equal_programs_of_different_lengths_are_the_same_expression(n):
    assert symbolise(asum(n), {}).expr is symbolise(asum(31, "other"), {}).expr
    assert symbolise(asum(n), {}).sizes == {"n0": n}


def test_equal_lengths_are_one_symbol_and_different_ones_two():
    pair = parse("map (+) (zip(xs, ys))", {"xs": array_of(FLOAT32, 10), "ys": array_of(FLOAT32, 10)})
    assert symbolise(pair, {}).sizes == {"n0": 10}
    sums = parse("concat(map abs xs, map abs ys)", {"xs": array_of(FLOAT32, 10), "ys": array_of(FLOAT32, 11)})
    assert sorted(symbolise(sums, {}).sizes.values()) == [10, 11]
    assert symbolise(sums, {}).expr is not symbolise(pair, {}).expr


def test_the_length_one_stays():
    general = symbolise(asum(1), {})
    assert general.sizes == {}
    assert general.expr is parse("reduce (+) 0 (map abs x0)", {"x0": array_of(FLOAT32, 1)})


def matrix_rows(n, m):
    xs = Param("xs", array_of(FLOAT32, n * m))
    return xs, parse("join (map (λr. reduce (+) 0 r) (split M xs))".replace("M", str(m)), {"xs": xs.type})


def test_a_logical_shape_says_how_a_flat_input_is_cut():
    xs, e = matrix_rows(30, 70)
    general = symbolise(e, {xs: (30, 70)})
    assert sorted(general.sizes.values()) == [30, 70]
    xs, e = matrix_rows(17, 5)
    assert symbolise(e, {xs: (17, 5)}).expr is general.expr


def test_small_extents_of_matrices_stay_constants():
    xs, e = matrix_rows(100, CONSTANT_EXTENT_UP_TO)
    assert list(symbolise(e, {xs: (100, CONSTANT_EXTENT_UP_TO)}).sizes.values()) == [100]


def halves(n, m):
    """`|x|` of a flat array cut into rows of m."""
    xs = vector("xs", n * m)
    return Join(Map(fun(array_of(FLOAT32, m), lambda r: Map(fun(FLOAT32, lambda x: Call("abs", x)), r)), Split(m, xs)))


def test_a_reshape_makes_the_length_a_product():
    """No logical shape says how the array is cut, but the program does."""
    general = symbolise(halves(30, 70), {})
    assert sorted(general.sizes.values()) == [30, 70]
    assert not general.fixed
    for n, m in ((17, 5), (1000, 7)):
        again = symbolise(halves(n, m), {})
        assert again.expr is general.expr
        assert sorted(again.sizes.values()) == sorted((n, m))


def test_rows_of_one_element_leave_it_to_the_program_how_their_number_is_cut():
    def sums(n: int, m: int) -> Expr:
        return parse(f"join (map (λr. join r) (split {m} rows))", {"rows": array_of(FLOAT32, n * m, 1)})

    general = symbolise(sums(30, 70), {})
    assert not general.fixed
    assert sorted(general.sizes.values()) == [30, 70]
    assert symbolise(sums(17, 5), {}).expr is general.expr


def test_constants_stay_where_symbols_lack_a_relation():
    """60 elements as rows of 20 and as rows of 12: true of these, not of any three sizes."""
    e = Join(Split(12, Join(Split(20, vector("xs", 60)))))
    general = symbolise(e, {})
    assert general.sizes == {}
    assert general.fixed
    assert general.expr.type is e.type


def test_slices_repeats_and_sizes_as_numbers_follow_the_lengths():
    def program(n):
        xs = vector("xs", n)
        reversed_ = Slice(n - 1, -1, n, xs)
        return Map(fun(FLOAT32, lambda x: Call("divide", x, FromSize(n, FLOAT32))), reversed_)

    general = symbolise(program(100), {})
    assert 100 in general.sizes.values()
    assert symbolise(program(57), {}).expr is general.expr


@pytest.mark.parametrize("n", [3, 57])
def test_a_general_program_means_the_same(n):
    xs = vector("xs", n)
    e = Map(fun(FLOAT32, lambda x: Call("add", x, Literal(1, FLOAT32))), Slice(n - 1, -1, n, xs))
    general = symbolise(e, {})
    inputs = values.random_inputs(e, {})
    renamed = {f"x{i}": inputs[p] for i, p in enumerate(general.inputs)}
    values.assert_identical(interpret(general.expr, renamed, general.sizes), interpret(e, inputs))


def test_a_general_matrix_program_means_the_same():
    xs, e = matrix_rows(6, 5)
    turned = Join(
        Map(
            fun(array_of(FLOAT32, 6), lambda r: Map(fun(FLOAT32, lambda x: Call("abs", x)), r)), Transpose(Split(5, xs))
        )
    )
    for program in (e, turned):
        general = symbolise(program, {xs: (6, 5)})
        inputs = values.random_inputs(program, {}, whole=True)
        values.assert_identical(interpret(general.expr, {"x0": inputs[xs]}, general.sizes), interpret(program, inputs))


def windowed(n, *, window=3, step=1, times=1):
    """Sums of windows, of windows of those sums, ..."""
    xs = vector("xs", n)
    for _ in range(times):
        xs = Join(Map(fun(array_of(FLOAT32, window), lambda w: Reduce(ADD, ZERO, w)), Slide(window, step, xs)))
    return xs


@pytest.mark.parametrize(
    ("step", "times", "lengths"), [(1, 1, (7, 100)), (1, 4, (15, 101)), (2, 1, (23, 101))], ids=str
)
def test_the_length_is_written_by_the_number_of_windows(step, times, lengths):
    """So that whatever that is, no length is too short for them."""
    general = [symbolise(windowed(n, step=step, times=times), {}) for n in lengths]
    assert general[0].expr is general[1].expr
    (symbol,) = sizes_in(general[0].expr)
    assert general[0].expr.type.length is symbol
    for found, n in zip(general, lengths, strict=True):
        assert found.inputs[0].type.length.value == n
        assert found.expr.type.length.evaluate(found.sizes) == (n - 3) // step + 1 - 2 * (times - 1)


def test_windows_that_leave_something_over():
    general = [symbolise(windowed(n, window=5, step=3), {}) for n in (31, 100)]
    assert general[0].expr is general[1].expr
    (symbol,) = sizes_in(general[0].expr)
    assert general[0].expr.type.length is (symbol - 5) // 3 + 1
    assert is_le(size(1), general[0].expr.type.length)


def test_small_windows_and_places_in_them_are_constants_and_others_symbols():
    third = fun(array_of(FLOAT32, 7), lambda w: Element(5, w))
    general = symbolise(Map(third, Slide(7, 1, vector("xs", 100))), {})
    assert list(general.sizes.values()) == [94]
    assert symbolise(windowed(100, window=CONSTANT_WINDOW_UP_TO), {}).sizes == {"n0": 100 - CONSTANT_WINDOW_UP_TO + 1}
    wide = [symbolise(windowed(n, window=n // 2), {}) for n in (100, 70)]
    assert wide[0].expr is wide[1].expr
    assert sorted(wide[0].sizes.values()) == [50, 51]


def test_windows_of_two_dimensions_and_of_two_sizes():
    rows = Map(fun(array_of(FLOAT32, 20), lambda r: Join(Slide(3, 1, r))), Split(20, vector("xs", 600)))
    e = Join(Join(Slide(5, 1, rows)))
    general = symbolise(e, {})
    assert not general.fixed
    assert sorted(general.sizes.values()) == [18, 26]
    both = Concat(windowed(100), windowed(100, window=5))
    assert list(symbolise(both, {}).sizes.values()) == [96]


def test_a_general_program_of_windows_means_the_same():
    for e in (windowed(23, times=3), windowed(24, window=5, step=3), windowed(41, window=19)):
        general = symbolise(e, {})
        inputs = values.random_inputs(e, {}, whole=True)
        renamed = {f"x{i}": inputs[p] for i, p in enumerate(general.inputs)}
        values.assert_identical(interpret(general.expr, renamed, general.sizes), interpret(e, inputs))


@pytest.mark.slow
def test_a_long_chain_of_windows_is_generalised_without_recursion():
    general = symbolise(windowed(10_000, times=3000), {})
    assert list(general.sizes.values()) == [4000]


def test_indices_beyond_32_bits_are_wide():
    assert symbolise(asum(LIMIT_32 + 1), {}).wide
    assert not symbolise(asum(LIMIT_32), {}).wide
    assert symbolise(Map(fun(FLOAT32, lambda x: x), Repeat(LIMIT_32 + 1, Literal(0, FLOAT32))), {}).wide
    assert symbolise(asum(LIMIT_32 + 1), {}).expr is not symbolise(asum(10), {}).expr


def test_dtypes_tell_programs_apart():
    ints = parse("map abs xs", {"xs": array_of(INT32, 5)})
    floats = parse("map abs xs", {"xs": array_of(FLOAT32, 5)})
    assert symbolise(ints, {}).expr is not symbolise(floats, {}).expr


@pytest.mark.slow
def test_a_long_chain_is_generalised_without_recursion():
    f = fun(FLOAT32, lambda x: Call("abs", x))
    xs = vector("xs", 10)
    for _ in range(20_000):
        xs = Map(f, xs)
    general = symbolise(xs, {})
    assert sum(isinstance(node, Map) for node in postorder(general.expr)) == 20_000


def test_a_multiple_of_the_granule_is_written_as_one():
    whole, odd = symbolise(asum(1600), {}, 16), symbolise(asum(1601), {}, 16)
    assert whole.sizes == {"n0": 100}
    assert odd.sizes == {"n0": 1601}
    assert str(whole.inputs[0].type) == "[float32]1600"
    (length,) = {node.type.length for node in postorder(whole.expr) if isinstance(node, Param) and not node.binder}
    assert (length % 16).value == 0
    assert length.evaluate(whole.sizes) == 1600
    assert whole.expr is not odd.expr


def test_the_length_of_what_is_generated_becomes_a_symbol_and_its_constants_stay():
    texts = (
        "reduce (+) 0 (generate int64 N (λi. i * 3 + fromSize int64 N))",
        "reduce (+) 0 (generate int64 N (λi. i * 4))",
    )
    first, second = (symbolise(parse(texts[0].replace("N", n), {}), {}) for n in ("37", "1000"))
    assert first.expr is second.expr
    assert (first.sizes, second.sizes) == ({"n0": 37}, {"n0": 1000})
    assert symbolise(parse(texts[1].replace("N", "37"), {}), {}).expr is not first.expr
    assert not first.wide
    assert symbolise(parse("reduce (+) 0 (generate int64 3000000000 (λi. i))", {}), {}).wide


def test_a_generated_array_beside_an_input_of_its_length():
    xs = vector("xs", 12)
    e = parse("map (λ(x, i). x * float32 i) (zip(xs, generate int32 12 (λi. i)))", {"xs": xs.type})
    assert symbolise(e, {}).sizes == {"n0": 12}


@pytest.mark.parametrize(
    "text",
    [
        "zip(reduce (+) 0 (join (transpose (repeat 4 xs))), reduce (+) 0 ys)",
        "map (-) (zip(reduce (+) 0 (join (transpose (repeat 4 xs))), reduce (+) 0 ys))",
    ],
)
def test_reductions_side_by_side_keep_one_length(text):
    """Nothing in the types says that 3*4 is 12: as two symbols, one reduction of both would be ill-typed."""
    inputs = {"xs": array_of(FLOAT32, 3), "ys": array_of(FLOAT32, 12)}
    general = symbolise(parse(text, inputs), {})
    assert general.expr.type is parse(text, inputs).type
    assert general.sizes == {}
    alike = symbolise(parse(text.replace("join (transpose (repeat 4 xs))", "ys"), {"ys": array_of(FLOAT32, 12)}), {})
    assert alike.sizes == {"n0": 12}


def test_reductions_of_different_lengths_are_different_symbols():
    text = "map (-) (zip(reduce (+) 0 xs, reduce (+) 0 ys))"
    general = symbolise(parse(text, {"xs": array_of(FLOAT32, 30), "ys": array_of(FLOAT32, 12)}), {})
    assert sorted(general.sizes.values()) == [12, 30]


def bounds(general):
    return {v.name: v.bounds()[0] for v in sizes_in(general.expr)}


def test_symbols_have_the_least_size_of_a_class_as_a_bound():
    """So one expression serves the class; others have other bounds."""
    for n, least in ((1, 1), (2, 1), (3, 1), (4, 4), (1023, 256), (1024, 1024), (4095, 1024), (4096, 4096)):
        assert bounds(symbolise(asum(n), {}, bounded=True)) == ({"n0": least} if n > 1 else {})
        assert bounds(symbolise(asum(n), {})) == ({"n0": 1} if n > 1 else {})
    assert bounds(symbolise(asum(4096), {}, granule=16, bounded=True)) == {"n0": 256}
    assert symbolise(asum(1024), {}, bounded=True).expr is symbolise(asum(4095), {}, bounded=True).expr
    assert symbolise(asum(1024), {}, bounded=True).expr is not symbolise(asum(4096), {}, bounded=True).expr
