"""How nodes are made: for each class of nodes a function written for its operands and parameters.

Recording an operation is making a few nodes, so this must cost little. As `collections.namedtuple` and `dataclasses`
do, the function is put together as text when the class is, so that it names each slot instead of going through lists.

A node is filled while it is of a twin of its class, with the same slots, that allows assignment; then it becomes
immutable by being given its class.
"""

from __future__ import annotations

from collections.abc import Callable
from types import new_class
from typing import Any

from ir.core.interning import Entry, Table

__all__ = ["maker"]

_INFERRED = 512
"""Types kept of nodes whose operands' types and parameters decide theirs; then all are forgotten."""

_HEAD = """
def make(operands, parameters=()):
    key = (cls, operands, parameters)
    entry = known.get(key)
    if entry is not None:
        found = entry()
        if found is not None:
            return found
    node = allocate(twin)
    node.operands = operands
    node.parameters = parameters
"""

_ANY_OPERANDS = """
    if len(operands) == 2:  # most zips
        x0, x1 = operands
        level = x0.level if x0.level > x1.level else x1.level
        loose = x0.loose or x1.loose
        patterned = is_pattern or x0.patterned or x1.patterned
    else:
        level, loose, patterned = 0, False, is_pattern
        for operand in operands:
            if operand.level > level:
                level = operand.level
            if operand.loose:
                loose = True
            if operand.patterned:
                patterned = True
    node.level = level
    node.loose = loose
    node.patterned = patterned
"""

_REMEMBERED = """
    by = {by}
    t = inferred.get(by)
    if t is None:
        node.__class__ = cls
        t = infer(node)
        if len(inferred) >= most:
            inferred.clear()
        inferred[by] = t
        put_type(node, t)
    else:
        node.type = t
        node.__class__ = cls
"""

_BY_ANY = (
    "(cls, parameters, x0.type, x1.type) if len(operands) == 2 else (cls, parameters, *[x.type for x in operands])"
)

_INFERRED_ANEW = """
    node.__class__ = cls
    put_type(node, infer(node))
"""

_TAIL = """
    made = Entry(node, forget)
    made.key = key
    return node if enter(key, made) is made else table.enter(key, node)
"""


def maker(cls: Any, table: Table[Any], finish: Callable[[Any], None] | None) -> Callable[..., Any]:
    """The function that gives the node of a class with these operands and parameters: the one that is known, or a new
    one.

    cls : its `operand_names` and `parameter_names` are slots; where it names no operands there may be any number
    table : of all nodes
    finish : what the class has to do once the type is known
    """
    lines = [_HEAD]
    names = cls.operand_names
    lines += [f"    node.{name} = x{i} = operands[{i}]" for i, name in enumerate(names)]
    lines += [f"    node.{name} = parameters[{i}]" for i, name in enumerate(cls.parameter_names)]
    if names:
        lines += _of_operands([f"x{i}" for i in range(len(names))], cls.is_pattern)
    else:
        lines.append(_ANY_OPERANDS)
    if cls.types_decide:
        # what has the type of a function need not be one
        functions = "".join(f", x{i}.__class__" for i, name in enumerate(names) if name in ("f", "key"))
        types = ", ".join(f"x{i}.type" for i in range(len(names)))
        by = f"(cls, parameters, {types}{functions})" if names else _BY_ANY
        lines.append(_REMEMBERED.format(by=by))
    else:
        lines.append(_INFERRED_ANEW)
    if finish is not None:
        lines.append("    finish(node)")
    lines.append(_TAIL)
    slots = {"__slots__": cls.__slots__, "__setattr__": object.__setattr__}
    twin = new_class(cls.__name__, cls.__bases__, {"twin": True}, lambda body: body.update(slots))
    scope: dict[str, Any] = {
        "Entry": Entry, "allocate": object.__new__, "cls": cls, "enter": table.entries.setdefault, "finish": finish,
        "forget": table.forget, "infer": cls._infer, "inferred": _inferred, "is_pattern": cls.is_pattern,
        "known": table.entries, "most": _INFERRED, "put_type": cls.type.__set__, "table": table, "twin": twin,
    }  # fmt: skip
    exec("\n".join(lines), scope)
    made: Callable[..., Any] = scope["make"]
    return made


_inferred: dict[Any, Any] = {}


def _of_operands(operands: list[str], is_pattern: bool) -> list[str]:
    """What follows from the operands alone, where the class names them."""
    first, *others = operands
    lines = [f"    level = {first}.level"]
    for x in others:
        lines += [f"    if {x}.level > level:", f"        level = {x}.level"]
    patterned = "True" if is_pattern else " or ".join(f"{x}.patterned" for x in operands)
    loose = " or ".join(f"{x}.loose" for x in operands)
    return [*lines, "    node.level = level", f"    node.loose = {loose}", f"    node.patterned = {patterned}"]
