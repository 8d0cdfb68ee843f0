"""Allocation: arrays that are not in use at the same time share memory, others do not."""

from __future__ import annotations

import pytest

from ir.core.notation.parser import parse
from ir.core.types import FLOAT32, FLOAT64, array_of
from ir.core.verify import verify_low_level
from ir.opencl.generate import Kernel, generate
from ir.opencl.passes.allocation import local_bytes, share_arrays
from ir.opencl.tree import Access, Barrier, Block, Declare, Function, Loop, Node, Statement, render
from ir.schedules.candidates import Candidates
from tests.ir.opencl.cases import GOLDENS
from tests.ir.opencl.running import check
from tests.ir.schedules.zoo import ZOO, N

ROWS = array_of(FLOAT32, N, 64)


def function(*body: Node, space: str = "__local", types: tuple[str, ...] = ("float", "float", "float")) -> Function:
    arrays = [
        Declare(t, name, length=length, space=space, element_bytes=4)
        for name, length, t in zip("abc", (4, 8, 6), types, strict=True)
    ]
    names = {name: frozenset({name}) for name in "abc"} | {"p": frozenset({"a", "b"})}
    return Function("k", [], Block([Block(list(arrays)), Block(list(body))]), arrays=names)


def write(name: str) -> Statement:
    return Statement(f"{name}[i] = 0", writes=(Access(name),))


def read(name: str) -> Statement:
    return Statement(f"x = {name}[i]", reads=(Access(name),))


MADE_OF_A = Statement("b[i] = a[i]", reads=(Access("a"),), writes=(Access("b"),))


def fill(name: str) -> Block:
    return Block([Barrier(before=(name,)), write(name), Barrier()])


def loop(*body: Node) -> Loop:
    return Loop("int", "i", "0", "4", "1", Block(list(body)))


@pytest.mark.parametrize(
    ("name", "body", "elements"),
    [
        ("one after the other", [fill("a"), read("a"), fill("b"), read("b"), fill("c"), read("c")], 8),
        ("made of another", [fill("a"), Barrier(before=("b",)), read("a"), write("b"), read("b")], 4 + 8 + 6),
        ("made of another at once", [fill("a"), Barrier(before=("b",)), MADE_OF_A, read("b")], 4 + 8 + 6),
        ("a chain", [fill("a"), fill("b"), read("a"), read("b"), fill("c"), read("c")], 4 + 8),
        ("read in a loop that fills another", [fill("a"), loop(read("a"), fill("b"), read("b"))], 4 + 8 + 6),
        ("both in one turn", [loop(fill("a"), read("a"), fill("b"), read("b"))], 8 + 6),
        ("read after the loop", [loop(fill("a"), read("a"), fill("b")), read("b")], 4 + 8 + 6),
        ("behind a pointer", [fill("a"), fill("b"), read("p"), fill("c"), read("c"), read("p")], 4 + 8 + 6),
        ("behind a pointer, until its last use", [fill("a"), fill("b"), read("p"), fill("c"), read("c")], 4 + 8),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_lifetimes(name, body, elements):
    kernel = function(*body)
    share_arrays(kernel)
    assert local_bytes(kernel) == 4 * elements


def test_arrays_of_another_type_do_not_share():
    kernel = function(fill("a"), read("a"), fill("b"), read("b"), types=("float", "int", "float"))
    share_arrays(kernel)
    assert local_bytes(kernel) == 4 * (4 + 8 + 6)


def test_the_text_names_the_array_that_is_shared():
    kernel = function(fill("a"), read("a"), fill("b"), read("b"), fill("c"), read("c"))
    share_arrays(kernel)
    assert render(kernel).count("__local") == 1
    assert "b[" not in render(kernel)
    assert render(kernel).count("= a[i]") == 3


def test_private_arrays_in_blocks_of_their_own_share_one_around_them():
    body = [Block([Declare("float", name, length=4), write(name), read(name)]) for name in "ab"]
    names = {name: frozenset({name}) for name in "ab"}
    kernel = Function("k", [], Block(list(body)), arrays=names)
    share_arrays(kernel)
    assert render(kernel).splitlines()[2:4] == ["{", "    float a[4];"]
    assert render(kernel).count("float") == 1


# --- generated kernels ------------------------------------------------------------------------------------------------


def kernels(text: str) -> tuple[Kernel, ...]:
    e = parse(text, {"rows": ROWS}, {"n": N})
    verify_low_level(e)
    return generate(e).kernels


STAGE = "mapLocal (λx. x) (slice {0} (-1) {1} (toLocal (mapLocal abs (slice {2} 1 {1} r))))"
FIRST, SECOND = STAGE.format(31, 32, 0), STAGE.format(15, 16, 32)


def test_two_stages_take_the_maximum_of_their_bytes():
    one = kernels(f"mapWorkgroup (λr. {FIRST}) rows")
    other = kernels(f"mapWorkgroup (λr. {SECOND}) rows")
    both = kernels(f"mapWorkgroup (λr. concat({FIRST}, {SECOND})) rows")
    assert [k.local_bytes for k in (*one, *other, *both)] == [128, 64, 128]


def test_copies_of_an_unrolled_loop_take_the_bytes_of_one():
    loops = {how: kernels(f"mapWorkgroup (λr. join ({how} (λc. {STAGE.format(15, 16, 0).replace(' r)', ' c)')}) (split 16 r))) rows") for how in ("mapSeq", "mapSeqUnroll")}  # fmt: skip # noqa: E501
    assert [k.local_bytes for ks in loops.values() for k in ks] == [64, 64]


@pytest.mark.parametrize("name", ["local_twice", "local_chain", "local_unrolled", "private_twice"])
def test_shared_arrays_hold_the_right_values(name, device):
    case = next(golden for golden in GOLDENS if golden.name == name)
    check(device, case.high, case.low, *[{"n": n} for n in (1, 2, 7)], exact=True)


def test_declared_bytes_are_what_the_source_declares():
    text = f"mapWorkgroup (λr. concat({FIRST}, {SECOND})) rows"
    e = parse(text, {"rows": array_of(FLOAT64, N, 64)}, {"n": N})
    program = generate(e)
    assert "__local double shared0[32] __attribute__((aligned(16)));" in program.source
    assert [k.local_bytes for k in program.kernels] == [256]


@pytest.mark.slow
@pytest.mark.sweep
def test_the_bytes_of_every_schedule_stay_within_its_constraint():
    for case in ZOO:
        candidates = Candidates.of(case.expr)
        for schedule in (s for s in candidates.schedules if not s.by_library):
            parameters = schedule.parameters(candidates.normal)
            choices = {p.name: p.values[0] for p in parameters}
            used = max(
                k.local_bytes
                for k in generate(candidates.derive({"schedule": schedule.name, **choices}).result).kernels
            )
            stated = [c for c in schedule.constraints(candidates.normal) if "local_memory_bytes" in str(c.right)]
            allowed = [c.left.evaluate({v.name: choices.get(v.name, 1) for v in c.left.variables}) for c in stated]
            assert used <= max(allowed, default=0), f"{case} {schedule.name}"
