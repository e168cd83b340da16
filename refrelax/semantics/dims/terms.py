"""Smart constructors of the normal form: quotients, minima, truth values, powers of two.

Each takes polynomials in normal form and gives one in normal form that has the same value wherever both are defined.

Spec: ``spec/06-shapes.md``.
"""

from __future__ import annotations

from math import gcd

from refrelax.rules import rule
from refrelax.semantics.dims.atoms import Atoms
from refrelax.semantics.dims.poly import (
    ONE,
    ZERO,
    Mono,
    Poly,
    add,
    as_const,
    const,
    content,
    join,
    leading,
    scale,
    serial,
    sub,
    weight,
    without,
)
from refrelax.semantics.dims.ranges import interval, nonneg

MAX_TERMS = 512
"""A product that would have more terms than this is kept as an atom."""


# --- products --------------------------------------------------------------------------------------------------------


@rule("sh/polynomial")
def mul(p: Poly, q: Poly, atoms: Atoms) -> Poly:
    """``p * q``, multiplied out."""
    if not p or not q:
        return {}
    for a, b in ((p, q), (q, p)):
        value = as_const(a)
        if value is not None:
            return scale(b, value)
    atoms.charge(len(p) * weight(q) + len(q) * weight(p))
    if len(p) * len(q) > MAX_TERMS:
        return atoms.put("call", tuple(sorted((p, q), key=serial)), "*")
    result: Poly = {}
    for left, c in p.items():
        for right, d in q.items():
            result = add(result, _mono(join(left, right), atoms), c * d)
    return result


def _mono(mono: Mono, atoms: Atoms) -> Poly:
    """A monomial with its truth values to the first power and its powers of two joined."""
    if not any(key[0] in "?p" for key in mono):
        return {mono: 1}
    kept: list[str] = []
    exponents: list[Poly] = []
    for key in mono:
        if atoms.table[key].kind == "p2":
            exponents.append(atoms.table[key].args[0])
        elif key[0] != "?" or not kept or kept[-1] != key:
            kept.append(key)
    if len(exponents) < 2:
        return {tuple(sorted([*kept, *(key for key in mono if atoms.table[key].kind == "p2")])): 1}
    total: Poly = {}
    for each in exponents:
        total = add(total, each)
    return mul({tuple(kept): 1}, power_of_two(total, atoms), atoms)


@rule("sh/power-of-two")
def power_of_two(k: Poly, atoms: Atoms) -> Poly:
    """``2 ** k``: the least value that ``k`` can have, up to 256, comes out as a factor."""
    low, _ = interval(k, atoms)
    if atoms.guarded and (low is None or low < 0):
        return atoms.put("call", (k,), "1 <<")
    if low is None or not 0 < low <= 256:
        return ONE if not k else atoms.put("p2", (k,))
    rest = sub(k, const(low))
    return scale(atoms.put("p2", (rest,)), 1 << low) if rest else const(1 << low)


# --- quotients -------------------------------------------------------------------------------------------------------


@rule("sh/floor-quotient")
def floordiv(a: Poly, b: Poly, atoms: Atoms) -> Poly:
    """``a // b``: what divides comes out, common factors cancel, a quotient of a quotient is one quotient."""
    if not a and not atoms.guarded:
        return {}
    divisor = as_const(b)
    if divisor == 0 or _may_be_unreached(b, atoms):
        return atoms.put("call", (a, b), "//")
    if divisor is None:
        if b[leading(b)] < 0:
            a, b = scale(a, -1), scale(b, -1)
    elif divisor < 0:
        a, b = scale(a, -1), const(-divisor)
    whole, rest = _split(a, b, atoms)
    rest, b = _cancel(rest, b)
    return add(whole, _floor_rest(rest, b, atoms))


@rule("sh/guarded-quotient")
def _may_be_unreached(b: Poly, atoms: Atoms) -> bool:
    """Whether a division by ``b`` stands under a condition that may be there to keep zero away."""
    return bool(atoms.guarded) and as_const(b) is None and not never_zero(b, atoms)


def _split(a: Poly, b: Poly, atoms: Atoms) -> tuple[Poly, Poly]:
    """``q, r`` with ``a == q * b + r``: every term of ``a`` that the leading term of ``b`` divides goes into ``q``."""
    atoms.charge(weight(a) + weight(b))
    divisor = as_const(b)
    if divisor is not None:
        whole = {mono: c // divisor for mono, c in a.items() if c // divisor}
        return whole, {mono: c % divisor for mono, c in a.items() if c % divisor}
    top = leading(b)
    coefficient = b[top]
    whole = {}
    for _ in range(64):
        if not atoms.charge(2 * weight(a) + weight(b)):
            break
        found = None
        for mono in sorted(a, key=lambda m: (-len(m), m)):
            left = without(mono, top)
            if left is not None and a[mono] // coefficient != 0:
                found = (left, a[mono] // coefficient)
                break
        if found is None:
            break
        step: Poly = {found[0]: found[1]}
        whole = add(whole, step)
        a = sub(a, {join(found[0], mono): c * found[1] for mono, c in b.items()})
    return whole, a


def _cancel(a: Poly, b: Poly) -> tuple[Poly, Poly]:
    """``a`` and ``b`` without their common factors; under a constant divisor the constant is floored."""
    if not a:
        return a, b
    divisor = as_const(b)
    if divisor is not None:
        common = gcd(content(a), divisor)
        if common > 1:
            fixed = a.get((), 0)
            reduced = {mono: c // common for mono, c in a.items() if mono}
            return add(reduced, const(fixed // common)), const(divisor // common)
        return a, b
    common = gcd(gcd(content(a), a.get((), 0)), gcd(content(b), b.get((), 0)))
    shared = _shared(a, b)
    if common > 1 or shared:
        a = {_must(mono, shared): c // common for mono, c in a.items()}
        b = {_must(mono, shared): c // common for mono, c in b.items()}
    return a, b


def _shared(a: Poly, b: Poly) -> Mono:
    """The greatest monomial that divides every term of both."""
    monos = [*a, *b]
    shared = monos[0]
    for mono in monos[1:]:
        kept: list[str] = []
        left = list(mono)
        for key in shared:
            if key in left:
                left.remove(key)
                kept.append(key)
        shared = tuple(kept)
    return shared


def _must(mono: Mono, divisor: Mono) -> Mono:
    result = without(mono, divisor)
    assert result is not None
    return result


def _floor_rest(a: Poly, b: Poly, atoms: Atoms) -> Poly:
    """``a // b`` where nothing comes out of ``a`` any more."""
    divisor = as_const(b)
    if not a or divisor == 1:
        return a
    if divisor is not None:
        low, high = interval(a, atoms)
        if low is not None and high is not None and low // divisor == high // divisor:
            return const(low // divisor)
    if nonneg(b, atoms):
        inner = _inner_quotient(a, b, atoms)
        if inner is not None:
            return inner
        if nonneg(a, atoms) and nonneg(sub(sub(b, a), ONE), atoms):
            return {}
        if nonneg(scale(add(a, ONE), -1), atoms) and nonneg(add(a, b), atoms):
            return const(-1)
    return atoms.put("fd", (a, b))


@rule("sh/quotient-of-quotient")
def _inner_quotient(a: Poly, divisor: Poly, atoms: Atoms) -> Poly | None:
    """``(x // c + k) // d`` as ``(x + k * c) // (c * d)``, for ``d >= 1``."""
    fixed = a.get((), 0)
    atom = atoms.sole(sub(a, const(fixed)), "fd")
    if atom is None:
        return None
    x, inner = atom.args
    return floordiv(add(x, inner, fixed), mul(inner, divisor, atoms), atoms)


@rule("sh/truncated-quotient")
def truncdiv(a: Poly, b: Poly, atoms: Atoms) -> Poly:
    """The quotient rounded towards zero: a floor where the signs are known, else odd in both operands."""
    if not a and not atoms.guarded:
        return {}
    if as_const(b) == 0 or _may_be_unreached(b, atoms):
        return atoms.put("call", (a, b), "truncdiv")
    if b[leading(b)] < 0 and not nonneg(b, atoms):
        return scale(truncdiv(a, scale(b, -1), atoms), -1)
    if nonneg(b, atoms):
        if nonneg(a, atoms):
            return floordiv(a, b, atoms)
        if nonneg(scale(a, -1), atoms):
            return scale(floordiv(scale(a, -1), b, atoms), -1)
    whole, rest = _split(a, b, atoms)
    if not rest:
        return whole
    shared = _shared(a, b)
    common = gcd(gcd(content(a), a.get((), 0)), gcd(content(b), b.get((), 0)))
    a = {_must(mono, shared): c // common for mono, c in a.items()}
    b = {_must(mono, shared): c // common for mono, c in b.items()}
    if a[leading(a)] < 0:
        return scale(atoms.put("td", (scale(a, -1), b)), -1)
    return atoms.put("td", (a, b))


# --- minima ----------------------------------------------------------------------------------------------------------


@rule("sh/minimum")
def minimum(a: Poly, b: Poly, atoms: Atoms) -> Poly:
    """``min(a, b)``: flattened, without what is never least, with what all members share taken out."""
    members: dict[str, Poly] = {}
    for each in (*_members(a, atoms), *_members(b, atoms)):
        members[serial(each)] = each
    atoms.charge(len(members) * sum(map(weight, members.values())))
    kept = _undominated([members[key] for key in sorted(members)], atoms)
    if len(kept) == 1:
        return kept[0]
    shared = _least_common(kept)
    kept = [sub(each, shared) for each in kept]
    factor = 0
    for each in kept:
        factor = gcd(factor, gcd(content(each), each.get((), 0)))
    ordered = sorted(({mono: c // factor for mono, c in each.items()} for each in kept), key=serial)
    return add(shared, atoms.put("min", tuple(ordered)), factor)


def _members(p: Poly, atoms: Atoms) -> list[Poly]:
    """``x + min(s, t)`` as ``x + s`` and ``x + t``; anything else is its own only member."""
    found = [mono for mono, c in p.items() if c == 1 and len(mono) == 1 and atoms.table[mono[0]].kind == "min"]
    if len(found) != 1:
        return [p]
    rest = {mono: c for mono, c in p.items() if mono != found[0]}
    return [add(rest, each) for each in atoms.table[found[0][0]].args]


def _undominated(members: list[Poly], atoms: Atoms) -> list[Poly]:
    """``members`` without each that is at least another one."""
    kept = list(members)
    for each in members:
        if len(kept) > 1 and any(other is not each and nonneg(sub(each, other), atoms) for other in kept):
            kept = [other for other in kept if other is not each]
    return kept


def _least_common(members: list[Poly]) -> Poly:
    """For each monomial the least coefficient that a member gives it (0 where it is absent)."""
    shared: Poly = {}
    for mono in dict.fromkeys(mono for each in members for mono in each):
        least = min(each.get(mono, 0) for each in members)
        if least:
            shared[mono] = least
    return shared


def maximum(a: Poly, b: Poly, atoms: Atoms) -> Poly:
    """``max(a, b)``, as ``-min(-a, -b)``."""
    return scale(minimum(scale(a, -1), scale(b, -1), atoms), -1)


# --- truth values ----------------------------------------------------------------------------------------------------


@rule("sh/comparison")
def at_least_zero(p: Poly, atoms: Atoms) -> Poly:
    """1 where ``p >= 0``, else 0."""
    value = as_const(p)
    if value is not None:
        return ONE if value >= 0 else ZERO
    if nonneg(p, atoms):
        return ONE
    if nonneg(scale(add(p, ONE), -1), atoms):
        return ZERO
    divisor = content(p)
    if divisor > 1:
        fixed = p.get((), 0)
        p = add({mono: c // divisor for mono, c in p.items() if mono}, const(fixed // divisor))
    if p[leading(p)] < 0:
        return sub(ONE, atoms.put("ge", (scale(add(p, ONE), -1),)))
    return atoms.put("ge", (p,))


@rule("sh/comparison")
def is_zero(p: Poly, atoms: Atoms) -> Poly:
    """1 where ``p == 0``, else 0."""
    if not p:
        return ONE
    if never_zero(p, atoms):
        return ZERO
    divisor = content(p)
    if p[leading(p)] < 0:
        divisor = -divisor
    return atoms.put("eq", ({mono: c // divisor for mono, c in p.items()},))


def never_zero(p: Poly, atoms: Atoms) -> bool:
    """Whether ``p != 0`` follows: by its sign, or because its coefficients share a factor that its constant lacks."""
    if not p:
        return False
    divisor = content(p)
    if divisor == 0 or (divisor > 1 and p.get((), 0) % divisor):
        return True
    return nonneg(sub(p, ONE), atoms) or nonneg(scale(add(p, ONE), -1), atoms)


def both(p: Poly, q: Poly, atoms: Atoms) -> Poly:
    """Conjunction of truth values."""
    return mul(p, q, atoms)


def either(p: Poly, q: Poly, atoms: Atoms) -> Poly:
    """Disjunction of truth values."""
    return sub(add(p, q), mul(p, q, atoms))


@rule("sh/selection")
def select(condition: Poly, a: Poly, b: Poly, atoms: Atoms) -> Poly:
    """``a`` where the truth value ``condition`` is 1, else ``b``."""
    return add(b, mul(condition, sub(a, b), atoms))
