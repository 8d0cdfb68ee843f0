"""Recordings: what one signature of a jitted function does, as a program and where its inputs and results belong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from math import prod
from typing import Any, TypeAlias
from weakref import ref

import numpy as np

from ir.core.expr import Expr
from ir.core.patterns import Repeat
from ir.core.types import ArrayType
from ir.fusion.program import Step
from lazyarr.aliasing.views import related, replaced, restored
from lazyarr.array import Array, array_of, box, combine, computed_leaf, enqueue, placeholder
from lazyarr.array.scalar import Scalar
from lazyarr.compile.compiled import Compiled
from lazyarr.config import Settings
from lazyarr.dtypes import DType
from lazyarr.elements.scalars import constant_value
from lazyarr.errors import TracingError
from lazyarr.evaluate.engine import place_of, roots_of
from lazyarr.graph.attributes import Road, held, is_open, snapshot, text
from lazyarr.graph.builders import components
from lazyarr.graph.guards import Guards
from lazyarr.graph.leaves import Input, buffer_of, inputs_of, leaf, leaf_over, looks
from lazyarr.graph.pytree import Structure, flatten, is_flat, unflatten
from lazyarr.graph.recorded_calls import RecordedCall
from lazyarr.graph.results import holds, refuse_holders
from lazyarr.graph.tracing import Trace, recording
from lazyarr.graph.visits import guards_of
from lazyarr.lift.dying import DyingArguments
from lazyarr.lift.next_call import NextCall
from lazyarr.lift.values import Zipped
from lazyarr.runtime import Buffer, Device
from lazyarr.tiers.programs import Program, programs_for

__all__ = ["Captured", "Recording", "prepare", "record"]


@dataclass(slots=True)
class _Output:
    """Where a result is found: among the program's results (of a complex array its parts), an argument passed through
    (or a part of a complex one), a captured array, or a constant. If it `is_number`, it is no array without dimensions.
    """

    shape: tuple[int, ...]
    dtype: DType
    type: ArrayType
    result: int = -1
    imaginary: int = -1
    argument: int | tuple[int, int] = -1
    captured: Captured | None = None
    constant: Any = None
    is_number: bool = False


_Computed: TypeAlias = tuple[tuple[int, ...], ArrayType, DType, int]
"""The shape, type and dtype of an array, and which of the program's results it is."""


@dataclass(frozen=True, slots=True, eq=False)
class Captured:
    """An array that a function takes from outside, weakly: what it stands for is looked up at each call.

    Attributes:
        shape, dtype, placed: as they were when the function was recorded
        value: its leaf at that time, weakly, where the function looked at values, where it is a constant, or another
            array has the same; else it may have another value
    """

    array: ref[Array]
    shape: tuple[int, ...]
    dtype: DType
    placed: Any
    value: ref[Expr] | None

    @classmethod
    def of(cls, x: Array, fixed: bool) -> Captured:
        """An array that is computed; if it is `fixed`, it may have no other value."""
        return cls(ref(x), x.extents, x.dtype, x.placed, ref(x.node) if fixed else None)

    def leaf(self) -> Expr | None:
        """What it stands for, computed if need be; None if it is not there as it was."""
        x = self.array()
        if x is None or x.extents != self.shape or x.dtype is not self.dtype or x.placed is not self.placed:
            return None
        if x.tracing:
            return None
        found = computed_leaf(x)
        return found if self.value is None or self.value() is found else None

    def input(self) -> Input | None:
        """Its leaf; None if it is not there as it was, or not of real numbers."""
        node = self.leaf()
        return node if type(node) is Input else None


@dataclass(frozen=True, slots=True)
class _PartOf:
    """An input of the program: a leaf of a captured array, of a complex one the part of that number."""

    captured: Captured
    part: int

    def leaf(self) -> Input:
        """The leaf. `ReferenceError` where the array is not there as it was."""
        return inputs_of(_there(self.captured))[self.part]


def _there(captured: Captured) -> Expr:
    found = captured.leaf()
    if found is None:  # it was a moment ago: another thread has changed it
        raise ReferenceError("jit: a captured array is gone, or another one now")
    return found


@dataclass(slots=True)
class Recording:
    """What one signature of a jitted function does: a program, and where its inputs come from and its results go.

    Attributes:
        leaves: what each input of the program is: the number of an argument, of a complex one also which of its parts;
            an array that the function captured; or one that it made, of numbers that it knows
        outputs: what each part of the function's result is
        single: is the result one array?
        placed: the device the arguments were put on, None for the default device; results are put there too
        updates: the numbers of the arguments that the function assigns to, and what each of them stands for afterwards
        computed: what each result is where all are arrays of real numbers that the program computes, the function gives
            one of them, or a tuple or list of them, and nothing is assigned to: most are so; else None
        captured: the arrays that the function takes from outside
        guards: all else that it could read there; None where that is nothing
    """

    program: Program
    leaves: tuple[int | tuple[int, int] | Input | _PartOf, ...]
    outputs: list[Any]
    structure: Structure
    single: bool
    placed: Any = None
    updates: tuple[tuple[int, _Output], ...] = ()
    computed: tuple[_Computed, ...] | None = None
    captured: tuple[Captured, ...] = ()
    guards: Guards | None = None

    def holds(self, roots: Sequence[Any]) -> bool:
        """Is what the function read from outside as it was, the arrays too? `roots`: where it starts to read."""
        return (self.guards is None or self.guards.hold(roots)) and all(
            each.leaf() is not None for each in self.captured
        )

    @property
    def steps(self) -> tuple[Step, ...]:
        """The kernels, in the order in which they run."""
        return self.program.compiled.steps

    @property
    def passed_through(self) -> set[int]:
        """The numbers of the arguments whose values, as they are before a call, are among what it gives."""
        made = [each for each in (*self.outputs, *[each for _, each in self.updates]) if type(each) is _Output]
        places = [each.argument for each in made]
        return {place if type(place) is int else place[0] for place in places}  # type: ignore[index]  # a tuple

    def run(self, arguments: Sequence[Any]) -> Any:
        """The function's result for these arguments: arrays that are ready when the device is done. Arguments that it
        assigns to change.
        """
        return self.run_on(self.values(arguments), arguments)

    def run_on(self, inputs: Sequence[Input], arguments: Sequence[Any]) -> Any:
        """`run` over the program's inputs."""
        dying = DyingArguments(inputs, self, arguments) if self.program.takes_memory else None
        results = self.program.run(inputs, dying)
        if self.computed is not None:
            placed, found = self.placed, []
            for shape, t, dtype, i in self.computed:
                made = array_of(Input.over(shape, t, results[i]), shape, dtype, placed)
                if self.single:
                    return made
                found.append(made)
            return self.structure.kind(found)  # type: ignore[union-attr]  # it is flat
        made = self.result(results, arguments)
        if self.updates:
            new = [_array(output, results, arguments, self.placed).node for _, output in self.updates]
            for (number, _), node in zip(self.updates, new, strict=True):
                replaced(arguments[number], node)
        return made

    def next_call(self, args: Sequence[Any], kwargs: Any, wanted: Settings) -> NextCall | None:
        """After a run under those settings: what is kept for the next call like it; None for an unusual one."""
        if kwargs or self.updates or not all(type(x) is Array for x in args):
            return None
        inputs = [place.captured for place in self.leaves if type(place) is _PartOf]
        if any(each.value is not None or each not in inputs for each in self.captured):
            return None  # another value of one would make another recording, or is a result
        return None if any(type(place) is tuple for place in self.leaves) else NextCall(self, args, wanted)

    def result(self, results: Sequence[Any], arguments: Sequence[Any], placed: Any = None) -> Any:
        """The function's result over the memory of the program's results, put on a device (None: where it belongs)."""
        placed = self.placed if placed is None else placed
        if self.single:
            return _array(self.outputs[0], results, arguments, placed)
        made = [_array(o, results, arguments, placed) if type(o) is _Output else o for o in self.outputs]
        return unflatten(self.structure, made)

    def inputs(self, arguments: Sequence[Any], device: Device) -> list[Buffer]:
        """The memory of the program's inputs on a device."""
        return [buffer_of(node, device) for node in self.values(arguments)]

    def values(self, arguments: Sequence[Any]) -> list[Input]:
        """The program's inputs; arguments that are not computed yet are."""
        numbers = [place if type(place) is int else place[0] for place in self.leaves if type(place) in (int, tuple)]  # type: ignore[index]  # a tuple
        pending = dict.fromkeys([number for number in numbers if type(arguments[number].expr) is not Input])
        if pending:
            enqueue(*[arguments[number] for number in pending])  # together
        found: list[Any] = []
        for place in self.leaves:
            if type(place) is int:
                found.append(_leaf_of(arguments[place]))
            elif type(place) is tuple:
                found.append(_part(arguments, place))
            elif type(place) is _PartOf:
                found.append(place.leaf())
            else:
                found.append(place)
        return found


def _leaf_of(x: Array) -> Expr:
    """The leaf over the value of an argument, which most have."""
    node = x.expr
    if type(node) is RecordedCall:
        node = node.made
    return node if type(node) is Input else computed_leaf(x)


def _part(arguments: Sequence[Any], place: tuple[int, int]) -> Input:
    """A part of a complex argument, which is computed."""
    number, part = place
    return inputs_of(computed_leaf(arguments[number]))[part]


def record(
    function: Callable[..., Any], args: Any, kwargs: Any, leaves: Sequence[Any], roots: Sequence[Any]
) -> Recording:
    """Run the function on placeholders and make a program of what it recorded.

    Args:
        roots: where it starts to read what is no array among its arguments: itself, whose method it is, and objects

    Raises:
        TracingError: it asks for a value, or assigns to what is no argument (of the instance, too).
    """
    guards = guards_of(roots)
    found, read, looked = _recorded(function, args, kwargs, leaves, [x for x in roots if is_open(x)])
    # Now that what the function made is gone, the arrays that still live come from outside.
    living = {id(x): x for x in [reference() for reference in read] if x is not None}
    outside = [x for x in living.values() if not x.tracing]
    nodes = Counter([x.node for x in outside])
    captured: dict[Expr, _PartOf] = {}
    for x in outside:
        parts = inputs_of(x.node)
        made = Captured.of(x, looked or not parts or nodes[x.node] > 1)
        found.captured += (made,)
        captured[x.node] = _PartOf(made, 0)
        captured.update({part: _PartOf(made, i) for i, part in enumerate(parts)})
    found.leaves = tuple([captured.get(x, x) if isinstance(x, Input) else x for x in found.leaves])
    for output in [*found.outputs, *[output for _, output in found.updates]]:
        if type(output) is _Output and isinstance(output.constant, Expr) and output.constant in captured:
            output.captured, output.constant = captured[output.constant].captured, None
    found.guards = guards() or None
    return found


@contextmanager
def _without_assignments(trace: Trace, objects: Sequence[Any]) -> Iterator[None]:
    """Meanwhile the function runs. Where it leaves an array in the objects for which other calls would have another,
    what it assigned to them is undone, and there is a `TracingError`, unless there was an error.
    """
    before = [dict(held(x)) for x in objects]
    put_back = snapshot([*objects, *[value for known in before for value in known.values()]])
    failed = True
    try:
        yield
        failed = False
    finally:
        place = next((p for p in map(partial(_assigned, trace), objects, before) if p is not None), None)
        if place is not None:
            put_back()
            if not failed:
                raise TracingError(
                    f"jit: {trace.name} assigns an array to {place}, which would happen once, when it is recorded: "
                    "return the array, and assign it where the function is called"
                )


def _assigned(trace: Trace, x: Any, before: Mapping[Road, Any]) -> str | None:
    """Where an object holds an array of a recording that has no value, or took the place of another one."""
    for road, value in held(x):
        if isinstance(value, Array) and value is not before.get(road):
            made = value.traced_in is trace or trace.has_made(value)
            if made and (value.tracing or isinstance(before.get(road), Array)):
                return f"{type(x).__name__}{text(road)}"
    return None


def _recorded(
    function: Callable[..., Any], args: Any, kwargs: Any, leaves: Sequence[Any], objects: Sequence[Any]
) -> tuple[Recording, list[ref[Array]], bool]:
    """The recording, in which captured arrays stand as what they are now; the arrays that were read, weakly; and
    whether the function looked at values.
    """
    given = [x for x in leaves if isinstance(x, Array)]
    trace = Trace(getattr(function, "__qualname__", repr(function)), combine("jit", given)[0])
    _, structure = flatten((args, kwargs))
    traced = [placeholder(x, trace) if isinstance(x, Array) else x for x in leaves]
    position = _positions(traced)
    before = [x.node if isinstance(x, Array) else None for x in traced]
    traced_args, traced_kwargs = unflatten(structure, traced)
    looks_before = looks.count
    try:
        with _without_assignments(trace, objects), recording(trace):
            result = function(*traced_args, **traced_kwargs)
            found, result_structure = flatten(result, lambda x: holds(x, partial(_is_made, trace)))
            refuse_holders(trace.name, found, partial(_is_traced, trace))
    except BaseException:
        for reference, *standing in reversed(trace.changed):
            if (x := reference()) is not None:
                restored(x, *standing)
        raise
    looked = looks.count != looks_before
    _keep_captured(trace, *([x for x in arrays_ if isinstance(x, Array)] for arrays_ in (traced, found)))
    changed = [i for i, x in enumerate(traced) if isinstance(x, Array) and x.node is not before[i]]
    single = isinstance(result, Array)
    read = [*trace.read.values(), *[ref(x) for x in found if isinstance(x, Array) and x.traced_in is None]]
    found = [_copied(x) if isinstance(x, Array) else x for x in found]
    del result  # then those of its arrays that live come from outside, too
    arrays = [x for x in found if isinstance(x, Array)] + [traced[i] for i in changed]
    _compute_living(read)
    roots = roots_of([a for a in arrays if not _is_there(a, position) and _constant_of(a) is None])
    roots = list(dict.fromkeys(roots))
    program, apart = programs_for(place_of([*given, *arrays])).of(roots)
    inputs: list[Any] = apart.leaves
    if any(node not in position and node.storage is None for node in inputs):
        raise TracingError(f"jit: {trace.name} uses an array of another recording, which has no value")
    outputs = [_output(x, position, roots) if isinstance(x, Array) else x for x in found]
    placed, _ = combine("jit", [*given, *arrays])
    places = tuple([position.get(node, node) for node in inputs])
    updates = tuple([(i, _output(traced[i], position, roots)) for i in changed])
    computed = None if updates or not (single or is_flat(result_structure)) else _all_computed(outputs)
    made = Recording(program, places, outputs, result_structure, single, placed, updates, computed)
    return made, read, looked


def _all_computed(outputs: Sequence[Any]) -> tuple[_Computed, ...] | None:
    """See `Recording.computed`."""
    found = []
    for each in outputs:
        if type(each) is not _Output or not each.result >= 0 > each.imaginary or not (each.shape or each.is_number):
            return None
        found.append((each.shape, each.type, each.dtype, each.result))
    return tuple(found)


def _is_made(trace: Trace, x: Any) -> bool:
    """Is it an array, or a number of one, that a recording made?"""
    return _is_traced(trace, x) or (type(x) is Array and trace.has_made(x))


def _is_traced(trace: Trace, x: Any) -> bool:
    """Is it one of those that depend on the arguments, so that it has no value?"""
    return isinstance(x, (Array, Scalar, Zipped)) and x.traced_in is trace


def _copied(x: Array) -> Array:
    """Another array of what it stands for: of an eager one its leaf, by which it is known to come from outside."""
    made = array_of(x.standing, x.extents, x.dtype, x.placed, x.traced_in)
    return made if x.extents or x.is_number else box(made)


def _compute_living(read: Sequence[ref[Array]]) -> None:
    """Compute the arrays that were read and still live; those of which values were asked are computed already."""
    for reference in read:
        x = reference()
        if x is not None and not x.tracing and not inputs_of(x.node) and _constant_of(x) is None:
            enqueue(x)


def _keep_captured(trace: Trace, arguments: Sequence[Array], results: Sequence[Array]) -> None:
    """Undo assignments to arrays that are neither arguments nor made by the function and outlive it; `TracingError`
    where one had a value, or is a result.
    """
    captured = False
    for reference, before, outer in reversed(trace.changed):
        x = reference()
        if x is None or any(x is each or related(each, x) for each in arguments):
            continue
        is_result = any(x is each for each in results)
        if is_result and trace.has_made(x):
            continue
        restored(x, before, outer)
        node = before.made if type(before) is RecordedCall else before
        captured = captured or (node is not None and bool(inputs_of(node))) or is_result
    if captured:
        raise TracingError(
            f"jit: {trace.name} assigns what depends on its arguments to an array that is none of them, or to a view of"
            " one: pass that array as an argument, which changes for the caller, or assign to a copy of it"
        )


def _positions(arguments: Sequence[Any]) -> dict[Any, Any]:
    """The number of the argument that a vertex is, and for a part of a complex one which part."""
    found: dict[Any, Any] = {}
    for i, x in enumerate(arguments):
        if isinstance(x, Array):
            parts = inputs_of(x.node)
            if len(parts) > 1:
                found.update((part, (i, number)) for number, part in enumerate(parts))
            found[x.node] = i
    return found


def _is_there(a: Array, position: dict[Any, Any]) -> bool:
    """Is it an argument, a part of one, or an array with a value? An array of another recording counts, too."""
    parts = inputs_of(a.node)
    return a.node in position or len(parts) == 1 or (bool(parts) and all(part.storage is not None for part in parts))


def _constant_of(a: Array) -> Any:
    return constant_value(a.node.x) if type(a.node) is Repeat else None


def _output(a: Array, position: dict[Any, Any], roots: list[Expr]) -> _Output:
    t = a.node.type
    assert isinstance(t, ArrayType)
    made = _Output(a.shape, a.dtype, t, is_number=a.is_number)
    if a.node in position:
        made.argument = position[a.node]
    elif _is_there(a, position):
        made.constant = a.node
    elif _constant_of(a) is not None:
        made.constant = _constant_of(a)
    elif a.dtype.kind == "c":
        made.result, made.imaginary = map(roots.index, components(a.node))
    else:
        made.result = roots.index(a.node)
    return made


def _array(output: _Output, results: Sequence[Any], arguments: Sequence[Any], placed: Any) -> Array:
    made = _found(output, results, arguments, placed)
    return made if output.is_number else box(made)


def _found(output: _Output, results: Sequence[Any], arguments: Sequence[Any], placed: Any) -> Array:
    if output.imaginary >= 0:
        node = leaf_over(output.shape, output.type, (results[output.result], results[output.imaginary]))
        return array_of(node, output.shape, output.dtype, placed)
    if output.result >= 0:
        return array_of(
            Input.over(output.shape, output.type, results[output.result]), output.shape, output.dtype, placed
        )
    if type(output.argument) is tuple:
        part = _part(arguments, output.argument)
        return array_of(part, output.shape, output.dtype, arguments[output.argument[0]].placed)
    if output.argument >= 0:  # type: ignore[operator]  # a number
        argument = arguments[output.argument]  # type: ignore[index]  # as above
        return array_of(argument.node, output.shape, output.dtype, argument.placed)
    if output.captured is not None:
        return array_of(_there(output.captured), output.shape, output.dtype, placed)
    if isinstance(output.constant, Expr):
        return array_of(output.constant, output.shape, output.dtype)
    value = np.full(prod(output.shape), output.constant, output.dtype)
    return array_of(leaf(output.shape, output.dtype, value), output.shape, output.dtype)


def prepare(
    recording: Recording,
    arguments: Sequence[Any],
    *,
    search: bool = False,
    seconds: float | None = None,
    trials: int | None = None,
) -> list[Compiled]:
    """Compile the kernels of a recording on these arguments; with `search`, search anew. Returns what was compiled."""
    program = recording.program.use_compiled() if search else recording.program.compiled
    return program.prepare(recording.inputs(arguments, program.device), search, seconds, trials)
