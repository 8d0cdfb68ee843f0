"""The programs of one process, in order: new ones, and variants of earlier ones, all drawn by its seed."""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Iterator
from dataclasses import replace

from tests.programs.program import Program, Statement
from tests.programs.reference import Reference, Refused, expected, is_valid
from tests.programs.statements import Draw
from tests.programs.vocabulary import EXTENTS, Vocabulary

POOL = 60
"""Earlier programs that may come again."""
NEW = (0.25, 1 / 30)
"""The share of programs that are new: among the first `EARLY`, and later on, when most kernels are there already."""
EARLY = 100
ALTERED = (6, 24)
"""The weight of a variant with other data alone, beside 8 for all others together: early, and later on."""
_NUMBER = re.compile(r"(?<![\w.'])\d+(?![\w.'])")


def programs(seed: int) -> Iterator[Program]:
    """Programs without end, the same for the same seed in any process."""
    rng = random.Random(f"programs {seed}")
    words = Vocabulary(rng)
    pool: list[Program] = []
    for number in itertools.count():
        if not pool or rng.random() < max(NEW[number >= EARLY], 0.8 - number / 20):
            program = new(rng, words)
        else:
            program = variant(rng, words, rng.choice(pool), ALTERED[number >= EARLY])
        if len(pool) == POOL:
            pool.pop(rng.randrange(POOL))
        pool.append(program)
        yield program


def new(rng: random.Random, words: Vocabulary) -> Program:
    """A program of some statements that NumPy runs, and reads in random order at its end."""
    while True:
        program = Program((), words.functions)
        for _ in range(rng.choice((2, 3, 3, 4, 4, 5, 6, 8, 10))):
            program = _grown(rng, words, program, len(program.statements))
        names = list(expected(program).values)
        rng.shuffle(names)
        reads = [Statement(f"read(np.asarray({name}))") for name in names[: rng.choice((1, 2, 3, 4, 8, 8))]]
        program = program.with_statements([*program.statements, *reads])
        if is_valid(program):
            return program


def _grown(rng: random.Random, words: Vocabulary, program: Program, at: int) -> Program:
    """The program with another statement there; itself where none was found."""
    for _ in range(20):
        reference = Reference(program.functions)
        for statement in program.statements[:at]:
            reference.step(statement)
        used = [int(name[1:]) for s in program.statements for name in s.makes]
        drawn = Draw(rng, words, reference.values, f"v{max(used, default=-1) + 1}").statements()
        grown = program.with_statements([*program.statements[:at], *drawn, *program.statements[at:]])
        try:
            expected(grown)
        except Refused:
            continue
        return grown
    return program


# --- variants ---------------------------------------------------------------------------------------------------------


def variant(rng: random.Random, words: Vocabulary, program: Program, unchanged: int = ALTERED[0]) -> Program:
    """The program with other data, and perhaps another order of reads, a statement more or less, another number in the
    text or other extents. unchanged : the weight of the first alone
    """
    changes = [*[_same] * unchanged, *[_moved_read] * 3, _without, _with, _with, _other_number, _other_extents]
    for _ in range(8):
        changed = rng.choice(changes)(rng, words, program)
        changed = _other_data(rng, changed) if rng.random() < 0.8 else changed
        if is_valid(changed):
            return changed
    return program


def _same(rng: random.Random, words: Vocabulary, program: Program) -> Program:
    return program


def _other_data(rng: random.Random, program: Program) -> Program:
    return program.with_statements(
        replace(s, data=replace(s.data, seed=rng.randrange(1 << 30))) if s.data else s for s in program.statements
    )


def _moved_read(rng: random.Random, words: Vocabulary, program: Program) -> Program:
    """A value is read earlier or later, or once more."""
    statements = list(program.statements)
    reads = [i for i, s in enumerate(statements) if s.reads_value]
    if not reads:
        return program
    at = rng.choice(reads)
    read = statements[at] if rng.random() < 0.4 else statements.pop(at)
    statements.insert(rng.randrange(len(statements) + 1), read)
    return program.with_statements(statements)


def _without(rng: random.Random, words: Vocabulary, program: Program) -> Program:
    at = rng.randrange(len(program.statements))
    return program.with_statements(s for i, s in enumerate(program.statements) if i != at)


def _with(rng: random.Random, words: Vocabulary, program: Program) -> Program:
    return _grown(rng, words, program, rng.randrange(len(program.statements) + 1))


def _other_number(rng: random.Random, words: Vocabulary, program: Program) -> Program:
    """A number in the text of a statement is one greater or smaller."""
    at = rng.randrange(len(program.statements))
    statement = program.statements[at]
    found = list(_NUMBER.finditer(statement.text))
    if not found:
        return program
    number = rng.choice(found)
    other = str(max(0, int(number.group()) + rng.choice((-1, 1))))
    changed = replace(statement, text=statement.text[: number.start()] + other + statement.text[number.end() :])
    return program.with_statements([*program.statements[:at], changed, *program.statements[at + 1 :]])


def _other_extents(rng: random.Random, words: Vocabulary, program: Program) -> Program:
    """An extent is another one, wherever it stands."""
    old, other = rng.choice(words.extents), rng.choice((0, 1, *EXTENTS))

    def changed(statement: Statement) -> Statement:
        text = re.sub(rf"(?<![\w.'\-:\[]){old}(?=[,)])", str(other), statement.text)
        data = statement.data
        if data is not None:
            data = replace(data, shape=tuple(other if n == old else n for n in data.shape))
        return replace(statement, text=text, data=data)

    return program.with_statements(map(changed, program.statements))
