"""The conditions that hold of one pattern at its place, and of all of a kernel once it was walked."""

from __future__ import annotations

from ir.core.expr import Expr, Param
from ir.core.patterns import Get, Kind, Map, Memory, Mma, length_of, map_lane, map_local, map_warp, map_workgroup
from ir.core.place import GENERATE, Place
from ir.core.stored import not_stored, own_results, written_before
from ir.core.types import ArrayType, element_type
from ir.errors import VerificationError

__all__ = ["Conditions"]


class Conditions:
    """What is known of an expression while it is walked, and the conditions on that.

    Each `check_` raises `VerificationError`, naming the pattern, its place and the condition.

    Attributes:
        root: the expression
        strict: must it be fully lowered and safe to run?
        kernels: the kernels that compute what a toGlobal keeps, from 1 on, if strict; the result's is 0
        maps: by kernel, the parallel maps of which something runs
        idle: those of which nothing runs
        handed: by kernel, what it hands to one work-group
        takers: by kernel, those that go on with what it hands over
        writes: what is written, and where
        lanes: by kernel, what the lanes of warps compute together, and where
        kept_apart: by kernel, what is kept in local memory inside mapLocals, and these
        together: the loops of which several results are written, and which
        loops: the kernel that writes the results of each
        own: the parts of the result that are kept in global memory
    """

    def __init__(self, root: Expr, strict: bool) -> None:
        self.root = root
        self.strict = strict
        self.kernels: dict[Memory, int] = {}
        self.maps: dict[int, list[Map]] = {}
        self.handed: dict[int, Memory] = {}  # by the kernel that computes it
        self.takers: dict[int, set[int]] = {}  # the kernels that go on with what one computes
        self.idle: dict[int, list[Map]] = {}  # maps of which nothing runs
        self.writes: list[tuple[Expr, Place]] = []
        self.lanes: dict[int, list[tuple[Expr, Place]]] = {}
        self.kept_apart: dict[int, list[tuple[Expr, Place, set[Kind]]]] = {}
        self.together: dict[Expr, list[int]] = {}
        self.loops: dict[Expr, int] = {}
        self.own = own_results(root) if strict else set()
        self.before = set(written_before(root))

    def fail(self, e: Expr, place: Place, condition: str) -> VerificationError:
        """The error that says which pattern stands where, and what it must fulfil."""
        inside = " ∘ ".join(map(str, place.kinds)) or "no function"
        return VerificationError(f"{e.name} at {place.operands()} (inside {inside}): {condition}\n    {e!r}")

    def written(self, e: Expr, place: Place) -> None:
        """Note what is written, if it is."""
        if place.runs:
            self.writes.append((e, place))

    def check_nesting(self, e: Map, place: Place) -> None:
        """A parallel map stands inside those that it needs, and not inside those that exclude it."""
        how = e.how
        if how.parallel:
            self.check_branches(e, place)
        if how.name == "mapLocal":
            if not any(kind.name == "mapWorkgroup" for kind in place.kinds):
                raise self.fail(e, place, "it stands inside a mapWorkgroup")
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

    def check_library(self, e: Map, place: Place) -> None:
        """The host's library computes a whole result."""
        if place.kinds or place.use != "global":
            raise self.fail(e, place, "it computes the whole result, outside all functions")

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
        """A permute or a compact writes pairs that are computed together, once."""
        if place.pairs and e.is_pattern and element_type(e.type) is not element_type(e.operands[0].type):
            why = "indices and values of the pairs below a permute or compact are computed together: by a map of pairs"
            raise self.fail(e, place, why)

    def check_unrolled(self, e: Expr, xs: Expr, place: Place) -> None:
        """A loop that is unrolled has a constant length."""
        n = length_of(xs)
        if self.strict and n.value is None and e.name.endswith("Unroll"):
            raise self.fail(e, place, f"a loop of a constant length is unrolled, not of {n}: use {e.name[:-6]}")

    def check_kinds(self, maps: list[Map]) -> None:
        """A kernel is launched over work-groups or over all work-items."""
        if {"mapWorkgroup", "mapGlobal"} <= {each.how.name for each in maps}:
            first = next(each for each in maps if each.how.name == "mapGlobal")
            raise self.fail(first, Place(), "a kernel has mapWorkgroups or mapGlobals, not both")

    def check_local(self, e: Expr, place: Place) -> None:
        """Local memory is filled by all work-items of a group together."""
        names = {kind.name for kind in place.kinds}
        self.check_branches(e, place)
        if self.strict and GENERATE in place.kinds:
            raise self.fail(
                e, place, "it needs the index of a generated element, which one work-item asks for by itself"
            )
        if "mapWorkgroup" not in names:
            raise self.fail(e, place, "it stands inside a mapWorkgroup, whose work-items share the memory")
        if any(kind.is_local and kind.name != "mapLocal" for kind in place.kinds):
            raise self.fail(e, place, "it stands outside every mapWarp: the work-items of a group meet at barriers")
        apart = {kind for kind in place.kinds if kind.is_local}
        inside = [kind.name for kind in place.kinds]
        if apart and "mapSeqHead" in inside[inside.index("mapLocal") :]:
            raise self.fail(e, place, "work-items of a mapLocal would leave a mapSeqHead around it at different turns")
        if apart and self.strict:
            self.kept_apart.setdefault(place.kernel, []).append((e, place, apart))

    def check_branches(self, e: Expr, place: Place) -> None:
        """What work-items compute together stands in no function that some of them do not call."""
        if any(kind.branches for kind in place.kinds):
            raise self.fail(e, place, "it stands outside functions that each work-item calls by itself, or does not")

    def check_meeting(self, e: Expr, place: Place) -> None:
        """All work-items of a group come to what they compute together, where there may be barriers."""
        self.check_branches(e, place)
        if map_workgroup(0) not in place.kinds or any(kind.is_local or kind is GENERATE for kind in place.kinds):
            raise self.fail(e, place, "it stands inside a mapWorkgroup and outside every map over its work-items")

    def check_lanes(self, e: Expr, place: Place) -> None:
        """All work-items come to what they compute together; to `mma`, to change what they hold in private memory."""
        if not isinstance(e, Mma):
            self.check_meeting(e, place)
            if self.strict and place.use not in ("local", "global"):
                raise self.fail(e, place, "its elements are kept in local or global memory")
        elif (
            map_workgroup(0) not in place.kinds
            or map_local(0) in place.kinds
            or any(kind.name in ("mapWarp", "mapLane") for kind in place.kinds)
        ):
            raise self.fail(e, place, "it stands inside a mapWorkgroup and outside every mapLocal of its lanes")
        elif self.strict and (place.use != "private" or not isinstance(e.init, Param | Get)):
            raise self.fail(e, place, "it changes an accumulator, which the lanes hold in private memory")
        self.lanes.setdefault(place.kernel, []).append((e, place))

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
        """Every write of a kernel is made by one work-item, and all of a group come to the same barriers."""
        for e, place, apart in self.kept_apart.get(kernel, []):
            for kind in sorted(apart, key=str):
                trips = dict.fromkeys(length_of(each.xs) for each in maps if each.how == kind)
                if len(trips) != 1 or next(iter(trips)).value is None:
                    why = f"each work-item of a {kind} takes one turn, so that all come to the barriers around it"
                    raise self.fail(e, place, f"{why}: those of the kernel are over {', '.join(map(str, trips))}")
        for e, place in self.lanes.get(kernel, []):
            items = [length_of(each.xs).value for each in maps if each.how == map_local(0)]
            if max((n for n in items if n is not None), default=0) != length_of(e).value:
                why = f"its elements, {length_of(e)}, are the lanes, as many as the longest mapLocal of the kernel has"
                raise self.fail(e, place, why)
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
