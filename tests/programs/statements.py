"""How each kind of statement is drawn: from the variables that there are, and the words of a vocabulary.

A draw may turn out to be one that NumPy refuses; the generator then draws again.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tests.programs.operands import Operands
from tests.programs.program import Data, Statement
from tests.programs.vocabulary import Function


class Draw(Operands):
    """Statements over the variables of a program, which begin with v."""

    def statements(self) -> list[Statement]:
        """One of any kind, or a few that belong together."""
        if not self.values:
            return [self.data()]
        if self.rng.random() < 0.2:
            return self.looked_at()
        kinds = [kind for kind, weight in KINDS for _ in range(weight)]
        return [self.rng.choice(kinds)(self)]

    def looked_at(self) -> list[Statement]:
        """A part of an array and something made of it, recorded one after the other, then read one after the other."""
        part = self.rng.choice((self.part, self.one_element, self.one_element, self.view, self.reduction))()
        if not part.makes:
            return [part]
        name, other = part.makes[0], f"v{int(self.new[1:]) + 1}"
        function = self.rng.choice([*self.words.unary, *self.words.binary])
        text = function.text.format(name, self.rng.choice((name, *self.words.constants)))
        made = Statement(f"{other} = {text}", (other,), rough=function.rough, sharp=function.sharp)
        reads = [Statement(f"read(np.asarray({read}))") for read in (name, other)]
        if self.rng.random() < 0.3:
            reads.reverse()
        return [part, made, *reads]

    # --- new arrays ---------------------------------------------------------------------------------------------------

    def data(self) -> Statement:
        """NumPy's array becomes one of xp."""
        found = Data(
            self.rng.choice(self.words.dtypes), self.rng.choice(self.words.shapes), self.rng.randrange(1 << 30)
        )
        how = self.rng.choice(("asarray", "asarray", "array"))
        return Statement(f"{self.new} = xp.{how}({self.new.replace('v', 'd')})", (self.new,), data=found)

    def creation(self) -> Statement:
        """Of no data."""
        rng, words = self.rng, self.words
        shape, dtype, c = rng.choice(words.shapes), rng.choice(words.dtypes), rng.choice(words.constants)
        n, m = words.extents
        text = rng.choice((
            f"xp.zeros({shape}, dtype={dtype!r})", f"xp.ones({shape}, dtype={dtype!r})", f"xp.full({shape}, {c})",
            f"xp.arange({n}, dtype={dtype!r})", f"xp.arange({n * m}).reshape({n}, {m})",
            f"xp.eye({n}, {m}, dtype={dtype!r})",
            f"xp.full({shape}, {c}, dtype={dtype!r})", f"xp.arange({n}, 0, -1)", f"xp.linspace(0, {n - 1}, {n})",
        ))  # fmt: skip
        return Statement(f"{self.new} = {text}", (self.new,))

    def of(self, function: Function, *operands: str, axis: str = "") -> Statement:
        """The result of a function."""
        text = function.text.format(*operands, axis=axis)
        arrays = operands[:1] if ".real" in text or ".imag" in text else ()
        return Statement(f"{self.new} = {text}", (self.new,), arrays=arrays, rough=function.rough, sharp=function.sharp)

    def unary(self) -> Statement:
        """An element-wise function of one array."""
        return self.of(self.rng.choice(self.words.unary), self.variable())

    def binary(self) -> Statement:
        """An element-wise function of two arrays, or of an array and a number, the other way round too."""
        first = self.variable()
        operands = [first, self.operand(first)]
        if self.rng.random() < 0.3:
            operands.reverse()
        return self.of(self.rng.choice(self.words.binary), *operands)

    def nested(self) -> Statement:
        """Two functions in one statement."""
        name = self.variable()
        inner, outer = self.rng.choice(self.words.unary), self.rng.choice(self.words.binary)
        text = outer.text.format(inner.text.format(name), self.operand(name))
        rough, sharp = inner.rough or outer.rough, inner.sharp or outer.sharp or (inner.rough and outer.sharp)
        if inner.rough and outer.sharp:
            return self.of(outer, name, self.operand(name))
        return Statement(f"{self.new} = {text}", (self.new,), rough=rough, sharp=sharp)

    def reduction(self) -> Statement:
        """Along an axis, several or all."""
        name, rng = self.variable(), self.rng
        function = rng.choice(self.words.reductions)
        axis = rng.choice(("", "", f"axis={self.axis(name)}", f"axis={self.axis(name)}, keepdims=True", "axis=(0, 1)"))
        if axis and "{axis})" in function.text and "}{axis" in function.text:
            axis = f", {axis}"
        return self.of(function, name, axis=axis)

    def along(self) -> Statement:
        """Scans, sorts, takes and other functions along one axis."""
        name = self.array(1)
        return self.of(self.rng.choice(self.words.along), name, axis=str(self.axis(name)))

    def join(self) -> Statement:
        """Of two arrays."""
        first = self.array(1)
        return self.of(
            self.rng.choice(self.words.joins), first, self.rng.choice((first, self.operand(first), self.array()))
        )

    def chosen(self) -> Statement:
        """By a condition, of three arrays."""
        name = self.variable()
        condition = f"{name} {self.rng.choice(('>', '<=', '=='))} {self.operand(name)}"
        first, second = self.operand(name), self.operand(name)
        text = self.rng.choice((
            f"xp.where({condition}, {first}, {second})", f"xp.where({name}, {first}, {second})",
            f"xp.select([{condition}], [{first}], {second})", f"xp.clip({name}, {first}, {second})",
            f"xp.choose({condition}, [{first}, {second}])", f"xp.where({condition}, {first}, {name})[..., :1]",
        ))  # fmt: skip
        return Statement(f"{self.new} = {text}", (self.new,), sharp=True)

    def conversion(self) -> Statement:
        """To another dtype; not of floats to unsigned integers, which is undefined below zero."""
        name, dtype = self.variable(), self.rng.choice(self.words.dtypes)
        sharp = np.dtype(dtype).kind in "iub"
        if np.dtype(dtype).kind == "u" and self.values[name].dtype.kind in "fc":
            dtype = "float64"
        return Statement(f"{self.new} = {name}.astype({dtype!r})", (self.new,), sharp=sharp)

    def at_once(self) -> Statement:
        """A result whose shape follows from values."""
        return self.of(self.rng.choice(self.words.at_once), self.array(1))

    def gather(self) -> Statement:
        """`x[indices]`."""
        name = self.array(1)
        key = self.picked(name)
        return Statement(f"{self.new} = {name}[{key}]", (self.new,), arrays=(name,), sharp=">" in key or "==" in key)

    # --- views --------------------------------------------------------------------------------------------------------

    def part(self) -> Statement:
        """`x[slices]`."""
        if self.rng.random() < 0.3:
            return self.one_element()
        name = self.array(1)
        return Statement(f"{self.new} = {name}[{self.key(name)}]", (self.new,), arrays=(name,))

    def one_element(self) -> Statement:
        """A view of a single element, which the host may read where it lies."""
        name = self.array(1)
        places = [self.rng.choice((0, max(n - 1, 0), self.words.starts[0])) for n in self.values[name].shape]
        key = ", ".join(f"{i}:{i + 1}" for i in places)
        return Statement(f"{self.new} = {name}[{key}]", (self.new,), arrays=(name,))

    def view(self) -> Statement:
        """Other views."""
        name, rng = self.array(1), self.rng
        x = self.values[name]
        axes = list(range(x.ndim))
        rng.shuffle(axes)
        n, m = self.words.extents
        text = rng.choice((
            f"{name}.T", f"xp.transpose({name}, {tuple(axes)})", f"xp.swapaxes({name}, 0, -1)",
            f"xp.moveaxis({name}, 0, -1)",
            f"{name}.reshape(-1)", f"{name}.reshape({x.shape[::-1]})", f"xp.ravel({name})", f"{name}.ravel()",
            f"xp.reshape({name}, ({x.size},))", f"{name}.reshape({x.size}, 1)", f"{name}[None]", f"{name}[..., None]",
            f"xp.broadcast_to({name}, {(2, *x.shape)})", f"xp.broadcast_to({name}, {(n, m)})", f"xp.squeeze({name})",
            f"xp.flip({name})", f"{name}[::-1]", f"xp.diagonal({name})", f"xp.atleast_2d({name})",
            f"xp.split({name}, 1)[0]",
            f"xp.asarray({name})", f"{name}.real", f"{name}.imag", f"xp.expand_dims({name}, 0)", f"{name}[()]",
        ))  # fmt: skip
        return Statement(f"{self.new} = {text}", (self.new,), arrays=(name,))

    def views_together(self) -> Statement:
        """Several views of one array, of one shape, in one array."""
        rng, name = self.rng, self.array(1)
        p, n = f"xp.ravel({name})[:4]", min(self.values[name].size, 4)
        grids = (
            f"xp.broadcast_to(p, ({n}, {n}))", f"xp.broadcast_to(p[:, None], ({n}, {n}))", "xp.meshgrid(p, p)[0]",
            f"xp.broadcast_to(p[::-1], ({n}, {n}))", "xp.meshgrid(p, p)[1]", f"xp.broadcast_to(p, ({n}, {n})).T[::-1]",
        )  # fmt: skip
        rows = (f"xp.tile(p, {n})", f"xp.repeat(p, {n})", f"xp.tile(p[::-1], {n})", f"xp.repeat(p[::-1], {n})")
        views = rng.sample(grids, 2) if rng.random() < 0.6 else rng.sample(rows, 2)
        ndim = 2 if views[0] in grids else 1
        listed = f"[{', '.join(views)}]"
        joined = rng.choice((
            f"xp.stack({listed}, axis={rng.randrange(-1, ndim + 1)})", f"xp.stack({listed}, axis=-1)",
            f"xp.concatenate({listed}, axis={rng.randrange(-1, ndim)})", f"xp.column_stack({listed})",
        ))  # fmt: skip
        made = joined + rng.choice(("", "", " + 0", ".sum(axis=-1)"))
        if rng.random() < 0.6:  # small arrays are recorded there alone
            made = f"f.jit(lambda p: {made})(p)"
        return Statement(f"p = {p}{rng.choice(('', ' + 0', ' * 1'))}\n{self.new} = {made}", (self.new,))

    # --- changes ------------------------------------------------------------------------------------------------------

    def change(self, name: str, text: str, sharp: bool = False) -> Statement:
        """A statement that changes an array."""
        return Statement(text, writes=(name,), sharp=sharp)

    def assigned(self, name: str) -> str:
        """What to assign to an array, or a part of it."""
        other = self.operand(name)
        return self.rng.choice(
            (other, other, f"{other} + 1", f"{name}[{self.key(name)}]", f"{other} * {self.variable()}")
        )

    def assignment(self) -> Statement:
        """`x[key] = value`."""
        name = self.array()
        key = self.key(name) if self.rng.random() < 0.7 else self.picked(name)
        return self.change(name, f"{name}[{key}] = {self.assigned(name)}", ">" in key or "==" in key)

    def in_place(self) -> Statement:
        """`x += y`, of parts too."""
        name = self.array()
        op = self.rng.choice("+-*+-|^")
        if self.rng.random() < 0.5:
            return self.change(name, f"{name} {op}= {self.assigned(name)}")
        return self.change(name, f"{name}[{self.key(name)}] {op}= {self.assigned(name)}")

    def into(self) -> Statement:
        """Functions that change an array."""
        name, rng = self.array(), self.rng
        c, other = rng.choice(self.words.constants), self.operand(name)
        extent = self.values[name].shape[:1]
        most = "add" if self.values[name].dtype == "uint64" else "maximum"  # which is wrong there in NumPy 2.4.6
        text = rng.choice((
            f"xp.add({name}, {other}, out={name})", f"xp.multiply({other}, {name}, out={name})", f"{name}.fill({c})",
            f"xp.negative({name}, out={name}[...])", f"xp.copyto({name}, {other})", f"{name}.sort()",
            f"xp.cumsum({name}, axis=0, out={name})", f"xp.put({name}, [0], {c})", f"xp.fill_diagonal({name}, {c})",
            f"xp.subtract({name}[::-1], {c}, out={name}[::-1])", f"xp.clip({name}, 0, 3, out={name})",
            f"{name}[...] = {name}[::-1]", f"xp.{most}.at({name}, {[0] * len(extent)}, {c})",
            f"xp.add.at({name}, [0, 0], {c})", f"{name}.T[...] = {other}", f"{name}.reshape(-1)[:2] = {c}",
            f"xp.putmask({name}, {name} > 1, {c})",
        ))  # fmt: skip
        return self.change(name, text, "putmask" in text)

    def rebound(self) -> Statement:
        """A name stands for something else from now on; other names may still stand for what it was."""
        name = self.variable()
        function = self.rng.choice([*self.words.unary, *self.words.binary])
        text = f"{name} = {function.text.format(name, self.operand(name))}"
        return Statement(text, (name,), rough=function.rough, sharp=function.sharp)

    def forgotten(self) -> Statement:
        """A name goes; views of it may stay."""
        name = self.variable()
        return Statement(f"del {name}", drops=(name,))

    def source_changed(self) -> Statement:
        """The array of NumPy's from which one was copied is written to."""
        name = self.rng.choice([n for n in self.values if n[1:].isdigit()])
        source = name.replace("v", "d")
        return Statement(f"{source}[...] = {self.rng.choice(('9', f'{source}[::-1]', f'{source} + 1'))}")

    def scalar_in_place(self) -> Statement:
        """`x += y` of a scalar of NumPy's, which is another one afterwards."""
        scalars = [n for n, x in self.values.items() if isinstance(x, np.generic)]
        if not scalars:
            return self.in_place()
        name = self.rng.choice(scalars)
        return Statement(f"{name} {self.rng.choice('+-*')}= {self.rng.choice(self.words.constants)}", (name,))

    def rows(self) -> Statement:
        """Each row of an array is changed."""
        name, c = self.array(2), self.rng.choice(self.words.constants)
        body = self.rng.choice((f"row += {c}", f"row[...] = {c}", f"row[:1] = row[-1:] + {c}", f"row -= {name}[0]"))
        return self.change(name, f"for row in {name}:\n    {body}")

    # --- functions and loops ------------------------------------------------------------------------------------------

    def jitted(self) -> Statement:
        """A call of one of the process' jitted functions, which may change its arguments."""
        called = self.rng.choice(list(self.words.functions))
        source = self.words.functions[called]
        a = self.array()
        good = [n for n, x in self.values.items() if isinstance(x, np.ndarray) and x.ndim <= self.values[a].ndim]
        b = self.rng.choice(good or [a]) if self.rng.random() < 0.8 else self.rng.choice(self.words.constants)
        call = f"f.{called}({a}, {b})"
        changed = tuple(
            n for n, p in ((a, "a"), (b, "b")) if f"{p}[" in source or f"{p} +=" in source or f"{p} *=" in source
        )
        arrays = tuple(n for n in (a, b) if n in self.values)
        changed = arrays if changed or "c = a" in source else ()
        sharp = ">" in source
        if "return" not in source:
            return Statement(call, writes=changed, arrays=arrays, sharp=sharp)
        if "," in source.split("return ")[1] and "(" not in source.split("return ")[1].split(",")[0]:
            second = f"v{int(self.new[1:]) + 1}"
            return Statement(f"{self.new}, {second} = {call}", (self.new, second), changed, arrays, sharp=sharp)
        return Statement(f"{self.new} = {call}", (self.new,), changed, arrays, sharp=sharp)

    def captured(self) -> Statement:
        """A jitted function that reads a variable from outside."""
        outside, inside = self.array(), self.array()
        op = self.rng.choice(("+", "-", "*"))
        lines = ["def g(a):", f"    return a {op} {outside}", "h = f.jit(g)", f"{self.new} = h({inside})"]
        if self.rng.random() < 0.6:  # it changes between two calls
            changed = f"{outside}[{self.key(outside)}]"
            lines += [f"{changed} = {self.rng.choice(self.words.constants)}", f"{self.new} = {self.new} + h({inside})"]
        return Statement("\n".join(lines), (self.new,), (outside,), arrays=(inside, outside))

    def loop(self) -> Statement:
        """Steps, with a probe now and then."""
        rng, name = self.rng, self.array(1)
        other = self.operand(name)
        step, again = rng.choice((2, 3, 5, 7)), rng.choice((1, 2, 3))
        new, key, c = self.new, self.key(name), rng.choice(self.words.constants)
        body, makes, writes = rng.choice((
            ([f"{new} = {other} - {new}"], (new,), ()),
            ([f"{new} = xp.minimum({new} + {other}, 9)"], (new,), ()),
            ([f"{new} = xp.roll({new}, 1) + {c}", f"{name}[{key}] = i"], (new,), (name,)),
            ([f"{name}[{key}] += {c}", f"{new} = {new}[::-1] + {name}"], (new,), (name,)),
            ([f"{name}[i % len({name})] = {c}", f"{new} = {name} + i"], (new,), (name,)),
            ([f"{new} = xp.maximum({new}, {other} + i)"], (new,), ()),
            ([f"{new} = {new} + {name}[i % len({name})]"], (new,), ()),
            ([f"{new} = f.jit(lambda a: xp.minimum(a * {c} - 1, 5))({new})"], (new,), ()),
            ([f"p = {name}[i % len({name}) :][:1]", f"{new} = {new} - p", f"p += {c}"], (new,), (name,)),
            ([f"{name}, {new} = {new}, {name} + {c}"], (new, name), ()),
            ([f"{new}[i % len({new})] += i", f"{name} = {new} * 1"], (new, name), ()),
        ))  # fmt: skip
        probe = rng.choice((f"float(xp.real({new}.sum()))", f"np.asarray({new})", f"bool(({new} > 1).any())"))
        start = rng.choice((f"{name}.copy()", f"{name} + 0", f"{name} * 1"))
        lines = [f"{new} = {start}", f"for i in range({step}):", *(f"    {line}" for line in body)]
        lines += [f"    if i % {again} == 0:", f"        read({probe})"]
        return Statement("\n".join(lines), makes, writes, (name,), sharp=">" in probe)

    # --- reads --------------------------------------------------------------------------------------------------------

    def read(self) -> Statement:
        """One value, in one of many ways."""
        name, rng = self.variable(), self.rng
        x = self.values[name]
        texts = [f"np.asarray({name})"] * 4 + [
            f"{name}.tolist()",
            f"np.asarray({name} + 1)",
            f"np.asarray({name}[...])",
        ]
        if x.dtype.kind != "c":
            texts += [f"float({name}.sum())", f"bool(({name} > 0).any())"]
        texts += [f"str({name})"]
        if x.dtype.kind in "bui":
            texts += [f"int({name}.sum())"]
        if x.size == 1:
            texts += [f"{name}.item()"] * 3
        if x.ndim:
            texts += [
                f"[np.asarray(row).tolist() for row in {name}]",
                f"np.asarray({name}[-1])",
                f"np.asarray({name}[:1])",
            ]
        text = rng.choice(texts)
        if rng.random() < 0.15:
            others = [name, *(self.variable() for _ in range(rng.choice((1, 2))))]
            arrays = [n for n in dict.fromkeys(others) if isinstance(self.values[n], np.ndarray)]
            if arrays:
                return Statement(
                    f"f.compute({', '.join(arrays)})\nread({text})",
                    arrays=tuple(arrays),
                    sharp=">" in text or "str(" in text,
                )
        arrays_needed = (name,) if "[" in text else ()
        return Statement(f"read({text})", arrays=arrays_needed, sharp=">" in text or "str(" in text)


KINDS: list[tuple[Callable[[Draw], Statement], int]] = [
    (Draw.data, 2), (Draw.creation, 2), (Draw.unary, 4), (Draw.binary, 7), (Draw.nested, 2), (Draw.reduction, 4),
    (Draw.along, 4), (Draw.join, 3), (Draw.conversion, 2), (Draw.at_once, 1), (Draw.gather, 2), (Draw.part, 7),
    (Draw.view, 5), (Draw.views_together, 2), (Draw.assignment, 5),
    (Draw.in_place, 5), (Draw.into, 2), (Draw.jitted, 5), (Draw.captured, 2),
    (Draw.loop, 1), (Draw.read, 10), (Draw.rebound, 2), (Draw.forgotten, 1), (Draw.source_changed, 1),
    (Draw.scalar_in_place, 1), (Draw.rows, 1), (Draw.chosen, 1),
]  # fmt: skip
"""Each kind with a weight."""
