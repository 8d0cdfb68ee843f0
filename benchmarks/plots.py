"""Reports of the suites as pictures: `python -m benchmarks.plots FILE.json ...` writes FILE.svg beside each.

Each row is a bar from 1.0, which is as fast as the fastest peer, to the peer's time over lazyarr's, on a logarithmic
axis. A row that was not measured, or not right, has its outcome in place of a bar.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import NamedTuple

from benchmarks.records import ColdRow, ProgramRow
from benchmarks.report import AnyRow, Comparison, Report

__all__ = ["main", "plot"]

_LINE, _NAMES, _AXIS, _VALUES, _TOP = 18, 260, 480, 200, 64
"""Pixels: height of a row, widths of the names, the axis and the values, what stands above the rows."""
_FASTER, _SLOWER, _GRID = "#15803d", "#b91c1c", "#cbd5e1"
_LONGEST = 36
"""Letters of a name."""


class _Bar(NamedTuple):
    """One row: the peer's time over ours (None: there is none), and what stands beside it."""

    name: str
    speedup: float | None
    said: str


def plot(report: Report) -> str:
    """The rows of a report as one self-contained SVG.

    Raises:
        ValueError: the report has no rows.
    """
    bars = [_bar(row) for row in report.rows]
    if not bars:
        raise ValueError("report: expected one row or more to draw, got none")
    measured = [bar.speedup for bar in bars if bar.speedup]
    lowest = math.floor(min([-1.0, *map(math.log2, measured)]))
    highest = math.ceil(max([1.0, *map(math.log2, measured)]))
    step = max(1, (highest - lowest) // 8)

    def across(power: float) -> float:
        return _NAMES + _AXIS * (power - lowest) / (highest - lowest)

    width, bottom = _NAMES + _AXIS + _VALUES, _TOP + _LINE * len(bars)
    device = report.device.get("name", "")
    peer = "NumPy" if isinstance(report.rows[0], ColdRow | ProgramRow) else "the fastest peer"
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{bottom + 12}" font-family="sans-serif"'
        ' font-size="12">',
        f'<rect width="{width}" height="{bottom + 12}" fill="white"/>',
        _text(12, 20, f"suite {report.suite} on {device}", size=14),
        _text(12, 36, f"time of {peer} over lazyarr's: to the right of 1, lazyarr is faster"),
    ]
    for power in range(lowest, highest + 1):
        if power % step == 0:
            x = across(power)
            lines.append(f'<path d="M{x:.1f} {_TOP - 6}V{bottom}" stroke="{"#334155" if power == 0 else _GRID}"/>')
            lines.append(_text(x, _TOP - 10, f"{2.0**power:g}", anchor="middle"))
    for number, bar in enumerate(bars):
        y = _TOP + _LINE * number
        lines.append(_text(_NAMES - 8, y + 13, bar.name, anchor="end"))
        end = _NAMES + _AXIS
        if bar.speedup:
            left, right = sorted((across(0), across(math.log2(bar.speedup))))
            colour = _FASTER if bar.speedup >= 1 else _SLOWER
            lines.append(
                f'<rect x="{left:.1f}" y="{y + 3}" width="{right - left:.1f}" height="{_LINE - 6}" fill="{colour}"/>'
            )
        lines.append(_text(end + 8, y + 13, bar.said))
    return "\n".join([*lines, "</svg>", ""])


def _bar(row: AnyRow) -> _Bar:
    if isinstance(row, ProgramRow):
        speedup, peer = _inverse(row.second_ratio), "second call"
    elif isinstance(row, ColdRow):
        speedup, peer = _inverse(row.against_numpy), ""
    elif isinstance(row, Comparison):
        speedup, peer = row.speedup, row.peer_name
    else:
        speedup, peer = _inverse(row.against_peer), row.peer_name
    name = row.name if len(row.name) <= _LONGEST else f"{row.name[: _LONGEST - 1]}…"
    if row.failed or not speedup:
        return _Bar(name, None, str(row.verdict))
    return _Bar(name, speedup, f"{speedup:.3g} {peer}".strip())


def _inverse(value: float | None) -> float | None:
    return 1 / value if value else None


def _text(x: float, y: float, said: str, *, anchor: str = "start", size: int = 12) -> str:
    return f'<text x="{x:.1f}" y="{y}" text-anchor="{anchor}" font-size="{size}">{escape(said)}</text>'


def main(arguments: Sequence[str] | None = None) -> int:
    """Draw each report that is named."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.plots", description=__doc__.partition("\n")[0])
    parser.add_argument("reports", nargs="+", type=Path, metavar="FILE.json", help="what --json of a suite wrote")
    for path in parser.parse_args(arguments).reports:
        path.with_suffix(".svg").write_text(plot(Report.from_json(path.read_text(encoding="utf-8"))), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
