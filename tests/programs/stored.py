"""Programs as JSON, between processes and in logs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from tests.programs.program import Data, Program, Statement

__all__ = ["from_json", "to_json"]


def to_json(programs: Sequence[Program]) -> str:
    """Text that `from_json` reads."""
    return json.dumps([asdict(program) for program in programs])


def from_json(text: str) -> list[Program]:
    """The programs of a text that `to_json` has written."""
    return [_program(found) for found in json.loads(text)]


def _program(found: dict[str, Any]) -> Program:
    return Program(tuple(map(_statement, found["statements"])), found["functions"])


def _statement(found: dict[str, Any]) -> Statement:
    data = found.pop("data")
    if data is not None:
        data = Data(data["dtype"], tuple(data["shape"]), data["seed"])
    tuples: dict[str, Any] = {key: tuple(found.pop(key)) for key in ("makes", "writes", "arrays", "drops")}
    return Statement(**found, **tuples, data=data)
