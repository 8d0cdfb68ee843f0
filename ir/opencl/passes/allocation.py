"""Allocation: arrays of one kernel that are not in use at the same time share their memory.

Source: "Lift: a functional data-parallel IR for high-performance GPU code generation" (CGO 2017), section 5.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeAlias

from ir.opencl.passes.accesses import NAME, renamed
from ir.opencl.tree import Access, Barrier, Block, Declare, Function, If, Loop, Node, Statement, children, texts, walk

__all__ = ["local_bytes", "share_arrays"]

_Span: TypeAlias = tuple[int, int]


def share_arrays(function: Function) -> None:
    """Let arrays of the same address space and type share memory where their lifetimes do not overlap.

    Before: each array is filled before it is read, in every turn of the innermost loop that holds all its uses, and
        a barrier that names a local array stands before the first write to it.
    After: the same values are computed; an array lives in the memory of an earlier one whose last use comes before
        that barrier (before its declaration, if it is private), and no two arrays share that did overlap. The longest
        array of those that share gives the length. There are as many bytes as before, or fewer.
    """
    if len(function.arrays) < 2:
        return
    lifetimes = _lifetimes(function)
    parents = {id(node): block for block in walk(function.body) if isinstance(block, Block) for node in block.body}
    declared = {d.name: d for d in walk(function.body) if isinstance(d, Declare) and d.length is not None}
    shared: list[list[str]] = []  # the longest first: shorter ones fit what is taken for it
    for name in sorted(lifetimes, key=lambda n: (-(declared[n].length or 0), lifetimes[n])):
        fitting = (
            names
            for names in shared
            if _alike(declared[names[0]], declared[name])
            and all(_is_apart(lifetimes[other], lifetimes[name]) for other in names)
        )
        names = next(fitting, None)
        if names is None:
            shared.append([name])
        else:
            names.append(name)
    for names in shared:
        if len(names) > 1:
            _merge(function, [declared[name] for name in sorted(names, key=lambda n: lifetimes[n])], parents)


def _is_apart(a: _Span, b: _Span) -> bool:
    return a[1] < b[0] or b[1] < a[0]


def local_bytes(function: Function) -> int:
    """How much local memory a kernel declares."""
    arrays = [node for node in walk(function.body) if isinstance(node, Declare) and node.space == "__local"]
    return sum(array.element_bytes * (array.length or 0) for array in arrays)


def _alike(a: Declare, b: Declare) -> bool:
    return a.type == b.type and a.space == b.space


def _merge(function: Function, arrays: list[Declare], parents: dict[int, Block]) -> None:
    """One declaration for all: where the first stands, at the top if that is not around the others."""
    first, names = arrays[0], {array.name: arrays[0].name for array in arrays}
    first.length = max(array.length or 0 for array in arrays)
    first.aligned = max(array.aligned for array in arrays)
    blocks = [parents[id(array)] for array in arrays]
    is_around = all(block is blocks[0] for block in blocks)
    for array, block in zip(arrays, blocks, strict=True):
        if not (is_around and array is first):
            block.body[:] = [node for node in block.body if node is not array]
    if not is_around:
        function.body.body.insert(0, first)
    for node in walk(function.body):
        _rename(node, names)
    for name, meant in list(function.arrays.items()):
        function.arrays[name] = frozenset(names.get(array, array) for array in meant)
    for name, starts in list(function.parts.items()):
        function.parts[name] = {names.get(array, array): start for array, start in starts.items()}


def _rename(node: Node, names: dict[str, str]) -> None:
    def spelled(text: str) -> str:
        return renamed(text, names)

    def exchanged(accesses: tuple[Access, ...]) -> tuple[Access, ...]:
        return tuple(replace(a, name=names.get(a.name, a.name)) for a in accesses)

    match node:
        case Statement():
            node.text, node.reads, node.writes = spelled(node.text), exchanged(node.reads), exchanged(node.writes)
        case Declare():
            node.value = None if node.value is None else spelled(node.value)
            node.reads = exchanged(node.reads)
        case Loop():
            node.start, node.stop, node.step = spelled(node.start), spelled(node.stop), spelled(node.step)
        case If():
            node.condition, node.reads = spelled(node.condition), exchanged(node.reads)
        case Barrier():
            node.before = tuple(names.get(name, name) for name in node.before)


def _lifetimes(function: Function) -> dict[str, _Span]:
    """From where to where in the text each array must keep its values; the whole of a loop that uses it in part."""
    at, loops = _positions(function)
    found: dict[str, _Span] = {}
    for name, uses in at.items():
        first, last = min(uses), max(uses)
        for start, end in loops:
            if any(start <= use <= end for use in uses) and not (start <= first and last <= end):
                first, last = min(first, start), max(last, end)
        found[name] = first, last
    return found


def _positions(function: Function) -> tuple[dict[str, list[int]], list[_Span]]:
    """Where the text mentions each array, itself or through a pointer, and where its loops stand, outer ones first."""
    at: dict[str, list[int]] = {}
    loops: list[_Span] = []
    counter = 0

    def visit(node: Node) -> None:
        nonlocal counter
        start = counter = counter + 1
        slot = len(loops)
        if isinstance(node, Loop):
            loops.append((start, start))
        if not (isinstance(node, Declare) and node.space):  # local arrays are declared at the top
            for text in texts(node):
                for match in NAME.finditer(text):
                    for array in function.arrays.get(match.group(), ()):
                        at.setdefault(array, []).append(start)
        for part in children(node):
            visit(part)
        if isinstance(node, Loop):
            loops[slot] = start, counter

    visit(function.body)
    return at, loops
