"""What a kernel does to memory and how much it computes, read off the tree that the generator makes before it prints.

Only there everything is decided: which loops there are, who runs them, in vectors of what width, what is unrolled and
what is kept. A nest is a block that is run a number of times; its steps are statements, each with its accesses and the
instructions that its text asks for. Sizes stay symbols.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from ir.core.expr import Expr
from ir.core.sizes import Size
from ir.core.types import FLOAT32, ScalarType, VectorType, scalar
from ir.cost.operations import DIVISIONS, FUNCTIONS, INSTRUCTIONS, Work
from ir.cost.thresholds.prediction import WAITS_FOR_A_CHOICE, WAITS_FOR_A_DIVISION, WAITS_FOR_A_FUNCTION
from ir.opencl.generate import Tree, trees
from ir.opencl.passes.accesses import NAME
from ir.opencl.stages import Launch
from ir.opencl.tree import Access, Barrier, Block, Declare, If, Loop, Node, Statement, Turns, walk
from ir.opencl.write.spelling import C_NAMES, by_lanes

__all__ = ["Called", "Nest", "Place", "Stage", "Step", "stages_to_predict"]


@dataclass(frozen=True)
class Place:
    """Neighbouring elements of some memory.

    Attributes:
        index: the first of them; None: any
        type: of one element
    """

    name: str
    space: str
    index: Size | None
    width: int
    type: ScalarType

    @property
    def bytes(self) -> int:
        """Of one element."""
        return self.type.bytes

    @property
    def is_memory(self) -> bool:
        """Does it lie in memory? Elements of a private array that have a number of their own are kept in registers."""
        return self.space != "private" or self.index is None or self.index.value is None


class Called(NamedTuple):
    """A call of a function, of numbers of its dtype: of one where it is computed lane by lane, else of a vector."""

    work: Work
    by_lanes: bool


@dataclass(frozen=True)
class Step:
    """One statement.

    Attributes:
        lanes: the widest vector in it, in elements of `bytes` bytes
        simple, divisions: operations of each kind, of that many lanes
        quotients: divisions of integers, of that many lanes
        gathered: numbers from places of their own that a vector is put together from
        functions: calls of those that take longer
    """

    reads: tuple[Place, ...]
    writes: tuple[Place, ...]
    lanes: int
    bytes: int
    simple: int
    divisions: int
    functions: tuple[Called, ...] = ()
    quotients: float = 0.0
    gathered: int = 0


@dataclass
class Nest:
    """Statements and nests in order, run as often as `turns` says; once where that is None.

    Attributes:
        chain: operations, one after the other, from an accumulator to its next value, for which the next turn waits
    """

    turns: Turns | None
    body: list[Nest | Step] = field(default_factory=list)
    barriers: int = 0
    chain: float = 0

    def inside(self) -> Iterator[Nest]:
        """This nest and those in it."""
        yield self
        for part in self.body:
            if isinstance(part, Nest):
                yield from part.inside()


@dataclass(frozen=True)
class Stage:
    """One kernel of a program.

    Attributes:
        local_bytes: the local memory of a work-group
        private_bytes: the private arrays of a work-item
        definitions: the indices that variables which hold quotients and remainders stand for
        looked_up: the indices that come from data, and the variables of the loops in which they change
    """

    nest: Nest
    launch: Launch
    local_bytes: int
    private_bytes: int
    definitions: Mapping[Size, Size]
    looked_up: Mapping[str, frozenset[str]]


@lru_cache(maxsize=256)
def stages_to_predict(low: Expr) -> tuple[Stage, ...]:
    """The kernels of a low-level expression, in order."""
    return tuple(_Reader(tree).stage() for tree in trees(low))


_CALLS = {
    "fma", "mad", "fmin", "fmax", "select", "fabs", "limited", "min", "max", "mul_hi", "isnan", "isinf", "isfinite",
    "left_shift", "right_shift", "negative", "bitwise_invert", "sign", "abs", *INSTRUCTIONS,
}  # fmt: skip
_FUNCTION = FUNCTIONS - DIVISIONS - _CALLS
_OF_A_TYPE = re.compile(r"_(u?(?:char|short|int|long)|float|double)\d*$")
_OPERATOR = re.compile(r" (?:[-+*<>&|^?%]|<=|>=|==|!=|<<|>>|&&|\|\|) ")
_ARITHMETIC = re.compile(r" [-+*] ")
_DIVISION = re.compile(r" / ")
_LANE = re.compile(r"\.s[0-9a-f]\b")
_VECTOR = re.compile(r"\b(?:unaligned_|gathered_)?(u?(?:char|short|int|long)|float|double)(2|3|4|8|16)\b")
_SCALARS = {name: scalar(t) for t, name in C_NAMES.items()}


class _Reader:
    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.accesses = tree.accesses
        self.types: dict[str, tuple[int, ScalarType]] = {}  # of variables: lanes, and their type
        self.waits: dict[str, dict[str, float]] = {}  # after how many operations from which accumulators
        self.definitions: dict[Size, Size] = {}
        for parts, (index, divisor) in tree.divisions.items():
            for part, whole in zip(parts, (index // divisor, index % divisor), strict=True):
                if part is not whole:  # a variable that holds it
                    self.definitions[part] = whole
        divided = {v.name for v in self.definitions}
        loops = {
            block.turns.index.name for block in walk(tree.function.body) if isinstance(block, Block) and block.turns
        }
        self.depends = {name: frozenset((name,)) for name in loops}  # of variables: on those of which loops
        for variable, whole in self.definitions.items():
            self.depends[variable.name] = self.loops_of(v.name for v in whole.variables)
        self.unforeseen = {v.name for v in tree.declared} - divided - loops
        self.local_bytes = self.private_bytes = 0

    def stage(self) -> Stage:
        nest = Nest(None)
        self.read(self.tree.function.body, nest)
        looked_up = {name: self.depends[name] for name in self.unforeseen if name in self.depends}
        return Stage(nest, self.tree.launch, self.local_bytes, self.private_bytes, self.definitions, looked_up)

    def loops_of(self, names: Iterable[str]) -> frozenset[str]:
        """The loops on which the values of any of these variables depend."""
        return frozenset[str]().union(*(self.depends.get(name, ()) for name in names))

    def read(self, node: Node, nest: Nest) -> None:
        match node:
            case Block(body, turns):
                inner = nest
                if turns is not None:
                    inner = Nest(turns)
                    nest.body.append(inner)
                    outer, self.waits = self.waits, {name: {name: 0} for name in _assigned(node)}
                for part in body:
                    self.read(part, inner)
                if turns is not None:
                    self.waits = outer
            case Loop(body=body):
                self.read(body, nest)
            case If(condition, body):
                if not node.otherwise:
                    if node.loop is None:
                        self.step(condition, None, None, nest)
                    self.read(body, nest)
            case Barrier():
                nest.barriers += 1
            case Declare(type_, name, value, length):
                self.declare(type_, name, length, node.space)
                if value is not None:
                    self.step(value, name, None, nest)
            case Statement(text):
                self.step(text, None, node.stored, nest)

    def declare(self, type_: str, name: str, length: int | None, space: str) -> None:
        lanes, t = self.types[name] = _lanes_of(type_)
        if length is not None:
            if space == "__local":
                self.local_bytes += length * t.bytes * lanes
            else:
                self.private_bytes += length * t.bytes * lanes

    def step(self, text: str, declared: str | None, stored: Access | None, nest: Nest) -> None:
        """A statement, from its text: the value of a variable, or a store or an assignment."""
        if text.startswith("PREFETCH"):
            return
        target, value = declared, text
        if stored is None and declared is None and " = " in text:
            target, _, value = text.partition(" = ")
        elif stored is not None:
            value = text.partition(" = ")[2]
        accesses, bare = self.accesses.taken_apart(value)
        reads = tuple([self.place(access) for access in accesses if access is not stored])
        writes = () if stored is None else (self.place(stored),)
        names = NAME.findall(bare)
        known = [self.types[name] for name in (*names, target or "") if name in self.types]
        known += [(place.width, place.type) for place in (*reads, *writes)]
        known += [(int(width), _SCALARS[scalar]) for scalar, width in _VECTOR.findall(bare)]
        lanes = max((lanes for lanes, _ in known), default=1)
        types = [t for n, t in known if n == lanes] or [FLOAT32]
        bytes_ = max(t.bytes for t in types)
        called = [_OF_A_TYPE.sub("", name) for name in names]
        widest = max(types, key=lambda t: (t.is_float, t.bytes))  # the type of calls whose names do not say it
        functions = tuple(
            _called(base, name, widest) for base, name in zip(called, names, strict=True) if base in _FUNCTION
        )
        divided, divisions = sum(name in DIVISIONS for name in called), len(_DIVISION.findall(bare))
        if widest.is_float:
            divisions, divided = divisions + divided, 0
        quotients = divided / (lanes if _LANE.search(bare) else 1)  # called lane by lane, they are one of vectors
        alone = sum(place.width == 1 and place.is_memory for place in reads)
        gathered = alone if lanes > 1 and alone >= lanes else 0
        simple = len(_OPERATOR.findall(bare)) + sum(name in _CALLS for name in called)
        waited = len(_ARITHMETIC.findall(bare)) + called.count("fma")
        waited += WAITS_FOR_A_DIVISION * (divisions + divided) + WAITS_FOR_A_FUNCTION * len(functions)
        depth = (waited + 1).bit_length() - 1
        if target is not None:
            indices = [v.name for place in reads if place.index is not None for v in place.index.variables]
            self.depends[target] = self.depends.get(target, frozenset()) | self.loops_of([*names, *indices])
            self.wait(target, names, depth or WAITS_FOR_A_CHOICE * min(simple, 1), nest)
        if not self.is_invariant(declared, reads, nest):
            nest.body.append(Step(reads, writes, lanes, bytes_, simple, divisions, functions, quotients, gathered))

    def is_invariant(self, declared: str | None, reads: tuple[Place, ...], nest: Nest) -> bool:
        """Does a statement say by data where elements lie, the same in all turns, so that compilers do it once?"""
        return (
            declared in self.unforeseen
            and nest.turns is not None
            and nest.turns.index.name not in self.depends[declared]
            and all(place.space == "global" for place in reads)
        )

    def wait(self, target: str, names: list[str], operations: float, nest: Nest) -> None:
        """Note after how many operations a variable has its value, from each accumulator that it depends on."""
        found: dict[str, float] = {}
        for name in names:
            for accumulator, before in self.waits.get(name, {}).items():
                found[accumulator] = max(found.get(accumulator, 0), before + operations)
        if target in self.waits.get(target, ()):
            nest.chain = max(nest.chain, found.get(target, 0))
        elif found:
            self.waits[target] = found

    def place(self, access: Access) -> Place:
        storage = self.accesses.memory[access.name]
        t = storage.element
        width, element = (t.width, t.element) if isinstance(t, VectorType) else (1, t)
        assert isinstance(element, ScalarType)
        return Place(access.name, storage.space, access.index, access.width * width, element)


def _called(function: str, name: str, t: ScalarType) -> Called:
    """A call by a name that says the type of its operands, or else of this type."""
    said = _OF_A_TYPE.search(name)
    t = t if said is None else _SCALARS[said.group(1)]
    return Called(Work("function", t.name, function), by_lanes(function, VectorType(t, 2)))


def _lanes_of(type_: str) -> tuple[int, ScalarType]:
    found = _VECTOR.search(type_)
    if found is not None:
        return int(found.group(2)), _SCALARS[found.group(1)]
    return 1, next((_SCALARS[word] for word in type_.split() if word in _SCALARS), FLOAT32)


def _assigned(block: Block) -> list[str]:
    """The variables of blocks around that the statements of a block assign to, those of blocks in it that are run once
    among them.
    """
    found: dict[str, None] = {}
    own: set[str] = set()
    pending: list[Node] = list(block.body)
    while pending:
        node = pending.pop()
        if isinstance(node, Declare):
            own.add(node.name)
        elif isinstance(node, Statement) and node.stored is None:
            name, assigns, _ = node.text.partition(" = ")
            if assigns and name.isidentifier():
                found[name] = None
        elif isinstance(node, Block) and node.turns is None:
            pending.extend(node.body)
    return [name for name in found if name not in own]
