"""What the suites use of lazyarr: its public modules, its launches through bare pyopencl, its candidates."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from benchmarks.harness import Thunk, UnavailableError, batched


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


def tuned(
    front: FrontEnd, function: Callable[..., object], sets: Sequence[tuple[Any, ...]], budget: float | None
) -> tuple[Callable[..., object], list[tuple[Any, ...]]]:
    """``function`` jitted and its kernels tuned for at most ``budget`` seconds each (None: as it is), and the inputs as
    lazyarr's.
    """
    wrapped = [tuple(front.la.asarray(array) for array in arrays) for arrays in sets]
    if budget is None:
        return function, wrapped
    f = front.lift.jit(function)
    front.lift.tune(f, *wrapped[0], seconds=budget)
    return f, wrapped


def finisher(front: FrontEnd) -> Callable[[Any], object]:
    """What waits for a result: an array or a tuple of arrays."""

    def finish(result: Any) -> object:
        front.la.compute(*(result if isinstance(result, tuple) else (result,)))
        return result

    return finish


def contestant(
    front: FrontEnd, function: Callable[..., object], sets: Sequence[tuple[Any, ...]], budget: float
) -> list[Thunk]:
    """lazyarr's contestant: jitted, tuned for at most ``budget`` seconds, each call complete when it returns."""
    f, wrapped = tuned(front, function, sets, budget)
    return batched(f, finisher(front), wrapped)


def default_device() -> Any:
    """The device lazyarr computes on.

    Raises:
        UnavailableError: there is none.
    """
    try:
        runtime: Any = importlib.import_module("lazyarr.runtime")
        config: Any = importlib.import_module("lazyarr.config")
    except ImportError as error:
        raise UnavailableError(f"lazyarr cannot be imported: {error}") from error
    try:
        return runtime.find_device(config.settings().device or None)
    except runtime.DeviceError as error:
        raise UnavailableError(str(error)) from error


def use_device(name: str) -> None:
    """Let lazyarr compute on the device of that name (as ``LAZYARR_DEVICE``).

    Raises:
        UnavailableError: there is no such device.
    """
    config: Any = importlib.import_module("lazyarr.config")
    before = config.configure(device=name)
    try:
        default_device()
    except UnavailableError:
        config.configure(**vars(before))
        raise


def chosen_device() -> str:
    """The device that was asked for, as ``LAZYARR_DEVICE`` takes it; empty where lazyarr chooses."""
    try:
        config: Any = importlib.import_module("lazyarr.config")
    except ImportError:
        return ""
    return str(config.settings().device)


def device_properties() -> dict[str, str]:
    """Name, platform and driver of the device."""
    try:
        found = default_device()
    except UnavailableError as error:
        return {"unknown": str(error)}
    return {key: str(getattr(found, key)) for key in ("name", "platform", "driver")}


def device_copies(arrays: Sequence[Any]) -> list[Thunk]:
    """OpenCL's own copy of each array into one ready output, all on the device: a limit. Nothing is waited for."""
    cl: Any = importlib.import_module("pyopencl")
    device = default_device()
    sources = [device.wrap(array) for array in arrays]
    output = device.allocate(arrays[0].nbytes)

    def bind(source: Any) -> Thunk:
        return lambda: cl.enqueue_copy(device.queue.handle, output.handle, source.handle, byte_count=source.nbytes)

    return [bind(source) for source in sources]


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
    return argument.handle if kind in ("buffer", "counter") else np.dtype(kind).type(argument)


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
