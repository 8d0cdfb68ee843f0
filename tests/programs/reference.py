"""What NumPy makes of a program, and how exact that is.

Values are exact where they are the same in any order of operations: whole numbers and fractions of a few bits, also as
floats. They are compared exactly. The others were rounded somewhere; what has steps or poles is not computed of them.
"""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

import numpy as np

from tests.programs.program import Program, Statement, define, functions_of

LARGEST = 1024.0
"""No exact float is greater, so that sums of products of a few hundred of them are exact in float32."""
STEPS = 16.0
"""Exact floats are multiples of the reciprocal."""
LARGEST_ROUNDED = 256.0
"""No rounded value is greater, so that its error stays in proportion."""
LARGEST_SIZE = 400
ORDERING = re.compile(
    r"[<>]|less|greater|max|min|ptp|sort|median|clip|sign|unique|searchsorted|isin|partition|floor|ceil|trunc|rint|round|nan_to_num|fix"
)
"""What asks for an order of numbers, which complex ones have in NumPy alone."""


class Refused(Exception):
    """NumPy raises, or values would not stay tame."""


@dataclass(frozen=True)
class Observation:
    """A value that was read: its kind (array, list, or the type of a Python number), the value, is it rounded?, and by
    which statement.
    """

    kind: str
    value: np.ndarray
    rough: bool = False
    by: str = ""


def observed(x: Any) -> Observation:
    """What is kept of a value that was read; a copy."""
    if isinstance(x, (bool, int, float, complex, str)):
        return Observation(type(x).__name__, np.asarray(x))
    if isinstance(x, (list, tuple)):
        return Observation("list", np.array(x))
    return Observation("array", np.array(x))


_NUMPY = functions_of(np, lambda function: function, lambda *arrays: None)
_CODE: dict[str, Any] = {}


class Reference:
    """NumPy, statement by statement.

    values : of the variables. rough : the names of those that were rounded somewhere. observations : what was read.
    scale : the greatest magnitude of a number met. narrow : was a float32 or complex64 met?
    """

    def __init__(self, functions: dict[str, str]) -> None:
        self.sources = functions
        self.f = SimpleNamespace(**vars(_NUMPY))
        define(self.f, functions)
        self.scope: dict[str, Any] = {"xp": np, "np": np, "f": self.f, "read": self._read}
        self.values: dict[str, Any] = {}
        self.rough: set[str] = set()
        self.observations: list[Observation] = []
        self.scale = 1.0
        self.narrow = False
        self._statement = Statement("")
        self._rounded = False

    def _read(self, x: Any) -> None:
        found = observed(x)
        self.observations.append(replace(found, rough=self._rounded, by=self._statement.text))

    def step(self, statement: Statement) -> None:
        """Run one statement; raises `Refused`."""
        names = statement.names
        if statement.data is None and not all(n in self.values or n in statement.makes for n in names if n[0] == "v"):
            raise Refused("a name without a value")
        for name in (*statement.writes, *statement.arrays):
            if not isinstance(self.values.get(name), np.ndarray):
                raise Refused(f"{name} is no array")
        self._refuse_differences(statement)
        rounded = any(name in self.rough for name in names)
        if rounded and statement.sharp:
            raise Refused("a step or pole, of a rounded value")
        if statement.data is not None:
            self.scope[statement.makes[0].replace("v", "d")] = statement.data.value()
        self._statement, self._rounded = statement, rounded or statement.rough
        try:
            code = _CODE.get(statement.text)
            if code is None:
                if len(_CODE) > 10000:
                    _CODE.clear()
                code = _CODE[statement.text] = compile(statement.text, "<statement>", "exec")
            with np.errstate(all="raise"), warnings.catch_warnings():
                warnings.simplefilter("error")
                exec(code, self.scope)
        except Exception as error:
            raise Refused(str(error)) from error
        for name in statement.makes:
            self.scope[name] = self._in_row_major_order(self.scope[name])
        self._note(statement)

    def _in_row_major_order(self, value: Any) -> Any:
        """As lazyarr has all results, where NumPy's follow their operands: a `ravel` of one is a view, not a copy."""
        if not isinstance(value, np.ndarray) or value.flags.c_contiguous:
            return value
        known = [*self.values.values(), *(x for name, x in self.scope.items() if name[0] == "d")]
        if any(np.may_share_memory(value, x) for x in known):  # a view, or one of them
            return value
        made = np.ascontiguousarray(value)
        made.setflags(write=value.flags.writeable)  # the imaginary parts of what is real are not
        return made

    def _refuse_differences(self, statement: Statement) -> None:
        """What lazyarr does otherwise on purpose."""
        operands = [self.values[name] for name in statement.names if name in self.values]
        text = statement.text + "".join(
            source for name, source in self.sources.items() if f"f.{name}(" in statement.text
        )
        if ORDERING.search(text) and any(x.dtype.kind == "c" for x in operands):
            raise Refused("an order of complex numbers")
        if re.search(r"reshape\([^)]*-[2-9]", text):
            raise Refused("an unknown extent that is not -1, which NumPy takes for one without saying so")
        if re.search(r"\.at\(.*, -\d+\.\d+\)", text) and any(x.dtype.kind == "u" for x in operands):
            raise Refused("a negative float that becomes an unsigned integer")
        if re.search(r"xp\.(where|select)\(.*-\d", text) and any(x.dtype.kind == "u" for x in operands):
            raise Refused("a negative number among unsigned ones, which NumPy wraps round")
        written = re.search(r"(?:\.at|copyto)\((\w+),", text)
        if written and not getattr(self.values.get(written[1]), "flags", np.empty(0).flags).writeable:
            raise Refused("f.at of what is read-only, which NumPy writes to; copies of what is read-only to itself")
        if (
            statement.rough
            and (text.count("(") > 1 or re.search(r"[-+*/]", text))
            and any(x.dtype.itemsize == 1 for x in operands)
        ):
            raise Refused("float16, in which NumPy computes functions of bools and bytes")
        if "str(" in text and any(x.dtype.kind == "c" and np.any((x.real == 0) | (x.imag == 0)) for x in operands):
            raise Refused("the sign of a zero, which the order of a product of complex numbers decides")
        least_two = re.search(r"(axis=-?\d)\)\.take\(\[0, 1\], \1\)\.max\(\1\)", text)
        if "partition(" in text and not least_two and any(x.size for x in operands):
            raise Refused("an order that `partition` leaves as it comes")
        by_a_number = re.search(r"dot\([^(]*, -?\d", text) or any(x.ndim == 0 for x in operands)
        has_zeros = any(x.dtype.kind in "fc" and np.any((x.real == 0) | (x.imag == 0)) for x in operands)
        if "xp.dot(" in text and by_a_number and has_zeros:
            raise Refused("the sign of a zero: NumPy's `dot` adds the multiple by a number to zero")
        if re.search(r"prod\(|multiply\.", text) and any(_overflows(x) for x in operands):
            raise Refused("a product of which parts overflow, which in another order meet a zero first")
        if "xp.conj(" in text and any(x.dtype == bool for x in operands):
            raise Refused("NumPy makes int8 of bools")
        source = self.scope.get(statement.text.split("[")[0])
        if isinstance(source, np.ndarray) and any(np.may_share_memory(source, x) for x in self.values.values()):
            raise Refused("a source that NumPy shares")

    def _note(self, statement: Statement) -> None:
        for name in statement.drops:
            del self.values[name]
        for name in statement.makes:
            before, self.values[name] = self.values.get(name), self.scope[name]
            in_place = re.match(rf"{name} [^\w\s=]+= ", statement.text) is not None
            if in_place and isinstance(before, np.generic) and before.dtype != self.scope[name].dtype:
                raise Refused("a number that becomes another type's, where lazyarr has an array")
            self.rough.discard(name)
            if not isinstance(self.values[name], (np.ndarray, np.generic)):
                raise Refused(f"{name} is no array or number")
        for name in (*statement.makes, *statement.writes):
            value = self.values[name]
            shared = name in statement.makes and any(
                other in self.rough and np.may_share_memory(value, self.values[other]) for other in self.values
            )
            if shared or self._rounded:
                self.rough |= {n for n, x in self.values.items() if n == name or np.may_share_memory(x, value)}
        if statement.rough:  # functions of small integers are float32, even where their result becomes float64
            operands = [self.values[name] for name in statement.names if name in self.values]
            self.narrow = self.narrow or any(x.dtype.kind in "iu" and x.dtype.itemsize == 2 for x in operands)
        for name, value in self.values.items():
            self._check(value, name in self.rough)

    def _check(self, value: Any, rough: bool) -> None:
        """Are its numbers tame?"""
        if value.size > LARGEST_SIZE or value.ndim > 4:
            raise Refused("too large")
        if value.dtype.char not in "?bBhHiIlLqQfdFD":
            raise Refused(f"a value of dtype {value.dtype}")
        if value.dtype.kind not in "fc" or not value.size:
            return
        self.narrow = self.narrow or value.dtype.char in "fF"
        parts = np.asarray(value).astype(np.complex128)
        parts = np.abs(np.array([parts.real, parts.imag]))
        largest = float(parts.max())
        if not largest <= (LARGEST_ROUNDED if rough else LARGEST):
            raise Refused("large numbers")
        if not rough and np.any(parts * STEPS % 1):
            raise Refused("fractions")
        self.scale = max(self.scale, largest)


def _overflows(x: Any) -> bool:
    """Is the product of its numbers, zeros left out, beyond what single precision holds?"""
    magnitudes = np.abs(np.asarray(x, np.complex128))
    return (
        x.dtype.kind in "fc" and float(np.sum(np.log2(magnitudes, where=magnitudes > 1, out=np.zeros(x.shape)))) > 120
    )


def expected(program: Program) -> Reference:
    """What NumPy makes of it; raises `Refused`."""
    found = Reference(program.functions)
    for statement in program.statements:
        found.step(statement)
    return found


def is_valid(program: Program, reads: bool = True) -> bool:
    """Does NumPy run it, with tame values? reads : and is any value read?"""
    try:
        return bool(expected(program).observations) or not reads
    except Refused:
        return False
