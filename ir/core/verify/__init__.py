"""The verifier: the context conditions that types do not state.

They are the [pre : post] conditions of the thesis chapter (section "Lowering Rules") and section 4 of the design: which
map may stand inside which, where results may be kept, and which work-item writes them. `verify` checks what holds in
every state of a derivation, `verify_low_level` also what an expression needs before code is generated from it.
"""

from __future__ import annotations

from ir.core.expr import Expr
from ir.core.lanes import check_lanes
from ir.core.patterns import Kind
from ir.core.place import Place
from ir.core.stored import everything_below, not_stored, open_power
from ir.core.verify.placing import is_placed, made_by_local
from ir.core.verify.walk import Verifier
from ir.errors import VerificationError

__all__ = ["holds_at", "is_placed", "made_by_local", "verify", "verify_low_level"]


def verify(e: Expr, seen: set[object] | None = None) -> None:
    """Check what holds in every state of a derivation.

    Args:
        seen: what was checked in the states before, and is not checked again where it stands as it did; what is checked
            is added

    - A mapLocal stands inside a mapWorkgroup, and in no mapLocal of its dimension.
    - A mapWorkgroup (a mapGlobal) stands at the top, or inside maps of its kind and of other dimensions only.
    - A mapWarp stands inside a mapWorkgroup and outside every mapLocal and mapWarp, a mapLane inside a mapWarp of as
      many lanes and in no mapLane; a mapLocal stands outside both.
    - A mapLibrary computes the whole result, outside all functions.
    - A toLocal stands inside a mapWorkgroup and outside every mapWarp, and mapLocals or mapWarps compute what it keeps.
      Inside a mapLocal each of its turns has memory of its own, mapLocals of other dimensions compute that, and no
      mapSeqHead stands in between.
    - A toGlobal whose result is read stands outside all functions; none stands in what a toLocal or toPrivate keeps.
      A toLastGroup is read.

    Raises:
        VerificationError: something does not hold; names the place and the condition.
    """
    Verifier(e, strict=False).run(seen=seen)


def verify_low_level(e: Expr) -> None:
    """Check that an expression is fully lowered and safe to run.

    Besides what `verify` checks:

    - No high-level pattern is left: open maps that compute, open reductions, scans and scatters, sort, reducePart,
      reorder, vect.
    - What another pattern reads carries an address space; iterate reads a toLocal, inside a mapWorkgroup.
    - What is kept in local or private memory is read, by something that reaches global memory in the end.
    - A kernel has mapWorkgroups or mapGlobals, not both.
    - What a toLastGroup keeps is computed by mapWorkgroups, and read by one kernel whose mapWorkgroups have one turn;
      that one reads no other, and neither does what is kept.
    - Local and private memory holds arrays of a constant size, global memory no vectors. An unrolled loop has a
      constant length, and it alone reads lanes of a vector that is stored as a whole.
    - What is kept in local memory needs no index of a generate.
    - No kernel's result is a part of another's without a map that copies it.
    - The pairs of a permute, or a compact, are computed together.
    - No two work-items write one place: what a kernel writes to global memory lies inside a map of each kind and
      dimension that the kernel is launched over, and what it writes to local memory inside its mapLocals.

    Raises:
        VerificationError: something does not hold; names the place and the condition.
    """
    Verifier(e, strict=True).run()
    for node in everything_below(e):
        power = open_power(node)
        if power is not None:
            raise VerificationError(f"{node.name}: a kernel computes sizes of known powers, not {power}\n    {node!r}")
    why = not_stored(e.type, "global")
    if why:
        raise VerificationError(f"the result, of type {e.type}, in global memory: {why}\n    {e!r}")
    check_lanes(e)


_CARRIED = 3
"""Levels below a part that is rewritten at which rules find what they put elsewhere."""


def holds_at(e: Expr, kinds: tuple[Kind, ...], use: str, before: Expr | None = None) -> bool:
    """Does what `verify` checks hold of a part of an expression, inside those functions, outermost first?

    Args:
        use: where its value is written (`global`, `local`, `private`), or `read`
        before: what stood there, of which the same is known: what both have at the same places is not checked again

    What is kept in local or private memory and needs variables of those functions is taken to be computed outside of
    them, inside the mapWorkgroups.
    """
    verifier, place = Verifier(e, strict=False), Place(kinds, use)
    try:
        verifier.run(place, set() if before is None else verifier.places_below(before, place, _CARRIED))
    except VerificationError:
        return False
    return True
