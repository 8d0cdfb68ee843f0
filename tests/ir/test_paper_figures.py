"""The papers' derivations and low-level expressions of asum, step by step and as they are printed.

ICFP 2015, figure 10; the journal draft's figures 8 and 9, whose `part-red` is `reducePart`, `map-seq` is `mapSeq`, and
so on.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest

from ir.core.expr import Expr
from ir.core.notation.parser import parse
from ir.core.semantics.interpreter import interpret
from ir.core.sizes import var
from ir.core.types import FLOAT32, array_of
from ir.core.verify import verify, verify_low_level
from ir.errors import GenerationError, ParseError, VerificationError
from ir.opencl.generate import generate
from lazyarr import lift
from lazyarr.runtime import Device, DeviceError, default_device
from tests import oclgrind

N, PARTS, LENGTH = var("n", 1), var("j", 1), var("i", 1)


def asum(text: str, length=LENGTH * PARTS) -> Expr:
    return parse(text, {"xs": array_of(FLOAT32, length)}, {"i": LENGTH, "j": PARTS, "n": N})


HIGH = "(reduce (+) 0 ∘ map abs) xs"

# The rules between two states, with their figures as the paper writes them above the arrow, and the state after them.
FIGURE_10 = [
    (
        ["6d"],
        [("reduce_to_parts", None, {"parts": "j"})],
        "(reduce (+) 0 ∘ reducePart (+) 0 j ∘ map abs) xs",
    ),
    (
        ["6d"],
        [("part_split", None, {"parts": 1})],
        "(reduce (+) 0 ∘ join ∘ map (reducePart (+) 0 1) ∘ split i ∘ map abs) xs",
    ),
    (
        ["6c"],
        [("split_join", "map abs", {"n": "i"})],
        "(reduce (+) 0 ∘ join ∘ map (reducePart (+) 0 1) ∘ split i ∘ join ∘ map (map abs) ∘ split i) xs",
    ),
    (
        ["6e"],
        [("split_after_join", None, {})],
        "(reduce (+) 0 ∘ join ∘ map (reducePart (+) 0 1) ∘ map (map abs) ∘ split i) xs",
    ),
    (
        ["6f"],
        [("map_fusion", None, {})],
        "(reduce (+) 0 ∘ join ∘ map (reducePart (+) 0 1 ∘ map abs) ∘ split i) xs",
    ),
    (
        ["7a"],
        [("map_to_seq", "map abs", {})],
        "(reduce (+) 0 ∘ join ∘ map (reducePart (+) 0 1 ∘ mapSeq abs) ∘ split i) xs",
    ),
    (
        ["6d", "7b"],
        [("part_to_reduce", None, {}), ("reduce_to_seq", "reduce (+) 0 ∘ mapSeq abs", {})],
        "(reduce (+) 0 ∘ join ∘ map (reduceSeq (+) 0 ∘ mapSeq abs) ∘ split i) xs",
    ),
    (
        ["6f"],
        [("reduce_seq_fusion", None, {})],
        "(reduce (+) 0 ∘ join ∘ map (reduceSeq (λ(acc, a). acc + (abs a)) 0) ∘ split i) xs",
    ),
]

# The journal draft takes two steps of figure 10 for one: 3(d) twice.
FIGURE_8 = [
    (FIGURE_10[0][0] + FIGURE_10[1][0], FIGURE_10[0][1] + FIGURE_10[1][1], FIGURE_10[1][2]),
    *FIGURE_10[2:],
]


@pytest.mark.slow
@pytest.mark.parametrize("steps", [FIGURE_10, FIGURE_8], ids=["ICFP 2015, figure 10", "journal draft, figure 8"])
def test_the_derivation_of_a_fused_asum(steps):
    derivation = lift.derive(HIGH, xs="[float32](i*j)")
    assert derivation.expression is asum(HIGH)
    for figures, rules, text in steps:
        taken = []
        for rule, at, parameters in rules:
            derivation.apply(rule, at, **parameters)
            taken.append(str(derivation).split("\n=")[-1].split()[0])
        assert taken == figures
        assert derivation.expression is asum(text)
    assert len(derivation) == 9
    derivation.verify()


def test_every_state_of_figure_10_has_the_same_value():
    derivation = lift.derive(HIGH, xs="[float32](i*j)")
    for _, rules, _ in FIGURE_10:
        for rule, at, parameters in rules:
            derivation.apply(rule, at, **parameters)
    xs = np.random.default_rng(3).permutation(35).astype(np.float32) - 17
    for state in derivation.states:
        assert interpret(state, {"xs": xs}, {"i": 7, "j": 5}).tolist() == [np.abs(xs).sum()]


# --- figure 9 of the journal draft ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Figure9:
    """One of the three low-level expressions.

    text : in our notation, `{chunk}` and so on standing for the constants
    chunk : elements of a work-group, of which the input's length is a multiple
    item, local : elements (vectors) of a work-item, and work-items; each is a power of two
    local_bytes : the local memory that the expression asks for
    """

    name: str
    text: str
    chunk: int
    item: int
    local: int
    width: int
    local_bytes: int

    @property
    def expr(self) -> Expr:
        turns = self.local.bit_length() - 1
        text = self.text.format(**vars(self), turns=turns, vectors=self.chunk // self.width)
        return asum(text, self.chunk * N)

    def smaller(self, item: int, local: int) -> Figure9:
        """The same with other constants, for a simulator that takes long."""
        return replace(self, item=item, local=local, chunk=item * local * self.width)


# What differs from the figures' text, for all three: `toGlobal` around what the last `reduceSeq` reads says where one
# kernel ends and the next begins.
# In (b) and (c) `asScalar` comes after `join`, since its type in figure 4 of ICFP 2015 takes an array of vectors, and
# `asVector` is applied to a work-group's chunk, as its constants (in elements outside, in vectors inside) ask for.
A = Figure9(
    "Nvidia",
    "(reduceSeq (+) 0 ∘ toGlobal (join ∘ mapWorkgroup0 ("
    " join ∘ toGlobal (mapLocal0 (mapSeq (λx. x))) ∘ split 1"
    " ∘ iterate {turns} (λ[2*m3 → m3 : 1..]. join ∘ mapLocal0 (reduceSeq (+) 0) ∘ split 2)"
    " ∘ join ∘ toLocal (mapLocal0 (reduceSeq (λ(acc, x). acc + abs x) 0)) ∘ split {item} ∘ reorderStride {local}"
    ")) ∘ split {chunk}) xs",
    chunk=262144,
    item=2048,
    local=128,
    width=1,
    local_bytes=4 * (128 + 64),
)
B = Figure9(
    "AMD",
    "(reduceSeq (+) 0 ∘ toGlobal (asScalar ∘ join ∘ mapWorkgroup0 ("
    " join ∘ toGlobal (mapLocal0 (mapSeq (λx. x))) ∘ split 1"
    " ∘ iterate {turns} (λ[2*m3 → m3 : 1..]. join ∘ mapLocal0 (reduceSeq (vect 4 (+)) (splat 4 0)) ∘ split 2)"
    " ∘ join ∘ toLocal (mapLocal0 (reduceSeq (vect 4 (λ(acc, x). acc + abs x)) (splat 4 0)))"
    " ∘ split {item} ∘ reorderStride {local} ∘ asVector 4"
    ")) ∘ split {chunk}) xs",
    chunk=2048,
    item=2,
    local=256,
    width=4,
    local_bytes=16 * (256 + 128),
)
C = Figure9(
    "Intel",
    "(reduceSeq (+) 0 ∘ toGlobal (asScalar ∘ join ∘ mapWorkgroup0 ("
    " join ∘ mapLocal0 (reduceSeq (vect 4 (λ(acc, x). acc + abs x)) (splat 4 0)) ∘ split {item} ∘ asVector 4"
    ")) ∘ split {chunk}) xs",
    chunk=32768,
    item=8192,
    local=1,
    width=4,
    local_bytes=0,
)
FIGURE_9 = [A, B, C]
SMALL = [A.smaller(8, 16), B.smaller(2, 16), C.smaller(32, 1)]


def lowered(figure: Figure9) -> lift.ManualDerivation:
    """The figure's expression as the generator takes it."""
    return generated(lift.derive(figure.expr))


def generated(derivation: lift.ManualDerivation) -> lift.ManualDerivation:
    """What is left for the generator: `vect` goes into its functions (section 4.2), and `iterate` reads a `toLocal`."""
    if "join ∘ toLocal" in str(derivation.expression):
        derivation.apply("memory_after_join", at="join ∘ toLocal")
    while derivation.applicable("vect_propagation"):
        derivation.apply("vect_propagation", 0)
    return derivation.verify(low_level=True)


def whole_numbers(count: int) -> np.ndarray:
    """Distinct as far as float32 adds them up exactly, of both signs."""
    order = np.random.default_rng(9).permutation(count)
    return (order % 31 - 15 - (order % 7 == 0)).astype(np.float32)


@pytest.fixture(scope="module")
def device() -> Device:
    try:
        return default_device()
    except DeviceError as error:
        pytest.skip(str(error))


def check(figure: Figure9, device: Device, chunks: int) -> None:
    """What runs, what the interpreter says and what NumPy says are one number: whole numbers add up exactly."""
    xs = whole_numbers(figure.chunk * chunks)
    derivation = lowered(figure)
    expected = np.abs(xs).sum(dtype=np.float64)
    assert expected < 2**24
    assert interpret(figure.expr, {"xs": xs}, {"n": chunks}).tolist() == [expected]
    assert np.asarray(derivation.run(xs, device=device)).tolist() == [expected]


@pytest.mark.parametrize("figure", FIGURE_9, ids=lambda figure: figure.name)
def test_figure_9_is_typed_and_verified(figure):
    verify(figure.expr)
    assert parse(str(figure.expr), {"xs": array_of(FLOAT32, figure.chunk * N)}) is figure.expr
    derivation = lowered(figure)
    verify_low_level(derivation.expression)
    first, second = generate(derivation.expression).kernels
    assert first.launch.local == (figure.local,)
    assert str(first.launch.global_size[0]) == ("n" if figure.local == 1 else f"{figure.local}*n")
    assert second.launch.local == (1,)
    # an allocator may let arrays share memory, never take more than the partial sums and their half-sized copy
    assert first.local_bytes <= figure.local_bytes
    assert bool(first.local_bytes) == bool(figure.local_bytes)


@pytest.mark.parametrize("figure", FIGURE_9, ids=lambda figure: figure.name)
@pytest.mark.parametrize("chunks", [1, 3])
def test_figure_9_runs_with_the_papers_constants(figure, chunks, device):
    check(figure, device, chunks)


@pytest.mark.parametrize("figure", SMALL, ids=lambda figure: figure.name)
def test_figure_9_runs_with_smaller_constants(figure, device):
    check(figure, device, 5)


def run_under_the_simulator(number: int) -> None:
    """One of the smaller ones on the default device; called in a process of its own."""
    device = default_device()
    assert device.simulator
    check(SMALL[number], device, 2)


@pytest.mark.sweep
@pytest.mark.skipif(not oclgrind.available(), reason="Oclgrind is not installed")
@pytest.mark.parametrize("number", range(len(SMALL)), ids=[figure.name for figure in SMALL])
def test_a_simulator_finds_nothing_wrong_with_figure_9(number):
    # A process for each: the simulator takes memory that one program has used and the next one uses for uninitialised.
    code = f"from tests.ir.test_paper_figures import run_under_the_simulator as run\nrun({number})"
    assert oclgrind.run(code, timeout=300) == ""


# --- figure 9, derived ------------------------------------------------------------------------------------------------
#
# Section 6.2: "systematically derived by our system from the high-level expression", here by the rules' names.


def derived_a() -> lift.ManualDerivation:
    group = (2, 0, 0, 0)
    d = lift.derive(HIGH, xs="[float32](262144*n)")
    # a work-group for each chunk
    d.apply("reduce_to_parts", parts="n").apply("part_split", parts=1).apply("part_to_reduce")
    d.apply("split_after_map").apply("map_fusion").apply("map_to_workgroup", at="map (reduce", dim=0)
    # work-items that fold strided elements into local memory
    d.apply("reduce_to_parts", at=group, parts=128).apply("part_reorder").apply("part_split", at="reducePart", parts=1)
    d.apply("part_to_reduce").apply("reorder_to_stride", stride=128)
    d.apply("stride_after_map").apply("split_after_map").apply("map_fusion")
    d.apply("map_to_local", at="map (reduce", dim=0).apply("reduce_to_seq", at="reduce (+) 0 ∘ map abs")
    d.apply("map_to_seq", at="map abs").apply("reduce_seq_fusion").apply("to_local", at="mapLocal")
    halve_and_copy_back(d, group, "reduce (+) 0", turns=7)
    d.apply("to_global", at=(2,)).apply("reduce_to_seq").apply("to_global", at="mapLocal (mapSeq")
    return d


def test_figure_9_a_is_derived_by_the_rules():
    d = derived_a()
    assert d.expression is A.expr
    generated(d)


def test_memory_is_chosen_only_where_the_verifier_allows_it():
    """In each state of the derivation, wherever a rule of figure 7d fires, the state after it is sound too."""
    fired = set()
    for state in derived_a().states:
        d = lift.derive(state)
        for rule in ("to_global", "to_local", "to_private", "memory_after_join"):
            for found in d.applicable(rule):
                verify(d.apply(rule, at=found.path).expression)
                d.undo()
                fired.add((rule, len(found.path)))
    assert {rule for rule, _ in fired} == {"to_global", "to_local", "to_private", "memory_after_join"}
    assert len(fired) > 12


def halve_and_copy_back(d: lift.ManualDerivation, group: tuple[int, ...], fold: str, turns: int) -> None:
    """The partial results of a work-group are halved in local memory, and the last is copied out of it."""
    d.apply("reduce_to_part", at=group).apply("part_iterate", at=group, factor=2, count=turns)
    d.apply("part_split", at="reducePart", parts=1).apply("part_to_reduce")
    d.apply("map_to_local", at=f"map ({fold}", dim=0).apply("reduce_to_seq", at=f"{fold} chunk")
    d.apply("map_identity", at=group).apply("split_join", at=group, n=1)
    d.apply("map_to_local", at=(*group, 0), dim=0).apply("map_to_seq", at="map")


def vectors_in_groups(chunk: int) -> lift.ManualDerivation:
    """A work-group for each chunk, whose sum is one vector; the second kernel adds up the lanes."""
    d = lift.derive(HIGH, xs=f"[float32]({chunk}*n)")
    d.apply("vectorise_reduce", width=4).apply("vector_after_map")
    d.apply("reduce_to_parts", at=f"{ADD_VECTORS} ∘ map", parts="n").apply("reduce_lanes_late")
    d.apply("part_split", parts=1).apply("part_to_reduce").apply("split_after_map").apply("split_after_vector")
    d.apply("map_fusion", at="(map (map (vect 4 abs)) ∘ map (asVector").apply("map_fusion")
    return d.apply("map_to_workgroup", at=f"map ({ADD_VECTORS}", dim=0)


ADD_VECTORS = "reduce (vect 4 (+)) (splat 4 0)"
IN_GROUP = (2, 0, 0, 0, 0)


def test_figure_9_b_is_derived_by_the_rules():
    d = vectors_in_groups(2048)
    # work-items that fold strided vectors into local memory
    d.apply("reduce_to_parts", at=IN_GROUP, parts=256).apply("part_reorder")
    d.apply("part_split", at="reducePart", parts=1).apply("part_to_reduce").apply("reorder_to_stride", stride=256)
    d.apply("stride_after_map").apply("split_after_map").apply("map_fusion")
    fold_in_items(d)
    d.apply("to_local", at="mapLocal")
    halve_and_copy_back(d, IN_GROUP, ADD_VECTORS, turns=8)
    d.apply("to_global", at=(2,)).apply("reduce_to_seq").apply("to_global", at=(2, 0, *IN_GROUP[1:], 0))
    assert d.expression is B.expr
    generated(d)


def test_figure_9_c_is_derived_by_the_rules():
    d = vectors_in_groups(32768)
    # one work-item, which folds them all
    d.apply("reduce_to_part", at=IN_GROUP).apply("part_split", at="reducePart", parts=1).apply("part_to_reduce")
    d.apply("split_after_map").apply("map_fusion")
    fold_in_items(d)
    d.apply("to_global", at=(2,)).apply("reduce_to_seq")
    assert d.expression is C.expr
    generated(d)


def fold_in_items(d: lift.ManualDerivation) -> None:
    """Each work-item folds its vectors from left to right."""
    d.apply("map_to_local", at=f"map ({ADD_VECTORS}", dim=0)
    d.apply("reduce_to_seq", at=f"({ADD_VECTORS} ∘ map (vect 4 abs)").apply("map_to_seq", at="map (vect 4 abs)")
    d.apply("reduce_seq_fusion")


# --- what the figures write and the language does not take ------------------------------------------------------------


def test_results_are_kept_where_the_kernel_ends_not_inside_it():
    """The figure's only toGlobal stands inside the mapWorkgroup whose result reduceSeq reads: there it is refused."""
    inside = asum("(reduceSeq (+) 0 ∘ join ∘ mapWorkgroup0 (toGlobal (mapLocal0 abs)) ∘ split 8) xs", 8 * N)
    with pytest.raises(VerificationError, match="toGlobal"):
        verify(inside)
    with pytest.raises(GenerationError, match="no rule said where it is kept"):
        generate(inside)
    outside = asum("(reduceSeq (+) 0 ∘ toGlobal (join ∘ mapWorkgroup0 (mapLocal0 abs) ∘ split 8)) xs", 8 * N)
    verify_low_level(outside)
    generate(outside)


def test_iterate_reads_what_to_local_keeps_not_a_view_of_it():
    """The figure joins the rows that toLocal keeps; here toLocal keeps the joined rows."""
    text = (
        "(toGlobal (join ∘ mapWorkgroup0 (mapLocal0 (λx. x)"
        " ∘ iterate 3 (λ[2*m → m]. join ∘ mapLocal0 (reduceSeq (+) 0) ∘ split 2) ∘ {} ∘ split 4) ∘ split 32)) xs"
    )
    view = asum(text.format("join ∘ toLocal (mapLocal0 (reduceSeq (+) 0))"), 32 * N)
    with pytest.raises(VerificationError, match=r"iterate .* it reads an array in local memory: a toLocal"):
        verify_low_level(view)
    with pytest.raises(GenerationError, match="its input must be a toLocal"):
        generate(view)
    kept = asum(text.format("toLocal (join ∘ mapLocal0 (reduceSeq (+) 0))"), 32 * N)
    assert lift.derive(view).apply("memory_after_join").expression is kept
    verify_low_level(kept)
    generate(kept)


def test_vectors_are_made_of_scalars():
    """`asScalar ∘ map-workgroup(…) ∘ asVector-4 ∘ split-2048`, as the figure has it, is ill-typed."""
    with pytest.raises(ParseError, match="expected a scalar element"):
        asum("(asVector 4 ∘ split 2048) xs", 2048 * N)
    rows = "mapWorkgroup0 (mapLocal0 (λx. x) ∘ asVector 4) ∘ split 2048"
    with pytest.raises(ParseError, match=r"(?i)asscalar: expected"):
        asum(f"(join ∘ asScalar ∘ {rows}) xs", 2048 * N)
    generate(asum(f"(join ∘ map asScalar ∘ {rows}) xs", 2048 * N))  # what the types allow: scalars of each row
    generate(asum(f"(asScalar ∘ join ∘ {rows}) xs", 2048 * N))
