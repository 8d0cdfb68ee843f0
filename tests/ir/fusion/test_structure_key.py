"""Recognising programs: what a skeleton tells apart, what it does not, and that it costs one pass."""

from __future__ import annotations

import gc
from weakref import ref

import pytest

from ir.core.expr import Expr, Param, close, fresh, fun
from ir.core.notation.parser import parse
from ir.core.patterns import Call, Concat, FromSize, Get, Join, Literal, Map, Reduce, Slice, Split, Zip
from ir.core.sizes import LIMIT_32
from ir.core.types import FLOAT32, INT32, ArrayType, TupleType, array_of
from ir.cost.thresholds.partition import CONSTANT_EXTENT_UP_TO
from ir.fusion.program import plan_program
from ir.fusion.symbols.structure_key import StructureKey, _is_variable, classes, structure_key
from ir.fusion.symbols.symbolise import symbolise

NEGATE = fun(FLOAT32, lambda x: Call("negative", x))
ABS = fun(FLOAT32, lambda x: Call("abs", x))
ADD = fun(TupleType((FLOAT32, FLOAT32)), lambda p: Call("add", Get(0, p), Get(1, p)))


def vector(name: str, n: int, t=FLOAT32) -> Param:
    return Param(name, array_of(t, n))


def flat(p: Param) -> tuple[int, ...]:
    shape = []
    t = p.type
    while isinstance(t, ArrayType):
        shape.append(t.length.value)
        t = t.element
    return tuple(shape)


def of(*roots: Expr, known=None) -> StructureKey:
    return structure_key(roots, flat, known)


def same(a: StructureKey, b: StructureKey) -> bool:
    return (a.structure, hash(a.structure)) == (b.structure, hash(b.structure))


def both(n: int, names: str = "xy") -> Expr:
    return Map(ADD, Zip(Map(ABS, vector(names[0], n)), vector(names[1], n)))


def test_other_leaves_and_other_lengths_are_the_same_structure():
    one, two = of(both(100)), of(both(37, "pq"))
    assert same(one, two)
    assert one.numbers == (100, 100)
    assert two.numbers == (37, 37)
    assert sorted(p.identifier for p in one.leaves) == ["x", "y"]
    assert [p.identifier for p in two.leaves] == [{"x": "p", "y": "q"}[p.identifier] for p in one.leaves]


def different() -> list[Expr]:
    x, y = vector("x", 100), vector("y", 100)
    return [
        Map(ADD, Zip(Map(ABS, x), y)),
        Map(ADD, Zip(Map(ABS, x), x)),  # the same leaf twice
        Map(ADD, Zip(y, Map(ABS, x))),
        Map(ADD, Zip(Map(NEGATE, x), y)),
        Map(ADD, Zip(Map(ABS, Map(ABS, x)), y)),
        Map(ABS, x),
        Map(fun(INT32, lambda v: Call("abs", v)), vector("i", 100, INT32)),
        Map(fun(FLOAT32, lambda v: Call("add", v, Literal(1, FLOAT32))), x),
        Map(fun(FLOAT32, lambda v: Call("add", v, Literal(2, FLOAT32))), x),
        Slice(10, 1, 20, x),
        Slice(10, -1, 5, x),
        Split(10, x),
    ]


def test_different_programs_have_different_structures():
    found = [of(e).structure for e in different()]
    assert len(set(found)) == len(found)


def test_roots_count_and_so_does_their_order():
    a, b = Map(ABS, vector("x", 10)), Map(NEGATE, vector("x", 10))
    assert len({of(*roots).structure for roots in ((a,), (b,), (a, b), (b, a), (a, a))}) == 5


def rows(n: int, m: int, row: Expr | None = None) -> Expr:
    """Sums of the rows of a matrix: the lengths of rows stand inside a function."""
    add = fun((FLOAT32, FLOAT32), lambda a, b: Call("add", a, b))
    f = fun(
        array_of(FLOAT32, m), lambda r: Reduce(add, Literal(0, FLOAT32), r if row is None else Map(ADD, Zip(r, row)))
    )
    return Map(f, Split(m, vector("x", n * m)))


def test_sizes_inside_functions_are_numbers():
    one, two = of(rows(30, 70)), of(rows(17, 5))
    assert same(one, two)
    assert one.numbers != two.numbers
    assert set(two.numbers) == {17 * 5, 5}
    mean = [Map(fun(FLOAT32, lambda v, k=k: Call("divide", v, FromSize(k, FLOAT32))), vector("x", k)) for k in (9, 12)]
    assert same(of(mean[0]), of(mean[1]))
    assert of(mean[0]).numbers != of(mean[1]).numbers


def test_arrays_that_functions_close_over_are_leaves():
    one, two = of(rows(30, 70, vector("row", 70))), of(rows(17, 5, vector("other", 5)))
    assert same(one, two)
    assert {p.identifier for p in one.leaves} == {"x", "row"}
    assert not same(one, of(rows(30, 70)))
    inside = rows(30, 70, Map(ABS, vector("row", 70)))
    assert {p.identifier for p in of(inside).leaves} == {"x", "row"}


def test_the_same_function_written_twice_is_the_same():
    def double() -> Expr:
        x = fresh(FLOAT32)
        return Map(close([x], Call("add", x, x)), vector("x", 10))

    assert same(of(double()), of(double()))


def test_vertices_that_are_known_are_leaves():
    inner = Map(ABS, vector("x", 100))
    outer = Map(NEGATE, inner)
    value = vector("value", 100)
    found = of(outer, known={inner: value}.get)
    assert found.leaves == [value]
    assert found.known == {inner: value}
    assert same(found, of(Map(NEGATE, vector("z", 55))))
    assert same(of(inner, outer, known={inner: value}.get), of(vector("z", 8), Map(NEGATE, vector("z", 8))))


def test_long_chains_are_walked_iteratively_and_once():
    e: Expr = vector("x", 10)
    for _ in range(20_000):
        e = Map(ABS, e)
    assert len(of(e).structure) < 20_000 * 8
    shared: Expr = vector("x", 10)
    for _ in range(200):  # 2^200 paths
        shared = Map(ADD, Zip(shared, shared))
    assert len(of(shared).structure) < 200 * 16


# What lets a cut for one set of sizes serve another.


def kinds(e: Expr, granule: int = 1):
    return classes([e], of(e), flat, granule)


def test_the_classes_of_sizes():
    assert kinds(both(100))[0] == kinds(both(101))[0]
    assert kinds(both(100))[1] == [100]
    assert kinds(both(100))[0] != kinds(both(1000))[0]  # another magnitude
    assert kinds(both(112), 16)[0] != kinds(both(113), 16)[0]  # a multiple of the granule
    assert kinds(both(112), 16)[0] == kinds(both(96), 16)[0]
    assert kinds(rows(30, CONSTANT_EXTENT_UP_TO))[0] != kinds(rows(30, CONSTANT_EXTENT_UP_TO - 1))[0]
    assert kinds(rows(20, 21))[0] != kinds(rows(20, 20))[0]  # equal extents
    assert kinds(Slice(10, 1, 20, vector("x", 31)))[0] == kinds(Slice(11, 1, 21, vector("x", 29)))[0]
    assert kinds(Slice(10, 1, 20, vector("x", 20)))[0] != kinds(Slice(10, 1, 21, vector("x", 20)))[0]


def test_products_of_extents_are_seen():
    def program(shape: tuple[int, ...], other: int) -> Expr:
        cube = Param("cube", array_of(FLOAT32, *shape))
        return Zip(Slice(0, 1, other, Join(Join(cube))), vector("ys", other))

    assert kinds(program((5, 7, 9), 35))[0] != kinds(program((5, 7, 9), 36))[0]  # 35 is 5 * 7
    assert kinds(program((5, 7, 11), 35))[0] == kinds(program((5, 7, 12), 35))[0]


def test_where_sizes_are_computed_with_each_is_a_class_of_its_own():
    def joined(n: int, m: int) -> Expr:
        return Map(ABS, Concat(vector("x", n), vector("y", m)))

    assert kinds(joined(10, 11))[0] != kinds(joined(12, 13))[0]
    assert kinds(joined(10, 11))[0] == kinds(joined(10, 11))[0]
    huge = [both(LIMIT_32 + 1), both(LIMIT_32 + 2)]
    assert kinds(huge[0])[0] != kinds(huge[1])[0]


def test_what_a_known_vertex_was_computed_from_is_in_no_class():
    """Else one program would have two lists of sizes, and be resized from one to the other."""
    leaf = vector("v", 20)
    ways = [Map(ABS, vector("x", 20)), Slice(9, 1, 20, vector("x", 31)), Concat(vector("x", 7), vector("y", 13))]
    found = [of(Map(NEGATE, inner), known={inner: leaf}.get) for inner in ways]
    kinds_of = [classes([Map(NEGATE, inner)], each, flat, 1) for inner, each in zip(ways, found, strict=True)]
    assert found[0][:2] == found[1][:2] == found[2][:2]
    assert kinds_of[0] == kinds_of[1] == kinds_of[2]


def matrix(n: int, m: int):
    """Shapes by which a flat leaf is known to be a matrix."""
    return lambda p: (n, m) if p.identifier == "x" else flat(p)


@pytest.mark.parametrize("granule", [1, 16])
@pytest.mark.parametrize(
    ("program", "shape", "sizes", "others"),
    [
        (both, None, (100,), (119,)),
        (both, None, (112,), (96,)),
        (rows, matrix, (30, 70), (20, 110)),
        (rows, matrix, (32, 64), (32, 96)),
        (lambda n, m: rows(n, m, vector("row", m)), matrix, (30, 70), (20, 110)),
        (lambda n, k: Map(ABS, Slice(k, 1, n - k, vector("x", n))), None, (100, 9), (99, 10)),
    ],
)
def test_a_resized_cut_is_the_cut_of_the_resized(program, shape, sizes, others, granule):
    def taken(extents):
        e, of_leaf = program(*extents), flat if shape is None else shape(*extents)
        found = structure_key([e], of_leaf)
        return *classes([e], found, of_leaf, granule), plan_program([e], found, of_leaf, granule)

    (first, numbers, made), (second, other_numbers, expected) = taken(sizes), taken(others)
    assert first == second
    assert not made.fixed
    assert made != expected
    assert made.resized(numbers, other_numbers) == expected


def test_a_program_that_needs_its_constants_is_fixed():
    # one length cut in two ways
    e = parse("join (transpose (split 12 (join (transpose (split 20 xs)))))", {"xs": array_of(FLOAT32, 60)})
    assert plan_program([e], of(e), flat, 1).fixed == symbolise(e, {}).fixed
    assert symbolise(e, {}).fixed
    assert not plan_program([both(10)], of(both(10)), flat, 1).fixed


def test_functions_that_mention_arrays_are_told_in_one_walk():
    """As a product of matrices mentions its second operand: the graph above is not walked again for each."""

    class Counting(set):
        asked = 0

        def __contains__(self, node):
            self.asked += 1
            return super().__contains__(node)

    node, functions = vector("x", 100), []
    for _ in range(100):
        for _ in range(3):
            node = Map(NEGATE, node)
        functions.append(fun(FLOAT32, lambda x, above=node: Map(fun(FLOAT32, lambda y: Call("add", x, y)), above)))
        node = Map(ABS, Join(Split(10, node)))
    variable = Counting()
    assert all(_is_variable(f, variable) for f in reversed(functions))
    assert variable.asked < 30 * len(functions)
    assert not _is_variable(NEGATE, variable)


def test_a_graph_lives_no_longer_than_its_last_user():
    """The garbage collector is not waited for: memory that a graph holds is wanted for the next one."""
    inner = Map(ABS, vector("x", 100))
    e: Expr = Map(NEGATE, inner)
    value = vector("value", 100)
    gone = ref(e)
    gc.disable()
    try:
        of(e, known={inner: value}.get)
        of(e, rows(30, 70, vector("row", 70)))
        del e
        assert gone() is None
    finally:
        gc.enable()


def test_only_marked_vertices_are_asked_for():
    inner = Map(ABS, vector("x", 100))
    outer = Map(NEGATE, Map(NEGATE, inner))
    value = vector("value", 100)
    asked = []

    def known(node):
        asked.append(node)
        return value if node is inner else None

    marked = structure_key([outer], flat, known, {id(inner)})
    assert asked == [inner]
    every = structure_key([outer], flat, known)
    assert same(marked, every)
    assert marked.leaves == every.leaves == [value]
    assert structure_key([outer], flat, known, ()).leaves != [value]


def test_a_pair_of_leaves_that_stands_for_a_vertex():
    inner = Zip(Map(ABS, vector("x", 100)), Map(NEGATE, vector("x", 100)))
    pair = Zip(vector("re", 100), vector("im", 100))
    add = Map(ADD, inner)
    found = of(add, known={inner: pair}.get)
    assert found.leaves == [*pair.operands]
    assert found.known == {inner: pair}
    assert same(found, of(Map(ADD, Zip(vector("p", 9), vector("q", 9)))))
    again = of(add, inner, known={inner: pair}.get)
    assert again.leaves == [*pair.operands]
    assert not same(again, found)
