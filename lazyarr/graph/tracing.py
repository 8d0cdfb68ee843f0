"""Tracing: values that stand for the elements and arguments of a function while it is recorded."""

from __future__ import annotations

import linecache
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn
from weakref import ref

from ir.locks import make_lock
from lazyarr.config import eagerness
from lazyarr.errors import TracingError

__all__ = ["Trace", "current", "recording", "recordings", "refuse", "user_location"]

_PACKAGE = str(Path(__file__).parent.parent) + "/"

# What to write in place of the Python construct that asked for a value.
_INSTEAD = {
    "bool": (
        "`if`, `while`, `and`, `or`, `not`, `min` and `max` cannot follow a value that is not computed yet: choose "
        "between values with la.where(condition, a, b), combine conditions with `&`, `|`, `~` or la.logical_and, ..., "
        "and use la.minimum, la.maximum"
    ),
    "iteration": (
        "loop over the elements with lift.map(f, x) or lift.reduce(f, init, x), or use the array functions on all of it"
    ),
    "host": "call it outside of jitted functions, which take its result as any other array",
    "mask": (
        "how many elements a mask chooses is not known while a function is recorded: choose with "
        "la.where(mask, x, other), which keeps the shape, or leave the mask out of the jitted function; "
        "x[mask] = number may be assigned"
    ),
    "distinct": (
        "how many distinct elements there are is not known while a function is recorded: la.sort keeps the shape and "
        "brings equal elements together, la.isin and la.searchsorted look elements up; or leave it out of the jitted "
        "function"
    ),
    "value": "keep working with la.* functions on the lazy value, and convert it where the traced function returned it",
}


class Trace:
    """One recording of a user's function: owns the placeholders of its arguments.

    Arrays computed from a placeholder carry its trace, which is how asking one for its value is noticed.

    Attributes:
        changed: arrays that came to depend on a placeholder by an assignment, what they stood for before, and in which
            recording
        read: the arrays that were looked at meanwhile, weakly; by their identity.
        made: those that were made meanwhile
        valued: the identities of those of which it was asked what they stand for
        placed: the device that one of the arguments was put on, or None
        evaluates: are arrays from outside computed when it is asked what they stand for?
    """

    __slots__ = ("changed", "evaluates", "made", "name", "placed", "read", "valued")

    def __init__(self, name: str, placed: Any = None) -> None:
        self.name = name
        self.placed = placed
        self.evaluates = True
        self.changed: list[tuple[ref[Any], Any, Trace | None]] = []
        self.read: dict[int, ref[Any]] = {}
        self.made: dict[int, ref[Any]] = {}
        self.valued: set[int] = set()

    def has_made(self, x: Any) -> bool:
        """Was an array made meanwhile?"""
        reference = self.made.get(id(x))
        return reference is not None and reference() is x

    def __repr__(self) -> str:
        return f"Trace({self.name!r})"


class _State(threading.local):
    trace: Trace | None = None
    depth = 0


_state = _State()


class _Recordings:
    """How many recordings go on in this thread: while there are none, nothing is noted.

    While some go on in any thread the object is of a class that looks the number up (see `eagerness`).
    """

    __slots__ = ("_lock", "_total", "count")

    def __init__(self) -> None:
        self._lock = make_lock()
        self._total = 0  # in all threads
        self.count = 0

    def begin(self) -> None:
        """A recording begins in this thread."""
        _state.depth += 1
        with self._lock:
            self._total += 1
            self.__class__ = _SomeRecordings  # it has the same attributes

    def end(self) -> None:
        """It has ended."""
        _state.depth -= 1
        with self._lock:
            self._total -= 1
            if not self._total:
                self.__class__ = _Recordings

    def forked(self) -> None:
        """Of all threads this one alone goes on in a child process."""
        self._total = _state.depth
        self.__class__ = _SomeRecordings if self._total else _Recordings

    def note(self, x: Any) -> None:
        """An array was looked at."""
        trace = _state.trace
        if trace is not None:
            known = trace.read.get(id(x))
            if known is None or known() is not x:
                trace.read[id(x)] = ref(x)

    def note_made(self, x: Any) -> None:
        """An array was made."""
        trace = _state.trace
        if trace is not None:
            trace.made[id(x)] = ref(x)
            trace.valued.discard(id(x))  # another one's, which is gone

    def note_value(self, x: Any) -> bool:
        """It is asked what an array stands for. Is it to be computed first? What comes from outside is: a recording
        that knew what such an array is made of could take an element of that, or a constant, in its value's place.
        """
        trace = _state.trace
        if trace is None or id(x) in trace.valued:
            return False
        trace.valued.add(id(x))
        self.note(x)
        made = trace.made.get(id(x))
        return trace.evaluates and x.traced_in is None and (made is None or made() is not x)

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Meanwhile this thread records nothing."""
        trace = _state.trace
        _state.trace = None
        try:
            yield
        finally:
            _state.trace = trace


class _SomeRecordings(_Recordings):
    __slots__ = ()

    @property
    def count(self) -> int:  # type: ignore[override]  # nobody assigns to it
        return _state.depth


recordings = _Recordings()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=recordings.forked)


def current() -> Trace | None:
    """The recording that goes on in this thread, the innermost one; None outside of recordings."""
    return _state.trace


@contextmanager
def recording(trace: Trace) -> Iterator[None]:
    """While a user's function is run to be recorded."""
    outer = current()
    _state.trace = trace
    recordings.begin()
    eagerness.hold()
    try:
        yield
    finally:
        _state.trace = outer
        recordings.end()
        eagerness.release()


def user_location() -> tuple[str, int, str]:
    """File, line number and text of the line of the nearest caller outside lazyarr."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back
    file, line = frame.f_code.co_filename, frame.f_lineno
    return file, line, linecache.getline(file, line).strip()


def refuse(what: str, conversion: str, value: Any) -> NoReturn:
    """Raise the `TracingError` for a value that was asked of a traced array or scalar.

    Args:
        what: "bool", "distinct", "host", "iteration", "mask" or "value", which decides the advice
        conversion: what was attempted, in words
    """
    file, line, text = user_location()
    trace = value.traced_in
    where = f"the function {trace.name} is being recorded" if trace else "a function of lift is being recorded"
    kind = f"{value.dtype.name}{list(value.shape)}" if value.shape else f"{value.dtype.name} scalar"
    message = f"{file}:{line}: {conversion} needs the value of a lazy {kind}, but {where} and there is no value yet"
    raise TracingError(f"{message}\n    {text}\nInstead: {_INSTEAD[what]}.")
