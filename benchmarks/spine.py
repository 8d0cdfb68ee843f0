"""The suite "spine": the whole road once, on scal (3 * x), asum (sum of absolute values) and dot.

At n = 2**24 float32 the target is 90 % of the machine's bandwidth, measured in the same rounds, and to be no slower
than the fastest peer. Beside it stand the cost of a call on a small array, also after idling, of evaluating a small
expression, of new lengths, of deriving and generating a candidate, of the import, and of recording
(`benchmarks.costs`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from benchmarks.costs import (
    LENGTH,
    OURS,
    call_row,
    candidate_row,
    evaluation_row,
    guarded,
    idle_row,
    import_row,
    lengths_row,
    marked,
    operation_row,
    record_row,
    samples_of,
)
from benchmarks.harness import Neighbours, Thunk, Timing, UnavailableError, interleave, slower
from benchmarks.lazy import contestant, front_end
from benchmarks.limits import Limit, Ways, fastest
from benchmarks.operations import OPERATIONS, Operation, inputs
from benchmarks.peers import Peer, find_peers
from benchmarks.report import Report, Row
from benchmarks.suite import made

LIMIT = "limit: "
PEERS = ("numpy", "numexpr", "numba")
"""JAX and torch are the suite lift's: their threads go on spinning for longer than the rest between runs."""

SHARE_OF_BANDWIDTH = 0.9
REST = 0.02
"""Seconds of quiet before each run."""


def bandwidth_row(
    operation: Operation, peers: Sequence[Peer], *, length: int, budget: float, rounds: int
) -> tuple[Row, Limit]:
    """The row of one operation, and the limit measured in the same rounds."""
    sets = inputs(operation, length)
    references = [operation.reference(*arrays) for arrays in sets]
    contestants: dict[str, Sequence[Thunk]] = {}
    note = ""
    try:
        front = front_end()
        contestants[OURS] = contestant(front, operation.write(front), sets, budget)
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
        timings = interleave(contestants, checked, rounds=rounds, rest=REST)
    finally:
        ways.close()
    limit = fastest(
        operation.bound,
        {name.removeprefix(LIMIT): timing for name, timing in timings.items() if name.startswith(LIMIT)},
        ways.nbytes,
    )
    return marked(judge(operation, timings, limit, ways.nbytes, note), neighbours), limit


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


def run(*, budget: float, rounds: int, arguments: Sequence[str], progress: Callable[[str], None]) -> Report:
    """Measure the suite.

    Args:
        budget: seconds of tuning for each of the three operations.
        rounds: samples for each contestant; a small call has 100 times as many.
        arguments: the command line, for the report.
        progress: is told what comes next.
    """
    found, missing = find_peers()
    peers = [peer for peer in found if peer.name in PEERS]
    missing = [peer for peer in missing if peer.name in PEERS]
    rows: list[Row] = []
    limits: dict[str, float] = {}
    for operation in OPERATIONS:
        progress(operation.name)
        row, limit = bandwidth_row(operation, peers, length=LENGTH, budget=budget, rounds=rounds)
        rows.append(row)
        limits[limit.kind] = max(limit.bytes_per_second, limits.get(limit.kind, 0.0))
    others: tuple[tuple[str, str, Callable[[], Row]], ...] = (
        ("call", "a jitted call on a small array", lambda: call_row(rounds)),
        ("evaluation", "record and evaluate a small expression", lambda: evaluation_row(rounds)),
        ("idle", "a jitted call on a small array after idling", idle_row),
        ("lengths", "evaluate an expression for new lengths", lengths_row),
        ("operation", "record an element-wise operation", lambda: operation_row(rounds)),
        ("candidate", "derive and generate one candidate", lambda: candidate_row(rounds)),
        ("import", "import lazyarr", import_row),
        ("record", "record long chains in linear time", record_row),
    )
    for name, target, measure in others:
        progress(name)
        rows.append(guarded(name, target, measure))
    return made("spine", rows, limits, peers, missing, arguments)
