"""Bytes and operations of one kernel, as expressions in its sizes.

A sweep from the result to the inputs says how much of each value is needed: views pass the question on, a map asks its
function for one element and multiplies. What several users need of one value is added up, but never more than there is:
an array counts once, and so does what is computed once. (Source of the model: paper 003, section 4; design, section 5.)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ir.core.expr import Expr, Lambda, Param, postorder
from ir.core.patterns import (
    Call,
    Cast,
    Concat,
    Gather,
    Generate,
    Get,
    Iterate,
    Map,
    Reduce,
    ReducePart,
    Splat,
    Tuple,
    Vect,
    Zip,
)
from ir.core.size_variables import substitute_sizes
from ir.core.sizes import Size, maximum, minimum, power, size
from ir.core.types import ArrayType, Type
from ir.cost.amounts import Amount, add, all_of, at_most, bytes_of, is_none, leaves, none_of, scalars_of, scale, turns
from ir.cost.operations import Work, lanes, work_of
from ir.walks import reached, walk

__all__ = ["Cost", "count", "least_read"]


@dataclass(frozen=True)
class Cost:
    """What one kernel reads, writes and computes.

    Attributes:
        read: bytes of the inputs that are read, each array counted once, and of a slice only the slice
        written: bytes of the result
        gathered: bytes fetched by index arrays or index functions, each time counted: the indices are not known, so how
            much of that comes from a cache is not known either. `read` has them at most once for each element of the
            array.
        operations: scalar operations by kind and dtype, each number that is gathered among them; nothing is counted for
            the indices of views
    """

    read: Size
    written: Size
    gathered: Size
    operations: Mapping[Work, Size]


def count(e: Expr) -> Cost:
    """The cost of an expression over free variables, high- or low-level."""
    counter = _Counter()
    counter.scope(e, all_of(e.type), None, size(1))
    read = sum((bytes_of(p.type, amount) for p, amount in counter.inputs.items()), start=size(0))
    return Cost(read, bytes_of(e.type, all_of(e.type)), counter.gathered, counter.operations)


def least_read(results: Sequence[Expr]) -> int:
    """The bytes of inputs that any kernels for these results read at least; all lengths are numbers."""
    found: dict[Param, Amount] = {}
    for result in results:
        counter = _Counter()
        counter.scope(result, all_of(result.type), None, size(1))
        for p, amount in counter.inputs.items():
            found[p] = at_most(add(found[p], amount), all_of(p.type)) if p in found else amount
    return sum(bytes_of(p.type, amount).evaluate({}) for p, amount in found.items())


Ask = Callable[[Expr, Amount, bool], None]
"""Ask for so much of a value; true where each turn of the loops around asks for other elements of it."""


class _Counter:
    def __init__(self) -> None:
        self.inputs: dict[Param, Amount] = {}
        self.gathered = size(0)
        self.operations: dict[Work, Size] = {}
        self._captured: dict[Lambda, tuple[Expr, ...]] = {}
        self._dependents: dict[Lambda, set[Expr]] = {}

    # --- scopes: the whole expression, and each function's body -------------------------------------------------------

    def scope(
        self, root: Expr, wanted: Amount, f: Lambda | None, times: Size
    ) -> tuple[dict[Expr, Amount], list[tuple[Expr, Amount, bool]]]:
        """Sweep over what depends on the variables of `f`, the whole expression for None, `times` times.

        Returns how much of each variable of `f` one turn needs, and what it needs of values outside.
        """
        inside = None if f is None else self.dependents(f)
        pending: dict[Expr, Amount] = {}
        outside: list[tuple[Expr, Amount, bool]] = []

        def ask(node: Expr, amount: Amount, varying: bool = False) -> None:
            if inside is not None and node not in inside:
                outside.append((node, amount, varying))
            else:
                pending[node] = add(pending[node], amount) if node in pending else amount

        ask(root, wanted)
        variables: dict[Expr, Amount] = {}
        for node in self.users_first(root, inside):
            amount = pending.get(node)
            if amount is None or is_none(amount):
                continue
            amount = at_most(amount, all_of(node.type))
            if not isinstance(node, Param):
                self.visit(node, amount, times, ask)
            elif inside is None:
                self.inputs[node] = amount
            else:
                variables[node] = amount
        return variables, outside

    def users_first(self, root: Expr, inside: set[Expr] | None) -> list[Expr]:
        """The values of a scope, each after all that read it."""
        if inside is None:
            return walk([root], lambda node: self.reads(node)[::-1])[::-1]
        if root not in inside:
            return []
        return walk([root], lambda node: [each for each in reversed(self.reads(node)) if each in inside])[::-1]

    def reads(self, node: Expr) -> list[Expr]:
        """The values that a value is made of: operands, and what its functions take from outside."""
        found: list[Expr] = []
        for operand in node.operands:
            f = _lambda(operand)
            found.extend((operand,) if f is None else self.captured(f))
        return found

    def captured(self, f: Lambda) -> tuple[Expr, ...]:
        """The values that a function takes from outside."""
        known = self._captured.get(f)
        if known is None:
            inside = self.dependents(f)
            met = reached([f.open()[1]], lambda node: self.reads(node) if node in inside else ())
            known = self._captured[f] = tuple([node for node in met if node not in inside])
        return known

    def dependents(self, f: Lambda) -> set[Expr]:
        """The nodes of a function's opened body that depend on its variables."""
        known = self._dependents.get(f)
        if known is None:
            variables, body = f.open()
            known = set(variables)
            for node in postorder(body, prune=lambda e: not e.loose):
                if any(operand in known for operand in node.operands):
                    known.add(node)
            self._dependents[f] = known
        return known

    def function(self, f: Expr, wanted: Amount, times: Size, repeats: Size, ask: Ask) -> list[Amount]:
        """Count a function that is applied `repeats` times; returns how much of each argument one application needs."""
        width = size(f.width) if isinstance(f, Vect) else size(1)
        g = _lambda(f)
        assert g is not None
        if isinstance(f, Vect):
            wanted = all_of(g.result)
        variables, outside = self.scope(g.open()[1], wanted, g, times * repeats * width)
        for node, amount, varying in outside:
            ask(node, scale(repeats * width, amount) if varying else amount, varying)
        return [scale(width, variables.get(v, none_of(v.type))) for v in g.open()[0]]

    # --- one value ----------------------------------------------------------------------------------------------------

    def visit(self, e: Expr, wanted: Amount, times: Size, ask: Ask) -> None:
        """Count what a value costs, and ask for what it is made of."""
        match e:
            case Map(f, xs, _):
                repeats, each = turns(wanted, _length(e.type), all_of(_element(e.type)))
                (used,) = self.function(f, each, times, repeats, ask)
                ask(xs, scale(repeats, used), False)
            case Generate(_, f):
                repeats, each = turns(wanted, _length(e.type), all_of(_element(e.type)))
                self.function(f, each, times, repeats, ask)
            case Reduce(f, init, xs) | ReducePart(f, init, _, xs):
                n = _length(xs.type)
                _, used = self.function(f, all_of(init.type), times, n, ask)
                ask(xs, scale(n, used), False)
                ask(init, all_of(init.type), False)
            case Iterate():
                self.iterate(e, times, ask)
            case Call() | Cast():
                self.note(work_of(e), times * lanes(e.operands[-1]))
                for operand in e.operands:
                    ask(operand, all_of(operand.type), False)
            case Gather(xs, indices):
                self.gather(e, xs, indices, wanted, times, ask)
            case Get(index, operand):
                whole = none_of(operand.type)
                assert isinstance(whole, tuple)
                ask(operand, (*whole[:index], wanted, *whole[index + 1 :]), False)
            case Zip() | Tuple():
                assert isinstance(wanted, tuple)
                for operand, part in zip(e.operands, wanted, strict=True):
                    ask(operand, part, False)
            case _ if e.traits.copies or isinstance(e, (Concat, Splat)):
                for operand in e.operands:
                    ask(operand, at_most(wanted, all_of(operand.type)), False)
            case _ if len(e.operands) == 1 and _lambda(e.operands[0]) is None and not e.traits.collective:  # a view
                ask(e.operands[0], wanted, False)
            case _:
                self.other(e, times, ask)

    def note(self, work: Work, number: Size) -> None:
        if number.value != 0:
            self.operations[work] = self.operations.get(work, size(0)) + number

    def gather(self, e: Gather, xs: Expr, indices: Expr, wanted: Amount, times: Size, ask: Ask) -> None:
        self.gathered = self.gathered + times * bytes_of(e.type, wanted)
        for t, number in scalars_of(e.type, wanted):
            self.note(Work("gather", t.name), times * number)
        ask(xs, at_most(wanted, all_of(xs.type)), True)
        repeats, _ = turns(wanted, _length(e.type), all_of(_element(e.type)))
        ask(indices, minimum(repeats, sum(leaves(wanted), start=size(0))), False)

    def other(self, e: Expr, times: Size, ask: Ask) -> None:
        """A pattern that nothing is known of: all operands, and its functions once for each element of the longest."""
        arrays = [operand for operand in e.operands if _lambda(operand) is None]
        repeats = size(1)
        for t in (e.type, *(operand.type for operand in arrays)):
            repeats = maximum(repeats, t.length) if isinstance(t, ArrayType) else repeats
        for operand in e.operands:
            f = _lambda(operand)
            if f is None:
                ask(operand, all_of(operand.type), False)
            else:
                self.function(operand, all_of(f.result), times, repeats, ask)

    def iterate(self, e: Iterate, times: Size, ask: Ask) -> None:
        """Every turn of a known number of them; the first, which is the longest, for each of an unknown number."""
        result, known = _length(e.type), e.count.value
        for turn in range(1 if known is None else known):
            left = (e.count if known is None else size(known)) - 1 - turn
            step = substitute_sizes(e.f, {e.size_variable: result * power(e.factor, left)})
            repeats = e.count if known is None else size(1)
            self.function(step, all_of(step.type.result), times, repeats, ask)  # type: ignore[attr-defined]  # a function
        ask(e.xs, all_of(e.xs.type), False)


def _lambda(e: Expr) -> Lambda | None:
    """The function itself, None for other values."""
    while isinstance(e, Vect):
        e = e.f
    return e if isinstance(e, Lambda) else None


def _length(t: Type) -> Size:
    assert isinstance(t, ArrayType)
    return t.length


def _element(t: Type) -> Type:
    assert isinstance(t, ArrayType)
    return t.element
