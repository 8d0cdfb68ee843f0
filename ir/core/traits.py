"""What a class of nodes is, in the words that passes ask for. Each class declares its traits beside its type scheme and
its meaning; `docs/patterns.md` has the table.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Traits"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Traits:
    """The traits of a class of nodes; what is not said does not hold.

    The first ones say what it does with elements, those from `high_level` on how it is lowered and cut into kernels.

    Attributes:
        view: its result is its operands by other indices: no code, no memory
        reshapes: the elements lie as they did, row after row; only the shape is another
        bijective: each element of its one array is at exactly one place of the result
        partial: elements of its one array may be at no place of the result: whoever computes these writes them nowhere
        copies: elements of its array may be at several places of the result, as a slice has them at step 0 alone
        natural: whatever the elements are, they come out as they are, so that it commutes with maps of any function
            (Wadler, "Theorems for free!", 1989)
        creates: its elements are in none of its operands
        computes: it runs a loop over arrays
        collective: an element of the result needs many elements of an array, so that whatever reads the result waits
            for all of it
        high_level: rules replace it before code is generated
        by_index: each element of its one array is a value beside the index of its place
        passes_destination: whoever computes its operands writes them where its result goes
        materialised: its result is put into memory before anything reads it
        size_neutral: graphs that differ in its sizes alone, but for the classes of windows, are cut into the same
            kernels. Any cut is right for it, since no kernel is more than vertices of the graph; what has sizes that
            are computed with when a graph is cut (is one offset beyond another, is a length the sum of others) is not
            neutral.
        by_lanes: the work-items of a group compute its elements together, each its own: all of them come to it
        streams: the operands of which it reads each element once, in order
    """

    view: bool = False
    reshapes: bool = False
    bijective: bool = False
    partial: bool = False
    copies: bool = False
    natural: bool = False
    creates: bool = False
    computes: bool = False
    collective: bool = False
    high_level: bool = False
    by_index: bool = False
    passes_destination: bool = False
    materialised: bool = False
    size_neutral: bool = False
    by_lanes: bool = False
    streams: tuple[str, ...] = ()

    @property
    def moves(self) -> bool:
        """Does each element of its one array go to one place of the result, or to none?"""
        return (self.bijective or self.partial) and self.passes_destination

    @property
    def folds(self) -> bool:
        """Does it combine values that it reads one after the other?"""
        return self.collective and bool(self.streams)

    def __post_init__(self) -> None:
        if self.collective and not self.computes:
            raise TypeError("what is collective computes")
        if self.view and (self.computes or self.creates):
            raise TypeError("a view neither computes nor creates elements")
        if self.bijective and self.copies:
            raise TypeError("what copies elements is not bijective")
        if self.by_lanes and not self.collective:
            raise TypeError("what work-items compute together is collective")
        if self.streams and not self.computes:
            raise TypeError("only what computes reads its operands one element after the other")
