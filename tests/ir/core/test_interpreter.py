"""The executable semantics, against a second one written element by element, and where vectorising may go wrong."""

from __future__ import annotations

import tracemalloc
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from ir.core.expr import Expr, Param, fun, postorder
from ir.core.notation.parser import parse
from ir.core.patterns import Call, Cast, Element, FromSize, Get, Literal, Map, Reduce, Repeat, Split, Tuple, Zip
from ir.core.semantics.interpreter import Interpreter, interpret
from ir.core.semantics.values import Leaf, evaluate_type, random_value
from ir.core.sizes import var
from ir.core.types import BOOL, FLOAT32, FLOAT64, INT32, INT64, TupleType, Type, array_of, scalar
from ir.errors import IRError, TypeMismatch
from tests.generators import Program, well_typed_expressions
from tests.ir.core.naive import naive, to_lists

N, M = var("n"), var("m")
ADD = fun((FLOAT32, FLOAT32), lambda a, b: Call("add", a, b))
ABS = fun(FLOAT32, lambda x: Call("abs", x))
ZERO = Literal(0, FLOAT32)
XS = Param("xs", array_of(FLOAT32, N))

VECTOR, PAIRS, ROWS = array_of(FLOAT32, N), TupleType((FLOAT32, INT32)), array_of(INT32, N, M)
TYPES: dict[str, Type] = {
    "xs": VECTOR, "ys": VECTOR, "is": array_of(INT32, N), "rows": ROWS, "ps": array_of(PAIRS, N),
    "bs": array_of(BOOL, N), "nm": array_of(INT64, N * M), "fours": array_of(FLOAT32, 4 * N),
    "eights": array_of(INT64, 8 * N), "a": FLOAT32, "cube": array_of(FLOAT64, N, M, 2), "p": PAIRS,
}  # fmt: skip

TEXTS = [
    "map (λx. x * a) xs",
    "map (λ(x, i). (i, x)) ps",
    "map (λi. 7:int32) is",  # does not depend on the element
    "map (λrow. xs) rows",
    "map (map negative) rows",
    "map (λrow. map (λi. i + element 0 (reduce (+) 0 row)) row) rows",
    "map (λx. map (λy. map (λz. (x - y) * z) xs) ys) xs",
    "reduce (+) 0 xs",
    "reduce (+) 5 is",
    "reduce maximum (-inf) xs",
    "reduce (&) true bs",
    "reduce (λ(a, b). a - negative(b)) 0 is",
    "map (reduce (*) 1) rows",
    "map (λrow. reduce (λ(a, b). a - negative(b)) 0 row) rows",
    "reduce (λ(p, q). (p.0 + q.0, maximum(p.1, q.1))) (0, -100) ps",
    "reduce (λ(p, q). map (+) (zip(p, q))) (repeat m 0) rows",
    "reduceSeq (λ(acc, x). acc * 2 - x) 1 xs",
    "reduceSeq (λ(acc, i). acc + float64(i) / 3) 0:float64 is",
    "map (λrow. reduceSeq (λ(acc, i). acc * 2 - i) 1 row) rows",
    "reduceSeq (λ(p, x). (p.1, x)) (0:float32, 0:float32) xs",
    "scan (+) 0 xs",
    "scan (+) 5 is",
    "scan maximum (-inf) xs",
    "scan (&) true bs",
    "scan (*) 1 is",
    "scan (λ(a, b). a - negative(b)) 3 is",
    "map (scan (+) 1) rows",
    "map (λrow. scan (λ(a, b). a - negative(b)) (element 0 (reduce (+) 0 row)) row) rows",
    "scan (λ(p, q). (p.0 + q.0, maximum(p.1, q.1))) (0, -100) ps",
    "scan (λ(p, q). map (+) (zip(p, q))) (repeat m 0) rows",
    "scanSeq (λ(acc, x). acc * 2 - x) 1 xs",
    "scanSeq (λ(acc, i). acc + float64(i) / 3) 0:float64 is",
    "map (λrow. scanSeq (λ(acc, i). acc * 2 - i) 1 row) rows",
    "scanSeq (λ(p, x). (p.1, x)) (0:float32, 0:float32) xs",
    "scanSeq (vect 4 (+)) (splat 4 1) (asVector 4 fours)",
    "scanSeqUnroll (+) 1 xs",
    "scanMapSeq (λ(acc, x). (acc + x, acc * 2)) 1:float32 xs",
    "mapReduceSeq (λ(acc, x). (acc * 2 - x, acc - x)) 1:float32 xs",
    "let q = mapReduceSeq (λ(p, x). ((p.1, x), p.0 > x)) (0:float32, 0:float32) xs in (q.1, map (λp. p.0) q.0)",
    "map (λrow. mapReduceSeq (λ(acc, i). (acc + i, float32(acc - i) / 2)) 1 row) rows",
    "mapReduceSeq (λ(acc, row). (acc + element 0 (reduce (+) 0 row), map (λx. x + acc) row)) 1:int32 rows",
    "scanMapSeq (λ(p, x). ((p.1, x), (x, p.0))) (0:float32, 0:float32) xs",
    "map (λrow. scanMapSeq (λ(acc, i). (acc + i, float32(acc - i) / 2)) 1 row) rows",
    "scanMapSeq (λ(acc, row). (acc + element 0 (reduce (+) 0 row), map (λx. x + acc) row)) 1:int32 rows",
    "reducePart (+) 0 n fours",
    "reducePart (+) 0 4 fours",
    "reducePart (λ(a, b). a - negative(b)) 0 n eights",
    "map (reducePart (+) 1 1) rows",
    "zip(xs, is, ps)",
    "(zip(xs, ys), a)",
    "map (λ(x, y). (y, x)) (zip(xs, ys))",
    "split n nm",
    "split m nm",
    "split 4 fours",
    "(join ∘ transpose ∘ split m) nm",
    "map transpose cube",
    "join rows",
    "join cube",
    "transpose rows",
    "transpose cube",
    "slice 0 1 n fours",
    "slice (4*n - 1) (-1) (4*n) fours",
    "slice (3*n - 1) (-2) n fours",
    "slice 1 4 n fours",
    "map (slice (m - 1) (-1) m) rows",
    "repeat 3 ps",
    "map (repeat 2) rows",
    "map (λx. repeat m x) xs",
    "concat(xs, fours, ys)",
    "map (λx. concat(repeat 1 x, ys)) xs",
    "concat(ps, ps)",
    "map (element 1) (split 4 fours)",
    "map (λx. element 0 (reduce (+) 0 ys) + x) xs",
    "gather xs is",
    "gather rows is",
    "gather ps is",
    "slide 3 2 (concat(xs, repeat 4 a))",
    "slide (n + 1) 1 (concat(xs, repeat 1 a, xs))",
    "slide 2 3 (concat(ps, repeat 2 p))",
    "map (slide 2 1) (map (λr. concat(r, repeat 2 7:int32)) rows)",
    "slide 2 1 (map (λx. repeat m x) (concat(xs, repeat 2 a)))",
    "map (λw. reduce (+) 0 w) (slide 5 1 (concat(xs, repeat 5 1:float32)))",
    "gather fours nm",
    "map (gather xs) rows",
    "map (λr. gather (concat(r, is)) is) rows",
    "map (λr. gather r r) rows",
    "map (λr. gather cube (slice 0 1 m r)) rows",
    "map (λi. element 0 (gather (concat(xs, xs)) (repeat 1 i))) is",
    "gather (asVector 4 fours) is",
    "generate int64 n (λi. i * 3)",
    "generate int32 (n + m) (λi. (i, float32 i))",
    "generate int32 n (λi. generate int64 m (λj. int64 i * 10 + j))",
    "generate int64 n (λi. 7:float32)",
    "map (λx. generate int32 m (λj. x + float32 j)) xs",
    "map (λr. map (*) (zip(r, generate int32 m (λj. j)))) (generate int32 n (λi. generate int32 m (λj. i - j)))",
    "generate int64 n (λi. gather xs (repeat 1 (i + 1)))",
    "generate int64 3 (λi. reduce (λ(a, b). a + b) i (generate int64 m (λj. i * j)))",
    "(asVector 4) (generate int32 (4*n) (λi. i))",
    "(id ∘ reorder) xs",
    "reverse xs",
    "map reverse (split m nm)",
    "reverse (zip(xs, xs))",
    "reorderStride 4 fours",
    "reorderStride n nm",
    "map (reorderStride m) (split m nm)",
    "asVector 4 fours",
    "(asScalar ∘ map (vect 4 (λx. x * x + 1)) ∘ asVector 4) fours",
    "(asScalar ∘ map (λx. select (3 < 4) x (splat 4 2:float32)) ∘ asVector 4) fours",
    "(asScalar ∘ map (vect 2 (λ(x, y). (x - y, x < y))) ∘ asVector 2) (zip(fours, fours))",
    "reduce (vect 4 (+)) (splat 4 0) (asVector 4 fours)",
    "reduceSeq (vect 4 (λ(acc, x). acc * 2 - x)) (splat 4 1) (asVector 4 fours)",
    "map (λx. splat 4 x) xs",
    "mapSeq (λx. splat 2 (x, 1:int32)) xs",
    "(toGlobal (mapWorkgroup1 (toLocal (mapLocal abs) ∘ toPrivate)) ∘ split 4) fours",
    "iterate 3 (λ[2*k → k]. join ∘ map (reduce (+) 0) ∘ split 2) eights",
    "iterate 2 (λ[2*k → k]. λvs. map (λv. v + fromSize int64 k) (slice k 1 k vs)) eights",
    "iterate 0 (λ[2*k → k]. slice 0 1 k) xs",
    "map (λx. iterate 1 (λ[4*k → k]. λvs. map (λv. v * x) (slice 0 2 k vs)) fours) xs",
    "map (λx. iterate 2 (λ[2*k → k]. λvs. map (+) (zip(slice 0 1 k vs, repeat k (x * a)))) fours) xs",
    "map (λi. select(i > 3, i // 3, i % -2)) is",
    "map (λx. (float64(x), bool(x), isnan(x / x))) xs",
    "(p.1, fromSize int32 (n * m + 1))",
]  # fmt: skip


def inputs_for(e: Expr, sizes: dict[str, int]) -> dict[str, Any]:
    rng = np.random.default_rng(7)
    return {
        p.identifier: random_value(p.type, sizes, rng) for p in postorder(e) if isinstance(p, Param) and not p.binder
    }


def assert_layout(value: Any, layout: Any) -> None:
    if isinstance(layout, Leaf):
        assert (value.shape, value.dtype) == (layout.shape, layout.dtype)
    else:
        assert isinstance(value, tuple) and len(value) == len(layout)
        for part, of in zip(value, layout, strict=True):
            assert_layout(part, of)


def assert_same(actual: Any, expected: Any, digits: Any) -> None:
    """Equal integers and truth values; floats up to the rounding of sums of a few dozen terms."""
    if isinstance(expected, list | tuple):
        assert type(actual) is type(expected) and len(actual) == len(expected)
        for a, b in zip(actual, expected, strict=True):
            assert_same(a, b, digits)
    elif expected.dtype.kind == "f":
        epsilon = np.finfo(digits).eps
        np.testing.assert_allclose(actual, expected, rtol=1000 * epsilon, atol=200 * epsilon)
    else:
        assert actual == expected


def check(e: Expr, inputs: dict[str, Any], sizes: dict[str, int]) -> None:
    value = interpret(e, inputs, sizes)
    assert_layout(value, evaluate_type(e.type, sizes))
    single = any("float32" in str(node.type) for node in postorder(e))
    assert_same(to_lists(value, e.type, sizes), naive(e, inputs, sizes), np.float32 if single else np.float64)


@pytest.mark.parametrize("sizes", [{"n": n, "m": m} for n, m in ((0, 3), (3, 0), (1, 1), (5, 2), (2, 7))], ids=str)
@pytest.mark.parametrize("text", TEXTS)
def test_patterns_mean_what_figure_9_says(text: str, sizes: dict[str, int]) -> None:
    e = parse(text, TYPES)
    check(e, inputs_for(e, sizes), sizes)


@settings(max_examples=3 * settings.default.max_examples)
@given(well_typed_expressions())
def test_random_programs(program: Program) -> None:
    check(*program)


@settings(max_examples=2 * settings.default.max_examples)
@given(well_typed_expressions(low_level=True))
def test_random_low_level_programs(program: Program) -> None:
    check(*program)


# --- order and rounding -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("how", "found"),
    [("reduceSeq", [1.0]), ("reduce", [2.0]), ("scanSeq", [1e8, 1e8, 0.0, 1.0]), ("scan", [1e8, 1e8, 1.0, 2.0])],
)
def test_what_is_sequential_goes_from_the_left_in_the_element_type(how: str, found: list[float]) -> None:
    """There 1e8 + 1 is 1e8; all else is carried in float64."""
    values = np.array([1e8, 1, -1e8, 1], dtype=np.float32)
    assert interpret(parse(f"{how} (+) 0 xs", TYPES), {"xs": values}, {"n": 4}).tolist() == found


def test_a_scan_of_minus_zeros_from_minus_zero_is_minus_zero() -> None:
    values = {"xs": np.array([-0.0, -0.0, 0.0, -0.0], np.float32)}
    for how in ("scan", "scanSeq"):
        found = interpret(parse(f"{how} (+) (-0.0) xs", TYPES), values, {"n": 4})
        assert np.signbit(found).tolist() == [True, True, False, False]


def test_scan_keeps_the_order_of_the_elements() -> None:
    """Composition of maps x -> a*x + b is associative and not commutative."""
    e = parse("scan (λ(p, q). (p.0 * q.0, p.0 * q.1 + p.1)) (3, 1) (zip(is, is))", TYPES)
    for n in (0, 1, 2, 3, 5, 6, 7, 11):
        values = np.arange(2, 2 + n, dtype=np.int32)
        factors, terms = interpret(e, {"is": values}, {"n": n})
        assert factors.dtype == terms.dtype == np.int32 and len(factors) == len(terms) == n
        a, b = np.int32(3), np.int32(1)
        with np.errstate(over="ignore"):
            for i, v in enumerate(values):
                a, b = a * v, a * v + b
                assert (factors[i], terms[i]) == (a, b)


def test_float32_sums_are_rounded_once() -> None:
    values = np.full(1_000_003, 0.1, dtype=np.float32)
    total = interpret(Reduce(ADD, ZERO, XS), {"xs": values}, {"n": values.size})
    assert total.dtype == np.float32 and total[0] == np.float32(np.float64(values[0]) * values.size)


def test_the_initial_value_is_used_once() -> None:
    sevens = parse("reduce (λ(a, b). a - negative(b)) 7 is", TYPES)
    for n in (0, 1, 2, 3, 4, 5, 8):
        assert interpret(sevens, {"is": np.zeros(n, np.int32)}, {"n": n}) == [7]


@pytest.mark.parametrize("start", [np.True_, np.array(True)])
def test_reduce_starts_from_a_scalar_of_either_kind(start: np.bool_) -> None:
    types = {"p": TupleType((BOOL, array_of(BOOL, 3)))}
    values = {"p": (start, np.array([True, True, False]))}
    assert interpret(parse("reduce (^) p.0 p.1", types), values).tolist() == [True]
    assert interpret(parse("reduce (^) (element 2 q) q", {"q": array_of(BOOL, 3)}), {"q": values["p"][1]}).tolist() == [
        False
    ]


def test_reduce_keeps_the_order_of_the_elements() -> None:
    """Composition of maps x -> a*x + b is associative and not commutative."""
    e = parse("reduce (λ(p, q). (p.0 * q.0, p.0 * q.1 + p.1)) (1, 0) (zip(is, is))", TYPES)
    for n in (1, 2, 3, 5, 6, 7, 11):
        values = np.arange(2, 2 + n, dtype=np.int32)
        check(e, {"is": values}, {"n": n})


def test_integers_wrap_around_silently() -> None:
    values = np.array([2**31 - 1, -(2**31)], dtype=np.int32)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        wrapped = interpret(parse("map (λi. (i * 2, i + 1, i // 0, abs(i))) is", TYPES), {"is": values}, {"n": 2})
        total = interpret(parse("reduce (*) 1 is", TYPES), {"is": np.full(40, 3, np.int32)}, {"n": 40})
    assert wrapped[0].tolist() == [-2, 0] and wrapped[1].tolist() == [-(2**31), -(2**31) + 1]
    assert int(total[0]) % 2**32 == 3**40 % 2**32


@pytest.mark.parametrize(
    ("source", "target", "value", "expected"),
    [
        (FLOAT32, INT32, -2.9, -2),
        (FLOAT64, INT64, 2.9, 2),
        (FLOAT32, BOOL, 0.25, True),
        (FLOAT32, BOOL, np.nan, True),
        (INT32, BOOL, 256, True),
        (INT32, scalar("uint8"), 259, 3),
        (INT64, INT32, 2**32 + 5, 5),
        (BOOL, FLOAT32, True, 1.0),
        (scalar("uint64"), FLOAT64, 2**63, 2.0**63),
    ],
)
def test_casts_convert_as_in_c(source: Any, target: Any, value: Any, expected: Any) -> None:
    got = interpret(Cast(Literal(value, source), target), {})
    assert got == expected and got.dtype == np.dtype(target.name)


# --- zero lengths -----------------------------------------------------------------------------------------------------


def test_chunks_of_length_zero_keep_their_number() -> None:
    nm = Param("nm", array_of(INT64, N * M))
    chunks = interpret(Split(N, nm), {"nm": np.zeros(0, np.int64)}, {"n": 0, "m": 3})
    assert chunks.shape == (3, 0)
    sums = parse("(join ∘ map (reduce (+) 4) ∘ split n) nm", TYPES)
    assert interpret(sums, {"nm": []}, {"n": 0, "m": 3}).tolist() == [4, 4, 4]


def test_iterate_binds_its_size_at_each_step() -> None:
    step = "repeat k (element 0 (reduce (+) 0 vs) * 10 + fromSize int64 k)"
    e = parse(f"iterate 3 (λ[2*k → k]. λvs. {step}) eights", TYPES)
    # i_j = 2**(3-j) * n is 12, 6, 3: 24*1*10 + 12, then 12*252*10 + 6, then 6*30246*10 + 3.
    assert interpret(e, {"eights": np.ones(24, np.int64)}, {"n": 3}).tolist() == [1814763] * 3


def test_iterates_nest() -> None:
    e = parse("iterate 2 (λ[2*k → k]. iterate 1 (λ[2*j → j]. slice 1 2 j)) eights", TYPES)
    assert interpret(e, {"eights": np.arange(16)}, {"n": 2}).tolist() == [3, 7, 11, 15]


# --- sharing and depth ------------------------------------------------------------------------------------------------


def of_pairs(name: str) -> Expr:
    return fun(TupleType((FLOAT32, FLOAT32)), lambda p: Call(name, Get(0, p), Get(1, p)))


def test_shared_nodes_are_evaluated_once() -> None:
    x: Expr = XS
    for _ in range(64):
        x = Map(of_pairs("add"), Zip(x, x))
    assert interpret(x, {"xs": np.float32([1, 3])}, {"n": 2}).tolist() == [2.0**64, 3 * 2.0**64]


def test_shared_scalars_are_evaluated_once() -> None:
    def double(x: Expr) -> Expr:
        for _ in range(64):
            x = Call("add", x, x)
        return x

    assert interpret(Map(fun(FLOAT32, double), XS), {"xs": [1, 3]}, {"n": 2}).tolist() == [2.0**64, 3 * 2.0**64]


def test_what_only_outer_variables_occur_in_is_evaluated_outside() -> None:
    """Each array is used beside a map and inside its function: 2**100 evaluations unless shared."""

    def body(p: Expr) -> Expr:
        ys: Expr = Map(fun(FLOAT32, lambda y: Call("multiply", y, p)), XS)
        for _ in range(100):
            ys = Map(fun(FLOAT32, lambda y, ys=ys: Call("subtract", y, Element(0, Reduce(ADD, ZERO, ys)))), ys)
        return ys

    e = Map(fun(FLOAT32, body), XS)
    one = np.float32([2.0])  # (2 - 2) = 0 from the first step on
    assert interpret(e, {"xs": one}, {"n": 1}).tolist() == [[0.0]]


@pytest.mark.slow
def test_long_chains_do_not_overflow_the_stack() -> None:
    x: Expr = XS
    negate = fun(FLOAT32, lambda x: Call("negative", x))
    for _ in range(100_001):
        x = Map(negate, x)
    assert interpret(x, {"xs": [1, 2]}, {"n": 2}).tolist() == [-1, -2]


@pytest.mark.slow
def test_long_scalar_functions_do_not_overflow_the_stack() -> None:
    def count(x: Expr) -> Expr:
        for _ in range(100_000):
            x = Call("add", x, Literal(1, INT64))
        return x

    e = Map(fun(INT64, count), Param("ks", array_of(INT64, N)))
    assert interpret(e, {"ks": [5]}, {"n": 1}).tolist() == [100_005]


@pytest.mark.slow
def test_repeated_matrix_vector_products_do_not_overflow_the_stack() -> None:
    """The vector occurs only inside the function that is mapped over the rows, so functions nest a thousand deep."""
    a, x = Param("A", array_of(FLOAT32, N, N)), XS
    times = of_pairs("multiply")
    y: Expr = x
    for _ in range(1000):
        y = Map(fun(array_of(FLOAT32, N), lambda row, y=y: Element(0, Reduce(ADD, ZERO, Map(times, Zip(row, y))))), a)
    swap = np.float32([[0, 1], [1, 0]])
    assert interpret(y, {"A": swap, "xs": [2, 3]}, {"n": 2}).tolist() == [2, 3]


# --- memory -----------------------------------------------------------------------------------------------------------


def peak_bytes(e: Expr, inputs: dict[str, Any], sizes: dict[str, int]) -> int:
    tracemalloc.start()
    try:
        interpret(e, inputs, sizes)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_memory_is_a_few_times_the_input() -> None:
    values = np.ones(1 << 20, np.float32)
    sizes = {"n": values.size}
    x: Expr = XS
    for _ in range(50):
        x = Map(ABS, x)
    assert peak_bytes(x, {"xs": values}, sizes) < 3 * values.nbytes
    assert peak_bytes(Reduce(ADD, ZERO, Map(ABS, XS)), {"xs": values}, sizes) < 3 * values.nbytes
    tree = parse("reduce (λ(a, b). a - negative(b)) 0 xs", TYPES)
    assert peak_bytes(tree, {"xs": values}, sizes) < 3 * values.nbytes


def test_broadcasting_copies_nothing() -> None:
    values = np.ones(1 << 10, np.float32)
    assert peak_bytes(Repeat(1 << 40, Tuple(XS, XS)), {"xs": values}, {"n": values.size}) < 1 << 20


# --- inputs and errors ------------------------------------------------------------------------------------------------


def test_inputs_are_found_by_name_and_by_parameter() -> None:
    assert interpret(XS, {XS: [1, 2]}, {"n": 2}).tolist() == [1, 2]
    assert interpret(FromSize(N, INT32), {}, {"n": 2}) == 2


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (np.zeros(3, np.float64), "input xs: expected float32 of shape (3,), got float64 of shape (3,)"),
        (np.zeros((3, 1), np.float32), "input xs: expected float32 of shape (3,), got float32 of shape (3, 1)"),
        ([1.0, 2.0], "input xs: expected float32 of shape (3,), got float32 of shape (2,)"),
    ],
)
def test_inputs_must_fit_their_types(value: Any, shown: str) -> None:
    with pytest.raises(TypeMismatch) as error:
        interpret(XS, {"xs": value}, {"n": 3})
    assert str(error.value) == shown


def test_a_missing_input_is_named() -> None:
    with pytest.raises(TypeMismatch, match=r"a value for the parameter xs : \[float32\]n"):
        interpret(XS, {}, {"n": 3})


def test_indices_out_of_range_raise() -> None:
    with pytest.raises(IRError, match="element: index 2 is not within 0 to 1"):
        interpret(Element(2, XS), {"xs": [1, 2]}, {"n": 2})
    gather = parse("gather xs is", {"xs": array_of(FLOAT32, M), "is": array_of(INT32, N)})
    with pytest.raises(IRError, match="gather: 2 elements of an array that has none"):
        interpret(gather, {"xs": [], "is": [0, 1]}, {"n": 2, "m": 0})
    with pytest.raises(IRError, match="slice: 2 elements from 1 by 1"):
        interpret(parse("slice 1 1 2 xs", TYPES), {"xs": [1, 2]}, {"n": 2})
    with pytest.raises(IRError, match="slice"):
        interpret(parse("slice 0 (-1) 2 xs", TYPES), {"xs": [1, 2]}, {"n": 2})


def test_random_values_are_distinct() -> None:
    sizes = {"n": 7, "m": 11}
    rng = np.random.default_rng(0)
    for t in (FLOAT32, FLOAT64, INT32, INT64, scalar("int8"), scalar("uint8")):
        value = random_value(array_of(t, N, M), sizes, rng)
        assert isinstance(value, np.ndarray) and value.shape == (7, 11) and len(np.unique(value)) == 77
        assert value.dtype == t.name and not np.array_equal(np.sort(value.ravel()), value.ravel())


def test_gather_clamps_what_lies_outside() -> None:
    e = parse("gather xs is", {"xs": array_of(FLOAT32, M), "is": array_of(INT64, N)})
    at = np.array([2, -1, 3, 2**40, -(2**40), 0])
    value = interpret(e, {"xs": np.float32([10, 20, 30]), "is": at}, {"n": 6, "m": 3})
    assert value.tolist() == [30, 10, 30, 30, 10, 10]


def test_gathering_nothing_from_nothing_is_nothing() -> None:
    e = parse("map (gather xs) rows", {"xs": array_of(FLOAT32, N), "rows": array_of(INT32, N, M)})
    value = interpret(e, {"xs": [], "rows": np.empty((0, 3), np.int32)}, {"n": 0, "m": 3})
    assert (value.shape, value.dtype) == ((0, 3), np.float32)


def test_one_interpreter_keeps_the_values_of_expressions_apart() -> None:
    xs = {"xs": array_of(FLOAT32, 3)}
    first, second = (parse(text, xs) for text in ("map (λx. x + 1) xs", "map (λx. x * 10) xs"))
    run = Interpreter({"xs": np.arange(3, dtype="float32")}, {})
    for _ in range(2):
        np.testing.assert_array_equal(run.value(first), [1, 2, 3])
        np.testing.assert_array_equal(run.value(second), [0, 10, 20])
