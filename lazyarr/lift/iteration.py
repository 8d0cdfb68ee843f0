"""`lift.iterate`: a step that keeps shapes and dtypes, applied n times."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NoReturn

from ir.core.expr import Expr, postorder, substitute
from ir.cost.thresholds.partition import PENDING_DEPTH_AT_MOST
from lazyarr.aliasing.views import related, restored
from lazyarr.array import Array, array_of, combine, enqueue, placeholder
from lazyarr.errors import TracingError
from lazyarr.graph.builders import components
from lazyarr.graph.leaves import inputs_of
from lazyarr.graph.pytree import Structure, flatten, in_order_of, unflatten
from lazyarr.graph.tracing import Trace, current, recording
from lazyarr.lift.values import applied, check_function
from lazyarr.recording.creation import asarray
from lazyarr.recording.movement import whole_number

__all__ = ["iterate"]


def iterate(n: int, step: Callable[..., Any], x: Any = None, /) -> Any:
    """`step` of `step` of .. `x`, n times: what `for _ in range(n): x = step(x)` gives.

    The step is called once, on an array that stands for any of these; what it records is taken n times. So it may not
    look at values, and what else it does happens once. Steps of a stencil are one kernel each; on CPUs several
    steps of a large array of one or two dimensions are one.

    Args:
        n: how often, a whole number of 0 or more that is known when the program is recorded
        step: a function of `x` that gives arrays of the same shapes and dtypes. Assignments to its argument are its own
            and change nothing outside
        x: an array, or a tuple, list or dict of arrays (as are then what the step is given and gives); left out,
            `iterate(n, step)` is a function of it

    Returns:
        new arrays of the shapes and dtypes of `x`; for n of 0 those of `x` themselves.

    Raises:
        TypeError: n is not a whole number, or the step gives something else than arrays of the shapes and dtypes of x.
        ValueError: n is negative.
        TracingError: the step asks for values, or assigns what depends on its argument to an array from outside.

    Source: `iterate` of ICFP 2015, figure 2, for arrays that keep their lengths.
    """
    count = whole_number("lift.iterate", "n", n)
    check_function("lift.iterate(n, step, x)", step, "step")
    if x is None:
        return partial(iterate, count, step)
    leaves, structure = flatten(x)
    given = [leaf if isinstance(leaf, Array) else asarray(leaf, function="lift.iterate") for leaf in leaves]
    if count == 0:
        return unflatten(structure, given)
    placed, trace = combine("lift.iterate", given)
    values = [each.node for each in given]
    before, after = _traced(step, given, structure, trace)
    block = max(1, PENDING_DEPTH_AT_MOST // _depth(after))
    for done in range(1, count + 1):
        table = _table(before, values)
        values = [substitute(node, table) for node in after]
        if done % block == 0 and done < count and trace is None:  # a long loop ends in bounded memory
            values = _computed(values, given, placed)
    return unflatten(structure, _arrays(values, given, placed, trace))


def _traced(
    step: Callable[..., Any], given: Sequence[Array], structure: Structure, outer: Trace | None
) -> tuple[list[Expr], list[Expr]]:
    """Leaves for what the step is given, and what it makes of them."""
    trace = Trace(getattr(step, "__qualname__", repr(step)), combine("lift.iterate", given)[0])
    variables = [placeholder(each, trace) for each in given]
    before = [each.node for each in variables]
    argument = unflatten(structure, variables)
    notes = trace if outer is None and current() is None else current()
    earlier = set() if notes is None else set(notes.made)
    try:
        if notes is trace:
            with recording(trace):
                result = applied(step, argument)
        else:
            result = applied(step, argument)  # arrays from outside are noted by the recording that goes on
    except BaseException:
        for reference, *standing in reversed(trace.changed):
            if (changed := reference()) is not None:
                restored(changed, *standing)
        raise
    finally:
        del argument
    found, shape = flatten(in_order_of(unflatten(structure, given), result))
    _refuse_changes(trace, variables, lambda x: notes is not None and id(x) not in earlier and notes.has_made(x))
    if shape != structure:
        got = unflatten(shape, [_text(x) if isinstance(x, Array) else type(x).__name__ for x in found])
        raise TypeError(
            f"lift.iterate: expected a step that gives what it is given, {_tree(given, structure)}, got {got!r}: "
            "return what the next step is to be given"
        )
    after: list[Expr] = []
    for number, (made, like) in enumerate(zip(found, given, strict=True)):
        whole = made if isinstance(made, Array) else asarray(made, function="lift.iterate")
        if whole.shape != like.shape or whole.dtype is not like.dtype:
            where = f" as result {number}" if len(given) > 1 else ""
            _differs(whole, like, where)
        after.append(whole.node)
    return before, after


def _differs(made: Array, like: Array, where: str) -> NoReturn:
    raise TypeError(
        f"lift.iterate: expected a step that gives{where} an array of shape {like.shape} and dtype {like.dtype.name}, "
        f"as x is, got shape {made.shape} and dtype {made.dtype.name}"
    )


def _tree(given: Sequence[Array], structure: Structure) -> str:
    return repr(unflatten(structure, [_text(x) for x in given]))


def _text(x: Array) -> str:
    return f"{x.dtype.name}{list(x.shape)}"


def _refuse_changes(trace: Trace, variables: Sequence[Array], is_own: Callable[[Array], bool]) -> None:
    """Undo assignments to arrays that are neither the step's argument nor made by it; `TracingError` if there are."""
    captured = False
    for reference, *standing in reversed(trace.changed):
        x = reference()
        if x is not None and not is_own(x) and not any(x is each or related(each, x) for each in variables):
            restored(x, *standing)
            captured = True
    if captured:
        raise TracingError(
            f"lift.iterate: {trace.name} assigns what depends on its argument to an array from outside: make that array"
            " a part of x, which the step gives anew"
        )


def _table(before: Sequence[Expr], values: Sequence[Expr]) -> dict[Expr, Expr]:
    """What stands for each leaf; for one of complex numbers, and for both of its parts."""
    table = dict(zip(before, values, strict=True))
    for leaf, value in zip(before, values, strict=True):
        parts = inputs_of(leaf)
        if len(parts) > 1:
            table.update(zip(parts, components(value), strict=True))
    return table


def _depth(nodes: Sequence[Expr]) -> int:
    """How many results, one made of the other, a step is long."""
    depth: dict[Expr, int] = {}
    for root in nodes:
        for node in postorder(root):
            depth[node] = 1 + max((depth.get(x, 0) for x in node.operands), default=0)
    return max(depth.values(), default=1)


def _arrays(values: Sequence[Expr], like: Sequence[Array], placed: Any, trace: Trace | None) -> list[Array]:
    return [array_of(node, x.shape, x.dtype, placed, trace) for node, x in zip(values, like, strict=True)]


def _computed(values: Sequence[Expr], like: Sequence[Array], placed: Any) -> list[Expr]:
    """The same, computed."""
    arrays = _arrays(values, like, placed, None)
    enqueue(*arrays)
    return [x.node for x in arrays]
