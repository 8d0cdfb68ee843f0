"""Kernels that do the same to other buffers are written once: each digit of a sort adds up its counts, for one.

Compilers for CPUs take a tenth of a second for a kernel, whether they have just compiled its like or not.
"""

from __future__ import annotations

import re

from ir.opencl.tree import Function, render

__all__ = ["but_for_names"]

_WORD = re.compile(r"(?<!\.)\b[A-Za-z_]\w*")  # no component of a vector: `v.s0`


def but_for_names(function: Function) -> str:
    """The text of a kernel in which its own name and those of its arguments are numbers: equal texts, equal kernels."""
    names = [function.name, *(argument.split()[-1].lstrip("*") for argument in function.arguments)]
    numbers = {name: f"#{number}" for number, name in enumerate(names)}
    return _WORD.sub(lambda word: numbers.get(word[0], word[0]), render(function))
