"""Results in the memory of an input: each condition refuses what breaks it, and what is allowed is right."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import product

import numpy as np
import pytest

from ir.core.expr import Expr
from ir.core.sizes import Size, size, var
from ir.core.types import FLOAT32, INT32
from ir.errors import GenerationError, RewriteError
from ir.opencl.generate import Program, Tree, generate, in_place_of, trees
from ir.opencl.passes.accesses import NAME, AccessLog
from ir.opencl.passes.in_place import CONDITIONS, _uses, why_not_in_place
from ir.opencl.read.views import Storage
from ir.opencl.stages import Launch, stages_of
from ir.opencl.tree import Block, Declare, Function, If, Loop, Node, Statement, Turns
from ir.schedules.candidates import Candidates
from lazyarr.runtime import Device
from tests import oclgrind
from tests.ir import values
from tests.ir.generation import generated
from tests.ir.opencl.running import compute
from tests.ir.schedules.zoo import CPU, GPU, ZOO, Case, configurations
from tests.tiers import by_tier, tier

# --- conditions, on trees written by hand -----------------------------------------------------------------------------

N = var("n", 1, 2**31 - 1)
TURN, INNER, AT = var("i", 0, N - 1), var("j", 0, 3), var("at0", 0, N - 1)
ONE = Launch((size(1),), (1,))


class Written:
    """A kernel that reads `x` and writes `result`, and may read `y`."""

    def __init__(self, launch: Launch = ONE, t: object = FLOAT32) -> None:
        self.launch = launch
        self.log = AccessLog()
        self.memory = {
            "x": Storage("x", "global", FLOAT32),
            "y": Storage("y", "global", FLOAT32),
            "result": Storage("result", "global", t),  # type: ignore[arg-type]
        }

    def at(self, name: str, index: Size, width: int = 1) -> str:
        """The text of elements."""
        text = f"{name}[{index}]" if width == 1 else f"vload{width}(0, {name} + ({index}))"
        place = text if width == 1 else f"{name} + ({index})"
        self.log.note(self.memory[name], place, index, width)
        return text

    def put(self, index: Size, value: str, width: int = 1) -> Statement:
        """A store to the result."""
        text = self.at("result", index, width)
        place = text if width == 1 else f"result + ({index})"
        stored = self.log.note(self.memory["result"], place, index, width)
        return Statement(
            f"{text} = {value}" if width == 1 else f"*(unaligned_float{width}*)({place}) = {value}", stored=stored
        )

    def why(self, *body: Node, declared: tuple[Size, ...] = (TURN, INNER, AT)) -> str:
        """Which condition refuses it."""
        function = Function("k", [], Block(list(body)), group=self.launch.local)
        return why_not_in_place(function, self.log, self.launch, declared, "x", "result")


def loop(*body: Node, index: Size = TURN, trip: Size = N, kind: str = "", dim: int = 0) -> Loop:
    block = Block(list(body), Turns(index, trip, kind, dim))
    return Loop("int", index.name, "0", str(trip), "1", block)


def test_a_loop_that_reads_what_it_writes_is_allowed():
    k = Written()
    assert k.why(loop(k.put(TURN, f"2 * {k.at('x', TURN)}"))) == ""
    k = Written()
    assert k.why(
        loop(k.put(4 * TURN, k.at("x", 4 * TURN, 4), 4)),
        loop(k.put(4 * N + INNER, k.at("x", 4 * N + INNER)), index=INNER),
    ) == ("")
    k = Written(Launch((N,), (4,)))
    inner = loop(k.put(4 * TURN + INNER, k.at("x", 4 * TURN + INNER)), index=INNER, trip=size(4), kind="mapLocal")
    assert k.why(loop(inner, kind="mapWorkgroup")) == ""
    k = Written()  # what is only asked for ahead is not read
    ahead = Statement(f"PREFETCH_READ({k.at('x', TURN + 256, 4)})")
    assert k.why(loop(ahead, k.put(TURN, k.at("x", TURN)))) == ""


def refused() -> Iterator[tuple[str, str]]:
    """Kernels that a condition refuses: its name, and which one."""
    k = Written()
    yield "known_places", k.why(loop(k.put(TURN, f"{k.at('x', TURN)} + x[somewhere]")))
    k = Written()
    where = loop(k.put(TURN, k.at("x", TURN)))
    where.stop = k.at("x", size(0))
    yield "known_places", k.why(where)
    k = Written()
    yield "read_and_written", k.why(loop(k.put(TURN, k.at("x", TURN)), Statement("atomic_inc(result)")))
    k = Written()
    yield "read_and_written", k.why(loop(k.put(TURN, f"{k.at('x', TURN)} + {k.at('result', TURN)}")))
    k = Written(t=INT32)
    yield "same_type", k.why(loop(k.put(TURN, k.at("x", TURN))))
    k = Written()
    yield "read_and_written", k.why(loop(k.put(TURN, f"{k.at('x', TURN)} + {k.at('result', TURN + 1)}")))
    k = Written()
    yield "read_and_written", k.why(loop(k.put(TURN, k.at("y", TURN))))
    k = Written(Launch((size(8),), (1,)))  # all work-groups do the same
    yield "own_turns", k.why(loop(k.put(TURN, k.at("x", TURN))))
    k = Written(Launch((N,), (4,)))  # all work-items of a group do the same
    yield "own_turns", k.why(loop(k.put(TURN, k.at("x", TURN)), kind="mapWorkgroup"))
    k = Written()  # a loop of which nothing is known
    yield "own_turns", k.why(Loop("int", "i", "0", "n", "1", Block([k.put(TURN, k.at("x", TURN))])))
    k = Written(Launch((size(1),), (32,)))
    yield "own_turns", k.why(loop(k.put(TURN, k.at("x", TURN)), kind="mapLane", dim=32))
    k = Written()
    yield "apart", k.why(loop(k.put(TURN, k.at("x", N - 1 - TURN))))
    k = Written()
    yield "linear", k.why(loop(k.put(TURN * TURN, k.at("x", TURN * TURN))))
    k = Written()
    yield "linear", k.why(loop(k.put(TURN // 2, k.at("x", TURN // 2))))
    k = Written()  # a place that data name
    yield "linear", k.why(loop(Declare("int", "at0", "is[i]"), k.put(AT, k.at("x", AT))))
    k = Written()
    yield "linear", k.why(loop(k.put(TURN + AT, k.at("x", TURN + AT))))
    k = Written()  # two loops, each of which reads what the other one writes
    half = loop(k.put(2 * N + INNER, k.at("x", INNER)), index=INNER, trip=size(4))
    yield "same_turn", k.why(half, loop(k.put(INNER, k.at("x", 2 * N + INNER)), index=INNER, trip=size(4)))
    k = Written()
    yield "apart", k.why(loop(k.put(2 * TURN, k.at("x", 2 * TURN, 4), 4)))
    k = Written()
    yield "apart", k.why(loop(k.put(TURN, k.at("x", TURN + 1))))
    k = Written()
    yield "apart", k.why(loop(loop(k.put(3 * TURN + INNER, k.at("x", 3 * TURN + INNER)), index=INNER, trip=size(4))))
    k = Written()  # each turn of the outer loop writes the same
    yield "apart", k.why(loop(loop(k.put(INNER, k.at("x", INNER)), index=INNER, trip=size(4))))
    k = Written()
    yield (
        "same_turn",
        k.why(loop(Statement(f"s += {k.at('x', TURN)}")), loop(k.put(INNER, "s"), index=INNER, trip=size(4))),
    )
    k = Written()
    later = loop(k.put(4 * N + INNER - 1, k.at("x", 4 * N + INNER - 1)), index=INNER, trip=size(4))
    yield "same_turn", k.why(loop(k.put(4 * TURN, k.at("x", 4 * TURN, 4), 4)), later)
    k = Written()
    yield "read_first", k.why(loop(k.put(TURN, k.at("x", TURN)), Statement(f"s += {k.at('x', TURN)}")))
    k = Written()
    yield "read_first", k.why(loop(k.put(2 * TURN, k.at("x", 2 * TURN)), k.put(2 * TURN + 1, k.at("x", 2 * TURN))))
    k = Written()
    inside = If("i < 5", Block([k.put(TURN, "0")]))
    yield "read_first", k.why(loop(inside, k.put(TURN, k.at("x", TURN))))


def test_each_condition_refuses_what_breaks_it():
    found = list(refused())
    assert [given for _, given in found] == [wanted for wanted, _ in found]
    assert {wanted for wanted, _ in found} == set(CONDITIONS)


# --- all kernels of the zoo -------------------------------------------------------------------------------------------


def scheduled(case: Case) -> Iterator[tuple[str, Expr]]:
    """Low-level expressions of a case, each once, and by which schedule."""
    candidates = Candidates.of(case.expr)
    sizes = {"n": 1000, "m": 600, "k": 40}
    chosen = [candidates.default(machine, sizes) for machine in (CPU, GPU)]
    chosen += configurations(candidates, by_tier(0, 1, 2))
    for configuration in {str(each): each for each in chosen}.values():
        schedule = str(configuration["schedule"])
        if not candidates.schedule(schedule).by_library:
            with suppress(RewriteError):  # it is not for all sizes
                yield schedule, candidates.derive(configuration).result


def lowered(case: Case) -> Iterator[Expr]:
    """The same without their schedules."""
    return (low for _, low in scheduled(case))


def places(tree: Tree, read: str, written: str, sizes: dict[str, int]) -> Iterator[tuple[object, bool, range]]:
    """The elements that each turn reads and writes, turn by turn, whatever its guards say."""
    for use in _uses(tree.function, tree.accesses, read, written):
        trips = [range(each.trip.evaluate(sizes)) for each in use.turns]
        for turn in product(*trips):
            known = {each.index.name: i for each, i in zip(use.turns, turn, strict=True)}
            start = use.index.evaluate({**sizes, **known})
            yield (tuple(map(id, use.turns)), turn), use.writes, range(start, start + use.width)


SMALL = [{"n": 37, "m": 5, "k": 3}, {"n": 150, "m": 33, "k": 2}, {"n": 1, "m": 1, "k": 1}]


@pytest.mark.parametrize(("number", "case"), list(enumerate(ZOO)), ids=[str(case) for case in ZOO])
def test_what_is_allowed_is_right(number, case, request):
    runs = tier() != "quick" and number % by_tier(1, 2, 1) == 0
    found = []
    for schedule, low in scheduled(case):
        allowed = in_place_of(low)
        (tree,) = trees(low) if allowed else (None,)
        for result, inputs in allowed.items():
            _no_turn_reads_what_another_one_writes(tree, result, inputs)
            if runs:
                found.append((schedule, low, result, inputs[0], generate(low, in_place={result: inputs[0]})))
    # What names of memory let an optimiser conclude is the same in all kernels of a schedule: it may in the shortest,
    # which takes it least, and in others as `tests.optimised` says.
    shortest: dict[tuple[str, int], Program] = {}
    for schedule, _, result, _, made in found:
        known = shortest.setdefault((schedule, result), made)
        if len(made.source) < len(known.source):
            shortest[schedule, result] = made
    for schedule, low, result, place, made in found:
        may = True if shortest[schedule, result] is made else None
        _computes_the_same(request.getfixturevalue("device"), case, low, result, place, made, may)


def _no_turn_reads_what_another_one_writes(tree: Tree, result: int, inputs: Sequence[tuple[str, int]]) -> None:
    written = "result" if "result" in tree.accesses.memory else f"result_{result}"
    for name, component in inputs:
        read = name if name in tree.accesses.memory else f"{name}_{component}"
        for sizes in SMALL:
            writer: dict[int, object] = {}
            reads: list[tuple[object, range]] = []
            for turn, writes, elements in places(tree, read, written, sizes):
                if not writes:
                    reads.append((turn, elements))
                    continue
                for i in elements:
                    assert writer.setdefault(i, turn) == turn, f"{i} is written twice"
            assert all(writer.get(i, turn) == turn for turn, elements in reads for i in elements)


def _computes_the_same(
    device: Device,
    case: Case,
    low: Expr,
    result: int,
    place: tuple[str, int],
    made: Program,
    optimised: bool | None,
) -> None:
    plain = generated(low)
    assert renamed(plain, result, place) == NAME.findall(_body(made))
    sizes = SMALL[: by_tier(1, 1, 3)]
    meanings = [values.meaning(case.expr, tuple(each.items()), 3, True) for each in sizes]
    given = [(inputs, each) for (inputs, _), each in zip(meanings, sizes, strict=True)]
    found = compute(device, made, case.expr, *given, optimised=optimised)
    if case.exact:  # else its bits are those of the kernel that is not in place
        wanted = [a.reshape(-1) for _, meaning in meanings for a in values.flat(meaning)]
    else:
        wanted = compute(device, plain, case.expr, *given)
    for a, b in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(a, b)


def test_there_are_kernels_that_are_allowed():
    simple = [case for case in ZOO if case.name in ("scal", "axpy", "shared", "broadcast", "scan_columns", "firsts")]
    assert len(simple) == 6
    assert all(any(map(in_place_of, lowered(case))) for case in simple)


def _body(program: Program) -> str:
    return program.source.partition("__kernel")[2].partition("{")[2]


def renamed(program: Program, result: int, place: tuple[str, int]) -> list[str]:
    """The words of a kernel's body with the input's name in the place of the result's."""
    (kernel,) = program.kernels
    results = [a for a in kernel.arguments if a.name == kernel.result]
    inputs = [a for a in kernel.arguments if a.name == place[0]]
    old = kernel.result if len(results) == 1 else f"{kernel.result}_{result}"
    new = place[0] if len(inputs) == 1 else f"{place[0]}_{place[1]}"
    words = NAME.findall(_body(program))
    return [new if word == old else word for word in words]


@pytest.mark.parametrize(
    "name",
    ["reversed", "strided", "gathered", "rolled", "softmax", "rows", "casts", "transposed", "windows_in_rows", "sort"],
)
def test_kernels_that_read_elsewhere_are_refused(name):
    (case,) = [each for each in ZOO if each.name == name]
    for low in lowered(case):
        assert in_place_of(low) == {}


def test_element_wise_kernels_are_allowed():
    for name in ("scal", "axpy", "chain", "where_exp", "integers", "broadcast"):
        (case,) = [each for each in ZOO if each.name == name]
        assert all(in_place_of(low) for low in lowered(case) if len(stages_of(low)[0]) == 1)


def test_the_generator_refuses_what_is_not_allowed():
    (case,) = [each for each in ZOO if each.name == "rolled"]
    low = next(iter(lowered(case)))
    with pytest.raises(GenerationError, match="may not lie in the memory"):
        generate(low, in_place={0: ("xs", 0)})
    (case,) = [each for each in ZOO if each.name == "scal"]
    low = next(iter(lowered(case)))
    with pytest.raises(GenerationError, match="may not lie in the memory"):
        generate(low, in_place={0: ("xs", 0)}, part=True)


def test_one_name_is_read_and_written():
    (case,) = [each for each in ZOO if each.name == "axpy"]
    made = generate(next(iter(lowered(case))), in_place={0: ("ys", 0)})
    (kernel,) = made.kernels
    assert [a.name for a in kernel.arguments if not a.is_size] == ["xs", "ys"]
    assert "__global float* restrict ys" in made.source
    assert "__global const float* restrict xs" in made.source
    assert "result" not in made.source


@pytest.mark.slow
@pytest.mark.skipif(not oclgrind.available(), reason="Oclgrind is not installed")
def test_a_simulator_finds_no_races():
    code = """
from ir.opencl.generate import generate, in_place_of
from lazyarr.runtime import default_device
from tests.ir import values
from tests.ir.opencl.running import compute
from tests.ir.opencl.test_in_place import ZOO, lowered
from ir.core.semantics.interpreter import interpret
import numpy as np
done = 0
for case in ZOO:
    if case.name not in ("scal", "axpy", "shared", "broadcast", "scan_columns", "pairs", "exchanged_column", "firsts"):
        continue
    for low in list(lowered(case))[:2]:
        for result, inputs in in_place_of(low).items():
            sizes = {"n": 150, "m": 5, "k": 2}
            given = values.random_inputs(case.expr, sizes, 3, whole=True)
            made = generate(low, in_place={result: inputs[-1]})
            found = compute(default_device(), made, case.expr, (given, sizes))
            for a, b in zip(found, values.flat(interpret(case.expr, given, sizes)), strict=True):
                np.testing.assert_allclose(a, np.reshape(b, -1), rtol=1e-5)
            done += 1
assert done >= 6, done
"""
    assert oclgrind.run(code) == ""
