"""Results in the memory of inputs that die: `x = c * x` writes where it reads.

The last kernel of a program may put a result into the memory of a leaf if

- the leaf's memory is the pool's (`is_own`), so that it is no NumPy array's, and nobody was handed it: no array of
  NumPy shows it, no other leaf has it, no background compile holds it;
- the kernel reads that leaf as one input only (what earlier kernels read of it they have read, the queue is in order);
- both have as many bytes, and elements of one type;
- each turn of the kernel reads only the elements that it writes (`ir.opencl.passes.in_place`);
- nothing asks for the leaf's value afterwards (`Dying.dies`).

The kernel that does so is another one: it reads and writes by one name, since OpenCL C's `restrict` forbids two names
for the same memory. It is made of the same configuration, once it has been missed often enough, and checked on a small
instance, or against the first one's result, before it is used. Searches and checks never run it on a user's memory.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from sys import getrefcount

import numpy as np

from ir.core.types import Type
from ir.cost.thresholds.tiers import IN_PLACE_FROM_BYTES, IN_PLACE_MADE_AFTER_BYTES
from ir.errors import IRError
from ir.fusion.program import ProgramPlan
from ir.opencl.generate import in_place_of
from ir.opencl.read.views import leaf_types, lengths_of
from ir.opencl.stages import Place
from ir.schedules.candidates import Candidates
from lazyarr.compile.compiled import Version, build, input_places, parameters
from lazyarr.compile.executable import Executable
from lazyarr.compile.refusals import abridged, logger
from lazyarr.compile.trials import Problem
from lazyarr.graph.dying import IN_ONE_PLACE, Dying
from lazyarr.runtime import AllocationError, Batch, Buffer, BuildError, Device, LaunchError
from tuner import WrongAnswerWarning

__all__ = ["InPlace", "Offer", "is_own"]


@dataclass(frozen=True, slots=True)
class Offer:
    """A result that may be put into the memory of a leaf.

    Attributes:
        result: the number of the kernel's component
        place: the name and component of the kernel's input
        leaf: the number of the program's leaf
        nbytes: how large both are
    """

    result: int
    place: Place
    leaf: int
    nbytes: int


def is_own(buffer: Buffer, device: Device, nbytes: int) -> bool:
    """Is a buffer of that size memory of the device's pool, no array's of NumPy?"""
    block = buffer.block
    return (
        buffer.array is None
        and buffer.nbytes == nbytes
        and block.pool is not None
        and block.pool is device.memory.pool
        and block.capacity == device.memory.capacity(nbytes)
        and not block.read_only
    )


class InPlace:
    """The launches of a program that put results into the memory of leaves, beside its plain ones."""

    def __init__(
        self, device: Device, version: Version, offers: list[Offer], batch: Callable[[Executable], Batch]
    ) -> None:
        """Args:
        version: the program's last kernel
        batch: the program's launches with another executable of that kernel
        """
        self._device = device
        self._version = version
        self._offers = offers
        self._batch = batch
        self._checked = False  # are all offers known to be allowed?
        self._missed = 0  # bytes that could have stayed where they were
        self._made: dict[tuple[Offer, ...], Batch | None] = {}

    @classmethod
    def of(
        cls, device: Device, cut: ProgramPlan, version: Version, batch: Callable[[Executable], Batch]
    ) -> InPlace | None:
        """What a program could put into the memory of its leaves; None where that is nothing, or too little."""
        offers = _offers(cut, version)
        return cls(device, version, offers, batch) if offers else None

    def run(self, inputs: Sequence[Buffer], dying: Dying) -> list[Buffer] | None:
        """Run the program so that results take the memory of leaves that die; None where none does.

        Args:
            inputs: the memory of the leaves, and of constants; no other list has it
            dying: tells which leaves die

        Raises:
            AllocationError, LaunchError: as `Batch.enqueue`; the leaves have their memory then.
        """
        chosen = self._chosen(inputs, dying)
        if not chosen:
            return None
        batch = self._made_for(chosen)
        if batch is None:
            return None
        queue = self._device.queue
        queue.make_room()  # before memory is taken: nobody waits between that and the end
        taken = [(offer.leaf, dying.take(offer.leaf)) for offer in chosen]
        try:
            return batch.enqueue(inputs)
        except Exception:  # raised before the last kernel was enqueued, which is the one that writes to it
            for number, memory in taken:
                dying.give_back(number, memory)
            raise

    def _chosen(self, inputs: Sequence[Buffer], dying: Dying) -> tuple[Offer, ...]:
        """The offers that are taken: of each result and each leaf one at most."""
        found: list[Offer] = []
        settled = set[int]()  # each leaf is asked once: it lives on, or is taken
        for offer in self._offers:
            leaf = offer.leaf
            if leaf in settled or any(offer.result == other.result for other in found):
                continue
            settled.add(leaf)
            # held by that list and by the leaf
            alone = getrefcount(inputs[leaf]) == IN_ONE_PLACE + 1
            if alone and dying.dies(leaf) and is_own(inputs[leaf], self._device, offer.nbytes):
                found.append(offer)
        return tuple(found)

    def _made_for(self, chosen: tuple[Offer, ...]) -> Batch | None:
        """The launches, made once they have been missed often enough; None before, and where there are none."""
        if chosen in self._made:
            return self._made[chosen]
        self._missed += sum(offer.nbytes for offer in chosen)
        if self._missed < IN_PLACE_MADE_AFTER_BYTES:
            return None
        if not self._checked:
            self._checked = True
            allowed = self._allowed()
            self._offers = [offer for offer in self._offers if offer.place in allowed.get(offer.result, ())]
        if not all(offer in self._offers for offer in chosen):
            return None  # the next time others are chosen
        self._made[chosen] = made = self._make(chosen)
        return made

    def _allowed(self) -> Mapping[int, Sequence[Place]]:
        version = self._version
        try:
            return in_place_of(Candidates.of(version.general.expr).derive(version.configuration).result)
        except IRError:
            return {}

    def _make(self, chosen: tuple[Offer, ...]) -> Batch | None:
        """The launches, of a kernel that was checked."""
        version, device = self._version, self._device
        in_place = {offer.result: offer.place for offer in chosen}
        try:
            executable = build(device, version.general, version.configuration, in_place=in_place)
            wrong = self._mismatch(executable)
        except (AllocationError, BuildError, IRError, LaunchError, MemoryError) as error:
            logger.info("no results in the memory of inputs, of %s: %s", abridged(version.general.expr), error)
            return None
        if wrong:
            warnings.warn(
                f"a kernel that writes over its input is wrong, and not used: {wrong}; please report "
                f"{abridged(version.general.expr)} in {in_place}",
                WrongAnswerWarning,
                stacklevel=2,
            )
            return None
        logger.info("results in the memory of inputs that die: %s", abridged(version.general.expr))
        return self._batch(executable)

    def _mismatch(self, executable: Executable) -> str:
        """What is wrong with the kernel; empty if nothing."""
        problem = Problem(self._device, self._version.general, [])
        if not problem.has_small_instance:
            return self._differs(executable)
        found = problem.small_mismatch(executable)
        return "" if found is None else str(found)

    def _differs(self, executable: Executable) -> str:
        """The same, held against the plain kernel on random bytes: it is for these lengths alone."""
        device, version = self._device, self._version
        sizes = tuple(version.general.sizes.values())
        results = []
        for each in (version.executable, executable):
            rng = np.random.default_rng(0)  # the same numbers for both
            made = [
                device.wrap((100 * rng.random(count)).astype(str(leaf)), copy=True)
                for leaf, count in _components([p.type for p in parameters(version.general)], version.general.sizes)
            ]
            results.append(each.launch(made, sizes))
        device.finish()
        for plain, other in zip(*results, strict=True):
            if not np.array_equal(plain.to_numpy(np.uint8, (plain.nbytes,)), other.to_numpy(np.uint8, (other.nbytes,))):
                return "its results differ"
        return ""


def _offers(cut: ProgramPlan, version: Version) -> list[Offer]:
    """What may be put where, as far as types, sizes and the other kernels let it."""
    if not cut.steps or cut.steps[-1].into is not None:
        return []
    step, plan = cut.steps[-1], version.executable.plan
    if plan.library or len(plan.kernels) > 1 or plan.kernels[0].scratch or version.general.part:
        return []
    sizes, kernel = version.general.sizes, plan.kernels[0]
    inputs = _components([p.type for p in parameters(version.general)], sizes)
    outputs = _components([version.general.expr.type], sizes)
    first = cut.leaves + len(cut.constants) + sum(each.fills for each in cut.steps[:-1])
    found = []
    for place, (name, component) in enumerate(plan.results):
        slot = first + place
        if name != kernel.result or slot not in cut.results:
            continue
        nbytes = outputs[place][1] * kernel.result_bytes[component]
        if nbytes < IN_PLACE_FROM_BYTES:
            continue
        for own, leaf, source in zip(input_places(version.general), step.reads, inputs, strict=True):
            if source != outputs[place] or leaf >= cut.leaves:
                continue
            once = step.reads.count(leaf) == 1 and leaf not in cut.results
            if once:
                found.append(Offer(component, own, leaf, nbytes))
    return found


def _components(types: Sequence[Type], sizes: Mapping[str, int]) -> list[tuple[Type, int]]:
    """The type of the elements, and their number, of each component of values of those types."""
    return [
        (leaf, length.evaluate(sizes)) for t in types for leaf, length in zip(leaf_types(t), lengths_of(t), strict=True)
    ]
