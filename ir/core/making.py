"""How nodes are made: for each class of nodes a function that knows its slots.

Recording an operation is making a few nodes, so this must cost little: the function is put together once, what it needs
are variables of its own, and one and two operands, which most nodes have, are not gone through in a loop.

A node is filled while it is of a twin of its class, with the same slots, that allows assignment; then it becomes
immutable by being given its class.
"""

from __future__ import annotations

from collections.abc import Callable
from types import new_class
from typing import Any

from ir.core.interning import Entry, Table

__all__ = ["Fields", "maker"]

_INFERRED = 1024
"""Types kept of nodes whose operands' types and parameters decide theirs; then all are forgotten."""

_inferred: dict[Any, Any] = {}


class Fields(type):
    """The class of the classes of nodes: the fields that one annotates are its slots.

    Those that hold an `Expr` (as a `Table`, too) or a `Lambda` are operands, the others parameters, both in this order
    and behind those of its base. A class that has other slots says its `__slots__`, and the names of both.
    """

    def __new__(cls, name: str, bases: tuple[Any, ...], body: dict[str, Any], **options: Any) -> Any:
        """The class, with the names of its fields."""
        own = {x: str(t) for x, t in body.get("__annotations__", {}).items() if "ClassVar" not in str(t)}
        if "__slots__" not in body:
            operands = [x for x, t in own.items() if any(word in t for word in ("Expr", "Lambda", "Table"))]
            body["__slots__"] = tuple(own)
            body["operand_names"] = (*bases[0].operand_names, *operands)
            body["parameter_names"] = (*bases[0].parameter_names, *[x for x in own if x not in operands])
        if body.get("operand_names"):
            functions = [i for i, x in enumerate(body["operand_names"]) if "Lambda" in own.get(x, "")]
            body["function_operands"] = (*bases[0].function_operands, *functions)
        return super().__new__(cls, name, bases, body, **options)


def maker(cls: Any, table: Table[Any], finish: Callable[[Any], None] | None) -> Callable[..., Any]:
    """The function that gives the node of a class with these operands and parameters: the one that is known, or a new
    one.

    Args:
        cls: its `operand_names` and `parameter_names` are slots; where it names no operands there may be any number
        table: of all nodes
        finish: what the class has to do once the type is known
    """
    known, enter, forget, allocate = table.entries, table.entries.setdefault, table.forget, object.__new__
    slots = {"__slots__": cls.__slots__, "__setattr__": object.__setattr__, "twin": True}
    twin = new_class(cls.__name__, cls.__bases__, {"twin": True}, lambda body: body.update(slots))
    named = [getattr(twin, name).__set__ for name in cls.operand_names]
    put0, put1 = (*named, None, None)[:2]
    first, *others = ([(getattr(twin, name).__set__, i) for i, name in enumerate(cls.parameter_names)]) or [(None, 0)]
    put_first, count = first[0], len(named)
    # What has the type of a function need not be one: then the classes of these operands decide, too.
    functions = cls.function_operands
    assert count != 1 or not functions or not cls.types_decide
    is_pattern, types_decide, infer, inferred = cls.is_pattern, cls.types_decide, cls._infer, _inferred
    put_type = cls.type.__set__

    def make(operands: tuple[Any, ...], parameters: tuple[Any, ...] = ()) -> Any:
        key = (cls, operands, parameters)
        entry = known.get(key)
        if entry is not None:
            found = entry()
            if found is not None:
                return found
        node: Any = allocate(twin)
        node.operands = operands
        node.parameters = parameters
        by: Any
        if count == 1:
            (x0,) = operands
            put0(node, x0)
            node.level = x0.level
            node.loose = x0.loose
            node.patterned = is_pattern or x0.patterned
            by = (cls, parameters, x0.type)
        elif len(operands) == 2:
            x0, x1 = operands
            if count:  # else it is one of those of which there may be any number: most zips
                put0(node, x0)
                put1(node, x1)
            node.level = x0.level if x0.level > x1.level else x1.level
            node.loose = x0.loose or x1.loose
            node.patterned = is_pattern or x0.patterned or x1.patterned
            by = (cls, parameters, x0.type, x1.type, x0.__class__)  # a map's function is its first operand
        else:
            for put, x in zip(named, operands, strict=False):  # none, where there may be any number
                put(node, x)
            level, loose, patterned = 0, False, is_pattern
            for x in operands:
                if x.level > level:
                    level = x.level
                if x.loose:
                    loose = True
                if x.patterned:
                    patterned = True
            node.level = level
            node.loose = loose
            node.patterned = patterned
            if types_decide:
                by = (cls, parameters, *[x.type for x in operands], *[operands[i].__class__ for i in functions])
        if put_first is not None:
            put_first(node, parameters[0])
            if others:
                for put, i in others:
                    put(node, parameters[i])
        t = inferred.get(by) if types_decide else None
        if t is not None:
            node.type = t
            node.__class__ = cls
        else:
            node.__class__ = cls
            t = infer(node)
            put_type(node, t)
            if types_decide:
                if len(inferred) >= _INFERRED:
                    inferred.clear()
                inferred[by] = t
        if finish is not None:
            finish(node)
        made = Entry(node, forget)
        made.key = key
        return node if enter(key, made) is made else table.enter(key, node)

    return make
