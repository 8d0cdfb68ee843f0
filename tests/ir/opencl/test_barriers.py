# ruff: noqa: E501  # a case reads best on one line
"""Barriers: those that are left are needed, shown by a simulator that reports races as soon as one is taken away."""

from __future__ import annotations

import math
import os
import random
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import ir.opencl.generate as generator
from ir.core.expr import Expr, postorder
from ir.core.patterns import Memory
from ir.core.size_variables import sizes_in
from ir.core.sizes import var
from ir.cost.thresholds.scans import SCANNED_SUMS_EACH, SCANNED_SUMS_GROUP
from ir.opencl.generate import Program, generate
from ir.opencl.passes.barriers import barriers_of, remove_barriers
from ir.opencl.tree import Access, Barrier, Block, Declare, Function, If, Loop, Node, Statement, render, walk
from ir.schedules.candidates import Candidates
from lazyarr.runtime import Device, default_device
from tests import oclgrind
from tests.ir import values
from tests.ir.opencl.cases import GOLDENS
from tests.ir.opencl.running import check, compute
from tests.ir.opencl.test_kernels import SIZES, chosen
from tests.ir.schedules.zoo import ZOO

# --- the pass on trees written by hand --------------------------------------------------------------------------------

ITEM, OTHER, TURN = var("item", 0, 7), var("other", 0, 7), var("i", 0, 3)
FIRST = var("first", 0, 0)  # the index of a map over one element: only the first work-item has it


def kernel(*body: Node, group: tuple[int, ...] = (8,)) -> Function:
    arrays = {name: frozenset({name}) for name in ("a", "b")} | {"p": frozenset({"a", "b"})}
    declarations = [Declare("float", name, length=64, space="__local") for name in ("a", "b")]
    return Function(
        "k", [], Block([*declarations, *body]), group=group, items={ITEM: 0, OTHER: 0, FIRST: 0}, arrays=arrays
    )


def write(name: str, index: object = ITEM, width: int = 1) -> Statement:
    return Statement(f"{name}[..] = 0", writes=(Access(name, index, width),))  # type: ignore[arg-type]


def read(name: str, index: object = None, width: int = 1) -> Statement:
    return Statement(f"x = {name}[..]", reads=(Access(name, index, width),))  # type: ignore[arg-type]


def loop(*body: Node, runs: bool = True) -> Loop:
    return Loop("int", "i", "0", "4", "1", Block(list(body)), runs=runs)


def of_many(*body: Node) -> Loop:
    """A map of more elements than there are work-items."""
    return Loop("int", str(ITEM), "get_local_id(0)", "length", "get_local_size(0)", Block(list(body)))


TURNS = (write("b"), Barrier(), read("b"), Barrier())


def kept(function: Function) -> list[int]:
    """Which of the barriers are kept, by number."""
    before = [barrier for _, barrier in barriers_of(function)]
    remove_barriers(function)
    after = {id(barrier) for _, barrier in barriers_of(function)}
    return [number for number, barrier in enumerate(before) if id(barrier) in after]


@pytest.mark.each
@pytest.mark.parametrize(
    ("name", "body", "expected"),
    [
        ("before the first write", [Barrier(), write("a"), Barrier(), read("a")], [1]),
        ("after the last use", [write("a"), Barrier(), read("a"), Barrier()], [0]),
        ("two in a row", [write("a"), Barrier(), Barrier(), read("a")], [1]),
        ("nothing of that memory between", [write("a"), Barrier(), write("b"), Barrier(), read("a")], [1]),
        ("another array", [write("a"), Barrier(), read("b")], []),
        ("a pointer to either", [write("a"), Barrier(), read("p")], [0]),
        ("two reads", [read("a"), Barrier(), read("a")], []),
        ("written again", [write("a"), Barrier(), read("a"), Barrier(), write("a"), Barrier(), read("a")], [0, 1, 2]),
        ("one's own element", [write("a"), Barrier(), read("a", OTHER)], []),
        ("a neighbour's element", [write("a"), Barrier(), read("a", OTHER + 1)], [0]),
        ("one's own elements", [write("a", ITEM * 4 + TURN), Barrier(), read("a", OTHER * 4, width=4)], []),
        ("a vector that goes too far", [write("a", ITEM * 4 + TURN), Barrier(), read("a", OTHER * 4, 8)], [0]),
        ("rows of one's own", [write("a", ITEM + 8 * TURN), Barrier(), read("a", OTHER + 8 * TURN)], []),
        ("rows of another length", [write("a", ITEM + 8 * TURN), Barrier(), read("a", OTHER + 16 * TURN)], [0]),
        ("rows that overlap", [write("a", ITEM + 4 * TURN), Barrier(), read("a", OTHER + 4 * TURN)], [0]),
        ("the first work-item alone", [write("a", FIRST + 3), Barrier(), read("a", FIRST * 2)], []),
        ("the first one's before the others'", [write("a", FIRST), Barrier(), read("a", OTHER + TURN + 1)], []),
        ("the first one's, of pairs", [read("a", FIRST + 1), Barrier(), write("a", 2 * ITEM + TURN % 2)], []),
        ("another one's, of pairs", [read("a", FIRST + 2), Barrier(), write("a", 2 * ITEM + TURN % 2)], [0]),
        ("the first one's by all", [write("a", FIRST + 3), Barrier(), read("a", OTHER + 1)], [0]),
        ("a uniform index", [write("a"), Barrier(), read("a", TURN)], [0]),
        ("backwards", [write("a", 7 - ITEM), Barrier(), read("a", 7 - OTHER)], [0]),
        ("every turn overwrites", [loop(Barrier(), write("a"), Barrier(), read("a"))], [0, 1]),
        ("the end of a turn", [loop(write("a"), Barrier(), read("a"), Barrier())], [0, 1]),
        (
            "the end of a turn before one that begins with a barrier",
            [loop(Barrier(), write("a"), Barrier(), read("a"), Barrier())],
            [1, 2],
        ),
        ("once around a loop and in it", [write("a"), Barrier(), loop(Barrier(), write("b"), Barrier(), read("p"))], [1, 2]),
        ("a loop that may not run", [write("a"), Barrier(), loop(Barrier(), read("b"), runs=False), read("a")], [0]),
        ("the one outside rather than the one in a loop", [write("a"), loop(write("b"), Barrier()), Barrier(), read("a")], [1]),
        ("a loop that runs", [write("a"), loop(*TURNS), Barrier(), read("a")], [0, 1]),
        ("a loop that may not run, before", [write("a"), loop(*TURNS, runs=False), Barrier(), read("a")], [0, 1, 2]),
        (
            "a map of many elements, which reads and writes what pointers stand for, in a loop",
            [write("a"), Barrier(), loop(of_many(read("p", 2 * ITEM), write("p")), Barrier())],
            [0, 1],
        ),
        ("a map of many elements after another", [of_many(write("a")), Barrier(), of_many(read("a", ITEM + 1))], [0]),
        ("a guard", [write("a"), Barrier(), If("c", Block([Barrier(), read("a")])), read("a")], [0]),
        ("a value in a guard", [write("a"), Barrier(), If("a[0]", Block([]), reads=(Access("a"),))], [0]),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_what_is_kept(name, body, expected):
    assert kept(kernel(*body)) == expected


def test_a_group_of_one_work_item_needs_none():
    assert kept(kernel(write("a"), Barrier(), read("a"), group=(1, 1))) == []


def test_an_element_has_one_owner_only_where_each_dimension_says_which():
    body = [write("a"), Barrier(), read("a", OTHER)]
    assert kept(kernel(*body, group=(8, 1))) == []
    assert kept(kernel(*body, group=(8, 2))) == [0]


# --- the pass on random trees, whose work-items are then followed one by one -------------------------------------------

WORK_ITEMS, TURNS_TAKEN = 4, 3
OWN = [lambda i, t: i, lambda i, t: 4 * t + i, lambda i, t: 4 * i + t, lambda i, t: 2 * i + 8]
ANY = [*OWN, lambda i, t: i + 1, lambda i, t: 3 - i, lambda i, t: i + t, lambda i, t: 2 * i + t, lambda i, t: t + 0 * i]


def random_tree(rng: random.Random, depth: int, places: dict[int, tuple[str, bool, Callable[..., Any]]]) -> Block:
    """Statements with a barrier on either side, in loops and conditionals; what each statement does goes to `places`."""
    item, turn = var("item", 0, WORK_ITEMS - 1), var(f"turn{depth}", 0, TURNS_TAKEN - 1)
    body: list[Node] = []
    for _ in range(rng.randint(1, 3)):
        inner = rng.random() if depth < 2 else 0.0
        if inner > 0.85:
            body.append(If("c", random_tree(rng, depth + 1, places)))
        elif inner > 0.6:
            body.append(loop(random_tree(rng, depth + 1, places), runs=rng.random() < 0.5))
        else:
            name, is_write = rng.choice("ab"), rng.random() < 0.4
            place = rng.choice(OWN if is_write else ANY)
            access = (Access(name, place(item, turn)),)
            statement = Statement("s", writes=access) if is_write else Statement("s", reads=access)
            places[id(statement)] = name, is_write, place
            body += [Barrier(), statement, Barrier()]
    return Block(body)


def steps(node: Node, rng: random.Random, turn: int = 0) -> Iterator[tuple[Node, int]]:
    """The barriers and statements that a work-group passes in one run, with the turn of the loop around each."""
    match node:
        case Loop(body=body, runs=runs):
            for number in range(rng.randint(1 if runs else 0, TURNS_TAKEN)):
                yield from steps(body, rng, number)
        case If(body=body):
            if rng.random() < 0.5:
                yield from steps(body, rng, turn)
        case Block(body=parts):
            for part in parts:
                yield from steps(part, rng, turn)
        case _:
            yield node, turn


def has_race(run: list[tuple[Node, int]], places: dict[int, tuple[str, bool, Callable[..., Any]]]) -> bool:
    """Do two work-items use one element between two barriers, one of them writing it?"""
    users: dict[tuple[str, int], set[tuple[int, bool]]] = {}
    for node, turn in run:
        if isinstance(node, Barrier):
            users.clear()
            continue
        name, is_write, place = places[id(node)]
        for item in range(WORK_ITEMS):
            found = users.setdefault((name, place(item, turn)), set())
            if any(other != item and (is_write or wrote) for other, wrote in found):
                return True
            found.add((item, is_write))
    return False


def test_random_trees_stay_free_of_races():
    removed = left = 0
    for seed in range(400):
        rng = random.Random(seed)
        places: dict[int, tuple[str, bool, Callable[..., Any]]] = {}
        item = var("item", 0, WORK_ITEMS - 1)
        body = random_tree(rng, 0, places)
        function = kernel(body, group=(WORK_ITEMS,))
        function.items = {item: 0}
        all_barriers = len(barriers_of(function))
        remove_barriers(function)
        left += len(barriers_of(function))
        removed += all_barriers - len(barriers_of(function))
        for _ in range(20):
            assert not has_race(list(steps(body, rng)), places), f"seed {seed}"
    assert min(removed, left) > 300  # both happen often


# --- generated kernels ------------------------------------------------------------------------------------------------


BARRIER = re.compile(r"^ *barrier\(.*\);\n", re.MULTILINE)


def without(program: Program, number: int) -> Program:
    """A program whose barrier of that number, counted through its kernels, is taken away."""
    start, stop = list(BARRIER.finditer(program.source))[number].span()
    return replace(program, source=program.source[:start] + program.source[stop:])


def barrier_count(program: Program) -> int:
    """How many barriers stand in the kernels; those in what the lanes of warps call are not counted."""
    return len(BARRIER.findall(program.source))


def generated(low: Expr) -> tuple[Program, tuple[object, ...]]:
    """An expression's program, and what its kernels do with local memory: equal for kernels that differ in types and
    operators only.
    """
    found: list[object] = []

    def remove(function: Function) -> None:
        remove_barriers(function)
        for node in walk(function.body):
            match node:
                case Barrier():
                    found.append("barrier")
                case Loop(stop=stop):
                    found.append(stop)
                case Statement(reads=reads, writes=writes) if reads or writes:
                    found.append((reads, writes))

    generator.remove_barriers = remove  # type: ignore[attr-defined]
    try:
        program = generate(low)
    finally:
        generator.remove_barriers = remove_barriers  # type: ignore[attr-defined]
    return program, tuple(found)


FEW_WORK_ITEMS = {"lanes": 32, "local": 32, "down": 4, "across": 4}
"""No more than that of those parameters: without a barrier there is a report for each pair of work-items, and 16 of a
product's show what 256 do.
"""

READ_IN_CHUNKS = ("rows_less_their_maximum", "row_moments", "softmax_rows", "layer_norm_rows", "rows_off_their_sums")


def kernels_with_barriers() -> Iterator[tuple[str, Expr, dict[str, int], list[Program]]]:
    """Low-level expressions with barriers, by name, sizes at which their work-items disagree, and their programs: one
    each, and for a tree in local memory another one with twice as many work-items.

    Kernels of the zoo that use local memory alike are given once. What is handed over to the last work-group is a race
    to a simulator.
    """
    for golden in GOLDENS:
        if barrier_count(program := generate(golden.low)) and not is_handed_over(golden.low):
            yield golden.name, golden.low, golden.sizes[-1], [program]
    known = set()
    for case in ZOO:
        names = {v.name for v in sizes_in(case.expr)}
        is_matrix = any(name in ("xss", "yss") for name in case.inputs)
        candidates = Candidates.of(case.expr)
        for configuration in chosen(case, fences=False):
            if not candidates.schedule(str(configuration["schedule"])).exchanges:
                continue  # it has none: `test_schedules` looks at that
            configuration = {k: min(v, FEW_WORK_ITEMS.get(k, v)) for k, v in configuration.items()}
            if configuration.get("sums"):  # two turns of the group that scans the sums, of few elements
                configuration = configuration | {"local": 8, "each": 3, "sums": 8, "lanes": 0}
            low = candidates.derive(configuration).result
            program, used = generated(low)
            if used not in known and barrier_count(program):
                known.add(used)
                chunked = "ways" in configuration  # has barriers for whole chunks, and for the steps that are left
                sizes = {"n": 3, "m": 3, "k": 2} if is_matrix else {**SIZES, "n": 4901 if chunked else 293}
                if configuration.get("sums"):  # 40 blocks of 24 and some
                    sizes |= {"m": 1097} if is_matrix else {"n": 1097, "m": 5}
                if str(case) == "neighbours":
                    sizes["n"] = 5  # rows, of which each work-group has one
                if str(case).startswith("windows"):
                    sizes = {"n": 2, "m": 3, "k": 2}  # three windows
                if configuration["schedule"] == "groups" and "m" in sizes:
                    sizes["m"] = 67  # places: some of the few numbers that are left name one
                if configuration["schedule"] in ("product_tiles", "product_tile_parts"):
                    # two work-items each way, whole chunks and a rest
                    sizes = {"n": 2 * int(configuration["rows"]), "k": 2 * int(configuration["columns"])}
                    sizes["m"] = 2 * int(configuration["chunk"]) * int(configuration.get("parts", 1)) + 3
                if configuration["schedule"] in ("mapped_row_kept", "row_shares"):
                    sizes["n"] = int(configuration["rows"]) + 1  # a group's, and some of another
                    sizes["n"] -= str(case).startswith("windows")  # of which there is one more
                if (
                    configuration["schedule"] == "row_tree" and "each" in configuration
                ):  # two blocks of a row, and a rest
                    sizes = {"n": 1, "m": 2 * int(configuration["local"]) * int(configuration["each"]) + 3}
                if configuration["schedule"] == "row_parts":  # two blocks of a part
                    sizes = {
                        "n": 1,
                        "m": int(configuration["parts"]) * (SCANNED_SUMS_GROUP * SCANNED_SUMS_EACH + 1) + 3,
                    }
                if configuration["schedule"] == "local_tiles":
                    sizes |= {"n": 69, "m": 67}  # whole tiles
                if str(case) in READ_IN_CHUNKS:  # what others read in whole chunks
                    sizes["m"] = 5 + math.prod(int(configuration.get(name, 1)) for name in ("local", "width", "ways"))
                programs = [program]
                if "local" in configuration:  # of a tree in local memory, the other array has the result
                    twice = configuration | {"local": 2 * int(configuration["local"])}
                    programs.append(generate(candidates.derive(twice).result))
                yield f"{case} {configuration}", low, {k: v for k, v in sizes.items() if k in names}, programs


@contextmanager
def reports_are_short() -> Iterator[None]:
    """Within it, what the simulator reports is found with less work; it reads these variables anew each time.

    It prints a report for each pair of work-items and statements, with all that it knows of where these stand in the
    source: that takes most of the time of a kernel without a barrier. Here kernels have no such notes, and the first and
    the last work-group alone are run. A race that is not met there fails the test.
    """
    names = ("OCLGRIND_BUILD_OPTIONS", "OCLGRIND_QUICK")
    before = {name: os.environ.pop(name, None) for name in names}
    os.environ["OCLGRIND_BUILD_OPTIONS"] = f"{before[names[0]] or ''} -D__kernel=__attribute__((nodebug))kernel"
    os.environ["OCLGRIND_QUICK"] = "1"
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name)
            if value is not None:
                os.environ[name] = value


def run_without_each_barrier() -> None:
    """Under the simulator: a race for every barrier taken away, there or with twice as many work-items, and none with
    all of them.
    """
    device = default_device()
    assert device.simulator
    log = Path(os.environ["OCLGRIND_LOG"])

    def reported(program: Program, low: Expr, sizes: dict[str, int]) -> str:
        before = log.stat().st_size if log.exists() else 0
        compute(device, program, low, (values.random_inputs(low, sizes, 5, whole=True), sizes))
        if not log.exists():
            return ""
        with log.open() as file:
            file.seek(before)
            return file.read()

    tried = 0
    for name, low, sizes, programs in kernels_with_barriers():
        report = reported(programs[0], low, sizes)
        assert not report, f"{name}: {report[:2000]}"
        for number in range(barrier_count(programs[0])):
            with reports_are_short():
                races = ("data race" in reported(without(p, number), low, sizes).lower() for p in programs)
                assert any(races), f"{name}: barrier {number} is not needed"
            tried += 1
    assert tried > 0


@pytest.mark.sweep
@pytest.mark.skipif(not oclgrind.available(), reason="Oclgrind is not installed")
def test_each_barrier_that_is_left_is_needed():
    """In one process: it derives and reads all kernels first, to leave out those that use local memory alike."""
    code = "from tests.ir.opencl.test_barriers import run_without_each_barrier as run\nrun()"
    # races alone are looked for: the simulator takes half the time
    oclgrind.run(code, timeout=3000, environment={"OCLGRIND_MAX_ERRORS": "10000000", "OCLGRIND_UNINITIALIZED": "0"})


def run_goldens(handed_over: bool = False) -> None:
    """All golden kernels that go on in their last work-group, or all others, compared, on the default device."""
    device: Device = default_device()
    assert device.simulator
    for case in GOLDENS:
        for sizes in case.sizes[:2] if is_handed_over(case.low) == handed_over else ():
            check(device, case.high, case.low, sizes, exact=case.exact)


def is_handed_over(e: Expr) -> bool:
    """Does a work-group read what others wrote in the same kernel?"""
    return any(isinstance(node, Memory) and node.space == "lastGroup" for node in postorder(e))


@pytest.mark.slow
@pytest.mark.skipif(not oclgrind.available(), reason="Oclgrind is not installed")
@pytest.mark.sweep
def test_a_simulator_finds_no_wild_access_in_kernels_that_go_on_in_their_last_work_group():
    """Nor an uninitialised read. It knows no fence of the device, and so calls the reading itself a race."""
    code = "from tests.ir.opencl.test_barriers import run_goldens as run\nrun(handed_over=True)"
    assert oclgrind.run(code, timeout=300, environment={"OCLGRIND_DATA_RACES": "0"}) == ""
    assert "race" in oclgrind.run(code, timeout=300)


@pytest.mark.slow
@pytest.mark.skipif(not oclgrind.available(), reason="Oclgrind is not installed")
@pytest.mark.sweep
def test_a_simulator_finds_nothing_wrong_with_the_golden_kernels():
    code = "from tests.ir.opencl.test_barriers import run_goldens as run\nrun()"
    assert oclgrind.run(code, timeout=600) == ""


def test_a_tree_in_local_memory_keeps_one_barrier_before_its_loop_and_one_in_it():
    tree = next(case for case in GOLDENS if case.name == "figure_9a")
    assert barrier_count(generate(tree.low)) == 2


def test_printing_does_not_depend_on_the_accesses():
    plain = Function("k", [], Block([Statement("x = 1"), Barrier()]))
    assert render(plain) == "__kernel void k(\n)\n{\n    x = 1;\n    barrier(CLK_LOCAL_MEM_FENCE);\n}\n"
