"""Chains of reductions of rows and maps of their elements, in one kernel: a step of the conjugate-gradient method on
short vectors, a vector over its norm, what is made of a softmax of rows.

A row is one work-group's from the inputs to the results, so that nothing waits for another work-group. What several
reductions and results need is made again for each, from a row that is near; what only the chain needs is not stored.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ir.core.expr import Expr, Lambda, postorder
from ir.core.patterns import Get, Join, Map, Repeat, Split, Transpose, Zip
from ir.core.types import ScalarType, is_flat
from ir.cost.passes import least_alike, rows_to_be_busy
from ir.cost.thresholds.partition import (
    MAPPED_ROW_FROM,
    ONE_ROW_AT_MOST,
    RESULTS_OF_A_KERNEL_AT_MOST,
    ROW_READ_AGAIN_AT_MOST,
    ROW_WAYS_AT_MOST,
    ROW_WORK_REPEATED_AT_MOST,
    USES_BY_A_SUM,
)
from ir.fusion.partition.bundles import Rows
from ir.fusion.partition.graph import captured, is_computed
from ir.fusion.partition.reasons import Condition
from ir.fusion.partition.storage import Assignment, Kernel
from ir.fusion.partition.traffic import Costs
from ir.fusion.prepare.absorb import Taking
from ir.rules.common import element, length
from ir.walks import reached, walk

__all__ = ["Chained", "Near", "chain_rows"]


@dataclass
class Chained:
    """What chains make.

    Attributes:
        gathered: does one make numbers of rows?
        mapped: does one make elements of rows?
        results: what the kernels of chains store
    """

    gathered: bool = False
    mapped: bool = False
    results: set[Expr] = field(default_factory=set)


@dataclass(frozen=True)
class Near:
    """What a work-group may read again from what is near.

    Attributes:
        busy: rows that keep a device busy, at least
        one_row: elements of an array that one work-group reduces, at most
    """

    busy: int
    one_row: int

    @classmethod
    def on(cls, by_items: bool, units: int | None) -> Near:
        """Of the device.

        Args:
            by_items: do the work-items of a group share a row? Then one group takes a launch's time for it at most
            units: compute units of the device; None: as many as a common one has
        """
        return cls(rows_to_be_busy(by_items, units), ROW_READ_AGAIN_AT_MOST if by_items else ONE_ROW_AT_MOST)

    def has_rows(self, form: Rows) -> bool:
        """Are they rows that lie one after the other, so many that a device is busy, each short enough to stay near?"""
        each = form.each.value
        if each is None or least_alike(form.count) < self.busy or not 1 < each <= ROW_READ_AGAIN_AT_MOST:
            return False
        return len(form.views) == 1 and form.views[0][0] is Split  # type: ignore[index]  # a view, its parameters, function

    def has_one(self, form: Rows) -> bool:
        """Is it one array, so short that to launch kernels takes longer than what one work-group does with it?"""
        each = form.each.value
        return not form.views and form.count.value == 1 and each is not None and 1 < each <= self.one_row


def chain_rows(
    cut: Assignment, rows: Mapping[Expr, Rows], numbers: bool, elements: bool, by_items: bool, near: Near
) -> Chained:
    """Let one kernel do the work of several that reduce rows, or make elements of the same rows.

    Args:
        rows: the form of reductions to numbers
        numbers: may one kernel reduce rows to numbers that need others of its own?
        elements: may one make elements of rows that it has reduced?
        by_items: do the work-items of a group share a row?
        near: which rows stay near
    """
    return _Chaining(cut, rows, numbers, elements, by_items, near).run() if rows else Chained()


@dataclass(eq=False)
class _Chain:
    """Kernels, each of which needs results of another one, and the rows that they have in common."""

    form: Rows
    members: set[int]
    before: tuple[_Chain, ...] = ()
    """The chains that its last kernel goes on with."""


class _Chaining(Taking):
    """The kernels, and what they need of one another.

    Attributes:
        forms: the kernels that reduce rows to numbers, and may make elements of the rows, and how
        needs: of each kernel those whose results it reads
        needed_by: of each kernel those that read its results
        order: the kernels, each after those that it needs; None where one was that others do the work of
        place: of each kernel in that order
        mapped_from: elements of a row from which on a kernel that reduces it makes what needs the results
        near: which rows stay near
    """

    def __init__(
        self, cut: Assignment, rows: Mapping[Expr, Rows], numbers: bool, elements: bool, by_items: bool, near: Near
    ) -> None:
        super().__init__(cut)
        self.numbers, self.elements = numbers, elements
        self.mapped_from = 1 if by_items else MAPPED_ROW_FROM
        self.near = near
        self.forms: dict[int, Rows] = {}
        for number, kernel in enumerate(cut.kernels):
            forms = [rows[x] for x in kernel.vertices if x in rows]
            alike = len({form.kind for form in forms}) == 1
            if alike and all(self._is_of(x, forms[0]) for x in self.results.get(number, ())):
                self.forms[number] = forms[0]
        self.needs: dict[int, set[int]] = {}
        for number in self.results:
            reads = cut.kernels[number].reads
            self.needs[number] = {cut.maker[x] for x in reads if x in cut.maker} - {number}
        self.needed_by: dict[int, set[int]] = {number: set() for number in self.results}
        for number, needs in self.needs.items():
            for other in needs:
                self.needed_by[other].add(number)
        self._put_in_order()

    def run(self) -> Chained:
        """Find the chains, from the inputs to the results, and make each that can be one kernel one; what those are."""
        chains: dict[int, _Chain] = {}
        for number in self.place:
            chain = self._extended(number, chains)
            if chain is not None:
                chains.update(dict.fromkeys(chain.members, chain))
        found = Chained()
        pending = list(dict.fromkeys(chains.values()))
        while pending:
            chain = pending.pop()
            condition = self._keeps_apart(chain) if chain.before else None
            if condition is not None:
                self.refused(max(chain.members, key=self.place.__getitem__), condition)
                pending.extend(chain.before)  # without the last one
            elif chain.before:
                made = self._become_one(sorted(chain.members))
                found.results.update(made)
                of_numbers = self._is_number(made[0], chain.form)
                found.gathered, found.mapped = found.gathered or of_numbers, found.mapped or not of_numbers
        return found

    def _put_in_order(self) -> None:
        """Find an order for the kernels."""
        done = walk(self.results, lambda number: list(self.needs[number])[::-1])
        self.order: list[int | None] = list(done)
        self.place = {number: i for i, number in enumerate(done)}

    def _extended(self, number: int, chains: dict[int, _Chain]) -> _Chain | None:
        """The chain of a kernel: those that it goes on with, or one that begins with it; None of other kernels."""
        form = self.forms.get(number)
        if form is not None and not (self.near.has_one(form) or self.near.has_rows(form)):
            if not self.needs[number].isdisjoint(self.forms):
                self.refused(number, Condition.NOT_OF_ROWS)
            return None
        if form is None and not self._is_elementwise(number):
            return None
        before = dict.fromkeys(chains[k] for k in sorted(self.needs[number]) if k in chains)
        alike = [chain for chain in before if self._goes_on(number, chain)]
        alike = [chain for chain in alike if chain.form.kind == alike[0].form.kind]
        if alike:
            members = {number}.union(*(chain.members for chain in alike))
            chain = _Chain(alike[0].form, members, tuple(alike))
            condition = self._refusal(number, chain)
            if condition is None:
                return chain
            self.refused(number, condition)
        return None if form is None else _Chain(form, {number})

    def _refusal(self, number: int, chain: _Chain) -> Condition | None:
        """Why a kernel does not go on with those before it in a chain; None: it does."""
        if not self.cut.fits(*chain.members):
            return Condition.TOO_MANY
        if not self._is_convex(chain.members):
            return Condition.NOT_READY
        own = {x for k in chain.members - {number} for x in self.results[k]}
        if not self._reads_by_rows(number, own, chain.form):
            return Condition.OTHER_ROWS
        is_much = not self._is_little_repeated(chain.members) or self._ways(chain.members) > ROW_WAYS_AT_MOST
        return Condition.MUCH_WORK if is_much else None

    def _is_elementwise(self, number: int) -> bool:
        """Does a kernel make flat arrays of numbers, and reduce nothing?"""
        numbers = (is_flat(x.type) and isinstance(element(x), ScalarType) for x in self.results[number])
        return all(numbers) and not any(map(self.graph.is_barrier, self.cut.kernels[number].vertices))

    def _is_number(self, x: Expr, form: Rows) -> bool:
        """Is it a number for each row?"""
        return length(x) is form.count and isinstance(element(x), ScalarType)

    def _is_of(self, x: Expr, form: Rows) -> bool:
        """Is it a number for each row, or for each of its elements?"""
        return self._is_number(x, form) or (
            length(x) is form.count * form.each and is_flat(x.type) and isinstance(element(x), ScalarType)
        )

    def _goes_on(self, number: int, chain: _Chain) -> bool:
        """Does a kernel reduce the rows of a chain to numbers, or make their elements, of arrays that are near?"""
        form, own, made = chain.form, self.forms.get(number), self.results[number]
        n = form.count * form.each
        if own is None and not (self.elements and self._is_long(form) and all(length(x) is n for x in made)):
            return False
        if own is not None and own.kind != form.kind:
            return False
        near = {x for k in chain.members for x in (*self.cut.kernels[k].reads, *self.results[k]) if length(x) is n}
        return self.near.has_one(form) or not near.isdisjoint(self.cut.kernels[number].reads)

    def _is_long(self, form: Rows) -> bool:
        """Do rows have enough elements for the kernel that reduces them to make what needs the results?"""
        return self.near.has_one(form) or (form.each.value or 0).bit_length() >= self.mapped_from.bit_length()

    def _is_convex(self, members: Collection[int]) -> bool:
        """Does nothing else need results of those kernels that another one of them waits for?"""
        inside, waits = set(members), set[int]()
        places = [self.place[number] for number in members]
        for number in self.order[min(places) : max(places) + 1]:
            if number is None:
                continue
            needs = self.needs[number]
            if number in inside:
                if not needs.isdisjoint(waits):
                    return False
            elif not needs.isdisjoint(waits) or not needs.isdisjoint(inside):
                waits.add(number)
        return True

    def _reads_by_rows(self, number: int, own: set[Expr], form: Rows) -> bool:
        """Does a kernel need, of those arrays, for what it makes of a row, elements and numbers of that row only?

        Numbers are seen through `join ∘ transpose ∘ repeat n` by the elements of their rows, elements through `split n`
        by reductions; everything else is done element by element.
        """
        found = {x: "numbers" if length(x) is form.count else "elements" for x in own}
        vertices = sorted(set(self.cut.kernels[number].vertices), key=self.position.__getitem__)
        for node in vertices:
            reads = {found[x] for x in self.graph.reads(node) if x in found}
            if not reads:
                continue
            if isinstance(node, Map) and isinstance(node.f, Lambda) and any(x in found for x in captured(node.f)):
                return False
            kind = self._kind(node, reads.pop(), form) if len(reads) == 1 else None
            if kind is None:
                return False
            found[node] = kind
        return True

    def _kind(self, node: Expr, read: str, form: Rows) -> str | None:
        """What a vertex makes of numbers of rows, or of elements; None where it may mix rows."""
        barrier = self.graph.is_barrier(node)
        if barrier:
            if read == "rows" or (read == "elements" and self.near.has_one(form)):
                return "numbers" if self._is_number(node, form) else "reduced"
            return "numbers" if read == "reduced" and isinstance(node, Join) else None
        match node, read:
            case (Zip(), _):
                return read if read in ("numbers", "elements", "rows") else None
            case (Repeat(), "numbers"):
                return "repeated" if node.count is form.each else None
            case (Transpose(), "repeated"):
                return "turned"
            case (Join(), "turned"):
                return "elements"
            case (Join(), "repeated"):
                return "elements" if self.near.has_one(form) else None
            case (Split(), "elements"):
                return "rows" if node.chunk is form.each else None
            case (Map(), "numbers" | "elements"):
                return read if is_computed(node) else None
        return None

    def _keeps_apart(self, chain: _Chain) -> Condition | None:
        """Why one kernel does not do the work of a chain, now that others do that of some; None: it does."""
        form, needed = chain.form, self._needed(chain.members)
        if not self._is_convex(chain.members):
            return Condition.NOT_READY
        of_numbers = self.numbers and all(self._is_number(x, form) for x in needed)
        if not of_numbers and any(length(x) is not form.count * form.each for x in needed):
            return Condition.NEEDED
        return Condition.TOO_MANY if len(needed) > RESULTS_OF_A_KERNEL_AT_MOST else None

    def _needed(self, members: Collection[int]) -> list[Expr]:
        """The results that others than those kernels need."""
        made = [x for k in members for x in self.results[k]]
        return [x for x in made if x in self.graph.wanted or self.cut.readers[x].difference(members)]

    def _is_little_repeated(self, members: Collection[int]) -> bool:
        """Is little done again, as each reduction, and the map of the results, make what they need themselves?"""
        inside = {x for k in members for x in self.cut.kernels[k].vertices}
        ends = [list(self.graph.reads(node)) for node in inside if self.graph.is_barrier(node)]
        once, repeated = set[Expr](), 0
        costs = Costs()

        def made(nodes: Iterable[Expr]) -> list[Expr]:
            return [x for x in nodes if x in inside and not self.graph.is_barrier(x)]

        for end in [self._needed(members), *ends]:
            own = list(reached(made(end), lambda x: made(self.graph.reads(x))))
            once.update(own)
            repeated += costs.operations(Kernel(own))
        return repeated <= ROW_WORK_REPEATED_AT_MOST * costs.operations(Kernel(list(once)))

    def _ways(self, members: Collection[int]) -> int:
        """On how many ways what is asked for leads to a reduction, at most: a schedule is derived for each. A sum takes
        each element several times, since it keeps its rounding errors.
        """
        inside = {x for k in members for x in self.cut.kernels[k].vertices}
        ways = Counter(self._needed(members))
        most = 0
        for node in sorted(inside, key=self.position.__getitem__, reverse=True):
            most = max(most, ways[node]) if self.graph.is_barrier(node) else most
            if most > ROW_WAYS_AT_MOST:
                break
            times = ways[node] * (USES_BY_A_SUM if self.graph.is_barrier(node) and not isinstance(node, Join) else 1)
            for x, uses in self._uses(node).items():
                ways[x] += uses * times
        return most

    def _uses(self, node: Expr) -> Counter[Expr]:
        """How often a vertex uses what it reads; of a zip its map uses the arrays themselves."""
        if not isinstance(node, Map) or not isinstance(node.f, Lambda) or self.graph.is_barrier(node):
            return Counter(self.graph.reads(node))
        (variable, *_), body = node.f.open()
        within = Counter({body: 1})
        for x in reversed(list(postorder(body, lambda e: not e.loose))):
            for operand in x.operands:
                within[operand] += within[x]
        if not isinstance(node.xs, Zip):
            return Counter({node.xs: within[variable]})
        found = Counter[Expr]()
        for x, uses in within.items():
            if isinstance(x, Get) and x.operand is variable:
                found[node.xs.operands[x.index]] += uses
        return found

    def _become_one(self, members: list[int]) -> list[Expr]:
        """Let the first of those kernels do the work of all; its results."""
        cut, target = self.cut, members[0]
        needed = self._needed(members)
        made = [x for k in members for x in self.results.pop(k)]
        for k in members[1:]:
            cut.move(k, [target])
        for x in made:
            cut.maker[x] = target
            cut.readers[x].discard(target)
            cut.kernels[target].reads.pop(x, None)
            if x not in needed:
                cut.forget(x)
        self.results[target] = sorted(needed, key=self.position.__getitem__)
        own = set(members)
        self._put_together(members, target)
        before, after = (
            set[int]().union(*(found.pop(k) for k in members)) - own for found in (self.needs, self.needed_by)
        )
        self.needs[target], self.needed_by[target] = before, after
        for others, found in ((before, self.needed_by), (after, self.needs)):
            for number in others:
                found[number] = found[number] - own | {target}
        return self.results[target]

    def _put_together(self, members: Sequence[int], target: int) -> None:
        """Put a kernel between those that kernels need whose work it does, and those that need these."""
        places = [self.place.pop(number) for number in members]
        first, inside, waits = min(places), set(members), set[int]()
        before: list[int | None] = []
        after: list[int | None] = []
        window = self.order[first : max(places) + 1]
        for number in window:
            if number is None or number in inside:
                continue
            if self.needs[number].isdisjoint(waits) and self.needs[number].isdisjoint(inside):
                before.append(number)
            else:
                after.append(number)
                waits.add(number)
        ordered = [*before, target, *after]
        self.order[first : first + len(window)] = [*ordered, *[None] * (len(window) - len(ordered))]
        self.place.update({number: i for i, number in enumerate(ordered, first) if number is not None})
