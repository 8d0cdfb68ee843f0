"""What a kernel takes on a GPU: work-items in lockstep, as many groups at a time as fit, and waits that others hide."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import gcd, prod

from ir.core.sizes import Size
from ir.core.types import scalar
from ir.cost.counting import Numbers, divisions_in
from ir.cost.footprints import Box, Fetched, Steps, box_of, bytes_touched, merged, stretched
from ir.cost.functions import NOT_MEASURED, Functions
from ir.cost.nests import Nest, Place, Stage
from ir.cost.operations import Work
from ir.cost.processors import (
    GROUPS_OF_A_UNIT,
    ITEMS_OF_A_UNIT,
    LINES_IN_A_TICK,
    LOAD_TAKES,
    LOADS_AHEAD,
    LOADS_OF_A_LINE,
    QUOTIENT_BY_A_CONSTANT,
    SHIFT,
    WARP,
    Machine,
    Processor,
)
from ir.cost.thresholds.defaults import MAP_GROUP

__all__ = ["seconds_on_a_gpu"]


def _whole_group(counts: Sequence[int]) -> tuple[int, ...]:
    """The work-items of a group, in each dimension, where the runtime makes groups: the first dimension has as many as
    it can, and what is left goes to the others.
    """
    left, group = MAP_GROUP, []
    for n in counts:
        group.append(min(n, left))
        left //= group[-1]
    return tuple(group)


@dataclass
class _Sum:
    """What one run of a nest takes of a group, its work-items together: ticks of a unit to issue and to move what a
    warp reads and writes, seconds of instructions one after the other, how often a load is waited for, what is touched,
    and what each cache fetches.
    """

    issued: float
    moved: float
    waits: float
    loads: float
    boxes: list[Box]
    fetched: Fetched


def seconds_on_a_gpu(
    stage: Stage, machine: Machine, gpu: Processor, sizes: Mapping[str, int], functions: Functions = NOT_MEASURED
) -> tuple[float, float]:
    """The seconds that data take to come, and those of instructions and of waits that no other group hides."""
    numbers = Numbers(sizes, stage.definitions, stage.looked_up)
    counts = [max(1, numbers.turns(n)) for n in stage.launch.groups]
    local, groups = stage.launch.local, prod(counts)
    if local is None:  # they are work-items
        local = _whole_group(counts)
        groups = prod(-(-n // size) for n, size in zip(counts, local, strict=True))
    resident = max(1, min(GROUPS_OF_A_UNIT, ITEMS_OF_A_UNIT // max(prod(local), WARP)))
    if stage.local_bytes:
        resident = max(1, min(resident, 4 * machine.local_memory_bytes // stage.local_bytes))
    at_once = min(groups, resident * machine.compute_units)
    busy = min(groups, machine.compute_units)
    reader = _Reader(gpu, numbers, local, (-(-at_once // machine.compute_units), at_once), functions, machine)
    whole = reader.visit(stage.nest)
    boxes = merged(whole.boxes, gpu.line)
    far, near = (sum(each.values()) for each in reversed(whole.fetched))
    if sum(bytes_touched(boxes, gpu.line).values()) <= gpu.caches[1]:
        far = 0.0
    transfer = max(far / gpu.fetches[1], near / (gpu.fetches[0] * busy), whole.moved / (gpu.clock * busy))
    started = groups * gpu.group / busy
    waits = whole.waits + whole.loads * LOAD_TAKES[bool(far)]
    return transfer, max(whole.issued / (gpu.clock * busy), waits / at_once, started)


class _Reader:
    """Sums over all work-groups; at_once : groups that share the first cache and the second."""

    def __init__(
        self,
        gpu: Processor,
        numbers: Numbers,
        local: tuple[int, ...],
        at_once: tuple[int, int],
        functions: Functions,
        machine: Machine,
    ) -> None:
        self.gpu, self.numbers, self.local, self.at_once = gpu, numbers, local, at_once
        self.functions, self.units = functions, machine.compute_units
        self.items: list[tuple[str, int, int]] = []  # the variables of work-items, their dimensions and numbers

    def visit(self, nest: Nest) -> _Sum:
        """A nest, all its turns."""
        turns = nest.turns
        if turns is None:
            return self.once(nest)
        variable, trip = turns.index.name, self.numbers.turns(turns.trip)
        self.numbers.loop(variable)
        extent = self.extent(turns.kind, turns.dim)
        if not extent:
            return self.repeated(nest, self.once(nest), trip, 1)
        dim = turns.dim if turns.kind in ("mapLocal", "mapGlobal") else 0
        self.items.append((variable, dim, min(trip, extent)))
        found = self.once(nest)
        self.items.pop()
        return self.repeated(nest, found, -(-trip // extent), extent)

    def extent(self, kind: str, dim: int) -> int:
        """How many work-items of a group share the turns of a map; 0 where none do."""
        match kind:
            case "mapLocal" | "mapGlobal":
                return self.local[dim] if dim < len(self.local) else 1
            case "mapWarp":
                return max(1, self.local[0] // dim)
            case "mapLane":
                return dim
        return 0

    def once(self, nest: Nest) -> _Sum:
        """One turn."""
        found = _Sum(0.0, 0.0, 0.0, 0.0, [], [{}, {}])
        warps = -(-prod(n for _, _, n in self.items) // WARP)
        places: dict[Place, None] = {}
        new = together = behind = 0.0
        for part in nest.body:
            if isinstance(part, Nest):
                inner = self.visit(part)
                found.issued += inner.issued
                found.moved += inner.moved
                if self.is_long(part):
                    found.waits += inner.waits
                    found.loads += inner.loads
                else:  # they come together
                    together, behind = max(together, inner.waits), max(behind, inner.loads)
                found.boxes += inner.boxes
                for all_of, each in zip(found.fetched, inner.fetched, strict=True):
                    for name, bytes_ in each.items():
                        all_of[name] = all_of.get(name, 0.0) + bytes_
                continue
            reads = [p for p in part.reads if p.is_memory and p not in places]
            writes = [p for p in part.writes if p.is_memory]
            new += sum(self.new(p, nest) for p in reads if p.space == "global")
            divisions = (part.divisions + part.quotients) * self.gpu.division
            instructions = (
                part.lanes * (part.simple + divisions) * max(1, part.bytes // 4)
                + sum(self.function(call.work) * (1 if call.by_lanes else part.lanes) for call in part.functions)
                + len(reads)
                + len(writes)
            )
            found.issued += warps * instructions / self.gpu.issued
            found.waits += instructions * self.gpu.latency / self.gpu.clock
            for place in (*reads, *writes):
                found.moved += warps * self.moved(place)
            touched = [self.box(p, False) for p in reads if p.space == "global"]
            touched += [self.box(p, True) for p in writes if p.space == "global"]
            found.boxes += touched
            weight = bytes_touched(touched, self.gpu.line)
            for all_of in found.fetched:
                for name, bytes_ in weight.items():
                    all_of[name] = all_of.get(name, 0.0) + bytes_
            places |= dict.fromkeys((*reads, *writes))
        found.issued += warps * self.quotients(places) / self.gpu.issued
        found.issued += nest.barriers * self.gpu.barrier / self.at_once[0]
        found.waits += together
        found.loads += behind
        if new:
            found.loads += min(1.0, new / LOADS_AHEAD) if self.is_long(nest) else 1.0
        found.boxes = merged(found.boxes, self.gpu.line)
        plain = bytes_touched(found.boxes, self.gpu.line)
        for level, each in enumerate(found.fetched):
            if sum(plain.values()) * self.at_once[level] <= self.gpu.caches[level]:
                found.fetched[level] = {name: min(n, plain.get(name, n)) for name, n in each.items()}
        return found

    def new(self, place: Place, nest: Nest) -> float:
        """The part of a loop's turns in which a load is waited for: what a line has besides is there with it."""
        if not self.is_long(nest) or place.index is None or self.numbers.first(place.index) is None:
            return 1.0
        assert nest.turns is not None
        stride = abs(self.numbers.stride(place.index, nest.turns.index.name)) * place.bytes
        return min(1.0, LOADS_OF_A_LINE * stride / self.gpu.line)

    def quotients(self, places: Iterable[Place]) -> float:
        """The instructions of quotients in indices: a quotient and its remainder are one division, by a constant a
        shift or a product.
        """
        indices = [place.index for place in places if place.index is not None]
        divisors = {atom.operands: atom.operands[1].value for index in indices for atom in divisions_in(index)}
        return sum(
            self.gpu.quotient if n is None else SHIFT if n & (n - 1) == 0 else QUOTIENT_BY_A_CONSTANT
            for n in divisors.values()
        )

    def function(self, work: Work) -> float:
        """The instructions of a warp whose work-items compute a function of a number each."""
        seconds = self.functions.seconds(work.function, work.dtype)
        if seconds is None:
            return self.gpu.function * max(1, scalar(work.dtype).bytes // 4)
        return seconds * self.units * WARP * self.gpu.clock * self.gpu.issued

    @staticmethod
    def is_loop(nest: Nest) -> bool:
        """Does one work-item take the turns one after the other?"""
        return nest.turns is not None and not nest.turns.kind

    @staticmethod
    def is_shared_out(nest: Nest) -> bool:
        """Do groups, or all work-items, share its turns?"""
        return nest.turns is not None and nest.turns.kind in ("mapWorkgroup", "mapGlobal")

    @staticmethod
    def is_long(nest: Nest) -> bool:
        """Is it such a loop, and none whose few turns compilers write one after the other, so that loads come first?"""
        turns = nest.turns
        if turns is None or turns.kind:
            return False
        return turns.trip.value is None or turns.trip.value > LOADS_AHEAD

    def repeated(self, nest: Nest, once: _Sum, turns: int, step: int) -> _Sum:
        """So many turns, each of which a variable's `step` further on."""
        assert nest.turns is not None
        variable = nest.turns.index.name

        def steps(index: Size) -> tuple[tuple[int, int], ...]:
            if step == 1:
                return self.numbers.steps(index, variable, turns)
            return ((step * self.numbers.stride(index, variable), turns),)

        longer = merged(
            (stretched(b, turns, steps, self.numbers.changed_in(variable)) for b in once.boxes), self.gpu.line
        )
        touched = bytes_touched(longer, self.gpu.line)
        fetched: Fetched = []
        for level, each in enumerate(once.fetched):
            groups = self.at_once[level]
            kept = self.in_flight(nest, once.boxes, steps, turns, groups) <= self.gpu.caches[level]
            found = {name: turns * n for name, n in each.items()}
            if kept and turns:
                found = {name: min(n, max(touched.get(name, 0.0), each[name])) for name, n in found.items()}
            elif level and turns and self.is_shared_out(nest):
                found = self.in_step(once, found, steps, turns, groups)
            fetched.append(found)
        issued = turns * (once.issued + self.gpu.turn / self.gpu.issued * self.is_loop(nest))
        waited = turns if self.is_long(nest) or not self.is_loop(nest) else min(turns, 1)
        waits, loads = once.waits * waited, once.loads * waited
        return _Sum(issued, turns * once.moved, waits, loads, longer if turns else [], fetched)

    def in_step(self, once: _Sum, fetched: dict[str, float], steps: Steps, turns: int, groups: int) -> dict[str, float]:
        """What so many groups at a time fetch: what they share comes once for all, as they go through it in step."""
        alone = bytes_touched(once.boxes, self.gpu.line)
        shared = merged((stretched(b, min(turns, groups), steps) for b in once.boxes), self.gpu.line)
        together, waves = bytes_touched(shared, self.gpu.line), -(-turns // groups) / turns
        known = {name: waves * together[name] / alone[name] for name in together if alone.get(name)}
        return {name: n * min(1.0, known.get(name, 1.0)) for name, n in fetched.items()}

    def in_flight(self, nest: Nest, boxes: list[Box], steps: Steps, turns: int, groups: int) -> float:
        """The bytes that one turn of each of so many groups touches, neighbours together."""
        assert nest.turns is not None
        if not self.is_shared_out(nest):
            return groups * sum(bytes_touched(boxes, self.gpu.line).values())
        at_once = merged((stretched(b, min(turns, groups), steps) for b in boxes), self.gpu.line)
        return max(1.0, groups / max(turns, 1)) * sum(bytes_touched(at_once, self.gpu.line).values())

    def box(self, place: Place, written: bool) -> Box:
        """What all work-items of a group touch."""
        box = box_of(place, None if place.index is None else self.numbers.first(place.index), written)
        for variable, _, number in self.items:
            box = stretched(box, number, lambda i, v=variable, n=number: self.numbers.steps(i, v, n))  # type: ignore[misc]  # v is bound early
        return box

    def moved(self, place: Place) -> float:
        """The ticks in which a warp's lanes read or write an element each."""
        lanes = [(variable, n) for variable, dim, n in self.items if dim == 0]
        if place.index is None or self.numbers.first(place.index) is None:
            return float(WARP)
        stride = self.numbers.stride(place.index, lanes[-1][0]) if lanes else 0
        bytes_ = place.width * place.bytes
        if stride == 0:
            return 1.0
        count = min(lanes[-1][1], WARP)
        if place.space == "local":
            words, apart = max(1, bytes_ // 4), abs(stride) * place.bytes // 4
            if _is_divided(place.index, lanes[-1][0]):  # parts of rows lie apart, so that they are in different banks
                return max(1.0, words * count / WARP)
            return words * float(gcd(max(1, apart // words), WARP))
        if place.space == "private":
            return bytes_ / 4
        step = max(abs(stride) * place.bytes, bytes_)
        lines = min(-(-count * step // self.gpu.line), count)
        words = max(1, bytes_ // 4)
        return max(lines / LINES_IN_A_TICK, words * min(gcd(max(1, step // 4 // words), WARP), count))


def _is_divided(index: Size, variable: str) -> bool:
    """Is there a quotient or a remainder of that variable in an index?"""
    operands = (x for atom in divisions_in(index) for x in atom.operands)
    return any(v.name == variable for x in operands for v in x.variables)
