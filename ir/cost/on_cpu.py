"""What a kernel takes on a CPU: work-groups one after the other on each unit, work-items in a loop, caches between."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ir.core.sizes import Atom
from ir.cost.counting import Numbers, divisions_in
from ir.cost.footprints import Box, Fetched, box_of, bytes_touched, merged, stretched
from ir.cost.nests import Nest, Place, Stage, Step
from ir.cost.processors import Machine, Processor

__all__ = ["seconds_on_a_cpu"]

_SHARED_OUT = ("mapWorkgroup", "mapGlobal")


@dataclass
class _Sum:
    """What one run of a nest takes: ticks, what it touches, what caches fetch, and how many units can share it."""

    ticks: float
    boxes: list[Box]
    fetched: Fetched
    shares: int = 1


def seconds_on_a_cpu(stage: Stage, machine: Machine, cpu: Processor, sizes: Mapping[str, int]) -> tuple[float, float]:
    """The seconds that data take to come, and those that instructions take."""
    units = machine.compute_units
    reader = _Reader(cpu, 4 * machine.native_vector_width, Numbers(sizes, stage.definitions))
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
            transfer = max(transfer, fetched / (rate if last else rate * busy))
    return transfer, compute


def _even(shares: int, units: int) -> float:
    """How many units work at a time, the last turn counted in which not all do."""
    return shares / -(-shares // units) if shares else 1.0


class _Reader:
    def __init__(self, cpu: Processor, vector: int, numbers: Numbers) -> None:
        self.cpu = cpu
        self.vector = vector
        self.numbers = numbers

    def visit(self, nest: Nest) -> _Sum:
        """A nest, all its turns."""
        turns = nest.turns
        if turns is not None:
            self.numbers.loop(turns.index.name)
        boxes: list[Box] = []
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
                reads = [place for place in part.reads if self.is_memory(place) and place not in places]
                writes = [place for place in part.writes if self.is_memory(place)]
                issued += sum(-(-p.width * p.bytes // self.vector) for p in (*reads, *writes))
                touched = [self.box(place, False) for place in reads] + [self.box(p, True) for p in writes]
                boxes += touched
                for all_of in fetched:
                    _add(all_of, self.weighed(touched))
                places |= dict.fromkeys((*reads, *writes))
        boxes = merged(boxes, self.cpu.line)
        plain, weighed = bytes_touched(boxes, self.cpu.line), self.weighed(boxes)
        together = sum(plain.values())
        kept = [together <= size and all(box.fits(size, self.cpu.line) for box in boxes) for size in self.cpu.caches]
        for level in range(len(kept)):
            if kept[level]:
                fetched[level] = {name: min(n, weighed.get(name, n)) for name, n in fetched[level].items()}
        ticks += issued / self.cpu.issued * self.narrowed(nest, places) + self.quotients(places)
        ticks += nest.barriers * self.cpu.barrier
        if turns is None:
            return _Sum(ticks, boxes, fetched, shares)
        n = self.numbers.turns(turns.trip)
        variable = turns.index.name
        longer = merged(
            (stretched(b, n, lambda i: self.numbers.steps(i, variable, n), nest.looked_up) for b in boxes),
            self.cpu.line,
        )
        all_touched = self.weighed(longer)
        for level in range(len(kept)):
            fetched[level] = {
                name: min(n * each, max(all_touched.get(name, 0.0), each)) if kept[level] and n else n * each
                for name, each in fetched[level].items()
            }
        ticks = n * (max(ticks, nest.chain * self.cpu.latency) + self.overhead(nest))
        return _Sum(ticks, longer if n else [], fetched, shares * n if turns.kind in _SHARED_OUT else shares)

    def overhead(self, nest: Nest) -> float:
        """The ticks of a turn beside its body."""
        assert nest.turns is not None
        match nest.turns.kind:
            case "mapWorkgroup":
                return self.cpu.group * self.cpu.clock
            case "mapGlobal" | "mapLocal":
                return self.cpu.item * self.cpu.clock
        return self.cpu.turn

    def weighed(self, boxes: list[Box]) -> dict[str, float]:
        """The bytes of each array, those that are written twice: a line is fetched before it is changed."""
        found: dict[str, float] = {}
        for box in boxes:
            bytes_ = box.touched(self.cpu.line, self.cpu.far_fetch) * (1 + box.written)
            found[box.name] = found.get(box.name, 0.0) + bytes_
        return found

    @staticmethod
    def is_memory(place: Place) -> bool:
        """Does it lie in memory? Elements of a private array that have a number of their own are kept in registers."""
        return place.space != "private" or place.index is None or place.index.value is None

    def box(self, place: Place, written: bool) -> Box:
        base = None if place.index is None else self.numbers.first(place.index)
        return box_of(place, base, written)

    def instructions(self, step: Step) -> float:
        """How many a statement takes."""
        cpu = self.cpu
        registers = -(-step.lanes * step.bytes // self.vector)
        function = cpu.function if step.lanes > 1 else cpu.scalar_function
        return registers * (step.simple + step.divisions * cpu.division + step.functions * function)

    def narrowed(self, nest: Nest, places: Mapping[Place, None]) -> float:
        """The part of its instructions that is left of a loop that compilers turn into vectors."""
        turns = nest.turns
        steps = [part for part in nest.body if isinstance(part, Step)]
        if turns is None or len(steps) < len(nest.body) or nest.chain or turns.kind == "mapWorkgroup":
            return 1.0
        if any(step.lanes > 1 or step.functions for step in steps):
            return 1.0
        for place in places:
            if place.index is None or self.numbers.first(place.index) is None:
                return 1.0
            if self.numbers.stride(place.index, turns.index.name) not in (0, 1):
                return 1.0
        return max((step.bytes for step in steps), default=self.vector) / self.vector

    def quotients(self, places: Mapping[Place, None]) -> float:
        """The ticks that quotients in indices take."""
        found: set[Atom] = set()
        for place in places:
            if place.index is not None:
                for atom in divisions_in(place.index):
                    if any(v.name not in self.given for operand in atom.operands for v in operand.variables):
                        found.add(atom)
        return len(found) * self.cpu.quotient

    @property
    def given(self) -> Mapping[str, int]:
        """The kernel's sizes."""
        return self.numbers.given


def _add(all_of: dict[str, float], each: Mapping[str, float]) -> None:
    for name, bytes_ in each.items():
        all_of[name] = all_of.get(name, 0.0) + bytes_
