"""Many processes of programs at once, until a time; every failure is made short and told with all to repeat it."""

from __future__ import annotations

import itertools
import os
import queue
import re
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from tests.programs.generator import programs
from tests.programs.program import Program
from tests.programs.shrinking import shortest
from tests.programs.source import standalone
from tests.programs.worker import SWITCHING, lines_of, replayed

SHRINKING = 60.0
"""Seconds that making one failure short may take."""
GRACE = 25.0
"""Seconds after the end in which a failure that was found before it is still made short."""
SHOWN = 3
"""How often failures that need an earlier program are made short, of each kind."""


@dataclass(frozen=True)
class Options:
    """seconds : None for no end. seeds : of the processes, from the first on. count : programs of one process.
    processes : how many at a time. rounds : processes in all, None for as many as there is time for. device : lazyarr's
    name of one. tier : the setting, or `switching`; empty for that of the environment
    """

    seconds: float | None = 60.0
    seed: int = 0
    count: int = 500
    processes: int = os.cpu_count() or 1
    rounds: int | None = None
    device: str = ""
    tier: str = ""


class Met(NamedTuple):
    """A failure of program `at` of the process with a seed. words : its kind, and what the statement does."""

    seed: int
    at: int
    kind: str
    detail: str
    words: str


class Fuzzing:
    """One run.

    ran : programs so far. failures : how often each kind was met. shown : the kinds told so far, with how often.
    examples : a command for each kind
    """

    def __init__(self, options: Options, say: Callable[[str], None] = print) -> None:
        self.options, self._say = options, say
        self.ran = 0
        self.failures: Counter[str] = Counter()
        self.shown: Counter[str] = Counter()
        self.examples: dict[str, str] = {}
        self._lock = threading.Lock()
        self._met: queue.SimpleQueue[Met | None] = queue.SimpleQueue()
        rounds = options.rounds
        self._seeds = (
            itertools.count(options.seed) if rounds is None else iter(range(options.seed, options.seed + rounds))
        )
        self.until = float("inf") if options.seconds is None else time.time() + options.seconds
        self.environment = {"LAZYARR_TUNE": "off", "LAZYARR_CACHE_DIR": _cache(), "PYTHONHASHSEED": "0"}
        if options.device:
            self.environment["LAZYARR_DEVICE"] = options.device
        if options.tier:
            self.environment |= SWITCHING if options.tier == "switching" else {"LAZYARR_TIER": options.tier}

    def say(self, text: str) -> None:
        """Tell, one thread at a time."""
        with self._lock:
            self._say(text)

    def run(self) -> int:
        """All of it; the number of failures."""
        started = time.time()
        slots = [threading.Thread(target=self._slot, daemon=True) for _ in range(self.options.processes)]
        shrinker = threading.Thread(target=self._shrink, daemon=True)
        for thread in (*slots, shrinker):
            thread.start()
        for thread in slots:
            thread.join()
        took = time.time() - started
        self._met.put(None)
        shrinker.join()
        self.say(
            f"in all: {self.ran} programs in {took:.0f} s ({self.ran / took:.1f}/s), {self.failures.total()} failures"
        )
        for kind, count in self.failures.most_common():
            self.say(f"  {count} x {kind}; first: {self.examples[kind]}")
        return self.failures.total()

    def _slot(self) -> None:
        """One process after another."""
        while time.time() < self.until:
            with self._lock:
                seed = next(self._seeds, None)
            if seed is None:
                return
            self._process(seed)

    def _process(self, seed: int) -> None:
        ran = failed = 0
        drawn, made = programs(seed), list[Program]()
        started = time.time()
        arguments = [str(seed), str(self.options.count), repr(self.until)]
        for line in lines_of(arguments, self.until + 10, self.environment):
            if "failure" in line:
                failed += 1
                while len(made) <= line["failure"]:
                    made.append(next(drawn))
                words = f"{line['kind']}: {words_of_failure(made[line['failure']], line['detail'])}"
                self._met.put(Met(seed, line["failure"], line["kind"], line["detail"], words))
            ran = line.get("done", line.get("start", ran))
        with self._lock:
            self.ran += ran
        rate = ran / max(time.time() - started, 0.1)
        self.say(f"seed {seed}: {ran} programs, {rate:.1f}/s, {failed} failures; {self.command(seed, ran)}")

    # --- failures -----------------------------------------------------------------------------------------------------

    def _shrink(self) -> None:
        """Make failures short, of the kind that was told least first, until there will be no more."""
        waiting: list[Met] = []
        more = True
        while more or waiting:
            while more and (not waiting or not self._met.empty()):
                met = self._met.get()
                more = met is not None
                if met is not None:
                    self.failures[met.kind] += 1
                    self.examples.setdefault(met.kind, self.command(met.seed, met.at + 1))
                    waiting.append(met)
            if waiting and time.time() < self.until + GRACE:
                waiting.sort(key=lambda met: (self.shown[met.kind], self.shown[met.words], met.at))
                self._tell(waiting.pop(0))
            else:
                waiting.clear()

    def _tell(self, met: Met) -> None:
        made = list(itertools.islice(programs(met.seed), met.at + 1))
        end = self.until + GRACE

        def fails(found: Sequence[Program]) -> bool:
            return replayed(found, end, self.environment) == met.kind

        if self.shown[met.words]:
            return
        alone = fails(made[-1:])
        name = met.words if alone else f"{met.kind} after earlier programs"
        if self.shown[name] >= (1 if alone else SHOWN) or time.time() > end:
            return
        self.shown.update((met.kind, name))
        short = shortest(made[-1:] if alone else made, fails, min(time.time() + SHRINKING, end))
        rule = "=" * 100
        self.say(
            f"{rule}\nFAILURE, {name}: {len(short)} program(s) of {len(made)} show it\n"
            f"{self.command(met.seed, met.at + 1)}\n{met.detail}\n{'-' * 100}\n{standalone(short)}{rule}"
        )

    def command(self, seed: int, count: int) -> str:
        """What runs the first programs of a process again."""
        device = f" --device {self.options.device!r}" if self.options.device else ""
        tier = f" --tier {self.options.tier}" if self.options.tier else ""
        return f"python -m tests.programs --seed {seed} --rounds 1 --programs {count} --processes 1{device}{tier}"


def words_of_failure(program: Program, detail: str) -> str:
    """What failed, without names and numbers: the statement that raised, or that made the variable read."""
    found = re.search(r"`(.*?)`", detail, re.DOTALL)
    text = found.group(1) if found else ""
    if "read(" in text:
        names = re.findall(r"\bv\d+\b", text.split("read(")[-1])
        makers = [s.text for s in program.statements if set(names) & {*s.makes, *s.writes}]
        text = makers[-1] if makers else text
    return re.sub(r"-?\d+", "#", text.replace("\n", "; "))[:100]


def _cache() -> str:
    """The folder of compiled kernels, shared by all processes and runs."""
    given = os.environ.get("LAZYARR_CACHE_DIR")
    return given or str(Path(tempfile.gettempdir()) / f"lazyarr-fuzz-{os.getuid()}")
