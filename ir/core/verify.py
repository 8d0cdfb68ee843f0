"""The verifier: the context conditions that types do not state.

They are the [pre : post] conditions of the thesis chapter (section "Lowering Rules") and section 4 of the design: which
map may stand inside which, where results may be kept, and which work-item writes them. `verify` checks what holds in
every state of a derivation, `verify_low_level` also what an expression needs before code is generated from it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from ir.core.expr import Expr, Lambda, Param, postorder
from ir.core.lanes import check_lanes
from ir.core.patterns import (
    MAP,
    REDUCE,
    SCAN,
    SCATTER,
    Element,
    Generate,
    Get,
    Iterate,
    Kind,
    Map,
    Memory,
    Permute,
    RankRunsSeq,
    RankSeq,
    Reduce,
    Scan,
    Scatter,
    Tuple,
    Vect,
    is_view_map,
    length_of,
    map_lane,
    map_warp,
    map_workgroup,
    moves_elements,
)
from ir.core.place import GENERATE, Place
from ir.core.stored import changes, everything_below, holds_array, not_stored, open_power, own_results
from ir.core.types import ArrayType, TupleType, Type
from ir.errors import VerificationError

__all__ = ["holds_at", "is_placed", "made_by_local", "verify", "verify_low_level"]


def verify(e: Expr) -> None:
    """Check what holds in every state of a derivation; raises `VerificationError` naming the place and the condition.

    - A mapLocal stands inside the mapWorkgroup of its dimension, and in no mapLocal of that dimension.
    - A mapWorkgroup (a mapGlobal) stands at the top, or inside maps of its kind and of other dimensions only.
    - A mapWarp stands inside a mapWorkgroup and outside every mapLocal and mapWarp, a mapLane inside a mapWarp of as
      many lanes and in no mapLane; a mapLocal stands outside both.
    - A toLocal stands inside a mapWorkgroup and outside every mapLocal and mapWarp, and these compute what it keeps.
    - A toGlobal whose result is read stands outside all functions; none stands in what a toLocal or toPrivate keeps.
      A toLastGroup is read.
    """
    _Verifier(e, strict=False).run()


def verify_low_level(e: Expr) -> None:
    """Check that an expression is fully lowered and safe to run; raises `VerificationError`.

    Besides what `verify` checks:

    - No high-level pattern is left: open maps that compute, open reductions, scans and scatters, sort, reducePart,
      reorder, vect.
    - What another pattern reads carries an address space; iterate reads a toLocal, inside a mapWorkgroup.
    - What is kept in local or private memory is read, by something that reaches global memory in the end.
    - A kernel has mapWorkgroups or mapGlobals, not both.
    - What a toLastGroup keeps is computed by mapWorkgroups, and read by one kernel whose mapWorkgroups have one turn;
      that one reads no other, and neither does what is kept.
    - Local and private memory holds arrays of a constant size, global memory no vectors. An unrolled loop has a
      constant length, and it alone reads lanes of a vector that is stored as a whole.
    - What is kept in local memory needs no index of a generate.
    - No kernel's result is a part of another's without a map that copies it.
    - A permute's pairs are computed together.
    - No two work-items write one place: what a kernel writes to global memory lies inside a map of each kind and
      dimension that the kernel is launched over, and what it writes to local memory inside its mapLocals.
    """
    _Verifier(e, strict=True).run()
    for node in everything_below(e):
        power = open_power(node)
        if power is not None:
            raise VerificationError(f"{node.name}: a kernel computes sizes of known powers, not {power}\n    {node!r}")
    why = not_stored(e.type, "global")
    if why:
        raise VerificationError(f"the result, of type {e.type}, in global memory: {why}\n    {e!r}")
    check_lanes(e)


_put_placed = Expr.__dict__["placed"].__set__


def is_placed(e: Expr) -> bool:
    """Does it hold what may not stand everywhere: a parallel map, or what is kept in global or local memory?"""
    if not e.patterned:
        return False
    pending = [] if hasattr(e, "placed") else [e]
    while pending:
        node = pending[-1]
        if not node.patterned or hasattr(node, "placed"):
            pending.pop()
            continue
        unknown = [x for x in node.operands if x.patterned and not hasattr(x, "placed")]
        if unknown:
            pending.extend(unknown)
            continue
        own = node.space != "private" if isinstance(node, Memory) else isinstance(node, Map) and node.how.parallel
        _put_placed(node, own or any(x.patterned and x.placed for x in node.operands))
        pending.pop()
    return e.placed


_CARRIED = 3
"""Levels below a part that is rewritten at which rules find what they put elsewhere."""


def holds_at(e: Expr, kinds: tuple[Kind, ...], use: str, before: Expr | None = None) -> bool:
    """Does what `verify` checks hold of a part of an expression, inside those functions, outermost first?

    Args:
        use: where its value is written (`global`, `local`, `private`), or `read`
        before: what stood there, of which the same is known: what both have at the same places is not checked again

    What is kept in local or private memory and needs variables of those functions is taken to be computed outside of
    them, inside the mapWorkgroups.
    """
    verifier, place = _Verifier(e, strict=False), Place(kinds, use)
    try:
        verifier.run(place, set() if before is None else verifier.places_below(before, place, _CARRIED))
    except VerificationError:
        return False
    return True


_ACCUMULATED = (
    "an array is accumulated by a scatter into it, which reads nothing else of it, or by a map of it, zipped first with"
    " what else the map reads"
)


class _Verifier:
    def __init__(self, root: Expr, strict: bool) -> None:
        self.root = root
        self.strict = strict
        self.kernels: dict[Memory, int] = {}
        self.maps: dict[int, list[Map]] = {}
        self.handed: dict[int, Memory] = {}  # by the kernel that computes it
        self.takers: dict[int, set[int]] = {}  # the kernels that go on with what one computes
        self.idle: dict[int, list[Map]] = {}  # maps of which nothing runs
        self.writes: list[tuple[Expr, Place]] = []
        self.own = own_results(root) if strict else set()

    def run(self, start: Place | None = None, seen: set[object] | None = None) -> None:
        """Check everything from a place on, except for what is in `seen`."""
        seen = set() if seen is None else seen
        pending: list[tuple[Expr, Place]] = [(self.root, Place() if start is None else start)]
        while pending:
            node, place = pending.pop()
            if not (self.strict or is_placed(node)):
                continue
            key = place.of(node)
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

    def places_below(self, e: Expr, place: Place, depth: int) -> set[object]:
        """An expression and what stands at most so far below it, each at its place."""
        seen: set[object] = {place.of(e)}
        level = [(e, place)]
        for _ in range(depth):
            below: list[tuple[Expr, Place]] = []
            for node, at in level:
                with suppress(VerificationError):
                    below.extend(self.visit(node, at))
            level = [(node, at) for node, at in below if is_placed(node)]
            seen.update(at.of(node) for node, at in level)
        return seen

    def fail(self, e: Expr, place: Place, condition: str) -> VerificationError:
        inside = " ∘ ".join(map(str, place.kinds)) or "no function"
        return VerificationError(f"{e.name} at {place.operands()} (inside {inside}): {condition}\n    {e!r}")

    # --- one node -----------------------------------------------------------------------------------------------------

    def visit(self, e: Expr, place: Place) -> Iterator[tuple[Expr, Place]]:
        match e:
            case Map():
                yield from self.visit_map(e, place)
            case Reduce() | Scan():
                yield from self.visit_reduce(e, place)
            case Scatter():
                yield from self.visit_scatter(e, place)
            case RankSeq():
                yield from self.visit_rank(e, place)
            case Memory():
                yield e.xs, self.kept(e, place)
            case Element(at, Reduce(init=Param() | Get() as init) as folded) if (
                at.value == 0 and place.use != "read" and init.loose and isinstance(init.type, ArrayType)
            ):
                yield folded, place.operand(0)  # goes on where the accumulator stands
            case Iterate():
                yield from self.visit_iterate(e, place)
            case Generate():
                if self.strict and place.use != "read":
                    raise self.fail(e, place, "a view is no result: a map has to copy it")
                yield _body(e.f), place.inside(GENERATE, e.f, "read")
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
                for index, operand in enumerate(e.operands):
                    if index in e.function_operands:
                        yield _body(operand), place.inside(Kind(e.name), operand, "read", index)
                        continue
                    yield operand, self.below(e, index, place, passes)

    def below(self, e: Expr, index: int, place: Place, passes: bool) -> Place:
        """The place of an operand, which is written where the result is if `passes`, or read."""
        if not passes or (isinstance(e, Tuple) and place.pairs and index == 0):
            return place.operand(index, "read")
        inner = place.operand(index)
        return inner.but(pairs=isinstance(e, Permute)) if isinstance(e, (Permute, Tuple)) else inner

    def visit_map(self, e: Map, place: Place) -> Iterator[tuple[Expr, Place]]:
        if place.use != "read" and moves_elements(e):
            yield e.xs, place.operand(1)
            return
        yield e.xs, place.operand(1, "read")
        if is_view_map(e):
            if self.strict and place.use != "read":
                raise self.fail(e, place, "a view is no result: a map has to copy it")
            yield _body(e.f), place.inside(None, e.f, "read")
            return
        if self.strict and (e.how == MAP or isinstance(e.f, Vect)):
            raise self.fail(e, place, "a high-level pattern is left; a rule of figure 7 lowers it")
        self.check_nesting(e, place)
        if self.strict and place.use == "read":
            raise self.fail(e, place, "the result is read, but no toGlobal, toLocal or toPrivate says where it is kept")
        assert isinstance(e.xs.type, ArrayType)
        self.check_unrolled(e, e.xs, place)
        inside = place.inside(e.how, e.f, "private" if place.use == "read" else place.use)
        if e.xs.type.length.value == 0:
            inside = inside.but(runs=False)
        if e.how.parallel:
            (self.maps if inside.runs else self.idle).setdefault(place.kernel, []).append(e)
        yield _body(e.f), inside

    def visit_reduce(self, e: Reduce | Scan, place: Place) -> Iterator[tuple[Expr, Place]]:
        if self.strict:
            if e.how in (REDUCE, SCAN) or isinstance(e.f, Vect):
                raise self.fail(e, place, "a high-level pattern is left; a rule of figure 6d or 7b lowers it")
            if place.use == "read":
                raise self.fail(
                    e, place, "the result is read, but no toGlobal, toLocal or toPrivate says where it is kept"
                )
        body, inside = _body(e.f), place.inside(e.how, e.f, "read")
        if self.strict and isinstance(e.init.type, ArrayType):
            yield from self.visit_accumulated(e, body, inside.but(use=place.use))
            match e.init:  # written before anything is combined into it
                case Element(at, Reduce() as before) if at.value == 0:
                    yield before, place.operand(1).operand(0)
                case (Param() | Get()) as init if init.loose:  # an accumulator further out, which stands there
                    pass
                case init:
                    yield init, place.operand(1)
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
        if self.strict:
            if e.how == SCATTER or isinstance(e.f, Vect):
                raise self.fail(e, place, "a high-level pattern is left; scatter_to_seq lowers it")
            if place.use != "global" or place.pairs:
                raise self.fail(e, place, "its result is written to global memory, which its values are combined in")
            assert isinstance(e.type, ArrayType)
            if holds_array(e.type.element):
                raise self.fail(e, place, f"it combines numbers (or tuples of them) in place, not {e.type.element}")
        if place.use != "read":
            self.written(e, place)
        yield _body(e.f), place.inside(e.how, e.f, "read")
        yield _body(e.key), place.inside(e.how, e.key, "read", 1)
        yield e.xs, place.operand(2)  # written before anything is combined into it
        yield e.ys, place.operand(3, "read")

    def visit_rank(self, e: RankSeq, place: Place) -> Iterator[tuple[Expr, Place]]:
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
        yield _body(e.key), place.inside(Kind(e.name), e.key, "read")
        yield e.starts, place.operand(1, "read")
        yield e.xs, place.operand(2, "read")

    def kept(self, e: Memory, place: Place) -> Place:
        """The place of what a memory pattern keeps."""
        if e.is_global:
            if place.use in ("local", "private"):
                raise self.fail(e, place, f"it is written to {place.use} memory, not to global memory")
            if place.use == "read" and place.kinds:
                raise self.fail(e, place, "a result in global memory is read by a later kernel, outside all functions")
            kernel = place.kernel
            if self.strict and not place.kinds:
                self.check_result(e, place)
            if place.use == "read":
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
        place = _computed_in(e, place)
        if e.space == "local":
            self.check_local(e, place)
            if not made_by_local(e.xs):
                raise self.fail(e, place, "mapLocals compute what is kept in local memory (joined or concatenated)")
        return place.operand(0, e.space)

    def visit_iterate(self, e: Iterate, place: Place) -> Iterator[tuple[Expr, Place]]:
        if self.strict:
            if place.use != "read":
                raise self.fail(e, place, "its result is in local memory and reaches global memory through a map only")
            if not isinstance(e.xs, Memory) or e.xs.space != "local":
                raise self.fail(e, place, "it reads an array in local memory: a toLocal")
            place = _computed_in(e, place)
            self.check_local(e, place)
        yield _body(e.f), place.inside(Kind("iterate"), e.f, "local")
        yield e.xs, place.operand(1, "read")

    def written(self, e: Expr, place: Place) -> None:
        """Note what is written, if it is."""
        if place.runs:
            self.writes.append((e, place))

    # --- conditions ---------------------------------------------------------------------------------------------------

    def check_nesting(self, e: Map, place: Place) -> None:
        how = e.how
        if how.name == "mapLocal":
            if map_workgroup(how.dim) not in place.kinds:
                raise self.fail(e, place, f"it stands inside a {map_workgroup(how.dim)}")
            if how in place.kinds:
                raise self.fail(e, place, "it does not stand inside itself")
            if any(kind.name in ("mapWarp", "mapLane") for kind in place.kinds):
                raise self.fail(e, place, "it does not stand inside a mapWarp")
        elif how.name == "mapWarp":
            if map_workgroup(0) not in place.kinds or any(kind.is_local for kind in place.kinds):
                raise self.fail(e, place, "it stands inside a mapWorkgroup and outside every mapLocal and mapWarp")
        elif how.name == "mapLane":
            if map_warp(how.dim) not in place.kinds or how in place.kinds:
                raise self.fail(e, place, f"it stands inside a {map_warp(how.dim)}, not inside itself")
        elif how.parallel and not all(kind.name == how.name and kind.dim != how.dim for kind in place.kinds):
            raise self.fail(e, place, f"it stands at the top or inside {how.name}s of other dimensions")

    def check_result(self, e: Memory, place: Place) -> None:
        """A kernel's result holds what buffers hold; another kernel reads it, or none does."""
        why = not_stored(e.type, "global")
        if why:
            raise self.fail(e, place, f"global memory: {why}")
        if place.use != "read" and e not in self.own:
            raise self.fail(
                e,
                place,
                "another kernel's result is no part of this one's: a map copies it, or one toGlobal is left out",
            )
        if place.use == "read" and e in self.own:
            raise self.fail(e, place, "it is a part of the result and read by its own kernel: a map copies it")

    def check_pairs(self, e: Expr, place: Place) -> None:
        """A permute writes pairs that are computed together, once."""
        if place.pairs and e.is_pattern and _innermost(e.type) is not _innermost(e.operands[0].type):
            raise self.fail(e, place, "the indices and values below a permute are computed together: by a map of pairs")

    def check_unrolled(self, e: Expr, xs: Expr, place: Place) -> None:
        n = length_of(xs)
        if self.strict and n.value is None and e.name.endswith("Unroll"):
            raise self.fail(e, place, f"a loop of a constant length is unrolled, not of {n}: use {e.name[:-6]}")

    def check_kinds(self, maps: list[Map]) -> None:
        if {"mapWorkgroup", "mapGlobal"} <= {each.how.name for each in maps}:
            first = next(each for each in maps if each.how.name == "mapGlobal")
            raise self.fail(first, Place(), "a kernel has mapWorkgroups or mapGlobals, not both")

    def check_local(self, e: Expr, place: Place) -> None:
        names = {kind.name for kind in place.kinds}
        if self.strict and GENERATE in place.kinds:
            raise self.fail(
                e, place, "it needs the index of a generated element, which one work-item asks for by itself"
            )
        if "mapWorkgroup" not in names:
            raise self.fail(e, place, "it stands inside a mapWorkgroup, whose work-items share the memory")
        if any(kind.is_local for kind in place.kinds):
            raise self.fail(e, place, "it stands outside every mapLocal and mapWarp: work-items compute it together")

    def check_handed(self, kernel: int) -> None:
        """One work-group goes on with what all work-groups of a kernel computed."""
        e, takers = self.handed[kernel], self.takers[kernel]
        taker = min(takers)
        if len(takers) > 1 or sum(taker in others for others in self.takers.values()) > 1 or taker in self.handed:
            raise self.fail(e, Place(), "a kernel is handed over once, to one work-group")
        first, last = self.maps.get(kernel, []), self.maps.get(taker, [])
        if not any(each.how.name == "mapWorkgroup" for each in first):
            raise self.fail(e, Place(), "mapWorkgroups compute it")
        for each in last:
            assert isinstance(each.xs.type, ArrayType)
            if not each.how.is_local and (each.how.name != "mapWorkgroup" or each.xs.type.length.value != 1):
                raise self.fail(each, Place(), "one work-group goes on, so that a mapWorkgroup has one turn")
        for one, other in ((kernel, last), (taker, first)):
            self.check_launch(one, [*self.maps.get(one, []), *(each for each in other if each.how.is_local)])

    def check_launch(self, kernel: int, maps: list[Map]) -> None:
        """Every write of a kernel is made by one work-item."""
        launched: set[Kind] = set()  # what runs more than once, as far as is known
        for each in maps:
            assert isinstance(each.xs.type, ArrayType)
            trip = each.xs.type.length.value
            # a mapLocal over an unknown length is a loop of the work-items that the others ask for
            if each.how.name == "mapWarp":
                launched.add(map_lane(each.how.dim))  # a warp has all its lanes
            if trip != 1 and (trip is not None or not each.how.is_local):
                launched.add(each.how)
        for e, place in self.writes:
            if place.kernel != kernel or place.use == "private":
                continue
            wanted = launched if place.use == "global" else {kind for kind in launched if kind.is_local}
            for kind in sorted(wanted, key=str):
                if kind not in place.kinds:
                    raise self.fail(e, place, f"it is written by every iteration of a {kind}: a race")


def _innermost(t: Type) -> Type:
    """What the arrays of a type are made of."""
    while isinstance(t, ArrayType):
        t = t.element
    return t


def _body(f: Expr) -> Expr:
    """The body of a function over its opened variables."""
    while isinstance(f, Vect):
        f = f.f
    assert isinstance(f, Lambda)
    return f.open()[1]


def _computed_in(e: Expr, place: Place) -> Place:
    """Where an intermediate result is computed: outside the functions whose variables it does not mention.

    Sharing is kept by computing it once, in the outermost place that binds its variables, still inside the
    mapWorkgroups.
    """
    free = {node for node in postorder(e, prune=lambda node: not node.loose) if isinstance(node, Param)}
    groups = max((i + 1 for i, kind in enumerate(place.kinds) if kind.name == "mapWorkgroup"), default=0)
    depth = max([groups, *(depth for p, depth in place.bound if p in free)])
    return place.but(kinds=place.kinds[:depth])


def made_by_local(e: Expr) -> bool:
    """Do mapLocals, or the mapLanes of mapWarps, compute all of it?"""
    if e.is_pattern and e.traits.passes_destination and not e.traits.high_level:
        return all(map(made_by_local, e.operands))
    if isinstance(e, Map):
        deeper = e.how.name == "mapWarp" or e.how.name.startswith("mapSeq")
        return e.how.name in ("mapLocal", "mapLane") or (deeper and made_by_local(_body(e.f)))
    return False
