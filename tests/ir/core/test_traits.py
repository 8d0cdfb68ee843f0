"""A pattern says what it is in one place: traits are declared, hold, and are asked for instead of lists of classes."""

from __future__ import annotations

import ast
import os

import numpy as np
import pytest

from ir.core.expr import Expr, Lambda, Param
from ir.core.notation.parser import parse
from ir.core.patterns import SIGNATURES, IndexView, Map, Pattern, is_view_map
from ir.core.semantics.interpreter import interpret
from ir.core.sizes import size
from ir.core.traits import Traits
from ir.core.types import FLOAT32, ArrayType, array_of
from tests.ir.core.traits_page import PAGE, classes, page
from tests.sources import PACKAGES, files, nodes


def test_the_page_is_made_from_the_classes():
    if os.environ.get("LAZYARR_REFRESH_GOLDEN", "") not in ("", "0"):
        PAGE.write_text(page(), encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == page(), "docs/patterns.md is old: run with LAZYARR_REFRESH_GOLDEN=1"


# --- declarations -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("missing", ["traits", "scheme", "meaning"])
def test_a_pattern_without_a_declaration_is_no_class(missing):
    said = {"__module__": __name__, "traits": Traits(), "scheme": "p : A -> A", "meaning": "nothing"}
    del said[missing]
    with pytest.raises(TypeError, match=missing):
        type("Incomplete", (Pattern,), said)
    assert "incomplete" not in SIGNATURES


def test_annotations_say_what_a_node_holds():
    class Both(Map, abstract=True):
        traits = Traits()
        g: Lambda
        n: int
        init: Expr

    assert Both.operand_names == ("f", "xs", "g", "init")
    assert Both.function_operands == (0, 2)
    assert Both.parameter_names == ("how", "n")
    assert Both.__slots__ == ("g", "n", "init")


def test_a_node_that_is_no_pattern_declares_its_traits_too():
    with pytest.raises(TypeError, match="traits"):
        type("Incomplete", (Expr,), {"__module__": __name__})


@pytest.mark.parametrize(
    "traits",
    [
        {"collective": True},
        {"view": True, "computes": True},
        {"view": True, "creates": True},
        {"bijective": True, "copies": True},
        {"streams": ("xs",)},
    ],
    ids=str,
)
def test_traits_that_contradict_each_other_are_refused(traits):
    with pytest.raises(TypeError):
        Traits(**traits)


def test_what_is_read_in_order_is_an_operand():
    for cls in classes():
        assert set(cls.traits.streams) <= set(cls.operand_names) - {cls.operand_names[i] for i in cls.function_operands}


# --- do they hold? ----------------------------------------------------------------------------------------------------

N, M = 6, 4
VIEWS = {
    "id": "id xs",
    "prefetch": "prefetch 2 xs",
    "masked": "masked xs",
    "split": "split 3 xs",
    "join": "join xss",
    "transpose": "transpose xss",
    "slice": "slice 4 (-2) 2 xs",
    "slide": "slide 3 2 xs",
    "repeat": "repeat 3 xs",
    "element": "element 2 xss",
    "reverse": "reverse xs",
    "reorderStride": "reorderStride 2 xs",
    "head": "head 4 xs",
    "pad": "pad 2 3 xs",
    "gather": "gather xs (generate int32 4 (λi. i // 2))",
    "asVector": "asVector 2 xs",
    "asScalar": "asScalar (asVector 2 xs)",
    "zip": "zip(xs, xs)",
}
INPUTS = {"xs": array_of(FLOAT32, N), "xss": ArrayType(array_of(FLOAT32, N), size(M))}
VALUES = {"xs": np.arange(N, dtype=np.float32), "xss": np.arange(N * M, dtype=np.float32).reshape(M, N)}


def elements(value):
    return np.asarray(value).reshape(-1).tolist()


class Numbers:
    """Indices that are numbers."""

    def combined(self, i, row, j):
        return i * row + j

    def divided(self, i, row, rows):
        return i // row, i % row


def test_every_view_has_an_example():
    found = {name for name, cls in SIGNATURES.items() if cls.__module__.startswith("ir.core") and cls.traits.view}
    assert found <= set(VIEWS)


@pytest.mark.parametrize("name", VIEWS)
def test_views_do_with_elements_what_their_traits_say(name):
    e, traits = parse(VIEWS[name], INPUTS), SIGNATURES[name].traits
    read, result = elements(VALUES["xss" if "xss" in VIEWS[name] else "xs"]), elements(interpret(e, VALUES))
    assert set(result) <= set(read), "it makes no elements"
    if traits.reshapes and name != "zip":
        assert result == read
    if traits.bijective:
        assert sorted(result) == read
    if name != "zip":  # which has the one array twice
        assert traits.copies == (len(set(result)) < len(result)), "an element is there more than once"


@pytest.mark.parametrize("name", [name for name in VIEWS if issubclass(SIGNATURES[name], IndexView)])
def test_index_functions_say_what_denotations_mean(name):
    e = parse(VIEWS[name], INPUTS)
    assert isinstance(e, IndexView)
    operand, result = (np.asarray(interpret(x, VALUES)) for x in (e.operands[0], e))

    def source(at):
        rank = type(e).source.__code__.co_argcount - 2
        return (*e.source(Numbers(), *map(size, at[:rank])), *at[rank:])

    for at in np.ndindex(result.shape):
        assert operand[tuple(map(number, source(at)))] == result[at]
    if e.traits.bijective and e.destination is not None:
        rank = type(e).destination.__code__.co_argcount - 2
        for at in np.ndindex(operand.shape):
            place = (*e.destination(Numbers(), *map(size, at[:rank])), *at[rank:])
            assert result[tuple(map(number, place))] == operand[at]


def number(i):
    return int(str(i))


@pytest.mark.parametrize("name", [n for n in VIEWS if SIGNATURES[n].traits.natural])
def test_functions_of_elements_commute_with_natural_views(name):
    e = parse(VIEWS[name], INPUTS)
    squared = interpret(e, {name: values**2 for name, values in VALUES.items()})
    np.testing.assert_array_equal(squared, np.asarray(interpret(e, VALUES)) ** 2)


def test_maps_of_what_neither_computes_nor_stores_are_views():
    for text in ("split 2", "slide 3 1", "λr. concat(r, slice 0 1 2 r)", "map (repeat 2)"):
        assert is_view_map(parse(f"map ({text}) xss", INPUTS))
    for text in ("map abs", "λr. toPrivate r", "λr. zip(r, map abs r)"):
        assert not is_view_map(parse(f"map ({text}) xss", INPUTS))


# --- nobody keeps lists of classes ------------------------------------------------------------------------------------

NAMES = {cls.__name__ for cls in [*classes(), Param]}


def named(node):
    """The name of a class that is mentioned, also in a pattern of a match."""
    if isinstance(node, ast.MatchAs) and node.pattern is not None:
        return named(node.pattern)
    node = node.cls if isinstance(node, ast.MatchClass) else node
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else None


def united(node):
    """The members of `A | B | C`."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return [*united(node.left), *united(node.right)]
    return [node]


def lists_of_classes(inside):
    """The lines of tuples, sets, dictionaries, unions and alternatives of three or more patterns."""
    for node in inside:
        parts = {
            ast.Tuple: lambda n: n.elts,
            ast.List: lambda n: n.elts,
            ast.Set: lambda n: n.elts,
            ast.Dict: lambda n: n.keys,
            ast.BinOp: united,
            ast.MatchOr: lambda n: n.patterns,
        }.get(type(node), lambda n: [])(node)
        if sum(named(part) in NAMES for part in parts) >= 3:
            yield node.lineno


def test_lists_are_found():
    assert list(lists_of_classes(ast.walk(ast.parse("x = (Map, Reduce, core.Scan)")))) == [1]
    assert list(lists_of_classes(ast.walk(ast.parse("f(Map | Reduce | Scan)")))) == [1]
    assert list(lists_of_classes(ast.walk(ast.parse("match e:\n  case Map() | Reduce() | Scan() as x: pass")))) == [2]
    assert list(lists_of_classes(ast.walk(ast.parse("{Map: 1, Reduce: 2, Scan: 3}")))) == [1]
    assert not list(lists_of_classes(ast.walk(ast.parse("(Map, Reduce)\n(a, b, c)"))))


@pytest.mark.parametrize("package", PACKAGES)
def test_passes_ask_for_traits(package):
    for file in files(package):
        lines = list(lists_of_classes(nodes(file)))
        assert not lines, f"{file}: lists of patterns in lines {lines}; ask for a trait (ir.core.traits)"
