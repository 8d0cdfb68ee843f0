"""The executable semantics: what every expression means, in NumPy and nothing else.

Written from ICFP 2015, figure 9 and section 5.2 (the equations themselves are in `ir.core.semantics.denotations`).
`map` evaluates its function once for all elements: under a map, every value carries one more batch axis in front, so a
lambda nested d deep works on arrays with d batch axes. A batch axis has length 1 where a value does not depend on that
map's variable, and NumPy's broadcasting does the rest.

`reorder` denotes the identity, one of the permutations it allows. Each node is evaluated once, in the outermost
scope that binds all its variables (sharing is kept), and dropped after its last use. What a function refers to in the
scope around it is evaluated before the function is applied, even where it is applied to no element at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ir.core.expr import Bound, Expr, Lambda, Param, postorder
from ir.core.patterns import FromSize, Iterate, Literal, Vect
from ir.core.semantics.batch import concatenate, lift, spread
from ir.core.semantics.denotations import DENOTATIONS, Denotation
from ir.core.semantics.values import Value
from ir.core.size_variables import substitute_sizes
from ir.core.sizes import Size, var
from ir.core.types import ArrayType
from ir.walks import walk

__all__ = ["interpret"]


def interpret(e: Expr, inputs: Mapping[Any, Any], sizes: Mapping[str, int] | None = None) -> Any:
    """The value of a closed expression.

    Args:
        inputs: a value for each free parameter, by the `Param` or by its name
        sizes: a number for each size variable, by its name

    Values are as `ir.core.semantics.values` says. The result has exactly the dtypes of the expression's type, may be a
    read-only view, and may share memory with the inputs. Integers wrap around, floating-point exceptions are silent.

    Raises:
        TypeMismatch: an input that does not fit.
        IRError: an index out of range.
    """
    return Interpreter(inputs, dict(sizes or {})).value(e)


def _scalars(value: Value) -> Any:
    """0-d arrays as NumPy scalars."""
    if isinstance(value, tuple):
        return tuple(_scalars(part) for part in value)
    return value[()]


@dataclass(frozen=True)
class _Plan:
    """How a function's body is evaluated: each step once, operands first."""

    params: tuple[Param, ...]
    result: Expr
    outer: tuple[Expr, ...]  # what the body takes from the scope around it
    steps: tuple[Expr, ...]
    last_uses: tuple[tuple[Expr, ...], ...]  # for each step: the nodes nobody needs after it


@dataclass
class Scope:
    """The values known inside one function, all with `depth` batch axes."""

    values: dict[Expr, Value]
    depth: int


class Interpreter:
    """One run: the inputs, the sizes, and what is remembered about each function.

    Attributes:
        denotations: what each pattern means
        plans: how functions and whole expressions are evaluated; without `iterate` the same at all sizes
    """

    denotations: ClassVar[Mapping[type[Expr], Denotation]] = DENOTATIONS

    def __init__(self, inputs: Mapping[Any, Any], sizes: dict[str, int]) -> None:
        self.inputs = inputs
        self.sizes = sizes
        self._extents: dict[Size, int] = {}
        self.plans: dict[Expr, _Plan] = {}
        self._outer: dict[Lambda, tuple[Expr, ...]] = {}
        self._steps: dict[Iterate, tuple[Lambda, ...]] = {}

    def extent(self, length: Size) -> int:
        """The number a size stands for."""
        found = self._extents.get(length)
        if found is None:
            found = self._extents[length] = length.evaluate(self.sizes)
        return found

    def value(self, e: Expr) -> Any:
        """The value of a closed expression, 0-d arrays as NumPy scalars."""
        with np.errstate(all="ignore"):
            return _scalars(self.program(e))

    def program(self, e: Expr) -> Value:
        """The value of a closed expression."""
        plan = self.plans.get(e)
        if plan is None:
            plan = self.plans[e] = self._schedule((), e, ())
        return self._run(plan, Scope({}, 0))

    def joined(self, values: Sequence[Value], axis: int) -> Value:
        """Values of one type one after the other along an axis."""
        return concatenate(values, axis)

    # --- scopes and sharing -----------------------------------------------------------------------------------------

    def call(self, f: Expr, arguments: Sequence[Value], scope: Scope, depth: int) -> Value:
        """f applied to arguments with `depth` batch axes, of which those beyond the scope's own were just added."""
        if isinstance(f, Vect):
            # The lanes are one more batch axis: a vectorised function is the function on each lane.
            return spread(self.call(f.f, arguments, scope, depth + 1), depth, f.width)
        assert isinstance(f, Lambda)
        plan = self._plan(f)
        values = {e: lift(scope.values[e], scope.depth, depth) for e in plan.outer}
        values.update(zip(plan.params, arguments, strict=True))
        return self._run(plan, Scope(values, depth))

    def _run(self, plan: _Plan, scope: Scope) -> Value:
        values = scope.values
        for step, last_uses in zip(plan.steps, plan.last_uses, strict=True):
            values[step] = self.denotations[type(step)](self, step, scope)
            for node in last_uses:
                del values[node]
        return values[plan.result]

    def _plan(self, f: Lambda) -> _Plan:
        plan = self.plans.get(f)
        if plan is None:
            params, body = f.open()
            plan = self.plans[f] = self._schedule(params, body, self._outer_parts(f))
        return plan

    def _schedule(self, params: tuple[Param, ...], body: Expr, outer: tuple[Expr, ...]) -> _Plan:
        given: set[Expr] = {*params, *outer}
        used: dict[Expr, set[Expr]] = {}

        def before(node: Expr) -> list[Expr]:
            found = list(self._dependencies(node))
            used[node] = set(found)
            return [x for x in found if x not in given]

        steps = walk(() if body in given else (body,), before)
        needed: set[Expr] = {body}
        last_uses: list[tuple[Expr, ...]] = []
        for node in reversed(steps):
            last_uses.append(tuple(used[node] - needed))
            needed |= used[node]
        return _Plan(params, body, outer, tuple(steps), tuple(reversed(last_uses)))

    def _dependencies(self, node: Expr) -> Iterator[Expr]:
        """The nodes of this scope that must be known before `node`: its operands, and what its functions refer to."""
        for operand in node.operands:
            if not isinstance(operand, Lambda | Vect):
                yield operand
        for f in self.functions(node):
            yield from self._outer_parts(f)

    def functions(self, node: Expr) -> Iterator[Lambda]:
        """The functions a node applies; for `iterate`, its function at each of the sizes."""
        if isinstance(node, Iterate):
            yield from self.instances(node)
        else:
            for operand in node.operands:
                if isinstance(operand, Lambda):
                    yield operand
                elif isinstance(operand, Vect):
                    yield operand.f

    def _outer_parts(self, f: Lambda) -> tuple[Expr, ...]:
        """The largest parts of the body in which no variable of f (or of a lambda around the part) occurs."""
        found = self._outer.get(f)
        if found is None:
            found = self._outer[f] = tuple(dict.fromkeys(self._find_outer_parts(f)))
        return found

    def _find_outer_parts(self, f: Lambda) -> Iterator[Expr]:
        # The highest level of a variable free in a node decides: variables of lambdas further in have lower levels.
        free: dict[Expr, int] = {}
        if f.body.loose:
            for node in postorder(f.body, prune=lambda e: not e.loose):
                level = max((free.get(operand, 0) for operand in node.operands), default=0)
                if isinstance(node, Bound):
                    level = node.binder_level
                elif isinstance(node, Lambda) and level <= node.own_level:
                    level = 0
                free[node] = level
        pending, seen = [f.body], {f.body}

        def visit(nodes: Iterable[Expr]) -> None:
            for node in nodes:
                if node not in seen:
                    seen.add(node)
                    pending.append(node)

        while pending:
            node = pending.pop()
            if free.get(node, 0) > 0 or isinstance(node, Vect):
                # The function of an `iterate` is used at several sizes, and each instance has its own outer parts.
                visit([node.xs] if isinstance(node, Iterate) else node.operands)
                if isinstance(node, Iterate):
                    for instance in self.instances(node):
                        yield from self._outer_parts(instance)
            elif isinstance(node, Lambda):
                yield from self._outer_parts(node)
            elif not isinstance(node, Literal | FromSize):
                yield node

    def instances(self, node: Iterate) -> tuple[Lambda, ...]:
        """`f i_1, ..., f i_k` with `i_j = I^(k-j) * J` (figure 9): the size variable is renamed apart for each step.

        Renamed, not replaced by the number, because types over symbols stay meaningful where a size is zero.
        """
        found = self._steps.get(node)
        if found is None:
            assert isinstance(node.type, ArrayType)
            count, factor, length = (self.extent(s) for s in (node.count, node.factor, node.type.length))
            made = []
            for j in range(1, count + 1):
                m, number = node.size_variable, factor ** (count - j) * length
                name = f"{m.name}_{number}"  # the same for the open and the closed form of the node
                while self.sizes.setdefault(name, number) != number:
                    name += "_"
                instance = substitute_sizes(node.f, {m: var(name, m.lo, m.hi)})
                assert isinstance(instance, Lambda)
                made.append(instance)
            found = self._steps[node] = tuple(made)
        return found
