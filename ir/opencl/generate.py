"""The generator: a low-level expression becomes one OpenCL program, kernel by kernel.

Reading an expression gives a view; writing one emits the loops that fill a target. Only low-level patterns are
accepted. Source: "Lift: a functional data-parallel IR for high-performance GPU code generation" (CGO 2017).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from ir.core.expr import Expr, Param, postorder
from ir.core.patterns import MAP_LIBRARY, Map, is_open, is_view_map
from ir.core.sizes import Size, size, var
from ir.core.types import ScalarType, Type
from ir.errors import GenerationError
from ir.opencl.passes.accesses import AccessLog
from ir.opencl.passes.allocation import local_bytes, share_arrays
from ir.opencl.passes.barriers import remove_barriers
from ir.opencl.passes.equal_kernels import but_for_names
from ir.opencl.passes.in_place import why_not_in_place
from ir.opencl.passes.workarounds import WORKAROUNDS, work_around
from ir.opencl.read.views import Storage, leaf_types
from ir.opencl.stages import Launch, Place, Stage, launch_of, stages_of
from ir.opencl.tree import Function, render
from ir.opencl.write.kernel import KernelWriter
from ir.opencl.write.spelling import c_type

__all__ = ["ARRIVED", "START", "Argument", "Kernel", "Program", "Tree", "generate", "in_place_of", "trees"]


@dataclass(frozen=True)
class Argument:
    """One kernel argument: component `component` of the buffer that holds `name`, or the integer value of a size.

    That named `ARRIVED` is the device's counter of work-groups.
    """

    name: str
    component: int = 0
    is_size: bool = False


@dataclass(frozen=True)
class Kernel:
    """One launch of a program, and the kernel of its source that is launched: several may share one.

    Attributes:
        scratch: memory that it writes and reads again, by name
        in_place: the components of the result that lie in the memory of an input, and that input's component
    """

    name: str
    arguments: tuple[Argument, ...]
    launch: Launch
    result: str
    result_type: Type
    local_bytes: int
    scratch: tuple[tuple[str, Type], ...] = ()
    in_place: tuple[tuple[int, Place], ...] = ()


@dataclass(frozen=True)
class Program:
    """OpenCL C, and its kernels in the order in which they run.

    Attributes:
        results: where the components of the program's result lie
        workarounds: which of those that were wanted changed something
        unheeded: the hints to memory (`prefetch`) in the expression that are not given, by the reason
    """

    source: str
    kernels: tuple[Kernel, ...]
    results: tuple[Place, ...]
    index_type: str
    workarounds: tuple[str, ...] = ()
    unheeded: tuple[str, ...] = ()


ARRIVED = "arrived"
"""The argument of kernels that go on in their last work-group: one `uint` in global memory, which is 0 before a kernel
and after it. Kernels that run one after the other may share it.
"""

START = "start"
"""The size argument of a program whose result is a part of larger memory: the first element that it writes."""


def generate(
    root: Expr,
    name: str = "lazyarr",
    index_type: str = "int",
    alignment: int = 1,
    part: bool = False,
    workarounds: Collection[str] = tuple(WORKAROUNDS),
    in_place: Mapping[int, Place] | None = None,
) -> Program:
    """The OpenCL program of a fully lowered expression; `index_type` is `int` or `long`, and the address of every
    buffer is a multiple of `alignment` bytes.

    Args:
        part: the result is a part of larger memory, from an element on that the size argument `START` names
        workarounds: those of `ir.opencl.passes.workarounds` that the device needs; left out, all, so that it runs on
            any
        in_place: the components of the result that are put into the memory of an input, and that input's component:
            the kernel reads and writes it by one name

    Raises:
        GenerationError: a high-level pattern is left, or a result may not lie in the memory of that input.
    """
    _check_lowered(root)
    if in_place:
        _check_in_place(root, in_place, part)
    kernels, sources = [], []
    helpers, applied, unheeded = dict[str, None](), dict[str, None](), dict[str, None]()
    written = dict[str, str]()  # the names of the kernels, by their texts but for names
    stages, results = stages_of(root)
    for number, stage in enumerate(stages):
        kernel_name = re.sub(r"\W", "_", name) + (f"_{number}" if len(stages) > 1 else "")
        start = var(START, 0) if part and number == len(stages) - 1 else size(0)
        kernel, function, writer = _kernel(stage, index_type, alignment, start, tuple((in_place or {}).items()))
        function, changed = work_around(replace(function, name=kernel_name), workarounds)
        applied.update(dict.fromkeys(changed))
        alone = len(stages) == 1
        first = kernel_name if alone else written.setdefault(but_for_names(function), kernel_name)
        kernels.append(replace(kernel, name=first))
        if first == kernel_name:
            sources.append(render(function))
        helpers.update(dict.fromkeys(writer.spelling.prelude()))
        unheeded.update(writer.unheeded)
    source = "\n".join([*helpers, "", *sources])
    return Program(source, tuple(kernels), tuple(results), index_type, tuple(applied), tuple(unheeded))


@dataclass(frozen=True)
class Tree:
    """A kernel before it is printed.

    Attributes:
        accesses: the memory that pieces of its text read
        divisions: the variables that hold a quotient and a remainder, and what was divided by what
        declared: all variables of sizes that the text declares
    """

    function: Function
    launch: Launch
    accesses: AccessLog
    divisions: Mapping[tuple[Size, Size], tuple[Size, Size]]
    declared: Collection[Size]


def trees(root: Expr) -> tuple[Tree, ...]:
    """The kernels of a fully lowered expression, in the order in which they run."""
    _check_lowered(root)
    found = []
    for stage in stages_of(root)[0]:
        kernel, function, writer = _kernel(stage, "int", 1, size(0), ())
        found.append(Tree(function, kernel.launch, writer.accesses, writer.divisions, writer.loop_sizes))
    return tuple(found)


@lru_cache(maxsize=16)
def in_place_of(root: Expr) -> Mapping[int, Sequence[Place]]:
    """The components of the result of a fully lowered expression that may lie in the memory of an input, each with the
    components of inputs of which that is true (`ir.opencl.passes.in_place`); of a single kernel alone.

    Kept, as who chooses a place asks for them, and then `generate` does.
    """
    stages, _ = stages_of(root)
    if len(stages) > 1 or stages[0].before is not None:
        return {}
    (tree,) = trees(root)
    results = _storages(stages[0].result.identifier, stages[0].result.type)
    inputs = [node for node in postorder(root) if isinstance(node, Param) and not isinstance(node.type, ScalarType)]
    found: dict[int, list[Place]] = {}
    for number, result in enumerate(results):
        for p in dict.fromkeys(inputs):
            for component, storage in enumerate(_storages(p.identifier, p.type)):
                if not _why_not(tree, storage, result):
                    found.setdefault(number, []).append((p.identifier, component))
    return found


def _why_not(tree: Tree, read: Storage, written: Storage) -> str:
    return why_not_in_place(tree.function, tree.accesses, tree.launch, tree.declared, read.name, written.name)


def _check_in_place(root: Expr, in_place: Mapping[int, Place], part: bool) -> None:
    allowed = {} if part else in_place_of(root)
    taken = list(in_place.values())
    if len(set(taken)) < len(taken) or any(place not in allowed.get(i, ()) for i, place in in_place.items()):
        raise GenerationError(f"the results {dict(in_place)} of {root} may not lie in the memory of these inputs")


def _check_lowered(root: Expr) -> None:
    nodes = list(postorder(root))
    if any(isinstance(node, Map) and node.how is MAP_LIBRARY for node in nodes):
        raise GenerationError(f"the host's library computes {root}: there is no kernel of it")
    for node in nodes:
        if node.traits.high_level or (is_open(node) and not is_view_map(node)):
            raise GenerationError(f"the high-level pattern {node.name} is left in {root}")


@lru_cache(maxsize=16)
def _kernel(
    stage: Stage, index_type: str, alignment: int, start: Size, placed: tuple[tuple[int, Place], ...]
) -> tuple[Kernel, Function, KernelWriter]:
    """A kernel that has no name yet. Nobody changes it: the cost model and `in_place_of` read the one that is printed.

    Args:
        placed: which components of the result lie in the memory of which of inputs
    """
    in_place = dict(placed)
    parts = stage.parts
    launch = launch_of(*(part.expr for part in parts))
    handed = {part.result for part in parts[:-1]}
    inputs = sorted(
        {node for part in parts for node in postorder(part.expr) if isinstance(node, Param)} - handed,
        key=lambda p: (len(p.identifier), p.identifier),
    )
    writer = KernelWriter(launch, index_type, alignment)
    arguments: list[Argument] = []
    shared: dict[Place, Storage] = {}  # of the inputs that are written to as well
    for parameter in inputs:
        storages = _storages(parameter.identifier, parameter.type)
        writer.bind(parameter, storages)
        for component, storage in enumerate(storages):
            place = (parameter.identifier, component)
            arguments.append(Argument(*place))
            constant = "const "
            if place in in_place.values():
                constant, shared[place] = "", storage
            writer.argument(
                f"__global {constant}{c_type(storage.element, memory=True)}* restrict {storage.name}", storage
            )
    for part in parts:
        results = _storages(part.result.identifier, part.result.type)
        if shared:
            results = [shared[in_place[i]] if i in in_place else each for i, each in enumerate(results)]
        # what other work-groups write while the kernel runs is not `restrict`
        restrict = "" if part.result in handed else " restrict"
        for component, storage in enumerate(results):
            if component in in_place:
                continue
            arguments.append(Argument(part.result.identifier, component))
            writer.argument(f"__global {c_type(storage.element, memory=True)}*{restrict} {storage.name}", storage)
        if part.result not in handed:
            writer.write_result(part.expr, results, start)
            break
        arguments.append(Argument(ARRIVED))
        writer.hand_over(part.expr, part.result, results, ARRIVED)
    arguments.extend(Argument(variable.name, is_size=True) for variable in writer.sizes_used())
    function = writer.function()
    share_arrays(function)
    remove_barriers(function)
    scratch = tuple((part.result.identifier, part.result.type) for part in parts[:-1])
    result = stage.result
    used = local_bytes(function)
    kernel = Kernel("", tuple(arguments), launch, result.identifier, result.type, used, scratch, placed)
    return kernel, function, writer


def _storages(name: str, t: Type) -> list[Storage]:
    types = leaf_types(t)
    names = [name] if len(types) == 1 else [f"{name}_{i}" for i in range(len(types))]
    return [Storage(n, "global", element) for n, element in zip(names, types, strict=True)]
