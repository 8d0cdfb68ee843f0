"""The process of the suite "cold": one library's import, and the seconds of each line until its result is read.

Asked for ``small``, it measures small arrays in a hot process instead.
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.processes import Said, Say, serve

LIBRARIES = {"numpy": "numpy", "lazyarr": "lazyarr", "jax": "jax.numpy"}
"""The libraries by the name in the report, and what of each is imported as ``xp``."""
REPEATS = 20
"""Calls in a sample of a small line."""
WARM_UP = 200
"""Samples before the hot ones."""


def read(result: object) -> Any:
    """A result's arrays as NumPy's, computed."""
    import numpy as np  # the import of the library that is measured brings it

    return tuple(map(np.asarray, result)) if isinstance(result, (tuple, list)) else (np.asarray(result),)


def described(error: BaseException) -> str:
    """An error in a line."""
    return f"{type(error).__name__}: {next(iter(str(error).strip().splitlines()), '')}"[:300]


def lines(xp: Any, asarray: Callable[[Any], Any], rows: int, columns: int, say: Say) -> None:
    """Say how many seconds the inputs take and each line until it is read; then what is wrong with the results."""
    from benchmarks import cold_lines, verdicts  # they import NumPy, which is part of the import that was timed
    from benchmarks.cold_lines import LINES, ROUNDINGS

    given = cold_lines.inputs(rows, columns)
    begin = time.perf_counter()
    ours = given.converted(asarray)
    say(inputs=time.perf_counter() - begin)
    results: dict[str, Sequence[Any]] = {}
    for line in LINES:
        say(began=line.name)
        begin = time.perf_counter()
        try:
            results[line.name] = read(line.write(xp, ours))
        except Exception as error:  # a line that fails must not hide what the others take
            say(line=line.name, wrong=described(error))
            continue
        say(line=line.name, seconds=time.perf_counter() - begin)
    say(began="")
    numpy = importlib.import_module("numpy")
    for line in LINES:
        if line.name not in results:
            continue
        got = results[line.name]
        expected = read(line.write(numpy, given))
        wrong = "" if len(expected) == len(got) else f"expected {len(expected)} results, got {len(got)}"
        for reference, value in zip(expected, got, strict=False):
            relative = verdicts.tolerance(reference.dtype, line.terms(rows, columns), ROUNDINGS)
            wrong = wrong or verdicts.difference(reference, value, relative)
        say(line=line.name, wrong=wrong)


@dataclass(frozen=True)
class Hot:
    """How a small line is called in a hot process."""

    name: str
    call: Callable[[], object]
    numpy: Callable[[], object]


def hot_calls(library: str, xp: Any, asarray: Callable[[Any], Any]) -> list[Hot]:
    """The small lines, plain and jitted, each read; and the same with NumPy."""
    import numpy as np

    from benchmarks.cold_lines import SMALL, SMALL_LINES

    rng = np.random.default_rng(3)
    data = [rng.random(SMALL, dtype=np.float32) for _ in range(2)]
    x, y = map(asarray, data)
    jit: Callable[..., Any] | None = None
    if library == "lazyarr":
        jit = importlib.import_module("lazyarr.lift").jit
    elif library == "jax":
        jit = importlib.import_module("jax").jit
    found = []
    for name, write in SMALL_LINES.items():

        def plain(a: Any, b: Any, write: Callable[..., Any] = write) -> Any:
            return write(xp, a, b)

        def numpy(write: Callable[..., Any] = write) -> object:
            return np.asarray(write(np, *data))

        ways = {f"{name} plain": plain} | ({f"{name} jitted": jit(plain)} if jit else {})
        found += [Hot(way, lambda f=f: np.asarray(f(x, y)), numpy) for way, f in ways.items()]  # type: ignore[misc]  # its default
    return found


def small(library: str, xp: Any, asarray: Callable[[Any], Any], rounds: int, say: Say) -> None:
    """Say how many seconds a call of each small line takes, and one of NumPy's in turns with it."""
    import numpy as np

    from benchmarks.cold_lines import SMALL
    from benchmarks.harness import Reference, Tolerance, WrongResultError, interleave

    def repeated(call: Callable[[], object]) -> Callable[[], object]:
        def run() -> object:
            for _ in range(REPEATS - 1):
                call()
            return call()

        return run

    for hot in hot_calls(library, xp, asarray):
        say(began=hot.name)
        value = np.asarray(hot.numpy(), dtype=np.float64)
        reference = Reference(value, np.abs(value), Tolerance.reduction(np.dtype(np.float32), SMALL))
        contestants = {library: [repeated(hot.call)], "numpy": [repeated(hot.numpy)]}
        try:
            timings = interleave(contestants, {library: [reference]}, rounds=rounds, warm_up=WARM_UP)
        except WrongResultError as error:
            say(line=hot.name, wrong=str(error))
            continue
        except Exception as error:  # what cannot be jitted must not hide the others
            say(line=hot.name, wrong=described(error))
            continue
        samples = {name: [t / REPEATS for t in timing.samples] for name, timing in timings.items()}
        say(line=hot.name, samples=samples, wrong="")
    say(began="")


def work(request: Said, say: Say) -> None:
    """Import the library, and measure what is asked for."""
    library = request["library"]
    begin = time.perf_counter()
    try:
        xp = importlib.import_module(LIBRARIES[library])
    except ImportError as error:
        say(missing=str(error))
        return
    say(imported=time.perf_counter() - begin)
    asarray = xp.asarray
    if request["what"] == "small":
        small(library, xp, asarray, request["rounds"], say)
    else:
        lines(xp, asarray, request["rows"], request["columns"], say)


if __name__ == "__main__":
    serve(work)
