"""The walk over an expression that finds the place of each pattern and asks for its conditions."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from ir.core.expr import Expr, Lambda, Param, postorder
from ir.core.patterns import (
    MAP,
    MAP_LIBRARY,
    REDUCE,
    SCAN,
    SCATTER,
    SCATTER_LOCAL,
    Element,
    Generate,
    Get,
    Iterate,
    Kind,
    Map,
    MapReduce,
    Memory,
    Overlap,
    RankRunsSeq,
    RankSeq,
    Reduce,
    Scan,
    Scatter,
    Tuple,
    Vect,
    is_view_map,
    map_local,
    moves_elements,
)
from ir.core.place import GENERATE, Place
from ir.core.stored import changes, holds_array, is_read_of_accumulator, not_stored, part_of, written_together
from ir.core.types import ArrayType, TupleType
from ir.core.verify.conditions import Conditions
from ir.core.verify.placing import computed_in, is_placed, made_by_local
from ir.errors import VerificationError

__all__ = ["Verifier"]

_ACCUMULATED = (
    "an array is accumulated by a scatter into it, which reads nothing else of it, or by a map of it, zipped first with"
    " what else the map reads"
)


class Verifier(Conditions):
    """Walks an expression from its result on, asking of each pattern what its place must be."""

    def run(self, start: Place | None = None, seen: set[object] | None = None) -> None:
        """Check everything from a place on, except for what is in `seen`."""
        seen = set() if seen is None else seen
        pending: list[tuple[Expr, Place]] = [(self.root, Place() if start is None else start)]
        while pending:
            node, place = pending.pop()
            if not (self.strict or is_placed(node)):
                continue
            key = self.known_as(node, place)
            if key not in seen:
                seen.add(key)
                pending.extend(self.visit(node, place))
        if self.strict:
            for kernel in {**self.maps, **self.idle}:
                self.check_kinds([*self.maps.get(kernel, []), *self.idle.get(kernel, [])])
            for kernel, maps in self.maps.items():
                self.check_launch(kernel, maps)
            for kernel in self.handed:
                self.check_handed(kernel)

    def known_as(self, e: Expr, place: Place) -> object:
        """What decides whether an expression may stand at a place, in whatever whole."""
        return place.of(e), e in self.before

    def places_below(self, e: Expr, place: Place, depth: int) -> set[object]:
        """An expression and what stands at most so far below it, each at its place."""
        seen: set[object] = {self.known_as(e, place)}
        level = [(e, place)]
        for _ in range(depth):
            below: list[tuple[Expr, Place]] = []
            for node, at in level:
                with suppress(VerificationError):
                    below.extend(self.visit(node, at))
            level = [(node, at) for node, at in below if is_placed(node)]
            seen.update(self.known_as(node, at) for node, at in level)
        return seen

    # --- one node -----------------------------------------------------------------------------------------------------

    def visit(self, e: Expr, place: Place) -> Iterator[tuple[Expr, Place]]:
        """Check a node at its place; what lies directly below it, each part at its own."""
        match e:
            case Get() | Map() if place.use != "read" and part_of(e) is not None:
                yield from self.visit_part(e, place)
            case Get() if self.strict and is_read_of_accumulator(e):
                if e.operand not in self.together:
                    raise self.fail(
                        e, place, "the results beside an accumulator are written, in a tuple with its reader"
                    )
                self.check_loop(e.operand, e, place)
            case Map():
                yield from self.visit_map(e, place)
            case MapReduce():
                yield from self.visit_map_reduce(e, place)
            case Reduce() | Scan():
                yield from self.visit_reduce(e, place)
            case Scatter():
                yield from self.visit_scatter(e, place)
            case RankSeq():
                yield from self.visit_rank(e, place)
            case _ if e.traits.by_lanes:
                yield from self.visit_lanes(e, place)
            case Memory():
                yield e.xs, self.kept(e, place)
            case Get(_, kept) if e in self.before and not place.kinds and place.use != "read":
                yield kept, place.operand(0, "read")
            case Element(at, Reduce(init=Param() | Get() as init) as folded) if (
                at.value == 0 and place.use != "read" and init.loose and isinstance(init.type, ArrayType)
            ):
                yield folded, place.operand(0)  # goes on where the accumulator stands
            case Iterate():
                yield from self.visit_iterate(e, place)
            case Overlap() if self.strict and is_placed(e):
                raise self.fail(e, place, "one work-item computes both parts, one after the other")
            case Generate():
                if self.strict and place.use != "read":
                    raise self.fail(e, place, "a view is no result: a map has to copy it")
                yield self.inside(place, GENERATE, e.f, "read")
            case _:
                if self.strict and e.traits.high_level:
                    raise self.fail(e, place, "a high-level pattern is left; a rule lowers it")
                if self.strict and e.traits.computes and place.use == "read":
                    raise self.fail(e, place, "the result is read, but no toGlobal says where it is kept")
                passes = e.traits.passes_destination and not e.traits.high_level and place.use != "read"
                if not passes and place.use != "read":
                    if self.strict and holds_array(e.type) and not e.traits.computes:
                        raise self.fail(e, place, "a view is no result: a map has to copy it")
                    self.written(e, place)
                if self.strict and passes:
                    self.check_pairs(e, place)
                    if isinstance(e, Tuple):
                        self.together.update(written_together(e))
                for index, operand in enumerate(e.operands):
                    if index in e.function_operands:
                        yield self.inside(place, Kind(e.name), operand, "read", index)
                        continue
                    yield operand, self.below(e, index, place, passes)

    def inside(self, place: Place, kind: Kind | None, f: Expr, use: str, index: int = 0) -> tuple[Expr, Place]:
        """The body of a function that is the operand at `index`, and its place.

        What is found out about several results of one loop (`together`) has to be of one function: so each has
        parameters of its own where that matters.
        """
        inner = f
        while isinstance(inner, Vect):
            inner = inner.f
        assert isinstance(inner, Lambda)
        variables, body = inner.open() if self.strict else inner.enter()
        return body, place.inside(kind, variables if inner is f else (), use, index)

    def below(self, e: Expr, index: int, place: Place, passes: bool) -> Place:
        """The place of an operand, which is written where the result is if `passes`, or read."""
        if not passes or (isinstance(e, Tuple) and place.pairs and index == 0):
            return place.operand(index, "read")
        inner = place.operand(index)
        return inner.but(pairs=e.traits.by_index) if e.traits.by_index or isinstance(e, Tuple) else inner

    def visit_map(self, e: Map, place: Place) -> Iterator[tuple[Expr, Place]]:
        """A map: of views, in sequence or parallel."""
        if place.use != "read" and moves_elements(e):
            yield e.xs, place.operand(1)
            return
        yield e.xs, place.operand(1, "read")
        if e.how is MAP_LIBRARY:
            self.check_library(e, place)
            return  # what its function says is no loop of ours
        if is_view_map(e):
            if self.strict and place.use != "read":
                raise self.fail(e, place, "a view is no result: a map has to copy it")
            yield self.inside(place, None, e.f, "read")
            return
        if self.strict and (e.how == MAP or isinstance(e.f, Vect)):
            raise self.fail(e, place, "a high-level pattern is left; a rule of figure 7 lowers it")
        self.check_nesting(e, place)
        if self.strict and place.use == "read":
            raise self.fail(e, place, "the result is read, but no toGlobal, toLocal or toPrivate says where it is kept")
        assert isinstance(e.xs.type, ArrayType)
        self.check_unrolled(e, e.xs, place)
        body, inside = self.inside(place, e.how, e.f, "private" if place.use == "read" else place.use)
        if e.xs.type.length.value == 0:
            inside = inside.but(runs=False)
        if e.how.parallel:
            (self.maps if inside.runs else self.idle).setdefault(place.kernel, []).append(e)
        yield body, inside

    def visit_reduce(self, e: Reduce | Scan, place: Place) -> Iterator[tuple[Expr, Place]]:
        """A reduction or a scan, of numbers or of arrays."""
        if self.strict:
            if e.how in (REDUCE, SCAN) or isinstance(e.f, Vect):
                raise self.fail(e, place, "a high-level pattern is left; a rule of figure 6d or 7b lowers it")
            if place.use == "read":
                raise self.fail(
                    e, place, "the result is read, but no toGlobal, toLocal or toPrivate says where it is kept"
                )
        body, inside = self.inside(place, e.how, e.f, "read")
        if self.strict and isinstance(e.init.type, ArrayType):
            yield from self.visit_accumulated(e, body, inside.but(use=place.use))
            if not (isinstance(e.init, Param | Get) and e.init.loose):  # an accumulator further out, which stands there
                yield self.begun(e.init, place.operand(1))  # written before anything is combined into it
            yield e.xs, place.operand(2, "read")
            return
        results = isinstance(e, Scan) and e.gives_results and isinstance(body, Tuple)
        self.check_unrolled(e, e.xs, place)
        if place.use != "read" and not (results and isinstance(body.operands[1].type, ArrayType)):
            self.written(e, place)
        if results:  # what is carried, and what is written
            yield body.operands[0], inside.operand(0)
            use = place.use if isinstance(body.operands[1].type, ArrayType) else "read"
            yield body.operands[1], inside.operand(1, use)
        else:
            yield body, inside
        yield e.init, place.operand(1, "read")
        yield e.xs, place.operand(2, "read")

    def visit_part(self, e: Expr, place: Place) -> Iterator[tuple[Expr, Place]]:
        """One of the results of a loop, which is written where its others are."""
        found = part_of(e)
        assert found is not None
        loop, _ = found
        t = loop.type.element if isinstance(loop.type, ArrayType) else loop.type
        assert isinstance(t, TupleType)
        wanted = set(range(len(t.elements)))
        given = self.together.get(loop, [])
        if self.strict and (
            len(given) != len(set(given)) or wanted - set(given) - ({0} if isinstance(loop, MapReduce) else set())
        ):
            raise self.fail(e, place, "all results of a loop are written together, each once, as parts of one tuple")
        self.check_loop(loop, e, place)
        yield loop, place.operand(e.operand_names.index("xs") if isinstance(e, Map) else 0)

    def check_loop(self, loop: Expr, e: Expr, place: Place) -> None:
        """The results of a loop are written, and what it accumulates is read, in one kernel."""
        if self.strict and self.loops.setdefault(loop, place.kernel) != place.kernel:
            raise self.fail(e, place, "one kernel writes the results of a loop and reads what it accumulates")

    def visit_map_reduce(self, e: MapReduce, place: Place) -> Iterator[tuple[Expr, Place]]:
        """A loop with an accumulator, which is private, and results."""
        body, inside = self.inside(place, e.how, e.f, "read")
        self.together.setdefault(e, [0, 1])
        if self.strict and place.use == "read":
            raise self.fail(e, place, "its results are written, and only its accumulator is read where it is")
        array = isinstance(e.init.type, ArrayType)
        if self.strict and (not isinstance(body, Tuple) or (holds_array(e.init.type) and not array)):
            raise self.fail(
                e, place, "its accumulator is a number, a tuple of them or an array, and its function says a pair"
            )
        written = body.operands[1] if isinstance(body, Tuple) else body
        if self.strict and array:
            yield from self.visit_accumulated_beside(e, body, inside.but(use=place.use), place)
            return
        if 0 in self.together.get(e, ()) or not isinstance(written.type, ArrayType):
            self.written(e, place)
        if isinstance(body, Tuple):  # what is carried, and what is written
            yield body.operands[0], inside.operand(0)
            yield written, inside.operand(1, place.use if isinstance(written.type, ArrayType) else "read")
        else:
            yield body, inside
        yield e.init, place.operand(1, "read")
        yield e.xs, place.operand(2, "read")

    def visit_accumulated_beside(
        self, e: MapReduce, body: Expr, inside: Place, place: Place
    ) -> Iterator[tuple[Expr, Place]]:
        """A loop that changes an array, in private memory or where its parts are written, and has results beside it."""
        following, written = body.operands
        accumulator = e.f.open()[0][0]
        if not changes(following, accumulator):
            raise self.fail(e, inside, _ACCUMULATED)
        use = place.use if 0 in self.together.get(e, ()) else "private"
        yield following, inside.operand(0, use)
        if not isinstance(written.type, ArrayType):
            self.written(e, place)
        yield written, inside.operand(1, place.use if isinstance(written.type, ArrayType) else "read")
        yield self.begun(e.init, place.operand(1, use))
        yield e.xs, place.operand(2, "read")

    def begun(self, init: Expr, place: Place) -> tuple[Expr, Place]:
        """What an accumulated array begins with, which another reduction of arrays may give, and its place."""
        match init:
            case Element(at, Reduce() as before) if at.value == 0:
                return before, place.operand(0)
        return init, place

    def visit_accumulated(self, e: Reduce | Scan, body: Expr, inside: Place) -> Iterator[tuple[Expr, Place]]:
        """The turns of a reduction of arrays, each of which changes the accumulator where it is written."""
        assert isinstance(e.f, Lambda)
        accumulator = e.f.open()[0][0]
        if isinstance(e, Reduce) and changes(body, accumulator):
            yield body, inside
            return
        scatters = isinstance(e, Reduce) and isinstance(body, Scatter) and body.xs is accumulator
        others = [part for part in body.operands if part is not accumulator]
        if not scatters or any(accumulator in postorder(part) for part in others):
            raise self.fail(e, inside, _ACCUMULATED)
        assert isinstance(body, Scatter)
        yield from (each for each in self.visit_scatter(body, inside) if each[0] is not accumulator)

    def visit_scatter(self, e: Scatter, place: Place) -> Iterator[tuple[Expr, Place]]:
        """A scatter, which combines values in place."""
        if self.strict:
            if e.how == SCATTER or isinstance(e.f, Vect):
                raise self.fail(e, place, "a high-level pattern is left; scatter_to_seq lowers it")
            if e.how is SCATTER_LOCAL:
                if place.use != "local":
                    raise self.fail(e, place, "its sums are kept in local memory, which a work-group shares")
            elif place.use != "global" or place.pairs:
                raise self.fail(e, place, "its result is written to global memory, which its values are combined in")
            assert isinstance(e.type, ArrayType)
            if holds_array(e.type.element):
                raise self.fail(e, place, f"it combines numbers (or tuples of them) in place, not {e.type.element}")
        if e.how is SCATTER_LOCAL:
            self.check_meeting(e, place)
        if place.use != "read":
            together = (map_local(0),) if e.how is SCATTER_LOCAL else ()
            self.written(e, place.but(kinds=(*place.kinds, *together)))
        yield self.inside(place, e.how, e.f, "read")
        yield self.inside(place, e.how, e.key, "read", 1)
        yield e.xs, place.operand(2)  # written before anything is combined into it
        yield e.ys, place.operand(3, "read")

    def visit_rank(self, e: RankSeq, place: Place) -> Iterator[tuple[Expr, Place]]:
        """A counting step of a sort."""
        assert isinstance(e.type, ArrayType)
        assert isinstance(e.type.element, TupleType)
        if self.strict and holds_array(e.type.element.elements[1]):
            raise self.fail(e, place, f"it writes numbers (or tuples of them), not {e.type.element.elements[1]}")
        if self.strict and isinstance(e, RankRunsSeq) and not place.pairs:
            raise self.fail(e, place, "its runs are written to the places that they name: below a permute")
        if self.strict and place.use == "read":
            raise self.fail(e, place, "the result is read, but no toGlobal, toLocal or toPrivate says where it is kept")
        if place.use != "read":
            self.written(e, place)
        yield self.inside(place, Kind(e.name), e.key, "read")
        yield e.starts, place.operand(1, "read")
        yield e.xs, place.operand(2, "read")

    def visit_lanes(self, e: Expr, place: Place) -> Iterator[tuple[Expr, Place]]:
        """What work-items compute together, each an element: written as a mapLocal writes."""
        self.check_lanes(e, place)
        if place.use != "read":
            self.written(e, place.but(kinds=(*place.kinds, map_local(0))))
        for i, operand in enumerate(e.operands):
            if i in e.function_operands:
                yield self.inside(place, Kind(e.name), operand, "read", i)
            else:
                yield operand, place.operand(i, "read")

    def kept(self, e: Memory, place: Place) -> Place:
        """The place of what a memory pattern keeps."""
        if self.strict and isinstance(e.xs, MapReduce):
            raise self.fail(
                e, place, "it keeps an array, and not the results of a loop, which go to places of their own"
            )
        if e.is_global:
            if place.use in ("local", "private"):
                raise self.fail(e, place, f"it is written to {place.use} memory, not to global memory")
            if place.use == "read" and place.kinds:
                raise self.fail(e, place, "a result in global memory is read by a later kernel, outside all functions")
            kernel = place.kernel
            if self.strict and not place.kinds:
                self.check_result(e, place)
            if place.use == "read" and self.strict:  # numbers say nothing of another whole
                kernel = self.kernels.setdefault(e, len(self.kernels) + 1)  # once for all its readers
            if e.space == "lastGroup":
                if place.use != "read":
                    raise self.fail(e, place, "no work-group goes on with it, so that a toGlobal keeps it")
                self.handed[kernel] = e
                self.takers.setdefault(kernel, set()).add(place.kernel)
            return place.operand(0).but(use="global", kernel=kernel, pairs=place.pairs and place.use != "read")
        if self.strict and place.use != "read":
            raise self.fail(e, place, "nothing reads it, so its value never reaches global memory")
        why = not_stored(e.type, e.space) if self.strict else ""
        if why:
            raise self.fail(e, place, f"{e.space} memory: {why}")
        place = computed_in(e, place)
        if e.space == "local":
            self.check_local(e, place)
            if not made_by_local(e.xs):
                raise self.fail(e, place, "mapLocals compute what is kept in local memory (joined or concatenated)")
        return place.operand(0, e.space)

    def visit_iterate(self, e: Iterate, place: Place) -> Iterator[tuple[Expr, Place]]:
        """An iteration, whose turns exchange two arrays in local memory."""
        if self.strict:
            if place.use != "read":
                raise self.fail(e, place, "its result is in local memory and reaches global memory through a map only")
            if not isinstance(e.xs, Memory) or e.xs.space != "local":
                raise self.fail(e, place, "it reads an array in local memory: a toLocal")
            place = computed_in(e, place)
            self.check_local(e, place)
        yield self.inside(place, Kind("iterate"), e.f, "local")
        yield e.xs, place.operand(1, "read")
