"""Arguments and results that a recorded function cannot have, and what to write instead."""

from __future__ import annotations

import gc
import inspect
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from types import FrameType, FunctionType, MethodType, ModuleType
from typing import Any

from lazyarr.errors import TracingError
from lazyarr.graph.pytree import flatten

__all__ = ["holds", "refuse_holders", "refused_argument"]

_OBJECTS_AT_MOST = 4096
"""So many are looked at."""

_CLOSED = (type, ModuleType, FrameType, str, bytes, int, float, complex)


def holds(x: Any, wanted: Callable[[Any], bool]) -> bool:
    """Does an object refer to one that is wanted, itself or by what it refers to? No code of its class is run.

    Of functions, what they close over and their defaults are looked at; of classes, modules and running code nothing.
    """
    met, waiting = {id(x)}, [x]
    for each in waiting:  # more of them are found meanwhile
        if wanted(each):
            return True
        if isinstance(each, _CLOSED):
            continue
        if type(each) is FunctionType:
            found = [each.__closure__, each.__defaults__, each.__kwdefaults__, each.__dict__]
        else:
            found = gc.get_referents(each)
        for other in found:
            if id(other) not in met and len(met) < _OBJECTS_AT_MOST:
                met.add(id(other))
                waiting.append(other)
    return False


def refuse_holders(name: str, results: Sequence[Any], is_recorded: Callable[[Any], bool]) -> None:
    """`TracingError` where one of the results of a function of that name is no array, but holds what was recorded."""
    for x in results:
        if is_recorded(x) or not holds(x, is_recorded):
            continue
        raise TracingError(
            f"jit: {name} returned an object of type {type(x).__name__} that holds arrays of the recording, which have "
            f"no values: {_instead(x)}"
        )


def _instead(x: Any) -> str:
    if isinstance(x, Iterator):
        return "return list(...) of it"
    if isinstance(x, (FunctionType, MethodType, partial)):
        return "return the arrays that it uses, and make the function of them where the jitted one is called"
    if isinstance(x, dict):
        return "return dict(...) of it"
    if isinstance(x, (set, frozenset, deque, list, tuple)):
        return "return tuple(...) of it"
    return "return its arrays in a tuple, list, dict, named tuple or dataclass"


def refused_argument(
    function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], leaf: Any
) -> TypeError:
    """The error for a leaf of the arguments that is neither an array nor hashable: which it is, and what to pass."""
    name, kind = getattr(function, "__qualname__", repr(function)), type(leaf).__name__
    given = next((key for key, x in _named(function, args, kwargs) if any(y is leaf for y in flatten(x)[0])), "?")
    if isinstance(leaf, dict):
        instead = f"pass dict(...) of the {kind}"
    elif isinstance(leaf, (list, tuple, deque, set)):
        instead = f"pass tuple(...) of the {kind}"
    elif hasattr(type(leaf), "__dataclass_fields__"):
        instead = f"declare {kind} with @dataclass(frozen=True) if it holds constants, or pass its arrays"
    else:
        instead = "pass arrays, hashable constants, or tuples, lists and dicts of them"
    return TypeError(
        f"jit: {name} was given a {kind} as argument {given}, which is neither an array nor hashable: {instead}"
    )


def _named(function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """The arguments with the names of their parameters, as far as these can be known."""
    try:
        return list(inspect.signature(function).bind(*args, **kwargs).arguments.items())
    except (TypeError, ValueError):
        return [*[(str(i), x) for i, x in enumerate(args)], *kwargs.items()]
