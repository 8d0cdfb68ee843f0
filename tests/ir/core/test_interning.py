"""Tables of interned objects: one object for a key, as long as somebody refers to it, from any number of threads."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading

from ir.core.interning import Table
from ir.core.notation.parser import parse
from ir.core.types import FLOAT32, ArrayType, TupleType, array_of
from tests.threads import in_threads


class Thing:
    pass


def test_one_object_for_a_key():
    table: Table[Thing] = Table()
    first = table.enter("a", Thing())
    assert table.enter("a", Thing()) is first
    assert table.get("a") is first
    assert table.get("b") is None
    assert table.enter("b", Thing()) is not first
    assert len(table) == 1  # nobody keeps the second


def test_what_nobody_refers_to_is_forgotten():
    table: Table[Thing] = Table()
    kept = [table.enter(i, Thing()) for i in range(10)]
    assert len(table) == 10
    del kept[:7]
    gc.collect()
    assert len(table) == 3
    assert table.get(0) is None
    assert table.get(9) is kept[-1]


def test_a_key_is_free_again_when_its_object_is_gone():
    table: Table[Thing] = Table()
    cycle = table.enter("a", Thing())
    cycle.itself = cycle  # dies in the garbage collector, after the table is asked again
    del cycle
    again = table.enter("a", Thing())
    gc.collect()
    assert table.enter("a", Thing()) is table.get("a")
    del again


def test_threads_agree_on_one_object():
    table: Table[Thing] = Table()
    barrier = threading.Barrier(4)
    found: dict[tuple[int, int], Thing] = {}

    def work(number: int) -> None:
        barrier.wait()
        for key in range(2000):
            made = table.enter(key, Thing())
            assert table.enter(key, Thing()) is made
            if key % 2:
                found[number, key] = made  # the others die at once, while other threads look for them

    in_threads(work, range(4), switch=1e-6)
    assert len(found) == 4 * 1000  # no thread failed
    for key in range(1, 2000, 2):
        assert len({id(found[number, key]) for number in range(4)}) == 1


def test_types_are_compared_by_identity_and_do_not_pile_up():
    assert array_of(FLOAT32, 3, 5) is ArrayType(ArrayType(FLOAT32, 5), 3)
    assert TupleType((FLOAT32, FLOAT32)) is TupleType((FLOAT32, FLOAT32))
    from ir.core import types

    before = len(types._types)  # earlier tests keep types of their own
    for n in range(20_000):
        ArrayType(FLOAT32, 10_000 + n)
    assert len(types._types) < before + 5_000


def test_nodes_are_compared_by_identity_and_do_not_pile_up():
    from ir.core import expr

    xs = {"xs": array_of(FLOAT32, 10)}
    assert parse("map abs xs", xs) is parse("map abs xs", xs)
    gc.collect()
    before = len(expr._nodes)
    for n in range(300):
        parse("map abs xs", {"xs": array_of(FLOAT32, 100 + n)})
    gc.collect()
    assert len(expr._nodes) <= before + 20


def test_objects_may_outlive_the_module_where_python_ends():
    # modules are emptied in the reverse order of their import: what an earlier one keeps dies after the tables' names
    program = """
import sys, types
early = sys.modules["early"] = types.ModuleType("early")
from ir.core import interning
class Thing: pass
early.kept = interning.Table(), Thing()
early.kept[0].enter("key", early.kept[1])
sys.alive = [early, interning]
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ended.stderr == ""
