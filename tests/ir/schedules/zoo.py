# ruff: noqa: E501  # an expression reads best on one line
"""Expressions that every schedule which matches them has to get right: the papers' benchmarks, and NumPy code."""

from __future__ import annotations

import random
from functools import cache
from typing import NamedTuple

from ir.core.expr import Expr
from ir.core.notation.parser import parse
from ir.core.sizes import var
from ir.core.types import BOOL, FLOAT32, FLOAT64, INT32, INT64, Type, array_of
from ir.schedules.candidates import Candidates
from ir.schedules.schedule import Machine

N, M, K = (var(name, 1, 2**31 - 1) for name in ("n", "m", "k"))


@cache
def _parsed(text: str, inputs: tuple[tuple[str, Type], ...]) -> Expr:
    return parse(text, dict(inputs), {"n": N, "m": M, "k": K})


class Case(NamedTuple):
    """A high-level expression by name, in the papers' notation."""

    name: str
    text: str
    inputs: dict[str, Type]

    @property
    def expr(self) -> Expr:
        """The expression over the sizes n, m and k."""
        return _parsed(self.text, tuple(self.inputs.items()))

    @property
    def exact(self) -> bool:
        """Are whole numbers computed without rounding?"""
        return not any(word in self.text for word in ("exp", "tanh", "sqrt", "/", "(*) 1"))

    def __str__(self) -> str:
        return self.name


def _case(name: str, text: str, **inputs: Type) -> Case:
    return Case(name, text, inputs)


_vector = array_of(FLOAT32, N)
_matrix = array_of(FLOAT32, N, M)

_LIMITS = {
    "float32": ("inf", "(-inf)"),
    "float64": ("inf", "(-inf)"),
    "int32": ("2147483647", "(-2147483648)"),
    "int64": ("9223372036854775807", "(-9223372036854775808)"),
}

_FIRST_LEAST = """λ(a, b). let before = bitwise_invert (a.0 <= b.0) & bitwise_invert (isnan a.0) in
    let chosen = before | ((b.0 <= a.0) | isnan b.0) & (b.1 < a.1) in
    (select(chosen, b.0, a.0), select(chosen, b.1, a.1))"""
_FIRST_GREATEST = """λ(a, b). let chosen = (b.0 > a.0) | (b.0 >= a.0) & (b.1 < a.1) in
    (select(chosen, b.0, a.0), select(chosen, b.1, a.1))"""

_EXPONENTIALS = """(reduce (λ(a, b). let t = a.1 >= b.1 in let f = exp (negative (abs (a.1 - b.1))) in
    (maximum a.0 b.0, maximum a.1 b.1, select(t, a.2, a.2 * f) + select(t, b.2 * f, b.2)))
    (-inf:float32, -3.4028234663852886e38:float32, 0:float32) ∘
    map (λx. let r = maximum (round (x * 0.0625) * 16 + 0) (-3.4028234663852886e38:float32) in (x, r, exp (x - r))))"""
"""The greatest number, and the sum of the exponentials of what numbers are less than one that is near to it."""

MAPS = [
    _case("scal", "map (λx. x * a) xs", xs=_vector, a=FLOAT32),
    _case("scal_0d", "map (λx. x * element 0 a) xs", xs=_vector, a=array_of(FLOAT32, 1)),
    _case("axpy", "map (λ(x, y). x * 3 + y) (zip(xs, ys))", xs=_vector, ys=_vector),
    _case("chain", "map sqrt (map abs (map (λx. x * x - 1) xs))", xs=_vector),
    _case("where_exp", "map (λx. select (x > 0) (exp x) (x - 1)) xs", xs=_vector),
    _case("double", "map (λx. tanh (x + 1)) xs", xs=array_of(FLOAT64, N)),
    _case("integers", "map (λx. abs x // 3 + x % 5) xs", xs=array_of(INT32, N)),
    _case("casts", "map (λx. float32 (int64 x + 1)) xs", xs=array_of(INT32, N)),
    _case("bools", "map (λ(x, b). (x > 0) & b) (zip(xs, bs))", xs=_vector, bs=array_of(BOOL, N)),
    _case("mask", "map (λ(b, c). float32 (b | (c ^ b))) (zip(bs, cs))", bs=array_of(BOOL, N), cs=array_of(BOOL, N)),
    _case("shared", "let t = map (λx. x + 1) xs in map (λ(a, b). a * b - a) (zip(t, map exp t))", xs=_vector),
    _case("reversed", "map (λx. x + 1) (slice (n - 1) (-1) n xs)", xs=_vector),
    _case("strided", "map (λ(x, y). x - y) (zip(slice 0 2 n xs, slice 1 2 n xs))", xs=array_of(FLOAT32, 2 * N)),
    _case("pairs", "map (λx. (x + 1, int32 (x > 0))) xs", xs=_vector),
    _case("gathered", "map (λx. x * 2) (gather xs is)", xs=_vector, **{"is": array_of(INT32, M)}),
    _case("ramp", "map (λx. x) (generate int64 n (λi. i * 3 + 1))"),
    _case("indexed", "map (λ(x, i). x * float32 i) (zip(xs, generate int32 n (λi. i)))", xs=_vector),
    _case(
        "backwards",
        "map (λ(x, i). x - float32 i) (zip(xs, slice (n - 1) (-1) n (generate int64 n (λi. i))))",
        xs=_vector,
    ),
    _case(
        "diagonal",
        "map (λ(r, c). float32 (r == c + 1)) (zip(join (transpose (repeat m (generate int32 n (λi. i)))), join (repeat n (generate int32 m (λi. i)))))",
    ),
    _case("added_row", "map (+) (zip(xs, join (repeat n ys)))", xs=array_of(FLOAT32, N * M), ys=array_of(FLOAT32, M)),
    _case("added_column", "map (+) (zip(xs, join (transpose (repeat m ys))))", xs=array_of(FLOAT32, N * M), ys=_vector),
    _case(
        "cut_rows",
        "map (λ(x, y). x * 2 - y) (zip(join (map (slice 1 1 m) (split (m + 2) xs)), join (map (slice (m - 1) (-1) m) (split m ys))))",
        xs=array_of(FLOAT32, N * (M + 2)),
        ys=array_of(FLOAT32, N * M),
    ),
    _case(
        "exchanged_plus",
        "map (λ(x, y). x * 2 - y) (zip(join (transpose (split m xs)), ys))",
        xs=array_of(FLOAT64, N * M),
        ys=array_of(FLOAT64, N * M),
    ),
    _case(
        "both_exchanged",
        "map abs (join (map (λx. join (map (λy. join (transpose (split 2 y))) (transpose (split m x)))) (split (2*m*k) xs)))",
        xs=array_of(FLOAT32, 2 * N * M * K),
    ),
    _case("every_other", "map (λx. x + 1) (gather xs (generate int64 n (λi. i * 2 % 7)))", xs=_vector),
    _case("captured", "map (λx. x / element 0 (reduce (+) 0 ys)) xs", xs=_vector, ys=array_of(FLOAT32, M)),
]

SUMS = [
    _case("asum", "reduce (+) 0 (map abs xs)", xs=_vector),
    _case("dot", "reduce (+) 0 (map (*) (zip(xs, ys)))", xs=_vector, ys=_vector),
    _case(
        "sum_and_max",
        "reduce (λ(a, b). (a.0 + b.0, maximum a.1 b.1)) (0:float32, -inf:float32) (map (λx. (x, x)) xs)",
        xs=_vector,
    ),
    _case("sum_gathered", "reduce (+) 0 (gather xs (map (λi. i // 2) is))", xs=_vector, **{"is": array_of(INT64, N)}),
    _case("sum_reversed", "reduce (+) 0 (slice (n - 1) (-1) n xs)", xs=_vector),
    _case("sum_of_indices", "reduce (+) 0 (generate int32 n (λi. float32 (i % 100)))"),
    _case(
        "sum_indexed",
        "reduce (+) 0 (map (λ(x, i). x * float32 (i % 8)) (zip(xs, generate int32 n (λi. i))))",
        xs=_vector,
    ),
    _case("exponentials", f"{_EXPONENTIALS} xs", xs=_vector),
    _case(
        "argmin",
        f"reduce ({_FIRST_LEAST}) (inf, 2147483647) (zip(map (λx. abs x // 3) xs, generate int32 n (λi. i)))",
        xs=_vector,
    ),
    _case(
        "argmax",
        f"reduce ({_FIRST_GREATEST}) (-2147483648, 9223372036854775807) (zip(xs, generate int64 n (λi. i)))",
        xs=array_of(INT32, N),
    ),
    _case("not_recognised", "reduce (λ(a, b). a - (-b)) 0 xs", xs=_vector),
    _case("sum_of_integers", "reduce (+) 0 (map (λb. int64 b) bs)", bs=array_of(BOOL, N)),
    *(
        _case(f"{name}_{t}", f"reduce {f} {z} xs", xs=array_of(t, N))
        for t in (FLOAT32, FLOAT64, INT32, INT64)
        for name, f, z in (
            ("sum", "(+)", "0"),
            ("prod", "(*)", "1"),
            ("min", "minimum", _LIMITS[t.name][0]),
            ("max", "maximum", _LIMITS[t.name][1]),
        )
    ),
    _case("any", "reduce (|) false bs", bs=array_of(BOOL, N)),
    _case("all", "reduce (&) true (map (λx. x > 0) xs)", xs=_vector),
]

NESTED = [
    _case("rows", "join (map (λr. reduce (+) 0 r) xss)", xss=_matrix),
    _case("columns", "join (map (λr. reduce (+) 0 r) (transpose xss))", xss=_matrix),
    _case("gemv", "join (map (λr. reduce (+) 0 (map (*) (zip(r, ys)))) xss)", xss=_matrix, ys=array_of(FLOAT32, M)),
    _case("rows_max", "join (map (λr. reduce maximum (-2147483648) r) xss)", xss=array_of(INT32, N, M)),
    _case("broadcast", "map (λr. map (λ(x, y). x + y) (zip(r, ys))) xss", xss=_matrix, ys=array_of(FLOAT32, M)),
    _case("transposed", "map (λr. map (λx. x * 2) r) (transpose xss)", xss=_matrix),
    _case("flipped", "map (λr. map (λx. x + 1) (slice (m - 1) (-1) m r)) xss", xss=_matrix),
    _case(
        "matmul",
        "map (λr. join (map (λc. reduce (+) 0 (map (*) (zip(r, c)))) (transpose yss))) xss",
        xss=_matrix,
        yss=array_of(FLOAT32, M, K),
    ),
    _case("doubled_in_rows", "join (map (λr. map (λx. x * 2) (reduce (+) 0 r)) xss)", xss=_matrix),
    _case("generated_rows", "generate int32 n (λi. generate int32 m (λj. i - j * 2))"),
    _case("row_indices", "join (map (λr. reduce (+) 0 (map (λ(x, i). x * float32 i) (zip(r, generate int32 m (λi. i))))) xss)", xss=_matrix),
    _case("exponentials_of_columns", f"(map (λp. p.2 * exp (p.1 - p.0)) ∘ join ∘ map {_EXPONENTIALS} ∘ transpose) xss", xss=_matrix),
    _case("rows_argmin", f"join (map (λr. reduce ({_FIRST_LEAST}) (inf, 2147483647) (zip(r, generate int32 m (λi. i)))) xss)", xss=_matrix),
    _case("gathered_rows", "map (λr. map (λx. x + 1) r) (gather xss (slice 0 1 1 is))", xss=_matrix, **{"is": array_of(INT32, M)}),
    _case(
        "rows_sum_and_max",
        "join (map (λr. reduce (λ(a, b). (a.0 + b.0, maximum a.1 b.1)) (0:float32, -inf:float32) (map (λx. (x * x, x)) r)) xss)",
        xss=_matrix,
    ),
    _case(
        "rows_of_integers_and_floats",
        "join (map (λr. reduce (λ(a, b). (a.0 + b.0, a.1 & b.1)) (0:int64, true) (map (λx. (int64 x, x > 0)) r)) xss)",
        xss=_matrix,
    ),
    _case(
        "neighbours",
        "let ps = zip(xs, ys) in map (λ(p, at). (element 0 ∘ reduce (+) 0 ∘ map (λ(x, y). (x - p.0) * (y - p.1)) ∘ gather ps) at) (zip(ps, iss))",
        xs=_vector, ys=_vector, iss=array_of(INT32, N, M),
    ),
    _case(
        "rows_less_their_maximum",
        "join (map (λ(r, y). reduce (+) 0 (map (λx. exp (x - y)) r)) (zip(xss, join (map (reduce maximum (-inf)) xss))))",
        xss=_matrix,
    ),
    _case(
        "softmax_rows",
        "let t = (join ∘ map (reduce maximum (-inf)) ∘ split m) xss in "
        "let es = (map exp ∘ map (-)) (zip(xss, (join ∘ transpose ∘ repeat m) t)) in "
        "map (/) (zip(es, (join ∘ transpose ∘ repeat m ∘ join ∘ map (reduce (+) 0) ∘ split m) es))",
        xss=array_of(FLOAT32, N * M),
    ),
    _case(
        "layer_norm_rows",
        "let cs = map (-) (zip(xss, (join ∘ transpose ∘ repeat m ∘ map (λx. x / 7) ∘ join ∘ map (reduce (+) 0) ∘ split m) xss))"
        " in map (λ(c, s, w). c / sqrt(s + 1) * w) (zip(cs, (join ∘ transpose ∘ repeat m ∘ join ∘ map (reduce (+) 0) ∘ "
        "split m ∘ map (λx. x * x)) cs, (join ∘ repeat n) ws))",
        xss=array_of(FLOAT64, N * M), ws=array_of(FLOAT64, M),
    ),
    _case(
        "rows_off_their_sums",
        "map (-) (zip(xss, (join ∘ transpose ∘ repeat m ∘ join ∘ map (reduce (+) 0) ∘ split m) xss))",
        xss=array_of(INT32, N * M),
    ),
    _case("softmax", "map (λr. let z = element 0 (reduce (+) 0 (map exp r)) in map (λx. exp x / z) r) xss", xss=_matrix),
]  # fmt: skip

SCANS = [
    _case("scan", "scan (+) 0 (map abs xs)", xs=_vector),
    _case("scan_from", "scan (+) a xs", xs=_vector, a=FLOAT32),
    _case("scan_products", "scan (λ(a, b). a + b) 0 (map (*) (zip(xs, ys)))", xs=_vector, ys=_vector),
    _case("scan_max", "scan maximum (-inf) xs", xs=_vector),
    _case("scan_integers", "scan (+) 0 (map (λb. int64 b) bs)", bs=array_of(BOOL, N)),
    _case("scan_int32", "scan (*) 1 xs", xs=array_of(INT32, N)),
    _case("scan_prod", "scan (*) 1 xs", xs=_vector),
    _case("scan_any", "scan (|) false bs", bs=array_of(BOOL, N)),
    _case("scan_double", "scan minimum inf xs", xs=array_of(FLOAT64, N)),
    _case("scan_pairs", "scan (λ(p, q). (p.0 + q.0, maximum p.1 q.1)) (0:float32, -inf:float32) (zip(xs, ys))", xs=_vector, ys=_vector),
    _case("scan_not_recognised", "scan (λ(a, b). a - (-b)) 1 xs", xs=_vector),
    _case("scan_blocks", "scan (+) 0 xs", xs=array_of(FLOAT32, 256 * M)),
    _case("scan_rows", "join (map (scan (+) 0) xss)", xss=_matrix),
    _case("scan_short_rows", "join (map (scan (+) 0) (split 3 xs))", xs=array_of(INT32, 3 * N)),
    _case("scan_rows_from", "join (map (λ(x, r). scan (+) x (map (λx. x * 2) r)) (zip(xs, xss)))", xs=_vector, xss=_matrix),
    _case("scan_columns", "join (scan (λ(a, b). map (+) (zip(a, b))) (repeat m 0) (map (map abs) xss))", xss=_matrix),
    _case("scan_columns_from", "join (scan (λ(a, b). map maximum (zip(b, a))) xs xss)", xs=array_of(INT32, M), xss=array_of(INT32, N, M)),
    _case("scan_middle", "map (λr. join (scan (λ(a, b). map (+) (zip(a, b))) (repeat 3 0) (split 3 r))) xss", xss=array_of(FLOAT32, N, 3 * M)),
]  # fmt: skip

FINISHED_SCANS = [
    _case("running_mean", "map (λ(s, i). s / float32 (i + 1)) (zip(scan (+) 0 xs, generate int32 n (λi. i)))", xs=_vector),
    _case("scan_of_integers_used", "map (λ(x, s, y). x * 2 - s + y) (zip(is, scan (+) 3 (map abs is), js))", js=array_of(INT32, N), **{"is": array_of(INT32, N)}),
    _case("scan_used_twice", "let s = scan maximum (-inf) xs in map (λ(a, x, b). a - x + b) (zip(s, xs, s))", xs=_vector),
    _case("scan_of_pairs_used", "map (λp. p.0 + p.1) (scan (λ(p, q). (p.0 + q.0, maximum p.1 q.1)) (0:float32, -inf:float32) (zip(xs, ys)))", xs=_vector, ys=_vector),
    _case("scan_of_doubles_used", "map (λ(s, x). (s * 2, x)) (zip(scan minimum inf xs, ys))", xs=array_of(FLOAT64, N), ys=_vector),
    _case("scan_rows_used", "map (λ(s, x). s * 2 - x) (zip(join (map (scan (+) 0) xss), join xss))", xss=_matrix),
    _case("scan_rows_only", "map (λs. s * 2) (join (map (scan maximum 0) xss))", xss=_matrix),
    _case("scan_columns_used", "map (λ(x, s). s * 2 - x) (zip(join xss, join (scan (λ(a, b). map (+) (zip(a, b))) (repeat m 0) xss)))", xss=_matrix),
    _case("scan_columns_only", "map (λs. s * 2) (join (scan (λ(a, b). map (+) (zip(a, b))) (repeat m 0) (map (map abs) xss)))", xss=_matrix),
    _case("scan_of_blocks_used", "map (λ(s, x). s - x) (zip(scan (+) 0 xs, xs))", xs=array_of(FLOAT32, 256 * M)),
]  # fmt: skip

FINISHED = [
    _case("index_of_least", f"map (λp. int64 p.1) (reduce ({_FIRST_LEAST}) (inf, 2147483647) (zip(xs, generate int32 n (λi. i))))", xs=_vector),
    _case("indices_of_least", f"map (λp. int64 p.1) (join (map (λr. reduce ({_FIRST_LEAST}) (inf, 2147483647) (zip(r, generate int32 m (λi. i)))) xss))", xss=_matrix),
    _case("mean", "map (λx. x / fromSize float32 n) (reduce (+) 0 xs)", xs=_vector),
    _case("norm_and_scale", "map (λ(x, y). sqrt x * y) (zip((reduce (+) 0 ∘ map (λx. x * x)) xs, ys))", xs=_vector, ys=array_of(FLOAT32, 1)),
    _case("mean_and_square", "let s = reduce (+) 0 xs in let q = (reduce (+) 0 ∘ map (λx. x * x)) xs in zip(map (λx. x / 3) s, map (λ(s, q). q - s * s) (zip(s, q)), s)", xs=_vector),
    _case("row_means", "map (λx. x / fromSize float32 m) (join (map (reduce (+) 0) xss))", xss=_matrix),
    _case(
        "row_moments",
        """let mean = map (λs. s / fromSize float32 m) (join (map (reduce (+) 0) xss)) in
        zip(mean, map (λs. s / fromSize float32 m) (join (map (λ(r, y). reduce (+) 0 (map (λx. (x - y) * (x - y)) r)) (zip(xss, mean)))))""",
        xss=_matrix,
    ),
    _case("row_spreads", "map (-) (zip(join (map (reduce maximum (-inf)) xss), join (map (reduce (+) 0) xss)))", xss=_matrix),
    _case("column_scales", "map (λ(a, s, b). a * s + b) (zip(as, join (map (reduce (+) 0) (transpose xss)), bs))", xss=_matrix, bs=array_of(FLOAT32, M), **{"as": array_of(FLOAT32, M)}),
    _case(
        "gemv_of_blas",
        "map (λ(s, z). s * 3 + z * 2) (zip(join (map (λr. reduce (+) 0 (map (*) (zip(r, ys)))) xss), zs))",
        xss=_matrix, ys=array_of(FLOAT32, M), zs=array_of(FLOAT32, N),
    ),
    _case(
        "several_of_rows",
        "let s = join (map (reduce (+) 0) xss) in let t = join (map (reduce maximum (-inf)) xss) in zip(s, map (λ(s, t, z). s * z - t) (zip(s, t, zs)), map (λx. x + 1) t)",
        xss=_matrix, zs=array_of(FLOAT32, N),
    ),
    _case("beside_exchanged", "map (-) (zip(join (map (reduce (+) 0) xss), join (transpose (split 3 zs))))", xss=array_of(FLOAT32, 3 * N, M), zs=array_of(FLOAT32, 3 * N)),
    _case("firsts", "map (λ(x, z). x + z) (zip(map (λr. element 0 (reduce (+) 0 r)) xss, zs))", xss=_matrix, zs=array_of(FLOAT32, N)),
]  # fmt: skip

SORTS = [
    _case("sort", "sort 9 (λi. (uint32(i), i)) ints", ints=array_of(INT32, N)),
    _case(
        "sort_pairs",
        "sort 6 (λ(x, i). (right_shift(bits x, 26:uint32), int64 i)) (zip(xs, generate int32 n (λi. i)))",
        xs=_vector,
    ),
    _case("sort_rows", "join (map (sort 9 (λi. (uint32(i), i))) iss)", iss=array_of(INT32, N, M)),
    _case(
        "sort_columns",
        "map (λis. sort 5 (λ(i, j). (uint64 i, j)) (zip(is, generate int32 n (λi. i)))) (transpose iss)",
        iss=array_of(INT32, N, M),
    ),
]

COMPACTS = [
    _case("compacted", "compact ((n + 1)//2) (map (λ(x, i). (select(i & 1 == 0, right_shift(i, 1), fromSize int32 ((n + 1)//2)), abs x)) (zip(xs, generate int32 n (λi. i))))", xs=_vector),
    _case(
        "compacted_by_scan",
        """let even = generate int32 n (λi. i & 1 == 0) in compact ((n + 1)//2) (map (λ(b, s, x).
        (select(b, s - 1, fromSize int32 ((n + 1)//2)), x)) (zip(even, scan (+) 0 (map (λb. int32 b) even), xs)))""",
        xs=_vector,
    ),
    _case(
        "parted_by_scan",
        """compact n (map (λ(b, s, i, x). (select(b, s - 1, fromSize int32 n - 1:int32 - (i - s)), x))
        (zip(bs, scan (+) 0 (map (λb. int32 b) bs), generate int32 n (λi. i), xs)))""",
        xs=_vector,
        bs=array_of(BOOL, N),
    ),
    _case(
        "counted_by_scan",
        """let is = generate int32 n (λi. i) in let bs = map (λx. x > 0.5) xs in let s = scan (+) 0 (map (λb. int32 b) bs) in
        (compact n (map (λ(b, s, i, x). (select(b, s - 1, fromSize int32 n - 1:int32 - (i - s)), x)) (zip(bs, s, is, xs))),
        compact 1 (map (λ(i, s). (select(i == fromSize int32 n - 1:int32, 0:int32, 1:int32), s)) (zip(is, s))))""",
        xs=_vector,
    ),
]  # fmt: skip

PARTS = [
    _case("map_of_parts", "map (λx. x * 2 + 1) (concat(map abs xs, zs, map sqrt (map abs xs)))", xs=_vector, zs=array_of(FLOAT32, M)),
    _case("rolled", "concat(slice 3 1 (4*n - 3) xs, slice 0 1 3 xs)", xs=array_of(FLOAT32, 4 * N)),
    _case("exchanged_slice", "map (-) (zip(concat(slice 0 1 n xs, map abs ys, slice (2*n) 1 (2*n) xs), xs))", xs=array_of(FLOAT32, 4 * N), ys=_vector),
    _case("exchanged_column", "(join ∘ transpose) (concat(slice 0 1 1 (transpose (split 3 xs)), split n (map (λx. x - 2) ys), slice 2 1 1 (transpose (split 3 xs))))", xs=array_of(FLOAT32, 3 * N), ys=_vector),
    _case("side_by_side", "join (map (λ(x, r). concat(map (λy. y - x) r, repeat 1 x, slice (m - 1) (-1) m r)) (zip(xs, xss)))", xs=_vector, xss=_matrix),
    _case("concat_of_pairs", "map (λ(x, y). (x + y, x - y)) (concat(zip(xs, ys), zip(ys, map abs xs)))", xs=_vector, ys=_vector),
]  # fmt: skip

SCATTERS = [
    _case("counts", "scatter (+) (λi. (i, 1:int32)) (repeat m 0:int32) (map (λi. i // 3) is)", **{"is": array_of(INT32, N)}),
    _case("counts_of_numbers", "scatter (+) (λx. (int32 (abs x), 1:int64)) (repeat m 0:int64) xs", xs=_vector),
    _case("add_at", "scatter (+) (λ(i, x). (i, x * 2)) (map abs zs) (zip(is, xs))", xs=_vector, zs=array_of(FLOAT32, M), **{"is": array_of(INT32, N)}),
    _case("put", "scatter (λ(a, b). b) (λ(i, x). (int64 i, x)) zs (zip(is, xs))", xs=_vector, zs=array_of(FLOAT32, M), **{"is": array_of(INT32, N)}),
    _case("subtract_at", "scatter (-) (λp. p) zs (zip(is, xs))", xs=array_of(INT64, N), zs=array_of(INT64, M), **{"is": array_of(INT64, N)}),
    _case("weights", "scatter (+) (λp. p) zs (map (λ(x, y). (select(x < 0.5, int32(abs x * 4) - 1, 0), y)) (zip(xs, ys)))", xs=_vector, ys=array_of(FLOAT64, N), zs=array_of(FLOAT64, M)),
    _case("greatest_at", "scatter maximum (λp. p) zs (zip(is, xs))", xs=_vector, zs=array_of(FLOAT32, 40 * M), **{"is": array_of(INT32, N)}),
]  # fmt: skip

WINDOWS = [
    _case("window_sums", "join (map (λw. reduce (+) 0 w) (slide 5 2 xs))", xs=array_of(FLOAT32, 2 * N + 4)),
    _case("window_copies", "map (λx. x) (join (slide 3 1 xs))", xs=array_of(FLOAT32, N + 2)),
    _case("windows_of_any_length", "map (λw. element 0 (reduce (+) 0 (map (*) (zip(w, ys))))) (slide m 1 (map abs xs))", xs=array_of(FLOAT32, N + M), ys=array_of(FLOAT32, M)),
    _case("windows_of_pairs", "join (map (λw. reduce (+) 0 (map (*) w)) (slide 3 1 (zip(map abs xs, ys))))", xs=array_of(FLOAT32, N + 2), ys=array_of(FLOAT32, N + 2)),
    _case(
        "windows_of_windows",
        "map (λx. x * 2) (join (map (λw. map (-) (zip(slice 2 1 1 w, slice 0 1 1 w))) (slide 3 1 (join (map (λw. map (-) (zip(slice 2 1 1 w, slice 0 1 1 w))) (slide 3 1 xs))))))",
        xs=array_of(FLOAT32, N + 4),
    ),
    _case("windows_in_rows", "map (λr. join (map (reduce maximum (-inf)) (slide 2 1 r))) xss", xss=array_of(FLOAT32, N, M + 1)),
    _case(
        "windows_of_two_dimensions",
        "map (λr. join (map (λw. reduce (+) 0 (join w)) r)) (map transpose (slide 3 1 (map (slide 3 1) xss)))",
        xss=array_of(FLOAT32, N + 2, M + 2),
    ),
    _case("flipped_differences", "map (λx. x + 1) (slice (n - 1) (-1) n (join (map (λr. map (-) (zip(slice 1 1 1 r, slice 0 1 1 r))) (split 3 xs))))", xs=array_of(FLOAT32, 3 * N)),
]  # fmt: skip

BLOCKS = [
    _case(
        "both_directions",
        "let xss = split m xs in (join (map (λr. reduce (+) 0 (map (*) (zip(r, ys)))) xss), join (map (λr. reduce (+) 0 (map (*) (zip(r, zs)))) (transpose xss)))",
        xs=array_of(FLOAT32, N * M),
        ys=array_of(FLOAT32, M),
        zs=_vector,
    ),
    _case(
        "row_and_column_maxima",
        "let xss = split m xs in (join (map (λr. reduce maximum (-2147483648) r) (transpose xss)), join (map (λr. reduce maximum (-2147483648) r) xss))",
        xs=array_of(INT32, N * M),
    ),
    _case(
        "rows_and_columns_of_integers",
        "let xss = split m xs in (join (map (λr. reduce (+) 0 r) xss), join (map (λr. reduce (+) 0 r) (transpose xss)))",
        xs=array_of(INT32, N * M),
    ),
]
"""Results of different lengths that one kernel computes, block by block; the first one has derivations of many steps."""

WRITTEN_COLUMNS = [
    _case(
        "matrix_and_column_sums",
        "let b = map (λ(x, y). x * 2 + y) (zip(xs, join (repeat n ys))) in (b, join (map (λc. reduce (+) 0 (map (*) (zip(c, zs)))) (transpose (split m b))))",
        xs=array_of(FLOAT32, N * M),
        ys=array_of(FLOAT32, M),
        zs=_vector,
    ),
    _case(
        "matrix_and_used_column_sums",
        "let b = map (λx. x + 1) xs in (b, map (λ(x, y). x + 2 * y) (zip(join (map (reduce (+) 0) (transpose (split m b))), ys)))",
        xs=array_of(FLOAT32, N * M),
        ys=array_of(FLOAT32, M),
    ),
    _case(
        "matrix_and_column_sums_of_squares",
        "let b = map (λx. x - 3) xs in (b, join (map (λc. reduce (+) 0 c) (transpose (split m (map (λx. x * x) b)))))",
        xs=array_of(FLOAT32, N * M),
    ),
    _case(
        "matrix_and_column_maxima",
        "let b = map (λx. x * 3) xs in (b, join (map (λr. reduce maximum (-2147483648) r) (transpose (split m b))))",
        xs=array_of(INT32, N * M),
    ),
]
"""An array, and reductions of its columns, that one kernel computes; the first one has derivations of many steps."""

CROSSED = [
    _case(
        "atax",
        "let xss = split m xs in join (map (λr. reduce (+) 0 (map (*) (zip(r, join (map (λr. reduce (+) 0 (map (*) (zip(r, ys)))) xss))))) (transpose xss))",
        xs=array_of(FLOAT32, N * M),
        ys=array_of(FLOAT32, M),
    ),
    _case(
        "columns_of_two_row_numbers",
        "let xss = split m xs in join (map (λc. reduce (+) 0 (map (λ(x, a, b). x * a + b) (zip(c, join (map (λr. reduce (+) 0 r) xss), join (map (λr. reduce maximum (-2147483648) r) xss))))) (transpose xss))",
        xs=array_of(INT32, N * M),
    ),
    _case(
        "columns_of_row_maxima",
        "let xss = split m xs in join (map (λr. reduce (+) 0 (map (λ(y, x). x - y) (zip(join (map (λr. reduce maximum (-2147483648) r) xss), r)))) (transpose xss))",
        xs=array_of(INT32, N * M),
    ),
]
"""Columns of a matrix that need a number of each of its rows."""

LOOPS = [
    _case("array_and_sum", "let t = map (λx. x * 2) xs in (t, reduce (+) 0 (map abs t))", xs=_vector),
    _case("array_and_any", "let t = map (λx. x + 3) xs in (t, reduce (|) false (map (λx. x > 1) t))", xs=_vector),
    _case(
        "array_and_product",
        "let t = map (λx. x + 1) xs in (reduce (*) 1 t, t, reduce (+) 0 t)",
        xs=array_of(INT32, N),
    ),
    _case(
        "axpydot",
        "let t = map (-) (zip(xs, map (λy. a * y) ys)) in (t, reduce (+) 0 (map (*) (zip(t, zs))))",
        xs=_vector,
        ys=_vector,
        zs=_vector,
        a=FLOAT32,
    ),
    _case(
        "scaled_and_first_of_largest",
        "(reduce (λ(a, b). let c = (b.0 > a.0) | (b.0 >= a.0) & (b.1 < a.1) in (select(c, b.0, a.0), select(c, b.1, a.1))) (-2147483648, 2147483647) (zip(xs, generate int32 n (λi. i))), map (λx. x * 3) xs)",
        xs=array_of(INT32, N),
    ),
]
"""An array and reductions of as many elements, which one loop computes."""

ZOO = [
    *MAPS,
    *SUMS,
    *NESTED,
    *FINISHED,
    *SCANS,
    *FINISHED_SCANS,
    *PARTS,
    *SCATTERS,
    *SORTS,
    *COMPACTS,
    *WINDOWS,
    *BLOCKS[1:],
    *WRITTEN_COLUMNS[1:],
    *CROSSED[1:],
    *LOOPS,
]


def configurations(candidates: Candidates, count: int, seed: int = 0) -> list[dict[str, int | str]]:
    """For each schedule that matches: its defaults on a CPU and on a GPU, and `count` random choices of parameters."""
    rng, found = random.Random(seed), []
    for schedule in candidates.schedules:
        parameters = schedule.parameters(candidates.normal)
        for machine, elements in ((CPU, 100), (CPU, 1 << 20), (GPU, 1 << 20)):
            found.append({"schedule": schedule.name, **schedule.default(candidates.normal, machine, elements)})
        choices = [{p.name: rng.choice(p.values) for p in parameters} for _ in range(count)]
        found.extend({"schedule": schedule.name, **choice} for choice in choices)
    normalised = [candidates.normalised(configuration) for configuration in found]
    return [dict(pairs) for pairs in dict.fromkeys(tuple(c.items()) for c in normalised)]


CPU = Machine(4096, 1 << 15, 2, 8, True)
GPU = Machine(1024, 48 << 10, 80, 1, False)
