"""The verifier: the context conditions that types do not state.

They are the [pre : post] conditions of the thesis chapter (section "Lowering Rules") and section 4 of the design: which
map may stand inside which, where results may be kept, and which work-item writes them. `verify` checks what holds in
every state of a derivation, `verify_low_level` also what an expression needs before code is generated from it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import TypeAlias

from ir.core.expr import Expr, Lambda, Param, postorder
from ir.core.patterns import (
    MAP,
    REDUCE,
    SCAN,
    SCATTER,
    AsScalar,
    Concat,
    Generate,
    Id,
    Iterate,
    Join,
    Kind,
    Map,
    Memory,
    Permute,
    Prefetch,
    RankSeq,
    Reduce,
    ReducePart,
    Reorder,
    ReorderStride,
    Scan,
    Scatter,
    Sort,
    Split,
    Transpose,
    Tuple,
    Vect,
    Zip,
    is_view_map,
    map_lane,
    map_warp,
    map_workgroup,
    moves_elements,
)
from ir.core.types import ArrayType
from ir.errors import VerificationError

__all__ = ["GENERATE", "holds_at", "is_placed", "made_by_local", "verify", "verify_low_level"]

GENERATE = Kind("generate")
"""The function of a generate: around a place in it as a map is, though it emits no loop."""

_PASSED_ON = (AsScalar, Concat, Id, Join, Permute, Prefetch, ReorderStride, Split, Transpose, Zip)
"""Patterns that hand on where their result is written to those that compute it."""


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
    - No two work-items write one place: what a kernel writes to global memory lies inside a map of each kind and
      dimension that the kernel is launched over, and what it writes to local memory inside its mapLocals.
    """
    _Verifier(e, strict=True).run()


_put_placed = Expr.__dict__["placed"].__set__


def is_placed(e: Expr) -> bool:
    """Does it hold what may not stand everywhere: a parallel map, or what is kept in global or local memory?"""
    pending = [e]
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
    return e.patterned and e.placed


_CARRIED = 3
"""Levels below a part that is rewritten at which rules find what they put elsewhere."""


def holds_at(e: Expr, kinds: tuple[Kind, ...], use: str, before: Expr | None = None) -> bool:
    """Does what `verify` checks hold of a part of an expression, inside those functions, outermost first?

    use : where its value is written (`global`, `local`, `private`), or `read`
    before : what stood there, of which the same is known: what both have at the same places is not checked again

    What is kept in local or private memory and needs variables of those functions is taken to be computed outside of
    them, inside the mapWorkgroups.
    """
    verifier, place = _Verifier(e, strict=False), _Place(kinds, use)
    try:
        verifier.run(place, set() if before is None else verifier.places_below(before, place, _CARRIED))
    except VerificationError:
        return False
    return True


_Path: TypeAlias = "tuple[_Path, int] | None"
"""The operands taken from the root, the last one first."""


class _Place:
    """Where a node stands.

    kinds : the maps, reductions, scans, iterations and generated arrays around it, outermost first
    use : where its value is written (`global`, `local`, `private`), or `read`
    kernel : the number of the kernel it is computed in
    bound : for each variable in scope, how many of `kinds` stand around its function's body
    path : how it was reached, for messages
    """

    __slots__ = ("bound", "kernel", "kinds", "path", "use")

    def __init__(
        self,
        kinds: tuple[Kind, ...] = (),
        use: str = "global",
        kernel: int = 0,
        bound: tuple[tuple[Param, int], ...] = (),
        path: _Path = None,
    ) -> None:
        self.kinds = kinds
        self.use = use
        self.kernel = kernel
        self.bound = bound
        self.path = path

    def of(self, e: Expr) -> object:
        """The expression at this place, however it was reached."""
        return e, self.kinds, self.use, self.kernel, self.bound

    def operand(self, index: int, use: str | None = None) -> _Place:
        return _Place(self.kinds, use or self.use, self.kernel, self.bound, (self.path, index))

    def inside(self, kind: Kind | None, f: Expr, use: str, index: int = 0) -> _Place:
        """The body of a function that is the operand at `index`."""
        kinds = self.kinds if kind is None else (*self.kinds, kind)
        params = f.open()[0] if isinstance(f, Lambda) else ()
        bound = (*self.bound, *((p, len(kinds)) for p in params))
        return _Place(kinds, use, self.kernel, bound, ((self.path, index), 0))

    def used(self, use: str) -> _Place:
        """The same place, where the value is written elsewhere."""
        return _Place(self.kinds, use, self.kernel, self.bound, self.path)

    def computed_by(self, kernel: int) -> _Place:
        """The same place in another kernel."""
        return _Place(self.kinds, self.use, kernel, self.bound, self.path)

    def outside(self, depth: int) -> _Place:
        """The same place, with so many functions left around it."""
        return _Place(self.kinds[:depth], self.use, self.kernel, self.bound, self.path)

    def operands(self) -> list[int]:
        """The operands taken from the root."""
        found, path = [], self.path
        while path is not None:
            path, index = path
            found.append(index)
        return found[::-1]


class _Verifier:
    def __init__(self, root: Expr, strict: bool) -> None:
        self.root = root
        self.strict = strict
        self.kernels: dict[Memory, int] = {}
        self.maps: dict[int, list[Map]] = {}
        self.handed: dict[int, Memory] = {}  # by the kernel that computes it
        self.takers: dict[int, set[int]] = {}  # the kernels that go on with what one computes
        self.writes: list[tuple[Expr, _Place]] = []

    def run(self, start: _Place | None = None, seen: set[object] | None = None) -> None:
        """Check everything from a place on, except for what is in `seen`."""
        seen = set() if seen is None else seen
        pending: list[tuple[Expr, _Place]] = [(self.root, _Place() if start is None else start)]
        while pending:
            node, place = pending.pop()
            if not (self.strict or is_placed(node)):
                continue
            key = place.of(node)
            if key not in seen:
                seen.add(key)
                pending.extend(self.visit(node, place))
        if self.strict:
            for kernel, maps in self.maps.items():
                self.check_launch(kernel, maps)
            for kernel in self.handed:
                self.check_handed(kernel)

    def places_below(self, e: Expr, place: _Place, depth: int) -> set[object]:
        """An expression and what stands at most so far below it, each at its place."""
        seen: set[object] = {place.of(e)}
        level = [(e, place)]
        for _ in range(depth):
            below: list[tuple[Expr, _Place]] = []
            for node, at in level:
                with suppress(VerificationError):
                    below.extend(self.visit(node, at))
            level = [(node, at) for node, at in below if is_placed(node)]
            seen.update(at.of(node) for node, at in level)
        return seen

    def fail(self, e: Expr, place: _Place, condition: str) -> VerificationError:
        inside = " ∘ ".join(map(str, place.kinds)) or "no function"
        return VerificationError(f"{e.name} at {place.operands()} (inside {inside}): {condition}\n    {e!r}")

    # --- one node -----------------------------------------------------------------------------------------------------

    def visit(self, e: Expr, place: _Place) -> Iterator[tuple[Expr, _Place]]:
        match e:
            case Map():
                yield from self.visit_map(e, place)
            case Reduce() | ReducePart() | Scan():
                yield from self.visit_reduce(e, place)
            case Scatter():
                yield from self.visit_scatter(e, place)
            case RankSeq():
                yield from self.visit_rank(e, place)
            case Memory():
                yield e.xs, self.kept(e, place)
            case Iterate():
                yield from self.visit_iterate(e, place)
            case Generate():
                if self.strict and place.use != "read":
                    raise self.fail(e, place, "a view is no result: a map has to copy it")
                yield _body(e.f), place.inside(GENERATE, e.f, "read")
            case _:
                if self.strict and isinstance(e, (Reorder, Sort)):
                    raise self.fail(e, place, "a high-level pattern is left; a rule of figure 7 lowers it")
                if self.strict and isinstance(e, Permute) and place.use == "read":
                    raise self.fail(e, place, "the result is read, but no toGlobal says where it is kept")
                passes = isinstance(e, (*_PASSED_ON, Tuple)) and place.use != "read"
                if not passes and place.use != "read":
                    if self.strict and isinstance(e.type, ArrayType):
                        raise self.fail(e, place, "a view is no result: a map has to copy it")
                    self.writes.append((e, place))
                for index, operand in enumerate(e.operands):
                    if isinstance(operand, Lambda):  # of a sort
                        yield _body(operand), place.inside(Kind(e.name), operand, "read", index)
                        continue
                    yield operand, place.operand(index, None if passes else "read")

    def visit_map(self, e: Map, place: _Place) -> Iterator[tuple[Expr, _Place]]:
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
        if e.xs.type.length.value == 0:
            return  # nothing runs
        if e.how.parallel:
            self.maps.setdefault(place.kernel, []).append(e)
        yield _body(e.f), place.inside(e.how, e.f, "private" if place.use == "read" else place.use)

    def visit_reduce(self, e: Reduce | ReducePart | Scan, place: _Place) -> Iterator[tuple[Expr, _Place]]:
        how = Kind("reducePart") if isinstance(e, ReducePart) else e.how
        if self.strict:
            if isinstance(e, ReducePart) or e.how in (REDUCE, SCAN) or isinstance(e.f, Vect):
                raise self.fail(e, place, "a high-level pattern is left; a rule of figure 6d or 7b lowers it")
            if place.use == "read":
                raise self.fail(
                    e, place, "the result is read, but no toGlobal, toLocal or toPrivate says where it is kept"
                )
        body, inside = _body(e.f), place.inside(how, e.f, "read")
        if self.strict and isinstance(e.init.type, ArrayType):
            yield from self.visit_accumulated(e, body, inside.used(place.use))
            yield e.init, place.operand(1)  # written before anything is combined into it
            yield e.xs, place.operand(2, "read")
            return
        results = isinstance(e, Scan) and e.gives_results and isinstance(body, Tuple)
        if place.use != "read" and not (results and isinstance(body.operands[1].type, ArrayType)):
            self.writes.append((e, place))
        if results:  # what is carried, and what is written
            yield body.operands[0], inside.operand(0)
            use = place.use if isinstance(body.operands[1].type, ArrayType) else "read"
            yield body.operands[1], inside.operand(1, use)
        else:
            yield body, inside
        yield e.init, place.operand(1, "read")
        yield e.xs, place.operand(2, "read")

    def visit_accumulated(
        self, e: Reduce | ReducePart | Scan, body: Expr, inside: _Place
    ) -> Iterator[tuple[Expr, _Place]]:
        """The turns of a reduction of arrays, each of which changes the accumulator where it is written."""
        assert isinstance(e.f, Lambda)
        accumulator = e.f.open()[0][0]
        changes = isinstance(e, Reduce) and isinstance(body, Scatter) and body.xs is accumulator
        others = [part for part in body.operands if part is not accumulator]
        if not changes or any(accumulator in postorder(part) for part in others):
            raise self.fail(e, inside, "an array is accumulated by a scatter into it, which reads nothing else of it")
        assert isinstance(body, Scatter)
        yield from (each for each in self.visit_scatter(body, inside) if each[0] is not accumulator)

    def visit_scatter(self, e: Scatter, place: _Place) -> Iterator[tuple[Expr, _Place]]:
        if self.strict:
            if e.how == SCATTER or isinstance(e.f, Vect):
                raise self.fail(e, place, "a high-level pattern is left; scatter_to_seq lowers it")
            if place.use != "global":
                raise self.fail(e, place, "its result is written to global memory, which its values are combined in")
        if place.use != "read":
            self.writes.append((e, place))
        yield _body(e.f), place.inside(e.how, e.f, "read")
        yield _body(e.key), place.inside(e.how, e.key, "read", 1)
        yield e.xs, place.operand(2)  # written before anything is combined into it
        yield e.ys, place.operand(3, "read")

    def visit_rank(self, e: RankSeq, place: _Place) -> Iterator[tuple[Expr, _Place]]:
        if self.strict and place.use == "read":
            raise self.fail(e, place, "the result is read, but no toGlobal, toLocal or toPrivate says where it is kept")
        if place.use != "read":
            self.writes.append((e, place))
        yield _body(e.key), place.inside(Kind(e.name), e.key, "read")
        yield e.starts, place.operand(1, "read")
        yield e.xs, place.operand(2, "read")

    def kept(self, e: Memory, place: _Place) -> _Place:
        """The place of what a memory pattern keeps."""
        if e.is_global:
            if place.use in ("local", "private"):
                raise self.fail(e, place, f"it is written to {place.use} memory, not to global memory")
            if place.use == "read" and place.kinds:
                raise self.fail(e, place, "a result in global memory is read by a later kernel, outside all functions")
            kernel = place.kernel
            if place.use == "read":
                kernel = self.kernels.setdefault(e, len(self.kernels) + 1)  # once for all its readers
            if e.space == "lastGroup":
                if place.use != "read":
                    raise self.fail(e, place, "no work-group goes on with it, so that a toGlobal keeps it")
                self.handed[kernel] = e
                self.takers.setdefault(kernel, set()).add(place.kernel)
            return place.operand(0, "global").computed_by(kernel)
        if self.strict and place.use != "read":
            raise self.fail(e, place, "nothing reads it, so its value never reaches global memory")
        place = _computed_in(e, place)
        if e.space == "local":
            self.check_local(e, place)
            if not made_by_local(e.xs):
                raise self.fail(e, place, "mapLocals compute what is kept in local memory (joined or concatenated)")
        return place.operand(0, e.space)

    def visit_iterate(self, e: Iterate, place: _Place) -> Iterator[tuple[Expr, _Place]]:
        if self.strict:
            if place.use != "read":
                raise self.fail(e, place, "its result is in local memory and reaches global memory through a map only")
            if not isinstance(e.xs, Memory) or e.xs.space != "local":
                raise self.fail(e, place, "it reads an array in local memory: a toLocal")
            place = _computed_in(e, place)
            self.check_local(e, place)
        yield _body(e.f), place.inside(Kind("iterate"), e.f, "local")
        yield e.xs, place.operand(1, "read")

    # --- conditions ---------------------------------------------------------------------------------------------------

    def check_nesting(self, e: Map, place: _Place) -> None:
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

    def check_local(self, e: Expr, place: _Place) -> None:
        names = {kind.name for kind in place.kinds}
        if "mapWorkgroup" not in names:
            raise self.fail(e, place, "it stands inside a mapWorkgroup, whose work-items share the memory")
        if any(kind.is_local for kind in place.kinds):
            raise self.fail(e, place, "it stands outside every mapLocal and mapWarp: work-items compute it together")

    def check_handed(self, kernel: int) -> None:
        """One work-group goes on with what all work-groups of a kernel computed."""
        e, takers = self.handed[kernel], self.takers[kernel]
        taker = min(takers)
        if len(takers) > 1 or sum(taker in others for others in self.takers.values()) > 1 or taker in self.handed:
            raise self.fail(e, _Place(), "a kernel is handed over once, to one work-group")
        first, last = self.maps.get(kernel, []), self.maps.get(taker, [])
        if not any(each.how.name == "mapWorkgroup" for each in first):
            raise self.fail(e, _Place(), "mapWorkgroups compute it")
        for each in last:
            assert isinstance(each.xs.type, ArrayType)
            if not each.how.is_local and (each.how.name != "mapWorkgroup" or each.xs.type.length.value != 1):
                raise self.fail(each, _Place(), "one work-group goes on, so that a mapWorkgroup has one turn")
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
        names = {each.how.name for each in maps}
        if {"mapWorkgroup", "mapGlobal"} <= names:
            first = next(each for each in maps if each.how.name == "mapGlobal")
            raise self.fail(first, _Place(), "a kernel has mapWorkgroups or mapGlobals, not both")
        for e, place in self.writes:
            if place.kernel != kernel or place.use == "private":
                continue
            wanted = launched if place.use == "global" else {kind for kind in launched if kind.is_local}
            for kind in sorted(wanted, key=str):
                if kind not in place.kinds:
                    raise self.fail(e, place, f"it is written by every iteration of a {kind}: a race")


def _body(f: Expr) -> Expr:
    """The body of a function over its opened variables."""
    while isinstance(f, Vect):
        f = f.f
    assert isinstance(f, Lambda)
    return f.open()[1]


def _computed_in(e: Expr, place: _Place) -> _Place:
    """Where an intermediate result is computed: outside the functions whose variables it does not mention.

    Sharing is kept by computing it once, in the outermost place that binds its variables, still inside the
    mapWorkgroups.
    """
    free = {node for node in postorder(e, prune=lambda node: not node.loose) if isinstance(node, Param)}
    groups = max((i + 1 for i, kind in enumerate(place.kinds) if kind.name == "mapWorkgroup"), default=0)
    depth = max([groups, *(depth for p, depth in place.bound if p in free)])
    return place.outside(depth)


def made_by_local(e: Expr) -> bool:
    """Do mapLocals, or the mapLanes of mapWarps, compute all of it?"""
    if isinstance(e, _PASSED_ON):
        return all(map(made_by_local, e.operands))
    if isinstance(e, Map):
        deeper = e.how.name == "mapWarp" or e.how.name.startswith("mapSeq")
        return e.how.name in ("mapLocal", "mapLane") or (deeper and made_by_local(_body(e.f)))
    return False
