"""Sizes: their representation and ring arithmetic (import them from `ir.core.sizes`).

A `Size` is a polynomial with integer coefficients over *atoms*. Its identity is the polynomial in which every `a % b`
has been written out as `a - b*(a // b)`: then `(n // 4)*4 + n % 4` is `n` by arithmetic alone, in whatever order it was
summed. What a reader or a code generator sees (`Size.terms`) is that polynomial with the `%` folded back in.
"""

from __future__ import annotations

import hashlib
import operator
from collections.abc import Callable, Mapping
from typing import Final, Literal, SupportsIndex, TypeAlias

from ir.core.interning import Table
from ir.core.sizes.polynomials import ONE, Monomial, Polynomial, add_into, remember
from ir.errors import IRError

Kind: TypeAlias = Literal["var", "floordiv", "mod", "min", "max", "pow"]
Bound: TypeAlias = "int | Size | None"

_RANK: Final[dict[str, int]] = {"var": 0, "floordiv": 1, "mod": 2, "min": 3, "max": 4, "pow": 5}


class SizeError(IRError, ValueError):
    """A size that cannot be built, read or evaluated: a zero divisor, a negative exponent, an unknown name."""


class Atom:
    """An indivisible factor of a monomial; interned, so equality is identity.

    `kind` is one of "var", "floordiv", "mod", "min", "max", "pow". A "var" has `name`, `lo` and `hi` (inclusive, None:
    no bound) and no operands; every other kind has exactly two `operands`.
    """

    __slots__ = (
        "__weakref__", "_digest", "_interval", "_key", "_text", "expanded", "hi", "kind", "level", "lo", "name",
        "operands",
    )  # fmt: skip

    kind: Kind
    name: str
    lo: Bound
    hi: Bound
    operands: tuple[Size, ...]
    level: int  # atoms reachable through operands and bounds have a smaller one
    expanded: Size | None  # for "mod": the same value without the "%"
    _text: str | None
    _digest: str | None
    _key: tuple[int, str, str] | None
    _interval: tuple[int | None, int | None] | None

    def __repr__(self) -> str:
        return f"Atom({self.text})"

    def __reduce__(self) -> tuple[object, ...]:
        return _restore_atom, (self.kind, self.name, self.lo, self.hi, self.operands)

    def __copy__(self) -> Atom:
        return self

    def __deepcopy__(self, memo: object) -> Atom:
        return self

    @property
    def text(self) -> str:
        """The canonical text of this atom."""
        if self._text is None:
            self._text = size_text.atom_text(self)
        return self._text

    @property
    def digest(self) -> str:
        """A digest of the whole structure, bounds included: distinguishes variables of one name."""
        if self._digest is None:
            ends = [str(end.digest if isinstance(end, Size) else end) for end in (self.lo, self.hi)]
            if self.kind == "var":
                described = " ".join(["var", self.name, *ends])
                self._digest = described if len(described) < 40 else _hash(described)
            else:
                self._digest = _hash(" ".join([self.kind, *(operand.digest for operand in self.operands)]))
        return self._digest

    @property
    def key(self) -> tuple[int, str, str]:
        """The sort key: the same in every process."""
        if self._key is None:
            self._key = (_RANK[self.kind], self.text, self.digest)
        return self._key


def _reflected(operation: Callable[[Size, Size], Size]) -> Callable[[Size, SizeLike], Size]:
    def reflected(self: Size, other: SizeLike) -> Size:
        left = coerce(other)
        return NotImplemented if left is None else operation(left, self)

    return reflected


class Size:
    """An integer expression over named variables with known ranges: immutable, interned, compared by identity.

    `+ - * // % **` take sizes and ints on both sides; `//` and `%` floor as Python's do. Simplifications hold for every
    assignment within the ranges of the variables for which the original is defined.
    """

    __slots__ = (
        "__weakref__", "_digest", "_interval", "_lower", "_negated", "_terms", "_text", "_upper", "_variables", "_view",
        "polynomial", "value",
    )  # fmt: skip

    polynomial: Polynomial  # without "mod" atoms; never mutated
    value: int | None  # the constant this is, or None
    _view: Polynomial | None
    _terms: tuple[tuple[Monomial, int], ...] | None
    _variables: frozenset[Size] | None
    _interval: tuple[int | None, int | None] | None
    _lower: tuple[int | None] | None
    _upper: tuple[int | None] | None
    _negated: Size | None
    _text: str | None
    _digest: str | None

    # -- what a size is ----------------------------------------------------------------------------------------------

    @property
    def terms(self) -> tuple[tuple[Monomial, int], ...]:
        """The (monomial, coefficient) pairs in a fixed order: high degrees first, the constant (monomial `()`) last."""
        if self._terms is None:
            self._terms = tuple(sorted(self.view.items(), key=_term_key))
        return self._terms

    @property
    def view(self) -> Polynomial:
        """The terms in no particular order; not to be mutated."""
        if self._view is None:
            self._view = size_remainders.fold_remainders(self)
        return self._view

    @property
    def atom(self) -> Atom | None:
        """The atom this size consists of, or None."""
        terms = self.terms
        if len(terms) == 1 and terms[0][1] == 1:
            monomial = terms[0][0]
            if len(monomial) == 1 and monomial[0][1] == 1:
                return monomial[0][0]
        return None

    @property
    def is_variable(self) -> bool:
        """Whether this is a bare variable."""
        atom = self.atom
        return atom is not None and atom.kind == "var"

    def _variable(self) -> Atom:
        atom = self.atom
        if atom is None or atom.kind != "var":
            raise SizeError(f"expected a bare variable, got {self}")
        return atom

    @property
    def name(self) -> str:
        """The name of a bare variable; SizeError otherwise."""
        return self._variable().name

    @property
    def lo(self) -> Bound:
        """The lower bound of a bare variable; SizeError otherwise."""
        return self._variable().lo

    @property
    def hi(self) -> Bound:
        """The upper bound (inclusive) of a bare variable; SizeError otherwise."""
        return self._variable().hi

    @property
    def variables(self) -> frozenset[Size]:
        """The free variables, as bare sizes; those that occur only in bounds are not among them."""
        if self._variables is None:
            found: set[Size] = set()
            for monomial in self.polynomial:
                for atom, _ in monomial:
                    if atom.kind == "var":
                        found.add(from_atom(atom))
                    for operand in atom.operands:
                        found |= operand.variables
            self._variables = frozenset(found)
        return self._variables

    @property
    def digest(self) -> str:
        """A digest of the structure, bounds of variables included; the same in every process."""
        if self._digest is None:
            parts = sorted(
                f"{coefficient}:" + ".".join(f"{atom.digest}^{exponent}" for atom, exponent in monomial)
                for monomial, coefficient in self.polynomial.items()
            )
            self._digest = _hash("+".join(parts))
        return self._digest

    @property
    def sort_key(self) -> tuple[str, str]:
        """A key to sort sizes by; the same in every process."""
        return str(self), self.digest

    # -- ranges, substitution, evaluation ----------------------------------------------------------------------------

    def bounds(self) -> tuple[int | None, int | None]:
        """The numeric range, inclusive; None where no bound was found."""
        return size_bounds.lower(self), size_bounds.upper(self)

    def substitute(self, mapping: Mapping[Size, SizeLike]) -> Size:
        """Replace variables (the keys, bare variables) and simplify anew; the bounds of variables stay as they are."""
        atoms: dict[Atom, Size] = {}
        for key, replacement in mapping.items():
            if not key.is_variable:
                raise SizeError(f"only variables can be substituted, got {key}")
            atoms[key._variable()] = size(replacement)
        return size_functions.substitute(self, frozenset(mapping), atoms)

    def evaluate(self, values: Mapping[str, int]) -> int:
        """The value for these values of the names; SizeError: a name missing, a zero divisor, a negative exponent."""
        return size_functions.evaluate(self, values)

    # -- arithmetic --------------------------------------------------------------------------------------------------

    def __add__(self, other: SizeLike) -> Size:
        right = other if type(other) is Size else coerce(other)
        if right is None:
            return NotImplemented
        if self.value is not None and right.value is not None:  # not remembered: programs of any length pass here
            return constant(self.value + right.value)
        found = _sums.get((self, right))
        return found if found is not None else remember(_sums, (self, right), _add(self, right))

    def __sub__(self, other: SizeLike) -> Size:
        right = other if type(other) is Size else coerce(other)
        if right is None:
            return NotImplemented
        return self + negate(right)

    def __mul__(self, other: SizeLike) -> Size:
        right = other if type(other) is Size else coerce(other)
        if right is None:
            return NotImplemented
        if self.value is not None and right.value is not None:
            return constant(self.value * right.value)
        found = _products.get((self, right))
        return found if found is not None else remember(_products, (self, right), _multiply(self, right))

    def __floordiv__(self, other: SizeLike) -> Size:
        right = other if type(other) is Size else coerce(other)
        if right is None:
            return NotImplemented
        return size_division.floor_div(self, right)

    def __mod__(self, other: SizeLike) -> Size:
        right = other if type(other) is Size else coerce(other)
        if right is None:
            return NotImplemented
        return size_division.remainder(self, right)

    def __pow__(self, other: SizeLike) -> Size:
        right = other if type(other) is Size else coerce(other)
        if right is None:
            return NotImplemented
        return size_functions.power(self, right)

    __radd__ = __add__
    __rmul__ = __mul__

    __rsub__, __rfloordiv__ = _reflected(operator.sub), _reflected(operator.floordiv)
    __rmod__, __rpow__ = _reflected(operator.mod), _reflected(operator.pow)

    def __neg__(self) -> Size:
        return negate(self)

    def __pos__(self) -> Size:
        return self

    # -- text, copies ------------------------------------------------------------------------------------------------

    def __str__(self) -> str:
        if self._text is None:
            self._text = size_text.text(self)
        return self._text

    def __repr__(self) -> str:
        return f"Size({self})"

    def __reduce__(self) -> tuple[object, ...]:
        return _restore, (tuple(self.polynomial.items()),)

    def __copy__(self) -> Size:
        return self

    def __deepcopy__(self, memo: object) -> Size:
        return self


SizeLike: TypeAlias = Size | int

_sizes: Table[Size] = Table()
_atoms: Table[Atom] = Table()
_constants: dict[int, Size] = {}  # small ones only, kept for good
_large: dict[int, Size] = {}  # others that were asked for lately
_LARGE: Final = 4096
_sums: dict[tuple[Size, Size], Size] = {}
_products: dict[tuple[Size, Size], Size] = {}


def _hash(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=12).hexdigest()


def _term_key(term: tuple[Monomial, int]) -> tuple[int, list[tuple[tuple[int, str, str], int]]]:
    monomial = term[0]
    return -sum(exponent for _, exponent in monomial), [(atom.key, -exponent) for atom, exponent in monomial]


# -- construction ----------------------------------------------------------------------------------------------------


def _intern(key: object, polynomial: Polynomial, value: int | None) -> Size:
    made = object.__new__(Size)
    made.polynomial = polynomial
    made.value = value
    made._view = made._terms = made._variables = made._interval = made._lower = made._upper = None
    made._negated = made._text = made._digest = None
    return _sizes.enter(key, made)  # of two threads that miss together both get one object


def constant(value: int) -> Size:
    """The size that is this number."""
    found = _constants.get(value) or _large.get(value)
    if found is not None:
        return found
    found = _sizes.get(value)
    if found is None:
        found = _intern(value, {ONE: value} if value else {}, value)
    if -4096 <= value <= 4096:
        return _constants.setdefault(value, found)
    if len(_large) >= _LARGE:
        _large.clear()
    return _large.setdefault(value, found)


def from_polynomial(polynomial: Polynomial) -> Size:
    """The size of a polynomial without zeros and without "mod" atoms, which must not be mutated afterwards."""
    if not polynomial:
        return constant(0)
    if len(polynomial) == 1 and ONE in polynomial:
        return constant(polynomial[ONE])
    key = frozenset(polynomial.items())
    entry = _sizes.entries.get(key)
    found = None if entry is None else entry()
    return found if found is not None else _intern(key, polynomial, None)


def from_atom(atom: Atom) -> Size:
    """The size that consists of one atom."""
    return atom.expanded if atom.expanded is not None else from_polynomial({((atom, 1),): 1})


def coerce(value: object) -> Size | None:
    """A size for anything integral, None for everything else."""
    if type(value) is int:
        return constant(value)
    if isinstance(value, Size):
        return value
    if isinstance(value, SupportsIndex):
        return constant(operator.index(value))
    return None


def size(value: SizeLike) -> Size:
    """A size from an int (or anything with `__index__`) or from a size; TypeError otherwise."""
    if type(value) is int:  # every vertex that is recorded passes here
        found = _constants.get(value)
        return constant(value) if found is None else found
    made = coerce(value)
    if made is None:
        raise TypeError(f"expected a Size or an int, got {type(value).__name__}: {value!r}")
    return made


def make_atom(
    kind: Kind,
    operands: tuple[Size, ...] = (),
    name: str = "",
    lo: Bound = None,
    hi: Bound = None,
    expanded: Size | None = None,
) -> Atom:
    """The interned atom; nothing is simplified here."""
    key = (kind, name, lo, hi, operands)
    found = _atoms.get(key)
    if found is not None:
        return found
    inner = [*operands, *(end for end in (lo, hi) if isinstance(end, Size))]
    levels = [atom.level for part in inner for monomial in part.polynomial for atom, _ in monomial]
    made = Atom()
    made.kind, made.operands, made.name, made.lo, made.hi, made.expanded = kind, operands, name, lo, hi, expanded
    # A variable with numeric bounds is the innermost thing there is; anything built on something stands above it.
    made.level = 1 + max(levels, default=0) if inner else 0
    made._text = made._digest = made._key = made._interval = None
    return _atoms.enter(key, made)


def var(name: str, lo: Bound = 0, hi: Bound = None) -> Size:
    """The variable of this name and range (inclusive; None: unbounded): one variable for each (name, lo, hi)."""
    size_text.check_name(name)
    ends: list[Bound] = []
    for end in (lo, hi):
        made = None if end is None else size(end)
        ends.append(made.value if made is not None and made.value is not None else made)
    return from_atom(make_atom("var", (), name, ends[0], ends[1]))


def _restore(terms: tuple[tuple[Monomial, int], ...]) -> Size:
    """Unpickle; monomials keep their order, which is the same in every process."""
    return from_polynomial(dict(terms))


def _restore_atom(kind: Kind, name: str, lo: Bound, hi: Bound, operands: tuple[Size, ...]) -> Atom:
    expanded = operands[0] % operands[1] if kind == "mod" else None
    return make_atom(kind, operands, name, lo, hi, expanded)


# -- ring arithmetic -------------------------------------------------------------------------------------------------


def _add(left: Size, right: Size) -> Size:
    """The sum, not both of them constants."""
    if left.value == 0:
        return right
    if right.value == 0:
        return left
    total = dict(left.polynomial)
    add_into(total, right.polynomial)
    return from_polynomial(total)


def negate(operand: Size) -> Size:
    """-operand."""
    if operand._negated is None:
        if operand.value is not None:
            return constant(-operand.value)
        # Only one direction is kept: a cycle would wait for the garbage collector.
        operand._negated = from_polynomial({monomial: -factor for monomial, factor in operand.polynomial.items()})
    return operand._negated


def _multiply(left: Size, right: Size) -> Size:
    """The product, not both of them constants."""
    if left.value is not None:
        left, right = right, left
    if right.value is not None:
        if right.value == 1:
            return left
        if right.value == 0:
            return right
        return from_polynomial({monomial: factor * right.value for monomial, factor in left.polynomial.items()})
    product: Polynomial = {}
    for monomial, coefficient in right.polynomial.items():
        add_into(product, left.polynomial, monomial, coefficient)
    return from_polynomial(product)


# The operators of Size lie on simplifications that are built on Size: the modules meet here, after both exist. They
# refer to each other as modules, not by name, so that any of them can be imported first.
from ir.core.sizes import bounds as size_bounds  # noqa: E402
from ir.core.sizes import division as size_division  # noqa: E402
from ir.core.sizes import functions as size_functions  # noqa: E402
from ir.core.sizes import remainders as size_remainders  # noqa: E402
from ir.core.sizes import text as size_text  # noqa: E402
