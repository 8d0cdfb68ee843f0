"""What the suites share in making a report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from benchmarks import report
from benchmarks.lazy import device_properties
from benchmarks.peers import Missing, Peer
from benchmarks.report import AnyRow, Report


def made(
    suite: str,
    rows: Sequence[AnyRow],
    limits: Mapping[str, float],
    peers: Sequence[Peer],
    missing: Sequence[Missing],
    arguments: Sequence[str],
) -> Report:
    """The report of these rows, with the circumstances of the run; ``arguments`` are the command line's."""
    return Report(
        suite=suite,
        rows=rows,
        limits=limits,
        missing={peer.name: peer.reason for peer in missing},
        machine=report.machine(),
        versions=report.versions() | {peer.name: peer.version for peer in peers},
        device=device_properties(),
        command=report.command_line(arguments),
    )
