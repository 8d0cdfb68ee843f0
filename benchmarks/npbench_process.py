"""The process of the suite "npbench": one program, called twice with NumPy and twice with lazyarr.

The programs are npbench's own files. lazyarr gets the same source with its import of NumPy changed, as a user would
change it, and arrays made of copies of the inputs.
"""

from __future__ import annotations

import importlib
import json
import re
import signal
import sys
import time
import types
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks import verdicts
from benchmarks.processes import Said, Say, serve

NUMPYS_IMPORT = re.compile(r"^(\s*)import numpy as np\b", re.MULTILINE)
CALLS = ("first", "second")
REST = 0.3
"""Seconds of quiet before lazyarr's turns: so long, and longer, do the threads of NumPy's BLAS spin after their work,
and after that of the checks between the calls.
"""


class ProgramError(Exception):
    """A program is not as npbench writes them; the message says what is different."""


class TooLongError(Exception):
    """NumPy takes longer than it may."""


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Within it, `TooLongError` is raised after so many seconds, or once a call that is longer has ended; 0: never."""

    def over(*_: object) -> None:
        raise TooLongError(f"NumPy takes more than {seconds:g} s")

    before = signal.signal(signal.SIGALRM, over)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


@dataclass(frozen=True)
class Program:
    """One program: its description (``bench_info``), its folder, and what it is called with."""

    info: Mapping[str, Any]
    folder: Path
    data: dict[str, Any] = field(default_factory=dict)

    @staticmethod
    def of(checkout: Path, name: str, preset: str) -> Program:
        """The program of that name, its inputs made by its own function and NumPy.

        Raises:
            ProgramError: the program has no such preset.
        """
        text = (checkout / "bench_info" / f"{name}.json").read_text(encoding="utf-8")
        info = json.loads(text)["benchmark"]
        if preset not in info["parameters"]:
            raise ProgramError(f"there is no preset {preset}")
        program = Program(info, checkout / "npbench" / "benchmarks" / info["relative_path"])
        program.data.update(info["parameters"][preset])
        if initialise := info.get("init"):
            make = getattr(program.module(""), initialise["func_name"])
            made = make(*(program.data[key] for key in initialise["input_args"]))
            keys = initialise["output_args"]
            program.data.update(zip(keys, made if len(keys) > 1 else (made,), strict=True))
        return program

    def module(self, ending: str, library: str = "numpy") -> types.ModuleType:
        """Its file of that ending, the import of NumPy replaced by ``library``'s.

        Raises:
            ProgramError: the file does not import NumPy as all others do.
        """
        path = self.folder / f"{self.info['module_name']}{ending}.py"
        text = path.read_text(encoding="utf-8")
        if library != "numpy":
            text, replaced = NUMPYS_IMPORT.subn(rf"\1import {library} as np", text)
            if not replaced:
                raise ProgramError(f"{path.name} has no line `import numpy as np` to change")
        module = types.ModuleType(f"{path.stem}_with_{library}")
        sys.modules[module.__name__] = module  # decorators and dataclasses look their module up
        exec(compile(text, str(path), "exec"), module.__dict__)  # the file that the user points at
        return module

    def function(self, library: str = "numpy") -> Callable[..., Any]:
        """NumPy's implementation, or the same text with another library."""
        found: Callable[..., Any] = getattr(self.module("_numpy", library), self.info["func_name"])
        return found

    def moved(self) -> Program:
        """The same program, each float of its arrays one unit in the last place away."""
        arrays = {key: verdicts.moved_apart(self.data[key]) for key in self.info["array_args"] if key in self.data}
        return Program(self.info, self.folder, {**self.data, **arrays})

    def arguments(self, convert: Callable[[NDArray[Any]], Any]) -> dict[str, Any]:
        """Fresh arguments in the function's order: copies of the arrays, converted, and everything else as it is."""
        arrays = self.info["array_args"]
        return {
            key: convert(self.data[key].copy(order="K")) if key in arrays else self.data[key]
            for key in self.info["input_args"]
        }

    @property
    def stated(self) -> float:
        """The error in the norm that npbench allows this program; 0 where it says nothing."""
        return float(max(self.info.get("norm_error", 0.0), self.info.get("rtol", 0.0)))


@dataclass(frozen=True)
class Expected:
    """What NumPy gave: the results, and the arrays that it wrote to, by their name."""

    results: list[Any]
    written: dict[str, NDArray[Any]]
    count: int
    """Numbers in the inputs or in the largest result."""
    stated: float

    @staticmethod
    def of(program: Program, result: object, arguments: Mapping[str, Any]) -> Expected:
        """From a call with NumPy."""
        results = [np.asarray(leaf) for leaf in verdicts.leaves(result)]
        names = [name for name in program.info["array_args"] if name in arguments]
        written = {name: arguments[name] for name in names if not _same(arguments[name], program.data[name])}
        sizes = [leaf.size for leaf in results]
        count = max([sum(program.data[name].size for name in names), *sizes])
        return Expected(results, written, count, program.stated)

    def wrong(self, results: list[Any], arguments: Mapping[str, Any], program: Program) -> str:
        """What is wrong with another library's results and with what is in its arguments' arrays, or nothing."""
        said = verdicts.differences(self.results, results, self.count, self.stated)
        if said:
            return f"returned: {said}"
        for name in program.info["array_args"]:
            if name in arguments:
                before = self.written.get(name, program.data[name])
                said = verdicts.differences([before], [np.asarray(arguments[name])], self.count, self.stated)
                if said:
                    return f"in {name}: {said}"
        return ""

    def explains(self, results: list[Any], arguments: Mapping[str, Any], program: Program, moved: Expected) -> bool:
        """Is all that is wrong with another library's results no more than what differs between ours and those that
        NumPy gave for inputs one ulp apart?
        """
        pairs = list(zip(self.results, moved.results, results, strict=True))
        for name in program.info["array_args"]:
            if name in arguments:
                if name not in self.written or name not in moved.written:  # exact, as nobody wrote to it
                    pairs.append((self.written.get(name, program.data[name]),) * 2 + (arguments[name],))
                else:
                    pairs.append((self.written[name], moved.written[name], arguments[name]))
        for wanted, other, got in pairs:
            relative = verdicts.tolerance(wanted.dtype, self.count)
            if verdicts.differences([wanted], [np.asarray(got)], self.count, self.stated) and not verdicts.is_lost_in(
                wanted, other, np.asarray(got), relative
            ):
                return False
        return True


def _same(a: NDArray[Any], b: NDArray[Any]) -> bool:
    return bool(np.array_equal(a, b, equal_nan=a.dtype.kind in "fc"))


def timed(
    function: Callable[..., Any], arguments: Mapping[str, Any], read: tuple[str, ...]
) -> tuple[float, object, list[Any]]:
    """Seconds of a call until its results, and the arrays named in ``read``, are NumPy's; the result; its leaves."""
    begin = time.perf_counter()
    result = function(*arguments.values())
    leaves = [np.asarray(leaf) for leaf in verdicts.leaves(result)]
    for name in read:
        np.asarray(arguments[name])
    return time.perf_counter() - begin, result, leaves


def work(request: Said, say: Say) -> None:
    """Call the program with NumPy, then with lazyarr, and say what is known as soon as it is."""
    say(began="initialise")
    try:
        program = Program.of(Path(request["checkout"]), request["program"], request["preset"])
        function = program.function()
        expected: Expected | None = None
        for call in CALLS:
            say(began=f"numpy, {call} call")
            arguments = program.arguments(lambda array: array)
            with at_most(request.get("within", 0.0)):
                seconds, result, _ = timed(function, arguments, ())
            say(library="numpy", call=call, seconds=seconds)
            expected = expected or Expected.of(program, result, arguments)
            del arguments, result
    except TooLongError as error:
        say(long=str(error))
        return
    except Exception as error:  # whatever it is, it is not lazyarr's
        say(unmeasured=f"{type(error).__name__}: {error}"[:300])
        return
    assert expected is not None
    say(began="import")
    try:
        library = importlib.import_module("lazyarr")
        ours = program.function("lazyarr")
        for call in CALLS:
            arguments = program.arguments(library.asarray)
            time.sleep(REST)
            say(began=f"lazyarr, {call} call")
            seconds, result, results = timed(ours, arguments, tuple(expected.written))
            say(library="lazyarr", call=call, seconds=seconds)
            say(began=f"check of the {call} call")
            wrong = expected.wrong(results, arguments, program)
            say(call=call, wrong=wrong)
            if wrong and len(results) == len(expected.results):
                say(began="NumPy with inputs one ulp apart")
                moved = program.moved()
                given = moved.arguments(lambda array: array)
                other = Expected.of(moved, timed(function, given, ())[1], given)
                say(call=call, lost=expected.explains(results, arguments, program, other))
                del moved, given, other
            del arguments, result, results  # before the next call's are made
    except ProgramError as error:
        say(unmeasured=str(error))
        return
    except Exception as error:  # unsupported functions, mostly; the parent records it
        text = next(iter(str(error).strip().splitlines()), "")
        say(raised=f"{type(error).__name__}: {text}"[:300])
        return
    say(began="")


if __name__ == "__main__":
    serve(work)
