"""Maps whose functions no kernel can compute as they are, cut into several (map fission): `lift.map` of a function that
sorts, and of whatever else has results in the middle.

A row that is sorted has to be in memory before anything reads it: there is no barrier inside of a kernel. So what a
function sorts, scans, scatters or reduces on its way becomes a map of its own, and maps of maps become one. Then they
are vertices of the graph like those that functions of whole arrays record, and are cut into kernels as these are. A map
whose result is a scatter becomes one scatter, into all rows.

How a map is cut is a derivation: it begins with the map over variables for what it reads, and each step is a rule. What
a map costs does not depend on the graph around it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from weakref import WeakKeyDictionary

from ir.core.expr import Expr, Lambda, Param, postorder, substitute
from ir.core.patterns import MAP, Concat, Element, Join, Map, Reduce, Repeat, Scatter, Slide, Sort, Split, Zip
from ir.core.size_variables import sizes_in, substitute_sizes
from ir.core.sizes import size
from ir.core.types import ArrayType, ScalarType, Type, element_type, shape_of
from ir.cost.thresholds.partition import CONSTANT_EXTENT_UP_TO, ROW_STEPS_AT_MOST
from ir.errors import RewriteError
from ir.fusion.partition.graph import Graph, captured, is_computed, is_outer, rebuild, reduces, row_steps, steps_of
from ir.fusion.prepare.rewriting import by_way_of_flat
from ir.fusion.symbols.symbolise import SymbolicKernel, symbolise
from ir.rewrite.derivation import Derivation, replay
from ir.rewrite.places import array, below, part, viewed
from ir.rewrite.rule import Context
from ir.rewrite.strategy import Path, Rewritten, Step, Strategy, at, choice, enter, repeat, seq, try_, use
from ir.rules.common import components, length
from ir.rules.layout.concat import concat_out_of_map, join_out_of_map
from ir.rules.maps.algorithmic import join_after_split, map_identity_elimination, split_join_introduction
from ir.rules.maps.fusion import flatten_rows, map_out_of_rows, row_fission, row_parts, zip_unread
from ir.rules.maps.zips import ungroup_zip
from ir.rules.sorting.scatter import scatter_out_of_rows
from ir.rules.sorting.sort import sort_out_of_map
from ir.walks import reached

__all__ = ["Fission", "apart", "cannot_be_one", "fission_of", "sorts"]


@dataclass(frozen=True, slots=True)
class Fission:
    """How an expression of a graph was cut, over symbols.

    Attributes:
        general: the expression over variables for what it reads, and its sizes
        steps: the rules, each at a value, which is rewritten wherever it is used
        reason: why it was cut: no kernel could be made of it as it was; empty where it is known beforehand
    """

    general: SymbolicKernel
    steps: tuple[Step, ...]
    reason: str = ""

    @property
    def derivation(self) -> Derivation:
        """The steps from the expression to what it was cut into."""
        return replay(self.general.expr, self.steps, shared=True)


def fission_of(derivation: Derivation, granule: int, reason: str = "") -> Fission:
    """A derivation of a cut, over symbols; at its sizes, where a step needs to know them.

    Args:
        granule: see `ir.fusion.symbols.symbolise.symbolise`
    """
    general = symbolise(derivation.start, _shapes(derivation.start), granule)
    if general.fixed:
        general = symbolise(derivation.start, {}, granule)
    named_: dict[Expr, Expr] = {p: Param(f"x{i}", p.type) for i, p in enumerate(general.inputs)}
    sizes = {v: size(general.sizes[v.name]) for v in sizes_in(general.expr)}
    try:
        result = substitute_sizes(replay(general.expr, derivation.steps, shared=True).result, sizes)
    except RewriteError:
        result = None
    if result is not substitute(derivation.result, named_):
        general = SymbolicKernel(substitute(derivation.start, named_), (), {}, general.wide, fixed=True)
    return Fission(replace(general, inputs=()), derivation.steps, reason)  # inputs would keep data alive


def _shapes(e: Expr) -> dict[Param, tuple[int, ...]]:
    """The shapes of what an expression reads, whose rows it may cut into rows of its own."""
    rows: dict[int, tuple[int, ...]] = {}
    for node in postorder(e):
        if isinstance(node, (Split, Join)):
            flat, nested = (node.xs, node) if isinstance(node, Split) else (node, node.xs)
            shape = _shape(nested.type)[:2]
            if 1 not in shape:
                rows.setdefault(_shape(flat.type)[0], shape)
    found = {}
    for p in postorder(e):
        if isinstance(p, Param) and not p.binder:
            extents = list(reversed(_shape(p.type)))
            shape = ()
            while extents:
                extent = extents.pop()
                if extent > 1 and extent in rows:
                    extents += reversed(rows[extent])
                else:
                    shape += (extent,)
            found[p] = shape
    return found


def _shape(t: Type) -> tuple[int, ...]:
    """The extents of an array of a recorded program."""
    return tuple(extent.value or 0 for extent in shape_of(t))


def sorts(f: Expr) -> bool:
    """Does a function sort anything?"""
    return any(isinstance(node, Sort) for node in postorder(f, is_outer))


def scatters(f: Expr) -> bool:
    """Does a function put values to places that they name?"""
    return any(isinstance(node, Scatter) for node in postorder(f, is_outer))


_keeping: WeakKeyDictionary[Expr, bool] = WeakKeyDictionary()


def keeps_rows(f: Expr) -> bool:
    """Does a function, or one inside of it, go on with the results of several rows that it reduces, sorts or scans, or
    reduce arrays that it puts one after the other? It would have to keep them, and in most cases only lengths that are
    not known say how many there are.
    """
    if not isinstance(f, Lambda) or f.level < _OF_ARRAYS or not reduces(f):
        return False
    found = _keeping.get(f)
    if found is None:
        inner = postorder(f.body, is_outer)
        functions = [f] + [node.f for node in inner if isinstance(node, Map) and node.how == MAP]
        found = _keeping[f] = any(_keeps_rows(each) for each in functions if isinstance(each, Lambda))
    return found


_OF_ARRAYS = 2
"""The level of a function that reduces: the function that it reduces by is of level 1."""


def _keeps_rows(f: Lambda) -> bool:
    if f.level < _OF_ARRAYS:
        return False
    body = f.open()[1]
    written = _reached([body])
    parts = row_parts(f)
    if any(isinstance(x, Map) and x not in written and reduces(x.f) and length(x).value != 1 for x in parts):
        return True
    reduced = [x.xs for x in {*parts, *_reached([body])} if isinstance(x, Reduce)]
    made = set(parts)
    return any(isinstance(x, Concat) and x in made for x in _reached(reduced, maps=True))


def repeats_rows(f: Expr) -> bool:
    """Does a function repeat an array that it computes, whose length a kernel does not know?

    Each copy would be read from where the array is kept: in memory that is as large as the array, which only a kernel's
    result can be.
    """
    if not isinstance(f, Lambda) or f.level < _OF_ARRAYS:
        return False
    found = _repeating.get(f)
    if found is None:
        computed = _repeated(f.open()[1])
        found = _repeating[f] = any((length(x).value or 0) > CONSTANT_EXTENT_UP_TO for x in computed if x.loose)
    return found


_repeating: WeakKeyDictionary[Expr, bool] = WeakKeyDictionary()


def _repeated(body: Expr) -> set[Expr]:
    """The computed arrays that are repeated in a function."""
    inner = postorder(body, is_outer)
    rows = [node.x for node in inner if isinstance(node, Repeat) and isinstance(node.x.type, ArrayType)]
    return {x for x in _reached(rows) if is_computed(x)} if rows else set()


def _is_placed(e: Expr) -> bool:
    """Does it only say where its operands lie?"""
    return isinstance(e, Concat) or (e.traits.view and not e.traits.copies)


def _reached(roots: Sequence[Expr], maps: bool = False) -> set[Expr]:
    """The arrays from which an array is reached through what only says where it lies, and that one: those that depend
    on the argument of the function in which they are.

    Args:
        maps: through maps, too
    """

    def dependent(nodes: Sequence[Expr]) -> list[Expr]:
        return [x for x in nodes if x.loose and not isinstance(x, Lambda)]

    def below(e: Expr) -> list[Expr]:
        return dependent(e.operands) if _is_placed(e) or (maps and isinstance(e, Map)) else []

    return set(reached(dependent(roots), below))


def is_long(f: Expr) -> bool:
    """Does a function of rows take so many steps that a kernel of all would be long?"""
    return steps_of(f) > 2 * ROW_STEPS_AT_MOST


def cannot_be_one(f: Expr) -> bool:
    """Is it known that no kernel can compute a map of that function?"""
    return sorts(f) or scatters(f) or keeps_rows(f) or repeats_rows(f) or is_long(f)


def always(f: Expr) -> bool:
    """Any function."""
    return True


def apart(
    roots: Sequence[Expr], graph: Graph, wanted: Callable[[Expr], bool] = always
) -> tuple[list[Expr], list[Derivation]]:
    """The roots over maps of which each sorts, scans, scatters or reduces once at most, and does nothing after that,
    and how these came to be.

    Args:
        graph: what is below the roots
        wanted: which functions are cut
    """
    done: dict[Expr, Expr] = {}
    found: list[Derivation] = []
    for node in graph.order:
        if node in graph.known:
            done[node] = node
            continue
        made = done[node] = rebuild(node, done)
        if isinstance(made, Join) and isinstance(made.xs, Split) and made.xs.xs.type is made.type:
            done[node] = made.xs.xs  # of a map that was cut: as where views are recorded, none undoes another
        if not isinstance(made, Map) or not isinstance(made.f, Lambda) or not wanted(made.f) or not _cut(made, ()):
            continue
        reads = dict.fromkeys((*components(made.xs), *captured(made.f)))
        names: dict[Expr, Expr] = {x: Param(f"x{i}", x.type) for i, x in enumerate(reads)}
        if isinstance(made.xs, Zip):
            names[made.xs] = Zip(*(names[x] for x in made.xs.operands))
        found.append(_derived(rebuild(made, names)))
        done[node] = substitute(found[-1].result, {names[x]: x for x in reads})
    return [done[root] for root in roots], found


def _derived(e: Expr) -> Derivation:
    """A map over variables cut into maps none of which is to be cut."""
    derivation = Derivation.of(e, shared=True)
    settled: set[Expr] = set()
    while True:
        for node in Graph([derivation.result], {}).order:
            done = None if node in settled else _cut(node, ())
            if done is not None:
                break
            settled.add(node)
        else:
            return derivation
        place = _place(derivation.result, node)
        for step in done.steps:
            derivation = derivation.take(step._replace(path=place + step.path))


def _place(e: Expr, value: Expr) -> Path:
    """The first place of a vertex, users before operands; iterative."""
    above: dict[Expr, tuple[Expr, int]] = {}
    pending = [e]
    while pending:
        node = pending.pop()
        if node is value:
            break
        for index in reversed(range(len(node.operands))):
            operand, _ = enter(node, index, ())
            if operand.patterned and operand not in above:
                above[operand] = node, index
                pending.append(operand)
    path: list[int] = []
    node = value
    while node is not e:
        node, index = above[node]
        path.append(index)
    return tuple(reversed(path))


def _cut(e: Expr, context: Context) -> Rewritten | None:
    """A map as two, or a map of maps as one; None where there is no need to."""
    if not isinstance(e, Map) or e.how != MAP or not isinstance(e.f, Lambda):
        return None
    (x, *_), body = e.f.open()
    last = body
    while isinstance(last, (Join, Element)):
        last = last.operands[0]
    repeated = _repeated(body)
    parts = row_parts(e.f)
    if is_long(e.f):
        steps = row_steps(e.f)
        ends = [
            part
            for part in parts
            if steps[part] >= ROW_STEPS_AT_MOST and isinstance(element_type(part.type), ScalarType)
        ]
        if ends:
            first = min(ends, key=steps.__getitem__)
            return seq(use(row_fission, part=parts.index(first)), _plain)(e, context)
    for value in parts:
        stored = _is_stored(value) or value in repeated
        if not stored or (value is last and (isinstance(value, Reduce) or _is_of_windows(value))):
            continue
        if _is_of_windows(value) and Join(value) in parts:  # what reads windows side by side makes numbers, no rows
            value = Join(value)
        return seq(use(row_fission, part=parts.index(value)), _plain)(e, context)
    if isinstance(body, Concat):
        return seq(concat_out_of_map, by_way_of_flat)(e, context)
    if isinstance(body, Scatter):
        return scatter_out_of_rows(e, context)
    if isinstance(body, Map) and (reduces(body.f) or _is_row(body.xs, x)):
        return _flat(e, context)
    if isinstance(body, Sort) and _is_of_several(body.xs):
        # keys are of numbers, not of what these are made of
        return seq(sort_out_of_map, at(array, _flat))(e, context)
    return None


def _is_row(e: Expr, x: Expr) -> bool:
    """Is it the row itself, or its elements one after the other?"""
    while isinstance(e, Join):
        e = e.xs
    return e is x


def _is_of_windows(e: Expr) -> bool:
    """Is it computed of each window of an array?"""
    return isinstance(e, Map) and any(isinstance(x, Slide) for x in components(e.xs))


def _is_of_several(e: Expr) -> bool:
    """Is it made of several arrays, element by element?"""
    computed = isinstance(e, Map)
    while isinstance(e, Map):
        e = e.xs
    return computed and isinstance(e, Zip)


_plain: Strategy = seq(at(array / part(0), try_(zip_unread)), try_(ungroup_zip), try_(zip_unread))
"""What was cut off reads what it needs, and what is left reads arrays beside each other."""

_flat_array = below(Split) / array
_flat: Strategy = seq(
    split_join_introduction,
    at(below(Split), choice(map_out_of_rows, flatten_rows)),
    repeat(
        choice(
            at(_flat_array, join_out_of_map),
            at(_flat_array, join_after_split),
            at(_flat_array / viewed, choice(map_identity_elimination, join_after_split)),
            at(_flat_array / viewed / viewed, map_identity_elimination),
        )
    ),
)
"""A map of maps as one map, which is read by rows."""


def _is_stored(e: Expr) -> bool:
    """Is it a result that has to be in memory before it is read?"""
    return isinstance(e, Concat) or e.traits.collective or (isinstance(e, Map) and reduces(e.f))
