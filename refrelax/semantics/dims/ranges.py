"""Bounds of polynomials: an interval, and the question "is it never negative?".

Both are sound for every assignment that satisfies the facts and on which every atom is defined. ``nonneg`` removes one
atom at each step, by what bounds that atom, and spends at most ``FUEL`` steps: its answer depends on nothing else.

Spec: ``spec/06-shapes.md``, ``sh/interval``, ``sh/never-negative``.
"""

from __future__ import annotations

from refrelax.rules import rule
from refrelax.semantics.dims.atoms import MAX_SPENT, Atom, Atoms
from refrelax.semantics.dims.facts import UNBOUNDED, Bound, Shown
from refrelax.semantics.dims.poly import Mono, Poly, add, as_const, const, join, scale, sub, weight, without
from refrelax.syntax.dtypes import integer_range, is_integer

FUEL = 24
"""Steps that one ``nonneg`` question may spend."""

MOST_KEPT = 4096
"""Answers that are remembered under the same facts."""


# --- intervals -------------------------------------------------------------------------------------------------------


def _times(a: Bound, b: Bound) -> Bound:
    """The product of two intervals."""
    (al, ah), (bl, bh) = a, b
    if al is not None and bl is not None and al >= 0 and bl >= 0:
        return al * bl, None if ah is None or bh is None else ah * bh
    if al is None or ah is None or bl is None or bh is None:
        if a == (0, 0) or b == (0, 0):
            return 0, 0
        return _times_open(a, b)
    corners = (al * bl, al * bh, ah * bl, ah * bh)
    return min(corners), max(corners)


def _times_open(a: Bound, b: Bound) -> Bound:
    """The product of two intervals of which one is unbounded: known only where the signs are."""
    (al, ah), (bl, bh) = a, b
    if ah is not None and ah <= 0:
        lower, upper = _times((-ah, None if al is None else -al), b)
        return None if upper is None else -upper, None if lower is None else -lower
    if bh is not None and bh <= 0:
        return _times_open(b, a)
    if al is not None and al >= 0 and ah is not None and bl is not None:
        return min(al * bl, ah * bl), None if bh is None else max(al * bh, ah * bh)
    if al is not None and al >= 0 and ah is not None and bh is not None:
        return None, max(al * bh, ah * bh)
    if bl is not None and bl >= 0 and bh is not None and (al is not None or ah is not None):
        return _times_open(b, a)
    return UNBOUNDED


@rule("sh/interval")
def interval(p: Poly, atoms: Atoms) -> Bound:
    """An interval that holds every value of ``p``."""
    lower: int | None = 0
    upper: int | None = 0
    for mono, coefficient in p.items():
        lo, hi = _mono_interval(mono, atoms)
        if coefficient < 0:
            lo, hi = hi, lo
        lower = None if lower is None or lo is None else lower + coefficient * lo
        upper = None if upper is None or hi is None else upper + coefficient * hi
        if lower is None and upper is None:
            break
    return lower, upper


def _mono_interval(mono: Mono, atoms: Atoms) -> Bound:
    if len(mono) == 1:  # most are
        return atom_interval(atoms.table[mono[0]], atoms)
    product: Bound = (1, 1)
    index = 0
    while index < len(mono):
        key = mono[index]
        power = 1
        while index + power < len(mono) and mono[index + power] == key:
            power += 1
        bound = atom_interval(atoms.table[key], atoms)
        whole = bound
        for _ in range(power - 1):
            whole = _times(whole, bound)
        if power % 2 == 0:
            whole = (max(0, whole[0]) if whole[0] is not None else 0, whole[1])
        product = _times(product, whole)
        index += power
    return product


def atom_interval(atom: Atom, atoms: Atoms) -> Bound:
    """An interval that holds every value of one atom; computed once in a question."""
    found = atoms.intervals.get(atom.key)
    if found is None:
        found = atoms.intervals[atom.key] = _atom_interval(atom, atoms)
    return found


def _atom_interval(atom: Atom, atoms: Atoms) -> Bound:
    match atom.kind:
        case "var":
            bound = atoms.facts.of(atom.name)
            if atom.dtype == "bool":
                return max(0, bound[0] or 0), 1 if bound[1] is None else min(1, bound[1])
            return bound
        case "ge" | "eq":
            return 0, 1
        case "p2":
            lo, hi = interval(atom.args[0], atoms)
            return 1 << min(max(lo or 0, 0), 64), None if hi is None or hi > 256 else 1 << max(hi, 0)
        case "min":
            lows, highs = zip(*(interval(each, atoms) for each in atom.args), strict=True)
            known = [high for high in highs if high is not None]
            return None if None in lows else min(lows), min(known) if known else None
        case "fd" | "td":
            return _quotient_interval(atom, atoms)
        case "cast" | "float" if is_integer(atom.dtype):
            return integer_range(atom.dtype)
        case _:
            return (0, 1) if atom.dtype == "bool" else UNBOUNDED


def _quotient_interval(atom: Atom, atoms: Atoms) -> Bound:
    low, high = interval(atom.args[0], atoms)
    divisor = as_const(atom.args[1])
    if divisor is not None and divisor > 0:
        return (None if low is None else _divided(atom.kind, low, divisor),
                None if high is None else _divided(atom.kind, high, divisor))  # fmt: skip
    below, _ = interval(atom.args[1], atoms)
    if below is None or below < 0:  # a divisor that is 0 is no value: only its sign matters
        return UNBOUNDED
    below = max(below, 1)
    lower = None if low is None else 0 if low >= 0 else _divided(atom.kind, low, below)
    nearest = -1 if atom.kind == "fd" else 0  # the greatest quotient of a negative number
    upper = None if high is None else _divided(atom.kind, high, below) if high >= 0 else nearest
    return lower, upper


def _divided(kind: str, value: int, divisor: int) -> int:
    """``value`` divided by a positive number."""
    return value // divisor if kind == "fd" or value >= 0 else -(-value // divisor)


# --- never negative --------------------------------------------------------------------------------------------------


class _Fuel:
    __slots__ = ("left",)

    def __init__(self, left: int) -> None:
        self.left = left


@rule("sh/never-negative")
def nonneg(p: Poly, atoms: Atoms) -> bool:
    """Whether ``p >= 0`` follows from the facts; ``False`` means *not shown*."""
    value = as_const(p)
    if value is not None:
        return value >= 0
    return _nonneg(p, atoms, _Fuel(FUEL))


def _nonneg(p: Poly, atoms: Atoms, fuel: _Fuel) -> bool:
    """As ``nonneg``; asked again with as much fuel left it is charged the same, and gives the same."""
    value = as_const(p)
    if value is not None:
        return value >= 0
    asked, shown = (frozenset(p.items()), fuel.left), atoms.facts.shown
    found = shown.get(asked)
    if found is not None and atoms.pays(found.work, found.spent):
        fuel.left -= found.fuel
        return found.holds
    work, spent, left = atoms.work, atoms.spent, fuel.left
    holds = _shown(p, atoms, fuel)
    if not atoms.exhausted and atoms.spent <= MAX_SPENT:
        if len(shown) >= MOST_KEPT:
            shown.clear()
        shown[asked] = Shown(holds, atoms.work - work, atoms.spent - spent, left - fuel.left)
    return holds


def _shown(p: Poly, atoms: Atoms, fuel: _Fuel) -> bool:
    atoms.spent += len(p)
    if fuel.left <= 0 or atoms.spent > MAX_SPENT or not atoms.charge(weight(p)):
        return False
    fuel.left -= 1
    low = interval(p, atoms)[0]
    if low is not None and low >= 0:
        return True
    moved = _from_bounds(p, atoms)
    if moved is not None:
        return True
    return any(_without_atom(p, key, atoms, fuel) for key in _linear_atoms(p, atoms))


def _from_bounds(p: Poly, atoms: Atoms) -> Poly | None:
    """``p`` with each symbol measured from its bound, if all coefficients are then nonnegative."""
    for key in sorted({key for mono in p for key in mono}):
        if not atoms.charge(weight(p)):
            return None
        low, high = atom_interval(atoms.table[key], atoms)
        if low is not None and low != 0:
            p = _shifted(p, key, low, 1)
        elif low is None and high is not None:
            p = _shifted(p, key, high, -1)
        elif low is None:
            return None
    return p if all(c >= 0 for c in p.values()) else None


def _shifted(p: Poly, key: str, origin: int, sign: int) -> Poly:
    """``p`` with ``key`` replaced by ``origin + sign * key``."""
    result: Poly = {}
    for mono, coefficient in p.items():
        part: Poly = {tuple(k for k in mono if k != key): coefficient}
        for _ in range(mono.count(key)):
            lifted = {join(m, (key,)): sign * c for m, c in part.items()}
            part = add(lifted, part, origin)
        result = add(result, part)
    return result


def _linear_atoms(p: Poly, atoms: Atoms) -> list[str]:
    """Keys of the quotients and minima that occur in ``p`` only to the first power, the innermost spelling last."""
    found: dict[str, None] = {}
    for mono in p:
        for key in mono:
            if atoms.table[key].kind in ("fd", "min") and mono.count(key) == 1:
                found[key] = None
    return sorted(found, key=lambda key: (-len(key), key))


def _without_atom(p: Poly, key: str, atoms: Atoms, fuel: _Fuel) -> bool:
    """``p >= 0`` shown by putting in place of one atom what bounds it."""
    atom = atoms.table[key]
    factor: Poly = {}
    rest: Poly = {}
    for mono, coefficient in p.items():
        left = without(mono, (key,))
        if left is None:
            rest[mono] = coefficient
        elif key in left:
            return False
        else:
            factor[left] = coefficient
    rising, falling = _nonneg(factor, atoms, fuel), _nonneg(scale(factor, -1), atoms, fuel)
    if not rising and not falling:
        return False
    if atom.kind == "min":
        every = all if rising else any
        return every(_nonneg(add(rest, _product(factor, each)), atoms, fuel) for each in atom.args)
    return _without_quotient(rest, factor, rising, atom, atoms, fuel)


def _without_quotient(rest: Poly, factor: Poly, rising: bool, atom: Atom, atoms: Atoms, fuel: _Fuel) -> bool:
    """``rest + factor * (a // b) >= 0``, from ``a - b + 1 <= b * (a // b) <= a`` where ``b >= 1``."""
    a, b = atom.args
    if not _nonneg(b, atoms, fuel):  # b is not 0 where the quotient means something
        return False
    bound = add(sub(a, b), const(1)) if rising else a
    return _nonneg(add(_product(rest, b), _product(factor, bound)), atoms, fuel)


def _product(p: Poly, q: Poly) -> Poly:
    """The plain product. Squares of truth values may stay: both spellings have the same value."""
    result: Poly = {}
    for mono, coefficient in p.items():
        result = add(result, {join(mono, other): c for other, c in q.items()}, coefficient)
    return result
