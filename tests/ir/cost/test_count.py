"""Bytes and operations of kernels: counted by hand for known expressions, and bounds that hold for random ones."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings

from ir.core.expr import Expr, Param, close, fresh, fun
from ir.core.notation.parser import parse
from ir.core.patterns import Call, Join, Literal, Map, Split
from ir.core.semantics.interpreter import interpret
from ir.core.semantics.values import evaluate_type, leaves
from ir.core.sizes import minimum, size, var
from ir.core.traits import Traits
from ir.core.types import BOOL, FLOAT32, FLOAT64, INT32, array_of
from ir.cost.count import count
from ir.cost.operations import Work, waiting_operations
from ir.schedules.candidates import Candidates
from tests.generators import Program, parameters, well_typed_expressions

N, M, K = var("n", 1), var("m", 1), var("k", 1)
TYPES = {
    "xs": array_of(FLOAT32, N), "ys": array_of(FLOAT32, N), "ds": array_of(FLOAT64, N), "x4": array_of(FLOAT32, 4 * N),
    "v": array_of(FLOAT32, M), "is": array_of(INT32, N), "bs": array_of(BOOL, N),
    "A": array_of(FLOAT32, M, K), "B": array_of(FLOAT32, K, N),
}  # fmt: skip
F32, F64 = "float32 arithmetic", "float64 arithmetic"

# expression: bytes read, bytes written, operations, by hand
COUNTED = {
    "map abs xs": (4 * N, 4 * N, {F32: N}),
    "reduce (+) 0 (map abs xs)": (4 * N, size(4), {F32: 2 * N}),
    "map (λd. d*2.0 - d) ds": (8 * N, 8 * N, {F64: 2 * N}),
    "map (λx. exp (x / 3.0)) xs": (4 * N, 4 * N, {"float32 division": N, "float32 exp": N}),
    "map (λx. x < 3.0) xs": (4 * N, 1 * N, {F32: N}),
    "map (λp. select(p.0, p.1, 0.0)) (zip(bs, xs))": (5 * N, 4 * N, {F32: N}),
    "map float64 xs": (4 * N, 8 * N, {F32: N}),
    # an array that is read twice counts once, and so does a value that is used twice
    "map (λp. p.0 * p.1) (zip(xs, xs))": (4 * N, 4 * N, {F32: N}),
    "map (λx. let y = x*x in y + y) xs": (4 * N, 4 * N, {F32: 2 * N}),
    "map (λp. p.0 + p.1) (let zs = map abs xs in zip(zs, zs))": (4 * N, 4 * N, {F32: 2 * N}),
    # of tuples, what is used
    "map (λp. p.0) (zip(xs, ys))": (4 * N, 4 * N, {}),
    # through views: a slice is read as far as it goes, overlapping ones no more than the array
    "map abs (slice 0 1 (n // 2) xs)": (4 * (N // 2), 4 * (N // 2), {F32: N // 2}),
    "slice 0 1 2 (map abs x4)": (size(8), size(8), {F32: size(2)}),
    "map (λp. p.1 - p.0) (zip(slice 0 1 (n-1) xs, slice 1 1 (n-1) xs))": (
        4 * minimum(2 * N - 2, N), 4 * N - 4, {F32: N - 1},
    ),
    # windows read each element once, those between windows that lie apart not at all
    "join (map (reduce (+) 0) (slide 3 1 x4))": (16 * N, 16 * N - 8, {F32: 12 * N - 6}),
    "join (map (reduce (+) 0) (slide 3 4 x4))": (12 * N, 4 * N, {F32: 3 * N}),
    "map (map abs) (transpose A)": (4 * M * K, 4 * M * K, {F32: M * K}),
    "map (λr. abs (element 2 r)) (split 4 x4)": (4 * N, 4 * N, {F32: N}),
    "join (map (λr. slice 1 1 2 r) (split 4 x4))": (8 * N, 8 * N, {}),
    # broadcasts
    "map (λp. p.0 + p.1) (zip(join (repeat 4 xs), x4))": (20 * N, 16 * N, {F32: 4 * N}),
    "map (λx. x + element 0 v) xs": (4 * N + 4, 4 * N, {F32: N}),
    # nests: rows, columns and the whole of both are read once; what does not depend on the row is computed once
    "join (map (λr. reduce (+) 0 r) A)": (4 * M * K, 4 * M, {F32: M * K}),
    "map (λr. map (λc. reduce (+) 0 (map (λp. p.0 * p.1) (zip(r, c)))) (transpose B)) A": (
        4 * K * M + 4 * K * N, 4 * M * N, {F32: 2 * K * M * N},
    ),
    "map (λx. x + element 0 (reduce (+) 0 v)) xs": (4 * N + 4 * M, 4 * N, {F32: N + M}),
    # what is generated is read from nowhere; what its function takes is read once
    "map (λ(x, i). x * float32 i) (zip(xs, generate int32 n (λi. i)))": (4 * N, 4 * N, {F32: N, "int32 arithmetic": N}),
    "reduce (+) 0 (generate int64 n (λi. i * 3))": (size(0), size(8), {"int64 arithmetic": 2 * N}),
    "slice 0 1 2 (generate int64 (4*n) (λi. i * 3))": (size(0), size(16), {"int64 arithmetic": size(2)}),
    "generate int32 n (λi. generate int32 k (λj. i - j))": (size(0), 4 * K * N, {"int32 arithmetic": K * N}),
    "generate int32 n (λi. element 0 v)": (size(4), 4 * N, {}),
    # low-level patterns cost what they stand for
    "toGlobal (mapGlobal abs xs)": (4 * N, 4 * N, {F32: N}),
    "asScalar (map (vect 4 (λx. x*x)) (asVector 4 x4))": (16 * N, 16 * N, {F32: 4 * N}),
    "asScalar (mapSeq (λv. v * v) (asVector 4 x4))": (16 * N, 16 * N, {F32: 4 * N}),
    "reducePart (+) 0 4 x4": (16 * N, size(16), {F32: 4 * N}),
    "iterate 2 (λ[2*m3 → m3 : 1..]. join ∘ map (reduce (+) 0) ∘ split 2) x4": (16 * N, 4 * N, {F32: 6 * N}),
    "concat(map abs xs, map abs ys)": (8 * N, 8 * N, {F32: 2 * N}),
}  # fmt: skip


def term(text: str):
    return parse(text, TYPES, {"n": N, "m": M, "k": K})


@pytest.mark.parametrize("text", COUNTED)
def test_counts_by_hand(text):
    read, written, operations = COUNTED[text]
    cost = count(term(text))
    assert cost.read is read
    assert cost.written is written
    assert {str(work): number for work, number in cost.operations.items()} == operations
    assert cost.gathered is size(0)


@pytest.mark.parametrize(
    ("text", "waiting"),
    [
        ("xs", 0),
        ("map abs xs", 1),
        ("map (λx. x * x + x) xs", 2),
        ("map (λx. let t = sin (x) in t * t + cos (x)) xs", 102),
        ("map (λx. sin (cos (x / 3.0))) xs", 208),
        ("map exp (map exp xs)", 40),
        ("join (map (λr. map (λx. x + 1.0) (map abs r)) A)", 2),
        ("zip(map sin xs, map (λx. x + 1.0) ys)", 100),
    ],
)
def test_the_longest_way_by_hand(text, waiting):
    assert waiting_operations(term(text)) == waiting


def test_gathers_are_noted():
    cost = count(term("map abs (gather v is)"))
    assert cost.gathered is 4 * N  # each time
    assert {str(work): number for work, number in cost.operations.items()} == {F32: N, "float32 gather": N}
    assert cost.read is 4 * N + 4 * minimum(M, N)  # the indices, and no more than the array
    again = count(term("map (λi. abs (element 0 (gather v (repeat 1 i)))) is"))  # the same, one by one
    assert (again.gathered, again.read) == (cost.gathered, cost.read)
    twice = count(term("map (λi. element 0 (gather v (repeat 1 (element 0 (gather is (repeat 1 i)))))) is"))
    assert twice.gathered is 8 * N
    of_pairs = count(term("map (λp. p.0) (gather (zip(v, v)) is)"))
    assert {str(work): number for work, number in of_pairs.operations.items()} == {"float32 gather": N}  # what is used
    same = count(term("map (λx. x + element 0 (gather v (repeat 1 5))) xs"))  # one element, whatever x
    assert (same.gathered, same.read) == (size(4), 4 * N + 4)


@pytest.mark.parametrize(
    ("text", "most"),
    [
        ("reduce (*) 1 (map abs x4)", 1.01),  # partial results are combined, too
        ("reduce (+) 0 (map abs x4)", 5),  # corrections take seven operations for each element that is abs and sum
        ("map (λx. x * 2.0 + 1.0) x4", 1.01),
        ("map abs xs", 1.01),
    ],
)
def test_what_a_schedule_derives_computes_as_much(text, most):
    """Bodies and tails, vectors and partial results: nearly the same operations, and the same bytes of the input."""
    found = Candidates.of(term(text))
    sizes = {"n": 500_003}
    before = count(found.start.start)
    for schedule in found.schedules:
        choices = {p.name: p.values[-1] for p in schedule.parameters(found.normal)}
        if schedule.name in ("tree", "chunks"):
            choices |= {"groups": 8} | ({"local": 32} if "local" in choices else {})
        after = count(found.derive({"schedule": schedule.name, **choices}).result)
        assert after.read.evaluate(sizes) == before.read.evaluate(sizes)
        assert after.written.evaluate(sizes) == before.written.evaluate(sizes)
        work = Work("arithmetic", "float32")
        ratio = after.operations[work].evaluate(sizes) / before.operations[work].evaluate(sizes)
        assert 1 <= ratio < most, schedule.name


class Unknown(Expr):
    """A pattern that the counter has no case for: any function of an element, and two arrays."""

    __slots__ = ()
    traits = Traits(computes=True)

    def _infer(self):
        return self.operands[1].type


def test_patterns_without_a_case_read_all_and_apply_their_function_to_each_element():
    f = fun(FLOAT32, lambda x: Call("add", Call("multiply", x, x), Literal(1, FLOAT32)))
    e = Unknown._make((f, term("map abs xs"), term("is")))
    cost = count(e)
    assert cost.read is 8 * N
    assert {str(work): number for work, number in cost.operations.items()} == {F32: 3 * N}


@pytest.mark.slow
def test_long_chains_are_counted_without_recursion():
    e = Param("xs", array_of(FLOAT32, N))
    for _ in range(1000):
        e = Map(fun(FLOAT32, lambda x: Call("add", x, Literal(1, FLOAT32))), e)
    x = body = fresh(FLOAT32)
    for _ in range(20_000):
        body = Call("add", body, body)
    e = Join(Split(N, Map(close([x], body), e)))
    cost = count(e)
    assert cost.operations == {Work("arithmetic", "float32"): 21_000 * N}
    assert cost.read is 4 * N


@settings(
    max_examples=2 * settings.default.max_examples,
    phases=[phase for phase in Phase if phase is not Phase.shrink],
    suppress_health_check=list(HealthCheck),
)
@given(well_typed_expressions(low_level=True))
def test_what_a_random_program_depends_on_is_counted(program: Program):
    """At most the inputs are read, at least what the result depends on; all of the result is written."""
    cost, sizes = count(program.expr), program.sizes
    assert cost.written.evaluate(sizes) == _bytes(evaluate_type(program.expr.type, sizes))
    assert all(number.evaluate(sizes) >= 0 for number in cost.operations.values())
    read = cost.read.evaluate(sizes)
    inputs = [evaluate_type(p.type, sizes) for p in parameters(program.expr)]
    assert read <= sum(map(_bytes, inputs))
    before = _bits(interpret(program.expr, program.inputs, sizes))
    needed = 0
    for name, value in program.inputs.items():
        flat = value.reshape(-1)
        for at in range(min(flat.size, 12)):
            changed = flat.copy()
            changed[at] = not flat[at] if flat.dtype == bool else flat[at] + 77
            other = interpret(program.expr, {**program.inputs, name: changed.reshape(value.shape)}, sizes)
            needed += flat.itemsize * (_bits(other) != before)
    assert read >= needed


def _bytes(layout) -> int:
    if isinstance(layout, tuple):
        return sum(map(_bytes, layout))
    return int(np.prod(layout.shape, dtype=np.int64)) * layout.dtype.itemsize


def _bits(value) -> bytes:
    return b"".join(np.ascontiguousarray(leaf).tobytes() for leaf in leaves(value))
