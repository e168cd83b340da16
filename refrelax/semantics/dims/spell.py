"""Expressions back out of the normal form, in the order in which atoms first appeared.

Spec: ``spec/06-shapes.md``, ``sh/simplify``.
"""

from __future__ import annotations

from collections.abc import Sequence

from refrelax.semantics.dims.atoms import Atom, Atoms
from refrelax.semantics.dims.poly import Mono, Poly, as_const
from refrelax.syntax.dtypes import integer_range
from refrelax.syntax.scalars import Binary, Cast, Intrinsic, Literal, PrimExpr, SymVar, bool_imm, int_imm


class TooWide(Exception):
    """A constant does not fit its dtype: there is no such literal."""


STEP = 20
"""What one step of spelling counts for in ``sh/fuel``."""


class Spent(Exception):
    """The fuel of the question is spent (``sh/fuel``)."""


def imm(value: int, dtype: str) -> Literal:
    """``value`` as a literal of ``dtype``. Raises ``TooWide``."""
    low, high = integer_range(dtype)
    if not low <= value <= high:
        raise TooWide
    return int_imm(value, dtype)


Term = tuple[int, PrimExpr]
"""A coefficient that is not zero, and a product without a constant factor."""


def total(terms: Sequence[Term], fixed: int, dtype: str) -> PrimExpr:
    """The sum: what is added, a positive constant, what is subtracted, a negative constant."""
    result: PrimExpr | None = None
    for coefficient, term in terms:
        if coefficient > 0:
            result = _plus(result, _times(term, coefficient, dtype))
    if fixed > 0:
        result = _plus(result, imm(fixed, dtype))
    for coefficient, term in terms:
        if coefficient < 0:
            if result is None:
                result = _times(term, coefficient, dtype)
            else:
                result = Binary("Sub", result, _times(term, -coefficient, dtype))
    if fixed < 0 and result is not None:
        return Binary("Sub", result, imm(-fixed, dtype))
    return imm(fixed, dtype) if result is None else result


def _plus(total: PrimExpr | None, term: PrimExpr) -> PrimExpr:
    return term if total is None else Binary("Add", total, term)


def _times(term: PrimExpr, coefficient: int, dtype: str) -> PrimExpr:
    return term if coefficient == 1 else Binary("Mul", term, imm(coefficient, dtype))


def product(factors: Sequence[PrimExpr]) -> PrimExpr:
    """The factors multiplied, the first ones innermost. There is at least one."""
    result = factors[0]
    for factor in factors[1:]:
        result = Binary("Mul", result, factor)
    return result


def spell(p: Poly, atoms: Atoms, dtype: str) -> PrimExpr | None:
    """``p`` as an expression of ``dtype``; ``None`` where an atom has no spelling, and once the fuel is spent."""
    try:
        return spell_in_full(p, atoms, dtype)
    except Spent:
        return None


def spell_in_full(p: Poly, atoms: Atoms, dtype: str) -> PrimExpr | None:
    """``spell`` that raises ``Spent`` once the fuel is."""
    if dtype == "bool":
        value = as_const(p)
        return bool_imm(bool(value)) if value in (0, 1) else None
    try:
        return _spelled(p, atoms, dtype)
    except TooWide:
        return None


def _spelled(p: Poly, atoms: Atoms, dtype: str) -> PrimExpr | None:
    terms: list[Term] = []
    for mono, coefficient in p.items():
        if mono:
            factors = [_atom(key, atoms, dtype) for key in _by_appearance(mono, atoms)]
            if any(factor is None for factor in factors):
                return None
            terms.append((coefficient, product([factor for factor in factors if factor is not None])))
    return total(terms, p.get((), 0), dtype)


def _by_appearance(mono: Mono, atoms: Atoms) -> Sequence[str]:
    if len(mono) < 2:
        return mono
    rank = {key: place for place, key in enumerate(atoms.table)}
    return sorted(mono, key=rank.__getitem__)


def _atom(key: str, atoms: Atoms, dtype: str) -> PrimExpr | None:
    if not atoms.charge(STEP):
        raise Spent
    atom = atoms.table[key]
    match atom.kind:
        case "var":
            var = SymVar(atom.name, atom.dtype)
            return var if atom.dtype == dtype else Cast(dtype, var)
        case "fd":
            return _binary("FloorDiv", atom, atoms, dtype)
        case "td":
            return _binary("Div", atom, atoms, dtype)
        case "min":
            parts = [spell_in_full(each, atoms, dtype) for each in atom.args]
            result = parts[0]
            for part in parts[1:]:
                result = None if result is None or part is None else Binary("Min", result, part)
            return result
        case "p2":
            count = spell_in_full(atom.args[0], atoms, dtype)
            return None if count is None else Intrinsic("shift_left", (imm(1, dtype), count), dtype)
        case _:
            return None


def _binary(op: str, atom: Atom, atoms: Atoms, dtype: str) -> PrimExpr | None:
    a, b = (spell_in_full(each, atoms, dtype) for each in atom.args)
    return None if a is None or b is None else Binary(op, a, b)  # type: ignore[arg-type]
