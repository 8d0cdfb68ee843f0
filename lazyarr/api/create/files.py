"""Arrays from files, text and buffers, and into files: NumPy's functions, run at once on the values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from lazyarr.memory.masked import refuse_masked
from lazyarr.recording.creation import asarray
from lazyarr.recording.host import on_values

__all__ = [
    "frombuffer", "fromfile", "fromiter", "fromstring", "genfromtxt", "load", "loadtxt", "save", "savetxt", "savez",
    "savez_compressed",
]  # fmt: skip


def _reading(name: str, meaning: str) -> Callable[..., Any]:
    read = getattr(np, name)

    def function(*arguments: Any, **keywords: Any) -> Any:
        refuse_masked(arguments[:1], name)
        found = read(*arguments, **keywords)
        return asarray(found, function=name) if isinstance(found, np.ndarray) else found

    found: Callable[..., Any] = _described(
        function, name, f"{meaning}, as NumPy's function of that name reads it: a lazyarr array."
    )
    return found


def _writing(name: str, meaning: str) -> Callable[..., None]:
    write = getattr(np, name)

    def function(*arguments: Any, **keywords: Any) -> None:
        on_values(write, arguments, keywords)

    found: Callable[..., None] = _described(
        function, name, f"{meaning}, as NumPy's function of that name writes it; computes the arrays."
    )
    return found


def _described(function: Any, name: str, meaning: str) -> Any:
    function.__name__ = function.__qualname__ = name
    function.__doc__ = meaning
    return function


frombuffer = _reading("frombuffer", "The numbers that lie in a buffer now")
fromfile = _reading("fromfile", "Numbers in a file without a header")
fromiter = _reading("fromiter", "The numbers that an iterable gives")
fromstring = _reading("fromstring", "Numbers in a text")
genfromtxt = _reading("genfromtxt", "A table in a text file, of which numbers may be missing")
load = _reading("load", "What `save` wrote (an archive of several arrays as NumPy's, whose members are NumPy arrays)")
loadtxt = _reading("loadtxt", "A table in a text file")
save = _writing("save", "An array into a file")
savetxt = _writing("savetxt", "A table into a text file")
savez = _writing("savez", "Arrays into an archive")
savez_compressed = _writing("savez_compressed", "Arrays into a compressed archive")
