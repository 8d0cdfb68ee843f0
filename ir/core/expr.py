"""Expressions: one family of frozen, hash-consed, typed nodes, and the plain functions that walk them.

Binders are locally nameless. A `Lambda` stores its body closed: its variables are `Bound(level, position)`, where the
level is one more than the highest level of any lambda inside the body (Axelsson and Claessen, "Using circular programs
for higher-order syntax", ICFP 2013). Functions that differ in the names of variables alone are therefore the same
object, and nothing can be captured.
Whoever looks under a binder calls `Lambda.open()`, which gives the body over fresh `Param`s, and `close` puts it back.

All walks are iterative: a chain of 100,000 nodes must not overflow a stack.
"""

from __future__ import annotations

import builtins
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, TypeVar

from ir.core.interning import Table
from ir.core.making import Fields, maker
from ir.core.traits import Traits
from ir.core.types import FunctionType, Type
from ir.errors import TypeMismatch
from ir.locks import make_lock

__all__ = [
    "Bound", "Expr", "Lambda", "Param", "apply", "close", "closed", "free_inputs", "fresh", "fun", "identity",
    "pattern_name", "postorder", "rebuild", "substitute", "substitute_each", "transform",
]  # fmt: skip

E = TypeVar("E", bound="Expr")

_nodes: Table[Any] = Table()
_fresh = itertools.count()
_lock = make_lock()

_FUNCTIONS, _NODES = 32, 4_096
"""Of so many functions it is remembered what their parameters were replaced by, and of no more nodes of each."""

_closings: dict[tuple[tuple[Any, ...], int], dict[Any, Any]] = {}
"""By parameters and level: for nodes over the parameters those over the variables of that level. What is in one of the
dictionaries stays there, as another thread may have seen it.
"""


class Expr(metaclass=Fields):
    """A node: a pattern or primitive applied to its operands.

    Attributes:
        operands: the sub-expressions, functions included
        parameters: everything else that identifies the node (sizes, names, kinds)
        type: the node's type, computed when it is built
        level: the highest level of any lambda inside
        loose: whether a `Bound` or fresh `Param` occurs free inside (the node belongs under some binder)
        placed: whether it holds what may not stand everywhere, once `ir.core.verify.is_placed` was asked
    """

    __slots__ = ("__weakref__", "level", "loose", "operands", "parameters", "patterned", "placed", "type")
    operands: tuple[Expr, ...]
    parameters: tuple[Any, ...]
    type: Type
    level: int
    loose: bool
    patterned: bool
    placed: bool
    is_pattern: ClassVar[bool] = False
    traits: ClassVar[Traits]
    operand_names: ClassVar[tuple[str, ...]] = ()
    parameter_names: ClassVar[tuple[str, ...]] = ()
    types_decide: ClassVar[bool] = False
    """Does the type of a node follow from the types of its operands, the classes of those that are functions, and its
    parameters alone?"""

    function_operands: ClassVar[tuple[int, ...]] = ()
    """Which operands are functions."""

    def __init_subclass__(cls, twin: bool = False, **_: Any) -> None:
        if not twin:
            if "traits" not in cls.__dict__:
                raise TypeError(f"{cls.__name__} does not declare its traits (ir.core.traits)")
            cls._make = Expr.__dict__["_make"]  # type: ignore[method-assign]  # not what its base has got meanwhile

    @classmethod
    def _make(cls: builtins.type[E], operands: tuple[Expr, ...], parameters: tuple[Any, ...] = ()) -> E:
        """The node of this class with these operands and parameters; its first one has the class get its own function
        (`ir.core.making`), since importing need not make those of all classes.
        """
        finish = None if cls._finish is Expr._finish else cls._finish
        own = maker(cls, _nodes, finish)
        cls._make = staticmethod(own)  # type: ignore[method-assign]  # each has its own
        made: E = own(operands, parameters)
        return made

    def _infer(self) -> Type:
        """The node's type.

        Raises:
            TypeMismatch: it is ill-typed.
        """
        raise AssertionError(f"{type(self).__name__} has no typing rule")

    def _finish(self) -> None:
        """Adjust the derived attributes once the type is known."""

    def _rebuilt(self, operands: tuple[Expr, ...]) -> Expr:
        """The same pattern over other operands."""
        return self._make(operands, self.parameters)

    @property
    def name(self) -> str:
        """The pattern's name in the papers' notation."""
        return pattern_name(type(self))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("expressions are immutable; build a new one")

    def __repr__(self) -> str:
        from ir.core.notation.printer import brief  # the printer imports every pattern

        return brief(self)

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("expressions are stored as text (ir.core.notation.printer), never pickled")


def pattern_name(cls: type[Expr]) -> str:
    """How a pattern is written: `ReorderStride` is `reorderStride`."""
    return cls.__name__[0].lower() + cls.__name__[1:]


class Param(Expr):
    """A free variable: an input of the program, or a lambda's variable while the lambda is open."""

    traits = Traits()
    identifier: str
    declared: Type
    binder: bool

    def __new__(cls, identifier: str, declared: Type, binder: bool = False) -> Param:
        return cls._make((), (identifier, declared, binder))

    def _infer(self) -> Type:
        return self.declared

    def _finish(self) -> None:
        _put_loose(self, self.binder)


class Bound(Expr):
    """A variable of the closed lambda with that level; never met by code that opens its lambdas."""

    traits = Traits()
    binder_level: int
    position: int
    declared: Type

    def __new__(cls, binder_level: int, position: int, declared: Type) -> Bound:
        return cls._make((), (binder_level, position, declared))

    def _infer(self) -> Type:
        return self.declared

    def _finish(self) -> None:
        _put_loose(self, True)


class Lambda(Expr):
    """A function: `λ(x, y). body`. Build it with `fun` or `close`."""

    __slots__ = ("_entered", "_opened", "body", "outline", "own_level", "types")
    traits = Traits(passes_destination=True)
    types_decide = True
    operand_names = ("body",)
    parameter_names = ("types", "own_level")
    body: Expr
    types: tuple[Type, ...]
    own_level: int
    outline: tuple[Any, ...] | None  # what `ir.fusion.symbols.structure_key` found out about it
    _opened: tuple[tuple[Param, ...], Expr] | None
    _entered: tuple[tuple[Param, ...], Expr] | None

    def _infer(self) -> Type:
        return FunctionType(self.types, self.body.type)

    def _finish(self) -> None:
        _put_level(self, self.own_level)
        _put_loose(self, _has_outer(self.body, self.own_level))
        for slot in (_opened_slot, _entered_slot):
            slot.__set__(self, None)
        _put_outline(self, None)

    @property
    def variables(self) -> tuple[Bound, ...]:
        """The bound variables as they stand in `body`."""
        return tuple(Bound(self.own_level, i, t) for i, t in enumerate(self.types))

    @property
    def result(self) -> Type:
        """The type of the function's value."""
        return self.body.type

    def open(self) -> tuple[tuple[Param, ...], Expr]:
        """Fresh parameters and the body over them; the same ones at every call, and in every thread."""
        if self._opened is None:
            params = tuple([fresh(t) for t in self.types])
            body = substitute(self.body, dict(zip(self.variables, params, strict=True)))
            _settle(_opened_slot, self, (params, body))
        return self._opened  # type: ignore[return-value]  # settled

    def enter(self) -> tuple[tuple[Param, ...], Expr]:
        """The same for who rewrites the body, or looks at parts that were rewritten: what `with_body` made has the
        parameters that it was made with, unless it has other levels: functions of one level only have the same, and
        none of them stands in another.
        """
        if self._entered is None:
            _settle(_entered_slot, self, self.open())
        return self._entered  # type: ignore[return-value]  # settled

    def with_body(self, body: Expr) -> Lambda:
        """The function with another body over the parameters of `enter`: what was found out about parts of the body
        that stay as they are holds on.
        """
        params, _ = self.enter()
        made = _closed_again(params, body)
        if made.own_level == self.own_level:  # what opens by these parameters is then no part of the body
            _settle(_entered_slot, made, (params, body))
        return made

    def __call__(self, *arguments: Expr) -> Expr:
        return apply(self, *arguments)


# Nodes are immutable; their descriptors fill what is known only later.
_put_level = Expr.__dict__["level"].__set__
_put_loose = Expr.__dict__["loose"].__set__
_opened_slot, _entered_slot = Lambda.__dict__["_opened"], Lambda.__dict__["_entered"]
_put_outline = Lambda.__dict__["outline"].__set__


def _settle(slot: Any, node: Lambda, value: tuple[tuple[Param, ...], Expr]) -> None:
    """Fill a slot that is still empty: what is there first stays, whoever has seen it."""
    with _lock:
        if slot.__get__(node) is None:
            slot.__set__(node, value)


def _has_outer(body: Expr, level: int) -> bool:
    """Does a variable of another binder occur in the body of the lambda of that level?"""
    if not body.loose:
        return False
    seen: set[Expr] = {body}
    stack = [body]
    while stack:
        node = stack.pop()
        kind = type(node)
        if kind is Bound:
            if node.binder_level > level:  # type: ignore[attr-defined]  # a variable
                return True
        elif kind is Param:
            return True  # a loose one is a lambda's
        for operand in node.operands:
            if operand.loose and operand not in seen:
                seen.add(operand)
                stack.append(operand)
    return False


def fresh(t: Type) -> Param:
    """A parameter that occurs nowhere else."""
    return Param(f"_{next(_fresh)}", t, True)


def close(params: Sequence[Param], body: Expr) -> Lambda:
    """The function of those parameters with that body."""
    level = body.level + 1
    variables = {p: Bound(level, i, p.type) for i, p in enumerate(params)}
    return Lambda._make((substitute(body, variables),), (tuple(p.type for p in params), level))


def _closed_again(params: tuple[Param, ...], body: Expr) -> Lambda:
    """`close` for a body of which most was closed over the same parameters before: a step of rewriting changes little,
    so what was put in place of the rest is remembered.
    """
    level = body.level + 1
    known = _closings.get((params, level))
    if known is None:
        if len(_closings) >= _FUNCTIONS:
            _closings.clear()
        known = _closings[params, level] = {p: Bound(level, i, p.type) for i, p in enumerate(params)}
    (made,) = _replaced((body,), known, only_binders=True)
    if len(known) > _NODES:
        _closings.pop((params, level), None)
    return Lambda._make((made,), (tuple(p.type for p in params), level))


def closed(types: tuple[Type, ...], body: Expr) -> Lambda:
    """The function of a body that has the variables of its level in it: `Bound(body.level + 1, i, types[i])`.

    `fun` without the body over parameters, for who knows the level of the body before making it.
    """
    return Lambda._make((body,), (types, body.level + 1))


def fun(types: Sequence[Type] | Type, build: Callable[..., Expr]) -> Lambda:
    """The function whose body `build` makes of fresh parameters of those types."""
    if isinstance(types, Type):
        types = (types,)
    params = tuple([fresh(t) for t in types])
    body = build(*params)
    made = close(params, body)
    _settle(_opened_slot, made, (params, body))  # nobody else has these parameters
    return made


def identity(t: Type) -> Lambda:
    """`λx. x` at that type."""
    return fun(t, lambda x: x)


def apply(f: Lambda, *arguments: Expr) -> Expr:
    """The body of `f` with the arguments in place of its variables (beta reduction)."""
    if not isinstance(f, Lambda):
        raise TypeMismatch("application", "a function", f.type)
    actual = tuple(a.type for a in arguments)
    if actual != f.types:
        raise TypeMismatch("application", FunctionType(f.types, f.result), actual)
    params, body = f.open()
    return substitute(body, dict(zip(params, arguments, strict=True)))


def postorder(root: Expr, prune: Callable[[Expr], bool] | None = None) -> Iterator[Expr]:
    """Every distinct node below `root` once, operands before users; sub-graphs for which `prune` holds are left out."""
    seen: set[Expr] = set()
    stack: list[Expr | None] = [root]  # below each None lies a node whose operands have all been given
    while stack:
        node = stack.pop()
        if node is None:
            node = stack.pop()
            assert node is not None
            yield node
        elif node not in seen and not (prune is not None and prune(node)):
            seen.add(node)
            operands = node.operands
            if operands:
                stack += (node, None)
                stack += [operand for operand in reversed(operands) if operand not in seen]
            else:
                yield node


def free_inputs(root: Expr) -> list[Param]:
    """The free variables below `root` that no lambda binds, those inside functions included, in order of appearance."""
    return [node for node in postorder(root) if isinstance(node, Param) and not node.binder]


def rebuild(node: Expr, operands: tuple[Expr, ...]) -> Expr:
    """The same pattern over other operands; the node itself where nothing changed."""
    if operands == node.operands:
        return node
    return node._rebuilt(operands)


def transform(root: Expr, visit: Callable[[Expr, tuple[Expr, ...]], Expr], prune: Callable[[Expr], bool]) -> Expr:
    """Rebuild a graph bottom-up, each distinct node once: `visit(node, new operands)` gives its replacement."""
    if prune(root):
        return root
    done: dict[Expr, Expr] = {}
    for node in postorder(root, prune):
        done[node] = visit(node, tuple([done.get(operand, operand) for operand in node.operands]))
    return done[root]


def substitute(root: Expr, replacements: Mapping[Any, Expr]) -> Expr:
    """Replace free variables (`Param` or `Bound`) everywhere; shared nodes stay shared."""
    if root in replacements:
        return replacements[root]
    return substitute_each((root,), replacements)[0]


def substitute_each(roots: Sequence[Expr], replacements: Mapping[Any, Expr]) -> list[Expr]:
    """`substitute` in several expressions; linear in their distinct nodes, also where they share many."""
    only_binders = all(isinstance(v, Bound) or (isinstance(v, Param) and v.binder) for v in replacements)
    if any(made.level for x, made in replacements.items() if made is not x):
        prune = (lambda e: not e.loose) if only_binders else (lambda e: False)
        return [
            replacements[root] if root in replacements else _substitute_opened(root, replacements, prune)
            for root in roots
        ]
    return _replaced(roots, dict(replacements), only_binders)


def _replaced(roots: Sequence[Expr], done: dict[Expr, Expr], only_binders: bool) -> list[Expr]:
    """What stands for the roots, of what stands for nodes below them; `done` gets all that was found out. None of it
    has functions in it that what it replaces has not.
    """
    # As `transform` does it, but with no call for each node: derivations spend most of their time here.
    stack: list[Expr | None] = [root for root in reversed(roots) if root.loose or not only_binders]
    get, pop = done.get, stack.pop
    while stack:
        node = pop()
        if node is None:  # all operands of the node below it are done
            node = pop()
            assert node is not None
            operands = node.operands
        elif node in done:
            continue
        else:
            operands = node.operands
            if only_binders:
                missing = [x for x in operands if x.loose and x not in done]
            else:
                missing = [x for x in operands if x not in done]
            if missing:
                missing.reverse()
                stack += (node, None)
                stack += missing
                continue
        new = tuple([get(x, x) for x in operands])
        if new == operands:
            done[node] = node
        elif isinstance(node, Lambda):
            done[node] = _reclose(node, new[0])
        else:
            done[node] = node._rebuilt(new)
    return [get(root, root) for root in roots]


def _substitute_opened(root: Expr, replacements: Mapping[Any, Expr], prune: Callable[[Expr], bool]) -> Expr:
    """`substitute` where functions come in with the replacements: the functions around them get higher levels.

    Levels that rise while bodies are closed could meet the variable of a function further out, so every function that
    changes is opened (from the outside in) before anything is put inside, and closed again (from the inside out).
    Nothing below what is replaced is looked at: that may be a whole program.
    """

    def stop(e: Expr) -> bool:
        return e in replacements or prune(e)

    def changes(x: Expr) -> bool:
        return replacements.get(x, x) is not x

    opened: dict[Lambda, tuple[list[Param], Expr]] = {}
    done: dict[Expr, Expr] = {}
    seen: set[Expr] = set()
    stack: list[tuple[Expr, bool]] = [(root, False)]
    while stack:
        node, expanded = stack.pop()
        if not expanded:
            if node in seen or prune(node):
                continue
            seen.add(node)
            if node in replacements:
                done[node] = replacements[node]
            elif isinstance(node, Lambda):
                if not any(changes(x) for inner in postorder(node, stop) for x in inner.operands):
                    continue
                # Not `node.open()`: its parameters are known elsewhere, and a replacement may mention them.
                params = [fresh(t) for t in node.types]
                body = substitute(node.body, dict(zip(node.variables, params, strict=True)))
                opened[node] = params, body
                stack += ((node, True), (body, False))
            else:
                stack.append((node, True))
                stack.extend((operand, False) for operand in node.operands)
        elif isinstance(node, Lambda):
            params, body = opened[node]
            done[node] = close(params, done.get(body, body))
        else:
            done[node] = rebuild(node, tuple([done.get(operand, operand) for operand in node.operands]))
    return done.get(root, root)


def _reclose(node: Lambda, body: Expr) -> Lambda:
    """A lambda whose closed body was rebuilt: renumber its variables if the level or a type changed."""
    level = body.level + 1
    if level == node.own_level:
        return Lambda._make((body,), node.parameters)
    params = [fresh(t) for t in node.types]
    return close(params, substitute(body, dict(zip(node.variables, params, strict=True))))
