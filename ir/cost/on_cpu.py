"""What a kernel takes on a CPU: work-groups one after the other on each unit, work-items in a loop, caches between."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from ir.core.sizes import Size
from ir.core.types import scalar
from ir.cost.counting import Numbers, divisions_in
from ir.cost.footprints import Box, Fetched, box_of, bytes_touched, merged, stretched
from ir.cost.functions import NOT_MEASURED, Functions, operations_in
from ir.cost.nests import Called, Nest, Place, Stage, Step
from ir.cost.processors import CPU_GROUP_AT_LEAST, CPU_GROUP_AT_MOST, GATHERED, Machine, Processor

__all__ = ["seconds_on_a_cpu"]

_SHARED_OUT = ("mapWorkgroup", "mapGlobal")


@dataclass
class _Sum:
    """What one run of a nest takes: ticks, what it touches, what caches fetch, and how many units can share it."""

    ticks: float
    boxes: list[Box]
    fetched: Fetched
    shares: int = 1


def seconds_on_a_cpu(
    stage: Stage, machine: Machine, cpu: Processor, sizes: Mapping[str, int], functions: Functions = NOT_MEASURED
) -> tuple[float, float]:
    """The seconds that data take to come, and those that instructions take."""
    units = machine.compute_units
    numbers = Numbers(sizes, stage.definitions, stage.looked_up)
    reader = _Reader(cpu, 4 * machine.native_vector_width, numbers, functions, units, stage.launch.local is None)
    parts = [reader.visit(part) for part in stage.nest.body if isinstance(part, Nest)]
    if not parts:
        parts = [reader.visit(stage.nest)]
    busy = max(1, *(min(units, part.shares) for part in parts))
    alone = max(part.ticks / _even(part.shares, units) for part in parts)
    compute = max(sum(part.ticks for part in parts) / units, alone) / cpu.clock
    boxes = merged((box for part in parts for box in part.boxes), cpu.line)
    touched = sum(bytes_touched(boxes, cpu.line).values())
    transfer = 0.0
    for level, (capacity, rate) in enumerate(zip(cpu.caches, cpu.fetches, strict=True)):
        last = level == len(cpu.caches) - 1
        if touched / (1 if last else busy) > capacity or not all(box.fits(capacity, cpu.line) for box in boxes):
            fetched = sum(sum(part.fetched[level].values()) for part in parts)
            transfer = max(transfer, fetched / (rate * min(1.0, busy / cpu.units) if last else rate * busy))
    return transfer, compute


def _even(shares: int, units: int) -> float:
    """How many units work at a time, the last turn counted in which not all do."""
    return shares / -(-shares // units) if shares else 1.0


def _local(count: int) -> int:
    """How many work-items a group has where that is left to the runtime: a power of two, whatever their number is,
    for a few more are launched.
    """
    return min(1 << max(count - 1, 0).bit_length(), CPU_GROUP_AT_MOST)


class _Reader:
    """Sums over nests; grouped : do runtimes make the work-groups?"""

    def __init__(
        self, cpu: Processor, vector: int, numbers: Numbers, functions: Functions, units: int, grouped: bool
    ) -> None:
        self.cpu = cpu
        self.vector = vector
        self.numbers = numbers
        self.functions = functions
        self.units = units
        self.grouped = grouped

    def visit(self, nest: Nest) -> _Sum:
        """A nest, all its turns."""
        turns = nest.turns
        if turns is not None:
            self.numbers.loop(turns.index.name)
        boxes: list[Box] = []
        own: list[Box] = []
        fetched: Fetched = [{} for _ in self.cpu.caches]
        ticks, shares = 0.0, 1
        places: dict[Place, None] = {}
        issued = 0.0
        for part in nest.body:
            if isinstance(part, Nest):
                inner = self.visit(part)
                ticks += inner.ticks
                shares = max(shares, inner.shares)
                boxes += inner.boxes
                for all_of, each in zip(fetched, inner.fetched, strict=True):
                    _add(all_of, each)
            else:
                issued += self.instructions(part)
                reads = [place for place in part.reads if place.is_memory and place not in places]
                writes = [place for place in part.writes if place.is_memory]
                issued += sum(-(-p.width * p.bytes // self.vector) for p in (*reads, *writes))
                touched = [self.box(place, False) for place in reads] + [self.box(p, True) for p in writes]
                own += touched
                places |= dict.fromkeys((*reads, *writes))
        own = merged(own, self.cpu.line)
        for level, all_of in enumerate(fetched):
            _add(all_of, self.weighed(own, level))
        alone, boxes = boxes + own, merged(boxes + own, self.cpu.line)
        together = sum(bytes_touched(boxes, self.cpu.line).values())
        kept = [together <= size and all(box.fits(size, self.cpu.line) for box in boxes) for size in self.cpu.caches]
        for level, all_of in enumerate(fetched):
            for name, longer in self.further(alone, boxes, level).items():
                all_of[name] *= longer
            if kept[level]:
                weighed = self.weighed(boxes, level)
                fetched[level] = {name: min(n, weighed.get(name, n)) for name, n in all_of.items()}
        narrowed = self.narrowed(nest, places)
        ticks += issued / self.cpu.issued * narrowed + self.quotients(places)
        ticks += nest.barriers * self.cpu.barrier
        if turns is None:
            return _Sum(ticks, boxes, fetched, shares)
        n = self.numbers.turns(turns.trip)
        variable = turns.index.name
        stretches = [
            (b, stretched(b, n, lambda i: self.numbers.steps(i, variable, n), self.numbers.changed_in(variable)))
            for b in boxes
        ]
        whole = merged((to for _, to in stretches), self.cpu.line)
        moved = [replace(b, apart=to.apart) for b, to in stretches]
        for level, each in enumerate(fetched):
            touches, longer_by = self.weighed(whole, level), self.further(boxes, moved, level)
            for name in each:
                in_turn = each[name] * longer_by.get(name, 1.0)
                once = max(touches.get(name, 0.0), in_turn)
                each[name] = min(n * in_turn, once) if kept[level] and n else n * in_turn
        ticks = n * (max(ticks, nest.chain * self.cpu.latency) + self.overhead(nest, n) * narrowed)
        if turns.kind in _SHARED_OUT:
            grouped = self.grouped and turns.kind == "mapGlobal" and not turns.dim
            shares *= -(-n // CPU_GROUP_AT_LEAST) if grouped else n
        return _Sum(ticks, whole if n else [], fetched, shares)

    def further(self, before: list[Box], after: list[Box], level: int) -> dict[str, float]:
        """How much longer the lines of each array take when boxes are seen together, or with those of other turns."""
        ways = [(self.weighed(boxes, level), bytes_touched(boxes, self.cpu.line)) for boxes in (before, after)]
        (weighed_before, plain_before), (weighed, plain) = ways
        return {
            name: max(1.0, weighed[name] / plain[name] / (weighed_before[name] / plain_before[name])) for name in plain
        }

    def overhead(self, nest: Nest, turns: int) -> float:
        """The ticks of a turn beside its body."""
        assert nest.turns is not None
        match nest.turns.kind:
            case "mapWorkgroup":
                return self.cpu.group * self.cpu.clock
            case "mapGlobal" if self.grouped and not nest.turns.dim:
                return (self.cpu.item + self.cpu.group / _local(turns)) * self.cpu.clock
            case "mapGlobal" | "mapLocal":
                return self.cpu.item * self.cpu.clock
        return self.cpu.turn

    def weighed(self, boxes: Iterable[Box], level: int) -> dict[str, float]:
        """The bytes of each array that a cache fetches, as many more as these take longer where lines are apart; those
        that are written twice: a line is fetched before it is changed.
        """
        found: dict[str, float] = {}
        for box in boxes:
            bytes_ = box.touched(self.cpu.line) * self.cpu.apart[level][box.apart] * (1 + box.written)
            found[box.name] = found.get(box.name, 0.0) + bytes_
        return found

    def box(self, place: Place, written: bool) -> Box:
        base = None if place.index is None else self.numbers.first(place.index)
        return box_of(place, base, written)

    def instructions(self, step: Step) -> float:
        """How many a statement takes."""
        registers = -(-step.lanes * step.bytes // self.vector)
        functions = sum(self.function(call, registers, step.lanes) for call in step.functions)
        quotients = step.quotients * self.cpu.quotient * self.cpu.issued
        simple = registers * (step.simple + step.divisions * self.cpu.division + quotients)
        return simple + step.gathered * GATHERED + functions

    def function(self, call: Called, registers: int, lanes: int) -> float:
        """The instructions of a call in a statement of so many lanes."""
        cpu, work = self.cpu, call.work
        seconds = self.functions.seconds(work.function, work.dtype)
        if seconds is None:
            of_a_vector = float(operations_in(work.function, work.dtype) or cpu.function)
        else:
            of_a_number = seconds * self.units * cpu.clock * cpu.issued
            if call.by_lanes:
                return of_a_number
            of_a_vector = of_a_number * (self.vector // scalar(work.dtype).bytes)
        return registers * of_a_vector * (cpu.scalar_function if lanes == 1 else 1)

    def narrowed(self, nest: Nest, places: Mapping[Place, None]) -> float:
        """The part of its instructions that is left of a loop that compilers turn into vectors."""
        turns = nest.turns
        steps = [part for part in nest.body if isinstance(part, Step)]
        if turns is None or len(steps) < len(nest.body) or nest.chain or turns.kind in _SHARED_OUT:
            return 1.0
        if any(step.lanes > 1 or step.functions for step in steps):
            return 1.0
        for place in places:
            if place.index is None or self.numbers.first(place.index) is None:
                return 1.0
            if self.numbers.stride(place.index, turns.index.name) not in (-1, 0, 1):
                return 1.0
        return max((step.bytes for step in steps), default=self.vector) / self.vector

    def quotients(self, places: Mapping[Place, None]) -> float:
        """The ticks that quotients in indices take."""
        found: set[tuple[Size, ...]] = set()
        for place in places:
            if place.index is not None:
                for atom in divisions_in(place.index):
                    if any(v.name not in self.given for operand in atom.operands for v in operand.variables):
                        found.add(atom.operands)  # a quotient and its remainder are one instruction
        return len(found) * self.cpu.quotient

    @property
    def given(self) -> Mapping[str, int]:
        """The kernel's sizes."""
        return self.numbers.given


def _add(all_of: dict[str, float], each: Mapping[str, float]) -> None:
    for name, bytes_ in each.items():
        all_of[name] = all_of.get(name, 0.0) + bytes_
