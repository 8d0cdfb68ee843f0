"""Strategies: how rules are combined and where they are applied.

Source: Hagedorn et al., "Achieving high-performance the functional way" (ELEVATE, ICFP 2020). A strategy takes an
expression and its context to the rewritten expression with the steps it took, or to None where it fails. A rule is the
smallest strategy (`ir.rewrite.rule`); where a strategy is to apply is said by a named place (`ir.rewrite.places`).
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from ir.core.expr import Expr, Lambda, postorder, rebuild, substitute
from ir.core.patterns import Kind, Map, Memory, Scatter, Vect, moves_elements
from ir.core.verify import is_placed
from ir.errors import RewriteError
from ir.rewrite.contexts import KEPT, KEPT_PRIVATE, MOVED, READ, Context, begins_kernel
from ir.rewrite.places import Place
from ir.rewrite.rule import Earlier, Path, Rewritten, Rule, Step, patterns_named

__all__ = [
    "Path", "Rewritten", "Step", "Strategy", "at", "at_value", "bottom_up", "choice", "enter", "everywhere",
    "of", "once", "operands", "patterns_of", "repeat", "seq", "succeed", "tactic", "top_down", "try_", "use",
]  # fmt: skip

E = TypeVar("E", bound=Expr)
P = ParamSpec("P")

Strategy = Callable[[Expr, Context], Rewritten | None]

REPEAT_LIMIT = 10_000


def _endless() -> RewriteError:
    return RewriteError(f"a repeated strategy did not end after {REPEAT_LIMIT} steps")


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
            raise _endless()
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
    if context[-1:] == (MOVED,):  # in the function of such a map
        return moves_elements(e)
    if context[-1:] == (READ,) or not is_placed(e.xs) or not moves_elements(e):
        return False
    return any(isinstance(node, Memory) and node.is_global for node in postorder(e.xs))


def _unread(context: Context) -> Context:
    return context[:-1] if context[-1:] == (READ,) else context


def leave(e: Expr, index: int, operand: Expr) -> Expr:
    """`e` with another operand at `index`: the inverse of `enter`."""
    return _rebuilt(e, [*e.operands[:index], operand, *e.operands[index + 1 :]])


def _rebuilt(e: Expr, operands: list[Expr]) -> Expr:
    if isinstance(e, Lambda):
        return e if operands[0] is e.body else e.with_body(operands[0])
    return rebuild(e, tuple(operands))


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
    return tuple([Step(rule, path + inner, parameters, again) for rule, inner, parameters, again in steps])


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


def top_down(strategy: Strategy) -> Strategy:
    """The strategy at the first place where it succeeds, users before operands; scalar code holds no places."""
    return lambda e, context: _descend(strategy, e, context, users_first=True)


def bottom_up(strategy: Strategy) -> Strategy:
    """The strategy at the first place where it succeeds, operands before users; scalar code holds no places."""
    return lambda e, context: _descend(strategy, e, context, users_first=False)


def everywhere(*strategies: Strategy) -> Strategy:
    """The strategies wherever they apply, until none applies anywhere: each where those before it have nothing to do.

    Users come before operands, and again once these are done. What became of a value in a context is remembered:
    where it is met again, even if a step has only made it, one step says that it goes as before (`Step.again`). So as
    many steps are taken as there are values and uses of them, not places, which may be exponentially many.

    Raises:
        RewriteError: the strategies succeed `REPEAT_LIMIT` times.
    """
    return lambda e, context: _Everywhere(strategies).run((e, context))


_Value = tuple[Expr, Context]


class _Everywhere:
    """One run of `everywhere`."""

    def __init__(self, strategies: tuple[Strategy, ...]) -> None:
        self._strategies = strategies
        self._known: list[dict[_Value, tuple[Expr, int, int, int] | None]] = [{} for _ in strategies]
        """What became of values by the strategies up to each, and by which steps: the first, how many they are, and how
        far below the value the first was. None where there is nothing to do.
        """
        self._steps: list[Step] = []
        self._path: list[int] = []
        self._left = REPEAT_LIMIT

    def run(self, value: _Value) -> Rewritten:
        """What becomes of an expression."""
        level = len(self._strategies) - 1
        visits: list[Generator[tuple[int, _Value], Expr | None, Expr]] = []
        while True:
            made: Expr | None = None
            if value in self._known[level]:
                made = self._again(level, value)
            else:
                visits.append(self._visit(level, value))
            while visits:
                try:
                    level, value = visits[-1].send(made)
                    break
                except StopIteration as end:
                    made = end.value
                    visits.pop()
            else:
                return Rewritten(made, tuple(self._steps))  # type: ignore[arg-type]  # of the outermost visit

    def _visit(self, level: int, value: _Value) -> Generator[tuple[int, _Value], Any, Expr]:
        """What becomes of a value by the strategies up to one. Asks for what becomes of others."""
        strategy, known, steps, path = self._strategies[level], self._known[level], self._steps, self._path
        e, context = value
        passed: list[tuple[Expr, int]] = []
        while True:
            passed.append((e, len(steps)))
            before = e
            if level:
                e = yield level - 1, (e, context)
            done = strategy(e, context)
            if done is not None:
                e = done.expr
                steps += _below(tuple(path), done.steps)
                self._left -= 1  # not of each value: a strategy may make values without end, one below the other
                if not self._left:
                    raise _endless()
            else:
                operands = list(e.operands)
                for index, operand in enumerate(e.operands):
                    if operand.patterned:
                        part = enter(e, index, context)
                        path.append(index)
                        made = yield level, part
                        path.pop()
                        if made is not part[0]:
                            operands[index] = made
                e = _rebuilt(e, operands)
            if e is before:
                break
            if (e, context) in known:
                e = self._again(level, (e, context))
                break
        for each, first in passed:
            count = len(steps) - first
            known[each, context] = (e, first, count, len(steps[first].path) - len(path)) if count else None
        return e

    def _again(self, level: int, value: _Value) -> Expr:
        """What became of a value, by one step."""
        found = self._known[level][value]
        if found is None:
            return value[0]
        e, first, count, inner = found
        step, path = self._steps[first], tuple(self._path)
        earlier = Earlier(len(self._steps) - first, count, inner)
        if count > 1:
            step = Step(step.rule, path, (), earlier)
        else:
            again = step.again and step.again._replace(back=step.again.back + earlier.back)
            step = step._replace(path=path + step.path[len(step.path) - inner :], again=again)
        self._steps.append(step)
        return e


def _descend(strategy: Strategy, e: Expr, context: Context, *, users_first: bool) -> Rewritten | None:
    failed: set[tuple[Expr, Context]] = set()
    above: list[_Frame] = []
    while True:
        if e.patterned and (e, context) not in failed:
            done = strategy(e, context) if users_first else None
            if done is not None:
                return _put_back(above, done)
            above.append(_Frame(e, context, -1))
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
            failed.add((frame.e, frame.context))
        else:
            return None
