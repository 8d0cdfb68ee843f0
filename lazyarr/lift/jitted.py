"""`lift.jit`: a Python function over arrays, recorded once per signature and then dispatched.

A signature is the structure of the arguments (tuples, lists, dicts), the shape and dtype of each array, and the
value of
everything else: Python numbers, strings and other hashable objects are constants of the recording. Pass a number as
`la.asarray(number)` to make it an input.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, ParamSpec, TypeVar

import numpy as np

from ir.core.expr import Param, postorder
from ir.core.patterns import Literal, Repeat
from ir.core.types import ArrayType
from ir.fusion.generalise import General, generalise
from ir.fusion.partition import partition
from ir.opencl.views import leaves as leaves_of
from lazyarr.array import Array, placeholder
from lazyarr.creation import asarray
from lazyarr.dtypes import DType
from lazyarr.errors import TracingError
from lazyarr.inputs import Input, KnownValues
from lazyarr.pytree import Structure, flatten, unflatten
from lazyarr.tracing import Trace

__all__ = ["Jitted", "jit"]

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(slots=True)
class _Step:
    """One kernel of a recording: what it reads (slot numbers), and the compiled kernel once there is one."""

    general: General
    reads: tuple[int, ...]
    sizes: tuple[int, ...]
    compiled: Any = None
    calls: Any = None
    constants: tuple[int, ...] = ()


@dataclass(slots=True)
class _Output:
    """Where a result is found: a slot, an argument passed through, or a constant."""

    shape: tuple[int, ...]
    dtype: DType
    type: ArrayType
    slot: int = -1
    argument: int = -1
    constant: Any = None


@dataclass(slots=True)
class Recording:
    """What one signature of a jitted function does.

    Slots number buffers: the array arguments that are read first, then the results of the steps.
    """

    arguments: tuple[int, ...]
    captured: tuple[Input, ...]
    steps: list[_Step]
    outputs: list[Any]
    structure: Structure
    single: bool
    placed: Any = None  # the device the arguments were put on, None for the default device; results are put there too
    device: Any = None
    ready: bool = False


class Jitted(Generic[P, R]):
    """A function compiled by `jit`. Calling it runs its kernels; results are arrays, ready when they are asked for."""

    def __init__(self, function: Callable[P, R]) -> None:
        functools.update_wrapper(self, function)
        self.function = function
        self._recordings: dict[Any, Recording] = {}

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Run for these arguments, recording the function first where the signature is new."""
        leaves: Any
        key: Any
        if kwargs or not _all_arrays(args):
            leaves, structure = flatten((args, kwargs))
            leaves = [_as_argument(leaf) for leaf in leaves]
            if any(isinstance(leaf, Array) and leaf.tracing for leaf in leaves):
                return self.function(*args, **kwargs)
            key = (structure, *[_signature(leaf) for leaf in leaves])
        else:
            leaves = args
            key = tuple([(leaf.shape, leaf.dtype, leaf.device) for leaf in leaves])
            if any(leaf.tracing for leaf in leaves):
                return self.function(*args, **kwargs)
        recording = self._recordings.get(key)
        if recording is None:
            recording = self._recordings[key] = record(self.function, args, kwargs, leaves)
        return _run(recording, leaves)  # type: ignore[no-any-return]  # the structure of the function's own result

    def recording(self, *args: P.args, **kwargs: P.kwargs) -> tuple[Recording, list[Any]]:
        """The recording for these arguments, compiled, and the argument leaves it would run on."""
        leaves, structure = flatten((args, kwargs))
        leaves = [_as_argument(leaf) for leaf in leaves]
        if kwargs or not _all_arrays(args):
            key: Any = (structure, *[_signature(leaf) for leaf in leaves])
        else:
            key = tuple([(leaf.shape, leaf.dtype, leaf.device) for leaf in leaves])
        recording = self._recordings.get(key)
        if recording is None:
            recording = self._recordings[key] = record(self.function, args, kwargs, leaves)
        return recording, leaves

    def clear(self) -> None:
        """Forget all recordings."""
        self._recordings.clear()


def jit(function: Callable[P, R]) -> Jitted[P, R]:
    """Compile a function over arrays: recorded once per signature, then dispatched without running its Python code.

    Arguments and results may be arrays (NumPy's too) and nested tuples, lists and dicts of them. Anything else
    among the
    arguments is a constant that belongs to the signature. Asking a recorded array for its value, for instance by
    branching on it, raises `TracingError` with the line and what to use instead.
    """
    if not callable(function):
        raise TypeError(f"jit: expected a function, got {type(function).__name__}")
    return Jitted(function)


def _all_arrays(args: tuple[Any, ...]) -> bool:
    for a in args:
        if type(a) is not Array:
            return False
    return bool(args)


def _as_argument(leaf: Any) -> Any:
    return asarray(leaf) if isinstance(leaf, (np.ndarray, np.generic)) else leaf


def _signature(leaf: Any) -> Any:
    if isinstance(leaf, Array):
        return (leaf.shape, leaf.dtype, leaf.device)
    if isinstance(leaf, (float, complex)):
        return (type(leaf), repr(leaf))  # 0.0 == -0.0, and NaN equals nothing
    try:
        hash(leaf)
    except TypeError:
        kind = type(leaf).__name__
        raise TypeError(
            f"jit: an argument of type {kind} is neither an array nor hashable: pass arrays, or hashable constants"
        ) from None
    return (type(leaf), leaf)


def record(function: Callable[..., Any], args: Any, kwargs: Any, leaves: list[Any]) -> Recording:
    """Run the function on placeholders and cut what it recorded into kernels."""
    from lazyarr.engine import device_of, granule

    trace = Trace(getattr(function, "__qualname__", repr(function)))
    _, structure = flatten((args, kwargs))
    traced = [placeholder(x.shape, x.dtype, trace, x.device) if isinstance(x, Array) else x for x in leaves]
    traced_args, traced_kwargs = unflatten(structure, traced)
    result = function(*traced_args, **traced_kwargs)
    found, result_structure = flatten(result)
    arrays = [x for x in found if isinstance(x, Array)]
    position = {x.node: i for i, x in enumerate(traced) if isinstance(x, Array)}
    pending = [a.node for a in arrays if not isinstance(a.node, Input) and _constant_of(a) is None]
    parts = partition(list(dict.fromkeys(pending)), constants=KnownValues())
    slots: dict[Param, tuple[int, ...]] = {}  # the components of an input or result
    arguments: list[int] = []
    captured: list[Input] = []
    tasks = []
    multiple = granule(device_of([x for x in leaves if isinstance(x, Array)]))
    for task in parts.tasks:
        shapes: dict[Param, tuple[int, ...]] = {
            node: node.shape for node in postorder(task.expr) if isinstance(node, Input)
        }
        tasks.append((task, generalise(task.expr, shapes, multiple)))
    read = dict.fromkeys(p for _, general in tasks for p in general.inputs if isinstance(p, Input))
    taken = 0
    for leaf in read:
        if leaf in position:
            slots[leaf] = (taken,)
            taken += 1
            arguments.append(position[leaf])
    for leaf in read:
        if leaf not in position:
            if leaf.storage is None:
                raise TracingError(f"jit: {trace.name} uses an array of another recording, which has no value")
            slots[leaf] = (taken,)
            taken += 1
            captured.append(leaf)
    steps = []
    for task, general in tasks:
        reads = tuple(slot for p in general.inputs for slot in slots[p])
        steps.append(_Step(general, reads, tuple(general.sizes.values())))
        for name in task.results:
            width = leaves_of(name.type)
            slots[name] = tuple(range(taken, taken + width))
            taken += width
    results = dict(zip(dict.fromkeys(pending), parts.results, strict=True))
    outputs = [_output(x, position, slots, results) if isinstance(x, Array) else x for x in found]
    single = len(outputs) == 1 and isinstance(result, Array)
    placed = next((a.device for a in arrays if a.device is not None), None)
    return Recording(tuple(arguments), tuple(captured), steps, outputs, result_structure, single, placed)


def _constant_of(a: Array) -> Any:
    node = a.node
    if type(node) is Repeat and type(node.x) is Literal:
        return node.x.value
    return None


def _output(
    a: Array, position: dict[Any, int], slots: dict[Param, tuple[int, ...]], results: dict[Any, Param]
) -> _Output:
    t = a.node.type
    assert isinstance(t, ArrayType)
    made = _Output(a.shape, a.dtype, t)
    if a.node in results:
        (made.slot,) = slots[results[a.node]]
    elif a.node in position:
        made.argument = position[a.node]
    else:
        value = _constant_of(a)
        made.constant = value if value is not None else a.node
    return made


def _run(recording: Recording, leaves: Any) -> Any:
    if not recording.ready:
        prepare(recording, leaves)
    device = recording.device
    slots = []
    for i in recording.arguments:
        leaf = leaves[i]
        node = leaf.node
        if type(node) is not Input:
            leaf = _computed(leaf)
            node = leaf.node
        storage = node.storage
        if type(storage) is np.ndarray or storage.device is not device:
            storage = _on_device(node, device)
        slots.append(storage)
    slots.extend([_on_device(captured, device) for captured in recording.captured])
    allocate = device.allocate
    for step in recording.steps:
        _, constants = step.calls, step.constants
        own = [slots[i] for i in step.reads]
        fresh = own
        for call in step.calls:
            fresh = [allocate(nbytes) for nbytes in call.allocations]
            own += fresh
            call.kernel.launch(
                call.global_size, call.local_size, [own[s] if s >= 0 else constants[s] for s in call.slots]
            )
        slots += fresh
    if recording.single:
        return _result(recording.outputs[0], slots, leaves, recording.placed)
    made = [_result(o, slots, leaves, recording.placed) if type(o) is _Output else o for o in recording.outputs]
    return unflatten(recording.structure, made)


def _result(output: _Output, slots: list[Any], leaves: Any, placed: Any) -> Array:
    if output.slot >= 0:
        return Array(Input.over(output.shape, output.type, slots[output.slot]), output.shape, output.dtype, placed)
    if output.argument >= 0:
        argument = leaves[output.argument]
        return Array(argument.node, output.shape, output.dtype, argument.device)
    if isinstance(output.constant, Input):
        return Array(output.constant, output.shape, output.dtype)
    count = 1
    for extent in output.shape:
        count *= extent
    return Array(
        Input.over(output.shape, output.type, np.full(count, output.constant, output.dtype)), output.shape, output.dtype
    )


def _computed(a: Array) -> Array:
    from lazyarr.array import enqueue

    enqueue(a)
    return a


def _on_device(leaf: Input, device: Any) -> Any:
    from lazyarr.engine import buffer_of

    return buffer_of(leaf, device)


def prepare(
    recording: Recording, leaves: Any, *, search: bool = False, seconds: float | None = None, trials: int | None = None
) -> list[Any]:
    """Compile the kernels of a recording on these arguments; with `seconds` or `trials`, search anew. Returns the
    compiled kernels.
    """
    from lazyarr.engine import device_of
    from lazyarr.execution.compiler import compiler_for

    arrays = [leaf for leaf in leaves if isinstance(leaf, Array)]
    device = device_of(arrays)
    compiler = compiler_for(device)
    slots = [_on_device(_computed(leaves[i]).node, device) for i in recording.arguments]  # type: ignore[arg-type]  # computed: an Input
    slots += [_on_device(leaf, device) for leaf in recording.captured]
    found = []
    for step in recording.steps:
        inputs = [slots[i] for i in step.reads]
        if not search:
            step.compiled = compiler.compile(step.general, inputs)
        else:
            step.compiled = compiler.tune(step.general, inputs, seconds, trials)
        step.calls, step.constants = step.compiled.executable.bind(step.sizes)
        found.append(step.compiled)
        slots += step.compiled.executable.launch(inputs, step.sizes)
    recording.device, recording.ready = device, True
    return found
