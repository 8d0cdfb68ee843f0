"""A launch plan: all that dispatch needs of a generated program, as data that can be stored and read back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ir.core.expr import Expr
from ir.core.sizes import Size, parse_size, size, var
from ir.core.types import Type
from ir.opencl.generate import START, Program
from ir.opencl.read.views import leaf_types, lengths_of
from ir.schedules.library_sorts import LibrarySort
from ir.schedules.products.library import LibraryProduct
from lazyarr.runtime.library import MATMUL, SORT

__all__ = ["KernelPlan", "Plan"]


@dataclass(frozen=True)
class KernelPlan:
    """One kernel's launch.

    Attributes:
        arguments: (name, component, is_size) in the order of the kernel's parameters
        global_size, local_size: work-items in each dimension; None leaves the group to the runtime
        result: the name of the buffers it fills, each of `elements[i]` elements of `result_bytes[i]` bytes
        scratch: (name, elements of each component, bytes of each) of memory that it writes and reads again
        numbers: what a call of the host's library takes behind the memory
        in_place: the components of the result that lie in the memory of an input: (component, its name, its component)
    """

    name: str
    arguments: tuple[tuple[str, int, bool], ...]
    global_size: tuple[Size, ...]
    local_size: tuple[int, ...] | None
    result: str
    elements: tuple[Size, ...]
    result_bytes: tuple[int, ...]
    scratch: tuple[tuple[str, tuple[Size, ...], tuple[int, ...]], ...] = ()
    numbers: tuple[Size, ...] = ()
    in_place: tuple[tuple[int, str, int], ...] = ()


@dataclass(frozen=True)
class Plan:
    """The kernels of a program, in the order in which they run.

    Attributes:
        results: the name and component of each buffer of the result
        library: the dtype of what the host's library multiplies or sorts; empty where kernels of our own run
    """

    kernels: tuple[KernelPlan, ...]
    index_type: str
    sizes: tuple[str, ...]
    results: tuple[tuple[str, int], ...]
    library: str = ""

    @classmethod
    def of(cls, program: Program, sizes: tuple[str, ...]) -> Plan:
        """The plan of a generated program over those size symbols."""
        kernels = tuple(
            KernelPlan(
                kernel.name,
                tuple((a.name, a.component, a.is_size) for a in kernel.arguments),
                kernel.launch.global_size,
                kernel.launch.local,
                kernel.result,
                lengths_of(kernel.result_type),
                _bytes(kernel.result_type),
                tuple((name, lengths_of(t), _bytes(t)) for name, t in kernel.scratch),
                in_place=tuple((component, *place) for component, place in kernel.in_place),
            )
            for kernel in program.kernels
        )
        return cls(kernels, program.index_type, sizes, program.results)

    @classmethod
    def of_library(cls, e: Expr, sizes: tuple[str, ...], part: bool) -> Plan:
        """The plan of a low-level expression that the host's library computes.

        Args:
            part: the result is a part of larger memory, from an element on that `START` says
        """
        found: LibraryProduct | LibrarySort | None = LibraryProduct.of(e) or LibrarySort.of(e)
        assert found is not None
        elements, result = lengths_of(e.type), "result"
        start = var(START, 0) if part else size(0)
        function = MATMUL if isinstance(found, LibraryProduct) else SORT
        read = [found.left.array, found.right.array] if isinstance(found, LibraryProduct) else [found.array]
        call = KernelPlan(
            function,
            tuple((name, 0, False) for name in (*read, result)),
            elements,
            None,
            result,
            elements,
            _bytes(e.type),
            numbers=(*found.numbers, start),
        )
        return cls((call,), "int", sizes, ((result, 0),), str(found.dtype))

    def to_json(self) -> dict[str, Any]:
        """Plain lists, numbers and strings."""
        return {
            "index_type": self.index_type,
            "library": self.library,
            "sizes": list(self.sizes),
            "results": [list(place) for place in self.results],
            "kernels": [
                {
                    "name": k.name,
                    "arguments": [list(a) for a in k.arguments],
                    "global_size": [str(g) for g in k.global_size],
                    "local_size": None if k.local_size is None else list(k.local_size),
                    "result": k.result,
                    "elements": [str(n) for n in k.elements],
                    "result_bytes": list(k.result_bytes),
                    "scratch": [
                        [name, [str(n) for n in elements], list(widths)] for name, elements, widths in k.scratch
                    ],
                    "numbers": [str(n) for n in k.numbers],
                    "in_place": [list(each) for each in k.in_place],
                }
                for k in self.kernels
            ],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Plan:
        """The plan that `to_json` wrote.

        Raises:
            ValueError, KeyError, TypeError: it wrote something else.
        """
        names = tuple(str(name) for name in data["sizes"])
        scope = {name: var(name, 1) for name in names} | {START: var(START, 0)}
        kernels = tuple(
            KernelPlan(
                str(k["name"]),
                tuple((str(name), int(component), bool(is_size)) for name, component, is_size in k["arguments"]),
                tuple(parse_size(text, scope) for text in k["global_size"]),
                None if k["local_size"] is None else tuple(int(n) for n in k["local_size"]),
                str(k["result"]),
                tuple(parse_size(text, scope) for text in k["elements"]),
                tuple(int(n) for n in k["result_bytes"]),
                tuple(
                    (str(name), tuple(parse_size(n, scope) for n in elements), tuple(int(n) for n in widths))
                    for name, elements, widths in k["scratch"]
                ),
                tuple(parse_size(n, scope) for n in k["numbers"]),
                tuple((int(i), str(name), int(component)) for i, name, component in k["in_place"]),
            )
            for k in data["kernels"]
        )
        if not kernels:
            raise ValueError("a plan has at least one kernel")
        results = tuple((str(name), int(component)) for name, component in data["results"])
        return cls(kernels, str(data["index_type"]), names, results, str(data["library"]))


def _bytes(t: Type) -> tuple[int, ...]:
    """The bytes of an element of each component."""
    return tuple(leaf.bytes for leaf in leaf_types(t))  # type: ignore[attr-defined]  # results are scalars
