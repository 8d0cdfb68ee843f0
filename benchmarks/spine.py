"""The suite "spine": the whole road once, on scal (3 * x), asum (sum of absolute values) and dot.

At n = 2**24 float32 the target is 90 % of the machine's bandwidth, measured in the same rounds, and to be no slower
than the fastest peer. Beside it stand the cost of a call on a small array, of deriving and generating a candidate, of
the import, and of recording a long chain.
"""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from benchmarks import report
from benchmarks.harness import Neighbours, Reference, Thunk, Timing, Tolerance, UnavailableError, interleave, slower
from benchmarks.limits import Limit, Ways, fastest
from benchmarks.peers import Peer, find_peers
from benchmarks.report import Report, Row

LENGTH = 1 << 24
SMALL = 64
OURS = "lazyarr"
LIMIT = "limit: "
SHARE_OF_BANDWIDTH = 0.9
EXTRA_PER_CALL = 20e-6
"""Seconds that a jitted call may take beyond the bare kernel."""
PER_CANDIDATE = 50e-3
"""Seconds for deriving and generating one candidate."""
IMPORT = 0.5
"""Seconds for importing lazyarr."""
QUIET = 0.1
"""Cores that other processes may keep busy before a report says so."""
CHAINS = (1_000, 10_000, 100_000)
GROWTH = 2.0
"""How much longer an operation of the longest chain may take than one of the shortest: linear, allowing for caches."""

Floats = NDArray[np.float32]


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

    ``arguments`` are what `pyopencl.Kernel.set_args` takes: pyopencl buffers and NumPy scalars.
    """

    source: str
    kernel: str
    global_size: tuple[int, ...]
    local_size: tuple[int, ...] | None
    arguments: Sequence[Any]


def bare_launcher(front: FrontEnd, f: Callable[..., object], x: object) -> Thunk:
    """Enqueue-and-wait, through pyopencl alone, of the kernels that the jitted ``f`` launches for ``x``.

    Raises:
        UnavailableError: lazyarr does not tell which kernels these are.
    """
    if not hasattr(front.lift, "lowered"):
        raise UnavailableError("lazyarr.lift has no lowered")
    launches: Sequence[Launch] = front.lift.lowered(f, x).launches
    cl: Any = importlib.import_module("pyopencl")
    buffers = [
        argument for launch in launches for argument in launch.arguments if isinstance(argument, cl.MemoryObject)
    ]
    context = buffers[0].context
    queue = cl.CommandQueue(context)
    bound = []
    for launch in launches:
        kernel = cl.Kernel(cl.Program(context, launch.source).build(cache_dir=False), launch.kernel)
        kernel.set_args(*launch.arguments)
        # The arguments are kept because a kernel does not keep its buffers alive.
        bound.append((kernel, launch.global_size, launch.local_size, launch.arguments))

    def run() -> None:
        for kernel, global_size, local_size, _ in bound:
            cl.enqueue_nd_range_kernel(queue, kernel, global_size, local_size)
        queue.finish()

    return run


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


@dataclass(frozen=True)
class Operation:
    """One of the three: how lazyarr writes it, its float64 reference, and which limit bounds it.

    ``arity`` is the number of inputs, ``bound`` ``"read"`` or ``"copy"``, ``moves`` the arrays moved through memory.
    """

    name: str
    arity: int
    bound: str
    moves: int
    write: Callable[[FrontEnd], Callable[..., object]]
    reference: Callable[..., Reference]


def _scal_reference(x: Floats) -> Reference:
    values = 3.0 * x.astype(np.float64)
    return Reference(values, np.abs(values), Tolerance.elementwise(x.dtype))


def _asum_reference(x: Floats) -> Reference:
    total = np.asarray(np.sum(np.abs(x), dtype=np.float64))
    return Reference(total, total, Tolerance.reduction(x.dtype, x.size))


def _dot_reference(x: Floats, y: Floats) -> Reference:
    products = x.astype(np.float64) * y
    return Reference(
        np.asarray(products.sum()), np.asarray(np.abs(products).sum()), Tolerance.reduction(x.dtype, x.size)
    )


OPERATIONS = (
    Operation("scal", 1, "copy", 2, lambda front: lambda x: 3 * x, _scal_reference),
    Operation("asum", 1, "read", 1, lambda front: lambda x: front.la.sum(front.la.abs(x)), _asum_reference),
    Operation("dot", 2, "read", 2, lambda front: lambda x, y: front.la.sum(x * y), _dot_reference),
)
ASUM = OPERATIONS[1]


def inputs(operation: Operation, length: int, sets: int = 2) -> list[tuple[Floats, ...]]:
    """``sets`` sets of arrays with magnitudes in [0.5, 1.5).

    For asum the signs are mixed, so that forgetting the absolute value shows; a dot product of mixed signs would cancel
    and hide errors behind its tolerance, so its terms are positive.
    """
    rng = np.random.default_rng(len(operation.name) + length)

    def array() -> Floats:
        values = rng.uniform(0.5, 1.5, length)
        if operation.arity == 1:
            values *= rng.choice((-1.0, 1.0), length)
        return values.astype(np.float32)

    return [tuple(array() for _ in range(operation.arity)) for _ in range(sets)]


def ours(front: FrontEnd, operation: Operation, sets: Sequence[tuple[Floats, ...]], budget: float) -> list[Thunk]:
    """lazyarr's contestant: jitted, tuned for at most ``budget`` seconds, each call complete when it returns."""
    f = front.lift.jit(operation.write(front))
    wrapped = [tuple(front.la.asarray(array) for array in arrays) for arrays in sets]
    front.lift.tune(f, *wrapped[0], seconds=budget)

    def bind(arguments: tuple[object, ...]) -> Thunk:
        def run() -> object:
            result = f(*arguments)
            front.la.compute(result)
            return result

        return run

    return [bind(arguments) for arguments in wrapped]


def bandwidth_row(
    operation: Operation, peers: Sequence[Peer], *, length: int, budget: float, rounds: int
) -> tuple[Row, Limit]:
    """The row of one operation, and the limit measured in the same rounds."""
    sets = inputs(operation, length)
    references = [operation.reference(*arrays) for arrays in sets]
    contestants: dict[str, Sequence[Thunk]] = {}
    note = ""
    try:
        contestants[OURS] = ours(front_end(), operation, sets, budget)
    except UnavailableError as error:
        note = str(error)
    for peer in peers:
        contestants.update(peer.contestants(operation.name, sets))

    checked = dict.fromkeys(contestants, references)
    ways = Ways([arrays[0] for arrays in sets])
    bounds = ways.read() if operation.bound == "read" else ways.copy()
    contestants.update({f"{LIMIT}{name}": thunks for name, thunks in bounds.items()})
    neighbours = Neighbours()
    try:
        timings = interleave(contestants, checked, rounds=rounds)
    finally:
        ways.close()
    others = neighbours.cores() or 0.0
    if others > QUIET:
        busy = f"other processes kept {others:.1f} cores busy, so these times are not to be trusted"
        note = f"{note}; {busy}" if note else busy
    limit = fastest(
        operation.bound,
        {name.removeprefix(LIMIT): timing for name, timing in timings.items() if name.startswith(LIMIT)},
        ways.nbytes,
    )
    return judge(operation, timings, limit, ways.nbytes, note), limit


def judge(operation: Operation, timings: Mapping[str, Timing], limit: Limit, nbytes: int, note: str = "") -> Row:
    """The row that ``timings`` (interleaved) and ``limit`` give for ``operation`` on arrays of ``nbytes`` bytes."""
    peers = {name: timing for name, timing in timings.items() if name != OURS and not name.startswith(LIMIT)}
    peer = min(peers, key=lambda name: peers[name].median, default="")
    mine = timings.get(OURS)
    bound = limit.seconds(operation.moves * nbytes)
    best = limit.bytes_moved / limit.timing.minimum
    shown = f"{limit.bytes_per_second / 1e9:.1f} GB/s by {limit.way}, {best / 1e9:.1f} at best"
    return Row(
        name=operation.name,
        unit="ms",
        measured=mine.median * 1e3 if mine else None,
        target=bound / SHARE_OF_BANDWIDTH * 1e3,
        target_text=f"{SHARE_OF_BANDWIDTH:.0%} of the {limit.kind} bandwidth ({shown} in the same rounds), "
        "and no slower than the fastest peer",
        peer=peers[peer].median * 1e3 if peer else None,
        peer_name=peer,
        slower_than_peer=bool(mine and peer and slower(mine, peers[peer])),
        note="; ".join(filter(None, (f"reached {bound / mine.median:.0%} of the bandwidth" if mine else "", note))),
        samples=samples_of(timings),
    )


def samples_of(timings: Mapping[str, Timing]) -> dict[str, Sequence[float]]:
    """The raw samples, for the report."""
    return {name: timing.samples for name, timing in timings.items()}


def call_row(rounds: int) -> Row:
    """A jitted call on a small array against enqueue-and-wait of the same kernel through bare pyopencl."""
    front = front_end()
    arrays = inputs(ASUM, SMALL, sets=1)
    f = front.lift.jit(ASUM.write(front))
    x = front.la.asarray(arrays[0][0])
    front.la.compute(f(x))

    def run() -> object:
        result = f(x)
        front.la.compute(result)
        return result

    contestants = {OURS: [run], "bare pyopencl": [bare_launcher(front, f, x)]}
    timings = interleave(contestants, {OURS: [ASUM.reference(*arrays[0])]}, rounds=100 * rounds, warm_up=100)
    mine, bare = timings[OURS].median, timings["bare pyopencl"].median
    return Row(
        name="call",
        unit="us",
        measured=(mine - bare) * 1e6,
        target=EXTRA_PER_CALL * 1e6,
        target_text=f"asum of {SMALL} elements: at most {EXTRA_PER_CALL * 1e6:.0f} us more than the bare kernel",
        note=f"a call takes {mine * 1e6:.1f} us, the bare kernel {bare * 1e6:.1f} us",
        samples=samples_of(timings),
    )


def candidate_row(rounds: int) -> Row:
    """Deriving and generating one candidate of asum."""
    front = front_end()
    x = front.la.asarray(inputs(ASUM, LENGTH, sets=1)[0][0])
    timings = interleave({OURS: [candidate_maker(front, front.lift.jit(ASUM.write(front)), x)]}, rounds=rounds)
    return Row(
        name="candidate",
        unit="ms",
        measured=timings[OURS].median * 1e3,
        target=PER_CANDIDATE * 1e3,
        target_text=f"derive and generate one candidate of asum in at most {PER_CANDIDATE * 1e3:.0f} ms",
        samples=samples_of(timings),
    )


IMPORT_PROGRAM = """
import json, time
begin = time.perf_counter()
import lazyarr
print(json.dumps(time.perf_counter() - begin))
"""

TOUCH_PROGRAM = """
import json
import pyopencl
import pyopencl._cl
touched = []
def watch(owner, name):
    original = getattr(owner, name)
    def watched(*arguments, **keywords):
        touched.append(name)
        return original(*arguments, **keywords)
    setattr(owner, name, watched)
watch(pyopencl, "get_platforms")
watch(pyopencl._cl, "get_platforms")
watch(pyopencl, "create_some_context")
import lazyarr
print(json.dumps(touched))
"""


def _in_new_process(program: str) -> Any:
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    if done.returncode:
        raise UnavailableError((done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1])
    return json.loads(done.stdout)


def import_row(repeats: int = 5) -> Row:
    """``import lazyarr`` in new processes: its time, and that it asks OpenCL for nothing."""
    front_end()
    _in_new_process(IMPORT_PROGRAM)  # writes the byte code
    samples = [float(_in_new_process(IMPORT_PROGRAM)) for _ in range(repeats)]
    touched = _in_new_process(TOUCH_PROGRAM)
    return Row(
        name="import",
        unit="ms",
        measured=median(samples) * 1e3,
        target=IMPORT * 1e3,
        target_text=f"import lazyarr in at most {IMPORT * 1e3:.0f} ms, touching no device",
        failed=bool(touched),
        note=f"touches OpenCL: {', '.join(touched)}" if touched else "touches no device",
        samples={OURS: samples},
    )


def record_row(chains: Sequence[int] = CHAINS, repeats: int = 3) -> Row:
    """Recording chains of ``x = x + y``: the longest chain's time for an operation against the shortest's."""
    front = front_end()
    samples: dict[str, Sequence[float]] = {}
    for operations in chains:
        taken = []
        for _ in range(repeats):
            y = front.la.asarray(np.ones(SMALL, np.float32))
            x = y
            begin = time.perf_counter()
            for _ in range(operations):
                x = x + y
            taken.append(time.perf_counter() - begin)
            del x
        samples[f"{operations} operations"] = taken
    each = [median(taken) / operations for taken, operations in zip(samples.values(), chains, strict=True)]
    times = ", ".join(f"{t * 1e6:.2f} us at {n:,}" for t, n in zip(each, chains, strict=True))
    return Row(
        name="record",
        unit="x",
        measured=each[-1] / each[0],
        target=GROWTH,
        target_text=f"linear: an operation of {chains[-1]:,} takes at most {GROWTH:g} times one of {chains[0]:,}",
        note=f"an operation takes {times}",
        samples=samples,
    )


def guarded(name: str, target: str, measure: Callable[[], Row]) -> Row:
    """The row, or one that says why it could not be measured. A wrong result is raised, never reported as missing."""
    try:
        return measure()
    except UnavailableError as error:
        return Row(name=name, unit="", measured=None, target=None, target_text=target, note=str(error))
    except RecursionError as error:
        return Row(name=name, unit="", measured=None, target=None, target_text=target, note=repr(error), failed=True)


def device() -> dict[str, str]:
    """Name, platform and driver of lazyarr's default device."""
    try:
        found: Any = importlib.import_module("lazyarr.runtime").default_device()
    except (ImportError, AttributeError) as error:
        return {"unknown": str(error)}
    return {key: str(getattr(found, key)) for key in ("name", "platform", "driver")}


def run(*, budget: float, rounds: int, arguments: Sequence[str], progress: Callable[[str], None]) -> Report:
    """Measure the suite.

    Args:
        budget: seconds of tuning for each of the three operations.
        rounds: samples for each contestant; a small call has 100 times as many.
        arguments: the command line, for the report.
        progress: is told what comes next.
    """
    peers, missing = find_peers()
    rows: list[Row] = []
    limits: dict[str, float] = {}
    for operation in OPERATIONS:
        progress(operation.name)
        row, limit = bandwidth_row(operation, peers, length=LENGTH, budget=budget, rounds=rounds)
        rows.append(row)
        limits[limit.kind] = max(limit.bytes_per_second, limits.get(limit.kind, 0.0))
    others: tuple[tuple[str, str, Callable[[], Row]], ...] = (
        ("call", "a jitted call on a small array", lambda: call_row(rounds)),
        ("candidate", "derive and generate one candidate", lambda: candidate_row(rounds)),
        ("import", "import lazyarr", import_row),
        ("record", "record long chains in linear time", record_row),
    )
    for name, target, measure in others:
        progress(name)
        rows.append(guarded(name, target, measure))
    return Report(
        suite="spine",
        rows=rows,
        limits=limits,
        missing={peer.name: peer.reason for peer in missing},
        machine=report.machine(),
        versions=report.versions() | {peer.name: peer.version for peer in peers},
        device=device(),
        command=report.command_line(arguments),
    )
