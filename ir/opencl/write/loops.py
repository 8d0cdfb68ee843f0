"""Writes loops: over a work-item's share of the launch, or all turns of one work-item."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ir.core.signature import Kind
from ir.core.sizes import Size, is_le, size, var
from ir.errors import GenerationError
from ir.opencl.stages import Launch
from ir.opencl.tree import Block, Declare, If, Loop, Node, Turns
from ir.opencl.write.iteration import IterateWriter
from ir.opencl.write.spelling import Spelling

__all__ = ["LoopWriter"]

_ID = {
    "mapGlobal": ("get_global_id({})", "get_global_size({})"),
    "mapWorkgroup": ("get_group_id({})", "get_num_groups({})"),
    "mapLocal": ("get_local_id({})", "get_local_size({})"),
    "mapWarp": ("(get_local_id(0) / {})", "(get_local_size(0) / {})"),
    "mapLane": ("(get_local_id(0) % {})", "{}"),
}


class LoopWriter(IterateWriter):
    """The part of the kernel writer that knows the launch."""

    def __init__(self, spelling: Spelling, launch: Launch) -> None:
        super().__init__(spelling)
        self.launch = launch
        self.items: dict[Size, int] = {}  # the variables of mapLocals, and their dimensions
        self.is_last_group = False  # does what is written run in one work-group, whichever that is?

    def emit(self, node: Node) -> None:
        """Put a statement into the block that is being written."""
        self._emit(node)

    @contextmanager
    def loop(self, kind: str, trip: Size) -> Iterator[Size]:
        """A loop over [0, trip) of one work-item; the body alone if it runs once, nothing if never."""
        with self._loop(kind, 0, trip) as index:
            yield index

    def each(self, how: Kind, trip: Size, turn: Callable[[Size], None]) -> None:
        """What a turn writes, for each of [0, trip) as that kind says."""
        if not how.name.endswith("Unroll"):
            with self._loop(how.name, how.dim if how.parallel else 0, trip) as index:
                turn(index)
            return
        assert trip.value is not None
        for number in range(trip.value):
            with self._block(Block(), {}) as block:
                turn(size(number))
            self._emit(block)

    @contextmanager
    def block(self, block: Block) -> Iterator[None]:
        """Write into that block, which the caller puts where it belongs."""
        with self._block(block, {}):
            yield

    @contextmanager
    def _loop(self, kind: str, dim: int, trip: Size) -> Iterator[Size]:
        """A loop over [0, trip), or this work-item's share; the body alone if it runs once, nothing if never."""
        index_type, body = self.spelling.index_type, Block()
        if kind in _ID:
            one, many = (call.format(dim) for call in _ID[kind])
            extent = self._extent(kind, dim)
            if kind == "mapWorkgroup" and self.is_last_group:
                extent = size(1)
                if trip is not extent:
                    raise GenerationError("one work-group goes on, so that a mapWorkgroup has one turn")
            if trip.value == 0 or (extent is trip and trip.value == 1):
                with self._block(body, {}):
                    yield size(0)
                if trip.value == 1:
                    self._emit(body)
                return
            index = self._index(kind, trip, dim)
            body.turns = Turns(index, trip, kind, dim)
            cast = f"({index_type}){one}"
            if extent is trip and kind != "mapGlobal":  # of work-items there may be more, for whole work-groups
                self._emit(Declare(index_type, index.name, cast))
                with self._block(body, {}):
                    yield index
                self._emit(body)
            elif is_le(trip, extent):
                self._emit(Declare(index_type, index.name, cast))
                with self._block(body, {}):
                    yield index
                stop = self.spelling.bare_size(trip)
                turn = Loop(index_type, index.name, cast, stop, f"({index_type}){many}", body)
                self._emit(If(f"{index.name} < {stop}", body, loop=turn))
            else:
                with self._block(body, {}):
                    yield index
                self._emit(
                    Loop(index_type, index.name, cast, self.spelling.bare_size(trip), f"({index_type}){many}", body)
                )
            return
        if trip.value == 1:
            with self._block(body, {}):
                yield size(0)
            self._emit(body)
            return
        index = self._index("", trip)
        body.turns = Turns(index, trip)
        with self._block(body, {}):
            yield index
        if trip.value != 0:
            self._emit(Loop(index_type, index.name, "0", self.spelling.bare_size(trip), "1", body, runs=is_le(1, trip)))

    def _index(self, kind: str, trip: Size, dim: int = 0) -> Size:
        names = {
            "mapWorkgroup": "group", "mapLocal": "item", "mapGlobal": "item", "mapWarp": "warp", "mapLane": "lane",
            "": "i",
        }  # fmt: skip
        index = var(self.name_for(names[kind]), 0, trip - 1)
        self.loop_sizes.add(index)
        if kind == "mapLocal":
            self.items[index] = dim
        return index

    def _extent(self, kind: str, dim: int) -> Size:
        if kind == "mapLane":
            return size(dim)
        if kind == "mapGlobal":
            return self.launch.groups[dim]
        if self.launch.local is None:
            raise GenerationError(f"a {kind} stands in a kernel of mapWorkgroups, not of mapGlobals")
        if kind == "mapWorkgroup":
            return self.launch.groups[dim]
        if kind == "mapWarp":
            return size(self.launch.local[0] // dim)
        if dim >= len(self.launch.local):
            raise GenerationError(f"a mapLocal{dim} stands inside a mapWorkgroup{dim}")
        return size(self.launch.local[dim])
