"""What the programs of one process are made of: few shapes, dtypes, functions and constants, drawn by its seed.

Programs that share little words share kernels and signatures: most run without compiling, and what one leaves behind is
met by others. Many seeds together cover everything.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import NamedTuple, TypeVar

T = TypeVar("T")

DTYPES = (
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64", "complex64",
    "complex128",
)  # fmt: skip
COMMON = ("float32", "float64", "int32", "int64")
EXTENTS = (2, 3, 4, 5, 7, 8, 17)


class Function(NamedTuple):
    """A function of arrays `{0}`, `{1}` in Python's text; rough, sharp : as in `Statement`."""

    text: str
    rough: bool = False
    sharp: bool = False


UNARY = (
    *(Function(f"xp.{name}({{0}})") for name in (
        "negative", "abs", "absolute", "square", "positive", "conj", "real", "imag", "isfinite", "isnan",
        "nan_to_num", "iscomplex", "isreal", "copy", "array", "ones_like", "zeros_like", "bitwise_count",
    )),
    *(Function(f"xp.{name}({{0}})", sharp=True) for name in (
        "sign", "floor", "ceil", "trunc", "rint", "invert", "signbit", "fix", "logical_not",
    )),
    Function("-{0}"), Function("+{0}"), Function("~{0}"), Function("abs({0})"), Function("{0}.conj()"),
    Function("{0}.copy()"), Function("{0} ** 2"), Function("xp.round({0})", sharp=True),
    *(Function(f"xp.{name}({{0}})", rough=True) for name in ("sin", "cos", "tanh", "arctan", "arcsinh")),
    *(Function(f"xp.{name}({{0}})", rough=True, sharp=True) for name in ("exp", "expm1", "sinh", "cosh", "exp2")),
    *(Function(f"xp.{name}(xp.abs({{0}}))", rough=True, sharp=True) for name in ("sqrt", "log1p", "cbrt")),
    Function("xp.reciprocal(xp.abs({0}) + 1.0)", rough=True, sharp=True),
    Function("xp.degrees({0})", rough=True),
)  # fmt: skip

BINARY = (
    *(Function(f"{{0}} {op} {{1}}") for op in "+-*&|^"),
    *(Function(f"xp.{name}({{0}}, {{1}})") for name in (
        "add", "subtract", "multiply", "maximum", "minimum", "bitwise_and", "bitwise_or", "bitwise_xor", "fmax",
        "fmin",
    )),
    *(Function(f"{{0}} {op} {{1}}", sharp=True) for op in ("<", "<=", ">", ">=", "==", "!=")),
    *(Function(f"xp.{name}({{0}}, {{1}})", sharp=True) for name in ("less", "greater_equal", "equal", "not_equal")),
    *(Function(f"xp.logical_{name}({{0}}, {{1}})", sharp=True) for name in ("and", "or", "xor")),
    Function("xp.where({0} > {1}, {0}, {1})", sharp=True), Function("xp.floor_divide({0}, 2)", sharp=True),
    Function("{0} // 3", sharp=True), Function("{0} % 3", sharp=True), Function("xp.remainder({0}, 5)", sharp=True),
    Function("xp.fmod({0}, 3)", sharp=True), Function("{0} << 1"), Function("{0} >> 1"),
    Function("{0} / (xp.abs({1}) + 1)", rough=True, sharp=True), Function("xp.divide({0}, 4.0)", rough=True),
    Function("xp.hypot({0}, {1})", rough=True, sharp=True), Function("xp.logaddexp({0}, {1})", rough=True),
    Function("xp.true_divide({0}, 3)", rough=True),
)  # fmt: skip
"""Of two arrays, or of an array and a number."""

REDUCTIONS = (
    *(Function(f"xp.{name}({{0}}{{axis}})") for name in ("sum", "max", "min", "prod")),
    *(Function(f"{{0}}.{name}({{axis}})") for name in ("sum", "max", "min", "prod")),
    *(Function(f"xp.{name}({{0}}{{axis}})", sharp=True) for name in ("argmax", "argmin", "any", "all")),
    *(Function(f"{{0}}.{name}({{axis}})", sharp=True) for name in ("argmax", "argmin", "any", "all")),
    Function("xp.count_nonzero({0}{axis})", sharp=True),
    Function("xp.ptp({0}{axis})"), Function("xp.median({0}{axis})", rough=True),
    *(Function(f"xp.{name}({{0}}{{axis}})", rough=True) for name in ("mean", "nanmean")),
    *(Function(f"xp.{name}({{0}}{{axis}})", rough=True, sharp=True) for name in ("var", "std")),
    Function("{0}.mean({axis})", rough=True), Function("xp.nansum({0}{axis})"),
    Function("xp.add.reduce({0}{axis})"), Function("xp.maximum.reduce({0}{axis})"),
    Function("xp.linalg.norm({0}{axis})", rough=True, sharp=True),
)  # fmt: skip

ALONG = (
    *(Function(f"xp.{name}({{0}}, axis={{axis}})") for name in ("cumsum", "sort", "flip", "diff", "cumprod")),
    *(Function(f"xp.{name}.accumulate({{0}}, axis={{axis}})") for name in ("maximum", "minimum", "add")),
    Function("{0}.cumsum(axis={axis})"), Function("xp.cumulative_sum({0}, axis={axis})"),
    Function('xp.argsort({0}, axis={axis}, kind="stable")', sharp=True), Function("xp.roll({0}, 1, axis={axis})"),
    Function("xp.roll({0}, -2, axis={axis})"), Function("xp.repeat({0}, 2, axis={axis})"),
    Function("xp.take({0}, [0, -1], axis={axis})"), Function("xp.take({0}, [1, 0, 1], axis={axis})"),
    Function("xp.take_along_axis({0}, xp.argsort({0}, axis={axis}, kind='stable'), axis={axis})", sharp=True),
    Function("xp.concatenate([{0}, {0}], axis={axis})"), Function("xp.stack([{0}, {0}], axis={axis})"),
    Function("xp.delete({0}, 0, axis={axis})"), Function("xp.expand_dims({0}, axis={axis})"),
    Function("xp.insert({0}, 1, 3, axis={axis})"),
    Function("xp.partition({0}, 1, axis={axis}).take([0, 1], axis={axis}).max(axis={axis})"),
    Function("xp.gradient({0}, axis={axis})", rough=True), Function("xp.tile({0}, 2)"), Function("xp.pad({0}, 1)"),
    Function("xp.clip({0}, 0, 2)"), Function("{0}.clip(1, 3)"), Function("xp.trace({0})"), Function("xp.tril({0})"),
    Function("xp.triu({0}, 1)"), Function("xp.diag({0})"), Function("xp.rot90({0})"),
    Function("xp.searchsorted(xp.sort({0}), 1)", sharp=True), Function("xp.vander({0}, 2)", rough=True),
)  # fmt: skip

JOINS = (
    Function("{0} @ {1}"), Function("xp.matmul({0}, {1})"), Function("xp.dot({0}, {1})"), Function("{0} @ {1}.T"),
    Function("xp.outer({0}, {1})"), Function("xp.inner({0}, {1})"), Function("xp.tensordot({0}, {1}, axes=1)"),
    Function("xp.concatenate([{0}, {1}])"), Function("xp.concatenate([{0}, {1}], axis=-1)"),
    Function("xp.stack([{0}, {1}])"), Function("xp.stack([{0}, {1}], axis=-1)"), Function("xp.hstack([{0}, {1}])"),
    Function("xp.vstack([{0}, {1}])"), Function("xp.append({0}, {1})"), Function("xp.vdot({0}, {1})"),
    Function("xp.where({0} > 0, {0}, {1})", sharp=True), Function("xp.kron({0}, {1})"),
    Function("xp.einsum('...i,...i->...', {0}, {1})"), Function("xp.column_stack([{0}, {1}])"),
    Function("xp.convolve(xp.ravel({0}), xp.ravel({1}))"), Function("xp.isin({0}, {1})", sharp=True),
    Function("xp.searchsorted(xp.sort(xp.ravel({0})), {1})", sharp=True), Function("xp.array([{0}, {1}])"),
)  # fmt: skip

VALUES_AT_ONCE = (
    Function("{0}[{0} > 1]", sharp=True), Function("xp.unique({0})", sharp=True),
    Function("xp.nonzero({0})[0]", sharp=True), Function("xp.flatnonzero({0})", sharp=True),
    Function("xp.bincount(xp.ravel({0}))"), Function("xp.compress(xp.ravel({0}) > 0, xp.ravel({0}))", sharp=True),
)  # fmt: skip

JITTED = (
    "return a * {c} + b", "return xp.sum(a * b)", "c = a + {c}\nreturn c - b, c.max()", "return xp.sort(a, axis=0) + b",
    "a[{k}] = {c}\nreturn a.sum()", "a += {c}\nreturn a * 2 + b", "a[{k}] += b[{k}]\nreturn a + 0",
    "c = a[{k}]\nc[...] = {c}\nreturn xp.maximum(a, b)", "return a[{k}] + {c}", "b[...] = a * {c}",
    "c = xp.zeros_like(a)\nc[{k}] = a[{k}]\nreturn c + b", "a *= b\nb[{k}] = {c}\nreturn a - b, b.sum()",
    "for _ in range(3):\n    a = xp.maximum(a, b) + {c}\nreturn a", "c = a.T\nc += {c}\nreturn c.sum(axis=0) + 0",
    "return xp.where(a > b, a, {c} + b)", "c = xp.cumsum(a, axis=0)\nreturn c[-1] + b", "return a.copy(), b + {c}",
)  # fmt: skip
"""Bodies of functions of arrays a and b; results are no views of arguments."""


def some(rng: random.Random, items: Sequence[T], count: int) -> list[T]:
    """A few of them."""
    return rng.sample(list(items), min(count, len(items)))


class Vocabulary:
    """A draw."""

    def __init__(self, rng: random.Random) -> None:
        n, m = some(rng, EXTENTS, 2)
        if n * m > 60:
            m = 3
        self.dtypes = list(dict.fromkeys([rng.choice(COMMON), *some(rng, DTYPES, 3)]))
        shapes = [(n,), (n, m), (m,), (1,), *some(rng, [(), (m, n), (1, 1), (n, 1), (1, m), (n, n), (2, n, 3)], 3)]
        if rng.random() < 0.4:
            shapes.append(rng.choice([(0,), (0, m), (n, 0), (1, 1), (1, 0, 1), (2, 0, 3)]))
        self.shapes = shapes
        self.extents = (n, m)
        self.constants = some(rng, ("1", "2", "3", "-1", "0", "True", "0.5", "1.5", "-2.0", "5", "np.int64(2)"), 3)
        self.starts = some(rng, range(4), 2)
        self.unary = some(rng, UNARY, 10)
        self.binary = [*some(rng, BINARY[:6], 2), *some(rng, BINARY, 8)]
        self.reductions = some(rng, REDUCTIONS, 5)
        self.along = some(rng, ALONG, 6)
        self.joins = some(rng, JOINS, 4)
        self.at_once = some(rng, VALUES_AT_ONCE, 2)
        self.functions = {f"f{i}": self._function(rng, f"f{i}") for i in range(3)}

    def _function(self, rng: random.Random, name: str) -> str:
        body = rng.choice(JITTED).format(c=rng.choice(self.constants), k=rng.choice(("0", "1:", "::2", "-1", "::-1")))
        indented = body.replace("\n", "\n    ")
        return f"def {name}(a, b):\n    {indented}"
