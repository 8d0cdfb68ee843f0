"""`lift.jit`: a Python function over arrays, recorded once per signature and then dispatched.

A signature is the structure of the arguments (tuples, lists, dicts), the shape and dtype of each array, whether one
without dimensions is a number, and the value of everything else: Python numbers, strings and other hashable objects are
constants of the recording. Pass a number as `la.asarray(number)` to make it an input.
"""

from __future__ import annotations

import functools
import sys
import warnings
from collections.abc import Callable, Sequence
from copy import deepcopy
from itertools import count
from operator import attrgetter
from types import MethodType
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar
from weakref import ref

import numpy as np

from lazyarr.aliasing.views import related
from lazyarr.array import Array
from lazyarr.config import settings
from lazyarr.errors import RecordingWarning
from lazyarr.graph.attributes import PLAIN
from lazyarr.graph.bounded_table import BoundedTable
from lazyarr.graph.pytree import constant_key, flatten
from lazyarr.graph.results import refused_argument
from lazyarr.graph.tracing import current, recordings
from lazyarr.recording.creation import asarray

if TYPE_CHECKING:
    from lazyarr.lift.next_call import NextCall
    from lazyarr.lift.recording import Recording

__all__ = ["Jitted", "jit"]

P = ParamSpec("P")
R = TypeVar("R")

SIGNATURES = 1024
"""Signatures of a function that are remembered at most: those it was called with last."""

VARIANTS = 8
"""Recordings of a signature that are remembered at most, which differ by what the function read from outside."""

MANY = 32
"""Recordings after which there is a warning: because of changes outside, or of other numbers among the arguments."""


class Jitted(Generic[P, R]):
    """A function compiled by `jit`. Calling it runs its kernels; results are arrays, ready when they are asked for."""

    def __init__(self, function: Callable[P, R]) -> None:
        functools.update_wrapper(self, function)
        self.function = function
        self._roots: tuple[Any, ...] = (function,)
        self._recordings: BoundedTable[Any, tuple[Recording, ...]] = BoundedTable(SIGNATURES)
        self._anew = 0
        self._of_numbers: BoundedTable[Any, count[int]] = BoundedTable(SIGNATURES)  # their recordings
        self._next: NextCall | None = None
        self._owners: tuple[type, ...] = ()
        self._methods: dict[int, _Method[Any, Any]] = {}  # by the identity of the instance, while it lives

    def __set_name__(self, owner: type, name: str) -> None:
        self._owners += (owner,)

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        """A method, as of any function in a class: one of its own for each instance.

        Raises:
            TypeError: the instance cannot be referenced weakly.
        """
        return self if instance is None else MethodType(self._of(instance), instance)

    def _of(self, instance: Any) -> Jitted[Any, Any]:
        """The method of an instance; the function itself where that is among its arrays, or made of them."""
        found = self._methods.get(id(instance))
        if found is not None and found.instance() is instance:
            return found
        leaves, _ = flatten(instance)
        if isinstance(instance, (Array, np.ndarray)) or len(leaves) != 1 or leaves[0] is not instance:
            return self
        methods, key = self._methods, id(instance)

        def forget(gone: ref[Any]) -> None:
            known = methods.get(key)
            if known is not None and known.instance is gone:
                methods.pop(key, None)

        try:
            made: _Method[Any, Any] = _Method(self, ref(instance, forget))
        except TypeError:
            kind = type(instance).__name__
            raise TypeError(
                f"jit: methods know their instances weakly, and a {kind} cannot be referenced weakly: give the class "
                "a slot __weakref__ (dataclasses: weakref_slot=True), or make a function of it"
            ) from None
        methods[key] = made
        return made

    def __call__(self, /, *args: P.args, **kwargs: P.kwargs) -> R:
        """Run for these arguments, recording the function first where the signature is new."""
        if recordings.count and current() is not None:
            return self.function(*args, **kwargs)  # a part of what is being recorded
        if self._owners and args and isinstance(args[0], self._owners):  # Class.method(instance, ...)
            method = self._of(args[0])
            if method is not self:
                return method(*args, **kwargs)  # type: ignore[no-any-return]  # of the same function
        known = self._next
        if known is not None and not kwargs:
            inputs = known.inputs(args)
            guards = known.recording.guards
            if inputs is not None and (guards is None or guards.hold(self._roots_of())):
                return known.recording.run_on(inputs, args)  # type: ignore[no-any-return]  # as below
        wanted = settings()  # before anything follows from them
        key, arguments = _signature(self.function, args, kwargs)
        for x in arguments:
            if type(x) is Array and (x.traced_in is not None or x.node.loose):
                return self.function(*args, **kwargs)
        while True:
            recording = self._current(key, args, kwargs, arguments)
            if recording.updates and self._changes_twice(recording, args, kwargs, arguments):
                return self.function(*args, **kwargs)
            try:
                result: R = recording.run(arguments)  # of the structure of the function's own result
                break
            except ReferenceError:  # another thread has changed what was captured: it is recorded anew
                if recording.holds(self._roots_of(arguments)):
                    raise
        self._next = recording.next_call(args, kwargs, wanted)
        return result

    def _changes_twice(self, recording: Recording, args: Any, kwargs: Any, arguments: Sequence[Any]) -> bool:
        """Is an array that the function assigns to, or a view of it, given to it twice?

        Raises:
            TypeError: it is a NumPy array.
        """
        given, _ = flatten((args, kwargs))
        for number, _ in recording.updates:
            if isinstance(given[number], np.ndarray):
                name = getattr(self.function, "__qualname__", repr(self.function))
                raise TypeError(
                    f"jit: {name} assigns to an argument that is a NumPy array, which it cannot change: pass "
                    "lazyarr.asarray(x), which changes, or let the function assign to lazyarr.asarray(x).copy()"
                )
            if sum(x is arguments[number] or related(x, arguments[number]) for x in arguments) > 1:
                return True
        return False

    def recording(self, /, *args: P.args, **kwargs: P.kwargs) -> tuple[Recording, Sequence[Any]]:
        """The recording for these arguments, and the leaves of the arguments, on which it would run."""
        if self._owners and args and isinstance(args[0], self._owners):
            method = self._of(args[0])
            if method is not self:
                return method.recording(*args[1:], **kwargs)
        key, arguments = _signature(self.function, args, kwargs)
        return self._current(key, args, kwargs, arguments), arguments

    def _current(self, key: Any, args: Any, kwargs: Any, arguments: Sequence[Any]) -> Recording:
        """The recording of a signature that saw outside what is there now, made anew where there is none."""
        known = self._recordings.get(key) or ()
        roots = self._roots_of(arguments)
        for each in known:
            if each.holds(roots):
                return each
        from lazyarr.lift.recording import record  # needs the compiler, which importing lazyarr must not pay for

        if known:
            self._warn_of_many(known[0], roots)
        else:
            self._warn_of_numbers(key)
        made = record(self.function, args, kwargs, arguments, roots)
        kept = [each for each in known if all(captured.array() is not None for captured in each.captured)]
        self._recordings.drop(key, known)
        self._recordings.put(key, (made, *kept[: VARIANTS - 1]))
        return made

    def _roots_of(self, arguments: Sequence[Any] = ()) -> tuple[Any, ...]:
        """Where the function starts to read what is no array among its arguments."""
        return (*self._roots, *[x for x in arguments if type(x) is not Array and type(x) not in PLAIN])

    def _warn_of_many(self, last: Recording, roots: Sequence[Any]) -> None:
        self._anew += 1
        if self._anew != MANY:
            return
        name = getattr(self.function, "__qualname__", repr(self.function))
        changed = (last.guards and last.guards.changed(roots)) or "an array"
        warnings.warn(
            f"jit: {name} was recorded {MANY} times because what it reads from outside changes, now {changed}: pass it "
            "as an argument, a number as lazyarr.asarray(number)",
            RecordingWarning,
            stacklevel=4,
        )

    def _warn_of_numbers(self, key: Sequence[Any]) -> None:
        """Warn once where one number after the other is made a constant of a recording."""
        alike = tuple([part[0] if _is_number(part) else part for part in key])
        if alike == tuple(key):
            return
        if next(self._of_numbers.get(alike) or self._of_numbers.put(alike, count(1))) != MANY:
            return
        name = getattr(self.function, "__qualname__", repr(self.function))
        warnings.warn(
            f"jit: {name} was recorded {MANY} times, as numbers among its arguments differ, which are constants of a "
            "recording: pass one that changes as lazyarr.asarray(number)",
            RecordingWarning,
            stacklevel=4,
        )

    def __copy__(self) -> Jitted[P, R]:
        return self  # as functions are

    def __deepcopy__(self, memo: dict[int, Any]) -> Jitted[P, R]:
        """Itself, or of the copy of a function that holds something: of a method, or of an object that is called."""
        function = deepcopy(self.function, memo)
        return self if function is self.function else jit(function)

    def __reduce__(self) -> str | tuple[Any, ...]:
        """By its name, as functions are, where that gives it; else by the function's."""
        module, name = getattr(self, "__module__", ""), getattr(self, "__qualname__", None)
        if name is not None:
            try:
                if attrgetter(name)(sys.modules[module]) is self:
                    return str(name)
            except (AttributeError, KeyError):
                pass  # a local one
        return jit, (self.function,)

    def clear(self) -> None:
        """Forget all recordings."""
        self._next = None
        self._recordings.clear()
        self._of_numbers.clear()
        self._methods.clear()


class _Method(Jitted[P, R]):
    """A jitted function in a class, for one instance, which it knows weakly: a function of the other arguments.

    Attributes:
        whole: the function of all instances
        instance: gives the instance, None once that is gone
    """

    def __init__(self, whole: Jitted[Any, R], instance: ref[Any]) -> None:
        function = whole.function
        super().__init__(functools.wraps(function)(lambda *args, **kwargs: function(instance(), *args, **kwargs)))
        self.whole, self.instance = whole, instance
        self._roots = (function,)

    def __call__(self, instance: Any, /, *args: Any, **kwargs: Any) -> R:  # type: ignore[override]  # as bound to it
        if instance is not self.instance():  # a bound method was copied, with its instance
            return self.whole(instance, *args, **kwargs)
        return super().__call__(*args, **kwargs)

    def _roots_of(self, arguments: Sequence[Any] = ()) -> tuple[Any, ...]:
        first, *others = super()._roots_of(arguments)
        return (first, self.instance(), *others)


def jit(function: Callable[P, R]) -> Jitted[P, R]:
    """Compile a function over arrays: recorded once per signature, then dispatched without running its Python code.

    An argument that the function assigns to (`x[key] = value`, `x += y`) changes for the caller, as it does without
    `jit`; that must be an `Array`. Results are arrays of their own, no views of arguments.

    Arguments and results may be arrays (NumPy's too), `lift.Zipped`, and nested tuples, lists, dicts and slices of
    them. Anything else among the arguments is a constant that belongs to the signature. Results may be dataclass
    instances, too, of which each call gives another; what else holds arrays that were recorded is refused.

    What the function reads from outside counts as it is at the call: global names and closures, defaults, attributes
    and items of objects, functions that it calls and what these read. Where something of it has changed (numbers, texts
    and containers of them by value, arrays and other objects by identity) the function is recorded anew; the last eight
    recordings of a signature are kept, for what comes back. A function that is recorded again and again is warned of.
    An array that is assigned to in place is read as it is now, without another recording.

    Read once, when the function is recorded: the values of NumPy arrays from outside; numbers and texts that the
    function changes itself (it runs only then), and how many items are in a container that it changes; what the
    standard library and other installed packages know (the time, the environment, attributes of threads, parsers of
    settings), and which of their modules a global name stands for; global names that are defined later; what is read by
    `globals()` or by the text of a format; whether two containers of numbers are the same one; what lies beyond the
    first 4096 places.

    A function in a class makes methods, with recordings of its own for each instance, told by identity and forgotten
    with it.

    Raises:
        TypeError: an argument that is neither an array nor hashable; names it.
        TracingError: a recorded array is asked for its value, for instance by branching on it; says in which line, and
            what to use instead. Or the function assigns an array to an attribute of an instance or an object that it
            is given, which would happen once: what was assigned is undone. Or it returns an iterator, a function or
            an object that holds recorded arrays; says what to return instead.

    Warns:
        RecordingWarning: the function was recorded 32 times because of what changes outside; says what. Or it was for
            arguments that differ in numbers alone.
    """
    if not callable(function):
        raise TypeError(f"jit: expected a function, got {type(function).__name__}")
    return Jitted(function)


def _signature(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, Sequence[Any]]:
    """What tells recordings apart, the default device and the precision among it, and the leaves of the arguments."""
    wanted = settings()
    if not kwargs and args:
        key = []
        for x in args:
            if type(x) is not Array:
                break
            key.append(_like(x))
        else:
            return (wanted.device, wanted.matmul_precision, *key), args
    leaves, structure = flatten((args, kwargs))
    arguments = [asarray(x) if isinstance(x, (np.ndarray, np.generic)) else x for x in leaves]
    try:
        return (wanted.device, wanted.matmul_precision, structure, *map(_kind, arguments)), arguments
    except _UnhashableError as error:
        raise refused_argument(function, args, kwargs, error.leaf) from None


def _like(x: Array) -> tuple[Any, ...]:
    """What a recording knows of an argument: its shape, with a None for a number's, its dtype and its device."""
    return (x.extents or ((None,) if x.is_number else ())), x.dtype, x.placed


def _kind(leaf: Any) -> Any:
    if isinstance(leaf, Array):
        return _like(leaf)
    try:
        hash(leaf)
    except TypeError:
        raise _UnhashableError(leaf) from None
    return constant_key(leaf)


def _is_number(part: Any) -> bool:
    """Is a part of a signature the key of a Python number (`constant_key`)? Truths are none: there are two."""
    return isinstance(part, tuple) and len(part) == 2 and part[0] in (int, float, complex)


class _UnhashableError(TypeError):
    """A leaf of the arguments cannot be a part of a signature."""

    def __init__(self, leaf: Any) -> None:
        super().__init__()
        self.leaf = leaf
