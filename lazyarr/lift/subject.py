"""What a derivation by hand starts from, and how its result is run on arrays.

Two kinds: an expression over named variables, whose arrays are given by name or in order, and a kernel of a recorded
function, which is called like that function.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from ir.core.expr import Expr, Param, postorder
from ir.core.semantics.values import conform, evaluate_type, leaves
from ir.core.sizes import LIMIT_32, Size, divide_exactly
from ir.core.types import ArrayType, ScalarType, TupleType, Type, element_type, shape_of
from ir.fusion.symbols.symbolise import SymbolicKernel
from ir.opencl.generate import generate
from ir.opencl.read.views import leaf_types
from lazyarr.array import Array, array_of
from lazyarr.compile.compiled import input_places
from lazyarr.compile.executable import Executable
from lazyarr.compile.generation import index_type
from lazyarr.compile.plan import Plan
from lazyarr.dtypes import from_ir
from lazyarr.evaluate.engine import device_of
from lazyarr.graph.leaves import Input, host_memory
from lazyarr.lift.jitted import Jitted
from lazyarr.lift.places import size_variables
from lazyarr.lift.recording import Recording
from lazyarr.runtime import Buffer, Device, find_device

__all__ = ["Named", "Recorded", "Subject"]


class Subject(Protocol):
    """What is derived from."""

    expr: Expr

    def run(self, low: Expr, device: Any, args: Sequence[Any], named: Mapping[str, Any], sizes: Any) -> Any:
        """The value of a low-level expression derived from `expr`, computed on a device."""


class Named:
    """An expression over free variables; its arrays come in the order of `variables`, or by their names."""

    def __init__(self, expr: Expr, order: Sequence[str] = ()) -> None:
        self.expr = expr
        found = {p.identifier: p for p in postorder(expr) if isinstance(p, Param)}
        names = dict.fromkeys([name for name in order if name in found] + list(found))
        self.variables = tuple(found[name] for name in names)

    def run(self, low: Expr, device: Any, args: Sequence[Any], named: Mapping[str, Any], sizes: Any) -> Any:
        """The arrays are NumPy's or lazy ones, of the dtypes and shapes of the variables; tuples for tuples."""
        chosen = _device(device, (*args, *named.values()))
        given = self._given(args, named)
        known = self._sizes(given, dict(sizes or {}), size_variables(low))
        buffers, placed = [], []
        for p in self.variables:
            value = conform(p.identifier, given[p], evaluate_type(p.type, known))
            for component, part in enumerate(leaves(value)):
                placed.append((p.identifier, component))
                buffers.append(chosen.wrap(np.ascontiguousarray(part).reshape(-1)))
        largest = max(_elements(node.type, known) for node in (low, *self.variables))
        program = generate(low, index_type="long" if largest > LIMIT_32 else "int")
        plan = Plan.of(program, tuple(known))
        results = Executable(chosen, chosen.build(program.source), plan, placed).launch(buffers, tuple(known.values()))
        return _arrays(low.type, results, known, None if device is None else chosen)

    def _given(self, args: Sequence[Any], named: Mapping[str, Any]) -> dict[Param, Any]:
        names = [p.identifier for p in self.variables]
        expected = ", ".join(f"{p.identifier}: {p.type}" for p in self.variables)
        given: dict[str, Any] = dict(zip(names, args, strict=False))
        twice = sorted(set(given) & set(named)) or sorted(set(named) - set(names))
        missing = [name for name in names if name not in given and name not in named]
        if len(args) > len(names) or twice or missing:
            wrong = f"{len(args)} arrays" if len(args) > len(names) else ", ".join(twice or missing)
            problem = "got" if len(args) > len(names) else "given twice or unknown:" if twice else "missing:"
            raise TypeError(f"run: expected {expected or 'no arrays'}; {problem} {wrong}")
        given.update(named)
        return {p: _host(given[p.identifier]) for p in self.variables}

    def _sizes(self, given: Mapping[Param, Any], known: dict[str, int], wanted: set[Size]) -> dict[str, int]:
        """The value of each size variable, from the shapes of the arrays; what they leave open has to be given."""
        extents: list[tuple[Size, int]] = []
        for p, value in given.items():
            shape = _first(value).shape
            extents += zip(shape_of(p.type), shape, strict=False)
        inputs = {v for length, _ in extents for v in length.variables}
        again = True
        while again:
            again = False
            for length, extent in extents:
                unknown = [v for v in length.variables if v.name not in known]
                if len(unknown) != 1:
                    continue
                (v,) = unknown
                here = length.substitute({w: known[w.name] for w in length.variables if w is not v})
                factor = divide_exactly(here, v)
                if factor is not None and factor.value and extent % factor.value == 0:
                    known[v.name] = extent // factor.value
                    again = True
        missing = sorted(v.name for v in inputs if v.name not in known)
        if missing:
            shapes = ", ".join(f"{p.identifier}: {p.type} is {_first(value).shape}" for p, value in given.items())
            raise ValueError(
                f"run: the arrays' shapes do not say what {', '.join(missing)} is ({shapes}); give it as sizes="
                f"{{{missing[0]!r}: …}}"
            )
        names = {v.name for v in inputs | wanted}
        return {name: value for name, value in known.items() if name in names}


class Recorded:
    """The only kernel of a function's recording, run by calling it like the function."""

    def __init__(self, function: Jitted[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
        self.function = function
        self.args = tuple(args)
        self.kwargs = dict(kwargs)
        recording, _ = function.recording(*args, **kwargs)
        self.expr = self._only_kernel(recording).expr

    def _only_kernel(self, recording: Recording) -> SymbolicKernel:
        name = getattr(self.function, "__name__", "the function")
        kernels = [step.general for step in recording.steps]
        if len(kernels) != 1:
            texts = "".join(f"\n    {general.expr}" for general in kernels)
            raise ValueError(
                f"derive: {name} is computed by {len(kernels)} kernels; derive from the expression of one, "
                f"lift.explain(…).kernels[i].general.expr{texts}"
                if kernels
                else f"derive: {name} gives arguments or constants as they are, which takes no kernel; to derive a "
                "copy, start from a text: lift.derive('map id xs', xs='[float32]n')"
            )
        return kernels[0]

    def run(self, low: Expr, device: Any, args: Sequence[Any], named: Mapping[str, Any], sizes: Any) -> Any:
        """The arguments are the function's; none: those that it was recorded with. Returns what the function would."""
        if sizes is not None:
            raise TypeError("run: the sizes of a recorded function follow from its arguments")
        if args or named:
            recording, leaves_ = self.function.recording(*args, **named)
        else:
            recording, leaves_ = self.function.recording(*self.args, **self.kwargs)
        general = self._only_kernel(recording)
        if general.expr is not self.expr:
            raise ValueError(
                f"run: these arguments are computed by another expression\n    {general.expr}\nthan derived from"
                f"\n    {self.expr}"
            )
        chosen = _device(device, leaves_)
        slots = [_buffer(node, chosen) for node in recording.values(leaves_)]
        program = generate(low, index_type=index_type(low, wide=general.wide, on_cpu=chosen.kind == "cpu"))
        plan = Plan.of(program, tuple(general.sizes))
        executable = Executable(chosen, chosen.build(program.source), plan, input_places(general))
        (step,) = recording.steps
        slots += executable.launch([slots[i] for i in step.reads], tuple(general.sizes.values()))
        return recording.result(
            [slots[i] for i in recording.program.compiled.results], leaves_, None if device is None else chosen
        )


def _device(spec: Any, values: Sequence[Any]) -> Device:
    """The device asked for; None: where the arrays are, else the default one."""
    return device_of([v for v in values if isinstance(v, Array)]) if spec is None else find_device(spec)


def _buffer(node: Any, device: Device) -> Buffer:
    """The memory of a leaf on a device, copied there if it is on another."""
    storage = node.storage
    if not isinstance(storage, np.ndarray) and storage.device is device:
        found: Buffer = storage
        return found
    return device.wrap(np.ascontiguousarray(host_memory(node, from_ir(element_type(node.type)))))


def _host(value: Any) -> Any:
    """NumPy's arrays for lazy ones, in tuples too."""
    if isinstance(value, (tuple, list)) and any(isinstance(part, (Array, np.ndarray)) for part in value):
        return tuple(map(_host, value))
    return np.asarray(value) if isinstance(value, Array) else value


def _first(value: Any) -> np.ndarray[Any, Any]:
    while isinstance(value, tuple):
        value = value[0]
    return np.asarray(value)


def _elements(t: Type, sizes: Mapping[str, int]) -> int:
    count = 1
    for length in shape_of(t):
        count *= length.evaluate(sizes)
    return count


def _arrays(t: Type, buffers: list[Buffer], sizes: Mapping[str, int], placed: Device | None) -> Any:
    """The result's buffers as lazy arrays: one, or a tuple of them for (arrays of) tuples."""
    shape = tuple(length.evaluate(sizes) for length in shape_of(t))
    rest = iter(buffers)
    flat = list(leaf_types(t))

    def build(part: Type) -> Any:
        if isinstance(part, TupleType):
            return tuple(build(each) for each in part.elements)
        assert isinstance(part, ScalarType)
        dtype = from_ir(part)
        count = _elements(t, sizes)
        node = Input.over(shape, ArrayType(part, count), next(rest))
        return array_of(node, shape, dtype, placed)

    assert len(flat) == len(buffers)
    return build(element_type(t))
