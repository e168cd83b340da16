"""Whether index arithmetic stays in its dtype: bounds from the domains of loops and from the sizes of buffers.

Standing hypothesis of every proof: the extents of a buffer, their products and its bytes fit int64, an empty extent
counted as one. An upper bound is found by replacing each variable by the last value of its domain where it counts
upwards and by leaving it out where it counts downwards (nothing here is negative), then by bounding each product of
extents by the buffers that have it.

Spec: ``spec/06c-pointwise.md``, ``sh/index-fits``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from refrelax.rules import rule
from refrelax.semantics.dims import NO_FACTS
from refrelax.semantics.dims.atoms import Atoms
from refrelax.semantics.dims.normal import normal
from refrelax.semantics.dims.poly import Mono, Poly, add, join, scale, sub, without
from refrelax.shape_solver.context import order
from refrelax.syntax import dtypes
from refrelax.syntax.scalars import Binary, PrimExpr, SymVar, as_int

LAST = (1 << 63) - 1
MOST_DIMS = 6
"""Extents in one product."""
MANY = 10
"""Of more extents than that, only those beside each other are multiplied: the others are too many."""
MOST_STEPS = 240
GUARDS = 2
"""How many guards together may bound an integer."""

Size = tuple[tuple[Mono, int], ...]
"""A product of extents of a buffer, in bytes, as a key."""
Fits = dict[Size, Poly]
"""Sizes that are known to be at most ``LAST``."""


@dataclass(slots=True)
class Sizes:
    """What is known of sizes in one comparison. ``dtype_of``: the dtype of a symbol read from memory, by name."""

    dtype_of: Callable[[str], str | None]
    atoms: Atoms = field(default_factory=lambda: Atoms(NO_FACTS))
    extents: set[str] = field(default_factory=set)
    """Symbols that are extents: never negative."""
    known: Fits = field(default_factory=dict)

    orders: list[Poly] = field(default_factory=list)
    """What is not negative by orders of several symbols that hold everywhere."""
    _sizes: dict[tuple[tuple[PrimExpr, ...], str, int], Fits] = field(default_factory=dict)
    """Of buffers that were asked for, by shape, dtype and how many extents were known."""

    def suppose(self, facts: Iterable[PrimExpr]) -> None:
        """Facts that hold everywhere."""
        for p in (order(c, self.atoms) for c in facts if isinstance(c, Binary) and c.a.dtype != "bool"):
            if p is not None and sum(1 for mono in p if mono) > 1 and p not in self.orders:
                self.orders.append(p)

    def exists(self, shape: Iterable[PrimExpr], dtype: str) -> None:
        """A buffer of this shape exists: its sizes fit."""
        form = (tuple(shape), dtype, len(self.extents))  # (of more symbols it may be known that they are not negative)
        if form not in self._sizes:
            self._sizes[form] = dict(self._products(form[0], dtype))
        for key, whole in self._sizes[form].items():
            self.known.setdefault(key, whole)

    def _products(self, shape: Iterable[PrimExpr], dtype: str) -> Iterator[tuple[Size, Poly]]:
        dims = [p for p in map(self._poly, shape) if p and p != {(): 1} and self._positive(p)]
        width = max(1, dtypes.bits(dtype) // 8) if not dtype.startswith("handle") else 1
        for chosen in _together(dims):
            whole: Poly = {(): width}
            for p in chosen:
                whole = _product(whole, p)
            yield tuple(sorted(whole.items())), whole

    def _positive(self, p: Poly) -> bool:
        """Whether ``p`` is a sum of products that are not negative."""
        natural = _Bounding(self, {}).natural
        return all(c > 0 and all(map(natural, mono)) for mono, c in p.items())

    @rule("sh/index-fits")
    def fits(self, e: PrimExpr, dtype: str, given: Iterable[PrimExpr]) -> bool:
        """Whether ``e``, an exact integer, is in the range of ``dtype`` wherever ``given`` holds. ``False``: not
        seen."""
        low, high = dtypes.integer_range(dtype)
        p, given = self._poly(e), list(given)
        domains, guards = self._domains(given), self._guards(given)
        guards += [each for each in self.orders if each not in guards]
        return self._below(p, high, domains, guards) and self._below(scale(p, -1), -low, domains, guards)

    def natural(self, e: PrimExpr, given: Iterable[PrimExpr]) -> bool:
        """Whether ``e`` is seen not to be negative."""
        bottom = _Bounding(self, self._domains(given)).upper(scale(self._poly(e), -1))
        return bottom is not None and bottom <= 0

    def _below(self, p: Poly, most: int, domains: dict[str, _Domain], guards: list[Poly], deep: int = GUARDS) -> bool:
        """Whether ``p <= most``; ``guards``: what is not negative, a product of which may be added."""
        top = _Bounding(self, domains).upper(p)
        if top is not None and top <= most:
            return True
        natural = _Bounding(self, domains).natural
        return deep > 0 and any(
            self._below(add(p, _product(factor, guard)), most, domains, guards, deep - 1)
            for guard in guards
            for factor in _cancelling(p, guard)
            if all(natural(key) for mono in factor for key in mono)
        )

    def _guards(self, given: Iterable[PrimExpr]) -> list[Poly]:
        """What is not negative by orders of more than one symbol."""
        found = [order(c, self.atoms) for c in given if isinstance(c, Binary) and not isinstance(c.a, SymVar)]
        return [p for p in found if p is not None and len(p) > 1]

    def _poly(self, e: PrimExpr) -> Poly:
        self.atoms.refuel()
        return normal(e, self.atoms)

    def _domains(self, given: Iterable[PrimExpr]) -> dict[str, _Domain]:
        found: dict[str, _Domain] = {}
        for c in given:
            if not isinstance(c, Binary) or not isinstance(c.a, SymVar) or c.a.dtype == "bool":
                continue
            domain = found.setdefault(c.a.name, _Domain())
            match c.op, as_int(c.b):
                case ("GE" | "GT") as op, int(low) if low + (op == "GT") >= 0:
                    domain.natural = True
                case "LT", _:
                    domain.tops.append(sub(self._poly(c.b), {(): 1}))
                case "LE", _:
                    domain.tops.append(self._poly(c.b))
                case _:
                    pass
        return found


@dataclass(slots=True)
class _Domain:
    natural: bool = False
    tops: list[Poly] = field(default_factory=list)
    """The greatest value, each time."""


@dataclass(slots=True)
class _Bounding:
    sizes: Sizes
    domains: dict[str, _Domain]
    steps: int = 0

    def upper(self, p: Poly) -> int | None:
        """A number that ``p`` does not exceed."""
        self.steps += 1
        if self.steps > MOST_STEPS:
            return None
        bounds = [self._of_terms(p), self._of_one_buffer(p)]  # (a buffer may say more than the ends of its extents)
        for _ in range(len(self.domains) + 1):
            key = self._next(p)
            if key is None:
                break
            replaced = self._replaced(p, key)
            if replaced is None:
                break
            p = replaced
            bounds += [self._of_terms(p), self._of_one_buffer(p)]
        return min((bound for bound in bounds if bound is not None), default=None)

    def _of_terms(self, p: Poly) -> int | None:
        """Each term by itself."""
        total = 0
        for mono, c in p.items():
            bound = self._product_bound(mono) if c > 0 else self._least(mono)
            if bound is None:
                return None
            total += c * bound
        return total

    def _of_one_buffer(self, p: Poly) -> int | None:
        """All terms that are added, together: a buffer of ``(b, t + 1)`` bounds ``b*t + b``, and each of the two may
        be as much alone. Terms that are taken away, each by itself."""
        added = {mono: c for mono, c in p.items() if c > 0}
        if len(added) < 2:
            return None
        times = [min(size.get(mono, 0) // c for mono, c in added.items()) for size in self.sizes.known.values()]
        most = max(times, default=0)
        less = self._of_terms({mono: c for mono, c in p.items() if c < 0})
        return None if most == 0 or less is None else LAST // most + less

    # --- loop variables, the inner ones first

    def _next(self, p: Poly) -> str | None:
        """A variable with a domain that occurs in ``p`` and in no extent of another that does."""
        here = [k for k in dict.fromkeys(key for mono in p for key in mono) if self._domain(k)]
        for key in here:
            if not any(key in mono for k in here if k != key for top in self.domains[k].tops for mono in top):
                return key
        return None

    def _domain(self, key: str) -> bool:
        domain = self.domains.get(key)
        return domain is not None and domain.natural and bool(domain.tops)

    def _replaced(self, p: Poly, key: str) -> Poly | None:
        """``p`` with the greatest value of ``key`` where that makes it greater, and 0 where it makes it less."""
        top = self.domains[key].tops[0]
        if any(key in mono for mono in top):
            return None
        result: Poly = {}
        for mono, c in p.items():
            if key not in mono:
                result = add(result, {mono: c})
                continue
            if not all(self.natural(k) for k in mono):
                return None
            if c > 0:
                rest = list(mono)
                rest.remove(key)
                result = add(result, _product({tuple(rest): c}, top))
        return result if all(key not in mono for mono in result) else self._replaced(result, key)

    # --- single atoms and products of them

    def natural(self, key: str) -> bool:
        atom = self.sizes.atoms.table[key]
        match atom.kind:
            case "var":
                domain = self.domains.get(key)
                return key in self.sizes.extents or atom.dtype == "bool" or (domain is not None and domain.natural)
            case "ge" | "eq" | "p2":
                return True
            case "fd" | "td":
                return all(self._not_negative(p) for p in atom.args)
            case "min":
                return all(self._not_negative(p) for p in atom.args)
            case "cast":
                return dtypes.integer_range(atom.dtype)[0] >= 0
            case _:
                return atom.dtype == "bool"

    def _not_negative(self, p: Poly) -> bool:
        bottom = self.upper(scale(p, -1))
        return bottom is not None and bottom <= 0

    def _least(self, mono: Mono) -> int | None:
        """A number that the product is not below; what may be negative is bounded by its magnitude."""
        if all(self.natural(k) for k in mono):
            return 0
        bound = self._magnitude(mono)
        return None if bound is None else -bound

    def _product_bound(self, mono: Mono) -> int | None:
        if not mono:
            return 1
        if not all(self.natural(k) for k in mono):
            return self._magnitude(mono)
        bounds = [LAST // p[mono] for p in self.sizes.known.values() if mono in p]
        for key in dict.fromkeys(mono):
            rest = list(mono)
            rest.remove(key)
            bounds += self._by_quotient(key, tuple(rest))
            first, others = self._atom(key), self._product_bound(tuple(rest)) if rest else 1
            if first is not None and others is not None:
                bounds.append(first * others)
            if len(mono) > 3:
                break
        return min(bounds, default=None)

    def _by_quotient(self, key: str, rest: Mono) -> list[int]:
        """``(a // (c * m)) * m <= a // c``."""
        atom = self.sizes.atoms.table[key]
        if atom.kind != "fd" or len(atom.args[1]) != 1:
            return []
        ((divisor, c),) = atom.args[1].items()
        left = without(rest, divisor)
        if not divisor or left is None or c <= 0:
            return []
        whole, others = self.upper(atom.args[0]), self._product_bound(left)
        return [] if whole is None or others is None else [whole // c * others]

    def _magnitude(self, mono: Mono) -> int | None:
        total = 1
        for key in mono:
            high, low = self._atom(key), self._atom_below(key)
            if high is None or low is None:
                return None
            total *= max(abs(high), abs(low))
        return total

    def _atom(self, key: str) -> int | None:
        """A number that the atom does not exceed."""
        atom = self.sizes.atoms.table[key]
        match atom.kind:
            case "var":
                return self._symbol(key, atom.dtype)[1]
            case "ge" | "eq":
                return 1
            case "fd" if len(atom.args[1]) == 1 and () in atom.args[1] and atom.args[1][()] > 0:
                top = self.upper(atom.args[0])
                return None if top is None else top // atom.args[1][()]
            case "fd" | "td":
                return self._quotient(atom.args[0])
            case "min":
                return min((b for b in map(self.upper, atom.args) if b is not None), default=None)
            case "cast":
                return dtypes.integer_range(atom.dtype)[1]
            case _:
                return 1 if atom.dtype == "bool" else None

    def _atom_below(self, key: str) -> int | None:
        """A number that the atom is not below."""
        atom = self.sizes.atoms.table[key]
        match atom.kind:
            case "var":
                return self._symbol(key, atom.dtype)[0]
            case "ge" | "eq":
                return 0
            case "fd" | "td":
                if all(self._not_negative(p) for p in atom.args):
                    return 0
                bound = self._quotient(atom.args[0])
                return None if bound is None else -bound
            case "min":
                found = [self.upper(scale(p, -1)) for p in atom.args]
                return None if any(b is None for b in found) else min(-b for b in found if b is not None)
            case "cast":
                return dtypes.integer_range(atom.dtype)[0]
            case _:
                return 0 if atom.dtype == "bool" else None

    def _quotient(self, numerator: Poly) -> int | None:
        """The greatest magnitude of a quotient by an integer that is not 0."""
        high, low = self.upper(numerator), self.upper(scale(numerator, -1))
        return None if high is None or low is None else max(abs(high), abs(low))

    def _symbol(self, name: str, dtype: str) -> tuple[int, int]:
        if dtype == "bool":
            return 0, 1
        low, high = dtypes.integer_range(self.sizes.dtype_of(name) or dtype)
        domain = self.domains.get(name)
        if name in self.sizes.extents:
            low = 0
            high = min([high, *(LAST // p[(name,)] for p in self.sizes.known.values() if (name,) in p)])
        if domain is not None:
            low = max(low, 0) if domain.natural else low
            bounds = [self.upper(top) for top in domain.tops]
            high = min([high, *(b for b in bounds if b is not None)])
        return low, high


def _together(dims: list[Poly]) -> Iterator[Sequence[Poly]]:
    """Extents whose product is a size that fits: some of them, or, of many, some in a row."""
    if len(dims) > MANY:
        for start in range(len(dims)):
            yield from (dims[start : start + count] for count in range(1, min(len(dims) - start, MOST_DIMS) + 1))
        return
    for count in range(1, min(len(dims), MOST_DIMS) + 1):
        yield from combinations(dims, count)


def _cancelling(p: Poly, guard: Poly) -> list[Poly]:
    """Products ``f`` with a positive factor such that ``f * guard`` takes a term of ``p`` away."""
    found: list[Poly] = []
    for mono, c in p.items():
        for own, k in guard.items():
            left = without(mono, own) if own else None
            if left is not None and c > 0 > k and c % k == 0 and {left: c // -k} not in found:
                found.append({left: c // -k})
    return found


def _product(p: Poly, q: Poly) -> Poly:
    result: Poly = {}
    for m, c in p.items():
        for n, d in q.items():
            result = add(result, {join(m, n): c * d})
    return result
