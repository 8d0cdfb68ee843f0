"""`lift.derive`: derivations by hand, rule by rule, as the papers print them (ICFP 2015, figure 10)."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import ir.rules  # noqa: F401  # registers every rule
from ir.core.expr import Expr
from ir.core.notation.parser import parse
from ir.core.notation.printer import show_indented
from ir.core.sizes import Size, SizeError, parse_size
from ir.core.types import Type
from ir.core.verify import verify_low_level
from ir.errors import RewriteError, VerificationError
from ir.opencl.generate import generate
from ir.rewrite.derivation import Derivation
from ir.rewrite.rule import RULES, Rule
from ir.rewrite.strategy import Path, Step
from lazyarr.array import Array, array_of
from lazyarr.errors import LazyarrError
from lazyarr.lift.jitted import Jitted, jit
from lazyarr.lift.places import (
    Applications,
    Place,
    applications,
    described,
    fires,
    is_integer,
    place_at,
    places,
    size_variables,
)
from lazyarr.lift.subject import Named, Recorded, Subject
from lazyarr.lift.text import equation
from lazyarr.lift.type_text import read_type

__all__ = ["DerivationError", "ManualDerivation", "derive", "figure"]

At: TypeAlias = "Path | Sequence[int] | int | str | None"

_LABEL_WIDTH = 40
_WIDTH = 100


class DerivationError(LazyarrError, ValueError):
    """A step that cannot be taken: says which rule, where, and what stands there."""


def derive(
    subject: Any, /, *args: Any, sizes: Mapping[str, Size | str] | None = None, **named: Any
) -> ManualDerivation:
    """A derivation with no step yet: apply rules to it by name.

    Args:
        subject: what to start from, one of

            - a text in the papers' notation; the type of each free variable is given by its name, as a text:
              `lift.derive("(reduce (+) 0 ∘ map abs) xs", xs="[float32]n")`
            - an expression of `ir`
            - a Python function (jitted or not) with arguments to record it for:
              `lift.derive(lambda x: la.sum(la.abs(x)), x)`
            - a lazy array that is not computed yet
        args, named: the arguments of the function; by name, the types of the text's variables
        sizes: for a text, variables that steps or the text mention and the types do not, with what each is equal to or
            itself a `Size`; variables in types stand for lengths of one or more

    A recorded function must be computed by one kernel; what is derived from is its expression over symbols: inputs `x0,
    x1, …` and lengths `n0, n1, …`, as `lift.explain` shows it.

    Raises:
        ValueError: there is nothing, or more than one kernel, to derive.
        ir.errors.ParseError: a text that is no expression.
    """
    if isinstance(subject, str):
        return _from_text(subject, args, sizes, named)
    if sizes is not None:
        raise TypeError("derive: sizes belong to a text")
    if isinstance(subject, Expr) and not (args or named):
        return ManualDerivation(Named(subject))
    if isinstance(subject, Array) and not (args or named):
        node, shape, dtype, placed = subject.node, subject.shape, subject.dtype, subject.placed

        def recorded() -> Array:
            return array_of(node, shape, dtype, placed)  # made here: what comes from outside is computed first

        return ManualDerivation(Recorded(jit(recorded), (), {}))
    if callable(subject):
        function = subject if isinstance(subject, Jitted) else jit(subject)
        return ManualDerivation(Recorded(function, args, named))
    raise TypeError(
        f"derive: expected a text, an expression, a lazy array (each alone) or a function with its arguments, "
        f"got {type(subject).__name__}{' and arguments' if args or named else ''}"
    )


def _from_text(
    text: str, args: Sequence[Any], sizes: Mapping[str, Size | str] | None, named: Mapping[str, Any]
) -> ManualDerivation:
    if args:
        raise TypeError("derive: a text's variables are given by name: derive(text, xs='[float32]n')")
    scope: dict[str, Size] = {}
    for name, value in (sizes or {}).items():
        scope[name] = parse_size(value, scope) if isinstance(value, str) else value
    types: dict[str, Type] = {}
    for name, t in named.items():
        if not isinstance(t, (str, Type)):
            raise TypeError(f"derive: expected the type of {name} as a text such as '[float32]n', got {t!r}")
        types[name] = read_type(t, scope) if isinstance(t, str) else t
    return ManualDerivation(Named(parse(text, types, scope), tuple(types)), scope)


class ManualDerivation:
    """A derivation that a person works on: `apply` adds a step, `undo` takes the last one back.

    It changes in place and its methods return it, so that steps can be typed one after the other at a prompt, or
    chained; `copy` gives one to try something else on. `derivation` is the same as data that does not change: it can be
    stored and replayed. Printing it shows every step as figure 10 of ICFP 2015 does.
    """

    def __init__(self, subject: Subject, scope: Mapping[str, Size] | None = None) -> None:
        self._subject = subject
        self._scope = {**{v.name: v for v in size_variables(subject.expr)}, **(scope or {})}
        self._history = [Derivation.of(subject.expr)]

    # --- what there is ----------------------------------------------------------------------------------------------

    @property
    def derivation(self) -> Derivation:
        """The steps so far as data: start, steps, result."""
        return self._history[-1]

    @property
    def expression(self) -> Expr:
        """The expression as it is now."""
        return self.derivation.result

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps so far: rule, path and parameters of each."""
        return self.derivation.steps

    @property
    def states(self) -> tuple[Expr, ...]:
        """The expression before the first step and after each."""
        return tuple(each.result for each in self._history)

    def copy(self) -> ManualDerivation:
        """Another one with the same steps, to go on differently."""
        made = ManualDerivation(self._subject, self._scope)
        made._history = list(self._history)
        return made

    def __len__(self) -> int:
        return len(self.steps)

    def applicable(self, rule: str | None = None) -> Applications:
        """Which rules (or where that rule) can be applied now: print it, or go through it.

        Each entry has `rule`, `path`, the names of the `parameters` that the rule has to be given and `examples` of
        values. A rule with parameters is tried with small constants and the lengths in the expression, and is listed
        where one of these fits; others may fit too. What is used in several places is listed once.
        """
        return applications(self.expression, None if rule is None else _rule(rule))

    # --- steps ------------------------------------------------------------------------------------------------------

    def apply(self, rule: str | Step, place: At = None, /, **parameters: Any) -> ManualDerivation:
        """Apply a rule at a place and return this derivation, one step longer.

        Args:
            rule: its name; `applicable()` lists those that can be applied. Or a step of another derivation, which is
                taken as it is: its rule with its parameters at its place, or what earlier steps did to the same value
            place: where, also given as `at=` to a rule that has no parameter of that name; one of

                - left out: the place at which the rule applies, if there is only one
                - a path: the operand to take at each node from the root, as `applicable()` shows it; in a function, 0
                  is its body
                - a text: what the sub-expression begins with, such as `"map abs"`, if the rule applies at one such
                  place
                - a number: of the places at which the rule applies, that one, from 0
            parameters: what the rule has to be given; a length may be a number, a `Size`, or a text such as `"n // 4"`

        Raises:
            DerivationError: there is no such rule, or it does not apply; everything is as it was.
        """
        if isinstance(rule, Step):
            if place is not None or parameters:
                raise DerivationError(f"a step has its own place and parameters; give the rule's name, {rule.rule!r}")
            return self._take(rule)
        found = _rule(rule)
        if "at" in parameters and "at" not in found.parameters:
            if place is not None:
                raise DerivationError(f"{rule}: the place is given twice, {place} and at={parameters['at']}")
            place = parameters.pop("at")
        values = self._values(found, parameters)
        path = self._place(found, place, values).path
        self._history.append(self.derivation.apply(found, path, **values))
        return self

    def _take(self, step: Step) -> ManualDerivation:
        try:
            self._history.append(self.derivation.take(step))
        except RewriteError as error:
            raise DerivationError(str(error)) from error
        return self

    def undo(self, steps: int = 1) -> ManualDerivation:
        """Take the last steps back; `DerivationError` if there are not so many."""
        if not 0 <= steps <= len(self):
            raise DerivationError(f"undo: there are {len(self)} steps, not {steps}")
        if steps:
            del self._history[-steps:]
        return self

    def _values(self, rule: Rule, given: Mapping[str, Any]) -> dict[str, Any]:
        missing = [name for name in rule.parameters if name not in given]
        unknown = [name for name in given if name not in rule.parameters]
        if missing or unknown:
            wanted = ", ".join(rule.parameters) or "nothing"
            problem = f"{', '.join(missing)} missing" if missing else f"it has no parameter {', '.join(unknown)}"
            raise DerivationError(f"{rule.name} has to be given {wanted}: {problem}\n    {equation(rule)}")
        values = {}
        for name, value in given.items():
            if isinstance(value, str) and name not in rule.texts:
                try:
                    value = parse_size(value, self._scope)
                except SizeError as error:
                    raise DerivationError(f"{rule.name}: {name} = {given[name]!r} is no length: {error}") from error
            if isinstance(value, Size) and value.value is not None:
                value = value.value
            if is_integer(rule, name) and not isinstance(value, int):
                raise DerivationError(f"{rule.name}: expected {name} to be a number, got {value}")
            values[name] = value
        return values

    def _place(self, rule: Rule, at: At, values: Mapping[str, Any]) -> Place:
        if at is not None and not isinstance(at, (int, str)):
            place = place_at(self.expression, tuple(at))
            if place is None:
                raise DerivationError(f"there is no place {tuple(at)} in\n    {show_indented(self.expression)}")
            if not fires(rule, place, values):
                raise self._refusal(rule, values, f"at {place.path}", described(place.node))
            return place
        found = [place for place in places(self.expression) if fires(rule, place, values)]
        if not found:
            raise self._refusal(rule, values, "anywhere", described(self.expression, 1000))
        if isinstance(at, int):
            if not 0 <= at < len(found):
                raise self._choice(rule, found, f"there is no place {at}")
            return found[at]
        if isinstance(at, str):
            named = [place for place in found if _begins(described(place.node, 1000), at)]
            if not named:
                raise self._choice(rule, found, f"none of them begins with {at!r}")
            found = named
        if len(found) > 1:
            by = "as the second argument" if "at" in rule.parameters else "by at="
            raise self._choice(rule, found, f"say which {by}")
        return found[0]

    def _refusal(self, rule: Rule, values: Mapping[str, Any], where: str, there: str) -> DerivationError:
        given = "".join(f"\n    {name} = {value}" for name, value in values.items())
        elsewhere = [place for place in places(self.expression) if where != "anywhere" and fires(rule, place, values)]
        hint = f"\nit applies at {', '.join(str(place.path) for place in elsewhere[:8])}" if elsewhere else ""
        return DerivationError(
            f"{rule.name} does not apply {where}\n    {equation(rule)}{given}\nto\n    {there}{hint}"
        )

    @staticmethod
    def _choice(rule: Rule, found: Sequence[Place], problem: str) -> DerivationError:
        listed = "".join(f"\n    {n}: {place.path}  {described(place.node)}" for n, place in enumerate(found))
        return DerivationError(f"{rule.name} applies at {len(found)} places; {problem}{listed}")

    # --- checks and code --------------------------------------------------------------------------------------------

    @property
    def is_lowered(self) -> bool:
        """Is it fully lowered, so that code can be generated from it?"""
        try:
            verify_low_level(self.expression)
        except VerificationError:
            return False
        return True

    def verify(self, low_level: bool | None = None) -> ManualDerivation:
        """Check the context conditions of every state; `ir.errors.VerificationError` names the step that broke one.

        Args:
            low_level: check too that the expression is fully lowered and safe to run, or say why it is not; left out,
                only what holds in every state is checked while it is not
        """
        wanted = self.is_lowered if low_level is None else low_level
        self.derivation.verify(low_level=wanted)
        return self

    def source(self, name: str = "lazyarr") -> str:
        """The OpenCL C of the expression as it is now.

        Raises:
            ir.errors.VerificationError: it is not fully lowered, or not safe to run: the message says what is
                missing.
        """
        verify_low_level(self.expression)
        return generate(self.expression, name).source

    def run(self, *args: Any, device: Any = None, sizes: Mapping[str, int] | None = None, **named: Any) -> Any:
        """Compile the expression as it is now, run it, and return its value: a lazy array, or a tuple of them.

        Args:
            args, named: derived from a text or an expression, the arrays of its free variables, in the order in which
                their types were given or by name, NumPy's or lazy ones; derived from a function, its arguments (none:
                those that it was recorded with), and the result is what the function would return
            device: where to run it, as in `la.asarray`; None: where the arguments are, else the default device
            sizes: for a text or expression, size variables that the shapes of the arrays do not determine

        Raises:
            ir.errors.VerificationError: the expression is not fully lowered.
        """
        verify_low_level(self.expression)
        return self._subject.run(self.expression, device, args, named, sizes)

    # --- text -------------------------------------------------------------------------------------------------------

    def __str__(self) -> str:
        labels = [""]
        for step in self.steps:
            number = figure(RULES[step.rule])
            given = ", ".join(f"{name}={value}" for name, value in step.parameters)
            labels.append(f"={number + ' ' if number else ' '}{step.rule}{f'({given})' if given else ''}")
        width = max((len(label) for label in labels if len(label) <= _LABEL_WIDTH), default=0) + 2
        lines = []
        for number_, (label, state) in enumerate(zip(labels, self.states, strict=True)):
            if len(label) + 2 > width:
                lines.append(label)
                label = ""
            text = show_indented(state, _WIDTH).splitlines()
            text[-1] += f"  ({number_})" if number_ else ""
            lines += [f"{label if i == 0 else '':<{width}}{line}" for i, line in enumerate(text)]
        return "\n".join(line.rstrip() for line in lines)

    __repr__ = __str__


def figure(rule: Rule) -> str:
    """The figure of ICFP 2015 that a rule stands in (`6d`; several: `6c,6e`); empty for rules from elsewhere."""
    return ",".join(re.findall(r"\b\d+[a-z]\b", rule.source)) if "fig" in rule.source else ""


def _rule(name: str) -> Rule:
    found = RULES.get(name)
    if found is None:
        close = difflib.get_close_matches(name, RULES, 5, 0.5)
        others = [known for known in sorted(RULES) if name and name in known and known not in close]
        similar = ", ".join([*close, *others])
        meant = f"did you mean {similar}?" if similar else f"the rules are {', '.join(sorted(RULES))}"
        raise DerivationError(f"there is no rule named {name!r}; {meant}")
    return found


def _begins(text: str, wanted: str) -> bool:
    return re.sub(r"\s", "", text).lstrip("(").startswith(re.sub(r"\s", "", wanted).lstrip("("))
