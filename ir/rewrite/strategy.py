"""Strategies: how rules are combined and where they are applied.

Source: Hagedorn et al., "Achieving high-performance the functional way" (ELEVATE, ICFP 2020). A strategy takes an
expression and its context to the rewritten expression with the steps it took, or to None where it fails. A rule is the
smallest strategy (`ir.rewrite.rule`); where a strategy is to apply is said by a named place (`ir.rewrite.places`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from ir.core.expr import Expr, Lambda, postorder, rebuild, substitute
from ir.core.patterns import Kind, Map, Memory, Scatter, Vect, moves_elements
from ir.core.verify import is_placed
from ir.errors import RewriteError
from ir.rewrite.contexts import KEPT, KEPT_PRIVATE, MOVED, READ, Context, begins_kernel
from ir.rewrite.places import Place
from ir.rewrite.rule import RULES, Path, Rewritten, Rule, Step, patterns_named

__all__ = [
    "Path", "Rewritten", "Step", "Strategy", "at", "at_all", "at_value", "bottom_up", "choice", "enter", "everywhere",
    "of", "once", "operands", "patterns_of", "repeat", "seq", "succeed", "tactic", "take", "top_down", "try_", "use",
]  # fmt: skip

E = TypeVar("E", bound=Expr)
P = ParamSpec("P")

Strategy = Callable[[Expr, Context], Rewritten | None]

REPEAT_LIMIT = 10_000


def of(*patterns: type[Expr]) -> Callable[[Strategy], Strategy]:
    """Declares that the decorated strategy fails at nodes of other classes, so that it need not be tried there."""

    def declare(strategy: Strategy) -> Strategy:
        strategy.patterns = patterns  # type: ignore[attr-defined]  # of a function
        return strategy

    return declare


def patterns_of(strategy: Strategy) -> tuple[type[Expr], ...]:
    """The classes of the nodes that a strategy may succeed at: those of a rule, or what `of` declares."""
    found: tuple[type[Expr], ...] = getattr(strategy, "patterns", (Expr,))
    return found


def tactic(choose: Callable[Concatenate[E, P], Strategy | None]) -> Callable[P, Strategy]:
    """Decorates a function that says by which strategy an expression is rewritten, None where by none. Called without
    the expression, it is that strategy.

    Like a rule, it is tried at nodes of the classes that its first argument is annotated with, at no others.
    """
    patterns = patterns_named(choose)

    @wraps(choose)
    def made(*arguments: P.args, **named: P.kwargs) -> Strategy:
        @of(*patterns)
        def run(e: Expr, context: Context) -> Rewritten | None:
            chosen = choose(e, *arguments, **named) if isinstance(e, patterns) else None  # type: ignore[arg-type]  # an E
            return None if chosen is None else chosen(e, context)

        return run

    return made


def use(rule: Rule, **parameters: Any) -> Strategy:
    """The rule, at this place, with those parameters."""
    return of(*rule.patterns)(lambda e, context: rule(e, context, **parameters))


def succeed(e: Expr, context: Context) -> Rewritten:
    """Do nothing, successfully."""
    return Rewritten(e, ())


def seq(*strategies: Strategy) -> Strategy:
    """One after the other; fails if one fails."""

    def run(e: Expr, context: Context) -> Rewritten | None:
        steps: tuple[Step, ...] = ()
        for strategy in strategies:
            done = strategy(e, context)
            if done is None:
                return None
            e, steps = done.expr, steps + done.steps
        return Rewritten(e, steps)

    return of(*patterns_of(strategies[0]))(run) if strategies else run


def choice(*strategies: Strategy) -> Strategy:
    """The first that succeeds."""
    by_class: dict[type[Expr], tuple[Strategy, ...]] = {}  # those that may succeed

    def run(e: Expr, context: Context) -> Rewritten | None:
        kind = type(e)
        own = by_class.get(kind)
        if own is None:
            own = by_class[kind] = tuple([s for s in strategies if issubclass(kind, patterns_of(s))])
        for strategy in own:
            done = strategy(e, context)
            if done is not None:
                return done
        return None

    return of(*dict.fromkeys(pattern for strategy in strategies for pattern in patterns_of(strategy)))(run)


def try_(strategy: Strategy) -> Strategy:
    """The strategy, or nothing if it fails."""
    return choice(strategy, succeed)


def repeat(strategy: Strategy) -> Strategy:
    """The strategy as often as it succeeds.

    Raises:
        RewriteError: it succeeds `REPEAT_LIMIT` times.
    """

    def run(e: Expr, context: Context) -> Rewritten:
        steps: list[Step] = []
        for _ in range(REPEAT_LIMIT):
            done = strategy(e, context)
            if done is None:
                break
            e = done.expr
            steps.extend(done.steps)
        else:
            raise RewriteError(f"a repeated strategy did not end after {REPEAT_LIMIT} steps")
        return Rewritten(e, tuple(steps))

    return run


def enter(e: Expr, index: int, context: Context) -> tuple[Expr, Context]:
    """The operand at `index`, its binder opened, with the context that holds there."""
    if isinstance(e, Lambda):
        return e.enter()[1], context
    if index == 0 and isinstance(e, Map) and _moves_written(e, context):
        context = (*context, e.how, MOVED)
    elif index in e.function_operands and not isinstance(e, Vect):
        context = (*context, getattr(e, "how", None) or Kind(e.name))
    elif isinstance(e, Memory) and e.is_global and begins_kernel(context):
        context = ()
    elif isinstance(e, Memory) and not e.is_global:
        context = (*_unread(context), KEPT if e.space == "local" else KEPT_PRIVATE)
    elif context[-1:] != (READ,) and not _is_written_behind(e, index):
        context = (*context, READ)
    return e.operands[index], context


def _is_written_behind(e: Expr, index: int) -> bool:
    """Does whoever computes the operand at `index` write where the result of `e` goes?"""
    if e.traits.passes_destination or isinstance(e, Memory):
        return True
    return (isinstance(e, Scatter) and index == 2) or (index == 1 and moves_elements(e))


def _moves_written(e: Map, context: Context) -> bool:
    """Does a map only move what others write, some of it to where a toGlobal says?"""
    if context[-1:] == (READ,) or not is_placed(e.xs) or not moves_elements(e):
        return False
    return any(isinstance(node, Memory) and node.is_global for node in postorder(e.xs))


def _unread(context: Context) -> Context:
    return context[:-1] if context[-1:] == (READ,) else context


def leave(e: Expr, index: int, operand: Expr) -> Expr:
    """`e` with another operand at `index`: the inverse of `enter`."""
    if isinstance(e, Lambda):
        return e.with_body(operand)
    return rebuild(e, (*e.operands[:index], operand, *e.operands[index + 1 :]))


def once(strategy: Strategy) -> Strategy:
    """The strategy, which remembers what it makes of an expression in a context: where a value is used at several
    places, each of them is rewritten alike. What it remembers lives as long as it does: make it for one derivation.
    """
    known: dict[tuple[Expr, Context], Rewritten | None] = {}

    def run(e: Expr, context: Context) -> Rewritten | None:
        key = e, context
        if key not in known:
            known[key] = strategy(e, context)
        return known[key]

    return of(*patterns_of(strategy))(run)


def operands(strategy: Strategy) -> Strategy:
    """The strategy at every operand; fails if it fails at one."""

    def run(e: Expr, context: Context) -> Rewritten | None:
        found: list[Expr] = []
        steps: list[Step] = []
        for index in range(len(e.operands)):
            done = strategy(*enter(e, index, context))
            if done is None:
                return None
            found.append(done.expr)
            steps += _below((index,), done.steps)
        return Rewritten(rebuild(e, tuple(found)), tuple(steps))

    return run


def at(place: Place | Path, strategy: Strategy) -> Strategy:
    """The strategy at that place: a named one, or a path that a search has found."""
    way = place.roles if isinstance(place, Place) else place

    def run(e: Expr, context: Context) -> Rewritten | None:
        above: list[_Frame] = []
        for role in way:
            index = role if isinstance(role, int) else role(e)
            if index is None or index >= len(e.operands):
                return None
            above.append(_Frame(e, context, index))
            e, context = enter(e, index, context)
        done = strategy(e, context)
        return None if done is None else _put_back(above, done)

    return run


class _Frame:
    """A node on the way to a place, the context it stands in, and the operand that leads there."""

    __slots__ = ("context", "e", "index")

    def __init__(self, e: Expr, context: Context, index: int) -> None:
        self.e = e
        self.context = context
        self.index = index


def _put_back(above: list[_Frame], done: Rewritten) -> Rewritten:
    """What was made at a place, as a rewriting of the node where the way to it begins."""
    expr = done.expr
    for frame in reversed(above):
        expr = leave(frame.e, frame.index, expr)
    path = tuple([frame.index for frame in above])
    return Rewritten(expr, _below(path, done.steps) if path else done.steps)


def _below(path: Path, steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """Steps taken at a place, as steps from where the way to it begins."""
    n = len(path)
    return tuple([
        Step(rule, path + inner, parameters, tuple([(part + n, value + n) for part, value in shared]) if shared else ())
        for rule, inner, parameters, shared in steps
    ])  # fmt: skip


def at_value(path: Path, strategy: Strategy) -> Strategy:
    """The strategy at that place, and its result wherever else the value there is used: what is computed once is
    rewritten once. The place lies outside of all functions, or the value depends on no variable of one.
    """

    def run(e: Expr, context: Context) -> Rewritten | None:
        rewritten: list[tuple[Expr, Expr]] = []

        def there(value: Expr, context: Context) -> Rewritten | None:
            done = None if value.loose else strategy(value, context)
            if done is not None:
                rewritten.append((value, done.expr))
            return done

        done = at(path, there)(e, context)
        return None if done is None else done._replace(expr=substitute(e, dict(rewritten)))

    return run


Tried = dict[tuple[Expr, Context], Rewritten | None]
"""What a strategy made of expressions in their contexts, which alone decide it: None where it fails, at their operands,
too.
"""


def at_all(path: Path, strategy: Strategy, tried: Tried | None = None) -> Strategy:
    """The strategy at that place, and its result at all places where the same value stands in the same context: what is
    shared stays so. A value that depends on variables is the same in the function that binds them alone.

    Args:
        tried: where nothing stands that the strategy applies to
    """

    def run(e: Expr, context: Context) -> Rewritten | None:
        value, inner = e, context
        for index in path:
            if index >= len(value.operands):
                return None
            value, inner = enter(value, index, inner)
        done = strategy(value, inner)
        if done is None:
            return None
        expr = _replaced(e, context, (value, inner), done.expr, tried or {})
        shared = (0, len(path))
        return Rewritten(expr, tuple([s._replace(shared=(shared, *s.shared)) for s in _below(path, done.steps)]))

    return run


def _replaced(e: Expr, context: Context, wanted: tuple[Expr, Context], made: Expr, tried: Tried) -> Expr:
    """An expression with another one in place of a value in a context; scalar code holds no places."""
    value = wanted[0]
    done = {wanted: made}
    root = e, context
    pending: list[tuple[tuple[Expr, Context], list[tuple[Expr, Context]] | None]] = [(root, None)]
    while pending:
        place, below = pending.pop()
        e, context = place
        if below is not None:
            operands = tuple([done[each] for each in below])
            if all(new is old for new, (old, _) in zip(operands, below, strict=True)):
                done[place] = e
            else:
                done[place] = e.with_body(operands[0]) if isinstance(e, Lambda) else rebuild(e, operands)
        elif place not in done:
            if not e.patterned or not _may_hold(e, value) or tried.get(place, ...) is None:
                done[place] = e
                continue
            below = [
                enter(e, index, context) if operand.patterned else (operand, context)
                for index, operand in enumerate(e.operands)
            ]
            pending.append((place, below))
            pending += [(each, None) for each in below]
    return done[root]


def _may_hold(e: Expr, value: Expr) -> bool:
    """Can a value stand in an expression? The function of a variable that it depends on has a higher level."""
    return e.level >= value.level + (value.loose and not e.loose)


def take(step: Step, tried: Tried | None = None) -> Strategy:
    """A step as a strategy: its rule with its parameters, at its place or at all places of a value (see `at_all`)."""
    strategy, end = use(RULES[step.rule], **dict(step.parameters)), len(step.path)
    for part, value in reversed(step.shared):
        strategy = at_all(step.path[part:value], at(step.path[value:end], strategy), tried)
        end = part
    return at(step.path[:end], strategy)


def top_down(strategy: Strategy) -> Strategy:
    """The strategy at the first place where it succeeds, users before operands; scalar code holds no places."""
    return lambda e, context: _descend(strategy, e, context, {}, users_first=True)


def bottom_up(strategy: Strategy) -> Strategy:
    """The strategy at the first place where it succeeds, operands before users; scalar code holds no places."""
    return lambda e, context: _descend(strategy, e, context, {}, users_first=False)


def everywhere(*strategies: Strategy) -> Strategy:
    """Repeat the first of the strategies that applies at any place, there, until none applies anywhere.

    Each value is rewritten where it is met first. Where it is met again, it is rewritten in the same way, at all places
    where it stands: as many steps are taken as there are values, not places, which may be exponentially many.
    """

    def run(e: Expr, context: Context) -> Rewritten:
        tried: list[tuple[Strategy, Tried]] = [(strategy, {}) for strategy in strategies]

        def anywhere(e: Expr, context: Context) -> Rewritten | None:
            for strategy, known in tried:
                done = _descend(strategy, e, context, known, users_first=True)
                if done is not None:
                    return done
            return None

        done = repeat(anywhere)(e, context)
        assert done is not None  # `repeat` always succeeds
        return done

    return run


def _descend(strategy: Strategy, e: Expr, context: Context, tried: Tried, *, users_first: bool) -> Rewritten | None:
    root = e, context
    above: list[_Frame] = []
    while True:
        if e.patterned:
            place = e, context
            if place not in tried:
                done = strategy(e, context) if users_first else None
                if done is not None:
                    tried[place] = done
                    return _put_back(above, done)
                above.append(_Frame(e, context, -1))
            elif (known := tried[place]) is not None:
                return _again(root, above, e, known, tried)
        while above:  # on to the next operand of the innermost node that has one left
            frame = above[-1]
            frame.index += 1
            if frame.index < len(frame.e.operands):
                e, context = enter(frame.e, frame.index, frame.context)
                break
            above.pop()
            done = None if users_first else strategy(frame.e, frame.context)
            if done is not None:
                return _put_back(above, done)
            tried[frame.e, frame.context] = None
        else:
            return None


def _again(root: tuple[Expr, Context], above: list[_Frame], value: Expr, known: Rewritten, tried: Tried) -> Rewritten:
    """What was made of a value at another place, at this one and at all others where it stands now."""
    here = _put_back(above, known)
    path = tuple([frame.index for frame in above])
    end = len(path)
    strategy: Strategy = lambda e, context: known  # noqa: E731  # it grows from the inside out
    for depth in reversed(range(end)):
        e = above[depth].e
        if isinstance(e, Lambda) and _binds(e, value):
            strategy = at((0,), at_all(path[depth + 1 : end], strategy, tried))
            value, end = e, depth
    there = at_all(path[:end], strategy, tried)(*root)
    if there is None or there.expr is here.expr:
        return here
    if len(known.steps) > 1:  # what the first ones make may stand elsewhere, where the next ones do not belong
        first, *others = there.steps
        taken = seq(take(first, tried), *map(take, others))(*root)
        if taken is None or taken.expr is not there.expr:
            return here
    return there


def _binds(function: Lambda, value: Expr) -> bool:
    """Does a part of a function's body depend on the function's variables?"""
    if not value.loose:
        return False
    variables = function.enter()[0]
    return any(node in variables for node in postorder(value, lambda node: not node.loose))
