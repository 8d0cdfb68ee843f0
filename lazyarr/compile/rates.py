"""How fast a device is: a few short kernels, derived and generated as all others, timed once and kept with them.

The figures live in the kernel cache as the times of these kernels, under the device's fingerprint: the next process
reads them. The throughput of a kind of operations on a dtype is measured when a prediction first asks for it.
"""

from __future__ import annotations

import platform
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache, lru_cache, partial

import ir
import lazyarr.check
import lazyarr.compile
import lazyarr.memory
import lazyarr.runtime
from ir.core.expr import Expr, Param, fun
from ir.core.notation.printer import show
from ir.core.patterns import Call, Gather, Literal, Map
from ir.core.scalars import operation
from ir.core.types import BOOL, FLOAT32, INT32, ArrayType, ScalarType, scalar
from ir.cost.count import count
from ir.cost.functions import Functions
from ir.cost.operations import Work
from ir.cost.predict import Prediction, Rates, predict
from ir.cost.thresholds.prediction import CALLS_OF_A_BENCHMARK
from ir.errors import IRError
from ir.fusion.symbols.symbolise import SymbolicKernel, symbolise
from ir.locks import make_lock
from ir.schedules.candidates import Candidates
from kernel_cache import CacheKey, Entry, code_version
from lazyarr.compile import compiler
from lazyarr.compile.benchmark_data import PERIOD, inputs_of, mismatch
from lazyarr.compile.compiled import build, parameters
from lazyarr.compile.executable import Executable
from lazyarr.compile.generation import granule
from lazyarr.compile.in_thread import NEVER
from lazyarr.compile.trials import POISON, machine_of
from lazyarr.config import settings
from lazyarr.errors import CompileError, LazyarrError
from lazyarr.runtime import Device
from tuner import WrongAnswerWarning

__all__ = ["functions_of", "predicted", "rates_of"]

_SECONDS = 0.05
"""What the repetitions of one benchmark may take, once there are enough of them."""

_REPETITIONS = 7

_TINY = 16
_STREAM = (1 << 24, 1 << 26)
"""Elements of the array that is copied: 64 and 256 MiB, more than caches hold. The second where the first is quick."""

_COMPUTE = (1 << 18, 1 << 21, 1 << 24)
"""Elements of the array that is computed on: as few as take long enough."""

_CACHED = 1 << 13
"""Elements of the array that is gathered from: 32 KiB of float32."""

_LONG = 10
"""A run tells a throughput when it takes as long as so many launches of a kernel that does nothing."""

_MEMORY_SHARE = 8
"""The part of a device's memory that a benchmark may take."""

_measured: dict[CacheKey, float] = {}
_lock = make_lock()


@dataclass(frozen=True)
class _Benchmark:
    """What a map over an array of that dtype reads, its function, and the lengths to time it at, one after the other
    until it takes long.
    """

    dtype: ScalarType
    source: Callable[[ScalarType, int], Expr]
    body: Callable[[Expr], Expr]
    lengths: tuple[int, ...]


def rates_of(device: Device, works: Iterable[Work], *, measure: bool = True) -> Rates | None:
    """The rates that predict kernels with such operations; those that are not known yet are benchmarked now.

    Args:
        measure: else None is returned where one is not known

    Raises:
        BuildError, LaunchError, AllocationError: the device refuses a benchmark.
        CompileError: its result is wrong.
    """
    launch = _seconds(device, _general(_LAUNCH, _TINY, granule(device)), measure)
    if launch is None:
        return None
    stream = _rate(device, _STREAMING, _bytes, launch, measure)
    if stream is None:
        return None
    found: dict[Work, float] = {}
    for work in works:
        rate = _rate(device, _computing(work), partial(_operations, work), launch, measure)
        if rate is None:
            return None
        found[work] = rate
    return Rates(stream, launch, found)


def functions_of(device: Device, general: SymbolicKernel, *, measure: bool) -> Functions:
    """What the functions in a kernel take.

    Args:
        measure: else those are left out that are not known

    Warns:
        WrongAnswerWarning: a device computes one wrongly, so that its time is not known.
    """
    found: dict[Work, float] = {}
    for work in count(general.expr).operations:
        if work.function and not device.simulator:
            try:
                rates = rates_of(device, (work,), measure=measure)
            except CompileError as error:
                warnings.warn(f"{error}; what it takes is counted", WrongAnswerWarning, stacklevel=2)
                continue
            except (LazyarrError, IRError):  # the device refuses it: the cost model counts
                continue
            if rates is not None:
                found |= rates.operations_per_second
    return Functions.of(found)


def _rate(
    device: Device, benchmark: _Benchmark, amount: Callable[[SymbolicKernel], int], launch: float, measure: bool
) -> float | None:
    """How much a benchmark does in a second, its launch left out."""
    rate = None
    for length in _fitting(device, benchmark):
        general = _general(benchmark, length, granule(device))
        seconds = _seconds(device, general, measure)
        if seconds is None:
            return None
        rate = amount(general) / max(seconds - launch, seconds / 2)
        if seconds >= _LONG * launch:
            break
    return rate


def _fitting(device: Device, benchmark: _Benchmark) -> list[int]:
    """The lengths whose input and result fit the device; one that just does where none does."""
    limits = device.limits
    most = min(limits.max_allocation_bytes, limits.global_memory_bytes // (2 * _MEMORY_SHARE)) // benchmark.dtype.bytes
    return [length for length in benchmark.lengths if length <= most] or [most // PERIOD * PERIOD]


def _bytes(general: SymbolicKernel) -> int:
    cost = count(general.expr)
    return (cost.read + cost.written).evaluate(general.sizes)


def _operations(work: Work, general: SymbolicKernel) -> int:
    return count(general.expr).operations[work].evaluate(general.sizes)


# --- what is timed ----------------------------------------------------------------------------------------------------


def _computing(work: Work) -> _Benchmark:
    if work.kind == "gather":
        return _Benchmark(scalar(work.dtype), _gathered, _copied, _COMPUTE)
    if work.kind == "function":
        return _Benchmark(scalar(work.dtype), _array, _calls(work.function), _COMPUTE)
    body = {"arithmetic": _sums, "division": _quotients}[work.kind]
    return _Benchmark(scalar(work.dtype), _array, body, _COMPUTE)


def _array(t: ScalarType, length: int) -> Expr:
    return Param("x", ArrayType(t, length))


def _gathered(t: ScalarType, length: int) -> Expr:
    """Numbers from anywhere in an array that a cache holds."""
    return Gather(Param("x", ArrayType(t, _CACHED)), Param("at", ArrayType(INT32, length)))


def _scalar(x: Expr) -> ScalarType:
    assert isinstance(x.type, ScalarType)
    return x.type


def _copied(x: Expr) -> Expr:
    return x


def _scaled(x: Expr) -> Expr:
    return Call("multiply", x, Literal(3, _scalar(x)))


def _sums(x: Expr) -> Expr:
    """Products and sums, each waiting for the one before, as in most functions."""
    t, y = _scalar(x), x
    for _ in range(64):
        if t is BOOL:
            y = Call("bitwise_xor", Call("bitwise_and", y, x), x)
        else:
            y = Call("add", Call("multiply", y, x), Literal(1, t))
    return y


def _quotients(x: Expr) -> Expr:
    """Divisions by numbers of at least one."""
    t, y = _scalar(x), x
    for _ in range(16 if t.is_float else 4):
        y = Call("divide" if t.is_float else "floor_divide", x, Call("add", y, Literal(1, t)))
    return y


@cache
def _calls(name: str) -> Callable[[Expr], Expr]:
    """Calls of a function that do not wait for each other, of numbers that it is defined for; other operands are x."""
    called = operation(name)

    def body(x: Expr) -> Expr:
        t, total = _scalar(x), x
        others = (x,) * (called.arity - 1)
        for turn in range(CALLS_OF_A_BENCHMARK):
            first = max(0, called.domain[0]) + (turn / 64 if t.is_float else turn)
            total = Call("add", total, Call(name, Call("add", x, Literal(first, t)), *others))
        return total

    return body


_LAUNCH = _Benchmark(FLOAT32, _array, _scaled, (_TINY,))
_STREAMING = _Benchmark(FLOAT32, _array, _scaled, _STREAM)


@lru_cache(maxsize=256)
def _general(benchmark: _Benchmark, length: int, multiple: int) -> SymbolicKernel:
    e = Map(fun(benchmark.dtype, benchmark.body), benchmark.source(benchmark.dtype, length))
    return symbolise(e, {}, multiple)


# --- timing and keeping -----------------------------------------------------------------------------------------------


def _seconds(device: Device, general: SymbolicKernel, measure: bool) -> float | None:
    """The time of a benchmark at its length, measured at most once for a device and version of lazyarr."""
    key = CacheKey(
        structure=show(general.expr),
        dtypes=tuple(f"{p.identifier}: {p.type}" for p in parameters(general)),
        size_class=tuple(map(str, general.sizes.values())),
        device=device.fingerprint,
        code_version=code_version(ir, lazyarr.check, lazyarr.compile, lazyarr.memory, lazyarr.runtime),
        settings=("benchmark",),
    )
    with _lock:
        if key not in _measured:
            entry = compiler.cache().get(key) if settings().cache == "on" else None
            if entry is not None and entry.seconds is not None:
                _measured[key] = entry.seconds
            elif measure:
                _measured[key] = _measure(device, general, key)
        return _measured.get(key)


def _measure(device: Device, general: SymbolicKernel, key: CacheKey) -> float:
    """The shortest time of the predicted best candidate of a benchmark, by the host's clock, as a search times them.

    The shortest and not the median: it is kept for good, and whatever else runs on the machine only makes it longer.

    Raises:
        CompileError: the result is wrong: the time of a kernel that computes something else says nothing.
    """
    candidates = Candidates.of(general.expr)
    configuration = candidates.default(machine_of(device), general.sizes)
    executable = build(device, general, configuration, "benchmark", in_thread=NEVER)
    inputs = [device.wrap(values) for values in inputs_of(general, _CACHED)]
    sizes = tuple(general.sizes.values())
    t = general.expr.type
    assert isinstance(t, ArrayType)
    (result,), events = executable.enqueue(inputs, sizes, poison=POISON)
    events[-1].wait()
    length = t.length.evaluate(general.sizes)
    wrong = mismatch(general, granule(device), result.to_numpy(str(t.element), (length,)))
    if wrong is not None:
        raise CompileError(f"the benchmark {general.expr} is wrong on {device.name}: {wrong}")
    del result
    timing = device.time(lambda: executable.enqueue(inputs, sizes)[1], _SECONDS, _REPETITIONS, clock="host")
    if settings().cache == "on":
        binary = executable.program.binary if device.has_binaries else None
        entry = Entry(
            plan=executable.plan.to_json(),
            derivation=candidates.derive(configuration).to_json(),
            configuration=dict(configuration),
            sources=(executable.program.source,),
            binaries=() if binary is None else (binary,),
            seconds=timing.minimum,
            tuned=False,
            environment={"python": platform.python_version(), "device": device.name, "driver": device.driver},
        )
        compiler.cache().put(key, entry)
    return timing.minimum


def predicted(executable: Executable, general: SymbolicKernel) -> Prediction | str:
    """The predicted time at those lengths, whatever candidate runs; or why there is none.

    What is not known of the device yet is benchmarked now, unless the settings say that nothing is measured.
    """
    device = executable.device
    if device.simulator:
        return f"{device.name} simulates a device: its times say nothing of any"
    cost = count(general.expr)
    try:
        rates = rates_of(device, cost.operations, measure=settings().tune != "off")
    except (LazyarrError, IRError) as error:
        return f"a benchmark of {device.name} failed: {str(error).partition(chr(10))[0]}"
    if rates is None:
        return f"{device.name} was not benchmarked yet, and nothing is measured while the setting tune is off"
    return predict(cost, general.sizes, rates, len(executable.plan.kernels))
