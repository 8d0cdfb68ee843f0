"""What the suites use of lazyarr: its public modules, its launches through bare pyopencl, its candidates."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from benchmarks.harness import Thunk, UnavailableError


@dataclass(frozen=True)
class FrontEnd:
    """The public modules of lazyarr."""

    la: Any
    lift: Any


def front_end() -> FrontEnd:
    """Import lazyarr; limits and peers can be measured where it does not run.

    Raises:
        UnavailableError: lazyarr cannot be imported, or lacks what the suite calls.
    """
    try:
        la, lift = importlib.import_module("lazyarr"), importlib.import_module("lazyarr.lift")
    except ImportError as error:
        raise UnavailableError(f"lazyarr cannot be imported: {error}") from error
    for module, names in ((la, ("asarray", "abs", "sum", "compute")), (lift, ("jit", "tune"))):
        absent = [name for name in names if not hasattr(module, name)]
        if absent:
            raise UnavailableError(f"{module.__name__} has no {', '.join(absent)}")
    return FrontEnd(la, lift)


class Launch(Protocol):
    """One kernel launch that `lazyarr.lift.lowered` lists: what bare pyopencl needs to repeat it.

    ``arguments`` are lazyarr's buffers and integers, ``argument_types`` says which (``buffer``, ``int32``, ``int64``).
    """

    source: str
    kernel: str
    global_size: tuple[int, ...]
    local_size: tuple[int, ...] | None
    arguments: Sequence[Any]
    argument_types: Sequence[str]


def bare_launcher(front: FrontEnd, f: Callable[..., object], x: object) -> Thunk:
    """Enqueue-and-wait, through pyopencl alone, of the kernels that the jitted ``f`` launches for ``x``.

    Raises:
        UnavailableError: lazyarr does not tell which kernels these are.
    """
    if not hasattr(front.lift, "lowered"):
        raise UnavailableError("lazyarr.lift has no lowered")
    launches: Sequence[Launch] = front.lift.lowered(f, x).launches
    cl: Any = importlib.import_module("pyopencl")
    first = launches[0]
    device = first.arguments[first.argument_types.index("buffer")].device
    queue = cl.CommandQueue(device.context)
    bound = []
    for launch in launches:
        kernel = cl.Kernel(cl.Program(device.context, launch.source).build(cache_dir=False), launch.kernel)
        kernel.set_args(*map(plain_argument, launch.arguments, launch.argument_types))
        # The arguments are kept because a kernel does not keep its buffers alive.
        bound.append((kernel, launch.global_size, launch.local_size, launch.arguments))
    device.finish()

    def run() -> None:
        for kernel, global_size, local_size, _ in bound:
            cl.enqueue_nd_range_kernel(queue, kernel, global_size, local_size)
        queue.finish()

    return run


def plain_argument(argument: Any, kind: str) -> Any:
    """A launch's argument as `pyopencl.Kernel.set_args` takes it: a pyopencl buffer or a NumPy scalar."""
    return argument.handle if kind == "buffer" else np.dtype(kind).type(argument)


def candidate_maker(front: FrontEnd, f: Callable[..., object], x: object) -> Thunk:
    """A callable that derives and generates the next candidate of ``f`` for ``x``, from rules to source, each time.

    Raises:
        UnavailableError: there is no `lift.candidates`, an iterator that makes the candidates' sources one by one.
    """
    if not hasattr(front.lift, "candidates"):
        raise UnavailableError("lazyarr.lift has no candidates")
    sources = iter(front.lift.candidates(f, x))

    def make() -> object:
        nonlocal sources
        try:
            return next(sources)
        except StopIteration:
            sources = iter(front.lift.candidates(f, x))
            return next(sources)

    return make
