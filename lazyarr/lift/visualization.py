"""`la.visualize`: the recorded graph, the kernels it is cut into, the bytes they move, and why neighbours are apart."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np

from ir.core.expr import Expr, Param, substitute
from ir.core.notation.printer import show
from ir.core.patterns import Zip
from ir.core.types import ArrayType, TupleType, Type, element_type, shape_of
from ir.cost.count import count, least_read
from ir.cost.passes import size_bytes
from ir.fusion.partition.graph import Graph, rebuild
from ir.fusion.partition.reasons import Reasons
from ir.fusion.partition.traffic import elements
from ir.fusion.program import plan_program
from ir.fusion.symbols.structure_key import structure_key
from ir.schedules.schedule import Machine
from ir.walks import reached
from lazyarr.aliasing.views import restored
from lazyarr.array import Array, combine, placeholder
from lazyarr.compile.trials import machine_of
from lazyarr.config import settings
from lazyarr.evaluate.engine import roots_of
from lazyarr.graph.leaves import inputs_of, leaf
from lazyarr.graph.pytree import flatten, unflatten
from lazyarr.graph.tracing import Trace, recording
from lazyarr.graph.vertices import vertex_of
from lazyarr.lift.drawing import svg_of, text_of
from lazyarr.lift.jitted import Jitted
from lazyarr.recording.creation import asarray
from lazyarr.runtime import DeviceError, find_device

__all__ = ["KernelBox", "NotFused", "Vertex", "Visualization", "visualize"]

_GRANULE = 16
"""Of devices that read aligned vectors; which vertices a kernel computes does not depend on it."""


@dataclass(frozen=True)
class Vertex:
    """A vertex of a graph.

    Attributes:
        name: a letter and a number; of an argument its name
        text: what it computes of the vertices that it names; empty for inputs
        type: dtype and shape
        reads: the names of those
        nbytes: the bytes of its elements
        kernels: the numbers of the kernels that compute it, from 1 on
        is_result: is it asked for?
    """

    name: str
    text: str
    type: str
    reads: tuple[str, ...]
    nbytes: int
    kernels: tuple[int, ...] = ()
    is_result: bool = False


@dataclass(frozen=True)
class KernelBox:
    """A kernel: the vertices that it computes, the arrays in memory that it reads and writes, by their names, and the
    bytes that it moves (of a slice only the slice; what is gathered by index at most once for each element).
    """

    number: int
    vertices: tuple[Vertex, ...]
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    bytes_read: int
    bytes_written: int


@dataclass(frozen=True)
class NotFused:
    """Two neighbouring vertices in different kernels: one is stored, the other kernel reads it.

    Attributes:
        conditions: which conditions refused, in words
    """

    stored: str
    maker: int
    reader: int
    conditions: tuple[str, ...]


@dataclass(frozen=True)
class Visualization:
    """A recorded graph and its kernels: print it, `save` it; notebooks show it as a drawing.

    Attributes:
        title: what is drawn
        recorded: the graph as it was recorded, operands first
        kernels: in the order in which they run
        stored: what lies in memory: inputs, what kernels write
        not_fused: the borders between kernels
        bytes_least: the bytes that any kernels must move: each input that is needed once, and each result
        is_rewritten: were vertices rewritten before the graph was cut?
    """

    title: str
    recorded: tuple[Vertex, ...]
    kernels: tuple[KernelBox, ...]
    stored: Mapping[str, Vertex]
    not_fused: tuple[NotFused, ...]
    bytes_least: int
    is_rewritten: bool

    @property
    def bytes_moved(self) -> int:
        """The bytes that the kernels read and write."""
        return sum(kernel.bytes_read + kernel.bytes_written for kernel in self.kernels)

    def __str__(self) -> str:
        return text_of(self)

    __repr__ = __str__

    def svg(self) -> str:
        """The drawing as the text of an SVG file, which needs nothing else."""
        return svg_of(self)

    _repr_svg_ = svg

    def save(self, path: str | Path) -> None:
        """Write the drawing (`.svg`) or the plain text (`.txt`); `ValueError` for another ending."""
        file = Path(path)
        if file.suffix not in (".svg", ".txt"):
            raise ValueError(f"save: expected a file that ends in .svg or .txt, got {file.name!r}")
        file.write_text(self.svg() if file.suffix == ".svg" else f"{self}\n", encoding="utf-8")


def visualize(function: Callable[..., Any] | Array, /, *args: Any, **kwargs: Any) -> Visualization:
    """Draw what a function (jitted or not) does with these arguments, or how arrays would be computed.

    Args:
        function: a function of arrays; or an array that is not computed yet
        args, kwargs: the function's arguments, as `lift.jit` takes them; beside an array further arrays

    On the left stands the recorded graph, with shapes and dtypes on its edges; on the right stand the kernels it is cut
    into, with the bytes that each moves, against the least that must be moved. For each border it says which condition
    refused to put the two neighbours into one kernel. Nothing is computed or compiled, and no array changes.

    Raises:
        TypeError: neither a function nor an array was given, or an argument that `lift.jit` refuses
        TracingError: the function asks for the value of an argument
    """
    if isinstance(function, Array):
        others = [type(x).__name__ for x in (*args, *kwargs.values()) if not isinstance(x, Array)]
        if others:
            raise TypeError(f"visualize: expected arrays beside an array, got {others[0]}")
        arrays = [function, *args, *kwargs.values()]
        if any(x.tracing for x in arrays):
            raise TypeError("visualize: the array belongs to a function that is being recorded: give that function")
        return _drawn(f"{len(arrays)} arrays" if len(arrays) > 1 else "an array", _pending(arrays), {}, {})
    if not callable(function):
        raise TypeError(f"visualize: expected a function or an array, got {type(function).__name__}")
    f = function.function if isinstance(function, Jitted) else function
    roots, known, names = _traced(f, args, kwargs)
    return _drawn(getattr(f, "__name__", type(f).__name__), roots, known, names)


def _pending(arrays: Sequence[Array]) -> list[Expr]:
    return list(dict.fromkeys(roots_of([x for x in arrays if not inputs_of(x.node)])))


def _traced(f: Callable[..., Any], args: Any, kwargs: Any) -> tuple[list[Expr], dict[Expr, Expr], dict[Expr, str]]:
    """What a function makes of its arguments: the vertices that give its results their values; the leaves that stand
    for arrays from outside that are not computed yet; and the names of its parameters.
    """
    leaves, structure = flatten((args, kwargs))
    arguments = [asarray(x) if isinstance(x, (np.ndarray, np.generic)) else x for x in leaves]
    given = [x for x in arguments if isinstance(x, Array)]
    trace = Trace(getattr(f, "__qualname__", repr(f)), combine("visualize", given)[0])
    trace.evaluates = False
    traced = [placeholder(x, trace) if isinstance(x, Array) else x for x in arguments]
    before = [x.node if isinstance(x, Array) else None for x in traced]
    traced_args, traced_kwargs = unflatten(structure, traced)
    try:
        with recording(trace):
            result = f(*traced_args, **traced_kwargs)
            found = [x for x in flatten(result)[0] if isinstance(x, Array)]
            found += [x for x, node in zip(traced, before, strict=True) if isinstance(x, Array) and x.node is not node]
            roots = _pending(found)
            outside = [x for x in [reference() for reference in trace.read.values()] if x is not None]
            known = {x.node: leaf(x.extents, x.dtype, None) for x in outside if _is_from_outside(x)}
    finally:
        _restore(trace)
    names: dict[Expr, str] = {}
    for name, value in _bound(f, traced_args, traced_kwargs):
        if isinstance(value, Array):
            parts = inputs_of(before[next(i for i, x in enumerate(traced) if x is value)])  # type: ignore[arg-type]  # a leaf
            names.update(zip(parts, [name] if len(parts) == 1 else [f"{name}_re", f"{name}_im"], strict=True))
    return [root for root in roots if root not in known], known, names


def _is_from_outside(x: Array) -> bool:
    return not x.tracing and not inputs_of(x.node) and not x.node.loose


def _restore(trace: Trace) -> None:
    for reference, *before in reversed(trace.changed):
        if (x := reference()) is not None:
            restored(x, *before)


def _bound(f: Callable[..., Any], args: Any, kwargs: Any) -> Iterator[tuple[str, Any]]:
    """The parameters of a function and their values, as far as that is known."""
    try:
        yield from inspect.signature(f).bind(*args, **kwargs).arguments.items()
    except (TypeError, ValueError):  # a builtin; a call that does not fit has raised before
        return


def _drawn(title: str, roots: list[Expr], known: Mapping[Expr, Expr], names: dict[Expr, str]) -> Visualization:
    def value(node: Expr) -> Expr | None:
        entry = vertex_of(node)
        return known.get(node) or (None if entry is None else entry.value())

    reasons = Reasons()
    found = structure_key(roots, attrgetter("shape"), value)
    shape, machine = attrgetter("shape"), _machine()
    alone = machine is None or machine.is_cpu
    plan = plan_program(roots, found, shape, _GRANULE, None, reasons, alone, machine) if roots else None
    graph = Graph(roots, found.known)
    namer = _Namer(names)
    recorded = namer.vertices(graph)
    made = _Kernels(reasons, namer) if plan is not None else None
    boxes: list[KernelBox] = []
    for number, step in enumerate(plan.steps if plan is not None else (), 1):
        assert made is not None
        cost, sizes = count(step.general.expr), step.general.sizes
        boxes.append(made.box(number, cost.read.evaluate(sizes), cost.written.evaluate(sizes)))
    computed_by: dict[str, list[int]] = {}
    for box in boxes:
        for vertex in box.vertices:
            computed_by.setdefault(vertex.name, []).append(box.number)
    placed = tuple(_placed(v, computed_by.get(v.name, ())) for v in recorded)
    wanted = [substitute(root, found.known) if found.known else root for root in roots]
    written = sum(elements(root.type) * size_bytes(root.type) for root in wanted)
    return Visualization(
        title,
        placed,
        tuple(boxes),
        {} if made is None else made.stored,
        () if made is None else tuple(made.borders),
        least_read(wanted) + written,
        plan is not None and set(graph.order) != set(reasons.graph.order),
    )


def _machine() -> Machine | None:
    """The device for which programs are cut; None where there is none: a CPU then, of which nothing is known."""
    try:
        return machine_of(find_device(settings().device or None))
    except DeviceError:
        return None


def _placed(v: Vertex, kernels: Sequence[int]) -> Vertex:
    return Vertex(v.name, v.text, v.type, v.reads, v.nbytes, tuple(kernels), v.is_result)


class _Namer:
    """Names of vertices; inputs and arguments have theirs first."""

    def __init__(self, names: dict[Expr, str]) -> None:
        self.names = names

    def vertices(self, graph: Graph) -> list[Vertex]:
        """The arrays of a graph, operands first; zips are written where they are read."""
        return [self.vertex(node, graph) for node in graph.order if is_vertex(node)]

    def vertex(self, node: Expr, graph: Graph) -> Vertex:
        """One of them."""
        exists = graph.exists(node)
        reads = [] if exists else list(dict.fromkeys(_arrays_read(node, graph)))
        text = "" if exists else self._text(node, graph)
        nbytes = elements(node.type) * size_bytes(node.type)
        return Vertex(
            self.name(node, exists), text, type_text(node.type), tuple(self.name(x, graph.exists(x)) for x in reads),
            nbytes, is_result=node in graph.wanted,
        )  # fmt: skip

    def name(self, node: Expr, exists: bool) -> str:
        """The name of a vertex; new ones are numbered."""
        found = self.names.get(node)
        if found is None:
            letter = "in" if exists else "v"
            taken = set(self.names.values())
            number = sum(name.startswith(letter) for name in taken)
            while f"{letter}{number}" in taken:
                number += 1
            found = self.names[node] = f"{letter}{number}"
        return found

    def _text(self, node: Expr, graph: Graph) -> str:
        done: dict[Expr, Expr] = {}
        for x in graph.reads(node):
            self._stand_in(x, graph, done)
        return show(rebuild(node, done), 60)

    def _stand_in(self, x: Expr, graph: Graph, done: dict[Expr, Expr]) -> None:
        """A variable for an array; for a zip the zip of such."""
        if isinstance(x, Zip) and not graph.exists(x):
            for part in graph.reads(x):
                self._stand_in(part, graph, done)
            done[x] = rebuild(x, done)
        else:
            done[x] = Param(self.name(x, graph.exists(x)), x.type) if isinstance(x.type, ArrayType) else x


def is_vertex(node: Expr) -> bool:
    """Is it drawn? Arrays are, but not the zips that functions of several arrays read."""
    return isinstance(node.type, ArrayType) and not isinstance(node, Zip)


def _arrays_read(node: Expr, graph: Graph) -> Iterator[Expr]:
    for x in graph.reads(node):
        if isinstance(x, Zip) and not graph.exists(x):
            yield from _arrays_read(x, graph)
        elif is_vertex(x):
            yield x


class _Kernels:
    """The kernels of a partition as boxes.

    Attributes:
        stored: the vertices in memory that they read and write, by their names
        borders: what lies between two of them
    """

    def __init__(self, reasons: Reasons, namer: _Namer) -> None:
        self.reasons = reasons
        self.namer = namer
        self.stored: dict[str, Vertex] = {}
        self.borders: list[NotFused] = []
        stored = [node for node in reasons.graph.order if node in reasons.cut.maker]
        self._results = [self._written(task.results, stored) for task in reasons.made.tasks]
        self._maker = {node: number for number, nodes in enumerate(self._results, 1) for node in nodes}

    @staticmethod
    def _written(names: Sequence[Param], stored: Sequence[Expr]) -> list[Expr]:
        """The vertices that a kernel writes: names are `v` and their number, of tuples also that of the component."""
        return list(dict.fromkeys(stored[int(name.identifier[1:].partition("_")[0])] for name in names))

    def box(self, number: int, bytes_read: int, bytes_written: int) -> KernelBox:
        """The kernel of that number."""
        graph, task, results = self.reasons.graph, self.reasons.made.tasks[number - 1], self._results[number - 1]
        pending = list(results)
        if task.start is not None:  # one part of a concat
            pending = [_part(results[0], task.start)]

        def is_read(node: Expr) -> bool:
            return graph.exists(node) or (self._maker.get(node, number) != number and node not in results)

        met = set(reached(pending, lambda node: () if is_read(node) else graph.reads(node)))
        reads = set(filter(is_read, met))
        inside = met - reads
        vertices = tuple(self.namer.vertex(node, graph) for node in graph.order if node in inside and is_vertex(node))
        drawn = [node for node in graph.order if node in reads and isinstance(node.type, ArrayType)]
        for node in (*drawn, *results):
            made = self.namer.vertex(node, graph)
            self.stored[made.name] = made
        for node in drawn:
            if node in self._maker:
                found = self.reasons.conditions(node, self.reasons.cut.maker.get(results[0]))
                self.borders.append(NotFused(self._name(node), self._maker[node], number, tuple(c.text for c in found)))
        return KernelBox(
            number, vertices, tuple(map(self._name, drawn)), tuple(map(self._name, results)), bytes_read, bytes_written
        )

    def _name(self, node: Expr) -> str:
        return self.namer.name(node, self.reasons.graph.exists(node))


def _part(concat: Expr, start: int) -> Expr:
    """The part of a concat that begins there."""
    at = 0
    for part in concat.operands:
        if at == start:
            return part
        at += elements(part.type)
    raise AssertionError("a kernel writes a part that there is")


def type_text(t: Type) -> str:
    """The dtype and shape of an array: `float32[4096, 4096]`."""
    inner = element_type(t)
    dtype = " x ".join(map(str, inner.elements)) if isinstance(inner, TupleType) else str(inner)
    return f"{dtype}[{', '.join(map(str, shape_of(t)))}]"
