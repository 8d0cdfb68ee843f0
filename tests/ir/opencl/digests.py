"""Digests of the kernels' sources: what a change does to generated code, and what it leaves alone.

    python -m tests.ir.opencl.digests            # the cases whose sources are others than those written down
    python -m tests.ir.opencl.digests --write    # write them down

For each case of the zoo: the defaults for a CPU and for a GPU at two sizes, and a few configurations drawn at random.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

from ir.schedules.candidates import Candidates
from tests.ir.generation import generated
from tests.ir.schedules.zoo import CPU, GPU, ZOO, Case, configurations

FILE = Path(__file__).with_name("digests.json")
SIZES = ({"n": 1000, "m": 600, "k": 40}, {"n": 3_000_017, "m": 300, "k": 2})
DRAWN = 1


def chosen(candidates: Candidates) -> Iterator[dict[str, int | str]]:
    """The configurations that are looked at, each once."""
    found = [candidates.default(machine, sizes) for machine in (CPU, GPU) for sizes in SIZES]
    drawn = configurations(candidates, DRAWN)
    found += [each for each in drawn if _is_kernel(candidates, each)]
    yield from {json.dumps(each, sort_keys=True): each for each in found}.values()


def _is_kernel(candidates: Candidates, configuration: dict[str, int | str]) -> bool:
    """Is it no call of the host's library, and do the values of its parameters go together?"""
    schedule = candidates.schedule(str(configuration["schedule"]))
    values = {name: int(value) for name, value in configuration.items() if name != "schedule"}
    asked = [
        (constraint, {v.name for v in constraint.left.variables | constraint.right.variables})
        for constraint in schedule.constraints(candidates.normal)
    ]
    return not schedule.by_library and all(
        constraint.holds(values) for constraint, names in asked if names <= set(values)
    )


def digests(case: Case, which: slice = slice(None)) -> dict[str, str]:
    """A digest of the source for each configuration, or for some of them, by its text."""
    candidates = Candidates.of(case.expr)
    found = {}
    for configuration in list(chosen(candidates))[which]:
        source = generated(candidates.derive(configuration).result).source
        text = ", ".join(f"{name} = {value}" for name, value in configuration.items())
        found[text] = hashlib.sha256(source.encode()).hexdigest()[:16]
    return found


def written() -> dict[str, dict[str, str]]:
    """Those that were written down, by the names of the cases."""
    found: dict[str, dict[str, str]] = json.loads(FILE.read_text(encoding="utf-8"))
    return found


def main() -> None:
    """Compare, or write."""
    parser = argparse.ArgumentParser(prog="python -m tests.ir.opencl.digests", description=__doc__)
    parser.add_argument("--write", action="store_true", help="write down the digests of now")
    now = {case.name: digests(case) for case in ZOO}
    if parser.parse_args().write:
        FILE.write_text(json.dumps(now, indent=1, sort_keys=True) + "\n", encoding="utf-8")
        return
    before = written()
    changed = [name for name in sorted({*now, *before}) if now.get(name) != before.get(name)]
    print("\n".join(changed) or "all sources are those written down")


if __name__ == "__main__":
    main()
