"""Contexts: what encloses a part of an expression, and what may therefore stand there.

These are the thesis chapter's [pre : post] conditions, for all rules at once: whatever a rule makes of a part of an
expression that `ir.core.verify` accepts, the whole is accepted, too.
"""

from __future__ import annotations

from ir.core.expr import Expr
from ir.core.nodes.maps import moved_by
from ir.core.patterns import Kind
from ir.core.verify import holds_at, is_placed, made_by_local

__all__ = [
    "KEPT", "KEPT_PRIVATE", "MOVED", "READ", "Context", "begins_kernel", "functions_of", "is_kept", "keeps_places",
]  # fmt: skip

Context = tuple[Kind, ...]
"""The maps, reductions, scans, iterations and generated arrays in whose function a place lies, outermost first; `READ`
where the value is read by another pattern instead of being the result (of the function, or before all functions of the
program) or a part of it that is only moved, and `KEPT` or `KEPT_PRIVATE` where a toLocal or a toPrivate says where it
is kept. `MOVED` stands in the function of a map that only moves what others write, some of it to where a toGlobal
says. A toGlobal outside all functions begins a kernel: what it stores is that kernel's result.
"""

READ = Kind("read")
KEPT = Kind("kept")
KEPT_PRIVATE = Kind("keptPrivate")
MOVED = Kind("moved")
_MARKS = (READ, KEPT, KEPT_PRIVATE, MOVED)


def functions_of(context: Context) -> Context:
    """The context from the outermost function on: whether what that computes is read does not matter there."""
    return context[1:] if context[:1] == (READ,) else context


def begins_kernel(context: Context) -> bool:
    """Is the value at a place read outside all functions, so that a toGlobal there begins a kernel?"""
    return context[-1:] == (READ,) and not _kinds(context)


def _use(context: Context) -> str:
    """Where the value at a place is written (`global`, `local`, `private`), or `read`."""
    use = "global"
    for kind in context:
        if kind == MOVED:
            continue
        if kind == KEPT or kind.name == "iterate":
            use = "local"
        elif kind == KEPT_PRIVATE:
            use = "private"
        elif not kind.name.startswith("map"):
            use = "read"
        elif use == "read":
            use = "private"
    return use


def is_kept(context: Context) -> bool:
    """Does a toLocal or toPrivate around a place say where the value there is written, through any number of maps?"""
    for kind in reversed(context):
        if kind in (KEPT, KEPT_PRIVATE):
            return True
        if not kind.name.startswith("map"):
            return False
    return False


def _is_shared_out(context: Context) -> bool:
    """Is the value at a place kept in local memory, and do the work-items of a group have to share what computes it?"""
    for kind in reversed(context):
        if kind == KEPT:
            return True
        if kind.name not in ("mapWarp", "mapSeq", "mapSeqHead", "mapSeqUnroll"):
            return False
    return False


def _kinds(context: Context) -> Context:
    return tuple(kind for kind in context if kind not in _MARKS)


def _outermost_kinds(context: Context) -> Context:
    """The functions around a place if what is kept there is computed outside of all those that it may be outside of."""
    marks = [i for i, kind in enumerate(context) if kind in (KEPT, KEPT_PRIVATE)]
    if not marks:
        return _kinds(context)
    groups = max((i + 1 for i, kind in enumerate(context) if kind.name == "mapWorkgroup"), default=0)
    return _kinds(context[: min(groups, marks[-1])] + context[marks[-1] :])


def keeps_places(e: Expr, result: Expr, context: Context) -> bool:
    """May `result` stand where `e` stands, and all that it holds where it then stands?

    Parallel maps nest as they must, what a toGlobal in a function keeps is not read there, and the work-items of a
    group share what a toLocal keeps.
    """
    if _is_shared_out(context) and made_by_local(e) and not made_by_local(result):
        return False
    if context[-1:] == (MOVED,) and moved_by(result) is not moved_by(e):
        return False
    if not is_placed(result):
        return True
    use = _use(context)
    if holds_at(result, _kinds(context), use, e):
        return True
    for kinds in (_kinds(context), _outermost_kinds(context)):
        if holds_at(e, kinds, use):
            return holds_at(result, kinds, use)
    return True  # it did not hold before
