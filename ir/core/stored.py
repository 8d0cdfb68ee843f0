"""What memory holds: values of which types each address space keeps, and which of them end a kernel."""

from __future__ import annotations

from collections.abc import Sequence

from ir.core.expr import Expr, Lambda, postorder
from ir.core.patterns import (
    MAP,
    AsScalar,
    AsVector,
    Concat,
    Element,
    Get,
    Map,
    MapReduce,
    Memory,
    Mma,
    Overlap,
    Reduce,
    Tuple,
    Zip,
    moves_elements,
)
from ir.core.sizes import Size
from ir.core.types import ArrayType, TupleType, Type, VectorType
from ir.walks import reached

__all__ = [
    "changed_elements", "changes", "everything_below", "holds_array", "is_read_of_accumulator", "not_stored",
    "open_power", "own_results", "part_of", "written_before", "written_together",
]  # fmt: skip


def holds_array(t: Type) -> bool:
    """Is it an array, or a tuple of which a part is one?"""
    return isinstance(t, ArrayType) or (isinstance(t, TupleType) and any(map(holds_array, t.elements)))


def changed_elements(e: Expr, accumulator: Expr) -> Map | None:
    """The map by which each element of an accumulator follows from the same element, so that it can be changed where it
    lies: of a zip whose first part is the accumulator, perhaps in vectors. None where e is no such map.

    Where the elements are arrays, the same holds of how each follows from what it was.
    """
    inner = e.xs if isinstance(e, AsScalar) else e
    if not isinstance(inner, Map) or not isinstance(inner.f, Lambda):
        return None
    xs = inner.xs.xs if isinstance(inner.xs, AsVector) else inner.xs
    if not isinstance(xs, Zip) or xs.operands[0] is not accumulator:
        return None
    if any(accumulator in postorder(x) for x in (inner.f, *xs.operands[1:])):
        return None
    (pair,), body = inner.f.open()
    before = Get(0, pair)
    if isinstance(before.type, ArrayType) and not changes(body, before):
        return None
    return inner


def changes(e: Expr, accumulator: Expr) -> bool:
    """Is it an array that is changed where it lies: element by element, by a reduction that goes on from it, or by the
    lanes of a warp, each of which holds its own part?
    """
    match e:
        case Mma(_, init, rows, columns) if init is accumulator:
            return accumulator not in postorder(rows) and accumulator not in postorder(columns)
        case Element(at, Reduce(Lambda() as f, init, xs)) if at.value == 0 and init is accumulator:
            (inner, _), body = f.open()
            return accumulator not in postorder(xs) and accumulator not in postorder(f) and changes(body, inner)
    return changed_elements(e, accumulator) is not None


def part_of(e: Expr) -> tuple[Expr, int] | None:
    """What one loop computes together with others, and which of its results e is: `q.1` of a mapReduceSeq q, or
    `map (λp. p.i) s` of a loop s whose turns give a tuple of arrays. None for all else.
    """
    match e:
        case Get(i, MapReduce() as loop):
            return loop, i
        case Map(Lambda() as f, Map(how=how) as loop, taken) if taken is MAP and how is not MAP:
            (variable,), body = f.enter()
            if isinstance(body, Get) and body.operand is variable and holds_array(body.type):
                return loop, body.index
    return None


def written_together(e: Tuple) -> dict[Expr, list[int]]:
    """The loops of which results are parts of a tuple that is written, and which of their results these are."""
    found: dict[Expr, list[int]] = {}
    pending = list(e.operands)
    while pending:
        node = pending.pop()
        part = part_of(node)
        if part is not None:
            found.setdefault(part[0], []).append(part[1])
        elif isinstance(node, (Concat, Overlap)):
            pending.extend(node.operands)
        elif node.traits.moves or moves_elements(node):
            pending.append(node.operands[-1])
    return found


def is_read_of_accumulator(e: Expr) -> bool:
    """Is it the accumulator of a mapReduceSeq, which stays in private memory?"""
    return isinstance(e, Get) and e.index == 0 and isinstance(e.operand, MapReduce)


def not_stored(t: Type, space: str) -> str:
    """Why a value of that type is not kept in an address space, or an empty text.

    Global memory holds scalars, since hosts and other kernels read it; the other spaces hold vectors, too, in arrays
    whose size the kernel's text has to state. Each component of a tuple lies in memory of its own.
    """
    inner = t
    while isinstance(inner, ArrayType):
        if space != "global" and inner.length.value is None:
            why = f"its size is known when the kernel is written, not {inner.length} elements"
            return f"{why}: split what is computed into parts of a constant length, or keep it in global memory"
        inner = inner.element
    if isinstance(inner, TupleType):
        if inner is t and space == "global":
            return next(filter(None, (not_stored(part, space) for part in inner.elements)), "")
        if any(map(holds_array, inner.elements)):
            return f"the arrays of a tuple are kept one by one: no value of type {t} is"
    if space == "global" and any(isinstance(leaf, VectorType) for leaf in _leaves(inner)):
        return f"it holds scalars, not {inner}: asScalar hands on the lanes of what is computed"
    return ""


def _leaves(t: Type) -> list[Type]:
    return [leaf for part in t.elements for leaf in _leaves(part)] if isinstance(t, TupleType) else [t]


def open_power(e: Expr) -> Size | None:
    """A length or other size of a node that is a power whose exponent is no number, so that no kernel computes it."""
    lengths = [e.type.length] if isinstance(e.type, ArrayType) else []
    sizes = (value for value in (*lengths, *e.parameters) if isinstance(value, Size))
    return next((value for value in sizes if _has_power(value)), None)


def _has_power(value: Size) -> bool:
    atoms = [atom for monomial, _ in value.terms for atom, _ in monomial]
    return any(atom.kind == "pow" or any(map(_has_power, atom.operands)) for atom in atoms)


def own_results(root: Expr) -> set[Expr]:
    """The `toGlobal`s whose value is the result, or a part of it that is only moved, and that nothing reads.

    They end no kernel.
    """

    def passes_on(e: Expr) -> Sequence[Expr]:
        return e.operands if e.traits.passes_destination or (isinstance(e, Memory) and e.is_global) else ()

    moved = set(reached([root], passes_on))
    computed = {operand for node in everything_below(root) if node not in moved for operand in node.operands}
    return {node for node in moved - computed if isinstance(node, Memory)}


def written_before(root: Expr) -> list[Expr]:
    """The results of a program of several that an earlier kernel has written, each once: `t.i` for its `toGlobal` t.

    Nothing is left to do for them, since a kernel's results lie in memory of their own each.
    """
    found = [e for e in root.operands if isinstance(e, Get) and isinstance(e.operand, Memory)] * isinstance(root, Tuple)
    return [e for e in found if e.operand.space == "global" and found.count(e) == 1]  # type: ignore[attr-defined]  # memory


def everything_below(root: Expr) -> list[Expr]:
    """Every distinct node, functions' bodies included."""
    return list(reached([root], lambda e: e.operands))
