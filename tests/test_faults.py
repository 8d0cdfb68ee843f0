"""The list of faults (`python -m tests.faults`) is true of the code as it is now; what it says is run by hand."""

from __future__ import annotations

import ast

import pytest

from tests.faults import FAULTS, ROOT, Fault


@pytest.mark.parametrize("fault", FAULTS, ids=[fault.name for fault in FAULTS])
def test_a_fault_can_be_put_in_and_its_tests_exist(fault: Fault) -> None:
    found = [str(file.relative_to(ROOT)) for file in fault.places()]
    assert len(found) == 1, f"the text occurs in {found}, not once in {fault.package}"
    assert fault.replacement != fault.text
    for test in fault.tests:
        file, _, name = test.partition("::")
        tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
        names = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
        assert not name or name in names, f"{test} does not exist"
        marks = [ast.unparse(mark) for mark in names[name].decorator_list] if name else []
        marks += [
            ast.unparse(node)
            for node in tree.body
            if isinstance(node, ast.Assign) and "pytestmark" in ast.unparse(node)
        ]
        assert not any("sweep" in mark for mark in marks), f"{test} is no part of `make test`"


def test_twenty_faults_or_more() -> None:
    assert len({fault.name for fault in FAULTS}) == len(FAULTS) >= 20
    assert {fault.package for fault in FAULTS} == {"ir", "lazyarr", "tuner", "kernel_cache"}
