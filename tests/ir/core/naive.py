"""The denotations of ICFP 2015, figure 9, element by element on Python lists: what the interpreter is compared with.

An array is a list, a tuple a tuple, a vector a list too, and a scalar a NumPy scalar. Nothing is vectorised or shared.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ir.core import patterns as p
from ir.core.expr import Expr, Param
from ir.core.semantics.values import map_leaves
from ir.core.types import ArrayType, TupleType, Type, VectorType


def to_lists(value: Any, t: Type, sizes: Mapping[str, int]) -> Any:
    """The interpreter's value of a type (tuples of arrays) as nested lists (arrays of tuples)."""
    if isinstance(t, ArrayType):
        n = t.length.evaluate(sizes)
        return [to_lists(map_leaves(lambda a, i=i: a[i], value), t.element, sizes) for i in range(n)]
    if isinstance(t, TupleType):
        return tuple(to_lists(v, part, sizes) for v, part in zip(value, t.elements, strict=True))
    return list(value) if isinstance(t, VectorType) else value[()]


def naive(e: Expr, inputs: Mapping[str, Any], sizes: Mapping[str, int]) -> Any:
    """The value of an expression as nested lists."""
    with np.errstate(all="ignore"):
        return _Naive(inputs, sizes, {}).value(e)


class _Naive:
    def __init__(self, inputs: Mapping[str, Any], sizes: Mapping[str, int], known: dict[Expr, Any]) -> None:
        self.inputs = inputs
        self.sizes = sizes
        self.known = known  # the variables of the functions around

    def value(self, e: Expr) -> Any:
        if e not in self.known:
            self.known[e] = self.denote(e)
        return self.known[e]

    def apply(self, f: Expr, *arguments: Any, sizes: Mapping[str, int] | None = None) -> Any:
        if isinstance(f, p.Vect):
            return _lanes([self.apply(f.f, *lane) for lane in zip(*map(_by_lane, arguments), strict=True)])
        params, body = f.open()
        variables = {k: v for k, v in self.known.items() if isinstance(k, Param)}
        variables |= dict(zip(params, arguments, strict=True))
        return _Naive(self.inputs, sizes or self.sizes, variables).value(body)

    def denote(self, e: Expr) -> Any:
        ev, n = self.value, lambda s: s.evaluate(self.sizes)
        match e:
            case Param():
                return to_lists(self.inputs[e.identifier], e.type, self.sizes)
            case p.Literal():
                return e.value
            case p.FromSize():
                return np.dtype(e.dtype.name).type(n(e.value))
            case p.Call() if any(isinstance(x.type, VectorType) for x in e.operands[1:]):
                operands = [ev(operand) for operand in e.operands]
                width = len(operands[-1])
                return _lift(e.operation.numpy, [x if isinstance(x, list) else [x] * width for x in operands])
            case p.Call():
                return _lift(e.operation.numpy, [ev(operand) for operand in e.operands])
            case p.Cast():
                return _lift(lambda x: x.astype(e.dtype.name), [ev(e.operand)])
            case p.Splat():
                return _lanes([ev(e.operand)] * e.width)
            case p.Tuple():
                return tuple(ev(operand) for operand in e.operands)
            case p.Get():
                return ev(e.operand)[e.index]
            case p.Id() | p.Prefetch() | p.Reorder() | p.Memory():
                return ev(e.operands[0])
            case p.Map(f, xs):
                return [self.apply(f, x) for x in ev(xs)]
            case p.Reduce(f, init, xs, how):
                if how.name == "reduce":
                    return [self.fold_right(f, ev(init), ev(xs))]
                acc = ev(init)
                for x in ev(xs):
                    acc = self.apply(f, acc, x)
                return [acc]
            case p.Scan(f, init, xs, how):
                acc, found = ev(init), []
                for i, x in enumerate(ev(xs)):
                    if how.name == "scan":
                        acc = self.apply(f, ev(init), self.fold_right(f, x, ev(xs)[:i]))
                    else:
                        acc = self.apply(f, acc, x)
                    found.append(acc[1] if e.gives_results else acc)
                    acc = acc[0] if e.gives_results else acc
                return found
            case p.MapReduce(f, init, xs):
                acc, found = ev(init), []
                for x in ev(xs):
                    acc, result = self.apply(f, acc, x)
                    found.append(result)
                return [acc], found
            case p.ReducePart(f, init, parts, xs):
                x, count = ev(xs), n(parts)
                size = len(x) // count if count else 0
                return [self.fold_right(f, ev(init), x[i * size : (i + 1) * size]) for i in range(count)]
            case p.Iterate(count, f, xs):
                k, factor, rest, x = n(count), n(e.factor), n(e.type.length), ev(xs)
                for j in range(1, k + 1):
                    x = self.apply(f, x, sizes={**self.sizes, e.size_variable.name: factor ** (k - j) * rest})
                return x
            case p.Zip():
                return list(zip(*map(ev, e.operands), strict=True))
            case p.Split(chunk, xs):
                x, c = ev(xs), n(chunk)
                return [[x[i * c + j] for j in range(c)] for i in range(n(e.type.length))]
            case p.Join(xs):
                x, inner = ev(xs), n(e.xs.type.element.length)
                return [x[i // inner][i % inner] for i in range(n(e.type.length))]
            case p.Transpose(xs):
                x = ev(xs)
                columns, rows = n(e.type.length), n(e.xs.type.length)
                return [[x[j][i] for j in range(rows)] for i in range(columns)]
            case p.Slice(start, step, count, xs):
                x = ev(xs)
                return [x[n(start) + i * int(str(step))] for i in range(n(count))]
            case p.Overlap(count, first, last):
                return ev(first)[: n(count) - len(ev(last))] + ev(last)
            case p.Pad(before, behind, xs):
                x = ev(xs)
                return [x[0]] * n(before) + x + [x[-1]] * n(behind)
            case p.Slide(window, step, xs):
                x, s, d = ev(xs), n(window), n(step)
                return [[x[i * d + j] for j in range(s)] for i in range((len(x) - s) // d + 1)]
            case p.Repeat(count, x):
                return [ev(x) for _ in range(n(count))]
            case p.Concat():
                return [x for operand in e.operands for x in ev(operand)]
            case p.Element(index, xs):
                return ev(xs)[n(index)]
            case p.Gather(xs, indices):
                x = ev(xs)
                return [x[min(max(int(i), 0), len(x) - 1)] for i in ev(indices)]
            case p.Scatter(f, key, xs, ys):
                found = list(ev(xs))
                for i, v in (self.apply(key, y) for y in ev(ys)):
                    if 0 <= i < len(found):
                        found[int(i)] = self.apply(f, found[int(i)], v)
                return found
            case p.Sort(bits, key, xs):
                found = [self.apply(key, x) for x in ev(xs)]
                return [v for _, v in sorted(found, key=lambda pair: int(pair[0]) % 2**bits)]
            case p.SortRuns(bits, run, key, xs):
                found = [(i // run, *self.apply(key, x)) for i, x in enumerate(ev(xs))]
                return [v for _, _, v in sorted(found, key=lambda each: (each[0], int(each[1]) % 2**bits))]
            case p.RankSeq(bits, key, starts, xs):
                places, found = list(ev(starts)), []
                for k, v in (self.apply(key, x) for x in ev(xs)):
                    found.append((places[int(k) % 2**bits], v))
                    places[int(k) % 2**bits] += 1
                return found
            case p.Compact(count, xs):
                return [v for _, v in sorted((i, v) for i, v in ev(xs) if i < n(count))]
            case p.CompactBeside(count, other, xs):
                both = zip(*ev(xs), strict=True)
                return tuple(
                    [v for _, v in sorted(q for q in each if q[0] < k)]
                    for each, k in zip(both, map(n, (count, other)), strict=True)
                )
            case p.Permute(xs):
                return [v for _, v in sorted(ev(xs), key=lambda pair: int(pair[0]))]
            case p.Generate(count, f):
                return [self.apply(f, np.dtype(str(e.index)).type(i)) for i in range(n(count))]
            case p.Reverse(xs):
                return list(reversed(ev(xs)))
            case p.ReorderStride(stride, xs):
                x, s = ev(xs), n(stride)
                chunk = len(x) // s if s else 0
                return [x[i // chunk + s * (i % chunk)] for i in range(len(x))]
            case p.AsVector(width, xs):
                x = ev(xs)
                return [_lanes(x[i : i + width]) for i in range(0, len(x), width)]
            case p.AsScalar(xs):
                return [lane for x in ev(xs) for lane in _by_lane(x)]
        raise AssertionError(type(e))

    def fold_right(self, f: Expr, init: Any, xs: list[Any]) -> Any:
        """`x0 f (x1 f (... f e))`."""
        for x in reversed(xs):
            init = self.apply(f, x, init)
        return init


def _lift(f: Any, operands: list[Any]) -> Any:
    if isinstance(operands[0], list):
        return [f(*lane) for lane in zip(*operands, strict=True)]
    return f(*operands)[()]


def _by_lane(vector: Any) -> list[Any]:
    """A vector, or a tuple of vectors, as its lanes."""
    return list(zip(*map(_by_lane, vector), strict=True)) if isinstance(vector, tuple) else vector


def _lanes(lanes: list[Any]) -> Any:
    """The inverse of `_by_lane`."""
    return tuple(map(_lanes, map(list, zip(*lanes, strict=True)))) if isinstance(lanes[0], tuple) else list(lanes)
