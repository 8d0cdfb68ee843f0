"""Whole programs against other libraries: the suites "lift" and "numpy".

The papers' programs (`benchmarks.programs`) are written in their notation and in NumPy's style. Both ways must be no
slower than the fastest peer, and no different from each other: they should become the same kernel. What people write
every day (`benchmarks.everyday`) is written in NumPy's style alone. On a GPU all inputs lie on the device beforehand,
and what is timed is a batch of calls with one wait at its end, so that the launches do not hide the kernels; single
calls are reported beside it.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

import numpy as np

from benchmarks.costs import marked, samples_of
from benchmarks.harness import (
    Check,
    Fetched,
    Neighbours,
    Thunk,
    Timing,
    UnavailableError,
    WrongResultError,
    batched,
    interleave,
    slower,
)
from benchmarks.lazy import FrontEnd, default_device, device_copies, finisher, front_end, tuned
from benchmarks.limits import Limit, Ways, fastest
from benchmarks.peers import Peer, find_peers, makers
from benchmarks.programs import WORKLOADS, Arrays, Program, Workload, Writer
from benchmarks.report import Comparison, Report
from benchmarks.suite import made

LIFT, NUMPY_STYLE = "lazyarr lift", "lazyarr numpy style"
OURS = (LIFT, NUMPY_STYLE)
LIMIT = "limit: "
LARGEST_BUDGET = 60.0
"""Seconds of tuning for each kernel at most."""
REST = 0.2
"""Seconds of quiet before each run on a CPU: so long do the threads of OpenBLAS spin after their work."""
APART = 1.1
"""How much longer one way of writing may take than the other."""
CACHES = 150_000_000
"""Bytes of inputs that a GPU's calls go through before they read the same again: thrice the largest L2."""
MOST_SETS = 32
LARGE = 1 << 29
"""Bytes of inputs from which one set is enough on a CPU."""
LIMIT_LENGTH = {False: 1 << 24, True: 1 << 26}
"""Elements of the arrays with which the limits are measured, on a CPU and on a GPU."""
BATCH_BYTES = 20_000_000_000
"""Bytes that a batch moves on a GPU, milliseconds of work, within the following numbers of calls."""
FEWEST_CALLS, MOST_CALLS = 10, 100

Bound = Mapping[str, Sequence[Thunk]]


@dataclass
class Entrants:
    """The contestants of a row for batches of each wanted number of calls, their checks, and who was left out and why.

    ``batches`` maps a number of calls to the contestants that make so many.
    """

    batches: dict[int, dict[str, Sequence[Thunk]]]
    checks: dict[str, Sequence[Check]] = field(default_factory=dict)
    out: list[str] = field(default_factory=list)
    failed: bool = False

    def admit(self, name: str, bound: Mapping[int, Sequence[Thunk]], checks: Sequence[Check]) -> None:
        """Let a contestant in if it gives the right results; a failure of lazyarr's fails the row."""
        try:
            thunk = bound[min(bound)]
            for run, check in zip(thunk, checks, strict=True):
                check.check(name, run())
        except Exception as error:  # whatever a library raises must not end the run
            self.refuse(name, error)
            return
        self.checks[name] = checks
        for count, thunks in bound.items():
            self.batches[count][name] = thunks

    def refuse(self, name: str, error: Exception) -> None:
        """Leave a contestant out."""
        self.out.append(f"{name} is left out: {in_a_line(error)}")
        self.failed = self.failed or (name in OURS and not isinstance(error, UnavailableError))


def in_a_line(error: Exception) -> str:
    """An error in a line."""
    text = next(iter(str(error).strip().splitlines()), "")
    if isinstance(error, (UnavailableError, WrongResultError)):
        return text
    return f"{type(error).__name__}: {text}"[:300]


def written(program: Program) -> list[tuple[str, Writer]]:
    """The ways in which a program is written for lazyarr."""
    ways = ((LIFT, program.lift), (NUMPY_STYLE, program.numpy_style))
    return [(name, write) for name, write in ways if write is not None]


def ours(
    front: FrontEnd, write: Writer, sets: Sequence[Arrays], budget: float, counts: Sequence[int], jitted: bool = True
) -> Mapping[int, list[Thunk]]:
    """lazyarr's contestant, tuned if it is jitted, for each number of calls; its inputs are on the device."""
    f, wrapped = tuned(front, write(front), sets, budget if jitted else None)
    return {count: batched(f, finisher(front), wrapped, count) for count in counts}


def sets_for(workload: Workload, gpu: bool) -> int:
    """How many sets of inputs: on a GPU more than its caches hold, on a CPU two unless they are large."""
    if gpu:
        return min(MOST_SETS, max(2, -(-CACHES // workload.input_nbytes)))
    return 1 if workload.input_nbytes >= LARGE else 2


def calls_for(workload: Workload, gpu: bool) -> int:
    """How many calls a batch has."""
    return min(MOST_CALLS, max(FEWEST_CALLS, BATCH_BYTES // workload.nbytes)) if gpu else workload.calls


def gather_entrants(
    workload: Workload, peers: Sequence[Peer], sets: Sequence[Arrays], checks: Sequence[Check],
    budget: float, counts: Sequence[int],
) -> Entrants:  # fmt: skip
    """Everyone who computes the workload's program, tuned, warmed up and checked once."""
    found = Entrants({count: {} for count in counts})
    for name, write in written(workload.program):
        try:
            found.admit(name, ours(front_end(), write, sets, budget, counts, workload.program.jitted), checks)
        except Exception as error:
            found.refuse(name, error)
    for peer in peers:
        if workload.program.name in peer.lacks:
            found.out.append(peer.lacks[workload.program.name])
        fetched = [Fetched(check, peer.to_numpy) for check in checks]
        try:
            bound = {count: peer.contestants(workload.program.name, sets, count) for count in counts}
        except Exception as error:
            found.refuse(peer.name, error)
            continue
        for name in bound[counts[0]]:
            found.admit(name, {count: bound[count][name] for count in counts}, fetched)
    return found


def gpu_limits(kind: str, peers: Sequence[Peer], arrays: Sequence[np.ndarray], count: int) -> Bound:
    """The ways of reading or copying ``arrays`` on a GPU, ``count`` times in a batch."""
    found: dict[str, Sequence[Thunk]] = {}
    for peer in peers:
        found.update(peer.contestants(kind, [(array,) for array in arrays], count))
    if kind == "copy":
        device = default_device()
        copies = device_copies(arrays)

        def launch(index: int) -> object:
            return copies[index]()

        found["OpenCL"] = batched(launch, lambda _: device.finish(), [(i,) for i in range(len(copies))], count)
    return found


def measure(
    workload: Workload, peers: Sequence[Peer], *, gpu: bool, budget: float, rounds: int
) -> tuple[Comparison, Limit | None]:
    """The row of a workload, and the limit measured in the same rounds."""
    sets = workload.inputs(sets_for(workload, gpu))
    checks = workload.references(sets)
    calls = calls_for(workload, gpu)
    entrants = gather_entrants(workload, peers, sets, checks, budget, sorted({1, calls}))
    note = "; ".join(entrants.out)
    contestants = dict(entrants.batches[calls])
    if not contestants:
        return Comparison(workload.name, failed=entrants.failed, note=note, ways=len(written(workload.program))), None

    # As many arrays as there are sets, two of them apart: a round takes one.
    apart = [np.full(LIMIT_LENGTH[gpu], value, np.float32) for value in (1.0, 2.0)]
    arrays = [apart[index % 2] for index in range(len(sets))]
    ways = None if gpu else Ways(arrays)
    if ways is None:
        bounds = gpu_limits(workload.bound, peers, apart, calls)
        bounds = {name: [thunks[i % 2] for i in range(len(sets))] for name, thunks in bounds.items()}
    else:
        bounds = ways.read() if workload.bound == "read" else ways.copy()
    contestants.update({f"{LIMIT}{name}": thunks for name, thunks in bounds.items()})
    neighbours = Neighbours()
    rest = 0.0 if gpu else REST
    primers = entrants.batches[1] if gpu else None
    try:
        timings = interleave(contestants, entrants.checks, rounds=rounds, rest=rest, checked=True, primers=primers)
        single = interleave(entrants.batches[1], rounds=rounds, primers=primers) if calls > 1 else {}
    finally:
        if ways is not None:
            ways.close()
    each = {name: Timing(tuple(t / calls for t in timing.samples)) for name, timing in timings.items()}
    limited = {name.removeprefix(LIMIT): timing for name, timing in each.items() if name.startswith(LIMIT)}
    limit = fastest(workload.bound, limited, arrays[0].nbytes) if limited else None
    row = judge(workload, each, limit, single=single, calls=calls, note=note, failed=entrants.failed)
    # Other processes on the host take no GPU.
    return row if gpu else marked(row, neighbours), limit


def judge(
    workload: Workload,
    timings: Mapping[str, Timing],
    limit: Limit | None,
    *,
    single: Mapping[str, Timing] | None = None,
    calls: int = 1,
    note: str = "",
    failed: bool = False,
) -> Comparison:
    """The row that ``timings`` (interleaved, of one call) give; ``single`` are of calls waited for one by one."""
    single = single or {}
    peers = {name: timing for name, timing in timings.items() if name not in OURS and not name.startswith(LIMIT)}
    peer = min(peers, key=lambda name: peers[name].median, default="")
    mine = {name: timings[name] for name in OURS if name in timings}
    ratios = [(mine[a], mine[b]) for a, b in ((LIFT, NUMPY_STYLE), (NUMPY_STYLE, LIFT)) if len(mine) == 2]
    slowest = max((timing.median for timing in mine.values()), default=None)
    notes = [note]
    if calls > 1:
        order = sorted((name for name in single), key=lambda name: single[name].median)
        shown = [name for name in order if name in OURS] + [name for name in order if name not in OURS][:1]
        latencies = ", ".join(f"{name} {single[name].median * 1e6:.1f} us" for name in shown)
        notes.insert(0, f"batches of {calls} calls; a single call: {latencies}")
    samples = dict(samples_of(timings)) | {f"{name}, single call": t.samples for name, t in single.items()}
    return Comparison(
        name=workload.name,
        lift=mine[LIFT].median * 1e3 if LIFT in mine else None,
        numpy_style=mine[NUMPY_STYLE].median * 1e3 if NUMPY_STYLE in mine else None,
        peer=peers[peer].median * 1e3 if peer else None,
        peer_name=peer,
        slower=[name for name, timing in mine.items() if peer and slower(timing, peers[peer])],
        apart=any(_beyond(a, b) for a, b in ratios),
        ways=len(written(workload.program)),
        share=limit.seconds(workload.nbytes) / slowest if limit and slowest else None,
        note="; ".join(filter(None, notes)),
        failed=failed,
        samples=samples,
    )


def _beyond(timing: Timing, other: Timing) -> bool:
    """Whether ``timing`` is slower than ``other`` by more than the two may differ."""
    return slower(timing, Timing(tuple(t * APART for t in other.samples)))


def chosen(names: Sequence[str], workloads: Sequence[Workload] = WORKLOADS) -> list[Workload]:
    """The workloads with these names, or of the programs with these names; all where there are none.

    Raises:
        ValueError: a name is neither.
    """
    known = {name for workload in workloads for name in (workload.name, workload.program.name)}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise ValueError(f"there is no row {unknown[0]!r}; the rows are {', '.join(w.name for w in workloads)}")
    return [w for w in workloads if not names or w.name in names or w.program.name in names]


def run(
    *,
    budget: float,
    rounds: int,
    arguments: Sequence[str],
    progress: Callable[[str], None],
    rows: Sequence[str] = (),
    save: Callable[[Report], object] = lambda report: None,
    workloads: Sequence[Workload] = WORKLOADS,
    suite: str = "lift",
    described: Callable[[Workload, Comparison], Comparison] = lambda workload, row: row,
) -> Report:
    """Measure the suite. A row that raises says so and falls short; the others are measured.

    Args:
        budget: seconds of tuning for each kernel, at most `LARGEST_BUDGET`.
        rounds: samples for each contestant.
        arguments: the command line, for the report.
        progress: is told what comes next.
        rows: names of workloads or programs; all where empty.
        save: is given the report so far after each row.
        workloads: to choose from.
        suite: the name in the report.
        described: says more of a row.
    """
    try:
        gpu = default_device().kind == "gpu"
    except UnavailableError:
        gpu = False  # the rows say so
    limits: dict[str, float] = {}
    found: list[Comparison] = []
    report = made(suite, found, limits, *find_peers(makers(gpu)), arguments)
    for workload in chosen(rows, workloads):
        progress(workload.name)
        # Anew for each row: what a library compiled and keeps for one must not fill the memory for the next.
        peers, _ = find_peers(makers(gpu))
        try:
            row, limit = measure(workload, peers, gpu=gpu, budget=min(budget, LARGEST_BUDGET), rounds=rounds)
            if limit is not None:
                limits[limit.kind] = max(limit.bytes_per_second, limits.get(limit.kind, 0.0))
        except Exception as error:
            row = Comparison(workload.name, failed=True, note=in_a_line(error))
        found.append(described(workload, row))
        release(peers)
        report = replace(report, rows=tuple(found), limits=dict(limits))
        save(report)
    return report


def release(peers: list[Peer]) -> None:
    """Give back the memory of a row's arrays, those that the peers keep ready among them: no peer remains."""
    releases = [peer.release for peer in peers]
    peers.clear()
    gc.collect()
    for give_back in releases:
        give_back()
    with suppress(UnavailableError):
        default_device().pool.trim()
